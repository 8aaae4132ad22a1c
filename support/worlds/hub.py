"""Text from elsewhere: a file, a web address, the TinyStories collection.

Everything is read as a stream. From the web, what has arrived is kept in a cache and never fetched twice;
a download that broke off, or of which only the beginning was wanted, goes on where it stopped.
"""

import codecs
import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from support.core import InputError
from support.core.json_file import as_path
from support.core.validation import CountOrZero, check
from support.worlds.download import CHUNK, read_url

TINYSTORIES = "https://huggingface.co/datasets/roneneldan/TinyStories/resolve/main/TinyStories-{part}.txt"
END_OF_STORY = "<|endoftext|>"

Source = str | os.PathLike[str]


def load_text(path_or_url: Source, limit: int | None = None, cache: Source | None = None) -> str:
    """The text of a file or of a web address (UTF-8), or its beginning.

    Args:
        path_or_url: a path, or an address that begins with ``http://`` or ``https://``.
        limit: at most so many characters; of a web file no more than needed is fetched.
        cache: the folder for what is fetched; by default :func:`cache_folder`.

    Raises:
        InputError: no such file or address, or it is not UTF-8 text.
        ConnectionError: the address cannot be reached and the cache does not hold enough of it.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "note.txt"
    >>> _ = path.write_text("Pietro chiama Paolo")
    >>> load_text(path, limit=6)
    'Pietro'
    """
    check("load_text: limit", limit, CountOrZero | None)
    parts, length = [], 0
    for part in _text(path_or_url, cache):
        parts.append(part)
        length += len(part)
        if limit is not None and length >= limit:
            break
    return "".join(parts)[:limit]


def stream_documents(
    path_or_url: Source, separator: str = END_OF_STORY, cache: Source | None = None
) -> Iterator[str]:
    """The documents of a large file one by one, never the whole in memory.

    Args:
        path_or_url: a path or a web address, as for :func:`load_text`.
        separator: what stands between two documents; documents of white space only are left out.
        cache: the folder for what is fetched.

    Raises:
        InputError, ConnectionError: as :func:`load_text`, when the stream gets there.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "two.txt"
    >>> _ = path.write_text("One day.<|endoftext|>Another day.")
    >>> list(stream_documents(path))
    ['One day.', 'Another day.']
    """
    check("stream_documents: separator", separator, str)
    if not separator:
        raise InputError("The separator is empty; give the string that stands between two documents.")
    parts: list[str] = []  # of the document that has not ended yet
    for part in _text(path_or_url, cache):
        end = parts[-1][-len(separator) :] if parts else ""
        parts.append(part)
        if separator in end + part:  # look through it only where something has changed
            *documents, rest = "".join(parts).split(separator)
            yield from (document.strip() for document in documents if document.strip())
            parts = [rest]
        elif len(part) < len(separator):
            parts[-2:] = ["".join(parts[-2:])]
    if last := "".join(parts).strip():
        yield last


def tinystories(
    part: str = "valid",
    limit: int | None = None,
    path_or_url: Source | None = None,
    cache: Source | None = None,
) -> Iterator[str]:
    """Short stories that use the words of a small child, one by one.

    Args:
        part: ``"train"`` (2 GB) or ``"valid"`` (20 MB); only as much as is read gets fetched.
        limit: at most so many stories.
        path_or_url: another copy of the file, for instance one on this disk.
        cache: the folder for what is fetched.

    Raises:
        InputError: there is no such part.
        ConnectionError: the collection cannot be reached and the cache does not hold enough of it.

    Source: Eldan and Li (2023), https://arxiv.org/abs/2305.07759.
    """
    check("tinystories: limit", limit, CountOrZero | None)
    if part not in ("train", "valid"):
        raise InputError(f"TinyStories has no part {part!r}; choose 'train' or 'valid'.")
    return islice(stream_documents(path_or_url or TINYSTORIES.format(part=part), cache=cache), limit)


def cache_folder() -> Path:
    """Where fetched files are kept: ``SUPPORT_CACHE``, or a folder of the user's cache.

    >>> cache_folder().name != ""
    True
    """
    if chosen := os.environ.get("SUPPORT_CACHE"):
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "neuron-to-assistant"


def _text(source: Source, cache: Source | None) -> Iterator[str]:
    """Pieces of text; a character whose bytes were cut apart waits for its other half."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for chunk in _bytes(source, cache):
            yield decoder.decode(chunk)
        yield decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise InputError(f"{source} is not UTF-8 text ({error.reason}); convert it to UTF-8 first.") from None


def _bytes(source: Source, cache: Source | None) -> Iterator[bytes]:
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]+)://", str(source))
    if scheme is None:
        yield from _read_file(as_path(source, "give a path or a web address"))
    elif scheme[1].lower() in ("http", "https"):
        yield from read_url(str(source), Path(cache) if cache is not None else cache_folder())
    else:
        raise InputError(f"{source}: addresses of kind {scheme[1]}:// are not read; use http(s) or a path.")


def _read_file(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            while chunk := file.read(CHUNK):
                yield chunk
    except FileNotFoundError:
        raise InputError(f"There is no file {path}; check the path.") from None
    except (IsADirectoryError, PermissionError) as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); give a text file.") from None
