"""The still pictures of live figures, from the pages into files of their own.

The directive `live` (book/ext/live.py) writes its still picture into the page. A reader with scripts never
looks at it, yet the page could not be read before all of it had come. As a file, a picture is fetched when
it comes near, and in the place of a live figure it is not fetched at all. Small pictures that lie in one
file (book/ext/figure_list.py) get its address.
"""

import base64
import hashlib
import re
from pathlib import Path

INLINE = re.compile(r'(?<=\ssrc=")data:image/(?P<kind>png|webp);base64,(?P<data>[A-Za-z0-9+/=]+)(?=")')
SHEET = re.compile(r'<template data-sheet[^>]*>\s*<img [^>]*src="([^"]+)"[^>]*>\s*</template>')


def as_files(text: str, folder: Path, way: str) -> str:
    """A page whose pictures lie in ``folder``, to which ``way`` leads from the page."""

    def move(found: re.Match[str]) -> str:
        picture = base64.b64decode(found["data"], validate=True)
        path = folder / f"{hashlib.sha256(picture).hexdigest()}.{found['kind']}"
        folder.mkdir(exist_ok=True)
        path.write_bytes(picture)
        return f"{way}{path.name}"

    text = INLINE.sub(move, text)
    sheet = SHEET.search(text)
    return SHEET.sub("", text).replace('src="sheet:"', f'src="{sheet[1]}"') if sheet else text


def write(site: Path) -> None:
    """Move the pictures of all pages of a site into its folder of pictures."""
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf8")
        way = "../" * (len(page.relative_to(site).parts) - 1) + "_images/"
        lean = as_files(text, site / "_images", way)
        if lean != text:
            page.write_text(lean, encoding="utf8")
