"""Hugging Face checkpoints become `GPT`, and a `GPT` becomes one of theirs: GPT-2, GPT-Neo, Llama …"""

import os
from pathlib import Path
from typing import Any

from torch import Tensor, nn

from support.core import InputError
from support.core.validation import checked
from support.exchange.hf_config import read_fields
from support.exchange.hf_config_out import write_fields
from support.exchange.hf_folder import read_folder, refuse_shards, write_folder
from support.exchange.hf_layouts import LAYOUTS, from_tensors, to_tensors
from support.exchange.hf_tokenizer import Tokenizer, special_ids, write_tokenizer
from support.model import GPT
from support.training.model_kinds import refuse_replaced


@checked
def from_huggingface(model_or_folder: nn.Module | str | os.PathLike[str]) -> GPT:
    """The same network as a `GPT`, with the same logits; in evaluation mode, with weights of its own.

    Args:
        model_or_folder: a ``transformers`` GPT-2, GPT-Neo, GPT-NeoX (Pythia), Llama, Mistral, Mixtral, Qwen 2
            or Qwen 3 (a tied one with or without its head), or a folder that holds ``config.json`` and
            ``model.safetensors`` (one file or shards). A folder is read without importing ``transformers``;
            nothing is downloaded.

    Raises:
        InputError: a file is missing or damaged, the architecture is not known here, or a field or tensor
            does not fit; the sentence names it.

    Architectures: Radford et al. 2019 (GPT-2); Touvron et al. 2023 (Llama); Jiang et al. 2023 and 2024
    (Mistral, Mixtral); Yang et al. 2024 and 2025 (Qwen 2, Qwen 3); Black et al. 2021 (GPT-Neo) and 2022
    (GPT-NeoX), Biderman et al. 2023 (Pythia).

    >>> import tempfile
    >>> from_huggingface(tempfile.mkdtemp())
    Traceback (most recent call last):
    support.core.errors.InputError: There is no config.json in the folder ...
    """
    if isinstance(model_or_folder, nn.Module):
        values: Any = getattr(model_or_folder, "config", None)
        if not hasattr(values, "to_dict"):
            kind = type(model_or_folder).__name__
            raise InputError(f"{kind} carries no transformers config; give a transformers model or a folder.")
        fields, tensors = values.to_dict(), model_or_folder.state_dict()
    else:
        fields, tensors = read_folder(Path(model_or_folder))
    config = read_fields(fields)
    return from_tensors(config, LAYOUTS[fields["model_type"]], tensors)


@checked
def to_huggingface(
    model: GPT,
    folder: str | os.PathLike[str] | None = None,
    tokenizer: Tokenizer | None = None,
    **more: Any,
) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The model as a checkpoint of theirs: the fields of its ``config.json``, and its tensors by name.

    The architecture is the simplest that can hold it. Dropout is written for GPT-2, GPT-Neo and
    GPT-NeoX; the others have none where ours is.

    Args:
        model: any `GPT` that one of the architectures of `from_huggingface` can hold.
        folder: write the files there, for ``transformers`` (or `from_huggingface`) to load.
        tokenizer: write it too, so that ``AutoTokenizer`` and ``pipeline`` give its ids. The tokens of
            beginning, end and padding are found by their usual names (``<EOS>``, ``<PAD>`` …), or given by
            ``more``; padding without a token of its own takes the end's.
        more: further fields of ``config.json``, such as ``eos_token_id``.

    Raises:
        InputError: no architecture known here is like this model, its parts were replaced, or the tokenizer
            does not fit it; the field or part is named.

    >>> from support.model import GPTConfig
    >>> fields, tensors = to_huggingface(GPT(GPTConfig(vocab_size=9, norm="rms", activation="swiglu",
    ...     positions="rope", attention_bias=False, ffn_bias=False, n_layers=1)), eos_token_id=2)
    >>> fields["model_type"], len(tensors), tensors["model.layers.0.mlp.up_proj.weight"].shape
    ('llama', 11, torch.Size([176, 64]))
    """
    if any(block.cross_attention is not None for block in model.blocks):
        raise InputError("This decoder has cross-attention, which no architecture known here has.")
    refuse_replaced(model)
    fields = write_fields(model.config)
    tensors = to_tensors(model, LAYOUTS[fields["model_type"]])
    fields |= {"dtype": str(model.embedding.weight.dtype).removeprefix("torch.")}
    ids = {} if tokenizer is None else special_ids(tokenizer, more, model.config.vocab_size)
    fields |= ids | more
    if folder is not None:
        place = Path(folder)
        refuse_shards(place)
        if tokenizer is not None:  # first: a folder with a config.json is whole
            write_tokenizer(place, tokenizer, ids, model.config.context)
        write_folder(place, fields, tensors)
    return fields, tensors
