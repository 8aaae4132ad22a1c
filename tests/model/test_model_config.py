"""Every impossible configuration is refused in a sentence."""

import dataclasses
import json

import pytest

from support.core import InputError
from support.model import GPTConfig


def test_usual_choices_are_filled_in():
    cfg = GPTConfig(vocab_size=28, d_model=96, n_heads=6)
    assert (cfg.d_head, cfg.n_kv_heads, cfg.d_ff, cfg.qkv_bias) == (16, 6, 384, True)
    assert GPTConfig(vocab_size=28, attention_bias=False).qkv_bias is False
    assert GPTConfig(vocab_size=28, attention_bias=False, qkv_bias=True).qkv_bias is True


def test_a_wide_head_need_not_divide_the_stream():
    assert GPTConfig(vocab_size=5, d_model=6, n_heads=4, d_head=3).d_head == 3


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"n_kv_heads": 3}, ["n_heads=4", "n_kv_heads=3", "divisor"]),
        ({"n_kv_heads": 8}, ["n_kv_heads=8", "divisor"]),
        ({"window": 0}, ["window"]),
        ({"positions": "rope", "d_head": 7}, ["d_head=7", "odd"]),
        ({"positions": "rope", "rope_base": 0.0}, ["rope_base"]),
        ({"rope_scaling": {"type": "linear", "factor": 2}}, ["rope_scaling", "learned"]),
        ({"positions": "rope", "rope_scaling": {"type": "silly"}}, ["silly", "linear"]),
        ({"positions": "rope", "rope_scaling": {"type": "linear"}}, ["lacks factor"]),
        (
            {"positions": "rope", "rope_scaling": {"type": "linear", "factor": 0}},
            ["factor", "greater than 0"],
        ),
        ({"n_experts": 2, "experts_per_token": 3}, ["experts_per_token=3", "n_experts=2"]),
        ({"experts_per_token": 0}, ["experts_per_token"]),
        ({"balance_weight": -1.0}, ["balance_weight"]),
        ({"logit_softcap": 0.0}, ["logit_softcap"]),
        ({"attention_scale": -1.0}, ["attention_scale"]),
        ({"activation": "silly"}, ["silly", "relu"]),
        ({"positions": "silly"}, ["silly", "sinusoidal"]),
        ({"d_model": 65}, ["65", "d_head"]),
        ({"d_model": 63, "n_heads": 3, "positions": "sinusoidal"}, ["odd"]),
        ({"n_layers": 0}, ["n_layers"]),
        ({"n_layers": 10**6}, ["n_layers=1000000", "less than or equal to 10000"]),
        ({"n_layers": True}, ["n_layers=True"]),
        ({"vocab_size": 0}, ["vocab_size"]),
        ({"vocab_size": 2.5}, ["vocab_size"]),
        ({"d_ff": 0}, ["d_ff"]),
        ({"dropout": 1.0}, ["dropout"]),
        ({"dropout": -0.1}, ["dropout"]),
        ({"norm_eps": -1.0}, ["norm_eps"]),
        ({"init_std": -1.0}, ["init_std"]),
        ({"masked_ids": (28,)}, ["28"]),
        ({"masked_ids": tuple(range(28))}, ["no id"]),
    ],
)
def test_refused_in_a_sentence(changes, words):
    given = {"vocab_size": 28, "d_model": 64, "n_heads": 4} | changes
    with pytest.raises(InputError) as caught:
        GPTConfig(**given)
    text = str(caught.value)
    assert text.endswith(".") and all(word in text for word in words), text


def test_the_record_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        GPTConfig(vocab_size=28).d_model = 3


def test_a_list_is_taken_for_a_tuple_that_may_be_left_out():
    config = GPTConfig(vocab_size=9, window=3, window_layers=(1,))
    assert GPTConfig.from_dict(json.loads(json.dumps(config.to_dict()))) == config
    assert GPTConfig(vocab_size=9, window=3, window_layers=[1]).window_layers == (1,)


def test_json_and_back():
    cfg = GPTConfig(vocab_size=28, masked_ids=(0, 3), norm_first=False, d_ff=77)
    assert GPTConfig.from_dict(json.loads(json.dumps(cfg.to_dict()))) == cfg
    with pytest.raises(InputError, match="heads"):
        GPTConfig.from_dict({"vocab_size": 3, "heads": 2})
    with pytest.raises(InputError, match="vocab_size"):
        GPTConfig.from_dict({"d_model": 8})
