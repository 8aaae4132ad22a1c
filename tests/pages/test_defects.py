"""Defects that a reader once met, so that they do not come back: cut off, piled up, broken, or flashing."""

import pytest
from axe import lay_out
from rest import at_rest

CROSSED = """(figure) => {
  const number = (node) => (key) => Number(node.getAttribute(key));
  const lines_of = [...figure.querySelectorAll('line')];
  const ends = lines_of.map((l) => ['x1', 'y1', 'x2', 'y2'].map(number(l)));
  const along = ([x1, y1, x2, y2]) => Array.from({length: 201},
    (_, i) => [x1 + i * (x2 - x1) / 200, y1 + i * (y2 - y1) / 200]);
  const inside = (b) => ([x, y]) => x > b.x && x < b.x + b.width && y > b.y && y < b.y + b.height;
  const meets = (end, b) => along(end).some(inside(b));
  const cards = [...figure.querySelectorAll('rect.live-card')].map((card) => card.getBBox());
  const names = [...figure.querySelectorAll('g > .live-name')].map((name) => name.getBBox());
  const lines = (b) => ends.filter((e) => meets(e, b)).length;
  return [cards.length, cards.map(lines), names.map(lines)];
}"""

MOVE = "(e, v) => { e.value = v; e.dispatchEvent(new Event('input', {bubbles: true})); }"


def test_no_name_of_code_in_a_table_is_broken(visits):
    tab = visits("file", "book/notation.html", width=390)
    broken = """() => [...document.querySelectorAll('td code')]
      .filter((c) => new Set([...c.getClientRects()].map((r) => Math.round(r.top))).size > 1)
      .map((c) => c.textContent)"""
    assert tab.evaluate(broken) == []


@pytest.mark.parametrize("page", ["notebooks/11_attention.html", "notebooks/23_inside_the_model.html"])
def test_live_tables_show_the_names_of_their_columns(page, visits):
    tab = visits("file", page)
    figures = tab.locator("live-figure:has(.live-lens, .live-rank, table thead)")
    for k in range(tab.locator("live-figure").count()):
        tab.locator("live-figure").nth(k).scroll_into_view_if_needed()
        at_rest(tab.locator("live-figure").nth(k))
    tab.wait_for_function("() => document.querySelector('live-figure table thead th')")
    assert figures.count() > 0
    hidden = """() => [...document.querySelectorAll('live-figure table thead th, live-figure table thead td')]
      .filter((c) => c.closest('table').checkVisibility() && c.textContent.trim() && !c.checkVisibility())
      .map((c) => c.textContent)"""
    assert tab.evaluate(hidden) == []
    visits.close()


def test_weights_and_names_of_the_student_network_stand_clear_of_the_lines(visits):
    tab = visits("file", "book/playground.html")
    figure = tab.locator("live-figure:has(circle.live-node)").first
    figure.scroll_into_view_if_needed()
    figure.locator("rect.live-card").first.wait_for()
    count, cards, names = figure.evaluate(CROSSED)
    assert count == 9 and cards == [1] * 9, "each weight lies on its own line alone"
    assert names == [0] * 6


def test_the_words_of_the_film_fill_its_picture_at_every_step(visits):
    tab = visits("file", "book/playground.html")
    figure = tab.locator("live-figure:has(.live-trail)").first
    tab.locator("#how-an-embedding-matrix-is-learned").scroll_into_view_if_needed()
    figure.locator(".live-spot").first.wait_for()
    assert figure.get_by_role("button", name="Play").is_visible()
    across = """(figure) => {
      const all = [...figure.querySelectorAll('.live-halo')];
      const {width: wide, height: tall} = figure.querySelector('.live-map').viewBox.baseVal;
      const places = (key) => all.map((circle) => Number(circle.getAttribute(key)));
      const side = (key) => Math.max(...places(key)) - Math.min(...places(key));
      return Math.max(side('cx') / wide, side('cy') / tall);
    }"""
    height = figure.locator(".live-map").bounding_box()["height"]
    for step in range(0, 21, 4):
        slider = figure.locator("input[type=range]").first
        slider.evaluate(MOVE, step)
        at_rest(figure)
        assert figure.evaluate(across) > 0.6, step
        assert figure.locator(".live-map").bounding_box()["height"] == height, "the page does not jump"


SEEN_IN_FRAMES = """() => {
  window.frames_drawn = 0; window.flashed = [];
  const shown = (e) => e && e.checkVisibility({visibilityProperty: true});
  const look = () => {
    const still = document.querySelector('live-figure .live-still');
    if (still) {
      window.frames_drawn += 1;
      for (const part of ['.live-note', 'pre'])
        if ([...still.querySelectorAll(part)].some(shown)) window.flashed.push(part);
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""


def test_nothing_of_the_still_text_flashes_before_a_figure(browser, bases):
    """With scripts on, but not yet there: the picture stands alone, without its note and its raw text.

    Asked in every frame: none is drawn before the style sheets are there, and a reader sees nothing else.
    """
    context = browser.new_context()
    tab = context.new_page()
    tab.add_init_script(f"({SEEN_IN_FRAMES})()")
    tab.route("**/*.js*", lambda route: None)  # no script ever comes
    tab.goto(bases["http"] + "book/playground.html", wait_until="commit")
    tab.wait_for_function("() => window.frames_drawn >= 10")
    still = tab.locator("live-figure .live-still").first
    assert still.locator(".live-note").count() and still.locator("pre").count()
    assert tab.evaluate("() => window.flashed") == []
    context.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_the_errata_page_is_short_until_rows_are_asked_for(visits, width):
    tab = visits("file", "book/errata.html", width=width)
    assert tab.evaluate("() => document.documentElement.scrollHeight") < 30_000
    visits.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_displayed_formulas_stand_in_the_middle_or_are_scrolled_to_their_end(visits, width):
    tab = visits("file", "notebooks/11_attention.html", width=width)
    lay_out(tab)
    off = """() => [...document.querySelectorAll('article div.math')].map((box) => {
      const [a, b] = [box, box.firstElementChild].map((e) => e.getBoundingClientRect());
      if (b.width <= a.width) return Math.abs(a.left + a.right - b.left - b.right) / 2;
      box.scrollLeft = 9999;
      return Math.abs(box.lastElementChild.getBoundingClientRect().right - a.right);
    })"""
    found = tab.evaluate(off)
    assert len(found) > 3 and max(found) < 3
    visits.close()


FITS = """e => { e.scrollIntoView({behavior: 'instant', block: 'center'});
  return e.matches('.laid-out') && e.scrollWidth <= e.clientWidth; }"""


@pytest.mark.parametrize(
    "page", ["02_learning", "03_scores_to_probabilities", "12_heads", "17_three_families", "22_kv_cache"]
)
def test_a_phone_shows_displayed_formulas_whole(open_tab, page):
    """Those that are a little too wide are made smaller until they fit, and nobody has to scroll them."""
    tab = open_tab("http", f"notebooks/{page}.html", width=390)
    formulas = tab.query_selector_all("article div.math")
    assert formulas
    for formula in formulas:
        tab.wait_for_function(f"e => !e.checkVisibility() || ({FITS})(e)", arg=formula)


def test_the_menu_of_downloads_can_be_read_in_the_dark(open_tab):
    """Its words were black on black: axe looks at pages whose menus are closed."""
    tab = open_tab("file", "notebooks/03_scores_to_probabilities.html", dark=True)
    tab.click(".dropdown-download-buttons button")
    light = "e => Math.min(...getComputedStyle(e).color.match(/[0-9]+/g).slice(0, 3).map(Number))"
    words = tab.locator(".dropdown-download-buttons .dropdown-item:visible")
    assert words.count() >= 4 and min(words.nth(k).evaluate(light) for k in range(words.count())) > 180


@pytest.mark.parametrize("page", ["notebooks/04_counting_and_predicting.html", "notebooks/05_memory.html"])
def test_a_drawing_in_the_first_window_does_not_move_the_text_below_it(visits, page):
    """What is laid out only when it comes near has an estimated height; what is seen at once must not."""
    tab = visits("file", page)
    first = tab.locator("#the-picture, #the-picture > .opening-drawing")
    assert first.count() == 2
    estimated = """cells => cells.map((c) => {
      c.classList.remove('laid-out'); // (which the script sets in time)
      return getComputedStyle(c).contentVisibility;
    })"""
    assert set(first.evaluate_all(estimated)) == {"visible"}
    visits.close()
