"""The figure on positions: the package's sinusoids and its rotation, and a product of the distance alone."""

import pytest
import torch
from helpers import in_double

from support.model.positions import apply_rope, rope_frequencies, sinusoids
from support.view.live import find, widget
from support.view.live.positions import KEY, LAST, QUERY, WIDTH, positions


@pytest.mark.parametrize("first, second", [(0, 0), (3, 17), (60, 5)])
def test_the_rows_are_the_packages_sinusoids(first, second):
    with in_double():
        rows = sinusoids(LAST + 1, WIDTH)
    for pair in range(1, WIDTH // 2 + 1):
        found = positions("sinusoids", first, second, pair)
        sine, cosine = rows[first, 2 * pair - 2 : 2 * pair].tolist()
        assert found["a"] == pytest.approx([cosine, sine], abs=1e-12)
    assert found["whole"] == pytest.approx((rows[first] @ rows[second]).item(), abs=1e-12)


@pytest.mark.parametrize("first, second", [(0, 0), (3, 17), (60, 5)])
def test_query_and_key_are_turned_as_the_package_turns_them(first, second):
    def at(pairs, place):
        angles = place * rope_frequencies(WIDTH)[None]
        flat = torch.tensor(pairs, dtype=torch.float64).T.reshape(1, -1)  # all first numbers, then all second
        return apply_rope(flat, angles.cos(), angles.sin())[0]

    q, k = at(QUERY, first), at(KEY, second)
    for pair in range(1, WIDTH // 2 + 1):
        found = positions("RoPE", first, second, pair)
        assert found["a"] == pytest.approx([q[pair - 1].item(), q[pair - 1 + WIDTH // 2].item()], abs=1e-12)
    assert found["whole"] == pytest.approx((q @ k).item(), abs=1e-12)


@pytest.mark.parametrize("way", ["sinusoids", "RoPE"])
def test_only_the_distance_counts(way):
    for distance in (-20, 0, 7):
        starts = range(max(0, -distance), LAST + 1 - max(0, distance), 9)
        wholes = [positions(way, m, m + distance, 1)["whole"] for m in starts]
        curve = positions(way, 0, 0, 1)["curve"]
        assert wholes == pytest.approx([curve[distance + LAST]] * len(wholes), abs=1e-9)
    assert len({round(value, 6) for value in curve}) > LAST


@pytest.mark.parametrize(
    "first, second, pair, said",
    [
        (60, 17, 2, "779.1° (two full turns and 59.1°) further than the key"),
        (0, 60, 1, "3437.7° (nine full turns and 197.7°) further than the query"),
        (0, 7, 1, "401.1° (one full turn and 41.1°) further"),
        (6, 0, 1, "343.8° further"),
    ],
)
def test_what_goes_round_more_than_once_says_how_often(first, second, pair, said):
    assert f"is rotated {said}" in positions("RoPE", first, second, pair)["finding"]


def test_moving_both_moves_the_arrows_and_not_the_product():
    figure = find("positions")
    box = widget(figure, figure.values())
    said, picture = box.children[-1].value, box.children[-2].value
    box.children[4].children[1].click()  # both one place on
    assert [box.children[0].value, box.children[1].value] == [13, 8]
    assert box.children[-2].value != picture
    assert box.children[-1].value.split("</p>")[0] == said.split("</p>")[0]
