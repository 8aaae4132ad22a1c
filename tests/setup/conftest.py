"""A project in a folder of its own, with a Python and a pip that only pretend."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Stands in for `python -m venv`, for the Python of the environment, and for uv. $STUB says what pip does.
STUB = """#!{python}
import json, os, pathlib, signal, sys, time
args, plan = sys.argv[1:], os.environ.get("STUB", "")
with open(os.environ["CALLS"], "a") as file:
    file.write(json.dumps(args) + "\\n")
if args[:1] == ["-c"]:
    print("%d.%d" % sys.version_info[:2])
elif args[:3] == ["-m", "pip", "install"] or args[:2] == ["pip", "install"]:
    if plan == "wait":
        pathlib.Path(os.environ["CALLS"] + ".waits").touch()
        time.sleep(60)
    if plan == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if plan == "no cpu build" and "+cpu" in " ".join(args):
        sys.exit(1)
    if "uv" in args and "--target" in args:
        folder = pathlib.Path(args[args.index("--target") + 1], "bin")
        folder.mkdir(parents=True)
        (folder / "uv").write_text(pathlib.Path(__file__).read_text())
        (folder / "uv").chmod(0o755)
    if plan.startswith("fails: "):
        print(plan[7:])
        sys.exit(1)
    print("Collecting one (from x)")
    print("Processing /somewhere/two_parts-1.0-py3-none-any.whl (from x)")
    print("Requirement already satisfied: three")
    print("Installing collected packages: one, two_parts, Four")
    print("Successfully installed Four-1 one-1 two_parts-1")
elif args[:3] == ["-m", "pip", "--version"]:
    sys.exit(plan == "no pip")
"""


class Project:
    """A copy of the set-up's files; `run` runs the script on it with a stub for venv, pip and uv."""

    def __init__(self, folder: Path):
        self.root, self.calls = folder, folder.parent / f"{folder.name}.calls"
        (folder / "tools").mkdir(parents=True)
        for name in ("pyproject.toml", "constraints.txt", "tools/environment.py"):
            shutil.copy(ROOT / name, folder / name)
        # A module `venv` beside the script shadows the real one.
        stub = STUB.format(python=sys.executable)
        venv = f"""import pathlib, sys
if __name__ == "__main__":
    bin = pathlib.Path(sys.argv[1], "bin")
    bin.mkdir(parents=True, exist_ok=True)
    (bin / "python").write_text({stub!r})
    (bin / "python").chmod(0o755)
    pathlib.Path(sys.argv[1], "pyvenv.cfg").write_text("command = python -m venv " + sys.argv[1])
"""
        self.modules = folder.parent / "modules"
        self.modules.mkdir(exist_ok=True)
        (self.modules / "venv.py").write_text(venv)

    @property
    def venv(self) -> Path:
        return self.root / ".venv"

    def start(self, *extras: str, **variables: str) -> subprocess.Popen:
        ours = {"PYTHONPATH": str(self.modules), "CALLS": str(self.calls)}
        clean = {k: v for k, v in os.environ.items() if k not in ("PYTHON", "TORCH", "MAKEFLAGS")}
        return subprocess.Popen(
            [sys.executable, self.root / "tools" / "environment.py", *extras],
            env=clean | ours | variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # Also where the tests themselves run in the background, and hear no Ctrl-C.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    def run(self, *extras: str, **variables: str) -> tuple[int, str, list[str]]:
        """Exit status, what was said, and the commands that pip and uv were given."""
        self.calls.write_text("")
        process = self.start(*extras, **variables)
        out, err = process.communicate(timeout=600)
        return process.returncode, out + err, self.calls.read_text().splitlines()


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path / "book")
