"""From text to weights: batches, the schedule, the loop, its history, and safe checkpoints."""

from support.training.batches import (
    IGNORE_INDEX,
    Epochs,
    SequenceBatches,
    StreamBatches,
    inputs_and_targets,
    pad_sequences,
)
from support.training.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from support.training.config import TrainConfig
from support.training.distributed import LostProcessError
from support.training.evaluation import cross_entropy_sum, evaluate_loss, evaluate_stream
from support.training.history import History
from support.training.loop import DivergedError, train
from support.training.masking import MaskedBatches, mask_tokens
from support.training.schedule import decay_groups, learning_rate, make_optimiser
from support.training.seq2seq import Seq2SeqBatches

__all__ = [
    "IGNORE_INDEX",
    "Checkpoint",
    "DivergedError",
    "Epochs",
    "History",
    "LostProcessError",
    "MaskedBatches",
    "Seq2SeqBatches",
    "SequenceBatches",
    "StreamBatches",
    "TrainConfig",
    "cross_entropy_sum",
    "decay_groups",
    "evaluate_loss",
    "evaluate_stream",
    "inputs_and_targets",
    "learning_rate",
    "load_checkpoint",
    "make_optimiser",
    "mask_tokens",
    "pad_sequences",
    "save_checkpoint",
    "train",
]
