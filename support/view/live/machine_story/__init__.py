"""The machine view of the story model: the same figure as `machine`."""

from support.view.live.machine import machine_figure
from support.view.live.model_text import TALES
from support.worlds.stories import PEOPLE

FIGURE = machine_figure(
    "machine_story",
    TALES,
    "A language model at work: stories",
    ("once there was a", "leo was a kind boy", "the cat", "long ago there lived a"),
    51,
    "Load the story model (1.3 MB)",
    names=sorted(PEOPLE),
    speed=8.0,
)
