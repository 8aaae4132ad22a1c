"""A script, started as several processes by ``torchrun``."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import support
from support.core import InputError
from support.core.validation import checked
from support.training.distributed import LostProcessError


@checked
def launch(script: str, processes: int = 2, timeout: float | int = 300.0) -> str:
    """Run Python code in so many processes under ``torchrun``; what they print, one process after the other.

    `train` in the script shares the work, if its strategy is ``"ddp"`` or ``"fsdp"``. Each process finds its
    number in the environment variable ``RANK``, and how many there are in ``WORLD_SIZE``.

    Args:
        script: the code.
        processes: how many, all on this machine.
        timeout: seconds after which they are stopped.

    Raises:
        InputError: fewer than one process.
        LostProcessError: a process ended with an error, or took too long; the message has its last lines.

    >>> print(launch("import os; print(os.environ['RANK'], 'of', os.environ['WORLD_SIZE'])", processes=1))
    0 of 1
    """
    if processes < 1:
        raise InputError(f"processes={processes}: at least one is needed")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "script.py"
        path.write_text(script, encoding="utf8")
        start = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(processes)]
        start += ["--redirects", "1", "--log-dir", folder]  # a file for each process: lines stay whole
        found = os.pathsep.join([str(Path(support.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
        alone = {name: value for name, value in os.environ.items() if name not in ("RANK", "WORLD_SIZE")}
        try:
            done = subprocess.run(
                [sys.executable, *start, str(path)],
                capture_output=True,
                text=True,
                timeout=timeout,
                env={"OMP_NUM_THREADS": "1", **alone, "PYTHONPATH": found},
            )
        except subprocess.TimeoutExpired:
            raise LostProcessError(f"{processes} processes were stopped after {timeout:g} seconds.") from None
        files = sorted(Path(folder).glob("*/attempt_0/*/stdout.log"), key=lambda path: int(path.parent.name))
        printed = "".join(file.read_text(encoding="utf8") for file in files)
    if done.returncode:
        own = re.search(
            r"^Traceback.*?^[\w.]+(Error|Exception|Interrupt)[^\n]*", done.stderr, re.DOTALL | re.MULTILINE
        )
        last = own[0] if own else "\n".join(done.stderr.strip().splitlines()[-20:])
        raise LostProcessError(f"One of {processes} processes ended with an error:\n{last}")
    return re.sub(r"^\[Gloo\] .*\n", "", printed, flags=re.MULTILINE).strip()  # torch 2.8's own words
