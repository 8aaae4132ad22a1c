"""The loss on held-out text: on whole texts, or on one long stream of text."""

from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from support.core import InputError
from support.core.validation import Count, checked
from support.model import evaluating
from support.text.ids import whole_numbers
from support.training.batches import IGNORE_INDEX, Batch, inputs_and_targets
from support.training.distributed import Processes

# Logits at a time: a megabyte in float32. With 2**20 a step in bfloat16 takes 5 to 8% longer (AMD EPYC).
PART = 2**18
# Set by `train` while it evaluates: the processes that share the texts.
SHARED_BY: ContextVar[Processes] = ContextVar("SHARED_BY", default=Processes())  # noqa: B039 - it is frozen


def cross_entropy_sum(
    logits: Float[Tensor, "batch position vocab"], targets: Int[Tensor, "batch position"]
) -> Float[Tensor, ""]:
    """The summed cross-entropy of all targets, in nats; targets of −100 are not counted.

    Args:
        logits: in any precision; the sum is computed in float32 at least.
        targets: the right id at each position, or `IGNORE_INDEX` where there is none.

    Raises:
        InputError: the targets are no integers of the logits' shape, or (on a CPU) no ids of the vocabulary.

    >>> logits = torch.tensor([[[0.0, 0.0], [9.0, 0.0]]])
    >>> round(float(cross_entropy_sum(logits, torch.tensor([[1, -100]]))), 4)
    0.6931
    """
    if targets.shape != logits.shape[:-1] or targets.dtype.is_floating_point:
        given = f"{str(targets.dtype).removeprefix('torch.')} {list(targets.shape)}"
        raise InputError(
            f"The targets are {given}; give whole numbers {list(logits.shape[:-1])}, one for each prediction."
        )
    rows, targets = logits.flatten(0, -2), targets.flatten().long()
    # In float32 at least: a GPU's kernel converts float16 as it reads. On a CPU a part at a time, which stays
    # in its cache: at once and in parts, ms, forward and backward, from bfloat16 31 and 19 for 2,048 tokens
    # and a vocabulary of 4,096, 329 and 113 for one of 16,384; from float32 38 and 21, 132 and 97 (AMD EPYC).
    # Compiled, all is one kernel, which reads the logits twice.
    dtype = torch.promote_types(logits.dtype, torch.float32)
    in_parts = rows.device.type == "cpu" and not torch.compiler.is_compiling()
    size = max(1, PART // rows.shape[1]) if in_parts else len(rows)
    if in_parts:
        known = (targets == IGNORE_INDEX) | ((targets >= 0) & (targets < rows.shape[1]))
        if not known.all():
            wrong = int(targets[~known][0])
            raise InputError(
                f"Target {wrong} is no id of a vocabulary of {rows.shape[1]}; where there is nothing to "
                f"predict, give {IGNORE_INDEX}."
            )
    sums = [
        F.nll_loss(row.log_softmax(-1, dtype), target, ignore_index=IGNORE_INDEX, reduction="sum")
        for row, target in zip(rows.split(size), targets.split(size), strict=True)
    ]
    return torch.stack(sums).sum()


@checked
def evaluate_loss(
    model: nn.Module, sequences: Iterable[Sequence[int]], batch_size: Count = 64, pad_id: int = 0
) -> float:
    """The model's loss on whole texts: nats per predicted token, every token counted once.

    Args:
        model: ids → logits.
        sequences: texts as ids; the first token of each is given, the others are predicted.
        batch_size: texts a pass; it changes the speed, not the result.
        pad_id: any id, for padding.

    Raises:
        InputError: there is nothing to predict.

    >>> import math
    >>> from support.model import GPT, GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2, init_std=0.0))
    >>> round(evaluate_loss(model, [[1, 4, 2], [1, 2]]), 4) == round(math.log(9), 4)
    True
    """
    ordered = sorted(
        (whole_numbers(s, "A text") for s in sequences), key=len
    )  # equal lengths together: little padding
    ordered = [s for s in ordered if len(s) > 1]
    if not ordered:
        raise InputError("evaluate_loss needs at least one sequence of two tokens or more.")
    return mean_over_texts(model, ordered, batch_size, lambda part: inputs_and_targets(part, pad_id))


@checked
def evaluate_stream(
    model: nn.Module,
    ids: Sequence[int] | Int[Tensor, " length"],
    context: int | None = None,
    stride: int | None = None,
    batch_size: Count = 16,
) -> float:
    """The model's loss on one long text: nats per predicted token; every token but the first counts once.

    Args:
        model: ids → logits.
        ids: the text.
        context: positions a pass; the model's own ``context`` if not given.
        stride: tokens from one window to the next. The smaller, the more context each token has (at least
            ``context − stride`` tokens), and the longer it takes; ``context`` if not given.
        batch_size: windows a pass; it changes the speed, not the result.

    Raises:
        InputError: there is nothing to predict, or the stride is not in 1 … context.

    >>> import math
    >>> from support.model import GPT, GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2, init_std=0.0))
    >>> round(evaluate_stream(model, [1, 4, 2, 5, 3], context=2), 4) == round(math.log(9), 4)
    True
    """
    ids = torch.as_tensor(ids if isinstance(ids, Tensor) else list(ids), device="cpu")
    width: Any = getattr(getattr(model, "config", None), "context", None) if context is None else context
    if width is None:
        raise InputError("evaluate_stream: this model does not say how much it reads at once; give context=.")
    step = width if stride is None else stride
    if len(ids) < 2 or not 1 <= step <= width:
        raise InputError(
            f"evaluate_stream was given {len(ids)} tokens, context={width} and stride={step}; it needs "
            "two tokens or more, and a stride of 1 to context."
        )
    windows, counted = [], 1  # counted: tokens before this place have been predicted, or are the first
    for start in range(0, len(ids) - 1, step):
        end = min(start + width + 1, len(ids))
        targets = ids[start + 1 : end].clone()
        targets[: counted - start - 1] = IGNORE_INDEX
        windows.append((ids[start : end - 1], targets))
        counted = end
        if end == len(ids):
            break
    pad = nn.utils.rnn.pad_sequence

    def batch(part: list[tuple[Tensor, Tensor]]) -> Batch:
        inputs, targets = map(list, zip(*part, strict=True))
        return pad(inputs, True, 0), pad(targets, True, IGNORE_INDEX)

    return mean_over_texts(model, windows, batch_size, batch)


@torch.no_grad()
def mean_over_texts(
    model: nn.Module, texts: Sequence[Any], batch_size: int, batch: Callable[[Any], Batch]
) -> float:
    """The mean loss of all targets of some texts, in nats. Within `train`, the processes share the batches.

    Args:
        model: ids → logits; it runs in evaluation mode.
        texts: in any form, with a target at least.
        batch_size: texts a pass.
        batch: some of the texts → inputs and targets.
    """
    parts = [texts[i : i + batch_size] for i in range(0, len(texts), batch_size)]
    processes, where = SHARED_BY.get(), next(model.parameters()).device
    total, count = 0.0, 0
    with evaluating(model):
        # All processes make equally many passes, because a sharded model's pass needs every one of them.
        for first in range(0, len(parts), processes.size):
            mine = first + processes.rank
            inputs, targets = batch(parts[min(mine, len(parts) - 1)])
            loss = cross_entropy_sum(model(inputs.to(where)), targets.to(where))
            if mine < len(parts):
                total += float(loss)
                count += int((targets != IGNORE_INDEX).sum())
    if processes.size > 1:
        sums = torch.tensor([total, count], dtype=torch.float64, device=where)
        total, count = processes.total(sums).tolist()
    return total / count
