"""How plots and tables look on a page that is open: the scripts that measure them."""

# The size of each label on the screen, in pixels; an index belongs to the letter that it stands at.
LABELS = """async () => {
  const small = [], pictures = [...document.querySelectorAll('img.plot')].filter(i => i.offsetParent);
  const drawings = [];
  for (const image of pictures) {
    image.loading = 'eager';  // (one that is far away has no address yet)
    await image.decode();
    const file = await (await fetch(image.currentSrc)).text();
    const drawn = new DOMParser().parseFromString(file, 'image/svg+xml');
    drawings.push([image, document.importNode(drawn.documentElement, true)]);
  }
  const widths = pictures.map(image => image.getBoundingClientRect().width);
  document.body.append(...drawings.map(([, svg]) => svg));  // together: the page is laid out once
  for (const [k, [image, svg]] of drawings.entries()) {
    const scale = widths[k] / svg.viewBox.baseVal.width;
    for (const text of svg.querySelectorAll('text')) {
      const sizes = [text, ...text.querySelectorAll('tspan')].filter(e => e.style.fontSize || e.style.font);
      const all = sizes.map(e => parseFloat(getComputedStyle(e).fontSize));
      const number = /^[-−.\\d×e]+$/.test(text.textContent.trim());
      const size = scale * (number ? Math.min(...all) : Math.max(...all));
      if (size < 11) small.push([image.alt.slice(0, 40), text.textContent, size]);
    }
  }
  drawings.forEach(([, svg]) => svg.remove());
  return [pictures.length, small];
}"""
PLOTS = """() => [...document.querySelectorAll('img.plot')].filter(i => i.offsetParent)
  .map(i => [new URL(i.src).hash, getComputedStyle(i).filter, getComputedStyle(i).backgroundColor])"""
# The one plot that a phone has to scroll although it was laid out for it: twenty named rows and columns.
SQUARE = "Confusion table of 19 faults and of heal"
SCROLLED = """() => [...document.querySelectorAll('picture > img.plot')].filter(i => i.offsetParent)
  .filter(i => i.getBoundingClientRect().width > i.closest('.cell_output').clientWidth + 1)
  .map(i => i.alt.slice(0, 40))"""
CUT = """() => [...document.querySelectorAll('.bd-article div.math')].filter(e => e.offsetParent)
  .filter(e => e.firstElementChild.getBoundingClientRect().left < e.getBoundingClientRect().left - 1)
  .map(e => e.textContent.slice(0, 40))"""
# How many tables with many columns go on to the right at 390 pixels; all others fit (there were 126).
SCROLLED_TABLES = {
    "book/errata.html": 1,
    "book/notation.html": 2,
    "book/scale.html": 1,
    "book/status.html": 3,
    "book/zoo.html": 4,
    "notebooks/02_learning.html": 1,
    "notebooks/03_scores_to_probabilities.html": 1,
    "notebooks/07_bpe.html": 1,
    "notebooks/08_embeddings.html": 3,
    "notebooks/10_positions.html": 2,
    "notebooks/11_attention.html": 1,
    "notebooks/13_feed_forward.html": 5,
    "notebooks/14_residuals_and_norms.html": 2,
    "notebooks/15_the_whole_model.html": 4,
    "notebooks/16_one_step_every_number.html": 5,
    "notebooks/17_three_families.html": 1,
    "notebooks/19_when_training_fails.html": 1,
    "notebooks/20_training_at_scale.html": 1,
    "notebooks/21_sampling.html": 1,
    "notebooks/23_inside_the_model.html": 3,
    "notebooks/24_real_checkpoints.html": 2,
}
BOOK = ["book/notation.html", "book/scale.html", "book/status.html", "book/zoo.html", "book/errata.html"]
CUT_OFF = """() => {
  const folds = [...document.querySelectorAll('article details:not([open])')];
  folds.forEach((fold) => { fold.open = true; });
  const found = [];
  for (const table of document.querySelectorAll('article table')) {
    if (!table.checkVisibility()) continue;
    for (let e = table; e.tagName !== 'ARTICLE'; e = e.parentElement) {
      if (getComputedStyle(e).overflowX !== 'visible' && e.scrollWidth > e.clientWidth + 1) {
        found.push(`${e.className}: ${e.scrollWidth} in ${e.clientWidth}`);
        break;
      }
    }
  }
  folds.forEach((fold) => { fold.open = false; });
  return found;
}"""
# Formulas in a line of text that go on beyond the page, where nothing can be scrolled; folded ones included.
CUT_IN_LINE = """() => {
  const folds = [...document.querySelectorAll('article details:not([open])')];
  folds.forEach((fold) => { fold.open = true; });
  const found = [...document.querySelectorAll('article span.math .katex')].filter(e => e.checkVisibility())
    .filter(e => !e.closest('table') && e.getBoundingClientRect().right > innerWidth + 1)
    .map(e => e.querySelector('annotation').textContent.slice(0, 60));
  folds.forEach((fold) => { fold.open = false; });
  return found;
}"""
# Displayed formulas of which a phone shows less than 68% of the width.
TOO_WIDE = """() => [...document.querySelectorAll('article div.math')].filter(e => e.offsetParent)
  .filter(e => !e.style.fontSize && e.clientWidth < 0.68 * e.scrollWidth)
  .map(e => [e.querySelector('annotation').textContent.slice(0, 60), e.scrollWidth])"""
# How many pixels of which displayed formula are out of sight, folded ones included.
WIDE_FORMULAS = """() => {
  const folds = [...document.querySelectorAll('article details:not([open])')];
  folds.forEach((fold) => { fold.open = true; });
  const found = [...document.querySelectorAll('article div.math')].filter(e => e.checkVisibility())
    .map(e => [e.querySelector('annotation').textContent.slice(0, 60), e.scrollWidth - e.clientWidth])
    .filter(([, hidden]) => hidden > 1);
  folds.forEach((fold) => { fold.open = false; });
  return found;
}"""
# Set when the page has nothing else to do.
KEYBOARD = """() => [...document.querySelectorAll('article table:not(live-figure table)')]
  .map(e => e.closest('.pst-scrollable-table-container, .cell_output') || e)
  .every(box => box.scrollWidth <= box.clientWidth + 1 || box.tabIndex === 0)"""
