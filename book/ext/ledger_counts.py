"""What the errata page says in numbers: a table, the most corrected chapters, the counts in its prose."""

import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]
import ledger_cells  # noqa: E402 - the tools are scripts beside the package
import plan  # noqa: E402

from book.ledger import claims, code  # noqa: E402

WRONG = ("slip", "follows", "conceptual", "overstated", "convention")
MOST = 5  # chapters that are named as the most corrected


class LedgerTable(SphinxDirective):
    """Claims by source and verdict."""

    has_content = False

    def run(self) -> list[nodes.Node]:
        heads = ["Source", "Claims", "Corrected", *claims.VERDICTS.values()]
        total: Counter[str] = Counter()
        rows = []
        for name, count in claims.counts().items():
            total += count
            rows.append([f'<a href="#claims-{name}">{claims.SOURCES[name]}</a>', count])
        rows.append(["<b>all</b>", total])
        html = '<div class="pst-scrollable-table-container"><table class="table ledger cards">'
        html += "<caption>Claims by source and verdict</caption><thead><tr>"
        html += "".join(f'<th scope="col">{h}</th>' for h in heads) + "</tr></thead><tbody>"
        for head, count in rows:
            cells = [sum(count.values()), sum(count[v] for v in WRONG), *(count[v] for v in claims.VERDICTS)]
            html += f'<tr><th scope="row">{head}</th>'
            html += "".join(f"<td>{f'{c:,}' if c else '–'}</td>" for c in cells) + "</tr>"
        return [nodes.raw("", html + "</tbody></table></div>", format="html")]


class LedgerMost(SphinxDirective):
    """The chapters in which most was corrected, each with its number and a link to what its sources say."""

    has_content = False

    def run(self) -> list[nodes.Node]:
        count = Counter(it.chapter for it in claims.claims() if it.verdict in WRONG)
        links = []
        for chapter, often in count.most_common(MOST):
            stem, name = plan.chapters()[chapter]
            links.append(f'<a href="../notebooks/{stem}.html#what-the-sources-say">{name}</a> ({often})')
        words = f"{', '.join(links[:-1])} and {links[-1]}"
        return [nodes.raw("", f"<p>The chapters with the most corrections are {words}.</p>", format="html")]


@cache
def numbers() -> dict[str, str]:
    """The counts that the page's prose may name."""
    everything = claims.claims()
    computed = [it for it in everything if it.computed]
    verdicts = Counter(it.verdict for it in everything)
    counted = {
        "claims": len(everything),
        "computed": len(computed),
        "read": sum(it.checked == "by reading" for it in everything),
        "impossible": verdicts["unverifiable"],
        "checked": len(everything) - verdicts["unverifiable"],
        "wrong": sum(verdicts[v] for v in WRONG),
        "support": sum(bool(code.through(it.compute)) for it in computed),
        "linked": sum(ledger_cells.find(it) is not None for it in everything),
        "rounding_units": claims.ROUNDING_UNITS,
        **{v: verdicts[v] for v in claims.VERDICTS},
    }
    return {name: f"{value:,}" for name, value in counted.items()}


def count_role(_name, raw, text, lineno, inliner, _options=None, _content=None):
    """``{ledger}`claims``: one of `numbers`."""
    if text not in numbers():
        message = inliner.reporter.error(f"the ledger has no number {text!r}", line=lineno)
        return [inliner.problematic(raw, raw, message)], [message]
    return [nodes.inline("", numbers()[text], classes=["bound"])], []


def setup(app: Any) -> dict[str, Any]:
    app.add_directive("ledger-table", LedgerTable)
    app.add_directive("ledger-most", LedgerMost)
    app.add_role("ledger", count_role)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
