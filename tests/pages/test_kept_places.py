"""What readers stumbled over: things that moved, stood in the way or had no room stay where they belong."""

import pytest

UNKNOWN = "Pietro chiama zebra Paolo "
FINGER = {"has_touch": True, "is_mobile": True}
TOP = """e => e.querySelector('.live-picture').getBoundingClientRect().top - e.getBoundingClientRect().top"""


def near(tab, which):
    """The figure of a place in the page, built and in view."""
    tab.evaluate("for (const part of document.querySelectorAll('details.deeper')) part.open = true")
    figure = tab.locator("live-figure").nth(which)
    for _ in range(2):  # what lies above it has its height the second time
        figure.evaluate("e => e.scrollIntoView()")
        tab.wait_for_function(
            """k => document.querySelectorAll('live-figure')[k]
              .querySelector('.live-panel')?.style.visibility === ''""",
            arg=which,
        )
    return figure


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("page, which", [("notebooks/11_attention.html", 0), ("book/index.html", 0)])
def test_what_is_said_of_an_unknown_word_moves_nothing(open_tab, page, which, width):
    tab = open_tab("file", page, width=width)
    figure = near(tab, which)
    field, note = figure.locator("input[type=text]"), figure.locator(".live-trouble")
    before = figure.evaluate(TOP)
    field.fill(UNKNOWN)
    note.wait_for(state="visible")
    assert "“zebra” is not among the model’s" in note.inner_text()
    assert abs(figure.evaluate(TOP) - before) < 1
    said, typed = note.bounding_box(), field.bounding_box()
    if "11" in page and width > 600:  # above the field it covers the title only
        panel = figure.locator(".live-panel").bounding_box()
        assert panel["y"] <= said["y"] and typed["y"] - 12 < said["y"] + said["height"] <= typed["y"]
    else:
        low = typed["y"] + typed["height"]
        assert low <= said["y"] + 1 < low + 12, "it stands under it"
    assert said["x"] >= 0 and said["x"] + said["width"] <= width
    on_top = """e => {
      const {x, y} = e.getBoundingClientRect();
      return e.contains(document.elementFromPoint(x + 12, y + 12));
    }"""
    note.scroll_into_view_if_needed()
    assert note.evaluate(on_top), "and it can be read"
    field.evaluate("e => e.blur()")
    tab.mouse.move(2, 2)
    note.wait_for(state="hidden")
    kept = figure.locator(".live-omitted")
    assert kept.inner_text() == "“zebra” is left out" and abs(figure.evaluate(TOP) - before) < 1
    line, typed = kept.bounding_box(), field.bounding_box()
    assert typed["x"] < line["x"] and line["x"] + line["width"] <= typed["x"] + typed["width"]
    assert typed["y"] < line["y"] and line["y"] + line["height"] <= typed["y"] + typed["height"]
    field.focus()
    assert not kept.is_visible()
    note.wait_for(state="visible")
    assert tab.complaints == []


@pytest.mark.parametrize("width", [390, 1280])
def test_the_text_of_chapter_11_is_seen_whole(open_tab, width):
    tab = open_tab("file", "notebooks/11_attention.html", width=width)
    field = near(tab, 0).locator("input[type=text]")
    assert field.input_value() == "5 chiama Paolo vice Paolo chiama Pietro"
    assert field.evaluate("e => e.scrollWidth <= e.clientWidth")


def test_on_a_phone_the_bar_is_there_with_a_fair_part_of_its_figure(open_tab):
    tab = open_tab("file", "notebooks/15_the_whole_model.html", width=390)
    tab.set_viewport_size({"width": 390, "height": 844})
    figure = near(tab, 0)
    bar = figure.locator(".live-player")
    for seen, shown in [(60, False), (200, False), (400, True), (844, True)]:
        figure.evaluate("(e, seen) => scrollBy(0, e.getBoundingClientRect().top - innerHeight + seen)", seen)
        bar.wait_for(state="visible" if shown else "hidden")
    for left, shown in [(600, True), (100, False)]:  # its end goes out of the window
        figure.evaluate("(e, left) => scrollBy(0, e.getBoundingClientRect().bottom - left)", left)
        bar.wait_for(state="visible" if shown else "hidden")


@pytest.mark.parametrize("page", ["notebooks/11_attention.html", "book/glossary.html", "book/assistant.html"])
@pytest.mark.parametrize("width", [1280, 1600])
def test_without_the_menu_the_text_stands_in_the_middle(open_tab, page, width):
    tab = open_tab("file", page, width=width, still=True)
    tab.locator(".primary-toggle").click()
    tab.locator("#pst-primary-sidebar").wait_for(state="hidden")
    text, room = tab.locator("article p:visible:not(.modes-says)").first, tab.locator(".bd-article-container")
    line, wide = text.bounding_box(), room.bounding_box()
    left, right = line["x"] - wide["x"], wide["x"] + wide["width"] - line["x"] - line["width"]
    assert abs(left - right) < 40, (left, right)
    assert tab.evaluate("document.documentElement.scrollWidth") <= width


def test_a_finger_sees_a_whole_plot_first_and_enlarges_the_place_that_it_presses(browser, bases):
    tab = browser.new_context(viewport={"width": 390, "height": 844}, **FINGER).new_page()
    tab.goto(bases["file"] + "notebooks/11_attention.html")
    plot = tab.locator(".cell_output img.plot:visible").first
    plot.scroll_into_view_if_needed()
    plot.tap()
    big = tab.locator("dialog.enlarged img")
    whole = big.bounding_box()
    assert whole["x"] >= 0 and whole["x"] + whole["width"] <= 390 and whole["y"] + whole["height"] <= 844
    for name in ("Smaller", "Larger", "Full size", "Close"):
        button = tab.get_by_role("button", name=name, exact=True).bounding_box()
        assert button["width"] >= 36 and button["height"] >= 36
    big.tap(position={"x": 0.8 * whole["width"], "y": 0.2 * whole["height"]})
    large = big.bounding_box()
    assert large["width"] > 1.9 * whole["width"]
    assert abs(large["x"] + 0.8 * large["width"] - whole["x"] - 0.8 * whole["width"]) < 30, "the place stays"
    tab.get_by_role("button", name="Fit to the window").tap()
    tab.get_by_role("button", name="Larger").tap()
    assert abs(big.bounding_box()["width"] / whole["width"] - 1.5) < 0.05
    tab.get_by_role("button", name="Smaller").tap()
    assert abs(big.bounding_box()["width"] - whole["width"]) < 2
    assert tab.get_by_role("button", name="Smaller").is_disabled()
    tab.close()


@pytest.mark.parametrize("typed", ["rank collapse", "greedy decoding loops", "softmax overflow"])
def test_each_result_of_the_search_has_an_excerpt_with_the_words(open_tab, typed):
    tab = open_tab("http", f"search.html?q={typed.replace(' ', '+')}")
    tab.wait_for_selector("#search-results li a")
    results = tab.locator("#search-results li")
    for k in range(results.count()):
        result = results.nth(k)
        result.scroll_into_view_if_needed()
        if "(in the glossary)" in result.inner_text():
            continue  # its entry, which says what the words mean
        result.locator(".context .highlighted").first.wait_for()
        said = " ".join(result.locator(".context").all_inner_texts()).lower()
        assert all(word[:4] in said for word in typed.split()), (result.inner_text(), said)


def test_the_index_sets_the_terms_apart_from_the_package_and_fills_the_width(open_tab):
    tab = open_tab("file", "genindex.html")
    terms = tab.locator(".index-terms").first
    assert tab.locator(".index-terms > li > a:not(:has(strong))").count() == 0
    assert tab.locator(".index-names > ul > li strong").count() == 0
    assert "__call__" not in tab.locator(".bd-article").text_content(), "it stands there by its class"
    places = [li.bounding_box() for li in terms.locator(":scope > li").all()]
    assert len({round(place["x"]) for place in places}) >= 3 and max(p["x"] for p in places) > 800
    fold = tab.locator(".index-names").first
    name = fold.locator("li a").first
    assert not name.is_visible()
    fold.locator("summary").click()
    assert name.is_visible() and "support." in fold.inner_text()
    tab.set_viewport_size({"width": 390, "height": 844})
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_machine_of_chapter_13_fits_a_window_with_its_opened_part(open_tab):
    tab = open_tab("file", "notebooks/13_feed_forward.html")
    tab.set_viewport_size({"width": 1280, "height": 800})
    figure = near(tab, 0)
    assert figure.locator(".machine-detail").is_visible()
    tab.wait_for_function("() => document.querySelector('live-figure').getBoundingClientRect().height < 740")
    parts = ".machine-title, .machine-fold > summary, .machine-detail > .live-act, .machine-plain"
    letters = """e => { const range = document.createRange(); range.selectNodeContents(e);
      const {x, y, width, height} = range.getBoundingClientRect(); return {x, y, width, height}; }"""
    boxes = [part.evaluate(letters) for part in figure.locator(parts).all()]
    assert len(boxes) == 4
    for k, one in enumerate(boxes):
        for other in boxes[k + 1 :]:
            beside = one["x"] + one["width"] <= other["x"] + 1 or other["x"] + other["width"] <= one["x"] + 1
            under = one["y"] + one["height"] <= other["y"] + 1 or other["y"] + other["height"] <= one["y"] + 1
            assert beside or under, "nothing lies over another"


def test_on_a_phone_the_bars_of_chapter_23_stay_while_one_goes_through_the_experiments(open_tab):
    tab = open_tab("file", "notebooks/23_inside_the_model.html", width=390)
    figure = near(tab, 0)
    before = figure.evaluate(TOP)
    for stop in figure.locator(".live-tour > .live-stop").all():
        stop.click()
        assert abs(figure.evaluate(TOP) - before) < 1
