"""The ledger of the sources' claims: recompute every one, and say whether its verdict follows.

usage: python tools/ledger.py [--write] [--table]

    (nothing)   recompute all; print what no longer follows; exit 1 if there is any
    --write     store our values anew (the verdicts are a reader's: they are never written)
    --table     print the count of claims by source and verdict, and how many go through `support`

The data are in book/ledger/claims, one file per source. An entry has: `id`, `place`, `claim` (in our words),
`stated`, `verdict`, `kind`, `why`, `chapter`, `topic`; and, if a machine can compute it, `by` (an expression
of `ledger_language` over the operations of `ledger_operations`), its `inputs`, `ours`, and one tolerance:
`unit` (the last printed digit), `within`, `relative`, `above` or `below`; none means exactly. Otherwise it
has `checked`: "by reading" or "not possible". `added` marks what the first reader's list did not have.
"""

import json
import math
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ledger_family  # noqa: F401 - adds its operations
import ledger_language
import ledger_studies  # noqa: F401 - adds its operations
import numpy as np
import torch
from ledger_operations import OPERATIONS, THROUGH

CLAIMS = Path(__file__).resolve().parents[1] / "book" / "ledger" / "claims"
SOURCES = {
    "fs1": "From scratch, part 1",
    "fs2": "From scratch, part 2",
    "wb1": "Workbench 1: attention",
    "wb2": "Workbench 2: embeddings",
    "wb3": "Workbench 3: the final step",
    "cg": "Complete guide",
    "sf": "Simply but faithfully",
}
# verdict → what must be true of ours against the printed value
FOLLOWS_FROM = {
    "holds": {"agrees"},
    "rounding": {"last digit"},
    "slip": {"differs"},
    "follows": {"differs", "last digit"},
    "conceptual": {"differs"},
    "overstated": {"differs"},
    "convention": {"differs"},
}
VERDICTS = {
    "holds": "holds",
    "rounding": "last digit",
    "slip": "slip",
    "follows": "follows from a slip",
    "conceptual": "conceptual",
    "overstated": "overstated",
    "convention": "convention",
    "unverifiable": "cannot be checked",
}
NEEDED = {"id", "place", "chapter", "topic", "claim", "stated", "verdict", "kind", "why"}
COMPUTED = {"by", "inputs", "ours"}
TOLERANCES = {"unit", "within", "relative", "above", "below"}
# Beyond how many units of the last printed digit a difference is no longer one of rounding: a figure that is
# itself made of two or three rounded ones may be that far off.
ROUNDING_UNITS = 1.5


def load(folder: Path = CLAIMS) -> dict[str, list[dict[str, Any]]]:
    """Every source's entries, in the order of `SOURCES`."""
    return {name: json.loads((folder / f"{name}.json").read_text(encoding="utf8")) for name in SOURCES}


def entries(folder: Path = CLAIMS) -> list[dict[str, Any]]:
    return [entry for part in load(folder).values() for entry in part]


def recompute(entry: dict[str, Any]) -> Any:
    """The entry's value, in float64."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        inputs = {name: _input(value) for name, value in entry["inputs"].items()}
        with np.errstate(over="ignore", invalid="ignore"), torch.random.fork_rng():
            return plain(ledger_language.compute(entry["by"], inputs, OPERATIONS))
    finally:
        torch.set_default_dtype(before)


def _input(value: Any) -> Any:
    """Lists of numbers are arrays; a list of words stays one."""
    if isinstance(value, list) and not _has_words(value):
        return _array(value)
    return value


def _has_words(value: Any) -> bool:
    if isinstance(value, list):
        return any(_has_words(v) for v in value)
    return isinstance(value, str) and value not in ("-inf", "inf")


def _array(value: list) -> Any:
    def number(x):
        if isinstance(x, list):
            return [number(v) for v in x]
        return -math.inf if x is None or x == "-inf" else x

    try:
        return np.array(number(value))
    except ValueError:  # rows of different length
        return number(value)


def plain(value: Any) -> Any:
    """A value as JSON has it: ten digits, −∞ as text."""
    if isinstance(value, torch.Tensor):
        value = value.detach().numpy()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, set):
        return sorted(plain(v) for v in value)
    if isinstance(value, float):
        if not math.isfinite(value):
            return str(value)
        return float(f"{value:.10g}") + 0.0
    return value


def relation(ours: Any, entry: dict[str, Any]) -> str:
    """What ours is to the printed value: "agrees", "last digit" or "differs"."""
    stated = entry["stated"]
    mine, theirs = _flat(ours), _flat(stated)
    if len(mine) != len(theirs):
        return "differs"
    if not all(_is_number(x) for x in [*mine, *theirs]):
        return "agrees" if [_word(x) for x in mine] == [_word(x) for x in theirs] else "differs"
    mine, theirs = np.array(mine, dtype=float), np.array(theirs, dtype=float)
    same = mine == theirs  # also where both are infinite
    with np.errstate(invalid="ignore"):
        gaps = np.where(same, 0.0, np.abs(mine - theirs))
    if "above" in entry:
        return "agrees" if bool((mine > theirs).all()) else "differs"
    if "below" in entry:
        return "agrees" if bool((mine < theirs).all()) else "differs"
    if "unit" in entry:
        units = np.array(_flat(entry["unit"]), dtype=float)
        units = np.full(len(mine), units[0]) if len(units) == 1 else _spread(units, len(mine))
        steps = gaps / units
        if (steps <= 0.5 + 1e-6).all():
            return "agrees"
        return "last digit" if (steps <= ROUNDING_UNITS + 1e-6).all() else "differs"
    if "within" in entry:
        return "agrees" if (gaps <= entry["within"]).all() else "differs"
    if "relative" in entry:
        return "agrees" if (gaps <= entry["relative"] * np.abs(theirs) + 1e-12).all() else "differs"
    return "agrees" if (gaps <= 1e-9 * np.maximum(1, np.abs(theirs))).all() else "differs"


def _spread(units: np.ndarray, size: int) -> np.ndarray:
    return units if len(units) == size else np.resize(units, size)


def _flat(value: Any) -> list[Any]:
    if isinstance(value, list):
        return [x for v in value for x in _flat(v)]
    return [-math.inf if value is None or value == "-inf" else math.inf if value == "inf" else value]


def _is_number(x: Any) -> bool:
    return isinstance(x, (int, float))


def _word(x: Any) -> Any:
    return float(x) if _is_number(x) else x


def same(a: Any, b: Any) -> bool:
    """Are two values of ours the same, but for what another machine's last bits may change?"""
    a, b = _flat(a), _flat(b)
    if len(a) != len(b):
        return False
    for x, y in zip(a, b, strict=True):
        if _is_number(x) and _is_number(y):
            if x != y and not math.isclose(x, y, rel_tol=1e-6, abs_tol=1e-8):
                return False
        elif x != y:
            return False
    return True


def problems(entry: dict[str, Any]) -> list[str]:
    """Why this entry cannot stand: its form, another value than ours, a verdict that does not follow."""
    found = form(entry)
    if found or "by" not in entry:
        return found
    try:
        ours = recompute(entry)
    except Exception as error:
        return [f"{entry['id']}: cannot be computed: {type(error).__name__}: {error}"]
    return judge(entry, ours)


def judge(entry: dict[str, Any], ours: Any) -> list[str]:
    """Is this value the stored one, and does the verdict follow from it?"""
    found = []
    if not same(ours, entry["ours"]):
        found.append(f"{entry['id']}: our value is {_short(ours)}, not {_short(entry['ours'])}")
    now = relation(ours, entry)
    if now not in FOLLOWS_FROM[entry["verdict"]]:
        found.append(
            f"{entry['id']}: the verdict {entry['verdict']!r} does not follow: "
            f"printed {_short(entry['stated'])}, ours {_short(ours)} ({now})"
        )
    return found


def form(entry: dict[str, Any]) -> list[str]:
    """What is missing or unknown in an entry's form."""
    name = entry.get("id", "?")
    found = [f"{name}: no {key}" for key in sorted(NEEDED - set(entry))]
    if found:
        return found
    if entry["verdict"] not in VERDICTS:
        found.append(f"{name}: unknown verdict {entry['verdict']!r}")
    if "by" in entry:
        found += [f"{name}: no {key}" for key in sorted(COMPUTED - set(entry))]
        if entry["verdict"] == "unverifiable":
            found.append(f"{name}: has a computation, so it can be checked")
        if len(TOLERANCES & set(entry)) > 1:
            found.append(f"{name}: more than one tolerance")
    elif entry.get("checked") not in ("by reading", "not possible"):
        found.append(f"{name}: neither a computation nor how it was checked")
    elif (entry["checked"] == "not possible") != (entry["verdict"] == "unverifiable"):
        found.append(f"{name}: {entry['checked']} and {entry['verdict']!r} contradict each other")
    for key in ("claim", "why", "place"):
        if not str(entry[key]).strip():
            found.append(f"{name}: empty {key}")
    return found


def through(entry: dict[str, Any]) -> list[str]:
    """The public callables of `support` that an entry names."""
    if "by" not in entry:
        return []
    used = ledger_language.names(entry["by"]) - set(entry["inputs"])
    return sorted({path for name in used if name in THROUGH for path in _paths(THROUGH[name])})


def _paths(value: str) -> list[str]:
    return value.split()


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 90 else text[:87] + "…"


def dump(part: list[dict[str, Any]]) -> str:
    """A file's text: one line for each field, so that a change shows as a line."""
    blocks = []
    for entry in part:
        lines = [f"  {json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in entry.items()]
        blocks.append("{\n" + ",\n".join(lines) + "\n}")
    return "[\n" + ",\n".join(blocks) + "\n]\n"


def counts(folder: Path = CLAIMS) -> Iterator[tuple[str, Counter]]:
    """Each source with its number of entries for each verdict."""
    for name, part in load(folder).items():
        yield name, Counter(entry["verdict"] for entry in part)


def main() -> int:
    if "--write" in sys.argv:
        for name, part in load().items():
            for entry in part:
                if "by" in entry:
                    entry["ours"] = recompute(entry)
            (CLAIMS / f"{name}.json").write_text(dump(part), encoding="utf8")
    everything = entries()
    found = [line for entry in everything for line in problems(entry)]
    print(*found, sep="\n")
    if "--table" in sys.argv:
        for name, count in counts():
            counted = (f"{verdict} {count[verdict]:4}" for verdict in VERDICTS)
            print(f"{SOURCES[name]:28}", *counted, sum(count.values()))
    computed = [e for e in everything if "by" in e]
    named = [e for e in computed if through(e)]
    share = 100 * len(named) / len(computed)
    print(
        f"{len(everything)} claims, {len(computed)} computed, {len(named)} ({share:.0f}%) through support, "
        f"{len(found)} problems"
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
