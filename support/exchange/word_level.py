"""A `Vocabulary` as the JSON file of the `tokenizers` library ("WordLevel"), both ways."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NotRequired

from typing_extensions import TypedDict  # pydantic wants it, up to Python 3.11

from support.core import InputError
from support.core.json_file import read_json
from support.core.validation import CountOrZero, check, holds_only_its_fields
from support.text import Vocabulary
from support.text.tokenizers_json import as_file

# Where Python's str.split() parts a text; `tokenizers` calls fewer characters white space.
WHITE_SPACE = "[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+"
_SPLIT = {
    "type": "Split",
    "pattern": {"Regex": WHITE_SPACE},
    "behavior": "Removed",
    "invert": False,
}


# Anything else might change the ids.
@holds_only_its_fields
class _Model(TypedDict):
    type: str
    vocab: dict[str, CountOrZero]
    unk_token: str


@holds_only_its_fields
class _File(TypedDict):
    model: _Model
    pre_tokenizer: dict[str, Any]
    version: NotRequired[str]
    added_tokens: NotRequired[list[dict[str, Any]]]
    post_processor: NotRequired[dict[str, Any] | None]
    normalizer: NotRequired[None]
    truncation: NotRequired[None]
    padding: NotRequired[None]
    decoder: NotRequired[None]


def word_level(vocabulary: Vocabulary, special: Iterable[str] = ()) -> dict[str, Any]:
    """The content of a ``tokenizer.json`` that gives the vocabulary's ids.

    Args:
        vocabulary: its tokens become the file's; without an ``unk`` an unknown word is an error there, too.
        special: tokens that decoding may leave out.

    >>> word_level(Vocabulary(["<PAD>", "cat"]), special=["<PAD>"])["model"]["vocab"]
    {'<PAD>': 0, 'cat': 1}
    """
    # A special token is cut out of a text only where it is a word of its own, as it is for the vocabulary
    # (but `tokenizers` cuts it out beside a punctuation mark, too).
    model = {
        "type": "WordLevel",
        "vocab": {token: i for i, token in enumerate(vocabulary)},
        # The empty string is no token of ours, so it marks the lack of one.
        "unk_token": vocabulary.unk or "",
    }
    return as_file({token: vocabulary.id(token) for token in special}, _SPLIT, model, whole_words=True)


def read_word_level(path: Path) -> Vocabulary:
    """The vocabulary of a ``tokenizer.json`` of words.

    Raises:
        InputError: the file is of another kind, or cuts texts otherwise than at white space.
    """
    content = read_json(path, "give the path of a tokenizer.json")
    check(path.name, content, _File)
    model, before = content["model"], content["pre_tokenizer"]
    if model["type"] != "WordLevel" or before not in (_SPLIT, {"type": "WhitespaceSplit"}):
        raise InputError(
            f"{path.name} holds {model['type']} after {before.get('type')}, not words at white space; "
            "load it with `tokenizers`."
        )
    if sorted(model["vocab"].values()) != list(range(len(model["vocab"]))):
        raise InputError(f"{path.name} does not number its {len(model['vocab'])} words from 0 on, each once.")
    for entry in content.get("added_tokens", ()):
        if model["vocab"].get(entry.get("content")) != entry.get("id"):
            raise InputError(
                f"{path.name} adds the token {entry.get('content')!r}, which is not among its words."
            )
    words = sorted(model["vocab"], key=model["vocab"].__getitem__)
    return Vocabulary(words, model["unk_token"] if model["unk_token"] in model["vocab"] else None)
