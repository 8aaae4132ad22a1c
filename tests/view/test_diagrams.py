"""Drawings: what each must have, and that the numbers on them are right, by other means."""

import inspect
import math
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import torch

from support.core import InputError
from support.inside import hook_points
from support.model import GPT, GPTConfig
from support.text import BPETokenizer
from support.training import TrainConfig, ring_all_reduce
from support.view import diagram
from support.view.diagram.attention import SCORES
from support.view.diagram.canvas import PAPER, SMALLEST, WIDTH
from support.view.diagram.inside import GPT2_NAMES
from support.view.diagram.way import DOWN, UP
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


NEEDED = {"learning_curve": ([1, 10, 100], [3.3, 2.0, 1.2], 1.1, {"bigram": 1.8, "trigram": 1.15})}


def made(name, *given, **more):
    return getattr(diagram, name)(*(given or NEEDED.get(name, ())), **more)


def text_of(part, formulas=True):
    """All its text; without what a page leaves out that promises no formulas, if asked."""
    inner = (
        ("" if c.get("class") == "formula" and not formulas else text_of(c, formulas)) + (c.tail or "")
        for c in part
    )
    return (part.text or "").replace("\u200b", "") + "".join(inner).replace("\u200b", "")


def words(drawing, formulas=True):
    """All its text, one piece for each."""
    root = ET.fromstring(drawing.svg)
    texts = root.iter("{http://www.w3.org/2000/svg}text")
    return [text_of(t, formulas).strip() for t in texts]


def brightness(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_without_its_formulas_a_drawing_still_has_words(name):
    """What is left has no formula, no shape and no loose end, and most of the words are still there."""
    drawing = made(name)
    left = [text for text in words(drawing, formulas=False) if text]
    assert not (
        wrong := [text for text in left if re.search(r"√|∂|σ\(|tanh\(|\[[TVBS]\b|−ln|^[,:]", text)]
    ), wrong
    assert not (loose := [text for text in {*left} - {*words(drawing)} if re.search(r"[,:=]$", text)]), loose
    letters = [sum(map(len, texts)) for texts in (left, words(drawing))]
    assert letters[0] > 0.45 * letters[1], (left, words(drawing))


def test_the_places_of_a_model_have_no_names_of_code_where_no_code_is_shown():
    left = " ".join(words(made("hooks"), formulas=False))
    assert not re.search(r"residual\.|attention\.|feed_forward|\[B", left)
    assert "who attends to whom" in left and "each head’s sum of values" in left
    assert "16 paths." in " ".join(words(made("computation_graph"), formulas=False))


def test_each_setting_of_sampling_is_seen_to_change_the_probabilities():
    drawing = made("sampling")
    shown = [word for word in words(drawing) if re.fullmatch(r"0\.\d\d", word)]
    warm, first, last = shown[:5], shown[5:8], shown[8:]
    assert warm[0] < first[0] < last[0] and len(last) == 2
    assert drawing.svg.count("stroke-dasharray") == 5 and "dashed:" in words(drawing)


def test_a_number_stays_when_its_symbol_goes():
    drawing = made("computation_graph")
    assert "∂L/∂h0 = −0.34" in words(drawing) and "−0.34" in words(drawing, formulas=False)
    counts = words(diagram.predictors(17_964, 100, 60, 3), formulas=False)
    assert "17,964⁴ = 10¹⁷ counts" in counts  # arithmetic is no formula


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
    text, named = " ".join(words(made(name, config=config))), " ".join(words(made(name)))
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


def test_a_ring_adds_up_what_the_ring_of_the_package_does():
    rows = [[7, 0, 12, 5], [1, 2, 3, 4], [90, 8, 70, 6], [0, 300, 1, 20]]
    drawn = words(diagram.ring(rows))
    numbers = [int(word) for word in drawn if word.isdigit() and len(word) < 4]
    frames = [word for word in drawn if word.startswith("round")]
    assert [word for word in drawn if word.startswith("device ")] == [f"device {k}" for k in range(4)]
    sums, sent = ring_all_reduce(torch.tensor(rows, dtype=torch.float32))
    assert len(frames) == sent[0] == 6
    assert numbers[:16] == [number for row in rows for number in row]
    assert numbers[-16:] == 4 * sums[0].tolist() and len(numbers) == 7 * 16
    for wrong in ([[1, 2], [3, 4]], [[999] * 4] * 4):
        with pytest.raises(InputError, match="three digits"):
            diagram.ring(wrong)


def test_a_gated_network_is_drawn_as_one():
    assert made("feed_forward", LLAMA).svg == diagram.swiglu(LLAMA).svg


def test_the_weights_of_attention_are_the_causal_softmax_of_its_scores():
    wanted = []
    for i, row in enumerate(SCORES):
        powers = [math.exp(score) for score in row[: i + 1]]
        wanted += [power / sum(powers) for power in powers]
    shown = [w for w in words(diagram.attention()) if re.fullmatch(r"\.\d\d|1", w)]
    assert [float(w) for w in shown] == [pytest.approx(w, abs=0.0051) for w in wanted]


@pytest.mark.parametrize("bias", [-0.4, -1.0])
def test_the_neuron_computes(bias):
    x, w = torch.tensor([1.0, 0.5, 2.0]), torch.tensor([0.8, -1.2, 0.5])
    out = torch.nn.functional.linear(x, w[None], torch.tensor([bias])).relu().item()
    assert f"output {out:.1f}".replace(".0", "") in words(diagram.neuron(bias=bias))


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


def test_the_loss_and_its_gradient_are_those_of_torch():
    logits = torch.tensor([2.1, 1.4, -0.5], dtype=torch.float64, requires_grad=True)
    loss = torch.nn.functional.cross_entropy(logits[None], torch.tensor([1]))
    loss.backward()
    shown = words(diagram.loss_of_logits(target=1))
    assert any(w.endswith(f"= {loss.item():.2f}") for w in shown)
    assert {f"{g:.2f}".replace("-", "−") for g in logits.grad.tolist()} <= set(shown)


def test_what_is_left_to_draw_from_is_counted_by_hand():
    # e^0 : e^-1 : e^-2, of which the second with the first reaches 0.9 of the two
    shown = words(diagram.sampling(["a", "b", "c"], (3, 2, 1), temperature=1, top_k=2, top_p=0.7))
    total = 1 + math.exp(-1) + math.exp(-2)
    first = [f"{math.exp(-k) / total:.2f}" for k in range(3)]
    second = [f"{1 / (1 + math.exp(-1)):.2f}", f"{math.exp(-1) / (1 + math.exp(-1)):.2f}"]
    assert [w for w in shown if re.fullmatch(r"0\.\d\d|1\.00", w)] == [*first, *second, "1.00"]
    assert shown.count("✕") == 1 + 2


def test_values_and_gradients_of_the_graph_are_autograds():
    weights, start, reader = (0.5, -0.2, 0.3, 0.4), 0.8, 0.9
    states = [torch.tensor(start, dtype=torch.float64, requires_grad=True)]
    for w in weights:
        states.append(states[-1] + w * states[-1])
        states[-1].retain_grad()
    loss = -torch.nn.functional.logsigmoid(reader * states[-1])
    loss.backward()
    shown = words(diagram.computation_graph(weights, start, reader))
    for k, state in enumerate(states):
        assert f"h{k} = {state.item():.2f}" in shown
        assert f"∂L/∂h{k} = {state.grad.item():.2f}".replace("-", "−") in shown
    assert f"loss = −ln p = {loss.item():.2f}" in shown
    factors = {f"× {w:g}".replace("-", "−") for w in (*weights, reader)}
    assert factors <= {*words(diagram.computation_graph(weights, start, reader), formulas=False)}


def test_the_walk_back_has_the_gradients_of_autograd():
    x, weight = (torch.tensor(value, dtype=torch.float64, requires_grad=True) for value in (-1.5, 2.0))
    product = weight * x
    product.retain_grad()
    ((product - 1) ** 2).backward()
    alt = diagram.walk_back(-1.5, 2.0, 1.0).alt
    told = f"1, {product.grad.item():g}, {product.grad.item():g}, {x.grad.item():g}".replace("-", "−")
    assert told in alt and f"gradient of the weight {weight.grad.item():g}." in alt


def test_an_id_is_a_place_in_the_list_and_an_unknown_word_has_that_of_unk():
    ours = ["<PAD>", "<UNK>", "the", "cat", "sat"]
    assert diagram.vocabulary("sat the cat", ours).alt.endswith("the ids 4 2 3.")
    assert diagram.vocabulary("the dog", ours).alt.endswith("The tokens the dog become the ids 2 1.")


def test_the_merges_are_those_of_the_tokenizer():
    tokenizer = BPETokenizer.train("low low low low lowest newest widest", vocab_size=260)
    pairs = [(a.decode(), b.decode()) for a, b in tokenizer.merges]
    left = [tokenizer.token(i).decode() for i in tokenizer.encode("lowest")]
    assert f"the word is {len(left)} tokens: {', '.join(left)}." in diagram.merges("lowest", pairs).alt


def test_the_table_of_counts_grows_with_the_power_of_the_context():
    assert "12⁴ = 2.1 · 10⁴ counts" in words(diagram.predictors(vocab_size=12, context=3))
    assert 12**4 == 20736


def test_the_schedule_is_drawn_as_it_is():
    training = TrainConfig(steps=200, lr=0.01, warmup=50, min_lr=0.001)
    root = ET.fromstring(diagram.training_loop(training).svg)
    curve = max((p.get("d") for p in root.iter() if p.tag.endswith("path")), key=len)
    points = [tuple(map(float, pair.split())) for pair in curve[1:].split("L")]
    [low, high] = [f(y for _, y in points) for f in (max, min)]
    top = next(x for x, y in points if y == high)
    assert top == pytest.approx(62 + 250 * 50 / 200, abs=3)  # where the warm-up ends
    assert (530 - points[-1][1]) / (530 - high) == pytest.approx(0.1, abs=0.02) and low <= 530


def test_the_adapter_counts_its_numbers():
    pair = torch.nn.Linear(64, 4, bias=False), torch.nn.Linear(4, 64, bias=False)
    few = sum(m.weight.numel() for m in pair)
    assert f"trained: {few} numbers instead of {64 * 64:,}" in words(diagram.lora(64, 4))


def test_the_names_on_hooks_and_checkpoints_are_the_packages():
    config = GPTConfig(vocab_size=9, context=8, d_model=8, n_heads=2, n_layers=1)
    model = GPT(config)
    shown = words(diagram.hooks(config))
    here = [name.removeprefix("blocks.0.") for name in hook_points(model)]
    assert [name for name in here if name not in shown and name != "logits"] == []
    ours = {name.rpartition(".")[0] for name in model.state_dict()}
    assert {name for _, name, _ in GPT2_NAMES} == ours


@pytest.mark.parametrize("name", ["wte", "h.0.attn.c_attn ᵀ", "h.0.mlp.c_proj ᵀ"])
def test_what_the_checkpoint_turns_round_is_stored_so(name):
    from transformers import GPT2Config, GPT2Model

    config = GPTConfig(vocab_size=9, context=8, d_model=8, n_heads=2, n_layers=1, d_ff=24)
    theirs = GPT2Model(GPT2Config(vocab_size=9, n_positions=8, n_embd=8, n_head=2, n_layer=1, n_inner=24))
    ours = dict((a, b) for a, b, _ in GPT2_NAMES)[name]
    there = theirs.state_dict()[f"{name.removesuffix(' ᵀ')}.weight"]
    here = GPT(config).state_dict()[f"{ours}.weight"]
    assert here.shape == (there.T.shape if name.endswith("ᵀ") else there.shape)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: diagram.attention(words=["a", "b"]), "3 to 5 words"),
        (lambda: diagram.attention(words=["a", "b", "c"]), "a square of scores"),
        (lambda: diagram.heads(n_heads=6, groups=4), "a divisor"),
        (lambda: diagram.cache(prompt=["a"]), "prompt of 2 to 4"),
        (lambda: diagram.families(source=9), "3 to 6 tokens"),
        (lambda: diagram.neuron((1, 2), (1,)), "two or three of each"),
        (lambda: diagram.descent(start=(9, 0)), "off the sheet"),
        (lambda: diagram.descent(rate=1.2), "smaller learning rate"),
        (lambda: diagram.rnn(["a"]), "two to four"),
        (lambda: diagram.seq2seq(weights=(1, 1, 1)), "sum to 1"),
        (lambda: diagram.loss_of_logits(target=3), "one of them"),
        (lambda: diagram.sampling(["a", "b"]), "three to five"),
        (lambda: diagram.sampling(temperature=0), "temperature"),
        (lambda: diagram.vocabulary("one"), "two to four words"),
        (lambda: diagram.merges("fé"), "3 to 10 characters"),
        (lambda: diagram.embedding(number=8), "the rows 0 to 7"),
        (lambda: diagram.projection({"a": (0, 2), "b": (0, 0)}), "places from"),
        (lambda: diagram.positions(first=12), "positions from 0 to 9"),
        (lambda: diagram.experts(n_experts=20), "give 2 to 8"),
        (lambda: diagram.computation_graph((1, 2)), "four sublayers"),
        (lambda: diagram.failures([]), "one to eight"),
        (lambda: diagram.diagnosis([]), "one to eight"),
        (lambda: diagram.parallelism(9), "two to four"),
        (lambda: diagram.pipeline(5, 4), "two to four and one to five"),
        (lambda: diagram.pipeline(2, 6), "two to four and one to five"),
        (lambda: diagram.hooks(GPT2, layer=12), "no such block"),
        (lambda: diagram.checkpoint([]), "one to sixteen"),
        (lambda: diagram.lora(8, 8), "smaller than"),
        (lambda: diagram.tools(question="a" * 30), "20 characters"),
        (lambda: diagram.way(down=DOWN[::-1]), "must fall"),
        (lambda: diagram.way(floor=1.0), "end at the floor"),
        (lambda: diagram.way(up=UP[::-1]), "must rise"),
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


def test_a_learning_curve_goes_through_its_losses_and_counts_what_it_beats():
    steps, losses, floor, counting = NEEDED["learning_curve"]
    drawn = made("learning_curve")
    path = re.findall(r'<path d="(M[^"]*)" stroke="var\(--loss\)"', drawn.svg)[-1]
    points = [tuple(map(float, p.split())) for p in path.strip("M").split("L")]
    across, down = zip(*points, strict=True)
    assert across[1] == pytest.approx((across[0] + across[2]) / 2, abs=0.1), "steps on a logarithmic axis"
    falls = [(a - b) / (down[2] - down[0]) for a, b in zip(down[1:], down, strict=False)]
    expected = [(a - b) / (losses[2] - losses[0]) for a, b in zip(losses[1:], losses, strict=False)]
    assert falls == pytest.approx(expected, abs=0.01)
    assert "1 of 2 counting models: bigram" in drawn.alt and "on the same texts, is 1.10" in drawn.alt
    with pytest.raises(InputError, match="3 steps and 2 losses"):
        diagram.learning_curve(steps, losses[:2], floor, counting)


def test_the_stairs_of_the_way_are_as_long_as_their_numbers():
    down, up, floor = DOWN, UP, 0.33
    drawn = diagram.way(down, up, floor)
    paths = [
        re.findall(rf'<path d="(M[^"z]*)" stroke="var\(--{role}\)" stroke-width="3"', drawn.svg)[0]
        for role in ("loss", "output")
    ]
    for path, stations in zip(paths, (down, up[::-1]), strict=True):  # the second stair is read upwards
        across = [float(p.split()[0]) for p in path.strip("M").split("L")][::2]
        values = [station.value for station in stations]
        gradient = (across[0] - across[-1]) / (values[0] - values[-1])
        start = across[0] - gradient * values[0]
        assert across == pytest.approx([start + gradient * v for v in values], abs=0.1)
    assert {f"{s.value:.2f}" for s in down} | {f"{100 * s.value:.0f}%" for s in up} <= set(words(drawn))
    assert f"the floor: {floor:.2f}" in words(drawn) and "1 in 649" in words(drawn)


@pytest.mark.parametrize(("devices", "micro_batches"), [(2, 1), (3, 5), (4, 4)])
def test_a_pipeline_computes_each_micro_batch_twice_on_each_device_and_idles_as_the_formula_says(
    devices, micro_batches
):
    root = ET.fromstring(diagram.pipeline(devices, micro_batches).svg)
    numbers = [w for w in words(diagram.pipeline(devices, micro_batches)) if w.isdigit()]
    assert sorted(numbers) == sorted(str(m) for m in range(micro_batches) for _ in range(2 * devices))
    cells = [r for r in root.iter("{http://www.w3.org/2000/svg}rect") if r.get("rx") == "3"]
    idle = sum(r.get("stroke-dasharray") is not None for r in cells)
    assert idle / len(cells) == pytest.approx((devices - 1) / (micro_batches + devices - 1))


@pytest.mark.parametrize(("parts", "rest"), [((0.5, 0.3), "other words: 200"), ((0.5, 0.5), None)])
def test_the_tickets_of_a_lottery_add_up(parts, rest):
    drawn = diagram.lottery(["a", "b"], [1, 1], parts)
    found = [text for text in words(drawn) if text.startswith("other words")]
    assert found == ([rest] if rest else []) and ("all other words have" in drawn.alt) is bool(rest)


def test_a_bar_is_as_high_as_its_probability_even_if_that_is_nearly_zero():
    drawn = diagram.sampling(["a", "b", "c"], [5, 2.6, -3], temperature=1, top_k=3, top_p=1)
    lows = re.findall(r'<path d="[^"]*" stroke="var\(--output\)" stroke-width="([^"]+)"/>', drawn.svg)
    probabilities = torch.tensor([5, 2.6, -3]).softmax(dim=0)
    outlined = [float(h) for h in re.findall(r'width="28" height="([^"]+)"', drawn.svg)]
    assert outlined[:2] == pytest.approx((70 * probabilities[:2]).tolist(), abs=0.06)
    assert float(lows[0]) == pytest.approx(70 * probabilities[2].item(), abs=0.01)
