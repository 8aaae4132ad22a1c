"""Backpropagation for the last token of a small transformer: from its last sublayer to the loss and back.

The model is the worked one of *from-scratch*, of which the last sublayer and the output head are followed.
Its weights are those of the chapter; a test compares every number with autograd there.
"""

import math
from typing import Any

from support.view.live.stepper import Matrix, Story, stepper
from support.view.live.stepper.sums import added, factor

WORDS = ("the", "cat", "sat", "on", "dog", "mat", "ran", "and")
INPUTS = ("n₀", "n₁", "n₂", "n₃")
TARGET = WORDS.index("mat")
RATE = 0.5
EPSILON = 1e-5
SMALL = {"scale": 1000, "digits": 1}  # such numbers would be 0.000, or too long for a phone
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


def normed(story: Story, name: str, title: str, of: Matrix, **more: Any) -> tuple[Matrix, Matrix]:
    """A row without its mean, divided by its standard deviation; and the two numbers it took."""
    row, columns = of.row(0), range(4)
    mean = math.fsum(row) / 4
    std = math.sqrt(math.fsum((x - mean) ** 2 for x in row) / 4 + EPSILON)
    sources = [of.key(0, c) for c in columns]
    about = story.matrix(
        f"μ, σ of {of.name}", f"mean and deviation of {of.name}", (1, 2), (), ("μ", "σ"), "norm", 4
    )
    story.put(about, 0, 0, mean, f"({added(of.show(0, c) for c in columns)}) ÷ 4", sources)
    less = [f"{of.show(0, c)} − {factor(about.show(0, 0))}" for c in columns]
    squares = " + ".join(f"({part})²" for part in less)
    story.put(about, 0, 1, std, f"√(({squares}) ÷ 4 + 0.00001)", [about.key(0, 0), *sources])
    made = story.matrix(name, title, (1, 4), role="norm", words="normed", **more)
    for c in columns:
        sources = [of.key(0, c), about.key(0, 0), about.key(0, 1)]
        story.put(made, 0, c, (row[c] - mean) / std, f"({less[c]}) ÷ {about.show(0, 1)}", sources)
    story.line(of, "→", about, "→", made)
    return made, about


def backwards() -> Story:
    """The story: forward to the loss in seven steps, and back to the matrix W₁.

    >>> backwards().told("∂L/∂z[0, 5]", 7)
    ' ∂L/∂z (mat) = 0.171 − 1 = −0.829.'
    """
    story = Story()
    units = [f"unit {i}" for i in range(8)]
    story.step(
        "Forward: norm",
        "x is the last token’s stream. Its mean is subtracted; the rest is divided by the deviation σ.",
        "n = (x − μ) ÷ σ, with x [1, 4] and n [1, 4]",
    )
    x = story.given("x", "x, stream", [STREAM], role="stream", digits=4, words="stream")
    n, _ = normed(story, "n", "n, normed stream", x, columns=INPUTS)
    story.step(
        "Forward: up", "Each hidden unit takes the dot product of n with its column of W₁, plus its bias."
    )
    w1 = story.given("W₁", "W₁, first weights", W_1, rows=INPUTS, columns=units, role="ffn", words="weights")
    b1 = story.given("b₁", "b₁, first biases", [B_1], columns=units, role="ffn", words="biases")
    u = story.matrix("u", "u = n W₁ + b₁", (1, 8), (), units, "ffn", words="before ReLU")
    for i in range(8):
        terms = [f"{n.show(0, k)} · {factor(w1.show(k, i))}" for k in range(4)]
        value = math.fsum(n.value(0, k) * w1.value(k, i) for k in range(4)) + b1.value(0, i)
        sources = [*(key for k in range(4) for key in (n.key(0, k), w1.key(k, i))), b1.key(0, i)]
        story.put(u, 0, i, value, added([*terms, b1.show(0, i)]), sources)
    story.line(n, "×", w1, "+", b1, "=", u)
    story.step("Forward: ReLU", "Negative numbers become zero.", "a = max(0, u), with u [1, 8] and a [1, 8]")
    a = story.each("a", "a = ReLU(u)", u, lambda v: max(v, 0.0), "max(0, {})", words="hidden units")
    story.line(u, "→", a)
    story.step("Forward: down", "The active units add their rows of W₂ to the stream.")
    w2 = story.given("W₂", "W₂, second weights", W_2, rows=units, role="ffn", words="weights")
    b2 = story.given("b₂", "b₂, second biases", [B_2], role="ffn", digits=4, words="biases")
    x2 = story.matrix("x₂", "x₂ = x + a W₂ + b₂", (1, 4), role="stream", digits=4, words="last state")
    on = [i for i in range(8) if a.value(0, i) > 0]
    for c in range(4):
        terms = [x.show(0, c), *(f"{a.show(0, i)} · {factor(w2.show(i, c))}" for i in on), b2.show(0, c)]
        value = x.value(0, c) + math.fsum(a.value(0, i) * w2.value(i, c) for i in on) + b2.value(0, c)
        sources = [x.key(0, c), *(k for i in on for k in (a.key(0, i), w2.key(i, c))), b2.key(0, c)]
        story.put(x2, 0, c, value, added(terms), sources)
    story.line(x, "+", a, "×", w2, "+", b2, "=", x2)
    story.step(
        "Forward: final norm",
        "The last state is normed in the same way.",
        "h = (x₂ − μ) ÷ σ, with x₂ [1, 4] and h [1, 4]",
    )
    h, scale = normed(story, "h", "h, normed last state", x2)
    story.step("Forward: logits", "The logit of a word is the dot product of h with the word’s row of E.")
    e = story.given("E", "E, embedding matrix", E, rows=WORDS, role="token", digits=1, words="embeddings")
    z = story.product("z", "z = h Eᵀ, logits", h, e, transposed=True, role="output", words="logits")
    story.step(
        "Forward: softmax and loss",
        "Softmax turns the logits into probabilities; the loss is −ln of that of “mat”, the right word.",
    )
    powers = story.each("e^z", "e^z, e to the power of z", z, math.exp, "e^({})", words="powers")
    whole = math.fsum(powers.row(0))
    p = story.matrix("p", "p, probabilities", (1, 8), (), WORDS, "output", words="probabilities")
    for i in range(8):
        how = f"{powers.show(0, i)} ÷ ({' + '.join(powers.show(0, k) for k in range(8))})"
        story.put(p, 0, i, powers.value(0, i) / whole, how, [powers.key(0, k) for k in range(8)])
    loss = story.matrix("L", "L, loss", (1, 1), role="loss", words="loss")
    story.put(loss, 0, 0, -math.log(p.value(0, TARGET)), f"−ln {p.value(0, TARGET):.4f}", [p.key(0, TARGET)])
    story.line(z, "→", powers, "→", p, "→", loss)
    _back(story, {"z": z, "x": x, "n": n, "u": u, "h": h, "scale": scale, "p": p, "e": e, "w1": w1, "w2": w2})
    return story


def _back(story: Story, m: dict[str, Matrix]) -> None:
    """The second half: from the loss to W₁."""
    e, h, p, u, n, w1, w2 = (m[name] for name in ("e", "h", "p", "u", "n", "w1", "w2"))

    def gradient(of: Matrix, where: str = "", **about: Any) -> Matrix:
        name = f"∂L/∂{of.name}"
        return story.matrix(name, f"{name}, gradient{where}", of.shape, of.rows, of.columns, "loss", **about)

    story.step(
        "Back: logits",
        "y is one for the right word, “mat”, and zero elsewhere. Only the gradient for “mat” is negative: "
        "its logit should rise, and all others should fall.",
    )
    one = [[float(i == TARGET) for i in range(8)]]
    y = story.given("y", "y, target", one, columns=WORDS, role="output", digits=0, words="target")
    on_z = gradient(m["z"])
    for i in range(8):
        how = f"{p.show(0, i)} − {y.show(0, i)}"
        story.put(on_z, 0, i, p.value(0, i) - y.value(0, i), how, [p.key(0, i), y.key(0, i)])
    story.line(p, "−", y, "=", on_z)
    story.step(
        "Back: into E", "Each row of E receives a multiple of h: this is the head’s part of its gradient."
    )
    on_e = gradient(e, " in the head")
    for i in range(8):
        for c in range(4):
            _times(story, on_e, (i, c), (on_z, 0, i), (h, 0, c))
    story.line(on_z, "ᵀ ×", h, "=", on_e)
    story.step("Back: into h", "The last state receives a mixture of the rows of E.")
    on_h = gradient(h)
    for c in range(4):
        _sum(story, on_h, c, [((on_z, 0, i), (e, i, c)) for i in range(8)])
    story.line(on_z, "×", e, "=", on_h)
    _back_norm(story, on_h, h, m["scale"])
    on_x2 = story.matrices["∂L/∂x₂"]
    story.step("Back: into the hidden units", "Each unit takes the dot product of ∂L/∂x₂ with its row of W₂.")
    on_a = story.product("∂L/∂a", "∂L/∂a, gradient", on_x2, w2, transposed=True, role="loss")
    story.step(
        "Back: ReLU",
        "The gradient passes where u is positive; elsewhere it becomes 0. From here on in thousandths.",
    )
    on_u = gradient(u, " in thousandths", **SMALL)
    for i in range(8):
        passes = u.value(0, i) > 0
        how = f"1000 · {factor(on_a.show(0, i))} · {passes:d}"
        story.put(on_u, 0, i, on_a.value(0, i) * passes, how, [on_a.key(0, i), u.key(0, i)])
    story.line(on_a, "where", u, "> 0 →", on_u)
    story.step(
        "Back: into W₁",
        "An entry of W₁ receives its unit’s gradient times the number of n that it multiplied; of a unit "
        "that was not active it is exactly 0.",
    )
    on_w1 = gradient(w1, " in thousandths", **SMALL)
    for c in range(4):
        for i in range(8):
            _times(story, on_w1, (c, i), (n, 0, c), (on_u, 0, i))
    story.line(n, "ᵀ ×", on_u, "=", on_w1)
    story.step("The update", f"Each entry moves against its gradient, by the learning rate {RATE}.")
    new = story.matrix("W₁ new", "W₁ after the update", w1.shape, w1.rows, u.columns, "ffn")
    for c in range(4):
        for i in range(8):
            how = f"{w1.show(c, i)} − {RATE} · {on_w1.show(c, i)} ÷ 1000"
            how = how.replace(f"− {RATE} · −", f"+ {RATE} · ")
            value = w1.value(c, i) - RATE * on_w1.value(c, i)
            story.put(new, c, i, value, how, [w1.key(c, i), on_w1.key(c, i)])
    story.line(w1, f"− {RATE} ×", on_w1, "=", new)


def _back_norm(story: Story, on_h: Matrix, h: Matrix, sigma: Matrix) -> None:
    """Through the final norm, from ∂L/∂h to ∂L/∂x₂."""
    story.step(
        "Back: norm",
        "From the gradient its mean and its part along h are removed; the rest is divided by σ.",
        "∂L/∂x₂ = (g − mean of g − h · mean of g · h) ÷ σ, with g = ∂L/∂h [1, 4]",
    )
    about = story.matrix("means", "means of g and of g · h", (1, 2), (), ("g", "g · h"), "norm", 4)
    keys = [on_h.key(0, c) for c in range(4)]
    how = f"({added(on_h.show(0, c) for c in range(4))}) ÷ 4"
    story.put(about, 0, 0, math.fsum(on_h.row(0)) / 4, how, keys)
    along = math.fsum(on_h.value(0, c) * h.value(0, c) for c in range(4)) / 4
    terms = added(f"{on_h.show(0, c)} · {factor(h.show(0, c))}" for c in range(4))
    both = [key for c in range(4) for key in (on_h.key(0, c), h.key(0, c))]
    story.put(about, 0, 1, along, f"({terms}) ÷ 4", both)
    on_x2 = story.matrix("∂L/∂x₂", "∂L/∂x₂, gradient", (1, 4), (), (), "loss")
    for c in range(4):
        value = on_h.value(0, c) - about.value(0, 0) - h.value(0, c) * about.value(0, 1)
        part = f"{factor(h.show(0, c))} · {factor(about.show(0, 1))}"
        how = f"{on_h.show(0, c)} − {factor(about.show(0, 0))} − {part}"
        sources = [on_h.key(0, c), about.key(0, 0), h.key(0, c), about.key(0, 1), sigma.key(0, 1)]
        story.put(on_x2, 0, c, value / sigma.value(0, 1), f"({how}) ÷ {sigma.show(0, 1)}", sources)


Place = tuple[Matrix, int, int]


def _times(story: Story, made: Matrix, at: tuple[int, int], a: Place, b: Place) -> None:
    (of, i, j), (by, k, m) = a, b
    how = f"{of.show(i, j)} · {factor(by.show(k, m))}"
    story.put(made, *at, of.value(i, j) * by.value(k, m), how, [of.key(i, j), by.key(k, m)])


def _sum(story: Story, made: Matrix, c: int, pairs: list[tuple[Place, Place]]) -> None:
    value = math.fsum(a.value(i, j) * b.value(k, m) for (a, i, j), (b, k, m) in pairs)
    how = added(f"{a.show(i, j)} · {factor(b.show(k, m))}" for (a, i, j), (b, k, m) in pairs)
    sources = [place[0].key(*place[1:]) for pair in pairs for place in pair]
    story.put(made, 0, c, value, how, sources)


FIGURE = stepper("backprop_steps", "From the loss back to one matrix, number by number", backwards())
