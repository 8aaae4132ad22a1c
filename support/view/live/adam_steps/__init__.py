"""Three steps of Adam in a narrow valley, number by number: two averages, two corrections, one division."""

import math
from itertools import pairwise

from support.view.live.stepper import Matrix, Scene, Story, stepper
from support.view.live.stepper.sums import added, factor

RATE, BETA_1, BETA_2, EPSILON = 0.3, 0.8, 0.9, 1e-8
START = (-4.0, 1.2)  # L = (a² + 25 b²) ÷ 2
CURVES = (1.0, 25.0)
ROWS = ("a", "b")
STEPS = 3
UNIT = 110  # of the drawing, for one of a or b
SHEET = (780, 300)
MINIMUM = (570, 170)  # where it stands on the sheet
CONTOURS = (0.8, 1.6, 6, 13, 26)  # of the loss; the first two are whole


def adam() -> Story:
    """The story of three steps in L = (a² + 25 b²) ÷ 2.

    >>> adam().told("move[1, 0]", 15)
    ' move (b, t = 1) = −0.3 · 30.000 ÷ (√900.00 + 0.00000001) = −0.300.'
    """
    story = Story()
    times = [f"t = {t}" for t in range(1, STEPS + 1)]

    def rows(name: str, title: str, role: str, names: list[str], words: str = "", digits: int = 3) -> Matrix:
        return story.matrix(name, title, (2, len(names)), ROWS, names, role, digits, words=words)

    theta = rows("θ", "θ, the point (a, b)", "stream", ["start", *times], "point")
    g, m = (
        rows("g", "g, gradient", "loss", times, "gradient"),
        rows("m", "m, mean gradient", "key", times, "mean"),
    )
    v = rows("v", "v, mean square", "value", times, "mean square", 2)
    m_hat = rows("m̂", "m̂ = m ÷ (1 − 0.8ᵗ)", "key", times, "corrected")
    v_hat = rows("v̂", "v̂ = v ÷ (1 − 0.9ᵗ)", "value", times, "corrected", 2)
    move = rows("move", "move = −η m̂ ÷ (√v̂ + ε)", "output", times)
    story.step("Start", "The point stands high on the wall of a narrow valley.", "L = ½ (a² + 25 b²)")
    for r, value in enumerate(START):
        story.put(theta, r, 0, value)
    for t in range(1, STEPS + 1):
        c = t - 1

        def put(
            where: Matrix, r: int, value: float, how: str, sources: list[tuple[Matrix, int]], column: int = c
        ) -> None:
            story.put(where, r, column, value, how, [other.key(r, k) for other, k in sources])

        story.step(
            f"Gradient {t}", "The valley is steep across and flat along.", "g = (∂L/∂a, ∂L/∂b) = (a, 25 b)"
        )
        for r in range(2):
            here = theta.value(r, c)
            curve = CURVES[r]
            put(g, r, curve * here, f"{curve:.0f} · {factor(theta.show(r, c))}", [(theta, c)])
        story.step(
            f"Averages {t}",
            "m keeps 0.8 of itself and takes 0.2 of the gradient; v keeps 0.9 and takes 0.1 of its square.",
            "m ← 0.8 m + 0.2 g and v ← 0.9 v + 0.1 g²",
        )
        for r in range(2):
            gradient = g.value(r, c)
            for where, beta, new, square in ((m, BETA_1, gradient, ""), (v, BETA_2, gradient**2, "²")):
                old = where.value(r, c - 1) if c else 0.0
                before = where.show(r, c - 1) if c else "0"
                how = f"{beta} · {factor(before)} + {1 - beta:.1f} · {factor(g.show(r, c))}{square}"
                sources = ([(where, c - 1)] if c else []) + [(g, c)]
                put(where, r, beta * old + (1 - beta) * new, how, sources)
        story.step(
            f"Correction {t}",
            "The averages began at zero, so both are divided by the share that they have seen so far.",
            f"m̂ = m ÷ (1 − 0.8ᵗ) and v̂ = v ÷ (1 − 0.9ᵗ), with t = {t}",
        )
        for r in range(2):
            for where, of, beta in ((m_hat, m, BETA_1), (v_hat, v, BETA_2)):
                seen = 1 - beta**t
                put(where, r, of.value(r, c) / seen, f"{of.show(r, c)} ÷ {seen:.3f}", [(of, c)])
        story.step(
            f"Move {t}",
            "One average divided by the root of the other: steep or flat, a move is about the rate, 0.3.",
            "move = −0.3 · m̂ ÷ (√v̂ + ε)",
        )
        for r in range(2):
            value = -RATE * m_hat.value(r, c) / (math.sqrt(v_hat.value(r, c)) + EPSILON)
            how = f"−0.3 · {factor(m_hat.show(r, c))} ÷ (√{v_hat.show(r, c)} + 0.00000001)"
            put(move, r, value, how, [(m_hat, c), (v_hat, c)])
        story.step(f"New point {t}", "The move is added to the point.", "θ ← θ + move")
        for r in range(2):
            how = added([theta.show(r, c), move.show(r, c)])
            put(theta, r, theta.value(r, c) + move.value(r, c), how, [(theta, c)], t)
            cell = theta.cells[r, t]
            cell.sources = (theta.key(r, c), move.key(r, c))
    return story


def valley(story: Story) -> Scene:
    """The valley from above, to one scale: contours, and at each point the way downhill and Adam's move.

    >>> scene = valley(adam())
    >>> [(step, kind) for step, kind, _ in scene.lines if kind == "move"]
    [(4, 'move'), (9, 'move'), (14, 'move')]
    """
    scene = Scene(SHEET, "The valley from above: contours, the way downhill, and Adam’s moves.")

    def at(a: float, b: float) -> tuple[float, float]:
        return MINIMUM[0] + UNIT * a, MINIMUM[1] - UNIT * b

    for level in CONTOURS:  # an ellipse with the half axes √(2 L) and √(2 L ÷ 25)
        reach = [math.sqrt(2 * level / curve) for curve in CURVES]
        turns = [math.tau * k / 180 for k in range(181)]
        scene.line(0, "contour", [at(reach[0] * math.cos(u), reach[1] * math.sin(u)) for u in turns])
    right, low = SHEET[0] - 1.0, SHEET[1] - 1.0
    scene.line(0, "frame", [(1.0, 1.0), (right, 1.0), (right, low), (1.0, low), (1.0, 1.0)])
    scene.word(0, "ground", *at(0.12, -0.06), "minimum")
    scene.line(0, "end", [at(0.0, 0.0)] * 2)
    theta, g = story.matrices["θ"], story.matrices["g"]
    points = [(theta.value(0, t), theta.value(1, t)) for t in range(STEPS + 1)]
    scene.line(0, "point", [at(*points[0])] * 2)
    beside = at(*points[0])[0] - 12  # words that end here are crossed by no line
    scene.word(0, "before", beside, at(*points[0])[1] + 9, "start")
    corner = (26.0, low - 16)
    for name, (x, y) in (("a", (1, 0)), ("b", (0, -1))):  # the directions of the sheet
        tip = (corner[0] + 58 * x, corner[1] + 58 * y)
        scene.line(0, "axis", [corner, tip])
        back = (tip[0] - 9 * x, tip[1] - 9 * y)
        scene.line(0, "axis", [(back[0] + 5 * y, back[1] + 5 * x), tip, (back[0] - 5 * y, back[1] - 5 * x)])
        scene.word(0, "ground", tip[0] + 8, tip[1] + (8 if x else 10), name)
    for t, (here, there) in enumerate(pairwise(points)):
        first = 1 + 5 * t  # the step that computes the gradient
        rise = g.value(0, t), g.value(1, t)
        long = 0.7 / math.hypot(*rise)
        downhill = at(here[0] - long * rise[0], here[1] - long * rise[1])
        scene.line(first, "downhill", [at(*here), downhill])
        scene.line(first + 3, "move", [at(*here), at(*there)])
        scene.line(first + 4, "point", [at(*there)] * 2)
        if not t:
            scene.word(first, "downhill before", beside, at(*here)[1] + 44, "downhill:")
            scene.word(first, "downhill before", beside, at(*here)[1] + 72, "−g")
            scene.word(first + 3, "move", *at(there[0] + 0.1, there[1] + 0.15), "Adam’s move")
    return scene


STORY = adam()
FIGURE = stepper("adam_steps", "Three steps of Adam, number by number", STORY, valley(STORY))
