"""The assistant in the page: a conversation with the zoo's last model, in its harness, with its tools.

`harness.js` and `figure.js` beside this file compute the same in the page: the same words are read, the same
tokens are forbidden, the same requests are answered. A conversation follows from what the user has said and
from the settings alone, so it can stand in the address of a page.
"""

from support.view.live.assistant.conversation import MOST_TURNS, Values, converse, data, preview, sentence
from support.view.live.assistant.still import draw_talk, talk_on_page
from support.view.live.controls import Action, Slider, Switch, Text
from support.view.live.description import LiveFigure

BREAK = " / "
SUGGESTIONS = (
    "tell me a story about leo",
    "which animal was it?",
    "which colour?",
    "what is 347 + 585?",
    "freya has 34 rows of 12 stamps. how many?",
    "what is the price of pots?",
    "what is the time?",
    "who are you?",
)


def turns_of(said: str) -> list[str]:
    """The user's turns.

    >>> turns_of("hello / who are you?")
    ['hello', 'who are you?']
    """
    return [turn.strip() for turn in said.split("/") if turn.strip()][:MOST_TURNS]


def assistant(prompt: str, said: str, tools: bool, clock: float | int, temperature: float | int) -> Values:
    """A conversation, and how the model would read what is being typed.

    Args:
        prompt: what is being typed.
        said: the user's earlier turns, with a slash between them.
        tools: whether there are tools.
        clock: minutes since midnight; −1 for the computer's own clock.
        temperature: of the replies; 0 takes the likeliest word every time.

    >>> assistant("what is 12+3?", "", True, 0, 0)["reading"]
    ['what', 'is', '1', '2', '+', '3', '?']
    """
    talk = converse(tuple(turns_of(said)), tools, int(clock), float(temperature))
    shown = "real time" if clock < 0 else f"{int(clock) // 60:02}:{int(clock) % 60:02}"
    return preview(prompt) | {"talk": talk, "lines": lines(talk), "finding": sentence(talk), "shown": shown}


def lines(talk: list[Values]) -> list[Values]:
    """The conversation as a table: who says what."""
    names = {"request": "assistant, to its tools", "result": "harness", "refusal": "harness"}
    found = []
    for turn in talk:
        found.append({"who": "you", "what": turn["user"]})
        found += [{"who": names.get(p["who"], "assistant"), "what": p["shown"]} for p in turn["parts"]]
    return found


def say(values: Values, uniform: float) -> Values:
    """Say what is typed, if the model knows its words.

    >>> say({"prompt": "who?", "said": "hello"}, 0.5)
    {'said': 'hello / who?', 'prompt': ''}
    """
    typed, found = values["prompt"].replace("/", " ").strip(), preview(values["prompt"])
    if found["trouble"] or not found["reading"] or len(turns_of(values["said"])) == MOST_TURNS:
        return {}
    return {"said": BREAK.join([*turns_of(values["said"]), typed]), "prompt": ""}


def take_back(values: Values, uniform: float) -> Values:
    """Take the last turn back, to say it otherwise.

    >>> take_back({"prompt": "", "said": "hello / who?"}, 0.5)
    {'said': 'hello', 'prompt': 'who?'}
    """
    turns = turns_of(values["said"])
    return {"said": BREAK.join(turns[:-1]), "prompt": turns[-1]} if turns else {}


def start_anew(values: Values, uniform: float) -> Values:
    """Forget the conversation.

    >>> start_anew({"prompt": "", "said": "hello"}, 0.5)
    {'said': '', 'prompt': ''}
    """
    return {"said": "", "prompt": ""}


FIGURE = LiveFigure(
    name="assistant",
    title="The assistant",
    controls=(
        Text("prompt", "You say", SUGGESTIONS, 200, ""),
        Switch("tools", "with tools"),
        Slider("temperature", "Temperature", 0, 1.5, 0.5, 0, "{temperature:.1f}"),
        Slider("clock", "What the clock says", -1, 1439, 1, -1, "{shown}"),
        Text(
            "said",
            "All that you have said, with / between",
            SUGGESTIONS,
            2000,
            BREAK.join([SUGGESTIONS[0], SUGGESTIONS[1], SUGGESTIONS[3]]),
        ),
    ),
    compute=assistant,
    draw=draw_talk,
    says="{finding}",
    columns=("who", "says"),
    rows=(("{who}", "{what}"),),
    each="lines",
    actions=(
        Action("say", "Say it", say),
        Action("back", "Take back", take_back),
        Action("new", "New conversation", start_anew),
    ),
    data=data() | {"suggestions": list(SUGGESTIONS), "most_turns": MOST_TURNS},
    model="assistant",
    ask="Load the assistant (1.4 MB)",
    front=("prompt", "tools"),
    needs=("assistant/harness.js",),
    enter="say",
    still_html=talk_on_page,
)
