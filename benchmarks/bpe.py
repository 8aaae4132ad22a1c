"""Byte-pair encoding: ours, the `tokenizers` library and the naive version, on one text, one setting.

    python benchmarks/bpe.py

The text is Python's own help pages. Everything runs on one thread (`TOKENIZERS_PARALLELISM=false`), in one
process, the contestants by turns, so that a noisy neighbour meets all of them; of the repeats the fastest
counts. Encoders start each repeat anew, with no piece remembered from the one before.
"""

import os

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"

import argparse
import json
import platform
import time
from collections.abc import Callable
from typing import Any

import tokenizers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from support.text import BPETokenizer
from support.text.byte_alphabet import from_printable
from support.text.naive_bpe import encode_naive, train_naive
from support.worlds import python_prose


def reference(text: str, vocab_size: int) -> Tokenizer:
    """The library's tokenizer, trained with our settings."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    tokenizer.train_from_iterator([text], trainer)
    return tokenizer


def merges_of(tokenizer: Tokenizer) -> list[tuple[bytes, bytes]]:
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    return [(from_printable(left), from_printable(right)) for left, right in merges]


def by_turns(contestants: dict[str, Callable[[], Callable[[], Any]]], repeats: int) -> dict[str, float]:
    """The fastest of the repeats, in seconds. Each contestant is a function that gets ready and returns the
    work to be timed."""
    seconds = dict.fromkeys(contestants, float("inf"))
    for _ in range(repeats):
        for name, ready in contestants.items():
            work = ready()
            start = time.perf_counter()
            work()
            seconds[name] = min(seconds[name], time.perf_counter() - start)
    return seconds


def row(what: str, ours: float, other: float, goal: str) -> None:
    print(f"{what:44} {ours:9.3f} {other:9.3f} {ours / other:9.2f}   {goal}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--vocab-size", type=int, default=4096)
    parser.add_argument("--naive-merges", type=int, default=256)
    args = parser.parse_args()

    text, size = python_prose(), args.vocab_size
    print(
        f"Python {platform.python_version()}, tokenizers {tokenizers.__version__}, "
        f"{platform.machine()}, 1 thread"
    )
    print(
        f"text: pydoc_data.topics, {len(text):,} characters, {len(text.encode()):,} bytes; vocabulary {size}"
    )

    ours, theirs = BPETokenizer.train(text, size), reference(text, size)
    stored = theirs.to_str()
    ids = ours.encode(text)
    print(f"merges equal: {ours.merges == merges_of(theirs)} ({len(ours.merges):,})")
    print(
        f"ids equal: {ids == theirs.encode(text).ids} ({len(ids):,}); "
        f"decoded = text: {ours.decode(ids) == text}"
    )

    training = by_turns(
        {
            "ours": lambda: lambda: BPETokenizer.train(text, size),
            "tokenizers": lambda: lambda: reference(text, size),
        },
        args.repeats,
    )

    def theirs_ready(method: str, argument: Any) -> Callable[[], Callable[[], Any]]:
        def ready() -> Callable[[], Any]:
            fresh = Tokenizer.from_str(stored)
            return lambda: getattr(fresh, method)(argument)

        return ready

    def ours_ready() -> Callable[[], Any]:
        fresh = BPETokenizer(ours.merges)
        return lambda: fresh.encode(text)

    encoding = by_turns(
        {
            "ours": ours_ready,
            "tokenizers": theirs_ready("encode", text),
            "without offsets": theirs_ready("encode_batch_fast", [text]),
        },
        args.repeats,
    )

    few = args.naive_merges
    plain = train_naive(text, few)
    print(f"merges equal to the naive version: {plain == ours.merges[:few]} ({few})")
    naive = by_turns({"naive": lambda: lambda: train_naive(text, few)}, 1)["naive"]
    quick = by_turns({"ours": lambda: lambda: BPETokenizer.train(text, 256 + few)}, args.repeats)["ours"]
    part, small = text[:20_000], BPETokenizer(plain)
    same = encode_naive(part, plain) == [small.token(i) for i in small.encode(part)]
    print(f"tokens equal to the naive version: {same} (first {len(part):,} characters)")

    heading = f"seconds (fastest of {args.repeats}, by turns)"
    print(f"\n{heading:44} {'ours':>9} {'other':>9} {'ratio':>9}   goal")
    row("training, against tokenizers", training["ours"], training["tokenizers"], "≤ 4")
    row("encoding, against tokenizers.encode", encoding["ours"], encoding["tokenizers"], "≤ 10")
    row("encoding, against encode_batch_fast", encoding["ours"], encoding["without offsets"], "≤ 10")
    print(
        f"{f'training, {few} merges, against naive':44} {quick:9.3f} {naive:9.3f} "
        f"{naive / quick:8.0f}×   ≥ 50×"
    )


if __name__ == "__main__":
    main()
