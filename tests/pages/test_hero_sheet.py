"""An opened part of the front page's machine: it is read from its beginning, and shows that it goes on."""

import pytest
from test_hero import HEADER, WHOLE, settled

LONG = "5 chiama Paolo vice Paolo chiama 3 3 chiama 7 7"
# Which of the rows with Play and its sentence a box meets.
MET = """([e, {x, y, width, height}]) =>
  [...e.querySelectorAll('.live-panel > :is(.live-buttons:not(.machine-foot), .machine-saying)')]
  .filter((row) => { const r = row.getBoundingClientRect();
    return r.x < x + width && r.right > x && r.y < y + height && r.bottom > y; })
  .map((row) => row.className)"""
# Whether an element is seen whole within the sheet, with nothing over it.
SEEN_WHOLE = """e => { const r = e.getBoundingClientRect();
  const box = e.closest('.machine-room').getBoundingClientRect();
  const on_top = (y) => e.contains(document.elementFromPoint(r.x + r.width / 2, y));
  return r.top >= box.top && r.bottom <= box.bottom && on_top(r.top + 2) && on_top(r.bottom - 2); }"""
# What of the figure the card of a part lies over; of the line below the drawing only its words count.
OVER = """e => { const box = e.querySelector('.machine-room').getBoundingClientRect();
  const line = document.createRange(), kinds = ['word', 'next', 'bars'];
  if (innerWidth > 1100) kinds.push('map[aria-pressed=true]'); // (narrower, there is no room)
  line.selectNodeContents(e.querySelector('.machine-told'));
  const parts = e.querySelectorAll(kinds.map((kind) => '.machine-' + kind));
  return [line, ...parts].filter((part) => { const r = part.getBoundingClientRect();
    return r.left < box.right - 1 && r.right > box.left + 1
      && r.top < box.bottom - 1 && r.bottom > box.top + 1; })
    .map((part) => part.className || 'told'); }"""
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
        names = element.query_selector_all(".machine-weights thead th")
        assert all(name.evaluate(SEEN_WHOLE) for name in names), "no row lies over the names of the columns"
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


@pytest.mark.parametrize("text", ["Pietro chiama Paolo", LONG])
def test_a_part_leaves_play_and_its_sentence_in_sight_and_shows_the_row_of_the_chosen_word(front_page, text):
    """At the top of the page, where it does not fit below the drawing; in the middle of a pass."""
    tab, element = front_page(width=1280, height=800)
    element.query_selector("input[role=combobox]").fill(text)
    element.query_selector(".live-buttons button:text-is('Step')").click()
    for part in ("head 0.0", "head 1.2", "feed-forward 0"):
        element.query_selector(f"[data-key='{part}']").click()
        settled(tab)
        sheet = element.query_selector(".machine-room")
        assert tab.evaluate(MET, [element, sheet.bounding_box()]) == [], part
        assert sheet.evaluate("e => e.scrollTop") == tab.evaluate("scrollY") == 0
        if row := element.query_selector(".machine-weights tr.live-now > th"):
            assert row.evaluate(SEEN_WHOLE), part
            element.query_selector(f"[data-key='ablate h{part[5]}{part[7]}']").click()
            settled(tab)
            assert element.query_selector(".machine-weights tr.live-now > th").evaluate(SEEN_WHOLE), part
            assert tab.evaluate(MET, [element, sheet.bounding_box()]) == [], part
    assert tab.complaints == []


@pytest.mark.parametrize("page", ["book/index.html", "notebooks/11_attention.html"])
@pytest.mark.parametrize("width", [1280, 390])
def test_no_arrow_of_an_attention_map_stands_alone_in_a_line(open_tab, page, width):
    tab = open_tab("file", page, width=width, built=False)
    figure = tab.locator("live-figure:is([data-key=machine], [data-key=attention])").first
    figure.scroll_into_view_if_needed()
    figure.locator(".machine-word, .live-corner").first.wait_for()
    if page == "book/index.html":
        figure.locator("input[role=combobox]").fill(LONG)
        figure.locator("[data-key='head 0.1']").evaluate("e => e.click()")
    corner = figure.locator(".live-corner").first
    lines = """e => ['query', 'key'].map((word) => {
      const at = e.firstChild.data.indexOf(word), range = document.createRange();
      range.setStart(e.firstChild, at);
      range.setEnd(e.firstChild, at + word.length + 2);
      return new Set([...range.getClientRects()].map(({top}) => Math.round(top))).size; })"""
    assert corner.text_content().split() == ["query", "↓", "key", "→"]
    assert corner.evaluate(lines) == [1, 1]


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


# What stands at the middle of a part of the bar, as a finger finds it.
ON_TOP = """e => { const {x, y, width, height} = e.getBoundingClientRect();
  return e.contains(document.elementFromPoint(x + width / 2, y + height / 2)); }"""
# What was asked for begins under the title.
BEGINS = """e => { const [head, first] = ['head', 'formula'].map(
    which => e.querySelector('.machine-' + which).getBoundingClientRect());
  return 0 <= first.top - head.bottom && first.top - head.bottom < 80; }"""
PHONES = [(390, 844), (360, 640), (360, 740), (430, 932)]


@pytest.mark.parametrize("width, height", PHONES)
def test_on_a_phone_a_sheet_leaves_the_bar_and_half_of_the_window(front_page, width, height):
    tab, element = front_page(width=width, height=height)
    bar, sheet = (element.query_selector(which) for which in (".live-player", ".machine-room"))
    for part in ("head 0.1", "feed-forward 0", "logits"):
        element.query_selector(f"[data-key='{part}']").evaluate("e => e.click()")
        settled(tab)
        top = bar.bounding_box()["y"]
        assert 0 < top - sheet.bounding_box()["y"] <= height / 2
        for button in bar.query_selector_all("button, select"):
            assert not button.is_visible() or button.evaluate(ON_TOP), button.inner_text()
        sheet.evaluate("e => { e.scrollTop = e.scrollHeight; }")
        last = element.query_selector(".machine-fold summary").bounding_box()
        assert last["y"] + last["height"] <= top, "its end can be read"
    element.query_selector("[data-key=fold]").evaluate("e => e.click()")
    settled(tab)
    tab.wait_for_function(BEGINS, arg=element)
    assert tab.complaints == []


def drawn_down(tab, part, far):
    """A finger draws a part down."""
    box, session = part.bounding_box(), tab.context.new_cdp_session(tab)
    x, y = box["x"] + 20, box["y"] + box["height"] / 2
    for step in range(9):
        kind = "touchMove" if step else "touchStart"
        points = [{"x": x, "y": y + far * step / 8}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    session.detach()


@pytest.mark.parametrize("way", ["beside", "finger", "Play", "Step", "cross"])
def test_on_a_phone_a_sheet_makes_room(front_page, way):
    """A press beside it, a finger that draws it down, Play and Step close it; another part stays in it."""
    tab, element = front_page(width=390, height=844)
    for part in ("head 0.1", "head 0.2"):
        element.query_selector(f"[data-key='{part}']").click()
        settled(tab)
        assert element.evaluate("e => e.state.open") == part
    y = tab.evaluate("scrollY")
    if way == "beside":
        strip = element.query_selector(".machine-words").bounding_box()
        tab.mouse.click(strip["x"] - 6, strip["y"] + strip["height"] / 2)
    elif way == "finger":
        drawn_down(tab, element.query_selector(".machine-title"), 30)
        assert element.evaluate("e => e.state.open") == part, "a finger that rests does not close it"
        drawn_down(tab, element.query_selector(".machine-title"), 160)
    elif way == "cross":
        element.query_selector("[data-key=close]").click()
    else:
        element.query_selector(f".live-player button:text-is('{way}')").click()
    tab.wait_for_function("() => !document.querySelector('.machine-sheet')")
    if way == "Play":
        element.query_selector(".live-player .live-play").click()
    settled(tab)
    assert element.evaluate("e => e.state.open") == "nothing" and "open=" not in tab.url
    assert way in ("Play", "Step") or tab.evaluate("scrollY") == y
    assert tab.complaints == []


def test_on_a_phone_that_lies_a_sheet_stands_above_the_bar(browser, bases):
    context = browser.new_context(viewport={"width": 844, "height": 390}, has_touch=True, is_mobile=True)
    tab = context.new_page()
    tab.goto(bases["http"] + "book/index.html")
    element = tab.wait_for_selector("live-figure:has(.machine-word)")
    element.query_selector("[data-key='head 0.1']").tap()
    settled(tab)
    sheet = element.query_selector(".machine-room").bounding_box()
    assert sheet["y"] >= HEADER - 1
    assert sheet["y"] + sheet["height"] <= element.query_selector(".live-player").bounding_box()["y"]
    context.close()


@pytest.mark.parametrize("width, height", PHONES)
def test_on_a_phone_the_list_of_signs_stands_above_the_bar(front_page, width, height):
    tab, element = front_page(width=width, height=height)
    element.query_selector(".machine-key summary").click()
    settled(tab)  # the page has scrolled to the press, and the bar grows where the tour is out of sight
    edges = "e => ['.machine-key ul', '.live-player'].map((s) => e.querySelector(s).getBoundingClientRect())"
    signs, bar = element.evaluate(edges)
    assert signs["bottom"] <= bar["top"] + 1
    assert element.query_selector(".live-player .live-play").evaluate(ON_TOP) and tab.complaints == []


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


@pytest.mark.parametrize("width, height", [(1280, 800), (1280, 720), (1024, 768)])
@pytest.mark.parametrize(
    "which, parts", [(0, ["head 0.1", "head 1.2"]), (1, ["head 0.1", "head 2.2", "head 3.3"])]
)
def test_at_a_desk_the_card_of_a_head_is_in_the_window_and_covers_neither_words_nor_answers(
    front_page, which, parts, width, height
):
    """Nor what is told below the drawing; its own switch needs no scrolling."""
    tab, element = front_page(which, width, height)
    if element.evaluate("e => e.view.box.flow") == "down":
        pytest.skip("so narrow, four blocks stand below each other")
    element.query_selector(".live-tour > .live-stop:nth-child(2)").click()
    for far in (0, 120, 250):
        for part in parts:
            tab.evaluate("far => scrollTo({top: far, behavior: 'instant'})", far)
            element.query_selector(f"[data-key='{part}']").evaluate("e => e.click()")
            settled(tab)
            card = element.query_selector(".machine-room").bounding_box()
            assert card["y"] >= 48 and card["y"] + card["height"] <= height, (part, far)
            assert element.evaluate(OVER) == [], (part, far)
            assert element.query_selector(".machine-detail > .live-act").evaluate(SEEN_WHOLE), (part, far)
            element.query_selector("[data-key=close]").click()
    assert tab.complaints == []


def test_a_word_that_stands_twice_has_its_position_in_the_map_of_a_head(front_page):
    _tab, element = front_page(width=1280, height=800)
    element.query_selector("input[role=combobox]").fill("Pietro chiama Paolo Tarso Paolo")
    element.query_selector("[data-key='head 0.1']").click()
    names = "css => [...document.querySelectorAll(`.machine-weights ${css}`)].map((th) => th.innerText)"
    rows, columns = (_tab.evaluate(names, css) for css in ("tbody th", "thead th"))
    assert rows == columns == ["<BOS>", "Pietro", "chiama", "Paolo4", "Tarso", "Paolo6"]
    assert element.query_selector(".machine-weights sub").inner_text() == "4"
