"""One style sheet for all pages: no rule in it that no page can meet, and the fonts inside."""

import base64
import re
from collections.abc import Iterable, Iterator
from html import unescape
from pathlib import Path

import tinycss2

SELECTED = re.compile(r"[.#]((?:[\w-]|[^\x00-\x7f]|\\.)+)")
# Selectors that the theme writes with `:has`, of which a browser keeps books while a page grows: without it.
PAIRED = "div.cell:has(> *:nth-child(2)) "
PLAINER = {
    f"{PAIRED}{part}:{end}-child": f"div.cell > {part}:{end}-child:not(:{other}-child)"
    for part in ("div.cell_input", "details")
    for end, other in (("first", "last"), ("last", "first"))
}
LEFT_OUT = (
    "div.highlight:has(",
    ".dropdown.admonition.toggle:has(",
    ".output.stream:not(:has(",
)  # and no page has these
WORD = re.compile(r"[A-Za-z_][\w-]*")


def used_words(pages: Iterable[str], scripts: list[Path]) -> set[str]:
    """Classes and ids of all pages, and every word of the scripts that stay."""
    found = {"take-away"}  # put into the pages later (tools/take_away.py)
    for text in pages:
        for value in re.findall(r'\b(?:class|id)="([^"]*)"', text):
            found.update(unescape(value).split())
    for path in scripts:
        found.update(WORD.findall(path.read_text(encoding="utf8")))
    return found


def selectors(prelude: str) -> Iterator[str]:
    """The parts between the commas that stand in no bracket."""
    depth, part = 0, ""
    for sign in prelude:
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and not depth:
            yield part
            part = ""
        else:
            part += sign
    yield part


def may_meet(selector: str, used: set[str]) -> bool:
    """Whether an element of the pages can fit: every class and id outside of brackets is used.

    >>> may_meet(".a > .b:not(.c)", {"a", "b"}), may_meet(".a .d", {"a", "b"})
    (True, False)
    """
    while "(" in selector:
        shorter = re.sub(r"\([^()]*\)", "", selector)
        if shorter == selector:
            return True
        selector = shorter
    names = (re.sub(r"\\(.)", r"\1", name) for name in SELECTED.findall(re.sub(r"\[[^\]]*\]", "", selector)))
    return all(name in used for name in names)


def lean(css: str, used: set[str] | None = None) -> str:
    """A style sheet without comments and, if it is said what is used, without rules that nothing can meet.

    >>> lean("/* x */ .a { color: red } .b, .c > p { margin: 0 } @media print { .c { top: 0 } }", {"a", "b"})
    '.a{color: red}.b{margin: 0}'
    >>> lean("/* x */ .a { color: red } .b,\\n.c > p { margin: 0; }")
    '.a{color: red}.b,.c > p{margin: 0}'
    """
    out = []
    for rule in tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True):
        if rule.type == "qualified-rule":
            kept = [s.strip() for s in selectors(tinycss2.serialize(rule.prelude))]
            if used is not None:
                kept = [s for s in kept if may_meet(s, used) and not any(part in s for part in LEFT_OUT)]
            kept = [PLAINER.get(s, s) for s in kept]
            body = re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/", "", tinycss2.serialize(rule.content), flags=re.S))
            if kept and body.strip():
                out.append(f"{','.join(kept)}{{{body.strip().rstrip(';')}}}")
        elif rule.type == "at-rule":
            prelude = tinycss2.serialize(rule.prelude).strip()
            if rule.content is None:
                continue  # @charset, @import: all is here
            inner = tinycss2.serialize(rule.content)
            if rule.lower_at_keyword in ("media", "supports", "layer", "container"):
                inner = lean(inner, used)
            elif rule.lower_at_keyword == "font-face" and "Font Awesome" in inner:
                continue
            inner = re.sub(r"\s+", " ", inner).strip()
            if inner:
                out.append(f"@{rule.at_keyword} {prelude}{{{inner}}}")
    return "".join(out)


def with_letters(css: str, static: Path) -> str:
    """The fonts inside the sheet: no page is first set in one and then in another, and none is asked for."""

    def letters(found: re.Match[str]) -> str:
        font = base64.b64encode((static / found[1]).read_bytes()).decode()
        return f'url("data:font/woff2;base64,{font}")'

    return re.sub(r'url\("(fonts/[^"]+\.woff2)"\)', letters, css)


def without_unused_fonts(sheet: str, used: set[str]) -> str:
    """KaTeX's sheet without the faces that only classes ask for which no page has.

    >>> face = "@font-face{font-family:K_Script;src:url(s.woff2)}"
    >>> without_unused_fonts(face + ".katex .scr{font-family:K_Script}", {"katex", "scr"}).startswith(face)
    True
    >>> without_unused_fonts(face + ".katex .scr{font-family:K_Script}", {"katex"})
    '.katex .scr{font-family:K_Script}'
    """
    asked: dict[str, set[str]] = {}
    for prelude, family in re.findall(r"([^{}]*)\{font-family:(\w+)", sheet):
        asked.setdefault(family, set()).update(re.findall(r"\.([\w-]+)", prelude.replace(".katex", "")))
    for family, classes in asked.items():
        if classes and not classes & used and not re.search(rf"font:[^;}}]*\b{family}\b", sheet):
            sheet = re.sub(rf"@font-face\{{[^}}]*font-family:\"?{family}\"?;[^}}]*\}}", "", sheet)
    return sheet


def shared_style(site: Path, used: set[str], own: list[str]) -> str:
    """The text of the one sheet; what is not there, the theme does not bring."""
    parts = []
    for address in ["basic.css", *own]:  # the theme imports the first
        text = (site / "_static" / address).read_text(encoding="utf8")
        parts.append(lean(re.sub(r'@charset "[^"]*";', "", text), used))
    return with_letters("\n".join(parts), site / "_static")
