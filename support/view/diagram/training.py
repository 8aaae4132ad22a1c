"""Training: the loop with its schedule, what to do when it fails, and its learning curve."""

import math
from collections.abc import Mapping, Sequence

from support.core import InputError
from support.model import GPTConfig
from support.training import TrainConfig
from support.training.schedule import learning_rate
from support.view.diagram.canvas import WIDTH, Diagram, Number
from support.view.diagram.shapes import Drawing
from support.view.diagram.sizes import Sizes


def training_loop(
    training: TrainConfig | None = None, config: GPTConfig | None = None, batch: int | None = None
) -> Diagram:
    """The training loop of a language model, with the schedule of its learning rate.

    Args:
        training: where steps, learning rate and clipping come from; 1,000 steps, a tenth of them warm-up,
            without it.
        config: where the model's sizes come from; without it they are names.
        batch: how many texts a batch has; a name without it.
    """
    training = training or TrainConfig(steps=1000, lr=3e-3, warmup=100)
    s, d = Sizes(config, **({} if batch is None else {"B": batch})), Drawing(560)
    x, w = 96, 160
    stages = [
        ("batch of texts", "token", f"ids {s('B', 'T')}"),
        ("forward", "stream", f"logits {s('B', 'T', 'V')}"),
        ("cross-entropy", "loss", "mean over all tokens"),
        ("backward", "loss", "a gradient per parameter"),
        (
            "clip",
            "loss",
            "no clipping" if training.clip is None else f"gradient at most {training.clip:g} long",
        ),
        (
            "AdamW" if training.optimiser == "adamw" else training.optimiser.upper(),
            "ink",
            "update, weight decay",
        ),
    ]
    boxes = []
    for k, (name, role, note) in enumerate(stages):
        boxes.append(d.box(x, 30 + 62 * k, w + 24, 44, name, role, bold=True, note=note, size=13))
        if k:
            d.arrow(boxes[-2].bottom, boxes[-1].top)
    d.arrow(boxes[-1].right, (236, boxes[-1].y), (236, boxes[1].y), boxes[1].right, role="stream")
    d.text(244, 170, "new weights", "stream", size=12, anchor="start")
    d.text(244, 196, f"{training.steps:,} steps", bold=True, anchor="start")
    d.text(244, 30, "shuffled;\ntargets are the\nids, one later", "token", size=12, anchor="start")
    d.text(
        244, 240, "now and then\nvalidation loss,\na checkpoint,\na sample", "faint", size=12, anchor="start"
    )

    y, left, wide, high = 530, 62, 250, 84
    rates = [learning_rate(int(k * (training.steps - 1) / 130), training) for k in range(131)]
    top = max(rates) or 1.0
    d.line((left, y), (left + wide, y), role="line")
    d.line((left, y), (left, y - high - 8), role="line")
    d.curve([(left + wide * k / 130, y - high * r / top) for k, r in enumerate(rates)], "ink", width=2.6)
    d.text(left - 6, y - high, f"{training.lr:g}", "ink", size=12, anchor="end")
    d.text(left - 6, y - high * rates[-1] / top - 2, f"{training.min_lr:g}", "ink", size=12, anchor="end")
    d.text(332, y - high - 22, "learning rate: warm-up, then cosine", size=12, anchor="end")
    d.arrow((150, 410), (150, 362), role="ink", words="sets the step size")
    for share, label in (
        (0.0, "0"),
        (training.warmup / training.steps, f"{training.warmup}"),
        (1.0, f"{training.steps:,}"),
    ):
        if share or label == "0":
            d.text(left + wide * share, y + 14, label, "faint", size=12)
    d.size = (d.size[0], y + 28)
    return d.done(
        f"The training loop. A batch of token ids, {s('B', 'T')}, goes forward and gives logits, "
        f"{s('B', 'T', 'V')}; the cross-entropy with the next tokens is one number; backward gives each "
        f"parameter its gradient, which is clipped, and {stages[-1][0]} updates the weights, "
        f"{training.steps:,} times. The learning rate rises over {training.warmup} steps to {training.lr:g} "
        f"and falls along a cosine to {training.min_lr:g}."
    )


QUESTIONS: tuple[tuple[str, str, str], ...] = (
    ("loss NaN, or jumping?", "yes", "smaller learning rate,\nwarm-up, clipping,\nbfloat16 instead of fp16"),
    ("starts by guessing?", "no", "initialisation too large,\nor wrong targets"),
    ("learns one batch by heart?", "no", "a bug: mask, shift of the\ntargets, frozen weights"),
    ("training loss falls?", "no", "learning rate, data order,\ntoo small a model"),
    ("validation loss falls, too?", "no", "overfitting: more data,\ndropout, stop earlier"),
    ("samples good?", "no", "temperature, repetition,\nthe data itself"),
)


def failures(questions: Sequence[tuple[str, str, str]] = QUESTIONS) -> Diagram:
    """What to ask when training fails, in this order, and what to look at.

    Args:
        questions: for each the question, the answer (yes or no) that stops there, and where to look then.

    Raises:
        InputError: there is none, or more than eight.
    """
    if not 1 <= len(questions) <= 8:
        raise InputError(f"{len(questions)} questions; give one to eight")
    d, high = Drawing(60 + 80 * len(questions)), 80
    for k, (question, stop, cure) in enumerate(questions):
        y = 34 + high * k
        words = question.split()
        cut = next(i for i in range(1, len(words) + 1) if len(" ".join(words[:i])) >= len(question) / 2)
        box = d.box(
            70,
            y,
            124,
            46,
            "\n".join(filter(None, (" ".join(words[:cut]), " ".join(words[cut:])))),
            "ink",
            size=12,
        )
        fix = d.box(254, y, 160, 56, cure, "line", size=11)
        d.arrow(box.right, fix.left)
        d.text(153, y - 10, stop, "ink", size=12)
        on = "no" if stop == "yes" else "yes"
        if k < len(questions) - 1:
            d.arrow(box.bottom, (70, y + high - 23), words=on)
        else:
            d.arrow(box.bottom, (70, y + 50), words=on)
            d.text(70, y + 62, "done", "ink", bold=True)
    d.size = (d.size[0], 34 + high * (len(questions) - 1) + 76)
    listed = "; ".join(f"{q} If {s}: {' '.join(c.split())}" for q, s, c in questions)
    return d.done(f"{len(questions)} questions for a training that fails, in this order. {listed}.")


def learning_curve(
    steps: Sequence[int],
    losses: Sequence[float],
    floor: float,
    baselines: Mapping[str, float],
    width: Number = WIDTH,
) -> Diagram:
    """The held-out loss of a model while it is trained, with the losses of counting models and the floor.

    Args:
        steps: at which the model was evaluated; drawn on a logarithmic axis.
        losses: what was found, in nats per token.
        floor: the loss of the world's own probabilities on the same texts.
        baselines: a name and a loss each; drawn as dashed lines.
        width: of the drawing; by default that of a phone.

    Raises:
        InputError: as many losses as steps are needed, and at least two.

    >>> learning_curve([1, 10, 100], [3.3, 2.0, 1.2], 1.1, {"bigram": 1.8}).alt[:56]
    'The held-out loss falls from 3.30 at step 1 to 1.20 at s'
    """
    if len(steps) != len(losses) or len(steps) < 2:
        raise InputError(f"{len(steps)} steps and {len(losses)} losses; give at least two of each, paired")
    d, left, right, top, bottom = Drawing(250, width), 40, width - 108, 18, 208
    lowest, highest = 0.0, 1.05 * max([*losses, *baselines.values()])
    x_of = [left + (right - left) * math.log(s / steps[0]) / math.log(steps[-1] / steps[0]) for s in steps]

    def y_of(loss: Number) -> Number:
        return bottom - (bottom - top) * (loss - lowest) / (highest - lowest)

    d.line((left, top), (left, bottom), (right, bottom), role="line")
    for tick in range(int(highest) + 1):
        d.text(left - 6, y_of(tick), str(tick), "faint", size=12, anchor="end")
        d.line((left, y_of(tick)), (right, y_of(tick)), role="line", width=0.6)
    for tick in (10**k for k in range(9)):
        if steps[0] <= tick <= steps[-1]:
            x = left + (right - left) * math.log(tick / steps[0]) / math.log(steps[-1] / steps[0])
            d.text(x, bottom + 13, f"{tick:,}", "faint", size=12)
    d.text((left + right) / 2, bottom + 32, "training step", "faint", size=12)
    d.text(12, (top + bottom) / 2, "loss, nats per token", "faint", size=12, turn=-90)
    at = bottom + 20.0
    for name, loss in sorted([*baselines.items(), ("floor", floor)], key=lambda pair: pair[1]):
        role = "ink" if name == "floor" else "faint"
        d.line((left, y_of(loss)), (right, y_of(loss)), role=role, dashed=role == "faint", width=1.2)
        at = min(y_of(loss), at - 15)
        d.text(right + 6, at, f"{name} {loss:.2f}", role, size=11, anchor="start")
    d.curve([(x, y_of(loss)) for x, loss in zip(x_of, losses, strict=True)], "loss", width=2.4)
    beaten = [name for name, loss in baselines.items() if losses[-1] < loss]
    return d.done(
        f"The held-out loss falls from {losses[0]:.2f} at step {steps[0]} to {losses[-1]:.2f} at step "
        f"{steps[-1]:,}; the floor, which the world's own probabilities have "
        f"on the same texts, is {floor:.2f}. At the end the model is below "
        f"{len(beaten)} of {len(baselines)} counting models: {', '.join(beaten) or 'none'}.",
        wide=width > WIDTH,
    )
