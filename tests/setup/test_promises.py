"""What the project promises about Pythons, packages and releases is said alike everywhere."""

import ast
import email
import importlib.metadata
import re
import sys
import tomllib
from pathlib import Path

import check_pins
import environment
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
LOWEST = PROJECT["requires-python"].removeprefix(">=")
# A module that is imported under another name than that of its distribution.
DISTRIBUTION = {
    "xdist": "pytest-xdist",
    "quickjs": "quickjs-ng",
    "sklearn": "scikit-learn",
    "umap": "umap-learn",
    "IPython": "ipython",
    "yaml": "pyyaml",
    "PIL": "pillow",
    "bs4": "beautifulsoup4",
}
OURS = {"support", "book", "helpers", "conftest"} | {
    p.stem for folder in ("tools", "tests", "book/ext", "benchmarks") for p in (ROOT / folder).rglob("*.py")
}


def imports(tree, fetch):
    """The top names that a file imports from elsewhere, and those that it fetches by a call of `fetch`."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.add(node.module)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == fetch:
            names |= {a.value for a in node.args[:1] if isinstance(a, ast.Constant)}
    tops = {name.partition(".")[0] for name in names if isinstance(name, str)}
    return {
        canonicalize_name(DISTRIBUTION.get(top, top)) for top in tops - OURS - set(sys.stdlib_module_names)
    }


def imported(*folders):
    """What the files of some folders import; the tests of `optional` only pretend to fetch something."""
    used = set()
    for folder in folders:
        for path in (ROOT / folder).rglob("*.py"):
            fetch = "optional" if folder == "support" else "importorskip"
            used |= imports(ast.parse(path.read_text(encoding="utf8")), fetch)
    return used


def declared(*extras):
    lines = [*PROJECT["dependencies"]]
    for extra in extras:
        lines += PROJECT["optional-dependencies"][extra]
    return {canonicalize_name(Requirement(line).name) for line in lines} - {"neuron-to-assistant"}


def test_the_package_declares_what_it_imports_and_imports_what_it_declares():
    used = imported("support")
    assert used - declared("maps", "huggingface", "tools", "notebooks") == set()
    assert declared() - used == set()


def test_tools_tests_and_extensions_declare_what_they_import():
    used = imported("tools", "tests", "book/ext", "benchmarks")
    assert used - declared(*PROJECT["optional-dependencies"]) == set()


def test_every_declared_package_is_pinned_and_one_version_holds_for_each_python():
    for python in (f"{LOWEST}.0", *(p for p in check_pins.promised())):
        pinned = {canonicalize_name(name) for name in check_pins.pins(python)}
        assert declared(*PROJECT["optional-dependencies"]) - pinned == set(), python


def requires_python():
    """What the packages that are installed here ask of Python, by name and version."""
    found = {}
    for dist in importlib.metadata.distributions():
        metadata = dist.metadata
        assert isinstance(metadata, email.message.Message)
        found[canonicalize_name(metadata["Name"])] = (dist.version, metadata.get("Requires-Python"))
    return found


def test_no_pin_needs_a_newer_python_than_is_promised():
    """Debian 12's Python is 3.11.2: a pin that needs 3.11.5 has another line for it."""
    installed = requires_python()
    seen = 0
    for name, version in check_pins.pins(f"{LOWEST}.0").items():
        there, needs = installed.get(canonicalize_name(name), (None, None))
        if there is None or there.partition("+")[0] != version:
            continue  # not installed here, or pinned otherwise on this Python
        seen += 1
        assert not needs or SpecifierSet(needs).contains(f"{LOWEST}.0"), f"{name}=={version} needs {needs}"
    assert seen > 100
    needs = installed["soupsieve"][1]
    if installed["soupsieve"][0] == "4.1.1":  # the one that would have been found
        assert not SpecifierSet(needs).contains(f"{LOWEST}.2")
        assert (
            check_pins.pins(f"{LOWEST}.2")["soupsieve"] != "4.1.1" == check_pins.pins("3.11.5")["soupsieve"]
        )


def test_the_same_lowest_python_everywhere():
    """In the script that makes the environment, and wherever a text names one; README does."""
    assert ".".join(map(str, environment.LOWEST)) == LOWEST
    assert check_pins.promised()[:2] == [f"{LOWEST}.0", f"{LOWEST}.99"]
    for path in [*ROOT.glob("*.md"), *ROOT.glob("book/*.md"), *ROOT.glob("notebooks/*.ipynb")]:
        text = path.read_text(encoding="utf8").replace("<!-- label -->", "")
        named = set(re.findall(r"Python (3\.\d+) or newer", text))
        assert named <= {LOWEST} and (named or path.name != "README.md"), path.name


def test_what_is_released_is_said_alike():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf8"))
    heading = re.search(r"^## (\S+) – (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf8"), re.M)
    version, date = heading.groups()
    assert citation["version"] == version == PROJECT["version"]
    assert str(citation.get("date-released", "unreleased")) == date


def test_plain_pytest_can_tell_all_tests_apart():
    """Two files of one name are one module to pytest, unless a folder of theirs is a package."""
    names = {}
    for path in (ROOT / "tests").rglob("test_*.py"):
        package = path.parent.name if (path.parent / "__init__.py").exists() else ""
        names.setdefault((package, path.stem), []).append(str(path.relative_to(ROOT)))
    assert [paths for paths in names.values() if len(paths) > 1] == []
