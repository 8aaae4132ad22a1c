"""How long the stream becomes in untrained blocks, and how alike its tokens, with and without norms.

    python benchmarks/stream_length.py

Writes records/stream_length.json. Half a CPU-minute.
"""

import math
from itertools import product

import torch
from recording import begin_record, keep_record
from torch import Tensor
from torch.nn import functional as F

from support.core import seed_everything
from support.model import GPT, GPTConfig

WIDTH, DEPTH, SEEDS = 32, 24, 5
NORMS = {"no norm": {"norm": "none"}, "pre-norm": {}, "post-norm": {"norm_first": False}}


def streams(norm: str, residual: bool, scaled: bool, seed: int) -> list[Tensor]:
    """The stream before the first block and after each, with its gradient from a random one on top."""
    torch.manual_seed(seed)
    shape = {"vocab_size": 4, "d_model": WIDTH, "n_layers": DEPTH, "n_heads": 2, "positions": "none"}
    model = GPT(GPTConfig(**shape, residual=residual, **NORMS[norm])).double()
    model.initialise()  # in float64: what another processor's float32 draws otherwise grows with every block
    if not scaled:  # take back the division by √(2 n_layers) that `GPT.initialise` makes
        with torch.no_grad():
            for block in model.blocks:
                block.attention.output.weight *= math.sqrt(2 * DEPTH)
                block.feed_forward.down.weight *= math.sqrt(2 * DEPTH)
    stream = torch.randn(4, 8, WIDTH, dtype=torch.float64, requires_grad=True)
    kept = [stream]
    for block in model.blocks:
        kept.append(block(kept[-1]))
        kept[-1].retain_grad()
    above = torch.randn_like(stream)
    (kept[-1] * (above / above.norm())).sum().backward()
    return kept


def measured(norm: str, residual: bool, scaled: bool, seed: int) -> list[list[float]]:
    """After 0 to 24 blocks: the tokens' mean length, the gradient's norm, the mean cosine of two tokens."""
    rows = []
    for stream in streams(norm, residual, scaled, seed):
        unit = F.normalize(stream.detach(), dim=-1)
        alike = ((unit @ unit.mT).sum(dim=(1, 2)) - 8) / (8 * 7)
        assert stream.grad is not None
        rows.append([stream.detach().norm(dim=-1).mean(), stream.grad.norm(), alike.mean()])
    return [[x.item() for x in column] for column in map(list, zip(*rows, strict=True))]


def main() -> None:
    seed_everything()
    content = begin_record("stream_length", {}, depth=DEPTH, width=WIDTH, seeds=SEEDS)
    for norm, residual, scaled in product(NORMS, (True, False), (True, False)):
        runs = torch.tensor([measured(norm, residual, scaled, seed) for seed in range(SEEDS)])
        median = runs.median(dim=0).values.tolist()
        name = f"{norm}, {'residual' if residual else 'none'}, {'scaled' if scaled else 'full'}"
        content["runs"][name] = [[float(f"{x:.4g}") for x in column] for column in median]
        print(name, [column[-1] for column in content["runs"][name]], flush=True)
    keep_record("stream_length", content, indent=None)


if __name__ == "__main__":
    main()
