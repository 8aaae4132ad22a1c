"""A record goes on where it stopped, starts afresh under other settings, and is never half written."""

import importlib

import pytest
import recording

from support import zoo
from support.core import InputError

reader = importlib.import_module("support.zoo.record")  # `support.zoo.record` is the function in it


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    for module in (reader, recording):
        monkeypatch.setattr(module, "FOLDER", tmp_path)
    return tmp_path


def test_goes_on_with_the_same_settings_and_starts_afresh_with_others():
    begun = recording.begin_record("study", [], steps=3)
    assert (begun["command"], begun["steps"], begun["runs"]) == ("python benchmarks/study.py", 3, [])
    begun["runs"].append({"seed": 0})
    recording.keep_record("study", begun)
    assert zoo.record("study") == begun == recording.begin_record("study", [], steps=3)
    assert recording.begin_record("study", [], steps=4)["runs"] == []
    assert recording.begin_record("study", [], steps=3, rate=1)["runs"] == []
    assert recording.begin_record("study", {}, under="arms", steps=4)["arms"] == {}


def test_a_write_that_fails_leaves_the_one_before(folder):
    recording.keep_record("study", {"runs": [1]})
    with pytest.raises(TypeError):
        recording.keep_record("study", {"runs": [object()]})
    assert zoo.record("study") == {"runs": [1]} and len(list(folder.iterdir())) == 1


def test_whole_matrices_may_stand_on_one_line(folder):
    recording.keep_record("study", {"rows": [[0.5, 1.0]]}, indent=None)
    assert (folder / "study.json").read_text(encoding="utf8") == '{"rows": [[0.5, 1.0]]}\n'


def test_a_record_that_is_not_there_is_named_with_those_that_are():
    recording.keep_record("study", {})
    with pytest.raises(InputError, match="no record 'other'; there are study"):
        zoo.record("other")
