"""To and from other formats."""

from support.exchange.hf_tokenizer import tokenizer_from_huggingface
from support.exchange.huggingface import from_huggingface, to_huggingface

__all__ = ["from_huggingface", "to_huggingface", "tokenizer_from_huggingface"]
