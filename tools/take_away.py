"""What a reader of the site can take along: every notebook, the package's wheel, and all in one archive.

The files stand in the folder `take` of the site. Each chapter ends with the links and the line that runs
it; the page *How to use this book* has them in its own words, and the button that keeps the site for
reading offline.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WHEEL = "import setuptools.build_meta as b, sys; b.build_wheel(sys.argv[1])"
EPOCH = (2026, 1, 1, 0, 0, 0)  # one date for all, so that the same book is the same file
RUN = "pip install neuron_to_assistant-*.whl jupyterlab matplotlib ipywidgets"
MENU = re.compile(
    r'(<div class="dropdown dropdown-download-buttons">.*?</button>\s*)<ul class="dropdown-menu">.*?</ul>',
    re.S,
)
README = f"""From One Neuron to an Assistant

Read: open pages/index.html in a browser. No network is needed.
Run:  cd notebooks; {RUN}; jupyter lab
"""


def build_wheel(folder: Path) -> Path:
    """The package's wheel, made in a copy so that nothing is left behind here."""
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place) / "package"
        shutil.copytree(
            ROOT / "support", copy / "support", ignore=shutil.ignore_patterns("__pycache__", ".runs")
        )
        for name in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(ROOT / name, copy)
        done = subprocess.run(
            [sys.executable, "-c", WHEEL, str(folder.resolve())],
            cwd=copy,
            capture_output=True,
            text=True,
            env=os.environ | {"SOURCE_DATE_EPOCH": "1767225600"},
        )
    if done.returncode:
        raise RuntimeError(f"the wheel was not built: {done.stderr.strip()[-400:]}")
    return next(folder.glob("*.whl"))


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    kept = zipfile.ZIP_STORED if name.endswith((".png", ".woff2", ".whl")) else zipfile.ZIP_DEFLATED
    archive.writestr(zipfile.ZipInfo(name, EPOCH), content, kept, 6)


def line(root: str, wheel: str, notebook: str, archive: str, megabytes: float) -> str:
    """The links, and how to run what they give."""
    return (
        f'<div class="take-away" id="take-away"><p><b>Take it with you:</b> '
        f'<a href="{root}_sources/{notebook}" download>this chapter as a notebook</a>, '
        f'<a href="{root}take/{wheel}" download>the package as a wheel</a>, '
        f'<a href="{root}take/{archive}" download>everything in one archive ({megabytes:.0f} MB)</a>. '
        '<span class="not-in-picture">With notebook and wheel in one folder: '
        f"<code>{RUN}</code> and <code>jupyter lab</code>. "
        "On Colab, upload both and run all cells.</span></p></div>"
    )


def menu(root: str, notebook: str, archive: str, megabytes: float) -> str:
    """What the menu at the head of a page offers: to print, to keep, to run; each says what it is."""
    entries = [("How to run the chapters as notebooks", f'href="{root}book/how_to_use.html#run-it"')]
    if notebook:
        entries.insert(
            0, ("This chapter as a notebook (.ipynb)", f'href="{root}_sources/{notebook}" download')
        )
    entries += [
        ("Keep the whole book on this device, offline", f'href="{root}book/how_to_use.html#read-it"'),
        (f"Everything in one archive ({megabytes:.0f} MB)", f'href="{root}take/{archive}" download'),
    ]
    rows = [f'<li><a class="dropdown-item" {link}>{words}</a></li>' for words, link in entries]
    prints = '<button class="dropdown-item" type="button" data-prints="">Print this page, or save it as PDF'
    rows.append(f"<li>{prints}</button></li>")
    return f'<ul class="dropdown-menu">{"".join(rows)}</ul>'


def write(site: Path) -> None:
    """Make the files, and put the links into the pages."""
    take = site / "take"
    take.mkdir()
    wheel = build_wheel(take).name
    notebooks = sorted((site / "_sources" / "notebooks").glob("*.ipynb"))
    name = "from-one-neuron-to-an-assistant.zip"
    pages = [p for p in sorted(site.rglob("*")) if p.is_file() and not {"take", "_sources"} & set(p.parts)]
    with zipfile.ZipFile(take / name, "w") as archive:
        _add(archive, "README.txt", README.encode())
        for path in notebooks:
            _add(archive, f"notebooks/{path.name}", path.read_bytes())
        _add(archive, f"notebooks/{wheel}", (take / wheel).read_bytes())
        for path in pages:
            _add(archive, f"pages/{path.relative_to(site).as_posix()}", path.read_bytes())
    megabytes = (take / name).stat().st_size / 1e6
    for path in [*(site / "notebooks").glob("*.html"), *(site / "book").glob("*.html")]:
        chapter = path.parent.name == "notebooks"
        rows = menu("../", f"notebooks/{path.stem}.ipynb" if chapter else "", name, megabytes)
        text = path.read_text(encoding="utf8").replace(
            'aria-label="Download this page"', 'aria-label="Keep, run or print" title="Keep, run or print"'
        )
        path.write_text(MENU.sub(lambda m, rows=rows: f"{m[1]}{rows}", text), encoding="utf8")
    for path in (site / "notebooks").glob("*.html"):
        links = line("../", wheel, f"notebooks/{path.stem}.ipynb", name, megabytes)
        text = path.read_text(encoding="utf8")
        text = re.sub(r"(\s*</article>)", lambda m, links=links: f"\n{links}{m[1]}", text, count=1)
        path.write_text(text, encoding="utf8")
    path = site / "book" / "how_to_use.html"
    text = path.read_text(encoding="utf8")
    for mark, word in (("THE_WHEEL", wheel), ("THE_ARCHIVE", name), ("THE_SIZE", f"{megabytes:.0f} MB")):
        text = text.replace(mark, word)
    path.write_text(text, encoding="utf8")
