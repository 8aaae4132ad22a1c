"""A live figure: one description of controls, numbers and words, for notebooks and for pages.

A `LiveFigure` says what a reader can move, what is computed from it, and how that is put into words. In a
notebook `live` shows it with ipywidgets. On a page the book's script `live.js` shows the same description,
with `compute` and the drawing written once more in JavaScript (`figure.js` in the figure's folder); a test
compares all that the two show. A figure that runs a model of the zoo names it; the page then loads the same
weights (`support.exchange.web_export`).
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from matplotlib.figure import Figure

from support.core import InputError
from support.view.live.controls import Action, Control, Stop, Values, fill, label_of
from support.view.tables import table


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
        needs: shared scripts beside the figures' folders that its own script builds on.
        front: the controls that always stand open; if any, the others are folded away.
        near: the controls that stand with the picture on a phone, if not the first two; a figure with more
            than three controls folds the others away there.
        examples: texts for a control named ``prompt``, each with a button.
        tour: an experiment in a few steps, each with a button.
        invites: one sentence that stands beside the tour while none of its steps is reached.
        plays: the action that *Play* repeats.
        sums: whether it shows sums of numbers alone; the way of reading without numbers leaves it out.
        enter: the action that the enter key does in a text.
        still: where controls stand in the still picture, if not where they start.
        reset: what the button says that brings all controls back, if not the usual.
        same_script_as: another figure, whose `figure.js` defines this one, too.
        still_html: from the controls' values and all that is computed from them to HTML, where a picture
            would be worse: a page shows it, instead of picture and numbers, until the figure lives.
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
    front: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    tour: tuple[Stop, ...] = ()
    invites: str = ""
    plays: str = ""
    sums: bool = False
    enter: str = ""
    same_script_as: str = ""
    needs: tuple[str, ...] = ()
    still: Mapping[str, Any] = field(default_factory=dict)
    reset: str = ""
    still_html: Callable[[Values], str] | None = None
    _last: dict[Any, Values] = field(default_factory=dict, init=False, repr=False, compare=False)

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

    def still_values(self, **start: Any) -> Values:
        """The value of every control in the still picture.

        Raises:
            InputError: there is no such control, or it cannot have such a value.
        """
        return self.values(**{**self.still, **start})

    def state(self, values: Values) -> Values:
        """The controls' values together with all that is computed from them."""
        return values | self._computed(values)

    def _computed(self, values: Values) -> Values:
        """What `compute` gives; picture, sentence and table of one setting ask for it one after the other."""
        key = tuple((name, type(value), value) for name, value in values.items())
        if key not in self._last:
            found = self.compute(**values)
            self._last.clear()
            self._last[key] = found
        return self._last[key]

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

        >>> from support.view.live import find
        >>> print(find("temperature").text(find("temperature").values()))
        Temperature: 1.0 · Logit of “is”: 4.7 · Logit of “the”: 3.2 · Logit of “cat”: 2.1
        word  logit ÷ temperature  probability
        is    4.70                 77.1%
        the   3.20                 17.2%
        cat   2.10                 5.7%
        At temperature 1.0 the most probable word is “is” with 77.1%. The distribution is as uncertain as ...
        """
        pairs = zip(self.controls, self.settings(values), strict=True)
        line = " · ".join(f"{label_of(control)}: {value}" for control, value in pairs)
        rows = self.cells(values)  # a text that is over, or a word not found, leaves none
        numbers = f"{table(rows, columns=self.columns)!r}\n" if rows else ""
        return f"{line}\n{numbers}{self.sentence(values)}"

    def figure(self, values: Values) -> Figure:
        """The still picture."""
        return self.draw(values, self._computed(values))

    def spec(self, values: Values) -> Values:
        """The description that the page's script reads: plain data, ready for JSON."""
        texts = [self.values().get("prompt"), *(stop.changes.get("prompt") for stop in self.tour)]
        akin = not self.tour or values.get("prompt") in texts
        invites = self.invites if akin else self.invites.replace("An ", "With another text, an ", 1)
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
                "actions": [{"name": a.name, "label": a.label, "does": a.does} for a in self.actions],
                "model": self.model,
                "ask": self.ask,
                "front": list(self.front),
                "near": list(self.near),
                "plays": self.plays,
                "enter": self.enter,
                "reset": self.reset,
                "examples": list(self.examples),
                "tour": [asdict(stop) for stop in self.tour],
                "invites": invites,
            }.items()
            if value
        }
