"""What a byte-level BPE tokenizer is made of, checked: special tokens, merges and ids that fit together."""

from collections.abc import Collection, Iterable, Mapping

import regex

from support.core import InputError
from support.core.validation import as_list
from support.text.byte_alphabet import BYTES, Pair, printable
from support.text.pretokenise import refuse_surrogates


def splitter(special_tokens: Collection[str]) -> regex.Pattern[str]:
    """A pattern whose ``split`` gives text, special token, text, …; the longest special token wins."""
    return regex.compile(
        "(" + "|".join(map(regex.escape, sorted(special_tokens, key=len, reverse=True))) + ")"
    )


def checked_special(tokens: Iterable[str]) -> list[str]:
    tokens = as_list("special_tokens", tokens, str)
    for token in tokens:
        refuse_surrogates(token)
    if "" in tokens or len(set(tokens)) < len(tokens):
        raise InputError("The special tokens must be different and not empty; remove the one that is not.")
    return tokens


def checked_merges(merges: list[Pair]) -> list[bytes]:
    """The tokens that the merges make, after the 256 bytes."""
    known = dict.fromkeys(BYTES)
    for rank, (left, right) in enumerate(merges):
        if left not in known or right not in known or left + right in known:
            raise InputError(
                f"Merge {rank}, {left!r} + {right!r}, does not make a new token from two that exist by then; "
                "give the merges in the order in which they were learned."
            )
        known[left + right] = None
    return list(known)


def checked_parts(merges: list[Pair], ids: Mapping[bytes | str, int]) -> list[bytes]:
    """The tokens of a ready vocabulary: its bytes, and whatever else it holds; merges stay within it."""
    for rank, (left, right) in enumerate(merges):
        for token in (left, right, left + right):
            if token not in ids:
                raise InputError(
                    f"Merge {rank}, {left!r} + {right!r}, needs the token {token!r}, which has no id; "
                    "give an id to every token, or leave the ids out."
                )
    return list(dict.fromkeys([*BYTES, *(token for token in ids if isinstance(token, bytes))]))


def refuse_collisions(special: list[str], ids: Mapping[bytes | str, int]) -> None:
    """In a tokenizer's file a special token and a learned one must not be written alike."""
    learned = {printable(token) for token in ids if isinstance(token, bytes)} if special else set()
    for token in special:
        if token in learned:
            raise InputError(
                f"The special token {token!r} is written like a token of ordinary text; "
                f"choose a name that text does not hold, e.g. '<|{token}|>'."
            )
