"""The signatures are checked in every test: shapes by jaxtyping, everything else by beartype."""

import importlib
import inspect
from pathlib import Path
from typing import Literal

import pytest
import torch
from beartype import beartype
from jaxtyping import Float, jaxtyped
from signatures import checked, kind
from torch import Tensor

import support
from support.model.positions import apply_rope

WRONG = r"(?i)violates|type-check"


def test_a_wrong_argument_is_found_with_shapes_and_without():
    @jaxtyped(typechecker=beartype)
    def add(a: Float[Tensor, "n"], b: Float[Tensor, "n"]) -> Float[Tensor, "n"]:
        return a[:2] + b[:2]

    @jaxtyped(typechecker=beartype)
    def first(words: list[str]) -> str:
        return words[0]

    assert add(torch.ones(2), torch.ones(2)).tolist() == [2, 2] and first(["a"]) == "a"
    for wrong in (
        lambda: add(torch.ones(2), torch.ones(3)),
        lambda: add(torch.ones(3), torch.ones(3)),  # the result is shorter
        lambda: first("a"),
        lambda: first([1]),
    ):
        with pytest.raises(Exception, match=WRONG):
            wrong()


def test_what_was_checked_once_is_remembered_and_what_is_new_is_checked():
    calls, shorter = [], False

    @jaxtyped(typechecker=beartype)
    def halve(a: Float[Tensor, "n"], how: Literal["by two", "twice"] = "by two") -> Float[Tensor, "n"]:
        calls.append(how)
        return (a / 2)[: len(a) - shorter]

    for _ in range(3):
        assert halve(torch.ones(2)).tolist() == [0.5, 0.5] and halve(torch.ones(2), "twice").numel() == 2
    assert len(calls) == 6  # a check that is repeated does not repeat the call
    for wrong in (torch.ones(2, dtype=torch.int64), torch.ones(2, 1), [1.0, 1.0]):
        with pytest.raises(Exception, match=WRONG):
            halve(wrong)
    with pytest.raises(Exception, match=WRONG):
        halve(torch.ones(2), "thrice")
    assert len(calls) == 6  # and a wrong argument does not get as far as the function
    shorter = True
    with pytest.raises(Exception, match=WRONG):
        halve(torch.ones(2))  # the arguments are known, the result is not


def test_an_inner_function_is_checked_however_often_it_is_made():
    def outer(n, shorter=0):
        @jaxtyped(typechecker=beartype)
        def times(a: Float[Tensor, "k"], deep: int = 0) -> Float[Tensor, "k"]:
            return n * a[shorter:] if deep == 0 else times(a, deep - 1) + n

        @jaxtyped(typechecker=beartype)
        def name(word: str) -> str:
            return n * word if n else n

        return times, name

    made = [outer(n) for n in range(1, 4)]
    assert [times(torch.ones(2)).tolist() for times, _ in made] == [[1, 1], [2, 2], [3, 3]]
    assert [times(torch.ones(2), deep=2).tolist() for times, _ in made] == [[3, 3], [6, 6], [9, 9]]
    assert [name("a") for _, name in made] == ["a", "aa", "aaa"]
    times, name = outer(2)
    for wrong in (
        lambda: times(torch.ones(2, dtype=torch.int64)),
        lambda: outer(1, shorter=1)[0](torch.ones(2)),
        lambda: name(1),
        lambda: outer(0)[1]("a"),
    ):
        with pytest.raises(Exception, match=WRONG):
            wrong()


def test_the_package_is_checked_by_what_remembers():
    assert jaxtyped is checked
    with pytest.raises(Exception, match=WRONG):
        apply_rope(torch.ones(2, dtype=torch.int64), torch.ones(2), torch.ones(2))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (torch.ones(2), torch.ones(3)),
        (torch.ones(2), torch.ones(2).double()),
        (torch.ones(2), torch.ones(2).numpy()),
        ("a", "b"),
        (True, 1),
        ([1] * 20, ["1"] * 20),
        ([1, "1"], [1, 1]),
        ({"a": 1}, {"a": "1"}),
        (dict.fromkeys(range(20), 1), dict.fromkeys(range(20), "1")),
        ((1, (2, 3)), (1, [2, 3])),
    ],
)
def test_a_kind_says_all_that_a_check_can_look_at(one, other):
    assert kind(one) != kind(other) and kind(one) == kind(one)


SUBPACKAGES = sorted(p.parent.name for p in Path(support.__file__).parent.glob("*/__init__.py"))


@pytest.mark.parametrize("name", SUBPACKAGES)
def test_every_public_method_says_what_it_does_in_words_of_ours(name):
    """Or in those of a base class of ours; the reference would print torch's, which say what to override."""
    module, silent = importlib.import_module(f"support.{name}"), []
    classes = [c for c in (getattr(module, n) for n in module.__all__) if inspect.isclass(c)]
    for owner in classes:
        ours = [base for base in owner.__mro__ if base.__module__.startswith("support")]
        for method, value in vars(owner).items():
            value = getattr(value, "fget", None) or getattr(value, "__func__", value)
            if method.startswith("_") or not inspect.isfunction(value) or value.__name__ == "<lambda>":
                continue
            if not any(getattr(vars(base).get(method), "__doc__", None) for base in ours):
                silent.append(f"{owner.__name__}.{method}")
    assert silent == []
