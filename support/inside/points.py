"""Named points in a model: see what passes there, or put something else in its place."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from support.core import InputError
from support.model import GPT, attend
from support.model.attention import SelfAttention

Edit = Tensor | Callable[[Tensor], Tensor]  # what to put in place, or what to make of what is there
_Tap = Callable[[Tensor], Tensor | None]  # None: leave it


class Activations(dict[str, Tensor]):
    """What passed at each watched point, by name; an unknown name is answered with the known ones."""

    def __missing__(self, name: str) -> Tensor:
        raise InputError(f"{name!r} was not watched; there are {', '.join(self)}.")


def points(model: GPT) -> list[str]:
    """The names of all points, in the order in which a pass meets them.

    - ``stream.0`` is the embedding, then one stream after every write, ``[batch, position, d_model]``;
    - ``blocks.0.attention.read`` and ``.feed_forward.read``: what a part is given (with pre-norm, normed);
    - ``blocks.0.attention.pattern``: the weights, ``[batch, head, query, key]``;
    - ``blocks.0.attention.lanes``: what each head brings, ``[batch, head, position, d_head]``;
    - ``blocks.0.feed_forward.activations``: behind the bend, ``[batch, position, d_ff]`` (not with experts);
    - ``blocks.0.attention.write`` and ``.feed_forward.write``: what is added to the stream;
    - ``logits``.

    >>> from support.model import GPTConfig
    >>> points(GPT(GPTConfig(vocab_size=5, n_layers=1)))[:4]
    ['stream.0', 'blocks.0.attention.read', 'blocks.0.attention.pattern', 'blocks.0.attention.lanes']
    """
    names = ["stream.0"]
    for i, block in enumerate(model.blocks):
        names += [f"blocks.{i}.attention.{kind}" for kind in ("read", "pattern", "lanes", "write")]
        kinds = ["read", *(["activations"] if hasattr(block.feed_forward, "contract") else []), "write"]
        names += [f"stream.{2 * i + 1}", *(f"blocks.{i}.feed_forward.{kind}" for kind in kinds)]
        names += [f"stream.{2 * i + 2}"]
    return [*names, "logits"]


@torch.no_grad()
def watch(
    model: GPT, ids: Int[Tensor, "*batch position"] | Sequence[int], names: Sequence[str] | None = None
) -> Activations:
    """Run the model once and keep what passes at the named points; dropout is off, nothing is changed.

    Args:
        model: any `GPT`; inside `patched` or `ablate` the changed model is seen (but a pattern put in place
            by `patched` is not: what is kept is the pattern that the head would have had).
        ids: one sequence or a batch of them.
        names: of `points`; all of them if not given.

    Raises:
        InputError: a point does not exist, or the model does not accept the ids.

    >>> from support.model import GPTConfig
    >>> seen = watch(GPT(GPTConfig(vocab_size=5)), [1, 2, 3], ["blocks.0.attention.pattern", "stream.4"])
    >>> {name: tuple(x.shape) for name, x in seen.items()}
    {'blocks.0.attention.pattern': (1, 4, 3, 3), 'stream.4': (1, 3, 64)}
    """
    names = points(model) if names is None else names
    kept: dict[str, Tensor] = {}
    with _tapped(model, {name: _keep(kept, name) for name in names}), evaluating(model):
        model(as_batch(model, ids))
    return Activations((name, kept[name]) for name in names)


@contextmanager
def patched(model: GPT, edits: Mapping[str, Edit]) -> Iterator[GPT]:
    """Put something else in the place of what passes, while the ``with`` block lasts; gradients flow through.

    Args:
        model: the model to change; its weights stay as they are.
        edits: point → a tensor that fits there (or spreads to fit), or a function of what passes;
            `only` makes such a function for some heads and positions.

    Raises:
        InputError: a point does not exist.

    Follows Vig et al. 2020 and Meng et al. 2022 (activation patching).

    >>> from support.model import GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=5)); silent = {"blocks.0.attention.write": torch.zeros(())}
    >>> with patched(model, silent):
    ...     seen = watch(model, [1, 2, 3], ["stream.0", "stream.1"])
    >>> seen["stream.0"].equal(seen["stream.1"])
    True
    """
    with _tapped(model, {name: _put(edit) for name, edit in edits.items()}):
        yield model


def only(
    edit: Edit, heads: Sequence[int] | None = None, positions: Sequence[int] | None = None
) -> Callable[[Tensor], Tensor]:
    """The same edit, for some heads (of a pattern or of lanes) or positions only; the rest passes as it came.

    >>> only(torch.zeros(()), positions=[1])(torch.ones(1, 3, 1)).flatten().tolist()
    [1.0, 0.0, 1.0]
    """

    def edited(value: Tensor) -> Tensor:
        # Head and position are the third and the second axis from the end at every point that has them.
        chosen = torch.zeros_like(value, dtype=torch.bool)
        rows = slice(None) if positions is None else torch.tensor(list(positions))
        if heads is None:
            chosen[..., rows, :] = True
        else:
            for head in heads:
                chosen[..., head, rows, :] = True
        return torch.where(chosen, _put(edit)(value), value)

    return edited


def as_batch(model: GPT, ids: Tensor | Sequence[int]) -> Int[Tensor, "batch position"]:
    """Ids on the model's device, with a batch axis."""
    ids = torch.as_tensor(ids, device=model.embedding.weight.device)
    return ids if ids.ndim == 2 else ids[None]


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Dropout off for a while."""
    was_training = model.training
    model.eval()
    try:
        yield
    finally:
        model.train(was_training)


def _keep(kept: dict[str, Tensor], name: str) -> _Tap:
    def tap(value: Tensor) -> None:
        kept[name] = value

    return tap


def _put(edit: Edit) -> Callable[[Tensor], Tensor]:
    if isinstance(edit, Tensor):
        return lambda value: edit.to(value).expand_as(value)
    return edit


@contextmanager
def _tapped(model: GPT, taps: Mapping[str, _Tap]) -> Iterator[None]:
    known = points(model)
    for name in taps:
        if name not in known:
            raise InputError(f"There is no point {name!r} in this model; there are {', '.join(known)}.")
    with ExitStack() as stack:
        for name in sorted(taps, key=known.index):  # hooks of one module run in the order in which they came
            for handle in _hooks(model, name, taps[name]):
                stack.callback(handle.remove)
        yield


def _hooks(model: GPT, name: str, tap: _Tap) -> Iterator[RemovableHandle]:
    match name.split("."):
        case ["logits"]:
            yield _behind(model, tap)
        case ["stream", "0"]:
            yield _before(model.blocks[0], tap)
        case ["stream", stage]:
            yield from _stream_hooks(model, int(stage), tap)
        case [_, layer, part, kind]:
            module = getattr(model.blocks[int(layer)], part)
            match kind:
                case "read":
                    yield _before(module, tap)
                case "write":
                    yield _behind(module, tap)
                case "activations":
                    yield _before(module.contract, tap)
                case "lanes":
                    yield _before(module.output, _by_lane(module, tap))
                case "pattern":
                    yield module.register_forward_hook(_pattern(tap))


def _before(module: nn.Module, tap: _Tap) -> RemovableHandle:
    def hook(_module: nn.Module, args: tuple[Any, ...]) -> tuple[Any, ...] | None:
        new = tap(args[0])
        return None if new is None else (new, *args[1:])

    return module.register_forward_pre_hook(hook)


def _behind(module: nn.Module, tap: _Tap) -> RemovableHandle:
    return module.register_forward_hook(lambda _module, _args, output: tap(output))


def _stream_hooks(model: GPT, stage: int, tap: _Tap) -> Iterator[RemovableHandle]:
    block = model.blocks[(stage - 1) // 2]
    if stage % 2 == 0:
        yield _behind(block, tap)
    elif not block.norm_first:
        yield _behind(block.norm_1, tap)
    elif not block.residual:
        yield _behind(block.attention, tap)
    else:
        # Between its halves the stream passes no module: it is what came in and what attention wrote.
        came: list[Tensor] = []

        def write(output: Tensor) -> Tensor | None:
            new = tap(came[-1] + output)
            return None if new is None else new - came[-1]

        yield _before(block, lambda value: came.append(value))
        yield _behind(block.attention, write)


def _by_lane(attention: SelfAttention, tap: _Tap) -> _Tap:
    def lanes(value: Tensor) -> Tensor | None:
        new = tap(value.unflatten(-1, (attention.n_heads, attention.d_head)).transpose(1, 2))
        return None if new is None else new.transpose(1, 2).flatten(-2)

    return lanes


def _pattern(tap: _Tap) -> Callable[..., Tensor | None]:
    """The pass itself never has the weights in hand (the kernel keeps them), so they are computed again."""

    def hook(attention: SelfAttention, args: tuple[Any, ...], _output: Tensor) -> Tensor | None:
        x, sight, cache = (*args, None, None)[:3]
        if cache is not None:
            raise InputError("A pattern needs the whole text in one pass; run the model without a cache.")
        sight = attention.sight(x) if sight is None else sight
        q, k, v = attention.split(x)
        q, k = attention.place(q, k, sight)
        k, v = (t.repeat_interleave(attention.n_heads // attention.n_kv_heads, dim=1) for t in (k, v))
        weights: Float[Tensor, "batch head query key"]
        _, weights = attend(q, k, v, sight.causal, sight.mask, attention.config.attention_scale)
        new = tap(weights)
        return None if new is None else attention.merge(new @ v)

    return hook
