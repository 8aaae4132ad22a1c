"""The kernels of the suite are forks, and behave as kernels of their own do."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"
ASKED = """
import json, os, sys
mine = ["torch" in sys.modules, "support" in sys.modules, __name__, os.getcwd(), os.environ.get("MARK"), sys.path,
        os.getsid(0) == os.getpid(), os.getppid() == {pid}]
print(json.dumps(mine))
"""
SCRIPT = """
import json, os, signal, sys, time
from jupyter_client.manager import start_new_kernel
if __name__ == "__main__":
    if sys.argv[1] == "forked":
        import warm_kernels
    manager, client = start_new_kernel(cwd=sys.argv[2], env=os.environ | {"MARK": "mine"})
    seen = []
    def note(message):
        if message["msg_type"] == "stream":
            seen.append(message["content"]["text"])
    def ask(code, wait=True):
        if wait:
            return client.execute_interactive(code, output_hook=note, timeout=60)["content"]["status"]
        return client.execute(code, stop_on_error=False)  # else what is asked next may be aborted with it
    pid = manager.provisioner.pid
    ask(ASKED.format(pid=os.getpid()))
    busy = ask("import time\\ntime.sleep(60)", wait=False)
    time.sleep(1)
    manager.interrupt_kernel()
    while (reply := client.get_shell_msg(timeout=30))["parent_header"]["msg_id"] != busy:
        pass
    after = ask("print(6 * 7)")
    client.stop_channels()
    manager.shutdown_kernel()
    still = [p for p in [pid] if os.path.exists(f"/proc/{p}") and "Z" not in open(f"/proc/{p}/stat").read().split()[2]]
    print(json.dumps([seen, reply["content"]["ename"], after, still]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="kernels are forked on Linux only")
def test_a_forked_kernel_is_like_one_of_its_own(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(f"ASKED = {ASKED!r}\n{SCRIPT}", encoding="utf8")
    env = os.environ | {"PYTHONPATH": str(TOOLS)}
    found = {}
    for how in ("own", "forked"):
        done = subprocess.run(
            [sys.executable, script, how, tmp_path], env=env, capture_output=True, text=True, timeout=180
        )
        assert done.returncode == 0, done.stderr
        found[how] = json.loads(done.stdout.splitlines()[-1])
    (told, *own), (said, *forked) = found["own"], found["forked"]
    assert own == forked == ["KeyboardInterrupt", "ok", []] and told[1] == said[1] == "42\n"
    told, said = json.loads(told[0]), json.loads(said[0])
    assert told[:2] == [False, False] and said[:2] == [True, False]  # the libraries, and nothing of ours
    assert told[2:-1] == said[2:-1] == ["__main__", str(tmp_path), "mine", said[5], True]
    assert told[-1] and not said[-1]  # the fork server stands between
