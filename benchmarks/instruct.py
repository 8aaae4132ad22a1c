"""The story model learns to answer questions: gains and forgetting. Writes records/instruct.json.

    python benchmarks/instruct.py [--only METHOD SEED]

About 7 CPU-minutes for everything; runs that the record holds already are not made again. The adapter of one
run is kept in the zoo (`support.zoo.load_adapted`). `--only` makes one run and prints it.
"""

import argparse
import copy
import math
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from recording import begin_record, keep_record

from support import zoo
from support.alignment import (
    ChatTemplate,
    InstructionBatches,
    Message,
    Transcript,
    add_lora,
    first_words,
    grow_vocabulary,
    merge_lora,
    restrict_to_rows,
    save_adapter,
)
from support.alignment.chat import Mask
from support.core import seed_everything
from support.model import GPT
from support.text import Vocabulary
from support.training import TrainConfig, train
from support.worlds import StoryWorld, loss_floor
from support.worlds.story_questions import KINDS, PROBABILITY, StoryQuestion, StoryQuestions

ENTRY, TEMPLATE, STORIES = zoo.load("stories"), ChatTemplate(), StoryWorld()
# Never the answer to a question in training: does the model learn to look, or a list of answers?
HELD_OUT = frozenset({"mina", "theo", "purple", "yellow", "fox", "turtle", "kite", "drum", "lake", "hill"})
QUESTION_WORDS = ["who", "which", "colour", "animal", "thing", "place", "?"]
SEEDS, STEPS, BATCH, RANK, ASKED, TOLD = (0, 1, 2), 160, 10, 3, 100, 16


@dataclass(frozen=True)
class Method:
    """How the story model is tuned; a rank of 0 trains all weights, else LoRA and the rows of new tokens."""

    lr: float
    rank: int = 0
    mask: Mask = "answer"
    examples: int = 1600


EXAMPLES = {f"LoRA, answers, {n} examples": Method(1e-2, RANK, examples=n) for n in (30, 100, 300)}
METHODS = {
    "LoRA, all tokens": Method(1e-2, RANK, "all"),
    "LoRA, answers": Method(1e-2, RANK),
    "full, all tokens": Method(1e-3, mask="all"),
    "full, answers": Method(1e-3),
    **EXAMPLES,
}
RUNS = [(name, seed) for seed in SEEDS for name in METHODS]
KEPT = ("LoRA, all tokens", 0)


def transcript(asked: StoryQuestion, reply: bool = False) -> Transcript:
    """A story with its question; with ``reply`` it ends where the model is to answer."""
    said = [Message(None, asked.story)]
    if asked.kind is None:
        return TEMPLATE.render(said)
    said.append(Message("user", asked.question))
    if reply:
        return TEMPLATE.render(said, reply="assistant")
    return TEMPLATE.render([*said, Message("assistant", asked.answer)])


def grown() -> tuple[GPT, Vocabulary]:
    """The base model with rows for the template's tokens and the question words that it lacks."""
    return grow_vocabulary(
        ENTRY.model, ENTRY.vocabulary, [*TEMPLATE.special_tokens, *QUESTION_WORDS], noise=1.0
    )


def tune(method: Method, seed: int, steps: int = STEPS) -> tuple[GPT, Vocabulary]:
    """The tuned model, its adapter still on it."""
    model, words = grown()
    if method.rank:
        add_lora(model, method.rank, seed=seed)
        restrict_to_rows(model.embedding, first=len(ENTRY.vocabulary))
    world, only_asked = StoryQuestions(without=HELD_OUT), method.mask == "answer"
    texts = world.sample(method.examples, 100 + seed, asked=only_asked)
    batches = InstructionBatches([transcript(t) for t in texts], words, BATCH, method.mask, seed)
    config = TrainConfig(
        steps, lr=method.lr, warmup=10, weight_decay=0.0, seed=seed, precision="float32", progress=False
    )
    train(model, batches, config)
    return model.eval(), words


def accuracy(model: GPT, words: Vocabulary, asked: list[StoryQuestion]) -> dict[str, float]:
    """The share of right answers, in all and for each kind of question."""
    given = first_words(model, [transcript(a, reply=True) for a in asked], words)
    right = [(a.kind, a.answer == word) for a, word in zip(asked, given, strict=True)]
    kinds = {kind: [hit for k, hit in right if k == kind] for kind in KINDS}
    rows = {kind: sum(hits) / len(hits) for kind, hits in kinds.items() if hits}
    return {"all": sum(hit for _, hit in right) / len(right)} | rows


@torch.no_grad()
def forgotten(model: GPT, n_stories: int = TOLD) -> dict[str, float]:
    """What whole stories cost above their floor, split exactly into two parts.

    ``new tokens``: −log of the probability that is left for the old vocabulary; ``old words``: the loss among
    the old words alone, above the floor. The two add up to ``loss``.
    """
    told = STORIES.sample(n_stories, 77)
    size, floor = len(ENTRY.vocabulary), loss_floor(STORIES, told)
    lost = nats = count = 0.0
    for story in told:
        ids = torch.tensor([ENTRY.vocabulary.encode(story)])
        table = model(ids[:, :-1])[0].double().log_softmax(-1)
        left = table[:, :size].logsumexp(-1)
        nats -= float((table.gather(1, ids[0, 1:, None])[:, 0] - left).sum())
        lost -= float(left.sum())
        count += len(left)
    parts = {"new tokens": lost / count, "old words": nats / count - floor}
    return {"loss": sum(parts.values())} | parts


def forced(n_stories: int = 400) -> float:
    """What the perfect predictor of texts with questions loses on whole stories, in nats a token: exact.

    After each sentence at which a question could come, it keeps 1 − p for the story to go on; how many such
    sentences there are in a token is counted on many stories.
    """
    world, rng = StoryQuestions(without=HELD_OUT), random.Random(0)
    told = [world.stories._draw(rng) for _ in range(n_stories)]
    openings = sum(len(world.openings(drawn)) for drawn in told)
    return -math.log(1 - PROBABILITY) * openings / sum(len(drawn) - 1 for drawn in told)


def keep_adapter(model: GPT, words: Vocabulary) -> None:
    """The adapter and the new rows as a part of the zoo: `support.zoo.load_adapted`."""
    added = words.tokens[len(ENTRY.vocabulary) :]
    told = {"base": ENTRY.name, "tokens": added, "without": sorted(HELD_OUT)}
    folder = Path(zoo.__file__).parent / "story-answers"
    save_adapter(model, folder / "adapter.safetensors", new_rows=len(added), metadata=told)


def row(name: str, seed: int) -> dict[str, Any]:
    model, words = tune(METHODS[name], seed)
    world = StoryQuestions()
    asked = StoryQuestions(without=HELD_OUT).sample(ASKED, 9)
    unseen = world.sample(ASKED // 2, 10, only=HELD_OUT)
    if (name, seed) == KEPT:
        keep_adapter(model, words)
    model = merge_lora(copy.deepcopy(model))
    found: dict[str, Any] = {"method": name, "seed": seed}
    found["accuracy"] = {k: round(v, 3) for k, v in accuracy(model, words, asked).items()}
    found["never asked"] = round(accuracy(model, words, unseen)["all"], 3)
    return found | {"forgotten": {k: round(v, 4) for k, v in forgotten(model).items()}}


def record() -> dict[str, Any]:
    """The record as it stands; an empty one if there is none, or if it was made with other settings."""
    model, words = grown()
    settings = {"steps": STEPS, "batch": BATCH, "rank": RANK, "asked": ASKED, "told": TOLD}
    empty = begin_record("instruct", [], **settings)
    if "base" not in empty:
        asked = StoryQuestions(without=HELD_OUT).sample(ASKED, 9)
        empty["base"] = {k: round(v, 3) for k, v in accuracy(model, words, asked).items()}
        empty["base forgotten"] = {k: round(v, 4) for k, v in forgotten(model).items()}
        empty["forced"] = round(forced(), 4)
    return empty


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs=2, metavar=("METHOD", "SEED"))
    only = parser.parse_args().only
    seed_everything()
    todo = [(only[0], int(only[1]))] if only else RUNS
    for name, seed in todo:
        if not only and (name, seed) in {(r["method"], r["seed"]) for r in record()["runs"]}:
            continue
        found = row(name, seed)
        print(found, flush=True)
        if not only:
            kept = record()
            kept["runs"].append(found)
            kept["runs"].sort(key=lambda run: RUNS.index((run["method"], run["seed"])))
            keep_record("instruct", kept, indent=None)


if __name__ == "__main__":
    main()
