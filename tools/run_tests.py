"""Run every check of the project, say how it goes, and end with one line: `N passed, N failed`.

python tools/run_tests.py             # all of it
python tools/run_tests.py units pages # some of it: style, units, notebooks, book, pages
"""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "SUPPORT_DEVICE": "cpu",
    "PYTHONHASHSEED": "0",
    "MPLBACKEND": "agg",
    "PYTHONPATH": str(Path(__file__).resolve().parent),
}
PYTEST = [sys.executable, "-m", "pytest", "-q"]
KINDS = {
    "style": [
        [sys.executable, "-m", "ruff", "check", "."],
        [sys.executable, "-m", "ruff", "format", "--check", "."],
    ],
    "units": [
        [
            *(*PYTEST, "-n", "2", "--dist", "loadfile", "--doctest-modules", "--durations=8"),
            *("tests", "support", "tools/prose_numbers.py", "--ignore=tests/pages"),
        ]
    ],
    "notebooks": [
        [
            *(*PYTEST, "-n", "2", "--dist", "loadscope", "--nbval", "--nbval-cell-timeout=300"),
            *("-p", "watch_chapters"),
            *("--durations=0", "--durations-min=5", "notebooks"),
        ]
    ],
    "book": [[sys.executable, "tools/build_book.py"]],
    "pages": [[*PYTEST, "-n", "2", "tests/pages"]],
}
WHAT = {
    "style": "ruff: rules and layout",
    "units": "unit tests, oracles, doctests, and the tests of the notebooks' form",
    "notebooks": "every notebook executed, every stored output compared",
    "book": "the pages built, warnings are errors",
    "pages": "the pages opened in a browser",
}


def run(command: list[str]) -> tuple[int, str]:
    """Run a command, showing its lines as they come."""
    lines = []
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=os.environ | ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    for line in process.stdout:
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


def main() -> int:
    wanted = sys.argv[1:] or list(KINDS)
    start = time.perf_counter()
    rows = []
    for kind in wanted:
        print(f"\n[test] {kind}: {WHAT[kind]} ...", flush=True)
        begin = time.perf_counter()
        if kind == "notebooks":
            shutil.rmtree(ROOT / ".make" / "chapters", ignore_errors=True)
        total = [0, 0, 0]
        for command in KINDS[kind]:
            code, text = run(command)
            for i, n in enumerate(counts(code, text, "pytest" in command)):
                total[i] += n
        rows.append((kind, *total, (time.perf_counter() - begin) / 60))
    print(f"\n{'kind':<12}{'passed':>8}{'failed':>8}{'skipped':>8}{'minutes':>9}")
    for kind, passed, failed, skipped, minutes in rows:
        print(f"{kind:<12}{passed:>8}{failed:>8}{skipped:>8}{minutes:>9.1f}")
    passed, failed, skipped = (sum(row[i] for row in rows) for i in (1, 2, 3))
    minutes = (time.perf_counter() - start) / 60
    tail = f", {skipped} skipped" if skipped else ""
    print(f"\n{passed} passed, {failed} failed{tail} in {minutes:.1f} minutes")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
