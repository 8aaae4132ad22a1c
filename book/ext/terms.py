"""In a chapter the first mention of each term of the glossary leads there, and says what it means where it
stands.

The mark is a link, so it needs no script. With one, `reading.js` shows the first sentences of the entry
when the link is pointed at; it takes them from `terms.js`, which a page loads when the first term is asked
for.
"""

import json
import re
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import _make_id  # as the glossary names its anchors

from support.core import atomic_write

GLOSSARY = Path(__file__).resolve().parents[1] / "glossary.md"
BLOCK = re.compile(r"```\{glossary\}\n(.*?)```", re.S)
ENTRY = re.compile(r"^(\S.*)\n((?:[ \t]+\S.*\n?|\n(?=[ \t]))+)", re.M)
# Words that are mostly meant as in everyday English: a link would say more than the sentence does.
EVERYDAY = {
    "value",
    "step",
    "key",
    "precision",
    "recall",
    "generation",
    "scan",
    "stacking",
    "contribution",
    "merge",
}
EVERYDAY |= {"target", "block", "training", "norm", "projection", "gate", "layer", "smoothing", "query"}
LONGEST = 320  # characters of an explanation
NOT_IN = (
    addnodes.pending_xref,
    nodes.title,
    nodes.reference,
    nodes.literal,
    nodes.strong,
    nodes.raw,
    nodes.math,
    nodes.table,
)


def plain(text: str) -> str:
    """Markdown without its signs.

    >>> plain("A `list` of {term}`token`s, see [Words](x.ipynb).")
    'A list of tokens, see Words.'
    >>> plain("The product $W_Q W_K^\\\\top$.")
    'The product W_Q W_Kᵀ.'
    """
    text = re.sub(r"<!--.*?-->", "", text)
    text = re.sub(r"\{\w+\}`([^`<]*?)(?: ?<[^>]*>)?`", r"\1", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).replace(r"^\top", "ᵀ")
    return re.sub(r"\s+", " ", re.sub(r"[*`$]", "", text)).strip()


def titled(name: str) -> str:
    """A term as a title begins with a capital letter, unless its first word is written as it is.

    >>> [titled(name) for name in ("softmax", "log-odds", "n-gram model", "t-SNE", "d_model", "KV cache")]
    ['Softmax', 'Log-odds', 'n-gram model', 't-SNE', 'd_model', 'KV cache']
    """
    return name if re.match(r"[^\W\d_](?=-)|\w*[A-Z\d_]", name) else name[:1].upper() + name[1:]


def explained(text: str) -> str:
    """The first sentences of an entry, without the pointer to its chapter."""
    text = re.sub(r"\s*See [^.]*\.$", "", plain(text))
    if len(text) <= LONGEST:
        return text
    cut = text[:LONGEST].rpartition(". ")[0]
    return f"{cut}." if cut else f"{text[:LONGEST].rstrip()}…"


@cache
def terms() -> dict[str, tuple[str, str]]:
    """How a term is written, in small letters → (its anchor, what it means)."""
    found: dict[str, tuple[str, str]] = {}
    for block in BLOCK.findall(GLOSSARY.read_text(encoding="utf8")):
        for head, body in ENTRY.findall(block):
            anchor = f"term-{_make_id(plain(head))}"
            for name in re.split(r",\s*", re.sub(r"\s*\([^)]*\)", "", plain(head))):
                found.setdefault(name.lower(), (anchor, explained(body)))
    return found


@cache
def names_of() -> dict[str, list[str]]:
    """The head of each entry → all names of its term, those in brackets, too."""
    found: dict[str, list[str]] = {}
    for block in BLOCK.findall(GLOSSARY.read_text(encoding="utf8")):
        for head, _ in ENTRY.findall(block):
            found[plain(head)] = [name.strip() for name in re.split(r"[(),]", plain(head)) if name.strip()]
    return found


@cache
def homes() -> dict[str, str]:
    """The head of each entry → the name of the chapter to which it points."""
    found: dict[str, str] = {}
    for block in BLOCK.findall(GLOSSARY.read_text(encoding="utf8")):
        for head, body in ENTRY.findall(block):
            if chapter := re.search(r"\.\./(notebooks/\w+)\.ipynb", body):
                found[plain(head)] = chapter[1]
    return found


@cache
def pattern() -> re.Pattern[str]:
    """Any of them as a whole word, longer ones first; an s may follow."""
    names = sorted((n for n in terms() if len(n) > 2 and n not in EVERYDAY), key=len, reverse=True)
    return re.compile(r"(?<![\w-])(" + "|".join(map(re.escape, names)) + r")s?(?![\w-])", re.I)


def by_letter() -> dict[str, list[tuple[str, str]]]:
    """Letter → its terms as they are written, each with its anchor."""
    found: dict[str, list[tuple[str, str]]] = {}
    for block in BLOCK.findall(GLOSSARY.read_text(encoding="utf8")):
        for head, _ in ENTRY.findall(block):
            for name in re.split(r",\s*", re.sub(r"\s*\([^)]*\)", "", plain(head))):
                letter = next((sign for sign in name.upper() if sign.isalpha()), "#")
                found.setdefault(letter, []).append((name, f"term-{_make_id(plain(head))}"))
    return {letter: sorted(found[letter], key=lambda term: term[0].lower()) for letter in sorted(found)}


class FromAToZ(SphinxDirective):
    """``{a-z}``: the letters in a line; each opens its terms, and closes those of another."""

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(GLOSSARY))
        letters = []
        for letter, names in by_letter().items():
            links = " · ".join(f'<a href="#{anchor}">{escape(name)}</a>' for name, anchor in names)
            letters.append(f'<details name="a-z"><summary>{letter}</summary><p>{links}</p></details>')
        return [nodes.raw("", f'<div class="a-z">{"".join(letters)}</div>', format="html")]


class Terms(SphinxTransform):
    """Makes the first mention of each a link."""

    default_priority = 420

    def apply(self, **_: Any) -> None:
        if not self.env.docname.startswith("notebooks/"):
            return
        self.env.note_dependency(str(GLOSSARY))
        met: set[str] = set()
        for paragraph in self.document.findall(nodes.paragraph):
            for text in list(paragraph.findall(nodes.Text)):
                if not self._within(text, paragraph):
                    self._mark(text, met)

    @staticmethod
    def _within(text: nodes.Text, paragraph: nodes.Node) -> bool:
        node = text.parent
        while node is not None and node is not paragraph:
            if isinstance(node, NOT_IN):
                return True
            node = node.parent
        while node is not None:
            if isinstance(node, nodes.table | nodes.container):  # tables, and what a cell printed
                return True
            node = node.parent
        return False

    @staticmethod
    def _mark(text: nodes.Text, met: set[str]) -> None:
        new: list[nodes.Node] = []
        at, words = 0, str(text)
        for found in pattern().finditer(words):
            anchor, _ = terms()[found[1].lower()]
            if anchor in met:
                continue
            met.add(anchor)
            new.append(nodes.Text(words[at : found.start()]))
            address = f"../book/glossary.html#{anchor}"
            new.append(nodes.reference("", found[0], refuri=address, internal=True, classes=["term"]))
            at = found.end()
        if new:
            text.parent.replace(text, [*new, nodes.Text(words[at:])])


def ship(app: Any, exception: Exception | None) -> None:
    """The explanations, as a script that a page opened as a file can load, too."""
    if exception or app.builder.format != "html":
        return
    known = dict(terms().values())
    with atomic_write(Path(app.outdir) / "_static" / "terms.js") as path:
        path.write_text(f"window.TERMS = {json.dumps(known, ensure_ascii=False)};\n", encoding="utf8")


def setup(app: Any) -> dict[str, Any]:
    app.add_directive("a-z", FromAToZ)
    app.add_transform(Terms)
    app.connect("build-finished", ship)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
