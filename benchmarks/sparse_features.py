"""Does a sparse autoencoder of the story model's stream have a feature for what kind of word must come next?

    python benchmarks/sparse_features.py

Writes support/zoo/records/sparse_features.json: three seeds, about two CPU-minutes.
"""

from typing import Any

import torch
from recording import begin_record, keep_record
from torch import Tensor

from support import zoo
from support.core import seed_everything
from support.inside import SparseAutoencoder, run_with_cache, run_with_hooks, train_sparse_autoencoder
from support.model import GPT
from support.training import inputs_and_targets

PLACE, HIDDEN = "residual.4", "blocks.1.feed_forward.activations"  # before the head that fetches (layer 2)
KINDS = ("name", "object", "colour", "kin", "animal", "pronoun")
STORIES, TRAINING, FEATURES, SPARSITY, STEPS = 210, 150, 384, 0.1, 800


def precision(units: Tensor, wanted: Tensor) -> Tensor:
    """Average precision of each unit, sorted by its activation, as a detector of the wanted samples."""
    hit = wanted[units.argsort(dim=0, descending=True)].float()
    ranks = torch.arange(1, len(hit) + 1)[:, None]
    return (hit.cumsum(0) / ranks * hit).sum(0) / wanted.sum()


def best_unit(units: Tensor, wanted: Tensor, learn: Tensor) -> tuple[int, float]:
    """The unit (and sign) that detects best in the training stories, and its precision in the others."""
    signed = torch.cat([units, -units], dim=1)
    unit = int(precision(signed[learn], wanted[learn]).argmax())
    return unit, round(precision(signed[~learn][:, [unit]], wanted[~learn]).item(), 4)


def main() -> None:
    seed_everything()
    tale = zoo.load("stories")
    model, told = tale.model, tale.world.sample_annotated(STORIES, seed=21)
    ids, _ = inputs_and_targets([tale.vocabulary.encode(tokens)[:192] for tokens, _ in told])
    _, cache = run_with_cache(model, ids, [PLACE, HIDDEN])
    asked = torch.full(ids.shape, -1)
    for row, (tokens, recalls) in zip(asked, told, strict=True):
        for r in recalls:
            if r.kind in KINDS and r.position < min(len(tokens), 192):
                row[r.position - 1] = KINDS.index(r.kind)
    real = ids != 0
    learn = (torch.arange(len(ids))[:, None] < TRAINING).expand_as(ids)[real]
    stream, hidden, kind = cache[PLACE][real], cache[HIDDEN][real], asked[real]
    random = stream @ torch.randn(stream.shape[1], FEATURES, generator=torch.Generator().manual_seed(0))
    record = begin_record("sparse_features", [], place=PLACE, stories=STORIES, features=FEATURES)
    record["units"] = {
        name: {k: best_unit(units, kind == i, learn)[1] for i, k in enumerate(KINDS)}
        for name, units in (("stream", stream), ("hidden units", hidden), ("random directions", random))
    }
    record["share"] = {k: round((kind[~learn] == i).double().mean().item(), 4) for i, k in enumerate(KINDS)}
    for seed in range(3):
        found = train_sparse_autoencoder(
            stream[learn], FEATURES, sparsity=SPARSITY, steps=STEPS, batch_size=512, seed=seed
        )
        code = found(stream)
        left = (code.rebuilt - stream)[~learn].square().sum()
        whole = (stream[~learn] - stream[learn].mean(0)).square().sum()
        run: dict[str, Any] = {
            "seed": seed,
            "explained": round(1 - (left / whole).item(), 4),
            "active": round((code.features[~learn] > 0).double().sum(1).mean().item(), 2),
            "dead": int((code.features.amax(0) == 0).sum()),
            "kinds": {},
        }
        for i, k in enumerate(KINDS):
            unit, score = best_unit(code.features, kind == i, learn)
            run["kinds"][k] = {"feature": unit % FEATURES, "precision": score} | cut(
                model, ids[TRAINING:], asked[TRAINING:] == i, found, unit % FEATURES
            )
        record["runs"].append(run)
        keep_record("sparse_features", record)
        print(run, flush=True)


def cut(model: GPT, ids: Tensor, where: Tensor, found: SparseAutoencoder, feature: int) -> dict[str, Any]:
    """Log-odds of the right word where a kind is asked for: whole, and without what one feature adds.

    For comparison, the three other features that are most active there are removed, one at a time.
    """
    where = where.clone()
    where[:, -1] = False  # its answer is outside the row
    story, place = where.nonzero(as_tuple=True)

    def without(one: int) -> Tensor:
        def edit(stream: Tensor) -> Tensor:
            active = found.encode(stream)[..., one : one + 1]
            return stream - active * found.decoder[one] * where[..., None]

        return run_with_hooks(model, ids, {PLACE: edit})

    def odds(logits: Tensor) -> float:
        right = ids[story, place + 1][:, None]
        at = logits[story, place].double()
        own = at.gather(1, right)[:, 0]
        return round((own - at.scatter(1, right, -torch.inf).logsumexp(1)).mean().item(), 3)

    with torch.no_grad():
        logits, cache = run_with_cache(model, ids, [PLACE])
        active = found.encode(cache[PLACE][story, place]).mean(0)
        others = [int(i) for i in active.argsort(descending=True) if int(i) != feature][:3]
        return {
            "asked": len(story),
            "whole": odds(logits),
            "cut": odds(without(feature)),
            "others cut": [odds(without(one)) for one in others],
        }


if __name__ == "__main__":
    main()
