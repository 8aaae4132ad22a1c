"""What can be known of a game from its last word and that word's place alone."""

from collections import defaultdict
from dataclasses import dataclass

from support.worlds.base import BOS, entropy
from support.worlds.game import ABSURD, CallingGame, Moment


@dataclass(frozen=True)
class LastWord:
    """The best predictor that sees (place, last word) and nothing else; probabilities are exact.

    Attributes:
        pages: (place, word) → the distribution of the word after it.
        loss: its nats per predicted token; no network without attention can be better.
        unplaced: the same if the place is not seen either (a perfect bigram model).

    >>> known = LastWord.of(CallingGame())
    >>> page = known.pages[3, "Paolo"]
    >>> round(page["Tarso"] + page["vice"], 6), page["Tarso"] > page["vice"]
    (1.0, True)
    """

    pages: dict[tuple[int, str], dict[str, float]]
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
                for token, chance in game._next(moment).items():
                    totals[place, word][token] += visits * chance
                    then = game._after(moment, token)
                    if then.stage != "over" and chance:
                        # What follows an absurd word is the same after all of them: one stands for the nine.
                        after[then, ABSURD[0] if token in ABSURD else token] += visits * chance
            here = after
        words: dict[tuple[int, str], dict[str, float]] = defaultdict(lambda: defaultdict(float))
        for (_, word), counts in totals.items():
            for token, visits in counts.items():
                words[0, word][token] += visits
        pages = {seen: _shares(counts) for seen, counts in totals.items() if sum(counts.values()) > 0}
        for (place, word), page in list(pages.items()):
            if word == ABSURD[0]:
                pages |= {(place, absurd): page for absurd in ABSURD}
        return cls(pages, _nats(totals), _nats(words))


def _shares(counts: dict[str, float]) -> dict[str, float]:
    whole = sum(counts.values())
    return {token: visits / whole for token, visits in counts.items() if visits}


def _nats(totals: dict[tuple[int, str], dict[str, float]]) -> float:
    visits = {seen: sum(counts.values()) for seen, counts in totals.items()}
    nats = sum(v * entropy(_shares(totals[seen])) for seen, v in visits.items() if v)
    return nats / sum(visits.values())
