"""The whole model: causality, order, norms, masks, counts, initialisation, devices and dtypes."""

import math

import pytest
import torch
import torch.nn.functional as F
from forked import COMPILER, forked
from helpers import rounding_gap, shaken
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from support.core import InputError
from support.model import GPT, GPTConfig, attend

SMALL = {"vocab_size": 11, "context": 12, "d_model": 16, "n_heads": 4, "n_layers": 2}


def random_model(dtype=torch.float64, **changes):
    return shaken(GPT(GPTConfig(**(SMALL | changes)))).to(dtype).eval()


IDS = torch.tensor([[1, 5, 3, 7, 2, 9], [4, 4, 0, 10, 8, 6]])


@pytest.mark.parametrize("positions", ["learned", "sinusoidal", "none"])
@pytest.mark.parametrize("norm_first", [True, False])
def test_no_position_sees_a_later_one(positions, norm_first):
    model = random_model(positions=positions, norm_first=norm_first)
    changed = IDS.clone()
    changed[:, 4:] = (changed[:, 4:] + 3) % 11
    before, after = model(IDS), model(changed)
    torch.testing.assert_close(before[:, :4], after[:, :4])
    assert (before[:, 4] - after[:, 4]).abs().min(-1).values.max() > 1e-4


def test_order_counts_only_with_positions():
    swapped = IDS[:, [1, 0, 2, 3, 4, 5]]
    blind, seeing = random_model(positions="none", n_layers=1), random_model(n_layers=1)
    torch.testing.assert_close(blind(IDS)[:, -1], blind(swapped)[:, -1])
    assert (seeing(IDS)[:, -1] - seeing(swapped)[:, -1]).abs().max() > 1e-2


@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_blocks_equal_torch_encoder_layers(norm_first, activation):
    model = random_model(norm_first=norm_first, activation=activation)
    stream = model.embed(IDS)
    for block in model.blocks:
        theirs = nn.TransformerEncoderLayer(
            16, 4, 64, 0.0, activation, batch_first=True, norm_first=norm_first, dtype=torch.float64
        ).eval()
        pairs = {
            "self_attn.in_proj_weight": block.attention.qkv.weight,
            "self_attn.in_proj_bias": block.attention.qkv.bias,
            "self_attn.out_proj.weight": block.attention.output.weight,
            "self_attn.out_proj.bias": block.attention.output.bias,
            "linear1.weight": block.feed_forward.up.weight,
            "linear1.bias": block.feed_forward.up.bias,
            "linear2.weight": block.feed_forward.down.weight,
            "linear2.bias": block.feed_forward.down.bias,
            "norm1.weight": block.norm_1.weight,
            "norm1.bias": block.norm_1.bias,
            "norm2.weight": block.norm_2.weight,
            "norm2.bias": block.norm_2.bias,
        }
        theirs.load_state_dict(pairs)
        mask = nn.Transformer.generate_square_subsequent_mask(6, dtype=torch.float64)
        want = theirs(stream, src_mask=mask, is_causal=True)
        stream = block(stream)
        torch.testing.assert_close(stream, want)


def test_residual_can_be_cut():
    model = random_model(residual=False, norm="none", n_layers=1)
    block, stream = model.blocks[0], model.embed(IDS)
    torch.testing.assert_close(block(stream), block.feed_forward(block.attention(stream)))


def test_tied_head_is_the_embedding_itself():
    model = random_model()
    final = model.final_norm(model.blocks[1](model.blocks[0](model.embed(IDS))))
    torch.testing.assert_close(model(IDS), final @ model.embedding.weight.T)
    untied = random_model(tie_weights=False)
    assert untied.n_parameters() == model.n_parameters() + 11 * 16
    assert "head.weight" in untied.state_dict() and "head.weight" not in model.state_dict()


def test_masked_ids_are_never_predicted_and_harm_no_gradient():
    model = random_model(masked_ids=(0, 3))
    logits = model(IDS)
    assert logits[..., [0, 3]].eq(-math.inf).all() and logits[..., 1:3].isfinite().all()
    targets = torch.full_like(IDS, 5)
    targets[0, 0] = -100
    F.cross_entropy(logits.flatten(0, 1), targets.flatten()).backward()
    assert all(p.grad.isfinite().all() for p in model.parameters())
    other = random_model()
    other.load_state_dict(model.state_dict())
    torch.testing.assert_close(other(IDS)[..., 1:3], logits[..., 1:3])


@pytest.mark.parametrize(
    ("vocab_size", "d_model", "n_heads", "n_layers"),
    [(28, 64, 4, 2), (577, 96, 6, 4), (1024, 128, 4, 4), (500, 64, 4, 24)],
)
def test_a_fresh_model_knows_nothing_and_is_not_sure_of_it(vocab_size, d_model, n_heads, n_layers):
    model = GPT(GPTConfig(vocab_size=vocab_size, d_model=d_model, n_heads=n_heads, n_layers=n_layers))
    ids = torch.randint(vocab_size, (4, 64))
    loss = F.cross_entropy(model(ids).flatten(0, 1), torch.randint(vocab_size, (256,)))
    assert abs(loss.item() - math.log(vocab_size)) < 0.1


def test_the_stream_does_not_grow_with_depth():
    def spread(n_layers):
        model = GPT(GPTConfig(vocab_size=64, d_model=64, n_heads=4, n_layers=n_layers))
        stream = model.embed(torch.randint(64, (4, 32)))
        for block in model.blocks:
            stream = block(stream)
        return stream.std().item()

    assert spread(48) < 1.5 * spread(2)


def test_counts_by_hand():
    # table + positions + block (norms, q k v o, two layers) + last norm
    v, c, d, f = 11, 12, 16, 64
    block = 2 * 2 * d + (3 * d * d + 3 * d) + (d * d + d) + (d * f + f) + (f * d + d)
    model = GPT(GPTConfig(**SMALL))
    assert model.n_parameters() == v * d + c * d + 2 * block + 2 * d
    assert model.n_parameters(embeddings=False) == 2 * block + 2 * d
    assert GPT(GPTConfig(**SMALL, positions="none")).n_parameters(embeddings=False) == 2 * block + 2 * d


def test_gpt2_small_on_the_meta_device_costs_no_memory():
    with torch.device("meta"):
        model = GPT(GPTConfig(vocab_size=50257, context=1024, d_model=768, n_heads=12, n_layers=12))
    assert model.n_parameters() == 124_439_808  # as published with the checkpoint


def test_flops_equal_torchs_counter():
    """torch counts the products with weights; its CPU attention kernel it cannot see, so we count that."""
    model = random_model(torch.float32)
    with FlopCounterMode(display=False) as forward:
        loss = model(IDS).sum()
    with FlopCounterMode(display=False) as backward:
        loss.backward()
    with FlopCounterMode(display=False) as mixing:
        for _ in model.blocks:
            attend(*torch.randn(3, 2, 4, 6, 4))
    ours = 12 * model.flops_per_token(6)
    assert forward.get_total_flops() + mixing.get_total_flops() == ours
    assert backward.get_total_flops() == 2 * forward.get_total_flops()
    assert model.flops_per_token(6, training=True) == 3 * model.flops_per_token(6)
    assert model.flops_per_token() == model.flops_per_token(12)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_runs_in_every_dtype(dtype):
    model = random_model(dtype, positions="sinusoidal", masked_ids=(0,))
    logits = model(IDS)
    assert logits.dtype == dtype
    exact = random_model(positions="sinusoidal", masked_ids=(0,))
    exact.load_state_dict(model.state_dict())
    worst = (logits.double() - exact(IDS))[..., 1:].abs().max()
    assert worst < (1e-10 if dtype == torch.float64 else rounding_gap(lambda: exact(IDS)[..., 1:], dtype))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_same_logits_on_a_gpu():
    model = random_model()
    here = model(IDS)
    torch.testing.assert_close(model.cuda()(IDS.cuda()).cpu(), here)


def test_dropout_only_in_training():
    model = random_model(dropout=0.5)
    assert model(IDS).equal(model(IDS))
    model.train()
    assert not model(IDS).equal(model(IDS))


def test_wrong_ids_are_refused_in_a_sentence():
    model = random_model()
    for ids, words in [
        (torch.zeros(1, 13, dtype=torch.long), "1 to 12 tokens and was given 13"),
        (torch.zeros(1, 0, dtype=torch.long), "was given 0"),
        (torch.tensor([[11]]), "Id 11 is outside"),
        (torch.tensor([[-1]]), "Id -1 is outside"),
    ]:
        with pytest.raises(InputError, match=words):
            model(ids)


def test_learns_in_a_few_steps():
    model = GPT(GPTConfig(**SMALL))
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(60):
        loss = F.cross_entropy(model(IDS[:, :-1]).flatten(0, 1), IDS[:, 1:].flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    assert loss < 0.05


def test_compiles_in_one_graph():
    # In a process of its own: the shape checks of the tests are no part of the graph.
    code = (
        "import torch; from support.model import GPT, GPTConfig\n"
        "m = GPT(GPTConfig(vocab_size=11, context=12)); ids = torch.arange(6)[None]\n"
        "c = torch.compile(m.double(), backend='eager', fullgraph=True)\n"
        "print((c(ids) - m(ids)).abs().max().item() < 1e-12)"
    )
    done = forked(code, imported=COMPILER)
    assert done.stdout.strip() == "True", done.stderr
