"""An opened part of the front page's machine: it is read from its beginning, and shows that it goes on."""

import pytest
from test_hero import HEADER, WHOLE, settled

LONG = "5 chiama Paolo vice Paolo chiama 3 3 chiama 7 7"
# What fades at the sheet's lower edge: where it stands, and whether it is seen over what goes on below.
FADE = """e => { const s = getComputedStyle(e, '::after');
  return [s.position, s.bottom, s.backgroundImage.startsWith('linear-gradient'), s.pointerEvents]; }"""


@pytest.mark.parametrize("width, height", [(390, 844), (360, 640), (1280, 800)])
def test_a_sheet_is_one_thing_that_scrolls_from_its_beginning(front_page, width, height):
    tab, element = front_page(width=width, height=height)
    element.query_selector("input[role=combobox]").fill(LONG)
    sheet = element.query_selector(".machine-room")
    for part in ("head 0.1", "head 0.2"):
        element.query_selector(f"[data-key='{part}']").evaluate("e => e.click()")
        settled(tab)
        grid = element.query_selector(".machine-where .live-scroll")
        assert grid.evaluate(WHOLE), "no map is cut within the sheet"
        assert sheet.evaluate("e => e.scrollTop") == 0
        title, plain = (element.query_selector(f".machine-{which}") for which in ("title", "plain"))
        assert title.text_content().startswith(part.capitalize())
        begins = title.bounding_box()["y"] + title.bounding_box()["height"]
        assert begins <= plain.bounding_box()["y"], "its sentence is not under its title"
        rows = element.query_selector_all(".machine-weights tbody tr")
        assert len(rows) == 12 and max(row.bounding_box()["height"] for row in rows) < 28
        sheet.evaluate("e => { e.scrollTop = e.scrollHeight; }")
    assert sheet.evaluate(FADE) == ["sticky", "0px", True, "none"]
    sheet.evaluate("e => { e.scrollTop = e.scrollHeight; }")
    last, box = element.query_selector(".machine-fold summary").bounding_box(), sheet.bounding_box()
    fade = sheet.evaluate("e => parseFloat(getComputedStyle(e, '::after').height)")
    assert last["y"] + last["height"] <= box["y"] + box["height"] - fade + 1, "at its end nothing is pale"
    assert tab.complaints == []


@pytest.mark.parametrize("part", ["head 0.1", "feed-forward 0", "logits", "attention 1"])
@pytest.mark.parametrize("dark", [False, True])
def test_all_numbers_of_a_part_get_much_of_the_window_and_nothing_lies_over_them(front_page, part, dark):
    """The drawing stays whole; the numbers that were asked for begin under the title; no tip is pinned."""
    tab, element = front_page(width=1280, height=800, dark=dark)
    element.query_selector(f"[data-key='{part}']").click()
    settled(tab)
    element.query_selector("[data-key=fold]").click()
    settled(tab)
    sheet, stage = (element.query_selector(f".machine-{which}").bounding_box() for which in ("room", "stage"))
    assert sheet["height"] >= 0.45 * 800 and sheet["y"] + sheet["height"] <= 800
    assert stage["y"] >= HEADER and stage["y"] + stage["height"] <= sheet["y"], "it covers buttons only"
    head, formula = (
        element.query_selector(f".machine-{which}").bounding_box() for which in ("head", "formula")
    )
    assert 0 <= formula["y"] - head["y"] - head["height"] < 60
    tip, line = element.query_selector(".machine-tip"), element.query_selector(".machine-sum")
    assert tip.evaluate("e => getComputedStyle(e).position") == "static"
    assert line.evaluate("e => e.offsetHeight") == 0
    low = sheet["y"] + sheet["height"]
    cells = element.query_selector_all(".machine-cell")
    cell = next(c for c in reversed(cells) if (b := c.bounding_box())["y"] + b["height"] <= low - 3)
    cell.hover()
    tab.wait_for_function("e => e.textContent.includes('=') && e.offsetHeight", arg=line)
    assert line.bounding_box()["y"] + line.bounding_box()["height"] <= low + 1
    assert cell.bounding_box()["y"] + cell.bounding_box()["height"] <= line.bounding_box()["y"] + 1
    element.query_selector("[data-key=fold]").evaluate("e => e.click()")
    settled(tab)
    assert element.query_selector(".machine-room").bounding_box()["height"] < 300, "folded it is low again"
    assert tab.complaints == []


@pytest.mark.parametrize("width, height", [(1280, 800), (1024, 768)])
@pytest.mark.parametrize(
    "page", ["book/index.html", "book/playground.html", "notebooks/15_the_whole_model.html"]
)
def test_nothing_moves_when_a_part_is_opened_or_closed(open_tab, page, width, height):
    tab = open_tab("file", page, width=width, built=False)
    tab.set_viewport_size({"width": width, "height": height})
    figure = tab.locator("live-figure[data-key=machine]")
    figure.scroll_into_view_if_needed()
    figure.locator(".machine-word").first.wait_for()
    stage = figure.locator(".machine-stage")
    if page != "book/index.html":
        stage.evaluate("e => e.scrollIntoView({block: 'center', behavior: 'instant'})")
    settled(tab)
    before = [tab.evaluate("scrollY"), stage.bounding_box()]
    for part in ("head 1.2", "feed-forward 0", "logits"):
        for what in (part, "close"):
            figure.locator(f"[data-key='{what}']").first.evaluate("e => e.click()")
            settled(tab)
            now = [tab.evaluate("scrollY"), stage.bounding_box()]
            assert now == before, (part, what)
    assert tab.complaints == []
