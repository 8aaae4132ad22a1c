"""Can every pin of constraints.txt be installed on every Python that pyproject.toml promises? Asks the index.

python tools/check_pins.py            # all of them: 3.11.0, 3.11 and so on
python tools/check_pins.py 3.14       # another one, before it is promised

Nothing is installed: pip resolves the extras of the book, the tests and JupyterLab for each Python, from
wheels' metadata, and says what it cannot. A minute or two for each. The markers of the pins are taken for
that Python; those of other packages' dependencies pip takes for the Python that runs.
"""

import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = ("notebooks", "book", "lab", "test")
SELF = "neuron-to-assistant"


def promised() -> list[str]:
    """The first release of the lowest Python, which is the hardest, and each Python of the classifiers."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
    lowest = project["requires-python"].removeprefix(">=")
    names = (re.fullmatch(r".*:: (3\.\d+)", line) for line in project["classifiers"])
    return [f"{lowest}.0", *(f"{m.group(1)}.99" for m in names if m)]


def requirements() -> list[str]:
    """What the package and its extras ask for, themselves spelled out."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
    extras = project["optional-dependencies"]
    lines = [*project["dependencies"], *(line for name in EXTRAS for line in extras[name])]
    while own := [line for line in lines if line.startswith(f"{SELF}[")]:
        names = {name for line in own for name in re.findall(r"[\w-]+", line.partition("[")[2])}
        lines = [line for line in lines if line not in own] + [r for n in names for r in extras[n]]
    return sorted(set(lines))


def pins(python: str) -> dict[str, str]:
    """The pins that hold for a Python, as ``{"numpy": "2.4.6", ...}``."""
    found: dict[str, str] = {}
    for line in (ROOT / "constraints.txt").read_text(encoding="utf8").splitlines():
        if not line or line.startswith("#"):
            continue
        pin = Requirement(line)
        minor = ".".join(python.split(".")[:2])
        if pin.marker and not pin.marker.evaluate({"python_version": minor, "python_full_version": python}):
            continue
        if pin.name in found:
            raise ValueError(f"constraints.txt pins {pin.name} twice for Python {python}")
        found[pin.name] = str(pin.specifier).removeprefix("==")
    return found


def check(python: str) -> str:
    """Empty if pip finds a solution, else its last words."""
    with tempfile.TemporaryDirectory() as folder:
        constraints = Path(folder) / "constraints.txt"
        constraints.write_text("".join(f"{name}=={v}\n" for name, v in pins(python).items()))
        command = [sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "--progress-bar", "off"]
        command += ["--python-version", python, "--only-binary=:all:", "--target", f"{folder}/into"]
        command += ["-c", str(constraints), *requirements()]
        done = subprocess.run(command, capture_output=True, text=True)
    return "" if done.returncode == 0 else "\n".join(done.stderr.strip().splitlines()[-12:])


def main() -> int:
    """Ask for each Python; 1 if one of them cannot have the pins."""
    bad = 0
    for python in sys.argv[1:] or promised():
        text = check(python)
        print(f"[pins] Python {python}: {text or 'all can be installed'}", flush=True)
        bad += bool(text)
    return min(bad, 1)


if __name__ == "__main__":
    raise SystemExit(main())
