"""One record with every choice that makes one transformer differ from another."""

from dataclasses import asdict, dataclass, field, fields
from typing import Any

from support.core import InputError

_CHOICES = {
    "positions": ("learned", "sinusoidal", "none", "rope", "alibi"),
    "norm": ("layer", "rms", "none"),
    "activation": ("relu", "gelu", "gelu_tanh", "swiglu"),
}


@dataclass(frozen=True)
class GPTConfig:
    """The shape of a transformer; the defaults are GPT-2's manner at a toy's size.

    Sizes are counts of numbers: ``d_model`` in the stream, ``d_head`` in a query, key or value, ``d_ff``
    in the hidden layer of the feed-forward network. ``None`` means the usual choice and is replaced when
    the record is made: ``n_kv_heads = n_heads``, ``d_head = d_model / n_heads``, ``qkv_bias =
    attention_bias``, ``d_ff = 4 d_model``; with SwiGLU, which has three matrices instead of two, 8/3 of
    ``d_model``, rounded up to a multiple of 256 (in small models of 8).

    Raises:
        InputError: a size or a combination is impossible; the sentence says what to change.

    Follows Radford et al. 2019 (GPT-2); post-norm and sinusoids Vaswani et al. 2017; RoPE Su et al. 2021;
    ALiBi Press et al. 2021; RMSNorm Zhang and Sennrich 2019; SwiGLU Shazeer 2020; grouped queries Ainslie
    et al. 2023; windows and experts Jiang et al. 2023 and 2024 (Mistral, Mixtral).

    >>> cfg = GPTConfig(vocab_size=28, d_model=64, n_heads=4)
    >>> cfg.d_head, cfg.d_ff
    (16, 256)
    >>> GPTConfig(vocab_size=32000, d_model=4096, n_heads=32, activation="swiglu").d_ff  # Llama 7B
    11008
    """

    vocab_size: int
    context: int = 128  # the most positions that one pass may hold
    d_model: int = 64
    n_layers: int = 2
    n_heads: int = 4
    n_kv_heads: int | None = None  # fewer than n_heads: groups of heads share keys and values
    d_head: int | None = None
    d_ff: int | None = None
    positions: str = "learned"
    norm: str = "layer"
    norm_first: bool = True  # pre-norm (GPT-2); False is post-norm (the 2017 transformer)
    norm_eps: float = 1e-5
    activation: str = "gelu"
    residual: bool = True
    causal: bool = True  # False: every position sees every other (an encoder)
    attention_bias: bool = True  # of all four projections …
    qkv_bias: bool | None = None  # … unless the first three say otherwise
    ffn_bias: bool = True
    attention_scale: float | None = None  # what scores are multiplied by; 1/√d_head if not given
    qk_norm: bool = False  # RMSNorm on every query and key before it is turned (Qwen 3)
    logit_softcap: float | None = None  # logits bend towards ± this number (Gemma 2)
    tie_weights: bool = True  # the output head reads with the embedding's own rows
    dropout: float = 0.0
    init_std: float = 0.02  # of embeddings; matrices start at 1/√fan-in
    masked_ids: tuple[int, ...] = ()  # never predicted: their logit is −inf (for <PAD>)
    n_experts: int = 1  # feed-forward networks in each block …
    experts_per_token: int = 1  # … and how many of them each token visits
    balance_weight: float = 0.01  # of the load-balancing loss in training, with experts
    window: int | None = None  # a position sees so many positions, its own among them
    rope_base: float = 10_000.0
    rope_scaling: dict[str, Any] | None = field(default=None, hash=False)

    def __post_init__(self) -> None:
        sizes = ("vocab_size", "context", "d_model", "n_layers", "n_heads", "n_experts", "experts_per_token")
        for name in sizes:
            _refuse_unless(_is_count(getattr(self, name)), f"{name} must be a whole number of at least 1")
        for name in ("n_kv_heads", "d_head", "d_ff", "window"):
            value = getattr(self, name)
            _refuse_unless(value is None or _is_count(value), f"{name} must be None or at least 1")
        for name, known in _CHOICES.items():
            value = getattr(self, name)
            _refuse_unless(value in known, f"{name}={value!r} is unknown; choose one of {', '.join(known)}")

        if self.d_head is None:
            _refuse_unless(
                self.d_model % self.n_heads == 0,
                f"d_model={self.d_model} does not divide into n_heads={self.n_heads} equal lanes; "
                "change one of them, or give d_head",
            )
            self._set("d_head", self.d_model // self.n_heads)
        if self.n_kv_heads is None:
            self._set("n_kv_heads", self.n_heads)
        if self.d_ff is None:
            self._set("d_ff", _hidden(self.d_model, self.activation))
        if self.qkv_bias is None:
            self._set("qkv_bias", self.attention_bias)
        self._set("masked_ids", tuple(self.masked_ids))

        _refuse_unless(
            self.n_heads % self.n_kv_heads == 0,
            f"n_heads={self.n_heads} do not share n_kv_heads={self.n_kv_heads} evenly; "
            "make n_kv_heads a divisor of n_heads",
        )
        _refuse_unless(
            self.experts_per_token <= self.n_experts,
            f"experts_per_token={self.experts_per_token} is more than n_experts={self.n_experts}; "
            "ask for fewer, or build more",
        )
        _refuse_unless(
            self.positions != "rope" or self.d_head % 2 == 0,
            f"RoPE turns pairs of numbers and d_head={self.d_head} is odd; make it even",
        )
        _refuse_unless(self.rope_base > 0, f"rope_base={self.rope_base} must be above 0")
        _check_rope_scaling(self.rope_scaling, self.positions)
        for name in ("logit_softcap", "attention_scale"):
            value = getattr(self, name)
            _refuse_unless(value is None or value > 0, f"{name}={value} must be None or above 0")
        _refuse_unless(self.balance_weight >= 0, f"balance_weight={self.balance_weight} must not be negative")
        _refuse_unless(
            self.positions != "sinusoidal" or self.d_model % 2 == 0,
            f"sinusoids come in pairs and d_model={self.d_model} is odd; make it even",
        )
        _refuse_unless(0 <= self.dropout < 1, f"dropout={self.dropout} must lie in [0, 1)")
        _refuse_unless(self.norm_eps >= 0, f"norm_eps={self.norm_eps} must not be negative")
        _refuse_unless(self.init_std >= 0, f"init_std={self.init_std} must not be negative")
        wrong = [i for i in self.masked_ids if not (isinstance(i, int) and 0 <= i < self.vocab_size)]
        _refuse_unless(not wrong, f"masked_ids {wrong} are outside the vocabulary of {self.vocab_size}")
        _refuse_unless(
            len(set(self.masked_ids)) < self.vocab_size, "masked_ids leaves no id to predict; mask fewer"
        )

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)  # the record is frozen for everybody else

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain values, for JSON.

        >>> GPTConfig.from_dict(GPTConfig(vocab_size=9).to_dict()) == GPTConfig(vocab_size=9)
        True
        """
        return {**asdict(self), "masked_ids": list(self.masked_ids)}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "GPTConfig":
        """The record that `to_dict` wrote.

        Raises:
            InputError: a field is unknown (a newer file, or a typing error); it is named.
        """
        unknown = sorted(set(values) - {f.name for f in fields(cls)})
        _refuse_unless(not unknown, f"unknown fields {unknown}; is the file from a newer version?")
        _refuse_unless("vocab_size" in values, "vocab_size is missing; give the number of ids")
        return cls(**{**values, "masked_ids": tuple(values.get("masked_ids", ()))})


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _refuse_unless(fine: bool, sentence: str) -> None:
    if not fine:
        raise InputError(f"GPTConfig: {sentence}.")


def _hidden(d_model: int, activation: str) -> int:
    if activation != "swiglu":
        return 4 * d_model
    multiple = 256 if d_model >= 1024 else 8  # large models round to what their hardware likes
    return -(-8 * d_model // (3 * multiple)) * multiple


# What each way of stretching RoPE needs beside its name.
_SCALINGS = {
    "linear": {"factor"},
    "llama3": {"factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"},
}


def _check_rope_scaling(scaling: dict[str, Any] | None, positions: str) -> None:
    if scaling is None:
        return
    _refuse_unless(positions == "rope", f'rope_scaling goes with positions="rope", not with "{positions}"')
    kind = scaling.get("rope_type", scaling.get("type"))
    known = ", ".join(_SCALINGS)
    _refuse_unless(kind in _SCALINGS, f"rope_scaling has rope_type={kind!r}; known are {known}")
    missing = sorted(_SCALINGS[kind] - set(scaling))
    _refuse_unless(not missing, f"rope_scaling of rope_type {kind!r} lacks {', '.join(missing)}")
    small = [name for name in _SCALINGS[kind] if not scaling[name] > 0]
    _refuse_unless(not small, f"rope_scaling: {', '.join(sorted(small))} must be above 0")
