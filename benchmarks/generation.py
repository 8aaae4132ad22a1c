"""Speed of generation: support's `generate` against transformers' with the same weights, side by side.

    python benchmarks/generation.py small          # GPT-2-shaped, 4 layers, 128 wide; 1 and 16 texts
    python benchmarks/generation.py gpt2           # GPT-2 small's shape, random weights
    python benchmarks/generation.py gpt2 --batch 16
    python benchmarks/generation.py gpt2 --device cuda --batch 1 16  # on a GPU; no record is kept
    python benchmarks/generation.py small --busy   # one thread, processor's time: on a busy machine

Greedy, 256 new tokens after a prompt of 8, float32. Before anything is timed, all sides must have generated
the same ids. Then they take turns, so that a noisy machine is noisy for all; the ratios are medians over the
turns. For one text, the same weights in bfloat16 and in eight bits (`quantize`) take turns with float32; what
the eight bits cost in accuracy is measured as the relative error of the logits. Without a cache, GPT-2 small
would take minutes: that line is added up from passes at eight lengths.

The limit: to generate one token, every weight and everything in the cache must be read once, and every weight
takes part in one multiplication and one addition for each text. Whichever takes longer is the floor, at the
bandwidth and at the rate of matrix products that this machine reaches in the same run. How near the plain
step could come to it with the kernels of MKL and oneDNN is told beside it: the products by the weights alone,
without all else. (GPT-2 small, one text, AMD EPYC with AVX2: 1.20 times the floor at best and 1.30 in the
median, whether the weights were laid out beforehand or not; MKL's own, packed or transposed, 1.7 to 2.5. They
are 91% of a step's time.) The compiled step has products of its own (`support.generation.compiled_linear`).

How much of the small model's step is Python's: the same torch calls in one straight line, without any module,
take 0.48 of the step's processor time at one text and 0.78 at sixteen; a loop that calls the linear layers
and norms as modules and nothing else takes 0.65 to 0.78, and 0.82 (AMD EPYC, one thread, a loaded machine).
The side *compiled* (`compile=True`) has its step driven by C++ instead; the compilation is not timed.

Peak memory is measured in a process of its own for each side. Everything is kept in the record that chapter
22 shows.
"""

import argparse
import copy
import gc
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch
from recording import begin_record, keep_record, made_by

from support.core import seed_everything
from support.exchange import from_huggingface
from support.generation import generate_many
from support.generation.few_rows import few_rows
from support.model import GPT, GPTConfig, cache_bytes, quantize
from support.model.linear_kernels import float32_products
from support.view import table

PROMPT = 8
BUSY = False
DEVICE = torch.device("cpu")
SHAPES = {
    "small": {"vocab_size": 1024, "n_positions": 1024, "n_embd": 128, "n_layer": 4, "n_head": 4},
    "gpt2": {"vocab_size": 50257, "n_positions": 1024, "n_embd": 768, "n_layer": 12, "n_head": 12},
}
SIDES = (
    "support",
    "support, no cache",
    "support, compiled",
    "transformers, dynamic cache",
    "transformers, static cache",
)
Write = Callable[[int], list[list[int]]]  # number of new tokens → the texts


def config_of(shape: str) -> GPTConfig:
    s = SHAPES[shape]
    return GPTConfig(
        vocab_size=s["vocab_size"],
        context=s["n_positions"],
        d_model=s["n_embd"],
        n_layers=s["n_layer"],
        n_heads=s["n_head"],
        activation="gelu_tanh",
    )


def models(shape: str) -> tuple[GPT, torch.nn.Module]:
    """The same random weights, ours and theirs."""
    import transformers

    transformers.logging.set_verbosity_error()
    config = transformers.GPT2Config(
        **SHAPES[shape], initializer_range=0.1, bos_token_id=0, eos_token_id=None, pad_token_id=0
    )
    theirs = transformers.GPT2LMHeadModel(config).eval().to(DEVICE)
    return from_huggingface(theirs).to(DEVICE), theirs


def sides(ours: GPT | None, theirs: torch.nn.Module | None, prompts: torch.Tensor) -> dict[str, Write]:
    """What each side does to write so many new tokens."""

    def with_ours(new: int, **how: bool) -> list[list[int]]:
        return generate_many(ours, prompts.tolist(), new, greedy=True, **how)

    def with_theirs(new: int, kind: str) -> list[list[int]]:
        seen = torch.ones_like(prompts)
        how = {"max_new_tokens": new, "do_sample": False, "cache_implementation": kind}
        return theirs.generate(prompts, attention_mask=seen, **how).tolist()

    return {
        SIDES[0]: with_ours,
        SIDES[1]: lambda new: with_ours(new, cache=False),
        SIDES[2]: lambda new: with_ours(new, compile=True),
        SIDES[3]: lambda new: with_theirs(new, "dynamic"),
        SIDES[4]: lambda new: with_theirs(new, "static"),
    }


def seconds(work: Callable[[], object]) -> float:
    """Seconds by the clock, or of this process's work."""
    start = now()
    work()
    return now() - start


def now() -> float:
    if DEVICE.type == "cuda":
        torch.cuda.synchronize()
    return time.process_time() if BUSY else time.perf_counter()


def limits(n_bytes: int) -> tuple[float, float]:
    """Bytes read a second, from a buffer as large as the model; operations a second in a large product."""
    size = 1536 if DEVICE.type == "cpu" else 8192
    buffer, a = torch.ones(n_bytes // 4, device=DEVICE), torch.randn(size, size, device=DEVICE)
    reading = min(seconds(lambda: torch.dot(buffer, buffer)) for _ in range(10))
    with float32_products(DEVICE):  # of the faster library
        multiplying = min(seconds(lambda: torch.nn.functional.linear(a, a)) for _ in range(5))
    return n_bytes / reading, 2 * size**3 / multiplying


def floor(model: GPT, batch: int, new: int, rates: tuple[float, float]) -> dict[str, float]:
    """The least seconds that one step for all texts can take, on average over the run."""
    weight = model.embedding.weight
    tables = sum(t.nbytes for t in (model.position.weight,))  # of these, a step reads a row or two
    weights = sum(p.nbytes for p in model.parameters()) - tables
    length = PROMPT + new // 2
    kept = cache_bytes(model.config, batch, length, weight.element_size())
    work = batch * model.flops_per_token(length)
    return {"bytes": weights + kept, "reading": (weights + kept) / rates[0], "computing": work / rates[1]}


@torch.inference_mode()
def products(model: GPT, batch: int, turns: int = 20) -> float:
    """The least seconds of a step that does nothing but multiply by its weights, the best of three ways.

    Each weight once, by torch's linear layer, by oneDNN's product, and by oneDNN's with weights laid out for
    it beforehand. No step with these kernels can be faster, whatever else it saves.
    """
    weights = [m.weight for m in model.modules() if isinstance(m, torch.nn.Linear)]
    weights += [] if any(w is model.embedding.weight for w in weights) else [model.embedding.weight]
    rows = {w.shape[1]: torch.randn(batch, w.shape[1]) for w in weights}
    onednn, pack = torch.ops.mkldnn._linear_pointwise, torch.ops.mkldnn._reorder_linear_weight
    packed = [pack(w, batch) for w in weights]
    ways = [
        lambda: [torch.nn.functional.linear(rows[w.shape[1]], w) for w in weights],
        lambda: [onednn(rows[w.shape[1]], w, None, "none", [], "") for w in weights],
        lambda: [
            onednn(rows[w.shape[1]], p, None, "none", [], "") for w, p in zip(weights, packed, strict=True)
        ],
    ]
    return min(seconds(way) for _ in range(turns) for way in ways)


def without_cache(model: GPT, prompts: torch.Tensor, new: int, points: int = 8) -> float:
    """Seconds for all steps when everything is read anew, from passes at a few lengths."""
    lengths = [PROMPT + new * (2 * i + 1) // (2 * points) for i in range(points)]
    ids = torch.randint(model.config.vocab_size, (len(prompts), max(lengths)), device=DEVICE)
    with torch.inference_mode():
        model(ids[:, :8], last=True)
        times = [seconds(lambda n=n: model(ids[:, :n], last=True)) for n in lengths]
    return new * statistics.mean(times)


@torch.inference_mode()
def by_length(model: GPT, lengths: tuple[int, ...] = (32, 256, 512, 768, 1000), around: int = 16) -> dict:
    """Milliseconds for one more token of one text, by how long the text already is; cached and not."""
    found: dict[str, list[float]] = {"length": list(lengths), "cached": [], "anew": []}
    for n in lengths:
        text = torch.randint(1, model.config.vocab_size, (1, n), device=DEVICE)
        anew, steps = [], []
        for _ in range(2):
            cache = model.cache(length=n + around)
            anew.append(seconds(lambda: model(text, cache, last=True)))  # noqa: B023
            with few_rows(model):  # as the loop of generation does
                steps += [seconds(lambda: model(text[:, :1], cache, last=True)) for _ in range(around)]  # noqa: B023
        found["anew"].append(1e3 * min(anew))
        found["cached"].append(1e3 * statistics.median(steps))
    return found


def compare(shape: str, batch: int, new: int, rounds: int) -> dict:
    """One model and one batch size: equality first, then turns."""
    ours, theirs = models(shape)
    prompts = torch.randint(1, 1024, (batch, PROMPT), device=DEVICE)
    write = sides(ours, theirs, prompts)
    # The best two of 50,000 tokens may come within rounding of each other: there, the first are compared.
    alike = new if shape == "small" else 24
    texts = [write[side](alike if side != SIDES[1] else min(alike, 24)) for side in SIDES]
    for text in texts[1:]:
        assert all(a[: len(b)] == b for a, b in zip(texts[0], text, strict=True)), "the sides disagree"

    cached = [side for side in SIDES if side != SIDES[1]]
    rates = limits(sum(p.nbytes for p in ours.parameters()))
    times: dict[str, list[float]] = {side: [] for side in cached}
    for _ in range(rounds):
        for side in cached:
            times[side].append(seconds(lambda side=side: write[side](new)))
    again = limits(sum(p.nbytes for p in ours.parameters()))
    least = floor(ours, batch, new, (max(rates[0], again[0]), max(rates[1], again[1])))
    limit = max(least["reading"], least["computing"])
    row = {
        "new": new,
        "tokens_per_second": {side: batch * new / statistics.median(t) for side, t in times.items()},
        "times_support": {
            side: statistics.median(a / b for a, b in zip(t, times["support"], strict=True))
            for side, t in times.items()
        },
        "megabytes_a_step": least["bytes"] / 1e6,
        "gigabytes_a_second": max(rates[0], again[0]) / 1e9,
        "floor_ms": 1e3 * limit,
        "reading_ms": 1e3 * least["reading"],
        "computing_ms": 1e3 * least["computing"],
        "step_ms": 1e3 * statistics.median(times["support"]) / new,
        "over_floor": min(times["support"]) / new / limit,
        "compiled_step_ms": 1e3 * statistics.median(times["support, compiled"]) / new,
        "compiled_over_floor": min(times["support, compiled"]) / new / limit,
    }
    if DEVICE.type == "cpu":
        row["products_over_floor"] = products(ours, batch) / limit
    slow = without_cache(ours, prompts, new)
    row["tokens_per_second"][SIDES[1]] = batch * new / slow
    row["times_support"][SIDES[1]] = slow / statistics.median(times["support"])
    if batch == 1:
        row["by_length"] = by_length(ours)
        row |= narrower(ours, prompts, rounds)
    return row


def narrower(model: GPT, prompts: torch.Tensor, rounds: int, new: int = 64) -> dict:
    """One step with bfloat16 and with int8 weights beside float32, in turns; the error of the int8 logits.

    Plain and compiled; int8 keeps torch's own product in both.
    """
    models = {"float32": model, "bfloat16": copy.deepcopy(model).bfloat16(), "int8": quantize(model, "int8")}
    ids = torch.randint(1, model.config.vocab_size, (4, 64), device=DEVICE)
    with torch.inference_mode():
        exact, rough = models["float32"](ids), models["int8"](ids)
    sides = [(how, name) for how in ("", "compiled_") for name in models]
    times: dict[tuple[str, str], list[float]] = {side: [] for side in sides}
    for turn in range(rounds + 1):
        for how, name in sides:
            write = {"greedy": True, "compile": bool(how)}
            took = seconds(lambda m=models[name], w=write: generate_many(m, prompts.tolist(), new, **w))
            if turn:  # the first warms up
                times[how, name].append(took)
    found = {"int8_relative_error": ((rough - exact).norm() / exact.norm()).item()}
    for how in ("", "compiled_"):
        pairs = zip(times[how, "float32"], times[how, "int8"], strict=True)
        found[f"{how}int8_times_as_fast"] = statistics.median(a / b for a, b in pairs)
        for name in ("bfloat16", "int8"):
            found[f"{how}{name}_step_ms"] = 1e3 * statistics.median(times[how, name]) / new
    return found


def alone(shape: str, batch: int, side: str, new: int) -> None:
    """In a process of its own: the most memory that one side holds while it writes, in MB (on Linux)."""
    if side.startswith("support"):  # without importing transformers, as a user of support would be
        ours, theirs = GPT(config_of(shape)).eval(), None
    else:
        ours, theirs = None, models(shape)[1]
    write = sides(ours, theirs, torch.randint(1, 1024, (batch, PROMPT)))[side]
    write(2)  # what is made once is made now
    gc.collect()
    before = resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts to count from here
    write(new)
    print(json.dumps({"peak": resident("VmHWM"), "by_writing": resident("VmHWM") - before}))


def resident(what: str) -> float:
    status = Path("/proc/self/status").read_text()
    return float(status.split(what + ":")[1].split()[0]) / 1e3


def memory(shape: str, batch: int, new: int) -> dict[str, dict[str, float]]:
    found = {}
    for side in SIDES:
        if side == SIDES[1]:
            continue
        command = [sys.executable, __file__, shape, "--batch", str(batch), "--alone", side]
        command += ["--threads", str(torch.get_num_threads()), "--new", str(new)]
        found[side] = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return found


def show(shape: str, batch: int, row: dict) -> None:
    print(f"\n{shape}, {batch} text{'s' * (batch > 1)}, {row['new']} new tokens\n")
    speed, ratio, peak = row["tokens_per_second"], row["times_support"], row.get("memory", {})
    columns = ["side", "tokens/s", "× support's time", "peak MB", "of it by writing"]
    rows = [
        [side, f"{speed[side]:,.0f}", f"{ratio[side]:.2f}"]
        + [f"{peak[side][what]:,.0f}" if side in peak else "" for what in ("peak", "by_writing")]
        for side in speed
    ]
    print(table(rows, columns=columns)._repr_markdown_())
    print(
        f"\na step of support's: {row['step_ms']:.2f} ms; its best run is {row['over_floor']:.2f} × "
        f"the floor of {row['floor_ms']:.2f} ms (reading {row['megabytes_a_step']:.1f} MB at "
        f"{row['gigabytes_a_second']:.1f} GB/s: {row['reading_ms']:.2f} ms; computing: "
        f"{row['computing_ms']:.2f} ms)\nthe compiled step: {row['compiled_step_ms']:.2f} ms; its best run "
        f"is {row['compiled_over_floor']:.2f} × the floor"
    )
    if "products_over_floor" in row:
        print(
            "the plain step's products by its weights alone, by the fastest library's kernel, take "
            f"{row['products_over_floor']:.2f} × the floor"
        )
    if "int8_step_ms" in row:
        columns = ["step", "ms, bfloat16", "ms, int8", "int8: times float32's speed"]
        rows = [
            [name, *(row[how + key] for key in ("bfloat16_step_ms", "int8_step_ms", "int8_times_as_fast"))]
            for name, how in (("plain", ""), ("compiled", "compiled_"))
        ]
        print("\n" + table(rows, columns=columns, digits=2)._repr_markdown_())
        print(f"\nrelative error of the logits with int8 weights: {row['int8_relative_error']:.4f}")
    if "by_length" in row:
        names = {"length": "tokens so far", "cached": "ms with the cache", "anew": "ms without"}
        rows = list(zip(*(row["by_length"][name] for name in names), strict=True))
        print("\n" + table(rows, columns=list(names.values()), digits=2)._repr_markdown_())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shape", choices=SHAPES)
    parser.add_argument("--batch", type=int, nargs="+", default=None, help="texts side by side")
    parser.add_argument("--new", type=int, default=256, help="tokens to write")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=None)
    parser.add_argument("--no-memory", action="store_true")
    parser.add_argument("--busy", action="store_true", help="one thread, and the processor's time")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--alone", choices=SIDES, help=argparse.SUPPRESS)
    given = parser.parse_args()
    global BUSY, DEVICE
    DEVICE = torch.device(given.device)
    BUSY, given.threads = given.busy, 1 if given.busy else given.threads
    seed_everything(0, threads=given.threads)
    if given.alone:
        return alone(given.shape, given.batch[0], given.alone, given.new)
    print(f"{given.threads} threads, torch {torch.__version__}")
    record = begin_record("generation", {}, under="rows", prompt=PROMPT, threads=given.threads)
    record |= made_by("generation")
    for batch in given.batch or ((1, 16) if given.shape == "small" else (1,)):
        row = compare(given.shape, batch, given.new, given.rounds or (7 if given.shape == "small" else 3))
        if DEVICE.type == "cpu":
            if not given.no_memory:
                row["memory"] = memory(given.shape, batch, given.new)
            record["rows"][f"{given.shape} {batch}"] = row
            keep_record("generation", record)
        show(given.shape, batch, row)
    return None


if __name__ == "__main__":
    main()
