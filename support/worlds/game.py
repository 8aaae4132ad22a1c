"""The calling game: a parlour game with 28 words, in which every next word's probability is known.

The players sit in a circle: two leaders, Pietro and Paolo, and eight who are numbers. *Pietro chiama Paolo*
(Pietro calls Paolo), and whoever was called must call somebody at once. A called leader is greeted with an
title, which depends on both: Paolo is *Tarso* to Pietro and *vice* to a number, Pietro is *Cefa* to Paolo
and *capo* to a number.

The game is that of the *workbench* notes; they do not print its rules: ours agree with all that they state.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from support.core import InputError
from support.text import Vocabulary
from support.worlds.base import BOS, EOS, SPECIALS, entropy, share
from support.worlds.game_words import (
    ABSURD,
    GREETING,
    LEADERS,
    NUMBERS,
    PLAYERS,
    TITLES,
    VERBS,
    Moment,
    Stage,
)


@dataclass(frozen=True)
class CallingGame:
    """The calling game as a state machine: its exact next-token distribution, and draws from it.

    A turn is ``speaker chiama called [title]``; then up to two absurd interjections may follow, and the
    called one speaks. Who blurts out an absurd word instead of a name, or speaks out of turn, ``perde``
    (loses), which ends the game.

    Args:
        pietro_opens: probability that Pietro opens the game; the other nine share the rest.
        leader_weight: weight with which a leader is called; a number has weight 1.
        slip: probability of an absurd word in place of a name.
        out_of_turn: probability that somebody answers who was not called.
        stop: probability that the game simply ends after a turn.
        one_interjection, two_interjections: probability of just one, and of two, after a turn.
        max_turns: after so many turns the game ends; no game has more than ``6 * max_turns + 2`` tokens.

    Raises:
        InputError: a probability outside [0, 1), or a weight or a number of turns that is not positive.

    >>> game = CallingGame()
    >>> len(game.vocabulary)
    28
    >>> game.distribution("<BOS> Pietro chiama Paolo".split())
    {'Tarso': 1.0}
    >>> " ".join(game.sample(1, seed=3)[0][:5])
    '<BOS> Pietro chiama 3 3'
    """

    pietro_opens: float = 0.5
    leader_weight: float = 0.7
    slip: float = 0.03
    out_of_turn: float = 0.04
    stop: float = 0.08
    one_interjection: float = 0.20
    two_interjections: float = 0.05
    max_turns: int = 12

    def __post_init__(self) -> None:
        for name in ("pietro_opens", "slip", "out_of_turn", "stop", "one_interjection", "two_interjections"):
            if not 0 <= getattr(self, name) < 1:
                raise InputError(f"{name}={getattr(self, name)} is no probability; choose one from 0 up to 1")
        if self.one_interjection + self.two_interjections >= 1:
            raise InputError("the probabilities of one and of two interjections must add up to less than 1")
        if self.leader_weight <= 0 or self.max_turns < 1:
            raise InputError("leader_weight must be above 0 and max_turns at least 1")

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The 28 tokens: three special ones, ten players, four titles, two verbs, nine absurd words."""
        return Vocabulary([*SPECIALS, *PLAYERS, *TITLES, *VERBS, *ABSURD])

    @cached_property
    def groups(self) -> dict[str, list[str]]:
        """The kinds of words."""
        return {
            "leaders": list(LEADERS),
            "numbers": list(NUMBERS),
            "titles": list(TITLES),
            "verbs": list(VERBS),
            "absurd": list(ABSURD),
        }

    @property
    def max_length(self) -> int:
        """The most tokens that a game can have, ``<BOS>`` and ``<EOS>`` included."""
        return 6 * self.max_turns + 2

    def sample(self, n: int, seed: int) -> list[list[str]]:
        """``n`` games from ``<BOS>`` to ``<EOS>``, drawn independently."""
        rng = random.Random(seed)
        return [self._play(rng) for _ in range(n)]

    def distribution(self, prefix: Sequence[str]) -> dict[str, float]:
        """The exact probability of every possible next token.

        Args:
            prefix: tokens from ``<BOS>`` on.

        Raises:
            InputError: the prefix does not start with ``<BOS>``, breaks off the game's rules, or is over.
        """
        return dict(self._next(self._moment(prefix)))

    def distributions(self, tokens: Sequence[str]) -> list[dict[str, float]]:
        """The distribution of every token of a text after ``<BOS>``, in one pass.

        Raises:
            InputError: as :meth:`distribution`, for any of the prefixes.
        """
        self._check_start(tokens)
        moment, found = Moment(), []
        for i, token in enumerate(tokens[1:], start=1):
            found.append(dict(self._next(moment)))
            moment = self._step(moment, token, tokens[: i + 1])
        return found

    def log_prob(self, tokens: Sequence[str]) -> float:
        """The log-probability (nats) of a whole game ``<BOS> … <EOS>``; −∞ if it cannot happen."""
        if len(tokens) < 2 or tokens[0] != BOS or tokens[-1] != EOS:
            return -math.inf
        moment, total = Moment(), 0.0
        for token in tokens[1:]:
            if not (probability := self._next(moment).get(token)):
                return -math.inf
            total += math.log(probability)
            moment = self._after(moment, token)
        return total

    def broken_at(self, tokens: Sequence[str]) -> int | None:
        """The place of the first token that no rule allows where it stands; None if there is none.

        >>> CallingGame().broken_at("<BOS> Pietro chiama Paolo vice Paolo".split())
        4
        """
        self._check_start(tokens)
        for at in range(1, len(tokens)):
            if tokens[at] not in self.distribution(tokens[:at]):
                return at
        return None

    def legal(self, prefix: Sequence[str]) -> set[str]:
        """The next tokens that keep the rules: no slip, no call to oneself, no answer out of turn.

        >>> sorted(CallingGame().legal("<BOS> Pietro chiama 4".split()) & set(PLAYERS))
        ['4']
        """
        moment = self._moment(prefix)
        options = set(self._next(moment))
        if moment.stage == "call":
            return options & set(PLAYERS)
        if moment.stage == "after":
            return {t for t in options if t not in PLAYERS or t == moment.called}
        return options

    @cached_property
    def entropy(self) -> float:
        """Nats per predicted token of the best possible predictor, exactly: all moments, weighted by visits.

        >>> round(CallingGame().entropy, 3)
        1.179
        """
        nats = sum(visits * entropy(self._next(moment)) for moment, visits in self._visits.items())
        return nats / sum(self._visits.values())

    @cached_property
    def _visits(self) -> dict[Moment, float]:
        """How often a game comes to each moment, on average."""
        total, here = dict[Moment, float](), {Moment(): 1.0}
        while here:
            after: dict[Moment, float] = {}
            for moment, visits in here.items():
                total[moment] = total.get(moment, 0.0) + visits
                for _, then, probability in self._ways(moment):
                    after[then] = after.get(then, 0.0) + visits * probability
            here = after
        return total

    def _play(self, rng: random.Random) -> list[str]:
        moment, tokens = Moment(), [BOS]
        while moment.stage != "over":
            if moment not in self._drawn:
                options = self._next(moment)
                self._drawn[moment] = [*options], [*accumulate(options.values())], {}
            names, sums, then = self._drawn[moment]
            (token,) = rng.choices(names, cum_weights=sums)
            tokens.append(token)
            if token not in then:
                then[token] = self._after(moment, token)
            moment = then[token]
        return tokens

    def _moment(self, prefix: Sequence[str]) -> Moment:
        self._check_start(prefix)
        moment = Moment()
        for i, token in enumerate(prefix[1:], start=1):
            moment = self._step(moment, token, prefix[: i + 1])
        if moment.stage == "over":
            raise InputError(f"nothing follows {' '.join(prefix)!r}: the game is over")
        return moment

    def _check_start(self, tokens: Sequence[str]) -> None:
        if not tokens or tokens[0] != BOS:
            raise InputError(f"start the prefix with {BOS}, e.g. '{BOS} Pietro chiama'.split()")

    def _step(self, moment: Moment, token: str, prefix: Sequence[str]) -> Moment:
        if moment.stage == "over" or not self._next(moment).get(token):
            raise InputError(f"no game goes {' '.join(prefix)!r}; the last token cannot stand there")
        return self._after(moment, token)

    def _next(self, m: Moment) -> dict[str, float]:
        """What can follow a moment; the same few thousand moments come again and again, so they are kept."""
        return self._seen[m] if m in self._seen else self._seen.setdefault(m, self._rules(m))

    def _ways(self, m: Moment) -> list[tuple[str, Moment, float]]:
        """What can follow and does not end the game, with the moment after it and its probability; kept."""
        if m not in self._kept:
            ways = [(token, self._after(m, token), p) for token, p in self._next(m).items() if p]
            self._kept[m] = [way for way in ways if way[1].stage != "over"]
        return self._kept[m]

    _seen = cached_property(lambda self: dict[Moment, dict[str, float]]())
    _drawn = cached_property(lambda self: dict[Moment, tuple[list[str], list[float], dict[str, Moment]]]())
    _kept = cached_property(lambda self: dict[Moment, list[tuple[str, Moment, float]]]())

    def _rules(self, m: Moment) -> dict[str, float]:
        """The rules, as probabilities."""
        if m.stage == "opening":
            return {"Pietro": self.pietro_opens, **share(1 - self.pietro_opens, PLAYERS, but=["Pietro"])}
        if m.stage == "speaker":
            return {"chiama" if m.in_turn else "perde": 1.0}
        if m.stage == "call":
            weights = {p: self.leader_weight if p in LEADERS else 1.0 for p in PLAYERS if p != m.speaker}
            total = sum(weights.values())
            names = {p: (1 - self.slip) * w / total for p, w in weights.items()}
            return names | (share(self.slip, ABSURD) if self.slip else {})
        if m.stage == "greeting":
            return {GREETING[str(m.called), m.speaker in LEADERS]: 1.0}
        if m.stage == "after":
            return self._next_after(m)
        if m.stage == "over":
            return {}
        return {{"slip": str(m.speaker), "loser": "perde", "lost": EOS}[m.stage]: 1.0}

    def _next_after(self, m: Moment) -> dict[str, float]:
        """After a turn: an interjection, the end, the called one, or somebody out of turn."""
        speaker, called = str(m.speaker), str(m.called)
        one, two = self.one_interjection, self.two_interjections
        more = (one + two, two / (one + two) if two else 0.0, 0.0)[m.interjections]
        options = share(more, ABSURD) if more else {}
        rest = 1 - more
        if m.turns >= self.max_turns:
            return options | {EOS: rest}
        if self.stop:
            options[EOS] = rest * self.stop
        rest *= 1 - self.stop
        options[called] = rest * (1 - self.out_of_turn)
        if self.out_of_turn:
            # Half of the mistakes are the speaker's own, who goes on talking.
            options[speaker] = rest * self.out_of_turn / 2
            options |= share(rest * self.out_of_turn / 2, PLAYERS, but=[speaker, called])
        return options

    def _after(self, m: Moment, token: str) -> Moment:
        """The moment after a possible token."""
        if m.stage == "opening":
            return Moment("speaker", speaker=token)
        if m.stage == "speaker":
            return m._replace(stage="call") if token == "chiama" else m._replace(stage="lost")
        if m.stage == "call":
            if token in ABSURD:
                return Moment("slip", speaker=m.speaker)
            stage: Stage = "greeting" if token in LEADERS else "after"
            return Moment(stage, m.speaker, token, turns=m.turns + 1)
        if m.stage == "greeting":
            return m._replace(stage="after")
        if m.stage == "after" and token in ABSURD:
            return m._replace(interjections=m.interjections + 1)
        if m.stage == "after" and token != EOS:
            return Moment("speaker", token, in_turn=token == m.called, turns=m.turns)
        then: dict[Stage, Stage] = {"slip": "loser", "loser": "lost", "lost": "over", "after": "over"}
        return Moment(then[m.stage])
