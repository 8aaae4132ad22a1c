"""Texts from sentence patterns with a memory, and the exact probability of each of their words.

A plot is a list of sentence patterns. A pattern holds words, choices such as ``walked|ran``, and slots such
as ``{hero}`` or ``{hero.his}``: a slot is filled at its first mention and stays what it is, so that later
mentions must be remembered.

The same words can come about in several ways (two patterns begin alike, a plot shows only late). So the
probability of a text is a sum over ways. It is added up from left to right, like the forward algorithm of a
hidden Markov model: keep every state that the words so far allow, with its weight.
"""

import math
import random
from bisect import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from support.core import InputError
from support.text import Vocabulary
from support.worlds.base import BOS, EOS, SPECIALS
from support.worlds.patterns import Beat, Node, Table, Ways, read_beats, read_item

Filling = tuple[str | None, ...]  # for every slot its value, or None while it is open
States = dict[tuple[int, Filling], float]  # (place in the grammar, filling) → weight

START, END = 0, 1


@dataclass(frozen=True)
class Recall:
    """A word that the text so far forces, because it repeats or follows from something said before.

    Attributes:
        position: its index in the text.
        kind: what is recalled, e.g. ``"colour"`` or ``"pronoun"``.
        distance: how many tokens back the nearest one stands from which it can be known.
        candidates: the words that could stand there if nothing were remembered.
    """

    position: int
    kind: str
    distance: int
    candidates: tuple[str, ...]


class PatternWorld:
    """A world of texts made from plots of sentence patterns.

    Args:
        plots: name → (weight, lines). Each line is a pattern for the next sentence; a line that starts with
            ``/`` is an alternative to the line before; ``@pool`` is a sentence from a pool, and
            ``@pool 0.4`` one with probability 0.4, else none.
        slots: name → table of values. Slots that share one table never have the same value.
        pools: name → patterns, one a line, equally likely.
        kinds: what the recall of a slot's form is called, by ``"slot"`` or ``"slot.form"``; other forms of a
            slot are a ``"fact"`` about it.

    Raises:
        InputError: a pattern names a slot, form or pool that is not there.

    >>> world = PatternWorld(
    ...     {"hello": (1, "a {pet} came .\\nthe {pet} {pet.said} .")},
    ...     slots={"pet": {"cat": {"": "cat", "said": "meowed"}, "dog": {"": "dog", "said": "barked"}}},
    ... )
    >>> world.distribution("<BOS> a cat came . the".split())
    {'cat': 1.0}
    >>> round(world.log_prob("<BOS> a dog came . the dog barked . <EOS>".split()), 4)
    -0.6931
    """

    def __init__(
        self,
        plots: Mapping[str, tuple[float | int, str]],
        slots: Mapping[str, Table],
        pools: Mapping[str, str] | None = None,
        kinds: Mapping[str, str] | None = None,
    ):
        self._slots, self._pools, self._kinds = dict(slots), dict(pools or {}), dict(kinds or {})
        self._names = list(self._slots)
        self._tables = list(self._slots.values())
        # Slots that must differ: those that share a table.
        self._rivals = [
            [j for j, other in enumerate(self._tables) if j != i and other is table]
            for i, table in enumerate(self._tables)
        ]
        self._nodes = [Node(words=(BOS,)), Node(words=(EOS,))]
        total = sum(weight for weight, _ in plots.values())
        for weight, lines in plots.values():
            self._nodes[START].after += [
                (weight / total * p, node) for p, node in self._build(read_beats(lines, self._pools))
            ]
        self._steps = [
            (list(accumulate(p for p, _ in n.after)), [i for _, i in n.after]) for n in self._nodes
        ]
        self.vocabulary = Vocabulary([*SPECIALS, *sorted(self._all_words())])

    # Reading and drawing

    def sample(self, n: int, seed: int) -> list[list[str]]:
        """``n`` texts from ``<BOS>`` to ``<EOS>``, drawn independently."""
        rng = random.Random(seed)
        return [[token for token, _, _ in self._draw(rng)] for _ in range(n)]

    def sample_annotated(self, n: int, seed: int) -> list[tuple[list[str], list[Recall]]]:
        """The texts of :meth:`sample`, each with the words in it that can be known from earlier ones."""
        rng = random.Random(seed)
        return [self._annotate(self._draw(rng)) for _ in range(n)]

    def distribution(self, prefix: Sequence[str]) -> dict[str, float]:
        """The exact probability of every possible next token, likeliest first.

        Args:
            prefix: tokens from ``<BOS>`` on.

        Raises:
            InputError: the prefix does not start with ``<BOS>``, no text begins so, or it is over.
        """
        return self._options(self._states(prefix))

    def distributions(self, tokens: Sequence[str]) -> list[dict[str, float]]:
        """The distribution of every token of a text after ``<BOS>``, in one pass.

        Raises:
            InputError: as :meth:`distribution`, for any of the prefixes.
        """
        states, found = self._states(tokens[:1]), []
        for i, token in enumerate(tokens[1:], start=1):
            found.append(self._options(states))
            states = self._follow(states, token, tokens[: i + 1])
        return found

    def log_prob(self, tokens: Sequence[str]) -> float:
        """The log-probability (nats) of a whole text ``<BOS> … <EOS>``, summed over all ways to make it."""
        if len(tokens) < 2 or tokens[0] != BOS or tokens[-1] != EOS:
            return -math.inf
        states, total = self._states([BOS]), 0.0
        for token in tokens[1:]:
            states, probability = self._advance(states, token)
            if not probability:
                return -math.inf
            total += math.log(probability)
        return total

    @cached_property
    def groups(self) -> dict[str, list[str]]:
        """The words that fill each table, by the first slot that uses it."""
        first = {id(table): name for name, table in reversed(self._slots.items())}
        return {first[id(t)]: [forms[""] for forms in t.values()] for t in self._tables}

    @cached_property
    def max_length(self) -> int:
        """The most tokens that a text can have, ``<BOS>`` and ``<EOS>`` included."""
        longest = {END: 1}
        for i in range(2, len(self._nodes)):  # a node is made after all that can follow it
            longest[i] = 1 + max(longest[after] for _, after in self._nodes[i].after)
        return 1 + max(longest[after] for _, after in self._nodes[START].after)

    # The forward pass

    def _states(self, prefix: Sequence[str]) -> States:
        if not prefix or prefix[0] != BOS:
            raise InputError(f"start the prefix with {BOS}, e.g. ['{BOS}', 'once']")
        empty: Filling = (None,) * len(self._tables)
        states = {(node, empty): p for p, node in self._merged(self._nodes[START].after)}
        for i, token in enumerate(prefix[1:], start=1):
            states = self._follow(states, token, prefix[: i + 1])
        return states

    def _follow(self, states: States, token: str, prefix: Sequence[str]) -> States:
        states, probability = self._advance(states, token)
        if not probability:
            raise InputError(f"no text of this world begins {' '.join(prefix)!r}")
        return states

    def _advance(self, states: States, token: str) -> tuple[States, float]:
        """The states after a token, with weights that sum to one, and the token's probability."""
        found: States = {}
        total = 0.0
        for (place, filling), weight in states.items():
            node = self._nodes[place]
            if node.slot < 0 and token not in node.words:
                continue  # by far the most frequent case
            for word, probability, then in self._emit(node, filling):
                if word == token:
                    total += weight * probability
                    for p, after in node.after:
                        key = (after, then)
                        found[key] = found.get(key, 0.0) + weight * probability * p
        return {key: weight / total for key, weight in found.items()}, total

    def _options(self, states: States) -> dict[str, float]:
        if not states:
            raise InputError("nothing follows: the text is over")
        options: dict[str, float] = {}
        for (place, filling), weight in states.items():
            for word, probability, _ in self._emit(self._nodes[place], filling):
                options[word] = options.get(word, 0.0) + weight * probability
        return dict(sorted(options.items(), key=lambda item: (-item[1], item[0])))

    def _emit(self, node: Node, filling: Filling) -> list[tuple[str, float, Filling]]:
        """What can be said at a node: (word, probability, filling afterwards)."""
        if node.slot < 0:
            return [(word, 1 / len(node.words), filling) for word in node.words]
        table = self._tables[node.slot]
        value = filling[node.slot]
        if value is not None:
            return [(table[value][node.form], 1.0, filling)]
        free = self._free(node.slot, filling)
        before, behind = filling[: node.slot], filling[node.slot + 1 :]
        return [(table[v][node.form], 1 / len(free), (*before, v, *behind)) for v in free]

    def _free(self, slot: int, filling: Sequence[str | None]) -> list[str]:
        taken = {filling[rival] for rival in self._rivals[slot]}
        return [value for value in self._tables[slot] if value not in taken]

    # Drawing one text along one way

    def _draw(self, rng: random.Random, given: Mapping[str, str] | None = None) -> list[tuple[str, int, str]]:
        """(token, slot or −1, form) for every token; slots may be filled beforehand."""
        filling: list[str | None] = [(given or {}).get(name) for name in self._names]
        place, drawn = START, [(BOS, -1, "")]
        while place != END:
            probabilities, nodes = self._steps[place]
            place = nodes[min(bisect(probabilities, rng.random()), len(nodes) - 1)]
            node = self._nodes[place]
            if node.slot < 0:
                words = node.words
                drawn.append((words[int(rng.random() * len(words))], -1, ""))
                continue
            value = filling[node.slot]
            if value is None:
                free = self._free(node.slot, filling)
                value = filling[node.slot] = free[int(rng.random() * len(free))]
            drawn.append((self._tables[node.slot][value][node.form], node.slot, node.form))
        return drawn

    def _annotate(self, drawn: list[tuple[str, int, str]]) -> tuple[list[str], list[Recall]]:
        recalls = []
        said: dict[tuple[int, str], int] = {}
        for i, (_, slot, form) in enumerate(drawn):
            if slot < 0:
                continue
            sources = [at for (s, f), at in said.items() if s == slot and self._tells(slot, f, form)]
            if sources:
                name = self._names[slot]
                kind = self._kinds.get(f"{name}.{form}" if form else name) or ("fact" if form else name)
                candidates = tuple(dict.fromkeys(forms[form] for forms in self._tables[slot].values()))
                recalls.append(Recall(i, kind, i - max(sources), candidates))
            said[slot, form] = i
        return [token for token, _, _ in drawn], recalls

    def _tells(self, slot: int, shown: str, asked: str) -> bool:
        """Whether one form of a slot settles another: *Mina* settles *she*, but not the other way round."""
        key = (slot, shown, asked)
        if key not in self._settled:
            pairs = {(forms[shown], forms[asked]) for forms in self._tables[slot].values()}
            self._settled[key] = len(pairs) == len({first for first, _ in pairs})
        return self._settled[key]

    @cached_property
    def _settled(self) -> dict[tuple[int, str, str], bool]:
        return {}

    # Building the graph

    def _build(self, beats: list[Beat]) -> Ways:
        """Adds a plot's nodes, last sentence first, and returns the ways into it."""
        ways: Ways = [(1.0, END)]
        for beat in reversed(beats):
            into: Ways = []
            for probability, pattern in beat:
                then = ways
                for item in reversed(pattern):
                    node = read_item(item, self._slots)
                    node.after = then
                    self._nodes.append(node)
                    then = [(1.0, len(self._nodes) - 1)]
                into += [(probability * p, node) for p, node in then]
            ways = self._merged(into)
        return ways

    @staticmethod
    def _merged(ways: Ways) -> Ways:
        probabilities: dict[int, float] = {}
        for probability, node in ways:
            probabilities[node] = probabilities.get(node, 0.0) + probability
        return [(probability, node) for node, probability in probabilities.items()]

    def _all_words(self) -> set[str]:
        words: set[str] = set()
        for node in self._nodes[2:]:
            table = self._tables[node.slot] if node.slot >= 0 else {}
            words.update(node.words, (forms[node.form] for forms in table.values()))
        return words
