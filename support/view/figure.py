"""Putting a figure on the page, with words for those who do not see it."""

import io
import sys

from IPython.display import publish_display_data
from matplotlib.figure import Figure

from support.core import InputError
from support.view.style import DPI


def png(fig: Figure) -> bytes:
    """The figure as a PNG file on a white card, without a trace of when or by what it was made.

    >>> from support.view import style
    >>> png(style.subplots(figsize=(1, 1))[0])[1:4]
    b'PNG'
    """
    drawn = io.BytesIO()
    fig.savefig(drawn, format="png", dpi=DPI, facecolor="white", metadata={"Software": None})
    return drawn.getvalue()


def show(fig: Figure, alt: str) -> None:
    """Show a figure with its alternative text, which says what there is to see in it, with its numbers.

    Args:
        fig: the figure; it is closed afterwards.
        alt: the finding in a sentence or two, for readers who do not see the picture.

    Raises:
        InputError: `alt` is too short to say anything.

    >>> from support.view import style
    >>> show(style.subplots()[0], alt="A figure.")
    Traceback (most recent call last):
    support.core.errors.InputError: alt='A figure.' tells a blind reader nothing; say what is to be seen, ...
    """
    words = " ".join(alt.split())
    if len(words) < 20:
        raise InputError(
            f"alt={words!r} tells a blind reader nothing; say what is to be seen, with its numbers"
        )
    publish_display_data(
        {"image/png": png(fig), "text/plain": "<figure>"},
        metadata={"image/png": {"alt": words}},
    )
    # Only if somebody drew with pyplot is there anything to close, and only then is it imported.
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close(fig)
