"""What a reader can move in a live figure: sliders, choices, switches, texts; and numbers put into words."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from difflib import get_close_matches
from functools import partial
from typing import Any

from support.core import InputError
from support.text.pretokenise import refuse_surrogates
from support.view.tables import LONG

BLANK = re.compile(r"\{(\w+)(?::\.(\d)([f%]))?\}")
Values = dict[str, Any]


def shown(value: Any, digits: int = 0, percent: bool = False) -> str:
    """A number as pages write it: halves go up as in JavaScript's `toFixed`, with a true minus and no −0.

    From ten thousand on it has commas, as in tables.

    >>> shown(0.125, 2), shown(-0.0001, 2), shown(-1.5, 1), shown(0.5654, 1, percent=True)
    ('0.13', '0.00', '−1.5', '56.5%')
    >>> shown(9999.4), shown(9999.5), shown(-1234567.25, 1)
    ('9999', '10,000', '−1,234,567.3')
    """
    number = float(value) * 100 if percent else float(value)
    if not math.isfinite(number):
        text = "–" if math.isnan(number) else "∞" if number > 0 else "−∞"
    else:
        rounded = Decimal(abs(number)).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
        text = f"{rounded:,f}" if rounded >= LONG else str(rounded)
        if number < 0 and text.strip("0."):
            text = f"−{text}"
    return f"{text}%" if percent else text


def fill(template: str, values: Mapping[str, Any]) -> str:
    """Put values into ``{name}``, ``{name:.2f}`` or ``{name:.1%}``; the page's script reads the same signs.

    Raises:
        InputError: the template names a value that is not there.

    >>> fill("{who} passes with {p:.0%}.", {"who": "Ada", "p": 0.9})
    'Ada passes with 90%.'
    """
    return BLANK.sub(partial(_put, values), template)


def _put(values: Mapping[str, Any], found: re.Match[str]) -> str:
    name, digits, kind = found.groups()
    if name not in values:
        raise InputError(f"the template names {name!r}, but the values are {', '.join(values)}")
    return str(values[name]) if kind is None else shown(values[name], int(digits), kind == "%")


@dataclass(frozen=True)
class Slider:
    """A number between two ends, moved in equal steps.

    >>> Slider("hours", "Hours a day", 0, 10, 0.5, 5, "{hours:.1f} h").accept(5.5)
    5.5
    """

    name: str
    label: str
    low: float | int
    high: float | int
    step: float | int
    start: float | int
    show: str  # a template for the value beside the slider
    group: str = ""  # neighbours of one group stand under a common heading
    few: bool = False  # on the page a row of buttons: few places, which `show` names from the value alone

    def accept(self, value: Any) -> float:
        """The value as a number the slider can stand at. Raises: InputError if it cannot."""
        good = isinstance(value, int | float) and self.low <= value <= self.high
        steps = (value - self.low) / self.step if good else 0.5
        if abs(steps - round(steps)) > 1e-6:
            raise InputError(
                f"{self.name}={value!r} is not between {self.low:g} and {self.high:g} in steps of "
                f"{self.step:g}; choose such a number"
            )
        return float(value)

    def setting(self, state: Values) -> str:
        """What is written beside the slider."""
        return fill(self.show, state)

    def spec(self, start: Any) -> Values:
        """What the page needs to know."""
        ends = {"low": self.low, "high": self.high, "step": self.step}
        return {
            "kind": "slider",
            "name": self.name,
            "label": self.label,
            "group": self.group,
            **ends,
            "start": start,
            "show": self.show,
            **({"few": True} if self.few else {}),
        }


@dataclass(frozen=True)
class Choice:
    """One of a few words.

    >>> Choice("what", "Draw", ("losses", "derivatives"), "losses").accept("derivatives")
    'derivatives'
    """

    name: str
    label: str
    options: tuple[str, ...]
    start: str

    def accept(self, value: Any) -> str:
        """The value, if it is one of the options. Raises: InputError if not."""
        if value not in self.options:
            raise InputError(f"{self.name}={value!r} is none of: {', '.join(self.options)}; choose one")
        return value

    def setting(self, state: Values) -> str:
        """The chosen word."""
        return state[self.name]

    def spec(self, start: Any) -> Values:
        """What the page needs to know."""
        words = {"options": list(self.options), "start": start}
        return {"kind": "choice", "name": self.name, "label": self.label, **words}


@dataclass(frozen=True)
class Switch:
    """Something that is on or off.

    >>> Switch("h01", "head 1").accept("off")
    False
    """

    name: str
    label: str
    start: bool = True
    group: str = ""  # neighbours of one group stand under a common heading
    within: str = ""  # a switch of which it is a part: while that is off, the page lets this one rest

    def accept(self, value: Any) -> bool:
        """The value, True for on. Raises: InputError if it is something else."""
        if value not in (True, False, "on", "off"):
            raise InputError(f"{self.name}={value!r} is neither on nor off; choose one")
        return value in (True, "on")

    def setting(self, state: Values) -> str:
        """On or off."""
        return "on" if state[self.name] else "off"

    def spec(self, start: Any) -> Values:
        """What the page needs to know."""
        who = {"name": self.name, "label": self.label, "group": self.group}
        return {"kind": "switch", **who, **({"within": self.within} if self.within else {}), "start": start}


@dataclass(frozen=True)
class Prompt:
    """A text of known words with spaces between them; most models read ``<BOS>`` before it.

    Words may be written in any case, and signs may stand at their ends.

    >>> Prompt("prompt", "The text", ("the", "cat", "<EOS>", "."), 9, "the cat").accept(" Cat.  <EOS>")
    'cat . <EOS>'
    """

    name: str
    label: str
    words: tuple[str, ...]
    most: int  # words in a text
    start: str
    stop: str = "<EOS>"  # nothing follows it
    least: int = 0  # words in a text
    read_as: tuple[tuple[str, str], ...] = ()  # what somebody may write, and what the model knows instead

    def accept(self, value: Any) -> str:
        """The text, with single spaces. Raises: InputError if a word is unknown or there are too many."""
        known = {word.lower(): word for word in reversed(self.words)} | {word: word for word in self.words}
        typed = self._in_its_words(value).split() if isinstance(value, str) else [str(value)]
        words = []
        for chunk in typed:
            whole = chunk in known or chunk.lower() in known
            for word in [chunk] if whole else re.findall(r"[\w'<>-]+|[^\w\s]", chunk):
                if word not in known and word.lower() not in known:
                    near = get_close_matches(word.lower(), self.words, 4, 0.5)
                    instead = f", for example {', '.join(near)}" if near else ""
                    raise InputError(
                        f"{self.name}: {word!r} is not one of the model's words; choose one of them{instead}"
                    )
                words.append(known.get(word) or known[word.lower()])
        if len(words) > self.most:
            raise InputError(f"{self.name} has {len(words)} words; the model reads {self.most} at most")
        if len(words) < self.least:
            raise InputError(f"{self.name} is empty; the model reads at least one word")
        if self.stop in words[:-1]:
            raise InputError(f"{self.name}: nothing follows {self.stop}; leave out what stands behind it")
        return " ".join(words)

    def _in_its_words(self, text: str) -> str:
        """The text with what is read as something else replaced; the longer comes first in ``read_as``."""
        for said, known in self.read_as:
            text = re.sub(rf"(?<![\w'<>-]){re.escape(said)}(?![\w'<>-])", known, text, flags=re.I)
        return text

    def setting(self, state: Values) -> str:
        """The text."""
        return state[self.name]

    def spec(self, start: Any) -> Values:
        """What the page needs to know."""
        limits = {"words": list(self.words), "most": self.most, "least": self.least, "stop": self.stop}
        limits["read_as"] = [list(pair) for pair in self.read_as]
        return {"kind": "prompt", "name": self.name, "label": self.label, **limits, "start": start}


@dataclass(frozen=True)
class Text(Prompt):
    """Any text on one line: every character counts, spaces too; ``words`` are only offered.

    >>> Text("text", "The text", (), 9, "two  spaces").accept(" é ")
    ' é '
    """

    def accept(self, value: Any) -> str:
        """The text. Raises: InputError if it is none, too long, or more than one line."""
        if isinstance(value, str):
            refuse_surrogates(value)
        if not isinstance(value, str) or len(value) > self.most or set(value) & {"\n", "\r"}:
            raise InputError(f"{self.name}: give at most {self.most} characters, on one line")
        return value

    def setting(self, state: Values) -> str:
        """The text, without the spaces around it."""
        return state[self.name].strip()

    def spec(self, start: Any) -> Values:
        """What the page needs to know."""
        what = {"kind": "typed", "name": self.name, "label": self.label}
        return what | {"most": self.most, "words": list(self.words), "start": start}


Control = Slider | Choice | Switch | Prompt | Text


@dataclass(frozen=True)
class Action:
    """A button: from the controls' values and a number from 0 to 1, drawn afresh, to values that change.

    `does` says in a sentence what it does, for whoever rests on it.
    """

    name: str
    label: str
    act: Callable[[Values, float], Values]
    does: str = ""


@dataclass(frozen=True)
class Stop:
    """A step of a tour: the button's words, what is said once it is reached, and how the controls stand.

    `about` names the part of the figure that it speaks of, and a word in it; the figure may point them out.
    `short` is said on a phone, where the page has gone to what the step shows and its sentence is not seen.
    """

    label: str
    says: str
    changes: Mapping[str, Any]
    about: tuple[str, str] | None = None
    short: str = ""


def label_of(control: Control) -> str:
    """A control's label where its group's heading is not seen; that of a slider says enough by itself."""
    group = control.group if isinstance(control, Switch) else ""
    return f"{group}, {control.label}" if group else control.label
