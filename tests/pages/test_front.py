"""The front page: the machine comes first, forgives, costs little; the doors and the map keep their word."""

import re

import plan
import pytest
from bs4 import BeautifulSoup

from support.view.live import find
from support.worlds import CallingGame

PAGE = "book/index.html"
DRAW = ".live-act:text-is('Pick a word at random')"
AWAY = ".live-more > summary"  # what it stands in
SHIFTS = """() => { window.shift = 0; new PerformanceObserver((list) => list.getEntries()
  .forEach((e) => { window.shift += e.value; })).observe({type: "layout-shift", buffered: true}); }"""


@pytest.fixture
def opened(open_tab):
    """The front page, awake; its first machine."""

    def opened(**settings):
        way = settings.pop("way", "file")
        tab = open_tab(way, PAGE, **settings)
        tab.wait_for_selector("live-figure .machine-word")
        return tab, tab.query_selector("live-figure")

    return opened


def write(element, text):
    box = element.query_selector(".live-of-prompt input")
    box.fill(text)
    return element.evaluate("e => e.state.prompt"), element.query_selector(".live-trouble")


def test_the_machine_is_the_first_that_is_seen(opened):
    tab, element = opened()
    for part in (".live-play", ".machine-stage", ".machine-bars"):
        box = element.query_selector(part).bounding_box()
        assert box["y"] + box["height"] < 900, part
    assert element.evaluate("e => e.state.prompt") == "Pietro chiama"
    assert element.query_selector(".machine-english").text_content() == "In English: Pietro calls …"
    assert tab.complaints == []


def test_three_steps_lead_through_the_experiment(opened):
    """An open question, a certain answer, and what becomes of it without the first attention map."""
    tab, element = opened()
    tab.set_viewport_size({"width": 1280, "height": 800})
    stage = element.query_selector(".machine-stage").bounding_box()
    assert stage["y"] + stage["height"] <= 800, "text, buttons, drawing and answer are in the first view"
    guide = element.query_selector(".live-guide")
    stops = element.query_selector_all(".live-tour > .live-stop")
    assert "Now add Paolo" in guide.text_content() and "live-go" in stops[1].get_attribute("class")
    top, found, told = "e => e.state.top[0]", [], []
    for stop in stops:
        assert stop.bounding_box()["y"] < 800
        stop.focus()
        tab.keyboard.press("Enter")
        found.append(element.evaluate(top))
        told.append(guide.text_content())
        assert stop.get_attribute("aria-current") == "step"
    assert found[0]["plain"] < 0.12 and [f["word"] for f in found[1:]] == ["Tarso", "vice"]
    assert len(set(told)) == 3 and element.query_selector(".live-go") is None
    tab.evaluate("Math.random = () => 0.999")  # an improbable word: Paolo would lead to step 2
    element.query_selector(AWAY).click()
    for stop, goes_on in zip(stops, ("with step B", "with step C", "begins again with step A"), strict=True):
        for button in (DRAW, ".live-act:text-is('Step')"):
            stop.click()
            element.query_selector(button).click()
            # The note fits what stands there; the step stays marked as long as its text does.
            note = guide.text_content()
            stepped = button != DRAW
            begins = "The pass begins again for the same text: stage 1 of 6"
            on = begins if stepped else f"You have gone on from step {'ABC'[stops.index(stop)]}"
            assert note.startswith(on) and goes_on in note
            assert ("; head 0.0 is still off." in note) == (element.evaluate("e => e.state.off") == ["h00"])
            assert ("still off" in note) == (stop == stops[-1])
            marked = [each.get_attribute("aria-current") for each in stops]
            assert marked == ["step" if each == stop and stepped else None for each in stops]
            invited = [b.text_content()[0] for b in element.query_selector_all(".live-tour > .live-go")]
            assert invited == ([goes_on[-1]] if stop != stops[-1] else [])
    write(element, "5 chiama Paolo")
    assert "left the experiment; head 0.0 is still off. Step\xa0A" in guide.text_content()
    assert element.query_selector(".live-go, .live-stop[aria-current]") is None, "the text is no step's"
    element.query_selector(".machine-bring").click()
    assert guide.text_content() == "You have left the experiment; step\xa0A leads back to it."
    assert element.query_selector(".live-stop[aria-current]") is None
    element.query_selector(".live-reset").click()
    write(element, "5 chiama Paolo")
    assert guide.text_content().startswith("An experiment in three steps"), "it was not begun"
    assert "live-go" in stops[0].get_attribute("class") and tab.complaints == []


def test_who_draws_the_word_of_the_next_step_has_reached_it(opened):
    """Python finds a random number that gives Paolo; the note is then that of step 2."""
    tab, element = opened()
    figure = find("machine")
    draw = next(action for action in figure.actions if action.name == "draw")
    values = figure.values(**figure.tour[0].changes)
    uniform = next(u / 100 for u in range(100) if draw.act(values, u / 100)["prompt"].endswith("Paolo"))
    tab.evaluate("uniform => { Math.random = () => uniform; }", uniform)
    first, second, _ = element.query_selector_all(".live-tour > .live-stop")
    first.click()
    element.query_selector(AWAY).click()
    element.query_selector(DRAW).click()
    assert second.get_attribute("aria-current") == "step"
    assert element.query_selector(".live-guide").text_content() == figure.tour[1].says


def test_the_rules_explain_what_the_model_does(opened):
    """Leaders, titles, nonsense words, perde and <EOS>; and a round that a game of the world begins with."""
    tab, _ = opened()
    card = tab.query_selector(".hero-card")
    card.query_selector("summary").click()  # the rules in full are folded
    for word in ("Pietro and Paolo", "players 1 to 8", "title", "Tarso", "lumaca", "perde", "<EOS>"):
        assert word in card.inner_text(), word
    game = CallingGame()
    cells = tab.evaluate(
        "[...document.querySelectorAll('.hero-round td:first-child')].map(e => e.textContent)"
    )
    assert game.log_prob(["<BOS>", *" ".join(cells).split()]) > -100
    number = tab.query_selector(".bound")
    assert "computed" in number.get_attribute("title") and number.get_attribute("tabindex") == "0"


def test_the_readers_text_stays(opened):
    """Unknown words are named, struck out and left out; playing on or choosing an offer deletes nothing."""
    tab, game = opened()
    box = game.query_selector(".live-of-prompt input")
    prompt, trouble = write(game, "hello Maria calls pietro ")
    assert prompt == "chiama Pietro" and "“calls” is read as “chiama”" in trouble.text_content()
    assert "“hello” and “Maria” are not among the model’s" in trouble.text_content()
    assert "The model reads: chiama Pietro" in trouble.text_content()
    crossed = [e.text_content() for e in game.query_selector_all(".machine-unknown")]
    assert crossed == ["hello", "Maria"]
    game.query_selector(AWAY).click()
    game.query_selector(DRAW).click()
    assert box.input_value().startswith("hello Maria calls pietro ")
    offers = [button.text_content() for button in game.query_selector_all(".live-near")]
    assert offers[0] == "Pietro" and set(offers) <= {"Pietro", *"12345678", "Paolo"}  # as games begin
    box.focus()  # what is said of the text stands at its field
    game.query_selector(".live-near").click()
    assert box.input_value().startswith("Pietro Maria calls pietro")
    tab.locator(".sd-tab-set.hero > label").nth(1).click()
    tab.wait_for_function("() => document.querySelectorAll('.machine-stage').length === 2")
    story = tab.query_selector_all("live-figure")[1]
    row = story.query_selector(".live-examples").bounding_box()
    prompt, trouble = write(story, "Once upon a time there was a Dinosaur who lived ")
    assert prompt == "once there was a who lived"
    assert "“Once upon a time” is read as “once”" in trouble.text_content()
    assert story.query_selector(".live-examples").bounding_box() == row, "the row of examples does not jump"
    likely = {item["word"] for item in find("machine_story").state(find("machine_story").values())["top"]}
    assert {button.text_content() for button in story.query_selector_all(".live-near")} <= likely
    tab.wait_for_function("() => location.href.includes('Dinosaur')")
    for half in ("once upon", "once upon a ti"):  # no mistake yet
        assert write(story, half)[0] == "once" and not trouble.is_visible()


def test_the_words_of_the_english_are_taken_from_the_game():
    assert find("machine").controls[0].accept("Pietro calls paolo") == "Pietro chiama Paolo"
    story = find("machine_story").controls[0]
    assert story.accept("Once upon a time, there was") == "once there was"
    assert story.accept("A long time ago there lived") == "long ago there lived"


def test_on_a_phone_play_is_in_the_first_view(opened):
    tab, element = opened(width=390)
    tab.set_viewport_size({"width": 390, "height": 844})
    play = next(button for button in element.query_selector_all(".live-play") if button.is_visible())
    box = play.bounding_box()
    assert box["y"] + box["height"] < 844
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390


def test_capitals_and_signs_are_forgiven_and_near_words_offered(opened):
    tab, game = opened()
    assert write(game, "pietro CHIAMA paolo ")[0] == "Pietro chiama Paolo"
    prompt, trouble = write(game, "Pietro chiama paul ")
    assert prompt == "Pietro chiama" and "“paul” is not among the model’s" in trouble.text_content()
    game.query_selector(".live-near").click()
    assert game.evaluate("e => e.state.prompt") == "Pietro chiama Paolo"
    tab.locator(".sd-tab-set.hero > label").nth(1).click()
    tab.wait_for_function("() => document.querySelectorAll('.machine-stage').length === 2")
    story = tab.query_selector_all("live-figure")[1]
    assert write(story, "Once there was a boy. The Cat, ")[0] == "once there was a boy . the cat ,"
    prompt, trouble = write(story, "Once there was a dragon ")
    assert prompt == "once there was a" and "“dragon” is not among the model’s" in trouble.text_content()
    near = [button.text_content() for button in story.query_selector_all(".live-near")]
    assert near and set(near) <= set(find("machine_story").controls[0].words)


def test_what_python_forgives_is_what_the_page_forgives():
    prompt = find("machine_story").controls[0]
    assert prompt.accept("Once there was a boy. The Cat, ") == "once there was a boy . the cat ,"
    assert find("machine").controls[0].accept("pietro CHIAMA paolo") == "Pietro chiama Paolo"


def test_the_index_costs_less_than_a_megabyte_until_it_is_touched(browser, bases):
    context = browser.new_context()
    tab, sizes = context.new_page(), {}
    tab.on("response", lambda r: sizes.update({r.url.rsplit("/", 1)[1]: len(r.body())}))
    tab.goto(bases["http"] + PAGE, wait_until="load")
    tab.evaluate(SHIFTS)
    tab.wait_for_selector("live-figure .machine-word")
    tab.wait_for_timeout(300)
    assert tab.evaluate("shift") < 0.02, "layout shift when the figure is built"
    for name, size in sorted(sizes.items(), key=lambda item: -item[1]):
        print(f"{size:9d} {name}")
    print(f"{sum(sizes.values())} bytes in {len(sizes)} requests, not compressed")
    assert not any("stories" in name for name in sizes)
    # The still picture of the machine, whose letters have 18 of its 1260 pixels, on a phone.
    tab.set_viewport_size({"width": 390, "height": 844})
    tab.evaluate("document.querySelector('.hero .live-still').hidden = false")
    assert tab.evaluate("document.querySelector('.hero .live-still img').clientWidth") * 18.5 / 1260 >= 11
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    context.close()


def test_without_the_first_head_the_model_takes_the_caller_for_a_number():
    """What *What you see* asks the reader to try, and suggests."""
    figure = find("machine")
    found = figure.state(figure.values(prompt="Pietro chiama Paolo", h00=False))
    assert found["top"][0]["word"] == "vice" and found["top"][0]["plain"] > 0.9


def test_the_doors_keep_their_promise(opened, browser, bases, site):
    tab, _ = opened()
    doors = {
        door: tab.get_attribute(f".door-{door}", "href") or tab.get_attribute(f".door-{door} a", "href")
        for door in ("picture", "hand", "code")
    }
    for href in doors.values():
        path, _, place = href.partition("#")
        page = BeautifulSoup((site / "book" / path).resolve().read_text(encoding="utf8"), "html.parser")
        assert not place or page.find(id=place) is not None, href
    assert doors["picture"].endswith("01_neuron.html")  # at its top
    cards = tab.locator(".doors .sd-card")
    assert cards.count() == 4
    for card in cards.all():  # one link, which lies over the whole card
        assert card.locator("a").count() == 1
        card.scroll_into_view_if_needed()
        box = card.bounding_box()
        hit = "([x, y]) => document.elementFromPoint(x, y).closest('a')?.getAttribute('href')"
        at = [box["x"] + 12, box["y"] + 12]
        assert tab.evaluate(hit, at) == card.locator("a").get_attribute("href")
    assert cards.last.locator("a").get_attribute("href") == "for_users.html"
    # A reader of their own: what other tabs of a context keep reaches a page late, through other processes.
    reader = browser.new_context(first_visit=True)
    tab = reader.new_page()
    tab.goto(bases["http"] + PAGE, wait_until="load")
    tab.locator(".doors .sd-card").first.click(position={"x": 10, "y": 10})
    tab.wait_for_url("**/01_neuron.html*")
    assert tab.evaluate("localStorage.getItem('reading')") == "picture"
    assert tab.evaluate("document.documentElement.dataset.reading") == "picture"
    reader.close()


def test_the_map_has_a_picture_for_each_chapter(opened):
    tab, _ = opened()
    stops = tab.query_selector_all(".chapter-stop")
    assert len(stops) == len(plan.chapters())
    pictures = [stop.query_selector("svg").inner_html() for stop in stops]
    assert len(set(pictures)) == len(pictures)
    numbers = [re.match(r"\s*(\d+)", stop.text_content()).group(1) for stop in stops]
    assert numbers == [str(int(number)) for number in plan.chapters()]
