"""The sandbox: what code in it can do, and what it cannot reach."""

import contextlib
import os
import platform
import socket
import sys
import threading

import pytest

from support.alignment import sandbox
from support.alignment.sandbox import Code, run_code
from support.alignment.tools import ToolError

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64"), reason="the fence is Linux's"
)


def test_it_computes_and_prints():
    ran = run_code(
        "import math, itertools\nprint(math.comb(10, 3), sum(itertools.islice(itertools.count(), 5)))"
    )
    assert (ran.output, ran.error) == ("120 10\n", "")
    assert Code()("print(3)") == "3"
    with pytest.raises(ToolError, match="ZeroDivisionError"):
        Code()("1/0")


def test_it_cannot_read_list_or_write_files(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("42")
    for code in (
        f"print(open({str(secret)!r}).read())",
        f"import os; print(os.listdir({str(tmp_path)!r}))",
        f"import os; print(os.stat({str(secret)!r}))",
        f"import os; os.remove({str(secret)!r})",
        "open('new', 'w').write('1')",
        "import os; os.mkdir('/tmp/new-folder-of-the-sandbox')",
    ):
        ran = run_code(code)
        assert "not permitted" in ran.error and not ran.output, code
    assert secret.read_text() == "42" and not os.path.exists("/tmp/new-folder-of-the-sandbox")


def test_it_cannot_reach_the_network():
    """A server listens on this machine; neither the socket module nor the bare system call gets there."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        reached = []
        server.settimeout(3)

        def wait():
            with contextlib.suppress(TimeoutError):
                reached.append(server.accept())

        waiting = threading.Thread(target=wait)
        waiting.start()
        port = server.getsockname()[1]
        by_module = run_code(f"import _socket; s = _socket.socket(); s.connect(('127.0.0.1', {port}))")
        by_call = run_code("import ctypes; print(ctypes.CDLL(None).socket(2, 1, 0))")
        waiting.join()
    assert by_module.error and not reached
    assert by_call.output == "-1\n"


def test_it_cannot_start_or_signal_processes():
    for code in (
        "import os; os.fork()",
        "import os; os.execv('/bin/true', ['true'])",
        "import os; os.kill(1, 0)",
    ):
        assert "not permitted" in run_code(code).error, code
    ran = run_code("import os; print(os.system('true') == 0)")
    assert ran.output != "True\n"


def test_it_sees_no_environment(monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "42")
    assert "SECRET" not in run_code("import os; print(dict(os.environ))").output


def test_time_memory_and_output_are_bounded():
    assert run_code("while True: pass", seconds=1).error == "stopped after 1 seconds of processor time"
    assert run_code("x = 'a' * 10**9").error == "MemoryError"
    ran = run_code("print('x' * 10**6)")
    assert len(ran.output) <= 10_000 and "too large" in ran.error


def test_the_limits_cannot_be_lifted_nor_the_filter_removed():
    lifted = run_code("import resource; resource.setrlimit(resource.RLIMIT_AS, (-1, -1))")
    assert "not" in lifted.error
    again = run_code("import ctypes; print(ctypes.CDLL(None).prctl(22, 0, 0, 0, 0))\nopen('/etc/passwd')")
    assert again.output == "-1\n" and "not permitted" in again.error


def test_without_a_fence_nothing_runs(monkeypatch):
    monkeypatch.setattr(sandbox.platform, "machine", lambda: "vax")
    with pytest.raises(ToolError, match="runs nothing"):
        run_code("print(1)")
