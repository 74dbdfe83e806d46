"""One forest, two drawers: what stands where in a figure is what the page says."""

import numpy as np
import pytest

from bayesbias.report.page_parts import ForestFigure, Report
from bayesbias.report.render import render
from bayesbias.support.forests import Forest, Mark, Row, plot_forests, span_of

ROWS = (
    Row("all words", (Mark("closer", -0.1, -0.2, -0.05, "all words: −0.100"),), strong=True),
    Row("he", (Mark("undecided", 0.02, -0.1, 0.1, "he: +0.020", filled=False),)),
    Row("she", (Mark("closer", -0.3, -0.4, -0.2, "she: −0.300"),)),
)
FOREST = Forest(
    "contrast", "", "difference", ROWS, span_of([-0.4, 0.1]), (0.0, 7.0), region=(-0.05, 0.05)
)


@pytest.fixture
def axis():
    return plot_forests([[FOREST]], figsize=(4, 3), note=" (grey: ROPE)").axes[0]


def marks(axis):
    """Return the places of marks, from the top down."""
    points = [xy for line in axis.lines for xy in line.get_xydata() if len(line.get_xydata()) < 3]
    inside = [(x, y) for x, y in points if x in (-0.1, 0.02, -0.3)]
    return [x for x, _ in sorted(inside, key=lambda xy: xy[1])]


def test_both_drawers_put_marks_at_their_means_in_the_order_of_the_rows(axis):
    assert marks(axis) == [-0.1, 0.02, -0.3]
    page = render(Report("", "", (), ForestFigure("", (FOREST,)), ()))
    places = [page.index(f'x="{FOREST.place(x)}%" y="0') for x in marks(axis)]
    assert places == sorted(places)
    for row in ROWS:
        assert f'aria-label="{row.marks[0].text}"' in page


def test_strong_rows_stand_apart(axis):
    np.testing.assert_allclose(FOREST.heights, [0.0, 1.6, 2.6])
    assert [label.get_text() for label in axis.get_yticklabels()] == ["all words", "he", "she"]
    assert [line.get_ydata()[0] for line in axis.lines if line.get_ydata()[0] == 0.8]


def test_the_region_is_grey_and_lines_out_of_sight_are_not_drawn(axis):
    (region,) = axis.patches
    assert (region.get_x(), region.get_width()) == pytest.approx((-0.05, 0.1))
    assert FOREST.lines_in_sight == [0.0]
    assert axis.get_xlim() == pytest.approx(FOREST.span)
    page = render(Report("", "", (), ForestFigure("", (FOREST,)), ()))
    assert page.count('class="rope"') == page.count('class="reference"') == len(ROWS)


def test_the_legend_explains_what_labels_do_not_name():
    rows = (Row("closer", (Mark("closer", 0.0, 0.0, 0.1),)), ROWS[1])
    figure = plot_forests([[Forest("", "", "", rows, (-1, 1))]], figsize=(4, 3))
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["undecided"]


def test_panels_of_one_axis_are_labelled_once():
    figure = plot_forests([[FOREST, FOREST]], figsize=(8, 3), note=" (grey)")
    assert figure.get_supxlabel() == "difference (grey)"
    assert [axis.get_xlabel() for axis in figure.axes] == ["", ""]


def test_marks_of_a_joined_row_stand_on_one_line():
    row = Row("he", (Mark("prior", 0.1, 0.1, 0.1), Mark("likelihood", 0.4, 0.4, 0.4)), joined=True)
    (axis,) = plot_forests([[Forest("", "", "", (row,), (0, 1))]], figsize=(4, 3)).axes
    assert {float(line.get_ydata()[0]) for line in axis.lines} == {0.0}


@pytest.mark.parametrize("values", [[], [float("nan")]])
def test_an_axis_without_numbers_is_one_wide(values):
    assert span_of(values) == (-0.5, 0.5)
