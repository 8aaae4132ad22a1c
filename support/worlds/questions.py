"""Where a game puts which rule to the test: what must follow there, and which earlier word decides it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from support.core import InputError
from support.worlds.game import ABSURD, LEADERS, PLAYERS, TITLES, CallingGame

CASES = (*TITLES, "number", "title", "interjection", "chiama", "perde")


@dataclass(frozen=True)
class Question:
    """One place in a game at which a rule says what follows.

    Attributes:
        rule: ``"title"``, ``"next"`` (who speaks next) or ``"verb"`` (who speaks out of turn loses).
        case: the kind of question within the rule.
        position: of the last word before the answer.
        decided_at: the position of the word that decides, as far as it is not the last word itself:
            for a title that of the caller, else that of the called one.
        right: the right answer.
        choices: among which it is one.
    """

    rule: str
    case: str
    position: int
    decided_at: int
    right: str
    choices: tuple[str, ...]


def questions(game: CallingGame, tokens: Sequence[str]) -> list[Question]:
    """All questions that a game ``<BOS> … <EOS>`` answers, in order.

    Cases: of ``"title"`` the four titles; of ``"next"`` how the turn ended, with the called ``"number"``
    itself, with a ``"title"`` or with an ``"interjection"``; of ``"verb"`` the answer, ``"chiama"`` or
    ``"perde"`` (the first speaker, who cannot be out of turn, is not asked).

    >>> said = "<BOS> Pietro chiama Paolo Tarso banana Paolo chiama 4 7 perde <EOS>".split()
    >>> for q in questions(CallingGame(), said):
    ...     print(q.rule, q.case, said[q.position], said[q.decided_at], q.right)
    title Tarso Paolo Pietro Tarso
    next interjection banana Paolo Paolo
    verb chiama Paolo Paolo chiama
    next number 4 4 4
    verb perde 7 4 perde
    """
    found: list[Question] = []
    speaker, called, turn_over = 0, 0, False
    for i, (word, following) in enumerate(pairwise(tokens[1:]), start=1):
        if turn_over and word in PLAYERS:  # somebody takes the turn
            answer = "chiama" if word == tokens[called] else "perde"
            found.append(Question("verb", answer, i, called, answer, ("chiama", "perde")))
            speaker, turn_over = i, False
        elif word in PLAYERS and tokens[i - 1] == "chiama":  # somebody is called
            called, turn_over = i, True
            if word in LEADERS:
                found.append(Question("title", following, i, speaker, following, TITLES))
                continue
        elif word in PLAYERS:
            speaker = i
        if turn_over and following in PLAYERS:
            ends = {**dict.fromkeys(TITLES, "title"), **dict.fromkeys(ABSURD, "interjection")}
            found.append(Question("next", ends.get(word, "number"), i, called, tokens[called], PLAYERS))
    return found


def sample_questions(game: CallingGame, each: int, seed: int) -> list[tuple[list[str], Question]]:
    """A fixed test: the first ``each`` questions of every case in games drawn one after the other.

    Questions of rare cases (*Cefa* comes once in a hundred games) are waited for.

    >>> found = sample_questions(CallingGame(), each=2, seed=1)
    >>> len(found), sorted({question.rule for _, question in found})
    (18, ['next', 'title', 'verb'])
    """
    missing, found = dict.fromkeys(CASES, each), []
    for batch in range(40):
        for tokens in game.sample(500, seed=1000 * seed + batch):
            for question in questions(game, tokens):
                if missing[question.case]:
                    missing[question.case] -= 1
                    found.append((tokens, question))
            if not any(missing.values()):
                return found
    raise InputError(f"Some cases do not come {each} times in 20,000 games: {missing}; ask for fewer.")
