"""Which forms of turns the conversations have: what a model that learned from them can be asked.

A form is a turn without its signs, in which numbers, operations and the words of a list are placeholders.
"""

from collections.abc import Sequence
from functools import lru_cache

from support.worlds.conversations import ASK, SUMS, TALK, TELL, TOOL_KINDS
from support.worlds.shop import GOODS, OPERATIONS, ShopWorld
from support.worlds.stories import ANIMALS, PEOPLE, THINGS

SIGNS = (".", ",", "!", "?", "=")
SLOTS = {"WHO": PEOPLE, "GOODS": GOODS, "ANIMAL": ANIMALS, "THING": THINGS}
SLOT_OF = {word: slot for slot, words in reversed(SLOTS.items()) for word in words}
BY_THEMSELVES = ("price", "time")  # with one of these words, or a digit, a tool is asked, and no story


def form_of(words: Sequence[str]) -> str:
    """The form of a turn.

    >>> form_of("what is 3 4 7 + 5 ?".split()), form_of("tell me a story about leo".split())
    ('what is # ± #', 'tell me a story about WHO')
    """
    found: list[str] = []
    for word in words:
        if word in SIGNS:
            continue
        part = "#" if word.isdigit() else "±" if word in OPERATIONS else SLOT_OF.get(word, word)
        if not (part == "#" and found and found[-1] == "#"):
            found.append(part)
    return " ".join(found)


@lru_cache
def forms() -> frozenset[str]:
    """All forms of turns that the conversations have.

    >>> "who was there" in forms(), "what is your name" in forms()
    (True, False)
    """
    topics = ("leo", "a fox", "a drum", "leo and a fox", "leo and a drum")
    tell = [*TELL, *(f"{ask} about {topic}" for ask in TELL for topic in topics)]
    fixed = [*tell, *questions(), *(text.format("1 + 2") for text in SUMS)]
    problems = [p for kind in TOOL_KINDS for p in ShopWorld().problems(60, seed=0, kind=kind)]
    return frozenset(form_of(text.split()) for text in fixed) | {form_of(p.question) for p in problems}


def questions() -> list[str]:
    """What can be asked word for word: about a story, and of the assistant itself."""
    return [*(text for texts in ASK.values() for text in texts), *small_talk()]


def small_talk() -> list[str]:
    """Greetings, thanks, and questions about the assistant."""
    return [text for said, _ in TALK.values() for text in said]


@lru_cache
def small_forms() -> frozenset[str]:
    """The forms of greetings, thanks, and questions about the assistant.

    >>> "who are you" in small_forms(), "who was there" in small_forms()
    (True, False)
    """
    return frozenset(form_of(text.split()) for text in small_talk())


def needs_story(words: Sequence[str]) -> bool:
    """Whether a turn is to be read with the story before it: not a greeting, and nothing for a tool.

    >>> [needs_story(text.split()) for text in ("hello , who are you ?", "which animal ?", "what is 2 + 2 ?")]
    [False, True, False]
    """
    if any(word.isdigit() or word in BY_THEMSELVES for word in words):
        return False
    parts = [form_of(part.split()) for part in " ".join(words).split(",")]
    return not (form_of(words) in small_forms() or small_forms().issuperset(parts))
