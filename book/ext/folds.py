"""What a page folds: the code and the numbers of a figure below it, and the parts that go deeper."""

import re

from docutils import nodes
from live import live_figure
from reading import CODE, DRAWN, MADE

HIDDEN = "not-in-picture"
SOURCES = "what-the-sources-say"
RECOMPUTED = "their numbers, recomputed, and corrected where they are wrong"
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=\S)")


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


def shows_code(node: nodes.Node) -> bool:
    """Whether it is the fold with the code of a cell of *By hand*."""
    return isinstance(node, nodes.Element) and node.get("prompt_show") == CODE[0]


def gather_code(section: nodes.section) -> None:
    """Code of *By hand* that prints nothing is folded with that of a cell directly below it.

    Where it opens the part, no text has said yet what it is for: it goes to the next cell that has a fold.
    """
    cells = list(section.findall(is_cell))
    for k, cell in enumerate(cells):
        place = cell.parent.index(cell)
        if cell.parent is section and place == 1:
            below = [node for node in cells[k + 1 :] if shows_code(node[0])][:1]
        else:
            below = [node for node in cell.parent[place + 1 : place + 2] if is_cell(node)]
        if len(cell.children) == 1 and shows_code(cell[0]) and below and shows_code(below[0][0]):
            cell[0][-1]["ids"] += cell["ids"]  # (a link to it opens the fold)
            below[0][0].insert(0, cell[0].children)
            cell.parent.remove(cell)


def is_numbers(node: nodes.Node) -> bool:
    """Whether it is what a cell printed, as text or as a table.

    >>> is_numbers(nodes.container("", nodes.table())), is_numbers(nodes.paragraph())
    (True, False)
    """
    if isinstance(node, nodes.literal_block):
        return True
    return (
        isinstance(node, nodes.Element)
        and not is_drawn(node)
        and any(True for _ in node.findall(nodes.table))
    )


def frame(cell: nodes.Element) -> None:
    """Each picture and drawing of a cell on a card, as a live figure is; its caption stands below."""
    for node in figures(cell):
        if not isinstance(node, live_figure):
            card = nodes.container("", classes=["figure-frame"])
            node.parent.replace(node, card)
            card += node


def fold_below(cell: nodes.Element) -> None:
    """What is printed beside a figure, and how it is drawn, on one line of folds below it."""
    output = cell.children[-1]
    made = [node for node in cell.children if is_made(node)]
    if output.get("nb_element") != "cell_code_output" or not (made or figures(output)):
        return
    folds: list[nodes.Node] = []
    printed = [node for node in output.children if is_numbers(node)] if figures(output) else []
    if printed:
        inner = nodes.container("", *printed, classes=["cell_output"])
        for node in printed:
            output.remove(node)
        folds += [
            raw('<details class="figure-numbers"><summary>The numbers in this figure</summary>'),
            inner,
            raw("</details>"),
        ]
    for code in [*made, *(node for node in cell.children if node.get("prompt_show") in (DRAWN[0], CODE[0]))]:
        cell.remove(code)
        folds.append(code)
    if folds:
        cell += nodes.container("", *folds, classes=["figure-folds"])


def without_permission(section: nodes.section) -> None:
    """Without the sentence which says that the part can be skipped: on the page, its fold says so.

    >>> said = nodes.paragraph("", "", nodes.emphasis("", "This can be skipped."), nodes.Text(" It is so: "))
    >>> part = nodes.section("", nodes.title("", "A"), said)
    >>> without_permission(part)
    >>> [node.astext() for node in part]
    ['A', 'It is so: ']
    >>> part = nodes.section("", nodes.title("", "A"), nodes.paragraph("", "These can be skipped. One. Two."))
    >>> without_permission(part)
    >>> [node.astext() for node in part]
    ['A', 'One. Two.']
    """
    first = section[1]
    if not isinstance(first, nodes.paragraph) or not first.children:
        return
    said = next(first.findall(nodes.Text))
    sentence, *rest = SENTENCE.split(str(said), maxsplit=1)
    if "can be skipped" not in sentence:
        return
    said.parent.replace(said, nodes.Text("".join(rest)))
    for part in [node for node in first.findall(nodes.inline) if HIDDEN in node["classes"]]:
        part["classes"].clear()
        part.replace_self(part.children)  # (the picture way shows none of the section)
    if not said.parent.astext() and isinstance(said.parent, nodes.emphasis):
        said.parent.parent.remove(said.parent)
    first.children = [part for part in first.children if str(part) != ""]
    if first.children and isinstance(first[0], nodes.Text):
        first[0] = nodes.Text(str(first[0]).lstrip())
    if all(isinstance(part, nodes.raw) for part in first.children if part.astext().strip()):
        section.remove(first)


def fold_deeper(section: nodes.section) -> None:
    """What goes further is folded below its heading, and opened by whoever wants it; so are the sources."""
    without_permission(section)
    title, *rest = section.children
    live = any(True for part in rest for _ in part.findall(live_figure))
    says = RECOMPUTED if section["ids"][0] == SOURCES else "with a figure that you can move" if live else ""
    note = f'<span class="deeper-moves">{says}</span>' if says else ""
    section.children = []
    section += [
        raw('<details class="deeper"><summary>'),
        title,
        raw(f"{note}</summary>"),
        *rest,
        raw("</details>"),
    ]


def before_deeper(section: nodes.section) -> None:
    """One line above the first of the parts that go deeper, which says that they can be skipped."""
    around = section.parent.children
    place = around.index(section)
    before: nodes.Node | None = around[place - 1]
    while isinstance(before, nodes.section):  # what stands directly above may be the end of a part
        if goes_deeper(before):
            return
        before = before.children[-1] if before.children else None
    several = goes_deeper(after(section))
    says = "The parts that follow go" if several else "The part that follows goes"
    section.parent.insert(
        place, raw(f'<p class="deeper-says {HIDDEN}">{says} deeper, and can be skipped.</p>')
    )


def after(section: nodes.section) -> nodes.Node | None:
    """What follows a section on the page: its neighbour, or that of the part which it closes.

    >>> inner, part, last = nodes.section(ids=["b"]), nodes.section(ids=["a"]), nodes.section(ids=["c"])
    >>> part += inner
    >>> whole = nodes.section("", part, last)
    >>> after(inner) is last, after(part) is last, after(last)
    (True, True, None)
    """
    node: nodes.Node = section
    while isinstance(node.parent, nodes.section):
        around = node.parent.children
        place = around.index(node)
        if place + 1 < len(around):
            return around[place + 1]
        node = node.parent
    return None


def goes_deeper(node: nodes.Node | None = None) -> bool:
    """Whether it is a part that can be skipped."""
    return isinstance(node, nodes.section) and node["ids"][0].startswith("deeper-")
