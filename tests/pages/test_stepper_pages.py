"""Steppers on their pages: the controls keep their place, and a step is seen with what is said of it."""

import pytest
from test_live import HOLDERS, specs

PAGES = {spec["name"]: page for page in HOLDERS for spec in specs(page) if spec["name"].endswith("_steps")}
WINDOWS = {"desk": (1280, 800), "phone": (390, 844)}
# What the window shows of a step.
SEEN = """e => {
  const box = (node) => node.getBoundingClientRect(), stage = e.querySelector('.stepper');
  const seen = (what) => [...stage.querySelectorAll(what)].filter((node) => node.checkVisibility());
  const low = (nodes) => Math.max(...nodes.map((node) => box(node).bottom));
  const canvas = stage.querySelector('.stepper-canvas'), bar = stage.querySelector('.stepper-bar');
  return {
    heading: e.querySelector('.stepper-bar output').textContent,
    top: box(e.querySelector('[aria-label="One step on"]')).top,
    above: box(bar).bottom <= box(canvas).top,
    deep: low(seen('.stepper-now table')) - box(bar).top,
    blank: box(canvas).bottom - low(seen('.stepper-card')),
    beyond: Math.max(...seen('.stepper-card').map((node) => box(node).right)) - box(canvas).right,
    empty: seen('tbody td:not(.stepper-never)').filter((td) => !td.textContent).length,
    small: seen('button, input').filter((part) => box(part).width < 32 || box(part).height < 32).length,
    wide: document.documentElement.scrollWidth,
  };
}"""


@pytest.fixture
def stepper(open_tab):
    """A stepper in the window, at its first step."""

    def opened(name, window="desk"):
        width, height = WINDOWS[window]
        tab = open_tab("http", PAGES[name], width=width, still=True)
        tab.set_viewport_size({"width": width, "height": height})
        figure = tab.locator(f"live-figure[data-key='{name}']")
        figure.evaluate("e => e.scrollIntoView()")
        tab.wait_for_timeout(300)
        return tab, figure

    return opened


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("name", PAGES)
def test_every_step_stands_below_the_same_controls(stepper, name, window):
    tab, figure = stepper(name, window)
    names = [step[0] for spec in specs(PAGES[name]) if spec["name"] == name for step in spec["data"]["steps"]]
    tops, on = set(), figure.get_by_role("button", name="One step on")
    for k, headline in enumerate(names):
        seen = figure.evaluate(SEEN)
        tops.add(round(seen["top"]))
        assert seen["heading"] == f"{k + 1} of {len(names)} · {headline}"
        assert seen["above"] and seen["empty"] == 0 and seen["blank"] < 130, (headline, seen)
        assert seen["beyond"] < 1, (headline, seen)
        # At a desk what the step makes is seen in one window with what is said of it.
        assert window == "phone" or seen["deep"] + 60 < WINDOWS[window][1], (headline, seen)
        assert window == "desk" or (seen["small"] == 0 and seen["wide"] <= 390), (headline, seen)
        if k + 1 < len(names):
            on.click()
    assert len(tops) == 1, "the buttons keep their place"
    assert on.is_disabled() and tab.complaints == []


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
    assert sum_.inner_text() == "ZM (cat, the) = 0.046 + 0 = 0.046." and sum_.locator("sub").count() == 1
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
      (kind) => e.querySelectorAll(`path.scene-${kind}:not(.stepper-folded)`).length)"""
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
