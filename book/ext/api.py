"""The package's reference: the fields of a named tuple are described once, in its docstring."""

from typing import Any


def skip_field(app: Any, what: str, name: str, member: Any, skip: bool, options: Any) -> bool | None:
    """Leave out what `collections.namedtuple` says of a field ("Alias for field number 0")."""
    return True if type(member).__name__ == "_tuplegetter" else None


def setup(app: Any) -> dict[str, bool]:
    app.connect("autodoc-skip-member", skip_field)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
