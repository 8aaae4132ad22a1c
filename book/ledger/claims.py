"""The sources' claims: how one is written down, what our value is to the printed one, what code computes it.

A claim is a small function in one of the files beside this one, named like its id (`fs1_013`). It returns our
value. Its docstring says the claim in our words and, in a second paragraph, why the verdict is what it is:

    @claim(place="Ch.20 Quiz", chapter="03", stated=[0.1667, 0.3333, 0.5], within=0.01, verdict="overstated")
    def cg_442():
        \"""Softmax shares a cake by how much each has helped.

        By the exponential of it: who helped most gets two thirds.
        \"""
        return next_token([1.0, 2.0, 3.0])

What cannot be computed has no body and says how it was `checked`: "by reading" or "not possible". One
tolerance says when two values agree: `unit` (the last printed digit), `within`, `relative`, `above` or
`below`; without any they must be equal. `ours.json` holds our values as they were last written, so that the
errata page need not compute them and a test sees when one changes.
"""

import dataclasses
import functools
import importlib
import inspect
import json
import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from book.ledger import sources

FOLDER = Path(__file__).parent
OURS = FOLDER / "ours.json"
SOURCES = {part: name for source in sources.SOURCES for part, name in source.parts.items()}
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
# Beyond how many units of the last printed digit a difference is no longer one of rounding: a figure that is
# itself made of two or three rounded ones may be that far off.
ROUNDING_UNITS = 1.5


@dataclasses.dataclass(frozen=True, kw_only=True)
class Claim:
    """A claim with its verdict; `compute` gives our value (nothing, if it was checked in another way)."""

    id: str
    claim: str
    why: str
    place: str
    chapter: str
    stated: Any
    verdict: str
    compute: Callable[[], Any]
    section: str | None = None
    cell: str | None = None
    cell_in: str | None = None
    unit: Any = None
    within: float | None = None
    relative: float | None = None
    above: bool = False
    below: bool = False
    follows: str | None = None
    checked: str | None = None
    added: bool = False

    def __post_init__(self) -> None:
        for message in _faults(self):
            raise ValueError(f"{self.id}: {message}")

    @property
    def computed(self) -> bool:
        return self.checked is None

    @property
    def ours(self) -> Any:
        """Our value as it was last written."""
        return stored().get(self.id)


def _faults(it: Claim) -> list[str]:
    """What is missing or contradicts itself in a claim's form."""
    found = [f"empty {name}" for name in ("claim", "why", "place") if not getattr(it, name).strip()]
    if it.verdict not in VERDICTS:
        found.append(f"unknown verdict {it.verdict!r}")
    if it.checked not in (None, "by reading", "not possible"):
        found.append(f"unknown way of checking {it.checked!r}")
    if (it.checked == "not possible") != (it.verdict == "unverifiable"):
        found.append(f"checked {it.checked!r} and the verdict {it.verdict!r} contradict each other")
    if sum((it.unit is not None, it.within is not None, it.relative is not None, it.above, it.below)) > 1:
        found.append("more than one tolerance")
    return found


_CLAIMS: dict[str, Claim] = {}


def claim(**fields: Any) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    """Enter the function below into the ledger."""

    def enter(function: Callable[[], Any]) -> Callable[[], Any]:
        name = function.__name__.replace("_", "-")
        text, _, why = inspect.cleandoc(function.__doc__ or "").partition("\n\n")
        if name in _CLAIMS:
            raise ValueError(f"{name} stands in the ledger twice")
        _CLAIMS[name] = Claim(
            id=name, claim=" ".join(text.split()), why=" ".join(why.split()), compute=function, **fields
        )
        return function

    return enter


def files() -> list[Path]:
    """The files that hold claims."""
    return sorted(path for path in FOLDER.glob("*.py") if path.stem.split("_")[0] in SOURCES)


@functools.cache
def load() -> dict[str, list[Claim]]:
    """Every source's claims in the order of their numbers."""
    for path in files():
        importlib.import_module(f"book.ledger.{path.stem}")
    names = sorted(_CLAIMS)
    return {source: [_CLAIMS[n] for n in names if n.startswith(f"{source}-")] for source in SOURCES}


def claims() -> list[Claim]:
    return [it for part in load().values() for it in part]


def counts() -> dict[str, Counter]:
    """Each source with its number of claims for each verdict."""
    return {source: Counter(it.verdict for it in part) for source, part in load().items()}


# --- our values ------------------------------------------------------------------------------------------


@functools.cache
def stored() -> dict[str, Any]:
    """Our values as they were last written, by id."""
    return json.loads(OURS.read_text(encoding="utf8")) if OURS.exists() else {}


def store(values: dict[str, Any]) -> None:
    """Write our values, one line for each, so that a change shows as a line."""
    lines = (f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in values.items())
    OURS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf8")
    stored.cache_clear()


def recompute(it: Claim) -> Any:
    """The claim's value, in float64."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with np.errstate(over="ignore", invalid="ignore"), torch.random.fork_rng(devices=[]):
            return plain(it.compute())
    finally:
        torch.set_default_dtype(before)


def plain(value: Any) -> Any:
    """A value as JSON has it: ten digits, −∞ as text."""
    if isinstance(value, torch.Tensor):
        value = value.detach().numpy()
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, float):
        return float(f"{value:.10g}") + 0.0 if math.isfinite(value) else str(value)
    return value


def relation(ours: Any, it: Claim) -> str:
    """What ours is to the printed value: "agrees", "last digit" or "differs"."""
    mine, theirs = flat(ours), flat(it.stated)
    if len(mine) != len(theirs):
        return "differs"
    if not all(isinstance(x, (int, float)) for x in [*mine, *theirs]):
        return "agrees" if mine == theirs else "differs"
    mine, theirs = np.array(mine, dtype=float), np.array(theirs, dtype=float)
    with np.errstate(invalid="ignore"):
        gaps = np.where(mine == theirs, 0.0, np.abs(mine - theirs))  # equal also where both are infinite
    if it.above or it.below:
        beyond = mine > theirs if it.above else mine < theirs
        return "agrees" if beyond.all() else "differs"
    if it.unit is not None:
        steps = gaps / np.resize(np.array(flat(it.unit), dtype=float), len(mine))
        if (steps <= 0.5 + 1e-6).all():
            return "agrees"
        return "last digit" if (steps <= ROUNDING_UNITS + 1e-6).all() else "differs"
    allowed = 1e-9 * np.maximum(1, np.abs(theirs))
    if it.within is not None:
        allowed = it.within
    elif it.relative is not None:
        allowed = it.relative * np.abs(theirs) + 1e-12
    return "agrees" if (gaps <= allowed).all() else "differs"


def flat(value: Any) -> list[Any]:
    """The numbers of nested lists in a row."""
    if isinstance(value, (list, tuple)):
        return [x for v in value for x in flat(v)]
    return [{"-inf": -math.inf, "inf": math.inf}.get(value, value) if isinstance(value, str) else value]


def same(a: Any, b: Any) -> bool:
    """Are two values of ours the same, but for what another machine's last bits may change?"""
    a, b = flat(a), flat(b)
    return len(a) == len(b) and all(
        x == y or (math.isclose(x, y, rel_tol=1e-6, abs_tol=1e-8) if isinstance(x, (int, float)) else False)
        for x, y in zip(a, b, strict=True)
    )


def problems(it: Claim) -> list[str]:
    """Why this claim cannot stand: another value than the stored one, a verdict that does not follow."""
    if not it.computed:
        return []
    try:
        ours = recompute(it)
    except Exception as error:
        return [f"{it.id}: cannot be computed: {type(error).__name__}: {error}"]
    return judge(it, ours)


def judge(it: Claim, ours: Any) -> list[str]:
    """Is this value the stored one, and does the verdict follow from it?"""
    found = []
    if not same(ours, it.ours):
        found.append(f"{it.id}: our value is {_short(ours)}, not {_short(it.ours)}")
    now = relation(ours, it)
    if now not in FOLLOWS_FROM[it.verdict]:
        found.append(
            f"{it.id}: the verdict {it.verdict!r} does not follow: "
            f"printed {_short(it.stated)}, ours {_short(ours)} ({now})"
        )
    return found


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 90 else text[:87] + "…"
