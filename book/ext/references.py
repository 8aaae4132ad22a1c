"""Titles are links.

In a list of references each leads to the work itself (`references.bib`: DOI, arXiv, or an address). The names
of the texts that the book grew from lead everywhere to the list that the directive `sources` writes.
"""

import re
import sys
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.utils.smartquotes import smartyPants
from pybtex.database import parse_file
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from book.ledger import sources

PAGE = "book/references"
BIB = Path(__file__).resolve().parents[1] / "references.bib"
SHORTEST = 5  # a short title of fewer letters ("Adam", "GPT") is only known with its year beside it


def typeset(words: str) -> str:
    """Words that come from no Markdown, with the quotation marks and dashes that Sphinx gives to the others.

    >>> typeset("the model's") + typeset(' "cat": Encoder--Decoder')
    'the model’s “cat”: Encoder–Decoder'
    """
    return smartyPants(words, attr="qD")


def plain(title: str) -> str:
    """A title without capitals, braces and signs, so that two ways to write it are one.

    >>> plain("{LLaMA}: Open and Efficient") == plain("llama open and efficient")
    True
    """
    return " ".join(re.findall(r"[a-z0-9]+", title.lower()))


def address(fields: Any) -> str:
    """Where a work is found: by its DOI, its arXiv number, or its own address, in this order."""
    if "doi" in fields:
        return f"https://doi.org/{fields['doi']}"
    return f"https://arxiv.org/abs/{fields['eprint']}" if "eprint" in fields else fields["url"]


@cache
def works() -> dict[str, list[tuple[str, str]]]:
    """Title or short title → the years and addresses of the works that have it."""
    found: dict[str, list[tuple[str, str]]] = {}
    for entry in parse_file(str(BIB)).entries.values():
        for name in {entry.fields["title"], entry.fields.get("shorttitle", entry.fields["title"])}:
            found.setdefault(plain(name), []).append((entry.fields["year"], address(entry.fields)))
    return found


def link_of(title: str, beside: str) -> str:
    """The address of a title, as it stands in a list; `beside` is the entry, which may name the year."""
    known = works().get(plain(title), [])
    if len(known) > 1 or len(plain(title)) < SHORTEST:
        known = [work for work in known if work[0] in beside]
    return known[0][1] if known else ""


def entry_part(title: nodes.Node) -> str | None:
    """The text directly behind a title: the part of the work that is meant."""
    after = title.next_node(descend=False, siblings=True)
    return after.astext() if isinstance(after, nodes.Text) else None


@cache
def named() -> dict[str, sources.Source]:
    """What the book calls a source, without capitals and signs → the source."""
    return {plain(name): source for source in sources.SOURCES for name in (source.title, *source.known_as)}


def place_of(source: sources.Source, page: str) -> str:
    """Where the list of sources has it, as a page links there."""
    return f"{'../' * page.count('/')}{PAGE}.html#source-{source.key}"


class Links(SphinxTransform):
    """Wraps the titles."""

    default_priority = 407

    def apply(self, **_: Any) -> None:
        for words in list(self.document.findall(nodes.emphasis)):
            if (source := named().get(plain(words.astext()))) and not self._within(words):
                self._wrap(words, place_of(source, self.env.docname), reftitle=source.described)
        if not self.env.docname.startswith("notebooks/"):
            return
        self.env.note_dependency(str(BIB))
        self.env.note_dependency(sources.__file__)
        listed = [s for s in self.document.findall(nodes.section) if "references" in s["ids"]]
        for entry in [item for s in listed for item in s.findall(nodes.list_item)]:
            for title in list(entry.findall(nodes.emphasis)):
                if source := named().get(plain(title.astext())):
                    self._in_full(title, source)
                elif not self._within(title) and (link := link_of(title.astext(), entry.astext())):
                    self._wrap(title, link, internal=False)

    @staticmethod
    def _within(words: nodes.Node) -> bool:
        """Whether it stands in a heading or in a link."""
        node = words.parent
        while node is not None and not isinstance(node, nodes.title | nodes.reference):
            node = node.parent
        return node is not None

    @staticmethod
    def _wrap(title: nodes.Node, address: str, internal: bool = True, **about: str) -> None:
        reference = nodes.reference("", "", internal=internal, refuri=address, **about)
        title.replace_self(reference)
        reference += title

    @staticmethod
    def _in_full(title: nodes.Element, source: sources.Source) -> None:
        """A source with the title that a list gives it, and its part behind a comma."""
        title.children = [nodes.Text(source.short)]
        title.setup_child(title.children[0])
        link = title.parent
        place = entry_part(link)
        if place is not None and re.match(r" (note|part|\d)", place):
            link.parent[link.parent.index(link) + 1] = nodes.Text(f",{place}")


class Sources(SphinxDirective):
    """``{sources}``: the texts that the book grew from, each with an anchor."""

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(sources.__file__)
        return [
            nodes.raw("", f'<dl class="sources">{"".join(map(told, sources.SOURCES))}</dl>', format="html")
        ]


def told(source: sources.Source) -> str:
    """One source as HTML."""
    kind = source.described.removeprefix(f"{source.title}, ")
    documents = "".join(f"<li><i>{escape(typeset(title))}</i></li>" for title in source.documents)
    claims = " · ".join(
        f'<a href="errata.html#claims-{part}">{name}</a>' for part, name in source.parts.items()
    )
    return (
        f'<dt id="source-{source.key}"><i>{escape(source.title)}</i></dt>'
        f"<dd><p>{escape(kind[0].upper() + kind[1:])}. {escape(typeset(source.holds))}</p>"
        + (f"<ol>{documents}</ol>" if documents else "")
        + f"<p>Its claims, checked: {claims}.</p></dd>"
    )


def setup(app: Any) -> dict[str, Any]:
    app.add_transform(Links)
    app.add_directive("sources", Sources)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
