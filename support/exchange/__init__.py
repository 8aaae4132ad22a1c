"""To and from other formats."""

from support.exchange.hf_tokenizer import tokenizer_from_huggingface
from support.exchange.huggingface import from_huggingface, to_huggingface
from support.exchange.peft import from_peft, to_peft

__all__ = ["from_huggingface", "from_peft", "to_huggingface", "to_peft", "tokenizer_from_huggingface"]
