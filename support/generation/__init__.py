"""From logits to text: the distribution of the next token, and the loop that writes."""

from support.generation.choice import next_token
from support.generation.loop import generate, generate_many, stream

__all__ = ["generate", "generate_many", "next_token", "stream"]
