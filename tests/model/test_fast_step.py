"""The fast step and the model give the same logits and leave the same cache, for all that it covers."""

import pytest
import torch
from test_cache import FAMILY, random_model

from support.core import InputError
from support.generation import generate
from support.inside import ablate
from support.model import FastStep, GPTConfig, can_step_fast

MORE = {
    "cut residual": {"residual": False, "norm": "none"},
    "untied, biased gate": {"tie_weights": False, "activation": "swiglu", "norm": "rms"},
    "scaled": {"attention_scale": 1.0, "attention_bias": False, "qkv_bias": True, "ffn_bias": False},
    "stretched": {"positions": "rope", "rope_scaling": {"type": "linear", "factor": 2.0}, "qk_norm": True},
}
NOT_COVERED = {"ALiBi", "ALiBi, window", "Mistral", "learned, window", "Mixtral"}


@pytest.mark.parametrize("name", [n for n in [*FAMILY, *MORE] if n not in NOT_COVERED])
def test_same_logits_and_same_cache(name):
    model, ids = random_model(**(FAMILY | MORE)[name]), torch.randint(1, 11, (3, 14))
    plain, fast = model.cache(batch=3), model.cache(batch=3)
    assert can_step_fast(model, fast)
    for cache in (plain, fast):
        model(ids[:, :5], cache)
    step = FastStep(model, fast)
    with torch.inference_mode():
        for t in range(5, 14):
            want = model(ids[:, t : t + 1], plain)[:, -1]
            torch.testing.assert_close(step(ids[:, t]), want, atol=1e-10, rtol=0)
    assert fast.start == plain.start == 14
    torch.testing.assert_close(fast.store, plain.store, atol=1e-10, rtol=0)


@pytest.mark.parametrize("name", sorted(NOT_COVERED))
def test_what_it_does_not_cover_is_left_to_the_model(name):
    model = random_model(**FAMILY[name])
    assert not can_step_fast(model, model.cache())
    assert len(generate(model, [1, 2], 5, seed=0)) == 7


def test_filled_up_prompts_and_training_are_left_to_the_model():
    model = random_model()
    assert not can_step_fast(model, model.cache(batch=2, pad=torch.tensor([0, 1])))
    assert not can_step_fast(model, None)
    assert not can_step_fast(model.train(), model.cache())


def test_a_cut_head_is_cut_in_writing_too():
    model = random_model()
    whole = generate(model, [1, 2, 3], 12, greedy=True)
    with ablate(model, attention=[0, 1, 2]):
        cut = generate(model, [1, 2, 3], 12, greedy=True)
        assert cut == generate(model, [1, 2, 3], 12, greedy=True, cache=False)
    assert cut != whole == generate(model, [1, 2, 3], 12, greedy=True)


def test_a_hook_set_between_two_steps_is_seen():
    model = random_model()
    step = FastStep(model, model.cache())
    assert not step.is_watched
    with ablate(model, heads=[(0, 0)]):
        assert step.is_watched
    assert not step.is_watched


def test_a_full_cache_is_refused():
    model = random_model()
    step = FastStep(model, model.cache(length=1))
    with torch.inference_mode():
        step(torch.tensor([3]))
        with pytest.raises(InputError, match="holds 1 tokens, 1 are in it"):
            step(torch.tensor([3]))


def test_the_lists_name_what_there_is():
    assert set(NOT_COVERED) <= set(FAMILY)
    for changes in MORE.values():
        GPTConfig(vocab_size=5, **changes)
