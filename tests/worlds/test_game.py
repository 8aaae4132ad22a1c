"""The calling game against its rules, against chance, and against a count of every possible game."""

import math
from collections import Counter

import pytest

from support.core import InputError
from support.worlds import CallingGame, World, entropy, loss_floor
from support.worlds.game import LEADERS, NUMBERS, PLAYERS, TITLES

GAME = CallingGame()
QUIET = {"one_interjection": 0.0, "two_interjections": 0.0}


def after(text: str) -> dict[str, float]:
    return GAME.distribution(f"<BOS> {text}".split())


def test_is_a_world_of_28_tokens():
    assert isinstance(GAME, World)
    assert len(GAME.vocabulary) == 28
    assert GAME.vocabulary.tokens[:3] == ["<PAD>", "<BOS>", "<EOS>"]
    assert [t for group in GAME.groups.values() for t in group] == GAME.vocabulary.tokens[3:]


@pytest.mark.parametrize(
    "text, greeting",
    [
        ("Pietro chiama Paolo", "Tarso"),
        ("Paolo chiama Pietro", "Cefa"),
        ("3 chiama Pietro", "capo"),
        ("3 chiama Paolo", "vice"),
        ("4 chiama Pietro capo Pietro chiama Paolo", "Tarso"),
    ],
)
def test_a_leader_is_greeted_as_a_peer_or_by_a_subordinate(text, greeting):
    assert after(text) == {greeting: 1.0}


def test_the_uncertain_page():
    options = after("Pietro chiama")
    assert {options[n] for n in NUMBERS} == {0.97 / 8.7}
    assert options["Paolo"] == pytest.approx(0.7 * options["3"])
    assert "Pietro" not in options


def test_who_was_called_speaks_next_and_who_was_not_loses():
    options = after("Pietro chiama 3")
    assert max(options, key=options.get) == "3"
    assert GAME.legal(["<BOS>", "Pietro", "chiama", "3"]) & set(PLAYERS) == {"3"}
    assert after("Pietro chiama 3 3") == {"chiama": 1.0}
    assert after("Pietro chiama 3 5") == {"perde": 1.0}
    assert after("Pietro chiama 3 5 perde") == {"<EOS>": 1.0}


def test_a_slip_ends_in_perde():
    assert after("Pietro chiama banana") == {"Pietro": 1.0}
    assert after("Pietro chiama banana Pietro") == {"perde": 1.0}
    assert "banana" not in GAME.legal(["<BOS>", "Pietro", "chiama"])


def test_legal_moves_are_possible_ones():
    for tokens in GAME.sample(50, seed=1):
        for i in range(1, len(tokens)):
            assert GAME.legal(tokens[:i]) <= set(GAME.distribution(tokens[:i]))


def test_log_prob_is_the_chain_of_the_distributions():
    for tokens in GAME.sample(100, seed=2):
        steps = GAME.distributions(tokens)
        assert steps == [GAME.distribution(tokens[:i]) for i in range(1, len(tokens))]
        assert all(math.fsum(d.values()) == pytest.approx(1) for d in steps)
        chain = sum(math.log(d[t]) for d, t in zip(steps, tokens[1:], strict=True))
        assert GAME.log_prob(tokens) == pytest.approx(chain)


def test_nothing_follows_the_end():
    game = ["<BOS>", "Pietro", "chiama", "3", "<EOS>"]
    assert math.isfinite(GAME.log_prob(game))
    assert GAME.log_prob([*game, "<EOS>"]) == GAME.log_prob([*game, "3", "<EOS>"]) == -math.inf


@pytest.mark.parametrize("knobs", [QUIET | {"max_turns": 2, "slip": 0.0}, {"max_turns": 1, "slip": 0.1}])
def test_all_games_of_a_few_turns_add_up_and_give_the_entropy(knobs):
    """Enumerates every game: an oracle that knows nothing of moments and visits."""
    small = CallingGame(**knobs)
    games: dict[tuple[str, ...], float] = {}
    open_games = {("<BOS>",): 1.0}
    while open_games:
        longer: dict[tuple[str, ...], float] = {}
        for tokens, probability in open_games.items():
            for token, p in small.distribution(tokens).items():
                (games if token == "<EOS>" else longer)[(*tokens, token)] = probability * p
        open_games = {tokens: p for tokens, p in longer.items() if p}
    assert math.fsum(games.values()) == pytest.approx(1)
    assert max(map(len, games)) <= small.max_length
    nats = -math.fsum(p * small.log_prob(g) for g, p in games.items())
    assert small.entropy == pytest.approx(nats / math.fsum(p * (len(g) - 1) for g, p in games.items()))


def test_draws_have_their_probabilities():
    games = GAME.sample(4000, seed=3)
    first = Counter(g[1] for g in games)
    assert abs(first["Pietro"] / len(games) - 0.5) < 4 * 0.5 / len(games) ** 0.5
    texts = Counter(map(tuple, games))
    for text, count in texts.most_common(5):
        p = math.exp(GAME.log_prob(text))
        assert abs(count - len(games) * p) < 4 * (len(games) * p) ** 0.5
    assert loss_floor(GAME, games) == pytest.approx(GAME.entropy, abs=0.02)
    assert 22 < sum(map(len, games)) / len(games) < 24


def test_the_same_seed_gives_the_same_games():
    assert GAME.sample(5, seed=4) == GAME.sample(5, seed=4) != GAME.sample(5, seed=5)


def test_the_knobs_turn():
    strict = CallingGame(**QUIET, slip=0.0, out_of_turn=0.0, stop=0.0, max_turns=3)
    for tokens in strict.sample(20, seed=0):
        assert tokens.count("chiama") == 3 and "perde" not in tokens
        assert set(tokens) <= {"<BOS>", "<EOS>", "chiama", *PLAYERS, *TITLES}
    assert not set(LEADERS) & {
        t for g in CallingGame(pietro_opens=0.0, leader_weight=1e-9).sample(50, seed=0) for t in g[3:4]
    }


@pytest.mark.parametrize("knobs", [{"slip": 1.0}, {"stop": -0.1}, {"leader_weight": 0.0}, {"max_turns": 0}])
def test_wrong_knobs_are_refused(knobs):
    with pytest.raises(InputError, match=next(iter(knobs))):
        CallingGame(**knobs)


def test_wrong_prefixes_are_refused_in_a_sentence():
    with pytest.raises(InputError, match="start the prefix"):
        GAME.distribution(["Pietro"])
    with pytest.raises(InputError, match="no game goes '<BOS> Pietro Pietro'"):
        GAME.distribution(["<BOS>", "Pietro", "Pietro", "chiama"])
    with pytest.raises(InputError, match="over"):
        GAME.distribution(["<BOS>", "Pietro", "chiama", "3", "<EOS>"])
    assert GAME.log_prob(["<BOS>", "Pietro", "chiama", "Pietro", "<EOS>"]) == -math.inf
    with pytest.raises(InputError, match="never says"):
        loss_floor(GAME, [["<BOS>", "banana", "<EOS>"]])
    with pytest.raises(InputError, match="no text"):
        loss_floor(GAME, [])


def test_entropy_of_a_fair_die():
    assert entropy({str(i): 1 / 6 for i in range(6)}) == pytest.approx(math.log(6))
