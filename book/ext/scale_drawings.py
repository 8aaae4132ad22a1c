"""What the page of scales draws: the models on a logarithmic line, and the same as areas.

`text` and `drawing` are the pieces; `timeline.py` draws with them, too.
"""

import math
from html import escape
from typing import Any, NamedTuple

Row = dict[str, Any]


def text(x: float, y: float, words: str, more: str = "") -> str:
    """A label."""
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="currentColor" {more}>{escape(words)}</text>'


def drawing(body: list[str], size: tuple[float, float], label: str, more: str = "", role: str = "img") -> str:
    """A figure that is as wide as the page lets it be; one with links in it is a group."""
    width, height = size
    return (
        f'<div class="diagram-of-cell {more}"><svg xmlns="http://www.w3.org/2000/svg" class="diagram spread" '
        f'role="{role}" viewBox="0 0 {width} {height:.0f}" style="width:100%;height:auto" '
        f'aria-label="{escape(label)}">{"".join(body)}</svg></div>'
    )


def short(x: float | None) -> str:
    """A large number with three digits and its power in words.

    >>> short(174_600_000_000), short(301_296), short(0), short(None)
    ('175 billion', '301,296', 'none', 'not published')
    """
    if not x:
        return "not published" if x is None else "none"
    for size, word in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if x >= size:
            return f"{x / size:.3g} {word}"
    return f"{x:,.0f}"


def lasting(seconds: float) -> str:
    """A time in the largest unit that it fills, with three digits at most.

    >>> lasting(28_768), lasting(106_624), lasting(124_439_808), lasting(174_604_259_328)
    ('8 hours', '1.2 days', '3.9 years', '5,530 years')
    """
    for size, unit in ((365.25 * 86400, "years"), (86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= size:
            much = float(f"{seconds / size:.3g}")
            return f"{much:,.0f} {unit}" if much >= 10 else f"{much:.1f} {unit}".replace(".0 ", " ")
    return f"{seconds:.0f} seconds"


class Ladder(NamedTuple):
    """Where things stand in a row: the ends of its line, which lies `down` from the name, and of numbers."""

    width: int
    row: int
    line: tuple[int, int]
    down: int
    count: int
    time: int


LADDERS = {
    "wide": Ladder(920, 27, (290, 640), 0, 760, 916),
    "narrow": Ladder(360, 46, (6, 262), 19, 356, 356),
}
POWERS = {3: "1,000", 6: "1 million", 9: "1 billion", 12: "1 trillion"}


def ladder(rows: list[Row], layout: str) -> str:
    """A row for each model: its name, a dot over powers of ten, and how many parameters it has.

    No bars: on a logarithmic line a length means nothing. The letters stand beside the lines, never on them.
    """
    width, step, (start, end), down, count, time = LADDERS[layout]
    low, high = min(POWERS), max(POWERS)
    across = lambda power: start + (end - start) * (power - low) / (high - low)  # noqa: E731 - a scale
    anchors = {low: "start", high: "end"}
    middle, right = 'text-anchor="middle"', 'text-anchor="end"'
    body = [
        text(across(p), 11, word, f'text-anchor="{anchors.get(p, "middle")}" class="axis"')
        for p, word in POWERS.items()
    ]
    body += [text(across(p + 1.5), 29, "× 1,000", f'{middle} class="axis"') for p in [*POWERS][:-1]]
    if not down:
        body.append(text(count, 11, "parameters", f'{right} class="axis"'))
    body.append(text(time, 29 if down else 11, "read aloud in", f'{right} class="axis"'))
    for k, row in enumerate(rows):
        y = 54 + step * k
        at, x = y - 4 + down, across(math.log10(row["parameters"]))
        ticks = "".join(f"M{across(p):.1f} {at - 4}v8" for p in POWERS)
        body.append(f'<path d="M{start} {at}H{end}{ticks}" class="scale-line"/>')
        kind = "scale-dot" if row["key"] else "scale-dot toy"
        body.append(f'<circle cx="{x:.1f}" cy="{at}" r="5" class="{kind}"/>')
        body.append(text(0, y, row["name"]))
        body.append(text(count, y, short(row["parameters"]), right))
        body.append(text(time, y + down, lasting(row["parameters"]), right))
    told = "; ".join(
        f"{row['name']} {short(row['parameters'])}, {lasting(row['parameters'])}" for row in rows
    )
    label = f"Parameters on a logarithmic line, and how long it takes to read them aloud: {told}."
    height = 72 + down + step * (len(rows) - 1)
    return drawing(body, (width, height), label, f"scale-drawing drawn-{layout}")


SIDE, SMALL = 300, 0.12  # of the large square; a square below this part of it has a drawing of its own


def panels(rows: list[Row]) -> list[list[Row]]:
    """The models, largest first, in groups: the first of each is too small for a label in the one before.

    >>> groups = panels([{"parameters": n} for n in (1, 4, 900, 1600)])
    >>> [[row["parameters"] for row in group] for group in groups]
    [[1600, 900], [4, 1]]
    """
    groups: list[list[Row]] = []
    for row in sorted(rows, key=lambda row: -row["parameters"]):
        if not groups or math.sqrt(row["parameters"] / groups[-1][0]["parameters"]) < SMALL:
            groups.append([])
        groups[-1].append(row)
    return groups


def squares(rows: list[Row]) -> str:
    """Squares whose areas are as the parameters: a small one in a corner is enlarged in the next drawing."""
    groups, out = panels(rows), []
    for k, group in enumerate(groups):
        whole, inner = group[0], groups[k + 1][0] if k + 1 < len(groups) else None
        side = lambda row, whole=whole: SIDE * math.sqrt(row["parameters"] / whole["parameters"])  # noqa: E731
        body = []
        drawn = [*group, *([inner] if inner else [])]
        for row, then in zip(drawn, [*drawn[1:], None], strict=True):
            a = side(row)
            low = then is None or then is inner or a - side(then) > 20  # a name has room below its edge
            kind = "scale-square corner" if row is inner else "scale-square"
            body.append(
                f'<rect x="1" y="{SIDE + 1 - a:.2f}" width="{a:.2f}" height="{a:.2f}" class="{kind}"/>'
            )
            if row is not inner:
                body.append(text(6, SIDE + (16 if low else -4) - a, row["brief"]))
        name = f"<b>{escape(whole['name'][0].upper() + whole['name'][1:])}</b>, {short(whole['parameters'])}"
        times = [f"{side(group[0]) / SIDE:.0f} times as wide as" for group in groups[:k]]
        enlarged = f" It is drawn {times[-1]} before" if times else ""
        enlarged += f", and {times[0]} in the first drawing." if len(times) > 1 else "." * len(times)
        corner = f" The small square in the corner is {escape(inner['name'])}." if inner else ""
        told = ", ".join(f"{row['brief']} {side(row) / SIDE:.2g}" for row in group[1:])
        label = f"Squares with areas as the parameters. {whole['name']} has side 1; {told}."
        picture = drawing(body, (SIDE + 2, SIDE + 2), label)
        out.append(f"<figure>{picture}<figcaption>{name} parameters.{enlarged}{corner}</figcaption></figure>")
    return f'<div class="scale-squares">{"".join(out)}</div>'
