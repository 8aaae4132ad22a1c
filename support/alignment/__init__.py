"""From a language model to an assistant: instruction tuning, adapters, preferences, tools and retrieval."""

from support.alignment.adapter_file import fingerprint, load_adapter, save_adapter
from support.alignment.chat import (
    ChatTemplate,
    InstructionBatches,
    Message,
    Transcript,
    grow_vocabulary,
    masked_targets,
    restrict_to_rows,
)
from support.alignment.lora import (
    TARGETS,
    LoRALinear,
    LowRankUpdate,
    adapter_names,
    add_lora,
    lora_layers,
    lora_parameters,
    lora_size,
    merge_lora,
    use_adapters,
    without_adapters,
)

__all__ = [
    "TARGETS",
    "ChatTemplate",
    "InstructionBatches",
    "LoRALinear",
    "LowRankUpdate",
    "Message",
    "Transcript",
    "adapter_names",
    "add_lora",
    "fingerprint",
    "grow_vocabulary",
    "load_adapter",
    "lora_layers",
    "lora_parameters",
    "lora_size",
    "masked_targets",
    "merge_lora",
    "restrict_to_rows",
    "save_adapter",
    "use_adapters",
    "without_adapters",
]
