"""The figures of a fit: methods of `Fit`. Closer is to the left, and the finding is the title.

A contrast is a mean over attributes, so that it falls apart into one number for each: between two
groups the difference of their mean distances to the attribute; over all the distance of the groups
that a list belongs to, minus that of the others; of a single group the attribute's distance minus
the mean of the list that it is compared with.

Matplotlib is imported when a figure is asked for: it takes longer than a screen does.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CONNECTION,
    DISTANCE,
    GROUP,
    HDPI_PROB,
    INNER_PROB,
    PROTECTED_WORD,
    STEREOTYPE_CONNECTIONS,
    VERDICTS,
)
from bayesbias.errors import ArgumentError, FitError, one_of, suggest
from bayesbias.fits.contrasts import LEVELS, RANDOM_LEVELS, random_contrasts
from bayesbias.fits.decision import DecisionRule
from bayesbias.fits.screen import findings
from bayesbias.show.narrator import (
    Names,
    headline,
    leading_row,
    percent,
    row_label,
    signed,
    tally,
    yardstick,
)
from bayesbias.support.arguments import Axes, Figure
from bayesbias.support.compatibility import has_inferencedata, quiet_imports
from bayesbias.words.provenance import names_of

if TYPE_CHECKING:
    from bayesbias.fits.fit_result import Fit
    from bayesbias.show.style import Size

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


def differences(fit: "Fit", contrasts: pd.DataFrame) -> Differences | None:
    """Return the differences of attributes behind the leading contrast; None if it is withheld."""
    names, response = names_of(fit.frame), fit.spec.response
    row = two = leading_row(contrasts)
    if row is None or two is None:
        return None
    if row.level == "over all" and len(names.groups) == 2:
        by_list = contrasts[(contrasts["level"] == "list") & (contrasts["withheld"] == "")]
        two = by_list.loc[by_list["standardised"].abs().idxmax()]

    def means_of(rows: pd.DataFrame) -> pd.DataFrame:
        return rows.pivot_table(response, [ATTRIBUTE_SET, ATTRIBUTE], GROUP, sort=False)

    pairs = fit.frame[fit.frame[CONNECTION].isin(STEREOTYPE_CONNECTIONS)]
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
        others = fit.frame[(fit.frame[CONNECTION] == compared) & fit.frame[GROUP].isin(own[GROUP])]
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


def plot(fit: "Fit", *, groups: "tuple[str, str] | None" = None, figsize: "Size" = None) -> Figure:
    """Draw the attributes, sorted, beside the random groups: the finding in one figure.

    Parameters
    ----------
    groups : two names of groups, optional
        Whose mean distances are subtracted; by default those of the leading contrast.
    figsize : float, or two, optional
        Width in inches, for which the height is chosen, or both; 7.2 if not given, and 3.5 is a
        journal's column.

    Returns
    -------
    matplotlib.figure.Figure
        Without vectors there are no random groups, and the figure is that of `plot_means`.
    """
    return finding_figure(fit, groups, figsize)


def finding_figure(
    fit: "Fit",
    groups: "tuple[str, str] | None",
    size: "Size",
    *,
    most: int = MOST_ROWS,
    titled: bool = True,
) -> Figure:
    """Draw `Fit.plot`, with at most so many attributes, of more those at both ends."""
    from bayesbias.show import style as look

    rule, names = fit.rule(), names_of(fit.frame)
    table = fit.contrasts(pairs=groups is not None)
    if groups is not None:
        table = of_pair(table, names, groups)
    parts = differences(fit, table)
    if parts is None or (fit.random is None and groups is None):
        return _means_figure(fit, "connection", rule, size, None, titled=titled)
    share, title = yardstick(table), headline(table, names, rule.label) * titled
    width = look.width_of(size)
    beside = bool(share) and width >= 5
    below = bool(share) and not beside
    with look.style(width):
        tall = len(_ends(parts.table, most)) * _ROW + 0.75
        rows = max(tall + 0.15 * parts.table["list"].nunique(), 2.9)
        height = look.title_height(title, width) + rows + 1.8 * below
        ratios: dict[str, Any] = {"width_ratios": [1.9, 1]} if beside else {}
        ratios |= {"height_ratios": [tall, 1.8]} if below else {}
        figure, axes = look.new_figure(1 + below, 1 + beside, size, height, **ratios)
        _draw_lollipops(axes[0], parts, names, width * (0.5 if beside else 0.72), most)
        if share:
            inches = width * (0.28 if beside else 0.8)
            if beside:
                axes[1].set(box_aspect=min(1.6, 0.8 * tall / inches), anchor="N")
            _draw_random(axes[1], fit, parts.row, share, inches)
        look.set_title(figure, title)
    return figure


def _ends(table: pd.DataFrame, most: int = MOST_ROWS) -> pd.DataFrame:
    """Return the first and the last rows of a long table."""
    if len(table) <= most:
        return table
    return pd.concat([table[: most // 2], table[-(most // 2) :]], ignore_index=True)


def _draw_lollipops(axis: Axes, parts: Differences, names: Names, inches: float, most: int) -> None:
    """Draw the difference of every attribute, in its list's colour."""
    from bayesbias.show import style as look

    table = _ends(parts.table, most)
    looks = look.category_looks(parts.lists)
    y = np.arange(len(table))
    axis.axvline(0, color=look.INK, linewidth=0.7)
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


def _draw_random(axis: Axes, fit: "Fit", row: pd.Series, share: str, inches: float) -> None:
    """Draw how contrasts of random groups are distributed, and where the observed one lies."""
    import matplotlib as mpl
    from scipy.stats import gaussian_kde

    from bayesbias.show import style as look

    draws = random_contrasts(fit.design, fit.random, pairs=True)
    random = draws[row["level"], row["list"], row["contrast"]].to_numpy()
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


def plot_random_groups(fit: "Fit", *, figsize: "Size" = None, ax: "Axes | None" = None) -> Figure:
    """Draw how far random groups of words differ, and where the leading contrast lies."""
    from bayesbias.show import style as look

    table = fit.contrasts()
    row = leading_row(table)
    if row is None or row["level"] not in RANDOM_LEVELS:
        raise FitError("no contrast of groups has an answer, which random groups could be set to")
    width = look.width_of(figsize, ax, look.COLUMN)
    with look.style(width):
        figure, axes = look.new_figure(1, 1, figsize, min(0.75 * width, 3.2), ax=ax)
        _draw_random(axes[0], fit, row, yardstick(table), 0.9 * width)
    return figure


def plot_means(
    fit: "Fit",
    by: str = "connection",
    *,
    ci_prob: float = HDPI_PROB,
    ci_kind: str = "hdi",
    figsize: "Size" = None,
    ax: "Axes | None" = None,
) -> Figure:
    """Draw mean distances with intervals by "connection", "list", "group" or "word"."""
    return _means_figure(fit, by, fit.rule(ci_prob=ci_prob, ci_kind=ci_kind), figsize, ax)


def _means_figure(
    fit: "Fit", by: str, rule: DecisionRule, size: "Size", ax: "Axes | None", *, titled: bool = True
) -> Figure:
    from bayesbias.show import style as look

    one_of(by, "by", ("connection", "list", "group", "word"))
    rows, title = _mean_rows(fit, by, rule), _title(fit, rule) * titled
    width = look.width_of(size, ax)
    lines = rows["y"].max() + 1
    with look.style(width):
        step = _ROW * (1.6 if lines < 12 else 1.0)
        height = look.title_height(title, width) + 0.75 + lines * step
        figure, (axis, *_) = look.new_figure(1, 1, size, height, ax=ax)
        room = look.panel_width(rows["label"], width)
        present = set(rows[CONNECTION])
        looks = {name: mark for name, mark in look.CONNECTION_LOOKS.items() if name in present}
        for name, mark in looks.items():
            look.draw_marks(axis, rows[rows[CONNECTION] == name], mark)
        places = rows.groupby("label", sort=False)["y"].mean()
        axis.set_yticks(places.to_numpy(), places.index, parse_math=False)
        axis.set_ylim(lines - 0.3, -0.7)
        if by != "connection":
            look.legend_above(axis, looks, room)
        is_distance = fit.spec.response == DISTANCE
        what = "mean cosine distance" if is_distance else "mean change of distance"
        look.sides(axis, "closer", "farther", f"{what}, {rule.label}, thick: 50%", inches=room)
        look.finish_rows(figure, axis, title, room, ax)
    return figure


def _title(fit: "Fit", rule: DecisionRule) -> str:
    return findings(fit, fit.contrasts(rule=rule), names_of(fit.frame), rule)[0]


def _mean_rows(fit: "Fit", by: str, rule: DecisionRule) -> pd.DataFrame:
    """Return the rows of a figure of means, with their labels and heights."""
    rows = fit.summary(by, ci_prob=rule.ci_prob, ci_kind=rule.ci_kind)
    inner = fit.summary(by, ci_prob=INNER_PROB, ci_kind=rule.ci_kind)
    rows = rows.assign(inner_low=inner["low"], inner_high=inner["high"])
    rows["label"] = rows[PROTECTED_WORD if by == "word" else by].astype(str)
    if by == "list":
        rows["label"] = rows["list"].str.replace("_", " ") + ", " + rows[GROUP]
    if by == "word":
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


def plot_contrasts(
    fit: "Fit",
    level: str | None = None,
    *,
    rule: DecisionRule | None = None,
    figsize: "Size" = None,
    ax: "Axes | None" = None,
) -> Figure:
    """Draw contrasts with intervals and verdicts: of a level, or all but those of words."""
    import matplotlib as mpl

    from bayesbias.show import style as look

    rule, names = fit.rule(rule), names_of(fit.frame)
    table = fit.contrasts(rule=rule)
    if level is not None:
        one_of(level, "level", LEVELS)
    rows = table[table["withheld"] == ""]
    rows = rows[rows["level"] == level] if level else rows[rows["level"] != "word"]
    if rows.empty:
        raise FitError(f"no contrast of level {level!r} has an answer; fit.contrasts() says why")
    is_whole = level in (None, "over all")
    title = _title(fit, rule) if is_whole else tally(rows, names, str(level))
    if level == "list":
        rows = rows.sort_values("mean", kind="stable")
    if level == "word":
        rows = rows.assign(order=rows[GROUP].map(names.groups.index))
        rows = rows.sort_values(["order", "mean"], kind="stable")
    panel = rows[GROUP] if level == "word" else rows["level"]
    rows = rows.assign(label=[row_label(row) for row in rows.itertuples()], panel=panel)
    rows = _ends(rows.reset_index(drop=True))
    steps = 1 + 0.7 * (rows["panel"] != rows["panel"].shift())  # room between panels
    rows["y"] = steps.cumsum() - steps.iloc[0]
    width = look.width_of(figsize, ax)
    with look.style(width):
        letters = mpl.rcParams["ytick.labelsize"]
        labels = [look.folded(text, 0.4 * width, letters) for text in rows["label"]]
        more = max(label.count("\n") for label in labels)
        lines = rows["y"].max() + 1
        step = _ROW * ((1.5 if lines < 12 else 1) + 0.7 * more)
        height = look.title_height(title, width) + 0.95 + lines * step
        room = look.panel_width(labels, width)
        figure, (axis, *_) = look.new_figure(1, 1, figsize, height, ax=ax)
        look.draw_forest(axis, rows, labels, rope=rule.width)
        looks = {n: look.verdict_look(n) for n in VERDICTS if (rows["verdict"] == n).any()}
        look.legend_above(axis, looks, room)
        grey = ", grey: ROPE" if rule.width else ""
        what = f"difference of mean cosine distance, {rule.label}{grey}"
        look.sides(axis, "closer", "farther", what, inches=room)
        look.finish_rows(figure, axis, title, room, ax)
    return figure


def plot_words(
    fit: "Fit",
    *,
    rule: DecisionRule | None = None,
    figsize: "Size" = None,
    ax: "Axes | None" = None,
) -> Figure:
    """Draw the contrast of every protected word, group by group."""
    return plot_contrasts(fit, "word", rule=rule, figsize=figsize, ax=ax)


def interaction(fit: "Fit") -> pd.DataFrame:
    """Return distances of attributes (rows) and words, less the means of rows and of columns.

    Rows are by list and columns by group, in their order.
    """
    names, pairs = names_of(fit.frame), fit.frame[CONNECTION].isin(STEREOTYPE_CONNECTIONS)
    rows, columns = [ATTRIBUTE_SET, ATTRIBUTE], [GROUP, PROTECTED_WORD]
    options: dict[str, Any] = {"sort": False, "observed": True}
    table = fit.frame[pairs].pivot_table(fit.spec.response, rows, columns, **options)
    table = table.sub(table.mean(axis=1), axis=0)
    table = table.sub(table.mean(axis=0), axis=1)
    lists = [name for name in names.lists if name in table.index.get_level_values(0)]
    groups = [name for name in names.groups if name in table.columns.get_level_values(0)]
    return table.loc[lists, groups]


def plot_heatmap(fit: "Fit", *, figsize: "Size" = None, ax: "Axes | None" = None) -> Figure:
    """Draw observed distances of words and attributes, less the means of both, as colours."""
    import matplotlib as mpl

    from bayesbias.show import style as look

    table, title = interaction(fit), _title(fit, fit.rule())
    width = look.width_of(figsize, ax)
    with look.style(width):
        letters = mpl.rcParams["ytick.labelsize"] - 1
        row = 1.25 * letters / 72
        words = table.columns.get_level_values(1)
        longest = max(look.text_width(str(word), letters) for word in words)
        height = look.title_height(title, width) + len(table) * row + longest + 0.9
        figure, (axis, *_) = look.new_figure(1, 1, figsize, height, ax=ax)
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
        what = "cosine distance, less means of words and attributes"
        bar.set_label(look.folded(f"◄ closer    {what}    farther ►", 0.8 * width, 7.5))
        look.set_title(figure, title, ax=ax)
    return figure


def plot_predictive(fit: "Fit", *, figsize: "Size" = None) -> Figure:
    """Draw ArviZ's posterior predictive check: densities of observed and predicted values."""
    from bayesbias.show import style as look

    inside = percent(fit.coverage()["inside"].iloc[0])
    title = f"{inside} of pairs lie in their 89% predictive interval."
    width, data = look.width_of(figsize, usual=look.COLUMN), fit.idata
    with look.style(width), quiet_imports():
        import arviz as az
        from matplotlib import MatplotlibDeprecationWarning

        warnings.simplefilter("ignore", MatplotlibDeprecationWarning)  # ArviZ 0.23 meets 3.11
        if has_inferencedata():
            figure, axes = look.new_figure(1, 1, figsize, min(0.75 * width, 3.2))
            options = {"num_pp_samples": _DRAWS, "random_seed": fit.seed, "mean": False}
            colours = [look.CATEGORIES[5], look.INK, look.INK]
            az.plot_ppc(data, ax=axes[0], textsize=8, colors=colours, **options)
        else:
            import matplotlib.pyplot as plt

            collection = vars(az)["plot_ppc_dist"](data, num_samples=_DRAWS)
            figure = collection.viz["figure"].item()
            plt.close(figure)  # or pyplot would show it once more
            figure.set_size_inches(figsize if isinstance(figsize, tuple) else (width, 0.75 * width))
            figure.set_layout_engine("constrained")
            axes = list(figure.axes)
            axes[0].set_title("")
        axes[0].set_xlabel("cosine distance" if fit.spec.response == DISTANCE else "change")
        look.set_title(figure, title)
    return figure
