"""Questions about stories, with answers that the story has told: the world of instruction tuning.

A story is told sentence by sentence. After each sentence from the twentieth token on, a question follows with
a fixed probability, if the story so far answers one; it is drawn evenly from those that it answers. So the
probability of everything in such a text is known exactly.
"""

import random
from collections.abc import Collection
from dataclasses import dataclass

from support.core import InputError
from support.worlds.stories import StoryWorld

# what is asked about → the slot of the story in which the answer stands
SLOT = {"name": "hero", "colour": "colour", "animal": "animal", "thing": "thing", "place": "place"}
KINDS = tuple(SLOT)
# A second value of the same table makes the question ambiguous.
RIVAL = {"name": "friend", "animal": "rival"}
QUESTION = {"name": "who ?"} | {kind: f"which {kind} ?" for kind in KINDS[1:]}
FIRST, PROBABILITY = 20, 0.25


@dataclass(frozen=True)
class StoryQuestion:
    """The beginning of a story with a question about it; or a whole story, without a question.

    Attributes:
        story: tokens from ``<BOS>`` on.
        kind: what is asked about; ``None`` without a question.
        question: its words.
        answer: the one right word.
        openings: how many sentence ends could have been followed by a question, the last one included.
        options: how many different questions could have been asked.
    """

    story: list[str]
    kind: str | None = None
    question: str = ""
    answer: str = ""
    openings: int = 0
    options: int = 0


class StoryQuestions:
    """Stories in which a question may follow any sentence.

    Args:
        kinds: what may be asked about.
        without: answers that are never asked for, such as ``{"purple"}``; the stories still tell of them.

    Raises:
        InputError: a kind is not known.

    >>> world = StoryQuestions(["colour"])
    >>> asked = world.sample(1, seed=0)[0]
    >>> asked.question, asked.answer in asked.story
    ('which colour ?', True)
    """

    def __init__(self, kinds: Collection[str] = KINDS, without: Collection[str] = ()) -> None:
        unknown = [kind for kind in kinds if kind not in SLOT]
        if unknown or not kinds:
            raise InputError(f"StoryQuestions: kinds={list(kinds)} must be some of {', '.join(KINDS)}.")
        self.stories = StoryWorld()
        self.kinds, self.without = tuple(kinds), frozenset(without)
        self._slot_names = list(self.stories._slots)

    def sample(
        self, n: int, seed: int, asked: bool = True, only: Collection[str] = ()
    ) -> list[StoryQuestion]:
        """``n`` independent texts.

        Args:
            n: how many.
            seed: of the draw.
            asked: leave out the stories that came to their end before a question.
            only: keep only questions with one of these answers, if given.
        """
        rng = random.Random(seed)
        found: list[StoryQuestion] = []
        while len(found) < n:
            text = self._draw(rng)
            if (text.kind or not asked) and (not only or text.answer in only):
                found.append(text)
        return found

    def answers(self, drawn: list[tuple[str, int, str]]) -> dict[str, str]:
        """What a part of a drawn story answers: kind → answer."""
        said: dict[str, str] = {}
        for token, slot, form in drawn:
            if slot >= 0 and not form:
                said.setdefault(self._slot_names[slot], token)
        return {
            kind: said[SLOT[kind]]
            for kind in self.kinds
            if SLOT[kind] in said and RIVAL.get(kind) not in said and said[SLOT[kind]] not in self.without
        }

    def openings(self, drawn: list[tuple[str, int, str]]) -> list[int]:
        """The lengths at which a question may follow: after a full stop, if there is something to ask."""
        ends = [i + 1 for i, (token, _, _) in enumerate(drawn) if token == "." and i >= FIRST]
        return [end for end in ends if self.answers(drawn[:end])]

    def _draw(self, rng: random.Random) -> StoryQuestion:
        drawn = self.stories._draw(rng)
        tokens = [token for token, _, _ in drawn]
        places = self.openings(drawn)
        for number, end in enumerate(places, start=1):
            if rng.random() < PROBABILITY:
                answers = self.answers(drawn[:end])
                kind = rng.choice(sorted(answers))
                return StoryQuestion(tokens[:end], kind, QUESTION[kind], answers[kind], number, len(answers))
        return StoryQuestion(tokens, openings=len(places))
