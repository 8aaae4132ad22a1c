"""The shop world: questions that one can answer by asking somebody else, and what asking must look like.

A problem is a question with the requests that lead to its answer. Numbers, prices, the time and the pages are
drawn by lot, so what a request brings back cannot be known without it. How a request is written is fixed, and
so a model can be judged by the exact truth: is the request right, is the answer right?
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from support.core import InputError
from support.text import Vocabulary
from support.worlds.base import SPECIALS
from support.worlds.pages import VALUES, Page, all_words, pages
from support.worlds.stories import PEOPLE

CALL, RESULT, END_RESULT, ANSWER = ("<call>", "<result>", "</result>", "<answer>")
MARKS = (CALL, RESULT, END_RESULT, ANSWER)
UNK = "<unk>"
GOODS = ("apples", "candles", "coins", "pots", "ropes", "shells", "stamps")
KINDS = {"sum": 0.4, "cost": 0.2, "price": 0.08, "clock": 0.04, "known": 0.14, "find": 0.14}
OPERATIONS = "+-*"
SHOP_WORDS = "has buys finds sells loses more rows of what is the price must pay how many time it"
TOOL_NAMES = ("calc", "price", "clock", "find")


@dataclass(frozen=True)
class Problem:
    """A question, the requests that lead to its answer with what they bring back, and the answer.

    Attributes:
        kind: ``"sum"`` (calculator), ``"price"`` (look-up), ``"cost"`` (first the one, then the other),
            ``"clock"``, ``"find"`` (search for a page), ``"known"`` (the question itself says it).
        question: its words.
        steps: for each request its words and the words that come back.
        answer: its words.
        page: the right page of a ``"find"``.
    """

    kind: str
    question: tuple[str, ...]
    steps: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    answer: tuple[str, ...]
    page: Page | None = None


@dataclass(frozen=True)
class ShopWorld:
    """Problems in which all that a tool would say is drawn by lot.

    Args:
        digits: the numbers of sums have so many digits at most; each length is equally likely.
        lengths: instead, the lengths from which each number's is drawn.

    Raises:
        InputError: a length is not between 1 and 9.

    >>> world = ShopWorld()
    >>> problem = world.problem(random.Random(5), "sum")
    >>> " ".join(problem.question)
    'freya has 3 6 1 rows of 4 6 7 stamps . how many ?'
    >>> " ".join(problem.steps[0][0]), "".join(problem.answer)
    ('calc 3 6 1 * 4 6 7', '168587')
    """

    digits: int = 3
    lengths: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not all(1 <= n <= 9 for n in (self.digits, *self.lengths)):
            raise InputError("The lengths of numbers must lie between 1 and 9 digits.")

    @property
    def vocabulary(self) -> Vocabulary:
        """The special tokens, the marks of a request, digits and words."""
        signs = [*map(str, range(10)), *OPERATIONS, ":"]
        words = dict.fromkeys([*TOOL_NAMES, *GOODS, *SHOP_WORDS.split(), *all_words()])
        return Vocabulary([*SPECIALS, UNK, *MARKS, *signs, *words], unk=UNK)

    def problem(self, draw: random.Random, kind: str | None = None) -> Problem:
        """One problem.

        Args:
            draw: where the lots come from.
            kind: one of `KINDS`; drawn if not given.

        Raises:
            InputError: there is no such kind.
        """
        if kind is None:
            kind = draw.choices(list(KINDS), list(KINDS.values()))[0]
        if kind not in KINDS:
            raise InputError(f"There is no kind {kind!r} of problem; choose one of {', '.join(KINDS)}.")
        return getattr(self, f"_{kind}")(draw)

    def problems(self, n: int, seed: int, kind: str | None = None) -> list[Problem]:
        """``n`` problems, the same for the same seed.

        >>> [p.kind for p in ShopWorld().problems(3, seed=0, kind="clock")]
        ['clock', 'clock', 'clock']
        """
        draw = random.Random(seed)
        return [self.problem(draw, kind) for _ in range(n)]

    def number(self, draw: random.Random) -> int:
        """A number: its length is drawn first, then one of the numbers of that length."""
        n = draw.choice(self.lengths) if self.lengths else draw.randint(1, self.digits)
        return draw.randrange(10 ** (n - 1) if n > 1 else 1, 10**n)

    def _sum(self, draw: random.Random) -> Problem:
        a, b, op = self.number(draw), self.number(draw), draw.choice(OPERATIONS)
        if op == "-":
            a, b = max(a, b), min(a, b)
        who, what = draw.choice(list(PEOPLE)), draw.choice(GOODS)
        text = {
            "+": f"{who} has {_split(a)} {what} . {who} {draw.choice(['buys', 'finds'])} {_split(b)} more .",
            "-": f"{who} has {_split(a)} {what} . {who} {draw.choice(['sells', 'loses'])} {_split(b)} .",
            "*": f"{who} has {_split(a)} rows of {_split(b)} {what} .",
        }[op]
        value = _split(calculate(a, op, b))
        request = f"calc {_split(a)} {op} {_split(b)}"
        return _problem("sum", f"{text} how many ?", [(request, value)], value)

    def _price(self, draw: random.Random) -> Problem:
        what, amount = draw.choice(GOODS), _split(draw.randint(2, 99))
        return _problem("price", f"what is the price of {what} ?", [(f"price {what}", amount)], amount)

    def _cost(self, draw: random.Random) -> Problem:
        who, what = draw.choice(list(PEOPLE)), draw.choice(GOODS)
        n, each = self.number(draw), draw.randint(2, 99)
        steps = [
            (f"price {what}", _split(each)),
            (f"calc {_split(n)} * {_split(each)}", _split(n * each)),
        ]
        question = f"{who} buys {_split(n)} {what} . what must {who} pay ?"
        return _problem("cost", question, steps, _split(n * each))

    def _clock(self, draw: random.Random) -> Problem:
        time = _split(f"{draw.randrange(24):02d}:{draw.randrange(60):02d}")
        return _problem("clock", "what is the time ?", [("clock", time)], time)

    def _known(self, draw: random.Random) -> Problem:
        who, what, n = draw.choice(list(PEOPLE)), draw.choice(GOODS), self.number(draw)
        question = f"{who} has {_split(n)} {what} . how many {what} has {who} ?"
        return _problem("known", question, [], _split(n))

    def _find(self, draw: random.Random) -> Problem:
        return about(pages(1, seed=draw.randrange(2**31))[0], draw)


def about(page: Page, draw: random.Random, wanted: str | None = None) -> Problem:
    """A question that this page answers, as a problem: the request names the three clues.

    Args:
        page: the page.
        draw: where the lots come from.
        wanted: ``"person"`` or ``"colour"``; drawn if not given.

    >>> about(pages(1, seed=0)[0], random.Random(0)).steps[0][0]
    ('find', 'snuffled', 'clay', 'reeds')
    """
    wanted = wanted or draw.choice(list(VALUES))
    question = " ".join(page.question(wanted, draw))
    found = _problem(
        "find", question, [("find " + " ".join(page.clues), " ".join(page.words))], getattr(page, wanted)
    )
    return replace(found, page=page)


def transcript(problem: Problem, tools: bool = True) -> tuple[list[str], list[bool]]:
    """The whole text of a solved problem, and which of its tokens the model is to learn.

    The model learns what it must write: requests up to ``<result>``, and the answer. It does not learn the
    question, nor what comes back from a tool, because it never writes these.

    Args:
        problem: what is solved.
        tools: with requests; without, the answer follows the question at once.

    >>> tokens, learned = transcript(ShopWorld().problem(random.Random(0), "price"))
    >>> " ".join(t for t, mine in zip(tokens, learned) if mine)
    '<call> price stamps <result> <answer> 5 1 <EOS>'
    """
    parts: list[tuple[Sequence[str], bool]] = [(["<BOS>", *problem.question], False)]
    if tools:
        for request, result in problem.steps:
            parts += [([CALL, *request, RESULT], True), ([*result, END_RESULT], False)]
    parts.append(([ANSWER, *problem.answer, "<EOS>"], True))
    return [t for words, _ in parts for t in words], [mine for words, mine in parts for _ in words]


def calculate(a: int, op: str, b: int) -> int:
    """The exact result.

    >>> calculate(347, "+", 585)
    932
    """
    return {"+": a + b, "-": a - b, "*": a * b}[op]


def _split(value: int | str) -> str:
    return " ".join(str(value))


def _problem(kind: str, question: str, steps: Sequence[tuple[str, str]], answer: str) -> Problem:
    pairs = tuple((tuple(a.split()), tuple(b.split())) for a, b in steps)
    return Problem(kind, tuple(question.split()), pairs, tuple(answer.split()))
