"""How many words are enough: a new story, read with a list of the k most frequent words.

The counts are recorded (`benchmarks/vocabulary_coverage.py`); `figure.js` beside this file draws the same.
"""

from typing import Any

from matplotlib.figure import Figure

from support import zoo
from support.view import style
from support.view.live.controls import Slider
from support.view.live.description import LiveFigure

RECORD = zoo.record("vocabulary_coverage")
WORDS: list[str] = RECORD["words"]  # the most frequent first
STORY: list[str] = RECORD["story"]  # a new one
UNKNOWN = "<UNK>"


def coverage(kept: float | int) -> dict[str, Any]:
    """What a list of the most frequent words leaves of a thousand new stories.

    Args:
        kept: how many words are on the list.

    Returns:
        the shares of tokens that are known and of stories of known words alone; of the one story its
        words, with `UNKNOWN` for those that are not on the list, and how many those are; and the last word
        of the list.

    >>> found = coverage(100)
    >>> round(found["known"], 4), found["whole"], found["read"][:6], found["last"]
    (0.6593, 0.0, ['long', 'ago', 'there', 'was', 'a', '<UNK>'], 'i')
    """
    k = round(kept)
    on_the_list = set(WORDS[:k])
    read = [word if word in on_the_list else UNKNOWN for word in STORY]
    return {
        "known": RECORD["known_tokens"][k] / RECORD["tokens"],
        "whole": RECORD["known_stories"][k] / RECORD["stories"],
        "types": k / len(WORDS),
        "missing": read.count(UNKNOWN),
        "length": len(read),
        "read": read,
        "last": WORDS[k - 1],
    }


def draw_coverage(values: dict[str, Any], found: dict[str, Any]) -> Figure:
    """The two shares over the length of the list, and the beginning of the story as it is read."""
    fig, ax = style.subplots(figsize=(style.WIDTH, 4.6))
    sizes = range(1, len(WORDS) + 1)
    parts = [coverage(k) for k in sizes]
    ax.plot(sizes, [100 * part["known"] for part in parts], label="tokens known")
    ax.plot(sizes, [100 * part["whole"] for part in parts], "--", label="stories of known words alone")
    k = round(values["kept"])
    ax.axvline(k, color=style.GREY, linestyle=":")
    ax.plot([k, k], [100 * found["known"], 100 * found["whole"]], "o", color=style.GREY)
    ax.set(xlabel="words on the list", ylabel="per cent of a thousand new stories")
    lines = [" ".join(found["read"][i : i + 13]) for i in (0, 13, 26)]
    ax.set_title("\n".join(lines), fontsize=9, family="monospace")
    ax.legend()
    return fig


FIGURE = LiveFigure(
    name="coverage",
    title="How many words are enough?",
    controls=(Slider("kept", "Words on the list", 1, len(WORDS), 1, 400, "{kept:.0f}"),),
    compute=coverage,
    draw=draw_coverage,
    says="With the {kept:.0f} most frequent words, down to “{last}”, {known:.1%} of the tokens in new "
    "stories are known, and {whole:.1%} of the stories consist of known words alone. In this story "
    "{missing:.0f} of {length:.0f} tokens are unknown.",
    columns=("of a thousand new stories", "share"),
    rows=(
        ("types on the list", "{types:.1%}"),
        ("tokens known", "{known:.1%}"),
        ("stories of known words alone", "{whole:.1%}"),
    ),
    data={
        name: RECORD[name]
        for name in ("words", "story", "stories", "tokens", "known_tokens", "known_stories")
    },
)
