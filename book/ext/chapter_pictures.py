"""A small picture for each chapter: a few shapes in the colours of the drawings (see `front.css`)."""


def _dots(points: str, role: str = "", r: float = 3) -> str:
    return "".join(
        f'<circle cx="{x}" cy="{y}" r="{r:g}" class="{role}"/>'
        for x, y in (point.split(",") for point in points.split())
    )


def _lines(d: str, role: str = "") -> str:
    return f'<path d="{d}" class="line {role}"/>'


def _bars(heights: str, role: str = "", left: int = 6, step: int = 9) -> str:
    numbers = [float(h) for h in heights.split()]
    return "".join(
        f'<rect x="{left + step * k}" y="{42 - h:g}" width="{step - 3}" height="{h:g}" class="{role}"/>'
        for k, h in enumerate(numbers)
    )


def _cells(rows: str, left: float, top: float, size: float = 6) -> str:
    roles = {"b": "stream", "a": "amber", "q": "attention", "g": "ffn", ".": "pale"}
    return "".join(
        f'<rect x="{left + size * j:g}" y="{top + size * i:g}" width="{size - 1:g}" height="{size - 1:g}" '
        f'class="{roles[cell]}"/>'
        for i, row in enumerate(rows.split())
        for j, cell in enumerate(row)
    )


def _box(top: int, height: int, role: str) -> str:
    return f'<rect x="10" y="{top}" width="28" height="{height}" class="{role}"/>'


PICTURES = {
    "01": _lines("M8 12L24 24M8 36L24 24M24 24H40")
    + _dots("8,12 8,36", "token", 4)
    + _dots("24,24", "ffn", 7)
    + _dots("40,24", "output", 4),
    "02": _lines("M4 8C12 50 34 50 44 14") + _dots("9,22 15,34", "pale") + _dots("24,40", "loss", 4),
    "03": _bars("6 14 34 10", "output"),
    "04": _lines("M6 12H18M6 24H30M6 36H12") + _bars("8 26 14", "token", 20),
    "05": _lines("M6 30H42M12 30C8 8 24 8 20 28") + _dots("16,30", "stream", 6) + _dots("34,30", "pale", 4),
    "06": _cells("a b q", 8, 8, 11) + _lines("M24 13H40M24 24H40M24 35H34"),
    "07": _cells("bb.aa qqqgg", 6, 10, 8) + _lines("M6 38H20M26 38H42"),
    "08": _cells("ba.ab ab..b .bab. a.bba", 9, 12),
    "09": _dots("12,12 16,18 9,20", "stream")
    + _dots("34,14 38,20", "attention")
    + _dots("22,36 29,38 25,30", "ffn"),
    "10": _lines("M4 24C10 4 16 4 24 24S38 44 44 24", "stream") + _lines("M4 24C18 8 30 8 44 30", "amber"),
    "11": _lines("M8 10C24 10 24 38 40 38M8 24C22 24 24 38 40 38", "attention")
    + _lines("M8 38H40", "attention")
    + _dots("8,10 8,24 8,38", "token")
    + _dots("40,38", "stream", 4.5),
    "12": _cells("q.. qq. .qq", 5, 5)
    + _cells("b.. .b. b.b", 26, 5)
    + _cells("g.. g.. gg.", 5, 26)
    + _cells("a.. aa. ..a", 26, 26),
    "13": _lines("M6 24L24 8M6 24L24 18M6 24L24 30M6 24L24 40M24 8L42 24M24 18L42 24M24 30L42 24M24 40L42 24")
    + _dots("24,8 24,30", "ffn", 4)
    + _dots("24,18 24,40", "pale", 4)
    + _dots("6,24 42,24", "stream", 4),
    "14": _lines("M24 4V44", "stream")
    + _lines("M24 10H36V22H24M24 28H12V38H24", "attention")
    + _dots("24,22 24,38", "stream", 4),
    "15": _box(4, 8, "token") + _box(15, 8, "attention") + _box(26, 8, "ffn") + _box(37, 7, "output"),
    "16": _lines("M6 16H40L34 10M40 16L34 22", "stream") + _lines("M42 34H8L14 28M8 34L14 40", "loss"),
    "17": _cells("qqq qqq qqq", 3, 15, 4.6)
    + _cells("b.. bb. bbb", 18, 15, 4.6)
    + _cells("gg. gg. ggg", 33, 15, 4.6),
    "18": _lines("M6 6V42H44") + _lines("M8 10C12 34 22 36 42 37", "loss"),
    "19": _lines("M6 6V42H44") + _lines("M8 30C16 34 20 36 26 34L32 8L36 40", "loss"),
    "20": _cells("bb bb", 4, 6, 8) + _cells("bb bb", 28, 6, 8) + _lines("M12 24V34H36V24M24 34V42"),
    "21": '<rect x="10" y="10" width="28" height="28" rx="6" class="output"/>'
    + _dots("18,18 30,18 24,24 18,30 30,30", "paper", 2.6),
    "22": _cells("bbbb. qqqq.", 5, 14, 8) + _lines("M41 10V36", "stream"),
    "23": _lines("M31 31L43 43")
    + '<circle cx="21" cy="21" r="14" class="ring"/>'
    + _cells("aba bqb", 13, 16, 5.6),
    "24": '<path d="M8 14L24 6L40 14V34L24 42L8 34z" class="pale"/>' + _lines("M8 14L24 22L40 14M24 22V42"),
    "25": _cells("bbb bbb bbb", 5, 10, 9) + _lines("M38 8V40", "attention") + _lines("M32 8H44", "attention"),
    "26": _bars("14", "pale", 8, 12) + _bars("32", "ffn", 26, 12) + _lines("M14 40H34"),
    "27": '<circle cx="18" cy="18" r="10" class="ring"/>' + _lines("M26 26L42 42M30 8H44M34 16H44M38 24H44"),
}


def picture(number: str) -> str:
    """A chapter's picture as an element of the page; a chapter without one gets a plain square.

    >>> picture("03").startswith("<svg") and picture("03").endswith("</svg>")
    True
    """
    shapes = PICTURES.get(number, '<rect x="12" y="12" width="24" height="24" class="pale"/>')
    return (
        f'<svg viewBox="0 0 48 48" width="48" height="48" aria-hidden="true" focusable="false">{shapes}</svg>'
    )
