"""The same word list at several times: the answer at each, a straight line, and steps.

A question of time is a row of weights on the times, taken of the distances of each pair, and what
they give is modelled as a change is (`change`). Weights on answers at single times would take what
a word is at one time for independent of what it is at the next.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np
import pandas as pd
from scipy.special import chdtri

from bayesbias.constants import CHANGE, CONNECTION, DISTANCE, GROUP, HDPI_PROB, RUN, TEXT_COLUMNS
from bayesbias.errors import ArgumentError, DistancesError, ModelError
from bayesbias.fits.contrasts import (
    CHANCE,
    EXACT_ERROR,
    chance_columns,
    compared_pairs,
    contrast_draws,
    contrast_name,
    contrasts_of,
    decisions,
    in_order,
    near_edge,
    told,
)
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.fitting import fit
from bayesbias.fits.quantities import Quantities
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.model_files import load_model
from bayesbias.inference.specification import ModelSpec
from bayesbias.pairs.checks import validate_distances
from bayesbias.pairs.keys import once, repeats
from bayesbias.pairs.profiles import of_sum
from bayesbias.pairs.provenance import (
    factors_of,
    kinds_of_words,
    provenance_of,
    with_provenance,
)
from bayesbias.pairs.reference import without_reference
from bayesbias.studies.across_embeddings import (
    BELOW,
    VERDICT,
    columns_in_sds,
    refuse_no_contrast,
    scale_of,
    shared_pairs,
    unshared_words,
)
from bayesbias.studies.retraining import (
    averaged_over_runs,
    check_runs,
    retraining_error,
    with_error,
)
from bayesbias.support.arrays import Array
from bayesbias.support.figure_style import Size
from bayesbias.support.result import Result, plain
from bayesbias.support.text_tables import Blocks, Column, Table, apart, counted, label_of
from bayesbias.support.types import Axes, Figure

TIME: Final = "time"

EVERYBODY: Final = "all groups"
"""What stands for the group where an answer is over all."""

TABLES: Final = ("levels", "trend", "steps", "unshared")
"""Tables of an answer over time."""

_FEWEST: Final = 3


@dataclass(frozen=True, repr=False, eq=False)
class OverTime(Result):
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

    times: Mapping[str, float]
    levels_of: Mapping[str, Fit]
    steps_of: Mapping[str, Fit]
    line: Fit
    scales: Mapping[str, float]
    unshared: pd.DataFrame
    rule: DecisionRule

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
        return pd.concat(parts, names=[TIME]).reset_index(TIME).reset_index(drop=True)

    @cached_property
    def trend(self) -> pd.DataFrame:
        """How far each contrast went along a straight line, from the first to the last time.

        Columns ``group``, ``contrast``, then those of `Fit.contrasts` for that change, and
        ``per_unit``, its mean for one unit of time, in standard deviations of a neutral pair's
        distance; ``off_the_line``, the standard deviation of single times from the line, which the
        interval has in it; ``listed``, the change of the plain means of cosine distance. ``sd`` is
        infinite of three and four times, which say that little of how far times are off the line.
        """
        span = np.ptp(list(self.times.values()))
        weights, parts = line_weights(list(self.times.values())), []
        for by in ("connection", "group"):
            found = contrast_draws(self.line.fitted, by)
            off, df = self._off_the_line(found.labels), len(self.times) - 2
            wider = with_scatter(found, off * np.linalg.norm(weights), df)
            rule = self._common_rule
            table = decisions(wider, rule)
            table["off_the_line"] = off / common_scale(self.scales)
            if df <= 2:  # the sd of a Student-t; its interval's error goes by the interval
                table["sd"] = np.inf
            bounds = table[["low", "high"]].to_numpy()
            error = EXACT_ERROR / 3 * np.ptp(bounds, axis=1, keepdims=True)
            table["on_edge"] = near_edge(bounds, error, rule)
            parts.append(table)
        table = _with_groups(*parts)
        table["listed"] = self._listed(table, weights)
        return table.assign(per_unit=table["standardised"] / span)

    @cached_property
    def steps(self) -> pd.DataFrame:
        """How far each contrast went from one time to the next.

        Columns ``from``, ``to``, ``group``, then as `trend`. Of a single training a time, intervals
        say nothing of retraining; of several runs they have its error.
        """
        parts, names = [], list(self.times)
        for i, (name, fitted) in enumerate(self.steps_of.items()):
            weights = step_weights(len(names), i)
            tables = []
            for by in ("connection", "group"):
                found = contrast_draws(fitted.fitted, by)
                error = self._retraining(found.labels, names[i : i + 2])
                wider = found if error is None else with_error(found, error)
                tables.append(decisions(wider, self._common_rule))
            table = _with_groups(*tables)
            table["listed"] = self._listed(table, weights)
            parts.append(table.assign(**{"from": names[i], "to": name}))
        return pd.concat(parts).set_index(["from", "to"]).reset_index()

    @property
    def _has_runs(self) -> bool:
        return all(RUN in fitted.frame for fitted in self.levels_of.values())

    @property
    def _common_rule(self) -> DecisionRule:
        """The rule on the scale that changes are modelled on."""
        return self.rule.on_scale(common_scale(self.scales))

    @cached_property
    def _plain_means(self) -> pd.DataFrame:
        """Plain mean distances: rows of (group, connection), a column a time."""
        parts = {}
        for name, fitted in self.levels_of.items():
            frame = without_reference(fitted.frame)
            by_group = frame.groupby([GROUP, CONNECTION])[DISTANCE].mean()
            of_all = frame.groupby(CONNECTION)[DISTANCE].mean()
            of_all.index = pd.MultiIndex.from_product([[EVERYBODY], of_all.index])
            parts[name] = pd.concat([of_all, by_group])
        return pd.DataFrame(parts)

    def _plain_contrasts(self, labels: pd.DataFrame) -> Array:
        """Return the plain contrasts of rows at each time, in cosine distance: (rows, times)."""
        means, sides = self._plain_means, dict(_sides(self.line))
        groups = labels[GROUP] if GROUP in labels else [EVERYBODY] * len(labels)
        rows = [
            means.loc[(group, sides[name][0])] - means.loc[(group, sides[name][1])]
            for group, name in zip(groups, labels["contrast"], strict=True)
        ]
        return np.array(rows)

    def _listed(self, table: pd.DataFrame, weights: Array) -> Array:
        return np.asarray(self._plain_contrasts(table) @ weights)

    def _off_the_line(self, labels: pd.DataFrame) -> Array:
        """Return how far the plain contrasts of single times are off their line, on fits' scale."""
        sizes = np.array(list(self.scales.values()))
        scaled = self._plain_contrasts(labels)
        if self.rule.rope is None:
            scaled = scaled * common_scale(self.scales) / sizes
        return off_the_line(scaled, list(self.times.values()))

    def _retraining(self, labels: pd.DataFrame, names: Sequence[str]) -> Array | None:
        """Return what retraining leaves open in a step, (n_draws, n_rows); None without runs."""
        if not self._has_runs:
            return None
        sides, total = dict(_sides(self.line)), 0.0
        for name in names:
            scale = common_scale(self.scales) / self.scales[name] if self.rule.rope is None else 1.0
            signs = [
                {first: scale, second: -scale}
                for first, second in (sides[contrast] for contrast in labels["contrast"])
            ]
            error = retraining_error(self.levels_of[name], signs)
            total = total + np.mean(error**2, axis=0)
        return np.sqrt(np.asarray(total))

    def to_dict(self) -> dict[str, Any]:
        """Return all tables and the rule as plain data."""
        content: dict[str, Any] = plain({name: getattr(self, name) for name in TABLES})
        more = {"times": dict(self.times), "rule": plain(self.rule), "captions": self.captions}
        return {**content, **more, "notes": self.line.notes}

    def plot(self, *, ax: "Axes | None" = None, figsize: Size | None = None) -> Figure:
        """Draw the first contrast over time with its band, over all groups and in each."""
        from bayesbias.studies.over_time_figure import plot_over_time

        first = self.levels["contrast"].iloc[0]
        chosen = self.levels[self.levels["contrast"] == first]
        line = self.trend[self.trend["contrast"] == first]
        return plot_over_time(chosen, line, self.times, ax=ax, figsize=figsize)

    @property
    def captions(self) -> list[str]:
        """What is estimated, and what it assumes."""
        steps = (
            "Steps have the error of retraining, from the runs of both times."
            if self._has_runs
            else "With a single training at each time a step cannot be told from retraining: its "
            "interval is of words and attributes alone. Compare it with what single times are off "
            "the line; training runs of every time (bayesbias runs) would tell."
        )
        return [
            "The line is that of least squares through the times. Its interval allows for trends "
            "of single words and attributes, and for single times off the line, by retraining or "
            "in truth, each independently of the one before.",
            steps,
            *([CHANCE] if chance_columns(self.levels) else []),
            self._common_rule.caption,
        ]

    @property
    def blocks(self) -> Blocks:
        """The first contrast at each time, the line, and the steps."""
        first, names = self.levels["contrast"].iloc[0], list(self.times)
        levels, trend, steps = map(told, (self.levels, self.trend, self.steps))
        of_step = [Column("from"), Column("to"), Column(GROUP)]
        in_sds, decided = columns_in_sds(label_of(self.levels)), [BELOW, VERDICT]
        decided[1:1] = chance_columns(self.levels)
        listed = Column("listed", "listed, distance", "signed", yields=2)
        of_line = [
            Column("per_unit", "per unit of time", "+z.4f", yields=1),
            Column("off_the_line", "off the line", ".2f", yields=2),
        ]
        n = without_reference(self.line.frame)
        said = apart(
            f"{len(names)} times, {names[0]} to {names[-1]}, on the {len(n):,} pairs that all have "
            f"({counted(len(self.unshared), 'word')} not at all times). In sd: standard deviations "
            f"of a neutral pair's distance at that time.",
            f"{first}, at each time:",
            Table(_of(levels, first), [Column(TIME), Column(GROUP), *in_sds, listed, *decided]),
            f"Along a straight line, from {names[0]} to {names[-1]}:",
            Table(trend, ["contrast", Column(GROUP), *in_sds, *of_line, listed, *decided]),
            f"Steps of {first}:",
            Table(_of(steps, first), [*of_step, *in_sds, *decided]),
        )
        return [*said, "", *self.captions]


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
    spec, parts = load_model(model), _parts(frames, by)
    times, given = _times(parts)
    for name, frame in given.items():
        validate_distances(frame, where=f"the frame of {name!r}")
        if further := [column for column in repeats(frame) if column != RUN]:
            raise DistancesError(
                f"the frame of {name!r} has every pair several times, by its column "
                f"{further[0]!r}; a time has one distance of each pair, or one in each training run"
            )
    if spec.response != CHANGE:
        raise ModelError(
            f"model {spec.name!r} explains a distance, not its change; take 'change-maximal' or "
            f'another with response = "change"'
        )
    runs = check_runs(given)
    of_levels = load_model(level_model or ("runs" if runs else "maximal"))
    rule, rng = DecisionRule.of(rule, rope, prob, interval), np.random.default_rng(seed)
    shared = shared_pairs(given)
    refuse_no_contrast(shared)
    single = {n: averaged_over_runs(f, n) if runs else once(f) for n, f in shared.items()}
    scales = {name: scale_of(frame, name) for name, frame in single.items()}
    lined_up = _Times(
        list(single.values()), list(shared.values()), scales, in_sds=rule.rope is None
    )
    names = list(times)
    line = fit(lined_up.change(line_weights(list(times.values()))), spec, seed=rng, **options)
    steps = {
        name: fit(lined_up.change(step_weights(len(names), i)), spec, seed=rng, **options)
        for i, name in enumerate(names[1:])
    }
    levels = {name: fit(frame, of_levels, seed=rng, **options) for name, frame in shared.items()}
    return OverTime(times, levels, steps, line, scales, unshared_words(given), rule)


def line_weights(times: Sequence[float]) -> Array:
    """Return the weights of the change along a line of least squares, first time to last."""
    off = np.asarray(times, dtype=float) - np.mean(times)
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


class _Times:
    """The same pairs at several times, side by side."""

    def __init__(
        self,
        frames: Sequence[pd.DataFrame],
        sources: Sequence[pd.DataFrame],
        scales: Mapping[str, float],
        *,
        in_sds: bool,
    ) -> None:
        columns = [frame.set_index(list(TEXT_COLUMNS))[DISTANCE] for frame in frames]
        side_by_side = pd.concat(columns, axis=1, join="inner", keys=range(len(columns)))
        if without_reference(side_by_side.reset_index()).empty:
            raise DistancesError("the times have no pair in common; compute all with one word list")
        sizes = np.array(list(scales.values()))
        unit = common_scale(scales) / sizes if in_sds else np.ones(len(sizes))
        kinds = frames[0][[*TEXT_COLUMNS, *kinds_of_words(sources[0])]]
        self._pairs = side_by_side.index.to_frame(index=False).merge(kinds, on=list(TEXT_COLUMNS))
        self._distances = (side_by_side.to_numpy() - 1.0) * unit
        self._sources, self._unit = sources, unit

    def change(self, weights: Array) -> pd.DataFrame:
        """Return the weighted sum of every pair's distances, as a change."""
        frame = self._pairs.assign(**{CHANGE: self._distances @ weights})
        used = [i for i, weight in enumerate(weights) if weight]
        frame.attrs = {}
        profiles = of_sum([self._sources[i] for i in used], (weights * self._unit)[used].tolist())
        factors = factors_of(self._sources[0])
        return with_provenance(frame, source={"factors": factors}, profiles=profiles)


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
            f"a line over time takes at least {_FEWEST} times, not {len(parts)}; for two take "
            f"compare_change"
        )
    numbers = dict(zip(parts, _numbers(list(parts)), strict=True))
    ordered = sorted(parts, key=numbers.__getitem__)
    if len(set(numbers.values())) < len(numbers):
        raise ArgumentError(f"two of the times {', '.join(map(str, ordered))} are the same")
    return {str(t): numbers[t] for t in ordered}, {str(t): parts[t] for t in ordered}


def _sides(fitted: Fit) -> list[tuple[str, tuple[str, str]]]:
    return [(contrast_name(*pair), pair) for pair in compared_pairs(fitted.design)]


def _with_groups(of_all: pd.DataFrame, of_groups: pd.DataFrame) -> pd.DataFrame:
    """Return the contrasts over all groups, then those of each."""
    both = pd.concat([of_all.assign(**{GROUP: EVERYBODY}), of_groups], ignore_index=True)
    both = in_order(both, "contrast", of_all["contrast"])
    return both.set_index(GROUP).reset_index()


def _of(table: pd.DataFrame, contrast: str) -> pd.DataFrame:
    """Return the rows of a contrast, group by group."""
    rows = table[table["contrast"] == contrast]
    return in_order(rows, GROUP, rows[GROUP].unique())


def with_scatter(found: Quantities, error: Array, df: int) -> Quantities:
    """Add to quantities Student-t errors of so many degrees of freedom, (n_quantities,)."""
    rng = np.random.default_rng(0)  # one answer for all
    n = len(found.mixtures[0].centre) if found.mixtures else len(found.draws)
    # Evenly spread over the distribution of the variance, so that it is not left to chance.
    even = df / chdtri(df, (np.arange(n) + 0.5) / n)
    scale = np.sqrt(rng.permutation(even))
    return with_error(found, scale[:, None] * error)
