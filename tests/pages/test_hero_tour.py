"""The front page's machine: what its experiment speaks of is seen, and what is read beside it explains it."""

import pytest
from test_hero import HEADER, settled


def test_on_a_phone_the_words_stay_above_their_columns(front_page):
    """All the way down the pass the row of words names the columns, and no line runs through a heading."""
    tab, element = front_page(width=390, height=844)
    element.query_selector(".live-tour > .live-stop:nth-child(2)").click()
    settled(tab)
    words = element.query_selector_all(".machine-word")
    columns = element.evaluate(
        "e => e.view.box.squares.filter(s => !s.stage).map(s => s.x + e.view.box.S / 2)"
    )
    left = element.query_selector(".machine-stage").bounding_box()["x"]
    for part in ("feed-forward 0", "attention 1", "feed-forward 1", "logits"):
        element.query_selector(f"[data-part='{part}']").evaluate(
            "e => scrollBy(0, e.getBoundingClientRect().y - 120)"
        )
        for word, x in zip(words, columns, strict=True):
            box = word.bounding_box()
            assert HEADER - 1 <= box["y"] <= HEADER + 6, part
            assert abs(box["x"] + box["width"] / 2 - left - x) < 1
        assert words[0].evaluate(
            """e => { const {x, y, width, height} = e.getBoundingClientRect();
              return document.elementFromPoint(x + width / 2, y + height / 2) === e; }"""
        )
    for heading in element.query_selector_all(".machine-over .machine-label"):
        assert heading.evaluate("e => getComputedStyle(e).backgroundColor") != "rgba(0, 0, 0, 0)"
    words[1].click()
    assert element.evaluate("e => [e.state.word, e.state.step_name]") == ["Pietro", "prediction"]
    assert element.query_selector(".live-answer").text_content().startswith("After “Pietro”: “chiama” with ")
    assert tab.complaints == []


@pytest.mark.parametrize("which, head, word", [(0, "head 0.0", "Pietro"), (1, "head 2.2", "girl")])
def test_a_step_that_speaks_of_a_head_points_it_out(front_page, which, head, word):
    """Its map and its threads, which leave the others pale; opened, the weight that is spoken of."""
    tab, element = front_page(which)
    stops = element.query_selector_all(".live-tour > .live-stop")
    spoken = """e => [e.view.only(), ...[...e.querySelectorAll('.machine-map.machine-spoken')]
      .map(map => map.dataset.part)]"""
    stops[0].click()
    assert element.evaluate(spoken) == [""]
    stops[1].click()
    assert element.evaluate(spoken) == [head, head]
    for stop, off in ((stops[1], ""), (stops[2], " (switched off)")):
        stop.click()
        assert element.evaluate(spoken) == ([head, head] if not off else [""])
        element.query_selector(f"[data-key='{head}']").click()
        row = element.query_selector(".machine-weights tr.live-now")
        columns = [th.text_content() for th in element.query_selector_all(".machine-weights thead th")]
        cells = row.query_selector_all("td")
        framed = [w for w, td in zip(columns, cells, strict=True) if "spoken" in td.get_attribute("class")]
        last = element.evaluate("e => e.state.word")
        assert framed == [word if not off or not which else "boy"]
        title = element.query_selector(".machine-title").text_content()
        assert title == f"{head.capitalize()}{off}, at “{last}”"
        assert ("if it were on" in element.query_selector(".machine-caption").text_content()) == bool(off)
        element.query_selector("[data-key=close]").click()
    assert tab.complaints == []


def test_words_that_are_not_shown_have_their_own_threads(front_page):
    _tab, element = front_page(1)
    element.query_selector(".live-tour > .live-stop").click()
    starts = element.evaluate(
        """e => {
          const {view} = e, {curve} = view, [block] = view.box.blocks, seen = new Set();
          view.curve = (c, wide, x, a) => { if (x === block.from) seen.add(a); };
          view.threads(view.canvas.getContext('2d'), view.ink, block, 0, view.state.here, 1, '');
          view.curve = curve;
          const middle = view.box.point(-1).y, half = view.box.hidden / 2;
          return [...seen].filter(a => Math.abs(a - middle) < half).length;
        }"""
    )
    assert starts > 6, "at least one for each of the six words, not one for all together"


def test_a_formula_breaks_between_its_terms(front_page):
    """In the narrow column of a sheet beside the figure, too."""
    for width, height in ((390, 844), (1280, 860), (1700, 900)):
        _tab, element = front_page(width=width, height=height)
        for part in ("head 0.1", "feed-forward 0", "logits", "attention 0"):
            element.evaluate("(e, part) => e.view.open(part)", part)
            if not element.evaluate("e => e.querySelector('.machine-fold').open"):
                element.query_selector("[data-key=fold]").click()
            runs = element.query_selector_all(".machine-run")
            one = "e => e.getBoundingClientRect().height < 2 * parseFloat(getComputedStyle(e).fontSize)"
            assert len(runs) > 1 and all(run.evaluate(one) for run in runs), part


def test_the_game_is_explained_and_leads_on_to_the_stories(front_page):
    tab, element = front_page()
    card, stories = (e.text_content() for e in tab.query_selector_all(".hero-card"))
    assert "because its rules are known" in card
    assert "with Tarso if Pietro called him, with vice if one of the players 1 to 8 did" in card
    assert "follow templates" in stories
    ring = "e => getComputedStyle(e.querySelectorAll('.hero > label')[1]).boxShadow"
    sign = "e => getComputedStyle(e.querySelectorAll('.hero > label')[1], '::before').content"
    label = tab.locator(".sd-tab-set.hero > label").nth(1)
    place = label.bounding_box()
    for stop, invites in zip(element.query_selector_all(".live-tour > .live-stop"), (0, 0, 1), strict=True):
        stop.click()
        assert (tab.query_selector(".bd-article").evaluate(ring) != "none") == bool(invites)
        assert ("▸" in tab.query_selector(".bd-article").evaluate(sign)) == bool(invites)
        assert label.bounding_box() == place, "nothing moves"
        if "Paolo" in stop.text_content():
            assert (
                element.query_selector(".live-guide")
                .text_content()
                .startswith("Tarso, because Pietro called")
            )
    label.click()
    assert tab.query_selector(".bd-article").evaluate(ring) == "none" and tab.complaints == []


SEEN = """([x, y, w, h], kinds) => kinds.flatMap((kind) => [...document.querySelectorAll(kind)])
  .filter((e) => {
  const r = e.getBoundingClientRect();
  return r.width && r.x < x + w - 1 && r.right > x + 1 && r.y < y + h - 1 && r.bottom > y + 1;
}).map((e) => e.dataset.key)"""

DRAWN = [".machine-word", ".machine-map", ".machine-label", ".live-rank", ".machine-stage canvas"]


@pytest.mark.parametrize("part", ["head 0.1", "head 1.2", "feed-forward 0", "embedding", "logits"])
def test_an_opened_part_covers_neither_words_nor_maps_nor_the_next_word(front_page, part):
    tab, element = front_page(width=1280, height=800)
    tab.evaluate("scrollBy(0, 150)")
    element.query_selector(f"[data-key='{part}']").click()
    settled(tab)
    box, drawing = (element.query_selector(f".machine-{which}").bounding_box() for which in ("room", "stage"))
    place = [box[side] for side in ("x", "y", "width", "height")]
    covered = tab.evaluate(f"([place, kinds]) => ({SEEN})(place, kinds)", [place, DRAWN])
    assert covered == [], "neither a word nor a map, nor anything else of the drawing"
    assert drawing["y"] >= 48 and box["y"] + box["height"] <= 800, "both are seen whole"
    assert tab.evaluate("scrollY") == 150, "nothing moves that was not pressed"
    assert element.query_selector(".machine-room").evaluate("e => e.scrollHeight - e.clientHeight") < 2


@pytest.mark.parametrize("height", [560, 800, 1000])
def test_an_opened_part_stands_below_the_drawing_where_there_is_room_or_it_is_asked_to(front_page, height):
    """There it covers nothing of it, neither the other block. It stays there until it is asked back."""
    tab, element = front_page(width=1280, height=height)
    tab.evaluate("scrollBy(0, 150)")
    sheet, mover = element.query_selector(".machine-room"), ".machine-mover"

    def covered():
        settled(tab)
        box = sheet.bounding_box()
        assert box["y"] + box["height"] <= height or height == 560
        assert box["height"] > (130 if height == 560 else 150)
        place = [box[side] for side in ("x", "y", "width", "height")]
        return tab.evaluate(f"([place, kinds]) => ({SEEN})(place, kinds)", [place, DRAWN])

    element.query_selector("[data-key='head 1.2']").click()
    if height == 1000:  # the page stays
        assert covered() == [] and not element.query_selector(mover).is_visible()
        element.query_selector("[data-key=fold]").click()  # what is unfolded does not put it elsewhere
        assert covered() == [] and tab.evaluate("scrollY") == 150 and tab.complaints == []
        return
    if height == 800:  # the window holds both: the page stays
        assert covered() == [] and not element.query_selector(mover).is_visible()
        assert tab.evaluate("scrollY") == 150
    else:
        assert None in covered() and tab.evaluate("scrollY") == 150, "over the canvas"
        element.query_selector(mover).focus()
        tab.keyboard.press("Enter")
        assert covered() == [] and tab.evaluate("scrollY") > 150
    y = tab.evaluate("scrollY")
    for part in ("head 0.1", "feed-forward 1", "logits"):
        element.query_selector(f"[data-key='{part}']").click()
        assert covered() == []
    assert abs(tab.evaluate("scrollY") - y) < 120 and tab.complaints == []
    if height == 560:
        element.query_selector(mover).click()
        assert None in covered()


def test_an_opened_part_closes_when_what_it_was_opened_for_changes(front_page):
    tab, element = front_page(width=1280, height=800)
    opened, text = "e => e.state.open", element.query_selector("input[role=combobox]")

    def press(key):
        element.query_selector(f"[data-key='{key}']").click()

    press("head 0.1")
    press("ablate h01")
    assert element.evaluate(opened) == "head 0.1", "its own switch"
    text.fill("Pietro chiama Paolo Tarso")
    assert element.evaluate(opened) == "nothing"
    assert element.evaluate("e => [e.state.words.length, e.state.off]") == [5, ["h01"]]
    press("head 0.2")
    press("switcher")
    press("switch h00")
    assert element.evaluate("e => [e.state.open, e.state.off]") == ["nothing", ["h00", "h01"]]
    assert tab.complaints == []


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_play_pauses_when_a_part_is_opened_and_the_part_stays_open(front_page, width, height):
    """The next word would close it. Closing it lets the text stand; Play goes on from there."""
    tab, element = front_page(width=width, height=height)
    play = next(b for b in element.query_selector_all(".live-play") if b.is_visible())
    where = "e => [e.state.open, e.state.step, e.state.words.length]"
    play.click()
    tab.wait_for_function("e => e.state.step === 2", arg=element)
    element.query_selector("[data-key='head 0.1']").evaluate("e => e.click()")  # (in a frame that moves)
    assert [b.text_content() for b in element.query_selector_all(".live-play")] == ["Play", "Play"]
    opened = element.evaluate(where)
    assert opened[0] == "head 0.1"
    tab.wait_for_timeout(4000)  # a whole pass and a word
    assert element.evaluate(where) == opened
    assert element.query_selector(".machine-detail").is_visible()
    element.query_selector("[data-key=close]").click()
    play.click()
    tab.wait_for_function("([e, n]) => e.state.words.length > n", arg=[element, opened[2]])
    assert element.evaluate("e => e.state.open") == "nothing" and tab.complaints == []


@pytest.mark.parametrize("which", [0, 1])
def test_the_next_word_is_explained_close_to_it(front_page, which):
    """Over the last blocks, where there is no room below the drawing."""
    _tab, element = front_page(which, 1280, 800)
    element.query_selector("[data-key=logits]").click()
    settled(_tab)
    box, stage, bars = (
        element.query_selector(f".machine-{part}").bounding_box() for part in ("room", "stage", "bars")
    )
    assert box["y"] < stage["y"] + stage["height"] / 2, "it stands in the drawing"
    assert stage["x"] + stage["width"] / 3 < box["x"] and 0 <= bars["x"] - box["x"] - box["width"] < 180
    element.query_selector("[data-key=fold]").click()
    settled(_tab)
    code, sums = (element.query_selector(f".machine-{part}").bounding_box() for part in ("code", "sums"))
    assert code["width"] > 0.48 * sums["width"]
    cut = "e => [...e.querySelectorAll('.machine-cell')].every(c => c.scrollWidth <= c.clientWidth + 1)"
    assert element.evaluate(cut)
