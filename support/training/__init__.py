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
from support.training.diagnosis import diagnose
from support.training.distributed import LostProcessError
from support.training.evaluation import cross_entropy_sum, evaluate_loss, evaluate_stream
from support.training.history import History
from support.training.loop import DivergedError, train
from support.training.masking import MaskedBatches, mask_tokens
from support.training.measurements import (
    LayerMonitor,
    activation_statistics,
    first_non_finite,
    future_leak,
)
from support.training.one_batch import memorising_floor, overfit_one_batch
from support.training.report import Report, read_losses
from support.training.schedule import decay_groups, learning_rate, make_optimiser
from support.training.seq2seq import Seq2SeqBatches

__all__ = [
    "IGNORE_INDEX",
    "Checkpoint",
    "DivergedError",
    "Epochs",
    "History",
    "LayerMonitor",
    "LostProcessError",
    "MaskedBatches",
    "Report",
    "Seq2SeqBatches",
    "SequenceBatches",
    "StreamBatches",
    "TrainConfig",
    "activation_statistics",
    "cross_entropy_sum",
    "decay_groups",
    "diagnose",
    "evaluate_loss",
    "evaluate_stream",
    "first_non_finite",
    "future_leak",
    "inputs_and_targets",
    "learning_rate",
    "load_checkpoint",
    "make_optimiser",
    "mask_tokens",
    "memorising_floor",
    "overfit_one_batch",
    "pad_sequences",
    "read_losses",
    "save_checkpoint",
    "train",
]
