"""What to measure when training fails: gradients and updates by layer, activations, overflow, leaks."""

import math
from collections import defaultdict
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor, nn

from support.core import InputError
from support.model import GPT, evaluating
from support.model.attention import SelfAttention
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
        self._gradients: dict[str, Tensor] = {}

    def __enter__(self) -> "LayerMonitor":
        self._before = self._weights()
        for name, p in self.model.named_parameters():
            if p.requires_grad:
                handle = p.register_post_accumulate_grad_hook(self._keeper(name))
                self._attached.callback(handle.remove)
        return self

    def __exit__(self, *_: object) -> None:
        self._attached.close()

    def __call__(self, step: int, model: nn.Module, history: History) -> None:
        after = self._weights()
        moved = norms_by_layer((name, after[name] - self._before[name]) for name in after)
        lengths = norms_by_layer(self._before.items())
        gradients = norms_by_layer(self._gradients.items())
        for layer, length in lengths.items():
            self.update_ratios[layer].append(moved[layer] / length if length else math.inf)
            self.gradient_norms[layer].append(gradients.get(layer, 0.0))
        self._before, self._gradients = after, {}

    def _weights(self) -> dict[str, Tensor]:
        return {name: p.detach().clone() for name, p in self.model.named_parameters()}

    def _keeper(self, name: str) -> Any:
        def keep(p: Tensor) -> None:  # with several batches an update, the last call has the whole gradient
            if p.grad is not None:
                self._gradients[name] = p.grad.detach().clone()

        return keep


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

    >>> from support.model import GPTConfig
    >>> found = activation_statistics(GPT(GPTConfig(vocab_size=9)), torch.tensor([[1, 4, 5, 6, 2]]))
    >>> [(block.layer, block.dead, block.saturated) for block in found]
    [(0, 0.0, 0.0), (1, 0.0, 0.0)]
    """
    rms: dict[int, float] = {}
    reached, dead, saturated, scores = rms.copy(), rms.copy(), rms.copy(), rms.copy()

    def stream(layer: int) -> Any:
        return lambda _module, _args, out: rms.update({layer: float(out.double().square().mean().sqrt())})

    def hidden(layer: int) -> Any:
        def record(_module: nn.Module, args: tuple[Tensor, ...]) -> None:
            largest = args[0].abs().flatten(0, -2).amax(0)
            dead[layer] = float((largest <= SILENT * reached[layer]).double().mean())

        return record

    def up(layer: int) -> Any:
        return lambda _module, _args, out: reached.update({layer: float(out.square().mean().sqrt())})

    def pattern(layer: int) -> Any:
        def record(module: SelfAttention, args: tuple[Any, ...], _out: Tensor) -> None:
            context = args[1] if len(args) > 1 and args[1] is not None else module.attention_context(args[0])
            q, k = module.norm_and_rotate(*module.split(args[0])[:2], context)
            k = k.repeat_interleave(module.n_heads // module.n_kv_heads, dim=1)
            scale = module.config.attention_scale or 1 / math.sqrt(q.shape[-1])
            scores[layer] = float((q @ k.transpose(-2, -1) * scale).abs().max())
            rows = module.weights_and_values(args[0], context)[0][:, :, 3:]
            saturated[layer] = float((rows.amax(-1) > CERTAIN).double().mean()) if rows.numel() else 0.0

        return record

    with ExitStack() as hooks, evaluating(model):
        for i, block in enumerate(model.blocks):
            handles = [
                block.register_forward_hook(stream(i)),
                block.attention.register_forward_hook(pattern(i)),
            ]
            if hasattr(block.feed_forward, "down"):
                handles.append(block.feed_forward.up.register_forward_hook(up(i)))
                handles.append(block.feed_forward.down.register_forward_pre_hook(hidden(i)))
            for handle in handles:
                hooks.callback(handle.remove)
        model(ids)
    layers = range(len(model.blocks))
    return [LayerActivations(i, rms[i], dead.get(i, 0.0), saturated[i], scores[i]) for i in layers]


@torch.no_grad()
def first_non_finite(model: nn.Module, ids: Int[Tensor, "batch position"]) -> str | None:
    """Where a number first becomes infinite or NaN in a forward pass; ``None`` if none does.

    A parameter that holds such a number is named before any activation, the innermost module otherwise.

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
