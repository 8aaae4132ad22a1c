"""A byte-level BPE tokenizer as the JSON file of the `tokenizers` library, both ways."""

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired

from typing_extensions import TypedDict  # pydantic wants it, up to Python 3.11

from support.core import InputError
from support.core.validation import CountOrZero, check, holds_only_its_fields, may_hold_more
from support.text.byte_alphabet import Pair, from_printable, printable
from support.text.pretokenise import SOURCES

NORMAL_FORMS = ("NFC", "NFD", "NFKC", "NFKD")  # of Unicode


# What a file may hold; anything else is refused, because it might change the ids.
@holds_only_its_fields
class _AddedToken(TypedDict):
    id: CountOrZero
    content: str
    single_word: NotRequired[bool]
    lstrip: NotRequired[bool]
    rstrip: NotRequired[bool]
    normalized: NotRequired[bool]
    special: NotRequired[bool]


@holds_only_its_fields
class _Model(TypedDict):
    type: NotRequired[str]
    dropout: NotRequired[float | None]
    unk_token: NotRequired[str | None]
    continuing_subword_prefix: NotRequired[str | None]
    end_of_word_suffix: NotRequired[str | None]
    fuse_unk: NotRequired[bool]
    byte_fallback: NotRequired[bool]
    ignore_merges: NotRequired[bool]
    vocab: dict[str, CountOrZero]
    merges: list[Any]


@may_hold_more
class _Steps(TypedDict):
    type: str
    pretokenizers: NotRequired[list[dict[str, Any]]]
    processors: NotRequired[list[dict[str, Any]]]


@holds_only_its_fields
class _File(TypedDict):
    version: NotRequired[str]
    truncation: NotRequired[Any]
    padding: NotRequired[Any]
    added_tokens: NotRequired[list[_AddedToken] | None]
    normalizer: NotRequired[_Steps | None]
    pre_tokenizer: NotRequired[_Steps | None]
    post_processor: NotRequired[_Steps | None]
    decoder: NotRequired[_Steps | None]
    model: _Model


def as_file(
    special_tokens: Mapping[str, int],
    pre_tokenizer: dict[str, Any],
    model: dict[str, Any],
    whole_words: bool = False,
    **more: Any,
) -> dict[str, Any]:
    """The frame of such a file; ``whole_words``: a special token is cut out only where it is a word."""
    rules = {"single_word": whole_words, "lstrip": False, "rstrip": False}
    rules |= {"normalized": False, "special": True}
    by_id = sorted(special_tokens.items(), key=lambda item: item[1])
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": i, "content": token, **rules} for token, i in by_id],
        "normalizer": None,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": None,
        "decoder": None,
        "model": model,
        **more,
    }


_BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}


def to_content(
    merges: list[Pair],
    vocabulary: Mapping[bytes, int],
    special_tokens: Mapping[str, int],
    pattern: str = "gpt-2",
    normal_form: str | None = None,
    whole_pieces: bool = False,
) -> dict[str, Any]:
    """What the file holds."""
    plain = {**_BYTE_LEVEL, "use_regex": False}
    cut = {"type": "Split", "pattern": {"Regex": SOURCES[pattern]}, "behavior": "Isolated", "invert": False}
    own = {"type": "Sequence", "pretokenizers": [cut, plain]}
    ids = {printable(token): i for token, i in vocabulary.items()} | dict(special_tokens)
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": whole_pieces,
        "vocab": dict(sorted(ids.items(), key=lambda item: item[1])),
        "merges": [[printable(left), printable(right)] for left, right in merges],
    }
    normalizer = {"type": normal_form} if normal_form else None
    cutting = _BYTE_LEVEL if pattern == "gpt-2" else own
    return as_file(special_tokens, cutting, model, normalizer=normalizer, decoder=_BYTE_LEVEL)


def from_content(
    content: Any, name: str
) -> tuple[list[Pair], list[str], dict[bytes | str, int], dict[str, Any]]:
    """Merges, special tokens, the id of everything, and the further rules of `to_content`.

    Args:
        content: of a file that is called ``name`` in messages.
        name: of the file.

    Raises:
        InputError: it is not a byte-level BPE tokenizer, or has a setting that would make other ids than
            ours; the message names it.
    """
    if isinstance(content, dict) and isinstance(content.get("model"), dict):
        kind = content["model"].get("type", "BPE")
        if kind != "BPE":
            raise InputError(f"{name} has a model of type {kind!r}; load it with `tokenizers`.")
    check(name, content, _File)
    model = content["model"]
    vocabulary: dict[str, int] = model["vocab"]
    merges = [_merge(name, written) for written in model["merges"]]
    added: dict[str, dict[str, Any]] = {t["content"]: t for t in content.get("added_tokens") or []}
    for trouble in _unsupported(content, model, added.values()):
        raise InputError(
            f"{name} has {trouble}, which this tokenizer does not know; load it with `tokenizers`."
        )
    # The model's vocabulary may hold the special tokens or not; the list of added tokens always does.
    ids: dict[bytes | str, int] = {from_printable(t): i for t, i in vocabulary.items() if t not in added}
    ids |= {token: entry["id"] for token, entry in added.items()}
    rules = {
        "pattern": _pattern(content.get("pre_tokenizer") or {}),
        "normal_form": (content.get("normalizer") or {}).get("type"),
        "whole_pieces": bool(model.get("ignore_merges")),
    }
    return merges, list(added), ids, rules


def _merge(name: str, written: Any) -> Pair:
    halves: Any = written.split(" ") if isinstance(written, str) else written
    if not isinstance(halves, Sequence) or len(halves) != 2 or not all(isinstance(h, str) for h in halves):
        raise InputError(f"{name} has the merge {written!r}, which is not two tokens; write the file again.")
    return from_printable(halves[0]), from_printable(halves[1])


def _unsupported(content: dict, model: dict, added) -> list[str]:
    """What in the file would change the ids in a way that this package does not follow."""
    before, normalizer = content.get("pre_tokenizer") or {}, content.get("normalizer") or {}
    trouble = [
        f"{setting}={content[setting]!r}" for setting in ("truncation", "padding") if content.get(setting)
    ]
    if _pattern(before) is None:
        known = ", ".join(SOURCES)
        trouble.append(f"the pre-tokenizer {_described(before)} (it knows the patterns of {known})")
    if any(part.get("add_prefix_space") for part in [before, *before.get("pretokenizers", ())]):
        trouble.append("add_prefix_space")
    if normalizer and normalizer.get("type") not in NORMAL_FORMS:
        trouble.append(f"the normalizer {normalizer.get('type')}")
    after = content.get("post_processor") or {}
    # What a template adds stands around the text; the text's own ids stay as they are.
    for part in after.get("processors", [after]):
        if part.get("type", "ByteLevel") not in ("ByteLevel", "TemplateProcessing"):
            trouble.append(f"the post-processor {part['type']}")
    if (decoder := content.get("decoder") or {}).get("type") != "ByteLevel":
        trouble.append(f"the decoder {decoder.get('type')}")
    # An unk_token has no effect: with all 256 bytes in the vocabulary nothing is unknown.
    for setting in (
        "dropout",
        "continuing_subword_prefix",
        "end_of_word_suffix",
        "byte_fallback",
        "fuse_unk",
    ):
        if model.get(setting):
            trouble.append(f"the model setting {setting}")
    for setting in ("single_word", "lstrip", "rstrip", *(["normalized"] if normalizer else [])):
        trouble += [f"the setting {setting} of {t['content']!r}" for t in added if t.get(setting)]
    return trouble


def _pattern(before: Mapping[str, Any]) -> str | None:
    """The known pattern by which a pre-tokenizer cuts; None if it is another."""
    if before.get("type") == "ByteLevel":
        return "gpt-2" if before.get("use_regex", True) else None
    match before.get("pretokenizers"):
        case [{"type": "Split", "behavior": "Isolated", "pattern": {"Regex": source}} as cut, last]:
            plain = last.get("type") == "ByteLevel" and not last.get("use_regex", True)
            if plain and not cut.get("invert"):
                return next((name for name, known in SOURCES.items() if known == source), None)
    return None


def _described(before: Mapping[str, Any]) -> str:
    parts = before.get("pretokenizers") or [before]
    return " + ".join(str(part.get("type")) for part in parts)
