"""Build the pages into _build/html; any warning is an error, and so is a stored output that is one.

python tools/build_book.py           # reads and writes what has changed since the last good build
python tools/build_book.py --clean   # from nothing, as CI does

Sphinx works in .make/book, on a copy of what the last good build left there; the pages take the place of the
old ones when all went well. A build that fails or is interrupted leaves both as they were.
"""

import argparse
import hashlib
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import index_page
import lean_pages
import live_stills
import page_policy
import search_weights
import take_away

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "_build" / "html"
WORK = ROOT / ".make" / "book"  # Sphinx's own: doctrees, pages as they were written
BEFORE = ROOT / ".make" / "book.before"  # a copy of it while a build runs
STAMP = "inputs.json"
# A change here is a change of every page: the builder and its settings. And what each page is made from.
BUILDER = ("_config.yml", "_toc.yml", "book/ext/*.py", "book/references.bib", "tools/*.py", "tools/*.js")
SOURCES = ("book/**/*", "notebooks/*.ipynb", "support/**/*", ".make/chapters/*.json")
# jupyter-book's command, without its script: that begins with the path of the Python it was installed for.
# Pages are trees of hundreds of thousands of objects, through which the collector of garbage would go all the
# time, a quarter of the build; what it finds is little.
SPHINX = (
    "import gc, sys; gc.set_threshold(200_000, 20, 100);"
    "from jupyter_book.cli.main import main; main(sys.argv[1:])"
)
# jupyter-book's own has no title, and no icon, for which a browser then asks in vain.
FRONT_DOOR = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>From One Neuron to an Assistant</title>
<link rel="icon" href="data:,">
<meta http-equiv="refresh" content="0; url=book/index.html">
</head>
<body><a href="book/index.html">From One Neuron to an Assistant</a></body>
</html>
"""


def digest(patterns: Iterable[str], *more: str) -> str:
    """Of the names and contents of all files that fit, and of some words."""
    whole = hashlib.sha256("\n".join(more).encode())
    for path in sorted({p for pattern in patterns for p in ROOT.glob(pattern)}):
        if path.is_file() and not {"__pycache__", ".runs", ".ipynb_checkpoints"} & set(path.parts):
            whole.update(
                f"{path.relative_to(ROOT)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode()
            )
    return whole.hexdigest()


def inputs() -> dict[str, str]:
    """What the pages are made by, and what from."""
    versions = sorted(f"{d.name}=={d.version}" for d in importlib.metadata.distributions())
    assets = sorted(p.name for p in (ROOT / "book" / "assets").rglob("*"))
    return {
        "builder": digest(BUILDER, sys.version, str(ROOT), *versions, *assets),
        "sources": digest(SOURCES),
    }


def stamp(folder: Path) -> dict[str, str]:
    """What a folder was made from; empty if it is not finished."""
    try:
        return json.loads((folder / STAMP).read_text(encoding="utf8"))
    except (OSError, ValueError):
        return {}


def stored_errors() -> list[str]:
    """A sentence for each stored output that is an error: Sphinx would print it without a word."""
    found = []
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf8"))["cells"]
        for k, cell in enumerate(cells):
            for output in cell.get("outputs", []):
                if output["output_type"] == "error":
                    what = f"{output.get('ename', 'error')}: {output.get('evalue', '')}".strip(": ")
                    found.append(f"{path.relative_to(ROOT)}, cell {k}: a stored error output ({what[:120]})")
    return found


def sphinx() -> str:
    """Run it in the work folder; returns what it complains about, empty if nothing."""
    command = [
        sys.executable,
        "-c",
        SPHINX,
        "build",
        ".",
        "--path-output",
        str(WORK),
        "-W",
        "--keep-going",
        "-n",
    ]
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": path}
    )
    text = done.stdout + done.stderr
    (ROOT / ".make" / "book.log").write_text(text, encoding="utf8")
    warnings = [line for line in text.splitlines() if "WARNING" in line or "ERROR" in line]
    if not (done.returncode or warnings):
        return ""
    if warnings:
        head = f"Failed with {len(warnings)} warning(s)"
    else:
        head = f"Failed: status {done.returncode}, and no warning; the last lines"
    lines = warnings[:25] or [line for line in text.splitlines() if line.strip()][-25:]
    return "\n".join([f"[book] {head}:", *lines, "All lines are in .make/book.log."])


def write_offline_script(out: Path) -> None:
    """The script that keeps the site for a reader who asks for it: it names every file of this build.

    Each page learns which build it belongs to, and how many megabytes its button would fetch.
    """
    files = [p for p in sorted(out.rglob("*")) if p.is_file() and p.suffix not in (".inv", ".js.map")]
    files = [p for p in files if not p.name.startswith(".") and p.relative_to(out).parts[0] != "take"]
    names = [p.relative_to(out).as_posix() for p in files if p.name not in ("offline.js", "build.txt")]
    whole = hashlib.sha256()
    for path in files:
        whole.update(path.read_bytes())
    version = whole.hexdigest()[:12]
    megabytes = sum(p.stat().st_size for p in files) / 1e6
    for page in (p for p in files if p.suffix == ".html"):
        text = page.read_text(encoding="utf8").replace("@MEGABYTES@", f"{megabytes:.0f}")
        text = re.sub(r"</title>", f'</title>\n<meta name="build" content="{version}">', text, count=1)
        page.write_text(text, encoding="utf8")
    (out / "build.txt").write_text(f"{version}\n", encoding="utf8")
    script = (ROOT / "tools" / "offline.js").read_text(encoding="utf8")
    script = script.replace("@VERSION@", version).replace("@FILES@", json.dumps(["./", *names]))
    (out / "offline.js").write_text(script, encoding="utf8")


def drop_old_pictures(out: Path) -> None:
    """Pictures of an earlier build that no page shows any more."""
    shown = set()
    for page in out.rglob("*.html"):
        shown |= set(re.findall(r"_images/([^\"'?#)]+)", page.read_text(encoding="utf8")))
    for path in (out / "_images").glob("*"):
        if path.name not in shown:
            path.unlink()


def publish(made: dict[str, str]) -> None:
    """Finish a copy of what Sphinx wrote, and put it in the place of the old pages."""
    new, old = PAGES.with_name("html.new"), PAGES.with_name("html.old")
    for folder in (new, old):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(WORK / "_build" / "html", new)
    (new / "index.html").write_text(FRONT_DOOR, encoding="utf8")
    drop_old_pictures(new)
    live_stills.write(new)
    search_weights.write(new)
    index_page.write(new)
    lean_pages.write(new)
    page_policy.write(new)
    take_away.write(new)
    write_offline_script(new)
    if PAGES.exists():
        PAGES.rename(old)
    new.rename(PAGES)
    shutil.rmtree(old, ignore_errors=True)
    (PAGES.parent / STAMP).write_text(json.dumps(made), encoding="utf8")


def build(clean: bool, made: dict[str, str]) -> str:
    """Bring the work folder up to date; returns complaints. If there are any, it is put back as it was."""
    if BEFORE.exists():  # the last build was interrupted
        shutil.rmtree(WORK, ignore_errors=True)
        BEFORE.rename(WORK)
    if clean or stamp(WORK).get("builder") != made["builder"]:
        shutil.rmtree(WORK, ignore_errors=True)
    part = BEFORE.with_name("book.copying")
    shutil.rmtree(part, ignore_errors=True)
    if WORK.exists():
        shutil.copytree(WORK, part)
    else:
        part.mkdir(parents=True)
    part.rename(BEFORE)
    complaints = sphinx()
    if complaints:
        shutil.rmtree(WORK, ignore_errors=True)
        BEFORE.rename(WORK)
    else:
        (WORK / STAMP).write_text(json.dumps(made), encoding="utf8")
        shutil.rmtree(BEFORE)
    return complaints


def size_of(out: Path) -> str:
    """How many pages there are, and their megabytes."""
    megabytes = sum(p.stat().st_size for p in out.rglob("*") if p.is_file()) / 1e6
    return f"{len(list(out.rglob('*.html')))} pages, {megabytes:.1f} MB"


def main() -> int:
    """Build; on failure show the warnings and the errors, on success the size of the site."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clean", action="store_true", help="from nothing")
    clean = parser.parse_args().clean
    start = time.perf_counter()
    (ROOT / ".make").mkdir(exist_ok=True)
    made = inputs()
    if not clean and PAGES.exists() and stamp(PAGES.parent) == made:
        print(f"[book] {size_of(PAGES)}, nothing has changed: open _build/html/index.html")
        return 0
    print("[book] Building the pages (a minute from nothing; the stored outputs are used) ...", flush=True)
    complaints = "\n".join(stored_errors())
    if complaints:
        print(f"{complaints}\n[book] Failed: an error is stored in a notebook.", file=sys.stderr)
    elif complaints := build(clean, made):
        print(complaints, file=sys.stderr)
    if complaints:
        kept = "the pages of the last good build are kept" if PAGES.exists() else "there are no pages yet"
        print(f"[book] {kept[0].upper()}{kept[1:]}.", file=sys.stderr)
        return 1
    publish(made)
    seconds = time.perf_counter() - start
    print(f"[book] {size_of(PAGES)}, {seconds:.0f} s, no warning: open _build/html/index.html")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
