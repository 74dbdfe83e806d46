"""Figures in several threads, and matplotlib's settings, which belong to the user."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure
from samples import FEW, make_frame

import bayesbias as bb
from bayesbias.report.folder_writing import save_figure
from bayesbias.support.figure_style import DASHED, new_figure


def as_svg(draw):
    """Draw a figure as a folder of results gets it, and return the text."""
    with TemporaryDirectory() as folder:
        save_figure(draw(), Path(folder) / "a.svg")
        return (Path(folder) / "a.svg").read_text(encoding="utf-8")


def draw():
    figure, axes = new_figure(1, 2, size=(4, 2), sharex=True)
    for number, axis in enumerate(axes.flat):
        axis.plot([0, 1, 2], [0, 1, number], label="word $x$")
        axis.set_title(f"panel {number}")
        axis.axvspan(-0.1, 0.1, alpha=0.5)
        axis.axvline(0.0, **DASHED)
    return figure


def test_threads_draw_equal_figures_and_change_no_setting():
    before = dict(mpl.rcParams)
    alone = as_svg(draw)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: as_svg(draw), range(8)))
    assert set(found) == {alone}
    assert dict(mpl.rcParams) == before


def test_a_figure_is_made_without_a_change_of_settings(monkeypatch):
    def refuse(*_):
        pytest.fail("a setting of all threads is changed")

    monkeypatch.setattr(type(mpl.rcParams), "__setitem__", refuse)
    monkeypatch.setattr(type(mpl.rcParams), "update", refuse)
    draw()


def test_a_figure_is_laid_out_and_then_drawn_once(monkeypatch, tmp_path):
    drawn, draw_once = [], Figure.draw
    monkeypatch.setattr(
        Figure, "draw", lambda self, renderer: (drawn.append(1), draw_once(self, renderer))[1]
    )
    figure = draw()
    engine, width = figure.get_layout_engine(), figure.axes[0].get_position().width
    figure.savefig(tmp_path / "a.png")
    assert len(drawn) == 1
    assert figure.get_layout_engine() is engine
    assert figure.axes[0].get_position().width != width  # laid out
    figure.axes[0].set_ylabel("a label\nof two lines", fontsize=20)
    width = figure.axes[0].get_position().width
    figure.savefig(tmp_path / "b.png")
    assert figure.axes[0].get_position().width < width  # and laid out again


def test_svg_has_words_with_dollar_signs_as_text():
    def words():
        figure, axes = new_figure(1, 1, size=(3, 2))
        axes[0, 0].set_yticks([0, 1], ["$a", "$x$"])
        axes[0, 0].set_title(r"$\frac$")
        return figure

    svg = as_svg(words)
    assert all(word in svg for word in (">$a<", ">$x$<", r">$\frac$<"))


NUMBER = re.compile(r"-?\d+\.\d+")


def test_reports_written_in_threads_are_equal(tmp_path):
    fit = bb.fit(make_frame(n_attributes=FEW), model="paper", draws=500, seed=1)
    before = dict(mpl.rcParams)

    def write(number):
        bb.write_report(fit, tmp_path / f"{number}.html")

    write(0)
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(write, range(1, 4)))
    pages = [path.read_text(encoding="utf-8") for path in tmp_path.iterdir()]
    # With some releases of the libraries a coordinate in a thread is off by a millionth.
    assert len({NUMBER.sub("0", page) for page in pages}) == 1
    coordinates = np.array([NUMBER.findall(page) for page in pages], dtype=float)
    np.testing.assert_allclose(coordinates - coordinates[0], 0.0, atol=1e-5)
    assert dict(mpl.rcParams) == before
