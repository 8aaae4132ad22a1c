"""Training throughput in one paired run: support, nanoGPT's model and transformers' GPT-2, in each precision.

    python benchmarks/training.py --nanogpt FOLDER           # under three minutes on two idle cores
    python benchmarks/training.py --shape gpt2               # GPT-2 small, one text a step
    python benchmarks/training.py --compile --rounds 10      # support and nanoGPT also through torch.compile
    python benchmarks/training.py --shape gpu --device cuda  # GPT-2 small, 16 texts of 1,024 positions a step
    python benchmarks/training.py --nanogpt FOLDER --busy    # one thread, processor's time: on a busy machine
    python benchmarks/training.py --nanogpt FOLDER --keep    # and write the record `training`

The small models have 4 layers, d_model 128, 4 heads, context 128, batch 16; all have tied weights, AdamW and
clipping at 1, and see the same random tokens. Support's side is `support.training.train` itself; nanoGPT's is
its ``model.py`` in a folder that you have (this repository holds none of it), in the loop of its
``train.py``. Sides take turns in every round, in changing order, two timed steps after one to warm up, so
that a noisy machine is noisy for all; the table shows the fastest and the median step, and the median of the
ratios within a round.

*transformers* is what a reader would write (``model(ids, labels=ids).loss``, default AdamW), without dropout
and with GPT-2's own tanh GELU, which it computes operation by operation; *as it comes* has GPT-2's dropout of
0.1 too. *Like for like* takes support's and nanoGPT's GELU, the fused AdamW that support uses, and no cache.

Then: support's step against what this machine's matrix products reach in the same precision in the same run,
and which operations the step consists of.
"""

import argparse
import contextlib
import importlib.util
import io
import os
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import torch
import transformers
from recording import keep_record, made_by
from torch.profiler import ProfilerActivity, profile

from support.core import seed_everything
from support.model import GPT, GPTConfig
from support.model.linear_kernels import float32_products
from support.training import TrainConfig, train
from support.training.precision import native_bfloat16
from support.view import table

SHAPES = {  # texts a step, positions, and the model
    "small": (16, 128, {"d_model": 128, "n_layers": 4, "n_heads": 4}),
    "gpt2": (1, 128, {"d_model": 768, "n_layers": 12, "n_heads": 12}),
    "gpu": (16, 1024, {"d_model": 768, "n_layers": 12, "n_heads": 12}),
}
PARTS = {  # what a step consists of: the operations that make it up
    "matrix products": ("aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm", "_linear_pointwise"),
    "attention kernel": ("scaled_dot_product",),
    "softmax of the attention": ("aten::_softmax",),
    "GELU": ("aten::gelu",),
    "loss": ("log_softmax", "nll_loss"),
    "layer norm": ("layer_norm",),
    "copies and casts": ("aten::copy_", "aten::fill_", "aten::cat"),
}
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}
BUSY = False
DEVICE = torch.device("cpu")
Side = Callable[[], list[float]]  # seconds of two steps


def of_support(model: GPT, ids: torch.Tensor, precision: str, compiled: bool = False) -> Side:
    """Two steps of our loop, timed between its callbacks."""

    def side() -> list[float]:
        ends: list[float] = []
        config = TrainConfig(3, lr=3e-4, precision=precision, compile=compiled, progress=False)
        train(
            model, lambda step: (ids[:, :-1], ids[:, 1:]), config, callbacks=[lambda *_: ends.append(now())]
        )
        return [ends[1] - ends[0], ends[2] - ends[1]]

    return side


def of_others(
    loss: Callable[[], torch.Tensor], model: torch.nn.Module, optimiser: torch.optim.Optimizer, precision: str
) -> Side:
    """Two steps of the usual loop around a model of somebody else."""

    def step() -> float:
        start = now()
        with torch.autocast(DEVICE.type, DTYPES[precision], enabled=precision != "float32"):
            value = loss()
        value.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        value.item()
        return now() - start

    return lambda: [step(), step(), step()][1:]


def of_transformers(
    shape: str, ids: torch.Tensor, vocab: int, precision: str, like: bool = False, dropout: float = 0.0
) -> Side:
    _, context, sizes = SHAPES[shape]
    config = transformers.GPT2Config(
        vocab_size=vocab,
        n_positions=context,
        n_embd=sizes["d_model"],
        n_layer=sizes["n_layers"],
        n_head=sizes["n_heads"],
        activation_function="gelu" if like else "gelu_new",
        resid_pdrop=dropout,
        embd_pdrop=dropout,
        attn_pdrop=dropout,
        bos_token_id=0,
        eos_token_id=0,
        use_cache=not like,
    )
    model, inputs = transformers.GPT2LMHeadModel(config).train().to(DEVICE), ids[:, :-1]
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True if like else None)
    return of_others(lambda: model(input_ids=inputs, labels=inputs).loss, model, optimiser, precision)


def of_nanogpt(
    folder: str, shape: str, ids: torch.Tensor, vocab: int, precision: str, compiled: bool = False
) -> Side:
    spec = importlib.util.spec_from_file_location("nanogpt_model", Path(folder) / "model.py")
    module = importlib.util.module_from_spec(spec)
    _, context, sizes = SHAPES[shape]
    names = {"n_embd": sizes["d_model"], "n_layer": sizes["n_layers"], "n_head": sizes["n_heads"]}
    with contextlib.redirect_stdout(io.StringIO()):  # it tells what it builds
        spec.loader.exec_module(module)
        model = module.GPT(
            module.GPTConfig(block_size=context, vocab_size=vocab, dropout=0.0, bias=True, **names)
        ).to(DEVICE)
        optimiser = model.configure_optimizers(0.1, 3e-4, (0.9, 0.95), DEVICE.type)
    run = torch.compile(model) if compiled else model.train()
    inputs, targets = ids[:, :-1].contiguous(), ids[:, 1:].contiguous()
    return of_others(lambda: run(inputs, targets)[1], model, optimiser, precision)


def sides_of(
    given: argparse.Namespace, ids: torch.Tensor, vocab: int, models: dict[str, GPT]
) -> dict[str, Side]:
    """Every side, by name; those in bfloat16 only where the processor computes it natively."""
    sides = {}
    for precision, model in models.items():
        what = given.shape, ids, vocab, precision
        sides[f"support, {precision}"] = of_support(model, ids, precision)
        compiled = given.compile and (DEVICE.type == "cpu" or precision != "float32")
        if compiled:
            sides[f"support, {precision}, compiled"] = of_support(model, ids, precision, compiled=True)
        if given.nanogpt:
            sides[f"nanoGPT, {precision}"] = of_nanogpt(given.nanogpt, *what)
            if compiled:
                sides[f"nanoGPT, {precision}, compiled"] = of_nanogpt(given.nanogpt, *what, compiled=True)
        sides[f"transformers, {precision}"] = of_transformers(*what)
        sides[f"transformers, {precision}, like for like"] = of_transformers(*what, like=True)
    sides["transformers, float32, as it comes"] = of_transformers(
        given.shape, ids, vocab, "float32", dropout=0.1
    )
    return sides


def matrix_rate(dtype: torch.dtype, repeats: int = 10) -> float:
    """The best floating-point rate of one large product, in operations a second."""
    size = 8192 if DEVICE.type == "cuda" else 2048
    a, best = torch.randn(size, size, device=DEVICE).to(dtype), float("inf")
    for _ in range(repeats):
        start = now()
        with float32_products(DEVICE):  # of the faster library
            torch.nn.functional.linear(a, a)
        best = min(best, now() - start)
    return 2 * size**3 / best


def parts_of_a_step(model: GPT, ids: torch.Tensor, precision: str) -> dict[str, float]:
    """Which share of our loop's time each kind of operation takes."""
    side = of_support(model, ids, precision)
    side()
    with profile(activities=[ProfilerActivity.CPU]) as watched:
        side()
    spent = {event.key: event.self_cpu_time_total for event in watched.key_averages()}
    total, shares = sum(spent.values()), {}
    for part, words in PARTS.items():
        names = [name for name in spent if any(word in name for word in words)]
        shares[part] = sum(spent.pop(name) for name in names) / total
    return {**shares, "everything else": 1 - sum(shares.values())}


def compare(given: argparse.Namespace, vocab: int, rounds: int) -> dict[str, object]:
    """Measure one vocabulary, and print the table."""
    batch, context, sizes = SHAPES[given.shape]
    ids = torch.randint(vocab, (batch, context + 1), device=DEVICE)
    precisions = ["float32"] + ["bfloat16"] * native_bfloat16(DEVICE)
    models = {p: GPT(GPTConfig(vocab_size=vocab, context=context, **sizes)).to(DEVICE) for p in precisions}
    sides = sides_of(given, ids, vocab, models)
    rates = {p: matrix_rate(DTYPES[p]) for p in precisions}
    seconds: dict[str, list[list[float]]] = {name: [] for name in sides}
    order = list(sides)
    for _ in range(rounds):
        random.shuffle(order)
        for name in order:
            seconds[name].append(sides[name]())
    rows = {}
    for name, times in seconds.items():
        flat = [t for pair in times for t in pair]
        ratios = {
            p: statistics.median(
                min(t) / min(o) for t, o in zip(times, seconds[f"support, {p}"], strict=True)
            )
            for p in precisions
        }
        rows[name] = {"fastest ms": 1e3 * min(flat), "median ms": 1e3 * statistics.median(flat), **ratios}
    print(f"\n{given.shape}, vocabulary {vocab}, {batch} texts of {context} positions a step\n")
    shown = [
        [name, *(f"{row[key]:.1f}" for key in ("fastest ms", "median ms"))] for name, row in rows.items()
    ]
    shown = [[*line, *(f"{rows[line[0]][p]:.2f}" for p in precisions)] for line in shown]
    columns = ["side", "fastest step, ms", "median, ms", *(f"× support's {p}" for p in precisions)]
    print(table(shown, columns=columns)._repr_markdown_() + "\n")
    work, result = (
        batch * context * models["float32"].flops_per_token(context, training=True),
        {"sides": rows},
    )
    for p in precisions:
        rate = max(rates[p], matrix_rate(DTYPES[p]))
        share = work / (rows[f"support, {p}"]["median ms"] / 1e3) / rate
        parts = {} if DEVICE.type == "cuda" else parts_of_a_step(models[p], ids, p)
        print(
            f"{p}: products reach {rate / 1e9:.0f} GFLOP/s here, support's step runs at {share:.0%} of that;"
        )
        if parts:
            print("   it is " + ", ".join(f"{part} {part_share:.0%}" for part, part_share in parts.items()))
        result[p] = {"gflops": rate / 1e9, "share of it": share, "parts": parts}
    return result


def now() -> float:
    """Seconds by the clock, or of this process's work; what a GPU has been given to do is done by then."""
    if DEVICE.type == "cuda":
        torch.cuda.synchronize()
    return time.process_time() if BUSY else time.perf_counter()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shape", choices=SHAPES, default="small")
    parser.add_argument("--vocab", type=int, nargs="+", default=None)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=None)
    parser.add_argument("--nanogpt", help="a folder with nanoGPT's model.py")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--keep", action="store_true", help="write the record")
    parser.add_argument("--busy", action="store_true", help="one thread, and the processor's time")
    parser.add_argument("--device", default="cpu")
    given = parser.parse_args()
    global BUSY, DEVICE
    DEVICE = torch.device(given.device)
    BUSY, given.threads = given.busy, 1 if given.busy else given.threads
    transformers.logging.set_verbosity_error()
    os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # the profiler writes lines of its own
    seed_everything(0, threads=given.threads)
    random.seed(0)
    small = given.shape == "small"
    rounds = given.rounds or (20 if small else 3)
    load = f", load average {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    if DEVICE.type == "cuda":
        print(torch.cuda.get_device_name(DEVICE))
    print(f"{given.threads} threads, {rounds} rounds, torch {torch.__version__}{load}")
    record = {**made_by("training"), "context": SHAPES[given.shape][1], "threads": given.threads, "rows": {}}
    for vocab in given.vocab or ([1024, 4096] if small else [50257 if DEVICE.type == "cpu" else 50304]):
        record["rows"][f"{given.shape} {vocab}"] = compare(given, vocab, rounds)
    if given.keep:
        keep_record("training", record)


if __name__ == "__main__":
    main()
