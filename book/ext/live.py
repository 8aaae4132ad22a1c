"""Live figures on the page: the directive `live`, and the stored outputs of `support.view.live` in chapters.

Both become a `<live-figure>` that holds the figure's description as JSON and, inside, what is shown without
JavaScript: a still picture with its numbers, or what the figure says in HTML, and a sentence. `live.js`,
`controls.js` and `live.css` are loaded where there is one, then `model.js` where it runs a model, then the
figure's own `figure.js` (and what that shares with others), copied from its folder in `support/view/live`.
The models are packed into the folder `_models`, and a page loads one only when its figure comes near.
"""

import base64
import io
import json
import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from PIL import Image
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective

from support.core import InputError, atomic_write
from support.view.image_files import png
from support.view.live import find, scripts_of
from support.view.live.controls import Slider
from support.view.live.model_text import packed
from support.view.live.registry import HERE

ASSETS = Path(__file__).resolve().parents[1] / "assets"
NOTE = "This is a still picture. With JavaScript switched on, it has controls that you can move."


class live_figure(nodes.General, nodes.Element):  # docutils names a node's class as it is visited
    """A live figure; its children are what is shown without JavaScript."""


def wrapped(name: str, start: dict[str, Any], children: list[nodes.Node]) -> live_figure:
    """The children as the still side of a live figure."""
    figure = find(name)
    node = live_figure("", *children, nodes.paragraph("", NOTE, classes=["live-note"]))
    # In a script element only "</" and "<!" could end or confuse the text.
    node["name"], node["model"], node["sums"] = figure.name, figure.model, figure.sums
    node["spec"] = json.dumps(figure.spec(figure.values(**start)), ensure_ascii=False).replace("<", "\\u003c")
    return node


def light(picture: bytes) -> bytes:
    """The same picture in 64 colours, a third of its bytes: the playground holds fourteen of them."""
    out = io.BytesIO()
    Image.open(io.BytesIO(picture)).convert("RGB").quantize(64).save(out, "PNG", optimize=True)
    return out.getvalue()


class LiveDirective(SphinxDirective):
    """``{live} student`` with a line ``hours: 8`` for each control that starts elsewhere."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        try:
            figure = find(self.arguments[0])
            sliders = {control.name for control in figure.controls if isinstance(control, Slider)}
            start = {}
            for line in filter(None, map(str.strip, self.content)):
                name, value = (part.strip() for part in line.partition(":")[::2])
                start[name] = _value(value) if name in sliders else value
            values = figure.still_values(**start)
        except InputError as error:
            raise self.error(str(error)) from None
        if figure.still_html:
            return [
                wrapped(
                    figure.name,
                    start,
                    [
                        nodes.raw("", figure.still_html(figure.state(values)), format="html"),
                        nodes.paragraph("", figure.sentence(values)),
                    ],
                )
            ]
        data = base64.b64encode(light(png(figure.figure(values)))).decode()
        still = nodes.image(uri=f"data:image/png;base64,{data}", alt=figure.sentence(values))
        text, sentence = figure.text(values).rsplit("\n", 1)
        numbers = nodes.literal_block(text, text, language="none")
        return [wrapped(figure.name, start, [still, numbers, nodes.paragraph("", sentence)])]


def _value(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


class FromNotebook(SphinxTransform):
    """Wraps the output of a cell that called `live`; refresh has copied the figure's name to its metadata."""

    default_priority = 410

    def apply(self, **_: Any) -> None:
        for cell in list(self.document.findall(nodes.container)):
            mark = cell.get("cell_metadata", {}).get("mystnb", {}).get("live")
            if cell.get("nb_element") != "cell_code" or not mark:
                continue
            output = cell.children[-1]
            if output.get("nb_element") == "cell_code_output":
                children = output.children[:]
                output.clear()
                cell["classes"].append("live-cell")  # its lists may hang out of it
                output += wrapped(mark["name"], mark.get("start", {}), children)


def visit_html(self: Any, node: live_figure) -> None:
    self.body.append(
        f'<live-figure><script type="application/json" class="live-spec">{node["spec"]}</script>'
        '<div class="live-still">\n'
    )


def depart_html(self: Any, node: live_figure) -> None:
    self.body.append("</div></live-figure>\n")


def load(app: Any, page: str, template: str, context: Any, doctree: nodes.document | None) -> None:
    """The script and the style, on pages that have a live figure."""
    figures = [] if doctree is None else list(doctree.findall(live_figure))
    if figures:
        app.add_js_file("live.js", loading_method="defer")
        app.add_js_file("controls.js", loading_method="defer")
        app.add_css_file("live.css")
    for name in {node["name"] for node in figures}:
        if (ASSETS / f"{name}.css").exists():  # a figure that needs more
            app.add_css_file(f"{name}.css")
    if any(node["model"] for node in figures):
        app.add_js_file("model.js", loading_method="defer")
        app.add_js_file("prompt.js", loading_method="defer")
    for script in dict.fromkeys(script for node in figures for script in scripts_of(node["name"])):
        app.add_js_file(f"live/{script}", loading_method="defer")


def collect(app: Any, config: Any) -> None:
    """The figures' scripts, copied into a folder that the site serves as `_static/live`."""
    folder = Path(app.doctreedir) / "live_scripts"
    shutil.rmtree(folder, ignore_errors=True)
    for script in HERE.rglob("*.js"):
        target = folder / "live" / script.relative_to(HERE)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(script, target)
    config.html_static_path.append(str(folder))


def ship(app: Any, exception: Exception | None) -> None:
    """The models, each as a script, once the pages are written."""
    if exception or app.builder.format != "html":
        return
    folder = Path(app.outdir) / "_models"
    folder.mkdir(exist_ok=True)
    for model in packed():
        with atomic_write(folder / f"{model.name}.js") as path:
            path.write_text(model.script, encoding="utf8")


def nothing(self: Any, node: live_figure) -> None:
    """Elsewhere than on a page only the children are shown."""


def setup(app: Any) -> dict[str, Any]:
    other = (nothing, nothing)
    app.add_node(
        live_figure, html=(visit_html, depart_html), text=other, latex=other, man=other, texinfo=other
    )
    app.add_directive("live", LiveDirective)
    app.add_transform(FromNotebook)
    app.connect("config-inited", collect)
    app.connect("html-page-context", load)
    app.connect("build-finished", ship)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
