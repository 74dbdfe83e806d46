"""The figures of a fit, from frames and names: differences, random groups, means, contrasts, words.

Closer is to the left everywhere. The finding is the title, and axes say which side is whose.

A contrast is a mean over attributes, so that it falls apart into one number for each: between two
groups the difference of their mean distances to the attribute; over all the distance of the groups
that a list belongs to, minus that of the others; of a single group the attribute's distance minus
the mean of the list that it is compared with.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CONNECTION,
    GROUP,
    PROTECTED_WORD,
    STEREOTYPE_CONNECTIONS,
    VERDICTS,
)
from bayesbias.errors import ArgumentError, suggest
from bayesbias.show import style as look
from bayesbias.show.narrator import Names, leading_row, signed
from bayesbias.show.style import CONNECTION_LOOKS, EDGE, FAINT, INK, PALETTE, Look, Size

MOST_ROWS: Final = 60
"""Rows of a figure; of more it shows the first and the last ones."""

_ROW: Final = 0.165  # inches


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


def differences(
    frame: pd.DataFrame, contrasts: pd.DataFrame, names: Names, response: str
) -> Differences | None:
    """Return the differences of attributes behind the leading contrast; None if it is withheld."""
    row = two = leading_row(contrasts)
    if row is None or two is None:
        return None
    if row.level == "over all" and len(names.groups) == 2:
        by_list = contrasts[(contrasts["level"] == "list") & (contrasts["withheld"] == "")]
        two = by_list.loc[by_list["standardised"].abs().idxmax()]

    def means_of(rows: pd.DataFrame) -> pd.DataFrame:
        return rows.pivot_table(response, [ATTRIBUTE_SET, ATTRIBUTE], GROUP, sort=False)

    pairs = frame[frame[CONNECTION].isin(STEREOTYPE_CONNECTIONS)]
    own = pairs[pairs[CONNECTION] == "associated"]
    owner = own.drop_duplicates(ATTRIBUTE_SET).set_index(ATTRIBUTE_SET)[GROUP]
    if two.level == "list":
        means, sides = means_of(pairs), (two.group, two.other)
        first, second = (means[side.split(", ")].mean(axis=1) for side in sides)
        left, right = (f"closer to {names.group(side)}" for side in sides)
    elif row.level == "over all":
        others = pairs[pairs[CONNECTION] != "associated"]
        first, second = (means_of(rows).mean(axis=1) for rows in (own, others))
        left, right = "closer to its own group", "closer to the other groups"
    else:
        compared = row.contrast.partition(" − ")[2]
        own = own[own[GROUP] == row.group] if row.group else own
        others = frame[(frame[CONNECTION] == compared) & frame[GROUP].isin(own[GROUP])]
        first, second = means_of(own).mean(axis=1), others[response].mean()
        what = f"{compared} words" if compared != "different" else "the other lists"
        left, right = f"closer than {what}", f"farther than {what}"
    values = (first - second).dropna().rename("difference").rename_axis(["list", ATTRIBUTE])
    table = values.reset_index().sort_values("difference", kind="stable", ignore_index=True)
    place = owner.map(names.groups.index).to_dict()
    lists = [name for name in names.lists if name in set(table["list"])]
    lists.sort(key=lambda name: place.get(name, len(names.groups)))
    return Differences(table, left, right, row, tuple(lists))


def of_pair(contrasts: pd.DataFrame, names: Names, groups: Sequence[str]) -> pd.DataFrame:
    """Return the rows by list that compare two groups."""
    for name in groups:
        if name not in names.groups:
            raise ArgumentError(f"groups: no group {name!r}{suggest(name, names.groups)}")
    if len(set(groups)) != 2:
        raise ArgumentError(f"groups={tuple(groups)!r}: name two groups, as ('a', 'b')")
    sides = contrasts[[GROUP, "other"]].isin(groups).all(axis=1)
    return contrasts[sides & (contrasts["level"] == "list")]


def plot_finding(
    parts: Differences,
    title: str,
    share: str,
    random: np.ndarray | None,
    names: Names,
    *,
    size: Size = None,
    most: int = MOST_ROWS,
) -> Figure:
    """Draw attributes as sorted lollipops beside the density of random groups, where there is one.

    `random` (n_draws,): the same contrast of random groups; `share`: the sentence above them;
    `most`: rows, of more those at both ends.
    """
    width = look.width_of(size)
    beside = random is not None and width >= 5
    below = random is not None and not beside
    with look.style(width):
        tall = len(_ends(parts.table, most)) * _ROW + 0.75
        rows = max(tall + 0.15 * parts.table["list"].nunique(), 2.9)
        height = look.title_height(title, width) + rows + 1.8 * below
        ratios: dict[str, Any] = {"width_ratios": [1.9, 1]} if beside else {}
        ratios |= {"height_ratios": [tall, 1.8]} if below else {}
        figure, axes = look.new_figure(1 + below, 1 + beside, size, height, **ratios)
        inches = width * (0.5 if beside else 0.72)
        _draw_lollipops(axes[0], parts, names, inches, most)
        if random is not None:
            inches = width * (0.28 if beside else 0.8)
            if beside:
                axes[1].set(box_aspect=min(1.6, 0.8 * tall / inches), anchor="N")
            draw_random(axes[1], random, parts.row, share, inches)
        look.set_title(figure, title)
    return figure


def _ends(table: pd.DataFrame, most: int = MOST_ROWS) -> pd.DataFrame:
    """Return the first and the last rows of a long table."""
    if len(table) <= most:
        return table
    return pd.concat([table[: most // 2], table[-(most // 2) :]], ignore_index=True)


def _draw_lollipops(axis: Axes, parts: Differences, names: Names, inches: float, most: int) -> None:
    """Draw the difference of every attribute, in its list's colour."""
    table = _ends(parts.table, most)
    looks = look.category_looks(parts.lists)
    y = np.arange(len(table))
    axis.axvline(0, color=INK, linewidth=0.7)
    for name, part in table.groupby("list", sort=False):
        of_list = looks[str(name)]
        axis.hlines(y[part.index], 0, part["difference"], color=of_list.colour, alpha=0.55)
        axis.plot(part["difference"], y[part.index], linestyle="none", **of_list.options)
    axis.set_yticks(y, table[ATTRIBUTE], parse_math=False)
    for text, name in zip(axis.get_yticklabels(), table["list"], strict=True):
        text.set_color(looks[name].colour)
    low, high = min(0.0, table["difference"].min()), max(0.0, table["difference"].max())
    span = (high - low) or 1.0
    axis.set_xlim(
        low - max(0.04, 0.3 + low / span) * span, high + max(0.04, 0.3 - high / span) * span
    )
    axis.set_ylim(len(table) - 0.4, -0.6)
    if len(looks) > 1:
        named = {names.list(name): mark for name, mark in looks.items()}
        look.legend_above(axis, named, inches, labelcolor=[m.colour for m in named.values()])
    shown = f" ({len(table)} of {len(parts.table)})" if len(table) < len(parts.table) else ""
    label = f"observed difference of mean distance, each attribute{shown}"
    look.sides(axis, parts.left, parts.right, label, inches=inches)
    look.fewer_ticks(axis, inches)


def draw_random(axis: Axes, random: np.ndarray, row: pd.Series, share: str, inches: float) -> None:
    """Draw how contrasts of random groups are distributed, and where the observed one lies."""
    from scipy.stats import gaussian_kde

    size = abs(row.observed)
    reach = 1.15 * max(size, float(np.quantile(np.abs(random), 0.998)))
    grid = np.linspace(-reach, reach, 401)
    density = gaussian_kde(random)(grid)
    axis.fill_between(grid, density, color=FAINT, linewidth=0)
    for tail in (grid <= -size, grid >= size):
        axis.fill_between(grid[tail], density[tail], color=EDGE, linewidth=0)
    axis.axvline(row.observed, color=INK, linewidth=1.8)
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


def plot_random(
    random: np.ndarray, row: pd.Series, share: str, *, size: Size = None, ax: Axes | None = None
) -> Figure:
    """Draw the density of random groups alone."""
    width = look.width_of(size, ax, look.COLUMN)
    with look.style(width):
        figure, axes = look.new_figure(1, 1, size, min(0.75 * width, 3.2), ax=ax)
        draw_random(axes[0], random, row, share, 0.9 * width)
    return figure


def plot_means(
    table: pd.DataFrame,
    inner: pd.DataFrame,
    label: str,
    title: str,
    *,
    what: str = "mean cosine distance",
    size: Size = None,
    ax: Axes | None = None,
) -> Figure:
    """Draw means with intervals by connection, or by group, list or word and connection.

    `table`, `inner`: of `Fit.summary` with the wide and the narrow intervals; `label`: of the wide.
    """
    key = next((k for k in (PROTECTED_WORD, "list", GROUP) if k in table), CONNECTION)
    rows = _mean_rows(table, inner, key)
    width = look.width_of(size, ax)
    lines = rows["y"].max() + 1
    with look.style(width):
        step = _ROW * (1.6 if lines < 12 else 1.0)
        height = look.title_height(title, width) + 0.75 + lines * step
        figure, axes = look.new_figure(1, 1, size, height, ax=ax)
        room = look.panel_width(rows["label"], width)
        present = set(rows[CONNECTION])
        looks = {name: mark for name, mark in CONNECTION_LOOKS.items() if name in present}
        for name, mark in looks.items():
            _draw_marks(axes[0], rows[rows[CONNECTION] == name], mark)
        places = rows.groupby("label", sort=False)["y"].mean()
        axes[0].set_yticks(places.to_numpy(), places.index, parse_math=False)
        axes[0].set_ylim(lines - 0.3, -0.7)
        if key != CONNECTION:
            look.legend_above(axes[0], looks, room)
        text = f"{what}, {label}, thick: 50%"
        look.sides(axes[0], "closer", "farther", text, inches=room)
        look.finish_rows(figure, axes[0], title, room, ax)
    return figure


def _mean_rows(table: pd.DataFrame, inner: pd.DataFrame, key: str) -> pd.DataFrame:
    """Return the rows of a figure of means, with their labels and heights."""
    rows = table.assign(inner_low=inner["low"], inner_high=inner["high"])
    rows["label"] = rows[key].astype(str)
    if key == "list":
        rows["label"] = rows["list"].str.replace("_", " ") + ", " + rows[GROUP]
    if key == PROTECTED_WORD:
        rows = rows.iloc[pd.factorize(rows[GROUP])[0].argsort(kind="stable")]
    labels = rows["label"].drop_duplicates()
    labels = _ends(labels.to_frame())["label"].tolist()
    rows = rows[rows["label"].isin(labels)].reset_index(drop=True)
    n = rows.groupby("label")["mean"].transform("size")
    at = rows.groupby("label").cumcount()
    place = rows["label"].map({name: i for i, name in enumerate(labels)})
    step = n.max()
    apart = 1.0 if step == 1 else 0.5 + 0.3 * step
    return rows.assign(y=place * apart + (at - (n - 1) / 2) * 0.3 + (step > 1) * 0.5)


def _draw_marks(axis: Axes, rows: pd.DataFrame, mark: Look) -> None:
    """Draw means and intervals of one look, with thick inner ones where there are some."""
    axis.hlines(rows["y"], rows["low"], rows["high"], color=mark.colour, linewidth=1.0)
    if "inner_low" in rows:
        ends = rows["y"], rows["inner_low"], rows["inner_high"]
        axis.hlines(*ends, color=mark.colour, linewidth=2.6)
    options = {**mark.options, "markeredgecolor": mark.colour, "linestyle": "none", "zorder": 3}
    axis.plot(rows["mean"], rows["y"], **options)


def draw_forest(
    axis: Axes, rows: pd.DataFrame, labels: Sequence[str], *, rope: float = 0.0
) -> None:
    """Draw contrasts with intervals, a row each, in the looks of their verdicts.

    `rows`: ``y``, ``mean``, ``low``, ``high``, ``verdict``; `rope`: half-width of the region of
    practical equivalence.
    """
    if rope:
        axis.axvspan(-rope, rope, color=FAINT, alpha=0.6, linewidth=0)
    axis.axvline(0, color=EDGE, linewidth=0.8, linestyle=(0, (4, 3)))
    for verdict, part in rows.groupby("verdict", sort=False):
        _draw_marks(axis, part, look.verdict_look(str(verdict)))
    axis.set_yticks(rows["y"], labels, parse_math=False)
    axis.set_ylim(rows["y"].max() + 0.7, -0.7)


def plot_contrasts(
    table: pd.DataFrame,
    labels: Sequence[str],
    title: str,
    label: str,
    *,
    rope: float,
    size: Size,
    ax: Axes | None,
) -> Figure:
    """Draw a forest of contrasts; `label`: of their intervals.

    `table`: rows of `Fit.contrasts` that are not withheld, with `labels`; a change of ``panel``
    leaves room between rows.
    """
    rows = _ends(table.assign(label=list(labels)).reset_index(drop=True))
    steps = 1 + 0.7 * (rows["panel"] != rows["panel"].shift())
    rows["y"] = steps.cumsum() - steps.iloc[0]
    width = look.width_of(size, ax)
    with look.style(width):
        letters = mpl.rcParams["ytick.labelsize"]
        names = [look.folded(text, 0.4 * width, letters) for text in rows["label"]]
        more = max(name.count("\n") for name in names)
        lines = rows["y"].max() + 1
        step = _ROW * ((1.5 if lines < 12 else 1) + 0.7 * more)
        height = look.title_height(title, width) + 0.95 + lines * step
        room = look.panel_width(names, width)
        figure, axes = look.new_figure(1, 1, size, height, ax=ax)
        draw_forest(axes[0], rows, names, rope=rope)
        looks = {
            name: look.verdict_look(name) for name in VERDICTS if (rows["verdict"] == name).any()
        }
        look.legend_above(axes[0], looks, room)
        what = f"difference of mean cosine distance, {label}" + (", grey: ROPE" if rope else "")
        look.sides(axes[0], "closer", "farther", what, inches=room)
        look.finish_rows(figure, axes[0], title, room, ax)
    return figure


VERDICT_COLOURS: Final = LinearSegmentedColormap.from_list(
    "verdicts", [PALETTE["closer"], "white", PALETTE["farther"]]
)
"""Colours from closer over white to farther."""


def interaction(frame: pd.DataFrame, response: str, names: Names) -> pd.DataFrame:
    """Return distances of attributes (rows) and words, less the means of rows and of columns.

    Rows are by list and columns by group, in their order.
    """
    pairs = frame[frame[CONNECTION].isin(STEREOTYPE_CONNECTIONS)]
    table = pairs.pivot_table(
        response, [ATTRIBUTE_SET, ATTRIBUTE], [GROUP, PROTECTED_WORD], sort=False, observed=True
    )
    table = table.sub(table.mean(axis=1), axis=0)
    table = table.sub(table.mean(axis=0), axis=1)
    lists = [name for name in names.lists if name in table.index.get_level_values(0)]
    groups = [name for name in names.groups if name in table.columns.get_level_values(0)]
    return table.loc[lists, groups]


def plot_heatmap(
    table: pd.DataFrame, title: str, names: Names, *, size: Size = None, ax: Axes | None = None
) -> Figure:
    """Draw `interaction` as colours, closer ones in those of the verdict."""
    width = look.width_of(size, ax)
    with look.style(width):
        letters = mpl.rcParams["ytick.labelsize"] - 1
        row = 1.25 * letters / 72
        words = table.columns.get_level_values(1)
        longest = max(look.text_width(str(word), letters) for word in words)
        height = look.title_height(title, width) + len(table) * row + longest + 0.9
        figure, axes = look.new_figure(1, 1, size, height, ax=ax)
        axis, reach = axes[0], float(np.nanquantile(np.abs(table), 0.99)) or 1.0
        options: dict[str, Any] = {"cmap": VERDICT_COLOURS, "vmin": -reach, "vmax": reach}
        image = axis.imshow(table, aspect="auto", interpolation="nearest", **options)
        named = {"rotation": 90, "fontsize": letters, "parse_math": False}
        axis.set_xticks(np.arange(len(words)), words, **named)
        attributes = table.index.get_level_values(1)
        axis.set_yticks(np.arange(len(table)), attributes, fontsize=letters, parse_math=False)
        for level, line in ((table.columns, axis.axvline), (table.index, axis.axhline)):
            of = pd.Series(level.get_level_values(0))
            for place in np.flatnonzero(of != of.shift())[1:]:
                line(place - 0.5, color=INK, linewidth=0.8)
        axis.spines[:].set_visible(False)
        bar = figure.colorbar(image, ax=axis, location="top", aspect=50, pad=0.015, fraction=0.03)
        bar.outline.set_visible(False)
        what = "cosine distance, less means of words and attributes"
        bar.set_label(look.folded(f"◄ closer    {what}    farther ►", 0.8 * width, 7.5))
        look.set_title(figure, title, ax=ax)
    return figure
