"""All that a training run needs to go on where it stopped: weights, optimiser, history, random numbers."""

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from support.core import InputError
from support.core.tensor_file import digest
from support.training.batches import Batch
from support.training.checkpoint import Checkpoint, Tokenizer, load_checkpoint, save_checkpoint
from support.training.config import FREE_TO_CHANGE, TrainConfig
from support.training.distributed import Processes, like, whole
from support.training.history import History
from support.training.model_kinds import describe, unwrap


@dataclass
class RunState:
    """What changes while a run goes on.

    Attributes:
        model: the model of the caller, for its kind and shape.
        trained: the model whose weights are trained: the same, or a sharded copy of it.
        optimiser: of the trained model.
        scaler: of the loss, in float16.
        processes: that train it together.
        history: so far.
        data: a checksum of the first batch; a run goes on with the data that it was begun with.
    """

    model: nn.Module
    trained: nn.Module
    optimiser: torch.optim.Optimizer
    scaler: torch.amp.GradScaler
    processes: Processes
    history: History = field(default_factory=History)
    data: str = ""

    def keep(self, path: Path, config: TrainConfig, tokenizer: Tokenizer | None) -> None:
        """Write everything to a checkpoint."""
        state = {
            f"optimiser.{name}.{key}": whole(value)
            for name, p in self.trained.named_parameters()
            for key, value in self.optimiser.state.get(p, {}).items()
            if isinstance(value, Tensor)
        }
        past = {f"history.{name}": t for name, t in self.history.to_tensors().items()}
        noted = {"train": config.to_dict(), "scaler": self.scaler.state_dict(), "data": self.data}
        self._save(path, noted, tokenizer, state | past | self._random_state())

    def keep_best(self, path: Path, best: tuple[int, float], tokenizer: Tokenizer | None) -> None:
        """Write the model alone, with its evaluation."""
        updates, value = best
        self._save(path, {"updates": updates, "evaluation": value}, tokenizer)

    def _save(
        self,
        path: Path,
        noted: dict[str, Any],
        tokenizer: Tokenizer | None,
        extra: dict[str, Tensor] | None = None,
    ) -> None:
        """The first process writes; all must ask for the whole weights, and wait for it."""
        weights = {name: whole(t) for name, t in self.trained.state_dict().items()}
        if self.processes.rank == 0:
            save_checkpoint(self.model, path, extra, noted, tokenizer, weights)
        self.processes.wait()

    def restore(self, saved: Checkpoint) -> None:
        """Go on from a checkpoint that `resumable` gave; the weights were loaded before."""
        state = saved.part("optimiser")
        names = {id(p): name for name, p in self.trained.named_parameters()}
        order = [p for group in self.optimiser.param_groups for p in group["params"]]
        by_index = {
            i: {
                k.rpartition(".")[2]: like(t, p)
                for k, t in state.items()
                if k.rpartition(".")[0] == names[id(p)]
            }
            for i, p in enumerate(order)
        }
        fresh = self.optimiser.state_dict()
        kept = {i: entries for i, entries in by_index.items() if entries}
        self.optimiser.load_state_dict({**fresh, "state": fresh["state"] | kept})
        if saved.metadata.get("scaler"):
            self.scaler.load_state_dict(saved.metadata["scaler"])
        self.history = History.from_tensors(saved.part("history"))
        self.data = saved.metadata.get("data", "")
        self._restore_random_state(saved.part("random"))

    def same_data(self, first: Batch) -> None:
        """Refuse a first batch that differs from the run's; a new run remembers it.

        Raises:
            InputError: the run was begun with other data.
        """
        inputs, targets = first
        parts = [inputs] if isinstance(inputs, Tensor) else [*inputs]
        found = digest({str(i): t for i, t in enumerate([*parts, targets])})
        if self.data not in ("", found):
            raise InputError(
                "The batches are not those that this run was begun with; resume it with the same, or use "
                "another folder."
            )
        self.data = found

    def _random_state(self) -> dict[str, Tensor]:
        """The state of every process's generators, so that dropout goes on where it stopped."""
        where = next(self.trained.parameters()).device
        states = {"cpu": torch.get_rng_state()}
        if where.type == "cuda":
            states["cuda"] = torch.cuda.get_rng_state(where)
        return {
            f"random.{kind}.{rank}": one
            for kind, state in states.items()
            for rank, one in enumerate(self.processes.gather(state))
        }

    def _restore_random_state(self, states: dict[str, Tensor]) -> None:
        """With another number of processes, those without a state of their own draw anew."""
        rank, where = self.processes.rank, next(self.trained.parameters()).device
        if f"cpu.{rank}" in states:
            torch.set_rng_state(states[f"cpu.{rank}"])
        if where.type == "cuda" and f"cuda.{rank}" in states:
            torch.cuda.set_rng_state(states[f"cuda.{rank}"], where)


def resumable(path: Path, model: nn.Module, config: TrainConfig, resume: bool) -> Checkpoint:
    """The checkpoint of a run, if this model and configuration can go on with it.

    Raises:
        InputError: they cannot; the sentence says why.
    """
    saved = load_checkpoint(path)
    missing = {"history.steps", "history.losses"} - set(saved.extra)
    if missing or "train" not in saved.metadata:
        raise InputError(
            f"{path} holds a model and no training run; load it with load_checkpoint, and train in another "
            "folder."
        )
    if not resume:
        done = len(saved.extra["history.steps"])
        raise InputError(
            f"{path.parent} already holds a run of {done} steps; give resume=True (on the command line "
            "--resume) to go on with it, or another folder."
        )
    if describe(saved.model) != describe(model):
        raise InputError(f"The model in {path} has another shape than the one to be trained; build that one.")
    before, now = saved.metadata["train"], config.to_dict()
    changed = [k for k in now if k not in FREE_TO_CHANGE and now[k] != before.get(k)]
    if changed:
        told = ", ".join(f"{k}={before.get(k)!r}" for k in changed)
        longer = " To train longer, train the model of its checkpoint in another folder."
        raise InputError(
            f"This run was begun with {told}; resume it with the same, or use another folder."
            + longer * ("steps" in changed)
        )
    unwrap(model).load_state_dict(saved.model.state_dict())
    return saved


def why_diverged(step: int, loss: float, norm: float, history: History, folder: Path | None) -> str:
    """The sentence for a loss or gradient that is no number: where, what is saved, and the likely causes."""
    what = f"loss became {loss}" if not math.isfinite(loss) else f"norm of the gradient became {norm}"
    causes = []
    if history.norms and history.norms[-1] > 10 * sorted(history.norms)[len(history.norms) // 2]:
        causes.append("the gradient had been growing: lower lr, lengthen warmup, or set clip")
    causes += ["lr is too high (try a third of it, or a longer warmup)"] if not causes else []
    causes += ["a weight or an input is already nan or inf", "float16 overflowed (use bfloat16 or float32)"]
    last = folder and folder / "last.safetensors"
    if last is not None and last.exists():
        kept = len(load_checkpoint(last).extra["history.steps"])
        saved = f"the last good checkpoint, after {kept} steps, is {last}"
    else:
        saved = "no checkpoint was kept (give folder and checkpoint_every next time)"
    return f"The {what} at step {step}; {saved}. Likely causes: {'; '.join(causes)}."
