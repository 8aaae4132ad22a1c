"""Learning merges and applying them: the algorithms behind :mod:`support.text.bpe`."""

import heapq
import operator
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise

from support.text.byte_alphabet import BYTES, Pair


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

# (left id, right id) -> (rank of the merge, id of the token that it makes)
Ranks = dict[tuple[int, int], tuple[int, int]]


def ranks(merges: Iterable[Pair], ids: Mapping[bytes, int], equal: bool = False) -> Ranks:
    """The rank of each merge, by ids; ``equal`` gives neighbouring merges that make one token the same rank.

    >>> ranks([(b"a", b"b")], {b"a": 0, b"b": 1, b"ab": 2})
    {(0, 1): (0, 2)}
    """
    found: Ranks = {}
    rank, previous = -1, None
    for left, right in merges:
        rank += not (equal and left + right == previous)
        previous = left + right
        found[ids[left], ids[right]] = (rank, ids[previous])
    return found


def merge_short(ids: list[int], rank: Ranks) -> list[int]:
    """Merge the oldest pair, leftmost first, until none is left. Quadratic, quick on words."""
    absent = (len(rank), 0)
    while len(ids) > 1:
        found = [rank.get(pair, absent) for pair in pairwise(ids)]
        best = min(found)
        if best is absent:
            break
        i = found.index(best)
        ids[i : i + 2] = [best[1]]
    return ids


def merge_long(ids: list[int], rank: Ranks) -> list[int]:
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


class PieceCache(dict[str, list[int]]):
    """The ids of pieces that came before; long ones, which seldom return, are not kept."""

    LIMIT = 1 << 16  # pieces

    def __init__(self, encode: Callable[[str], list[int]]):
        super().__init__()
        self.encode = encode

    def __missing__(self, piece: str) -> list[int]:
        ids = self.encode(piece)
        if len(piece) <= SHORT:
            if len(self) >= self.LIMIT:
                self.clear()
            self[piece] = ids
        return ids
