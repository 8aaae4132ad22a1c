"""After a press the focus stands somewhere, the page stays, names are legible; Play rests when unseen."""

import itertools

import pytest
from rest import at_rest
from test_live import opened

from support.view.live import find

STANDS = """e => { const on = document.activeElement;
  return on !== document.body && e.contains(on) && on.checkVisibility(); }"""
SET = "(e, v) => { e.value = v; e.dispatchEvent(new Event('input', {bubbles: true})); }"


def figure_of(tab, name):
    return tab.locator(f"live-figure[data-key^={name}]").first


@pytest.fixture
def by_finger(browser, bases):
    """Open a page on a phone."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)

    def opened(page):
        tab = context.new_page()
        tab.goto(bases["http"] + page)
        tab.wait_for_function("() => !document.documentElement.dataset.opening && !window.Live?.waits()")
        tab.evaluate("() => Live.buildAll()")
        return tab

    yield opened
    context.close()


@pytest.mark.parametrize(
    "page, name, act",
    [
        ("22_kv_cache", "cache_steps", "[aria-label='One step on']"),
        ("16_one_step_every_number", "backprop_steps", "[aria-label='One step on']"),
        ("13_feed_forward", "units", "[data-act=stronger]"),
    ],
)
def test_after_the_way_back_the_focus_stands_in_the_figure_on_a_narrow_page(open_tab, page, name, act):
    """Also where the first control is folded away."""
    tab = opened(open_tab, f"notebooks/{page}.html", width=390)
    figure = figure_of(tab, name)
    figure.evaluate("e => { for (const fold of e.querySelectorAll('details')) fold.open = false; }")
    figure.locator(act).click()
    figure.locator(".live-reset").focus()
    tab.keyboard.press("Enter")
    assert figure.evaluate(STANDS) and tab.complaints == []


def test_a_finger_on_the_way_back_moves_no_page_and_raises_no_keyboard(by_finger):
    tab = by_finger("notebooks/24_real_checkpoints.html")
    figure = figure_of(tab, "counts")
    bits = figure.locator("input[type=range]").first
    bits.evaluate(SET, bits.get_attribute("min"))
    back = figure.locator(".live-reset")
    for _ in range(2):  # (the page above it is laid out when it comes near)
        back.evaluate("e => scrollBy(0, e.getBoundingClientRect().top - 120)")
        at_rest(back)
    before = back.bounding_box()["y"]
    back.tap()
    at_rest(back)
    assert abs(back.bounding_box()["y"] - before) < 2
    assert figure.evaluate(STANDS) and tab.evaluate("document.activeElement.tagName") == "DIV"


def test_the_focus_stands_in_the_figure_when_the_text_has_ended(open_tab):
    tab = opened(open_tab, "notebooks/21_sampling.html")
    figure = figure_of(tab, "next_word")
    figure.locator("[aria-label^='Append <EOS>']").focus()
    tab.keyboard.press("Enter")
    assert figure.evaluate("e => e.state.over") and figure.evaluate(STANDS)
    tab.keyboard.press("Tab")  # and goes on from there
    assert figure.evaluate(STANDS) or tab.evaluate("document.activeElement !== document.body")


def test_a_keyboard_goes_on_in_the_row_of_words_of_a_narrow_page(open_tab):
    tab = opened(open_tab, "notebooks/15_the_whole_model.html", width=390)
    figure = figure_of(tab, "machine")
    words = figure.locator(".machine-choice")
    figure.locator(".machine-stage").evaluate("e => e.scrollIntoView()")
    words.nth(1).wait_for()
    words.nth(1).focus()
    tab.keyboard.press("Enter")
    assert words.nth(1).evaluate("e => e === document.activeElement")
    for _ in range(24):
        if words.count() == 0 or words.first.is_disabled():
            break
        words.first.focus()
        tab.keyboard.press("Enter")
        assert figure.evaluate(STANDS)
    assert tab.complaints == []


def test_what_is_unfolded_on_the_front_page_stays_under_the_finger(by_finger):
    tab = by_finger("book/index.html")
    figure = tab.locator("live-figure").first
    figure.locator(".live-panel").wait_for()
    for name in ("More", "The numbers"):
        fold = figure.locator("summary", has_text=name).first
        tab.evaluate("scrollTo(0, 0)")
        fold.evaluate("e => e.scrollIntoView({block: 'center'})")
        at_rest(fold)
        before = fold.bounding_box()["y"]
        fold.tap()
        at_rest(fold)
        assert abs(fold.bounding_box()["y"] - before) < 2, name


def test_the_slider_of_the_heads_stays_under_the_finger(open_tab):
    tab = opened(open_tab, "notebooks/12_heads.html", width=390)
    figure = figure_of(tab, "heads")
    slider = figure.locator("input[type=range]").first
    slider.scroll_into_view_if_needed()
    at_rest(slider)
    seen = set()
    for value in ("0", "1", slider.get_attribute("max"), "2"):
        slider.evaluate(SET, value)
        seen.add(round(slider.bounding_box()["y"]))
    assert len(seen) == 1


OVER = """e => {
  const names = [...e.querySelectorAll('.live-picture svg text.live-name')];
  const boxes = names.map((name) => name.getBoundingClientRect());
  const shared = (a, b, from, to) => Math.min(a[to], b[to]) - Math.max(a[from], b[from]);
  return boxes.some((a, i) => boxes.slice(i + 1).some((b) => shared(a, b, 'left', 'right') > 1
    && shared(a, b, 'top', 'bottom') > 0.3 * a.height));
}"""


@pytest.mark.parametrize("width", [1280, 390])
def test_the_names_of_the_two_positions_never_lie_over_each_other(open_tab, width):
    tab = opened(open_tab, "notebooks/10_positions.html", width=width)
    figure = figure_of(tab, "positions")
    figure.evaluate("e => { for (const fold of e.querySelectorAll('details')) fold.open = true; }")
    first, second, pair = (figure.locator(f".live-of-{name} input") for name in ("first", "second", "pair"))
    for way in ("sinusoids", "RoPE"):
        figure.locator("select").select_option(way)
        for k, (a, b) in itertools.product((1, 2, 3, 5, 8), ((12, 7), (12, 12), (20, 22), (60, 59), (0, 1))):
            for slider, value in ((first, a), (second, b), (pair, k)):
                slider.evaluate(SET, str(value))
            assert not figure.evaluate(OVER), (way, k, a, b)
    assert tab.complaints == []


@pytest.mark.parametrize("width", [1280, 390])
def test_how_often_a_pair_goes_round_keeps_the_height_of_the_panel(open_tab, width):
    tab = opened(open_tab, "notebooks/10_positions.html", width=width)
    figure, highs = figure_of(tab, "positions"), set()
    figure.evaluate("e => { for (const fold of e.querySelectorAll('details')) fold.open = true; }")
    for values in ((12, 12, 1), (60, 0, 1), (0, 60, 1), (60, 17, 2), (12, 7, 8)):
        for name, value in zip(("first", "second", "pair"), values, strict=True):
            figure.locator(f".live-of-{name} input").evaluate(SET, str(value))
        highs.add(round(figure.locator(".live-says").bounding_box()["height"]))
    assert len(highs) == 1, highs


@pytest.mark.parametrize("width", [1280, 390])
def test_the_names_of_the_losses_are_free_of_lines_and_marks(open_tab, width):
    tab = opened(open_tab, "notebooks/03_scores_to_probabilities.html", width=width)
    figure = figure_of(tab, "losses")
    meets = """e => {
      const box = (part) => part.getBoundingClientRect();
      const meet = (a, b, from, to) => a[from] < b[to] - 1 && b[from] < a[to] - 1;
      const over = (a, b) => meet(a, b, "left", "right") && meet(a, b, "top", "bottom");
      const names = [...e.querySelectorAll('svg .live-line > text')];
      const lines = [...e.querySelectorAll('svg .live-here, svg .live-line > :not(text)')];
      return [names.length, names.filter((name) => lines.some((line) => over(box(name), box(line)))).length];
    }"""
    for p in ("0.01", "0.1", "0.5", "0.93", "0.99"):
        figure.locator(".live-of-p input").evaluate(SET, p)
        assert figure.evaluate(meets) == [3, 0], p


def test_the_names_along_the_stream_do_not_lie_over_each_other(open_tab):
    tab = opened(open_tab, "notebooks/23_inside_the_model.html")
    figure = figure_of(tab, "trajectory")
    for text, parts in itertools.product(("the", "Pietro chiama Paolo", "5"), ("sublayers", "heads")):
        figure.locator(".live-of-parts select").select_option(parts)
        figure.locator(".live-of-prompt input").evaluate(SET, text)
        for up in ("Tarso", "Paolo", "5"):
            figure.locator(".live-of-up select").select_option(up)
            assert not figure.evaluate(OVER), (text, parts, up)
    assert tab.complaints == []


def test_play_rests_when_its_figure_has_left_the_window(open_tab):
    tab = opened(open_tab, "notebooks/18_training.html")
    figure = figure_of(tab, "scrub")
    play = figure.locator(".live-buttons .live-play")
    figure.locator(".live-buttons .live-speed").select_option("0.5")
    at_rest(play)
    play.click()
    at_rest(play)
    assert play.text_content() == "Pause"
    tab.evaluate("scrollTo(0, 0)")
    tab.wait_for_function("e => e.textContent === 'Play'", arg=play.element_handle())
    assert 0 < figure.evaluate("e => e.state.at") < len(find("scrub").data["run"]) - 1, "before its end"


def test_a_button_in_the_bar_of_a_phone_is_off_when_its_act_would_do_nothing(open_tab):
    tab = opened(open_tab, "notebooks/27_tools_and_retrieval.html", width=390)
    figure = figure_of(tab, "belt")
    label = next(action.label for action in find("belt").actions if action.name == "back")
    twin = figure.locator(".live-player-row button", has_text=label)
    assert twin.get_attribute("aria-disabled") == "true"
    step = figure.locator(".live-of-step input")
    step.evaluate(SET, str(int(step.get_attribute("min")) + 1))
    tab.wait_for_function("e => e.ariaDisabled !== 'true'", arg=twin.element_handle())
