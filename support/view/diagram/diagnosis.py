"""Where a training run can be measured: one instrument at each stage of the loop."""

from collections.abc import Sequence

from support.core import InputError
from support.view.diagram.canvas import Diagram
from support.view.diagram.shapes import Box, Drawing

STAGES: tuple[tuple[str, str, str, str], ...] = (
    ("batch", "token", "are targets\nthe next tokens?", "shift, loss mask, order,\npadding, duplicates"),
    ("model", "stream", "exchange a\nlater token", "a leak: no causal mask"),
    ("activations", "ffn", "zeros, saturation,\ninfinities", "dead units, huge scores,\noverflow"),
    ("loss", "loss", "guessing at first?\nlearns one batch?", "bad initialisation,\ntoo small, other bugs"),
    ("gradient", "loss", "norm, layer\nby layer", "frozen, vanishing,\nzero_grad forgotten"),
    ("update", "ink", "its length / that\nof the weights", "learning rate or clipping\ntoo high or too low"),
    ("evaluation", "ink", "distance to\nthe entropy", "leak, overfitting,\nunderfitting, dropout on"),
)


def diagnosis(stages: Sequence[tuple[str, str, str, str]] = STAGES) -> Diagram:
    """The stages of training, what is measured at each, and which faults that shows.

    Args:
        stages: for each its name, its role (colour), what is measured, and which faults are found so.

    Raises:
        InputError: there is none, or more than eight.

    >>> diagnosis(STAGES[:2]).alt[:45]
    '2 places where a training run is measured. At'
    """
    if not 1 <= len(stages) <= 8:
        raise InputError(f"{len(stages)} stages; give one to eight")
    step = 56
    d, before = Drawing(40 + step * len(stages)), None
    for x, words in ((46, "stage"), (144, "measure"), (268, "what it shows")):
        d.text(x, 12, words, "faint", size=12)
    for k, (name, role, measured, faults) in enumerate(stages):
        y = 46 + step * k
        box: Box = d.box(46, y, 88, 34, name, role, bold=True, size=12)
        if before is not None:
            d.arrow(before.bottom, box.top)
        d.text(144, y, measured, "ink", size=11)
        d.text(200, y, faults, "faint", size=11, anchor="start")
        before = box
    listed = " ".join(
        f"At the {name}: {' '.join(what.split())}, for {' '.join(faults.split())}."
        for name, _, what, faults in stages
    )
    return d.done(f"{len(stages)} places where a training run is measured. {listed}")
