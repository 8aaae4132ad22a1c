"""How much each page is about each word, for the search: book/assets/find.js orders the pages by it.

Sphinx's index knows only whether a word stands on a page. Here each word of a page is counted and weighed as
in BM25: a word counts the more, the more often it stands there, the shorter the page and the fewer other
pages have it. The weights stand in `searchindex.js` before the index.
"""

import json
import math
import re
from collections import Counter
from pathlib import Path

import snowballstemmer

NOT_TEXT = re.compile(r"<(script|style|svg|pre|math|nav)\b.*?</\1>|<[^>]+>", re.S)
START = "Search.often="
OFTEN = 3  # times that a word must stand on a page to be weighed
SATURATION, BY_LENGTH = 15.0, 0.75  # k₁ and b: a page is long, so that k₁ is larger than for a paragraph
stem = snowballstemmer.stemmer("porter").stemWord  # what Sphinx stems its index and its queries with


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
    {'ant': {0: 2, 1: 1}, 'bee': {1: 3}}
    """
    counts = {page: Counter(words) for page, words in pages.items()}
    spread = Counter(word for count in counts.values() for word in count)
    mean = sum(map(len, pages.values())) / max(1, len(pages)) or 1
    found: dict[str, dict[int, int]] = {}
    for page, count in counts.items():
        room = SATURATION * (1 - BY_LENGTH + BY_LENGTH * count.total() / mean)
        weight = {w: 10 * math.log(1 + len(pages) / spread[w]) * n / (n + room) for w, n in count.items()}
        for word in sorted(weight):
            if count[word] >= OFTEN and len(word) > 2:
                found.setdefault(word, {})[page] = round(weight[word])
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
