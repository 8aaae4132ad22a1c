"""A chapter's first cell works in an empty folder of a bare environment, or says what to do."""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest
import refresh

ROOT = Path(__file__).resolve().parents[2]
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
def bare(tmp_path):
    """An environment that has the libraries of this one (as Colab has them) but nothing of ours."""
    folder = tmp_path / "environment"
    venv.create(folder, with_pip=True, symlinks=True)
    python = folder / "bin" / "python"
    asked = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = Path(subprocess.run(asked, capture_output=True, check=True, text=True).stdout.strip())
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        ours = entry.name.lower().startswith(("neuron_to_assistant", "__editable__", "pip"))
        if not ours and not (site / entry.name).exists():
            (site / entry.name).symlink_to(entry)
    return python


def run(python, folder, cell, **environment):
    """Run a cell as a notebook in this folder would."""
    folder.mkdir()
    (folder / "cell.py").write_text(cell + USE, encoding="utf8")
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}
    return subprocess.run(
        [python, "cell.py"], cwd=folder, capture_output=True, text=True, env=clean | environment, timeout=300
    )


def test_the_wheel_brings_the_zoo(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    for model in ("calling-game", "semantic", "stories"):
        for file in ("model.safetensors", "vocabulary.json", "card.json"):
            assert f"support/zoo/{model}/{file}" in names
    assert not [n for n in names if not n.startswith(("support/", "neuron_to_assistant-"))]
    assert wheel.stat().st_size < 6e6


def test_with_only_the_wheel_beside_the_notebook(bare, wheel, tmp_path):
    folder = tmp_path / "chapter"
    cell = refresh.first_cell("")
    # No index may be needed when the libraries are there already.
    code = f"import shutil; shutil.copy({str(wheel)!r}, '.')\n" + cell
    done = run(bare, folder, code, PIP_NO_INDEX="1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("28 tokens from ") and str(ROOT) not in done.stdout
    again = subprocess.run([bare, "cell.py"], cwd=folder, capture_output=True, text=True)
    assert again.returncode == 0 and again.stdout == done.stdout


def test_with_a_repository_address(bare, repository, tmp_path):
    cell = refresh.first_cell(f"file://{repository}")
    assert f'REPOSITORY = "file://{repository}"' in cell
    done = run(bare, tmp_path / "chapter", cell)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("28 tokens from ")


def test_with_neither_it_says_what_to_do(bare, tmp_path):
    done = run(bare, tmp_path / "chapter", refresh.first_cell(""))
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert "put the file neuron_to_assistant-*.whl beside this notebook" in last and "REPOSITORY" in last


def test_a_strangers_support_is_not_taken_for_ours(bare, tmp_path):
    """The public index has a package of that name; having it is not having the book's."""
    folder = tmp_path / "chapter"
    stranger = (
        "import pathlib; p = pathlib.Path('support'); p.mkdir(exist_ok=True); (p / '__init__.py').touch()\n"
    )
    done = run(bare, folder, stranger + refresh.first_cell(""))
    assert done.returncode == 1 and "not installed" in done.stderr.splitlines()[-1]
