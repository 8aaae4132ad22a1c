"""What the playground sends before a figure is touched, counted in bytes: a busy machine says the same."""

import gzip
from pathlib import Path
from urllib.parse import unquote, urlsplit

PAGE = "book/playground.html"
LIMIT = 1_000_000  # bytes, on a host that compresses text
MOST = 25  # requests of a first view
PACKED = (".html", ".css", ".js", ".svg", ".json")


def sent(path):
    """Bytes of a file on a host that compresses text."""
    data = path.read_bytes()
    return len(gzip.compress(data, 6)) if path.suffix in PACKED else len(data)


def test_no_page_carries_a_still_picture(site):
    carriers = [p for p in site.rglob("*.html") if b'src="data:image/png' in p.read_bytes()]
    assert carriers == []


def test_the_playground_is_light_until_a_figure_is_touched(browser, bases, site):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    tab = context.new_page()
    asked = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(bases["http"] + PAGE, wait_until="load")
    tab.wait_for_selector("live-figure .live-panel")
    tab.wait_for_load_state("networkidle")
    context.close()
    paths = {unquote(urlsplit(url).path).lstrip("/") for url in asked if url.startswith(bases["http"])}
    sizes = {path: sent(site / path) for path in paths if (site / path).is_file()}
    assert PAGE in sizes and any(Path(path).parent.name == "_models" for path in sizes)
    assert len(asked) <= MOST, asked
    assert sum(sizes.values()) < LIMIT, sorted(sizes.items(), key=lambda item: -item[1])[:8]


def test_without_scripts_every_still_picture_comes(browser, bases):
    """A browser that runs no scripts waits for no picture to come near: it fetches them all."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, java_script_enabled=False)
    tab = context.new_page()
    tab.goto(bases["http"] + PAGE, wait_until="load")
    stills = tab.locator("live-figure .live-still img")
    shown = stills.evaluate_all("all => all.map((i) => [i.naturalWidth, i.naturalHeight])")
    kept = stills.evaluate_all("all => all.map((i) => ['width', 'height'].map((n) => +i.getAttribute(n)))")
    assert shown == kept and len(shown) > 10 and all(min(size) > 0 for size in shown)
    context.close()
