"""The shop assistant's texts, token by token, with honest and with lying tools: records/tool_belts.json.

    python benchmarks/tool_belts.py

One problem of each kind. For each token: who wrote it, and what probability the model gave it. Six seconds.
"""

import datetime
import functools
from collections.abc import Mapping

import torch
from recording import keep_record, made_by

from support import zoo
from support.alignment.harness import Harness, Trajectory
from support.alignment.tool_evaluation import honest_tools, lying_tools
from support.alignment.tools import Clock, LookUp, Tool
from support.core import seed_everything
from support.worlds.pages import pages
from support.worlds.shop import Problem, ShopWorld

PROBLEMS = {
    "a price times a number": ("cost", 3),
    "a sum": ("sum", 1),
    "a price": ("price", 2),
    "the time": ("clock", 1),
    "a fact from a page": ("find", 4),
    "no tool needed": ("known", 2),
}


def problem(name: str) -> Problem:
    """The recorded problem of this name."""
    kind, seed = PROBLEMS[name]
    return ShopWorld().problems(1, seed=seed, kind=kind)[0]


def _an_hour_late(time: str) -> datetime.time:
    right = datetime.time.fromisoformat(time)
    return right.replace(hour=(right.hour + 1) % 24)


def lying(asked: Problem) -> Mapping[str, Tool]:
    """Tools that are all wrong: sums and prices by one, the clock by an hour, and another page."""
    tools = dict(lying_tools(asked))
    for request, result in asked.steps:
        name, key = request[0], " ".join(request[1:])
        if name == "price":
            tools["price"] = LookUp({key: str(int("".join(result)) + 1)})
        elif name == "clock":
            tools["clock"] = Clock(functools.partial(_an_hour_late, "".join(result)))
        elif name == "find":
            other = next(page for page in pages(9, seed=2) if page != asked.page)
            tools["find"] = LookUp({key: " ".join(other.words)})
    return tools


@torch.no_grad()
def probabilities(belt: Trajectory) -> list[float]:
    """What the model gave each token, given those before it; 1 for the first."""
    shop = zoo.load("shop")
    ids = shop.vocabulary.encode(belt.tokens)
    given = shop.model(torch.tensor([ids]))[0].double().softmax(-1)
    return [1.0, *(round(given[i, j].item(), 4) for i, j in enumerate(ids[1:]))]


def belts(name: str) -> dict[str, dict]:
    """A problem's belt with honest tools and with lying ones, and the right answer."""
    shop, asked = zoo.load("shop"), problem(name)
    found = {}
    for kind, tools in (("honest", honest_tools(asked)), ("lying", lying(asked))):
        belt = Harness(shop.model, shop.vocabulary, tools).run(" ".join(asked.question))
        if not belt.answer():
            raise SystemExit(f"{name}, {kind}: no answer ({belt.stopped})")
        said = {"tokens": belt.tokens, "writers": belt.writers, "p": probabilities(belt)}
        found[kind] = said | {"answer": belt.answer()}
    return {"right": " ".join(asked.answer), **found}


if __name__ == "__main__":
    seed_everything(0)
    torch.set_num_threads(1)
    content = {**made_by("tool_belts"), "belts": {name: belts(name) for name in PROBLEMS}}
    keep_record("tool_belts", content, indent=None)
    for name, found in content["belts"].items():
        print(
            name, "|", *found["honest"]["tokens"], "|", *found["lying"]["tokens"], "| right:", found["right"]
        )
