"""Steppers: an operation that is a sequence, one step after the other, on one canvas.

A `Story` holds the steps, the matrices they make and, for each number, the sum that made it. `stepper` turns
it into a live figure. All numbers are computed and rounded here; `figure.js` beside this file shows them.
"""

from dataclasses import asdict
from functools import partial
from typing import Any

from support.view.live.controls import Action, Choice, Slider, Values
from support.view.live.description import LiveFigure
from support.view.live.stepper.matrix import Matrix
from support.view.live.stepper.scene import Scene
from support.view.live.stepper.still import draw_story
from support.view.live.stepper.story import NONE, Story

__all__ = ["Matrix", "Scene", "Story", "stepper"]


def to_step(values: Values, _uniform: float, last: int, by: int = 0, at: int | None = None) -> Values:
    """One step on or back, or to a given one; on from the last is the first. A sum that was told goes.

    >>> to_step({"step": 3, "cell": "none"}, 0.5, last=4, by=1)
    {'step': 4, 'cell': 'none'}
    >>> to_step({"step": 4, "cell": "y[0, 1]"}, 0.5, last=4, by=1)
    {'step': 0, 'cell': 'none'}
    >>> to_step({"step": 0, "cell": "none"}, 0.5, last=4, by=-1)
    {}
    """
    now = int(values["step"])
    if at is None:
        at = 0 if by > 0 and now == last else min(max(now + by, 0), last)
    return {} if at == now else {"step": at, "cell": NONE}


def stepper(name: str, title: str, story: Story, scene: Scene | None = None) -> LiveFigure:
    """The live figure of a story. It opens with the first step; its still picture shows all steps done.

    Args:
        name: of the figure.
        title: a heading.
        story: steps, matrices and sums. The page names all matrices in a line, in the order in which they
            are made, and shows those that the step reads or makes.
        scene: a drawing that stands above the matrices.

    >>> story = Story()
    >>> story.step("Given", "Two numbers are given and wait.")
    >>> x = story.given("x", "x", [[1.0, 2.0]])
    >>> story.step("Twice", "Each number is doubled.")
    >>> y = story.each("y", "y = 2x", x, lambda x: 2 * x, "2 · {}")
    >>> figure = stepper("twice", "Twice as much", story)
    >>> print(figure.sentence(figure.still_values(cell="y[0, 1]")))
    Step 2 of 2, Twice: Each number is doubled. y (dimension 1) = 2 · 2.000 = 4.000.
    """
    last = len(story.steps) - 1

    def compute(step: float | int, cell: str) -> dict[str, Any]:
        place = int(step)
        (headline, does), operation = story.steps[place], story.operation(place)
        return {
            **{"place": place, "number": str(place + 1), "of": str(last + 1)},
            **{"headline": headline, "does": does, "sum": story.told(cell, place)},
            "signs": f" In symbols: {operation}." if operation else "",
            "made": story.table(),
        }

    def go(**how: Any) -> Any:
        return partial(to_step, last=last, **how)

    return LiveFigure(
        name=name,
        title=title,
        controls=(
            Slider("step", "Step", 0, last, 1, 0, "{number} of {of} · {headline}"),
            Choice("cell", "The sum of the number", (NONE, *story.cells()), NONE),
        ),
        compute=compute,
        draw=partial(draw_story, story=story),
        says="Step {number} of {of}, {headline}: {does}{signs}{sum}",
        columns=("step", "makes", "numbers"),
        rows=(("{step}", "{makes}", "{numbers}"),),
        each="made",
        actions=(
            Action("back", "Back", go(by=-1)),
            Action("step", "Step", go(by=1)),
            Action("last", "Last", go(at=last)),
        ),
        data={
            "steps": [(*step, story.operation(k)) for k, step in enumerate(story.steps)],
            "matrices": [matrix.spec() for matrix in story.matrices.values()],
            "made": story.table(),
            "lines": story.lines,
            "rounded": story.of_numbers,
            **({"scene": asdict(scene)} if scene else {}),
        },
        front=("step",),
        still={"step": last},
        reset="Back to the first step",
        same_script_as="stepper",
        needs=("stepper/motion.js", "stepper/room.js"),
        sums=story.of_numbers,
    )
