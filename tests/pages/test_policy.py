"""The content security policy: every page has one, which lets what the build wrote run, and nothing else."""

import html

import page_policy
import pytest
from bs4 import BeautifulSoup
from test_pages import PAGES, SITE, settle

VIOLATIONS = """() => { window.stopped = [];
  document.addEventListener('securitypolicyviolation', (e) => stopped.push(e.effectiveDirective)); }"""
INTRUDE = """() => {
  const script = document.createElement('script');
  script.textContent = 'window.intruded = true';
  document.body.append(script);
  const button = document.createElement('button');
  button.setAttribute('onclick', 'window.intruded = true');
  document.body.append(button);
  button.click();
  new Image().src = 'https://elsewhere.invalid/x.png';
  return fetch('https://elsewhere.invalid/').catch(() => window.intruded || false);
}"""


@pytest.mark.parametrize("page", PAGES)
def test_every_page_has_a_policy_that_names_its_scripts_and_nothing_of_another_host(page):
    text = (SITE / page).read_text(encoding="utf8")
    head, _, _ = text.partition("</head>")  # the rest of a page takes half a second to parse
    metas = BeautifulSoup(head, "html.parser").head.find_all(
        "meta", {"http-equiv": "Content-Security-Policy"}
    )
    assert len(metas) == 1
    policy = metas[0]["content"]
    assert policy == page_policy.policy(text)
    assert "http" not in policy and "unsafe-eval" not in policy and "*" not in policy
    scripts = policy.split("script-src")[1].split(";")[0]
    assert "unsafe-inline" not in scripts and "unsafe-hashes" not in scripts
    before = [tag.name for tag in metas[0].find_all_previous(["script", "link", "style", "img"])]
    assert before == []


@pytest.mark.parametrize("way", ["http", "file"])
def test_what_the_build_did_not_write_does_not_run(open_page, way):
    tab, _, _ = open_page(way, "book/notation.html")
    settle(tab)
    tab.evaluate(VIOLATIONS)
    assert tab.evaluate(INTRUDE) is False
    tab.wait_for_function("() => new Set(stopped).size === 4")
    assert tab.evaluate("() => window.intruded") is None
    stopped = set(tab.evaluate("() => stopped"))
    assert stopped == {"script-src-elem", "script-src-attr", "img-src", "connect-src"}


def test_the_button_that_prints_prints(open_page):
    tab, _, complaints = open_page("file", "notebooks/06_vocabulary.html")
    tab.evaluate("() => { window.print = () => { window.printed = true; }; }")
    tab.evaluate("() => document.querySelector('[data-prints]').click()")
    assert tab.evaluate("() => window.printed") is True and complaints == []


@pytest.mark.parametrize("way", ["http", "file"])
@pytest.mark.parametrize(("page", "form"), [("book/errata.html", True), ("book/references.html", False)])
def test_an_address_with_a_broken_end_opens_the_page(open_page, way, page, form):
    """As it is opened; and then as it is changed, where a script of ours listens to the address."""
    first, *others = ("#%E0%A4%A", "#", "#%", "#nowhere")
    tab, _, complaints = open_page(way, page + first)
    for end in others:
        if form:
            tab.evaluate("end => new Promise(done => { onhashchange = done; location.hash = end; })", end)
        else:  # a light page opens all of them
            assert complaints == []
            tab, _, complaints = open_page(way, page + end)
        settle(tab)
        assert complaints == [] and tab.is_visible("#ledger-form") == form
    tab.evaluate("() => { location.hash = '#%E0%A4%B'; }")
    tab.wait_for_timeout(100)
    assert complaints == []


@pytest.mark.parametrize(
    "body",
    [
        '<p onclick="f()">x</p>',
        '<a href="javascript:f()">x</a>',
        "<img src=\"x.png\" onerror='f()'>",
    ],
)
def test_code_in_an_attribute_stops_the_build(body):
    page = f'<html><head><meta charset="utf-8"></head><body>{body}</body></html>'
    with pytest.raises(ValueError, match="holds code in an attribute"):
        page_policy.applied(page)
    harmless = '<script>"<p onclick=1>"</script> x onclick="f()"'
    assert "'none'" in html.unescape(page_policy.applied(page.replace(body, harmless)))
