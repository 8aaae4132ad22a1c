"""The assistant: the story model after instruction tuning, preferences and tools, step by step."""

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from support.alignment import (
    InstructionBatches,
    Standing,
    Transcript,
    first_words,
    grow_vocabulary,
    judge,
)
from support.alignment.conversation import NEW_TOKENS, conversation_transcript, prompt
from support.alignment.optimise import minimise
from support.core import seeded_generator
from support.model import GPT
from support.text import Vocabulary
from support.training import IGNORE_INDEX, TrainConfig, cross_entropy_sum, pad_sequences, train
from support.worlds.conversations import LONGEST, UNTOLD, Conversations, Turn, all_words
from support.zoo.entry import load

NAME, BASE = "assistant", "stories"
BATCH, PLAIN = 16, 0.1  # conversations a step; the share of plain stories among them, against forgetting
STEPS = {"instructions": 400, "preferences": 120, "tools": 1000}
RATES = {"instructions": 2e-3, "preferences": 4e-4, "tools": 2.5e-3}
GUESSED = 0.1  # how often the annotators of step 1 say that a story does not tell
BETA, ASKED = 0.1, 1200  # of the preferences: the weight of the KL, and how many questions
RIGHT, ABSTAINS, WRONG = 1.0, 0.0, -1.0


def world() -> Conversations:
    """The world of the conversations, with the right replies."""
    return Conversations()


def grown(seed: int = 0) -> tuple[GPT, Vocabulary]:
    """The story model with rows for new words and for 64 more positions: the start of step 1."""
    base = load(BASE)
    new = [*NEW_TOKENS, *all_words()]
    model, words = grow_vocabulary(base.model, base.vocabulary, new, seed, noise=1.0, context=LONGEST)
    return model.train(), Vocabulary(words.tokens, unk="<unk>")


def plain(n: int, seed: int) -> list[Transcript]:
    """Stories without a conversation, every word of them learned."""
    stories = world().stories.sample(n, seed)
    return [Transcript(story, [False] + [True] * (len(story) - 1)) for story in stories]


def settings(step: str, seed: int) -> TrainConfig:
    """The optimiser of a step."""
    return TrainConfig(
        STEPS[step],
        lr=RATES[step],
        warmup=min(20, STEPS[step]),
        weight_decay=0.0,
        seed=seed,
        precision="float32",
        progress=False,
    )


def instruct(seed: int) -> tuple[GPT, Vocabulary]:
    """Step 1: stories on request, questions that are always answered (nine of ten untold ones by a guess)."""
    model, words = grown(seed)
    n = STEPS["instructions"] * BATCH
    said = Conversations(tools=0.0, abstain=GUESSED).sample(int(n * (1 - PLAIN)), 1000 + seed)
    texts = [*map(conversation_transcript, said), *plain(int(n * PLAIN), 2000 + seed)]
    train(model, InstructionBatches(texts, words, BATCH, seed=seed), settings("instructions", seed))
    return model.eval(), words


# Step 2: preferences. An answer is decided by its first word: the right one, "the" of UNTOLD, or another.


class Questions(NamedTuple):
    """Questions, each with the reward of every word that a reply could begin with.

    Attributes:
        prompts: ids, padded at the right.
        ends: the position of the last token of each.
        rewards: a row for each question, a column for each id.
    """

    prompts: Int[Tensor, "question position"]
    ends: Int[Tensor, " question"]
    rewards: Float[Tensor, "question id"]

    def log_probs(self, model: GPT) -> Float[Tensor, "question id"]:
        """The log-probability of every first word; carries a gradient."""
        return model(self.prompts)[torch.arange(len(self.ends)), self.ends].log_softmax(-1)

    def take(self, rows: Sequence[int]) -> "Questions":
        """Some of the questions, without needless padding."""
        ends = self.ends[list(rows)]
        return Questions(self.prompts[list(rows), : int(ends.max()) + 1], ends, self.rewards[list(rows)])


def questions(n: int, seed: int, words: Vocabulary) -> Questions:
    """``n`` questions in conversations, the told and the untold as they come."""
    asked: list[list[Turn]] = []
    for turns in Conversations(tools=0.0).sample(n, seed):
        places = [i for i, turn in enumerate(turns) if turn.kind in ("told", "untold")]
        asked += [turns[: i + 1] for i in places]
    ids = [words.encode(prompt(turns)) for turns in asked[:n]]
    rewards = torch.full((len(ids), len(words)), WRONG)
    rewards[:, words.id(UNTOLD[0])] = ABSTAINS
    for row, turns in enumerate(asked[:n]):
        if turns[-1].kind == "told":
            rewards[row, words.id(turns[-1].reply[0])] = RIGHT
    return Questions(pad_sequences(ids), torch.tensor([len(row) - 1 for row in ids]), rewards)


@torch.no_grad()
def first_word_table(model: GPT, asked: Questions, size: int = 50) -> Float[Tensor, "question id"]:
    """The log-probabilities of all first words, in float64; impossible ones get a tiny one instead of 0."""
    rows = [asked.take(range(i, min(i + size, len(asked.ends)))) for i in range(0, len(asked.ends), size)]
    table = torch.cat([part.log_probs(model) for part in rows]).double()
    return table.clamp(min=-60).log_softmax(-1)


def kept_skills(n: int, seed: int) -> list[Transcript]:
    """What step 2 must not change: all but the first words of the replies to questions, which it decides."""
    found = []
    for turns in Conversations(tools=0.0).sample(int(n * (1 - PLAIN)), seed):
        tokens, learned = conversation_transcript(turns)
        for i, turn in enumerate(turns):
            if turn.kind in ("told", "untold"):
                learned[len(prompt(turns, i))] = False
        found.append(Transcript(tokens, learned))
    return found + plain(n - len(found), seed)


def prefer(model: GPT, words: Vocabulary, seed: int) -> GPT:
    """Step 2: the exact gradient of E[r] − β KL, all first words enumerated, and a loss on what is to stay.

    The second term is what Ouyang et al. 2022 call PPO-ptx: without it, the end of a reply and the small talk
    are not under the KL penalty, and drift.
    """
    policy, pool = copy.deepcopy(model).train(), questions(ASKED, 3000 + seed, words)
    reference = first_word_table(model, pool).float()
    draw = seeded_generator(seed)
    kept = kept_skills(STEPS["preferences"] * BATCH // 2, 3500 + seed)
    replayed = InstructionBatches(kept, words, BATCH // 2, seed=seed)

    def loss(step: int) -> Tensor:
        rows = torch.randint(ASKED, (BATCH,), generator=draw).tolist()
        some = pool.take(rows)
        log_probs = some.log_probs(policy).clamp(min=-60)
        gain = log_probs.exp() * (some.rewards - BETA * (log_probs - reference[rows]))
        inputs, targets = replayed(step)
        stays = cross_entropy_sum(policy(inputs), targets) / (targets != IGNORE_INDEX).sum()
        return stays - gain.sum(-1).mean()

    minimise(policy, loss, settings("preferences", seed))
    return policy.eval()


def standing(model: GPT, reference: GPT, asked: Questions) -> Standing:
    """Where a model stands against the exact optimum of the preferences."""
    tables = first_word_table(model, asked), first_word_table(reference, asked)
    return judge(*tables, asked.rewards.double(), BETA)


# Step 3: tools, with what was learned before replayed: the replies to questions are the model's own.


def own_replies(model: GPT, words: Vocabulary, said: list[list[Turn]]) -> list[list[Turn]]:
    """The same conversations with the questions answered as the model answers them."""
    places = [
        (k, i) for k, turns in enumerate(said) for i, t in enumerate(turns) if t.kind in ("told", "untold")
    ]
    prompts = [Transcript(prompt(said[k], i), []) for k, i in places]
    found = [list(turns) for turns in said]
    for (k, i), word in zip(places, first_words(model, prompts, words), strict=True):
        found[k][i] = replace(found[k][i], reply=UNTOLD if word == UNTOLD[0] else (word,))
    return found


def use_tools(model: GPT, words: Vocabulary, seed: int) -> GPT:
    """Step 3: transcripts with requests, half of the conversations; results are not learned."""
    policy = copy.deepcopy(model).train()
    n = STEPS["tools"] * BATCH
    said = own_replies(model, words, Conversations(tools=0.6).sample(int(n * (1 - PLAIN)), 4000 + seed))
    texts = [*map(conversation_transcript, said), *plain(int(n * PLAIN), 5000 + seed)]
    train(policy, InstructionBatches(texts, words, BATCH, seed=seed), settings("tools", seed))
    return policy.eval()
