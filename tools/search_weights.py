"""How much each page is about each word, for the search: book/assets/find.js orders the pages by it.

Sphinx's index knows only whether a word stands on a page. Here each word of a page is counted and weighed as
in BM25: a word counts the more, the more often it stands there, the shorter the page and the fewer other
pages have it. The weights stand in `searchindex.js` before the index.
"""

import functools
import json
import re
from pathlib import Path

import snowballstemmer

NOT_TEXT = re.compile(r"<(script|style|svg|pre|math|nav)\b.*?</\1>|<[^>]+>", re.S)
START = "Search.often="
OFTEN = 3  # times that a word must stand on a page to be weighed
SATURATION, BY_LENGTH = 15.0, 0.75  # BM25's k₁ and b: a page is long, so k₁ is larger than for a paragraph
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


def write(site: Path) -> None:
    """Put the weights into the index of a site, if it has one."""
    path = site / "searchindex.js"
    if not path.exists():
        return
    index = path.read_text(encoding="utf8")
    names = json.loads(index[index.index("(") + 1 : index.rindex(")")])["docnames"]
    pages = {k: words_of((site / f"{name}.html").read_text(encoding="utf8")) for k, name in enumerate(names)}
    often = json.dumps(weights(pages), ensure_ascii=False, separators=(",", ":"))
    path.write_text(f"{START}{often};{index}", encoding="utf8")
