"""The search behind chapter 16: weights that lead to every number which *from-scratch* prints.

    python benchmarks/one_step_weights.py [--seed 11]

Its worked example prints the weights of the first attention only, but what flows through the whole model,
up and down. Here the 208 unprinted weights are found by least squares on the 168 printed numbers that hang
on them, and then shortened, the least important ones first. About 20 seconds. Other seeds end elsewhere or
get stuck; and a long search may take another turn on another machine.
"""

import argparse
import math

import numpy as np
import torch
from scipy.optimize import least_squares
from torch import Tensor
from torch.func import grad, jacfwd

from support.model import attend, layer_norm

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)


def numbers(text: str) -> Tensor:
    """'1 2; 3 4' → a matrix with two rows."""
    return torch.tensor([[float(x) for x in row.split()] for row in text.split(";")])


E = numbers(
    ".1 .2 0 .1; .3 .1 .2 0; 0 .3 .1 .2; .2 0 .3 .1; .4 .2 .1 .1; .1 .4 .2 .3; 0 .1 .4 .2; .2 .2 .2 .2"
)
P = numbers("0 0 0 0; .1 .05 0 0; .15 .1 0 0; .2 .15 0 0; .25 .2 0 0")
IDS, TARGET = torch.tensor([0, 1, 2, 3, 0]), 5
FIRST = {
    "Q1": numbers(".5 .1; .1 .4; .2 .3; 0 .2"),
    "K1": numbers(".4 0; .2 .5; .1 .3; .3 .1"),
    "V1": numbers(".3 .2; 0 .4; .5 .1; .2 .3"),
    "Q2": numbers(".2 .3; .4 .1; 0 .5; .3 0"),
    "K2": numbers(".1 .4; .3 0; .2 .2; .5 .1"),
    "V2": numbers("0 .5; .3 .2; .4 0; .1 .3"),
    "O": numbers(".4 .1 .2 0; 0 .3 .1 .4; .2 .2 .3 .1; .1 0 .2 .3"),
}
SECOND_V1 = numbers(".4 0; .1 .3; .2 .4; .3 .1")
NEURONS = ".004 .525 -.302 .220 .467 -.435 .193 -.060"
UP = {
    "neurons 1": numbers(NEURONS)[0],
    "neurons 2": numbers(NEURONS)[0],
    "thought 1": numbers(
        ".128 .349 .092 .429; .329 .323 .444 .220; .152 .371 .092 .446; .338 .380 .403 .250;"
        ".205 .349 .183 .311"
    ),
    "x1": numbers(
        "-.054 .577 .007 .770; .637 .450 .620 .333; .142 .789 .152 .789; .681 .512 .691 .426;"
        ".457 .739 .161 .520"
    ),
    "x2": numbers(
        ".151 1.016 .189 1.117; 1.075 .529 1.187 .487; .385 1.270 .342 1.172; 1.138 .588 1.268 .582;"
        ".649 1.161 .351 .888"
    ),
    "final": numbers(
        "-1.039 .884 -.954 1.109; .812 -.924 1.169 -1.058; -.947 1.110 -1.045 .882; .781 -.979 1.197 -.999;"
        "-.378 1.335 -1.377 .420"
    ),
}
DOWN = {
    "hidden": numbers(".003 -.003 .060 -.060 .011 -.008 .058 -.071")[0],
    "Q": numbers(".0001 -.0002; -.0014 .0043; .0016 -.005; -.0003 .0008"),
    "K": numbers("-.0031 .002; .0034 -.0021; -.0045 .0029; .0042 -.0027"),
    "V": numbers(".0026 .0051; .01 .0198; -.0049 -.0096; -.0077 -.0152"),
    "x1": numbers(
        "-.013 .021 .008 -.016; -.048 .065 .024 -.041; -.010 .020 .011 -.020; -.053 .073 .027 -.047;"
        ".326 -.043 -.168 -.115"
    ),
    "x0": numbers(
        "-.085 .081 .068 -.065; -.075 .005 .110 -.039; -.064 .040 .076 -.051; -.096 .018 .096 -.019;"
        ".437 -.067 -.128 -.243"
    ),
}
SHAPES = {
    **{"1 W1": (4, 8), "1 b1": (8,), "1 W2": (8, 4), "1 b2": (4,)},
    **{"2 Q1": (4, 2), "2 K1": (4, 2), "2 Q2": (4, 2), "2 K2": (4, 2), "2 V2": (4, 2), "2 O": (4, 4)},
    **{"2 W1": (4, 8), "2 b1": (8,), "2 W2": (8, 4), "2 b2": (4,)},
}
UNKNOWN = sum(map(math.prod, SHAPES.values()))
# Half a unit in the last printed digit: the width of a rounding step.
WIDTHS = (
    torch.cat([torch.full((t.numel(),), 5e-4) for t in UP.values()]),
    torch.cat([torch.full((t.numel(),), 5e-5 if name in "QKV" else 5e-4) for name, t in DOWN.items()]),
)


def unpack(flat: Tensor) -> dict[str, Tensor]:
    parts = flat.split([math.prod(shape) for shape in SHAPES.values()])
    return {name: part.reshape(shape) for (name, shape), part in zip(SHAPES.items(), parts, strict=True)}


def attention(x: Tensor, w: dict[str, Tensor]) -> Tensor:
    n = layer_norm(x)
    return (
        torch.cat([attend(n @ w["Q" + h], n @ w["K" + h], n @ w["V" + h])[0] for h in "12"], dim=1) @ w["O"]
    )


def run(w: dict[str, Tensor], nudge: dict[str, Tensor]) -> tuple[Tensor, dict[str, Tensor]]:
    """The loss and what flows; ``nudge`` is zero, and its gradient is the one that the source prints."""
    second = {name[2:]: t for name, t in w.items() if name.startswith("2 ")}
    second |= {"Q1": second["Q1"] + nudge["Q"], "K1": second["K1"] + nudge["K"], "V1": SECOND_V1 + nudge["V"]}
    x0 = E[IDS] + P + nudge["x0"]
    mid = x0 + attention(x0, FIRST)
    neurons_1 = layer_norm(mid) @ w["1 W1"] + w["1 b1"]
    thought = neurons_1.relu() @ w["1 W2"] + w["1 b2"]
    x1 = mid + thought + nudge["x1"]
    mid = x1 + attention(x1, second)
    neurons_2 = layer_norm(mid) @ second["W1"] + second["b1"]
    x2 = mid + (neurons_2.relu() + nudge["hidden"]) @ second["W2"] + second["b2"]
    final = layer_norm(x2)
    loss = -(final[-1] @ E.T).log_softmax(dim=0)[TARGET]
    flows = (neurons_1[4], neurons_2[4], thought, x1, x2, final)
    return loss, dict(zip(UP, flows, strict=True))


def gaps(flat: Tensor) -> Tensor:
    """Ours minus printed, in half units of the last printed digit."""
    weights = unpack(flat)
    zero = {name: torch.zeros(5, 8) if name == "hidden" else torch.zeros_like(t) for name, t in DOWN.items()}
    gradients, flows = grad(lambda nudge: run(weights, nudge), has_aux=True)(zero)
    gradients = {**gradients, "hidden": gradients["hidden"][4]}
    up = torch.cat([(flows[name] - t).flatten() for name, t in UP.items()]) / WIDTHS[0]
    down = torch.cat([(gradients[name] - t).flatten() for name, t in DOWN.items()]) / WIDTHS[1]
    return torch.cat([up, down])


jacobian = jacfwd(gaps)


def solve(
    x: np.ndarray, free: np.ndarray, penalty: float, weigh: np.ndarray | float, rounds: int
) -> np.ndarray:
    """Least squares over the free weights, with a small L2 penalty."""

    def put(z: np.ndarray) -> Tensor:
        full = x.copy()
        full[free] = z
        return torch.from_numpy(full)

    def value(z: np.ndarray) -> np.ndarray:
        return np.concatenate([weigh * gaps(put(z)).numpy(), penalty * z])

    def derivative(z: np.ndarray) -> np.ndarray:
        weighed = np.reshape(weigh, (-1, 1)) * jacobian(put(z)).numpy()[:, free]
        return np.concatenate([weighed, penalty * np.eye(free.sum())])

    found = least_squares(value, x[free], jac=derivative, max_nfev=rounds, ftol=1e-6, xtol=1e-12)
    return put(found.x).numpy().copy()


def search(seed: int) -> np.ndarray:
    """The way up first, the way down by and by: all at once, the search gets stuck."""
    torch.manual_seed(seed)
    x, free = (0.4 * torch.randn(UNKNOWN)).numpy(), np.ones(UNKNOWN, bool)
    n_up, n_down = len(WIDTHS[0]), len(WIDTHS[1])
    for penalty, up, down in (
        (1, 0.05, 0.003),
        (0.3, 0.3, 0.02),
        (0.1, 1, 0.1),
        (0.05, 1, 0.4),
        (0.02, 1, 1),
    ):
        x = solve(x, free, penalty, np.repeat([up, down], [n_up, n_down]), rounds=60)
    return solve(x, free, 0.005, 1.0, rounds=60)


def shorten(x: np.ndarray) -> np.ndarray:
    """Round the weights a few at a time, those first that matter least, and let the others make up for it."""
    free = np.ones(len(x), bool)
    for digits, until in ((2, 90), (3, 170), (4, len(x))):
        while (~free).sum() < until:
            matter = np.linalg.norm(jacobian(torch.from_numpy(x)).numpy(), axis=0)
            cost = np.where(free, matter * np.abs(x - x.round(digits)), np.inf)
            chosen = cost.argsort()[: min(4, until - (~free).sum())]
            x[chosen], free[chosen] = x[chosen].round(digits), False
            if free.any():
                x = solve(x, free, 0.005, 1.0, rounds=15)
    return x


def tell(x: np.ndarray, when: str) -> None:
    far = gaps(torch.from_numpy(x)).abs()
    print(
        f"{when}: {len(far)} numbers, furthest off by {far.max():.2f} half units of the last digit",
        flush=True,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=11)
    found = search(parser.parse_args().seed)
    tell(found, "found")
    found = shorten(found)
    tell(found, "shortened")
    for name, t in unpack(torch.from_numpy(found)).items():
        rows = t if t.ndim == 2 else t[None]
        print(f"{name}: " + "; ".join(" ".join(f"{v + 0.0:.4g}" for v in row) for row in rows.tolist()))
