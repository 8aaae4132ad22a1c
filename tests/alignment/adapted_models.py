"""Small models with adapters, in the architectures of GPT-2 and of Llama."""

import torch

from support.alignment import add_lora, lora_parameters
from support.model import GPT, GPTConfig

GPT2 = GPTConfig(vocab_size=11, d_model=16, n_heads=4, n_layers=2)
LLAMA = GPTConfig(
    vocab_size=11,
    d_model=16,
    n_heads=4,
    n_kv_heads=2,
    n_layers=2,
    norm="rms",
    activation="swiglu",
    positions="rope",
    attention_bias=False,
    ffn_bias=False,
)
IDS = torch.tensor([[1, 4, 9, 3, 3, 7]])


def model_of(config: GPTConfig) -> GPT:
    torch.manual_seed(0)
    return GPT(config).double().eval()


def adapted(config: GPTConfig, rank: int = 2, **how) -> GPT:
    model = add_lora(model_of(config), rank, **how)
    with torch.no_grad():
        for parameter in lora_parameters(model):
            parameter.add_(0.3 * torch.randn_like(parameter))
    return model
