"""Training throughput: support's GPT and loop against transformers' GPT-2 of the same size, in one run.

    python benchmarks/training.py [--vocab 1024 4096] [--threads 2] [--rounds 30]
    python benchmarks/training.py --compile --vocab 1024   # both sides also through torch.compile
    python benchmarks/training.py --shape gpt2 --compile   # GPT-2 small, one text a step

Both have 4 layers, d_model 128, 4 heads, context 128, batch 16, tied weights, AdamW, gradient clipping at 1,
float32, and see the same random tokens. Our side is `support.training.train` itself; the others take their
turns in its callback, step by step, so that a noisy machine is noisy for all. What is printed are medians,
and the median of the paired ratios.

Three ways of running the other side. *Standard* is what a reader would write (`model(ids, labels=ids).loss`,
default cache setting, default AdamW), without dropout, as on our side. *Tuned* switches the cache off and
takes the fused AdamW that our loop uses. *As it comes* is the standard one with GPT-2's default dropout of
0.1: more work than our side does, so its line is no like-for-like comparison.

Each vocabulary is measured twice: with the tanh GELU that GPT-2 was trained with, which transformers computes
operation by operation, and with the plain GELU (our default) on both sides, each through one kernel of torch.
The difference between the two tables is what that kernel is worth. Then: our step against what this machine's
matrix products reach in the same run, and which operations the step consists of. The tables are kept in the
record ``training``.
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable

import torch
import transformers
from torch.profiler import ProfilerActivity, profile

from support.core import seed_everything
from support.model import GPT, GPTConfig
from support.training import TrainConfig, cross_entropy_sum, make_optimiser, train
from support.view import table
from support.zoo.record import begin_record, keep_record

CONTEXT, WARM_UP = 128, 3
SHAPES = {  # texts a step, and the model
    "small": (16, {"d_model": 128, "n_layers": 4, "n_heads": 4}),
    "gpt2": (1, {"d_model": 768, "n_layers": 12, "n_heads": 12}),
}
GELU = {"gelu_tanh": "gelu_new", "gelu": "gelu"}  # our name for it: theirs
PARTS = {  # what a step consists of: the operations that make it up
    "matrix products": ("aten::mm", "aten::addmm", "aten::bmm"),
    "attention kernel": ("scaled_dot_product",),
    "GELU": ("aten::gelu",),
    "loss": ("softmax", "nll_loss"),
    "layer norm": ("layer_norm",),
}
Step = Callable[[], None]


def ours(shape: str, vocab: int, activation: str) -> GPT:
    return GPT(GPTConfig(vocab_size=vocab, context=CONTEXT, activation=activation, **SHAPES[shape][1]))


def ours_compiled(shape: str, ids: torch.Tensor, vocab: int, activation: str) -> Step:
    """Our loop's step around a compiled model."""
    model = ours(shape, vocab, activation).train()
    fast, optimiser = torch.compile(model), make_optimiser(model, _config(1))

    def step() -> None:
        cross_entropy_sum(fast(ids[:, :-1]), ids[:, 1:]).div(ids[:, 1:].numel()).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        optimiser.zero_grad()

    return step


def theirs(
    shape: str,
    ids: torch.Tensor,
    vocab: int,
    activation: str,
    tuned: bool = False,
    dropout: float = 0.0,
    compiled: bool = False,
) -> Step:
    sizes = SHAPES[shape][1]
    config = transformers.GPT2Config(
        vocab_size=vocab,
        n_positions=CONTEXT,
        n_embd=sizes["d_model"],
        n_layer=sizes["n_layers"],
        n_head=sizes["n_heads"],
        activation_function=GELU[activation],
        resid_pdrop=dropout,
        embd_pdrop=dropout,
        attn_pdrop=dropout,
        bos_token_id=0,
        eos_token_id=0,
        use_cache=not tuned,
    )
    model = transformers.GPT2LMHeadModel(config).train()
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True if tuned else None)
    inputs, run = ids[:, :CONTEXT], torch.compile(model) if compiled else model

    def step() -> None:
        run(input_ids=inputs, labels=inputs).loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        optimiser.zero_grad()

    return step


def matrix_rate(size: int = 2048, repeats: int = 10) -> float:
    """The best floating-point rate of one large product, in operations a second."""
    a = torch.randn(size, size)
    best = min(_seconds(lambda: a @ a) for _ in range(repeats))
    return 2 * size**3 / best


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def take_turns(model: GPT, ids: torch.Tensor, others: dict[str, Step], rounds: int) -> dict[str, list[float]]:
    """Seconds of every step, by side: ours in our loop, and after each of ours one of every other side."""
    seconds: dict[str, list[float]] = {name: [] for name in ("support", *others)}
    began = [0.0]

    def turn(step: int, *_: object) -> None:
        ours_took = time.perf_counter() - began[0]
        took = {"support": ours_took} | {name: _seconds(work) for name, work in others.items()}
        if step >= WARM_UP:
            for name, time_taken in took.items():
                seconds[name].append(time_taken)
        began[0] = time.perf_counter()

    train(model, _same(ids), _config(WARM_UP + rounds), callbacks=[turn])
    return seconds


def parts_of_a_step(model: GPT, ids: torch.Tensor, steps: int = 5) -> dict[str, float]:
    """Which share of our loop's time each kind of operation takes."""
    train(model, _same(ids), _config(WARM_UP))
    with profile(activities=[ProfilerActivity.CPU]) as watched:
        train(model, _same(ids), _config(steps))
    spent = {event.key: event.self_cpu_time_total for event in watched.key_averages()}
    shares = {
        part: sum(t for name, t in spent.items() if any(word in name for word in words))
        for part, words in PARTS.items()
    }
    total = sum(spent.values())
    shares["everything else"] = total - sum(shares.values())
    return {part: t / total for part, t in shares.items()}


def _same(ids: torch.Tensor) -> Callable[[int], tuple[torch.Tensor, torch.Tensor]]:
    return lambda step: (ids[:, :-1], ids[:, 1:])


def _config(steps: int) -> TrainConfig:
    return TrainConfig(steps, lr=3e-4, precision="float32", progress=False)


def compare(shape: str, vocab: int, activation: str, rounds: int, compiled: bool) -> dict:
    """Measure one vocabulary with one kind of GELU, and print the table."""
    batch = SHAPES[shape][0]
    ids = torch.randint(vocab, (batch, CONTEXT + 1))
    model, what = ours(shape, vocab, activation), (shape, ids, vocab, activation)
    others = {
        "transformers, standard": theirs(*what),
        "transformers, tuned": theirs(*what, tuned=True),
    }
    if shape == "small":
        others["transformers, as it comes"] = theirs(*what, dropout=0.1)
    if compiled:
        others["support, compiled"] = ours_compiled(*what)
        others["transformers, tuned and compiled"] = theirs(*what, tuned=True, compiled=True)
    rate = matrix_rate()
    seconds = take_turns(model, ids, others, rounds)
    rate = max(rate, matrix_rate())
    rows = {}
    for name, times in seconds.items():
        middle = statistics.median(times)
        ratio = statistics.median(t / o for t, o in zip(times, seconds["support"], strict=True))
        rows[name] = {"ms": 1e3 * middle, "tokens_per_second": batch * CONTEXT / middle, "ratio": ratio}
    print(f"\n{shape}, vocabulary {vocab}, {activation} = transformers' {GELU[activation]}\n")
    shown = [
        [name, f"{r['ms']:.1f}", f"{r['tokens_per_second']:,.0f}", f"{r['ratio']:.2f}"]
        for name, r in rows.items()
    ]
    print(table(shown, columns=["side", "ms a step", "tokens/s", "× support's time"])._repr_markdown_())
    work = batch * CONTEXT * model.flops_per_token(CONTEXT, training=True)
    share = work / statistics.median(seconds["support"]) / rate
    print(
        f"\nmatrix products reach {rate / 1e9:.0f} GFLOP/s here; support's step runs at {share:.0%} of that"
    )
    parts = parts_of_a_step(model, ids)
    print("support's step is " + ", ".join(f"{part} {share:.0%}" for part, share in parts.items()))
    return {"sides": rows, "gflops": rate / 1e9, "share_of_it": share, "parts": parts}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shape", choices=SHAPES, default="small")
    parser.add_argument("--vocab", type=int, nargs="+", default=None)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=None)
    parser.add_argument("--compile", action="store_true", help="also run both sides through torch.compile")
    given = parser.parse_args()
    transformers.logging.set_verbosity_error()
    os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # the profiler writes lines of its own
    seed_everything(0, threads=given.threads)
    small = given.shape == "small"
    rounds = given.rounds or (30 if small else 4)
    print(f"{given.threads} threads, {rounds} rounds, torch {torch.__version__}")
    record = begin_record("training", {}, under="rows", context=CONTEXT, threads=given.threads)
    for vocab in given.vocab or ([1024, 4096] if small else [50257]):
        for activation in GELU if small else ["gelu_tanh"]:
            row = compare(given.shape, vocab, activation, rounds, given.compile)
            record["rows"][f"{given.shape} {vocab} {activation}"] = row
            keep_record("training", record)


if __name__ == "__main__":
    main()
