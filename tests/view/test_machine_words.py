"""What the machine view says of the next word, as its tours use it."""

import re
from pathlib import Path

import pytest

from support.generation import next_token
from support.view.live import find
from support.view.live.machine.numbers import passed
from support.view.live.model_text import GAME, loaded
from support.worlds import CallingGame
from support.worlds.game import LEADERS, TITLES

PAGE = Path(__file__).parents[2] / "book" / "index.md"
BEST = "the most probable next word is "


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        (
            "machine",
            [
                ("9 words are about equally probable, from “3” with 11.6% to “Paolo” with 7.8%.", ""),
                (BEST + "“Tarso” with 99.", ""),
                (BEST + "“vice” with 9", "“Tarso” with 99."),
            ],
        ),
        (
            "machine_feed_forward",
            [
                (BEST + "“Tarso” with 99.", ""),
                (BEST + "“vice” with 99.", ""),
                (BEST + "“vice” with 18", "“vice” with 99."),
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
    """Only head 0.0 makes Pietro call like a number; without head 2.2 a boy is told of like a girl."""
    game, story = find("machine"), find("machine_story")

    def first(figure, **changes):
        return figure.state(figure.values(**changes))["top"][0]["word"]

    assert {first(game, prompt=f"{who} chiama Paolo", h00=False) for who in ("Pietro", *range(1, 9))} == {
        "vice"
    }
    _, whole, last = game.tour
    _begins, caller, *others = game.state(game.values(**whole.changes))["patterns"][0][0][-1]
    takes = f"It takes {100 * caller:.0f}% from Pietro, the most of any word."
    assert f"One head (one of four ways of looking back) is lit. {takes}" in whole.says
    assert caller > max(others), "<BOS> is a token, and no word"
    assert whole.about == last.about == ("head 0.0", "Pietro")
    others = {
        block: {
            first(game, **whole.changes | {f"h{block}{head}": False})
            for head in range(4)
            if (block, head) != (0, 0)
        }
        for block in (0, 1)
    }
    assert not others[0] & set(TITLES) and others[1] == {"Tarso"}
    page = re.sub(r"<!-- \w+ -->", "", PAGE.read_text(encoding="utf8"))
    said = "Without one of the other heads of block 0 no title comes at all, and without one of block 1 it is"
    assert f"{said} still *Tarso*." in page, "what the tour leaves to the text below it"
    assert "without head 0.0 the model says so whoever calls Paolo" in last.says
    texts = [stop.changes["prompt"] for stop in story.tour[:2]]
    assert {first(story, prompt=text, h22=False) for text in texts} == {"she"}


def test_what_the_tour_of_a_network_says_of_its_units_is_so():
    figure = find("machine_feed_forward")
    first, _, last = figure.tour
    states = [figure.state(figure.values(**stop.changes)) for stop in figure.tour]
    assert "63 of its 256 units are active" in states[0]["plain"] and "63 of 256 are active" in first.says
    assert states[0]["units"] != states[1]["units"]
    falls = {item["word"]: f"{100 * item['plain']:.0f}%" for item in states[2]["top"]}
    assert f"vice falls to {falls['vice']}" in last.says and f"has {falls['5']}." in last.says
    assert all(state["open"] == "feed-forward 1" for state in states)


def test_play_goes_on_as_the_rules_say():
    """Step takes the most probable word, whatever is drawn and however flat the draw is made."""
    figure = find("machine")
    step = next(action for action in figure.actions if action.name == "step")
    for stop in figure.tour[:2]:
        values = figure.values(**stop.changes, temperature=3)
        for _ in range(14 * len(figure.data["steps"])):
            values |= step.act(values, 0.9999)
        words, game = ["<BOS>", *values["prompt"].split()], CallingGame()
        assert len(words) >= 15 and all(word in game.legal(words[:k]) for k, word in enumerate(words) if k)
        assert not {"perde", "<EOS>"} & set(words)


def test_play_on_the_front_page_calls_a_leader_whose_title_is_right():
    """It puts in one word; the next is the model's. By the most probable words alone no title would come."""
    figure, game = find("machine"), CallingGame()
    step = next(action for action in figure.actions if action.name == "step")
    start, leader = figure.data["opening"]
    assert figure.values()["prompt"] == start == figure.tour[0].changes["prompt"]
    assert f"{start} {leader}" == figure.tour[1].changes["prompt"]

    def played(prompt, words):
        values = figure.values(prompt=prompt)
        while len(values["prompt"].split()) < words:
            values |= step.act(values, 0.5)
        return values["prompt"].split()

    assert not {*TITLES, *LEADERS} & set(played(start, 30)[1:]), "why it puts one in"
    begins = ["<BOS>", *start.split()]
    top = {item["word"]: item["plain"] for item in figure.state(figure.values(prompt=start))["top"]}
    shares = next_token(passed(GAME, start, ())[0].logits[0, -1]).tolist()
    open_ = {word: p for i, p in enumerate(shares) if p > 0.05 and (word := loaded(GAME)[1].token(i))}
    assert set(open_) == {*top, leader} and leader in LEADERS and set(open_) == game.legal(begins)
    said = [f"{100 * p:.1f}%" for p in (open_[leader], max(open_.values()))]
    assert said == ["7.8%", "11.6%"] and min(open_.values()) == open_[leader], "as OPENING tells"
    words = played(f"{start} {leader}", 5)
    assert words[3] in TITLES and game.distribution([*begins, leader]) == {words[3]: 1.0}
    assert words == [*start.split(), leader, "Tarso", leader], "the called one speaks next"
    for other in ("machine_story", "machine_by_hand", "machine_feed_forward"):
        assert find(other).data["opening"] == []


def test_a_text_is_gone_through_before_its_word_is_appended():
    """Step begins with the text that stands, tells of each part, names its choice, and appends it."""
    figure = find("machine")
    step, back = (next(a for a in figure.actions if a.name == name) for name in ("step", "back"))
    values, seen = figure.values(prompt="Pietro chiama Paolo"), []
    for _ in range(7):
        values |= step.act(values, 0.5)
        seen.append((values["prompt"].split()[-1], figure.state(values)["step_name"]))
    stages = [name for name in figure.data["steps"] if name != "prediction"]
    assert seen == [("Paolo", name) for name in stages] + [("Tarso", "embedding")]
    values = figure.values(prompt="Pietro chiama Paolo", step=6)
    said = "The most probable word, “Tarso” with 99.98%, is chosen: “Step” appends it."
    assert figure.sentence(values) == said
    assert back.act(values, 0.0) == {"step": 4}, "back through what was gone through"
    assert back.act(figure.values(prompt="Pietro chiama"), 0.0)["prompt"] == "Pietro"
    full = figure.values(prompt=" ".join(["3"] * 73), step=6)
    assert figure.sentence(full).endswith("is chosen, but the text is as long as the model can read.")
    assert step.act(full, 0.5) == {}


def test_a_word_that_stands_twice_is_told_with_its_position():
    figure = find("machine")
    found = figure.state(figure.values(prompt="3 chiama 7 7 chiama", step=1, open="head 0.1"))
    assert "“chiama” at position 3" in " ".join(row["does"] for row in found["parts"]) + found["plain"]
    once = figure.state(figure.values(prompt="3 chiama 7", step=1, open="head 0.1"))
    assert (
        "at position" not in " ".join(row["does"] for row in once["parts"]) + once["finding"] + once["plain"]
    )


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


@pytest.mark.parametrize("drawing", [{"temperature": 3.0}, {"top_k": 3}, {"top_p": 0.5}, {}])
def test_bars_and_others_add_up_however_one_draws(drawing):
    """(At a temperature of 3, the bars and “others” once made 75% together.)"""
    for name, prompt in (("machine", "Pietro chiama"), ("machine_story", "the girl had a")):
        figure = find(name)
        values = figure.values(prompt=prompt, **drawing)
        found = figure.state(values)
        assert sum(item["p"] for item in found["top"]) + found["others"]["p"] == pytest.approx(1)
        first = found["top"][0]
        told = f"gives “{first['word']}” {100 * first['p']:.1f}%." in figure.sentence(values)
        assert told == (abs(first["p"] - first["plain"]) > 5e-4) == bool(drawing)


def test_a_tie_has_no_winner():
    """Four or more words with two thirds of the largest probability: their number and both ends are told."""
    figure = find("machine")
    for prompt, many in (("Pietro chiama", 9), ("3 chiama", 7), ("", 1), ("3 chiama 7", 1)):
        values = figure.values(prompt=prompt)
        found = [item["plain"] for item in figure.state(values)["top"]]
        alike = [p for p in found if p >= 2 / 3 * found[0]]
        assert len(alike) == many, prompt
        told = f" {many} words are about equally probable, from "
        said = figure.sentence(values)
        assert (told in said and f"with {100 * alike[-1]:.1f}%." in said) if many > 3 else BEST in said
    by_hand = find("machine_by_hand")
    said = by_hand.sentence(by_hand.values())
    assert " 5 words are about equally probable, from “sat” with 17.1% to “and” with 12.1%." in said


def test_a_word_that_is_named_is_listed():
    """Of ten words that are about equally probable nine are listed, and the last of these is named."""
    story = find("machine_story")
    values = story.values(prompt="once there was a")
    ninth = story.state(values)["top"][8]
    said = story.sentence(values)
    assert " 10 words are about equally probable; the 9 listed go from “" in said
    assert said.endswith(f" to “{ninth['word']}” with {100 * ninth['plain']:.1f}%.")


@pytest.mark.parametrize("prompt", ["", "Pietro chiama Paolo"])
def test_the_bars_of_the_still_picture_have_the_scale_of_the_live_ones(prompt):
    figure = find("machine")
    values = figure.still_values(**({"prompt": prompt} if prompt else {}))
    found = figure.state(values)
    [axes, *_] = figure.draw(values, found).axes
    longest = max(bar.get_width() for bars in axes.containers for bar in bars)
    assert longest == pytest.approx(0.15 * found["top"][0]["p"])


def test_paolo_is_the_ninth_of_the_words_that_may_follow():
    """As the page says; the first step of the experiment gives the reason for him."""
    figure = find("machine")
    start, then = (figure.state(figure.values(**stop.changes)) for stop in figure.tour[:2])
    assert start["top"][8]["word"] == "Paolo"
    assert figure.tour[0].says.endswith("Now add Paolo: leaders are greeted with a title.")
    logits = passed(GAME, start["prompt"], ())[0].logits[0, -1]
    ninth = int(logits.argsort(descending=True)[8])
    assert loaded(GAME)[1].token(ninth) == "Paolo" == then["words"][-1]


def test_an_experiment_with_another_text_than_the_figures_says_so():
    game = find("machine")
    assert game.spec(game.values())["invites"] == game.invites
    told = game.spec(game.values(prompt="5 chiama Paolo"))["invites"]
    assert told == "With another text, an" + game.invites.removeprefix("An")
