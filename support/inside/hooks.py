"""Hook points: named places in a model where an activation can be recorded or replaced."""

import reprlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from support.core import InputError
from support.core.validation import as_list
from support.model import GPT, evaluating
from support.model.attention import SelfAttention

Edit = Tensor | Callable[[Tensor], Tensor]  # what to put in place, or what to make of what is there
_Tap = Callable[[Tensor], Tensor | None]  # None: leave it


class Activations(dict[str, Tensor]):
    """The activation recorded at each hook point, by name; an unknown name lists the known ones."""

    def __missing__(self, name: str) -> Tensor:
        raise InputError(f"{name!r} was not recorded; there are {', '.join(self)}.")


def hook_points(model: GPT) -> list[str]:
    """The names of all hook points, in the order in which a forward pass meets them.

    - ``residual.0`` is the embedding; ``residual.k`` is the residual stream after the k-th sublayer,
      ``[batch, position, d_model]``;
    - ``blocks.0.attention.input`` and ``.feed_forward.input``: what a sublayer reads (with pre-norm, normed);
    - ``blocks.0.attention.pattern``: the attention weights, ``[batch, head, query, key]``;
    - ``blocks.0.attention.z``: each head's weighted sum of values, ``[batch, head, position, d_head]``;
    - ``blocks.0.feed_forward.activations``: the hidden units after the activation function,
      ``[batch, position, d_ff]`` (not with experts);
    - ``blocks.0.attention.output`` and ``.feed_forward.output``: what is added to the residual stream;
    - ``logits``.

    In TransformerLens's names: ``hook_resid_pre`` of block 0 and then each ``hook_resid_mid`` and
    ``hook_resid_post`` are ``residual.k``; ``attn.hook_pattern``, ``attn.hook_z`` and ``mlp.hook_post`` are
    ``pattern``, ``z`` (with head and position in the other order) and ``activations``; ``hook_attn_out`` and
    ``hook_mlp_out`` are the outputs.

    >>> from support.model import GPTConfig
    >>> hook_points(GPT(GPTConfig(vocab_size=5, n_layers=1)))[:4]
    ['residual.0', 'blocks.0.attention.input', 'blocks.0.attention.pattern', 'blocks.0.attention.z']
    """
    names = ["residual.0"]
    for i, block in enumerate(model.blocks):
        names += [f"blocks.{i}.attention.{kind}" for kind in ("input", "pattern", "z", "output")]
        kinds = ["input", *(["activations"] if hasattr(block.feed_forward, "down") else []), "output"]
        names += [f"residual.{2 * i + 1}", *(f"blocks.{i}.feed_forward.{kind}" for kind in kinds)]
        names += [f"residual.{2 * i + 2}"]
    return [*names, "logits"]


@torch.no_grad()
def run_with_cache(
    model: GPT, ids: Int[Tensor, "*batch position"] | Sequence[int], names: Sequence[str] | None = None
) -> tuple[Float[Tensor, "batch position vocab"], Activations]:
    """Run the model once; the logits, and the activations at the named hook points. Dropout is off.

    Args:
        model: any `GPT`; inside `hooked` or `ablate` the changed model is recorded (but a pattern replaced
            by `hooked` is not: what is recorded is the pattern that the head would have had).
        ids: one sequence or a batch of them.
        names: of `hook_points`; all of them if not given.

    Raises:
        InputError: a hook point does not exist, or the model does not accept the ids.

    The name is TransformerLens's (Nanda and Bloom 2022), the hook points are our own.

    >>> from support.model import GPTConfig
    >>> names = ["blocks.0.attention.pattern", "residual.4"]
    >>> logits, cache = run_with_cache(GPT(GPTConfig(vocab_size=5)), [1, 2, 3], names)
    >>> {name: tuple(x.shape) for name, x in cache.items()}
    {'blocks.0.attention.pattern': (1, 4, 3, 3), 'residual.4': (1, 3, 64)}
    """
    names = hook_points(model) if names is None else as_list("names", names, str)
    kept: dict[str, Tensor] = {}
    keep = {name: partial(kept.__setitem__, name) for name in names}
    with _tapped(model, keep), evaluating(model):
        logits = model(as_batch(model, ids))
    return logits, Activations((name, kept[name]) for name in names)


def run_with_hooks(
    model: GPT, ids: Int[Tensor, "*batch position"] | Sequence[int], hooks: Mapping[str, Edit]
) -> Float[Tensor, "batch position vocab"]:
    """The logits of one pass in which some activations are replaced; gradients flow, dropout is off.

    Args:
        model: any `GPT`; it is unchanged afterwards.
        ids: one sequence or a batch of them.
        hooks: as ``edits`` of `hooked`, which changes more than one pass.

    Raises:
        InputError: a hook point does not exist, or the model does not accept the ids.

    >>> from support.model import GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=5))
    >>> run_with_hooks(model, [1, 2, 3], {"logits": torch.zeros_like}).abs().sum().item()
    0.0
    """
    with hooked(model, hooks), evaluating(model):
        return model(as_batch(model, ids))


@contextmanager
def hooked(model: GPT, edits: Mapping[str, Edit]) -> Iterator[GPT]:
    """Replace activations while the ``with`` block lasts; gradients flow through.

    Args:
        model: the model to change; its weights stay as they are.
        edits: hook point → a tensor that fits there (or broadcasts), or a function of the activation;
            `only` makes such a function for some heads and positions.

    Raises:
        InputError: a hook point does not exist, or an edit is neither of the two.

    Follows Vig et al. 2020 and Meng et al. 2022 (activation patching).

    >>> from support.model import GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=5)); silent = {"blocks.0.attention.output": torch.zeros(())}
    >>> with hooked(model, silent):
    ...     _, seen = run_with_cache(model, [1, 2, 3], ["residual.0", "residual.1"])
    >>> seen["residual.0"].equal(seen["residual.1"])
    True
    """
    if not isinstance(edits, Mapping):
        raise InputError(f"The hooks are a dict, from hook point to edit, and not a {type(edits).__name__}.")
    for name, edit in edits.items():
        if not isinstance(edit, Tensor) and not callable(edit):
            raise InputError(
                f"The edit of {name!r} is {edit!r}; give a tensor or a function of the activation."
            )
    with _tapped(model, {name: _put(edit) for name, edit in edits.items()}):
        yield model


def only(
    edit: Edit, heads: Sequence[int] | None = None, positions: Sequence[int] | None = None
) -> Callable[[Tensor], Tensor]:
    """The same edit, for some heads (of a pattern or of z) or positions only; the rest is unchanged.

    Args:
        edit: as one of the ``edits`` of `hooked`.
        heads: counted from 0; all if not given.
        positions: of a pattern those of the queries; all if not given.

    Raises:
        InputError: in the pass, if the activation has no such head or position.

    >>> only(torch.zeros(()), positions=[1])(torch.ones(1, 3, 1)).flatten().tolist()
    [1.0, 0.0, 1.0]
    """

    def edited(value: Tensor) -> Tensor:
        # Head and position are the third and the second axis from the end at every point that has them.
        n_heads = value.shape[-3] if value.ndim == 4 else 0
        if wrong := [head for head in heads or () if not -n_heads <= head < n_heads]:
            raise InputError(f"There is no head {wrong[0]} here: the activation has {n_heads} heads.")
        chosen = torch.zeros_like(value, dtype=torch.bool)
        length = value.shape[-2]
        if late := [position for position in positions or () if not -length <= position < length]:
            raise InputError(f"There is no position {late[0]} here: the activation has {length} positions.")
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
    try:
        ids = torch.as_tensor(ids, device=model.embedding.weight.device)
    except (RuntimeError, TypeError, ValueError):
        raise InputError(
            f"{reprlib.repr(ids)} is no sequence of ids, nor texts of equal length; encode a text with its "
            "vocabulary or tokenizer."
        ) from None
    return ids if ids.ndim == 2 else ids[None]


def _put(edit: Edit) -> Callable[[Tensor], Tensor]:
    if isinstance(edit, Tensor):
        return lambda value: edit.to(value).expand_as(value)
    return edit


@contextmanager
def _tapped(model: GPT, taps: Mapping[str, _Tap]) -> Iterator[None]:
    if hasattr(model, "_orig_mod"):
        raise InputError(
            "A compiled model runs without hooks that come later; give the model as it was before."
        )
    known = hook_points(model)
    for name in taps:
        if name not in known:
            raise InputError(f"There is no hook point {name!r} in this model; there are {', '.join(known)}.")
    with ExitStack() as stack:
        for name in sorted(taps, key=known.index):  # hooks of one module run in the order in which they came
            for handle in _hooks(model, name, taps[name]):
                stack.callback(handle.remove)
        yield


def _hooks(model: GPT, name: str, tap: _Tap) -> Iterator[RemovableHandle]:
    match name.split("."):
        case ["logits"]:
            yield _behind(model, tap)
        case ["residual", "0"]:
            yield _before(model.blocks[0], tap)
        case ["residual", stage]:
            yield from _stream_hooks(model, int(stage), tap)
        case [_, layer, part, kind]:
            module = getattr(model.blocks[int(layer)], part)
            match kind:
                case "input":
                    yield _before(module, tap)
                case "output":
                    yield _behind(module, tap)
                case "activations":
                    yield _before(module.down, tap)
                case "z":
                    yield _before(module.output, _by_head(module, tap))
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
        # Between its sublayers the stream passes no module: it is the block's input plus attention's output.
        inputs: list[Tensor] = []  # the last pass's, until attention has answered

        def add(output: Tensor) -> Tensor | None:
            stream = inputs.pop()
            new = tap(stream + output)
            return None if new is None else new - stream

        yield _before(block, lambda value: inputs.__setitem__(slice(None), [value]))
        yield _behind(block.attention, add)


def _by_head(attention: SelfAttention, tap: _Tap) -> _Tap:
    def z(value: Tensor) -> Tensor | None:
        new = tap(value.unflatten(-1, (attention.n_heads, attention.d_head)).transpose(1, 2))
        return None if new is None else new.transpose(1, 2).flatten(-2)

    return z


def _pattern(tap: _Tap) -> Callable[..., Tensor | None]:
    """The fused kernel does not return the weights, so they are computed again."""

    def hook(attention: SelfAttention, args: tuple[Any, ...], _output: Tensor) -> Tensor | None:
        x, attention_context, cache = (*args, None, None)[:3]
        if cache is not None:
            raise InputError("A pattern needs the whole text in one pass; run the model without a cache.")
        weights, values = attention.weights_and_values(x, attention_context)
        new = tap(weights)
        return None if new is None else attention.merge(new @ values)

    return hook
