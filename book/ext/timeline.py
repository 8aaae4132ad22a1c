"""The timeline, from `book/timeline.json`: each work a dot with its name, and below it a list.

It is drawn twice, for a desk and for a phone; the style shows one. A work is named by its key in
`references.bib` and linked by its DOI or arXiv number.
"""

import json
import sys
from collections.abc import Iterator
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any

import lettering  # beside this file
from docutils import nodes
from pybtex.database import parse_file
from references import BIB, address, typeset
from scale_drawings import drawing, text
from sphinx.util.docutils import SphinxDirective

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import plan

from support.view import style

EVENTS = Path(__file__).resolve().parents[1] / "timeline.json"
STRANDS = {  # strand → its colours by day and by night, of those that colour-blind readers tell apart
    "learning": ("#0072b2", style.ROLES["stream"][1]),
    "language": ("#c2540a", style.ROLES["attention"][1]),
    "architecture": ("#00735a", style.ROLES["ffn"][1]),
    "scale": ("#a0447a", style.ROLES["value"][1]),
    "inside": ("#8a6d00", style.ROLES["key"][1]),
    "assistants": ("#5b5fc7", style.ROLES["output"][1]),
}
# Time runs faster where little happened: (year, place on the axis).
AXIS = ((1800, 0.0), (1940, 0.1), (1985, 0.27), (2012, 0.5), (2026, 1.0))
TICKS = (1805, 1948, 1986, 2003, 2014, 2017, 2020, 2023, 2025)
LAYOUTS = {"wide": (920, 13, 26), "narrow": (360, 13, 32)}  # width, size of the letters, height of a row
DOT, GAP = 4, 6  # radius; to the name, and between a name and what follows in its row


def place(year: float) -> float:
    """Where a year stands, between 0 and 1.

    >>> place(1800), place(2026)
    (0.0, 1.0)
    """
    for (a, x), (b, y) in pairwise(AXIS):
        if year <= b:
            return x + (y - x) * (year - a) / (b - a)
    return 1.0


def coloured(strand: str) -> str:
    """The colours of a strand, for the style sheet to choose from.

    >>> coloured("learning").partition(";")[0]
    'class="strand" style="--day:#0072b2'
    """
    day, night = STRANDS[strand]
    return f'class="strand" style="--day:{day};--night:{night}"'


def span(x: float, name: str, size: float, left: bool) -> tuple[float, float]:
    """From where to where a dot at `x` and its name reach, and what is kept free around them.

    >>> span(50, "GRU", 10, left=False)[0], span(50, "GRU", 10, left=True)[1]
    (40, 60)
    """
    long, short = DOT + GAP + size * lettering.width(name), DOT + GAP
    return (x - long, x + short) if left else (x - short, x + long)


def laid_out(named: list[tuple[float, str]], width: float, size: float) -> Iterator[tuple[int, bool]]:
    """For each dot with its name the row in which both have room, and whether the name stands to the left.

    >>> [*laid_out([(10, "LSTM"), (12, "GRU"), (90, "GPT-4")], 100, 10)]
    [(0, False), (1, False), (0, True)]
    """
    rows: list[list[tuple[float, float]]] = []
    for x, name in named:
        sides = [(*span(x, name, size, left), left) for left in (False, True)]
        fitting = [side for side in sides if side[0] >= -GAP and side[1] <= width]
        for k in range(len(rows) + 1):
            taken = rows[k] if k < len(rows) else []
            free = [s for s in fitting if all(s[1] <= a or b <= s[0] for a, b in taken)]
            if free:
                rows[k:] = rows[k:] or [[]]
                rows[k].append(free[0][:2])
                yield k, free[0][2]
                break
        else:
            raise ValueError(f"the name {name!r} is wider than the drawing")


def timeline(events: list[dict[str, Any]], layout: str) -> str:
    """A band for each strand; in it each work is a dot in its year, a link to its entry, beside its name.

    What one presses is an unseen box as high as the row: letters have boxes that reach into the next one. The
    years are a drawing of their own, which stays in sight above the bands.
    """
    width, size, row = LAYOUTS[layout]
    across = lambda year: DOT + (width - 2 * DOT) * place(year)  # noqa: E731 - a scale
    bands, y = [], 0.75 * size  # the first band is not named directly under the first year
    for strand in STRANDS:
        those = [(n, event) for n, event in enumerate(events) if event["strand"] == strand]
        spots = [*laid_out([(across(e["year"]), e["name"]) for _, e in those], width, size)]
        title = f'font-weight="600" fill="var(--strand)" {coloured(strand)}'
        bands.append(text(0, y + size, strand, title))
        y += 1.5 * size
        for (n, event), (k, left) in zip(those, spots, strict=True):
            x, at = across(event["year"]), y + row * (k + 0.5)
            start, end = span(x, event["name"], size, left)
            side = f'text-anchor="{"end" if left else "start"}"'
            bands.append(
                f'<a class="event" href="#event-{n}" aria-label="{event["year"]}: {escape(event["name"])}">'
                f'<rect x="{start:.1f}" y="{at - row / 2:.1f}" width="{end - start:.1f}" height="{row}"/>'
                f'<circle cx="{x:.1f}" cy="{at:.1f}" r="{DOT}" fill="var(--strand)" {coloured(strand)}/>'
                f"{text(x + (-GAP if left else GAP), at + 0.35 * size, event['name'], side)}</a>"
            )
        y += row * (1 + max(k for k, _ in spots))
        bands.append(f'<path d="M0 {y + 0.3 * size:.1f}H{width}" class="scale-line"/>')
        y += 0.6 * size
    years, lines, free = [], [], float(width)
    for year in reversed(TICKS):  # a year that has no room before the one after it has no line
        is_first, half = year == TICKS[0], size * lettering.width(str(year)) / 2
        x = across(year)
        if not is_first and x + half > free:
            continue
        free = x - half - GAP
        lines.append(f'<path d="M{x:.1f} 0V{y:.1f}" class="scale-line"/>')
        years.append(
            text(x, size, str(year), f'text-anchor="{"start" if is_first else "middle"}" class="axis"')
        )
    counted = ", ".join(f"{sum(e['strand'] == s for e in events)} in {s}" for s in STRANDS)
    first, last = events[0]["year"], events[-1]["year"]
    label = f"{len(events)} works on a line of time from {first} to {last}, stretched after 2012: {counted}."
    head = f'<svg class="spread years" aria-hidden="true" viewBox="0 0 {width} {1.5 * size:.1f}">'
    below = drawing([*lines, *bands], (width, y), label, role="group")
    return f'<div class="drawn-{layout}">{head}{"".join(years)}</svg>{below}</div>'


def entries(events: list[dict[str, Any]]) -> str:
    """The events as a list, each with its sentence, its work, and the chapter that treats it."""
    works = parse_file(str(BIB)).entries
    rows = []
    for n, event in enumerate(events):
        work = works[event["key"]] if event["key"] else None
        link = address(work.fields) if work else ""
        if event["where"].startswith("https"):
            link = event["where"]
        title = typeset(work.fields["title"].strip("{}") if work else event["where"])
        source = f'<a href="{link}">{escape(title)}</a>' if link else f"<i>{escape(title)}</i>"
        if work and work.fields["year"] != str(event["year"]):
            source += f" (published in {work.fields['year']})"
        stem, name = plan.chapters()[event["chapter"]]
        number = int(event["chapter"])
        chapter = f"chapter {number}, {escape(name)}"
        if plan.notebook(stem).exists():
            chapter = f'<a href="../notebooks/{stem}.html">{chapter}</a>'
        rows.append(
            f'<li id="event-{n}" {coloured(event["strand"])}><b>{event["year"]}</b> '
            f"<b>{escape(typeset(event['name']))}.</b> {escape(typeset(event['what']))} "
            f"<small>{event['strand']} · {source} · {chapter}</small></li>"
        )
    return f'<ol class="timeline">{"".join(rows)}</ol>'


class Timeline(SphinxDirective):
    """The figure and the list."""

    def run(self) -> list[nodes.Node]:
        for path in (EVENTS, BIB, plan.PLAN):
            self.env.note_dependency(str(path))
        events = json.loads(EVENTS.read_text(encoding="utf8"))
        drawings = "".join(timeline(events, layout) for layout in LAYOUTS)
        hint = '<p class="event-hint">Choose a work to read about it.</p>'
        return [nodes.raw("", hint + drawings + entries(events), format="html")]


def setup(app: Any) -> dict[str, Any]:
    app.add_directive("timeline", Timeline)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
