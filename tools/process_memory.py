"""The memory that a process has needed, for the tools that run notebooks with and without pytest."""

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
