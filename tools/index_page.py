"""The index: the terms of the book in columns, and for each letter the names of the package in a fold."""

import re
from pathlib import Path

TABLE = re.compile(r'<table[^>]*class="indextable genindextable">.*?</table>', re.S)
PART = re.compile(r"<li>|</li>")


def items(table: str) -> list[str]:
    """The outer entries of a list, each with those that stand under it.

    >>> items("<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>")
    ['<li>a<ul><li>b</li></ul></li>', '<li>c</li>']
    """
    found, depth, start = [], 0, 0
    for tag in PART.finditer(table):
        if tag[0] == "<li>":
            start = start if depth else tag.start()
            depth += 1
        else:
            depth -= 1
            if not depth:
                found.append(table[start : tag.end()])
    return found


def apart(text: str) -> str:
    """The page of the index with its terms and the package's names in two lists for each letter.

    >>> said = '<li><a href="g"><strong>gate</strong></a></li><li><a href="a">gelu() (in module m)</a></li>'
    >>> page = apart(f'<table class="indextable genindextable"><tr><td><ul>{said}</ul></td></tr></table>')
    >>> page.index("gate") < page.index("<summary>1 name of the package</summary>") < page.index("gelu()")
    True
    """

    def lists(found: re.Match[str]) -> str:
        every = items(found[0])
        terms = [item for item in every if "<strong>" in item]
        names = [item for item in every if "<strong>" not in item]
        parts = [f'<ul class="index-terms">{"".join(terms)}</ul>'] if terms else []
        if names:
            count = f"{len(names)} name{'s' if len(names) > 1 else ''} of the package"
            parts.append(
                f'<details class="index-names"><summary>{count}</summary><ul>{"".join(names)}</ul></details>'
            )
        return "\n".join(parts)

    return TABLE.sub(lists, text)


def write(site: Path) -> None:
    """Set the lists of a site's index apart, if it has one."""
    page = site / "genindex.html"
    if page.is_file():
        page.write_text(apart(page.read_text(encoding="utf8")), encoding="utf8")
