"""What a cell judged, as a list with ticks instead of a line that ends in `True`.

A cell whose numbers differ from machine to machine prints a sentence and whether it holds. On the page, the
lines that end so become a list; the other lines, and those that do not hold, stay as they were printed.
"""

import re
from collections.abc import Iterator
from html import escape
from itertools import groupby
from typing import Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

HOLDS = re.compile(r"(.+?):\s+True(?:$|;?\s+(?:· )?)")


def judged(line: str) -> list[str]:
    """The sentences of a printed line if it says that each of them holds, else none.

    >>> judged("equal to torch.optim.Adam to 1e-12: True")
    ['equal to torch.optim.Adam to 1e-12']
    >>> judged("one step: above 0.9: True;  two steps: below 0.5: True"), judged("a: True · b:  True ")
    (['one step: above 0.9', 'two steps: below 0.5'], ['a', 'b'])
    >>> judged("a: False"), judged("a: True · b: False"), judged("b: 3"), judged("0.0 True")
    ([], [], [], [])
    """
    line = line.strip()
    found = HOLDS.findall(line)
    return found if found and not HOLDS.sub("", line) else []


def parts(text: str) -> Iterator[tuple[bool, list[str]]]:
    """The lines that a cell printed, those which hold apart from the others, in their order."""
    for holds, lines in groupby(text.rstrip("\n").split("\n"), key=lambda line: bool(judged(line))):
        yield holds, [sentence for line in lines for sentence in (judged(line) if holds else [line])]


class Judged(SphinxPostTransform):
    """Makes lists of what holds, once the outputs stand where the ways of reading put them."""

    default_priority = 260
    formats = ("html",)

    def run(self, **_: Any) -> None:
        for printed in list(self.document.findall(nodes.literal_block)):
            output = "output" in printed["classes"]
            split = list(parts(printed.astext())) if output else []
            if not any(holds for holds, _ in split):
                continue
            made: list[nodes.Node] = []
            for holds, lines in split:
                if holds:
                    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
                    made.append(nodes.raw("", f'<ul class="judged output">{items}</ul>', format="html"))
                elif "\n".join(lines).strip():
                    kept = printed.copy()
                    kept += nodes.Text("\n".join(lines))
                    kept.rawsource = "\n".join(lines)
                    made.append(kept)
            printed.replace_self(made)


def setup(app: Any) -> dict[str, Any]:
    app.add_post_transform(Judged)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
