"""The names of the live figures; each is a folder here, imported when it is asked for."""

from importlib import import_module
from pathlib import Path

from support.core import InputError
from support.view.live.description import LiveFigure

HERE = Path(__file__).parent
SHARED = ("stepper",)  # folders that several figures are made with
NAMES = tuple(sorted({path.parent.name for path in HERE.glob("*/__init__.py")} - {*SHARED}))


def find(name: str) -> LiveFigure:
    """The live figure of this name.

    Raises:
        InputError: there is none.

    >>> [control.name for control in find("student").controls]
    ['hours', 'attendance']
    """
    if name not in NAMES:
        raise InputError(f"there is no live figure {name!r}; choose one of: {', '.join(NAMES)}")
    return import_module(f"support.view.live.{name}").FIGURE


def scripts_of(name: str) -> tuple[str, ...]:
    """The JavaScript that a page needs for a figure, in order, as paths within this folder.

    >>> scripts_of("next_story_word")
    ('model_text.js', 'next_word/figure.js')
    """
    figure = find(name)
    shared = ("model_text.js",) if figure.model else ()
    return (*shared, *figure.needs, f"{figure.same_script_as or name}/figure.js")
