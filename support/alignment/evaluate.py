"""How well a model writes what it is to write: the loss on transcripts, and the share of right answers."""

from collections.abc import Sequence

import torch
from torch import nn

from support.alignment.chat import Mask, Transcript, counted, masked_targets
from support.core import InputError
from support.model import evaluating
from support.text import Vocabulary
from support.training import pad_sequences
from support.training.batches import Batch
from support.training.evaluation import mean_over_texts


def transcript_loss(
    model: nn.Module,
    transcripts: Sequence[Transcript],
    vocabulary: Vocabulary,
    mask: Mask = "answer",
    batch_size: int = 50,
) -> float:
    """The mean loss in nats per learned token (or per token, with ``mask="all"``), each counted once.

    Args:
        model: ids → logits.
        transcripts: rendered dialogues.
        vocabulary: turns their tokens into ids.
        mask: ``"answer"`` counts the loss on learned tokens only; ``"all"`` on every token but the first.
        batch_size: transcripts a pass; it changes the speed, not the result.

    Raises:
        InputError: there is no token to predict, or no such mask.

    >>> import math
    >>> from support.model import GPT, GPTConfig
    >>> model, words = GPT(GPTConfig(vocab_size=3, init_std=0.0)), Vocabulary(["a", "b", "c"])
    >>> said = Transcript(["a", "b", "c"], [False, False, True])
    >>> math.isclose(transcript_loss(model, [said], words), math.log(3), rel_tol=1e-6)
    True
    """
    ordered = sorted(transcripts, key=lambda transcript: len(transcript.tokens))
    if not any(any(counted(transcript, mask)[1:]) for transcript in ordered):
        raise InputError("There is no token to predict in these transcripts.")

    def batch(part: list[Transcript]) -> Batch:
        return masked_targets([vocabulary.encode(t.tokens) for t in part], [counted(t, mask) for t in part])

    return mean_over_texts(model, ordered, batch_size, batch)


@torch.no_grad()
def first_words(
    model: nn.Module, prompts: Sequence[Transcript], vocabulary: Vocabulary, batch_size: int = 50
) -> list[str]:
    """The likeliest next token after each prompt, which ends with the marker of the role that answers.

    Args:
        model: ids → logits.
        prompts: rendered dialogues, made with ``reply``.
        vocabulary: turns tokens into ids, and back.
        batch_size: prompts a pass.

    >>> from support.model import GPT, GPTConfig
    >>> model, words = GPT(GPTConfig(vocab_size=2, init_std=0.0)), Vocabulary(["a", "b"])
    >>> first_words(model, [Transcript(["b"], [False])], words)
    ['a']
    """
    found: list[str] = []
    where = next(model.parameters()).device
    with evaluating(model):
        for first in range(0, len(prompts), batch_size):
            ids = [vocabulary.encode(prompt.tokens) for prompt in prompts[first : first + batch_size]]
            logits = model(pad_sequences(ids).to(where))
            ends = torch.tensor([len(row) - 1 for row in ids])
            best = logits[torch.arange(len(ids)), ends.to(where)].argmax(-1)
            found += [vocabulary.token(i) for i in best.tolist()]
    return found
