"""One look for every figure: colours that everybody can tell apart, letters that a phone can show."""

from typing import Any

import matplotlib
from cycler import cycler
from matplotlib.figure import Figure

# Okabe & Ito's palette, told apart by people with any common colour blindness. Its yellow is too pale for
# lines and letters on white, so it comes last and darkened.
COLOURS: dict[str, str] = {
    "blue": "#0072B2",
    "vermilion": "#D55E00",
    "green": "#009E73",
    "purple": "#CC79A7",
    "orange": "#E69F00",
    "sky": "#56B4E9",
    "black": "#222222",
    "olive": "#9A8F00",
}
# What a thing is decides its colour, on a light and on a dark ground, in drawings and live figures alike. As
# letters each has 4.5 : 1 at least on its ground. "attention" is the colour of its queries.
ROLES: dict[str, tuple[str, str]] = {
    "ink": ("#1c2733", "#e8edf2"),
    "faint": ("#586470", "#a8b4bf"),
    "line": ("#a9b6c2", "#566472"),
    "stream": ("#0072b2", "#6cc1f2"),
    "attention": ("#b8450a", "#ff9a5c"),
    "query": ("#b8450a", "#ff9a5c"),
    "key": ("#7d6200", "#e6c34f"),
    "value": ("#a3338f", "#f0a0e0"),
    "ffn": ("#00735a", "#4fd6ae"),
    "norm": ("#5d6b79", "#a9b6c4"),
    "token": ("#6b4a2b", "#d9b48f"),
    "output": ("#6a3fb5", "#bda4ff"),
    "loss": ("#b3243f", "#ff8fa0"),
}
# Each colour of the palette on a dark ground; where it is the colour of a role, the role's.
DARK: dict[str, str] = {
    "blue": "#6cc1f2",
    "vermilion": "#ff9a5c",
    "green": "#4fd6ae",
    "purple": "#f0a0e0",
    "orange": "#f2b134",
    "sky": "#3d8fcf",
    "black": "#e8edf2",
    "olive": "#c2b84a",
}
# Areas with words on them, in the dark: as far from the ground as pale letters allow. A colour of the palette
# stands for its `tint`; what is nothing special is pale grey.
PALE = "#E3E8EC"
DARK_AREAS: dict[str, str] = {"orange": "#8a5a00", "sky": "#1d6499", PALE: "#434b53"}
MARKERS: tuple[str, ...] = ("o", "s", "^", "D", "v", "P", "X", "*")  # so that no colour stands alone
LINES: tuple[str, ...] = ("-", "--", "-.", ":")
# What comes back from chart to chart has one colour, mark and dash in all of them, and a variant of it the
# same colour and mark with an open face: see `line_style`.
LINE_STYLES: dict[str, tuple[str, str, str]] = {
    "32 pictures": ("green", "^", "-."),
    "32 trained neurons": ("purple", "D", "-"),
    "full fine-tuning": ("blue", "o", "-"),
    "LoRA": ("vermilion", "s", "--"),
    "LoRA at a high rate": ("vermilion", "s", "--"),
    "LoRA at a low rate": ("vermilion", "s open", ":"),
    "LoRA, answers": ("vermilion", "s", "--"),
    "LoRA, all tokens": ("vermilion", "s open", ":"),
    "full, answers": ("blue", "o", "-"),
    "full, all tokens": ("blue", "o open", ":"),
    "one block": ("green", "^", "-."),
    "replay": ("purple", "D", "-."),
    "distillation": ("olive", "v", "-"),
    "no positions": ("blue", "o", "-"),
    "learned": ("vermilion", "s", "--"),
    "sinusoids": ("green", "^", "-."),
    "RoPE": ("purple", "D", ":"),
    "ALiBi": ("olive", "v", "-"),
    "plain numbers": ("black", "X", "--"),
    "nought to one": ("sky", "P", "-."),
    "many speeds": ("orange", "*", ":"),
    "residual, no norm": ("blue", "o", "-"),
    "no residual, norm": ("purple", "D", "-"),
    "pre-norm": ("vermilion", "s", "--"),
    "pre-norm, scaled init": ("vermilion", "s open", ":"),
    "pre-norm, RMSNorm": ("orange", "P", "-"),
    "post-norm": ("green", "^", "-."),
    "post-norm, scaled init": ("green", "^ open", ":"),
    "post-norm, warm-up": ("olive", "v", "-"),
    "no residuals": ("purple", "D", "-"),
}
# What fills the memory of a training run, and the role whose colour it has, in plots as in the live figure.
PART_ROLES: dict[str, str] = {
    "weights": "stream",
    "gradients": "query",
    "optimiser": "ffn",
    "activations": "value",
}
PARTS: dict[str, str] = {part: ROLES[role][0] for part, role in PART_ROLES.items()}
GREY = "#666666"  # 5.7 : 1 on white
QUIET = "#8b97a1"  # what stands beside the one thing that matters; 3 : 1 on white
UP = "Blues"  # for amounts from zero
# For amounts on both sides of zero: what is positive has a warm colour (red or orange), what is negative is
# blue, in plots and live figures alike.
BOTH = "RdBu_r"
DPI = 120  # 7 inches make 840 pixels: sharp in the book's column, small on disk
WIDTH = 4.7  # inches, 338 points: what a phone shows of a page, so that a point is a pixel there
WIDE = 7.0  # inches; panels side by side
LETTERS = 11.5  # points; no letter of a figure is smaller, but for exponents
ENOUGH = 4.55  # to one: the 4.5 that letters need on their ground (WCAG AA), and a little for rounding
NAMES = 0.42  # of the width of panels that share their names: the most that the names take


def use() -> None:
    """Set matplotlib's defaults to the book's; `subplots` does it for every figure.

    >>> use(); matplotlib.rcParams["font.size"]
    12.0
    """
    matplotlib.rcParams.update(
        {
            "font.family": "DejaVu Sans",  # comes with matplotlib, so it is the same everywhere
            "mathtext.fontset": "dejavusans",
            "font.size": 12,
            "axes.titlesize": 12,
            "axes.labelsize": 12,
            "xtick.labelsize": LETTERS,
            "ytick.labelsize": LETTERS,
            "legend.fontsize": LETTERS,
            "legend.frameon": False,
            "axes.prop_cycle": cycler(color=list(COLOURS.values())),
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.edgecolor": GREY,
            "xtick.color": GREY,
            "ytick.color": GREY,
            "xtick.labelcolor": "#222222",
            "ytick.labelcolor": "#222222",
            "text.color": "#222222",
            "axes.labelcolor": "#222222",
            "axes.titlecolor": "#222222",
            "lines.linewidth": 2,
            "lines.markersize": 6,
            "axes.grid": False,
            "image.interpolation": "nearest",
            "figure.facecolor": "white",  # a white card: it reads on a dark page too
            "figure.dpi": DPI,
            "figure.figsize": (WIDTH, 3.4),
        }
    )


def subplots(
    rows: int = 1, columns: int = 1, wide: bool = False, row: bool = False, **settings: Any
) -> tuple[Figure, Any]:
    """A figure in the book's style and its axes, as `matplotlib.pyplot.subplots` gives them.

    Unlike pyplot's, the figure is kept in no global list: nothing shows it but `show`, nothing needs closing.

    Args:
        rows: how many rows of axes.
        columns: how many in a row. One column is at most `WIDTH` wide, so that a phone shows it whole;
            two are `WIDE`, more are at least that, and on a page a phone gets them one below the other.
        wide: let one column be wider.
        row: let several columns share `WIDTH`, so that a phone shows them side by side.
        settings: ``figsize`` and ``layout`` go to the figure, everything else to `Figure.subplots`.

    >>> fig, ax = subplots(figsize=(7, 4))
    >>> fig.get_size_inches().tolist(), ax.get_title()
    ([4.7, 4.0], '')
    """
    use()
    across, high = settings.pop("figsize", (WIDTH, 3.4))
    if row:
        across = min(across, WIDTH)
    elif not wide:
        across = min(across, WIDTH) if columns == 1 else max(across, WIDE)
    if columns == 2 and not (wide or row):
        across = WIDE  # a page shows a wider one smaller, and its letters with it
    fig = Figure(figsize=(across, high), layout=settings.pop("layout", "constrained"), dpi=DPI)
    return fig, fig.subplots(rows, columns, **settings)


def colour(number: int) -> str:
    """The colour of the n-th thing, going round.

    >>> colour(0), colour(8) == colour(0)
    ('#0072B2', True)
    """
    return list(COLOURS.values())[number % len(COLOURS)]


def shades(count: int) -> list[str]:
    """So many colours from a light green over blue to a dark violet, for lines that are steps of one amount.

    Their hue changes with their lightness, so that neighbours are told apart. As letters each has 4.5 : 1 at
    least on white, so that a line and its name have one colour.

    >>> shades(3)
    ['#1a8373', '#38598c', '#440154']
    """
    steps = [0.55 * k / max(1, count - 1) for k in reversed(range(count))]
    return [dark_enough(matplotlib.colormaps["viridis"](step)[:3]) for step in steps]


def dark_enough(shade: tuple[float, float, float]) -> str:
    """A colour (red, green, blue from 0 to 1), darkened until letters in it read well on white.

    >>> dark_enough((1.0, 1.0, 1.0)), dark_enough((0.0, 0.0, 0.5))
    ('#737373', '#000080')
    """
    red, green, blue = shade
    for part in range(100):
        left = 1 - part / 100
        darker = (left * red, left * green, left * blue)
        if _light((1, 1, 1)) / _light(darker) >= ENOUGH + 0.05:  # and it is rounded to 256 steps
            break
    return str(matplotlib.colors.to_hex(darker))


def _channels(code: str) -> list[int]:
    return [int(code[i : i + 2], 16) for i in (1, 3, 5)]


def ink(number: int) -> str:
    """The colour of the n-th thing, darkened until letters in it read well on white.

    >>> ink(0), ink(5)
    ('#005A8D', '#2B5A74')
    """
    parts = _channels(colour(number))
    dark = 0.5 if sum(parts) > 380 else 0.79
    return "#" + "".join(f"{round(dark * part):02X}" for part in parts)


def tint(name: str) -> str:
    """A colour of the palette half-way to white: black letters on such an area read well.

    The dark theme turns it into a dark shade of the same hue (see `DARK_AREAS`), on which its pale letters
    read well too.

    Raises:
        KeyError: the palette has no colour of that name.

    >>> tint("orange"), tint("sky")
    ('#F2CF80', '#AADAF4')
    """
    return "#" + "".join(f"{round((part + 255) / 2):02X}" for part in _channels(COLOURS[name]))


def marker(number: int) -> str:
    """The marker of the n-th thing; it changes once the colours have gone round as well.

    >>> marker(0), marker(1), marker(8)
    ('o', 's', 's')
    """
    return MARKERS[(number + number // len(COLOURS)) % len(MARKERS)]


def line_style(name: str, number: int = 0) -> dict[str, Any]:
    """How the line of a thing looks, for `Axes.plot`: by `LINE_STYLES`, or else as the n-th line of a chart.

    >>> line_style("replay"), line_style("replay, one seed", 1)["color"]
    ({'color': '#CC79A7', 'marker': 'D', 'linestyle': '-.'}, '#D55E00')
    >>> line_style("LoRA at a low rate")["markerfacecolor"]
    'white'
    """
    if name not in LINE_STYLES:
        return {"color": colour(number), "marker": marker(number), "linestyle": LINES[number % len(LINES)]}
    hue, mark, dash = LINE_STYLES[name]
    face = {"markerfacecolor": "white"} if mark.endswith(" open") else {}
    return {"color": COLOURS[hue], "marker": mark.removesuffix(" open"), "linestyle": dash, **face}


def _light(shade: Any) -> float:
    """The relative luminance of a colour (WCAG 2, of 1 for white), and the 0.05 that contrasts add to it."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shade[:3]]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05


def readable_on(shade: Any) -> str:
    """The ink that letters on a colour (red, green, blue from 0 to 1) need, to have 4.5 : 1 at least.

    That is white or the ink of all other letters, whichever has it; on a few middling shades neither has, but
    black does.

    >>> readable_on((1, 1, 1)), readable_on((0, 0, 0.4)), readable_on((0.5, 0.5, 0.5))
    ('#222222', 'white', '#000000')
    """
    light, ink = _light(shade), COLOURS["black"]
    if _light((1, 1, 1)) / light >= ENOUGH:
        return "white"
    return ink if light / _light([part / 255 for part in _channels(ink)]) >= ENOUGH else "#000000"
