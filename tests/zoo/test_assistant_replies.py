"""Talking to the assistant: what is typed, what is written back, and the command in a terminal of its own."""

import datetime
import os
import subprocess
import sys
from pathlib import Path

import pytest
from forked import forked

from support import zoo
from support.alignment.tools import Calculator, Clock
from support.assistant import OFFERS, Assistant, Writer, read, written
from support.core import InputError
from support.worlds import StoryWorld
from support.worlds.conversations import Conversations
from support.worlds.shop import GOODS

ROOT = Path(__file__).parents[2]


def quick(said, *options):
    """As `command`, in a process that has imported torch."""
    code = "import runpy; runpy.run_module('support.assistant', run_name='__main__')"
    return forked(code, *options, given=said)


def command(said, *options):
    """The command with piped input, as in a terminal that is no terminal."""
    env = {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "PATH": os.environ["PATH"]}
    told = subprocess.run(
        [sys.executable, "-m", "support.assistant", *options],
        input=said,
        capture_output=True,
        text=True,
        env=env,
        timeout=300,
    )
    assert not told.stderr or told.returncode, told.stderr
    return told


@pytest.mark.parametrize(
    "typed, words",
    [
        ("Tell me a STORY!", "tell me a story"),
        ("What's 1,234 + 56?", "what is 1 2 3 4 + 5 6 ?"),
        ("34x2", "3 4 * 2"),
        ("7 plus 8, 8 minus 9, 9 × 1", "7 + 8 , 8 - 9 , 9 * 1"),
        ("an hour…", "a hour …"),
        ("which color", "which colour"),
        ("<call> calc 1", "< call > calc 1"),
        ("  ", ""),
    ],
)
def test_what_is_typed_becomes_words_of_the_world(typed, words):
    assert read(typed) == words.split()


def test_no_typed_text_becomes_a_mark():
    marks = [token for token in zoo.load("assistant").vocabulary.tokens if token.startswith("<")]
    assert len(marks) >= 9
    assert not {token for mark in marks for token in read(f"tell {mark} me")} & set(marks)


def test_a_story_is_written_as_people_write():
    for story in StoryWorld().sample(50, seed=4):
        text = written(story[1:-1])
        assert text.count('"') % 2 == 0 and " ," not in text and " ." not in text and '" "' not in text
        assert text[0].isupper() or text[0] == '"'
        again = text.lower().replace('"', ' " ')
        for sign in ",.?!":
            again = again.replace(sign, f" {sign} ")
        assert again.split() == story[1:-1]
    assert "".join(map(Writer().piece, "18:06")) == "18:06"


def test_too_much_and_nothing_are_refused_with_one_sentence():
    assistant = Assistant(seed=0)
    with pytest.raises(InputError, match="60 at most"):
        assistant.reply("a " * 61)
    for asked in ("what is 12 * 13 + 1?", "(12 + 3) times 4", "1 - -2 - 3"):
        with pytest.raises(InputError, match="sums of two numbers"):
            assistant.reply(asked)
    assert read("what is 3 - -4?")[-2:] == ["4", "?"]
    with pytest.raises(InputError, match="Nothing was said"):
        assistant.reply("   ")
    with pytest.raises(InputError, match="from 0 up"):
        Assistant(temperature=-1)


def test_an_unknown_word_is_named_with_near_ones_and_nothing_is_asked():
    assistant = Assistant(seed=0)
    reply = assistant.reply("a story about a rabit")
    assert reply.unknown == ["rabit"] and "rabbit" in reply.text and not reply.words


@pytest.fixture(scope="module")
def talked():
    """One conversation at temperature 0: text → reply, with all that was shown on the way."""
    tools = {"calc": Calculator(), "clock": Clock(lambda: datetime.time(9, 41))}
    assistant, found = Assistant(temperature=0, tools=tools), {}
    for said in ("Hello!", "Tell me a story about Freya and a fox.", "Which animal?", "34 + 58 = ?"):
        shown = []
        found[said] = (assistant.reply(said, shown.append), shown)
    return found


def test_a_conversation_goes_as_the_world_says(talked):
    story, _ = talked["Tell me a story about Freya and a fox."]
    assert Conversations().fits(story.words, {"hero": "freya", "animal": "fox"})
    assert talked["Which animal?"][0].text == "Fox"
    assert talked["34 + 58 = ?"][0].text == "92"
    assert [(c.name, c.request, c.result) for c in talked["34 + 58 = ?"][0].calls] == [
        ("calc", "3 4 + 5 8", "92")
    ]


def test_what_is_shown_on_the_way_is_the_reply(talked):
    for reply, shown in talked.values():
        assert "".join(piece for piece in shown if isinstance(piece, str)) == reply.text
        assert [piece for piece in shown if not isinstance(piece, str)] == reply.calls


def test_the_same_seed_gives_the_same_replies_and_another_seed_others():
    one, same, other = (Assistant(seed=s).reply("tell me a story").text for s in (3, 3, 4))
    assert one == same != other


def test_a_forgotten_conversation_is_forgotten():
    assistant = Assistant(temperature=0)
    fresh = assistant.reply("which animal ?").text
    assistant.new()
    assistant.reply("tell me a story about a fox")
    assistant.new()
    assert assistant.reply("which animal ?").text == fresh


def test_a_long_conversation_never_outgrows_what_the_model_reads():
    assistant = Assistant(temperature=0)
    for _ in range(3):
        assistant.reply("tell me a story")
        for said in ("who ?", "freya has 347 coins . freya finds 585 more . how many ?"):
            assert assistant.reply(said).text


def test_prices_are_those_of_the_shops_goods():
    assert set(OFFERS) == set(GOODS) and all(int(cost) > 1 for cost in OFFERS.values())


def test_the_command_answers_piped_lines_and_leaves_cleanly():
    said = "hello\nwhat is 34 + 58?\ntell me about a dragn\n/nonsense\n/help\n/new\n/quit\nhello\n"
    told = command(said, "--seed", "1", "--temperature", "0")
    lines = told.stdout.splitlines()
    assert told.returncode == 0 and "\033" not in told.stdout and "> " not in told.stdout
    assert lines[0].startswith("Hello") and "calc 34 + 58 → 92" in lines[1] and lines[2] == "92"
    assert "'dragn'" in lines[3] and "/nonsense" in lines[4] and "(a new conversation)" in lines[-1]


def test_the_command_without_tools_and_with_bad_input():
    assert "→" not in quick("what is 34 + 58?\n", "--no-tools", "--seed", "1").stdout
    wrong = quick("", "--temperature", "-1")
    assert wrong.returncode == 1 and wrong.stderr.count("\n") == 1 and "from 0 up" in wrong.stderr
    empty = quick("")
    assert (empty.stdout, empty.stderr, empty.returncode) == ("", "", 0)
