"""Make .venv with what the named extras need (the tests' if none is named), or say in one sentence why not.

Run by the Makefile with the machine's own Python; does nothing when .venv is already right. Two switches,
both given to make: PYTHON=python3.12 (another Python) and TORCH=cpu (PyTorch without CUDA, half the disk).
Written so that an old Python, too, can run it far enough to say that it is too old.

.venv holds `.ready`, which says what it was made for, or, from the first moment of making or changing it to
the last, `.unfinished`: what was interrupted is made anew.
"""

from __future__ import print_function

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, ".venv")
PYTHON = os.path.join(VENV, "Scripts" if os.name == "nt" else "bin", "python")
READY = os.path.join(VENV, ".ready")
UNFINISHED = os.path.join(VENV, ".unfinished")
LOG = os.path.join(ROOT, ".make", "pip.log")
LOWEST = (3, 11)
# Gigabytes, measured on Linux with every extra: .venv itself, and the packages as they are downloaded. CUDA's
# libraries come with PyTorch on Linux only. Changing an environment that is there takes far less.
NEEDED = {"cpu": (2.3, 0.7), "cuda": (6.3, 3.3), "change": (0.5, 0.2)}

NETWORK = (
    "Temporary failure in name resolution",
    "NewConnectionError",
    "Network is unreachable",
    "ConnectTimeoutError",
    "ReadTimeoutError",
    "Max retries exceeded",
)
REASONS = [
    (("No space left on device",), "the disk is full"),
    (NETWORK, "no package index could be reached (is there a network? PIP_INDEX_URL can name a mirror)"),
    (
        ("ResolutionImpossible",),
        "the versions in constraints.txt do not fit together on Python %d.%d.%d" % sys.version_info[:3],
    ),
    (
        ("No matching distribution found", "Could not find a version that satisfies"),
        "the package index lacks a pinned version for Python %d.%d.%d" % sys.version_info[:3],
    ),
]


def say(text):
    print("[env] " + text, flush=True)


def fail(sentence):
    print("[env] Cannot make the environment: " + sentence + ".", file=sys.stderr)
    sys.exit(1)


def key():
    """What the environment depends on: a changed dependency makes it stale; a ruff rule does not."""
    digest = hashlib.sha256()
    for name in ("pyproject.toml", "constraints.txt"):
        counts = True
        with open(os.path.join(ROOT, name), "rb") as file:
            for line in file:
                if name == "pyproject.toml" and line.startswith(b"["):
                    counts = line.startswith((b"[build-system]", b"[project", b"[tool.setuptools"))
                if counts and line.strip() and not line.startswith(b"#"):
                    digest.update(line)
    return digest.hexdigest()


def state():
    """What .venv was made for, or None if it was not finished, or not by this script."""
    if os.path.exists(UNFINISHED) or not os.path.exists(PYTHON):
        return None
    try:
        with open(READY) as file:
            return json.load(file)
    except (IOError, ValueError):
        return None


def home():
    """The folder that an environment says it was made in, or None."""
    try:
        with open(os.path.join(VENV, "pyvenv.cfg")) as file:
            found = re.search(r"^command = .* -m venv (?:--\S+ )*(.+)$", file.read(), re.M)
    except IOError:
        return None
    return os.path.dirname(found.group(1).strip()) if found else None


def why_anew(there, torch):
    """Why an environment that is there cannot be used or changed but must be made anew, or None."""
    made_in = there["root"] if there else home()
    if made_in and os.path.realpath(made_in) != os.path.realpath(ROOT):
        return "was made for another folder (" + made_in + ")"
    if os.path.exists(UNFINISHED):
        return "was left unfinished"
    if os.path.exists(VENV) and not os.path.exists(PYTHON):
        return "has no working Python"
    if there is None:
        return None
    if os.environ.get("PYTHON") and there["python"] != "%d.%d" % sys.version_info[:2]:
        return "has Python " + there["python"]
    if torch and there["torch"] != torch:
        return "has a PyTorch with CUDA"
    return None


def check_machine():
    if sys.version_info < LOWEST:
        fail(
            "Python %d.%d or newer is needed, and this is %d.%d; try: make PYTHON=python3.12"
            % (LOWEST + tuple(sys.version_info[:2]))
        )
    try:
        import ensurepip
        import venv
    except ImportError:
        fail("this Python has no venv module; on Debian or Ubuntu: apt-get install python3-venv")


def check_space(kind):
    """Enough room on each disk: for .venv, for pip's store of downloads, and for what it is unpacking."""
    environment, downloads = NEEDED[kind]
    store = os.environ.get("PIP_CACHE_DIR") or os.path.join(os.path.expanduser("~"), ".cache", "pip")
    while not os.path.exists(store):
        store = os.path.dirname(store)
    disks = {}
    for path, size in ((ROOT, environment), (store, downloads), (tempfile.gettempdir(), downloads)):
        disk = disks.setdefault(os.stat(path).st_dev, [path, 0.0])
        disk[1] += size
    for path, size in disks.values():
        free = shutil.disk_usage(path).free / 1e9
        if free < size:
            less = "; TORCH=cpu needs less" if kind == "cuda" else ""
            sentence = "about {:.0f} GB of free disk are needed at {}, and {:.1f} GB are free{}"
            fail(sentence.format(size + 0.5, path, free, less))


def reason(text, code):
    """Why pip failed, in a sentence."""
    for signs, sentence in REASONS:
        if any(sign in text for sign in signs):
            return sentence
    if code < 0:
        return "pip was ended by signal %d%s" % (-code, " (out of memory?)" if code == -9 else "")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith(("ERROR", "error"))]
    return "pip failed (%s)" % (errors or lines or ["it said nothing"])[-1]


def run(command, must=True):
    """Run pip or uv with its lines in the log, and a line about it every few seconds.

    Returns how many packages were installed; -1 if it failed and need not succeed.
    """
    start = said = time.time()
    seen, lines, installed = set(), [], 0
    environment = dict(os.environ, PYTHONUNBUFFERED="1")
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        universal_newlines=True,
    )
    with open(LOG, "a") as log:
        for line in process.stdout:
            log.write(line)
            lines.append(line)
            found = re.match(r"Collecting ([\w.-]+)|Processing \S*/([\w.]+)-[^/]*\.whl", line)
            if found:  # a wheel from a folder is "processed" and not "collected"
                seen.add((found.group(1) or found.group(2)).lower().replace("_", "-"))
            if line.startswith("Installing collected packages:"):
                installed = len(line.partition(":")[2].split(","))
                say("%d packages to install; unpacking them ..." % installed)
            elif time.time() - said > 10:
                said = time.time()
                say("%.0f s, %d packages found so far ..." % (said - start, len(seen)))
    code = process.wait()
    if code and must:
        fail(reason("".join(lines), code) + "; details in .make/pip.log")
    return -1 if code else installed


def cpu_torch(pip):
    """Install PyTorch's CPU build: pip's, if an index at hand has it, else by uv, which knows where it is."""
    if not sys.platform.startswith("linux"):
        return 0  # elsewhere the build on the index is the one without CUDA
    with open(os.path.join(ROOT, "constraints.txt")) as file:
        version = re.search(r"^torch==([\w.]+)", file.read(), re.M).group(1)
    say("Installing the CPU build of PyTorch ...")
    count = run(pip + ["torch==" + version + "+cpu"], must=False)
    if count < 0:
        folder = os.path.join(ROOT, ".make", "uv")
        run(pip + ["--upgrade", "--target", folder, "uv"])
        uv = [os.path.join(folder, "bin", "uv"), "pip", "install", "--python", PYTHON]
        count = run(uv + ["--torch-backend", "cpu", "-c", "constraints.txt", "torch==" + version])
    return count


def begin(anew):
    """An environment that holds a Python and says that it is unfinished."""
    old = VENV + ".old"
    shutil.rmtree(old, ignore_errors=True)
    if anew and os.path.islink(VENV):
        fail(".venv is a link to an environment that " + anew + "; remove the link, and try again")
    if anew and os.path.exists(VENV):
        say("This .venv " + anew + ": making it anew.")
        os.rename(VENV, old)  # a moment only: an interruption leaves it whole, or gone
        shutil.rmtree(old, ignore_errors=True)
    if not os.path.exists(PYTHON):
        say("Making .venv with Python %d.%d ..." % sys.version_info[:2])
        os.makedirs(VENV, exist_ok=True)
        open(UNFINISHED, "w").close()
        with open(LOG, "a") as log:
            failed = subprocess.call([sys.executable, "-m", "venv", VENV], stdout=log, stderr=log)
        if failed:
            fail("the venv module failed (see .make/pip.log); on Debian: apt-get install python3-venv")
        return True
    if subprocess.call(
        [PYTHON, "-m", "pip", "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ):
        fail("the Python in .venv has no pip; delete the folder .venv, and try again")
    open(UNFINISHED, "w").close()
    return False


def make(extras, torch, there, anew):
    os.makedirs(os.path.dirname(LOG), exist_ok=True)
    open(LOG, "w").close()
    start = time.time()
    new = begin(anew)
    if os.path.exists(READY):
        os.remove(READY)
    say("Installing the package and its tools (one to five minutes; pip's lines are in .make/pip.log) ...")
    pip = [PYTHON, "-m", "pip", "install", "--progress-bar", "off", "--disable-pip-version-check"]
    pip += ["--no-compile"]  # Python does so where it imports: of 18,000 files most are never read
    pip += ["-c", "constraints.txt"]
    try:
        count = cpu_torch(pip) if torch == "cpu" and (new or not there) else 0
        count += run(pip + ["-e", ".[" + ",".join(extras) + "]"])
    except SystemExit:
        if not new:  # pip has undone what it began: what was there before still works
            os.remove(UNFINISHED)
        raise
    python = subprocess.check_output(
        [PYTHON, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], universal_newlines=True
    )
    kept = there["torch"] if there and not new else torch
    made = {"root": ROOT, "python": python.strip(), "extras": extras, "torch": kept, "key": key()}
    with open(READY, "w") as file:
        json.dump(made, file)
    os.remove(UNFINISHED)
    say("Ready: %d packages in %.0f s." % (count, time.time() - start))


def main():
    if set(sys.argv[1:]) & {"-h", "--help"}:
        print(__doc__.strip())
        return
    torch = os.environ.get("TORCH", "").strip()
    if torch not in ("", "cpu"):
        fail("TORCH can be cpu or nothing, and is " + repr(torch))
    there = state()
    anew = why_anew(there, torch)
    kept = there["extras"] if there else []
    extras = sorted(set(sys.argv[1:] or ["test"]) | set(kept))
    if there and not anew and kept == extras and there["key"] == key():
        return
    check_machine()
    if os.path.exists(PYTHON) and not anew:
        check_space("change")
    else:
        check_space("cuda" if sys.platform.startswith("linux") and not torch else "cpu")
    make(extras, torch, there, anew)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        print("\n[env] Interrupted. The next make begins anew.", file=sys.stderr)
        sys.exit(130)
