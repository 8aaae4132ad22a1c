# Makes `support`, the package behind this book, importable wherever this notebook runs.
import re, shutil, subprocess, sys, tempfile
from importlib import invalidate_caches, metadata, util
from pathlib import Path
VERSION = ""  # of this notebook, and of the package that goes with it
REPOSITORY = ""  # the book's git address; `make address URL=...` fills it in
ours, found = "neuron-to-assistant", util.find_spec("support")
if not (found and found.origin and Path(found.origin).with_name("zoo").is_dir()):
    others = [*{*metadata.packages_distributions().get("support", [])} - {ours}]
    if found and (found.origin or others):  # it would hide ours, or ours would overwrite its files
        where, cure = (found.origin or f"The folder `support` of the package {others[0]}"), f"run `%pip uninstall -y {others[0]}`" if others else "rename it"
        raise ImportError(f"{where} is not this book's: {cure}, restart, and run this cell again.")
    wheels = [w for place in (".", "/content") for w in Path(place).glob("neuron_to_assistant-*-any*.whl")]
    pip, folder = [sys.executable, "-m", "pip"], Path(tempfile.mkdtemp())
    if not (wheels or REPOSITORY):
        raise ModuleNotFoundError(f"The book's package is not installed: put neuron_to_assistant-{VERSION}-py3-none-any.whl beside this notebook, in {Path.cwd()} (it is in the book's zip; `make wheel` in the book's folder makes it), or set REPOSITORY, and run this cell again.")
    for newest in sorted(wheels, key=lambda w: [int(n) for n in re.findall(r"\d+", w.name.split("-")[1])])[-1:]:
        shutil.copy(newest, folder / re.sub("-any.*", "-any.whl", newest.name))  # pip does not take a browser's `... (1).whl`
    if not wheels:
        subprocess.run([*pip, "wheel", "-q", "--no-deps", "-w", folder, f"git+{REPOSITORY}"], check=True)
    subprocess.run([*pip, "install", "-q", f"{next(folder.glob('*.whl'))}[notebooks]"], check=True)
    invalidate_caches()
if (here := next((d.version for d in metadata.distributions(name=ours)), VERSION)) != VERSION:
    print(f"This notebook is of version {VERSION}, the installed package of {here}: if a cell fails, run\n`%pip uninstall -y {ours}`, put the wheel of {VERSION} here, restart, and run this cell again.")
