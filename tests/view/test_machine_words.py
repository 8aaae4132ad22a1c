"""What the machine view says of the next word, as its tours use it."""

import pytest

from support.view.live import find

BEST = "the most probable next word is "


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        (
            "machine",
            [
                ("8 words are about equally probable, from “3” with 11.6% to “2” with 10.1%.", ""),
                (BEST + "“Tarso” with 99.", ""),
                (BEST + "“vice” with 9", "“Tarso” with 99."),
            ],
        ),
        (
            "machine_story",
            [
                (BEST + "“he” with 99.", ""),
                (BEST + "“she” with 99.", ""),
                (BEST + "“she” with 9", "“he” with 99."),
            ],
        ),
    ],
)
def test_what_the_tours_of_the_machines_tell_is_so(name, parts):
    figure = find(name)
    for stop, (answer, whole) in zip(figure.tour, parts, strict=True):
        said = figure.sentence(figure.values(**stop.changes))
        assert answer in said
        assert not whole or "One part is off; with all parts it would be " + whole in said


def test_a_tie_has_no_winner():
    """Four or more words with 0.8 of the largest probability: their number and both ends are told."""
    figure = find("machine")
    for prompt, many in (("Pietro chiama", True), ("3 chiama", True), ("", False), ("3 chiama 7", False)):
        values = figure.values(prompt=prompt)
        found = [item["plain"] for item in figure.state(values)["top"]]
        alike = [p for p in found if p >= 0.8 * found[0]]
        assert (len(alike) > 3) == many, prompt
        told = f" {len(alike)} words are about equally probable, from "
        said = figure.sentence(values)
        assert (told in said and f"with {100 * alike[-1]:.1f}%." in said) if many else BEST in said
    assert BEST in find("machine_by_hand").sentence(
        find("machine_by_hand").values()
    )  # three have no majority
