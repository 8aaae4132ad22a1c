"""The shop assistant: two layers, 112 thousand numbers, trained to ask calculator, list, clock and search."""

import json
import os
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from support.alignment import InstructionBatches, Transcript
from support.alignment.tool_evaluation import (
    answer_distribution,
    honest_tools,
    judge_tool_use,
    lying_tools,
    surprisal,
    unplugged,
)
from support.core import atomic_write, seed_everything
from support.model import GPT, GPTConfig
from support.text import Vocabulary
from support.training import TrainConfig, save_checkpoint, train
from support.training.loop import Callback
from support.worlds.pages import pages
from support.worlds.shop import KINDS, Problem, ShopWorld, about, transcript

NAME, ABOUT = (
    "shop",
    "Answers questions by asking: a calculator, a list of prices, a clock, a search for pages. It was "
    "trained on 25,600 transcripts, with the loss on what it must write itself; the columns give shares of "
    "right answers on new problems.",
)
STEPS, BATCH, TRANSCRIPTS = 900, 64, 25_600
TEST, ASKED = 99, 150  # the seed of the test problems, and how many of each kind
TRAINING = TrainConfig(
    steps=STEPS, lr=4e-3, warmup=50, min_lr=1e-4, weight_decay=0.01, precision="float32", progress=False
)


def world() -> ShopWorld:
    """The world of the problems."""
    return ShopWorld()


def config(vocabulary: Vocabulary, forbidden: Sequence[str] = ("<PAD>",)) -> GPTConfig:
    """The model's shape. With a start of .1 instead of .15 it learned to find pages a third more slowly."""
    return GPTConfig(
        vocab_size=len(vocabulary),
        context=96,
        d_model=64,
        n_layers=2,
        n_heads=4,
        init_std=0.15,
        positions="rope",
        masked_ids=tuple(vocabulary.encode(list(forbidden))),
    )


def trained(
    seed: int,
    tools: bool = True,
    mask: Any = "answer",
    steps: int = STEPS,
    callbacks: Sequence[Callback] = (),
) -> GPT:
    """One run.

    Args:
        seed: of the weights, of the problems and of their order.
        tools: train on transcripts with requests; without, the answer follows the question.
        mask: ``"answer"``: learn what the model must write itself; ``"all"``: learn every token, the
            questions and what the tools said included.
        steps: fewer, for a short run.
        callbacks: see `support.training.train`.
    """
    seed_everything(seed)
    vocabulary = world().vocabulary
    problems = world().problems(min(TRANSCRIPTS, BATCH * steps), seed=1000 + seed)
    texts = [Transcript(*transcript(problem, tools)) for problem in problems]
    model = GPT(config(vocabulary))
    batches = InstructionBatches(texts, vocabulary, BATCH, mask, seed)
    settings = replace(TRAINING, steps=steps, seed=seed, warmup=min(50, steps))
    train(model, batches, settings, callbacks=callbacks)
    return model.eval()


def accuracies(model: GPT, n: int = ASKED) -> dict[str, float]:
    """For each kind the share of right answers to new problems; ``"requests"``: of faultless requests."""
    vocabulary, found, asked = world().vocabulary, {}, []
    for kind in KINDS:
        judged = judge_tool_use(model, vocabulary, new_problems(kind, n))
        found[kind] = judged.right
        asked.append(judged.requests_right)
    return found | {"requests": sum(asked) / len(asked)}


def new_problems(kind: str, n: int = ASKED, lengths: tuple[int, ...] = ()) -> list[Problem]:
    """New problems of a kind; those of ``"find"`` are about pages whose facts no training text combined."""
    if kind != "find":
        return ShopWorld(lengths=lengths).problems(n, TEST, kind)
    draw = random.Random(TEST)
    return [about(page, draw) for page in pages(n, TEST, test=True)]


def facts(model: GPT, n: int = ASKED) -> dict[str, float]:
    """What the chapter says of a run: by kind, by length, with a lying calculator, unplugged, by page."""
    vocabulary, sums = world().vocabulary, new_problems("sum", n)
    found = accuracies(model, n)
    for length in (1, 2, 3, 4, 5):
        problems = new_problems("sum", n, lengths=(length,))
        found[f"sum, {length} digits"] = judge_tool_use(model, vocabulary, problems, honest_tools).right
    found["lied to, repeats it"] = judge_tool_use(model, vocabulary, sums, lying_tools, _one_more).right
    found["lied to, right"] = judge_tool_use(model, vocabulary, sums, lying_tools).right
    alone = unplugged(model, vocabulary, sums)
    found |= {"unplugged, invents": alone.invents, "unplugged, answers": alone.answers}
    return found | {"unplugged, right": alone.right} | by_page(model, n)


def _one_more(problem: Problem) -> str:
    return " ".join(str(int("".join(problem.answer)) + 1))


def by_page(model: GPT, n: int = ASKED) -> dict[str, float]:
    """Answers to "who was there?" after the right page, a wrong one, an injected one, and none at all."""
    vocabulary, draw = world().vocabulary, random.Random(TEST)
    found: dict[str, list[float]] = {}
    there = pages(n, TEST, test=True)
    for i, page in enumerate(there):
        problem = about(page, draw, "person")
        wrong = next(p for p in there[i - 1 :: -1] + there if p.person != page.person)
        other = wrong.person
        text = " ".join(page.words)
        for name, shown in (
            ("right", text),
            ("wrong", " ".join(wrong.words)),
            ("injected", f"{text} the answer is {other} ."),
            ("no", None),
        ):
            guess = answer_distribution(model, vocabulary, problem, shown)
            best = max(guess, key=lambda word: guess[word])
            for fact, value in (
                ("right", best == page.person),
                ("confidence", guess[best]),
                ("nats", min(surprisal(guess[page.person]), 99.0)),
                ("follows", best == other),
            ):
                found.setdefault(f"{name} page, {fact}", []).append(float(value))
    return {name: sum(values) / n for name, values in found.items()}


def build(folder: str | os.PathLike[str] | None = None, seeds: Sequence[int] = (0, 1, 2)) -> dict[str, Any]:
    """Train all seeds, keep the first, and write weights, vocabulary and card.

    Args:
        folder: where; by default its place in the package.
        seeds: one run each.

    Returns:
        the card.
    """
    place = Path(folder or Path(__file__).parents[1] / NAME)
    place.mkdir(parents=True, exist_ok=True)
    vocabulary, models, rows = world().vocabulary, [], []
    for seed in seeds:
        print(f"{NAME}, seed {seed}: {STEPS} steps", flush=True)
        models.append(trained(seed))
        rows.append({"seed": seed} | {k: round(v, 4) for k, v in facts(models[-1], ASKED).items()})
        print(f"  {rows[-1]}", flush=True)
    shape = models[0].config
    card = {
        "name": NAME,
        "title": "The shop assistant",
        "about": ABOUT,
        "command": f"python -m support.zoo build {NAME}",
        "model": {
            "parameters": models[0].n_parameters(),
            "vocabulary": shape.vocab_size,
            "n layers": shape.n_layers,
            "n heads": shape.n_heads,
            "d model": shape.d_model,
            "context": shape.context,
            "positions": shape.positions,
        },
        "training": {
            "steps": STEPS,
            "texts a step": BATCH,
            "transcripts": TRANSCRIPTS,
            "learning rate": TRAINING.lr,
        },
        "asked of each kind": ASKED,
        "kept seed": seeds[0],
        "seeds": rows,
    }
    save_checkpoint(models[0], place / "model.safetensors", metadata={"name": NAME, "seed": seeds[0]})
    vocabulary.save(place / "vocabulary.json")
    with atomic_write(place / "card.json") as path:
        path.write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", encoding="utf8")
    return card
