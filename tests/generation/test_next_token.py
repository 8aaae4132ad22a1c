import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from support.core import InputError
from support.generation import next_token, penalise_repetition


def theirs(logits, temperature=1.0, top_k=None, top_p=None, min_p=None):
    """The same sampling through transformers' own processors."""
    from transformers import MinPLogitsWarper, TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

    scores = TemperatureLogitsWarper(float(temperature))(None, logits)
    if top_k is not None:
        scores = TopKLogitsWarper(top_k)(None, scores)
    if top_p is not None:
        scores = TopPLogitsWarper(float(top_p))(None, scores)
    if min_p is not None:
        scores = MinPLogitsWarper(min_p)(None, scores)
    return scores.softmax(dim=-1)


SAMPLINGS = [
    {},
    {"temperature": 0.3},
    {"temperature": 2.5},
    {"top_k": 1},
    {"top_k": 7},
    {"top_k": 1000},
    {"top_p": 0.05},
    {"top_p": 0.9},
    {"top_p": 1.0},
    {"min_p": 0.05},
    {"min_p": 1.0},
    {"temperature": 1.7, "top_k": 20, "top_p": 0.6},
    {"temperature": 1.7, "top_k": 20, "top_p": 0.9, "min_p": 0.2},
]


@pytest.mark.parametrize("sampling", SAMPLINGS, ids=str)
@pytest.mark.parametrize("spread", [0.1, 1.0, 8.0])
def test_equal_to_transformers(sampling, spread):
    logits = spread * torch.randn(64, 50, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    assert torch.allclose(next_token(logits, **sampling), theirs(logits, **sampling), atol=1e-12, rtol=0)


@pytest.mark.parametrize("penalty", [0.5, 1, 1.3, 4.0])
def test_the_penalty_of_repetition_is_that_of_transformers(penalty):
    from transformers import RepetitionPenaltyLogitsProcessor

    logits = 3 * torch.randn(8, 20, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    logits[:, 4] = -math.inf
    ids = torch.randint(0, 20, (8, 12), generator=torch.Generator().manual_seed(1))
    before = logits.clone()
    found = penalise_repetition(logits, ids.tolist(), penalty)
    assert torch.equal(found, RepetitionPenaltyLogitsProcessor(float(penalty))(ids, logits.clone()))
    assert torch.equal(logits, before)


@pytest.mark.parametrize(
    ("texts", "penalty", "said"),
    [([[0]], 0.0, "repetition_penalty"), ([[0]], math.inf, "repetition_penalty")]
    + [(texts, 1.2, "one text for each of 1 rows") for texts in ([], [[3]], [[-1]], [[0], [1]])],
)
def test_a_penalty_of_repetition_that_does_not_fit_is_refused(texts, penalty, said):
    with pytest.raises(InputError, match=said):
        penalise_repetition(torch.zeros(1, 3), texts, penalty)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from([-math.inf, -2.0, 0.0, 0.5, 1.0, 3.0]), min_size=2, max_size=12).filter(
        lambda scores: max(scores) > -math.inf
    ),
    st.sampled_from([0.5, 1.0, 2.0]),
    st.one_of(st.none(), st.integers(1, 15)),
    st.one_of(st.none(), st.sampled_from([0.1, 0.35, 0.5, 0.8, 0.95, 1.0])),
    st.one_of(st.none(), st.sampled_from([0.01, 0.1, 0.5, 1.0])),
)
def test_equal_to_transformers_with_ties_and_masked_tokens(scores, temperature, top_k, top_p, min_p):
    logits = torch.tensor([scores], dtype=torch.float64)
    sampling = {"temperature": temperature, "top_k": top_k, "top_p": top_p, "min_p": min_p}
    ours, other = next_token(logits, **sampling), theirs(logits, **sampling)
    # Which of two tied tokens stays is not said by their unstable sort; how many stay, and with what, is.
    assert torch.allclose(ours.sort().values, other.sort().values, atol=1e-12)
    assert float(ours.sum()) == pytest.approx(1.0)
    assert bool((ours[logits == -math.inf] == 0).all())


def test_the_best_token_is_always_kept():
    assert next_token(torch.tensor([0.0, 5.0, 1.0]), top_p=1e-9).tolist() == [0.0, 1.0, 0.0]


def test_ties_at_the_edge():
    assert next_token(torch.zeros(4), top_k=2).tolist() == [0.25] * 4
    assert next_token(torch.zeros(4), top_p=0.5).tolist() == [0.0, 0.0, 0.5, 0.5]


def test_shapes_and_low_precision():
    logits = torch.randn(2, 3, 10)
    assert next_token(logits).shape == logits.shape
    assert next_token(logits[0, 0]).shape == (10,)
    assert next_token(logits.bfloat16()).dtype == torch.float32
    assert next_token(logits.double()).dtype == torch.float64


@pytest.mark.parametrize(
    ("sampling", "say"),
    [
        ({"temperature": 0.0}, "greedy=True"),
        ({"temperature": -1.0}, "above 0"),
        ({"temperature": math.nan}, "above 0"),
        ({"temperature": math.inf}, "finite"),
        ({"top_k": 0}, "top_k=0 keeps no token"),
        ({"top_p": 0.0}, "top_p=0.0 is no probability"),
        ({"top_p": 1.1}, "top_p=1.1 is no probability"),
        ({"min_p": 0.0}, "min_p=0.0 is no probability"),
        ({"min_p": 1.5}, "min_p=1.5 is no probability"),
    ],
)
def test_sampling_that_makes_no_sense_is_refused(sampling, say):
    with pytest.raises(InputError, match=say):
        next_token(torch.zeros(3), **sampling)


@pytest.mark.parametrize("bad", [[-math.inf] * 3, [math.nan, 0.0, 1.0], [math.inf, 0.0, 1.0]])
def test_logits_from_which_nothing_can_be_chosen_are_refused(bad):
    with pytest.raises(InputError, match="no finite largest score"):
        next_token(torch.tensor(bad))
