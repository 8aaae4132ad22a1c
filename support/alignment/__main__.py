"""The book's own tools for any MCP client: ``python -m support.alignment [--book FOLDER]``.

A client starts this command and speaks with it over its input and output. It offers a calculator, the models
of the zoo, a lens into them, and, where the book's folder is found, a search through its chapters.
"""

import argparse
import json
import re
from collections.abc import Callable
from pathlib import Path

import torch

from support import zoo
from support.alignment.mcp import make_server, run_server
from support.alignment.retrieval import BM25
from support.alignment.tools import Calculator, ToolError
from support.core import InputError
from support.generation import generate, next_token
from support.inside import logit_lens, trace

MODELS = ("calling-game", "stories")
MOST_TOKENS = 100
BOOK = Path(__file__).resolve().parents[2]


def calculate(expression: str) -> str:
    """Exact arithmetic with digits, + - * / and brackets."""
    return Calculator()(expression)


def ask_zoo(model: str, text: str = "", tokens: int = 20, seed: int = 0) -> str:
    """Let a small model of the book's zoo ("calling-game" or "stories") continue a text in its own words."""
    entry = _entry(model)
    start = ["<BOS>", *text.split()]
    ids = generate(
        entry.model,
        _ids(entry, start),
        max(0, min(tokens, MOST_TOKENS)),
        seed=seed,
        stop=[entry.vocabulary.id("<EOS>")],
    )
    return entry.vocabulary.decode(ids[1:])


def run_lens(model: str, text: str) -> str:
    """The logit lens: after each part of a model of the zoo, its best guess at the next word."""
    entry = _entry(model)
    ids = torch.tensor([_ids(entry, ["<BOS>", *text.split()])])
    seen = trace(entry.model, ids)
    lines = []
    for stage, logits in zip(seen.stages, logit_lens(entry.model, seen)[:, 0, -1], strict=True):
        best = next_token(logits.double()).max(-1)
        lines.append(f"{stage}: {entry.vocabulary.token(int(best.indices))} ({best.values:.2f})")
    return "\n".join(lines)


def searcher(folder: Path) -> Callable[..., str] | None:
    """A search through the sections of a folder's notebooks and pages; None if there are none."""
    sections = [part for path in sorted(folder.glob("notebooks/*.ipynb")) for part in _notebook(path)]
    sections += [
        part for path in sorted(folder.glob("book/*.md")) for part in _split(path.stem, path.read_text())
    ]
    if not sections:
        return None
    index = BM25([_words(title + " " + text) for title, text in sections])

    def search_book(query: str, results: int = 3) -> str:
        """The sections of the book that fit a query best, each with its place and its beginning."""
        scores = index.scores(_words(query))
        best = [i for i in scores.argsort(descending=True).tolist() if scores[i] > 0][
            : max(1, min(results, 10))
        ]
        if not best:
            raise ToolError("No section holds any of these words.")
        return "\n\n".join(f"{sections[i][0]}\n{sections[i][1][:300]}" for i in best)

    return search_book


def _entry(name: str) -> zoo.Entry:
    if name not in MODELS:
        raise ToolError(f"There is no model {name!r}; choose one of {', '.join(MODELS)}.")
    return zoo.load(name)


def _ids(entry: zoo.Entry, words: list[str]) -> list[int]:
    try:
        return entry.vocabulary.encode(words)
    except InputError as error:
        raise ToolError(str(error)) from None


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _notebook(path: Path) -> list[tuple[str, str]]:
    cells = json.loads(path.read_text(encoding="utf8"))["cells"]
    return _split(path.stem, "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown"))


def _split(name: str, text: str) -> list[tuple[str, str]]:
    """Sections: a heading and what stands below it."""
    parts = re.split(r"^#+ (.+)$", re.sub(r"<!--.*?-->", "", text), flags=re.MULTILINE)
    return [(f"{name}: {head}", body.strip()) for head, body in zip(parts[1::2], parts[2::2], strict=True)]


def main(arguments: list[str] | None = None) -> None:
    """Serve until the client ends the conversation."""
    parser = argparse.ArgumentParser(
        prog="python -m support.alignment", description="The book's tools by MCP."
    )
    parser.add_argument("--book", type=Path, default=BOOK, help="the folder that holds notebooks/ and book/")
    search = searcher(parser.parse_args(arguments).book)
    tools: dict[str, Callable[..., str]] = {"calculate": calculate, "ask_zoo": ask_zoo, "run_lens": run_lens}
    if search:
        tools["search_book"] = search
    server = make_server(
        "neuron-to-assistant",
        tools,
        "Tools of the book From One Neuron to an Assistant: its models, a lens, a search, a calculator.",
    )
    run_server(server)


if __name__ == "__main__":
    main()
