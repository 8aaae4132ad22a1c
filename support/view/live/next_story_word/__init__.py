"""The next-token distribution of the story model: the same figure as `next_word`."""

from support.view.live.model_text import TALES
from support.view.live.next_word import word_figure

FIGURE = word_figure(
    "next_story_word",
    TALES,
    "What comes next? A story",
    "leo was a kind boy who lived near the forest . leo",
    51,
    "Load the story model (1.3 MB)",
    same_script_as="next_word",
)
