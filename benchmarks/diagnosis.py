"""How often does `diagnose` name the right fault, on faults it was not set on? Writes records/diagnosis.json.

    python benchmarks/diagnosis.py [--only FAULT NUMBER]

The thresholds of `diagnose` were set on the calling game, with one model (ReLU, learned positions) and one
example of each fault. Here the text is that of the story world, the model is drawn by lot (RoPE, ALiBi or
learned positions; LayerNorm or RMSNorm; ReLU, GELU or SwiGLU; tied or not; one or two layers), and each
fault is drawn from several kinds and strengths. About 2 CPU-minutes for everything.
"""

import argparse
import math
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from recording import begin_record, keep_record

from support.core import seed_everything
from support.model import GPT, GPTConfig
from support.model.base import in_mode
from support.training import (
    SequenceBatches,
    TrainConfig,
    cross_entropy_sum,
    diagnose,
    evaluate_loss,
    inputs_and_targets,
)
from support.worlds import StoryWorld

WORLD = StoryWorld()
CONTEXT, BATCH, EACH = 28, 12, 4
SET_ON = {"data order": 4, "same batch": 4}  # whose first examples have served to mend the test
TEXTS = [WORLD.vocabulary.encode(text)[: CONTEXT + 1] for text in WORLD.sample(800, seed=11)]
TEXTS = [ids[: 10 + (7 * i) % (CONTEXT - 9)] for i, ids in enumerate(TEXTS)]  # of different lengths
HELD_OUT, TEXTS = TEXTS[:40], TEXTS[40:]

Setting = dict[str, Any]
Draw = Callable[[random.Random, Setting], None]


def healthy(rng: random.Random) -> Setting:
    """A model and settings drawn by lot, with nothing wrong."""
    heads, width = rng.choice((2, 4)), rng.choice((32, 48))
    shape = GPTConfig(
        vocab_size=len(WORLD.vocabulary),
        context=CONTEXT,
        d_model=width,
        n_heads=heads,
        n_layers=rng.choice((1, 2)),
        positions=rng.choice(("learned", "rope", "alibi")),
        norm=rng.choice(("layer", "rms")),
        activation=rng.choice(("relu", "gelu", "swiglu")),
        tie_weights=rng.random() < 0.5,
        dropout=rng.choice((0.0, 0.1)),
        masked_ids=(0,),
    )
    steps = rng.choice((150, 300, 600))
    config = TrainConfig(steps, lr=math.exp(rng.uniform(math.log(3e-3), math.log(8e-3))), warmup=steps // 10)
    drawn = SequenceBatches(TEXTS, BATCH, seed=rng.randrange(100))
    return {
        "shape": shape,
        "config": config,
        "batches": drawn,
        "held_out": HELD_OUT,
        "zero": 1,
        "judge": True,
    }


def shape(found: Setting, **changes: Any) -> None:
    found["shape"] = replace(found["shape"], **changes)


def rate(found: Setting, lr: float, **changes: Any) -> None:
    found["config"] = replace(found["config"], lr=lr, min_lr=lr / 10, **changes)


def with_targets(found: Setting, change: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> None:
    before = found["batches"]

    def batches(step: int) -> tuple[torch.Tensor, torch.Tensor]:
        inputs, targets = before(step)
        return inputs, change(inputs, targets)

    found["batches"] = batches


def too_high(rng: random.Random, found: Setting) -> None:
    rate(found, found["config"].lr * 10 ** rng.uniform(1, 2.5), clip=rng.choice((None, 1.0)))


def too_low(rng: random.Random, found: Setting) -> None:
    rate(found, found["config"].lr / 10 ** rng.uniform(1.5, 3.5))


def tight_clip(rng: random.Random, found: Setting) -> None:
    clip = 10 ** rng.uniform(-5, -3)
    rate(found, 0.3, optimiser="sgd", weight_decay=0.0, clip=clip)


def initialisation(rng: random.Random, found: Setting) -> None:
    kind = rng.choice(("all", "all", "embedding", "vanishing"))
    factor = 10 ** (rng.uniform(-5, -3.5) if kind == "vanishing" else rng.uniform(0.8, 1.5))

    def change(model: GPT) -> None:
        tables = [model.embedding.weight] + ([] if model.head is None else [model.head.weight])
        for p in tables if kind == "embedding" else model.parameters():
            p.data *= factor * (5 if kind == "embedding" else 1) if p.dim() > 1 else 1

    found["change"] = change


def leak(rng: random.Random, found: Setting) -> None:
    if rng.random() < 0.4:
        shape(found, causal=False)
        return
    layer = rng.randrange(found["shape"].n_layers)

    def change(model: GPT) -> None:  # one layer alone sees the future
        attention = model.blocks[layer].attention
        forward = attention.forward

        def seeing(x: Any, context: Any = None, cache: Any = None) -> Any:
            mask = None if context.mask is None else context.mask.nan_to_num(neginf=0.0)
            return forward(x, replace(context, causal=False, mask=mask), cache)

        attention.forward = seeing

    found["change"] = change


def not_shifted(rng: random.Random, found: Setting) -> None:
    with_targets(found, lambda x, y: torch.where(y == -100, y, x))


def wrong_targets(rng: random.Random, found: Setting) -> None:
    kind, share = rng.choice(("rolled", "two ahead", "some")), rng.uniform(0.2, 0.9)

    def change(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        if kind == "rolled":
            return torch.where(y == -100, y, y.roll(1, 0).clamp(min=3))
        if kind == "two ahead":
            return torch.cat([y[:, 1:], torch.full_like(y[:, :1], -100)], 1)
        words = torch.randint(3, 600, y.shape)
        return torch.where((y != -100) & (torch.rand(y.shape) < share), words, y)

    with_targets(found, change)


def padding(rng: random.Random, found: Setting) -> None:
    shape(found, masked_ids=())
    with_targets(found, lambda x, y: y.masked_fill(y == -100, 0))


def loss_mask(rng: random.Random, found: Setting) -> None:
    kind, share = rng.choice(("some", "second half", "beginning")), rng.uniform(0.05, 0.7)

    def change(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        places = torch.arange(y.shape[1]).expand_as(y)
        out = {
            "some": torch.rand(y.shape) < share,
            "second half": places >= y.shape[1] // 2,
            "beginning": (places < 5) & (places > 0),
        }[kind]
        return y.masked_fill(out, -100)

    with_targets(found, change)


def order(rng: random.Random, found: Setting) -> None:
    kind = rng.choice(("different words", "middle word", "a quarter", "half by last word"))
    keys = {
        "different words": lambda t: len(set(t)),
        "middle word": lambda t: t[len(t) // 2],
        "a quarter": len,
    }
    texts = sorted(TEXTS, key=keys.get(kind, lambda t: t[-1]))
    if kind in ("a quarter", "half by last word"):  # the rest of each batch is drawn by lot
        loose, part = rng.sample(TEXTS, len(TEXTS)), 3 if kind == "a quarter" else 6
        starts = range(0, len(texts) // part)
        texts = [
            t
            for i in starts
            for t in texts[i * part : (i + 1) * part]
            + [loose[(i * (BATCH - part) + j) % len(loose)] for j in range(BATCH - part)]
        ]
    found["batches"] = lambda step: inputs_and_targets(texts[step * BATCH % (len(texts) - BATCH) :][:BATCH])


def repeated(rng: random.Random, found: Setting) -> None:
    before, period = found["batches"], rng.choice((1, 3, 5, 8))
    found["batches"] = lambda step: before(step % period)


def duplicates(rng: random.Random, found: Setting) -> None:
    count = rng.randint(2, 40)
    copied = [list(ids) for ids in HELD_OUT[:count]]
    found["batches"] = SequenceBatches(TEXTS + copied, BATCH, seed=rng.randrange(100))


def dead_units(rng: random.Random, found: Setting) -> None:
    layer, bias = rng.randrange(found["shape"].n_layers), -rng.uniform(8, 40)

    def change(model: GPT) -> None:
        part = model.blocks[layer].feed_forward
        getattr(part, "gate", part.up).bias.data.fill_(bias)

    found["change"] = change


def saturated(rng: random.Random, found: Setting) -> None:
    factor = rng.uniform(12, 60)
    if rng.random() < 0.5:
        shape(found, attention_scale=factor / math.sqrt(found["shape"].d_head))
        return

    def change(model: GPT) -> None:
        layer = model.blocks[rng.randrange(len(model.blocks))].attention
        layer.qkv.weight.data[: layer.widths[0]] *= factor

    found["change"] = change


def frozen(rng: random.Random, found: Setting) -> None:
    kind = rng.choice(("block", "embedding", "norms"))

    def change(model: GPT) -> None:
        parts = {"block": model.blocks[0], "embedding": model.embedding, "norms": model.blocks[-1].norm_2}
        parts[kind].requires_grad_(False)

    found["change"] = change


def not_finite(rng: random.Random, found: Setting) -> None:
    kind, value = rng.choice(("row", "matrix", "epsilon")), rng.choice((math.inf, math.nan))

    def change(model: GPT) -> None:
        if kind == "row":
            model.embedding.weight.data[rng.randrange(3, 600), 0] = value
        elif kind == "matrix":
            model.blocks[-1].attention.output.weight.data[0, 0] = value
        else:  # all rows zero, and a norm without epsilon: 0 / 0
            model.embedding.weight.data.zero_()
            if model.position is not None and hasattr(model.position, "weight"):
                model.position.weight.data.zero_()

    if kind == "epsilon":
        shape(found, norm_eps=0.0)
    found["change"] = change


def training_mode(rng: random.Random, found: Setting) -> None:
    shape(found, dropout=rng.uniform(0.05, 0.3))
    found["judge"] = False


def no_zero_grad(rng: random.Random, found: Setting) -> None:
    found["zero"] = rng.choice((0, 0, 2))  # never, or every second step


def too_small(rng: random.Random, found: Setting) -> None:
    width = rng.choice((2, 4))
    shape(found, d_model=width, n_heads=1, n_kv_heads=1, d_head=width, d_ff=width, n_layers=1, dropout=0.0)


FAULTS: dict[str, Draw] = {
    "none": lambda rng, found: None,
    "non-finite": not_finite,
    "targets not shifted": not_shifted,
    "wrong targets": wrong_targets,
    "padding counted": padding,
    "loss mask": loss_mask,
    "same batch": repeated,
    "data order": order,
    "duplicates": duplicates,
    "leak": leak,
    "initialisation": initialisation,
    "dead units": dead_units,
    "saturated attention": saturated,
    "frozen": frozen,
    "evaluation mode": training_mode,
    "zero_grad": no_zero_grad,
    "learning rate too high": too_high,
    "learning rate too low": too_low,
    "clip too tight": tight_clip,
    "capacity": too_small,
}


def update(every: int) -> Callable[..., None]:
    count = 0

    def step(model: GPT, optimiser: torch.optim.Optimizer, batch: tuple[torch.Tensor, torch.Tensor]) -> None:
        nonlocal count
        if every and count % every == 0:
            optimiser.zero_grad()
        count += 1
        (cross_entropy_sum(model(batch[0]), batch[1]) / 100).backward()
        optimiser.step()

    return step


@torch.no_grad()
def judged_while_training(model: Any) -> float:
    inputs, targets = inputs_and_targets(HELD_OUT)
    with in_mode(model, training=True):
        return float(cross_entropy_sum(model(inputs), targets))


def asked(fault: str, number: int) -> list[str]:
    """All that the diagnosis finds, for one example of a fault."""
    rng = random.Random(f"{fault} {number}")
    found = healthy(rng)
    FAULTS[fault](rng, found)
    seed_everything(number)
    model = GPT(found["shape"])
    if "change" in found:
        found["change"](model)
    judge = (lambda m: evaluate_loss(m, HELD_OUT)) if found["judge"] else judged_while_training
    report = diagnose(
        model,
        found["batches"],
        found["config"],
        held_out=found["held_out"],
        evaluate=judge,
        update=update(found["zero"]),
    )
    return [finding.fault for finding in report.findings]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs=2, metavar=("FAULT", "NUMBER"))
    only = parser.parse_args().only
    if only:
        print(asked(only[0], int(only[1])))
        return
    seed_everything()
    record = begin_record("diagnosis", {fault: [] for fault in FAULTS}, under="named", each=EACH)
    for number in range(3 * EACH):
        for fault, rows in record["named"].items():
            if len(rows) > number or (number >= EACH and fault != "none"):
                continue
            rows.append(asked(fault, number + SET_ON.get(fault, 0)))
            print(fault, number, rows[-1], flush=True)
            keep_record("diagnosis", record, indent=None)


if __name__ == "__main__":
    main()
