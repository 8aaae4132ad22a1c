"""Feed-forward networks of today: SwiGLU, and a mixture of experts."""

from support.core import InputError
from support.model import GPTConfig
from support.view.diagram.canvas import Diagram
from support.view.diagram.shapes import Drawing
from support.view.diagram.sizes import Sizes


def swiglu(config: GPTConfig | None = None) -> Diagram:
    """A gated feed-forward network (Shazeer 2020; Llama): two up projections, one of which is the gate.

    Args:
        config: where the sizes come from; without it they are names.
    """
    s, d = Sizes(config), Drawing(374)
    x = d.box(170, 24, 200, 30, "normalised stream", "stream")
    d.text(276, 24, f"[{s.one('d_model')}]", "faint", size=12, anchor="start")
    gate = d.box(92, 88, 96, 34, "W_{gate}", "ffn", bold=True)
    up = d.box(248, 88, 96, 34, "W_{up}", "ffn", bold=True)
    d.arrow((92, x.bottom[1]), gate.top)
    d.arrow((248, x.bottom[1]), up.top)
    act = d.box(92, 172, 96, 56, "", "ffn")
    points = [
        (92 + 40 * t / 30 - 2, 186 - (1.15 * t / (1 + 2.718281828 ** (-t / 5.5)))) for t in range(-30, 26)
    ]
    d.curve(points, "ffn", width=2.4)
    d.text(40, 172, "SiLU", "ffn", bold=True, anchor="end")
    d.arrow(gate.bottom, act.top, words=f"[{s.one('d_ff')}]")
    product = d.node(248, 240, "×", "ffn", r=13, size=16)
    d.arrow(up.bottom, product.top, words=f"[{s.one('d_ff')}]")
    d.arrow(act.bottom, (92, 240), product.left)
    d.text(160, 228, "gate, unit by unit", "faint", size=12)
    down = d.box(248, 298, 96, 34, "W_{down}", "ffn", bold=True)
    d.arrow(product.bottom, down.top)
    d.arrow(down.bottom, (248, 350), words=f"[{s.one('d_model')}]")
    d.text(248, 362, "added to the stream", "stream")
    d.text(
        8,
        298,
        "three matrices, so the\nhidden size is usually 8/3\ninstead of 4 times",
        "faint",
        size=12,
        anchor="start",
    )
    return d.done(
        f"SwiGLU. The normalised stream, {s.one('d_model')} numbers, goes through two up projections to "
        f"{s.one('d_ff')} numbers each; SiLU of the first is the gate, multiplied with the second unit by "
        "unit; the down projection brings the product back, and it is added to the stream. Three matrices "
        "instead of two: d_ff is usually 8/3 of d_model instead of 4 times."
    )


def experts(config: GPTConfig | None = None, n_experts: int = 6, per_token: int = 2) -> Diagram:
    """A mixture of experts (Shazeer et al. 2017; Mixtral): a router sends each token to a few of them.

    Args:
        config: where the numbers come from, if it has experts.
        n_experts: how many, without such a configuration.
        per_token: to how many of them a token goes.

    Raises:
        InputError: not 2 to 8 experts, or more for a token than there are.
    """
    if config is not None and config.n_experts > 1:
        n_experts, per_token = config.n_experts, config.experts_per_token
    if not 2 <= n_experts <= 8 or not 1 <= per_token <= n_experts:
        raise InputError(f"n_experts={n_experts}, per_token={per_token}: give 2 to 8, and not more per token")
    s, d, step = Sizes(config), Drawing(386), 324 / n_experts
    chosen = [(1 + 3 * k) % n_experts for k in range(n_experts)]
    chosen = list(dict.fromkeys(chosen + list(range(n_experts))))[:per_token]
    raw = [0.65 * 0.5**k for k in range(per_token)]
    share = {e: w / sum(raw) for e, w in zip(chosen, raw, strict=True)}
    token = d.box(170, 24, 200, 30, "one token’s vector", "stream", note="")
    d.text(276, 24, f"[{s.one('d_model')}]", "faint", size=12, anchor="start")
    router = d.box(170, 88, 150, 44, "router", "ink", bold=True, note="softmax, then top-k")
    d.arrow(token.bottom, router.top)
    d.text(252, 88, f"{n_experts} scores,\nthe best {per_token}", "faint", size=12, anchor="start")
    total = d.node(170, 322, "+", "ffn", r=13, size=16)
    for e in range(n_experts):
        x = 8 + step * (e + 0.5)
        on = e in share
        box = d.box(
            x, 214, step - 8, 54, f"FFN\n{e}", "ffn" if on else "line", bold=on, dashed=not on, size=12
        )
        if on:
            d.arrow((170 + (x - 170) * 0.4, router.bottom[1]), box.top, role="ink", width=1 + 2.4 * share[e])
            target = (170 + (x - 170) * 0.1, 311)
            d.arrow(box.bottom, target, role="ffn", width=1 + 2.4 * share[e])
            side = 1 if x >= 170 else -1
            d.text(
                x + (170 - x) * 0.25 + side * 12,
                270,
                f"× {share[e]:.2f}",
                "ink",
                size=12,
                anchor="start" if side > 0 else "end",
            )
    d.arrow(total.bottom, (170, 362))
    d.text(170, 374, "added to the stream", "stream")
    d.text(8, 340, f"{per_token} of {n_experts}\ncompute", "faint", size=12, anchor="start")
    weights = ", ".join(f"{w:.2f} for expert {e}" for e, w in share.items())
    return d.done(
        f"A mixture of {n_experts} experts, each a feed-forward network. For each token's vector, "
        f"{s.one('d_model')} numbers, a router gives every expert a score; the best {per_token} compute, "
        f"and their outputs are added, weighted by the router: {weights}. All experts must be stored, few "
        "are computed."
    )
