"""Models of the zoo with an adapter on them: a small file beside the base's weights, and its new tokens."""

from importlib.resources import as_file, files

from support.alignment import adapter_metadata, grow_vocabulary, load_adapter
from support.core import InputError
from support.zoo.entry import Entry, load

ADAPTERS = ("story-answers",)


def load_adapted(name: str) -> Entry:
    """A base model of the zoo with an adapter that came with the package, not merged.

    Args:
        name: ``"story-answers"``: the story model, taught to answer questions about a story
            (`support.worlds.story_questions`).

    Returns:
        the adapted model under its base's name, with the grown vocabulary; the card is what the adapter's
        file says of itself.

    Raises:
        InputError: there is no such adapter.

    >>> answering = load_adapted("story-answers")
    >>> answering.name, len(answering.vocabulary) - len(load("stories").vocabulary)
    ('stories', 7)
    """
    if name not in ADAPTERS:
        raise InputError(f"The zoo has no adapter {name!r}; choose one of {', '.join(ADAPTERS)}.")
    with as_file(files("support.zoo") / name) as folder:
        told = adapter_metadata(folder / "adapter.safetensors")
        base = load(told["base"])
        model, vocabulary = grow_vocabulary(base.model, base.vocabulary, told["tokens"])
        load_adapter(model, folder / "adapter.safetensors")
    return Entry(base.name, model.eval(), vocabulary, told)
