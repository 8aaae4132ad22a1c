"""The page world: short pages, and questions that say the same facts in other words than the page does.

A page tells of an animal, a thing and a place, and a question asks with the animal's sound, the thing's
material and the place's ground. So a question and its page share none of these words, and which page is the
right one is known exactly. Who was there and which colour the thing had is drawn by lot: no model can know it
without the page.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from support.core import InputError
from support.worlds.stories import ANIMALS, COLOURS, PEOPLE, PLACES, THINGS

TOLD = (
    "{person} took the {colour} {thing} to the {place} and met a {animal} .",
    "at the {place} a {animal} found the {colour} {thing} of {person} .",
    "the {animal} and {person} saw a {colour} {thing} near the {place} .",
)
ASKED = ("something {sound}", "made of {material}", "the {ground} felt soft")
WANTED = {"person": "who was there ?", "colour": "which colour ?"}
VALUES = {"person": list(PEOPLE), "colour": list(COLOURS)}
COMBINATIONS = [(a, t, p) for a in ANIMALS for t in THINGS for p in PLACES]


@dataclass(frozen=True)
class Page:
    """A page, what a question would say of it, and what it answers.

    Attributes:
        words: the page.
        subject: its animal, thing and place, as it names them.
        clues: sound, material and ground: the words of a question for it.
        person: drawn by lot.
        colour: drawn by lot.

    >>> page = pages(1, seed=0)[0]
    >>> page.words[-1], len(page.clues), set(page.clues) & set(page.words)
    ('.', 3, set())
    """

    words: tuple[str, ...]
    subject: tuple[str, str, str]
    clues: tuple[str, str, str]
    person: str
    colour: str

    def question(self, wanted: str, draw: random.Random) -> list[str]:
        """A question that this page answers, its clues in an order drawn by lot.

        Args:
            wanted: ``"person"`` or ``"colour"``.
            draw: decides the order of the clues.

        Raises:
            InputError: a page tells of nothing else.
        """
        if wanted not in WANTED:
            raise InputError(f"A page does not tell its {wanted!r}; ask for {' or '.join(WANTED)}.")
        sound, material, ground = self.clues
        parts = [part.format(sound=sound, material=material, ground=ground) for part in ASKED]
        draw.shuffle(parts)
        return f"{' , '.join(parts)} . {WANTED[wanted]}".split()


def pages(n: int, seed: int, test: bool = False) -> list[Page]:
    """``n`` pages, no two with the same animal, thing and place.

    Args:
        n: how many.
        seed: the same seed gives the same pages.
        test: take combinations that no call without ``test`` ever uses (one in four of all).

    Raises:
        InputError: there are not so many combinations.

    >>> a, b = pages(500, seed=0), pages(500, seed=0, test=True)
    >>> len({p.clues for p in a}), {p.clues for p in a} & {p.clues for p in b}
    (500, set())
    """
    order = COMBINATIONS.copy()
    random.Random(27).shuffle(order)
    cut = 3 * len(order) // 4
    allowed = order[cut:] if test else order[:cut]
    if not 0 < n <= len(allowed):
        raise InputError(
            f"n={n} pages are not between 1 and {len(allowed)}, the combinations that there are."
        )
    draw = random.Random(seed)
    return [_page(combination, draw) for combination in draw.sample(allowed, n)]


def all_words() -> list[str]:
    """Every word that pages and questions use, in alphabetical order.

    >>> {"growled", "bear", "who"} <= set(all_words())
    True
    """
    fixed = " ".join([*TOLD, *ASKED, *WANTED.values(), ","]).split()
    values = [*PEOPLE, *COLOURS, *ANIMALS, *THINGS, *PLACES]
    clues = [ANIMALS[a]["sound"] for a in ANIMALS] + [THINGS[t]["of"] for t in THINGS]
    clues += [PLACES[p]["ground"] for p in PLACES]
    return sorted({word for word in [*fixed, *values, *clues] if not word.startswith("{")})


def _page(combination: Sequence[str], draw: random.Random) -> Page:
    animal, thing, place = combination
    person, colour = draw.choice(VALUES["person"]), draw.choice(VALUES["colour"])
    text = draw.choice(TOLD).format(person=person, colour=colour, thing=thing, place=place, animal=animal)
    clues = (ANIMALS[animal]["sound"], THINGS[thing]["of"], PLACES[place]["ground"])
    return Page(tuple(text.split()), (animal, thing, place), clues, person, colour)
