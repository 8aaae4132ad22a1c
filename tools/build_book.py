"""Build the pages into _build/html; any warning is an error."""

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
    pages = list(out.rglob("*.html"))
    size = sum(p.stat().st_size for p in out.rglob("*") if p.is_file()) / 1e6
    seconds = time.perf_counter() - start
    print(
        f"[book] {len(pages)} pages, {size:.1f} MB, {seconds:.0f} s, no warning: open _build/html/index.html"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
