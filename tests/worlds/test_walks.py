"""Walks by many rules, followed by hand."""

import torch

from support.worlds.walks import RuleWalks


def test_each_step_is_the_rules_answer():
    walks = RuleWalks(rules=3, symbols=5, seed=4)
    answers = walks.answers().tolist()
    assert all(sorted(row) == list(range(5)) for row in answers)
    inputs, targets = walks.batch(30, length=6, seed=1)
    assert inputs.shape == targets.shape == (30, 7) and inputs.max() < walks.vocab_size
    for given, wanted in zip(inputs.tolist(), targets.tolist(), strict=True):
        rule = given[0] - 5
        assert 0 <= rule < 3 and wanted[0] == -100
        assert wanted[1:] == [answers[rule][symbol] for symbol in given[1:]]
        assert given[2:] == wanted[1:-1]


def test_a_seed_is_a_batch_and_another_seed_other_rules():
    walks = RuleWalks()
    assert torch.equal(walks.batch(4, 3, seed=1)[0], walks.batch(4, 3, seed=1)[0])
    assert not torch.equal(walks.batch(4, 3, seed=1)[0], walks.batch(4, 3, seed=2)[0])
    assert not torch.equal(walks.answers(), RuleWalks(seed=1).answers())
