"""Text becomes vectors: vocabulary, merges, embedding."""

from collections.abc import Sequence

from support.core import InputError
from support.model import GPTConfig
from support.text import Vocabulary
from support.text.naive_bpe import merge
from support.view.diagram.canvas import Diagram
from support.view.diagram.shapes import Drawing
from support.view.diagram.sizes import Sizes

LIST = ("<PAD>", "<BOS>", "<EOS>", "<UNK>", "the", "cat", "sat", "mat")


def vocabulary(text: str = "the cat napped", words: Sequence[str] = LIST) -> Diagram:
    """The pipeline text → tokens → ids, and back; a word that is not in the list becomes ``<UNK>``.

    Args:
        text: two to four words.
        words: the list; a word's place is its id. It holds ``<UNK>``.

    Raises:
        InputError: not two to four words, or a list that is too long or lacks ``<UNK>``.

    >>> vocabulary("the cat sat").alt[-33:]
    'the cat sat become the ids 4 5 6.'
    """
    tokens = text.split()
    if not 2 <= len(tokens) <= 4 or not 4 <= len(words) <= 9 or "<UNK>" not in words:
        raise InputError("give a text of two to four words and a list of four to nine with <UNK>")
    ids = Vocabulary(words, unk="<UNK>").encode(tokens)
    d, n = Drawing(420), len(tokens)
    step = 200 / n
    places = [8 + step * (k + 0.5) for k in range(n)]
    d.box(108, 24, 200, 32, f"“{text}”", "token")
    d.text(108, 56, "split into tokens", "faint", size=12)
    for x, word, number in zip(places, tokens, ids, strict=True):
        chip = d.box(x, 92, step - 6, 28, word, "token", size=12)
        d.arrow((x, 66), chip.top)
        d.arrow(chip.bottom, (x, 130))
        d.arrow((x, 154), (x, 178))
        d.box(x, 194, step - 6, 30, str(number), "token", bold=True)
    d.text(108, 142, "look each up in the list", "faint", size=12)
    d.text(108, 222, f"ids$ [T] = [{n}]$", "faint", size=12)
    d.arrow((108, 236), (108, 268))
    d.box(108, 286, 200, 34, "the model", "stream")
    d.arrow((108, 304), (108, 334))
    back = d.box(108, 350, 130, 30, f"next id {len(words) - 1}", "token", bold=True)
    d.arrow(back.bottom, (108, 384), words="decode")
    d.text(108, 396, words[-1], "token", bold=True)

    x, top, high = 282, 42, 25
    d.text(x, 16, "vocabulary", bold=True)
    for k, word in enumerate(words):
        used = k in ids
        d.box(x, top + high * k + 4, 96, high - 3, "", "token" if used else "line", round=3)
        d.text(x - 42, top + high * k + 4, str(k), "token", size=12, anchor="start", inside=True, bold=used)
        d.text(
            x - 24, top + high * k + 4, word, "ink" if used else "faint", size=12, anchor="start", inside=True
        )
    d.text(x, top + high * len(words) + 10, f"$V = ${len(words)} entries", "faint", size=12)
    unknown = [w for w in tokens if w not in words]
    more = f" The list has no {unknown[0]}: it becomes <UNK>." if unknown else ""
    d.size = (d.size[0], 410)
    return d.done(
        f"Text is split into tokens, and each is looked up in a vocabulary of {len(words)} entries, of "
        f"which the first are special tokens.{more} The tokens {' '.join(tokens)} become the ids "
        f"{' '.join(map(str, ids))}."
    )


def merges(
    word: str = "lowest",
    pairs: Sequence[tuple[str, str]] = (("l", "o"), ("lo", "w"), ("e", "s"), ("es", "t")),
) -> Diagram:
    """Byte-pair encoding: the merges, in the order in which they were learned, joined in one word.

    Args:
        word: three to ten characters of one byte each.
        pairs: one to six merges, of which the first was learned first.

    Raises:
        InputError: the word or the list is too short or too long, or a character has several bytes.
    """
    if not 3 <= len(word) <= 10 or not word.isascii() or not 1 <= len(pairs) <= 6:
        raise InputError(f"{word!r}, {len(pairs)} merges: give 3 to 10 characters of ASCII and 1 to 6 merges")
    pieces = [[character.encode() for character in word]]
    for a, b in pairs:
        pieces.append(merge(pieces[-1], (a.encode(), b.encode())))
    rows = [[piece.decode() for piece in row] for row in pieces]
    d, left, high = Drawing(80 + 62 * (len(pairs) + 1)), 112, 62
    cell = 220 / len(word)
    for i, row in enumerate(rows):
        y, at = 26 + high * i, 0
        if i == 0:
            d.text(8, y, f"{len(word)} bytes", "token", bold=True, anchor="start")
        else:
            a, b = pairs[i - 1]
            d.text(8, y - 8, f"{a} + {b} → {a}{b}", "ink", bold=True, anchor="start")
            d.text(8, y + 9, f"new id {255 + i}", "faint", size=12, anchor="start")
        for piece in row:
            x = left + cell * (at + len(piece) / 2)
            new = i > 0 and piece == "".join(pairs[i - 1])
            d.box(x, y, cell * len(piece) - 5, 30, piece, "ink" if new else "token", bold=new)
            if i < len(rows) - 1:
                for k in range(len(piece)):
                    role = "ink" if piece in pairs[i] else "line"
                    middle = left + cell * (at + k + 0.5)
                    d.line((middle, y + 16), (middle, y + 45), role=role, width=1.2)
            at += len(piece)
    y = 26 + high * len(pairs) + 32
    d.text(left + 110, y + 4, f"{len(word)} bytes have become {len(rows[-1])} tokens", "token", bold=True)
    d.size = (d.size[0], y + 22)
    steps = ", ".join(f"{a} and {b}" for a, b in pairs)
    return d.done(
        f"Byte-pair encoding of {word}. It starts as {len(word)} bytes. The learned merges are done in "
        f"their order: {steps}; each has an id from 256 on. At the end the word is {len(rows[-1])} tokens: "
        f"{', '.join(rows[-1])}."
    )


def embedding(config: GPTConfig | None = None, word: str = "cat", number: int = 5) -> Diagram:
    """The embedding: looking up a row is multiplying a one-hot vector by the table.

    Args:
        config: where the sizes come from; without it they are names.
        word: the token.
        number: its id, from 0 to 7.

    Raises:
        InputError: an id that the drawn table, of eight rows, does not have.
    """
    if not 0 <= number <= 7:
        raise InputError(f"number={number}; the drawn table has the rows 0 to 7")
    s, d, cell = Sizes(config), Drawing(360), 20
    d.text(8, 20, word, "token", bold=True, anchor="start")
    d.arrow((46, 20), (78, 20))
    d.text(86, 20, f"id {number}", "token", bold=True, anchor="start")
    d.arrow((126, 20), (158, 20))
    d.text(166, 20, "one-hot row", bold=True, anchor="start")
    hot = [["1" if k == number else "0" for k in range(8)]]
    x0 = 20
    d.grid(x0, 44, [[1.0 if v == "1" else 0.0 for v in hot[0]]], "token", cell=cell, digits=0)
    d.text(
        x0 + 8 * cell + 10,
        54,
        f"$[1, {s.one('V')}]: 1 row,\n{s.one('V')} columns$".replace("\n", "$\n$"),
        "faint",
        size=12,
        anchor="start",
    )
    d.arrow(
        (x0 + cell * (number + 0.5), 66),
        (x0 + cell * (number + 0.5), 84),
        (x0 - 8, 84),
        (x0 - 8, 116 + cell * (number + 0.5)),
        (x0 + 22, 116 + cell * (number + 0.5)),
        role="token",
    )
    table = [[0.15 + ((3 * i + 5 * j) % 7) / 8 for j in range(6)] for i in range(8)]
    left = x0 + 44
    d.text(left + 60, 102, "embedding table", "token", bold=True)
    for i, row in enumerate(table):
        role = "stream" if i == number else "faint"
        d.text(
            left - 6,
            126 + cell * i,
            str(i),
            "token" if i == number else "faint",
            size=12,
            anchor="end",
            bold=i == number,
        )
        d.grid(left, 116 + cell * i, [row], role, cell=cell)
    shape = f"$[{s.one('V')}, {s.one('d_model')}]:$\n${s.one('V')} rows,$\n${s.one('d_model')} columns$"
    d.text(left + 6 * cell + 16, 140, shape, "faint", size=12, anchor="start")
    if number > 4:
        d.text(left + 6 * cell + 16, 186, "a row for each\ntoken, learned", "faint", size=12, anchor="start")
    low = 116 + 8 * cell
    d.arrow(
        (left + 6 * cell, 126 + cell * number),
        (left + 6 * cell + 56, 126 + cell * number),
        (left + 6 * cell + 56, low + 30),
        (left + 3 * cell, low + 30),
        (left + 3 * cell, low + 48),
        role="stream",
    )
    found = d.grid(left, low + 48, [table[number]], "stream", cell=cell)
    d.text(left + 6 * cell + 10, found.y, f"[1, {s.one('d_model')}]", "faint", size=12, anchor="start")
    d.text(left + 3 * cell, low + 86, "the vector of the token: one row", "stream", size=12)
    d.size = (d.size[0], low + 100)
    return d.done(
        f"The embedding lookup. The token {word} has the id {number}. As a one-hot row, [1, {s.one('V')}], "
        f"that is 1 row of {s.one('V')} columns, one for each token of the vocabulary, with a 1 at place "
        f"{number}, it is multiplied by the table, [{s.one('V')}, {s.one('d_model')}]: "
        f"the product is row {number} of the table, [1, {s.one('d_model')}]. So looking up and multiplying "
        "are the same."
    )
