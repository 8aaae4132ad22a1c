"""Figures that run a model, in a notebook: numbers as of `support.inside`, and controls that answer."""

import copy
import dataclasses
import functools
import html
import importlib
import math
import random

import pytest
import torch
from recorder import drawn

from support import zoo
from support.core import InputError
from support.generation import next_token
from support.inside import ablate, direct_logit_attribution, logit_lens, trace
from support.view.live import NAMES, LiveFigure, find, widget
from support.view.live.ablation import PART_NAMES, SWITCHES, questions, rules
from support.view.live.attention import attention
from support.view.live.controls import Prompt, Switch, fill
from support.view.live.heads import heads
from support.view.live.lens import STAGES, lens
from support.view.live.model_text import HEADS, LAYERS
from support.view.live.next_word import CONTEXTS, next_word
from support.view.live.trajectory import trajectory
from support.view.live.units import LAYER, stronger, units
from support.worlds import CallingGame
from support.worlds.game import PLAYERS

TEXT = "5 chiama Paolo vice Paolo chiama Pietro"


@pytest.fixture(scope="module")
def game():
    """With its weights in float64, in which the figures compute."""
    entry = zoo.load("calling-game")
    return dataclasses.replace(entry, model=entry.model.double())


def ids(game, text):
    return game.vocabulary.encode(f"<BOS> {text}")


def test_the_figures_know_the_shape_of_their_models(game):
    config = game.model.config
    assert (config.n_layers, config.n_heads, config.context) == (LAYERS, HEADS, CONTEXTS["calling-game"])
    assert zoo.load("stories").model.config.context == CONTEXTS["stories"]
    assert trace(game.model, ids(game, TEXT)).stages[1:] == list(STAGES[1:])


@pytest.mark.parametrize("back", [0, 3, 7, 11])
def test_all_heads_of_a_word_are_those_of_the_trace(game, back):
    seen, here = trace(game.model, ids(game, TEXT)), max(0, 7 - back)
    found = heads(TEXT, back)
    assert found["word"] == f"<BOS> {TEXT}".split()[here] and len(found["rows"]) == LAYERS * HEADS
    for row in found["rows"]:
        layer, head = map(int, row["head"].split("."))
        assert row["weights"] == pytest.approx(
            seen.patterns[layer, 0, head, here, : here + 1].tolist(), abs=1e-10
        )
        assert row["weight"] == max(row["weights"]) == row["weights"][row["place"] - 1]
        one = attention(TEXT, layer, head)["queries"][here]
        assert (one["most"], one["most_place"]) == (row["most"], row["place"])
    assert ("only to that word itself" in found["finding"]) == (here == 0)


@pytest.mark.parametrize("temperature, k, p", [(1, 27, 1), (0.5, 3, 1), (2, 27, 0.6), (1.3, 8, 0.9)])
def test_next_word_is_next_token_of_the_model(game, temperature, k, p):
    found = next_word(TEXT, temperature, k, p, "calling-game", 27)
    with torch.no_grad():
        logits = game.model(torch.tensor([ids(game, TEXT)]))[0, -1]
    probabilities = next_token(logits, temperature, None if k == 27 else k, None if p == 1 else p)
    for item in found["words"]:
        i = game.vocabulary.id(item["word"])
        assert item["p"] == pytest.approx(probabilities[i].item(), abs=1e-10)
        assert item["plain"] == pytest.approx(logits.softmax(-1)[i].item(), abs=1e-10)
    plain = [item["plain"] for item in found["words"]]
    assert plain == sorted(plain, reverse=True) and len(plain) == 10
    left = int((probabilities > 0).sum())
    assert found["finding"].endswith(f"{f'{left} words' if left > 1 else 'one word'} can be drawn.")


def test_attention_lens_and_trajectory_are_those_of_the_trace(game):
    seen = trace(game.model, ids(game, TEXT))
    for layer, head in ((0, 0), (0, 3), (1, 1)):
        found = attention(TEXT, layer, head)
        for i, row in enumerate(found["weights"]):
            want = seen.patterns[layer, 0, head, i, : i + 1].tolist()
            assert row == pytest.approx(want, abs=1e-10) and sum(row) == pytest.approx(1)
    shares = logit_lens(game.model, seen)[:, 0].softmax(-1)
    found = lens(TEXT, 2)
    for row, want in zip(found["grid"], shares, strict=True):
        assert [cell["p"] for cell in row] == pytest.approx(want.amax(-1).tolist(), abs=1e-10)
        assert [game.vocabulary.id(cell["word"]) for cell in row] == want.argmax(-1).tolist()
    a, b, c, d = (game.model.embedding.weight[game.vocabulary.id(w)] for w in ("3", "7", "capo", "vice"))
    first = (a - b) / (a - b).norm()
    second = (c - d) - first * (first @ (c - d))
    plane = torch.stack([first, second / second.norm()])
    for parts in ("sublayers", "heads"):
        steps = trajectory(TEXT, "3", "7", "capo", "vice", parts)["steps"]
        ends = [s for s in steps if not s["part"].startswith(("the word", "head", "bias"))]
        wanted = seen.streams[:, 0, -1] @ plane.T
        wanted = wanted if parts == "sublayers" else wanted[[0, 2, 4]]
        assert [(s["x"], s["y"]) for s in ends] == [pytest.approx(w, abs=1e-10) for w in wanted.tolist()]


@pytest.mark.parametrize("off", [["h00"], ["h12", "m0"], ["a1"], ["m0", "m1", "a0"]])
def test_ablation_is_that_of_inside_on_every_opening(game, off):
    found = rules(**{name: name not in off for group in SWITCHES for name in group})
    cut = {
        "heads": [(int(n[1]), int(n[2])) for n in off if n[0] == "h"],
        "attention": [int(n[1]) for n in off if n[0] == "a"],
        "feed_forward": [int(n[1]) for n in off if n[0] == "m"],
    }
    greeting, speaker = [], []
    encode = game.vocabulary.encode
    with ablate(game.model, **cut), torch.no_grad():
        for text, answer, rule in questions():
            probabilities = game.model(torch.tensor([encode(["<BOS>", *text])]))[0, -1].softmax(-1)
            p = probabilities[game.vocabulary.id(answer)].item()
            (greeting if rule < 4 else speaker).append(
                p if rule < 4 else p / probabilities[encode(list(PLAYERS))].sum().item()
            )
    assert found["greeting"] == pytest.approx(math.fsum(greeting) / len(greeting), abs=1e-10)
    assert found["speaker"] == pytest.approx(math.fsum(speaker) / len(speaker), abs=1e-10)
    assert all(PART_NAMES[name] in found["finding"] for name in off)


def test_the_questions_are_all_openings_and_their_answers_the_games():
    world = CallingGame()
    asked = questions()
    assert len({tuple(text[:3]) for text, _, _ in asked}) == 90
    for text, answer, rule in asked:
        exact = world.distribution(["<BOS>", *text])
        players = {word: p for word, p in exact.items() if word in PLAYERS}
        assert exact[answer] == 1.0 if rule < 4 else max(players, key=players.get) == answer


def test_a_text_is_checked():
    prompt = Prompt("prompt", "Text", ("a", "b", "<EOS>"), 3, "a")
    assert prompt.accept(" a   b ") == "a b" and prompt.accept("") == ""
    for wrong, about in (
        ("c", "'c' is not one"),
        ("a a a a", "4 words"),
        ("<EOS> a", "nothing follows"),
        (7, "7"),
    ):
        with pytest.raises(InputError, match=about):
            prompt.accept(wrong)
    with pytest.raises(InputError, match="neither on nor off"):
        Switch("x", "x").accept("perhaps")


# --- the widgets ---
def parts(name):
    box = widget(find(name), find(name).values())
    n = len(find(name).controls)
    return box.children[:n], box.children[n:-2], *box.children[-2:]


@pytest.mark.parametrize("name", [name for name in NAMES if find(name).model])
def test_every_widget_control_answers(name, monkeypatch):
    module = importlib.import_module("support.view.live.widget")  # its package has a function of that name
    figure, draw = find(name), LiveFigure.figure

    @functools.cache  # between two controls the start comes back
    def picture_of(values):
        return repr(drawn(draw(figure, dict(values)))).encode()

    monkeypatch.setattr(LiveFigure, "figure", lambda _, values: picture_of(tuple(values.items())))
    monkeypatch.setattr(module, "png", lambda picture: picture)
    inputs, _, picture, words = parts(name)
    values = figure.values()
    for control, made in zip(figure.controls[:7], inputs[:7], strict=True):
        before = picture.value, words.value
        if isinstance(control, Prompt):
            new = "5 chiama" if "chiama" in control.words else " ".join(control.words[4:6])  # uncertain
        elif isinstance(control, Switch):
            new = False
        else:
            new = control.low if hasattr(control, "low") else control.options[5 % len(control.options)]
            if new == values[control.name]:
                ends = [control.high] if hasattr(control, "high") else control.options
                new = next(end for end in ends if end != new)
        made.value = new
        values[control.name] = new
        assert html.escape(figure.sentence(values)) in words.value
        assert all(html.escape(cell) in words.value for row in figure.cells(values) for cell in row)
        assert picture.alt == figure.sentence(values)
        assert (picture.value, words.value) != before
        if not isinstance(control, Prompt):  # each from the start, for one may leave nothing to the next
            made.value = values[control.name] = control.start


def test_a_text_typed_in_a_notebook_is_text():
    inputs, _, picture, words = parts("next_word")
    before = picture.value
    inputs[0].value = "<img src=x onerror=alert(1)>"
    assert "<img" not in words.value and "&lt;img" in words.value and picture.value == before


def test_the_buttons_of_a_widget_draw_step_back_and_switch_on(monkeypatch):
    monkeypatch.setattr(random, "random", lambda: 0.5)
    inputs, (row,), _, words = parts("next_word")
    draw, back = row.children
    assert [draw.description, back.description] == ["Pick a word at random", "Step back"]
    inputs[0].value = "Pietro chiama Paolo"
    draw.click()
    assert inputs[0].value == "Pietro chiama Paolo Tarso"
    back.click()
    back.click()
    assert inputs[0].value == "Pietro chiama" and "After “Pietro chiama”" in words.value
    inputs, (row,), _, _ = parts("ablation")
    inputs[3].value = inputs[8].value = False
    row.children[0].click()
    assert all(made.value for made in inputs)


def test_a_text_that_is_too_long_draws_no_more():
    figure = find("next_word")
    full = figure.values(prompt=" ".join(["banana"] * 73))
    assert figure.actions[0].act(full, 0.5) == {}
    assert figure.actions[0].act(figure.values(prompt="5 chiama 2 <EOS>"), 0.5) == {}
    assert fill("{keep}", figure.state(full)) == "all"


# --- one hidden unit ---
@pytest.mark.parametrize("layer, unit", [(1, 5), (1, 129), (0, 77)])
def test_a_units_contributions_are_those_of_direct_logit_attribution(game, layer, unit):
    text = "Pietro chiama Paolo"
    found = units(text, LAYER[layer], unit, True, 0)
    real = range(1, len(game.vocabulary))
    parts = [direct_logit_attribution(game.model, ids(game, text), word).neurons[layer, 0] for word in real]
    adds = torch.stack(parts, dim=1)
    adds -= adds.mean(dim=1, keepdim=True)
    for row in found["words"]:
        word = game.vocabulary.id(row["word"])
        assert row["adds"] == pytest.approx(adds[unit, word - 1].item(), abs=1e-9)
        if found["activation"] > 0:  # the last norm divides both
            assert row["adds"] / found["words"][0]["adds"] == pytest.approx(
                row["vote"] / found["words"][0]["vote"], abs=1e-9
            )
    best = game.vocabulary.id(found["words"][0]["word"]) - 1
    strongest = adds[:, best].argsort(descending=True)[:10].tolist()
    assert stronger({"prompt": text, "layer": LAYER[layer], "unit": strongest[3]}, 0.0) == {
        "unit": strongest[4]
    }
    seen = trace(game.model, ids(game, text)).activations[layer, 0, -1, unit].item()
    assert found["activation"] == pytest.approx(seen, abs=1e-9)
    before = game.model.blocks[layer].feed_forward.up(torch.tensor(found["x"], dtype=torch.float64))
    assert found["dot"] + found["bias"] == pytest.approx(before[unit].item(), abs=1e-9)


@pytest.mark.parametrize("on, cut", [(False, 0), (True, 6), (False, 20)])
def test_without_its_value_a_unit_adds_nothing(game, on, cut):
    """Silencing activations is the same as taking the units' rows out of the second matrix."""
    text = "Pietro chiama Paolo"
    found = units(text, "block 1", 5, on, cut)
    first, off = {"prompt": text, "layer": "block 1"}, set() if on else {5}
    unit = -1
    for _ in range(min(cut, 10)):
        unit = stronger(first | {"unit": unit}, 0.0)["unit"]
        off.add(unit)
    if cut <= 10:
        model = copy.deepcopy(game.model)
        with torch.no_grad():
            model.blocks[1].feed_forward.down.weight[:, sorted(off)] = 0
            want = model(torch.tensor([ids(game, text)]))[0, -1].softmax(-1)
        for row in found["words"]:
            assert row["now"] == pytest.approx(want[game.vocabulary.id(row["word"])].item(), abs=1e-9)
    assert found["off"] >= max(cut, 1) and found["words"][0]["now"] < found["words"][0]["plain"]


def test_the_contexts_of_the_units_are_found_anew(script):
    kept = zoo.record("unit_contexts")
    names, found, share = script("unit_contexts").most_active()
    assert share == [pytest.approx(row, abs=2e-4) for row in kept["active"]]
    for layer, again in zip(kept["units"], found, strict=True):
        for unit, new in zip(layer, again, strict=True):
            assert [m for _, m in unit] == pytest.approx([m for _, m in new], abs=0.011)
            if len(new) > 1 and new[0][1] > new[1][1] + 0.02:
                assert kept["contexts"][unit[0][0]] == names[new[0][0]]


def test_what_the_tour_of_the_ablations_tells_is_so():
    figure = find("ablation")
    layer_1, layer_0, one, none = (
        [item["now"] for item in figure.compute(**s.changes)["rules"]] for s in figure.tour
    )
    assert max(layer_1[:2]) < 0.15 and min(layer_1[2:]) > 0.9  # where two leaders meet, and elsewhere
    assert max(layer_0) < 0.25
    assert [p > 0.5 for p in one[:4]] == [False, False, True, False] and min(one[4:]) > 0.75
    whole = [
        item["whole"]
        for item in figure.compute(**dict.fromkeys((c.name for c in figure.controls), True))["rules"]
    ]
    assert max(abs(a - b) for a, b in zip(none, whole, strict=True)) < 0.01


def test_the_still_of_the_ablations_rounds_no_share_up_to_one():
    """(Beside its bar stood 1.00, and in the sentence above it “at least 99.9%”.)"""
    figure = find("ablation")
    found = figure.compute(**figure.values())
    written = [text.get_text() for text in figure.draw(figure.values(), found).axes[0].texts]
    shares = [item[key] for key in ("whole", "now") for item in found["rules"]]
    assert len(written) == len(shares) and max(shares) > 0.9995
    for text, share in zip(written, shares, strict=True):
        shown = float(text.removeprefix("≥ ").removesuffix("%")) / 100
        assert shown < 1 or share == 1, text
        assert abs(shown - share) < 0.001 and (share >= shown if "≥" in text else True)
