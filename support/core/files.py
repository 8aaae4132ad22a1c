"""Writing so that a crash never leaves half a file."""

import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path beside ``path``; on success it replaces ``path`` in one step.

    If the body raises, or the process is killed, ``path`` keeps its old content. An existing file keeps its
    permissions, and a symbolic link keeps pointing to the file, which is replaced. Temporary files that
    killed processes of this computer left beside ``path`` are removed.

    Args:
        path: the file to write; its folder is made if missing.

    Yields:
        The temporary path to write to.

    Raises:
        OSError: the file cannot be written; the error names it.

    >>> import tempfile, pathlib
    >>> target = pathlib.Path(tempfile.mkdtemp()) / "a" / "x.txt"
    >>> with atomic_write(target) as t: _ = t.write_text("whole")
    >>> target.read_text()
    'whole'
    """
    target = Path(os.path.realpath(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    _remove_leftovers(target)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f"{_prefix(target)}{os.getpid()}.")
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        with temporary.open("rb+") as written:
            os.fsync(written.fileno())
        # mkstemp makes private files; a new file gets the permissions of an ordinary one.
        temporary.chmod(target.stat().st_mode & 0o7777 if target.exists() else 0o666 & ~_umask())
        os.replace(temporary, target)
    except OSError as error:
        if error.filename is None and error.errno is not None:  # a full disk does not say where
            raise OSError(error.errno, error.strerror, str(target)) from error
        raise
    finally:
        temporary.unlink(missing_ok=True)


def _prefix(target: Path) -> str:
    return f".{target.name}.{socket.gethostname()}."


def _remove_leftovers(target: Path) -> None:
    prefix = _prefix(target)
    for path in target.parent.iterdir():
        process = path.name[len(prefix) :].partition(".")[0]
        if path.name.startswith(prefix) and process.isdecimal() and not _alive(int(process)):
            with suppress(OSError):
                path.unlink()


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it belongs to somebody else, or this system cannot tell
        return True
    return True


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
