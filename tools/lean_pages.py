"""What a page loads, made small: one style, one script, pictures when they come near.

The theme and its extensions name a dozen style sheets and as many scripts on every page. Here the sheets
that all pages share become one file without the rules that no page can meet; the theme's scripts are left
to `site.js`, which does what these pages use of them. The script that all pages share stands a second time
with that of every live figure, for the pages that have one. Only the page of the search loads the index.

A page opens in steps, from frame to frame: its title, its text, the chapters beside it, its own contents;
one step would hold a slow browser for half a second. Who comes by a link to a place, or back, has the whole
text in the first. Names of files hold a digest of their contents, so that a page of a new build never meets
a style or a script of an old one.
"""

import base64
import hashlib
import math
import re
import struct
from pathlib import Path

from code_lines import hung
from column import in_column
from heights import with_heights
from icons import with_icons
from lean_style import lean, shared_style, used_words, without_unused_fonts
from page_head import with_name
from stacking import stacked
from table_widths import MOST, with_widths

SHEET = re.compile(r'[ \t]*<link[^>]*\brel="stylesheet"[^>]*>\n?|[ \t]*<link[^>]*\bas="script"[^>]*>\n?')
SCRIPT = re.compile(r"[ \t]*<script(?P<attributes>[^>]*)>(?P<text>.*?)</script>\n?", re.S)
ADDRESS = re.compile(r'\b(?:href|src)="([^"?#]+)')
IMAGE = re.compile(r'<img\b(?P<attributes>[^>]*\bsrc="(?P<src>[^"]+)"[^>]*?)\s*/?>')
CODE = re.compile(
    r'(?P<head><div class="(?:cell_(?:input|output)[^>]*>\s*<div class="highlight-(?:python|ipython3)'
    r'|(?:doctest |before-section )?highlight-(?:python|default|bash))[^>]*><div class="highlight"><pre>)'
    r"(?:<span></span>)?(?P<code>.*?)(?P<tail></pre>)",
    re.S,
)
# In a signature the comma or bracket behind a parameter goes to the next line with it.
PARAMETER = re.compile(r'(<em class="sig-param">(?:(?!</em>).)*)</em>(,|<span class="sig-paren">\)</span>)')
SIGNATURE = re.compile(r'(?<=<dt class="sig )([^>]*>)(.*?)(?=</dt>)', re.S)
NO_KIND = re.compile(
    r'<span class="(?:pre|p|w)">([^<]*)</span>'
)  # a piece of a signature that looks as all do
# The theme's scripts, and those that only the search needs; `site.js` stands in the place of the first.
THEME = ("bootstrap.js", "pydata-sphinx-theme.js", "sphinx-book-theme.js", "fontawesome.js", "doctools.js")
THEME += ("sphinx_highlight.js", "clipboard.min.js", "copybutton.js", "togglebutton.js", "design-tabs.js")
OWN = ("site.js", "start.js", "asking.js", "offers.js", "book.js", "reading.js")
LIVE = ("live.js", "controls.js")  # of every page with a live figure
FETCHED = "names.js"  # (offers.js asks for it under a name that it puts together)
SEARCH = ("documentation_options.js", "searchtools.js", "language_data.js", "searchindex.js")
# Small inline scripts of the theme: the head's own line says the same, or the rest is gone that used them.
INLINE = re.compile(
    r"toggleHint|toggleOpenOnPrint|togglebuttonSelector|DOCUMENTATION_OPTIONS|documentElement\.dataset\.mode"
)
HEAD = """<script>try { const page = document.documentElement.dataset;
const dark = matchMedia("(prefers-color-scheme: dark)").matches;
const phone = matchMedia("(max-width: 600px)").matches;
page.mode = localStorage.getItem("mode") || "auto";
page.reading = localStorage.getItem("reading") || (phone ? "picture" : "all");
page.theme = page.mode === "auto" ? (dark ? "dark" : "light") : page.mode; } catch { }
(() => { const page = document.documentElement.dataset, open = () => { delete page.opening; };
const step = (k) => requestAnimationFrame(() => setTimeout(() => {
if (k > 10 || !page.opening) open(); else { page.opening = k; step(k + 1); } }));
if (document.hidden) return;
const goes = performance.getEntriesByType("navigation")[0]?.type;
const first = location.hash || goes !== "navigate" ? 8 : 1;
page.opening = first; step(first + 1); addEventListener("load", () => setTimeout(open, 2000)); })();</script>
"""
SHARED = ("theme.css", "pydata-sphinx-theme.css", "pygments.css", "sphinx-book-theme.css", "copybutton.css")
SHARED += ("sphinx-design.min.css", "book.css", "fonts.css")
LEFT_OUT = ("togglebutton.css",)  # nothing on the pages is toggled by it

NARROW = ".narrow.svg"  # how the name of a plot ends that is laid out for a phone
FITTED = 'data-fitted=""'  # a plot that was laid out for the column of a page
SMALL = 460  # pixels; a plot no wider than that is small
# Pixels for a point of a plot at a desk: letters of 11.5 points, in a face of higher small letters, are then
# 0.82 as high as those of the text, which have 16.5 pixels. On a phone they keep their size.
PIXELS = 1.04

# Of what is written into the pages later:
PAIR = 'class="plot small only-light only-dark with-table with-wide-table with-plot columns-8 columns-12'
PAIR += " code-line kept piece one-number"
PAIR += "".join(f" right-{k + 1}" for k in range(MOST)) + '"'


def pages_of(site: Path) -> list[Path]:
    """All pages, but for what the theme keeps among its files."""
    return [p for p in sorted(site.rglob("*.html")) if "_static" not in p.relative_to(site).parts]


def size_of(folder: Path, src: str) -> tuple[int, int] | None:
    """Width and height of a PNG, from its head."""
    if src.startswith("data:image/png;base64,"):
        head = base64.b64decode(src[22:54])
    else:
        head = (folder / src).read_bytes()[:24] if src.endswith(".png") else b""
    return struct.unpack(">II", head[16:24]) if head[:8] == b"\x89PNG\r\n\x1a\n" else None


def both_themes(attributes: str, svg: str, narrow: str = "") -> str:
    """A plot in the colours of each theme (book/ext/plots.py); the browser loads the one that it shows.

    With ``narrow``, the same plot for a phone (tools/stacking.py), each is a choice between the two.

    >>> both_themes(' src="a.plot.svg"', '<svg data-least="9" width="72pt" height="36pt">').count("<img ")
    2
    """
    least, *size = (re.search(rf'\b{name}="([\d.]+)', svg) for name in ("data-least", "width", "height"))
    assert least and all(size)
    wide, high = (round(float(side[1]) * PIXELS) for side in size if side)
    attributes = re.sub(r'\s(?:class|style|width|height)="[^"]*"', "", attributes)
    attributes += f' style="--least:{least[1]}px" width="{wide}" height="{high}" loading="lazy"'
    night = attributes.replace('.plot.svg"', '.plot.svg#dark"')
    kind = "plot small" if wide <= SMALL else "plot"
    light = f'<img class="{kind} only-light"{attributes} decoding="async"/>'
    dark = f'<img class="{kind} only-dark"{night} decoding="async"/>'
    if not narrow:
        return light + dark
    src = re.search(r'\ssrc="([^"]*)\.plot\.svg"', attributes)
    sides = [re.search(rf'\b{name}="([\d.]+)', narrow) for name in ("width", "height")]
    assert src and size[0] and all(sides)
    across, down = (round(float(side[1]) * 4 / 3) for side in sides if side)
    least_there = math.ceil(float(least[1]) * across * PIXELS / (4 / 3 * wide))
    place = f'width="{across}" height="{down}"'

    def choice(image: str, theme: str) -> str:
        image = image.replace("--least:", f"--narrow:{least_there}px;--least:", 1)
        source = f'<source media="(max-width: 600px)" srcset="{src[1]}{NARROW}{theme}" {place}/>'
        return f"<picture>{source}{image}</picture>"

    return choice(light, "") + choice(dark, "#dark")


def with_lazy_pictures(text: str, folder: Path) -> str:
    """Each picture is loaded when it comes near, into a place that is kept for it."""

    def mend(found: re.Match[str]) -> str:
        attributes, src = found["attributes"].rstrip(), found["src"]
        if "logo__image" in attributes:
            return found[0]
        if src.endswith(".plot.svg"):
            svg = (folder / src).read_text(encoding="utf8")
            there = folder / f"{src.removesuffix('.plot.svg')}{NARROW}"
            if FITTED in svg[:300]:  # another page has it, too
                narrow = there.read_text(encoding="utf8") if there.exists() else ""
            else:
                fitted = in_column(svg)
                narrow = stacked(svg) or ("" if fitted == svg else svg)
                if narrow:
                    there.write_text(narrow, encoding="utf8")
                svg = fitted.replace("<svg ", f"<svg {FITTED} ", 1)
                (folder / src).write_text(svg, encoding="utf8")
            return both_themes(attributes, svg, narrow)
        size = size_of(folder, src)
        if size and not re.search(r"\bwidth=", attributes):
            attributes += f' width="{size[0]}" height="{size[1]}"'
        return f'<img{attributes} loading="lazy" decoding="async"/>'

    return IMAGE.sub(mend, text)


SIDEBAR = re.compile(r'<nav\b[^>]*\bclass="bd-links\b.*?</nav>', re.S)  # (its attributes in any order)


def plain_signatures(body: str) -> str:
    """Signatures without the elements around pieces that have no colour of their own: half of all elements.

    >>> plain_signatures('<dt class="sig py"><span class="p"><span class="pre">[</span></span></dt>')
    '<dt class="sig py">[</dt>'
    """
    return SIGNATURE.sub(lambda m: m[1] + NO_KIND.sub(r"\1", NO_KIND.sub(r"\1", m[2])), body)


def without_empty_heads(body: str) -> str:
    """A table without column names has no bar for them.

    >>> without_empty_heads("<table><thead><tr><th><p></p></th></tr></thead><tr><td>1</td></tr></table>")
    '<table><tr><td>1</td></tr></table>'
    """
    return re.sub(
        r"<thead>.*?</thead>\n?", lambda m: m[0] if re.sub(r"<[^>]*>|\s", "", m[0]) else "", body, flags=re.S
    )


class Files:
    """Writes what pages share under a name that holds a digest of it."""

    def __init__(self, site: Path) -> None:
        self.folder = site / "_static"
        self.known: dict[str, str] = {}
        self.script = self.live_script = ""

    def write(self, name: str, text: str) -> str:
        """The name of the file, below `_static`."""
        stem, _, ending = name.rpartition(".")
        named = f"{stem}-{hashlib.sha256(text.encode()).hexdigest()[:10]}.{ending}"
        if named not in self.known:
            self.known[named] = text
            (self.folder / named).write_text(text, encoding="utf8")
        return named


def script_of(path: Path) -> str:
    """A script without the comments that have lines of their own; they stand in the repository.

    (No text of ours that goes over several lines has a line that begins so.)
    """
    return re.sub(r"^[ \t]*//.*\n", "", path.read_text(encoding="utf8"), flags=re.M)


def _names(tag: str) -> str:
    found = ADDRESS.search(tag)
    return found[1] if found else ""


def numbered(text: str, page: Path) -> str:
    """Chapters with their numbers: in the sidebar, over the text, in the title, and where one goes on."""
    mark = r'<span class="chapter-number">{}</span>'
    bar = r'<a class="([^"]*)" href="([^"#]*?(\d\d)_\w+\.html)">'
    own = re.match(r"(\d\d)_", page.name)

    def link(found: re.Match[str]) -> str:
        return (
            f'<a class="{found[1]}" href="{found[2]}" data-chapter="{found[3]}">{mark.format(int(found[3]))}'
        )

    found = SIDEBAR.search(text)
    begin, nav, rest = (text[: found.start()], found[0], text[found.end() :]) if found else (text, "", "")
    nav = re.sub(bar, link, nav)
    nav = nav.replace("</nav>", '<p class="reading-progress pst-js-only"></p></nav>')
    if own:
        number = int(own[1])
        here = rf'<a class="\1" href="#" data-chapter="{own[1]}">{mark.format(number)}'
        nav = re.sub(r'<a class="([^"]*current[^"]*)" href="#">', here, nav, count=1)
        rest = re.sub(r"(<section[^>]*>\s*<h1>)", rf"\1{mark.format(number)}", rest, count=1)
        rest = rest.replace("<body", f'<body data-chapter="{own[1]}"', 1)
        begin = begin.replace("<title>", f"<title>{number} ", 1).replace(
            "<body", f'<body data-chapter="{own[1]}"', 1
        )
    text = begin + nav + rest
    step = r'(href="[^"]*?(\d\d)_\w+\.html"\s+title="(?:previous|next) page">.*?<p class="prev-next-title">)'
    return re.sub(step, lambda m: m[1] + mark.format(int(m[2])), text, flags=re.S)


def lean_page(text: str, page: Path, site: Path, style: str, files: Files) -> str:
    """One page that loads the shared style and script, and what it alone needs."""
    root = "../" * (len(page.relative_to(site).parts) - 1)
    searches = page.name == "search.html"
    extra = []
    for tag in SHEET.findall(text):
        name = Path(_names(tag)).name
        if 'rel="stylesheet"' in tag and name not in (*SHARED, *LEFT_OUT) and not name.startswith("mystnb"):
            extra.append(tag.strip())
    own: list[Path] = []

    def sort_out(found: re.Match[str]) -> str:
        attributes, inline = found["attributes"], found["text"]
        if "application/" in attributes:
            return found[0]
        if "src=" not in attributes:
            if INLINE.search(inline) and not searches:
                return ""
            return "" if re.search("toggle|dataset\\.mode", inline) else found[0]
        name = Path(_names(found[0])).name
        if searches and name in (*SEARCH, "doctools.js", "sphinx_highlight.js"):
            return found[0]
        if name not in (*THEME, *SEARCH, *OWN):
            own.append((page.parent / _names(found[0])).resolve())
        return ""

    head, mark, body = text.partition("</head>")
    head, body = SCRIPT.sub(sort_out, SHEET.sub("", head)), SCRIPT.sub(sort_out, body)
    alone = [script_of(path) for path in own if path.name not in LIVE]
    names = [files.script if len(alone) == len(own) else files.live_script]
    names += [files.write("page.js", "\n".join(alone))] if alone else []
    scripts = [f'<script defer src="{root}_static/{name}"></script>' for name in names]
    sheet = f'<link rel="stylesheet" href="{root}_static/{style}">'
    head = head.rstrip() + "\n" + "\n".join([HEAD.strip(), sheet, *extra, *scripts]) + "\n"
    head = re.sub(r'(\s*<meta name="viewport"[^>]*>)(?=.*<meta name="viewport")', "", head, flags=re.S)
    body = with_icons(with_name(body))
    body = CODE.sub(lambda m: m["head"] + hung(m["code"]) + m["tail"], body)
    body = plain_signatures(PARAMETER.sub(r"\1\2</em>", body))
    if "bd-sidebar-secondary" not in body:  # no contents
        body = body.replace('<div class="bd-content"', '<div class="bd-content alone"', 1)
    return head + mark + with_heights(with_widths(with_lazy_pictures(without_empty_heads(body), page.parent)))


def write(site: Path) -> None:
    """Make all pages of a site lean, and take away what no page names any more."""
    static = site / "_static"
    pages = pages_of(site)
    texts = {page: numbered(page.read_text(encoding="utf8"), page) for page in pages}
    named = [_names(tag) for text in texts.values() for tag in SHEET.findall(text) if "stylesheet" in tag]
    own = {Path(name).name: name.partition("_static/")[2] for name in named if "_static/" in name}
    order = [n for n in own if (n in SHARED or n.startswith("mystnb")) and n != "book.css"] + ["book.css"]
    files = Files(site)
    staying = [*static.glob("*.js"), *static.glob("live/**/*.js"), site / "_static" / "searchtools.js"]
    words = used_words([*texts.values(), PAIR], [p for p in staying if p.name not in THEME])
    style = files.write("style.css", shared_style(site, words, [own[n] for n in order if n in own]))
    shared = [script_of(static / name) for name in OWN + LIVE]
    files.script = files.write("script.js", "\n".join(shared[: len(OWN)]))
    files.live_script = files.write("script.js", "\n".join(shared))
    for page, text in texts.items():
        if 'http-equiv="refresh"' not in text:
            page.write_text(lean_page(text, page, site, style, files), encoding="utf8")
    for sheet in static.glob("*.css"):  # of some pages only
        if sheet.name not in SHARED and not sheet.name.startswith("style-"):
            sheet.write_text(lean(sheet.read_text(encoding="utf8")), encoding="utf8")
    katex = static / "katex" / "katex.min.css"
    if katex.is_file():  # the sweep takes the faces that it does not name any more
        katex.write_text(without_unused_fonts(katex.read_text(encoding="utf8"), words), encoding="utf8")
    _sweep(site)


def _sweep(site: Path) -> None:
    """Files below `_static` that no page, style or script names, or that a joint script holds already."""
    static = site / "_static"
    named = "\n".join(p.read_text(encoding="utf8") for p in pages_of(site))
    texts = [p for p in static.rglob("*") if p.suffix in (".css", ".js") and p.name in named]
    # (A style sheet that names another only in a comment does not load it.)
    named += re.sub(
        r"/\*.*?\*/", "", "\n".join(p.read_text("utf8") for p in texts if p.suffix == ".css"), flags=re.S
    )
    named += "\n".join([FETCHED, *(p.read_text("utf8") for p in texts if p.suffix == ".js")])
    joint = [p.read_text(encoding="utf8") for p in (*static.glob("script-*.js"), *static.glob("page-*.js"))]
    for path in sorted(p for p in static.rglob("*") if p.is_file()):
        alone = path.suffix != ".js" or path.relative_to(site).as_posix() in named
        held = not alone and any(script_of(path) in script for script in joint)
        if held or (path.name not in named and path.name != "LICENSE"):
            path.unlink()
    for folder in sorted((p for p in static.rglob("*") if p.is_dir()), reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()
