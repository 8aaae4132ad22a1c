"""One record with every choice that makes one transformer differ from another."""

from dataclasses import asdict, dataclass, field, fields
from typing import Any

from support.core import InputError

# What the chapters describe but the package does not build yet, and what to use meanwhile.
_NOT_BUILT = {
    ("positions", "rope"): '"learned"',
    ("positions", "alibi"): '"learned"',
    ("norm", "rms"): '"layer"',
    ("activation", "swiglu"): '"gelu"',
}
_CHOICES = {
    "positions": ("learned", "sinusoidal", "none", "rope", "alibi"),
    "norm": ("layer", "none", "rms"),
    "activation": ("relu", "gelu", "gelu_tanh", "swiglu"),
}


@dataclass(frozen=True)
class GPTConfig:
    """The shape of a decoder-only transformer; the defaults are GPT-2's manner at a toy's size.

    Sizes are counts of numbers: ``d_model`` in the stream, ``d_head`` in a query, key or value, ``d_ff``
    in the hidden layer of the feed-forward network. ``None`` means the usual choice and is replaced when
    the record is made: ``n_kv_heads = n_heads``, ``d_head = d_model / n_heads``, ``d_ff = 4 d_model``,
    ``qkv_bias = attention_bias``.

    Raises:
        InputError: a size or a combination is impossible, or not built yet; the sentence says what to change.

    Follows Radford et al. 2019 (GPT-2); post-norm and sinusoids follow Vaswani et al. 2017.

    >>> cfg = GPTConfig(vocab_size=28, d_model=64, n_heads=4)
    >>> cfg.d_head, cfg.d_ff
    (16, 256)
    """

    vocab_size: int
    context: int = 128  # the most positions that one pass may hold
    d_model: int = 64
    n_layers: int = 2
    n_heads: int = 4
    n_kv_heads: int | None = None
    d_head: int | None = None
    d_ff: int | None = None
    positions: str = "learned"
    norm: str = "layer"
    norm_first: bool = True  # pre-norm (GPT-2); False is post-norm (the 2017 transformer)
    norm_eps: float = 1e-5
    activation: str = "gelu"
    residual: bool = True
    attention_bias: bool = True  # of all four projections …
    qkv_bias: bool | None = None  # … unless the first three say otherwise
    ffn_bias: bool = True
    tie_weights: bool = True  # the output head reads with the embedding's own rows
    dropout: float = 0.0
    init_std: float = 0.02  # of embeddings; matrices start at 1/√fan-in
    masked_ids: tuple[int, ...] = ()  # never predicted: their logit is −inf (for <PAD>)
    n_experts: int = 1
    experts_per_token: int = 1
    window: int | None = None
    rope_base: float = 10_000.0
    rope_scaling: dict[str, Any] | None = field(default=None, hash=False)

    def __post_init__(self) -> None:
        for name in ("vocab_size", "context", "d_model", "n_layers", "n_heads", "n_experts"):
            _refuse_unless(_is_count(getattr(self, name)), f"{name} must be a whole number of at least 1")
        for name in ("n_kv_heads", "d_head", "d_ff"):
            value = getattr(self, name)
            _refuse_unless(value is None or _is_count(value), f"{name} must be None or at least 1")
        for name, known in _CHOICES.items():
            value = getattr(self, name)
            _refuse_unless(value in known, f"{name}={value!r} is unknown; choose one of {', '.join(known)}")
            now = _NOT_BUILT.get((name, value))
            _refuse_unless(now is None, f'{name}="{value}" is not built yet; use {name}={now} for now')

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
            self._set("d_ff", 4 * self.d_model)
        if self.qkv_bias is None:
            self._set("qkv_bias", self.attention_bias)
        self._set("masked_ids", tuple(self.masked_ids))

        _refuse_unless(
            self.n_kv_heads == self.n_heads,
            f"n_kv_heads={self.n_kv_heads} with n_heads={self.n_heads} (grouped or multi-query attention) "
            "is not built yet; leave n_kv_heads out for now",
        )
        _refuse_unless(self.window is None, "window is not built yet; leave it out, and keep context short")
        _refuse_unless(self.rope_scaling is None, "rope_scaling is not built yet; leave it out for now")
        _refuse_unless(
            self.n_experts == self.experts_per_token == 1,
            "a mixture of experts is not built yet; leave n_experts and experts_per_token at 1 for now",
        )
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
