"""From a language model to an assistant: instruction tuning, adapters, preferences, tools and retrieval."""

from support.alignment.chat import (
    ChatTemplate,
    InstructionBatches,
    Message,
    Transcript,
    grow_vocabulary,
    masked_targets,
    restrict_to_rows,
)

__all__ = [
    "ChatTemplate",
    "InstructionBatches",
    "Message",
    "Transcript",
    "grow_vocabulary",
    "masked_targets",
    "restrict_to_rows",
]
