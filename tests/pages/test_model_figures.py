"""Figures that run a model: buttons, offered words, squares, the address; and a prompt that stays text."""

import random
import re
from pathlib import Path
from urllib.parse import parse_qs, urlencode

import pytest

from support.view.live import find
from support.view.live.attention import attention
from support.view.live.lens import lens
from support.view.live.trajectory import trajectory

SITE = Path(__file__).resolve().parents[2] / "_build" / "html"
PAGE = "book/playground.html"
ATTACK = "<img src=x onerror=alert(1)>"
ATTACKS = [
    ATTACK,
    f"Pietro chiama {ATTACK}",
    '"><script>alert(1)</script>',
    "javascript:alert(1)",
    "{finding}",
]


# What stands beside a figure that came near has come, too, and moves nothing any more.
ALL_THAT_ARE_NEAR = """async () => {
  for (const frame of [1, 2]) await new Promise((done) => requestAnimationFrame(done));
}"""


@pytest.fixture
def opened(open_tab):
    """The page of figures, at an address; each is built when it comes near."""
    return lambda fragment="", page=PAGE, way="file": open_tab(way, f"{page}{fragment}", built=False)


FIND = """name => [...document.querySelectorAll("live-figure")]
  .find(e => JSON.parse(e.querySelector("script.live-spec").textContent).name === name)"""


def find_figure(tab, name):
    """The element of the figure of this name, asked for."""
    element = tab.evaluate_handle(FIND, name).as_element()
    assert element, name
    element.evaluate(
        "(e) => { for (const fold of document.querySelectorAll('details')) fold.open ||= fold.contains(e); }"
    )
    element.scroll_into_view_if_needed()
    if button := element.query_selector(".live-ask"):
        button.click()
    return element


def figure(tab, name):
    """The element of the figure of this name, awake."""
    element = find_figure(tab, name)
    element.wait_for_selector(".live-panel")
    tab.evaluate(ALL_THAT_ARE_NEAR)
    return element


def text_of(element):
    return element.query_selector("input[type=text]")


def state(element):
    return element.evaluate("e => e.state")


# --- next word ---
@pytest.mark.parametrize("name", ["next_word", "next_story_word"])
def test_the_same_number_draws_the_same_word_as_python(opened, name):
    tab, dice = opened(), random.Random(5)
    element = figure(tab, name)
    described = find(name)
    draw, back = described.actions
    values = described.values(prompt="" if name == "next_word" else "leo was", temperature=1.4, top_p=0.95)
    moves = {"temperature": 1.4, "top_p": 0.95, "prompt": values["prompt"]}
    for control, value in moves.items():
        script = "(e, v) => { e.value = v; e.dispatchEvent(new Event('input', {bubbles: true})); }"
        element.query_selector(f".live-of-{control} input").evaluate(script, str(value))
    buttons = element.query_selector_all(".live-act")
    assert [button.text_content() for button in buttons] == [draw.label, back.label]
    for _ in range(25):
        uniform = dice.random()
        tab.evaluate("uniform => { Math.random = () => uniform; }", uniform)
        buttons[0].click()
        values |= draw.act(dict(values), uniform)
        assert state(element)["prompt"] == values["prompt"]
    while values["prompt"]:
        buttons[1].click()
        values |= back.act(dict(values), 0.0)
        assert state(element)["prompt"] == values["prompt"]
    assert tab.complaints == []


def test_a_word_that_is_pressed_is_appended_and_the_keyboard_stays_where_it_was(opened):
    tab = opened()
    element = figure(tab, "next_word")
    for _ in range(4):
        word = state(element)["words"][0]["word"]
        before = state(element)["prompt"]
        element.query_selector("button.live-rank").focus()
        tab.keyboard.press("Enter")
        assert state(element)["prompt"] == f"{before} {word}".strip()
        assert tab.evaluate("document.activeElement.dataset.key") == "1"
    assert text_of(element).input_value() == state(element)["prompt"]


def test_the_words_of_the_game_have_their_english(opened):
    element = figure(opened("#" + urlencode({"live": "next_word", "prompt": "Pietro chiama"})), "next_word")
    words = element.query_selector_all(".live-rank .live-word")
    seen = {word.inner_text(): word.get_attribute("data-english") for word in words}
    assert len(seen) == 10 and seen["Paolo"] is None and "teapot" in seen.values()
    assert all(word.evaluate("e => e.scrollWidth <= e.clientWidth") for word in words)


def test_the_end_is_the_end(opened):
    tab = opened("#" + urlencode({"live": "next_word", "prompt": "Pietro chiama 2 <EOS>"}))
    element = figure(tab, "next_word")
    said = element.query_selector(".live-says").text_content()
    assert "The text is over" in said and element.query_selector_all(".live-rank") == []
    element.query_selector_all(".live-act")[0].click()
    assert state(element)["prompt"] == "Pietro chiama 2 <EOS>"


def test_the_words_that_fit_are_offered_likeliest_first(opened):
    tab = opened()
    element = figure(tab, "next_word")
    box = text_of(element)
    box.fill("")
    box.focus()
    tab.keyboard.type("Pietro chiama Paolo ")
    offered = element.query_selector_all("[role=option]")
    figure_of = find("next_word")
    ranked = [
        item["word"] for item in figure_of.state(figure_of.values(prompt="Pietro chiama Paolo"))["words"]
    ]
    assert [item.text_content() for item in offered] == ranked[:8]
    assert box.get_attribute("aria-expanded") == "true"
    tab.keyboard.press("ArrowDown")
    assert box.get_attribute("aria-activedescendant") == offered[0].get_attribute("id")
    tab.keyboard.press("Enter")
    assert state(element)["prompt"] == "Pietro chiama Paolo Tarso"
    tab.keyboard.type("p")  # half a word is no mistake, and only words that begin so are offered
    assert state(element)["prompt"] == "Pietro chiama Paolo Tarso"
    words = {item.text_content() for item in element.query_selector_all("[role=option]")}
    assert words == {"perde", "pinguino", "Pietro", "Paolo"} and box.get_attribute("aria-invalid") == "false"
    tab.keyboard.press("Escape")
    assert (
        box.get_attribute("aria-expanded") == "false"
        and not element.query_selector("[role=option]").is_visible()
    )
    tab.keyboard.type("izza ")
    note = element.query_selector(".live-trouble")
    assert (
        "“pizza” is not among the model’s" in note.text_content()
        and box.get_attribute("aria-invalid") == "true"
    )
    assert box.get_attribute("aria-describedby") == note.get_attribute("id")


def test_a_text_is_never_longer_than_the_model_reads(opened):
    tab = opened()
    element = figure(tab, "next_word")
    text_of(element).fill("banana " * 90)
    assert len(state(element)["prompt"].split()) == 73
    assert "73 words at most" in element.query_selector(".live-trouble").text_content()
    element.query_selector_all(".live-act")[0].click()
    assert len(state(element)["prompt"].split()) == 73 and tab.complaints == []


# --- attention, lens, trajectory, ablation: what is drawn ---
def test_every_square_says_its_weight_to_the_mouse_and_to_the_keyboard(opened):
    tab = opened()
    element = figure(tab, "attention")
    found = attention(text_of(element).input_value(), 1, 0)
    cells = element.query_selector_all(".live-attention td[data-key]")
    weights = [w for row in found["weights"] for w in row]
    assert len(cells) == len(weights) == 36
    told = element.query_selector(".live-told")
    for cell, weight in zip(cells, weights, strict=True):
        assert abs(float(cell.text_content()) - 100 * weight) <= 0.5 + 1e-6
        cell.hover()
        assert re.search(r"with weight (\d+\.\d)%$", told.text_content()).group(1) == f"{100 * weight:.1f}"
        assert told.text_content() == cell.get_attribute("aria-label")
    assert [cell.get_attribute("tabindex") for cell in cells].count("0") == 1
    cells[-1].focus()
    for key, at in (("ArrowUp", "7-7"), ("ArrowLeft", "7-6"), ("ArrowUp", "6-6"), ("ArrowRight", "6-6")):
        tab.keyboard.press(key)
        if at == "7-7":  # no position attends to a later one: there is no square above the last one
            assert tab.evaluate("document.activeElement.dataset.key") == "7-7"
        else:
            assert tab.evaluate("document.activeElement.dataset.key") == at
    assert "“chiama” (7) attends to “chiama” (7)" in told.text_content()
    outline = tab.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"


def test_the_lens_shows_every_answer_and_a_row_can_be_pressed(opened):
    tab = opened()
    element = figure(tab, "lens")
    found = lens("Pietro chiama Paolo", 4)
    rows = element.query_selector_all(".live-lens tbody tr")
    for row, cells in zip(rows, found["grid"], strict=True):
        shown = [cell.text_content() for cell in row.query_selector_all("td")]
        assert [s.split()[0] for s in shown] == [cell["word"] for cell in cells]
        assert all(
            abs(float(s.split()[1][:-1]) - 100 * c["p"]) <= 0.5 + 1e-6
            for s, c in zip(shown, cells, strict=True)
        )
    for stage in (0, 2, 3):
        # (By the element, not the mouse: a part above that is laid out in between would move it away.)
        element.query_selector_all(".live-stage")[stage].evaluate(
            "button => { button.focus(); button.click(); }"
        )
        assert state(element)["stage"] == stage
        assert (
            element.query_selector("output").text_content()
            == lens("Pietro chiama Paolo", stage)["stage_name"]
        )
        assert tab.evaluate("document.activeElement.textContent") == found["stages"][stage]["stage"]


@pytest.mark.parametrize("parts, arrows", [("sublayers", 6), ("heads", 14)])
def test_every_write_is_an_arrow(opened, parts, arrows):
    tab = opened("#" + urlencode({"live": "trajectory", "parts": parts}))
    element = figure(tab, "trajectory")
    steps = trajectory("Pietro chiama Paolo", "Tarso", "vice", "Paolo", "Pietro", parts)["steps"]
    assert len(element.query_selector_all(".live-write")) == len(steps) == arrows
    names = [e.text_content() for e in element.query_selector_all("svg text")]
    assert names[: arrows + 1] == ["start", *(step["part"] for step in steps)]


def test_words_that_make_no_plane_are_named_and_nothing_breaks(opened):
    tab = opened()
    for same in ({"left": "Tarso"}, {"up": "Tarso", "down": "vice"}, {"up": "vice", "down": "Tarso"}):
        tab.evaluate("hash => { location.hash = hash; }", urlencode({"live": "trajectory"} | same))
        element = figure(tab, "trajectory")
        tab.wait_for_function("e => e.state.finding.startsWith('These words make no plane')", arg=element)
        assert "NaN" not in element.query_selector("svg").inner_html()
    assert tab.complaints == []


def test_all_switches_come_on_again(opened):
    tab = opened()
    element = figure(tab, "ablation")
    for box in element.query_selector_all("input[type=checkbox]"):
        box.uncheck()
    assert state(element)["greeting"] < 0.5
    element.query_selector(".live-act").click()
    assert state(element)["greeting"] > 0.99
    told = [cell.text_content() for cell in element.query_selector_all(".live-rules .live-much")]
    assert told[0] == "≥ 99.9%" and state(element)["rules"][0]["now"] < 1, "a share below 1 is not told as 1"
    assert "100.0%" not in told
    assert (
        "has at least 99.9% on average over all games" in element.query_selector(".live-says").text_content()
    )
    groups = element.query_selector_all("fieldset")
    assert [group.query_selector("legend").text_content() for group in groups] == ["Block 0", "Block 1"]
    assert [len(group.query_selector_all("input")) for group in groups] == [6, 6]


@pytest.mark.parametrize("by_key", [True, False])
def test_the_heads_rest_while_their_attention_is_off(opened, by_key):
    tab = opened()
    element = figure(tab, "ablation")
    boxes = {box.get_attribute("id").rpartition("-")[2]: box for box in element.query_selector_all("input")}
    heads = [boxes[f"h1{head}"] for head in range(4)]

    def resting():
        return [box.get_attribute("aria-disabled") == "true" for box in heads]

    assert resting() == [False] * 4
    boxes["a1"].uncheck()
    assert resting() == [True] * 4 and boxes["h00"].get_attribute("aria-disabled") == "false"
    assert heads[2].get_attribute("title") == "head 2 is part of what is switched off"
    before = state(element)
    if by_key:
        heads[2].press("Space")
    else:
        heads[2].click(force=True)
    assert heads[2].is_checked() and state(element) == before
    boxes["a1"].check()
    assert resting() == [False] * 4 and not heads[2].get_attribute("title")
    heads[2].uncheck()
    assert state(element)["h12"] is False and tab.complaints == []


# --- the address ---
SENT = {
    "next_word": {"prompt": "5 chiama Pietro", "temperature": "1.7", "top_k": "3"},
    "next_story_word": {"prompt": "the cat", "top_p": "0.5"},
    "attention": {"prompt": "7 chiama 2", "head": "3"},
    "lens": {"prompt": "Paolo chiama", "stage": "1"},
    "trajectory": {"right": "capo", "parts": "heads"},
    "ablation": {"h01": "off", "m1": "off"},
    "student": {"hours": "8"},
}


@pytest.mark.parametrize("name, way", [*((name, "file") for name in SENT), ("next_word", "http")])
def test_a_finding_can_be_sent(opened, name, way):
    tab = opened("#" + urlencode({"live": name} | SENT[name]), way=way)
    element = figure(tab, name)
    described = find(name)
    values = {key: float(v) if re.fullmatch(r"[\d.]+", v) else v for key, v in SENT[name].items()}
    want = described.values(**values)
    seen = state(element)
    assert {key: seen[key] for key in want} == want
    assert element.query_selector(".live-says").text_content() == described.sentence(want)
    link = element.query_selector(".live-link").get_attribute("href")
    assert {k: v[0] for k, v in parse_qs(link[1:]).items()} == {"live": name} | SENT[name]
    assert abs(element.bounding_box()["y"]) < 900
    # Moved on: the address follows; and back at the start it is clean again.
    element.query_selector(".live-reset").click()
    tab.wait_for_function("() => !location.hash")
    assert {key: state(element)[key] for key in want} == described.values()
    assert tab.complaints == []


def test_what_is_moved_stands_in_the_address_and_opens_elsewhere(opened):
    tab = opened()
    element = figure(tab, "next_word")
    text_of(element).fill("8 chiama Paolo")
    tab.wait_for_function("() => location.hash.includes('Paolo')")
    other = opened(tab.evaluate("location.hash"))
    assert state(figure(other, "next_word")) == state(element)


def test_nonsense_in_the_address_is_passed_over(opened):
    wrong = {"temperature": "hot", "top_k": "", "top_p": "NaN", "nobody": "1", "__proto__": "x"}
    tab = opened("#" + urlencode({"live": "next_word"} | wrong))
    described = find("next_word")
    assert state(figure(tab, "next_word"))["finding"] == described.sentence(described.values())
    tab = opened("#" + urlencode({"live": "trajectory", "right": "nobody", "parts": "x"}))
    described = find("trajectory")
    assert state(figure(tab, "trajectory"))["finding"] == described.sentence(described.values())
    assert opened("#live=%E0%A4%A&prompt=%").complaints == []


# --- a prompt is text ---
@pytest.mark.parametrize("name", ["next_word", "attention", "lens", "trajectory"])
def test_a_prompt_is_text_and_never_runs(opened, name):
    """Typed, in the address as the page opens, and in an address that is followed later."""

    def check(attack):
        assert text_of(element).input_value().strip() == attack
        told = element.query_selector(".live-trouble").text_content()
        assert re.search(r"(is|are) not among the model’s 27 words", told), told
        assert (tab.locator("img").count(), tab.locator("script").count()) == before
        assert tab.locator("live-figure .live-panel img").count() == 0

    tab = opened("#" + urlencode({"live": name, "prompt": ATTACK}))
    element = figure(tab, name)
    before = (tab.locator("img").count(), tab.locator("script").count())
    assert (
        before[0]
        == tab.locator(".live-still img, .logo__image, .all-figures img, .figure-gallery img").count()
    )
    check(ATTACK)
    for attack in ATTACKS:
        text_of(element).fill(attack)
        text_of(element).press("End")
        tab.keyboard.type(" ")
        check(attack)
    for attack in ATTACKS:
        # (an address that stays the same would be no event)
        follow = "hash => { location.hash = ''; location.hash = hash; }"
        tab.evaluate(follow, urlencode({"live": name, "prompt": attack}))
        tab.wait_for_function("([e, t]) => e.value === t", arg=[text_of(element), attack])
        check(attack)
    tab.wait_for_timeout(700)  # the address has followed what was typed
    check(ATTACKS[-1])
    assert tab.complaints == []


def test_every_prompt_has_a_name_and_is_seen_when_it_has_the_keyboard(opened):
    tab = opened()
    for name in ("next_word", "attention", "lens", "trajectory"):
        box = text_of(figure(tab, name))
        assert box.evaluate("e => e.labels.length === 1 && e.getAttribute('role') === 'combobox'")
        box.focus()
        assert box.evaluate("e => getComputedStyle(e).outlineStyle") == "solid"


@pytest.mark.parametrize("width", [390, 1280])
def test_the_longest_text_does_not_widen_the_page(opened, width):
    long = " ".join(["Pietro chiama Paolo Tarso banana"] * 14)
    tab = opened()
    tab.set_viewport_size({"width": width, "height": 900})
    for name in ("next_word", "attention", "lens", "trajectory"):
        element = figure(tab, name)
        text_of(element).fill(long)
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        assert element.evaluate("e => e.scrollWidth <= e.clientWidth")
    assert tab.complaints == []


def test_on_a_phone_the_lens_begins_with_the_last_word(opened):
    tab = opened()
    tab.set_viewport_size({"width": 390, "height": 900})
    last = figure(tab, "lens").query_selector(".live-lens thead th:last-child")
    assert last.text_content() == "Paolo" and last.bounding_box()["x"] + last.bounding_box()["width"] < 390


def test_the_front_page_begins_with_the_live_model(opened):
    tab = opened(page="book/index.html")
    tab.wait_for_selector("live-figure .live-panel")
    top = tab.evaluate("document.querySelector('live-figure').getBoundingClientRect().top")
    assert top < 900
    assert tab.locator("live-figure .live-rank").count() == 9
    html = (SITE / "book" / "index.html").read_text(encoding="utf8")
    assert html.index("<live-figure") < html.index("<h2", html.index("<article"))
