"""Live figures that are maps of words: one vocabulary under many maps; an embedding while it is trained.

All points come from records (``benchmarks/semantic_maps.py``, ``benchmarks/embedding_film.py``). On the page
`map_figures.js` shows the same.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from support import zoo
from support.view.controls import Action, Choice, LiveFigure, Slider, fill
from support.view.maps import plot_map
from support.view.text_figures import Text
from support.worlds.game import GREETING, PLAYERS

Values = dict[str, Any]
FREE = tuple(f"t-SNE, perplexity {p}" for p in (2, 5, 15))
MAPS = ("concept plane", "PCA", *FREE)
AXES = ("man ← → woman", "man ← → king")  # of the concept plane
NEAR = 5


@lru_cache
def kept(name: str) -> Values:
    """A record, read once."""
    return zoo.record(name)


# --- one vocabulary, many maps ---
def found_word(typed: str, words: Sequence[str]) -> int | None:
    """The number of the word that is typed, or else of the first that begins so.

    >>> found_word(" Lion", ["lioness", "lion"]), found_word("q", ["lion"]), found_word("", ["lion"])
    (1, None, None)
    """
    typed = typed.strip(" ").lower()
    if not typed or typed in words:
        return words.index(typed) if typed else None
    return next((i for i, word in enumerate(words) if word.startswith(typed)), None)


def near_on_map(points: Sequence[Sequence[float | int]], i: int) -> list[int]:
    """The five points nearest to point i, the nearest first.

    >>> near_on_map([[0, 0], [2, 0], [1, 0]], 0)
    [2, 1]
    """
    x, y = points[i]
    apart = [(a - x) * (a - x) + (b - y) * (b - y) for a, b in points]
    return sorted((k for k in range(len(points)) if k != i), key=lambda k: (apart[k], k))[:NEAR]


def under(which: str, seed: float | int, find: str) -> Values:
    """The nouns on one of the maps, and who is near whom there and in the space itself.

    Args:
        which: of `MAPS`.
        seed: it matters to t-SNE only.
        find: the beginning of a word.

    >>> under("PCA", 0, "king")["near"][0]
    {'rank': 1, 'there': 'soldier', 'truly': 'lion'}
    """
    record = kept("semantic_maps")
    words = record["words"]
    free = which in FREE
    perplexity = which.split()[-1]
    drawn = record["maps"][f"t-SNE {perplexity} {seed:.0f}" if free else which]
    seeded = {"seed_shown": f"{seed:.0f}" if free else "not used"}
    shown = {"points": drawn["points"], "chosen": found_word(find, words)}
    what = f"This t-SNE (perplexity {perplexity}, seed {seed:.0f})" if free else f"This {which}"
    said = "{what} shows {share:.1%} of the spread and keeps {kept:.1%} of the five nearest neighbours. "
    if free:
        said = "{what} has no axes and no share; it keeps {kept:.1%} of the five nearest neighbours. "
    finding = fill(said, drawn | {"what": what})
    i = shown["chosen"]
    if i is None:
        rest = f"No word here begins with “{find.strip(' ')}”." if find.strip(" ") else "Choose a word."
        return seeded | shown | {"near": [], "shared": 0, "finding": finding + rest}
    there, truly = near_on_map(drawn["points"], i), record["near"][i]
    near = [
        {"rank": k + 1, "there": words[a], "truly": words[b]}
        for k, (a, b) in enumerate(zip(there, truly, strict=True))
    ]
    shared = len(set(there) & set(truly))
    rest = f"Of the five nearest to “{words[i]}” on the map, {shared} are its nearest in the space."
    return seeded | shown | {"near": near, "shared": shared, "finding": finding + rest}


def other_word(values: Values, chance: float, step: int = 1) -> Values:
    """The next word of the list, or the one before.

    >>> other_word({"find": "king"}, 0.0), other_word({"find": "king"}, 0.0, -1)
    ({'find': 'queen'}, {'find': 'coin'})
    """
    words = kept("semantic_maps")["words"]
    i = found_word(values["find"], words)
    return {"find": words[0] if i is None else words[(i + step) % len(words)]}


def word_before(values: Values, chance: float) -> Values:
    """The word before."""
    return other_word(values, chance, -1)


def draw_under(values: Values, found: Values) -> Figure:
    """The map; the chosen word and its nearest in the space are named."""
    record = kept("semantic_maps")
    i = found["chosen"]
    named = record["words"] if i is None else [record["words"][k] for k in (i, *record["near"][i])]
    across, along = AXES if values["which"] == "concept plane" else ("", "")
    return plot_map(
        np.array(found["points"], dtype=float),
        record["words"],
        groups=record["kinds"],
        show_only=named,
        xlabel=across,
        ylabel=along,
        title=values["which"] if i is None else f"{values['which']}: {record['words'][i]} and its nearest",
    )


# --- an embedding in training ---
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
    record = kept("embedding_film")
    words, frames = record["words"], record["frames"]
    now, i = frames[int(frame)], words.index(word)
    last = frames[-1]["near"][i]
    near = [
        {"rank": k + 1, "now": words[a], "likeness": cosine, "end": words[b]}
        for k, (a, cosine, b) in enumerate(zip(now["near"][i], now["likeness"][i], last, strict=True))
    ]
    path = [picture["points"][i] for picture in frames[: int(frame) + 1]]
    found = {"step": now["step"], "loss": now["loss"], "share": now["share"], "floor": record["floor"]}
    found["shared"] = len(set(now["near"][i]) & set(last))
    said = (
        "After {step} steps the loss is {loss:.3f} nats (the game itself has {floor:.3f}), and the "
        "plane shows {share:.1%} of the spread. Nearest to “{word}” is “{nearest}”; {shared} of its five "
        "nearest are so at the end, too."
    )
    finding = fill(said, found | {"word": word, "nearest": near[0]["now"]})
    return found | {"points": now["points"], "near": near, "path": path, "finding": finding}


def one_frame_on(values: Values, chance: float) -> Values:
    """The next picture; after the last comes the first.

    >>> one_frame_on({"frame": 3}, 0.0), one_frame_on({"frame": 20}, 0.0)
    ({'frame': 4}, {'frame': 0})
    """
    return {"frame": (int(values["frame"]) + 1) % len(kept("embedding_film")["frames"])}


def one_frame_back(values: Values, chance: float) -> Values:
    """The picture before."""
    return {"frame": (int(values["frame"]) - 1) % len(kept("embedding_film")["frames"])}


def draw_step(values: Values, found: Values) -> Figure:
    """The words at this step on the plane of the end, and the way of the chosen one."""
    record = kept("embedding_film")
    words = record["words"]
    i = words.index(values["word"])
    named = [words[k] for k in (i, *record["frames"][int(values["frame"])]["near"][i])]
    points = np.array(found["points"])
    groups = [group(word) for word in words]
    fig = plot_map(points, words, groups=groups, show_only=named, title=f"after {found['step']} steps")
    ax, path = fig.axes[0], np.array(found["path"])
    everywhere = np.array([picture["points"] for picture in record["frames"]]).reshape(-1, 2)
    margin = 0.06 * (everywhere.max() - everywhere.min())
    low, high = everywhere.min(axis=0) - margin, everywhere.max(axis=0) + margin
    ax.plot(*path.T, color="#555555", linewidth=1.2, zorder=1)
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    return fig


def map_figures() -> tuple[LiveFigure, ...]:
    """Both of them."""
    maps, film = kept("semantic_maps"), kept("embedding_film")
    words = tuple(maps["words"])
    frames = film["frames"]
    return (
        LiveFigure(
            name="maps",
            title="One vocabulary, many maps",
            controls=(
                Choice("which", "The map", MAPS, FREE[1]),
                Slider("seed", "Seed (t-SNE)", 0, 5, 1, 0, "{seed_shown}"),
                Text("find", "Find a word", words, 100, "king"),
            ),
            compute=under,
            draw=draw_under,
            says="{finding}",
            columns=("", "nearest on the map", "nearest in the space"),
            rows=(("{rank}", "{there}", "{truly}"),),
            each="near",
            actions=(
                Action("back", "Word before", word_before),
                Action("on", "Next word", other_word),
            ),
            data={name: maps[name] for name in ("words", "kinds", "near", "maps")} | {"axes": AXES},
            script="map_figures.js",
        ),
        LiveFigure(
            name="film",
            title="The words find their places",
            controls=(
                Slider("frame", "Steps of training", 0, len(frames) - 1, 1, 8, "{step}"),
                Choice("word", "A word to follow", tuple(film["words"]), "Pietro"),
            ),
            compute=at_step,
            draw=draw_step,
            says="{finding}",
            columns=("", "nearest now", "cosine", "nearest at the end"),
            rows=(("{rank}", "{now}", "{likeness:.3f}", "{end}"),),
            each="near",
            actions=(
                Action("back", "One picture back", one_frame_back),
                Action("on", "Next picture", one_frame_on),
            ),
            data={
                "words": film["words"],
                "kinds": [group(word) for word in film["words"]],
                "frames": frames,
                "floor": film["floor"],
            },
            script="map_figures.js",
        ),
    )


FIGURES = {figure.name: figure for figure in map_figures()}
