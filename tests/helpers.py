"""What tests of several rooms need."""

import torch
from torch import nn


def shaken(model: nn.Module, size: float = 0.3) -> nn.Module:
    """Move every weight at random, far enough from the tame start that everything in the model matters."""
    with torch.no_grad():
        for p in model.parameters():
            p.add_(size * torch.randn_like(p))
    return model
