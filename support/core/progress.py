"""A progress bar on a terminal, a line every so often in a log."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sized
from typing import TypeVar

from tqdm import tqdm

T = TypeVar("T")


def progress(
    items: Iterable[T],
    what: str = "",
    total: int | None = None,
    enabled: bool | None = None,
    note: Callable[[], str] | None = None,
    every: float | int = 30,
) -> Iterator[T]:
    """Iterate and show how far it is, on standard error: by a bar on a terminal, elsewhere by lines.

    In a notebook nothing is shown unless it is asked for, so that stored outputs stay the same.

    Args:
        items: what to iterate over.
        what: a word or two shown at the start of the line.
        total: how many items, if ``items`` has no length.
        enabled: True also shows it in a notebook, and False nowhere.
        note: gives a few words for the end of the line, such as the loss.
        every: seconds between two lines, where the output is no terminal.

    >>> list(progress([1, 2], what="steps"))
    [1, 2]
    """
    if enabled is False or (enabled is None and "ipykernel" in sys.modules):
        yield from items
    elif sys.stderr.isatty():
        bar = tqdm(items, desc=what or None, total=total)
        for item in bar:
            yield item
            if note is not None:
                bar.set_postfix_str(note(), refresh=False)
    else:
        yield from _with_lines(items, what, total, note, every)


def _with_lines(
    items: Iterable[T], what: str, total: int | None, note: Callable[[], str] | None, every: float | int
) -> Iterator[T]:
    total = len(items) if total is None and isinstance(items, Sized) else total
    start = told = time.monotonic()
    for done, item in enumerate(items, start=1):
        yield item
        now = time.monotonic()
        if now - told >= every:
            told = now
            of = "" if total is None else f" of {total:,}"
            more = "" if note is None else f", {note()}"
            print(
                f"{what or 'done'}: {done:,}{of}, {done / (now - start):.3g} a second{more}", file=sys.stderr
            )
