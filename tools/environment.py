"""Make .venv with everything that the book and its tests need, or say in one sentence why not.

Run by the Makefile with the machine's own Python; does nothing when .venv is already right.
Written so that an old Python, too, can run it far enough to say that it is too old.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, ".venv")
PYTHON = os.path.join(VENV, "Scripts" if os.name == "nt" else "bin", "python")
LOG = os.path.join(ROOT, ".make", "pip.log")
NEEDED_GB = 4

REASONS = [
    (("No space left on device",), "the disk is full: about {} GB are needed".format(NEEDED_GB)),
    (
        (
            "Temporary failure in name resolution",
            "NewConnectionError",
            "Network is unreachable",
            "ConnectTimeoutError",
            "ReadTimeoutError",
            "Max retries exceeded",
            "Could not find a version that satisfies",
            "No matching distribution found",
        ),
        "no package index could be reached (is there a network? PIP_EXTRA_INDEX_URL can name a mirror)",
    ),
]


def say(text):
    print("[env] " + text, flush=True)


def fail(sentence):
    print("[env] Cannot make the environment: " + sentence + ".", file=sys.stderr)
    sys.exit(1)


def key(extras):
    """What the environment depends on: a changed dependency makes it stale, a changed date does not."""
    digest = hashlib.sha256(("%d.%d %s %s" % (sys.version_info[:2] + (extras, ROOT))).encode())
    for name in ("pyproject.toml", "constraints.txt"):
        with open(os.path.join(ROOT, name), "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def check_machine():
    if sys.version_info < (3, 10):
        fail(
            "Python 3.10 or newer is needed, and this is %d.%d; try: make PYTHON=python3.12"
            % sys.version_info[:2]
        )
    try:
        import ensurepip
        import venv
    except ImportError:
        fail("this Python has no venv module; on Debian or Ubuntu: apt-get install python3-venv")


def check_space():
    free = shutil.disk_usage(ROOT).free / 1e9
    if free < NEEDED_GB:
        fail("about {} GB of free disk are needed, and {:.1f} GB are free".format(NEEDED_GB, free))


def install(command):
    """Run pip with its lines in a log, and a progress line every few seconds."""
    os.makedirs(os.path.dirname(LOG), exist_ok=True)
    start = said = time.time()
    packages = 0
    lines = []
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True
    )
    with open(LOG, "w") as log:
        for line in process.stdout:
            log.write(line)
            lines.append(line)
            packages += line.startswith("Collecting ")
            if line.startswith("Installing collected"):
                say("%d packages found; unpacking them ..." % packages)
            elif time.time() - said > 10:
                said = time.time()
                say("%.0f s, %d packages so far ..." % (said - start, packages))
    if process.wait():
        text = "".join(lines)
        for signs, sentence in REASONS:
            if any(sign in text for sign in signs):
                fail(sentence + "; details in .make/pip.log")
        errors = [line.strip() for line in lines if line.startswith("ERROR")]
        fail("pip failed (%s); details in .make/pip.log" % (errors[-1] if errors else "no reason given"))
    return time.time() - start


def main():
    check_machine()
    extras = ",".join(["test", *sys.argv[1:]])
    stamp = os.path.join(VENV, ".ready-" + extras)
    wanted = key(extras)
    if os.path.exists(stamp) and os.path.exists(PYTHON):
        with open(stamp) as file:
            if file.read().strip() == wanted:
                return
    check_space()
    if not os.path.exists(PYTHON):
        say("Making .venv with Python %d.%d ..." % sys.version_info[:2])
        if subprocess.call([sys.executable, "-m", "venv", VENV]):
            fail("the venv module failed; on Debian or Ubuntu: apt-get install python3-venv")
    say("Installing the package and its tools (about 2 GB, one to five minutes) ...")
    pip = [PYTHON, "-m", "pip", "install", "--progress-bar", "off", "--disable-pip-version-check"]
    seconds = install([*pip, "-c", "constraints.txt", "-e", ".[" + extras + "]"])
    with open(stamp, "w") as file:
        file.write(wanted + "\n")
    say("Ready (%.0f s)." % seconds)


if __name__ == "__main__":
    main()
