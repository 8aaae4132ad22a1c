"""What tests of several subpackages need."""

import json
import math
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from forked import COMPILER, forked
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map_only


def shaken(model: nn.Module, size: float = 0.3) -> nn.Module:
    """Move every weight at random, far enough from the tame start that everything in the model matters."""
    with torch.no_grad():
        for p in model.parameters():
            p.add_(size * torch.randn_like(p))
    return model


@contextmanager
def in_double() -> Iterator[None]:
    """What is made inside is made in float64."""
    usual = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(usual)


def copy_linear(ours: nn.Linear, *theirs: nn.Linear) -> None:
    """Another library's linear layers, side by side, into one of ours."""
    with torch.no_grad():
        ours.weight.copy_(torch.cat([layer.weight for layer in theirs]))
        if ours.bias is not None:
            ours.bias.copy_(torch.cat([layer.bias for layer in theirs]))


class Rounding(TorchDispatchMode):
    """Every operation in float64 gets a random error of the size that rounding to ``dtype`` gives.

    This is Monte Carlo arithmetic (Parker 1997), with rounding errors taken as independent (Higham and Mary
    2019). With u for the unit roundoff, the largest share of itself by which a number is moved by rounding:

    - A sum of n terms, one after the other, rounds each partial sum s_k, with variance u² s_k² / 3. Terms p
      of mixed signs have s_k² ≈ (k / n) Σp², so the variance is u² (n / 6) Σp²; terms of one sign have
      s_k = (k / n) s, which gives u² (n / 9) s². The n products of a matrix product add u² Σp² / 3.
      A kernel that adds in blocks, or with fused steps, does better, never worse.
    - An elementwise operation errs by at most u (sums, products) or 2u (exp, cos, powers), so u is at least
      its standard deviation, but for fused ones (a norm's row, softmax), which are sums, too.
    """

    SUMS = ("sum", "mean", "_softmax", "native_layer_norm", "logsumexp", "var_mean", "_fused_rms_norm")

    def __init__(self, dtype: torch.dtype) -> None:
        super().__init__()
        self.unit = torch.finfo(dtype).eps / 2

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        """The result of the operation, moved at random."""
        out = func(*args, **(kwargs or {}))
        name = func.overloadpacket.__name__
        if name in ("mm", "bmm", "addmm", "baddbmm"):
            a, b = args[-2:]
            n = a.shape[-1]
            variance = (a**2) @ (b**2) * (n + 2) / 6 + out**2 * n / 9
            return out + self.unit * variance.sqrt() * torch.randn_like(out)
        if name in self.SUMS:
            n = args[0].shape[-1] if name.startswith(("_", "native")) else args[0].numel() / out.numel()
            return tree_map_only(Tensor, lambda x: self.moved(x, 1 + math.sqrt(n) / 3), out)
        if torch.Tag.pointwise in func.tags:
            moved = tree_map_only(Tensor, self.moved, out)
            return out.copy_(moved) if name.endswith("_") and isinstance(out, Tensor) else moved
        return out

    def moved(self, x: Tensor, units: float = 1.0) -> Tensor:
        """The same numbers, but for a few units of rounding."""
        return x * (1 + units * self.unit * torch.randn_like(x)) if x.is_floating_point() else x


@torch.no_grad()
def rounding_gap(compute: Callable[[], Tensor], dtype: torch.dtype = torch.float32, draws: int = 4) -> float:
    """How far two runs of a computation in ``dtype`` can lie apart by rounding alone: no bound tuned by hand.

    ``compute`` runs in float64, once as it is and ``draws`` times with the errors of `Rounding`. So the bound
    knows the depth, the lengths of the sums, the size of the results, and how much this model enlarges an
    error: peaked attention does so layer by layer, which no formula in the depth alone would know.
    A result's error is a sum of very many small ones, so it is Gaussian, with a standard deviation of at most
    σ, the largest found. Two runs differ by √2 σ times a normal number, and among N results none lies beyond
    √(2 ln(2N / p)) standard deviations but with probability p: one in a billion.
    """
    with sdpa_kernel(SDPBackend.MATH):  # attention in single operations
        exact = compute()
        assert exact.dtype == torch.float64
        squares = torch.zeros_like(exact)
        for draw in range(draws):
            torch.manual_seed(draw)
            with Rounding(dtype):
                error = compute() - exact
            squares += error.nan_to_num(0.0) ** 2 / draws  # a word of probability 0: -inf in both
    return float(2**0.5 * squares.max().sqrt()) * math.sqrt(2 * math.log(2e9 * exact.numel()))


def said_by(begin: str, parts: dict[str, str], alone: bool = False) -> dict[str, list[str]]:
    """The words that each part of a program prints after `begin`, or its traceback's; one process for all.

    It is a fork of one that has imported torch, or `alone` a new one: a GPU does not work in a fork.
    """
    code = """
import contextlib, io, json, sys, traceback
begin, parts = json.load(sys.stdin)
said = {}
for name, part in parts.items():
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        try:
            exec(begin + part, {"__name__": "__main__"})
        except Exception:
            traceback.print_exc(file=sys.stdout)
    said[name] = printed.getvalue().split()
print(json.dumps(said))
"""
    given = json.dumps([begin, parts])
    if alone:
        done = subprocess.run([sys.executable, "-c", code], input=given, capture_output=True, text=True)
    else:
        done = forked(code, given=given, imported=COMPILER)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Seen(TorchDispatchMode):
    """Counts the products of oneDNN."""

    def __init__(self):
        super().__init__()
        self.products = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.products += "mkldnn" in str(func)
        return func(*args, **(kwargs or {}))
