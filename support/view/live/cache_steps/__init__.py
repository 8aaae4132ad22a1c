"""A KV cache that fills: three tokens arrive one by one, and each meets the keys and values kept so far."""

import math
from typing import Any

from support.view.live.stepper import Story, stepper

WORDS = ("we", "met", "Nora")
Q = ((2, 0), (0, 2), (2, 2))
K = ((1, 0), (0, 1), (1, 1))
V = ((4, 0), (0, 4), (2, 2))


def cache() -> Story:
    """The story of the cache.

    >>> cache().told("o[1, 0]", 8)
    ' o (met, dimension 0) = 0.196 · 4 + 0.804 · 0 ≈ 0.782.'
    """
    story = Story()
    q = story.matrix("q", "q, the newest query", (3, 2), WORDS, role="query", digits=0, words="query")
    cached: dict[str, Any] = {"rows": WORDS, "digits": 0, "kept": True}
    keys = story.matrix("K", "K, cached keys", (3, 2), role="key", words="cached keys", **cached)
    values = story.matrix("V", "V, cached values", (3, 2), role="value", words="cached values", **cached)
    on_words: dict[str, Any] = {"rows": WORDS, "columns": WORDS, "role": "attention"}
    scores = story.matrix("s", "s = q Kᵀ ÷ √2, scores", (3, 3), words="scores", **on_words)
    powers = story.matrix("p", "p, e to the power of s", (3, 3), words="powers", **on_words)
    shares = story.matrix("α", "α, attention weights", (3, 3), top=1.0, words="weights", **on_words)
    output = story.matrix("o", "o = α V, output", (3, 2), WORDS, role="value", words="output")
    for t, word in enumerate(WORDS):
        kept = "one row" if t == 0 else f"{t + 1} rows"
        left = "" if t == 0 else f" The query of “{WORDS[t - 1]}” is not kept: nobody asks for it again."
        story.step(
            f"“{word}” arrives",
            f"Its key and value are appended to the cache, now of {kept}.{left}",
            f"K [{t + 1}, 2] and V [{t + 1}, 2]",
        )
        if t:
            story.drop(q, t - 1)
        for c in range(2):
            for where, numbers in ((q, Q), (keys, K), (values, V)):
                story.put(where, t, c, float(numbers[t][c]))
        story.step(
            f"Scores of “{word}”",
            "The one query meets every key in the cache. No mask is needed: the cache holds no later word.",
            f"q [1, 2] × Kᵀ [2, {t + 1}] ÷ √2 = s [1, {t + 1}]",
        )
        for j in range(t + 1):
            how = " + ".join(f"{q.show(t, k)} · {keys.show(j, k)}" for k in range(2))
            value = sum(q.value(t, k) * keys.value(j, k) for k in range(2)) / math.sqrt(2)
            sources = [key for k in range(2) for key in (q.key(t, k), keys.key(j, k))]
            story.put(scores, t, j, value, f"({how}) ÷ √2", sources)
        story.line(q, "×", keys, "ᵀ ÷ √2 =", scores)
        story.step(
            f"Weights of “{word}”",
            "Softmax: powers of e, each divided by the sum of its row.",
            f"α [1, {t + 1}] = softmax(s [1, {t + 1}])",
        )
        for j in range(t + 1):
            story.put(
                powers, t, j, math.exp(scores.value(t, j)), f"e^({scores.show(t, j)})", [scores.key(t, j)]
            )
        whole = math.fsum(powers.value(t, j) for j in range(t + 1))
        for j in range(t + 1):
            row = [powers.show(t, c) for c in range(t + 1)]
            how = f"{row[j]} ÷ ({' + '.join(row)})" if t else f"{row[j]} ÷ {row[j]}"
            sources = [powers.key(t, c) for c in range(t + 1)]
            story.put(shares, t, j, powers.value(t, j) / whole, how, sources)
        story.line(scores, "→", powers, "→", shares)
        story.step(
            f"Output of “{word}”",
            "The weights average the values in the cache.",
            f"α [1, {t + 1}] × V [{t + 1}, 2] = o [1, 2]",
        )
        for c in range(2):
            pairs = [(shares, t, j, values, j, c) for j in range(t + 1)]
            how = " + ".join(f"{a.show(r, k)} · {b.show(i, m)}" for a, r, k, b, i, m in pairs)
            value = math.fsum(a.value(r, k) * b.value(i, m) for a, r, k, b, i, m in pairs)
            sources = [key for j in range(t + 1) for key in (shares.key(t, j), values.key(j, c))]
            story.put(output, t, c, value, how, sources)
        story.line(shares, "×", values, "=", output)
    return story


FIGURE = stepper("cache_steps", "A cache that fills", cache())
