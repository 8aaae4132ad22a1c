"""The story world: short tales whose heroes, things, colours, animals and pronouns persist, all our own.

Six plots share openings, scenery and endings. What a story fixes once (who, what, which colour, where) comes
back much later, so a reader who forgets cannot predict it. How the exact probabilities come about is told in
:mod:`support.worlds.grammar`.
"""

from functools import cached_property

from support.worlds.grammar import PatternWorld
from support.worlds.story_plots import PLOTS, POOLS


def _table(forms: str, rows: str) -> dict[str, dict[str, str]]:
    """One value a line: the word itself, then its forms in order."""
    names = ["", *forms.split()]
    return {row.split()[0]: dict(zip(names, row.split(), strict=True)) for row in rows.strip().splitlines()}


def _words(text: str) -> dict[str, dict[str, str]]:
    return {word: {"": word} for word in text.split()}


# No word that can follow "a" begins with a vowel, so that "an" is never needed.
GIRLS = ["freya", "hanna", "lucia", "mina", "nora", "rosa", "tilly", "wilma"]
BOYS = ["finn", "hugo", "jonas", "leo", "max", "pablo", "sam", "theo"]
PEOPLE = {name: {"": name, "kid": "girl", "he": "she", "his": "her", "him": "her"} for name in GIRLS} | {
    name: {"": name, "kid": "boy", "he": "he", "his": "his", "him": "him"} for name in BOYS
}
KIN = _table(
    "he his him",
    """
    mother she her her
    grandmother she her her
    sister she her her
    aunt she her her
    father he his him
    grandfather he his him
    brother he his him
    uncle he his him
    """,
)
ANIMALS = _table(
    "sound food home gait size",
    """
    bear growled honey cave stomped huge
    cat meowed milk cushion crept sleepy
    dog barked bones kennel raced loyal
    duck quacked bread pond paddled muddy
    fox yelped grapes den trotted sly
    frog croaked flies puddle hopped slippery
    goat bleated thistles shed climbed stubborn
    hedgehog snuffled worms thicket rolled prickly
    hen clucked corn coop strutted plump
    horse neighed hay stable galloped tall
    mouse squeaked cheese hole scurried tiny
    rabbit sniffed carrots burrow bounced timid
    sparrow chirped crumbs nest fluttered little
    squirrel chattered nuts hollow leapt quick
    turtle sighed lettuce shell crawled slow
    """,
)
THINGS = _table(
    "play of",
    """
    ball threw rubber
    bell rang brass
    blanket folded cotton
    boat sailed cork
    book read paper
    box shook cardboard
    drum beat leather
    hat wore straw
    kite flew silk
    lantern lit copper
    marble rolled clay
    mirror polished glass
    top spun maple
    wagon pulled timber
    whistle blew tin
    """,
)
COLOURS = _words("black blue brown golden green grey pink purple red turquoise white yellow")
PLACES = _table(
    "at ground",
    """
    beach on sand
    bridge on planks
    field in barley
    forest in moss
    garden in soil
    hill on heather
    lake by reeds
    meadow in grass
    mountain on gravel
    river by pebbles
    valley in mist
    """,
)
SPOTS = _table(
    "by",
    """
    bench under
    boulder behind
    bush under
    fence behind
    gate beside
    haystack behind
    log under
    statue behind
    well beside
    wheelbarrow under
    """,
)
SKIES = _table(
    "day did",
    """
    clouds cloudy gathered
    fog foggy thickened
    frost frosty glittered
    rain rainy fell
    snow snowy drifted
    sun sunny shone
    thunder stormy rumbled
    wind windy howled
    """,
)
JOBS = _table(
    "where tool did what",
    """
    baker bakery rolling-pin baked loaves
    beekeeper orchard smoker gathered honeycombs
    carpenter sawmill saw built chairs
    farmer farm plough planted turnips
    gardener greenhouse spade watered tomatoes
    miller mill millstone ground flour
    potter studio wheel shaped bowls
    sailor dock compass mended sails
    tailor workshop needle sewed shirts
    """,
)
CRAFTS = _table(
    "one here two there",
    """
    cake eggs henhouse sugar kitchen
    candle wax beehive string drawer
    crown daisies lawn ribbon market
    necklace shells shore thread attic
    pie apples treehouse butter dairy
    soup potatoes ditch salt pantry
    """,
)
TROUBLES = _table(
    "tool did what",
    """
    brambles hatchet trimmed branches
    cage hook lifted latch
    chimney brush swept soot
    net knife cut cords
    pit bucket removed stones
    """,
)
INSECTS = _table(
    "did",
    """
    bee hummed
    beetle marched
    butterfly danced
    cricket sang
    moth circled
    snail slid
    spider dangled
    """,
)
NOISES = _table(
    "did",
    """
    cowbell tinkled
    train whistled
    trumpet sounded
    woodpecker knocked
    """,
)

SLOTS = {
    "hero": PEOPLE,
    "friend": PEOPLE,
    "kin": KIN,
    "animal": ANIMALS,
    "rival": ANIMALS,
    "thing": THINGS,
    "colour": COLOURS,
    "place": PLACES,
    "spot": SPOTS,
    "sky": SKIES,
    "job": JOBS,
    "craft": CRAFTS,
    "trouble": TROUBLES,
    "insect": INSECTS,
    "noise": NOISES,
    "trait": _words("brave clever curious gentle kind lively patient polite quiet thoughtful"),
    "mood": _words("calm content glad grateful happy merry peaceful proud"),
    "sad": _words("gloomy lonely sad upset weary worried"),
    "flower": _words("bluebell daffodil lily marigold poppy rose tulip violet"),
    "tree": _words("chestnut elm linden oak pine rowan willow"),
    "bird": _words("geese gulls herons pigeons storks swallows"),
    "dish": _words("beans dumplings noodles pancakes porridge pudding stew"),
    "number": _words("four five six seven eight nine"),
    "day": _words("monday tuesday wednesday thursday friday saturday sunday"),
}

KINDS = {"thing": "object", "rival": "animal", "hero": "name", "friend": "name"} | {
    f"{who}.{form}": "pronoun" for who in ("hero", "friend", "kin") for form in ("he", "his", "him")
}


class StoryWorld(PatternWorld):
    """Stories of about a hundred words, drawn from six plots with persistent characters and things.

    The word sets and the plots are module constants; ``groups`` names the kinds of words.

    >>> world = StoryWorld()
    >>> story = world.sample(1, seed=0)[0]
    >>> story[0], story[-1], 60 < len(story) < 160
    ('<BOS>', '<EOS>', True)
    >>> world.distribution("<BOS> mina was a kind girl who lived near the lake . mina had no".split())
    {'friends': 1.0}
    """

    def __init__(self) -> None:
        super().__init__(PLOTS, SLOTS, POOLS, KINDS)

    @cached_property
    def groups(self) -> dict[str, list[str]]:
        """The kinds of words, each with its members in alphabetical order of the tables."""
        kinds = dict(super().groups)
        people = kinds.pop("hero")
        sounds = [forms["sound"] for forms in ANIMALS.values()]
        gaits = [forms["gait"] for forms in ANIMALS.values()]
        foods = [forms["food"] for forms in ANIMALS.values()]
        return {"names": people, "sounds": sounds, "gaits": gaits, "foods": foods} | kinds


def readable(tokens: list[str]) -> str:
    """A story as a page shows it: punctuation joined, sentences and names capitalised.

    >>> readable("<BOS> once there was mina . mina said , \\" thank you . \\" <EOS>".split())
    'Once there was Mina. Mina said, “Thank you.”'
    """
    text, start, quoted = "", True, False
    for token in tokens:
        if token.startswith("<"):
            continue
        if token == '"':
            quoted = not quoted
            # A full stop inside the quotes ended a sentence; a question may still have its "asked Mina".
            start = quoted or text.endswith(".")
            text += (" " if quoted and text else "") + ("“" if quoted else "”")
            continue
        word = token.capitalize() if start or token in PEOPLE or token == "i" else token
        glued = not text or text.endswith("“") or token in ".,!?"
        text += word if glued else " " + word
        start = token in ".!?" and not quoted
    return text
