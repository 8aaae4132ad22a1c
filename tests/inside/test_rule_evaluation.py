"""Probabilities and attention by question; the network without attention; and a row of the record."""

import copy

import pytest
import torch

from support import zoo
from support.inside import ablate, trace
from support.inside.attention_free import AttentionFreeBaseline
from support.inside.rule_evaluation import RULES, RuleEvaluation
from support.worlds import CallingGame
from support.worlds.questions import CASES

IDS = torch.tensor([[1, 5, 3, 7, 2], [4, 4, 6, 8, 0]])


@pytest.fixture(scope="module")
def entry():
    return zoo.load("calling-game")


@pytest.fixture(scope="module")
def evaluation():
    return RuleEvaluation.of(CallingGame(), each=3)


def test_probabilities_and_attention_one_by_one(entry, evaluation):
    model = copy.deepcopy(entry.model).double()
    right, attention = evaluation.right_probability(model), evaluation.deciding_attention(model)
    assert len(right) == 27 and attention.shape == (2, 4, 27)
    for n, (game, q) in enumerate(zip(evaluation.game, evaluation.questions, strict=True)):
        ids = evaluation.ids[game, : q.position + 1]  # nothing after the question is read
        seen = trace(model, ids)
        probabilities = dict(
            zip(entry.vocabulary.tokens, seen.logits[0, -1].double().softmax(-1).tolist(), strict=True)
        )
        among = sum(probabilities[word] for word in q.choices) if q.rule == "next" else 1.0
        assert right[n].item() == pytest.approx(probabilities[q.right] / among, abs=1e-10)
        if q.decided_at == q.position:
            assert attention[..., n].isnan().all()
        else:
            torch.testing.assert_close(
                attention[..., n], seen.patterns[:, 0, :, -1, q.decided_at], atol=1e-10, rtol=0
            )
    cases = evaluation.by_case(right)
    assert list(cases) == list(CASES) == [case for some in RULES.values() for case in some]
    assert cases["Cefa"] == pytest.approx(
        right[[q.case == "Cefa" for q in evaluation.questions]].mean().item()
    )


def test_log_odds_are_those_of_the_probability(entry, evaluation):
    model = copy.deepcopy(entry.model).double()
    p, odds = evaluation.right_probability(model), evaluation.right_log_odds(model)
    torch.testing.assert_close(odds, torch.logit(p), atol=1e-6, rtol=1e-6)


def test_the_baseline_is_the_model_without_its_attention(family):
    with ablate(family, attention=range(3)):
        torch.testing.assert_close(AttentionFreeBaseline(family)(IDS), family(IDS))


def test_the_baseline_sees_the_last_word_and_its_place_only(random_model):
    network = AttentionFreeBaseline(random_model())
    swapped = IDS.clone()
    swapped[:, 1] = 8
    changed = (network(IDS) - network(swapped)).abs().amax(dim=(0, 2))
    assert changed[1] > 0.1 and changed[[0, 2, 3, 4]].eq(0).all()


def test_a_row_of_the_record(entry, script):
    """Seed 0 is the zoo's own model: its evaluation, one head's cut and the journey come out again."""
    record = zoo.record("two_rules")
    run, both = record["runs"][0], RuleEvaluation.of(entry.world, record["each"])
    assert run["seed"] == 0 and len(record["runs"]) >= 5 and len(record["alone"]) >= 3
    assert both.by_case(both.right_probability(entry.model)) == pytest.approx(run["whole"], abs=1e-3)
    head = run["heads"][3]
    with ablate(entry.model, heads=[(head["layer"], head["head"])], by="mean", reference=both.ids):
        assert both.by_case(both.right_probability(entry.model)) == pytest.approx(head["mean"], abs=2e-3)
    journey = script("two_rules").journey(entry.model)
    assert journey["towards Tarso"] == pytest.approx(run["prompt"]["towards Tarso"], abs=2e-3)
    assert journey["heads restore"][0] == pytest.approx(run["prompt"]["heads restore"][0], abs=2e-3)
