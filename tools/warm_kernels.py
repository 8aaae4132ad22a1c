"""A pytest plugin: the kernels of the notebooks are forked from a process that has imported torch already.

A kernel of its own costs five seconds before the first line of a chapter runs, nearly all of them for
importing what every chapter imports; 27 chapters pay it 27 times. Here Python's fork server imports the
libraries of others once (never `support`: that is what is tested), and each kernel is a fork of it, with its
own folder, environment, session and search path, as if it had been started from a shell. It is spoken to by
sockets in a folder of this process instead of ports, which another process may take before the kernel does.
Loaded by `tools/run_tests.py`, on Linux only: elsewhere a fork of a process with these libraries is not safe.
"""

import atexit
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from functools import cache
from multiprocessing.context import ForkServerContext, ForkServerProcess
from typing import Any

import ipykernel.kernelapp
import nbval.kernel
from jupyter_client.manager import KernelManager
from jupyter_client.provisioning import local_provisioner

IMPORTED = [
    "ipykernel.kernelapp",
    "IPython.display",
    "torch",
    "matplotlib.figure",
    "matplotlib.backends.backend_agg",
]
IMPORTED += [
    "matplotlib_inline.backend_inline",
    "pydantic",
    "jaxtyping",
    "safetensors.torch",
    "torch.utils.checkpoint",
    "torch._dynamo",  # the first optimiser imports it
]
own_process = local_provisioner.launch_kernel


class ForkedKernel(ForkServerProcess):
    """One kernel, with the methods of `subprocess.Popen` that `jupyter_client` calls."""

    stdin = stdout = stderr = None

    def __init__(self, arguments: list[str], cwd: str, env: dict[str, str], path: list[str]) -> None:
        super().__init__()
        self.given = arguments, cwd, env, path

    def run(self) -> None:
        """In the fork: become what a kernel that was started from a shell would be."""
        arguments, cwd, env, path = self.given
        os.setsid()
        os.chdir(cwd)
        os.environ.clear()
        os.environ.update(env)
        sys.path[:] = path
        sys.argv[:] = ["ipykernel_launcher", *arguments]
        ipykernel.kernelapp.launch_new_instance(argv=arguments)

    def poll(self) -> int | None:
        """The exit status, or None while it runs."""
        return self.exitcode

    def wait(self) -> int | None:
        """The exit status, once it has ended."""
        self.join()
        return self.exitcode

    def send_signal(self, number: int) -> None:
        """Send it a signal, if it still runs."""
        if self.pid is not None and self.poll() is None:
            os.kill(self.pid, number)


def launch(cmd: list[str], cwd: str | None = None, env: dict[str, str] | None = None, **others: Any) -> Any:
    """A fork for a kernel of Python's, a process of its own for every other; stands for `launch_kernel`."""
    if "ipykernel_launcher" not in cmd:
        return own_process(cmd, cwd=cwd, env=env, **others)
    path = json.loads(
        subprocess.check_output([cmd[0], "-c", "import json, sys; print(json.dumps(sys.path[1:]))"], env=env)
    )
    kernel = ForkedKernel(cmd[cmd.index("-f") :], cwd or os.getcwd(), dict(env or os.environ), path)
    kernel.start()
    # Whoever ends a kernel ends its session: it must not be ours.
    while kernel.poll() is None and os.getsid(kernel.pid) == os.getsid(0):
        time.sleep(0.01)
    return kernel


@cache
def sockets() -> str:
    """A folder that ends with this process."""
    folder = tempfile.mkdtemp(prefix="kernels-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def manager(**given: Any) -> KernelManager:
    """The manager of one kernel; stands for nbval's."""
    return KernelManager(transport="ipc", ip=f"{sockets()}/{uuid.uuid4().hex[:8]}", **given)


if sys.platform == "linux":
    nbval.kernel.KernelManager = manager
    server: ForkServerContext = multiprocessing.get_context("forkserver")
    server.set_forkserver_preload(IMPORTED)
    local_provisioner.launch_kernel = launch
