"""The label game's answers, counted by hand."""

import torch

from support.worlds.labels import LabelGame


def test_within_a_text_a_letter_keeps_its_number():
    game = LabelGame(letters=4, numbers=6, pairs=20)
    inputs, targets, seen = game.batch(30, seed=2)
    for row, wanted, times in zip(inputs.tolist(), targets.tolist(), seen.tolist(), strict=True):
        letters, numbers = row[::2], [*row[1::2], wanted[-1]]
        assert all(i < 4 for i in letters) and all(4 <= i < 10 for i in numbers)
        assert wanted[::2] == numbers and wanted[1::2] == [-100] * 19
        told = {}
        for i, (letter, number) in enumerate(zip(letters, numbers, strict=True)):
            assert told.setdefault(letter, number) == number
            assert times[i] == letters[:i].count(letter)


def test_texts_differ_in_their_labels_or_share_a_few():
    free, bound = LabelGame(), LabelGame(worlds=3)
    assert len({tuple(row) for row in free.labels(500, seed=1).tolist()}) > 450
    worlds = {tuple(row) for seed in range(5) for row in bound.labels(100, seed=seed).tolist()}
    assert len(worlds) == 3
    assert torch.equal(free.batch(3, seed=1)[0], free.batch(3, seed=1)[0])
    assert not torch.equal(free.batch(3, seed=1)[0], free.batch(3, seed=2)[0])
