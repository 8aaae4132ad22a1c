"""Making a model of the zoo: train every seed, measure, compare, and write it down with its card."""

import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from support.ancestors import NGram
from support.core import InputError, atomic_write, seed_everything
from support.model import GPT
from support.text import Vocabulary
from support.training import SequenceBatches, evaluate_loss, save_checkpoint, train
from support.training.loop import Callback
from support.worlds import loss_floor
from support.zoo.recipe import Recipe

LARGEST = 2_000_000  # bytes: a clone and a wheel must stay light
ORDERS = {1: "unigram", 2: "bigram", 3: "trigram", 4: "4-gram", 5: "5-gram"}
SHAPE = ("n_layers", "n_heads", "d_model", "d_ff", "context", "activation", "init_std")


def build(
    recipe: Recipe,
    folder: str | os.PathLike[str] | None = None,
    seeds: Sequence[int] | None = None,
) -> dict[str, Any]:
    """Train all seeds of a recipe and write ``model.safetensors``, ``vocabulary.json`` and ``card.json``.

    An interrupted build goes on where it was: each run keeps a checkpoint in ``folder/.runs``.

    Args:
        recipe: what to make.
        folder: where; by default its place in the package.
        seeds: instead of the recipe's own; the first is the one whose weights are kept.

    Returns:
        the card.

    Raises:
        InputError: the model would be larger than 2 MB, or seeds were chosen without a folder.
    """
    if seeds is not None and folder is None:
        raise InputError("A build with other seeds must not replace the zoo's own; give a folder with --out.")
    seeds = list(seeds or recipe.seeds)
    folder = Path(folder or Path(__file__).parent / recipe.name)
    world = recipe.world()
    vocabulary = world.vocabulary
    held_out = recipe.held_out()
    test = [vocabulary.encode(text) for text in held_out]
    least = loss_floor(world, held_out)
    card: dict[str, Any] = {
        "name": recipe.name,
        "title": recipe.title,
        "about": recipe.about,
        "command": f"python -m support.zoo build {recipe.name}",
    }
    rows = []
    for seed in seeds:
        print(f"{recipe.name}, seed {seed}: {recipe.training.steps} steps", flush=True)
        texts = recipe.texts(seed)
        model = trained(recipe, vocabulary, texts, seed, folder / ".runs" / str(seed))
        loss = evaluate_loss(model, test)
        rows.append(
            {"seed": seed, "loss": _round(loss), "above the floor": _round(loss - least)}
            | {name: _round(value) for name, value in recipe.facts(model).items()}
        )
        print("  " + ", ".join(f"{k} {v}" for k, v in rows[-1].items()), flush=True)
        if seed == seeds[0]:
            kept = model
            card |= _description(recipe, kept, texts, held_out)
            card["loss, nats per token"] = {
                "floor (the world itself)": _round(least),
                "model": _round(loss),
                **baselines(vocabulary, texts, recipe.tuning(), test),
            }
            card |= recipe.details(kept)
    card["kept seed"] = seeds[0]
    card["seeds"] = rows
    _write(folder, kept, vocabulary, card)
    shutil.rmtree(folder / ".runs", ignore_errors=True)
    return card


def baselines(
    vocabulary: Vocabulary, texts: list[list[str]], tuning: list[list[str]], test: list[list[int]]
) -> dict[str, float]:
    """The losses of modified Kneser–Ney n-grams of orders 1 to 5, discounts tuned on held-out text.

    Args:
        vocabulary: of all the texts.
        texts: what they count.
        tuning: what their discounts are tuned on.
        test: ids, what they are judged on.
    """
    counted, tuned = ([vocabulary.encode(t) for t in some] for some in (texts, tuning))
    masked = [vocabulary.id(token) for token in ("<PAD>", "<BOS>")]
    return {
        f"Kneser–Ney {name}" if order > 1 else name: _round(
            NGram(order, masked_ids=masked).fit(counted, len(vocabulary)).tune(tuned).loss(test)
        )
        for order, name in ORDERS.items()
    }


def trained(
    recipe: Recipe,
    vocabulary: Vocabulary,
    texts: list[list[str]],
    seed: int,
    folder: str | os.PathLike[str],
    callbacks: Sequence[Callback] = (),
) -> GPT:
    """One seed of a recipe, trained; it goes on from the checkpoint in ``folder`` if there is one.

    Args:
        recipe: what to make.
        vocabulary: of its world.
        texts: the training texts of this seed.
        seed: of the weights and of the order of the texts.
        folder: where checkpoints are kept.
        callbacks: called after each step, as `support.training.train` calls them.
    """
    seed_everything(seed)
    model = GPT(recipe.config(vocabulary))
    config = replace(
        recipe.training, seed=seed, folder=str(folder), checkpoint_every=500, precision="float32"
    )
    batches = SequenceBatches([vocabulary.encode(t) for t in texts], recipe.batch_size, seed=seed)

    def report(step: int, model: torch.nn.Module, history: Any) -> None:
        if (step + 1) % 250 == 0:
            print(f"  step {step + 1}: {sum(history.losses[-100:]) / 100:.4f}", flush=True)

    train(model, batches, config, callbacks=[report, *callbacks], resume=True)
    return model.eval()


def _description(
    recipe: Recipe, model: GPT, texts: list[list[str]], held_out: list[list[str]]
) -> dict[str, Any]:
    shape, settings = model.config, recipe.training
    return {
        "model": {
            "parameters": model.n_parameters(),
            "vocabulary": shape.vocab_size,
            **{name.replace("_", " "): getattr(shape, name) for name in SHAPE},
        },
        "data": {
            "training texts": len(texts),
            "training tokens": sum(map(len, texts)),
            "held-out texts": len(held_out),
            "held-out tokens": sum(map(len, held_out)),
        },
        "training": {
            "steps": settings.steps,
            "texts a step": recipe.batch_size,
            "optimiser": settings.optimiser,
            "learning rate": settings.lr,
            "warm-up": settings.warmup,
            "last learning rate": settings.min_lr,
            "weight decay": settings.weight_decay,
            "betas": list(settings.betas),
            "clip": settings.clip,
        },
    }


def _write(folder: Path, model: GPT, vocabulary: Vocabulary, card: dict[str, Any]) -> None:
    weights = folder / "model.safetensors"
    size = sum(t.numel() * t.element_size() for t in model.state_dict().values())
    if size > LARGEST:
        raise InputError(f"{card['name']} has {size:,} bytes of weights; make it smaller than {LARGEST:,}.")
    save_checkpoint(model, weights, metadata={"name": card["name"], "seed": card["kept seed"]})
    vocabulary.save(folder / "vocabulary.json")
    with atomic_write(folder / "card.json") as path:
        path.write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", encoding="utf8")


def _round(value: float | int) -> float | int:
    return round(value, 4) if isinstance(value, float) else value
