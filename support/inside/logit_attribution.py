"""Direct logit attribution: a logit is a sum, to which each component's output contributes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from support.core import InputError
from support.inside.hooks import as_batch
from support.inside.trace import trace, weight_of
from support.model import GPT, FeedForward


@dataclass(frozen=True)
class LogitAttribution:
    """A logit (or the difference of two) at one position, taken apart; ``batch`` texts at once.

    ``embedding``, all of ``attention``, all of ``feed_forward`` and ``shift`` add up to ``logit``.

    Attributes:
        embedding: what the embedding contributes, with its position's row.
        attention: what each layer's attention contributes.
        heads: the same by head; the rest is the output bias's.
        feed_forward: what each layer's feed-forward network contributes.
        neurons: the same by hidden unit; the rest is the bias's. None with experts.
        shift: what the final norm's own bias adds.
        logit: the whole.
    """

    embedding: Float[Tensor, " batch"]
    attention: Float[Tensor, "layer batch"]
    heads: Float[Tensor, "layer batch head"]
    feed_forward: Float[Tensor, "layer batch"]
    neurons: Float[Tensor, "layer batch d_ff"] | None
    shift: Float[Tensor, " batch"]
    logit: Float[Tensor, " batch"]

    def parts(self) -> dict[str, Float[Tensor, " batch"]]:
        """The contributions by name, in the order of the pass; they add up to ``logit``."""
        named = {"embedding": self.embedding}
        for i, (attended, computed) in enumerate(zip(self.attention, self.feed_forward, strict=True)):
            named |= {f"attention {i}": attended, f"feed-forward {i}": computed}
        return named | {"norm's shift": self.shift}


@torch.no_grad()
def direct_logit_attribution(
    model: GPT,
    ids: Int[Tensor, "*batch position"] | Sequence[int],
    token: int,
    against: int | None = None,
    position: int = -1,
) -> LogitAttribution:
    """Each component's contribution to the logit of a token, or to its difference from another token's.

    The final norm divides by the size of the whole stream, to which all components contribute; that number is
    taken as it was in this pass (it is *frozen*), and the rest of the norm is linear. So the
    contributions add up exactly; what the logit would be without a component, only `ablate` tells.

    Args:
        model: a `GPT` with residuals and pre-norm. The softcap of the logits (``logit_softcap``) is left out.
        ids: one sequence or a batch of them.
        token: the id whose logit is asked for.
        against: another id, whose logit is subtracted.
        position: where in the text.

    Raises:
        InputError: the stream is not a sum (post-norm, no residuals), the model never predicts the token, or
            there is no such position.

    Follows Elhage et al. 2021; Wang et al. 2022 for the difference of two logits.

    >>> from support.model import GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=5))
    >>> found = direct_logit_attribution(model, [1, 2, 3], token=4, against=0)
    >>> logits = model(torch.tensor([[1, 2, 3]]))[0, -1]
    >>> bool((sum(found.parts().values()) - (logits[4] - logits[0])).abs() < 1e-6)
    True
    """
    config = model.config
    if not (config.norm_first and config.residual):
        raise InputError("Attribution needs a stream that is a sum: residual=True and norm_first=True.")
    for one in (token, against):
        if one in config.masked_ids or (one is not None and not 0 <= one < config.vocab_size):
            raise InputError(f"The model never predicts id {one}; ask for another one.")
    ids = as_batch(model, ids)
    length = ids.shape[1]
    if not -length <= position < length:
        raise InputError(f"There is no position {position} in texts of {length} tokens.")
    seen = trace(model, ids)
    last = seen.streams[-1]
    rows = model.embedding.weight if model.head is None else weight_of(model.head, config.d_model, last)
    reader = rows[token] if against is None else rows[token] - rows[against]
    reader, shift = _through_norm(model.final_norm, reader, last[:, position])

    def share(writes: Tensor) -> Tensor:
        return (writes[..., position, :] * (reader[:, None] if writes.ndim == 5 else reader)).sum(dim=-1)

    neurons = None
    if seen.activations is not None:
        networks = [cast(FeedForward, block.feed_forward) for block in model.blocks]
        columns = torch.stack([weight_of(network.down, config.d_ff, last) for network in networks])
        heard = torch.einsum("b d, l d n -> l b n", reader, columns)  # the effect of an activation of 1
        neurons = seen.activations[..., position, :] * heard
    parts = [share(seen.embedding), share(seen.attention), share(seen.feed_forward)]
    return LogitAttribution(
        embedding=parts[0],
        attention=parts[1],
        heads=share(seen.heads),
        feed_forward=parts[2],
        neurons=neurons,
        shift=shift.expand(len(ids)),
        logit=parts[0] + parts[1].sum(dim=0) + parts[2].sum(dim=0) + shift,
    )


def _through_norm(norm: nn.Module, reader: Tensor, stream: Tensor) -> tuple[Tensor, Tensor]:
    """What reads the stream itself, the norm's size frozen: one vector a text; and what the bias adds."""
    if isinstance(norm, nn.LayerNorm):
        stretched = reader * norm.weight
        size = (stream.var(dim=-1, correction=0, keepdim=True) + norm.eps).sqrt()
        return (stretched - stretched.mean()) / size, reader @ norm.bias
    if isinstance(norm, nn.RMSNorm):
        eps = torch.finfo(stream.dtype).eps if norm.eps is None else norm.eps
        size = (stream.square().mean(dim=-1, keepdim=True) + eps).sqrt()
        return reader * norm.weight / size, reader.new_zeros(())
    return reader.expand_as(stream), reader.new_zeros(())
