"""From text to weights: batches, the schedule, the loop, its history, and safe checkpoints."""

from support.training.batches import IGNORED, Epochs, SequenceBatches, StreamBatches, fill, pad
from support.training.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from support.training.config import TrainConfig
from support.training.history import History
from support.training.loop import DivergedError, loss_of, token_losses, train
from support.training.masking import MaskedBatches, mask_tokens
from support.training.pairs import PairBatches
from support.training.schedule import decay_groups, learning_rate, make_optimiser

__all__ = [
    "IGNORED",
    "Checkpoint",
    "DivergedError",
    "Epochs",
    "History",
    "MaskedBatches",
    "PairBatches",
    "SequenceBatches",
    "StreamBatches",
    "TrainConfig",
    "decay_groups",
    "fill",
    "learning_rate",
    "load_checkpoint",
    "loss_of",
    "make_optimiser",
    "mask_tokens",
    "pad",
    "save_checkpoint",
    "token_losses",
    "train",
]
