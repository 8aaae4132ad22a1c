"""Put the built pages, the notebooks and the wheel into dist/book.zip: all that a reader offline needs."""

import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Write the archive; the newest wheel stands beside the notebooks, where their first cell looks."""
    target = ROOT / "dist" / "book.zip"
    pages = ROOT / "_build" / "html"
    wheel = max((ROOT / "dist").glob("*.whl"), key=lambda p: p.stat().st_mtime)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(pages.rglob("*")):
            if path.is_file():
                archive.write(path, Path("book") / "pages" / path.relative_to(pages))
        for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
            archive.write(path, Path("book") / "notebooks" / path.name)
        archive.write(wheel, Path("book") / "notebooks" / wheel.name)
    print(f"[zip] dist/book.zip, {target.stat().st_size / 1e6:.1f} MB: open book/pages/index.html in it")


if __name__ == "__main__":
    main()
