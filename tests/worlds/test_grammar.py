"""The forward pass over patterns, against a program that writes out every way to make every text."""

import math
from collections import Counter
from collections.abc import Iterator

import pytest

from support.core import InputError
from support.worlds import World
from support.worlds.grammar import PatternWorld, Recall

PETS = {
    "cat": {"": "cat", "said": "meowed", "it": "she"},
    "dog": {"": "dog", "said": "barked", "it": "he"},
    "hen": {"": "hen", "said": "clucked", "it": "she"},
}
SLOTS = {"pet": PETS, "other": PETS, "colour": {"red": {"": "red"}, "blue": {"": "blue"}}}
POOLS = {"scene": "it rained\nit rained|snowed again\nthe {colour} door"}
# Ambiguous on purpose: plots that begin alike, a scene that may be either of two, a sound before its maker.
PLOTS = {
    "one": (
        3,
        "@scene 0.5\n@scene 0.4\nthe {pet} saw|met the {other}\n/ the {pet} met {other}\n{pet.it} ran",
    ),
    "two": (
        1,
        "something {pet.said}\n/ the {pet} saw the {other}\n{pet.it} ran to the {colour} {pet}\n@scene",
    ),
}


def every_way(plots, slots, pools) -> Iterator[tuple[tuple[str, ...], float]]:
    """Every derivation with its probability, written out naively; shares nothing with the module."""

    def options(line: str) -> list[tuple[float, str]]:
        if not line.startswith("@"):
            alternatives = [a.strip() for a in line.split("\n/")]
            return [(1 / len(alternatives), a) for a in alternatives]
        name, probability = [*line[1:].split(), "1"][:2]
        pool = pools[name].split("\n")
        return [(float(probability) / len(pool), a) for a in pool] + [(1 - float(probability), "")]

    def say(items, chosen, rest):
        if not items:
            yield from tell(rest, chosen)
        elif "{" in items[0]:
            slot, _, form = items[0].strip("{}").partition(".")
            taken = {v for s, v in chosen.items() if s != slot and slots[s] is slots[slot]}
            values = [chosen[slot]] if slot in chosen else [v for v in slots[slot] if v not in taken]
            for value in values:
                for text, p in say(items[1:], chosen | {slot: value}, rest):
                    yield (slots[slot][value][form], *text), p / len(values)
        else:
            words = items[0].split("|")
            for word in words:
                for text, p in say(items[1:], chosen, rest):
                    yield (word, *text), p / len(words)

    def tell(lines, chosen):
        if not lines:
            yield (), 1.0
            return
        for probability, pattern in options(lines[0]):
            if probability:
                for text, p in say(pattern.split(), chosen, lines[1:]):
                    yield text, probability * p

    total = sum(weight for weight, _ in plots.values())
    for weight, plot in plots.values():
        lines = plot.replace("\n/", "\x00").split("\n")
        for text, p in tell([line.replace("\x00", "\n/") for line in lines], {}):
            yield ("<BOS>", *text, "<EOS>"), weight / total * p


@pytest.fixture(scope="module")
def world() -> PatternWorld:
    return PatternWorld(PLOTS, SLOTS, POOLS)


@pytest.fixture(scope="module")
def ways() -> list[tuple[tuple[str, ...], float]]:
    return list(every_way(PLOTS, SLOTS, POOLS))


@pytest.fixture(scope="module")
def texts(ways) -> Counter:
    sums: Counter = Counter()
    for text, p in ways:
        sums[text] += p
    return sums


def test_the_oracle_is_complete_and_the_world_is_ambiguous(ways, texts):
    assert math.fsum(texts.values()) == pytest.approx(1)
    assert len(ways) > len(texts) + 50


def test_a_text_has_the_probability_of_all_its_ways(world, texts):
    for text, p in list(texts.items())[::3]:
        assert world.log_prob(text) == pytest.approx(math.log(p), abs=1e-9)


def test_distributions_equal_the_enumeration_after_every_prefix(world, texts):
    for text in list(texts)[::40]:
        for i in range(1, len(text)):
            expected: Counter = Counter()
            for other, p in texts.items():
                if other[:i] == text[:i]:
                    expected[other[i]] += p
            total = sum(expected.values())
            assert world.distribution(text[:i]) == pytest.approx({t: p / total for t, p in expected.items()})


def test_draws_follow_the_probabilities(world, texts):
    n = 20_000
    counts = Counter(map(tuple, world.sample(n, seed=1)))
    assert set(counts) <= set(texts)
    for text, p in texts.most_common(20):
        assert abs(counts[text] - n * p) < 5 * math.sqrt(n * p)


def test_the_longest_text(world, texts):
    assert world.max_length == max(map(len, texts))


def test_the_vocabulary_is_what_can_be_said(world, texts):
    assert isinstance(world, World)
    assert world.vocabulary.tokens[:3] == ["<PAD>", "<BOS>", "<EOS>"]
    assert set(world.vocabulary) - {"<PAD>"} == {t for text in texts for t in text}


def test_annotations_name_what_can_be_known():
    plot = "the {pet} saw the {other}\nthen {pet.it} {pet.said} and the {pet} left the {other}"
    world = PatternWorld({"p": (1, plot)}, SLOTS, kinds={"pet.it": "pronoun", "other": "friend"})
    ((text, recalls),) = world.sample_annotated(1, seed=0)
    assert text == world.sample(1, seed=0)[0]
    animals = ("cat", "dog", "hen")
    assert recalls == [
        Recall(7, "pronoun", 5, ("she", "he")),
        Recall(8, "fact", 6, ("meowed", "barked", "clucked")),  # "she" does not settle who it is
        Recall(11, "pet", 3, animals),  # but the sound does
        Recall(14, "friend", 9, animals),
    ]


def test_a_form_that_does_not_settle_the_slot_is_no_source():
    world = PatternWorld({"p": (1, "{pet.it} came\nthe {pet} left")}, SLOTS)
    assert world.sample_annotated(1, seed=0)[0][1] == []


def test_impossible_texts(world):
    assert world.log_prob(["<BOS>", "it", "<EOS>"]) == -math.inf
    assert world.log_prob(["it", "rained"]) == -math.inf
    with pytest.raises(InputError, match="no text of this world begins '<BOS> it it'"):
        world.distribution(["<BOS>", "it", "it"])
    with pytest.raises(InputError, match="start the prefix"):
        world.distribution([])
    whole = world.sample(1, seed=0)[0]
    with pytest.raises(InputError, match="over"):
        world.distribution(whole)
    with pytest.raises(InputError, match="no text of this world begins"):
        world.distributions([*whole[:4], "<EOS>"])


@pytest.mark.parametrize(
    "line, missing", [("the {dragon}", "slot 'dragon'"), ("{pet.tail}", "'tail'"), ("@none", "pool 'none'")]
)
def test_wrong_patterns_are_refused(line, missing):
    with pytest.raises(InputError, match=missing):
        PatternWorld({"p": (1, line)}, SLOTS)
