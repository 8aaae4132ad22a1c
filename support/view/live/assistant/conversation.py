"""What is said in the figure *assistant*: turn by turn, by the package's own harness."""

import datetime
import re
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor, nn

from support.alignment.conversation import (
    ASSISTANT,
    END,
    LATEST,
    LONGEST_REPLY,
    SPECIAL,
    USER,
    make_harness,
    shortened,
)
from support.alignment.harness import Forbidding, Trajectory
from support.alignment.tools import Calculator, Clock, LookUp, Tool
from support.assistant import (
    LONG_SUM,
    MOST_WORDS,
    NAMES,
    OFFERS,
    SAME,
    SHORT,
    SHORT_ROOM,
    TOO_LONG_SUM,
    read,
    written,
)
from support.core import InputError
from support.generation import next_token
from support.view.live.model_text import loaded
from support.worlds.conversation_forms import (
    BY_THEMSELVES,
    SLOT_OF,
    forms,
    needs_story,
    questions,
    small_forms,
)
from support.worlds.stories import BOYS, GIRLS

Values = dict[str, Any]
MOST_TURNS, MOST_CALLS = 12, 4
WANTS = {"tell", "another", "want"}  # a word of these asks for a story


def data() -> Values:
    """What the page's script needs to know of the harness."""
    forbidden = [SPECIAL.end_result, SPECIAL.start, *SPECIAL.others, "<unk>"]
    return {
        "marks": {
            "user": USER,
            "assistant": ASSISTANT,
            "end": END,
            "start": SPECIAL.start,
            "call": SPECIAL.call,
            "result": SPECIAL.result,
            "endResult": SPECIAL.end_result,
            "unknown": "<unk>",
            "forbidden": forbidden,
        },
        "prices": OFFERS,
        "most_words": MOST_WORDS,
        "long_sum": [LONG_SUM, TOO_LONG_SUM],
        "short_room": SHORT_ROOM,
        "latest": LATEST,
        "longest_reply": LONGEST_REPLY,
        "calls": MOST_CALLS,
        "alike": SAME,
        "short": SHORT,
        "wants": sorted(WANTS),
        "large": sorted(NAMES),
        "forms": sorted(forms()),
        "slots": SLOT_OF,
        "questions": questions(),
        "small_talk": sorted(small_forms()),
        "by_themselves": list(BY_THEMSELVES),
        "heroes": [name for pair in zip(GIRLS, BOYS, strict=True) for name in pair][:6],
    }


def lot(seed: int, place: int) -> float:
    """A number from 0 to 1 for a place in a text: the page's script draws the same.

    >>> 0 <= lot(3, 14) < 1, lot(0, 1) == lot(0, 1)
    (True, True)
    """
    every = 0xFFFFFFFF
    x = ((seed + 1) * 0x9E3779B1 + (place + 1) * 0x85EBCA6B) & every
    x = ((x ^ (x >> 16)) * 0x21F0AAAD) & every
    x = ((x ^ (x >> 15)) * 0x735A2D97) & every
    return (x ^ (x >> 15)) / 2**32


class Drawn(nn.Module):
    """A model whose next token has been drawn already: it alone is possible."""

    def __init__(self, model: nn.Module, temperature: float, seed: int) -> None:
        super().__init__()
        self.model, self.config = model, getattr(model, "config", None)
        self.temperature, self.seed, self.place = temperature, seed, 0
        if hasattr(model, "cache"):
            self.cache = model.cache

    def forward(self, *given: Any, **named: Any) -> Tensor:
        """The logits, the last ones with −∞ for every other token than the drawn one."""
        logits = self.model(*given, **named)
        if self.temperature:
            shares = next_token(logits[0, -1], self.temperature).tolist()
            total, chosen = 0.0, 0
            for i, share in enumerate(shares):
                if share > 0:
                    total, chosen = total + share, i
                    if total > lot(self.seed, self.place):
                        break
            logits = logits.clone()
            logits[0, -1] = torch.where(torch.arange(len(shares)) == chosen, 0.0, -torch.inf)
        self.place += 1
        return logits


def toolbox(clock: int) -> dict[str, Tool]:
    """Calculator, list of prices and clock."""
    time = None if clock < 0 else datetime.time(clock // 60, clock % 60)
    tell = Clock() if time is None else Clock(lambda: time)
    return {"calc": Calculator(), "price": LookUp(OFFERS), "clock": tell}


def preview(prompt: str) -> Values:
    """How the model would read a text: its tokens, and what is wrong with it."""
    vocabulary = loaded("assistant")[1]
    try:
        words = read(prompt.replace("/", " "))
    except InputError as error:
        return {"reading": [], "strange": [], "trouble": str(error)}
    strange = [word for word in dict.fromkeys(words) if word.isalpha() and word not in vocabulary]
    known = [word for word in words if word in vocabulary]
    trouble = (
        f"The model does not know {' and '.join(f'“{word}”' for word in strange[:3])}." if strange else ""
    )
    return {"reading": known, "strange": strange, "trouble": trouble}


@lru_cache(maxsize=256)
def _talk(
    turns: tuple[str, ...], tools: bool, clock: int, temperature: float
) -> tuple[list[Values], list[list[str]], int | None]:
    """The turns as they went, the tokens of each that the model keeps, and which of these holds a story."""
    if not turns:
        return [], [], None
    talk, past, story = _talk(turns[:-1], tools, clock, temperature)
    found = preview(turns[-1])
    if found["trouble"] or not found["reading"]:
        why = found["trouble"] or "There is no word in it."
        turn = {"user": turns[-1], "parts": [_part("sorry", why)], "stopped": "not read", "kept": len(past)}
        return [*talk, turn], past, story
    words = found["reading"]
    now = [USER, *words, ASSISTANT]
    room = LONGEST_REPLY if WANTS & set(words) else SHORT_ROOM
    start = shortened(past, now, room, story if needs_story(words) else None)
    model, vocabulary = loaded("assistant")
    harness = make_harness(model, vocabulary, toolbox(clock) if tools else {})
    harness.max_new_tokens = min(LONGEST_REPLY, model.config.context - len(start))
    asking = vocabulary.encode([SPECIAL.end_result] if tools else [SPECIAL.call, SPECIAL.result])
    harness.writing = Drawn(Forbidding(harness.writing, asking), temperature, len(talk))
    belt = Trajectory()
    belt.put(start, "user")
    harness.continue_many([belt], [harness.tools])
    said = belt.tokens[len(start) :]
    turn = {
        "user": turns[-1],
        "parts": parts_of(belt, said),
        "stopped": belt.stopped,
        "kept": start.count(USER) - 1,
    }
    if belt.stopped == "answered":
        whole = [*now, *said] if said[-1] == END else [*now, *said, END]
        past = [*past, whole]
        story = len(past) - 1 if len(whole) > SHORT_ROOM else story
    return [*talk, turn], past, story


def converse(turns: tuple[str, ...], tools: bool, clock: int, temperature: float) -> list[Values]:
    """The conversation: for each turn the user's text and the parts of the reply, each with its writer."""
    return _talk(turns, tools, clock, temperature)[0]


def _part(who: str, words: str) -> Values:
    shown = written(words.split()) if who == "reply" else words
    if who == "refusal":
        shown = re.sub(r"'([^']*)'", r"“\1”", words)
    if who in ("request", "result"):
        shown = re.sub(r"(?<=[\d:]) (?=[\d:])", "", words)
    return {"who": who, "words": words, "shown": shown}


def parts_of(belt: Trajectory, said: list[str]) -> list[Values]:
    """A reply in parts: requests, what came back, and the reply itself."""
    found, rest = [], list(said)
    for call in belt.calls:
        end = rest.index(SPECIAL.result)
        found.append(_part("request", f"{call.name} {call.request}".strip()))
        rest = rest[end + 1 :]
        if call.result is None:
            found.append(_part("refusal", call.error))
            return found
        end = rest.index(SPECIAL.end_result)
        found.append(_part("result", " ".join(rest[:end])))
        rest = rest[end + 1 :]
    return [*found, _part("reply", " ".join(word for word in rest if word != END))]


def sentence(talk: list[Values]) -> str:
    """The last turn in words."""
    if not talk:
        return "Nothing has been said yet: ask for a story, a sum, a price or the time."
    last = talk[-1]
    reply = last["parts"][-1]
    if reply["who"] != "reply":
        return f"To “{last['user']}” there is no reply: {reply['shown']}"
    words = reply["shown"].split()
    text = " ".join(words[:14]) + (" …" if len(words) > 14 else "")
    asked = sum(part["who"] == "request" for part in last["parts"])
    how = (
        ""
        if not asked
        else " after one request to a tool"
        if asked == 1
        else f" after {asked} requests to tools"
    )
    return f"To “{last['user']}” the assistant replies “{text}”{how}."
