"""The same word list at several times: the answer at each, a straight line, and steps.

A question of time is a row of weights on the times, taken of the distances of each pair, and what
they give is modelled as a change is (`change`). Weights on answers at single times would take what
a word is at one time for independent of what it is at the next.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Final, Unpack

import numpy as np
import pandas as pd

from bayesbias.constants import ATTRIBUTE_SET, GROUP, HDPI_PROB, RUN
from bayesbias.errors import ArgumentError, DistancesError
from bayesbias.fits.between_groups import BETWEEN, LIST, has_lists
from bayesbias.fits.contrasts import (
    EXACT_ERROR,
    LIST_COLUMNS,
    about_chance,
    about_edge,
    chance_columns,
    compared_pairs,
    contrast_draws,
    contrast_name,
    contrasts_of,
    near_edge,
    summarise_contrasts,
    with_verdict_labels,
)
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.fitting import fit
from bayesbias.fits.sentences import who
from bayesbias.fits.shown_rows import sort_by_names
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.model_files import load_model
from bayesbias.inference.specification import ModelSpec
from bayesbias.pairs.keys import repeated_columns
from bayesbias.pairs.provenance import provenance_of, with_provenance
from bayesbias.studies.comparison import (
    BELOW,
    VERDICT,
    Comparison,
    columns_in_sds,
    model_of_changes,
    on_scales,
    retraining_error,
    under_each,
    with_error,
    with_scatter,
)
from bayesbias.studies.several_narrator import (
    line_sentence,
    lists_sentences,
    steps_sentence,
    tell,
)
from bayesbias.support.arrays import Array
from bayesbias.support.figure_style import Place
from bayesbias.support.forests import Forest
from bayesbias.support.text_tables import (
    Blocks,
    Column,
    Table,
    counted,
    label_of,
    percent,
    with_blank_lines,
)
from bayesbias.support.types import Figure

TIME: Final = "time"
EVERYBODY: Final = "all groups"  # what stands for the group where an answer is over all
_FEWEST: Final = 3


@dataclass(frozen=True, repr=False, eq=False)
class OverTime(Comparison):
    """Contrasts at several times, on a straight line, and from each to the next; by `over_time`.

    Parameters
    ----------
    times : mapping of str to float
        From the name of each time to its number, in order.
    levels_of, steps_of : mapping of str to Fit
        Of the distances at each time, and of their change from one time to the next.
    line : Fit
        Of the change of each pair's distance along its own straight line, from first to last time.
    scales : mapping of str to float
        Standard deviation of a neutral pair's distance at each time.
    unshared : DataFrame
        Words that not every time has, which are left out.
    rule : DecisionRule
    """

    _main: ClassVar[str] = "trend"
    noun: ClassVar[str] = "time"
    tables: ClassVar[tuple[str, ...]] = ("lists", "levels", "trend", "steps", "unshared")

    times: Mapping[str, float]
    levels_of: Mapping[str, Fit]
    steps_of: Mapping[str, Fit]
    line: Fit
    scales: Mapping[str, float]
    unshared: pd.DataFrame
    rule: DecisionRule

    @cached_property
    def lists(self) -> pd.DataFrame:
        """Who is closer to each list, between groups, at each time.

        Columns ``time``, then those of `Fit.contrasts` by list, each of that time's distances
        alone. Empty where groups are not compared on lists.
        """
        if not has_lists(self.line.design):
            return pd.DataFrame(columns=[TIME, ATTRIBUTE_SET, "contrast"])
        parts = {}
        for name, fitted in self.levels_of.items():
            table = contrasts_of(fitted.fitted, LIST, self.rule.on_scale(self.scales[name])).table
            parts[name] = table[table["contrast"] == BETWEEN]
        return under_each(parts, TIME)

    @cached_property
    def levels(self) -> pd.DataFrame:
        """The contrasts at each time.

        Columns ``time``, ``group`` ("all groups" first), then those of `Fit.contrasts`, of a fit of
        that time's distances alone; ``standardised`` compares across times.
        """
        parts = {}
        for name, fitted in self.levels_of.items():
            rule = self.rule.on_scale(self.scales[name])
            tables = [contrasts_of(fitted.fitted, by, rule).table for by in ("connection", "group")]
            parts[name] = _with_groups(*tables)
        return under_each(parts, TIME)

    @cached_property
    def trend(self) -> pd.DataFrame:
        """How far each contrast went along a straight line, from the first to the last time.

        Columns ``group``, ``contrast``, then those of `Fit.contrasts` for that change, and
        ``per_unit``, its mean for one unit of time, in standard deviations of a neutral pair's
        distance; ``off_the_line``, the standard deviation of single times from the line, which the
        interval has in it; ``listed``, the change of the plain means of cosine distance. ``sd`` is
        infinite of three and four times, which say that little of how far times are off the line.
        """
        times, rule = list(self.times.values()), self.main_rule
        weights, parts, df = line_weights(times), [], len(times) - 2
        for by in ("connection", "group"):
            found = contrast_draws(self.line.fitted, by)
            off = off_the_line(self._plain(found.labels) * self._units, times)
            table = summarise_contrasts(
                with_scatter(found, off * np.linalg.norm(weights), df), rule
            )
            table["off_the_line"] = off / common_scale(self.scales)
            if df <= 2:  # the sd of a Student-t; its interval's error goes by the interval
                table["sd"] = np.inf
            bounds = table[["low", "high"]].to_numpy()
            # In posterior sds, of which an 89% interval is about three wide.
            error = EXACT_ERROR / 3 * np.ptp(bounds, axis=1, keepdims=True)
            table["on_edge"] = near_edge(bounds, error, rule)
            parts.append(table)
        table = _with_groups(*parts)
        table["listed"] = self._plain(table) @ weights
        return table.assign(per_unit=table["standardised"] / np.ptp(times))

    @cached_property
    def steps(self) -> pd.DataFrame:
        """How far each contrast went from one time to the next.

        Columns ``from``, ``to``, ``group``, then as `trend`. Of a single training a time, intervals
        say nothing of retraining; of several runs they have its error.
        """
        parts, names = [], list(self.times)
        for i, (name, fitted) in enumerate(self.steps_of.items()):
            tables = []
            for by in ("connection", "group"):
                found = contrast_draws(fitted.fitted, by)
                error = self._retraining(found.labels, [i, i + 1])
                wider = found if error is None else with_error(found, error)
                tables.append(summarise_contrasts(wider, self.main_rule))
            table = _with_groups(*tables)
            table["listed"] = self._plain(table) @ step_weights(len(names), i)
            parts.append(table.assign(**{"from": names[i], "to": name}))
        return pd.concat(parts).set_index(["from", "to"]).reset_index()

    @property
    def main_fit(self) -> Fit:
        """The fit of the line."""
        return self.line

    @property
    def answers(self) -> list[str]:
        """How far the first contrast went, in which steps, and who is closer to which list."""
        first, title = self.levels["contrast"].iloc[0], self.names.title
        of_all, *groups = _of(self.trend, first).to_dict("records")
        few, label = self.has_few_times, f"{percent(self.rule.prob)} interval"
        whole = line_sentence(of_all, who(self.names), [*self.times], label, too_few=few)
        of_each = [line_sentence(r, title[r[GROUP]], [*self.times], label) for r in groups]
        steps = self.steps[self.steps[GROUP] == EVERYBODY]
        ends = self.lists[self.lists[TIME].isin([*self.times][:: len(self.times) - 1])]
        of_lists = lists_sentences(ends, self.names, TIME)
        return [whole, steps_sentence(steps, first), *of_each, *of_lists]

    @property
    def has_few_times(self) -> bool:
        """Whether the line's sd has one degree of freedom: its t is 3.6 times a normal's width."""
        return len(self.times) == _FEWEST

    @property
    def _has_runs(self) -> bool:
        return all(RUN in fitted.frame for fitted in self.levels_of.values())

    @property
    def main_rule(self) -> DecisionRule:
        """The rule on the scale that changes are modelled on."""
        return self.rule.on_scale(common_scale(self.scales))

    @property
    def _units(self) -> Array:
        """What the distances of each time are multiplied by where they are modelled."""
        return units_of(self.scales, in_sds=self.rule.rope is None)

    def _plain(self, labels: pd.DataFrame) -> Array:
        """Return the plain contrasts of rows at each time, in cosine distance: (rows, times)."""
        wide = self.levels.pivot_table(
            index=[GROUP, "contrast"], columns=TIME, values="listed", sort=False
        )
        of_all = [EVERYBODY] * len(labels)
        rows = zip(labels.get(GROUP, of_all), labels["contrast"], strict=True)
        return np.asarray(wide.loc[list(rows), list(self.times)])

    def _retraining(self, labels: pd.DataFrame, at: Sequence[int]) -> Array | None:
        """Return what retraining leaves open between two times, (n_rows,); None without runs."""
        if not self._has_runs:
            return None
        sides = {contrast_name(*pair): pair for pair in compared_pairs(self.line.design)}
        signs = [dict(zip(sides[name], (1.0, -1.0), strict=True)) for name in labels["contrast"]]
        fits = list(self.levels_of.values())
        errors = [self._units[i] * retraining_error(fits[i], signs) for i in at]
        # Draws of two fits do not belong together: variances are averaged over draws, then added.
        return np.sqrt(np.sum([np.mean(error**2, axis=0) for error in errors], axis=0))

    def to_dict(self) -> dict[str, Any]:
        """Return all tables, the times, the rule and the sentences as plain data."""
        return {**super().to_dict(), "times": dict(self.times), "captions": self.captions}

    def plot(self, **place: Unpack[Place]) -> Figure:
        """Draw the first contrast over time with its band, over all groups and in each."""
        from bayesbias.studies.several_figure import plot_over_time

        first = self.levels["contrast"].iloc[0]
        chosen = self.levels[self.levels["contrast"] == first]
        line = self.trend[self.trend["contrast"] == first]
        return plot_over_time(chosen, line, self.times, **place)

    @property
    def captions(self) -> list[str]:
        """What is estimated, and what it assumes."""
        return [
            tell("line"),
            tell("error_of_steps", self._has_runs),
            *self.about_chance,
            *about_edge(self.lists, self.levels, self.trend, self.steps),
            self.main_rule.caption,
        ]

    @property
    def about_chance(self) -> list[str]:
        """What the columns of chance are, of differences and of their changes."""
        of_changes = about_chance(self.trend, self.steps, changes=True)
        return [*about_chance(self.levels, of_lists=len(self.lists) > 0), *of_changes]

    @property
    def of_each(self) -> pd.DataFrame:
        """The contrasts at each time, over all groups."""
        of_all = self.levels[self.levels[GROUP] == EVERYBODY]
        return of_all.assign(under=of_all[TIME])

    @property
    def forests(self) -> list[Forest]:
        """The first contrast at each time, a forest for all groups and for each."""
        from bayesbias.studies.several_figure import forests_in_sds

        return forests_in_sds(_of(self.levels, self.levels["contrast"].iloc[0]), TIME, GROUP)

    @property
    def details(self) -> Blocks:
        """The first contrast at each time, the line, and the steps."""
        first, names = self.levels["contrast"].iloc[0], list(self.times)
        ends = names[0], names[-1]
        counts = counted(len(self.shared_pairs), "pair"), counted(len(self.unshared), "word")
        levels, trend, steps = map(with_verdict_labels, (self.levels, self.trend, self.steps))
        of_step = [Column("from"), Column("to"), Column(GROUP)]
        in_sds = columns_in_sds(label_of(self.levels))
        # A chance is known at each time, and of changes where all times have the same sample.
        of_level, of_trend, of_steps = (
            [BELOW, *chance_columns(table), VERDICT] for table in (levels, trend, steps)
        )
        listed = Column("listed", "listed, distance", "signed", drop_priority=2)
        of_line = [
            Column("per_unit", "per unit of time", "+z.4f", drop_priority=1),
            Column("off_the_line", "off the line", ".2f", drop_priority=2),
        ]
        lists, of_lists = with_verdict_labels(self.lists), list[str | Table]()
        if len(lists):
            of_list = [*LIST_COLUMNS[:2], Column(TIME), *in_sds, *chance_columns(lists), VERDICT]
            of_lists = [tell("lists_heading", "at each time"), Table(lists, of_list)]
        return with_blank_lines(
            tell("times", len(names), *ends, *counts),
            *of_lists,
            tell("at_each_time", first),
            Table(_of(levels, first), [Column(TIME), Column(GROUP), *in_sds, listed, *of_level]),
            tell("along_line", *ends),
            Table(trend, ["contrast", Column(GROUP), *in_sds, *of_line, listed, *of_trend]),
            tell("steps_of", first),
            Table(_of(steps, first), [*of_step, *in_sds, *of_steps]),
        )


def over_time(
    frames: Mapping[Any, pd.DataFrame] | pd.DataFrame,
    *,
    by: str = "",
    model: str | Path | ModelSpec = "change-maximal",
    level_model: str | Path | ModelSpec | None = None,
    rope: float | None = None,
    prob: float = HDPI_PROB,
    interval: str = "hpdi",
    rule: DecisionRule | None = None,
    seed: int | np.random.Generator | None = None,
    **options: Any,
) -> OverTime:
    """Ask how contrasts moved over several times: at each, along a line, and step by step.

    Parameters
    ----------
    frames : mapping or DataFrame
        From each time, at least three, to its distances; or one frame of all, with a column of
        times. Times are numbers, such as 1900, 1910; or names, which stand in their order, one
        apart. All with several training runs, from `distances_of_runs`, or none.
    by : str
        Of one frame: the column of times, such as ``decade``.
    model : str, Path or ModelSpec
        A model of changes, fitted to the change of each pair along its line and from time to time.
    level_model : str, Path or ModelSpec, optional
        A model of distances, fitted at each time; by default ``maximal``, of training runs
        ``runs``.
    rope : float, optional
        In cosine distance; by default 0.1 standard deviations of a neutral pair's distance, in
        which times compare. With it, changes too are modelled in cosine distance.
    prob, interval, rule
        As for `Fit.contrasts`.
    seed : int or Generator, optional
    **options
        Passed on to `fit`.

    Raises
    ------
    ArgumentError
        If there are fewer than three times, or two with one number.
    DistancesError
        If a frame cannot be analysed, the times share no pair, or only some have training runs.
    ModelError
        If a model does not explain what it is asked to.

    Notes
    -----
    Distances are in standard deviations of the neutral pairs of their time. What is modelled is
    each pair's change along its own line of least squares, from the first time to the last. So
    trends of single words and attributes, which may go on for decades, widen the interval.

    What a time shifts for all pairs of a connection alike, as one training may, no model of the
    slopes can see. It is estimated from how far the plain means of the times are off their line:
    with standard deviation s, of T − 2 degrees of freedom, it adds s |w| t(T − 2) to the change, w
    being the weights of the times. That holds if times are off the line independently; a trend
    that bends counts as such deviations.

    Examples
    --------
    >>> import bayesbias as bb
    >>> bb.over_time({1900: old, 1950: middle, 1990: new}, seed=1)  # doctest: +SKIP
    """
    spec, parts = model_of_changes(model), _parts(frames, by)
    times, given = _times(parts)
    for name, frame in given.items():
        if further := [column for column in repeated_columns(frame) if column != RUN]:
            raise DistancesError(
                f"the frame of {name!r} has every pair several times, by its column "
                f"{further[0]!r}; a time has one distance of each pair, or one in each training run"
            )
    rule, rng = DecisionRule.of(rule, rope, prob, interval), np.random.default_rng(seed)
    conditions, scales = on_scales(given)
    has_runs = any(RUN in frame for frame in given.values())
    of_levels = load_model(level_model or ("runs" if has_runs else "maximal"))
    units, names = units_of(scales, in_sds=rule.rope is None), list(times)

    def change(weights: Array) -> Fit:
        return fit(conditions.change(weights * units), spec, seed=rng, **options)

    line = change(line_weights(list(times.values())))
    steps = {name: change(step_weights(len(names), i)) for i, name in enumerate(names[1:])}
    levels = {n: fit(conditions.under(n), of_levels, seed=rng, **options) for n in names}
    return OverTime(times, levels, steps, line, scales, conditions.unshared, rule)


def line_weights(times: Sequence[float]) -> Array:
    """Return the weights of the change along a line of least squares, first time to last."""
    off = np.asarray(times, dtype=float) - np.mean(times)
    # The slope of least squares, times how long it goes on.
    return np.asarray(off / (off @ off) * np.ptp(times))


def off_the_line(values: Array, times: Sequence[float]) -> Array:
    """Return how far values, (n, T), are off their line: a sd of T − 2 degrees of freedom.

    Examples
    --------
    >>> float(off_the_line(np.array([[0.0, 1.0, 0.0]]), [1, 2, 3])[0].round(3))
    0.816
    """
    x = np.asarray(times, dtype=float)
    basis = np.column_stack([np.ones(len(x)), x - x.mean()])
    # Residuals of least squares: the projection on the line is basis basis⁺.
    left = values - values @ basis @ np.linalg.pinv(basis)
    return np.asarray(np.sqrt((left**2).sum(axis=1) / (len(x) - 2)))


def step_weights(n: int, at: int) -> Array:
    """Return the weights of the change from a time to the next."""
    weights = np.zeros(n)
    weights[at], weights[at + 1] = -1.0, 1.0
    return weights


def common_scale(scales: Mapping[str, float]) -> float:
    """Return the scale on which changes are modelled: the geometric mean of those of the times."""
    return float(np.exp(np.mean(np.log(list(scales.values())))))


def units_of(scales: Mapping[str, float], *, in_sds: bool) -> Array:
    """Return what distances are multiplied by: to the common scale, or by 1 in cosine distance."""
    sizes = np.array(list(scales.values()))
    return common_scale(scales) / sizes if in_sds else np.ones(len(sizes))


def _parts(frames: Any, by: str) -> dict[Any, pd.DataFrame]:
    """Return the frame of each time."""
    if isinstance(frames, pd.DataFrame):
        if not by or by not in frames.columns:
            raise ArgumentError(f"by={by!r}: name the column of times that the frame has")
        # What is known of the vectors is of all times.
        known = {k: v for k, v in provenance_of(frames).items() if k in ("source", "missing")}
        found = {}
        for name, part in frames.groupby(by, sort=False):
            part.attrs = {}
            found[name] = with_provenance(part.drop(columns=by), **known)
        return found
    if not isinstance(frames, Mapping):
        raise ArgumentError("give a mapping from each time to its frame, or a frame and by=")
    if by:
        raise ArgumentError(f"by={by!r} goes with one frame that has a column of times")
    return dict(frames)


def _numbers(names: list[Any]) -> list[float]:
    """Return names as numbers; the places of names that are none, one apart."""
    places = [float(i) for i in range(len(names))]
    try:
        found = [float(name) for name in names]
    except (TypeError, ValueError):
        return places
    return found if np.isfinite(found).all() else places


def _times(parts: dict[Any, pd.DataFrame]) -> tuple[dict[str, float], dict[str, pd.DataFrame]]:
    """Return the number and the frame of every time, in order."""
    if len(parts) < _FEWEST:
        raise ArgumentError(
            f"a line over time takes at least {_FEWEST} times, not {len(parts)}",
            advice="for two take compare_change",
            typed="for two leave --order out",
        )
    numbers = dict(zip(parts, _numbers(list(parts)), strict=True))
    ordered = sorted(parts, key=numbers.__getitem__)
    if len(set(numbers.values())) < len(numbers):
        raise ArgumentError(f"two of the times {', '.join(map(str, ordered))} are the same")
    return {str(t): numbers[t] for t in ordered}, {str(t): parts[t] for t in ordered}


def _with_groups(of_all: pd.DataFrame, of_groups: pd.DataFrame) -> pd.DataFrame:
    """Return the contrasts over all groups, then those of each."""
    both = pd.concat([of_all.assign(**{GROUP: EVERYBODY}), of_groups], ignore_index=True)
    both = sort_by_names(both, "contrast", of_all["contrast"])
    return both.set_index(GROUP).reset_index()


def _of(table: pd.DataFrame, contrast: str) -> pd.DataFrame:
    """Return the rows of a contrast, group by group."""
    rows = table[table["contrast"] == contrast]
    return sort_by_names(rows, GROUP, rows[GROUP].unique())
