"""Figures: they are drawn without a warning, in the book's style, readable and with words."""

import io
import itertools
import re
from types import SimpleNamespace

import matplotlib
import matplotlib.image
import numpy as np
import pytest
import torch
from forked import forked
from matplotlib.colors import to_hex

from support.core import InputError
from support.view import (
    diagram,
    name_at,
    note,
    plot_attention,
    plot_bars,
    plot_dots,
    plot_heatmap,
    plot_history,
    plot_lines,
    plot_map,
    plot_merges,
    plot_path,
    plot_points,
    plot_words,
    show,
    style,
)
from support.view.figure import fit
from support.view.image_files import png, small_png, svg

ALT = "A line rises from 1 to 3 over two steps."
HISTORY = SimpleNamespace(steps=[0, 1, 2], losses=[3.0, 2.0, 1.5], lrs=[0.1, 0.2, 0.1], evals=[(2, 1.7)])
WORDS = ["<BOS>", "Pietro", "chiama", "Paolo"]
FIGURES = {
    "lines": lambda: plot_lines(
        [1, 2], {"a": torch.ones(2), "b": [1, 2]}, "x", "y", log="y", level={"floor": 1}
    ),
    "points": lambda: plot_points([1, 2], [2, 1], ["a", "b"], "x", "y", diagonal=True),
    "bars": lambda: plot_bars(
        {"a": [1, 2], "b": [2, 1]}, ["x", "y"], {"a": [0.1, 0.2]}, digits=1, level={"floor": 1}
    ),
    "dots": lambda: plot_dots({"heads": [12, [96, 8]], "layers": [12, -3]}, ["x", "y"], ["a", "b"]),
    "heatmap": lambda: plot_heatmap(torch.randn(3, 2), ["a", "b", "c"], ["x", "y"], "columns", "rows"),
    "masked": lambda: plot_heatmap([[0.0, -np.inf], [1.0, 2.0]]),
    "attention": lambda: plot_attention(torch.eye(4).expand(3, 4, 4), WORDS),
    "history": lambda: plot_history(HISTORY, level={"floor": 1.2}, rates=True),
    "histories": lambda: plot_history({"one": HISTORY, "two": HISTORY}),
    "map": lambda: plot_map(np.random.default_rng(0).normal(size=(4, 2)), WORDS, list("aabb"), "words"),
    "maps": lambda: plot_map(
        [np.eye(4, 2)] * 3, WORDS, title=["a", "b", "c"], columns=2, show_only=["Paolo"]
    ),
    "merges": lambda: plot_merges({"the": [("start", ["t", "h", "e"]), ("merge 1", ["t", "he"])]}),
    "words": lambda: plot_words(WORDS * 6, {"a": np.linspace(0, 1, 24), "b": torch.zeros(24)}),
    "path": lambda: plot_path([[0, 0], [1, 2]], ["start", "end"], [[2, 2]], ["Tarso"], "x", "y"),
}


def luminance(code):
    parts = [int(code[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


@pytest.mark.parametrize("name", FIGURES)
def test_every_plot_is_drawn_quietly_and_legibly(name):
    fig = FIGURES[name]()  # warnings are errors here
    fit(fig)
    picture = matplotlib.image.imread(io.BytesIO(png(fig)))
    assert picture.shape[1] <= 1000 and picture.shape[0] <= 1000
    assert picture[..., :3].min() < 0.5, "nothing was drawn"
    written = [t for t in fig.findobj(matplotlib.text.Text) if t.get_text() and t.get_visible()]
    assert written and min(t.get_fontsize() for t in written) >= style.LETTERS
    drawn, (wide, high) = fig.get_tightbbox(), fig.get_size_inches()
    assert min(drawn.x0, drawn.y0) > -0.02 and drawn.x1 < wide + 0.02 and drawn.y1 < high + 0.02
    assert {t.get_fontfamily()[0] for t in written} == {"DejaVu Sans"}


def test_show_gives_a_picture_with_its_words_and_nothing_else(monkeypatch, capsys):
    shown = []
    monkeypatch.setattr(
        "support.view.figure.publish_display_data", lambda *args, **more: shown.append((*args, more))
    )
    show(plot_lines([1, 2], {"a": [1, 3]}), alt=f"  {ALT}\n ")
    [(data, more)] = shown
    assert set(data) == {"image/svg+xml", "image/png", "text/plain"} and data["image/png"][1:4] == b"PNG"
    assert data["image/svg+xml"].startswith('<svg class="plot"')
    assert more == {"metadata": {kind: {"alt": ALT} for kind in ("image/svg+xml", "image/png")}}
    assert capsys.readouterr().out == ""


def test_show_gives_a_drawing_with_its_own_words_and_a_caption(monkeypatch):
    shown = []
    monkeypatch.setattr(
        "support.view.figure.publish_display_data", lambda *args, **more: shown.append((*args, more))
    )
    drawing = diagram.neuron()
    show(drawing, caption=" What it\n  means. ")
    [(data, metadata, _), (below, _)] = shown
    assert data == {"image/svg+xml": drawing.svg, "text/plain": drawing.alt}
    assert metadata == {"image/svg+xml": {"alt": drawing.alt}}
    assert below == {"text/markdown": "What it means.", "text/plain": "What it means."}
    with pytest.raises(InputError, match="its own alternative text; leave out alt"):
        show(drawing, alt=ALT)


def test_long_names_and_legends_find_room():
    names = [f"a rather long name of the {i}th bar, which a phone must show" for i in range(6)]
    fig = plot_bars(
        {"one": range(6), "two": range(6)}, names, xlabel="a quantity with a long explanation of what it is"
    )
    fit(fig)
    [ax] = fig.axes
    boxes = [t.get_window_extent() for t in ax.get_yticklabels()]
    assert ax.get_window_extent().width > 0.4 * fig.bbox.width
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    fig = plot_lines(range(5), {f"line number {i} of many": [i, 0, 0, 0, 9] for i in range(7)})
    fig.axes[0].legend()  # a cell that adds to a plot asks for its legend again
    fit(fig)
    assert len(fig.legends) == 1 and fig.axes[0].get_legend() is None
    above = fig.legends[0].get_window_extent()
    axes = fig.axes[0].get_window_extent()
    assert above.y0 >= axes.y1 and axes.height > 0.4 * fig.bbox.height and above.x1 <= fig.bbox.width


def test_small_maps_stand_side_by_side_on_a_phone():
    """(Six drawings of one table stood one below the other, five screens high.)"""
    fig = plot_map([np.eye(4, 2)] * 4, WORDS, list("aabb"), columns=2, size=(style.WIDTH, 4.6))
    assert fig.get_figwidth() == style.WIDTH
    one, other, *_ = (ax.get_window_extent() for ax in fig.axes)
    assert one.y0 == pytest.approx(other.y0, abs=1) and one.x1 < other.x0


def test_the_parts_of_a_sum_follow_one_another_and_the_sum_is_written():
    fig = plot_bars({"one": [1, 2], "two": [3, 0.5]}, ["a", "b"], digits=1, stacked=True)
    [ax] = fig.axes
    parts = [(bar.get_x(), bar.get_width()) for bar in ax.patches]
    assert parts == [(0, 1), (0, 2), (1, 3), (2, 0.5)]
    assert [text.get_text() for text in ax.texts] == ["4.0", "2.5"]
    with pytest.raises(InputError, match="parts of a sum cannot be negative"):
        plot_bars({"one": [1], "two": [-1]}, ["a"], stacked=True)


def test_a_legend_leaves_its_corner_if_bars_lines_or_points_stand_there():
    def placed(draw):
        fig, axes = style.subplots(1, 3, figsize=(9, 3), layout="constrained")
        draw(axes[2])
        axes[2].legend(loc="upper right")
        fit(fig)
        return fig.legends, axes[2].get_legend()

    crossing = [
        lambda ax: ax.bar(["for breakfast", "for dinner"], [6, 6], label="baker"),
        lambda ax: ax.plot([0, 0, 1, 1], [0, 1, 1, 0], label="a line"),
        lambda ax: ax.scatter([0, 0.97, 1], [0, 0.9, 1], label="points"),
    ]
    for draw in crossing:
        above, own = placed(draw)
        assert len(above) == 1 and own is None
    above, own = placed(lambda ax: ax.bar(["for breakfast", "for dinner"], [6, 1], label="baker"))
    assert not above and own is not None


def test_many_points_are_a_picture_in_the_drawing():
    few, many = (plot_lines(range(n), {"a": np.random.default_rng(0).random(n)}) for n in (900, 1100))
    assert "<image" not in svg(few) and "<image" in svg(many)
    assert len(svg(many)) < 60_000 and len(small_png(few)) < len(png(few))


@pytest.mark.parametrize("alt", ["", "A figure.", " " * 30])
def test_show_refuses_a_picture_without_words(alt):
    with pytest.raises(InputError, match="say what is to be seen"):
        show(plot_lines([1, 2], {"a": [1, 3]}), alt=alt)


def run(script):
    out = forked("import warnings; warnings.simplefilter('error', UserWarning)\n" + script)
    assert not out.returncode and not out.stderr, out.stderr
    return out.stdout


def test_show_closes_what_pyplot_keeps():
    script = (
        "import matplotlib; matplotlib.use('Agg'); import matplotlib.pyplot as plt\n"
        "from support.view import show\n"
        f"fig, ax = plt.subplots(); show(fig, alt={ALT!r}); print(plt.get_fignums())"
    )
    assert run(script).splitlines()[-1] == "[]"


def test_no_plot_needs_pyplot_or_leaves_a_figure_behind():
    script = "import sys; from support.view import plot_bars; plot_bars([1], ['a'])"
    assert run(script + "; print('matplotlib.pyplot' in sys.modules)").strip() == "False"


@pytest.mark.parametrize("seed", range(4))
def test_names_on_a_map_do_not_overlap(seed):
    generator = np.random.default_rng(seed)
    centres = generator.normal(size=(6, 2)) * 3
    points = np.repeat(centres, 10, axis=0) + generator.normal(size=(60, 2)) * 0.7
    fig = plot_map(points, [f"word{i}" for i in range(60)], groups=[f"group {i // 10}" for i in range(60)])
    png(fig)
    [ax] = fig.axes
    boxes = [text.get_window_extent() for text in ax.texts]
    frame = ax.get_window_extent()
    assert len(boxes) == 60

    def overlap(a, b):  # the part of the smaller box; letters fill their boxes only to about four fifths
        wide = min(a.x1, b.x1) - max(a.x0, b.x0)
        high = min(a.y1, b.y1) - max(a.y0, b.y0)
        return max(0, wide) * max(0, high) / min(a.width * a.height, b.width * b.height)

    worst = max(overlap(a, b) for i, a in enumerate(boxes) for b in boxes[:i])
    assert worst < 0.3
    assert all(frame.x0 <= b.x0 and b.x1 <= frame.x1 for b in boxes)


@pytest.mark.parametrize("name", [style.UP, "Reds", style.BOTH])
def test_numbers_read_on_every_shade_of_a_map(name):
    def light(code):
        return luminance(code) + 0.05

    codes = [matplotlib.colors.to_hex(shade) for shade in matplotlib.colormaps[name](np.arange(256))]
    inks = [style.readable_on(matplotlib.colors.to_rgb(code)).replace("white", "#ffffff") for code in codes]
    pairs = [sorted((light(code), light(ink))) for code, ink in zip(codes, inks, strict=True)]
    assert min(high / low for low, high in pairs) >= 4.5
    assert {"#ffffff", "#222222"} < set(inks)  # black only where neither would do


def test_letters_read_on_white_and_colours_differ_for_the_colour_blind():
    assert all(1.05 / (luminance(style.ink(i)) + 0.05) >= 4.5 for i in range(8))  # WCAG AA
    first = [(style.colour(i), style.marker(i)) for i in range(16)]
    assert len(set(first)) == 16  # colour and marker together tell sixteen things apart


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: plot_lines([1, 2], {"a": [1]}), "has 1 values for 2 positions"),
        (lambda: plot_points([1, 2], [1]), "do not make points"),
        (lambda: plot_bars([1, 2], ["a"]), "one value for each of the 1 labels"),
        (lambda: plot_dots({"heads": [1, 2]}, ["a"]), "a value for each of the 1 labels"),
        (lambda: plot_dots({"heads": [1]}, ["a"], groups=["x", "y"]), "2 groups do not fit 1 labels"),
        (lambda: plot_heatmap([1, 2]), "needs a matrix"),
        (lambda: plot_heatmap([[1, 2]], rows=["a", "b"]), "2 names do not fit 1 rows"),
        (lambda: plot_attention(np.zeros((1, 1, 2, 2)), ["a", "b"]), "head, query, key"),
        (lambda: plot_map(np.zeros((3, 3)), ["a"] * 3), "points in the plane"),
        (lambda: plot_map(np.eye(2), ["a", "b"], groups=["x"]), "1 groups do not fit 2 words"),
        (lambda: plot_path([[0, 0]], []), "one for each"),
        (lambda: plot_words(["a"], {"h": [0.5, 0.5]}), "give each word one weight"),
        (lambda: plot_merges({"a": []}), "at least one"),
        (lambda: plot_words(["a"], {"h": [float("nan")]}), "give each word one weight"),
        (lambda: plot_history(SimpleNamespace(steps=[], losses=[])), "train first"),
    ],
)
def test_wrong_input_is_refused_in_a_sentence(act, message):
    with pytest.raises(InputError, match=message):
        act()


def test_words_stand_in_lines_in_their_order_and_the_heavier_is_the_darker():
    weights = np.linspace(0, 1, 24)
    ax = plot_words(WORDS * 6, {"rising": weights}, notable=0.5).axes[0]
    title, *texts = ax.texts
    assert title.get_text() == "rising"
    assert [text.get_text().split()[0] for text in texts] == WORDS * 6
    assert [len(text.get_text().split()) == 2 for text in texts] == (weights >= 0.5).tolist()
    boxes = [patch.get_bbox() for patch in ax.patches]
    assert len(boxes) == 24 and all(box.x0 >= 0 and box.x1 <= ax.get_xlim()[1] for box in boxes)
    places = [(box.y0, box.x0) for box in boxes]
    assert places == sorted(places) and len({y for y, _ in places}) > 2, "lines, read from the left"
    for one, two in itertools.pairwise(boxes):
        assert one.y0 != two.y0 or two.x0 > one.x1, "no word stands on another"
    light = [luminance(matplotlib.colors.to_hex(patch.get_facecolor())) for patch in ax.patches]
    assert light == sorted(light, reverse=True) and light[0] > 0.9 > 0.1 > light[-1]


def test_a_layout_that_finds_no_room_at_first_says_nothing():
    """As three-dimensional axes in matplotlib 3.10 do; a warning is an error in these tests."""
    fig, ax = style.subplots(figsize=(2, 0.3))
    ax.set_ylabel("a long name for an axis of a third of an inch")
    assert svg(fig) and png(fig) and small_png(fig)


def test_lines_are_named_at_their_ends_or_where_they_leave():
    """No name stands on another, and one whose line leaves the window stands inside of it."""
    lines = {"high": [1, 9], "as high": [1, 8.9], "leaves": [1, -9]}
    fig = plot_lines([0, 10], lines, direct=True, marks=False)
    ax = fig.axes[0]
    ax.get_lines()[2].set_data(np.linspace(0, 10, 11), np.linspace(1, -9, 11))
    ax.set_ylim(-4, 10)
    fit(fig)
    fit(fig)  # the names are written once
    assert not fig.legends and sorted(text.get_text() for text in ax.texts) == sorted(lines)
    boxes = [text.get_window_extent() for text in ax.texts]
    assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))
    assert min(box.y0 for box in boxes) > fig.bbox.y0
    ends = {text.get_text(): text.xy for text in ax.texts}
    assert ends["high"] == (10, 9) and ends["leaves"] == (5, -4)


def test_what_matters_has_its_colour_and_the_rest_is_grey():
    lines = plot_lines([1, 2], {"a": [1, 2], "b": [2, 1]}, accent=["b"]).axes[0].get_lines()
    assert [line.get_color() for line in lines] == [style.QUIET, style.colour(1)]
    for accent in (["y"], ["b"]):
        fig = plot_bars({"a": [1, 2], "b": [2, 4]}, ["x", "y"], accent=accent)
        loud = [
            [to_hex(bar.get_facecolor()) != style.QUIET for bar in group] for group in fig.axes[0].containers
        ]
        assert loud == ([[False, True]] * 2 if accent == ["y"] else [[False] * 2, [True] * 2])


@pytest.mark.parametrize("values", [{"a": [3, 1], "b": [4, 2]}, {"a": [1, 3], "b": [2, 4]}])
def test_groups_of_bars_are_named_above_them_in_their_order(values):
    """Wherever there is room beside a bar; a level has its name over its line."""
    fig = plot_bars(values, ["x", "y"], digits=0, level={"floor": 2})
    fit(fig)
    (legend,), ax = fig.legends, fig.axes[0]
    assert [text.get_text() for text in legend.get_texts()] == ["a", "b"]
    tops = [group[0].get_window_extent().y0 for group in ax.containers]
    assert tops == sorted(tops, reverse=True)
    assert legend.get_window_extent().y0 >= max(text.get_window_extent().y1 for text in ax.texts)
    assert sorted(text.get_text() for text in ax.texts) == ["1", "2", "3", "4", "floor"]


def test_what_a_merge_has_made_has_a_thick_frame():
    fig = plot_merges({"the": [("start", ["t", "h", "e"]), ("merge 1", ["t", "he"])]})
    assert [bar.get_linewidth() > 1.5 for bar in fig.axes[0].patches] == [False] * 4 + [True]


def test_two_levels_stand_in_the_legend():
    fig = plot_bars([3, 1], ["x", "y"], level={"floor": 2, "ceiling": 2.1})
    fit(fig)
    assert [text.get_text() for text in fig.legends[0].get_texts()] == ["floor", "ceiling"]


def test_a_note_stands_beside_its_point_and_is_tied_if_it_is_far():
    ax = style.subplots()[1]
    ax.plot([0, 1], [0, 1])
    for away in ((6, 0), (-20, 30), (0, -30)):
        note(ax, "here", (0.5, 0.5), away, colour=style.colour(1))
    near, far, below = ax.texts
    assert (near.get_ha(), far.get_ha(), below.get_va()) == ("left", "right", "top")
    assert near.arrow_patch is None and far.arrow_patch is not None
    assert luminance(to_hex(far.get_color())) < luminance(style.colour(1).lower())  # 4.5 : 1 on white


def test_names_that_had_to_move_are_tied_to_their_ends():
    """A level has its name, too; each name moves as little as the others allow."""
    lines = {name: [0, end] for name, end in (("one", 5.0), ("two", 5.1), ("three", 5.2), ("alone", 9.0))}
    fig = plot_lines([0, 10], lines, level={"floor": 0.5}, direct=True, marks=False)
    fit(fig)
    texts = {text.get_text(): text for text in fig.axes[0].texts}
    assert not fig.legends and {*texts} == {*lines, "floor"}
    tied = {name for name, text in texts.items() if text.arrow_patch is not None}
    assert tied == {"one", "three"}
    order = sorted(texts, key=lambda name: texts[name].get_window_extent().y0)
    assert order == ["floor", "one", "two", "three", "alone"]


def test_attention_has_square_cells_and_its_numbers_where_they_have_room():
    """Both axes name the tokens in every map; what is rounded to zero is not written."""
    weights = np.tril(np.full((2, 4, 4), 0.25))
    fig = plot_attention(weights, WORDS)
    fit(fig)
    for ax in fig.axes:
        assert ax.get_aspect() == 1
        assert [text.get_text() for text in ax.texts] == ["0.25"] * 10
        for labels in (ax.get_xticklabels(), ax.get_yticklabels()):
            assert [label.get_text() for label in labels] == WORDS
    crowded = plot_attention(np.full((2, 12, 12), 1 / 12), WORDS * 3)
    assert not crowded.axes[0].texts and crowded.axes[0].get_aspect() == 1


def test_a_few_long_names_of_columns_stand_level_and_many_upright():
    def turns(n):
        ax = plot_heatmap(np.ones((2, n)), columns=["a long name\nin two"] * n).axes[0]
        return {t.get_rotation() for t in ax.get_xticklabels()}

    assert turns(5) == {0.0} and turns(6) == {90.0}


def test_a_map_with_its_numbers_needs_no_colour_bar():
    assert len(plot_heatmap(np.eye(3)).axes) == 1 and len(plot_heatmap(np.eye(30)).axes) == 2


def test_a_thing_looks_the_same_in_every_chart():
    """Wherever its line stands among others; and no two things that are drawn together look alike."""
    names = ["replay", "something else", "full fine-tuning", "LoRA at a low rate"]
    lines = plot_lines([1, 2], {name: [1, k] for k, name in enumerate(names)}).axes[0].get_lines()
    for line, name in zip(lines, names, strict=True):
        drawn = style.line_style(name, names.index(name))
        assert (line.get_color(), line.get_marker()) == (drawn["color"], drawn["marker"])
    assert lines[1].get_color() == style.colour(1) and lines[3].get_markerfacecolor() == "white"
    alone = plot_lines([1, 2], {"replay": [1, 2]}).axes[0].get_lines()[0]
    assert (alone.get_color(), alone.get_linestyle()) == (lines[0].get_color(), lines[0].get_linestyle())
    together = [
        ("full fine-tuning", "LoRA at a high rate", "LoRA at a low rate", "replay", "distillation"),
        ("no positions", "plain numbers", "nought to one", "many speeds", "learned", "sinusoids", "RoPE",
         "ALiBi"),
        ("pre-norm", "pre-norm, scaled init", "post-norm", "post-norm, scaled init", "post-norm, warm-up",
         "no residuals"),
    ]  # fmt: skip
    for group in together:
        assert len({style.LINE_STYLES[name][:2] for name in group}) == len(group)


def ticks(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def test_ticks_have_commas_and_no_offset():
    fig, (counts, years, few) = style.subplots(3, 1, figsize=(style.WIDTH, 7))
    counts.plot([0, 50_000], [0, 3e-9])
    years.plot([2000, 2020], [1000, 5000])
    years.set_xlabel("year")
    few.plot([0, 1], [0, -2000])
    fit(fig)
    assert "20,000" in ticks(counts.xaxis) and not counts.xaxis.get_offset_text().get_text()
    assert {"0", "2.0 · 10⁻⁹"} <= {*ticks(counts.yaxis)} and not counts.yaxis.get_offset_text().get_text()
    assert {"2000", "2020"} <= {*ticks(years.xaxis)} and {"2,000", "4,000"} <= {*ticks(years.yaxis)}
    assert "−2,000" in ticks(few.yaxis)


def test_a_logarithmic_axis_has_plain_numbers_or_raised_powers():
    fig, ax = style.subplots()
    ax.loglog([1e-9, 1e6], [0.02, 2000])
    fit(fig)
    assert {"10⁻⁶", "1", "10⁶"} & {*ticks(ax.xaxis)} and {"0.1", "1", "10", "100", "1,000"} <= {
        *ticks(ax.yaxis)
    }
    assert not any("e" in label or "$" in label for label in ticks(ax.xaxis) + ticks(ax.yaxis))


def test_chosen_labels_stay():
    fig, ax = style.subplots()
    ax.plot([1, 2], [0, 1])
    ax.set_xticks([1, 2], labels=["1000", "two"])
    fit(fig)
    assert ticks(ax.xaxis) == ["1000", "two"]


def test_a_note_covers_no_line_and_names_its_point():
    fig = plot_lines([0, 1, 2], {"up": [0, 1, 2], "down": [2, 1, 0]}, direct=True)
    note(fig, "here the two are equal", (1, 1))
    fit(fig)
    ax = fig.axes[0]
    words = next(text for text in ax.texts if "equal" in text.get_text())
    words.update_positions(fig.canvas.get_renderer())
    box = matplotlib.text.Text.get_window_extent(words)
    assert words.get_gid() is None and words.xy == (1, 1)
    for line in ax.get_lines():
        path = line.get_transform().transform_path(line.get_path())
        assert not path.intersects_bbox(box, filled=False)
    assert ax.get_window_extent().padded(1).contains(*box.min)


def test_a_line_named_where_it_is_has_no_legend():
    fig = plot_lines([0, 1, 2], {"up": [0, 1, 2], "down": [2, 1, 0]})
    name_at(fig, {"up": 2, "down": 0})
    assert not fig.legends and [(t.get_text(), t.xy) for t in fig.axes[0].texts] == [
        ("up", (2, 2)),
        ("down", (0, 2)),
    ]


def test_what_matters_has_the_accent_and_the_rest_is_grey():
    lines = plot_lines([0, 1], {"a": [0, 1], "b": [1, 0]}, accent=["b"]).axes[0].get_lines()
    assert [line.get_color() for line in lines] == [style.QUIET, style.colour(1)]
    bars = plot_bars([1, 2], ["a", "b"], accent=["a"]).axes[0].patches
    assert [matplotlib.colors.to_hex(bar.get_facecolor()) for bar in bars] == ["#0072b2", style.QUIET]


def test_lines_of_one_text_end_where_they_end_together():
    fig, ax = style.subplots()
    for side, turn in (("right", 0), ("center", 90), ("left", 0)):
        ax.text(0.5, 0.5, "a long line\nshort", ha=side, rotation=turn, multialignment=side)
    texts = re.findall(r"<text[^>]*>(?=a long|short)", svg(fig))
    assert [re.findall(r"text-anchor: (\w+)", text) for text in texts] == [["end"]] * 2 + [["middle"]] * 2 + [
        []
    ] * 2
