"""From text to weights: batches, the schedule, the loop, its history, safe checkpoints, and what it costs."""

from support.training.accounts import (
    MemoryPlan,
    block_activations,
    machine_rates,
    matmul_intensity,
    memory_plan,
    mfu,
    peak_memory,
    roofline,
    saved_for_backward,
)
from support.training.batches import (
    IGNORE_INDEX,
    Epochs,
    SequenceBatches,
    StreamBatches,
    inputs_and_targets,
    pad_sequences,
)
from support.training.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from support.training.communication import bytes_sent, ring_all_reduce, ring_share
from support.training.config import TrainConfig
from support.training.diagnosis import diagnose
from support.training.distributed import LostProcessError
from support.training.evaluation import cross_entropy_sum, evaluate_loss, evaluate_stream
from support.training.history import History
from support.training.launch import launch
from support.training.loop import DivergedError, train
from support.training.masking import MaskedBatches, mask_tokens
from support.training.measurements import (
    LayerActivations,
    LayerMonitor,
    activation_statistics,
    first_non_finite,
    future_leak,
)
from support.training.one_batch import memorising_floor, overfit_one_batch
from support.training.report import Finding, Report, read_losses
from support.training.scaler import LossScaler, underflow
from support.training.scaling_law import KaplanLaw, ScalingLaw, bootstrap, fit_kaplan, fit_scaling_law
from support.training.schedule import decay_groups, learning_rate, make_optimiser
from support.training.seq2seq import Seq2SeqBatches

__all__ = [
    "IGNORE_INDEX",
    "Checkpoint",
    "DivergedError",
    "Epochs",
    "Finding",
    "History",
    "KaplanLaw",
    "LayerActivations",
    "LayerMonitor",
    "LossScaler",
    "LostProcessError",
    "MaskedBatches",
    "MemoryPlan",
    "Report",
    "ScalingLaw",
    "Seq2SeqBatches",
    "SequenceBatches",
    "StreamBatches",
    "TrainConfig",
    "activation_statistics",
    "block_activations",
    "bootstrap",
    "bytes_sent",
    "cross_entropy_sum",
    "decay_groups",
    "diagnose",
    "evaluate_loss",
    "evaluate_stream",
    "first_non_finite",
    "fit_kaplan",
    "fit_scaling_law",
    "future_leak",
    "inputs_and_targets",
    "launch",
    "learning_rate",
    "load_checkpoint",
    "machine_rates",
    "make_optimiser",
    "mask_tokens",
    "matmul_intensity",
    "memorising_floor",
    "memory_plan",
    "mfu",
    "overfit_one_batch",
    "pad_sequences",
    "peak_memory",
    "read_losses",
    "ring_all_reduce",
    "ring_share",
    "roofline",
    "save_checkpoint",
    "saved_for_backward",
    "train",
    "underflow",
]
