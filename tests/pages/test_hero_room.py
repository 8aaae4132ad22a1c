"""Each part of the machine view has its place: nothing lies over another, and nothing is pushed away."""

import pytest
from axe import lay_out
from rest import at_rest
from test_hero import PAGE, settled
from test_hero_sheet import LONG

WIDE = "live-figure:has(> .live-panel.live-broad.live-plays)"
# Whether the contents of the page are seen, and which wide figures they meet.
MET = """wide => { const e = document.querySelector('#pst-secondary-sidebar'), a = e.getBoundingClientRect();
  const seen = getComputedStyle(e).visibility === 'visible';
  return [seen, seen && [...document.querySelectorAll(wide)].some(figure => {
    const b = figure.getBoundingClientRect();
    return b.right > a.left && b.left < a.right && b.bottom > a.top && b.top < a.bottom; })]; }"""


def apart(a, b):
    """How far two boxes are from each other, the greater of both directions; negative if they meet."""
    return max(
        b["x"] - a["x"] - a["width"],
        a["x"] - b["x"] - b["width"],
        b["y"] - a["y"] - a["height"],
        a["y"] - b["y"] - b["height"],
    )


def test_the_contents_go_before_only_a_line_or_two_of_them_are_left(open_tab):
    tab = open_tab("file", "notebooks/15_the_whole_model.html")
    figure = tab.locator("live-figure[data-key=machine]")
    figure.scroll_into_view_if_needed()
    figure.locator(".machine-word").first.wait_for()
    seen = []
    for begins in (300, 200, 100):
        figure.evaluate("(e, y) => scrollBy(0, e.getBoundingClientRect().y - y)", begins)
        at_rest(figure)
        seen.append(tab.evaluate(MET, WIDE)[0])
    assert seen == [True, False, False]


def test_the_keyboard_passes_the_drawing_by_on_its_way_to_play(front_page):
    tab, element = front_page()
    element.query_selector(".live-prompt input").focus()
    before = element.bounding_box()["height"]
    for _ in range(4):
        tab.keyboard.press("Tab")
    skip, clipped = element.query_selector(".machine-skip"), "e => getComputedStyle(e).clipPath"
    assert tab.evaluate("e => document.activeElement === e", skip) and skip.bounding_box()["height"] >= 44
    assert skip.evaluate(clipped) == "none"
    assert element.bounding_box()["height"] == before, "it moves nothing"
    tab.keyboard.press("Enter")
    assert tab.evaluate("() => document.activeElement.matches('.live-play')")
    assert skip.evaluate(clipped) == "inset(50%)", "it is seen only when the keyboard is at it"


@pytest.mark.parametrize("width", [992, 1024])
def test_what_is_said_of_the_game_has_two_lines(front_page, width):
    _, element = front_page(width=width)
    lines = """() => { const card = document.querySelector('.hero-card');
      return card.offsetHeight / parseFloat(getComputedStyle(card).lineHeight); }"""
    assert element.evaluate(lines) < 2.5


@pytest.mark.parametrize("width", [1280, 1600])
@pytest.mark.parametrize("page", ["notebooks/15_the_whole_model.html", "book/playground.html"])
def test_a_figure_that_takes_the_room_of_the_contents_never_lies_over_them(open_tab, page, width):
    """They end above it, wait while it stands beside their beginning, and come back."""
    tab = open_tab("file", page, width=width)
    tab.set_viewport_size({"width": width, "height": 900})
    figure = tab.locator("live-figure[data-key=machine]")
    figure.scroll_into_view_if_needed()
    figure.locator(".machine-word").first.wait_for()
    seen = []
    for begins in (860, 700, 400, 60, -300, -700, -1400):
        figure.evaluate("(e, y) => scrollBy(0, e.getBoundingClientRect().y - y)", begins)
        at_rest(figure)
        visible, met = tab.evaluate(MET, WIDE)
        assert not met, begins
        seen.append(visible)
    assert seen[:3] == [True] * 3 and not seen[3] and seen[-1]
    contents = tab.query_selector("#pst-secondary-sidebar")
    figure.evaluate("(e, y) => scrollBy(0, e.getBoundingClientRect().y - y)", 60)
    tab.wait_for_function("e => e.style.visibility === 'hidden'", arg=contents)
    fades = "e => getComputedStyle(e).transitionProperty.split(', ')"
    assert contents.evaluate(fades) == ["opacity", "visibility"], "they fade before they are hidden"
    assert tab.complaints == []


def test_the_signs_and_an_opened_part_are_seen_one_at_a_time(front_page):
    tab, element = front_page(width=1280, height=800)
    shown = "e => [e.querySelector('.machine-key').open, e.state.open]"
    place = element.query_selector(".machine-stage").bounding_box()["y"]
    element.query_selector(".machine-key summary").click()
    assert element.query_selector(".machine-stage").bounding_box()["y"] == place, "it lies over the drawing"
    element.query_selector("[data-key='head 0.0']").press("Enter")  # (a mouse meets the list of signs first)
    settled(tab)
    assert element.evaluate(shown) == [False, "head 0.0"]
    element.query_selector(".machine-key summary").click()
    settled(tab)
    assert element.evaluate(shown) == [True, "nothing"]
    for close in ("Escape", "press"):
        if close == "Escape":
            tab.keyboard.press(close)
        else:
            element.query_selector(".machine-key summary").click()
            tab.mouse.click(5, 5)
        assert element.evaluate(shown) == [False, "nothing"]
    assert tab.complaints == []


@pytest.mark.parametrize("page", ["book/index.html", "notebooks/15_the_whole_model.html"])
def test_the_list_of_signs_covers_nothing_of_the_drawing_that_it_explains(open_tab, page):
    tab = open_tab("file", page, built=False)
    tab.set_viewport_size({"width": 1280, "height": 800})
    figure = tab.locator("live-figure[data-key=machine]")
    if page != "book/index.html":
        figure.scroll_into_view_if_needed()
    figure.locator(".machine-word").first.wait_for()
    stage, signs = figure.locator(".machine-stage"), figure.locator(".machine-key ul")
    if page != "book/index.html":
        stage.evaluate("e => scrollBy({top: e.getBoundingClientRect().top - 400, behavior: 'instant'})")
    settled(tab)
    place = stage.bounding_box()
    figure.locator(".machine-key summary").click()
    tab.wait_for_function("e => e.style.inset", arg=signs.element_handle())
    box = signs.bounding_box()
    assert stage.bounding_box() == place and apart(box, place) >= 0
    assert box["y"] >= 48 and box["y"] + box["height"] <= 800
    assert signs.evaluate("e => e.scrollHeight <= e.clientHeight + 1"), "all of it is seen"
    figure.locator(".machine-key summary").click()
    assert not signs.is_visible() and tab.complaints == []


@pytest.mark.parametrize("width", [1280, 1600])
def test_the_drawing_keeps_its_place_when_the_english_needs_a_second_line(front_page, width):
    _tab, element = front_page(width=width, height=800)
    text, places = element.query_selector("input[role=combobox]"), []
    for written in ("Pietro chiama", LONG, f"{LONG} chiama 3 3 chiama 2"):
        text.fill(written)
        places.append(element.query_selector(".machine-stage").bounding_box()["y"])
    assert len(set(places)) == 1


def test_the_english_of_a_long_text_is_cut_at_the_beginning_of_a_clause(front_page):
    """As much of it as its line holds, from “In English:” to its end; it stands where it begins."""
    _tab, element = front_page(width=1280, height=800)
    field, english = element.query_selector("input[role=combobox]"), ".machine-english"
    text = "Pietro chiama Paolo Tarso Paolo chiama 4 4 chiama Pietro capo Pietro chiama 3 cactus"
    words = text.split()
    whole = "e => MachineSaid.inEnglish(e.state.words.slice(1), e.view.data.english)"
    lines = """e => { const text = e.closest('.machine-text').getBoundingClientRect();
      return [...e.getClientRects()].map(({top, bottom, right}) => [top >= text.top - 1,
        bottom <= text.bottom + 1, text.right - right]); }"""
    longest = 0
    for n in range(2, len(words) + 1):
        field.fill(" ".join(words[:n]))
        said, all_ = element.query_selector(english).text_content(), element.evaluate(whole)
        begins, _, tail = said.removesuffix(" …").partition(": ")
        cut = tail.startswith("… ")
        tail = tail.removeprefix("… ")
        assert begins == "In English" and all_.endswith(tail) and cut == (tail != all_)
        assert not cut or all_.removesuffix(tail)[-2:] in {"; ", "! ", ". "}
        [[above, below, free]] = element.query_selector(english).evaluate(lines)
        assert above and below and free >= 0, said
        longest = max(longest, len(tail))
    assert cut and longest > 30 and "player 4" in all_


@pytest.mark.parametrize("which", [0, 1])
def test_the_words_that_fit_stand_over_the_sentence_and_cover_nothing_of_the_machine(front_page, which):
    """In one row, with their English; a text that is emptied has them, too. Nothing moves."""
    tab, element = front_page(which, 1280, 800)
    field, words = element.query_selector("input[role=combobox]"), element.query_selector(".live-words")
    place = element.query_selector(".machine-stage").bounding_box()
    parts = ".live-tour > .live-stop, .machine-text, .machine-key summary, .machine-label, .machine-map"
    field.click()
    for text in ("Pietro chiama P", "") if not which else ("once there was a b", ""):
        field.fill(text)
        tab.wait_for_function("e => e.matches('.live-aside') && e.style.height", arg=words)
        box, guide = words.bounding_box(), element.query_selector(".live-guide").bounding_box()
        assert abs(box["x"] - guide["x"]) <= 1 and abs(box["y"] - guide["y"]) <= 1
        assert all(apart(box, part.bounding_box()) >= 0 for part in element.query_selector_all(parts))
        offered = words.query_selector_all("[role=option]")
        inside = [option.bounding_box() for option in offered]
        assert len(offered) >= 4 and len({option["y"] for option in inside}) == 1, "one row"
        assert all(24 <= option["height"] <= box["height"] for option in inside)
        assert inside[-1]["x"] + inside[-1]["width"] <= box["x"] + box["width"] + 1
        assert element.query_selector(".machine-stage").bounding_box() == place
    if not which:
        field.fill("Pietro chiama p")
        english = {o.text_content(): o.get_attribute("data-english") for o in words.query_selector_all("li")}
        assert english["perde"] == "loses" and english["pinguino"] == "penguin" and english["Paolo"] is None
        tab.keyboard.press("ArrowDown")
        first = words.query_selector("[aria-selected=true]").text_content()
        tab.keyboard.press("Enter")
        assert field.input_value() == f"Pietro chiama {first} "
    assert tab.complaints == []


def test_the_rules_of_the_game_push_nothing_away(front_page):
    tab, element = front_page(width=1280, height=800)
    lay_out(tab)  # (what is far away has an estimated height until then)
    rules, stage = tab.query_selector(".hero-round"), element.query_selector(".machine-stage")
    size = "e => getComputedStyle(e).fontSize"
    summary, sentence = rules.query_selector("summary"), tab.query_selector(".hero-card p")
    assert summary.evaluate(size) == sentence.evaluate(size)
    place, high = stage.bounding_box(), tab.evaluate("document.documentElement.scrollHeight")
    for close in ("Escape", "press"):
        summary.click()
        assert rules.evaluate("e => e.open") and stage.bounding_box() == place
        assert tab.evaluate("document.documentElement.scrollHeight") == high
        box = rules.query_selector(".hero-rules").bounding_box()
        assert box["y"] + box["height"] <= 800
        seen = "([x, y]) => Boolean(document.elementFromPoint(x, y).closest('.hero-rules'))"
        assert tab.evaluate(seen, [box["x"] + 30, box["y"] + box["height"] - 20]), "it lies over the figure"
        if close == "Escape":
            tab.keyboard.press("Escape")
        else:
            tab.mouse.click(box["x"] + 30, box["y"] + box["height"] + 20)
        assert not rules.evaluate("e => e.open")
    tab.set_viewport_size({"width": 390, "height": 844})
    summary.click()
    tab.keyboard.press("Escape")
    assert rules.evaluate("e => e.open"), "on a phone they stand below the figure, over nothing"
    below = element.bounding_box()["y"] + element.bounding_box()["height"]
    assert rules.bounding_box()["y"] >= below
    assert (
        tab.evaluate("parseFloat(getComputedStyle(document.querySelector('.hero-round summary')).fontSize)")
        >= 16
    )


@pytest.mark.parametrize("which", [0, 1])
def test_on_a_phone_the_bar_shows_the_three_most_probable_words_at_each_step_of_the_tour(front_page, which):
    """From the start, each with a bar as long as its probability: all of the track is 100%."""
    tab, element = front_page(which, 390, 844)
    shares = set()
    for stop in (None, *element.query_selector_all(".live-tour > .live-stop")):
        if stop:
            stop.click()
            settled(tab)
        offered = [b for b in element.query_selector_all(".machine-choice") if b.is_visible()]
        top = element.evaluate("e => e.state.top.slice(0, 3).map(({word, p}) => [word, p])")
        shares.add(top[0][1])
        assert [b.query_selector("b").inner_text() for b in offered] == [word for word, _ in top]
        for button, (word, p) in zip(offered, top, strict=True):
            track, fill = (
                button.query_selector(f".live-{part}").bounding_box() for part in ("track", "fill")
            )
            assert track["height"] >= 6 and abs(fill["width"] - p * track["width"]) < 1
            cut = "e => [e, ...e.children].some((part) => part.scrollWidth > part.clientWidth)"
            assert not button.evaluate(cut), word
    assert min(shares) < 0.5 < max(shares) and tab.complaints == []


@pytest.mark.parametrize("width", [360, 390, 1280])
def test_the_number_of_words_that_are_not_shown_touches_no_heading(front_page, width):
    _tab, element = front_page(width=width, height=844)
    element.query_selector("input[role=combobox]").fill(LONG)
    earlier = element.query_selector(".machine-earlier")
    assert earlier.text_content().endswith(" earlier")
    box = earlier.bounding_box()
    others = element.query_selector_all("[data-key=embedding] small, [data-key='attention 0'], .machine-word")
    if width > 600:
        assert "word to numbers" in element.query_selector("[data-key=embedding]").text_content()
    else:
        others.append(element.query_selector("[data-key=embedding]"))
    assert min(apart(box, other.bounding_box()) for other in others) >= 4


def test_a_text_of_unknown_words_only_has_no_english_and_its_note_full_stops(open_tab):
    tab = open_tab("file", PAGE)
    element = tab.wait_for_selector("live-figure:has(.machine-word)")
    element.query_selector("input[role=combobox]").fill("hello ")
    note = element.query_selector(".live-trouble").text_content()
    assert "The model reads: nothing yet. In place of “hello”:" in note
    assert element.query_selector(".machine-english") is None and tab.complaints == []


def test_on_a_phone_it_is_told_why_a_game_comes_first_and_a_button_leads_to_its_rules(front_page):
    tab, _element = front_page(width=390, height=844)
    why, rules = tab.locator(".hero-why"), tab.locator(".hero-round")
    assert (
        why.inner_text()
        == "A small game comes first, because its rules are known: each answer can be checked."
    )
    assert why.bounding_box()["y"] + why.bounding_box()["height"] < 400
    tab.locator(".hero-to-rules").click()
    settled(tab)
    top = rules.bounding_box()["y"]
    assert rules.evaluate("e => e.open") and 48 <= top < 500, (
        "its beginning is seen, below the page's own bar"
    )
    assert tab.complaints == []
    tab.set_viewport_size({"width": 1280, "height": 800})
    assert not tab.locator(".hero-to-rules").is_visible(), "there they are beside the sentence"


@pytest.mark.parametrize("width", [390, 1280])
def test_a_whole_bar_is_always_100_per_cent(front_page, width):
    """So that an open question, a certain answer and what is left without a part can be compared."""
    _tab, element = front_page(width=width, height=844)
    lists = [".machine-bars .live-rank", *([".machine-choice"] if width == 390 else [])]
    for text in ("Pietro chiama", "Pietro chiama Paolo"):
        element.query_selector("input[role=combobox]").fill(text)
        for which in lists:
            first = element.query_selector(which)
            fill, track = (first.query_selector(f".live-{part}").bounding_box() for part in ("fill", "track"))
            p = element.evaluate("e => e.state.top[0].p")
            assert abs(fill["width"] - p * track["width"]) < 1 and track["width"] >= 40


@pytest.mark.parametrize("width", [360, 390, 430])
def test_on_a_phone_a_short_text_has_the_whole_width_and_larger_squares(front_page, width):
    """Its height is that of a long text, so that nothing below it moves when the text grows."""
    _tab, element = front_page(width=width, height=844)
    sizes = []
    for text in ("Pietro chiama", LONG):
        element.query_selector("input[role=combobox]").fill(text)
        box = element.evaluate("e => { const {W, S, H, next} = e.view.box; return {W, S, H, next}; }")
        assert box["next"]["x"] + box["next"]["w"] >= 0.98 * box["W"], text
        words, maps = (element.query_selector_all(f".machine-{which}") for which in ("word", "map"))
        assert words[0].bounding_box()["width"] >= 0.12 * box["W"]
        assert maps[0].bounding_box()["width"] >= 46
        sizes.append((box["S"], box["H"]))
    (short, high), (long, same) = sizes
    assert short >= 58 > long - 1 and abs(high - same) < 0.1


@pytest.mark.parametrize("width, height", [(390, 844), (360, 740)])
@pytest.mark.parametrize("way", ["title", "Escape", "beside", "button", "Play"])
def test_on_a_phone_the_rules_come_up_where_they_are_asked_for(front_page, width, height, way):
    """The page stays; the rules leave the bar, scroll in themselves, and the same place is there again."""
    tab, element = front_page(width=width, height=height)
    ask, rules = tab.locator(".hero-to-rules"), tab.locator(".hero-round")
    bar = element.query_selector(".live-player").bounding_box()
    ask.click()
    box = rules.bounding_box()
    assert box["y"] >= 56 and -2 <= box["y"] + box["height"] - bar["y"] <= 2
    rules.evaluate("e => { e.scrollTop = e.scrollHeight; }")
    last = rules.locator("tr").last.bounding_box()
    assert last["y"] + last["height"] <= bar["y"]
    assert rules.locator("summary").bounding_box()["y"] <= box["y"] + 2, "its title stays"
    play = element.query_selector(".live-player .live-play")
    if way == "Escape":
        tab.keyboard.press("Escape")
    elif way == "beside":
        tab.mouse.click(width / 2, box["y"] - 8)
    elif way == "button":
        ask.evaluate("e => e.click()")
    elif way == "Play":
        play.click()
    else:
        rules.locator("summary").click()
    assert not rules.evaluate("e => e.open || e.classList.contains('hero-sheet')")
    if way == "Play":
        play.click()
    else:
        assert tab.evaluate("scrollY") == 0
    assert tab.complaints == []


@pytest.mark.parametrize("width", [360, 390, 430])
def test_on_a_phone_no_blank_strip_stands_behind_a_text_that_has_ended(front_page, width):
    tab, element = front_page(width=width, height=844)
    text = element.query_selector("input[role=combobox]")
    text.fill("3 chiama 7 2 perde <EOS>")
    ended = element.query_selector(".machine-ended").bounding_box()
    told = element.query_selector(".machine-told").bounding_box()
    assert 0 <= told["y"] - ended["y"] - ended["height"] < 60
    word = element.query_selector_all(".machine-word")[-1]
    assert word.get_attribute("data-english") == "end"
    text.fill("3 chiama 7 2")
    bars, told = (element.query_selector(f".machine-{which}").bounding_box() for which in ("bars", "told"))
    assert told["y"] >= bars["y"] + bars["height"] - 1 and tab.complaints == []


@pytest.mark.parametrize("width, height", [(1280, 800), (1600, 900), (390, 844)])
def test_the_english_of_a_long_word_is_seen_whole(front_page, width, height):
    """Below the word, where there is no room beside it."""
    tab, element = front_page(width=width, height=height)
    words = """e => [...e.querySelectorAll('.machine-bars .live-word')].map((word) => [word.dataset.english,
      word.scrollWidth <= word.clientWidth,
      word.getBoundingClientRect().height <= word.closest('button').clientHeight])"""
    seen = set()
    for text in ("Pietro chiama Paolo Tarso", "Pietro chiama", "Pietro chiama Paolo Tarso lumaca"):
        element.query_selector("input[role=combobox]").fill(text)
        told = element.evaluate(words)
        assert all(whole and fits for _, whole, fits in told), (text, told)
        seen |= {english for english, *_ in told}
    assert {"penguin", "umbrella"} & seen and tab.complaints == []


@pytest.mark.parametrize("width, height", [(1280, 800), (390, 844)])
def test_the_note_of_an_unknown_word_has_air_and_goes_when_play_starts(front_page, width, height):
    tab, element = front_page(1, width, height)
    field, note = element.query_selector("input[role=combobox]"), element.query_selector(".live-trouble")
    field.focus()
    tab.keyboard.type("a rocket ")
    note.wait_for_element_state("visible")
    ring = field.evaluate(
        """e => { const s = getComputedStyle(e);
          const far = parseFloat(s.outlineWidth) + parseFloat(s.outlineOffset);
          return e.getBoundingClientRect().bottom + far; }"""
    )
    assert note.bounding_box()["y"] >= ring + 2
    place = element.query_selector(".machine-stage").bounding_box()
    play = next(b for b in element.query_selector_all(".live-play") if b.is_visible())
    play.click()
    note.wait_for_element_state("hidden")
    assert width < 600 or element.query_selector(".machine-stage").bounding_box() == place
    assert element.query_selector(".live-omitted").inner_text() == "“rocket” is left out"
    play.click()
    back = next(b for b in element.query_selector_all(".live-act:text-is('Back')") if b.is_visible())
    for _ in range(2):
        assert not note.is_visible(), "it covers neither words nor squares"
        assert element.query_selector(".live-omitted").inner_text() == "“rocket” is left out"
        back.click()
    field.focus()
    assert note.is_visible() and tab.complaints == []


def test_the_english_of_a_long_word_is_closer_to_it_than_to_the_next_word(front_page):
    """The rows keep their places."""
    tab, element = front_page(width=1280, height=800)
    element.query_selector("input[role=combobox]").fill("3 chiama Paolo vice")
    two = """e => [...e.querySelectorAll('.machine-bars .live-rank')].map((row) => {
      const word = row.querySelector('.live-word');
      return [row.offsetHeight, word.dataset.english ? word.offsetHeight : 0]; })"""
    rows = element.evaluate(two)
    assert {row for row, _ in rows} == {28} and 20 < max(high for _, high in rows) <= 23
    assert tab.complaints == []


def test_the_field_shows_the_end_of_a_text_that_a_step_sets(front_page):
    _tab, element = front_page(1, 390, 844)
    field = element.query_selector("input[role=combobox]")
    for stop in element.query_selector_all(".live-tour > .live-stop"):
        stop.click()
        far, most = field.evaluate("e => [e.scrollLeft, e.scrollWidth - e.clientWidth]")
        assert most > 20 and far >= most - 1


def test_the_guide_says_that_the_experiment_has_its_own_texts(front_page):
    """It names a word that it will show, which need not stand in what somebody has written."""
    _tab, element = front_page()
    for text in ("5 chiama 3", "2 chiama Pietro"):
        element.query_selector("input[role=combobox]").fill(text)
        said = element.query_selector(".live-guide").text_content()
        assert said.startswith("An experiment in three steps, on texts of its own: ")


def test_a_finger_finds_the_steps_in_the_bar_of_a_phone(browser, bases):
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    tab = context.new_page()
    tab.goto(bases["http"] + "book/index.html")
    element = tab.wait_for_selector("live-figure:has(.machine-word)")
    element.query_selector(".machine-bars").scroll_into_view_if_needed()
    element.wait_for_selector(".live-player-tour")
    said, row = "e => parseFloat(getComputedStyle(e, '::before').height)", ".live-player-row"
    top = element.query_selector(row).bounding_box()["y"] + element.query_selector(row).evaluate(said)
    for stop in element.query_selector_all(f"{row} > .live-stop"):
        box = stop.bounding_box()
        assert box["height"] >= 32 and box["y"] >= top - 0.5
    context.close()
