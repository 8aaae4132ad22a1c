"""Training throughput: support's GPT and loop against transformers' GPT-2 of the same size, in one run.

    python benchmarks/training.py [--vocab 1024] [--threads 2] [--rounds 30]

Both have 4 layers, d_model 128, 4 heads, context 128, batch 16, GELU (tanh), tied weights, no dropout, AdamW,
gradient clipping at 1, float32, and see the same random tokens. Our side is `support.training.train` itself;
the others take their turns in its callback, step by step, so that a noisy machine is noisy for all. What is
printed are medians, and the median of the paired ratios.

Two ways of running the other side: *standard* is what a reader would write (`model(ids, labels=ids).loss`,
default cache setting, default AdamW); *tuned* switches the cache off and takes the fused AdamW that our loop
uses. The last line holds our step against what this machine's matrix products reach in the same run.
"""

import argparse
import statistics
import time
from collections.abc import Callable

import torch
import transformers

from support.core import set_up
from support.model import GPT, GPTConfig
from support.training import TrainConfig, train

BATCH, CONTEXT, WIDTH, LAYERS, HEADS = 16, 128, 128, 4, 4
WARM_UP = 3
Step = Callable[[], None]


def ours(vocab: int) -> GPT:
    return GPT(
        GPTConfig(
            vocab_size=vocab,
            context=CONTEXT,
            d_model=WIDTH,
            n_layers=LAYERS,
            n_heads=HEADS,
            activation="gelu_tanh",
        )
    )


def theirs(vocab: int, ids: torch.Tensor, tuned: bool) -> Step:
    config = transformers.GPT2Config(
        vocab_size=vocab,
        n_positions=CONTEXT,
        n_embd=WIDTH,
        n_layer=LAYERS,
        n_head=HEADS,
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        bos_token_id=0,
        eos_token_id=0,
        use_cache=not tuned,
    )
    model = transformers.GPT2LMHeadModel(config).train()
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True if tuned else None)
    inputs = ids[:, :CONTEXT]

    def step() -> None:
        model(input_ids=inputs, labels=inputs).loss.backward()
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vocab", type=int, default=1024)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=30)
    given = parser.parse_args()
    transformers.logging.set_verbosity_error()
    set_up(0, threads=given.threads)
    ids = torch.randint(given.vocab, (BATCH, CONTEXT + 1))
    model = ours(given.vocab)
    others = {
        "transformers, standard": theirs(given.vocab, ids, tuned=False),
        "transformers, tuned": theirs(given.vocab, ids, tuned=True),
    }
    seconds: dict[str, list[float]] = {name: [] for name in ("support", *others)}
    began = [0.0]

    def turn(step: int, *_: object) -> None:
        """After each step of ours: note its time, and let the others do one each."""
        ours_took = time.perf_counter() - began[0]
        took = {"support": ours_took} | {name: _seconds(work) for name, work in others.items()}
        if step >= WARM_UP:
            for name, time_taken in took.items():
                seconds[name].append(time_taken)
        began[0] = time.perf_counter()

    config = TrainConfig(WARM_UP + given.rounds, lr=3e-4, precision="float32", progress=False)
    train(model, lambda step: (ids[:, :-1], ids[:, 1:]), config, callbacks=[turn])
    rate = matrix_rate()
    print(
        f"vocabulary {given.vocab}, {given.threads} threads, {given.rounds} rounds, torch {torch.__version__}"
    )
    for name, times in seconds.items():
        middle = statistics.median(times)
        ratio = statistics.median(t / o for t, o in zip(times, seconds["support"], strict=True))
        tokens = BATCH * CONTEXT / middle
        print(
            f"{name:24} {1e3 * middle:7.1f} ms a step {tokens:9,.0f} tokens/s   {ratio:.2f} × support's time"
        )
    work = BATCH * CONTEXT * model.flops_per_token(CONTEXT, training=True)
    share = work / statistics.median(seconds["support"]) / rate
    print(f"matrix products reach {rate / 1e9:.0f} GFLOP/s here; support's step runs at {share:.0%} of that")


if __name__ == "__main__":
    main()
