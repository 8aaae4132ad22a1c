"""Which part of the game's model carries which rule, over seven seeds; what is left without attention.

    python benchmarks/two_rules.py [--runs FOLDER]

Writes support/zoo/records/two_rules.json, and goes on from it if it is there (delete it to start afresh).
Trains the zoo's recipe with seven seeds, then three networks without attention: about 30 CPU-minutes. With
`--runs`, checkpoints that are there already (FOLDER/0/last.safetensors, …) are used and not made again.
"""

import argparse
import itertools
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch.nn.functional as F
from recording import begin_record, keep_record
from torch import Tensor

from support import zoo
from support.core import seed_everything
from support.inside import ablate, activation_patching, direct_logit_attribution, logit_lens, trace
from support.inside.attention_free import AttentionFreeBaseline
from support.inside.rule_evaluation import RuleEvaluation
from support.model import GPT
from support.training import SequenceBatches, evaluate_loss, train
from support.worlds.last_word import LastWord
from support.zoo.build import trained

SEEDS, ALONE_SEEDS, EACH = range(7), range(3), 40
ALONE_STEPS = 1500  # a table of (place, word) is soon learned
TURNS = "<BOS> 3 chiama Paolo vice Paolo chiama 4 4 chiama"
SAID, OTHER = "<BOS> Pietro chiama Paolo", "<BOS> 5 chiama Paolo"


def rounded(values: Any, digits: int = 4) -> Any:
    """The same, to a few digits; None where there is no number."""
    if isinstance(values, Tensor):
        return rounded(values.tolist(), digits)
    if isinstance(values, dict):
        return {key: rounded(value, digits) for key, value in values.items()}
    if isinstance(values, list):
        return [rounded(value, digits) for value in values]
    return None if values != values else round(values, digits)


def measured(model: GPT, evaluation: RuleEvaluation, fresh: RuleEvaluation) -> dict[str, Any]:
    """One model's record; ``fresh`` is a second evaluation, by which the first one's findings are checked."""

    def with_cut(evaluation: RuleEvaluation = evaluation, **parts: Any) -> dict[str, dict[str, float]]:
        found = {}
        for by in ("zero", "mean"):
            with ablate(model, **parts, by=by, reference=evaluation.ids):
                found[by] = rounded(evaluation.by_case(evaluation.right_probability(model)))
        return found

    layers, heads = range(model.config.n_layers), range(model.config.n_heads)
    weights = evaluation.deciding_attention(model)
    whole, again = (rounded(one.by_case(one.right_probability(model))) for one in (evaluation, fresh))
    record: dict[str, Any] = {"whole": whole, "again": again, "heads": [], "blocks": []}
    for layer, head in itertools.product(layers, heads):
        seen = {"layer": layer, "head": head, "looks": rounded(evaluation.by_case(weights[layer, head]))}
        cut = with_cut(heads=[(layer, head)])
        record["heads"].append(seen | cut | {"again": with_cut(fresh, heads=[(layer, head)])})
    for part, cut in itertools.product(("attention", "feed_forward"), ([0], [1], [0, 1])):
        record["blocks"].append({"part": part, "layers": cut} | with_cut(**{part: cut}))
    record |= {"prompt": journey(model), "patterns": patterns(model)}
    return record | {"spares": spares(model, evaluation, record)}


def spares(model: GPT, evaluation: RuleEvaluation, record: dict[str, Any]) -> dict[str, Any]:
    """The head with the most attention whose ablation costs nothing; is another one its spare?

    For each other head: the accuracy when both are ablated, to be compared with that of the other alone.
    """

    def cost(one: dict[str, Any], case: str) -> float:
        return max(record["whole"][case] - one[by][case] for by in ("zero", "mean"))

    found = [
        (one, case, weight) for one in record["heads"] for case, weight in one["looks"].items() if weight
    ]
    head, case, _ = max((x for x in found if cost(x[0], x[1]) < 0.01), key=lambda x: x[2])
    mine = (head["layer"], head["head"])
    both = []
    for other in record["heads"]:
        if (other["layer"], other["head"]) != mine:
            pair = {"layer": other["layer"], "head": other["head"]}
            for by in ("zero", "mean"):
                cut = [mine, (other["layer"], other["head"])]
                with ablate(model, heads=cut, by=by, reference=evaluation.ids):
                    pair[by] = rounded(evaluation.by_case(evaluation.right_probability(model))[case])
            both.append(pair)
    return {"layer": mine[0], "head": mine[1], "case": case, "both": both}


def patterns(model: GPT) -> list:
    """The attention patterns of every head over a few turns: [layer][head][query][key]."""
    ids = zoo.recipe("calling-game").world().vocabulary.encode(TURNS)
    return rounded(trace(model, ids).patterns[:, 0], 2)


def journey(model: GPT) -> dict[str, Any]:
    """One prompt in every stage: its way towards *Tarso*, the lens, the shares, and what one word carries."""
    vocabulary = zoo.recipe("calling-game").world().vocabulary
    tarso, vice = vocabulary.id("Tarso"), vocabulary.id("vice")
    said, other = vocabulary.encode(SAID), vocabulary.encode(OTHER)
    seen = trace(model, said)
    axis = F.normalize(model.embedding.weight[tarso], dim=0)
    shares = direct_logit_attribution(model, said, token=tarso, against=vice)

    def apart(logits: Tensor) -> Tensor:
        return logits[0, -1, tarso] - logits[0, -1, vice]

    heads_z = [f"blocks.{i}.attention.z" for i in range(model.config.n_layers)]
    return rounded(
        {
            "towards Tarso": seen.streams[:, 0, -1] @ axis,
            "lens": logit_lens(model, seen)[:, 0, -1].softmax(dim=-1)[:, tarso],
            "shares": {name: share.item() for name, share in shares.parts().items()},
            "heads' shares": shares.heads[:, 0],
            "heads restore": activation_patching(model, said, other, apart, heads_z, each="head"),
        }
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=Path, help="a folder of checkpoints, one folder a seed")
    parser.add_argument("--seeds", type=int, nargs="*", default=list(SEEDS), help="only these models")
    parser.add_argument("--alone", type=int, nargs="*", default=list(ALONE_SEEDS), help="only these networks")
    arguments = parser.parse_args()
    runs = arguments.runs or Path(tempfile.mkdtemp())
    recipe = zoo.recipe("calling-game")
    world = recipe.world()
    seed_everything()
    evaluation, fresh, known = (
        RuleEvaluation.of(world, EACH),
        RuleEvaluation.of(world, EACH, seed=24),
        LastWord.of(world),
    )
    record = begin_record("two_rules", [], each=EACH, turns=TURNS)
    for seed in sorted(set(arguments.seeds) - {run["seed"] for run in record["runs"]}):
        model = trained(recipe, world.vocabulary, recipe.texts(seed), seed, runs / str(seed))
        record["runs"].append({"seed": seed, **measured(model, evaluation, fresh)})
        keep_record("two_rules", record, indent=None)
        print(seed, record["runs"][-1]["whole"], flush=True)
    held_out = [world.vocabulary.encode(text) for text in recipe.held_out()]
    record.setdefault("alone", [])
    for seed in sorted(set(arguments.alone) - {run["seed"] for run in record["alone"]}):
        seed_everything(seed)
        model = AttentionFreeBaseline(GPT(recipe.config(world.vocabulary)))
        texts = [world.vocabulary.encode(text) for text in recipe.texts(seed)]
        settings = replace(recipe.training, steps=ALONE_STEPS, seed=seed, precision="float32", progress=False)
        train(model, SequenceBatches(texts, recipe.batch_size, seed=seed), settings)
        accuracies = rounded(evaluation.by_case(evaluation.right_probability(model.eval())))
        record["alone"].append(
            {"seed": seed, "loss": round(evaluate_loss(model, held_out), 4), "marks": accuracies}
        )
        keep_record("two_rules", record, indent=None)
        print("alone", record["alone"][-1], flush=True)
    print("limits", round(known.loss, 4), round(known.unplaced, 4), round(world.entropy, 4))


if __name__ == "__main__":
    main()
