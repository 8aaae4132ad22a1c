"""The harness: the program around a model that reads its requests, runs tools and writes the results back."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import torch
from torch import Tensor, nn

from support.alignment.tools import Tool, ToolError
from support.core import InputError
from support.generation import generate_many, stream
from support.text import Vocabulary

Writer = Literal["user", "model", "harness"]
LONGEST_RESULT = 64  # tokens
TOGETHER = 64  # texts that are continued in one batch
# A run of letters, one digit, or one other sign: a token such as <call> falls apart into "<", "call" and ">".
_WORD = re.compile(r"[^\W\d_]+|\d|[^\w\s]|_")


@dataclass(frozen=True)
class SpecialTokens:
    """The tokens that structure a text with requests. No text of a user or a tool can become one of them.

    Attributes:
        call: the model writes it before a request.
        result: the model writes it after a request: now the harness speaks.
        end_result: the harness writes it after a result.
        answer: the model writes it before its answer.
        start: the first token of every text.
        end: the model ends with it.
        others: further tokens that no text can become and the model must not write, such as ``<user>``.
    """

    call: str = "<call>"
    result: str = "<result>"
    end_result: str = "</result>"
    answer: str = "<answer>"
    start: str = "<BOS>"
    end: str = "<EOS>"
    others: tuple[str, ...] = ()

    def all(self) -> tuple[str, ...]:
        """Every one of them."""
        return (self.call, self.result, self.end_result, self.answer, self.start, self.end, *self.others)


@dataclass(frozen=True)
class Call:
    """One request and what came of it.

    Attributes:
        name: of the tool.
        request: what was asked, as a text.
        result: what the tool said; None if it refused.
        error: the sentence with which it was refused.
    """

    name: str
    request: str
    result: str | None
    error: str = ""


@dataclass
class Trajectory:
    """All that was written, token by token, with who wrote it.

    Attributes:
        tokens: the text.
        writers: for each token ``"user"``, ``"model"`` or ``"harness"``.
        calls: the requests in order.
        stopped: why it ended: ``"answered"``, ``"no answer"``, ``"too many calls"`` or a tool's refusal.
    """

    tokens: list[str] = field(default_factory=list)
    writers: list[Writer] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    stopped: str = ""

    def put(self, tokens: Sequence[str], writer: Writer) -> None:
        """Append tokens.

        >>> trajectory = Trajectory(); trajectory.put(["how", "many"], "user"); trajectory.writers
        ['user', 'user']
        """
        self.tokens += tokens
        self.writers += [writer] * len(tokens)

    def answer(self, special: SpecialTokens | None = None) -> str:
        """What stands between the answer's special token and the end; empty if there is no answer."""
        special = special or SpecialTokens()
        if special.answer not in self.tokens:
            return ""
        last = len(self.tokens) - self.tokens[::-1].index(special.answer)
        return " ".join(t for t in self.tokens[last:] if t != special.end)


class Harness:
    """A model with tools.

    The model writes tokens, and nothing else. When it writes ``<result>``, the harness takes the request
    before it, runs the tool of that name, and appends what came back, as if it had been typed. Special tokens
    come from the model and the harness only; a user or a tool that spells ``<call>`` has written three
    ordinary tokens. What only the harness may write is forbidden to the model in every step.

    Args:
        model: ids → logits.
        vocabulary: its vocabulary, with a token for unknown words.
        tools: name → tool. A name that is not here cannot be called, whatever a text says.
        special: the structuring tokens.
        most_calls: the run ends after so many.
        max_new_tokens: the model may write so many tokens between two results.
        forbidden: further tokens that the model must not write.

    Raises:
        InputError: the vocabulary lacks a special token, or a token for unknown words.

    Follows Schick et al. 2023 (Toolformer) in how a request stands in the text.
    """

    def __init__(
        self,
        model: nn.Module,
        vocabulary: Vocabulary,
        tools: Mapping[str, Tool],
        special: SpecialTokens | None = None,
        most_calls: int = 4,
        max_new_tokens: int = 40,
        forbidden: Sequence[str] = (),
    ) -> None:
        self.special = special or SpecialTokens()
        missing = vocabulary.unknown(list(self.special.all()))
        if missing or vocabulary.unk is None:
            raise InputError(f"The vocabulary lacks {', '.join(missing) or 'a token for unknown words'}.")
        self.model, self.vocabulary, self.tools = model, vocabulary, dict(tools)
        self.most_calls, self.max_new_tokens = most_calls, max_new_tokens
        withheld = [self.special.end_result, self.special.start, *self.special.others, *forbidden]
        self.writing: nn.Module = Forbidding(model, vocabulary.encode(withheld))

    def read(self, text: str) -> list[str]:
        """A text of a user or a tool as tokens: words, digits, signs. No special token can come of it.

        Raises:
            InputError: a special token came of it all the same, because it looks like a word.

        >>> from support.model import GPT, GPTConfig
        >>> words = Vocabulary(["<PAD>", "<unk>", *SpecialTokens().all(), "call", "4", "2"], unk="<unk>")
        >>> model = GPT(GPTConfig(vocab_size=len(words), d_model=8, n_heads=2))
        >>> Harness(model, words, {}).read("42 <call>")
        ['4', '2', '<unk>', 'call', '<unk>']
        """
        tokens = self.vocabulary.encode(_WORD.findall(text.lower()))
        words = [self.vocabulary.token(i) for i in tokens]
        forged = [word for word in words if word in self.special.all()]
        if forged:
            raise InputError(
                f"A text must not become the special token {forged[0]!r}; choose ones that are no words."
            )
        return words

    def run(self, question: str) -> Trajectory:
        """A question, its requests and its answer."""
        return self.run_many([question])[0]

    def run_many(
        self, questions: Sequence[str], tools: Sequence[Mapping[str, Tool]] | None = None
    ) -> list[Trajectory]:
        """Many questions side by side, each as `run` would do it.

        Args:
            questions: texts of users.
            tools: for each question tools of its own, instead of the harness's.
        """
        trajectories = [Trajectory() for _ in questions]
        sets = [self.tools] * len(trajectories) if tools is None else list(tools)
        for trajectory, question in zip(trajectories, questions, strict=True):
            trajectory.put([self.special.start, *self.read(question)], "user")
        return self.continue_many(trajectories, sets)

    def continue_many(
        self, trajectories: list[Trajectory], tools: Sequence[Mapping[str, Tool]]
    ) -> list[Trajectory]:
        """Let the model go on in texts that somebody else has begun, until each of them has stopped.

        Args:
            trajectories: the texts, each with its question; they are changed in place, and returned.
            tools: those of each text.
        """
        for _ in range(self.most_calls + 1):
            going = [i for i, trajectory in enumerate(trajectories) if not trajectory.stopped]
            if not going:
                break
            ids = [self.vocabulary.encode(trajectories[i].tokens) for i in going]
            for i, new in zip(going, self._written_after(ids), strict=True):
                trajectories[i].put([self.vocabulary.token(t) for t in new], "model")
                self._serve(trajectories[i], tools[i])
        return trajectories

    def _written_after(self, ids: list[list[int]]) -> list[list[int]]:
        """What the model adds to each text, up to a request's or the answer's end.

        Texts of about one length go together, since a batch is as long as the longest text in it.
        """
        stop = self.vocabulary.encode([self.special.result, self.special.end])
        order, added = sorted(range(len(ids)), key=lambda i: len(ids[i])), [[0]] * len(ids)
        for start in range(0, len(order), TOGETHER):
            part = order[start : start + TOGETHER]
            texts = [ids[i] for i in part]
            written = generate_many(self.writing, texts, self.max_new_tokens, greedy=True, stop=stop)
            for i, old, new in zip(part, texts, written, strict=True):
                added[i] = new[len(old) :]
        return added

    def stream(self, trajectory: Trajectory, **options: Any) -> Iterator[str]:
        """Go on in one text, and give each token as soon as it is written, whoever wrote it.

        Args:
            trajectory: the text with its question; it is changed in place.
            options: see `support.generation.generate`: ``temperature``, ``greedy``, ``seed`` and so on.
        """
        stop = self.vocabulary.encode([self.special.result, self.special.end])
        while not trajectory.stopped:
            ids = self.vocabulary.encode(trajectory.tokens)
            for chosen in stream(self.writing, ids, self.max_new_tokens, stop=stop, **options):
                trajectory.put([self.vocabulary.token(chosen)], "model")
                yield trajectory.tokens[-1]
            length = len(trajectory.tokens)
            self._serve(trajectory, self.tools)
            yield from trajectory.tokens[length:]

    def _serve(self, trajectory: Trajectory, tools: Mapping[str, Tool]) -> None:
        """What the harness does when the model has stopped: run the request, or note how it ended."""
        if trajectory.tokens[-1] != self.special.result:
            trajectory.stopped = "answered" if trajectory.answer(self.special) else "no answer"
            return
        if len(trajectory.calls) == self.most_calls:
            trajectory.stopped = "too many calls"
            return
        start = len(trajectory.tokens) - 1
        tokens, writers = trajectory.tokens, trajectory.writers
        while start and writers[start - 1] == "model" and tokens[start] != self.special.call:
            start -= 1
        name, *rest = tokens[start + 1 : -1] or [""]
        call = self._call(name, " ".join(rest), tools)
        trajectory.calls.append(call)
        if call.result is None:
            trajectory.stopped = call.error
        else:
            trajectory.put([*self.read(call.result), self.special.end_result], "harness")

    def _call(self, name: str, request: str, tools: Mapping[str, Tool]) -> Call:
        if name not in tools:
            return Call(name, request, None, f"There is no tool {name!r}.")
        try:
            result = tools[name](request)
        except ToolError as refusal:
            return Call(name, request, None, str(refusal))
        if len(self.read(result)) > LONGEST_RESULT:
            return Call(name, request, None, f"The result has more than {LONGEST_RESULT} tokens.")
        return Call(name, request, result)


class Forbidding(nn.Module):
    """A model that gives some tokens the probability zero; everything else is the model's own.

    Args:
        model: ids → logits; it is not copied.
        forbidden: ids.

    >>> from support.model import GPT, GPTConfig
    >>> bound = Forbidding(GPT(GPTConfig(vocab_size=4)), forbidden=[1, 2])
    >>> bound(torch.tensor([[3]])).isinf().flatten().tolist()
    [False, True, True, False]
    """

    def __init__(self, model: Any, forbidden: Sequence[int]) -> None:
        super().__init__()
        self.model, self.config = model, getattr(model, "config", None)
        self.register_buffer("forbidden", torch.tensor(list(forbidden)), persistent=False)
        if hasattr(model, "cache"):
            self.cache = model.cache

    def forward(self, *given: Any, **named: Any) -> Tensor:
        """The model's logits, with −∞ for what is forbidden."""
        return self.model(*given, **named).index_fill(-1, self.forbidden, -torch.inf)
