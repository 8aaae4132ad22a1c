"""The encoder: the same blocks, but every position attends to every other; it reads a text as a whole."""

from typing import Literal

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from support.core import InputError
from support.core.validation import checked
from support.model.base import Transformer
from support.model.config import GPTConfig


class Encoder(Transformer):
    """A bidirectional transformer. ``model(ids)`` gives the logits of the token *at* each position.

    So it is trained by hiding tokens (`support.training.mask_tokens`). Padding is ignored wherever it
    stands: no position attends to it, and it has no part in the pooled vector.

    Args:
        config: with ``causal=False``.
        n_classes: build a head that classifies whole texts into so many classes (`classify`).
        pool: how a text becomes one vector: the ``"mean"`` of its positions, or its ``"first"``.
        pad_id: the id of padding; None if there is none.

    Raises:
        InputError: the configuration hides the future, or another choice is impossible.

    Follows Devlin et al. 2018 (BERT); without its segment embeddings and its extra layer before each head.

    >>> model = Encoder(GPTConfig(vocab_size=9, d_model=8, n_heads=2, causal=False), n_classes=3).eval()
    >>> text, filled = torch.tensor([[5, 7, 6]]), torch.tensor([[5, 7, 6, 0, 0]])
    >>> bool(torch.allclose(model(text), model(filled)[:, :3], atol=1e-6))
    True
    >>> model.classify(filled).shape
    torch.Size([1, 3])
    """

    @checked
    def __init__(
        self,
        config: GPTConfig,
        n_classes: int | None = None,
        pool: Literal["mean", "first"] = "mean",
        pad_id: int | None = 0,
    ) -> None:
        if config.causal:
            raise InputError(
                "An encoder attends in both directions; make its configuration with causal=False."
            )
        if n_classes is not None and n_classes < 2:
            raise InputError(
                f"n_classes={n_classes} leaves no choice between classes; give 2 or more, or None."
            )
        if pad_id is not None and not 0 <= pad_id < config.vocab_size:
            raise InputError(f"pad_id={pad_id} is outside the vocabulary of {config.vocab_size} ids.")
        super().__init__(config)
        self.pool, self.pad_id = pool, pad_id
        self.class_head = None if n_classes is None else nn.Linear(config.d_model, n_classes)

    def forward(self, ids: Int[Tensor, "batch position"]) -> Float[Tensor, "batch position vocab"]:
        """Logits of the token at each position (not of the next one)."""
        return self.unembed(self.read(ids))

    def read(self, ids: Int[Tensor, "batch position"]) -> Float[Tensor, "batch position d_model"]:
        """The stream after the last block, before the final norm."""
        stream = self.embed(ids)
        contexts = self.attention_contexts(stream, present=self.present(ids))
        for layer, block in enumerate(self.blocks):
            stream = block(stream, contexts[layer])
        return stream

    def encode(self, ids: Int[Tensor, "batch position"]) -> Float[Tensor, "batch position d_model"]:
        """A vector for each position, in its context: the stream after the final norm."""
        return self.final_norm(self.read(ids))

    def present(self, ids: Int[Tensor, "batch position"]) -> Bool[Tensor, "batch position"]:
        """True where a text has a token, False where it is padding.

        Raises:
            InputError: (on a CPU) a text is nothing but padding.
        """
        present = torch.ones_like(ids, dtype=torch.bool) if self.pad_id is None else ids != self.pad_id
        # On a GPU this check would stall it; there an empty text becomes NaN.
        if ids.device.type == "cpu" and not torch.compiler.is_compiling() and not present.any(1).all():
            row = int(present.any(1).long().argmin())
            raise InputError(f"Text {row} is nothing but padding (id {self.pad_id}); leave it out.")
        return present

    def pooled(self, ids: Int[Tensor, "batch position"]) -> Float[Tensor, "batch d_model"]:
        """One vector for each text."""
        vectors, present = self.encode(ids), self.present(ids)[..., None]
        if self.pool == "first":
            first = present.long().argmax(dim=1, keepdim=True)
            return vectors.take_along_dim(first, dim=1).squeeze(1)
        return (vectors * present).sum(dim=1) / present.sum(dim=1)

    def classify(self, ids: Int[Tensor, "batch position"]) -> Float[Tensor, "batch class"]:
        """Logits of each text's class.

        Raises:
            InputError: the encoder was built without classes.
        """
        if self.class_head is None:
            raise InputError("This encoder has no class head; build it with n_classes=….")
        return self.class_head(self.pooled(ids))

    def classifier(self) -> "Classifier":
        """This encoder as ids → one answer for each text, for `train`: targets are ``[batch, 1]``."""
        return Classifier(self)


class Classifier(nn.Module):
    """A view of an `Encoder`, with its weights: ids → logits of one answer, ``[batch, 1, class]``.

    >>> config = GPTConfig(vocab_size=9, d_model=8, n_heads=2, causal=False)
    >>> Encoder(config, n_classes=3).classifier()(torch.tensor([[5, 7, 6]])).shape
    torch.Size([1, 1, 3])
    """

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, ids: Int[Tensor, "batch position"]) -> Float[Tensor, "batch 1 class"]:
        """Logits of each class, in the place of a single position."""
        return self.encoder.classify(ids)[:, None]

    def extra_loss(self) -> Float[Tensor, ""] | None:
        """What training adds to the loss: that of the encoder."""
        return self.encoder.extra_loss()
