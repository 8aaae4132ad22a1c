"""The command line: ``python -m support.training --text my.txt``, or ``--recipe stories``.

A command stands at the end of the package's order: it may import from every subpackage, and none imports it.
"""

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from tqdm import tqdm

from support import zoo
from support.core import InputError, device, seed_everything
from support.core.validation import CountOrZero, check
from support.generation import generate
from support.model import GPT, GPTConfig
from support.text import BPETokenizer
from support.training import (
    DivergedError,
    History,
    LostProcessError,
    SequenceBatches,
    StreamBatches,
    TrainConfig,
    evaluate_loss,
    evaluate_stream,
    load_checkpoint,
    train,
)
from support.training.checkpoint import Tokenizer
from support.training.loop import Batches, Evaluate

HELD_OUT = 0.05  # of a text, at its end: what the loss is measured on
SEVERAL = int(os.environ.get("WORLD_SIZE", "1")) > 1  # torchrun started more than this process
MODEL: dict[str, dict[str, Any]] = {  # the options that describe a new model
    "--vocab-size": {
        "type": int,
        "default": 4096,
        "help": "tokens of the byte-pair encoding, learned from the text",
    },
    "--layers": {"type": int, "default": 4, "help": "blocks"},
    "--d-model": {"type": int, "default": 128, "help": "numbers in the residual stream"},
    "--heads": {"type": int, "default": 4, "help": "attention heads"},
    "--kv-heads": {"type": int, "help": "heads of keys and values, if fewer"},
    "--context": {"type": int, "default": 128, "help": "positions"},
    "--dropout": {"type": float, "default": 0.0, "help": "share of numbers dropped in training"},
    "--llama": {
        "action": "store_true",
        "help": "RoPE, RMSNorm and SwiGLU without biases, instead of GPT-2's choices",
    },
}
LLAMA: dict[str, Any] = {
    "positions": "rope",
    "norm": "rms",
    "activation": "swiglu",
    "attention_bias": False,
    "ffn_bias": False,
}
Task = tuple[GPT, Batches, Evaluate, Tokenizer]


def main(arguments: list[str] | None = None) -> int:
    """Do what the command line says; the exit status."""
    given = _parser().parse_args(arguments)
    try:
        run(given)
    except (InputError, DivergedError, LostProcessError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped. The same command with --resume goes on from the last checkpoint.", file=sys.stderr)
        return 130
    return 0


def run(given: argparse.Namespace) -> None:
    """Train, tell the loss, and show a sample."""
    seed_everything(given.seed, threads=given.threads)
    if given.recipe and given.start_from:
        raise InputError(
            "--start-from goes on with a text (--text); a recipe begins with a model of its own."
        )
    if given.recipe:
        settings, (model, batches, evaluate, tokenizer) = _from_recipe(given)
    else:
        settings, (model, batches, evaluate, tokenizer) = TrainConfig(2000), _from_text(given)
    wanted = {
        name: value
        for name in ("steps", "lr", "warmup", "accumulate", "eval_every", "checkpoint_every", "log_every")
        if (value := getattr(given, name)) is not None
    }
    if "lr" in wanted:
        wanted["min_lr"] = None
    steps = wanted.get("steps", settings.steps)
    wanted.setdefault("warmup", min(settings.warmup or steps // 20, steps))
    config = replace(
        settings,
        **wanted,
        seed=given.seed,
        folder=given.folder,
        precision=given.precision,
        compile=given.compile,
        activation_checkpointing=given.activation_checkpointing,
        strategy=given.strategy or ("ddp" if SEVERAL else "none"),
        progress=not given.quiet,
    )
    prompt = _prompt(tokenizer, given)  # before hours of training, not after
    model.to(device())
    _say(f"{model.n_parameters():,} weights, {config.steps} steps, {config.precision} precision, {device()}")
    shown = [] if given.quiet else [_told_every(config.log_every)]
    history = train(
        model, batches, config, evaluate, callbacks=shown, resume=given.resume, tokenizer=tokenizer
    )
    if history.best is not None:
        at, loss = history.best
        _say(
            f"held-out loss {list(history.evals.values())[-1]:.4f}; the best was {loss:.4f} after {at} steps"
        )
    _say(f"kept in {Path(given.folder) / 'last.safetensors'}\n\n{_sample(model, tokenizer, prompt, given)}")


def _told_every(log_every: int) -> Callable[[int, torch.nn.Module, History], None]:
    """A callback that tells the evaluations made since it was last called."""

    def tell(step: int, model: torch.nn.Module, history: History) -> None:
        for done, loss in history.evals.items():
            if step + 1 - log_every < done <= step + 1:
                _say(f"step {done:,}: loss {history.losses[done - 1]:.4f}, held-out loss {loss:.4f}")

    return tell


def _from_text(given: argparse.Namespace) -> Task:
    path = Path(given.text)
    try:
        text = path.read_text(encoding="utf8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read as a text in UTF-8 ({error}); check the path.") from None
    cut = int(len(text) * (1 - HELD_OUT))
    model, tokenizer = _started(given) if given.start_from else _built(given, text[:cut])
    context = model.config.context
    ids, held_out = (torch.tensor(tokenizer.encode(part)) for part in (text[:cut], text[cut:]))
    _say(f"{path.name}: {len(ids):,} tokens to learn from, {len(held_out):,} held out")
    if len(held_out) < 2:
        raise InputError(f"{path.name} is too short to hold out two tokens of it; give a longer text.")
    batch_size = 16 if given.batch_size is None else given.batch_size
    batches = StreamBatches(ids, batch_size, context, seed=given.seed)
    return model, batches, lambda m: evaluate_stream(m, held_out, context), tokenizer


def _built(given: argparse.Namespace, text: str) -> tuple[GPT, Tokenizer]:
    """A new model, and a tokenizer that has learned from the text; or that of the run that goes on."""
    last = Path(given.folder) / "last.safetensors"
    saved = load_checkpoint(last).tokenizer if given.resume and last.is_file() else None
    tokenizer = saved or BPETokenizer.train(text, given.vocab_size, special_tokens=["<EOS>"])
    config = GPTConfig(
        vocab_size=len(tokenizer),
        context=given.context,
        d_model=given.d_model,
        n_layers=given.layers,
        n_heads=given.heads,
        n_kv_heads=given.kv_heads,
        dropout=given.dropout,
        **LLAMA if given.llama else {},
    )
    return GPT(config), tokenizer


def _started(given: argparse.Namespace) -> tuple[GPT, Tokenizer]:
    """The model and the tokenizer of a checkpoint."""
    usual = _parser()
    for option in MODEL:
        name = option.removeprefix("--").replace("-", "_")
        if getattr(given, name) != usual.get_default(name):
            raise InputError(f"--start-from brings a model of its own; leave {option} out.")
    start = load_checkpoint(given.start_from)
    if not isinstance(start.model, GPT):
        raise InputError(f"{given.start_from} holds no GPT; give a checkpoint of one.")
    if start.tokenizer is None:
        raise InputError(
            f"{given.start_from} has no tokenizer; save it with one: save_checkpoint(…, tokenizer=…)."
        )
    return start.model, start.tokenizer


def _from_recipe(given: argparse.Namespace) -> tuple[TrainConfig, Task]:
    recipe = zoo.recipe(given.recipe)
    vocabulary = recipe.world().vocabulary
    texts = [vocabulary.encode(text) for text in recipe.texts(given.seed)]
    held_out = [vocabulary.encode(text) for text in recipe.held_out()]
    batch_size = recipe.batch_size if given.batch_size is None else given.batch_size
    batches = SequenceBatches(texts, batch_size, seed=given.seed)
    model = GPT(recipe.config(vocabulary))
    return recipe.training, (model, batches, lambda m: evaluate_loss(m, held_out), vocabulary)


def _prompt(tokenizer: Tokenizer, given: argparse.Namespace) -> list[int]:
    """What the sample continues: the given prompt, or the beginning of a text."""
    check("max_new_tokens", given.sample, CountOrZero)
    return tokenizer.encode(given.prompt or ("\n" if isinstance(tokenizer, BPETokenizer) else "<BOS>"))


def _sample(model: GPT, tokenizer: Tokenizer, prompt: list[int], given: argparse.Namespace) -> str:
    """What the model writes after the prompt."""
    stop = () if isinstance(tokenizer, BPETokenizer) else [tokenizer.id("<EOS>")]
    ids = generate(model, prompt, given.sample, temperature=0.8, seed=given.seed, stop=stop)
    return tokenizer.decode(ids).strip()


def _say(line: str) -> None:
    if os.environ.get("RANK", "0") == "0":
        tqdm.write(line)


class _Help(argparse.ArgumentDefaultsHelpFormatter):
    """Tells the defaults, but for options that have none."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        return action.help if action.default in (None, False) else super()._get_help_string(action)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m support.training",
        description="Train a language model; under torchrun by several processes.",
        formatter_class=_Help,
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--text", help="a text file in UTF-8; its last twentieth is held out")
    source.add_argument("--recipe", choices=sorted(zoo.RECIPES), help="a model of the zoo")
    parser.add_argument("--start-from", help="a checkpoint whose model and tokenizer go on with the text")
    parser.add_argument("--folder", default="run", help="where checkpoints are kept")
    parser.add_argument("--resume", action="store_true", help="go on with the run in the folder")
    add: Callable[..., object] = parser.add_argument_group("the model, for a text").add_argument
    for option, how in MODEL.items():
        add(option, **how)
    add = parser.add_argument_group("training").add_argument
    add("--steps", type=int, help="updates; by default 2000, or the recipe's")
    add("--lr", type=float, help="highest learning rate; by default 0.003, or the recipe's")
    add("--warmup", type=int, help="steps up to it; by default a twentieth, or the recipe's")
    add("--batch-size", type=int, help="texts or windows a batch; by default 16, or the recipe's")
    add("--accumulate", type=int, help="batches an update")
    add("--eval-every", type=int, default=200, help="steps between evaluations")
    add("--checkpoint-every", type=int, default=200, help="steps between checkpoints")
    add("--log-every", type=int, default=10, help="steps between readings of the loss")
    add(
        "--precision",
        default="auto",
        choices=("auto", "float32", "bfloat16", "float16"),
        help="of the products",
    )
    add("--compile", action="store_true", help="run through torch.compile")
    add("--activation-checkpointing", action="store_true", help="less memory, more time")
    add("--strategy", choices=("ddp", "fsdp"), help="under torchrun; by default ddp")
    add("--seed", type=int, default=0, help="of weights and batches")
    add("--threads", type=int, help="of the CPU; by default OMP_NUM_THREADS, or 1")
    add("--quiet", action="store_true", help="show no progress")
    add = parser.add_argument_group("the sample at the end").add_argument
    add("--prompt", help="what it continues")
    add("--sample", type=int, default=60, help="tokens")
    return parser


if __name__ == "__main__":
    sys.exit(main())
