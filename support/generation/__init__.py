"""From logits to text: the distribution of the next token, and the loop that writes."""

from support.generation.loop import generate, generate_many, stream
from support.generation.sampling import next_token

__all__ = ["generate", "generate_many", "next_token", "stream"]
