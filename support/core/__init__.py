"""What every subpackage may use: seeds and threads, device and scale, errors, validation, progress, files."""

from support.core.device import device, pick, scale
from support.core.errors import InputError, optional
from support.core.files import atomic_write
from support.core.progress import progress
from support.core.seeds import seed_everything, seeded_generator

__all__ = [
    "InputError",
    "atomic_write",
    "device",
    "optional",
    "pick",
    "progress",
    "scale",
    "seed_everything",
    "seeded_generator",
]
