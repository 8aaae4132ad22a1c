"""The parity table that chapter 24 shows is whole, and says what the tests say."""

from support import zoo


def test_every_shape_is_in_the_record_and_within_bounds(script):
    parity, runs = script("parity"), zoo.record("parity")["runs"]
    assert [(r["architecture"], r["shape"]) for r in runs] == [*parity.CASES, *parity.LARGE]
    for row in runs:
        assert max(row["float32"], row["back"], row["generation"]) < 1e-4 and row["peak"] > 0.35
        assert max(row["float64"], row["cached"]) < 1e-10


def test_a_row_measured_anew_agrees(script):
    parity = script("parity")
    row = next(r for r in zoo.record("parity")["runs"] if r["architecture"] == "mixtral")
    size, *gaps, peak = parity.measure("mixtral", parity.SHAPES["mixtral"][row["shape"]])
    assert size == row["parameters"] and abs(peak - row["peak"]) < 0.02
    bounds = dict(zip(parity.COLUMNS, (1e-4, 1e-11, 1e-4, 1e-10, 1e-4), strict=True))
    assert all(gap < bounds[name] for name, gap in zip(parity.COLUMNS, gaps, strict=True))
