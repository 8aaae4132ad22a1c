"""Build the pages into _build/html; any warning is an error."""

import hashlib
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# jupyter-book's own has no title, and no icon, for which a browser then asks in vain.
FRONT_DOOR = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>From One Neuron to an Assistant</title>
<link rel="icon" href="data:,">
<meta http-equiv="refresh" content="0; url=book/index.html">
</head>
<body><a href="book/index.html">From One Neuron to an Assistant</a></body>
</html>
"""


def write_offline_script(out: Path) -> None:
    """The script that keeps the site for a reader without a network: it names every file of this build."""
    files = [p for p in sorted(out.rglob("*")) if p.is_file() and p.suffix not in (".inv", ".js.map")]
    names = [p.relative_to(out).as_posix() for p in files if not p.name.startswith(".")]
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.read_bytes())
    script = (ROOT / "tools" / "offline.js").read_text(encoding="utf8")
    script = script.replace("@VERSION@", digest.hexdigest()[:12]).replace(
        "@FILES@", json.dumps(["./", *names])
    )
    (out / "offline.js").write_text(script, encoding="utf8")


def main() -> int:
    """Build; on failure show the warnings and the errors, on success the size of the site."""
    print("[book] Building the pages (half a minute; the stored outputs are used) ...", flush=True)
    start = time.perf_counter()
    out = ROOT / "_build" / "html"
    # Always from nothing: a page that is no longer in the table of contents must not linger.
    shutil.rmtree(ROOT / "_build", ignore_errors=True)
    command = [str(Path(sys.executable).with_name("jupyter-book")), "build", ".", "-W", "--keep-going", "-n"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    text = done.stdout + done.stderr
    (ROOT / ".make").mkdir(exist_ok=True)
    (ROOT / ".make" / "book.log").write_text(text, encoding="utf8")
    warnings = [line for line in text.splitlines() if "WARNING" in line or "ERROR" in line]
    if done.returncode or warnings:
        print("\n".join(warnings[:25] or text.splitlines()[-25:]), file=sys.stderr)
        print(f"[book] Failed with {len(warnings)} warning(s); all lines in .make/book.log.", file=sys.stderr)
        return 1
    (out / "index.html").write_text(FRONT_DOOR, encoding="utf8")
    write_offline_script(out)
    pages = list(out.rglob("*.html"))
    size = sum(p.stat().st_size for p in out.rglob("*") if p.is_file()) / 1e6
    seconds = time.perf_counter() - start
    print(
        f"[book] {len(pages)} pages, {size:.1f} MB, {seconds:.0f} s, no warning: open _build/html/index.html"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
