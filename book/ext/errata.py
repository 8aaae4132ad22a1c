"""The errata page: every claim of the ledger as a list by source.

The directive `ledger` writes the lists and the form that filters them (`errata.js`, which shows some
entries at a time; without script all are shown and the form is not). The counts are in `ledger_counts.py`.
"""

import math
import re
import sys
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tools"), str(Path(__file__).parent)]
import cells  # noqa: E402 - beside this file
import ledger_cells  # noqa: E402 - the tools are scripts beside the package
import plan  # noqa: E402
from ledger_counts import WRONG  # noqa: E402
from references import place_of, typeset  # noqa: E402

from book.ledger import claims, code, sources  # noqa: E402
from book.ledger.claims import Claim  # noqa: E402
from support.view.tables import raised  # noqa: E402

PAGE = "book/errata"
HELPERS = [claims.FOLDER / name for name in ("helpers.py", "studies.py")]
SHOWN = 6  # a claim with more numbers than this is shown by its differences
LISTED = 3  # of which so many are listed
SUMMARY = 90  # characters of the expression that a fold is named by
BADGES = claims.VERDICTS
# What a claim says, and in brackets at its end what of it is computed, in words.
TESTED = re.compile(r"(.*\S) \(([^()]*(?:\([^()]*\)[^()]*)*)\)\.?")
WORDS = 3  # so many of them make a remark; fewer are a value
# A hyphen that is a minus sign: before a number or a symbol, between spaces, and in an exponent.
MINUS = re.compile(r"(?<![\w)\]}-])-(?!ing\b)(?=[\w.|(])|(?<= )-(?= )|(?<=\d)-(?=p\b)|(?<=\de)-(?=\d)")


@cache
def headings(stem: str) -> dict[str, str]:
    """Heading → anchor of a chapter, as docutils makes them; empty if there is no such notebook yet."""
    text = re.sub(r"```.*?```", "", plan.prose(stem), flags=re.S)
    found = re.findall(r"^#{2,3} +(.+?)\s*$", text, re.M)
    return {plain(text): nodes.make_id(plain(text)) for text in found}


def plain(heading: str) -> str:
    return re.sub(r"<!--.*?-->|[*_`$]", "", heading).strip()


def target(it: Claim) -> tuple[str, str]:
    """Where the book works the claim: (address, text); no address if the chapter is not written yet."""
    if cell := ledger_cells.find(it):
        stem, name = plan.chapters()[it.cell_in or it.chapter]
        return f"../notebooks/{stem}.html#{cells.address(cell)}", f"{name}: the cell"
    stem, name = plan.chapters()[it.chapter]
    known = headings(stem)
    if not known:
        return "", name
    wanted = it.section or ("What the sources say" if it.verdict in WRONG else "By hand")
    anchor = known.get(wanted)
    text = f"{name}: {wanted}" if anchor and it.section else name
    return f"../notebooks/{stem}.html" + (f"#{anchor}" if anchor else ""), text


def worked(it: Claim) -> str:
    """The computation of a claim, in a fold: what it starts from, its code, what comes out."""
    lines = [code.constants(it.compute), code.body(it.compute), f"→ {_as_typed(it.ours)}"]
    used = " and ".join(f"<code>{path}</code>" for path in code.through(it.compute))
    return (
        f'<details class="how" id="{it.id}-worked">'
        f"<summary>Computed as <code>{escape(_shortened(code.result(it.compute)))}</code></summary>"
        f"<pre>{escape(chr(10).join(filter(None, lines)))}</pre>"
        + (f"<p>The part of the package: {used}.</p>" if used else "")
        + "</details>"
    )


def _shortened(text: str) -> str:
    """An expression in one line, cut if it is long."""
    return text if len(text) <= SUMMARY else text[: SUMMARY - 1] + "…"


def _as_typed(value: Any) -> str:
    """A value as one would type it."""
    if isinstance(value, list):
        return f"[{', '.join(map(_as_typed, value))}]"
    return "−∞" if value == "-inf" else repr(value)


def number(x: Any, digits: int | None = None) -> str:
    """A number as a reader wants it."""
    if isinstance(x, bool):
        return "yes" if x else "no"
    if isinstance(x, str):
        return {"-inf": "−∞", "inf": "∞"}.get(x, x)
    if x in (-math.inf, math.inf):
        return "−∞" if x < 0 else "∞"
    if isinstance(x, int) or (float(x).is_integer() and abs(x) < 1e15):
        text = f"{int(x):,}"
    elif digits is not None and abs(x) >= 10.0**-digits:
        text = f"{x:.{digits}f}".rstrip("0").rstrip(".")
    else:
        text, _, power = f"{x:.4g}".partition("e")
        text += f" · 10{raised(int(power))}" if power else ""
    return text.replace("-", "−")


def signed(words: str) -> str:
    """Words with true minus signs and the quotation marks of a page.

    >>> signed("the loss -log(1-p) at -0.5, down |w - 3.3|: one-sided, by GPT-2")
    'the loss −log(1−p) at −0.5, down |w − 3.3|: one-sided, by GPT-2'
    """
    return typeset(MINUS.sub("−", words))


def said(it: Claim) -> tuple[str, str]:
    """What the source says, and what of it is computed here; the second is empty where the first tells it."""
    found = TESTED.fullmatch(it.claim)
    if found and it.computed and len(re.findall(r"[A-Za-z]{2,}", found[2])) >= WORDS:
        return found[1], found[2]
    return it.claim, ""


def digits_of(it: Claim) -> int | None:
    """One digit more than is printed."""
    unit = None if it.unit is None else min(claims.flat(it.unit))
    return None if unit is None or unit >= 1 else len(f"{unit:.10f}".rstrip("0").split(".")[1]) + 1


def row(value: Any, digits: int | None) -> str:
    if isinstance(value, list):
        if value and isinstance(value[0], list):
            return "; ".join(row(v, digits) for v in value)
        return "  ".join(number(v, digits) for v in value)
    return number(value, digits)


def comparison(it: Claim) -> str:
    """What is printed beside what we get; of many numbers those that differ."""
    stated = it.stated
    if not it.computed:
        few = stated is not None and len(claims.flat(stated)) <= SHOWN
        return f"<b>Claimed</b> {escape(row(stated, None))}" if few and not isinstance(stated, bool) else ""
    ours, digits = it.ours, digits_of(it)
    mine, theirs = claims.flat(ours), claims.flat(stated)
    if all(isinstance(one, bool) for one in theirs):  # the claim's own words say what is claimed
        held = dict.fromkeys(number(a == b) for a, b in zip(theirs, mine, strict=True))
        return f"<b>Is it so?</b> {' and '.join(held)}"
    if it.within is not None and not any(theirs):
        return f"<b>Difference claimed</b> none <b>Found</b> {escape(row(ours, None))}"
    if it.above or it.below:
        bound = "more than" if it.above else "less than"
        return f"<b>Claimed</b> {bound} {escape(row(stated, None))} <b>Ours</b> {escape(row(ours, None))}"
    if len(theirs) <= SHOWN or len(mine) != len(theirs):
        return f"<b>Claimed</b> {escape(row(stated, None))} <b>Ours</b> {escape(row(ours, digits))}"
    width = len(stated[0]) if isinstance(stated[0], list) and not isinstance(stated[0][0], list) else 0
    units = claims.flat(it.unit or 0)
    off = []
    for i, (a, b) in enumerate(zip(theirs, mine, strict=True)):
        unit = units[i] if len(units) == len(theirs) else units[0]
        if a != b and abs(a - b) > max(unit * (0.5 + 1e-6), it.within or 0):
            place = f"row {i // width + 1}, number {i % width + 1}" if width else f"number {i + 1}"
            off.append(f"{place}: {number(a)} → {number(b, digits)}")
    found = f"{len(off)} differ: " + "; ".join(off[:LISTED]) if off else "all agree"
    text = f"{len(theirs)} numbers, {found}"
    return f"<b>Claimed and ours</b> {escape(text)}" + (" …" if len(off) > LISTED else "")


def item(it: Claim) -> str:
    """One claim."""
    href, text = target(it)
    where = f'<a href="{href}">{escape(text)}</a>' if href else ""
    if not href and it.verdict != "unverifiable":
        where = f"chapter to come: {escape(text)}"
    if it.computed:
        how = worked(it) + (f"<p class=how>{where}</p>" if where else "")
    else:
        read = "checked by reading" if it.checked == "by reading" else "nothing to compute from"
        how = f"<p class=how>{' · '.join(filter(None, [read, where]))}</p>"
    claimed, tested = said(it)
    return (
        f'<li id="{it.id}" data-v="{it.verdict}" data-c="{it.chapter}">'
        f'<p><span class="v {it.verdict}">{BADGES[it.verdict]}</span> '
        f'<a class="id" href="#{it.id}">{it.id}</a> <i>{escape(typeset(it.place))}</i></p>'
        f"<p class=said>{escape(signed(claimed))}</p>"
        + (f"<p><b>Tested:</b> {escape(signed(tested))}</p>" if tested else "")
        + (f"<p>{shown}</p>" if (shown := comparison(it)) else "")
        + f"<p>{escape(signed(it.why))}</p>{how}</li>\n"
    )


def helpers() -> str:
    """What several claims call, in a fold."""
    text = "\n".join(path.read_text(encoding="utf8") for path in HELPERS)
    return (
        '<details class="how" id="claims-helpers"><summary>The functions that several entries call</summary>'
        f"<pre>{escape(text)}</pre></details>\n"
    )


def options(pairs: list[tuple[str, str]]) -> str:
    return "".join(f'<option value="{escape(value)}">{escape(text)}</option>' for value, text in pairs)


def form() -> str:
    """The filters; `errata.js` shows them."""
    used = {it.chapter for it in claims.claims()}
    verdicts = [("wrong", "all that were corrected"), ("", "all"), *BADGES.items()]
    names = [("", "all"), *((n, f"{int(n)} {name}") for n, (_, name) in plan.chapters().items() if n in used)]
    return (
        '<form id="ledger-form" hidden aria-label="Filter the claims">'
        f'<label>Verdict <select name="v">{options(verdicts)}</select></label>'
        f'<label>Source <select name="s">{options([("", "all"), *claims.SOURCES.items()])}</select></label>'
        f'<label>Chapter <select name="c">{options(names)}</select></label>'
        '<label>Words <input name="q" type="search" autocomplete="off"></label>'
        '<button type="reset">Show all</button>'
        '<p><output name="count" aria-live="polite"></output></p></form>\n'
    )


def introduced(part: str) -> str:
    """What a part of the ledger is about, with a link to the list of sources."""
    [source] = [it for it in sources.SOURCES if part in it.parts]
    title = f'<a href="{place_of(source, PAGE)}"><i>{escape(source.title)}</i></a>'
    return f"<p>{title}{escape(source.described.removeprefix(source.title))}.</p>"


class Ledger(SphinxDirective):
    """The form and, for each source, a section with its claims."""

    has_content = False

    def run(self) -> list[nodes.Node]:
        for path in (*claims.FOLDER.glob("*.py"), claims.OURS, plan.PLAN, plan.CONTENTS):
            self.env.note_dependency(str(path))
        for path in (ROOT / "notebooks").glob("*.ipynb"):
            self.env.note_dependency(str(path))
        headings.cache_clear()
        plan.cells.cache_clear()
        out: list[nodes.Node] = [nodes.raw("", form() + helpers(), format="html")]
        for name, part in claims.load().items():
            section = nodes.section(ids=[f"claims-{name}"], names=[f"claims-{name}"])
            section += nodes.title("", claims.SOURCES[name])
            section += nodes.raw("", introduced(name), format="html")
            # With a script the list is text for the browser; `errata.js` makes the rows that are asked for.
            rows = "".join(map(item, sorted(part, key=lambda it: it.verdict == "unverifiable")))
            html = f'<noscript class="claims"><ol class="claims" data-s="{name}">\n{rows}</ol></noscript>'
            section += nodes.raw("", html, format="html")
            out.append(section)
        return out


def only_there(app: Any, pagename: str, _template: str, _context: dict, _doctree: Any) -> None:
    """The script and the style of the filter, on the page that needs them."""
    if pagename == PAGE:
        app.add_js_file("errata.js")
        app.add_css_file("errata.css")


def setup(app: Any) -> dict[str, Any]:
    app.add_directive("ledger", Ledger)
    app.connect("html-page-context", only_there)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
