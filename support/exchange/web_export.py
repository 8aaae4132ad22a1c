"""To the page: a checkpoint as one script that a browser can load, even from an opened file.

A page that was opened as a file may not fetch another file, but it may load a script. So a model travels as
a script of one line, ``PageModel.receive("name", "…")``, whose second word is base64. Decoded, it is a
safetensors file: eight bytes with the header's length (little-endian), the header as JSON (for each array its
``dtype``, ``shape`` and ``data_offsets``; under ``__metadata__`` the ``format``, and as JSON in strings the
``config`` and the ``tokens``), then the arrays, row after row. `book/assets/model.js` reads it and runs it.
"""

import base64
import json
from dataclasses import dataclass, fields
from typing import Literal

import torch
from safetensors.torch import save

from support.core import InputError
from support.model import GPT, GPTConfig
from support.text import Vocabulary
from support.training.model_kinds import refuse_replaced

FORMAT = "neuron-to-assistant page model 1"
Precision = Literal["float64", "float32", "float16"]
# The models that the book ships, and how exactly: the stories are brought only to those who ask for them.
SHIPPED: dict[str, Precision] = {"assistant": "float16", "calling-game": "float32", "stories": "float16"}
_TYPES = {"float64": torch.float64, "float32": torch.float32, "float16": torch.float16}
# What the page's script can do; every other choice must be GPTConfig's own.
_SIZES = {"vocab_size", "context", "d_model", "n_layers", "n_heads", "n_kv_heads", "d_head", "d_ff"}
_FREE = {"norm_eps", "masked_ids", "dropout", "init_std"}
_NEEDED = ["vocab_size", "context", "d_model", "n_layers", "n_heads", "d_head", "d_ff", "activation"]
_NEEDED += ["norm_eps", "masked_ids"]
_CHOICES = {
    "positions": ("learned",),
    "activation": ("relu", "gelu"),
    "attention_bias": (True, False),
    "qkv_bias": (True, False),
}


@dataclass(frozen=True)
class PageModel:
    """A model as it is shipped.

    Attributes:
        name: by which the page asks for it.
        data: the safetensors file.
    """

    name: str
    data: bytes

    @property
    def script(self) -> str:
        """The script that brings it to a page."""
        letters = base64.b64encode(self.data).decode()
        return f'PageModel.receive({json.dumps(self.name)}, "{letters}");\n'


def rounded(model: GPT, precision: Precision) -> GPT:
    """A copy of the model with its weights rounded as they are shipped, in float32 again.

    >>> model = GPT(GPTConfig(vocab_size=5, d_model=8, n_heads=2))
    >>> bool((rounded(model, "float16").embedding.weight == model.embedding.weight.half()).all())
    True
    """
    copy = GPT(model.config).eval()
    copy.load_state_dict({name: t.to(_TYPES[precision]).float() for name, t in model.state_dict().items()})
    return copy


def for_page(name: str, model: GPT, vocabulary: Vocabulary, precision: Precision = "float32") -> PageModel:
    """Pack a model with its vocabulary for the page.

    Args:
        name: by which the page asks for it.
        model: of a kind that the page's script can run: pre-norm LayerNorm, learned positions, ReLU or GELU,
            tied, causal, one feed-forward network a block.
        vocabulary: its words, as many as the model has ids.
        precision: of the shipped weights; ``"float16"`` halves the bytes and rounds (see `rounded`), and
            ``"float64"`` keeps weights that were written down in decimals.

    Raises:
        InputError: the model is of another kind, its parts were replaced, or the vocabulary does not fit it.

    >>> model = GPT(GPTConfig(vocab_size=3, context=4, d_model=8, n_heads=2, n_layers=1))
    >>> for_page("tiny", model, Vocabulary(["<BOS>", "a", "b"])).script[:27]
    'PageModel.receive("tiny", "'
    """
    config = model.config
    usual = GPTConfig(vocab_size=config.vocab_size)
    for field in fields(GPTConfig):
        value = getattr(config, field.name)
        if field.name in _SIZES | _FREE:
            continue
        if field.name in _CHOICES:
            fine, known = value in _CHOICES[field.name], " or ".join(map(str, _CHOICES[field.name]))
        else:
            fine, known = value == getattr(usual, field.name), repr(getattr(usual, field.name))
        if not fine:
            raise InputError(f"The page cannot run a model with {field.name}={value!r}; it needs {known}.")
    if config.n_kv_heads != config.n_heads:
        raise InputError("The page cannot run heads that share keys and values; it needs n_kv_heads=n_heads.")
    if len(vocabulary) != config.vocab_size:
        raise InputError(f"{len(vocabulary)} words do not fit a model of {config.vocab_size} ids.")
    refuse_replaced(model)
    about = {
        "format": FORMAT,
        "config": json.dumps({name: getattr(config, name) for name in _NEEDED}),
        "tokens": json.dumps(vocabulary.tokens, ensure_ascii=False),
    }
    tensors = {k: t.detach().cpu().to(_TYPES[precision]).contiguous() for k, t in model.state_dict().items()}
    return PageModel(name, _reproducible(save(tensors, metadata=about)))


def _reproducible(data: bytes) -> bytes:
    """The same safetensors file with its metadata in alphabetical order, which the library shuffles."""
    begin = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:begin])
    header["__metadata__"] = dict(sorted(header["__metadata__"].items()))
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + data[begin:]
