"""What stands around the chapters: search, contents, menus, tables, glossary, timeline, scales."""

import json
import re

import pytest
import search_weights

NEAR = "(what) => Math.abs(document.querySelector(what).getBoundingClientRect().top) < 400"
CHAPTER = "notebooks/11_attention.html"
HITS = """() => [...document.querySelectorAll('#search-results > ul > li')].map(li => ({
  title: li.querySelector('a').innerText.replace(/\\s+/g, ' ').trim(),
  page: li.querySelector('a').pathname.split('/').pop(),
  says: li.querySelector('.context')?.innerText || '', all: li.innerText}))"""


@pytest.fixture
def search(open_tab):
    """What the search shows for a query, from the first to the last."""

    def searched(query, way="http"):
        tab = open_tab(way, f"search.html?q={query.replace(' ', '+')}", loaded="domcontentloaded")
        tab.wait_for_selector("#search-results li a")
        if way == "http":
            tab.wait_for_selector("#search-results li .context")
            tab.wait_for_timeout(500)
        assert tab.complaints == [] and tab.elsewhere == []
        return tab.evaluate(HITS)

    return searched


@pytest.mark.parametrize("way", ["http", "file"])
def test_a_search_shows_titles_first_the_glossary_once_and_the_package_last(search, way):
    hits = search("attention", way)
    assert hits[0]["title"] == "11 Attention"
    glossary = [k for k, hit in enumerate(hits) if hit["page"] == "glossary.html"]
    assert len(glossary) == 1 and glossary[0] >= 3
    [hit] = [hits[k] for k in glossary]
    assert hit["title"] == "attention" and "attention head" in hit["all"] and "collects" in hit["says"]
    package = [hit["page"].startswith("api") for hit in hits]
    assert any(package) and package == sorted(package), "the package stands last"
    assert all("\\" not in hit["says"] for hit in hits), "no formula is shown twice"


def test_a_search_finds_a_term_and_the_rules_of_the_game(search):
    hits = search("next token distribution")
    assert "next-token distribution" in [hit["title"] for hit in hits[:5]]
    assert "21 Sampling" in [hit["title"] for hit in hits[:3]]
    for hit in hits[:5]:
        assert not re.search(r"\\\w|π.*π|\.\.\.", hit["says"]), hit["says"]
    assert search("perde")[0]["title"] == "Try it"


def test_the_weights_of_the_search_stand_before_its_index(site):
    index = (site / "searchindex.js").read_text(encoding="utf8")
    often, _, rest = index.removeprefix(search_weights.START).partition(";Search.setIndex(")
    names = json.loads(rest.rstrip().removesuffix(")"))["docnames"]
    weights = json.loads(often)
    best = max(weights["perplex"], key=weights["perplex"].get)
    assert names[int(best)].startswith("notebooks/") and len(often) < 200_000


@pytest.mark.parametrize("width", [390, 1280])
def test_the_contents_follow_and_the_end_is_the_end(open_tab, width):
    tab = open_tab("file", CHAPTER, width=width, built=False)
    here = "document.querySelector('#pst-page-toc-nav a[aria-current]')?.hash"
    tab.keyboard.press("End")
    tab.wait_for_timeout(3000)
    left = "document.documentElement.scrollHeight - innerHeight - scrollY"
    assert tab.evaluate(left) < 3
    assert tab.evaluate(here) == "#references"
    tab.keyboard.press("Home")
    tab.wait_for_function("() => scrollY === 0")
    tab.mouse.move(width / 2, 400)
    read = """() => [...document.querySelectorAll('.bd-article section[id]')].filter(s => s.checkVisibility()
      && s.querySelector('h2, h3') && s.getBoundingClientRect().top < 60 + innerHeight / 4).at(-1)?.id"""
    for _ in range(6):
        tab.mouse.wheel(0, 1700)
        tab.wait_for_timeout(600)  # a busy machine takes its time
        place = tab.evaluate(read)
        assert tab.evaluate(here) == (f"#{place}" if place and place != "attention" else None)


def test_the_drawer_of_contents_closes_when_an_entry_is_pressed(open_tab):
    tab = open_tab("file", CHAPTER, width=390, built=False)
    tab.locator(".secondary-toggle").click()
    drawer = tab.locator("#pst-secondary-sidebar-modal")
    drawer.locator("a[href='#quiz']").click()
    tab.wait_for_function(NEAR, arg="#quiz")
    assert not drawer.is_visible() and tab.evaluate("location.hash") == "#quiz"
    tab.locator(".secondary-toggle").click()  # and opens again, with its entries
    assert drawer.locator("a[href='#quiz']").is_visible()
    tab.keyboard.press("Escape")
    assert tab.evaluate("document.activeElement.classList.contains('secondary-toggle')")
    tab.mouse.wheel(0, -900)
    tab.wait_for_timeout(300)
    assert not tab.locator("#pst-back-to-top").is_visible(), "nothing covers the text"


@pytest.mark.parametrize("page", [CHAPTER, "book/index.html"])
def test_the_menu_at_the_head_says_what_it_offers(open_tab, page):
    tab = open_tab("file", page, width=390, built=False)
    tab.get_by_role("button", name="Keep, run or print").click()
    menu = tab.locator(".dropdown-download-buttons .dropdown-menu")
    words = menu.inner_text()
    for offered in ("offline", "as notebooks", "archive", "PDF"):
        assert offered in words
    assert ("This chapter" in words) == (page == CHAPTER)
    where = menu.locator("a").evaluate_all("all => all.map(a => a.getAttribute('href').split('/').pop())")
    assert {"how_to_use.html#run-it", "how_to_use.html#read-it"} <= set(where)
    box = menu.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390


def test_a_dot_of_the_timeline_says_its_work_and_leads_there(open_tab):
    tab = open_tab("file", "book/timeline.html", width=390)
    dots = tab.locator("svg a.event")
    assert dots.count() == tab.locator("ol.timeline li").count() > 50
    dot = dots.nth(20)
    name, said = dot.get_attribute("aria-label"), dot.locator("text")
    assert said.evaluate("e => getComputedStyle(e).visibility") == "hidden"
    dot.locator("circle").hover()
    assert said.evaluate("e => getComputedStyle(e).visibility") == "visible" and said.text_content() == name
    assert tab.locator(".event-hint").evaluate("e => getComputedStyle(e).visibility") == "hidden"
    dot.locator("circle").click()
    entry = tab.locator("li:target")
    tab.wait_for_function(NEAR, arg="li:target")
    year, _, title = name.partition(": ")
    assert entry.inner_text().startswith(f"{year} {title}")


def test_the_glossary_opens_with_its_terms_from_a_to_z(open_tab):
    tab = open_tab("file", "book/glossary.html", width=390)
    assert "announced" not in tab.locator("article").inner_text()
    letters = tab.locator(".a-z summary")
    assert letters.first.inner_text() == "A" and letters.count() > 15
    letters.nth(1).click()
    letters.first.click()
    assert tab.locator(".a-z details[open]").count() == 1
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    tab.locator(".a-z a", has_text="attention head").click()
    tab.wait_for_function(NEAR, arg="#term-attention-head")
    links = tab.locator(".a-z a").evaluate_all(
        "all => all.filter(a => !document.querySelector(a.hash)).length"
    )
    assert links == 0


@pytest.mark.parametrize("width", [390, 1280])
def test_tables_keep_to_the_column_of_the_text_unless_they_need_more(open_tab, width):
    for page in ("book/scale.html", "book/how_to_use.html", "notebooks/12_heads.html"):
        tab = open_tab("file", page, width=width, dark=True)
        boxes = ".pst-scrollable-table-container, .cell:not(.live-cell) > .cell_output.with-table"
        wide = """(boxes) => [...document.querySelectorAll(boxes)]
          .filter((box) => {
            const text = document.querySelector('.bd-article > section').getBoundingClientRect();
            const here = box.getBoundingClientRect();
            const table = box.querySelector('table');
            if (!here.width || (here.left >= text.left - 1 && here.right <= text.right + 1)) return false;
            const was = table.style.width;
            table.style.width = 'min-content';
            const needs = table.offsetWidth;
            table.style.width = was;
            return needs <= text.width;
          }).map((box) => box.innerText.slice(0, 60))"""
        assert tab.evaluate(wide, boxes) == []
        if "scale" in page:
            bar = tab.locator(".scale-bar").first.evaluate(
                "e => [getComputedStyle(e).stroke, getComputedStyle(e).opacity]"
            )
            assert bar == ["rgb(127, 196, 240)", "1"], "strong enough in the dark"
            text = tab.locator("article").inner_text()
            assert "our model of the semantic world" in text and "our semantic:" not in text
            assert "the guide's model" not in text and "a power of ten" not in text


def test_what_goes_on_to_the_right_fades_there_formulas_and_live_tables_too(open_tab):
    tab = open_tab("file", CHAPTER, width=390)
    fades = """(kind) => {
      for (const s of document.querySelectorAll('.bd-article :is(section, .cell)')) {
        s.style.contentVisibility = 'visible';
      }
      const all = [...document.querySelectorAll(kind)].filter((e) => e.checkVisibility());
      const boxes = all.filter((e) => e.scrollWidth > e.clientWidth + 1);
      const mask = (e) => getComputedStyle(e).maskImage !== 'none';
      const fits = all.filter((e) => e.scrollWidth <= e.clientWidth);
      const before = boxes.map((e) => { e.scrollLeft = 0; return e; });
      return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
        const faded = before.filter(mask).length;
        for (const e of boxes) e.scrollLeft = 99999;
        requestAnimationFrame(() => requestAnimationFrame(() =>
          done([boxes.length, faded, boxes.filter(mask).length, fits.filter(mask).length])));
      })));
    }"""
    for kind in (
        ".bd-article div.math",
        ".bd-article .pst-scrollable-table-container, .bd-article .cell_output",
    ):
        wide, faded, at_end, fit = tab.evaluate(fades, kind)
        assert wide and faded == wide and at_end == 0 and fit == 0, (kind, wide, faded, at_end, fit)
