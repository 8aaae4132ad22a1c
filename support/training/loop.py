"""The training loop: guess, measure, trace the blame, step; and keep what was learned safe."""

import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from support.core import InputError, progress
from support.training.batches import IGNORE_INDEX, Batch, inputs_and_targets
from support.training.checkpoint import (
    load_checkpoint,
    random_state,
    restore_random_state,
    save_checkpoint,
)
from support.training.config import FREE_TO_CHANGE, TrainConfig
from support.training.history import History
from support.training.schedule import learning_rate, make_optimiser

Batches = Callable[[int], Batch]
Evaluate = Callable[[nn.Module], float]
Callback = Callable[[int, nn.Module, History], None]


class DivergedError(RuntimeError):
    """The loss or its gradient is no longer a number; the message says where, and what is saved."""


def cross_entropy_sum(
    logits: Float[Tensor, "batch position vocab"], targets: Int[Tensor, "batch position"]
) -> Float[Tensor, ""]:
    """The summed surprise of all targets, in nats; targets of −100 are not counted.

    >>> logits = torch.tensor([[[0.0, 0.0], [9.0, 0.0]]])
    >>> round(float(cross_entropy_sum(logits, torch.tensor([[1, -100]]))), 4)
    0.6931
    """
    return F.cross_entropy(
        logits.flatten(0, 1).float() if logits.dtype == torch.bfloat16 else logits.flatten(0, 1),
        targets.flatten(),
        ignore_index=IGNORE_INDEX,
        reduction="sum",
    )


@torch.no_grad()
def evaluate_loss(
    model: nn.Module, sequences: Iterable[Sequence[int]], batch_size: int = 64, pad_id: int = 0
) -> float:
    """The model's loss on whole texts: nats per predicted token, every token counted once.

    Args:
        model: ids → logits.
        sequences: texts as ids; the first token of each is given, the others are predicted.
        batch_size: texts a pass; it changes the speed, not the result.
        pad_id: any id, for filling up.

    Raises:
        InputError: there is nothing to predict.

    >>> from support.model import GPT, GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2, init_std=0.0))
    >>> round(evaluate_loss(model, [[1, 4, 2], [1, 2]]), 4) == round(math.log(9), 4)
    True
    """
    ordered = sorted((list(s) for s in sequences), key=len)  # equal lengths together: little padding
    ordered = [s for s in ordered if len(s) > 1]
    if not ordered:
        raise InputError("evaluate_loss needs at least one sequence of two tokens or more.")
    was_training, where = model.training, next(model.parameters()).device
    model.eval()
    total, count = 0.0, 0
    for start in range(0, len(ordered), batch_size):
        inputs, targets = (
            t.to(where) for t in inputs_and_targets(ordered[start : start + batch_size], pad_id)
        )
        total += float(cross_entropy_sum(model(inputs), targets))
        count += int((targets != IGNORE_INDEX).sum())
    model.train(was_training)
    return total / count


def train(
    model: nn.Module,
    batches: Batches,
    config: TrainConfig,
    evaluate: Evaluate | None = None,
    callbacks: Sequence[Callback] = (),
    resume: bool = False,
) -> History:
    """Train a model in place, on the device and in the precision in which its weights are.

    Args:
        model: ids → logits; to keep checkpoints it must be a `GPT`.
        batches: step → (inputs, targets); a function of the step, so that a resumed run sees the same.
            With ``accumulate=k``, update ``n`` takes the batches ``nk … nk + k − 1``.
        config: how.
        evaluate: the model → a loss on held-out text, e.g. ``lambda m: evaluate_loss(m, texts)``; with a
            folder, the model with the lowest one is kept as ``best.safetensors``.
        callbacks: each is called as ``callback(step, model, history)`` after the update of that step.
        resume: go on from ``last.safetensors`` in ``config.folder``, if it is there.

    Raises:
        InputError: the folder holds another run, or a resumed run is to be trained differently.
        DivergedError: the loss or its gradient is no longer a number; the weights are those before.

    >>> from support.model import GPT, GPTConfig
    >>> from support.training import SequenceBatches
    >>> model = GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2, init_std=0.02))
    >>> history = train(model, SequenceBatches([[1, 4, 5, 6, 2]], 1), TrainConfig(steps=60, lr=0.03))
    >>> history.losses[0] > 2 and history.losses[-1] < 0.1
    True
    """
    where = next(model.parameters()).device
    optimiser = make_optimiser(model, config)
    history = History()
    last = None if config.folder is None else Path(config.folder) / "last.safetensors"
    with torch.random.fork_rng(devices=[where] if where.type == "cuda" else []):
        torch.manual_seed(config.seed)
        if last is not None and last.exists():
            history = _resume(last, model, optimiser, config, resume)
        was_training = model.training
        model.train()
        optimiser.zero_grad()  # whatever the caller's own backward passes left
        for step in progress(range(len(history.steps), config.steps), "training", enabled=config.progress):
            micro = [batches(step * config.accumulate + k) for k in range(config.accumulate)]
            mean, tokens = _backward(model, micro, _precision(config, where))
            length = nn.utils.clip_grad_norm_(model.parameters(), config.clip or math.inf)
            loss, norm = torch.stack([mean, length.to(mean)]).tolist()  # the one wait for a GPU in a step
            if not math.isfinite(loss) or not math.isfinite(norm):
                raise DivergedError(_diagnosis(step, loss, norm, history, last))
            lr = learning_rate(step, config)
            for group in optimiser.param_groups:
                group["lr"] = lr
            optimiser.step()
            optimiser.zero_grad()
            history.add(loss, lr, norm, tokens)
            done = step + 1
            if evaluate is not None and (_due(done, config.eval_every) or done == config.steps):
                _evaluate(model, evaluate, history, done, config)
            if last is not None and (_due(done, config.checkpoint_every) or done == config.steps):
                _keep(last, model, optimiser, history, config)
            for callback in callbacks:
                callback(step, model, history)
        model.train(was_training)
    return history


def _backward(
    model: nn.Module, micro: list[Batch], precision: AbstractContextManager
) -> tuple[Float[Tensor, ""], int]:
    """Gradients of the mean over all tokens of all these batches; the mean, and how many tokens."""
    where = next(model.parameters()).device
    tokens = sum(int((targets != IGNORE_INDEX).sum()) for _, targets in micro)
    if tokens == 0:
        raise InputError("A batch has no target to predict (all are −100); look at what `batches` returns.")
    losses = []
    for inputs, targets in micro:
        with precision:
            logits = model(inputs.to(where))
        loss = cross_entropy_sum(logits, targets.to(where)) / tokens
        losses.append(loss.detach())
        extra = model.extra_loss() if hasattr(model, "extra_loss") else None
        (loss if extra is None else loss + extra / len(micro)).backward()
    return torch.stack(losses).sum(), tokens


def _precision(config: TrainConfig, where: torch.device) -> AbstractContextManager:
    wanted = config.precision == "bfloat16" or (
        config.precision == "auto"
        and where.type == "cuda"
        # Where the card only imitates bfloat16 (a T4), float32 is the faster one.
        and torch.cuda.is_bf16_supported(including_emulation=False)
    )
    return torch.autocast(where.type, dtype=torch.bfloat16) if wanted else nullcontext()


def _due(done: int, every: int) -> bool:
    return every > 0 and done % every == 0


def _evaluate(model: nn.Module, evaluate: Evaluate, history: History, done: int, config: TrainConfig) -> None:
    model.eval()
    history.evals[done] = float(evaluate(model))
    model.train()
    if config.folder is not None and history.best[0] == done:
        best = Path(config.folder) / "best.safetensors"
        save_checkpoint(best, model, metadata={"updates": done, "evaluation": history.evals[done]})


def _keep(
    path: Path, model: nn.Module, optimiser: torch.optim.Optimizer, history: History, config: TrainConfig
) -> None:
    state = {
        f"optimiser.{name}.{key}": value
        for name, p in model.named_parameters()
        for key, value in optimiser.state.get(p, {}).items()
        if isinstance(value, Tensor)
    }
    past = {f"history.{name}": t for name, t in history.to_tensors().items()}
    random = random_state(next(model.parameters()).device)
    save_checkpoint(path, model, state | past | random, {"train": config.to_dict()})


def _resume(
    path: Path, model: nn.Module, optimiser: torch.optim.Optimizer, config: TrainConfig, resume: bool
) -> History:
    saved = load_checkpoint(path)
    history = History.from_tensors(saved.part("history"))
    if not resume:
        raise InputError(
            f"{path.parent} already holds a run of {len(history.steps)} steps; give resume=True to go on "
            "with it, or another folder."
        )
    if saved.model.config != model.config:
        raise InputError(f"The model in {path} has another shape than the one to be trained; build that one.")
    before, now = saved.metadata["train"], config.to_dict()
    changed = [k for k in now if k not in FREE_TO_CHANGE and now[k] != before.get(k)]
    if changed:
        told = ", ".join(f"{k}={before.get(k)!r}" for k in changed)
        raise InputError(f"This run was begun with {told}; resume it with the same, or use another folder.")
    model.load_state_dict(saved.model.state_dict())
    _restore(optimiser, model, saved.part("optimiser"))
    restore_random_state(saved.part("random"), next(model.parameters()).device)
    return history


def _restore(optimiser: torch.optim.Optimizer, model: nn.Module, state: dict[str, Tensor]) -> None:
    names = {id(p): name for name, p in model.named_parameters()}
    order = [names[id(p)] for group in optimiser.param_groups for p in group["params"]]
    by_index = {
        i: {k.rpartition(".")[2]: t for k, t in state.items() if k.rpartition(".")[0] == name}
        for i, name in enumerate(order)
    }
    optimiser.load_state_dict({**optimiser.state_dict(), "state": by_index})


def _diagnosis(step: int, loss: float, norm: float, history: History, last: Path | None) -> str:
    what = f"loss became {loss}" if not math.isfinite(loss) else f"gradient's length became {norm}"
    causes = []
    if history.norms and history.norms[-1] > 10 * sorted(history.norms)[len(history.norms) // 2]:
        causes.append("the gradient had been growing: lower lr, lengthen warmup, or set clip")
    causes += ["lr is too high (try a third of it, or a longer warmup)"] if not causes else []
    causes += ["a weight or an input is already nan or inf", "float16 overflowed (use bfloat16 or float32)"]
    if last is not None and last.exists():
        kept = len(History.from_tensors(load_checkpoint(last).part("history")).steps)
        saved = f"the last good checkpoint, after {kept} steps, is {last}"
    else:
        saved = "no checkpoint was kept (give folder and checkpoint_every next time)"
    return f"The {what} at step {step}; {saved}. Likely causes: {'; '.join(causes)}."
