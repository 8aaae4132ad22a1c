"""Answers of a fixed length: all of them with their exact probabilities, or a few of them drawn."""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from support.core import InputError
from support.model import Transformer, evaluating

MOST = 2**22  # answers a prompt; beyond that a table of them no longer fits into memory


def possible_tokens(model: nn.Module) -> Int[Tensor, " token"]:
    """The ids that a model can write: all but those that its configuration masks.

    >>> from support.model import GPT, GPTConfig
    >>> possible_tokens(GPT(GPTConfig(vocab_size=4, d_model=8, n_heads=2, masked_ids=(0,))))
    tensor([1, 2, 3])
    """
    if not isinstance(model, Transformer):
        raise InputError(f"a {type(model).__name__} has no vocabulary to read; give a GPT")
    masked = set(model.config.masked_ids)
    return torch.tensor([i for i in range(model.config.vocab_size) if i not in masked])


def all_answers(tokens: Int[Tensor, " token"], length: int) -> Int[Tensor, "answer length"]:
    """Every answer of so many tokens, in lexicographic order.

    Args:
        tokens: the ids that may stand at each place, such as `possible_tokens`.
        length: tokens of an answer.

    Raises:
        InputError: the length is not positive, or there are more than four million answers.

    >>> all_answers(torch.tensor([1, 2]), 2).tolist()
    [[1, 1], [1, 2], [2, 1], [2, 2]]
    """
    if length < 1 or len(tokens) ** length > MOST:
        raise InputError(
            f"{len(tokens)}^{length} answers cannot be listed; choose a length from 1 up, and less"
        )
    return torch.cartesian_prod(*[tokens] * length).reshape(-1, length)


def answer_log_probs(
    model: nn.Module, prompts: Int[Tensor, "prompt position"], length: int
) -> Float[Tensor, "prompt answer"]:
    """The log-probability (nats) of every answer to every prompt, by enumeration; carries a gradient.

    The answers are those of `all_answers` over `possible_tokens`. Each prompt is read once with
    each beginning of ``length − 1`` tokens.

    Args:
        model: ids → logits.
        prompts: ids; all of one length.
        length: tokens of an answer.

    Raises:
        InputError: as `all_answers` and `possible_tokens`.

    >>> from support.model import GPT, GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=4, d_model=8, n_heads=2, context=6)).double()
    >>> log_probs = answer_log_probs(model, torch.tensor([[1, 2], [1, 3]]), length=3)
    >>> log_probs.shape, bool(torch.allclose(log_probs.exp().sum(1), torch.ones(2).double()))
    (torch.Size([2, 64]), True)
    """
    tokens = possible_tokens(model)
    all_answers(tokens, length)
    n, start = len(prompts), prompts.shape[1]
    if length == 1:
        return model(prompts)[:, -1].log_softmax(-1)[:, tokens]
    begun = all_answers(tokens, length - 1)
    texts = torch.cat([prompts.repeat_interleave(len(begun), 0), begun.repeat(n, 1)], dim=1)
    log_probs = model(texts)[:, start - 1 :].log_softmax(-1)  # [prompt × beginning, length, vocab]
    before = log_probs[:, :-1].gather(2, texts[:, start:, None]).sum((1, 2))
    return (before[:, None] + log_probs[:, -1, tokens]).reshape(n, -1)


def token_log_probs(
    model: nn.Module, prompts: Int[Tensor, "answer position"], answers: Int[Tensor, "answer length"]
) -> Float[Tensor, "answer length"]:
    """The log-probability (nats) of each token of given answers; carries a gradient.

    Args:
        model: ids → logits.
        prompts: ids; all of one length.
        answers: ids; one answer to each prompt.

    >>> from support.model import GPT, GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=4, d_model=8, n_heads=2, context=6))
    >>> token_log_probs(model, torch.tensor([[1, 2]]), torch.tensor([[3, 0, 1]])).shape
    torch.Size([1, 3])
    """
    texts = torch.cat([prompts, answers[:, :-1]], dim=1)
    log_probs = model(texts)[:, prompts.shape[1] - 1 :].log_softmax(-1)
    return log_probs.gather(2, answers[:, :, None])[..., 0]


@torch.no_grad()
def draw_answers(
    model: nn.Module,
    prompts: Int[Tensor, "answer position"],
    length: int,
    generator: torch.Generator | None = None,
) -> Int[Tensor, "answer length"]:
    """One answer to each prompt, drawn token by token at temperature 1, without dropout.

    Args:
        model: ids → logits.
        prompts: ids; repeat a prompt to get several answers to it.
        length: tokens of an answer.
        generator: for the draws; torch's own by default.

    Raises:
        InputError: the model's logits are no numbers.

    >>> from support.model import GPT, GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=4, d_model=8, n_heads=2, context=6))
    >>> draw_answers(model, torch.tensor([[1, 2], [1, 3]]), length=3).shape
    torch.Size([2, 3])
    """
    texts = prompts
    with evaluating(model):
        for _ in range(length):
            probabilities = model(texts)[:, -1].softmax(-1)
            if not probabilities.isfinite().all():
                raise InputError(
                    "The model's logits are nan, so nothing can be drawn from it; take weights from before a "
                    "training that diverged."
                )
            texts = torch.cat([texts, torch.multinomial(probabilities, 1, generator=generator)], dim=1)
    return texts[:, prompts.shape[1] :]
