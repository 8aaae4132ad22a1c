"""The machine view of the calling game, told of its feed-forward network: as `machine`."""

from support.view.live.controls import Stop, Values
from support.view.live.machine import END, machine_figure
from support.view.live.model_text import ENGLISH, GAME, loaded

_OPENED: Values = {**END, "open": "feed-forward 1"}
TOUR = (
    Stop(
        "Pietro calls",
        "The answer is Tarso. Each small square under feed-forward 1 is a hidden unit: for Paolo 63 of 256 "
        "are active. Now let player 5 call.",
        {"prompt": "Pietro chiama Paolo", "m1": True, **_OPENED},
        short="The answer is Tarso, and for Paolo 63 of 256 units are active.",
    ),
    Stop(
        "player 5 calls",
        "The answer is vice. The network has the same weights as before, but other units are active, because "
        "attention has told Paolo who called. Switch the network off.",
        {"prompt": "5 chiama Paolo", "m1": True, **_OPENED},
        short="The answer is vice: the same weights, but other units are active.",
    ),
    Stop(
        "network off",
        "Without feed-forward 1 the model no longer knows the answer: vice falls to 18%, and 5, which makes "
        "no sense here, has 14%.",
        {"prompt": "5 chiama Paolo", "m1": False, **_OPENED},
        short="Without it vice falls to 18%.",
    ),
)

FIGURE = machine_figure(
    "machine_feed_forward",
    GAME,
    "The feed-forward network at work: the calling game",
    ("Pietro chiama Paolo", "Paolo chiama Pietro", "3 chiama 7"),
    len(loaded(GAME)[1]) - 1,
    english=ENGLISH,
    tour=TOUR,
    folded=True,
)
