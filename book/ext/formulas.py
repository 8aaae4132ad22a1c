"""Formulas become text and lines when the pages are built, so that a page needs no script to show them.

KaTeX (``katex/katex.min.js``, version in its first line) runs here in a small JavaScript engine; each formula
comes out as HTML and, for a reader who listens, as MathML. A page with a formula loads KaTeX's style sheet,
and from it the fonts whose letters it has. A formula that KaTeX does not know ends the build with its place.
"""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import quickjs
from docutils import nodes
from sphinx.errors import ExtensionError
from sphinx.transforms.post_transforms import SphinxPostTransform

KATEX = Path(__file__).parent / "katex" / "katex.min.js"
# A formula that is nothing but lines in the middle; and where TeX can be taken apart.
GATHERED = re.compile(r"\\begin\{gathered\}(.*)\\end\{gathered\}", re.S)
PARTS = re.compile(r"(\\\\(?:\[[^]]*\])?|\\(?:begin|end)\{\w+\*?\}|\\[a-zA-Z]+|\\.|[{}])")
GLUED = re.compile(r"|\\(?:Long)?(?:[lL]eft)?[rR]ightarrow|\\text\{[^}]*\}")  # goes with what follows
ENDS = "</span>" * 3  # of the last part of a formula, of what is seen of it, and of the whole
SHORT = 24  # letters of TeX: a longer formula may be broken at the end of a line
# A string that was put together in pieces leaves the engine only as JSON.
CALL = "(tex, options) => JSON.stringify(katex.renderToString(tex, JSON.parse(options)))"


@cache
def engine() -> Any:
    """KaTeX, read once in each process of a build."""
    context = quickjs.Context()
    context.eval(KATEX.read_text(encoding="utf8"))
    return context.eval(CALL)


@cache
def typeset(tex: str, display: bool) -> str:
    """A formula as HTML.

    Raises:
        ValueError: KaTeX does not understand it; the message says where.

    >>> typeset("x^2", display=False)[:20]
    '<span class="katex">'
    """
    options = {"displayMode": display, "throwOnError": True, "strict": "error", "output": "htmlAndMathml"}
    try:
        return json.loads(engine()(tex, json.dumps(options)))
    except quickjs.JSException as error:
        raise ValueError(f"{str(error).splitlines()[0]}, in the formula {tex!r}") from None


def rows(tex: str) -> list[list[str]]:
    r"""The lines of a displayed formula, and in each what stands side by side, ``\qquad`` or ``\quad`` apart.

    Where a screen is narrow, what stands side by side goes below one another. A lone arrow or word goes with
    what follows it. Only a formula as a whole is taken apart, or the lines of a `gathered`.

    >>> rows(r"a = \frac{1}{2}, \qquad b = 3")
    [['a = \\frac{1}{2},', 'b = 3']]
    >>> rows(r"\begin{gathered} a \\ b \quad\Rightarrow\quad c \end{gathered}")
    [['a'], ['b', '\\Rightarrow\\quad c']]
    >>> rows(r"f = \begin{cases} 1 & x \\ 0 & \quad y \end{cases}")
    [['f = \\begin{cases} 1 & x \\\\ 0 & \\quad y \\end{cases}']]
    """
    tex = tex.strip()
    if (found := GATHERED.fullmatch(tex)) and r"\begin{gathered}" not in found[1]:
        tex = found[1]
    lines, depth = [[""]], 0
    for part in PARTS.split(tex):
        depth += part in ("{", r"\left") or part.startswith(r"\begin")
        depth -= part in ("}", r"\right") or part.startswith(r"\end")
        if depth == 0 and part.startswith("\\\\"):
            lines.append([""])
        elif depth == 0 and part in (r"\quad", r"\qquad") and not GLUED.fullmatch(lines[-1][-1].strip()):
            lines[-1].append("")
        else:
            lines[-1][-1] += part
    return [[piece.strip() for piece in line if piece.strip()] for line in lines]


def _whole(tex: str) -> str:
    """A displayed formula as HTML, in pieces where it has some."""
    lines = rows(tex)
    if all(len(line) == 1 for line in lines):
        return typeset(tex, True)
    near = "" if r"\qquad" in tex else " near"
    shown = (
        f'<div class="math-row{near}">{"".join(f"<div>{typeset(piece, True)}</div>" for piece in line)}</div>'
        for line in lines
    )
    return f'<div class="math-rows">{"".join(shown)}</div>'


def _written(self: Any, node: nodes.Element, display: bool) -> None:
    try:
        html = _whole(node.astext()) if display else typeset(node.astext(), display)
    except ValueError as error:
        raise ExtensionError(f"{node.source}:{node.line}: {error}") from None
    if sign := node.get("sign"):
        html = f'{html.removesuffix(ENDS)}<span class="sign">{sign}</span>{ENDS}'
    tag = "div" if display else "span"
    self.body.append(f'<{tag} class="math notranslate nohighlight">{html}</{tag}>')
    raise nodes.SkipNode


def inline(self: Any, node: nodes.Element) -> None:
    """A formula in a line of text."""
    _written(self, node, display=False)


def displayed(self: Any, node: nodes.Element) -> None:
    """A formula that stands alone."""
    _written(self, node, display=True)


class Together(SphinxPostTransform):
    """A formula keeps the punctuation behind it on its line; a browser would begin the next with it.

    A short formula stands in one element with it. In a longer one, which may be broken, it goes with the last
    part.
    """

    default_priority = 430  # after all that look for formulas in a paragraph

    def run(self, **kwargs: Any) -> None:
        """Put both into one element."""
        for formula in [*self.document.findall(nodes.math)]:
            line = formula.parent  # asked for first: to put the formula elsewhere changes its parent
            place = line.index(formula) + 1
            behind = line[place] if place < len(line) else None
            found = re.match(r"[.,;:!?)]+", behind.astext()) if isinstance(behind, nodes.Text) else None
            if not found or behind is None:
                continue
            rest = nodes.Text(behind.astext()[found.end() :])
            if len(formula.astext()) > SHORT:
                formula["sign"] = found[0]
                line[place] = rest
                continue
            sign = nodes.Text(found[0])
            line[place - 1 : place + 1] = [nodes.inline("", "", formula, sign, classes=["with-sign"]), rest]


def load(app: Any, page: str, template: str, context: Any, doctree: nodes.document | None) -> None:
    """The style sheet, on pages that have a formula."""
    if doctree is not None and next(
        doctree.findall(lambda n: isinstance(n, nodes.math | nodes.math_block)), None
    ):
        app.add_css_file("katex/katex.min.css")


def setup(app: Any) -> dict[str, Any]:
    app.add_html_math_renderer("katex", (inline, None), (displayed, None))
    app.add_post_transform(Together)
    app.connect("html-page-context", load)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
