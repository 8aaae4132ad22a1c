"""Lines of code as a page shows them: a long one goes on below, broken where a programmer would break it.

What is written stays: a break is a block of the page, so that what is copied has none. Of all places where
a line may be broken (after a comma, before `for`, `if` or an operator, after a bracket) those are taken that
cost least: few lines, and few breaks deep inside brackets (as in Knuth and Plass 1981). A long string or
comment is left to the browser, which breaks it between words.
"""

import itertools
import re
from functools import cache

WIDE = 78  # letters that a desk shows in a line of code, also in a fold
STEP = 4  # how much further in a line goes on
HANG = 20  # and at most, where the next line does so, too
PIECE = re.compile(r'<span class="(\w+)">([^<]*)</span>|([^<]+)')
LETTER = re.compile(r"&#?\w+;|.", re.S)
STRINGS = re.compile(r"s\w*|c\w*")
BEFORE = {"for": 2, "if": 3, "else": 3, "and": 3, "or": 3}  # what a break before such a word costs
SIGN = re.compile(r"[-+*/@%<>=!|]|&(?:lt|gt|amp);")
NAMES = re.compile(r"\bfor (?:(?!\bin\b).)*$")  # what stands between `for` and `in`
LINE, DEEP, OVER, OTHER, OPEN = (
    4,
    3,
    30,
    14,
    9,
)  # of a line, deep inside, of what is too wide, of other places

Pieces = list[tuple[str, str]]  # classes and texts, as pygments writes them


def pieces_of(line: str) -> Pieces:
    """The marked and the bare parts of a line; none if it is written otherwise.

    >>> pieces_of('<span class="n">f</span>(x)')
    [('n', 'f'), ('', '(x)')]
    >>> pieces_of("<b>f</b>")
    []
    """
    found = list(PIECE.finditer(line))
    if "".join(m[0] for m in found) != line:
        return []
    return [(m[1] or "", m[2] if m[1] else m[3]) for m in found]


def texts(pieces: Pieces) -> list[bool]:
    """Which pieces are strings or comments; so is a value within a string.

    >>> texts([("s2", "a"), ("si", "{"), ("n", "b"), ("si", "}"), ("p", ",")])
    [True, True, True, True, False]
    """
    said, within = [], 0
    for kind, text in pieces:
        within += (text.count("{") - text.count("}")) if kind == "si" else 0
        said.append(within > 0 or bool(STRINGS.fullmatch(kind)))
    return said


def places(pieces: Pieces, goes_on: bool) -> dict[int, tuple[int, int]]:
    """Where a line may be broken: the price of it, and how many brackets are open there.

    (``goes_on``: the line stands in brackets that an earlier one opened.)

    >>> line = 'f(a, b for b in c)'
    >>> found = places([("", line)], False)
    >>> [(line[k:], price) for k, price in found.items()][:3]
    [('a, b for b in c)', (6, 1)), ('b for b in c)', (2, 1)), ('for b in c)', (2, 1))]
    """
    letters = [
        (letter, said)
        for (_, text), said in zip(pieces, texts(pieces), strict=True)
        for letter in LETTER.findall(text)
    ]
    bare = "".join(" " if text else letter[0] for letter, text in letters)
    found, depth = {}, 0
    for k, (letter, text) in enumerate(letters):
        if k and letter == "#" and text and not letters[k - 1][1] and bare[:k].strip():
            found[k] = (2, 0)  # a comment
        before, inside = letters[k - 1] if k else ("", False)
        if k and not (text and inside) and letter not in ") ]}" and bare[:k].strip():
            word = re.match(r"[a-z]*", bare[k:])
            assert word
            last = bare[:k].rstrip()[-1]
            if before in ("(", "[", "{") and not inside:
                found[k] = (6, depth)
            elif before == " " and not inside:
                price = BEFORE.get(word[0], 2 if last == "," and not NAMES.search(bare[:k]) else OTHER)
                if not depth and bare[k : k + 2] == "= ":
                    continue
                if not depth and not goes_on and last in ":,":
                    price = 2 if last == ":" else OPEN
                elif (
                    price == OTHER
                    and SIGN.match(letter)
                    and bare[k + 1 : k + 3].strip() != bare[k + 1 : k + 3]
                ):
                    price = 6
                found[k] = (price, depth)
        if not text:
            depth = max(0, depth + (letter in "([{") - (letter in ")]}"))
    return found


def breaks(pieces: Pieces, indent: int, goes_on: bool, hang: int) -> list[tuple[int, int]]:
    """The cheapest breaks of a line: where, and how far in it goes on.

    ``hang`` says how far within the first bracket.

    >>> call = "table(rows, columns=['a name of a column', 'another name of a column'], caption='said')"
    >>> [(call[k:], far) for k, far in breaks([("", call)], 0, False, 4)]
    [("caption='said')", 4)]
    """
    size = sum(len(LETTER.findall(text)) for _, text in pieces)
    may = places(pieces, goes_on)
    ends = [*may, size]

    def far(k: int) -> int:
        depth = max(may[k][1], 0 if goes_on else 1) if k else 0
        return indent + (hang + STEP * (depth - 1) if depth else 0) if k else 0

    @cache
    def best(start: int) -> tuple[float, tuple[int, ...]]:
        choices = []
        for end in ends:
            if end <= start:
                continue
            over = far(start) + end - start - WIDE - (end < size)  # (a blank at the end is not seen)
            price = LINE + (OVER * (1 + over / WIDE) if over > 0 else -over / WIDE if end < size else 0.0)
            rest: tuple[int, ...] = ()
            if end < size:
                cost, depth = may[end]
                more, rest = best(end)
                price += more + cost + DEEP * depth**2
                rest = (end, *rest)
            choices.append((price, rest))
            if over > WIDE:
                break
        return min(choices, default=(0.0, ()))

    return [(k, far(k)) for k in best(0)[1]]


def cut(pieces: Pieces, at: list[int]) -> list[str]:
    """The line as HTML, in the parts that begin at some letters.

    >>> cut([("n", "f"), ("", "(x)")], [2])
    ['<span class="n">f</span>(', 'x)']
    """
    parts, seen = [""], 0
    for kind, text in pieces:
        letters = LETTER.findall(text)
        edges = [0, *(k - seen for k in at if seen < k < seen + len(letters)), len(letters)]
        for number, (a, b) in enumerate(itertools.pairwise(edges)):
            if number or seen in at:
                parts.append("")
            text = "".join(letters[a:b])
            parts[-1] += f'<span class="{kind}">{text}</span>' if kind else text
        seen += len(letters)
    return parts


def laid_out(code: str) -> str:
    """Code in lines, and long lines in parts.

    >>> laid_out("  f(x)")
    '<span class="code-line" style="--hang:6ch">  f(x)\\n</span>'
    >>> laid_out("f(" + 30 * "a, " + "b)").count("code-more")
    1
    """
    lines, opened = [], 0
    written = code.removesuffix("\n").split("\n")
    depths = [
        len(bare) - len(bare.lstrip(" ")) for bare in (re.sub(r"<[^>]*>", "", line) for line in written)
    ]
    for line, indent, after in zip(written, depths, [*depths[1:], 0], strict=True):
        pieces = pieces_of(line)
        bare = re.sub(r"<[^>]*>", "", line)
        found = []
        opens = sum(
            (letter in "([{") - (letter in ")]}")
            for (_, text), said in zip(pieces, texts(pieces), strict=True)
            for letter in ("" if said else text)
        )
        if len(LETTER.findall(bare)) > WIDE and pieces:
            hang = after - indent if opens > 0 and 0 < after - indent <= HANG else STEP
            found = breaks(pieces, indent, opened > 0, hang)
        first, *others = cut(pieces, [k for k, _ in found]) if found else [line]
        whole = f'<span class="code-line" style="--hang:{indent + STEP}ch">{first}'
        for part, (_, far) in zip(others, found, strict=True):
            whole += f'</span><span class="code-more" style="--hang:{far + STEP}ch">{part}'
        lines.append(f"{whole}\n</span>")
        opened += opens
    return "".join(lines)
