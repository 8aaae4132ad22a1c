"""The training loop: predict, measure the loss, differentiate it, update; and keep what was learned."""

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint as recomputed

from support.core import InputError, progress
from support.core.validation import checked
from support.model import Block
from support.model.base import in_mode
from support.training.batches import IGNORE_INDEX, Batch, take_batch
from support.training.checkpoint import Tokenizer
from support.training.config import TrainConfig
from support.training.distributed import Processes, clip_gradients, collect, distribute, join, synchronised
from support.training.evaluation import SHARED_BY, cross_entropy_sum
from support.training.history import History
from support.training.model_kinds import describe, unwrap
from support.training.precision import choose_precision, make_scaler, products_in
from support.training.run_folder import run_folder
from support.training.run_state import RunState, resumable, why_diverged
from support.training.schedule import make_optimiser, set_learning_rate

Batches = Callable[[int], Batch]
Evaluate = Callable[[nn.Module], float]
Callback = Callable[[int, nn.Module, History], None]
Share = tuple[Any, Tensor]  # this process's rows of a batch
Prepared = tuple[list[Share], int]  # of all batches of a step; the tokens of the whole batches

MOST_SKIPPED = 20  # steps in a row; by then float16's scale has fallen by 2²⁰, and no scale will do


class DivergedError(RuntimeError):
    """The loss or its gradient is no longer a number; the message says where, and what is saved."""


@checked
def train(
    model: nn.Module,
    batches: Batches,
    config: TrainConfig,
    evaluate: Evaluate | None = None,
    callbacks: Sequence[Callback] = (),
    resume: bool = False,
    tokenizer: Tokenizer | None = None,
) -> History:
    """Train a model in place, on the device on which its weights are; under ``torchrun`` by all processes.

    Args:
        model: ids → logits; with a folder, it must be of a kind that `save_checkpoint` can save.
        batches: step → (inputs, targets); a function of the step, so that a resumed run sees the same. On a
            GPU it is called in a thread, one step ahead. With ``accumulate=k``, update ``n`` takes the
            batches ``nk … nk + k − 1``. With several processes, each takes its share of every batch.
        config: how.
        evaluate: the model → a loss on held-out text, e.g. ``lambda m: evaluate_loss(m, texts)``; with a
            folder, the model with the lowest one is kept as ``best.safetensors``. Every process calls it;
            `evaluate_loss` and `evaluate_stream` share the work between them.
        callbacks: each is called as ``callback(step, model, history)`` after the update of that step, if it
            is one of every ``log_every``.
        resume: go on from ``last.safetensors`` in ``config.folder``, if it is there.
        tokenizer: kept in the checkpoints.

    Raises:
        InputError: the folder cannot be used, holds another run, or a resumed run is to be trained
            differently; the model cannot be trained or saved as wanted.
        DivergedError: the loss or its gradient is no longer a number; the weights are those before.
        LostProcessError: another process of the run has ended.

    >>> from support.model import GPT, GPTConfig
    >>> from support.training import SequenceBatches
    >>> model = GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2, init_std=0.02))
    >>> history = train(model, SequenceBatches([[1, 4, 5, 6, 2]], 1), TrainConfig(steps=60, lr=0.03))
    >>> history.losses[0] > 2 and history.losses[-1] < 0.1
    True
    """
    model = unwrap(model)
    if config.folder is not None:
        describe(model)  # refuse now what could not be saved at the end
    processes = join(config.strategy, model)
    with ExitStack() as during, processes.watched():
        if config.folder is not None and processes.rank == 0:
            during.enter_context(run_folder(config.folder))
        processes.wait()
        where = next(model.parameters()).device
        during.enter_context(torch.random.fork_rng(devices=[where] if where.type == "cuda" else []))
        torch.manual_seed(config.seed + processes.rank)
        run = _Run(model, config, processes, resume, tokenizer)
        during.enter_context(in_mode(run.state.trained, training=True))
        if config.activation_checkpointing:
            during.enter_context(_recomputing(run.state.trained, run.where, config.compile))
        try:
            run.go(batches, evaluate, callbacks)
        except DivergedError:  # in every process alike
            collect(run.state.trained, model)
            raise
        collect(run.state.trained, model)
    return run.state.history


class _Run:
    """One call of `train`: the model as it is computed, and what changes from step to step."""

    def __init__(
        self,
        model: nn.Module,
        config: TrainConfig,
        processes: Processes,
        resume: bool,
        tokenizer: Tokenizer | None,
    ) -> None:
        self.config, self.processes, self.tokenizer = config, processes, tokenizer
        self.folder = None if config.folder is None else Path(config.folder)
        self.dtype = choose_precision(config.precision, model)
        if self.dtype == torch.float16 and processes.strategy == "fsdp":
            raise InputError("float16 does not go with strategy='fsdp'; choose bfloat16, or strategy='ddp'.")
        self.where = next(model.parameters()).device
        last = self.folder and self.folder / "last.safetensors"
        saved = resumable(last, model, config, resume) if last is not None and last.exists() else None
        trained, self.parallel = distribute(model, processes)
        self.weights = [*trained.parameters()]
        self.forward: Callable[..., Any] = self.parallel
        self.loss: Callable[..., Tensor] = self._loss
        if config.compile and processes.strategy == "none":
            self.loss = torch.compile(self._loss)  # with the softmax over the vocabulary in few kernels
        elif config.compile:
            self.forward = torch.compile(self.parallel)
        scaler = make_scaler(self.dtype, self.where)
        self.state = RunState(model, trained, make_optimiser(trained, config), scaler, processes)
        if saved is not None:
            self.state.restore(saved)
        # A fused optimiser can skip an update by itself, on the device. So the host need not look at each
        # loss before its update, and reads several at once.
        fused = self.state.optimiser.defaults.get("fused")
        self.deferred = bool(fused and (config.log_every > 1 or self.where.type == "cuda"))
        self.window = config.log_every if self.deferred else 1
        self.unread: list[tuple[Tensor | list[float], float, int]] = []  # [loss, norm], learning rate, tokens
        self.stopped = torch.zeros((), device=self.where)  # 1 as soon as a loss is no number

    def go(self, batches: Batches, evaluate: Evaluate | None, callbacks: Sequence[Callback]) -> None:
        """Do all steps that are left."""
        config, history, trained = self.config, self.state.history, self.state.trained
        if self.folder is not None:
            self.state.same_data(take_batch(batches, 0))
        self.state.optimiser.zero_grad()  # whatever the caller's own backward passes left
        steps = range(len(history.steps), config.steps)
        shown = progress(
            steps,
            "training",
            enabled=config.progress if self.processes.rank == 0 else False,
            note=lambda: f"loss {history.losses[-1]:.4f}" if history.losses else "",
        )
        for step, prepared in zip(shown, self._ahead(batches, steps), strict=True):
            self._update(step, *prepared)
            done = step + 1
            last = done == config.steps
            measure = evaluate if _due(done, config.eval_every) or last else None
            folder = self.folder if _due(done, config.checkpoint_every) or last else None
            if measure or folder or last or _due(done, self.window):
                self._read()
            if measure:
                self._evaluate(measure, done)
            if folder:
                self.state.keep(folder / "last.safetensors", config, self.tokenizer)
            if _due(done, config.log_every):
                for callback in callbacks:
                    callback(step, trained, history)

    def _ahead(self, batches: Batches, steps: range) -> Iterator[Prepared]:
        """The batches of each step; for a GPU made in a thread, one step ahead, in pinned memory."""
        k, gpu = self.config.accumulate, self.where.type == "cuda"

        def prepared(step: int) -> Prepared:
            whole_batches = [take_batch(batches, step * k + i) for i in range(k)]
            tokens = sum(int((targets != IGNORE_INDEX).sum()) for _, targets in whole_batches)
            if tokens == 0:
                raise InputError("A batch has no target to predict: all are −100.")
            mine = [self.processes.share(batch) for batch in whole_batches]
            return [(_pinned(x), _pinned(y)) for x, y in mine] if gpu else mine, tokens

        if not gpu or not steps:
            yield from map(prepared, steps)
            return
        with ThreadPoolExecutor(max_workers=1) as thread:
            coming = thread.submit(prepared, steps.start)
            for step in steps:
                batch = coming.result()
                if step + 1 in steps:
                    coming = thread.submit(prepared, step + 1)
                yield batch

    def _update(self, step: int, micro: list[Share], tokens: int) -> None:
        """One step; unless its loss or gradient is no number, when the weights stay as they are."""
        state, config, scaler = self.state, self.config, self.state.scaler
        losses = []
        for i, batch in enumerate(micro):
            with synchronised(self.parallel, last=i == len(micro) - 1):
                losses.append(self._backward(batch, tokens, len(micro)))
        loss = self.processes.total(torch.stack(losses).sum())
        scaler.unscale_(state.optimiser)
        norm = clip_gradients(self.weights, config.clip or math.inf)
        measured: Any = torch.stack([loss, norm.to(loss)])
        lr = set_learning_rate(state.optimiser, step, config)
        if not self.deferred:
            measured = measured.tolist()  # the one wait for the device
            if not scaler.is_enabled() and not all(map(math.isfinite, measured)):
                state.optimiser.zero_grad()
        elif not scaler.is_enabled():
            self.stopped = torch.maximum(self.stopped, (~measured.isfinite().all()).to(self.stopped))
            fused: Any = state.optimiser  # these two are how a scaler tells it to leave an update out
            fused.grad_scale, fused.found_inf = None, self.stopped
        self.unread.append((measured, lr, tokens))
        scaler.step(state.optimiser)  # in float16, leaves the update out if a gradient is no number
        scaler.update()
        state.optimiser.zero_grad()

    def _backward(self, batch: Share, tokens: int, parts: int) -> Tensor:
        """Add the gradients of one batch's part of the mean loss; that part."""
        inputs, targets = (t.to(self.where, non_blocking=True) for t in batch)
        loss = self.loss(inputs, targets) / tokens
        trained, size = self.state.trained, self.processes.size
        extra_loss = getattr(trained, "extra_loss", lambda: None)
        extra = extra_loss()
        # The processes' gradients are averaged, where those of a sum are wanted.
        whole_loss = loss * size if extra is None else loss * size + extra / parts
        self.state.scaler.scale(whole_loss).backward()
        return loss.detach()

    def _loss(self, inputs: Any, targets: Tensor) -> Tensor:
        """The summed loss of one batch, the products in the run's precision."""
        with products_in(self.dtype, self.where, self.config.compile):
            logits = self.forward(inputs)
        return cross_entropy_sum(logits, targets)

    def _read(self) -> None:
        """Bring the numbers of the latest steps into the history; the one wait for the device."""
        if not self.unread:
            return
        history, scaler = self.state.history, self.state.scaler
        measured: Any = [m for m, *_ in self.unread]
        measured = torch.stack(measured).tolist() if self.deferred else measured
        for (loss, norm), (_, lr, tokens) in zip(measured, self.unread, strict=True):
            step = len(history.steps)
            if not math.isfinite(loss) or not math.isfinite(norm):
                before = history.skipped[-MOST_SKIPPED:]
                stuck = len(before) == MOST_SKIPPED and before[0] == step - MOST_SKIPPED
                if not scaler.is_enabled() or stuck:
                    raise DivergedError(why_diverged(step, loss, norm, history, self.folder))
                history.skipped.append(step)
            history.add(loss, lr, norm, tokens)
        self.unread.clear()

    def _evaluate(self, evaluate: Evaluate, done: int) -> None:
        trained, history = self.state.trained, self.state.history
        token = SHARED_BY.set(self.processes)
        try:
            with in_mode(trained, training=False):
                value = torch.tensor(float(evaluate(trained)), dtype=torch.float64, device=self.where)
        finally:
            SHARED_BY.reset(token)
        history.evals[done] = float(self.processes.total(value)) / self.processes.size
        best = history.best
        if self.folder is not None and best is not None and best[0] == done:
            self.state.keep_best(self.folder / "best.safetensors", best, self.tokenizer)


def _due(done: int, every: int) -> bool:
    return every > 0 and done % every == 0


def _pinned(batch):
    """In memory from which a GPU can copy by itself."""
    if isinstance(batch, Tensor):
        return batch if batch.is_cuda else batch.pin_memory()
    return type(batch)(*map(_pinned, batch))


@contextmanager
def _recomputing(model: nn.Module, where: torch.device, compiled: bool) -> Iterator[None]:
    """Each block keeps its input only, and runs again in the backward pass (Chen et al. 2016)."""
    blocks = [m for m in model.modules() if isinstance(m, Block)]
    if not blocks:
        raise InputError("activation_checkpointing needs a model with blocks (Block); this one has none.")
    how: dict[str, Any] = {"use_reentrant": False}
    if not compiled:  # autocast is remembered for the second time, these products are not
        how["context_fn"] = lambda: (nullcontext(), products_in(None, where))
    for block in blocks:
        vars(block)["forward"] = functools.partial(recomputed, block.forward, **how)
    try:
        yield
    finally:
        for block in blocks:
            del block.forward
