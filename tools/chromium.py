"""Find a Chromium for the page tests, or install one: Debian's as root, else the one of playwright.

python tools/chromium.py          # one way or the other
python tools/chromium.py --debian # only Debian's, if that can be: this needs no environment
"""

from __future__ import annotations  # any Python may run it, as it may tools/environment.py

import os
import shutil
import subprocess
import sys
from pathlib import Path

# The shell is the same browser without its windows: it opens a page in two thirds of the processor's time.
SHELLS = ("chromium-headless-shell", "chrome-headless-shell")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


def find() -> str | None:
    """The path of a Chromium: $CHROMIUM, the first on the PATH, or the one that playwright installed."""
    if asked := os.environ.get("CHROMIUM"):
        return asked
    if found := next(filter(None, map(shutil.which, (*SHELLS, *BROWSERS))), None):
        return found
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:  # before there is an environment
        return None
    with sync_playwright() as p:
        path = p.chromium.executable_path
    return path if Path(path).exists() else None


def _quiet(*command: str) -> bool:
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        print(f"[chromium] {' '.join(command[:3])} failed: {done.stderr.strip()[-300:]}", file=sys.stderr)
    return done.returncode == 0


def main(arguments: list[str]) -> int:
    """Make sure that there is one, and the shell where that is easy."""
    if os.environ.get("CHROMIUM") or any(map(shutil.which, SHELLS)):
        return 0
    if hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get"):
        print("[chromium] Installing Debian's Chromium (half a minute) ...", flush=True)
        os.environ["DEBIAN_FRONTEND"] = "noninteractive"
        install = ("apt-get", "install", "-y", "--no-install-recommends")
        known = _quiet(*install, SHELLS[0]) or (_quiet("apt-get", "update") and _quiet(*install, SHELLS[0]))
        if not known and not find():  # an older Debian has only the whole browser
            _quiet(*install, "chromium")
    if find():
        return 0
    if "--debian" in arguments:
        return 0
    print("[chromium] Installing the Chromium of playwright (a minute) ...", flush=True)
    _quiet(sys.executable, "-m", "playwright", "install", "chromium")
    if find():
        return 0
    print(
        "[chromium] No Chromium: install one (Debian: apt-get install chromium) or name it in CHROMIUM.",
        file=sys.stderr,
    )
    return 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
