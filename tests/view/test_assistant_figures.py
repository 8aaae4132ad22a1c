"""The live figures of fine-tuning and of tools: what they show is what was recorded, and comes out again."""

import pytest

from support import zoo
from support.view.live import find
from support.view.live.belt import LONGEST, belt, one_token_back, one_token_on
from support.view.live.forgetting import FIGURE, WORLDS, forgetting


@pytest.mark.parametrize("world, start", [("announced by a word", 1.43), ("not announced", 0.07)])
def test_forgetting_begins_at_the_base_model_and_draws_the_mean_of_the_record(world, start):
    record = zoo.record("forgetting")
    begun, ended = forgetting(world, 0, False), forgetting(world, 4, True)
    for row in begun["rows"]:
        assert [row["new"], row["old"]] == pytest.approx([start, 0.003], abs=0.006)
    assert ended["step"] == record["steps"] and "had to be lost" in ended["finding"]
    for row in ended["rows"]:
        runs = [r["track"][-1] for r in record["runs"] if r["method"] == WORLDS[world][row["method"]]]
        assert len(runs) == 3
        assert row["new"] == pytest.approx(sum(point["new"] for point in runs) / 3)
        assert row["old"] == pytest.approx(sum(point["old"] for point in runs) / 3)


def test_forgetting_says_where_it_begins_and_which_way_training_goes():
    values = {"world": "announced by a word", "point": 3, "seeds": False}
    found = forgetting(**values)
    ax = FIGURE.draw(values, found).axes[0]
    assert {"start", f"{found['step']} steps of training"} <= {text.get_text() for text in ax.texts}
    [arrow] = [text for text in ax.texts if getattr(text, "arrow_patch", None)]
    assert arrow.xy[0] < arrow.xyann[0]  # from right to left, as the second evening is learned


def test_the_recorded_texts_with_requests_come_out_again(script):
    """The shop assistant writes them once more, token for token; only the harness is told to lie."""
    study, record = script("tool_belts"), zoo.record("tool_belts")["belts"]
    assert list(record) == list(study.PROBLEMS)
    for name, was in record.items():
        again = study.belts(name)
        assert again["right"] == was["right"]
        assert was["honest"]["answer"] == was["right"]
        for kind in ("honest", "lying"):
            for part in ("tokens", "writers", "answer"):
                assert again[kind][part] == was[kind][part]
            assert again[kind]["p"] == pytest.approx(was[kind]["p"], abs=2e-3)
        assert (was["lying"]["answer"] == was["right"]) == ("harness" not in was["lying"]["writers"])


def test_a_text_with_requests_is_shown_up_to_a_token():
    problem = find("belt").controls[0].options[0]
    whole = belt(problem, 0, lies=False)
    n = whole["n"]
    for at in range(1, n):
        values = {"problem": problem, "step": at - n, "lies": False}
        part = belt(**values)
        assert part["tokens"] == whole["tokens"][:at]
        assert one_token_on(values, 0.0) == {"step": at + 1 - n}
        assert one_token_back(values, 0.0) == ({"step": at - 1 - n} if at > 1 else {})
        assert [*part["tokens"], *part["ahead"]][-1]["token"] == whole["tokens"][-1]["token"]
        assert ("runs the tool" in part["finding"]) == (part["tokens"][-1]["token"] == "<result>")
    assert one_token_on({"problem": problem, "step": 0, "lies": False}, 0.0) == {}
    figure = find("belt")
    assert belt(**figure.values())["at"] == belt(problem, 1 - LONGEST, lies=False)["at"] == 1
    assert belt(**figure.still_values())["at"] == n


def test_in_the_picture_of_a_conversation_no_name_covers_a_text_and_no_line_is_cut_off():
    figure = find("assistant")
    drawn = figure.figure(figure.values())
    drawn.canvas.draw()
    names, texts = [], []
    for text in drawn.axes[0].texts:
        (names if text.get_weight() == "bold" else texts).append(text.get_window_extent())
    assert len(names) > 5 and len(texts) > len(names)
    assert all(box.x0 >= 0 and box.x1 <= drawn.bbox.width for box in [*names, *texts])
    assert not any(name.overlaps(text) for name in names for text in texts)
