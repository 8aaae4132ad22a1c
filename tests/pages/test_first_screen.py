"""The front page at a first look: why there is a game, what to press, what changes, and what one hears."""

import pytest
from test_hero import PAGE, settled

from support.view.live import find

STOPS = ".live-tour > .live-stop"
# The least room between two neighbouring lines below headings, by their letters.
APART = """e => {
  const range = document.createRange();
  const edges = [...e.querySelectorAll('.machine-label small')].map((small) => {
    range.selectNodeContents(small);
    const {left, right, top} = range.getBoundingClientRect();
    return {left, right, top};
  });
  const follow = (a, b) => b.left > a.left && Math.abs(a.top - b.top) < 5;
  return Math.min(...edges.flatMap((a) => edges.filter((b) => follow(a, b)).map((b) => b.left - a.right)));
}"""
CLEAR = "rgba(0, 0, 0, 0)"
# A word and its translation, one under the other.
FITS = """e => {
  const size = (of) => parseFloat(getComputedStyle(e, of).fontSize);
  return size(null) + size('::after') <= e.clientHeight && e.scrollWidth <= e.clientWidth; }"""
GROUND = "e => getComputedStyle(e).backgroundColor"


@pytest.mark.parametrize("width, height", [(1280, 800), (390, 844)])
def test_one_button_stands_out_until_the_experiment_is_done(front_page, width, height):
    """The step that was reached; the next one has a strong border. After the last, another thing has it."""
    _tab, element = front_page(width=width, height=height, still=True)
    play = next(b for b in element.query_selector_all(".live-play") if b.is_visible())
    stops = element.query_selector_all(STOPS)
    for k in range(3):
        stops[k].click()
        settled(_tab)
        for all_ in (stops, element.query_selector_all(".live-player-row > .live-stop")):
            grounds = [stop.evaluate(GROUND) for stop in all_]
            assert [ground != CLEAR for ground in grounds] == [stop == all_[k] for stop in all_]
            borders = [stop.evaluate("e => getComputedStyle(e).boxShadow") for stop in all_]
            assert [border != "none" for border in borders] == [n == k + 1 for n in range(3)]
            current = [stop.get_attribute("aria-current") for stop in all_]
            assert current == ["step" if n == k else None for n in range(3)]
        assert play.evaluate(GROUND) == CLEAR, "Play would bring back what the last step has taken"
    assert element.query_selector(".live-go") is None
    element.query_selector("input[role=combobox]").fill("5 chiama Paolo")
    assert play.evaluate(GROUND) != CLEAR


@pytest.mark.parametrize("width, height", [(1280, 800), (390, 844)])
def test_what_is_seldom_pressed_is_folded_away(front_page, width, height):
    """Three buttons move the drawing; a word at random stands with the sliders that say how it is drawn."""
    tab, element = front_page(width=width, height=height)
    moves = ":is(.live-panel > .live-buttons:not(.machine-foot), .live-player-row) > button"
    row = element.query_selector_all(moves)
    assert sorted(b.text_content() for b in row if b.is_visible()) == ["Back", "Play", "Step"]
    away = element.query_selector(".live-more")
    draw, slider = (away.query_selector(css) for css in ("[data-act=draw]", ".live-of-temperature input"))
    assert not draw.is_visible() and not slider.is_visible()
    away.query_selector("summary").click()
    assert draw.is_visible() and slider.is_visible()
    words = element.evaluate("e => e.state.words.length")
    draw.click()
    assert element.evaluate("e => e.state.words.length") == words + 1
    assert away.query_selector("label > .live-speed").is_visible() == (width > 600) and tab.complaints == []


@pytest.mark.parametrize("width", [360, 390, 1280])
def test_the_words_of_the_drawing_have_their_english_under_them(front_page, width):
    """All of it is in the button of the word; names and the start of the text have none."""
    _tab, element = front_page(width=width, height=844)
    english = find("machine").data["english"]
    element.query_selector("input[role=combobox]").fill("Pietro chiama Paolo Tarso")
    shown = (
        "e => [e.firstChild.textContent, e.dataset.english ?? null, getComputedStyle(e, '::after').content]"
    )
    seen = set()
    for word in element.query_selector_all(".machine-word"):
        said, told, under = word.evaluate(shown)
        if said in english:
            assert told == english[said].strip("!.") and under == f'"{told}"'
            assert word.evaluate(FITS)
            seen.add(said)
        else:
            assert told is None
    assert "Tarso" in seen


@pytest.mark.parametrize("which, block", [(0, 0), (1, 2)])
def test_where_threads_are_pale_the_headings_say_so(front_page, which, block):
    _tab, element = front_page(which)
    heads = element.query_selector_all(".machine-of-attention small")

    def under():
        heads = element.query_selector_all(".machine-of-attention small")
        return [small.text_content() for small in heads]

    plain = ["4 heads"] * 4 if which else ["4 heads look back", "4 heads look again"]
    assert len(plain) == len(heads) and element.evaluate(APART) > 0, "no line touches the next heading's"
    lit = f"1 {'' if which else 'head '}lit, 3 pale"
    pale = [lit if k == block else "4 heads pale" for k in range(len(heads))]
    stops = element.query_selector_all(STOPS)
    for stop, said in zip(stops, (plain, pale, plain), strict=True):
        stop.click()
        assert under() == said
    element.query_selector(f"[data-key='head {block}.1']").click()
    assert under() == pale
    stops[1].click()
    framed = [e.get_attribute("data-key") for e in element.query_selector_all("[aria-label$=', framed']")]
    assert framed == [f"head {block}.{2 * which}"], "who listens knows which map the sentence speaks of"


@pytest.mark.parametrize("which", [0, 1])
def test_the_smallest_letters_of_the_drawing_can_be_read(front_page, which):
    """At a desk; headings of four blocks are short, and stand well apart."""
    _tab, element = front_page(which, width=1280, height=800)
    size = "(e) => parseFloat(getComputedStyle(e).fontSize)"
    small = element.query_selector_all(".machine-label small")
    assert len(small) >= 5 and min(e.evaluate(size) for e in small) >= 12.5
    networks = element.query_selector_all(".machine-of-ffn")
    assert [e.get_attribute("aria-label") for e in networks] == [
        f"Open feed-forward {i}" for i in range(len(networks))
    ]
    for stop in element.query_selector_all(STOPS):
        stop.click()
        assert element.evaluate(APART) >= 15
        assert (
            element.evaluate(APART.replace(" small'", "'").replace("Contents(small)", "(small.firstChild)"))
            >= 15
        )


@pytest.mark.parametrize("width, height", [(390, 844), (360, 740)])
def test_a_phones_bar_says_the_answer_in_two_lines(front_page, width, height):
    tab, element = front_page(width=width, height=height)
    stops, answer = element.query_selector_all(STOPS), element.query_selector(".live-answer")
    for stop, said in ((stops[0], "to “Paolo” with 7.8%."), (stops[1], "“Tarso” with 99.98%.")):
        stop.click()
        settled(tab)
        assert answer.text_content().endswith(said)
        line = answer.evaluate("e => parseFloat(getComputedStyle(e).lineHeight)")
        assert answer.bounding_box()["height"] <= 2 * line + 1


@pytest.mark.parametrize("width", [390, 1280])
def test_what_the_second_block_is_for_can_be_tried(front_page, width):
    """The two links of the text put the machine where it shows what the text says of it."""
    tab, element = front_page(width=width, height=844, still=True)
    top = "e => [e.state.off, e.state.top[0].word, e.state.top[0].plain]"
    heads = ["h10", "h11", "h12", "h13"]
    for k, (off, word) in enumerate((([], "perde"), (heads, "chiama"))):
        tab.locator("a.hero-try").nth(k).click()
        there = "([e, n]) => e.state.prompt === '3 chiama 7 2' && e.state.off.length === n"
        tab.wait_for_function(there, arg=[element, len(off)])
        are_off, first, p = element.evaluate(top)
        assert (are_off, first) == (off, word) and p > 0.9995
        tab.wait_for_function("e => Math.abs(e.getBoundingClientRect().top) < innerHeight / 2", arg=element)
    assert tab.complaints == []


def test_two_labels_stand_side_by_side_on_a_narrow_phone(open_tab):
    tab = open_tab("file", PAGE, width=360, built=False)
    one, other = (label.bounding_box() for label in tab.query_selector_all(".sd-tab-set.hero > label"))
    assert one["y"] == other["y"] and one["x"] + one["width"] <= other["x"]


def test_who_listens_hears_a_step_and_play_only_now_and_then(front_page):
    tab, element = front_page(width=1280, height=800)
    status = element.query_selector(".live-status")
    told = (
        "([e, status]) => status.textContent === e.state.finding && status.textContent.includes('probable')"
    )
    for k in (1, 0):
        element.query_selector_all(STOPS)[k].click()
        tab.wait_for_function(told, arg=[element, status])
    listen = """e => { window.heard = [];
      new MutationObserver(() => heard.push(e.textContent)).observe(e, {childList: true}); }"""
    status.evaluate(listen)
    play = next(b for b in element.query_selector_all(".live-play") if b.is_visible())
    play.click()
    tab.wait_for_function("e => e.state.words.length > 6", arg=element)
    play.click()
    said = element.evaluate("e => e.state.finding")
    tab.wait_for_function("said => heard.at(-1) === said", arg=said)
    steps = 6 + 4  # the parts of a pass and the choice, and a word at a time
    assert len(tab.evaluate("heard")) <= steps / 2, "in the end, and a few on the way"
