import collections

import pytest
import torch
from torch import nn

from support.core import InputError, seed_everything
from support.generation import generate, next_token, stream
from support.model import GPT, GPTConfig


@pytest.fixture(scope="module")
def model():
    seed_everything(0, threads=1)
    return GPT(GPTConfig(vocab_size=12, context=8, d_model=16, n_heads=2, init_std=0.5)).double().eval()


def test_greedy_is_transformers_greedy():
    import transformers

    from support.exchange import from_huggingface

    transformers.set_seed(0)
    config = transformers.GPT2Config(
        vocab_size=20,
        n_positions=32,
        n_embd=16,
        n_layer=2,
        n_head=2,
        bos_token_id=0,
        eos_token_id=None,
        pad_token_id=0,
        initializer_range=0.4,
    )
    theirs = transformers.GPT2LMHeadModel(config).eval()
    prompt = torch.tensor([[3, 7]])
    expected = theirs.generate(
        prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=12, do_sample=False
    )
    assert generate(from_huggingface(theirs), [3, 7], 12, greedy=True) == expected[0].tolist()


@torch.no_grad()
def test_sampled_frequencies_are_the_distribution(model):
    p = next_token(model(torch.tensor([[1, 4]]))[0, -1], temperature=1.5, top_k=6)
    drawn = collections.Counter(
        generate(model, [1, 4], 1, temperature=1.5, top_k=6, seed=s)[-1] for s in range(1500)
    )
    shares = torch.tensor([drawn[i] / 1500 for i in range(12)], dtype=torch.float64)
    assert float((shares - p).abs().max()) < 4 * (0.25 / 1500) ** 0.5
    assert bool((shares[p == 0] == 0).all())


def test_a_seed_writes_the_same_text_and_another_another(model):
    texts = [tuple(generate(model, [1], 20, temperature=2, seed=s)) for s in (0, 0, 1, 2)]
    assert texts[0] == texts[1] and len(set(texts)) == 3
    torch.manual_seed(4)
    first = generate(model, [1], 20, temperature=2)
    assert first != generate(model, [1], 20, temperature=2)  # torch's own generator moves on


def test_stopping_and_the_window(model):
    text = generate(model, [1], 60, temperature=3, seed=0, stop=[5])
    assert text[-1] == 5 and text.count(5) == 1
    assert len(generate(model, list(range(12)), 5, seed=0)) == 17  # longer than the context of 8
    late = generate(model, [9] * 10 + [1, 2, 3, 4, 5, 6, 7, 8], 1, greedy=True)[-1]
    assert late == generate(model, [1, 2, 3, 4, 5, 6, 7, 8], 1, greedy=True)[-1]


def test_the_stream_is_lazy_and_equal(model):
    passes = 0

    class Counted(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner, self.config = model, model.config

        def forward(self, ids):
            nonlocal passes
            passes += 1
            return self.inner(ids)

    words = stream(Counted(), [1], 10, seed=6)
    assert passes == 0
    first = next(words)
    assert passes == 1
    assert [1, first, *words] == generate(model, [1], 10, seed=6)


def test_the_prompt_and_the_mode_are_left_alone(model):
    prompt, dropping = [1, 2], GPT(GPTConfig(vocab_size=12, d_model=16, n_heads=2, dropout=0.5)).train()
    texts = [generate(dropping, prompt, 9, greedy=True) for _ in range(2)]
    assert texts[0] == texts[1] and dropping.training and prompt == [1, 2]
    assert generate(model, torch.tensor(prompt), 3, seed=0) == generate(model, prompt, 3, seed=0)
    assert generate(model, prompt, 0) == prompt


@pytest.mark.parametrize(
    ("sampling", "say"),
    [
        (dict(ids=[]), "nothing to continue"),
        (dict(max_new_tokens=-1), "max_new_tokens=-1 must be greater than or equal to 0"),
        (dict(greedy=True, top_k=3), "leave temperature"),
        (dict(temperature=0.0), "greedy=True"),
        (dict(top_p=2.0), "is no probability"),
        (dict(seed=2**70), "seed=.* must be less than"),
    ],
)
def test_wrong_arguments_are_refused_before_anything_is_written(model, sampling, say):
    with pytest.raises(InputError, match=say):
        stream(model, **{"ids": [1], "max_new_tokens": 3, **sampling})


class Successor(torch.nn.Module):
    """Has no parameter: after ``n`` comes ``n + 1``."""

    def forward(self, ids):
        return torch.nn.functional.one_hot((ids + 1) % 7, 7).double()


def test_a_model_without_parameters_can_write():
    assert generate(Successor(), [3], 5, greedy=True) == [3, 4, 5, 6, 0, 1]
    assert len(generate(Successor(), [3], 5, seed=0)) == 6
