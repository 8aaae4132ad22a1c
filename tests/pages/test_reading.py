"""How the pages read: ways in, folds, numbers, questions, figures in the dark, what can be taken along."""

import functools
import io
import json
import math
import re
import subprocess
import sys
import zipfile
from html import unescape
from pathlib import Path

import judged
import lean_pages
import lean_style
import plan
import pytest
import quiz
import references
import take_away
from PIL import Image
from pybtex.database import parse_file
from rest import at_rest
from test_pages import CHAPTERS, SITE, TEXTS

ROOT = Path(__file__).resolve().parents[2]
STEP = re.compile(
    r'href="[^"]*?(\d\d)_\w+\.html"\s+title="(?:next|previous) page".*?</p>\s*<p[^>]*>(.*?)</p>', re.S
)
CITE = re.compile(r"\{cite[:\w]*\}`([^`]+)`")
SEEN = """() => ['the-picture', 'by-hand', 'in-code']
  .map(id => document.querySelector(`#${id} > h2`).getClientRects().length > 0)"""


@pytest.fixture
def own(browser, bases):
    """A page in a browser that remembers nothing yet."""
    contexts = []

    def opened(page, way="http", **settings):
        context = browser.new_context(**({"viewport": {"width": 1280, "height": 900}} | settings))
        contexts.append(context)
        tab = context.new_page()
        tab.goto(bases[way] + page)
        return tab

    yield opened
    for context in contexts:
        context.close()


def test_one_way_in_is_shown_and_remembered(own, bases):
    tab = own("notebooks/06_vocabulary.html")
    assert tab.evaluate(SEEN) == [True] * 3
    tab.click(".modes [data-way=hand]")
    assert tab.evaluate(SEEN) == [False, True, False]
    assert not tab.is_visible("#pst-page-toc-nav a[href='#in-code']")
    tab.goto(bases["http"] + "notebooks/07_bpe.html")
    assert tab.evaluate(SEEN) == [False, True, False]
    assert tab.get_attribute(".modes [data-way=hand]", "aria-pressed") == "true"
    tab.goto(bases["http"] + "notebooks/06_vocabulary.html#in-code")  # a link into what is hidden shows it
    tab.wait_for_function("() => document.getElementById('in-code').checkVisibility()")
    tab.click(".modes [data-way=all]")
    assert tab.evaluate(SEEN) == [True] * 3


@pytest.mark.parametrize("page", CHAPTERS)
def test_no_solution_is_seen_before_it_is_asked_for(page):
    """In *Check yourself* every cell that stands open is one to fill in."""
    text = (SITE / page).read_text(encoding="utf8")
    part = text.partition('id="check-yourself"')[2].partition('id="quiz"')[0].partition('id="take-aways"')[0]
    for _ in range(3):  # folds within folds
        part = re.sub(r"<details(?:(?!<details).)*?</details>", "", part, flags=re.S)
    code = [
        re.sub(r"<[^>]*>", "", block) for block in re.findall(r"cell_input.*?<pre>(.*?)</pre>", part, re.S)
    ]
    shown = [block for block in code if re.search(r"^(def |mistakes|check\()", block, re.M)]
    assert [block for block in shown if "..." not in block] == []


@pytest.mark.parametrize("page", CHAPTERS)
def test_chapters_have_their_numbers(page):
    text = (SITE / page).read_text(encoding="utf8")
    number = str(int(Path(page).name[:2]))
    mark = f'<span class="chapter-number">{number}</span>'
    assert f"<title>{number} " in text and re.search(rf"<h1>{mark}", text)
    bar = text.partition('<nav class="bd-links')[2].partition("</nav>")[0]
    assert [n for n in re.findall(r'data-chapter="(\d\d)"', bar)] == [Path(p).name[:2] for p in CHAPTERS]
    steps = re.findall(
        r'href="[^"]*?(\d\d)_\w+\.html"\s+title="(?:next|previous) page".*?</p>\s*<p[^>]*>(.*?)</p>',
        text,
        re.S,
    )
    assert all(f">{int(n)}</span>" in title for n, title in steps)


NUMBERS = sorted(number for number in plan.chapters() if quiz.file(number).exists())
RIGHT = {  # what the numeric questions ask for, computed
    "01": max(0, 2 * 1 - 1 * 3 - 1),
    "02": 3 - 0.1 * 2 * 3,
    "03": 2,
    "04": 0.5 * 0.2 * 0.1,
    "05": 2**10,
    "07": 256 + 1000,
    "08": round(3 / (3 * 2**0.5), 2),
    "11": sum(range(5)),
    "12": 64 / 8,
    "15": 6 * 12 * 100**2,
    "16": 2**4,
    "18": 8,
    "19": round(math.log(100), 1),
    "20": 4 * 4,
    "22": 2 * 2 * 4 * 8 * 2,
    "24": 16 / 8,
    "25": 4 * (100 + 100),
    "27": 0.8 * 90 + 0.2 * 10,
}


@pytest.mark.parametrize("number", NUMBERS)
def test_questions_are_sound(number):
    questions = quiz.load(number)
    assert len(questions) >= 2
    for question in questions:
        answers = question["answers"]
        assert sum(bool(a.get("correct")) for a in answers) == 1
        assert all(len(a["feedback"]) > 10 for a in answers)
        if question["type"] == "numeric":
            right = next(a["value"] for a in answers if a.get("correct"))
            assert right == pytest.approx(RIGHT[number])
            assert answers[-1]["type"] == "default"
        else:
            assert len({a["answer"] for a in answers}) >= 3


def stems(text):
    return {word[:6] for word in re.findall(r"[a-z0-9']{4,}", text.lower())}


@pytest.mark.parametrize("number", NUMBERS)
def test_a_wrong_answer_leaves_the_right_one_to_be_found(number):
    """Its sentence names the mistake: no right number, and at most half of the right answer's own words."""
    for question in quiz.load(number):
        [right] = [a for a in question["answers"] if a.get("correct")]
        for wrong in (a for a in question["answers"] if not a.get("correct")):
            if question["type"] == "numeric":
                value = re.escape(format(right["value"], "g"))
                assert not re.search(rf"(?<![\d.,]){value}(?![\d.])", wrong["feedback"]), wrong
            else:
                own = stems(right["answer"]) - stems(question["question"])
                given = own & stems(wrong["feedback"]) - stems(wrong["answer"])
                assert len(given) <= 0.5 * len(own), (right["answer"], wrong["feedback"])


def test_every_chapter_asks(site):
    for page in CHAPTERS:
        number = Path(page).name[:2]
        if quiz.load(number):
            assert 'id="quiz"' in (site / page).read_text(encoding="utf8"), page
    assert (site / "book" / "questions.html").read_text(encoding="utf8").count('<form class="quiz') >= 44


def test_a_wrong_answer_names_the_mistake(own):
    tab = own("notebooks/01_neuron.html", way="file")
    form = tab.locator("#quiz-01-1")
    form.locator("input").fill("−2")
    form.locator("button").click()
    assert "pre-activation" in form.locator("output").inner_text()
    assert form.get_attribute("data-right") == "false"
    form.locator("input").fill("0")
    form.locator("input").press("Enter")
    assert form.locator("output").inner_text().startswith("Right.")
    second = tab.locator("#quiz-01-2")
    second.locator("button").click()
    assert second.locator("output").inner_text() == "Choose an answer first."
    second.get_by_label("No more than one linear layer").check()
    second.locator("button").click()
    assert second.get_attribute("data-right") == "true"
    # What is counted is the first try; a wrong choice stays marked.
    third, count = tab.locator("#quiz-01-3"), tab.locator("#quiz .quiz-count")
    assert count.inner_text() == "Right at the first try: 1 of 2"
    wrong = third.get_by_label("He counts all the squares")
    wrong.check()
    third.locator("button").click()
    assert third.locator("output").inner_text().endswith("Try again.")
    third.get_by_label("Every square of her photograph").check()
    third.locator("button").click()
    assert third.get_attribute("data-right") == "true" and third.locator(".quiz-tried").count() == 1
    assert count.inner_text() == "Right at the first try: 1 of 3"


def test_only_a_decimal_number_counts_as_one(own):
    tab = own("notebooks/07_bpe.html", way="file")
    form = tab.locator("form.quiz:has(input[type=text])").first
    field, said = form.locator("input"), form.locator("output")

    def judged(typed):
        field.fill(typed)
        field.press("Enter")
        return said.inner_text()

    for typed in ("1256", "1,256", "1 256", "1\u202f256", "1256,0", "1.256,0", " 1256.0 "):
        assert judged(typed).startswith("Right."), typed
    for typed in (
        "0x4e8",
        "0b10011101000",
        "Infinity",
        "1,2,5,6",
        "1,25,6",
        "12 56",
        "1256/1",
        "1256 tokens",
        ".",
    ):
        assert judged(typed) == "Write one decimal number, such as 0.25 or 1,000.", typed
    assert judged("0,256").startswith("Not yet.")  # (a comma that can be no group's is a decimal point)


@pytest.mark.parametrize("page", CHAPTERS)
def test_the_line_below_a_number_is_explained_where_it_is_met_first(site, page):
    text = (site / page).read_text(encoding="utf8")
    numbers, sign = text.count('class="bound"'), 'class="bound-says"'
    assert text.count(sign) == (numbers > 0)
    assert not numbers or 'class="bound"' in text[: text.index(sign)]


def test_a_plot_in_the_dark_is_no_slab_and_can_be_enlarged(own):
    tab = own("notebooks/11_attention.html", color_scheme="dark", viewport={"width": 390, "height": 844})
    picture = tab.locator(".cell_output img.plot.only-dark").first
    picture.scroll_into_view_if_needed()
    style = picture.evaluate("e => [getComputedStyle(e).filter, getComputedStyle(e).backgroundColor]")
    assert style == ["none", "rgba(0, 0, 0, 0)"] and picture.get_attribute("src").endswith("#dark")
    assert tab.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(18, 18, 18)"
    at_rest(picture)  # what lies above has its height
    was = tab.evaluate("scrollY")
    picture.click()
    inner, box, close = (
        tab.locator(f"dialog.enlarged {what}").bounding_box()
        for what in ("img", ">> nth=0", "button >> text=Close")
    )
    # All of it is seen at first, under the buttons, and one side of it is as long as the window lets it be.
    assert inner["x"] >= 0 and inner["x"] + inner["width"] <= 390 and inner["y"] + inner["height"] <= 844
    assert inner["y"] >= close["y"] + close["height"] and close["x"] + close["width"] <= 390
    says = tab.locator("dialog.enlarged .finding").bounding_box()
    assert says["y"] >= inner["y"] + inner["height"] and says["y"] + says["height"] <= 844
    assert inner["width"] > 350 or inner["height"] > 740 - says["height"]
    assert box["width"] == 390
    big = tab.locator("dialog.enlarged img")
    big.click()
    assert big.bounding_box()["width"] > 1.9 * inner["width"]
    tab.mouse.move(200, 500)
    tab.mouse.wheel(300, 300)
    tab.wait_for_function(
        "() => document.querySelector('dialog.enlarged > div:nth-child(2)').scrollLeft > 100"
    )
    tab.mouse.wheel(0, 9000)
    for _ in range(5):  # the page behind neither moves nor takes the focus
        tab.keyboard.press("Tab")
        assert tab.evaluate(
            "document.activeElement === document.body || !!document.activeElement.closest('dialog')"
        )
    assert abs(tab.evaluate("scrollY") - was) < 2
    tab.get_by_role("button", name="Fit to the window").click()
    assert abs(big.bounding_box()["width"] - inner["width"]) < 2
    tab.keyboard.press("Escape")
    tab.wait_for_selector("dialog.enlarged", state="detached")  # it tells a moment later that it was closed
    assert tab.evaluate("document.activeElement.matches('.cell_output img.plot')")
    assert tab.evaluate("() => document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("width", [390, 1280])
def test_an_enlarged_plot_has_the_colours_of_its_theme(own, width):
    """Over http Chromium drew it as by day: labels nearly black on black."""
    tab = own(
        "notebooks/23_inside_the_model.html", color_scheme="dark", viewport={"width": width, "height": 844}
    )
    picture = tab.locator(".cell_output img.plot.only-dark").first
    picture.scroll_into_view_if_needed()
    at_rest(picture)

    def light(element):
        shades = Image.open(io.BytesIO(element.screenshot())).convert("L").histogram()
        return sum(k * n for k, n in enumerate(shades)) / sum(shades)

    here = light(picture)
    picture.click()
    at_rest(tab.locator("dialog.enlarged img"))
    assert here < 80 and abs(light(tab.locator("dialog.enlarged img")) - here) < 20


def test_a_link_into_what_is_hidden_shows_this_page_and_keeps_the_way(own, bases):
    tab = own("notebooks/06_vocabulary.html")
    tab.click(".modes [data-way=picture]")
    tab.goto(
        bases["http"] + "notebooks/21_sampling.html#confident-and-wrong"
    )  # an experiment without a figure
    tab.wait_for_function("() => document.getElementById('confident-and-wrong').getClientRects().length > 0")
    tab.wait_for_function(
        "() => Math.abs(document.getElementById('confident-and-wrong').getBoundingClientRect().top) < 200"
    )
    assert "leaves out" in tab.inner_text(".modes-says")
    note = tab.locator("#confident-and-wrong .way-note")
    assert "“Picture” leaves out" in note.inner_text() and note.is_visible(), "said where one arrives, too"
    part = tab.locator("#confident-and-wrong")  # who chose to read no code gets what it prints, and none
    assert part.locator(".cell_input:visible").count() == 0 < part.locator(".cell_output:visible").count()
    note.get_by_role("button").click()
    assert tab.evaluate(SEEN) == [True, False, False] and tab.locator(".way-note").count() == 0
    tab.goto(bases["http"] + "notebooks/08_embeddings.html")
    assert tab.evaluate(SEEN) == [True, False, False], "the way that was chosen goes on"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_drawing_can_be_enlarged_as_a_plot_can_and_both_say_so(own, theme):
    tab = own("notebooks/01_neuron.html", color_scheme=theme, viewport={"width": 1280, "height": 800})
    drawing = tab.locator("article svg.diagram").first
    drawing.scroll_into_view_if_needed()
    was = drawing.bounding_box()["width"]
    assert drawing.evaluate("e => getComputedStyle(e).cursor") == "zoom-in"
    assert drawing.locator("title").text_content() == tab.locator(".cell_output img").first.get_attribute(
        "title"
    )
    drawing.click()
    big = tab.locator("dialog.enlarged svg").bounding_box()
    assert big["width"] > 1.3 * was or big["height"] > 650
    assert big["y"] + big["height"] <= 800 and big["x"] + big["width"] <= 1280
    tab.keyboard.press("Escape")
    tab.wait_for_selector("dialog.enlarged", state="detached")
    assert tab.evaluate("document.activeElement.matches('svg.diagram')")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("dialog.enlarged svg")


def test_folds_look_alike_and_stand_on_one_line(own):
    tab = own("notebooks/01_neuron.html", way="file", viewport={"width": 1280, "height": 800})
    pair = tab.locator(".figure-folds:has(> details.figure-numbers):has(> details.hide)").first
    pair.scroll_into_view_if_needed()
    top = """e => {
      const said = [...e.querySelectorAll('summary p')].find(p => p.checkVisibility());
      const range = document.createRange();
      range.selectNodeContents(said || e.querySelector('summary'));
      return [range.getBoundingClientRect().top, e.getBoundingClientRect().height];
    }"""
    (a, high), *others = (d.evaluate(top) for d in pair.locator("> details").all())
    assert others and all(abs(a - b) < 1 and abs(high - other) < 1 for b, other in others)
    tab.locator("#check-yourself").scroll_into_view_if_needed()
    appearance = """e => {
      const box = getComputedStyle(e), summary = e.querySelector('summary');
      const words = getComputedStyle(summary.querySelector('p') || summary);
      return [box.boxShadow, box.borderTopColor, box.backgroundColor, words.color, words.fontWeight,
        words.fontSize, Math.round(e.getBoundingClientRect().height)];
    }"""
    solution = tab.locator("#check-yourself details.hide:has-text('Show the solution')").first
    answer = tab.locator("#check-yourself details:not(.hide)").first
    assert solution.evaluate(appearance) == answer.evaluate(appearance)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_code_has_the_quiet_border_of_the_theme(own, scheme):
    """The theme's own grey is the same by day and by night, and there the brightest line of the page."""
    tab = own("notebooks/01_neuron.html", color_scheme=scheme)
    colour = "(e, side) => getComputedStyle(e)[`border${side}Color`]"
    quiet = tab.locator(".cell_output").first.evaluate(colour, "Left")
    code = tab.locator(".cell_input").first
    assert {code.evaluate(colour, side) for side in ("Top", "Right", "Bottom")} == {quiet}


def test_copy_covers_no_code_and_a_long_line_goes_on_further_in(own):
    tab = own("notebooks/01_neuron.html", viewport={"width": 1280, "height": 800})
    tab.locator(".shows-code:has-text('visitors = {') > summary").click()
    code = tab.locator(".cell_input .highlight:visible:has-text('visitors = {')").first
    code.scroll_into_view_if_needed()
    code.hover()
    button, line = code.locator(".copybtn").bounding_box(), code.locator(".code-line").first
    assert button["y"] + button["height"] <= line.bounding_box()["y"] + 1
    lines = code.locator(".s2").evaluate_all("all => all.map(e => e.getClientRects().length)")
    assert lines and set(lines) == {1}, "no short string is broken"
    # Of a line that is broken, what follows begins four letters further in than its first letter.
    starts = """all => all.map(e => {
      const range = document.createRange();
      range.selectNodeContents(e);
      const tops = new Map();
      for (const r of range.getClientRects()) {
        const top = Math.round(r.top);
        if (r.width > 1) tops.set(top, Math.min(r.left, tops.get(top) ?? Infinity));
      }
      return [...tops.values()];
    }).filter(lefts => lefts.length > 1)"""
    tab.set_viewport_size({"width": 700, "height": 800})
    broken = tab.locator(".cell_input .code-line:visible").evaluate_all(starts)
    assert broken and all(min(more) > first + 20 for first, *more in broken)


def test_what_was_read_is_marked(own):
    """Not what somebody jumps over."""
    tab, mark = own("notebooks/06_vocabulary.html"), ".bd-docs-nav a.was-read[data-chapter='06']"
    tab.click(".modes [data-way=picture]")
    tab.wait_for_timeout(700)  # (the page keeps its place for a moment)
    tab.locator("#take-aways").scroll_into_view_if_needed()
    tab.wait_for_timeout(1900)
    assert tab.locator(mark).count() == 0
    for part in tab.locator("#the-picture, #experiment, #experiment section:visible").all():
        part.evaluate("e => e.scrollIntoView()")
        tab.wait_for_timeout(1700)
    tab.wait_for_selector(mark, state="attached")
    assert "take-aways" in tab.get_attribute(mark, "title")


def test_references_are_links(site):
    entries = parse_file(str(references.BIB)).entries
    assert len(entries) > 100
    keys = [e.fields[k] for e in entries.values() for k in ("doi", "eprint") if k in e.fields]
    assert len(keys) == len(set(keys))
    for key, entry in entries.items():
        year = int(entry.fields["year"])
        if doi := entry.fields.get("doi"):
            assert re.fullmatch(r"10\.\d{4,5}/[^\s{}\"]+", doi), key
        if number := entry.fields.get("eprint"):
            # yymm and a number, of four digits until 2014 and of five since; a work appears when it is put
            # there or up to three years later, but never long before.
            put, rest = 2000 + int(number[:2]), number.partition(".")[2]
            assert re.fullmatch(r"\d\d(0[1-9]|1[0-2])\.\d{4,5}", number), key
            assert len(rest) == (5 if put >= 2015 else 4) and -1 <= year - put <= 3, key
        assert key[-1].isalpha() or re.search(r"(1[89]|20)\d\d$", key), key
    cited = {m for p in (ROOT / "book").glob("*.md") for m in CITE.findall(p.read_text(encoding="utf8"))}
    assert cited <= set(entries)
    linked = 0
    for page in CHAPTERS:
        part = (
            (site / page)
            .read_text(encoding="utf8")
            .partition('id="references"')[2]
            .partition("</section>")[0]
        )
        linked += len(re.findall(r'href="https://(?:doi|arxiv)\.org', part))
    assert linked >= 235
    assert 'href="https://arxiv.org/abs/1706.03762"' in (site / "book" / "references.html").read_text(
        encoding="utf8"
    )


def test_the_timeline_names_only_known_works(site):
    events = json.loads((ROOT / "book" / "timeline.json").read_text(encoding="utf8"))
    known = parse_file(str(references.BIB)).entries
    assert [e["year"] for e in events] == sorted(e["year"] for e in events)
    for event in events:
        assert event["key"] in known or event["where"], event["name"]


def test_the_timeline_dates_a_work_by_its_first_version(site):
    """On arXiv, whose numbers begin with year and month; or by its publication, which is told, too."""
    events = json.loads((ROOT / "book" / "timeline.json").read_text(encoding="utf8"))
    known = parse_file(str(references.BIB)).entries
    page = (site / "book" / "timeline.html").read_text(encoding="utf8")
    entries = re.findall(r"<li id=.event-.*?</li>", page)
    assert len(entries) == len(events)
    for event, entry in zip(events, entries, strict=True):
        if event["key"]:
            fields = known[event["key"]].fields
            first = re.match(r"(\d\d)\d\d\.", fields.get("eprint", ""))
            assert event["year"] == (2000 + int(first[1]) if first else int(fields["year"])), event["name"]
            assert fields["year"] in entry, event["name"]


def test_the_table_of_scales_counts_as_published(site):
    page = (site / "book" / "scale.html").read_text(encoding="utf8")
    for count in ("301,296", "124,439,808", "6,738,415,616", "46,702,792,704", "68,976,648,192"):
        assert count in page
    assert "3.9 years" in page and "5,530 years" in page  # to read so many numbers aloud


@pytest.mark.parametrize("page", TEXTS)
def test_no_table_has_an_empty_bar(page):
    for head in re.findall(r"<thead>.*?</thead>", (SITE / page).read_text(encoding="utf8"), re.S):
        assert re.sub(r"<[^>]*>|\s", "", head), head


def test_how_to_run_the_book_is_said_once_with_what_it_takes(site):
    page = (site / "book" / "how_to_use.html").read_text(encoding="utf8")
    part = page.partition('id="run-it"')[2].partition('id="exercises-that-answer"')[0]
    addresses = re.findall(r'href="([^"]+)" download', part)
    assert [address.rpartition(".")[2] for address in addresses] == ["whl", "zip"]
    assert all((site / "book" / address).is_file() for address in addresses)
    text = re.sub(r"<[^>]*>", "", part)
    assert take_away.RUN in text and "THE_" not in part and re.search(r"one archive \(\d+ MB\)", text)
    assert "Take it with you" not in text and text.count("On Colab") == 1
    assert text.count("run all cells") + text.count("Run all cells") == 1


def test_a_reader_of_the_site_can_take_everything(site, tmp_path):
    page = (site / "notebooks" / "06_vocabulary.html").read_text(encoding="utf8")
    links = re.findall(r'<div class="take-away"[^>]*>.*?</div>', page, re.S)[0]
    addresses = re.findall(r'href="([^"]+)" download', links)
    assert len(addresses) == 3 and take_away.RUN in links
    notebook, wheel, archive = (site / "notebooks" / a for a in addresses)
    assert json.loads(notebook.read_text(encoding="utf8"))["cells"]
    with zipfile.ZipFile(archive) as whole:
        names = set(whole.namelist())
        assert {"README.txt", "notebooks/06_vocabulary.ipynb", f"notebooks/{wheel.name}"} <= names
        assert "pages/book/index.html" in names
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--no-index",
        "--target",
        str(tmp_path),
        str(wheel),
    ]
    subprocess.run(command, check=True, capture_output=True)
    code = "from support import zoo; print(zoo.load('calling-game').model.n_parameters())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "106624", done.stderr


def test_styles_keep_what_a_page_can_meet():
    css = ".a:is(.x, .y) .b{c:d} @media print{.gone{e:f}.a{g:h}} @keyframes turn{from{top:0}} .gone, .b{i:j}"
    kept = lean_style.lean(css, {"a", "b"})
    assert ".a:is(.x, .y) .b{c:d}" in kept and "@media print{.a{g:h}}" in kept and ".b{i:j}" in kept
    assert "gone" not in kept and "@keyframes turn" in kept


def test_a_page_asks_for_little(site):
    """The page, one style, one script, formulas; and no picture before it is near."""
    text = (site / "notebooks" / "06_vocabulary.html").read_text(encoding="utf8")
    assert (
        len(re.findall(r"<script[^>]*\bsrc=", text)) <= 2 and len(re.findall(r'rel="stylesheet"', text)) <= 3
    )
    pictures = re.findall(r"<img[^>]*_images[^>]*>", text)
    assert all('loading="lazy"' in p and "width=" in p and "height=" in p for p in pictures)
    assert lean_pages.size_of(site, "_static/card.png") == (1200, 630)


def test_the_magnifier_stands_beside_what_is_typed(own):
    tab = own("search.html", way="file")
    icon = tab.locator("form.bd-search i.fa-magnifying-glass").last.bounding_box()
    field = tab.locator("form.bd-search input[type=search]").last
    text = field.bounding_box()["x"] + float(
        field.evaluate("e => parseFloat(getComputedStyle(e).paddingLeft)")
    )
    assert text >= icon["x"] + icon["width"] + 2


LENS = """() => [...document.querySelectorAll('.live-lens tbody tr')].every((row) => {
  const [label, square] = [row.querySelector('th'), row.querySelector('td')];
  return square.getBoundingClientRect().left >= label.getBoundingClientRect().right - 1;
})"""


def test_no_column_of_the_lens_lies_under_the_labels_on_a_phone(own):
    address = "notebooks/23_inside_the_model.html#live=lens"
    tab = own(address, way="file", viewport={"width": 390, "height": 844})
    tab.wait_for_selector(".live-lens tbody th")
    assert tab.evaluate(LENS)
    assert tab.locator(".live-lens thead").first.is_visible()  # the columns have their names


TOP = "e => e.getBoundingClientRect().top"


def test_a_link_to_a_live_figure_opens_the_part_in_which_it_stands(own, bases):
    """Also in a way of reading that leaves the part out, and when the page stands already."""
    tab = own("notebooks/11_attention.html#live=machine")
    figure = tab.locator("live-figure[data-key=machine]")
    figure.locator(".live-panel").wait_for()
    tab.wait_for_function(f"() => Math.abs(({TOP})(document.querySelector('[data-key=machine]'))) < 120")
    assert figure.evaluate("e => e.closest('details.deeper').open") and not tab.locator(".way-note").count()
    tab.click(".modes [data-way=picture]")
    tab.goto(bases["http"] + "notebooks/23_inside_the_model.html")
    assert tab.locator("live-figure .live-panel").count() == 0
    tab.evaluate("location.hash = 'live=lens'")
    lens = tab.locator("live-figure[data-key=lens]")
    lens.locator(".live-panel").wait_for()
    tab.wait_for_function(f"() => Math.abs(({TOP})(document.querySelector('[data-key=lens]'))) < 120")
    assert tab.locator(".way-note").count() == 1


def test_the_positions_fit_a_window(own):
    tab = own("book/playground.html", way="file")
    tab.wait_for_function("() => !window.Live.waits()")
    tab.evaluate("() => { window.Live.buildAll(); }")
    figure = tab.locator("live-figure:has(.live-of-pair)")
    figure.scroll_into_view_if_needed()
    assert figure.bounding_box()["height"] < 1000


def test_a_term_says_what_it_means_where_it_stands(own):
    tab = own("notebooks/11_attention.html", way="file")
    term = tab.locator("article a.term").first
    term.scroll_into_view_if_needed()
    term.focus()
    tab.wait_for_selector("#term-tip")
    assert len(tab.inner_text("#term-tip")) > 20
    assert term.get_attribute("aria-describedby") == "term-tip"
    tab.keyboard.press("Escape")
    assert tab.locator("#term-tip").count() == 0
    links = tab.evaluate("() => [...document.querySelectorAll('article a.term')].map(a => a.hash)")
    assert len(links) == len(set(links)) > 10


def test_the_status_page_says_when_with_what_and_where(site):
    text = re.sub(r"<[^>]*>", "", (site / "book" / "status.html").read_text(encoding="utf8"))
    assert re.search(r"written on \d\d \w+ \d{4} with Python 3\.\d+\.\d+, torch \S+, numpy", text)
    assert "processor cores" in text


FINGER = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def test_a_finger_sees_a_plot_whole_and_makes_it_larger_than_it_stands_there(own):
    tab = own("notebooks/11_attention.html", **FINGER)
    plot = tab.locator(".cell_output img.plot:visible").first
    plot.scroll_into_view_if_needed()
    was = plot.bounding_box()["width"]
    plot.tap()
    whole = tab.locator("dialog.enlarged img").bounding_box()
    assert whole["x"] >= 0 and whole["x"] + whole["width"] <= 390, "all of it first"
    tab.locator("dialog.enlarged img").tap()
    big = tab.locator("dialog.enlarged img").bounding_box()
    assert big["width"] > 1.5 * was and big["x"] < 0 < big["x"] + big["width"] - 390, "its middle, larger"
    assert (
        tab.inner_text("dialog.enlarged .finding")
        == tab.locator(".cell.draws:has(img.plot) p.finding").first.inner_text()
    )
    tab.get_by_role("button", name="Fit to the window").tap()
    assert tab.locator("dialog.enlarged img").bounding_box()["width"] <= 390
    tab.get_by_role("button", name="Close", exact=True).tap()
    tab.wait_for_selector("dialog.enlarged", state="detached")


def test_a_finger_on_a_term_gets_its_meaning_and_stays_in_the_chapter(own):
    tab = own("notebooks/11_attention.html", **FINGER)
    tab.wait_for_function("() => !document.documentElement.dataset.opening")
    here, term = tab.url, tab.locator("#the-picture a.term, article p a.term").first
    term.scroll_into_view_if_needed()
    term.tap()
    sheet = tab.locator(".term-sheet")
    sheet.wait_for()
    box = sheet.bounding_box()
    assert box["width"] == 390 and abs(box["y"] + box["height"] - 844) < 1 and box["height"] < 430
    assert sheet.inner_text().startswith(term.inner_text()) and len(sheet.inner_text()) > 60
    tab.get_by_role("button", name="Close", exact=True).tap()
    assert sheet.count() == 0 and tab.url == here
    term.tap()
    sheet.wait_for()
    tab.touchscreen.tap(200, 200)  # away from it
    assert sheet.count() == 0 and tab.url == here
    number = tab.locator("article p .bound").first
    number.scroll_into_view_if_needed()
    number.tap()
    sheet.wait_for()
    assert sheet.inner_text().startswith(f"{number.inner_text()}: This number is computed")
    tab.get_by_role("button", name="Close", exact=True).tap()
    assert sheet.count() == 0 and tab.url == here
    term.tap()
    tab.get_by_role("link", name="In the glossary").tap()
    tab.wait_for_url("**/glossary.html#*")


def test_a_finger_on_one_term_after_another_gets_the_meaning_of_the_second(own):
    tab = own("notebooks/11_attention.html", **FINGER)
    tab.wait_for_function("() => !document.documentElement.dataset.opening")
    terms, sheet = tab.locator("#the-picture a.term:visible"), tab.locator(".term-sheet")
    names = terms.all_inner_texts()
    other = next(k for k, name in enumerate(names) if name != names[0])
    terms.first.tap()
    sheet.wait_for()
    for k in (other, 0, other):
        terms.nth(k).evaluate("e => e.scrollIntoView({block: 'center'})")
        terms.nth(k).tap()
        tab.wait_for_function(
            "name => document.querySelector('.term-sheet')?.innerText.startsWith(`${name}:`)", arg=names[k]
        )
        assert sheet.count() == 1
    tab.keyboard.press("Escape")
    assert sheet.count() == 0, "and nothing of the sheets before is left"


def test_what_goes_deeper_is_folded_until_it_is_asked_for(own, bases):
    tab = own("notebooks/13_feed_forward.html")
    parts = tab.locator("details.deeper")
    assert parts.count() >= 6 and tab.locator("details.deeper[open]").count() == 0
    for part in parts.all():
        assert part.evaluate("e => /^(deeper-|what-the-sources-say$)/.test(e.parentElement.id)")
    sources = tab.locator("#what-the-sources-say > details > summary")
    sources.scroll_into_view_if_needed()
    assert "recomputed" in sources.text_content() and sources.bounding_box()["height"] <= 60
    gate = tab.locator("#deeper-why-a-gate-helps")
    low = gate.bounding_box()["height"]
    for name in (
        "deeper-why-a-gate-helps",
        "what-do-experts-specialise-in",
    ):  # itself, and a part within another
        # (The list shows what is inside a folded part only while one reads there; a link may lead to it.)
        tab.locator(f"#pst-page-toc-nav a[href='#{name}']").evaluate("link => link.click()")
        tab.wait_for_function(
            """name => { const place = document.getElementById(name), top = place.getBoundingClientRect().top;
            return place.checkVisibility({contentVisibilityAuto: false}) && top > -5 && top < 200; }""",
            arg=name,
        )
    assert tab.locator("details.deeper[open]").count() == 2
    assert low <= 60 and gate.bounding_box()["height"] > low + 500
    summary = tab.locator("#deeper-why-a-gate-helps > details > summary")
    summary.scroll_into_view_if_needed()
    assert summary.locator("h2").text_content().startswith("Deeper: why a gate helps")
    summary.click()
    assert tab.locator("details.deeper[open]").count() == 1
    assert gate.bounding_box()["height"] <= 60
    # One line says of a run of them that they can be skipped, and none of them says so again.
    runs = tab.locator("section[id^='deeper-']:not(section[id^='deeper-'] + *)")
    said = tab.locator(".deeper-says")
    assert said.count() == runs.count() and all("can be skipped" in line for line in said.all_text_contents())
    assert "can be skipped" not in "".join(parts.all_text_contents())
    tab.goto(bases["http"] + "notebooks/13_feed_forward.html?again#keeping-all-experts-in-use")
    tab.wait_for_function("() => document.querySelectorAll('details.deeper[open]').length === 1")


@pytest.mark.parametrize("page", CHAPTERS)
def test_what_a_cell_judged_is_a_list_with_ticks(site, page):
    """All that the notebook prints so, and nothing else."""
    text = (site / page).read_text(encoding="utf8")
    lists = re.findall(r'<ul class="judged output">(.*?)</ul>', text, flags=re.S)
    shown = [unescape(item) for part in lists for item in re.findall(r"<li>(.*?)</li>", part)]
    notebook = json.loads((site / "_sources" / page).with_suffix(".ipynb").read_text(encoding="utf8"))
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", [])]
    lines = [line for output in outputs for line in "".join(output.get("text", "")).splitlines()]
    assert sorted(shown) == sorted(sentence for line in lines for sentence in judged.judged(line))
    printed = re.findall(r'<div class="output[^"]*">.*?<pre>(.*?)</pre>', text, flags=re.S)
    left = [re.sub(r"<[^>]*>", "", line).strip() for block in printed for line in block.splitlines()]
    assert printed and not [line for line in left if judged.judged(line)]


@pytest.mark.parametrize("page", CHAPTERS)
def test_every_plot_has_its_caption_in_every_way(site, page):
    text = (site / page).read_text(encoding="utf8")
    cells = re.split(r'(?=<div class="cell\b)', text)
    drawn = [cell for cell in cells if '<img class="plot' in cell]
    assert drawn
    for cell in drawn:
        assert cell.count('<p class="finding">') == 1 and "finding only-in-picture" not in cell


def test_the_pictures_ask_only_for_what_they_showed(own):
    tab = own("notebooks/22_kv_cache.html")
    asked = tab.locator("form.quiz").count()
    tab.click(".modes [data-way=picture]")
    shown = [form for form in tab.locator("form.quiz").all() if form.is_visible()]
    assert 2 <= len(shown) < asked
    assert not any("bytes" in form.inner_text() for form in shown)


def test_a_finger_reads_the_nearest_work_of_the_timeline_where_it_is(own):
    tab = own("book/timeline.html", **FINGER)
    dot = tab.locator(".drawn-narrow a.event").nth(4)
    box, was = dot.locator("circle").bounding_box(), tab.evaluate("scrollY")
    tab.touchscreen.tap(box["x"] + 9, box["y"] + 9)  # beside it
    told = tab.locator(".event-told")
    told.wait_for()
    year, name = dot.get_attribute("aria-label").split(": ", 1)
    assert told.inner_text().startswith(f"{year} {name}") and told.locator("a").count() >= 1
    assert tab.evaluate("scrollY") == was and told.bounding_box()["y"] < 844
    tab.touchscreen.tap(200, 60)  # nowhere near
    assert told.locator("li").count() == 1 and "#" not in tab.url


def test_a_finger_beside_an_open_menu_closes_it_and_follows_no_link(own):
    tab = own("book/for_users.html", **FINGER)
    link = tab.locator(".bd-article p a[href$='.html']:visible").first
    link.evaluate("e => e.scrollIntoView({block: 'end'})")
    was, menu = tab.url, tab.locator(".dropdown-download-buttons .dropdown-menu")
    tab.locator(".dropdown-download-buttons .dropdown-toggle").tap()
    menu.wait_for()
    link.tap()
    menu.wait_for(state="hidden")
    assert tab.url == was
    link.tap()  # and now it leads on
    tab.wait_for_function("was => location.href !== was", arg=was)


@pytest.mark.parametrize("page", ["book/for_users.html", "notebooks/21_sampling.html"])
def test_who_comes_back_finds_the_place_that_was_read(own, page):
    tab = own(page, **FINGER)
    tab.wait_for_function("() => !document.documentElement.dataset.opening")
    link = tab.locator(".bd-article p a[href*='notebooks/'], .bd-article p a[href*='.html']").nth(6)
    link.scroll_into_view_if_needed()
    at_rest(link)
    was = link.bounding_box()["y"]
    link.evaluate("e => { location.href = e.href; }")
    tab.wait_for_function("page => !location.pathname.endsWith(page)", arg=page)
    tab.wait_for_load_state()
    tab.go_back()
    tab.wait_for_function(
        "([k, was]) => Math.abs([...document.querySelectorAll(\".bd-article p a[href*='notebooks/'], "
        ".bd-article p a[href*='.html']\")][k].getBoundingClientRect().top - was) < 12",
        arg=[6, was],
    )


def test_by_hand_no_button_stands_for_code_alone(own):
    tab = own("notebooks/02_learning.html")
    tab.click(".modes [data-way=hand]")
    alone = tab.locator("#by-hand .cell.only-code")
    assert alone.count() == 2 and not any(cell.is_visible() for cell in alone.all())
    drawn = tab.locator("#by-hand .cell.draws")
    for cell in drawn.all():
        cell.wait_for()
    assert drawn.count() >= 3
    assert tab.locator("#by-hand details.figure-numbers[open]").count() == 0
    tab.click(".modes [data-way=all]")
    alone.first.wait_for()


def test_the_opening_drawing_and_the_words_that_belong_to_it_open_the_picture(own):
    tab = own("notebooks/16_one_step_every_number.html")
    drawing, words = tab.locator(".opening-drawing"), tab.locator("#the-picture")
    for way, part in (("all", "#by-hand"), ("picture", "section[id^=experiment]")):
        tab.click(f".modes [data-way={way}]")
        after = tab.locator(part)
        assert words.bounding_box()["y"] < drawing.bounding_box()["y"] < after.bounding_box()["y"]
    assert tab.locator(".opening-said").first.is_visible() and drawing.locator(".finding").is_visible()


@pytest.mark.parametrize("way", ["http", "file"])
def test_the_search_offers_titles_and_terms_and_to_choose_one_leads_there(own, way):
    tab = own("notebooks/06_vocabulary.html", way=way)
    assert tab.evaluate("window.TITLES") is None  # a page that nobody searches from loads no list
    tab.keyboard.press("Control+k")
    field = tab.locator("form.bd-search input:focus")
    field.wait_for()
    tab.wait_for_function("() => window.TITLES?.length > 400")
    offered = tab.evaluate("TITLES.map(([title]) => title)")
    assert {"Attention", "Softmax", "Timeline"} <= {*offered} and "Take-aways" not in offered
    field.type("atten")  # what begins so comes first, then what has a word that does
    links = tab.locator(".offers a")
    links.nth(6).wait_for()
    assert links.first.inner_text().lower().partition("\n")[0] == "attention"
    assert tab.locator(".offers-go").is_visible() and tab.url.endswith("06_vocabulary.html")
    chosen = "document.querySelector('.offers a[aria-selected=true]')?.hash || ''"
    assert tab.evaluate(chosen) == "" and links.first.get_attribute("aria-selected") == "true"
    tab.keyboard.press("ArrowDown")  # what the glossary says of it stands below, and the arrows choose
    assert tab.evaluate(chosen) == "#term-attention"
    assert "compare queries with keys" in links.nth(1).inner_text()
    assert field.get_attribute("aria-activedescendant") == links.nth(1).get_attribute("id")
    tab.keyboard.press("ArrowUp")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/11_attention.html")


def test_to_focus_what_stands_in_the_bar_moves_no_page(own):
    tab = own("notebooks/11_attention.html", **FINGER)
    tab.wait_for_function("() => !document.documentElement.dataset.opening")
    tab.evaluate("scrollTo(0, 6500)")
    at_rest(tab)
    moved = tab.evaluate("""async () => {
      const moved = [];
      for (const control of document.querySelectorAll(".bd-header-article :is(a, button, select)")) {
        if (!control.getClientRects().length) continue;
        const before = scrollY;
        control.focus();
        await new Promise((done) => setTimeout(done, 60));
        moved.push(scrollY - before);
      }
      return moved;
    }""")
    assert len(moved) > 5 and not any(moved)


def test_on_a_phone_the_search_has_a_way_out_and_a_way_on(own):
    tab = own("notebooks/06_vocabulary.html", **FINGER)
    tab.locator(".search-button__button >> visible=true").tap()
    close, field = tab.locator(".offers-close"), tab.locator("form.bd-search input:focus")
    box, typed = close.bounding_box(), field.bounding_box()
    assert min(box["width"], box["height"]) >= 44 and box["x"] >= typed["x"] + typed["width"]
    close.tap()
    tab.wait_for_function("() => !document.querySelector('dialog[open]')")
    tab.locator(".search-button__button >> visible=true").tap()
    field.fill("softmax")
    tab.locator(".offers-go").tap()
    tab.wait_for_url("**/search.html?q=softmax")


@pytest.mark.parametrize("button", [".primary-toggle", ".secondary-toggle"])
def test_who_closes_the_contents_on_a_phone_is_where_they_were(own, button):
    tab = own("notebooks/11_attention.html", **FINGER)
    tab.wait_for_function("() => !document.documentElement.dataset.opening")
    tab.evaluate("scrollTo(0, 3000)")
    at_rest(tab)
    was = tab.evaluate("scrollY")
    box = tab.locator(button).first.bounding_box()
    # (A tap by Playwright would first scroll to the button, which sticks to the head of the window.)
    tab.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tab.locator("dialog[open]").wait_for()
    tab.keyboard.press("Escape")
    tab.wait_for_function("() => !document.querySelector('dialog[open]')")
    at_rest(tab)
    assert was > 2000 and abs(tab.evaluate("scrollY") - was) < 3


def test_what_the_search_offers_is_there(site):
    listed = (site / "_static" / "titles.js").read_text(encoding="utf8")
    for name, place, *_ in json.loads(listed.removeprefix("window.TITLES = ").rstrip(";\n")):
        page, _, anchor = place.partition("#")
        assert not anchor or f'id="{anchor}"' in text_of(site / page), (name, place)


@functools.cache
def text_of(path):
    return path.read_text(encoding="utf8")


@pytest.mark.parametrize("page", ["04_counting_and_predicting", "26_preferences"])
def test_in_the_picture_the_aims_are_left_out_with_their_heading(own, page):
    tab = own(f"notebooks/{page}.html")
    aims = tab.get_by_text("You will be able to", exact=True)
    tab.locator("details.aims > summary").click()
    assert aims.is_visible()
    tab.click(".modes [data-way=picture]")
    aims.wait_for(state="hidden")
    caption = tab.locator(".opening-drawing .finding")
    assert caption.is_visible() and len(caption.inner_text().split()) > 8
    assert not any(part.is_visible() for part in tab.locator(".opening-drawing svg .formula").all())


def test_a_long_formula_is_a_little_smaller_on_a_phone_if_it_fits_then(own):
    tab = own("notebooks/03_scores_to_probabilities.html", **FINGER)
    tab.wait_for_function("() => !document.documentElement.dataset.opening")
    for formula in tab.locator("div.math:visible").all():
        formula.scroll_into_view_if_needed()
        tab.wait_for_timeout(100)  # it is asked for its width when it comes near
    smaller = tab.locator("div.math[style*='font-size']")
    smaller.first.wait_for()
    for formula in smaller.all():
        assert 65 < float(formula.evaluate("e => parseFloat(e.style.fontSize)")) < 100
        assert formula.evaluate("e => e.scrollWidth <= e.clientWidth + 1")


INK = """(part) => {
  const page = document.createElement('canvas').getContext('2d'), light = (code) => {
    page.fillStyle = code; page.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...page.getImageData(0, 0, 1, 1).data].slice(0, 3)
      .map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const ground = light(getComputedStyle(document.body).backgroundColor);
  const against = (code) => Math.max(light(code), ground) / Math.min(light(code), ground);
  const muted = getComputedStyle(document.documentElement).getPropertyValue('--pst-color-text-muted').trim();
  return [against(getComputedStyle(document.querySelector(part)).color), against(muted)];
}"""


@pytest.mark.parametrize("dark", [False, True])
def test_a_caption_reads_better_than_what_is_secondary(open_tab, dark):
    caption, secondary = open_tab("file", "notebooks/02_learning.html", dark=dark).evaluate(INK, ".finding")
    assert caption > 1.15 * secondary and caption > 7


def test_on_a_phone_an_answer_of_the_quiz_is_met_by_a_finger_and_what_is_said_of_it_is_seen(own):
    tab = own("notebooks/20_training_at_scale.html", **FINGER)
    tab.wait_for_function("() => !document.documentElement.dataset.opening")
    for form in tab.locator("form.quiz").all():
        button, answers = form.locator("button"), form.locator("label:has(input[type=radio])")
        if answers.count():
            assert min(answer.bounding_box()["height"] for answer in answers.all()) >= 40
            answers.last.tap()
        else:
            form.locator("input").fill("1")
        assert button.bounding_box()["height"] >= 40
        button.evaluate("e => scrollBy(0, e.getBoundingClientRect().bottom - innerHeight + 10)")
        button.tap()
        told = form.locator("output")
        assert told.inner_text().startswith(("Right.", "Not yet."))
        box = told.bounding_box()
        assert box["y"] >= 56 and box["y"] + box["height"] <= tab.viewport_size["height"]
