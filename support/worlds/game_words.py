"""The words of the calling game, and what the rest of a game depends on."""

from typing import Literal, NamedTuple

LEADERS = ("Pietro", "Paolo")
NUMBERS = tuple("12345678")
PLAYERS = LEADERS + NUMBERS
VERBS = ("chiama", "perde")
TITLES = ("Tarso", "Cefa", "capo", "vice")
ABSURD = ("banana", "nuvola", "ombrello", "teiera", "zucca", "trombone", "lumaca", "cactus", "pinguino")

# (who is called, is the caller a leader) → what the called one is greeted with
GREETING = {
    ("Paolo", True): "Tarso",
    ("Pietro", True): "Cefa",
    ("Pietro", False): "capo",
    ("Paolo", False): "vice",
}

Stage = Literal["opening", "speaker", "call", "greeting", "after", "slip", "loser", "lost", "over"]


class Moment(NamedTuple):
    """All that the rest of a game depends on."""

    stage: Stage = "opening"
    speaker: str | None = None
    called: str | None = None
    in_turn: bool = True
    interjections: int = 0
    turns: int = 0
