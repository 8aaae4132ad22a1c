"""The front page's machine, on a phone and at a desk: cause and effect on one screen, and no jumps."""

import itertools

import axe
import pytest
from rest import at_rest

from support.view.live import find

PAGE = "book/index.html"
PHONES = [(390, 844), (360, 640)]
HEADER = 56
# Where things are, from the window's upper edge.
PLACES = """e => {
  const box = (which) => e.querySelector(which).getBoundingClientRect();
  const at = (which) => [box(which).top, box(which).bottom];
  return {tour: at('.live-tour'), guide: at('.live-guide'), map: at('.machine-map'), bar: at('.live-player')};
}"""
WHOLE = "e => e.scrollHeight <= e.clientHeight + 1 && e.scrollWidth <= e.clientWidth + 1"
# The page has stood still for ten frames.
OPENED = "e => [e.state.open, scrollY, document.activeElement.dataset.key]"


@pytest.fixture
def opened(front_page):
    return front_page


def answer_top(element):
    return element.query_selector(".live-player").bounding_box()["y"]


def settled(tab):
    """What glides has arrived, on a busy machine, too, and the address is written."""
    tab.wait_for_timeout(800)
    at_rest(tab)


@pytest.mark.parametrize("dark", [False, True])
def test_a_phones_first_screen_shows_the_machine_at_work(opened, dark):
    """Its words, its numbers, the maps of its first block, how to read them, and what it answers."""
    tab, element = opened(width=390, height=844, dark=dark)
    places = element.evaluate(PLACES)
    assert places["map"][1] <= places["bar"][0] and places["bar"][1] <= 844
    assert element.query_selector(".machine-key").is_visible()
    answer = element.query_selector(".live-answer")
    assert answer.text_content().startswith("9 words are about equally probable, from “3” with 11.6%")
    tints = """e => { const c = e.querySelector('canvas'), r = c.width / c.clientWidth;
      const [{x, y}] = e.view.box.squares, S = e.view.box.S;
      const all = c.getContext('2d').getImageData(x * r, y * r, S * r, S * r).data, seen = new Set();
      for (let k = 0; k < all.length; k += 4) seen.add(`${all[k]} ${all[k + 1]} ${all[k + 2]}`);
      return seen.size; }"""
    assert element.evaluate(tints) > 10, "a square of a word's numbers is painted"
    assert tab.complaints == []


@pytest.mark.parametrize("width, height", PHONES)
@pytest.mark.parametrize("which", [0, 1])
def test_on_a_phone_a_step_of_the_tour_and_what_it_changes_are_on_one_screen(opened, which, width, height):
    tab, element = opened(which, width, height)
    said = set()
    for stop in element.query_selector_all(".live-tour > .live-stop"):
        stop.click()
        settled(tab)
        places = element.evaluate(PLACES)
        top, low = (HEADER, places["bar"][0])
        for part in ("tour", "guide", "map"):
            # What is taken from a later block, or pointed out there, is shown, and the bar says so.
            off, lit = element.evaluate("e => [e.state.off.includes('h22'), e.view.spoken === 'head 2.2']")
            if off or lit:
                told = element.query_selector(".live-answer")
                begins = "Head 2.2 is off. Switch it on" if off else "Now “she”: the lit head 2.2 looks back"
                assert told.inner_text().startswith(begins) and told.is_visible()
                place = element.query_selector("[data-key='head 2.2']").bounding_box()
                assert top <= place["y"] and place["y"] + place["height"] <= low
                break
            assert top <= places[part][0] and places[part][1] <= low, (part, places)
        answer = element.query_selector(".live-answer")
        assert answer.evaluate(WHOLE) and answer.is_visible()
        line = answer.evaluate("e => parseFloat(getComputedStyle(e).lineHeight)")
        assert answer.bounding_box()["height"] <= 2 * line + 1, "two lines"
        said.add(answer.text_content())
    assert len(said) == 3 and tab.complaints == []


def test_on_a_phone_the_bar_offers_the_most_probable_words_from_the_start(opened):
    tab, element = opened(width=390, height=844)
    choices = element.query_selector(".machine-choices")
    assert choices.is_visible()
    element.query_selector(".machine-bars").scroll_into_view_if_needed()
    element.wait_for_selector(".live-player-tour")
    top = element.evaluate("e => e.state.top.slice(0, 3).map(({word}) => word)")
    offered = choices.query_selector_all("button")
    assert [b.query_selector("b").inner_text() for b in offered] == top
    assert all(b.bounding_box()["height"] >= 38 for b in offered)
    offered[1].click()
    assert element.evaluate("e => e.state.words.at(-1)") == top[1] and tab.complaints == []


def test_the_bar_says_its_whole_sentence_and_goes_back(opened):
    """Through a whole pass; where the tour is out of sight the bar has its numbers."""
    tab, element = opened(1, 390, 844)
    row = ".live-player-row button"
    shown = [b.text_content() for b in element.query_selector_all(row) if b.is_visible()]
    assert shown == ["Back", "Step", "Play"]
    element.query_selector(".machine-bars").scroll_into_view_if_needed()
    element.wait_for_selector(".live-player-tour")
    shown = [b for b in element.query_selector_all(row) if b.is_visible()]
    assert [b.text_content() for b in shown] == ["A", "B", "C", "Back", "Step", "Play"]
    shown[2].click()
    settled(tab)
    assert element.evaluate("e => e.state.off") == ["h22"]
    assert 0 < element.query_selector("[data-key='head 2.2']").bounding_box()["y"] < answer_top(element)
    assert shown[2].get_attribute("aria-current") == "step"
    answer = element.query_selector(".live-answer")
    assert "Next: “she” with 93.8%; with all parts “he” with 99.9%." in answer.text_content()
    assert element.query_selector(".live-player").bounding_box()["height"] < 150
    for _ in range(10):
        assert answer.evaluate(WHOLE), answer.text_content()
        assert shown[3].is_visible() and shown[3].bounding_box()["height"] >= 36
        step = element.evaluate("e => e.state.step")
        shown[4].click()
    shown[3].click()
    assert element.evaluate("e => e.state.step") == step and tab.complaints == []


@pytest.mark.parametrize("width, height", [(390, 844), (360, 640)])
def test_the_buttons_of_the_bar_keep_their_places_when_the_steps_appear_beside_them(opened, width, height):
    """Play is where it was, and as large, when it has scrolled the page."""
    tab, element = opened(width=width, height=height, still=True)
    acts = element.query_selector_all(".live-player-row > :is(.live-act, .live-speed)")
    element.query_selector(".live-title").dispatch_event("pointerdown", {"bubbles": True})  # (first touch)
    before = [act.bounding_box() for act in acts]
    element.query_selector(".live-player .live-play").click()
    element.wait_for_selector(".live-player-tour")
    settled(tab)
    assert [act.bounding_box() for act in acts] == before
    boxes = [b.bounding_box() for b in element.query_selector_all(".live-player-row > *") if b.is_visible()]
    assert len(boxes) == 7 and all(box["width"] >= 24 for box in boxes)
    assert all(one["x"] + one["width"] < two["x"] for one, two in itertools.pairwise(boxes))
    assert min(box["width"] for box in boxes[3:6]) >= 44
    fits = "e => e.scrollWidth <= e.clientWidth"
    assert acts[2].text_content() == "Pause" and all(act.evaluate(fits) for act in acts[:3])


@pytest.mark.parametrize("width, height", PHONES)
@pytest.mark.parametrize(
    "page, key",
    [
        (PAGE, "machine_story"),
        ("notebooks/13_feed_forward.html", "machine_feed_forward"),
        ("notebooks/15_the_whole_model.html", "machine"),
    ],
)
def test_on_a_phone_what_a_step_shows_is_above_the_bar_and_what_it_says_is_read(
    open_tab, page, key, width, height
):
    """Where the page has gone so far that its sentence is out of sight, the bar says it in short."""
    tab = open_tab("file", f"{page}#live={key}", width=width, still=True)
    tab.set_viewport_size({"width": width, "height": height})
    element = tab.wait_for_selector(f"live-figure[data-key={key}]:has(.machine-word)")
    settled(tab)
    for k, stop in enumerate(element.query_selector_all(".live-tour > .live-stop")):
        stop.evaluate("e => e.click()")
        settled(tab)
        off, part = find(key).tour[k], {"machine": "head 0.0", "machine_story": "head 2.2"}.get(key)
        bar, answer = answer_top(element), element.query_selector(".live-answer")
        if key != "machine_story" or k:
            box = element.query_selector(f"[data-key='{part or 'feed-forward 1'}']").bounding_box()
            assert box["y"] >= HEADER and box["y"] + box["height"] <= bar
        guide = element.query_selector(".live-guide").bounding_box()
        if guide["y"] < HEADER:
            assert off.short and answer.inner_text().endswith(off.short)
            line = answer.evaluate("e => parseFloat(getComputedStyle(e).lineHeight)")
            assert answer.bounding_box()["height"] <= 2 * line + 1, "two lines"
        else:
            assert guide["y"] + guide["height"] <= bar
    assert tab.complaints == []


def test_on_a_phone_play_goes_to_the_same_place_from_each_step(opened):
    tab, element = opened(width=390, height=844, still=True)
    play, seen = element.query_selector(".live-player .live-play"), []
    for stop in element.query_selector_all(".live-tour > .live-stop"):
        tab.evaluate("scrollTo(0, 0)")
        stop.click()
        settled(tab)
        play.click()
        tab.wait_for_function("e => e.state.step === 1", arg=element)
        settled(tab)
        seen.append(tab.evaluate("scrollY"))
        play.click()
    assert max(seen) - min(seen) <= 24, seen  # (the sentence may have a line more)


@pytest.mark.parametrize("width, height", [(390, 844), (1280, 860), (1280, 800)])
def test_what_an_opened_part_explains_is_seen_and_it_is_closed_by_escape_and_its_cross(opened, width, height):
    tab, element = opened(width=width, height=height)
    tab.evaluate("scrollBy(0, 120)")
    y = None
    for close in ("Escape", "cross"):
        element.query_selector("[data-key='head 0.1']").click()
        settled(tab)
        opened_, now, stands = element.evaluate(OPENED)
        assert opened_ == stands == "head 0.1" and now == (y or now), "the page goes to it once, and stays"
        y = now
        box = element.query_selector(".machine-room").bounding_box()
        low, wide = box["y"] + box["height"], width > 600
        assert box["height"] <= 0.65 * height
        assert low <= height if wide else abs(low - height) <= 1
        for part in ["head 0.1", *(["word 2"] if wide else [])]:
            place = element.query_selector(f"[data-key='{part}']").bounding_box()
            assert place["y"] >= HEADER
            assert place["y"] + place["height"] <= box["y"] + 1 or place["x"] + place["width"] <= box["x"]
        assert element.query_selector(".machine-plain").is_visible()
        if close == "Escape":
            tab.keyboard.press("Escape")
        else:
            element.query_selector("[data-key=close]").focus()
            tab.keyboard.press("Enter")
        settled(tab)
        assert element.evaluate(OPENED) == ["nothing", y, "head 0.1"]
    assert tab.complaints == []


@pytest.mark.parametrize(
    "page, width", [("notebooks/15_the_whole_model.html", 1280), (PAGE, 1920), (PAGE, 1440)]
)
def test_a_sheet_stands_beside_its_figure_where_the_window_has_room(open_tab, page, width):
    """There it covers nothing of the figure; in a chapter the figure has that room itself."""
    tab = open_tab("file", page, width=width)
    tab.set_viewport_size({"width": width, "height": 800})
    figure = tab.locator("live-figure[data-key=machine]")
    figure.scroll_into_view_if_needed()
    figure.locator("[data-key='head 0.0']").click()
    settled(tab)
    low = "() => document.querySelector('.machine-room').getBoundingClientRect().bottom <= innerHeight + 1"
    tab.wait_for_function(low)  # the page goes to it
    sheet, panel = (
        figure.locator(".machine-room").bounding_box(),
        figure.locator(".live-panel").bounding_box(),
    )
    beside = sheet["x"] >= panel["x"] + panel["width"]
    assert beside == (width == 1920) and sheet["y"] >= HEADER
    assert page == PAGE or panel["width"] > 900, "the figure has the room of the contents"
    assert sheet["x"] + sheet["width"] <= width and sheet["y"] + sheet["height"] <= 801
    figure.locator("[data-key=close]").click()  # (it could not be pressed below the contents)
    assert figure.evaluate("e => e.state.open") == "nothing" and tab.complaints == []


def test_the_caption_of_a_long_map_stays_and_nothing_shows_below_the_pinned_line(opened):
    tab, element = opened()
    element.query_selector("input[role=combobox]").fill("5 chiama Paolo vice Paolo chiama 3 3 chiama 7 7")
    element.query_selector("[data-key='head 0.1']").click()
    element.query_selector("[data-key=fold]").click()
    settled(tab)
    sheet = element.query_selector(".machine-room")
    assert element.query_selector(".machine-where .live-scroll").evaluate(WHOLE), "the sheet scrolls, not it"
    sheet.evaluate("e => { e.scrollTop = 0; }")
    caption, grid = (
        element.query_selector(f".machine-where {part}").bounding_box()
        for part in (".machine-caption", ".live-scroll")
    )
    assert caption["y"] >= sheet.bounding_box()["y"] and caption["y"] + caption["height"] <= grid["y"] + 1
    sheet.evaluate("e => { e.scrollTop = (e.scrollHeight - e.clientHeight) / 2; }")
    line, box = element.query_selector(".machine-sum").bounding_box(), sheet.bounding_box()
    assert abs(line["y"] + line["height"] - box["y"] - box["height"]) <= 2


@pytest.mark.parametrize("width", [390, 1280])
def test_a_part_that_is_off_is_told_in_every_state_and_brought_back(opened, width):
    tab, element = opened(width=width, height=800)
    lines = lambda: [e.inner_text() for e in element.query_selector_all(".machine-missing") if e.is_visible()]  # noqa: E731
    assert lines() == []
    element.query_selector(".live-tour > .live-stop:nth-child(3)").click()
    step = next(b for b in element.query_selector_all(".live-act:text-is('Step')") if b.is_visible())
    for _ in range(4):
        assert lines() == ["Head 0.0 is off. Switch it on"]
        step.click()
    next(b for b in element.query_selector_all(".live-play") if b.is_visible()).click()
    tab.wait_for_timeout(1200)
    assert lines() == ["Head 0.0 is off. Switch it on"]
    next(b for b in element.query_selector_all(".live-play") if b.is_visible()).click()
    element.query_selector_all(".machine-word")[-1].click()  # (on a phone the whole drawing comes back)
    element.query_selector("[data-key=switcher]").click()
    element.query_selector("[data-key='switch m1']").click()
    assert lines() == ["Head 0.0 and feed-forward 1 are off. Switch them on"]
    next(b for b in element.query_selector_all(".machine-bring") if b.is_visible()).click()
    assert lines() == [] and element.evaluate("e => e.state.off") == [] and tab.complaints == []


def test_on_a_phone_back_closes_the_sheet_and_keeps_what_was_changed(opened):
    tab, element = opened(width=390, height=844)
    element.query_selector(".live-tour > .live-stop:nth-child(2)").click()
    settled(tab)
    before = tab.evaluate("history.length")
    for _ in range(2):
        element.query_selector("[data-key='head 0.0']").click()
        settled(tab)
        y = tab.evaluate("scrollY")
        assert "open=head" in tab.url and tab.evaluate("history.length") == before + 1
        element.query_selector(".machine-detail > .live-act").click()  # switched off, then on again
        settled(tab)
        off = element.evaluate("e => e.state.off")
        tab.go_back()
        settled(tab)
        assert element.evaluate("e => [e.state.open, e.state.off, scrollY]") == ["nothing", off, y]
        assert ("h00=off" in tab.url) == (off == ["h00"]) and "open=" not in tab.url
    assert off == [] and tab.complaints == []


@pytest.mark.parametrize("width", [390, 1280])
def test_all_of_a_sheet_is_seen_where_its_figure_begins_low_in_the_window(opened, width):
    tab, element = opened(width=width, height=700, still=True)
    element.query_selector("[data-key='head 0.1']").click()
    element.query_selector("[data-key=fold]").click()
    settled(tab)
    sheet = element.query_selector(".machine-room").bounding_box()
    assert sheet["y"] + sheet["height"] <= 701
    number = element.query_selector(".machine-cell")
    number.evaluate("e => e.scrollIntoView({block: 'center'})")
    number.click()
    line = element.query_selector(".machine-sum").bounding_box()  # what it is made of is told here
    assert line["y"] + line["height"] <= 701 and "=" in element.query_selector(".machine-sum").inner_text()


def test_a_finger_can_use_it_on_a_phone_that_lies_and_one_that_stands(browser, bases):
    context = browser.new_context(viewport={"width": 844, "height": 390}, has_touch=True, is_mobile=True)
    tab = context.new_page()
    tab.goto(bases["http"] + PAGE)
    element = tab.wait_for_selector("live-figure:has(.machine-word)")
    element.query_selector(".live-tour > .live-stop:nth-child(3)").tap()
    settled(tab)
    bar, told = element.query_selector(".live-player"), element.query_selector(".live-answer")
    assert bar.bounding_box()["height"] < 105 and "“vice”" in told.inner_text()
    for part in ("[data-key='head 0.0']", "[data-key='word 0']", "[data-key='bar 1']"):
        place = element.query_selector(part).bounding_box()
        assert place["y"] >= HEADER and place["y"] + place["height"] <= bar.bounding_box()["y"], part
    assert [b.is_visible() for b in element.query_selector_all(".live-play")] == [False, True]
    tab.set_viewport_size({"width": 390, "height": 844})
    tab.wait_for_function("() => document.querySelector('.machine-stage').dataset.flow === 'down'")
    element.query_selector("[data-key=switcher]").tap()
    places = [b.bounding_box() for b in element.query_selector_all(".machine-toggle")]
    assert len(places) == 10 and all(min(p["width"], p["height"]) >= 44 for p in places)
    assert element.query_selector(".machine-told").text_content().startswith("Tap a word")
    context.close()


def test_who_wants_no_motion_gets_a_sheet_that_does_not_glide(opened):
    for still in (True, False):
        _tab, element = opened(width=390, height=844, still=still)
        element.query_selector("[data-key='head 0.1']").click()
        glides = element.query_selector(".machine-room").evaluate("e => getComputedStyle(e).animationName")
        assert (glides == "none") == still


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_in_a_sheet(opened, dark):
    tab, element = opened(width=390, height=844, dark=dark)
    element.query_selector("[data-key='head 0.1']").click()
    element.query_selector("[data-key=fold]").click()
    settled(tab)
    assert axe.findings(tab) == []


def test_a_part_that_stands_open_from_the_start_is_no_sheet(open_tab):
    tab = open_tab("file", f"{PAGE}#live=machine&open=logits")
    element = tab.wait_for_selector("live-figure:has(.machine-detail)")
    room = element.query_selector(".machine-room")
    assert room.evaluate("e => getComputedStyle(e).position") == "static"
    assert element.query_selector(".machine-formula").is_visible()


@pytest.mark.parametrize("width", [390, 1280])
def test_switches_wait_until_they_are_asked_for(opened, width):
    _tab, element = opened(width=width)
    switches = "e => [...e.querySelectorAll('.machine-toggle')].map(b => b.dataset.key)"
    assert element.evaluate(switches) == []
    element.query_selector(".live-tour > .live-stop:nth-child(3)").click()
    assert element.evaluate(switches) == ["switch h00"], "the one that the experiment uses"
    ask = next(b for b in element.query_selector_all("button:text-is('Switch parts off')") if b.is_visible())
    within = "e => [...e.querySelectorAll('.machine-map')].map(map => [map.offsetLeft, map.offsetTop])"
    place = element.evaluate(within)  # (on a phone, the page is still on its way)
    ask.click()
    assert len(element.evaluate(switches)) == 10
    assert element.evaluate(within) == place, "there is room for them"
    next(
        b for b in element.query_selector_all("button:text-is('Hide the switches')") if b.is_visible()
    ).click()
    assert element.evaluate(switches) == ["switch h00"]


@pytest.mark.parametrize("width, height", [(390, 844), (1280, 860)])
def test_the_words_of_the_story_tour_are_in_the_drawing(opened, width, height):
    """The boy stands six words before the last one; what lies between is one gap."""
    _tab, element = opened(1, width, height)
    for stop, who in zip(
        element.query_selector_all(".live-tour > .live-stop"), ("boy", "girl", "boy"), strict=True
    ):
        stop.click()
        words = element.query_selector_all(".machine-word")
        assert words[0].text_content() == who and words[0].is_visible()
        assert words[-1].text_content() == "as" and words[-1].get_attribute("aria-pressed") == "true"
        shown = element.evaluate("e => e.view.box.shown")
        gap = element.query_selector(".machine-earlier").text_content()
        assert gap == f"… {10 - len(shown)} more"
        boxes = [e.bounding_box() for e in (*words, element.query_selector(".machine-earlier"))]
        for k, a in enumerate(boxes):
            for b in boxes[:k]:
                apart = (a["x"] >= b["x"] + b["width"], b["x"] >= a["x"] + a["width"])
                assert any(apart) or a["y"] >= b["y"] + b["height"] or b["y"] >= a["y"] + a["height"]
    weights = element.evaluate("e => e.state.patterns[2][2].at(-1)")
    assert weights[shown[0]] > 0.6, "head 2.2 looks at the word that is shown"


def test_on_a_phone_the_switches_that_are_asked_for_are_seen(opened):
    """The first of them stands above the bar, and what asked for them stays in the window."""
    tab, element = opened(width=390, height=844)
    element.query_selector(".machine-switcher").click()
    settled(tab)
    for which in (".machine-toggle", ".machine-switcher"):
        box = element.query_selector(which).bounding_box()
        assert box["y"] >= HEADER and box["y"] + box["height"] <= answer_top(element), which
    assert tab.complaints == []
