"""The cache changes the cost and nothing else: equal logits at every step, for the whole family."""

import pytest
import torch
from helpers import shaken

from support.core import InputError
from support.model import GPT, GPTConfig, KVCache, cache_bytes

SMALL = {"vocab_size": 11, "context": 24, "d_model": 16, "n_heads": 4, "n_layers": 3}
FAMILY = {
    "GPT-2": {},
    "the 2017 decoder": {"positions": "sinusoidal", "norm_first": False, "activation": "relu"},
    "no positions": {"positions": "none"},
    "ALiBi": {"positions": "alibi"},
    "ALiBi, window": {"positions": "alibi", "window": 5},
    "Llama": {"positions": "rope", "norm": "rms", "activation": "swiglu", "n_kv_heads": 2},
    "one KV head": {"positions": "rope", "n_kv_heads": 1, "qk_norm": True},
    "Mistral": {"positions": "rope", "norm": "rms", "window": 5, "n_kv_heads": 2},
    "learned, window": {"window": 5},
    "Mixtral": {"positions": "rope", "n_experts": 4, "experts_per_token": 2, "n_kv_heads": 1},
    "capped": {"logit_softcap": 3.0, "masked_ids": (0,), "d_head": 6},
}


def random_model(**changes):
    return shaken(GPT(GPTConfig(**(SMALL | changes)))).double().eval()


def in_chunks(model, ids, cache, sizes):
    return torch.cat([model(part, cache) for part in ids.split(sizes, dim=1)], dim=1)


@pytest.mark.parametrize("name", FAMILY)
@pytest.mark.parametrize("sizes", [[1] * 16, [16], [9] + [1] * 7, [3, 4, 1, 6, 2]], ids=str)
def test_cached_logits_equal_uncached_ones(name, sizes):
    model, ids = random_model(**FAMILY[name]), torch.randint(1, 11, (2, 16))
    cached = in_chunks(model, ids, model.cache(batch=2), sizes)
    torch.testing.assert_close(cached, model(ids), atol=1e-10, rtol=0)


@pytest.mark.parametrize("name", FAMILY)
@pytest.mark.parametrize("sizes", [[1] * 12, [12], [7, 1, 1, 3]], ids=str)
def test_prompts_of_different_length_share_a_batch(name, sizes):
    model, ids = random_model(**FAMILY[name]), torch.randint(1, 11, (3, 12))
    pad = torch.tensor([0, 4, 2])
    together = in_chunks(model, ids, model.cache(batch=3, pad=pad), sizes)
    plain = model(ids, pad=pad)
    for row, n in enumerate(pad.tolist()):
        alone = model(ids[row : row + 1, n:])[0]
        torch.testing.assert_close(together[row, n:], alone, atol=1e-10, rtol=0)
        torch.testing.assert_close(plain[row, n:], alone, atol=1e-10, rtol=0)
    assert not together.isnan().any()


@pytest.mark.parametrize("name", ["GPT-2", "Llama", "Mistral"])
def test_in_bfloat16_within_its_digits(name):
    model, ids = random_model(**FAMILY[name]).bfloat16(), torch.randint(1, 11, (2, 16))
    cached = in_chunks(model, ids, model.cache(batch=2), [6] + [1] * 10)
    assert cached.dtype == torch.bfloat16
    scale = model(ids).abs().max()
    assert (cached - model(ids)).abs().max() < 0.05 * scale  # about twelve times bfloat16's last digit


@pytest.mark.parametrize(
    "sizes", [[1] * 60, [30, *[1] * 30], [7, 20, 1, 20, 12]], ids=["1", "30+1", "chunks"]
)
@pytest.mark.parametrize("positions", ["rope", "alibi", "none"])
def test_a_window_rolls_past_the_context(positions, sizes):
    shape = {"positions": positions, "window": 5, "n_kv_heads": 2}
    model = random_model(**shape)
    longer = random_model(**shape, context=60)
    longer.load_state_dict(model.state_dict())
    ids = torch.randint(1, 11, (2, 60))
    cache = model.cache(batch=2)
    sizes = [n for size in sizes for n in ([size] if size <= 24 else [24, size - 24])]
    torch.testing.assert_close(in_chunks(model, ids, cache, sizes), longer(ids), atol=1e-10, rtol=0)
    assert cache.slots == 5 and cache.limit is None


@pytest.mark.parametrize("name", FAMILY)
def test_the_formula_counts_the_bytes_that_are_there(name):
    model = random_model(**FAMILY[name])
    cache = model.cache(batch=3, length=10)
    assert cache.nbytes == sum(t.untyped_storage().nbytes() for c in cache.layers for t in (c.keys, c.values))
    assert cache.nbytes == cache_bytes(model.config, batch=3, length=10, bytes_per_number=8)
    assert sum(t.numel() for c in cache.layers for t in (c.keys, c.values)) * 8 == cache.nbytes


def test_published_caches():
    """Llama 2 70B: 8 KV heads × 128 × 80 layers × 2 × 2 bytes = 320 KiB a token."""
    shape = {"vocab_size": 32000, "context": 4096, "d_model": 8192, "n_heads": 64, "n_layers": 80}
    grouped = cache_bytes(GPTConfig(**shape, n_kv_heads=8), length=1, bytes_per_number=2)
    assert grouped == 327_680
    assert cache_bytes(GPTConfig(**shape), length=1, bytes_per_number=2) == 8 * grouped


def test_last_gives_the_last_logits_alone():
    model, ids = random_model(), torch.randint(1, 11, (2, 7))
    torch.testing.assert_close(model(ids, last=True), model(ids)[:, -1:])


def test_refused_in_a_sentence():
    model = random_model()
    cache = model.cache(length=4)
    model(torch.tensor([[1, 2, 3]]), cache)
    with pytest.raises(InputError, match="holds 4 tokens, 3 are in it and 2 more do not fit"):
        model(torch.tensor([[1, 2]]), cache)
    assert model(torch.tensor([[1]]), cache).shape == (1, 1, 11)  # nothing was lost
    with pytest.raises(InputError, match="has read 4 tokens cannot go back to 5"):
        cache.forget(5)
    with pytest.raises(InputError, match="made for 1 texts and was given 2"):
        model(torch.tensor([[1], [2]]), model.cache())
    with pytest.raises(InputError, match="length=25 does not fit"):
        model.cache(length=25)
    with pytest.raises(InputError, match="looks ahead"):
        KVCache(GPTConfig(vocab_size=5, causal=False))
    with pytest.raises(InputError, match="pad has 2 numbers for batch=3"):
        model.cache(batch=3, pad=torch.tensor([0, 1]))
