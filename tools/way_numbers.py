"""The numbers of the page *What each chapter adds*: each chapter's own, and the stairs of its drawing.

A name such as `c05_acc_att` in the prose of a page is the value that chapter 5 stores as `acc_att`: its cell
`bind(acc_att=...)` printed it, and the test of the chapters computes it anew. So no number is written twice.
"""

import json
import math
import re
from functools import cache
from pathlib import Path

from support import zoo
from support.view import diagram
from support.view.diagram.way import Station

ROOT = Path(__file__).resolve().parent.parent
BORROWED = re.compile(r"\bc(\d\d)_(\w+)")
# What the assistant is asked, and its steps with the chapters that teach them.
KINDS = ("told", "untold", "sum", "cost", "price", "clock", "known")
STEPS = {
    "instructions": ("instructions", "25 Fine-tuning"),
    "preferences": ("preferences", "26 Preferences"),
    "tools": ("tools", "27 Tools"),
}
TAUGHT = {
    "told": "told",
    "untold": "untold",
    "sum": "sum",
    "long_sum": "sum, 5 digits",
    "legal": "stories legal",
}
STORED = re.compile(r"^(\w+) = (.+)$", re.M)


@cache
def chapter(number: str) -> dict[str, str]:
    """All that a chapter binds, as it stored it: name → value."""
    (path,) = (ROOT / "notebooks").glob(f"{number}_*.ipynb")
    found: dict[str, str] = {}
    for cell in json.loads(path.read_text(encoding="utf8"))["cells"]:
        if cell["cell_type"] == "code" and "bind(" in "".join(cell["source"]):
            for output in cell["outputs"]:
                text = output.get("text") or output.get("data", {}).get("text/plain", "")
                found |= dict(STORED.findall("".join(text)))
    return found


def borrowed() -> dict[str, str]:
    """The chapters' values that the pages of prose use, by the names that they use there."""
    pages = [path.read_text(encoding="utf8") for path in sorted((ROOT / "book").glob("*.md"))]
    comments = " ".join(re.findall(r"<!--(.*?)-->", " ".join(pages)))
    names = sorted({found.group() for found in BORROWED.finditer(comments)})
    return {name: chapter(name[1:3])[name[4:]] for name in names}


def words() -> int:
    """The tokens that the story model may predict: all but the padding."""
    entry = zoo.load("stories")
    return len(entry.vocabulary) - len(entry.model.config.masked_ids)


def down() -> list[Station]:
    """The predictors of the story world with their losses, from its model's card."""
    card = zoo.load("stories").card
    loss = card["loss, nats per token"]
    return [
        Station("any word", "6 Vocabulary", math.log(words())),
        Station("words counted", "4 Counting", loss["unigram"]),
        Station("pairs counted", "4 Counting", loss["Kneser–Ney bigram"]),
        Station("runs of three", "4 Counting", loss["Kneser–Ney trigram"]),
        Station("runs of five", "4 Counting", loss["Kneser–Ney 5-gram"]),
        Station(
            "a small model",
            "15 The whole model",
            zoo.load("stories-small").card["loss, nats per token"]["model"],
        ),
        Station("the story model", "18 Training", loss["model"]),
    ]


def floor() -> float:
    """The entropy of the story world on the same texts, in nats per token."""
    return zoo.load("stories").card["loss, nats per token"]["floor (the world itself)"]


def assistant(step: str, kind: str) -> float:
    """The share of right replies of a kind after a step of the assistant: the mean of the record's seeds."""
    shares = [run[step][kind] for run in zoo.record("assistant")["runs"]]
    return sum(shares) / len(shares)


def up() -> list[Station]:
    """The steps of the assistant with their shares of right replies, all kinds weighing the same."""
    shares = {step: sum(assistant(step, kind) for kind in KINDS) / len(KINDS) for step in STEPS}
    return [Station(STEPS[step][0], STEPS[step][1], share) for step, share in shares.items()]


def drawing() -> diagram.Diagram:
    """The drawing at the top of the page."""
    return diagram.way(down(), up(), floor())


def taught() -> dict[str, str]:
    """The table of the assistant's page, in per cent: a row for each of `TAUGHT`, a column for each step."""
    steps = [*enumerate(STEPS, start=1)]
    return {
        f"way_{name}_{k}": f"{100 * assistant(step, kind):.0f}"
        for name, kind in TAUGHT.items()
        for k, step in steps
    }


def values() -> dict[str, str]:
    """All numbers of the page."""
    card = zoo.load("stories").card
    asked = [
        run["right"]["16"]
        for run in zoo.record("positions")["runs"]
        if (run["kind"], run["task"], run["name"], run["layers"]) == ("reach", "three back", "rope", 1)
    ]
    return (
        borrowed()
        | taught()
        | {
            "way_words": str(words()),
            "way_texts": f"{card['data']['held-out texts']:,}",
            "way_blind": f"{down()[0].value:.2f}",
            "way_floor": f"{floor():.2f}",
            "way_kinds": str(len(KINDS)),
            "way_legal_0": f"{100 * zoo.record('assistant')['base']['stories legal']:.0f}",
            "way_rope": f"{100 * sum(asked) / len(asked):.0f}",
        }
    )
