"""The pages' content security policy: a browser runs and loads what the build put there, and nothing else.

Each page names, in a meta element, the digests of the small scripts that stand in it; all other scripts,
styles, pictures and fonts come from the book's own folder (`'self'` over http, `file:` when the pages are
opened as files). Styles may stand in the page: KaTeX places the parts of a formula with them.
"""

import base64
import hashlib
import re
from html import escape
from pathlib import Path

SCRIPT = re.compile(r"<script\b([^>]*)>(.*?)</script>", re.S | re.I)
HANDLER = re.compile(r"<[^<>]*\son[a-z]+\s*=\s*[\"'][^<>]*>", re.I)
ADDRESS = re.compile(r"(?:href|src|action)\s*=\s*[\"']?\s*javascript:", re.I)
CHARSET = re.compile(r"<meta charset=[^>]*>", re.I)
MARK = '<meta http-equiv="Content-Security-Policy"'
HERE = "'self' file:"
# The theme's button for printing carries its code with it; `book.js` does the same for this mark.
PRINTS = (' onclick="window.print()"', ' data-prints=""')


def digests(page: str) -> list[str]:
    """Of each script that stands in a page; data in a script element is not run, and needs none."""
    found = []
    for attributes, text in SCRIPT.findall(page):
        kind = re.search(r"\btype\s*=\s*[\"']?([^\"'\s>]+)", attributes)
        runs = kind is None or kind[1].lower() in ("module", "text/javascript", "application/javascript")
        if runs and not re.search(r"\bsrc\s*=", attributes):
            found.append(base64.b64encode(hashlib.sha256(text.encode()).digest()).decode())
    return list(dict.fromkeys(found))


def policy(page: str) -> str:
    """The policy of one page.

    >>> policy("<script>f()</script>").split("; ")[1]
    "script-src 'self' file: 'sha256-GcEEE0IkDzIP5EQ6DXZaDPORqT5RTBELX8Fyzyg9yvo='"
    """
    scripts = " ".join([HERE, *(f"'sha256-{d}'" for d in digests(page))])
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {scripts}",
            f"style-src {HERE} 'unsafe-inline'",
            f"img-src {HERE} data:",
            f"font-src {HERE} data:",
            f"connect-src {HERE}",
            "worker-src 'self'",
            f"form-action {HERE}",
            "base-uri 'none'",
        ]
    )


def applied(page: str, name: str = "page") -> str:
    """A page with its policy.

    Raises ``ValueError`` if the page holds code that no policy of this kind lets run.
    """
    page = page.replace(*PRINTS)
    bare = SCRIPT.sub("", page)
    for what in (HANDLER, ADDRESS):
        if found := what.search(bare):
            raise ValueError(f"{name} holds code in an attribute: {found[0][:120]}")
    charset = CHARSET.search(page)
    if charset is None or MARK in page:
        raise ValueError(f"{name} has no charset, or a policy already")
    meta = f'{MARK} content="{escape(policy(page), quote=True)}">'
    return f"{page[: charset.end()]}\n{meta}{page[charset.end() :]}"


def write(site: Path) -> None:
    """Give every page of a site its policy."""
    for path in sorted(site.rglob("*.html")):
        if "_static" not in path.relative_to(site).parts:
            text = applied(path.read_text(encoding="utf8"), path.relative_to(site).as_posix())
            path.write_text(text, encoding="utf8")
