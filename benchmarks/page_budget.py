"""What a page costs a first visitor on a slow line and a slow processor: the table of the pages' budget.

    python benchmarks/page_budget.py                     # index and four chapters, of _build/html
    python benchmarks/page_budget.py book/errata.html    # others
    python benchmarks/page_budget.py --all --site DIR    # every page of another build
    python benchmarks/page_budget.py --all --visits 3    # the least that each page takes

Chromium with an empty cache, 1.6 Mbit/s with 150 ms to the host, the processor slowed four times (of a
machine that may itself be busy: take times as upper bounds, or make several --visits). The host compresses
text as every real one does; `plain` is what a host that does not would send. Nothing is touched and nothing
is scrolled. Columns: requests; kilobytes sent, compressed and plain; seconds to the first paint, to the DOM
and to rest; layout shift; the longest block of the main thread in milliseconds; bytes that a service worker
fetches unasked; height of the page in pixels.
"""

import argparse
import functools
import gzip
import http.server
import io
import json
import sys
import threading
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))
import chromium  # noqa: E402 - the tools are scripts

PAGES = ("book/index.html", "notebooks/01_neuron.html", "notebooks/11_attention.html")
PAGES += ("notebooks/18_training.html", "notebooks/23_inside_the_model.html", "book/errata.html")
LINE = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 94_000}
SLOWER = 4
PACKED = (".html", ".css", ".js", ".svg", ".json")
LIMITS = {"requests": 25, "kB": 1000, "paint": 2.5, "dom": 6.0, "shift": 0.05, "block": 200, "worker": 0}
WATCH = """() => {
  const budget = window.budget = {shift: 0, block: 0};
  const watch = (type, count) => new PerformanceObserver((list) => list.getEntries().forEach(count))
    .observe({type, buffered: true});
  watch("layout-shift", (e) => { if (!e.hadRecentInput) budget.shift += e.value; });
  watch("longtask", (e) => { budget.block = Math.max(budget.block, e.duration); });
}"""
READ = """() => {
  const [paint] = performance.getEntriesByName("first-contentful-paint");
  const [nav] = performance.getEntriesByType("navigation");
  return {paint: paint ? paint.startTime / 1000 : null, dom: nav.domContentLoadedEventEnd / 1000,
    rest: nav.loadEventEnd / 1000, shift: budget.shift, block: budget.block,
    height: document.documentElement.scrollHeight};
}"""


class Host(http.server.SimpleHTTPRequestHandler):
    """A static host that compresses text and counts what it sends, by where the request came from."""

    protocol_version = "HTTP/1.1"
    log: list[tuple[str, int, int]]

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def send_head(self) -> Any:
        """One file, compressed if it is text; noted as (address, bytes sent, bytes plain)."""
        path = Path(self.translate_path(self.path))
        if path.is_dir() or not path.exists():
            return super().send_head()
        plain = path.read_bytes()
        packs = path.suffix in PACKED and "gzip" in self.headers.get("Accept-Encoding", "")
        body = _packed(path, path.stat().st_mtime) if packs else plain
        self.log.append((self.path, len(body), len(plain)))
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Length", str(len(body)))
        if packs:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        return io.BytesIO(body)


@functools.cache
def _packed(path: Path, _: float) -> bytes:
    return gzip.compress(path.read_bytes(), 6)


class Server(http.server.ThreadingHTTPServer):
    """A browser that leaves a page leaves requests behind; that is no error."""

    def handle_error(self, request: Any, address: Any) -> None:
        """Say nothing of it."""


def serve(site: Path) -> tuple[Server, list[tuple[str, int, int]]]:
    """A running host of a site, and the list in which it notes what it sends."""
    log: list[tuple[str, int, int]] = []
    host = type("Counting", (Host,), {"log": log})
    server = Server(("127.0.0.1", 0), functools.partial(host, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, log


def measure(
    browser: Any, base: str, page: str, log: list[tuple[str, int, int]], *, slow: bool = True
) -> dict:
    """One first visit of a page: what it sent, and when what was there."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, service_workers="allow")
    context.set_default_timeout(180_000)
    tab = context.new_page()
    tab.add_init_script(f"({WATCH})()")
    tools = context.new_cdp_session(tab)
    tools.send("Network.enable")
    if slow:
        tools.send("Network.emulateNetworkConditions", LINE)
        tools.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    asked: list[str] = []
    tab.on("request", lambda r: asked.append(r.url) if r.url.startswith(base) else None)
    log.clear()
    tab.goto(base + page, wait_until="load")
    tab.wait_for_timeout(2500)  # what scripts do when all is there
    found = tab.evaluate(READ)
    of_page = {url.removeprefix(base).partition("?")[0].partition("#")[0] for url in asked}
    sent = {"requests": 0, "kB": 0.0, "plain": 0.0, "worker": 0.0}
    for address, size, plain in list(log):
        if address.lstrip("/").partition("?")[0] in of_page:
            sent["requests"] += 1
            sent["kB"] += size / 1000
            sent["plain"] += plain / 1000
        else:
            sent["worker"] += size / 1000
    context.close()
    return sent | found


def over(row: dict[str, float]) -> list[str]:
    """The names of the limits that a page breaks."""
    return [name for name, limit in LIMITS.items() if row[name] is None or row[name] > limit]


def line(page: str, row: dict[str, Any]) -> str:
    """A row of the table."""
    cells = [f"{row['requests']}", f"{row['kB']:.0f}", f"{row['plain']:.0f}"]
    cells += [f"{row[k]:.1f}" if row[k] is not None else "–" for k in ("paint", "dom", "rest")]
    cells += [f"{row['shift']:.3f}", f"{row['block']:.0f}", f"{row['worker']:.0f}", f"{row['height']:,}"]
    return f"| {page} | " + " | ".join(cells) + f" | {', '.join(over(row)) or 'none'} |"


HEAD = "| Page | Requests | kB | Plain kB | First paint, s | DOM, s | Load, s | Shift | Longest block, ms |"
HEAD += " Worker, kB | Height, px | Over |"


def main() -> None:
    """Print the table; keep it as JSON if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="*", default=PAGES)
    parser.add_argument("--site", type=Path, default=ROOT / "_build" / "html")
    parser.add_argument("--all", action="store_true", help="every page")
    parser.add_argument("--visits", type=int, default=1, help="of which the quickest of each time is kept")
    parser.add_argument("--json", type=Path, help="write the rows to this file")
    given = parser.parse_args()
    site = given.site.resolve()
    pages = given.pages
    if given.all:
        pages = sorted(
            p.relative_to(site).as_posix() for k in ("book", "notebooks") for p in (site / k).rglob("*.html")
        )
    from playwright.sync_api import sync_playwright

    server, log = serve(site)
    options = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]
    rows = {}
    print(HEAD + "\n" + "|" + " --- |" * (HEAD.count("|") - 1))
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=chromium.find(), args=options)
        for page in pages:
            base = f"http://127.0.0.1:{server.server_port}/"
            visits = [measure(browser, base, page, log) for _ in range(given.visits)]
            times = {name: min(visit[name] for visit in visits) for name in ("paint", "dom", "rest", "block")}
            rows[page] = max(visits, key=lambda visit: visit["shift"]) | times
            print(line(page, rows[page]), flush=True)
        browser.close()
    server.shutdown()
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf8")


if __name__ == "__main__":
    main()
