"""What the models read: generated worlds with known probabilities, and real text."""

from support.worlds.base import World, entropy, loss_floor
from support.worlds.game import CallingGame
from support.worlds.hub import load_text, stream_documents, tinystories
from support.worlds.prose import python_prose
from support.worlds.semantic import SemanticWorld
from support.worlds.stories import StoryWorld

__all__ = [
    "CallingGame",
    "SemanticWorld",
    "StoryWorld",
    "World",
    "entropy",
    "load_text",
    "loss_floor",
    "python_prose",
    "stream_documents",
    "tinystories",
]
