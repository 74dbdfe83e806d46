"""Figures show what their frames say."""

import io

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from samples import make_frame

import bayesbias as bb
from bayesbias.constants import CONNECTIONS
from bayesbias.errors import ArgumentError
from bayesbias.fits.interval_figures import plot_rows, plot_words
from bayesbias.fits.sensitivity_figure import plot_sensitivity
from bayesbias.pairs.distance_figures import plot_distances, plot_empirical
from bayesbias.support.figure_style import COLOURS, LOOKS, MARKERS, density, new_figure


def group_table(prob=0.89, interval="hpdi"):
    return pd.DataFrame(
        {
            "connection": CONNECTIONS,
            "n_pairs": [30, 36, 90, 1200],
            "mean": [0.8, 0.9, 0.95, 1.0],
            "low": [0.7, 0.85, 0.93, 0.99],
            "high": [0.9, 0.95, 0.97, 1.01],
            "interval": interval,
            "prob": prob,
        }
    )


def word_table(n_words):
    one = group_table().assign(n_pairs=3)
    parts = [one.assign(protected_word=f"word{i}") for i in range(n_words)]
    return pd.concat(parts, ignore_index=True)


def texts(axis):
    return [label.get_text() for label in axis.get_yticklabels()]


def test_connections_show_means_and_name_their_intervals():
    """On a caller's axes, if there are any."""
    figure, axes = new_figure(1, 2, size=(8, 3))
    axis, table = axes[0, 1], group_table(interval="eti")
    assert plot_rows(table, group_table(0.5, "eti"), ["connection"], ax=axis) is figure
    assert not axes[0, 0].lines
    assert texts(axis)[0] == "associated (30 pairs)"
    assert texts(axis)[3] == "neutral (1,200 pairs)"
    assert [t.get_text() for t in axis.texts] == ["0.800", "0.900", "0.950", "1.000"]
    assert "89% equal-tailed interval" in axis.get_xlabel()
    assert "thick: 50%" in axis.get_xlabel()


def test_several_panels_take_the_place_of_a_callers_axes(small_fit, frame):
    figure, axes = new_figure(1, 2, size=(14, 4))
    left = axes[0, 0]
    assert small_fit.plot_contrasts(ax=axes[0, 1]) is figure
    assert figure.axes[0] is left
    assert {axis.get_title() for axis in figure.axes[1:]} >= {"associated − different"}
    figure.savefig(io.BytesIO())
    assert all(axis.get_position().x1 <= 1 for axis in figure.axes)
    assert all(axis.get_window_extent().x0 > left.bbox.x1 for axis in figure.axes[1:])
    plot_distances(frame, ["word0"], ax=left)
    assert left.get_title(loc="left") == "word0"
    with pytest.raises(ArgumentError, match="not both"):
        plot_distances(frame, ["word0"], ax=left, figsize=(3, 3))
    by_hand = figure.add_axes((0, 0, 1, 1))
    with pytest.raises(ArgumentError, match="2 panels take the place"):
        plot_distances(frame, ["word0", "word1"], ax=by_hand)


def test_labels_are_within_the_figure_whatever_its_dots_an_inch():
    table = pd.concat([group_table()] * 2, ignore_index=True)
    table["term"] = [f"associated − different {i}" for i in range(8)]
    figure = plot_rows(table.assign(n_pairs=100000), table, ["term"])
    axis, before = figure.axes[0], figure.dpi
    for dpi in (60, 80, 160):
        found = []
        axis.figure.canvas.mpl_connect(
            "draw_event", lambda _, found=found: found.append(axis.yaxis.get_tightbbox().x0)
        )
        figure.savefig(io.BytesIO(), dpi=dpi)
        assert min(found) >= 0
    assert figure.dpi == before


def test_one_legend_above_the_panels_explains_all(small_fit):
    figure = small_fit.plot_predictive()
    (legend,) = figure.legends
    told = {text.get_text() for text in legend.get_texts()}
    assert told == {*CONNECTIONS, "observed", "predicted, one line a draw"}
    priors = pd.DataFrame(
        {
            "quantity": ["associated", "associated − different"],
            "applies_to": ["all", "woman"],
            "likelihood": [0.1, 0.1],
            "prior": [0.01, 0.01],
        }
    )
    table = small_fit.contrasts().table.assign(removed="a", shift=0.01)
    figure = plot_sensitivity(priors, table, small_fit.rule())
    (legend,) = figure.legends
    told = {text.get_text() for text in legend.get_texts()}
    assert told == {"prior", "likelihood", *table["verdict"]}
    rows = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert rows == ["associated", "woman"]
    assert "groups: associated − different" in figure.axes[0].get_xlabel()


def test_one_colour_has_one_meaning():
    assert set(COLOURS) == set(MARKERS) == set(CONNECTIONS)
    connections = set(COLOURS.values())
    assert len(connections) == len(set(MARKERS.values())) == 4
    verdicts = {LOOKS[name].colour for name in ("closer", "farther", "practically equal")}
    assert len(verdicts) == 3
    others = {look.colour for name, look in LOOKS.items() if name not in COLOURS}
    assert not connections & others


def test_dashed_lines_are_explained(small_fit, frame):
    assert "dashed: 0" in small_fit.contrasts().plot().axes[0].get_xlabel()
    figure = plot_distances(
        frame.assign(cosine_distance=np.tile([0.5, 1.5], len(frame) // 2)), ["word0"]
    )
    assert "dashed: 1" in figure.axes[0].get_xlabel()


def test_many_rows_are_cut_to_both_ends():
    table = pd.concat([group_table()] * 40, ignore_index=True)
    table["attribute"] = [f"a{i}" for i in range(160)]
    (axis,) = plot_rows(table.drop(columns="n_pairs"), table, ["attribute"]).axes
    assert len(texts(axis)) == 60
    assert texts(axis)[0] == "a0"
    assert texts(axis)[-1] == "a159"


@pytest.mark.parametrize(("n_words", "columns"), [(2, 1), (25, 1), (26, 2), (50, 2), (64, 3)])
def test_many_words_are_set_in_columns_and_those_without_pairs_are_hollow(n_words, columns):
    table = word_table(n_words)
    table.loc[table.protected_word == "word1", "n_pairs"] = 0
    figure = plot_words(table)
    assert len(figure.axes) == columns
    assert [t for axis in figure.axes for t in texts(axis)] == [f"word{i}" for i in range(n_words)]
    assert figure.get_size_inches()[1] < 12
    assert "w" in {line.get_markerfacecolor() for line in figure.axes[0].lines}


def test_a_fits_figures_take_its_options(small_fit):
    for by, options, label in (
        ("connection", {"prob": 0.95}, "95% HPDI"),
        ("word", {"prob": 0.95, "interval": "eti"}, "95% equal"),
    ):
        assert label in small_fit.summary(by, **options).plot().axes[0].get_xlabel()
    assert "80% HPDI" in small_fit.plot_predictive(prob=0.8).axes[0].get_xlabel()
    title = small_fit.plot_predictive().axes[0].get_title(loc="left")
    share = small_fit.coverage().table.iloc[0]["inside"]
    assert f"{share:.1%} of pairs inside the 89% interval" in title
    assert "50% interval" in title


def test_distances_of_a_word_are_sorted_and_named(frame):
    figure = plot_distances(frame, ["word0", "word3"])
    assert [axis.get_title(loc="left") for axis in figure.axes] == ["word0", "word3"]
    part = frame[(frame.protected_word == "word0") & frame.connection.isin(CONNECTIONS[:2])]
    expected = part.sort_values("cosine_distance")["attribute"].tolist()
    assert texts(figure.axes[0])[: len(expected)] == expected
    assert texts(figure.axes[0])[-2:] == ["human (15 words)", "neutral (20 words)"]
    with pytest.raises(ArgumentError, match="did you mean 'word0'"):
        plot_distances(frame, ["wrd0"])
    with pytest.raises(ArgumentError, match="name at least one"):
        plot_distances(frame, [])


def test_empirical_distributions_give_shares_within_the_bounds_and_why_one_would_care(frame):
    figure = plot_empirical(frame, mac=0.9)
    human = frame[frame.connection == "human"]["cosine_distance"]
    share = ((1 - human).abs() <= 0.1).mean()
    title = f"human: {share:.1%} of 90 pairs within the bounds"
    assert figure.axes[2].get_title(loc="left") == title
    assert "±0.100" in figure.axes[3].get_xlabel()
    assert f"{1 - share:.0%} of human pairs" in figure.get_suptitle()
    assert "every pair outside the grey were biased" in figure.get_suptitle()
    assert plt.get_fignums() == []  # figures belong to nobody


def test_a_density_is_a_density():
    values = np.random.default_rng(0).standard_normal(5000)
    grid = np.linspace(-6, 6, 500)
    estimate = density(values, grid)
    assert estimate.sum() * (grid[1] - grid[0]) == pytest.approx(1.0, abs=1e-3)
    # A normal density at 0, lowered by the kernel's own variance and the sampling error.
    assert estimate[250] == pytest.approx(0.399, abs=0.03)
    for n in (255, 256):  # of two values the kernel is wider than all that is drawn
        assert len(density(np.array([0.0, 1.0]), np.linspace(0, 1, n))) == n


def test_frames_without_controls_can_be_drawn():
    frame = make_frame(n_attributes={"associated": 4, "different": 3})
    assert len(plot_empirical(frame).axes) == 2
    assert len(plot_distances(frame, ["word0"]).axes) == 1
    assert bb.pairs.plot_empirical is plot_empirical
