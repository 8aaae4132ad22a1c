"""The directive `figure-list`: the sections of a page by the part of the book to which their chapter belongs.

A section tells its chapter in the line with the class `of-chapter`; those without stand first. Each has a
small picture of its first live figure. Where the contents stand beside the text, the pictures stand side
by side. All small pictures are one file, one below the other, of which each place shows its own.
"""

import base64
import io
import re
import sys
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from folds import raw
from PIL import Image
from sphinx.util.docutils import SphinxDirective

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import plan

WITHOUT = "Two models at work"  # sections of no chapter: the calling game, and a story
SMALL = (224, 144)  # pixels: a picture is shown at half of them
DATA = "data:image/png;base64,"
CHAPTER = re.compile(r"notebooks/(\d\d)_")


class figure_list(nodes.General, nodes.Element):
    """Stands where the list will be."""


class FigureList(SphinxDirective):
    """``{figure-list}``: a fold for each part."""

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(plan.PLAN))
        return [figure_list()]


def part_of(section: nodes.section) -> str:
    """The part of the book to which the chapter of a section belongs."""
    for line in section.findall(nodes.inline):
        if "of-chapter" in line["classes"]:
            target = next(ref["reftarget"] for ref in line.findall(nodes.Element) if ref.get("reftarget"))
            found = CHAPTER.search(target)
            assert found, target
            stem, _ = plan.chapters()[found[1]]
            return next(part["part"] for part in plan.parts() if stem in part["chapters"])
    return WITHOUT


def still_of(section: nodes.section) -> str | None:
    """The still picture of the section's first live figure, in an address that holds it, if there is one."""
    return next((i["uri"] for i in section.findall(nodes.image) if i["uri"].startswith(DATA)), None)


def sheet(stills: list[str]) -> str:
    """All small pictures, one below the other, each in the middle of a tile, as an address."""
    wide, high = SMALL
    whole = Image.new("RGB", (wide, high * len(stills)), "white")
    for k, still in enumerate(stills):
        small = Image.open(io.BytesIO(base64.b64decode(still.removeprefix(DATA)))).convert("RGB")
        small.thumbnail(SMALL, Image.Resampling.LANCZOS)
        whole.paste(small, ((wide - small.width) // 2, k * high + (high - small.height) // 2))
    out = io.BytesIO()
    whole.save(out, "WEBP", quality=60, method=6)
    return f"data:image/webp;base64,{base64.b64encode(out.getvalue()).decode()}"


def picture(section: nodes.section, part: float) -> str:
    """A tile of the sheet, by how far down it stands; tools/live_stills.py puts the sheet's address in."""
    shows, (wide, high) = escape(f"Small picture: {section[0].astext()}"), SMALL
    size = f'width="{wide // 2}" height="{high // 2}" style="object-position: 0 {100 * part:.2f}%"'
    return f'<img src="sheet:" alt="{shows}" loading="lazy" {size}>'


def listed(sections: list[nodes.section], links_to: list[str]) -> str:
    """A fold for each part in the order of the book, with the links to its sections."""
    found: dict[str, list[str]] = {name: [] for name in (WITHOUT, *(p["part"] for p in plan.parts()))}
    for section, link_to in zip(sections, links_to, strict=True):
        found[part_of(section)].append(f"<li>{link_to}</li>")
    return "".join(
        f"<details{' open' * (part == WITHOUT)}><summary>{escape(part)} ({len(links)})</summary>"
        f"<ul>{''.join(links)}</ul></details>"
        for part, links in found.items()
        if links
    )


def link(section: nodes.section, image: str) -> str:
    """A link to a section: its picture and its title."""
    return f'<a href="#{section["ids"][0]}">{image}<span>{escape(section[0].astext())}</span></a>'


def side_by_side(links_to: list[str]) -> str:
    """The same links in one list, in the order of the page."""
    items = "".join(f"<li>{link_to}</li>" for link_to in links_to)
    return f'<ul class="figure-gallery">{items}</ul>'


def fold_on_phone(section: nodes.section) -> None:
    """What stands below the line that tells the chapter is folded on a phone; at a desk it is always seen."""
    told = next(k for k, part in enumerate(section.children) if is_line_of_chapter(part)) + 1
    section.insert(told, raw('<details class="deeper on-phone"><summary>The figure and its task</summary>'))
    section += raw("</details>")


def is_line_of_chapter(node: nodes.Node) -> bool:
    """Whether it is the line of a section that tells the chapter."""
    return isinstance(node, nodes.paragraph) and any(
        "of-chapter" in i["classes"] for i in node.findall(nodes.inline)
    )


def fill(app: Any, document: nodes.document) -> None:
    """Put the list in its place, and fold the sections of chapters on a phone."""
    for place in list(document.findall(figure_list)):
        page = next(document.findall(nodes.section))
        sections = [s for s in page.children if isinstance(s, nodes.section)]
        stills = {k: still for k, section in enumerate(sections) if (still := still_of(section))}
        at = {k: n / max(1, len(stills) - 1) for n, k in enumerate(stills)}
        links_to = [link(s, picture(s, at[k]) if k in at else "") for k, s in enumerate(sections)]
        holds = f'<template data-sheet><img src="{sheet([*stills.values()])}" alt=""></template>'
        place.replace_self(raw(holds + listed(sections, links_to)))
        page.insert(page.index(sections[0]), raw(side_by_side(links_to)))
        for section in sections:
            if part_of(section) != WITHOUT:
                fold_on_phone(section)


def setup(app: Any) -> dict[str, Any]:
    app.add_node(figure_list)
    app.add_directive("figure-list", FigureList)
    app.connect("doctree-read", fill)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
