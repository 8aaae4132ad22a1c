"""The signatures are checked in every test: shapes by jaxtyping, everything else by beartype."""

import pytest
import torch
from beartype import beartype
from jaxtyping import Float, jaxtyped
from torch import Tensor


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
        with pytest.raises(Exception, match=r"(?i)violates|type-check"):
            wrong()
