"""The KV cache: keys and values are computed once and kept, so that a new token costs one row of work."""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor

from support.core import InputError
from support.core.validation import Count, CountOrZero, checked
from support.model.config import GPTConfig


@checked
def cache_bytes(
    config: GPTConfig, batch: Count = 1, length: CountOrZero | None = None, bytes_per_number: Count = 4
) -> int:
    """Bytes that a cache takes: 2 (K and V) × layers × KV heads × d_head × tokens × texts.

    Args:
        config: of the model; with a window in all layers, no more than ``window`` tokens are kept.
        batch: texts side by side.
        length: tokens to hold; the whole context if not given.
        bytes_per_number: 4 for float32, 2 for bfloat16.

    >>> cache_bytes(GPTConfig(vocab_size=5, d_model=64, n_heads=4, n_layers=2), length=10)
    10240
    """
    slots = _slots(config, config.context if length is None else length)
    return 2 * config.n_layers * config.n_kv_heads * config.d_head * slots * batch * bytes_per_number


def _slots(config: GPTConfig, length: int) -> int:
    if config.window is None or config.window_layers is not None:  # some layer needs all that was read
        return length
    return min(length, config.window)


def rolls_on(config: GPTConfig, length: int, static: bool = False) -> bool:
    """Whether a cache for ``length`` tokens never fills up: with a window, and positions without a table.

    >>> rolls_on(GPTConfig(vocab_size=5, positions="alibi", window=4), 4)
    True
    """
    tables = ("learned", "sinusoidal", "rope") if static else ("learned", "sinusoidal")
    window = None if config.window_layers is not None else config.window
    return window is not None and length >= window and config.positions not in tables


class LayerCache:
    """One layer's keys and values; `update` takes the new ones in and returns all that can be attended to."""

    def __init__(self, keys: Tensor, values: Tensor, whole: "KVCache") -> None:
        self.keys, self.values, self.whole = keys, values, whole

    def update(
        self,
        k: Float[Tensor, "batch kv_head position d_head"],
        v: Float[Tensor, "batch kv_head position d_head"],
    ) -> tuple[
        Float[Tensor, "batch kv_head key d_head"],
        Float[Tensor, "batch kv_head key d_head"],
    ]:
        whole, start, n = self.whole, self.whole.next_place, k.shape[2]
        # the usual case: append a slice
        if isinstance(start, int) and start + n <= whole.slots:
            end = start + n
            self.keys.narrow(2, start, n).copy_(k)
            self.values.narrow(2, start, n).copy_(v)
            return self.keys.narrow(2, 0, end), self.values.narrow(2, 0, end)
        seen = self.keys, self.values
        # the chunk's first queries still need what its last keys overwrite
        if whole.pushes_out(n):
            seen = torch.cat([self.keys, k], dim=2), torch.cat([self.values, v], dim=2)
        slots = whole.places(n)[-whole.slots :] % whole.slots
        self.keys.index_copy_(2, slots, k[:, :, -whole.slots :])
        self.values.index_copy_(2, slots, v[:, :, -whole.slots :])
        return seen


class KVCache:
    """Room for the keys and values of every layer, allocated once; with a window it rolls.

    Only the KV heads are stored, so grouped queries save memory in proportion.

    Args:
        config: of the model that will use it.
        batch: texts side by side.
        length: tokens to hold at most; the whole context if not given. With a window and positions that
            need no table of fixed length (``rope``, ``alibi``, ``none``) there is no limit: the cache rolls.
        pad: how many padding tokens stand at the left of each text, for prompts of different length.
        device: of the model.
        dtype: of the model.
        static: count the tokens in a tensor, attend to all slots and mask the empty ones. Every step then
            has the same shapes and needs nothing from the host, so it can be compiled, exported and captured
            as a CUDA graph; without it, a step attends to no more keys than there are. (With ``rope``, a
            static cache ends with ``length``, because its table does.)

    Raises:
        InputError: ``length`` is not between 1 and the context, ``pad`` does not fit, or the model is not
            causal.

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
        static: bool = False,
    ) -> None:
        length = config.context if length is None else length
        if not 1 <= length <= config.context:
            raise InputError(f"A cache of length={length} does not fit; give 1 to context={config.context}.")
        if not config.causal:
            raise InputError("A model that looks ahead (causal=False) reads its text anew; it has no cache.")
        self.limit = None if rolls_on(config, length, static) else length
        if pad is not None:
            check_pad(pad, batch, self.limit)
        self.config, self.batch, self.slots, self.pad = config, batch, _slots(config, length), pad
        self.static = static
        # How many tokens were read, and so the position of the next: a number, or in a tensor if static.
        self.next_place: int | Tensor = torch.zeros((), dtype=torch.long, device=device) if static else 0
        empty = torch.zeros(batch, config.n_kv_heads, self.slots, config.d_head, device=device, dtype=dtype)
        self.layers = [LayerCache(empty.clone(), empty.clone(), self) for _ in range(config.n_layers)]

    @property
    def start(self) -> int:
        """Tokens read so far. (Of a static cache, the device is asked.)"""
        return int(self.next_place)

    @property
    def nbytes(self) -> int:
        """Bytes that are really allocated."""
        return sum(t.nbytes for layer in self.layers for t in (layer.keys, layer.values))

    def check(self, batch: int, n: int) -> None:
        """Refuse a batch of another size, and tokens for which there is no room (not in a compiled step)."""
        if batch != self.batch:
            raise InputError(f"The cache was made for {self.batch} texts and was given {batch}.")
        if torch.compiler.is_compiling():
            return
        if self.limit is not None and self.start + n > self.limit:
            raise InputError(
                f"The cache holds {self.limit} tokens, {self.start} are in it and {n} more do not fit; make "
                f"it longer (up to context={self.config.context}), or let it roll: configure a window, with "
                "positions rope, alibi or none."
            )

    def advance(self, n: int) -> None:
        """Count ``n`` more tokens, once every layer has taken them in."""
        self.next_place += n

    def forget(self, start: int) -> None:
        """Keep the first ``start`` tokens only; the next ones take the places of those behind them.

        Raises:
            InputError: so many were never read, or the cache has fewer slots than tokens: it has a window.

        >>> cache = KVCache(GPTConfig(vocab_size=5), length=10)
        >>> cache.advance(6); cache.forget(4); cache.start
        4
        """
        if not 0 <= start <= self.start or self.limit != self.slots:
            raise InputError(
                f"A cache of {self.slots} slots that has read {self.start} tokens cannot go back to {start}."
            )
        self.advance(start - self.start)

    def pushes_out(self, n: int) -> bool:
        """Whether a chunk of ``n`` tokens may overwrite keys that its own first queries still attend to."""
        if n == 1 or self.limit == self.slots:
            return False
        return self.static or self.start + n > self.slots

    def places(self, n: int) -> Int[Tensor, " position"]:
        """The positions in the text of the next ``n`` tokens."""
        return self.next_place + torch.arange(n, device=self.layers[0].keys.device)

    def key_places(self, n: int) -> Int[Tensor, " key"] | None:
        """The position of each key that `LayerCache.update` returns, below 0 where a slot is empty.

        None if they are simply ``0, 1, 2 …``
        """
        if not self.static and self.start + n <= self.slots:
            return None
        new, slot = self.places(n), torch.arange(self.slots, device=self.layers[0].keys.device)
        if self.limit == self.slots:
            return slot
        # A slot holds the latest position that leaves the same remainder.
        newest = new[:1] - 1 if self.pushes_out(n) else new[-1:]
        kept = newest - (newest - slot) % self.slots
        return torch.cat([kept, new]) if self.pushes_out(n) else kept


def check_pad(pad: Int[Tensor, " batch"], batch: int, length: int | None) -> None:
    """Refuse counts of padding tokens that do not fit ``batch`` texts of ``length`` tokens (None: any).

    >>> check_pad(torch.tensor([0, 4]), 2, 4)
    Traceback (most recent call last):
    support.core.errors.InputError: pad=[0, 4] does not fit: each text may have 0 to 3 padding tokens.
    """
    if pad.ndim != 1 or len(pad) != batch:
        raise InputError(f"pad has {pad.numel()} numbers for batch={batch} texts; give one for each.")
    if pad.is_floating_point() or pad.dtype == torch.bool:
        raise InputError(f"pad holds {pad.dtype} and must count padding tokens in whole numbers.")
    if pad.device.type == "meta" or torch.compiler.is_compiling():
        return
    counts = pad.tolist()
    most = math.inf if length is None else length - 1
    if not all(0 <= n <= most for n in counts):
        raise InputError(f"pad={counts} does not fit: each text may have 0 to {most} padding tokens.")
