"""Byte-level byte-pair encoding: train, encode, decode; the fast version of :mod:`support.text.naive_bpe`."""

import os
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Literal, SupportsIndex

from support.core import InputError
from support.core.json_file import read_json, write_json
from support.core.validation import Count, as_list, check
from support.text import bpe_checks, tokenizers_json, vocabulary_files
from support.text.bpe_merging import SHORT, PieceCache, learn_merges, merge_long, merge_short, ranks
from support.text.byte_alphabet import BYTES, Pair
from support.text.ids import checked_ids
from support.text.pretokenise import refuse_surrogates, split


class BPETokenizer:
    """A byte-level BPE tokenizer: any text to ids and exactly back.

    Args:
        merges: the learned pairs, oldest first; each half is one byte or made by an earlier merge.
        special_tokens: strings with an id of their own, such as ``"<EOS>"``.
        ids: the id of every token and special token, ``0 … n − 1`` in any order; by default special tokens
            come first, then the 256 bytes, then one token for each merge. With ids given, several merges
            may make one token, and a token need not be made by any (Llama 3's file is of that kind).
        pattern: how text is cut before merging, see `pretokenise.split`.
        normal_form: bring text into this Unicode form first (``"NFC"``, as Qwen does); it comes back so. The
            tables are Python's own; those of `tokenizers` are older, so its ids may differ where a text
            holds combining marks that are new since (98 of them, seen from Python 3.11).
        whole_pieces: a piece that is a token is taken whole, even if merging would not arrive there.
        equal_ranks: merges that make one token count as one, of which the leftmost in the text goes first
            (tiktoken's rule); by default each merge has a rank of its own (that of `tokenizers`).

    Raises:
        InputError: a merge uses a token that does not exist (yet), a token is made twice, ids do not fit, or
            an argument is of a wrong kind or a choice that is not known.

    Source: Sennrich et al. (2016), https://arxiv.org/abs/1508.07909; Radford et al. (2019), GPT-2.

    >>> tokenizer = BPETokenizer.train("low lower lowest", vocab_size=258)
    >>> [tokenizer.token(i) for i in tokenizer.encode("slow")]
    [b's', b'low']
    """

    def __init__(
        self,
        merges: Iterable[Pair],
        special_tokens: Iterable[str] = (),
        ids: Mapping[bytes | str, int] | None = None,
        pattern: str = "gpt-2",
        normal_form: str | None = None,
        whole_pieces: bool = False,
        equal_ranks: bool = False,
    ):
        split("", pattern)  # raises if it is not known
        check("BPETokenizer: normal_form", normal_form, Literal["NFC", "NFD", "NFKC", "NFKD"] | None)
        check("BPETokenizer: whole_pieces", whole_pieces, bool)
        check("BPETokenizer: equal_ranks", equal_ranks, bool)
        self.pattern = pattern
        self.normal_form: Any = normal_form
        self.whole_pieces, self.equal_ranks = whole_pieces, equal_ranks
        self.merges: list[Pair] = as_list("BPETokenizer: merges", merges, tuple[bytes, bytes])
        if ids is not None:
            check("BPETokenizer: ids", ids, Mapping[bytes | str, int])
        special = bpe_checks.checked_special(special_tokens)
        made = (
            bpe_checks.checked_merges(self.merges)
            if ids is None
            else bpe_checks.checked_parts(self.merges, ids)
        )
        tokens: list[bytes | str] = [*special, *made]
        ids = {token: i for i, token in enumerate(tokens)} if ids is None else dict(ids)
        if set(ids) != set(tokens) or sorted(ids.values()) != list(range(len(tokens))):
            raise InputError(
                f"The ids must number the {len(tokens)} tokens from 0 to {len(tokens) - 1}, each once; "
                "give `ids` for every byte, merge and special token, or leave it out."
            )
        bpe_checks.refuse_collisions(special, ids)
        self.special_tokens: dict[str, int] = {token: ids[token] for token in special}
        self.vocabulary: dict[bytes, int] = {t: ids[t] for t in tokens if isinstance(t, bytes)}
        self._token = [t.encode() if isinstance(t, str) else t for t in sorted(ids, key=ids.__getitem__)]
        self._byte_id = [self.vocabulary[bytes([byte])] for byte in range(256)]
        self._rank = ranks(self.merges, self.vocabulary, equal_ranks)
        self._ids_of_piece = PieceCache(self._encode_piece)

    @property
    def vocab_size(self) -> int:
        """How many ids there are: special tokens, 256 bytes and the merges."""
        return len(self._token)

    def __len__(self) -> int:
        return self.vocab_size

    def __repr__(self) -> str:
        return f"BPETokenizer({len(self.merges)} merges, {len(self.special_tokens)} special tokens)"

    @classmethod
    def train(cls, text: str, vocab_size: int, special_tokens: Sequence[str] = ()) -> "BPETokenizer":
        """Learn merges from a text until the vocabulary is full.

        Each merge joins the pair of neighbouring tokens that is most frequent at that moment; among equally
        frequent pairs the one whose left token has the lowest id, then whose right token has. Special
        tokens in the text are cut out: nothing is learned from their letters. A text that runs out of
        pairs gives a smaller vocabulary.

        Args:
            text: what to learn from.
            vocab_size: the number of ids wanted, counting special tokens and the 256 bytes.
            special_tokens: strings that get the first ids.

        Raises:
            InputError: ``vocab_size`` leaves no room for bytes and special tokens, or the text is no text.

        >>> BPETokenizer.train("low lower lowest", vocab_size=258).merges
        [(b'l', b'o'), (b'lo', b'w')]
        """
        check("BPETokenizer.train: vocab_size", vocab_size, Count)
        special = bpe_checks.checked_special(special_tokens)
        n_merges = vocab_size - len(BYTES) - len(special)
        if n_merges < 0:
            raise InputError(
                f"vocab_size={vocab_size} is too small: the 256 bytes and {len(special)} special tokens "
                f"need {len(BYTES) + len(special)}; ask for at least that many."
            )
        refuse_surrogates(text)
        parts = bpe_checks.splitter(special).split(text)[::2] if special else [text]
        return cls(learn_merges(Counter(chain.from_iterable(map(split, parts))), n_merges), special)

    def encode(self, text: str, allowed_special: Collection[str] | Literal["all"] = ()) -> list[int]:
        """The ids of a text.

        By default the text is only text: a user who types ``<EOS>`` gets the ids of five characters, not
        the power to end the story.

        Args:
            text: any string; the empty one gives no ids.
            allowed_special: which special tokens are recognised in the text; ``"all"`` for all of them.

        Raises:
            InputError: the text holds a lone surrogate, or ``allowed_special`` names an unknown token.

        >>> tokenizer = BPETokenizer.train("low lower lowest", 259, special_tokens=["<EOS>"])
        >>> tokenizer.encode("low<EOS>", allowed_special="all"), len(tokenizer.encode("low<EOS>"))
        ([258, 0], 6)
        """
        allowed = self._allowed(allowed_special)
        refuse_surrogates(text)
        if not allowed:
            return self._encode_text(text)
        ids: list[int] = []
        for i, part in enumerate(bpe_checks.splitter(allowed).split(text)):
            if i % 2:
                ids.append(self.special_tokens[part])
            else:
                ids += self._encode_text(part)
        return ids

    def decode(self, ids: Iterable[SupportsIndex]) -> str:
        """The text of ids; bytes that are no UTF-8 (a character cut in half) become ``�``.

        Raises:
            InputError: an id is not in the vocabulary.

        >>> BPETokenizer([]).decode([71, 72])
        'hi'
        """
        return self.decode_bytes(ids).decode("utf-8", errors="replace")

    def decode_bytes(self, ids: Iterable[SupportsIndex]) -> bytes:
        """The bytes of ids, exactly.

        Raises:
            InputError: an id is not in the vocabulary.
        """
        return b"".join([self._token[i] for i in checked_ids(ids, self.vocab_size)])

    def token(self, i: SupportsIndex) -> bytes:
        """The bytes of one id (of a special token: its name).

        Raises:
            InputError: the id is not in the vocabulary.
        """
        return self._token[checked_ids([i], self.vocab_size)[0]]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a ``tokenizer.json`` that the `tokenizers` library reads; it has no ``equal_ranks``."""
        write_json(path, self.to_dict())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "BPETokenizer":
        """Read a ``tokenizer.json`` that :meth:`save` or the `tokenizers` library wrote (GPT-2's, say).

        Files like those of GPT-2, Llama 3 and Qwen 2 are read. What such a file adds around a text (Llama
        3 begins each with a special token) is left to the caller: `encode` gives the ids of the text alone.

        Raises:
            InputError: the file is no byte-level BPE tokenizer, or uses a setting that this class lacks.
        """
        content = read_json(path, "give the path of a tokenizer.json")
        return cls.from_dict(content, Path(path).name)

    def to_dict(self) -> dict[str, Any]:
        """What :meth:`save` writes, as plain data."""
        what = self.merges, self.vocabulary, self.special_tokens
        return tokenizers_json.to_content(*what, self.pattern, self.normal_form, self.whole_pieces)

    @classmethod
    def from_dict(cls, data: Any, name: str = "tokenizer.json", equal_ranks: bool = False) -> "BPETokenizer":
        """The inverse of :meth:`to_dict`.

        Args:
            data: the content of a ``tokenizer.json``.
            name: what it is called in messages.
            equal_ranks: what such a file cannot hold.

        Raises:
            InputError: see :meth:`load`.
        """
        merges, special, ids, rules = tokenizers_json.from_content(data, name)
        return cls(merges, special, ids, **rules, equal_ranks=equal_ranks)

    @classmethod
    def from_gpt2_files(
        cls, merges: str | os.PathLike[str], ids: str | os.PathLike[str] | None = None
    ) -> "BPETokenizer":
        """Read GPT-2's own files; either may be packed with gzip.

        Args:
            merges: ``vocab.bpe`` (``merges.txt`` on the hub): two halves on each line, oldest merge first.
            ids: ``encoder.json`` (``vocab.json``): the id of each token. A token there that no merge makes is
                a special one. Without the file the 256 bytes come first, then the merges, as in GPT-2.

        Raises:
            InputError: a file is missing or of another form.

        >>> import pathlib, tempfile
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "vocab.bpe"
        >>> _ = file.write_text("\\n".join(["#version: 0.2", "l o", "lo w"]))
        >>> BPETokenizer.from_gpt2_files(file).encode("low")
        [257]
        """
        return cls(*vocabulary_files.read_gpt2(merges, ids))

    @classmethod
    def from_tiktoken(
        cls,
        path: str | os.PathLike[str],
        pattern: str = "gpt-4",
        special_tokens: Mapping[str, int] | None = None,
    ) -> "BPETokenizer":
        """Read a vocabulary of tiktoken, such as ``cl100k_base.tiktoken``; it may be packed with gzip.

        Such a file lists the tokens, not the merges: any two neighbours that make a token are merged, the
        token of lowest rank first, and of two places the leftmost.

        Args:
            path: the file: on each line a token in base64 and its rank, which is its id.
            pattern: how text is cut, which the file does not say: ``"gpt-2"`` for r50k and p50k, ``"gpt-4"``
                for cl100k, ``"gpt-4o"`` for o200k.
            special_tokens: special tokens with their ids. Ids in between that nothing has become special
                tokens called ``<|unused_ID|>``, since ours leave no gap.

        Raises:
            InputError: the file is missing or of another form, or an id is taken.
        """
        merges, special, ids = vocabulary_files.read_tiktoken(path, special_tokens or {})
        return cls(merges, special, ids, pattern=pattern, whole_pieces=True, equal_ranks=True)

    def _allowed(self, wanted: Collection[str] | Literal["all"]) -> list[str]:
        if isinstance(wanted, str):
            if wanted != "all":
                raise InputError(f"allowed_special={wanted!r}: give a list of special tokens, or 'all'.")
            return [*self.special_tokens]
        wanted = as_list("allowed_special", wanted, str)
        unknown = [token for token in wanted if token not in self.special_tokens]
        if unknown:
            known = ", ".join(self.special_tokens) or "none"
            raise InputError(f"allowed_special names {unknown}; the special tokens here are: {known}.")
        return wanted

    def _encode_text(self, text: str) -> list[int]:
        ids_of_piece = self._ids_of_piece
        text = unicodedata.normalize(self.normal_form, text) if self.normal_form else text
        return [i for piece in split(text, self.pattern) for i in ids_of_piece[piece]]

    def _encode_piece(self, piece: str) -> list[int]:
        if self.whole_pieces and piece.encode() in self.vocabulary:
            return [self.vocabulary[piece.encode()]]
        ids = [self._byte_id[byte] for byte in piece.encode()]
        return merge_short(ids, self._rank) if len(ids) <= SHORT else merge_long(ids, self._rank)
