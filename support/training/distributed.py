"""Training by several processes, with torch's own engine: the same script, started by ``torchrun``.

    torchrun --nproc-per-node 2 my_training.py

Every process calls ``batches(step)``, gets the whole batch, and computes its share of the rows. The loss is
divided by the tokens of the whole batch, so losses and gradients are those of one process. Only experts
differ: their balance loss is a mean over the processes' shares, and with ``"fsdp"`` an expert that no token
of a batch visits gets a gradient of zero instead of none. With ``"ddp"`` each process holds the whole model,
with ``"fsdp"`` a part of each weight, gathered block by block when it is needed.

Follows Li et al. 2020 (DistributedDataParallel) and Zhao et al. 2023 (FullyShardedDataParallel).
"""

import atexit
import copy
import os
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from support.core import InputError
from support.model import Block, Classifier, Experts
from support.training.batches import IGNORE_INDEX, Batch


@dataclass(frozen=True)
class Processes:
    """The processes of a run: which of how many this one is, and how they share the work."""

    rank: int = 0
    size: int = 1
    strategy: str = "none"

    def share(self, batch: Batch) -> tuple[Any, Tensor]:  # of fewer rows
        """This process's rows of a batch; if it is left without any, one that predicts nothing.

        >>> batch = torch.tensor([[1], [2], [3]]), torch.tensor([[4], [5], [6]])
        >>> inputs, targets = Processes(1, 2).share(batch)
        >>> inputs.tolist(), targets.tolist()
        ([[3]], [[6]])
        """
        if self.size == 1:
            return batch
        inputs, targets = batch
        rows = torch.arange(len(targets)).tensor_split(self.size)[self.rank]
        if len(rows):
            return _rows(inputs, rows), targets[rows]
        return _rows(inputs, torch.tensor([0])), torch.full_like(targets[:1], IGNORE_INDEX)

    def total(self, numbers: Tensor) -> Tensor:
        """The sum over all processes."""
        if self.size > 1:
            dist.all_reduce(numbers)
        return numbers

    def wait(self) -> None:
        """Go on when all processes have come so far."""
        if self.size > 1:
            dist.barrier()

    def gather(self, one: Tensor) -> list[Tensor]:
        """What each process holds, by rank."""
        if self.size == 1:
            return [one]
        everyone: list[Any] = [None] * self.size
        dist.all_gather_object(everyone, one)
        return everyone

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Say in one sentence what it means when the connection to another process breaks."""
        try:
            yield
        except RuntimeError as error:
            words = str(error).lower()
            broken = any(word in words for word in ("gloo", "nccl", "peer", "connection", "process group"))
            if self.size == 1 or not broken:
                raise
            raise LostProcessError(
                f"Process {self.rank} of {self.size} lost the connection: another process of this run has "
                "ended (its own message says why). Start all of them again with resume=True; any number of "
                f"processes can go on from the last checkpoint. (Backend: {str(error).splitlines()[0]})"
            ) from None


class LostProcessError(RuntimeError):
    """Another process of a distributed run has ended."""


def join(strategy: str, model: nn.Module) -> Processes:
    """The processes that torchrun started, connected; or this one alone. A model on a GPU moves to its own.

    Raises:
        InputError: torchrun started several processes, and the strategy is ``"none"``.
    """
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if dist.is_available() and dist.is_initialized():
        size = dist.get_world_size()
    if size == 1:
        return Processes()
    if strategy == "none":
        raise InputError(
            f"{size} processes were started, and strategy='none' would let each train by itself; give "
            "TrainConfig strategy='ddp' or 'fsdp'."
        )
    cuda = next(model.parameters()).device.type == "cuda"
    if cuda:
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
        model.to(torch.device("cuda", torch.cuda.current_device()))
    if not dist.is_initialized():
        dist.init_process_group("nccl" if cuda else "gloo")
        atexit.register(lambda: dist.is_initialized() and dist.destroy_process_group())
    return Processes(dist.get_rank(), size, strategy)


def distribute(model: nn.Module, processes: Processes) -> tuple[nn.Module, nn.Module]:
    """The model whose weights are trained, and what to call for its logits.

    All processes begin with the weights of the first. With ``"fsdp"`` the trained model is a sharded copy,
    and the caller's waits in main memory; `collect` brings the weights back.
    """
    if processes.size == 1:
        return model, model
    if processes.strategy == "ddp":
        # An expert that no token visited, or a head that a classifier leaves alone, gets no gradient.
        idle = isinstance(model, Classifier) or any(isinstance(m, Experts) for m in model.modules())
        return model, DistributedDataParallel(model, find_unused_parameters=idle)
    from torch.distributed.fsdp import fully_shard

    sharded = copy.deepcopy(model)
    for tensor in [*sharded.parameters(), *sharded.buffers()]:
        dist.broadcast(tensor.data, 0)
    model.cpu()
    mesh = dist.device_mesh.init_device_mesh(next(sharded.parameters()).device.type, (processes.size,))
    for module in sharded.modules():
        if isinstance(
            module, Experts
        ):  # all send gradients of the same experts, whichever their tokens visit
            module.register_forward_hook(
                lambda m, _, output: output + 0 * sum(p.sum() for p in m.parameters())
            )
    for module in [m for m in sharded.modules() if isinstance(m, Block)]:
        fully_shard(module, mesh=mesh)
    fully_shard(sharded, mesh=mesh)
    return sharded, sharded


def synchronised(forward: nn.Module, last: bool) -> AbstractContextManager[Any]:
    """A context for the backward pass of one batch of several: only the last one's gradients are sent."""
    if isinstance(forward, DistributedDataParallel) and not last:
        return forward.no_sync()
    if set_sync := getattr(forward, "set_requires_gradient_sync", None):
        set_sync(last)
    return nullcontext()


def whole(tensor: Tensor) -> Tensor:
    """A weight, or what an optimiser keeps for it, in one piece; every process must ask for it."""
    return tensor.full_tensor() if hasattr(tensor, "full_tensor") else tensor


def clip_gradients(weights: Iterable[Tensor], limit: float) -> Tensor:
    """Shorten the gradient of all weights to a norm of at most ``limit``; the norm it had.

    >>> weight = nn.Linear(2, 1, bias=False).weight
    >>> weight.grad = torch.tensor([[3.0, 4.0]])
    >>> clip_gradients([weight], 1.0), weight.grad
    (tensor(5.), tensor([[0.6000, 0.8000]]))
    """
    weights = [p for p in weights if p.grad is not None]
    # In one piece before it divides: torch 2.8 adds its epsilon to each process's part of the norm.
    norm = whole(nn.utils.get_total_norm([p.grad for p in weights if p.grad is not None]))
    nn.utils.clip_grads_with_norm_(weights, limit, norm)
    return norm


def like(tensor: Tensor, part: Any) -> Tensor:
    """A whole tensor, distributed as ``part`` is."""
    if not hasattr(part, "full_tensor") or tensor.ndim == 0:
        return tensor
    from torch.distributed.tensor import distribute_tensor

    return distribute_tensor(tensor.to(part.device), part.device_mesh, part.placements)


def collect(trained: nn.Module, model: nn.Module) -> None:
    """Bring the weights of a sharded copy back into the caller's model, on its device."""
    if trained is not model:
        where = next(trained.parameters()).device
        model.load_state_dict({name: whole(t) for name, t in trained.state_dict().items()})
        model.to(where)


def _rows(inputs, rows: Tensor):
    return inputs[rows] if isinstance(inputs, Tensor) else type(inputs)(*(t[rows] for t in inputs))
