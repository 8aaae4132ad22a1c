"""Watch a model while it reads: what every part writes to the stream; and what happens when a part is cut."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from support.core import InputError
from support.model import GPT


@dataclass(frozen=True)
class Trace:
    """Everything that one pass wrote. With pre-norm, ``embedding`` plus all writes is the last stream."""

    ids: Int[Tensor, "batch position"]
    embedding: Float[Tensor, "batch position d_model"]
    attention: Float[Tensor, "layer batch position d_model"]  # what each attention adds …
    heads: Float[Tensor, "layer batch head position d_model"]  # … by head (the output bias is nobody's)
    feed_forward: Float[Tensor, "layer batch position d_model"]
    streams: Float[Tensor, "stage batch position d_model"]  # after the embedding and after each write
    patterns: Float[Tensor, "layer batch head query key"]
    # Behind the bend of the feed-forward network; None with experts, of which each token meets a few only.
    activations: Float[Tensor, "layer batch position d_ff"] | None
    logits: Float[Tensor, "batch position vocab"]

    @property
    def stages(self) -> list[str]:
        """A name for each of ``streams``: embedding, attention 0, feed-forward 0, attention 1 …"""
        layers = range(len(self.attention))
        return ["embedding"] + [f"{part} {i}" for i in layers for part in ("attention", "feed-forward")]


@torch.no_grad()
def trace(model: GPT, ids: Int[Tensor, "*batch position"] | Sequence[int]) -> Trace:
    """Run the model once and keep what every part wrote; dropout is off, nothing is changed.

    Args:
        model: any `GPT`; inside `ablate`, the trace shows the cut model.
        ids: one sequence or a batch of them.

    Raises:
        InputError: the model does not accept the ids.

    The stream as a sum of writes: Elhage et al. 2021, *A Mathematical Framework for Transformer Circuits*.

    >>> from support.model import GPTConfig
    >>> seen = trace(GPT(GPTConfig(vocab_size=5, n_layers=1)), [1, 2, 3])
    >>> whole = seen.embedding + seen.attention[0] + seen.feed_forward[0]
    >>> bool(torch.allclose(whole, seen.streams[-1], atol=1e-6)), seen.stages
    (True, ['embedding', 'attention 0', 'feed-forward 0'])
    """
    ids = torch.as_tensor(ids, device=model.embedding.weight.device)
    ids = ids if ids.ndim == 2 else ids[None]
    blocks = list(model.blocks)
    embedded, after, read, lanes, looked, hidden, thought = ([] for _ in range(7))
    with ExitStack() as stack, _evaluating(model):

        def keep(module: nn.Module, inputs: list | None = None, outputs: list | None = None) -> None:
            def hook(_module: nn.Module, args: tuple[Any, ...], output: Tensor) -> None:
                for store, value in ((inputs, args[0]), (outputs, output)):
                    if store is not None:
                        store.append(value)

            stack.callback(module.register_forward_hook(hook).remove)

        keep(blocks[0], inputs=embedded)
        for block in blocks:
            keep(block.attention, inputs=read, outputs=looked)
            keep(block.attention.output, inputs=lanes)
            keep(block.feed_forward, outputs=thought)
            if hasattr(block.feed_forward, "contract"):
                keep(block.feed_forward.contract, inputs=hidden)
            # The stream between the two halves is read by the second norm, or made by the first.
            if model.config.norm_first:
                keep(block.norm_2, inputs=after)
            else:
                keep(block.norm_1, outputs=after)
            keep(block, outputs=after)
        logits = model(ids)
    with _evaluating(model):
        patterns = [b.attention.with_weights(x)[1] for b, x in zip(blocks, read, strict=True)]
    return Trace(
        ids=ids,
        embedding=embedded[0],
        attention=torch.stack(looked),
        heads=torch.stack([_by_head(b.attention, z) for b, z in zip(blocks, lanes, strict=True)]),
        feed_forward=torch.stack(thought),
        streams=torch.stack([embedded[0], *after]),
        patterns=torch.stack(patterns),
        activations=torch.stack(hidden) if hidden else None,
        logits=logits,
    )


@torch.no_grad()
def logit_lens(model: GPT, seen: Trace) -> Float[Tensor, "stage batch position vocab"]:
    """What the model would answer if it stopped after each stage: its stream through the final norm and head.

    Follows nostalgebraist 2020, *interpreting GPT: the logit lens*.

    >>> from support.model import GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=5)); seen = trace(model, [1, 2, 3])
    >>> bool(torch.allclose(logit_lens(model, seen)[-1], seen.logits, atol=1e-6))
    True
    """
    with _evaluating(model):
        return torch.stack([model.unembed(stream) for stream in seen.streams])


@contextmanager
def ablate(
    model: GPT,
    heads: Sequence[tuple[int, int]] = (),
    attention: Sequence[int] = (),
    feed_forward: Sequence[int] = (),
    by: Literal["zero", "mean"] = "zero",
    reference: Int[Tensor, "batch position"] | None = None,
) -> Iterator[GPT]:
    """Cut parts out while the ``with`` block lasts; the weights stay as they are.

    Args:
        model: the model to cut.
        heads: (layer, head) pairs, counted from zero.
        attention: layers whose whole attention falls silent, output bias and all.
        feed_forward: layers whose feed-forward network falls silent.
        by: ``"zero"``: the part writes nothing; ``"mean"``: it always writes what it writes on average,
            so that later parts meet no stream of an unknown kind.
        reference: the ids over which the mean is taken (ids that the model never predicts, such as
            padding, are left out).

    Raises:
        InputError: a layer or head does not exist, or the mean is asked for without a reference.

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
    if by == "mean" and reference is None:
        raise InputError('by="mean" needs reference=, the ids over which the mean is taken.')
    parts = [(model.blocks[i].attention, None) for i in attention]
    parts += [(model.blocks[i].feed_forward, None) for i in feed_forward]
    parts += [(model.blocks[i].attention.output, h) for i, h in heads]
    # All means are taken before the first cut.
    fills = [_mean(model, m, h, reference) if by == "mean" else torch.zeros(()) for m, h in parts]
    with ExitStack() as stack:
        for (module, head), fill in zip(parts, fills, strict=True):
            if head is None:
                handle = module.register_forward_hook(_always(fill))
            else:
                handle = module.register_forward_pre_hook(_lane(model.config.d_head, head, fill))
            stack.callback(handle.remove)
        yield model


def _always(fill: Tensor):
    def hook(_module: nn.Module, _args: tuple[Any, ...], output: Tensor) -> Tensor:
        return torch.zeros_like(output) + fill.to(output)

    return hook


def _lane(d_head: int, head: int, fill: Tensor):
    """A head's output is its lane of what goes into the output matrix."""

    def hook(_module: nn.Module, args: tuple[Any, ...]) -> tuple[Tensor]:
        lanes = args[0].clone()
        lanes[..., head * d_head : (head + 1) * d_head] = fill.to(lanes)
        return (lanes,)

    return hook


@torch.no_grad()
def _mean(model: GPT, module: nn.Module, head: int | None, reference: Tensor) -> Tensor:
    """The part's average output over the reference; of a head, its lane."""
    stored: list[Tensor] = []
    handle = module.register_forward_hook(
        lambda _m, args, output: stored.append(output if head is None else args[0])
    )
    try:
        with _evaluating(model):
            model(reference.to(model.embedding.weight.device))
    finally:
        handle.remove()
    real = ~torch.isin(reference, torch.tensor(model.config.masked_ids, dtype=reference.dtype))
    mean = stored[0][real.to(stored[0].device)].mean(dim=0)
    d_head = model.config.d_head
    return mean if head is None else mean[head * d_head : (head + 1) * d_head]


def _by_head(attention: nn.Module, lanes: Tensor) -> Tensor:
    split = lanes.unflatten(-1, (attention.n_heads, attention.d_head))
    matrix = attention.output.weight.unflatten(-1, (attention.n_heads, attention.d_head))
    return torch.einsum("b p h k, d h k -> b h p d", split, matrix)


@contextmanager
def _evaluating(model: nn.Module) -> Iterator[None]:
    was_training = model.training
    model.eval()
    try:
        yield
    finally:
        model.train(was_training)
