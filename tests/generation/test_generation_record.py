"""The record of writing speed: complete, and what can be computed anew agrees (seconds cannot)."""

import pytest
import torch

from support import zoo
from support.model import GPT, GPTConfig


@pytest.fixture(scope="module")
def rows():
    return zoo.record("generation")["rows"]


def test_both_models_and_all_sides_are_there(rows, script):
    assert {"small 1", "small 16", "gpt2 1"} <= set(rows)
    for name, row in rows.items():
        assert set(row["tokens_per_second"]) == set(row["times_support"]) == set(script("generation").SIDES)
        assert row["times_support"]["support"] == 1
        batch = int(name.split()[1])
        for side, key in (("support", "step_ms"), ("support, compiled", "compiled_step_ms")):
            assert row["tokens_per_second"][side] == pytest.approx(1e3 * batch / row[key])


def test_the_bytes_of_a_step_are_the_weights_and_half_the_cache(rows, script):
    for name, row in rows.items():
        shape, batch = name.split()
        sizes = script("generation").SHAPES[shape]
        width, layers, vocab = sizes["n_embd"], sizes["n_layer"], sizes["vocab_size"]
        blocks = layers * (12 * width**2 + 13 * width)
        length = script("generation").PROMPT + row["new"] // 2
        numbers = blocks + (vocab + 2) * width + int(batch) * 2 * layers * width * length
        assert row["megabytes_a_step"] == pytest.approx(4e-6 * numbers)
        assert row["floor_ms"] == max(row["reading_ms"], row["computing_ms"])


def test_the_sides_write_the_same(script):
    ours, theirs = script("generation").models("small")
    write = script("generation").sides(ours, theirs, torch.randint(1, 1024, (3, 8)))
    plain = [side for side in script("generation").SIDES if "compiled" not in side]  # test_compiled has that
    texts = [write[side](12) for side in plain]
    assert all(text == texts[0] for text in texts) and len(texts[0]) == 3 and len(plain) == 4


def test_a_step_reads_more_with_more_texts(script):
    model = GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2))
    one, many = (script("generation").floor(model, n, 16, (1e9, 1e9)) for n in (1, 8))
    assert many["bytes"] > one["bytes"] and many["computing"] == 8 * one["computing"]
