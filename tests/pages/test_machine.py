"""The machine view in a browser: sums that add up, what lights up together, what plays, quick frames."""

import json
from urllib.parse import urlencode

import pytest
from rest import at_rest
from test_model_figures import ALL_THAT_ARE_NEAR, find_figure

from support.view.live import find
from support.view.live.machine import code_lines
from support.view.live.machine.numbers import parts_of, steps_of
from support.worlds.stories import readable

PAGE = "book/playground.html"
FIRST = "Pietro chiama Paolo"
# For every number of an opened part: the sum of the terms that are told for it, and the number.
SUMS = """e => {
  const view = e.view, detail = view.state.detail, found = [];
  for (const vector of detail) for (const [index, value] of vector.values.entries()) {
    const {terms, value: own, words} = MachineDetail.madeOf(view, vector.key, index);
    if (terms) found.push([vector.key, terms.reduce((sum, [, x]) => sum + x, 0), value]);
    else if (own !== undefined) found.push([vector.key, own, value]);
    else found.push([vector.key, words.length > 5 ? value : NaN, value]);
  }
  return found;
}"""

FRAMES = """e => {
  const took = [];
  for (let k = 0; k < 60; k++) {
    e.view.reach = k / 60 * e.view.data.steps.length;
    const start = performance.now();
    e.view.paint();
    e.view.canvas.getContext('2d').getImageData(0, 0, 1, 1);  // only now is it really painted
    took.push(performance.now() - start);
  }
  return took.sort((a, b) => a - b);
}"""
TOKEN = """button => {
  const start = performance.now();
  button.click();
  const {view} = button.closest('live-figure');
  view.stage.getBoundingClientRect();
  view.paint();
  view.canvas.getContext('2d').getImageData(0, 0, 1, 1);
  return performance.now() - start;
}"""
DRAW = "Pick a word at random"


def machine(open_tab, name="machine", way="file", **state):
    """A machine view at a state, and its page."""
    settings = {key: state.pop(key) for key in ("width", "still", "dark", "new") if key in state}
    tab = open_tab(way, f"{PAGE}#{urlencode({'live': name} | state)}", built=False, **settings)
    element = find_figure(tab, name)
    element.wait_for_selector(".machine-word")
    tab.evaluate(ALL_THAT_ARE_NEAR)
    return tab, element


def press(element, key):
    element.query_selector(f'[data-key="{key}"]').click()


def act(element, label):
    """Press a button; what is seldom pressed is folded away."""
    element.query_selector(".live-more").evaluate("e => { e.open = true; }")
    element.query_selector(f".live-act:text-is('{label}')").click()


def state(element):
    return element.evaluate("e => e.state")


def agree(_key, one, other):
    """Equal to the ninth place; what is not finite comes as a text, and is equal unless it is no number."""
    finite = not (isinstance(one, str) or isinstance(other, str))
    return abs(one - other) <= 1e-9 if finite else one == other != "NaN"


@pytest.mark.parametrize("name", ["machine", "machine_story", "machine_by_hand"])
def test_each_number_is_the_sum_that_is_told(open_tab, name):
    model = find(name).model
    text = {"machine": FIRST, "machine_story": "leo was a kind boy"}.get(name, "the cat sat on the")
    tab, element = machine(open_tab, name, prompt=text)
    told = 0
    for part in parts_of(model)[1:]:
        element.evaluate(
            "(e, part) => { const s = e.querySelector('.live-of-open select'); s.value = part;"
            " s.dispatchEvent(new Event('input', {bubbles: true})); }",
            part,
        )
        # As one text: playwright's own way with many numbers takes seconds.
        finite = "(key, x) => typeof x === 'number' && !Number.isFinite(x) ? String(x) : x"
        sums = json.loads(element.evaluate(f"e => JSON.stringify(({SUMS})(e), {finite})"))
        assert [s for s in sums if not agree(*s)] == [], part
        told += len(sums)
    print(f"{name}: {told} numbers are their sums")
    assert told > (1000 if name != "machine_by_hand" else 100) and tab.complaints == []


def test_the_worked_example_in_the_page_is_the_packages(open_tab):
    """Every number of every opened part; test_by_hand_model.py compares these with the chapter's."""
    _tab, element = machine(open_tab, "machine_by_hand", prompt="the cat sat on the")
    figure = find("machine_by_hand")
    for part in parts_of("by-hand"):
        element.evaluate(
            "(e, part) => { const s = e.querySelector('.live-of-open select'); s.value = part;"
            " s.dispatchEvent(new Event('input', {bubbles: true})); }",
            part,
        )
        now, want = state(element), figure.state(figure.values(open=part))
        assert [v["key"] for v in now["detail"]] == [v["key"] for v in want["detail"]]
        for mine, theirs in zip(now["detail"], want["detail"], strict=True):
            assert mine["values"] == pytest.approx(theirs["values"], abs=1e-9), (part, mine["key"])
    for mine, theirs in zip(now["streams"], want["streams"], strict=True):
        for a, b in zip(mine, theirs, strict=True):
            assert a == pytest.approx(b, abs=1e-9)


def test_a_model_that_needs_a_word_keeps_one(open_tab):
    """The worked example knows no <BOS>, and reads five words at most."""
    tab, element = machine(open_tab, "machine_by_hand", prompt="the cat")
    box = element.query_selector("input[type=text]")
    box.fill("")
    assert "one word at least" in element.query_selector(".live-trouble").text_content()
    assert state(element)["words"] == ["the"]
    box.fill("the cat")
    for _ in range(5):
        act(element, DRAW)
    assert len(state(element)["words"]) == 5
    assert element.query_selector('[data-key="bar 1"]').is_disabled()
    element.query_selector(".live-act:text-is('Back')").click()
    element.evaluate(
        """e => { for (let k = 1; k < 60; k++)
          [...e.querySelectorAll('.live-act')].find(b => b.textContent === 'Back').click(); }"""
    )
    assert state(element)["words"] == ["the"] and tab.complaints == []


def test_what_means_the_same_lights_up_together(open_tab):
    _tab, element = machine(open_tab, prompt=FIRST, open="head 0.1")
    element.query_selector('[data-key="row s"] .machine-cell:nth-child(3)').hover()
    lit = """e => [...e.querySelectorAll('.live-same')]
      .map(x => x.dataset.term || x.dataset.part || x.dataset.key || x.className)"""
    found = element.evaluate(lit)
    lines = [keys for _, _, keys in code_lines()["head"] if "s" in keys.split()]
    assert found.count("s") >= 3  # the symbol in the formula, twice, and the row's name
    assert all(keys in found for keys in lines)  # the lines of code
    assert "w2" in found  # the cell of the map
    assert found.count("head 0.1") == 2  # the map in the drawing, and the row of the table
    sum_ = element.query_selector(".machine-sum").text_content()
    score = next(v for v in state(element)["detail"] if v["key"] == "s")["values"][2]
    assert sum_.startswith("s[“chiama”] = q") and sum_.endswith(f"= {score:.3f}")
    element.query_selector('[data-key="row o"]').focus()
    element.query_selector('[data-key="row o"]').press("ArrowRight")
    assert element.query_selector(".machine-sum").text_content().startswith("o[0] = z")


def test_the_code_is_the_packages():
    """`code_lines` takes the lines from the source, and says so if one has left."""
    assert {kind: len(lines) for kind, lines in code_lines().items()} == {
        "embedding": 2,
        "head": 5,
        "attention": 1,
        "feed-forward": 3,
        "logits": 3,
    }


def test_every_part_opens_and_closes_from_the_drawing(open_tab):
    tab, element = machine(open_tab, prompt=FIRST)
    for part in parts_of("calling-game")[1:]:
        press(element, part)
        assert state(element)["open"] == part
        assert element.query_selector(".machine-detail").is_visible()
        press(element, "close")
        assert state(element)["open"] == "nothing" and not element.query_selector(".machine-detail")
    press(element, "word 1")
    assert state(element)["word"] == "Pietro" and state(element)["here"] == 1
    assert tab.complaints == []


def test_an_earlier_word_is_shown_with_its_whole_pass(open_tab):
    """Whatever the stage was, its answer is a finished one; and <BOS> stands before the first word."""
    _tab, element = machine(open_tab, still=True, prompt=FIRST, step=1)
    for key in ("word 1", "word 2"):
        press(element, key)
        assert state(element)["step_name"] == "prediction" and state(element)["finding"].startswith("After “")
        assert "if it stopped here" not in element.inner_text().lower()
    figure = find("machine")
    found = figure.state(figure.values(prompt="Pietro", step=1))
    weights = [head[1][0] for head in found["patterns"][0]]
    most = max(range(len(weights)), key=weights.__getitem__)
    assert found["finding"] == (
        "Attention 0: only “<BOS>” stands before “Pietro”, which collects most from it through "
        f"head 0.{most} ({100 * weights[most]:.0f}%)."
    )
    assert "“<BOS>” has no word before it" in figure.sentence(figure.values(prompt="", step=1))


def test_a_switch_on_the_map_ablates_the_head(open_tab):
    _tab, element = machine(open_tab, prompt=FIRST)
    before = state(element)["top"][0]
    press(element, "switcher")
    assert min(b.bounding_box()["height"] for b in element.query_selector_all(".machine-toggle")) >= 24
    press(element, "switch h00")
    now = state(element)
    want = find("machine").state(find("machine").values(prompt=FIRST, h00=False))
    assert now["off"] == ["h00"] and now["top"][0]["word"] == want["top"][0]["word"] != before["word"]
    press(element, "head 0.0")
    element.query_selector(".machine-detail .live-act").click()
    assert state(element)["off"] == [] and state(element)["top"][0] == before


def test_play_steps_through_the_pass_and_appends_the_most_probable_word(open_tab):
    tab, element = machine(open_tab, prompt="Pietro chiama", step=0)
    tab.evaluate("Math.random = () => 0.999")  # a draw would take an improbable word
    play = element.query_selector(".live-play")
    element.query_selector(".live-more > summary").click()
    element.query_selector(".machine-pace > .live-speed").select_option("8")
    likely = state(element)["says_next"][-1]["word"]
    play.click()
    assert play.text_content() == "Pause" and play.get_attribute("aria-pressed") == "true"
    tab.wait_for_function("e => e.state.words.length > 3", arg=element)
    assert state(element)["words"][3] == likely
    play.click()
    words, step = len(state(element)["words"]), state(element)["step"]
    tab.wait_for_timeout(500)
    assert (len(state(element)["words"]), state(element)["step"]) == (words, step)
    assert play.text_content() == "Play" and tab.complaints == []


def test_the_buttons_do_what_python_does(open_tab):
    start = {"prompt": "Pietro chiama", "step": 3, "temperature": 2.0}  # which only a draw heeds
    tab, element = machine(open_tab, **start)
    figure = find("machine")
    values = figure.values(**start)
    actions = {action.label: action for action in figure.actions}
    for label, uniform in [("Step", 0.1)] * 4 + [
        (DRAW, 0.7),
        ("Back", 0.0),
        ("Step", 0.2),
        ("Back", 0.0),
    ] * 3:
        tab.evaluate("uniform => { Math.random = () => uniform; }", uniform)
        act(element, label)
        values |= actions[label].act(values, uniform)
        now = state(element)
        assert {key: now[key] for key in values} == values, label
    assert values["prompt"] != "Pietro chiama"


def test_a_text_that_somebody_writes_is_read_to_its_end(open_tab):
    """After a step back, and with another word chosen, the numbers would be those of an unfinished pass."""
    _, element = machine(open_tab, still=True, prompt=FIRST, step=1, at=1)
    assert state(element)["step"] == 1 and "if it stopped here" in element.inner_text().lower()
    element.query_selector("input[role=combobox]").fill("Teresa chiama ")
    now = state(element)
    assert now["step_name"] == "prediction" and now["word"] == "chiama" and now["at"] == 0
    assert now["finding"].startswith("After “chiama” 8 words are about equally probable")


def test_the_machine_of_the_feed_forward_chapter_opens_its_network_with_the_numbers_folded(open_tab):
    tab = open_tab("file", "notebooks/13_feed_forward.html")
    element = find_figure(tab, "machine_feed_forward")
    element.wait_for_selector(".machine-word")
    detail = element.query_selector(".machine-detail")
    assert detail.query_selector(".machine-title").text_content() == "Feed-forward 1, at “Paolo”"
    assert not detail.query_selector(".machine-formula").is_visible()
    assert [stop.text_content() for stop in element.query_selector_all(".live-tour > .live-stop")] == [
        f"{letter} {stop.label}"
        for letter, stop in zip("ABC", find("machine_feed_forward").tour, strict=True)
    ]
    element.query_selector(".live-tour > .live-stop:nth-of-type(3)").click()
    tab.wait_for_function("e => e.state.off.includes('m1')", arg=element)
    assert tab.complaints == []


def test_what_is_collected_is_on_its_way_before_the_square_changes(open_tab):
    _, element = machine(open_tab, prompt=FIRST)
    calls = element.evaluate(
        """e => {
          const {view} = e, seen = [], {threads, square} = view, note = (name, part, word, t) => {
            if (word === view.state.here && part === (name === 'square' ? 1 : 0)) seen.push([name, t]);
          };
          view.threads = (...all) => note('threads', all[3], all[4], all[5]);
          view.square = (...all) => note('square', all[2], all[3], all[6]);
          for (const reach of [0.3, 0.55, 0.65, 0.9, 1]) { view.reach = reach; view.paint(); }
          Object.assign(view, {threads, square});
          return seen;
        }"""
    )
    threads, square = ([t for name, t in calls if name == which] for which in ("threads", "square"))
    assert len(threads) == len(square) == 5
    assert all(there == 0 or sent == 1 for sent, there in zip(threads, square, strict=True))
    assert (
        sorted(threads) == threads
        and threads[0] > 0
        and square[0] == square[1] == 0 < square[2] < square[-1] == 1
    )


def test_who_wants_no_motion_gets_none_and_the_same_end(open_tab):
    _tab, element = machine(open_tab, still=True, prompt="Pietro chiama", step=0)
    element.query_selector(".live-play").click()
    assert element.evaluate("e => [e.view.reach, e.view.until, e.state.step]") == [1, 1, 1]
    element.query_selector(".live-play").click()


@pytest.mark.parametrize("width, flow", [(1280, "across"), (390, "down")])
def test_on_a_phone_it_is_tall(open_tab, width, flow):
    tab, element = machine(open_tab, width=width, prompt="5 chiama Paolo vice Paolo chiama 3")
    stage = element.query_selector(".machine-stage")
    assert stage.get_attribute("data-flow") == flow
    box = stage.bounding_box()
    assert (box["height"] > 2 * box["width"]) == (flow == "down")
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    outside = """e => [...e.querySelectorAll('.machine-stage > div *')].filter(x => {
      const r = x.getBoundingClientRect(), s = e.querySelector('.machine-stage').getBoundingClientRect();
      return r.width && (r.left < s.left - 1 || r.right > s.right + 1 || r.bottom > s.bottom + 1);
    }).map(x => x.textContent || x.className)"""
    assert element.evaluate(outside) == []


def test_a_listener_gets_a_table_of_what_is_seen(open_tab):
    _tab, element = machine(open_tab, prompt=FIRST)
    rows = element.query_selector_all(".live-numbers tbody tr")
    assert [row.get_attribute("data-part") for row in rows] == list(parts_of("calling-game")[1:-1])
    labels = "e => [...e.querySelectorAll('.machine-stage button')].map(b => b.getAttribute('aria-label'))"
    names = element.evaluate(labels)
    assert all(names) and "Paolo, word 4; after it the model says Tarso with 99.98%" in names
    assert len(steps_of("calling-game")) == 7


def test_an_opened_part_says_first_what_it_does(open_tab):
    """In words with the words at hand, then the weights; formula, code and numbers are folded below."""
    figure = find("machine")
    tab, element = machine(open_tab, width=390, prompt=FIRST)
    for part in parts_of("calling-game")[1:]:
        press(element, part)
        opened = "part => document.querySelector('live-figure:has(.machine-detail)')?.state.open === part"
        tab.wait_for_function(opened, arg=part)
        box = element.query_selector(".machine-detail")
        plain = box.query_selector(".machine-plain").text_content()
        assert plain == figure.state(figure.values(prompt=FIRST, open=part))["plain"] and "“Paolo”" in plain
        assert not box.query_selector(".machine-formula").is_visible()
    press(element, "head 0.1")
    assert "This head lets “Paolo” collect information from “chiama” (98%)" in element.text_content()
    assert element.query_selector(".machine-weights").is_visible()
    press(element, "attention 0")
    press(element, "fold")
    press(element, "feed-forward 0")  # stays unfolded
    formula = element.query_selector(".machine-formula")
    assert formula.is_visible() and formula.evaluate("e => e.scrollWidth <= e.clientWidth")
    cell = element.query_selector('[data-key="row u"] .machine-cell:nth-child(3)')
    assert cell.evaluate("e => parseFloat(getComputedStyle(e).fontSize)") >= 12
    cell.click()
    tab.mouse.move(1, 1)
    assert "machine-pressed" in cell.get_attribute("class")
    name = element.query_selector('.machine-name[data-term="u"]').bounding_box()
    told = element.query_selector(".machine-sum").bounding_box()
    assert told["y"] >= name["y"] + name["height"], "the explanation does not cover the heading"
    # The stream's 8 by 8 numbers stand in rows of eight, and the title and its × stay above what scrolls.
    tops = "e => new Set([...e.children].map(c => c.offsetTop)).size"
    assert element.query_selector("[data-key='row x']").evaluate(tops) == 8
    title, cross = (element.query_selector(f".machine-{part}").bounding_box() for part in ("title", "close"))
    sheet = element.query_selector(".machine-room")
    assert sheet.evaluate("e => e.scrollTop") > 100 and title["y"] >= sheet.bounding_box()["y"]
    assert abs(title["y"] + title["height"] / 2 - cross["y"] - cross["height"] / 2) < 2
    # An attention map of twelve words fits.
    press(element, "close")
    element.query_selector("input[role=combobox]").fill("5 chiama Paolo vice Paolo chiama 3 3 chiama 7 7")
    press(element, "head 0.1")
    fits = "e => e.querySelectorAll('thead th').length === 12 && e.scrollWidth <= e.clientWidth"
    assert element.query_selector(".machine-where .live-scroll").evaluate(fits)
    assert tab.complaints == []


def test_the_text_can_be_read_in_full(open_tab):
    """Set as a page sets a story; what was added is marked; in the game with its English."""
    tab, element = machine(open_tab, "machine_story", prompt="once there was a")
    tab.evaluate("() => { let n = 0; Math.random = () => (n += 0.37) % 1; }")
    for _ in range(40):
        act(element, DRAW)
    words = state(element)["words"]
    written = element.query_selector(".machine-written")
    assert written.text_content().rstrip(" …").replace("(the end)", "").strip() == readable(words)
    marked = "".join(mark.text_content() for mark in written.query_selector_all("mark"))
    assert len(marked.split()) >= 30 and not marked.startswith("Once")
    assert written.evaluate("e => e.offsetHeight <= e.closest('.machine-text').offsetHeight")
    tab, game = machine(open_tab, prompt="Pietro chiama", step=5)
    game.query_selector('[data-key="next"]').click()  # the question mark brings the next word
    assert len(state(game)["words"]) == 4
    assert game.query_selector(".machine-written mark").text_content() == state(game)["words"][-1]
    assert game.query_selector(".machine-english").text_content().startswith("In English: Pietro calls ")
    assert game.query_selector(".machine-others").text_content().startswith("others (18 words)")
    text = "1 chiama 2 2 chiama Pietro capo Pietro chiama Paolo Tarso 3"
    game.query_selector("input[role=combobox]").fill(text)
    want = "player 1 calls player 2; player 2 calls Pietro chief! Pietro calls Paolo Tarsus! player 3 …"
    whole = game.evaluate("e => MachineSaid.inEnglish(e.state.words.slice(1), e.view.data.english)")
    assert f"{whole} …" == want
    assert game.query_selector(".machine-english").text_content() == f"In English: {want}"
    game.query_selector(".machine-key summary").click()
    signs = [sign.text_content() for sign in game.query_selector_all(".machine-key li")]
    for what in ("negative", "⊕", "heads 0 to 3", "hidden units", "counted from 0"):
        assert sum(what in sign for sign in signs) == 1, what


def test_columns_of_text_begin_at_one_place_and_numbers_end_at_one(open_tab):
    _tab, element = machine(open_tab, prompt=FIRST)
    element.query_selector(".live-numbers summary").click()
    sides = "e => [...e.rows].map(({cells}) => [...cells].map((c) => getComputedStyle(c).textAlign))"
    rows = element.query_selector(".live-table").evaluate(sides)
    assert {tuple(row) for row in rows} == {("left", "left", "right", "left", "right")}


def test_the_end_names_controls_that_exist(open_tab):
    tab, element = machine(open_tab, prompt="Pietro chiama 3 <EOS>")
    says = element.query_selector(".live-says").text_content()
    assert says.startswith("The text has ended: nothing follows <EOS>. Press “Play” to begin again, or “")
    assert element.query_selector(".machine-ended").is_visible()
    english = element.query_selector(".machine-english").text_content()
    assert english == "In English: Pietro calls player 3 (end)"
    box = element.query_selector("input[role=combobox]")
    box.fill("Pietro chiama 3")
    press(element, "next")
    assert element.query_selector(".machine-english").text_content().startswith(english.replace(" (end)", ""))
    # A draw of nearly one is the least probable word, and the last that is not cut off ends the text.
    tab.evaluate("Math.random = () => 0.999999999")
    for _ in range(72):
        if element.evaluate("e => e.state.over"):  # (the whole state is long)
            break
        act(element, DRAW)
    play = element.query_selector(".live-play")
    play.click()
    assert state(element)["prompt"] == "Pietro chiama 3" and play.text_content() == "Pause"
    play.click()
    box.fill("Pietro chiama 3 <EOS>")
    element.query_selector(".live-act:text-is('Back')").click()
    assert state(element)["prompt"] == "Pietro chiama 3"
    element.query_selector(".live-link").click()
    element.wait_for_selector(".live-copied:not(:empty)")


def test_on_a_phone_what_moves_is_in_view(open_tab):
    """Play brings the figure; a bar at the lower edge pauses, steps and tells."""
    tab, element = machine(open_tab, width=390, prompt="Pietro chiama", step=0)
    tab.evaluate(
        "scrollTo(0, document.querySelector('live-figure').getBoundingClientRect().top + scrollY - 60)"
    )
    says, heights = element.query_selector(".live-says"), set()
    bar = element.query_selector(".live-player")
    bar.query_selector(".live-play").click()
    tab.wait_for_function("() => document.querySelector('.live-player .live-answer').textContent")
    box, stage = bar.bounding_box(), element.query_selector(".machine-stage").bounding_box()
    assert abs(box["y"] + box["height"] - 900) <= 1
    for _ in range(2):
        heights.add(bar.bounding_box()["height"])
        tab.wait_for_timeout(1100)
    stage = element.query_selector(".machine-stage").bounding_box()
    assert stage["y"] < 120 and stage["y"] + stage["height"] > 400
    both = "([bar, says]) => [bar.querySelector('.live-answer').textContent, says.textContent]"
    told, said = tab.evaluate(both, [bar, says])  # (together: it plays on)
    assert told == said and len(heights) == 1
    bar.query_selector(".live-play").click()
    assert [b.text_content() for b in element.query_selector_all(".live-play")] == ["Play", "Play"]
    # What a step tells of is seen: the part lies between the upper bar and this one.
    parts = [
        "embedding",
        "attention 0",
        "feed-forward 0",
        "attention 1",
        "feed-forward 1",
        "logits",
        "logits",
    ]
    for _ in parts:
        bar.query_selector(".live-act:text-is('Step')").click()
        part = parts[int(state(element)["step"])]
        label = at_rest(element.query_selector(f"[data-part='{part}']")).bounding_box()
        assert 50 < label["y"] < bar.bounding_box()["y"] - 150, part
    # After one pass through all parts Play adds whole words: one looks at the text.
    bar.query_selector(".live-speed").select_option("8")
    bar.query_selector(".live-play").click()
    tab.wait_for_function("e => e.view.wholeWords", arg=element)
    tab.wait_for_timeout(900)
    assert state(element)["step_name"] == "prediction" and tab.complaints == []


def test_frames_and_tokens_are_quick(open_tab):
    """A frame under 16 ms, a token under 50 ms (twice that for stories, as the machine is often busy)."""
    for name, text in (
        ("machine", "5 chiama Paolo vice Paolo chiama"),
        ("machine_story", "leo was a kind boy"),
    ):
        tab, element = machine(open_tab, name, prompt=text, new=True)
        frames = element.evaluate(FRAMES)
        tokens: list[float] = []
        while len(tokens) < 12 or (min(tokens) >= 50 and len(tokens) < 60):
            tokens.append(element.query_selector("[data-act=draw]").evaluate(TOKEN))
        tokens.sort()
        print(f"{name}: frame {frames[0]:.1f} ms, median {frames[30]:.1f}")
        print(f"  token {tokens[0]:.1f} ms, median {tokens[4]:.1f}")
        assert frames[0] < 16 and tokens[0] < (50 if name == "machine" else 100)
        tab.close()


@pytest.mark.parametrize("width", [1280, 390])
def test_a_switch_bears_the_name_of_its_part(open_tab, width):
    tab = open_tab("file", "notebooks/15_the_whole_model.html", width=width)
    figure = tab.locator("live-figure[data-key=machine]")
    figure.scroll_into_view_if_needed()
    figure.locator("[data-key=switcher]").click()
    switches = figure.locator(".machine-toggle")
    names = [f"{i}.{h}" for i in range(2) for h in range(4)] + ["FFN 0", "FFN 1"]
    assert sorted(switches.all_inner_texts()) == sorted(names)
    for switch in switches.all():
        box = switch.bounding_box()
        assert min(box["width"], box["height"]) >= 24
        assert switch.evaluate("e => e.scrollWidth <= e.clientWidth + 1"), "its name fits"
    switches.first.click()
    struck = "e => getComputedStyle(e).textDecorationLine"
    assert switches.first.evaluate(struck) == "line-through" and tab.complaints == []


def test_a_word_that_cannot_be_appended_says_why(open_tab):
    tab = open_tab("file", "notebooks/15_the_whole_model.html")
    figure = tab.locator("live-figure[data-key=machine]")
    figure.scroll_into_view_if_needed()
    figure.locator("[data-act=step]").first.click()
    told, row = figure.locator(".machine-told"), figure.locator("[data-key='bar 2']")
    text = figure.evaluate("e => e.state.prompt")
    for says in ("A guess in the middle of the pass", "These would follow “<BOS>”"):
        assert row.get_attribute("aria-disabled") == "true" and row.get_attribute("title").startswith(says)
        row.click(force=True)
        assert told.inner_text().startswith(says) and figure.evaluate("e => e.state.prompt") == text
        figure.locator("[data-key='word 0']").click()
    figure.locator(".machine-word").last.click()
    assert row.get_attribute("aria-disabled") is None
    row.click()
    assert figure.evaluate("e => e.state.prompt") != text and tab.complaints == []
