"""Drawings of chapters stand in their page as text does, so that they follow its theme and can be searched.

The drawings of `support.view.diagram` are images in a notebook. As images they would follow the theme of the
system, not the one that the reader chooses on the page.
"""

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.transforms import SphinxTransform

MARK = 'class="diagram"'


class InPage(SphinxTransform):
    """Puts the shapes of each drawing where its image would stand."""

    default_priority = 411

    def apply(self, **_: Any) -> None:
        for image in list(self.document.findall(nodes.image)):
            path = Path(self.env.srcdir) / image["uri"].lstrip("/")
            if path.suffix == ".svg" and path.exists():
                svg = path.read_text(encoding="utf8")
                if MARK in svg[:200]:
                    image.replace_self(nodes.raw("", svg, format="html", classes=["diagram-of-cell"]))


def setup(app: Any) -> dict[str, Any]:
    app.add_transform(InPage)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
