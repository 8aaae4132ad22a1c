"""The recall task and the list to be written backwards."""

import pytest
import torch

from support.core import InputError
from support.worlds.memory import Backwards, Recall


@pytest.mark.parametrize("place", [0, 2, 5])
def test_only_one_symbol_is_there_and_it_is_asked_for(place):
    task = Recall(symbols=5, noise=3)
    ids, targets = task.batch(200, pause=5, seed=1, place=place)
    assert ids.shape == (200, 7) and (ids[:, -1] == 8).all() and task.vocab_size == 9
    symbols = ids < 5
    assert (symbols.sum(1) == 1).all() and symbols[:, place].all()
    assert torch.equal(targets[:, -1], ids[:, place]) and (targets[:, :-1] == -100).all()
    assert len(set(ids[:, place].tolist())) == 5


def test_there_is_no_place_behind_the_question():
    with pytest.raises(InputError, match="from 0 to 3"):
        Recall().batch(1, pause=3, seed=0, place=4)


def test_the_list_is_written_from_its_end():
    source, written, targets = Backwards(symbols=4).batch(100, length=6, seed=2)
    assert torch.equal(targets, source.flip(1))
    assert (written[:, 0] == 1).all() and torch.equal(written[:, 1:], targets[:, :-1])
    assert set(source.flatten().tolist()) == {2, 3, 4, 5} and Backwards(symbols=4).vocab_size == 6
    again = Backwards(symbols=4).batch(100, length=6, seed=2)
    assert torch.equal(again[0], source)
