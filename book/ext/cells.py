"""Every cell of a chapter that is on its page has an address there: `cell-`, and its id in the notebook."""

import json
from pathlib import Path
from typing import Any

from docutils import nodes


def address(cell_id: str) -> str:
    """The anchor of a cell on its page."""
    return f"cell-{cell_id}"


def add_addresses(app: Any, document: nodes.document) -> None:
    """Give the container of each code cell its address."""
    path = Path(app.env.doc2path(app.env.docname))
    if path.suffix != ".ipynb":
        return
    ids = [cell.get("id") for cell in json.loads(path.read_text(encoding="utf8"))["cells"]]
    for node in document.findall(nodes.container):
        if node.get("nb_element") == "cell_code" and ids[node["cell_index"]]:
            node["ids"].append(address(ids[node["cell_index"]]))


def setup(app: Any) -> dict[str, Any]:
    app.connect("doctree-read", add_addresses)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
