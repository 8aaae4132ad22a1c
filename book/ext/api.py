"""The package's reference: signatures that can be read, each field of a named tuple described once.

Of each entry the signature and the first paragraph are seen; below them the rest is folded.
"""

import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from folds import raw
from sphinx import addnodes

# The default of a dataclass's field that is made anew, and the name of a function: neither is Python.
NO_VALUE = re.compile(r"=( ?)<(?:[^<>]|<[^<>]*>)*>")
# A default that is an object, such as TrainConfig(steps=150, …) or array([…]): it would fill lines.
OBJECT = re.compile(r"=( ?)(\w+)\((?:[^()]|\([^()]*\))+\)")

ROOT = Path(__file__).resolve().parents[2]
SHORT = 300  # letters of an entry without parameters and members that is not folded


def plain(signature: str) -> str:
    """A signature without the limits of its numbers, which the docstring says, and with short defaults.

    A default that is no Python becomes ``...``, and so do the arguments of one that is an object.

    >>> plain("(n: Annotated[int, Ge(ge=1)] = 3, kept: list[~a.B] = <factory>, f=<function f at 0x7f>)")
    '(n: int = 3, kept: list[~a.B] = ..., f=...)'
    >>> plain("(x: tuple[Annotated[float, Ge(ge=0), Lt(lt=1)], Annotated[float, Ge(ge=0)]] | None)")
    '(x: tuple[float, float] | None)'
    >>> plain("(a: TrainConfig = TrainConfig(steps=150, betas=(0.9, 0.98)), b: tuple = ('q', 'k'))")
    "(a: TrainConfig = TrainConfig(...), b: tuple = ('q', 'k'))"
    """
    while (begin := signature.find("Annotated[")) >= 0:
        depth, first = 0, None
        for end in range(begin + len("Annotated"), len(signature)):
            depth += (signature[end] in "[(") - (signature[end] in "])")
            if depth == 1 and signature[end] == "," and first is None:
                first = end
            if not depth:
                break
        else:
            raise ValueError(f"no end of Annotated[ in {signature!r}")
        kept = signature[begin + len("Annotated[") : first]
        signature = signature[:begin] + kept + signature[end + 1 :]
    return OBJECT.sub(r"=\1\2(...)", NO_VALUE.sub(r"=\1...", signature))


def readable(
    app: Any, what: str, name: str, owner: Any, options: Any, signature: str | None, returned: str | None
) -> tuple[str | None, str | None]:
    """Both parts of a signature, plain; a protocol, which nobody makes, has none."""
    if what == "class" and signature == "(*args, **kwargs)":
        signature = ""
    return signature and plain(signature), returned and plain(returned)


def keep_first_line(app: Any, what: str, name: str, owner: Any, options: Any, lines: list[str]) -> None:
    """A property's docstring as it stands, behind an empty comment.

    Napoleon takes what its first line has before a colon for its type, and skips empty lines.
    """
    if what in ("property", "attribute", "data"):
        lines[:0] = ["..", ""]


def skip_field(app: Any, what: str, name: str, member: Any, skip: bool, options: Any) -> bool | None:
    """Leave out what `collections.namedtuple` says of a field ("Alias for field number 0"), and arrays."""
    return True if type(member).__name__ in ("_tuplegetter", "ndarray") else None


def contains(rest: list[nodes.Node]) -> Iterator[str]:
    """What a fold of an entry holds, in a word or two for each kind: its fields, an example, its members."""
    for part in rest:
        if isinstance(part, nodes.field_list):
            yield from (field[0].astext() for field in part.findall(nodes.field))
    if any(isinstance(part, nodes.doctest_block | nodes.literal_block) for part in rest):
        yield "Example"
    if isinstance(rest[-1], nodes.raw):
        yield "Code"
    for part in rest:
        if isinstance(part, addnodes.desc):
            called = "()" if part["objtype"] == "method" else ""
            yield from (f"{name['ids'][0].rsplit('.')[-1]}{called}" for name in part[:-1] if name["ids"])


def file_of(module: str, name: str) -> str:
    """The file of the package that holds the code of a function or class; nothing for what has none.

    >>> file_of("support.text", "Vocabulary"), file_of("support.worlds", "NAMES")
    ('support/text/vocabulary.py', '')
    """
    owner: Any = importlib.import_module(module)
    for part in name.split("."):
        owner = getattr(owner, part, None)
    if not (inspect.isclass(owner) or inspect.isroutine(owner)):
        return ""
    path = Path(inspect.getsourcefile(inspect.unwrap(owner)) or "")
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else ""


def name_file(entry: addnodes.desc) -> None:
    """Say below an entry in which file its code is."""
    told = entry[0]
    path = file_of(told["module"], told["fullname"]) if told.get("module") else ""
    if path:
        entry[-1].append(raw(f'<p class="api-file">Its code: <code>{path}</code></p>'))


def folded(entry: addnodes.desc) -> None:
    """Fold what stands below the first paragraph of an entry, unless that is a short paragraph."""
    content = entry[-1]
    rest = content[1:] if content.children and isinstance(content[0], nodes.paragraph) else []
    if not rest or (
        all(isinstance(part, nodes.paragraph | nodes.raw) for part in rest) and len(content.astext()) < SHORT
    ):
        return
    says = " · ".join(contains(rest)) or "More"
    content.insert(1, raw(f'<details class="api-more"><summary>{says}</summary>'))
    content.append(raw("</details>"))


def fold(app: Any, document: nodes.document) -> None:
    """Fold the entries of a page; the members of a class are folded with it, and not once more."""
    for entry in list(document.findall(addnodes.desc)):
        if entry["domain"] == "py" and not isinstance(entry.parent, addnodes.desc_content):
            name_file(entry)
            folded(entry)


def setup(app: Any) -> dict[str, bool]:
    app.connect("doctree-read", fold)
    app.connect("autodoc-skip-member", skip_field)
    app.connect("autodoc-process-signature", readable)
    app.connect("autodoc-process-docstring", keep_first_line, priority=400)  # before napoleon
    return {"parallel_read_safe": True, "parallel_write_safe": True}
