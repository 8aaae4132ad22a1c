"""The files in which OpenAI published vocabularies: ``vocab.bpe`` with ``encoder.json``, and tiktoken's."""

import base64
import gzip
import os
import zlib
from collections.abc import Mapping

from support.core import InputError
from support.core.json_file import as_path, parse_json, read_bytes
from support.core.validation import CountOrZero, check
from support.text.byte_alphabet import BYTES, Pair, from_printable

Source = str | os.PathLike[str]


def read_gpt2(merges: Source, ids: Source | None) -> tuple[list[Pair], list[str], dict[bytes | str, int]]:
    """Merges, special tokens and ids from ``vocab.bpe`` and ``encoder.json``.

    Without the second file the ids are the bytes', then the merges', as GPT-2 has them.

    Raises:
        InputError: a file is missing or of another form; the line or entry is named.
    """
    pairs = _read_merges(merges)
    made = list(dict.fromkeys([*BYTES, *(left + right for left, right in pairs)]))
    if ids is None:
        return pairs, [], {token: i for i, token in enumerate(made)}
    advice = "give an encoder.json, which holds the id of every token"
    name, content = _read(ids, advice)
    numbers = parse_json(content, name, advice)
    check(name, numbers, dict[str, int])
    known = set(made)
    learned: dict[bytes | str, int] = {}
    special: dict[bytes | str, int] = {}
    for written, i in numbers.items():
        token = _bytes_or_none(written)
        if token is not None and token in known:
            learned[token] = i
        else:
            special[written] = i
    return pairs, [str(token) for token in special], {**learned, **special}


def _read_merges(path: Source) -> list[Pair]:
    name, content = _read(path, "give a vocab.bpe, which holds one merge a line")
    pairs = []
    for number, line in enumerate(_text(content, name).split("\n"), start=1):
        if not line.strip("\r") or (number == 1 and line.startswith("#version")):
            continue
        halves = line.strip("\r").split(" ")
        if len(halves) != 2 or not all(halves):
            raise InputError(f"{name} is no list of merges: line {number}, {line[:40]!r}, is not two tokens.")
        pairs.append((from_printable(halves[0]), from_printable(halves[1])))
    return pairs


def _bytes_or_none(written: str) -> bytes | None:
    try:
        return from_printable(written)
    except InputError:
        return None


def read_tiktoken(
    path: Source, special_tokens: Mapping[str, int]
) -> tuple[list[Pair], list[str], dict[bytes | str, int]]:
    """Merges, special tokens and ids from a file of tiktoken; ids that nothing has get a name.

    Raises:
        InputError: the file is missing or of another form, or a special token's id is taken.
    """
    check("special_tokens", special_tokens, Mapping[str, CountOrZero])
    ranks = _read_ranks(path)
    numbers = [*ranks.values(), *special_tokens.values()]
    if len(set(numbers)) < len(numbers):
        raise InputError("Two tokens have the same id; give each special token an id that is free.")
    gaps = sorted(set(range(max(numbers))) - set(numbers))
    if len(gaps) > len(numbers):
        raise InputError(f"The ids reach {max(numbers)}, but most below have no token; check the ids.")
    special = {**special_tokens, **{f"<|unused_{i}|>": i for i in gaps}}
    ids: dict[bytes | str, int] = dict(ranks.items())
    ids |= special.items()
    return halves(ranks), list(special), ids


def _read_ranks(path: Source) -> dict[bytes, int]:
    """The rank of every token: on each line stands a token in base64, and its rank."""
    name, content = _read(path, "give a .tiktoken file")
    ranks: dict[bytes, int] = {}
    for number, line in enumerate(_text(content, name).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            written, rank = line.split()
            token, ranks_so_far = base64.b64decode(written, validate=True), len(ranks)
            ranks[token] = int(rank)
        except ValueError:  # binascii.Error is one
            raise InputError(
                f"{name} is no file of tiktoken: line {number}, {line[:40]!r}, is not a token in base64 and "
                "its rank."
            ) from None
        if not token or len(ranks) == ranks_so_far:
            raise InputError(
                f"{name}: the token on line {number} is empty or repeated; fetch the file again."
            )
    if absent := [byte for byte in BYTES if byte not in ranks]:
        raise InputError(f"{name} has no rank for the byte {absent[0]!r}; give a whole file of tiktoken.")
    check(f"{name}: a rank", min(ranks.values()), CountOrZero)
    return ranks


def halves(ranks: Mapping[bytes, int]) -> list[Pair]:
    """Every pair of tokens that make a token, by the rank of what they make.

    >>> halves({b"a": 0, b"b": 1, b"ab": 2, b"aba": 4, b"ba": 3})
    [(b'a', b'b'), (b'b', b'a'), (b'a', b'ba'), (b'ab', b'a')]
    """
    return [
        (token[:i], token[i:])
        for token in sorted(ranks, key=ranks.__getitem__)
        for i in range(1, len(token))
        if token[:i] in ranks and token[i:] in ranks
    ]


def _read(path: Source, advice: str) -> tuple[str, bytes]:
    """A file's name and content, unpacked if it was packed."""
    name, content = as_path(path, advice).name, read_bytes(path, advice)
    if content[:2] != b"\x1f\x8b":
        return name, content
    try:
        return name, gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{name} is a damaged gzip file ({error}); fetch it again.") from None


def _text(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is not UTF-8 text ({error.reason}); fetch it again.") from None
