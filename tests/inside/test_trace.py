"""A trace is the pass itself taken apart: its pieces add up, and cutting one equals removing its write."""

import pytest
import torch

from support.alignment import add_lora, lora_parameters, merge_lora
from support.core import InputError
from support.inside.lens import logit_lens
from support.inside.logit_attribution import direct_logit_attribution
from support.inside.trace import ablate, trace
from support.model import quantize

IDS = torch.tensor([[1, 5, 3, 7, 2], [4, 4, 6, 0, 0]])


@pytest.mark.parametrize("changes", [{}, {"tie_weights": False}, {"positions": "none"}, {"dropout": 0.3}])
def test_writes_sum_to_the_final_stream(changes, random_model):
    model = random_model(**changes).train()
    seen = trace(model, IDS)
    assert model.training, "the mode is given back"
    writes = [w for pair in zip(seen.attention, seen.feed_forward, strict=True) for w in pair]
    sums = torch.stack([seen.embedding, *writes]).cumsum(0)
    torch.testing.assert_close(sums, seen.streams)
    assert len(seen.stages) == len(seen.streams) == 7
    torch.testing.assert_close(model.eval()(IDS), seen.logits)
    torch.testing.assert_close(model.unembed(seen.streams[-1]), seen.logits)


def test_heads_sum_to_the_attention_write(random_model):
    model = random_model()
    seen = trace(model, IDS)
    for layer, block in enumerate(model.blocks):
        whole = seen.heads[layer].sum(dim=1) + block.attention.output.bias
        torch.testing.assert_close(whole, seen.attention[layer])


def test_pieces_equal_a_pass_by_hand(random_model):
    model = random_model()
    seen = trace(model, IDS)
    stream = model.embed(IDS)
    for layer, block in enumerate(model.blocks):
        write, weights = block.attention.with_weights(block.norm_1(stream))
        torch.testing.assert_close(seen.attention[layer], write)
        torch.testing.assert_close(seen.patterns[layer], weights)
        stream = stream + write
        read = block.norm_2(stream)
        hidden = block.feed_forward.activation(block.feed_forward.up(read))
        torch.testing.assert_close(seen.activations[layer], hidden)
        stream = stream + block.feed_forward(read)
        torch.testing.assert_close(seen.streams[2 * layer + 2], stream)


def test_post_norm_streams_are_the_blocks_outputs(random_model):
    model = random_model(norm_first=False)
    seen = trace(model, IDS)
    stream = seen.embedding
    for layer, block in enumerate(model.blocks):
        stream = block.norm_1(stream + seen.attention[layer])
        torch.testing.assert_close(seen.streams[2 * layer + 1], stream)
        stream = block.norm_2(stream + seen.feed_forward[layer])
        torch.testing.assert_close(seen.streams[2 * layer + 2], stream)


def test_one_sequence_or_a_batch(random_model):
    model = random_model()
    one, batch = trace(model, IDS[0].tolist()), trace(model, IDS)
    torch.testing.assert_close(one.logits, batch.logits[:1])
    torch.testing.assert_close(trace(model, IDS[0]).heads, one.heads)
    with pytest.raises(InputError):
        trace(model, [99])


def test_lens_ends_in_the_answer_and_starts_at_the_embedding(random_model):
    model = random_model(masked_ids=(0,))
    seen = trace(model, IDS)
    lens = logit_lens(model, seen)
    torch.testing.assert_close(lens[-1], seen.logits)
    first = model.final_norm(seen.embedding) @ model.embedding.weight.T
    torch.testing.assert_close(lens[0][..., 1:], first[..., 1:])


def test_cutting_a_head_removes_exactly_its_write(random_model):
    model = random_model()
    before, logits = trace(model, IDS), model(IDS)
    with ablate(model, heads=[(1, 2), (1, 0)]) as cut:
        after = trace(cut, IDS)
    torch.testing.assert_close(after.attention[1], before.attention[1] - before.heads[1][:, [0, 2]].sum(1))
    assert after.heads[1][:, [0, 2]].eq(0).all()
    torch.testing.assert_close(after.patterns[1], before.patterns[1])
    assert model(IDS).equal(logits), "nothing stays behind"


def test_cutting_attention_equals_a_zero_output_matrix(random_model):
    model = random_model()
    with ablate(model, attention=[0], feed_forward=[2]):
        cut = model(IDS)
    with torch.no_grad():
        for layer in (model.blocks[0].attention.output, model.blocks[2].feed_forward.down):
            layer.weight.zero_()
            layer.bias.zero_()
    torch.testing.assert_close(model(IDS), cut)


def test_mean_ablation_writes_the_mean(random_model):
    model = random_model(masked_ids=(0,))
    before, real = trace(model, IDS), IDS.ne(0)
    with ablate(model, heads=[(0, 1)], feed_forward=[1], by="mean", reference=IDS):
        after = trace(model, IDS)
    head = before.heads[0][:, 1][real].mean(0)
    torch.testing.assert_close(after.heads[0][:, 1], head.expand(2, 5, -1))
    block = before.feed_forward[1][real].mean(0)
    torch.testing.assert_close(after.feed_forward[1], block.expand(2, 5, -1))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_the_mean_over_a_reference_on_a_gpu(random_model):
    model, ids = random_model(masked_ids=(0,)), torch.tensor([[1, 5, 3], [4, 0, 0]])
    with ablate(model, heads=[(0, 1)], by="mean", reference=ids):
        want = model(ids)
    model.cuda()
    with ablate(model, heads=[(0, 1)], by="mean", reference=ids.cuda()):
        torch.testing.assert_close(model(ids.cuda()).cpu(), want)


def test_gradients_flow_through_a_cut_model(random_model):
    model = random_model()
    with ablate(model, heads=[(0, 0)]):
        model(IDS).sum().backward()
    rows = model.blocks[0].attention.qkv.weight.grad.unflatten(0, (3, 3, 4))
    assert rows[:, 0].eq(0).all() and rows[:, 1].ne(0).any()


def test_wrong_parts_are_refused_and_leave_nothing_behind(random_model):
    model = random_model()
    logits = model(IDS)
    for wrong in ({"heads": [(0, 3)]}, {"heads": [(3, 0)]}, {"attention": [3]}, {"feed_forward": [-1]}):
        with pytest.raises(InputError, match="3 layers of 3 heads"), ablate(model, **wrong):
            pass
    with pytest.raises(InputError, match="reference"), ablate(model, attention=[0], by="mean"):
        pass
    with pytest.raises(RuntimeError), ablate(model, attention=[0]):
        raise RuntimeError
    assert model(IDS).equal(logits)


def replaced(model, kind):
    """The model with adapters far from zero, or in eight bits; and what a pass may differ by."""
    if kind == "int8":
        return quantize(model), 0.05
    adapted = add_lora(model, rank=2)
    for parameter in lora_parameters(adapted):
        torch.nn.init.normal_(parameter)
    return adapted.eval(), 1e-9


@pytest.mark.parametrize("kind", ["adapters", "int8"])
def test_heads_and_neurons_of_replaced_layers_add_up(random_model, kind):
    model, error = replaced(random_model(tie_weights=False), kind)
    seen = trace(model, IDS)
    bias = torch.stack([block.attention.output.bias for block in model.blocks])[:, None, None]
    scale = seen.attention.abs().max()
    assert (seen.heads.sum(dim=2) + bias - seen.attention).abs().max() < error * scale
    found = direct_logit_attribution(model, IDS, token=2)
    logit = model(IDS)[:, -1, 2]
    assert (found.logit - logit).abs().max() < error * logit.abs().max().clamp(min=1)
    if kind == "adapters":  # an independent way: the same model with its adapters in the weights
        merged = direct_logit_attribution(merge_lora(model), IDS, token=2)
        torch.testing.assert_close(found.neurons, merged.neurons)
        torch.testing.assert_close(found.heads, merged.heads)


def test_a_hook_on_a_replaced_layer_is_not_part_of_its_weight(random_model):
    model, _ = replaced(random_model(), "adapters")
    whole = trace(model, IDS).heads
    with ablate(model, heads=[(0, 1)]):
        cut = trace(model, IDS).heads
    assert cut[0, :, 1].abs().max() == 0
    torch.testing.assert_close(cut[0, :, 0], whole[0, :, 0])
