"""Making .venv: with a stub for pip, each thing that can go wrong and what is said about it."""

import ast
import json
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import environment
import pytest

ROOT = Path(__file__).resolve().parents[2]


def installs(calls):
    return [json.loads(c) for c in calls if '"install"' in c]


def test_it_is_made_once_and_counts_every_package(project):
    code, said, calls = project.run("book")
    assert code == 0, said
    assert "[env] 3 packages to install" in said and "Ready: 3 packages in" in said
    assert [c[-1] for c in installs(calls)] == [".[book]"]
    assert project.run("book") == (0, "", [])


def test_the_book_is_built_without_what_only_the_tests_need():
    makefile = (ROOT / "Makefile").read_text(encoding="utf8")
    assert "\nbook:\n\t@$(PYTHON) tools/environment.py book\n" in makefile
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"][
        "optional-dependencies"
    ]
    assert not any("playwright" in line or "pytest" in line or "test]" in line for line in extras["book"])


def test_an_extra_is_added_to_those_that_are_there(project):
    project.run("book")
    code, _, calls = project.run("lab")
    assert code == 0 and [c[-1] for c in installs(calls)] == [".[book,lab]"]
    assert project.run("book")[2] == [] and project.run("lab")[2] == []


def test_a_changed_pin_makes_it_stale_and_a_changed_rule_does_not(project):
    project.run("book")
    pyproject, pins = project.root / "pyproject.toml", project.root / "constraints.txt"
    pyproject.write_text(pyproject.read_text().replace("line-length = 110", "line-length = 99"))
    pins.write_text(pins.read_text() + "# a remark\n")
    assert project.run("book")[2] == []
    pins.write_text(pins.read_text() + "one==1\n")
    assert len(installs(project.run("book")[2])) == 1
    pyproject.write_text(pyproject.read_text().replace('"torch>=2.8.0"', '"torch>=2.9.0"'))
    assert len(installs(project.run("book")[2])) == 1


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_what_was_interrupted_is_made_anew(project, how):
    process = project.start("book", STUB="wait")
    waits = Path(f"{project.calls}.waits")
    for _ in range(2400):
        if waits.exists():
            break
        time.sleep(0.05)
    (project.venv / "half").touch()
    process.send_signal(how)
    _, err = process.communicate(timeout=300)
    assert process.returncode != 0
    if how == signal.SIGINT:
        assert process.returncode == 130 and err.strip() == "[env] Interrupted. The next make begins anew."
    code, said, calls = project.run("book")
    assert code == 0 and "was left unfinished: making it anew" in said
    assert len(installs(calls)) == 1 and not (project.venv / "half").exists()
    assert project.run("book")[2] == []


def test_a_copied_or_renamed_project_makes_its_own(project, tmp_path):
    project.run("book")
    other = tmp_path / "copy"
    shutil.copytree(project.root, other)
    (other / ".venv" / "old").touch()
    original, project.root = project.root, other
    code, said, calls = project.run("book")
    assert code == 0 and f"was made for another folder ({original})" in said
    assert len(installs(calls)) == 1 and not (other / ".venv" / "old").exists()
    assert project.run("book")[2] == []
    project.root = original
    assert project.run("book")[2] == []


def test_a_link_to_anothers_environment_is_never_deleted(project, tmp_path):
    project.run("book")
    real = tmp_path / "elsewhere"
    project.venv.rename(real)
    state = json.loads((real / ".ready").read_text()) | {"root": str(tmp_path)}
    (real / ".ready").write_text(json.dumps(state))
    project.venv.symlink_to(real)
    code, said, calls = project.run("book")
    assert code == 1 and ".venv is a link to an environment that was made for another folder" in said
    assert calls == [] and (real / "bin" / "python").exists()


def test_nothing_is_built_by_a_script_that_names_its_folder():
    """A script in .venv/bin names the Python that it was made for: all are run by `python -m`."""
    files = [ROOT / "Makefile", *(ROOT / "tools").glob("*.py"), *(ROOT / ".github").rglob("*.yml")]
    for path in files:
        text = path.read_text(encoding="utf8")
        assert not re.search(r"\.venv/bin/(?!python\b)", text), path
        assert not re.search(r"sys\.executable\)\.(with_name|parent)", text), path


@pytest.mark.parametrize(
    "words, sentence",
    [
        ("ERROR: No space left on device", "the disk is full"),
        ("x: Max retries exceeded with url", "no package index could be reached"),
        ("ERROR: ResolutionImpossible: for help", "constraints.txt do not fit together on Python 3."),
        ("ERROR: No matching distribution found for a==1", "lacks a pinned version for Python 3."),
        ("ERROR: something new", "pip failed (ERROR: something new)"),
        ("no error line at all", "pip failed (no error line at all)"),
    ],
)
def test_a_failure_has_a_reason(project, words, sentence):
    code, said, _ = project.run("book", STUB=f"fails: {words}")
    assert code == 1 and sentence in said and "Traceback" not in said
    assert said.strip().endswith("details in .make/pip.log.")


def test_a_killed_pip_is_said_to_be_killed(project):
    code, said, _ = project.run("book", STUB="killed")
    assert code == 1 and "ended by signal 9 (out of memory?)" in said


def test_a_failed_change_leaves_what_worked(project):
    project.run("book")
    (project.venv / "kept").touch()
    assert project.run("lab", STUB="fails: ERROR: no")[0] == 1
    code, said, _ = project.run("book")
    assert code == 0 and "anew" not in said and (project.venv / "kept").exists()


def test_a_strangers_environment_without_pip_is_left_alone(project):
    project.run("book")
    (project.venv / ".ready").unlink()
    for _ in range(2):
        code, said, _ = project.run("book", STUB="no pip")
        assert code == 1 and "has no pip; delete the folder .venv" in said
    assert (project.venv / "bin" / "python").exists()


def test_another_python_is_another_environment(project):
    project.run("book")
    state = json.loads((project.venv / ".ready").read_text())
    (project.venv / ".ready").write_text(json.dumps(state | {"python": "3.9"}))
    assert project.run("book")[2] == []  # nobody asked for another
    code, said, calls = project.run("book", PYTHON="python3")
    assert code == 0 and "has Python 3.9: making it anew" in said and len(installs(calls)) == 1
    assert project.run("book", PYTHON="python3")[2] == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere every build is without CUDA")
class TestTorchWithoutCuda:
    def test_from_an_index_that_has_it(self, project):
        code, _, calls = project.run("book", TORCH="cpu")
        first, second = installs(calls)
        assert code == 0 and first[-1].startswith("torch==") and first[-1].endswith("+cpu")
        assert second[-1] == ".[book]"
        assert project.run("book", TORCH="cpu")[2] == [] and project.run("book")[2] == []

    def test_by_uv_where_no_index_at_hand_has_it(self, project):
        code, said, calls = project.run("book", TORCH="cpu", STUB="no cpu build")
        assert code == 0, said
        _, uv, torch, rest = installs(calls)
        assert uv[-1] == "uv" and "--target" in uv
        assert torch[:2] == ["pip", "install"] and torch[torch.index("--torch-backend") + 1] == "cpu"
        assert rest[-1] == ".[book]"

    def test_an_environment_with_cuda_is_made_anew(self, project):
        project.run("book")
        code, said, calls = project.run("book", TORCH="cpu")
        assert code == 0 and "has a PyTorch with CUDA: making it anew" in said and len(installs(calls)) == 2

    def test_another_word_is_refused(self, project):
        code, said, calls = project.run("book", TORCH="gpu")
        assert code == 1 and "TORCH can be cpu or nothing, and is 'gpu'" in said and calls == []


def test_help_is_shown_and_is_no_extra(monkeypatch, capsys):
    monkeypatch.setattr(environment.sys, "argv", ["environment.py", "--help"])
    environment.main()
    assert capsys.readouterr().out.startswith("Make .venv with what the named extras need")


def test_the_disk_must_hold_what_is_promised(monkeypatch, capsys):
    """README's numbers are the script's; a disk with less is refused before anything is written."""
    usage = type("Usage", (), {"free": 4e9})
    monkeypatch.setattr(environment.shutil, "disk_usage", lambda path: usage)
    with pytest.raises(SystemExit):
        environment.check_space("cuda")
    assert "GB of free disk are needed" in capsys.readouterr().err
    usage.free = 2 * sum(environment.NEEDED["cpu"]) * 1e9
    environment.check_space("cpu")
    usage.free = 3 * sum(environment.NEEDED["cuda"]) * 1e9
    environment.check_space("cuda")


def test_readme_says_what_the_script_demands():
    text = (ROOT / "README.md").read_text(encoding="utf8").replace("<!-- label -->", "")
    for kind in ("cpu", "cuda"):
        assert f"{round(environment.NEEDED[kind][0])} GB" in text, kind
    assert "TORCH=cpu" in text and "http" not in text.partition("TORCH=cpu")[2].partition("\n## ")[0]


def test_an_old_python_says_that_it_is_too_old():
    """It must be able to read the script; those that are here also run it."""
    script = ROOT / "tools" / "environment.py"
    text = script.read_text(encoding="utf8")
    ast.parse(text, feature_version=(3, 7))
    assert "\nfrom __future__ import print_function\n" in text and not re.search(r"\bf[\"']", text)
    for python in ("python2.7", "python3.6", "python3.8", "python3.10"):
        found = shutil.which(python)
        if found and subprocess.call([found, "-c", ""], stderr=subprocess.DEVNULL) == 0:
            done = subprocess.run([found, "-B", script, "x"], capture_output=True, text=True)
            assert done.returncode == 1 and "Python 3.11 or newer is needed, and this is" in done.stderr
