"""The logit lens: what the model would predict if it stopped after a stage; and the tuned lens."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from support.core import InputError, seeded_generator
from support.inside.trace import Trace, trace
from support.model import GPT, evaluating


@torch.no_grad()
def logit_lens(model: GPT, seen: Trace) -> Float[Tensor, "stage batch position vocab"]:
    """Each stage's residual stream through the final norm and the head: the logits if it stopped there.

    Args:
        model: dropout is off.
        seen: its `trace`; the stages are `Trace.stages`.

    Follows nostalgebraist 2020, *interpreting GPT: the logit lens*.

    >>> from support.model import GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=5)); seen = trace(model, [1, 2, 3])
    >>> bool(torch.allclose(logit_lens(model, seen)[-1], seen.logits, atol=1e-6))
    True
    """
    with evaluating(model):
        return torch.stack([model.unembed(stream) for stream in seen.streams])


class TunedLens(nn.Module):
    """One affine map for each stage, ``x → x + x A + b``, in front of the model's own norm and head.

    All start as the identity, so an untrained one is the logit lens. The last stage has none: its
    stream is what the head was trained to read. `tune_lens` makes a trained one.

    Args:
        n_stages: stages of a `Trace`: two for each layer, and one.
        d_model: numbers in the stream.

    Follows Belrose et al. 2023, *Eliciting Latent Predictions from Transformers with the Tuned Lens*.
    """

    def __init__(self, n_stages: int, d_model: int) -> None:
        super().__init__()
        self.matrices = nn.Parameter(torch.zeros(n_stages - 1, d_model, d_model))
        self.shifts = nn.Parameter(torch.zeros(n_stages - 1, d_model))

    def translate(
        self, streams: Float[Tensor, "stage *batch d_model"]
    ) -> Float[Tensor, "stage *batch d_model"]:
        """Each stage's stream, mapped to where the last stage's streams lie."""
        early = streams[:-1]
        moved = torch.einsum("s...d, sde -> s...e", early, self.matrices)
        shifts = self.shifts.view(len(early), *(1,) * (streams.ndim - 2), -1)
        return torch.cat([early + moved + shifts, streams[-1:]])

    @torch.no_grad()
    def forward(self, model: GPT, seen: Trace) -> Float[Tensor, "stage batch position vocab"]:
        """As `logit_lens`, each stream mapped first; the arguments are the same."""
        return logit_lens(model, replace(seen, streams=self.translate(seen.streams)))


def tune_lens(
    model: GPT, texts: Iterable[Sequence[int]], steps: int = 500, lr: float = 1e-3, seed: int = 0
) -> TunedLens:
    """Fit each stage's affine map so that the lens predicts the model's own output; the model stays as it is.

    The loss is the KL divergence (in nats) of the lens's distribution from the model's, averaged
    over all positions of the texts; Adam, 1,024 positions a step.

    Args:
        model: whose streams are read.
        texts: ids of some texts, of any lengths.
        steps: of training.
        lr: at the first step; it falls to zero along a straight line.
        seed: of the draw of the positions.

    Raises:
        InputError: there is no text.

    >>> from support.model import GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=5)); lens = tune_lens(model, [[1, 2, 3]], steps=2)
    >>> lens(model, trace(model, [1, 2, 3])).shape
    torch.Size([5, 1, 3, 5])
    """
    found = [trace(model, text).streams.flatten(1, 2) for text in texts]
    if not found:
        raise InputError("A lens is tuned on texts; give at least one.")
    streams = torch.cat(found, dim=1)  # [stage, position of any text, d_model]
    lens = TunedLens(len(streams), streams.shape[-1]).to(streams)
    generator = seeded_generator(seed)
    optimiser = torch.optim.Adam(lens.parameters(), lr=lr)
    open_ids = [i for i in range(model.config.vocab_size) if i not in model.config.masked_ids]
    with evaluating(model), torch.enable_grad():
        for step in range(steps):
            optimiser.param_groups[0]["lr"] = lr * (1 - step / steps)
            drawn = torch.randint(streams.shape[1], (min(1024, streams.shape[1]),), generator=generator)
            logits = model.unembed(lens.translate(streams[:, drawn.to(streams.device)]))[..., open_ids]
            said = logits.log_softmax(dim=-1)
            loss = F.kl_div(
                said[:-1], said[-1].detach().expand_as(said[:-1]), log_target=True, reduction="none"
            )
            optimiser.zero_grad()
            loss.sum(dim=-1).mean(dim=1).sum().backward(inputs=list(lens.parameters()))
            optimiser.step()
    return lens.requires_grad_(False).eval()
