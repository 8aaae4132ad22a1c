"""The last touches: links to the repository once its address is set, and nothing that no page loads."""

import shutil
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]


def link_repository(app: Any, config: Any) -> None:
    """Show the repository's button if `_config.yml` has an address, and only then."""
    address = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf8"))["repository"]["url"]
    options = dict(config.html_theme_options)
    if str(address).startswith("http"):
        options |= {"repository_url": address, "use_repository_button": True, "use_issues_button": True}
    config.html_theme_options = options


def prune(app: Any, exception: Exception | None) -> None:
    """Remove it, once the pages are written. The icons come from book/assets/icons.css."""
    if exception or app.builder.format != "html":
        return
    static = Path(app.outdir) / "_static"
    for ending in ("*.map", "*.LICENSE.txt", "*.ttf", "fa-brands*"):
        for path in static.rglob(ending):
            path.unlink()
    for folder in ("locales", "sphinx_thebe"):
        shutil.rmtree(static / folder, ignore_errors=True)
    script = static / "scripts" / "fontawesome.js"
    if script.exists():
        script.write_text("// The icons are in icons.css.\n", encoding="utf8")


def mend_roles(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Docutils calls its bibliography a list, but none of its entries a list item."""
    if "body" in context:
        context["body"] = context["body"].replace(
            '<div role="list" class="citation-list">', '<div class="citation-list">'
        )


def setup(app: Any) -> dict[str, Any]:
    app.connect("config-inited", link_repository)
    app.connect("html-page-context", mend_roles)
    app.connect("build-finished", prune)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
