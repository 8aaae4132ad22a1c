"""What makes no sense is refused in one sentence; what goes wrong leaves the model as it was."""

import threading

import pytest
import torch
from forked import forked
from helpers import shaken

from support.core import InputError
from support.generation import generate, generate_many, next_token, stream
from support.model import GPT, EncoderDecoder, GPTConfig

SMALL = {"vocab_size": 11, "context": 12, "d_model": 16, "n_heads": 4, "n_layers": 2}


@pytest.fixture
def model():
    return shaken(GPT(GPTConfig(**SMALL))).double().eval()


SENTENCES = {
    "model(torch.zeros(1, 3))": "int64 or int32 with two axes, [text, position], and was given float32",
    "model(torch.zeros(1, 3, dtype=torch.uint8))": "and was given uint8",
    "model(torch.zeros(1, 3, dtype=torch.bool))": "and was given bool",
    "model(torch.zeros(1, 1, 3, dtype=torch.long))": "of shape [1, 1, 3]",
    "model(torch.zeros(3, dtype=torch.long))": "of shape [3]",
    "model(torch.zeros(0, 3, dtype=torch.long))": "The batch is empty",
    "model(torch.tensor([[3, -7]]))": "Id -7 is outside the vocabulary of 11",
    "model(torch.zeros(2, 3, dtype=torch.long), pad=torch.tensor([0.5, 0]))": "in whole numbers",
    "model(torch.zeros(2, 3, dtype=torch.long), pad=torch.tensor([0]))": "pad has 1 numbers for batch=2",
    "generate(model, [1.5], 3)": "A prompt holds 1.5 where an id, a whole number",
    "generate(model, torch.tensor([1.5]), 3)": "A prompt holds 1.5 where an id, a whole number",
    "generate(model, ['<BOS>'], 3)": "A prompt holds '<BOS>' where an id",
    "generate(model, [1], 3, stop=['<EOS>'])": "stop holds '<EOS>' where an id",
    "generate(model, [True], 3)": "A prompt holds True where an id",
    "generate(model, torch.tensor([True]), 3)": "A prompt holds True where an id",
    "generate(model, [1], 3, stop=[False])": "stop holds False where an id",
    "generate(model, [99], 3)": "Id 99 is outside",
}


def test_wrong_ids_are_refused_in_a_sentence():
    """In a process of its own: in the tests, the checks of shapes and types would speak first."""
    code = f"""
import torch
from support.core import InputError
from support.generation import generate
from support.model import GPT, GPTConfig
model = GPT(GPTConfig(vocab_size=11, context=12)).eval()
for code in {list(SENTENCES)!r}:
    try:
        eval(code)
    except InputError as error:
        print(error)
    except Exception as error:
        print("not refused by us:", error)
"""
    done = forked(code)
    said = done.stdout.splitlines()
    assert len(said) == len(SENTENCES), done.stdout + done.stderr
    for (call, words), sentence in zip(SENTENCES.items(), said, strict=True):
        assert words in sentence, call


@pytest.mark.parametrize(
    ("pad", "words"),
    [([0, -1], r"pad=\[0, -1\] does not fit"), ([0, 3], "0 to 2 padding")],
)
def test_wrong_pad_is_refused(model, pad, words):
    with pytest.raises(InputError, match=words):
        model(torch.ones(2, 3, dtype=torch.long), pad=torch.tensor(pad))
    with pytest.raises(InputError, match=words):
        model.cache(batch=2, length=3, pad=torch.tensor(pad))


@pytest.mark.parametrize("value", [float("nan"), float("-inf"), float("inf")])
@pytest.mark.parametrize("sampling", [{"greedy": True}, {"seed": 0}], ids=str)
def test_logits_without_a_best_are_refused(model, value, sampling):
    model.register_forward_hook(lambda _module, _args, logits: torch.full_like(logits, value))
    with pytest.raises(InputError, match="no finite largest score"):
        generate(model, [1], 3, **sampling)


def test_large_logits_and_a_low_temperature_do_not_overflow():
    assert next_token(torch.tensor([1e38, 0.0]), temperature=1e-3).tolist() == [1, 0]
    assert next_token(torch.tensor([3e38, -3e38, 2.9e38]), temperature=1e-6).tolist() == [1, 0, 0]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_the_mode_of_every_module_survives_an_error(error):
    model = GPT(GPTConfig(**SMALL, dropout=0.1)).train()
    model.blocks[0].eval()  # as of somebody who freezes a part

    def fail(_module, _args):
        raise error

    model.blocks[1].register_forward_pre_hook(fail)
    modes = [m.training for m in model.modules()]
    with pytest.raises(error):
        generate(model, [1], 3)
    assert [m.training for m in model.modules()] == modes


def test_binding_a_source_restores_the_mode_after_an_error():
    model = EncoderDecoder(GPTConfig(**SMALL)).train()
    with pytest.raises(InputError, match="nothing but"):
        model.conditioned_on(torch.zeros(1, 3, dtype=torch.long))
    assert all(m.training for m in model.modules())


def test_threads_share_a_model_in_use(model):
    expected = [generate(model, [1], 10, seed=s) for s in range(6)]
    texts = [None] * 6

    def work(s):
        texts[s] = generate(model, [1], 10, seed=s)

    threads = [threading.Thread(target=work, args=(s,)) for s in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts == expected


def test_where_tokens_are_drawn(model):
    """On a CPU, the float64 draw is the default; without it, a seed still gives one text, perhaps another."""
    assert generate(model, [1], 9, seed=3) == generate(model, [1], 9, seed=3, reproducible=True)
    narrow = GPT(GPTConfig(**SMALL)).eval()
    texts = [generate_many(narrow, [[1]] * 4, 9, seed=3, reproducible=False) for _ in range(2)]
    assert texts[0] == texts[1]
    assert list(stream(narrow, [1], 9, seed=4, reproducible=False)) == texts[0][1][1:]


@pytest.mark.parametrize("penalty", [0, -1.5, float("nan"), float("inf")])
def test_a_penalty_of_repetition_that_makes_no_sense_is_refused(model, penalty):
    with pytest.raises(InputError, match="repetition_penalty"):
        generate(model, [1], 3, repetition_penalty=penalty)
