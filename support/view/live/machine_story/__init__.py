"""The machine view of the story model: the same figure as `machine`."""

from support.view.live.controls import Stop
from support.view.live.machine import machine_figure
from support.view.live.machine.numbers import standing
from support.view.live.model_text import NAMES, TALES

BOY, GIRL = (f"a kind {who} called for help as loudly as" for who in ("boy", "girl"))
_END = {"step": standing(TALES), "at": 0}
TOUR = (
    Stop(
        "a kind boy",
        "The next word is “he”: the model is almost certain. One word decides that. Change it.",
        {"prompt": BOY, "h22": True, **_END},
    ),
    Stop(
        "a kind girl",
        "Now it is “she”. How does the end know who stood near the beginning? Head 2.2 (one of four ways of "
        "looking back in block 2) is lit.",
        {"prompt": GIRL, "h22": True, **_END},
        ("head 2.2", "girl"),
        "Now “she”: the lit head 2.2 looks back at “girl”.",
    ),
    Stop(
        "boy, one head off",
        "The boy has become a “she”: without head 2.2 the model says “she” of boy and girl alike.",
        {"prompt": BOY, "h22": False, **_END},
        ("head 2.2", "boy"),
        "Without it the model says “she” of boy and girl alike.",
    ),
)

FIGURE = machine_figure(
    "machine_story",
    TALES,
    "A language model at work: stories",
    ("once there was a", "Leo was a kind boy"),
    51,
    "Load the story model (1.3 MB)",
    tour=TOUR,
    asks="how does the model know whether a story is about a boy or a girl?",
    names=NAMES[TALES],
    keeps=("boy", "girl"),
)
