"""Where a page names a text that the book grew from, the name leads to their list and says what it is."""

import re
from html import unescape

import pytest
import references

from book.ledger import sources

NAME = re.compile(r'(<a class="reference internal" href="([^"]*)" title="([^"]*)">)?<em>([^<]*)</em>')
HEADING = re.compile(r"<h[1-6]>.*?</h[1-6]>", re.S)
LISTED = "book/references.html"


def mentions(page):
    """Each name of a source in the text of a page: the source, where the name leads, what it says."""
    article = page.read_text(encoding="utf8").partition("<article")[2].partition("</article>")[0]
    text = HEADING.sub("", article)
    for link, address, title, name in NAME.findall(text):
        if source := references.named().get(references.plain(unescape(name))):
            yield source, (address, unescape(title)) if link else None


def test_every_mention_is_a_link_that_says_what_it_is(site):
    counted = dict.fromkeys(source.key for source in sources.SOURCES)
    for page in sorted(site.glob("[bn]*/*.html")):
        for source, link in mentions(page):
            assert link == (f"../{LISTED}#source-{source.key}", source.described), (page.name, source.key)
            counted[source.key] = (counted[source.key] or 0) + 1
    assert all(count and count > 20 for count in counted.values()), counted


@pytest.mark.parametrize("source", sources.SOURCES, ids=lambda source: source.key)
def test_the_list_tells_of_each_what_it_is_and_who_wrote_it(site, source):
    text = (site / LISTED).read_text(encoding="utf8")
    entry = text.partition(f'<dt id="source-{source.key}">')[2].partition("</dd>")[0]
    said = unescape(re.sub("<[^>]*>", "", entry))
    assert said.startswith(source.title) and (source.author or "author not named") in said
    assert [part for part in source.parts if f"errata.html#claims-{part}" not in entry] == []


def test_a_link_from_a_chapter_arrives_at_its_source(open_tab):
    tab = open_tab("http", "notebooks/11_attention.html")
    tab.locator("#what-the-sources-say a[href*='#source-']").first.click()
    tab.wait_for_url(f"**/{LISTED}#source-*")
    box = tab.locator(":target").bounding_box()
    assert box and 0 <= box["y"] < 300
