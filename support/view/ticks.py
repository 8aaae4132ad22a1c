"""The numbers at an axis as the book writes numbers: commas, no offset, powers of ten raised."""

from typing import Any

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import LogFormatter, LogFormatterSciNotation, ScalarFormatter

from support.view.tables import power_of_ten

PLAIN = (0.9e-4, 1.1e6)  # a logarithmic axis all within these, and not too long, has no powers
FAR = 10**6  # the ends of an axis, one divided by the other
LONGEST = 8  # digits of a number on an axis


def with_commas(label: str) -> str:
    """A label that is a number, with a comma in its thousands.

    >>> with_commas("20000"), with_commas("−1024.5"), with_commas("980"), with_commas("a 1024")
    ('20,000', '−1,024.5', '980', 'a 1024')
    """
    digits, point, rest = label.removeprefix("−").partition(".")
    if not digits.isdecimal() or len(digits) < 4:
        return label
    return ("−" if label.startswith("−") else "") + f"{int(digits):,}{point}{rest}"


def power(value: float) -> str:
    """A number of one digit as a power of ten, or a multiple of one; 1 and 10 as they are.

    >>> [power(10.0**k) for k in (-8, 0, 1, 3)], power(3e-9)
    (['10⁻⁸', '1', '10', '10³'], '3 · 10⁻⁹')
    """
    return f"{value:g}" if value in (1, 10) else power_of_ten(value, digits=0).removeprefix("1 · ")


class Counted(ScalarFormatter):
    """Of an even axis: commas, and neither an offset nor a power beside the axis."""

    def __init__(self) -> None:
        super().__init__(useOffset=False)
        self.set_scientific(False)

    def format_ticks(self, values: Any) -> list[str]:
        """Years have no commas; very small and very large numbers are powers of ten."""
        of_years = isinstance(self.axis, Axis) and "year" in self.axis.get_label_text()
        if len(values) and not PLAIN[0] <= max(abs(value) for value in values) < 10.0**LONGEST:
            return [power_of_ten(value) if value else "0" for value in values]
        labels = super().format_ticks(values)
        return labels if of_years else [with_commas(label) for label in labels]


class Powers(LogFormatterSciNotation):
    """Of a logarithmic axis: plain numbers where all are short, else powers of ten with raised exponents."""

    def __call__(self, x: float, pos: Any = None) -> str:
        """The label of a tick; matplotlib decides which of those between the powers have one."""
        if not super().__call__(x, pos):
            return ""
        low, high = sorted(self.axis.get_view_interval())  # type: ignore[union-attr]
        if low >= PLAIN[0] and high <= min(PLAIN[1], FAR * low):
            return with_commas(f"{x:.{LONGEST}f}".rstrip("0").rstrip(".") if x < 1 else f"{x:.0f}")
        return power(x)


def write_ticks(ax: Axes) -> None:
    """Have the ticks of axes numbered in the book's way, unless the labels were chosen.

    >>> from support.view import style
    >>> fig, ax = style.subplots(); ax.set_xlim(0, 50_000); write_ticks(ax)
    (0.0, 50000.0)
    >>> [label.get_text() for label in ax.get_xticklabels()][:2]
    ['0', '10,000']
    """
    for axis in (ax.xaxis, ax.yaxis):
        if type(axis.get_major_formatter()) is ScalarFormatter:
            axis.set_major_formatter(Counted())
        elif isinstance(axis.get_major_formatter(), LogFormatter):
            axis.set_major_formatter(Powers())
        if isinstance(minor := axis.get_minor_formatter(), LogFormatter):
            thresholds = minor.minor_thresholds
            axis.set_minor_formatter(Powers(labelOnlyBase=False, minor_thresholds=thresholds))
