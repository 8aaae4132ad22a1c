"""Live figures on the pages: each control, moved in a browser, shows what `support` computes."""

import dataclasses
import functools
import json
import re
from pathlib import Path

import pytest
from axe import lay_out, show_theme
from bs4 import BeautifulSoup

from support.view.live import NAMES, find
from support.view.live.controls import Choice, Slider, Switch

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "_build" / "html"
HOLDERS = sorted(
    str(p.relative_to(SITE))
    for p in SITE.rglob("*.html")
    if "<live-figure>" in p.read_text(encoding="utf8", errors="replace")
)

READ = """e => ({
  controls: [...e.querySelectorAll('.live-control')].map(c => {
    const input = c.querySelector('input, select');
    return input.type === 'checkbox' ? (input.checked ? 'on' : 'off')
      : c.querySelector('output') ? c.querySelector('output').textContent : input.value.trim();
  }),
  cells: [...e.querySelectorAll('.live-table tbody tr')].map(r => [...r.children].map(c => c.textContent)),
  columns: [...e.querySelectorAll('.live-table thead th')].map(c => c.textContent),
  says: e.querySelector('.live-says').textContent,
  picture: e.querySelector('.live-picture').innerHTML,
})"""
MOVE = """(e, [k, value]) => {
  const input = e.querySelectorAll('.live-control :is(input, select)')[k];
  if (input.type === 'checkbox') input.checked = value === 'True';
  else input.value = value;
  input.dispatchEvent(new Event('input', {bubbles: true}));
}"""
# Only what stands elsewhere is moved: each move draws the figure anew.
SHOW = f"""(e, states) => states.map(values => {{
  const inputs = [...e.querySelectorAll('.live-control :is(input, select)')];
  values.forEach((value, k) => {{
    const now = inputs[k].type === 'checkbox' ? (inputs[k].checked ? 'True' : 'False') : inputs[k].value;
    if (now !== value) ({MOVE})(e, [k, value]);
  }});
  // As one text: playwright's own way with millions of numbers takes seconds.
  return JSON.stringify([{{...({READ})(e), picture: null}}, e.state], (key, value) =>
    typeof value === 'number' && !Number.isFinite(value) ? `not finite: ${{value}}` : value);
}})"""
# Each value, as seen from the start: pictures and readings are compared where they are.
TRY = f"""(e, [k, values]) => {{
  const read = {READ}, move = {MOVE}, button = e.querySelector('.live-reset');
  const first = read(e), pictures = [first.picture], trouble = [];
  for (const value of values) {{
    move(e, [k, value]);
    pictures.push(read(e).picture);
    if (button.disabled) trouble.push(`${{value}}: no way back`);
    button.click();
    if (JSON.stringify(read(e)) !== JSON.stringify(first)) trouble.push(`${{value}}: not the same start`);
    if (!button.disabled) trouble.push(`${{value}}: not known as the start`);
  }}
  return [trouble, pictures.length - new Set(pictures).size];
}}"""


@functools.cache
def soup(page):
    """The live figures of a page, without the rest of it, which takes a second to read."""
    text = (SITE / page).read_text(encoding="utf8")
    return BeautifulSoup("".join(re.findall(r"<live-figure>.*?</live-figure>", text, re.S)), "html.parser")


@functools.cache
def specs(page):
    return [json.loads(tag.string) for tag in soup(page).select("live-figure > script.live-spec")]


def starts(spec):
    return {control["name"]: control["start"] for control in spec["controls"]}


@functools.cache
def homes():
    """Where each figure is looked at in full: the page with the fewest figures; and so for each start of it.

    On its other pages stand the same description, which is compared, and the same scripts.
    """
    found = {}
    for page in sorted(HOLDERS, key=lambda page: len(specs(page))):
        for spec in specs(page):
            found.setdefault(spec["name"], page)
            found.setdefault((spec["name"], json.dumps(starts(spec))), page)
    return found


def is_home(page, spec):
    return homes()[spec["name"]] == page


def is_first_with_its_start(page, spec):
    return homes()[spec["name"], json.dumps(starts(spec))] == page


@pytest.fixture
def live(desk):
    """A page with live figures on a wide screen, opened as a file: all of them stand there."""
    if not desk.awake:
        lay_out(desk, all=False)
        wake(desk)
        desk.awake = True
    return desk


everywhere = pytest.mark.parametrize("desk", HOLDERS, indirect=True)


def opened(tabs, page, way="file", **settings):
    tab = tabs(way, page, **settings)
    tab.page = page
    wake(tab)
    return tab


def back_to_the_start(element):
    """Each figure is given back as it was found."""
    button = element.query_selector(".live-reset")
    if not button.is_disabled():
        button.dispatch_event("click")  # the pointer stays away: it would lie on what comes under it


def wake(tab):
    """Models come when their figures come near, and one only when it is asked for; every tab is open."""
    tab.add_style_tag(content=OPEN_TABS)
    tab.evaluate(WAKE)
    tab.mouse.move(1, 1)  # a point of a drawing that lies under the pointer says its name, which is no change


# (What is laid out on the way may push a figure out of the window again.)
WAKE = """async () => {
  for (const figure of document.querySelectorAll('live-figure')) {
    const end = performance.now() + 180000;
    while (!figure.querySelector('.live-panel')?.checkVisibility()) {
      if (performance.now() > end) throw new Error(`not made: ${figure.textContent.slice(0, 80)}`);
      figure.scrollIntoView({block: 'center'});
      figure.querySelector('.live-ask')?.click();
      await new Promise((done) => setTimeout(done, 20));
    }
    for (const fold of figure.querySelectorAll('.live-more')) fold.open = true;
  }
  scrollTo(0, 0);
}"""
OPEN_TABS = ".sd-tab-content { display: block !important; }"
# Texts to try, by the model that reads them.
TEXTS = {
    "calling-game": [
        "",
        "5",
        "Pietro chiama",
        "7 chiama Pietro capo banana banana",
        "Pietro chiama Paolo <EOS>",
    ],
    "stories": ["", "leo was a", "the cat meowed . the cat"],
    "assistant": ["", "what is 34+58?", "hello / who are you?", "zebra <img src=x onerror=alert(1)>"],
    "by-hand": ["mat", "dog ran and", "the cat sat on"],
    "maps": [" Lioness", "b", "<img src=x onerror=alert(1)>"],
    "bpe": ["", "the cat", "naïve 🙂 <img src=x onerror=alert(1)>", "日本語\t 'll x"],
}


def places(figure):
    """States to compare: the start, each control at its ends and between, and all of them moved together."""
    start = figure.values()
    several = {}
    for control in figure.controls:
        if isinstance(control, Slider):
            last = round((control.high - control.low) / control.step)
            steps = sorted({0, 1, last // 3, (2 * last) // 3 + 1, last - 1, last})
            several[control.name] = [round(control.low + k * control.step, 6) for k in steps]
        elif isinstance(control, Choice):
            several[control.name] = [*control.options[:6], control.options[-1]]
        elif isinstance(control, Switch):
            several[control.name] = [False, True]
        else:
            several[control.name] = TEXTS[figure.model or figure.name]
    states = [start | {name: value} for name, values in several.items() for value in values]
    for k in range(6):
        states.append(
            {
                name: values[(k * (i + 1) + i) % len(values)]
                for i, (name, values) in enumerate(several.items())
            }
        )
    return [figure.values(**state) for state in states]


def same(got, want):
    """Equal to the ninth place in every number, and to the letter in every word, however deep."""
    if type(want) is float and type(got) in (float, int):  # first, as most are
        return abs(got - want) <= 1e-9
    if isinstance(want, dict):
        return all(name in got and same(got[name], value) for name, value in want.items())
    if isinstance(want, list | tuple):
        return len(got) == len(want) and all(map(same, got, want))
    if isinstance(want, float | int) and not isinstance(want, bool):
        if isinstance(got, str):
            return got == f"not finite: {str(float(want)).replace('inf', 'Infinity')}"
        return got is not None and abs(got - want) <= 1e-9
    return got == want


@functools.cache
def computed_once(name):
    """A figure of the package that computes each state once, however often it is asked, on whatever page."""
    figure = find(name)
    return dataclasses.replace(figure, compute=functools.cache(figure.compute))


def test_each_live_figure_of_the_package_is_on_a_page():
    assert {spec["name"] for page in HOLDERS for spec in specs(page)} == set(NAMES)


@everywhere
def test_with_javascript_the_panel_takes_the_place_of_the_still_picture(live):
    assert not any(image.is_visible() for image in live.locator(".live-still img").all())
    assert all(panel.is_visible() for panel in live.locator(".live-panel").all())


@pytest.mark.parametrize("scheme", ["light", "dark"])
@everywhere
def test_words_and_numbers_stand_out_from_what_is_behind(live, scheme):
    """At least 4.5 : 1, as WCAG asks of text."""
    tab = live
    show_theme(tab, scheme)
    script = """() => {
      const parts = c => (c.match(/[\\d.]+/g) || []).map(Number)  // rgb(…), or a mixture: color(srgb …)
        .map((x, i) => c.startsWith('color(') && i < 3 ? 255 * x : x);
      const light = ([r, g, b]) => [r, g, b].map(x => x / 255)
        .map(x => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)
        .reduce((sum, x, i) => sum + x * [0.2126, 0.7152, 0.0722][i], 0);
      const behind = e => {
        for (let p = e; p; p = p.parentElement) {
          const c = parts(getComputedStyle(p).backgroundColor);
          if (c.length === 3 || c[3] > 0.99) return c;
        }
        return [255, 255, 255];
      };
      const weak = [];
      const kinds = 'p, label, output, th, td, b, small, text, button, a, li';
      const all = document.querySelectorAll(`.live-panel :is(${kinds})`);
      for (const e of all) {
        if (e.disabled) continue;
        const style = getComputedStyle(e), drawn = e.namespaceURI.endsWith('svg');
        const ink = parts(drawn ? style.fill : style.color);
        const [a, b] = [light(ink), light(behind(e.closest('svg') || e))].sort((x, y) => y - x);
        if ((a + 0.05) / (b + 0.05) < 4.5) weak.push([e.textContent, ink, behind(e)]);
      }
      return [weak, all.length];
    }"""
    weak, texts = tab.evaluate(script)
    assert weak == [] and texts >= 20


@everywhere
def test_what_is_shown_is_what_python_computes(live):
    tab, page = live, live.page
    elements = tab.query_selector_all("live-figure")
    assert len(elements) == len(specs(page)) > 0
    for element, spec in zip(elements, specs(page), strict=True):
        figure = computed_once(spec["name"])
        start = figure.values(**starts(spec))
        assert spec == json.loads(json.dumps(figure.spec(start)))
        states = [start, *(places(figure) if is_home(page, spec) else places(figure)[-2:])]
        # The first is the page as it opens.
        moves = [[], *([str(value) for value in state.values()] for state in states[1:])]
        for state, shown in zip(states, element.evaluate(SHOW, moves), strict=True):
            seen, computed = json.loads(shown)
            assert seen["controls"] == figure.settings(state)
            assert seen["cells"] == figure.cells(state)
            assert seen["columns"] == list(figure.columns)
            assert seen["says"] == figure.sentence(state)
            assert same(computed, figure.state(state)), (spec["name"], state)
        back_to_the_start(element)
    assert tab.complaints == []


# Of each slider that is seen: its figure, its name, and how much the figure's height changes along it.
DRAGGED = """() => [...document.querySelectorAll('live-figure')].flatMap((figure) => {
  const {name} = JSON.parse(figure.querySelector('.live-spec').textContent);
  const sliders = [...figure.querySelectorAll('.live-panel input[type=range]')];
  return sliders.filter((e) => e.checkVisibility()).map((input) => {
    const {min, max, value} = input, step = Number(input.step) || 1, n = Math.round((max - min) / step);
    const highs = [], often = Math.min(n, 100);
    const move = (to) => {
      input.value = to;
      input.dispatchEvent(new Event('input', {bubbles: true}));
      return figure.getBoundingClientRect().height;
    };
    for (let k = 0; k <= often; k++) highs.push(move(Number(min) + Math.round(k * n / often) * step));
    move(value);
    return [name, input.id, Math.max(...highs) - Math.min(...highs)];
  });
})"""
# The machine is as high as its text (test_machine.py); of the steps of backpropagation a few are so high that
# the others would be half blank (test_stepper_pages.py).
NOT_EVEN = ("machine", "machine_by_hand", "machine_story", "machine_feed_forward", "backprop_steps")


@pytest.mark.parametrize("desk", [page for page in HOLDERS if "notebooks" in page], indirect=True)
def test_nothing_below_a_figure_moves_while_a_slider_is_dragged_at_a_desk(live):
    moved = [(name, which, by) for name, which, by in live.evaluate(DRAGGED) if name not in NOT_EVEN]
    assert [each for each in moved if each[2] > 1] == []
    for element in live.query_selector_all("live-figure"):
        back_to_the_start(element)


@pytest.mark.parametrize("page", [page for page in HOLDERS if "notebooks" in page])
def test_nothing_below_a_figure_moves_while_a_slider_is_dragged_on_a_phone(open_tab, page):
    tab = opened(open_tab, page, way="http", width=390)
    moved = [(name, which, by) for name, which, by in tab.evaluate(DRAGGED) if name not in NOT_EVEN]
    assert [each for each in moved if each[2] > 1] == []


def some(options):
    """All of a few; of the many cells of a stepper two dozen, from the first to the last."""
    every = -(-len(options) // 24) if len(options) > 40 else 1
    return list(dict.fromkeys([*options[::every], *options[-1:]]))


@everywhere
def test_no_control_is_dead_and_the_start_is_found_again(live):
    tab, page = live, live.page
    for element, spec in zip(tab.query_selector_all("live-figure"), specs(page), strict=True):
        assert element.query_selector(".live-reset").is_disabled()
        assert element.evaluate(UNDRAWN) == []
        inputs = element.query_selector_all(".live-control :is(input, select)")
        assert len(inputs) == len(spec["controls"])
        if not is_first_with_its_start(page, spec):
            continue
        for k, control in enumerate(spec["controls"]):
            values = {
                "slider": [control.get("low"), control.get("high")],
                "choice": some(control.get("options", [])),
                "switch": [True, False],
                "prompt": TEXTS.get(spec.get("model")),
                "typed": TEXTS.get(spec["name"]),
            }[control["kind"]]
            others = [v for v in values if v != control["start"]]
            if not is_home(page, spec):  # from another start: the two that are farthest from each other
                others = [others[0], others[-1]] if len(others) > 1 else others
            found = element.evaluate(TRY, [k, [str(value) for value in others]])
            assert found == [[], 0], (spec["name"], control["name"])
    assert tab.complaints == []


# A control as the keyboard meets it, from the start of its figure: what kind it is, and what is shown.
MEET = f"""(e, k) => {{
  e.querySelector('.live-reset').click();
  const part = e.querySelectorAll('.live-control :is(input, select)')[k];
  part.focus();
  return [part.getAttribute('type'), part.getAttribute('role'), ({READ})(e)];
}}"""
TOLD = """(e, k) => {
  const part = e.querySelectorAll('.live-control :is(input, select)')[k];
  return [part.labels.length === 1 && part.labels[0].textContent, part.getAttribute('aria-valuetext')];
}"""


@everywhere
def test_the_keyboard_moves_and_a_listener_is_told(live):
    tab, page, moved = live, live.page, []
    for element, spec in zip(tab.query_selector_all("live-figure"), specs(page), strict=True):
        for k in range(len(spec["controls"]) if is_home(page, spec) else min(1, len(spec["controls"]))):
            kind, role, before = element.evaluate(MEET, k)
            if kind == "text" and role != "combobox":
                tab.keyboard.press("x")
            # A checkbox listens to the space bar; in a text the arrow goes to the likeliest word that fits.
            else:
                choose = ["End", "Space", "ArrowDown", "Enter"]
                for key in {"checkbox": ["Space"], "text": choose}.get(kind, ["ArrowDown"]):
                    tab.keyboard.press(key)
            now = element.evaluate(READ)
            if now == before:  # it stood at its end
                tab.keyboard.press("ArrowUp")
                now = element.evaluate(READ)
            if kind == "text" and now == before:  # as long as can be: a word less
                for _ in range(5):
                    tab.keyboard.press("Backspace")
                now = element.evaluate(READ)
            assert now["controls"] != before["controls"]
            for _ in range(5):  # a share of 95% keeps all of eight words that are nearly alike
                if kind == "range" and (now["picture"], now["says"]) == (before["picture"], before["says"]):
                    tab.keyboard.press("ArrowDown")
                    now = element.evaluate(READ)
            assert (now["picture"], now["says"]) != (before["picture"], before["says"])
            name, value = element.evaluate(TOLD, k)
            assert name and kind in ("range", "checkbox", "text", None)
            assert kind != "range" or value in now["controls"]
        moved.append((element, now["says"]))
    for element, says in moved:
        status = element.query_selector(".live-status[role=status]")
        # It is told once the reader pauses; on a slow machine what was told before stands there first.
        tab.wait_for_function("([e, says]) => e.textContent === says", arg=[status, says])
        if image := element.query_selector(".live-picture svg"):
            assert image.get_attribute("role") == "img"
            told = "e => document.getElementById(e.getAttribute('aria-labelledby')).textContent"
            assert tab.evaluate(told, image) == says


# Parts of a drawing that a style meant for something else hides.
UNDRAWN = """e => [...e.querySelectorAll('.live-picture svg :is(rect, circle, path, line, polyline, text)')]
  .filter(s => !s.closest('defs') && !s.checkVisibility({visibilityProperty: true}))
  .map(s => s.getAttribute('class'))"""


@pytest.mark.parametrize("page", HOLDERS)
def test_without_javascript_the_still_picture_stays(open_tab, page):
    tab = open_tab("file", page, javascript=False)
    drawn = [spec for spec in specs(page) if not find(spec["name"]).still_html]
    for still, spec in zip(soup(page).select("live-figure > .live-still"), specs(page), strict=True):
        figure = find(spec["name"])
        usual = figure.values()
        moved = {name: start for name, start in starts(spec).items() if start != usual[name]}
        values = figure.still_values(**moved)
        assert (still.img is None) if figure.still_html else still.img["alt"] == figure.sentence(values)
        words = still.get_text().replace("’", "'")  # Sphinx sets the apostrophes of a text page
        assert figure.sentence(values).replace("’", "'") in words and "JavaScript" in words
    # A press does what it does without the page's scripts: folds open, and one tab after the other is shown.
    tab.evaluate("document.querySelectorAll('details.deeper > summary').forEach((fold) => fold.click())")
    sweep = """() => {
      const images = [...document.querySelectorAll('.live-still img')], seen = new Set();
      for (const tab of [null, ...document.querySelectorAll('.sd-tab-label')]) {
        tab?.click();
        images.forEach((e, k) => e.checkVisibility() && e.getBoundingClientRect().height && seen.add(k));
      }
      return [images.length, images.flatMap((e, k) => seen.has(k) ? [] : [e.alt])];
    }"""
    found, unseen = tab.evaluate(sweep)
    for _ in range(100):  # an image that is on its way may have no height yet
        if not unseen:
            break
        tab.wait_for_timeout(100)
        found, unseen = tab.evaluate(sweep)
    assert found == len(drawn) and unseen == []
    assert tab.locator(".live-panel").count() == 0


def fits_a_phone(tab, page):
    """Every live figure of a page that is open on a phone, as `test_pages.py` does it."""
    wake(tab)
    for element, spec in zip(tab.query_selector_all("live-figure"), specs(page), strict=True):
        ends = [str(control.get("high", control["start"])) for control in spec["controls"]]
        element.evaluate(SHOW, [ends])
        assert element.evaluate("e => e.scrollWidth <= e.clientWidth")
        outside = """e => [...e.querySelectorAll('svg text')].filter(t => {
          const box = t.getBoundingClientRect();
          return box.left < 0 || box.right > innerWidth || box.height < 9;
        }).map(t => t.textContent)"""
        assert element.evaluate(outside) == []
        # (The fade of a box that goes on to the side follows the scrolling, and no time moves it.)
        moves = """e => e.getAnimations({subtree: true})
          .filter(a => !(a.animationName === 'goes-on' && a.timeline instanceof ScrollTimeline)).length"""
        assert element.evaluate(moves) == 0
        assert element.evaluate(UNDRAWN) == []
        for part in element.query_selector_all("input"):
            box = part.bounding_box()
            if part.evaluate("e => Boolean(e.closest('.stepper-bar'))"):  # (it has buttons)
                assert not box
            elif part.get_attribute("type") == "checkbox":  # it is touched with its label
                assert part.evaluate("e => e.labels[0].parentElement.offsetHeight") >= 24
            else:
                assert box["width"] > 180 and box["height"] >= 24
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390


ORDER = """e => {
  const top = (part) => part.getBoundingClientRect().top;
  const rows = [...e.querySelectorAll('.live-control, .live-group')]
    .filter(r => !r.parentElement.closest('.live-group'));
  const folded = rows.filter(r => r.closest('.live-more')), open = rows.filter(r => !folded.includes(r));
  return {picture: top(e.querySelector('.live-picture')), first: top(open[0]), open: open.length,
    folded: folded.length};
}"""


@pytest.mark.parametrize("page", ["08_embeddings", "10_positions"])
def test_on_a_phone_the_picture_comes_first_and_two_controls_stand_open(open_tab, page):
    tab = open_tab("http", f"notebooks/{page}.html", width=390)
    wake(tab)
    tab.wait_for_function("() => !window.Live.waits()")
    plain = "live-figure:has(> .live-panel > .live-picture + .live-controls)"
    found = [figure.evaluate(ORDER) for figure in tab.query_selector_all(plain)]
    assert found and all(seen["picture"] < seen["first"] for seen in found)
    assert all(seen["open"] == (2 if seen["folded"] else seen["open"]) <= 3 for seen in found), found
    if page == "10_positions":
        assert [seen["folded"] for seen in found] == [2]
        folded = tab.locator(f"{plain} .live-more .live-control").first
        assert folded.is_visible()  # (a figure that is woken for the tests is unfolded)
        tab.locator(f"{plain} .live-more > summary").first.click()
        assert folded.is_hidden()
        tab.set_viewport_size({"width": 1280, "height": 900})  # at a desk they all stand beside it
        assert tab.locator(f"{plain} .live-more").count() == 0


# The controls of a figure that stand open on a phone, those that are folded away, and how much of the window
# lies between the upper edge of the bars and the lower one of the last of the open controls.
TOGETHER = """e => {
  const names = (all) => [...all].map(row => /live-of-(\\w+)/.exec(row.className)[1]);
  const open = e.querySelectorAll('.live-panel > .live-controls > .live-control');
  const bars = e.querySelector('.live-ranks').getBoundingClientRect();
  const last = Math.max(...[...open].map(row => row.getBoundingClientRect().bottom));
  const folded = e.querySelectorAll('.live-more .live-control');
  return {open: names(open), folded: names(folded), high: last - bars.top};
}"""


@pytest.mark.parametrize(
    "page, name, folded",
    [("13_feed_forward", "units", ["prompt", "layer"]), ("21_sampling", "next_word", [])],
)
def test_on_a_phone_the_controls_that_the_text_names_stand_with_what_they_change(
    open_tab, page, name, folded
):
    tab = open_tab("http", f"notebooks/{page}.html", width=390)
    wake(tab)
    seen = tab.locator(f"live-figure[data-key={name}]").evaluate(TOGETHER)
    assert seen["open"] == list(find(name).near) and seen["folded"] == folded
    assert seen["high"] < 844 - 56  # the window of a phone without the bar of the page


def test_a_bar_says_what_the_sentence_below_it_says(open_tab):
    tab = open_tab("http", "notebooks/13_feed_forward.html")
    wake(tab)
    figure = tab.locator("live-figure[data-key=units]")
    assert figure.locator(".live-much").first.text_content() == "99.98%"
    assert "“Tarso” with 99.98%" in figure.text_content()


def test_on_a_phone_six_words_stand_with_their_sliders_and_one_line_has_the_rest(open_tab):
    tab = open_tab("http", "notebooks/21_sampling.html", width=390)
    wake(tab)
    figure = tab.locator("live-figure[data-key=next_word]")
    words = figure.locator("button.live-rank")
    assert words.count() == 10 and [words.nth(k).is_visible() for k in (5, 6)] == [True, False]
    told = figure.locator(".live-others > span").all_text_contents()
    assert figure.locator(".live-others").is_visible()
    shares = figure.evaluate("e => e.state.words.slice(0, 6).map(({p}) => p)")
    assert told[0] == "the 21 other words together"
    assert abs(float(told[1].removesuffix("%")) / 100 - (1 - sum(shares))) < 0.0006
    high = figure.evaluate(  # (at once: the page above may be laid out in between)
        "e => e.querySelector('.live-of-top_p input').getBoundingClientRect().bottom"
        " - e.querySelector('.live-text').getBoundingClientRect().top"
    )
    assert 0 < high < 700, "bars and sliders are seen together"
    figure.locator(".live-of-top_k input").evaluate(
        "e => { e.value = 3; e.dispatchEvent(new Event('input', {bubbles: true})); }"
    )
    assert figure.locator(".live-others .live-much").text_content() == "cut"
    tab.set_viewport_size({"width": 1280, "height": 900})
    assert words.nth(9).is_visible() and not figure.locator(".live-others").is_visible()


def test_a_loss_that_leaves_the_plot_says_so(open_tab):
    tab = opened(open_tab, "notebooks/02_learning.html")
    figure = tab.locator("live-figure[data-key^=descent]").first
    says = figure.locator("svg text", has_text="above 1.5 from step")
    assert says.count() == 0
    slider = figure.locator("input[type=range]").first
    slider.evaluate("e => { e.value = e.max; e.dispatchEvent(new Event('input', {bubbles: true})); }")
    assert says.count() == 1


def test_a_run_that_explodes_leaves_its_frame(open_tab):
    tab = opened(open_tab, "notebooks/19_when_training_fails.html")
    figure = tab.locator("live-figure[data-key^=rates]").first
    assert figure.locator("svg text", has_text="↑ up to 17,600, then NaN").count() == 1
    reach = "e => [e.getBBox().y, e.ownerSVGElement.viewBox.baseVal.y]"
    drawn = figure.locator("path.live-curve").evaluate(reach)
    assert drawn[0] < drawn[1]  # the line goes on, out of sight
    frame = figure.locator("clipPath rect").evaluate("e => e.y.baseVal.value")
    assert figure.locator("g[clip-path] path.live-curve").count() == 1 and frame > drawn[1]


@pytest.mark.parametrize("dark", [False, True])
def test_the_parts_of_the_memory_are_filled_each_in_its_colour(open_tab, dark):
    tab = opened(open_tab, "notebooks/20_training_at_scale.html", dark=dark)
    bars = tab.locator("live-figure[data-key^=memory] svg rect")
    ground = tab.locator(".live-panel").first.evaluate("e => getComputedStyle(e).backgroundColor")
    fills = bars.evaluate_all("all => all.map(e => getComputedStyle(e).fill)")
    assert len(fills) == 12 and len({*fills}) == 4 and ground not in fills and "none" not in fills


def test_words_are_text_and_never_html(open_tab):
    """Neither the address nor a description can put an element on the page."""
    attack = "<img src=x onerror=alert(1)>"
    tab = opened(open_tab, f"{HOLDERS[0]}#{attack}")
    tab.evaluate(
        """attack => {
          const e = document.createElement('live-figure'), s = document.createElement('script');
          s.type = 'application/json'; s.className = 'live-spec';
          const slider = {kind: 'slider', name: 'x', label: attack, low: 0, high: 1, step: 1, start: 0};
          const choice = {kind: 'choice', name: 'y', label: attack, options: [attack], start: attack};
          s.textContent = JSON.stringify({name: 'attack', title: attack, says: '{word}', columns: [attack],
            rows: [['{word}']], controls: [{...slider, show: '{word}'}, choice]});
          e.id = 'attacked'; e.append(s); document.body.append(e);
          Live.define('attack', {compute: () => ({word: attack}),
            draw: (state, data, {svg, text}) => svg('svg', {}, text(0, 0, state.word))});
        }""",
        attack,
    )
    tab.wait_for_function("() => !Live.waits()")
    tab.evaluate("Live.buildAll()")  # it stands at the end of the page
    assert tab.locator("#attacked .live-panel").count() == 1
    assert tab.locator("#attacked img").count() == 0
    assert tab.locator("#attacked").inner_text().count(attack) >= 4
    assert tab.complaints == []


def test_the_script_has_no_way_to_make_html_of_a_text_or_to_ask_another_host():
    script = (ROOT / "book" / "assets" / "live.js").read_text(encoding="utf8")
    ways = (
        r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|new Function|fetch\(|XMLHttp|import\b"
    )
    assert re.findall(ways, re.sub(r"// .*", "", script)) == []
    assert set(re.findall(r"\bhttps?:[^\"']*", script)) == {"http://www.w3.org/2000/svg"}
    assert len(script) < 25_000


def test_a_figure_may_be_defined_after_its_element(open_tab):
    """A later script of the book brings its own figures; until then the still picture is shown."""
    tab = opened(open_tab, HOLDERS[0])
    tab.evaluate(
        """() => {
          const spec = {name: 'late', title: 't', says: 's', columns: [], rows: [], controls: []};
          document.body.insertAdjacentHTML('beforeend', '<live-figure id="late"><script class="live-spec" '
            + 'type="application/json">' + JSON.stringify(spec) + '</' + 'script>'
            + '<div class="live-still">still</div></live-figure>');
        }"""
    )
    assert tab.locator("#late .live-still").is_visible()
    tab.evaluate("Live.define('late', {compute: () => ({}), draw: (state, data, {svg}) => svg('svg')})")
    tab.locator("#late").scroll_into_view_if_needed()
    tab.locator("#late .live-panel").wait_for()
    assert not tab.locator("#late .live-still").is_visible() and tab.locator("#late .live-panel").is_visible()


def test_the_stored_output_of_a_chapter_becomes_a_live_figure(monkeypatch):
    from docutils import nodes, utils

    monkeypatch.syspath_prepend(str(ROOT / "book" / "ext"))
    import live

    def cell(metadata):
        words, picture = nodes.literal_block("", "Start"), nodes.container("", nodes.image(uri="x.png"))
        output = nodes.container("", words, picture, nb_element="cell_code_output")
        return nodes.container("", output, nb_element="cell_code", cell_metadata=metadata)

    document = utils.new_document("chapter")
    mark = {"live": {"name": "student", "start": {"hours": 8}}}
    document += [cell({"mystnb": mark}), cell({"mystnb": {"image": {"alt": "a picture"}}}), cell({})]
    live.FromNotebook(document).apply()
    [figure] = document.findall(live.live_figure)
    assert figure.parent is document[0][0] and json.loads(figure["spec"])["controls"][0]["start"] == 8
    assert figure[0].astext() == "Start" and "JavaScript" in figure.astext()
    assert len(list(figure.findall(nodes.image))) == 1 and len(list(document.findall(nodes.image))) == 3
