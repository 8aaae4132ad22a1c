"""The built site, a local server for it, and a browser: each made once."""

import functools
import http.server
import sys
import threading
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "_build" / "html"


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A static server that says nothing."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture(scope="session")
def site():
    if not (SITE / "index.html").exists():
        pytest.fail("no built pages: run make book first")
    return SITE


class Server(http.server.ThreadingHTTPServer):
    """A browser that closes a page leaves requests behind; that is no error."""

    def handle_error(self, request, address):
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, address)


def serve(site):
    """A running server of the site."""
    server = Server(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


@pytest.fixture(scope="session")
def bases(site):
    """The two ways to open the site: over http, and as files."""
    server = serve(site)
    yield {"http": f"http://127.0.0.1:{server.server_port}/", "file": site.as_uri() + "/"}
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def browser():
    import chromium
    from playwright.sync_api import sync_playwright

    path = chromium.find()
    if path is None:
        pytest.fail("no Chromium: run make chromium")
    # A container has a small /dev/shm and no user namespaces.
    options = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=path, args=options)
        # Keeping the whole book for offline reading would burden every test; one test does it.
        browser.new_context = functools.partial(browser.new_context, service_workers="block")
        yield browser
        browser.close()


def is_complaint(message):
    """What the page says in error; not what playwright says of the service worker that it keeps away."""
    return message.type in ("error", "warning") and "blocked by Playwright" not in message.text


@pytest.fixture
def open_page(browser, bases):
    """Open a page; give it with all that it asked for elsewhere and all that it complained about."""
    contexts = []

    def opened(way, page, width=1280, dark=False):
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light"
        )
        contexts.append(context)
        tab = context.new_page()
        elsewhere, complaints = [], []

        def asked(request):
            if not request.url.startswith((bases[way], "data:", "blob:")):
                elsewhere.append(request.url)

        tab.on("request", asked)
        tab.on("console", lambda m: complaints.append(m.text) if is_complaint(m) else None)
        tab.on("pageerror", lambda e: complaints.append(f"exception: {e}"))
        tab.on("requestfailed", lambda r: complaints.append(f"failed: {r.url}"))
        tab.on("response", lambda r: complaints.append(f"{r.status}: {r.url}") if r.status >= 400 else None)
        tab.goto(bases[way] + page, wait_until="load")
        if page == "index.html":  # the front door leads on
            tab.wait_for_url("**/book/index.html", wait_until="load")
        return tab, elsewhere, complaints

    yield opened
    for context in contexts:
        context.close()
