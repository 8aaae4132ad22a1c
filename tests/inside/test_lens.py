"""The lens ends in the answer; the tuned one starts as the plain one, and comes nearer to the answer."""

import pytest
import torch

from support.core import InputError
from support.inside import TunedLens, logit_lens, trace, tune_lens

IDS = torch.tensor([[1, 5, 3, 7, 2], [4, 4, 6, 8, 0]])


def divergence(model, lens):
    """The divergence (KL) of each stage's answer from the last one's."""
    said = lens.log_softmax(dim=-1)
    return (said[-1].exp() * (said[-1] - said)).sum(dim=-1).mean(dim=(1, 2))


def test_every_stage_goes_through_the_final_norm_and_head(family):
    seen = trace(family, IDS)
    lens = logit_lens(family, seen)
    torch.testing.assert_close(lens[-1], seen.logits)
    rows = family.embedding.weight if family.head is None else family.head.weight
    for stage, stream in zip(lens, seen.streams, strict=True):
        torch.testing.assert_close(stage, family.final_norm(stream) @ rows.T)


def test_an_untrained_tuned_lens_is_the_logit_lens(random_model):
    model = random_model(masked_ids=(0,))
    seen = trace(model, IDS)
    torch.testing.assert_close(TunedLens(7, 12).double()(model, seen), logit_lens(model, seen))


def test_tuning_comes_nearer_to_the_answer_and_leaves_the_model_alone(random_model):
    model = random_model(masked_ids=(0,))
    before = {name: p.clone() for name, p in model.named_parameters()}
    texts = torch.randint(1, 9, (40, 8))
    lens = tune_lens(model, texts[:30].tolist(), steps=60, lr=3e-2)
    seen = trace(model, texts[30:])
    plain, tuned = (divergence(model, x[..., 1:]) for x in (logit_lens(model, seen), lens(model, seen)))
    assert (tuned[:-1] < 0.7 * plain[:-1]).all(), (plain, tuned)
    torch.testing.assert_close(lens(model, seen)[-1], seen.logits)
    assert all(p.equal(before[name]) and p.grad is None for name, p in model.named_parameters())
    short = [tune_lens(model, texts[:30].tolist(), steps=5).matrices for _ in range(2)]
    assert short[0].equal(short[1]), "the same seed gives the same lens"


def test_an_affine_stage_is_undone_exactly(random_model):
    """If the blocks only turned and shifted the stream, an affine lens could see through them: so it does."""
    model = random_model(norm="none", n_layers=1, activation="relu", positions="none")
    with torch.no_grad():
        for p in model.blocks[0].attention.parameters():
            p.zero_()
        # Far behind the threshold everything is a straight line.
        model.blocks[0].feed_forward.up.bias.fill_(50.0)
    texts = torch.randint(0, 9, (60, 8)).tolist()
    lens = tune_lens(model, texts, steps=250, lr=0.1)
    seen = trace(model, torch.tensor(texts[:5]))
    assert divergence(model, lens(model, seen))[0] < 0.02 * divergence(model, logit_lens(model, seen))[0]


def test_no_text_is_refused(random_model):
    with pytest.raises(InputError, match="at least one"):
        tune_lens(random_model(), [])
