"""The records behind the study of preferences: complete, cheap parts made anew, claims kept."""

import pytest

from support import zoo


@pytest.fixture(scope="module")
def preferences():
    return zoo.record("preferences")


def values(record, method, key="regret"):
    return [run[key] for run in record["runs"] if run["method"] == method]


def test_the_exact_parts_are_made_anew(script, preferences):
    study = script("preferences")
    assert study.record() == preferences
    assert study.standing(study.LOG_REFERENCE) == pytest.approx(
        {k: v for k, v in preferences["reference"].items() if k != "old"}, abs=2e-4
    )
    goals = study.predicted()
    for name in ("k3 in the loss", "IPO", "best of 4, imitated"):
        assert study.standing(goals[name]) == pytest.approx(preferences["predicted"][name], abs=2e-4)


def test_every_method_has_its_seeds(script, preferences):
    study = script("preferences")
    found = {(run["method"], run["seed"]) for run in preferences["runs"]}
    assert found == set(study.RUNS) == {(method, seed) for method in study.METHODS for seed in (0, 1, 2)}


def test_what_the_study_says_of_the_methods(preferences):
    for method in ("REINFORCE", "group baseline, k1 in the reward", "k2 in the loss"):
        assert max(values(preferences, method)) < 0.03
    assert max(values(preferences, "PPO")) < 0.1
    assert min(values(preferences, "DPO")) > 0.03
    assert min(values(preferences, "DPO, 1,000 pairs")) > max(values(preferences, "DPO"))
    assert min(values(preferences, "DPO, labels without noise")) > max(values(preferences, "DPO"))


def test_the_estimators_lead_where_they_should(preferences):
    """k3 in the loss to the optimum of the other divergence, k1 in the loss nowhere."""
    goal = preferences["predicted"]["k3 in the loss"]["regret"]
    for regret, away in zip(
        values(preferences, "k3 in the loss"),
        values(preferences, "k3 in the loss", "from_predicted"),
        strict=True,
    ):
        assert regret == pytest.approx(goal, abs=0.05) and away < 0.02 < regret
    assert min(values(preferences, "k1 in the loss", "kl")) > 4  # 26, 24 and 4.5 nats, of 0.51 at the optimum
    assert min(values(preferences, "k1 in the loss")) > 3
    assert min(values(preferences, "k2 in the reward")) > 0.1
    assert min(values(preferences, "k3 in the reward")) > 0.5


def test_on_fixed_pairs_the_loss_falls_while_the_regret_rises(preferences):
    for run in preferences["runs"]:
        if run["method"] == "DPO, 1,000 pairs":
            first, last = run["curve"][0], run["curve"][-1]
            best = min(run["curve"], key=lambda point: point["regret"])
            assert last["loss"] < first["loss"] and best["step"] < last["step"]
            assert last["regret"] > best["regret"] + 0.02


def test_a_few_steps_are_made_anew(script):
    study = script("preferences")
    trained, more = study.policy("DPO", 0, steps=5)
    assert study.standing(study.table(trained))["regret"] < 0.7207 and more["samples"] == 640


def test_goodhart(script):
    study, record = script("goodhart"), zoo.record("goodhart")
    assert study.record() == record and study.frontier()["best_of_n"] == record["best_of_n"]
    assert {(run["pairs"], run["seed"]) for run in record["runs"]} == {
        (n, s) for n in study.SIZES for s in study.SEEDS
    }
    for run in record["runs"]:
        kls, proxies = ([point[key] for point in run["curve"]] for key in ("kl", "proxy"))
        assert kls == sorted(kls) and proxies == sorted(proxies)
        for point in run["curve"]:
            above = [best["true"] for best in record["frontier"] if best["kl"] >= point["kl"]]
            assert point["true"] < (above[0] if above else 2.0) + 1e-6

    def runs(n):
        return sorted((run for run in record["runs"] if run["pairs"] == n), key=lambda run: run["seed"])

    for few, many in zip(runs(100), runs(1000), strict=True):
        assert few["pairs"] < many["pairs"] and few["correlation"] < many["correlation"]
        assert max(p["true"] for p in few["curve"]) < max(p["true"] for p in many["curve"])
    for point in record["best_of_n"]:
        assert point["kl"] <= point["bound"] + 1e-9
