"""The encoder against torch's and transformers' blocks; padding, pooling, refusals."""

import math
from dataclasses import replace

import pytest
import torch
from helpers import copy_linear, shaken
from torch import nn

from support.core import InputError
from support.generation import generate
from support.model import GPT, Block, Encoder, GPTConfig
from support.training import MaskedBatches, TrainConfig, mask_tokens, train

SIZES = {"vocab_size": 11, "context": 12, "d_model": 16, "n_heads": 4, "n_layers": 2, "causal": False}
SMALL = GPTConfig(**SIZES)
FAMILY = {
    "BERT": {"norm_first": False},
    "pre-norm": {},
    "sinusoids": {"positions": "sinusoidal"},
    "no positions": {"positions": "none"},
    "RoPE, shared keys": {"positions": "rope", "n_kv_heads": 2, "norm": "rms", "activation": "swiglu"},
    "ALiBi": {"positions": "alibi"},
    "window": {"window": 3},
    "ALiBi, window": {"positions": "alibi", "window": 2},
    "experts": {"n_experts": 3, "experts_per_token": 2},
}
NEAR = {"atol": 1e-10, "rtol": 0}


def double(module):
    return shaken(module).double().eval()


def config(**changes):
    return GPTConfig(**SIZES | changes)


@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("norm_first", [True, False])
def test_a_block_equals_torchs_encoder_layer(norm_first, activation):
    theirs = double(
        nn.TransformerEncoderLayer(16, 4, 40, 0.0, activation, batch_first=True, norm_first=norm_first)
    )
    ours = Block(config(norm_first=norm_first, activation=activation, d_ff=40)).double().eval()
    ours.attention.qkv.weight.data = theirs.self_attn.in_proj_weight.data
    ours.attention.qkv.bias.data = theirs.self_attn.in_proj_bias.data
    copy_linear(ours.attention.output, theirs.self_attn.out_proj)
    copy_linear(ours.feed_forward.up, theirs.linear1)
    copy_linear(ours.feed_forward.down, theirs.linear2)
    ours.norm_1, ours.norm_2 = theirs.norm1, theirs.norm2
    x = torch.randn(2, 6, 16).double()
    torch.testing.assert_close(ours(x), theirs(x), **NEAR)
    padding = torch.tensor([[False] * 6, [False] * 3 + [True] * 3])
    attention_context = ours.attention.attention_context(x).among(~padding)
    torch.testing.assert_close(
        ours(x, attention_context)[~padding], theirs(x, src_key_padding_mask=padding)[~padding], **NEAR
    )


def test_a_block_equals_berts():
    from transformers import BertConfig
    from transformers.models.bert.modeling_bert import BertLayer

    cfg = BertConfig(hidden_size=16, num_attention_heads=4, intermediate_size=40)
    cfg._attn_implementation = "eager"
    theirs = double(BertLayer(cfg))
    ours = Block(config(norm_first=False, d_ff=40, norm_eps=cfg.layer_norm_eps)).double().eval()
    attention, after = theirs.attention.self, theirs.attention.output
    copy_linear(ours.attention.qkv, attention.query, attention.key, attention.value)
    copy_linear(ours.attention.output, after.dense)
    copy_linear(ours.feed_forward.up, theirs.intermediate.dense)
    copy_linear(ours.feed_forward.down, theirs.output.dense)
    ours.norm_1, ours.norm_2 = after.LayerNorm, theirs.output.LayerNorm
    x = torch.randn(2, 6, 16).double()
    got = theirs(x)
    torch.testing.assert_close(ours(x), got[0] if isinstance(got, tuple) else got, **NEAR)


@pytest.mark.parametrize("name", FAMILY)
def test_padding_changes_nothing_wherever_it_stands(name):
    model = double(Encoder(config(**FAMILY[name]), n_classes=3))
    text = torch.tensor([[5, 3, 7, 9]])
    batch = torch.tensor([[5, 3, 7, 9, 0, 0, 0], [4, 8, 1, 2, 6, 10, 3]])
    torch.testing.assert_close(model(batch)[:1, :4], model(text), **NEAR)
    torch.testing.assert_close(model.classify(batch)[:1], model.classify(text), **NEAR)
    assert not model(batch).isnan().any()
    if "positions" in FAMILY[name] and FAMILY[name]["positions"] in ("none", "rope", "alibi"):
        left = torch.tensor([[0, 0, 5, 3, 7, 9]])  # these count distances alone, so the left will do, too
        torch.testing.assert_close(model(left)[:, 2:], model(text), **NEAR)


@pytest.mark.parametrize("name", FAMILY)
def test_every_position_sees_both_ways_as_far_as_its_window(name):
    model = double(Encoder(config(**FAMILY[name], n_layers=1)))
    ids = torch.tensor([[5, 3, 7, 9, 2, 4]])
    far = model.config.window or 6
    for changed in range(6):
        other = ids.clone()
        other[0, changed] = 10
        moved = (model(ids) - model(other)).abs().amax(-1)[0] > 1e-9
        assert moved.tolist() == [abs(i - changed) < far for i in range(6)]


def test_pooling_by_hand():
    mean = double(Encoder(SMALL, n_classes=2))
    first = Encoder(SMALL, n_classes=2, pool="first").double().eval()
    first.load_state_dict(mean.state_dict())
    ids = torch.tensor([[5, 3, 7, 0, 0], [4, 8, 1, 2, 6]])
    stream = mean.encode(ids)
    torch.testing.assert_close(mean.pooled(ids), torch.stack([stream[0, :3].mean(0), stream[1].mean(0)]))
    torch.testing.assert_close(first.pooled(ids), stream[:, 0])
    head = mean.class_head
    torch.testing.assert_close(mean.classify(ids), mean.pooled(ids) @ head.weight.T + head.bias)


def test_an_encoder_is_its_decoder_without_the_mask():
    """The same weights, one flag: only the last position of a one-layer decoder sees as much."""
    both = double(Encoder(config(n_layers=1), pad_id=None))
    one = GPT(config(n_layers=1, causal=True)).double().eval()
    one.load_state_dict(both.state_dict())
    ids = torch.tensor([[5, 3, 7, 9]])
    torch.testing.assert_close(one(ids)[:, -1], both(ids)[:, -1], **NEAR)
    assert (one(ids)[:, 0] - both(ids)[:, 0]).abs().max() > 1e-3


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: Encoder(replace(SMALL, causal=True)), "causal=False"),
        (lambda: Encoder(SMALL, n_classes=1), "n_classes=1"),
        (lambda: Encoder(SMALL, pool="max"), "'mean' or 'first'"),
        (lambda: Encoder(SMALL, pad_id=11), "pad_id=11"),
        (lambda: Encoder(SMALL).classify(torch.tensor([[1]])), "no class head"),
        (lambda: Encoder(SMALL)(torch.tensor([[1, 2], [0, 0]])), "Text 1 is nothing but padding"),
        (lambda: Encoder(SMALL)(torch.tensor([[11]])), "Id 11 is outside"),
        (lambda: generate(Encoder(SMALL), [1], 3), "predicts the token at each position"),
    ],
)
def test_refused_in_a_sentence(build, words):
    with pytest.raises(InputError, match=words):
        build()


def test_masking_keeps_the_shares_of_the_rule():
    ids = torch.randint(4, 40, (200, 100), generator=torch.Generator().manual_seed(1))
    ids[:, 0], ids[:, 90:] = 1, 0
    inputs, targets = mask_tokens(ids, mask_id=3, vocab_size=40, special_ids=(0, 1, 2))
    chosen = targets != -100
    assert (chosen.sum(1) == 13).all()  # 15% of 89
    assert not chosen[:, 0].any() and not chosen[:, 90:].any()
    assert (inputs[~chosen] == ids[~chosen]).all() and (targets[chosen] == ids[chosen]).all()
    hidden, same = inputs[chosen] == 3, inputs[chosen] == ids[chosen]
    n = int(chosen.sum())
    for share, want in ((hidden.sum() / n, 0.8), (same.sum() / n, 0.1 + 0.1 / 36)):
        assert abs(float(share) - want) < 4 * math.sqrt(want * (1 - want) / n)
    other = inputs[chosen][~hidden & ~same]
    assert set(other.tolist()) == set(range(4, 40))  # any token, but no special one


def test_masking_edges():
    short = torch.tensor([[1, 5, 2], [1, 2, 0]])
    _, targets = mask_tokens(short, 3, 9, special_ids=(0, 1, 2))
    assert (targets != -100).sum(1).tolist() == [1, 0]  # at least one, if there is one
    a, b = (mask_tokens(torch.full((4, 50), 5), 3, 9, seed=s)[0] for s in (0, 1))
    assert not a.equal(b)
    with pytest.raises(InputError, match=r"mask_probability=0\.0"):
        mask_tokens(short, 3, 9, mask_probability=0.0)
    with pytest.raises(InputError, match="all are special"):
        mask_tokens(short, 3, 4, special_ids=(0, 1, 2))


def test_trains_on_hidden_tokens_and_on_classes():
    """A text counts up by one: a hidden number follows from either neighbour. Its class: is the start odd?"""
    texts = [[4 + (start + i) % 12 for i in range(6)] for start in range(12)]
    cfg = GPTConfig(vocab_size=16, context=6, d_model=32, n_heads=2, n_layers=2, causal=False)
    model = Encoder(cfg, n_classes=2)
    batches = MaskedBatches(texts, 12, mask_id=3, vocab_size=16, special_ids=(0, 1, 2))
    largest = MaskedBatches(texts, 12, mask_id=3, vocab_size=16, seed=2**64 - 1)
    assert not largest(0)[0].equal(largest(1)[0])
    assert all(a.equal(b) for a, b in zip(batches(5), batches(5), strict=True))
    history = train(model, batches, TrainConfig(steps=250, lr=5e-3, progress=False))
    assert history.losses[0] > 2 and sum(history.losses[-20:]) / 20 < 0.5
    ids, odd = torch.tensor(texts), torch.tensor([[t[0] % 2] for t in texts])
    train(model.classifier(), lambda step: (ids, odd), TrainConfig(steps=60, lr=3e-3, progress=False))
    assert (model.eval().classify(ids).argmax(-1) == odd[:, 0]).all()
