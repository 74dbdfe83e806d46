"""The figures of a fit: methods of `Fit`, which give its frames and names to those of `show`.

These are imported when a figure is asked for: Matplotlib takes longer than a screen does.
"""

import warnings
from typing import TYPE_CHECKING, Any

import pandas as pd

from bayesbias.constants import DISTANCE, GROUP, HDPI_PROB, INNER_PROB
from bayesbias.errors import FitError, one_of
from bayesbias.fits.contrasts import LEVELS, RANDOM_LEVELS, random_contrasts
from bayesbias.fits.decision import DecisionRule
from bayesbias.fits.screen import findings
from bayesbias.show.narrator import (
    headline,
    leading_row,
    percent,
    row_label,
    tally,
    yardstick,
)
from bayesbias.support.arguments import Array
from bayesbias.support.compatibility import has_inferencedata, quiet_imports
from bayesbias.words.provenance import names_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from bayesbias.fits.fit_result import Fit
    from bayesbias.show.style import Size

_DRAWS = 50
"""Predicted data sets that a predictive check shows."""


def _title(fit: "Fit", rule: DecisionRule) -> str:
    return findings(fit, fit.contrasts(rule=rule), names_of(fit.frame), rule)[0]


def plot(
    fit: "Fit", *, groups: "tuple[str, str] | None" = None, figsize: "Size" = None
) -> "Figure":
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
    fit: "Fit", groups: "tuple[str, str] | None", size: "Size", **options: Any
) -> "Figure":
    """Draw `Fit.plot`; `options`: the `most` attributes, and whether it is `titled`."""
    from bayesbias.show import figures as drawing

    rule, names, titled = fit.rule(), names_of(fit.frame), options.pop("titled", True)
    table = fit.contrasts(pairs=groups is not None)
    if groups is not None:
        table = drawing.of_pair(table, names, groups)
    parts = drawing.differences(fit.frame, table, names, fit.spec.response)
    if parts is None or (fit.random is None and groups is None):
        return _means_figure(fit, "connection", rule, size, None, titled=titled)
    share = yardstick(table)
    random = _random_of(fit, parts.row) if share else None
    title = headline(table, names, rule.label) * titled
    return drawing.plot_finding(parts, title, share, random, names, size=size, **options)


def _random_of(fit: "Fit", row: pd.Series) -> Array:
    """Return the contrast of random groups that a row has, (n_draws,)."""
    draws = random_contrasts(fit.design, fit.random, pairs=True)
    return draws[row["level"], row["list"], row["contrast"]].to_numpy()


def plot_random_groups(fit: "Fit", *, figsize: "Size" = None, ax: "Axes | None" = None) -> "Figure":
    """Draw how far random groups of words differ, and where the leading contrast lies."""
    from bayesbias.show import figures as drawing

    table = fit.contrasts()
    row = leading_row(table)
    if row is None or row["level"] not in RANDOM_LEVELS:
        raise FitError("no contrast of groups has an answer, which random groups could be set to")
    return drawing.plot_random(_random_of(fit, row), row, yardstick(table), size=figsize, ax=ax)


def plot_means(
    fit: "Fit",
    by: str = "connection",
    *,
    ci_prob: float = HDPI_PROB,
    ci_kind: str = "hdi",
    figsize: "Size" = None,
    ax: "Axes | None" = None,
) -> "Figure":
    """Draw mean distances with intervals by "connection", "list", "group" or "word"."""
    return _means_figure(fit, by, fit.rule(ci_prob=ci_prob, ci_kind=ci_kind), figsize, ax)


def _means_figure(
    fit: "Fit", by: str, rule: DecisionRule, size: "Size", ax: "Axes | None", *, titled: bool = True
) -> "Figure":
    from bayesbias.show import figures as drawing

    one_of(by, "by", ("connection", "list", "group", "word"))
    table = fit.summary(by, ci_prob=rule.ci_prob, ci_kind=rule.ci_kind)
    inner = fit.summary(by, ci_prob=INNER_PROB, ci_kind=rule.ci_kind)
    what = "mean cosine distance" if fit.spec.response == DISTANCE else "mean change of distance"
    title = _title(fit, rule) * titled
    return drawing.plot_means(table, inner, rule.label, title, what=what, size=size, ax=ax)


def plot_contrasts(
    fit: "Fit",
    level: str | None = None,
    *,
    rule: DecisionRule | None = None,
    figsize: "Size" = None,
    ax: "Axes | None" = None,
) -> "Figure":
    """Draw contrasts with intervals and verdicts: of a level, or all but those of words."""
    from bayesbias.show import figures as drawing

    rule, names = fit.rule(rule), names_of(fit.frame)
    table = fit.contrasts(rule=rule)
    if level is not None:
        one_of(level, "level", LEVELS)
    rows = table[table["withheld"] == ""]
    rows = rows[rows["level"] == level] if level else rows[rows["level"] != "word"]
    if rows.empty:
        raise FitError(f"no contrast of level {level!r} has an answer; fit.contrasts() says why")
    if level == "list":
        rows = rows.sort_values("mean", kind="stable")
    if level == "word":
        rows = rows.assign(order=rows[GROUP].map(names.groups.index))
        rows = rows.sort_values(["order", "mean"], kind="stable")
    labels = [row_label(row) for row in rows.itertuples()]
    rows = rows.assign(panel=rows[GROUP] if level == "word" else rows["level"])
    is_whole = level in (None, "over all")
    title = _title(fit, rule) if is_whole else tally(rows, names, str(level))
    options: dict[str, Any] = {"rope": rule.width, "size": figsize, "ax": ax}
    return drawing.plot_contrasts(rows, labels, title, rule.label, **options)


def plot_words(
    fit: "Fit",
    *,
    rule: DecisionRule | None = None,
    figsize: "Size" = None,
    ax: "Axes | None" = None,
) -> "Figure":
    """Draw the contrast of every protected word, group by group."""
    return plot_contrasts(fit, "word", rule=rule, figsize=figsize, ax=ax)


def plot_heatmap(fit: "Fit", *, figsize: "Size" = None, ax: "Axes | None" = None) -> "Figure":
    """Draw observed distances of words and attributes, less the means of both, as colours."""
    from bayesbias.show import figures as drawing

    names = names_of(fit.frame)
    table = drawing.interaction(fit.frame, fit.spec.response, names)
    return drawing.plot_heatmap(table, _title(fit, fit.rule()), names, size=figsize, ax=ax)


def plot_predictive(fit: "Fit", *, figsize: "Size" = None) -> "Figure":
    """Draw ArviZ's posterior predictive check: densities of observed and predicted values."""
    from bayesbias.show import style as look

    coverage = fit.coverage()
    inside = float(coverage["inside"].iloc[0])
    title = f"{percent(inside)} of pairs lie in their 89% predictive interval."
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
            collection = vars(az)["plot_ppc_dist"](data, num_samples=_DRAWS)
            figure = collection.viz["figure"].item()
            figure.set_size_inches(figsize if isinstance(figsize, tuple) else (width, 0.75 * width))
            figure.set_layout_engine("constrained")
            axes = list(figure.axes)
            axes[0].set_title("")
        axes[0].set_xlabel("cosine distance" if fit.spec.response == DISTANCE else "change")
        look.set_title(figure, title)
    return figure
