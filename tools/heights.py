"""How tall each section of a page is, about, for the browser that has not laid it out yet.

A section far below is laid out when it comes near; until then the page is as long as these estimates say.
They count what is seen of a section: lines of text and of code, pictures by their sizes, tables, formulas,
folds.
"""

import math
import re
from collections import Counter
from dataclasses import dataclass

FOLDED = '<details class="deeper">'  # a part that goes deeper: only its heading is seen
ON_PHONE = '<details class="deeper on-phone">'  # what is folded on a phone only
SPAN = r'(?:<span id="[^"]*"></span>)?'  # a second name of the place
HEAD = re.compile(rf'(<section (?:class="[^"]*" )?id="[^"]*">\n(?:{FOLDED}<summary>\n?)?{SPAN}<h[23][^>]*>)')
KINDS = r'class="py (?:class|function|exception|data)\b[^"]*">'  # of the interface; a method is part of one
ENTRY = rf"(<dl {KINDS})"
ESTIMATED = re.compile(rf'<dl style="--tall:(\d+)px;--narrow-tall:(\d+)px" {KINDS}')
MEMBER = re.compile(r'<dl (?=class="py (?:method|property|attribute)\b[^"]*">)')  # of a class
ITS_HEAD = 30  # pixels by which the name of a member is lower than the heading of a section, at a desk
CLOSER = 24  # pixels less between two entries than between two sections
BETWEEN = 36  # pixels between two members
DRAWN, AT_A_DESK = 1.25, 1.1  # pixels for each unit of a drawing
ONWARD = 'class="picture-onward'  # what only the picture way shows at the end
FOLD = re.compile(r"<details(?![^>]*\sopen)([^>]*)>(?:(?!<details\b).)*?</details>", re.S)
MORE = '<details class="api-more">'  # what an entry of the interface folds
SUMMARY = "<summary>fold</summary>"
QUIET = '<summary class="shows-code"></summary>'  # the fold with the code of a part by hand
LONG_CODE = re.compile(r'(<div class="cell [^"]*\blong-code\b[^"]*"(?:(?!<pre>).)*)<pre>.*?</pre>', re.S)
JOINED = re.compile(LONG_CODE.pattern.replace("long-code", "code-joins"), re.S)  # without a button of its own
UNSEEN = re.compile(
    r'<(script|noscript|annotation|template)\b.*?</\1>|<span class="katex-mathml">.*?</math></span>'
    r'|<img class="[^"]*only-dark"[^>]*>|<(\w+) class="[^"]*only-in-picture[^>]*>.*?</\2>',
    re.S,
)
LIVE = re.compile(r"<live-figure>.*?</live-figure>", re.S)
PICTURE = re.compile(
    r'(?:<source [^>]*?srcset="[^"]*"[^>]*? width="(\d+)" height="(\d+)"/?>)?'
    r'<img [^>]*? width="(\d+)" height="(\d+)"'
)
DRAWING = re.compile(r'<svg[^>]*class="diagram[^>]*? viewBox="0 0 ([\d.]+) ([\d.]+)"[^>]*>.*?</svg>', re.S)
CODE = re.compile(r"<pre>(.*?)</pre>", re.S)
TABLE = re.compile(r"<table\b.*?</table>", re.S)
SIGNATURE = re.compile(r'<dt class="sig\b[^>]*>(.*?)</dt>', re.S)
PARAMETER = '<em class="sig-param">'
MATH = re.compile(r'<div class="math[^>]*>.*?</div>', re.S)
TEXT = re.compile(r"<(p|li|dd|legend|label|summary)\b[^>]*>(.*?)(?=</\1>|<(?:p|li|ul|ol|dl)\b)", re.S)


def letters(html: str) -> int:
    """How many letters are seen of a piece of a page."""
    return len(re.sub(r"\s+", " ", re.sub(r"<[^>]*>|&\w+;", "", html)).strip())


def lines_of(signature: str, room: int) -> int:
    """How many lines a signature takes: a parameter goes to the next one as a whole.

    >>> lines_of('f(<em class="sig-param">first</em> <em class="sig-param">second</em>', 10)
    2
    """
    lines, taken = 1, 0
    for part in signature.split(PARAMETER):
        long = letters(part) + 1
        if taken and taken + long > room:
            lines, taken = lines + 1, 0
        lines, taken = lines + (taken + long) // room, (taken + long) % room
    return lines


def seen(section: str) -> str:
    """A section without what is folded or never shown.

    >>> seen("<p>a</p><details><summary>b</summary><details>c</details></details><script>d</script>")
    '<p>a</p><summary>fold</summary>'
    >>> seen('<details class="hide shows-code"><summary>Code</summary><pre></pre></details>') == QUIET
    True
    """
    section = UNSEEN.sub("", section)
    while FOLD.search(section):
        section = FOLD.sub(lambda fold: QUIET if "shows-code" in fold[1] else SUMMARY, section)
    return section


@dataclass(frozen=True)
class Layout:
    """A width of the page: the room that it leaves, and the pixels that each thing takes there.

    The pixels were fitted to all sections of the chapters, laid out in a browser (tests/pages/test_heights.py
    compares): per line of text, paragraph, line of code, box of code, row, table, formula and so on.
    """

    column: int  # pixels
    letters: int  # in a line of text
    signs: int  # in a line of code
    row: int  # pixels of a folded part
    pixels: dict[str, float]


WIDE = Layout(
    736,
    88,
    92,
    46,
    {"section": 91, "chapter part": 21, "line": 21.9, "paragraph": 4.9, "code line": 18.3, "code": 41}
    | {"picture": 0.9, "row": 47.8, "table": 24, "formula": 75, "live": 722, "fold": 49, "quiet fold": 24}
    | {"question": 73, "signature line": 23.1},
)
NARROW = Layout(
    358,
    46,
    49,
    50,
    {"section": 92, "chapter part": 25, "line": 24.2, "paragraph": 5.8, "code line": 18.9, "code": 13}
    | {"picture": 0.9, "row": 46.2, "table": 52, "formula": 86, "live": 801, "fold": 50, "quiet fold": 24}
    | {"question": 70, "signature line": 21.5},
)


def counted(section: str, layout: Layout) -> Counter[str]:
    """What is seen of a section, by kinds; of pictures their heights.

    >>> counted("<h2>a</h2><p>text</p><pre>x = 1\\n</pre>", WIDE) == {
    ...     "section": 1, "chapter part": 1, "paragraph": 1, "line": 1, "code": 1, "code line": 1}
    True
    >>> folded = f"{ON_PHONE}<summary>the figure</summary><p>text</p></details>"
    >>> [counted(folded, layout)["paragraph"] for layout in (WIDE, NARROW)]
    [2, 1]
    """
    text = seen(section if layout is NARROW else section.replace(ON_PHONE, "<details open>"))
    found = Counter({"section": 1, "chapter part": int("<h2" in text)})
    found["question"] = text.count('<form class="quiz')
    found["quiet fold"] = text.count(QUIET)
    found["fold"] = text.count("<summary") - found["quiet fold"]

    def take(pattern: re.Pattern[str]) -> list[re.Match[str]]:
        nonlocal text
        there = list(pattern.finditer(text))
        text = pattern.sub("", text)
        return there

    found["live"] = len(take(LIVE))
    for at in take(PICTURE):
        narrow = layout is NARROW and at[1]
        width, height = (int(at[1]), int(at[2])) if narrow else (int(at[3]), int(at[4]))
        found["picture"] += round(height * min(1, layout.column / width))
    for at in take(DRAWING):
        drawn = DRAWN if layout is NARROW else AT_A_DESK
        width, height = drawn * float(at[1]), drawn * float(at[2])
        found["picture"] += round(height * min(1, layout.column / width))
    for at in take(CODE):
        found["code"] += 1
        lines = re.sub(r"<[^>]*>", "", at[1]).rstrip("\n").split("\n")
        found["code line"] += sum(max(1, math.ceil(len(line) / layout.signs)) for line in lines)
    for at in take(TABLE):
        found["table"] += 1
        found["row"] += at[0].count("<tr")
    found["formula"] = len(take(MATH))
    for at in take(SIGNATURE):  # (a heading has room for two lines)
        found["signature line"] += max(0, lines_of(at[1], layout.letters) - 2)
    for at in TEXT.finditer(text):
        if long := letters(at[2]):
            found["paragraph"] += 1
            found["line"] += math.ceil(long / layout.letters)
    return +found


def tall(section: str, layout: Layout) -> float:
    """About how many pixels a section takes."""
    return sum(layout.pixels[kind] * often for kind, often in counted(section, layout).items())


def _style(heights: tuple[float, float]) -> str:
    wide, narrow = (10 * round(high / 10) for high in heights)
    return f'style="--tall:{wide}px;--narrow-tall:{narrow}px" '


def with_heights(body: str) -> str:
    """Each section, and each entry of the interface, with estimates of its height at a desk and on a phone.

    Of one that is folded it is the height of what is seen; the long code of an experiment is folded, too.

    >>> with_heights('<section id="a">\\n<h2></h2><section class="live" id="b">\\n<h3></h3>').count("--tall")
    2
    >>> members = '<dl class="py class"><dl class="py method"></dl><dl class="py property"></dl></dl>'
    >>> with_heights(members).count("--tall")
    3
    >>> part = '<section id="{}">\\n<h2></h2><div class="cell long-code"><pre>' + "1\\n" * 20 + "</pre></div>"
    >>> [int(re.search(r"--tall:(\\d+)", with_heights(part.format(name)))[1]) for name in ("a", "experiment")]
    [520, 140]
    """
    article, end, rest = body.partition("</article>")
    parts = HEAD.split(_with_entries(article))
    own, experiment = [], False
    for k in range(1, len(parts), 2):
        said = parts[k] + parts[k + 1].partition(ONWARD)[0]
        experiment = 'id="experiment' in parts[k] if "<h2" in parts[k] else experiment
        if experiment:
            said = LONG_CODE.sub(rf"\1{QUIET}", JOINED.sub(r"\1", said))
        folded = FOLDED in parts[k]
        said, *entries = ESTIMATED.split(said)  # (and of each entry: two heights, and what it says)
        listed = [sum(map(int, entries[side::3])) for side in (0, 1)]
        both = zip((WIDE, NARROW), listed, strict=True)
        own.append([layout.row if folded else tall(said, layout) + high for layout, high in both])
    inner = [0.0, 0.0]  # of the sections within the one that is met next, from the end
    for k in range(len(parts) - 2, 0, -2):
        mine = own[k // 2]
        if FOLDED in parts[k] and "<h2" in parts[k]:  # what is within it is not seen at first
            inner = [0.0, 0.0]
        high = mine
        if "<h3" in parts[k]:
            inner = [a + b for a, b in zip(inner, mine, strict=True)]
        else:
            high = [a + b for a, b in zip(inner, mine, strict=True)]
            inner = [0.0, 0.0]
        parts[k] = parts[k].replace("<section ", f"<section {_style((high[0], high[1]))}", 1)
    return "".join(parts) + end + rest


def _with_entries(article: str) -> str:
    """Each entry of the interface with the estimates; of what it folds, its members, each has its own."""
    parts = re.split(ENTRY, article)
    for k in range(1, len(parts) - 1, 2):
        own, *members = MEMBER.split(parts[k + 1])
        first, more, _ = own.partition("<section ")[0].partition(MORE)
        whole = [tall(first + QUIET * bool(more), layout) - CLOSER for layout in (WIDE, NARROW)]
        for n, member in enumerate(members):
            said = member.partition("<section ")[0]
            wide, narrow = tall(said, WIDE) - ITS_HEAD, tall(said, NARROW)
            if not more:
                whole = [whole[0] + wide + BETWEEN, whole[1] + narrow + BETWEEN]
            members[n] = f"<dl {_style((wide, narrow))}{member}"
        parts[k] = f"<dl {_style((whole[0], whole[1]))}" + parts[k][4:]
        parts[k + 1] = own + "".join(members)
    return "".join(parts)
