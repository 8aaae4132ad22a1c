"""The picture of learning from preferences: a dog on an elastic lead, and where it comes to rest."""

import math
from collections.abc import Sequence

from support.core import InputError
from support.view.diagram.canvas import Diagram, Number
from support.view.diagram.shapes import Drawing, Point

# A dog that faces right, standing at (0, 0), with its collar at (12, −17).
DOG: tuple[Point, ...] = (
    (-21, -24),
    (-16, -18),
    (-10, -17),
    (8, -18),
    (12, -26),
    (15, -30),
    (19, -27),
    (27, -24),
    (26, -20),
    (19, -19),
    (14, -11),
    (13, 0),
    (10, 0),
    (9, -9),
    (-10, -9),
    (-11, 0),
    (-14, 0),
    (-16, -14),
    (-22, -21),
)
LEFT, HAND, FIRST, SCALE, HIGH = (
    24,
    38,
    84,
    118,
    30,
)  # you, your hand, a dog beside you, a nat, the highest bar
KINDS = ("a stiff lead", "a softer lead", "a very soft lead")


def lead(
    reference: Sequence[Number] = (0.4, 0.3, 0.2, 0.1),
    rewards: Sequence[Number] = (0, 1, 2, 0),
    stiffness: Sequence[Number] = (2, 1, 0.25),
) -> Diagram:
    """Where the best policy stands under a KL penalty: nearer to the reference, the stiffer the lead is.

    Args:
        reference: the probability that the reference gives to each of up to five answers.
        rewards: the reward of each answer.
        stiffness: the weights β of the divergence, one row for each; at most three.

    Raises:
        InputError: the numbers are not those of two to five answers and of one to three weights.
    """
    if not 2 <= len(reference) == len(rewards) <= 5 or not 1 <= len(stiffness) <= 3 or min(stiffness) <= 0:
        raise InputError("a lead needs two to five answers, each with a reward, and up to three weights")
    names = "ABCDE"[: len(reference)]
    best = max(range(len(rewards)), key=lambda i: rewards[i])
    furthest = -math.log(reference[best])
    bin_at = FIRST + SCALE * furthest + 34
    d, told, ground = Drawing(140), [], 0
    for row, beta in enumerate(stiffness):
        weights = [p * math.exp(r / beta) for p, r in zip(reference, rewards, strict=True)]
        policy = [weight / sum(weights) for weight in weights]
        far = sum(p * math.log(p / q) for p, q in zip(policy, reference, strict=True))
        reward = sum(p * r for p, r in zip(policy, rewards, strict=True))
        dog, ground = FIRST + SCALE * far, 132 + 132 * row
        d.text(8, ground - 116, f"{KINDS[row]}, β = {beta:g}", bold=True, anchor="start")
        d.text(332, ground - 116, f"{far:.2f} nats away", "attention", size=12, anchor="end")
        d.line((6, ground), (334, ground), role="line", width=1)
        _person(d, LEFT, ground)
        _bars(d, LEFT + 4, ground - 62, reference, "norm")
        _bin(d, bin_at, ground)
        _spring(d, (HAND, ground - 26), (dog + 12, ground - 19), width=(3, 2, 1.2)[row])
        d.curve([(dog + x, ground + y) for x, y in DOG], "stream", width=1.6, closed=True, fill=0.3)
        _bars(d, dog, ground - 40, policy, "stream")
        d.text(dog, ground - 64 - HIGH * max(policy), f"reward {reward:.2f}", "output", size=12)
        told.append(
            f"with β = {beta:g} it stands {far:.2f} nats away, with a mean reward of {reward:.2f} and a "
            f"probability of {policy[best]:.2f} for {names[best]}"
        )
    d.text(FIRST + SCALE * 0.4, 120, "the dog: the policy", "stream", size=12, anchor="start")
    d.text(6, ground + 15, "you: the reference", "norm", size=12, anchor="start")
    d.text(bin_at, ground + 15, f"{names[best]} alone", "output", size=12)
    d.arrow((FIRST, ground + 34), (FIRST + SCALE * furthest, ground + 34))
    d.text(FIRST + SCALE * furthest / 2, ground + 50, "distance: KL divergence", "faint", size=12)
    d.size = (d.size[0], ground + 62)
    return d.done(
        "A dog, the policy, on an elastic lead held by you, the reference, and at the far end a bin: answer "
        f"{names[best]} alone, which has the highest reward. The dog comes to rest where the reward and the "
        f"lead pull equally: {'; '.join(told)}. The bin is {furthest:.2f} nats away."
    )


def _spring(d: Drawing, hand: Point, collar: Point, width: Number) -> None:
    """A lead of so many coils, however far it is stretched, and a straight end over the dog's back."""
    coils, end = 14, collar[0] - 30
    zigzag = [(hand[0] + (end - hand[0]) * (k + 0.5) / coils, hand[1] + 5 * (-1) ** k) for k in range(coils)]
    d.curve([hand, *zigzag, (end, hand[1]), collar], "attention", width=width)


def _bars(d: Drawing, middle: Number, ground: Number, values: Sequence[Number], role: str) -> None:
    """A distribution over a head: a bar and a letter for each answer."""
    for k, value in enumerate(values):
        x, y, high = middle + 11 * (k - len(values) / 2), ground - 13, max(1.5, HIGH * value)
        d.curve([(x, y), (x, y - high), (x + 8, y - high), (x + 8, y)], role, width=1, closed=True, fill=0.55)
        d.text(x + 4, ground - 6, "ABCDE"[k], role, size=11)


def _person(d: Drawing, x: Number, ground: Number) -> None:
    """Somebody who stands and holds the lead."""
    d.node(x, ground - 46, "", "norm", r=7)
    d.line((x, ground - 38), (x, ground - 18), role="norm", width=3)
    d.line((x - 6, ground), (x, ground - 18), (x + 6, ground), role="norm", width=3)
    d.line((x, ground - 33), (HAND, ground - 26), role="norm", width=3)


def _bin(d: Drawing, x: Number, ground: Number) -> None:
    """The rubbish bin at the end of the park."""
    d.curve(
        [(x - 11, ground - 26), (x + 11, ground - 26), (x + 8, ground), (x - 8, ground)],
        "output",
        closed=True,
        fill=0.2,
    )
    d.line((x - 14, ground - 29), (x + 14, ground - 29), role="output", width=2.5)
