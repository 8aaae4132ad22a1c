"""From logits to text: the distribution of the next token, the loop that writes, and speculation."""

from support.generation.loop import generate, generate_many, stream
from support.generation.sampling import next_token, penalise_repetition
from support.generation.speculative import (
    Speculation,
    expected_tokens,
    residual_distribution,
    speculative_generate,
)

__all__ = [
    "Speculation",
    "expected_tokens",
    "generate",
    "generate_many",
    "next_token",
    "penalise_repetition",
    "residual_distribution",
    "speculative_generate",
    "stream",
]
