"""Backpropagation for the last token of a small transformer: from its last sublayer to the loss and back.

The model is the worked one of *from-scratch*, of which the last sublayer and the output head are followed.
Its weights are those of the chapter; a test compares every number with autograd there.
"""

import math

import numpy as np

from support.view.live.stepper import Matrix, Story, stepper
from support.view.live.stepper.story import added

WORDS = ("the", "cat", "sat", "on", "dog", "mat", "ran", "and")
TARGET = WORDS.index("mat")
RATE = 0.5
EPSILON = 1e-5
# The last token's stream after the attention of block 1, as the chapter's forward pass gives it.
STREAM = (0.4990738106754796, 0.7305882350373702, 0.16823029192480227, 0.5214944649496415)
E = [
    *([0.1, 0.2, 0, 0.1], [0.3, 0.1, 0.2, 0], [0, 0.3, 0.1, 0.2], [0.2, 0, 0.3, 0.1]),
    *([0.4, 0.2, 0.1, 0.1], [0.1, 0.4, 0.2, 0.3], [0, 0.1, 0.4, 0.2], [0.2, 0.2, 0.2, 0.2]),
]
W_1 = [
    [-0.1, -0.142, 0.15, -0.134, 0, 0.092, -0.136, -0.01],
    [0.008, 0.21, -0.146, 0.27, 0.122, -0.16, -0.071, -0.016],
    [0.0353, -0.1535, 0.27, -0.2826, -0.125, 0.1955, 0.0306, 0.019],
    [0.04, 0.094, -0.273, 0.121, 0.018, -0.13, 0.1777, 0.011],
]
B_1 = [0.05, 0.02, 0.34, -0.566, 0.118, 0.085, 0.305, -0.012]
W_2 = [
    *([0.054, 0.096, 0.06, -0.003], [0.0544, 0.2305, -0.042, 0.1538]),
    *([0.228, -0.075, 0.14, -0.0363], [-0.12, 0.02, 0.029, 0.123]),
    *([0.0503, 0.14, -0.0873, 0.129], [0.1, -0.063, 0.2513, 0.007]),
    *([0.1884, 0.141, -0.0337, 0.037], [-0.144, 0.02, 0.09, 0.05]),
]
B_2 = [0.088, 0.212, 0.2454, 0.191]


def normed(story: Story, name: str, title: str, of: Matrix, role: str) -> tuple[Matrix, Matrix]:
    """A row without its mean, divided by its standard deviation; and the two numbers it took."""
    row = of.row(0)
    mean = math.fsum(row) / 4
    std = math.sqrt(math.fsum((x - mean) ** 2 for x in row) / 4 + EPSILON)
    sources = [of.key(0, c) for c in range(4)]
    about = story.matrix(f"μσ({name})", f"mean and deviation of {of.name}", (1, 2), (), ("μ", "σ"), "norm", 4)
    story.put(about, 0, 0, mean, f"({added(of.show(0, c) for c in range(4))}) ÷ 4", sources)
    squares = " + ".join(f"({of.show(0, c)} − μ)²" for c in range(4))
    story.put(about, 0, 1, std, f"√(({squares}) ÷ 4 + 0.00001)", [about.key(0, 0), *sources])
    made = story.matrix(name, title, (1, 4), (), (), role)
    for c in range(4):
        how = f"({of.show(0, c)} − {about.show(0, 0)}) ÷ {about.show(0, 1)}".replace("− −", "+ ")
        story.put(made, 0, c, (row[c] - mean) / std, how, [of.key(0, c), about.key(0, 0), about.key(0, 1)])
    return made, about


def backwards() -> Story:
    """The story: forward to the loss in eight steps, and back to the matrix W₁.

    >>> backwards().told("∂z[5, 0]", 8)
    ' ∂z[5, 0] = 0.171 − 1 = −0.829.'
    """
    story = Story()
    units = [f"unit {i}" for i in range(8)]
    story.step("Given", "The last token's stream x, and the weights; a row of W₁ᵀ belongs to a hidden unit.")
    x = story.given("x", "x, stream", [STREAM], role="stream")
    w1 = story.given("W₁ᵀ", "W₁ᵀ", np.transpose(W_1), rows=units, role="ffn", words="first weights")
    b1 = story.given("b₁", "b₁", [[b] for b in B_1], rows=units, role="ffn", words="first biases")
    w2 = story.given("W₂", "W₂", W_2, rows=units, role="ffn", words="second weights")
    b2 = story.given("b₂", "b₂", [B_2], role="ffn", digits=4, words="second biases")
    e = story.given("E", "E, embedding matrix", E, rows=WORDS, role="token", digits=1)

    def column(name: str, title: str, rows: tuple[str, ...], role: str) -> Matrix:
        return story.matrix(name, title, (8, 1), rows, (), role)

    named = tuple(units)
    story.step("Forward: norm", "The mean is taken away, and the rest divided by the standard deviation.")
    n, _ = normed(story, "n", "n, normed stream", x, "norm")
    story.step("Forward: up", "Each hidden unit takes a dot product with n and adds its bias.")
    u = column("u", "u = W₁ᵀ nᵀ + b₁", named, "ffn")
    for i in range(8):
        terms = [f"{n.show(0, k)} · {w1.show(i, k)}" for k in range(4)]
        value = math.fsum(n.value(0, k) * w1.value(i, k) for k in range(4)) + b1.value(i, 0)
        sources = [*(n.key(0, k) for k in range(4)), *(w1.key(i, k) for k in range(4)), b1.key(i, 0)]
        story.put(u, i, 0, value, added([*terms, b1.show(i, 0)]), sources)
    story.line(w1, "×", n, "ᵀ +", b1, "=", u)
    story.step("Forward: ReLU", "Negative inputs become zero.")
    a = story.each("a", "a = ReLU(u)", u, lambda v: max(v, 0.0), "max(0, {})", words="hidden units")
    story.line(u, "→", a)
    story.step("Forward: down", "The active units add their rows of W₂ to the stream.")
    y = story.matrix("y", "y = x + aᵀ W₂ + b₂", (1, 4), role="stream", words="last state of the stream")
    on = [i for i in range(8) if a.value(i, 0) > 0]
    for c in range(4):
        terms = [x.show(0, c), *(f"{a.show(i, 0)} · {w2.show(i, c)}" for i in on), b2.show(0, c)]
        value = x.value(0, c) + math.fsum(a.value(i, 0) * w2.value(i, c) for i in on) + b2.value(0, c)
        sources = [x.key(0, c), *(k for i in on for k in (a.key(i, 0), w2.key(i, c))), b2.key(0, c)]
        story.put(y, 0, c, value, added(terms), sources)
    story.line(x, "+", a, "ᵀ ×", w2, "+", b2, "=", y)
    story.step("Forward: final norm", "The last state is normed once more.")
    h, scale = normed(story, "h", "h, normed last state", y, "norm")
    story.step("Forward: logits", "The logit of a word is the dot product of h with the word's row of E.")
    z = column("z", "z = E hᵀ, logits", WORDS, "output")
    for i in range(8):
        story.dot(z, i, 0, h, 0, [(e, i, k) for k in range(4)])
    story.line(e, "×", h, "ᵀ =", z)
    story.step(
        "Forward: probabilities and loss",
        "Softmax; the loss is the negative logarithm of the probability of “mat”.",
    )
    powers = story.each("ez", "e to the power of z", z, math.exp, "e^({})")
    whole = math.fsum(powers.value(i, 0) for i in range(8))
    p = column("p", "p, probabilities", WORDS, "output")
    for i in range(8):
        how = f"{powers.show(i, 0)} ÷ ({' + '.join(powers.show(k, 0) for k in range(8))})"
        story.put(p, i, 0, powers.value(i, 0) / whole, how, [powers.key(k, 0) for k in range(8)])
    loss = story.matrix("L", "L, loss", (1, 1), role="loss")
    story.put(loss, 0, 0, -math.log(p.value(TARGET, 0)), f"−ln {p.value(TARGET, 0):.4f}", [p.key(TARGET, 0)])
    story.line(z, "→", powers, "→", p, "→", loss)
    _back(story, {"x": x, "n": n, "u": u, "h": h, "scale": scale, "p": p, "e": e, "w1": w1, "w2": w2})
    return story


def _back(story: Story, m: dict[str, Matrix]) -> None:
    """The second half: from the loss to W₁."""
    e, h, p, u, n, w1, w2 = (m[name] for name in ("e", "h", "p", "u", "n", "w1", "w2"))
    story.step("Back: logits", "∂L/∂z = p − y: one is taken from the target, so its logit should rise.")
    on_z = story.matrix("∂z", "∂L/∂z = p − y", (8, 1), WORDS, (), "loss")
    for i in range(8):
        target = float(i == TARGET)
        story.put(on_z, i, 0, p.value(i, 0) - target, f"{p.show(i, 0)} − {target:.0f}", [p.key(i, 0)])
    story.step(
        "Back: into E", "Each row of E receives a multiple of h: this is the head's part of its gradient."
    )
    on_e = story.matrix("∂E", "∂L/∂E, in the head", (8, 4), WORDS, (), "loss")
    for i in range(8):
        for c in range(4):
            _times(story, on_e, i, c, (on_z, i, 0), (h, 0, c))
    story.line(on_z, "×", h, "=", on_e)
    story.step("Back: into h", "The last state receives a mixture of the rows of E.")
    on_h = story.matrix("∂h", "∂L/∂h = (∂L/∂z)ᵀ E", (1, 4), (), (), "loss")
    for c in range(4):
        _sum(story, on_h, c, [((on_z, i, 0), (e, i, c)) for i in range(8)])
    story.line(on_z, "ᵀ ×", e, "=", on_h)
    story.step("Back: norm", "The mean and the part along h are removed, and the rest is divided by σ.")
    about = story.matrix("g", "means of ∂h and of ∂h · h", (1, 2), (), ("∂h", "∂h · h"), "norm", 4)
    keys = [on_h.key(0, c) for c in range(4)]
    story.put(
        about, 0, 0, math.fsum(on_h.row(0)) / 4, f"({added(on_h.show(0, c) for c in range(4))}) ÷ 4", keys
    )
    along = math.fsum(on_h.value(0, c) * h.value(0, c) for c in range(4)) / 4
    terms = added(f"{on_h.show(0, c)} · {h.show(0, c)}" for c in range(4))
    story.put(about, 0, 1, along, f"({terms}) ÷ 4", [*keys, *(h.key(0, c) for c in range(4))])
    on_y = story.matrix("∂y", "∂L/∂y", (1, 4), (), (), "loss")
    sigma = m["scale"]
    for c in range(4):
        value = on_h.value(0, c) - about.value(0, 0) - h.value(0, c) * about.value(0, 1)
        how = f"{on_h.show(0, c)} − {about.show(0, 0)} − {h.show(0, c)} · {about.show(0, 1)}"
        how = f"({how}) ÷ {sigma.show(0, 1)}".replace("− −", "+ ")
        sources = [on_h.key(0, c), about.key(0, 0), h.key(0, c), about.key(0, 1), sigma.key(0, 1)]
        story.put(on_y, 0, c, value / sigma.value(0, 1), how, sources)
    story.step("Back: into the hidden units", "Each unit takes the dot product of ∂L/∂y with its row of W₂.")
    on_a = story.matrix("∂a", "∂L/∂a = W₂ (∂L/∂y)ᵀ", (8, 1), u.rows, (), "loss")
    for i in range(8):
        story.dot(on_a, i, 0, on_y, 0, [(w2, i, k) for k in range(4)])
    story.line(w2, "×", on_y, "ᵀ =", on_a)
    story.step("Back: ReLU", "The gradient passes where the input was positive and is zero elsewhere.")
    on_u = story.matrix("∂u", "∂L/∂u", (8, 1), u.rows, (), "loss")
    for i in range(8):
        passes = u.value(i, 0) > 0
        how = f"{on_a.show(i, 0)} · {passes:d}"
        story.put(on_u, i, 0, on_a.value(i, 0) * passes, how, [on_a.key(i, 0), u.key(i, 0)])
    story.step(
        "Back: into W₁", "An entry of W₁ receives its unit's gradient times the number that it multiplied."
    )
    on_w1 = story.matrix("∂W₁ᵀ", "∂L/∂W₁ᵀ", (8, 4), u.rows, (), "loss")
    for i in range(8):
        for c in range(4):
            _times(story, on_w1, i, c, (on_u, i, 0), (n, 0, c))
    story.line(on_u, "×", n, "=", on_w1)
    story.step("The step", "Each entry moves against its gradient, by the learning rate of one half.")
    new = story.matrix("W₁ᵀ new", "W₁ᵀ − 0.5 ∂L/∂W₁ᵀ", (8, 4), u.rows, (), "ffn")
    for i in range(8):
        for c in range(4):
            how = f"{w1.show(i, c)} − 0.5 · {on_w1.show(i, c)}".replace("− 0.5 · −", "+ 0.5 · ")
            value = w1.value(i, c) - RATE * on_w1.value(i, c)
            story.put(new, i, c, value, how, [w1.key(i, c), on_w1.key(i, c)])
    story.line(w1, f"− {RATE} ×", on_w1, "=", new)


Place = tuple[Matrix, int, int]


def _times(story: Story, made: Matrix, r: int, c: int, a: Place, b: Place) -> None:
    (of, i, j), (by, k, m) = a, b
    how = f"{of.show(i, j)} · {by.show(k, m)}"
    story.put(made, r, c, of.value(i, j) * by.value(k, m), how, [of.key(i, j), by.key(k, m)])


def _sum(story: Story, made: Matrix, c: int, pairs: list[tuple[Place, Place]]) -> None:
    value = math.fsum(a.value(i, j) * b.value(k, m) for (a, i, j), (b, k, m) in pairs)
    how = added(f"{a.show(i, j)} · {b.show(k, m)}" for (a, i, j), (b, k, m) in pairs)
    sources = [place[0].key(*place[1:]) for pair in pairs for place in pair]
    story.put(made, 0, c, value, how, sources)


FIGURE = stepper(
    "backprop_steps", "From the loss back to one matrix, number by number", backwards(), chain=True
)
