"""What came before the transformer: counting."""

from support.ancestors.ngram import NGram

__all__ = ["NGram"]
