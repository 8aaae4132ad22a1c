"""One part of the machine view, opened: its numbers as named vectors."""

import torch
import torch.nn.functional as F
from torch import Tensor

from support.inside.trace import Trace
from support.view.live.controls import fill
from support.view.live.model_text import BOS, Values, loaded, placed, surely


def ranked(numbers: list[float]) -> list[int]:
    """Places from the largest number to the smallest; what is equal but for rounding stands in order."""
    return sorted(range(len(numbers)), key=lambda i: (-round(numbers[i], 12), i))


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


def in_words(
    part: str, name: str, words: list[str], here: int, seen: Trace, rows: list[Values], off: tuple[str, ...]
) -> str:
    """One plain sentence or two: what an opened part does here, with the words at hand.

    Args:
        part: the opened part.
        name: of the model.
        words: as the model reads them.
        here: the place of the chosen word.
        seen: the pass.
        rows: of all parts: what the model would say after each.
        off: the switches that are off.
    """
    kind, _, place = part.partition(" ")
    config, word = loaded(name)[0].config, words[here]
    about: Values = {"word": word, "d": config.d_model, "place": here + 1}
    if kind == "nothing":
        return ""
    if kind == "embedding":
        said = "“{word}” is looked up in a table: its own row of {d} numbers, plus the row of its position, "
        return fill(said + "{place} (counted from 1).", about)
    if kind == "head":
        layer, head = map(int, place.split("."))
        about["sources"] = _sources(seen.patterns[layer, 0, head, here, : here + 1].tolist(), words, here)
        said = "This head lets “{word}” collect information from {sources}."
        if f"h{layer}{head}" in off:
            said = "This head is off; on, it lets “{word}” collect from {sources}."
        if here and f"“{BOS}”" in about["sources"]:
            said += (
                " Weights add up to 100%: what does not lie on the words of this text lies on “<BOS>”, which "
            )
            said += "begins every text."
        return fill(said, about)
    answers = [row for row in rows if row["answer"]]
    if kind == "logits":
        said = (
            "The numbers of “{word}” are compared with the row of every word in the vocabulary: the better "
        )
        said += "they fit, the more probable is the word. The most probable is “{answer}” ({sure})."
        return fill(said, about | answers[-1])
    at = [row["key"] for row in answers].index(part)
    about |= {"was": answers[at - 1]["answer"], "was_sure": answers[at - 1]["sure"]}
    about |= {"answer": answers[at]["answer"], "sure": answers[at]["sure"]}
    changed = " If the pass stopped before it, the guess would be “{was}” ({was_sure}); "
    if at < len(answers) - 1:
        changed += "after it, “{answer}” ({sure}). "
        changed += "Neither is an answer yet: the later parts read what this one writes."
    else:
        changed += "with it, the answer is “{answer}” ({sure})."
    if kind == "attention":
        said = "What the heads have collected is added to the numbers of “{word}”."
        if int(place):
            about |= {"before": int(place) - 1}
            said += " They read the numbers as block {before} left them: each word brings along what it "
            said += "collected there."
        return fill(said + changed, about)
    if f"m{place}" in off:
        return fill("This network is switched off: it adds nothing to “{word}”.", about)
    assert seen.activations is not None  # a trace has them
    units = seen.activations[int(place), 0, here]
    about |= {"active": int((units > 0).sum()), "units": config.d_ff}
    said = "This network works on “{word}” alone: {active} of its {units} units are active, and what they "
    return fill(said + "write is added to its numbers." + changed, about)


def _sources(weights: list[float], words: list[str], here: int) -> str:
    """From where a head collects, the most first: at most three words, and what is left for the others."""
    most = ranked(weights)[:3]
    most = most[:1] + [k for k in most[1:] if weights[k] >= 0.05]
    said = [
        fill("{from} ({p:.0%})", {"from": "itself" if k == here else placed(words, k), "p": weights[k]})
        for k in most
    ]
    rest = 1 - sum(weights[k] for k in most)
    left = 1 - sum(int(100 * weights[k] + 0.5) for k in most) / 100  # what is told adds up to 100%
    if rest >= 0.05:
        said.append(fill("others ({p:.0%})", {"p": left}))
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"


def rows_of_parts(
    name: str,
    seen: Trace,
    answers: Tensor,
    best: list[int],
    words: list[str],
    here: int,
    off: tuple[str, ...],
) -> list[Values]:
    """A row for each part: what it does for the chosen word, how much, and what the model would say then."""
    tokens = loaded(name)[1].tokens

    def row(part: str, does: str, size: float, stage: int | None = None) -> Values:
        item: Values = {"key": part, "part": part, "does": does, "size": size, "answer": "", "sure": ""}
        if stage is not None:
            item["answer"] = tokens[best[stage]]
            item["sure"] = surely(answers[stage, here, best[stage]].item())
        return item

    number = int(seen.ids[0, here])
    rows = [
        row(
            "embedding",
            f"row {number} of the embedding, plus position {here + 1}",
            seen.streams[0, 0, here].norm().item(),
            0,
        )
    ]
    for layer in range(len(seen.attention)):
        for head in range(seen.heads.shape[2]):
            weights = seen.patterns[layer, 0, head, here].tolist()
            most = ranked(weights)[0]
            does = fill("attends most to {w} ({p:.0%})", {"w": placed(words, most), "p": weights[most]})
            if f"h{layer}{head}" in off:
                does = "switched off"
            rows.append(row(f"head {layer}.{head}", does, seen.heads[layer, 0, head, here].norm().item()))
        size = seen.attention[layer, 0, here].norm().item()
        rows.append(row(f"attention {layer}", "adds the outputs of its heads", size, 2 * layer + 1))
        active = int((seen.activations[layer, 0, here] > 0).sum()) if seen.activations is not None else 0
        does = f"{active} units are active" if f"m{layer}" not in off else "switched off"
        size = seen.feed_forward[layer, 0, here].norm().item()
        rows.append(row(f"feed-forward {layer}", does, size, 2 * layer + 2))
    return rows
