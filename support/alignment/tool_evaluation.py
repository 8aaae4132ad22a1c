"""A model with tools, judged by the exact truth: are its requests right, are its answers?"""

import datetime
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import nn

from support.alignment.harness import Harness, SpecialTokens, Trajectory
from support.alignment.tools import Calculator, Clock, LookUp, Tool
from support.core import InputError
from support.generation import generate_many
from support.text import Vocabulary
from support.worlds.shop import Problem

ToolsOf = Callable[[Problem], Mapping[str, Tool]]


def honest_tools(problem: Problem) -> dict[str, Tool]:
    """The tools as they are in a problem: its prices, its time, its page, and a calculator.

    >>> from support.worlds.shop import ShopWorld
    >>> cost = ShopWorld().problems(1, seed=0, kind="cost")[0]
    >>> tool = honest_tools(cost)["price"]
    >>> tool(cost.steps[0][0][1]) == "".join(cost.steps[0][1])
    True
    """
    said = {request: result for request, result in problem.steps}
    listed = {r[1]: "".join(result) for r, result in said.items() if r[0] == "price"}
    pages = {" ".join(r[1:]): " ".join(result) for r, result in said.items() if r[0] == "find"}
    times = [datetime.time.fromisoformat("".join(result)) for r, result in said.items() if r[0] == "clock"]
    tools: dict[str, Tool] = {"calc": Calculator(), "price": LookUp(listed), "find": LookUp(pages)}
    return tools | ({"clock": Clock(lambda: times[0])} if times else {"clock": Clock()})


def lying_tools(problem: Problem) -> dict[str, Tool]:
    """The same, but the calculator's results are too large by one.

    >>> from support.worlds.shop import ShopWorld
    >>> lying_tools(ShopWorld().problems(1, seed=0, kind="sum")[0])["calc"]("2+2")
    '5'
    """
    return {**honest_tools(problem), "calc": _OffByOne()}


class _OffByOne:
    def __call__(self, request: str) -> str:
        return Calculator()(f"({request})+1")


@dataclass(frozen=True)
class Judged:
    """What a model did with some problems.

    Attributes:
        right: the share of right answers.
        requests_right: the share of problems in which every request is the right one, in the right order.
        trajectories: everything that was written.
    """

    right: float
    requests_right: float
    trajectories: list[Trajectory]


def judge_tool_use(
    model: nn.Module,
    vocabulary: Vocabulary,
    problems: Sequence[Problem],
    tools_of: ToolsOf = honest_tools,
    truth: Callable[[Problem], str] | None = None,
) -> Judged:
    """Let a model answer problems, with the tools that belong to each.

    Args:
        model: ids → logits.
        vocabulary: its vocabulary.
        problems: what is asked.
        tools_of: the tools for a problem.
        truth: what counts as right; the problem's own answer if not given.

    Raises:
        InputError: there is no problem.

    >>> from support.model import GPT, GPTConfig
    >>> from support.worlds.shop import ShopWorld
    >>> world = ShopWorld(); words = world.vocabulary
    >>> fresh = GPT(GPTConfig(vocab_size=len(words), context=96, d_model=8, n_heads=2))
    >>> judge_tool_use(fresh, words, world.problems(2, seed=0)).right
    0.0
    """
    if not problems:
        raise InputError("There is no problem to judge; give at least one.")
    harness = Harness(model, vocabulary, {})
    trajectories = harness.run_many([" ".join(p.question) for p in problems], [tools_of(p) for p in problems])
    want = truth or (lambda problem: " ".join(problem.answer))
    pairs = list(zip(trajectories, problems, strict=True))
    right = sum(t.answer() == want(p) for t, p in pairs)
    asked = sum(_requests(t) == [list(r) for r, _ in p.steps] for t, p in pairs)
    return Judged(right / len(problems), asked / len(problems), trajectories)


def _requests(trajectory: Trajectory) -> list[list[str]]:
    return [[call.name, *call.request.split()] for call in trajectory.calls]


@dataclass(frozen=True)
class Unplugged:
    """What a model writes after ``<result>`` when no harness answers.

    Attributes:
        invents: the share of problems in which it writes a result itself, at least one digit or word.
        answers: the share in which it comes to an answer.
        right: the share in which that answer is right.
    """

    invents: float
    answers: float
    right: float


def unplugged(model: nn.Module, vocabulary: Vocabulary, problems: Sequence[Problem]) -> Unplugged:
    """Let a model go on by itself, without a harness, with every token allowed.

    Args:
        model: ids → logits.
        vocabulary: its vocabulary.
        problems: what is asked.

    Raises:
        InputError: there is no problem.

    >>> from support import zoo
    >>> from support.worlds.shop import ShopWorld
    >>> shop = zoo.load("shop")
    >>> unplugged(shop.model, shop.vocabulary, ShopWorld().problems(5, seed=0))
    Unplugged(invents=0.4, answers=0.2, right=0.2)
    """
    if not problems:
        raise InputError("There is no problem to answer; give at least one.")
    special = SpecialTokens()
    prompts = [vocabulary.encode([special.start, *p.question]) for p in problems]
    texts = generate_many(model, prompts, 60, greedy=True, stop=vocabulary.encode([special.end]))
    invents = answers = right = 0
    for problem, ids in zip(problems, texts, strict=True):
        words = [vocabulary.token(i) for i in ids]
        if special.result in words:
            after = words[words.index(special.result) + 1 :][:1]
            invents += bool(after) and after[0] not in special.all()
        trajectory = Trajectory(words)
        answers += bool(trajectory.answer())
        right += trajectory.answer() == " ".join(problem.answer)
    n = len(problems)
    return Unplugged(invents / n, answers / n, right / n)


@torch.no_grad()
def answer_distribution(
    model: nn.Module, vocabulary: Vocabulary, problem: Problem, page: str | None
) -> dict[str, float]:
    """The probabilities of the answer's first word to a ``"find"``, after a page of our choice.

    Args:
        model: ids → logits.
        vocabulary: its vocabulary.
        problem: what was asked.
        page: what the search brought, whatever it was; None for an answer without any request.

    >>> from support.model import GPT, GPTConfig
    >>> from support.worlds.shop import ShopWorld
    >>> world = ShopWorld(); words = world.vocabulary
    >>> fresh = GPT(GPTConfig(vocab_size=len(words), context=96, d_model=8, n_heads=2))
    >>> found = answer_distribution(fresh, words, world.problems(1, 0, "find")[0], page=None)
    >>> round(sum(found.values()), 4)
    1.0
    """
    special, text = SpecialTokens(), [SpecialTokens().start, *problem.question]
    if page is not None:
        read = Harness(model, vocabulary, {}).read(page)
        text += [special.call, *problem.steps[0][0], special.result, *read, special.end_result]
    ids = torch.tensor([vocabulary.encode([*text, special.answer])])
    probabilities = model(ids)[0, -1].double().softmax(-1).tolist()
    return dict(zip(vocabulary.tokens, probabilities, strict=True))


def surprisal(probability: float) -> float:
    """−ln of a probability, in nats; infinite for zero.

    >>> round(surprisal(0.5), 4)
    0.6931
    """
    return -math.log(probability) if probability > 0 else math.inf
