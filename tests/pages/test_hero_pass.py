"""The front page's machine goes through a pass: one part at a time, and the page stays."""

import re
from itertools import pairwise

import pytest
from test_hero import HEADER, settled

from support.view.live import find


@pytest.mark.parametrize("height", [844, 664])
def test_on_a_phone_a_pass_goes_on_in_a_frame_and_the_page_stays(front_page, height):
    """The first press brings text and frame into sight; then each part that is told of is seen in it."""
    tab, element = front_page(width=390, height=height)
    step = element.query_selector(".live-player-row .live-act:text-is('Step')")
    parts = ["embedding", "attention 0", "feed-forward 0", "attention 1", "feed-forward 1", "logits"]
    seen, words = set(), []
    for k in range(2 * len(parts)):
        step.click()
        settled(tab)
        seen.add(tab.evaluate("scrollY"))
        words.append(element.evaluate("e => e.state.words.length"))
        frame = element.query_selector(".machine-stage").bounding_box()
        part = element.query_selector(f"[data-part='{parts[k % 6]}']").bounding_box()
        assert frame["y"] + 30 <= part["y"] <= frame["y"] + frame["height"] - 120, parts[k % 6]
        assert frame["y"] + frame["height"] <= element.query_selector(".live-player").bounding_box()["y"] + 1
        assert element.query_selector(".machine-text").bounding_box()["y"] >= HEADER
        row = element.query_selector(".machine-words").bounding_box()
        assert abs(row["y"] - frame["y"]) <= 1, "the words stay above their columns"
    assert len(seen) == 1, "after the first press the page does not move"
    assert words == [3] * 6 + [4] * 6, "a pass for each text; then its word is appended"
    element.query_selector(".live-tour > .live-stop").click()
    high = element.query_selector(".machine-stage").bounding_box()["height"]
    assert high > 1000, "a text that stands is seen whole"
    assert tab.complaints == []


# In each frame until there are six words: where the page stands, the step, and how many words there are.
SEEN = """e => {
  e.seen = [];
  const look = () => {
    e.seen.push([scrollY, e.state.step, e.state.words.length]);
    if (e.state.words.length < 6) requestAnimationFrame(look);
  };
  look();
}"""


def test_play_on_a_phone_shows_one_pass_and_then_whole_words(front_page):
    tab, element = front_page(width=390, height=844)
    last = element.evaluate("e => e.view.data.steps.length - 1")
    element.query_selector(".live-player .live-play").click()
    element.evaluate(SEEN)
    tab.wait_for_function("e => e.seen.at(-1)[2] === 6", arg=element)
    seen = element.evaluate("e => e.seen")
    assert {step for _, step, words in seen if words == 3} == set(range(last + 1)) - {last - 1}
    assert all(step == last - 1 for _, step, words in seen if words > 3), "then whole words"
    text, bar = element.query_selector(".machine-text").bounding_box(), element.query_selector(".live-player")
    assert HEADER <= text["y"] < 140 and bar.query_selector(".machine-choice").is_visible()
    y = seen[-1][0]
    assert [y for y, *_ in seen] == sorted(y for y, *_ in seen), "down, and never up"
    tab.wait_for_function("e => e.state.words.length > 7", arg=element)
    assert tab.evaluate("scrollY") == y and tab.complaints == []


def test_while_a_text_goes_on_the_row_of_words_stays_where_it_is(front_page):
    """While the frame of a pass moves, at its end, when all is shown, and when the text grows."""
    tab, element = front_page(width=390, height=844)
    tab.evaluate(
        """() => { window.tops = []; const see = () => { const e = document.querySelector('.machine-words');
          window.tops.push([e.getBoundingClientRect().top, e.closest('live-figure').state.words.length]);
          requestAnimationFrame(see); }; window.see = see; }"""
    )
    element.query_selector(".live-player .live-play").click()
    tab.wait_for_function("e => e.state.step === 2", arg=element)  # (by then the page has gone to the figure)
    tab.evaluate("see()")
    tab.wait_for_function("() => tops.at(-1)[1] > 8")
    tops = [top for top, _ in tab.evaluate("tops")]
    assert len(tops) > 20 and max(tops) - min(tops) <= 1 and tab.complaints == []


# Play is to go fast: how long a stage stands is not the question.
FAST = """e => { const speed = e.querySelector('.live-speed');
  speed.value = '8';
  speed.dispatchEvent(new Event('change')); }"""
# What a figure says, each time that this changes: when, where the page stands, the step, how many words.
TOLD = """e => {
  const start = performance.now(), said = e.querySelector('.live-says');
  window.seen = [];
  new MutationObserver(() => seen.push([performance.now() - start, scrollY, e.state.step,
    e.state.words.length, said.textContent])).observe(said, {childList: true});
}"""


@pytest.mark.parametrize("speed", [1, 2.5])
def test_play_at_a_desk_leaves_the_page_and_each_stage_of_its_first_pass_can_be_read(front_page, speed):
    """A sentence stands as long as reading takes; then come whole words, which go faster, as is said.

    The greater part of the drawing is in the window: then nothing has to move.
    """
    tab, element = front_page(width=1280, height=800)
    last, stands = element.evaluate("({view: {data}}) => [data.steps.length - 1, data.stands]")
    element.query_selector(".live-more > summary").click()
    element.query_selector(".machine-pace > .live-speed").select_option(str(speed))
    tab.evaluate("scrollTo(0, 0)")
    element.evaluate(TOLD)
    element.query_selector(".live-play").click()
    assert "After one slow pass" in element.query_selector(".live-guide").text_content()
    tab.wait_for_function("() => seen.at(-1)?.[3] > 5")
    seen = tab.evaluate("seen")
    stages = [(then - now, said) for (now, _, _, n, said), (then, *_) in pairwise(seen) if n == 3]
    assert len(stages) == stands + 1 and all(len(said) <= 75 for _, said in stages), "short sentences"
    for long, said in stages:
        reading = (350 + 60 * len(said)) / speed
        assert reading - 30 <= long < reading + 1500, said
    begins = {words: min(time for time, _, _, n, _ in seen if n == words) for words in (4, 5, 6)}
    assert 4000 / speed - 30 <= begins[5] - begins[4] < 4000 / speed + 1500, "the title is read at leisure"
    assert begins[6] - begins[5] < 3000, "then a word at a time"
    assert {y for _, y, *_ in seen} == {0}
    assert {step for _, _, step, words, _ in seen if words > 3} == {last - 1}
    assert tab.complaints == []


def test_play_goes_on_by_words_where_it_paused_and_slowly_after_another_step(front_page):
    tab, element = front_page(1, width=1280, height=800)
    element.query_selector(".live-more > summary").click()
    speed = element.query_selector(".machine-pace > .live-speed")
    speed.select_option("8")
    play, guide = element.query_selector(".live-play"), element.query_selector(".live-guide")
    play.click()
    assert "after one slow pass" in guide.text_content()
    tab.wait_for_function("e => e.view.wholeWords && e.state.words.length > 6", arg=element)
    play.click()
    n, stands = element.evaluate("e => [e.state.words.length, e.view.data.stands]")
    element.evaluate(TOLD)
    play.click()
    assert "slow" not in guide.text_content()
    tab.wait_for_function("([e, n]) => e.state.words.length > n + 1", arg=[element, n])
    play.click()
    assert {step for _, _, step, *_ in tab.evaluate("seen")} == {stands}, "no pass again"
    element.query_selector(".live-tour > .live-stop").click()
    speed.select_option("1")
    play.click()
    assert "after one slow pass" in guide.text_content()
    tab.wait_for_function("e => e.view.state.step === 1", arg=element)
    said, head = element.evaluate("e => [e.querySelector('.live-says').textContent, e.view.only()]")
    assert re.fullmatch(rf"Attention 0: {head} takes \d+% from “\w+”\.", said) and head.startswith("head 0.")
    assert element.query_selector(".machine-spoken").get_attribute("data-part") == head, "alone it is lit"
    play.click()
    assert element.evaluate("e => e.view.only()") == head, "as long as its sentence stands"
    assert tab.complaints == []


def test_a_deep_models_later_blocks_take_half_the_time(front_page):
    """The first block tells what its two parts do; the same follows three times."""
    speed = 2.5
    tab, element = front_page(1, width=1280, height=800)
    stands = element.evaluate("e => e.view.data.stands")
    element.query_selector(".live-more > summary").click()
    element.query_selector(".machine-pace > .live-speed").select_option(str(speed))
    n = element.evaluate("e => e.state.words.length")
    element.evaluate(TOLD)
    element.query_selector(".live-play").click()
    tab.wait_for_function("n => seen.at(-1)?.[3] > n", arg=n)
    stages = [(k, then - now, said) for (now, _, k, _, said), (then, *_) in pairwise(tab.evaluate("seen"))]
    assert [k for k, *_ in stages] == [*range(stands), stands + 1]
    for k, long, said in stages:
        reading = (350 + 60 * len(said)) / speed / (2 if 3 <= k < stands else 1)
        assert reading - 30 <= long < reading + 600, said
    assert tab.complaints == []


def test_on_a_phone_the_first_stage_of_play_guesses_nothing(front_page):
    """The embedding of a word gives the word again, which is no guess of the next one. Nothing moves."""
    tab, element = front_page(width=390, height=844)
    offered, bar = element.query_selector(".machine-choices"), element.query_selector(".live-player")
    bar.query_selector(".live-play").click()
    tab.wait_for_function("e => e.view.state.step === 0", arg=element)
    said = "If the pass stopped here, it would only repeat “chiama”."
    assert offered.text_content() == said and offered.is_visible()
    high = bar.bounding_box()["height"]
    tab.wait_for_function("e => e.view.state.step === 1", arg=element)
    assert offered.text_content().startswith("Guess if the pass stopped here: Paolo ")
    assert bar.bounding_box()["height"] == high and tab.complaints == []


@pytest.mark.parametrize("width, height", [(390, 844), (1280, 800)])
def test_play_shows_the_rule_within_its_first_words_and_says_what_it_does(front_page, width, height):
    """A leader is put in, and this is said until the title stands; it is the model's. The tour goes on."""
    tab, element = front_page(width=width, height=height)
    start, leader = find("machine").data["opening"]
    play = next(b for b in element.query_selector_all(".live-play") if b.is_visible())
    guide, stage = element.query_selector(".live-guide"), element.query_selector(".machine-stage")
    seen = """e => [e.querySelector('.live-guide').textContent, e.querySelector('.live-guide').offsetHeight,
      e.querySelector('.live-tour').offsetTop - e.querySelector('.machine-stage').offsetTop,
      [...e.querySelectorAll('.live-tour > .live-stop')].map(b => b.classList.contains('live-go'))]"""
    before = element.evaluate(seen)
    play.click()
    said = (
        f"After one slow pass Play puts in {leader}, so that a title follows; "
        "each later word is the model’s most probable one."
    )
    assert guide.text_content() == said
    tells = """e => e.state.step > e.view.data.stands
      && ['.live-says', '.machine-next'].map(css => e.querySelector(css).textContent)"""
    told = f"No word stands out, so Play puts in “{leader}” itself: a title will follow."
    assert tab.wait_for_function(tells, arg=element).json_value() == [told, leader]
    tab.wait_for_function("e => e.view.state.words.length > 3", arg=element)
    assert guide.text_content() == said, "the title is still to come"
    goes_on = f"e => e.state.words.length > 5 && ({seen})(e)"
    now = tab.wait_for_function(goes_on, arg=element).json_value()
    said = "Each word is now the most probable one after the text so far. Pause stops it."
    assert (now[0], now[1]) == (said, before[1]), "nothing has moved"
    assert now[3] == [False, False, True], "Paolo stands there: the experiment goes on with its third step"
    assert element.evaluate("e => e.state.words.slice(1, 6).join(' ')") == f"{start} {leader} Tarso {leader}"
    top = stage.bounding_box()["y"]
    play.click()
    assert guide.text_content() == "You have gone on from step B. The experiment goes on with step C."
    assert width < 600 or stage.bounding_box()["y"] == top
    element.query_selector(".live-tour > .live-stop").click()
    for _ in range(7):  # a hand appends the most probable word
        next(b for b in element.query_selector_all(".live-act:text-is('Step')") if b.is_visible()).click()
    assert element.evaluate("e => e.state.words.at(-1)") == "3" and tab.complaints == []


@pytest.mark.parametrize("width", [390, 1280])
def test_guesses_in_the_middle_of_a_pass_are_called_so_and_cannot_be_pressed(front_page, width):
    _tab, element = front_page(width=width, height=800)
    step = next(b for b in element.query_selector_all(".live-act:text-is('Step')") if b.is_visible())
    rows = element.query_selector_all(".machine-bars .live-rank")
    assert all(row.is_enabled() for row in rows)
    for k in range(5):
        step.click()
        assert element.query_selector(".machine-of-output").text_content() == "guess if it stopped here"
        assert all(row.is_disabled() for row in element.query_selector_all(".machine-bars .live-rank")), k
        offered = element.query_selector(".machine-choices")
        assert offered.query_selector("button") is None
        top = element.evaluate("e => e.state.top[0].word")
        assert offered.text_content().startswith(f"Guess if the pass stopped here: {top} ")
    step.click()
    assert element.query_selector(".machine-of-output").text_content() == "next word"
    word = element.evaluate("e => e.state.top[0].word")
    assert element.query_selector(".live-rank.machine-chosen .live-word").text_content() == word
    assert element.query_selector(".machine-next").text_content() == word, "what Step appends"
    element.query_selector(".machine-next").click()
    assert element.evaluate("e => e.state.words.at(-1)") == word


@pytest.mark.parametrize("width, height", [(390, 664), (360, 640)])
def test_a_phones_first_screen_shows_numbers_even_if_it_is_low(front_page, width, height):
    """The most probable words come into the bar with the first touch."""
    _tab, element = front_page(width=width, height=height)
    squares = "({view: {stage, box}}) => stage.getBoundingClientRect().top + box.squares[0].y"
    bar = element.query_selector(".live-player")
    assert element.evaluate(squares) + 40 <= bar.bounding_box()["y"]
    choices, low = element.query_selector(".machine-choices"), bar.bounding_box()["height"]
    assert not choices.is_visible()
    element.query_selector(".live-tour > .live-stop").click()
    assert choices.is_visible() and bar.bounding_box()["height"] > low


def test_a_low_phone_shows_the_squares_whole(front_page):
    _tab, element = front_page(width=390, height=664)
    square = element.evaluate(
        """e => { const {y} = e.view.box.squares[0], {rows, cell} = e.view.box;
          return e.view.stage.getBoundingClientRect().top + y + rows * cell; }"""
    )
    assert square <= element.query_selector(".live-player").bounding_box()["y"] + 4
    word = element.query_selector(".machine-word").bounding_box()
    assert word["y"] + word["height"] < 664


def test_between_five_words_is_air_and_the_last_row_is_in_the_window(front_page):
    text = "Pietro chiama Paolo Tarso chiama 5 5 chiama Pietro capo chiama 3 3 chiama 2 2 chiama 8"
    tab, element = front_page(width=1280, height=800)
    element.query_selector("input[role=combobox]").fill(text)
    settled(tab)
    squares, high = element.evaluate(
        """({view: {box}}) => [box.squares.filter((s) => !s.stage).map((s) => s.y), box.rows * box.cell]"""
    )
    gaps = [b - a - high for a, b in pairwise(squares)]
    assert len(gaps) == 4 and min(gaps) >= 7
    top = element.query_selector(".machine-stage").bounding_box()["y"]
    assert top + squares[-1] + high <= 800, "a long text pushes the drawing down by one line only"


def test_the_front_page_opens_with_one_pass_that_a_press_ends_and_who_wants_none_has_none(front_page):
    """It begins at the embedding; text and sentence stand throughout, the bars are pale until it ends."""
    frames = "e => performance.getEntriesByName('machine:frame').length"
    stands = "e => e.view.reach === e.view.until && e.view.until === e.view.data.stands"
    moved = []
    for still in (False, True):
        tab, element = front_page(still=still)
        assert element.query_selector(".machine-bars .live-word").text_content() == "3"
        bars = "getComputedStyle(e.querySelector('.machine-bars')).opacity"
        assert element.evaluate(f"e => (e.view.reach < e.view.until) === ({bars} === '0.35')")
        tab.wait_for_function(stands, arg=element)
        tab.wait_for_function(f"e => {bars} === '1'", arg=element)
        moved.append(element.evaluate(frames))
        assert element.evaluate("e => e.state.words.length") == 3 and tab.complaints == []
    assert moved[0] > 3 * moved[1]
    element.evaluate("e => e.view.move(-0.6, 1e6)")
    element.query_selector(".live-tour > .live-stop:nth-of-type(2)").click()
    tab.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert element.evaluate(stands), "a new text is shown whole"


@pytest.mark.parametrize("width", [390, 1280])
def test_the_first_step_says_that_the_pass_begins_again(front_page, width):
    """What is not reached is empty, which is no fault: one line says the stage, the other what happens."""
    tab, element = front_page(width=width, height=844)
    step = next(b for b in element.query_selector_all(".live-act:text-is('Step')") if b.is_visible())
    guide, says = element.query_selector(".live-guide"), element.query_selector(".live-says")
    step.click()
    begins = "The pass begins again for the same text: stage 1 of 6. The experiment goes on with step B."
    assert guide.text_content() == begins
    assert says.text_content() == "“chiama” becomes 64 numbers: its embedding plus that of position 3."
    for k, stage in enumerate(("attention 0", "feed-forward 0", "attention 1", "feed-forward 1", "choice")):
        step.click()
        assert guide.text_content().startswith(f"Stage {k + 2} of 6 of the pass: {stage}. The experiment")
    step.click()
    assert "The pass over the new word begins: stage 1 of 6" in guide.text_content()
    assert tab.complaints == []


@pytest.mark.parametrize("which, head, word", [(0, "head 0.0", "Tarso"), (1, "head 2.2", "he")])
@pytest.mark.parametrize("width", [390, 1280])
def test_play_says_that_it_has_switched_on_what_the_last_step_had_off(front_page, width, which, head, word):
    """While it goes on and afterwards; no step looks reached, until one is."""
    tab, element = front_page(which, width=width, height=800)
    stops = element.query_selector_all(".live-tour > .live-stop")
    element.evaluate(FAST)
    stops[2].click()
    play = next(b for b in element.query_selector_all(".live-play") if b.is_visible())
    guide, told = element.query_selector(".live-guide"), f"Play has switched {head} on again. "
    marks = ".live-stop[aria-current], .live-go"
    play.click()
    seen = "e => [e.querySelector('.live-guide').textContent, e.querySelectorAll('[aria-current]').length]"
    goes = (
        "It goes on word by word, after one slow pass: each is the most probable one after the text so far."
    )
    assert element.evaluate(seen) == [told + goes, 0], "from the first moment"
    whole = "([e, word]) => e.state.off.length === 0 && e.state.words.at(-1) === word"
    tab.wait_for_function(whole, arg=[element, word])
    assert element.evaluate(seen) == [told + goes, 0]
    play.click()
    assert guide.text_content() == f"{told}The experiment begins again with step A."
    assert element.query_selector(marks) is None
    next(b for b in element.query_selector_all(".live-act:text-is('Step')") if b.is_visible()).click()
    assert guide.text_content().startswith(f"{told}The pass begins again for the same text: stage 1")
    stops[1].click()
    assert guide.text_content() == find("machine_story" if which else "machine").tour[1].says
    assert stops[1].get_attribute("aria-current") == "step" and "live-go" in stops[2].get_attribute("class")
    play.click()
    assert guide.text_content().startswith("Play goes on word by word"), "nothing was off"
    assert tab.complaints == []


def test_play_keeps_off_what_somebody_has_switched_off(front_page):
    tab, element = front_page(width=1280, height=800)
    element.evaluate(FAST)
    play = next(b for b in element.query_selector_all(".live-play") if b.is_visible())
    element.query_selector("input[role=combobox]").fill("5 chiama Paolo")
    element.query_selector("[data-key=switcher]").click()
    element.query_selector("[data-key='switch h00']").click()
    play.click()
    tab.wait_for_function("e => e.state.words.length > 4", arg=element)
    assert element.evaluate("e => e.state.off") == ["h00"] and tab.complaints == []
