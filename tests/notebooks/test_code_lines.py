"""Code on a page is what the notebook holds; no piece of a line begins with what closes the one before."""

import ast
import html
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from code_lines import hung
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonConsoleLexer, PythonLexer

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))


def on_page(code):
    return hung(highlight(code, PythonLexer(stripnl=False), HtmlFormatter(nowrap=True)))


def seen(page):
    return html.unescape(re.sub("<[^>]*>", "", page)).strip("\n")


@pytest.mark.parametrize("path", NOTEBOOKS[::3], ids=lambda path: path.stem)
def test_the_code_stays_and_pieces_begin_with_something(path):
    cells = json.loads(path.read_text(encoding="utf8"))["cells"]
    codes = ["".join(cell["source"]).strip("\n") for cell in cells if cell["cell_type"] == "code"]
    pages = [*map(on_page, codes)]
    for page, code in zip(pages, codes, strict=True):
        assert [*map(str.lstrip, seen(page).split("\n"))] == [*map(str.lstrip, code.split("\n"))]
        assert ast.dump(ast.parse(seen(page))) == ast.dump(ast.parse(code))
    page = "".join(pages)
    pieces = re.findall(r'<span class="piece">(?:<[^>]*>)*(.)', page)
    assert len(pieces) > 100 and not {*pieces} & {*" ,)]}"}
    assert page.count("<span") == page.count("</span>") and "\x01" not in page


def test_lines_within_brackets_begin_a_step_further_in():
    code = """
def f():
    names = {"one": 1,
             "two": table([[2, 3],
                           [4, 5]],
                          digits=1),
    }
    text = f('''not
                 moved''',
                   7)
""".strip()
    assert (
        seen(on_page(code))
        == """
def f():
    names = {"one": 1,
        "two": table([[2, 3],
            [4, 5]],
            digits=1),
    }
    text = f('''not
                 moved''',
        7)
""".strip()
    )


def test_a_chain_breaks_before_the_dot_of_a_call_and_no_name_of_a_module_does():
    page = on_page("kept = torch.ones(size).sum(dim=1).double().mean().item() + torch.zeros(size)")
    assert page.count('<wbr/><span class="o">.</span>') == 4 and "torch</span><wbr/>" not in page


class Marked(HTMLParser):
    """What is seen, each piece within ⟦ and ⟧."""

    def __init__(self, page):
        super().__init__()
        self.seen, self.closing = "", []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        if tag == "span":
            piece = dict(attributes)["class"] == "piece"
            self.closing.append("⟧" * piece)
            self.seen += "⟦" * piece

    def handle_endtag(self, tag):
        self.seen += self.closing.pop() if tag == "span" else ""

    def handle_data(self, data):
        self.seen += data


def test_a_comment_behind_code_is_a_piece_and_a_long_name_breaks_after_an_underscore():
    line = "loss = f.binary_cross_entropy_with_logits(x)  # that of every sum, in nats"
    page = on_page(line)
    assert Marked(page).seen.strip() == line.replace(
        "# that of every sum, in nats", "⟦# that of every sum, in nats⟧"
    )
    assert "cross_<wbr/>entropy_<wbr/>with_<wbr/>logits" in page


def test_an_argument_is_one_piece_with_what_closes_it():
    line = "result = compute([first + one, second_value], key=lambda a, b: order(a, b), other=1)"
    page = on_page(line)
    wanted = "result = compute(⟦⟦[first + one,⟧ ⟦second_value],⟧⟧ ⟦key=lambda a, b: order(a, b),⟧ ⟦other=1)⟧"
    assert Marked(page).seen.strip() == wanted


def test_nothing_that_closes_stands_alone_and_no_number_is_broken():
    lines = (
        "for row, wanted in zip(axes, (labels == 3, labels != 3)):",
        'print(f"equal to a row computed by hand, to 1e-12: {abs(off) < 1e-12}")',
        "x = [f'{sum([run[key] for run in arms])}:', (first.double().mean(), 1)], False",
    )
    pages = [on_page(line) for line in lines]
    for page in pages:  # behind a piece comes a piece, or its end
        assert not re.search(r"⟧ ?[:,;.)\]}]", Marked(page).seen), Marked(page).seen
    assert pages[1].count('<span class="one-number">1e-12</span>') == 2


def test_an_operator_goes_to_the_next_line_with_what_follows_it():
    page = on_page("scores = torch.stack(cached_keys) @ query / math.sqrt(width) - (first + 2) * second")
    kept = [seen(part) for part in re.findall(r'<span class="with-next">(.*?</span>)</span>', page)]
    assert kept == ["@ query", "/ math", "- (", "+ 2", "* second"]


def test_what_is_assigned_side_by_side_are_pieces():
    line = 'Q, K, V = numbers("2 0; 0 2; 2 2"), numbers("1 0; 0 1; 1 1"), numbers("4 0; 0 4; 2 2")'
    wanted = (
        'Q, K, V = ⟦numbers("2 0; 0 2; 2 2"),⟧ ⟦numbers("1 0; 0 1; 1 1"),⟧ ⟦numbers("4 0; 0 4; 2 2")⟧'
    )
    assert Marked(on_page(line)).seen.strip() == wanted


def test_an_example_goes_on_behind_its_prompt():
    code = """
>>> model = GPT(GPTConfig(vocab_size=28, context=8, d_model=16))
>>> names = {"one": 1,
...          "two": 2}
torch.Size([2, 5, 28])
""".strip()
    page = hung(highlight(code, PythonConsoleLexer(), HtmlFormatter(nowrap=True)))
    assert seen(page).split("\n")[0] == code.split("\n")[0]
    assert re.findall(r"--hang:(\d+)ch", page) == ["8", "8", "12", "4"]
    assert seen(page).split("\n")[2:] == ['...     "two": 2}', "torch.Size([2, 5, 28])"]
