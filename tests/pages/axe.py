"""What a page looks like when it is ready: its formulas, and what axe finds."""

from axe_playwright_python.sync_playwright import Axe

MATH = """() => ({
  typeset: document.querySelectorAll('.math > .katex, .math > .katex-display').length,
  wanted: document.querySelectorAll('.math').length,
  errors: [...document.querySelectorAll('.math:not(:has(.katex)), .katex-error')]
    .map(e => e.outerHTML.slice(0, 200)),
})"""
RULES = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]},
    "resultTypes": ["violations"],  # of the others one place each, instead of a description of every place
}
IN_THE_DARK = ["book/index.html", "book/playground.html", "book/status.html", "notebooks/21_sampling.html"]
# axe walks through everything, and a chapter has ten thousands of pen strokes (formulas; their text stays)
# and of coloured bits of code. All code is coloured alike; claims, the rows of a table and the entries of the
# reference are laid out alike: the first ones stand for all. (Contrast costs the square of the places.)
THIN_OUT = """() => {
  document.querySelectorAll('.katex-html').forEach(e => e.replaceChildren());
  [...document.querySelectorAll('div.highlight')].slice(12).forEach(e => e.replaceChildren());
  document.querySelectorAll('ol.claims > li:nth-child(n+9)').forEach(e => e.remove());
  document.querySelectorAll('tbody > tr:nth-child(n+7):not([style], [class*="live"])').forEach(
    e => e.querySelector('[style*="color"], input, button, a') || e.remove());
  for (const kind of ['class', 'exception', 'function', 'method', 'attribute', 'property']) {
    [...document.querySelectorAll(`dl.py.${kind}`)].slice(8).forEach(e => e.remove());
  }
  return document.querySelectorAll('*').length;
}"""


def settle(tab):
    """What became of the formulas, which were set when the pages were built."""
    return tab.evaluate(MATH)


def findings(tab):
    """What axe calls serious or critical: the rule, and the first place."""
    settle(tab)
    # Whoever goes by the keyboard reaches every box that scrolls.
    tab.evaluate("() => dispatchEvent(new KeyboardEvent('keydown', {key: 'Tab'}))")
    tab.wait_for_function("() => document.documentElement.dataset.boxes === 'known'")
    tab.evaluate(THIN_OUT)
    result = Axe().run(tab, options=RULES).response
    assert result["passes"], "axe looked at nothing"
    grave = [v for v in result["violations"] if v["impact"] in ("serious", "critical")]
    return [(v["id"], len(v["nodes"]), v["nodes"][0]["html"][:120]) for v in grave]
