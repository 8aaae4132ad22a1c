"""Run every check of the project, say how it goes, and end with one line: `N passed, N failed`.

python tools/run_tests.py             # all of it
python tools/run_tests.py units pages # some of it: style, types, units, notebooks, book, pages
python tools/run_tests.py --known styl # only say whether there is such a kind

It keeps .make/junit/KIND.xml, and .make/screenshots/ of the pages that failed. *style* needs nothing but
Python: where there is no ruff it makes itself a small environment in .make/style.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import time
import venv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAKE = ROOT / ".make"
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "SUPPORT_DEVICE": "cpu",
    "PYTHONHASHSEED": "0",
    "MPLBACKEND": "agg",
    "NUMBA_OPT": "0",  # what is compiled in tests runs for a moment
    "TORCHINDUCTOR_COMPILE_THREADS": "1",  # more would be processes that import torch, for one small file
    "PYTHONPATH": str(Path(__file__).resolve().parent),
    "PYTHONDONTWRITEBYTECODE": "",  # hundreds of processes import the same modules: each is compiled once
}
WORKER_GB = 1.5  # a process with torch and a chapter, or with a browser
LEFT_OUT = ("-p", "no:nbval")  # what only the notebooks need takes two seconds to import, in every process
WHAT = {
    "style": "ruff: rules and layout",
    "types": "mypy: the annotations of the package",
    "units": "unit tests, oracles, doctests, and the tests of the notebooks' form",
    "notebooks": "every notebook executed, every stored output compared",
    "book": "the pages built from nothing, warnings are errors",
    "pages": "the pages opened in a browser",
}


def workers(cpus: int | None = None, gigabytes: float | None = None) -> int:
    """How many processes test at a time: one for each processor that we may use and memory can feed.

    >>> workers(2, 16.0), workers(64, 16.0), workers(8, 0.5)
    (2, 10, 1)
    """
    if cpus is None:
        cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if gigabytes is None:
        known = hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names
        gigabytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e9 if known else 8.0
    return max(1, min(cpus, int(gigabytes / WORKER_GB)))


def ruff() -> list[str]:
    """The command ruff: of this environment, or of a small one that is made for it."""
    if importlib.util.find_spec("ruff"):
        return [sys.executable, "-m", "ruff"]
    folder = MAKE / "style"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    installed = (
        subprocess.run([python, "-m", "ruff", "--version"], capture_output=True, text=True)
        if (python.exists())
        else None
    )
    if not installed or installed.returncode:
        print("[test] Installing ruff alone in .make/style ...", flush=True)
        venv.create(folder, clear=True, with_pip=True)
        pip = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*pip, "-c", str(ROOT / "constraints.txt"), "ruff"], check=True)
    return [str(python), "-m", "ruff"]


def commands(kind: str) -> list[list[str]]:
    """What is run for a kind of check."""
    if kind == "style":
        return [[*ruff(), "check", "."], [*ruff(), "format", "--check", "."]]
    if kind == "types":
        return [[sys.executable, "-m", "mypy", "--cache-dir", str(MAKE / "mypy")]]
    if kind == "book":
        return [[sys.executable, "tools/build_book.py", "--clean"]]
    pytest = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n",
        str(workers()),
        f"--junitxml=.make/junit/{kind}.xml",
    ]
    if kind == "units":
        doctests = ["tests", "support", "tools/prose_numbers.py"]
        doctests += ["book/ext", "tools/run_tests.py", "tools/portability.py", "tools/colab_like.py"]
        doctests += ["tools/code_lines.py", "tools/page_head.py", "tools/table_widths.py"]
        options = ["--dist", "loadfile", "--doctest-modules", "--durations=8", "--ignore=tests/pages"]
        return [[*pytest, *LEFT_OUT, *options, *doctests]]
    if kind == "notebooks":
        options = ["--dist", "loadscope", "--nbval", "--nbval-cell-timeout=1200", "-p", "watch_chapters"]
        options += ["-p", "warm_kernels", "--nbval-sanitize-with", "tools/compared.cfg"]
        return [[*pytest, *options, "--durations=0", "--durations-min=5", "notebooks"]]
    # One process more than there are processors: a page that is looked at waits for its frames now and then.
    more = ["-n", str(workers() + 1), "--dist", "loadgroup", "--durations=12"]
    return [[*pytest, *LEFT_OUT, *more, "tests/pages"]]


def run(command: list[str], environment: dict[str, str] | None = None, show: bool = True) -> tuple[int, str]:
    """Run a command, showing its lines as they come or at its end; with more of an environment, if given."""
    lines = []
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=os.environ | ENVIRONMENT | (environment or {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    for line in process.stdout:
        if show:
            print(line, end="", flush=True)
        lines.append(line)
    return process.wait(), "".join(lines)


def counts(code: int, text: str, is_pytest: bool) -> tuple[int, int, int]:
    """Passed, failed and skipped of one command; a command that is no pytest run counts as one check."""
    if not is_pytest:
        return int(code == 0), int(code != 0), 0
    last = next(
        (line for line in reversed(text.splitlines()) if re.search(r"\d+ (passed|failed|error)", line)), ""
    )

    def number(*words: str) -> int:
        return sum(int(n) for n in re.findall(rf"(\d+) (?:{'|'.join(words)})\b", last))

    passed, failed, skipped = number("passed"), number("failed", "errors?"), number("skipped", "xfailed")
    if code and not failed:
        failed = 1  # pytest itself stopped: nothing collected, or an internal error
    return passed, failed, skipped


def unknown(kinds: list[str]) -> str:
    """The sentence that says which kinds there are, if one was asked for that there is not.

    >>> unknown(["units", "styl"])
    "There is no kind of test 'styl'; there are style, types, units, notebooks, book, pages."
    """
    wrong = ", ".join(repr(kind) for kind in kinds if kind not in WHAT)
    return f"There is no kind of test {wrong}; there are {', '.join(WHAT)}." if wrong else ""


def steps(wanted: list[str], processes: int) -> list[list[str]]:
    """The kinds one after the other; what uses one process each, beside the units, where there are two.

    >>> steps(["types", "units", "book"], 2), steps(["types", "units", "book"], 1)
    ([['units', 'book', 'types']], [['types'], ['units'], ['book']])
    >>> steps(["units", "notebooks", "book", "pages"], 2), steps(["types", "book", "pages"], 2)
    ([['units', 'book'], ['notebooks'], ['pages']], [['book', 'types'], ['pages']])
    """
    beside = [kind for kind in ("units", "book", "types") if kind in wanted]
    if processes < 2 or len(beside) < 2:
        return [[kind] for kind in wanted]
    first = min(beside, key=wanted.index)
    return [beside if kind == first else [kind] for kind in wanted if kind == first or kind not in beside]


def check(kind: str, show: bool = True) -> tuple[str, int, int, int, float]:
    """Run one kind: its name, passed, failed, skipped and minutes."""
    begin = time.perf_counter()
    if kind in ("notebooks", "pages"):
        old = {"notebooks": "chapters", "pages": "screenshots"}[kind]
        shutil.rmtree(MAKE / old, ignore_errors=True)
    total = [0, 0, 0]
    for command in commands(kind):
        code, text = run(command, {"CHECK_SIGNATURES": "no"} if kind == "pages" else None, show=show)
        if not show:
            print(f"[test] {kind}:\n{text}", end="", flush=True)
        for i, n in enumerate(counts(code, text, "pytest" in command)):
            total[i] += n
    return (kind, total[0], total[1], total[2], (time.perf_counter() - begin) / 60)


def main(arguments: list[str]) -> int:
    """Run the kinds that are wanted, and count."""
    wanted = [word for word in arguments if word != "--known"] or list(WHAT)
    if sentence := unknown(wanted):
        print(f"[test] {sentence}", file=sys.stderr)
        return 2
    if "--known" in arguments:
        return 0
    start = time.perf_counter()
    rows = []
    for step in steps(wanted, workers()):
        print(f"\n[test] {'; '.join(f'{kind}: {WHAT[kind]}' for kind in step)} ...", flush=True)
        if step == ["pages"] and any(kind == "book" and failed for kind, _, failed, *_ in rows):
            print("[test] The pages are not opened: the book was not built.", flush=True)
            rows.append(("pages", 0, 1, 0, 0.0))
            continue
        with ThreadPoolExecutor(len(step)) as pool:
            rows += pool.map(check, step, (kind == step[0] for kind in step))
    print(f"\n{'kind':<12}{'passed':>8}{'failed':>8}{'skipped':>8}{'minutes':>9}")
    for kind, passed, failed, skipped, minutes in rows:
        print(f"{kind:<12}{passed:>8}{failed:>8}{skipped:>8}{minutes:>9.1f}")
    passed, failed, skipped = (sum(row[i] for row in rows) for i in (1, 2, 3))
    minutes = (time.perf_counter() - start) / 60
    tail = f", {skipped} skipped" if skipped else ""
    print(f"\n{passed} passed, {failed} failed{tail} in {minutes:.1f} minutes")
    shots = sorted((MAKE / "screenshots").glob("*.png"))
    if failed and "pages" in wanted and shots:
        print(f"The pages that failed are shown in .make/screenshots ({len(shots)} pictures).")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
