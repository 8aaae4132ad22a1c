"""Every page of the built site, opened in a browser: over http and as a file, on a phone, in the dark."""

import json
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from bs4 import BeautifulSoup

SITE = Path(__file__).resolve().parents[2] / "_build" / "html"
PAGES = sorted(str(p.relative_to(SITE)) for p in SITE.rglob("*.html") if "_static" not in p.parts)
# The front door only redirects, and the others hold no text of ours.
TEXTS = [p for p in PAGES if p.startswith(("book/", "notebooks/"))]

MATH = """() => MathJax.startup.promise.then(() => ({
  typeset: document.querySelectorAll('mjx-container').length,
  wanted: document.querySelectorAll('.math').length,
  // an unknown command is no error to MathJax: it is shown in red
  errors: [...document.querySelectorAll('mjx-merror, [data-mjx-error], mjx-container [fill="red"]')]
    .map(e => e.textContent || e.title || e.outerHTML),
}))"""
WIDE = """() => [...document.querySelectorAll('.bd-article *')].filter(e => {
  const right = e.getBoundingClientRect().right;
  if (right <= innerWidth + 1) return false;
  for (let p = e; p && p !== document.body; p = p.parentElement) {
    if (['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(p).overflowX)) return false;
  }
  return true;
}).slice(0, 5).map(e => e.tagName + '.' + e.className + ' ' + e.textContent.slice(0, 40))"""


def settle(tab):
    """Wait until formulas are set; give what became of them."""
    if tab.evaluate("() => typeof MathJax !== 'undefined' && !!MathJax.startup"):
        return tab.evaluate(MATH)
    return {
        "typeset": 0,
        "wanted": tab.evaluate("() => document.querySelectorAll('.math').length"),
        "errors": [],
    }


def test_there_are_pages():
    assert len(TEXTS) >= 7, "run make book first"


@pytest.mark.parametrize("way", ["http", "file"])
@pytest.mark.parametrize("page", PAGES)
def test_opens_without_a_complaint_or_a_request_to_another_host(open_page, way, page):
    tab, elsewhere, complaints = open_page(way, page)
    math = settle(tab)
    tab.wait_for_timeout(100)
    assert elsewhere == []
    assert complaints == []
    assert math["errors"] == []
    assert math["typeset"] >= math["wanted"]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("page", [p for p in PAGES if p != "index.html"])
def test_does_not_scroll_sideways_on_a_phone(open_page, page, dark):
    tab, _, _ = open_page("http", page, width=390, dark=dark)
    settle(tab)
    if dark:
        assert tab.evaluate("document.documentElement.dataset.theme") == "dark"
    assert tab.evaluate(WIDE) == []
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("page", [p for p in TEXTS if p.startswith("notebooks/")])
def test_no_line_of_code_is_hidden_and_what_is_copied_is_the_code(open_page, page):
    tab, _, _ = open_page("file", page, width=390)
    blocks = tab.evaluate(
        """() => [...document.querySelectorAll('div.cell_input pre')]
        .map(pre => [pre.cloneNode(true).textContent, pre.scrollWidth - pre.clientWidth])"""
    )
    notebook = json.loads((SITE / "_sources" / page).with_suffix(".ipynb").read_text(encoding="utf8"))
    code = {"".join(cell["source"]).strip() for cell in notebook["cells"] if cell["cell_type"] == "code"}
    assert len(blocks) > 20
    assert [text for text, hidden in blocks if text.strip() not in code or hidden > 1] == []


@pytest.mark.parametrize("page", TEXTS)
def test_every_picture_loads_and_is_described(open_page, page):
    tab, _, _ = open_page("http", page)
    every = "[...document.querySelectorAll('article img')]"
    pictures = tab.evaluate(f"() => {every}.map(i => [i.src.slice(-60), i.alt, i.naturalWidth])")
    assert [p for p in pictures if not p[1] or not p[2]] == []


@pytest.mark.parametrize("page", TEXTS)
def test_every_icon_is_drawn(open_page, page):
    tab, _, _ = open_page("file", page)
    missing = tab.evaluate(
        """() => [...document.querySelectorAll('.fas, .far, .fab, .fa-solid, .fa-regular, .fa-brands')]
        .filter(i => !getComputedStyle(i).maskImage.startsWith('url')).map(i => i.className)"""
    )
    assert missing == []


@pytest.mark.parametrize("page", PAGES)
def test_links_and_anchors_lead_somewhere(site, page):
    soup = parsed(page)
    broken = []
    for tag in soup.find_all(["a", "link", "img", "script", "source"]):
        address = tag.get("href") or tag.get("src")
        if not address or address.startswith(("data:", "mailto:", "javascript:")):
            continue
        target = urlsplit(urljoin(f"/{page}", address))
        if target.scheme or target.netloc:
            if tag.name != "a":
                broken.append(f"{tag.name} from another host: {address}")
            continue
        path = unquote(target.path).lstrip("/") or "index.html"
        anchor = unquote(target.fragment) if path.endswith(".html") else ""
        if not (site / path).is_file() or (anchor and anchor not in anchors(path)):
            broken.append(address)
    assert broken == []


PARSED: dict[str, BeautifulSoup] = {}


def parsed(page):
    if page not in PARSED:
        PARSED[page] = BeautifulSoup((SITE / page).read_text(encoding="utf8"), "html.parser")
    return PARSED[page]


def anchors(page):
    return {tag.get("id") or tag.get("name") for tag in parsed(page).find_all(id=True)} | {"", "top"}


def test_no_page_is_heavy(site):
    heavy = {p: (site / p).stat().st_size for p in PAGES if (site / p).stat().st_size > 1_000_000}
    assert heavy == {}


def test_what_the_pages_share_is_light(site):
    files = [p for p in (site / "_static").rglob("*") if p.is_file()] + [site / "searchindex.js"]
    assert sum(p.stat().st_size for p in files) < 4_000_000


def test_bound_numbers_are_marked_and_their_comments_gone(site):
    for page in TEXTS:
        if page.startswith("notebooks/"):
            text = (site / page).read_text(encoding="utf8")
            assert 'class="bound"' in text, page
            assert "<!-- given" not in text and "&lt;!--" not in text, page


@pytest.mark.parametrize("way", ["http", "file"])
def test_the_search_finds(open_page, way):
    tab, elsewhere, complaints = open_page(way, "search.html?q=notation")
    tab.wait_for_selector("#search-results li a", timeout=10_000)
    assert any("notation" in a.get_attribute("href") for a in tab.query_selector_all("#search-results li a"))
    tab.wait_for_timeout(300)
    assert elsewhere == [] and complaints == []


def test_the_theme_switch_switches(open_page):
    tab, _, _ = open_page("file", TEXTS[0])
    seen = set()
    for _ in range(3):
        tab.click(".theme-switch-button:visible")
        seen.add(tab.evaluate("document.documentElement.dataset.mode"))
    assert seen == {"auto", "light", "dark"}


def test_a_stranger_host_and_a_math_error_would_be_seen(open_page, bases, site):
    tab, elsewhere, _ = open_page("http", TEXTS[0])
    tab.route("https://elsewhere.invalid/**", lambda route: route.abort())
    tab.evaluate("() => { const i = new Image(); i.src = 'https://elsewhere.invalid/x.png'; }")
    tab.wait_for_timeout(200)
    assert elsewhere == ["https://elsewhere.invalid/x.png"]


@pytest.mark.parametrize("formula", [r"\left( x", r"\unheardof{x}"])
@pytest.mark.parametrize("page", [p for p in TEXTS if "notation" in p])
def test_a_math_error_would_be_seen(open_page, page, formula):
    tab, _, _ = open_page("http", page)
    settle(tab)
    broken = """formula => { const p = document.createElement('p'); p.className = 'math';
      p.textContent = '\\\\(' + formula + '\\\\)';
      document.querySelector('article').append(p); return MathJax.typesetPromise([p]); }"""
    tab.evaluate(broken, formula)
    assert settle(tab)["errors"] != []
