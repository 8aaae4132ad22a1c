"""*Open in Colab*, the source and *Report an error* on every page, once the repository's address is set.

The theme has such buttons, but fails on an address of a host that it does not know, and their icons come from
a font that these pages do not load. What a host offers is in `links`.
"""

import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import yaml

COLAB = "https://colab.research.google.com/github"


def links(address: str, branch: str, file: str) -> dict[str, str]:
    """What each link of a page leads to, by its name; none without an address that a browser opens.

    >>> list(links("https://github.com/me/book", "main", "notebooks/07_bpe.ipynb"))
    ['Open in Colab', 'Source', 'Report an error']
    >>> list(links("https://example.org/me/book", "main", "notebooks/07_bpe.ipynb"))
    ['Source']
    >>> links("", "main", "notebooks/07_bpe.ipynb")
    {}
    """
    found = re.fullmatch(r"https?://(?:[^/@]+@)?(?P<host>[^/]+)/(?P<path>.+?)(\.git)?/?", address)
    if not found:
        return {}
    site, host, title = f"https://{found['host']}/{found['path']}", found["host"], quote(f"Error in {file}")
    if host == "github.com":
        colab = {"Open in Colab": f"{COLAB}/{found['path']}/blob/{branch}/{file}"}
        return (colab if file.endswith(".ipynb") else {}) | {
            "Source": f"{site}/blob/{branch}/{file}",
            "Report an error": f"{site}/issues/new?title={title}",
        }
    if host.startswith("gitlab."):
        return {
            "Source": f"{site}/-/blob/{branch}/{file}",
            "Report an error": f"{site}/-/issues/new?issue[title]={title}",
        }
    return {"Source": address}


ICONS = {"Open in Colab": "fas fa-play", "Source": "fas fa-code", "Report an error": "fas fa-flag"}


def add_buttons(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Put a page's links into its header, as one group beside the downloads."""
    if doctree is None or "header_buttons" not in context:
        return
    repository = app.config.repository_links
    file = Path(app.env.doc2path(page)).relative_to(app.srcdir).as_posix()
    buttons = [
        {
            "type": "link",
            "url": url,
            "text": name,
            "tooltip": name,
            "icon": ICONS[name],
            "label": f"repository-{name.split()[-1].lower()}-button",
        }
        for name, url in links(repository["url"] or "", repository.get("branch") or "main", file).items()
    ]
    if buttons:
        words = " · ".join(button["text"] for button in buttons)
        group = {"type": "group", "tooltip": words, "icon": buttons[0]["icon"], "label": "repository-buttons"}
        context["header_buttons"].insert(0, group | {"buttons": buttons})


def read_address(app: Any, config: Any) -> None:
    """The address stands in `_config.yml`, in jupyter-book's part of it; a change writes all pages anew."""
    whole = yaml.safe_load((Path(app.srcdir) / "_config.yml").read_text(encoding="utf8"))
    config.repository_links = whole.get("repository") or {"url": ""}


def setup(app: Any) -> dict[str, Any]:
    app.add_config_value("repository_links", {"url": ""}, "html")
    app.connect("config-inited", read_address)
    app.connect("html-page-context", add_buttons, priority=900)  # after the theme has begun its list
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
