"""Live figures: one description of controls, numbers and words, for notebooks and for pages.

A `LiveFigure` says what a reader can move, what is computed from it, and how that is put into words. In a
notebook `live` shows it with ipywidgets. On a page the book's script `live.js` shows the same description,
with `compute` and the drawing written once more in JavaScript; a test compares all that the two show. A
figure that runs a model of the zoo names it; the page then loads the same weights
(`support.exchange.web_export`).
"""

import html
import json
import math
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from IPython import get_ipython
from IPython.display import publish_display_data
from matplotlib.figure import Figure

from support.core import InputError, optional
from support.view.figure import png
from support.view.tables import table

WIDGET = "application/vnd.jupyter.widget-view+json"
BLANK = re.compile(r"\{(\w+)(?::\.(\d)([f%]))?\}")
Values = dict[str, Any]


def shown(value: Any, digits: int = 0, percent: bool = False) -> str:
    """A number as pages write it: halves go up as in JavaScript's `toFixed`, with a true minus and no −0.

    >>> shown(0.125, 2), shown(-0.0001, 2), shown(-1.5, 1), shown(0.5654, 1, percent=True)
    ('0.13', '0.00', '−1.5', '56.5%')
    """
    number = float(value) * 100 if percent else float(value)
    if not math.isfinite(number):
        text = "–" if math.isnan(number) else "∞" if number > 0 else "−∞"
    else:
        text = str(Decimal(abs(number)).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))
        if number < 0 and text.strip("0."):
            text = f"−{text}"
    return f"{text}%" if percent else text


def fill(template: str, values: Mapping[str, Any]) -> str:
    """Put values into ``{name}``, ``{name:.2f}`` or ``{name:.1%}``; the page's script reads the same signs.

    Raises:
        InputError: the template names a value that is not there.

    >>> fill("{who} passes with {p:.0%}.", {"who": "Ada", "p": 0.9})
    'Ada passes with 90%.'
    """

    def put(found: re.Match[str]) -> str:
        name, digits, kind = found.groups()
        if name not in values:
            raise InputError(f"the template names {name!r}, but the values are {', '.join(values)}")
        return str(values[name]) if kind is None else shown(values[name], int(digits), kind == "%")

    return BLANK.sub(put, template)


@dataclass(frozen=True)
class Slider:
    """A number between two ends, moved in equal steps.

    >>> Slider("hours", "Hours a day", 0, 10, 0.5, 5, "{hours:.1f} h").accept(5.5)
    5.5
    """

    name: str
    label: str
    low: float | int
    high: float | int
    step: float | int
    start: float | int
    show: str  # a template for the value beside the slider

    def accept(self, value: Any) -> float:
        """The value as a number the slider can stand at. Raises: InputError if it cannot."""
        good = isinstance(value, int | float) and self.low <= value <= self.high
        steps = (value - self.low) / self.step if good else 0.5
        if abs(steps - round(steps)) > 1e-6:
            raise InputError(
                f"{self.name}={value!r} is not between {self.low:g} and {self.high:g} in steps of "
                f"{self.step:g}; choose such a number"
            )
        return float(value)

    def setting(self, state: Values) -> str:
        """What is written beside the slider."""
        return fill(self.show, state)

    def spec(self, start: Any) -> Values:
        """What the page needs to know."""
        ends = {"low": self.low, "high": self.high, "step": self.step}
        return {
            "kind": "slider",
            "name": self.name,
            "label": self.label,
            **ends,
            "start": start,
            "show": self.show,
        }


@dataclass(frozen=True)
class Choice:
    """One of a few words.

    >>> Choice("what", "Draw", ("losses", "slopes"), "losses").accept("slopes")
    'slopes'
    """

    name: str
    label: str
    options: tuple[str, ...]
    start: str

    def accept(self, value: Any) -> str:
        """The value, if it is one of the options. Raises: InputError if not."""
        if value not in self.options:
            raise InputError(f"{self.name}={value!r} is none of: {', '.join(self.options)}; choose one")
        return value

    def setting(self, state: Values) -> str:
        """The chosen word."""
        return state[self.name]

    def spec(self, start: Any) -> Values:
        """What the page needs to know."""
        words = {"options": list(self.options), "start": start}
        return {"kind": "choice", "name": self.name, "label": self.label, **words}


@dataclass(frozen=True)
class Switch:
    """Something that is on or off.

    >>> Switch("h11", "head 1").accept("off")
    False
    """

    name: str
    label: str
    start: bool = True
    group: str = ""  # neighbours of one group stand under a common heading

    def accept(self, value: Any) -> bool:
        """The value, True for on. Raises: InputError if it is something else."""
        if value not in (True, False, "on", "off"):
            raise InputError(f"{self.name}={value!r} is neither on nor off; choose one")
        return value in (True, "on")

    def setting(self, state: Values) -> str:
        """On or off."""
        return "on" if state[self.name] else "off"

    def spec(self, start: Any) -> Values:
        """What the page needs to know."""
        who = {"name": self.name, "label": self.label, "group": self.group}
        return {"kind": "switch", **who, "start": start}


@dataclass(frozen=True)
class Prompt:
    """A text of known words with spaces between them; the model reads ``<BOS>`` before it.

    >>> Prompt("prompt", "The text", ("the", "cat", "<EOS>"), 9, "the cat").accept(" cat  <EOS>")
    'cat <EOS>'
    """

    name: str
    label: str
    words: tuple[str, ...]
    most: int  # words in a text
    start: str
    stop: str = "<EOS>"  # nothing follows it

    def accept(self, value: Any) -> str:
        """The text, with single spaces. Raises: InputError if a word is unknown or there are too many."""
        words = value.split() if isinstance(value, str) else [value]
        unknown = [word for word in words if word not in self.words]
        if unknown:
            raise InputError(f"{self.name}: {unknown[0]!r} is none of the model's words; choose one of them")
        if len(words) > self.most:
            raise InputError(f"{self.name} has {len(words)} words; the model reads {self.most} at most")
        if self.stop in words[:-1]:
            raise InputError(f"{self.name}: nothing follows {self.stop}; leave out what stands behind it")
        return " ".join(words)

    def setting(self, state: Values) -> str:
        """The text."""
        return state[self.name]

    def spec(self, start: Any) -> Values:
        """What the page needs to know."""
        limits = {"words": list(self.words), "most": self.most, "stop": self.stop}
        return {"kind": "prompt", "name": self.name, "label": self.label, **limits, "start": start}


Control = Slider | Choice | Switch | Prompt


@dataclass(frozen=True)
class Action:
    """A button: from the controls' values and a number from 0 to 1, drawn afresh, to values that change."""

    name: str
    label: str
    act: Callable[[Values, float], Values]


@dataclass(frozen=True)
class LiveFigure:
    """Controls, what follows from them, and how it is shown.

    Args:
        name: short, as in ``live("student")``.
        title: a heading.
        controls: what a reader can move.
        compute: from the controls' values (by name) to everything shown, as floats and words by name.
        draw: from the controls' values and what `compute` gave to a figure.
        says: a template: one sentence with the finding; it is also the figure's alternative text.
        columns: the headings of a small table; the first stands above the rows' names.
        rows: its rows, as templates.
        data: constants (weights, names) that the page's script needs for the same computation.
        each: a name in what `compute` gives: a list of values by name. The table has a row for each of them,
            all made from the one row of templates.
        actions: buttons.
        model: the model of the zoo that the page must load.
        ask: what is written on a button that must be pressed before the page loads the model.
        script: the page's script that has it, if it is neither `live.js` nor one of a model's.
    """

    name: str
    title: str
    controls: tuple[Control, ...]
    compute: Callable[..., Values]
    draw: Callable[[Values, Values], Figure]
    says: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    data: Mapping[str, Any] = field(default_factory=dict)
    each: str = ""
    actions: tuple[Action, ...] = ()
    model: str = ""
    ask: str = ""
    script: str = ""

    def values(self, **start: Any) -> Values:
        """The value of every control: where it starts, or as given.

        Raises:
            InputError: there is no such control, or it cannot have such a value.
        """
        known = {control.name: control for control in self.controls}
        for name in start:
            if name not in known:
                raise InputError(f"{self.name} has no control {name!r}, but: {', '.join(known)}")
        return {name: control.accept(start.get(name, control.start)) for name, control in known.items()}

    def state(self, values: Values) -> Values:
        """The controls' values together with all that is computed from them."""
        return values | self.compute(**values)

    def sentence(self, values: Values) -> str:
        """The finding in words."""
        return fill(self.says, self.state(values))

    def cells(self, values: Values) -> list[list[str]]:
        """The rows of the small table."""
        state = self.state(values)
        items: Sequence[Values] = state[self.each] if self.each else [{}]
        return [[fill(cell, state | item) for cell in row] for item in items for row in self.rows]

    def settings(self, values: Values) -> list[str]:
        """What is written beside each control."""
        state = self.state(values)
        return [control.setting(state) for control in self.controls]

    def text(self, values: Values) -> str:
        """Everything that the figure says, as plain lines.

        >>> print(find("temperature").text(find("temperature").values()))
        Temperature: 1.0 · Score of is: 4.7 · Score of the: 3.2 · Score of cat: 2.1
        word  score ÷ temperature  probability
        is    4.70                 77.1%
        the   3.20                 17.2%
        cat   2.10                 5.7%
        At temperature 1.0 the likeliest word is “is” with 77.1%. The page is as uncertain as ...
        """
        pairs = zip(self.controls, self.settings(values), strict=True)
        line = " · ".join(f"{_label(control)}: {value}" for control, value in pairs)
        rows = self.cells(values)  # a text that is over, or a word not found, leaves none
        numbers = f"{table(rows, columns=self.columns)!r}\n" if rows else ""
        return f"{line}\n{numbers}{self.sentence(values)}"

    def figure(self, values: Values) -> Figure:
        """The still picture."""
        return self.draw(values, self.compute(**values))

    def spec(self, values: Values) -> Values:
        """The description that the page's script reads: plain data, ready for JSON."""
        return {
            "name": self.name,
            "title": self.title,
            "controls": [control.spec(values[control.name]) for control in self.controls],
            "says": self.says,
            "columns": list(self.columns),
            "rows": [list(row) for row in self.rows],
            "data": json.loads(json.dumps(self.data)),
        } | {
            name: value
            for name, value in {
                "each": self.each,
                "actions": [{"name": a.name, "label": a.label} for a in self.actions],
                "model": self.model,
                "ask": self.ask,
            }.items()
            if value
        }


def find(name: str) -> LiveFigure:
    """The live figure of this name.

    Raises:
        InputError: there is none.

    >>> [control.name for control in find("student").controls]
    ['hours', 'attendance']
    """
    from support.view.live_figures import FIGURES  # they are made of the classes above

    if name not in FIGURES:
        raise InputError(f"there is no live figure {name!r}; choose one of: {', '.join(FIGURES)}")
    return FIGURES[name]


def live(name: str, **start: Any) -> None:
    """Show a live figure: its numbers at the start and, where a notebook can, its controls.

    The stored output is the still picture, with the figure's name beside it, from which the book makes the
    live figure of the page. Without ipywidgets the picture is all there is.

    Args:
        name: one of those that `support.view.live_figures` lists.
        start: where controls start, by name, if not at their usual place.

    Raises:
        InputError: there is no such figure or control, or it cannot have such a value.

    >>> live("student", hours=11)
    Traceback (most recent call last):
    support.core.errors.InputError: hours=11 is not between 0 and 10 in steps of 0.5; ...
    """
    figure = find(name)
    values = figure.values(**start)
    print(f"Start · {figure.text(values)}")
    bundle: Values = {"image/png": png(figure.figure(values)), "text/plain": f"<live figure: {name}>"}
    if getattr(get_ipython(), "kernel", None) is not None:
        try:
            box = widget(figure, values)
        except ImportError:
            pass  # the picture stays
        else:
            bundle[WIDGET] = {"version_major": 2, "version_minor": 0, "model_id": box.model_id}
    mark = {"alt": figure.sentence(values), "live": {"name": name, "start": start}}
    publish_display_data(bundle, metadata={"image/png": mark})


def widget(figure: LiveFigure, values: Values) -> Any:
    """The controls, the picture, the words and the table as one ipywidgets box.

    Raises:
        ImportError: ipywidgets is not installed.
    """
    w = optional("ipywidgets", extra="notebooks")
    wide = {"style": {"description_width": "14em"}, "layout": w.Layout(width="34em", max_width="100%")}
    now, inputs = dict(values), []
    picture, words = w.Image(format="png", layout=w.Layout(max_width="46em")), w.HTML()

    def update() -> None:
        picture.value = png(figure.figure(now))
        picture.alt = figure.sentence(now)
        words.value = _html(figure, now)

    def moved(change: Values) -> None:
        control = next(c for c, made in zip(figure.controls, inputs, strict=True) if made is change["owner"])
        try:
            now[control.name] = control.accept(change["new"])
        except InputError as error:
            words.value = f"<p>{html.escape(str(error))}</p>"
        else:
            update()

    def pressed(action: Action) -> Callable[[Any], None]:
        def act(_button: Any) -> None:
            for name, value in action.act(dict(now), random.random()).items():
                place = next(i for i, control in enumerate(figure.controls) if control.name == name)
                inputs[place].value = value  # and `moved` does the rest

        return act

    for control in figure.controls:
        common = {"description": control.label, "value": values[control.name], **wide}
        if isinstance(control, Slider):
            ends = {"min": control.low, "max": control.high, "step": control.step}
            digits = max(0, -int(Decimal(str(control.step)).as_tuple().exponent))
            inputs.append(w.FloatSlider(**ends, readout_format=f".{digits}f", **common))
        elif isinstance(control, Choice):
            inputs.append(w.Dropdown(options=control.options, **common))
        elif isinstance(control, Prompt):
            inputs.append(w.Text(continuous_update=False, **common))
        else:
            inputs.append(w.Checkbox(**common | {"description": _label(control)}))
        inputs[-1].observe(moved, names="value")
    buttons = [w.Button(description=action.label, layout=w.Layout(width="auto")) for action in figure.actions]
    for button, action in zip(buttons, figure.actions, strict=True):
        button.on_click(pressed(action))
    update()
    return w.VBox([*inputs, *([w.HBox(buttons)] if buttons else []), picture, words])


def _label(control: Control) -> str:
    """A control's label where its group's heading is not seen."""
    return f"{control.group}, {control.label}" if getattr(control, "group", "") else control.label


def _html(figure: LiveFigure, values: Values) -> str:
    """The sentence and the table, for a widget; every word is escaped."""

    def row(cells: Any, tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(c)}&emsp;</{tag}>" for c in cells) + "</tr>"

    body = "".join(row(cells, "td") for cells in figure.cells(values))
    return f"<p>{html.escape(figure.sentence(values))}</p><table>{row(figure.columns, 'th')}{body}</table>"
