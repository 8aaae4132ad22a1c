"""From logits to text: the distribution of the next token, and the loop that writes."""

from support.generation.choice import next_token
from support.generation.loop import generate, stream

__all__ = ["generate", "next_token", "stream"]
