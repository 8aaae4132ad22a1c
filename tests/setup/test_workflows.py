"""The workflows cannot run here: what they call must exist, and they know no address and no machine."""

import re
from pathlib import Path

import pytest
import run_tests
import yaml

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf8")
PYTHONS = re.findall(r'Python :: (3\.\d+)"', (ROOT / "pyproject.toml").read_text(encoding="utf8"))
every_workflow = pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)


def steps(path):
    jobs = yaml.safe_load(path.read_text(encoding="utf8"))["jobs"].values()
    return [step for job in jobs for step in job["steps"]]


def test_there_is_one_for_each_duty():
    assert [path.stem for path in WORKFLOWS] == ["colab", "pages", "release", "tests"]


@every_workflow
def test_it_calls_what_exists(path):
    targets = set(re.findall(r"^([a-z]+):", MAKEFILE, re.M))
    for step in steps(path):
        for line in step.get("run", "").splitlines():
            first, *words = line.split()
            assert first in ("make", ".venv/bin/python", "gh", "rm", "grep"), line
            if first == "make":
                assert words[0] in targets, line
                switches = {word.partition("=")[0] for word in re.findall(r'[A-Z]+=(?:"[^"]*"|\S*)', line)}
                assert switches <= {"KINDS", "TORCH", "PYTHON", "CLEAN"}, line
            if first == ".venv/bin/python":
                assert (ROOT / words[0]).is_file(), line


@every_workflow
def test_it_knows_no_address_and_no_machine(path):
    text = path.read_text(encoding="utf8")
    assert not re.search(r"https?://|/home/|/root/|/tmp/|/work/|password|secrets\.", text)
    asked = yaml.safe_load(text)["permissions"]
    assert asked.pop("contents") == "read"
    assert set(asked) <= ({"pages", "id-token"} if path.stem == "pages" else set())


@every_workflow
def test_each_action_has_a_version(path):
    used = [step["uses"] for step in steps(path) if "uses" in step]
    assert used and all(re.fullmatch(r"[\w-]+/[\w-]+@(v\d+|release/v\d+)", name) for name in used), used


def test_the_kinds_and_pythons_of_the_tests():
    (path,) = [path for path in WORKFLOWS if path.stem == "tests"]
    matrix = yaml.safe_load(path.read_text(encoding="utf8"))["jobs"]["test"]["strategy"]["matrix"]
    kinds = " ".join(matrix["kind"]).split()
    known = getattr(run_tests, "WHAT", None) or run_tests.KINDS
    assert kinds == list(known)
    assert sorted([*matrix["python"], *(more["python"] for more in matrix["include"])]) == PYTHONS


def test_the_index_trusts_the_release_by_its_identity():
    (path,) = [path for path in WORKFLOWS if path.stem == "release"]
    jobs = yaml.safe_load(path.read_text(encoding="utf8"))["jobs"]
    assert jobs["index"]["permissions"] == {"id-token": "write"} and jobs["index"]["environment"] == "release"
    (publish,) = [s for s in jobs["index"]["steps"] if "pypi-publish" in s.get("uses", "")]
    assert "with" not in publish, "no password, and the index is the usual one"
    assert "dist/*.whl dist/book.zip" in jobs["files"]["steps"][-1]["run"]


def test_hooks_before_a_commit_call_what_exists():
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf8"))
    (local,) = config["repos"]
    assert local["repo"] == "local", "no hook is fetched from elsewhere"
    assert [hook["entry"].split()[0] for hook in local["hooks"]] == ["make", ".venv/bin/python"]
    assert (ROOT / local["hooks"][1]["entry"].split()[1]).is_file()


def test_a_kind_that_is_none_is_named(capsys):
    assert run_tests.main(["units", "foo"]) == run_tests.main(["--known", "foo"]) == 2
    said = capsys.readouterr().err
    assert said.count("There is no kind of test 'foo'; there are style, types, units") == 2


def test_no_page_is_opened_if_the_book_was_not_built(monkeypatch, capsys):
    """What fails afterwards would only hide the reason."""
    done = []
    monkeypatch.setattr(run_tests, "check", lambda kind, show: (done.append(kind), (kind, 0, 1, 0, 0.1))[1])
    assert run_tests.main(["book", "pages"]) == 1 and done == ["book"]
    assert "The pages are not opened: the book was not built." in capsys.readouterr().out
