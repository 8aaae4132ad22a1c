"""The order of the batches: sorted texts and repeated batches are found, shuffled texts are not accused."""

import random

import pytest

from support.training import SequenceBatches, inputs_and_targets
from support.training.data_checks import data_faults
from support.worlds import StoryWorld

WORLD, SIZE = StoryWorld(), 12
TEXTS = [
    ids[: 10 + (7 * i) % 19] for i, ids in enumerate(map(WORLD.vocabulary.encode, WORLD.sample(760, seed=11)))
]


def named(batches):
    measured = {}
    found = [fault for fault, _, _ in data_faults(batches, 0, None, measured)]
    return found, measured.get("order of the data, standard deviations")


def one_after_another(texts):
    return lambda step: inputs_and_targets(texts[step * SIZE % (len(texts) - SIZE) :][:SIZE])


@pytest.mark.parametrize(
    "key", [len, lambda text: text[1:3], lambda text: text[-1]], ids=["length", "first words", "last word"]
)
def test_sorted_texts_are_found(key):
    found, z = named(one_after_another(sorted(TEXTS, key=key)))
    assert found == ["data order"] and z > 20


def test_half_of_each_batch_in_order_is_found():
    ordered, loose = sorted(TEXTS, key=len), random.Random(0).sample(TEXTS, len(TEXTS))
    mixed = [t for i in range(0, len(TEXTS), 6) for t in ordered[i : i + 6] + loose[i : i + 6]]
    assert named(one_after_another(mixed))[0] == ["data order"]


@pytest.mark.parametrize("seed", range(4))
def test_shuffled_texts_are_not_accused(seed):
    found, z = named(SequenceBatches(TEXTS, SIZE, seed=seed))
    assert found == [] and z < 4.5


def test_few_texts_and_texts_in_one_order_by_lot_are_not_accused():
    assert named(SequenceBatches(TEXTS[:30], SIZE))[0] == []
    assert named(one_after_another(TEXTS))[0] == []


@pytest.mark.parametrize(("period", "accused"), [(1, True), (2, True), (4, True), (8, True), (16, False)])
def test_batches_that_come_again_are_found(period, accused):
    drawn = SequenceBatches(TEXTS, SIZE)
    assert named(lambda step: drawn(step % period))[0] == (["same batch"] if accused else [])
