"""What tests of several rooms need."""

import torch
from torch import nn


def shaken(model: nn.Module, size: float = 0.3) -> nn.Module:
    """Move every weight at random, far enough from the tame start that everything in the model matters."""
    with torch.no_grad():
        for p in model.parameters():
            p.add_(size * torch.randn_like(p))
    return model


def copy_linear(ours: nn.Linear, *theirs: nn.Linear) -> None:
    """Another library's linear layers, side by side, into one of ours."""
    with torch.no_grad():
        ours.weight.copy_(torch.cat([layer.weight for layer in theirs]))
        if ours.bias is not None:
            ours.bias.copy_(torch.cat([layer.bias for layer in theirs]))
