"""Execute notebooks and store what they print: outputs, numbers in the prose, alternative texts, first cells.

    python tools/refresh.py                        # every notebook
    python tools/refresh.py notebooks/07_bpe.ipynb
    python tools/refresh.py --no-run NOTEBOOK ...  # only normalise, stamp and rewrite, from stored outputs
    python tools/refresh.py --record               # also write book/ledger/status.json

A notebook that raises or writes to stderr is refused: its stored version stays as it is.
"""

import argparse
import difflib
import hashlib
import json
import os
import re
import sys
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("SUPPORT_DEVICE", "cpu")
os.environ.setdefault("PYTHONHASHSEED", "0")

import nbformat
import yaml
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

sys.path.insert(0, str(Path(__file__).parent))
import prose_numbers
from process_memory import peak_megabytes, processor_seconds

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "book" / "ledger" / "status.json"
KEPT_METADATA = ("tags", "reason")
WIDGET = "application/vnd.jupyter.widget-view+json"  # names a widget of a kernel that is gone
FOLD = {"code_prompt_show": "Show the solution", "code_prompt_hide": "Hide the solution"}
DRAWN = {"code_prompt_show": "Show how it is drawn", "code_prompt_hide": "Hide how it is drawn"}
NUMBERS = {"code_prompt_show": "Show the numbers", "code_prompt_hide": "Hide the numbers"}
DRAWING = 3  # a figure with more lines of code than this has them folded on the page


def first_cell(address: str | None = None) -> str:
    """The text of every notebook's first code cell, with the book's version and address."""
    if address is None:
        config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf8"))
        address = (config.get("repository") or {}).get("url") or ""
    text = (ROOT / "tools" / "first_cell.py").read_text(encoding="utf8").rstrip()
    project = (ROOT / "pyproject.toml").read_text(encoding="utf8")
    version = re.search(r'(?m)^version = (".*")$', project)
    assert version is not None
    text = text.replace('VERSION = ""', f"VERSION = {version[1]}", 1)
    return text.replace('REPOSITORY = ""', f"REPOSITORY = {json.dumps(address)}", 1)


def stamp(notebook) -> None:
    """Make the first code cell the one that makes `support` importable."""
    marker = first_cell("").splitlines()[0]
    code = [c for c in notebook.cells if c.cell_type == "code"]
    cell = next((c for c in code if c.source.startswith(marker)), None)
    if cell is None:
        cell = nbformat.v4.new_code_cell()
        at = 1 if notebook.cells and notebook.cells[0].cell_type == "markdown" else 0
        notebook.cells.insert(at, cell)
    cell.source = first_cell()
    cell.metadata["tags"] = ["remove-cell"]


def run(notebook, folder: Path, timeout: int = 900) -> float:
    """Execute a notebook in place, in its folder; returns the seconds it took."""
    return run_watched(notebook, folder, timeout)[0]


def run_watched(notebook, folder: Path, timeout: int = 900) -> tuple[float, int | None]:
    """Execute a notebook in place, in its folder; returns the seconds and the megabytes it took.

    The seconds are processor time, where the system tells it: other work on the machine adds less to them.
    """
    start, peak, busy = time.perf_counter(), None, None

    def noted(**_):
        nonlocal peak, busy
        pid = client.km.provisioner.pid
        peak, busy = peak_megabytes(pid) or peak, processor_seconds(pid) or busy

    client = NotebookClient(
        notebook,
        timeout=timeout,
        kernel_name="python3",
        resources={"metadata": {"path": folder}},
        # ipykernel warns of unencrypted sockets; they are on this machine only. Its errors are still said.
        extra_arguments=["--IPKernelApp.log_level=40"],
        on_cell_executed=noted,
    )
    client.execute()
    return busy or time.perf_counter() - start, peak


def merge_streams(outputs: list) -> list:
    """Neighbouring pieces of one stream are one output: how they were cut depends on the moment."""
    merged: list = []
    for output in outputs:
        if output.output_type == "stream" and merged and merged[-1].get("name") == output.name:
            merged[-1].text += output.text
        else:
            merged.append(output)
    return merged


def alt_text(outputs: list) -> str | None:
    """The alternative text that `support.view.show` put beside its picture."""
    for output in outputs:
        metadata = output.get("metadata", {})
        for kind in ("image/png", "image/svg+xml"):
            if kind in output.get("data", {}):
                return metadata.get(kind, {}).get("alt") or metadata.get("alt")
    return None


def live_mark(outputs: list) -> dict | None:
    """A live figure: its name and where its controls start, as `support.view.live` put them by a picture."""
    marks = (output.get("metadata", {}).get("image/png", {}).get("live") for output in outputs)
    return next(filter(None, marks), None)


def normalise(notebook) -> None:
    """Keep of a notebook what is the same on every machine."""
    notebook.metadata.clear()
    notebook.metadata.kernelspec = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook.metadata.language_info = {"name": "python"}
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    count, seen = 0, {}
    for cell in notebook.cells:
        cell.source = cell.source.rstrip()
        digest = hashlib.sha256(cell.source.encode()).hexdigest()[:8]
        seen[digest] = seen.get(digest, 0) + 1
        cell.id = digest if seen[digest] == 1 else f"{digest}-{seen[digest]}"
        metadata = {key: cell.metadata[key] for key in KEPT_METADATA if cell.metadata.get(key)}
        cell.metadata = nbformat.NotebookNode(metadata)
        if cell.cell_type != "code":
            continue
        if cell.execution_count is not None:
            count += 1
            cell.execution_count = count
        cell.outputs = merge_streams(cell.outputs)
        page = {}
        if alt := alt_text(cell.outputs):
            page["image"] = {"alt": alt}
        if mark := live_mark(cell.outputs):
            page["live"] = mark
        tags = [tag for tag in cell.metadata.get("tags", []) if tag != "hide-input"]
        if "hide-cell" in tags:
            page |= FOLD
            cell.metadata["jupyter"] = {"source_hidden": True}  # JupyterLab folds it, too
        elif "hide-output" in tags:  # a table whose numbers a live figure shows, too
            page |= NUMBERS
        elif "image" in page and len(cell.source.splitlines()) > DRAWING:
            page |= DRAWN
            tags.append("hide-input")
        cell.metadata.pop("tags", None)
        if tags:
            cell.metadata["tags"] = tags
        if page:
            cell.metadata["mystnb"] = page
        for output in cell.outputs:
            if "execution_count" in output:
                output.execution_count = count
            output.pop("transient", None)
            output.get("data", {}).pop(WIDGET, None)


def compared_text(cell) -> str:
    """What nbval compares of a cell, as text."""
    parts = []
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        parts.append(output.get("text") or data.get("text/plain") or "")
    return "\n".join("".join(p) for p in parts)


def complaints(notebook) -> list[str]:
    """What makes a freshly executed notebook unfit to be stored."""
    found = []
    for k, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        for output in cell.outputs:
            if output.get("name") == "stderr":
                found.append(f"cell {k} writes to stderr: {output.text.strip()[-600:]}")
        if re.search(r"\bat 0x[0-9a-f]{6,}", compared_text(cell)):
            found.append(f"cell {k} prints a memory address, which differs at every run")
        pictures = sum("image/png" in o.get("data", {}) for o in cell.outputs)
        if pictures > 1:
            found.append(f"cell {k} shows {pictures} pictures: one a cell, so that each has its own alt text")
        if pictures and not alt_text(cell.outputs):
            found.append(f"cell {k} shows a picture without alt text: use support.view.show(fig, alt=...)")
    return found


def differences(old, new) -> list[str]:
    """A short, readable account of the stored outputs that changed."""
    before = {c.source: compared_text(c) for c in old.cells if c.cell_type == "code"}
    lines = []
    for k, cell in enumerate(new.cells):
        if cell.cell_type != "code" or cell.source not in before:
            continue
        was, now = before[cell.source], compared_text(cell)
        if was != now:
            lines.append(f"cell {k}: the output changed")
            diff = difflib.unified_diff(
                was.splitlines(), now.splitlines(), "stored", "fresh", lineterm="", n=0
            )
            lines += [f"    {line[:140]}" for line in list(diff)[2:14]]
    return lines


def refresh(path: Path, execute: bool = True) -> tuple[bool, float, int | None]:
    """Refresh one notebook; returns whether it could be stored, and the seconds and megabytes it took."""
    notebook = nbformat.read(path, as_version=4)
    old = nbformat.read(path, as_version=4)
    stamp(notebook)
    seconds, megabytes = 0.0, None
    if execute:
        try:
            seconds, megabytes = run_watched(notebook, path.parent)
        except CellExecutionError as error:
            print(f"{path.name}: NOT stored, a cell raised:\n{str(error)[-3000:]}")
            return False, 0.0, None
    normalise(notebook)
    unfit = complaints(notebook)
    if unfit:
        print(f"{path.name}: NOT stored ({seconds:.1f} s)")
        print("\n".join(f"  {line}" for line in unfit))
        return False, seconds, megabytes
    changes = prose_numbers.rewrite(notebook) + differences(old, notebook)
    normalise(notebook)  # the rewritten prose has new ids
    nbformat.validate(notebook)
    text = nbformat.writes(notebook, version=4)
    if not text.endswith("\n"):
        text += "\n"
    if text != path.read_text(encoding="utf8"):
        temporary = path.with_suffix(".ipynb.new")
        temporary.write_text(text, encoding="utf8")
        os.replace(temporary, path)
        changes = changes or ["stored (only metadata or pictures changed)"]
    left = prose_numbers.problems(notebook)
    print(
        f"{path.name}: {f'{seconds:.1f} s' if execute else 'not executed'}; {len(changes) or 'no'} change(s)"
    )
    for line in changes:
        print(f"  {line}")
    if left:
        print(f"  {len(left)} number(s) in the prose still need attention:")
        print("\n".join(f"    {line}" for line in left))
    return not left, seconds, megabytes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notebooks", nargs="*", type=Path)
    parser.add_argument("--no-run", action="store_true", help="use the stored outputs")
    parser.add_argument(
        "--record", action="store_true", help="write the seconds into book/ledger/status.json"
    )
    options = parser.parse_args()
    every = sorted((ROOT / "notebooks").glob("*.ipynb"))
    paths = options.notebooks or every
    if missing := [path for path in paths if not path.is_file()]:
        near = difflib.get_close_matches(missing[0].stem, [path.stem for path in every], 1, 0.3)
        hint = f"; did you mean notebooks/{near[0]}.ipynb?" if near else "."
        print(f"[refresh] There is no notebook {missing[0]}{hint}", file=sys.stderr)
        return 1
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    good = True
    for path in paths:
        print(f"{path.name} ...", flush=True)
        stored, seconds, megabytes = refresh(path.resolve(), execute=not options.no_run)
        good = good and stored
        if stored and not options.no_run:
            record[path.stem] = {"seconds": round(seconds, 1), "megabytes": megabytes}
    if options.record:
        RECORD.parent.mkdir(parents=True, exist_ok=True)
        RECORD.write_text(json.dumps(dict(sorted(record.items())), indent=1) + "\n")
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
