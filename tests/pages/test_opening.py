"""A page opens from frame to frame, so that no frame is long; then all of it is there."""

import io

import pytest
from PIL import Image
from rest import at_rest

CHAPTER, API = "notebooks/16_one_step_every_number.html", "book/api_assistant.html"
# What is laid out at each step: elements that are visible, in the window or near it.
WATCH = """() => {
  const steps = window.steps = [];
  const opening = () => document.documentElement.dataset.opening || 'all';
  const count = () => steps.push([opening(), ['.bd-article h1', '.bd-article > section > p',
    '.bd-sidebar-primary a', '.bd-sidebar-secondary a', 'section > section ~ section'].map((which) => {
      const element = document.querySelector(which);
      return Boolean(element?.checkVisibility({contentVisibilityAuto: false, visibilityProperty: true}));
    })]);
  new MutationObserver((seen) => seen.forEach(count))
    .observe(document, {subtree: true, attributes: true, attributeFilter: ['data-opening']});
}"""
STANDS = """() => [...document.querySelectorAll('.bd-article > section > *, .bd-sidebar-primary > *, footer')]
  .map((e) => getComputedStyle(e))
  .filter((style) => style.contentVisibility === 'hidden' || style.visibility === 'hidden').length"""
NEAR = """() => [...document.querySelectorAll('.bd-article *')]
  .filter((e) => e.checkVisibility({contentVisibilityAuto: true})).length"""


def test_a_chapter_opens_from_its_title_to_its_contents(context, bases):
    tab = context.new_page()
    tab.add_init_script(f"({WATCH})()")
    tab.goto(bases["http"] + CHAPTER)
    tab.wait_for_function("() => steps.length && !document.documentElement.dataset.opening")
    steps = tab.evaluate("steps")
    assert [name for name, _ in steps] == [*"123456789", "10", "all"]
    shown = dict(steps)
    assert shown["9"][:3] == [True] * 3 and shown["all"] == [True] * 5
    assert shown["2"][2:] == shown["7"][2:] == [False] * 3 and shown["8"][4]  # one section, then the others
    assert tab.evaluate(STANDS) == 0
    tab.close()


def test_who_comes_by_a_link_to_a_place_arrives_there(open_tab):
    tab = open_tab("http", f"{CHAPTER}#by-hand")
    at_rest(tab)
    assert abs(tab.evaluate("document.getElementById('by-hand').getBoundingClientRect().top")) < 120
    assert tab.evaluate(STANDS) == 0


def test_a_link_deep_into_a_chapter_arrives(open_tab, site):
    """What lies above is laid out only then, so the first jump may end a thousand pixels away."""
    links = (site / "book" / "errata.html").read_text(encoding="utf8").split('href="../')
    links = sorted({link.partition('"')[0] for link in links if link.partition('"')[0].count("#cell-")})
    for link in links[::60]:
        tab = open_tab("http", link)
        tab.wait_for_function(
            "() => { const box = document.getElementById(location.hash.slice(1)).getBoundingClientRect();"
            " return box.top >= 0 && box.top < innerHeight; }"
        )
        tab.close()


@pytest.mark.parametrize("page", ["book/index.html", CHAPTER])
def test_without_scripts_and_on_paper_nothing_is_hidden(page, open_tab):
    tab = open_tab("file", page, javascript=False)
    assert tab.get_attribute("html", "data-opening") is None
    assert (
        tab.locator(".bd-article h1").is_visible() and tab.locator(".bd-sidebar-primary a").first.is_visible()
    )
    tab = open_tab("file", page)
    tab.evaluate("document.documentElement.dataset.opening = '1'")
    assert tab.evaluate(STANDS) > 2
    tab.emulate_media(media="print")
    assert tab.evaluate(
        "[...document.querySelectorAll('.bd-article section')]"
        ".every((e) => getComputedStyle(e).contentVisibility === 'visible')"
    )


@pytest.mark.parametrize(
    "page", ["notebooks/01_neuron.html", "notebooks/11_attention.html", CHAPTER, "book/errata.html", API]
)
def test_a_page_lays_out_little_at_first(page, open_tab):
    """What holds the main thread is what is laid out; a count of elements does not depend on the machine."""
    tab = open_tab("http", page, built=False)
    assert tab.evaluate(NEAR) < 1500, "elements in the window or near it"


BUILT = "() => [...document.querySelectorAll('live-figure')].map((e) => !!e.querySelector('.live-panel'))"


def test_live_figures_are_read_one_at_a_time_and_built_when_they_come_near(open_tab):
    """The controls of a far one would make the browser, which looks for forms, lay out its section."""
    tab = open_tab("http", CHAPTER, built=False)
    assert tab.evaluate("Live.waits()") is False
    assert tab.evaluate("[...document.querySelectorAll('live-figure')].every((e) => e.woken)")
    assert tab.evaluate(BUILT) == [False, False]
    first = tab.locator("live-figure").first  # (the other is within a fold)
    first.scroll_into_view_if_needed()
    first.locator(".live-panel").wait_for()
    assert tab.evaluate(BUILT) == [True, False]
    tab.evaluate("location.hash = 'live=machine_by_hand'")  # a link to it, followed on the page itself
    tab.locator("live-figure .live-panel").last.wait_for()
    tab.wait_for_function(f"() => ({BUILT})().every((built) => built)")


FAR = "() => far && !far.length && document.querySelector('.laid-out')"  # all that is far was looked at
SEEN = """() => [...document.querySelectorAll('.bd-article > section > section')]
  .filter((e) => getComputedStyle(e).contentVisibility !== 'visible').length"""


def test_in_the_meantime_all_of_a_page_is_laid_out_and_a_picture_of_it_shows_it(open_tab):
    tab = open_tab("http", "notebooks/23_inside_the_model.html", built=False)
    tab.wait_for_function(FAR)
    assert tab.evaluate(SEEN) == 0
    # (With full_page, playwright makes the window one pixel wide and wide again.)
    picture = Image.open(io.BytesIO(tab.screenshot(full_page=True))).convert("L")
    width, height = picture.size
    bands = picture.crop((width // 4, 0, 3 * width // 4, height)).reduce((1, 50))
    lines = [bands.crop((0, y, bands.width, y + 1)).getextrema() for y in range(bands.height)]
    blank = [low == high for low, high in lines]
    longest = max(len(run) for run in "".join("x" if b else " " for b in blank).split(" "))
    assert height > 10_000 and longest < 16, "no window (900 pixels) of it is blank"
    assert tab.evaluate(SEEN) == 0
    for way in ("code", "all"):
        tab.evaluate(f"document.querySelector('.modes button[data-way={way}]').click()")
    assert tab.evaluate("document.querySelectorAll('.laid-out').length") == 0, "a change undoes it"
    tab.wait_for_function(FAR)
    assert tab.evaluate(SEEN) == 0


def test_what_is_read_stays_where_it_is_while_the_rest_is_laid_out(open_tab):
    tab = open_tab("http", f"{CHAPTER}#in-code", built=False)
    top = "document.getElementById('in-code').getBoundingClientRect().top"
    tab.wait_for_function(f"() => Math.abs({top}) < 120")
    before = tab.evaluate(top)
    tab.wait_for_function(FAR)
    assert abs(tab.evaluate(top) - before) < 3


LETTERS = """() => document.fonts.addEventListener('loadingdone', ({fontfaces}) => {
  const late = Boolean(document.querySelector('.laid-out'));
  (window.letters ??= []).push(...fontfaces.map(({family}) => [family, late]));
})"""


@pytest.mark.parametrize("page", ["notebooks/05_memory.html", "notebooks/13_feed_forward.html"])
def test_no_letters_come_once_the_far_parts_are_laid_out(context, bases, page):
    """After letters that come late all text is laid out anew: the formulas have theirs before that."""
    tab = context.new_page()
    tab.add_init_script(f"({LETTERS})()")
    tab.goto(bases["http"] + page)
    tab.wait_for_function(FAR)
    letters = dict(tab.evaluate("letters"))
    assert not any(letters.values())
    assert {"KaTeX_Main", "KaTeX_Math", "KaTeX_Size1", "KaTeX_Size2", "Source Sans"} <= set(letters)
    tab.close()
