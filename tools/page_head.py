"""The bar above a page: once its title has scrolled away, the name of the page, and of a chapter the way of reading."""

import re
from html import unescape

TITLE = re.compile(r'<section[^>]*\bid="([^"]+)"[^>]*>\s*<h1>(.*?)(?:<a class="headerlink"|</h1>)', re.S)
WAY = re.compile(r'<button type="button" data-way="(\w+)" aria-pressed="[^"]*">([^<]*)</button>')
END = '<div class="header-article-items__end">'
NUMBER = re.compile(r'<span class="chapter-number">\d+</span>')


def with_name(body: str) -> str:
    """The page with its name in the bar, and with a list of the ways that its buttons offer.

    >>> page = '<div class="header-article-items__end"></div><section id="a"><h1><em>A</em> &amp; B</h1>'
    >>> with_name(page).partition("</a>")[0]
    '<div class="here"><a href="#a">A &amp; B'
    """
    title = TITLE.search(body)
    if not title or END not in body:
        return body
    number = NUMBER.search(title[2])
    name = re.sub(r"<[^>]*>", "", NUMBER.sub("", title[2])).strip()
    assert unescape(name)
    link = f'<a href="#{title[1]}">{number[0] if number else ""}{name}</a>'
    ways = "".join(f'<option value="{way}">{words}</option>' for way, words in WAY.findall(body))
    if ways:
        link += f'<select class="way-here pst-js-only" aria-label="What to show" autocomplete="off">{ways}</select>'
    return body.replace(END, f'<div class="here">{link}</div>\n    {END}', 1)
