"""The timeline and the page of scales, as they are drawn and pressed."""

import re
from itertools import pairwise

import history
import pytest
from test_site import NEAR

OVERLAPS = """(part) => {
  const frame = document.querySelector(part).getBoundingClientRect();
  const names = [...document.querySelectorAll(`${part} .event text`)];
  const words = names.map((e) => [e.textContent, e.getBoundingClientRect()]);
  const letters = 1.2 * parseFloat(getComputedStyle(names[0]).fontSize);
  const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1
    && Math.abs((a.top + a.bottom) - (b.top + b.bottom)) < 2 * letters;
  return words.flatMap(([name, box], k) => [
    ...(box.left < frame.left - 1 || box.right > frame.right + 1 ? [`${name} is cut`] : []),
    ...words.slice(k + 1).filter(([, other]) => meet(box, other)).map(([other]) => `${name} × ${other}`)]);
}"""


@pytest.mark.parametrize(("width", "part"), [(1280, ".drawn-wide"), (390, ".drawn-narrow")])
def test_every_work_of_the_timeline_has_its_name_beside_its_dot(open_tab, width, part):
    tab = open_tab("file", "book/timeline.html", width=width)
    shown = tab.locator("svg a.event:visible")
    assert (
        shown.count() == tab.locator(f"{part} a.event").count() == tab.locator("ol.timeline li").count() > 50
    )
    names = [dot.get_attribute("aria-label").partition(": ")[2] for dot in shown.all()]
    assert [text.text_content() for text in shown.locator("text").all()] == names
    assert tab.evaluate(OVERLAPS, part) == []
    edges = "all => all.map((e) => e.getBoundingClientRect()).map(({left, right}) => [left, right])"
    years = sorted(tab.locator(f"{part} text.axis").evaluate_all(edges))
    assert len(years) > 7
    assert min(b[0] - a[1] for a, b in pairwise(years)) > 6
    box = tab.locator(part).bounding_box()
    assert box["x"] + box["width"] > 0.85 * width, "the drawing takes the room that is there"


@pytest.mark.parametrize(("width", "part"), [(1280, ".drawn-wide"), (390, ".drawn-narrow")])
def test_the_years_stay_in_sight_down_to_the_last_band(open_tab, width, part):
    tab = open_tab("file", "book/timeline.html", width=width)
    tab.locator(f"{part} a.event").last.evaluate("e => e.scrollIntoView({block: 'end', behavior: 'instant'})")
    assert tab.evaluate("scrollY") > 300
    bar = tab.locator(".bd-header-article").bounding_box()
    below = bar["y"] + bar["height"]
    years = tab.locator(f"{part} text.axis")
    for year in years.all():
        box = year.bounding_box()
        assert below <= box["y"] + 1 and box["y"] + box["height"] < below + 60, year.text_content()
    # Each stands above its line, and nothing is seen between the bar and them.
    lines = tab.locator(f"{part} svg.diagram > path.scale-line").evaluate_all(
        "all => all.map((e) => e.getBoundingClientRect()).flatMap((box) => box.width < 2 ? box.left : [])"
    )
    middles = years.evaluate_all(
        "all => all.map((e) => e.getBoundingClientRect()).map(({left, right}) => (left + right) / 2)"
    )
    assert len(lines) == len(middles) > 7
    assert sum(abs(a - b) < 2 for a, b in zip(sorted(lines), sorted(middles), strict=True)) >= len(lines) - 1
    over = "y => document.elementFromPoint(innerWidth / 2, y).closest('.years, .bd-header-article') !== null"
    assert all(tab.evaluate(over, y) for y in range(round(below) - 4, round(below) + 20, 4))


@pytest.mark.parametrize(("width", "part"), [(1280, ".drawn-wide"), (390, ".drawn-narrow")])
def test_the_first_band_has_air_below_the_years(open_tab, width, part):
    tab = open_tab("file", "book/timeline.html", width=width)
    middle = """(part) => ['.axis', '.strand'].map((kind) => {
      const all = [...document.querySelectorAll(`${part} text${kind}`)];
      const word = all.find((e) => kind === '.strand' || e.textContent === '1805');
      const {top, bottom} = word.getBoundingClientRect();
      return [(top + bottom) / 2, parseFloat(getComputedStyle(word).fontSize) * word.getScreenCTM().a];
    })"""
    (year, size), (band, _) = tab.evaluate(middle, part)
    assert 2 < (band - year) / size < 3


@pytest.mark.parametrize(("width", "least"), [(390, 30), (820, 30), (1280, 24)])
def test_a_work_of_the_timeline_has_room_for_a_finger(open_tab, width, least):
    tab = open_tab("file", "book/timeline.html", width=width)
    high = "all => all.map((e) => e.getBoundingClientRect().height)"
    rows = tab.locator("svg a.event:visible rect").evaluate_all(high)
    assert len(rows) > 50 and min(rows) >= least


@pytest.mark.parametrize("width", [1280, 390])
def test_a_press_anywhere_on_a_label_of_the_timeline_opens_its_own_work(open_tab, width):
    tab = open_tab("file", "book/timeline.html", width=width)
    wrong = []
    for work in tab.locator("svg a.event:visible").all():
        work.evaluate("e => e.scrollIntoView({block: 'center'})")
        name, dot = work.locator("text"), work.locator("circle").bounding_box()
        left, wide = name.evaluate("e => [e.getBoundingClientRect().left, e.getBoundingClientRect().width]")
        size = name.evaluate("e => parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a")
        middle = dot["y"] + dot["height"] / 2
        for along, down in ((0.5, 0), (0.02, -0.35), (0.98, -0.35), (0.02, 0.5), (0.98, 0.5)):
            x, y = left + along * wide, middle + down * size
            over = tab.evaluate(
                "([x, y]) => document.elementFromPoint(x, y).closest('.event')?.textContent", [x, y]
            )
            tab.mouse.click(x, y)
            told = tab.locator(".event-told b").nth(1).inner_text()
            if not over == name.text_content() == told.removesuffix("."):
                wrong.append((name.text_content(), along, down, over, told))
    assert wrong == []


def test_a_dot_of_the_timeline_says_its_work_and_the_keyboard_leads_there(open_tab):
    tab = open_tab("file", "book/timeline.html", width=390)
    dot = tab.locator(".drawn-narrow a.event").nth(20)
    name = dot.get_attribute("aria-label")
    dot.locator("circle").click()  # it is told where the drawing is still in sight
    year, _, title = name.partition(": ")
    told = tab.locator(".event-told li")
    assert told.inner_text().startswith(f"{year} {title}")
    assert told.bounding_box()["y"] + told.bounding_box()["height"] <= 900
    assert 0 <= dot.locator("circle").bounding_box()["y"] <= 900 and tab.locator("li:target").count() == 0
    dot.focus()
    tab.keyboard.press("Enter")
    tab.wait_for_function(NEAR, arg="li:target")
    assert tab.locator("li:target").inner_text() == told.inner_text()


@pytest.mark.parametrize("width", [390, 1280])
def test_labels_of_the_scale_are_as_large_as_the_text_and_stand_apart(open_tab, width):
    tab = open_tab("file", "book/scale.html", width=width)
    sizes = """all => all.map(e => parseFloat(getComputedStyle(e).fontSize)
      * e.ownerSVGElement.getScreenCTM().a)"""
    letters = tab.locator("svg.spread text:visible").evaluate_all(sizes)
    assert min(letters) >= 10.5 and max(letters) <= 18.5, letters
    crossed = """all => all.flatMap((text) => {
      const box = text.getBoundingClientRect();
      return [...text.ownerSVGElement.querySelectorAll('path, rect, text')].filter((other) => {
        const at = other.getBoundingClientRect(), apart = at.right < box.left + 1 || at.left > box.right - 1
          || at.bottom < box.top + 4 || at.top > box.bottom - 4;
        const around = other.localName === 'rect' && at.left <= box.left && at.right >= box.right
          && at.top <= box.top + 4 && at.bottom >= box.bottom - 4;
        return other !== text && !apart && !around;
      }).map((other) => `${text.textContent} × ${other.textContent || other.localName}`);
    })"""
    assert tab.locator("svg.spread text:visible").evaluate_all(crossed) == []
    ladder = tab.locator(".scale-drawing:visible")
    assert ladder.count() == 1 and ladder.bounding_box()["width"] > 0.7 * (width - 300 * (width > 600))
    places = "all => [...new Set(all.map(e => Math.round(e.getAttribute('x'))))]"
    names = ladder.locator("text:not([text-anchor])")
    assert names.count() == tab.locator("table.scales tbody tr").count()
    assert len(names.evaluate_all(places)) == 1, "all names begin on one line"
    high = tab.locator("table.scales td").evaluate_all("all => Math.max(...all.map(e => e.offsetHeight))")
    assert high < 60 or width < 500


def test_the_sizes_that_are_added_up_are_those_that_the_papers_state():
    sizes = {row["name"]: row["parameters"] for row in history.scales()}
    assert sizes["Llama 3.1 405B"] == pytest.approx(405e9, rel=0.005)
    assert sizes["DeepSeek-V3"] == pytest.approx(671e9, rel=0.001)
    assert history.deepseek_v3()["active"] == pytest.approx(37e9, rel=0.02)


def test_the_squares_of_the_scales_have_areas_as_the_parameters(site):
    page = (site / "book" / "scale.html").read_text(encoding="utf8")
    counts = [row["parameters"] for row in sorted(history.scales(), key=lambda row: -row["parameters"])]
    drawn = [
        [float(side) for side in re.findall(r'<rect [^>]*width="([\d.]+)"', figure)]
        for figure in re.findall(r"<figure>.*?</figure>", page, re.S)
    ]
    assert [len(sides) for sides in drawn] == [6, 3, 5]
    first = 0
    for sides in drawn:
        for k, side in enumerate(sides):
            assert (side / sides[0]) ** 2 == pytest.approx(counts[first + k] / counts[first], rel=0.01)
        first += len(sides) - 1  # the square in the corner is the first of the next drawing
    assert '<th scope="col">Parameters</th>' in page  # a head that says something stays


@pytest.mark.parametrize(("width", "part"), [(1280, ".drawn-wide"), (390, ".drawn-narrow")])
def test_the_timeline_says_before_it_what_one_can_do_with_it(open_tab, width, part):
    tab = open_tab("file", "book/timeline.html", width=width)
    ends = """part => [document.querySelector('.event-hint').getBoundingClientRect().bottom,
      document.querySelector(part).getBoundingClientRect().top]"""
    below, top = tab.evaluate(ends, part)
    assert below <= top
