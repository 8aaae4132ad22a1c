"""Conversations: stories on request, questions about them, sums for a calculator, and small talk.

Everything that a user may ask has a known right reply. A story that is asked for has an exact probability
(`Conversations.story_log_prob`), also when it must be about somebody or something. A question about a story
is answered by the word that the story has told; if it has told none, or two, the right reply is `UNTOLD`.
Sums, costs, prices and times are those of `support.worlds.shop`, with the requests that lead to them.
"""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from support.core import InputError
from support.worlds.shop import GOODS, OPERATIONS, SHOP_WORDS, TOOL_NAMES, ShopWorld, calculate
from support.worlds.stories import ANIMALS, COLOURS, PEOPLE, PLACES, THINGS, StoryWorld
from support.worlds.story_questions import KINDS, StoryQuestions

Words = tuple[str, ...]

UNTOLD = ("the", "story", "does", "not", "say")
TELL = (
    "tell me a story",
    "tell a story",
    "please tell me a story",
    "can you tell me a story",
    "i want a story",
    "another story",
)
ASK = {
    "name": ("who ?", "who is it about ?", "who was there ?", "what was the name ?"),
    "colour": ("which colour ?", "what colour ?", "what colour was it ?"),
    "animal": ("which animal ?", "what animal ?", "which animal was it ?"),
    "thing": ("which thing ?", "what thing ?", "what thing was it ?"),
    "place": ("which place ?", "where ?", "where was it ?"),
}
TALK = {
    "hello": (("hello", "hi", "good morning", "good evening"), "hello ! shall i tell you a story ?"),
    "thanks": (("thank you", "thanks", "thank you , that was good"), "you are welcome !"),
    "goodbye": (("goodbye", "bye", "good night"), "goodbye !"),
    "who": (("who are you ?", "what are you ?"), "i am a small assistant ."),
    "can": (("what can you do ?", "how can you help ?"), "i tell stories , answer questions and do sums ."),
}
SUMS = ("what is {} ?", "how much is {} ?", "{} ?", "{} = ?")
TOPICS = {"hero": PEOPLE, "animal": ANIMALS, "thing": THINGS}  # what a story can be asked to be about
VALUES = {"name": PEOPLE, "colour": COLOURS, "animal": ANIMALS, "thing": THINGS, "place": PLACES}
TOOL_KINDS = {"sum": 0.5, "cost": 0.2, "price": 0.08, "clock": 0.07, "known": 0.15}
LONGEST = 256  # tokens of a conversation: what the model can read


@dataclass(frozen=True)
class Turn:
    """What a user says, and the reply.

    Attributes:
        kind: ``"story"``, ``"told"`` or ``"untold"`` (questions), one of `TOOL_KINDS`, or one of `TALK`.
        user: the user's words.
        reply: the words of the reply, without the requests.
        steps: for each request its words and the words that come back.
        about: of a story what it must be about, as slot → value; of a question what it asks for.
    """

    kind: str
    user: Words
    reply: Words
    steps: tuple[tuple[Words, Words], ...] = ()
    about: tuple[tuple[str, str], ...] = ()

    @property
    def truth(self) -> Words:
        """The right reply; it differs from `reply` where an annotator guessed."""
        return UNTOLD if self.kind == "untold" else self.reply

    def __len__(self) -> int:
        """Tokens, with the five marks of a turn and of each request."""
        return 3 + len(self.user) + len(self.reply) + sum(3 + len(a) + len(b) for a, b in self.steps)


class Conversations:
    """Conversations drawn by lot.

    Args:
        tools: the share of conversations about sums; in a third of the others one stands among the questions.
        abstain: how often the annotator who replies to an untold question says `UNTOLD`; else a guess is
            drawn from all values of its kind.
        digits: the numbers of sums have so many digits at most.
        lengths: instead, the lengths from which each number's is drawn.

    Raises:
        InputError: a share is not between 0 and 1.

    >>> world = Conversations()
    >>> turns = world.sample(1, seed=3)[0]
    >>> [turn.kind for turn in turns][:2]
    ['story', 'told']
    """

    def __init__(
        self,
        tools: float | int = 0.5,
        abstain: float | int = 1.0,
        digits: int = 3,
        lengths: tuple[int, ...] = (),
    ) -> None:
        if not (0 <= tools <= 1 and 0 <= abstain <= 1):
            raise InputError(f"Conversations: tools={tools} and abstain={abstain} must lie between 0 and 1.")
        self.tools, self.abstain = tools, abstain
        self.questions, self.shop = StoryQuestions(), ShopWorld(digits, lengths)
        self.stories = self.questions.stories

    def sample(self, n: int, seed: int) -> list[list[Turn]]:
        """``n`` independent conversations of at most `LONGEST` tokens, the same for the same seed."""
        rng = random.Random(seed)
        return [self._conversation(rng) for _ in range(n)]

    def _conversation(self, rng: random.Random) -> list[Turn]:
        turns = [self.talk(rng)] if rng.random() < 0.2 else []
        if rng.random() < self.tools:
            turns += [self.tool(rng) for _ in range(rng.randint(4, 7))]
        elif rng.random() < 0.05:
            turns.append(self.question(rng, []))
        else:
            told, drawn = self.story(rng)
            asked = [self.question(rng, drawn, kind) for kind in rng.sample(KINDS, rng.randint(1, 3))]
            if self.tools and rng.random() < 1 / 3:
                asked.insert(rng.randint(0, len(asked)), self.tool(rng))
            turns += [told, *asked]
        if rng.random() < 0.2:
            turns.append(self.talk(rng))
        while 1 + sum(map(len, turns)) > LONGEST:
            turns.pop()
        return turns

    # The kinds of turns

    def story(
        self, rng: random.Random, about: Mapping[str, str] | None = None
    ) -> tuple[Turn, list[tuple[str, int, str]]]:
        """A request for a story with the story, and how the story was drawn (for `question`).

        Args:
            rng: where the lots come from.
            about: slot → value, for one or two of `TOPICS`; drawn if not given.
        """
        if about is None:
            slots = rng.choice(
                [[], [], ["hero"], ["animal"], ["thing"], ["hero", rng.choice(["animal", "thing"])]]
            )
            about = {slot: rng.choice(list(TOPICS[slot])) for slot in slots}
        asked = rng.choice(TELL)
        if about:
            named = " and ".join(value if slot == "hero" else f"a {value}" for slot, value in about.items())
            asked = f"{asked} about {named}"
        drawn = self._drawn(rng, about)
        words = tuple(token for token, _, _ in drawn[1:-1])
        asked += " ?" if asked.startswith("can") else ""
        return Turn("story", _typed(rng, asked.split()), words, about=tuple(about.items())), drawn

    def _drawn(self, rng: random.Random, about: Mapping[str, str]) -> list[tuple[str, int, str]]:
        """A story that mentions what it must, drawn from the world's exact conditional distribution."""
        wanted = {(self.stories._names.index(slot), "") for slot in about}
        while True:
            drawn = self.stories._draw(rng, about)
            if wanted <= {(slot, form) for _, slot, form in drawn}:
                return drawn

    def question(
        self, rng: random.Random, drawn: list[tuple[str, int, str]], kind: str | None = None
    ) -> Turn:
        """A question about a story (about none, if nothing was drawn), and what the annotator replies."""
        kind = kind or rng.choice(KINDS)
        answer = self.questions.answers(drawn).get(kind)
        asked = _typed(rng, rng.choice(ASK[kind]).split())
        about = (("asked", kind),)
        if answer is not None:
            return Turn("told", asked, (answer,), about=about)
        guess = UNTOLD if rng.random() < self.abstain else (rng.choice(list(VALUES[kind])),)
        return Turn("untold", asked, guess, about=about)

    def tool(self, rng: random.Random, kind: str | None = None) -> Turn:
        """A question that needs a tool, or (``"known"``) seems to."""
        kind = kind or rng.choices(list(TOOL_KINDS), list(TOOL_KINDS.values()))[0]
        if kind == "sum" and rng.random() < 0.6:
            a, b, op = self.shop.number(rng), self.shop.number(rng), rng.choice(OPERATIONS)
            sum_ = f"{' '.join(str(a))} {op} {' '.join(str(b))}"
            value = tuple(str(calculate(a, op, b)))
            asked = _typed(rng, rng.choice(SUMS).format(sum_).split())
            return Turn("sum", asked, value, ((("calc", *sum_.split()), value),))
        problem = self.shop.problem(rng, kind)
        return Turn(kind, _typed(rng, problem.question), problem.answer, problem.steps)

    def talk(self, rng: random.Random) -> Turn:
        """A greeting, thanks, or a question about the assistant."""
        kind = rng.choice(list(TALK))
        said, reply = TALK[kind]
        return Turn(kind, _typed(rng, rng.choice(said).split()), tuple(reply.split()))

    # What is exactly true

    def story_log_prob(self, words: Sequence[str], about: Mapping[str, str]) -> float:
        """ln of the probability of a story (without ``<BOS>``, ``<EOS>``), given what it must be about.

        It is −∞ for a text that is no story of the world, or one about something else.

        >>> world = Conversations(); turn, _ = world.story(random.Random(0), {"hero": "freya"})
        >>> log_prob = world.story_log_prob(turn.reply, {"hero": "freya"})
        >>> round(log_prob - world.story_log_prob(turn.reply, {}), 3)  # ln(16 / 0.88)
        2.9
        """
        if not self.fits(words, about):
            return -math.inf
        total = self.stories.log_prob(["<BOS>", *words, "<EOS>"])
        return (
            total
            - math.log(_mentioned(self.stories, frozenset(about)))
            + sum(math.log(len(TOPICS[slot])) for slot in about)
        )

    def fits(self, words: Sequence[str], about: Mapping[str, str]) -> bool:
        """Whether a text is about what was asked: the first of its kind that it names is the one."""
        return all(
            next((word for word in words if word in TOPICS[slot]), None) == value
            for slot, value in about.items()
        )


def _typed(rng: random.Random, words: Sequence[str]) -> Words:
    """As a user may type it: one in three leaves out the question mark at the end."""
    careless = len(words) > 1 and words[-1] == "?" and rng.random() < 1 / 3
    return tuple(words[:-1] if careless else words)


@lru_cache
def _mentioned(world: StoryWorld, slots: frozenset[str]) -> float:
    """The probability that a story names all these slots by their own word, summed over the grammar."""
    nodes, names = world._nodes, world._names
    rest = sorted(slots)
    found = [[1.0 if not missing else 0.0 for missing in range(2 ** len(rest))] for _ in nodes]
    for i in [*range(2, len(nodes)), 0]:  # a node is made after all that can follow it
        node = nodes[i]
        for missing in range(2 ** len(rest)):
            left = missing
            if node.slot >= 0 and not node.form and names[node.slot] in rest:
                left &= ~(1 << rest.index(names[node.slot]))
            found[i][missing] = sum(p * found[after][left] for p, after in node.after)
    return found[0][-1]


def all_words() -> list[str]:
    """Every word of users, replies and requests that is no word of a story, in alphabetical order."""
    fixed = [
        *TELL,
        *(q for qs in ASK.values() for q in qs),
        *SUMS,
        *(w for said, reply in TALK.values() for w in (*said, reply)),
    ]
    found = {
        *" ".join([*fixed, "about a and", *UNTOLD, SHOP_WORDS]).split(),
        *GOODS,
        *TOOL_NAMES[:3],
        *OPERATIONS,
        ":",
    }
    return sorted({*found, *map(str, range(10))} - {"{}"} - set(StoryQuestions().stories.vocabulary.tokens))
