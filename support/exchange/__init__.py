"""To and from other formats."""

from support.exchange.huggingface import from_huggingface, to_huggingface

__all__ = ["from_huggingface", "to_huggingface"]
