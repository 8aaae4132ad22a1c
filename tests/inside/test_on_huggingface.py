"""A checkpoint that came from `transformers`: everything inside equals hand-written hooks on their model."""

import operator
from contextlib import contextmanager

import pytest
import torch

from support.exchange import from_huggingface
from support.inside import (
    ablate,
    activation_patching,
    direct_logit_attribution,
    hooked,
    logit_lens,
    run_with_cache,
    trace,
)

transformers = pytest.importorskip("transformers")

IDS, CORRUPTED = torch.tensor([[3, 1, 4, 1, 5, 9, 2, 6]]), torch.tensor([[3, 1, 4, 8, 5, 9, 2, 6]])
D_HEAD = 8


@pytest.fixture(scope="module")
def theirs():
    """Three layers of four heads, far from the tame start, in float64."""
    sizes = {"vocab_size": 50, "n_positions": 16, "n_embd": 32, "n_head": 4, "n_layer": 3}
    config = transformers.GPT2Config(**sizes, bos_token_id=0, eos_token_id=0, attn_implementation="eager")
    torch.manual_seed(3)
    model = transformers.GPT2LMHeadModel(config).double().eval()
    with torch.no_grad():
        for name, p in model.named_parameters():
            p.copy_(
                0.3 * torch.randn_like(p)
                + (1 if name.endswith(("ln_1.weight", "ln_2.weight", "ln_f.weight")) else 0)
            )
    return model


@pytest.fixture(scope="module")
def ours(theirs):
    return from_huggingface(theirs)


@contextmanager
def while_attached(*handles):
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def test_streams_and_patterns(theirs, ours):
    with torch.no_grad():
        want = theirs(IDS, output_hidden_states=True, output_attentions=True)
    seen = trace(ours, IDS)
    for layer in range(3):
        torch.testing.assert_close(seen.streams[2 * layer], want.hidden_states[layer])
        torch.testing.assert_close(seen.patterns[layer], want.attentions[layer])
    # Their last hidden state is the one behind the final norm.
    torch.testing.assert_close(ours.final_norm(seen.streams[-1]), want.hidden_states[-1])
    torch.testing.assert_close(seen.logits, want.logits)


@pytest.mark.parametrize(("layer", "head"), [(0, 0), (1, 3), (2, 1)])
@pytest.mark.parametrize("by", ["zero", "mean"])
def test_cutting_a_head(theirs, ours, layer, head, by):
    projection, dims = theirs.transformer.h[layer].attn.c_proj, slice(head * D_HEAD, (head + 1) * D_HEAD)
    kept = []
    with (
        while_attached(projection.register_forward_pre_hook(lambda _m, args: kept.append(args[0]))),
        torch.no_grad(),
    ):
        theirs(IDS)
    fill = kept[0][..., dims].mean(dim=(0, 1)) if by == "mean" else 0.0

    def cut(_module, args):
        z = args[0].clone()
        z[..., dims] = fill
        return (z,)

    with while_attached(projection.register_forward_pre_hook(cut)), torch.no_grad():
        want = theirs(IDS).logits
    with ablate(ours, heads=[(layer, head)], by=by, reference=IDS):
        torch.testing.assert_close(ours(IDS), want)
    assert not torch.allclose(want, theirs(IDS).logits, atol=1e-2)


@pytest.mark.parametrize("layer", range(3))
@pytest.mark.parametrize("part", ["attention", "feed_forward"])
def test_cutting_a_block(theirs, ours, layer, part):
    block = theirs.transformer.h[layer]

    def silent(_module, _args, output):
        return (torch.zeros_like(output[0]), *output[1:]) if isinstance(output, tuple) else output * 0

    module = block.attn if part == "attention" else block.mlp
    with while_attached(module.register_forward_hook(silent)), torch.no_grad():
        want = theirs(IDS).logits
    with ablate(ours, **{part: [layer]}):
        torch.testing.assert_close(ours(IDS), want)


def test_logit_lens(theirs, ours):
    with torch.no_grad():
        hidden = theirs(IDS, output_hidden_states=True).hidden_states
        want = [theirs.lm_head(theirs.transformer.ln_f(h)) for h in hidden[:-1]]
    lens = logit_lens(ours, trace(ours, IDS))
    for layer in range(3):
        torch.testing.assert_close(lens[2 * layer], want[layer])


def test_shares_of_a_logit(theirs, ours):
    """Their writes, caught by hand, read through their norm with its size held by an explicit division."""
    writes, handles = {}, []
    for i, block in enumerate(theirs.transformer.h):
        for name, module in (("attention", block.attn), ("feed-forward", block.mlp)):

            def keep(_module, _args, output, name=f"{name} {i}"):
                writes[name] = (output[0] if isinstance(output, tuple) else output)[0, -1]

            handles.append(module.register_forward_hook(keep))
    with while_attached(*handles), torch.no_grad():
        out = theirs(IDS, output_hidden_states=True)
    writes = {"embedding": out.hidden_states[0][0, -1]} | writes
    norm, last = theirs.transformer.ln_f, sum(writes.values())
    size = ((last - last.mean()).square().mean() + norm.eps).sqrt()
    apart = theirs.lm_head.weight[7] - theirs.lm_head.weight[11]
    found = direct_logit_attribution(ours, IDS, token=7, against=11).parts()
    for name, write in writes.items():
        want = ((write - write.mean()) / size * norm.weight) @ apart
        torch.testing.assert_close(found[name][0], want, msg=name)
    torch.testing.assert_close(sum(found.values())[0], out.logits[0, -1, 7] - out.logits[0, -1, 11])


@pytest.mark.parametrize("position", [3, 7])
def test_patching(theirs, ours, position):
    """A clean MLP write at one position, put into their corrupted pass."""
    kept = []
    mlp = theirs.transformer.h[1].mlp
    with (
        while_attached(mlp.register_forward_hook(lambda _m, _a, output: kept.append(output))),
        torch.no_grad(),
    ):
        clean = theirs(IDS).logits

    def put(_module, _args, output):
        output = output.clone()
        output[:, position] = kept[0][:, position]
        return output

    with torch.no_grad():
        bad = theirs(CORRUPTED).logits
        with while_attached(mlp.register_forward_hook(put)):
            mended = theirs(CORRUPTED).logits
    want = (mended - bad)[0, -1, 7] / (clean - bad)[0, -1, 7]
    point = "blocks.1.feed_forward.output"
    measure = operator.itemgetter((0, -1, 7))
    found = activation_patching(ours, IDS, CORRUPTED, measure, [point], each="position")
    torch.testing.assert_close(found[0, position].double(), want.double(), atol=1e-10, rtol=2**-24)


def test_a_pattern_put_in_place(theirs, ours):
    """Head 2 of layer 1 made to look at its own place alone: its output is then its own value."""
    attention = theirs.transformer.h[1].attn
    values = []
    catch = attention.c_attn.register_forward_hook(lambda _m, _a, out: values.append(out[..., 64:]))
    with while_attached(catch), torch.no_grad():
        theirs(IDS)
    dims = slice(2 * D_HEAD, 3 * D_HEAD)

    def own(_module, args):
        z = args[0].clone()
        z[..., dims] = values[0][..., dims]
        return (z,)

    with while_attached(attention.c_proj.register_forward_pre_hook(own)), torch.no_grad():
        want = theirs(IDS).logits

    def itself(pattern):
        return torch.cat([pattern[:, :2], torch.eye(8).to(pattern)[None, None], pattern[:, 3:]], dim=1)

    with hooked(ours, {"blocks.1.attention.pattern": itself}):
        torch.testing.assert_close(run_with_cache(ours, IDS, ["logits"])[0], want)


@pytest.fixture(scope="module")
def llama(script):
    """Grouped queries, turned positions, a gated network: a Llama, far from its tame start."""
    sizes = {"vocab_size": 50, "hidden_size": 32, "intermediate_size": 24, "num_hidden_layers": 2}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 16}
    config = transformers.LlamaConfig(
        **sizes, **heads, attn_implementation="eager", tie_word_embeddings=False
    )
    torch.manual_seed(4)
    transformers.LlamaForCausalLM(config)  # so that its file is loaded
    with script("parity").in_float64():
        model = transformers.LlamaForCausalLM(config).double().eval()
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(0.3 * torch.randn_like(p) + (p.ndim == 1))
    return model


def test_a_llama_inside(llama, script):
    """Streams, patterns, a cut head, a cut network and the shares, against hooks on their modules."""
    ours, layers = from_huggingface(llama), llama.model.layers
    writes, gated = [], []
    handles = [
        module.register_forward_hook(
            lambda _m, _a, out: writes.append((out[0] if isinstance(out, tuple) else out)[0, -1])
        )
        for layer in layers
        for module in (layer.self_attn, layer.mlp)
    ]
    handles += [
        layer.mlp.down_proj.register_forward_pre_hook(lambda _m, a: gated.append(a[0])) for layer in layers
    ]
    in_float64 = script("parity").in_float64
    with while_attached(*handles), torch.no_grad(), in_float64():
        want = llama(IDS, output_hidden_states=True, output_attentions=True)
    seen = trace(ours, IDS)
    exact = {"atol": 1e-10, "rtol": 0}
    for i in range(2):
        torch.testing.assert_close(seen.streams[2 * i], want.hidden_states[i], **exact)
        torch.testing.assert_close(seen.patterns[i], want.attentions[i], **exact)
        torch.testing.assert_close(seen.activations[i], gated[i], **exact)
    found = direct_logit_attribution(ours, IDS, token=7, against=11)
    last = want.hidden_states[0][0, -1] + sum(writes)
    norm, rows = llama.model.norm, llama.lm_head.weight
    size = (last.square().mean() + norm.variance_epsilon).sqrt()
    shares = [
        write / size * norm.weight @ (rows[7] - rows[11]) for write in (want.hidden_states[0][0, -1], *writes)
    ]
    torch.testing.assert_close(
        torch.stack(list(found.parts().values()))[:-1, 0], torch.stack(shares), **exact
    )
    torch.testing.assert_close(found.logit[0], want.logits[0, -1, 7] - want.logits[0, -1, 11], **exact)
    torch.testing.assert_close(found.neurons.sum(dim=2), found.feed_forward)

    def cut(_module, args):
        z = args[0].clone()
        z[..., 3 * D_HEAD :] = 0  # head 3 shares its keys and values with head 2
        return (z,)

    with (
        while_attached(
            layers[0].self_attn.o_proj.register_forward_pre_hook(cut),
            layers[1].mlp.register_forward_hook(lambda _m, _a, out: out * 0),
        ),
        torch.no_grad(),
        in_float64(),
    ):
        want = llama(IDS).logits
    with ablate(ours, heads=[(0, 3)], feed_forward=[1]):
        torch.testing.assert_close(ours(IDS), want, **exact)
