"""Speculative decoding: the rule is exact, the text is the large model's own, and passes are counted."""

from types import SimpleNamespace

import pytest
import torch
from helpers import shaken

from support.core import InputError
from support.generation import expected_tokens, generate, residual_distribution, speculative_generate
from support.model import GPT, GPTConfig


def random_model(seed=0, **changes):
    torch.manual_seed(seed)
    shape = {"vocab_size": 5, "context": 24, "d_model": 12, "n_heads": 2, "n_layers": 2, "masked_ids": (0,)}
    return shaken(GPT(GPTConfig(**(shape | changes))).double(), 0.4).eval()


def test_the_rule_gives_the_large_models_distribution_exactly():
    """q(x) min(1, p/q) + P(rejected) · residual(x) = p(x), with zeros in either of the two as well."""
    torch.manual_seed(0)
    for _ in range(50):
        p, q = (torch.rand(2, 7, dtype=torch.float64) * (torch.rand(2, 7) > 0.3) + 1e-12).unbind()
        p, q = p / p.sum(), q / q.sum()
        kept = torch.minimum(p, q)
        torch.testing.assert_close(
            kept + (1 - kept.sum()) * residual_distribution(p, q), p, atol=1e-12, rtol=0
        )
    assert residual_distribution(p, p).equal(p)


@pytest.mark.parametrize("k", [2])
def test_sampled_texts_are_distributed_as_the_large_models(k):
    """All texts of three tokens, their exact probabilities against 1,000 draws."""
    from scipy.stats import chisquare  # three seconds, for the process that runs this test alone

    large, small = random_model(0), random_model(1, d_model=8, n_layers=1)
    texts = [[1, a, b, c] for a in range(1, 5) for b in range(1, 5) for c in range(1, 5)]
    with torch.no_grad():
        logp = large(torch.tensor(texts)[:, :3]).log_softmax(-1)
    exact = logp.gather(2, torch.tensor(texts)[:, 1:, None]).sum((1, 2)).exp()
    assert exact.sum().item() == pytest.approx(1)
    drawn = [tuple(speculative_generate(large, small, [1], 3, k=k, seed=s).ids) for s in range(1000)]
    counts = torch.tensor([drawn.count(tuple(text)) for text in texts]).double()
    often = exact * 1000 >= 5
    observed = torch.cat([counts[often], counts[~often].sum()[None]])
    expected = torch.cat([exact[often], exact[~often].sum()[None]]) * 1000
    assert chisquare(observed.numpy(), expected.numpy()).pvalue > 1e-3
    # The draft alone would not pass.
    with torch.no_grad():
        wrong = small(torch.tensor(texts)[:, :3]).log_softmax(-1)
    other = wrong.gather(2, torch.tensor(texts)[:, 1:, None]).sum((1, 2)).exp() * 1000
    other = torch.cat([other[often], other[~often].sum()[None]])
    assert chisquare(observed.numpy(), other.numpy()).pvalue < 1e-6


@pytest.mark.parametrize("k", [1, 4])
def test_greedy_texts_are_the_same(k):
    large, small = random_model(0), random_model(1, n_layers=1)
    for start in range(1, 5):
        found = speculative_generate(large, small, [start], 15, k=k, greedy=True)
        assert found.ids == generate(large, [start], 15, greedy=True)


@pytest.mark.parametrize("changes", [{}, {"positions": "rope", "n_kv_heads": 1}, {"window": 4}])
def test_what_is_kept_of_the_reading_changes_nothing(changes, monkeypatch):
    """Texts, passes and kept tokens are those of models that read every text from its beginning."""
    large, small = random_model(0, **changes), random_model(1, n_layers=1, **changes)

    def drawn():
        return [speculative_generate(large, small, [1, 2], 15, k=3, seed=seed) for seed in range(8)]

    found = drawn()
    assert 0.1 < sum(one.accepted for one in found) / sum(one.drafted for one in found) < 0.9
    monkeypatch.setattr(GPT, "cache", lambda self, length: SimpleNamespace(limit=None, slots=length))
    assert drawn() == found


def test_passes_are_counted_and_a_stop_ends_the_text():
    large = random_model()
    perfect = speculative_generate(large, large, [1], 20, k=4)
    assert (perfect.passes, perfect.drafted, perfect.acceptance) == (4, 16, 1.0)
    useless = speculative_generate(large, lambda text: torch.eye(5)[0], [1], 20, k=4)  # only what is masked
    assert useless.accepted == 0 and useless.passes == 20 and len(useless.ids) == 21
    assert useless.judged == 19 < useless.drafted, "a rejection leaves the tokens behind it unjudged"
    ended = speculative_generate(large, large, [1], 20, k=4, stop=[perfect.ids[3]])
    assert ended.ids == perfect.ids[: perfect.ids.index(perfect.ids[3], 1) + 1]


def test_the_formula_counts_tokens_as_a_draft_of_a_known_acceptance_rate_does():
    """One distribution after every text: then each guess is accepted independently, with probability α."""
    torch.manual_seed(0)
    draft, k = torch.tensor([0.0, 0.4, 0.3, 0.2, 0.1]), 3
    large = random_model(context=160)
    torch.nn.init.zeros_(large.embedding.weight)  # every logit is zero: p is uniform over what is not masked
    found = [speculative_generate(large, lambda text: draft, [1], 150, k=k, seed=s) for s in range(30)]
    wanted = large(torch.tensor([[1]]))[0, 0].softmax(0)
    alpha = torch.minimum(wanted, draft).sum().item()
    judged, kept = sum(one.judged for one in found), sum(one.accepted for one in found)
    assert kept / judged == pytest.approx(alpha, abs=0.02)
    rate = sum(len(one.ids) - 1 for one in found) / sum(one.passes for one in found)
    assert rate == pytest.approx(expected_tokens(alpha, k), rel=0.05)
    assert expected_tokens(0.5, 3) == pytest.approx((1 - 0.5**4) / (1 - 0.5))


def test_what_cannot_be_speculated_is_refused():
    large = random_model()
    for arguments, words in (
        ({"k": 0}, "k=0 must be greater than or equal to 1"),
        ({"temperature": 0}, "temperature=0 must be above 0"),
        ({"seed": 2**70}, "seed=.* must be less than"),
    ):
        with pytest.raises(InputError, match=words):
            speculative_generate(large, large, [1], 3, **arguments)
    with pytest.raises(InputError, match="max_new_tokens=-1 must be greater than or equal to 0"):
        speculative_generate(large, large, [1], -1)
    with pytest.raises(InputError, match="exceed context"):
        speculative_generate(large, large, [1], 24)
    with pytest.raises(InputError, match="exceed context=4 of the draft"):
        speculative_generate(large, random_model(context=4), [1], 8)
    with pytest.raises(InputError, match="share a vocabulary"):
        speculative_generate(large, random_model(vocab_size=6), [1], 3)
    with pytest.raises(InputError, match="nothing to continue"):
        speculative_generate(large, large, [], 3)
    with pytest.raises(InputError, match="must each be a GPT"):
        speculative_generate(large, torch.compile(large, backend="eager"), [1], 3)
    torch.nn.init.constant_(large.final_norm.weight, float("nan"))
    for greedy in (True, False):
        with pytest.raises(InputError, match="no finite largest score"):
            speculative_generate(large, random_model(), [1], 3, greedy=greedy)
