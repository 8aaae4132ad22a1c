"""Byte-pair encoding for reading: every step spelled out, nothing made fast.

:mod:`support.text.bpe` gives the same merges and the same ids many times faster; the tests compare the two.
The tie-break is part of the definition: of equally frequent pairs, the one whose left token has the lowest
id goes first, then the one whose right token has.
"""

from collections import Counter
from itertools import pairwise

from support.text.byte_alphabet import BYTES, Pair
from support.text.pretokenise import split


def to_bytes(piece: str) -> list[bytes]:
    """A piece of text as a list of single bytes.

    >>> to_bytes("né")
    [b'n', b'\\xc3', b'\\xa9']
    """
    return [bytes([byte]) for byte in piece.encode("utf-8")]


def count_pairs(words: list[list[bytes]]) -> Counter[Pair]:
    """How often each pair of neighbouring tokens stands in the words.

    >>> count_pairs([[b"a", b"n", b"a"], [b"a", b"n"]])[b"a", b"n"]
    2
    """
    return Counter(pair for word in words for pair in pairwise(word))


def merge(word: list[bytes], pair: Pair) -> list[bytes]:
    """The word with each occurrence of the pair, from left to right, made one token.

    >>> merge([b"a", b"a", b"a", b"b"], (b"a", b"a"))
    [b'aa', b'a', b'b']
    """
    merged, i = [], 0
    while i < len(word):
        if i + 1 < len(word) and (word[i], word[i + 1]) == pair:
            merged.append(word[i] + word[i + 1])
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return merged


def best_pair(counts: Counter[Pair], tokens: list[bytes]) -> Pair:
    """The most frequent pair; among equals the one with the lowest ids (``tokens`` is in order of ids).

    >>> best_pair(Counter({(b"b", b"c"): 2, (b"a", b"c"): 2}), [b"a", b"b", b"c"])
    (b'a', b'c')
    """
    number = {token: i for i, token in enumerate(tokens)}
    return min(counts, key=lambda pair: (-counts[pair], number[pair[0]], number[pair[1]]))


def train_naive(text: str, n_merges: int) -> list[Pair]:
    """Learn up to ``n_merges`` merges by counting all pairs of the text anew before each.

    Source: Gage (1994); Sennrich, Haddow and Birch (2016); on bytes: Radford et al. (2019).

    >>> train_naive("low lower lowest", 2)
    [(b'l', b'o'), (b'lo', b'w')]
    """
    words = [to_bytes(piece) for piece in split(text)]
    tokens, merges = list(BYTES), []
    for _ in range(n_merges):
        counts = count_pairs(words)
        if not counts:
            break
        pair = best_pair(counts, tokens)
        words = [merge(word, pair) for word in words]
        tokens.append(pair[0] + pair[1])
        merges.append(pair)
    return merges


def encode_naive(text: str, merges: list[Pair]) -> list[bytes]:
    """Cut a text into tokens: replay the merges, oldest first, on every piece.

    >>> encode_naive("slow", train_naive("low lower lowest", 2))
    [b's', b'low']
    """
    tokens = []
    for piece in split(text):
        word = to_bytes(piece)
        for pair in merges:
            word = merge(word, pair)
        tokens += word
    return tokens
