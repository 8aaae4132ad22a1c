"""The icons of the pages, drawn in the page itself.

The theme brings a script of 1.5 MB that draws every icon there is. The pages use about a dozen, ten on each:
here they are cut out of that script while the book is built. A style sheet could hold them as data, but a
browser makes a document of its own of each such picture, before the first paint.
"""

import re
from functools import cache
from pathlib import Path

import pydata_sphinx_theme

ICON = re.compile(r'(<(i|span)\b[^>]*\bclass="([^"]*\bfa(?:s|r|-solid|-regular)\b[^"]*)"[^>]*>)\s*(</\2>)')
SCRIPT = ("theme", "pydata_sphinx_theme", "static", "scripts", "fontawesome.js")


@cache
def _script() -> str:
    return Path(pydata_sphinx_theme.__file__).parent.joinpath(*SCRIPT).read_text(encoding="utf8")


@cache
def drawing(name: str) -> str:
    """The solid icon of a name as SVG; none if the theme has no such icon.

    >>> drawing("bars")[:63]
    '<svg viewBox="0 0 448 512" aria-hidden="true"><path d="M0 96C0 '
    >>> drawing("lg")
    ''
    """
    found = re.findall(rf'(?<![\w-])"?{name}"?:\[(\d+),(\d+),\[[^\]]*\],"[^"]*","([^"]+)"\]', _script())
    if not found:
        return ""
    width, height, path = found[-1]  # the solid set is the last one in the script
    return f'<svg viewBox="0 0 {width} {height}" aria-hidden="true"><path d="{path}"/></svg>'


def with_icons(body: str) -> str:
    """The page with a drawing in each of its icons.

    >>> buttons = '<i class="fa-solid fa-bars fa-lg"></i><span class="fa-solid fa-list"></span>'
    >>> with_icons(buttons).count("<path")
    2
    """

    def draw(found: re.Match[str]) -> str:
        names = re.findall(r"\bfa-(?!solid\b|regular\b)([\w-]+)", found[3])
        return found[1] + "".join(drawing(name) for name in names) + found[4]

    return ICON.sub(draw, body)
