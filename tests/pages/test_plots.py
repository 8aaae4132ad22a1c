"""Plots: real letters, colours of the theme, a file for both themes (how they look: `test_pages.py`)."""

import base64
import html
import io
import itertools
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import column
import lean_pages
import lettering
import matplotlib
import numpy as np
import plots
import pytest
import stacking
from cell_ink import inked
from fontTools.ttLib import TTFont
from PIL import Image, ImageFont

from support.view import (
    plot_bars,
    plot_dots,
    plot_heatmap,
    plot_lines,
    plot_map,
    plot_points,
    plot_words,
    style,
)
from support.view.figure import fit, legend_above
from support.view.image_files import svg

ROOT = Path(__file__).resolve().parents[2]
# Pairs of texts of a drawing that cover one another. (The box of a slanting text says nothing; that of others
# is as high as a line, which differs between faces: here it is as high as the letters.)
COVERED = """async (drawing) => {
  const drawn = new DOMParser().parseFromString(drawing, 'image/svg+xml');
  document.body.replaceChildren(document.importNode(drawn.documentElement, true));
  await document.fonts.ready;
  const letters = (text) => {
    const box = text.getBoundingClientRect(), {a, b} = text.getScreenCTM();
    const upright = Math.abs(b) > Math.abs(a);
    const high = 1.16 * Math.hypot(a, b) * parseFloat(getComputedStyle(text).fontSize);
    const cut = Math.max(0, ((upright ? box.width : box.height) - high) / 2);
    return new DOMRect(box.x + cut * upright, box.y + cut * !upright,
      box.width - 2 * cut * upright, box.height - 2 * cut * !upright);
  };
  const texts = [...document.querySelectorAll('text')].filter((text) => {
    const {a, b} = text.getScreenCTM(), angle = Math.abs(Math.atan2(b, a));
    return text.textContent.trim() && (angle < 0.1 || Math.abs(angle - Math.PI / 2) < 0.1);
  }).map((text) => [text.textContent, letters(text)]);
  return texts.flatMap(([one, p], i) => texts.slice(i + 1).filter(([, q]) =>
    Math.min(p.right, q.right) - Math.max(p.left, q.left) > 1.5
    && Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 0.35 * Math.min(p.height, q.height)
  ).map(([other]) => `${one} / ${other}`));
}"""


def luminance(code):
    parts = np.array([int(code[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def letters_on_areas(drawn):
    """``(word, its colour, the area's colour)`` of each text whose middle stands on a coloured rectangle."""
    areas, number = [], r"(-?[\d.]+)"
    for part in ElementTree.fromstring(drawn).iter():
        css = part.get("style", "")
        fill = re.search(r"fill: (#[0-9a-f]{6})", css)
        if (
            part.tag.endswith("}path")
            and fill
            and len(ends := re.findall(rf"[ML] {number} {number}", part.get("d"))) == 4
        ):
            xs, ys = np.array(ends, dtype=float).T
            areas.append((xs.min(), xs.max(), ys.min(), ys.max(), fill[1]))
        if part.tag.endswith("}text") and part.get("x") and "anchor: middle" in css:
            x, y = float(part.get("x")), float(part.get("y")) - 4
            below = [area for area in areas if area[0] <= x <= area[1] and area[2] <= y <= area[3]]
            if below and below[-1][4] != "#ffffff":  # the card, or a picture of squares on it
                yield part.text, fill[1] if fill else "#000000", below[-1][4]


def test_letters_on_an_area_stand_out_in_both_themes():
    seen, weak = set(), []
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf8"))["cells"]:
            for output in cell.get("outputs", []):
                drawn = "".join(output.get("data", {}).get("image/svg+xml", ""))
                if not drawn.startswith('<svg class="plot"'):
                    continue
                for word, ink, area in letters_on_areas(drawn):
                    seen.add(area)
                    if min(contrast(ink, area), contrast(plots.dark(ink), plots.dark(area))) < 4.5:
                        weak.append((path.name, cell["id"], word, ink, area))
    assert weak == [] and {style.PALE.lower(), style.tint("sky").lower()} <= seen


def test_areas_with_words_on_them_can_be_told_from_the_dark_ground():
    for area, least in ((style.PALE, 2), (style.tint("sky"), 2.9), (style.tint("orange"), 2.9)):
        shade = plots.dark(area.lower())
        assert contrast(shade, plots.GROUND[1]) > least, area
        assert contrast(shade, style.DARK["black"]) >= 4.5, "pale letters read well on it"


def test_words_on_shades_of_any_strength_stand_out_in_both_themes():
    fig = plot_words([f"w{k}" for k in range(101)], {"head 0": np.linspace(0, 1, 101)}, notable=2.0)
    fit(fig)
    drawn = plots.themed(svg(fig))
    rules = re.search(r"svg\{(.*?)\}svg:target\{(.*?)\}", drawn)
    root = ElementTree.fromstring(drawn)
    variables = [dict(re.findall(r"(--\w+):(#\w+)", part)) for part in rules.groups()]
    fill = [re.search(r"fill: var\((--c\d+)\)", part.get("style", "")) for part in root.iter()]
    grounds = [f[1] for f, part in zip(fill, root.iter(), strict=True) if f and part.tag.endswith("}path")]
    inks = [
        f[1] for f, part in zip(fill, root.iter(), strict=True) if f and (part.text or "").startswith("w")
    ]
    assert len(inks) == 101
    for theme in variables:
        pairs = zip(inks, grounds[-101:], strict=True)
        assert min(contrast(theme[ink], theme[ground]) for ink, ground in pairs) >= 4.5


def test_the_dark_file_has_no_card(browser, tmp_path):
    fig = plot_lines([1, 2], {"a": [1, 3]}, "x", "y")
    fit(fig)
    (tmp_path / "a.svg").write_text(plots.themed(svg(fig)), encoding="utf8")
    tab = browser.new_page()
    try:
        for mark, text in (("", style.COLOURS["black"]), ("#dark", style.DARK["black"])):
            tab.goto((tmp_path / "a.svg").as_uri() + mark)
            card, letters = tab.evaluate(
                "() => ['#patch_1 path', 'text'].map(s => getComputedStyle(document.querySelector(s)).fill)"
            )
            assert card == "none"
            assert letters == f"rgb({', '.join(str(int(text[i : i + 2], 16)) for i in (1, 3, 5))})"
    finally:
        tab.close()


def test_words_are_set_in_the_pages_face_and_take_no_more_room_than_they_had(browser, tmp_path):
    """matplotlib placed them in DejaVu Sans; what the page's face has not, ∞ or √, is still set in that."""
    fig = plot_lines([1, 2], {"the loss of each step, nats": [1, 3], "0123456789": [2, 1]}, "x, in √∞", "y")
    fit(fig)
    (tmp_path / "a.svg").write_text(plots.themed(svg(fig)), encoding="utf8")
    tab = browser.new_page()
    try:
        tab.goto((tmp_path / "a.svg").as_uri())
        shown = """async () => {
          await document.fonts.ready;
          return [[...document.fonts].map(face => [face.family, face.status]),
            [...document.querySelectorAll('text')].map(t => [t.textContent, t.getComputedTextLength(),
              parseFloat(getComputedStyle(t).fontSize), getComputedStyle(t).fontFamily])];
        }"""
        loaded, words = tab.evaluate(shown)
    finally:
        tab.close()
    assert loaded == [["Page", "loaded"]] and len(words) > 8
    assert {family.split(",")[0] for *_, family in words} == {"Page"}
    font = ImageFont.truetype(f"{matplotlib.get_data_path()}/fonts/ttf/DejaVuSans.ttf", 100)
    ratios = {word: length / (size * font.getlength(word) / 100) for word, length, size, _ in words}
    assert max(ratios.values()) < 1.05
    assert all(0.8 < ratios[word] < 0.97 for word in ("the loss of each step, nats", "0123456789"))


def test_every_colour_of_the_palette_has_its_partner():
    named = {"blue": "stream", "vermilion": "attention", "green": "ffn", "purple": "value", "black": "ink"}
    for name, role in named.items():
        assert style.DARK[name] == style.ROLES[role][1]
    codes = [plots.dark(code.lower()) for code in style.COLOURS.values()]
    assert codes == list(style.DARK.values()) and len(set(codes)) == len(codes)
    assert min(contrast(code, plots.GROUND[1]) for code in codes) >= 4.5
    assert plots.dark(style.ink(0).lower()) == style.DARK["blue"]


def test_lightness_is_turned_round_and_hue_stays():
    rng = np.random.default_rng(0)
    colours = rng.random((200, 3)) * 0.5 + 0.25
    before, after = plots.oklab(colours), plots.oklab(plots.turned(colours))
    assert np.corrcoef(before[:, 0], after[:, 0])[0, 1] < -0.95
    strong = np.hypot(*before[:, 1:].T) > 0.08
    angle = [np.arctan2(lab[strong, 2], lab[strong, 1]) for lab in (before, after)]
    assert np.median(np.abs(np.angle(np.exp(1j * (angle[0] - angle[1]))))) < 0.05
    assert np.allclose(plots.srgb(plots.oklab(colours)), colours, atol=1e-6)


def test_faint_shades_can_be_told_from_the_dark_ground():
    """(The last rows of a causal attention map, about 0.2 each, were nearly as dark as what is masked.)"""
    ground = plots.turned(np.ones((1, 3)))
    for weight, least in ((0.1, 1.2), (0.2, 1.5)):
        shade = np.array(matplotlib.colormaps[style.UP](weight))[None, :3]
        codes = [
            "#" + "".join(f"{round(255 * v):02x}" for v in c[0])
            for c in (ground, plots.turned(shade), plots.turned(shade, lift=1.2))
        ]
        assert contrast(codes[0], codes[2]) > max(least, contrast(codes[0], codes[1]))
    steps = np.linspace(0, 1, 50)[:, None].repeat(3, 1)
    assert (np.diff(plots.oklab(plots.turned(steps, lift=1.2))[:, 0]) < 1e-6).all()  # the order stays


def test_the_maps_have_shades_of_their_own_in_the_dark():
    """Small amounts stand out from the ground, more is always lighter, red and blue stay red and blue.

    (Pale red had become brown, and a fifth of the whole was hardly lighter than nothing.)
    """
    amounts = np.linspace(0, 1, 129)
    of = {
        name: plots.oklab(plots.shaded(matplotlib.colormaps[name](amounts)[:, :3]))
        for name in ("Blues", "Reds")
    }
    both = plots.oklab(plots.shaded(matplotlib.colormaps[style.BOTH](np.linspace(0, 1, 256))[:, :3]))
    of |= {"above zero": both[128:], "below zero": both[127::-1]}
    ground = plots.oklab(np.array([[0x12, 0x12, 0x12]]) / 255)[0, 0]
    for name, shades in of.items():
        assert (np.diff(shades[:, 0]) > 0).all(), name
        assert ground < shades[0, 0] < ground + 0.06, name  # zero lies nearly in the ground
        a_tenth = shades[len(shades) // 10, 0]
        assert a_tenth > shades[0, 0] + 0.1, name
        warm = name in ("Reds", "above zero")
        hue = np.rad2deg(np.arctan2(shades[20:, 2], shades[20:, 1])) % 360
        assert (abs(hue - (35 if warm else 247)) < 15).all(), name


def test_a_picture_inside_of_a_plot_has_two_themes():
    fig = plot_heatmap([[0.0, 1.0], [0.5, 0.2]], digits=2)
    fit(fig)
    text = plots.themed(svg(fig))
    light, dark = (
        Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")
        for data in re.findall(r'image/png;base64,([^"]*)"', text)[:2]
    )
    one, other = (np.asarray(picture, dtype=int).sum(-1) for picture in (light, dark))
    assert one.shape == other.shape
    assert one.max() > 700 and other[one == one.max()].max() < 120  # zero: the card's white, the dark ground
    assert other.max() > 500 and one[other == other.max()].min() < 250
    assert '<image class="l"' in text and '<image class="d"' in text


@pytest.mark.parametrize("low", [0, -1])
def test_numbers_in_cells_read_well_in_both_themes(low):
    """(Near the middle of a map, black or white as in the light had 3.3 : 1, and 3.7 : 1 in the dark.)"""
    values = np.linspace(low, 1, 100).reshape(10, 10)
    fig = plot_heatmap(values, digits=2)
    fit(fig)
    text = plots.themed(svg(fig))
    light, night = (
        dict(re.findall(r"(--c\d+):(#\w+);", part)) for part in re.findall(r"svg[^{]*\{([^}]*)", text)[:2]
    )
    inks = re.findall(r"<text[^>]*fill: var\((--c\d+)\)[^>]*>([−\d.]+)</text>", text)
    cells = [(name, words) for name, words in inks if re.fullmatch(r"−?\d\.\d\d", words)][:100]
    shades = matplotlib.colormaps[style.BOTH if low else style.UP]((values.ravel() - low) / (1 - low))[:, :3]
    for (name, words), value, shade in zip(cells, values.ravel(), shades, strict=True):
        assert words.replace("−", "-") in (f"{value:.2f}", f"{abs(value):.2f}")
        for ink, ground in (
            (light[name], shade),
            (night[name], plots.shaded(shade[None])[0]),
        ):
            code = "#" + "".join(f"{round(255 * v):02x}" for v in ground)
            assert contrast(ink, code) > 4.45, (words, ink, code)


def test_words_on_a_faint_area_keep_the_ink_of_the_page():
    """(As if the area were opaque, they were dark in the dark: 1.2 : 1.)"""
    fig = plot_points([1, 2], [1, 3])
    fig.axes[0].axvspan(0, 3, color=style.colour(2), alpha=0.08)
    fig.axes[0].text(1.5, 2, "here")
    fit(fig)
    word = re.search(r"<text[^>]*>here</text>", inked(svg(fig), plots.shaded, plots.dark)[0])
    assert word and "#0b0b" not in word[0]
    fig.axes[0].axvspan(0, 3, color=style.colour(0), alpha=0.9)
    word = re.search(r"<text[^>]*>here</text>", inked(svg(fig), plots.shaded, plots.dark)[0])
    assert word and "#0b0b" in word[0]


def test_words_of_a_plot_have_printed_apostrophes(site):
    """Straight ones are left in tokens alone."""
    straight = set()
    for path in (site / "_images").glob("*.plot.svg"):
        for words in re.findall(r"<(?:text|tspan)\b[^>]*>([^<]+)", path.read_text(encoding="utf8")):
            if "␣" not in words and re.search(r"\w'(?:s\b|\W|$)|\"", html.unescape(words)):
                straight.add(words)
    assert straight == set()


def test_a_plot_is_the_same_whenever_it_is_drawn():
    one, two = (svg(plot_lines([1, 2], {"a": [1, 3]}, "x", "y", log="y")) for _ in range(2))
    assert one == two and not re.search(r"<metadata|\d{4}-\d\d-\d\d|\n", one)
    assert "Verdana" in one and "<text" in one


def test_a_page_names_each_plot_for_each_theme(tmp_path):
    fig = plot_points([1, 2], [1, 3], diagonal=True)
    fit(fig)
    (tmp_path / "a.plot.svg").write_text(plots.themed(svg(fig)), encoding="utf8")
    page = lean_pages.with_lazy_pictures('<p><img alt="It rises." src="a.plot.svg" /></p>', tmp_path)
    light, dark = re.findall("<img[^>]*>", page)
    assert 'class="plot small only-light"' in light and 'src="a.plot.svg"' in light
    assert 'class="plot small only-dark"' in dark and 'src="a.plot.svg#dark"' in dark
    for image in (light, dark):
        assert 'alt="It rises."' in image and 'loading="lazy"' in image
        least = float(re.search(r"--least:([\d.]+)px", image)[1])
        assert least <= 340  # one panel fits a phone


def test_panels_stand_below_one_another_on_a_phone(tmp_path):
    """The second of two panels that share an axis gets its labels."""
    fig, axes = style.subplots(1, 2, sharey=True)
    for ax, heading in zip(axes, ("first", "second"), strict=True):
        ax.plot([1, 2], [1, 3], label="loss")
        ax.set(title=heading, xlabel="step", ylabel="nats" if heading == "first" else "")
    fit(fig)
    drawn = plots.themed(svg(fig))
    narrow = stacking.stacked(drawn)
    assert drawn.count(">nats<") == 1 and narrow.count(">nats<") == 2
    assert narrow.count(">first<") == narrow.count(">second<") == 1
    wide, high = (float(re.search(rf' {side}="([\d.]+)', narrow)[1]) for side in ("width", "height"))
    before = float(re.search(r' height="([\d.]+)', drawn)[1])
    assert wide <= stacking.PHONE + 2 * stacking.EDGE and 1.5 * before < high < 2.5 * before
    assert [plots.letters(narrow)] == [plots.letters(drawn)] and "svg:target" in narrow
    (tmp_path / "a.plot.svg").write_text(drawn, encoding="utf8")
    page = lean_pages.with_lazy_pictures('<p><img alt="Both fall." src="a.plot.svg" /></p>', tmp_path)
    assert re.findall(r'srcset="([^"]*)"', page) == ["a.narrow.svg", "a.narrow.svg#dark"]
    assert (tmp_path / "a.narrow.svg").read_text(encoding="utf8") == narrow
    assert stacking.stacked(plots.themed(svg(style.subplots()[0]))) == ""


def test_panels_on_a_phone_fill_it_and_are_seen_together():
    """(They took 60 to 80 % of it, with letters a third larger than those of the plots around them.)"""
    fig, axes = style.subplots(1, 3, figsize=(8, 4), sharey=True)
    for ax in axes:
        ax.plot([1, 2, 3], [10, 90, 30])
        ax.set(title="rate,\n0.1", xlabel="step", ylim=(0, 100))
    fit(fig)
    narrow = stacking.stacked(plots.themed(svg(fig)))
    wide, high = sides(narrow)
    assert wide == stacking.PHONE and 450 < high < 700
    assert plots.letters(narrow) == style.LETTERS and narrow.count(">step<") == 1
    assert narrow.count(">rate, 0.1<") == 3, "a title in one line"
    fig, axes = style.subplots(1, 2, figsize=(8, 3.5))
    for ax in axes:
        ax.plot([0, 9, 9], [0, 0, 9])
        ax.set_aspect("equal")
    fit(fig)
    narrow = stacking.stacked(plots.themed(svg(fig)))
    drawn = [
        [float(n) for n in re.findall(r"-?[\d.]+", path)]
        for path in re.findall(r'<g id="line2d_\d+"><path d="([^"]*)" clip-path', narrow)
    ]
    assert sides(narrow)[0] == stacking.PHONE and len(drawn) == 2
    for left, _, right, low, _, top in drawn:
        assert right - left == pytest.approx(low - top, abs=0.2) and right - left > 200


def test_maps_that_a_phone_cannot_show_together_are_as_wide_as_it_is():
    """(Four maps of words took three quarters of it, at its left edge.)"""
    points = np.random.default_rng(0).normal(size=(4, 9, 2))
    fig = plot_map([*points], [str(k) for k in range(9)], columns=2, size=(9, 8.2))
    fit(fig)
    narrow = stacking.stacked(plots.themed(svg(fig)))
    assert sides(narrow)[0] == stacking.PHONE
    frames = [
        [float(x) for x in re.findall(r"[ML] ([\d.]+)", path)]
        for path in re.findall(r'axes_\d"><(?:ns0:)?g id="patch_\d+"><path d="([^"]*)"', narrow)
    ]
    assert len(frames) == 4
    for frame in frames:
        assert max(frame) - min(frame) > 0.97 * stacking.PHONE


def test_maps_of_shades_beside_one_with_labels_fill_a_line_with_it():
    fig, axes = style.subplots(1, 4, figsize=(style.WIDE, 3), sharey=True)
    for ax in axes:
        ax.imshow(np.eye(12), aspect="auto")
        ax.set(xticks=[], yticks=range(12), yticklabels=[f"word {k}" for k in range(12)])
    fit(fig)
    assert sides(stacking.stacked(plots.themed(svg(fig))))[0] > 0.99 * stacking.PHONE


def test_a_panel_that_is_too_wide_is_squeezed_and_keeps_its_letters():
    """Marks at 0 and 10 stay at the ends of the axis; letters that would meet, and maps, forbid it."""
    fig, axes = style.subplots(1, 2, figsize=(11, 3))
    for ax in axes:
        ax.barh(["a long name of a thing " * 2, "b"], [4, 10])
        ax.set_xlim(0, 10)
    fit(fig)
    drawn = plots.themed(svg(fig))
    narrow = stacking.stacked(drawn)
    assert float(re.search(r' width="([\d.]+)', narrow)[1]) <= stacking.PHONE + 2 * stacking.EDGE
    assert plots.letters(narrow) == plots.letters(drawn)
    frames = [
        [float(x) for x in re.findall(r"[ML] ([\d.]+)", path)]
        for path in re.findall(r'axes_\d"><(?:ns0:)?g id="patch_\d+"><path d="([^"]*)"', narrow)
    ]
    bars = [
        float(x)
        for x in re.findall(
            r"[ML] ([\d.]+)", re.findall(r'id="patch_\d+"><path d="([^"]*)" clip-path', narrow)[0]
        )
    ]
    left, right = min(frames[0]), max(frames[0])
    assert max(bars) == pytest.approx(left + 0.4 * (right - left), abs=0.1)
    fig, ax = style.subplots(figsize=(9, 9))
    ax.plot([0, 9], [0, 9])
    ax.set_aspect("equal")
    fit(fig)
    assert stacking.stacked(plots.themed(svg(fig))) == ""
    fig = plot_heatmap([[0.01 * k for k in range(30)]] * 2, digits=2)
    fig.set_size_inches(16, 2)
    fit(fig)
    assert stacking.stacked(plots.themed(svg(fig))) == ""


def test_many_small_pictures_stand_in_lines_of_one_length():
    fig, axes = style.subplots(1, 8, figsize=(7, 1))
    for ax in axes:
        ax.imshow([[0.0, 1.0], [1.0, 0.0]])
        ax.axis("off")
    narrow = stacking.stacked(plots.themed(svg(fig)))
    lines = re.findall(r'id="stacked">(.*)', narrow, re.S)[0].split('transform="translate(')[1:]
    lefts = [part.split(")")[0].split()[1] for part in lines if 'id="axes' in part]
    assert sorted(lefts.count(down) for down in set(lefts)) == [4, 4]


def test_maps_in_a_high_plot_lie_side_by_side_at_a_desk():
    """What stood in a row then stands in a column; maps whose axes are named, and phones, keep theirs."""
    names, points = ["one", "two", "three"], np.array([[0, 0], [1, 2], [3, 1]])
    titles = [f"{row}, {place}" for row in "abc" for place in "12"]
    fig = plot_map([points] * 6, names, title=titles, columns=2, size=(style.WIDTH, 7))
    drawn = plots.themed(svg(fig))
    made = column.in_column(drawn)
    (before, high), (wide, low) = sides(drawn), sides(made)
    assert wide > 1.8 * before and low < 0.95 * high and plots.letters(made) == plots.letters(drawn)
    order = [text for text in re.findall(r"<text[^>]*>([^<]+)", made) if text in titles]
    assert order == ["a, 1", "b, 1", "c, 1", "a, 2", "b, 2", "c, 2"]
    assert stacking.stacked(drawn) == ""
    fig = plot_map([points] * 6, names, xlabel="size", columns=2, size=(style.WIDTH, 7))
    assert stacking.stacked(plots.themed(svg(fig)), column.COLUMN, lying=True) == ""


def test_a_plot_wider_than_the_column_keeps_its_letters():
    """Its panels become narrower, or flow evenly into lines; one in which something is round is left."""
    fig, axes = style.subplots(1, 4, figsize=(10, 2.5))
    for ax in axes:
        ax.imshow(np.eye(3))
        ax.set(xlabel="a", ylabel="b")
    fit(fig)
    drawn = plots.themed(svg(fig))
    made = column.in_column(drawn)
    tops = re.findall(r'translate\([-\d.]+ ([-\d.]+)\)"><g id="axes', made)
    assert len({*tops}) == 2 and tops.count(tops[0]) == 2, "two and two"
    assert plots.letters(made) == plots.letters(drawn)
    fig, axes = style.subplots(1, 2, figsize=(9, 3))
    for ax in axes:
        ax.plot([1, 2, 3], [1, 9, 3])
    fit(fig)
    made = column.in_column(plots.themed(svg(fig)))
    wide, high = (float(re.search(rf' {side}="([\d.]+)', made)[1]) for side in ("width", "height"))
    assert wide <= column.LITTLE * column.COLUMN and high < 1.1 * 3 * 72
    fig, axes = style.subplots(1, 3, figsize=(8, 2.4))
    for ax in axes:
        ax.axis("off")
        ax.set_aspect("equal", adjustable="box")
    fit(fig)
    drawn = plots.themed(svg(fig))
    assert column.in_column(drawn) == drawn


def sides(drawn):
    return [float(re.search(rf' {side}="([\d.]+)', drawn)[1]) for side in ("width", "height")]


def test_a_plot_takes_the_whole_column_at_a_desk_and_keeps_its_letters(tmp_path):
    """Bars grow with their axis, a legend needs fewer lines, a phone gets the plot as it was drawn."""
    names = [f"the method number {k}" for k in range(5)]
    fig = plot_lines([1, 2, 3], {name: [1, k, 2] for k, name in enumerate(names)}, "the step of the training")
    fit(fig)
    drawn = plots.themed(svg(fig))
    made = column.in_column(drawn)
    (before, high), (wide, low) = sides(drawn), sides(made)
    assert before == pytest.approx(72 * style.WIDTH, abs=1) and wide == column.COLUMN
    assert low < high - 25, "three lines of the legend instead of five"
    assert plots.letters(made) == plots.letters(drawn)
    (tmp_path / "a.plot.svg").write_text(drawn, encoding="utf8")
    page = lean_pages.with_lazy_pictures('<p><img alt="Five lines." src="a.plot.svg" /></p>', tmp_path)
    assert re.findall(r'srcset="([^"]*)"', page) == ["a.narrow.svg", "a.narrow.svg#dark"]
    assert (tmp_path / "a.narrow.svg").read_text(encoding="utf8") == drawn
    fig = plot_bars([4, 10], ["a", "b"], xlabel="words " * 12)
    fig.axes[0].set_xlim(0, 10)
    fit(fig)
    drawn = plots.themed(svg(fig))
    made = column.in_column(drawn)
    for text in (drawn, made):
        ends = [
            [float(x) for x in re.findall(r"[ML] ([\d.]+)", d)] for d in re.findall(r' d="(M[^"]*)"', text)
        ]
        frame, short, long = ends[1], *[e for e in ends[2:] if len(e) == 4][:2]
        left, right = min(frame), max(frame)
        assert max(short) - left == pytest.approx(0.4 * (right - left), abs=0.2)
        assert max(long) == pytest.approx(right, abs=0.2)
    assert drawn.count(">words words") == 2 and made.count(">words words") == 1, "its label is one line now"


def test_dots_name_their_rows_once_on_a_phone_and_at_a_desk():
    """(Three charts, one below the other on a phone, each repeated the names of thirteen models.)"""
    names = [f"model number {k}" for k in range(5)]
    measures = {"hidden width ÷ stream width": [4, 4, 3.5, 5, 3], "heads": range(5), "% here": range(5)}
    fig = plot_dots(measures, names, groups=list("aabbb"))
    fit(fig)
    drawn = plots.themed(svg(fig))
    made = column.in_column(drawn)
    assert stacking.stacked(drawn) == "" and sides(drawn)[0] <= 72 * style.WIDTH + 1
    assert sides(made)[0] == column.COLUMN and plots.letters(made) == plots.letters(drawn)
    for text in (drawn, made):
        assert all(text.count(f">{name}<") == 1 for name in names) and text.count(">heads<") == 1
    wider = (column.COLUMN - sides(drawn)[0]) / len(measures)
    moved = [float(x) for x in re.findall(r'<g transform="translate\(([\d.]+) 0[.0]*\)"><g id="axes', made)]
    assert moved == pytest.approx([k * wider for k in range(len(measures))], abs=0.01)


def test_a_legend_of_several_lines_has_columns_on_a_phone():
    fig, axes = style.subplots(1, 2)
    names = ["names", "animals", "colours", "ways to move", "moods", "weather", "small words"]
    for ax in axes:
        for k, name in enumerate(names):
            ax.scatter([k], [k], label=name)
    legend_above(fig, names, axes[0].collections)
    fit(fig)
    made = ElementTree.fromstring(stacking.stacked(plots.themed(svg(fig))))
    [legend] = [g for g in made.iter() if g.get("id") == "columns"]
    boxes = [stacking.union(*stacking.texts(entry)) for entry in legend]
    assert len(boxes) == len(names)
    lines = [
        [box for box in boxes if abs(box[3] - low) < 1] for low in sorted({round(b[3], 1) for b in boxes})
    ]
    assert [len(line) for line in lines] in ([3, 3, 1], [4, 3]), "a whole line, then the next"
    for line in lines[1:]:
        assert [box[0] for box in line] == pytest.approx([box[0] for box in lines[0][: len(line)]], abs=0.1)
    for line, box in itertools.product(lines, boxes):
        assert max(b[2] for b in line) <= stacking.PHONE and box[0] >= 0


def test_a_map_and_a_square_of_shades_are_not_drawn_out():
    for fig in (plot_points([1, 2], [1, 2], diagonal=True), plot_heatmap(np.eye(6), digits=-1, size=(4, 4))):
        fit(fig)
        drawn = plots.themed(svg(fig))
        assert column.in_column(drawn) == drawn


def test_a_legend_of_two_rows_flows_on_a_phone_into_lines_of_one_height():
    """(The entries of its second row stood lower than their neighbours in a line, like stairs.)"""
    names = ["no positions", "learned rows", "sinusoids", "rotated pairs", "lowered scores", "as words"]
    fig, axes = style.subplots(1, 2, figsize=(9, 4))
    for k, name in enumerate(names):
        for ax in axes:
            ax.plot([0, 1], [0, k], label=name)
    fig.legend(*axes[0].get_legend_handles_labels(), loc="outside upper left", ncols=3)
    narrow = ElementTree.fromstring(stacking.stacked(plots.themed(svg(fig))))
    tops = [box[1] for box in stacking.texts(narrow)[: len(names)]]
    lines = [tops[0]]
    for top in tops[1:]:
        assert abs(top - lines[-1]) < 1 or top > lines[-1] + 10, "level with its neighbour, or a new line"
        lines.append(top)
    assert 2 <= len({round(top) for top in tops}) <= 4


def test_a_legend_within_a_plot_that_is_drawn_out_keeps_its_corner():
    fig, ax = style.subplots()
    ax.plot([0, 1], [0, 1], label="rises")
    ax.legend(loc="lower right")
    fit(fig)
    drawn = plots.themed(svg(fig))
    made = column.in_column(drawn)
    before, after = (
        stacking.gather(next(g for g in ElementTree.fromstring(text) if g.get("id") == "figure_1"))[0]
        for text in (drawn, made)
    )
    gaps = []
    for panel in (before, after):
        legend = next(g for g in panel.axes[0].iter() if g.get("id", "").startswith("legend"))
        parent = next(g for g in panel.axes[0].iter() if legend in list(g))
        shift = float((re.findall(r"translate\(([-\d.]+)", parent.get("transform", "")) or [0])[0])
        gaps.append(panel.frame[2] - shift - max(box[2] for box in stacking.texts(legend)))
    assert gaps[0] == pytest.approx(gaps[1], abs=0.1)


def test_a_title_stands_nearer_to_its_panel_than_to_the_one_above(site):
    """(Of all plots with several rows.)"""
    near = {}
    for path in sorted((site / "_images").glob("*.plot.svg")):
        figure = next(g for g in ElementTree.parse(path).getroot() if g.get("id") == "figure_1")
        rows = stacking.rows_of(stacking.gather(figure) or [])
        for upper, lower in itertools.pairwise(rows):
            gap = min(p.box()[1] for p in lower) - max(p.box()[3] for p in upper)
            if column.titled(lower) and -4 < gap < column.AIR - 0.1:
                near[path.name] = gap
    assert near == {}


def test_powers_of_ten_have_letters_of_one_size():
    fig, ax = style.subplots()
    ax.loglog([1e-5, 1, 1e4], [1e-2, 1, 1e2])
    fit(fig)
    drawn = plots.themed(svg(fig))
    labels = re.findall(r">([\d.⁰¹²³⁴-⁹⁻]+)</text>", drawn)
    assert {"10⁻⁴", "0.01", "1", "100", "10⁴"} <= {*labels} and "<tspan" not in drawn
    face = TTFont(io.BytesIO(lettering.few_letters(lettering.shown(drawn)))).getBestCmap()
    assert {*map(ord, "⁻⁰⁴⁵⁶⁷⁸⁹")} & {*map(ord, "".join(labels))} <= {
        *face
    }  # the exponents are the page's, too


def test_no_words_of_a_plot_cover_others(browser, site):
    page = browser.new_page()  # it holds each drawing in turn: to open them all takes five times as long
    pictures = sorted((site / "_images").glob("*.svg"))
    drawings = {path.name: path.read_text(encoding="utf8") for path in pictures}
    assert len(drawings) > 100
    assert {name: pairs for name, text in drawings.items() if (pairs := page.evaluate(COVERED, text))} == {}
    fig = plot_lines([1, 2], {"one": [1, 2], "two": [2, 1]})
    fig.legend(["first", "second"], loc="outside upper left")
    assert page.evaluate(COVERED, svg(fig)) != []
    page.close()


def test_the_page_has_the_exponents_that_its_face_lacks():
    """The same ones that a plot has, so that a table of powers is set in one face."""
    fonts = lettering.FACE.parent
    page = TTFont(fonts / "source-sans-exponents.woff2")
    assert set(page.getBestCmap()) == {ord(exponent) for exponent in lettering.RAISED}
    drawn = TTFont(io.BytesIO(lettering.few_letters(frozenset(lettering.RAISED))))
    for code, name in page.getBestCmap().items():
        assert page["hmtx"][name] == drawn["hmtx"][drawn.getBestCmap()[code]]
    ranges = re.search(r"exponents.*unicode-range: ([^;]*);", (fonts.parent / "fonts.css").read_text())[1]
    told = [part.removeprefix("U+").split("-") for part in ranges.split(", ")]
    wanted = {
        code for first, *last in told for code in range(int(first, 16), int((last or [first])[0], 16) + 1)
    }
    assert wanted == set(page.getBestCmap())


def test_a_large_area_in_the_dark_is_quieter_than_a_line(browser, tmp_path):
    """(A square of full cells and rows of bars shone as brightly as the letters of the page.)"""
    ends = plots.shaded(matplotlib.colormaps[style.UP](np.ones(1))[:, :3])
    ends = np.vstack([ends, plots.shaded(matplotlib.colormaps[style.BOTH](np.array([0.0, 1.0]))[:, :3])])
    assert plots.oklab(ends)[:, 0].max() < plots.oklab(np.array([[0x6C, 0xC1, 0xF2]]) / 255)[0, 0] + 0.05
    fig = plot_bars({"one": [1, 2], "two": [3, 1]}, ["a", "b"], digits=1)
    fit(fig)
    (tmp_path / "a.svg").write_text(plots.themed(svg(fig)), encoding="utf8")
    tab = browser.new_page()
    try:
        for mark, opaque in (("", "1"), ("#dark", str(plots.LEFT))):
            tab.goto((tmp_path / "a.svg").as_uri() + mark)
            found = tab.evaluate(
                "() => [...document.querySelectorAll('.a')].map(e => getComputedStyle(e).opacity)"
            )
            assert len(found) == 6 and {*found} == {opaque}, "four bars, and two of the legend"
    finally:
        tab.close()
    bar = np.array([int(style.DARK["blue"][i : i + 2], 16) for i in (1, 3, 5)])
    seen = (plots.LEFT * bar + (1 - plots.LEFT) * 0x12).round().astype(int)
    assert contrast("#" + "".join(f"{part:02x}" for part in seen), plots.GROUND[1]) > 4.5
