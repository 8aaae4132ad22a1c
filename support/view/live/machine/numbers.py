"""All numbers of the machine view: one pass of a model over a text, and one of its parts opened."""

from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

from support.generation import next_token
from support.inside import ablate, logit_lens, run_with_cache
from support.inside.trace import Trace, trace
from support.view.live.controls import fill
from support.view.live.machine.opened import in_words, opened, ranked, rows_of_parts
from support.view.live.model_text import (
    CONTEXTS,
    EOS,
    Values,
    after,
    cased,
    exactly,
    ids,
    loaded,
    placed,
    titled,
    words_of,
)

SHOWN = 12  # positions whose numbers are given, the chosen one among them
LISTED = 9  # candidates, the most probable first
ALIKE = 2 / 3  # of the largest probability: who has as much is about as probable
NOTHING = "nothing"


def switches_of(name: str) -> tuple[str, ...]:
    """The parts that can be switched off: h01 is head 1 of block 0, m1 the feed-forward network of block 1.

    >>> switches_of("calling-game")[:5]
    ('h00', 'h01', 'h02', 'h03', 'm0')
    """
    config = loaded(name)[0].config
    heads = range(config.n_heads)
    return tuple(s for i in range(config.n_layers) for s in (*[f"h{i}{h}" for h in heads], f"m{i}"))


def parts_of(name: str) -> tuple[str, ...]:
    """The parts that can be opened.

    >>> parts_of("calling-game")[:4], parts_of("calling-game")[-2:]
    (('nothing', 'embedding', 'head 0.0', 'head 0.1'), ('feed-forward 1', 'logits'))
    """
    config = loaded(name)[0].config
    blocks = [
        [f"head {i}.{h}" for h in range(config.n_heads)] + [f"attention {i}", f"feed-forward {i}"]
        for i in range(config.n_layers)
    ]
    return (NOTHING, "embedding", *[part for block in blocks for part in block], "logits")


def steps_of(name: str) -> tuple[str, ...]:
    """How far the pass over the last word can have come.

    A text that is written, or reached at once, stands at its *prediction*. Who goes through the pass step by
    step ends at the *choice*, after which the most probable word is appended.
    """
    layers = range(loaded(name)[0].config.n_layers)
    return (
        "embedding",
        *(f"{part} {i}" for i in layers for part in ("attention", "feed-forward")),
        "prediction",
        "choice",
    )


def standing(name: str) -> int:
    """The stage at which a text stands whose pass was not gone through step by step: its prediction."""
    return steps_of(name).index("prediction")


@lru_cache(maxsize=64)
@torch.no_grad()
def passed(name: str, prompt: str, off: tuple[str, ...]) -> tuple[Trace, Tensor, dict[str, Tensor]]:
    """One pass, some parts switched off: its trace, the logit lens of each stage, what sublayers are fed."""
    model, _ = loaded(name)
    heads = [(int(s[1]), int(s[2])) for s in off if s[0] == "h"]
    networks = [int(s[1]) for s in off if s[0] == "m"]
    layers = range(model.config.n_layers)
    points = [
        f"blocks.{i}.{p}" for i in layers for p in ("attention.input", "attention.z", "feed_forward.input")
    ]
    with ablate(model, heads=heads, feed_forward=networks):
        seen = trace(model, ids(prompt, name))
        fed = run_with_cache(model, ids(prompt, name), points)[1]
        return seen, logit_lens(model, seen)[:, 0], dict(fed.items())


def settled(logits: Tensor) -> Tensor:
    """Logits without the last digits: what is equal but for rounding is equal, here and in the page."""
    return logits.round(decimals=12)


def machine(
    prompt: str, at: float | int, step: float | int, open: str, name: str, all_k: int, **rest: Any
) -> Values:
    """Everything that the machine view shows of one pass.

    Args:
        prompt: words without ``<BOS>``.
        at: the chosen word, counted from the end of the text.
        step: how far the pass over it has come, one of `steps_of`.
        open: the part that is shown with all its numbers, one of `parts_of`.
        name: of the model.
        all_k: the value of ``top_k`` that keeps all words.
        rest: temperature, top_k and top_p of the draw, and a switch for each of `switches_of`.

    >>> on = {part: True for part in switches_of("calling-game")}
    >>> start = dict(at=0, step=5, open="nothing", all_k=27, temperature=1, top_k=27, top_p=1)
    >>> found = machine("Pietro chiama Paolo", name="calling-game", **start, **on)
    >>> found["finding"]
    'After “Pietro chiama Paolo” the most probable next word is “Tarso” with 99.98%.'
    """
    model, vocabulary = loaded(name)
    config, tokens = model.config, vocabulary.tokens
    off = tuple(part for part in switches_of(name) if not rest[part])
    seen, lens, fed = passed(name, prompt, off)
    words = words_of(prompt, name)
    here = max(0, len(words) - 1 - int(at))
    first = max(0, here - SHOWN + 1)
    last = min(len(words), first + SHOWN)
    stage = min(int(step), 2 * config.n_layers)
    over = words[here] == EOS

    logits = settled(lens[stage, here])
    keep = None if rest["top_k"] >= all_k else int(rest["top_k"])
    top_p = None if rest["top_p"] == 1 else rest["top_p"]
    plain = next_token(logits).tolist()
    drawn = next_token(logits, rest["temperature"], keep, top_p).tolist()
    answers = lens.softmax(dim=-1)
    best = [ranked(answers[k, here].tolist())[0] for k in range(len(lens))]
    could = [i for i in ranked(plain) if i not in config.masked_ids]  # (the model never predicts those)
    top = [
        {"rank": rank, "word": tokens[i], "logit": logits[i].item(), "plain": plain[i], "p": drawn[i]}
        for rank, i in enumerate(could[:LISTED], start=1)
    ]
    says = [
        {"word": tokens[i], "p": row[i]} for row in answers[-1, first:last].tolist() for i in [ranked(row)[0]]
    ]
    found: Values = {
        "words": words,
        "here": here,
        "first": first,
        "word": words[here],
        "step_name": steps_of(name)[int(step)],
        "keep": "all" if keep is None else str(keep),
        "off": list(off),
        "over": over,
        "streams": seen.streams[:, 0, first:last].tolist(),
        "patterns": [
            [[row[: first + k + 1] for k, row in enumerate(head)] for head in layer]
            for layer in seen.patterns[:, 0, :, first:last].tolist()
        ],
        "units": seen.activations[:, 0, first:last].tolist() if seen.activations is not None else [],
        "top": [] if over else top,
        "says_next": says,
        "parts": rows_of_parts(name, seen, answers, best, words, here, off),
        "detail": opened(open, name, words, here, seen, fed),
    }
    masked = len(config.masked_ids)
    rest_of_draw = round(1 - sum(item["p"] for item in top), 12)
    found["others"] = {"count": len(tokens) - masked - len(top), "p": rest_of_draw}
    found["plain"] = cased(in_words(open, name, words, here, seen, found["parts"], off), name)
    for row in found["parts"]:
        row |= {"does": cased(row["does"], name), "answer": titled(row["answer"], name)}
    about: Values = {"left": sum(p > 0 for p in drawn), "alike": sum(p >= ALIKE * max(plain) for p in plain)}
    least = ranked(plain)[min(about["alike"], LISTED) - 1]  # (a word that is listed)
    about |= {"least": tokens[least], "low": exactly(plain[least])}
    return found | {"finding": cased(_finding(name, about, prompt, words, here, found, top), name)}


def _collects(found: Values, layer: int, here: int, begins: int) -> tuple[int, int, float]:
    """The head, the position and the weight with which a word attends most to a word before it.

    ``<BOS>`` counts only where no other stands before it.
    """
    rows = [head[here - found["first"]] for head in found["patterns"][layer]]
    heads = [h for h in range(len(rows)) if f"h{layer}{h}" not in found["off"]]
    keys = range(min(begins, here - 1), here) if here else range(1)
    pairs = [(rows[h][k], -h, -k) for h in heads for k in keys]
    if not pairs:
        return -1, -1, 0.0
    weight, head, key = max(pairs)
    return -head, -key, weight


def _finding(
    name: str, about: Values, prompt: str, words: list[str], here: int, found: Values, top: Any
) -> str:
    config, begins, left = loaded(name)[0].config, len(words_of("", name)), about["left"]
    about |= {"word": words[here], "place": here + 1, "d": config.d_model, "units": config.d_ff}
    count = len(loaded(name)[1].tokens) - len(config.masked_ids)
    about |= {"best": top[0]["word"], "p": exactly(top[0]["plain"])}
    about |= {"after": after(" ".join(words[begins : here + 1]))}
    part, layer = [*found["step_name"].split(), "0"][:2]
    about["layer"] = layer
    if part == "choice" and not found["over"]:
        full = len(words) >= config.context
        said = "The most probable word, “{best}” with {p}, is chosen"
        said += ", but the text is as long as the model can read." if full else ": “Step” appends it."
    elif part in ("prediction", "choice"):
        said = "{after} the most probable next word is “{best}” with {p}."
        if about["alike"] > 3:  # a tie has no winner
            said = "{after} {alike} words are about equally probable{listed} from “{best}” with {p} "
            said += "to “{least}” with {low}."
            about["listed"] = f"; the {LISTED} listed go" if about["alike"] > LISTED else ","
        if found["over"]:
            return (
                f"The text has ended: nothing follows {EOS}. Press “Play” to begin again, "
                "or “Back” to take the last word back."
            )
        said += _in_the_draw(top[0], left, count)
        if found["off"]:
            row = passed(name, prompt, ())[1][-1, here].softmax(dim=-1).tolist()
            about["other"] = loaded(name)[1].tokens[ranked(row)[0]]
            about["sure"] = exactly(max(row))
            said += " With all parts it would be “{other}” with {sure}."
    elif part == "embedding":
        said = "“{word}” becomes {d} numbers: its embedding plus that of position {place}."
    elif part == "attention":
        head, key, weight = _collects(found, int(layer), here, begins)
        about |= {"head": head, "other": placed(words, key), "weight": weight}
        said = "Attention {layer}: “{word}” collects information from the words before it, most from {other} "
        said += "(head {layer}.{head}, {weight:.0%})."
        if here == 0:
            said = "Attention {layer}: “{word}” has no word before it to collect information from."
        elif head < 0:
            said = "Attention {layer}: all heads are switched off."
        elif here == begins:
            said = "Attention {layer}: only {other} stands before “{word}”, which collects most from it "
            said += "through head {layer}.{head} ({weight:.0%})."
    else:
        about["active"] = sum(a > 0 for a in found["units"][int(layer)][here - found["first"]])
        said = "Feed-forward {layer} works on each word alone: {active} of its {units} units are active for "
        said += "“{word}”."
        if f"m{layer}" in found["off"]:
            said = "Feed-forward {layer} is switched off."
    return fill(said, about)


def _in_the_draw(first: Values, left: int, count: int) -> str:
    """What the sliders make of it: how many words are left, and the share of the most probable one.

    >>> _in_the_draw({"word": "a", "p": 0.25, "plain": 0.5}, 4, 9)
    ' The draw is between 4 words and gives “a” 25.0%.'
    """
    other = abs(first["p"] - first["plain"]) > 5e-4 and left > 1
    gives = f"gives “{first['word']}” {exactly(first['p'])}"
    if left == count:
        return f" The draw {gives}." if other else ""
    words = "one word" if left == 1 else f"{left} words"
    return f" The draw is between {words}{f' and {gives}' if other else ''}."


def most_words(name: str) -> int:
    """The longest text, in words, without ``<BOS>``.

    >>> most_words("by-hand")
    5
    """
    return CONTEXTS[name] - len(words_of("", name))
