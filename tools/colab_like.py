"""Run chapters as a reader on Colab does: a notebook and the wheel in a folder, in an environment without us.

    python tools/colab_like.py                                  # Colab's versions, every chapter
    python tools/colab_like.py notebooks/06_vocabulary.ipynb    # one chapter
    python tools/colab_like.py --versions newest                # what the index offers today
    python tools/colab_like.py --versions lowest                # the lowest that pyproject.toml allows
    python tools/colab_like.py --versions here                  # this environment's libraries: quick
    python tools/colab_like.py --python python3.11 --python python3.13  # one after the other, for a table
    python tools/colab_like.py --versions newest --also transformers==4.56.0  # but for these
    python tools/colab_like.py --environments .make/stacks      # keep what is installed for the next run

The first cell of each notebook installs the wheel (the newest in dist/; `make wheel`). What the cells then
show is compared with what is stored, as nbval does. Colab's versions are in tools/colab_versions.txt. What
was found is added to .make/stacks.json; --keep book/ledger/stacks.json adds it to the status page's table.
"""

import argparse
import datetime
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

sys.path.insert(0, str(Path(__file__).parent))
import notebook_form
import refresh
from portability import processor

ROOT = Path(__file__).resolve().parent.parent
LISTED = ROOT / "tools" / "colab_versions.txt"
NEEDED = ["ipykernel"]  # what any notebook server has; the rest comes with the wheel
OURS = ("neuron_to_assistant", "__editable__")
KEPT = ROOT / ".make" / "stacks.json"
SHOWN = ("torch", "numpy", "scipy", "transformers", "matplotlib", "scikit-learn", "umap-learn", "ipython")


def site_packages(python: Path) -> Path:
    """Where an environment keeps what is installed."""
    asked = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    return Path(subprocess.run(asked, capture_output=True, check=True, text=True).stdout.strip())


def make_environment(folder: Path, interpreter: str = sys.executable, *, with_pip: bool = True) -> Path:
    """A new virtual environment; returns its Python."""
    command = [interpreter, "-m", "venv", *([] if with_pip else ["--without-pip"]), str(folder)]
    subprocess.run(command, check=True)
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def borrow(folder: Path) -> Path:
    """An environment with the libraries of this one (as Colab has them), but nothing of ours."""
    python = make_environment(folder, with_pip=False)  # pip comes with the libraries, which is quicker
    site = site_packages(python)
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if not entry.name.lower().startswith(OURS) and not (site / entry.name).exists():
            (site / entry.name).symlink_to(entry)
    return python


def lowest() -> list[str]:
    """Each lower bound of what the notebooks need, as the one version to install.

    >>> "torch==2.8.0" in lowest()
    True
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
    extras = project["optional-dependencies"]
    lines = [*project["dependencies"], *extras["maps"], *extras["huggingface"], *extras["notebooks"]]
    return [line.replace(">=", "==") for line in lines if ">=" in line]


def install(python: Path, versions: str, also: Sequence[str] = ()) -> list[str]:
    """Install what a notebook server brings; returns what the index has not got in the listed version."""
    pip = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    if versions == "lowest":
        named = {line.partition("==")[0] for line in also}
        also = [*(line for line in lowest() if line.partition("==")[0] not in named), *also]
    if also or versions != "colab":
        subprocess.run([*pip, *NEEDED, *also], check=True)
    if versions != "colab":
        return []
    lines = [s for s in LISTED.read_text(encoding="utf8").splitlines() if not s.startswith("#")]
    if not subprocess.run([*pip, *lines], capture_output=True).returncode:
        return []
    missing = []
    for line in lines:  # one by one, as something is missing
        if subprocess.run([*pip, line], capture_output=True).returncode:
            missing.append(line)
            subprocess.run([*pip, line.partition("==")[0]], check=True)
    return missing


def differences(stored: nbformat.NotebookNode, fresh: nbformat.NotebookNode) -> list[str]:
    """The cells whose output is not the stored one, but for those that are not compared."""
    found = []
    for k, (was, now) in enumerate(zip(stored.cells, fresh.cells, strict=True)):
        if was.cell_type != "code" or notebook_form.is_skipped(was):
            continue
        before, after = refresh.compared_text(was).strip(), refresh.compared_text(now).strip()
        if before != after:
            found.append(f"cell {k}: {before[-200:]!r} is now {after[-200:]!r}")
    return found


def first_seconds(notebook: nbformat.NotebookNode) -> float:
    """How long the first cell took, in which pip installs the wheel and what it needs."""
    for cell in notebook.cells:
        if times := cell.metadata.get("execution"):
            busy, idle = (
                datetime.datetime.fromisoformat(times[f"iopub.status.{w}"]) for w in ("busy", "idle")
            )
            return (idle - busy).total_seconds()
    return 0.0


def run(path: Path, folder: Path, kernel: str) -> tuple[float, list[str], float]:
    """Execute a copy of a chapter in a folder: its seconds, what differs, and its first cell's seconds."""
    stored, fresh = (nbformat.read(path, as_version=4) for _ in range(2))
    start = time.perf_counter()
    client = NotebookClient(
        fresh,
        timeout=7200,  # the first cell downloads gigabytes
        kernel_name=kernel,
        resources={"metadata": {"path": str(folder)}},
        extra_arguments=["--IPKernelApp.log_level=40"],  # as refresh.py: no warning of sockets
    )
    try:
        client.execute()
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        lines = [line for line in str(error).strip().splitlines() if line]
        found = [re.sub(r"\x1b\[[\d;]*m", "", lines[-1])]
        return time.perf_counter() - start, found, first_seconds(fresh)
    for cell in fresh.cells:
        if cell.cell_type == "code":
            cell.outputs = refresh.merge_streams(cell.outputs)
    return time.perf_counter() - start, differences(stored, fresh), first_seconds(fresh)


def name_kernel(python: Path, folder: Path) -> str:
    """Tell Jupyter of an environment's kernel; returns the kernel's name."""
    place = folder / "kernels" / "colab-like"
    place.mkdir(parents=True)
    argv = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = {"argv": argv, "display_name": "as on Colab", "language": "python"}
    (place / "kernel.json").write_text(json.dumps(spec), encoding="utf8")
    os.environ["JUPYTER_PATH"] = str(folder)
    return place.name


def told(python: Path) -> dict[str, str]:
    """The versions of Python and of what is installed for it."""
    asked = (
        "import importlib.metadata as m, json, sys; "
        "installed = {d.name.lower().replace('_', '-'): d.version for d in m.distributions()}; "
        "print(json.dumps({'python': '%d.%d.%d' % sys.version_info[:3], **installed}))"
    )
    done = subprocess.run([python, "-c", asked], capture_output=True, check=True, text=True)
    return json.loads(done.stdout)


def kept_environment(
    folder: Path, interpreter: str, versions: str, also: Sequence[str]
) -> tuple[Path, list[str]]:
    """The environment of an earlier run, without our package, or a new one; its Python, what was missing."""
    noted = folder / "ready.json"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if noted.exists():
        uninstall = [str(python), "-m", "pip", "uninstall", "-q", "-y", "neuron-to-assistant"]
        subprocess.run(uninstall, check=True)
        return python, json.loads(noted.read_text(encoding="utf8"))
    shutil.rmtree(folder, ignore_errors=True)  # what was interrupted
    python = make_environment(folder, interpreter)
    missing = install(python, versions, also)
    noted.write_text(json.dumps(missing), encoding="utf8")
    return python, missing


def session(
    interpreter: str,
    versions: str,
    notebooks: list[Path],
    also: Sequence[str] = (),
    keep: Path = KEPT,
    environments: Path | None = None,
) -> bool:
    """All chapters with one Python: a line for each, a row that is kept, and whether all were equal."""
    wheels = sorted((ROOT / "dist").glob("neuron_to_assistant-*.whl"), key=lambda p: p.stat().st_mtime)
    if not wheels:
        print("[colab] There is no wheel in dist/: run `make wheel` first.", file=sys.stderr)
        return False
    for name in ("PYTHONPATH", "VIRTUAL_ENV"):
        os.environ.pop(name, None)
    os.environ.setdefault(
        "PIP_QUIET", "2"
    )  # its warnings are of this machine's settings, not of the chapters
    with tempfile.TemporaryDirectory(prefix="colab-like-") as temporary:
        folder = Path(temporary)
        start = time.perf_counter()
        if versions == "here":
            python, missing = borrow(folder / "venv"), []
        else:
            name = "-".join([*Path(interpreter).parts[-3:], versions, *also]).strip("/")
            place = environments.resolve() / name if environments else folder / "venv"
            python, missing = kept_environment(place, interpreter, versions, also)
        kernel, content = name_kernel(python, folder / "jupyter"), folder / "content"
        content.mkdir()
        shutil.copy(wheels[-1], content)
        ready = time.perf_counter() - start
        print(f"[colab] Python {told(python)['python']}, {versions}: ready in {ready:.0f} s", flush=True)
        if missing:
            print(f"[colab] not on the index, newest instead: {', '.join(missing)}", flush=True)
        differ: dict[str, list[str]] = {}
        row: dict[str, Any] = {
            "date": f"{datetime.date.today()}",
            "processor": processor(),
            "versions": versions,
        }
        row |= {"also": [*also], "missing": missing, "seconds": 0.0, "chapters": 0, "differs": differ}
        for path in notebooks:
            seconds, found, first = run(path, content, kernel)
            if not row["chapters"]:  # in this one, pip installed the wheel and all that it needs
                row["install"] = round(ready + first)
                installed = told(python)
                row |= {name: installed.get(name, "–") for name in ("python", *SHOWN)}
                words = ", ".join(f"{name} {row[name]}" for name in SHOWN)
                print(f"[colab] the wheel and all it needs: {first:.0f} s more; {words}", flush=True)
                seconds -= first
            row["seconds"], row["chapters"] = round(row["seconds"] + seconds, 1), row["chapters"] + 1
            if found:
                differ[path.stem] = found
            print(f"[colab] {path.stem:<32} {seconds:6.1f} s  {'differs' if found else 'equal'}", flush=True)
            print("".join(f"          {line}\n" for line in found), end="", flush=True)
        kept = json.loads(keep.read_text(encoding="utf8")) if keep.exists() else []
        keep.parent.mkdir(exist_ok=True)
        keep.write_text(json.dumps([*kept, row], indent=1, ensure_ascii=False), encoding="utf8")
    return not differ


def main() -> int:
    """Run the chapters with each Python."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notebooks", nargs="*", type=Path)
    parser.add_argument("--versions", choices=["colab", "newest", "lowest", "here"], default="colab")
    parser.add_argument("--python", action="append", help="an interpreter; may be given several times")
    parser.add_argument("--also", action="append", default=[], help="a requirement, such as torch==2.9.0")
    parser.add_argument("--keep", type=Path, default=KEPT, help="the file to which the row is added")
    parser.add_argument("--environments", type=Path, help="a folder where they are kept, for the next run")
    options = parser.parse_args()
    notebooks = options.notebooks or sorted((ROOT / "notebooks").glob("*.ipynb"))
    pythons = options.python or [sys.executable]
    how = {"also": options.also, "keep": options.keep, "environments": options.environments}
    results = [session(p, options.versions, notebooks, **how) for p in pythons]
    print(f"[colab] {sum(results)} of {len(results)} Pythons without a difference")
    return 0 if all(results) else 1


if __name__ == "__main__":
    raise SystemExit(main())
