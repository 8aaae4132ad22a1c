"""What the assistant can do after each step, judged by the exact truth on held-out conversations."""

import math
import random
from collections import defaultdict
from collections.abc import Sequence

from support.alignment import Transcript, transcript_loss
from support.alignment.conversation import (
    ASSISTANT,
    END,
    LONGEST_REPLY,
    USER,
    conversation_transcript,
    make_harness,
    prompt,
    reply_of,
    shortened,
)
from support.alignment.harness import Trajectory
from support.alignment.tool_evaluation import honest_tools
from support.alignment.tools import Calculator, Tool
from support.generation import generate_many
from support.model import GPT
from support.text import Vocabulary
from support.worlds import loss_floor
from support.worlds.conversations import TALK, TOOL_KINDS, UNTOLD, Conversations, Turn
from support.worlds.shop import Problem

TEST = 990  # the seed of the held-out conversations
HELD_OUT, STORIES, SUMS = 100, 60, 50  # conversations, stories on request, sums of each length


def tools_of(turn: Turn) -> dict[str, Tool]:
    """The tools as they are in a turn: its prices, its time, and a calculator."""
    return honest_tools(Problem(turn.kind, turn.user, turn.steps, turn.reply))


def replies(model: GPT, words: Vocabulary, asked: Sequence[Sequence[Turn]]) -> list[Trajectory]:
    """The model's likeliest reply to the last turn of each conversation, in the harness."""
    return served(model, words, [prompt(turns) for turns in asked], [turns[-1] for turns in asked])


def served(
    model: GPT, words: Vocabulary, texts: Sequence[list[str]], asked: Sequence[Turn]
) -> list[Trajectory]:
    """The model's likeliest replies after texts that end with turns to be replied to, with their tools."""
    harness = make_harness(model, words, {"calc": Calculator()})
    harness.max_new_tokens = 24
    trajectories = [Trajectory() for _ in texts]
    for trajectory, text in zip(trajectories, texts, strict=True):
        trajectory.put(text, "user")
    return harness.continue_many(trajectories, [tools_of(turn) for turn in asked])


def right(trajectory: Trajectory, turn: Turn) -> bool:
    """Whether the reply is the right one."""
    return trajectory.stopped == "answered" and tuple(reply_of(trajectory)) == turn.truth


def requests_right(trajectory: Trajectory, turn: Turn) -> bool:
    """Whether exactly the right requests were written, in the right order."""
    written = [(call.name, *call.request.split()) for call in trajectory.calls]
    return written == [step for step, _ in turn.steps]


def replies_right(model: GPT, words: Vocabulary, n: int = HELD_OUT) -> dict[str, float]:
    """Shares of right replies by kind of turn, each after the true conversation up to there."""
    said = Conversations().sample(n, TEST)
    asked = [turns[: i + 1] for turns in said for i, turn in enumerate(turns) if turn.kind != "story"]
    found: dict[str, list[bool]] = defaultdict(list)
    for trajectory, turns in zip(replies(model, words, asked), asked, strict=True):
        turn = turns[-1]
        found["small talk" if turn.kind in TALK else turn.kind].append(right(trajectory, turn))
        if turn.kind in TOOL_KINDS:
            found["requests"].append(requests_right(trajectory, turn))
        if turn.kind == "told":
            found["told, says untold"].append(tuple(reply_of(trajectory)) == UNTOLD)
    return {kind: sum(hits) / len(hits) for kind, hits in sorted(found.items())}


def sums_right(model: GPT, words: Vocabulary, n: int = SUMS) -> dict[str, float]:
    """Sums with numbers of one to five digits, as the first turn of a conversation."""
    found = {}
    for length in (1, 2, 3, 4, 5):
        rng, drawn = random.Random(TEST), Conversations(lengths=(length,))
        turns = [[drawn.tool(rng, "sum")] for _ in range(n)]
        trajectories = replies(model, words, turns)
        found[f"sum, {length} digits"] = sum(map(right, trajectories, [t[0] for t in turns])) / n
    return found


def requests(n: int) -> list[Turn]:
    """Requests for a story, with stories of the world as their replies."""
    rng, world = random.Random(TEST), Conversations()
    return [world.story(rng)[0] for _ in range(n)]


def stories_told(model: GPT, words: Vocabulary, n: int = STORIES) -> dict[str, float]:
    """How many stories, drawn from the model at temperature 1, are of the world, and fit the request."""
    turns, world = requests(n), Conversations()
    start = [words.encode(prompt([turn])) for turn in turns]
    end = words.id(END)
    texts = generate_many(model, start, LONGEST_REPLY, seed=TEST, stop=[end])
    told = [[words.token(i) for i in ids[len(s) :] if i != end] for ids, s in zip(texts, start, strict=True)]
    legal = [world.story_log_prob(text, {}) for text in told]
    fitting = [world.story_log_prob(text, dict(t.about)) for text, t in zip(told, turns, strict=True)]
    return {
        "stories legal": sum(map(math.isfinite, legal)) / n,
        "stories legal and fitting": sum(map(math.isfinite, fitting)) / n,
    }


def story_losses(model: GPT, words: Vocabulary, n: int = STORIES) -> dict[str, float]:
    """What the world's own stories cost the model above their floor, in nats a token."""
    turns, world = requests(n), Conversations()
    floor = -sum(world.story_log_prob(turn.reply, dict(turn.about)) for turn in turns)
    count = sum(len(turn.reply) + 1 for turn in turns)
    asked = transcript_loss(model, [conversation_transcript([turn]) for turn in turns], words)
    whole = world.stories.sample(n, TEST)
    plain = [Transcript(story, [False] + [True] * (len(story) - 1)) for story in whole]
    return {
        "story loss above the floor": asked - floor / count,
        "plain story loss above the floor": transcript_loss(model, plain, words)
        - loss_floor(world.stories, whole),
    }


def long_talks(model: GPT, words: Vocabulary, latest: int, n: int = 14) -> float:
    """The share of right replies in talks of nine turns after a story, when the latest ones are read."""
    rng, world = random.Random(TEST), Conversations()
    asked: list[Turn] = []
    texts: list[list[str]] = []
    for _ in range(n):
        told, drawn = world.story(rng)
        past = [conversation_transcript([told]).tokens[1:]]
        for kind in rng.sample(range(9), 9):
            turn = world.question(rng, drawn) if kind < 5 else world.tool(rng)
            texts.append(shortened(past, [USER, *turn.user, ASSISTANT], 48, 0, latest))
            asked.append(turn)
            past.append(conversation_transcript([turn]).tokens[1:])
    trajectories = served(model, words, texts, asked)
    return sum(map(right, trajectories, asked)) / len(asked)


def facts(model: GPT, words: Vocabulary) -> dict[str, float]:
    """All that is measured of one model."""
    found = replies_right(model, words, HELD_OUT) | sums_right(model, words, SUMS)
    found |= stories_told(model, words, STORIES) | story_losses(model, words, STORIES)
    return {name: round(value, 4) for name, value in found.items()}
