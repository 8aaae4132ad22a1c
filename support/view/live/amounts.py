"""Large amounts, as pages write them."""

from support.view.live.controls import shown


def counted(count: float | int) -> str:
    """A large number in words, with one digit after the point.

    >>> counted(124_439_808), counted(87_611_424_768), counted(804)
    ('124.4 million', '87.6 billion', '804')
    """
    for size, unit in ((1e9, "billion"), (1e6, "million"), (1e3, "thousand")):
        if count >= size:
            return f"{shown(count / size, 1)} {unit}"
    return shown(count)


def in_gigabytes(amount: float | int) -> str:
    """Gigabytes with as many digits as are of use: fewer, the more it is.

    >>> in_gigabytes(0.2489), in_gigabytes(45.948), in_gigabytes(349.18), in_gigabytes(1713.77)
    ('0.249', '45.95', '349.2', '1,714')
    """
    digits = 3 if amount < 1 else 2 if amount < 100 else 1
    return shown(amount, digits) if amount < 1000 else f"{round(amount):,}"
