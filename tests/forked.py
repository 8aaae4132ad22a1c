"""Python code in a process of its own that is a fork of one which has imported torch already.

To import torch takes a process one and a half seconds, to import its compiler three or four; most programs
that tests run take less. `forked` stands for ``subprocess.run([sys.executable, "-c", code, …])``. Nothing of
``support`` is in the process before the code begins, and no signature is checked in it.
"""

import atexit
import functools
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

TORCH = ("torch",)
COMPILER = ("torch", "torch._dynamo", "torch._inductor.compile_fx")
SERVER = """
import gc, importlib, json, os, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
gc.freeze()  # the forks share it
for line in sys.stdin:
    code, arguments, files, folder, environment = json.loads(line)
    if not (child := os.fork()):
        break
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
else:
    os._exit(0)
sys.stdin.close()
for number, file in enumerate(files):
    os.dup2(os.open(file, os.O_RDWR), number)
sys.stdin = open(0)
os.chdir(folder)
os.environ.clear()
os.environ.update(environment)
sys.argv[:] = ["-c", *arguments]
exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})
sys.stdout.flush()
sys.stderr.flush()
os._exit(0)  # to take torch apart would take longer than most programs
"""


@functools.cache
def _server(imported: Iterable[str]) -> subprocess.Popen:
    command = [sys.executable, "-c", SERVER, *imported]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(server.communicate)
    return server


def forked(
    code: str, *arguments: object, given: str = "", imported: Iterable[str] = TORCH, **environment: str
) -> subprocess.CompletedProcess:
    """What a program printed, and its exit status.

    Args:
        code: of the program.
        arguments: its ``sys.argv[1:]``.
        given: what it reads.
        imported: what is in the process already: `TORCH`, or with it its `COMPILER`.
        environment: variables that are set in addition.
    """
    words = [str(argument) for argument in arguments]
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("given", "out", "errors")]
        for file, text in zip(files, (given, "", ""), strict=True):
            file.write_text(text, encoding="utf8")
        asked = [code, words, [*map(str, files)], os.getcwd(), {**os.environ, **environment}]
        server = _server(imported)
        server.stdin.write(json.dumps(asked) + "\n")
        server.stdin.flush()
        status = int(server.stdout.readline())
        out, errors = (file.read_text(encoding="utf8") for file in files[1:])
    return subprocess.CompletedProcess([sys.executable, "-c", *words], status, out, errors)


def torchrun(*arguments: object, **environment: str) -> subprocess.CompletedProcess:
    """What `torchrun` gives with two processes on this machine; it is a fork, they are started as always."""
    code = "import runpy; runpy.run_module('torch.distributed.run', run_name='__main__', alter_sys=True)"
    alone = "--standalone", "--nproc-per-node", "2"
    return forked(code, *alone, *arguments, OMP_NUM_THREADS="1", **environment)
