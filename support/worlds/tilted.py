"""Whole games reweighted by a reward: the KL-regularised optimum over every game, by dynamic programming.

A reward that adds up token by token turns the best policy into a game again: each probability is multiplied
by e^(r/β) Z(after) / Z(before), where Z is the expectation of e^(sum of rewards / β) over the rest of the
game (Doob's transform; in control, Todorov 2006).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from support.core import InputError
from support.worlds.game import CallingGame, Moment


class Play(NamedTuple):
    """What a policy over whole games gives, exactly.

    Attributes:
        reward: the expected sum of rewards.
        kl: KL(policy ‖ game) in nats.
        length: the expected number of tokens after ``<BOS>``.
    """

    reward: float
    kl: float
    length: float


@dataclass(frozen=True)
class TiltedGame:
    """The policy over whole calling games that maximises the reward less β KL(policy ‖ game).

    Args:
        game: the reference.
        reward: of each token.
        beta: the weight of the KL divergence.

    Raises:
        InputError: β is not positive.

    >>> game = CallingGame(max_turns=2)
    >>> best = TiltedGame(game, lambda token: float(token == "Tarso"), beta=1.0)
    >>> play = best.play()
    >>> abs(best.value - (play.reward - play.kl)) < 1e-12, play.reward > best.reference().reward
    (True, True)
    """

    game: CallingGame
    reward: Callable[[str], float]
    beta: float

    def __post_init__(self) -> None:
        if not self.beta > 0:
            raise InputError(f"beta={self.beta} must be positive")

    @property
    def value(self) -> float:
        """J* = β ln Z, for all games."""
        return self.beta * math.log(self._weight(Moment()))

    def distribution(self, prefix: list[str]) -> dict[str, float]:
        """The best policy's next-token distribution; as of `CallingGame.distribution`."""
        return dict(self._next(self.game._moment(prefix)))

    def play(self) -> Play:
        """What the best policy gives."""
        return self._play(self._next)

    def reference(self) -> Play:
        """What the game itself gives."""
        return self._play(self.game._next)

    def _next(self, moment: Moment) -> dict[str, float]:
        if moment not in self._seen:
            here = self._weight(moment)
            self._seen[moment] = {
                token: p * self._gain(token) * self._weight(self.game._after(moment, token)) / here
                for token, p in self.game._next(moment).items()
            }
        return self._seen[moment]

    @cached_property
    def _seen(self) -> dict[Moment, dict[str, float]]:
        return {}

    def _gain(self, token: str) -> float:
        return math.exp(self.reward(token) / self.beta)

    @cached_property
    def _weights(self) -> dict[Moment, float]:
        return {}

    def _weight(self, moment: Moment) -> float:
        """Z: the expectation of e^(sum of rewards / β) over the rest of the game."""
        if moment.stage == "over":
            return 1.0
        if moment not in self._weights:
            self._weights[moment] = sum(
                p * self._gain(token) * self._weight(self.game._after(moment, token))
                for token, p in self.game._next(moment).items()
            )
        return self._weights[moment]

    def _play(self, policy: Callable[[Moment], dict[str, float]]) -> Play:
        known: dict[Moment, Play] = {}

        def rest(moment: Moment) -> Play:
            """What is still to come from a moment on."""
            if moment.stage == "over":
                return Play(0.0, 0.0, 0.0)
            if moment not in known:
                reference, reward, kl, length = self.game._next(moment), 0.0, 0.0, 0.0
                for token, p in policy(moment).items():
                    if p > 0:
                        then = rest(self.game._after(moment, token))
                        reward += p * (self.reward(token) + then.reward)
                        kl += p * (math.log(p / reference[token]) + then.kl)
                        length += p * (1 + then.length)
                known[moment] = Play(reward, kl, length)
            return known[moment]

        return rest(Moment())
