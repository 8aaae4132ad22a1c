"""Steppers on their pages: the controls keep their place, and a step is seen with what is said of it."""

import itertools

import pytest
from rest import at_rest
from test_live import HOLDERS, specs

PAGES = {spec["name"]: page for page in HOLDERS for spec in specs(page) if spec["name"].endswith("_steps")}
WINDOWS = {"desk": (1280, 800), "phone": (390, 664)}  # (a phone, less the bars of its browser)
# What the window shows of a step.
SEEN = """e => {
  const box = (node) => node.getBoundingClientRect(), stage = e.querySelector('.stepper');
  const seen = (what) => [...stage.querySelectorAll(what)].filter((node) => node.checkVisibility());
  const low = (nodes) => Math.max(...nodes.map((node) => box(node).bottom));
  const high = (nodes) => Math.min(...nodes.map((node) => box(node).top));
  const canvas = stage.querySelector('.stepper-canvas'), bar = stage.querySelector('.stepper-bar');
  return {
    heading: e.querySelector('.stepper-bar output').textContent,
    top: box(e.querySelector('[aria-label="One step on"]')).top,
    above: box(bar).bottom <= high(seen('.stepper-now table')),
    deep: low(seen('.stepper-now table')) - box(bar).top,
    made: low(seen('.stepper-now table')) <= innerHeight,
    blank: box(canvas).bottom - low(seen('.stepper-card')),
    hole: box(e.querySelector('.stepper-strip')).top - low(seen('.stepper-card')),
    beyond: Math.max(...seen('.stepper-card').map((node) => box(node).right)) - box(canvas).right,
    empty: seen('tbody td:not(.stepper-never)').filter((td) => !td.textContent).length,
    small: seen('button, input').filter((part) => box(part).width < 32 || box(part).height < 32).length,
    wide: document.documentElement.scrollWidth,
  };
}"""

OPENED = """e => { for (let up = e; up = up.parentElement?.closest('details'); ) up.open = true; }"""


@pytest.fixture
def stepper(open_tab):
    """A stepper in the window, at its first step."""

    def opened(name, window="desk", still=True):
        width, height = WINDOWS[window]
        # Each step lays out the page: of its other figures and parts, only what is near is there.
        tab = open_tab("http", PAGES[name], width=width, still=still, built=False)
        tab.set_viewport_size({"width": width, "height": height})
        figure = tab.locator(f"live-figure[data-key='{name}']")
        figure.evaluate(OPENED)
        for _ in range(2):  # (the page above it is laid out when it comes near)
            figure.evaluate("e => e.scrollIntoView({behavior: 'instant'})")
            at_rest(figure)
        return tab, figure

    return opened


# On a phone: how high the stepper is, what is left of its room, and the numbers that a finger meets.
MET = """e => {
  const box = (node) => node.getBoundingClientRect(), stage = e.querySelector('.stepper');
  const cells = [...e.querySelectorAll('.stepper-group:not(.stepper-folded) button[data-key]')];
  return {
    high: box(stage).height, spare: box(stage).bottom - box(stage.lastElementChild).bottom,
    cells: cells.filter((cell) => cell.checkVisibility({visibilityProperty: true})).map(box)
      .filter(({width, height}) => width && height).map(({height}) => height),
    tight: e.querySelectorAll('.stepper-tight').length,
  };
}"""


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("name", PAGES)
def test_every_step_stands_below_the_same_controls_and_on_a_phone_moves_little_below(stepper, name, window):
    tab, figure = stepper(name, window)
    names = [step[0] for spec in specs(PAGES[name]) if spec["name"] == name for step in spec["data"]["steps"]]
    tops, on = set(), figure.get_by_role("button", name="One step on")
    high, roomy, spare = [], [], []
    figure.locator(".stepper-bar").evaluate("e => e.scrollIntoView({behavior: 'instant'})")
    for k, headline in enumerate(names):
        seen = figure.evaluate(SEEN)
        tops.add(round(seen["top"]))
        assert seen["heading"] == f"{k + 1} of {len(names)} · {headline}"
        assert seen["above"] and seen["empty"] == 0 and seen["blank"] < 130, (headline, seen)
        assert seen["beyond"] < 1, (headline, seen)
        assert k == 0 or seen["made"], (headline, seen)
        # At a desk what the step makes is seen in one window with what is said of it.
        assert window == "phone" or seen["deep"] + 60 < WINDOWS[window][1], (headline, seen)
        assert window == "desk" or (seen["small"] == 0 and seen["wide"] <= 390), (headline, seen)
        assert window == "desk" or seen["hole"] < 30, "what is left of its room stands below all"
        if window == "phone":
            met = figure.evaluate(MET)
            high.append(met["high"])
            spare.append(met["spare"])
            roomy.append(not met["tight"])
            assert all(cell >= (35 if met["tight"] else 40) for cell in met["cells"]), (headline, met)
        if k + 1 < len(names):
            on.click()
    assert max(tops) - min(tops) <= 1, "the buttons keep their place"
    assert on.is_disabled() and tab.complaints == []
    if window == "phone":
        assert max(abs(a - b) for a, b in itertools.pairwise(high)) <= 100, high
        assert max(spare) <= 110, (spare, "what is left of the room of a step")
        assert sum(roomy) > len(roomy) / 2, "numbers stand closer only where a step would not fit a window"


@pytest.mark.parametrize("width", [390, 360])
def test_on_a_phone_all_steps_of_the_cards_have_the_height_of_the_tallest(stepper, width):
    tab, figure = stepper("card_steps", "phone")
    tab.set_viewport_size({"width": width, "height": 664})
    at_rest(figure)
    on, highs = figure.get_by_role("button", name="One step on"), []
    while True:
        highs.append(figure.bounding_box()["height"])
        if on.is_disabled():
            break
        on.click()
    assert len(highs) == 5 and max(highs) - min(highs) < 2, highs


@pytest.mark.parametrize("width", [390, 360])
def test_on_a_phone_keys_and_values_of_one_sentence_stand_level(stepper, width):
    tab, figure = stepper("card_steps", "phone")
    tab.set_viewport_size({"width": width, "height": 664})
    at_rest(figure)
    on = figure.get_by_role("button", name="One step on")
    while on.is_enabled():
        on.click()
    tops = "all => all.map((e) => e.getBoundingClientRect().top)"
    for pair in (("key", "value"), ("query", "output")):
        rows = [figure.locator(f".stepper-{role} tbody td:visible").evaluate_all(tops) for role in pair]
        assert rows[0] and rows[0] == pytest.approx(rows[1], abs=1), rows


def test_the_names_of_all_merges_stand_in_one_row_at_a_desk(stepper):
    _, figure = stepper("bpe_steps")
    chips = figure.locator(".stepper-chip")
    tops = chips.evaluate_all("all => all.map((e) => Math.round(e.getBoundingClientRect().top))")
    assert chips.all_inner_texts()[:5] == ["letters", "count", "he", "count", "se"]
    assert len(tops) == 13 and len(set(tops)) == 1, tops


def test_a_narrow_phone_has_all_matrices_in_their_frames_and_little_blank_below_them(stepper):
    tab, figure = stepper("backprop_steps", "phone")
    tab.set_viewport_size({"width": 360, "height": 664})
    at_rest(figure)
    on, spare = figure.get_by_role("button", name="One step on"), []
    below = "e => e.getBoundingClientRect().bottom - e.lastElementChild.getBoundingClientRect().bottom"
    beyond = """e => {
      const right = (part) => part.getBoundingClientRect().right;
      const cards = [...e.querySelectorAll('.stepper-card')].filter((card) => card.checkVisibility());
      return Math.max(...cards.map((card) => right(card.firstElementChild) - right(card)));
    }"""
    for step in range(15):
        assert figure.evaluate(beyond) <= 0, step + 1
        spare.append(figure.locator(".stepper").evaluate(below))
        if step < 14:
            on.click()
    assert max(spare) <= 70, spare


def backprop_at(stepper, title):
    """What is shown of the backward pass on a phone, at the step of this title."""
    _, figure = stepper("backprop_steps", "phone")
    on = figure.get_by_role("button", name="One step on")
    for _ in range(int(title.split()[0]) - 1):
        on.click()
    assert figure.locator(".stepper-bar output").inner_text() == title
    return figure.locator(".stepper-group:not(.stepper-folded)")


def test_a_column_times_a_row_stands_where_they_cross_on_a_phone(stepper):
    groups = backprop_at(stepper, "9 of 15 · Back: into E")
    column, row, made = (groups.nth(k).bounding_box() for k in range(3))
    assert row["y"] + row["height"] <= made["y"] + 1 and column["x"] + column["width"] <= made["x"] + 1
    rows = [
        [round(e.bounding_box()["y"]) for e in groups.nth(k).locator("tbody td").all()][:: 1 if k == 0 else 4]
        for k in (0, 2)
    ]
    assert rows[0] == pytest.approx(rows[1], abs=3), "each number beside the row that it makes"


# How wide the cells of the first row of Q are, and the least room between a number and the edge of its cell.
CELLS = """e => {
  const of = (key) => e.querySelector(`button[data-key="${key}"]`).closest('td');
  const all = [...e.querySelectorAll('.stepper-canvas tbody td > *')];
  const rooms = all.filter((part) => part.checkVisibility() && part.textContent).map((part) => {
    const words = document.createRange(), cell = part.closest('td').getBoundingClientRect();
    words.selectNodeContents(part);
    const box = words.getBoundingClientRect();
    return Math.min(box.left - cell.left, cell.right - box.right);
  });
  return [[0, 1, 2, 3, 4].map((k) => of(`Q[0, ${k}]`).getBoundingClientRect().width), Math.min(...rooms)];
}"""


def test_a_number_has_room_in_its_cell_and_a_matrix_keeps_its_width(stepper):
    _, figure = stepper("attention_steps")
    on, widths = figure.get_by_role("button", name="One step on"), {}
    for step in range(11):
        cells, room = figure.evaluate(CELLS)
        assert room >= 3, (step, "no number stands at the edge of its cell")
        widths[step] = cells
        if step < 10:
            on.click()
    assert widths[1] == pytest.approx(widths[4], abs=0.1), "made and read, the matrix is the same"


def test_what_stands_beside_a_long_matrix_does_not_go_below_it_on_a_phone(stepper):
    groups = backprop_at(stepper, "4 of 15 · Forward: down")
    long, biases, made = (groups.nth(k).bounding_box() for k in (2, 3, 4))
    assert long["x"] + long["width"] <= min(biases["x"], made["x"]) + 1
    assert (
        long["y"] <= biases["y"] < made["y"] and made["y"] + made["height"] <= long["y"] + long["height"] + 1
    )


def test_a_merge_on_a_phone_shows_the_pair_that_it_reads(stepper):
    _, figure = stepper("bpe_steps", "phone")
    on, rows = (
        figure.get_by_role("button", name="One step on"),
        figure.locator(".stepper-key:visible tbody tr"),
    )
    counted = []
    for _ in range(2):
        on.click()
        counted.append(rows.evaluate_all("all => all.filter((e) => e.checkVisibility()).length"))
    assert counted == [7, 1]


def test_a_name_leads_to_the_step_that_makes_it(stepper):
    _, figure = stepper("attention_steps")
    heading, chip = figure.locator(".stepper-bar output"), figure.locator(".stepper-chip")
    assert heading.inner_text().startswith("1 of 11")
    assert figure.locator(".stepper-chip:disabled, .stepper-chip[aria-disabled]").count() == 0
    powers = chip.filter(has_text="powers")
    assert powers.get_attribute("title") == "P, e to the power of Z_M; step 8, Softmax: powers of e"
    powers.click()
    assert heading.inner_text() == "8 of 11 · Softmax: powers of e"
    chip.filter(has_text="queries").click()
    assert heading.inner_text() == "2 of 11 · Queries"
    assert figure.locator(".stepper-operation").inner_text() == "X [3, 5] × WQ [5, 5] = Q [3, 5]"


# The matrices of a step in the rows of the window, each with the sign before it.
ROWS = """e => {
  const rows = [];
  for (const group of e.querySelectorAll('.stepper-group')) {
    if (!group.checkVisibility()) continue;
    const {top, bottom} = group.getBoundingClientRect();
    const words = (part) => group.querySelector(part).textContent;
    if (!rows.length || top > rows.at(-1).low - 6) rows.push({names: [], low: bottom});
    rows.at(-1).names.push(words('.stepper-sign') + words('caption')[0]);
    rows.at(-1).low = Math.max(rows.at(-1).low, bottom);
  }
  return rows.map((row) => row.names.join(' '));
}"""


def test_a_line_of_matrices_stands_in_one_row_or_breaks_before_what_it_makes(stepper):
    _, figure = stepper("attention_steps")
    rows, on = [], figure.get_by_role("button", name="One step on")
    while True:
        rows.append(figure.evaluate(ROWS))
        if on.is_disabled():
            break
        on.click()
    assert rows[0] == ["X W W W"] and rows[4] == ["Q ×K =S"]
    assert rows[1:10] == [row for row in rows[1:10] if len(row) == 1]
    assert rows[10] == ["X +O", "=H"]


@pytest.mark.parametrize("window", WINDOWS)
def test_the_output_of_the_cache_is_the_weights_times_the_values_and_nothing_else(stepper, window):
    _, figure = stepper("cache_steps", window)
    on = figure.get_by_role("button", name="One step on")
    for _ in range(3):
        on.click()
    assert " ".join(figure.evaluate(ROWS)) == "α ×V =o"
    for _ in range(6):
        on.click()
    assert " ".join(figure.evaluate(ROWS)) == "q ×K ÷ √2 =s"


def test_numbers_that_are_made_in_another_way_are_not_said_to_be_made_in_the_same(stepper):
    tab, figure = stepper("cache_steps", still=False)
    figure.locator(".stepper-bar input").fill("9")
    tab.wait_for_function("() => !document.querySelector('.stepper-waits')")
    figure.evaluate(RECORD)
    figure.get_by_role("button", name="One step on").click()
    tab.wait_for_function("() => window.seen.length > 2 && !document.querySelector('.stepper-waits')")
    lines = {line for *_, line in tab.evaluate("window.seen") if line.startswith("The other")}
    assert lines == {"The other 2 numbers of p follow in the same way, 3 others in another."}


def test_on_a_phone_the_letters_of_words_are_large_where_there_is_room(stepper):
    _, figure = stepper("bpe_steps", "phone")
    on, sizes = figure.get_by_role("button", name="One step on"), []
    letter = "e => parseFloat(getComputedStyle(e.querySelector('.stepper-box')).fontSize)"
    while True:
        sizes.append((figure.evaluate(letter), figure.locator(".stepper-tight").count()))
        if on.is_disabled():
            break
        on.click()
    assert all(size >= (12.5 if tight else 13.5) for size, tight in sizes), sizes


def test_tokens_are_boxes_and_only_words_that_changed_are_marked(stepper):
    _, figure = stepper("bpe_steps")
    on = figure.get_by_role("button", name="One step on")
    on.click()
    on.click()
    boxes = "rows => rows.map((row) => [...row.querySelectorAll('.stepper-box')].map((e) => e.textContent))"
    made = figure.locator(".stepper-now tbody tr:has(.stepper-box)")
    assert made.evaluate_all(boxes)[:3] == [["s", "he"], ["s", "e", "l", "l", "s"], ["s", "e", "a"]]
    assert figure.locator(".stepper-newest").all_inner_texts() == ["he"] * 3
    marked = figure.locator(".stepper-now tr:has(.stepper-new) th")
    assert marked.all_inner_texts() == ["she", "shells", "the"]
    assert figure.locator(".stepper-reads .stepper-joins").all_inner_texts() == ["h", "e"] * 3


# What is framed, of which numbers the line tells, and the line, whenever something changes in the figure.
RECORD = """e => {
  const texts = (which) => [...e.querySelectorAll(which)].map((node) => node.textContent);
  window.seen = [];
  new MutationObserver(() => window.seen.push([texts('.stepper-meets'),
    texts('.stepper-sum .stepper-term:not(.stepper-unsaid) .stepper-from'),
    e.querySelector('.stepper-sum').textContent])).observe(e, {subtree: true, attributes: true});
}"""


def test_a_row_meets_a_column_and_the_cell_is_filled(stepper):
    tab, figure = stepper("attention_steps", still=False)
    terms = figure.locator(".stepper-sum .stepper-term:not(.stepper-unsaid)")
    waits, meets = figure.locator(".stepper-waits"), figure.locator(".stepper-meets")
    figure.evaluate(RECORD)
    figure.get_by_role("button", name="One step on").click()
    assert waits.count() > 10 and figure.locator(".stepper-source:visible").count() == 10
    tab.wait_for_function("() => !document.querySelector('.stepper-waits')")
    seen = [framed for framed, *_ in tab.evaluate("window.seen")]
    assert ["0.10", "1.0"] in seen and ["−0.20", "0.0"] in seen, "a number of the row and one of the column"
    assert seen.index(["0.10", "1.0"]) < seen.index(["−0.20", "0.0"])
    stays = "() => document.querySelector('.stepper-sum').textContent.startsWith('Q (the, dimension 0) = ')"
    tab.wait_for_function(stays)
    tab.wait_for_timeout(1500)  # (a slow reader is still reading it)
    assert meets.count() == 0 and terms.count() == 6 and tab.evaluate(stays)
    assert figure.locator(".stepper-source:visible").count() == 10
    number = figure.locator("button[data-key='Q[1, 2]']")
    number.click()
    assert waits.count() == 1
    tab.wait_for_function("() => !document.querySelector('.stepper-waits')")
    assert terms.count() == 6, "five products, and what they come to"
    assert tab.complaints == []


@pytest.mark.parametrize("name, steps", [("attention_steps", 6), ("backprop_steps", 13)])
def test_what_is_framed_is_what_is_said(stepper, name, steps):
    """At every moment the line below tells of the framed numbers, or that others follow in the same way."""
    tab, figure = stepper(name, still=False)
    figure.locator(".stepper-bar input").fill(str(steps - 2))
    tab.wait_for_function("() => !document.querySelector('.stepper-waits')")
    figure.evaluate(RECORD)
    figure.get_by_role("button", name="One step on").click()
    tab.wait_for_function("() => window.seen.length > 2 && !document.querySelector('.stepper-waits')")
    sums, others = 0, 0
    for framed, told, line in tab.evaluate("window.seen"):
        if framed and line.startswith("The other "):
            assert line.endswith("in the same way.")
            others += 1
        elif framed:
            assert {text.strip("−") for text in framed} <= {text.strip("−") for text in told}, line
            sums += 1
    assert sums and others and tab.complaints == []


# The time that the acts of a step ask for, in milliseconds. (A page that is kept waiting runs late; here the
# acts follow each other at once.)
ASKED = """() => { const wait = window.setTimeout; window.asked = 0;
  window.setTimeout = (act, time, ...rest) => {
    const is_act = String(act).includes('run(held');
    if (is_act) window.asked += time;
    return wait(act, is_act ? 0 : time, ...rest);
  }; }"""


@pytest.mark.parametrize("name", PAGES)
def test_a_step_is_made_in_a_little_more_than_a_second(stepper, name):
    tab, figure = stepper(name, still=False)
    on, longest = figure.get_by_role("button", name="One step on"), 0
    tab.evaluate(ASKED)
    while on.is_enabled():
        tab.evaluate("() => { window.asked = 0; }")
        on.click()
        tab.wait_for_function("() => !document.querySelector('.stepper-waits, .stepper-meets')")
        longest = max(longest, tab.evaluate("window.asked"))
    assert 500 < longest <= 1210 and tab.complaints == []


def test_both_cards_of_a_sentence_are_told_of(stepper):
    """The value of a card is explained like its key, and no step leaves its cell empty."""
    tab, figure = stepper("card_steps", still=False)
    figure.evaluate(RECORD)
    figure.get_by_role("button", name="One step on").click()
    assert figure.locator(".stepper-waits").count() <= 2
    tab.wait_for_function("() => !document.querySelector('.stepper-waits, .stepper-meets')")
    said = figure.locator(".stepper-sum").inner_text()
    assert said == (
        "Bruno’s first card, the topic: price of the room. "
        "Bruno’s second card, what is said about it: two hundred."
    )
    assert not any("in the same way" in line for *_, line in tab.evaluate("window.seen"))
    assert figure.locator(".stepper-now .stepper-new:visible").all_inner_texts() == [
        "price of the room",
        "two hundred",
    ]
    assert tab.complaints == []


def test_the_bar_of_a_stepper_hides_what_goes_below_it_on_a_phone(stepper):
    """The row of names is wider than the matrices, and no wider than the bar."""
    _tab, figure = stepper("bpe_steps", "phone")
    figure.locator(".stepper-strip").evaluate(
        "e => scrollBy({top: e.getBoundingClientRect().top - 100, behavior: 'instant'})"
    )
    at_rest(figure)
    covers = """e => { const box = e.querySelector('.stepper-chip').getBoundingClientRect();
      const bar = e.querySelector('.stepper-bar').getBoundingClientRect();
      const card = e.querySelector('.stepper-panel').getBoundingClientRect();
      return [box.top < bar.bottom, card.width - bar.width <= 2.5,
        Boolean(document.elementFromPoint(box.left + 1, bar.bottom - 4).closest('.stepper-bar'))]; }"""
    assert figure.evaluate(covers) == [True, True, True]


def test_nothing_moves_for_who_wants_no_motion(stepper):
    _, figure = stepper("attention_steps")
    figure.get_by_role("button", name="One step on").click()
    assert figure.locator(".stepper-waits, .stepper-meets, .stepper-telling").count() == 0
    figure.locator("button[data-key='Q[1, 2]']").click()
    assert figure.locator(".stepper-waits, .stepper-meets, .stepper-unsaid").count() == 0


def test_arrow_keys_lead_through_the_steps(stepper):
    tab, figure = stepper("cache_steps")
    heading = figure.locator(".stepper-bar output")
    figure.get_by_role("button", name="One step on").focus()
    for _ in range(3):
        tab.keyboard.press("ArrowRight")
    tab.keyboard.press("ArrowLeft")
    assert heading.inner_text() == "3 of 12 · Weights of “we”"
    tab.keyboard.press("Tab")  # past the slider's buttons, to the names, of which one is reached by Tab
    assert tab.evaluate("document.activeElement.className").startswith("stepper-chip")
    tab.keyboard.press("End")
    tab.keyboard.press("Enter")
    assert heading.inner_text() == "4 of 12 · Output of “we”"
    slider = figure.locator(".stepper-bar input")
    slider.focus()
    tab.keyboard.press("End")
    assert heading.inner_text() == slider.get_attribute("aria-valuetext") == "12 of 12 · Output of “Nora”"
    told = "e => e.querySelector('.live-status').textContent.startsWith('Step 12 of 12, Output of “Nora”: ')"
    tab.wait_for_function(told, arg=figure.element_handle())


@pytest.mark.parametrize("window", WINDOWS)
def test_a_pressed_number_tells_its_sum_and_moves_nothing(stepper, window):
    tab, figure = stepper("attention_steps", window)
    to = "(e, k) => { e.value = k; e.dispatchEvent(new Event('input', {bubbles: true})); }"
    figure.locator(".stepper-bar input").evaluate(to, 6)
    number, high = figure.locator("button[data-key='Z_M[1, 0]']"), "e => Math.round(e.offsetHeight)"
    before = figure.evaluate(high)
    number.click()
    sum_ = figure.locator(".stepper-sum")
    assert sum_.inner_text() == "ZM (cat, the) = 0.046 + 0 = 0.046. From Z and M."
    # Each number of the sum has the colour of the matrix from which it comes.
    assert sum_.locator(".stepper-term .stepper-from").all_inner_texts() == ["0.046", "0", "Z", "M"]
    assert sum_.locator("sub").count() == 1
    assert figure.evaluate(high) == before and not figure.locator(".stepper-legend").is_visible()
    low = "e => e.getBoundingClientRect().bottom"
    assert number.evaluate(low) < sum_.evaluate("e => e.getBoundingClientRect().top")
    assert sum_.evaluate(low) <= WINDOWS[window][1]
    number.click()
    assert sum_.inner_text() == "" and "shown rounded; ≈" in figure.locator(".stepper-legend").inner_text()
    assert tab.complaints == []


def test_the_point_of_adam_moves_in_its_valley_with_the_steps(stepper):
    _, figure = stepper("adam_steps")
    drawn = """e => ['downhill', 'move', 'point'].map(
      (kind) => e.querySelectorAll(`path.scene-${kind}`).length)"""
    slider = figure.locator("input[type=range]")
    for step, counts in ((0, [0, 0, 1]), (1, [1, 0, 1]), (4, [1, 1, 1]), (5, [1, 1, 2]), (15, [3, 3, 4])):
        slider.fill(str(step))
        assert figure.evaluate(drawn) == counts, step
    sheet, sizes = (
        figure.locator("svg.stepper-scene").bounding_box(),
        figure.evaluate(
            "e => [...e.querySelectorAll('.scene-word')].map((word) => word.getBoundingClientRect().height)"
        ),
    )
    assert sheet["width"] > 500 and min(sizes) >= 11


def test_a_step_begins_with_a_sum_that_has_no_zeros(stepper):
    """The update of W₁ begins with an entry whose gradient is not zero; many are."""
    _tab, figure = stepper("backprop_steps", still=False)
    figure.locator(".stepper-chip").last.click()  # it leads to the step that makes it
    figure.get_by_role("button", name="One step back").click()
    figure.evaluate(RECORD)
    figure.get_by_role("button", name="One step on").click()
    figure.locator(".stepper-sum .stepper-term:not(.stepper-unsaid)").nth(1).wait_for()
    said = figure.locator(".stepper-sum").inner_text()
    assert said.startswith("W₁ new") and "0.5 · " in said and "0.000" not in said.split("=")[1]


def test_a_desk_shows_the_steps_of_backpropagation_in_nearly_one_height(stepper):
    """What three matrices need in stairs, two need side by side, with the third below them."""
    _, figure = stepper("backprop_steps")
    highs, on = [], figure.get_by_role("button", name="One step on")
    while True:
        highs.append(figure.evaluate("e => e.querySelector('.stepper').offsetHeight"))
        if on.is_disabled():
            break
        on.click()
    assert max(highs) - min(highs) <= 160, highs
    assert len(figure.evaluate(ROWS)) == 2


def test_the_sum_of_the_last_step_stays(stepper):
    tab, figure = stepper("backprop_steps", still=False)
    figure.locator(".stepper-bar input").fill("13")
    figure.get_by_role("button", name="One step on").click()
    tab.wait_for_function(
        "() => document.querySelector('.stepper-sum').textContent.startsWith('The other 31')"
    )
    tab.wait_for_function("() => document.querySelector('.stepper-sum').textContent.startsWith('W₁ new')")
    assert figure.locator(".stepper-sum").is_visible() and figure.locator(".stepper-waits").count() == 0


# Where a line of the sum breaks beside the sign of a product.
BROKEN = """e => { const range = document.createRange(), all = [];
  const walk = document.createTreeWalker(e.querySelector('.stepper-sum'), NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) for (let i = 0; i < walk.currentNode.length; i++) {
    range.setStart(walk.currentNode, i);
    range.setEnd(walk.currentNode, i + 1);
    const box = range.getBoundingClientRect(), sign = walk.currentNode.data[i];
    if (box.width && sign.trim()) all.push([sign, box.top]);
  }
  return all.filter(([, top], k) => k && Math.abs(top - all[k - 1][1]) > 10
    && ('·+−'.includes(all[k - 1][0]) || all[k][0] === '·')).length; }"""
FADES = """e => { const box = e.querySelector('.stepper-strip'), {left, right} = box.getBoundingClientRect();
  const far = (name) => parseFloat(getComputedStyle(box).getPropertyValue(name));
  const chip = e.querySelector('.stepper-chip.stepper-now').getBoundingClientRect();
  return {before: far('--before'), behind: far('--behind'), seen: chip.left >= left && chip.right <= right,
    from: box.scrollLeft, to: box.scrollWidth - box.clientWidth - box.scrollLeft}; }"""


def test_on_a_phone_no_product_is_broken_and_the_row_of_names_shows_where_it_goes_on(stepper):
    tab, figure = stepper("attention_steps", "phone")
    on, fades = figure.get_by_role("button", name="One step on"), set()
    for step in range(11):
        if step:
            on.click()
        at_rest(figure)
        row = figure.evaluate(FADES)
        assert row["seen"], "the chosen name is in view"
        for side, far in (("before", "from"), ("behind", "to")):
            assert (row[side] > 2) == (row[far] > 4), row
            fades.add((side, row[side] > 2))
        for number in figure.locator(".stepper-now button[data-key]").all()[:6]:
            number.click()
            assert figure.evaluate(BROKEN) == 0, figure.locator(".stepper-sum").inner_text()
    assert len(fades) == 4 and tab.complaints == []
