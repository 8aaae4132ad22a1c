"""What to measure when training fails: gradients and updates by layer, activations, overflow, leaks."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor, nn

from support.core import InputError
from support.model import GPT, Block, FeedForward, SwiGLU, attend, evaluating
from support.training.history import History

SILENT = 1e-3  # of the up projection's root mean square: a hidden unit that never exceeds it is silent
CERTAIN = 0.99  # an attention weight above this leaves nothing for the other positions


def layer_of(name: str) -> str:
    """The layer that a parameter belongs to: its sublayer in a block, else its first name.

    >>> layer_of("blocks.1.attention.qkv.weight"), layer_of("embedding.weight")
    ('blocks.1.attention', 'embedding')
    """
    parts = name.split(".")
    return ".".join(parts[:3]) if parts[0] == "blocks" else parts[0]


def norms_by_layer(tensors: Iterable[tuple[str, Tensor]]) -> dict[str, float]:
    """The Euclidean norm of all tensors of each layer together.

    >>> norms_by_layer([("head.weight", torch.tensor([3.0])), ("head.bias", torch.tensor([4.0]))])
    {'head': 5.0}
    """
    squares: dict[str, float] = defaultdict(float)
    for name, tensor in tensors:
        squares[layer_of(name)] += float(tensor.detach().double().square().sum())
    return {layer: math.sqrt(square) for layer, square in squares.items()}


class LayerMonitor:
    """A callback for `train` that notes, at every step, gradients and updates layer by layer.

    Attributes:
        gradient_norms: layer → the norm of its gradient at each step, before clipping.
        update_ratios: layer → the length of the update divided by the length of the weights, at each step.

    Use it in a ``with`` block, which attaches it to the model and detaches it again.

    >>> from support.model import GPTConfig
    >>> from support.training import SequenceBatches, TrainConfig, train
    >>> model = GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2, n_layers=1))
    >>> with LayerMonitor(model) as monitor:
    ...     _ = train(model, SequenceBatches([[1, 4, 2]], 1), TrainConfig(steps=2), callbacks=[monitor])
    >>> len(monitor.update_ratios["blocks.0.attention"]), len(monitor.gradient_norms["embedding"])
    (2, 2)
    """

    def __init__(self, model: nn.Module) -> None:
        self.model = model
        self.gradient_norms: dict[str, list[float]] = defaultdict(list)
        self.update_ratios: dict[str, list[float]] = defaultdict(list)
        self._attached = ExitStack()
        self._gradients: dict[Tensor, Tensor] = {}

    def __enter__(self) -> "LayerMonitor":
        self._before = self._weights()
        for p in self.model.parameters():
            if p.requires_grad:
                self._attached.callback(p.register_post_accumulate_grad_hook(self._keep).remove)
        return self

    def __exit__(self, *_: object) -> None:
        self._attached.close()

    def __call__(self, step: int, model: nn.Module, history: History) -> None:
        """Note one step; `train` calls it."""
        after = self._weights()
        moved = norms_by_layer((name, after[name] - self._before[name]) for name in after)
        lengths = norms_by_layer(self._before.items())
        names: dict[Tensor, str] = {p: name for name, p in self.model.named_parameters()}
        gradients = norms_by_layer((names[p], gradient) for p, gradient in self._gradients.items())
        for layer, length in lengths.items():
            self.update_ratios[layer].append(moved[layer] / length if length else math.inf)
            self.gradient_norms[layer].append(gradients.get(layer, 0.0))
        self._before, self._gradients = after, {}

    def _weights(self) -> dict[str, Tensor]:
        return {name: p.detach().clone() for name, p in self.model.named_parameters()}

    def _keep(self, p: Tensor) -> None:
        if p.grad is not None:  # with several batches an update, the last call has the whole gradient
            self._gradients[p] = p.grad.detach().clone()


@dataclass(frozen=True)
class LayerActivations:
    """Statistics of one block on one batch.

    Attributes:
        layer: the block, from 0.
        rms: root mean square of the residual stream after the block.
        dead: share of the hidden units that are silent at every position of the batch; 0 with experts.
        saturated: share of the queries, among those that see four keys or more, that give one of them more
            than 99% of their attention.
        largest_score: the largest absolute attention score (before the softmax).
    """

    layer: int
    rms: float
    dead: float
    saturated: float
    largest_score: float


@torch.no_grad()
def activation_statistics(model: GPT, ids: Int[Tensor, "batch position"]) -> list[LayerActivations]:
    """What each block does with a batch: size of the stream, dead units, saturated attention.

    Args:
        model: dropout is off while it runs.
        ids: the batch.

    >>> from support.model import GPTConfig
    >>> found = activation_statistics(GPT(GPTConfig(vocab_size=9)), torch.tensor([[1, 4, 5, 6, 2]]))
    >>> [(block.layer, block.dead, block.saturated) for block in found]
    [(0, 0.0, 0.0), (1, 0.0, 0.0)]
    """
    found: list[LayerActivations] = []
    seen: dict[nn.Module, tuple[Any, Tensor]] = {}  # what each part of a block was given, and what it made

    def keep(module: nn.Module, args: Any, output: Tensor) -> None:
        seen[module] = args, output
        if isinstance(module, Block):
            found.append(_statistics(len(found), module, seen))
            seen.clear()

    with ExitStack() as hooks, evaluating(model):
        for module in model.blocks.modules():
            hooks.callback(module.register_forward_hook(keep).remove)
        model(ids)
    return found


def _statistics(layer: int, block: Block, seen: Mapping[nn.Module, tuple[Any, Tensor]]) -> LayerActivations:
    attention, network = block.attention, block.feed_forward
    args, _ = seen[attention]
    x, context = args[0], args[1] if len(args) > 1 else None
    context = attention.attention_context(x) if context is None else context
    q, k, v = attention.by_head(x, context)
    scale = attention.config.attention_scale or 1 / math.sqrt(q.shape[-1])
    scores = q @ k.transpose(-2, -1) * scale
    rows = attend(q, k, v, context.causal, context.mask, scale)[1][:, :, 3:]
    dead = 0.0
    if isinstance(network, FeedForward | SwiGLU):
        reached = float(seen[network.up][1].square().mean().sqrt())
        largest = seen[network.down][0][0].abs().flatten(0, -2).amax(0)
        dead = float((largest <= SILENT * reached).double().mean())
    return LayerActivations(
        layer,
        rms=float(seen[block][1].double().square().mean().sqrt()),
        dead=dead,
        saturated=float((rows.amax(-1) > CERTAIN).double().mean()) if rows.numel() else 0.0,
        largest_score=float(scores.abs().max()),
    )


@torch.no_grad()
def first_non_finite(model: nn.Module, ids: Int[Tensor, "batch position"]) -> str | None:
    """Where a number first becomes infinite or NaN in a forward pass; ``None`` if none does.

    A parameter that holds such a number is named before any activation, the innermost module otherwise.

    Args:
        model: any model that is called with ids; dropout is off while it runs.
        ids: a batch.

    >>> layer = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    >>> _ = layer[0].bias.data.fill_(math.inf)
    >>> first_non_finite(layer, torch.ones(1, 2).long())
    'the parameter 0.bias'
    """
    for name, p in model.named_parameters():
        if not p.isfinite().all():
            return f"the parameter {name}"
    found: list[str] = []

    def watch(name: str) -> Any:
        def hook(_module: nn.Module, _args: Any, out: Any) -> None:
            if isinstance(out, Tensor) and not found and not out.isfinite().all():
                found.append(f"the output of {name}")

        return hook

    # A logit that is masked is −∞ on purpose: the model's own output is not looked at.
    named = [(name, module) for name, module in model.named_modules() if name]
    with ExitStack() as hooks, evaluating(model):
        for name, module in named:
            hooks.callback(module.register_forward_hook(watch(name)).remove)
        model(ids)
    return found[0] if found else None


@torch.no_grad()
def future_leak(model: nn.Module, ids: Int[Tensor, "batch position"]) -> float:
    """How far the logits of earlier positions move when only the last token is exchanged.

    A causal model gives exactly 0. The test is in evaluation mode, because dropout would move them, too.

    Args:
        model: ids → logits.
        ids: a batch.

    Returns:
        the largest absolute difference.

    Raises:
        InputError: fewer than two positions.

    >>> from support.model import GPTConfig
    >>> ids = torch.tensor([[1, 4, 5, 2]])
    >>> [future_leak(GPT(GPTConfig(9, causal=causal)), ids) > 1e-3 for causal in (True, False)]
    [False, True]
    """
    if ids.shape[1] < 2:
        raise InputError("future_leak needs texts of two tokens or more; give longer ones.")
    other = ids.clone()
    size = max(2, int(ids.max()) + 1)
    other[:, -1] = (ids[:, -1] + 1) % size
    with evaluating(model):
        before, after = model(ids)[:, :-1], model(other)[:, :-1]
    return float((before - after).nan_to_num().abs().max())
