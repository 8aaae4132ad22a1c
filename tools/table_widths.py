"""How wide the tables of a page are, as classes: a browser that must ask `:has` of each asks for long."""

import re
from bisect import bisect_right

BOX = re.compile(r'<div class="((?:cell|cell_output|pst-scrollable-table-container)(?: [^"]*)?)"')
TABLE = re.compile(r'<table class="([^"]*)"([^>]*>)(.*?)</table>', re.S)
DIV = re.compile(r"<(/?)div\b")


def columns(table: str) -> int:
    """The most cells in a row of a table.

    >>> columns("<tr><th>a</th><td>1</td></tr><tr><td>2</td></tr>")
    2
    """
    return max((len(re.findall(r"<t[hd][\s>]", row)) for row in re.split(r"<tr\b", table)[1:]), default=0)


def with_widths(body: str) -> str:
    """Tables with 8 columns or 12 say so; so does what holds a table, a wide one, or a plot.

    >>> with_widths('<div class="cell_output"><table class="a"><tr><td>1</td></tr></table></div>')
    '<div class="cell_output with-table"><table class="a"><tr><td>1</td></tr></table></div>'
    """

    def table(found: re.Match[str]) -> str:
        many = "".join(f" columns-{least}" for least in (8, 12) if columns(found[3]) >= least)
        return f'<table class="{found[1]}{many}"{found[2]}{found[3]}</table>'

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
