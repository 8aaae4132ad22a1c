"""The index: the terms of the book in columns, and for each letter the names of the package in a fold."""

from pathlib import Path

from bs4 import BeautifulSoup, Tag

TABLES = "table.genindextable"
ENTRIES = ":scope > tr > td > ul > li"


def _list(page: BeautifulSoup, items: list[Tag], **attributes: str) -> Tag:
    made = page.new_tag("ul", attrs=attributes)
    made.extend(items)
    return made


def _leave_out_calls(page: BeautifulSoup) -> None:
    """Leave out ``__call__``: what is called like a function stands there by its class."""
    for head in page.select("h2[id='_']"):
        if table := head.find_next_sibling("table"):
            table.decompose()
        head.decompose()
    for link in page.select(".genindex-jumpbox a[href='#_']"):
        if link.next_sibling:
            link.next_sibling.extract()  # the line after it
        link.decompose()


def apart(text: str) -> str:
    """The page of the index with its terms and the package's names in two lists for each letter.

    >>> said = '<li><a href="g"><strong>gate</strong></a></li><li><a href="a">gelu() (in module m)</a></li>'
    >>> page = apart(f'<table class="indextable genindextable"><tr><td><ul>{said}</ul></td></tr></table>')
    >>> page.index("gate") < page.index("<summary>1 name of the package</summary>") < page.index("gelu()")
    True
    """
    page = BeautifulSoup(text, "html.parser")
    _leave_out_calls(page)
    for table in page.select(TABLES):
        entries = table.select(ENTRIES)
        terms = [entry for entry in entries if entry.strong]
        names = [entry for entry in entries if not entry.strong]
        if terms:
            table.insert_before(_list(page, terms, **{"class": "index-terms"}))
        if names:
            fold = page.new_tag("details", attrs={"class": "index-names"})
            summary = page.new_tag("summary")
            summary.string = f"{len(names)} name{'s' * (len(names) > 1)} of the package"
            fold.extend([summary, _list(page, names)])
            table.insert_before(fold)
        table.decompose()
    return str(page)


def write(site: Path) -> None:
    """Set the lists of a site's index apart, if it has one."""
    page = site / "genindex.html"
    if page.is_file():
        page.write_text(apart(page.read_text(encoding="utf8")), encoding="utf8")
