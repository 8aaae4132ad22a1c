"""Making the assistant of the zoo: every seed's three steps measured, the first one kept with its card."""

import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from support.core import atomic_write, seed_everything
from support.model import GPT
from support.text import Vocabulary
from support.training import save_checkpoint
from support.worlds.conversations import Conversations
from support.zoo.recipes import assistant as made
from support.zoo.recipes.assistant_facts import facts

ABOUT = (
    "The story model after instruction tuning, preferences and tools: it tells stories on request, answers "
    "questions about them or says that the story does not say, and asks a calculator, a clock and a list of "
    "prices. Talk to it with python -m support.assistant."
)
TEST_QUESTIONS = 200


def world() -> Conversations:
    """The world of the conversations, with the right replies."""
    return made.world()


def row(seed: int) -> tuple[dict[str, Any], GPT, Vocabulary]:
    """One seed: what it can do after each step, and the model after the last."""
    seed_everything(seed)
    start, words = made.grown(seed)
    found: dict[str, Any] = {"seed": seed}
    asked = made.questions(TEST_QUESTIONS, 991, words)
    model, tuned = start.eval(), start.eval()
    for step in made.STEPS:
        began = time.process_time()
        if step == "instructions":
            model = tuned = made.instruct(seed)[0]
        else:
            model = {"preferences": made.prefer, "tools": made.use_tools}[step](model, words, seed)
        found[step] = {"CPU seconds": round(time.process_time() - began)} | facts(model, words)
        place = made.standing(model, tuned, asked)._asdict()
        found[step] |= {name: round(value, 4) for name, value in place.items()}
        print(f"  {step}: {found[step]}", flush=True)
    return found, model, words


def build(folder: str | os.PathLike[str] | None = None, seeds: Sequence[int] = (0, 1, 2)) -> dict[str, Any]:
    """Train all seeds, keep the first, and write weights, vocabulary and card.

    Args:
        folder: where; by default its place in the package.
        seeds: one run each.

    Returns:
        the card.
    """
    rows: list[dict[str, Any]] = []
    for seed in seeds:
        print(f"{made.NAME}, seed {seed}", flush=True)
        found, model, words = row(seed)
        rows.append(found)
        if seed == seeds[0]:
            kept = model
    return write(kept, words, rows, folder)


def write(
    model: GPT, words: Vocabulary, rows: list[dict[str, Any]], folder: str | os.PathLike[str] | None = None
) -> dict[str, Any]:
    """Weights, vocabulary and card of the seed that is kept."""
    place = Path(folder or Path(__file__).parents[1] / made.NAME)
    place.mkdir(parents=True, exist_ok=True)
    shape, seed = model.config, rows[0]["seed"]
    card = {
        "name": made.NAME,
        "title": "The assistant",
        "about": ABOUT,
        "command": f"python -m support.zoo build {made.NAME}",
        "base": made.BASE,
        "model": {
            "parameters": model.n_parameters(),
            "vocabulary": shape.vocab_size,
            "n layers": shape.n_layers,
            "n heads": shape.n_heads,
            "d model": shape.d_model,
            "d ff": shape.d_ff,
            "context": shape.context,
        },
        "training": {
            "steps": made.STEPS,
            "learning rates": made.RATES,
            "conversations a step": made.BATCH,
            "beta": made.BETA,
        },
        "kept seed": seed,
        "seeds": [{"seed": found["seed"], **found["tools"]} for found in rows],
    }
    save_checkpoint(model, place / "model.safetensors", metadata={"name": made.NAME, "seed": seed})
    words.save(place / "vocabulary.json")
    with atomic_write(place / "card.json") as path:
        path.write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", encoding="utf8")
    return card
