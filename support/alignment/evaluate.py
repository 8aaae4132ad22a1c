"""How well a model writes what it is to write: the loss on transcripts, and the share of right answers."""

from collections.abc import Sequence

import torch
from torch import nn

from support.alignment.chat import Mask, Transcript, masked_targets
from support.core import InputError
from support.text import Vocabulary
from support.training import IGNORE_INDEX, cross_entropy_sum, pad_sequences


@torch.no_grad()
def transcript_loss(
    model: nn.Module,
    transcripts: Sequence[Transcript],
    vocabulary: Vocabulary,
    mask: Mask = "answer",
    batch_size: int = 50,
) -> float:
    """The mean loss in nats per learned token (or per token, with ``mask="all"``), each counted once.

    Raises:
        InputError: there is no token to predict.

    >>> import math
    >>> from support.model import GPT, GPTConfig
    >>> model, words = GPT(GPTConfig(vocab_size=3, init_std=0.0)), Vocabulary(["a", "b", "c"])
    >>> said = Transcript(["a", "b", "c"], [False, False, True])
    >>> math.isclose(transcript_loss(model, [said], words), math.log(3), rel_tol=1e-6)
    True
    """
    ordered = sorted(transcripts, key=lambda transcript: len(transcript.tokens))
    total, count = 0.0, 0
    where = next(model.parameters()).device
    was_training = model.training
    model.eval()
    for first in range(0, len(ordered), batch_size):
        part = ordered[first : first + batch_size]
        learned = [t.learned if mask == "answer" else [True] * len(t.tokens) for t in part]
        inputs, targets = masked_targets([vocabulary.encode(t.tokens) for t in part], learned)
        total += float(cross_entropy_sum(model(inputs.to(where)), targets.to(where)))
        count += int((targets != IGNORE_INDEX).sum())
    model.train(was_training)
    if not count:
        raise InputError("There is no token to predict in these transcripts.")
    return total / count


@torch.no_grad()
def first_words(
    model: nn.Module, prompts: Sequence[Transcript], vocabulary: Vocabulary, batch_size: int = 50
) -> list[str]:
    """The likeliest next token after each prompt, which ends with the marker of the role that answers.

    >>> from support.model import GPT, GPTConfig
    >>> model, words = GPT(GPTConfig(vocab_size=2, init_std=0.0)), Vocabulary(["a", "b"])
    >>> first_words(model, [Transcript(["b"], [False])], words)
    ['a']
    """
    found: list[str] = []
    where = next(model.parameters()).device
    was_training = model.training
    model.eval()
    for first in range(0, len(prompts), batch_size):
        ids = [vocabulary.encode(prompt.tokens) for prompt in prompts[first : first + batch_size]]
        logits = model(pad_sequences(ids).to(where))
        ends = torch.tensor([len(row) - 1 for row in ids])
        best = logits[torch.arange(len(ids)), ends.to(where)].argmax(-1)
        found += [vocabulary.token(i) for i in best.tolist()]
    model.train(was_training)
    return found
