"""Text to numbers and back: a fixed word list, and byte-pair encoding."""

from support.text.bpe import BPETokenizer
from support.text.vocabulary import Vocabulary

__all__ = ["BPETokenizer", "Vocabulary"]
