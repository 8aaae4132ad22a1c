"""Maps of words: points with names that do not lie on top of one another."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from support.core import InputError
from support.view import style
from support.view.figure import fit
from support.view.plots import numbers

ANGLES = np.linspace(0, 2 * np.pi, 16, endpoint=False)
REACHES = (5, 10, 17, 26, 38, 52, 70, 95)  # points from the dot to the near edge of its name
ROUNDS = 3  # after the first placing, each name may move again, seeing all the others


def plot_map(
    points: Any,
    words: Sequence[str],
    groups: Sequence[str] | None = None,
    title: str | Sequence[str] = "",
    xlabel: str = "",
    ylabel: str = "",
    columns: int = 1,
    axes: bool | None = None,
    show_only: Sequence[str] | None = None,
    font: float | int = style.LETTERS,
    size: tuple[float | int, float | int] | None = None,
) -> Figure:
    """Words as points on a plane, coloured by group; several maps of the same words stand side by side.

    Args:
        points: ``[word, 2]``; or a list of such arrays, for several maps.
        words: the name of each point.
        groups: the group of each word, shown by colour and marker.
        title: a heading (one for each map).
        xlabel: the meaning of the horizontal axis, if it has one.
        ylabel: the meaning of the vertical axis, if it has one.
        columns: how many maps stand side by side.
        axes: draw axes with numbers; by default only if they have a meaning (a label).
        show_only: the words to be named; all are drawn.
        font: size of the names in points.
        size: width and height in inches; up to `style.WIDTH`, a phone shows several maps side by side.

    Raises:
        InputError: the points are not in the plane, or not one word and one group to each.

    >>> fig = plot_map(np.eye(2), ["cat", "law"], groups=["animal", "idea"])
    >>> sorted(text.get_text() for text in fig.axes[0].texts)
    ['cat', 'law']
    """
    many = isinstance(points, list | tuple) and np.ndim(points[0]) == 2
    maps = [numbers(p) for p in points] if many else [numbers(points)]
    for m in maps:
        if m.ndim != 2 or m.shape[1] != 2 or len(m) != len(words):
            raise InputError(f"{len(words)} words need as many points in the plane; the shape is {m.shape}")
    if groups is not None and len(groups) != len(words):
        raise InputError(f"{len(groups)} groups do not fit {len(words)} words; give one for each")
    titles = [title] * len(maps) if isinstance(title, str) else list(title)
    wide = min(columns, len(maps))
    high = -(-len(maps) // wide)
    side = style.WIDTH if wide == 1 else 3.5
    across, up = size or (wide * side, high * side * 1.05)
    row = across <= style.WIDTH  # several small maps beside one another, on a phone, too
    fig, panels = style.subplots(high, wide, row=row, figsize=(across, up), squeeze=False)
    names = list(dict.fromkeys(groups)) if groups is not None else [""]
    kind = np.array([names.index(g) for g in groups] if groups is not None else [0] * len(words))
    with_axes = bool(xlabel or ylabel) if axes is None else axes
    for i, ax in enumerate(panels.flat):
        if i >= len(maps):
            ax.remove()
            continue
        for g, name in enumerate(names):
            here = maps[i][kind == g]
            ax.scatter(*here.T, s=30, color=style.colour(g), marker=style.marker(g), label=name, zorder=2)
        ax.set(title=titles[i], xlabel=xlabel, ylabel=ylabel)
        ax.margins(0.1)
        ax.set_aspect("equal", adjustable="datalim")  # the eye compares distances in all directions
        if not with_axes:  # numbers on an axis without a meaning would invite a reading that is wrong
            ax.set(xticks=[], yticks=[])
            ax.spines[:].set_visible(True)
            ax.spines[:].set_color("#cccccc")
    if len(names) > 1:
        handles, texts = panels[0, 0].get_legend_handles_labels()
        fig.legend(
            handles,
            texts,
            loc="outside upper center",
            ncols=min(3 if wide == 1 or row else 4, len(names)),
            columnspacing=1.2,
        )
    fit(fig)  # fixes where the axes are, so that names can be measured against points
    inks = [style.ink(k) for k in kind.tolist()]
    shown = np.array([show_only is None or word in show_only for word in words])
    for m, ax in zip(maps, panels.flat, strict=False):
        place_labels(ax, m, words, inks, shown, font)
    return fig


def plot_path(
    points: Any,
    stops: Sequence[str],
    landmarks: Any = None,
    names: Sequence[str] = (),
    xlabel: str = "",
    ylabel: str = "",
    title: str = "",
    size: tuple[float | int, float | int] = (style.WIDTH, 4.8),
) -> Figure:
    """A journey through a plane, stop by stop, among landmarks: the residual stream among words.

    Args:
        points: ``[stop, 2]``, in order.
        stops: the name of each stop.
        landmarks: ``[word, 2]``, points that do not move.
        names: the landmarks' names.
        xlabel: the meaning of the horizontal axis.
        ylabel: the meaning of the vertical axis.
        title: a heading.
        size: width and height in inches.

    Raises:
        InputError: not one name to each stop and landmark.

    >>> len(plot_path([[0, 0], [1, 2]], ["start", "end"]).axes[0].texts)
    3
    """
    path = numbers(points)
    still = numbers(landmarks) if landmarks is not None else np.zeros((0, 2))
    if len(stops) != len(path) or len(names) != len(still):
        raise InputError(
            f"{len(path)} stops and {len(still)} landmarks need as many names; give one for each"
        )
    fig, ax = style.subplots(figsize=size)
    ax.scatter(*still.T, s=30, color=style.GREY, marker="s", zorder=2)
    ax.plot(*path.T, "o", color=style.colour(1), zorder=3)
    for a, b in pairwise(path):
        arrow = dict(arrowstyle="-|>", color=style.colour(1), linewidth=1.8, shrinkA=3, shrinkB=3)
        ax.annotate("", xy=b, xytext=a, arrowprops=arrow)
    ax.set(xlabel=xlabel, ylabel=ylabel, title=title)
    ax.margins(0.12)
    ax.set_aspect("equal", adjustable="datalim")
    fig.draw_without_rendering()
    inks = [style.ink(1)] * len(path) + [style.GREY] * len(still)
    # Points along the arrows are kept free of names as well.
    between = [a + (b - a) * t for a, b in pairwise(path) for t in np.linspace(0.1, 0.9, 9)]
    everything = np.vstack([path, still, *between])
    place_labels(ax, everything, [*stops, *names], inks, font=style.LETTERS)
    return fig


def place_labels(
    ax: Axes,
    points: Any,
    labels: Sequence[str],
    inks: Sequence[str] | None = None,
    shown: Sequence[bool] | np.ndarray | None = None,
    font: float | int = style.LETTERS,
) -> None:
    """Write a name beside each point so that names cover neither points nor one another.

    Each name tries places around its point, nearest first, and takes the one that costs least; then all may
    move again. A name that had to go far is tied to its point by a thin line.

    Args:
        ax: the axes that the points are drawn in; their limits must be final.
        points: ``[word, 2]``, in data coordinates; those after the last label have no name but are kept free.
        labels: the names.
        inks: a colour for each.
        shown: which names to write.
        font: size in points.

    >>> ax = style.subplots()[1]
    >>> place_labels(ax, [[0.5, 0.5], [0.5, 0.5]], ["one", "two"])
    >>> one, two = (text.get_window_extent() for text in ax.texts)
    >>> bool(one.overlaps(two))
    False
    """
    figure = ax.get_figure(root=True)
    assert figure is not None  # these axes are drawn on one
    figure.draw_without_rendering()
    dots = ax.transData.transform(numbers(points))
    write = [i for i in range(len(labels)) if shown is None or shown[i]]
    pixel = figure.dpi / 72
    texts = [
        ax.annotate(labels[i], points[i], xytext=(0, 0), textcoords="offset points", fontsize=font,
                    color=inks[i] if inks else "#222222", ha="center", va="center", zorder=4)
        for i in write
    ]  # fmt: skip
    boxes = [text.get_window_extent() for text in texts]
    halves = np.array([(box.width / 2, box.height / 2 * 0.8) for box in boxes]).reshape(-1, 2)
    frame = ax.get_window_extent()
    centres = np.full((len(write), 2), -1e9)  # not placed yet: far from everything
    for _ in range(1 + ROUNDS):
        for k, i in enumerate(write):
            options = _places(dots[i], halves[k], pixel)
            costs = _costs(options, halves[k], centres, halves, k, dots, i, frame, pixel)
            centres[k] = options[costs.argmin()]
    for k, (i, text) in enumerate(zip(write, texts, strict=True)):
        text.set_position(tuple((centres[k] - dots[i]) / pixel))
        gap = np.maximum(np.abs(centres[k] - dots[i]) - halves[k], 0)
        if np.hypot(*gap) > 9 * pixel:
            step = centres[k] - dots[i]
            edge = centres[k] - np.sign(step) * np.minimum(halves[k], np.abs(step))
            ends = ax.transData.inverted().transform([dots[i], edge])
            ink = inks[i] if inks else style.GREY
            ax.plot(*ends.T, color=ink, linewidth=0.7, alpha=0.7, zorder=1.5, scalex=False, scaley=False)


def _places(dot: np.ndarray, half: np.ndarray, pixel: float) -> np.ndarray:
    """Centres for a name around its dot: for each angle and reach, the name's near edge is that far away."""
    reach, angle = (a.ravel() for a in np.meshgrid(np.array(REACHES) * pixel, ANGLES, indexing="ij"))
    way = np.column_stack([np.cos(angle), np.sin(angle)])
    return dot + way * reach[:, None] + np.sign(way.round(6)) * half * np.minimum(1, np.abs(way) * 1.5)


def _costs(options, half, centres, halves, own, dots, dot, frame, pixel) -> np.ndarray:
    """The nearer the better; covering a name or a dot, or leaving the frame, is worse than any distance."""
    room = half + halves + 1.5 * pixel
    over = np.clip(room[None] - np.abs(options[:, None] - centres[None]), 0, None)
    over[:, own] = 0
    names = (over.prod(2) / (4 * half.prod())).sum(1)
    close = np.clip(half + 4 * pixel - np.abs(options[:, None] - dots[None]), 0, None)
    covered = (close.prod(2) / (8 * pixel) ** 2).sum(1)
    low, high = np.array([frame.x0, frame.y0]) + half, np.array([frame.x1, frame.y1]) - half
    outside = (np.clip(low - options, 0, None) + np.clip(options - high, 0, None)).sum(1) / pixel
    far = np.linalg.norm(np.maximum(np.abs(options - dots[dot]) - half, 0), axis=1) / pixel
    # A long way, one may end up nearer to a stranger's dot than to one's own: count strangers' dots close by.
    others = np.delete(dots, dot, axis=0)
    gaps = np.linalg.norm(np.clip(np.abs(options[:, None] - others[None]) - half, 0, None), axis=2)
    stranger = (gaps < far[:, None] * pixel).sum(1) if len(others) else 0
    return 400 * names + 60 * covered + 30 * outside + 0.5 * far + 2.0 * stranger
