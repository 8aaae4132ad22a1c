"""One part of the machine view, opened: its numbers as named vectors."""

import torch
import torch.nn.functional as F
from torch import Tensor

from support.inside.trace import Trace
from support.view.live.model_text import Values, loaded


def _vector(key: str, name: str, values: Tensor) -> Values:
    return {"key": key, "name": name, "values": values.tolist()}


@torch.no_grad()
def opened(
    part: str, name: str, words: list[str], here: int, seen: Trace, fed: dict[str, Tensor]
) -> list[Values]:
    """The numbers of an opened part, as named vectors."""
    model, word = loaded(name)[0], words[here]
    kind, _, place = part.partition(" ")
    if kind == "nothing":
        return []
    if kind == "embedding":
        row = model.embedding.weight[seen.ids[0, here]]
        whole = seen.streams[0, 0, here]
        return [
            _vector("E", f"E, row “{word}”", row),
            _vector("P", f"P, row {here + 1}", whole - row),
            _vector("x", f"x, the stream of “{word}”", whole),
        ]
    if kind == "logits":
        h = model.final_norm(seen.streams[-1, 0, here])
        logits = F.linear(h, model.embedding.weight)
        p = seen.logits[0, here].softmax(dim=-1)
        return [
            _vector("x", "x, the stream at the end", seen.streams[-1, 0, here]),
            _vector("h", "h, the normed stream", h),
            _vector("z", "z, logits", logits),
            _vector("p", "p, probabilities", p),
        ]
    layer, _, number = place.partition(".")
    i = int(layer)
    block = model.blocks[i]
    before, between, after_ = seen.streams[2 * i : 2 * i + 3, 0, here]
    if kind == "attention":
        heads, bias = seen.heads[i, 0, :, here], block.attention.output.bias
        return [
            _vector("x", "x, the stream before", before),
            *(_vector(f"o{h}", f"o{h}, output of head {i}.{h}", out) for h, out in enumerate(heads)),
            *([] if bias is None else [_vector("b", "b, bias", bias)]),
            _vector("y", "y, the stream after", between),
        ]
    if kind == "feed-forward":
        n = fed[f"blocks.{i}.feed_forward.input"][0, here]
        before_activation = block.feed_forward.up(n)
        return [
            _vector("x", "x, the stream before", between),
            _vector("n", "n, the normed stream", n),
            _vector("u", "u, up projection", before_activation),
            _vector("a", "a, activations", block.feed_forward.activation(before_activation)),
            _vector("o", "o, output", seen.feed_forward[i, 0, here]),
            _vector("y", "y, the stream after", after_),
        ]
    head = int(number)
    n = fed[f"blocks.{i}.attention.input"]
    q, k, v = (t[0, head] for t in block.attention.split(n))
    n_keys = here + 1
    scores = k[:n_keys] @ q[here] / model.config.d_head**0.5
    weights = seen.patterns[i, 0, head, here, :n_keys]
    z = fed[f"blocks.{i}.attention.z"][0, head, here]
    return [
        _vector("n", "n, the normed stream", n[0, here]),
        _vector("q", f"q, query of “{word}”", q[here]),
        _vector("k", f"k, key of “{word}”", k[here]),
        _vector("v", f"v, value of “{word}”", v[here]),
        _vector("s", "s, scores", scores),
        _vector("w", "α, attention weights", weights),
        _vector("z", "z, mixed values", z),
        _vector("o", "o, output of the head", seen.heads[i, 0, head, here]),
    ]
