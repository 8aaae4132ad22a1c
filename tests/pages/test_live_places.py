"""Where the parts of a live figure stand: the result beside what makes it; and what a hand can draw."""

import math
import re

import pytest
from rest import at_rest
from test_live import opened

from support.view.live import find

BAR = 56  # the page's own, above
LOW = 680  # a laptop's window without the bars of browser and page
PANEL = """(e) => {
  const box = (css) => e.querySelector(css).getBoundingClientRect().toJSON();
  const parts = ['panel', 'controls', 'picture', 'says'];
  return Object.fromEntries(parts.map((part) => [part, box(`.live-${part}`)]));
}"""


def figure_of(tab, name):
    return tab.locator(f"live-figure[data-key^={name}]").first


@pytest.mark.parametrize(
    "page, name",
    [
        ("05_memory", "recurrence"),
        ("06_vocabulary", "coverage"),
        ("08_embeddings", "film"),
        ("08_embeddings", "analogy"),
        ("09_maps", "maps"),
        ("11_attention", "attention"),
        ("12_heads", "heads"),
        ("13_feed_forward", "units"),
        ("17_three_families", "families"),
        ("20_training_at_scale", "memory"),
        ("21_sampling", "next_word"),
        ("23_inside_the_model", "ablation"),
        ("23_inside_the_model", "lens"),
        ("25_fine_tuning", "forgetting"),
        ("26_preferences", "kl_penalty"),
        ("27_tools_and_retrieval", "belt"),
    ],
)
def test_at_a_desk_the_figure_is_seen_whole_with_its_controls_beside_it(open_tab, page, name):
    tab = opened(open_tab, f"notebooks/{page}.html", width=1280)
    figure = figure_of(tab, name)
    figure.scroll_into_view_if_needed()
    at_rest(figure)  # (what is far from the window is not laid out)
    at = figure.evaluate(PANEL)
    assert at["panel"]["bottom"] - at["panel"]["top"] <= LOW
    assert at["controls"]["right"] < at["picture"]["left"]
    assert at["controls"]["top"] < at["picture"]["bottom"]
    if name != "ablation":  # (there the finding stands above both)
        assert at["says"]["top"] < at["panel"]["top"] + 560


def test_a_stepper_with_a_drawing_is_seen_whole_at_each_of_its_steps(open_tab):
    tab = opened(open_tab, "notebooks/18_training.html", width=1280)
    figure = figure_of(tab, "adam_steps")
    figure.evaluate("e => { for (const fold of e.querySelectorAll('details')) fold.open = false; }")
    figure.scroll_into_view_if_needed()
    step = figure.locator(".live-of-step input")
    for _ in range(int(step.get_attribute("max"))):
        assert figure.locator(".live-panel").bounding_box()["height"] <= LOW
        figure.locator("[aria-label='One step on']").click()
    smallest = "all => Math.min(...all.map((e) => e.getBoundingClientRect().height))"
    assert figure.locator("svg .scene-word").evaluate_all(smallest) >= 14


def test_the_axis_of_the_memory_is_even_and_grows_by_powers_of_ten(open_tab):
    tab = opened(open_tab, "notebooks/20_training_at_scale.html")
    figure = figure_of(tab, "memory")
    sizes = "all => all.map(e => Number(e.getAttribute('width')))"
    ticks = "all => all.map(e => [e.textContent, e.getAttribute('x')])"

    def seen(**moved):
        for name, value in moved.items():
            slider = figure.locator(f".live-of-{name} input")
            slider.evaluate(
                "(e, v) => { e.value = v; e.dispatchEvent(new Event('input', {bubbles: true})); }", str(value)
            )
        bars = figure.locator("svg rect[height='30']").evaluate_all(sizes)
        marks = figure.locator("svg g:has(> .live-grid) text, .memory-card text").evaluate_all(ticks)
        cells = figure.locator("tbody tr td").all_text_contents()
        amounts = [float(cell.replace(",", "")) for cell in cells]
        start, *_, end = sorted(float(x) for words, x in marks if "card" not in words)
        reach = float(max(marks, key=lambda m: float(m[1]))[0].replace(",", ""))
        most = max(sum(amounts[k:8:2]) for k in (0, 1))
        assert reach == next(end for end in find("memory").data["reaches"] if end >= most), "no bar is short"
        for wide, gigabytes in zip(bars, [*amounts[0:8:2], *amounts[1:8:2]], strict=True):
            assert abs(wide - (end - start) * gigabytes / reach) < 0.2, "each part is as long as its amount"
        return reach, marks

    reach, marks = seen()
    cards = [f"{card} GB card" for card in find("memory").data["cards"]]
    assert reach == 100 and [words for words, _ in marks if "card" in words] == cards
    assert seen(layers=54) == (reach, marks), "the axis stays as long as it will do"
    assert 1_000 < seen(layers=96, width=12288)[0] <= 10_000
    assert 10_000 < seen(batch=64, context=8192)[0] <= 100_000


@pytest.mark.parametrize("width", [1280, 390])
def test_the_lines_of_the_cards_go_through_all_bars_and_no_words_stand_on_them(open_tab, width):
    tab = opened(open_tab, "notebooks/20_training_at_scale.html", width=width)
    figure = figure_of(tab, "memory")
    figure.scroll_into_view_if_needed()
    at_rest(figure)
    boxes = """(e, what) => [...e.querySelectorAll(what)].map((part) => part.getBoundingClientRect())
      .map(({left, right, top, bottom}) => [left, right, top, bottom])"""
    bars = figure.evaluate(boxes, "svg rect[height='30']")
    lines, words = figure.evaluate(boxes, ".memory-line"), figure.evaluate(boxes, ".live-picture svg text")
    assert len(lines) == 2
    for left, right, top, bottom in lines:
        assert top < min(bar[2] for bar in bars) and bottom > max(bar[3] for bar in bars)
        low = bottom - 4  # (the numbers of the axis begin at the ends of the lines)
        crossing = [
            box for box in words if box[0] < right and left < box[1] and box[2] < low and top < box[3]
        ]
        assert crossing == []
    on_top = "e => e.querySelector('.memory-card').compareDocumentPosition(e.querySelector('svg rect')) & 2"
    assert figure.evaluate(on_top), "the lines are drawn after the bars"

    def told():
        return [text for text in figure.locator("svg text").all_text_contents() if text.startswith("fits ")]

    assert told() == ["fits 80 GB", "fits 80 GB"]
    move = "(e, v) => { e.value = v; e.dispatchEvent(new Event('input', {bubbles: true})); }"
    figure.locator(".live-of-shards input").evaluate(move, "16")
    assert told() == ["fits 24 GB", "fits 80 GB"]
    figure.locator(".live-of-layers input").evaluate(move, "96")
    assert told()[1] == "fits neither"


def test_a_phone_does_not_say_twice_what_a_training_run_has_reached(open_tab):
    tab = opened(open_tab, "notebooks/18_training.html", width=390)
    figure = figure_of(tab, "scrub")
    figure.scroll_into_view_if_needed()
    at_rest(figure)
    assert figure.locator(".live-answer").inner_text().startswith("Step 0: loss 3.274")
    assert figure.locator(".live-says").bounding_box()["height"] <= 1, "only for those who listen"


def test_each_task_stands_between_its_heading_and_its_figure(site):
    page = (site / "book" / "playground.html").read_text(encoding="utf8")
    article = page.partition("<article")[2].partition("</article>")[0]
    parts = re.findall(r"<(strong>Task\.|live-figure>|h2)", article)
    kinds = "".join({"s": "t", "l": "f", "h": "h"}[part[0]] for part in parts)
    assert kinds.count("f") > 30 and re.fullmatch(r"(?:h(?:tf)+)+", kinds), kinds


@pytest.mark.parametrize("width", [1280, 390])
def test_play_goes_on_when_the_tools_begin_to_lie(open_tab, width):
    tab = opened(open_tab, "notebooks/27_tools_and_retrieval.html", width=width)
    figure = figure_of(tab, "belt")
    figure.locator(".live-play:visible").click()
    lies = figure.locator(".live-of-lies input")
    lies.evaluate("e => e.click()")
    assert figure.locator(".live-play:visible").text_content() == "Pause"
    state = "e => e.state.at"
    at = figure.evaluate(state)
    tab.wait_for_function("([e, at]) => e.state.at > at", arg=[figure.element_handle(), at])
    slider = figure.locator(".live-of-step input")  # what Play itself moves is given to the hand
    slider.evaluate("e => { e.value = e.min; e.dispatchEvent(new Event('input', {bubbles: true})); }")
    assert figure.locator(".live-play:visible").text_content() == "Play"


def test_on_a_phone_play_and_what_it_says_stay_in_the_window(open_tab):
    tab = opened(open_tab, "notebooks/27_tools_and_retrieval.html", width=390)
    figure = figure_of(tab, "belt")
    figure.evaluate("e => e.scrollIntoView()")
    at_rest(figure)
    high = tab.viewport_size["height"]
    for css in (".live-play:visible", ".live-answer"):
        box = figure.locator(css).first.bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= high + 1
    assert figure.locator(".live-answer").text_content() == figure.locator(".live-says").text_content()


def test_on_a_phone_a_word_that_is_picked_is_seen_where_one_has_pressed(open_tab):
    tab = opened(open_tab, "notebooks/21_sampling.html", width=390)
    figure = figure_of(tab, "next_word")
    text, pick = figure.locator(".live-text"), figure.locator("[data-act=draw]")
    text.evaluate("e => e.scrollIntoView({block: 'center'})")
    before = text.text_content()
    pick.evaluate("e => e.click()")
    assert text.text_content() != before
    below, above = pick.bounding_box(), text.bounding_box()
    assert 0 < below["y"] + below["height"] - above["y"] <= tab.viewport_size["height"] - BAR


# A part of a drawing has stood still for ten frames. (What stands above it is laid out when it comes near:
# a page that has gone there moves once more, by two hundred pixels or so, and only then keeps its place.)


def drawn(tab, handle, dx, dy):
    """A part of a drawing is taken by the mouse and drawn so far."""
    handle.scroll_into_view_if_needed()
    at_rest(handle)
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    tab.mouse.move(x, y)
    tab.mouse.down()
    for k in (1, 2, 3, 4):
        tab.mouse.move(x + dx * k / 4, y + dy * k / 4)
    tab.mouse.up()
    tab.mouse.move(x, y)  # what is let go does not follow


def test_the_start_of_the_descent_can_be_dragged(open_tab):
    tab = opened(open_tab, "notebooks/02_learning.html", width=1280)
    figure = figure_of(tab, "descent")
    before = figure.evaluate("e => e.state")
    drawn(tab, figure.locator("[data-drag=start]"), 60, -40)
    now = figure.evaluate("e => e.state")
    assert now["start_w"] > before["start_w"] + 0.3 and now["start_b"] > before["start_b"] + 0.2
    assert now["first"] != before["first"]


def test_the_dial_can_be_turned(open_tab):
    tab = opened(open_tab, "notebooks/10_positions.html", width=1280)
    figure = figure_of(tab, "positions")
    before = figure.evaluate("e => e.state")
    # A short way along the circle, anticlockwise: the position grows as far as the pair's speed says.
    x, y = before["b"]
    size = figure.locator("circle.live-grid").bounding_box()["width"] / 2
    angle = 0.7
    turned = [x * math.cos(angle) - y * math.sin(angle), y * math.cos(angle) + x * math.sin(angle)]
    drawn(tab, figure.locator("[data-drag=second]"), size * (turned[0] - x), size * (y - turned[1]))
    now = figure.evaluate("e => e.state")
    speed = find("positions").data["speeds"][int(before["pair"]) - 1]
    assert abs(now["second"] - before["second"] - angle / speed) <= 1 and now["second"] > before["second"]
    assert now["first"] == before["first"]


def swiped(tab, session, x, y, dx, dy):
    """A finger goes down at a place, moves so far, and is lifted."""
    send = lambda kind, *points: session.send(  # noqa: E731
        "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]}
    )
    send("touchStart", (x, y))
    for k in range(1, 9):
        send("touchMove", (x + dx * k / 8, y + dy * k / 8))
        tab.wait_for_timeout(20)
    send("touchEnd")
    at_rest(tab)


@pytest.mark.parametrize(
    ("page", "name", "handle", "moved"),
    [("02_learning", "descent", "start", "start_b"), ("10_positions", "positions", "second", "second")],
)
def test_a_finger_draws_what_it_takes_hold_of_and_scrolls_the_page_beside_it(
    browser, bases, page, name, handle, moved
):
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    tab = context.new_page()
    tab.goto(f"{bases['http']}notebooks/{page}.html")
    tab.wait_for_function("() => !document.documentElement.dataset.opening && window.Live")
    tab.evaluate("() => Live.buildAll()")
    figure, session = figure_of(tab, name), context.new_cdp_session(tab)
    grip = figure.locator(f"[data-drag={handle}]")
    for _ in range(2):  # (the page above it is laid out when it comes near)
        grip.evaluate("e => e.scrollIntoView({block: 'center'})")
        at_rest(grip)
    box, place = grip.bounding_box(), tab.evaluate("scrollY")
    assert min(box["width"], box["height"]) >= 40, "room for a finger"
    before = figure.evaluate(f"e => e.state.{moved}")
    swiped(tab, session, box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, 15, -70)
    now = figure.evaluate(f"e => e.state.{moved}")
    assert now != before and tab.evaluate("scrollY") == place
    drawing = figure.locator(".live-picture svg").first.bounding_box()
    swiped(tab, session, drawing["x"] + 10, drawing["y"] + drawing["height"] - 20, 0, -150)
    assert figure.evaluate(f"e => e.state.{moved}") == now and tab.evaluate("scrollY") > place + 60
    context.close()


@pytest.mark.parametrize("page, name", [("08_embeddings", "film"), ("18_training", "scrub")])
def test_on_a_phone_play_brings_what_moves_into_view(open_tab, page, name):
    """The page's bar above, the bar of Play below; in between the picture and, of a run, its slider."""
    tab = opened(open_tab, f"notebooks/{page}.html", width=390, still=True)
    figure = figure_of(tab, name)
    figure.evaluate("e => scrollTo(0, e.getBoundingClientRect().top + scrollY - 400)")
    play = figure.locator(".live-player .live-play")
    play.click()
    top = "e => e.querySelector('.live-picture').getBoundingClientRect().top"
    tab.wait_for_function(f"e => Math.abs(({top})(e) - 64) < 1", arg=figure.element_handle())
    bar = figure.locator(".live-player").bounding_box()
    slider = figure.locator("input[type=range]").first.bounding_box()
    assert slider["y"] + slider["height"] < bar["y"]
    play.click()
    figure.evaluate("e => scrollTo(0, e.getBoundingClientRect().top + scrollY + 40)")
    before = tab.evaluate("scrollY")
    play.click()
    tab.wait_for_timeout(200)
    assert tab.evaluate("scrollY") == before, "what is in view stays where it is"
    assert tab.complaints == []


NAMED = """(e) => {
  const map = e.querySelector('.live-map'), written = [...map.querySelectorAll('text.live-name')];
  const wide = map.viewBox.baseVal.width;
  const inside = written.map((text) => text.getBBox()).every(({x, width}) => x > -2 && x + width < wide + 2);
  return [written.map((text) => text.textContent), e.state.near.map(({truly}) => truly), inside];
}"""


@pytest.mark.parametrize("width", [390, 1280])
def test_the_neighbours_of_a_chosen_word_keep_their_names(open_tab, width):
    """Also where the points lie so close that a name must go further away, with a line to its point."""
    tab = opened(open_tab, "notebooks/09_maps.html", width=width)
    figure = figure_of(tab, "maps")
    figure.scroll_into_view_if_needed()
    at_rest(figure)
    field, which = figure.locator("input[type=text]"), figure.locator("select").first
    ties = 0
    for choice in ("PCA", "t-SNE, perplexity 2"):
        which.select_option(label=choice)
        for word in ("giant", "soldier", "lion"):
            field.fill(word)
            at_rest(figure)
            written, near, inside = figure.evaluate(NAMED)
            assert {word, *near} <= {*written} and inside
            ties += figure.locator(".live-tie").count()
    assert ties, "some names stand apart, tied to their points"
    assert tab.complaints == []


def test_a_made_up_game_shows_which_word_breaks_a_rule(open_tab):
    tab = opened(open_tab, "notebooks/18_training.html")
    figure = figure_of(tab, "scrub")
    figure.scroll_into_view_if_needed()
    at_rest(figure)
    game, slider = figure.locator(".scrub-game"), figure.locator("input[type=range]").first
    assert game.locator("mark").inner_text() == "teiera"
    slider.evaluate("(e) => { e.value = e.max; e.dispatchEvent(new Event('input', {bubbles: true})); }")
    game.locator("mark").wait_for(state="detached")
    assert "legal to its end" in game.inner_text()
    assert "69 keep every rule" in figure.locator(".live-says").inner_text()


@pytest.mark.parametrize("width", [390, 360])
@pytest.mark.parametrize(
    "page, name", [("notebooks/23_inside_the_model.html", "ablation"), ("book/playground.html", "counts")]
)
def test_on_a_phone_the_table_of_numbers_stays_in_its_column(open_tab, page, name, width):
    tab = open_tab("file", page, width=width)
    figure = tab.locator(f"live-figure[data-key='{name}']")
    figure.scroll_into_view_if_needed()
    figure.locator(".live-table").first.wait_for(state="attached")
    figure.evaluate("e => { for (const fold of e.querySelectorAll('details')) fold.open = true; }")
    at_rest(figure)
    over = "all => all.filter((e) => e.checkVisibility()).map((e) => e.scrollWidth - e.clientWidth)"
    found = figure.locator(".live-scroll").evaluate_all(over)
    assert found and max(found) <= 0
