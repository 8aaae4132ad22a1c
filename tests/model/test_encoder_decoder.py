"""The encoder–decoder against torch's, T5's and BART's blocks; padding, the cache, sharing, refusals."""

from dataclasses import replace

import pytest
import torch
from helpers import copy_linear, shaken
from torch import nn

from support.core import InputError
from support.generation import generate
from support.model import GPT, Block, CrossAttention, EncoderDecoder, GPTConfig, Seq2SeqInputs, attend
from support.training import Seq2SeqBatches, TrainConfig, train

SIZES = {"vocab_size": 11, "context": 12, "d_model": 16, "n_heads": 4, "n_layers": 2}
FAMILY = {
    "2017": {"norm_first": False, "positions": "sinusoidal", "activation": "relu"},
    "pre-norm": {},
    "T5's manner": {"norm": "rms", "attention_bias": False, "ffn_bias": False, "attention_scale": 1.0},
    "RoPE, shared keys": {"positions": "rope", "n_kv_heads": 2, "activation": "swiglu", "qk_norm": True},
    "ALiBi, window": {"positions": "alibi", "window": 4, "n_kv_heads": 1},
}
NEAR = {"atol": 1e-10, "rtol": 0}
SOURCE, IDS = torch.tensor([[5, 3, 7, 9], [4, 8, 1, 2]]), torch.tensor([[1, 6, 2, 10, 4], [1, 9, 9, 3, 5]])


def double(module):
    return shaken(module).double().eval()


def config(**changes):
    return GPTConfig(**SIZES | changes)


def parts(theirs, n):
    """Torch's one matrix for queries, keys and values, as linear layers."""
    found = []
    for weight, bias in zip(theirs.in_proj_weight.chunk(3), theirs.in_proj_bias.chunk(3), strict=True):
        found.append(nn.Linear(n, n))
        found[-1].weight.data, found[-1].bias.data = weight.data, bias.data
    return found


@pytest.mark.parametrize("norm_first", [True, False])
def test_a_block_equals_torchs_decoder_layer(norm_first):
    theirs = double(
        nn.TransformerDecoderLayer(16, 4, 40, 0.0, "gelu", batch_first=True, norm_first=norm_first)
    )
    ours = Block(config(norm_first=norm_first, d_ff=40), cross=True).double().eval()
    copy_linear(ours.attention.qkv, *parts(theirs.self_attn, 16))
    copy_linear(ours.attention.output, theirs.self_attn.out_proj)
    query, key, value = parts(theirs.multihead_attn, 16)
    copy_linear(ours.cross_attention.query, query)
    copy_linear(ours.cross_attention.key_value, key, value)
    copy_linear(ours.cross_attention.output, theirs.multihead_attn.out_proj)
    copy_linear(ours.feed_forward.up, theirs.linear1)
    copy_linear(ours.feed_forward.down, theirs.linear2)
    ours.norm_1, ours.norm_cross, ours.norm_2 = theirs.norm1, theirs.norm2, theirs.norm3
    x, memory = torch.randn(2, 5, 16).double(), torch.randn(2, 7, 16).double()
    ahead = nn.Transformer.generate_square_subsequent_mask(5, dtype=torch.float64)
    torch.testing.assert_close(ours(x, memory=memory), theirs(x, memory, tgt_mask=ahead), **NEAR)
    padding = torch.tensor([[False] * 7, [False] * 4 + [True] * 3])
    seen = ~padding[:, None, None].expand(-1, -1, 5, -1)
    torch.testing.assert_close(
        ours(x, memory=memory, memory_mask=seen),
        theirs(x, memory, tgt_mask=ahead, memory_key_padding_mask=padding),
        **NEAR,
    )


def test_blocks_equal_barts():
    from transformers import BartConfig
    from transformers.models.bart.modeling_bart import BartDecoderLayer, BartEncoderLayer

    cfg = BartConfig(d_model=16, encoder_attention_heads=4, decoder_attention_heads=4)
    cfg.encoder_ffn_dim = cfg.decoder_ffn_dim = 40
    cfg._attn_implementation = "eager"
    shape = config(norm_first=False, d_ff=40)
    reads, writes = double(BartEncoderLayer(cfg)), double(BartDecoderLayer(cfg, layer_idx=0))
    encoder = Block(replace(shape, causal=False)).double().eval()
    decoder = Block(shape, cross=True).double().eval()
    for ours, theirs in ((encoder, reads), (decoder, writes)):
        attention = theirs.self_attn
        copy_linear(ours.attention.qkv, attention.q_proj, attention.k_proj, attention.v_proj)
        copy_linear(ours.attention.output, attention.out_proj)
        copy_linear(ours.feed_forward.up, theirs.fc1)
        copy_linear(ours.feed_forward.down, theirs.fc2)
        ours.norm_1, ours.norm_2 = theirs.self_attn_layer_norm, theirs.final_layer_norm
    across = writes.encoder_attn
    copy_linear(decoder.cross_attention.query, across.q_proj)
    copy_linear(decoder.cross_attention.key_value, across.k_proj, across.v_proj)
    copy_linear(decoder.cross_attention.output, across.out_proj)
    decoder.norm_cross = writes.encoder_attn_layer_norm
    x, memory = torch.randn(2, 5, 16).double(), torch.randn(2, 7, 16).double()
    torch.testing.assert_close(encoder(memory), first(reads(memory, attention_mask=None)), **NEAR)
    ahead = torch.full((5, 5), -torch.inf).double().triu(1)[None, None]
    got = first(writes(x, attention_mask=ahead, encoder_hidden_states=memory))
    torch.testing.assert_close(decoder(x, memory=memory), got, **NEAR)


def first(answer):
    return answer[0] if isinstance(answer, tuple) else answer


def test_blocks_equal_t5s(monkeypatch):
    """Scores are not scaled and nothing has a bias. T5 norms and takes its softmax in single precision; both
    are kept in double here (the norm is torch's), so that the rest can be held to its last digits."""
    from transformers import T5Config
    from transformers.models.t5 import modeling_t5 as t5

    monkeypatch.setattr(t5, "T5LayerNorm", lambda n, eps: nn.RMSNorm(n, eps=eps))
    monkeypatch.setattr(torch.Tensor, "float", lambda self: self.double())
    cfg = T5Config(d_model=16, d_kv=6, num_heads=4, d_ff=40, dropout_rate=0.0, feed_forward_proj="relu")
    cfg._attn_implementation = "eager"
    shape = config(
        d_head=6, d_ff=40, norm="rms", norm_eps=cfg.layer_norm_epsilon, activation="relu",
        attention_bias=False, ffn_bias=False, attention_scale=1.0, positions="none",
    )  # fmt: skip
    reads = double(t5.T5Block(cfg, has_relative_attention_bias=False, layer_idx=0))
    deep = T5Config.from_dict(cfg.to_dict() | {"is_decoder": True})
    deep._attn_implementation = "eager"
    writes = double(t5.T5Block(deep, has_relative_attention_bias=False, layer_idx=0))
    encoder = Block(replace(shape, causal=False)).double().eval()
    decoder = Block(shape, cross=True).double().eval()
    for ours, theirs in ((encoder, reads), (decoder, writes)):
        attention, think = theirs.layer[0].SelfAttention, theirs.layer[-1].DenseReluDense
        copy_linear(ours.attention.qkv, attention.q, attention.k, attention.v)
        copy_linear(ours.attention.output, attention.o)
        copy_linear(ours.feed_forward.up, think.wi)
        copy_linear(ours.feed_forward.down, think.wo)
        ours.norm_1, ours.norm_2 = theirs.layer[0].layer_norm, theirs.layer[-1].layer_norm
    across = writes.layer[1].EncDecAttention
    copy_linear(decoder.cross_attention.query, across.q)
    copy_linear(decoder.cross_attention.key_value, across.k, across.v)
    copy_linear(decoder.cross_attention.output, across.o)
    decoder.norm_cross = writes.layer[1].layer_norm
    x, memory = torch.randn(2, 5, 16).double(), torch.randn(2, 7, 16).double()
    torch.testing.assert_close(encoder(memory), first(reads(memory)), **NEAR)
    ahead = torch.full((5, 5), -torch.inf).double().triu(1)[None, None]
    got = first(writes(x, attention_mask=ahead, encoder_hidden_states=memory))
    torch.testing.assert_close(decoder(x, memory=memory), got, **NEAR)


@pytest.mark.parametrize("n_kv_heads", [1, 2, 4])
def test_cross_attention_by_the_open_path(n_kv_heads):
    layer = double(CrossAttention(config(n_kv_heads=n_kv_heads)))
    x, memory = torch.randn(2, 5, 16).double(), torch.randn(2, 7, 16).double()
    seen = torch.ones(2, 1, 5, 7, dtype=torch.bool)
    seen[1, ..., 4:] = False
    output, weights = layer.with_weights(x, memory, seen)
    torch.testing.assert_close(layer(x, memory, seen), output, **NEAR)
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 4, 5).double())
    assert (weights[1, ..., 4:] == 0).all()
    q = x[0] @ layer.query.weight[:4].T + layer.query.bias[:4]  # the first head, the first text
    k, v = (
        memory[0] @ layer.key_value.weight[i : i + 4].T + layer.key_value.bias[i : i + 4]
        for i in (0, 4 * n_kv_heads)
    )
    torch.testing.assert_close(weights[0, 0], attend(q, k, v, causal=False)[1], **NEAR)


@pytest.mark.parametrize("name", FAMILY)
def test_padding_changes_nothing_on_either_side(name):
    model = double(EncoderDecoder(config(**FAMILY[name])))
    alone = model(Seq2SeqInputs(SOURCE[:1], IDS[:1]))
    source = torch.cat([nn.functional.pad(SOURCE[:1], (0, 3)), torch.tensor([[4, 8, 1, 2, 6, 10, 3]])])
    ids = nn.functional.pad(IDS, (0, 2))
    torch.testing.assert_close(model(Seq2SeqInputs(source, ids))[:1, :5], alone, **NEAR)
    pad = torch.tensor([2, 0])  # a target may be filled at its left, as prompts of different length are
    ids = torch.cat([nn.functional.pad(IDS[:1], (2, 0)), torch.randint(1, 11, (1, 7))])
    torch.testing.assert_close(model.conditioned_on(source)(ids, pad=pad)[:1, 2:], alone, **NEAR)


@pytest.mark.parametrize("name", FAMILY)
@pytest.mark.parametrize("sizes", [[1] * 5, [5], [3, 1, 1]], ids=str)
def test_cached_logits_equal_uncached_ones(name, sizes):
    model = double(EncoderDecoder(config(**FAMILY[name])))
    source = nn.functional.pad(SOURCE, (0, 2))
    writer = model.conditioned_on(source)
    cache = writer.cache(batch=2)
    cached = torch.cat([writer(part, cache) for part in IDS.split(sizes, dim=1)], dim=1)
    torch.testing.assert_close(cached, model(Seq2SeqInputs(source, IDS)), **NEAR)


@pytest.mark.parametrize("name", FAMILY)
def test_every_source_token_counts_and_no_later_target_does(name):
    model = double(EncoderDecoder(config(**FAMILY[name])))
    before = model(Seq2SeqInputs(SOURCE, IDS))
    for i in range(4):
        other = SOURCE.clone()
        other[:, i] = 10
        assert (model(Seq2SeqInputs(other, IDS)) - before).abs().amax(-1).min() > 1e-6
    later = IDS.clone()
    later[:, 3:] = 7
    torch.testing.assert_close(model(Seq2SeqInputs(SOURCE, later))[:, :3], before[:, :3])


def test_the_source_is_read_once():
    model = double(EncoderDecoder(config()))
    reads = []
    model.encoder.blocks[0].register_forward_hook(lambda *_: reads.append(1))
    writer = model.conditioned_on(SOURCE[:1])
    written = generate(writer, [1], max_new_tokens=6, greedy=True)
    assert len(reads) == 1
    ids = [1]
    for _ in range(6):
        ids.append(int(model(Seq2SeqInputs(SOURCE[:1], torch.tensor([ids])))[0, -1].argmax()))
    assert written == ids
    torch.testing.assert_close(writer(IDS), model(Seq2SeqInputs(SOURCE[:1].expand(2, -1), IDS)))


def test_given_is_as_in_use():
    model = double(EncoderDecoder(config(dropout=0.5)))
    want = model.conditioned_on(SOURCE)(IDS)
    model.train()
    writer = model.conditioned_on(SOURCE)
    assert model.training and not writer.memory.requires_grad
    torch.testing.assert_close(writer.eval()(IDS), want)


def test_one_embedding_for_all_or_two():
    shared, apart = EncoderDecoder(config()), EncoderDecoder(config(), share=False)
    assert shared.decoder.embedding is shared.encoder.embedding
    assert apart.n_parameters() - shared.n_parameters() == 11 * 16
    assert len(list(shared.parameters())) == len({id(p) for p in shared.parameters()})
    shared(Seq2SeqInputs(SOURCE, IDS)).sum().backward()
    assert shared.encoder.embedding.weight.grad is not None
    other = EncoderDecoder(config(causal=False), config(vocab_size=7, n_layers=1), share=False)
    assert other(Seq2SeqInputs(SOURCE, torch.tensor([[1, 2], [3, 4]]))).shape == (2, 2, 7)
    assert other.cross_weights(Seq2SeqInputs(SOURCE, torch.tensor([[1, 2], [3, 4]])))[0].shape == (2, 4, 2, 4)


def test_gradients_equal_finite_differences():
    model = double(EncoderDecoder(config(n_layers=1, d_model=8, n_heads=2)))
    pair, target = Seq2SeqInputs(SOURCE, IDS[:, :-1]), IDS[:, 1:]

    def loss():
        return nn.functional.cross_entropy(model(pair).flatten(0, 1), target.flatten())

    loss().backward()
    across = model.decoder.blocks[0].cross_attention
    for p in (
        across.key_value.weight,
        model.encoder.blocks[0].attention.qkv.weight,
        model.encoder.embedding.weight,
    ):
        at = p.grad.abs().flatten().argmax()
        h, grad = 1e-6, p.grad.flatten()[at].item()
        with torch.no_grad():
            p.view(-1)[at] += h
            up = loss()
            p.view(-1)[at] -= 2 * h
            down = loss()
            p.view(-1)[at] += h
        assert grad == pytest.approx(float(up - down) / (2 * h), rel=1e-5)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: EncoderDecoder(config(), config()), "causal=False"),
        (lambda: EncoderDecoder(config(causal=False), config(causal=False)), "causal=True"),
        (lambda: EncoderDecoder(config(causal=False), config(d_model=8)), "d_model=16 .* d_model=8"),
        (lambda: EncoderDecoder(config(causal=False), config(vocab_size=7)), "share=False"),
        (
            lambda: EncoderDecoder(config())(Seq2SeqInputs(SOURCE, IDS[:1])),
            "2 sources do not go with 1 texts"),
        (
            lambda: EncoderDecoder(config()).conditioned_on(SOURCE)(IDS[[0, 1, 0]]),
            "2 sources do not go with 3 texts"),
        (lambda: EncoderDecoder(config())(Seq2SeqInputs(0 * SOURCE, IDS)), "nothing but padding"),
        (
            lambda: EncoderDecoder(config())(Seq2SeqInputs(SOURCE.repeat(1, 4), IDS)),
            "1 to 12 tokens and was given 16"),
        (lambda: GPT(config(), cross=True)(IDS), "needs memory="),
        (lambda: GPT(config())(IDS, memory=torch.zeros(2, 3, 16)), "others take none"),
        (lambda: Seq2SeqBatches([([], [1, 2])], 1), "Pair 0 has an empty source"),
        (lambda: Seq2SeqBatches([([3], [1])], 1), "fewer than two"),
        (lambda: Seq2SeqBatches([], 1), "at least one text"),
    ],
)  # fmt: skip
def test_refused_in_a_sentence(build, words):
    with pytest.raises(InputError, match=words):
        build()


def test_learns_to_reverse_texts_of_different_length():
    generator = torch.Generator().manual_seed(0)
    texts = [
        torch.randint(4, 10, (n,), generator=generator).tolist() for n in [3, 4, 5, 6] for _ in range(100)
    ]
    batches = Seq2SeqBatches([(text, [1, *text[::-1], 2]) for text in texts], 32)
    assert all(a.equal(b) for a, b in zip(batches(3)[0], batches(3)[0], strict=True))
    model = EncoderDecoder(config(d_model=32, n_layers=1))
    history = train(model, batches, TrainConfig(steps=400, lr=1e-2, warmup=20, progress=False))
    assert history.losses[0] > 2 and sum(history.losses[-20:]) / 20 < 0.1
    for text in ([4, 5, 6, 7], [9, 9, 4], [8, 7, 6, 5, 4]):
        assert generate(model.conditioned_on(torch.tensor([text])), [1], 8, greedy=True, stop=[2]) == [
            1,
            *text[::-1],
            2,
        ]
