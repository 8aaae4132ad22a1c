"""Steppers: every number is another program's, and every sum comes to the number beside it."""

import json
import math
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch

from support.core import InputError
from support.model import attend
from support.view.live import find, widget
from support.view.live.adam_steps import STEPS, UNIT, adam, valley
from support.view.live.attention_steps import W_K, W_Q, W_V, X, head
from support.view.live.backprop_steps import RATE, backwards
from support.view.live.bpe_steps import MERGES, RHYME, merging
from support.view.live.cache_steps import K, Q, V
from support.view.live.cache_steps import cache as caching
from support.view.live.card_steps import MEETING, QUESTIONS, cards
from support.view.live.controls import shown
from support.view.live.stepper import Story
from support.view.style import ROLES

ROOT = Path(__file__).resolve().parents[2]
STORIES = {
    "attention_steps": head,
    "adam_steps": adam,
    "backprop_steps": backwards,
    "bpe_steps": merging,
    "cache_steps": caching,
    "card_steps": cards,
}
OF_NUMBERS = [name for name in STORIES if name not in ("bpe_steps", "card_steps")]
every_stepper = pytest.mark.parametrize("name", STORIES)


@cache
def story_of(name):
    return STORIES[name]()


def is_shown(story, name, wanted):
    """A matrix shows the numbers of a tensor, rounded; cells that nobody makes are nan there."""
    matrix = story.matrices[name]
    wanted = torch.as_tensor(wanted, dtype=torch.float64)
    assert tuple(wanted.shape) == matrix.shape
    for r, row in enumerate(wanted.tolist()):
        for c, number in enumerate(row):
            if math.isnan(number):
                assert (r, c) not in matrix.cells, (name, r, c)
            elif math.isfinite(number):
                assert matrix.value(r, c) == pytest.approx(number, abs=1e-12), (name, r, c)
                written = float(matrix.show(r, c).replace("−", "-"))
                assert abs(written - matrix.scale * number) <= 0.5 * 10**-matrix.digits + 1e-12, (name, r, c)
            else:
                assert matrix.show(r, c) == shown(number, matrix.digits)


# --- the numbers ---
def test_the_head_is_the_packages():
    story = story_of("attention_steps")
    x = torch.tensor(X)
    q, k, v = (x @ torch.tensor(w) for w in (W_Q, W_K, W_V))
    output, weights = attend(q, k, v)
    for name, wanted in (("Q", q), ("K", k), ("V", v), ("α", weights), ("O", output), ("H", x + output)):
        is_shown(story, name, wanted)
    scores = torch.einsum("id,jd->ij", q, k)
    is_shown(story, "S", scores)
    is_shown(story, "Z", scores / 5**0.5)
    masked = scores / 5**0.5 + torch.full((3, 3), -math.inf, dtype=torch.float64).triu(1)
    is_shown(story, "M", torch.full((3, 3), -math.inf, dtype=torch.float64).triu(1))
    is_shown(story, "Z_M", masked)
    is_shown(story, "P", masked.exp())


def test_the_valley_of_adam_shows_the_points_of_its_table_to_one_scale():
    story = story_of("adam_steps")
    theta = story.matrices["θ"]
    ends = [
        d.removeprefix("M").split("L")[0].split() for _, kind, d in valley(story).lines if kind == "point"
    ]
    shown = np.array(ends, dtype=float)
    points = np.array([[theta.value(r, t) for r in range(2)] for t in range(STEPS + 1)])
    assert np.allclose(shown, [570, 170] + points * [UNIT, -UNIT], atol=0.051)


def test_the_steps_of_adam_are_torchs():
    story = story_of("adam_steps")
    point = torch.nn.Parameter(torch.tensor([-4.0, 1.2], dtype=torch.float64))
    optimiser = torch.optim.Adam([point], lr=0.3, betas=(0.8, 0.9))
    points, gradients, means, squares = [point.detach().clone()], [], [], []
    for _ in range(3):
        optimiser.zero_grad()
        (0.5 * (point[0] ** 2 + 25 * point[1] ** 2)).backward()
        gradients.append(point.grad.clone())
        optimiser.step()
        state = optimiser.state[point]
        means.append(state["exp_avg"].clone())
        squares.append(state["exp_avg_sq"].clone())
        points.append(point.detach().clone())
    t = torch.arange(1, 4, dtype=torch.float64)
    m, v, theta = (torch.stack(parts, dim=1) for parts in (means, squares, points))
    is_shown(story, "g", torch.stack(gradients, dim=1))
    is_shown(story, "m", m)
    is_shown(story, "v", v)
    is_shown(story, "m̂", m / (1 - 0.8**t))
    is_shown(story, "v̂", v / (1 - 0.9**t))
    is_shown(story, "θ", theta)
    is_shown(story, "move", theta.diff(dim=1))


def test_the_cache_gives_what_attention_gives_at_once():
    story = story_of("cache_steps")
    q, k, v = (torch.tensor(part, dtype=torch.float64) for part in (Q, K, V))
    output, weights = attend(q, k, v)
    later = torch.ones(3, 3).triu(1).bool()
    is_shown(story, "o", output)
    is_shown(story, "α", weights.masked_fill(later, math.nan))
    is_shown(story, "s", (q @ k.T / 2**0.5).masked_fill(later, math.nan))
    for name, wanted in (("q", q), ("K", k), ("V", v)):
        is_shown(story, name, wanted)
    queries = story.matrices["q"].cells
    assert [queries[r, 0].gone for r in range(3)] == [4, 8, None]  # each is dropped when the next one comes


def test_the_merges_are_a_reference_librarys():
    tokenizers = pytest.importorskip("tokenizers")
    library = tokenizers.Tokenizer(tokenizers.models.BPE())
    library.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    letters = sorted(set(RHYME) - {" "})
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=len(letters) + MERGES, initial_alphabet=letters, show_progress=False
    )
    library.train_from_iterator([RHYME], trainer)
    merges = json.loads(library.to_str())["model"]["merges"]
    story = story_of("bpe_steps")
    told = [matrix.title.partition(": ")[2] for name, matrix in story.matrices.items() if "merge" in name]
    assert told == [" + ".join(pair if isinstance(pair, list) else pair.split()) for pair in merges]
    for k in range(MERGES + 1):
        library.model = tokenizers.models.BPE(
            {token: i for i, token in enumerate(letters + ["".join(p) for p in map(tuple, merges[:k])])},
            [tuple(pair) for pair in merges[:k]],
        )
        cut = [" ".join(library.encode(word).tokens) for word in RHYME.split()]
        cells = story.matrices[f"merge {k}" if k else "letters"].cells
        assert [cells[r, 0].text for r in range(8)] == cut
        new = "".join(merges[k - 1]).replace(" ", "") if k else None  # who has a sum has changed
        assert [bool(cells[r, 0].sum) for r in range(8)] == [new in word.split() for word in cut]


def test_the_box_of_cards_is_a_cache():
    story = story_of("card_steps")
    k, v, q, o = (story.matrices[name] for name in ("keys", "values", "queries", "answers"))
    assert not find("card_steps").sums  # so *Picture* shows it
    for r, (_, found_by, says) in enumerate(MEETING.values()):
        assert (k.show(r, 0), v.show(r, 0)) == (found_by, says)
        assert k.cells[r, 0].gone is None and k.cells[r, 0].step == v.cells[r, 0].step
    for t, who in enumerate(QUESTIONS.values()):
        assert o.show(t, 0) == MEETING[who][2]
        assert o.cells[t, 0].step >= k.cells[[*MEETING].index(who), 0].step  # she has heard it
    assert [q.cells[t, 0].gone for t in range(2)] == [o.cells[0, 0].step + 1, None]


@cache
def chapter():
    """Chapter 16's own cells up to the gradient of W₁: weights, forward pass, gradients by its rules."""
    cells = json.loads((ROOT / "notebooks" / "16_one_step_every_number.ipynb").read_text(encoding="utf8"))
    names = {}
    for cell in cells["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] != "code" or re.search(r"^(bind|diagram\.|live)|^# Makes|show\(", source, re.M):
            continue
        exec(re.sub(r"^(matrix|table)\((.|\n)*?\)$", "", source, flags=re.M), names)
        if "on_W1, on_b1" in source:
            return names


def test_the_gradients_are_autograds_in_the_chapters_model(monkeypatch):
    before = torch.get_default_dtype()
    try:
        c = chapter()
    finally:
        torch.set_default_dtype(before)
    story = story_of("backprop_steps")
    block = {name: value.double().clone() for name, value in c["block_1"].items()}
    w1 = block["W1"].requires_grad_()
    e = c["E"].double().clone().requires_grad_()
    x = c["mid1"][4].double().clone().requires_grad_()
    n = torch.nn.functional.layer_norm(x, (4,), eps=1e-5)
    u = n @ w1 + block["b1"]
    a = u.relu()
    y = x + a @ block["W2"] + block["b2"]
    h = torch.nn.functional.layer_norm(y, (4,), eps=1e-5)
    z = e @ h
    loss = torch.nn.functional.cross_entropy(z[None], torch.tensor([5]))
    parts = {"z": z, "h": h, "x₂": y, "a": a, "u": u, "E": e, "W₁": w1}
    gradients = dict(zip(parts, torch.autograd.grad(loss, list(parts.values())), strict=True))
    for name, gradient in gradients.items():
        is_shown(story, f"∂L/∂{name}", torch.atleast_2d(gradient))
    is_shown(story, "W₁ new", (w1 - RATE * gradients["W₁"]).detach())
    parts |= {"x": x, "n": n, "p": z.softmax(0), "L": loss, "W₂": block["W2"], "b₂": block["b2"]}
    for name, wanted in parts.items():
        is_shown(story, name, torch.atleast_2d(wanted.detach()))
    assert gradients["W₁"].numpy() == pytest.approx(c["on_W1"].numpy(), abs=1e-12)


# --- the sums ---
def comes_to(how):
    """The value of a sum as it is written."""
    text = how.replace("−", "-").replace("·", "*").replace("÷", "/").replace("∞", "inf").replace("²", "**2")
    text = re.sub(r"√\((.*)\)$", r"sqrt(\1)", text)
    text = re.sub(r"√([\d.]+)", r"sqrt(\1)", text)
    text = re.sub(r"e\^\(", "exp(", text)
    text = re.sub(r"-ln ([\d.]+)", r"-log(\1)", text)
    names = {"exp": math.exp, "sqrt": math.sqrt, "log": math.log, "max": max, "inf": math.inf}
    return eval(text, {"__builtins__": {}}, names)


def rounding(how):
    """How far the numbers of a sum, each moved by half of its last place, can move its value."""
    value, far = comes_to(how), 0.0
    for found in re.finditer(r"\d+\.(\d+)", how):
        moved = f"{float(found[0]) + 0.5 * 10 ** -len(found[1]):.{len(found[1]) + 1}f}"
        far += abs(comes_to(how[: found.start()] + moved + how[found.end() :]) - value)
    return far


@pytest.mark.parametrize("name", OF_NUMBERS)
def test_each_sum_comes_to_the_number_beside_it(name):
    """Up to the rounding of what stands in the sum."""
    story, tried = story_of(name), 0
    for matrix in story.matrices.values():
        for cell in matrix.cells.values():
            if not cell.sum or not math.isfinite(cell.value):
                continue
            bound = 1.5 * rounding(cell.sum) + 1e-9
            assert comes_to(cell.sum) == pytest.approx(matrix.scale * cell.value, abs=bound), cell.sum
            # Who adds it up finds the number, or is told that rounding has moved its last digit.
            found = shown(comes_to(cell.sum), matrix.digits)
            assert not matrix.digits or (cell.text == "0") == (cell.value == 0)
            same = found == (shown(0.0, matrix.digits) if cell.text == "0" else cell.text)
            assert cell.told == f"{cell.sum} {'=' if same else '≈'} {cell.text}"
            tried += 1
    assert tried > 15


def test_each_count_of_pairs_is_the_sum_of_its_words():
    for name, matrix in story_of("bpe_steps").matrices.items():
        for cell in matrix.cells.values() if name.startswith("counts") else ():
            assert sum(map(int, re.findall(r"(\d+) in ", cell.sum))) == int(cell.text) == len(
                cell.sources
            ) or ("2 in" in cell.sum)


@every_stepper
def test_a_sum_is_made_of_numbers_that_are_there(name):
    """Its sources were made before it, or with it, and (but for the long ones) each stands in the sum."""
    story = story_of(name)
    for matrix in story.matrices.values():
        for (r, c), cell in matrix.cells.items():
            assert bool(cell.sources) == bool(cell.sum)
            for source in map(story.find, cell.sources):
                assert source.step <= cell.step, matrix.key(r, c)
                if name in OF_NUMBERS and name != "backprop_steps":
                    assert source.text.lstrip("−") in cell.sum, matrix.key(r, c)


@pytest.mark.parametrize("name", ["attention_steps", "cache_steps"])
def test_the_cells_of_a_sum_stand_in_its_order(name):
    """So the page can mark the row and the column as the products come."""
    for matrix in story_of(name).matrices.values():
        for cell in matrix.cells.values():
            numbers, at = re.findall(r"\d+(?:\.\d+)?|∞", cell.sum), 0
            for source in map(story_of(name).find, cell.sources):
                assert source.text.lstrip("−") in numbers[at:], (cell.sum, cell.sources)
                at = numbers.index(source.text.lstrip("−"), at) + 1


@every_stepper
def test_every_step_makes_something_and_says_so(name):
    story, figure = story_of(name), find(name)
    made = {cell.step for matrix in story.matrices.values() for cell in matrix.cells.values()}
    assert made == set(range(len(story.steps)))
    assert all(len(says) > 20 and says.endswith(".") for _, says in story.steps)
    assert all(story.operation(k) or k == 0 for k in range(len(story.steps)))  # what it does, in signs
    assert {matrix.role for matrix in story.matrices.values()} <= ROLES.keys()
    assert len(set(story.cells())) == len(story.cells()) > (10 if story.of_numbers else 7)
    assert figure.values()["step"] == 0 and figure.still_values()["step"] == len(story.steps) - 1
    first = figure.values(step=0, cell=story.cells()[-1])
    assert "is made in step" in figure.sentence(first)
    assert len(json.dumps(figure.spec(figure.values()))) < 60_000  # it stands in the page


def test_the_cache_is_read_in_lines_of_what_each_step_reads_and_makes():
    lines = story_of("cache_steps").lines
    assert set(lines) == {k for k in range(12) if k % 4}
    assert lines[1] == [("", "q"), ("×", "K"), ("ᵀ ÷ √2 =", "s")]
    assert lines[3] == [("", "α"), ("×", "V"), ("=", "o")]


# --- the machinery ---
def test_the_page_knows_the_roles_colours_and_every_stepper():
    css = (ROOT / "book" / "assets" / "live.css").read_text(encoding="utf8")
    for role in {m.role for name in STORIES for m in story_of(name).matrices.values()}:
        assert re.findall(rf"--role-{role}: (#\w+)", css) == list(ROLES[role])
        assert f".stepper-{role} {{ --role: var(--role-{role}); }}" in css
    script = (ROOT / "support" / "view" / "live" / "stepper" / "figure.js").read_text(encoding="utf8")
    assert set(json.loads(re.search(r"const name of (\[.*?\])", script)[1])) == set(STORIES)


def test_the_widget_steps_and_shows_sums():
    figure = find("attention_steps")
    box = widget(figure, figure.still_values())
    step, cell, buttons, picture, words = box.children
    back, on, last = buttons.children
    before = picture.value
    on.click()  # from the last step to the first
    assert step.value == 0 and "Step 1 of 11" in words.value and picture.value != before
    on.click()
    on.click()
    back.click()
    assert step.value == 1
    last.click()
    assert step.value == 10 and picture.value == before
    assert "In symbols: X [3, 5] + O [3, 5] = H [3, 5]." in words.value
    cell.value = "S[2, 1]"
    assert "S (sat, cat) = −0.550 · 0.340" in words.value
    back.click()  # a sum that was told goes with its step
    assert step.value == 9 and cell.value == "none" and "S (sat, cat)" not in words.value


def test_wrong_stories_are_refused():
    story = Story()
    story.step("Given", "Some numbers are given.")
    a = story.given("A", "A", [[1.0, 2.0]])
    with pytest.raises(InputError, match="another name"):
        story.given("A", "A", [[1.0]])
    with pytest.raises(InputError, match="names"):
        story.matrix("B", "B", (2, 2), rows=("one",))
    story.step("Sum", "They are multiplied.")
    story.product("C", "C", a, a, transposed=True)
    with pytest.raises(InputError, match="C\\[0, 0\\]"):
        story.find("A[5, 5]")
    with pytest.raises(InputError, match="none of"):
        find("attention_steps").values(cell="A[9, 9]")
