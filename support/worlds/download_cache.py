"""What has been fetched from a web address, kept on the disk so that it can be trusted."""

import hashlib
import json
import re
import warnings
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import IO, Any

from filelock import FileLock, Timeout


class Kept:
    """What a folder holds of an address: the bytes, and an index with the length and checksum of each block.

    A block counts only if its line in the index is whole and its checksum is right. So neither a power cut
    nor a reader beside a writer can pass off bytes that are not the file's.

    Attributes:
        tag: the server's mark of the version that is kept (``ETag`` or ``Last-Modified``), if it gave one.
        whole: whether everything is here, known once `blocks` has been read to its end.
    """

    def __init__(self, url: str, folder: Path):
        name = re.sub(r"[^\w.-]+", "-", url.split("?")[0].rsplit("/", 1)[-1])[-80:] or "text"
        self.data = folder / f"{hashlib.sha256(url.encode()).hexdigest()[:12]}-{name}"
        self.index = self.data.with_name(self.data.name + ".index")
        # A reader may be handed from thread to thread, and its lock goes with it.
        self.lock = FileLock(f"{self.data}.lock", thread_local=False)
        self.url, self.tag, self.whole = url, "", False
        self._files: tuple[IO[bytes], IO[str]] | None = None

    def blocks(self, start: int) -> Iterator[bytes]:
        """The blocks from a byte on, as far as they are sound."""
        try:
            with self.index.open(encoding="utf-8") as index, self.data.open("rb") as data:
                self.tag, place = json.loads(index.readline())["tag"], 0
                for line in index:
                    if line == "end\n":
                        self.whole = True
                        return
                    length, checksum = map(int, line.removesuffix("\n").split())
                    if place >= start:
                        data.seek(place)
                        block = data.read(length)
                        if not line.endswith("\n") or len(block) < length or zlib.crc32(block) != checksum:
                            return
                        yield block
                    place += length
        except (OSError, ValueError, LookupError, TypeError):
            return

    def writing(self) -> AbstractContextManager[Any]:
        """Let nobody else write; where another does, or nobody can, nothing will be kept by this reader."""
        try:
            self.data.parent.mkdir(parents=True, exist_ok=True)
            return self.lock.acquire(timeout=0)
        except Timeout:
            return nullcontext()
        except OSError as error:
            self._give_up(error)
            return nullcontext()

    def begin(self, done: int, tag: str) -> None:
        """Get ready to keep what follows the first ``done`` bytes."""
        self.tag = tag
        if not self.lock.is_locked:
            return
        try:
            lines, place = [json.dumps({"url": self.url, "tag": tag})], 0
            old = self.index.read_text(encoding="utf-8").splitlines()[1:] if done else []
            for line in old:
                if place < done:
                    lines.append(line)
                    place += int(line.split()[0])
            index = self.index.open("w", encoding="utf-8")
            index.write("\n".join(lines) + "\n")
            data = self.data.open("r+b" if done else "wb")
            data.seek(done)
            data.truncate()
            self._files = data, index
        except (OSError, ValueError) as error:
            self._give_up(error)

    def keep(self, block: bytes) -> None:
        """Keep the next block, if this reader may."""
        self._write(block, f"{len(block)} {zlib.crc32(block)}\n")

    def end(self) -> None:
        """Note that nothing follows."""
        self._write(b"", "end\n")

    def _write(self, block: bytes, line: str) -> None:
        if self._files is None:
            return
        try:
            data, index = self._files
            data.write(block)
            data.flush()
            index.write(line)
            index.flush()
        except OSError as error:
            self._give_up(error)

    def close(self) -> None:
        """Write no more."""
        for file in self._files or ():
            with suppress(OSError):  # a full disk, once more
                file.close()
        self._files = None

    def forget(self) -> None:
        """Drop what is kept."""
        self.close()
        if self.lock.is_locked:
            self.index.unlink(missing_ok=True)

    def _give_up(self, error: Exception) -> None:
        self.close()
        reason = getattr(error, "strerror", None) or error
        warnings.warn(
            f"{self.data.parent} cannot keep what is fetched ({reason}); reading goes on without it. "
            "Free some space, or set SUPPORT_CACHE to another folder.",
            stacklevel=2,
        )
