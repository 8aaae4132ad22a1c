"""Byte-level byte-pair encoding: train, encode, decode; the fast version of :mod:`support.text.naive_bpe`."""

import heapq
import operator
import os
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain, pairwise
from typing import Literal, SupportsIndex

import regex

from support.core import InputError
from support.text import tokenizers_json
from support.text.byte_alphabet import BYTES, printable
from support.text.ids import checked_ids
from support.text.pretokenise import refuse_surrogates, split

Pair = tuple[bytes, bytes]


class BPETokenizer:
    """A byte-level BPE tokenizer: any text to ids and exactly back.

    Args:
        merges: the learned pairs, oldest first; each half is one byte or made by an earlier merge.
        special_tokens: strings with an id of their own, such as ``"<EOS>"``.
        ids: the id of every token and special token, ``0 … n − 1`` in any order; by default special tokens
            come first, then the 256 bytes, then one token for each merge. With ids given, several merges
            may make one token, and a token need not be made by any (Llama 3's file is of that kind).
        pattern: how text is cut before merging, see `pieces.split`.
        normal_form: bring text into this Unicode form first (``"NFC"``, as Qwen does); it comes back so.
        whole_pieces: a piece that is a token is taken whole, even if merging would not arrive there.

    Raises:
        InputError: a merge uses a token that does not exist (yet), a token is made twice, ids do not fit, or
            a choice is not known.

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
    ):
        split("", pattern)  # raises if it is not known
        if normal_form not in (None, "NFC", "NFD", "NFKC", "NFKD"):
            raise InputError(f"normal_form={normal_form!r} is no Unicode form; give None or 'NFC'.")
        self.pattern, self.normal_form, self.whole_pieces = pattern, normal_form, whole_pieces
        self.merges = list(merges)
        special = _checked_special(special_tokens)
        made = _checked_merges(self.merges) if ids is None else _checked_parts(self.merges, ids)
        tokens: list[bytes | str] = [*special, *made]
        ids = {token: i for i, token in enumerate(tokens)} if ids is None else dict(ids)
        if set(ids) != set(tokens) or sorted(ids.values()) != list(range(len(tokens))):
            raise InputError(
                f"The ids must number the {len(tokens)} tokens from 0 to {len(tokens) - 1}, each once; "
                "give `ids` for every byte, merge and special token, or leave it out."
            )
        _refuse_collisions(special, ids)
        self.special_tokens: dict[str, int] = {token: ids[token] for token in special}
        self.vocabulary: dict[bytes, int] = {t: ids[t] for t in tokens if isinstance(t, bytes)}
        self._token = [t.encode() if isinstance(t, str) else t for t in sorted(ids, key=ids.__getitem__)]
        self._byte_id = [self.vocabulary[bytes([byte])] for byte in range(256)]
        # (left id, right id) -> (rank of the merge, id of the token that it makes)
        self._rank = {
            (self.vocabulary[a], self.vocabulary[b]): (rank, self.vocabulary[a + b])
            for rank, (a, b) in enumerate(self.merges)
        }
        self._ids_of_piece = _Memory(self._encode_piece)

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
        special = _checked_special(special_tokens)
        n_merges = operator.index(vocab_size) - len(BYTES) - len(special)
        if n_merges < 0:
            raise InputError(
                f"vocab_size={vocab_size} is too small: the 256 bytes and {len(special)} special tokens "
                f"need {len(BYTES) + len(special)}; ask for at least that many."
            )
        refuse_surrogates(text)
        parts = _splitter(special).split(text)[::2] if special else [text]
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
        for i, part in enumerate(_splitter(allowed).split(text)):
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
        """Write a ``tokenizer.json`` that the `tokenizers` library reads."""
        rules = {
            "pattern": self.pattern,
            "normal_form": self.normal_form,
            "whole_pieces": self.whole_pieces,
        }
        tokenizers_json.save(path, self.merges, self.vocabulary, self.special_tokens, **rules)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "BPETokenizer":
        """Read a ``tokenizer.json`` that :meth:`save` or the `tokenizers` library wrote (GPT-2's, say).

        Files of the manner of GPT-2, Llama 3 and Qwen 2 are read. What such a file adds around a text (Llama
        3 begins each with a special token) is left to the caller: `encode` gives the ids of the text alone.

        Raises:
            InputError: the file is no byte-level BPE tokenizer, or uses a setting that this class lacks.
        """
        merges, special, ids, rules = tokenizers_json.load(path)
        return cls(merges, special, ids, **rules)

    def _allowed(self, wanted: Collection[str] | Literal["all"]) -> list[str]:
        if isinstance(wanted, str):
            if wanted != "all":
                raise InputError(f"allowed_special={wanted!r}: give a list of special tokens, or 'all'.")
            return list(self.special_tokens)
        unknown = [token for token in wanted if token not in self.special_tokens]
        if unknown:
            known = ", ".join(self.special_tokens) or "none"
            raise InputError(f"allowed_special names {unknown}; the special tokens here are: {known}.")
        return list(wanted)

    def _encode_text(self, text: str) -> list[int]:
        ids_of_piece = self._ids_of_piece
        text = unicodedata.normalize(self.normal_form, text) if self.normal_form else text
        return [i for piece in split(text, self.pattern) for i in ids_of_piece[piece]]

    def _encode_piece(self, piece: str) -> list[int]:
        if self.whole_pieces and piece.encode() in self.vocabulary:
            return [self.vocabulary[piece.encode()]]
        ids = [self._byte_id[byte] for byte in piece.encode()]
        return _merge_short(ids, self._rank) if len(ids) <= SHORT else _merge_long(ids, self._rank)


def learn_merges(pieces: Mapping[str, int], n_merges: int) -> list[Pair]:
    """The merges that byte-pair encoding learns from pieces and their counts.

    Three ideas make it fast. A distinct piece is handled once, with its count. A piece is kept as a string
    with one character for each token, so that Python's own ``replace`` does the merging. And after a merge
    only the pieces that hold the pair are counted anew; a heap gives the next pair, and counts in it that
    have fallen since are put right when they come up.

    >>> learn_merges({"low": 2, "lot": 1}, 2)
    [(b'l', b'o'), (b'lo', b'w')]
    """
    # In these strings chr(i) is token i: comparing two pairs as strings compares their ids, left one first.
    tokens = list(BYTES)
    byte_to_character = {BYTES[i][0]: chr(i) for i in range(256)}
    words = [piece.encode().decode("latin-1").translate(byte_to_character) for piece in pieces]
    times = list(pieces.values())
    counts: dict[str, int] = defaultdict(int)
    where: dict[str, set[int]] = defaultdict(set)
    for w, word in enumerate(words):
        for pair in map(operator.add, word, word[1:]):
            counts[pair] += times[w]
            where[pair].add(w)
    heap = [(-count, pair) for pair, count in counts.items()]
    heapq.heapify(heap)

    merges: list[Pair] = []
    while heap and len(merges) < n_merges:
        count, pair = heapq.heappop(heap)
        if counts[pair] != -count:  # it has fallen since it was pushed (a pair can only gain while new)
            if counts[pair]:
                heapq.heappush(heap, (-counts[pair], pair))
            continue
        new = chr(len(tokens))
        changed = set()
        for w in where.pop(pair):
            word, n = words[w], times[w]
            if pair not in word:  # another merge has taken it from here
                continue
            for old_pair in map(operator.add, word, word[1:]):
                counts[old_pair] -= n
            words[w] = word = word.replace(pair, new)
            for new_pair in map(operator.add, word, word[1:]):
                counts[new_pair] += n
                if new in new_pair:
                    where[new_pair].add(w)
                    changed.add(new_pair)
        for new_pair in changed:
            heapq.heappush(heap, (-counts[new_pair], new_pair))
        left, right = tokens[ord(pair[0])], tokens[ord(pair[1])]
        merges.append((left, right))
        tokens.append(left + right)
    return merges


# Up to this many bytes, looking through all pairs before each merge is faster than keeping a heap.
SHORT = 48

Ranks = Mapping[tuple[int, int], tuple[int, int]]


def _merge_short(ids: list[int], rank: Ranks) -> list[int]:
    """Merge the oldest pair, leftmost first, until none is left. Quadratic, quick on words."""
    never = (len(rank), 0)
    while len(ids) > 1:
        found = [rank.get(pair, never) for pair in pairwise(ids)]
        best = min(found)
        if best is never:
            break
        i = found.index(best)
        ids[i : i + 2] = [best[1]]
    return ids


def _merge_long(ids: list[int], rank: Ranks) -> list[int]:
    """The same in n log n steps, for pieces without end: a linked list, and a heap of its pairs."""
    before, after = list(range(-1, len(ids) - 1)), [*range(1, len(ids)), -1]
    heap = [
        (*known, i, left, right)
        for i, (left, right) in enumerate(pairwise(ids))
        if (known := rank.get((left, right)))
    ]
    heapq.heapify(heap)
    while heap:
        _, new, i, left, right = heapq.heappop(heap)
        j = after[i]
        if ids[i] != left or j < 0 or ids[j] != right:  # one of the two has been merged meanwhile
            continue
        ids[i], ids[j] = new, -1
        after[i] = after[j]
        if after[j] >= 0:
            before[after[j]] = i
        for a, b in ((before[i], i), (i, after[i])):
            if a >= 0 and b >= 0 and (known := rank.get((ids[a], ids[b]))):
                heapq.heappush(heap, (*known, a, ids[a], ids[b]))
    return [i for i in ids if i >= 0]


class _Memory(dict[str, list[int]]):
    """The ids of the pieces met so far; long ones, which seldom return, are not kept."""

    LIMIT = 1 << 16

    def __init__(self, encode):
        super().__init__()
        self.encode = encode

    def __missing__(self, piece: str) -> list[int]:
        ids = self.encode(piece)
        if len(piece) <= SHORT:
            if len(self) >= self.LIMIT:
                self.clear()
            self[piece] = ids
        return ids


def _splitter(special_tokens: Collection[str]) -> regex.Pattern[str]:
    """A pattern whose ``split`` gives text, special token, text, …; the longest special token wins."""
    return regex.compile(
        "(" + "|".join(map(regex.escape, sorted(special_tokens, key=len, reverse=True))) + ")"
    )


def _checked_special(tokens: Iterable[str]) -> list[str]:
    if isinstance(tokens, str):
        raise InputError(f"special_tokens={tokens!r} is one string; give a list of strings.")
    tokens = list(tokens)
    for token in tokens:
        refuse_surrogates(token)
    if "" in tokens or len(set(tokens)) < len(tokens):
        raise InputError("The special tokens must be different and not empty; remove the one that is not.")
    return tokens


def _checked_merges(merges: list[Pair]) -> list[bytes]:
    """The tokens that the merges make, after the 256 bytes."""
    known = dict.fromkeys(BYTES)
    for rank, (left, right) in enumerate(merges):
        if left not in known or right not in known or left + right in known:
            raise InputError(
                f"Merge {rank}, {left!r} + {right!r}, does not make a new token from two that exist by then; "
                "give the merges in the order in which they were learned."
            )
        known[left + right] = None
    return list(known)


def _checked_parts(merges: list[Pair], ids: Mapping[bytes | str, int]) -> list[bytes]:
    """The tokens of a ready vocabulary: its bytes, and whatever else it holds; merges stay within it."""
    for rank, (left, right) in enumerate(merges):
        for token in (left, right, left + right):
            if token not in ids:
                raise InputError(
                    f"Merge {rank}, {left!r} + {right!r}, needs the token {token!r}, which has no id; "
                    "give an id to every token, or leave the ids out."
                )
    return list(dict.fromkeys([*BYTES, *(token for token in ids if isinstance(token, bytes))]))


def _refuse_collisions(special: list[str], ids: Mapping[bytes | str, int]) -> None:
    """In a tokenizer's file a special token and a learned one must not be written alike."""
    learned = {printable(token) for token in ids if isinstance(token, bytes)} if special else set()
    for token in special:
        if token in learned:
            raise InputError(
                f"The special token {token!r} is written like a token of ordinary text; "
                f"choose a name that text does not hold, e.g. '<|{token}|>'."
            )
