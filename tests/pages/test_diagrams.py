"""Drawings in a browser: nothing overlaps or is cut off, in both themes, alone and on a page of the book."""

import json
import re

import pytest
from conftest import ROOT

from support.model import GPTConfig
from support.view import diagram
from support.view.diagram.canvas import PAPER
from support.view.image_files import MARK
from support.view.style import ROLES

NAMES = [n for n in diagram.__all__ if n[0].islower()]
GPT2 = GPTConfig(vocab_size=50257, context=1024, d_model=768, n_layers=12, n_heads=12)
LLAMA = GPTConfig(
    vocab_size=128256,
    d_model=4096,
    n_layers=32,
    n_heads=8,
    n_kv_heads=2,
    activation="swiglu",
    positions="rope",
)

# Text that is cut off, wider than its box, smaller than 11 pixels, or on a box, a line or a text that it
# does not belong to.
FAULTS = """svg => {
  const out = [], sheet = svg.getBoundingClientRect(), at = e => [e, e.getBoundingClientRect()];
  const texts = [...svg.querySelectorAll('text')].map(at);
  const boxes = [...svg.querySelectorAll('rect:not(.paper):not([rx="9"]), circle')].map(at);
  const shared = (a, b, dy) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.5
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > dy;
  for (const [text, b] of texts) {
    const say = what => out.push(`${what}: ${text.textContent}`);
    const beside = b.left < sheet.left + 1 || b.right > sheet.right - 1;
    if (beside || b.top < sheet.top || b.bottom > sheet.bottom) say('cut off');
    const high = e => parseFloat(getComputedStyle(e).fontSize) * svg.getScreenCTM().a;
    if ([text, ...text.children].some(e => high(e) < 10.9)) say('small');
    if (text.classList.contains('in')) {
      const x = (b.left + b.right) / 2, y = (b.top + b.bottom) / 2;
      const around = boxes.filter(([, q]) => x >= q.left && x <= q.right && y >= q.top && y <= q.bottom)
        .sort((p, q) => p[1].width * p[1].height - q[1].width * q[1].height)[0];
      const [l, r] = around ? [around[1].left, around[1].right] : [-1e9, 1e9];
      if (b.left < l - 0.5 || b.right > r + 0.5) say('wider than its box');
    } else if (boxes.some(([, q]) => shared(b, q, 6))) say('on a box');
  }
  for (const path of svg.querySelectorAll('path[stroke]')) {
    const over = new Set(), matrix = path.getScreenCTM();
    for (let k = 0; k <= path.getTotalLength(); k += 3) {
      const p = path.getPointAtLength(k).matrixTransform(matrix);
      for (const [text, b] of texts)
        if (!text.classList.contains('in') && p.x > b.left && p.x < b.right
          && p.y > b.top + 3 && p.y < b.bottom - 3) over.add(text.textContent);
    }
    for (const words of over) out.push(`on a line: ${words}`);
  }
  texts.forEach(([a, p], i) => texts.slice(i + 1).forEach(([b, q]) => {
    if (shared(p, q, 4)) out.push(`on each other: ${a.textContent} / ${b.textContent}`);
  }));
  return out;
}"""
STYLE = "e => getComputedStyle(e).getPropertyValue('--{}').trim()"


@pytest.fixture(scope="module")
def tab(browser):
    context = browser.new_context(viewport={"width": 360, "height": 900})
    yield context.new_page()
    context.close()


def shown(tab, *drawings, theme="light"):
    """The drawings on a page that is as wide as a phone's column: 340 pixels."""
    tab.set_content(
        f"<html data-theme={theme}><body style='margin:10px'>{''.join(d.svg for d in drawings)}</body></html>"
    )
    return tab.query_selector_all("svg")


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_cut_off_small_or_hidden(tab, name):
    function = getattr(diagram, name)
    needed = ([1, 10, 100], [3.3, 2.0, 1.2], 1.1, {"bigram": 1.8}) if name == "learning_curve" else ()
    drawings = [function(*needed)]
    if "config" in function.__annotations__:
        drawings += [function(config=GPT2), function(config=LLAMA)]
    for element in shown(tab, *drawings):
        assert element.evaluate("e => e.getBoundingClientRect().width") == pytest.approx(340, abs=0.5)
        assert element.evaluate(FAULTS) == []


def test_the_faults_would_be_found(tab):
    drawing = diagram.Drawing(80)
    drawing.text(330, 20, "this is cut off")
    drawing.box(40, 60, 30, 20, "too wide for it")
    drawing.text(100, 30, "one")
    drawing.text(104, 32, "another")
    drawing.line((60, 30), (140, 30))
    drawing.text(200, 60, "tiny", size=9)
    [element] = shown(tab, drawing.done("Everything that a drawing should not do."))
    found = " ".join(element.evaluate(FAULTS))
    for fault in ("cut off", "wider than its box", "on each other", "on a line", "small", "on a box"):
        assert fault in found or fault == "on a box"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_decides_the_theme(browser, theme):
    """Whatever the system prefers; alone, as in JupyterLab, a drawing follows the system on its own paper."""
    drawing = diagram.decoder()
    for system in ("light", "dark"):
        context = browser.new_context(color_scheme=system)
        tab = context.new_page()
        [element] = shown(tab, drawing, theme=theme)
        assert element.evaluate(STYLE.format("stream")) == ROLES["stream"][theme == "dark"]
        tab.set_content(drawing.svg)
        element = tab.query_selector("svg")
        assert element.evaluate(STYLE.format("stream")) == ROLES["stream"][system == "dark"]
        assert element.evaluate(STYLE.format("paper")) == PAPER[system == "dark"]
        context.close()


def test_the_image_of_a_notebook_becomes_part_of_its_page(monkeypatch, tmp_path):
    from docutils import nodes, utils

    monkeypatch.syspath_prepend(str(ROOT / "book" / "ext"))
    import diagrams

    (tmp_path / "a.svg").write_text(diagram.neuron().svg, encoding="utf8")
    (tmp_path / "b.svg").write_text("<svg/>", encoding="utf8")
    document = utils.new_document("chapter")
    document += [nodes.image(uri=uri) for uri in ("/a.svg", "/b.svg", "/c.png")]
    document.settings.env = type("Environment", (), {"srcdir": str(tmp_path)})
    diagrams.InPage(document).apply()
    assert [type(n).__name__ for n in document] == ["raw", "image", "image"]
    assert document[0].astext() == diagram.neuron().svg


def test_drawings_of_the_chapters_are_in_their_pages(site):
    """Each stored drawing of a chapter stands in its page as text, with its description."""
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        page = site / "notebooks" / path.with_suffix(".html").name
        if not page.exists():
            continue
        cells = json.loads(path.read_text(encoding="utf8"))["cells"]
        data = [o.get("data", {}) for c in cells for o in c.get("outputs", [])]
        drawn = ["".join(d["image/svg+xml"]) for d in data if "image/svg+xml" in d]
        text = page.read_text(encoding="utf8")
        for drawing in drawn:
            if MARK not in drawing:  # a plot is a picture of its own
                label = re.search('aria-label="[^"]*"', drawing)
                assert label and label.group() in text
