"""Linear layers of a compiled step on a CPU: the product, and how its weights lie; chosen by measurement."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from copy import deepcopy
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, fx

# Sixteen float32 numbers are one register of AVX-512 and one line of the cache. Time of the small model's
# compiled products and of GPT-2 small's, 16, 32 and 64 outputs a block, AMD EPYC with AVX-512, two threads:
# 0.26, 0.29, 0.36 ms for sixteen rows; 11.9, 14.3, 17.0 ms for one row.
BLOCK = 16
DRIVEN_BY_CPP = {"cpp_wrapper": True}  # the step is driven by C++ instead of Python
GENERATED = {"max_autotune_gemm": True, "max_autotune_gemm_backends": "CPP"}  # inductor writes the products

Layouts = dict[int, tuple[Tensor, Tensor]]  # id of a weight → the weight, its blocks
_LAYOUTS: ContextVar[Layouts | None] = ContextVar("layouts", default=None)


def by_row(
    x: Float[Tensor, "*one input"],
    weight: Float[Tensor, "output input"],
    bias: Float[Tensor, "output"] | None = None,
) -> Float[Tensor, "*one output"]:
    """`F.linear` of one row by products of single numbers and their sums: slow, unless it is compiled.

    Then it is one loop that reads each weight once and in order, as fast as memory allows. (MKL's product of
    one row takes 2.7 times as long as the reading, with GPT-2 small's weights on an AMD EPYC with AVX-512.)

    >>> layer, x = torch.nn.Linear(5, 3), torch.ones(1, 1, 5)
    >>> torch.allclose(by_row(x, layer.weight, layer.bias), layer(x), atol=1e-6)
    True
    """
    y = (x.reshape(1, -1) * weight).sum(-1)
    return (y if bias is None else y + bias).view(*x.shape[:-1], -1)


def blocks_of(weight: Float[Tensor, "output input"]) -> Float[Tensor, "block input in_block"]:
    """A weight matrix cut into blocks of `BLOCK` outputs, one input after the other; zeros at the end.

    A product of a few rows then reads each block once, in order, and computes sixteen outputs at a time.

    >>> blocks_of(torch.arange(40.0).view(20, 2)).shape
    torch.Size([2, 2, 16])
    """
    outputs, inputs = weight.shape
    padded = F.pad(weight, (0, 0, 0, -outputs % BLOCK))
    return padded.view(-1, BLOCK, inputs).transpose(1, 2).contiguous()


def by_blocks(
    x: Float[Tensor, "*row input"],
    blocks: Float[Tensor, "block input in_block"],
    outputs: int,
    bias: Float[Tensor, "output"] | None = None,
) -> Float[Tensor, "*row output"]:
    """`F.linear` with the weights as `blocks_of` lays them out.

    >>> layer, x = torch.nn.Linear(5, 20), torch.ones(3, 1, 5)
    >>> torch.allclose(by_blocks(x, blocks_of(layer.weight), 20, layer.bias), layer(x), atol=1e-6)
    True
    """
    rows = x.reshape(-1, x.shape[-1])
    y = torch.bmm(rows.expand(len(blocks), -1, -1), blocks).transpose(0, 1)
    y = y.reshape(len(rows), -1)[:, :outputs]
    return (y if bias is None else y + bias).view(*x.shape[:-1], -1)


@contextmanager
def laid_out_once(layouts: Layouts) -> Iterator[None]:
    """Within it, compiled products lay out each weight once and keep the blocks in ``layouts``.

    >>> with laid_out_once({}):
    ...     pass
    """
    token = _LAYOUTS.set(layouts)
    try:
        yield
    finally:
        _LAYOUTS.reset(token)


def _laid_out(weight: Tensor) -> Tensor:
    kept = _LAYOUTS.get()
    if kept is None:
        return blocks_of(weight)
    if id(weight) not in kept:
        kept[id(weight)] = weight, blocks_of(weight)
    return kept[id(weight)][1]


def with_chosen_products(graph: fx.GraphModule) -> tuple[fx.GraphModule, list[fx.Node]]:
    """A copy of a graph, its linear layers by row or by blocks; and the weights whose blocks it takes too.

    Args:
        graph: as torch.compile traced it. In the copy, the blocks are inputs after all others.
    """
    own = fx.GraphModule(graph, deepcopy(graph.graph))
    blocked: dict[fx.Node, fx.Node] = {}
    for node in list(own.graph.nodes):
        if node.target is not F.linear or node.kwargs:
            continue
        x, weight, *rest = node.args
        seen = x.meta["example_value"], weight.meta["example_value"]
        if all(type(n) is int and n == 1 for n in seen[0].shape[:-1]):
            node.target = by_row
        elif weight.op == "placeholder" and seen[1].dtype == torch.float32:
            if weight not in blocked:
                with own.graph.inserting_after(own.graph.find_nodes(op="placeholder")[-1]):
                    blocked[weight] = own.graph.placeholder(f"{weight.name}_blocks")
            node.target, node.args = by_blocks, (x, blocked[weight], seen[1].shape[0], *rest)
    own.recompile()
    return own, list(blocked)


def compile_graph(graph: fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
    """Compile a step: inductor, with its linear layers by row or by blocks; returns what runs it.

    A backend of `torch.compile`; see https://docs.pytorch.org/docs/stable/torch.compiler_custom_backends.html.

    Whoever calls `F.linear` is served, so a module that is replaced or wrapped counts as ever. Where inductor
    has no product of its own for a layer (a dtype, a processor, a product that is not `F.linear`), the
    step is compiled as inductor does it.

    Args:
        graph: as torch.compile traced it, with the weights among its inputs.
        inputs: examples, one for each input.
    """
    from torch._inductor.compile_fx import compile_fx
    from torch._inductor.exc import InductorError

    own, blocked = with_chosen_products(graph)
    places = own.graph.find_nodes(op="placeholder")
    at = [places.index(weight) for weight in blocked]
    examples = [*inputs, *(blocks_of(weight.meta["example_value"]) for weight in blocked)]
    how = DRIVEN_BY_CPP | GENERATED if blocked else DRIVEN_BY_CPP
    compiled: Any
    try:
        compiled = compile_fx(own, examples, config_patches=how)
    except InductorError:
        compiled, blocked = compile_fx(graph, list(inputs), config_patches=DRIVEN_BY_CPP), []
    if not blocked:
        return compiled
    return lambda *given: compiled(*given, *[_laid_out(given[i]) for i in at])
