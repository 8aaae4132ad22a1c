"""A replaced, subclassed, wrapped, hooked or patched module counts in every way in which a model is run."""

import copy

import pytest
import torch
from helpers import shaken
from torch import nn

from support.generation import generate, generate_many, stream
from support.inside import ablate
from support.model import GPT, EncoderDecoder, GPTConfig

SMALL = {"vocab_size": 11, "context": 16, "d_model": 16, "n_heads": 4, "n_layers": 2}
FAMILY = {
    "GPT-2": {},
    "Llama": {"positions": "rope", "norm": "rms", "activation": "swiglu", "n_kv_heads": 2}
    | {"tie_weights": False, "qk_norm": True},
    "Mixtral": {"positions": "rope", "n_experts": 3, "experts_per_token": 2, "n_layers": 1},
    "the 2017 decoder": {"positions": "sinusoidal", "norm_first": False, "n_layers": 1},
}
PROMPT = [1, 5, 3, 9]


class LowRank(nn.Linear):
    """A linear layer that adds a low-rank update, as LoRA's does."""

    def forward(self, x):
        up = torch.linspace(-1, 1, self.out_features, dtype=x.dtype)[None]
        return super().forward(x) + 0.3 * x[..., :1] @ up


class Wrapped(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x) * 1.3 + 0.2


def subclassed(model, name):
    linear = model.get_submodule(name)
    other = LowRank(linear.in_features, linear.out_features, linear.bias is not None).double()
    other.load_state_dict(linear.state_dict())
    model.set_submodule(name, other)


def wrapped(model, name):
    model.set_submodule(name, Wrapped(model.get_submodule(name)))


def hooked(model, name):
    model.get_submodule(name).register_forward_hook(lambda _module, _args, out: out * 1.3 + 0.2)


def watched_before(model, name):
    model.get_submodule(name).register_forward_pre_hook(lambda _module, args: (args[0] * 1.3 + 0.2,))


def monkeypatched(model, name):
    module = model.get_submodule(name)
    plain = module.forward
    module.forward = lambda x: plain(x) * 1.3 + 0.2


def random_model(**changes):
    return shaken(GPT(GPTConfig(**(SMALL | changes)))).double().eval()


def names_of(model, kinds):
    return [name for name, m in model.named_modules() if isinstance(m, kinds)]


@torch.no_grad()
def check(model, unchanged):
    """Cached logits equal uncached ones, and so do the texts; the change is felt."""
    ids = torch.tensor([[*PROMPT, 2, 2, 7, 4]])
    cache = model.cache(length=8)
    cached = torch.cat([model(part, cache) for part in ids.split([4, 1, 1, 2], dim=1)], dim=1)
    torch.testing.assert_close(cached, model(ids), atol=1e-10, rtol=0)
    assert (cached - unchanged(ids)).abs().max() > 1e-4
    text = generate(model, PROMPT, 4, greedy=True)
    assert text == generate(model, PROMPT, 4, greedy=True, cache=False)
    assert text == generate_many(model, [[1], PROMPT], 4, greedy=True)[1]


@pytest.mark.parametrize("change", [subclassed, wrapped, hooked, watched_before, monkeypatched])
@pytest.mark.parametrize("family", FAMILY)
def test_every_linear_in_turn(family, change):
    model = random_model(**FAMILY[family])
    for name in names_of(model, nn.Linear):
        if change is not watched_before or not name.endswith("router"):  # a router's ties may not feel it
            changed = copy.deepcopy(model)
            change(changed, name)
            check(changed, model)


@pytest.mark.parametrize("change", [wrapped, hooked, monkeypatched])
@pytest.mark.parametrize("family", ["GPT-2", "Llama", "the 2017 decoder"])
def test_every_norm_embedding_and_dropout_in_turn(family, change):
    model = random_model(**FAMILY[family], dropout=0.1)
    for name in names_of(model, (nn.LayerNorm, nn.RMSNorm, nn.Embedding, nn.Dropout)):
        if not (
            change is wrapped and name == "embedding" and model.head is None
        ):  # whose rows are the head's
            changed = copy.deepcopy(model)
            change(changed, name)
            check(changed, model)


@pytest.mark.parametrize("change", [wrapped, hooked, monkeypatched])
def test_every_sublayer_and_block_in_turn(change):
    model = random_model()
    for name in [n for n, _ in model.named_modules() if n.endswith(("feed_forward", "position"))]:
        changed = copy.deepcopy(model)
        change(changed, name)
        check(changed, model)


def test_another_activation():
    model = random_model()
    changed = copy.deepcopy(model)
    changed.blocks[1].feed_forward.activation = torch.tanh
    check(changed, model)


def test_a_subclass_of_the_model():
    class Doubled(GPT):
        def unembed(self, stream):
            return 2 * super().unembed(stream)

    model = random_model()
    changed = Doubled(model.config).double().eval()
    changed.load_state_dict(model.state_dict())
    check(changed, model)


def test_a_linear_of_an_encoder_decoder():
    model = shaken(EncoderDecoder(GPTConfig(**SMALL))).double().eval()
    source = torch.tensor([[5, 6, 7, 8]])
    plain = model.conditioned_on(source)
    for name in names_of(model.decoder, nn.Linear):
        changed = copy.deepcopy(model)
        wrapped(changed.decoder, name)
        check(changed.conditioned_on(source), plain)


@pytest.mark.filterwarnings("ignore")  # torch moves this elsewhere
def test_a_dynamically_quantised_model():
    model = shaken(GPT(GPTConfig(**SMALL))).eval()
    try:
        changed = torch.ao.quantization.quantize_dynamic(model, {nn.Linear})
    except (AttributeError, RuntimeError) as reason:
        pytest.skip(f"torch's dynamic quantisation is not to be had here: {reason}")
    text = generate(changed, PROMPT, 8, greedy=True)
    assert text == generate(changed, PROMPT, 8, greedy=True, cache=False)


def test_an_ablated_head_is_ablated_in_generation_too():
    model = random_model()
    whole = generate(model, PROMPT, 12, greedy=True)
    with ablate(model, attention=[0, 1]):
        without = generate(model, PROMPT, 12, greedy=True)
        assert without == generate(model, PROMPT, 12, greedy=True, cache=False)
    assert without != whole == generate(model, PROMPT, 12, greedy=True)


def test_a_hook_registered_between_two_steps_counts_from_then_on():
    model = random_model()
    words = stream(model, PROMPT, 8, greedy=True)
    first = [next(words) for _ in range(3)]
    handle = model.head or model.final_norm
    handle = handle.register_forward_hook(lambda _module, _args, out: -out)
    rest = [next(words) for _ in range(2)]
    handle.remove()
    assert rest[0] != generate(model, PROMPT + first, 1, greedy=True)[-1]
