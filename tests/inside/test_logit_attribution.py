"""Shares add up exactly; each is what autograd says when the norm's size is held."""

import pytest
import torch

from support.core import InputError
from support.inside import direct_logit_attribution, logit_lens, trace

IDS = torch.tensor([[1, 5, 3, 7, 2], [4, 4, 6, 8, 0]])


@pytest.mark.parametrize("against", [None, 3])
@pytest.mark.parametrize("position", [-1, 2])
def test_shares_add_up_to_the_logit(family, against, position):
    found = direct_logit_attribution(family, IDS, token=6, against=against, position=position)
    logits = family(IDS)[:, position]
    want = logits[:, 6] - (0 if against is None else logits[:, against])
    torch.testing.assert_close(found.logit, want)
    torch.testing.assert_close(sum(found.parts().values()), want)
    assert len(found.parts()) == 2 + 2 * 3


def test_heads_and_neurons_add_up_to_their_parts(family):
    found, none = direct_logit_attribution(family, IDS, token=6, against=1), 0
    reader_of = _reader(family, IDS, 6, 1)
    for i, block in enumerate(family.blocks):
        bias = block.attention.output.bias
        rest = none if bias is None else reader_of @ bias
        torch.testing.assert_close(found.heads[i].sum(dim=1) + rest, found.attention[i])
        if found.neurons is not None:
            bias = block.feed_forward.down.bias
            rest = none if bias is None else reader_of @ bias
            torch.testing.assert_close(found.neurons[i].sum(dim=1) + rest, found.feed_forward[i])
    assert (found.neurons is None) == (family.config.n_experts > 1)


def _reader(model, ids, word, against):
    """Another way: the gradient of the difference with respect to the stream, the norm's size held."""
    last = trace(model, ids).streams[-1][:, -1].clone().requires_grad_()
    kind = model.config.norm
    if kind == "none":
        normed = last
    else:
        middle = last.mean(dim=-1, keepdim=True) if kind == "layer" else 0.0
        size = ((last - middle).square().mean(dim=-1, keepdim=True) + model.config.norm_eps).sqrt().detach()
        normed = (last - middle) / size * model.final_norm.weight
    rows = model.embedding.weight if model.head is None else model.head.weight
    (normed @ (rows[word] - rows[against])).sum().backward()
    return last.grad


def test_a_lone_share_is_the_lens_when_nothing_else_is_there(random_model):
    """Without a norm a share is the part's own logit, read with the head."""
    model = random_model(norm="none")
    seen, found = trace(model, IDS), direct_logit_attribution(model, IDS, token=2)
    torch.testing.assert_close(found.embedding, logit_lens(model, seen)[0][:, -1, 2])
    torch.testing.assert_close(found.feed_forward[1], seen.feed_forward[1][:, -1] @ model.embedding.weight[2])


def test_what_cannot_be_taken_apart_is_refused(random_model):
    for changes in ({"norm_first": False}, {"residual": False}):
        with pytest.raises(InputError, match="a stream that is a sum"):
            direct_logit_attribution(random_model(**changes), IDS, token=1)
    model = random_model(masked_ids=(0,))
    for wrong in ({"token": 0}, {"token": 9}, {"token": 1, "against": 0}):
        with pytest.raises(InputError, match="never predicts"):
            direct_logit_attribution(model, IDS, **wrong)
    for position in (IDS.shape[1], -IDS.shape[1] - 1):
        with pytest.raises(InputError, match=f"no position {position}"):
            direct_logit_attribution(model, IDS, token=1, position=position)
