"""The still picture of a conversation: who says what, from the top to the bottom."""

import textwrap

from matplotlib.figure import Figure

from support.view import style
from support.view.live.assistant.conversation import Values

COLOURS = {"you": style.ROLES["token"][0], "harness": style.ROLES["ink"][0]}
WIDE, LINE, GAP = 62, 0.23, 0.12  # characters a line; inches


def draw_talk(values: Values, found: Values) -> Figure:
    """The conversation as lines, each in the colour of its writer; then what is being typed."""
    rows = [
        (line["who"].split(",")[0], textwrap.wrap(line["what"], WIDE) or ["…"]) for line in found["lines"]
    ]
    if found["trouble"] or found["reading"]:
        reads = found["trouble"] or " ".join(found["reading"])
        rows.append(("typed", textwrap.wrap(reads, WIDE)))
    tools = "calculator, prices, clock" if values["tools"] else "none"
    head = f"tools: {tools} · clock: {found['shown']} · temperature: {values['temperature']:.1f}"
    high = sum(LINE * len(texts) + GAP for _, texts in rows) + LINE + GAP
    fig, ax = style.subplots(figsize=(style.WIDTH, high))
    ax.set_axis_off()
    ax.set(xlim=(0, 1), ylim=(high, 0))
    ax.text(0, 0, head, va="top", color=style.GREY, fontsize=11)
    y = LINE + GAP
    for who, texts in rows:
        colour = COLOURS.get(who, style.ROLES["stream"][0])
        ax.text(0, y, who, va="top", color=colour, weight="bold", fontsize=11)
        ax.text(0.14, y, "\n".join(texts), va="top", color=colour, fontsize=11, linespacing=1.25)
        y += LINE * len(texts) + GAP
    return fig
