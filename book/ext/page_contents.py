"""The list of contents beside a chapter: what goes deeper is folded, where most of it stands."""

from itertools import groupby
from typing import Any

from bs4 import BeautifulSoup, Tag

PREFIX, LINK = "Deeper: ", "#deeper-"
FOLD = "<li class='deeper-entries'><details><summary><b></b> <span></span></summary><ul></ul></details></li>"
SEPARATOR = " · "
ROOM = 90  # letters of titles that the line of the fold has room for


def fold_deeper_entries(part: Tag) -> None:
    """The entries of a part that go deeper, where there are several, under one line that names them.

    >>> entry = '<li><a href="#deeper-{0}">Deeper: {0}</a></li>'
    >>> b, e = (f"<li><a href='#{name}'>{name}</a></li>" for name in "be")
    >>> html = f"<ul>{entry.format('a')}{b}{entry.format('c')}{entry.format('d')}{e}</ul>"
    >>> toc = BeautifulSoup(html, "html.parser")
    >>> fold_deeper_entries(toc.ul)
    >>> fold_deeper_entries(toc.details.ul)
    >>> toc.get_text(" "), toc.details.get_text(" ")
    ('b Deeper (3)   a · c · d A C D e', 'Deeper (3)   a · c · d A C D')
    """
    runs = [list(run) for _, run in groupby(part("li", recursive=False), _goes_deeper)]
    runs = [run for run in runs if _goes_deeper(run[0])]
    entries = [entry for run in runs for entry in run]
    if len(entries) < 2 or (part.parent and part.parent.name == "details"):  # (folded: the theme asks again)
        return
    fold = BeautifulSoup(FOLD, "html.parser").li
    fold.summary.b.string = f"Deeper ({len(entries)})"
    fold.summary.span.string = named([entry.a.get_text().removeprefix(PREFIX) for entry in entries])
    fold.ul["class"] = part.get("class", [])
    max(runs, key=len)[0].insert_before(fold)
    for entry in entries:
        first = entry.a.find(string=True)  # the title may go on in letters of code
        title = first.removeprefix(PREFIX)
        first.replace_with(title[:1].upper() + title[1:])
        fold.ul.append(entry.extract())


def named(titles: list[str], room: int = ROOM) -> str:
    """The titles in one line: as many as it has room for, at least one, and how many are left.

    >>> named(["loops", "two things, two colours", "where the impossible tokens come from"], room=32)
    'loops · two things, two colours · and 1 more'
    >>> named(["loops", "two things, two colours"], room=3)
    'loops · and 1 more'
    """
    fits = [title for k, title in enumerate(titles) if k == 0 or len(SEPARATOR.join(titles[: k + 1])) <= room]
    left = len(titles) - len(fits)
    return SEPARATOR.join([*fits, f"and {left} more"] if left else fits)


def _goes_deeper(entry: Tag) -> bool:
    return entry.a["href"].startswith(LINK)


def in_contents(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Let the theme's function that makes the list fold it, too."""
    made = context.get("generate_toc_html")
    if made is None:
        return

    def folded(kind: str = "html") -> Any:
        contents = made(kind)
        if isinstance(contents, Tag):
            for part in [contents, *contents("ul")]:
                fold_deeper_entries(part)
        return contents

    context["generate_toc_html"] = folded


def setup(app: Any) -> dict[str, Any]:
    app.connect("html-page-context", in_contents, priority=900)  # after the theme has given its function
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
