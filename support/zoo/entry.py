"""Loading what was trained: model, vocabulary, card and world in one entry."""

import json
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import as_file, files
from typing import Any, cast

from support.core import InputError
from support.model import GPT
from support.text import Vocabulary
from support.training import load_checkpoint
from support.zoo.recipe import OTHERS, known, maker, recipe


@dataclass(frozen=True)
class Entry:
    """One model of the zoo.

    Attributes:
        name: as given to `load`.
        model: on the CPU, in evaluation mode, float32.
        vocabulary: its words.
        card: how it was made and what it can do; see `support.zoo.build`.
    """

    name: str
    model: GPT
    vocabulary: Vocabulary
    card: dict[str, Any]

    @cached_property
    def world(self) -> Any:
        """The world that its texts come from, with exact probabilities or exact answers."""
        return maker(self.name).world() if self.name in OTHERS else recipe(self.name).world()


def load(name: str) -> Entry:
    """A trained model that came with the package; nothing is downloaded.

    Args:
        name: ``"assistant"``, ``"calling-game"``, ``"semantic"``, ``"shop"``, ``"stories"`` or
            ``"stories-small"``.

    Raises:
        InputError: there is no such model, or it has not been built yet.

    >>> game = load("calling-game")
    >>> len(game.vocabulary), game.model.config.d_model
    (28, 64)
    """
    with as_file(files("support.zoo") / known(name, others=True)) as folder:
        if not (folder / "card.json").is_file():
            raise InputError(f"The model {name!r} is not built yet; run: python -m support.zoo build {name}")
        model = cast(GPT, load_checkpoint(folder / "model.safetensors").model)
        vocabulary = Vocabulary.load(folder / "vocabulary.json")
        card = json.loads((folder / "card.json").read_text(encoding="utf8"))
    return Entry(name, model, vocabulary, card)
