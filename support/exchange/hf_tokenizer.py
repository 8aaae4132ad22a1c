"""The tokenizer of a checkpoint's folder: ``tokenizer.json`` and ``tokenizer_config.json``, both ways."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from support.core import InputError
from support.core.json_file import read_json, write_json
from support.core.validation import CountOrZero, check, checked
from support.exchange.word_level import read_word_level, word_level
from support.text import BPETokenizer, Vocabulary

Tokenizer = BPETokenizer | Vocabulary
TOKENIZER, SETTINGS = "tokenizer.json", "tokenizer_config.json"
# What a special token is usually called; an id that is given counts for more.
_USUAL = {
    "bos": ("<BOS>", "<bos>", "<s>", "<|begin_of_text|>", "<|startoftext|>"),
    "eos": ("<EOS>", "<eos>", "</s>", "<|end_of_text|>", "<|endoftext|>"),
    "pad": ("<PAD>", "<pad>", "[PAD]", "<|pad|>"),
}


def special_ids(tokenizer: Tokenizer, given: Mapping[str, Any], vocab_size: int) -> dict[str, int]:
    """The ids that a ``config.json`` names: where a text begins and ends, and what fills a batch.

    What is not given is found by its usual name; padding without a token of its own takes the end's.

    Args:
        tokenizer: whose ids.
        given: may hold ``bos_token_id``, ``eos_token_id`` and ``pad_token_id``.
        vocab_size: of the model.

    Raises:
        InputError: the tokenizer does not fit the model, or a given id is no special token's.

    >>> special_ids(Vocabulary(["<PAD>", "<EOS>", "cat"]), {}, vocab_size=3)
    {'eos_token_id': 1, 'pad_token_id': 0}
    """
    if len(tokenizer) > vocab_size:
        raise InputError(
            f"The tokenizer has {len(tokenizer)} ids and the model {vocab_size}; give the model's own."
        )
    ids = _special_tokens(tokenizer)
    found: dict[str, int] = {}
    for role, usual in _USUAL.items():
        name = f"{role}_token_id"
        known = [ids[token] for token in usual if token in ids]
        value = given.get(name, known[0] if known else None)
        value = value[0] if isinstance(value, list) and value else value
        if value is None and role == "pad":
            value = found.get("eos_token_id")
        if value is None:
            continue
        check(name, value, CountOrZero)
        if value not in ids.values():
            raise InputError(f"{name}={value} is no special token of the tokenizer; give the id of one.")
        found[name] = value
    return found


def _special_tokens(tokenizer: Tokenizer) -> dict[str, int]:
    """The tokens that may have a role; every word of a vocabulary may."""
    if isinstance(tokenizer, BPETokenizer):
        return tokenizer.special_tokens
    return {token: i for i, token in enumerate(tokenizer)}


def write_tokenizer(folder: Path, tokenizer: Tokenizer, ids: Mapping[str, int], context: int) -> None:
    """Write both files.

    Args:
        folder: of the checkpoint.
        tokenizer: its ids are those that ``AutoTokenizer`` gives.
        ids: what `special_ids` found.
        context: the longest text that the model reads, in ids.
    """
    by_id = {i: token for token, i in _special_tokens(tokenizer).items()}
    roles = {name.removesuffix("_id"): by_id[i] for name, i in ids.items()}
    if isinstance(tokenizer, Vocabulary) and tokenizer.unk is not None:
        roles["unk_token"] = tokenizer.unk
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": context,
        "model_input_names": ["input_ids", "attention_mask"],
        "padding_side": "left",  # so that a batch can be continued at its right end
        "clean_up_tokenization_spaces": False,
        **roles,
    }
    if isinstance(tokenizer, BPETokenizer):
        tokenizer.save(folder / TOKENIZER)
    else:
        write_json(folder / TOKENIZER, word_level(tokenizer, roles.values()))
    write_json(folder / SETTINGS, settings)


@checked
def tokenizer_from_huggingface(folder: str | os.PathLike[str]) -> Tokenizer:
    """The tokenizer in a checkpoint's folder: a `BPETokenizer`, or a `Vocabulary` if it knows whole words.

    What transformers puts around a text (Llama 3 begins each with a special token) is left to the caller.

    Args:
        folder: holds a ``tokenizer.json``, or GPT-2's two files ``vocab.json`` and ``merges.txt``.

    Raises:
        InputError: there is no such file, or the tokenizer is of a kind that is not built here.

    >>> import tempfile
    >>> from support.exchange.hf_tokenizer import write_tokenizer
    >>> folder = Path(tempfile.mkdtemp())
    >>> write_tokenizer(folder, Vocabulary(["<PAD>", "cat"]), {"pad_token_id": 0}, context=8)
    >>> tokenizer_from_huggingface(folder).encode("cat")
    [1]
    """
    place = Path(folder)
    if not (place / TOKENIZER).exists() and (place / "merges.txt").is_file():
        return BPETokenizer.from_gpt2_files(place / "merges.txt", place / "vocab.json")
    content = read_json(place / TOKENIZER, "give a checkpoint's folder that holds one")
    model = content.get("model") if isinstance(content, dict) else None
    if isinstance(model, dict) and model.get("type") == "WordLevel":
        return read_word_level(place / TOKENIZER)
    return BPETokenizer.load(place / TOKENIZER)
