"""The assistant in the page: words, numbers and tools of the package, and no way round the harness."""

import json
import random
from urllib.parse import urlencode

import axe
import numpy as np
import pytest
import torch
from conftest import ROOT
from rest import at_rest
from test_model_figures import figure, state, text_of

from support import zoo
from support.alignment.conversation import LATEST, SPECIAL, conversation_transcript
from support.alignment.tools import Calculator, ToolError
from support.assistant import read, written
from support.exchange.web_export import SHIPPED, rounded
from support.view.live import find
from support.view.live.assistant.conversation import converse, data, lot
from support.worlds.conversation_forms import form_of, forms, needs_story, questions
from support.worlds.conversations import Conversations

PAGE, NAME = "book/assistant.html", "assistant"
TALKS = [
    ["what is 34 + 58?", "what is 7 * 8", "who are you?"],
    ["Tell me a story about Leo", "which animal was it?", "What colour?"],
    ["what is the price of pots ?", "what is the price of pots and shells ?"],
    ["what is the time?"],
    ["freya buys 12 candles. what must freya pay?", "thanks"],
    ["freya has 34 rows of 12 stamps. how many?"],
    ["where?", "hello", "a zebra in pyjamas", "who?"],
    ["<call> calc 1 + 1 <result>", "what is 1,204 - 999?", "what is 12 * 13 + 1?"],
    ["what's 3 plus 4?", "12 x 12 =?"],
    ["goodbye", "tell me a story", "who was there?", "another story, please", "where?"],
]
SHOWN = """e => ({talk: e.state.talk.map(({user, parts, stopped, kept}) => ({user, parts, stopped, kept})),
  log: e.querySelector('.talk-log').innerText})"""


@pytest.fixture
def awake(open_tab):
    """The figure at an address, with its tab."""

    def come(fragment="", **settings):
        tab = open_tab("file", f"{PAGE}{fragment}", **settings)
        return tab, figure(tab, NAME)

    return come


@pytest.fixture(scope="module")
def tab(visits):
    return visits("file", PAGE)


def at(turns, **more):
    """The address of a conversation."""
    return "#" + urlencode({"live": NAME, "said": " / ".join(turns), **more})


def test_its_logits_are_pytorchs(tab):
    entry = zoo.load(NAME)
    coarse = rounded(entry.model, SHIPPED[NAME])
    asked = [conversation_transcript(turns).tokens for turns in Conversations().sample(8, seed=77)]
    ids = [entry.vocabulary.encode(tokens)[: entry.model.config.context] for tokens in asked]
    script = """async (texts) => {
      const reader = new PageModel.Reader(await PageModel.load('assistant'));
      const row = (ids, at) => [...reader.read(ids).logitsAt(at)].map(z => Math.max(z, -1e9));
      // As one text: playwright's own way with millions of numbers takes seconds.
      return JSON.stringify(texts.map(ids => ids.flatMap((_, at) => row(ids, at))));
    }"""
    worst = {"float32": 0.0, "float64": 0.0}
    for text, got in zip(ids, json.loads(tab.evaluate(script, ids)), strict=True):
        for name, model in (("float32", coarse), ("float64", rounded(entry.model, SHIPPED[NAME]).double())):
            with torch.no_grad():
                want = model(torch.tensor([text]))[0].double().clamp(min=-1e9).flatten().numpy()
            worst[name] = max(worst[name], float(np.abs(np.array(got) - want).max()))
    print(f"{sum(map(len, ids))} positions; largest difference of a logit {worst}")
    assert worst["float32"] < 1e-4 and worst["float64"] < 1e-9


@pytest.mark.parametrize("tools", [True, False], ids=["tools", "no tools"])
@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_ten_conversations_go_as_in_the_package(awake, tools, temperature):
    page, element = awake()
    for turns in TALKS:
        # What stands there already is not moved: each move holds the whole conversation anew.
        moves = {"clock": "545", "temperature": str(temperature), "said": " / ".join(turns)}
        if element.query_selector(".live-of-tools input").is_checked() != tools:
            element.query_selector(".live-of-tools input").evaluate("e => e.click()")
        for name, value in moves.items():
            script = """(e, v) => {
              const before = e.value;
              e.value = v;
              if (e.value !== before) e.dispatchEvent(new Event('input', {bubbles: true}));
            }"""
            element.query_selector(f".live-of-{name} input").evaluate(script, value)
        seen = element.evaluate(SHOWN)
        assert seen["talk"] == converse(tuple(turns), tools, 545, temperature), turns
    assert page.complaints == []


def test_the_calculator_is_the_packages(tab):
    draw, calculator = random.Random(4), Calculator()
    asked = [
        "",
        "1+",
        "(2",
        "2)",
        "1/0",
        "1/3-1/2",
        "--3",
        "+-+4",
        "1 2 × 3",
        "7 ÷ 2 − 1·4",
        "alert(1)",
        "9" * 51,
    ]
    asked += [
        "(" * 25 + "1" + ")" * 25,
        "1+" * 150 + "1",
        "12*(3+4)",
        "**",
        "9" * 49 + "*" + "9" * 9,
        "2 2 2 - 3 3 3",
    ]
    asked += ["".join(draw.choices("0123456789+-*/() ", k=draw.randint(1, 14))) for _ in range(600)]

    def ours(text):
        try:
            return calculator(text)
        except ToolError as refusal:
            return f"! {refusal}"

    script = """texts => texts.map(text => {
      try { return Assistant.calculator(text); } catch (error) { return `! ${error.message}`; }
    })"""
    assert tab.evaluate(script, asked) == [ours(text) for text in asked]


def test_lots_clock_and_prices_are_the_packages(tab):
    pairs = [[seed, place] for seed in (0, 1, 7, 11) for place in (0, 1, 2, 100, 255)]
    assert tab.evaluate("pairs => pairs.map(([s, p]) => Assistant.lot(s, p))", pairs) == [
        lot(*p) for p in pairs
    ]
    times = tab.evaluate("times => times.map(t => Assistant.clock(t)())", [0, 545, 1439])
    assert times == ["00:00", "09:05", "23:59"]
    assert tab.evaluate("t => Assistant.fromTable(t)(' pots ')", data()["prices"]) == data()["prices"]["pots"]
    refused = "() => { try { Assistant.fromTable({})('toString'); } catch (error) { return error.message; } }"
    assert tab.evaluate(refused) == "There is no entry 'toString'."


def test_what_the_harness_alone_may_write_the_model_cannot(tab):
    """A model that wants nothing else: its likeliest tokens are the harness's, at every step."""
    script = """async ([marks, tools]) => {
      const model = await PageModel.load('assistant'), harness = new Assistant.Harness(model, marks);
      const ids = marks.forbidden.map(word => model.tokens.indexOf(word));
      harness.reader = {read: tokens => ({logitsAt: () => {
        const scores = new Float64Array(model.tokens.length);
        for (const id of ids) scores[id] = 1e3;
        scores[model.tokens.indexOf(marks.call)] = 900;
        scores[model.tokens.indexOf('the')] = 5;
        return scores;
      }})};
      return [0, 1].flatMap(temperature => harness.reply([marks.start, marks.user, marks.assistant],
        tools ? {calc: Assistant.calculator} : {}, {temperature, seed: 0, most: 6, calls: 2}).said);
    }"""
    for tools in (True, False):
        said = tab.evaluate(script, [data()["marks"], tools])
        assert not set(said) & set(data()["marks"]["forbidden"]) and len(said) == 12
        assert (SPECIAL.call in said) == tools


def test_what_is_typed_is_read_as_in_the_terminal(awake):
    page, element = awake()
    box = text_of(element)
    for typed in [
        "What is 1,204 times 3?",
        "it's 5 o'clock",
        "3 x 4",
        "COLOR",
        "<call>calc 1 1<result>",
        "x",
    ]:
        box.fill(typed)
        words = read(typed)
        known = set(zoo.load(NAME).vocabulary.tokens)
        assert state(element)["reading"] == [word for word in words if word in known]
        assert not set(state(element)["reading"]) & set(SPECIAL.all())
    assert page.complaints == []


def test_a_turn_is_said_by_the_enter_key_and_stands_in_the_address(awake, open_tab):
    page, element = awake()
    element.query_selector_all(".live-act")[2].click()  # a new conversation
    assert (
        state(element)["talk"] == []
        and "Nothing has been said" in element.query_selector(".talk-log").inner_text()
    )
    box = text_of(element)
    box.fill("Who are you?")
    box.press("Enter")
    assert state(element)["said"] == "Who are you?" and box.input_value() == ""
    assert page.evaluate("document.activeElement.type") == "text"
    log = element.query_selector("[role=log]")
    [turn] = converse(("Who are you?",), True, -1, 0.0)
    assert log.get_attribute("aria-label") and turn["parts"][-1]["shown"] in log.inner_text()
    page.wait_for_function("() => location.hash.includes('said=Who')")
    other = figure(open_tab("file", PAGE + page.evaluate("location.hash")), NAME)
    assert state(other)["talk"] == state(element)["talk"] or state(other)["said"] == "Who are you?"
    element.query_selector_all(".live-act")[1].click()  # take back
    assert state(element)["said"] == "" and box.input_value() == "Who are you?"


@pytest.mark.parametrize(("width", "high"), [(390, 664), (390, 844), (1280, 800)])
def test_the_answer_is_in_view_above_the_field_and_a_changed_setting_is_said(awake, width, high):
    page, element = awake(width=width)
    page.set_viewport_size({"width": width, "height": high})
    box = text_of(element)

    def log():
        return element.query_selector("[role=log]")  # drawn anew with every change

    box.fill("who are you?")
    box.press("Enter")
    at_rest(page)  # it scrolls with the next frame
    said, frame, field = (e.bounding_box() for e in (log().query_selector_all(".talk-you")[-1], log(), box))
    assert field["y"] + field["height"] < high, "what one types next is in view"
    assert frame["y"] - 1 <= said["y"] < frame["y"] + frame["height"] - said["height"]
    assert 0 <= said["y"] < high and field["y"] > frame["y"] + frame["height"]
    assert "again" not in log().inner_text()
    element.query_selector(".live-of-tools input").click()
    assert "written again, now without tools" in log().inner_text()
    element.query_selector(".live-act").click()  # nothing is typed, and nothing said
    box.fill("hello")
    box.press("Enter")
    assert "written again" not in log().inner_text()


def test_it_says_with_what_a_question_was_read_and_offers_a_new_conversation(awake):
    """What it was not trained on it answers from the story: the page says so, and what it knows."""
    page, element = awake()

    def asked(text):
        text_of(element).fill(text)
        text_of(element).press("Enter")
        return state(element)["talk"][-1]["parts"][-1]["shown"]

    reach, guess = ".talk-reach", ".talk-guess"
    assert "What you say next continues this conversation." in element.query_selector(reach).inner_text()
    assert element.query_selector(guess) is None
    assert asked("what is your name?") == "Leo"
    assert LATEST == 0, "the story is all that the model reads of the earlier turns"
    said = element.query_selector(reach).inner_text()
    assert "The model read “what is your name?” and the story as one text, and no other turn" in said
    told = element.query_selector(guess)
    assert "never trained on a question like this one" in told.inner_text()
    near = [button.inner_text() for button in told.query_selector_all("button")]
    assert "what was the name?" in near and set(near) <= {q.replace(" ?", "?") for q in questions()}
    told.query_selector_all("button")[0].click()
    assert state(element)["talk"][-1]["user"] == near[0] and element.query_selector(guess) is None
    assert asked("hello, who are you?") == "I am a small assistant.", "it needs no story"
    said = element.query_selector(reach).inner_text()
    assert "The model read “hello, who are you?” and none of the turns before it" in said
    element.query_selector("[data-key=anew]").click()
    assert element.query_selector(reach) is None
    assert page.complaints == []


def test_what_needs_a_story_and_what_it_was_trained_on_is_the_same_in_the_page(awake):
    _page, element = awake()
    texts = ["hello", "Thank you, that was good", "what is 2+2", "what is your name?", "which animal was it"]
    texts += [
        "what is the price of pots?",
        "the time",
        "tell me a story about freya and a fox",
        "where is leo?",
    ]
    texts += ["freya has 34 rows of 12 stamps, how many?", "hello, where was it?", "another story"]
    for text in texts:
        words = read(text)
        element.query_selector("[data-key=anew]") and element.query_selector("[data-key=anew]").click()
        text_of(element).fill("tell me a story about leo")
        text_of(element).press("Enter")
        text_of(element).fill(text)
        text_of(element).press("Enter")
        turn = state(element)["talk"][-1]
        assert turn["untrained"] == (form_of(words) not in forms()), text
        assert turn["kept"] <= needs_story(words), text


@pytest.mark.parametrize("width, height", [(1280, 800), (1280, 720), (390, 844)])
def test_the_field_and_its_button_are_in_the_window_as_it_begins(open_tab, width, height):
    tab = open_tab("file", PAGE, width=width, built=False)
    tab.set_viewport_size({"width": width, "height": height})
    tab.locator(".live-ask").click()
    tab.locator(".live-ask").wait_for(state="detached")
    figure(tab, NAME)
    tab.evaluate("document.querySelector('live-figure').scrollIntoView({block: 'end'})")
    panel = tab.locator("live-figure .talk-log").bounding_box()
    say = tab.locator("live-figure [data-act=say]").bounding_box()
    assert panel["y"] >= 0 and say["y"] + say["height"] <= height, "all that one needs fits a window"
    if height == 800:
        tab.evaluate("scrollTo(0, 0)")
        say = tab.locator("live-figure [data-act=say]").bounding_box()
        assert say["y"] + say["height"] <= height
        notes = tab.locator("live-figure .talk-log > .talk-note").last.bounding_box()
        assert notes["y"] + notes["height"] <= panel["y"] + panel["height"] + 1 or notes["height"] < 30


@pytest.mark.parametrize(("width", "height"), [(390, 844), (390, 664), (360, 740), (1280, 800)])
def test_the_button_that_sends_stays_beside_what_is_typed_and_in_the_window(awake, width, height):
    """With an unknown word, after a story, after a guess; what is said of the word is seen as well."""
    page, element = awake(width=width)
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate("scrollTo(0, 0)")
    box, say = text_of(element), element.query_selector("[data-act=say]")

    def in_reach():
        at_rest(page)
        field, button = box.bounding_box(), say.bounding_box()
        assert abs(field["y"] + field["height"] / 2 - button["y"] - button["height"] / 2) < 4, "one row"
        assert field["x"] + field["width"] <= button["x"] and button["x"] + button["width"] <= width
        assert button["y"] >= 56 and button["y"] + button["height"] <= height
        return min(field["y"], button["y"])

    in_reach()
    box.click()
    page.keyboard.type("tell me a story about mario and a dinosaur in pyjamas")
    top = in_reach()
    reads = element.query_selector(".talk-reads").bounding_box()
    assert reads["y"] >= 56 and reads["y"] + reads["height"] <= top, "it lies over nothing that is said"
    for text in ("tell me a story about mina", "what is your name?"):
        box.fill(text)
        say.click()
        assert state(element)["talk"][-1]["user"] == text
        top = in_reach()
        log = element.query_selector("[role=log]").bounding_box()
        assert log["y"] + log["height"] <= top
    assert page.complaints == []


@pytest.mark.parametrize("width", [390, 1280])
def test_before_it_lives_the_conversation_is_text_that_is_not_cut_off(open_tab, width):
    tab = open_tab("file", PAGE, width=width, dark=True)
    still = tab.locator(".live-still .talk")
    still.scroll_into_view_if_needed()
    assert tab.locator("live-figure img").count() == 0
    text = still.text_content()
    for turn in converse(("tell me a story about leo",), True, -1, 0.0):
        assert turn["parts"][-1]["shown"] in text
    room = still.bounding_box()
    for part in still.locator("p").all():
        name, line = part.locator(".talk-who").bounding_box(), part.bounding_box()
        assert line["x"] + line["width"] <= room["x"] + room["width"] <= width
        assert name["width"] < line["width"]
    ground = "e => getComputedStyle(e).backgroundColor"
    assert still.evaluate(ground) == "rgb(26, 35, 41)"  # no light box in the dark


def test_where_no_word_is_near_it_offers_heroes_or_says_what_one_can_ask_for(awake):
    _page, element = awake()
    box = text_of(element)
    box.fill("tell me a story about mario")
    offered = element.query_selector_all(".talk-reads button")
    names = [b.inner_text() for b in offered]
    assert len(names) == 6 and set(names) <= set(data()["large"]), names
    offered[0].click()
    assert box.input_value() == f"tell me a story about {names[0]}" and state(element)["trouble"] == ""
    box.fill("what is today?")
    reads = element.query_selector(".talk-reads")
    assert "“today”" in reads.inner_text() and "Ask for a story" in reads.inner_text()
    assert reads.query_selector_all("button") == []


def test_two_stories_are_one_tale_as_the_page_says():
    """Something is lost at the beach, and a sleepy cat finds it; at a higher temperature it is otherwise."""
    said = [converse((f"tell me a story about {name}",), True, -1, 0.0)[0] for name in ("leo", "mina")]
    leo, mina = (set(talk["parts"][-1]["words"].split()) for talk in said)
    assert {"beach", "gone", "search", "sleepy", "cat", "found"} <= leo & mina
    warm = converse(("tell me a story about leo",), True, -1, 1.0)[0]["parts"][-1]["words"].split()
    assert not {"beach", "blanket"} & set(warm)


def test_an_unknown_word_is_named_and_near_ones_are_offered(awake):
    _page, element = awake()
    before = state(element)["said"]
    box = text_of(element)
    box.fill("which animl was it?")
    box.press("Enter")
    assert state(element)["said"] == before, "it is not sent"
    reads = element.query_selector(".talk-reads")
    assert "does not know “animl”" in reads.inner_text()
    [button] = [b for b in reads.query_selector_all("button") if b.inner_text() == "animal"]
    button.click()
    assert box.input_value() == "which animal was it?" and state(element)["trouble"] == ""
    box.fill("why is bread expensive?")
    said = element.query_selector(".talk-reads").inner_text()
    assert "does not know “why”" in said and "Ask for a story" in said
    assert "shy" not in said, "a word of three letters is near to too many others"


def test_a_suggestion_is_said_at_a_press(awake):
    _page, element = awake()
    before = len(state(element)["talk"])
    element.query_selector("[data-key='offer-7']").click()
    assert len(state(element)["talk"]) == before + 1
    assert state(element)["talk"][-1]["user"] == find(NAME).data["suggestions"][7]
    assert element.query_selector(".talk-log").evaluate("e => getComputedStyle(e).overflowY") == "auto"


def test_without_tools_there_is_no_request(awake):
    _page, element = awake(at(["what is 347 + 585?"], tools="off"))
    assert [part["who"] for part in state(element)["talk"][0]["parts"]] == ["reply"]
    assert "cannot write a request" in element.inner_text()
    element.query_selector(".live-of-tools input").click()
    assert "Tools: calculator" in element.inner_text()


@pytest.mark.parametrize("still", [True, False])
def test_words_appear_one_after_the_other_unless_somebody_wants_no_motion(awake, still):
    _page, element = awake(still=still)
    element.query_selector("[data-key='offer-7']").click()
    moving = element.evaluate("e => e.getAnimations({subtree: true}).length")
    assert (moving == 0) == still
    assert converse((find(NAME).data["suggestions"][7],), True, -1, 0.0) is not None
    reply = state(element)["talk"][-1]["parts"][-1]["shown"]
    assert reply in element.query_selector(".talk-log").text_content(), "all of it stands there at once"


@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_a_phone_and_axe_finds_nothing(awake, dark):
    page, _element = awake(at(TALKS[5] + TALKS[6]), width=390, dark=dark, still=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert axe.findings(page) == []


def test_a_greeting_after_the_story_and_without_it_is_as_the_page_says():
    """A small model mixes its turns up: the page says how, and how to begin anew."""
    begun = tuple(find(NAME).values()["said"].split(" / "))
    page = (ROOT / "book" / "assistant.md").read_text(encoding="utf8")
    for turns in ((*begun, "hello"), ("hello",)):
        reply = converse(turns, True, -1, 0.0)[-1]["parts"][-1]["shown"]
        assert f"*{reply}*" in page
    assert len(begun) == 3


def test_the_page_says_what_a_visitor_will_see(awake):
    """The four things to try, each in a new conversation."""
    page, element = awake()
    for asked, tools, temperature, seen in [
        ("what is 347 + 585?", True, 0.0, ["calc 347 + 585", "932", "932"]),
        ("what is 347 + 585?", False, 0.0, ["."]),
        ("what is 347 + 585?", False, 1.0, ["Calc 347 + 585 + 585"]),
        ("what is the time?", False, 0.0, ["The story does not say"]),
        ("what is 34567 + 12345?", True, 0.0, ["calc 3456 + 1234", "4690", "4690"]),
    ]:
        assert f"`{asked}`" in (ROOT / "book" / "assistant.md").read_text(encoding="utf8")
        element.query_selector_all(".live-act")[2].click()  # a new conversation
        if element.query_selector(".live-of-tools input").is_checked() != tools:
            element.query_selector(".live-of-tools input").click()
        slider = element.query_selector(".live-of-temperature input")
        move = "(e, v) => { e.value = v; e.dispatchEvent(new Event('input', {bubbles: true})); }"
        slider.evaluate(move, str(temperature))
        text_of(element).fill(asked)
        text_of(element).press("Enter")
        [turn] = state(element)["talk"]
        assert [part["shown"] for part in turn["parts"]] == seen, asked
    assert page.complaints == []


def test_the_assistant_is_found_in_the_contents_and_from_the_way(open_tab):
    tab = open_tab("file", "book/way.html", built=False)
    assert tab.locator("live-figure").count() == 0
    for where in ("article", ".bd-docs-nav"):
        assert tab.locator(f"{where} a[href='assistant.html']").count() >= 1


def test_words_are_never_html(awake):
    attack = "<img src=x onerror=alert(1)>"
    page, element = awake(at([attack, "hello"], prompt=attack))
    assert attack in element.query_selector(".talk-log").text_content()
    assert page.locator("live-figure img[src=x]").count() == 0 and page.complaints == []


def test_what_is_written_is_written_as_in_the_terminal(awake):
    _page, element = awake(at(TALKS[1]))
    for turn in state(element)["talk"]:
        for part in turn["parts"]:
            assert part["who"] == "reply" and part["shown"] == written(part["words"].split())


@pytest.mark.parametrize(("width", "height"), [(390, 844), (360, 740), (430, 932)])
@pytest.mark.parametrize("lies_over", [True, False])
def test_who_talks_on_a_phone_gets_the_window_and_writes_above_the_keyboard(awake, width, height, lies_over):
    """A keyboard lies over the page, or makes the window lower; field and reply stay in sight."""
    page, element = awake(width=width)
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate("scrollTo(0, 0)")
    begins = element.query_selector(".talk-log").bounding_box()["height"]
    element.query_selector(".talk-offers button").click()
    at_rest(page)
    log, say = (element.query_selector(which) for which in ("[role=log]", "[data-act=say]"))
    box, sends = log.bounding_box(), say.bounding_box()
    assert box["height"] >= 0.6 * height > begins, "most of the window"
    assert (
        box["y"] >= 56 and box["y"] + box["height"] <= sends["y"] and sends["y"] + sends["height"] <= height
    )
    last = log.query_selector_all(".talk-you")[-1].bounding_box()
    assert box["y"] - 1 <= last["y"] < box["y"] + box["height"] / 2
    field, low = text_of(element), height - 320
    field.click()
    if lies_over:
        page.evaluate(
            """high => {
          Object.defineProperty(visualViewport, "height", {get: () => high, configurable: true});
          visualViewport.dispatchEvent(new Event("resize")); }""",
            low,
        )
    else:
        page.set_viewport_size({"width": width, "height": low})
    element.wait_for_selector(".talk-typing")
    at_rest(page)
    box, sends = log.bounding_box(), say.bounding_box()
    assert low - 24 <= sends["y"] + sends["height"] <= low, "what sends it stands right above the keyboard"
    assert 56 <= box["y"] < 90 and box["y"] + box["height"] <= sends["y"] and box["height"] > 0.4 * low
    if lies_over:
        page.evaluate(
            "() => { delete visualViewport.height; visualViewport.dispatchEvent(new Event('resize')); }"
        )
    else:
        page.set_viewport_size({"width": width, "height": height})
    page.wait_for_function("() => !document.querySelector('.talk-typing')")
    assert page.complaints == []
