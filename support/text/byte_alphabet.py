"""The 256 bytes as tokens: their order, and a printable character for each, as GPT-2 has them.

A byte-level tokenizer knows no characters, only bytes, so that nothing can be unknown to it. Bytes are hard
to print, however; GPT-2 gave each a visible character of its own (the space became ``Ġ``), and files of
tokenizers are written in these characters.
"""

from support.core import InputError

Pair = tuple[bytes, bytes]  # two neighbouring tokens, as a merge joins them

# Bytes that are visible characters of Latin-1 keep their character; the others borrow those from 256 on.
_VISIBLE = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
_HIDDEN = [byte for byte in range(256) if byte not in set(_VISIBLE)]

BYTES: list[bytes] = [bytes([byte]) for byte in _VISIBLE + _HIDDEN]
"""The 256 single-byte tokens in the order of their ids (``!`` first, the invisible ones last)."""

_CHARACTER = {byte: chr(byte) for byte in _VISIBLE} | {byte: chr(256 + i) for i, byte in enumerate(_HIDDEN)}
_BYTE = {character: byte for byte, character in _CHARACTER.items()}


def printable(token: bytes) -> str:
    """The token with one visible character for each byte.

    Source: Radford et al. (2019), `bytes_to_unicode` of the GPT-2 release.

    >>> printable(b" the"), printable("é".encode())
    ('Ġthe', 'Ã©')
    """
    return "".join(_CHARACTER[byte] for byte in token)


def from_printable(text: str) -> bytes:
    """The bytes that :func:`printable` shows as ``text``.

    Raises:
        InputError: a character of ``text`` stands for no byte.

    >>> from_printable("Ġthe")
    b' the'
    """
    try:
        return bytes(_BYTE[character] for character in text)
    except KeyError as error:
        raise InputError(
            f"The token {text!r} holds {error.args[0]!r}, which stands for no byte: "
            "this is not a byte-level vocabulary; give one trained with ByteLevel."
        ) from None
