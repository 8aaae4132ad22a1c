"""In a list of references every title that `references.bib` knows is a link (DOI, arXiv, or an address)."""

import re
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.utils.smartquotes import smartyPants
from pybtex.database import parse_file
from sphinx.transforms import SphinxTransform

BIB = Path(__file__).resolve().parents[1] / "references.bib"
SHORTEST = 5  # a short title of fewer letters ("Adam", "GPT") is only known with its year beside it


# What chapters call the texts that the book grew from, and their titles.
SOURCES = {
    "complete guide": "Building a Transformer: The Complete Guide",
    "from-scratch": "Large Language Models from scratch",
    "from scratch": "Large Language Models from scratch",
    "simply but faithfully": "Large language models, simply but faithfully",
    "workbench": "Understanding LLMs to use them better",
}


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


class Links(SphinxTransform):
    """Wraps the titles."""

    default_priority = 407

    def apply(self, **_: Any) -> None:
        if not self.env.docname.startswith("notebooks/"):
            return
        self.env.note_dependency(str(BIB))
        sections = [s for s in self.document.findall(nodes.section) if "references" in s["ids"]]
        for entry in [item for s in sections for item in s.findall(nodes.list_item)]:
            for title in list(entry.findall(nodes.emphasis)):
                if isinstance(title.parent, nodes.reference):
                    continue
                if full := SOURCES.get(title.astext()):
                    title.children = [nodes.Text(full)]
                    title.setup_child(title.children[0])
                    place = entry_part(title)
                    if place is not None and re.match(r" (note|part|\d)", place):
                        after = title.parent.index(title) + 1
                        title.parent[after] = nodes.Text(f",{place}")
                if link := link_of(title.astext(), entry.astext()):
                    reference = nodes.reference("", "", internal=False, refuri=link)
                    title.replace_self(reference)
                    reference += title


def setup(app: Any) -> dict[str, Any]:
    app.add_transform(Links)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
