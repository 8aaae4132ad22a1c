"""Which cell of its chapter works a claim: find the one that a claim names, suggest one where none is named.

usage: python tools/ledger_cells.py [--all] [ID ...]    suggest cells, for claims that name none (or for all)
       python tools/ledger_cells.py --lost              for claims whose piece of code stands no longer there

A claim's `cell` is a piece of code that stands in exactly one cell of the chapter's notebook, a cell that
the page shows. (A cell's id would do, too, but it is made of the cell's text: any change would break it.)
"""

import difflib
import re
import sys
from pathlib import Path
from typing import Any

from plan import cells, chapters

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from book.ledger import code
from book.ledger.claims import Claim, claims, flat

NOT_SHOWN = {"remove-cell", "remove-input"}
NUMBER = re.compile(r"(?<![\w.])[-−]?\d[\d,]*(?:\.\d+)?")
PLAIN = {"0", "1", "2", "3", "4", "5", "6", "10", "100"}  # numbers that are everywhere say nothing


def shown(cell: dict[str, Any]) -> bool:
    """Is it code that a reader of the page sees?"""
    return cell["cell_type"] == "code" and not NOT_SHOWN & set(cell["metadata"].get("tags", []))


def with_code(stem: str, piece: str) -> list[dict[str, Any]]:
    """The cells of a chapter in which this piece of code stands."""
    return [c for c in cells(stem) if c["cell_type"] == "code" and piece in "".join(c["source"])]


def chapter_of(it: Claim) -> str:
    """The notebook whose cell a claim names: its chapter's, or the one written before the piece of code."""
    return chapters()[it.cell_in or it.chapter][0]


def find(it: Claim) -> str | None:
    """The id of the cell that a claim names, if there is exactly one and the page shows it."""
    found = with_code(chapter_of(it), it.cell) if it.cell else []
    return found[0]["id"] if len(found) == 1 and shown(found[0]) else None


# --- suggestions -----------------------------------------------------------------------------------------


def written(value: Any) -> set[str]:
    """The ways in which a number may be printed."""
    if isinstance(value, list):
        return {text for v in value for text in written(v)}
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
        return set()
    texts = {f"{abs(value):.{digits}f}" for digits in range(7)} | {f"{abs(value):g}"}
    return {t for t in texts if float(t) and abs(float(t) / abs(value) - 1) < 0.02} - PLAIN


def printed(cell: dict[str, Any]) -> str:
    """A cell's code and what it prints."""
    texts = ["".join(cell["source"])]
    for output in cell["outputs"]:
        texts.append("".join(output.get("text", output.get("data", {}).get("text/plain", ""))))
    return "\n".join(texts)


def suggestions(it: Claim) -> list[tuple[float, str, str]]:
    """Cells that hold the claim's numbers, best first: (share of them, id, the cell's longest line)."""
    given = NUMBER.findall(code.constants(it.compute) + code.body(it.compute)) if it.computed else []
    values = flat([it.stated, it.ours, [float(number.replace(",", "")) for number in given]])
    groups = [group for group in map(written, values) if group]
    found = []
    for cell in cells(chapters()[it.chapter][0]):
        if not shown(cell) or not groups:
            continue
        numbers = {n.replace(",", "").lstrip("-−") for n in NUMBER.findall(printed(cell))}
        share = sum(bool(g & numbers) for g in groups) / len(groups)
        if share >= 0.5:
            lines = "".join(cell["source"]).splitlines()
            found.append((share, cell["id"], max(lines, key=len).strip()))
    return sorted(found, reverse=True)[:3]


def nearest(it: Claim) -> list[tuple[str, str]]:
    """The lines most like a piece of code that was edited away: (id of the cell, line), best first."""
    found = cells(chapter_of(it))
    lines = {line.strip(): c["id"] for c in found if shown(c) for line in "".join(c["source"]).splitlines()}
    return [(lines[line], line) for line in difflib.get_close_matches(it.cell, lines, n=3, cutoff=0.4)]


def main() -> int:
    if "--lost" in sys.argv:
        for it in claims():
            if it.cell and not find(it):
                print(f"{it.id}: {chapter_of(it)} has no such cell, or several: {it.cell!r}")
                print("".join(f"    {name}  {line}\n" for name, line in nearest(it)))
        return 0
    names = {a for a in sys.argv[1:] if not a.startswith("-")}
    for it in claims():
        if it.id in names or (not names and ("--all" in sys.argv or not it.cell)):
            for share, name, line in suggestions(it):
                print(f"{it.id} {share:.0%} {name}  {line[:80]}  | {it.claim[:80]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
