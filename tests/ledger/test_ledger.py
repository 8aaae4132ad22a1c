"""Every claim is recomputed, every verdict follows, and whatever is spoiled is noticed."""

import dataclasses
import importlib
import json
import re
from collections import Counter

import ledger_cells
import numpy as np
import plan
import pytest
import torch

from book.ledger import claims, code
from book.ledger.claims import Claim

EVERYTHING = claims.claims()
COMPUTED = [it for it in EVERYTHING if it.computed]
BY_ID = {it.id: it for it in EVERYTHING}
WRONG = ("slip", "follows", "conceptual", "overstated", "convention")


@pytest.mark.parametrize("source", claims.SOURCES)
def test_every_claim_stands(source):
    part = claims.load()[source]
    assert part
    assert [line for it in part for line in claims.problems(it)] == []


def test_nothing_is_lost():
    """As many as the first reader wrote down, and a value of ours for each that computes one."""
    assert len(EVERYTHING) >= 942
    assert sorted(claims.stored()) == sorted(it.id for it in COMPUTED)
    assert all(it.compute() is None for it in EVERYTHING if not it.computed)


def test_a_claim_stands_in_the_file_of_its_source():
    for it in EVERYTHING:
        assert it.compute.__module__.split(".")[-1].split("_")[0] == it.id.split("-")[0]


def test_an_id_is_used_once():
    function = EVERYTHING[0].compute
    with pytest.raises(ValueError, match="twice"):
        claims.claim(place="here", chapter="01", stated=1, verdict="holds")(function)


def test_chapters_and_sections_exist():
    chapters = plan.chapters()
    for it in EVERYTHING:
        assert it.chapter in chapters, it.id
        path = plan.notebook(chapters[it.chapter][0])
        if it.section and path.exists():
            cells = json.loads(path.read_text(encoding="utf8"))["cells"]
            prose = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
            found = re.sub(r"<!--.*?-->|[*_`$]", "", prose)
            assert re.search(rf"^#{{2,3}} +{re.escape(it.section)}\s*$", found, re.M), it.id


def test_what_follows_names_the_slip():
    for it in EVERYTHING:
        if it.verdict == "follows":
            cause = BY_ID[it.follows]
            assert cause.verdict in ("slip", "follows", "conceptual") and cause.id != it.id


@pytest.mark.parametrize("it", [it for it in EVERYTHING if it.cell], ids=lambda it: it.id)
def test_a_named_cell_is_there(it):
    """What a claim names stands in one cell of the chapter, and the page shows that cell."""
    found = ledger_cells.with_code(ledger_cells.chapter_of(it), it.cell)
    assert len(found) == 1, f"{len(found)} cells of {ledger_cells.chapter_of(it)} hold {it.cell!r}"
    assert ledger_cells.find(it) == found[0]["id"]


def test_most_errors_name_the_cell_that_works_them():
    """Those in written chapters that can be computed; the others are worked on the errata page itself."""
    wrong = [it for it in COMPUTED if it.verdict in WRONG and plan.cells(plan.chapters()[it.chapter][0])]
    assert sum(it.cell is not None for it in wrong) >= 0.75 * len(wrong)


def test_a_cell_that_is_not_there_is_not_found():
    it = next(it for it in EVERYTHING if it.cell)
    assert ledger_cells.find(dataclasses.replace(it, cell="no such code")) is None
    assert ledger_cells.find(dataclasses.replace(it, cell="=")) is None  # in more than one
    hidden = next(c for c in plan.cells("06_vocabulary") if "remove-cell" in c["metadata"].get("tags", []))
    piece = "".join(hidden["source"]).splitlines()[0]
    assert ledger_cells.with_code("06_vocabulary", piece)
    assert ledger_cells.find(dataclasses.replace(it, chapter="06", cell=piece, cell_in=None)) is None


def test_an_edited_piece_of_code_is_found_again():
    it = next(it for it in EVERYTHING if len(it.cell or "") > 30)
    name, line = ledger_cells.nearest(dataclasses.replace(it, cell="x" + it.cell[:-2]))[0]
    assert name == ledger_cells.find(it) and it.cell in line


# --- the code that a reader sees ---------------------------------------------------------------------------


def test_the_code_shown_is_the_code_that_computes():
    """Run what the page shows of each claim: it gives the claim's value."""
    different = []
    for it in COMPUTED:
        space = dict(it.compute.__globals__)
        exec(code.constants(it.compute), space)
        lines = "\n    ".join(code.body(it.compute).splitlines())
        exec(f"def shown():\n    {lines}\n", space)
        value = claims.recompute(dataclasses.replace(it, compute=space["shown"]))
        different += [] if claims.same(value, it.ours) else [it.id]
    assert different == []


def test_the_shown_result_is_what_the_function_returns():
    assert code.result(BY_ID["cg-143"].compute) == "22026 + 148 + 7.4"
    assert "WE = np.array(" in code.constants(BY_ID["fs2-165"].compute)
    assert code.constants(BY_ID["cg-143"].compute) == ""


# --- a spoiled entry is caught -----------------------------------------------------------------------------


def first(verdict: str) -> Claim:
    return next(it for it in COMPUTED if it.verdict == verdict)


@pytest.mark.parametrize("it", COMPUTED, ids=lambda it: it.id)
def test_a_truth_is_no_number(it):
    """The page says *yes* or *no*; a reader cannot know what 0 or 1 stands for."""
    result = code.result(it.compute)
    assert not re.search(r"int\(.*([<>]|==|isfinite|isclose|allclose|any\(|all\()", result), result


@pytest.mark.parametrize("verdict", claims.FOLLOWS_FROM)
def test_a_wrong_verdict_is_caught(verdict):
    """Each kind of claim under every verdict that says something else about the numbers."""
    it = first(verdict)
    assert claims.problems(it) == []
    now = claims.relation(it.ours, it)
    for other, relations in claims.FOLLOWS_FROM.items():
        if now not in relations:
            assert claims.problems(dataclasses.replace(it, verdict=other)), other


def other_than(value):
    """Something that is not the value: by more than any tolerance."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value * 3 + 7
    if isinstance(value, list) and value:
        return [other_than(value[0]), *value[1:]]
    return "something else"


def exact(verdicts) -> list[Claim]:
    return [it for it in COMPUTED if it.verdict in verdicts and not it.above and not it.below]


def test_a_wrong_printed_value_is_caught():
    for it in exact(("holds", "rounding")):
        assert claims.judge(dataclasses.replace(it, stated=other_than(it.stated)), it.ours), it.id


def test_a_printed_value_that_is_right_after_all_is_caught():
    for it in exact(WRONG):
        assert claims.judge(dataclasses.replace(it, stated=it.ours), it.ours), it.id


def test_a_wrong_value_of_ours_is_caught():
    for it in COMPUTED:
        assert claims.judge(it, other_than(it.ours)), it.id


@pytest.mark.parametrize("verdict", claims.FOLLOWS_FROM)
def test_a_spoiled_computation_is_caught(verdict):
    it = first(verdict)
    assert claims.problems(dataclasses.replace(it, compute=lambda: no_such_function(1)))
    assert claims.problems(dataclasses.replace(it, compute=lambda: [it.compute(), 1]))


@pytest.mark.parametrize(
    "change",
    [
        {"why": " "},
        {"place": ""},
        {"claim": ""},
        {"verdict": "nearly"},
        {"verdict": "unverifiable"},
        {"checked": "not possible"},
        {"checked": "by ear"},
        {"unit": 0.1, "within": 0.1},
    ],
)
def test_a_form_that_contradicts_itself_is_refused(change):
    with pytest.raises(ValueError, match=first("holds").id):
        dataclasses.replace(first("holds"), **change)


def test_a_reading_that_claims_too_much_is_refused():
    read = next(it for it in EVERYTHING if it.checked == "by reading")
    unknown = next(it for it in EVERYTHING if it.verdict == "unverifiable")
    for it, change in (
        (read, {"verdict": "unverifiable"}),
        (unknown, {"verdict": "holds"}),
        (unknown, {"checked": None}),
    ):
        with pytest.raises(ValueError, match="contradict"):
            dataclasses.replace(it, **change)


# --- what goes through the package -------------------------------------------------------------------------


def drifted(value, count):
    """A result that is wrong, and each time in another way."""
    if isinstance(value, torch.Tensor):
        ramp = torch.arange(1, value.numel() + 1, dtype=value.dtype).reshape(value.shape)
        return (value.flip(-1) if value.dim() else value) * (1.7 + count) - (0.3 + 0.13 * count) * ramp
    if isinstance(value, np.ndarray):
        return value * 1.7 + 0.3 * count + np.arange(value.size).reshape(value.shape)
    return [*value, count] if isinstance(value, list) else -value * 1.7 + 0.3 * count


def large(value, count):
    """A result that is much too large."""
    return [*value, *value] if isinstance(value, list) else value * 3 + 5 + count


def blank(value, count):
    """A result that says nothing."""
    return [count] * len(value) if isinstance(value, list) else value * 0


def spoil(value, count, way):
    """The same for what holds results: pairs, modules, maps, tokenizers."""
    if isinstance(value, tuple):
        return tuple(spoil(v, count, way) for v in value)
    if isinstance(value, torch.Tensor) and value.dtype == torch.bool:
        return ~value
    if isinstance(value, torch.nn.Module):
        value.register_parameter("stray", torch.nn.Parameter(torch.zeros(7 + count)))
        value.register_forward_hook(lambda _module, _given, out: spoil(out, count, way))
        for name in ("with_weights", "split", "n_parameters"):
            if hasattr(value, name):
                setattr(value, name, spoiled(getattr(value, name), lambda out, _: way(out, count)))
        return value
    if hasattr(value, "encode"):
        value.encode = spoiled(value.encode, way)
        return value
    if hasattr(value, "points"):
        return type(value)(way(value.points, count), value.share, value.axes, way(value.shares, count))
    return way(value, count)


def spoiled(function, way):
    """A callable whose results are spoiled."""
    count = 0

    def wrapped(*arguments, **named):
        nonlocal count
        count += 1
        return spoil(function(*arguments, **named), count, way)

    return wrapped


NAMED = Counter(path for it in COMPUTED for path in code.through(it.compute))


@pytest.mark.parametrize("path", sorted(NAMED))
def test_spoiling_a_callable_spoils_the_claims_that_go_through_it(path, monkeypatch):
    """A claim names what it goes through by its code; put something wrong there, and the claim fails."""
    module, _, name = path.rpartition(".")
    owner = importlib.import_module(module)
    assert name in owner.__all__
    left = {it.id: it for it in COMPUTED if path in code.through(it.compute)}
    right = getattr(owner, name)
    for way in (drifted, blank, large):
        monkeypatch.setattr(owner, name, spoiled(right, way))
        left = {key: it for key, it in left.items() if not claims.problems(it)}
    # What survives asks only for an order or a sign, or for what every rotation keeps.
    assert len(left) <= max(1, 0.15 * NAMED[path]), sorted(left)
