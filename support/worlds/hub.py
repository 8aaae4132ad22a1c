"""Text from elsewhere: a file, a web address, the TinyStories collection.

Everything is read as a stream. From the web, what has arrived is kept in a cache and never fetched twice;
a download that broke off, or of which only the beginning was wanted, goes on where it stopped.
"""

import codecs
import hashlib
import http.client
import os
import re
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from support.core import InputError

CHUNK = 1 << 16
TRIES = 4
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
    if limit is not None and limit < 0:
        raise InputError(f"limit={limit} is negative; give a number of characters, or None for all of them.")
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
    if not separator:
        raise InputError("The separator is empty; give the string that stands between two documents.")
    rest = ""
    for part in _text(path_or_url, cache):
        *documents, rest = (rest + part).split(separator)
        yield from (document.strip() for document in documents if document.strip())
    if rest.strip():
        yield rest.strip()


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
    if part not in ("train", "valid"):
        raise InputError(f"TinyStories has no part {part!r}; choose 'train' or 'valid'.")
    return islice(stream_documents(path_or_url or TINYSTORIES.format(part=part), cache=cache), limit)


def cache_folder() -> Path:
    """Where fetched files are kept: ``SUPPORT_CACHE``, or a folder of the user's cache.

    >>> cache_folder().name != ""
    True
    """
    if wish := os.environ.get("SUPPORT_CACHE"):
        return Path(wish)
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
        yield from _read_file(Path(source))
    elif scheme[1].lower() in ("http", "https"):
        yield from _read_url(str(source), Path(cache) if cache is not None else cache_folder())
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


def _read_url(url: str, cache: Path) -> Iterator[bytes]:
    """First what the cache holds, then the rest from the network, kept as it comes."""
    name = re.sub(r"[^\w.-]+", "-", url.split("?")[0].rsplit("/", 1)[-1])[-80:] or "text"
    whole = cache / f"{hashlib.sha256(url.encode()).hexdigest()[:12]}-{name}"
    if whole.exists():
        yield from _read_file(whole)
        return
    part, tag = whole.with_name(whole.name + ".part"), whole.with_name(whole.name + ".tag")
    done = 0
    if part.exists():
        for chunk in _read_file(part):
            yield chunk
            done += len(chunk)
    yield from _fetch(url, done, part, tag)
    part.replace(whole)
    tag.unlink(missing_ok=True)


def _fetch(url: str, done: int, part: Path, tag: Path) -> Iterator[bytes]:
    """The bytes of ``url`` from ``done`` on, kept in ``part`` too; a broken connection is taken up."""
    trouble: Exception | None = None
    for attempt in range(TRIES):
        if attempt:
            time.sleep(0.1 * 2**attempt)  # a server that has just stumbled gets a moment
        try:
            with _open(url, done, part, tag) as answer:
                if answer is None:
                    return
                size = _size(answer)
                if answer.status != 206 and done:
                    _skip(url, answer, done, part, tag)
                part.parent.mkdir(parents=True, exist_ok=True)
                # Written at its own place, not appended: two readers at once write the same bytes twice.
                with part.open("r+b" if part.exists() else "wb") as kept:
                    kept.seek(done)
                    while chunk := answer.read(CHUNK):
                        kept.write(chunk)
                        kept.flush()
                        done += len(chunk)
                        yield chunk
            if size is None or done >= size:
                return
            trouble = ConnectionError("the connection closed early")
        except urllib.error.HTTPError as error:
            error.close()
            trouble = error
            if error.code < 500 and error.code != 429:
                raise InputError(f"{url} answers {error.code} {error.reason}; check the address.") from None
        except (OSError, http.client.HTTPException) as error:
            if isinstance(error, _ChangedError):
                raise
            trouble = error
    reason = getattr(trouble, "reason", None) or trouble
    raise ConnectionError(
        f"{url} cannot be reached ({reason}); {done:,} bytes of it are kept: "
        "connect to the network and run this again, or give the path of a file."
    )


class _ChangedError(ConnectionError):
    """The file at the address is no longer the one whose beginning was kept."""


class _Nothing:
    """Stands for the answer when the whole file has arrived already."""

    def __enter__(self):
        return None

    def __exit__(self, *_):
        return None


def _open(url: str, done: int, part: Path, tag: Path):
    """Ask for the rest of the file; the whole of it comes if the file has changed since (`If-Range`)."""
    request = urllib.request.Request(url, headers={"User-Agent": "neuron-to-assistant"})
    if done:
        request.add_header("Range", f"bytes={done}-")
        if tag.exists():
            request.add_header("If-Range", tag.read_text())
    try:
        answer = urllib.request.urlopen(request, timeout=30)
    except urllib.error.HTTPError as error:
        # "Range not satisfiable": nothing follows what we have.
        if error.code == 416 and error.headers.get("Content-Range", "").endswith(f"/{done}"):
            error.close()
            return _Nothing()
        raise
    if mark := answer.headers.get("ETag"):
        tag.parent.mkdir(parents=True, exist_ok=True)
        if not tag.exists():
            tag.write_text(mark)
    return answer


def _size(answer) -> int | None:
    """The length of the whole file, from the answer to a request for all or for the rest of it."""
    if answer.status == 206:
        total = answer.headers.get("Content-Range", "").rsplit("/", 1)[-1]
        return int(total) if total.isdigit() else None
    length = answer.headers.get("Content-Length", "")
    return int(length) if length.isdigit() else None


def _skip(url: str, answer, done: int, part: Path, tag: Path) -> None:
    """The server sent the file from its beginning: pass over what was read before, if it is the same."""
    with part.open("rb") as kept:
        while kept.tell() < done:
            old = kept.read(min(CHUNK, done - kept.tell()))
            new = b""
            while len(new) < len(old) and (more := answer.read(len(old) - len(new))):
                new += more
            if new != old:
                part.unlink()
                tag.unlink(missing_ok=True)
                raise _ChangedError(f"{url} has changed since its beginning was fetched; run again.")
