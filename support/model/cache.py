"""The KV cache: keys and values are computed once and kept, so that a new token costs one row of work."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from support.core import InputError
from support.model.config import GPTConfig


def cache_bytes(
    config: GPTConfig, batch: int = 1, length: int | None = None, bytes_per_number: int = 4
) -> int:
    """Bytes that a cache takes: 2 (K and V) × layers × KV heads × d_head × tokens × texts.

    Args:
        config: of the model; with a window, no more than ``window`` tokens are kept.
        batch: texts side by side.
        length: tokens to hold; the whole context if not given.
        bytes_per_number: 4 for float32, 2 for bfloat16.

    >>> cache_bytes(GPTConfig(vocab_size=5, d_model=64, n_heads=4, n_layers=2), length=10)
    10240
    """
    slots = _slots(config, config.context if length is None else length)
    return 2 * config.n_layers * config.n_kv_heads * config.d_head * slots * batch * bytes_per_number


def _slots(config: GPTConfig, length: int) -> int:
    return length if config.window is None else min(length, config.window)


class LayerCache:
    """One layer's keys and values; `update` takes the new ones in and hands back all that can be seen."""

    def __init__(self, keys: Tensor, values: Tensor, whole: "KVCache") -> None:
        self.keys, self.values, self.whole = keys, values, whole

    def update(
        self,
        k: Float[Tensor, "batch kv_head position d_head"],
        v: Float[Tensor, "batch kv_head position d_head"],
    ) -> tuple[Float[Tensor, "batch kv_head key d_head"], Float[Tensor, "batch kv_head key d_head"]]:
        start, n, slots = self.whole.start, k.shape[2], self.whole.slots
        if start + n <= slots:
            for kept, new in ((self.keys, k), (self.values, v)):
                kept.narrow(2, start, n).copy_(new)
            return self.keys.narrow(2, 0, start + n), self.values.narrow(2, 0, start + n)
        if n == 1:  # the oldest makes room; their order does not matter to a single query
            slot = start % slots
            self.keys[:, :, slot : slot + 1], self.values[:, :, slot : slot + 1] = k, v
            return self.keys, self.values
        # A chunk that rolls over: its first queries still need what its last ones push out.
        old = self.whole.old_slots()
        all_k = torch.cat([self.keys[:, :, old], k], dim=2)
        all_v = torch.cat([self.values[:, :, old], v], dim=2)
        newest = torch.arange(max(start, start + n - slots), start + n, device=k.device)
        self.keys[:, :, newest % slots] = k[:, :, newest - start]
        self.values[:, :, newest % slots] = v[:, :, newest - start]
        return all_k, all_v


class KVCache:
    """Room for the keys and values of every layer, laid out once; with a window it rolls.

    Only the KV heads are stored, so grouped queries save memory in proportion.

    Args:
        config: of the model that will use it.
        batch: texts side by side.
        length: tokens to hold at most; the whole context if not given. With a window and positions that
            need no table (``rope``, ``alibi``, ``none``) there is no limit: the cache rolls.
        pad: how many filling tokens stand at the left of each text, for prompts of different length.
        device: of the model.
        dtype: of the model.

    Raises:
        InputError: ``length`` is not between 1 and the context, or the model looks ahead.

    >>> cfg = GPTConfig(vocab_size=5, n_layers=2)
    >>> cache = KVCache(cfg, length=10)
    >>> cache.nbytes == cache_bytes(cfg, length=10), cache.start
    (True, 0)
    """

    def __init__(
        self,
        config: GPTConfig,
        batch: int = 1,
        length: int | None = None,
        pad: Int[Tensor, " batch"] | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        length = config.context if length is None else length
        if not 1 <= length <= config.context:
            raise InputError(f"A cache of length={length} does not fit; give 1 to context={config.context}.")
        if not config.causal:
            raise InputError("A model that looks ahead (causal=False) reads its text anew; it has no cache.")
        if pad is not None and len(pad) != batch:
            raise InputError(f"pad has {len(pad)} numbers for batch={batch} texts; give one for each.")
        self.config, self.batch, self.slots, self.pad = config, batch, _slots(config, length), pad
        self.start = 0  # tokens read so far
        rolls = config.window is not None and length >= config.window
        endless = rolls and config.positions in ("rope", "alibi", "none")
        self.limit = None if endless else length
        shape = (2, config.n_layers, batch, config.n_kv_heads, self.slots, config.d_head)
        self.store = torch.zeros(shape, device=device, dtype=dtype)
        self.layers = [LayerCache(self.store[0, i], self.store[1, i], self) for i in range(config.n_layers)]

    @property
    def nbytes(self) -> int:
        """Bytes that are really allocated."""
        return self.store.nbytes

    def check(self, batch: int, n: int) -> None:
        """Refuse a batch of another size, and tokens for which there is no room."""
        if batch != self.batch:
            raise InputError(f"The cache was made for {self.batch} texts and was given {batch}.")
        if self.limit is not None and self.start + n > self.limit:
            raise InputError(
                f"The cache holds {self.limit} tokens, {self.start} are in it and {n} more do not fit; make "
                f"it longer (up to context={self.config.context}), or let it roll: configure a window, with "
                "positions rope, alibi or none."
            )

    def old_slots(self) -> Int[Tensor, " old"]:
        """Where the tokens read so far lie, oldest first."""
        oldest = max(0, self.start - self.slots)
        return torch.arange(oldest, self.start, device=self.store.device) % self.slots

    def key_places(self, n: int) -> Int[Tensor, " key"] | None:
        """The place in the text of each key that `LayerCache.update` hands back; None: simply in order."""
        end = self.start + n
        if end <= self.slots:
            return None
        if n == 1:
            slot = torch.arange(self.slots, device=self.store.device)
            return self.start - (self.start - slot) % self.slots
        return torch.arange(max(0, self.start - self.slots), end, device=self.store.device)
