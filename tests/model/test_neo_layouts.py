"""Windows in some layers, RoPE on a part of each head, parallel blocks: each against the sum written out."""

import pytest
import torch

from support.core import InputError
from support.model import GPT, Encoder, GPTConfig, apply_rope, attend, cache_bytes, make_attention_context

SMALL = {"vocab_size": 11, "context": 12, "d_model": 16, "n_heads": 2, "n_layers": 2}
IDS = torch.arange(10)[None] % 11


@pytest.fixture(autouse=True)
def _float64():
    torch.manual_seed(0)
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@torch.no_grad()
def test_only_the_layers_that_are_named_have_the_window():
    model = GPT(GPTConfig(**SMALL, window=3, window_layers=(1,))).eval()
    everything, near = model.attention_contexts(model.embed(IDS))
    assert everything.causal and everything.mask is None
    distance = torch.arange(10)[:, None] - torch.arange(10)
    assert torch.equal(near.mask[0, 0], (distance >= 0) & (distance < 3))
    stream = model.blocks[1](model.blocks[0](model.embed(IDS), everything), near)
    torch.testing.assert_close(model(IDS), model.unembed(stream))


@pytest.mark.parametrize("layers", [None, (0, 1)])
@torch.no_grad()
def test_all_layers_named_is_the_same_as_none(layers):
    model = GPT(GPTConfig(**SMALL, window=3, window_layers=layers)).eval()
    other = GPT(GPTConfig(**SMALL, window=3)).eval()
    other.load_state_dict(model.state_dict())
    torch.testing.assert_close(model(IDS), other(IDS))


@pytest.mark.parametrize("static", [False, True])
@torch.no_grad()
def test_the_cache_keeps_all_that_some_layer_sees(static):
    config = GPTConfig(**SMALL, window=3, window_layers=(1,))
    model = GPT(config).eval()
    cache = model.cache(length=10, static=static)
    parts = [model(part, cache) for part in IDS.split([4, 3, 1, 1, 1], dim=1)]
    torch.testing.assert_close(torch.cat(parts, dim=1), model(IDS))
    assert cache_bytes(config, length=10) == cache_bytes(GPTConfig(**SMALL), length=10)


@torch.no_grad()
def test_left_padding_changes_nothing_with_mixed_windows():
    model = GPT(GPTConfig(**SMALL, positions="rope", window=3, window_layers=(0,))).eval()
    padded = torch.cat([torch.zeros(1, 2, dtype=torch.long), IDS], dim=1)
    torch.testing.assert_close(model(padded, pad=torch.tensor([2]))[:, 2:], model(IDS))


@torch.no_grad()
def test_an_encoder_has_its_windows_by_layer_too():
    config = GPTConfig(**SMALL, causal=False, window=2, window_layers=(0,))
    encoder, ids = Encoder(config).eval(), IDS + 1
    blocks, stream = encoder.blocks, encoder.embed(ids)
    near = make_attention_context(GPTConfig(**SMALL, causal=False, window=2), 10, dtype=stream.dtype)
    everything = make_attention_context(GPTConfig(**SMALL, causal=False), 10, dtype=stream.dtype)
    torch.testing.assert_close(
        encoder.read(ids % 11), blocks[1](blocks[0](encoder.embed(ids % 11), near), everything)
    )


def test_operations_are_counted_layer_by_layer():
    mixed = GPT(GPTConfig(**SMALL, window=3, window_layers=(1,))).flops_per_token(10)
    none, all_ = (GPT(GPTConfig(**SMALL, window=w)).flops_per_token(10) for w in (None, 3))
    assert 2 * mixed == none + all_


@torch.no_grad()
def test_rope_rotates_the_first_dimensions_of_a_head():
    config = GPTConfig(**SMALL, positions="rope", d_rotary=4)
    attention, x = GPT(config).blocks[0].attention, torch.randn(1, 5, 16)
    angle = torch.arange(5)[:, None] * torch.tensor([1.0, 0.01])
    q, k, v = attention.split(x)
    q, k = (torch.cat([apply_rope(t[..., :4], angle.cos(), angle.sin()), t[..., 4:]], dim=-1) for t in (q, k))
    torch.testing.assert_close(attention(x), attention.merge(attend(q, k, v)[0]))


@torch.no_grad()
def test_parallel_sublayers_read_the_same_stream():
    block = GPT(GPTConfig(**SMALL, parallel_blocks=True)).eval().blocks[0]
    x = torch.randn(1, 5, 16)
    want = x + block.attention(block.norm_1(x)) + block.feed_forward(block.norm_2(x))
    torch.testing.assert_close(block(x), want)


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"window_layers": (1,)}, "give window"),
        ({"window": 3, "window_layers": (2,)}, "n_layers=2"),
        ({"d_rotary": 4}, "positions"),
        ({"positions": "rope", "d_rotary": 3}, "even"),
        ({"positions": "rope", "d_rotary": 10}, "d_head=8"),
        ({"parallel_blocks": True, "norm_first": False}, "norm_first"),
        ({"parallel_blocks": True, "residual": False}, "residual"),
    ],
)
def test_combinations_that_are_refused(changes, word):
    with pytest.raises(InputError, match=word):
        GPTConfig(**SMALL, **changes)


def test_parallel_blocks_have_no_cross_attention():
    with pytest.raises(InputError, match="cross-attention"):
        GPT(GPTConfig(**SMALL, parallel_blocks=True), cross=True)
