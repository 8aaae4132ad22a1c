"""One attention head, step by step: *the cat sat*, the first worked example of the *workbench* notes."""

import math

import numpy as np

from support.view.live.stepper import Story, stepper
from support.view.live.stepper.sums import added

WORDS = ("the", "cat", "sat")
X = np.array([[0.1, -0.2, 0.05, 0.4, 0.15], [0.3, 0.5, -0.1, 0.2, 0], [-0.4, 0.1, 0.6, -0.3, 0.2]])
W_Q = np.eye(5) + 0.5 * (np.eye(5, k=3) + np.eye(5, k=-3))
W_K = np.array(
    [[0.8, 0.2, 0, 0, 0], [0.2, 0.8, 0, 0, 0], [0, 0, 0.9, 0.1, 0], [0, 0, 0.1, 0.9, 0], [0, 0, 0, 0, 1]]
)
W_V = np.diag([0.5, -0.5, 1, 1, 1]) + np.diag([0.5, 0, 0, 0], 1) + np.diag([0.5, 0, 0, 0], -1)


def head() -> Story:
    """The story of the head.

    >>> head().told("α[1, 0]", 8)
    ' α (cat, the) = 1.047 ÷ (1.047 + 1.213) = 0.463.'
    """
    story = Story()
    story.step(
        "The words",
        "Each word is a row of X; three learned matrices wait for it.",
        "X [3, 5]; W_Q, W_K and W_V [5, 5]",
    )
    x = story.given("X", "X, a row for each word", X, rows=WORDS, role="stream", digits=2, words="words")
    weights = [
        story.given(f"W_{name}", f"W_{name}, {role} weights", values, role=role, digits=1, words="weights")
        for name, values, role in (("Q", W_Q, "query"), ("K", W_K, "key"), ("V", W_V, "value"))
    ]
    made = []
    for name, role, says, weight in zip(
        "QKV",
        ("query", "key", "value"),
        ("what each word looks for", "how each word can be found", "what each word hands over"),
        weights,
        strict=True,
    ):
        story.step({"Q": "Queries", "K": "Keys", "V": "Values"}[name], f"X W_{name} says {says}.")
        words = {"Q": "queries", "K": "keys", "V": "values"}[name]
        made.append(story.product(name, f"{name} = X W_{name}", x, weight, role=role, words=words))
    q, k, v = made
    story.step("Scores", "Every query meets every key in a dot product; the row belongs to the query.")
    scores = story.product("S", "S = Q Kᵀ, scores", q, k, transposed=True, role="attention", words="scores")
    story.step("Scale", "The scores are divided by √5, the root of the keys’ dimension.")
    root = math.sqrt(5)
    scaled = story.each("Z", "Z = S ÷ √5", scores, lambda s: s / root, "{} ÷ √5", words="scaled")
    story.line(scores, "÷ √5 =", scaled)
    story.step("Mask", "No word may use a later word: with M, scores above the diagonal become −∞.")
    open_to = [[0.0 if j <= i else -math.inf for j in range(3)] for i in range(3)]
    mask = story.given(
        "M", "M, mask", open_to, rows=WORDS, columns=WORDS, role="attention", digits=0, words="mask"
    )
    masked = story.matrix("Z_M", "Z_M = Z + M", (3, 3), WORDS, WORDS, "attention", words="masked")
    story.line(scaled, "+", mask, "=", masked)
    for i in range(3):
        for j in range(3):
            value = scaled.value(i, j) + mask.value(i, j)
            how = added([scaled.show(i, j), mask.show(i, j)])
            story.put(masked, i, j, value, how, [scaled.key(i, j), mask.key(i, j)])
    story.step("Softmax: powers of e", "e is raised to every score, and e to the power of −∞ is zero.")
    powers = story.each("P", "P, e to the power of Z_M", masked, math.exp, "e^({})", words="powers")
    story.line(masked, "→", powers)
    story.step(
        "Softmax: shares", "Each power is divided by the sum of its row: these are the attention weights."
    )
    shares = story.matrix(
        "α", "α, attention weights", (3, 3), WORDS, WORDS, "attention", top=1.0, words="weights"
    )
    for i in range(3):
        row, seen = powers.row(i), range(i + 1)
        for j in range(3):
            how = f"{powers.show(i, j)} ÷ ({' + '.join(powers.show(i, c) for c in seen)})"
            sources = {powers.key(i, j): None} | {powers.key(i, c): None for c in seen}
            story.put(shares, i, j, row[j] / math.fsum(row), how, sources)
    story.line(powers, "→", shares)
    story.step("Mix", "Each word takes the average of the values, with its attention weights.")
    mixed = story.product("O", "O = α V, output", shares, v, role="value", words="output")
    story.step("Add", "The output is added to the word’s own row (W_O is the identity here).")
    sums = story.matrix(
        "H", "H = X + O, the stream after the head", (3, 5), WORDS, role="stream", words="stream"
    )
    story.line(x, "+", mixed, "=", sums)
    for r in range(3):
        for c in range(5):
            how = added([x.show(r, c), mixed.show(r, c)])
            value = x.value(r, c) + mixed.value(r, c)
            story.put(sums, r, c, value, how, [x.key(r, c), mixed.key(r, c)])
    return story


FIGURE = stepper("attention_steps", "One attention head, step by step", head())
