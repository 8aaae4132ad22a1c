"""Tying the numbers of the prose to the code that computed them."""

from collections.abc import Mapping
from numbers import Integral
from typing import Any

from support.core import InputError

# Names that mean "declared, not computed" in the prose.
DECLARED = ("year", "cite", "label", "source", "given")


class Bound:
    """Named values, one line each, for the comparison of prose with code. Made by `bind`."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self.values = dict(values)

    def __repr__(self) -> str:
        return "\n".join(f"{name} = {value}" for name, value in self.values.items())


def bind(*groups: Mapping[str, Any], **values: Any) -> Bound:
    """Name values that the prose quotes, as it quotes them: ``0.9998<!-- p_tarso -->``.

    Args:
        groups: dictionaries of further values, for names made by a loop.
        values: text as it stands in the prose, e.g. ``p=f"{p:.4f}"``, or whole numbers.

    Raises:
        InputError: a name that is no identifier, is given twice or is reserved; a value that is empty, has
            several lines, or is a number with so many digits that another machine would print others.

    >>> bind(p_tarso=f"{0.99981:.4f}", words=28)
    p_tarso = 0.9998
    words = 28
    >>> bind(third=1 / 3)
    Traceback (most recent call last):
    support.core.errors.InputError: third=0.3333333333333333 has digits that depend ...
    """
    found: dict[str, str] = {}
    for group in (*groups, values):
        for name, value in group.items():
            if not isinstance(name, str) or not name.isidentifier():
                raise InputError(f"{name!r} cannot be a name in the prose; use letters, digits and _")
            if name in DECLARED:
                raise InputError(f"`{name}` declares a number instead of binding it; choose another name")
            if name in found:
                raise InputError(f"`{name}` is given twice; choose two names")
            found[name] = _text(name, value)
    return Bound(found)


def _text(name: str, value: object) -> str:
    if isinstance(value, str):
        if not value.strip() or "\n" in value:
            raise InputError(
                f"{name}={value!r} is not one line of text; give the words as the prose has them"
            )
        return value
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        raise InputError(f"{name}={value!r} is neither text nor a number; format it first")
    if isinstance(value, Integral):
        return str(int(value))
    number = float(value)  # type: ignore[arg-type]  # a tensor of one number is welcome as well
    if float(f"{number:.6g}") != number:
        raise InputError(
            f'{name}={number!r} has digits that depend on the machine; round it: {name}=f"{{…:.3f}}"'
        )
    return str(int(number)) if number.is_integer() else f"{number:g}"
