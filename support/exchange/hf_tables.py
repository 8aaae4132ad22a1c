"""Which field of a ``config.json`` holds which of ours: a table for each family, to read and to write."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from support.exchange.hf_fields import (
    MISSING,
    Fields,
    get_activation,
    get_count,
    get_flag,
    get_number,
    get_rate,
    their_activation,
)
from support.model import GPTConfig


@dataclass(frozen=True)
class Field:
    """One of our fields, their name for it (or several, with spaces between), its reader, its default."""

    ours: str
    theirs: str
    read: Callable[[Fields, str, Any], Any]
    usual: Any = MISSING


Table = tuple[Field, ...]


def _table(*rows: tuple[Any, ...]) -> Table:
    return tuple(Field(*row) for row in rows)


COMMON = _table(
    ("vocab_size", "vocab_size", get_count),
    ("tie_weights", "tie_word_embeddings", get_flag, True),
    ("init_std", "initializer_range", get_number, 0.02),
)
GPT2 = _table(
    ("context", "n_positions", get_count),
    ("d_model", "n_embd", get_count),
    ("n_layers", "n_layer", get_count),
    ("n_heads", "n_head", get_count),
    ("d_ff", "n_inner", get_count, None),
    ("norm_eps", "layer_norm_epsilon", get_number, 1e-5),
    ("activation", "activation_function", get_activation, "gelu_new"),
    ("dropout", "resid_pdrop embd_pdrop attn_pdrop", get_rate, 0.1),
)
GPT_NEO = _table(
    ("context", "max_position_embeddings", get_count),
    ("d_model", "hidden_size", get_count),
    ("n_layers", "num_layers", get_count),
    ("n_heads", "num_heads", get_count),
    ("d_ff", "intermediate_size", get_count, None),
    ("norm_eps", "layer_norm_epsilon", get_number, 1e-5),
    ("activation", "activation_function", get_activation, "gelu_new"),
    ("dropout", "resid_dropout embed_dropout attention_dropout", get_rate, 0.0),
)
_SIZES = _table(
    ("context", "max_position_embeddings", get_count),
    ("d_model", "hidden_size", get_count),
    ("n_layers", "num_hidden_layers", get_count),
    ("n_heads", "num_attention_heads", get_count),
    ("d_ff", "intermediate_size", get_count),
)
GPT_NEOX = _SIZES + _table(
    ("norm_eps", "layer_norm_eps", get_number, 1e-5),
    ("activation", "hidden_act", get_activation, "gelu"),
    ("parallel_blocks", "use_parallel_residual", get_flag, True),
    ("attention_bias", "attention_bias", get_flag, True),
    ("dropout", "hidden_dropout attention_dropout", get_rate, 0.0),
)
LLAMA = _SIZES + _table(
    ("n_kv_heads", "num_key_value_heads", get_count, None),
    ("d_head", "head_dim", get_count, None),
    ("norm_eps", "rms_norm_eps", get_number, 1e-6),
    ("attention_bias", "attention_bias", get_flag, False),
    ("ffn_bias", "mlp_bias", get_flag, False),
)
MIXTURE = _table(
    ("n_experts", "num_local_experts", get_count),
    ("experts_per_token", "num_experts_per_tok", get_count),
    ("balance_weight", "router_aux_loss_coef", get_number, 0.001),
)


def read_table(fields: Fields, table: Table, **usual: Any) -> dict[str, Any]:
    """Our fields with the values that theirs hold; ``usual`` replaces usual values of the table."""
    return {row.ours: row.read(fields, row.theirs, usual.get(row.ours, row.usual)) for row in COMMON + table}


def written(config: GPTConfig, table: Table) -> dict[str, Any]:
    """Their fields, each with our value, or with their name of our activation function.

    >>> written(GPTConfig(vocab_size=9), COMMON)
    {'vocab_size': 9, 'tie_word_embeddings': True, 'initializer_range': 0.02}
    """
    values = {row: getattr(config, row.ours) for row in table}
    return {
        name: their_activation(value) if row.read is get_activation else value
        for row, value in values.items()
        for name in row.theirs.split()
    }


def names(table: Table) -> set[str]:
    """All their names in a table."""
    return {name for row in table for name in row.theirs.split()}
