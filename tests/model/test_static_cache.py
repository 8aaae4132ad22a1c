"""The static cache: the same logits, by a step whose shapes and operations are the same at every position."""

import pytest
import torch
from helpers import said_by
from test_cache import FAMILY, in_chunks, random_model

from support.core import InputError


@pytest.mark.parametrize("name", FAMILY)
@pytest.mark.parametrize("sizes", [[1] * 16, [9] + [1] * 7, [3, 4, 1, 6, 2]], ids=str)
def test_static_logits_equal_uncached_ones(name, sizes):
    model, ids = random_model(**FAMILY[name]), torch.randint(1, 11, (2, 16))
    cached = in_chunks(model, ids, model.cache(batch=2, static=True), sizes)
    torch.testing.assert_close(cached, model(ids), atol=1e-10, rtol=0)


@pytest.mark.parametrize("name", ["GPT-2", "ALiBi", "Llama", "Mistral", "learned, window"])
def test_static_logits_of_padded_prompts(name):
    model, ids = random_model(**FAMILY[name]), torch.randint(1, 11, (3, 12))
    pad = torch.tensor([0, 4, 2])
    cached = in_chunks(model, ids, model.cache(batch=3, pad=pad, static=True), [7, 1, 1, 3])
    plain = model(ids, pad=pad)
    for row, n in enumerate(pad.tolist()):
        torch.testing.assert_close(cached[row, n:], plain[row, n:], atol=1e-10, rtol=0)


@pytest.mark.parametrize("positions", ["alibi", "none"])
def test_a_static_cache_rolls(positions):
    model = random_model(positions=positions, window=5)
    ids, sizes = torch.randint(1, 11, (2, 40)), [7, 9, *[1] * 24]
    plain = in_chunks(model, ids, model.cache(batch=2), sizes)
    static = in_chunks(model, ids, model.cache(batch=2, static=True), sizes)
    torch.testing.assert_close(static, plain, atol=1e-10, rtol=0)


def test_a_static_cache_with_rope_ends_with_its_table():
    model = random_model(**FAMILY["Mistral"])
    cache = model.cache(static=True)
    assert cache.limit == 24 and model.cache().limit is None
    model(torch.randint(1, 11, (1, 24)), cache)
    with pytest.raises(InputError, match="holds 24 tokens, 24 are in it"):
        model(torch.tensor([[1]]), cache)


# In a process of their own: the shape checks of the tests are no part of a graph.
BEGIN = """
import torch
from torch._dynamo.testing import CompileCounter
from torch.fx.experimental.proxy_tensor import make_fx
from support.model import GPT, GPTConfig

def one_graph(settings):
    torch.manual_seed(0)
    model = GPT(GPTConfig(vocab_size=11, context=24, d_model=16, n_heads=4, **settings)).double().eval()
    ids, cache, plain = torch.randint(1, 11, (2, 20)), model.cache(2, static=True), model.cache(2)
    tensors = [cache.next_place] + [t for layer in cache.layers for t in (layer.keys, layer.values)]

    def step(new, position, *kept):
        cache.next_place, flat = position, iter(kept)
        for layer in cache.layers:
            layer.keys, layer.values = next(flat), next(flat)
        return model(new, cache, last=True)

    with torch.no_grad():
        for c in (cache, plain):
            model(ids[:, :3], c)
        cache.check = lambda batch, n: None  # as in a compiled step
        copies = [t.clone() for t in tensors]
        graph = make_fx(step, tracing_mode="fake", _allow_non_fake_inputs=True)(ids[:, :1], *copies)
        news = ids[:, 3:].split(1, dim=1)
        apart = [(graph(new, *tensors) - model(new, plain)).abs().max() for new in news]
    print(len(apart), max(apart).item() < 1e-10)
"""
ONE_GRAPH = ("GPT-2", "ALiBi", "Llama", "Mistral", "learned, window")
COMPILES_ONCE = """
model = GPT(GPTConfig(vocab_size=11, context=24, positions="rope", n_kv_heads=2)).eval()
counter = CompileCounter()
ids, cache = torch.randint(1, 11, (1, 20)), model.cache(static=True)
step = torch.compile(lambda new: model(new, cache, last=True), backend=counter, fullgraph=True)
with torch.no_grad():
    model(ids[:, :4], cache)
    logits = torch.cat([step(ids[:, i : i + 1]) for i in range(4, 20)], dim=1)
    print(counter.frame_count, (logits - model(ids)[:, 4:]).abs().max().item() < 1e-5)
"""
FEELS_CHANGES = """
torch._dynamo.reset()
torch._dynamo.config.skip_nnmodule_hook_guards = False
model = GPT(GPTConfig(vocab_size=11, context=24, d_model=16, n_heads=4)).double().eval()
step, ids = torch.compile(model, backend="eager", fullgraph=True), torch.randint(1, 11, (1, 8))
linear = model.blocks[0].attention.qkv

def replace():
    network = model.blocks[0].feed_forward
    network.down = torch.nn.Sequential(network.down, torch.nn.Tanh())

def patch(plain=linear.forward):
    linear.forward = lambda x: 2 * plain(x)

def hook():
    linear.register_forward_hook(lambda _module, _args, out: out + 0.3)

with torch.no_grad():
    for change in (lambda: None, replace, patch, hook):
        before = model(ids)[:, 4:]
        change()
        cache = model.cache(static=True)
        model(ids[:, :4], cache)
        logits = torch.cat([step(ids[:, i : i + 1], cache) for i in range(4, 8)], dim=1)
        right = (logits - model(ids)[:, 4:]).abs().max().item() < 1e-10
        print(right, (logits - before).abs().max().item() > 1e-4)
"""


@pytest.fixture(scope="module")
def said():
    parts = {name: f"one_graph({FAMILY[name]!r})" for name in ONE_GRAPH}
    return said_by(BEGIN, parts | {"compiles once": COMPILES_ONCE, "feels changes": FEELS_CHANGES})


@pytest.mark.parametrize("name", ONE_GRAPH)
def test_a_step_is_one_graph_that_serves_every_position(said, name):
    """Traced at one position without a look at any number, the graph gives the logits at every other.

    So it needs nothing from the host: the condition for capturing it as a CUDA graph.
    """
    assert said[name] == ["17", "True"]


def test_a_step_compiles_once(said):
    assert said["compiles once"] == ["1", "True"]


def test_a_compiled_step_feels_what_is_changed_afterwards(said):
    """A module replaced, patched or hooked after compilation; hooks, if torch is told to look at them."""
    assert said["feels changes"] == ["True", "False"] + 3 * ["True", "True"]
