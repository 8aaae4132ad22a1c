"""What *Picture* leaves of a paragraph: its sentences without formulas, and symbols written as text."""

import re
from collections.abc import Iterator

from docutils import nodes
from folds import HIDDEN, SENTENCE, raw

ONLY = "only-in-picture"
SYMBOLS = {"pi": "π", "beta": "β", "theta": "θ", "eta": "η", "sigma": "σ", "mathcal L": "L", "ln": "ln"}
OVER = (":", ",", ";")  # what ends so leads over to what comes next


def symbol(tex: str) -> str:
    """A symbol that names something, as HTML without a formula; empty if it is more than that.

    >>> symbol("W_O"), symbol(r"d_{\\text{model}}"), symbol(r"\\beta > 0"), symbol(r"\\ln V")
    ('W<sub>O</sub>', 'd<sub>model</sub>', 'β', 'ln V')
    >>> symbol("(6.72, 1.18)"), symbol(r"\\tilde h"), symbol(r"1/\\sqrt{B}"), symbol("p - y")
    ('(6.72, 1.18)', 'h', '', '')
    """
    text = re.sub(r"\\(?:text|mathrm)\{(\w+)\}|\\tilde\s*", r"\1", tex).replace(" > 0", "")
    text = re.sub(r"\\(mathcal L|[a-z]+)", lambda m: SYMBOLS.get(m[1], m[0]), text)
    if found := re.fullmatch(r"(\w)_\{?(\w+)\}?", text):
        return f"{found[1]}<sub>{found[2]}</sub>"
    return text if re.fullmatch(r"\w|ln \w|\([\d., −-]+\)", text) else ""


def sentences(block: nodes.Element) -> Iterator[list[nodes.Node]]:
    """The children of a paragraph, sentence by sentence; texts are cut where one ends.

    >>> p = nodes.paragraph("", "", nodes.Text("One. "), nodes.math("x", "x"), nodes.Text(" is two. Three."))
    >>> [["".join(n.astext() for n in s)] for s in sentences(p)]
    [['One. '], ['x is two. '], ['Three.']]
    """
    now: list[nodes.Node] = []
    for child in list(block.children):
        if not isinstance(child, nodes.Text):
            now.append(child)
            continue
        parts = SENTENCE.split(str(child))
        for part in parts[:-1]:
            yield [*now, nodes.Text(f"{part} ")]
            now = []
        now.append(nodes.Text(parts[-1]))
        if re.search(r"[.!?]\s+$", parts[-1]):
            yield now
            now = []
    if now:
        yield now


def without_formulas(block: nodes.Element, names: bool, code: bool = True) -> None:
    """Marks what the picture way leaves out of a paragraph: sentences with a formula, or the whole.

    With ``names``, symbols are written as text, and one that stands behind its term in bold is dropped.
    Without ``code``, sentences with a piece of code are left out, too, and those that lead over to something.
    """
    if code and not any(block.findall(nodes.math)):
        return
    kept: list[nodes.Node] = []
    rest, gone = 0, False
    for sentence in sentences(block):
        formulas = [m for part in sentence for m in part.findall(nodes.math)]
        words = "".join(part.astext() for part in sentence).strip()
        leads = any(True for part in sentence for _ in part.findall(nodes.literal)) or words.endswith(OVER)
        if not code and leads:
            gone = True
            kept.append(nodes.inline("", "", *sentence, classes=[HIDDEN]))
            continue
        if not formulas:
            rest += not gone or len(words.split()) > 5  # (a short sentence says nothing by itself)
            kept += sentence
            continue
        as_text = {id(m): symbol(m.astext()) for m in formulas}
        dropped = {
            id(part)
            for term, space, part in zip(sentence, sentence[1:], sentence[2:], strict=False)
            if isinstance(part, nodes.math) and isinstance(term, nodes.strong) and space.astext() == " "
        }
        if not names or not all(as_text[id(m)] or id(m) in dropped for m in formulas):
            gone = True
            kept.append(nodes.inline("", "", *sentence, classes=[HIDDEN]))
            continue
        rest += 1
        for k, part in enumerate(sentence):
            if k + 1 < len(sentence) and id(sentence[k + 1]) in dropped:
                kept.append(nodes.inline("", "", part, classes=[HIDDEN]))
            elif isinstance(part, nodes.math):
                kept.append(nodes.inline("", "", part, classes=[HIDDEN]))
                if id(part) not in dropped:
                    kept.append(raw(f'<i class="{ONLY}">{as_text[id(part)]}</i>'))
            else:
                kept.append(part)
    block.clear()
    block += kept
    if not rest:
        whole = block.parent if isinstance(block.parent, nodes.list_item) else block
        whole["classes"].append(HIDDEN)
