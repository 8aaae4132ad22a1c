"""What the chapters cite agrees with `references.bib`; in there all is complete, and all is cited."""

import json
import re
import unicodedata
from pathlib import Path

import pytest
import references
from pybtex.backends.plaintext import Backend
from pybtex.database import parse_file

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
PLAIN = Backend()  # by its name, it would be looked for among all installed packages each time
ENTRIES = parse_file(str(references.BIB)).entries
VENUE = {"inproceedings": "booktitle", "article": "journal", "techreport": "institution"}
TITLE = re.compile(r"(?<!\*)\*([^*\n]+)\*(?!\*)")
SIGN = re.compile(r"<!--.*?-->|[{}]")


def prose(path):
    cells = json.loads(path.read_text(encoding="utf8"))["cells"]
    return "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")


def surname(entry):
    """The first author's last name as a reader sees it, without TeX."""
    return entry.persons["author"][0].rich_last_names[-1].render(PLAIN).strip("{}")


def titles():
    """A title, or a short one, without its capitals and signs → the keys of the works that have it."""
    found = {}
    for key, entry in ENTRIES.items():
        for name in {entry.fields["title"], entry.fields.get("shorttitle", entry.fields["title"])}:
            found.setdefault(references.plain(name), []).append(key)
    return found


KEYS = titles()


def named(text):
    """The works whose title, or short title, the text sets in italics."""
    return [key for title in TITLE.findall(text) for key in KEYS.get(references.plain(title), [])]


@pytest.mark.parametrize("key", ENTRIES)
def test_an_entry_is_complete(key):
    entry = ENTRIES[key]
    assert entry.persons["author"]
    assert entry.fields["title"]
    assert re.fullmatch(r"(1[89]|20)\d\d", entry.fields["year"])
    if entry.type == "misc":
        assert entry.fields.get("archiveprefix") == "arXiv" or entry.fields.get("howpublished")
    else:
        assert entry.fields[VENUE[entry.type]]
    assert ("eprint" in entry.fields) == ("archiveprefix" in entry.fields)
    assert references.address(entry.fields).startswith("https://")
    plain = unicodedata.normalize("NFKD", surname(entry)).encode("ascii", "ignore").decode().lower()
    assert key.startswith(plain.partition("-")[0]), "a key begins with the first author's last name"


def test_no_work_stands_there_twice():
    for field in ("title", "doi", "eprint"):
        values = [references.plain(e.fields[field]) for e in ENTRIES.values() if field in e.fields]
        assert len(values) == len(set(values)), field


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_list_names_each_work_with_its_author_and_its_year(path):
    """In a chapter's list of references. Which of two works a shared title means, its year says."""
    listed = prose(path).partition("\n## References")[2]
    assert listed
    for item in SIGN.sub("", listed).split("\n- "):
        for key in named(item):
            entry = ENTRIES[key]
            assert surname(entry).split()[-1] in item, (key, item)
            assert re.search(rf"\b{entry.fields['year']}\b", item), (key, entry.fields["year"], item)


def test_every_entry_is_cited():
    """By its title in a chapter, or on the timeline."""
    cited = {key for path in NOTEBOOKS for key in named(prose(path))}
    events = json.loads((ROOT / "book" / "timeline.json").read_text(encoding="utf8"))
    cited |= {event["key"] for event in events}
    assert set(ENTRIES) - cited == set()
    assert cited - {""} <= set(ENTRIES)
