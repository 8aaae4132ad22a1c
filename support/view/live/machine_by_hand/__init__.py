"""The machine view of the transformer that is worked by hand, weight for weight: as `machine`."""

from support.view.live.by_hand_model import SENTENCE
from support.view.live.machine import machine_figure
from support.view.live.model_text import BY_HAND

FIGURE = machine_figure(
    "machine_by_hand",
    BY_HAND,
    "The worked example as a machine: two blocks, every number",
    (SENTENCE, "the cat sat", "dog ran", "and the mat"),
    8,
    digits=3,
)
