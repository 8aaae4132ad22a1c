"""Evaluate a model of the calling game: how well does it keep each rule, and what does it attend to?"""

from dataclasses import dataclass
from functools import cached_property

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from support.inside.hooks import run_with_cache
from support.model import GPT, evaluating
from support.training import inputs_and_targets
from support.worlds import CallingGame
from support.worlds.questions import CASES, Question, sample_questions

RULES = {"title": CASES[:4], "next": CASES[4:7], "verb": CASES[7:]}


@dataclass(frozen=True)
class RuleEvaluation:
    """Questions of every case, with the games that ask them as one batch.

    >>> from support import zoo
    >>> evaluation = RuleEvaluation.of(CallingGame(), each=3)
    >>> accuracy = evaluation.by_case(evaluation.right_probability(zoo.load("calling-game").model))
    >>> round(accuracy["Tarso"], 2), 0.94 < accuracy["number"] < 0.98
    (1.0, True)
    """

    world: CallingGame
    ids: Int[Tensor, "game position"]
    game: Int[Tensor, " question"]  # the row of each question …
    questions: list[Question]

    @classmethod
    def of(cls, world: CallingGame, each: int = 40, seed: int = 23) -> "RuleEvaluation":
        """``each`` questions of every case, from fresh games."""
        found = sample_questions(world, each, seed)
        games = list(dict.fromkeys(tuple(tokens) for tokens, _ in found))
        rows = {tokens: i for i, tokens in enumerate(games)}
        ids, _ = inputs_and_targets([world.vocabulary.encode(list(tokens)) for tokens in games])
        game = torch.tensor([rows[tuple(tokens)] for tokens, _ in found])
        return cls(world, ids, game, [question for _, question in found])

    @cached_property
    def position(self) -> Int[Tensor, " question"]:
        """Where each question is asked."""
        return torch.tensor([q.position for q in self.questions])

    @torch.no_grad()
    def right_probability(self, model: torch.nn.Module) -> Float[Tensor, " question"]:
        """The probability of the right answer; for who speaks next, its share among the players."""
        return self.right_probability_from(self._logits(model).softmax(dim=-1))

    @torch.no_grad()
    def right_log_odds(self, model: torch.nn.Module) -> Float[Tensor, " question"]:
        """log P − log(1 − P) of the right answer, in nats; for who speaks next, among the players.

        Computed from the logits, so it is exact where the probability rounds to one.
        """
        logits = self._logits(model).masked_fill(~self._answers, -torch.inf)
        right = self._right[:, None]
        return logits.gather(1, right)[:, 0] - logits.scatter(1, right, -torch.inf).logsumexp(dim=1)

    def right_probability_from(
        self, probabilities: Float[Tensor, "question vocab"]
    ) -> Float[Tensor, " question"]:
        """The same from probabilities that are already there."""
        right = probabilities.gather(1, self._right[:, None])[:, 0]
        return right / (probabilities * self._answers).sum(dim=1)

    def _logits(self, model: torch.nn.Module) -> Float[Tensor, "question vocab"]:
        with evaluating(model):
            return model(self.ids)[self.game, self.position].double()

    @cached_property
    def _right(self) -> Int[Tensor, " question"]:
        return torch.tensor(self.world.vocabulary.encode([q.right for q in self.questions]))

    @cached_property
    def _answers(self) -> Bool[Tensor, "question vocab"]:
        """Among which words the right one is compared: the players, or all."""
        vocabulary = self.world.vocabulary
        whole = torch.ones(len(self.questions), len(vocabulary), dtype=torch.bool)
        for row, q in zip(whole, self.questions, strict=True):
            if q.rule == "next":
                row.fill_(False)[vocabulary.encode(list(q.choices))] = True
        return whole

    def deciding_attention(self, model: GPT) -> Float[Tensor, "layer head question"]:
        """How much each head, where the question is asked, attends to the word that decides it.

        Not a number where that word is the last one itself: attending to oneself is not looking back.
        """
        decided = torch.tensor([q.decided_at for q in self.questions])
        names = [f"blocks.{i}.attention.pattern" for i in range(model.config.n_layers)]
        _, cache = run_with_cache(model, self.ids, names)
        found = [p[self.game, :, self.position, decided].T for p in cache.values()]
        return torch.stack(found).masked_fill(decided == self.position, torch.nan)

    def by_case(self, values: Float[Tensor, " question"]) -> dict[str, float]:
        """The mean of each case."""
        cases = [q.case for q in self.questions]
        return {case: values[torch.tensor([c == case for c in cases])].mean().item() for case in CASES}
