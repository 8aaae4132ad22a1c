"""How much each page is about each word, where names stand, and what a section says, for the search.

book/assets/find.js orders the pages by the first; book/assets/offers.js offers the second where no title has
what is typed (`GradScaler`, `torch.compile`), or where it is a name of the package, and shows the third.

Sphinx's index knows only whether a word stands on a page. Here each word of a page is counted and weighed as
in BM25: a word counts the more, the more often it stands there, the shorter the page and the fewer other
pages have it. The weights stand in `searchindex.js` before the index.
"""

import functools
import html
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import snowballstemmer
from bs4 import BeautifulSoup, Tag

NOT_TEXT = re.compile(r"<(script|style|svg|pre|math|nav)\b.*?</\1>|<[^>]+>", re.S)
START = "Search.often="
OFTEN = 3  # times that a word must stand on a page to be weighed
SATURATION, BY_LENGTH = 15.0, 0.75  # BM25's k₁ and b: a page is long, so k₁ is larger than for a paragraph
SECTION = re.compile(r'<section[^>]* id="([^"]+)">(?:\s|<(?!h\d|section)[^>]*>)*<h\d[^>]*>(.*?)</h\d>', re.S)
OBJECT = re.compile(
    r'<dt class="sig[^"]*" id="support\.([^"]+)".*?</dt>\s*<dd>(?:<p>(.*?)</p>)?',
    re.S,
)
PARAGRAPH = re.compile(r"<p>(.*?)</p>", re.S)
NOT_SAID = re.compile(
    r"<(details|aside|noscript|live-figure|figure|table|dl|ul|ol|form)\b.*?</\1>"
    r'|<(p|div)[^>]* class="[^"]*only-in-.*?</\2>|<p><span class="of-chapter.*?</p>',
    re.S,
)
PLAIN = ("math", "semantics", "mrow", "msub", "mi", "mn", "mo", "mtext", "mspace")
NO_BEGINNING = re.compile(r"[a-z]|Exercise \d")  # of an excerpt
UNREAD = "\0"  # stands for a formula that no line of text can say
LOW = str.maketrans("0123456789aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")
OF_SOURCES = re.compile(r"\bworkbench\b|\bcomplete guide\b", re.I)  # what is said of them is no explanation
ENDS = re.compile(r"(?<=[.!?])\s+(?=[A-Z“*])")
LEAST, MOST = 15, 140  # letters of an excerpt
ASKED, SEARCHED = 4, 12  # paragraphs that are asked for one, and for one that names what its place treats
LISTED = ("notebooks/", "book/for_users", "book/playground", "book/assistant", "book/zoo")
NOT_OFFERED = ("book/errata", "book/api")
NOT_LISTED = ("references", "quiz", "check-yourself", "take-aways", "what-the-sources-say")
NOT_TITLE = re.compile(r"<a\b.*?</a>|<span class=.chapter-number.*?</span>|<[^>]+>")
NAME = re.compile(r"[^\W\d_][\w.]{2,}[^\W_]_?")
DOTTED = re.compile(r"\w+\.[\w.]+")
CODE = re.compile(r"[_.\d]|[a-z][A-Z]|[A-Z]{2}[a-z]")  # what a word of plain text has not
LIBRARIES = ("torch", "nn", "F", "np", "numpy", "math", "random", "json", "transformers", "optim")
FEW, PLACES = 12, 3  # sections that have a plain word that is listed; places that are kept of each name
stem = functools.cache(snowballstemmer.stemmer("porter").stemWord)  # as Sphinx stems its index and queries


def words_of(page: str) -> list[str]:
    """The stemmed words of the text of a page.

    >>> words_of("<nav>No</nav><article>Two <b>heads</b>, <pre>code</pre></article><footer>no</footer>")
    ['two', 'head']
    """
    article = page.partition("<article")[2].partition("</article>")[0]
    return [stem(word) for word in re.findall(r"\w{2,}", NOT_TEXT.sub(" ", f"<article{article}").lower())]


def weights(pages: dict[int, list[str]]) -> dict[str, dict[int, int]]:
    """For each word the pages that are most about it, with their weights.

    >>> weights({0: ["ant"] * 3, 1: ["ant"] * 3 + ["bee"] * 9, 2: ["cat"]})
    {'ant': {0: 2, 1: 1}, 'bee': {1: 5}}
    """
    from support.alignment import BM25  # torch comes with it, and a build that makes nothing needs neither

    bm25 = BM25([*pages.values()], SATURATION, BY_LENGTH)
    found: dict[str, dict[int, int]] = {}
    for page, count, norm in zip(pages, bm25.counts, bm25.norms, strict=True):
        for word in sorted(word for word in count if count[word] >= OFTEN):
            weight = round(20 * bm25.idf[word] * count[word] / (count[word] + norm))
            if weight:
                found.setdefault(word, {})[page] = weight
    return found


def sections(page: str) -> list[tuple[str, str, str, str]]:
    """The sections of a page: anchor, title, text, and the code in it, each without the sections inside.

    >>> sections('<article><section id="a"><h1>A</h1><p>One</p><section id="b"><h2>B</h2><pre>x</pre>')
    [('a', 'A', 'One', ''), ('b', 'B', '', 'x')]
    """
    article = page.partition("<article")[2].partition("</article>")[0]
    found = [*SECTION.finditer(article)]
    ends = [*(it.start() for it in found[1:]), len(article)][: len(found)]
    told = []
    for it, end in zip(found, ends, strict=True):
        inner, title = article[it.end() : end], NOT_TITLE.sub("", it[2])
        code = " ".join(re.findall(r"<pre>(.*?)</pre>", inner, re.S))
        texts = (title, NOT_TEXT.sub(" ", inner), re.sub(r"<[^>]+>", "", code))
        told.append((it[1], *(" ".join(html.unescape(text).split()) for text in texts)))
    return told


def as_text(math: Tag) -> str:
    """A formula of a line as text, if it is one of letters, signs and plain subscripts; else a sign for it.

    >>> formula = "<math><msub><mi>d</mi><mi>k</mi></msub><mo>=</mo><mn>4</mn></math>"
    >>> as_text(BeautifulSoup(formula, "html.parser"))
    'dₖ = 4'
    >>> as_text(BeautifulSoup("<math><msqrt><mi>x</mi></msqrt></math>", "html.parser")) == UNREAD
    True
    """
    for tex in math("annotation"):
        tex.decompose()
    for low in math("msub"):
        _, index = low(True, recursive=False)
        index.string = index.get_text().translate(LOW)
        if re.search(r"[^₀-₉ₐ-ₜᵢᵣᵤᵥⱼ]", index.get_text()):
            return UNREAD
    if {part.name for part in math(True)} - {
        "math",
        "semantics",
        "mrow",
        "msub",
        "mi",
        "mn",
        "mo",
        "mtext",
        "mspace",
    }:
        return UNREAD
    for sign in math("mo"):
        sign.string = f" {sign.get_text()} " if sign.get_text() in "=+−<>≈⋅×≤≥→∈" else sign.get_text()
    return " ".join(math.get_text().replace("\u2061", "").split())


def says(paragraphs: list[str], about: re.Pattern[str] | None = None) -> str:
    """The first sentence that needs no formula and announces nothing, cut between two words; or nothing.

    Of those the first that names what its place is offered for. One that speaks of the sources is taken only
    where there is no other.

    >>> says(['Let <span class="katex">x</span> be it. A <b>head</b> has three matrices of weights. More.'])
    'A head has three matrices of weights.'
    >>> says(["Who writes <em>the</em> has read it."])
    'Who writes “the” has read it.'
    >>> says(["The workbench note prints another value.", "The norm divides each row by its length."])
    'The norm divides each row by its length.'
    >>> says(["You walk a dog in a park. The dog is the policy."], about_any(["policy"]))
    'The dog is the policy.'
    """
    first = of_sources = ""
    for paragraph in paragraphs:
        part = BeautifulSoup(paragraph, "html.parser")
        for formula in part.select(".katex"):
            formula.replace_with(as_text(formula.math) if formula.math else UNREAD)
        for cited in part.select("em"):
            cited.replace_with(f"“{cited.get_text()}”")
        for sentence in ENDS.split(" ".join(part.get_text().split())):
            if (
                (UNREAD in sentence or NO_BEGINNING.match(sentence))
                or len(sentence) < LEAST
                or sentence[-1] not in ".!?"
            ):
                continue
            short = sentence if len(sentence) <= MOST else f"{sentence[: sentence.rindex(' ', 0, MOST)]} …"
            if OF_SOURCES.search(sentence):
                of_sources = of_sources or short
            elif about is None or about.search(short):
                return short
            else:
                first = first or short
    return first or of_sources


def about_any(names: Iterable[str]) -> re.Pattern[str] | None:
    """What finds any of some names in a sentence, whatever its ending; None without a name.

    >>> bool(about_any(["Dot product"]).search("Two dot products.")), about_any([])
    (True, None)
    """
    those = sorted({re.escape(name) for name in names}, key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(those)})", re.I) if those else None


def said(pages: dict[str, str], treats: dict[str, list[str]]) -> dict[str, str]:
    """What each section and each page says first of what it treats, or first of all, by its address."""
    found = {}
    for page, content in pages.items():
        article = content.partition("<article")[2].partition("</article>")[0]
        heads = [*SECTION.finditer(article)]
        ends = [*(it.start() for it in heads[1:]), len(article)][: len(heads)]
        for k, (it, end) in enumerate(zip(heads, ends, strict=True)):
            text = NOT_SAID.sub("", article[it.end() : end])
            place = f"{page}.html#{it[1]}" if k else f"{page}.html"
            names = about_any(treats.get(place, [])) if k else None  # a chapter begins with its question
            paragraphs = PARAGRAPH.findall(text)[: SEARCHED if names else ASKED]
            if it[1] != "references" and (excerpt := says(paragraphs, names)):
                found[place] = excerpt
    return found


def objects(pages: dict[str, str]) -> Iterator[tuple[str, str, str, str]]:
    """The entries of the package's reference: module, name, page, and what its first sentence says.

    >>> entry = '<dl class="py class"><dt class="sig" id="support.model.GPT.forward">f()</dt><dd><p>{}</p>'
    >>> [*objects({"book/api": entry.format("Logits for the token after each position. More.")})]
    [('model', 'GPT.forward', 'book/api', 'Logits for the token after each position.')]
    """
    for page, content in pages.items():
        for name, text in OBJECT.findall(content):
            *owners, last = name.split(".")
            at = next((k for k, owner in enumerate(owners) if owner[0].isupper()), len(owners))
            yield ".".join(owners[:at]), ".".join([*owners[at:], last]), page, says([text])


def names_of(text: str, code: str) -> Counter[str]:
    """The names of a section and how often they stand there: words of its text, names of its code.

    >>> names_of("We call tiktoken.", "x.a = F.softmax(x.b_1) * nn.Linear(4)")
    Counter({'call': 1, 'tiktoken': 1, 'F.softmax': 1, 'softmax': 1, 'b_1': 1, 'nn.Linear': 1, 'Linear': 1})
    """
    found = Counter(name for name in NAME.findall(text) if "." not in name)
    for name in NAME.findall(f"{DOTTED.findall(text)} {code}"):
        *owners, last = name.split(".")
        ours = bool(owners) and (owners[0] in LIBRARIES or owners[0][0].isupper())
        found.update([name] * ours + [last] * bool(CODE.search(last) or (ours and owners[0] in LIBRARIES)))
    return found


def treated(titles: list[list[Any]]) -> dict[str, list[str]]:
    """For each section that is offered for terms, the names of those that it treats most.

    >>> dpo = ["DPO", "book/glossary.html#term-DPO", ["direct preference optimisation"], ""]
    >>> treated([["The picture", "a.html#b", {"DPO": 1, "KL": 4}, ""], dpo])
    {'a.html#b': ['DPO', 'direct preference optimisation']}
    """
    names = {title: [title, *more] for title, _, more, _ in titles if isinstance(more, list)}
    found = {}
    for _, place, more, _ in titles:
        if isinstance(more, dict) and more:
            best = min(more.values())
            terms = [term for term, rank in more.items() if rank == best]
            found[place] = [name for term in terms for name in names.get(term, [term])]
    return found


def listed(pages: dict[str, str], titles: list[list[Any]]) -> dict[str, Any]:
    """Names, each with the numbers of the places that have it most; titles and addresses of the places.

    A plain word that many sections have, or that a title has, is left out: titles lead to it.
    """
    places: list[list[str]] = []
    counts: dict[str, dict[int, float]] = {}
    titled: set[str] = set()
    entries = [*objects(pages)]
    offered = {page: pages[page] for page in pages if not page.startswith(NOT_OFFERED)}
    first = said(offered, treated(titles))
    for module, name, page, text in entries:
        place = f"{page}.html#support.{module}.{name}"
        counts.setdefault(name, {})[len(places)] = 0
        places.append([name, place])
        first[place] = text
    for page, content in pages.items():
        for k, (anchor, title, text, code) in enumerate(sections(content) if page.startswith(LISTED) else []):
            titled |= {stem(word) for word in re.findall(r"\w+", title.lower())}
            if anchor in NOT_LISTED:
                continue
            for name, count in names_of(text, code).items():
                word = name if CODE.search(name) else name.lower()
                counts.setdefault(word, {}).setdefault(len(places), 0)
                counts[word][len(places)] += count / (len(text.split()) + 300)
            places.append([title, f"{page}.html#{anchor}" if k else f"{page}.html"])
    names = {
        name: sorted(having, key=lambda k: -having[k])[:PLACES]
        for name, having in sorted(counts.items())
        if CODE.search(name) or (len(having) <= FEW and stem(name) not in titled and len(name) > 4)
    }
    kept = sorted({k for those in names.values() for k in those})
    number = {k: n for n, k in enumerate(kept)}
    return {
        "places": [places[k] for k in kept],
        "names": {name: [number[k] for k in those] for name, those in names.items()},
        "objects": [[module, name, page] for module, name, page, _ in entries],
        "says": {place: text for place, text in first.items() if text},
    }


def as_titles(entries: dict[str, list], titles: list[list[Any]]) -> dict[str, list]:
    """Entries of an index, those of the glossary's terms written as titles; Sphinx writes all of them small.

    >>> as_titles({"kl": [1], "step": [2]}, [["KL", "book/glossary.html#t", [], ""]])
    {'KL': [1], 'step': [2]}
    """
    known = {name.lower(): name for name, place, *_ in titles if place.startswith("book/glossary.html#")}
    return {known.get(entry, entry): places for entry, places in entries.items()}


def write(site: Path) -> None:
    """Put the weights into the index of a site, if it has one, and the names beside it."""
    path = site / "searchindex.js"
    if not path.exists():
        return
    index = path.read_text(encoding="utf8")
    known = json.loads(index[index.index("(") + 1 : index.rindex(")")])
    script = (site / "_static" / "titles.js").read_text(encoding="utf8")
    titles = json.loads(script[script.index("[") : script.rindex("]") + 1])
    known["indexentries"] = as_titles(known["indexentries"], titles)
    texts = {name: (site / f"{name}.html").read_text(encoding="utf8") for name in known["docnames"]}
    pages = {k: words_of(text) for k, text in enumerate(texts.values())}
    often, named = (
        json.dumps(them, ensure_ascii=False, separators=(",", ":"))
        for them in (weights(pages), listed(texts, titles))
    )
    index = json.dumps(known, ensure_ascii=False, separators=(",", ":"))
    path.write_text(f"{START}{often};Search.setIndex({index})", encoding="utf8")
    (site / "_static" / "names.js").write_text(f"window.NAMES = {named};\n", encoding="utf8")
