"""The machine view's colours, signs and small controls: seen, explained where they stand, free to press."""

import itertools

import pytest
from test_hero import HEADER, settled

CHAPTER = "notebooks/15_the_whole_model.html"
FINGER = {"has_touch": True, "is_mobile": True}
# Of any colour that a style sheet knows its red, green and blue; how far two are apart, from 1 to 21.
TOOLS = """
  const pen = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgb = (colour) => { pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3); };
  const linear = (x) => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
  const light = (c) => c.map((x) => linear(x / 255))
    .reduce((sum, x, i) => sum + x * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (a, b) => { const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05); };
  const hue = ([r, g, b]) => Math.atan2(Math.sqrt(3) * (g - b), 2 * r - g - b) * 180 / Math.PI;
"""
# The squares of all small maps whose weight is at least 5%: the contrast of the palest with its paper.
PALEST = (
    "e => {"
    + TOOLS
    + """
  const {view} = e, {box, state} = view, c = view.canvas.getContext('2d'), n = box.shown.length, found = [];
  view.paint();
  const look = ({h, x, y, s}, i) => box.shown.forEach((p, a) => box.shown.forEach((j, b) => {
    if (j > p || state.patterns[i][h][p - state.first][j] < 0.05) return;
    const at = [x + (b + 0.45) * s / n, y + (a + 0.45) * s / n].map((z) => Math.round(z * view.dense));
    found.push(contrast([...c.getImageData(...at, 1, 1).data].slice(0, 3), view.ink.paper));
  }));
  box.blocks.forEach(({maps}, i) => maps.forEach((map) => look(map, i)));
  return [found.length, Math.min(...found)];
}"""
)
# Of the enlarged map: the least contrast of a number with its square, and how far the hue of the strongest
# square is from that of each head.
TABLE = (
    "e => {"
    + TOOLS
    + """
  const all = e.querySelectorAll('.machine-weights td.live-square:not(.live-masked)');
  const seen = ({color, backgroundColor}) => contrast(rgb(color), rgb(backgroundColor));
  const deep = rgb(getComputedStyle(e.querySelector('.machine-weights td.live-deep')).backgroundColor);
  const heads = [0, 1, 2, 3].map((h) => rgb(getComputedStyle(e).getPropertyValue(`--m-head-${h}`)));
  const far = (a, b) => Math.abs((hue(a) - hue(b) + 540) % 360 - 180);
  return [Math.min(...[...all].map((td) => seen(getComputedStyle(td)))), heads.map((h) => far(deep, h))];
}"""
)
# Which of some controls cannot be pressed in their middle, as something lies over them.
COVERED = """(e, which) => [...e.querySelectorAll(which)].filter((one) => {
  const {x, y, width, height} = one.getBoundingClientRect();
  return !one.contains(document.elementFromPoint(x + width / 2, y + height / 2));
}).map((one) => one.textContent)"""


@pytest.mark.parametrize("dark, least", [(False, 1.4), (True, 2)])
@pytest.mark.parametrize("width", [390, 1280])
def test_a_small_weight_of_the_stories_is_seen_on_its_map(front_page, width, dark, least):
    """Much of a long text's attention lies on words that are not shown, so most weights are small."""
    _tab, element = front_page(1, width=width, height=844, dark=dark)
    element.query_selector(".live-tour > .live-stop:nth-child(2)").click()
    count, palest = element.evaluate(PALEST)
    assert count > 40 and palest > least, palest


# Of the scales of minus and of plus, from the paper on: how light each step is, and by how much the hue of a
# step that is a third of the way is off that of the last; how far the paper is from the ground of a block.
SCALES = (
    "e => {"
    + TOOLS
    + """
  const {ink} = e.view, far = (a, b) => Math.abs((hue(a) - hue(b) + 540) % 360 - 180);
  const scales = [ink.steps.slice(0, 25).reverse(), ink.steps.slice(24)]
    .map((all) => all.map((c) => c.slice(0, 3)));
  return [scales.map((all) => all.map((c) => Math.cbrt(light(c)))), scales.map((all) => far(all[8], all[24])),
    contrast(ink.paper, rgb(ink.block))];
}"""
)


def test_in_the_dark_a_weak_number_fades_evenly_into_the_ground_and_keeps_its_hue(front_page):
    _tab, element = front_page(dark=True)
    scales, hues, ground = element.evaluate(SCALES)
    for lights in scales:
        steps = [b - a for a, b in itertools.pairwise(lights)]
        assert min(steps) > 0 and max(steps) < 2 * sum(steps) / len(steps), "each step is as large as another"
    assert max(hues) < 15 and ground < 1.2, (hues, ground)


def test_at_a_desk_the_squares_are_large_and_the_row_of_play_is_in_the_first_window(front_page):
    _tab, element = front_page(width=1280, height=800)
    assert element.evaluate("e => e.view.box.S") >= 38, "of 64 numbers each is nearly five pixels wide"
    play = next(b for b in element.query_selector_all(".live-play") if b.is_visible())
    assert play.bounding_box()["y"] + play.bounding_box()["height"] <= 790


@pytest.mark.parametrize("dark", [False, True])
def test_the_enlarged_map_has_the_colour_of_its_head_and_its_numbers_are_read(front_page, dark):
    _tab, element = front_page(dark=dark)
    element.query_selector(".live-tour > .live-stop:nth-child(2)").click()
    for head in range(4):
        element.query_selector(f"[data-key='head 0.{head}']").evaluate("e => e.click()")
        least, far = element.evaluate(TABLE)
        assert least >= 4.5, (head, least)
        assert far.index(min(far)) == head and min(far) < 15, (head, far)


def test_the_bar_of_a_phone_says_what_its_numbers_are(front_page):
    """Above them, where there is nothing else; they can be pressed there, too."""
    _tab, element = front_page(width=390, height=844)
    element.query_selector(".machine-bars").scroll_into_view_if_needed()
    element.wait_for_selector(".live-player-tour")
    said, stops = element.evaluate(
        """e => { const row = e.querySelector('.live-player-row'), style = getComputedStyle(row, '::before');
          const [a, b] = [style.width, style.height].map(parseFloat);
          return [[style.content, row.getBoundingClientRect().top, a, b],
            [...row.querySelectorAll('.live-stop')].map((stop) => {
            const {x, y, width, height} = stop.getBoundingClientRect();
            return [x, y, width, height, document.elementFromPoint(x + width / 2, y - 12) === stop];
          })]; }"""
    )
    content, top, wide, high = said
    assert content.startswith('"the experiment"')
    assert len(stops) == 3 and wide <= stops[2][0] + stops[2][2] - stops[0][0]
    for _x, y, width, height, pressed in stops:
        assert y >= top + high and min(width, height) >= 24 and pressed


@pytest.mark.parametrize("width", [390, 700, 820, 1280])
@pytest.mark.parametrize("page", ["book/index.html", CHAPTER])
def test_what_is_said_of_an_unknown_word_leaves_the_steps_of_the_experiment_free(open_tab, page, width):
    tab = open_tab("file", page, width=width)
    element = tab.locator("live-figure[data-key=machine]")
    element.scroll_into_view_if_needed()
    element.locator(".machine-word").first.wait_for()
    field, note = element.locator("input[role=combobox]"), element.locator(".live-trouble")
    field.fill("Pietro chiama zebra Paolo ")
    note.wait_for(state="visible")
    # (the page's own bar may lie over the steps)
    element.evaluate("e => scrollBy(0, e.querySelector('.live-controls').getBoundingClientRect().top - 120)")
    assert note.is_visible() and element.evaluate(COVERED, ".live-tour > .live-stop") == []
    assert element.evaluate(COVERED, ".live-near") == []
    element.locator(".live-tour > .live-stop").nth(2).click()
    assert element.evaluate("e => e.state.off") == ["h00"] and tab.complaints == []


def test_on_a_phone_whoever_goes_on_by_the_keyboard_sees_where(front_page):
    """Neither the page's bar and the row of words nor the figure's own bar covers what has the focus."""
    tab, element = front_page(width=390, height=844, still=True)
    for key in ("embedding", "attention 0", "head 0.1", "feed-forward 0", "head 1.2", "logits"):
        for far in (0, 4000):
            tab.evaluate(
                "far => { document.activeElement.blur(); scrollTo({top: far, behavior: 'instant'}); }", far
            )
            part = element.query_selector(f"[data-key='{key}']")
            part.focus()
            settled(tab)
            top, low, strip, bar = part.evaluate(
                """e => { const {top, bottom} = e.getBoundingClientRect(), figure = e.closest('live-figure');
                  return [top, bottom, figure.querySelector('.machine-words').getBoundingClientRect().bottom,
                    figure.querySelector('.live-player').getBoundingClientRect().top]; }"""
            )
            assert top >= max(HEADER, strip) - 1 and low <= bar + 1, (key, far, top, low, strip, bar)


@pytest.mark.parametrize("width", [390, 1280])
def test_where_the_first_squares_stand_their_two_colours_are_explained(front_page, width):
    _tab, element = front_page(width=width, height=844)
    label = element.query_selector("[data-key=embedding]")
    told = [sign.inner_text() for sign in label.query_selector_all(".machine-sign")]
    assert told == ["minus", "plus"] and "numbers" in label.inner_text()
    same = (
        "e => {"
        + TOOLS
        + """
      const style = getComputedStyle(e.closest('live-figure'));
      return ['low', 'high'].map((which) => String(rgb(style.getPropertyValue(`--m-${which}`)))
        === String(rgb(getComputedStyle(e.querySelector(`.machine-key-${which}`)).backgroundColor))); }"""
    )
    assert label.evaluate(same) == [True, True], "the colours of the squares"
    assert label.evaluate("e => e.scrollWidth <= e.clientWidth + 1")
    square = element.evaluate(
        "e => e.view.stage.getBoundingClientRect().top + Math.min(...e.view.box.squares.map(({y}) => y))"
    )
    box = label.bounding_box()
    assert box["y"] + box["height"] <= square + 2, "it lies over no square"


def test_nothing_that_is_pressed_is_lower_than_24_pixels_and_a_finger_has_44(browser, bases, front_page):
    low = """() => [...document.querySelectorAll('.hero :is(button, summary, select)')]
      .filter((e) => e.checkVisibility({visibilityProperty: true}) && e.getBoundingClientRect().height)
      .map((e) => [e.textContent, e.getBoundingClientRect().height]).filter(([, high]) => high < 23.9)"""
    tab, _element = front_page(width=1280, height=800)
    assert tab.evaluate(low) == []
    tab = browser.new_context(viewport={"width": 390, "height": 844}, **FINGER).new_page()
    tab.goto(bases["file"] + "book/index.html")
    tab.wait_for_selector("live-figure .machine-word")
    assert tab.evaluate(low) == []
    fingers = (".live-tour > .live-stop:nth-of-type(2)", ".machine-choice", ".machine-word", ".live-rank")
    for which in (".hero-to-rules", ".machine-key summary", ".machine-key-more", *fingers):
        tab.locator(which).first.evaluate("e => e.scrollIntoView({block: 'center', behavior: 'instant'})")
        high = tab.locator(which).first.evaluate(
            """e => { const {x, y, width, height} = e.getBoundingClientRect();
              const own = e.closest('button, summary');
              const hit = (v) => own.contains(document.elementFromPoint(x + width / 2, v));
              let [a, b] = [y + height / 2, y + height / 2];
              while (hit(a - 1)) a--;
              while (hit(b + 1)) b++;
              return b - a; }"""
        )
        assert high >= 42, (which, high)
    tab.context.close()


def test_the_front_page_folds_what_is_not_needed_at_first(front_page):
    """Two folds; other texts to try stand below the drawing, where they still change it."""
    tab, element = front_page(width=1280, height=800)
    folds = tab.locator("details.hero-fold")
    assert folds.count() == 2 and not any(folds.evaluate_all("all => all.map((e) => e.open)"))
    folds.first.locator("summary").click()
    assert folds.first.get_by_text("ablation").is_visible()
    drawing = element.query_selector(".machine-stage").bounding_box()
    other = element.query_selector(".live-examples button")
    assert other.bounding_box()["y"] > drawing["y"] + drawing["height"]
    other.click()
    assert element.evaluate("e => e.state.prompt") == other.text_content() and tab.complaints == []


@pytest.mark.parametrize("height", [844, 664])
@pytest.mark.parametrize("page", ["notebooks/13_feed_forward.html", CHAPTER, "book/playground.html"])
def test_on_a_phone_a_link_to_the_machine_shows_where_its_drawing_begins(open_tab, page, height):
    """Below the page's bar and above its own stand the words and the first squares."""
    tab = open_tab("file", f"{page}#live={'machine_feed_forward' if '13' in page else 'machine'}", width=390)
    tab.set_viewport_size({"width": 390, "height": height})
    tab.wait_for_selector("live-figure .machine-word")
    element = tab.query_selector("live-figure:has(.machine-word)")
    settled(tab)
    top, low, bar = element.evaluate(
        """e => { const {stage, box} = e.view, {top} = stage.getBoundingClientRect();
          return [top, top + box.squares[0].y + box.rows * box.cell,
            e.querySelector('.live-player').getBoundingClientRect().top]; }"""
    )
    assert top >= HEADER and low <= bar, (top, low, bar)
    assert (
        len({stop.bounding_box()["y"] for stop in element.query_selector_all(".live-tour > .live-stop")}) == 1
    )


@pytest.mark.parametrize("width", [390, 1280])
def test_the_next_words_have_their_english_and_a_position_is_no_power(front_page, width):
    """The translation stands behind a short word, in its line, before its bar; a position below its word."""
    tab, element = front_page(width=width, height=844)
    element.query_selector(".live-tour > .live-stop:nth-of-type(3)").click()
    parts = """(e, which) => [...e.querySelectorAll(which)].map((part) => {
      const {content, display, fontSize} = getComputedStyle(part, '::after');
      const lines = Math.round(part.clientHeight / parseFloat(getComputedStyle(part).lineHeight));
      const fits = part.scrollWidth <= part.clientWidth;
      return [part.textContent, content, display, parseFloat(fontSize), fits, lines];
    })"""
    rows = dict((word, more) for word, *more in element.evaluate(parts, ".live-rank > .live-word"))
    assert rows["vice"] == ['"deputy"', "inline-block", 12, True, 1] and rows["capo"][0] == '"chief"'
    assert all(fits for *_, fits, _lines in rows.values()) and rows["<EOS> end"][0] == "none"
    if width == 390:
        offered = element.evaluate(parts, ".machine-choice > b")
        assert [said for _, said, *_ in offered] == ['"deputy"', '"Tarsus"', '"chief"']
    element.query_selector("input[role=combobox]").fill("5 chiama 4 4 chiama 5")
    words = element.evaluate(parts, ".machine-word")
    below = [(word, said) for word, said, display, *_ in words if display == "block"]
    assert below[-3:] == [("4", '"at 5"'), ("chiama", '"calls"'), ("5", '"at 7"')]
    assert "position stands below it (at 4)" in element.query_selector(".machine-key").text_content()
    assert tab.complaints == []


def test_the_note_of_an_unknown_word_covers_the_sentence_only(front_page):
    tab, element = front_page(width=1280, height=800)
    field, note = element.query_selector("input[role=combobox]"), element.query_selector(".live-trouble")
    field.fill("Pietro chiama xyz ")
    note.wait_for_element_state("visible")
    said, english = note.bounding_box(), element.query_selector(".machine-key").bounding_box()
    assert said["y"] + said["height"] <= english["y"] + 2, "the signs are free"
    assert element.evaluate(COVERED, ".machine-key summary, .live-tour > .live-stop") == []
    assert tab.complaints == []
