"""The numbers in the prose of a notebook, and the computed values that they are bound to.

A numeral in a markdown cell is followed by an HTML comment that names its source:
`the answer has probability 0.9998<!-- p_tarso -->`. The name is one that a code cell of the same notebook
gave to `bind(p_tarso=...)`, whose stored output has the line `p_tarso = 0.9998`, or one of the declared
exemptions below. This module finds the numerals, compares them, and rewrites them; `tools/refresh.py`,
the tests and the page extension all use it, so that there is one rule only.

>>> [n.text for n in numerals("GPT-2 has `12` layers: 12<!-- n --> of them, h2 and −3.5<!-- x -->.")]
['12', '−3.5']
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

EXEMPT = {
    "year": "a year",
    "cite": "a figure that a cited paper reports",
    "label": "the number of a chapter, a step, an exercise, a version",
    "source": "a value that a source prints, quoted to be compared",
    "given": "an input of a hand example, typed as such in a code cell",
}

NUMERAL = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)*(?:[eE][-+−]?\d+)?")
MATH_NUMERAL = re.compile(r"\d{1,3}(?:(?:\{,\}|\\,)\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")
# Emphasis or a percent sign may stand between a numeral and its comment.
NAMES = re.compile(r"[*_%]{0,4}<!--\s*([A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*)\s*-->")
MINUS = "-−"

# What is not prose, in the order in which it is blanked out. Comments stay: they carry the names.
NOT_PROSE = [
    re.compile(r"^(?P<fence>`{3,}|~{3,}).*?^(?P=fence)[`~]*[ \t]*$", re.S | re.M),
    re.compile(r"(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)", re.S),
    re.compile(r"!\[[^\]]*\]\([^)\s]*(?:\s+\"[^\"]*\")?\)"),
    re.compile(r"(?<=\])\([^)\s]*(?:\s+\"[^\"]*\")?\)"),
    re.compile(r"\[\^[^\]]+\]"),
    re.compile(r"<?https?://[^\s>)\]]+>?"),
    re.compile(r"</?[A-Za-z][^<>]*>"),
    re.compile(r"&#?\w+;"),
    re.compile(r"^[ \t>]*(?:[-*+][ \t]+)*\d{1,9}[.)](?=[ \t])", re.M),
]
MATH = re.compile(
    r"(?<!\\)\$\$(?P<block>.+?)(?<!\\)\$\$"
    r"|\\begin\{(?P<env>[a-z]+\*?)\}(?P<body>.+?)\\end\{(?P=env)\}"
    r"|(?<![\\\w$])\$(?!\s)(?P<inline>[^$\n]+?(?:\n[^$\n]+?)*)(?<![\s\\])\$(?![\d$])",
    re.S,
)


@dataclass(frozen=True)
class Numeral:
    """One numeral of the prose: its text (with its sign), where it stands, and the name beside it."""

    text: str
    start: int
    end: int
    name: str | None
    math: bool = False
    minus_before: bool = False  # in a formula: a minus that may be an operator or a sign
    trouble: str = ""

    @property
    def value(self) -> str:
        """The numeral as it is compared: plain minus, no thousands separators."""
        return normal(self.text)


def normal(text: str) -> str:
    """A numeral without what is only typography.

    >>> normal("−12,345.0"), normal("12{,}345")
    ('-12345.0', '12345')
    """
    text = text.replace("{,}", "").replace("\\,", "").replace("−", "-").replace("\N{THIN SPACE}", "")
    return re.sub(r",(?=\d{3})", "", text).strip().removeprefix("+").removesuffix("%").strip()


def _blank(text: str, pattern: re.Pattern[str]) -> str:
    return pattern.sub(lambda m: re.sub(r"[^\n]", "\0", m.group()), text)


def _blank_comments(text: str) -> str:
    return _blank(text, re.compile(r"<!--.*?-->", re.S))


def _blank_scripts(formula: str) -> str:
    """Blank the sub- and superscripts of a formula: they are notation."""
    out = list(formula)
    i = 0
    while i < len(formula):
        if formula[i] in "_^" and (i == 0 or formula[i - 1] != "\\"):
            j = i + 1
            while j < len(formula) and formula[j] == " ":
                j += 1
            if j < len(formula) and formula[j] == "{":
                depth, k = 1, j + 1
                while k < len(formula) and depth:
                    depth += {"{": 1, "}": -1}.get(formula[k], 0)
                    k += 1
            elif j < len(formula) and formula[j] == "\\":
                k = re.compile(r"\\[A-Za-z]+|\\.").match(formula, j).end()
            else:
                k = j + 1
            out[i:k] = "\0" * (k - i)
            i = k
        else:
            i += 1
    blanked = "".join(out)
    # Lengths and sizes are typography, too.
    return _blank(blanked, re.compile(r"\\[hv]space\*?\{[^}]*\}|\\\\\[[^\]]*\]|\[\d+(?:pt|em|ex)\]"))


def _math_numerals(formula: str, start: int, names: list[str]) -> list[Numeral]:
    text = _blank_scripts(formula)
    every = [m for m in MATH_NUMERAL.finditer(text) if not re.search(r"[A-Za-z]$", text[: m.start()][-1:])]
    needed = [m for m in every if m.group() not in {"0", "1", "2"}]
    chosen, trouble = needed, ""
    if len(names) == 1 and names[0] in EXEMPT:
        given: list[str | None] = [names[0]] * len(needed)
    elif len(names) == len(needed):
        given = list(names)
    elif len(names) == len(every):
        chosen, given = every, list(names)
    else:
        given = [None] * len(needed)
        if names:
            trouble = f"the formula has {len(needed)} numerals beyond 0, 1 and 2, but {len(names)} names"
    found = []
    for m, name in zip(chosen, given, strict=True):
        before = text[: m.start()].rstrip(" \0")
        minus, sign = before[-1:] in tuple(MINUS), ""
        begin = m.start()
        # A minus after nothing, a relation or an opening bracket is a sign; after a term, an operator.
        if minus and re.search(r"(^|[=<>(\[{,&|]|\\[A-Za-z]+)\s*$", before[:-1]):
            sign, begin = before[-1], len(before) - 1
        found.append(
            Numeral(
                text=(sign + m.group()),
                start=start + begin,
                end=start + m.end(),
                name=name,
                math=True,
                minus_before=minus and not sign,
                trouble=trouble,
            )
        )
    return found


def numerals(markdown: str) -> list[Numeral]:
    """Every numeral of a markdown text that must be bound, in order, with the name given to it.

    Not counted: code, addresses, list markers, digits inside names (`GPT-2`, `float32`, `h2`), and in a
    formula 0, 1, 2 and whatever stands in a sub- or superscript.

    >>> [(n.text, n.name) for n in numerals(r"$3 \\times 4 = 12$<!-- given, given, product --> in 2017")]
    [('3', 'given'), ('4', 'given'), ('12', 'product'), ('2017', None)]
    >>> numerals("$x_{17}^2 + 2$, and 81.3<!-- share -->%")[0].name
    'share'
    """
    text = markdown
    for pattern in NOT_PROSE:
        text = _blank(text, pattern)
    found: list[Numeral] = []
    for m in MATH.finditer(text):
        group = "block" if m.group("block") else "body" if m.group("env") else "inline"
        rest = text[m.end() :]
        skip = 0 if group == "inline" else len(rest) - len(rest.lstrip())
        beside = NAMES.match(rest, skip)
        names = re.split(r"\s*,\s*", beside.group(1)) if beside else []
        found += _math_numerals(m.group(group), m.start(group), names)
    plain = _blank(text, MATH)
    visible = _blank_comments(plain)
    for m in NUMERAL.finditer(visible):
        before = visible[: m.start()]
        # A digit that continues a word (h2, GPT-2, arXiv:1706.03762) is part of a name.
        if re.search(r"(?:[^\W\d]|[^\W\d]-|[^\W\d]:|[\d.])$", before):
            continue
        start = m.start()
        if before[-1:] in tuple(MINUS) and not re.search(r"[\w)\]%]$", before[:-1]):
            start -= 1
        beside = NAMES.match(markdown, m.end())
        names = re.split(r"\s*,\s*", beside.group(1)) if beside else []
        found.append(
            Numeral(
                text=markdown[start : m.end()],
                start=start,
                end=m.end(),
                name=names[0] if len(names) == 1 else None,
                trouble=f"one numeral, but {len(names)} names" if len(names) > 1 else "",
            )
        )
    return sorted(found, key=lambda n: n.start)


def _source(cell) -> str:
    source = cell["source"]
    return source if isinstance(source, str) else "".join(source)


def bound_values(notebook) -> tuple[dict[str, str], list[str]]:
    """What the `bind(...)` cells of a notebook stored, and complaints about names bound twice."""
    values: dict[str, str] = {}
    complaints = []
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code" or not re.search(r"\bbind\(", _source(cell)):
            continue
        for output in cell.get("outputs", []):
            text = output.get("data", {}).get("text/plain", output.get("text", ""))
            for line in ("".join(text)).splitlines():
                m = re.fullmatch(r"([A-Za-z_]\w*) = (.*)", line.strip())
                if not m:
                    continue
                name, value = m.group(1), m.group(2).strip().strip("'\"")
                if name in EXEMPT:
                    complaints.append(f"`{name}` is the name of an exemption; bind it under another name")
                elif values.setdefault(name, value) != value:
                    complaints.append(f"`{name}` is bound twice, to {values[name]} and to {value}")
    return values, complaints


def _agrees(numeral: Numeral, value: str) -> bool:
    value = normal(value)
    if numeral.math and numeral.minus_before:
        return numeral.value in (value, value.removeprefix("-"))
    return numeral.value == value


def _typed_numbers(notebook) -> set[float]:
    source = "\n".join(_source(c) for c in notebook["cells"] if c["cell_type"] == "code")
    return {float(n.replace("_", "")) for n in re.findall(r"\d[\d_]*(?:\.\d+)?(?:e-?\d+)?", source)}


def _prose(notebook) -> Iterable[tuple[int, object, list[Numeral]]]:
    """Each markdown cell with its numerals; from the heading *References* on, a list of works is exempt."""
    references = False
    for k, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] != "markdown":
            continue
        text = _source(cell)
        heading = re.search(r"^#{1,3}\s+References\b", text, re.M)
        cut = 0 if references else heading.start() if heading else len(text)
        references = references or bool(heading)
        yield k, cell, [n for n in numerals(text) if n.start < cut]


def problems(notebook) -> list[str]:
    """One sentence for each numeral of a notebook's prose that is unbound, unknown or wrong.

    >>> cells = [{"cell_type": "markdown", "source": "It has 28<!-- n -->, and 3 groups."},
    ...          {"cell_type": "code", "source": "bind(n=27)",
    ...           "outputs": [{"data": {"text/plain": "n = 27"}}]}]
    >>> for problem in problems({"cells": cells}): print(problem)
    cell 0: the prose says 28, but `n` is 27, at "It has 28<!-- n -->, and 3 g"
    cell 0: 3 is not bound: write 3<!-- name -->, at "as 28<!-- n -->, and 3 groups."
    """
    values, complaints = bound_values(notebook)
    typed = _typed_numbers(notebook)
    for k, cell, found in _prose(notebook):
        text = _source(cell)
        for n in found:
            place = text[max(0, n.start - 21) : n.end + 19]
            place = f'at "{" ".join(place.split())}"'
            if n.trouble:
                complaints.append(f"cell {k}: {n.trouble}, {place}")
            elif n.name is None:
                where = "after the formula" if n.math else f"write {n.text}<!-- name -->"
                how = f"name its source {where}" if n.math else where
                complaints.append(f"cell {k}: {n.text} is not bound: {how}, {place}")
            elif n.name == "year":
                if not re.fullmatch(r"1[6-9]\d\d|20\d\d", n.text):
                    complaints.append(f"cell {k}: {n.text} is declared a year, {place}")
            elif n.name == "given":
                if abs(float(n.value.replace("−", "-"))) not in typed:
                    complaints.append(
                        f"cell {k}: {n.text} is declared given, but no code cell types it, {place}"
                    )
            elif n.name not in EXEMPT:
                if n.name not in values:
                    complaints.append(f"cell {k}: `{n.name}` is bound by no code cell, {place}")
                elif not _agrees(n, values[n.name]):
                    complaints.append(
                        f"cell {k}: the prose says {n.text}, but `{n.name}` is {values[n.name]}, {place}"
                    )
    return complaints


def _written(numeral: Numeral, value: str) -> str:
    if numeral.math:
        if numeral.minus_before:
            value = value.removeprefix("-")
        return value.replace(",", "{,}")
    return value.removesuffix("%").replace("-", "−", 1) if value.startswith("-") else value.removesuffix("%")


def rewrite(notebook) -> list[str]:
    """Write the bound values into the prose, in place; returns what changed, one sentence each."""
    values, _ = bound_values(notebook)
    changes = []
    for k, cell, found in _prose(notebook):
        text = _source(cell)
        for n in reversed(found):
            value = values.get(n.name or "")
            if value is None or _agrees(n, value) or not re.fullmatch(r"[-−]?[\d.,eE+-]+%?", value):
                continue
            new = _written(n, value)
            text = text[: n.start] + new + text[n.end :]
            changes.append(f"cell {k}: {n.text} is now {new} ({n.name})")
        cell["source"] = text
    return changes
