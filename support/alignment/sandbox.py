"""A code tool in a sandbox: a process that can compute and print, and reach nothing else.

Three fences stand around the code. The process starts without environment, in an empty folder. Resource
limits bound its processor time, its memory, its output and its files. And a seccomp filter of the Linux
kernel lets through only the system calls that computing and printing need: opening a file, a socket or a
process is answered with "not permitted". The filter cannot be taken off again, whatever the code does.
"""

import os
import platform
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass

from support.alignment.tools import ToolError

# System calls with which an interpreter computes, prints and ends. In the order of the numbers: reading and
# writing what is open, memory, signals of its own, yielding, its own number, the clock, random bytes, exit.
_ALLOWED = {
    "x86_64": (
        0xC000003E,
        *(0, 1, 3, 5, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 28, 39, 60, 96, 131, 186, 202, 228, 231, 318),
    ),
    "aarch64": (
        0xC00000B7,
        *(57, 62, 63, 64, 80, 93, 94, 98, 113, 124, 132, 134, 135, 139, 169, 172, 178),
        *(214, 215, 216, 222, 226, 233, 278),
    ),
}

# What the child runs: limits first, then the filter, then the code that it read from its input.
_CHILD = """
import collections, ctypes, datetime, decimal, fractions, functools, itertools
import math, random, re, resource, statistics, string, struct, sys
seconds, memory, output, arch, *calls = map(int, sys.argv[1:])
code = sys.stdin.read()
limits = ("CPU", seconds), ("AS", memory), ("FSIZE", output), ("NOFILE", 16), ("CORE", 0), ("NPROC", 0)
for kind, limit in limits:
    resource.setrlimit(getattr(resource, "RLIMIT_" + kind), (limit, limit))
ins = [(0x20, 0, 0, 4), (0x15, 1, 0, arch), (6, 0, 0, 0x80000000), (0x20, 0, 0, 0)]
for n, call in enumerate(calls):
    ins.append((0x15, len(calls) - n, 0, call))
ins += [(6, 0, 0, 0x00050001), (6, 0, 0, 0x7FFF0000)]
program = b"".join(struct.pack("HBBI", *i) for i in ins)
kept = ctypes.create_string_buffer(program)
fprog = struct.pack("HxxxxxxQ", len(ins), ctypes.addressof(kept))
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.create_string_buffer(fprog), 0, 0):
    sys.exit(99)
try:
    exec(compile(code, "<tool>", "exec"), {"__name__": "__main__"})
    sys.stdout.flush()
except Exception as error:
    sys.stderr.write(type(error).__name__ + (f": {error}" if str(error) else ""))
    sys.exit(1)
"""


@dataclass(frozen=True)
class Ran:
    """What came of a piece of code.

    Attributes:
        output: what it printed, errors excluded.
        error: the last line of its error, or why it was stopped; empty if it ended well.
    """

    output: str
    error: str = ""


def run_code(code: str, seconds: int = 2, megabytes: int = 256, output: int = 10_000) -> Ran:
    """Run Python code in the sandbox.

    The modules ``math``, ``random``, ``re``, ``itertools``, ``functools``, ``collections``, ``fractions``,
    ``decimal``, ``statistics``, ``datetime`` and ``string`` are there; others cannot be opened.

    Args:
        code: the source.
        seconds: of processor time; what waits is stopped after twice as many, and ten more, on the clock.
        megabytes: of memory.
        output: characters that it may print.

    Raises:
        ToolError: this system has no such fence (it needs Linux on x86-64 or ARM64); nothing is run then.

    >>> run_code("print(sum(range(101)))").output
    '5050\\n'
    >>> run_code("open('/etc/passwd')").error
    "PermissionError: [Errno 1] Operation not permitted: '/etc/passwd'"
    """
    if sys.platform != "linux" or platform.machine() not in _ALLOWED:
        raise ToolError("The code tool needs Linux on x86-64 or ARM64; without its fence it runs nothing.")
    limits = [seconds, megabytes * 2**20, output, *_ALLOWED[platform.machine()]]
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as out:
        child = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _CHILD, *map(str, limits)],
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=subprocess.PIPE,
            cwd=folder,
            env={},
            start_new_session=True,
        )
        try:
            _, complaint = child.communicate(code.encode(), timeout=2 * seconds + 10)
            error = _why(child.returncode, complaint.decode(errors="replace"), seconds)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            error = f"stopped after {2 * seconds + 10} seconds on the clock"
        out.seek(0)
        return Ran(out.read(output).decode(errors="replace"), error)


def _why(status: int, complaint: str, seconds: int) -> str:
    if status == 99:
        raise ToolError("This kernel does not let the code tool build its fence, so it runs nothing.")
    if status in (-signal.SIGXCPU, -signal.SIGKILL):
        return f"stopped after {seconds} seconds of processor time"
    if status == -signal.SIGXFSZ:
        return "stopped: it printed too much"
    if status and complaint.strip():
        return complaint.strip().splitlines()[-1]
    return f"ended with status {status}" if status else ""


class Code:
    """The sandbox as a tool: the request is the source, the result what it prints.

    >>> Code()("print(2 ** 10)")
    '1024'
    """

    def __call__(self, request: str) -> str:
        """What the code prints.

        Raises:
            ToolError: it failed, or it was stopped.
        """
        ran = run_code(request)
        if ran.error:
            raise ToolError(f"The code failed: {ran.error}.")
        return ran.output.strip()
