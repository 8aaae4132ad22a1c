"""The assistant, to talk to: ``python -m support.assistant``.

It is the model `support.zoo.load("assistant")` in its harness, with a calculator, a clock and a price list.
How a conversation is written as one text stands in `support.alignment.conversation`.
"""

import argparse
import difflib
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TextIO

from support import zoo
from support.alignment.conversation import SPECIAL, USER, make_harness, reply_of, shortened
from support.alignment.harness import Call, Trajectory
from support.alignment.tools import Calculator, Clock, LookUp, Tool
from support.core import InputError
from support.worlds.conversation_forms import needs_story
from support.worlds.stories import ANIMALS, PEOPLE, SLOTS, THINGS

OFFERS = {
    "apples": "3",
    "candles": "12",
    "coins": "25",
    "pots": "18",
    "ropes": "40",
    "shells": "2",
    "stamps": "7",
}
MOST_WORDS = 60  # of what a user says at once
SHORT_ROOM = 48  # tokens kept free for a reply that is no story
HELP = f"""You can ask for a story ("tell me a story", "a story about freya and a fox"), ask about it
("who?", "which animal?", "where?"), and give sums ("what is 347 + 585?", "freya has 34 rows of
12 stamps. how many?"), prices ("what is the price of pots?") or ask for the time.
People: {", ".join(PEOPLE)}.
Animals: {", ".join(ANIMALS)}.
Things: {", ".join(THINGS)}.
/new forgets the conversation, /quit ends it."""

# How people write, and how the model's world does.
SAME = {"an": "a", "color": "colour", "plus": "+", "minus": "-", "times": "*", "×": "*", "−": "-", "·": "*"}
SHORT = {"'s": " is", "’s": " is", "i'd like": "i want", "i’d like": "i want"}
_TOKEN = re.compile(r"[^\W\d_]+|\d|[^\w\s]|_")
# Its world has sums of two numbers. Of a longer one the model would ask for a part only, unnoticed.
LONG_SUM = r"\d[ )]*[-+*/][ (+-]*\d[ \d)]*[-+*/][ (+-]*\d"
TOO_LONG_SUM = (
    "The model has learned sums of two numbers, and would leave out a part of this one; ask step by step."
)
NAMES = {*PEOPLE, *SLOTS["day"], "i"}


@dataclass
class Reply:
    """What the assistant said.

    Attributes:
        text: the reply as a person would write it.
        words: the reply as the model wrote it.
        calls: what it asked its tools, with what they said.
        unknown: words of the user that the model does not have; then nothing was asked of it.
    """

    text: str
    words: list[str] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


class Assistant:
    """A conversation with the assistant.

    Args:
        seed: the same seed and the same words give the same replies; without one they are drawn anew.
        temperature: of the replies; 0 takes the likeliest word every time.
        tools: name → tool; by default a calculator, a clock and a list of prices. Empty: no tools.

    Raises:
        InputError: the temperature is negative.

    >>> assistant = Assistant(seed=0, temperature=0)
    >>> reply = assistant.reply("What is 34 + 58?")
    >>> reply.text, reply.calls[0].name
    ('92', 'calc')
    """

    def __init__(
        self, seed: int | None = None, temperature: float | int = 0.7, tools: Mapping[str, Tool] | None = None
    ) -> None:
        if not 0 <= temperature < float("inf"):
            raise InputError(f"The temperature {temperature} must be a number from 0 up.")
        entry = zoo.load("assistant")
        if tools is None:
            tools = {"calc": Calculator(), "clock": Clock(), "price": LookUp(OFFERS)}
        self.vocabulary, self.seed, self.temperature = entry.vocabulary, seed, temperature
        self.harness = make_harness(entry.model, entry.vocabulary, tools)
        self._known = [word for word in self.vocabulary.tokens if word.isalpha()]
        self.new()

    def new(self) -> None:
        """Forget the conversation."""
        self._past: list[list[str]] = []
        self._story: int | None = None
        self._count = 0

    def reply(self, text: str, show: Callable[[str | Call], None] | None = None) -> Reply:
        """The reply to what a user says; it becomes a part of the conversation.

        Args:
            text: what the user says. Nothing in it is an instruction to the harness.
            show: called with each piece of the reply, and each finished call, as soon as it is there.

        Raises:
            InputError: the text is empty or too long.
        """
        show = show or (lambda piece: None)
        words = read(text)
        unknown = [word for word in dict.fromkeys(words) if word not in self.vocabulary]
        strange = [word for word in unknown if word.isalpha()]
        words = [word for word in words if word in self.vocabulary]  # signs that no one needs are left out
        if strange or not words:
            return Reply(self._sorry(strange or unknown), unknown=strange or unknown)
        wants_story = bool({"tell", "another", "want"} & set(words))
        now = [USER, *words, SPECIAL.answer]
        story = self._story if needs_story(words) else None
        start = shortened(self._past, now, 190 if wants_story else SHORT_ROOM, story)
        trajectory, writer, calls, speaking = Trajectory(), Writer(), 0, True
        trajectory.put(start, "user")
        for token in self.harness.stream(trajectory, **self._options()):
            if len(trajectory.calls) > calls:
                calls = len(trajectory.calls)
                show(trajectory.calls[-1])
            if token == SPECIAL.call:
                speaking = False
            elif token == SPECIAL.end_result:
                speaking = True
            elif speaking and token != SPECIAL.end:
                show(writer.piece(token))
        if len(trajectory.calls) > calls:
            show(trajectory.calls[-1])
        self._count += 1
        said = reply_of(trajectory)
        if trajectory.stopped != "answered":
            return Reply(f"(The reply was broken off: {trajectory.stopped})", calls=trajectory.calls)
        self._keep(trajectory.tokens[len(start) - len(now) :])
        return Reply(written(said), said, trajectory.calls)

    def _options(self) -> dict[str, float | int | bool | None]:
        if not self.temperature:
            return {"greedy": True}
        seed = None if self.seed is None else 1000 * self.seed + self._count
        return {"temperature": self.temperature, "seed": seed}

    def _keep(self, turn: list[str]) -> None:
        self._past.append(turn if turn[-1] == SPECIAL.end else [*turn, SPECIAL.end])
        if len(turn) > SHORT_ROOM:
            self._story = len(self._past) - 1

    def _sorry(self, unknown: Sequence[str]) -> str:
        if not unknown:
            raise InputError("Nothing was said; write a few words, or /help.")
        near = difflib.get_close_matches(unknown[0], self._known, n=3, cutoff=0.6)
        hint = f"did you mean {' or '.join(near)}?" if near else "/help tells what I know."
        return f"I do not know {' and '.join(map(repr, unknown[:3]))}; {hint}"


def read(text: str) -> list[str]:
    """What a user types as the words and signs of the model's world, digits one by one.

    Raises:
        InputError: there are more than `MOST_WORDS`, or a sum has more than two numbers.

    >>> read("What's 1,204 times 3?  <call>")
    ['what', 'is', '1', '2', '0', '4', '*', '3', '?', '<', 'call', '>']
    """
    text = re.sub(r"(?<=\d)[,'](?=\d{3})", "", text.lower())
    text = re.sub(r"(?<=\d)\s*x\s*(?=\d)", " * ", text)
    for short, long in SHORT.items():
        text = text.replace(short, long)
    words = [SAME.get(word, word) for word in _TOKEN.findall(text.strip().rstrip(".!"))]
    if len(words) > MOST_WORDS:
        raise InputError(f"That is {len(words)} words and digits; say it in {MOST_WORDS} at most.")
    if re.search(LONG_SUM, " ".join(words)):
        raise InputError(TOO_LONG_SUM)
    return words


class Writer:
    """Words of the model's world as a person would write them, piece by piece.

    >>> writer = Writer()
    >>> "".join(map(writer.piece, '" hello , leo ! " said the fox . 1 8 : 0 6'.split()))
    '"Hello, Leo!" said the fox. 18:06'
    """

    def __init__(self) -> None:
        self.last, self.quoted, self.capital = "", False, True

    def piece(self, token: str) -> str:
        """What one more token adds."""
        closes = token == '"' and self.quoted
        joined = token in ".,!?:" or closes or not self.last or self.last == '" (' or self.last == "-"
        joined = joined or ((token.isdigit() or token == ":") and (self.last.isdigit() or self.last == ":"))
        word = token.capitalize() if token in NAMES or (self.capital and token.isalpha()) else token
        if token == '"':
            self.quoted = not self.quoted
            self.capital = self.quoted or self.last == "."
            self.last = '" )' if closes else '" ('
        else:
            self.capital = token in ".!?"
            self.last = token
        return word if joined else f" {word}"


def written(words: Iterable[str]) -> str:
    """Words of the model's world as one text.

    >>> written("the story does not say".split()), written("- 1 1".split())
    ('The story does not say', '-11')
    """
    return "".join(map(Writer().piece, words))


def _spoken(call: Call) -> str:
    asked = re.sub(r"(?<=\d) (?=\d)", "", f"{call.name} {call.request}".strip())
    return f"{asked} → {call.result if call.result is not None else call.error}"


def talk(assistant: Assistant, source: TextIO, out: TextIO) -> None:
    """Reply to each line of a source, in ``out``, until it ends or says ``/quit``."""
    person = source.isatty() and out.isatty()
    dim, plain = ("\033[2m", "\033[0m") if out.isatty() and "NO_COLOR" not in os.environ else ("", "")

    fresh = True  # at the beginning of a line

    def show(piece: str | Call) -> None:
        nonlocal fresh
        if isinstance(piece, Call):
            begin = "" if fresh else "\n"
            print(f"{begin}{dim}{_spoken(piece)}{plain}", flush=True, file=out)
        else:
            print(piece, end="", flush=True, file=out)
        fresh = isinstance(piece, Call)

    if person:
        print("The assistant. /help tells what you can say, /quit ends.", file=out)
    while True:
        if person:
            print("> ", end="", flush=True, file=out)
        line = source.readline()
        said = line.strip()
        if not line or said == "/quit":
            break
        if said == "/new":
            assistant.new()
            print("(a new conversation)", file=out)
        elif said == "/help":
            print(HELP, file=out)
        elif said.startswith("/"):
            print(f"There is no command {said.split()[0]!r}; there are /new, /help and /quit.", file=out)
        elif said:
            try:
                reply = assistant.reply(said, show)
            except InputError as error:
                print(error, file=out)
            else:
                broken = "" if fresh else "\n"
                print("" if reply.words else broken + reply.text, file=out, flush=True)
            fresh = True


def main(arguments: list[str] | None = None) -> int:
    """Talk in the terminal, as ``python -m support.assistant`` does; the exit status.

    Args:
        arguments: those of the command line; the process's own if not given.
    """
    parser = argparse.ArgumentParser(prog="python -m support.assistant", description="Talk to the assistant.")
    parser.add_argument("--seed", type=int, help="the same seed gives the same replies")
    parser.add_argument("--temperature", type=float, default=0.7, help="0 takes the likeliest word (0.7)")
    parser.add_argument("--no-tools", action="store_true", help="no calculator, clock or prices")
    given = parser.parse_args(arguments)
    try:
        talk(Assistant(given.seed, given.temperature, {} if given.no_tools else None), sys.stdin, sys.stdout)
    except InputError as error:
        print(error, file=sys.stderr)
        return 1
    except (KeyboardInterrupt, BrokenPipeError):
        print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
