"""Models for the page: each file is read back by the safetensors library; what cannot run is refused."""

import base64
import json
import re
import struct

import numpy as np
import pytest
import torch
from safetensors.numpy import load as load_arrays

from support import zoo
from support.alignment import add_lora
from support.core import InputError
from support.exchange.web_export import FORMAT, SHIPPED, for_page, rounded
from support.model import GPT, GPTConfig, quantize
from support.text import Vocabulary
from support.training import evaluate_loss

SCRIPT = re.compile(r'PageModel\.receive\("([\w-]+)", "([A-Za-z0-9+/=]+)"\);\n')


def small(**choices):
    return GPT(GPTConfig(**{"vocab_size": 5, "context": 6, "d_model": 8, "n_heads": 2} | choices)).eval()


WORDS = Vocabulary(["<PAD>", "<BOS>", "<EOS>", "a", "</script>"])


@pytest.mark.parametrize("name", SHIPPED)
def test_what_is_shipped_is_the_zoos_model_to_the_last_bit_of_its_precision(name):
    entry = zoo.load(name)
    packed = for_page(name, entry.model, entry.vocabulary, SHIPPED[name])
    found, letters = SCRIPT.fullmatch(packed.script).groups()
    data = base64.b64decode(letters)
    assert found == name and data == packed.data
    state = entry.model.state_dict()
    arrays = load_arrays(data)
    assert set(arrays) == set(state)
    for key, array in arrays.items():
        assert array.dtype == SHIPPED[name]
        assert np.array_equal(array, state[key].numpy().astype(SHIPPED[name])), key
    about = json.loads(data[8 : 8 + struct.unpack("<Q", data[:8])[0]])["__metadata__"]
    assert about["format"] == FORMAT and json.loads(about["tokens"]) == entry.vocabulary.tokens
    config = json.loads(about["config"])
    assert {k: getattr(entry.model.config, k) for k in config} == {**config, "masked_ids": (0,)}


def test_the_shipped_bytes():
    """What loads without being asked for stays under a megabyte."""
    sizes = {}
    for name, precision in SHIPPED.items():
        entry = zoo.load(name)
        packed = for_page(name, entry.model, entry.vocabulary, precision)
        sizes[name] = (len(packed.data), len(packed.script))
    print(sizes)
    assert sizes["calling-game"][1] < 600_000 and sizes["stories"][0] < 1_000_000


def test_what_rounding_costs_is_little_and_shipping_in_full_costs_nothing():
    game, tales = zoo.load("calling-game"), zoo.load("stories")
    for name, tensor in rounded(game.model, "float32").state_dict().items():
        assert torch.equal(tensor, game.model.state_dict()[name])
    texts = [tales.vocabulary.encode(text) for text in tales.world.sample(30, seed=31)]
    coarse = rounded(tales.model, SHIPPED["stories"])
    ids = torch.tensor([texts[0][:60]])
    with torch.no_grad():
        apart = (coarse(ids) - tales.model(ids))[..., 1:].abs().max().item()
    losses = evaluate_loss(tales.model, texts), evaluate_loss(coarse, texts)
    print(f"largest difference of a logit {apart:.4f}; nats per token {losses[0]:.5f} and {losses[1]:.5f}")
    assert 0 < apart < 0.1
    assert abs(losses[0] - losses[1]) < 1e-3


@pytest.mark.parametrize(
    "choices",
    [
        *[{"positions": "rope"}, {"positions": "none"}, {"norm": "rms"}, {"norm_first": False}],
        *[{"activation": "swiglu"}, {"activation": "gelu_tanh"}, {"n_kv_heads": 1}, {"n_experts": 2}],
        *[{"tie_weights": False}, {"window": 3}, {"residual": False}, {"ffn_bias": False}],
    ],
)
def test_a_model_that_the_page_cannot_run_is_refused(choices):
    with pytest.raises(InputError, match="The page cannot run"):
        for_page("odd", small(**choices), WORDS)


@pytest.mark.parametrize("replace", [quantize, lambda model: add_lora(model, rank=1)])
def test_a_model_with_replaced_parts_is_refused(replace):
    with pytest.raises(InputError, match="added or replaced"):
        for_page("odd", replace(small()), WORDS)


def test_a_vocabulary_that_does_not_fit_is_refused():
    with pytest.raises(InputError, match="5 words do not fit a model of 6"):
        for_page("odd", small(vocab_size=6), WORDS)


def test_a_word_cannot_end_the_script():
    """The words travel in base64, so that a word such as </script> is harmless wherever the text is put."""
    assert SCRIPT.fullmatch(for_page("odd", small(), WORDS).script)


def test_the_same_model_is_the_same_bytes_whenever_it_is_packed():
    model = small()
    assert len({for_page("odd", model, WORDS).data for _ in range(20)}) == 1
