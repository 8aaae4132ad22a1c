"""The errata page: every claim of the ledger as a list by source, a table of counts, the counts in prose.

The directive `ledger` writes the lists and the form that filters them (`errata.js`; without script all
entries are shown and the form is not); `ledger-table` counts by source and verdict; the role `ledger` gives
one count.
"""

import re
import sys
from collections import Counter
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(Path(__file__).parent)]
import cells  # noqa: E402 - beside this file
import ledger  # noqa: E402 - the tools are scripts beside the package
import ledger_cells  # noqa: E402
import plan  # noqa: E402

PAGE = "book/errata"
SHOWN = 6  # a claim with more numbers than this is shown by its differences
LISTED = 3  # of which so many are listed
BADGES = {name: word for name, word in ledger.VERDICTS.items()}
WRONG = ("slip", "follows", "conceptual", "overstated", "convention")


@cache
def headings(stem: str) -> dict[str, str]:
    """Heading → anchor of a chapter, as docutils makes them; empty if there is no such notebook yet."""
    text = re.sub(r"```.*?```", "", plan.prose(stem), flags=re.S)
    found = re.findall(r"^#{2,3} +(.+?)\s*$", text, re.M)
    return {plain(text): nodes.make_id(plain(text)) for text in found}


def plain(heading: str) -> str:
    return re.sub(r"<!--.*?-->|[*_`$]", "", heading).strip()


def target(entry: dict[str, Any]) -> tuple[str, str]:
    """Where the book works the claim: (address, text); no address if the chapter is not written yet."""
    if cell := ledger_cells.find(entry):
        stem, name = plan.chapters()[entry.get("cell_in", entry["chapter"])]
        return f"../notebooks/{stem}.html#{cells.address(cell)}", f"{name}: the cell"
    stem, name = plan.chapters()[entry["chapter"]]
    known = headings(stem)
    if not known:
        return "", name
    wanted = entry.get("section") or ("What the sources say" if entry["verdict"] in WRONG else "By hand")
    anchor = known.get(wanted)
    text = f"{name}: {wanted}" if anchor and entry.get("section") else name
    return f"../notebooks/{stem}.html" + (f"#{anchor}" if anchor else ""), text


def worked(entry: dict[str, Any]) -> str:
    """The computation of a claim, in a fold: what it starts from, what comes out, and what computed it."""
    given = "".join(f"{name} = {_as_typed(value)}\n" for name, value in entry["inputs"].items())
    lines = f"{given}{entry['by']}\n→ {_as_typed(entry['ours'])}"
    used = " and ".join(f"<code>{path}</code>" for path in ledger.through(entry))
    return (
        f'<details class="how" id="{entry["id"]}-worked">'
        f"<summary>Computed as <code>{escape(entry['by'])}</code></summary>"
        f"<pre>{escape(lines)}</pre>"
        + (f"<p>The part of the package: {used}.</p>" if used else "")
        + "</details>"
    )


def _as_typed(value: Any) -> str:
    """A value as one would type it."""
    if isinstance(value, list):
        return f"[{', '.join(map(_as_typed, value))}]"
    return "−∞" if value is None or value == "-inf" else repr(value)


def number(x: Any, digits: int | None = None) -> str:
    """A number as a reader wants it."""
    if isinstance(x, bool):
        return "yes" if x else "no"
    if x is None or x == "-inf":
        return "−∞"
    if isinstance(x, str):
        return "∞" if x == "inf" else x
    if isinstance(x, int) or (float(x).is_integer() and abs(x) < 1e15):
        text = f"{int(x):,}"
    elif digits is not None and abs(x) >= 10.0**-digits:
        text = f"{x:.{digits}f}".rstrip("0").rstrip(".")
    else:
        text = f"{x:.4g}"
    return text.replace("-", "−")


def digits_of(entry: dict[str, Any]) -> int | None:
    """One digit more than is printed."""
    unit = min(ledger._flat(entry["unit"])) if "unit" in entry else None
    return None if unit is None or unit >= 1 else len(f"{unit:.10f}".rstrip("0").split(".")[1]) + 1


def row(value: Any, digits: int | None) -> str:
    if isinstance(value, list):
        if value and isinstance(value[0], list):
            return "; ".join(row(v, digits) for v in value)
        return "  ".join(number(v, digits) for v in value)
    return number(value, digits)


def comparison(entry: dict[str, Any]) -> str:
    """What is printed beside what we get; of many numbers those that differ."""
    stated = entry["stated"]
    if "by" not in entry:
        few = stated is not None and len(ledger._flat(stated)) <= SHOWN
        return f"<b>Claimed</b> {escape(row(stated, None))}" if few and not isinstance(stated, bool) else ""
    ours, digits = entry["ours"], digits_of(entry)
    mine, theirs = ledger._flat(ours), ledger._flat(stated)
    if isinstance(stated, bool):
        return f"<b>Claimed</b> {number(stated)} <b>Is it so?</b> {number(ours)}"
    if "within" in entry and not any(theirs):
        return f"<b>Difference claimed</b> none <b>Found</b> {escape(row(ours, None))}"
    if "above" in entry or "below" in entry:
        bound = "more than" if "above" in entry else "less than"
        return f"<b>Claimed</b> {bound} {escape(row(stated, None))} <b>Ours</b> {escape(row(ours, None))}"
    if len(theirs) <= SHOWN or len(mine) != len(theirs):
        return f"<b>Claimed</b> {escape(row(stated, None))} <b>Ours</b> {escape(row(ours, digits))}"
    width = len(stated[0]) if isinstance(stated[0], list) and not isinstance(stated[0][0], list) else 0
    units = ledger._flat(entry.get("unit", 0))
    off = []
    for i, (a, b) in enumerate(zip(theirs, mine, strict=True)):
        unit = units[i] if len(units) == len(theirs) else units[0]
        if a != b and abs(a - b) > max(unit * (0.5 + 1e-6), entry.get("within", 0)):
            place = f"row {i // width + 1}, number {i % width + 1}" if width else f"number {i + 1}"
            off.append(f"{place}: {number(a)} → {number(b, digits)}")
    found = f"{len(off)} differ: " + "; ".join(off[:LISTED]) if off else "all agree"
    text = f"{len(theirs)} numbers, {found}"
    return f"<b>Claimed and ours</b> {escape(text)}" + (" …" if len(off) > LISTED else "")


def item(entry: dict[str, Any]) -> str:
    """One claim."""
    verdict, name = entry["verdict"], entry["id"]
    href, text = target(entry)
    where = f'<a href="{href}">{escape(text)}</a>' if href else ""
    if not href and verdict != "unverifiable":
        where = f"chapter to come: {escape(text)}"
    if "by" in entry:
        how = worked(entry) + (f"<p class=how>{where}</p>" if where else "")
    else:
        read = "checked by reading" if entry["checked"] == "by reading" else "nothing to compute from"
        how = f"<p class=how>{' · '.join(filter(None, [read, where]))}</p>"
    return (
        f'<li id="{name}" data-v="{verdict}" data-c="{entry["chapter"]}">'
        f'<p><span class="v {verdict}">{BADGES[verdict]}</span> <a class="id" href="#{name}">{name}</a> '
        f"<i>{escape(entry['place'])}</i></p>"
        f"<p>{escape(entry['claim'])}</p>"
        + (f"<p>{shown}</p>" if (shown := comparison(entry)) else "")
        + f"<p>{escape(entry['why'])}</p>{how}</li>\n"
    )


def options(pairs: list[tuple[str, str]]) -> str:
    return "".join(f'<option value="{escape(value)}">{escape(text)}</option>' for value, text in pairs)


def form() -> str:
    """The filters; `errata.js` shows them."""
    everything = ledger.entries()
    used = {e["chapter"] for e in everything}
    verdicts = [("", "all"), ("wrong", "all that are wrong"), *BADGES.items()]
    names = [("", "all"), *((n, f"{int(n)} {name}") for n, (_, name) in plan.chapters().items() if n in used)]
    return (
        '<form id="ledger-form" hidden aria-label="Filter the claims">'
        f'<label>Verdict <select name="v">{options(verdicts)}</select></label>'
        f'<label>Source <select name="s">{options([("", "all"), *ledger.SOURCES.items()])}</select></label>'
        f'<label>Chapter <select name="c">{options(names)}</select></label>'
        '<label>Words <input name="q" type="search" autocomplete="off"></label>'
        '<button type="reset">Show all</button>'
        '<p><output name="count" aria-live="polite"></output></p></form>\n'
    )


class Ledger(SphinxDirective):
    """The form and, for each source, a section with its claims."""

    has_content = False

    def run(self) -> list[nodes.Node]:
        for path in (*ledger.CLAIMS.glob("*.json"), plan.PLAN, plan.CONTENTS):
            self.env.note_dependency(str(path))
        for path in (ROOT / "notebooks").glob("*.ipynb"):
            self.env.note_dependency(str(path))
        headings.cache_clear()
        plan.cells.cache_clear()
        out: list[nodes.Node] = [nodes.raw("", form(), format="html")]
        for name, part in ledger.load().items():
            section = nodes.section(ids=[f"claims-{name}"], names=[f"claims-{name}"])
            section += nodes.title("", ledger.SOURCES[name])
            html = f'<ol class="claims" data-s="{name}">\n' + "".join(map(item, part)) + "</ol>"
            section += nodes.raw("", html, format="html")
            out.append(section)
        return out


class LedgerTable(SphinxDirective):
    """Claims by source and verdict."""

    has_content = False

    def run(self) -> list[nodes.Node]:
        heads = ["Source", "Claims", *BADGES.values()]
        total: Counter[str] = Counter()
        rows = []
        for name, count in ledger.counts():
            total += count
            rows.append([f'<a href="#claims-{name}">{ledger.SOURCES[name]}</a>', count])
        rows.append(["<b>all</b>", total])
        html = '<div class="pst-scrollable-table-container"><table class="table ledger">'
        html += "<caption>Claims by source and verdict</caption><thead><tr>"
        html += "".join(f'<th scope="col">{h}</th>' for h in heads) + "</tr></thead><tbody>"
        for head, count in rows:
            cells = [sum(count.values()), *(count[v] for v in BADGES)]
            html += f'<tr><th scope="row">{head}</th>'
            html += "".join(f"<td>{c or '–'}</td>" for c in cells) + "</tr>"
        return [nodes.raw("", html + "</tbody></table></div>", format="html")]


@cache
def numbers() -> dict[str, str]:
    """The counts that the page's prose may name."""
    everything = ledger.entries()
    computed = [e for e in everything if "by" in e]
    verdicts = Counter(e["verdict"] for e in everything)
    named = sum(bool(ledger.through(e)) for e in computed)
    counted = {
        "claims": len(everything),
        "computed": len(computed),
        "read": sum(e.get("checked") == "by reading" for e in everything),
        "impossible": verdicts["unverifiable"],
        "checked": len(everything) - verdicts["unverifiable"],
        "wrong": sum(verdicts[v] for v in WRONG),
        "support": named,
        "support_share": round(100 * named / len(computed)),
        "linked": sum(ledger_cells.find(e) is not None for e in everything),
        "added": sum(e.get("added", False) for e in everything),
        "rounding_units": ledger.ROUNDING_UNITS,
        **{v: verdicts[v] for v in BADGES},
    }
    return {name: f"{value:,}" for name, value in counted.items()}


def count_role(_name, raw, text, lineno, inliner, _options=None, _content=None):
    """``{ledger}`claims``: one of `numbers`."""
    if text not in numbers():
        message = inliner.reporter.error(f"the ledger has no number {text!r}", line=lineno)
        return [inliner.problematic(raw, raw, message)], [message]
    return [nodes.inline("", numbers()[text], classes=["bound"])], []


def only_there(app: Any, pagename: str, _template: str, _context: dict, _doctree: Any) -> None:
    """The script and the style of the filter, on the page that needs them."""
    if pagename == PAGE:
        app.add_js_file("errata.js")
        app.add_css_file("errata.css")


def setup(app: Any) -> dict[str, Any]:
    app.add_directive("ledger", Ledger)
    app.add_directive("ledger-table", LedgerTable)
    app.add_role("ledger", count_role)
    app.connect("html-page-context", only_there)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
