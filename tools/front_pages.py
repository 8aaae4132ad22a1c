"""Compute what the front pages say: the picture of a model at work, and the numbers of the pages' prose.

python tools/front_pages.py          # writes book/assets/front.svg, book/ledger/values.json and samples.json
python tools/front_pages.py --check  # only says whether they are up to date
python tools/front_pages.py --card   # also draws book/assets/card.png, which a chat shows beside a link

The prose of a page has no code cell beside it. Its numerals are bound to `book/ledger/values.json` instead,
in the same way as in the chapters: `0.9998<!-- p_tarso -->`.
"""

import argparse
import copy
import json
import os
import re
import sys
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("SUPPORT_DEVICE", "cpu")

import plan
import torch
import way_numbers

from support import zoo
from support.generation import generate, next_token
from support.inside import trace
from support.view.live.ablation import SWITCHES, rules
from support.view.live.machine.numbers import passed
from support.worlds import CallingGame

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "book" / "assets" / "front.svg"
VALUES = ROOT / "book" / "ledger" / "values.json"
SAMPLES = VALUES.with_name("samples.json")
SECOND_BLOCK = ("h10", "h11", "h12", "h13")  # its heads
READ = ["<BOS>", "Pietro", "chiama", "Paolo"]
BLUE, WHITE, AMBER = (11, 92, 143), (255, 255, 255), (240, 150, 2)
COLUMN, CELL, SIDE = (
    160,
    13,
    8,
)  # widths in the picture's own units; a word's 64 numbers as a square of 8 by 8


def percent(p: float) -> str:
    """A share as it is printed: two decimals near certainty and near zero, else one."""
    if p < 0.00005 or p > 0.99995:
        return "<0.01%" if p < 0.5 else ">99.99%"
    return f"{100 * p:.2f}%" if p > 0.999 or p < 0.001 else f"{100 * p:.1f}%"


def colour(x: float) -> str:
    """From blue (−1) over white to amber (1), in 16 steps a side, so that it is the same on every machine."""
    x = max(-1.0, min(1.0, round(16 * x) / 16))
    far = AMBER if x > 0 else BLUE
    return "#" + "".join(f"{round(w + (f - w) * abs(x)):02x}" for w, f in zip(WHITE, far, strict=True))


def text(x: float, y: float, words: str, *, size: int = 16, anchor: str = "middle", more: str = "") -> str:
    words = words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}"{more}>{words}</text>'


def square(stream: torch.Tensor, k: int, top: float) -> list[str]:
    """One word's numbers as a square of coloured cells."""
    left = COLUMN * k + (COLUMN - SIDE * CELL) / 2
    frame = f'<rect x="{left - 1:g}" y="{top - 1:g}" width="{SIDE * CELL + 2}" height="{SIDE * CELL + 2}"'
    cells = [frame + ' fill="none" stroke="#9db6c8"/>']
    for i, x in enumerate(stream.tolist()):
        row, column = divmod(i, SIDE)
        place = f'x="{left + CELL * column:g}" y="{top + CELL * row:g}" width="{CELL}" height="{CELL}"'
        cells.append(f'<rect {place} fill="{colour(x)}"/>')
    return cells


def threads(pattern: torch.Tensor, top: float, bottom: float) -> list[str]:
    """Who fetched from whom: the heads' mean share as the width of a thread."""
    lines = []
    for query in range(len(READ)):
        for key in range(query + 1):
            share = pattern[query, key].item()
            x1, x2 = COLUMN * (key + 0.5), COLUMN * (query + 0.5)
            curve = f"C{x1:g} {top + 38:g} {x2:g} {bottom - 38:g} {x2:g} {bottom:g}"
            width = round(1 + 9 * round(share, 1), 1)
            lines.append(f'<path d="M{x1:g} {top:g}{curve}" stroke-width="{width:g}"/>')
    return ['<g fill="none" stroke="#5c7f99" stroke-opacity="0.45">', *lines, "</g>"]


def guesses(page: torch.Tensor, words: list[str], k: int, top: float, shown: int = 4) -> list[str]:
    """The likeliest next words as bars, and what is left for all others."""
    left, width = COLUMN * k + 8, COLUMN - 16
    best = page.topk(shown)
    rows = [(words[i], p) for p, i in zip(best.values.tolist(), best.indices.tolist(), strict=True)]
    rows.append((f"{len(words) - shown} more", 1 - sum(p for _, p in rows)))
    out = []
    for n, (word, p) in enumerate(rows):
        y = top + 27 * n
        bar = max(1.0, round(width * p))
        fill = "#dfe6eb" if n == shown else "#fbd48c"
        out.append(f'<rect x="{left}" y="{y:g}" width="{bar:g}" height="23" rx="3" fill="{fill}"/>')
        out.append(text(left + 4, y + 17, word, anchor="start"))
        out.append(text(left + width - 2, y + 17, percent(max(p, 0.0)), anchor="end"))
    return out


def make() -> tuple[str, dict[str, str]]:
    """The picture, and the numbers of the prose."""
    game = zoo.load("calling-game")
    words = game.vocabulary.tokens
    model = game.model.double().eval()
    ids = game.vocabulary.encode(READ)
    seen = trace(model, ids)
    pages = next_token(seen.logits[0])
    stages = [seen.streams[0, 0], seen.streams[2, 0], seen.streams[4, 0]]
    n_layers, d_model = model.config.n_layers, model.config.d_model
    assert (n_layers, d_model) == (2, SIDE * SIDE), "the picture is drawn for two blocks of 64 numbers"

    parts = []
    for k, token in enumerate(READ):
        middle = COLUMN * (k + 0.5)
        parts.append(
            f'<rect x="{middle - 62:g}" y="12" width="124" height="38" rx="8" fill="#0b5c8f"/>'
            + text(middle, 38, token, size=20, more=' fill="#fff" font-weight="700"')
        )
        parts.append(text(middle, 74, f"no. {ids[k]}", more=' fill="#44606f"'))
    y = 86.0
    for stage, stream in enumerate(stages):
        if stage:
            parts += threads(seen.patterns[stage - 1, 0].mean(dim=0), y, y + 86)
            y += 86
        largest = stream.abs().quantile(0.97)
        for k in range(len(READ)):
            parts += square(stream[k] / largest, k, y + 2)
        y += SIDE * CELL + 4
        side = f' transform="rotate(-90 6 {y - 52:g})" fill="#44606f"'
        parts.append(text(6, y - 52, ["look up", "block one", "block two"][stage], size=14, more=side))
    y += 30
    parts.append(
        text(2 * COLUMN, y, "What may come next?", size=18, more=' font-weight="700" fill="#0b5c8f"')
    )
    y += 12
    for k in range(len(READ)):
        parts += guesses(pages[k], words, k, y)
    y += 27 * 5 + 6
    size = f'viewBox="-14 0 {4 * COLUMN + 18} {y:g}" width="{4 * COLUMN + 18}" height="{y:g}"'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="system-ui, \'DejaVu Sans\', sans-serif"'
    )
    picture = [
        head + ' fill="#16232c">',
        f'<rect x="-14" width="{4 * COLUMN + 18}" height="{y:g}" rx="10" fill="#fff"/>',
    ]
    svg = "\n".join([*picture, *parts, "</svg>"]) + "\n"

    uncertain, certain = pages[2], pages[3]
    story = zoo.load("stories").model
    assert story.config.n_layers == 4, "the front page says so"
    game_card = zoo.load("calling-game").card
    assert how_probable("3 chiama 7 2", "perde").startswith(">"), "the front page says “more than”"
    values = {
        "chapters": f"{len(plan.chapters())}",
        "p_tarso": percent(certain[words.index("Tarso")].item()),
        "p_vice": without_the_first_head(),
        "p_perde": how_probable("3 chiama 7 2", "perde").removeprefix(">"),
        "p_plays_on": how_probable("3 chiama 7 2", "chiama", SECOND_BLOCK),
        "largest_open": percent(uncertain.max().item()),
        "game_words": f"{len(words)}",
        "game_parameters": f"{model.n_parameters():,}",
        "d_model": f"{d_model}",
        "story_parameters": f"{story.n_parameters():,}",
        "story_d_model": f"{story.config.d_model}",
        "harmless_heads": f"{sum(cost < 0.02 for cost in head_costs())}",
        "zoo_models": f"{len(list(Path(zoo.__file__).parent.glob('*/card.json')))}",
        "zoo_recipes": f"{len(zoo.RECIPES)}",
        "zoo_floor": f"{game_card['loss, nats per token']['floor (the world itself)']:.3f}",
        "zoo_curve_floor": f"{zoo.record('zoo_curves')['models']['calling-game']['floor']:.2f}",
        "zoo_entropy": f"{CallingGame().entropy:.3f}",
        "map_dimensions": f"{zoo.load('semantic').model.config.d_model}",
    } | way_numbers.values()
    return svg, values


def head_costs() -> list[float]:
    """For each head of the game's model: what its ablation costs on the question that suffers most."""
    switches = [name for group in SWITCHES for name in group]
    found = [rules(**{name: name != off for name in switches}) for off in switches if off.startswith("h")]
    return [-min(item["change"] for item in each["rules"]) for each in found]


def how_probable(prompt: str, word: str, off: tuple[str, ...] = ()) -> str:
    """What the game's model gives a word after a text, with some of its parts switched off."""
    logits = passed("calling-game", prompt, off)[0].logits[0, -1]
    return percent(logits.softmax(dim=-1)[zoo.load("calling-game").vocabulary.id(word)].item())


def without_the_first_head() -> str:
    """How probable *vice* is after *Pietro chiama Paolo* without head 0.0: what a number would call Paolo."""
    return how_probable("Pietro chiama Paolo", "vice", ("h00",))


def samples(n: int = 3) -> dict[str, list[str]]:
    """A few texts that each model of the zoo writes, in float64, the same on every machine."""
    found = {}
    for name in zoo.RECIPES:
        entry = zoo.load(name)
        model, words = copy.deepcopy(entry.model).double(), entry.vocabulary
        start, end, longest = words.id("<BOS>"), words.id("<EOS>"), entry.model.config.context - 1
        written = [generate(model, [start], longest, seed=seed, stop=[end]) for seed in range(n)]
        found[name] = [words.decode(t for t in ids if t not in (start, end)) for ids in written]
    return found


def texts(svg: str) -> list[str]:
    """All that the picture says in words and numbers."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


CARD_PAGE = """<body style="margin:0;width:1200px;height:630px;background:#0d2636;color:#fff;overflow:hidden;
font-family:system-ui,'DejaVu Sans',sans-serif;position:relative">
<div style="position:absolute;left:64px;top:150px;width:520px">
<div style="font-size:62px;line-height:1.12;font-weight:700">From One Neuron to an Assistant</div>
<div style="font-size:29px;line-height:1.4;margin-top:32px;color:#bfe0f5">How language models work,
with every number computed and a real one running in the page</div></div>
<img src="front.svg" style="position:absolute;left:630px;top:34px;width:540px"></body>"""


def draw_card() -> None:
    """A picture of 1200 by 630 points: the title beside the model at work."""
    import chromium
    from playwright.sync_api import sync_playwright

    page = PICTURE.with_name("card.html")
    page.write_text(CARD_PAGE, encoding="utf8")
    try:
        with sync_playwright() as p:
            browser = p.chromium.launch(
                executable_path=chromium.find(), args=["--no-sandbox", "--disable-gpu"]
            )
            tab = browser.new_page(viewport={"width": 1200, "height": 630})
            tab.goto(page.as_uri())
            tab.screenshot(path=str(PICTURE.with_name("card.png")))
            browser.close()
    finally:
        page.unlink()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail if something is out of date"
    )
    parser.add_argument("--card", action="store_true", help="draw the card anew")
    options = parser.parse_args()
    svg, values = make()
    if options.check:
        stale = []
        if not PICTURE.exists() or texts(PICTURE.read_text(encoding="utf8")) != texts(svg):
            stale.append(PICTURE.name)
        if not VALUES.exists() or json.loads(VALUES.read_text(encoding="utf8")) != values:
            stale.append(VALUES.name)
        if not SAMPLES.exists() or json.loads(SAMPLES.read_text(encoding="utf8")) != samples():
            stale.append(SAMPLES.name)
        if stale:
            print(f"[pages] Out of date: {', '.join(stale)}; run tools/front_pages.py.", file=sys.stderr)
        return 1 if stale else 0
    PICTURE.write_text(svg, encoding="utf8")
    VALUES.parent.mkdir(parents=True, exist_ok=True)
    VALUES.write_text(json.dumps(values, indent=1, ensure_ascii=False) + "\n", encoding="utf8")
    SAMPLES.write_text(json.dumps(samples(), indent=1, ensure_ascii=False) + "\n", encoding="utf8")
    if options.card:
        draw_card()
    print("\n".join(f"[pages] {name} = {value}" for name, value in values.items()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
