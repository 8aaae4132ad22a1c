"""The script that records the seconds of each chapter on a GPU, tried out on the CPU."""

import json

import gpu_status
import nbformat
from nbformat.v4 import new_code_cell, new_notebook


def written(path, *cells):
    nbformat.write(new_notebook(cells=[new_code_cell(c) for c in cells]), path)
    return path


def test_records_seconds_and_failures(tmp_path):
    fine = written(tmp_path / "01_fine.ipynb", "x = 1", "assert x == 1")
    broken = written(tmp_path / "02_broken.ipynb", "raise ValueError('no such thing')")
    out = tmp_path / "status.json"
    failed = gpu_status.main([str(fine), str(broken), "--out", str(out), "--any-device"])
    record = json.loads(out.read_text())
    assert failed == 1 and record["scale"] == "cpu" and record["device"].startswith("CPU")
    assert record["notebooks"]["01_fine"]["seconds"] > 0
    assert "no such thing" in record["notebooks"]["02_broken"]["failed"]


def test_refuses_without_a_gpu(tmp_path, capsys):
    assert gpu_status.main(["--out", str(tmp_path / "x.json")]) == 1
    assert "no CUDA device" in capsys.readouterr().out
    assert not (tmp_path / "x.json").exists()
