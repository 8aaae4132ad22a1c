"""The worked transformer in the machine view: every number is that of the chapter that works it by hand."""

from pathlib import Path

import nbformat
import pytest
import torch

from support.model import attend
from support.view.live import find
from support.view.live.by_hand_model import SENTENCE, by_hand_model
from support.view.live.model_text import BY_HAND, loaded

CHAPTER = Path(__file__).resolve().parents[2] / "notebooks" / "16_one_step_every_number.ipynb"
FIRST, LAST = "def numbers(text):", "loss = -p[target].log()"


@pytest.fixture(scope="module")
def chapter():
    """What the chapter's own cells compute on the way forward, by name."""
    code = [c.source for c in nbformat.read(CHAPTER, 4).cells if c.cell_type == "code"]
    first = next(i for i, text in enumerate(code) if text.startswith(FIRST))
    last = next(i for i, text in enumerate(code) if LAST in text)
    names = {"torch": torch, "attend": attend}
    names |= dict.fromkeys(("matrix", "bind", "live"), lambda *_, **__: None)  # what only shows
    usual = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        for text in code[first : last + 1]:
            exec(text, names)  # cells of our own notebook
    finally:
        torch.set_default_dtype(usual)
    return names


def opened(part, **more):
    figure = find("machine_by_hand")
    state = figure.state(figure.values(open=part, **more))
    return state, {v["key"]: torch.tensor(v["values"], dtype=torch.float64) for v in state["detail"]}


def same(mine, theirs):
    torch.testing.assert_close(torch.as_tensor(mine, dtype=torch.float64), theirs, rtol=0, atol=1e-9)


def test_the_weights_are_the_chapters(chapter):
    model, _ = by_hand_model()
    assert SENTENCE.split() == chapter["sentence"] and loaded(BY_HAND)[1].tokens == chapter["words"]
    state = model.state_dict()
    same(state["embedding.weight"], chapter["E"])
    same(state["position.weight"], chapter["P"])
    for i, name in enumerate(("block_0", "block_1")):
        block = chapter[name]
        qkv = torch.cat([block[kind + head] for kind in "QKV" for head in "01"], dim=1)
        wanted = {
            "attention.qkv.weight": qkv.T,
            "attention.output.weight": block["O"].T,
            "feed_forward.up.weight": block["W1"].T,
            "feed_forward.up.bias": block["b1"],
            "feed_forward.down.weight": block["W2"].T,
            "feed_forward.down.bias": block["b2"],
        }
        for key, value in wanted.items():
            same(state[f"blocks.{i}.{key}"], value)
    learned = sum(p.numel() for p in model.parameters()) - state["position.weight"].numel()
    assert learned == 352  # as the chapter counts them


def test_the_streams_and_the_prediction_are_the_chapters(chapter):
    state, of = opened("logits")
    names = ("x0", "mid0", "x1", "mid1", "x2")
    same(state["streams"], torch.stack([chapter[name] for name in names]))
    same(of["h"], chapter["h"])
    same(of["z"], chapter["logits"])
    same(of["p"], chapter["p"])
    first, second = state["top"][:2]  # their rows differ by a tenth everywhere, and h adds up to zero
    assert (first["word"], second["word"]) == ("sat", "mat")
    assert first["plain"] == pytest.approx(second["plain"], abs=1e-12)
    assert second["plain"] == pytest.approx(chapter["p"][5].item(), abs=1e-9)


@pytest.mark.parametrize("at", range(5))
@pytest.mark.parametrize("layer", [0, 1])
def test_each_opened_part_is_the_chapters(chapter, layer, at):
    here = 4 - at
    n, _, heads, _ = chapter[f"attention_{layer}"]
    block = chapter[f"block_{layer}"]
    for h, (q, k, v, weights) in enumerate(heads):
        state, of = opened(f"head {layer}.{h}", at=at)
        same(of["n"], n[here])
        for key, value in zip("qkv", (q, k, v), strict=True):
            same(of[key], value[here])
        same(of["s"], q[here] @ k[: here + 1].T / 2**0.5)
        same(of["w"], weights[here, : here + 1])
        same(of["z"], weights[here] @ v)
        same(of["o"], weights[here] @ v @ block["O"][2 * h : 2 * h + 2])
        same(state["patterns"][layer][h][here], weights[here, : here + 1])
    _, of = opened(f"attention {layer}", at=at)
    same(of["y"], chapter[f"mid{layer}"][here])
    assert "b" not in of  # its projections have no bias
    state, of = opened(f"feed-forward {layer}", at=at)
    n, _, before = chapter[f"feed_forward_{layer}"]
    same(of["n"], n[here])
    same(of["u"], before[here])
    same(of["a"], before[here].relu())
    same(of["y"], chapter["x1" if layer == 0 else "x2"][here])
