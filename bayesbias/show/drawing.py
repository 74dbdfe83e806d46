"""Draws figures from frames of what they show, which rooms make (`fits.figures`)."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bayesbias.constants import CONNECTION, VERDICTS
from bayesbias.show import style as look
from bayesbias.show.narrator import Names, signed
from bayesbias.support.arguments import Array
from bayesbias.support.compatibility import has_inferencedata, quiet_imports

MOST_ROWS: Final = 60
"""Rows of a figure; of more it shows the first and the last ones."""

_ROW: Final = 0.165  # inches

_DRAWS: Final = 50
"""Predicted data sets that a predictive check shows."""


@dataclass(frozen=True)
class Differences:
    """Differences of attributes, the most negative first, and what both sides of 0 mean.

    `table`: ``attribute``, ``list``, ``difference``. `row`: the contrast that they are parts of.
    `lists`: those of the table, in the order of the groups that they belong to, so that a list has
    the colour of its group.
    """

    table: pd.DataFrame
    left: str
    right: str
    row: pd.Series
    lists: tuple[str, ...]


def ends_of(table: pd.DataFrame, most: int = MOST_ROWS) -> pd.DataFrame:
    """Return the first and the last rows of a long table."""
    if len(table) <= most:
        return table
    return pd.concat([table[: most // 2], table[-(most // 2) :]], ignore_index=True)


def finding_figure(
    parts: Differences,
    names: Names,
    title: str,
    share: str,
    random: Array | None,
    size: look.Size,
    most: int,
) -> Figure:
    """Draw at most so many attributes, beside the contrasts of random groups where there are some.

    `share`: of random groups that differ as much, in a sentence.
    """
    width = look.width_of(size)
    beside = random is not None and width >= 5
    below = random is not None and not beside
    with look.style(width):
        table = ends_of(parts.table, most)
        tall = len(table) * _ROW + 0.75
        rows = max(tall + 0.15 * parts.table["list"].nunique(), 2.9)
        height = look.title_height(title, width) + rows + 1.8 * below
        ratios: dict[str, Any] = {"height_ratios": [tall, 1.8]} if below else {}
        ratios |= {"width_ratios": [1.9, 1]} if beside else {}
        figure, axes = look.new_figure(1 + below, 1 + beside, size, height, **ratios)
        _draw_lollipops(axes[0], parts, table, names, width * (0.5 if beside else 0.72))
        if random is not None:
            inches = width * (0.28 if beside else 0.8)
            if beside:
                axes[1].set(box_aspect=min(1.6, 0.8 * tall / inches), anchor="N")
            _draw_random(axes[1], parts.row, random, share, inches)
        look.set_title(figure, title)
    return figure


def _draw_lollipops(
    axis: Axes, parts: Differences, table: pd.DataFrame, names: Names, inches: float
) -> None:
    """Draw the differences of attributes, in their lists' colours."""
    looks, y = look.category_looks(parts.lists), np.arange(len(table))
    axis.axvline(0, color=look.INK, linewidth=0.7)
    for name, part in table.groupby("list", sort=False):
        of_list = looks[str(name)]
        axis.hlines(y[part.index], 0, part["difference"], color=of_list.colour, alpha=0.55)
        axis.plot(part["difference"], y[part.index], linestyle="none", **of_list.options)
    axis.set_yticks(y, table["attribute"], parse_math=False)
    for text, name in zip(axis.get_yticklabels(), table["list"], strict=True):
        text.set_color(looks[name].colour)
    low, high = min(0.0, table["difference"].min()), max(0.0, table["difference"].max())
    span = (high - low) or 1.0
    room = [max(0.04, 0.3 - abs(end) / span) * span for end in (low, high)]
    axis.set_xlim(low - room[0], high + room[1])
    axis.set_ylim(len(table) - 0.4, -0.6)
    if len(looks) > 1:
        named = {names.list(name): mark for name, mark in looks.items()}
        look.legend_above(axis, named, inches, labelcolor=[m.colour for m in named.values()])
    shown = f" ({len(table)} of {len(parts.table)})" if len(table) < len(parts.table) else ""
    label = f"observed difference of mean distance, each attribute{shown}"
    look.sides(axis, parts.left, parts.right, label, inches=inches)
    look.fewer_ticks(axis, inches)


def _draw_random(axis: Axes, row: Any, random: Array, share: str, inches: float) -> None:
    """Draw how contrasts of random groups are distributed, and where the observed one lies."""
    from scipy.stats import gaussian_kde

    size = abs(row.observed)
    reach = 1.15 * max(size, float(np.quantile(np.abs(random), 0.998)))
    grid = np.linspace(-reach, reach, 401)
    density = gaussian_kde(random)(grid)
    axis.fill_between(grid, density, color=look.FAINT, linewidth=0)
    for tail in (grid <= -size, grid >= size):
        axis.fill_between(grid[tail], density[tail], color=look.EDGE, linewidth=0)
    axis.axvline(row.observed, color=look.INK, linewidth=1.8)
    axis.set(ylim=(0, 1.45 * density.max()), xlim=(-reach, reach), yticks=[])
    axis.spines["left"].set_visible(False)
    is_left = row.observed < 0
    at, inside, outside = (4, "left", "right") if is_left else (-4, "right", "left")
    letters: dict[str, Any] = {"va": "top", "fontsize": mpl.rcParams["xtick.labelsize"]}
    bold = letters | {"xycoords": ("data", "axes fraction"), "fontweight": "bold", "ha": inside}
    text = f"observed\n{signed(row.observed)}"
    axis.annotate(text, (row.observed, 1.0), (at, -1), textcoords="offset points", **bold)
    letters |= {"transform": axis.transAxes, "color": look.QUIET, "ha": outside}
    axis.text(0.98 if is_left else 0.02, 0.8, "random\ngroups", **letters)
    axis.set_title(look.folded(share, inches, mpl.rcParams["axes.titlesize"], bold=True))
    look.sides(axis, "closer", "farther", f"{row.contrast}, cosine distance", inches=inches)
    look.fewer_ticks(axis, inches)


def random_figure(row: Any, random: Array, share: str, size: look.Size, ax: Axes | None) -> Figure:
    """Draw the contrasts of random groups alone."""
    width = look.width_of(size, ax, look.COLUMN)
    with look.style(width):
        figure, axes = look.new_figure(1, 1, size, min(0.75 * width, 3.2), ax=ax)
        _draw_random(axes[0], row, random, share, 0.9 * width)
    return figure


def means_figure(
    rows: pd.DataFrame, title: str, what: str, size: look.Size, ax: Axes | None
) -> Figure:
    """Draw means of connections with intervals, those with one label in its row.

    `rows`: ``label``, ``connection``, ``mean``, ends of the interval and of an inner one. Without
    another label than its connection's, a mark needs no legend.
    """
    labels = ends_of(rows[["label"]].drop_duplicates())["label"].tolist()
    rows = rows[rows["label"].isin(labels)].reset_index(drop=True)
    of_label = rows.groupby("label")
    n, at = of_label["mean"].transform("size"), of_label.cumcount()
    most = n.max()
    place = rows["label"].map(labels.index) * (1.0 if most == 1 else 0.5 + 0.3 * most)
    rows["y"] = place + (at - (n - 1) / 2) * 0.3 + (most > 1) * 0.5
    lines = rows["y"].max() + 1
    height = 0.75 + lines * _ROW * (1.6 if lines < 12 else 1.0)
    with look.rows_figure(title, labels, height, size, ax) as (figure, axis, inches):
        present = set(rows[CONNECTION])
        looks = {name: mark for name, mark in look.CONNECTION_LOOKS.items() if name in present}
        for name, mark in looks.items():
            look.draw_marks(axis, rows[rows[CONNECTION] == name], mark)
        places = rows.groupby("label", sort=False)["y"].mean()
        axis.set_yticks(places.to_numpy(), places.index, parse_math=False)
        axis.set_ylim(lines - 0.3, -0.7)
        if (rows["label"] != rows[CONNECTION]).any():
            look.legend_above(axis, looks, inches)
        look.sides(axis, "closer", "farther", what, inches=inches)
    return figure


def forest_figure(
    rows: pd.DataFrame, title: str, what: str, rope: float, size: look.Size, ax: Axes | None
) -> Figure:
    """Draw contrasts with intervals and verdicts, with room between `panel` and panel.

    `rows`: ``label``, ``panel``, ``mean``, ``low``, ``high``, ``verdict``.
    """
    width, rows = look.width_of(size, ax), ends_of(rows.reset_index(drop=True))
    steps = 1 + 0.7 * (rows["panel"] != rows["panel"].shift())
    rows["y"] = steps.cumsum() - steps.iloc[0]
    with look.style(width):
        letters = mpl.rcParams["ytick.labelsize"]
        labels = [look.folded(text, 0.4 * width, letters) for text in rows["label"]]
    lines, folds = rows["y"].max() + 1, max(label.count("\n") for label in labels)
    height = 0.95 + lines * _ROW * ((1.5 if lines < 12 else 1) + 0.7 * folds)
    with look.rows_figure(title, labels, height, size, ax) as (figure, axis, inches):
        look.draw_forest(axis, rows, labels, rope=rope)
        looks = {n: look.verdict_look(n) for n in VERDICTS if (rows["verdict"] == n).any()}
        look.legend_above(axis, looks, inches)
        look.sides(axis, "closer", "farther", what, inches=inches)
    return figure


def heat_map(
    table: pd.DataFrame, title: str, what: str, size: look.Size, ax: Axes | None
) -> Figure:
    """Draw numbers around 0 as colours, with lines between the first levels of both indices."""
    width = look.width_of(size, ax)
    with look.style(width):
        letters = mpl.rcParams["ytick.labelsize"] - 1
        words = table.columns.get_level_values(1)
        longest = max(look.text_width(str(word), letters) for word in words)
        height = look.title_height(title, width) + len(table) * 1.25 * letters / 72 + longest + 0.9
        figure, (axis, *_) = look.new_figure(1, 1, size, height, ax=ax)
        reach = float(np.nanquantile(np.abs(table), 0.99)) or 1.0
        options: dict[str, Any] = {"cmap": look.VERDICT_COLOURS, "vmin": -reach, "vmax": reach}
        image = axis.imshow(table, aspect="auto", interpolation="nearest", **options)
        named = {"fontsize": letters, "parse_math": False}
        axis.set_xticks(np.arange(len(words)), words, rotation=90, **named)
        axis.set_yticks(np.arange(len(table)), table.index.get_level_values(1), **named)
        for level, line in ((table.columns, axis.axvline), (table.index, axis.axhline)):
            of = pd.Series(level.get_level_values(0))
            for place in np.flatnonzero(of != of.shift())[1:]:
                line(place - 0.5, color=look.INK, linewidth=0.8)
        axis.spines[:].set_visible(False)
        bar = figure.colorbar(image, ax=axis, location="top", aspect=50, pad=0.015, fraction=0.03)
        bar.outline.set_visible(False)
        bar.set_label(look.folded(f"◄ closer    {what}    farther ►", 0.8 * width, 7.5))
        look.set_title(figure, title, ax=ax)
    return figure


def atlas_figure(
    sizes: pd.DataFrame, sure: pd.DataFrame, title: str, what: str, size: look.Size, ax: Axes | None
) -> Figure:
    """Draw a table of numbers around 0 in colours and figures, those that are `sure` bold."""
    values, lists, vectors = sizes.to_numpy(), list(sizes.index), list(sizes.columns)
    width = look.width_of(size, ax, min(look.PAGE, 2.2 + 1.1 * len(vectors)))
    with look.style(width):
        height = look.title_height(title, width) + 1.4 + 0.28 * len(lists)
        figure, (axis,) = look.new_figure(1, 1, size or width, height, ax=ax)
        most = max(float(np.nanmax(np.abs(values), initial=0.0)), 0.1)
        # Squares and not an image, which pages could not show.
        colours: dict[str, Any] = {"cmap": look.VERDICT_COLOURS, "vmin": -most, "vmax": most}
        axis.pcolormesh(np.ma.masked_invalid(values), edgecolors="face", **colours)
        axis.invert_yaxis()
        for (i, j), x in np.ndenumerate(values):
            colour = "#fefefe" if abs(x) > 0.5 * most else "#010101"  # of cells, on dark pages too
            weight = "bold" if sure.iloc[i, j] else "normal"
            text, at = signed(x, 2) if np.isfinite(x) else "–", (j + 0.5, i + 0.5)
            axis.text(*at, text, color=colour, weight=weight, ha="center", va="center")
        axis.set_xticks(
            np.arange(len(vectors)) + 0.5, vectors, rotation=30, ha="right", parse_math=False
        )
        axis.set_yticks(np.arange(len(lists)) + 0.5, lists, parse_math=False)
        axis.spines[:].set_visible(False)
        axis.set_xlabel(look.folded(what, width / 2, 8))
        look.set_title(figure, title, ax=ax)
    return figure


def conditions_figure(
    series: Mapping[str, pd.DataFrame],
    at: Mapping[str, float],
    title: str,
    what: str,
    size: look.Size,
    ax: Axes | None,
    *,
    joined: bool,
) -> Figure:
    """Draw contrasts under conditions from above to below, each contrast joined or not.

    `series`: by label, rows with ``condition``, ``mean``, ``low``, ``high``. `at`: the places of
    conditions.
    """
    places = list(at.values())
    share = 0.5 if joined else 0.8  # of the room between conditions
    step = share * (np.ptp(places) / max(len(at) - 1, 1)) / max(len(series), 1)
    looks = look.category_looks(list(series))
    height = 0.9 + 0.17 * len(series) + 0.28 * len(at) * (1 if joined else len(series))
    with look.rows_figure(title, at, height, size, ax, least=2.4) as (figure, axis, inches):
        for number, (label, part) in enumerate(series.items()):
            y = part["condition"].map(at).to_numpy() + (number - (len(series) - 1) / 2) * step
            axis.hlines(y, part["low"], part["high"], color=looks[label].colour)
            line = "-" if joined else "none"
            axis.plot(part["mean"], y, linestyle=line, **looks[label].options)
        axis.axvline(0.0, color=look.EDGE, linewidth=0.8, zorder=0)
        axis.set_yticks(places, [*at], parse_math=False)
        axis.invert_yaxis()
        if len(series) > 1:
            look.legend_above(axis, looks, inches)
        look.sides(axis, "closer", "farther", what, inches=inches)
    return figure


def predictive_figure(data: Any, title: str, what: str, seed: int, size: look.Size) -> Figure:
    """Draw ArviZ's predictive check of inference data, by either generation of it."""
    width = look.width_of(size, usual=look.COLUMN)
    with look.style(width), quiet_imports():
        import arviz as az
        from matplotlib import MatplotlibDeprecationWarning

        warnings.simplefilter("ignore", MatplotlibDeprecationWarning)  # ArviZ 0.23 meets 3.11
        if has_inferencedata():
            figure, axes = look.new_figure(1, 1, size, min(0.75 * width, 3.2))
            options = {"num_pp_samples": _DRAWS, "random_seed": seed, "mean": False}
            colours = [look.CATEGORIES[5], look.INK, look.INK]
            az.plot_ppc(data, ax=axes[0], textsize=8, colors=colours, **options)
        else:
            import matplotlib.pyplot as plt

            collection = vars(az)["plot_ppc_dist"](data, num_samples=_DRAWS)
            figure = collection.viz["figure"].item()
            plt.close(figure)  # or pyplot would show it once more
            figure.set_size_inches(size if isinstance(size, tuple) else (width, 0.75 * width))
            figure.set_layout_engine("constrained")
            axes = list(figure.axes)
            axes[0].set_title("")
        axes[0].set_xlabel(what)
        look.set_title(figure, title)
    return figure
