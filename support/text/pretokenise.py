"""Cutting a text into the pieces that no token may cross: words with their space, numbers, punctuation."""

import regex

from support.core import InputError

# GPT-2's pattern: English clitics; then letters, digits, or other signs, each with at most one space before
# them; then spaces, all but the last of which stay apart from the word that follows. Llama 3's lets any one
# sign stand before letters, cuts numbers into threes, and keeps line ends together; Qwen 2's is the same but
# for numbers, of which it takes every digit alone.
_LLAMA_3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)
# GPT-4o's parts a word at capitals inside it, counts marks as letters, and leaves a clitic with its word.
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_CLITIC = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_GPT_4O = (
    rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_CLITIC}|[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_CLITIC}"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
SOURCES: dict[str, str] = {
    "gpt-2": r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "llama-3": _LLAMA_3,
    # The older of the two; Llama 3 leaves out that white space at the end of a text stays together.
    "gpt-4": _LLAMA_3.replace(r"|\s*[\r\n]+", r"|\s+(?![\s\S])|\s*[\r\n]+"),
    "gpt-4o": _GPT_4O,
    "qwen-2": _LLAMA_3.replace(r"\p{N}{1,3}", r"\p{N}"),
}
"""The known ways of cutting, each a regular expression that leaves no character out."""

PATTERNS = {name: regex.compile(source, flags=regex.VERSION1) for name, source in SOURCES.items()}
PATTERN = PATTERNS["gpt-2"]


def split(text: str, pattern: str = "gpt-2") -> list[str]:
    """The pieces of a text, in order; joined, they are the text.

    Characters are told apart by the `regex` library's edition of Unicode. Other implementations may have
    an older one, and then cut differently at characters that are new since.

    Args:
        text: any string.
        pattern: whose way of cutting: ``"gpt-2"``, ``"llama-3"``, ``"gpt-4"``, ``"gpt-4o"`` or ``"qwen-2"``.

    Raises:
        InputError: the text holds a lone surrogate, or the pattern is not known.

    Source: the GPT-2 release of Radford et al. (2019); the tokenizer files of Llama 3 and Qwen 2; tiktoken.

    >>> split("It's 10 o'clock,  Pietro!")
    ['It', "'s", ' 10', ' o', "'", 'clock', ',', ' ', ' Pietro', '!']
    >>> split("It's 1234 o'clock", "llama-3")
    ['It', "'s", ' ', '123', '4', ' o', "'clock"]
    """
    refuse_surrogates(text)
    if not isinstance(pattern, str) or pattern not in PATTERNS:
        raise InputError(f"pattern={pattern!r} is not known; choose one of {', '.join(PATTERNS)}.")
    return PATTERNS[pattern].findall(text)


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
