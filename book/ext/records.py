"""Directives that write pages from committed data: the zoo's models, the chapters' status, where it ran."""

import json
import os
import platform
import sys
from datetime import date
from importlib import metadata
from pathlib import Path
from typing import Any

import nbformat
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(Path(__file__).parent)]
import chapters  # noqa: E402 - beside this file
import notebook_form  # noqa: E402 - the tools are scripts beside the package
import portability  # noqa: E402

from support.view.diagram import learning_curve  # noqa: E402 - after the paths

FLOOR = "floor (the world itself)"
COLUMN, PHONE = 580, 340  # pixels on a phone: how wide a curve is drawn


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, int):
        return f"{value:,}" if abs(value) >= 10_000 else str(value)
    if isinstance(value, list) and all(not isinstance(v, list | dict) for v in value):
        return ", ".join(_text(v) for v in value)
    return str(value).replace("|", "\\|").replace("\n", " ")


def _words(key: str) -> str:
    return str(key).replace("_", " ")


def _table(head: list[str], rows: list[list[str]]) -> list[str]:
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return [*lines, *("| " + " | ".join(row) + " |" for row in rows), ""]


def markdown_of(data: Any, level: int = 3) -> list[str]:
    """Any nested record as Markdown: plain values in one table, records of one kind as a table of rows."""
    lines: list[str] = []
    plain = {k: v for k, v in data.items() if not isinstance(v, dict) and not _rows(v)}
    if plain:
        lines += _table(["", ""], [[_words(k), _text(v)] for k, v in plain.items()])
    for key, value in data.items():
        rows = _rows(value)
        if rows:
            heads = list(dict.fromkeys(k for row in rows for k in row))
            lines += [f"**{_words(key).capitalize()}**", ""]
            lines += _table([_words(h) for h in heads], [[_text(r.get(h, "")) for h in heads] for r in rows])
        elif isinstance(value, dict) and value:
            lines += [f"**{_words(key).capitalize()}**", "", *markdown_of(value, level + 1)]
    return lines


def _rows(value: Any) -> list[dict[str, Any]]:
    """The value as rows of a table, if it is a list or a mapping of flat records."""

    def flat(v: Any) -> bool:
        return isinstance(v, dict) and bool(v) and not any(isinstance(x, dict) for x in v.values())

    if isinstance(value, list) and value and all(flat(v) for v in value):
        return value
    if isinstance(value, dict) and len(value) > 1 and all(flat(v) for v in value.values()):
        return [{"kind": _words(k), **v} for k, v in value.items()]
    return []


class _FromRecord(SphinxDirective):
    """A directive whose content is Markdown that we make."""

    has_content = False
    cards = False  # whether on a phone the rows of its tables are cards

    def lines(self) -> list[str]:
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        container = nodes.Element()
        self.state.nested_parse(
            StringList(self.lines(), source="record"), self.content_offset, container, match_titles=True
        )
        for table in container.findall(nodes.table) if self.cards else ():
            table["classes"].append("cards")
        return container.children


class ZooModel(_FromRecord):
    """What a reader wants to know of one model of the zoo: its size, its curve, what it writes, its card."""

    required_arguments = 1

    def lines(self) -> list[str]:
        name = self.arguments[0]
        folder, ledger = ROOT / "support" / "zoo", ROOT / "book" / "ledger"
        card_file, curves_file = folder / name / "card.json", folder / "records" / "zoo_curves.json"
        sources = [card_file, curves_file, ledger / "samples.json"]
        for path in sources:
            self.env.note_dependency(str(path))
        card, curves, samples = map(_load, sources)
        shape, data, losses = card["model"], card["data"], dict(card["loss, nats per token"])
        weights = sources[0].with_name("model.safetensors").stat().st_size
        layers = f"{shape['n layers']} layers, {shape['n heads']} heads each, d_model {shape['d model']}"
        rows = [
            ["Load it", f'`zoo.load("{name}")`'],
            ["Parameters", f"{shape['parameters']:,} ({weights / 1e6:.1f} MB)"],
            ["Shape", f"{layers}, d_ff {shape['d ff']}, {_text(shape['activation'])}"],
            ["Vocabulary", f"{shape['vocabulary']} tokens"],
            ["Context", f"{shape['context']} tokens"],
            ["Training data", f"{data['training texts']:,} texts, {data['training tokens']:,} tokens"],
            ["Loss", f"{losses.pop('model')} nats per token; the floor is {losses.pop(FLOOR)}"],
        ]
        lines = _table(["", ""], rows)
        if curve := curves.get("models", {}).get(name):
            counting = {key.removeprefix("Kneser–Ney "): value for key, value in losses.items()}
            for kind, width in (("wide", COLUMN), ("narrow", PHONE)):
                drawn = learning_curve(curve["steps"], curve["losses"], curve["floor"], counting, width)
                place = f'<div class="diagram-of-cell drawn-{kind}">{drawn.svg.strip()}</div>'
                lines += ["```{raw} html", place, "```", ""]
        lines += ["Three texts that it writes when nothing is given (seeds 0, 1 and 2):", ""]
        lines += [f"> {text}\n>" for text in samples[name]]
        plain = {k: v for k, v in card.items() if k not in ("name", "title", "about", "model", "data")}
        lines += ["", ":::{dropdown} The whole card", *markdown_of(plain), ":::", ""]
        return "\n".join(lines).split("\n")


def chapter_facts(path: Path) -> dict[str, Any]:
    """What a stored notebook holds: cells, outputs, how many of them are compared."""
    code = [c for _, c in notebook_form.code_cells(nbformat.read(path, as_version=4))]
    outputs = [c for c in code if c.outputs]
    return {
        "title": chapters.opening(path.stem)[0],
        "code": len(code),
        "outputs": len(outputs),
        "compared": sum(not notebook_form.is_skipped(c) for c in outputs),
        "pictures": sum("image/png" in o.get("data", {}) for c in code for o in c.outputs),
    }


def written(tested: dict[str, Any]) -> str:
    """When this page was written, with which versions, and on what machine; and when the test run was."""
    packages = ("torch", "numpy", "matplotlib", "jupyter-book", "sphinx")
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in packages)
    machine = f"{platform.system()} on {platform.machine()}, {os.cpu_count()} processor cores"
    text = f"This page was written on {date.today():%d %B %Y} with Python {platform.python_version()}, "
    text += f"{versions}, on {machine}."
    if tested:
        latest = max((ROOT / ".make" / "chapters").glob("*.json"), key=lambda p: p.stat().st_mtime)
        text += f" The test run ended on {date.fromtimestamp(latest.stat().st_mtime):%d %B %Y}."
    return text


class ChapterStatus(_FromRecord):
    """The table of chapters: what is stored, what is compared, seconds on CPU and on a GPU."""

    cards = True

    def lines(self) -> list[str]:
        record = _load(ROOT / "book" / "ledger" / "status.json")
        tested = {p.stem: _load(p) for p in (ROOT / ".make" / "chapters").glob("*.json")}
        gpu = _load(ROOT / "book" / "ledger" / "gpu_status.json")
        head = ["Chapter", "Code cells", "Outputs", "Compared", "Figures"]
        head += ["Seconds, CPU", "Memory, MB", "Cells passed", "Seconds, GPU"]
        rows = []
        for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
            facts = chapter_facts(path)
            self.env.note_dependency(str(path))
            run = tested.get(path.stem) or record.get(path.stem, {})
            cells = run.get("cells") or {}
            passed = f"{cells.get('passed', 0)} of {sum(cells.values())}" if cells else "–"
            cpu = [str(run.get(k) or "–") for k in ("seconds", "megabytes")]
            cuda = gpu.get("notebooks", {}).get(path.stem, {}).get("seconds", "–")
            counts = [facts[k] for k in ("code", "outputs", "compared", "pictures")]
            link = f"[{facts['title']}](../notebooks/{path.name})"
            rows.append([link, *map(str, counts), *cpu, passed, str(cuda)])
        if not rows:
            return ["No chapter is there yet."]
        total = ["**all**", *(str(sum(int(r[i]) for r in rows)) for i in range(1, 5))]
        seconds, memory, gpu_seconds = ([float(r[i]) for r in rows if r[i] != "–"] for i in (5, 6, 8))
        total += [f"{sum(seconds):.0f}", f"at most {max(memory):.0f}" if memory else "–"]
        total += ["–", f"{sum(gpu_seconds):.0f}" if gpu_seconds else "–"]
        if tested:
            note = "Seconds, memory and passed cells: of the test run that made this page."
        else:
            note = "Seconds: of the last recorded run. A page that the tests make also tells of memory."
        note += f" GPU: {gpu['device']}, {gpu['date']}." if gpu else " No GPU has been to hand yet."
        told = [k for k in range(len(head)) if any(row[k] != "–" for row in rows)]  # a column says something
        table = _table([head[k] for k in told], [[row[k] for k in told] for row in [*rows, total]])
        return [*table, note, "", written(tested)]


class Reach(_FromRecord):
    """Two tables: the kernels and threads under which all was tested, and the Pythons and libraries."""

    cards = True

    def lines(self) -> list[str]:
        folder = ROOT / "book" / "ledger"
        found = _load(folder / "portability.json")
        rows = []
        for key, row in found.items():
            part, factor, *_ = key.split()
            settings = [f"`{k}={v}`" for k, v in portability.FACTORS[factor].items()]
            setting = " ".join(settings) or "as it is, 1 thread"
            counts = [str(row["passed"]), str(row["failed"]), f"{row['minutes']:.0f}"]
            differs = "; ".join(t if " " in t else f"`{t}`" for t in row["differs"]) or "nothing"
            rows.append([row["processor"], setting, part, *counts, row["date"], differs])
        head = ["Processor", "Setting", "Tests", "Passed", "Failed", "Minutes", "Date", "Differs"]
        lines = _table(head, rows) if rows else ["Nothing has been recorded yet.", ""]
        run = {tuple(key.split()[:2]) for key in found}
        missing = {
            part: [f for f in portability.FACTORS if (part, f) not in run] for part in portability.PARTS
        }
        if told := "; ".join(f"{part} with {', '.join(left)}" for part, left in missing.items() if left):
            lines += [f"Not recorded yet: {told}.", ""]
        kept = _load(folder / "stacks.json") or []
        rows = []
        for row in kept:
            wanted = " ".join([row["versions"], *row["also"]])
            stack = ", ".join(f"{name} {row[name]}" for name in ("torch", "numpy", "transformers"))
            seconds = [str(round(row["install"])), str(round(row["seconds"]))]
            told = [f"{chapter}: {', '.join(what)}" for chapter, what in row["differs"].items()]
            differs = "; ".join(told) or "nothing"
            rows.append([row["python"], wanted, stack, *seconds, str(row["chapters"]), row["date"], differs])
        head = ["Python", "Versions", "Installed", "Seconds to install", "Seconds to run", "Chapters", "Date"]
        return [*lines, *(_table([*head, "Differs"], rows) if rows else [])]


def _load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf8")) if path.exists() else {}


def setup(app: Any) -> dict[str, Any]:
    app.add_directive("zoo-model", ZooModel)
    app.add_directive("chapter-status", ChapterStatus)
    app.add_directive("where-it-ran", Reach)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
