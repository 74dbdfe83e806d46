"""Figures show what their frames say, at the widths of journals, in colours that can be told."""

import io
import pickle
from functools import cache
from itertools import combinations

import matplotlib.image
import numpy as np
import pandas as pd
import pytest
from colours import VIEWS, ciede2000, difference, lightness
from golden import UNASSIGNED
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from samples import make_frame

import bayesbias as bb
from bayesbias.errors import ArgumentError, FitError
from bayesbias.fits.figures import differences, interaction
from bayesbias.fits.output import page_of
from bayesbias.show import style
from bayesbias.words.provenance import names_of


@cache
def fit():
    return bb.analyze(bb.example_embedding(), "gender", seed=1)


@cache
def several():
    return bb.analyze(bb.example_embedding(), UNASSIGNED, seed=1)


@cache
def of_owners():
    owners = {**UNASSIGNED, "associated": {"men": ["work"], "women": ["home"]}}
    return bb.analyze(bb.example_embedding(), owners, seed=1)


@cache
def small_fit():
    return bb.fit(make_frame().replace({"word0": r"$\frac{"}), "paper", seed=11)


PLOTS = {
    "plot": lambda **o: fit().plot(**o),
    "means": lambda **o: fit().plot_means(**o),
    "means by word": lambda **o: fit().plot_means("word", **o),
    "means by list": lambda **o: fit().plot_means("list", **o),
    "random groups": lambda **o: fit().plot_random_groups(**o),
    "contrasts": lambda **o: fit().plot_contrasts(**o),
    "words": lambda **o: fit().plot_contrasts("word", **o),
    "heat map": lambda **o: fit().plot_heatmap(**o),
    "pairs of groups": lambda **o: several().plot(**o),
    "contrasts of pairs": lambda **o: several().plot_contrasts("list", **o),
}


@pytest.mark.parametrize("view", VIEWS)
def test_verdicts_can_be_told_by_every_eye(view):
    for a, b in combinations(style.PALETTE.values(), 2):
        assert difference(VIEWS[view](to_rgb(a)), VIEWS[view](to_rgb(b))) >= 15
    looks = [style.verdict_look(name) for name in style.PALETTE]
    assert len({look.marker for look in looks}) == len(looks)


def test_the_distance_of_colours_is_the_published_one():
    """Pairs 1, 7 and 24 of Sharma, Wu and Dalal's table."""
    pairs = [
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, 0, 0), (50, -1, 2), 2.3669),
        ((50, 2.5, 0), (56, -27, -3), 31.9030),
    ]
    for one, other, published in pairs:
        assert ciede2000(one, other) == pytest.approx(published, abs=1e-4)


def test_marks_stand_out_on_white():
    for colour in style.PALETTE.values():
        assert lightness(to_rgb(colour)) <= 61.6  # a contrast of 3 with white
    assert set(style.PALETTE.values()).isdisjoint(style.CATEGORIES)


def laid_out(figure):
    FigureCanvasAgg(figure)
    figure.draw_without_rendering()
    return figure


def texts(figure):
    ticks = {
        text
        for axes in figure.axes
        for axis in (axes.xaxis, axes.yaxis)
        for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks())
        for text in (tick.label1, tick.label2)
    }
    drawn = [
        tick.label1
        for axes in figure.axes
        for axis in (axes.xaxis, axes.yaxis)
        for tick in axis._update_ticks()
    ]
    others = [text for text in figure.findobj(Text) if text not in ticks]
    return [t for t in (*others, *drawn) if t.get_visible() and t.get_text().strip()]


def box(text):
    found = text.get_window_extent()
    return Bbox.from_extents(found.x0 + 1, found.y0 + 1, found.x1 - 1, found.y1 - 1)


@pytest.mark.parametrize("width", [style.COLUMN, style.PAGE])
@pytest.mark.parametrize("name", PLOTS)
def test_texts_do_not_overlap_and_nothing_is_cut(name, width):
    figure = laid_out(PLOTS[name](figsize=width))
    assert figure.get_figwidth() == width
    boxes = {text: box(text) for text in texts(figure)}
    overlapping = [
        (a.get_text(), b.get_text())
        for a, b in combinations(boxes, 2)
        if boxes[a].overlaps(boxes[b]) and not (a.get_rotation() or b.get_rotation())
    ]
    assert not overlapping
    inside = figure.bbox.padded(1)
    assert not [
        text.get_text()
        for text, one in boxes.items()
        if one.x0 < inside.x0 or one.x1 > inside.x1 or one.y0 < inside.y0 or one.y1 > inside.y1
    ]


def test_each_attribute_has_the_difference_of_its_mean_distances():
    frame = fit().frame
    parts = differences(fit(), fit().contrasts())
    nurse = frame[frame["attribute"] == "nurse"].groupby("group")["cosine_distance"].mean()
    by_attribute = parts.table.set_index("attribute")["difference"]
    assert by_attribute["nurse"] == pytest.approx(nurse["man"] - nurse["woman"], abs=1e-12)
    assert (parts.left, parts.right) == ("closer to words for men", "closer to words for women")
    assert by_attribute.is_monotonic_increasing
    axis = fit().plot().axes[0]
    x = np.concatenate([line.get_xdata() for line in axis.lines if len(line.get_xdata()) > 2])
    assert np.sort(x) == pytest.approx(by_attribute.to_numpy())
    assert axis.get_yticklabels()[0].get_text() == by_attribute.index[0]


def test_parts_of_a_contrast_with_controls_weigh_groups_alike():
    groups = {"old": ["she", "mother", "girl", "aunt"], "young": ["daughter", "hers"]}
    lists = {"attributes": {"home": ["nurse", "maid", "dancer"]}, "groups": groups}
    owned = {**lists, "associated": {name: ["home"] for name in groups}}
    table = (fitted := bb.analyze(bb.example_embedding(), owned, seed=1)).contrasts()
    parts = differences(fitted, table)
    assert parts.row["level"] == "controls"
    assert parts.table["difference"].mean() == pytest.approx(parts.row["observed"], abs=1e-9)


def test_differences_average_to_the_contrast_that_they_are_parts_of():
    parts = differences(several(), several().contrasts())
    row = parts.row
    on_list = parts.table.loc[parts.table["list"] == row["list"], "difference"].mean()
    assert row["level"] == "list"
    assert on_list == pytest.approx(row["observed"], abs=1e-12)
    parts = differences(of_owners(), of_owners().contrasts())
    means = parts.table.groupby("list")["difference"].mean()
    assert parts.left == "closer to its own group"
    assert means.mean() == pytest.approx(parts.row["observed"], abs=1e-12)


def test_a_list_has_the_colour_of_its_group():
    names = names_of(of_owners().frame)
    parts = differences(of_owners(), of_owners().contrasts())
    assert names.lists[:2] == ("home", "work")
    assert parts.lists == ("work", "home")
    colours = {t.get_text(): t.get_color() for t in of_owners().plot().axes[0].get_yticklabels()}
    assert (colours["lawyer"], colours["nurse"]) == style.CATEGORIES[:2]


def test_a_level_without_contrasts_says_why():
    """Lists of nobody give a word no list of its own, and groups none to be closer to."""
    assert "word" not in set(several().contrasts()["level"])
    with pytest.raises(
        FitError, match=r"no group has both lists of its own.*plot_contrasts\('list'\)"
    ):
        several().plot_contrasts("word")
    with pytest.raises(FitError, match="'over all': no list belongs to some groups and meets"):
        several().plot_contrasts("over all")


def test_the_line_of_random_groups_is_what_was_observed():
    axis = fit().plot_random_groups().axes[0]
    row = fit().contrasts().iloc[0]
    assert axis.lines[0].get_xdata()[0] == pytest.approx(row["observed"])
    tails = [c for c in axis.collections if tuple(c.get_facecolor()[0][:3]) == to_rgb(style.EDGE)]
    ends = [tail.get_paths()[0].vertices[:, 0] for tail in tails]
    step = np.ptp(axis.get_xlim()) / 400
    assert ends[0].max() == pytest.approx(-abs(row["observed"]), abs=step)
    assert ends[1].min() == pytest.approx(abs(row["observed"]), abs=step)


def test_without_vectors_means_are_drawn():
    figure = small_fit().plot()
    means = small_fit().summary("connection")["mean"]
    drawn = [line.get_xdata()[0] for line in figure.axes[0].lines]
    assert drawn == pytest.approx(means.to_numpy())
    with pytest.raises(FitError, match="random groups are drawn from vectors"):
        small_fit().plot_random_groups()


def test_means_of_words_have_a_mark_a_connection_and_words_are_no_formulas():
    figure = laid_out(small_fit().plot_means("word"))
    table = small_fit().summary("word")
    n = sum(len(line.get_xdata()) for line in figure.axes[0].lines)
    assert n == len(table)
    assert figure.axes[0].get_yticklabels()[0].get_text() == table["protected_word"].iloc[0]
    assert r"$\frac{" in [text.get_text() for text in texts(figure)]


def test_a_forest_draws_intervals_and_the_look_of_verdicts():
    ends = {
        "y": [0.0, 1.0, 2.0],
        "mean": [-0.2, 0.1, 0.0],
        "low": [-0.3, -0.1, -0.01],
        "high": [-0.1, 0.3, 0.01],
    }
    rows = pd.DataFrame({**ends, "verdict": ["closer", "undecided", "practically equal"]})
    _, (axis,) = style.new_figure(1, 1, None, 2)
    style.draw_forest(axis, rows, ["a", "b", "c"], rope=0.05)
    marks = [line for line in axis.lines if line.get_marker() != "None"]
    assert [line.get_marker() for line in marks] == ["<", "o", "s"]
    assert [line.get_markerfacecolor() for line in marks][1] == "white"
    segments = [c.get_segments()[0][:, 0].tolist() for c in axis.collections]
    assert segments == [[-0.3, -0.1], [-0.1, 0.3], [-0.01, 0.01]]
    low, high = axis.get_ylim()
    assert low > high  # the first row on top


def test_the_heat_map_has_no_means_of_rows_or_columns():
    table = interaction(fit())
    assert table.shape == (18, 14)
    assert table.mean(axis=1).abs().max() == pytest.approx(0, abs=1e-12)
    assert table.mean(axis=0).abs().max() == pytest.approx(0, abs=1e-12)
    image = fit().plot_heatmap().axes[0].images[0]
    assert np.asarray(image.get_array()) == pytest.approx(table.to_numpy())


def test_files_bring_their_letters_and_keep_their_colours():
    figure = fit().plot_contrasts()
    pdf, png = io.BytesIO(), io.BytesIO()
    figure.savefig(pdf, format="pdf")
    assert b"/FontFile2" in pdf.getvalue()
    assert b"/Type3" not in pdf.getvalue()
    figure.savefig(png, format="png")
    png.seek(0)
    seen = np.unique((matplotlib.image.imread(png)[..., :3] * 255).round().astype(int), axis=(0))
    pixels = {tuple(pixel) for row in seen for pixel in row}
    for name in ("closer", "undecided"):
        assert tuple(round(255 * c) for c in to_rgb(style.PALETTE[name])) in pixels


def test_figures_are_of_nobody_but_their_user():
    import matplotlib.pyplot as plt

    before = dict(plt.rcParams)
    figure = fit().plot_means()
    assert plt.get_fignums() == []
    assert dict(plt.rcParams) == before
    copy = pickle.loads(pickle.dumps(figure))
    assert len(copy.axes) == len(figure.axes)
    _, (axis,) = style.new_figure(1, 1, None, 2)
    assert fit().plot_contrasts(ax=axis) is axis.figure
    with pytest.raises(ArgumentError, match="give ax or figsize"):
        fit().plot_contrasts(ax=axis, figsize=3.5)


def test_the_predictive_check_is_arvizs():
    figure = fit().plot_predictive()
    inside = fit().predictions()["inside"].mean()
    assert f"{100 * inside:.0f}%" in figure.get_suptitle()
    assert len(figure.axes[0].lines) > 40


def test_the_figure_of_a_page_has_the_interval_of_the_page():
    of_pairs = bb.fit(fit().frame, "paper", seed=1)
    page = page_of(of_pairs, of_pairs.rule(bb.DecisionRule(ci_prob=0.5)), None, None)
    assert "50% HPDI" in page.figure["wide"]
    assert "89% HPDI" not in page.figure["wide"]
