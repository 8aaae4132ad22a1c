"""What can be known of a game from its last word and that word's place alone, or from its last n words."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from support.worlds.base import BOS, entropy
from support.worlds.game import ABSURD, CallingGame, Moment


@dataclass(frozen=True)
class LastWord:
    """The best predictor that sees (place, last word) and nothing else; probabilities are exact.

    Attributes:
        distributions: (place, word) → the distribution of the word after it.
        loss: its nats per predicted token; no network without attention can be better.
        unplaced: the same if the place is not seen either (a perfect bigram model).

    >>> known = LastWord.of(CallingGame())
    >>> distribution = known.distributions[3, "Paolo"]
    >>> round(distribution["Tarso"] + distribution["vice"], 6), distribution["Tarso"] > distribution["vice"]
    (1.0, True)
    """

    distributions: dict[tuple[int, str], dict[str, float]]
    loss: float
    unplaced: float

    @classmethod
    def of(cls, game: CallingGame) -> "LastWord":
        """All moments of a game, weighted by how often they are visited, sorted by what is seen of them."""
        totals: dict[tuple[int, str], dict[str, float]] = defaultdict(lambda: defaultdict(float))
        here: dict[tuple[Moment, str], float] = {(Moment(), BOS): 1.0}
        for place in range(game.max_length):
            after: dict[tuple[Moment, str], float] = defaultdict(float)
            for (moment, word), visits in here.items():
                for token, probability in game._next(moment).items():
                    totals[place, word][token] += visits * probability
                    then = game._after(moment, token)
                    if then.stage != "over" and probability:
                        # What follows an absurd word is the same after all of them: one stands for the nine.
                        after[then, ABSURD[0] if token in ABSURD else token] += visits * probability
            here = after
        words: dict[tuple[int, str], dict[str, float]] = defaultdict(lambda: defaultdict(float))
        for (_, word), counts in totals.items():
            for token, visits in counts.items():
                words[0, word][token] += visits
        distributions = {seen: _shares(counts) for seen, counts in totals.items() if sum(counts.values()) > 0}
        for (place, word), distribution in list(distributions.items()):
            if word == ABSURD[0]:
                distributions |= {(place, absurd): distribution for absurd in ABSURD}
        return cls(distributions, _nats(totals), _nats(words))


def window_entropies(game: CallingGame, longest: int = 6) -> list[float]:
    """Shannon's curve: the lowest loss that any predictor can reach that sees only the last n words.

    Entry n is the entropy of the next word given the n before it (fewer where the text began later), in nats
    per predicted token, exact; n goes from 0 to ``longest``. It falls towards ``game.entropy``.

    Follows Shannon 1951, *Prediction and Entropy of Printed English*, who could only bound it.

    >>> game = CallingGame(max_turns=2)
    >>> [round(nats, 3) for nats in window_entropies(game, longest=3)], round(game.entropy, 3)
    ([2.667, 1.819, 1.386, 1.305], 1.196)
    """
    totals: dict[tuple[str, ...], dict[str, float]] = defaultdict(lambda: defaultdict(float))
    # (moment, words seen) → visits, sorted so that a moment comes after all that can lead to it. The place in
    # the text is left out: only how many turns there were matters.
    waiting: dict[tuple[bool, int, int, int], dict[tuple[Moment, tuple[str, ...]], float]] = defaultdict(dict)
    waiting[_rank(Moment())][Moment(), (BOS,)[:longest]] = 1.0
    while waiting:
        for (moment, seen), visits in waiting.pop(min(waiting)).items():
            counts = totals[seen]
            for token, probability in game._next(moment).items():
                counts[token] += visits * probability
            for token, then, probability in game._ways(moment):
                # One absurd word stands for the nine, as above.
                word = ABSURD[0] if token in ABSURD else token
                key, group = (then, (*seen, word)[-longest:] if longest else ()), waiting[_rank(then)]
                group[key] = group.get(key, 0.0) + visits * probability
    curve = [_nats(totals)]
    for n in range(longest - 1, -1, -1):
        shorter: dict[tuple[str, ...], dict[str, float]] = defaultdict(lambda: defaultdict(float))
        for seen, counts in totals.items():
            for token, visits in counts.items():
                shorter[seen[max(0, len(seen) - n) :]][token] += visits
        totals = shorter
        curve.insert(0, _nats(totals))
    return curve


_TURN, _END = ("opening", "greeting", "after", "speaker", "call"), ("slip", "loser", "lost")


def _rank(moment: Moment) -> tuple[bool, int, int, int]:
    """Sorts moments by when they come; what ends a game comes last, in whatever turn it happened."""
    ends = moment.stage in _END
    return ends, moment.turns, (_END if ends else _TURN).index(moment.stage), moment.interjections


def _shares(counts: dict[str, float]) -> dict[str, float]:
    whole = sum(counts.values())
    return {token: visits / whole for token, visits in counts.items() if visits}


def _nats(totals: Mapping[Any, dict[str, float]]) -> float:
    visits = {seen: sum(counts.values()) for seen, counts in totals.items()}
    nats = sum(v * entropy(_shares(totals[seen])) for seen, v in visits.items() if v)
    return nats / sum(visits.values())
