"""An embedding while it is trained, step by step.

`figure.js` beside this file computes and draws the same in the page.
"""

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from support import zoo
from support.view.live.controls import Action, Choice, Slider, fill
from support.view.live.description import LiveFigure
from support.view.maps import plot_map
from support.worlds.game import GREETING, PLAYERS

_FILM = zoo.record("embedding_film")
Values = dict[str, Any]


GROUPS = ("player", "title", "other word")


def group(word: str) -> str:
    """What a word of the calling game is.

    >>> group("Paolo"), group("vice"), group("banana")
    ('player', 'title', 'other word')
    """
    return GROUPS[0 if word in PLAYERS else 1 if word in GREETING.values() else 2]


def at_step(frame: float | int, word: str) -> Values:
    """The rows of the embedding at one moment of training, on the plane in which they will end.

    Args:
        frame: which picture, from 0.
        word: whose neighbours are told.

    >>> at_step(20, "Pietro")["near"][0]["now"]
    'Paolo'
    """
    record = _FILM
    words, frames = record["words"], record["frames"]
    now, i = frames[int(frame)], words.index(word)
    last = frames[-1]["near"][i]
    near = [
        {"rank": k + 1, "now": words[a], "cosine": cosine, "end": words[b]}
        for k, (a, cosine, b) in enumerate(zip(now["near"][i], now["cosine"][i], last, strict=True))
    ]
    path = [picture["points"][i] for picture in frames[: int(frame) + 1]]
    found = {"step": now["step"], "loss": now["loss"], "share": now["share"], "floor": record["floor"]}
    found["shared"] = len(set(now["near"][i]) & set(last))
    found["width"] = max(max(side) - min(side) for side in zip(*now["points"], strict=True))
    said = (
        "After {step} steps the loss is {loss:.3f} nats; with the game’s own probabilities it would be "
        "{floor:.3f}. Nearest to “{word}” is “{nearest}”; {shared} of its five nearest stay to the end."
    )
    finding = fill(said, found | {"word": word, "nearest": near[0]["now"]})
    return found | {"points": now["points"], "near": near, "path": path, "finding": finding}


def one_frame_on(values: Values, uniform: float) -> Values:
    """The next picture, as long as there is one.

    >>> one_frame_on({"frame": 3}, 0.0), one_frame_on({"frame": 20}, 0.0)
    ({'frame': 4}, {})
    """
    frame = int(values["frame"]) + 1
    return {"frame": frame} if frame < len(_FILM["frames"]) else {}


def one_frame_back(values: Values, uniform: float) -> Values:
    """The picture before, as long as there is one."""
    frame = int(values["frame"]) - 1
    return {"frame": frame} if frame >= 0 else {}


def draw_step(values: Values, found: Values) -> Figure:
    """The words at this step on the plane of the end, and the way of the chosen one."""
    record = _FILM
    words = record["words"]
    i = words.index(values["word"])
    named = [words[k] for k in (i, *record["frames"][int(values["frame"])]["near"][i])]
    points = np.array(found["points"])
    groups = [group(word) for word in words]
    fig = plot_map(points, words, groups=groups, show_only=named, title=f"after {found['step']} steps")
    ax, path = fig.axes[0], np.array(found["path"])
    everywhere = np.vstack([points, path])  # its own scale: at first all words would share a corner
    margin = 0.06 * (everywhere.max() - everywhere.min())
    low, high = everywhere.min(axis=0) - margin, everywhere.max(axis=0) + margin
    ax.plot(*path.T, color="#555555", linewidth=1.2, zorder=1)
    ax.set_aspect("equal", adjustable="box")
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    return fig


FIGURE = LiveFigure(
    name="film",
    title="The words find their places",
    controls=(
        Slider("frame", "Steps of training", 0, len(_FILM["frames"]) - 1, 1, 8, "{step}"),
        Choice("word", "A word to follow", tuple(_FILM["words"]), "Pietro"),
    ),
    compute=at_step,
    draw=draw_step,
    says="{finding}",
    columns=("", "nearest now", "cosine", "nearest at the end"),
    rows=(("{rank}", "{now}", "{cosine:.3f}", "{end}"),),
    each="near",
    actions=(
        Action("back", "Back", one_frame_back),
        Action("on", "Step", one_frame_on),
    ),
    plays="on",
    data={
        "words": _FILM["words"],
        "kinds": [group(word) for word in _FILM["words"]],
        "frames": _FILM["frames"],
        "floor": _FILM["floor"],
    },
    needs=("word_map.js",),
)
