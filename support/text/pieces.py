"""Cutting a text into the pieces that no token may cross: words with their space, numbers, punctuation."""

import regex

from support.core import InputError

# GPT-2's pattern: English clitics; then letters, digits, or other signs, each with at most one space before
# them; then spaces, all but the last of which stay apart from the word that follows.
PATTERN = regex.compile(
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+", flags=regex.VERSION1
)


def split(text: str) -> list[str]:
    """The pieces of a text, in order; joined, they are the text.

    Characters are told apart by the `regex` library's edition of Unicode. Other implementations may have
    an older one, and then cut differently at characters that are new since.

    Raises:
        InputError: the text holds a lone surrogate.

    Source: Radford et al. (2019), the pattern of the GPT-2 release.

    >>> split("It's 10 o'clock,  Pietro!")
    ['It', "'s", ' 10', ' o', "'", 'clock', ',', ' ', ' Pietro', '!']
    """
    refuse_surrogates(text)
    return PATTERN.findall(text)


def refuse_surrogates(text: str) -> None:
    """Raise if ``text`` is no text.

    Raises:
        InputError: it is not a string, or it holds half of a character (a lone surrogate).

    >>> refuse_surrogates("a\\ud800")
    Traceback (most recent call last):
    support.core.errors.InputError: The text holds a lone surrogate, U+D800 at position 1, which is half ...
    """
    if not isinstance(text, str):
        raise InputError(f"The text must be a string, not {type(text).__name__}; decode bytes first.")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(
            f"The text holds a lone surrogate, U+{ord(text[error.start]):04X} at position {error.start}, "
            "which is half a character and has no bytes; read the file as UTF-8 with errors='replace'."
        ) from None
