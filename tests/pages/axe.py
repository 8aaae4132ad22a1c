"""What a page looks like when it is ready: its formulas, and what axe finds."""

from axe_playwright_python.sync_playwright import Axe

MATH = """() => ({
  typeset: document.querySelectorAll('.math > .katex, .math > :is(.katex-display, .math-rows)').length,
  wanted: document.querySelectorAll('.math').length,
  errors: [...document.querySelectorAll('.math:not(:has(.katex)), .katex-error')]
    .map(e => e.outerHTML.slice(0, 200)),
})"""
RULES = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]},
    "resultTypes": ["violations"],  # of the others one place each, instead of a description of every place
    # Only the rules of sounds and of a turned phone ask for files again: there are no sounds, and the other
    # is no rule of these. (A page that is a file may ask for none, and would complain.)
    "preload": False,
}
IN_THE_DARK = ["book/index.html", "book/playground.html", "book/status.html", "notebooks/21_sampling.html"]
# A theme fades in: the colours of its first frame are still those of the other.
FADED_IN = """async () => {
  for (const frame of [1, 2]) await new Promise((done) => requestAnimationFrame(done));
  const fading = document.getAnimations().filter((a) => a instanceof CSSTransition);
  await Promise.race([  // what is not laid out never ends
    Promise.allSettled(fading.map((a) => a.finished)), new Promise((done) => setTimeout(done, 1000))]);
}"""
# A page has ten thousand texts in some hundred combinations of ink, size, weight and what is behind them (the
# backgrounds, opacities and positions of all that they stand in). The contrast of each combination is looked
# at in two places: on the whole page, before anything is taken away from it. So is how a link differs from
# the words around it, for each combination of its own style and theirs.
MARK = """() => {
  const times = new Map(), known = new Map([[null, '']]);
  const behind = (e) => {
    if (!known.has(e)) {
      const s = getComputedStyle(e);
      const own = [s.backgroundColor.replace('rgba(0, 0, 0, 0)', ''), s.backgroundImage.replace('none', ''),
        s.opacity.replace(/^1$/, ''), s.filter.replace('none', ''),
        /static|relative/.test(s.position) ? '' : s.position + e.className].join('');
      known.set(e, behind(e.parentElement) + (own && `|${own}`));
    }
    return known.get(e);
  };
  document.querySelectorAll('body *').forEach(e => {
    const field = e.matches('input, select, textarea');
    if (!field && ![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) return;
    if (!e.checkVisibility() || e.closest('script, style, svg')) return;
    const s = getComputedStyle(e), size = parseFloat(s.fontSize), bold = s.fontWeight >= 700;
    const key = [behind(e), s.color, size >= (bold ? 18.6 : 24), s.textShadow, s.visibility].join(';');
    times.set(key, (times.get(key) || 0) + 1);
    if (field || times.get(key) <= 2) e.dataset.contrast = '';
    const link = e.closest('a[href]'), around = link && getComputedStyle(link.parentElement);
    if (!link || 'link' in link.dataset) return;
    const own = getComputedStyle(link);
    const look = ['link', key, own.textDecorationLine, own.borderBottom, own.fontWeight, own.fontStyle,
      link.parentElement.tagName, around.color, around.fontWeight, around.display].join(';');
    times.set(look, (times.get(look) || 0) + 1);
    if (times.get(look) <= 2) link.dataset.link = '';
  });
  return times.size;
}"""
# axe walks through everything, and a chapter has ten thousands of pen strokes (formulas; their text stays)
# and of bits of code. All formulas, code, tables, their rows, claims and the entries of the reference are
# laid out alike: the first ones stand for all, next to those whose contrast is looked at. Live figures stay
# whole.
THIN_OUT = """() => {
  const marks = '[data-contrast], [data-link]', marked = (e) => e.matches(marks) || e.querySelector(marks);
  const all = (which) => [...document.querySelectorAll(which)].filter(e => !e.closest('live-figure'));
  const thin = (elements, out) => elements.forEach(e => marked(e) || out(e));
  thin(all('.katex-html'), e => e.replaceChildren());
  thin(all('math').slice(12), e => e.replaceChildren(e.textContent));
  thin(all('div.highlight').slice(4), e => e.replaceChildren());
  thin(all('ol.claims > li:nth-child(n+9)'), e => e.remove());
  thin(all('tbody > tr:nth-child(n+7):not([style])'),
    e => e.querySelector('[style*="color"], input, button, a') || e.remove());
  thin(all('.cell_output table.table').slice(6), e => e.remove());
  for (const kind of ['class', 'exception', 'function', 'method', 'attribute', 'property']) {
    thin(all(`dl.py.${kind}`).slice(8), e => e.remove());
  }
}"""
UNMARK = """() => {
  for (const e of document.querySelectorAll('[data-contrast], [data-link]')) {
    delete e.dataset.contrast;
    delete e.dataset.link;
  }
}"""
# The two rules that look at colours alone, in the places above.
AT_THE_MARKS = """axe.configure({rules: [
  {id: 'color-contrast', selector: '[data-contrast]'},
  {id: 'link-in-text-block', selector: '[data-link]'},
]});"""


LAID_OUT = """(all) => {
  const sheet = window.laidOut ||= new CSSStyleSheet();
  sheet.replaceSync('.bd-article * { content-visibility: visible !important; }');
  document.adoptedStyleSheets = all ? [sheet] : [];
}"""


def lay_out(tab, all=True):
    """Lay out the whole page: what is far away has no sizes yet, and not yet the colours of another theme."""
    tab.evaluate(LAID_OUT, all)


def show_theme(tab, scheme):
    """The colours of a theme, when they have faded in."""
    tab.emulate_media(color_scheme=scheme)
    # Playwright takes the promise of a false for true: what waits and what is asked are two calls.
    tab.wait_for_function("scheme => document.documentElement.dataset.theme === scheme", arg=scheme)
    tab.evaluate(FADED_IN)


def settle(tab):
    """What became of the formulas, which were set when the pages were built."""
    return tab.evaluate(MATH)


def findings(tab):
    """What axe calls serious or critical: the rule, and the first place."""
    settle(tab)
    # Whoever goes by the keyboard reaches every box that scrolls.
    tab.evaluate("() => dispatchEvent(new KeyboardEvent('keydown', {key: 'Tab'}))")
    # (It is known when a page that draws frames has nothing else to do.)
    tab.wait_for_function("() => document.documentElement.dataset.boxes === 'known'", polling="raf")
    assert tab.evaluate(MARK) > 5
    tab.evaluate(THIN_OUT)
    axe = Axe()
    axe.axe_script += AT_THE_MARKS
    result = axe.run(tab, options=RULES).response
    tab.evaluate(UNMARK)  # a live figure is compared with itself, letter by letter
    assert {"color-contrast", "link-name"} <= {rule["id"] for rule in result["passes"]}, (
        "axe looked at nothing"
    )
    grave = [v for v in result["violations"] if v["impact"] in ("serious", "critical")]
    return [(v["id"], len(v["nodes"]), v["nodes"][0]["html"][:120]) for v in grave]
