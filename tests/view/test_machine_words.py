"""What the machine view says of the next word, as its tours use it."""

import pytest

from support.view.live import find
from support.worlds import CallingGame

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
        assert not whole or "With all parts it would be " + whole in said


def test_what_the_last_steps_say_of_a_head_is_so():
    """Without head 0.0 Pietro calls like a number; without head 2.2 a boy is told of like a girl."""
    game, story = find("machine"), find("machine_story")

    def first(figure, **changes):
        return figure.state(figure.values(**changes))["top"][0]["word"]

    assert {first(game, prompt=f"{who} chiama Paolo", h00=False) for who in ("Pietro", *range(1, 9))} == {
        "vice"
    }
    last = game.tour[-1]

    def share(who):
        changes = last.changes | {"prompt": f"{who} chiama Paolo"}
        return round(100 * game.state(game.values(**changes))["patterns"][0][0][-1][1])

    numbers = [share(number) for number in range(1, 9)]
    assert f"{share('Pietro')}% of Paolo’s row lies on Pietro" in last.says
    assert f"on a number it would be {min(numbers)} to {max(numbers)}%." in last.says
    assert last.about == ("head 0.0", "Pietro")
    texts = [stop.changes["prompt"] for stop in story.tour[:2]]
    assert {first(story, prompt=text, h22=False) for text in texts} == {"she"}


def test_play_goes_on_as_the_rules_say():
    """Step takes the most probable word, whatever is drawn and however flat the draw is made."""
    figure = find("machine")
    step = next(action for action in figure.actions if action.name == "step")
    for stop in figure.tour[:2]:
        values = figure.values(**stop.changes, temperature=3)
        for _ in range(12 * len(figure.data["steps"])):
            values |= step.act(values, 0.9999)
        words, game = ["<BOS>", *values["prompt"].split()], CallingGame()
        assert len(words) >= 15 and all(word in game.legal(words[:k]) for k, word in enumerate(words) if k)
        assert not {"perde", "<EOS>"} & set(words)


def test_what_a_head_leaves_on_the_first_token_is_explained():
    figure = find("machine")
    said = " Weights add up to 100%: what does not lie on the words of this text lies on “<BOS>”"
    for prompt, off, there in (
        ("Pietro chiama Paolo", False, True),
        ("Pietro chiama Paolo", True, True),
        ("Pietro chiama", False, False),
    ):
        plain = figure.state(figure.values(prompt=prompt, open="head 0.0", h00=not off))["plain"]
        assert (said in plain) == there
        begins = "This head lets “" if not off else "This head is off; on, it lets “Paolo” collect from "
        assert plain.startswith(begins) and ("“Pietro” (32%)" in plain) == there


def test_a_token_that_is_never_predicted_is_no_candidate():
    """Near certainty leaves all others equal to the twelfth place, and <PAD> would be the first of them."""
    for name in ("machine", "machine_story"):
        figure = find(name)
        for step in range(len(figure.data["steps"])):
            found = figure.state(
                figure.values(prompt="Pietro chiama Paolo" if name == "machine" else "the cat", step=step)
            )
            assert "<PAD>" not in [item["word"] for item in found["top"]]


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
