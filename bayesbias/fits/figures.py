"""The figures of a fit: methods of `Fit`. Closer is to the left, and the finding is the title.

A contrast is a mean over attributes, so that it falls apart into one number for each: between two
groups the difference of their mean distances to the attribute; over all the distance of the groups
that a list belongs to, minus that of the others; of a single group the attribute's distance minus
the mean of the list that it is compared with.

Matplotlib is imported when a figure is asked for: it takes longer than a screen does.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

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
    UNASSIGNED,
)
from bayesbias.errors import FitError, one_of
from bayesbias.fits.contrasts import LEVELS, RANDOM_LEVELS
from bayesbias.fits.decision import DecisionRule
from bayesbias.fits.screen import findings, yardstick_of
from bayesbias.show.answer_table import row_label
from bayesbias.show.narrator import headline, leading_row, percent, tally
from bayesbias.support.arguments import Array, Axes, Figure
from bayesbias.words.provenance import names_of

if TYPE_CHECKING:
    from bayesbias.fits.fit_result import Fit
    from bayesbias.show.drawing import Differences
    from bayesbias.show.style import Size

_NO_ROWS: Final = {
    "over all": "no list belongs to some groups and meets others",
    "controls": "the word list has no controls",
    "list": "no list meets two groups",
    **dict.fromkeys(
        ("group", "word"),
        "no group has both lists of its own (associated in the word list) and others; compare "
        "groups by fit.plot_contrasts('list')",
    ),
}
"""Why a fit may have no contrasts of a level."""


def differences(fit: "Fit", contrasts: pd.DataFrame) -> "Differences | None":
    """Return the differences of attributes behind the leading contrast; None if it is withheld."""
    from bayesbias.show.drawing import Differences

    names, response, row = names_of(fit.frame), fit.spec.response, leading_row(contrasts)
    if row is None:
        return None
    pairs = fit.frame[fit.frame[CONNECTION].isin(STEREOTYPE_CONNECTIONS)]
    is_own = pairs[CONNECTION] == "associated"
    own, two = pairs[is_own], row
    owner = own.drop_duplicates(ATTRIBUTE_SET).set_index(ATTRIBUTE_SET)[GROUP]
    if row.level == "over all" and len(names.groups) == 2:
        by_list = contrasts[(contrasts["level"] == "list") & contrasts["list"].isin(names.owned)]
        # The same sides whatever the vectors: those of the first group's list.
        two = by_list.loc[by_list[GROUP].map(names.groups.index).idxmin()]

    def means_of(rows: pd.DataFrame, groups: Sequence[str] = ()) -> "pd.Series[float]":
        means = rows.pivot_table(response, [ATTRIBUTE_SET, ATTRIBUTE], GROUP, sort=False)
        return means[list(groups or means)].mean(axis=1)

    if two.level == "list":
        sides = two.group, two.other
        first, second = (means_of(pairs, side.split(", ")) for side in sides)
        left, right = (f"closer to {names.group(side)}" for side in sides)
    elif row.level == "over all":
        first, second = means_of(own), means_of(pairs[~is_own])
        left, right = "closer to its own group", "closer to the other groups"
    else:
        compared = row.contrast.partition(" − ")[2]
        own = own[own[GROUP] == row.group] if row.group else own
        others = fit.frame[(fit.frame[CONNECTION] == compared) & fit.frame[GROUP].isin(own[GROUP])]
        first, second = means_of(own), means_of(others).groupby(level=0).mean().mean()
        what = f"{compared} words" if compared != "different" else "the other lists"
        left, right = f"closer than {what}", f"farther than {what}"
    values = (first - second).dropna().rename("difference").rename_axis(["list", ATTRIBUTE])
    table = values.reset_index().sort_values("difference", kind="stable", ignore_index=True)
    place = owner.map(names.groups.index)
    lists = [name for name in names.lists if name in set(table["list"])]
    lists.sort(key=lambda name: place.get(name, len(names.groups)))
    return Differences(table, left, right, row, tuple(lists))


def _random_of(fit: "Fit", row: Any) -> Array:
    """Return a contrast of random groups, (n_draws,)."""
    return fit.random_groups[row["level"], row["list"], row["contrast"]].to_numpy()


def plot(fit: "Fit", *, figsize: "Size" = None) -> Figure:
    """Draw the attributes, sorted, beside the random groups: the finding in one figure.

    Parameters
    ----------
    figsize : float, or two, optional
        Width in inches, for which the height is chosen, or both; 7.2 if not given, and 3.5 is a
        journal's column.

    Returns
    -------
    matplotlib.figure.Figure
        Without vectors there are no random groups, and the figure is that of `plot_means`.
    """
    return finding_figure(fit, figsize)


def finding_figure(
    fit: "Fit",
    size: "Size",
    *,
    rule: DecisionRule | None = None,
    most: int | None = None,
    titled: bool = True,
) -> Figure:
    """Draw `Fit.plot`, with at most so many attributes, of more those at both ends."""
    from bayesbias.show import drawing

    rule, names = fit.rule(rule), names_of(fit.frame)
    table = fit.contrasts(rule=rule)
    parts = differences(fit, table)
    if parts is None or fit.random is None:
        return _means_figure(fit, "connection", rule, size, None, titled=titled)
    title, share = headline(table, names, rule.label) * titled, yardstick_of(fit, table)
    random = _random_of(fit, parts.row) if share else None
    most = most or drawing.MOST_ROWS
    return drawing.finding_figure(parts, names, title, share, random, size, most)


def plot_random_groups(fit: "Fit", *, figsize: "Size" = None, ax: "Axes | None" = None) -> Figure:
    """Draw how far random groups of words differ, and where the leading contrast lies."""
    from bayesbias.show import drawing

    table = fit.contrasts()
    row = leading_row(table)
    if row is None or row["level"] not in RANDOM_LEVELS:
        raise FitError("no contrast of groups has an answer, which random groups could be set to")
    return drawing.random_figure(row, _random_of(fit, row), yardstick_of(fit, table), figsize, ax)


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
    from bayesbias.show import drawing

    one_of(by, "by", ("connection", "list", "group", "word"))
    rows, inner = (
        fit.summary(by, ci_prob=prob, ci_kind=rule.ci_kind) for prob in (rule.ci_prob, INNER_PROB)
    )
    rows = rows.assign(inner_low=inner["low"], inner_high=inner["high"])
    rows["label"] = rows[PROTECTED_WORD if by == "word" else by].astype(str)
    if by == "list":
        rows["label"] = rows["list"].str.replace("_", " ") + ", " + rows[GROUP]
    if by == "word":
        rows = rows.iloc[pd.factorize(rows[GROUP])[0].argsort(kind="stable")]
    is_distance = fit.spec.response == DISTANCE
    what = f"mean {'cosine distance' if is_distance else 'change of distance'}, {rule.label}"
    title = _title_of_means(fit, by, rule, rows) * titled
    return drawing.means_figure(rows, title, f"{what}, thick: 50%", size, ax)


def _title_of_means(fit: "Fit", by: str, rule: DecisionRule, rows: pd.DataFrame) -> str:
    """Return the finding that means show: of words theirs, of lists of nobody what is drawn."""
    table = fit.contrasts(rule=rule)
    of_words = table[(table["level"] == "word") & (table["withheld"] == "")]
    if by == "word" and len(of_words):
        return tally(of_words, names_of(fit.frame), "word")
    if UNASSIGNED in fit.design.connections:
        texts = (f"{row.connection} {row.mean:.2f}" for row in rows.itertuples())
        of = f" of each {by}" if by != "connection" else f": {', '.join(texts)}"
        return f"Mean distances to attributes{of}."
    return findings(fit, rule)[0]


def plot_contrasts(
    fit: "Fit",
    level: str | None = None,
    *,
    rule: DecisionRule | None = None,
    figsize: "Size" = None,
    ax: "Axes | None" = None,
) -> Figure:
    """Draw contrasts with intervals and verdicts: of a level, or all but those of words."""
    from bayesbias.show import drawing

    if level is not None:
        one_of(level, "level", LEVELS)
    rule, names = fit.rule(rule), names_of(fit.frame)
    rows = _answered(fit, fit.contrasts(rule=rule), level)
    is_whole = level in (None, "over all")
    title = findings(fit, rule)[0] if is_whole else tally(rows, names, str(level))
    panel = rows[GROUP] if level == "word" else rows["level"]
    rows = rows.assign(label=[row_label(row) for row in rows.itertuples()], panel=panel)
    if level in ("list", "word"):
        rows = rows.sort_values("mean", kind="stable")
    if level == "word":
        rows = rows.sort_values(GROUP, key=lambda of: of.map(names.groups.index), kind="stable")
    grey = ", grey: ROPE" if rule.width else ""
    what = f"difference of mean cosine distance, {rule.label}{grey}"
    if level in ("group", "word"):
        what += "; part of it is how close the lists are to every group"
    return drawing.forest_figure(rows, title, what, rule.width, figsize, ax)


def _answered(fit: "Fit", table: pd.DataFrame, level: str | None) -> pd.DataFrame:
    """Return the contrasts of a level that have an answer; all but those of words for None."""
    rows = table[table["level"] == level] if level else table[table["level"] != "word"]
    answered = rows[rows["withheld"] == ""]
    if len(answered):
        return answered
    if level is None:
        raise FitError(headline(table, names_of(fit.frame), ""))
    if len(rows):
        raise FitError(f"no contrast of level {level!r} has an answer; fit.contrasts() says why")
    raise FitError(f"there is no contrast of level {level!r}: {_NO_ROWS[level]}")


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
    from bayesbias.show import drawing

    what = "cosine distance, less means of words and attributes"
    return drawing.heat_map(interaction(fit), findings(fit, fit.rule())[0], what, figsize, ax)


def plot_predictive(fit: "Fit", *, figsize: "Size" = None) -> Figure:
    """Draw ArviZ's posterior predictive check: densities of observed and predicted values."""
    from bayesbias.show import drawing

    inside = percent(fit.predictions()["inside"].mean())
    title = f"{inside} of pairs lie in their 89% predictive interval."
    what = "cosine distance" if fit.spec.response == DISTANCE else "change"
    return drawing.predictive_figure(fit.idata, title, what, fit.seed, figsize)
