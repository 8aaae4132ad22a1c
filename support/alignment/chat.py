"""Transcripts: who said what, written as one text, with a note of which tokens the model is to learn."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor, nn

from support.core import InputError, seeded_generator
from support.model import GPT
from support.text import Vocabulary
from support.training import IGNORE_INDEX, Epochs, inputs_and_targets, pad_sequences

Mask = Literal["answer", "all"]


class Message(NamedTuple):
    """One turn of a dialogue.

    Attributes:
        role: who says it; None is plain text without a marker, such as a document before the dialogue.
        content: what is said, as tokens or as one string with spaces between the tokens.
    """

    role: str | None
    content: str | Sequence[str]


class Transcript(NamedTuple):
    """A rendered dialogue.

    Attributes:
        tokens: all that was said, with the markers of the roles.
        learned: for each token, whether it is one that the model is to write itself.
    """

    tokens: list[str]
    learned: list[bool]


@dataclass(frozen=True)
class ChatTemplate:
    """How a dialogue becomes one text: ``<role>`` before each message, ``<end>`` after what the model writes.

    Args:
        roles: all roles that may speak.
        written: the roles whose messages the model writes; each of these messages is closed by ``end``.
        end: the token that ends such a message.

    Raises:
        InputError: ``written`` names a role that is not among the roles.

    >>> template = ChatTemplate()
    >>> dialogue = [Message("user", "which colour ?"), Message("assistant", "blue")]
    >>> tokens, learned = template.render(dialogue)
    >>> " ".join(tokens)
    '<user> which colour ? <assistant> blue <end>'
    >>> [token for token, mine in zip(tokens, learned) if mine]
    ['blue', '<end>']
    """

    roles: tuple[str, ...] = ("user", "assistant")
    written: tuple[str, ...] = ("assistant",)
    end: str = "<end>"

    def __post_init__(self) -> None:
        unknown = [role for role in self.written if role not in self.roles]
        if unknown:
            raise InputError(f"ChatTemplate: written names {unknown[0]!r}, which is not among the roles.")

    @property
    def special_tokens(self) -> list[str]:
        """The tokens that the template adds: a marker for each role, and the end of a message.

        >>> ChatTemplate().special_tokens
        ['<user>', '<assistant>', '<end>']
        """
        return [*map(self.marker, self.roles), self.end]

    def marker(self, role: str) -> str:
        """The token that opens a message of this role.

        Raises:
            InputError: there is no such role.
        """
        if role not in self.roles:
            raise InputError(f"There is no role {role!r}; choose one of {', '.join(self.roles)}.")
        return f"<{role}>"

    def render(self, messages: Sequence[Message], reply: str | None = None) -> Transcript:
        """The dialogue as one text.

        Args:
            messages: the turns in order.
            reply: a role whose marker is put at the end, so that the model goes on in this role.

        Raises:
            InputError: there is no message, a role is unknown, or a message spells a special token: whoever
                could write a marker could speak in another's name.
        """
        if not messages:
            raise InputError("There is no message to render; give at least one.")
        tokens: list[str] = []
        learned: list[bool] = []
        for role, content in messages:
            words = content.split() if isinstance(content, str) else list(content)
            forged = [word for word in words if word in self.special_tokens]
            if forged:
                raise InputError(f"A message must not hold the template's own token {forged[0]!r}.")
            mine = role in self.written
            said = ([] if role is None else [self.marker(role)]) + words + ([self.end] if mine else [])
            tokens += said
            learned += [mine and (i > 0) for i in range(len(said))]
        if reply is not None:
            tokens.append(self.marker(reply))
            learned.append(False)
        return Transcript(tokens, learned)


def counted(transcript: Transcript, mask: Mask) -> list[bool]:
    """Which tokens of a transcript the loss counts: those that are learned, or all.

    Raises:
        InputError: there is no such mask.

    >>> counted(Transcript(["a", "b"], [False, True]), "all")
    [True, True]
    """
    if mask not in ("answer", "all"):
        raise InputError(f"mask={mask!r} must be 'answer' or 'all'.")
    return transcript.learned if mask == "answer" else [True] * len(transcript.tokens)


def masked_targets(
    ids: Sequence[Sequence[int]], learned: Sequence[Sequence[bool]], pad_id: int = 0
) -> tuple[Int[Tensor, "batch position"], Int[Tensor, "batch position"]]:
    """Inputs and targets in which only learned tokens are predicted; the others' targets are −100.

    The target at a position is the token after it. So the marker ``<assistant>``, which is not learned
    itself, has the first word of the answer as its target.

    Args:
        ids: texts, each with at least two tokens.
        learned: for each token whether it is to be learned.
        pad_id: what fills up the shorter texts.

    Raises:
        InputError: a text and its mask differ in length.

    >>> inputs, targets = masked_targets([[7, 4, 5, 8, 6, 9]], [[False, False, False, False, True, True]])
    >>> inputs.tolist(), targets.tolist()
    ([[7, 4, 5, 8, 6]], [[-100, -100, -100, 6, 9]])
    """
    if [len(row) for row in ids] != [len(row) for row in learned]:
        raise InputError("Each text needs one mark for each of its tokens; these differ in length.")
    inputs, targets = inputs_and_targets(ids, pad_id)
    marks = pad_sequences([list(map(int, row[1:])) for row in learned], 0)
    return inputs, targets.masked_fill(marks == 0, IGNORE_INDEX)


class InstructionBatches:
    """Batches of transcripts for `support.training.train`, with the loss on the answers or on everything.

    Args:
        transcripts: rendered dialogues.
        vocabulary: turns their tokens into ids.
        batch_size: transcripts a batch.
        mask: ``"answer"`` counts the loss on learned tokens only; ``"all"`` on every token but the first.
        seed: of the order; each epoch has its own.

    Raises:
        InputError: there is no transcript, or one is too short to predict anything.

    >>> template = ChatTemplate()
    >>> vocabulary = Vocabulary(["<PAD>", *template.special_tokens, "yes", "no", "?"])
    >>> said = template.render([Message("user", "yes ?"), Message("assistant", "no")])
    >>> InstructionBatches([said], vocabulary, batch_size=1)(0)[1].tolist()
    [[-100, -100, -100, 5, 3]]
    >>> InstructionBatches([said], vocabulary, batch_size=1, mask="all")(0)[1].tolist()
    [[4, 6, 2, 5, 3]]
    """

    def __init__(
        self,
        transcripts: Sequence[Transcript],
        vocabulary: Vocabulary,
        batch_size: int,
        mask: Mask = "answer",
        seed: int = 0,
    ) -> None:
        self.epochs = Epochs(len(transcripts), batch_size, seed)
        short = next((i for i, t in enumerate(transcripts) if len(t.tokens) < 2), None)
        if short is not None:
            raise InputError(f"Transcript {short} has fewer than two tokens; leave it out.")
        self.ids = [vocabulary.encode(t.tokens) for t in transcripts]
        self.learned = [counted(t, mask) for t in transcripts]

    def __call__(self, step: int) -> tuple[Int[Tensor, "batch position"], Int[Tensor, "batch position"]]:
        """The batch of a step, always the same for the same step."""
        rows = self.epochs(step)
        return masked_targets([self.ids[i] for i in rows], [self.learned[i] for i in rows])


@torch.no_grad()
def grow_vocabulary(
    model: GPT,
    vocabulary: Vocabulary,
    tokens: Sequence[str],
    seed: int = 0,
    noise: float = 0.1,
    context: int | None = None,
) -> tuple[GPT, Vocabulary]:
    """A copy of a model that knows more tokens; what it computed for the old ones stays.

    Each new row of the embedding (and of an untied head) is the mean of the old rows plus noise. With
    little noise, a new token's logit is close to the mean of the old ones, and so its probability is no more
    than about 1/V before training; with more, training tells the new tokens apart sooner.

    Follows Hewitt 2021 (Initializing new word embeddings for pretrained language models).

    Args:
        model: a model with ``len(vocabulary)`` rows.
        vocabulary: its vocabulary.
        tokens: the new tokens; those that the vocabulary holds already are left out.
        seed: of the new rows.
        noise: its scale, in standard deviations of the old rows.
        context: the copy reads so many positions, with new rows of learned positions; as before if not given.

    Raises:
        InputError: the vocabulary is not the model's, the context is smaller than the model's, or the model
            carries adapters or quantised weights.

    >>> from support.model import GPTConfig
    >>> old, words = GPT(GPTConfig(vocab_size=2, d_model=8, n_heads=2)), Vocabulary(["a", "b"])
    >>> new, more = grow_vocabulary(old, words, ["b", "<end>"])
    >>> more.tokens, new.config.vocab_size
    (['a', 'b', '<end>'], 3)
    """
    if len(vocabulary) != model.config.vocab_size:
        raise InputError(
            f"The vocabulary has {len(vocabulary)} tokens and the model {model.config.vocab_size}; "
            "give the model's own vocabulary."
        )
    added = [token for token in dict.fromkeys(tokens) if token not in vocabulary]
    context = context or model.config.context
    if context < model.config.context:
        raise InputError(f"context={context} must not be below the model's own, {model.config.context}.")
    grown = GPT(replace(model.config, vocab_size=len(vocabulary) + len(added), context=context))
    grown = grown.to(model.embedding.weight)
    generator = seeded_generator(seed)
    weights = dict(model.state_dict())
    if weights.keys() != grown.state_dict().keys():
        raise InputError(
            "A model with adapters or quantised weights cannot be grown; grow it before add_lora or "
            "quantize, or merge its adapters (merge_lora)."
        )
    for name, parameter in grown.state_dict().items():
        if len(parameter) != len(weights[name]):
            rows = weights[name]
            missing = len(parameter) - len(rows)
            drawn = torch.randn(missing, rows.shape[1], generator=generator).to(rows)
            weights[name] = torch.cat([rows, rows.mean(0) + noise * rows.std(0) * drawn])
    grown.load_state_dict(weights)
    grown.train(model.training)
    return grown, Vocabulary([*vocabulary.tokens, *added], vocabulary.unk)


def restrict_to_rows(module: nn.Embedding, first: int) -> None:
    """Let training change only the rows from ``first`` on: the gradient of the others is set to zero.

    Weight decay would still move the others; train with ``weight_decay=0``, or keep tables out of it, as
    `support.training.decay_groups` does.

    Args:
        module: the table.
        first: the number of the first row that may change.

    >>> table = nn.Embedding(3, 2)
    >>> restrict_to_rows(table, first=2)
    >>> table(torch.tensor([0, 1, 2])).sum().backward()
    >>> table.weight.grad.tolist()
    [[0.0, 0.0], [0.0, 0.0], [1.0, 1.0]]
    """
    module.weight.requires_grad_(True)
    kept = torch.zeros(len(module.weight), 1).to(module.weight)
    kept[first:] = 1
    module.weight.register_hook(lambda gradient: gradient * kept)
