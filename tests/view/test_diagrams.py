"""Drawings: what each must have, and that the numbers on them are right, by other means."""

import inspect
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import torch

from support.core import InputError
from support.model import GPT, GPTConfig
from support.view import diagram
from support.view.diagram.attention import SCORES, causal_weights
from support.view.diagram.canvas import PAPER, SMALLEST, WIDTH
from support.view.style import ROLES

ROOT = Path(__file__).resolve().parents[2]
NAMES = [n for n in diagram.__all__ if n[0].islower()]
GPT2 = GPTConfig(vocab_size=50257, context=1024, d_model=768, n_layers=12, n_heads=12)
LLAMA = GPTConfig(
    vocab_size=32000,
    d_model=4096,
    n_layers=32,
    n_heads=8,
    n_kv_heads=2,
    activation="swiglu",
    positions="rope",
)
TAKE_A_CONFIG = [n for n in NAMES if "config" in inspect.signature(getattr(diagram, n)).parameters]


def made(name, *given, **more):
    return getattr(diagram, name)(*given, **more)


def words(drawing):
    """All its text, one piece for each."""
    root = ET.fromstring(drawing.svg)
    return [
        "".join(t.itertext()).replace("\u200b", "") for t in root.iter("{http://www.w3.org/2000/svg}text")
    ]


def brightness(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_every_drawing_fits_a_phone_can_be_read_and_is_described(name):
    drawing = made(name)
    root = ET.fromstring(drawing.svg)
    assert root.get("class") == "diagram" and root.get("role") == "img"
    assert root.get("aria-label") == drawing.alt == repr(drawing)
    assert drawing.size[0] <= WIDTH and 100 <= drawing.size[1] <= 720
    sizes = [float(t.get("font-size")) for t in root.iter() if t.get("font-size")]
    assert min(sizes) >= SMALLEST and len(sizes) >= 4
    assert len(drawing.alt) > 120 and drawing.alt.endswith(".")
    assert re.search(r"\d|\[", drawing.alt), "the description names no number and no shape"
    assert set(re.findall(r"var\(--([a-z]+)\)", drawing.svg)) <= {*ROLES, "paper"}
    assert not re.search(r"\bid=|url\(|https?:(?!//www.w3.org/2000/svg)|nan|inf\b", drawing.svg)
    assert len(drawing.svg) < 40_000
    assert made(name).svg == drawing.svg


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_gets_the_drawing_and_its_description(name):
    drawing = made(name)
    data, metadata = drawing._repr_mimebundle_()
    assert data == {"image/svg+xml": drawing.svg, "text/plain": drawing.alt}
    assert metadata == {"image/svg+xml": {"alt": drawing.alt}}


@pytest.mark.parametrize("config", [GPT2, LLAMA], ids=["GPT-2", "Llama"])
@pytest.mark.parametrize("name", TAKE_A_CONFIG)
def test_with_a_configuration_its_numbers_stand_on_the_arrows(name, config):
    text, named = " ".join(words(made(name, config))), " ".join(words(made(name)))
    assert not re.search(r"\b(d_model|d_ff|n_heads|n_kv_heads)\b", text), text
    assert re.search(r"\bd_(model|head|ff)\b|\bn_heads\b|\bV\b", named), named
    numbers = {config.d_model, config.d_head, config.d_ff, config.vocab_size, config.n_heads}
    assert numbers & {int(n) for n in re.findall(r"\d+", text)}


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("role", sorted(set(ROLES) - {"line"}))
def test_every_role_can_be_read_on_its_paper(role, theme):
    light, dark = sorted([brightness(ROLES[role][theme]), brightness(PAPER[theme])], reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_the_live_figures_have_the_same_colours():
    style = (ROOT / "book" / "assets" / "live.css").read_text(encoding="utf8")
    for name, role in (("a", "stream"), ("b", "attention"), ("c", "ffn")):
        assert tuple(re.findall(rf"--live-{name}: (#\w+)", style)) == ROLES[role]


def test_the_weights_of_attention_are_the_causal_softmax_of_its_scores():
    scores = torch.tensor(SCORES, dtype=torch.float64)
    masked = scores.masked_fill(torch.ones(4, 4).triu(1).bool(), -torch.inf)
    torch.testing.assert_close(torch.tensor(causal_weights(SCORES), dtype=torch.float64), masked.softmax(-1))
    shown = [w for w in words(diagram.attention()) if re.fullmatch(r"\.\d\d|1", w)]
    assert [float(w) for w in shown] == [
        pytest.approx(w, abs=0.005) for i, row in enumerate(masked.softmax(-1).tolist()) for w in row[: i + 1]
    ]


@pytest.mark.parametrize("bias", [-0.4, -1.0])
def test_the_neuron_computes(bias):
    x, w = torch.tensor([1.0, 0.5, 2.0]), torch.tensor([0.8, -1.2, 0.5])
    out = torch.nn.functional.linear(x, w[None], torch.tensor([bias])).relu().item()
    assert f"output {out:.1f}".replace(".0", "") in words(diagram.neuron(bias=bias))


def test_the_networks_parameters_are_those_of_torch():
    layers = [torch.nn.Linear(a, b) for a, b in ((4, 5), (5, 6), (6, 3))]
    count = sum(p.numel() for layer in layers for p in layer.parameters())
    assert f"{count} parameters" in diagram.network((4, 5, 6, 3)).alt


def test_the_path_of_descent_is_that_of_torchs_sgd():
    w = torch.tensor([-2.4, 1.5], dtype=torch.float64, requires_grad=True)
    a = torch.tensor([[1.0, 0.5], [0.5, 2.0]], dtype=torch.float64)
    sgd = torch.optim.SGD([w], lr=0.1, momentum=0.5)
    losses = [0.5 * (w @ a @ w).item()]
    for _ in range(9):
        sgd.zero_grad()
        loss = 0.5 * w @ a @ w
        loss.backward()
        sgd.step()
        losses.append(0.5 * (w @ a @ w).item())
    drawing = diagram.descent(rate=0.1, steps=9, momentum=0.5)
    assert f"9 steps: loss {losses[0]:.2f} → {losses[-1]:.2g}" in words(drawing)
    last = [c for c in ET.fromstring(drawing.svg).iter() if c.tag.endswith("circle")][-2]
    assert float(last.get("cx")) == pytest.approx(172 + 50 * w[0].item(), abs=0.06)
    assert float(last.get("cy")) == pytest.approx(160 - 50 * w[1].item(), abs=0.06)


def test_the_cache_of_each_kind_of_heads_is_counted():
    text = " ".join(words(diagram.heads(LLAMA)))
    for kv in (8, 2, 1):
        cfg = GPTConfig(vocab_size=9, context=8, d_model=64, n_heads=8, n_kv_heads=kv, d_head=512, n_layers=1)
        qkv = GPT(cfg).blocks[0].attention.qkv.weight.shape[0] - 8 * 512  # what is left are keys and values
        assert f"{qkv} numbers per token" in text


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: diagram.attention(words=["a", "b"]), "3 to 5 words"),
        (lambda: diagram.attention(words=["a", "b", "c"]), "a square of scores"),
        (lambda: diagram.heads(n_heads=6, groups=4), "a divisor"),
        (lambda: diagram.cache(prompt=["a"]), "prompt of 2 to 4"),
        (lambda: diagram.families(source=9), "3 to 6 tokens"),
        (lambda: diagram.neuron((1, 2), (1,)), "two or three of each"),
        (lambda: diagram.network((2, 30)), "sizes from 1 to 6"),
        (lambda: diagram.network((2, 3), ["a"]), "one for each"),
        (lambda: diagram.descent(start=(9, 0)), "off the sheet"),
        (lambda: diagram.descent(rate=1.2), "smaller learning rate"),
        (lambda: diagram.rnn(["a"]), "two to four"),
        (lambda: diagram.seq2seq(weights=(1, 1, 1)), "sum to 1"),
        (lambda: diagram.Drawing(10).done("too short"), "tells a blind reader nothing"),
    ],
)
def test_what_cannot_be_drawn_is_refused(call, sentence):
    with pytest.raises(InputError, match=sentence):
        call()


def test_words_are_text_and_never_markup():
    drawing = diagram.rnn(["<b>", "&amp;", '"'])
    assert {"<b>", "&amp;", '"'} <= set(words(drawing))
    assert "<b>" not in drawing.svg
