"""Run the tests as on other processors, one factor at a time, and print what differs: nothing may.

    python tools/portability.py                  # everything: hours
    python tools/portability.py avx2 units       # one factor, one part
    python tools/portability.py sensitive        # every factor, the unit tests that compare numbers closely
    python tools/portability.py parity           # every factor, the tests against other libraries: minutes

The factors: the kernels of torch without vectors (`default`) or with AVX2 (`avx2`), those of oneDNN
(`onednn`) and of the BLAS libraries (`blas`) of an older processor, and 2 and 4 threads; `native` is this
machine, with 1 thread. What is found is kept in .make/portability.json, so that parts that run one by
one make one table; copied to book/ledger/portability.json, it is the table of the status page.
"""

import datetime
import json
import platform
import re
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import run_tests

# Two processes test at a time: threads that wait must leave the processors to the other's.
PATIENT = {"OMP_WAIT_POLICY": "passive"}
FACTORS = {
    "native": {},
    "default": {"ATEN_CPU_CAPABILITY": "default"},
    "avx2": {"ATEN_CPU_CAPABILITY": "avx2"},
    "onednn": {"ONEDNN_MAX_CPU_ISA": "SSE41"},
    "blas": {"MKL_CBWR": "COMPATIBLE", "OPENBLAS_CORETYPE": "Nehalem"},
    "threads-2": {"OMP_NUM_THREADS": "2", "MKL_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"} | PATIENT,
    "threads-4": {"OMP_NUM_THREADS": "4", "MKL_NUM_THREADS": "4", "OPENBLAS_NUM_THREADS": "4"} | PATIENT,
}
# What a test file says that compares numbers as close as float32 allows.
CLOSE = re.compile(r"float32|bfloat16|rounding_gap|assert_close|allclose")
PARITY = [
    f"tests/{name}.py"
    for name in ("exchange/test_parity", "exchange/test_parity_record", "model/test_family")
]
VECTORS = {"avx512f": "AVX-512", "avx2": "AVX2", "asimd": "NEON"}  # the widest first
PARTS = ("parity", "sensitive", "units", "notebooks")
KEPT = run_tests.MAKE / "portability.json"


def processor(path: str | Path = "/proc/cpuinfo") -> str:
    """The name that the machine gives its processor, with its family and its widest vectors, if it says so.

    A rented machine may say no more than "AMD EPYC", of processors seven years apart.

    >>> len(processor()) > 2
    True
    """
    try:
        lines = re.findall(r"^([\w ]+?)\s*: (.*)$", Path(path).read_text(), re.MULTILINE)
    except OSError:
        lines = []
    said = dict(reversed(lines))  # the first processor's
    flags = said.get("flags", said.get("Features", "")).split()
    more = [f"family {said['cpu family']}"] if "cpu family" in said else []
    more += [name for flag, name in VECTORS.items() if flag in flags][:1]
    return ", ".join([said.get("model name") or platform.processor() or platform.machine(), *more])


def sensitive() -> list[str]:
    """The files of unit tests that compare float32 numbers closely.

    >>> "tests/exchange/test_parity.py" in sensitive(), "tests/setup/test_build.py" in sensitive()
    (True, False)
    """
    files = sorted((run_tests.ROOT / "tests").glob("*/test_*.py"))
    units = [path for path in files if path.parent.name != "pages"]
    return [
        path.relative_to(run_tests.ROOT).as_posix()
        for path in units
        if CLOSE.search(path.read_text(encoding="utf8"))
    ]


def command(part: str, name: str) -> list[str]:
    """What is run for a part; its report is named after it."""
    kind = part if part in ("units", "notebooks") else "units"
    [words] = run_tests.commands(kind)
    words = [w for w in words if not w.startswith("--durations")]
    words = [f"--junitxml=.make/junit/{name}.xml" if w.startswith("--junitxml") else w for w in words]
    if part != kind:
        words = [*words[: words.index("tests")], *(PARITY if part == "parity" else sensitive())]
    return words


def differences(report: Path) -> dict[str, str]:
    """The tests that failed, each with the first line of its reason."""
    found = {}
    for case in ET.parse(report).iter("testcase"):
        for trouble in (*case.findall("failure"), *case.findall("error")):
            lines = [line.strip() for line in (trouble.get("message") or "").splitlines() if line.strip()]
            found[f"{case.get('classname')}::{case.get('name')}"] = lines[0][:120] if lines else ""
    return found


def sweep(factor: str, part: str) -> dict:
    """One cell of the table."""
    name = f"portability-{part}-{factor}"
    report = run_tests.MAKE / "junit" / f"{name}.xml"
    report.unlink(missing_ok=True)
    print(
        f"\n[portability] {part}, {factor}: {FACTORS[factor] or 'this machine as it is, 1 thread'}",
        flush=True,
    )
    begin = time.perf_counter()
    # What torch compiled for one processor it would take up for another, and fail.
    compiled = {"TORCHINDUCTOR_CACHE_DIR": str(run_tests.MAKE / f"inductor-{factor}")}
    code, text = run_tests.run(command(part, name), FACTORS[factor] | compiled)
    passed, failed, _ = run_tests.counts(code, text, True)
    differs = differences(report) if report.exists() else {"pytest itself": text[-200:]}
    minutes = round((time.perf_counter() - begin) / 60, 1)
    return {
        "processor": processor(),
        "passed": passed,
        "failed": failed,
        "minutes": minutes,
        "date": f"{datetime.date.today()}",
        "differs": differs,
    }


def table(kept: dict[str, dict]) -> str:
    """All that is known, part by factor, and below it what differs.

    >>> row = {"processor": "P", "passed": 9, "failed": 1, "minutes": 0.5, "differs": {"a::b": "1 != 2"}}
    >>> print(table({"units avx2": row}))
    P
    part        factor       passed  failed  minutes
    units       avx2              9       1      0.5
    differs: units, avx2: a::b: 1 != 2
    """
    lines: list[str] = []
    for name in dict.fromkeys(row["processor"] for row in kept.values()):
        lines += [name, f"{'part':<12}{'factor':<11}{'passed':>8}{'failed':>8}{'minutes':>9}"]
        for key, row in kept.items():
            if row["processor"] == name:
                part, factor = key.split()[:2]
                counts = f"{row['passed']:>8}{row['failed']:>8}{row['minutes']:>9.1f}"
                lines.append(f"{part:<12}{factor:<11}{counts}")
    for key, row in kept.items():
        place = ", ".join(key.split()[:2])
        lines += [f"differs: {place}: {test}: {reason}" for test, reason in row["differs"].items()]
    return "\n".join(lines)


def main(words: list[str]) -> int:
    """Sweep what is asked for; everything by default."""
    if wrong := [word for word in words if word not in (*FACTORS, *PARTS)]:
        known = ", ".join((*FACTORS, *PARTS))
        print(f"[portability] There is no {wrong[0]!r}; there are {known}.", file=sys.stderr)
        return 2
    factors = [word for word in words if word in FACTORS] or list(FACTORS)
    parts = [word for word in words if word in PARTS] or ["units", "notebooks"]
    kept = json.loads(KEPT.read_text(encoding="utf8")) if KEPT.exists() else {}
    asked = [f"{part} {factor} {processor()}" for part in parts for factor in factors]
    for key in asked:
        part, factor, *_ = key.split()
        kept[key] = sweep(factor, part)
        KEPT.parent.mkdir(exist_ok=True)
        KEPT.write_text(json.dumps(kept, indent=1), encoding="utf8")
    print(f"\n{table(kept)}")
    return 1 if any(kept[key]["failed"] for key in asked) else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
