"""The answers of the arrow game, followed by hand."""

import torch

from support.worlds.arrows import ArrowGame


def test_answers_follow_the_listed_arrows():
    game = ArrowGame(children=5, max_steps=3)
    inputs, targets, steps = game.batch(20, questions=7, seed=3)
    assert inputs.max() < game.vocab_size
    for row, wanted, ks in zip(inputs.tolist(), targets.tolist(), steps.tolist(), strict=True):
        arrows = dict(divmod(i - 5, 5) for i in row[:5])
        assert sorted(arrows) == sorted(arrows.values()) == list(range(5))
        assert wanted[:5] == [-100] * 5
        for question, answer, k in zip(row[5:], wanted[5:], ks, strict=True):
            asked, here = divmod(question - 5 - 25, 5)
            assert asked + 1 == k
            for _ in range(k):
                here = arrows[here]
            assert here == answer


def test_a_seed_is_a_batch_and_orders_vary():
    game = ArrowGame()
    same, again, other = game.batch(4, 2, seed=1), game.batch(4, 2, seed=1), game.batch(4, 2, seed=2)
    assert all(torch.equal(a, b) for a, b in zip(same, again, strict=True))
    assert not torch.equal(same[0], other[0])
    sources = (same[0][:, :12] - 12) // 12
    assert len({tuple(row) for row in sources.tolist()}) == 4
