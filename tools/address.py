"""Set the repository's address, in `_config.yml`, and stamp it into the first cell of every notebook.

python tools/address.py https://example.org/me/book   # or "" to take it out again
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import refresh

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    """Check the address, write it, stamp it."""
    if len(sys.argv) != 2:
        print("[address] Say which: make address URL=https://...", file=sys.stderr)
        return 1
    url = sys.argv[1].strip()
    if url and not re.fullmatch(r"(https?|ssh|file)://\S+", url):
        print(
            f"[address] {url!r} is no address: it starts with https://, ssh:// or file://.", file=sys.stderr
        )
        return 1
    config = ROOT / "_config.yml"
    text = config.read_text(encoding="utf8")
    text = re.sub(r"(?m)^  url: .*$", f'  url: "{url}"', text, count=1)
    config.write_text(text, encoding="utf8")
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        refresh.refresh(path, execute=False)
    print(f"[address] {url or 'taken out'}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
