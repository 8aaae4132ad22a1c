"""A conversation that stands still: as text on a page, as a picture in a notebook."""

from html import escape

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from support.view import style
from support.view.live.assistant.conversation import Values

COLOURS = {"you": style.ROLES["token"][0], "harness": style.ROLES["ink"][0]}
NAMES = {  # who has written a part of a reply; figure.js says the same
    "request": "asks a tool",
    "result": "the tool answers",
    "refusal": "the harness refuses",
    "reply": "assistant",
    "sorry": "not read",
}
SIZE, GAP = 11, 0.12  # points; inches between two speakers


def talk_on_page(state: Values) -> str:
    """The conversation as HTML, in the classes that `figure.js` uses.

    >>> part = {"who": "reply", "shown": "4 < 5"}
    >>> print(talk_on_page({"talk": [{"user": "hello", "parts": [part]}]}))
    <div class="talk">
    <p class="talk-part talk-you"><span class="talk-who">you</span> hello</p>
    <p class="talk-part talk-reply"><span class="talk-who">assistant</span> 4 &lt; 5</p>
    </div>
    """
    said = []
    for turn in state["talk"]:
        said.append(("you", "you", turn["user"]))
        said += [(part["who"], NAMES[part["who"]], part["shown"] or "(nothing)") for part in turn["parts"]]
    lines = [
        f'<p class="talk-part talk-{kind}"><span class="talk-who">{name}</span> {escape(words)}</p>'
        for kind, name, words in said
    ]
    return "\n".join(['<div class="talk">', *lines, "</div>"])


class Measure:
    """How wide and how high a text is set, in inches."""

    def __init__(self, figure: Figure) -> None:
        self.text, self.dpi = figure.text(0, 0, "", fontsize=SIZE), figure.dpi
        self.renderer = FigureCanvasAgg(figure).get_renderer()

    def __call__(self, words: str, weight: str = "normal") -> tuple[float, float]:
        self.text.set(text=words, weight=weight)
        box = self.text.get_window_extent(self.renderer)
        return box.width / self.dpi, box.height / self.dpi


def lines_of(words: str, width: float, measure: Measure) -> list[str]:
    """Words in lines of at most so many inches; a word that is longer has a line of its own."""
    lines: list[str] = []
    for word in words.split():
        longer = f"{lines[-1]} {word}" if lines else ""
        if longer and measure(longer)[0] <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines or ["…"]


def draw_talk(values: Values, found: Values) -> Figure:
    """The conversation as lines, each in the colour of its writer; then what is being typed."""
    measure = Measure(Figure())
    said = [(line["who"].split(",")[0], line["what"]) for line in found["lines"]]
    if found["trouble"] or found["reading"]:
        said.append(("typed", found["trouble"] or " ".join(found["reading"])))
    margin = max([measure(f"{who}  ", "bold")[0] for who, _ in said], default=0.0) + GAP
    rows = [(who, lines_of(words, style.WIDTH - margin, measure)) for who, words in said]
    tools = f"calculator, prices, clock ({found['shown']})" if values["tools"] else "none"
    head = f"tools: {tools} · temperature: {values['temperature']:.1f}"
    line = 1.45 * SIZE / 72
    high = sum(line * len(texts) + GAP for _, texts in rows) + line + GAP
    fig, ax = style.subplots(figsize=(style.WIDTH, high))
    ax.set_axis_off()
    ax.set(xlim=(0, style.WIDTH), ylim=(high, 0), position=(0, 0, 1, 1))
    ax.text(0, 0, head, va="top", color=style.GREY, fontsize=SIZE)
    y = line + GAP
    for who, texts in rows:
        colour = COLOURS.get(who, style.ROLES["stream"][0])
        ax.text(0, y, who, va="top", color=colour, weight="bold", fontsize=SIZE)
        for k, text in enumerate(texts):
            ax.text(margin, y + k * line, text, va="top", color=colour, fontsize=SIZE)
        y += line * len(texts) + GAP
    return fig
