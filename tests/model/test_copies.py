"""Copies, moves and narrow arithmetic: what a model carries along when it is copied, moved or cast."""

import copy
import io
import weakref

import pytest
import torch
from helpers import shaken
from torch.nn import functional as F

from support.inside.attention_free import AttentionFreeBaseline
from support.inside.hooks import hooked
from support.inside.trace import ablate
from support.model import GPT, EncoderDecoder, Experts, GPTConfig

SMALL = {"vocab_size": 11, "context": 12, "d_model": 16, "n_heads": 4, "n_layers": 2}
MIXTURE = {"n_experts": 3, "experts_per_token": 2}
IDS = torch.tensor([[1, 5, 3, 7, 2, 9], [4, 4, 1, 10, 8, 6]])


def test_a_mixture_of_experts_is_copied_and_saved_after_a_training_pass():
    model = GPT(GPTConfig(**SMALL, **MIXTURE))
    (F.cross_entropy(model(IDS).flatten(0, 1), IDS.flatten()) + model.extra_loss()).backward()
    other = copy.deepcopy(model)
    torch.testing.assert_close(other(IDS), model(IDS))
    routing = copy.deepcopy(model).blocks[0].feed_forward.routing
    assert not routing.probabilities.requires_grad
    assert routing.chosen.equal(model.blocks[0].feed_forward.routing.chosen)
    torch.save(model, io.BytesIO())


def test_a_mixture_of_experts_under_bfloat16_autocast():
    layer, x = Experts(GPTConfig(**SMALL, **MIXTURE)), torch.randn(2, 5, 16)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        narrow = layer(x)
    narrow.float().sum().backward()
    assert (narrow - layer(x)).abs().max() < 0.1 * layer(x).abs().max()


def test_a_bound_source_follows_to_another_precision():
    model = shaken(EncoderDecoder(GPTConfig(**SMALL))).eval()
    source = torch.tensor([[5, 6, 7, 8]])
    bound = model.conditioned_on(source).double()
    assert bound.memory.dtype == torch.float64 and not bound.state_dict().keys() & {"memory", "present"}
    wide = copy.deepcopy(model).double().conditioned_on(source)
    torch.testing.assert_close(bound(IDS), wide(IDS), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("positions", ["rope", "sinusoidal"])
def test_position_tables_are_exact_in_every_precision(positions):
    """Cast to float64, a model has the table that one made in float64 has; in bfloat16, that of float32."""
    model = GPT(GPTConfig(**SMALL, positions=positions))
    table = model.rotary or model.position
    exact = table.rows(12)
    assert exact.dtype == torch.float64 and table.weight.equal(exact.float())
    model.bfloat16()
    assert table.weight.equal(exact.float()) and model(IDS).dtype == torch.bfloat16
    model.double()
    assert table.weight.equal(exact)
    assert not any("rotary" in name or name == "position.weight" for name in model.state_dict())


def test_a_model_from_the_meta_device_has_its_tables():
    config = GPTConfig(**SMALL, positions="rope")
    model = GPT(config).double()
    with torch.device("meta"):
        other = GPT(config)
    other.load_state_dict(model.state_dict(), assign=True)
    torch.testing.assert_close(other(IDS), model(IDS), atol=0, rtol=0)


@pytest.mark.parametrize("residual", [True, False])
@pytest.mark.parametrize("norm_first", [True, False])
def test_the_attention_free_baseline_is_the_ablated_model(norm_first, residual):
    norm = "layer" if residual else "none"
    config = GPTConfig(**SMALL, norm_first=norm_first, residual=residual, norm=norm)
    model = shaken(GPT(config)).double().eval()
    with ablate(model, attention=[0, 1]):
        want = model(IDS)
    torch.testing.assert_close(AttentionFreeBaseline(model)(IDS), want, atol=1e-12, rtol=0)


def test_hooks_on_the_stream_keep_one_pass_only():
    """What the hook between two sublayers holds must not grow with every pass."""
    model, inputs = GPT(GPTConfig(**SMALL)).eval(), []
    model.blocks[0].register_forward_pre_hook(lambda _module, args: inputs.append(weakref.ref(args[0])))
    with hooked(model, {"residual.1": lambda stream: stream}), torch.no_grad():
        for _ in range(5):
            model(IDS)
        assert len(inputs) == 5 and sum(ref() is not None for ref in inputs) <= 1
