"""The plot of a training run."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from support.core import InputError
from support.view import style
from support.view.ends import name_lines
from support.view.figure import legend_above
from support.view.plots import draw_levels, numbers


def plot_history(
    history: Any,
    level: Mapping[str, Any] | None = None,
    smooth: int | None = None,
    title: str = "",
    rates: bool = False,
    size: tuple[float | int, float | int] | None = None,
    direct: bool = False,
) -> Figure:
    """How a training went: the loss by step, the evaluations as marks, and what to compare with as lines.

    Args:
        history: what `support.training.train` returns, or several by name.
        level: named losses to compare with: a floor, a baseline.
        smooth: draw the running mean over so many steps; by default a fiftieth of the run.
        title: a heading.
        rates: add a second panel with the learning rate (one history only).
        size: width and height in inches.
        direct: write the name of each line at its right end instead of in a legend.

    Raises:
        InputError: the history is empty.
    """
    runs = history if isinstance(history, Mapping) else {"": history}
    fig, axes = style.subplots(
        2 if rates else 1,
        1,
        figsize=size or (style.WIDTH, 4.8 if rates else 3.6),
        height_ratios=[3, 1] if rates else None,
        squeeze=False,
        sharex=True,
    )
    ax = axes[0, 0]
    for i, (name, run) in enumerate(runs.items()):
        steps, losses = numbers(run.steps), numbers(run.losses)
        if not len(losses):
            raise InputError("this history holds no step; train first")
        width = smooth or max(1, len(losses) // 50)
        mean = np.convolve(losses, np.ones(width) / width, mode="valid")
        ax.plot(steps, losses, color=style.colour(i), alpha=0.25, linewidth=1)
        ax.plot(steps[width - 1 :], mean, style.LINES[i % 4], color=style.colour(i), label=name or "training")
        at, values = _evaluations(run)
        if len(at):
            mark = dict(color=style.colour(i + 1), marker=style.marker(i + 1), linestyle="none")
            ax.plot(at, values, **mark, label=f"{name} held out".strip(), markersize=7, zorder=3)
    draw_levels(ax, level or {})
    ax.set(ylabel="loss (nats per token)", title=title)
    if direct:
        name_lines(ax)
    else:
        legend_above(fig, ax.get_legend_handles_labels()[1])
    if rates:
        run = next(iter(runs.values()))
        axes[1, 0].plot(numbers(run.steps), numbers(run.lrs), color=style.GREY)
        axes[1, 0].set_ylabel("learning rate")
    axes[-1, 0].set_xlabel("step")
    return fig


def _evaluations(run: Any) -> tuple[np.ndarray, np.ndarray]:
    """The evaluations of a history, kept as a mapping from step to loss or as (step, loss) pairs."""
    found = getattr(run, "evals", None) or {}
    pairs = list(found.items() if isinstance(found, Mapping) else found)
    return numbers([p[0] for p in pairs]), numbers([p[1] for p in pairs])
