"""The built site, a local server for it, and a browser: each made once."""

import contextlib
import functools
import http.server
import re
import sys
import threading
from pathlib import Path

import pytest
from axe import lay_out, settle
from playwright.sync_api import Error, Page

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "_build" / "html"
OPEN_ALL = """() => {
  window.Live?.buildAll();
  for (const part of document.querySelectorAll("details.deeper")) part.open = true;
}"""
# What is asked at every frame keeps a page drawing frames, which costs ten times what its answers cost.
Page.wait_for_function = functools.partialmethod(Page.wait_for_function, polling=25)


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


# On a phone a first visit shows the pictures; a test looks at everything, unless it is about such a visit.
EVERYTHING = "try { localStorage.reading ??= 'all'; } catch { /* a page that keeps nothing */ }"
# What a page draws at random it draws in the same order in each run: no test passes or fails by luck.
DICE = "{ let n = 1618033988; Math.random = () => (n = n * 48271 % 0x7fffffff) / 0x7fffffff; }"


def patient(new_context, service_workers="block", first_visit=False, **settings):
    """A context that waits long: a busy machine is slow, and that is no error of the pages."""
    context = new_context(service_workers=service_workers, **settings)
    context.set_default_timeout(180_000)
    context.add_init_script(DICE)
    if not first_visit:
        context.add_init_script(EVERYTHING)
    return context


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
        browser.new_context = functools.partial(patient, browser.new_context)
        yield browser
        browser.close()


def is_complaint(message):
    """What the page says in error; not what playwright says of the service worker that it keeps away."""
    return message.type in ("error", "warning") and "blocked by Playwright" not in message.text


@pytest.fixture(scope="session")
def context(browser):
    """One for all tabs of a process: what all pages share is fetched and compiled once."""
    context = browser.new_context()
    new_session = context.new_cdp_session
    context.new_cdp_session = lambda tab: told(tab, new_session, tab)
    yield context
    context.close()


@functools.cache
def without_javascript(browser):
    """One for all tabs without scripts; it goes with the browser.

    Without scripts a browser fetches the far pictures, too; they have their sizes without that.
    """
    context = browser.new_context(java_script_enabled=False)
    context.route(re.compile(r"\.(svg|png)$"), lambda route: route.abort())
    return context


# What a tab is told for good: after one of these no other test opens a page in it.
FOR_GOOD = ("on", "once", "route", "add_init_script", "expose_function", "expose_binding")
PARKED = "build.txt"  # one line of text, and no script
VISITS = 12  # of one tab (the pages that lie behind it are few, and so is what they leave in its process)
WAITING = {}  # tabs for the next page, by their context and the way to open the site


def told(tab, method, *args, **kwargs):
    """A method of a tab that changes it for good."""
    tab.spoilt = True
    return method(*args, **kwargs)


def listening(tab, base):
    """A new tab, with what it asks of other hosts and what it complains about; it knows when it is spoilt."""
    tab.visits, tab.spoilt, tab.elsewhere, tab.complaints = 0, False, [], []

    def complain(text):
        tab.complaints.append(text)

    def asked(request):
        if not request.url.startswith((base, "data:", "blob:")):
            tab.elsewhere.append(request.url)

    tab.on("request", asked)
    tab.on("console", lambda m: complain(m.text) if is_complaint(m) else None)
    tab.on("pageerror", lambda e: complain(f"exception: {e}"))
    tab.on("dialog", lambda d: (complain(d.message), d.dismiss()))
    tab.on("requestfailed", lambda r: complain(f"failed: {r.url}"))
    tab.on("response", lambda r: complain(f"{r.status}: {r.url}") if r.status >= 400 else None)
    for name in FOR_GOOD:
        setattr(tab, name, functools.partial(told, tab, getattr(tab, name)))
    return tab


class Tabs:
    """Opens pages, each with what it asked of other hosts (``elsewhere``) and its ``complaints``.

    A tab that is left waits for the next page: it need not start a process, nor compile the scripts anew.
    (What measures a time asks for a ``new`` one.)
    """

    def __init__(self, browser, context, bases):
        self.browser, self.context, self.bases, self.open = browser, context, bases, []

    def __call__(
        self,
        way,
        page,
        width=1280,
        dark=False,
        javascript=True,
        still=False,
        loaded="load",
        built=True,
        new=False,
    ):
        context, base = self.context if javascript else without_javascript(self.browser), self.bases[way]
        waiting = WAITING.setdefault((context, base), [])
        tab = waiting.pop() if waiting and not new else listening(context.new_page(), base)
        tab.base, tab.waiting, tab.visits = base, waiting, tab.visits + 1
        tab.elsewhere, tab.complaints = [], []
        self.open.append(tab)
        tab.set_viewport_size({"width": width, "height": 900})
        tab.emulate_media(
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce" if still else "null",
            **dict.fromkeys(("media", "forced_colors", "contrast"), "null"),
        )
        tab.goto(base + page, wait_until=loaded)
        if page == "index.html":  # the front door leads on
            tab.wait_for_url("**/book/index.html", wait_until="load")
        if javascript and loaded == "load":  # a page opens in steps, and makes one live figure at a time
            tab.wait_for_function("() => !document.documentElement.dataset.opening && !window.Live?.waits()")
            if built:  # what is built when it comes near or opened by whoever wants it, tests look at, too
                tab.evaluate(OPEN_ALL)
        return tab

    def close(self):
        """Leave all that are open; what they kept would be found by the tests that come after."""
        for tab in self.open:
            once_more = not tab.spoilt and tab.visits < VISITS
            try:  # it may have been closed, or keep nothing
                if once_more:
                    tab.goto(tab.base + PARKED)
                tab.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
            except Error:
                once_more = False
            if once_more:
                tab.waiting.append(tab)
            else:
                tab.close()
        self.open.clear()


@pytest.fixture
def open_tab(browser, context, bases):
    """Open a page for one test."""
    tabs = Tabs(browser, context, bases)
    yield tabs
    tabs.close()


@pytest.fixture
def front_page(open_tab):
    """The front page, its machines awake; one of them, at its tour."""

    def opened(which=0, width=1280, height=860, **settings):
        tab = open_tab("file", "book/index.html", width=width, **settings)
        tab.set_viewport_size({"width": width, "height": height})
        if which:
            tab.locator(".sd-tab-set.hero > label").nth(which).click()
        tab.wait_for_function(
            "n => document.querySelectorAll('live-figure')[n].querySelector('.machine-word')", arg=which
        )
        return tab, tab.query_selector_all("live-figure")[which]

    return opened


@pytest.fixture(scope="module")
def visits(browser, context, bases):
    """Open a page for all tests that look at it; they close it."""
    tabs = Tabs(browser, context, bases)
    yield tabs
    tabs.close()


@pytest.fixture(scope="session")
def visit(browser, context, bases):
    """Visit a page for all tests that look at it, in whatever file they stand; the visit before it ends."""
    tabs = Tabs(browser, context, bases)

    def visited(way, page, **settings):
        tabs.close()
        tab = tabs(way, page, **settings)
        tab.page, tab.math, tab.awake = page, settle(tab), False
        tab.wait_for_timeout(100)
        lay_out(tab)
        return tab

    yield visited
    tabs.close()


@pytest.fixture(scope="session")
def desk(request, visit):
    """A page on a wide screen, opened as a file."""
    return visit("file", request.param)


@pytest.fixture(scope="session")
def phone(request, visit):
    """A page on a phone, over http, for somebody who wants no motion."""
    return visit("http", request.param, width=390, still=True)


@pytest.fixture
def open_page(open_tab):
    """Open a page; give it with all that it asked for elsewhere and all that it complained about."""

    def opened(*where, **settings):
        tab = open_tab(*where, **settings)
        return tab, tab.elsewhere, tab.complaints

    return opened


# What is asked of a visit, in this order: the page as it opens; what axe finds in it, for which all that
# stands there many times is taken away; the live figures, which stay; and the same page on the phone.
STAGES = ("desk", "axe_at_the_desk", "live", "phone")
VISITED = ("test_pages.py", "test_live.py")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """The tests that share a visit stand together, whatever file they are from.

    (pytest itself groups by a parameter's place in its list, and the lists of pages differ.)
    """

    def place(item):
        stages = [k for k, name in enumerate(STAGES) if name in item.fixturenames]
        if not stages:
            return (str(item.path),)
        page = item.callspec.params["phone" if "phone" in item.fixturenames else "desk"]
        file, line, _ = item.reportinfo()
        return str(item.path.with_name(VISITED[0])), page, stages[-1], str(file), line or 0

    here = [k for k, item in enumerate(items) if item.path.parent == Path(__file__).parent]
    for k, item in zip(here, sorted((items[k] for k in here), key=place), strict=True):
        items[k] = item


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """What looks at one page runs in one process, so that the page is visited once.

    (``--dist loadgroup`` would be the name of it; with pytest 9.2 the groups of xdist 3.8 are not seen.)
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByPage(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            module, _, test = nodeid.partition("::")
            page = re.search(r"\[(.+?\.html)", test)
            if not page:
                return nodeid.partition("[")[0]
            return page.group(1) if module.endswith(VISITED) else f"{module} {page.group(1)}"

    return ByPage(config, log) if config.getoption("dist") == "loadgroup" else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Keep a picture of what a failing test looked at."""
    report = yield
    if report.failed:
        shots = ROOT / ".make" / "screenshots"
        shots.mkdir(parents=True, exist_ok=True)
        name = re.sub(r"[^\w.-]+", "-", item.nodeid.removeprefix("tests/pages/")).strip("-")[:150]
        tabs = [t for v in item.funcargs.values() for t in (v.open if isinstance(v, Tabs) else [v])]
        for number, tab in enumerate(dict.fromkeys(t for t in tabs if hasattr(t, "screenshot"))):
            with contextlib.suppress(Exception):  # a page that is gone has no picture
                tab.screenshot(path=shots / f"{name}{f'-{number + 1}' if number else ''}.png")
    return report
