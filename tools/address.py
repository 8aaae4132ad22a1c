"""Set the repository's address, in `_config.yml`, and stamp it into the first cell of every notebook.

python tools/address.py https://example.org/me/book
python tools/address.py git@example.org:me/book.git   # the same: it is set as https://example.org/me/book
python tools/address.py none                          # takes it out again
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import refresh

ROOT = Path(__file__).resolve().parent.parent
SHORT = re.compile(r"(?:[\w.-]+@)(?P<host>[\w.-]+):(?P<path>[^/\s]\S*)")  # as git writes it for ssh


def wanted(word: str) -> str:
    """The address that a word names, as it is set: one that a reader's browser and pip can open.

    >>> wanted("git@example.org:me/book.git")
    'https://example.org/me/book'
    >>> wanted("https://example.org/me/book/")
    'https://example.org/me/book'
    """
    if found := SHORT.fullmatch(word):
        word = f"https://{found['host']}/{found['path'].removesuffix('.git')}"
    if not re.fullmatch(r"(https?|ssh|file)://[^\s\"'\\]+", word):
        raise ValueError(f"{word!r} is no address: it starts with https://, ssh://, file:// or git@")
    return word.rstrip("/")


def main() -> int:
    """Check the address, write it, stamp it."""
    word = sys.argv[1].strip() if len(sys.argv) == 2 else ""
    config = ROOT / "_config.yml"
    text = config.read_text(encoding="utf8")
    if not word:
        there = re.search(r'(?m)^  url: "?(.*?)"?$', text)
        kept = f"{there[1]} is kept" if there and there[1] else "none is set"
        print(
            f"[address] Which? make address URL=https://..., or URL=none to take it out; {kept}.",
            file=sys.stderr,
        )
        return 1
    try:
        url = "" if word == "none" else wanted(word)
    except ValueError as error:
        print(f"[address] {error}.", file=sys.stderr)
        return 1
    text, count = re.subn(r"(?m)^  url: .*$", lambda _: f'  url: "{url}"', text, count=1)
    if not count:
        print("[address] _config.yml has no line `  url:` under `repository:`.", file=sys.stderr)
        return 1
    config.write_text(text, encoding="utf8")
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        refresh.refresh(path, execute=False)
    print(f"[address] {url or 'taken out'}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
