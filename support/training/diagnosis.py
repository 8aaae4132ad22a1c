"""Why does training fail? A list of tests on a model, its batches and its settings; each names one fault."""

import math
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from support.core import InputError
from support.core.validation import checked
from support.model import GPT
from support.model.base import in_mode
from support.training.batches import IGNORE_INDEX
from support.training.config import TrainConfig
from support.training.data_checks import data_faults, tokens_of
from support.training.history import History
from support.training.loop import Batches, DivergedError, Evaluate, train
from support.training.measurements import activation_statistics, first_non_finite, future_leak
from support.training.one_batch import (
    TokenBatch,
    first_gradients,
    mean_loss,
    memorising_floor,
    overfit_one_batch,
)
from support.training.report import Finding, Report
from support.training.schedule import learning_rate, make_optimiser

Update = Callable[[nn.Module, torch.optim.Optimizer, TokenBatch], Any]

# Where a measurement becomes a finding. All were set on the calling game; benchmarks/diagnosis.py measures
# how often they are right elsewhere.
FIRST_LOSS = 0.25  # nats away from ln V
VANISHING = 5e-3  # norm of the first gradient of an attention or feed-forward layer
DEAD = 0.5  # share of a layer's hidden units
SATURATED = 0.1  # share of a layer's queries
REACH = 0.25  # how far all steps together can move the weights, in lengths of the weights
LEAP = 0.055  # length of one update, in lengths of the weights
MEMORISED = 0.5  # share of the way from the first loss to the memorising floor, in 60 steps
PROBE = 30  # steps


@checked
def diagnose(
    model: nn.Module,
    batches: Batches,
    config: TrainConfig,
    *,
    pad_id: int = 0,
    held_out: Sequence[Sequence[int]] | None = None,
    evaluate: Evaluate | None = None,
    update: Update | None = None,
) -> Report:
    """Test a model that is about to be trained, its batches and its settings; nothing is changed.

    Args:
        model: freshly initialised.
        batches: as for `train`.
        config: as for `train`; thirty steps are tried on a copy.
        pad_id: the token that fills up shorter texts.
        held_out: the texts that are to be evaluated on; long ones must not be among the batches.
        evaluate: as for `train`; it must give the same number twice.
        update: one step of a training loop of your own, ``update(model, optimiser, batch)``.

    Raises:
        InputError: the model is no `GPT`, or the batches are not of token ids.

    >>> from support.model import GPTConfig
    >>> from support.training import SequenceBatches
    >>> texts = [[1, *[3 + (i * i + k) % 9 for k in range(5 + i % 4)], 2] for i in range(64)]
    >>> model, batches = GPT(GPTConfig(12, norm_eps=1e-5)), SequenceBatches(texts, 16)
    >>> diagnose(model, batches, TrainConfig(200, warmup=20)).first
    'none'
    >>> diagnose(GPT(GPTConfig(12, causal=False)), batches, TrainConfig(200, warmup=20)).first
    'leak'
    """
    if not isinstance(model, GPT):
        raise InputError("diagnose needs a GPT; give the model itself, not what is wrapped around it.")
    report, batch = Report(), tokens_of(batches(0))
    if not any(p.requires_grad for p in model.parameters()):
        _frozen(model, report)
        return report
    for finding in data_faults(batches, pad_id, held_out, report.measured):
        report.add(*finding)
    where = first_non_finite(model, batch[0])
    if where is not None:
        report.findings.insert(
            0, Finding("non-finite", math.nan, f"{where} is not finite; nothing else was tried.")
        )
        return report
    _leak(model, batch, report)
    _start(model, batch, report)
    _activations(model, batch, report)
    _frozen(model, report)
    if evaluate is not None:
        _evaluation(model, evaluate, report)
    if update is not None:
        _accumulation(model, batch, config, update, report)
    _probe(model, batches, config, report)
    if not report.findings:  # a copy learns one batch: the slowest test, for what the others do not explain
        _one_batch(model, batch, report)
    return report


def _leak(model: GPT, batch: TokenBatch, report: Report) -> None:
    moved = report.measured["moved by a later token"] = future_leak(model, batch[0])
    if moved > 0:
        report.add(
            "leak", moved, f"exchanging the last token moves earlier logits by {moved:.2g}; mask the future."
        )


def _start(model: GPT, batch: TokenBatch, report: Report) -> None:
    size = model.config.vocab_size - len(model.config.masked_ids)
    first, uniform = mean_loss(model, batch), math.log(size)
    report.measured |= {"first loss": first, "ln V": uniform}
    if not abs(first - uniform) < FIRST_LOSS:
        report.add(
            "initialisation",
            first - uniform,
            f"the first loss is {first:.2f}, and ln {size} is {uniform:.2f}.",
        )
    norms = first_gradients(model, batch)
    inner = {k: v for k, v in norms.items() if k.endswith(("attention", "feed_forward"))}
    least = min(inner, key=lambda layer: inner[layer], default="")
    if least:
        report.measured["least first gradient"] = inner[least]
        if inner[least] < VANISHING:
            sentence = f"the gradient of {least} has a norm of {inner[least]:.1g}: the signal vanishes."
            report.add("initialisation", inner[least], sentence)


def _activations(model: GPT, batch: TokenBatch, report: Report) -> None:
    for block in activation_statistics(model, batch[0]):
        report.measured[f"dead units, block {block.layer}"] = block.dead
        report.measured[f"saturated queries, block {block.layer}"] = block.saturated
        if block.dead > DEAD:
            report.add(
                "dead units",
                block.dead,
                f"{block.dead:.0%} of block {block.layer}'s hidden units are silent.",
            )
        if block.saturated > SATURATED:
            report.add(
                "saturated attention",
                block.saturated,
                f"{block.saturated:.0%} of block {block.layer}'s queries attend to one key alone; "
                f"scores reach {block.largest_score:.0f}.",
            )


def _frozen(model: GPT, report: Report) -> None:
    frozen = [name for name, p in model.named_parameters() if not p.requires_grad]
    report.measured["frozen parameters"] = float(len(frozen))
    if frozen:
        report.add("frozen", float(len(frozen)), f"{len(frozen)} tensors get no gradient, {frozen[0]} first.")


def _evaluation(model: GPT, evaluate: Evaluate, report: Report) -> None:
    trial = deepcopy(model)
    with in_mode(trial, training=True), torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        once, again = evaluate(trial), evaluate(trial)
    report.measured["difference of two evaluations"] = abs(once - again)
    if once != again:
        report.add(
            "evaluation mode", abs(once - again), "two evaluations differ: dropout is on; call model.eval()."
        )


def _accumulation(model: GPT, batch: TokenBatch, config: TrainConfig, update: Update, report: Report) -> None:
    """The same batch twice with a learning rate of zero: the gradients must be equal."""
    trial = deepcopy(model)
    optimiser = make_optimiser(trial, replace(config, weight_decay=0.0))
    seen: list[list[Tensor]] = []

    def note(*_: Any) -> None:
        seen.append([p.grad.detach().clone() for p in trial.parameters() if p.grad is not None])

    for group in optimiser.param_groups:
        group["lr"] = torch.zeros(()) if isinstance(group["lr"], Tensor) else 0.0
    optimiser.register_step_pre_hook(note)
    with in_mode(trial, training=False):
        for _ in range(2):
            update(trial, optimiser, batch)
    once, again = (math.sqrt(sum(float(g.square().sum()) for g in step)) for step in seen[:2])
    report.measured["second gradient / first"] = again / once if once else math.nan
    if once and abs(again / once - 1) > 1e-3:
        sentence = (
            f"on the same batch the second gradient is {again / once:.2f} times the first; call zero_grad."
        )
        report.add("zero_grad", again / once, sentence)


def _probe(model: GPT, batches: Batches, config: TrainConfig, report: Report) -> None:
    """Thirty steps of the run, its schedule compressed: how far each moves the weights, and all would."""
    trial, steps = deepcopy(model), min(PROBE, config.steps)
    short = replace(
        config,
        steps=steps,
        warmup=min(config.warmup, steps // 2),
        min_lr=config.lr,
        folder=None,
        eval_every=0,
        checkpoint_every=0,
        log_every=1,
        progress=False,
    )

    def matrices(trained: nn.Module) -> list[nn.Parameter]:
        return [
            p for p in trained.parameters() if p.dim() > 1
        ]  # gains of norms begin at one and stay near it

    losses: list[float] = []
    norms: list[float] = []
    lengths: list[tuple[float, float]] = []

    def note(step: int, trained: nn.Module, history: History) -> None:
        moved, length = 0.0, 0.0
        for p, old in zip(matrices(trained), before, strict=True):
            moved += float((p.detach() - old).double().square().sum())
            length += float(old.double().square().sum())
            old.copy_(p.detach())
        losses.append(history.losses[-1])
        norms.append(history.norms[-1])
        lengths.append((math.sqrt(moved), math.sqrt(length)))

    before = [p.detach().clone() for p in matrices(trial)]
    try:
        train(trial, batches, short, callbacks=[note])
    except DivergedError:
        losses.append(math.inf)
    _judge_probe(losses, norms, lengths, config, report)


def _judge_probe(
    losses: list[float],
    norms: list[float],
    lengths: list[tuple[float, float]],
    config: TrainConfig,
    report: Report,
) -> None:
    ratios = [moved / length for moved, length in lengths[len(lengths) // 2 :] if length]  # after warm-up
    largest, usual = (max(ratios), sorted(ratios)[len(ratios) // 2]) if ratios else (math.inf, math.inf)
    share = sum(learning_rate(step, config) for step in range(config.steps)) / config.lr
    reach, rise = usual * share, max(losses) - losses[0]
    report.measured |= {"update / weight": largest, "reach of the run": reach, "highest loss − first": rise}
    if not rise < 1.0 or largest > LEAP:
        what = (
            "the loss is not finite" if not math.isfinite(rise) else f"the loss rises by {max(rise, 0):.2f}"
        )
        sentence = (
            f"one update is {largest:.2g} of the weights' length, {what} in {len(losses)} steps; lower lr."
        )
        report.add("learning rate too high", largest, sentence)
    elif reach < REACH:
        clipped = config.clip is not None and config.optimiser == "sgd" and min(norms) > 10 * config.clip
        report.add(
            "clip too tight" if clipped else "learning rate too low",
            reach,
            f"all {config.steps} steps together can move the weights by {reach:.2g} of their length.",
        )


def _one_batch(model: GPT, batch: TokenBatch, report: Report) -> None:
    few: TokenBatch = (batch[0][:8], batch[1][:8])
    if not (few[1] != IGNORE_INDEX).any():
        return
    floor, losses = memorising_floor(*few), overfit_one_batch(model, few)
    way = (losses[0] - losses[-1]) / max(1e-9, losses[0] - floor)
    report.measured |= {"one batch learned": way, "its memorising floor": floor}
    if way < MEMORISED:
        sentence = f"in 60 steps, eight texts are learned by heart to {way:.0%}: too small a model, or a bug."
        report.add("capacity", way, sentence)
