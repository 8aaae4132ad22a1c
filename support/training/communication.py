"""What data-parallel processes send each other: a ring that sums, the formulas, the bytes on the wire."""

import os
import socket
import struct

import torch
from jaxtyping import Float
from torch import Tensor

from support.core import InputError

SENT_AT = 200  # where `struct tcp_info` of Linux (4.19 or newer) holds tcpi_bytes_sent and _retrans


def ring_all_reduce(
    parts: Float[Tensor, "process entry"],
) -> tuple[Float[Tensor, "process entry"], list[int]]:
    """Sum over processes that stand in a ring and talk to their neighbours only.

    Each row is cut into n pieces. In n − 1 rounds every process adds a piece that comes from the left to its
    own and passes the sum on (reduce-scatter); in n − 1 more the finished pieces go round (all-gather).

    Follows Patarasuk and Yuan 2009.

    Args:
        parts: what each process holds.

    Returns:
        What each holds afterwards, and how many entries each has sent.

    Raises:
        InputError: there is no process.

    >>> sums, sent = ring_all_reduce(torch.tensor([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0], [0.0, 0.0, 1.0]]))
    >>> sums.tolist(), sent
    ([[11.0, 22.0, 34.0], [11.0, 22.0, 34.0], [11.0, 22.0, 34.0]], [4, 4, 4])
    """
    n = len(parts)
    if n < 1:
        raise InputError("a ring needs at least one process")
    pieces = [list(row.clone().tensor_split(n)) for row in parts]
    sent = [0] * n
    for turn in range(2 * (n - 1)):
        adding = turn < n - 1
        moving = [(rank, (rank - turn) % n) for rank in range(n)]
        messages = [pieces[rank][which].clone() for rank, which in moving]
        for (rank, which), message in zip(moving, messages, strict=True):
            right = (rank + 1) % n
            sent[rank] += message.numel()
            pieces[right][which] = pieces[right][which] + message if adding else message
    return torch.stack([torch.cat(row) for row in pieces]), sent


def ring_share(processes: int, operation: str = "all-reduce") -> float:
    """How many times its data each process sends around a ring.

    Args:
        processes: n, how many stand in the ring.
        operation: ``"all-reduce"``, which takes 2 (n − 1)/n; or one of its halves ``"reduce-scatter"`` and
            ``"all-gather"``, (n − 1)/n each.

    Raises:
        InputError: there is no process, or no such operation.

    >>> ring_share(2), ring_share(4), ring_share(4, "all-gather")
    (1.0, 1.5, 0.75)
    """
    halves = {"all-reduce": 2, "reduce-scatter": 1, "all-gather": 1}
    if processes < 1 or operation not in halves:
        raise InputError(
            f"{processes} processes, {operation!r}: at least one, and one of {', '.join(halves)}"
        )
    return halves[operation] * (processes - 1) / processes


def bytes_sent() -> int | None:
    """The bytes that this process has sent through its open TCP connections, as the kernel counts them.

    The backend gloo sends through TCP. What was lost and sent again counts once. ``None`` where the
    kernel does not say (it must be Linux).

    >>> server = socket.create_server(("127.0.0.1", 0))
    >>> client, other = socket.create_connection(server.getsockname()), server.accept()[0]
    >>> before = bytes_sent()
    >>> client.sendall(b"x" * 1000)
    >>> other.recv(1000, socket.MSG_WAITALL) == b"x" * 1000
    True
    >>> before is None or bytes_sent() - before
    1000
    >>> for one in (client, other, server):
    ...     one.close()
    """
    option = getattr(socket, "TCP_INFO", None)
    if option is None or not os.path.isdir("/proc/self/fd"):
        return None
    total, told = 0, False
    for name in os.listdir("/proc/self/fd"):
        try:
            if not os.readlink(f"/proc/self/fd/{name}").startswith("socket:"):
                continue
            with socket.socket(fileno=os.dup(int(name))) as connection:
                if connection.family not in (socket.AF_INET, socket.AF_INET6):
                    continue
                info = connection.getsockopt(socket.IPPROTO_TCP, option, 256)
        except OSError:  # closed in between, or no TCP connection
            continue
        if len(info) >= SENT_AT + 16:
            sent, again = struct.unpack_from("QQ", info, SENT_AT)
            total, told = total + sent - again, True
    return total if told else None
