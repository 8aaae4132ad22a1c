"""The figure BPE on its page: the same tokens as `support.text` for any text, and text that stays text."""

import random
import unicodedata
from urllib.parse import quote, unquote

import pytest
from test_live import READ, same

from support.view.live import find
from support.worlds import StoryWorld

PAGE = "book/playground.html"
WHERE = "live-figure:has(.live-of-merges)"
ALL = """(e, cases) => {
  const [text, merges] = ['.live-of-text input', '.live-of-merges input'].map(k => e.querySelector(k));
  return cases.map(([words, count]) => {
    text.value = words;
    merges.value = count;
    merges.dispatchEvent(new Event('input', {bubbles: true}));
    return [e.state.text, e.state.pieces, e.state.tokens, e.querySelector('.live-says').textContent];
  });
}"""
ODD = [
    "",
    " ",
    "  the  kind   girl ",
    "\t\x0b\x0c a\x1c\x1db\x85c\xa0\u2003d\u2028e\u3000f\ufeffg\u200bh\u180e",
    "It's we'll I'VE they're 'tis o'clock ''s",
    "naïve Straße ÅÅ e\u0301 ﬁ İi ſ K",
    "日本語 中文 한국어 עברית العربية हिन्दी ไทย ελληνικά",
    "١٢٣ ½ x² Ⅷ 12 345,67 a1b2 ৩",
    "🙂👩\u200d👩\u200d👧🏽🇮🇹 🙂🙂 the🙂the",
    "𝒜𝓫 𐍈 \U0010ffff\ue000",
    "<img src=x onerror=alert(1)> &lt; <EOS> </script>",
    "the" * 60,
    " " * 90,
    "$+<=>^`|~ ¡¿ «» … — “”",
]


def cases():
    """Odd texts, texts of the world, and signs drawn from everywhere, with merges from none to all."""
    dice = random.Random(5)
    texts = ODD + [" ".join(story[1:30])[:200] for story in StoryWorld().sample(30, seed=77)]
    blocks = [(32, 127), (160, 591), (880, 1400), (1424, 1800), (8192, 8500), (0x4E00, 0x4F00)]
    blocks.append((0x1F300, 0x1F64F))
    for _ in range(70):
        signs = [chr(dice.randint(*dice.choice(blocks))) for _ in range(dice.randint(1, 40))]
        # What one edition of Unicode has not yet, another may call a letter.
        texts.append("".join(sign for sign in signs if unicodedata.category(sign) != "Cn"))
    counts = (0, 1, 13, 150, 399, 400)
    return [(text, count) for i, text in enumerate(texts) for count in (counts[i % 6], counts[(i + 3) % 6])]


@pytest.mark.parametrize("way", ["file", "http"])
def test_every_text_has_the_tokens_of_the_package(open_page, way):
    tab, elsewhere, complaints = open_page(way, PAGE)
    figure = find("bpe")
    tried = cases() if way == "file" else cases()[:20]
    for (text, count), got in zip(tried, tab.locator(WHERE).evaluate(ALL, tried), strict=True):
        want = figure.state(figure.values(text=text, merges=count))
        assert got[0] == text and got[3] == want["finding"]
        assert got[1] == want["pieces"], text
        assert same(got[2], want["tokens"]), (text, count)
    assert elsewhere == [] and complaints == []


def test_what_is_typed_stays_text_also_from_the_address(open_page):
    attack = "<img src=x onerror=alert(1)>"
    tab, elsewhere, complaints = open_page("file", f"{PAGE}#live=bpe&merges=0&text={quote(attack)}")
    tab.on("dialog", lambda d: complaints.append(d.message))
    element = tab.locator(WHERE)
    assert element.locator(".live-of-text input").input_value() == attack
    assert element.locator(".live-token").count() == len(attack)
    field = element.locator(".live-of-text input")
    field.fill("")
    field.press_sequentially(f"{attack}<script>alert(1)</script>")
    tab.wait_for_function("() => decodeURIComponent(location.hash).includes('<script>')")  # there, too
    assert "onerror" in unquote(tab.url)
    assert element.locator(".live-panel :is(img, script)").count() == 0
    assert elsewhere == [] and complaints == []


def test_half_a_character_and_too_long_a_text_are_mended(open_page):
    tab, _, complaints = open_page("file", PAGE)
    script = """e => ['a\\ud83d b', '🙂'.repeat(150) + 'x'.repeat(150)].map(text => {
      const input = e.querySelector('.live-of-text input');
      input.value = text;
      input.dispatchEvent(new Event('input', {bubbles: true}));
      return e.state.text;
    })"""
    half, long = tab.locator(WHERE).evaluate(script)
    assert half == "a\ufffd b" and long == "🙂" * 150 + "x" * 50
    assert complaints == []


def test_the_slider_joins_letters(open_page):
    tab, _, _ = open_page("file", f"{PAGE}#live=bpe&text=squirrel&merges=0")
    element = tab.locator(WHERE)
    assert element.evaluate(READ)["cells"][0][:3] == ["1", "s", "82"]
    lengths = [
        len(tokens)
        for _, _, tokens, _ in element.evaluate(ALL, [[" squirrel", n] for n in range(0, 401, 10)])
    ]
    assert lengths[0] == 9 and lengths[-1] == 1 and lengths == sorted(lengths, reverse=True)
