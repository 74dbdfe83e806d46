"""Charts: the page's drawing and the figure's show the same, and many points stay readable."""

import re

import numpy as np
import pytest

from bayesbias.support.charts import Chart, Layer, draw_chart, line, region
from bayesbias.support.figure_style import new_figure


def chart(*layers, **options):
    return Chart("x", "y", (0.0, 10.0), (-1.0, 1.0), layers, **options)


def points(path):
    return [tuple(map(float, pair)) for pair in re.findall(r"[ML]([\d.]+),([\d.]+)", path)]


def test_values_stand_where_the_axes_say():
    one = chart(line([0, 5, 10], [-1, 0, 1]))
    left, right, top, bottom = one.box
    ((_, path, opacity),) = one.paths()
    middle = ((left + right) / 2, (top + bottom) / 2)
    np.testing.assert_allclose(points(path), [(left, bottom), middle, (right, top)], atol=0.05)
    assert opacity == 1
    assert {text: x for x, text in one.xticks}["10"] == right
    assert {text: y for y, text in one.yticks}["−1.0"] == bottom


def test_a_band_is_closed_and_a_region_fills_the_height():
    one = chart(region(2, 4, (-1.0, 1.0)))
    ((_, path, _),) = one.paths()
    assert path.endswith("z")
    corners = {(float(one.across(x)), float(one.down(y))) for x in (2, 4) for y in (-1, 1)}
    assert set(points(path)) == {(round(x, 1), round(y, 1)) for x, y in corners}


def test_points_of_one_place_are_one_and_darker():
    x, y = np.array([1.0] * 8 + [9.0]), np.zeros(9)
    found = list(chart(Layer("points", x, y, opacity=0.1)).paths())
    assert [len(points(path)) for _, path, _ in found] == [1, 1]
    assert [opacity for *_, opacity in found] == [0.1, pytest.approx(0.8)]
    many = np.random.default_rng(0).normal(size=(2, 20_000))
    some = list(chart(Layer("points", 5 + many[0], many[1] / 3)).paths())
    assert sum(len(path) for _, path, _ in some) < 300_000


def test_a_figure_draws_the_same_numbers():
    figure, axes = new_figure(1, 1, size=(3, 2))
    x, y = np.array([1.0, 2.0]), np.array([0.1, 0.2])
    draw_chart(axes[0, 0], chart(Layer("points", x, y), line([0, 1], [0, 1], label="one")))
    dots, drawn = axes[0, 0].lines
    np.testing.assert_array_equal(dots.get_xydata(), np.column_stack([x, y]))
    np.testing.assert_array_equal(drawn.get_xydata(), [[0, 0], [1, 1]])
    assert axes[0, 0].get_xlim() == (0.0, 10.0)
    assert figure.axes[0].get_xlabel() == "x"
