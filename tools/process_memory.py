"""What a process has needed, memory and processor time, for the tools that run notebooks."""

import os
from pathlib import Path


def peak_megabytes(pid: int) -> int | None:
    """The most memory that a process has held so far; None where the system does not tell.

    >>> import os
    >>> peak_megabytes(os.getpid()) in (None, *range(10, 100_000))
    True
    """
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM")), None)


def processor_seconds(pid: int) -> float | None:
    """The processor time of a process and of what it has run; None where the system does not tell.

    Other programs that run at the same time lengthen it far less than a time by the clock.

    >>> processor_seconds(os.getpid()) is None or processor_seconds(os.getpid()) > 0
    True
    """
    try:
        told = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return sum(map(int, told[11:15])) / os.sysconf("SC_CLK_TCK")
