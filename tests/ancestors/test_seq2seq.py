"""Sequence to sequence against torch's GRU and a written-out sum; padding; the alignment."""

import math

import pytest
import torch
from torch import nn

from support.ancestors import AdditiveAttention, Seq2Seq
from support.core import InputError
from support.model import Seq2SeqInputs
from support.training import Seq2SeqBatches, TrainConfig, train

NEAR = {"atol": 1e-12, "rtol": 0}
SOURCE, IDS = torch.tensor([[5, 3, 7, 4], [4, 8, 1, 2]]), torch.tensor([[1, 6, 2], [1, 3, 3]])


def test_additive_attention_is_the_sum_that_the_paper_writes():
    attention = AdditiveAttention(4).double()
    query, states = torch.randn(2, 4).double(), torch.randn(2, 3, 4).double()
    context, weights = attention(query, states)
    W, U, v = (p.weight.tolist() for p in (attention.query, attention.key, attention.score))
    for b in range(2):
        e = []
        for s in states[b].tolist():
            inner = [
                math.tanh(
                    sum(W[i][j] * query[b, j].item() for j in range(4))
                    + sum(U[i][j] * s[j] for j in range(4))
                )
                for i in range(4)
            ]
            e.append(sum(v[0][i] * inner[i] for i in range(4)))
        whole = sum(math.exp(x) for x in e)
        expected = [math.exp(x) / whole for x in e]
        assert weights[b].tolist() == pytest.approx(expected, abs=1e-12)
        mixed = [sum(a * states[b, t, i].item() for t, a in enumerate(expected)) for i in range(4)]
        assert context[b].tolist() == pytest.approx(mixed, abs=1e-12)


def theirs(part, d_in, d_hidden):
    """Torch's GRU with the weights of ours."""
    gru = nn.GRU(d_in, d_hidden, batch_first=True).double()
    with torch.no_grad():
        for name, layer in (("ih", part.input), ("hh", part.recurrent)):
            getattr(gru, f"weight_{name}_l0").copy_(layer.weight)
            getattr(gru, f"bias_{name}_l0").copy_(layer.bias)
    return gru


def test_without_attention_it_is_two_of_torchs_grus():
    model = Seq2Seq(9, d_model=4, d_hidden=6).double()
    encoder, decoder = theirs(model.encoder, 4, 6), theirs(model.decoder, 4, 6)
    _, h = encoder(model.embedding(SOURCE))
    hidden, _ = decoder(model.embedding(IDS), h)
    assert torch.allclose(model(Seq2SeqInputs(SOURCE, IDS)), model.output(hidden), **NEAR)


def test_with_attention_each_step_equals_torchs_cell():
    model = Seq2Seq(9, d_model=4, d_hidden=6, attention=True).double()
    states, h = theirs(model.encoder, 4, 6)(model.embedding(SOURCE))
    cell = nn.GRUCell(10, 6).double()
    with torch.no_grad():
        cell.weight_ih.copy_(model.decoder.input.weight)
        cell.bias_ih.copy_(model.decoder.input.bias)
        cell.weight_hh.copy_(model.decoder.recurrent.weight)
        cell.bias_hh.copy_(model.decoder.recurrent.bias)
    h, logits, attended = h[0], [], []
    for i in range(IDS.shape[1]):
        scores = torch.tanh(
            (h @ model.attention.query.weight.T)[:, None] + states @ model.attention.key.weight.T
        )
        weights = torch.softmax((scores @ model.attention.score.weight.T)[..., 0], 1)
        context = torch.einsum("bs,bsd->bd", weights, states)
        h = cell(torch.cat([model.embedding(IDS[:, i]), context], 1), h)
        logits.append(model.output(torch.cat([h, context], 1)))
        attended.append(weights)
    made, weights = model.write(Seq2SeqInputs(SOURCE, IDS))
    assert torch.allclose(made, torch.stack(logits, 1), **NEAR)
    assert torch.allclose(weights, torch.stack(attended, 1), **NEAR)


@pytest.mark.parametrize("attention", [False, True])
def test_padding_changes_nothing(attention):
    model = Seq2Seq(9, d_model=4, d_hidden=6, attention=attention).double()
    padded = torch.cat([SOURCE, torch.zeros(2, 3, dtype=torch.long)], 1)
    assert torch.allclose(model(Seq2SeqInputs(padded, IDS)), model(Seq2SeqInputs(SOURCE, IDS)), **NEAR)


@pytest.mark.parametrize("attention", [False, True])
def test_it_learns_to_turn_a_short_list_round(attention):
    model = Seq2Seq(12, d_model=16, d_hidden=32, attention=attention)
    lists = [torch.randint(3, 12, (3,)).tolist() for _ in range(400)]
    batches = Seq2SeqBatches([(ids, [1, *ids[::-1], 2]) for ids in lists], batch_size=32)
    history = train(model, batches, TrainConfig(steps=250, lr=0.01, weight_decay=0.0))
    assert history.losses[0] > 2 and history.losses[-1] < 0.3


def test_one_source_for_each_text():
    with pytest.raises(InputError, match="do not go with"):
        Seq2Seq(9, 4, 6)(Seq2SeqInputs(SOURCE, IDS[:1]))
