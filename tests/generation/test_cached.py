"""With the cache comes what the plain loop writes: read everything, choose, read everything anew."""

import pytest
import torch
from helpers import shaken

from support.core import InputError
from support.generation import generate, generate_many, next_token, stream
from support.model import GPT, EncoderDecoder, GPTConfig

SMALL = {"vocab_size": 11, "context": 12, "d_model": 16, "n_heads": 4, "n_layers": 2}
FAMILY = {
    "GPT-2": {},
    "the 2017 decoder": {"positions": "sinusoidal", "norm_first": False, "activation": "relu"},
    "no positions": {"positions": "none"},
    "ALiBi": {"positions": "alibi"},
    "Llama": {"positions": "rope", "norm": "rms", "activation": "swiglu", "n_kv_heads": 2},
    "one KV head": {"positions": "rope", "n_kv_heads": 1, "qk_norm": True},
    "learned, window": {"window": 5},
    "Mixtral": {"positions": "rope", "n_experts": 4, "experts_per_token": 2, "n_kv_heads": 1},
    "capped": {"logit_softcap": 3.0, "masked_ids": (0,), "d_head": 6},
}
ROLLING = {
    "Mistral": {"positions": "rope", "norm": "rms", "window": 5, "n_kv_heads": 2},
    "ALiBi, window": {"positions": "alibi", "window": 5},
    "no positions, window": {"positions": "none", "window": 5},
}
SAMPLINGS = [
    {"greedy": True},
    {"seed": 4, "temperature": 2},
    {"seed": 5, "top_k": 3},
    {"seed": 6, "top_p": 0.8, "temperature": 1.5},
    {"seed": 7, "min_p": 0.02, "temperature": 2.5},
    {"seed": 8, "repetition_penalty": 1.5, "temperature": 2},
    {"greedy": True, "repetition_penalty": 3},
]
PROMPTS = [[1], [1, 5, 3, 9, 2, 2, 7], [4, 4, 8]]


def random_model(**changes):
    return shaken(GPT(GPTConfig(**(SMALL | changes)))).double().eval()


@torch.no_grad()
def plainly(model, ids, n, seed=0, greedy=False, context=None, repetition_penalty=1, **sampling):
    ids, dice = list(ids), torch.Generator().manual_seed(seed)
    for _ in range(n):
        logits = model(torch.tensor([ids[-(context or model.config.context) :]]))[0, -1]
        for seen in set(ids):
            logits[seen] *= 1 / repetition_penalty if logits[seen] > 0 else repetition_penalty
        probabilities = next_token(logits, **sampling)
        ids.append(int(logits.argmax() if greedy else torch.multinomial(probabilities, 1, generator=dice)))
    return ids


@pytest.mark.parametrize("sampling", SAMPLINGS, ids=str)
@pytest.mark.parametrize("name", FAMILY)
def test_equal_to_the_plain_loop_up_to_the_context_and_past_it(name, sampling):
    model = random_model(**FAMILY[name])
    written = generate(model, PROMPTS[1], 14, **sampling)  # 7 + 14 tokens; the context holds 12
    assert written == plainly(model, PROMPTS[1], 14, **sampling)
    assert written == generate(model, PROMPTS[1], 14, **sampling, cache=False)
    assert written == generate(model, PROMPTS[1], 14, **sampling, prefill=3)
    assert "temperature" not in sampling or len(set(written[7:])) > 2  # there was something to choose


@pytest.mark.parametrize("name", ROLLING)
@pytest.mark.parametrize("n_prompt", [3, 20])
def test_a_rolling_cache_reads_on_as_a_model_with_a_longer_context(name, n_prompt):
    model = random_model(**ROLLING[name])
    longer = random_model(**ROLLING[name], context=40)
    longer.load_state_dict(model.state_dict())
    prompt = torch.randint(1, 11, (n_prompt,)).tolist()
    for sampling in SAMPLINGS:
        expected = plainly(longer, prompt, 20, **sampling)
        assert generate(model, prompt, 20, **sampling) == expected
        assert generate(model, prompt, 20, **sampling, prefill=7) == expected


@pytest.mark.parametrize("sampling", SAMPLINGS, ids=str)
@pytest.mark.parametrize("name", FAMILY | ROLLING)
def test_each_of_many_is_written_as_if_alone(name, sampling):
    model = random_model(**(FAMILY | ROLLING)[name])
    rule = sampling.get("seed", 0)
    alone = [generate(model, p, 13, **{**sampling, "seed": rule + i}) for i, p in enumerate(PROMPTS)]
    for how in ({}, {"cache": False}, {"prefill": 2}) if name in FAMILY else ({}, {"prefill": 2}):
        assert generate_many(model, PROMPTS, 13, **{**sampling, "seed": rule}, **how) == alone


def test_stop_ids_end_each_text_by_itself():
    model = random_model()
    sampling = {"seed": 0, "temperature": 3, "stop": [5, 6]}
    texts = generate_many(model, [[1]] * 6, 15, **sampling)
    assert texts == [generate(model, [1], 15, **{**sampling, "seed": i}) for i in range(6)]
    assert len({len(t) for t in texts}) > 2  # they do end at different places
    assert all(not {5, 6} & set(t[:-1]) for t in texts)
    assert generate_many(model, [], 5) == []


def test_each_token_is_read_once():
    model, widths = random_model(), []
    model.register_forward_pre_hook(lambda module, args: widths.append(args[0].shape[1]))
    generate(model, PROMPTS[1], 5, greedy=True)
    assert widths == [7, 1, 1, 1, 1]
    widths.clear()
    generate(model, PROMPTS[1], 3, greedy=True, prefill=3)
    assert widths == [3, 3, 1, 1, 1]
    widths.clear()
    generate(model, PROMPTS[1], 3, greedy=True, cache=False)
    assert widths == [7, 8, 9]


def test_an_encoders_answer_is_written_with_the_cache():
    config = GPTConfig(**(SMALL | {"positions": "sinusoidal"}))
    model = shaken(EncoderDecoder(config)).double().eval()
    writer = model.conditioned_on(torch.tensor([[5, 6, 7, 8]]))
    assert generate(writer, [1, 2], 10, seed=1) == plainly(writer, [1, 2], 10, seed=1)
    assert generate_many(writer, [[1], [1, 2]], 9, seed=1)[1] == generate(writer, [1, 2], 9, seed=2)


def test_a_model_without_a_cache_writes_too():
    class Successor(torch.nn.Module):  # after i comes i + 1
        def __init__(self):
            super().__init__()
            self.scores = torch.nn.Parameter(torch.eye(9).roll(1, dims=1))

        def forward(self, ids):
            return self.scores[ids]

    assert generate(Successor(), [2], 3, greedy=True) == [2, 3, 4, 5]
    assert generate_many(Successor(), [[2], [0, 5]], 2, greedy=True) == [[2, 3, 4], [0, 5, 6, 7]]


def test_weights_that_change_in_between_need_the_cache_off():
    model = random_model(dropout=0.5).train()
    words = stream(model, [1, 2], 8, greedy=True, cache=False)
    first = [next(words) for _ in range(3)]
    assert model.training
    with torch.no_grad():
        model.embedding.weight.neg_()
    assert list(words) == plainly(model.eval(), [1, 2, *first], 5, greedy=True)[5:]


def test_training_goes_on_after_writing():
    model = GPT(GPTConfig(**SMALL, positions="rope", n_experts=2)).train()
    generate(model, [1, 2], 5, seed=0)
    (model(torch.tensor([[1, 2, 3]])).logsumexp(-1).sum() + model.extra_loss()).backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in model.blocks[0].attention.parameters())


def test_chunks_of_nothing_are_refused():
    with pytest.raises(InputError, match="prefill=0 must be greater than or equal to 1"):
        stream(random_model(), [1], 3, prefill=0)
    with pytest.raises(InputError, match="nothing to continue"):
        generate_many(random_model(), [[1], []], 3)
