"""The errata page in a browser: every claim is there, the filter filters, a link to a claim finds it."""

import re
from pathlib import Path

import pytest
from rest import at_rest

from book.ledger import claims

SITE = Path(__file__).resolve().parents[2] / "_build" / "html"
PAGE = "book/errata.html"
SHOWN = """() => [...document.querySelectorAll('ol.claims > li')]
  .filter(li => li.checkVisibility()).map(li => li.id)"""
FRESH = """() => {
  history.replaceState(null, '', location.pathname);
  document.querySelectorAll('main details[open]').forEach(e => { e.open = false; });
  document.getElementById('ledger-form').reset();
}"""
AT_ONCE = 25
# All that fit the filter: the button is pressed until it goes.
ALL = f"""() => {{
  for (const more = document.querySelector('.claims-more'); !more.hidden;) more.click();
  return ({SHOWN})();
}}"""
WRONG = {"slip", "follows", "conceptual", "overstated", "convention"}


def wanted(test):
    return sorted(it.id for it in claims.claims() if test(it))


# It takes seconds to open: once for each way. The name of a page in the ids keeps them in one process.
WAYS = pytest.mark.parametrize("way", ["http", "file"], ids=lambda way: f"{PAGE} {way}", scope="module")


@pytest.fixture(scope="module")
def opened(visits, way):
    tab = visits(way, PAGE)
    tab.wait_for_selector("#ledger-form:not([hidden])")
    yield tab
    visits.close()


@pytest.fixture
def tab(opened):
    """The page as it opens: nothing filtered, every fold closed, no claim in the address."""
    opened.evaluate(FRESH)
    opened.wait_for_function(f"() => ({SHOWN})().length === {AT_ONCE} && ({SHOWN})()[0] === 'fs1-007'")
    yield opened
    assert [c for c in opened.complaints if "exception" in c] == []


@WAYS
def test_some_claims_are_shown_at_first_and_all_when_asked_for(tab):
    assert tab.evaluate("document.documentElement.scrollHeight") < 12_000
    assert len(tab.evaluate(SHOWN)) == AT_ONCE
    assert sorted(tab.evaluate(ALL)) == wanted(lambda it: True)


def test_the_page_opens_with_what_was_corrected(open_tab):
    """Its first words say how many claims there are and how many hold; what cannot be checked comes last."""
    tab = open_tab("http", PAGE)
    tab.wait_for_selector("#ledger-form:not([hidden])")
    said = tab.inner_text("article p >> nth=0")
    for count in (len(claims.claims()), len(wanted(lambda it: it.verdict == "holds"))):
        assert f"{count:,}" in said
    assert sorted(tab.evaluate(ALL)) == wanted(lambda it: it.verdict in WRONG)
    for part in claims.SOURCES:
        tab.select_option("#ledger-form [name=v]", "")
        tab.select_option("#ledger-form [name=s]", part)
        tab.evaluate(ALL)
        verdicts = tab.evaluate("[...document.querySelectorAll('ol.claims > li')].map(li => li.dataset.v)")
        first = verdicts.index("unverifiable") if "unverifiable" in verdicts else len(verdicts)
        assert set(verdicts[first:]) <= {"unverifiable"}


def test_the_table_says_of_each_source_how_much_was_corrected(open_tab):
    """On a phone only that: claims and corrected, in one line below the name of the source."""
    tab = open_tab("http", PAGE, width=390)
    tab.wait_for_selector("#ledger-form:not([hidden])")
    rows = tab.locator("table.ledger tbody tr")
    for name, row in zip(claims.SOURCES, rows.all(), strict=False):
        assert row.locator("th a").get_attribute("href") == f"#claims-{name}"
        count = claims.load()[name]
        corrected = sum(it.verdict in WRONG for it in count)
        shown = row.locator("td").evaluate_all(
            "all => all.filter((e) => e.offsetWidth).map((e) => e.innerText)"
        )
        assert shown == [f"{len(count):,}", f"{corrected:,}" if corrected else "–"]
        assert row.bounding_box()["height"] < 90
    assert rows.count() == len(claims.SOURCES) + 1


def test_each_part_of_the_list_leads_to_its_source(site):
    text = (site / PAGE).read_text(encoding="utf8")
    for part in claims.SOURCES:
        assert re.search(rf'id="claims-{part}">.{{0,400}}?references\.html#source-', text, re.S), part


@WAYS
def test_each_filter_filters_and_says_how_many(tab):
    for name, value, test in (
        ("v", "slip", lambda it: it.verdict == "slip"),
        ("v", "wrong", lambda it: it.verdict in WRONG),
        ("c", "11", lambda it: it.chapter == "11"),
        ("s", "cg", lambda it: it.id.startswith("cg-")),
    ):
        tab.select_option(f"#ledger-form [name={name}]", value)
        shown = sorted(tab.evaluate(ALL))
        assert shown == wanted(test) and shown
        assert tab.inner_text("#ledger-form output").startswith(f"{len(shown)} of ")
        tab.select_option(f"#ledger-form [name={name}]", "")


@WAYS
def test_words_and_keys(tab):
    """With the keyboard alone: a word is typed, and the button shows all again."""
    tab.focus("#ledger-form [name=q]")
    tab.keyboard.type("Gram-Schmidt")
    some = tab.evaluate(SHOWN)
    assert 0 < len(some) < 20 and "wb2-036" in some
    tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")
    tab.wait_for_function(f"() => ({SHOWN})().length === {AT_ONCE}")


def test_what_a_source_claims_stands_apart_from_what_is_tested_here(browser, bases):
    """With true minus signs, which a hyphen finds, too."""
    tab = browser.new_page()
    tab.goto(bases["file"] + PAGE)
    tab.evaluate("() => { location.hash = '#fs1-042'; }")
    lines = tab.locator("#fs1-042 > p")
    assert (
        lines.nth(1).text_content() == "if the objective had corners, learning would not be possible at all"
    )
    before = "e => getComputedStyle(e, '::before').content + getComputedStyle(e).borderLeftWidth"
    assert lines.nth(1).evaluate(before) == '"Claim: "3px'
    assert re.fullmatch(r"Tested: share of the distance .* down \|w − 3\.3\|", lines.nth(2).text_content())
    assert lines.nth(3).text_content() == "Claimed 1 Ours 3.74 · 10⁻⁶"
    tab.select_option("#ledger-form [name=v]", "holds")
    tab.fill("#ledger-form [name=q]", "-log(1-p)")
    tab.wait_for_function(f"() => ({SHOWN})().includes('fs1-032')")
    assert len(tab.evaluate(ALL)) < 5 and "−log(1−p)" in tab.text_content("#fs1-032")
    tab.close()


@WAYS
def test_a_link_to_a_hidden_claim_shows_it(tab):
    tab.select_option("#ledger-form [name=v]", "slip")
    assert tab.query_selector("#fs1-013") is None
    for claim in ("fs1-013", "sf-061"):  # (one of the first that the page would show, and one far below)
        tab.evaluate(f"() => {{ location.hash = '#{claim}'; }}")
        at_rest(tab.locator(f"#{claim}"))
        assert 0 <= tab.locator(f"#{claim}").bounding_box()["y"] < 400


def test_without_script_all_claims_are_there(browser, bases):
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(bases["file"] + PAGE)
    assert tab.locator("ol.claims > li").count() == len(wanted(lambda it: True))
    assert tab.locator("ol.claims > li").first.is_visible() and not tab.locator("#ledger-form").is_visible()
    context.close()


LINK = re.compile(r'href="(\.\./notebooks/[^"]+)"')


def links(site):
    return set(LINK.findall((site / PAGE).read_text(encoding="utf8").split('id="claims-fs1"')[1]))


def test_every_claim_leads_to_a_place_that_exists(site):
    """Into its chapter, at a cell or a heading, where the chapter is written."""
    found = links(site)
    assert sum("#cell-" in link for link in found) > 150
    for link in found:
        path, _, anchor = link.partition("#")
        page = (site / "book" / path).resolve()
        assert page.exists(), link
        assert not anchor or page.read_text(encoding="utf8").count(f'id="{anchor}"') == 1, link


def cells_of_claims(page):
    """The cells of a page that claims lead to; test_pages.py looks whether they can be seen."""
    here = [link.partition("#") for link in links(SITE) if link.startswith(f"../{page}#cell-")]
    return sorted(anchor for _, _, anchor in here)


def test_claims_lead_into_many_chapters():
    assert len({link.partition("#")[0] for link in links(SITE) if "#cell-" in link}) > 10


@WAYS
def test_a_click_leads_to_the_cell(way, open_tab):
    tab = open_tab(way, PAGE)
    tab.fill("#ledger-form [name=q]", "wb1-015")
    tab.click("#wb1-015 .how a[href*='#cell-']")
    tab.wait_for_url("**/11_attention.html#cell-*")
    tab.wait_for_function(
        "() => { const box = document.getElementById(location.hash.slice(1)).getBoundingClientRect();"
        " return box.top >= 0 && box.top < innerHeight; }"
    )
    assert "Q, K, V = X @ W_Q, X @ W_K, X @ W_V" in tab.inner_text(":target")


@WAYS
def test_a_fold_shows_what_a_claim_starts_from(tab):
    tab.fill("#ledger-form [name=q]", "cg-143")
    tab.click("#cg-143 summary")
    assert tab.is_visible("#cg-143-worked pre")
    shown = tab.inner_text("#cg-143-worked pre")
    assert "return 22026 + 148 + 7.4" in shown and "→ 22181.4" in shown


@WAYS
def test_a_source_in_the_address_is_shown(tab):
    tab.evaluate("() => { location.hash = '#claims-wb2'; }")
    tab.wait_for_function(f"() => ({SHOWN})().every(id => id.startsWith('wb2-'))")


@WAYS
def test_a_fold_shows_the_shared_functions(tab):
    assert not tab.is_visible("#claims-helpers pre")
    tab.click("#claims-helpers summary")
    assert "def next_token(" in tab.inner_text("#claims-helpers pre")
