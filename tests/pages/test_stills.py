"""One appearance for all figures: the card, the caption below it, the row of links, letters of one size."""

import re

import pytest
from test_pages import CHAPTERS, SITE

FINGER = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
CARD = """(figures) => figures.filter((e) => e.checkVisibility()).map((e) => {
  const css = getComputedStyle(e), ground = getComputedStyle(e.matches('live-figure *') ? e : document.body);
  return [css.borderTopWidth, css.borderTopColor, css.borderTopLeftRadius, ground.backgroundColor];
})"""
BELOW = """() => [...document.querySelectorAll('.cell.draws .cell_output')].map((output) => {
  output.scrollIntoView();
  const [card, says] = ['.figure-frame', '.finding'].map((part) => output.querySelector(`:scope > ${part}`));
  if (!card || !says || !output.checkVisibility()) return null;
  const [a, b, all] = [card, says, output].map((e) => e.getBoundingClientRect());
  return [b.top - a.bottom, b.left - a.left, all.left - a.left, b.width, getComputedStyle(says).fontSize];
}).filter(Boolean)"""
LINKS = """(row) => [...row.querySelectorAll(
  '.figure-folds > details > summary')].filter((e) => e.checkVisibility())
  .map((e) => [e.textContent.trim().replace(/\\s+/g, ' '), e.getBoundingClientRect().toJSON()])"""


@pytest.fixture
def own(browser, bases):
    """A page that shows everything, in a browser of its own."""
    contexts = []

    def opened(page, **settings):
        context = browser.new_context(**({"viewport": {"width": 1280, "height": 900}} | settings))
        contexts.append(context)
        context.add_init_script("localStorage.setItem('reading', 'all')")
        tab = context.new_page()
        tab.goto(bases["http"] + page)
        tab.wait_for_function("() => !document.documentElement.dataset.opening")
        return tab

    yield opened
    for context in contexts:
        context.close()


@pytest.mark.parametrize("page", CHAPTERS)
def test_every_picture_of_a_cell_stands_on_a_card(page):
    text = (SITE / page).read_text(encoding="utf8")
    drawn = len(re.findall(r'<img class="plot[^"]*only-light|<svg [^>]*class="diagram"', text))
    live = sum(
        len(re.findall(r'<img class="plot[^"]*only-light|<svg [^>]*class="diagram"', part))
        for part in re.findall(r"<live-figure>.*?</live-figure>", text, re.S)
    )
    assert text.count('<div class="figure-frame') == drawn - live > 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_plots_drawings_and_live_figures_have_one_frame_and_one_ground(own, scheme):
    tab = own("notebooks/11_attention.html", color_scheme=scheme)
    live = tab.locator("live-figure").first
    live.scroll_into_view_if_needed()
    live.locator(".live-panel").wait_for()
    seen = tab.locator(":is(.figure-frame, live-figure > .live-panel)").evaluate_all(CARD)
    assert len(seen) > 4 and len({tuple(card) for card in seen}) == 1, seen
    assert seen[0][0] == "1px"


@pytest.mark.parametrize("settings", [{}, FINGER], ids=["desk", "phone"])
@pytest.mark.parametrize("page", ["08_embeddings", "22_kv_cache"])
def test_a_caption_stands_below_its_figure_in_the_column_of_the_text(own, page, settings):
    tab = own(f"notebooks/{page}.html", **settings)
    found = tab.evaluate(BELOW)
    assert len(found) > 4
    for gap, left, out, width, _ in found:
        assert 4 < gap < 20 and abs(left) < 1 and abs(out) < 1 and width > 340
    assert len({size for *_, size in found}) == 1


def test_what_a_figure_opens_is_one_row_of_links_in_one_order(own):
    order = ["The numbers", "Show what", "Show how"]
    for page in ("11_attention", "14_residuals_and_norms"):
        tab = own(f"notebooks/{page}.html")
        rows = 0
        for cell in tab.locator(".cell.draws").all():
            if not cell.is_visible():
                continue
            cell.scroll_into_view_if_needed()
            links = cell.evaluate(LINKS)
            at = [next(k for k, begins in enumerate(order) if words.startswith(begins)) for words, _ in links]
            assert at == sorted(at), links
            assert all(abs(box["y"] - links[0][1]["y"]) < 1 and box["height"] >= 24 for _, box in links), (
                links
            )
            assert not links or abs(links[0][1]["x"] - cell.bounding_box()["x"]) < 1, (
                "on the edge of the text"
            )
            rows += len(links) > 1
        assert rows > 2
        mark = "(all) => all.map((e) => getComputedStyle(e, '::before').content)"
        assert {*tab.locator(".figure-folds > details > summary").evaluate_all(mark)} == {'"▸"'}


def test_a_finger_hits_the_links_below_a_figure(own):
    tab = own("notebooks/11_attention.html", **FINGER)
    cell = tab.locator("#the-picture .cell.draws").first
    cell.scroll_into_view_if_needed()
    links = cell.evaluate(LINKS)
    assert len(links) == 3 and all(box["height"] >= 44 for _, box in links)
    fold = cell.locator(".figure-folds > details").first
    fold.locator("summary").tap()
    assert fold.locator("table").is_visible()


LETTERS = """async () => {
  const high = (e) => { // of small letters, by the size of the face
    const page = document.createElement('canvas').getContext('2d');
    page.font = `100px ${getComputedStyle(e).fontFamily}`;
    return page.measureText('x').actualBoundingBoxAscent / 100;
  };
  const text = document.querySelector('#the-picture > p'), size = parseFloat(getComputedStyle(text).fontSize);
  const shares = [];
  for (const img of document.querySelectorAll('.figure-frame img.plot.only-light')) {
    if (!img.checkVisibility()) continue;
    img.loading = 'eager';
    await img.decode();
    const drawn = await (await fetch(img.currentSrc)).text();
    const wide = parseFloat(drawn.match(/ width="([\\d.]+)pt/)[1]), box = img.getBoundingClientRect();
    shares.push([11.5 * 0.547 * box.width / wide, high(text) * size]);
  }
  return shares;
}"""


@pytest.mark.parametrize("page", ["04_counting_and_predicting", "22_kv_cache"])
def test_letters_of_a_plot_are_a_little_smaller_than_those_of_the_text(own, page):
    """(They were larger: 8.4 pixels high where those of the text had 8.) A phone has 11 pixels at least."""
    for letters, text in own(f"notebooks/{page}.html").evaluate(LETTERS):
        assert 0.7 < letters / text < 0.9
    for letters, _ in own(f"notebooks/{page}.html", **FINGER).evaluate(LETTERS):
        assert letters >= 0.547 * 11 - 0.05
