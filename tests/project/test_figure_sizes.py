"""Every public figure at the widths of journals: nothing overlaps, is cut, or covers data."""

import re
from itertools import combinations, pairwise

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from public_figures import FIGURES, drawer
from samples import ROOT

from bayesbias.errors import ArgumentError

WIDTHS = (3.5, 5.0, 7.2)
DEAR = {"summary by run", "sensitivity", "embeddings", "plan", "over time"}
"""Those whose results take seconds."""
CASES = [
    pytest.param(name, width, marks=pytest.mark.slow if name in DEAR or width != WIDTHS[0] else ())
    for name in FIGURES
    for width in WIDTHS
]


def laid_out(figure):
    FigureCanvasAgg(figure)
    figure.draw_without_rendering()
    return figure


def ticks(axis):
    """The labels of the ticks that are drawn."""
    found = [tick.label1 for tick in axis._update_ticks()]
    return [text for text in found if text.get_visible() and text.get_text().strip()]


def texts(figure):
    """All texts that are drawn, without ticks out of sight."""
    drawn = [text for axes in figure.axes for a in (axes.xaxis, axes.yaxis) for text in ticks(a)]
    of_ticks = {
        text
        for axes in figure.axes
        for a in (axes.xaxis, axes.yaxis)
        for tick in (*a.get_major_ticks(), *a.get_minor_ticks())
        for text in (tick.label1, tick.label2)
    }
    others = [text for text in figure.findobj(Text) if text not in of_ticks]
    return [t for t in (*others, *drawn) if t.get_visible() and t.get_text().strip()]


def box(text):
    found = text.get_window_extent()
    return Bbox.from_extents(found.x0 + 1, found.y0 + 1, found.x1 - 1, found.y1 - 1)


def said(text):
    return text.get_text()


@pytest.mark.parametrize(("name", "width"), CASES)
def test_texts_do_not_overlap_and_nothing_is_cut_at_the_widths_of_journals(name, width):
    figure = laid_out(drawer(name)(figsize=width))
    assert figure.get_figwidth() == width
    found = texts(figure)
    boxes = [box(text) for text in found]
    overlapping = [
        (said(a), said(b))
        for (a, one), (b, other) in combinations(zip(found, boxes, strict=True), 2)
        if one.overlaps(other) and not (a.get_rotation() % 90 or b.get_rotation() % 90)
    ]
    assert not overlapping
    inside = figure.bbox.padded(1)
    cut = [
        said(text)
        for text, one in zip(found, boxes, strict=True)
        if one.x0 < inside.x0 or one.x1 > inside.x1 or one.y0 < inside.y0 or one.y1 > inside.y1
    ]
    assert not cut
    for axes in figure.axes:
        assert axes.bbox.width > 0.6 * figure.dpi or axes.get_label() == "<colorbar>"
        labels = [t for t in ticks(axes.xaxis) if not t.get_rotation()]
        places = sorted(box(text).intervalx.tolist() for text in labels)
        assert all(after[0] - before[1] > 1 for before, after in pairwise(places))
        for legend in figure.legends:
            assert not legend.get_window_extent().overlaps(axes.bbox)


@pytest.mark.parametrize("name", ["contrasts", "summary by word", "left", "distances", "criticism"])
def test_a_legend_on_a_callers_axes_covers_no_data(name):
    draw = drawer(name)
    if name == "distances":
        draw = lambda **options: drawer(name).func(drawer(name).args[0], ["he"], **options)  # noqa: E731
    figure, ax = plt.subplots(figsize=(5, 6))
    plt.close(figure)
    assert laid_out(draw(ax=ax)) is figure
    legend = ax.get_legend()
    assert (legend is None) == (name == "criticism")
    if legend is None:
        return
    covered = legend.get_window_extent()
    marks = [line for line in ax.lines if line.get_transform() == ax.transData]
    points = np.vstack([ax.transData.transform(line.get_xydata()) for line in marks])
    assert len(points) > 1
    assert not covered.count_contains(points)
    assert ax.bbox.padded(1).contains(*covered.min)
    assert ax.bbox.padded(1).contains(*covered.max)


def colours(figure):
    return {
        mpl.colors.to_hex(line.get_color())
        for axes in figure.axes
        for line in axes.lines
        if line.get_marker() not in ("", "None", None)
    }


def test_a_palette_gives_colours_by_name_in_order_or_from_matplotlib():
    draw = drawer("summary by word")
    assert {"#aa0000", "#0072b2"} < colours(draw(palette={"associated": "#aa0000"}))
    assert {"#ff0000", "#00ff00", "#0000ff", "#ffff00"} == colours(
        draw(palette=["red", "lime", "blue", "yellow"])
    )
    cycle = mpl.rcParams["axes.prop_cycle"].by_key()["color"][:4]
    assert colours(draw(palette="cycle")) == {mpl.colors.to_hex(colour) for colour in cycle}
    with mpl.rc_context({"axes.prop_cycle": mpl.cycler(color=["#123456", "#654321"])}):
        assert colours(draw(palette="cycle")) == {"#123456", "#654321"}
    first = mpl.colormaps["tab10"].colors[:4]
    figure = draw(palette="tab10")
    assert colours(figure) == {mpl.colors.to_hex(colour) for colour in first}
    handles = figure.legends[0].legend_handles
    assert [h.get_color()[:3] for h in handles] == [pytest.approx(c) for c in first]
    assert "#123456" in colours(draw(ax=plt.figure().subplots(), palette={"human": "#123456"}))
    plt.close()


@pytest.mark.parametrize(
    ("palette", "complaint"),
    [
        ({"asociated": "red"}, "did you mean 'associated'"),
        (["red", "blue"], "palette has 2 colours; this figure takes 4"),
        (["red", "blu", "lime", "pink"], "'blu' is no colour"),
        ("vridis", "did you mean 'viridis'"),
    ],
)
def test_bad_palettes_are_told(palette, complaint):
    with pytest.raises(ArgumentError, match=complaint):
        drawer("summary by word")(palette=palette)


def test_a_heat_map_takes_the_colours_of_a_map():
    figure = drawer("sweep")(palette="PuOr")
    (image,) = figure.axes[0].images
    assert image.cmap(0.0)[:3] == pytest.approx(mpl.colormaps["PuOr"](1 / 18)[:3], abs=0.02)


def test_rows_and_panels_are_chosen_by_name():
    draw = drawer("contrasts of words")
    figure = draw(contrasts=["human − neutral", "associated − different"], words=["she", "he"])
    assert [a.get_title() for a in figure.axes] == ["human − neutral", "associated − different"]
    rows = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert sorted(rows) == ["all words", "he", "she"]
    one = draw(groups="woman", contrasts="associated − different")
    (axes,) = one.axes
    assert "she" in (rows := [text.get_text() for text in axes.get_yticklabels()])
    assert "he" not in rows
    means = drawer("summary by group")(groups=["woman"])
    labels = [text.get_text() for text in means.axes[0].get_yticklabels()]
    assert all(label.startswith("words for women, ") for label in labels)
    for options, complaint in (
        ({"words": ["shee"]}, "did you mean 'she'"),
        ({"groups": "women"}, "did you mean 'woman'"),
        ({"contrasts": []}, "contrasts: name some of associated − different"),
        ({"palete": "cycle"}, "did you mean 'palette'"),
    ):
        with pytest.raises(ArgumentError, match=complaint):
            draw(**options)


def test_groups_of_words_are_divided_and_called_as_in_sentences():
    axes = drawer("contrasts of words")().axes[0]
    lines = [line for line in axes.lines if line.get_color() == "#888888"]
    assert len(lines) == 1
    rows = [text.get_text() for text in axes.get_yticklabels()]
    height = axes.get_yticks()
    above = [row for row, y in zip(rows, height, strict=True) if y < lines[0].get_ydata()[0]]
    assert above[-1] == "uncle"
    labels = [t.get_text() for t in drawer("contrasts by list")().axes[0].get_yticklabels()]
    assert labels == ["occupations stereotyped as male", "occupations stereotyped as female"]


def test_letters_follow_matplotlibs_size():
    draw = drawer("contrasts")
    with mpl.rc_context({"font.size": 7}):
        small = draw(figsize=7.2).axes[0].xaxis.label.get_fontsize()
    assert small == pytest.approx(0.7 * draw(figsize=7.2).axes[0].xaxis.label.get_fontsize())


@pytest.mark.filterwarnings("ignore::bayesbias.BayesBiasWarning")
def test_the_page_on_figures_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "figures.md").read_text(encoding="utf-8")
    names = {}
    for block in re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE):
        exec(block, names)
    plt.close()
    assert (tmp_path / "contrasts.pdf").stat().st_size > 1000
    assert names["figure"].axes[:2] == [names["left"], names["right"]]
