"""The ways of reading keep their promise, in every chapter."""

import re
from pathlib import Path

import pytest
from rest import at_rest
from test_pages import CHAPTERS, SITE

OPENED = "() => document.readyState === 'complete' && !document.documentElement.dataset.opening"
# What a reader of the pictures sees: what must not be there, how many words, how many figures.
SHOWN = """() => {
  const article = document.querySelector('article.bd-article');
  const seen = (e) => e.getClientRects().length > 0 && e.checkVisibility();
  const all = (what) => [...article.querySelectorAll(what)].filter(seen);
  const hard = ['.katex, .math, .cell_input, .cell pre, .cell_output > .output, .figure-folds',
    'details.hide, .code-opens'].join();
  const words = all('p, li').map((e) => e.textContent.trim().split(/\\s+/).length).reduce((a, b) => a + b, 0);
  const told = (e) => [...e.childNodes]
    .map((n) => n.nodeType === 3 ? n.data : n.matches?.('.not-in-picture') ? '' : told(n)).join('');
  const texts = all('p, li, .live-says').map((e) => told(e).trim());
  return {
    texts, hard: all(hard).map((e) => `${e.className}: ${e.textContent.trim().slice(0, 80)}`),
    titles: all(':scope > section > section > h2').map((e) => e.textContent.replace('#', '')),
    words, figures: all('.cell_output img, svg.diagram, .live-panel, .live-still').length,
    findings: all('.finding').length,
    empty: all('section').filter((e) => e.innerText.trim() === '' && !e.querySelector('live-figure'))
      .map((e) => e.id),
    onward: all('.picture-onward a').map((e) => e.getAttribute('href')),
    stops: all('.picture-enough').map((e) => [e.querySelector('a').getAttribute('href'),
      e.nextElementSibling.id.startsWith('experiment') && e.textContent.endsWith('and can be skipped.')]),
    wide: document.documentElement.scrollWidth,
  };
}"""


# Of what a sentence must not speak there, because this way leaves it out: a formula, code, a table.
LEFT_OUT = re.compile(
    r"\b(?:the|this|that) (?:formula|equation|script|listing|printout)s?\b(?! (?:that|which)\b)"
    r"|\b(?:code|cell|script|table|equation|formula|printed|computed) (?:above|below)\b"
    r"|\b(?:first|second|third|last|left|right) column\b|\bas the next section\b|\berror below\b",
    re.IGNORECASE,
)


@pytest.fixture(scope="module")
def remembered(browser, bases):
    """Opens a page in a browser that remembers a way; its files are there, unless it is to be a new one."""
    known = {}

    def opened(page, way, wait=True, new=False, **settings):
        settings = {"viewport": {"width": 1280, "height": 900}} | settings
        key = str(len(known)) if new else str(settings)
        context = known[key] = known.get(key) or browser.new_context(**settings)
        for tab in context.pages:
            tab.close()
        tab = context.new_page()
        tab.goto(bases["http"] + "robots.txt")
        tab.evaluate("(way) => { localStorage.clear(); localStorage.setItem('reading', way); }", way)
        if wait:
            visit(tab, bases["http"] + page)
        return tab

    yield opened
    for context in known.values():
        context.close()


def visit(tab, address):
    tab.goto(address, wait_until="load")
    tab.wait_for_function(OPENED)


# How far below the heading of The picture its drawing and its live figure begin.
DRAWN = """() => {
  const picture = document.getElementById('the-picture');
  const far = (which) => picture.querySelector(which).getBoundingClientRect().top
    - picture.getBoundingClientRect().top;
  return [far('svg.diagram'), far('live-figure')];
}"""


# Where the drawing that opens The picture begins in the window, and which part of it is seen; whether title
# and buttons touch, and how low and how far to the right they reach.
FIRST = """() => {
  const box = (what) => document.querySelector(what).getBoundingClientRect();
  const drawn = '#the-picture > :is(h2, h2 + .opening-said) + .opening-drawing svg.diagram';
  const {top, bottom, height} = box(drawn);
  const all = document.querySelectorAll('article h1, .modes button');
  const head = [...all].map((e) => e.getBoundingClientRect());
  const touch = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  return {top, seen: (Math.min(bottom, innerHeight) - top) / height,
    met: head.some((a, i) => head.slice(i + 1).some((b) => touch(a, b))),
    low: Math.max(...head.map((a) => a.bottom)),
    right: Math.max(...head.map((a) => a.right)) - box('.modes + p').right};
}"""


def check_first_window(tab, page):
    """The buttons stand beside the title and do not touch it."""
    first = tab.evaluate(FIRST)
    least = 0.97 if "11_attention" in page else 0.5  # (of the market with its basket)
    assert first["top"] < 560 and first["seen"] > least, (page, first)
    assert not first["met"] and first["low"] < 125 and first["right"] < 1, (page, first)


def test_at_a_desk_half_of_the_opening_drawing_is_in_the_first_window(remembered, bases):
    """In every chapter."""
    tab = remembered(CHAPTERS[0], "all", viewport={"width": 1280, "height": 800})
    for k, page in enumerate(CHAPTERS):
        if k:
            visit(tab, bases["http"] + page)
        check_first_window(tab, page)


def test_the_pictures_need_no_formula_and_no_code_and_show_the_opening_drawing(remembered, bases):
    """Through the whole book, each chapter by the link at the end of the one before it."""
    tab = remembered(CHAPTERS[0], "picture", viewport={"width": 1280, "height": 800})
    experiments = 0
    for k, page in enumerate(CHAPTERS):
        if k:
            visit(tab, bases["http"] + page)
        check_first_window(tab, page)
        seen = tab.evaluate(SHOWN)
        assert seen["hard"] == [], page
        assert seen["words"] > 250 and seen["figures"] >= 1, (page, seen)
        assert [text for text in seen["texts"] if LEFT_OUT.search(text)] == [], page
        titles = seen["titles"]
        assert titles[0] == "The picture" and titles[-2:] == ["Quiz", "Take-aways"], (page, titles)
        assert all(title.startswith("Experiment") for title in titles[1:-2]), (page, titles)
        assert seen["empty"] == [] and seen["wide"] <= 1280, page
        experiments += seen["findings"]
        after = Path(CHAPTERS[k + 1]).name if k + 1 < len(CHAPTERS) else "../book/for_users.html"
        assert seen["onward"] == [after], page
        assert seen["stops"] == [[after, True]], (page, "one may stop before the experiments")
    assert experiments > 80
    tab.locator(".picture-onward button").click()
    assert tab.is_visible("#by-hand") and not tab.is_visible(".picture-onward")
    assert tab.evaluate("localStorage.getItem('reading')") == "all"
    assert tab.evaluate("document.querySelector('.modes').getBoundingClientRect().top") < 400


def test_what_a_chapter_is_for_is_folded_but_not_without_a_script_or_on_paper(remembered, browser, bases):
    page, aims = "notebooks/26_preferences.html", "details.aims"
    tab = remembered(page, "all")
    fold, item = tab.locator(aims), tab.locator(f"{aims} li").first
    says = "What you will be able to do, and what you need (half an hour)"
    assert fold.locator("summary").inner_text() == says and not item.is_visible()
    needs = fold.get_by_text("You need", exact=True)
    fold.locator("summary").click()
    assert item.is_visible() and needs.is_visible()
    fold.locator("summary").click()
    needs.wait_for(state="hidden")
    tab.emulate_media(media="print")
    assert item.is_visible() and needs.is_visible() and not fold.locator("summary").is_visible()
    context = browser.new_context(java_script_enabled=False)
    still = context.new_page()
    still.goto(bases["http"] + page)
    assert still.locator(f"{aims} li").first.is_visible()
    assert not still.locator(f"{aims} > summary").is_visible()
    context.close()
    for chapter in CHAPTERS:
        text = (SITE / chapter).read_text(encoding="utf8")
        assert text.count('<details class="aims">') == 1 and f"<summary>{says}</summary>" in text, chapter


@pytest.mark.parametrize("way", ["all", "picture"])
def test_a_drawing_with_terms_to_come_is_led_in_by_a_sentence(remembered, bases, way):
    """It says what is seen, between the heading and the drawing."""
    told = ("11_attention", "12_heads", "16_one_step")  # (the story comes first, or a legend follows)
    for page in (page for page in CHAPTERS if not any(name in page for name in told)):
        tab = remembered(page, way)
        lead = tab.locator("#the-picture > h2 + p.opening-said:has(+ .opening-drawing)")
        assert lead.is_visible() and lead.inner_text().startswith("The drawing "), page


@pytest.mark.parametrize("chapter", ["13_feed_forward", "23_inside_the_model"])
def test_the_picture_opens_with_a_drawing_and_has_something_to_try(remembered, chapter):
    tab = remembered(f"notebooks/{chapter}.html", "picture", viewport={"width": 390, "height": 844})
    tab.add_style_tag(content=".bd-article * { content-visibility: visible !important; }")
    drawn, live = tab.evaluate(DRAWN)
    assert 0 < drawn < 844 and drawn < live, "within the first window, and not after the experiments"


def test_a_drawing_within_the_picture_is_kept_by_the_ways_that_leave_its_words_out(remembered):
    for way in ("hand", "code"):
        tab = remembered("notebooks/13_feed_forward.html", way)
        assert tab.locator("#the-picture .opening-drawing").is_visible()
        words = "#the-picture > :is(p:not(.opening-said), h2, .cell:has(live-figure))"
        assert not any(part.is_visible() for part in tab.locator(words).all())
        assert tab.locator("#the-picture > p.opening-said:has(+ .opening-drawing)").is_visible()
        assert tab.locator(".picture-enough").is_hidden()
        tab.evaluate("location.hash = 'the-picture'")  # (its heading is left out, so that all is shown)
        tab.wait_for_function("() => document.querySelector('#the-picture h2').checkVisibility()")


def test_the_buttons_stand_under_the_title_in_one_row(remembered):
    tab = remembered("notebooks/11_attention.html", "picture", viewport={"width": 390, "height": 844})
    boxes = [button.bounding_box() for button in tab.locator(".modes button[data-way]").all()]
    assert len(boxes) == 4 and len({round(box["y"]) for box in boxes}) == 1
    assert boxes[-1]["x"] + boxes[-1]["width"] <= 390 and boxes[0]["y"] < 300
    assert tab.evaluate(
        "document.querySelector('article h1').nextElementSibling.className.startsWith('modes')"
    )
    assert tab.inner_text(".modes-says").startswith("This is the short way: pictures")
    assert tab.get_attribute(".modes [data-way=picture]", "aria-pressed") == "true"
    # A link into what is hidden shows it.
    tab.evaluate("location.hash = 'deeper-patterns-that-mislead'")
    tab.wait_for_function("() => document.getElementById('deeper-patterns-that-mislead').checkVisibility()")
    assert "leaves out, so this page shows everything" in tab.inner_text(".modes-says")
    tab.click(".modes [data-way=all]")
    assert tab.inner_text(".modes-says").startswith("You are reading everything")
    tab.wait_for_timeout(600)  # (a place is held for a third of a second)
    # The bar names the chapter once its title is gone, and changes the way where one reads.
    tab.evaluate("scrollTo(0, 0)")
    tab.wait_for_function(
        "() => !document.querySelector('.here').checkVisibility({visibilityProperty: true})"
    )
    place = tab.locator("#why-three-matrices > p").first
    place.evaluate("e => scrollBy({top: e.getBoundingClientRect().top - 100, behavior: 'instant'})")
    tab.wait_for_selector(".here.here-shown")
    assert tab.inner_text(".here a") == "11Attention"
    parts = [tab.locator(f".here {part}").bounding_box() for part in ("a", "select")]
    buttons = tab.locator(".header-article-items__end").bounding_box()
    assert all(box["x"] + box["width"] <= buttons["x"] + 1 for box in parts) and parts[1]["height"] >= 20
    at_rest(place)
    before = place.bounding_box()["y"]
    for way in ("hand", "code", "all"):
        tab.select_option(".here select", way)
        tab.wait_for_timeout(600)
        assert tab.evaluate("document.documentElement.dataset.reading") == way
        assert abs(place.bounding_box()["y"] - before) < 5, way
    tab.select_option(".here select", "picture")
    assert tab.get_attribute(".modes [data-way=picture]", "aria-pressed") == "true"


# The room above each heading and paragraph that follows a figure.
ROOMS = """() => [...document.querySelectorAll('.bd-article :is(h2, h3, p, .cell)')]
  .filter((e) => e.getClientRects().length && !e.parentElement.closest('.cell, .modes, form, li, details'))
  .map((e) => [e, e.getBoundingClientRect()]).sort(([, a], [, b]) => a.top - b.top)
  .flatMap(([e, box], k, all) => !e.matches('.cell') && all[k - 1]?.[0].matches('.cell')
    ? [[Math.round(box.top - all[k - 1][1].bottom), e.textContent.slice(0, 40)]] : [])"""
SHIFT = """() => new Promise((done) => new PerformanceObserver((list) => done(
  list.getEntries().reduce((sum, e) => sum + e.value, 0))).observe({type: 'layout-shift', buffered: true})
  || setTimeout(() => done(0), 500))"""


def test_a_remembered_way_opens_without_a_jump(remembered):
    for way in ("picture", "hand"):
        tab = remembered("notebooks/13_feed_forward.html", way, new=True)
        assert tab.evaluate(SHIFT) < 0.05, way


@pytest.mark.parametrize("chapter", ["11_attention", "12_heads", "13_feed_forward"])
def test_a_page_that_comes_slowly_is_drawn_in_parts_and_does_not_jump(remembered, bases, chapter):
    tab = remembered("robots.txt", "picture", wait=False, new=True)
    slow = {"offline": False, "latency": 50, "downloadThroughput": 250_000, "uploadThroughput": 250_000}
    tab.context.new_cdp_session(tab).send("Network.emulateNetworkConditions", slow)
    visit(tab, f"{bases['http']}notebooks/{chapter}.html")
    first = tab.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    whole = tab.evaluate("performance.getEntriesByType('navigation')[0].domInteractive")
    assert first < whole - 200 and tab.evaluate(SHIFT) < 0.06


ANSWERS = {
    "10_positions": "RoPE is hardly worse at twice the length",
    "13_feed_forward": "unit 116 is most active not when Paolo calls Pietro",
    "21_sampling": "A flat distribution can be the best possible prediction.",
    "26_preferences": "This is Goodhart’s law",
}


@pytest.mark.parametrize("chapter, answer", ANSWERS.items())
def test_an_experiment_that_asks_is_answered_in_the_pictures(remembered, chapter, answer):
    tab = remembered(f"notebooks/{chapter}.html", "picture")
    assert any(answer in text.replace("'", "’") for text in tab.evaluate(SHOWN)["texts"])
    assert tab.locator("p:visible", has_text="The caption of each figure says what it shows").count() == 0


@pytest.mark.parametrize("chapter", ["21_sampling", "26_preferences"])
def test_the_contents_list_no_part_that_the_picture_leaves_out(remembered, chapter):
    tab = remembered(f"notebooks/{chapter}.html", "picture")
    shown = tab.locator("#pst-page-toc-nav a:visible").evaluate_all("all => all.map((a) => a.hash.slice(1))")
    assert len(shown) > 4
    for name in shown:
        assert tab.evaluate("(id) => document.getElementById(id).getClientRects().length", name), name


OPEN_CODE = """() => [...document.querySelectorAll('#the-picture .cell_input')]
  .filter((e) => e.checkVisibility()).map((e) => e.textContent)"""


@pytest.mark.parametrize("chapter", ["01_neuron", "07_bpe", "10_positions", "11_attention", "22_kv_cache"])
def test_in_the_picture_the_code_is_folded_below_what_it_makes(remembered, chapter):
    tab = remembered(f"notebooks/{chapter}.html", "all")
    assert tab.evaluate(OPEN_CODE) == []
    folds = tab.locator("#the-picture .cell details:has-text('Show what it is computed from')")
    assert folds.count() == 1
    assert folds.evaluate("e => e.parentElement.className") == "figure-folds docutils container"
    folds.locator("summary").click()
    assert folds.locator(".cell_input").first.is_visible()


def test_whoever_reads_the_code_finds_what_by_hand_has_made(remembered):
    tab = remembered("notebooks/11_attention.html", "code")
    made = tab.locator("#in-code > .only-in-code")
    assert made.is_visible() and "W_V" in made.locator("p").first.inner_text()
    code = made.locator("pre").inner_text()
    assert "X = numbers(" in code and "Q, K, V = X @ W_Q" in code and "query" not in code
    tab.click(".modes [data-way=all]")
    assert made.is_hidden()
    tab = remembered("notebooks/16_one_step_every_number.html", "code")  # much: folded
    made = tab.locator("#in-code > .only-in-code")
    assert made.locator("pre").is_hidden()
    made.locator("summary").click()
    assert made.locator("pre").is_visible()


@pytest.mark.parametrize("page", CHAPTERS)
def test_the_part_by_hand_opens_with_words_and_not_with_a_fold_of_code(page):
    text = (SITE / page).read_text(encoding="utf8").partition('id="by-hand"')[2]
    opens = re.search(r'</h2>\s*<\w+(?: class="([^"]*)")?', text)
    assert opens and "only-code" not in (opens[1] or "").split(), opens


@pytest.mark.parametrize("page", CHAPTERS)
def test_the_part_by_hand_shows_numbers_and_folds_their_code(page):
    """In the page itself, so that it is so without scripts, too; elsewhere only plumbing is folded."""
    text = (SITE / page).read_text(encoding="utf8")
    by_hand, _, rest = text.partition('id="by-hand"')[2].partition('id="in-code"')
    opened = re.findall(r'<div class="cell [^>]*>\n(?:<button .*?</button>)?<div class="cell_input', by_hand)
    assert opened == [] and "below-input" not in by_hand, "code that is open, or numbers that are not"
    assert by_hand.count("shows-code") >= 1 and rest.count("shows-code") == rest.count("tag_plumbing")
    assert '<button type="button" class="code-opens"' in rest


def test_much_code_of_an_experiment_is_folded_until_it_is_asked_for(remembered):
    tab = remembered("notebooks/14_residuals_and_norms.html", "all")
    cell = tab.locator("section[id^=experiment] .long-code").first
    button, code = cell.locator("> .code-opens"), cell.locator("> .cell_input")
    assert code.is_hidden() and button.is_visible()
    shown = button.evaluate("e => getComputedStyle(e, '::after').content.replace(/[\"\\s]/g, '')")
    assert re.fullmatch(r"\(\d+lines\)|\(attr.*\)", shown.replace("attr(data-lines)", "6")), shown
    button.click()
    assert code.is_visible() and button.inner_text() == "Hide the code"
    short = tab.locator("section[id^=experiment] .cell:not(.long-code) > .cell_input").first
    assert short.is_visible(), "a short call stands open"
    assert tab.locator("#in-code .cell_input:visible").count() >= 2, "the code of the part in code does, too"
    tab.click(".modes [data-way=code]")
    assert tab.locator("section[id^=experiment] .long-code > .cell_input:visible").count() >= 2


def test_cells_of_much_code_that_follow_one_another_have_one_button(remembered):
    tab = remembered("notebooks/24_real_checkpoints.html", "all")
    cells = tab.locator("#which-test-would-have-noticed > .long-code")
    joined = tab.locator("#which-test-would-have-noticed > .code-joins")
    assert cells.count() > joined.count() >= 2
    assert not any(joined.nth(k).locator("> .code-opens").is_visible() for k in range(joined.count()))
    button = tab.locator("#which-test-would-have-noticed > .long-code > .code-opens:visible").first
    button.click()
    assert joined.first.locator("> .cell_input").is_visible() and button.inner_text() == "Hide the code"
    button.click()
    assert joined.first.locator("> .cell_input").is_hidden()


def test_a_link_to_folded_code_of_an_experiment_opens_it(open_tab):
    tab = open_tab("http", "notebooks/14_residuals_and_norms.html")
    cell = tab.locator(
        "section[id^=experiment] .long-code[id], section[id^=experiment] .long-code [id]"
    ).first
    code = tab.locator("section[id^=experiment] .long-code > .cell_input").first
    assert code.is_hidden()
    tab.evaluate("id => { location.hash = id; }", cell.get_attribute("id"))
    code.wait_for()


def test_a_link_to_a_cell_that_has_no_button_of_its_own_shows_it(open_tab):
    tab = open_tab("http", "notebooks/13_feed_forward.html")
    cell = tab.locator(".code-joins.only-code[id]").first
    assert cell.locator("> .cell_input").is_hidden() and cell.locator("> .code-opens").is_hidden()
    tab.evaluate("id => { location.hash = id; }", cell.get_attribute("id"))
    cell.locator("> .cell_input").wait_for()
    at_rest(cell)
    assert 0 <= cell.bounding_box()["y"] < 400


def test_without_scripts_the_code_of_by_hand_opens(open_tab):
    tab = open_tab("file", "notebooks/13_feed_forward.html", javascript=False)
    assert tab.locator("#the-smallest-useful-network .cell table").first.is_visible()
    fold = tab.locator("#the-smallest-useful-network .shows-code").first
    assert fold.locator("pre").count() == 2, "what prepares the numbers stands with the code that shows them"
    assert fold.locator("pre").first.is_hidden()
    fold.locator("summary").click()
    assert fold.locator("pre").first.is_visible() and fold.locator("summary").inner_text() == "Hide the code"


def test_a_link_to_a_cell_of_by_hand_opens_its_code(open_tab):
    for part in ("#by-hand .cell:has(> .shows-code)", "#by-hand .shows-code > .cell_input[id]"):
        tab = open_tab("http", "notebooks/16_one_step_every_number.html")
        place = tab.locator(part).first
        assert place.locator("pre").first.is_hidden()
        tab.evaluate("id => { location.hash = id; }", place.get_attribute("id"))
        place.locator("pre").first.wait_for()


def test_by_hand_the_numbers_come_first(remembered):
    tab = remembered("notebooks/11_attention.html", "hand")
    assert tab.locator("#by-hand .cell_input").first.is_hidden()
    # The given vectors stand open; the tables that repeat the steps of the figure are folded into one line.
    assert tab.locator("#by-hand .cell table").first.is_visible()
    repeated = tab.locator("#by-hand details.deeper .cell.tag_hide-output table").first
    assert repeated.is_hidden()
    tab.locator("#by-hand details.deeper > summary").first.click()
    assert repeated.is_visible()
    tab.locator("#by-hand details.deeper > summary").first.click()
    fold = tab.locator("#by-hand .cell:not(.only-code) > .shows-code").first
    fold.locator("summary").click()
    fold.locator(".cell_input pre").hover()
    fold.locator("button.copybtn").wait_for()
    # The code of the other parts has a button in this way.
    cell = tab.locator("section[id^=experiment] .cell:not(.only-code):has(> .code-opens)").first
    button = cell.locator(".code-opens")
    assert button.get_attribute("aria-expanded") == "false" and cell.locator(".cell_input").is_hidden()
    button.click()
    assert cell.locator(".cell_input").is_visible() and button.inner_text() == "Hide the code"
    assert button.get_attribute("aria-expanded") == "true"
    # The stepper opens at its first step, goes to its last, and forgets the sum of another step.
    tab.locator("#by-hand live-figure").first.scroll_into_view_if_needed()
    stepper = tab.locator("#by-hand live-figure:has(.stepper)").first
    act = {b.inner_text(): b for b in stepper.locator(".live-buttons button").all()}
    heading = stepper.locator(".stepper-bar output")
    assert heading.inner_text().startswith("1 of 11") and act["Back to the first step"].is_disabled()
    assert [*act] == ["Back to the first step"], "one steps by the bar, or by the slider"
    on = stepper.get_by_role("button", name="One step on")
    while on.is_enabled():
        on.click()
    assert heading.inner_text().startswith("11 of 11")
    read = stepper.locator(".stepper-card.stepper-reads caption").all_inner_texts()  # it is marked, too
    assert [caption[0] for caption in read] == ["X", "O"]
    # Only what this step reads and makes is shown, and what the sum of a number is made of.
    assert stepper.locator(".stepper-card:visible").count() == 3
    assert stepper.locator(".stepper-sign:visible").all_inner_texts() == ["+", "="]
    to = "(e, k) => { e.value = k; e.dispatchEvent(new Event('input', {bubbles: true})); }"
    stepper.locator("input[type=range]").evaluate(to, 1)
    stepper.locator("button[data-key='Q[1, 2]']").click()
    assert stepper.locator(".stepper-source:visible").count() == 10, "a row and a column"
    assert stepper.locator(".stepper-sum").inner_text().startswith("Q (cat, dimension 2) = ")
    stepper.locator("input[type=range]").evaluate(to, 4)
    assert heading.inner_text().startswith("5 of 11") and stepper.locator(".stepper-sum").inner_text() == ""
    order = stepper.locator(":is(.stepper-card, .stepper-sign, .stepper-behind):visible").evaluate_all(
        "all => all.map((e) => e.querySelector('caption')?.textContent ?? e.textContent)"
    )
    assert order == ["Q = X WQ", "×", "K = X WK", "T", "=", "S = Q Kᵀ, scores"]
    act["Back to the first step"].click()
    assert heading.inner_text().startswith("1 of 11")
    tab.click(".modes [data-way=all]")
    button = tab.locator("#in-code > .cell > .code-opens").first
    assert not button.is_visible() and tab.locator("#in-code > .cell .cell_input").first.is_visible()
    assert tab.locator("#by-hand .only-code summary").first.is_visible()


@pytest.mark.parametrize("page", CHAPTERS)
def test_what_a_plots_cell_prints_is_folded_below_it(page):
    """No printed text stands above a figure, and the folds of a figure are on one line."""
    text = (SITE / page).read_text(encoding="utf8")
    outputs = re.findall(
        r'<div class="cell_output docutils container[^"]*">\n?(.*?)</div>\n?</div>', text, re.S
    )
    above = [o for o in outputs if 'class="output' in o.partition('class="plot')[0] and 'class="plot' in o]
    assert above == []
    assert text.count('class="figure-folds') >= 1
    for fold in re.findall(r"<details class=\"figure-numbers\">.*?</details>", text, re.S):
        assert (
            "<pre>" in fold or "<table" in fold or '<ul class="judged' in fold
        ) and "<summary>The numbers in this figure</summary>" in fold


@pytest.mark.parametrize("page", CHAPTERS)
def test_exercises_lead_to_the_notebook(page):
    """Nothing runs on a page, so that nothing asks to be run there."""
    text = (SITE / page).read_text(encoding="utf8")
    part = text.partition('id="check-yourself"')[2].partition('id="take-aways"')[0]
    assert "not written yet" not in part and "it knows the solution" not in part
    assert part.count('<a href="#take-away">') >= 1 and text.count('id="take-away"') == 1


@pytest.mark.parametrize("width", [1280, 390])
def test_who_goes_to_the_pictures_and_back_is_where_they_were(remembered, width):
    """What hides the place leads to the nearest that is left, and what shows it again leads back to it."""
    tab = remembered("notebooks/11_attention.html", "all", viewport={"width": width, "height": 844})
    place = tab.locator("#one-head-every-number-the-cat-sat > p").nth(1)
    place.evaluate("e => scrollBy({top: e.getBoundingClientRect().top - 200, behavior: 'instant'})")
    at_rest(place)
    place.evaluate("e => scrollBy({top: e.getBoundingClientRect().top - 200, behavior: 'instant'})")
    at_rest(place)
    before = place.bounding_box()["y"]
    for way in ("picture", "code", "all"):
        tab.select_option(".here select", way)
        tab.wait_for_timeout(700)
        assert place.is_visible() == (way == "all")
        assert tab.evaluate("scrollY") > 300, "not at the top"
    assert abs(place.bounding_box()["y"] - before) < 8
    # Who has read on in another way stays there.
    tab.select_option(".here select", "picture")
    tab.wait_for_timeout(700)
    tab.evaluate("scrollBy({top: 1500, behavior: 'instant'})")
    tab.wait_for_timeout(500)
    tab.select_option(".here select", "all")
    tab.wait_for_timeout(700)
    assert not 0 < place.bounding_box()["y"] < 844


def test_a_first_visit_on_a_phone_shows_the_pictures(browser, bases):
    """With a line that says so; what was chosen stays, and a link leads to what the pictures leave out."""
    way = "document.documentElement.dataset.reading"
    for width, opens in ((390, "picture"), (1280, "all")):
        context = browser.new_context(viewport={"width": width, "height": 844}, first_visit=True)
        tab = context.new_page()
        visit(tab, bases["http"] + CHAPTERS[0])
        assert tab.evaluate(way) == opens and tab.evaluate(SHIFT) < 0.05
        assert ("short way" in tab.inner_text(".modes-says")) == (width == 390)
        visit(tab, bases["http"] + CHAPTERS[1] + "#in-code")
        tab.wait_for_function(f"() => {way} === 'all'")
        assert (
            tab.locator(".way-note").count() == 0
            and tab.locator("#in-code h3 ~ .cell pre").first.is_visible()
        )
        assert tab.evaluate("localStorage.getItem('reading')") is None, "what nobody chose is not kept"
        visit(tab, bases["http"] + CHAPTERS[2])
        assert tab.evaluate(way) == opens
        tab.click(".modes [data-way=all]")
        visit(tab, bases["http"] + CHAPTERS[3])
        assert tab.evaluate(way) == "all"
        context.close()


def test_a_phone_that_shows_the_pictures_says_why_a_link_of_the_book_shows_everything(browser, bases):
    """Also to who has chosen no way: the page before was in the pictures."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, first_visit=True)
    tab = context.new_page()
    visit(tab, bases["http"] + "search.html?q=temperature")
    tab.evaluate("place => { location.href = place; }", f"{bases['http']}{CHAPTERS[20]}#confident-and-wrong")
    note = tab.locator("#confident-and-wrong .way-note")
    note.wait_for()
    assert "“Picture” leaves out, so this page shows everything." in note.inner_text()
    assert tab.evaluate("localStorage.getItem('reading')") is None, "what nobody chose is not kept"
    note.get_by_role("button").click()
    assert tab.evaluate("document.documentElement.dataset.reading") == "picture"
    assert tab.locator(".way-note").count() == 0
    context.close()


@pytest.mark.parametrize("page", [CHAPTERS[k - 1] for k in (1, 3, 7, 13, 18, 22)])
@pytest.mark.parametrize("width", [1280, 390])
def test_in_the_pictures_each_thing_has_room(remembered, page, width):
    tab = remembered(page, "picture", viewport={"width": width, "height": 844})
    tab.evaluate("window.Live?.buildAll()")
    rooms = tab.evaluate(ROOMS)
    assert len(rooms) >= 3 and [room for room in rooms if room[0] < 12] == []


def test_a_fold_has_one_marker_on_the_first_line_of_its_words(remembered):
    tab = remembered("notebooks/02_learning.html", "code")
    fold = tab.locator("#in-code > .only-in-code summary")
    lines = fold.locator("p").evaluate_all("all => all.filter((p) => p.getClientRects().length).length")
    assert lines == 1 and fold.evaluate("e => getComputedStyle(e).display") == "block"
    tab = remembered("notebooks/11_attention.html", "all", viewport={"width": 390, "height": 844})
    titles = tab.locator("details.deeper > summary > :is(h2, h3)").all()
    tall = [title.evaluate("e => e.offsetHeight > 40") for title in titles]
    assert any(tall), "a title of two lines"
    for title in titles:
        assert title.evaluate("e => e.offsetTop - e.parentElement.offsetTop") < 20
