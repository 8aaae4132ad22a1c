"""The fields of a ``config.json``: a count, a number, a flag, RoPE; a sentence for one that does not fit."""

from collections.abc import Mapping
from typing import Any

from support.core import InputError
from support.core.validation import Fraction, check
from support.model.config import ROPE_SCALINGS

Fields = Mapping[str, Any]

ACTIVATIONS = {
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu_fast": "gelu_tanh",
    "gelu": "gelu",
    "relu": "relu",
}
_ROPES = {"default": set[str](), **ROPE_SCALINGS}
_OF_ROPE = {"rope_type", "type", "rope_theta", "partial_rotary_factor", "original_max_position_embeddings"}


def get_rope(
    fields: Fields, usual_base: float, share: float | None = None
) -> tuple[int | float, dict[str, Any] | None, int | float]:
    """The base of RoPE's frequencies, how they are scaled, and the share of each head that is rotated.

    ``share`` is the usual share, for an architecture that knows one; others rotate the whole head. Newer
    files say all under ``rope_parameters``, older ones under ``rope_theta`` and ``rope_scaling``.
    """
    newer, older = (_rope_place(fields, where) for where in ("rope_parameters", "rope_scaling"))
    for name in older.keys() & newer.keys():
        if newer[name] != older[name]:
            raise InputError(f"The fields rope_scaling and rope_parameters contradict each other in {name}.")
    given, kind = newer | older, (newer | older).get("rope_type", "default")
    factor = "partial_rotary_factor"
    parts = [place[factor] for place in (given, fields) if place.get(factor) is not None]
    if share is None and any(part != 1 for part in parts):
        part = next(part for part in parts if part != 1)
        raise InputError(f"The field partial_rotary_factor={part} is not built here; only 1.0 is.")
    part = get_number({factor: parts[0] if parts else share or 1.0}, factor)
    bases = [place["rope_theta"] for place in (given, fields) if place.get("rope_theta") is not None]
    if len(bases) == 2 and bases[0] != bases[1]:
        raise InputError(
            f"The field rope_theta={bases[1]!r} contradicts rope_parameters, which says {bases[0]!r}."
        )
    base = get_number({"rope_theta": bases[0] if bases else None}, "rope_theta", usual_base)
    for name in sorted(set(map(str, given)) - _OF_ROPE.union(_ROPES[kind])):
        raise InputError(
            f"RoPE of rope_type={kind!r} has {name}={given.get(name)!r}, which is not built here."
        )
    if kind == "default":
        return base, None, part
    trained = "original_max_position_embeddings"
    usual = {trained: fields.get(trained) or given.get(trained) or fields.get("max_position_embeddings")}
    scaling = {"rope_type": kind} | {
        name: get_number({**given, **usual}, name)
        for name in sorted(_ROPES[kind])
        if name in {**given, **usual}
    }
    return base, scaling, part


def _rope_place(fields: Fields, where: str) -> dict[str, Any]:
    """What one of the two fields says, in the newer spelling."""
    given = fields.get(where) or {}
    if not isinstance(given, dict) or any(isinstance(value, dict) for value in given.values()):
        raise InputError(f"The field {where} differs from layer to layer, which is not built here.")
    kind = given.get("rope_type", given.get("type", "default"))
    if not isinstance(kind, str) or kind not in _ROPES:
        known = ", ".join(_ROPES)
        raise InputError(
            f"The field {where} has rope_type={kind!r}, which is not built here; known: {known}."
        )
    named = {"rope_type": kind} if "rope_type" in given or "type" in given else {}
    return {name: value for name, value in given.items() if name != "type"} | named


MISSING: Any = object()


def _get(fields: Fields, name: str, usual: Any) -> Any:
    value = fields.get(name)
    value = usual if value is None else value
    if value is MISSING:
        raise InputError(f"config.json lacks the field {name!r}; is it complete?")
    return value


def get_count(fields: Fields, name: str, usual: Any = MISSING) -> Any:
    value = _get(fields, name, usual)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise InputError(f"The field {name}={value!r} must be a whole number.")
    return value


def get_number(fields: Fields, name: str, usual: Any = MISSING) -> int | float:
    value = _get(fields, name, usual)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"The field {name}={value!r} must be a number.")
    return value


def get_flag(fields: Fields, name: str, usual: bool) -> bool:
    value = _get(fields, name, usual)
    if not isinstance(value, bool):
        raise InputError(f"The field {name}={value!r} must be true or false.")
    return value


def check_only(fields: Fields, name: str, needed: Any) -> None:
    value = fields.get(name)
    if value is not None and value != needed:
        raise InputError(f"The field {name}={value!r} is not built here; only {needed!r} is.")


def get_known(fields: Fields, name: str, usual: str, known: Mapping[str, str]) -> str:
    value = fields.get(name, usual)
    if not isinstance(value, str) or value not in known:
        raise InputError(f"The field {name}={value!r} is not built here; known: {', '.join(known)}.")
    return known[value]


def get_activation(fields: Fields, name: str, usual: str) -> Any:
    """Our name of the activation function that a field names."""
    return get_known(fields, name, usual, ACTIVATIONS)


def their_activation(ours: str) -> str:
    """Their first name of our activation function.

    >>> their_activation("gelu_tanh")
    'gelu_new'
    """
    return next(theirs for theirs, name in ACTIVATIONS.items() if name == ours)


def get_rate(fields: Fields, names: str, usual: float) -> int | float:
    """The rate of dropout, if it is one for all places; it plays no part unless the model is trained."""
    rates = {get_number(fields, name, usual) for name in names.split()}
    for rate in rates:
        check(f"The fields {', '.join(names.split())}: a rate", rate, Fraction)
    return rates.pop() if len(rates) == 1 else 0.0
