# Makes `support`, the package behind this book, importable wherever this notebook runs.
import importlib
import subprocess
import sys
from pathlib import Path

REPOSITORY = ""  # the book's git address; `make address URL=...` fills it in
try:
    importlib.import_module("support.text")  # not `support` alone: a stranger's package has that name too
except ModuleNotFoundError:
    wheels, pip = sorted(Path().glob("neuron_to_assistant-*.whl")), [sys.executable, "-m", "pip"]
    if not (wheels or REPOSITORY):
        way = "put the file neuron_to_assistant-*.whl beside this notebook, or set REPOSITORY in this cell"
        raise ModuleNotFoundError(f"The book's package `support` is not installed: {way}.") from None
    if not wheels:
        subprocess.run([*pip, "wheel", "--quiet", "--no-deps", f"git+{REPOSITORY}"], check=True)
        wheels = list(Path().glob("neuron_to_assistant-*.whl"))
    subprocess.run([*pip, "install", "--quiet", f"./{wheels[-1]}[notebooks]"], check=True)
    sys.modules.pop("support", None)
    importlib.invalidate_caches()
