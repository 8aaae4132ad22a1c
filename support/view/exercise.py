"""Checking a reader's code against an oracle, and naming the mistake that was made."""

import contextlib
import copy
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from torch import Tensor

from support.core import InputError


def check(
    answer: Callable[..., Any],
    oracle: Callable[..., Any],
    cases: Sequence[Any],
    mistakes: Mapping[str, Callable[..., Any]] | None = None,
    tolerance: float = 1e-5,
) -> None:
    """Print whether an answer is not written yet, right, or which likely mistake it makes.

    Args:
        answer: the reader's function.
        oracle: a function that is right.
        cases: what to try; a tuple holds several arguments.
        mistakes: a sentence for each likely mistake, and a function that makes it.
        tolerance: how far numbers may be off, relative to 1 or to their size.

    Raises:
        InputError: there is no case, or a mistake that no case can tell from a right answer.

    >>> halves = {"you multiplied; divide instead": lambda x: x * 2}
    >>> check(lambda x: None, lambda x: x / 2, [1, 2, 3], halves)
    not written yet, or nothing is returned: fill in the body, end it with return, run its cell and this one
    >>> check(lambda x: x + x, lambda x: x / 2, [1, 2, 3], halves)
    not yet: you multiplied; divide instead
    >>> check(lambda x: 0.5 * x, lambda x: x / 2, [1, 2, 3], halves)
    right on all 3 cases
    """
    if not len(cases):
        raise InputError("there is no case to check; give at least one")
    right = [_run(oracle, case) for case in cases]
    wrongs = {sentence: _attempts(function, cases) for sentence, function in (mistakes or {}).items()}
    for sentence, results in wrongs.items():
        if _agree(results, right, tolerance):
            raise InputError(f"no case tells the mistake {sentence!r} from a right answer; add one that does")
    print(_verdict(answer, cases, right, wrongs, tolerance))


def _verdict(answer, cases, right, wrongs, tolerance) -> str:
    given = _attempts(answer, cases)
    first = given[0]
    if first is None or first is Ellipsis or isinstance(first, NotImplementedError):
        return (
            "not written yet, or nothing is returned: fill in the body, end it with return, run its cell and "
            "this one"
        )
    if _agree(given, right, tolerance):
        return f"right on all {len(cases)} cases" if len(cases) > 1 else "right"
    for sentence, results in wrongs.items():
        if _agree(given, results, tolerance):
            return f"not yet: {sentence}"
    at = next(i for i, pair in enumerate(zip(given, right, strict=True)) if not _same(*pair, tolerance))
    if isinstance(given[at], Exception):
        return f"not yet: case {at + 1} stopped with {type(given[at]).__name__}: {given[at]}"
    shapes = [tuple(x.shape) if isinstance(x, Tensor | np.ndarray) else None for x in (right[at], given[at])]
    if None not in shapes and shapes[0] != shapes[1]:
        return f"not yet: on case {at + 1} the shape should be {shapes[0]}, yours is {shapes[1]}"
    told = _first_difference(_plain(right[at]), _plain(given[at]), tolerance)
    return f"not yet: case {at + 1}{_shown(cases[at])}{told}"


def _shown(case: Any) -> str:
    """The arguments of a case, if they are short enough to be worked by hand."""
    text = ", ".join(_brief(_plain(argument)) for argument in (case if isinstance(case, tuple) else (case,)))
    return f" ({text})" if len(text) <= 60 and "<" not in text else ""


def _first_difference(wanted: Any, given: Any, tolerance: float, where: str = "") -> str:
    """How two results differ; of long ones the first place where they do."""
    long = len(str(_rounded(wanted))) > 60
    pairs: list[tuple[str, Any, Any]] = []
    if long and isinstance(wanted, Mapping) and isinstance(given, Mapping):
        for one, other, what in ((wanted, given, "should have"), (given, wanted, "should not have")):
            if missing := [key for key in one if key not in other]:
                return f"{where} {what} the key {missing[0]!r}"
        pairs = [(f"[{key!r}]", wanted[key], given[key]) for key in wanted]
    elif long and isinstance(wanted, list) and isinstance(given, list) and len(wanted) == len(given):
        pairs = [(f"[{i}]", a, b) for i, (a, b) in enumerate(zip(wanted, given, strict=True))]
    for place, a, b in pairs:
        if not _same(b, a, tolerance):
            return _first_difference(a, b, tolerance, (where or " at ") + place)
    right, yours = _brief(wanted), _brief(given)
    if right == yours:  # they differ far behind
        right, yours = repr(wanted), repr(given)
    return f"{where} should give {right}, yours gives {yours}"


def _run(function: Callable[..., Any], case: Any) -> Any:
    arguments = case if isinstance(case, tuple) else (case,)
    # An answer may change what it is given; that must not spoil the next one's input. What cannot be copied
    # (a tensor inside a graph) goes in as it is.
    with contextlib.suppress(RuntimeError, TypeError):
        arguments = copy.deepcopy(arguments)
    return function(*arguments)


def _attempts(function: Callable[..., Any], cases: Sequence[Any]) -> list[Any]:
    """The results, with an exception in place of a result where one was raised."""
    results = []
    for case in cases:
        try:
            results.append(_run(function, case))
        except Exception as error:  # whatever a reader's code does, we answer with a sentence
            results.append(error)
    return results


def _agree(given: Sequence[Any], wanted: Sequence[Any], tolerance: float) -> bool:
    return all(_same(a, b, tolerance) for a, b in zip(given, wanted, strict=True))


def _same(given: Any, wanted: Any, tolerance: float) -> bool:
    given, wanted = _plain(given), _plain(wanted)
    if isinstance(given, Exception) or isinstance(wanted, Exception):
        return type(given) is type(wanted)
    if isinstance(wanted, str | bytes | None) or isinstance(given, str | bytes | None):
        return type(given) is type(wanted) and given == wanted
    if isinstance(wanted, Mapping):
        same_keys = isinstance(given, Mapping) and given.keys() == wanted.keys()
        return same_keys and all(_same(given[key], wanted[key], tolerance) for key in wanted)
    if isinstance(wanted, set | frozenset) or (isinstance(wanted, int) and isinstance(given, int)):
        return bool(given == wanted)
    if isinstance(wanted, list):
        fits = isinstance(given, list) and len(given) == len(wanted)
        return fits and all(_same(a, b, tolerance) for a, b in zip(given, wanted, strict=True))
    try:
        if not math.isfinite(wanted):
            return bool(given == wanted or (math.isnan(wanted) and math.isnan(given)))
        return given == wanted or abs(given - wanted) <= tolerance * max(1.0, abs(wanted))
    except (TypeError, OverflowError):
        return bool(given == wanted)


def _plain(value: Any) -> Any:
    """Tensors, arrays and tuples as lists, so that only the numbers are compared, not how they are kept."""
    if isinstance(value, Tensor):
        return value.detach().cpu().to_dense().tolist()
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value


def _brief(value: Any) -> str:
    rounded = _rounded(_plain(value))
    text = repr(rounded) if type(rounded) is str else str(rounded)
    return text if len(text) <= 120 else text[:117] + "…"


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, Mapping):
        return {key: _rounded(item) for key, item in value.items()}
    return [_rounded(item) for item in value] if isinstance(value, list) else value
