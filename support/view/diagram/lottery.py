"""Sampling as a lottery: the better a word fits, the more tickets it has."""

from collections.abc import Sequence

from support.core import InputError
from support.view.diagram.canvas import Diagram, Number
from support.view.diagram.shapes import Drawing, Point

COLOURS = ("output", "stream", "ffn", "query", "loss")
HIGH, SIDE, LEFT = 25, 8, 10  # tickets in a column, pixels of a ticket, where the first column begins
COLUMNS = 40


def lottery(
    words: Sequence[str] = ("mat", "floor", "moon", "of"),
    logits: Sequence[Number] = (4.1, 3.6, 2.4, -3),
    probabilities: Sequence[Number] = (0.55, 0.34, 0.1, 0.0005),
    drawn: int = 417,
) -> Diagram:
    """A thousand tickets, of which each word has as many as its probability says, and one that is drawn.

    Args:
        words: up to five words.
        logits: how well each fits.
        probabilities: what part of the tickets it has; tickets that are left belong to other words.
        drawn: the number of the ticket that is drawn, counted down the columns from 0.

    Raises:
        InputError: there are more words, not as many numbers, or there is no such ticket.
    """
    total = HIGH * COLUMNS
    if not 1 <= len(words) == len(logits) == len(probabilities) <= 5 or sum(probabilities) > 1 + 1e-6:
        raise InputError("give up to five words, a logit and a probability for each")
    if not 0 <= drawn < total:
        raise InputError(f"drawn={drawn}: the tickets are counted from 0 to {total - 1}")
    d, wide, top = Drawing(140), 320 / len(words), 122
    d.text(8, 14, "How well a word fits: its logit", bold=True, anchor="start")
    d.text(8, 104, f"Its tickets, of {total:,}: softmax", bold=True, anchor="start")
    first, winner, told, left_out = 0, "another word", [], []
    for k, (word, logit, part, role) in enumerate(zip(words, logits, probabilities, COLOURS, strict=False)):
        x, count = LEFT + wide * (k + 0.5), round(total * part)
        d.text(x, 36, word, role, size=12)
        d.box(x, 62, 50, 26, f"{logit:.1f}".replace("-", "−"), role)
        if count:
            d.curve(_field(first, first + count, top), role, width=1.4, closed=True, fill=0.3)
            if count > 4 * HIGH:
                middle = LEFT + SIDE * (first + count / 2) / HIGH
                d.text(middle, top + 34, f"{word}\n{count}", size=12, inside=True)
        else:
            left_out.append(word)
        if first <= drawn < first + count:
            winner = word
        told.append(f"{word} with a logit of {logit:.1f} has {count}")
        first += count
    end = top + SIDE * HIGH
    for column in range(COLUMNS + 1):
        d.line((LEFT + SIDE * column, top), (LEFT + SIDE * column, end), role="line", width=0.4, fade=0.6)
    for row in range(HIGH + 1):
        d.line(
            (LEFT, top + SIDE * row),
            (LEFT + SIDE * COLUMNS, top + SIDE * row),
            role="line",
            width=0.4,
            fade=0.6,
        )
    x, y = LEFT + SIDE * (drawn // HIGH + 0.5), top + SIDE * (drawn % HIGH + 0.5)
    d.node(x, y, "", "ink", r=6)
    d.arrow((x, y + 6), (x, end + 16), role="ink", width=2)
    d.text(x, end + 28, f"one is drawn: {winner}", bold=True)
    if left_out:
        d.text(332, end + 12, f"no ticket: {', '.join(left_out)}", "loss", size=12, anchor="end")
    if first < total:
        d.text(332, end + 28, f"other words: {total - first}", "faint", size=12, anchor="end")
        told.append(f"all other words have {total - first}")
    d.size = (d.size[0], end + 42)
    return d.done(
        f"A lottery with {total:,} tickets. {'; '.join(told)}. One ticket is drawn, and it says {winner}."
    )


def _field(first: int, last: int, top: Number) -> list[Point]:
    """The outline of the tickets from one number up to another, counted down the columns."""

    def at(column: int, row: int) -> Point:
        return LEFT + SIDE * column, top + SIDE * row

    (a, up), (b, down) = divmod(first, HIGH), divmod(last, HIGH)
    return (
        [
            at(a, up),
            at(a + 1, up),
            at(a + 1, 0),
            at(b + 1, 0),
            at(b + 1, down),
            at(b, down),
            at(b, HIGH),
            at(a, HIGH),
        ]
        if down
        else [at(a, up), at(a + 1, up), at(a + 1, 0), at(b, 0), at(b, HIGH), at(a, HIGH)]
    )
