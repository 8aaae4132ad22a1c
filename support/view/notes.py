"""What a plot says in itself: a few words at the point that matters."""

from typing import Any

from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from support.view import style
from support.view.ends import ink_of

TIED = 12  # points: words that stand further from their point are tied to it by a thin line


def note(
    plot: Figure | Axes,
    words: str,
    at: tuple[Any, Any],
    away: tuple[float | int, float | int] = (8, 0),
    colour: str = style.GREY,
    tie: bool | None = None,
) -> None:
    """Write a few words beside a point of a plot, in the colour of what they speak of.

    Args:
        plot: the axes, or a figure whose first axes are meant.
        words: what there is to see at the point; lines are broken as given.
        at: the point, in the units of the axes.
        away: how far to the right and up the words stand, in points.
        colour: that of the line or bar, darkened where letters need it.
        tie: draw a thin line from the words to the point; by default if they stand further than a dozen points.

    >>> fig, ax = style.subplots(); line = ax.plot([1, 2], [3, 1])
    >>> note(fig, "the lowest loss", at=(2, 1), away=(-10, 20)); ax.texts[0].get_ha()
    'right'
    """
    ax = plot.axes[0] if isinstance(plot, Figure) else plot
    across, up = away
    form: dict[str, Any] = {
        "ha": "left" if across > 0 else "right" if across < 0 else "center",
        "va": "center" if abs(up) <= abs(across) / 2 else "bottom" if up > 0 else "top",
        "color": ink_of(to_hex(colour)) if colour != style.GREY else style.GREY,
        "fontsize": style.LETTERS,
        "linespacing": 1.1,
        "zorder": 5,
        "annotation_clip": False,
    }
    if tie if tie is not None else (across**2 + up**2) ** 0.5 > TIED:
        line = {"arrowstyle": "-", "color": colour, "linewidth": 0.8, "shrinkA": 1, "shrinkB": 4}
        sides = {"left": 0.0, "right": 1.0, "center": 0.5}, {"bottom": 0.0, "top": 1.0, "center": 0.5}
        form["arrowprops"] = line | {"relpos": (sides[0][form["ha"]], sides[1][form["va"]])}
    ax.annotate(words, at, away, textcoords="offset points", **form)
