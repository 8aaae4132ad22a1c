"""What the search offers while one types: chapters, their sections, and the terms of the glossary.

They stand in `titles.js`, which `offers.js` loads when the field of the search is first used. Each entry
is `[title, address, more, words]`: a term comes with its names; a section with the terms of which it is
among those that treat them most, and its rank, told by how often it names them for its length. So
*perplexity* leads to the sections that explain it, though none has it in its title. A section of a chapter
comes with the words, too, that it has more often than others, so that a question finds what answers it.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from terms import homes, names_of, plain, titled  # beside this file

from support.core import atomic_write

LEFT_OUT = ("index", "book/api")
WITHOUT_SECTIONS = ("book/errata",)  # hundreds of claims
SAID = "words_said"  # in a page's metadata: the anchor of a section → its words → how often it has them
WORD = re.compile(r"[^\W\d_]{3,}")
TELLING = 8  # words of a section that a question may have
TREATED = "terms_treated"  # in a page's metadata: the anchor of a section → a term of the glossary → how much
NOT_TREATING = ("references", "check-yourself", "quiz", "take-aways")
OFTEN = 2  # times that a section must name a term to treat it; in bold, as a term is defined, once is enough
AT_HOME = 0.3  # more for a section of the chapter to which the glossary points for the term
SECTIONS = 6  # that are offered for a term at most
OTHER_NAMES = {"mixture of experts": ["MoE"], "top-p": ["nucleus sampling"]}
# Topics without an entry in the glossary:
TOPICS = (
    "tokenizer",
    "transformer",
    "FlashAttention",
    "GPT-2",
    "GPT-3",
    "Llama",
    "ChatGPT",
    "InstructGPT",
    "BERT",
)
LENGTH = 300  # words of a section; in a longer one a mention counts for less


def all_names(head: str) -> list[str]:
    """The names of a term that the glossary gives, and others in use."""
    return names_of().get(head, []) + OTHER_NAMES.get(head, [])


@cache
def mentions() -> re.Pattern[str]:
    """Any name of a term as a whole word, longer ones first; an s may follow."""
    names = sorted({*term_of()}, key=len, reverse=True)
    return re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, names))})s?(?![\w-])", re.I)


@cache
def term_of() -> dict[str, str]:
    """Each name of a term in small letters → its entry in the glossary, or the name of another topic."""
    known = {name.lower(): head for head in names_of() for name in all_names(head)}
    return known | {name.lower(): name for name in TOPICS}


def named(text: str) -> Counter[str]:
    """The terms that a text names, and how often."""
    return Counter(term_of()[found[1].lower()] for found in mentions().finditer(text))


def own_text(section: nodes.section) -> Iterator[nodes.Element]:
    """The paragraphs of a section, without those of the sections inside it and without what cells print."""
    for node in section.children:
        if isinstance(node, nodes.paragraph):
            yield node
        elif isinstance(node, nodes.Element) and not isinstance(node, nodes.section | nodes.container):
            yield from node.findall(nodes.paragraph)


def note(app: Any, document: nodes.document) -> None:
    """Keep with a chapter what its sections treat."""
    if not app.env.docname.startswith("notebooks/"):
        return
    treated: dict[str, dict[str, float]] = {}
    said: dict[str, Counter[str]] = {}
    for section in document.findall(nodes.section):
        if section["ids"][0] in NOT_TREATING:
            continue
        text = " ".join(part.astext() for part in own_text(section))
        count = named(text)
        place = "" if section.parent is document else section["ids"][0]
        said[place] = Counter(WORD.findall(text.lower()))
        for part in own_text(section):
            for bold in part.findall(nodes.strong):
                count.update(dict.fromkeys(named(bold.astext()), OFTEN))
        weight = len(text.split()) / LENGTH
        found = {
            term: round(n / (n + 1 + weight), 3) for term, n in count.items() if n >= OFTEN or term in TOPICS
        }
        if found:
            treated[section["ids"][0]] = found
    app.env.metadata[app.env.docname] |= {TREATED: treated, SAID: said}


def treating(env: Any) -> dict[str, dict[str, int]]:
    """The address of a section or chapter → for each of its terms the rank among those that treat it most."""
    places: dict[str, list[tuple[float, str]]] = {}
    for name in sorted(env.found_docs):
        for anchor, found in env.metadata[name].get(TREATED, {}).items():
            for term, share in found.items():
                home = AT_HOME if homes().get(term) == name else 0
                places.setdefault(term, []).append((share + home, f"{name}.html#{anchor}"))
    best: dict[str, dict[str, int]] = {}
    for term, name in homes().items():
        best.setdefault(f"{name}.html", {})[term] = 0
    for term, those in places.items():
        for rank, (_, place) in enumerate(sorted(those, key=lambda it: (-it[0], it[1]))[:SECTIONS], 1):
            best.setdefault(place, {})[term] = rank
    return {place: {titled(term): rank for term, rank in found.items()} for place, found in best.items()}


def telling(said: dict[str, Counter[str]]) -> dict[str, str]:
    """For each section the words that tell it from the others: often there, and in few of them.

    >>> few = {"a": Counter(the=9, mask=4), "b": Counter(the=8, split=3), "c": Counter(the=7)}
    >>> telling(few)
    {'a': 'mask', 'b': 'split', 'c': ''}
    """
    having = Counter(word for count in said.values() for word in count)
    weight = {
        place: {word: n * math.log(len(said) / having[word]) for word, n in count.items() if n > 1}
        for place, count in said.items()
    }
    return {
        place: " ".join(sorted((w for w in of if of[w] > 0), key=lambda w, of=of: (-of[w], w))[:TELLING])
        for place, of in weight.items()
    }


def offered(env: Any) -> list[tuple[str, str, Any, str]]:
    """Each name with its address, the terms that it treats, or the names of a term, and words; terms last."""
    treats = treating(env)
    said = {
        f"{name}.html#{anchor}".rstrip("#"): count
        for name in sorted(env.found_docs)
        for anchor, count in env.metadata[name].get(SAID, {}).items()
    }
    words = telling(said)
    pages, sections = [], []
    for name in sorted(env.found_docs):
        if name.startswith(LEFT_OUT):
            continue
        for link in env.tocs[name].findall(nodes.reference):
            if link["refuri"] == name and not (link["anchorname"] and name in WITHOUT_SECTIONS):
                place = f"{name}.html{link['anchorname']}"
                (sections if link["anchorname"] else pages).append(
                    (link.astext(), place, treats.get(place, {}), words.get(place, ""))
                )
    terms = [
        (titled(name), f"{page}.html#{anchor}", all_names(plain(name)), "")
        for (kind, name), (page, anchor) in env.get_domain("std").objects.items()
        if kind == "term"
    ]
    often = Counter(title.lower() for title, *_ in sections)
    told = [it for it in sections if it[2] or often[it[0].lower()] == 1 or not shared(it[0])]
    return [*pages, *told, *terms]


def shared(title: str) -> bool:
    """Whether every chapter has a section of this name, so that the name alone leads nowhere."""
    return title.lower() in {"the picture", "by hand", "in code", "experiment", "what the sources say"} or (
        title.lower().replace(" ", "-") in NOT_TREATING
    )


def ship(app: Any, exception: Exception | None) -> None:
    """The list, as a script that a page opened as a file can load, too."""
    if exception or app.builder.format != "html":
        return
    with atomic_write(Path(app.outdir) / "_static" / "titles.js") as path:
        path.write_text(
            f"window.TITLES = {json.dumps(offered(app.env), ensure_ascii=False)};\n", encoding="utf8"
        )


def setup(app: Any) -> dict[str, Any]:
    app.connect("doctree-read", note)
    app.connect("build-finished", ship)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
