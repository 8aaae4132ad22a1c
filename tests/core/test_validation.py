"""Every field of both configurations, given every wrong kind of value, is refused in one sentence."""

import copy
import dataclasses
import json
import math
import pickle
import re
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
import torch
from forked import forked

import support
from support.core import InputError, device, seed_everything, seeded_generator
from support.core.validation import check, checked, field_types
from support.model import GPTConfig
from support.training import TrainConfig

WRONG = {
    "a word": "two",
    "a number in quotes": "3",
    "nothing": None,
    "a list": [1, 2],
    "a dict": {"a": 1},
    "a nested list": [["x"], None],
    "bytes": b"3",
    "a flag": True,
    "a whole number": 3,
    "a fraction": 2.5,
    "a negative number": -7,
    "not a number": math.nan,
    "infinity": math.inf,
    "beyond 64 bits": 2**70,
    "a complex number": 1j,
    "a tensor": torch.ones(2),
    "a type": int,
}
CONFIGS = {GPTConfig: {"vocab_size": 28}, TrainConfig: {"steps": 10}}


def is_fine(hint, value):
    """Whether a value may stand in a field, from the kinds that its annotation names (limits left out)."""
    text = str(hint)
    if value is None:
        return "None" in text or type(None) in get_args(hint)
    if isinstance(value, bool):
        return "bool" in text
    if isinstance(value, int):
        return "int" in text or "float" in text
    if isinstance(value, float):
        return "float" in text and math.isfinite(value)
    if isinstance(value, str):
        return "str" in text
    if isinstance(value, dict):
        return "dict" in text
    return isinstance(value, list) and "tuple" in text


@pytest.mark.parametrize(
    ("config", "field"), [(config, field) for config in CONFIGS for field in field_types(config)]
)
def test_each_field_with_each_wrong_kind(config, field):
    """Right kinds may still be out of range; anything but a sentence of ours is a failure."""
    for value in WRONG.values():
        try:
            made = config(**CONFIGS[config] | {field: value})
        except InputError as error:
            sentence = str(error)
            assert sentence.startswith(config.__name__) and sentence.endswith(".") and "\n" not in sentence
            assert field in sentence and len(sentence) < 250, sentence
        else:
            assert is_fine(field_types(config)[field], value), f"{field}={value!r} was accepted"
            assert config.from_dict(json.loads(json.dumps(made.to_dict()))) == made


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("values", [None, [], "x", 3, {1: 2}, {"size": 3}, {}])
def test_what_is_no_record_is_refused(config, values):
    with pytest.raises(InputError, match=rf"^{config.__name__}: .*\.$"):
        config.from_dict(values)


def test_records_and_their_parts_are_frozen():
    scaling = {"rope_type": "linear", "factor": 2.0}
    config = GPTConfig(vocab_size=9, positions="rope", rope_scaling=scaling)
    scaling["factor"] = 3.0
    assert config.rope_scaling["factor"] == 2.0
    for change in (
        lambda: config.rope_scaling.update(factor=5.0),
        lambda: config.rope_scaling.pop("factor"),
        lambda: config.rope_scaling.__setitem__("factor", 5.0),
        lambda: config.rope_scaling.__delitem__("factor"),
        lambda: config.rope_scaling.clear(),
        lambda: config.rope_scaling.__ior__({"factor": 5.0}),
        lambda: setattr(config, "d_model", 3),
    ):
        with pytest.raises((TypeError, dataclasses.FrozenInstanceError)):
            change()
    assert config.rope_scaling == {"rope_type": "linear", "factor": 2.0}
    assert type(config.to_dict()["rope_scaling"]) is dict
    assert copy.deepcopy(config) == pickle.loads(pickle.dumps(config)) == config


@pytest.mark.parametrize(
    ("scaling", "words"),
    [
        ({"rope_type": "linear", "factor": "2"}, "factor='2' must be a valid number"),
        ({"rope_type": "linear", "factor": math.nan}, "factor=nan must be a finite number"),
        ({"rope_type": "linear", "factor": None}, "factor=None"),
        ({"rope_type": ["linear"], "factor": 2.0}, r"rope_type=\['linear'\]"),
        ({"rope_type": "linear", "factor": 2.0, "beta": 1.0}, "no field beta"),
        ({}, "rope_type=None"),
    ],
)
def test_wrong_scalings_of_rope(scaling, words):
    with pytest.raises(InputError, match=words):
        GPTConfig(vocab_size=9, positions="rope", rope_scaling=scaling)


@pytest.mark.parametrize("seed", [2**70, -(2**64), 0.5, "1", None, True, [1]])
def test_wrong_seeds_are_refused(seed):
    with pytest.raises(InputError, match=r"^seed_everything: seed=.* must be .*\.$"):
        seed_everything(seed)


@pytest.mark.parametrize("seed", [2**70, -(2**64), True])
def test_a_generator_refuses_wrong_seeds(seed):
    with pytest.raises(InputError, match=r"^seed=.* must be .*\.$"):
        seeded_generator(seed)


def test_a_seed_that_somebody_gives_is_checked_before_torch_takes_it():
    """All generators of the package are made by `seeded_generator`, if their seed is no constant."""
    for path in Path(support.__file__).parent.rglob("*.py"):
        if path.name != "seeds.py":
            found = re.findall(r"Generator\([^)]*\)\.manual_seed\((?!\d+\))[^)]*\)", path.read_text())
            assert found == [], path


@pytest.mark.parametrize("seed", [-1, 2**64 - 1])
def test_seeds_that_torch_takes_are_taken(seed):
    seed_everything(seed)


@pytest.mark.parametrize("threads", [0, -1, "2", 1.0, 2**40])
def test_wrong_numbers_of_threads_are_refused(threads):
    with pytest.raises(InputError, match="seed_everything: threads="):
        seed_everything(0, threads)


@pytest.mark.parametrize(("value", "threads"), [("2,1", 2), (" 1 ", 1), ("", 1)])
def test_lists_of_threads_as_openmp_has_them(monkeypatch, value, threads):
    before = torch.get_num_threads()
    monkeypatch.setenv("OMP_NUM_THREADS", value)
    try:
        seed_everything()
        assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize("value", ["many", "0", "-1", "1.5", "٣"])
def test_an_environment_without_a_number_of_threads_is_named(monkeypatch, value):
    monkeypatch.setenv("OMP_NUM_THREADS", value)
    with pytest.raises(InputError, match="OMP_NUM_THREADS"):
        seed_everything()


def test_an_environment_without_a_device_is_named(monkeypatch):
    monkeypatch.setenv("SUPPORT_DEVICE", "gpu")
    with pytest.raises(InputError, match="SUPPORT_DEVICE='gpu' names no device"):
        device()


def test_long_values_are_shortened_in_the_sentence():
    with pytest.raises(InputError) as caught:
        check("x", "a" * 10_000, int)
    assert len(str(caught.value)) < 100


def test_a_checked_function_keeps_its_name_and_refuses_unknown_arguments():
    @checked
    def half(x: int) -> float:
        """Half of it."""
        return x / 2

    assert half.__doc__ == "Half of it." and half(3) == 1.5
    with pytest.raises(TypeError, match="y"):
        half(3, y=2)


def test_pydantic_is_imported_only_when_something_is_checked():
    code = "import sys, support.model; print('pydantic' in sys.modules)"
    assert forked(code).stdout == "False\n"


@pytest.mark.parametrize(
    "rate", [np.float32(0.5), np.float64(0.5), torch.tensor(0.5), Fraction(1, 2), Decimal("0.5")]
)
def test_numbers_of_other_libraries_become_plain_ones(rate):
    config = TrainConfig(steps=np.int64(3), lr=rate)
    assert (type(config.steps), type(config.lr), config.lr) == (int, float, 0.5)
    assert json.loads(json.dumps(config.to_dict()))["lr"] == 0.5
    with pytest.raises(InputError, match="must be a valid"):
        TrainConfig(steps=3, lr=np.bool_(True))
