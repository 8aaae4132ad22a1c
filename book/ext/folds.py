"""What a page folds: the code and the numbers of a figure below it, and the parts that go deeper."""

import re

from docutils import nodes
from live import live_figure
from reading import DRAWN, MADE

HIDDEN = "not-in-picture"
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=\S)")
SKIPPED = re.compile(r"\s*(This section|These) can be skipped\.\s*")


def raw(html: str) -> nodes.raw:
    """HTML as it is."""
    return nodes.raw("", html, format="html")


def is_cell(node: nodes.Node) -> bool:
    """Whether it is a code cell with its outputs."""
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def is_drawn(node: nodes.Node) -> bool:
    """Whether it is a picture, a drawing or a live figure."""
    return isinstance(node, nodes.image | live_figure) or (
        isinstance(node, nodes.raw) and "diagram-of-cell" in node["classes"]
    )


def figures(cell: nodes.Element) -> list[nodes.Node]:
    """What a cell draws; of a live figure the whole."""
    return [node for node in cell.findall(is_drawn) if not inside_live(node)]


def inside_live(node: nodes.Node) -> bool:
    """Whether it is the still side of a live figure."""
    while node.parent is not None:
        node = node.parent
        if isinstance(node, live_figure):
            return True
    return False


def is_made(node: nodes.Node) -> bool:
    """Whether it is the fold with what a figure or a table of *The picture* is computed from."""
    return isinstance(node, nodes.Element) and node.get("prompt_show") == MADE[0]


def gather(section: nodes.section) -> None:
    """Cells that only prepare a figure of *The picture* are folded with it, so that it comes first."""
    waiting: list[nodes.Element] = []
    for cell in list(section.findall(is_cell)):
        if len(cell.children) == 1 and is_made(cell[0]):
            waiting.append(cell)
        elif waiting and figures(cell):
            fold = waiting[0][0]
            for earlier in waiting:
                cell["ids"] += earlier["ids"]
                earlier.parent.remove(earlier)
            for earlier in waiting[1:]:
                fold += earlier[0].children
            cell.insert(0, fold)
            waiting = []


def fold_below(cell: nodes.Element) -> None:
    """What is printed beside a figure, and how it is drawn, on one line of folds below it."""
    output = cell.children[-1]
    made = [node for node in cell.children if is_made(node)]
    if output.get("nb_element") != "cell_code_output" or not (made or figures(output)):
        return
    folds: list[nodes.Node] = []
    printed = [node for node in output.children if isinstance(node, nodes.literal_block) and figures(output)]
    if printed:
        inner = nodes.container("", *printed, classes=["cell_output"])
        for node in printed:
            output.remove(node)
        folds += [
            raw('<details class="figure-numbers"><summary>The numbers in this figure</summary>'),
            inner,
            raw("</details>"),
        ]
    for code in [*made, *(node for node in cell.children if node.get("prompt_show") == DRAWN[0])]:
        cell.remove(code)
        folds.append(code)
    if folds:
        cell += nodes.container("", *folds, classes=["figure-folds"])


def lead_into(section: nodes.section) -> None:
    """Of the paragraph that stays, what leads over to the folded rest stands with that.

    >>> said = nodes.paragraph("", "", nodes.emphasis("", "Skip it."), nodes.Text(" It is so: "))
    >>> part = nodes.section("", nodes.title("", "A"), said, nodes.paragraph())
    >>> lead_into(part)
    >>> [node.astext() for node in part]
    ['A', 'Skip it.', 'It is so: ', '']
    """
    said = section[1]
    for part in [node for node in said.findall(nodes.inline) if HIDDEN in node["classes"]]:
        part["classes"].clear()
        part.replace_self(part.children)  # (the picture way shows none of the section)
    for k in range(len(said) - 1, -1, -1):
        text = said[k].astext()
        if not isinstance(said[k], nodes.Text):
            continue
        last = said[k - 1].astext() if k else ""
        first = last.rstrip().endswith((".", "?", "!")) and " " in last[-1:] + text[:1]
        ends = [m.end() for m in SENTENCE.finditer(text)] or [len(text) - len(text.lstrip())] * first
        if not ends:
            continue
        before, after = text[: ends[-1]].rstrip(), nodes.Text(text[ends[-1] :])
        rest = [after, *said.children[k + 1 :]]
        said.children = said.children[:k]
        said += [nodes.Text(before)] if before else []
        section.insert(2, nodes.paragraph("", "", *rest))
        return


def fold_deeper(section: nodes.section) -> None:
    """What goes further is opened by whoever wants it; its heading and its first paragraph stay.

    A paragraph that says no more than that one may skip the section is left to the button.

    >>> part = nodes.section("", nodes.title("", "Deeper"), nodes.paragraph("", "These can be skipped."))
    >>> fold_deeper(part)
    >>> [node.astext() for node in part][1].partition("</span>")[0]
    '<details class="deeper"><summary><span>Open this part, which can be skipped'
    """
    said = section[1].astext() if len(section) > 1 else ""
    head = 2 if "can be skipped" in said else 1
    bare = SKIPPED.fullmatch(said)
    if bare:
        section.remove(section[1])
        head = 1
    elif head == 2 and not said.rstrip().endswith((".", "?", "!", ".)")):
        lead_into(section)
    rest = section.children[head:]
    section.children[head:] = []
    live = any(True for part in rest for _ in part.findall(live_figure))
    what = "with a figure that you can move" if live else "which can be skipped" if bare else ""
    opens = f"<span>Open this part{what and ', ' + what}</span><span>Fold this part</span>"
    section += [raw(f'<details class="deeper"><summary>{opens}</summary>'), *rest, raw("</details>")]
