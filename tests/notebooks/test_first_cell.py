"""A chapter's first cell works in an empty folder of a bare environment, or says what to do."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
import refresh
from colab_like import borrow, make_environment, site_packages
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
VERSION = PROJECT["version"]
FIND = "\nfrom importlib.util import find_spec\nprint('the zoo is', find_spec('support.zoo').origin)"
USE = (
    "\nfrom support import zoo; import support"
    "\nprint(len(zoo.load('calling-game').vocabulary), 'tokens from', support.__file__)"
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """A git repository with the tree as it is now, whether committed or not."""
    folder = tmp_path_factory.mktemp("repository") / "book"
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True, text=True).stdout.split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    who = ["-c", "user.name=test", "-c", "user.email=test@localhost"]
    for command in (["init", "-q"], ["add", "-A"], [*who, "commit", "-qm", "tree"]):
        subprocess.run(["git", *command], cwd=folder, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def wheel(repository, tmp_path_factory):
    """The wheel as `make wheel` builds it."""
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), "."]
    subprocess.run(command, cwd=repository, check=True, capture_output=True)
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture
def complete(tmp_path):
    """An environment that has the libraries of this one (as Colab has them) but nothing of ours."""
    return borrow(tmp_path / "environment")


@pytest.fixture
def bare(tmp_path):
    """An environment in which pip finds each library that we name, of this one's version, but empty."""
    python = make_environment(tmp_path / "environment", with_pip=False)
    site = site_packages(python)
    (site / "pip").symlink_to(Path(metadata.distribution("pip").locate_file("pip")))
    extras = PROJECT["optional-dependencies"]
    lines = [*PROJECT["dependencies"], *extras["maps"], *extras["huggingface"], *extras["notebooks"]]
    for name in {Requirement(line).name for line in lines} - {PROJECT["name"]}:
        version = metadata.version(name)
        info = site / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    return python


def run(python, folder, cell, then=FIND, **environment):
    """Run a cell as a notebook in this folder would, and `then` the next one."""
    folder.mkdir(exist_ok=True)
    (folder / "cell.py").write_text(cell + then, encoding="utf8")
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}
    clean["PIP_NO_COMPILE"] = "1"  # hardly a module of those that are installed is imported
    return subprocess.run(
        [python, "cell.py"], cwd=folder, capture_output=True, text=True, env=clean | environment, timeout=1800
    )


def last(done):
    """The last line of what a cell complained of."""
    return done.stderr.strip().splitlines()[-1]


def test_the_wheel_brings_the_zoo(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    for model in ("calling-game", "semantic", "stories", "stories-small"):
        for file in ("model.safetensors", "vocabulary.json", "card.json"):
            assert f"support/zoo/{model}/{file}" in names
    assert not [n for n in names if not n.startswith(("support/", "neuron_to_assistant-"))]
    assert wheel.stat().st_size < 6e6


def test_with_only_the_wheel_beside_the_notebook(complete, wheel, tmp_path):
    folder = tmp_path / "chapter"
    cell = refresh.first_cell("")
    # No index may be needed when the libraries are there already.
    code = f"import shutil; shutil.copy({str(wheel)!r}, '.')\n" + cell
    done = run(complete, folder, code, USE, PIP_NO_INDEX="1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("28 tokens from ") and str(ROOT) not in done.stdout
    again = run(complete, folder, cell, FIND)
    assert again.returncode == 0, again.stderr
    assert Path(again.stdout.split()[-1]).parents[1] == Path(done.stdout.split()[-1]).parent


def test_with_a_repository_address(bare, repository, tmp_path):
    cell = refresh.first_cell(f"file://{repository}")
    assert f'REPOSITORY = "file://{repository}"' in cell
    done = run(bare, tmp_path / "chapter", cell)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("the zoo is ")


def test_with_neither_it_says_what_to_do(bare, tmp_path):
    done = run(bare, tmp_path / "chapter", refresh.first_cell(""))
    assert done.returncode == 1
    assert last(done) == (
        "ModuleNotFoundError: The book's package is not installed: put "
        f"neuron_to_assistant-{VERSION}-py3-none-any.whl beside this notebook, in {tmp_path / 'chapter'} "
        "(it is in the book's zip; `make wheel` in the book's folder makes it), or set REPOSITORY, and run "
        "this cell again."
    )


@pytest.mark.parametrize(
    "names",
    [
        [f"-{VERSION}-py3-none-any (1).whl"],
        [f"-{VERSION}-py3-none-any(2).whl"],
        ["-0.0.9-py3-none-any.whl", f"-{VERSION}-py3-none-any (1).whl", "-0.0.10-py3-none-any (2).whl"],
    ],
)
def test_a_second_download_is_taken_and_the_newest_by_version(bare, wheel, tmp_path, names):
    """Only the file of the newest version is a wheel here: pip would fail on any other."""
    folder = tmp_path / "chapter"
    folder.mkdir()
    for name in names:
        path = folder / f"neuron_to_assistant{name}"
        if VERSION in name:
            shutil.copy(wheel, path)
        else:
            path.touch()
    done = run(bare, folder, refresh.first_cell(""), PIP_NO_INDEX="1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("the zoo is ")
    assert len([*folder.glob("*.whl")]) == len(names), "nothing beside the notebook is changed"


def test_ten_is_newer_than_nine():
    (line,) = [line for line in refresh.first_cell("").splitlines() if "for newest in" in line]
    wheels = [Path(f"neuron_to_assistant-{v}-py3-none-any.whl") for v in ("0.9.0", "0.10.0", "0.9.12")]
    names = {"wheels": wheels, "re": re}
    exec(f"{line.strip()}\n    pass", names)
    assert names["newest"].name == "neuron_to_assistant-0.10.0-py3-none-any.whl"


def test_another_version_than_the_notebooks_is_named(bare, wheel, tmp_path):
    folder = tmp_path / "chapter"
    folder.mkdir()
    shutil.copy(wheel, folder)
    cell = refresh.first_cell("").replace(f'VERSION = "{VERSION}"', 'VERSION = "9.9.9"')
    sentence = (
        f"This notebook is of version 9.9.9, the installed package of {VERSION}: if a cell fails, run\n"
        "`%pip uninstall -y neuron-to-assistant`, put the wheel of 9.9.9 here, restart, and run this "
        "cell again.\n"
    )
    for _ in range(2):  # as it is installed, and installed already
        done = run(bare, folder, cell, PIP_NO_INDEX="1")
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(sentence + "the zoo is ")


@pytest.mark.parametrize("name", ["support.py", "support/__init__.py"])
@pytest.mark.parametrize("installed", [False, True])
def test_a_file_that_hides_ours_is_named(bare, wheel, tmp_path, name, installed):
    folder = tmp_path / "chapter"
    folder.mkdir()
    if installed:
        zipfile.ZipFile(wheel).extractall(site_packages(bare))
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("print('not to be run')")
    done = run(bare, folder, refresh.first_cell(""))
    assert done.returncode == 1 and done.stdout == ""
    assert last(done) == (
        f"ImportError: {path} is not this book's: rename it, restart, and run this cell again."
    )


@pytest.mark.parametrize("name", ["support/__init__.py", "support/core.py", "support.py"])
def test_a_strangers_package_is_never_overwritten(bare, wheel, tmp_path, name):
    """The public index has a distribution of that name, and pip would write ours over its files."""
    folder = tmp_path / "chapter"
    folder.mkdir()
    shutil.copy(wheel, folder)
    site = site_packages(bare)
    stranger = site / name
    stranger.parent.mkdir(exist_ok=True)
    stranger.write_text("theirs = 1\n")
    info = site / "helpdesk-2.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: helpdesk\nVersion: 2.0\n")
    (info / "RECORD").write_text(f"{name},,\nhelpdesk-2.0.dist-info/METADATA,,\n")
    before = {path: path.read_bytes() for path in stranger.parent.glob("*.py")}
    done = run(bare, folder, refresh.first_cell(""))
    assert done.returncode == 1
    where = "The folder `support` of the package helpdesk" if name.endswith("core.py") else stranger
    cure = "run `%pip uninstall -y helpdesk`, restart, and run this cell again."
    assert last(done) == f"ImportError: {where} is not this book's: {cure}"
    assert {path: path.read_bytes() for path in stranger.parent.glob("*.py")} == before
    assert not [*site.glob("neuron_to_assistant*")]


def test_a_folder_of_data_with_that_name_does_no_harm(bare, wheel, tmp_path):
    folder = tmp_path / "chapter"
    (folder / "support").mkdir(parents=True)
    shutil.copy(wheel, folder)
    done = run(bare, folder, refresh.first_cell(""), PIP_NO_INDEX="1")
    assert done.returncode == 0, done.stderr


def test_it_is_short_and_old_pythons_read_it():
    text = refresh.first_cell("")
    assert len([line for line in text.splitlines() if line.strip() and not line.startswith("#")]) <= 30
    ast.parse(text, feature_version=(3, 10))
    assert text.count(f'VERSION = "{VERSION}"') == 1
