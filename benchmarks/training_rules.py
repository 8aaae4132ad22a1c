"""Which rule of the calling game is learned when: the run of training_log.py, measured rule by rule.

    python benchmarks/training_rules.py

Writes support/zoo/records/training_rules.json. The calling game's model, 400 steps of 32 games, three seeds;
two minutes. Every five steps: for each of four rules the excess loss on 100 fresh games, the model's mean
surprisal less that of the game itself.
"""

from recording import begin_record, keep_record
from training_log import FRESH, GAMES, SEED, SETTINGS, WORLD, measured_at

from support.zoo.recipes.calling_game import RULES, excess_by_rule

STEPS, SEEDS = list(range(0, SETTINGS.steps + 1, 5)), [0, 1, 2]


def main() -> None:
    texts, fresh = WORLD.sample(GAMES, seed=1000 + SEED), WORLD.sample(FRESH, seed=999)[:100]
    record = begin_record("training_rules", [], steps=STEPS, seeds=SEEDS)
    for seed in SEEDS[len(record["runs"]) :]:
        rows = measured_at(
            STEPS, texts, fresh, lambda _step, model, games: excess_by_rule(model, games), seed
        )
        record["runs"].append({name: [round(row[name], 4) for row in rows] for name in RULES})
        keep_record("training_rules", record, indent=None)


if __name__ == "__main__":
    main()
