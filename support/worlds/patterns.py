"""The notation of plots: sentence patterns with words, choices of words, and slots."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from support.core import InputError

# What a slot can be, and the words that go with it: {"cat": {"": "cat", "sound": "meowed"}, …}
Table = Mapping[str, Mapping[str, str]]
Beat = list[tuple[float, list[str]]]  # the patterns that a sentence is drawn from, each with its probability
Ways = list[tuple[float, int]]  # probability, and the node that comes next


@dataclass
class Node:
    """One place in a pattern: a word, a choice of words, or a slot in one of its forms; and what follows."""

    words: tuple[str, ...] = ()
    slot: int = -1
    form: str = ""
    after: Ways = field(default_factory=list)


def read_beats(lines: str, pools: Mapping[str, str]) -> list[Beat]:
    """The sentences of a plot or pool, each as its possible patterns with their probabilities."""
    beats: list[Beat] = []
    for line in filter(None, map(str.strip, lines.splitlines())):
        if line.startswith("@"):
            name, probability = [*line[1:].split(), "1"][:2]
            if name not in pools:
                raise InputError(f"there is no pool {name!r}; add it to the pools")
            pool = [pattern.split() for pattern in pools[name].strip().splitlines()]
            beat = [(float(probability) / len(pool), pattern) for pattern in pool]
            beats.append(beat + ([(1 - float(probability), [])] if float(probability) < 1 else []))
        elif line.startswith("/"):
            patterns = [pattern for _, pattern in beats.pop()] + [line[1:].split()]
            beats.append([(1 / len(patterns), pattern) for pattern in patterns])
        else:
            beats.append([(1.0, line.split())])
    return beats


def read_item(item: str, slots: Mapping[str, Table]) -> Node:
    """The place that one item of a pattern describes."""
    if not item.startswith("{"):
        return Node(words=tuple(item.split("|")))
    name, _, form = item[1:-1].partition(".")
    if name not in slots:
        raise InputError(f"{item}: there is no slot {name!r}; add it to the slots")
    if any(form not in forms for forms in slots[name].values()):
        raise InputError(f"{item}: not every value of {name!r} has the form {form!r}; add it to its table")
    return Node(slot=list(slots).index(name), form=form)
