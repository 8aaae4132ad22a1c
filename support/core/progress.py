"""A progress bar for people; silent for machines."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

from tqdm import tqdm

T = TypeVar("T")


def progress(
    items: Iterable[T], what: str = "", total: int | None = None, enabled: bool | None = None
) -> Iterator[T]:
    """Iterate with a bar on a terminal; without one where nobody watches (notebook runs, CI, pipes).

    Args:
        items: what to iterate over.
        what: a word or two shown before the bar.
        total: how many items, if ``items`` has no length.
        enabled: force the bar on or off; by default it shows on a terminal only.

    >>> list(progress([1, 2], what="steps"))
    [1, 2]
    """
    return iter(tqdm(items, desc=what or None, total=total, disable=None if enabled is None else not enabled))
