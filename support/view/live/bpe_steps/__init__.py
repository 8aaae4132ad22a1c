"""Byte-pair encoding learns six merges from a rhyme: count the pairs, merge the most frequent, go on."""

from collections import Counter
from itertools import pairwise
from typing import Any

from support.view.live.stepper import Matrix, Story, stepper

RHYME = "she sells sea shells by the sea shore"
MERGES = 6


def _occurs(word: list[str], pair: tuple[str, str]) -> int:
    return sum(two == pair for two in pairwise(word))


def _merged(word: list[str], pair: tuple[str, str]) -> list[str]:
    out: list[str] = []
    place = 0
    while place < len(word):
        fits = tuple(word[place : place + 2]) == pair
        out.append("".join(pair) if fits else word[place])
        place += 2 if fits else 1
    return out


def merging() -> Story:
    """The story of the merges.

    >>> merging().told("counts 1[0, 0]", 1)
    ' counts 1 (h + e) = 1 in she + 1 in shells + 1 in the = 3.'
    """
    story = Story(digits=0)
    words = [list(word) for word in RHYME.split()]
    vocabulary = sorted({letter for word in words for letter in word})
    rows = RHYME.split()
    story.step(
        "The rhyme",
        f"Eight words as single letters: {sum(map(len, words))} tokens, a vocabulary of {len(vocabulary)}.",
    )
    boxes: dict[str, Any] = {"rows": rows, "role": "token", "tokens": True}
    letters = [[" ".join(word)] for word in words]
    text: Matrix = story.given("letters", "the text in letters", letters, **boxes)
    for k in range(1, MERGES + 1):
        counts = Counter(pair for word in words for pair in pairwise(word))
        ordered = sorted(counts, key=lambda p: (-counts[p], vocabulary.index(p[0]), vocabulary.index(p[1])))
        best = ordered[0]
        tied = sum(n == counts[best] for n in counts.values())
        says = f"{best[0]} + {best[1]} occurs {counts[best]} times"
        also = (
            f"; {tied} pairs tie, and the one that comes first in the vocabulary wins."
            if tied > 1
            else ", more than any other pair."
        )
        story.step(f"Count {k}", says + also, "count each pair of neighbours")
        asked = [pair for pair in ordered if counts[pair] > 1]
        names = [f"{a} + {b}" for a, b in asked]
        count = story.matrix(f"counts {k}", f"counts {k}", (len(asked), 1), names, (), "key", 0, chip="count")
        for c, pair in enumerate(asked):
            inside = [i for i, word in enumerate(words) if _occurs(word, pair)]
            how = " + ".join(f"{_occurs(words[i], pair)} in {rows[i]}" for i in inside)
            story.put(count, c, 0, float(counts[pair]), how, [text.key(i, 0) for i in inside])
        story.line(text, "→", count)
        after = [_merged(word, best) for word in words]
        new = "".join(best)
        vocabulary.append(new)
        story.step(
            f"Merge {k}",
            f"{best[0]} and {best[1]} become one token, {new}: {sum(map(len, words))} tokens become "
            f"{sum(map(len, after))}, and the vocabulary grows to {len(vocabulary)}.",
            f"{best[0]} + {best[1]} → {new}",
        )
        title = f"after merge {k}: {best[0]} + {best[1]}"
        before, text = text, story.matrix(f"merge {k}", title, (len(rows), 1), pair=best, chip=new, **boxes)
        story.line(before, "", count, "→", text)
        for i in range(len(rows)):
            touched = after[i] != words[i]
            how = f"{' '.join(words[i])} with {best[0]} and {best[1]} merged" if touched else ""
            sources = [before.key(i, 0), count.key(0, 0)] if touched else []
            story.put(text, i, 0, " ".join(after[i]), how, sources)
        words = after
    return story


FIGURE = stepper("bpe_steps", "Letters grow together, merge by merge", merging())
