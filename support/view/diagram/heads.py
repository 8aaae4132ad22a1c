"""Heads side by side, and the cache of keys and values that a decoder keeps."""

from collections.abc import Sequence

from support.core import InputError
from support.model import GPTConfig
from support.view.diagram.canvas import Diagram
from support.view.diagram.shapes import Drawing
from support.view.diagram.sizes import Sizes


def heads(config: GPTConfig | None = None, n_heads: int = 8, groups: int = 2) -> Diagram:
    """Multi-head, grouped-query and multi-query attention: which queries share keys and values.

    Args:
        config: where the widths and, if it has them, the heads and groups come from.
        n_heads: how many query heads, without a configuration.
        groups: how many heads of keys and values the middle row has, unless the configuration has fewer
            of them than query heads.

    Raises:
        InputError: more than 12 heads do not fit on a phone, or the groups do not divide them.
    """
    if config is not None:
        n_heads = config.n_heads
        groups = config.n_kv_heads if config.n_kv_heads and 1 < config.n_kv_heads < n_heads else groups
    if not 2 <= n_heads <= 12 or n_heads % groups:
        raise InputError(f"n_heads={n_heads} and groups={groups}: give 2 to 12 heads and a divisor of them")
    s, d = Sizes(config), Drawing(620)
    left, right = 40, 332
    step = (right - left) / n_heads
    x = d.box(170, 20, 300, 28, f"normalised stream, {s('T', 'd_model')}", "stream")
    d.arrow(x.bottom, (170, 52))
    names = (("multi-head (MHA)", n_heads), ("grouped-query (GQA)", groups), ("multi-query (MQA)", 1))
    for k, (name, kv) in enumerate(names):
        y = 62 + 146 * k
        d.text(8, y, name, bold=True, anchor="start")
        cached = f"$2 · {kv} · {s.one('d_head')} per token$"
        if "d_head" in s.known:
            cached = f"{2 * kv * s.known['d_head']} numbers per token"
        d.text(332, y, cached, "faint", size=12, anchor="end")
        for role, row in (("query", 26), ("key", 78), ("value", 104)):
            d.text(8, y + row, role[0].upper(), role, bold=True, anchor="start")
        size = min(24, step - 6)
        for group in range(kv):
            per = n_heads // kv
            middle = left + step * per * (group + 0.5)
            for head in range(per):
                at = left + step * (group * per + head + 0.5)
                d.line((at, y + 38), (middle, y + 66), role="line", width=1.3)
                d.box(at, y + 26, size, 22, str(group * per + head), "query", size=12, round=4)
            wide = max(size, min(step * per - 8, 60))
            d.box(middle, y + 78, wide, 22, "", "key", round=4)
            d.box(middle, y + 104, wide, 22, "", "value", round=4)
    y = 62 + 146 * 3
    join = d.box(170, y + 12, 300, 28, f"{n_heads} outputs side by side", "attention")
    d.arrow((170, y - 16), join.top)
    out = d.box(110, y + 72, 148, 28, "output matrix$ W_{O}$", "attention", bold=True)
    d.arrow((110, join.bottom[1]), out.top, words=s("T", "n_heads · d_head"))
    d.arrow(out.bottom, (110, y + 112), words=f"{s('T', 'd_model')}, added to the stream")
    d.size = (d.size[0], y + 120)
    return d.done(
        f"Three ways to give {n_heads} query heads their keys and values. Multi-head attention: each head "
        f"has its own, {n_heads} of each. Grouped-query attention: {groups} of each, shared by "
        f"{n_heads // groups} heads. Multi-query attention: one of each for all. The cache holds 2 times "
        f"{s.one('d_head')} numbers for each of them and each token. In all three the {n_heads} outputs, "
        f"side by side, go through W_O and are added to the stream, {s('T', 'd_model')}."
    )


def cache(
    config: GPTConfig | None = None,
    prompt: Sequence[str] = ("the", "cat", "sat"),
    written: Sequence[str] = ("on", "the", "mat"),
) -> Diagram:
    """The cache of keys and values growing: the prompt at once (prefill), then a token at a time (decode).

    Args:
        config: where the sizes come from; without it they are names.
        prompt: the words that are read together.
        written: the words that are written, two or three.

    Raises:
        InputError: there are not two to four words in the prompt and two or three written.
    """
    if not 2 <= len(prompt) <= 4 or not 2 <= len(written) <= 3:
        raise InputError(f"{len(prompt)} + {len(written)} words; give a prompt of 2 to 4 and write 2 or 3")
    s, words = Sizes(config), [*prompt, *written]
    left, step, high = 100, 38, 122
    d = Drawing(400)
    width = step * len(words[:-1])
    d.text(
        8, 22, "cache: a key and a value for each token,\nlayer and head of keys and values", anchor="start"
    )
    for k in range(len(written)):
        y, t = 58 + high * k, len(prompt) + k
        d.text(8, y + 10, "prefill" if k == 0 else f"decode {k}", bold=True, anchor="start")
        new = range(t) if k == 0 else range(t - 1, t)
        for j in range(t):
            at = left + step * (j + 0.5)
            d.text(at, y + 10, words[j], "token" if j in new else "faint", size=12)
            for role, row in (("key", 44), ("value", 66)):
                if j in new:
                    d.box(at, y + row, 30, 18, "new", role, size=12, round=3)
                else:
                    d.grid(at - 15, y + row - 9, [[0.6]], role, cell=30, high=18)
        query = left + step * (t - 0.5)
        d.text(left - 8, y + 44, "K", "key", bold=True, anchor="end")
        d.text(left - 8, y + 66, "V", "value", bold=True, anchor="end")
        d.text(
            8, y + 36, f"{t} tokens\nread" if k == 0 else "1 token\nread", "faint", size=12, anchor="start"
        )
        following = query + step
        d.arrow((query, y + 77), (query, y + 92), (following, y + 92), (following, y + 20), role="query")
        d.text(following, y + 10, words[t], "output", size=12)
        d.text(query - 8, y + 92, "q attends to them all", "query", size=12, anchor="end")
    y = 58 + high * len(written) + 8
    shape = f"[{s.one('L')}, 2, {s.one('n_kv_heads')}, t, {s.one('d_head')}]"
    d.brace((left + width, y - 4), (left, y - 4))
    d.text(left + width / 2, y + 18, f"after t tokens: {shape}", "faint", size=12)
    d.size = (d.size[0], y + 36)
    return d.done(
        f"The cache of keys and values growing. Prefill reads the {len(prompt)} tokens of the prompt in "
        "one pass and stores a key and a value of each. Each decode step reads one token, stores its key "
        "and value beside the old ones, and its query attends to all of them to give the next token: "
        f"{', then '.join(written)}. After t tokens the cache has the shape {shape}."
    )
