"""GPT against transformers' GPT-2: the largest logit difference, configuration by configuration.

    python benchmarks/parity.py

Weights are random and far from a fresh start: peaked attention, random norm gains, random biases. The last
column says how peaked: the mean over heads and positions of the largest attention weight.
"""

import torch
import transformers

from support.core import set_up
from support.exchange import from_huggingface

SMALL = {"vocab_size": 1024, "n_positions": 128, "bos_token_id": 0, "eos_token_id": 0}
CONFIGURATIONS = {
    "1 layer, 2 heads, 8 wide": {"n_layer": 1, "n_head": 2, "n_embd": 8},
    "2 layers, 1 head, 24 wide": {"n_layer": 2, "n_head": 1, "n_embd": 24},
    "2 layers, 4 heads, 64 wide": {"n_layer": 2, "n_head": 4, "n_embd": 64},
    "4 layers, 4 heads, 128 wide": {"n_layer": 4, "n_head": 4, "n_embd": 128},
    "12 layers, 4 heads, 64 wide": {"n_layer": 12, "n_head": 4, "n_embd": 64},
    "ReLU, inner 20": {"n_layer": 2, "n_head": 3, "n_embd": 48, "n_inner": 20, "activation_function": "relu"},
    "exact GELU": {"n_layer": 2, "n_head": 3, "n_embd": 48, "activation_function": "gelu"},
    "untied head": {"n_layer": 2, "n_head": 3, "n_embd": 48, "tie_word_embeddings": False},
    "GPT-2 small's shape": {"n_layer": 12, "n_head": 12, "n_embd": 768, "vocab_size": 50257},
}


def perturbed(changes: dict) -> transformers.GPT2LMHeadModel:
    """A GPT-2 in which every tensor matters."""
    config = transformers.GPT2Config(**(SMALL | changes), attn_implementation="eager")
    model = transformers.GPT2LMHeadModel(config).eval()
    with torch.no_grad():
        for name, p in model.named_parameters():
            if p.ndim == 1:
                p.add_(0.5 * torch.randn_like(p))
            else:
                p.normal_(std=(2 if "c_attn" in name else 1) / config.n_embd**0.5)
    return model


@torch.no_grad()
def main() -> None:
    transformers.logging.set_verbosity_error()
    print(f"{'configuration':28} {'parameters':>11} {'float32':>9} {'float64':>9} {'largest weight':>15}")
    for name, changes in CONFIGURATIONS.items():
        set_up(0)
        theirs = perturbed(changes)
        ours = from_huggingface(theirs)
        ids = torch.randint(theirs.config.vocab_size, (2, theirs.config.n_positions))
        want = theirs(ids, output_attentions=True)
        peak = torch.stack([a.amax(-1).mean() for a in want.attentions]).mean()
        single = (ours(ids) - want.logits).abs().max()
        double = (ours.double()(ids) - theirs.double()(ids).logits).abs().max()
        print(f"{name:28} {ours.n_parameters():11,} {single:9.1e} {double:9.1e} {peak:15.2f}")


if __name__ == "__main__":
    main()
