"""How a conversation with the assistant is written as one text: the interface of the zoo's ``assistant``.

The text of a conversation, token by token::

    <BOS> <user> which animal ? <assistant> fox <end>
    <user> what is 3 4 + 5 8 ? <assistant> <call> calc 3 4 + 5 8 <result> 9 2 </result> 9 2 <end>

It begins with ``<BOS>``, once. Each turn is ``<user>``, the user's words in small letters with every digit
and sign as a token, ``<assistant>``, the reply, ``<end>``. The next turn follows at once.

- After ``<assistant>`` the model writes. It stops at ``<end>`` (the reply is done) or ``<result>`` (it has
  written a request, ``<call> NAME WORDS <result>``). Then the harness runs the tool NAME with WORDS, appends
  what came back and ``</result>``, and lets the model go on. The tools are ``calc`` (digits and ``+ - *``),
  ``price`` (a name of goods) and ``clock`` (nothing); the model writes ``<call> clock <result>``.
- The reply to show is what stands after ``<assistant>``, or after the last ``</result>``, up to ``<end>``.
- The model must not write ``<BOS>``, ``<EOS>``, ``<user>``, ``<assistant>``, ``</result>`` or ``<unk>``:
  their logits are −∞ in every step. Without tools, neither ``<call>`` nor ``<result>``.
- A text of a user or of a tool never becomes one of these tokens: a typed ``<call>`` is ``<``, ``call`` and
  ``>``, three words that the vocabulary lacks.
- The model reads 256 tokens, and was trained on few turns after a story, in which no question came twice. So
  of the earlier turns it is given only the latest story (`shortened`); right replies never need another one.
  A greeting and what a tool answers need none (`support.worlds.conversation_forms.needs_story`).
"""

from collections.abc import Mapping, Sequence

from torch import nn

from support.alignment.chat import ChatTemplate, Message, Transcript
from support.alignment.harness import Harness, SpecialTokens, Trajectory
from support.alignment.tools import Tool
from support.text import Vocabulary
from support.worlds.base import BOS
from support.worlds.conversations import LONGEST, Turn

TEMPLATE = ChatTemplate()
USER, ASSISTANT, END = TEMPLATE.special_tokens
SPECIAL = SpecialTokens(answer=ASSISTANT, end=END, others=(USER, ASSISTANT, "<EOS>"))
NEW_TOKENS = (*TEMPLATE.special_tokens, SPECIAL.call, SPECIAL.result, SPECIAL.end_result, "<unk>")
LONGEST_REPLY = 190  # tokens: a story
LATEST = 0  # earlier turns that the model reads besides the story: with more than in training it errs


def conversation_transcript(turns: Sequence[Turn]) -> Transcript:
    """A conversation as one text, with a note of what the model is to learn: requests and replies.

    >>> turn = Turn("clock", ("time", "?"), ("9", ":", "5"), ((("clock",), ("9", ":", "5")),))
    >>> said = conversation_transcript([turn])
    >>> " ".join(said.tokens)
    '<BOS> <user> time ? <assistant> <call> clock <result> 9 : 5 </result> 9 : 5 <end>'
    >>> " ".join(token for token, mine in zip(said.tokens, said.learned) if mine)
    '<call> clock <result> 9 : 5 <end>'
    """
    tokens, learned = [BOS], [False]
    for turn in turns:
        asked = TEMPLATE.render([Message("user", turn.user)], reply="assistant")
        parts: list[tuple[Sequence[str], bool]] = [(asked.tokens, False)]
        for request, result in turn.steps:
            parts += [
                ([SPECIAL.call, *request, SPECIAL.result], True),
                ([*result, SPECIAL.end_result], False),
            ]
        for words, mine in [*parts, ([*turn.reply, END], True)]:
            tokens += words
            learned += [mine] * len(words)
    return Transcript(tokens, learned)


def prompt(turns: Sequence[Turn], last: int = -1) -> list[str]:
    """The text up to the place where the reply to one of the turns begins.

    Args:
        turns: the conversation.
        last: the number of that turn; the last one if not given.

    >>> prompt([Turn("hello", ("hi",), ("hello", "!"))])
    ['<BOS>', '<user>', 'hi', '<assistant>']
    """
    before = turns[: last if last >= 0 else len(turns) + last]
    return [*conversation_transcript(before).tokens, USER, *turns[last].user, ASSISTANT]


def shortened(
    past: Sequence[list[str]], now: Sequence[str], room: int, keep: int | None = None, latest: int = LATEST
) -> list[str]:
    """What the model reads: the story, a few latest turns, and the turn that is to be replied to.

    Args:
        past: the tokens of each earlier turn, from ``<user>`` to ``<end>``.
        now: the tokens of the turn that has begun, from ``<user>`` to ``<assistant>``.
        room: tokens that the reply may need; fewer turns are kept if they would not leave it.
        keep: the index of an earlier turn that is kept longest: that of the story.
        latest: so many of the other turns at most.

    >>> shortened([["a"] * 100, ["b"] * 100, ["c"]], ["now"], room=60, keep=0, latest=9)[98:]
    ['a', 'a', 'a', 'c', 'now']
    """
    free, kept = LONGEST - 1 - len(now) - room, set[int]()
    others = [i for i in reversed(range(len(past))) if i != keep][:latest]
    for i in ([] if keep is None else [keep]) + others:
        if len(past[i]) > free:
            if i != keep:
                break
            continue
        kept.add(i)
        free -= len(past[i])
    return [BOS, *(token for i in sorted(kept) for token in past[i]), *now]


def reply_of(trajectory: Trajectory) -> list[str]:
    """The words of the last reply in a text, without requests and results.

    >>> reply_of(Trajectory("<user> hi <assistant> <call> clock <result> 9 </result> 9 <end>".split()))
    ['9']
    """
    starts = [i for i, token in enumerate(trajectory.tokens) if token in (ASSISTANT, SPECIAL.end_result)]
    return [token for token in trajectory.tokens[starts[-1] + 1 :] if token != END] if starts else []


def make_harness(model: nn.Module, vocabulary: Vocabulary, tools: Mapping[str, Tool]) -> Harness:
    """The harness around the assistant; without tools the model cannot write a request.

    Args:
        model: the assistant, ids → logits.
        vocabulary: its vocabulary.
        tools: name → tool: ``calc``, ``price``, ``clock``.
    """
    forbidden = ["<unk>", *([] if tools else [SPECIAL.call, SPECIAL.result])]
    return Harness(model, vocabulary, tools, SPECIAL, max_new_tokens=LONGEST_REPLY, forbidden=forbidden)
