"""Encoder, decoder and encoder–decoder, each on three errands; and learning within a text, by depth.

    python benchmarks/three_families.py [--only KIND NAME SEED]

Writes support/zoo/records/three_families.json. About 6 CPU-minutes for everything; rows that the record
holds already are not trained again. `--only labels "1 block" 0` trains one row and prints it.
"""

import argparse
import math
import time

import torch
from recording import begin_record, keep_record
from torch import Tensor, nn

from support.core import progress, seed_everything
from support.model import GPT, Encoder, EncoderDecoder, GPTConfig, Seq2SeqInputs
from support.training import MaskedBatches, Seq2SeqBatches, SequenceBatches, TrainConfig, pad_sequences, train
from support.worlds.game import CallingGame
from support.worlds.labels import LabelGame
from support.worlds.phrasebook import ADJECTIVES, NOUNS, VERBS, Phrasebook

SEEDS = (0, 1, 2)
GAME, BOOK = CallingGame(), Phrasebook()
WORDS = GAME.vocabulary
MASK = len(WORDS)  # one id more than the game's words
SIZE = {"d_model": 64, "n_heads": 4, "init_std": 0.2}
GAME_SHAPE = {"vocab_size": MASK + 1, "context": 48, "masked_ids": (0, MASK), **SIZE}
BOOK_SHAPE = {"vocab_size": len(BOOK.vocabulary), "context": 24, "masked_ids": (0,), **SIZE}
STEPS, BATCH, RATE, LONGEST = 600, 32, 3e-3, 40
TESTS, CHECKS = 300, (150, 300, 600)
LABEL_STEPS, LABEL_EVERY = 500, 25
ERRANDS = {  # what each row trains; the two blocks of the encoder–decoder are one on each side
    ("games", "encoder"): 2,
    ("games", "decoder"): 2,
    ("write", "encoder–decoder"): 1,
    ("translate", "encoder"): 2,
    ("translate", "decoder"): 2,
    ("translate", "encoder–decoder"): 1,
}
LABELS = {  # blocks, positions, ways to label in training
    "1 block": (1, "alibi", None),
    "2 blocks": (2, "alibi", None),
    "1 block, learned positions": (1, "learned", None),
    "2 blocks, 4 worlds": (2, "alibi", 4),
    "2 blocks, 64 worlds": (2, "alibi", 64),
    "2 blocks, 1024 worlds": (2, "alibi", 1024),
}


# Games: one word hidden, and whole new games


def games(n: int, seed: int) -> list[list[int]]:
    texts = (WORDS.encode(game) for game in GAME.sample(2 * n, seed=seed))
    return [ids for ids in texts if len(ids) <= LONGEST][:n]


def gaps(n: int) -> list[tuple[list[int], int]]:
    """Test games, and the place of the word that is hidden in each (neither the first nor the last)."""
    draw = torch.Generator().manual_seed(5)
    return [(ids, 1 + int(torch.randint(len(ids) - 2, (1,), generator=draw))) for ids in games(n, seed=10**6)]


def hidden(ids: list[int], at: int) -> list[int]:
    return [*ids[:at], MASK, *ids[at + 1 :]]


def exact(ids: list[int], at: int) -> tuple[Tensor, Tensor]:
    """The world's own probabilities of the hidden word: from what stands before it, and from all the rest."""
    text = [WORDS.token(i) for i in ids]
    before = torch.zeros(len(WORDS), dtype=torch.float64)
    for word, p in GAME.distribution(text[:at]).items():
        before[WORDS.id(word)] = p
    whole = torch.zeros_like(before)
    for i in before.nonzero()[:, 0].tolist():
        whole[i] = math.exp(GAME.log_prob([*text[:at], WORDS.token(i), *text[at + 1 :]]))
    return before, whole / whole.sum()


def score(guesses: list[Tensor], tests: list[tuple[list[int], int]]) -> dict:
    """How often the likeliest word is the hidden one, and the mean surprisal of the hidden one in nats."""
    right = [int(p.argmax()) == ids[at] for p, (ids, at) in zip(guesses, tests, strict=True)]
    nats = [-math.log(p[ids[at]]) for p, (ids, at) in zip(guesses, tests, strict=True)]
    return {"right": round(sum(right) / len(tests), 3), "nats": round(sum(nats) / len(tests), 3)}


@torch.no_grad()
def gap_by_encoder(model: Encoder, ids: list[int], at: int) -> Tensor:
    return model(torch.tensor([hidden(ids, at)]))[0, at].softmax(-1)


@torch.no_grad()
def gap_by_decoder(model: GPT, ids: list[int], at: int) -> Tensor:
    """One pass, over what stands before the gap."""
    return model(torch.tensor([ids[:at]]))[0, -1].softmax(-1)


@torch.no_grad()
def gap_by_trying(model: GPT, ids: list[int], at: int) -> Tensor:
    """Every word in turn, and the probability of the whole game with it."""
    tried = torch.tensor([[*ids[:at], i, *ids[at + 1 :]] for i in range(3, len(WORDS))])
    log_p = model(tried[:, :-1]).log_softmax(-1).gather(2, tried[:, 1:, None]).sum((1, 2))
    guess = torch.zeros(len(WORDS))
    guess[3:] = log_p.softmax(0)
    return guess


def legal(texts: list[list[int]]) -> float:
    fine = [len(ids) > 2 and GAME.log_prob(WORDS.decode(ids).split()) > -math.inf for ids in texts]
    return round(sum(fine) / len(fine), 3)


@torch.no_grad()
def write(model: nn.Module, n: int, seed: int) -> list[list[int]]:
    """``n`` games, word by word, from ``<BOS>`` on."""
    draw = torch.Generator().manual_seed(seed)
    ids = torch.ones(n, 1, dtype=torch.long)
    for _ in range(LONGEST + 2):
        ids = torch.cat([ids, model(ids)[:, -1].softmax(-1).multinomial(1, generator=draw)], dim=1)
    return [cut(row) for row in ids.tolist()]


def cut(ids: list[int], end: int = 2) -> list[int]:
    return ids[: ids.index(end) + 1] if end in ids else ids


@torch.no_grad()
def write_by_encoder(model: Encoder, lengths: list[int], seed: int) -> list[list[int]]:
    """Games of given lengths: at first all words are hidden, then one after the other is drawn."""
    draw = torch.Generator().manual_seed(seed)
    texts = []
    for length in lengths:
        ids = torch.tensor([[1, *[MASK] * (length - 2), 2]])
        for at in range(1, length - 1):
            ids[0, at] = model(ids)[0, at].softmax(-1).multinomial(1, generator=draw)
        texts.append(cut(ids[0].tolist()))
    return texts


# Translations


def translations(n: int, seed: int) -> list[tuple[list[int], list[int]]]:
    return [(BOOK.vocabulary.encode(a), BOOK.vocabulary.encode(b)) for a, b in BOOK.pairs(n, seed)]


def is_right(source: list[int], italian: list[int]) -> bool:
    decode = BOOK.vocabulary.token
    return [decode(i) for i in italian] in BOOK.translations([decode(i) for i in source])


@torch.no_grad()
def translate(model: nn.Module, sources: list[list[int]]) -> list[list[int]]:
    """The likeliest word each time; by an encoder, all words at once."""
    if isinstance(model, Encoder):
        best = model(pad_sequences(sources)).argmax(-1).tolist()
        return [row[: len(source)] for row, source in zip(best, sources, strict=True)]
    longest = max(map(len, sources))
    if isinstance(model, EncoderDecoder):
        writer, ids, pad = (
            model.conditioned_on(pad_sequences(sources)),
            torch.ones(len(sources), 1, dtype=torch.long),
            None,
        )
    else:
        pad = torch.tensor([longest - len(source) for source in sources])
        ids = torch.tensor([[*[0] * int(n), *source, 1] for n, source in zip(pad, sources, strict=True)])
        writer = model
    begin = ids.shape[1]
    for _ in range(longest + 1):
        ids = torch.cat([ids, writer(ids, pad=pad)[:, -1:].argmax(-1)], dim=1)
    return [cut(row[begin:])[:-1] for row in ids.tolist()]


def share_right(model: nn.Module, pairs: list[tuple[list[int], list[int]]]) -> float:
    was, sources = model.training, [source for source, _ in pairs]
    model.eval()
    right = [is_right(*both) for both in zip(sources, translate(model, sources), strict=True)]
    model.train(was)
    return round(sum(right) / len(right), 3)


def mixed(model: nn.Module, pairs: list[tuple[list[int], list[int]]]) -> float:
    """Of the wrong answers: in how many each word, taken alone, stands where a right translation has it."""
    word, sources = BOOK.vocabulary.token, [source for source, _ in pairs]
    wrong = [
        (source, [word(i) for i in answer])
        for source, answer in zip(sources, translate(model, sources), strict=True)
        if not is_right(source, answer)
    ]
    fits = [
        all(w in both for w, *both in zip(words, *BOOK.translations([word(i) for i in source]), strict=True))
        for source, words in wrong
    ]
    return round(sum(fits) / len(fits), 3)


def translation_batches(name: str, pairs: list, seed: int):
    """Each family's own way to be taught the same pairs."""
    if name == "encoder–decoder":
        return Seq2SeqBatches(pairs, BATCH, seed=seed)
    if name == "encoder":  # at each place of the English, the Italian word of that place
        return lambda step: as_tags(*Seq2SeqBatches(pairs, BATCH, seed=seed)(step))
    texts = SequenceBatches([[*source, *target] for source, target in pairs], BATCH, seed=seed)
    return lambda step: after_the_source(*texts(step))


def as_tags(pair: Seq2SeqInputs, targets: Tensor) -> tuple[Tensor, Tensor]:
    return pair.source, targets[:, :-1].masked_fill(pair.source == 0, -100)  # without <EOS>


def after_the_source(inputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    """A decoder reads English, ``<BOS>``, Italian; only what follows ``<BOS>`` is asked of it."""
    writing = (inputs == 1).cumsum(1) > 0
    return inputs, targets.masked_fill(~writing, -100)


# Rows


def errand_row(kind: str, name: str, seed: int) -> dict:
    """Train one model, ask it all it can be asked."""
    seed_everything(seed)
    began, checks = time.perf_counter(), {}
    shape = BOOK_SHAPE if kind == "translate" else GAME_SHAPE
    config = GPTConfig(**shape, n_layers=ERRANDS[kind, name], causal=name != "encoder")
    model = {"encoder": Encoder, "decoder": GPT, "encoder–decoder": EncoderDecoder}[name](config)
    callbacks = []
    if kind == "translate":
        batches = translation_batches(name, translations(STEPS * BATCH, seed=seed + 1), seed)
        tests = translations(TESTS, seed=10**6)

        def measure(step: int, m: nn.Module, _: object) -> None:
            if step + 1 in CHECKS:
                checks[step + 1] = share_right(m, tests)

        callbacks.append(measure)
    else:
        texts = games(STEPS * BATCH, seed=seed + 1)
        if name == "decoder":
            batches = SequenceBatches(texts, BATCH, seed=seed)
        elif name == "encoder":
            batches = MaskedBatches(texts, BATCH, MASK, len(WORDS), seed=seed, special_ids=(0, 1, 2))
        else:  # nothing to read but <BOS>
            batches = Seq2SeqBatches([([1], ids) for ids in texts], BATCH, seed=seed)
    train(model, batches, TrainConfig(steps=STEPS, lr=RATE, warmup=50, progress=False), callbacks=callbacks)
    model.eval()
    row = {"kind": kind, "name": name, "seed": seed, "parameters": model.n_parameters()}
    row |= answers(kind, name, model, seed) | ({"right": checks} if checks else {})
    return row | {"seconds": round(time.perf_counter() - began)}


def answers(kind: str, name: str, model: nn.Module, seed: int) -> dict:
    tests = gaps(TESTS)
    if kind == "write":
        return {"legal": legal(write(model.conditioned_on(torch.tensor([[1]])), TESTS, seed))}
    if (kind, name) == ("games", "encoder"):
        lengths = [len(ids) for ids, _ in tests[: TESTS // 2]]
        return {
            "gap": score([gap_by_encoder(model, *t) for t in tests], tests),
            "legal": legal(write_by_encoder(model, lengths, seed)),
        }
    if (kind, name) == ("games", "decoder"):
        return {
            "gap": score([gap_by_decoder(model, *t) for t in tests], tests),
            "gap, each word tried": score([gap_by_trying(model, *t) for t in tests], tests),
            "legal": legal(write(model, TESTS, seed)),
        }
    if (kind, name) == ("translate", "encoder"):
        return {"mixed": mixed(model, translations(TESTS, seed=10**6))}
    return {}


def label_row(name: str, seed: int, steps: int = LABEL_STEPS) -> dict:
    """Learning within a text: right answers by how often a letter was seen before, along the training."""
    seed_everything(seed)
    began = time.perf_counter()
    n_layers, positions, worlds = LABELS[name]
    game, fresh = LabelGame(worlds=worlds), LabelGame()
    length = 2 * game.pairs - 1
    shape = SIZE | {"vocab_size": game.vocab_size, "context": length, "init_std": 0.3}
    model = GPT(GPTConfig(n_layers=n_layers, positions=positions, **shape))
    course = {}

    def measure(step: int, m: nn.Module, _: object) -> None:
        if (step + 1) % LABEL_EVERY == 0:
            m.eval()
            course[step + 1] = [label_score(m, g)[1] for g in (game, fresh)]
            m.train()

    train(
        model,
        lambda step: game.batch(BATCH, seed=(seed + 1) * 100_000 + step)[:2],
        TrainConfig(steps=steps, lr=RATE, min_lr=RATE, warmup=50, progress=False),
        callbacks=[measure],
    )
    model.eval()
    known, new = label_score(model, game), label_score(model, fresh)
    row = {"kind": "labels", "name": name, "seed": seed, "known": known, "new": new, "course": course}
    return row | {"seconds": round(time.perf_counter() - began)}


@torch.no_grad()
def label_score(model: GPT, game: LabelGame, n: int = 200) -> tuple[float, float]:
    """The share of right numbers: for letters not seen before in the text, and for those seen."""
    inputs, targets, seen = game.batch(n, seed=3)
    right = (model(inputs).argmax(-1) == targets)[:, ::2]
    first = right[seen == 0].double().mean().item()
    return round(first, 3), round(right[seen > 0].double().mean().item(), 3)


def baselines() -> dict:
    """What the worlds themselves say, and what can be had without understanding."""
    tests = gaps(TESTS)
    before, whole = zip(*(exact(*t) for t in tests), strict=True)
    pairs = translations(TESTS, seed=10**6)
    return {
        "gap, from the left": score(list(before), tests),
        "gap, from both sides": score(list(whole), tests),
        "word by word": round(sum(is_right(s, word_by_word(s)) for s, _ in pairs) / len(pairs), 3),
    }


def word_by_word(source: list[int]) -> list[int]:
    """Each English word's first Italian one, in the English order; all is masculine."""
    dictionary = {"the": "il"} | NOUNS | ADJECTIVES | VERBS
    return BOOK.vocabulary.encode([dictionary[BOOK.vocabulary.token(i)] for i in source])


def record() -> dict:
    """The record as it stands; an empty one if there is none, or if it was made with other settings."""
    settings = {"steps": STEPS, "batch": BATCH, "rate": RATE, "label_steps": LABEL_STEPS}
    return begin_record("three_families", [], **settings)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs=3, metavar=("KIND", "NAME", "SEED"))
    only = parser.parse_args().only
    seed_everything()
    wanted = [(*errand, seed) for seed in SEEDS for errand in ERRANDS]
    wanted += [("labels", name, seed) for seed in SEEDS for name in LABELS]
    if only:
        wanted = [(only[0], only[1], int(only[2]))]
    known = {(row["kind"], row["name"], row["seed"]) for row in record()["runs"]}
    for kind, name, seed in progress(wanted, what="rows"):
        if not only and (kind, name, seed) in known:
            continue
        row = label_row(name, seed) if kind == "labels" else errand_row(kind, name, seed)
        print(row, flush=True)
        if not only:
            grown = record()
            grown["runs"].append(row)
            keep_record("three_families", grown)
    if not only:
        keep_record("three_families", record() | {"baselines": baselines()})


if __name__ == "__main__":
    main()
