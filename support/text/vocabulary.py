"""A fixed list of tokens, each with its number."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, SupportsIndex

from support.core import InputError
from support.core.json_file import read_json, write_json
from support.core.validation import CountOrZero, as_list, check
from support.text.ids import checked_ids
from support.text.pretokenise import refuse_surrogates

Sentence = str | Sequence[str]


class Vocabulary:
    """Words and their ids, both ways: token ``i`` of the list has id ``i``.

    Args:
        tokens: the tokens, in the order of their ids.
        unk: the token that stands for unknown ones; without it an unknown token is an error.

    Raises:
        InputError: the tokens are one string or no list, a token stands twice, is empty or no text, or
            ``unk`` is not among the tokens.

    >>> v = Vocabulary(["<PAD>", "the", "cat", "sat"])
    >>> v.encode("the cat sat"), v.decode([1, 2])
    ([1, 2, 3], 'the cat')
    """

    def __init__(self, tokens: Iterable[str], unk: str | None = None):
        self._tokens: list[str] = as_list("Vocabulary: tokens", tokens, str)
        if "" in self._tokens:
            raise InputError("The vocabulary holds an empty token; remove it.")
        refuse_surrogates(" ".join(self._tokens))
        check("Vocabulary: unk", unk, str | None)
        self._id = {token: i for i, token in enumerate(self._tokens)}
        if len(self._id) < len(self._tokens):
            twice = next(token for token, n in Counter(self._tokens).items() if n > 1)
            raise InputError(f"The token {twice!r} stands twice in the vocabulary; remove one of the two.")
        if unk is not None and unk not in self._id:
            raise InputError(
                f"The unknown-word token {unk!r} is not in the vocabulary; add it to the tokens."
            )
        self.unk = unk

    @classmethod
    def from_corpus(
        cls,
        sentences: Iterable[Sentence],
        special_tokens: Sequence[str] = (),
        unk: str | None = None,
        max_size: int | None = None,
        min_count: int = 1,
    ) -> "Vocabulary":
        """The vocabulary of a corpus: special tokens, then words by falling count, ties by alphabet.

        Args:
            sentences: strings, which are split at spaces, or lists of tokens.
            special_tokens: tokens that get the first ids whatever their count.
            unk: the token for unknown words; it follows the special tokens if it is not one of them.
            max_size: keep at most so many tokens, special ones included.
            min_count: keep only words that occur at least so often.

        Raises:
            InputError: ``sentences`` or ``special_tokens`` is one string, a sentence is neither a string nor
                a list of strings, a count is no whole number, or ``max_size`` has no room for the special
                tokens.

        >>> Vocabulary.from_corpus(["b a", "b c"], special_tokens=["<PAD>"], max_size=3).tokens
        ['<PAD>', 'b', 'a']
        """
        if isinstance(sentences, str):
            advice = "give a list of sentences, e.g. text.splitlines()"
            raise InputError(f"The corpus is one string; {advice}.")
        if not isinstance(sentences, Iterable):
            problem = f"The corpus {sentences!r} is no list of sentences"
            raise InputError(f"{problem}; give one.")
        check("from_corpus: unk", unk, str | None)
        check("from_corpus: max_size", max_size, CountOrZero | None)
        check("from_corpus: min_count", min_count, CountOrZero)
        special_tokens = as_list("from_corpus: special_tokens", special_tokens, str)
        first = special_tokens + ([unk] if unk is not None and unk not in special_tokens else [])
        if max_size is not None and max_size < len(first):
            problem = f"has no room for the {len(first)} special tokens"
            raise InputError(f"max_size={max_size} {problem}; raise it.")
        counts = Counter(token for sentence in sentences for token in _split(sentence))
        check("from_corpus: the tokens", list(counts), list[str])
        others = (word for word in counts if word not in first)
        words = sorted(others, key=lambda word: (-counts[word], word))
        tokens = first + [word for word in words if counts[word] >= min_count]
        return cls(tokens[:max_size], unk)

    @property
    def tokens(self) -> list[str]:
        """The tokens in the order of their ids (a copy)."""
        return list(self._tokens)

    def __len__(self) -> int:
        return len(self._tokens)

    def __contains__(self, token: object) -> bool:
        return token in self._id

    def __iter__(self) -> Iterator[str]:
        return iter(self._tokens)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Vocabulary):
            return NotImplemented
        return self._tokens == other._tokens and self.unk == other.unk

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Vocabulary({len(self)} tokens" + (f", unk={self.unk!r})" if self.unk is not None else ")")

    def id(self, token: str) -> int:
        """The id of a token; of an unknown one the id of ``unk``.

        Raises:
            InputError: the token is unknown and there is no ``unk``.
        """
        return self.encode([token])[0]

    def token(self, i: SupportsIndex) -> str:
        """The token with this id.

        Raises:
            InputError: there is no such id.
        """
        return self._tokens[checked_ids([i], len(self))[0]]

    def unknown(self, sentence: Sentence) -> list[str]:
        """The tokens of a sentence that the vocabulary lacks, each once, in order of appearance.

        >>> Vocabulary(["the", "cat"]).unknown("the dog saw the other dog")
        ['dog', 'saw', 'other']
        """
        return [token for token in dict.fromkeys(_split(sentence)) if token not in self._id]

    def encode(self, sentence: Sentence) -> list[int]:
        """The ids of a sentence: a string, which is split at spaces, or a list of tokens.

        Raises:
            InputError: tokens are unknown and there is no ``unk``; the message lists them.

        >>> Vocabulary(["<unk>", "the", "cat"], unk="<unk>").encode("the dog")
        [1, 0]
        """
        tokens = _split(sentence)
        if self.unk is not None:
            unknown_id = self._id[self.unk]
            return [self._id.get(token, unknown_id) for token in tokens]
        try:
            return [self._id[token] for token in tokens]
        except KeyError:
            missing = self.unknown(tokens)
            more = ", …" if len(missing) > 10 else ""
            shown = ", ".join(map(repr, missing[:10])) + more
            raise InputError(
                f"Not in the vocabulary of {len(self)} tokens: "
                f"{shown} ({len(missing)} in all); "
                "add them, or give the vocabulary an `unk` token."
            ) from None

    def decode(self, ids: Iterable[SupportsIndex]) -> str:
        """The tokens of ids, joined by spaces.

        Raises:
            InputError: there is no such id.
        """
        return " ".join([self._tokens[i] for i in checked_ids(ids, len(self))])

    def to_dict(self) -> dict[str, Any]:
        """The vocabulary as plain data."""
        return {"tokens": self.tokens, "unk": self.unk}

    @classmethod
    def from_dict(cls, data: Any) -> "Vocabulary":
        """The inverse of :meth:`to_dict`.

        Raises:
            InputError: the data has another form.
        """
        if not isinstance(data, dict) or not isinstance(data.get("tokens"), list):
            raise InputError('A stored vocabulary has the form {"tokens": [...], "unk": ...}; this has not.')
        return cls(data["tokens"], data.get("unk"))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the vocabulary as JSON; a crash leaves the old file whole."""
        write_json(path, self.to_dict())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Vocabulary":
        """Read what :meth:`save` wrote.

        Raises:
            InputError: there is no such file, or it holds something else.
        """
        data = read_json(path, "give the path of a file that Vocabulary.save wrote")
        return cls.from_dict(data)


def _split(sentence: Sentence) -> Sequence[str]:
    if isinstance(sentence, str):
        return sentence.split()
    if not isinstance(sentence, Iterable) or isinstance(sentence, bytes):
        raise InputError(f"The sentence {sentence!r} is neither a string nor a list of tokens; give either.")
    tokens = list(sentence)
    try:
        hash(tuple(tokens))
    except TypeError:
        raise InputError(f"The sentence {tokens!r} holds something that is no token; give strings.") from None
    return tokens
