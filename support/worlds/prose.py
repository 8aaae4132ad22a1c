"""Real English that every Python brings along: the text of its own help pages."""

from support.core import InputError


def python_prose() -> str:
    """The help topics of the running Python as one text, about 465,000 characters of English and code.

    It differs a little from one version of Python to the next, so what depends on it can be judged
    (``loss below 3: True``) but not printed.

    Raises:
        InputError: this Python was installed without its help pages.

    Source: the module `pydoc_data.topics` of the standard library (Python's licence).

    >>> len(python_prose()) > 300_000
    True
    """
    try:
        from pydoc_data.topics import topics
    except ModuleNotFoundError:
        raise InputError(
            "This Python has no help pages (pydoc_data.topics); use load_text with a text file of your own."
        ) from None
    return "\n\n".join(topics[name] for name in sorted(topics))
