"""Which models a checkpoint can hold, and how each is described so that it can be built again."""

import re
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from support.core import InputError
from support.model import GPT, Classifier, Encoder, EncoderDecoder, GPTConfig

Description = dict[str, Any]  # plain values: the kind of the model, and the arguments that build it


def unwrap(model: nn.Module) -> nn.Module:
    """The model itself, out of what ``torch.compile`` and the distributed wrappers put around it.

    >>> layer = nn.Linear(2, 2)
    >>> unwrap(torch.compile(layer)) is layer
    True
    """
    inner = getattr(model, "_orig_mod", None)
    if inner is None and isinstance(model, nn.parallel.DistributedDataParallel | nn.DataParallel):
        inner = model.module
    return model if inner is None else unwrap(inner)


def describe(model: nn.Module) -> Description:
    """What `build` needs to make a model of the same kind and shape.

    Raises:
        InputError: it is no model of this package, or its parts were replaced by others.

    >>> describe(GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2)))["kind"]
    'GPT'
    """
    model = unwrap(model)
    if type(model) is GPT:
        cross = any(block.cross_attention is not None for block in model.blocks)
        found = {"kind": "GPT", "config": model.config.to_dict(), "cross": cross}
    elif type(model) is Encoder:
        found = {"kind": "Encoder", **_of_encoder(model)}
    elif type(model) is Classifier and type(model.encoder) is Encoder:
        found = {"kind": "Classifier", **_of_encoder(model.encoder)}
    elif type(model) is EncoderDecoder:
        found = {
            "kind": "EncoderDecoder",
            "config": model.encoder.config.to_dict(),
            "decoder": model.decoder.config.to_dict(),
            "share": model.decoder.embedding is model.encoder.embedding,
            "pad_id": model.encoder.pad_id,
        }
    else:
        raise InputError(
            f"A checkpoint holds a GPT, Encoder, Classifier or EncoderDecoder, not a {type(model).__name__}; "
            "save its state_dict() yourself, and train it without a folder."
        )
    differing = differences(found, model.state_dict())
    if differing:
        adapted = any(".updates." in name for name in differing)
        how = "its adapter with save_adapter" if adapted else "its state_dict() yourself"
        raise InputError(
            f"Parts of this {found['kind']} were added or replaced ({differing[0]}), so that it could not be "
            f"built again: save {how}, and train it without a folder."
        )
    return found


def build(description: Description) -> nn.Module:
    """The model of a description, with fresh weights."""
    kind = description["kind"]
    config = GPTConfig.from_dict(description["config"])
    if kind == "GPT":
        return GPT(config, cross=description["cross"])
    if kind in ("Encoder", "Classifier"):
        encoder = Encoder(config, description["n_classes"], description["pool"], description["pad_id"])
        return encoder.classifier() if kind == "Classifier" else encoder
    if kind == "EncoderDecoder":
        decoder = GPTConfig.from_dict(description["decoder"])
        return EncoderDecoder(config, decoder, description["share"], description["pad_id"])
    raise InputError(f"A checkpoint of an unknown kind of model, {kind!r}; is it from a newer version?")


class _NothingDrawn(TorchFunctionMode):
    """On the meta device nothing is drawn: its `normal_` would load the compiler, for more than a second."""

    def __torch_function__(
        self, func: Callable, types: Any, args: tuple = (), kwargs: dict | None = None
    ) -> Any:
        if func.__name__ == "normal_":
            return args[0] if args else (kwargs or {})["tensor"]
        return func(*args, **(kwargs or {}))


def differences(description: Description, weights: dict[str, Tensor]) -> list[str]:
    """In which tensors, by name, the weights differ from those of the described model; none are computed."""
    n_layers = sum(description[key]["n_layers"] for key in ("config", "decoder") if key in description)
    there = {match[0] for name in weights if (match := re.match(r"(.*\.)?blocks\.\d+\.", name))}
    if n_layers != len(there):  # before a model of as many layers as the header claims is built
        return [f"{len(there)} layers instead of {n_layers}"]
    with torch.device("meta"), _NothingDrawn():
        expected = {name: tuple(t.shape) for name, t in build(description).state_dict().items()}
    found = {name: tuple(t.shape) for name, t in weights.items()}
    return sorted(name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name))


def refuse_replaced(model: GPT) -> None:
    """Raise if a model's weights are not those that its configuration describes, before it is exported.

    Raises:
        InputError: adapters, eight-bit layers or other parts are in their place; one is named.

    >>> from support.model import quantize
    >>> refuse_replaced(quantize(GPT(GPTConfig(vocab_size=9))))
    Traceback (most recent call last):
    support.core.errors.InputError: Parts of this model were added or replaced (blocks.0...); export it as ...
    """
    plain = {"kind": "GPT", "config": model.config.to_dict(), "cross": False}
    if differing := differences(plain, model.state_dict()):
        raise InputError(
            f"Parts of this model were added or replaced ({differing[0]}); export it as it was before it was "
            "quantized, or with its adapters merged into the weights (merge_lora)."
        )


def _of_encoder(encoder: Encoder) -> Description:
    head = encoder.class_head
    return {
        "config": encoder.config.to_dict(),
        "n_classes": None if head is None else head.out_features,
        "pool": encoder.pool,
        "pad_id": encoder.pad_id,
    }
