"""A drawing: vector graphics with real text, in the colours of its roles, light and dark, and described."""

from typing import Any

from support.core import InputError
from support.view.style import ROLES

# A drawing is at most so wide. On a screen of 390 pixels a figure has 340, so letters keep their size there.
WIDTH = 340
SMALLEST = 11  # the size of the smallest letters
PAPER = ("#ffffff", "#14181d")
Number = int | float
FONT = "system-ui,'Segoe UI',Roboto,'DejaVu Sans',sans-serif"


def _colours(roles: set[str]) -> str:
    """Rules that give each role its colour: by the system's theme, and on a page by that page's."""
    light = "".join(f"--{r}:{ROLES[r][0]};" for r in sorted(roles))
    dark = "".join(f"--{r}:{ROLES[r][1]};" for r in sorted(roles))
    page = "--paper:var(--pst-color-background);"
    return (
        f".diagram{{{light}--paper:{PAPER[0]}}}"
        f"@media(prefers-color-scheme:dark){{.diagram{{{dark}--paper:{PAPER[1]}}}}}"
        f"html[data-theme=light] .diagram{{{light}{page}}}html[data-theme=dark] .diagram{{{dark}{page}}}"
        + "".join(
            f".b-{r}{{stroke:var(--{r});fill:var(--paper);"
            f"fill:color-mix(in srgb,var(--{r}) 11%,var(--paper))}}"
            for r in sorted(roles)
        )
        + ".diagram text{paint-order:stroke;stroke:var(--paper);stroke-width:3px;stroke-linejoin:round}"
        + ".diagram .in{stroke:none}"
    )


class Diagram:
    """A finished drawing; a notebook shows it, the page puts it among its text.

    Args:
        svg: its shapes.
        size: how wide and how high, in pixels on a phone.
        alt: what is drawn, in sentences, for readers who do not see it; also the printed form.
        roles: the roles whose colours it uses.
        wide: let it be wider than a phone; a page shows it where there is room, and a narrow one elsewhere.

    Raises:
        InputError: `alt` is too short to say anything, or the drawing is too wide for a phone.

    >>> Diagram("<path d='M0 0h9'/>", (90, 20), "A line that leads from left to right.", {"ink"})
    A line that leads from left to right.
    >>> Diagram("", (400, 20), "A line that leads from left to right.", {"ink"})
    Traceback (most recent call last):
    support.core.errors.InputError: the drawing is 400 wide; 340 is what a phone shows
    """

    def __init__(
        self, svg: str, size: tuple[Number, Number], alt: str, roles: set[str], wide: bool = False
    ) -> None:
        self.size, self.alt = size, " ".join(alt.split())
        if size[0] > WIDTH and not wide:
            raise InputError(f"the drawing is {size[0]:g} wide; {WIDTH} is what a phone shows")
        if len(self.alt) < 30:
            raise InputError(f"alt={self.alt!r} tells a blind reader nothing; say what is drawn")
        across, high = size
        words = self.alt.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
        self.svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="diagram" viewBox="0 0 {across:g} {high:g}" '
            f'width="{1.25 * across:g}" height="{1.25 * high:g}" style="max-width:100%;height:auto" '
            f'role="img" aria-label="{words}" font-family="{FONT}" fill="none" stroke-linejoin="round" '
            f'stroke-linecap="round"><style>{_colours(roles | {"ink", "faint", "line"})}</style>'
            f'<rect class="paper" width="{across:g}" height="{high:g}" rx="8" fill="var(--paper)"/>'
            f"{svg}</svg>\n"
        )

    def __repr__(self) -> str:
        return self.alt

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, str], dict[str, Any]]:
        return {"image/svg+xml": self.svg, "text/plain": self.alt}, {"image/svg+xml": {"alt": self.alt}}
