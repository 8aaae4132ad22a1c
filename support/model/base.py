"""What every transformer here shares: embedding, blocks, final norm, output head, initialisation, counts."""

import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from support.core import InputError
from support.core.validation import Count, check, checked
from support.model.attention_context import AttentionContext, make_attention_context
from support.model.block import Block
from support.model.config import GPTConfig
from support.model.experts import Experts
from support.model.norms import make_norm
from support.model.positions import LearnedPositions, PositionTable, RotaryPositions, make_positions, places


class Transformer(nn.Module):
    """The layers of a transformer: `GPT` and `Encoder` add which position attends to which.

    Args:
        config: its shape.
        cross: let its blocks attend to an encoder's stream, too (see `EncoderDecoder`).
    """

    blocks: Any  # an nn.ModuleList of Block; torch's own annotation does not say of what
    head: nn.Module | None
    logit_mask: Tensor | None

    @checked
    def __init__(self, config: GPTConfig, cross: bool = False) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocab_size, config.d_model)
        self.position = make_positions(config)
        self.rotary = RotaryPositions(config) if config.positions == "rope" else None
        self.dropout = nn.Dropout(config.dropout) if config.dropout else None
        self.layer_windows = [config.layer_window(layer) for layer in range(config.n_layers)]
        self.layer_configs = {window: _with_window(config, window) for window in set(self.layer_windows)}
        self.blocks = nn.ModuleList(Block(self.layer_configs[window], cross) for window in self.layer_windows)
        # After post-norm blocks the stream is normed already.
        self.final_norm = make_norm(config) if config.norm_first else nn.Identity()
        self.head = None if config.tie_weights else nn.Linear(config.d_model, config.vocab_size, bias=False)
        logit_mask = torch.zeros(config.vocab_size).index_fill(
            0, torch.tensor(config.masked_ids).long(), -math.inf
        )
        self.register_buffer("logit_mask", logit_mask if config.masked_ids else None, persistent=False)
        self.register_load_state_dict_post_hook(_fill_tables)
        self.initialise()

    def embed(
        self,
        ids: Int[Tensor, "batch position"],
        start: int | Int[Tensor, ""] = 0,
        pad: Int[Tensor, " batch"] | None = None,
    ) -> Float[Tensor, "batch position d_model"]:
        """The stream's first state: each token's row, plus its position's.

        Args:
            ids: tokens.
            start: the position of the first one.
            pad: how many padding tokens stand at the left of each text; positions count from behind them.

        Raises:
            InputError: ids of the wrong shape or type, no token or more than ``context``, or (on a CPU) an id
                outside the vocabulary.
        """
        check_ids(ids, self.config)
        try:
            stream = self.embedding(ids)
        except IndexError:  # a CPU looks at each id anyway; on a GPU, the kernel stops the run
            wrong = ids[(ids < 0) | (ids >= self.config.vocab_size)].tolist() or ["?"]
            raise InputError(
                f"Id {wrong[0]} is outside the vocabulary of {self.config.vocab_size} ids."
            ) from None
        if self.position is not None:
            rows = self.position(places(ids.shape[1], start, pad, ids.device))
            stream = stream + rows.to(stream.dtype)
        return stream if self.dropout is None else self.dropout(stream)

    def attention_contexts(
        self,
        stream: Float[Tensor, "batch position d_model"],
        start: int | Int[Tensor, ""] = 0,
        pad: Int[Tensor, " batch"] | None = None,
        keys: Int[Tensor, " key"] | None = None,
        present: Bool[Tensor, "batch key"] | None = None,
    ) -> list[AttentionContext]:
        """The attention context of each layer; layers with the same window share one.

        Arguments are those of `make_attention_context` and of `AttentionContext.among`.
        """
        n, device, dtype = stream.shape[1], stream.device, stream.dtype
        made = {
            window: make_attention_context(config, n, start, pad, keys, device, dtype, self.rotary)
            for window, config in self.layer_configs.items()
        }
        if present is not None:
            made = {window: context.among(present) for window, context in made.items()}
        return [made[window] for window in self.layer_windows]

    def unembed(
        self, stream: Float[Tensor, "batch position d_model"]
    ) -> Float[Tensor, "batch position vocab"]:
        """Norm the stream and compare it with every row of the head (tied: of the embedding)."""
        stream, head, cap = self.final_norm(stream), self.head, self.config.logit_softcap
        logits = F.linear(stream, self.embedding.weight) if head is None else head(stream)
        if cap is not None:
            logits = cap * torch.tanh(logits / cap)
        return logits if self.logit_mask is None else logits + self.logit_mask

    def extra_loss(self) -> Float[Tensor, ""] | None:
        """What training adds to the loss: the experts' balance in the last pass; None without experts."""
        routings = [m.routing for m in self.modules() if isinstance(m, Experts) and m.routing is not None]
        if not routings or not self.config.balance_weight:
            return None
        return self.config.balance_weight * torch.stack([r.balance for r in routings]).mean()

    @torch.no_grad()
    def initialise(self) -> None:
        """Fresh weights: every layer passes on what it gets at about the scale at which it came.

        Matrices get a standard deviation of 1/√fan-in. The two that add to the residual stream are divided by
        √(2 n_layers), so that the sum of all contributions does not grow with depth (Radford et al. 2019).
        """
        if self.embedding.weight.is_meta:  # nothing to draw, and each pretence costs a millisecond
            return
        for module in self.modules():
            if isinstance(module, nn.Embedding | LearnedPositions):
                nn.init.normal_(module.weight, std=self.config.init_std)
            elif isinstance(module, nn.Linear):
                nn.init.normal_(module.weight, std=module.in_features**-0.5)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
        for name, module in self.blocks.named_modules():
            if name.endswith((".output", ".down")):
                module.weight /= math.sqrt(2 * self.config.n_layers)
        if isinstance(self.head, nn.Linear):
            nn.init.normal_(self.head.weight, std=self.config.init_std)

    def n_parameters(self, embeddings: bool = True, active: bool = False) -> int:
        """How many trained numbers the model holds; a tied matrix counts once.

        Args:
            embeddings: count the token and position tables too.
            active: of the experts, count only those that one token visits.

        >>> from support.model import GPT
        >>> GPT(GPTConfig(vocab_size=10, context=4, d_model=8, n_heads=2, n_layers=1)).n_parameters()
        1000
        """
        total = sum(p.numel() for p in self.parameters())
        if active:
            total -= self._resting(lambda expert: sum(p.numel() for p in expert.parameters()))
        if embeddings:
            return total
        tables = [m for m in (self.embedding, self.position) if m is not None]
        return total - sum(p.numel() for m in tables for p in m.parameters())

    def flops_per_token(self, length: int | None = None, training: bool = False) -> int:
        """Floating-point operations for one token of a sequence of ``length``, in matrix products.

        A product of a vector with an m × n matrix is 2mn operations. Attention's two products with the
        sequence count in full, masked or not (of a window, its width). Of experts, only those count that a
        token visits. The backward pass costs twice the forward one.

        Follows Chowdhery et al. 2022 (PaLM), appendix B.

        Args:
            length: how many positions the pass holds; the whole ``context`` if not given.
            training: count forward and backward.
        """
        cfg = self.config
        check("length", length, Count | None)
        length = cfg.context if length is None else length
        seen = sum(length if window is None else min(length, window) for window in self.layer_windows)
        matrices = _weights(self.blocks) - self._resting(_weights)
        head = cfg.d_model * cfg.vocab_size
        mixing = cfg.n_heads * cfg.d_head * 2 * seen
        return 2 * (matrices + head + mixing) * (3 if training else 1)

    def _resting(self, count: Callable[[nn.Module], int]) -> int:
        """A count over the experts that a token does not visit."""
        inactive = self.config.n_experts - self.config.experts_per_token
        return inactive * sum(count(m.experts[0]) for m in self.modules() if isinstance(m, Experts))


def _with_window(config: GPTConfig, window: int | None) -> GPTConfig:
    """The configuration of the layers with this window."""
    return config if config.window_layers is None else replace(config, window=window, window_layers=None)


def _fill_tables(model: Transformer, _keys: object) -> None:
    """A model built on the meta device gets its tables together with its weights."""
    for table in (model.position, model.rotary):
        if isinstance(table, PositionTable) and table.weight.is_meta:
            table.fill(len(table.weight), model.embedding.weight)


def check_ids(ids: Tensor, config: GPTConfig) -> None:
    """Refuse ids that are no table of whole numbers, or whose length does not fit."""
    if not isinstance(ids, Tensor) or ids.ndim != 2 or ids.dtype not in (torch.int64, torch.int32):
        if isinstance(ids, Tensor):
            given = f"{str(ids.dtype).removeprefix('torch.')} of shape {list(ids.shape)}"
        else:
            given = f"a {type(ids).__name__}"
        raise InputError(
            "The model reads ids as a tensor of int64 or int32 with two axes, [text, position], and was "
            f"given {given}."
        )
    n_texts, length = ids.shape
    if not 1 <= length <= config.context:
        raise InputError(f"The model holds 1 to {config.context} tokens and was given {length}.")
    if n_texts == 0:
        raise InputError("The batch is empty; give one text at least.")


@contextmanager
def in_mode(model: nn.Module, training: bool) -> Iterator[None]:
    """The whole model in training or evaluation mode; then, also after an error, each part in its own again.

    >>> layer = nn.Dropout().eval()
    >>> with in_mode(layer, training=True): print(layer.training)
    True
    >>> layer.training
    False
    """
    before = [(module, module.training) for module in model.modules()]
    model.train(training)
    try:
        yield
    finally:
        for module, was_training in before:
            module.training = was_training


def evaluating(model: nn.Module) -> AbstractContextManager[None]:
    """A ``with`` block in which the model is in evaluation mode, so without dropout.

    Afterwards, also after an error, each of its modules is in its own mode again.

    >>> layer = nn.Dropout()
    >>> with evaluating(layer):
    ...     print(layer.training)
    False
    >>> layer.training
    True
    """
    return in_mode(model, training=False)


def _weights(module: nn.Module) -> int:
    """Of all linear layers, `Int8Linear` included."""
    layers: Any = (m for m in module.modules() if hasattr(m, "in_features"))
    return sum(layer.in_features * layer.out_features for layer in layers)
