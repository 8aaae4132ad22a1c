"""The tables of a page, by one rule: how many columns, and which of them hold numbers, as classes.

A browser that must ask `:has` of each asks for long. A column of numbers stands to the right, with its
heading; one of words to the left, whatever its source said.
"""

import re
from bisect import bisect_right
from html import escape, unescape

BOX = re.compile(r'<div class="((?:cell|cell_output|pst-scrollable-table-container)(?: [^"]*)?)"')
TABLE = re.compile(r'<table class="([^"]*)"([^>]*>)(.*?)</table>', re.S)
DIV = re.compile(r"<(/?)div\b")
ROW = re.compile(r"<tr\b[^>]*>(.*?)</tr>", re.S)
CELL = re.compile(r"<(t[hd])\b([^>]*)>(.*?)</\1>", re.S)
ALIGNED = re.compile(r'(<t[hd]\b[^>]*?) class="(head )?text-(?:left|right|center)"')
HEARD = re.compile(r'<span class="katex-mathml">.*?</span></span>|<annotation\b.*?</annotation>', re.S)
# 1,024 · −0.50 · 3.1 s · 12 % · 0.33 ± 0.02 · 1 / 16 · 1.00 ≠ 0.99 · 1.7 to 1.9 · 4 × 4 · ∞
NUMBER = re.compile(
    r"((?:over|about|at (?:most|least)|up to) )?[≈~<>≤≥+−±×$-]*(\d[\d,.\s]*|∞)(e[−+-]?\d+)?"
    r"(\s*(±|/|≠|to|of|·|×|–|→|-|\()\s*[−+-]?\d[\d,.]*\)?)*"
    r"(\s*(%|[a-zA-Zµ×*°]{1,5}|(?:m|b|tr)illion|or more))?"
)
NAMED = re.compile(r"(?<=>)([A-Za-z]{1,5}) (?=\d{1,2}<)")  # unit 0, dim 3: a name that is not broken
BLANK = re.compile(r"[\s–—−?·…-]*|none|not published|never|NaN|inf|▢")
MOST = 14  # columns that the style knows


def cells(table: str) -> list[list[tuple[str, str]]]:
    """The rows of a table: of each cell its kind and its words.

    >>> cells("<tr><th>a</th></tr><tr><td><b>1</b></td></tr>")
    [[('th', 'a')], [('td', '1')]]
    """
    plain = HEARD.sub("", table)
    return [
        [(kind, unescape(re.sub(r"<[^>]*>", "", text)).strip()) for kind, _, text in CELL.findall(row)]
        for row in ROW.findall(plain)
    ]


def columns(table: str) -> int:
    """The most cells in a row of a table.

    >>> columns("<tr><th>a</th><td>1</td></tr><tr><td>2</td></tr>")
    2
    """
    return max((len(row) for row in cells(table)), default=0)


def numbers(table: str) -> list[int]:
    """The columns that hold numbers, counted from 1: where all that stands there is one, or a blank.

    >>> row = "<tr><td>{}</td><td>{}</td></tr>"
    >>> numbers("<tr><th>a</th><th>b</th></tr>" + row.format("cat", "−0.5") + row.format(3, "–"))
    [2]
    """
    rows = [row for row in cells(table) if any(kind == "td" and words for kind, words in row)]  # not of heads
    found = []
    for k in range(min(MOST, max(map(len, rows), default=0))):
        said = [row[k][1] for row in rows if k < len(row) and not BLANK.fullmatch(row[k][1])]
        if said and all(NUMBER.fullmatch(words) for words in said):
            found.append(k + 1)
    return found


def carded(table: str) -> str:
    """A table whose rows are cards on a phone: the first cell names its row, each other its column.

    >>> carded("<tr><th>a</th><th>b</th></tr><tr><td>x</td><td>1</td></tr>")
    '<tr><th>a</th><th>b</th></tr><tr><th scope="row">x</th><td data-name="b">1</td></tr>'
    """
    heads = [words for _, words in cells(table)[0]]

    def row(found: re.Match[str]) -> str:
        told, k = found[0], -1

        def cell(at: re.Match[str]) -> str:
            nonlocal k
            k += 1
            if k == 0:
                return f'<th scope="row">{at[3]}</th>'
            return f'<td data-name="{escape(heads[k])}"{at[2]}>{at[3]}</td>'

        return CELL.sub(cell, told) if "<td" in told else told

    return ROW.sub(row, table)


def with_widths(body: str) -> str:
    """Tables say how many columns they have, 8 or 12, and which hold numbers; what holds a table says so.

    >>> with_widths('<div class="cell_output"><table class="a"><tr><td>1</td></tr></table></div>')
    '<div class="cell_output with-table"><table class="a right-1"><tr><td>1</td></tr></table></div>'
    >>> with_widths('<table class="a"><tr><th>unit 0</th></tr></table>')
    '<table class="a"><tr><th>unit&nbsp;0</th></tr></table>'
    """

    def table(found: re.Match[str]) -> str:
        wide = columns(found[3])
        many = "".join(f" columns-{least}" for least in (8, 12) if wide >= least)
        if "span=" not in found[3]:
            many += "".join(f" right-{k}" for k in numbers(found[3]))
        inner = NAMED.sub(r"\1&nbsp;", ALIGNED.sub(lambda m: m[1], found[3]))
        if "cards" in found[1].split():
            inner = carded(inner)
        return f'<table class="{found[1]}{many}"{found[2]}{inner}</table>'

    body = TABLE.sub(table, body)
    divs = [(m.start(), -1 if m[1] else 1) for m in DIV.finditer(body)]
    starts = [start for start, _ in divs]

    def box(found: re.Match[str]) -> str:
        depth, end = 1, len(body)
        for k in range(bisect_right(starts, found.start()), len(divs)):
            depth += divs[k][1]
            if not depth:
                end = divs[k][0]
                break
        inner = body[found.end() : end]
        marks = " with-table" if "<table" in inner or "<live-figure" in inner else ""
        marks += " with-wide-table" if re.search(r'<table class="[^"]*columns-8', inner) else ""
        marks += " with-plot" if 'class="plot ' in inner else ""
        return f'<div class="{found[1]}{marks}"'

    return BOX.sub(box, body)
