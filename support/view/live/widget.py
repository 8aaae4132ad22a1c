"""A live figure in a notebook: picture and numbers at the start, and ipywidgets where there is a kernel."""

import html
import random
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from IPython import get_ipython
from IPython.display import publish_display_data

from support.core import InputError, optional
from support.view.image_files import png
from support.view.live.controls import Action, Choice, Prompt, Slider, Values, label_of
from support.view.live.description import LiveFigure
from support.view.live.registry import find

WIDGET = "application/vnd.jupyter.widget-view+json"


def live(name: str, **start: Any) -> None:
    """Show a live figure: its numbers at the start and, where a notebook can, its controls.

    The stored output is the still picture, with the figure's name beside it, from which the book makes the
    live figure of the page. Without ipywidgets the picture is all there is.

    Args:
        name: one of those in `support.view.live.NAMES`.
        start: where controls start, by name, if not at their usual place.

    Raises:
        InputError: there is no such figure or control, or it cannot have such a value.

    >>> live("student", hours=11)
    Traceback (most recent call last):
    support.core.errors.InputError: hours=11 is not between 0 and 10 in steps of 0.5; ...
    """
    figure = find(name)
    values = figure.still_values(**start)
    print(f"Start · {figure.text(values)}")
    still = png(figure.figure(values))
    bundle: Values = {"image/png": still, "text/plain": f"<live figure: {name}>"}
    if getattr(get_ipython(), "kernel", None) is not None:
        try:
            box = widget(figure, values, still)
        except ImportError:
            pass  # the picture stays
        else:
            bundle[WIDGET] = {"version_major": 2, "version_minor": 0, "model_id": box.model_id}
    mark = {"alt": figure.sentence(values), "live": {"name": name, "start": start}}
    publish_display_data(bundle, metadata={"image/png": mark})


def widget(figure: LiveFigure, values: Values, still: bytes = b"") -> Any:
    """The controls, the picture, the words and the table as one ipywidgets box.

    Args:
        figure: what is shown.
        values: where the controls start.
        still: the picture there as a PNG file, if it has been drawn already.

    Raises:
        ImportError: ipywidgets is not installed.
    """
    w = optional("ipywidgets", extra="notebooks")
    wide = {"style": {"description_width": "14em"}, "layout": w.Layout(width="34em", max_width="100%")}
    now = dict(values)
    inputs: list[Any] = []
    picture, words = w.Image(format="png", layout=w.Layout(max_width="46em")), w.HTML()

    def update(still: bytes = b"") -> None:
        picture.value = still or png(figure.figure(now))
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
            inputs.append(w.Checkbox(**common | {"description": label_of(control)}))
        inputs[-1].observe(moved, names="value")
    buttons = [
        w.Button(description=action.label, tooltip=action.does, layout=w.Layout(width="auto"))
        for action in figure.actions
    ]
    for button, action in zip(buttons, figure.actions, strict=True):
        button.on_click(pressed(action))
    update(still)
    return w.VBox([*inputs, *([w.HBox(buttons)] if buttons else []), picture, words])


def _html(figure: LiveFigure, values: Values) -> str:
    """The sentence and the table, for a widget; every word is escaped."""

    def row(cells: Any, tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(c)}&emsp;</{tag}>" for c in cells) + "</tr>"

    body = "".join(row(cells, "td") for cells in figure.cells(values))
    return f"<p>{html.escape(figure.sentence(values))}</p><table>{row(figure.columns, 'th')}{body}</table>"
