"""A trace of one pass: what each component adds to the residual stream; and the ablation of components."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from support.core import InputError
from support.core.validation import check
from support.inside.hooks import Edit, as_batch, hooked, only, run_with_cache
from support.model import GPT, SelfAttention, evaluating


@dataclass(frozen=True)
class Trace:
    """Each component's output in one pass; with pre-norm, their sum with ``embedding`` is the last stream.

    Attributes:
        ids: what the model read.
        embedding: the stream before the first block.
        attention: what each attention adds to the stream.
        heads: the same by head (the output bias belongs to no head).
        feed_forward: what each feed-forward network adds.
        streams: the residual stream after the embedding and after each sublayer; see `stages`.
        patterns: the attention weights.
        activations: of the hidden units, after the activation function; None with experts, of which each
            token meets a few only.
        logits: what the model says.
    """

    ids: Int[Tensor, "batch position"]
    embedding: Float[Tensor, "batch position d_model"]
    attention: Float[Tensor, "layer batch position d_model"]
    heads: Float[Tensor, "layer batch head position d_model"]
    feed_forward: Float[Tensor, "layer batch position d_model"]
    streams: Float[Tensor, "stage batch position d_model"]
    patterns: Float[Tensor, "layer batch head query key"]
    activations: Float[Tensor, "layer batch position d_ff"] | None
    logits: Float[Tensor, "batch position vocab"]

    @property
    def stages(self) -> list[str]:
        """A name for each of ``streams``: embedding, attention 0, feed-forward 0, attention 1 …"""
        layers = range(len(self.attention))
        return ["embedding"] + [f"{part} {i}" for i in layers for part in ("attention", "feed-forward")]


@torch.no_grad()
def trace(model: GPT, ids: Int[Tensor, "*batch position"] | Sequence[int]) -> Trace:
    """Run the model once and keep every component's output; dropout is off, nothing is changed.

    Args:
        model: any `GPT`; inside `ablate`, the trace is that of the ablated model.
        ids: one sequence or a batch of them.

    Raises:
        InputError: the model does not accept the ids.

    The stream as a sum of outputs: Elhage et al. 2021, *A Mathematical Framework for Transformer Circuits*.

    >>> from support.model import GPTConfig
    >>> seen = trace(GPT(GPTConfig(vocab_size=5, n_layers=1)), [1, 2, 3])
    >>> whole = seen.embedding + seen.attention[0] + seen.feed_forward[0]
    >>> bool(torch.allclose(whole, seen.streams[-1], atol=1e-6)), seen.stages
    (True, ['embedding', 'attention 0', 'feed-forward 0'])
    """
    ids = as_batch(model, ids)
    _, seen = run_with_cache(model, ids)
    blocks = list(model.blocks)

    def layers(kind: str) -> Tensor:
        return torch.stack([seen[f"blocks.{i}.{kind}"] for i in range(len(blocks))])

    plain = "blocks.0.feed_forward.activations" in seen
    return Trace(
        ids=ids,
        embedding=seen["residual.0"],
        attention=layers("attention.output"),
        heads=torch.stack(
            [_by_head(b.attention, z) for b, z in zip(blocks, layers("attention.z"), strict=True)]
        ),
        feed_forward=layers("feed_forward.output"),
        streams=torch.stack([seen[f"residual.{stage}"] for stage in range(2 * len(blocks) + 1)]),
        patterns=layers("attention.pattern"),
        activations=layers("feed_forward.activations") if plain else None,
        logits=seen["logits"],
    )


@contextmanager
def ablate(
    model: GPT,
    heads: Sequence[tuple[int, int]] = (),
    attention: Sequence[int] = (),
    feed_forward: Sequence[int] = (),
    by: Literal["zero", "mean"] = "zero",
    reference: Int[Tensor, "batch position"] | None = None,
) -> Iterator[GPT]:
    """Ablate components while the ``with`` block lasts; the weights stay as they are.

    Args:
        model: the model to ablate.
        heads: (layer, head) pairs, counted from zero.
        attention: layers whose whole attention is ablated, output bias included.
        feed_forward: layers whose feed-forward network (or mixture of experts) is ablated.
        by: ``"zero"``: the output is zero; ``"mean"``: it is its mean over the reference, so that later
            components meet a stream of the usual kind.
        reference: the ids over which the mean is taken (ids that the model never predicts, such as
            padding, are left out).

    Raises:
        InputError: a layer or head does not exist, ``by`` is neither, or the mean has no reference.

    >>> from support.model import GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=5)); ids = torch.tensor([[1, 2, 3]])
    >>> with ablate(model, attention=[0, 1], feed_forward=[0, 1]):
    ...     seen = trace(model, ids)
    >>> bool((seen.streams[-1] == seen.embedding).all())
    True
    """
    n_layers, n_heads = model.config.n_layers, model.config.n_heads
    for layer, head in [*heads, *((layer, 0) for layer in (*attention, *feed_forward))]:
        if not (0 <= layer < n_layers and 0 <= head < n_heads):
            raise InputError(
                f"There is no layer {layer} with a head {head}: the model has {n_layers} layers of "
                f"{n_heads} heads, counted from 0."
            )
    check("ablate: by", by, Literal["zero", "mean"])
    if by == "mean" and reference is None:
        raise InputError('by="mean" needs reference=, the ids over which the mean is taken.')
    parts = [f"blocks.{i}.attention.output" for i in attention]
    parts += [f"blocks.{i}.feed_forward.output" for i in feed_forward]
    by_layer: dict[str, list[int]] = {}
    for layer, head in heads:
        by_layer.setdefault(f"blocks.{layer}.attention.z", []).append(head)
    # All means are taken before the first ablation.
    fills = dict.fromkeys([*parts, *by_layer], torch.zeros(()))
    if by == "mean" and reference is not None:
        fills = _means(model, list(fills), reference)
    edits: dict[str, Edit] = {name: fills[name] for name in parts}
    edits |= {name: only(fills[name], heads=some) for name, some in by_layer.items()}
    with hooked(model, edits):
        yield model


def _means(model: GPT, names: Sequence[str], reference: Tensor) -> dict[str, Tensor]:
    """Each hook point's mean over the reference; of z, for each head."""
    _, seen = run_with_cache(model, reference, names)
    masked = torch.tensor(model.config.masked_ids, dtype=reference.dtype, device=reference.device)
    real = ~torch.isin(reference, masked)
    means = {}
    for name, value in seen.items():
        # Batch and position first: [batch, head, position, …] → [batch, position, head, …].
        value = value.transpose(1, 2) if value.ndim == 4 else value
        mean = value[real.to(value.device)].mean(dim=0)
        means[name] = mean.unsqueeze(-2) if mean.ndim == 2 else mean
    return means


def _by_head(attention: SelfAttention, z: Tensor) -> Tensor:
    width = attention.n_heads * attention.d_head
    matrix = weight_of(attention.output, width, z).unflatten(-1, (attention.n_heads, attention.d_head))
    return torch.einsum("b h p k, d h k -> b h p d", z, matrix)


@torch.no_grad()
def weight_of(layer: nn.Module, d_in: int, like: Float[Tensor, "..."]) -> Float[Tensor, "d_out d_in"]:
    """What a linear layer multiplies by; of one with adapters or in eight bits, as it answers unit vectors.

    Args:
        layer: of `nn.Linear`'s kind, or what replaced one.
        d_in: numbers in its input.
        like: a tensor of the input's dtype and device.

    >>> from support.model import Int8Linear
    >>> layer = nn.Linear(3, 2)
    >>> weight = weight_of(Int8Linear(layer.weight, layer.bias), 3, torch.ones(1))
    >>> bool(torch.allclose(weight, layer.weight, atol=0.01))
    True
    """
    if type(layer) is nn.Linear:
        return layer.weight
    units = torch.eye(d_in, dtype=like.dtype, device=like.device)
    with evaluating(layer):
        # `forward`, so that hooks on the layer are left out.
        return (layer.forward(units) - layer.forward(torch.zeros_like(units[:1]))).T
