"""The script that keeps the book for a reader without a network: fresh pages only, and its own book only."""

import functools
import threading

import build_book
import pytest
from conftest import Quiet, Server

PAGE = """<!DOCTYPE html><html><head><meta charset="utf-8"><title>x</title></head><body>{}
<script>navigator.serviceWorker.register("offline.js")</script></body></html>"""
READY = "() => navigator.serviceWorker.ready.then((r) => r.active.state)"
STORES = "() => caches.keys()"
KEPT = """async ([store, page]) => {
  const found = await (await caches.open(store)).match(page);
  return found ? await found.text() : null;
}"""
UPDATE = """async () => { const r = await navigator.serviceWorker.getRegistration(); await r.update(); }"""


class Lasting(Quiet):
    """As a host with a cache in front serves pages: a browser need not ask again for ten minutes."""

    def send_head(self):
        """Whole files always: `If-Modified-Since` counts in seconds, and this test writes twice in one."""
        del self.headers["If-Modified-Since"]
        return super().send_head()

    def end_headers(self):
        self.send_header("Cache-Control", "max-age=600")
        super().end_headers()


@pytest.fixture
def host(tmp_path):
    """Books in folders of one host: `write(name, text)` builds one with a single page."""

    def write(name, text):
        folder = tmp_path / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "page.html").write_text(PAGE.format(text), encoding="utf8")
        build_book.write_offline_script(folder)

    server = Server(("127.0.0.1", 0), functools.partial(Lasting, directory=str(tmp_path)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield write, f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture
def tab(browser):
    context = browser.new_context(service_workers="allow")
    yield context.new_page()
    context.close()


def stores(tab, before):
    """Three stores, at least one of them new; the worker that is being replaced may take a while to go."""
    for _ in range(900):
        now = sorted(tab.evaluate(STORES))
        if len(now) == 3 and now != before:
            return now
        tab.wait_for_timeout(200)
    pytest.fail(f"the stores are {now}")


def test_a_new_store_holds_new_pages_and_only_the_own_old_one_goes(host, tab):
    write, base = host
    for name in ("book", "book/two", "other"):  # one of them stands inside another
        write(name, "old text")
        tab.goto(f"{base}{name}/page.html")
        assert tab.evaluate(READY) in ("activating", "activated")
    first = stores(tab, [])
    scopes = [store.split(" ")[1] for store in first]
    assert scopes == [f"{base}book/", f"{base}book/two/", f"{base}other/"]

    write("book", "new text")
    tab.goto(f"{base}book/page.html")
    tab.evaluate(UPDATE)
    second = stores(tab, first)
    assert set(first[1:]) < set(second) and first[0] not in second
    own = next(store for store in second if store not in first)
    assert "new text" in tab.evaluate(KEPT, [own, f"{base}book/page.html"])
    for store in first[1:]:
        page = f"{store.split(' ')[1]}page.html"
        assert "old text" in tab.evaluate(KEPT, [store, page])


def test_after_a_new_build_no_reader_sees_an_old_page(host, tab):
    """The host lets the browser keep a page; the page asks which build is the newest, and is fetched anew."""
    write, base = host
    book = (build_book.ROOT / "book" / "assets" / "book.js").read_text(encoding="utf8")
    script = f"<script>document.documentElement.dataset.content_root = './';{book}</script>"
    write("book", f"<p>old text</p>{script}")
    tab.goto(f"{base}book/page.html")
    assert "old text" in tab.inner_text("body")
    tab.wait_for_timeout(300)
    write("book", f"<p>new text</p>{script}")
    tab.goto("about:blank")
    tab.goto(f"{base}book/page.html")
    tab.wait_for_function("() => document.body.innerText.includes('new text')")
