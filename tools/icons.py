"""Write book/assets/icons.css: the few icons that the pages use, as data.

The theme brings a script of 1.5 MB that draws every icon there is. The pages use about a dozen; here they are
cut out of that script into a style sheet, so that they also show when a page is opened as a file.
Run it again when a new theme uses another icon (a page test tells).
"""

import re
from pathlib import Path

import pydata_sphinx_theme

ICONS = [
    *("angle-left", "angle-right", "angles-right", "arrow-left", "arrow-up", "bars", "chevron-down"),
    *("chevron-right", "chevron-up", "circle-half-stroke", "code", "download", "expand", "file", "file-pdf"),
    *("flag", "list", "magnifying-glass", "moon", "play", "sun", "xmark"),
]
ROOT = Path(__file__).resolve().parent.parent
HEAD = """/* Made by tools/icons.py. Icons: Font Awesome Free 6, by Fonticons, CC BY 4.0. */
.fas, .far, .fa-solid, .fa-regular {
  display: inline-block; width: 1em; height: 1em; vertical-align: -0.125em; background-color: currentcolor;
  -webkit-mask: var(--icon) center / contain no-repeat; mask: var(--icon) center / contain no-repeat;
}
.fas::before, .far::before, .fa-solid::before, .fa-regular::before { content: none !important; }
i.fa-lg { font-size: 1.25em; }
"""


def main() -> None:
    """Cut the icons out of the theme's script."""
    theme = Path(pydata_sphinx_theme.__file__).parent / "theme" / "pydata_sphinx_theme" / "static"
    script = (theme / "scripts" / "fontawesome.js").read_text(encoding="utf8")
    rules = []
    for name in ICONS:
        found = re.findall(rf'(?<![\w-])"?{name}"?:\[(\d+),(\d+),\[[^\]]*\],"[^"]*","([^"]+)"\]', script)
        width, height, path = found[-1]  # the solid set is the last one in the script
        svg = (
            f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}'><path d='{path}'/></svg>"
        )
        data = svg.replace("<", "%3C").replace(">", "%3E").replace("#", "%23")
        rules.append(f'.fa-{name} {{ --icon: url("data:image/svg+xml,{data}"); }}')
    (ROOT / "book" / "assets" / "icons.css").write_text(HEAD + "\n".join(rules) + "\n", encoding="utf8")


if __name__ == "__main__":
    main()
