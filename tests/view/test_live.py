"""Live figures in a notebook: right numbers, controls that answer, a stored output that can be compared."""

import functools
import html
import importlib
import itertools
import json
import math
import random
import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import nbformat
import numpy as np
import pytest
import refresh
import torch
from recorder import drawn
from scipy.special import rel_entr

from support.core import InputError
from support.view import live
from support.view.image_files import png
from support.view.live import NAMES, LiveFigure, find, widget
from support.view.live.controls import Choice, Slider, Switch, fill, shown
from support.view.live.descent import HOURS, MARKS, METHODS, START, lowest, surface, walk
from support.view.live.kl_penalty import REFERENCE, kl_penalty
from support.view.live.losses import LOSSES, losses, race
from support.view.live.student import STUDENT, student
from support.view.live.temperature import temperature
from support.view.live.windows import windows
from support.worlds import CallingGame
from support.worlds.last_word import window_entropies

ROOT = Path(__file__).resolve().parents[2]
shown_in_a_notebook = importlib.import_module("support.view.live.widget")
every_figure = pytest.mark.parametrize("name", NAMES)


def somewhere(figure, seed):
    """Values that the controls can stand at, drawn at random."""
    dice = random.Random(seed)
    found = {}
    for control in figure.controls:
        if isinstance(control, Slider):
            last = round((control.high - control.low) / control.step)
            found[control.name] = round(control.low + dice.randint(0, last) * control.step, 6)
        elif isinstance(control, Choice):
            found[control.name] = dice.choice(control.options)
        elif isinstance(control, Switch):
            found[control.name] = dice.choice([True, False])
        else:
            count = dice.randint(1, min(9, control.most))
            found[control.name] = " ".join(dice.choices(control.words[3:], k=count))
    return figure.values(**found)


# --- the numbers ---
def test_the_student_network_is_torchs():
    net = torch.nn.Sequential(
        torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1), torch.nn.Sigmoid()
    )
    net = net.double()
    parts = [STUDENT["w_hidden"], STUDENT["b_hidden"], [STUDENT["w_out"]], [STUDENT["b_out"]]]
    with torch.no_grad():
        for parameter, value in zip(net.parameters(), parts, strict=True):
            parameter.copy_(torch.tensor(value, dtype=torch.float64))
        for hours, attendance in ((0, 0), (5, 60), (10, 100), (0, 100), (10, 0), (2.5, 33)):
            found = student(hours, attendance)
            want = net(torch.tensor([hours / 10, attendance / 100], dtype=torch.float64)).item()
            assert found["p"] == pytest.approx(want, abs=1e-12)
            assert found["verdict"] == ("passes" if want >= 0.5 else "fails")


@pytest.mark.parametrize("beta, reward", [(0.1, 6.0), (1.0, 0.0), (5.0, -2.0)])
def test_the_kl_penalty_gives_the_best_policy(beta, reward):
    """No other has a higher objective, the reward minus β times SciPy's divergence: near it, or anywhere."""
    found = kl_penalty(beta, reward)
    best, rewards = (np.array([found[f"{name}_{of}"] for name in "ABCD"]) for of in ("best", "reward"))

    def objective(policy):
        return policy @ rewards - beta * rel_entr(policy, REFERENCE).sum()

    assert best.sum() == pytest.approx(1)
    assert found["value"] == pytest.approx(found["gain"] - beta * found["kl"], abs=1e-9)
    assert found["value"] == pytest.approx(objective(best), abs=1e-9)
    others = np.random.default_rng(0).dirichlet(np.ones(4), size=200)
    for share in (1, 1e-3):
        assert all(objective(best + share * (other - best)) < found["value"] for other in others)


def test_the_objective_is_the_sum_of_the_numbers_that_are_printed_before_it():
    """At every place of both sliders; no place has it more than 0.001 from the exact one."""
    figure = find("kl_penalty")
    tenth = Decimal("0.1")
    for beta, reward in itertools.product(range(1, 51), range(-20, 61)):
        found = kl_penalty(beta / 10, reward / 10)
        said = fill(figure.says, {"beta": beta / 10} | found).replace("−", "-")
        numbers = r"is (-?[\d.]+) and its KL .* (-?[\d.]+), so .* is (-?[\d.]+)\."
        gain, kl, objective = map(Decimal, re.search(numbers, said).groups())
        assert abs(gain - beta * tenth * kl - objective) <= Decimal("0.005"), said
        assert abs(found["objective"] - found["value"]) < 0.001, said


@pytest.mark.parametrize("p", [0.001, 0.1, 0.5, 0.9, 0.999])
def test_the_losses_and_their_derivatives_are_autograds(p):
    lead = torch.tensor(math.log(p / (1 - p)), dtype=torch.float64, requires_grad=True)
    both = torch.stack([lead, torch.zeros_like(lead)]).softmax(0)
    right, target = both[0], torch.tensor([1.0, 0.0], dtype=torch.float64)
    by_torch = {
        "squared": torch.nn.functional.mse_loss(both, target),
        "absolute": torch.nn.functional.l1_loss(both, target),
        "log": -right.log(),
    }
    for name in LOSSES:
        value, in_p, in_logit = losses(p)[name]
        (derivative,) = torch.autograd.grad(by_torch[name], lead, retain_graph=True)
        assert value == pytest.approx(by_torch[name].item(), abs=1e-12)
        assert in_logit == pytest.approx(derivative.item(), abs=1e-12)
        assert in_p * p * (1 - p) == pytest.approx(derivative.item(), abs=1e-12)


@pytest.mark.parametrize("name", LOSSES)
def test_the_race_is_torchs_gradient_descent(name):
    lead = torch.nn.Parameter(torch.tensor(math.log(0.05 / 0.95), dtype=torch.float64))
    optimiser = torch.optim.SGD([lead], lr=1.0)
    error = {"squared": lambda p: (1 - p) ** 2, "absolute": lambda p: 1 - p, "log": lambda p: -p.log()}[name]
    for _ in range(40):
        optimiser.zero_grad()
        error(lead.sigmoid()).backward()
        optimiser.step()
    assert race(0.05, 40, "the losses")[f"{name}_end"] == pytest.approx(lead.sigmoid().item(), abs=1e-9)


@pytest.mark.parametrize("start, method", [*((START, method) for method in METHODS), ((1.7, -0.6), "Adam")])
def test_the_descent_is_torchs_optimiser_on_torchs_loss(start, method):
    x, y = (torch.tensor(values, dtype=torch.float64) for values in (HOURS, MARKS))
    weights = torch.nn.Parameter(torch.tensor(start, dtype=torch.float64))
    optimiser = {
        "gradient descent": torch.optim.SGD([weights], lr=0.1),
        "momentum": torch.optim.SGD([weights], lr=0.1, momentum=0.9),
        "Adam": torch.optim.Adam([weights], lr=0.1),
    }[method]
    for w, b in walk(0.1, 30, method, start):
        optimiser.zero_grad()
        loss = torch.nn.functional.mse_loss(weights[0] * x + weights[1], y)
        loss.backward()
        assert [w, b] == pytest.approx(weights.tolist(), abs=1e-9)
        assert surface(w, b) == pytest.approx([loss.item(), *weights.grad.tolist()], abs=1e-9)
        optimiser.step()
    line = torch.linalg.lstsq(torch.stack([x, torch.ones(10, dtype=torch.float64)], 1), y[:, None]).solution
    assert lowest() == pytest.approx(line[:, 0].tolist(), abs=1e-12)


def test_the_parts_of_an_n_grams_loss_are_those_of_the_game():
    """F_n and the entropy, computed anew, are the recorded ones, and the parts sum to the loss."""
    game = CallingGame()
    for n, possible in enumerate(window_entropies(game, 6)):
        for games in find("windows").controls[1].options:
            found = windows(n, games)
            parts = [found[name] for name in ("entropy", "hides", "lacks")]
            assert parts[:2] == pytest.approx([game.entropy, possible - game.entropy], abs=2e-4)
            assert sum(parts) == pytest.approx(found["loss"], abs=1e-12)
            assert windows(found["best"], games)["loss"] <= found["loss"]


def test_temperature_is_softmax_of_the_divided_scores():
    scores = {"is_": 4.7, "the_": 3.2, "cat_": 2.1}
    for t in (0.1, 0.5, 1.0, 1.5, 5.0):
        probabilities = torch.softmax(torch.tensor([4.7, 3.2, 2.1], dtype=torch.float64) / t, 0)
        found = temperature(t, **scores)
        assert [found[f"{word}_p"] for word in ("is", "the", "cat")] == pytest.approx(
            probabilities.tolist(), abs=1e-12
        )
        assert found["as_many"] == pytest.approx(
            torch.distributions.Categorical(probabilities).entropy().exp().item()
        )


def say(figure, values):
    text = figure.text(values)
    assert not re.search(r"\bnan\b|[{\N{EN DASH}]", text)
    assert len(figure.sentence(values)) > 30
    return text


def draw(figure, values):
    picture = drawn(figure.figure(values))
    assert len(picture) > 5
    return picture


# --- the words ---
@pytest.mark.parametrize(
    "value, digits, text",
    [
        *[(0.125, 2, "0.13"), (-0.125, 2, "−0.13"), (0.5, 0, "1"), (-0.04, 1, "0.0"), (1e-9, 3, "0.000")],
        *[(math.inf, 2, "∞"), (-math.inf, 2, "−∞"), (math.nan, 2, "–"), (1.005, 2, "1.00"), (12, 0, "12")],
    ],
)
def test_numbers_are_written_as_a_page_writes_them(value, digits, text):
    assert shown(value, digits) == text


def test_a_template_takes_numbers_and_words_and_refuses_an_unknown_name():
    assert fill("{a:.1f} {b:.0%} {c}", {"a": 1.25, "b": 0.5, "c": "<i>"}) == "1.3 50% <i>"
    with pytest.raises(InputError, match="'d'"):
        fill("{d:.1f}", {"a": 1})


@every_figure
def test_every_state_can_be_said_drawn_and_written(name):
    figure = find(name)
    said, states = set(), set()
    for seed in range(4):
        values = somewhere(figure, seed)
        states.add(repr(values))  # with few states two seeds may fall on the same
        said.add(say(figure, values))
        if seed < 2:  # to draw takes far longer than to say
            draw(figure, values)
    assert len(said) == len(states) > 2


@every_figure
def test_every_control_changes_what_is_shown(name):
    figure = find(name)

    @functools.cache  # one end of most controls is the start, which is drawn once
    def shown_at(values):
        values = dict(values)
        return draw(figure, values), say(figure, values)

    for control in figure.controls:
        if isinstance(control, Slider):
            ends = control.low, control.high
        elif isinstance(control, Choice):
            ends = control.options[:3] if len(control.options) < 9 else control.options[:2]
        else:
            ends = (True, False) if isinstance(control, Switch) else control.words[3:6]
        states = [figure.values(**{control.name: end}) for end in ends]
        shown_there = {shown_at(tuple(values.items())) for values in states}
        assert len(shown_there) == len(ends), control.name
        pictures = {picture for picture, _ in shown_there}
        assert len(pictures) == len(ends) or figure.model, control.name  # (a sure model stays sure)


@pytest.mark.parametrize("start", [{"hours": 11}, {"hours": 5.1}, {"hours": "5"}, {"sleep": 8}])
def test_a_wrong_start_is_refused(start):
    with pytest.raises(InputError):
        live("student", **start)
    with pytest.raises(InputError, match="choose one of"):
        live("teacher")
    with pytest.raises(InputError, match="none of"):
        live("losses", what="the weather")


# --- the widget ---
def test_a_moved_widget_shows_the_new_state():
    figure = find("losses")
    box = widget(figure, figure.values())
    p, steps, what, picture, words = box.children
    before, said = picture.value, words.value
    p.value = 0.01
    now = figure.values(p=0.01)
    assert html.escape(figure.sentence(now)) in words.value and words.value != said
    assert picture.value == png(figure.figure(now)) != before and picture.alt == figure.sentence(now)
    before = picture.value
    what.value = "the derivatives by the logit"
    assert picture.value != before
    steps.value = 100
    assert "After 100 steps" in words.value


def test_words_in_a_widget_are_never_html():
    bad = "<img src=x onerror=alert(1)>"
    figure = LiveFigure("bad", bad, (), dict, lambda values, found: None, bad, (bad,), ((bad,),))
    assert "<img" not in shown_in_a_notebook._html(figure, {})


def test_without_ipywidgets_the_picture_stays(monkeypatch, capsys):
    sent = []
    monkeypatch.setattr(
        shown_in_a_notebook, "publish_display_data", lambda data, metadata: sent.append((data, metadata))
    )
    monkeypatch.setattr(shown_in_a_notebook, "get_ipython", lambda: type("Shell", (), {"kernel": object()})())
    live("temperature", temperature=2)
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    live("temperature", temperature=2)
    (with_widget, mark), (without, same) = sent
    assert shown_in_a_notebook.WIDGET in with_widget and shown_in_a_notebook.WIDGET not in without
    assert mark == same and mark["image/png"]["live"] == {"name": "temperature", "start": {"temperature": 2}}
    assert with_widget["image/png"] == without["image/png"]
    once, again = capsys.readouterr().out.split("Start · Temperature: 2.0")[1:]
    assert once == again and "the most probable word" in once


# --- the stored output ---
def test_what_is_stored_can_be_compared_and_holds_no_widget(tmp_path):
    book = nbformat.v4.new_notebook()
    source = 'from support.view import live\nlive("student", hours=8)'
    book.cells = [nbformat.v4.new_markdown_cell("# Trial"), nbformat.v4.new_code_cell(source)]
    path = tmp_path / "trial.ipynb"
    nbformat.write(book, path)
    assert refresh.refresh(path)[0]
    stored = json.loads(path.read_text(encoding="utf8"))
    cell = stored["cells"][-1]
    assert cell["metadata"]["mystnb"]["live"] == {"name": "student", "start": {"hours": 8}}
    assert "passes" in cell["metadata"]["mystnb"]["image"]["alt"]
    assert [sorted(o["data"]) for o in cell["outputs"] if "data" in o] == [["image/png", "text/plain"]]
    assert "widget" not in json.dumps(stored)
    command = [sys.executable, "-m", "pytest", "-q", "--nbval", "-p", "no:cacheprovider", str(path)]
    assert " passed" in subprocess.run(command, capture_output=True, text=True).stdout
