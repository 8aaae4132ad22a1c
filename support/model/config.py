"""One record with every choice that makes one transformer differ from another."""

from dataclasses import dataclass, field
from typing import Any, Literal

from support.core.validation import (
    USUAL,
    BaseConfig,
    Count,
    CountOrZero,
    Depth,
    Fraction,
    NonNegative,
    OrUsual,
    Positive,
    check,
)


@dataclass(frozen=True)
class GPTConfig(BaseConfig):
    """The shape of a transformer; the defaults are GPT-2's architecture, small.

    ``None`` means the usual choice. It is replaced when the record is made, where one is named below.

    Attributes:
        vocab_size: ids that the model knows.
        context: the most positions that one pass may hold.
        d_model: numbers in the residual stream at each position.
        n_layers: blocks.
        n_heads: query heads.
        n_kv_heads: key and value heads; fewer than ``n_heads`` let groups of heads share them (GQA; 1 is
            MQA). Usually ``n_heads``.
        d_head: numbers in a query, key or value; usually ``d_model / n_heads``.
        d_ff: hidden units of the feed-forward network; usually ``4 d_model``. With SwiGLU, which has three
            matrices instead of two, 8/3 of ``d_model``, rounded up to a multiple of 256 (of 8 if ``d_model``
            is below 1,024).
        positions: a trained or a computed row added to each embedding (``"learned"``, ``"sinusoidal"``), a
            rotation of queries and keys (``"rope"``), a penalty on distance (``"alibi"``), or ``"none"``.
        norm: LayerNorm, RMSNorm, or ``"none"``.
        norm_first: pre-norm (GPT-2); False is post-norm (the transformer of 2017).
        norm_eps: added to the variance (RMSNorm: the mean square) before its root is taken.
        activation: of the feed-forward network; ``"gelu_tanh"`` is GPT-2's approximation of GELU.
        residual: add each sublayer's output to the stream; False replaces the stream by it.
        causal: no position attends to a later one; False is an encoder, where each attends to all.
        attention_bias: biases in the query, key, value and output projections.
        qkv_bias: biases in the first three of them; usually as ``attention_bias``.
        ffn_bias: biases in the feed-forward network.
        attention_scale: what attention scores are multiplied by; 1/√d_head if not given.
        qk_norm: RMSNorm on every query and key, before RoPE (Qwen 3).
        logit_softcap: squash the logits into ± this number by tanh (Gemma 2).
        tie_weights: the output head is the embedding's own matrix.
        dropout: of the embeddings, the attention weights and each sublayer's output, in training.
        init_std: standard deviation of the initial embeddings and of an untied head; other matrices start at
            1/√fan-in (see `Transformer.initialise`).
        masked_ids: ids that are never predicted: their logit is −∞ (for ``<PAD>``).
        n_experts: feed-forward networks in each block; 1 is no mixture of experts.
        experts_per_token: how many of them each token is sent to.
        balance_weight: of the load-balancing loss that training adds, with experts.
        window: how many positions each position attends to, its own among them; all if not given.
        window_layers: the layers that have the window, counted from 0; all if not given.
        parallel_blocks: attention and feed-forward network of a block read the same stream (GPT-NeoX).
        rope_base: of RoPE's angles (Hugging Face's ``rope_theta``).
        d_rotary: how many numbers of a query or key RoPE rotates; all if not given.
        rope_scaling: stretches RoPE to longer texts, with the fields of Hugging Face's ``config.json``:
            ``rope_type`` (``"linear"`` or ``"llama3"``) and what that needs; see `rope_frequencies`.

    Raises:
        InputError: a size or a combination is impossible; the sentence says what to change.

    Follows Radford et al. 2019 (GPT-2); post-norm and sinusoids Vaswani et al. 2017; RoPE Su et al. 2021;
    ALiBi Press et al. 2022; RMSNorm Zhang and Sennrich 2019; SwiGLU Shazeer 2020; grouped queries Ainslie
    et al. 2023; windows and experts Jiang et al. 2023 and 2024 (Mistral, Mixtral); windows in some layers
    Black et al. 2021 (GPT-Neo); parallel blocks and partial RoPE Black et al. 2022 (GPT-NeoX).

    >>> cfg = GPTConfig(vocab_size=28, d_model=64, n_heads=4)
    >>> cfg.d_head, cfg.d_ff
    (16, 256)
    >>> GPTConfig(vocab_size=32000, d_model=4096, n_heads=32, activation="swiglu").d_ff  # Llama 7B
    11008
    """

    vocab_size: Count
    context: Count = 128
    d_model: Count = 64
    n_layers: Depth = 2
    n_heads: Count = 4
    n_kv_heads: OrUsual[Count] = USUAL
    d_head: OrUsual[Count] = USUAL
    d_ff: OrUsual[Count] = USUAL
    positions: Literal["learned", "sinusoidal", "none", "rope", "alibi"] = "learned"
    norm: Literal["layer", "rms", "none"] = "layer"
    norm_first: bool = True
    norm_eps: NonNegative = 1e-5
    activation: Literal["relu", "gelu", "gelu_tanh", "swiglu"] = "gelu"
    residual: bool = True
    causal: bool = True
    attention_bias: bool = True
    qkv_bias: OrUsual[bool] = USUAL
    ffn_bias: bool = True
    attention_scale: Positive | None = None
    qk_norm: bool = False
    logit_softcap: Positive | None = None
    tie_weights: bool = True
    dropout: Fraction = 0.0
    init_std: NonNegative = 0.02
    masked_ids: tuple[CountOrZero, ...] = ()
    n_experts: Count = 1
    experts_per_token: Count = 1
    balance_weight: NonNegative = 0.01
    window: Count | None = None
    window_layers: tuple[CountOrZero, ...] | None = None
    parallel_blocks: bool = False
    rope_base: Positive = 10_000.0
    d_rotary: Count | None = None
    rope_scaling: dict[str, Any] | None = field(default=None, hash=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.d_head is None:
            self._refuse_unless(
                self.d_model % self.n_heads == 0,
                f"d_model={self.d_model} does not divide into n_heads={self.n_heads} heads of equal width; "
                "change one of them, or give d_head",
            )
            self._set("d_head", self.d_model // self.n_heads)
        if self.n_kv_heads is None:
            self._set("n_kv_heads", self.n_heads)
        if self.d_ff is None:
            self._set("d_ff", _hidden(self.d_model, self.activation))
        if self.qkv_bias is None:
            self._set("qkv_bias", self.attention_bias)

        self._refuse_unless(
            self.n_heads % self.n_kv_heads == 0,
            f"n_heads={self.n_heads} do not share n_kv_heads={self.n_kv_heads} evenly; "
            "make n_kv_heads a divisor of n_heads",
        )
        self._refuse_unless(
            self.experts_per_token <= self.n_experts,
            f"experts_per_token={self.experts_per_token} is more than n_experts={self.n_experts}; "
            "ask for fewer, or build more",
        )
        self._refuse_unless(
            self.positions != "rope" or self.d_head % 2 == 0,
            f"RoPE rotates pairs of dimensions and d_head={self.d_head} is odd; make it even",
        )
        self._refuse_unless(
            self.d_rotary is None
            or (self.positions == "rope" and self.d_rotary % 2 == 0 and self.d_rotary <= self.d_head),
            f"d_rotary={self.d_rotary} must be even, no more than d_head={self.d_head}, and goes with "
            f'positions="rope", not with "{self.positions}"',
        )
        self._refuse_unless(
            not self.parallel_blocks or (self.norm_first and self.residual),
            "parallel_blocks adds both outputs to one stream; set norm_first=True and residual=True",
        )
        self._check_window_layers()
        self._check_rope_scaling()
        self._refuse_unless(
            self.positions != "sinusoidal" or self.d_model % 2 == 0,
            f"sinusoids come in pairs and d_model={self.d_model} is odd; make it even",
        )
        wrong = [i for i in self.masked_ids if i >= self.vocab_size]
        self._refuse_unless(not wrong, f"masked_ids {wrong} are outside the vocabulary of {self.vocab_size}")
        self._refuse_unless(
            len(set(self.masked_ids)) < self.vocab_size, "masked_ids leaves no id to predict; mask fewer"
        )

    def _check_window_layers(self) -> None:
        if self.window_layers is None:
            return
        self._refuse_unless(
            self.window is not None, "window_layers says which layers have a window; give window as well"
        )
        wrong = [i for i in self.window_layers if i >= self.n_layers]
        self._refuse_unless(not wrong, f"window_layers {wrong} are not among n_layers={self.n_layers}")

    def layer_window(self, layer: int) -> int | None:
        """How many positions a position of this layer sees; None if all.

        >>> config = GPTConfig(vocab_size=5, n_layers=2, window=3, window_layers=(1,))
        >>> config.layer_window(0), config.layer_window(1)
        (None, 3)
        """
        if self.window_layers is None or layer in self.window_layers:
            return self.window
        return None

    def _check_rope_scaling(self) -> None:
        if self.rope_scaling is None:
            return
        self._refuse_unless(
            self.positions == "rope", f'rope_scaling goes with positions="rope", not with "{self.positions}"'
        )
        given = self.rope_scaling.get("rope_type", self.rope_scaling.get("type"))
        kind = given if isinstance(given, str) else ""
        self._refuse_unless(
            kind in ROPE_SCALINGS,
            f"rope_scaling has rope_type={given!r}; known are {', '.join(ROPE_SCALINGS)}",
        )
        missing = sorted(ROPE_SCALINGS[kind] - set(self.rope_scaling))
        self._refuse_unless(not missing, f"rope_scaling of rope_type {kind!r} lacks {', '.join(missing)}")
        unknown = sorted(set(self.rope_scaling) - ROPE_SCALINGS[kind] - {"rope_type", "type"})
        self._refuse_unless(
            not unknown, f"rope_scaling of rope_type {kind!r} has no field {', '.join(unknown)}; remove it"
        )
        for name in sorted(ROPE_SCALINGS[kind]):
            check(f"GPTConfig: rope_scaling: {name}", self.rope_scaling[name], Positive)
        self._set("rope_scaling", _FrozenDict(self.rope_scaling))


class _FrozenDict(dict[str, Any]):
    """A dict that cannot be changed: a frozen record must not change through what it holds."""

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise TypeError(
            "The rope_scaling of a configuration is frozen; make a new one by dataclasses.replace."
        )

    __setitem__ = __delitem__ = __ior__ = _refuse  # type: ignore[assignment]
    clear = pop = popitem = setdefault = update = _refuse  # type: ignore[assignment]

    def __reduce__(self) -> Any:  # copies and pickles are made from the content in one step
        return type(self), (dict(self),)


def _hidden(d_model: int, activation: str) -> int:
    if activation != "swiglu":
        return 4 * d_model
    multiple = 256 if d_model >= 1024 else 8  # large models round to what their hardware likes
    return -(-8 * d_model // (3 * multiple)) * multiple


# What each way of stretching RoPE needs beside its name.
ROPE_SCALINGS = {
    "linear": {"factor"},
    "llama3": {"factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"},
}
