"""Lines of code on a page: what is too long is broken between the arguments of the outermost call first.

A browser breaks a long line wherever there is room no longer. So each argument, element and clause within
brackets becomes a piece that goes to the next line as a whole, and is broken only if it is wider than that
(Oppen 1980, *Prettyprinting*, in CSS: a piece is an inline block). Lines that the notebook breaks within
brackets begin where such pieces do; nothing else of the text is changed.
"""

import html
import re

PHONE = 36  # letters of code that a phone shows in a line
DOT = re.compile(r'(?<=[)\]]</span>)(<span class="o">\.</span>)')  # of a chain of calls
OPENS = re.compile(r'(<span class="p">[^<]*[(\[{]</span>)(?=(?:(?:<[^>]*>)*[^<\s]){14})')  # something long
QUOTE = r"(?:&quot;|[\"'])"
STRING = re.compile(rf'<span class="(s[12]?)">({QUOTE}(?:&\w+;|[^<&\n]){{0,24}}{QUOTE})</span>')  # not broken
MARKS = re.compile(r'<span class="p">([^<&]{2,})</span>')
TOKEN = re.compile(r"<span class=\"([^\"]*)\">([^<]*)</span>|<[^>]*>|[^<]+")
NAME = re.compile(r"[\w.,]*")
LONG_NAME = re.compile(r"(?<=>)\w{20,}(?=<)")
LEADING = re.compile(r'^(?:\s|<span class="w">\s*</span>)+')
COMMENT = re.compile(r'(.*\S.*?)(<span class="c1">.*</span>)')  # behind code
POWER = re.compile(r"(?<![\w.&#;])\d[\d.]*e-\d+(?=[^<>]*(?:<|$))")  # 1e-6: no line ends at its sign
TRAILS = tuple(":,;)]}")  # what begins no line
BINARY = re.compile(  # an operator and what begins its second operand: a line ends before them, not between
    r'(?<= )(<span class="(?:o|ow|k)">(?:[-+*/@%|^]|\*\*|//|[=!]=|(?:&[lg]t;)=?|&amp;|and|or|if|else)</span> '
    r'(?:<span class="(?!s)[^"]*">[^<]{1,24}</span>|\w{1,24}))'
)
PROMPT = re.compile(r'^<span class="gp">[^<]*</span>')  # of an example that is typed
STEP = 4  # letters further in
TRIPLE = re.compile("\"{3}|'{3}")  # begins or ends a string of several lines
END = "\x01"  # of a piece, as long as something may come behind it
CLAUSES = ("for", "if", "else", "and", "or")


def letters(code: str) -> str:
    """What is seen of highlighted code."""
    return html.unescape(re.sub(r"<[^>]*>", "", code))


def _piece(code: str) -> str:
    """One argument, element or clause, the spaces around it left outside; a short one, or a name, is none."""
    bare = code.strip(" ")
    small = len(letters(bare)) < 4 or NAME.fullmatch(letters(bare))
    return code if small else code.replace(bare, f'<span class="piece">{bare}{END}')


def _with(code: str, mark: str) -> str:
    """Put a bracket or comma behind it, and into the piece that ends there: it begins no line."""
    bare = code.rstrip(END)
    return bare + mark + code[len(bare) :]


def in_pieces(line: str, inside: bool = False) -> str:
    """A line of highlighted code (`inside` of brackets, or not), with what is between brackets cut into pieces.

    >>> in_pieces('sum<span class="p">(</span>one + other <span class="k">for</span> x<span class="p">)</span>')
    'sum<span class="p">(</span><span class="piece">one + other</span> <span class="piece"><span class="k">for</span> x<span class="p">)</span></span>'
    """  # noqa: E501
    line = line.replace('<span class="w"> </span>', " ")
    line = MARKS.sub(lambda m: "".join(f'<span class="p">{mark}</span>' for mark in m[1]), line)
    groups: list[list[str]] = [[""]]  # of each open bracket: its pieces; the line's own is one
    named = -1  # the bracket in which `for` or `lambda` lists names now: their commas do not part
    target = ""  # of an assignment: what is assigned are pieces, too

    def close(bracket: str = "") -> str:
        *pieces, last = groups.pop()  # the last is not parted from the bracket behind it
        if pieces and not last.strip():
            last = pieces.pop()
        last = _with(last, bracket)
        return "".join(map(_piece, [*pieces, last])) if pieces else last

    for found in TOKEN.finditer(line):
        token, kind, text = found[0], found[1], found[2]
        if text in ("for", "lambda"):
            named = len(groups)
        elif text in ("in", ":") and named == len(groups):
            named = -1
        if text == "=" and len(groups) == 1 and not inside:
            target, groups[0], inside = groups[0][0] + token, [""], True
        elif kind == "p" and text in "([{":
            before = letters(groups[-1][-1])
            literal = not before or before[-1] in " ="  # not that of a call: it ends no line
            groups[-1][-1] += "" if literal else token
            groups.append([token if literal else ""])
        elif kind == "p" and text in ")]}" and len(groups) > 1:
            within = close(token)
            groups[-1][-1] += within
        elif kind == "p" and text == "," and (inside or len(groups) > 1) and named != len(groups):
            groups[-1][-1] = _with(groups[-1][-1], token)
            groups[-1].append("")
        elif (
            kind in ("k", "ow") and text in CLAUSES and (inside or len(groups) > 1) and groups[-1][-1].strip()
        ):
            groups[-1].append(token)
        elif not groups[-1][-1] and len(groups[-1]) > 1 and not token.strip():
            groups[-1][-2] += token  # the space behind a comma
        elif letters(token).startswith(TRAILS):
            groups[-1][-1] = _with(groups[-1][-1], token)
        elif token != "<wbr/>" or letters(groups[-1][-1]) not in ("(", "[", "{"):
            groups[-1][-1] += token
    while len(groups) > 1:
        within = close()
        groups[-1][-1] += within
    return (target + close()).replace(END, "</span>")


class Depth:
    """How far in each line of a block begins: within brackets, a step further than the line with them."""

    def __init__(self) -> None:
        self.base, self.opened, self.in_text = 0, [], False  # of each open bracket: in which line

    def inside(self) -> bool:
        """Whether the next line begins within brackets (and not within a string)."""
        return bool(self.opened) and not self.in_text

    def indent(self, bare: str) -> int:
        """Spaces before the line that is seen as ``bare``."""
        own = len(bare) - len(bare.lstrip(" "))
        if not self.opened and not self.in_text:
            self.base = own
        if not self.inside():
            return own
        closes = len(bare.lstrip(" ")) - len(bare.lstrip(" )]}"))
        return self.base + STEP * len({*self.opened[: len(self.opened) - closes]})

    def read(self, bare: str, marks: str, number: int) -> None:
        """Take in a line: what is seen of it, its marks (brackets among them), and which it is."""
        self.in_text ^= len(TRIPLE.findall(bare)) % 2 == 1
        for mark in marks:
            if mark in "([{":
                self.opened.append(number)
            elif mark in ")]}" and self.opened:
                self.opened.pop()


def hung(code: str) -> str:
    """Lines of code that go on four letters further in when they are too long for the page.

    A number and a short string are not broken, and an operator goes with what follows it; a long name is best
    broken after a bracket or else after an underscore, a chain of calls before a dot, and a comment behind
    code goes to a line of its own. A line that begins within brackets goes on where it began, piece below
    piece. What stands behind a prompt is counted from there.

    >>> hung("  f(x)")
    '<span class="code-line" style="--hang:6ch">  f(x)\\n</span>'
    """
    lines, depth = [], Depth()
    code = STRING.sub(r'<span class="\1 kept">\2</span>', code)
    for number, line in enumerate(code.removesuffix("\n").split("\n")):
        prompt = line[: len(line) - len(PROMPT.sub("", line, count=1))]
        line, before = line[len(prompt) :], len(letters(prompt))
        bare, inside = letters(line), depth.inside()
        indent = depth.indent(bare)
        if inside and bare.strip():
            line = " " * indent + LEADING.sub("", line)
        depth.read(bare, "".join(re.findall(r'<span class="p">([^<]*)</span>', line)), number)
        if before + len(bare) > PHONE:
            behind = COMMENT.fullmatch(line)
            line, comment = behind.groups() if behind else (line, "")
            line = in_pieces(OPENS.sub(r"\1<wbr/>", DOT.sub(r"<wbr/>\1", line)), inside)
            line = LONG_NAME.sub(lambda name: name[0].replace("_", "_<wbr/>"), line)
            line += f'<span class="piece">{comment}</span>' if comment else ""
            line = BINARY.sub(r'<span class="with-next">\1</span>', line)
            line = POWER.sub(r'<span class="one-number">\g<0></span>', line)
        in_its_pieces = inside and '<span class="piece">' in line
        hang = before + indent + (0 if in_its_pieces else STEP)
        lines.append(f'<span class="code-line" style="--hang:{hang}ch">{prompt}{line}\n</span>')
    return "".join(lines)
