"""The policy that is optimal for four answers under a KL penalty.

`figure.js` beside this file computes and draws the same in the page.
"""

from typing import Any

import torch
from matplotlib.figure import Figure

from support.alignment import divergence, optimal_value, optimum
from support.view.live.controls import Slider
from support.view.live.description import LiveFigure
from support.view.plots import plot_bars

ANSWERS = ("A", "B", "C", "D")
REFERENCE = (0.4, 0.3, 0.2, 0.1)
REWARDS = (0.0, 1.0, 2.0)  # of the first three; the last one's is a control


def kl_penalty(beta: float | int, reward: float | int) -> dict[str, Any]:
    """The optimum of E[r] − β KL(π ‖ π_ref) over four answers.

    Args:
        beta: the weight of the penalty, above 0.
        reward: of the rarest answer, D.

    Returns:
        for each answer its reward and its probability under the optimum; the expected reward, the divergence
        and the objective of the optimum, which is also computed from the two as they are printed.

    >>> found = kl_penalty(1.0, 0.0)
    >>> round(found["C_best"], 4), round(found["value"], 4)
    (0.5291, 1.0272)
    """
    log_reference = torch.tensor([REFERENCE], dtype=torch.float64).log()
    rewards = torch.tensor([[*REWARDS, reward]], dtype=torch.float64)
    best = optimum(log_reference, rewards, beta)
    found: dict[str, Any] = {}
    for name, r, p in zip(ANSWERS, rewards[0], best.exp()[0], strict=True):
        found |= {f"{name}_reward": r.item(), f"{name}_best": p.item()}
    first = max(ANSWERS, key=lambda name: found[f"{name}_best"])
    gain, kl = (best.exp() * rewards).sum().item(), divergence(best, log_reference).item()
    return found | {
        "first": first,
        "first_p": found[f"{first}_best"],
        "gain": gain,
        "kl": kl,
        "objective": round(gain, 3) - beta * round(kl, 4),  # so that a reader who does the sum finds it
        "value": optimal_value(log_reference, rewards, beta).item(),
    }


def draw_kl_penalty(values: dict[str, Any], found: dict[str, Any]) -> Figure:
    """The reference and the best policy side by side."""
    groups = {
        "reference": REFERENCE,
        "best policy": [found[f"{name}_best"] for name in ANSWERS],
    }
    labels = [f"{name}, reward {found[f'{name}_reward']:g}" for name in ANSWERS]
    fig = plot_bars(groups, labels, xlabel="probability", digits=2)
    fig.axes[0].set_xlim(0, 1.12)
    return fig


FIGURE = LiveFigure(
    name="kl_penalty",
    title="The best policy under a KL penalty",
    controls=(
        Slider("beta", "β, the weight of the KL", 0.1, 5, 0.1, 1, "{beta:.1f}"),
        Slider("reward", "Reward of rare answer D", -2, 6, 0.1, 0, "{reward:.1f}"),
    ),
    compute=kl_penalty,
    draw=draw_kl_penalty,
    says="With β = {beta:.1f} the best policy gives answer {first} most, {first_p:.1%}. Its expected reward "
    "is {gain:.3f} and its KL divergence from the reference {kl:.4f}, so the objective, the reward minus β "
    "times the divergence, is {objective:.2f}.",
    columns=("answer", "reward", "reference", "best policy"),
    rows=tuple(
        (name, f"{{{name}_reward:.1f}}", f"{100 * p:.1f}%", f"{{{name}_best:.1%}}")
        for name, p in zip(ANSWERS, REFERENCE, strict=True)
    ),
    data={"answers": ANSWERS, "reference": REFERENCE, "rewards": REWARDS},
)
