"""The ways of reading: what each of them leaves on a chapter's page, and what it adds.

Everything is shown, or the pictures only, or the calculation by hand with its code folded, or the code. The
way is written at the root of the page (``data-reading``), so that a page opens in it at once; the rules that
hide are in `book.css`. Here the page gets its buttons and the marks that the rules need:

- *Picture* promises no formula and no code. It leaves the opening, *The picture* with its drawing, the
  figures of *By hand* that one can move, of *Experiment* the question, each figure with its caption and the
  paragraphs that say in a comment that they are for it, too, and of the quiz and the take-aways what it has
  shown (a question says ``"picture": true``; an item of the take-aways, or a part of an experiment, that is
  not for it says so in a comment). A sentence with a formula is left out, and a
  symbol that only names something (``W_O``) is written as text. Before the experiments a
  line says that one may stop there, and where to go on.
- *By hand* folds the code of every part, each cell with a button of its own. So does *Everything* where an
  experiment has much of it.

In every way, the drawing of what the chapter builds opens *The picture*, so that it is in the first window.
What one will be able to do, what one needs and how long it takes is one fold above it, beside the set-up;
without a script and on paper it stands open.
The words that a cell prints beside its figure and the code that draws it are folded below it, the code of
the part by hand is folded above its numbers, and the parts that go deeper are folded into their headings;
so is what the sources say.
"""

import re
import sys
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import plan
from folds import (
    HIDDEN,
    SOURCES,
    before_deeper,
    figures,
    fold_below,
    fold_deeper,
    frame,
    gather,
    gather_code,
    goes_deeper,
    is_cell,
    raw,
    shows_code,
)
from live import live_figure
from without_formulas import ONLY, without_formulas

WAYS = {
    "all": ("Everything", "You are reading everything: the picture, the numbers and the code."),
    "picture": (
        "Picture",
        "This is the short way: pictures and words, with no formulas or code. The rest is under Everything.",
    ),
    "hand": ("By hand", "You are reading what is computed by hand; code is folded."),
    "code": ("Code", "You are reading the code; the parts “The picture” and “By hand” are left out."),
}
SKIP = "not in the picture"  # says a comment in a take-away, or in the first paragraph of a part
ALSO = "also in the picture"  # says a comment in a paragraph of an experiment that answers its question
AIMS = "You will be able to"  # so the list begins that says what a chapter is for
TIME = re.compile(r"Time:\s+(.+?) of reading")
CODE = '<button type="button" class="code-opens" aria-expanded="false" data-lines="{}">Show the code</button>'
LONG_TITLE = 23  # letters of a title that stand beside the buttons as large as other titles
# So much code of an experiment, as it stands in the column, is folded in *Everything*, too.
LONG, WIDE = 6, 85  # lines, and characters of a line


def bar(title: str) -> str:
    """The buttons that choose a way, marked beside a long title, and a line that says what is shown."""
    buttons = "".join(
        f'<button type="button" data-way="{way}" aria-pressed="{str(way == "all").lower()}">{label}</button>'
        for way, (label, _) in WAYS.items()
    )
    says = "".join(f'<span data-way="{way}">{words}</span>' for way, (_, words) in WAYS.items())
    long = " modes-long" if len(title) > LONG_TITLE else ""
    return (
        f'<div class="modes{long} pst-js-only"><div role="group" aria-label="What to show">{buttons}</div>'
        f'<p class="modes-says" role="status">{says}</p></div>'
    )


def skips(part: nodes.Element) -> bool:
    """Whether its first paragraph says in a comment that the picture way leaves the whole out."""
    return says(next(part.findall(nodes.paragraph), part), SKIP)


def says(node: nodes.Element, words: str) -> bool:
    """Whether a comment in it says so."""
    return any(words in said.astext() for said in node.findall(nodes.raw))


def introduces(paragraph: nodes.Element) -> bool:
    """Whether a live figure stands directly below it."""
    after = paragraph.parent[paragraph.parent.index(paragraph) + 1 :][:1]
    return bool(after) and is_cell(after[0]) and any(True for _ in after[0].findall(moves_in_pictures))


def moves_in_pictures(node: nodes.Node) -> bool:
    """Whether it is a live figure that shows more than sums of decimal numbers."""
    return isinstance(node, live_figure) and not node["sums"]


def leave_out(node: nodes.Element) -> None:
    """Marks what the picture way does not show; what is written without classes gets a box."""
    node["classes"].append(HIDDEN)
    if isinstance(node, nodes.raw | nodes.math_block):
        box = nodes.container("", classes=[HIDDEN])
        node.replace_self(box)
        box += node


def draws(cell: nodes.Element) -> bool:
    """Whether a cell has a figure."""
    return "draws" in cell["classes"]


def open_the_picture(top: nodes.Element) -> None:
    """What draws what a chapter builds, and the words that belong to it, as the first thing in *The picture*.

    Where none stands before that part, it is the first one drawn in it.
    """
    picture = next((n for n in top.children if "the-picture" in n.get("ids", ())), None)
    if picture is None:
        return
    drawn = [n for n in top.children if {"opening-drawing", "opening-said"} & set(n.get("classes", ()))]
    if not drawn:
        cells = [node for node in picture.children if is_cell(node)]
        drawn = [cell for cell in cells if any(map(is_diagram, figures(cell)))][:1]
        for cell in drawn:
            cell["classes"].append("opening-drawing")
    for node in drawn:
        node.parent.remove(node)
    picture["classes"].append("holds-drawing")
    picture[1:1] = drawn


def is_diagram(node: nodes.Node) -> bool:
    """Whether it is drawn by `support.view.diagram`."""
    return isinstance(node, nodes.raw) and "diagram-of-cell" in node["classes"]


def fold_aims(top: nodes.Element) -> None:
    """What one will be able to do, what one needs and how long it takes: a fold beside that of the set-up."""
    place = next((k for k, node in enumerate(top.children) if node.astext().startswith(AIMS)), None)
    if place is None:
        return
    section = next(k for k, node in enumerate(top.children) if isinstance(node, nodes.section))
    folded = [node for node in top.children[place:section] if not is_cell(node)]
    set_up = [node for node in top.children[place:section] if is_cell(node)]
    for node in [*folded, *set_up]:
        top.remove(node)
    long = TIME.search(" ".join(node.astext() for node in folded))
    says = "What you will be able to do, and what you need" + (f" ({long[1]})" if long else "")
    fold = [raw(f'<details class="aims"><summary>{says}</summary>'), *folded, raw("</details>")]
    top.insert(place, nodes.container("", *fold, *set_up, classes=["opening-folds", HIDDEN]))


def code_button(lines: int) -> nodes.raw:
    """The button that opens so many lines of code; the node knows how many."""
    button = raw(CODE.format(lines))
    button["lines"] = lines
    return button


def join_code(section: nodes.section) -> None:
    """Cells of much code that follow one another, of which only the last prints, get one button."""
    for part in section.findall(nodes.section):
        lead: nodes.Element | None = None
        for cell in part.children:
            if not (is_cell(cell) and "long-code" in cell["classes"]):
                lead = None
                continue
            if lead is None:
                lead = cell
            else:
                cell["classes"].append("code-joins")
                lead[0] = code_button(lead[0]["lines"] + cell[0]["lines"])
            if "only-code" not in cell["classes"]:
                lead = None


class Ways(SphinxPostTransform):
    """Marks a chapter for its ways; folds of cells have been made (`HideInputCells`)."""

    default_priority = 250
    formats = ("html",)

    def run(self, **_: Any) -> None:
        if not self.env.docname.startswith("notebooks/"):
            return
        top = next(self.document.findall(nodes.section))
        sections = [node for node in top.children if isinstance(node, nodes.section)]
        self.opening(top)
        for section in sections:
            if section["ids"][0] == "the-picture":
                gather(section)
            elif section["ids"][0] == "by-hand":
                gather_code(section)
        for cell in list(top.findall(is_cell)):
            self.cell(cell)
        for section in sections:
            name = section["ids"][0]
            if name in ("the-picture", "take-aways"):
                for item in section.findall(nodes.list_item):
                    if skips(item):
                        item["classes"].append(HIDDEN)
                for block in list(section.findall(nodes.paragraph)):
                    without_formulas(block, names=name == "the-picture")
                    if block.astext().startswith("Next:"):  # (the picture way has a link of its own)
                        block["classes"].append(HIDDEN)
            elif name == "by-hand":
                self.only_live(section)
            elif name.startswith("experiment"):
                self.gallery(section)
                join_code(section)
                for part in section.findall(nodes.section):
                    if part is not section and not any(map(draws, part.findall(nodes.container))):
                        part["classes"].append("draws-nothing")
        for section in list(top.findall(nodes.section)):
            if goes_deeper(section):
                before_deeper(section)
            if goes_deeper(section) or section["ids"][0] == SOURCES:
                fold_deeper(section)
        open_the_picture(top)
        fold_aims(top)
        experiment = next(node for node in sections if node["ids"][0].startswith("experiment"))
        top.insert(top.index(experiment), raw(self.enough()))
        top += raw(self.onward())
        top.insert(1, raw(bar(top[0].astext())))

    @staticmethod
    def opening(top: nodes.Element) -> None:
        """Of what stands before the first section, the question and the lines that introduce the chapter."""
        seen = drawn = False
        for node in top.children[1:]:
            if isinstance(node, nodes.section):
                return
            if node.astext().startswith(AIMS):
                seen, drawn = True, False
            if is_cell(node) and figures(node):
                node["classes"].append("opening-drawing")  # of what the chapter builds
                drawn = True
                continue
            after = node.next_node(descend=False, siblings=True)
            leads = after is not None and is_cell(after) and figures(after)
            if (drawn or leads) and isinstance(node, nodes.paragraph):  # words that belong to the drawing
                node["classes"].append("opening-said")
                without_formulas(node, names=True, code=False)
            elif seen or is_cell(node):
                node["classes"].append(HIDDEN)
            elif isinstance(node, nodes.paragraph):
                without_formulas(node, names=True)

    @staticmethod
    def cell(cell: nodes.Element) -> None:
        """Its folds, a button where code stands open, and whether it draws something."""
        code = cell.children[0]
        if code.get("nb_element") == "cell_code_source":
            lines = [line for line in code.astext().splitlines() if line.strip()]
            cell.insert(0, code_button(len(lines)))
            if sum(1 + len(line) // WIDE for line in lines) >= LONG:
                cell["classes"].append("long-code")
        elif shows_code(code):
            code["classes"].append("shows-code")
        drawn = figures(cell)
        if drawn:
            cell["classes"].append("draws")
            for below in cell.children[-1].children:
                if isinstance(below, nodes.paragraph):  # the caption that `support.view.show` gives a figure
                    below["classes"].append("finding")
        elif not any(cell.findall(nodes.table)):
            cell["classes"].append(HIDDEN)
        fold_below(cell)
        frame(cell)
        # (A folded output stands in a fold of its own, so it is no child of the cell.)
        if not any(part.get("nb_element") == "cell_code_output" for part in cell.findall(nodes.container)):
            cell["classes"].append("only-code")

    def only_live(self, section: nodes.Element) -> bool:
        """Of the part by hand the figures that one can move; whether there is one."""
        found = False
        for node in list(section.children):
            if any(True for _ in node.findall(moves_in_pictures)):
                found = True
                if isinstance(node, nodes.section):
                    self.only_live(node)
            elif isinstance(node, nodes.paragraph) and introduces(node):
                without_formulas(node, names=True, code=False)
            elif isinstance(node, nodes.Element):
                leave_out(node)
        if found:
            section["classes"].append("has-live")
        return found

    def gallery(self, section: nodes.Element) -> None:
        """Of each part of an experiment the first lines, if plain, the figures with findings, answers."""
        for k, node in enumerate(list(section.children[1:])):
            if isinstance(node, nodes.section) and skips(node):
                leave_out(node)
            elif isinstance(node, nodes.section):
                self.gallery(node)
            elif is_cell(node) and "draws" in node["classes"]:
                continue  # (each figure has its caption)
            elif isinstance(node, nodes.paragraph) and (k == 0 or introduces(node) or says(node, ALSO)):
                without_formulas(node, names=True, code=False)
            elif isinstance(node, nodes.Element):
                leave_out(node)

    def later(self) -> tuple[str, str]:
        """What comes after this chapter: its address, and its name."""
        number = self.env.docname.rpartition("/")[2][:2]
        chapters = plan.chapters()
        later = f"{int(number) + 1:02d}"
        if later not in chapters:
            return "../book/for_users.html", "what this means if you only use such models"
        stem, name = chapters[later]
        return f"{stem}.html", f"chapter {int(later)}, {escape(name)}"

    def enough(self) -> str:
        """Where the picture way has told the idea: one may stop, and what comes next."""
        address, name = self.later()
        return (
            f'<p class="picture-enough {ONLY}">If the idea is enough for you, stop here and go on to '
            f'<a href="{address}">{name}</a>. The experiments that follow show what was measured; '
            "they are harder and can be skipped.</p>"
        )

    def onward(self) -> str:
        """Where the picture way goes on."""
        address, name = self.later()
        name = name.replace("chapter", "the picture of chapter", 1)
        return (
            f'<div class="picture-onward {ONLY}"><p><a href="{address}">Next: {name}</a></p>'
            '<p><button type="button" data-way="all">Show everything in this chapter</button></p></div>'
        )


def setup(app: Any) -> dict[str, Any]:
    app.add_post_transform(Ways)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
