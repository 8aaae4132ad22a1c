"""Ids that come from outside: from a list, an array or a tensor, and perhaps wrong."""

import operator
from collections.abc import Iterable
from typing import SupportsIndex

from support.core import InputError


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
    try:
        numbers = list(map(operator.index, ids))
    except TypeError:
        raise InputError("An id is not a whole number; give a list or a row of integers.") from None
    for extreme in (min(numbers), max(numbers)) if numbers else ():
        if not 0 <= extreme < size:
            raise InputError(f"The id {extreme} is not in this vocabulary; ids go from 0 to {size - 1}.")
    return numbers
