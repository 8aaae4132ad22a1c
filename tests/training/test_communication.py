"""What processes send: the ring as a toy, and gloo's bytes as the kernel counts them."""

import json

import pytest
import torch
from forked import forked

from support.core import InputError
from support.training import LostProcessError, bytes_sent, launch, ring_all_reduce, ring_share

# Forked from one process that has imported torch: what `launch` starts has to import it anew, four times.
SUMS = """
import json, os, socket, sys, torch, torch.distributed as dist
from support.training import bytes_sent

def sums(rank, port):
    found = []
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    dist.init_process_group("gloo", rank=rank, world_size=4)
    for n in (2, 4):
        group = dist.new_group(range(n))
        if rank < n:
            numbers = torch.full((240_000,), float(rank + 1), dtype=torch.float64)
            dist.all_reduce(torch.ones(1), group=group)
            dist.barrier(group)
            before = bytes_sent()
            dist.all_reduce(numbers, group=group)
            dist.barrier(group)
            if rank == 0:
                found.append([None if before is None else bytes_sent() - before, numbers[::60_000].tolist()])
        dist.barrier()
    if rank == 0:
        with open(sys.argv[1], "w") as file:
            json.dump(found, file)
    dist.destroy_process_group()

with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
torch.multiprocessing.start_processes(sums, (port,), nprocs=4, start_method="fork")
"""


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7])
def test_the_ring_sums_and_sends_what_the_formula_says(n):
    parts = torch.randn(n, 84, dtype=torch.float64, generator=torch.Generator().manual_seed(n))
    sums, sent = ring_all_reduce(parts)
    assert torch.allclose(sums, parts.sum(0).expand(n, -1), atol=1e-14)
    assert sent == [ring_share(n) * 84] * n
    assert parts.shape == (n, 84)


def test_gloo_sends_what_the_formula_says(tmp_path):
    """Among the first two of four processes, and among all four."""
    done = forked(SUMS, tmp_path / "found.json")
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "found.json").read_text())
    for n, (sent, sums) in zip((2, 4), found, strict=True):
        assert sums == [n * (n + 1) / 2] * 4
        if sent is not None:
            assert sent == pytest.approx(ring_share(n) * 8 * 240_000, rel=0.005)


def test_bytes_that_are_sent_are_counted():
    before = bytes_sent()
    assert before is None or before >= 0


def test_what_processes_print_at_the_same_time_stays_whole():
    """Torch 2.8 greets on standard output; the greetings of two processes once fell into each other."""
    script = """
import os, time

for _ in range(50):
    print(os.environ["RANK"], end="", flush=True)
    time.sleep(0.02)
print(flush=True)
"""
    assert launch(script, 2).splitlines() == ["0" * 50, "1" * 50]


def test_errors_of_a_script_are_told():
    with pytest.raises(LostProcessError, match="ZeroDivisionError"):
        launch("1 / 0", 1)
    with pytest.raises(LostProcessError, match="stopped after 1 seconds"):
        launch("import time; time.sleep(60)", 1, timeout=1.0)
    with pytest.raises(InputError, match="at least one"):
        launch("", 0)
    with pytest.raises(InputError, match="at least one, and one of all-reduce"):
        ring_share(2, "broadcast")
    with pytest.raises(InputError, match="at least one process"):
        ring_all_reduce(torch.empty(0, 3))
