# Makes `support`, the package behind this book, importable wherever this notebook runs.
import importlib
import subprocess
import sys
from pathlib import Path

REPOSITORY = ""  # the book's git address; `make address URL=...` fills it in
try:
    importlib.import_module("support.text")  # not `support` alone: a stranger's package has that name too
except ModuleNotFoundError:
    wheels = sorted(Path().glob("neuron_to_assistant-*.whl"), key=lambda wheel: wheel.stat().st_mtime)
    if not (wheels or REPOSITORY):
        way = "put the file neuron_to_assistant-*.whl beside this notebook, or set REPOSITORY in this cell"
        raise ModuleNotFoundError(f"The book's package `support` is not installed: {way}.") from None
    wish = f"./{wheels[-1]}[notebooks]" if wheels else f"neuron-to-assistant[notebooks] @ git+{REPOSITORY}"
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", wish], check=True)
    sys.modules.pop("support", None)
    importlib.invalidate_caches()
