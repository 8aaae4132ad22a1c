"""Every page of the built site, opened in a browser: over http and as a file, on a phone, in the dark."""

import ast
import functools
import html
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import formulas
import plots
import pytest
from axe import IN_THE_DARK, findings, settle, show_theme
from bs4 import BeautifulSoup
from page_checks import (
    BOOK,
    CUT,
    CUT_IN_LINE,
    CUT_OFF,
    KEYBOARD,
    LABELS,
    PLOTS,
    SCROLLED,
    SCROLLED_TABLES,
    SQUARE,
    TOO_WIDE,
    WIDE_FORMULAS,
)
from test_errata import cells_of_claims
from test_live import HOLDERS, fits_a_phone

SITE = Path(__file__).resolve().parents[2] / "_build" / "html"
PAGES = sorted(str(p.relative_to(SITE)) for p in SITE.rglob("*.html") if "_static" not in p.parts)
# The front door only redirects, and the others hold no text of ours.
TEXTS = [p for p in PAGES if p.startswith(("book/", "notebooks/"))]
CHAPTERS = [p for p in TEXTS if p.startswith("notebooks/")]

WIDE = """() => [...document.querySelectorAll('.bd-article *')].filter(e => {
  const right = e.getBoundingClientRect().right;
  if (right <= innerWidth + 1) return false;
  for (let p = e; p && p !== document.body; p = p.parentElement) {
    if (['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(p).overflowX)) return false;
  }
  return true;
}).slice(0, 5).map(e => e.tagName + '.' + e.className + ' ' + e.textContent.slice(0, 40))"""


def test_there_are_pages():
    assert len(TEXTS) >= 7, "run make book first"


def check_opening(tab):
    assert tab.elsewhere == []
    assert tab.complaints == []
    assert tab.math["errors"] == []
    assert tab.math["typeset"] >= tab.math["wanted"]


def on(what, pages):
    """Where a test looks: the desk or the phone, and at which pages."""
    return pytest.mark.parametrize(what, pages, indirect=True)


@on("desk", PAGES)
def test_as_a_file_it_opens_without_a_complaint_or_a_request_to_another_host(desk):
    check_opening(desk)


@on("desk", PAGES)
def test_every_icon_is_drawn(desk):
    missing = desk.evaluate(
        """() => [...document.querySelectorAll('.fas, .far, .fab, .fa-solid, .fa-regular, .fa-brands')]
        .filter(i => !i.querySelector('svg > path') || (i.checkVisibility()
            && i.firstElementChild.getBoundingClientRect().width < i.getBoundingClientRect().width - 1))
        .map(i => i.className)"""
    )
    assert missing == []


@on("desk", CHAPTERS)
def test_every_cell_that_a_claim_leads_to_can_be_seen(desk):
    unseen = desk.evaluate(
        "ids => ids.filter(id => { const place = document.getElementById(id);"
        " let cell = place.closest('.shows-code:not([open])') ?? place;"  # (a link opens it, and joined code)
        " while (cell.matches('.code-joins:not(.code-shown)')) cell = cell.previousElementSibling;"
        " return !cell.checkVisibility() || cell.getBoundingClientRect().height < 10; })",
        cells_of_claims(desk.page),
    )
    assert unseen == []


@on("desk", [*CHAPTERS, "book/notation.html"])
def test_no_formula_is_wider_than_the_text(desk):
    """(There were 29: the end of a line is the conclusion, and nothing shows that it can be scrolled.)"""
    assert desk.evaluate(WIDE_FORMULAS) == []
    if desk.page == "notebooks/11_attention.html":  # it would be seen
        every = "document.querySelectorAll('article .katex').forEach"
        desk.evaluate(f"() => {every}(f => {{ f.style.paddingLeft = '99em'; }})")
        assert desk.evaluate(WIDE_FORMULAS) != []
        desk.evaluate(f"() => {every}(f => f.removeAttribute('style'))")


@on("desk", CHAPTERS)
def test_a_table_that_is_too_wide_can_be_scrolled_with_the_keyboard(desk):
    folds = "document.querySelectorAll('article details')"
    closed = desk.evaluate_handle(f"[...{folds}].filter(fold => !fold.open)")  # (a table in a fold, too)
    closed.evaluate("all => all.forEach(fold => { fold.open = true; })")
    desk.wait_for_function(KEYBOARD)
    closed.evaluate("all => all.forEach(fold => { fold.open = false; })")


@on("desk", [*CHAPTERS, *BOOK])
def test_no_table_is_cut_off_on_a_desk(desk):
    assert desk.evaluate(CUT_OFF) == []


@pytest.fixture
def axe_at_the_desk(desk):
    """For axe, which comes when others have seen the whole page: it thins out what is outside the figures."""
    return desk


@pytest.mark.parametrize(
    ("desk", "scheme"),
    [(page, scheme) for page in TEXTS for scheme in ("light", "dark")[: 1 + (page in IN_THE_DARK)]],
    indirect=["desk"],
)
def test_axe_finds_nothing_serious(axe_at_the_desk, scheme):
    if scheme == "dark":  # it opens in the light
        show_theme(axe_at_the_desk, scheme)
    assert findings(axe_at_the_desk) == []


@on("phone", PAGES)
def test_over_http_it_opens_without_a_complaint_or_a_request_to_another_host(phone):
    check_opening(phone)


@on("phone", TEXTS)
def test_every_picture_loads_and_is_described(phone):
    every = "[...document.querySelectorAll('article img')]"
    phone.evaluate(f"() => {every}.forEach(i => {{ i.loading = 'eager'; }})")
    phone.wait_for_function(f"() => {every}.every(i => i.complete)")
    pictures = phone.evaluate(f"() => {every}.map(i => [i.src.slice(-60), i.alt, i.naturalWidth])")
    assert [p for p in pictures if not p[1] or not p[2]] == []


def _lines(code):
    """What code says: the page decides how far in a line within brackets begins (see test_code_lines.py)."""
    return tuple(map(str.lstrip, code.strip().split("\n")))


def _said(code):
    """The lines of code, and what Python reads: of a line outside brackets, how far in it begins counts."""
    return _lines(code), ast.dump(ast.parse(code.strip()))


@on("phone", CHAPTERS)
def test_no_line_of_code_is_hidden_and_what_is_copied_is_the_code(phone):
    blocks = phone.evaluate(
        """() => {
          const folded = [...document.querySelectorAll('details:has(div.cell_input):not([open])')];
          folded.forEach(d => { d.open = true; });  // a folded part has no width to speak of
          const read = [...document.querySelectorAll('div.cell_input pre')]
            .map(pre => [pre.cloneNode(true).textContent, pre.scrollWidth - pre.clientWidth,
              !!pre.closest('.only-in-code')]);
          folded.forEach(d => { d.open = false; });
          return read;
        }"""
    )
    stored = (SITE / "_sources" / phone.page).with_suffix(".ipynb")
    notebook = json.loads(stored.read_text(encoding="utf8"))
    code = {_said("".join(c["source"])) for c in notebook["cells"] if c["cell_type"] == "code"}
    assert len(blocks) > 20
    lines = {line for cell, _ in code for line in cell}
    assert [t for t, hidden, told in blocks if hidden > 1 or (not told and _said(t) not in code)] == []
    assert [t for t, _, told in blocks if told and not {*_lines(t)} <= lines] == []


@on("phone", [*CHAPTERS, *BOOK])
def test_few_tables_must_be_scrolled_on_a_phone(phone):
    found = phone.evaluate(CUT_OFF)
    assert len(found) <= SCROLLED_TABLES.get(phone.page, 0), found


@on("phone", CHAPTERS)
def test_labels_have_eleven_pixels_on_a_phone(phone):
    shown, small = phone.evaluate(LABELS)
    assert shown and small == []
    assert [alt for alt in phone.evaluate(SCROLLED) if alt != SQUARE] == []
    assert phone.evaluate(CUT) == []  # no formula begins left of the page
    assert phone.evaluate(CUT_IN_LINE) == []
    assert phone.evaluate(TOO_WIDE) == []  # all others are made a little smaller, and fit then


@pytest.mark.parametrize("scheme", ["light", "dark"])
@on("phone", [page for page in PAGES if page != "index.html"])
def test_does_not_scroll_sideways_on_a_phone(phone, scheme):
    phone.emulate_media(color_scheme=scheme)
    phone.wait_for_function("scheme => document.documentElement.dataset.theme === scheme", arg=scheme)
    assert phone.evaluate(WIDE) == []
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390


@on("phone", CHAPTERS)
def test_plots_follow_the_theme(phone):
    """The test above left the page in the dark: a change of theme takes a quarter of a second."""
    show_theme(phone, "dark")
    seen = phone.evaluate(PLOTS)
    assert seen and {tuple(plot) for plot in seen} == {("#dark", "none", "rgba(0, 0, 0, 0)")}
    ground = phone.evaluate("() => getComputedStyle(document.body).backgroundColor")
    assert ground == f"rgb{tuple(int(plots.GROUND[1][i : i + 2], 16) for i in (1, 3, 5))}"


@on("phone", HOLDERS)
def test_on_a_phone_each_live_figure_fits_can_be_read_and_touched(phone):
    fits_a_phone(phone, phone.page)


class Tags(HTMLParser):
    """What a page links to, and where it can be linked to."""

    def __init__(self):
        super().__init__()
        self.links, self.anchors = [], {"", "top"}

    def handle_starttag(self, tag, attrs):
        """One tag of the page."""
        attrs = dict(attrs)
        if "id" in attrs:
            self.anchors.add(attrs["id"])
        if tag in ("a", "link", "img", "script", "source"):
            self.links.append((tag, attrs.get("href") or attrs.get("src")))

    @classmethod
    @functools.cache
    def of(cls, page):
        """Those of a page, read once."""
        tags = cls()
        tags.feed((SITE / page).read_text(encoding="utf8"))
        return tags


# (By these names they are no tests of a visit: they run in one process, and each page is read once.)
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.removesuffix(".html"))
def test_links_and_anchors_lead_somewhere(site, page):
    broken = []
    for tag, address in Tags.of(page).links:
        if not address or address.startswith(("data:", "mailto:", "javascript:")):
            continue
        target = urlsplit(urljoin(f"/{page}", address))
        if target.scheme or target.netloc:
            if tag != "a":
                broken.append(f"{tag} from another host: {address}")
            continue
        path = unquote(target.path).lstrip("/") or "index.html"
        anchor = unquote(target.fragment) if path.endswith(".html") else ""
        if not (site / path).is_file() or (anchor and anchor not in Tags.of(path).anchors):
            broken.append(address)
    assert broken == []


def test_no_page_is_heavy(site):
    heavy = {p: (site / p).stat().st_size for p in PAGES if (site / p).stat().st_size > 1_000_000}
    assert heavy == {}


def test_what_the_pages_share_is_light(site):
    files = [p for p in (site / "_static").rglob("*") if p.is_file()] + [site / "searchindex.js"]
    assert sum(p.stat().st_size for p in files) < 4_000_000


def test_the_scripts_that_pages_load_have_no_lines_of_comments(site):
    """These stand in the repository; nine pages would load them nine times."""
    scripts = [*(site / "_static").glob("page-*.js"), *(site / "_static").glob("script-*.js")]
    assert len(scripts) > 20
    for path in scripts:
        lines = path.read_text(encoding="utf8").splitlines()
        assert not [line for line in lines if line.lstrip().startswith("//")], path.name


def test_bound_numbers_are_marked_and_their_comments_gone(site):
    for page in TEXTS:
        if page.startswith("notebooks/"):
            text = (site / page).read_text(encoding="utf8")
            assert 'class="bound"' in text, page
            assert "<!-- given" not in text and "&lt;!--" not in text, page


@pytest.mark.parametrize("way", ["http", "file"])
def test_the_search_finds(open_page, way):
    tab, elsewhere, complaints = open_page(way, "search.html?q=notation")
    tab.wait_for_selector("#search-results li a")
    assert any("notation" in a.get_attribute("href") for a in tab.query_selector_all("#search-results li a"))
    tab.wait_for_timeout(300)
    assert elsewhere == [] and complaints == []


def test_the_theme_switch_switches(browser, bases):
    # It is remembered; of a file, Chromium may forget it where a script writes before the page is there.
    context = browser.new_context(viewport={"width": 1280, "height": 900}, first_visit=True)
    tab = context.new_page()
    tab.goto(bases["file"] + TEXTS[0])
    button, seen = tab.locator(".theme-switch-button:visible"), []
    for _ in range(3):  # each press changes something: it begins as the system is, and has two positions
        seen.append(
            (tab.evaluate("document.documentElement.dataset.theme"), button.get_attribute("aria-label"))
        )
        assert tab.locator(".theme-switch:visible").evaluate_all("all => all.map(e => e.dataset.mode)") == [
            seen[-1][0]
        ]
        button.focus()
        tab.keyboard.press("Enter")
    assert seen == [("light", "Dark colours"), ("dark", "Light colours"), ("light", "Dark colours")]
    tab.wait_for_function("() => document.documentElement.dataset.theme === 'dark'")
    tab.reload()
    assert tab.evaluate("document.documentElement.dataset.theme") == "dark"
    context.close()


def test_a_stranger_host_and_a_math_error_would_be_seen(open_page, bases, site):
    tab, elsewhere, _ = open_page("http", TEXTS[0])
    tab.route("https://elsewhere.invalid/**", lambda route: route.abort())
    with tab.expect_event("requestfailed"):
        tab.evaluate("() => { const i = new Image(); i.src = 'https://elsewhere.invalid/x.png'; }")
    assert elsewhere == ["https://elsewhere.invalid/x.png"]


# What a tab could know of the page before: what it kept, where the pointer was, what it should look like.
KNOWN = """() => [localStorage.kept, sessionStorage.kept, window.kept, innerWidth,
  document.querySelectorAll(':hover').length,
  ...['print', '(prefers-color-scheme: dark)', '(prefers-reduced-motion)', '(forced-colors: active)']
    .map((query) => matchMedia(query).matches)]"""


def test_a_tab_that_is_used_again_knows_nothing_of_the_page_before(open_tab):
    tab = open_tab("http", TEXTS[0], width=390, dark=True, still=True, new=True)
    tab.emulate_media(media="print", forced_colors="active")
    tab.mouse.move(200, 200)
    tab.evaluate(
        "() => { localStorage.kept = sessionStorage.kept = window.kept = 1; console.error('wrong'); }"
    )
    assert tab.evaluate(KNOWN)[:4] == ["1", "1", 1, 390] and all(tab.evaluate(KNOWN)[4:])
    assert tab.complaints == ["wrong"]
    open_tab.close()
    again = open_tab("http", TEXTS[0])
    assert again is tab and again.complaints == again.elsewhere == []
    assert again.evaluate(KNOWN) == [None, None, None, 1280, 0, False, False, False, False]
    again.on("request", lambda request: None)  # (it would hear what the next page asks for)
    open_tab.close()
    assert again.is_closed() and open_tab("http", TEXTS[0]) is not again


@pytest.mark.parametrize("page", [p for p in TEXTS if "notation" in p])
def test_a_formula_that_is_not_set_would_be_seen(open_page, page):
    tab, _, _ = open_page("http", page)
    found = settle(tab)
    assert found["errors"] == [] and found["typeset"] == found["wanted"] > 50
    tab.evaluate("""() => document.querySelector('article').insertAdjacentHTML('beforeend',
      '<p class="math">\\\\(x\\\\)</p>')""")
    assert len(settle(tab)["errors"]) == 1


@pytest.mark.parametrize("page", [page for page in TEXTS if Path(page).name.startswith("api")])
def test_the_reference_has_no_raw_types_and_no_words_of_torchs_or_pythons_own(site, page):
    shown = re.sub(
        r"<(script|style|svg)\b.*?</\1>|<[^>]+>", "", (site / page).read_text(encoding="utf8"), flags=re.S
    )
    raw = r"~\w+\.\w+|Annotated\[|<factory>|<function|<lambda>|object at 0x|NoneType"
    raw += r"|Should be overridden|Alias for field|\w+ \(\w+,\)|\b(?:Return t|T)ype:\s*[A-Z]\w* \w"
    assert re.findall(raw, html.unescape(shown)) == []


def test_formulas_need_no_script(site):
    """What a page shows stands in it, for the eye and for the ear; only its letters are fetched."""
    page = (site / "book" / "notation.html").read_text(encoding="utf8")
    assert "<math" in page and 'class="katex-html"' in page and "katex/katex.min.css" in page
    assert not re.search(r"<script[^>]*(mathjax|katex)", page, re.I)
    assert "katex.min.css" not in (site / "book" / "status.html").read_text(encoding="utf8")


# How high a letter of a formula is, and one of the text around it, in pixels.
LETTERS = """async (formula) => {
  await document.fonts.ready;
  const high = (node) => {
    const pen = document.createElement('canvas').getContext('2d'), style = getComputedStyle(node);
    pen.font = `${style.fontStyle} ${style.fontSize} ${style.fontFamily}`;
    return pen.measureText('x').actualBoundingBoxAscent;
  };
  return [high(formula.querySelector('.mathnormal') ?? formula), high(formula.closest('p'))];
}"""


@pytest.mark.parametrize("width", [1280, 390])
def test_the_letters_of_a_formula_are_as_high_as_those_of_the_text(open_tab, width):
    tab = open_tab("http", "notebooks/13_feed_forward.html", width=width)
    formula = tab.locator("#the-smallest-useful-network p .katex:has(.mathnormal)").first
    formula.scroll_into_view_if_needed()
    in_formula, in_text = formula.evaluate(LETTERS)
    assert in_formula == pytest.approx(in_text, rel=0.06)


def test_no_formula_is_left_between_dollar_signs(site):
    """A displayed formula with something behind it on its line was set in the text, between two `$`."""
    unread = re.compile(r"<(pre|code|script|annotation)\b.*?</\1>|<[^>]+>", re.S)
    for path in sorted((site / "notebooks").glob("*.html")):
        assert "$" not in unread.sub("", path.read_text(encoding="utf8")), path.name


def test_no_line_begins_with_the_sign_behind_a_formula(site):
    page = BeautifulSoup(
        (site / "notebooks" / "13_feed_forward.html").read_text(encoding="utf8"), "html.parser"
    )
    long = page.select(".katex .sign")  # it goes with the last part of a formula that may be broken
    assert len(long) > 2 and all(e.parent["class"] == ["katex-base"] for e in long)
    together = page.select("span.with-sign")
    assert len(together) > 10 and all(e.math and e.get_text()[-1] in ".,;:!?)" for e in together)
    style = "".join(path.read_text(encoding="utf8") for path in (site / "_static").glob("*.css"))
    assert re.search(r"\.with-sign\s*\{\s*white-space:\s*nowrap", style)


@pytest.mark.parametrize("tex", [r"\left( x", r"\unheardof{x}"])
def test_a_wrong_formula_ends_the_build(tex):
    with pytest.raises(ValueError, match=r"KaTeX parse error.*in the formula"):
        formulas.typeset(tex, display=True)
