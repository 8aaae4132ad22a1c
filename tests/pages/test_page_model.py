"""The model in the page is the model of the zoo: in Chromium every number equals PyTorch's, and quick."""

import base64
import itertools
import json
import random
import re
from pathlib import Path

import lean_pages
import numpy as np
import pytest
import torch

from support import zoo
from support.exchange.web_export import SHIPPED, rounded
from support.generation import next_token
from support.inside import ablate, logit_lens, trace
from support.view.live.registry import HERE

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "_build" / "html"
ASSETS = ("controls.js", "model.js", "prompt.js")
PAGE = "book/playground.html"
# One answer for many cases: all that a reading leaves, as float32 in base64.
READ = """async ([name, cases]) => {
  const model = await PageModel.load(name), {n_layers, n_heads} = model.config;
  const reader = new PageModel.Reader(model);  // one for all, so that what it keeps is tested, too
  return cases.map(([ids, off]) => {
    reader.read(ids, off);
    const all = [];
    ids.forEach((_, at) => {
      all.push(...reader.logitsAt(at));
      for (let stage = 0; stage <= 2 * n_layers; stage++) {
        all.push(...reader.stream(stage, at), ...reader.lens(stage, at));
      }
      for (let layer = 0; layer < n_layers; layer++) {
        const d = model.config.d_model, here = (array) => array[layer].subarray(at * d, (at + 1) * d);
        all.push(...here(reader.attention), ...here(reader.feedForward));
        for (let h = 0; h < n_heads; h++) {
          const later = new Float32Array(ids.length - at - 1);
          all.push(...reader.head(layer, h, at), ...reader.pattern(layer, h, at), ...later);
        }
      }
    });
    const bytes = new Uint8Array(Float32Array.from(all).buffer), letters = [], n = 8192;
    for (let i = 0; i < bytes.length; i += n) letters.push(String.fromCharCode(...bytes.subarray(i, i + n)));
    return btoa(letters.join(""));
  });
}"""


def expected(model, ids, off):
    """The same numbers in the same order, from `support.inside`."""
    with ablate(model, **off):
        seen = trace(model, ids)
        lens = logit_lens(model, seen)[:, 0]
    columns = []
    for at in range(len(ids)):
        columns.append(seen.logits[0, at])
        for stage in range(len(seen.streams)):
            columns += [seen.streams[stage, 0, at], lens[stage, at]]
        for layer in range(len(seen.attention)):
            columns += [seen.attention[layer, 0, at], seen.feed_forward[layer, 0, at]]
            for head in range(seen.heads.shape[2]):
                columns += [seen.heads[layer, 0, head, at], seen.patterns[layer, 0, head, at]]
    return torch.cat(columns).double().numpy()


def cases(name, count, longest, seed=0):
    """Real texts broken off anywhere, and nonsense; nothing switched off, one part, or several."""
    dice, entry = random.Random(seed), zoo.load(name)
    config, encode = entry.model.config, entry.vocabulary.encode
    layers, heads = range(config.n_layers), range(config.n_heads)
    single = [{"heads": [pair]} for pair in itertools.product(layers, heads)]
    single += [{"attention": [layer]} for layer in layers] + [{"feed_forward": [layer]} for layer in layers]
    texts = entry.world.sample(count, seed=500 + seed)
    for number, text in enumerate(texts):
        n = dice.randint(1, min(longest, len(text)))
        ids = encode(text[:n])
        if number % 4 == 3:
            ids = [dice.randrange(config.vocab_size) for _ in range(dice.randint(1, longest))]
        off = {}
        if number % 5 in (1, 2):
            off = single[number % len(single)]
        elif number % 5 > 2:
            some = dice.sample(list(itertools.product(layers, heads)), dice.randint(0, 5))
            off = {"heads": some, "attention": dice.sample(layers, dice.randint(0, 1))}
            off |= {"feed_forward": dice.sample(layers, dice.randint(0, config.n_layers))}
        yield ids, off


@pytest.fixture(scope="module")
def tab(visits):
    return visits("file", PAGE)


@pytest.mark.parametrize("name, count, longest", [("calling-game", 80, 24), ("stories", 12, 20)])
def test_every_number_equals_pytorchs(tab, name, count, longest):
    model = rounded(zoo.load(name).model, SHIPPED[name])
    exact = rounded(zoo.load(name).model, SHIPPED[name]).double()
    asked, numbers, worst, worst_exact = list(cases(name, count, longest)), 0, 0.0, 0.0
    full = model.config.context
    asked.append(([i % model.config.vocab_size for i in range(1, full + 1)], {}))  # as long as can be
    for start in range(0, len(asked), 20):
        some = asked[start : start + 20]
        for (ids, off), letters in zip(some, tab.evaluate(READ, [name, some]), strict=True):
            got = np.frombuffer(base64.b64decode(letters), dtype="<f4").astype(np.float64)
            want = expected(model, ids, off)
            assert got.shape == want.shape
            masked = np.isneginf(want)
            assert np.array_equal(np.isneginf(got), masked)
            scale = np.maximum(1, np.abs(want[~masked]))
            apart = np.abs(got[~masked] - want[~masked])
            worst = max(worst, apart.max())
            numbers += got.size
            if start % 40 == 0:  # half of the cases beside double precision as well
                apart = np.abs(got[~masked] - expected(exact, ids, off)[~masked]) / scale
                worst_exact = max(worst_exact, apart.max())
    print(f"{name}: {len(asked)} cases, {numbers} numbers, largest difference {worst:.1e}")
    print(f"  beside double precision, relative, after rounding to float32: {worst_exact:.1e}")
    assert worst < 1e-4
    assert worst_exact < 1e-6


def test_what_a_reader_keeps_changes_nothing(tab):
    """A reading that goes on from an earlier one gives what a fresh one gives, with any mask."""
    script = """async (cases) => {
      const model = await PageModel.load("calling-game"), kept = new PageModel.Reader(model);
      return cases.every(([ids, off]) => {
        const fresh = new PageModel.Reader(model).read(ids, off);
        kept.read(ids, off);
        return ids.every((_, at) => fresh.logitsAt(at).every((z, i) => Object.is(z, kept.logitsAt(at)[i])));
      });
    }"""
    dice = random.Random(3)
    some = [[[1, *dice.choices(range(3, 6), k=dice.randint(0, 5))], off] for off in ({}, {"attention": [1]})]
    some = [[[1, *dice.choices(range(3, 6), k=dice.randint(0, 5))], dice.choice(some)[1]] for _ in range(200)]
    assert tab.evaluate(script, some)


@pytest.mark.parametrize("ids", [[], [28], [-1], [1.5], [None], [1] * 75])
def test_ids_that_no_model_reads_are_refused(tab, ids):
    script = """async (ids) => {
      const reader = new PageModel.Reader(await PageModel.load("calling-game"));
      try { reader.read(ids); return "read"; } catch (error) { return error.name; }
    }"""
    assert tab.evaluate(script, ids) == "RangeError"


def test_the_page_of_next_words_is_that_of_next_token(tab):
    dice, generator = random.Random(1), torch.Generator().manual_seed(1)
    asked: list = []
    for number in range(300):
        width = dice.choice([2, 5, 28])
        logits = torch.randn(width, generator=generator, dtype=torch.float64) * dice.choice([0.1, 1, 6])
        if number % 3 == 0:
            logits = logits.round()  # ties
        sampling = {"temperature": dice.choice([0.1, 0.5, 1, 1.7, 3])}
        sampling |= {
            "top_k": dice.choice([None, 1, 2, 5, 27, 40]),
            "top_p": dice.choice([None, 0.05, 0.33, 0.9, 1]),
        }
        asked.append((logits, sampling))
    script = """cases => cases.map(([logits, t, k, p]) =>
      [...PageModel.nextToken(logits, {temperature: t, topK: k, topP: p})])"""
    got = tab.evaluate(script, [[z.tolist(), *sampling.values()] for z, sampling in asked])
    worst = max(
        (next_token(z, **sampling) - torch.tensor(probabilities, dtype=torch.float64)).abs().max().item()
        for (z, sampling), probabilities in zip(asked, got, strict=True)
    )
    print(f"{len(asked)} distributions, largest difference {worst:.1e}")
    assert worst < 1e-12


def test_the_error_function_is_torchs(tab):
    x = torch.linspace(-7, 7, 1401, dtype=torch.float64)
    got = torch.tensor(tab.evaluate("xs => xs.map(PageModel.erf)", x.tolist()), dtype=torch.float64)
    assert (got - torch.erf(x)).abs().max() < 1e-14


def test_the_first_prediction_comes_at_once_and_so_does_every_update(browser, bases):
    """Generous bounds, and the best of several tries, for a busy machine; the figures are printed."""
    first, updates = [], []
    while len(first) < 10 and min(first, default=600) >= 600:
        context = browser.new_context()
        tab = context.new_page()
        tab.goto(bases["http"] + "book/index.html")
        tab.wait_for_selector("live-figure .live-panel")
        first.append(tab.evaluate("performance.getEntriesByName('live:first')[0].duration"))
        context.close()
    context = browser.new_context()
    tab = context.new_page()
    tab.goto(bases["http"] + PAGE)
    for element in tab.query_selector_all("live-figure"):
        spec = json.loads(element.query_selector("script.live-spec").text_content())
        if spec.get("model") != "calling-game":
            continue
        element.scroll_into_view_if_needed()
        element.wait_for_selector(".live-panel")
        measure = """async e => {
            const texts = ['5 chiama 2 2 chiama Paolo', 'Pietro chiama Paolo Tarso', '7 chiama'];
            const inputs = [...e.querySelectorAll('.live-control :is(input, select)')], took = [];
            for (let k = 0; k < 60; k++) {
              const input = inputs[k % inputs.length], turn = Math.floor(k / inputs.length);
              if (input.type === 'checkbox') input.checked = !input.checked;
              else if (input.type === 'range') input.value = +input.min + (turn % 4) * input.step;
              else if (input.tagName === 'SELECT') input.selectedIndex = turn % input.options.length;
              else input.value = texts[turn % 3];
              const start = performance.now();
              input.dispatchEvent(new Event('input', {bubbles: true}));
              e.getBoundingClientRect();  // and the layout that follows
              took.push(performance.now() - start);
              await new Promise(requestAnimationFrame);
            }
            return took.slice(12).sort((a, b) => a - b);
          }"""
        took, tries = element.evaluate(measure), 1
        while took[0] >= 32 and tries < 5:  # (something else had the processor)
            took, tries = element.evaluate(measure), tries + 1
        updates.append((spec["name"], took[0], took[len(took) // 2]))
    context.close()
    print("first prediction, ms after the script's start:", [round(t) for t in first])
    for name, undisturbed, middle in updates:
        print(f"update of {name}: the fastest {undisturbed:.1f} ms, median {middle:.1f} ms")
    assert min(first) < 600
    assert len(updates) == 8 and all(undisturbed < 32 for _, undisturbed, _ in updates)


def test_a_model_loads_only_when_it_is_wanted(browser, bases, site):
    context = browser.new_context(viewport={"width": 1280, "height": 700})
    tab, asked = context.new_page(), []
    style = (site / "_static" / "live.css").read_text(encoding="utf8")
    far = style + ".bd-article h1 { margin-bottom: 3000px !important; }"  # no figure is near at first
    tab.route("**/live.css*", lambda route: route.fulfill(body=far, content_type="text/css"))
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(bases["http"] + PAGE, wait_until="load")
    tab.wait_for_timeout(300)
    assert not [url for url in asked if "_models" in url]
    tab.locator("live-figure").first.scroll_into_view_if_needed()
    tab.wait_for_function("() => document.querySelectorAll('live-figure .live-rank').length")
    build = (site / "build.txt").read_text(encoding="utf8").strip()
    assert build in tab.locator("meta[name=build]").get_attribute("content")
    first, second = f"calling-game.js?{build}", f"stories.js?{build}"  # never an old model with a new page
    assert {url.rsplit("/", 1)[1] for url in asked if "_models" in url} == {first}
    asking = tab.locator(".live-ask").count()
    tab.locator(".live-ask").first.click()
    tab.wait_for_function("n => document.querySelectorAll('.live-ask').length < n", arg=asking)
    assert [url.rsplit("/", 1)[1] for url in asked if "_models" in url] == [first, second]
    context.close()
    by_default = (site / "_models" / "calling-game.js").stat().st_size
    text = (site / PAGE).read_text(encoding="utf8")
    names = re.findall(r'<script defer src="\.\./(_static/[^"]+)"', text)
    scripts = sum((site / name).stat().st_size for name in names)
    print(f"by default {by_default} bytes of model and {scripts} of scripts; stories.js on a press")
    assert by_default + scripts < 1_000_000


def test_a_model_that_does_not_come_leaves_the_still_picture(browser, bases):
    context = browser.new_context()
    tab = context.new_page()
    tab.route("**/_models/*", lambda route: route.abort())
    tab.goto(bases["http"] + "book/index.html")
    tab.wait_for_selector("live-figure .live-trouble")
    assert tab.locator("live-figure .live-still img").first.is_visible()
    assert "still picture" in tab.locator(".live-trouble").inner_text()
    context.close()


@pytest.mark.parametrize(
    "name", [*ASSETS, *sorted(str(path.relative_to(HERE)) for path in HERE.rglob("*.js"))]
)
def test_the_scripts_are_small_and_have_no_way_to_make_html_of_a_text(name):
    source = ROOT / "book" / "assets" if name in ASSETS else HERE
    script = (source / name).read_text(encoding="utf8")
    ways = r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|new Function"
    ways += r"|fetch\(|XMLHttp|\bimport\b|https?:"
    assert re.findall(ways, re.sub(r"//.*", "", script)) == []
    assert len(script) < 20_000
    served = [path.read_text(encoding="utf8") for path in (SITE / "_static").glob("*.js")]
    assert any(lean_pages.script_of(source / name) in text for text in served), "all but lines of comments"
