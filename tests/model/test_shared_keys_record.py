"""The record that chapter 12 shows: whole, its bytes counted again, and one cheap row trained anew."""

import pytest
import torch

from support import zoo
from support.model import GPT, GPTConfig

KEYS = ("task", "name", "seed")


@pytest.fixture(scope="module")
def study(script):
    return script("shared_keys")


@pytest.fixture(scope="module")
def runs():
    return {tuple(run[k] for k in KEYS): run for run in zoo.record("shared_keys")["runs"]}


def test_holds_every_row_once(study, runs):
    assert len(zoo.record("shared_keys")["runs"]) == len(runs)
    assert set(runs) == {(*key, seed) for key in study.WANTED for seed in study.SEEDS}
    assert study.record()["runs"] == list(runs.values())  # the script has nothing left to train


def test_the_bytes_are_those_of_two_times_heads_times_width_times_places(study, runs):
    for (task, name, _), run in runs.items():
        heads, *_, width = name.split()
        layers, width, places = (1, 8, 18) if "stories" not in task else (2, 6, 192)
        width = int(name.split()[-1]) if "thin" in name else width
        assert run["cache"] == run["allocated"] == 2 * layers * int(heads) * width * places * 4


def test_a_row_trained_anew_agrees(study, runs):
    again = study.market_row("1 of 8", 0)
    kept = runs["market", "1 of 8", 0]
    assert again["right"] == pytest.approx(kept["right"], abs=0.1)
    assert again["parameters"] == kept["parameters"] and again["cache"] == kept["cache"]


def test_pooling_changes_nothing_where_the_heads_agree(study):
    """The mean of four equal heads is each of them."""
    few = GPT(GPTConfig(vocab_size=9, d_model=32, n_heads=8, n_kv_heads=2)).double().eval()
    many = GPT(GPTConfig(vocab_size=9, d_model=32, n_heads=8)).double().eval()
    weights = few.state_dict()
    for name in [name for name in weights if ".qkv." in name]:
        q, k, v = weights[name].split(few.blocks[0].attention.widths)
        k, v = (t.unflatten(0, (2, 4)).repeat_interleave(4, 0).flatten(0, 1) for t in (k, v))
        weights[name] = torch.cat([q, k, v])
    many.load_state_dict(weights)
    ids = torch.randint(9, (2, 7))
    torch.testing.assert_close(study.pooled(many, 2)(ids), few(ids), atol=1e-10, rtol=0)


def test_the_market_tells_each_answer_in_its_stalls(study):
    ids, answers = study.market(4, torch.Generator().manual_seed(0))
    for row, told in zip(ids.tolist(), answers.tolist(), strict=True):
        stalls = [divmod(i - study.ASKED, 64) for i in row[:6]]
        signs = [(name, *divmod(rest, 8)) for name, rest in stalls]
        for asked, answer in zip(row[6:], told[6:], strict=True):
            kind, sign = divmod(asked, 8)
            (stall,) = [s for s in signs if s[kind] == sign]
            assert answer == stall[(kind + 1) % 3] + 8 * ((kind + 1) % 3)
