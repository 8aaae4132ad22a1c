"""The fast way to read one more token: the model's own weights and kernels, without the modules around them.

A small model spends most of a step in calls, not in sums. So calls are saved: with one token a text the
stream has two dimensions, nothing is transposed, and the cache is laid out once a step for all layers.
`GPT` is the plain version; tests hold the two equal.
"""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from support.model.block import Block
from support.model.cache import KVCache
from support.model.feed_forward import SwiGLU
from support.model.gpt import GPT
from support.model.positions import RotaryPositions, apply_rope

_Function = Callable[[Tensor], Tensor]


def can_step_fast(model: nn.Module, cache: KVCache | None) -> bool:
    """Whether `FastStep` covers this model and cache; what it does not cover, the model does itself.

    Not covered are experts, windows, ALiBi, filled-up prompts, training, and a model that somebody watches or
    has patched (its modules must be called for that).

    >>> from support.model import GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2)).eval()
    >>> can_step_fast(model, model.cache()), can_step_fast(model.train(), model.cache())
    (True, False)
    """
    if type(model) is not GPT or cache is None or model.training:
        return False
    config = model.config
    usual = config.n_experts == 1 and config.window is None and config.positions != "alibi"
    if not usual or cache.pad is not None or any(b.cross_attention is not None for b in model.blocks):
        return False
    return not any(_hooks(model))


class FastStep:
    """``step(ids)`` reads one token of each text into the cache and gives the logits of the next.

    >>> from support.model import GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2)).double().eval()
    >>> plain, fast = model.cache(length=2), model.cache(length=2)
    >>> step, ids = FastStep(model, fast), torch.tensor([[3], [5]])
    >>> with torch.inference_mode():
    ...     equal = [torch.allclose(step(i), model(i[None], plain)[:, -1]) for i in ids]
    >>> equal, fast.start
    ([True, True], 2)
    """

    def __init__(self, model: GPT, cache: KVCache) -> None:
        self.model, self.cache, self.config = model, cache, model.config
        self.hooks = _hooks(model)
        self.layers = [_layer(block) for block in model.blocks]
        self.final_norm = _norm(model.final_norm)
        self.rotary = RotaryPositions(model.config) if model.config.positions == "rope" else None

    @property
    def is_watched(self) -> bool:
        """Whether somebody hooked into the model since; then its modules must be called."""
        return any(self.hooks)

    def __call__(self, ids: Int[Tensor, " text"]) -> Float[Tensor, "text vocab"]:
        """The logits after these tokens; no gradient is kept (call it in `torch.inference_mode`).

        Raises:
            InputError: the cache is full, or was made for another number of texts.
        """
        model, cache, config = self.model, self.cache, self.config
        cache.check(len(ids), 1)
        at, n_texts = cache.start, len(ids)
        x = F.embedding(ids, model.embedding.weight)
        if model.position is not None:
            x = x + model.position.weight[at]
        turn = None
        if self.rotary is not None:
            cosine, sine = self.rotary(torch.full((1,), at, device=ids.device), x.dtype)
            turn = (cosine.to(x.device), sine.to(x.device))
        # For all layers at once: where the new keys and values go, and all that can then be seen.
        new_rows = cache.store.select(4, at).unbind(1)
        keys, values = (side.narrow(3, 0, at + 1).unbind(0) for side in cache.store)
        shape = (n_texts, config.n_heads + 2 * config.n_kv_heads, 1, config.d_head)
        for layer, row, k, v in zip(self.layers, new_rows, keys, values, strict=True):
            y = layer.qkv(layer.norm_1(x) if config.norm_first else x).view(shape)
            q = y.narrow(1, 0, config.n_heads)
            new = y.narrow(1, config.n_heads, 2 * config.n_kv_heads)
            if layer.norm_q is not None or turn is not None:
                q, new = self._place(layer, q, new, turn)
            row.copy_(new.view(n_texts, 2, config.n_kv_heads, config.d_head).transpose(0, 1))
            q = q.reshape(n_texts, config.n_kv_heads, -1, config.d_head)  # a group's queries side by side
            mixed = F.scaled_dot_product_attention(q, k, v, scale=config.attention_scale)
            x = self._add(x, layer.output(mixed.reshape(n_texts, -1)), layer.norm_1)
            x = self._add(x, layer.feed_forward(layer.norm_2(x) if config.norm_first else x), layer.norm_2)
        cache.start += 1
        return self._unembed(self.final_norm(x))

    def _place(
        self, layer: "_Layer", q: Tensor, new: Tensor, turn: tuple[Tensor, Tensor] | None
    ) -> tuple[Tensor, Tensor]:
        k, v = new.chunk(2, dim=1)
        if layer.norm_q is not None:
            q, k = layer.norm_q(q), layer.norm_k(k)
        if turn is not None:
            q, k = apply_rope(q, *turn), apply_rope(k, *turn)
        return q, torch.cat([k, v], dim=1)

    def _add(self, x: Tensor, write: Tensor, norm: _Function) -> Tensor:
        x = x + write if self.config.residual else write
        return x if self.config.norm_first else norm(x)

    def _unembed(self, x: Tensor) -> Tensor:
        model, cap = self.model, self.config.logit_softcap
        rows = model.embedding.weight if model.head is None else model.head.weight
        if cap is None:
            return F.linear(x, rows, model.logit_mask)
        logits = cap * torch.tanh(F.linear(x, rows) / cap)
        return logits if model.logit_mask is None else logits + model.logit_mask


def _hooks(model: nn.Module) -> list[dict]:
    return [hooks for m in model.modules() for hooks in (m._forward_hooks, m._forward_pre_hooks)]


class _Layer:
    """One block's parts as plain functions."""

    norm_1: _Function
    norm_2: _Function
    qkv: _Function
    output: _Function
    feed_forward: _Function
    norm_q: _Function | None
    norm_k: _Function | None


def _layer(block: Block) -> _Layer:
    layer, attention, network = _Layer(), block.attention, block.feed_forward
    layer.norm_1, layer.norm_2 = _norm(block.norm_1), _norm(block.norm_2)
    layer.qkv, layer.output = _linear(attention.qkv), _linear(attention.output)
    normed = attention.config.qk_norm
    layer.norm_q = _norm(attention.norm_q) if normed else None
    layer.norm_k = _norm(attention.norm_k) if normed else None
    up, down = _linear(network.up), _linear(network.down)
    if isinstance(network, SwiGLU):
        gate = _linear(network.gate)
        layer.feed_forward = lambda x: down(F.silu(gate(x)) * up(x))
    else:
        activation = network.activation
        layer.feed_forward = lambda x: down(activation(up(x)))
    return layer


def _linear(module: nn.Linear) -> _Function:
    weight, bias, product = module.weight, module.bias, F.linear
    return lambda x: product(x, weight, bias)


def _norm(module: nn.Module) -> _Function:
    if isinstance(module, nn.LayerNorm):
        size, weight, bias, eps, norm = (
            module.normalized_shape,
            module.weight,
            module.bias,
            module.eps,
            torch.layer_norm,
        )
        return lambda x: norm(x, size, weight, bias, eps)
    if isinstance(module, nn.RMSNorm):
        return lambda x: torch.rms_norm(x, module.normalized_shape, module.weight, module.eps)
    return lambda x: x
