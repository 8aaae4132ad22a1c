"""The folder of a training run: one process at a time, writable, without leftovers."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from filelock import FileLock, Timeout

from support.core import InputError, atomic_write


@contextmanager
def run_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Hold a folder for one training run; it is made if missing.

    Raises:
        InputError: the folder cannot be written to, or another process trains into it; the sentence says
            which.

    >>> import tempfile
    >>> with run_folder(Path(tempfile.mkdtemp()) / "run") as folder:
    ...     sorted(file.name for file in folder.iterdir())
    ['.lock', '.lock-holder']
    """
    folder = Path(path)
    lock, holder = FileLock(folder / ".lock", timeout=0), folder / ".lock-holder"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire()
        with atomic_write(holder) as temporary:
            now = datetime.now().isoformat(" ", "seconds")
            temporary.write_text(f"process {os.getpid()} on {socket.gethostname()} since {now}")
    except Timeout:
        who = holder.read_text() if holder.is_file() else "another process"
        raise InputError(f"{who} trains into {folder}; wait for its end, or choose another folder.") from None
    except OSError as error:
        lock.release()
        raise InputError(
            f"Checkpoints cannot be written to {folder} ({error.strerror or error}); choose another folder."
        ) from None
    try:
        yield folder
    finally:
        holder.unlink(missing_ok=True)
        lock.release()
