"""What `make book` runs needs nothing beyond the packages of the `book` extra: it installs no others."""

import importlib.metadata as metadata
import subprocess
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
REFUSE = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in absent:
            raise ModuleNotFoundError(f"{name} is not in the book extra")
absent, scripts = set(sys.argv[2].split(",")), sys.argv[3:]
sys.meta_path.insert(0, Refuse())
sys.path[:0] = sys.argv[1].split(",")
for script in scripts:
    __import__(script)
"""


def normal(name):
    return name.lower().replace("_", "-").replace(".", "-")


def needs(name, extras):
    """The requirements of one distribution; our own are read from the project, not from what is installed."""
    if normal(name) == PROJECT["name"]:
        extra = PROJECT["optional-dependencies"]
        return [*PROJECT["dependencies"], *(line for e in extras for line in extra[e])]
    try:
        return metadata.requires(name) or []
    except metadata.PackageNotFoundError:  # for another system
        return []


def closure(name, *extras):
    """The distributions that installing ``name[extras]`` brings here, by their normalised names."""
    found, todo = set(), [(name, frozenset(extras))]
    while todo:
        name, extras = todo.pop()
        if (normal(name), extras) in found:
            continue
        found.add((normal(name), extras))
        for need in map(Requirement, needs(name, extras)):
            if not need.marker or any(need.marker.evaluate({"extra": extra}) for extra in (*extras, "")):
                todo.append((need.name, frozenset(need.extras)))
    return {name for name, _ in found}


def test_the_book_builds_with_its_own_extra_alone():
    present = closure(PROJECT["name"], "book")
    owners = metadata.packages_distributions().items()
    absent = sorted(module for module, by in owners if not {normal(d) for d in by} & present)
    assert {"pytest", "playwright", "hypothesis"} <= set(absent)
    scripts = [p.stem for p in (ROOT / "book" / "ext").glob("*.py")] + ["build_book"]
    folders = f"{ROOT / 'book' / 'ext'},{ROOT / 'tools'},{ROOT}"
    done = subprocess.run(
        [sys.executable, "-c", REFUSE, folders, ",".join(absent), *scripts], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-600:]
