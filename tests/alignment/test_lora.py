"""LoRA against hand computation, exact arithmetic, and the singular value decomposition."""

import copy

import pytest
import torch
from adapted_models import GPT2, IDS, LLAMA, adapted, model_of

from support.alignment import (
    TARGETS,
    LowRankUpdate,
    adapter_names,
    add_lora,
    lora_layers,
    lora_parameters,
    lora_size,
    merge_lora,
    use_adapters,
    without_adapters,
)
from support.core import InputError
from support.generation import generate
from support.inside import hooked
from support.model import GPTConfig
from support.training import SequenceBatches, TrainConfig, train


def test_by_hand():
    """W + (α/r) B A on a 2 × 3 matrix with r = 1, digit by digit; the first step moves B alone."""
    update = LowRankUpdate(3, 2, rank=1, alpha=2.0)
    x = torch.tensor([[1.0, 2.0, 3.0]])
    with torch.no_grad():
        update.A.copy_(torch.tensor([[1.0, 0.0, -1.0]]))
    assert update(x).tolist() == [[0.0, 0.0]]
    update(x).sum().backward()
    assert update.A.grad.tolist() == [[0.0, 0.0, 0.0]] and update.B.grad.tolist() == [[-4.0], [-4.0]]
    with torch.no_grad():
        update.B.copy_(torch.tensor([[0.5], [-1.0]]))
    assert update.delta().tolist() == [[1.0, 0.0, -1.0], [-2.0, 0.0, 2.0]]
    assert update(x).tolist() == (x @ update.delta().T).tolist() == [[-2.0, 4.0]]


@pytest.mark.parametrize("config", [GPT2, LLAMA], ids=["gpt2", "llama"])
def test_a_fresh_adapter_changes_nothing_and_a_merged_one_nothing_more(config):
    base = model_of(config)
    expected = base(IDS)
    model = add_lora(copy.deepcopy(base), rank=2)
    assert torch.equal(model(IDS), expected)
    model = adapted(config)
    moved = model(IDS)
    assert (moved - expected).abs().max() > 0.01
    with without_adapters(model):
        assert torch.equal(model(IDS), expected)
    merged = merge_lora(copy.deepcopy(model))
    assert torch.allclose(merged(IDS), moved, atol=1e-12)
    assert adapter_names(merged) == [] and merged.state_dict().keys() == base.state_dict().keys()


def test_merging_is_exact_to_the_last_bit_where_the_arithmetic_is():
    """Small whole numbers are multiplied and added without rounding, so nothing may differ at all."""
    layer = lora_layers(adapted(GPT2))["blocks.0.attention.qkv"]
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(torch.randint(-8, 8, parameter.shape))
    x = torch.randint(-8, 8, (5, 16)).double()
    assert torch.equal(layer(x), layer.merged()(x))


def test_each_projection_changes_its_own_rows_only():
    for target in TARGETS:
        model = adapted(LLAMA, targets=[target])
        changed = {}
        base = model_of(LLAMA).state_dict()
        for name, weight in merge_lora(model).state_dict().items():
            rows = (weight != base[name]).flatten(1).any(1).nonzero() if weight.ndim > 1 else []
            if len(rows):
                changed[name.removeprefix("blocks.")] = (int(rows[0]), int(rows[-1]) + 1)
        expected = {
            "q": ("attention.qkv", 0, 16),
            "k": ("attention.qkv", 16, 24),
            "v": ("attention.qkv", 24, 32),
            "o": ("attention.output", 0, 16),
            "gate": ("feed_forward.gate", 0, LLAMA.d_ff),
            "up": ("feed_forward.up", 0, LLAMA.d_ff),
            "down": ("feed_forward.down", 0, 16),
        }[target]
        place, first, last = expected
        assert changed == {f"{layer}.{place}.weight": (first, last) for layer in (0, 1)}


def test_counts():
    """Llama 7B with rank 8: 32 · 8 · (4 · 8,192 + 3 · 15,104), as on paper; and what the layers hold."""
    llama = GPTConfig(
        vocab_size=32000,
        context=16,
        d_model=4096,
        n_heads=32,
        n_layers=32,
        norm="rms",
        activation="swiglu",
        positions="rope",
        attention_bias=False,
        ffn_bias=False,
        tie_weights=False,
    )
    assert lora_size(llama, 8) == 32 * 8 * (4 * 8192 + 3 * 15104) == 19_988_480
    assert lora_size(llama, 8, ["q", "v"]) == 4_194_304
    for config in (GPT2, LLAMA):
        model = add_lora(model_of(config), rank=3)
        trained = [p for p in model.parameters() if p.requires_grad]
        assert sum(p.numel() for p in trained) == lora_size(config, 3)
        assert {id(p) for p in trained} == {id(p) for p in lora_parameters(model)}


def test_full_rank_reaches_every_matrix():
    """With r = min(d_in, d_out), any change of a matrix is some B A: take them from its SVD."""
    torch.manual_seed(1)
    wanted = torch.randn(6, 4, dtype=torch.float64)
    update = LowRankUpdate(4, 6, rank=4, alpha=4.0).double()
    u, s, v = torch.linalg.svd(wanted, full_matrices=False)
    with torch.no_grad():
        update.A.copy_(v)
        update.B.copy_(u * s)
    assert torch.allclose(update.delta(), wanted, atol=1e-12)
    with torch.no_grad():  # and rank 2 gets as near as Eckart and Young say
        update.B[:, 2:] = 0
    assert torch.allclose((update.delta() - wanted).square().sum(), s[2:].square().sum())


def test_several_adapters_on_one_model_do_not_meet():
    model = adapted(LLAMA, name="colours")
    colours = model(IDS)
    add_lora(model, rank=1, name="places", seed=1)
    with torch.no_grad():
        for parameter in lora_parameters(model, "places"):
            parameter.add_(0.3)
    places = model(IDS)
    use_adapters(model, "colours")
    assert torch.equal(model(IDS), colours) and not torch.equal(places, colours)
    assert all(not p.requires_grad for p in lora_parameters(model, "places"))
    use_adapters(model, "colours", "places")
    both = merge_lora(copy.deepcopy(model))(IDS)
    assert torch.allclose(model(IDS), both, atol=1e-12) and not torch.equal(both, colours)
    use_adapters(model)
    assert torch.equal(model(IDS), model_of(LLAMA)(IDS))


def test_training_moves_the_adapter_and_nothing_else():
    model = add_lora(model_of(GPT2), rank=2)
    before = {name: weight.clone() for name, weight in model.state_dict().items()}
    history = train(model, SequenceBatches([[1, 4, 5, 6, 2]], 1), TrainConfig(40, lr=0.03, progress=False))
    assert history.losses[-1] < history.losses[0] - 0.1
    moved = {name for name, weight in model.state_dict().items() if not torch.equal(weight, before[name])}
    assert moved == {name for name in before if ".updates." in name}


def test_an_adapted_model_generates_with_its_cache():
    model = adapted(LLAMA)
    assert generate(model, [1, 4], 6, greedy=True) == generate(model, [1, 4], 6, greedy=True, cache=False)


def test_the_random_state_is_left_as_it_was():
    model = model_of(GPT2)
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    add_lora(model, rank=1)
    assert torch.equal(torch.rand(1), expected)


@pytest.mark.parametrize(
    "how, sentence",
    [
        ({"rank": 0}, "rank=0"),
        ({"rank": 1, "dropout": 1.0}, "dropout=1.0 must be less than 1"),
        ({"rank": 1, "targets": ["query"]}, "must be some of q, k"),
        ({"rank": 1, "targets": ["gate"]}, "none of the projections"),
        ({"rank": 1, "name": "two words"}, "must be a word"),
        *[({"rank": 1, "name": name}, "must be a word") for name in ("train", "half", "keys", "training")],
    ],
)
def test_what_cannot_be_adapted(how, sentence):
    model = model_of(GPT2)
    with pytest.raises(InputError, match=sentence):
        add_lora(model, **how)
    assert adapter_names(model) == [] and all(p.requires_grad for p in model.parameters())


def test_dropout_is_on_the_path_of_the_update_and_in_training_only():
    model = adapted(GPT2, dropout=0.5)
    assert torch.equal(model(IDS), adapted(GPT2)(IDS))
    layer, x = lora_layers(model.train())["blocks.0.attention.output"], torch.randn(5, 16).double()
    with without_adapters(model):
        plain = layer(x)
    with torch.no_grad():
        drawn = torch.stack([layer(x) - plain for _ in range(4000)])
        expected = layer.updates["default"]["o"](x)
    assert torch.allclose(drawn.mean(0), expected, atol=6 * drawn.std(0).max().item() / 4000**0.5)
    assert drawn.std(0).min() > 0.01


def test_hooks_stay_where_they_are_and_their_handles_remove_them():
    model, calls = model_of(GPT2), []
    handle = model.blocks[0].attention.qkv.register_forward_hook(lambda *_: calls.append(1))
    with hooked(model, {"blocks.0.feed_forward.activations": torch.zeros(())}):
        expected = model(IDS)
        add_lora(model, rank=2)
        assert torch.equal(model(IDS), expected)
        merge_lora(model)
        assert torch.equal(model(IDS), expected)
    assert len(calls) == 3
    handle.remove()
    assert torch.equal(model(IDS), model_of(GPT2)(IDS)) and len(calls) == 3


def test_names_are_checked():
    model = adapted(GPT2)
    with pytest.raises(InputError, match="no adapter 'x'; there are default"):
        use_adapters(model, "x")
    with pytest.raises(InputError, match="no other adapter"):
        add_lora(model, rank=1)
    with pytest.raises(InputError, match="there are none"):
        lora_parameters(model_of(GPT2), "x")
