"""Errors that a reader can act on."""

from importlib import import_module
from types import ModuleType


class InputError(ValueError):
    """A value that cannot be used; its message is one sentence: what was wrong, and what to do."""


def optional(module: str, extra: str) -> ModuleType:
    """Import an optional library where it is used, or name the extra that brings it.

    Args:
        module: the module to import, e.g. ``"umap"``.
        extra: the extra of this distribution that installs it, e.g. ``"maps"``.

    Raises:
        ImportError: the library is not installed; the message names the extra.

    >>> optional("json", extra="none").dumps([1])
    '[1]'
    >>> optional("no_such_library", extra="maps")
    Traceback (most recent call last):
    ImportError: `no_such_library` is not installed; run: pip install "neuron-to-assistant[maps]"
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module.split(".")[0]:
            raise
        message = f'`{module}` is not installed; run: pip install "neuron-to-assistant[{extra}]"'
        raise ImportError(message) from None
