"""How tall a page is before it is read, and the room above its headings."""

import pytest
from test_pages import CHAPTERS

API = [f"book/{name}.html" for name in ("api", "api_model", "api_assistant", "api_view")]
OPENED = "() => document.readyState === 'complete' && !document.documentElement.dataset.opening"
HEIGHT = "() => document.querySelector('.bd-article').getBoundingClientRect().height"
ALL = """async () => {
  const rule = '.bd-article * { content-visibility: visible !important; }';
  document.head.append(Object.assign(document.createElement('style'), {textContent: rule}));
  window.Live?.buildAll();
  await new Promise((done) => setTimeout(done, 400));
}"""
# The room above each heading, and whether another heading stands above it; with sections laid out apart.
GAPS = """async () => {
  const rule = `.bd-article * { content-visibility: visible !important; }
    .bd-article > section > section, .bd-article > section > section > section {
      contain: layout style paint; }`;
  document.head.append(Object.assign(document.createElement('style'), {textContent: rule}));
  await new Promise((done) => setTimeout(done, 400));
  const shown = (part) => part.getClientRects().length;
  return [...document.querySelectorAll('.bd-article section > section')].filter(shown).map((part) => {
    let before = part.previousElementSibling;
    while (before && !shown(before)) before = before.previousElementSibling;
    const deep = part.id.startsWith('deeper-'), head = part.firstElementChild;
    const room = head.getBoundingClientRect().top - before.getBoundingClientRect().bottom;
    return [deep ? 'deeper' : head.localName, before.matches('h2, .deeper-says'), Math.round(room), part.id];
  });
}"""


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("page", [*CHAPTERS, *API])
def test_a_page_is_about_as_tall_before_it_is_read(open_tab, page, width):
    tab = open_tab("http", page, width=width, built=False)
    tab.wait_for_function(OPENED)
    first = tab.evaluate(HEIGHT)
    tab.evaluate(ALL)
    assert 0.85 < first / tab.evaluate(HEIGHT) < 1.15


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("page", [CHAPTERS[1], CHAPTERS[10], CHAPTERS[15], CHAPTERS[20], CHAPTERS[25]])
def test_the_room_above_headings_has_a_rhythm(open_tab, page, width):
    tab = open_tab("http", page, width=width, built=False)
    tab.wait_for_function(OPENED)
    rooms = {}
    for kind, follows, room, name in tab.evaluate(GAPS):
        rooms.setdefault((kind, follows), []).append((room, name))
    for kind, few in rooms.items():
        assert max(few)[0] - min(few)[0] <= 4, (kind, min(few), max(few))
    assert rooms[("h2", False)][0][0] > rooms[("h3", False)][0][0] + 8
    if between := rooms.get(("h3", True)):
        assert 14 <= between[0][0] <= 30, "a title and the one below it belong together"
