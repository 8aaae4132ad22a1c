"""A file at a web address as a stream of bytes; what has arrived is kept, checked, and never fetched twice.

`pooch` and `huggingface_hub` fetch whole files. Here a reader who wants three stories of two gigabytes gets
them after three stories' bytes, and the next reader goes on from there.
"""

import hashlib
import http.client
import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

from support.core import InputError
from support.worlds.download_cache import Kept

CHUNK = 1 << 16
TRIES = 4
TIMEOUT = 15  # seconds without a single byte
SLOWEST, PATIENCE = 100, 30  # bytes a second, over so many seconds


class ChangedError(ConnectionError):
    """The file at the address is no longer the one whose beginning was read."""


class _NoRangeError(ConnectionError):
    """The server's answer to a request for the rest is not that rest."""


def read_url(url: str, folder: Path) -> Iterator[bytes]:
    """First what the folder holds of the file, then the rest from the network, kept as it comes.

    Raises:
        InputError: the address is wrong, or leads to a web page instead of a text.
        ConnectionError: it cannot be reached, or is too slow, and the folder does not hold enough of it.
    """
    kept, done, seen = Kept(url, folder), 0, hashlib.sha256()
    for alone in (False, True):  # first beside others, then under the lock: more may be there by then
        with ExitStack() as stack:
            if alone:
                stack.enter_context(kept.writing())
                stack.callback(kept.close)
            for block in kept.blocks(done):
                done += len(block)
                seen.update(block)
                yield block
            if kept.whole:
                return
            if alone:
                yield from _fetch(kept, done, seen)


def _fetch(kept: Kept, done: int, seen: Any) -> Iterator[bytes]:
    """The bytes from ``done`` on; a broken connection is taken up."""
    trouble: Exception | None = None
    ranges = bool(kept.tag)  # without a mark of the version, the rest might be another file's
    for attempt in range(TRIES):
        if attempt:
            sleep(0.1 * 2**attempt)  # a server that has just stumbled gets a moment
        try:
            with _open(kept, done if ranges else 0) as answer:
                size, tag = _size(answer), answer.headers.get("ETag") or answer.headers.get("Last-Modified")
                _refuse_pages(kept.url, answer)
                if done and answer.status == 206:
                    _check_range(answer, done, kept.tag)
                elif done:
                    _skip(kept, answer, done, seen)
                kept.close()
                kept.begin(done, "" if not tag or tag.startswith("W/") else tag)
                ranges = bool(kept.tag)
                for block in _timed(answer):
                    if not done and block.lstrip()[:14].lower().startswith((b"<!doctype html", b"<html")):
                        _refuse_page(kept)
                    kept.keep(block)
                    done += len(block)
                    seen.update(block)
                    yield block
            if size is None or done >= size:
                kept.end()
                return
            trouble = ConnectionError("the connection closed early")
        except urllib.error.HTTPError as error:
            error.close()
            trouble = error
            if error.code == 416:  # nothing follows what we have, or the range was wrong
                if done and error.headers.get("Content-Range", "").endswith(f"/{done}"):
                    kept.begin(done, kept.tag)
                    kept.end()
                    return
                ranges = False
            elif error.code < 500 and error.code != 429:
                raise InputError(
                    f"{kept.url} answers {error.code} {error.reason}; check the address."
                ) from None
        except ChangedError:
            kept.forget()
            raise
        except _NoRangeError as error:
            trouble, ranges = error, False
        except (OSError, http.client.HTTPException) as error:
            trouble = error
    reason = getattr(trouble, "reason", None) or trouble
    raise ConnectionError(
        f"{kept.url} cannot be reached ({reason}); {done:,} bytes of it are kept: "
        "connect to the network and run this again, or give the path of a file."
    )


def _open(kept: Kept, done: int) -> Any:
    """Ask for the file from a byte on; the whole of it comes if it has changed since (`If-Range`)."""
    request = urllib.request.Request(_ascii(kept.url), headers={"User-Agent": "neuron-to-assistant"})
    if done:
        request.add_header("Range", f"bytes={done}-")
        request.add_header("If-Range", kept.tag)
    return urllib.request.urlopen(request, timeout=TIMEOUT)


def _ascii(url: str) -> str:
    """The address as it is sent: an umlaut in the name of the host or of the file has its ASCII spelling."""
    try:
        parts = urlsplit(url)
        host = parts.netloc.encode("idna").decode()
    except ValueError as error:
        raise InputError(f"{url!r} is no web address ({error}); check it.") from None
    path, query = (quote(part, safe="%/:=&?~+!$,;'@()*[]") for part in (parts.path, parts.query))
    return urlunsplit((parts.scheme, host, path, query, ""))


def _size(answer: Any) -> int | None:
    """The length of the whole file, from the answer to a request for all or for the rest of it."""
    if answer.status == 206:
        total = answer.headers.get("Content-Range", "").rsplit("/", 1)[-1]
        return int(total) if total.isdigit() else None
    length = answer.headers.get("Content-Length", "")
    return int(length) if length.isdigit() else None


def _check_range(answer: Any, done: int, tag: str) -> None:
    given = re.match(r"bytes (\d+)-", answer.headers.get("Content-Range", ""))
    if given is None or int(given[1]) != done or answer.headers.get("ETag", tag) != tag:
        raise _NoRangeError("the server sent another part of the file than was asked for")


def _skip(kept: Kept, answer: Any, done: int, seen: Any) -> None:
    """The server sends the file from its beginning: pass over what was read, if it is the same."""
    again, left = hashlib.sha256(), done
    while left and (block := answer.read1(min(CHUNK, left))):
        again.update(block)
        left -= len(block)
    if left == 0 and again.digest() != seen.digest():
        raise ChangedError(f"{kept.url} has changed since its beginning was fetched; run again.")
    if left:
        raise ConnectionError("the connection closed early")


def _timed(answer: Any) -> Iterator[bytes]:
    """The blocks as they come, unless they come too slowly."""
    since, received = monotonic(), 0
    while block := answer.read1(CHUNK):
        received += len(block)
        if (waited := monotonic() - since) > PATIENCE:
            if received < SLOWEST * waited:
                raise ConnectionError(f"the server sends {received / waited:.0f} bytes a second")
            since, received = monotonic(), 0
        yield block


def _refuse_pages(url: str, answer: Any) -> None:
    kind = answer.headers.get("Content-Type", "").split(";")[0].strip().lower()
    if kind in ("text/html", "application/xhtml+xml"):
        raise InputError(_PAGE.format(url=url))


def _refuse_page(kept: Kept) -> None:
    kept.forget()
    raise InputError(_PAGE.format(url=kept.url))


_PAGE = "{url} answers with a web page and not with a text (a page to log in, perhaps); check the address."
