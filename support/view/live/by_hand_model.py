"""The worked transformer of *from-scratch* as a `GPT`: two blocks, a stream of four numbers, eight words.

The source prints the embeddings, the positions, the attention of block 0 and one value matrix; the other
weights were found by least squares, to lead to all that it prints (`benchmarks/one_step_weights.py`).
"""

from typing import Any

import torch
from torch import Tensor

from support.model import GPT, GPTConfig
from support.text import Vocabulary

WORDS = ("the", "cat", "sat", "on", "dog", "mat", "ran", "and")
SENTENCE = "the cat sat on the"
CONFIG = GPTConfig(
    vocab_size=8,
    context=5,
    d_model=4,
    n_layers=2,
    n_heads=2,
    d_ff=8,
    activation="relu",
    attention_bias=False,
)
_EMBEDDING = """.1 .2 0 .1; .3 .1 .2 0; 0 .3 .1 .2; .2 0 .3 .1;
    .4 .2 .1 .1; .1 .4 .2 .3; 0 .1 .4 .2; .2 .2 .2 .2"""
_POSITIONS = "0 0 0 0; .1 .05 0 0; .15 .1 0 0; .2 .15 0 0; .25 .2 0 0"
# Queries, keys and values of the heads, head after head, as `x @ W` multiplies; then the other matrices.
_BLOCKS: tuple[dict[str, Any], ...] = (
    {
        "q": (".5 .1; .1 .4; .2 .3; 0 .2", ".2 .3; .4 .1; 0 .5; .3 0"),
        "k": (".4 0; .2 .5; .1 .3; .3 .1", ".1 .4; .3 0; .2 .2; .5 .1"),
        "v": (".3 .2; 0 .4; .5 .1; .2 .3", "0 .5; .3 .2; .4 0; .1 .3"),
        "output": ".4 .1 .2 0; 0 .3 .1 .4; .2 .2 .3 .1; .1 0 .2 .3",
        "up": """.23 -.1 .0213 .055 .1938 -.1045 -.1526 0; -.079 .26 -.15 .0623 .035 -.123 .08 -.0155;
            .06 -.0943 .14 -.031 -.18 .1764 -.134 .02; -.1863 -.039 -.01 -.087 0 .05 .23 0""",
        "up_bias": ".1273 .09 .0928 .08 .087 .02 -.07 -.01",
        "down": """.15 -.021 .287 .0971; .08 .168 -.089 .226; .11 .27 .03 .041; .02 -.09 .13 .2;
            .003 -.04 .1126 -.166; -.002 -.05 .01 .08; -.1713 -.0547 -.0565 .3135; -.01 .02 0 .01""",
        "down_bias": ".1895 .3096 .1586 .1646",
    },
    {
        "q": ("-.01 .05; -.19 .12; .21 -.144; -.01 -.03", "0 -.01; -.07 .15; .08 -.17; -.01 .03"),
        "k": ("-.03 .12; .319 -.28; -.07 .16; -.206 .037", "-.08 .17; .07 -.14; .02 -.04; -.01 .01"),
        "v": (".4 0; .1 .3; .2 .4; .3 .1", ".107 -.041; -.169 .224; .05 .075; .004 -.255"),
        "output": ".055 .08 -.0985 -.08; .22 -.02 -.002 .02; -.144 .135 .034 .067; .351 .032 .07 .03",
        "up": """-.1 -.142 .15 -.134 0 .092 -.136 -.01; .008 .21 -.146 .27 .122 -.16 -.071 -.016;
            .0353 -.1535 .27 -.2826 -.125 .1955 .0306 .019; .04 .094 -.273 .121 .018 -.13 .1777 .011""",
        "up_bias": ".05 .02 .34 -.566 .118 .085 .305 -.012",
        "down": """.054 .096 .06 -.003; .0544 .2305 -.042 .1538; .228 -.075 .14 -.0363; -.12 .02 .029 .123;
            .0503 .14 -.0873 .129; .1 -.063 .2513 .007; .1884 .141 -.0337 .037; -.144 .02 .09 .05""",
        "down_bias": ".088 .212 .2454 .191",
    },
)


def _matrix(text: str) -> Tensor:
    """'1 2; 3 4' as a matrix with two rows."""
    rows = [[float(x) for x in row.split()] for row in text.split(";")]
    return torch.tensor(rows, dtype=torch.float64)


def by_hand_model() -> tuple[GPT, Vocabulary]:
    """The model, in double precision, and its words.

    >>> model, vocabulary = by_hand_model()
    >>> logits = model(torch.tensor([vocabulary.encode(SENTENCE)]))[0, -1]
    >>> round(logits.softmax(dim=-1)[vocabulary.id("mat")].item(), 3)
    0.171
    """
    model = GPT(CONFIG).double().eval()
    weights = {"embedding.weight": _matrix(_EMBEDDING), "position.weight": _matrix(_POSITIONS)}
    for i, block in enumerate(_BLOCKS):
        qkv = torch.cat([_matrix(head) for kind in "qkv" for head in block[kind]], dim=1)
        parts = {
            "attention.qkv.weight": qkv.T,
            "attention.output.weight": _matrix(block["output"]).T,
            "feed_forward.up.weight": _matrix(block["up"]).T,
            "feed_forward.up.bias": _matrix(block["up_bias"])[0],
            "feed_forward.down.weight": _matrix(block["down"]).T,
            "feed_forward.down.bias": _matrix(block["down_bias"])[0],
        }
        weights |= {f"blocks.{i}.{name}": value for name, value in parts.items()}
    norms = {name: value for name, value in model.state_dict().items() if "norm" in name}  # as they begin
    model.load_state_dict(weights | norms)
    return model, Vocabulary(WORDS)
