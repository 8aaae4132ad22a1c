"""Leaves out of the built site what no page loads: source maps, translations, the theme's icon script."""

import shutil
from pathlib import Path
from typing import Any


def prune(app: Any, exception: Exception | None) -> None:
    """Remove it, once the pages are written. The icons come from book/assets/icons.css."""
    if exception or app.builder.format != "html":
        return
    static = Path(app.outdir) / "_static"
    for path in [*static.rglob("*.map"), *static.rglob("*.LICENSE.txt")]:
        path.unlink()
    for folder in ("locales", "vendor", "sphinx_thebe"):
        shutil.rmtree(static / folder, ignore_errors=True)
    script = static / "scripts" / "fontawesome.js"
    if script.exists():
        script.write_text("// The icons are in icons.css.\n", encoding="utf8")


def setup(app: Any) -> dict[str, Any]:
    app.connect("build-finished", prune)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
