"""What a page looks like when it is ready: its formulas, and what axe finds."""

from axe_playwright_python.sync_playwright import Axe

MATH = """() => MathJax.startup.promise.then(() => ({
  typeset: document.querySelectorAll('mjx-container').length,
  wanted: document.querySelectorAll('.math').length,
  // an unknown command is no error to MathJax: it is shown in red
  errors: [...document.querySelectorAll('mjx-merror, [data-mjx-error], mjx-container [fill="red"]')]
    .map(e => e.textContent || e.title || e.outerHTML),
}))"""
RULES = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]},
    "resultTypes": ["violations"],  # of the others one place each, instead of a description of every place
}
IN_THE_DARK = ["book/index.html", "book/playground.html", "book/status.html", "notebooks/21_sampling.html"]
# axe walks through everything, and a chapter has ten thousands of pen strokes (formulas; their text stays)
# and of coloured bits of code. All code is coloured alike; claims, the rows of a table and the entries of the
# reference are laid out alike: the first ones stand for all. (Contrast costs the square of the places.)
THIN_OUT = """() => {
  document.querySelectorAll('mjx-container > svg').forEach(e => e.remove());
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
    """Wait until formulas are set; give what became of them."""
    if tab.evaluate("() => typeof MathJax !== 'undefined' && !!MathJax.startup"):
        return tab.evaluate(MATH)
    return {
        "typeset": 0,
        "wanted": tab.evaluate("() => document.querySelectorAll('.math').length"),
        "errors": [],
    }


def findings(tab):
    """What axe calls serious or critical: the rule, and the first place."""
    settle(tab)
    tab.evaluate(THIN_OUT)
    result = Axe().run(tab, options=RULES).response
    assert result["passes"], "axe looked at nothing"
    grave = [v for v in result["violations"] if v["impact"] in ("serious", "critical")]
    return [(v["id"], len(v["nodes"]), v["nodes"][0]["html"][:120]) for v in grave]
