"""The drawings that are the image of a chapter: their numbers, by other means."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
import torch

from support.core import InputError
from support.view import diagram

WEATHER = ["sun", "sun", "rain", "sun", "rain", "sun", "snow", "sun", "rain", "sun"] * 3


def words(drawing):
    return [
        "".join(text.itertext()) for text in ET.fromstring(drawing.svg).iter() if text.tag.endswith("}text")
    ]


def test_the_dog_stands_where_the_best_policy_does():
    reference = torch.tensor([0.4, 0.3, 0.2, 0.1], dtype=torch.float64)
    rewards = torch.tensor([0.0, 1.0, 2.0, 0.0], dtype=torch.float64)
    shown = words(diagram.lead(reference.tolist(), rewards.tolist(), (2, 1, 0.25)))
    for beta in (2, 1, 0.25):
        policy = (reference.log() + rewards / beta).softmax(0)
        far = torch.nn.functional.kl_div(reference.log(), policy, reduction="sum")
        assert f"{far:.2f} nats away" in shown and f"reward {policy @ rewards:.2f}" in shown


def test_a_stiffer_lead_is_shorter():
    svg = ET.fromstring(diagram.lead().svg)
    dogs = [p for p in svg.iter() if p.get("stroke") == "var(--stream)" and p.get("fill-opacity") == "0.3"]
    noses = [max(float(x) for x in re.findall(r"[ML](-?[\d.]+) ", dog.get("d"))) for dog in dogs]
    assert len(noses) == 3 and noses == sorted(noses)


def test_a_fortune_is_the_product_of_what_was_paid_back():
    splits = {"true proportions": (0.6, 0.3, 0.1), "nearly all on sun": (0.9, 0.09, 0.01)}
    shown = words(diagram.forecasts(WEATHER, splits, odds=3))
    for name, parts in splits.items():
        won = 3 * np.array([parts[("sun", "rain", "snow").index(sky)] for sky in WEATHER])
        assert name in shown and f"× {np.exp(np.log(won).sum()):.3g}" in shown


def test_a_day_fades_with_every_rewriting():
    drawing = diagram.postcards((1, 0.5, 0.25), (1, 0.9, 0.81))
    percents = [word for word in words(drawing) if word.endswith("%")]
    assert percents == ["25%", "50%", "100%", "81%", "90%", "100%", "100%", "100%", "100%"]
    assert "the share of the first day is 25% in a plain network" in drawing.alt


def test_only_large_numbers_stand_in_their_seats_and_the_largest_is_told():
    drawing = diagram.orchestra([("Watch", "attention", "query", [[0.1, -0.5], [0.93, 0.3]])])
    assert [word for word in words(drawing) if "." in word] == ["0.93", "0.3"]
    assert "most for block 1, head 0, 0.93" in drawing.alt
    assert {"head 0", "1", "block 1,"} <= {*words(drawing)}, (
        "heads have numbers, and the middle names the first"
    )


def test_every_word_has_its_tickets_and_the_one_that_is_drawn_lies_in_a_word():
    logits = torch.tensor([4.0, 3.0, -6.0])
    parts = logits.softmax(0)
    counts = [round(1000 * part) for part in parts.tolist()]
    assert counts[2] == 0
    for number, word in ((counts[0] - 1, "mat"), (counts[0], "floor")):
        drawing = diagram.lottery(("mat", "floor", "of"), logits.tolist(), parts.tolist(), drawn=number)
        shown = words(drawing)
        assert f"one is drawn: {word}" in shown and "no ticket: of" in shown
        assert {"mat", str(counts[0]), "floor", str(counts[1])} <= set(shown)
        fields = [p for p in ET.fromstring(drawing.svg).iter() if p.get("fill-opacity") == "0.3"]
        areas = []
        for field in fields:
            x, y = np.array(re.findall(r"(-?[\d.]+) (-?[\d.]+)", field.get("d")), dtype=float).T
            areas.append(abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))) / 2 / 64)
        assert areas == pytest.approx(counts[:2])


def test_the_pieces_of_the_coin_are_as_large_as_the_weights_and_the_basket_holds_the_output():
    scores, values = torch.tensor([2.0, 0.0, 1.0]), torch.tensor([[9.0, 0.0], [0.0, 5.0], [3.0, 3.0]])
    weights = scores.softmax(0)
    names = (["baker", "fishmonger", "dairy"], ["bread", "fish", "cheese"])
    drawing = diagram.market(*names, scores.tolist(), weights.tolist(), values.tolist())
    shown = words(drawing)
    assert {"bread 2", "fish 0", "cheese 1", *(f"{weight:.2f}" for weight in weights.tolist())} <= {*shown}
    output = (weights @ values).tolist()
    for meal, amount in zip(("breakfast", "dinner"), output, strict=True):
        [line] = [line for line in shown if line.startswith(f"{meal}: ")]
        assert line.endswith(f"= {amount:.2f}") and f"{amount:.2f} for {meal}" in drawing.alt
    pieces = [p for p in ET.fromstring(drawing.svg).iter() if p.get("fill-opacity") == "0.45"]
    areas = []
    for piece in pieces:
        x, y = np.array(re.findall(r"(-?[\d.]+) (-?[\d.]+)", piece.get("d")), dtype=float).T
        areas.append(abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))) / 2)
    assert np.array(areas) / sum(areas) == pytest.approx(weights.numpy(), abs=0.01)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: diagram.market(weights=(0.5, 0.5, 0.5)), "make that 1"),
        (lambda: diagram.market(scores=(1, 2)), "two or three stalls"),
        (lambda: diagram.market(meals=("breakfast",)), "one value for each"),
        (lambda: diagram.lead((0.5, 0.5), (1,)), "each with a reward"),
        (lambda: diagram.lead(stiffness=(1, 0)), "weights"),
        (lambda: diagram.forecasts(["hail"]), "sun, rain or snow"),
        (lambda: diagram.forecasts(["sun"], {"all": (1, 0, 0)}), "above zero"),
        (lambda: diagram.postcards((1, 0.5), (1, 0.5)), "three to six"),
        (lambda: diagram.postcards((1, 2, 3), (1, 0.5, 0.2)), "0 to 1"),
        (lambda: diagram.lottery(("a",), (1, 2), (1,)), "up to five"),
        (lambda: diagram.lottery(drawn=1000), "from 0 to 999"),
        (lambda: diagram.orchestra([("Watch", "", "query", [[-1.0]])]), "three panels"),
    ],
)
def test_what_cannot_be_drawn_is_refused(call, sentence):
    with pytest.raises(InputError, match=sentence):
        call()
