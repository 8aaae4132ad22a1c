"""Ids that come from outside: from a list, an array or a tensor, and perhaps wrong."""

import operator
from collections.abc import Iterable
from typing import Any, SupportsIndex

from support.core import InputError


def whole_numbers(ids: Iterable[Any], name: str) -> list[int]:
    """Ids of any kind of integer as plain ones; anything else is refused by its name.

    Raises:
        InputError: an item is no whole number; ``True`` is none.

    >>> whole_numbers([3, True], "A prompt")
    Traceback (most recent call last):
    support.core.errors.InputError: A prompt holds True where an id, a whole number, should stand; encode ...
    """
    given = ids.tolist() if hasattr(ids, "tolist") else ids  # a tensor's or an array's own numbers
    if not isinstance(given, Iterable):
        raise InputError(f"{name} should hold ids, which are whole numbers; {ids!r} is no list of them.")
    items = list(given)
    try:
        if bool not in set(map(type, items)):
            return list(map(operator.index, items))
    except TypeError:
        pass
    wrong = (item for item in items if isinstance(item, bool) or not hasattr(item, "__index__"))
    raise InputError(
        f"{name} holds {next(wrong, items[0])!r} where an id, a whole number, should stand; encode a text "
        "with its vocabulary or tokenizer."
    )


def checked_ids(ids: Iterable[SupportsIndex], size: int) -> list[int]:
    """The ids as plain integers, each within a vocabulary of ``size`` tokens.

    Raises:
        InputError: an id is no whole number, or not in ``0 … size − 1``.

    >>> checked_ids([3, 1], size=4)
    [3, 1]
    >>> checked_ids([4], size=4)
    Traceback (most recent call last):
    support.core.errors.InputError: The id 4 is not in this vocabulary; ids go from 0 to 3.
    """
    numbers = whole_numbers(ids, "The list of ids")
    for extreme in (min(numbers), max(numbers)) if numbers else ():
        if not 0 <= extreme < size:
            raise InputError(f"The id {extreme} is not in this vocabulary; ids go from 0 to {size - 1}.")
    return numbers
