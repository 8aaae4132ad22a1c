"""The book as a product: for everybody (axe), without a network, on paper, and as a link in a chat."""

import json
import struct

import pytest
from axe import findings, lay_out
from bs4 import BeautifulSoup
from conftest import serve
from test_pages import PAGES, SITE, TEXTS


def test_axe_would_find_it(open_page):
    tab, _, _ = open_page("file", "book/references.html")
    tab.evaluate("() => document.querySelector('article').insertAdjacentHTML('beforeend', '<img src=x.png>')")
    assert "image-alt" in [name for name, *_ in findings(tab)]


def test_axe_would_find_every_kind_of_pale_text(open_page):
    """In the last row of a table, in the last block of code, at a live figure, in the last paragraph."""
    tab, _, _ = open_page("file", "notebooks/11_attention.html")
    # It needs the model, so it is made when it comes near.
    tab.wait_for_function(
        """() => {
          const figure = [...document.querySelectorAll("live-figure")].at(-1);
          figure.scrollIntoView();
          return figure.querySelector(".live-control label");
        }"""
    )
    lay_out(tab)
    places = ["tbody td:last-child", "div.cell_input pre span.c1", ".live-control label", "p:not(:has(*))"]
    tab.evaluate(
        """places => places.forEach((place, k) => {
          const seen = [...document.querySelectorAll(`article ${place}`)]
            .filter(e => e.checkVisibility() && e.textContent.trim());
          seen.at(-1).style.color = `rgb(20${k}, 200, 200)`;
        })""",
        places,
    )
    assert [found[:2] for found in findings(tab)] == [("color-contrast", len(places))]


def test_nothing_is_kept_unasked_and_after_a_click_the_book_needs_no_network(browser, site):
    server = serve(site)
    base = f"http://127.0.0.1:{server.server_port}/"
    context = browser.new_context(service_workers="allow")
    tab = context.new_page()
    tab.goto(base + "book/how_to_use.html")
    tab.wait_for_selector(".keep-offline:not([hidden])")
    assert tab.evaluate("() => navigator.serviceWorker.getRegistrations().then((all) => all.length)") == 0
    label = tab.inner_text(".keep-offline button")
    whole = sum((site / name).stat().st_size for name in named_files(site)) / 1e6
    assert abs(float(label.rpartition("(")[2].split()[0]) - whole) < 1
    tab.click(".keep-offline button")
    tab.wait_for_selector(".keep-offline button[data-kept=true]")
    assert "without a network" in tab.inner_text(".keep-offline output")
    server.shutdown()
    server.server_close()
    failed = []
    tab.on("requestfailed", lambda r: failed.append(r.url) if "build.txt" not in r.url else None)
    tab.on("response", lambda r: failed.append(r.url) if r.status >= 400 else None)
    for page in ["notebooks/11_attention.html", "book/errata.html", "book/playground.html"]:
        tab.goto(base + page)
        assert tab.query_selector("article h1") is not None
        tab.evaluate("() => { for (const i of document.images) i.loading = 'eager'; }")
        tab.wait_for_function("() => [...document.images].every(i => i.complete && i.naturalWidth)")
    tab.goto(base + "search.html?q=attention")
    tab.wait_for_selector("#search-results li a")
    assert failed == []
    tab.goto(base + "book/how_to_use.html")
    tab.click(".keep-offline button[data-kept=true]")
    tab.wait_for_selector(".keep-offline button[data-kept=false]")
    assert tab.evaluate("() => caches.keys()") == []
    context.close()


def named_files(site):
    """What the offline script keeps."""
    script = (site / "offline.js").read_text(encoding="utf8")
    return {
        name for name in json.loads(script.partition("const FILES = ")[2].partition(";\n")[0]) if name != "./"
    }


def test_the_offline_script_names_every_file_of_the_site(site):
    named = named_files(site)
    files = {p.relative_to(site).as_posix() for p in site.rglob("*") if p.is_file()}
    assert {p for p in PAGES if p.endswith(".html")} <= named
    assert named <= files
    left = {
        f for f in files - named if not f.rpartition("/")[2].startswith(".") and not f.startswith("take/")
    }
    assert left == {"objects.inv", "offline.js", "build.txt"}


def test_on_paper_there_is_text_and_nothing_to_press(open_page):
    tab, _, _ = open_page("file", "notebooks/11_attention.html")
    folds = tab.evaluate("document.querySelectorAll('details:not([open])').length")
    tab.emulate_media(media="print")
    for selector in (".bd-sidebar-primary", ".bd-sidebar-secondary", ".copybtn", ".prev-next-footer"):
        shown = tab.evaluate(
            "s => [...document.querySelectorAll(s)].filter(e => e.getClientRects().length).length", selector
        )
        assert shown == 0, selector
    tab.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert folds > 3 and tab.evaluate("document.querySelectorAll('details:not([open])').length") == 0
    tab.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert tab.evaluate("document.querySelectorAll('details:not([open])').length") == folds


def test_paper_is_light_in_the_dark_too(open_tab):
    tab = open_tab("file", "notebooks/18_training.html", dark=True)
    ink = "getComputedStyle(document.querySelector('.bd-article h2')).color.match(/\\d+/g).every(n => n < 90)"
    plots = "getComputedStyle(document.querySelector('img.plot.only-dark')).display"
    assert not tab.evaluate(ink)
    tab.emulate_media(media="print", color_scheme="dark")
    tab.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert tab.evaluate(ink) and tab.evaluate(plots) != "none"
    tab.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert tab.evaluate("document.documentElement.dataset.theme") == "dark"


@pytest.mark.parametrize("page", TEXTS)
def test_a_link_in_a_chat_has_a_card(page):
    head, _, _ = (SITE / page).read_text(encoding="utf8").partition("</head>")
    head = BeautifulSoup(f"{head}</head>", "html.parser")
    tags = {m.get("property") or m.get("name"): m["content"] for m in head.find_all("meta", content=True)}
    assert tags["og:title"] and len(tags["og:description"]) > 20 and tags["og:image:alt"]
    assert tags["og:image"].endswith("_static/card.png") and tags["twitter:card"] == "summary_large_image"
    size = struct.unpack(">II", (SITE / "_static" / "card.png").read_bytes()[16:24])
    assert size == (1200, 630)
