"""The status page's tables of processors and of libraries, made from what was recorded."""

import json
from pathlib import Path

import portability
import pytest

ROOT = Path(__file__).resolve().parents[2]
LEDGER = ROOT / "book" / "ledger"


@pytest.fixture
def lines(monkeypatch, tmp_path):
    """What the directive writes of two files."""
    monkeypatch.syspath_prepend(str(ROOT / "book" / "ext"))
    import records

    monkeypatch.setattr(records, "ROOT", tmp_path)
    (tmp_path / "book" / "ledger").mkdir(parents=True)

    def made(**files):
        for name, data in files.items():
            (tmp_path / "book" / "ledger" / f"{name}.json").write_text(json.dumps(data))
        return records.Reach.lines(None)

    return made


def test_the_tables_say_what_was_run_what_differed_and_what_was_not_run(lines):
    everything = ", ".join(portability.FACTORS)
    told = "; ".join(f"{part} with {everything}" for part in portability.PARTS)
    assert lines() == ["Nothing has been recorded yet.", "", f"Not recorded yet: {told}.", ""]
    row = {"processor": "P", "passed": 9, "failed": 1, "minutes": 3.6, "date": "2026-11-22"}
    stack = {"torch": "2.15.0", "numpy": "2.5.1", "transformers": "5.23.0", "python": "3.12.1"}
    stack |= {"versions": "newest", "also": [], "install": 90, "seconds": 200.4, "chapters": 22}
    stack |= {"date": "2026-11-22", "differs": {"24_real_checkpoints": ["cell 3: 1 is now 2"]}}
    made = lines(portability={"units avx2 P": row | {"differs": {"a::b": "1 != 2"}}}, stacks=[stack])
    assert "| P | `ATEN_CPU_CAPABILITY=avx2` | units | 9 | 1 | 4 | 2026-11-22 | `a::b` |" in made
    told = told.replace(f"units with {everything}", f"units with {everything.replace('avx2, ', '')}")
    assert f"Not recorded yet: {told}." in made
    wanted = "| 3.12.1 | newest | torch 2.15.0, numpy 2.5.1, transformers 5.23.0 | 90 | 200 | 22 | 2026-11-22 |"
    assert f"{wanted} 24_real_checkpoints: cell 3: 1 is now 2 |" in made


@pytest.mark.parametrize("name", ["portability", "stacks"])
def test_what_differed_is_recorded_with_its_reason(name):
    rows = json.loads((LEDGER / f"{name}.json").read_text(encoding="utf8"))
    for row in rows.values() if isinstance(rows, dict) else rows:
        assert all(row["differs"].values()), row
        assert row.get("passed", row.get("chapters")) > 0 and row["date"] >= "2026-11-22"


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("cpu family\t: 25\nmodel name\t: AMD EPYC\nflags\t\t: fpu avx avx2 sha_ni\n", "AMD EPYC, family 25, AVX2"),
        ("cpu family\t: 26\nmodel name\t: AMD EPYC\nflags\t\t: avx2 avx512f\n", "AMD EPYC, family 26, AVX-512"),
        ("model name\t: ARMv8\nFeatures\t: fp asimd crc32\n", "ARMv8, NEON"),
    ],
)
def test_a_processor_is_told_from_others_of_its_name(tmp_path, lines, said):
    (tmp_path / "cpuinfo").write_text(f"processor\t: 0\n{lines}\nprocessor\t: 1\n{lines.replace(' avx2', '')}")
    assert portability.processor(tmp_path / "cpuinfo") == said
