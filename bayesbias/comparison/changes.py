"""What differs between conditions: a model of changes, its contrasts, and shares of them.

Changes have one model (``change-maximal``), in which effects of groups on attributes sum to 0. Its
prior unit is that of the levels: the standard deviation of a neutral pair's distance before. K, how
alike attributes are, is that of all conditions with a weight (`words.profiles.combined`).

Three things are known without a model, and agree with it:

- a connection none of whose pairs moved has the change 0, and a contrast with it is the change of
  the other side;
- under a condition in which no attribute of a list tells the compared groups apart, the contrast is
  0 by construction, as hard debiasing makes it. The change is then the contrast of the other
  condition, with its interval, and nothing is left;
- what a time shifts for all pairs alike, as a training may, no model of the slopes of pairs can
  see. The plain contrasts of T times are off their line of least squares with the standard
  deviation s of T − 2 degrees of freedom; the interval of a trend with weights w has a further
  s ‖w‖ t(T − 2) in it.

What is left of a contrast is the ratio r = after / before. With means a, b, standard deviations
s_a, s_b and covariance c, it can be every r for which after − r · before may be 0 (Fieller 1954):

    (a − r b)² ≤ z² (s_a² − 2 r c + r² s_b²).

That is an interval where before is surely not 0, b² > z² s_b². The covariance follows from the
change, c = (s_a² + s_b² − s_change²) / 2. No draws of a ratio are taken, of which a denominator
near 0 would make a heavy tail.

Of ranks only differences tell: two conditions share words, so that their own intervals overlap
though one is surely before the other.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import numpy as np
import pandas as pd
from scipy.special import ndtri, stdtrit

from bayesbias.comparison.conditions import SharedPairs, line_weights
from bayesbias.constants import ATTRIBUTE, CHANGE, CONNECTION, GROUP
from bayesbias.engine.adapting import unit_of
from bayesbias.engine.intervals import interval_of
from bayesbias.engine.mixtures import NormalMixture
from bayesbias.fits.contrasts import contrasts_asked
from bayesbias.fits.decision import DecisionRule
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.fitting import fit_prepared, prepared
from bayesbias.models.design import Design
from bayesbias.models.model_files import load_model
from bayesbias.models.questions import Cells, cell_weights, stacked
from bayesbias.support.arguments import Array, KeyedVectors, Mask
from bayesbias.vectors.samples import sample_of
from bayesbias.words.distance_frame import keys_of_words
from bayesbias.words.profiles import combined, profiles_of

KEYS: Final = ["level", "list", GROUP, "other", "word", "contrast"]
"""What names a contrast."""

BY_CONSTRUCTION: Final = "0 by construction"
ONE_SIDE: Final = "one side 0 by construction"
UNCHANGED: Final = "unchanged"

_UNMOVED: Final = 1e-4
"""Distances that differ by no more are the same but for the rounding of the vectors."""

_DRAWS: Final = 4000
"""Of a trend with the scatter of times, and of ranks, whose shares are shown in whole percent."""


def fit_changes(
    pairs: SharedPairs,
    weights: Mapping[str, Array],
    vectors: Sequence["KeyedVectors | None"],
    seed: int,
) -> dict[str, Fit]:
    """Fit every weighted sum of the pairs whose connection moved; none where no pair did.

    `vectors`: of the conditions, which say how alike attributes are.
    """
    profiles = [
        None
        if kv is None
        else profiles_of(kv, keys_of_words(pairs.frame, kv, ATTRIBUTE), sample_of(kv))
        for kv in vectors
    ]
    fits = {}
    for name, row in weights.items():
        change = pairs.change(row)
        moved = change[CHANGE].abs().groupby(change[CONNECTION]).transform("max") > _UNMOVED
        if not moved.any():
            continue
        spec = load_model("change-maximal")
        spec = spec.in_unit(*unit_of(change, CHANGE))
        frame, notes = prepared(change[moved], spec)
        present = np.flatnonzero(row).tolist()
        fits[name] = fit_prepared(
            frame,
            spec,
            combined([profiles[i] for i in present], (row * pairs.units)[present].tolist()),
            notes=notes,
            seed=seed,
        )
    return fits


def design_of(pairs: pd.DataFrame, values: Array) -> Design:
    """Index pairs without a model, which is all that the weights of contrasts need."""
    spec = dataclasses.replace(load_model("paper"), terms=(), response=CHANGE)
    return Design.from_frame(pairs.assign(**{CHANGE: values}), spec)


def named(table: pd.DataFrame) -> pd.MultiIndex:
    """Return what names every row."""
    return pd.MultiIndex.from_frame(table[KEYS])


@dataclass(frozen=True, eq=False)
class PlainContrasts:
    """The contrasts of shared pairs, as they are without a model.

    `design`: of all pairs, also of connections that did not move. `labels`: of `contrasts_asked`.
    `matrix` (n_rows, n_cells): weights of the first rows, those not of words, on cells. `observed`
    (n_contrasts, n_conditions): of the plain means, in the unit of changes. `zero`, of the same
    shape: whether the compared groups have the same mean distance on every attribute of their
    lists.
    """

    pairs: SharedPairs
    design: Design
    labels: pd.DataFrame
    matrix: Array
    observed: Array
    zero: Mask

    @classmethod
    def of(cls, pairs: SharedPairs) -> "PlainContrasts":
        """Ask every contrast of the plain means under every condition."""
        designs = [design_of(pairs.frame, cosines) for cosines in pairs.cosines.T]
        by_condition = [contrasts_asked(design) for design in designs]
        design, (labels, _, matrix) = designs[0], by_condition[0]
        cell = np.full(len(design.attribute), -1)
        for number, rows in enumerate(Cells.of(design).pairs):
            cell[rows] = number
        distances, zero = pd.DataFrame(pairs.distances), np.zeros((len(labels), len(designs)), bool)
        for i in distances:
            means = distances.pivot_table(i, cell, design.attribute, fill_value=0.0)
            off = np.abs(matrix @ means.drop(index=-1, errors="ignore").to_numpy())
            zero[: len(matrix), i] = off.max(axis=1) <= _UNMOVED
        observed = np.column_stack([table["observed"] for table, *_ in by_condition])
        return cls(pairs, design, labels, matrix, observed, zero)

    def of_change(
        self,
        fitted: Fit | None,
        weights: Array,
        levels: Sequence[pd.DataFrame],
        rule: DecisionRule,
        times: Array | None,
    ) -> pd.DataFrame:
        """Return a difference's contrasts: labels, ``mean``, ``sd``, ``low``, ``high``, ``mark``.

        `levels`: the contrasts of every condition, by `KEYS`. `times`: of a trend, whose rows get
        the scatter of times off the line.
        """
        keys = [*named(self.labels)]
        mixtures = {} if fitted is None else self._mixtures(fitted)
        of_one_side = self._of_one_side(weights, levels)
        scatter = None if times is None else off_the_line(self.observed, times)
        rows: list[tuple[Any, ...]] = []
        for i, key in enumerate(keys):
            if i in of_one_side:
                rows.append((*of_one_side[i], ONE_SIDE))
            elif key not in mixtures:
                rows.append((0.0, 0.0, 0.0, 0.0, UNCHANGED))
            elif scatter is None or times is None:
                mixture = mixtures[key]
                ends = mixture.interval(rule.ci_prob, rule.ci_kind)
                rows.append((mixture.mean, mixture.sd, *ends, ""))
            else:
                rows.append((*_with_scatter(mixtures[key], scatter[i], times, rule), ""))
        numbers = pd.DataFrame(rows, columns=["mean", "sd", "low", "high", "mark"])
        return pd.concat([self.labels.assign(observed=self.observed @ weights), numbers], axis=1)

    def _mixtures(self, fitted: Fit) -> dict[Any, NormalMixture]:
        """Return the posteriors of contrasts by their names; of those that did not move none."""
        moved, place = fitted.design, {name: i for i, name in enumerate(_cells(self.design))}
        weights = self.matrix[:, [place[name] for name in _cells(moved)]]
        at = np.flatnonzero(np.abs(weights).sum(axis=1) > 0).tolist()
        of_cells = cell_weights(moved, Cells.of(moved)).combined(weights[at])
        labels, all_weights, _ = contrasts_asked(moved)
        words = np.flatnonzero(labels["level"] == "word")
        keys = [*named(self.labels)[at], *named(labels.iloc[words])]
        mixtures = fitted.posteriors(stacked([of_cells, all_weights.rows(words)])).mixtures
        return dict(zip(keys, mixtures, strict=True))

    def _of_one_side(
        self, weights: Array, levels: Sequence[pd.DataFrame]
    ) -> dict[int, tuple[float, float, float, float]]:
        """Return the rows that are one condition's own contrast, all others being 0."""
        present, rows = weights != 0, {}
        for i in np.flatnonzero((self.zero & present).any(axis=1)).tolist():
            sides, key = np.flatnonzero(present & ~self.zero[i]), named(self.labels)[i]
            if not len(sides):
                rows[i] = (0.0, 0.0, 0.0, 0.0)
            elif len(sides) == 1 and key in levels[sides[0]].index:
                level = levels[sides[0]].loc[key]
                weight = float(weights[sides[0]] * self.pairs.units[sides[0]])
                low, high = sorted((weight * level["low"], weight * level["high"]))
                rows[i] = (weight * level["mean"], abs(weight) * level["sd"], low, high)
        return rows


def _cells(design: Design) -> list[tuple[str, str]]:
    """Return the group and the list of every cell."""
    cells = Cells.of(design)
    return [
        (design.groups[g], design.attribute_sets[s])
        for g, s in zip(cells.group, cells.list, strict=True)
    ]


def off_the_line(values: Array, times: Array) -> Array:
    """Return how far values, (n, T), are off their lines: sds of T − 2 degrees of freedom, (n,).

    Examples
    --------
    >>> float(off_the_line(np.array([[0.0, 1.0, 0.0]]), np.array([1.0, 2.0, 3.0]))[0].round(3))
    0.816
    """
    basis = np.column_stack([np.ones(len(times)), times - times.mean()])
    residuals = values - values @ basis @ np.linalg.pinv(basis)
    return np.asarray(np.sqrt((residuals**2).sum(axis=1) / (len(times) - 2)))


def _with_scatter(
    mixture: NormalMixture, off: float, times: Array, rule: DecisionRule
) -> tuple[float, float, float, float]:
    """Return mean, sd and interval of a trend with Student-t errors of single times."""
    rng, df = np.random.default_rng(0), len(times) - 2
    even = (np.arange(_DRAWS) + 0.5) / _DRAWS
    error = off * np.linalg.norm(line_weights(times)) * rng.permutation(stdtrit(df, even))
    at = np.arange(_DRAWS) % len(mixture.centre)
    draws = mixture.centre[at] + mixture.spread[at] * rng.permutation(stdtrit(np.inf, even)) + error
    low, high = interval_of(draws, rule.ci_prob, rule.ci_kind)
    variance = float(np.var(error)) if df > 2 else np.inf
    return mixture.mean, float(np.sqrt(mixture.sd**2 + variance)), float(low), float(high)


def fieller(
    after: tuple[float, float], before: tuple[float, float], covariance: float, prob: float
) -> tuple[float, float] | None:
    """Return the ends of a ratio's confidence set; None where it is no interval.

    `after`, `before`: mean and standard deviation of each. A covariance beyond the product of the
    standard deviations is made possible. Fieller (1954, "Some problems in interval estimation").

    Examples
    --------
    >>> [round(end, 3) for end in fieller((0.5, 0.0), (1.0, 0.25), 0.0, 0.95)]
    [0.336, 0.98]
    """
    (a, s_a), (b, s_b), z = after, before, ndtri((1.0 + prob) / 2.0)
    c = float(np.clip(covariance, -s_a * s_b, s_a * s_b))
    square = b**2 - (z * s_b) ** 2
    if not square > 0.0:
        return None
    half, rest = a * b - z**2 * c, a**2 - (z * s_a) ** 2
    root = np.sqrt(max(half**2 - square * rest, 0.0))
    return float((half - root) / square), float((half + root) / square)


def left_table(tables: Sequence[pd.DataFrame], units: Array, prob: float) -> pd.DataFrame:
    """Return what is left of every contrast that before, after and their change have.

    `units` (2,): what before and after are multiplied by where they are compared.
    """
    before, after, change = (table.set_index(KEYS) for table in tables)
    rows = []
    for key in change.index.intersection(before.index).intersection(after.index):
        b, a, of_change = before.loc[key], after.loc[key], change.loc[key]
        share = _left(b, a, of_change["sd"], units, prob)
        rows.append((*key, b["mean"], a["mean"], *share))
    columns = [*KEYS, "before", "after", "left", "left_low", "left_high", "reason"]
    return pd.DataFrame(rows, columns=columns)


def _left(
    before: Any, after: Any, sd_of_change: float, units: Array, prob: float
) -> tuple[float, float, float, str]:
    """Return the share of a contrast that is left, with its ends, and why it is not known."""
    nothing = np.nan, np.nan, np.nan
    if before["withheld"] or after["withheld"]:
        return *nothing, str(before["withheld"] or after["withheld"])
    if before["mark"] == BY_CONSTRUCTION:
        return *nothing, f"before is {BY_CONSTRUCTION}"
    if after["mark"] == BY_CONSTRUCTION:
        return 0.0, 0.0, 0.0, BY_CONSTRUCTION
    b, s_b = before["mean"] * units[0], before["sd"] * units[0]
    a, s_a = after["mean"] * units[1], after["sd"] * units[1]
    ends = fieller((a, s_a), (b, s_b), (s_a**2 + s_b**2 - sd_of_change**2) / 2.0, prob)
    return (*nothing, "cannot tell: before may be 0") if ends is None else (a / b, *ends, "")


def ranks_of(names: list[str], differences: Mapping[tuple[str, str], pd.DataFrame]) -> pd.DataFrame:
    """Return how probable each rank of every condition is, by contrasts over all and by list.

    `differences`: by the two conditions of each pair the rows of their difference, second − first.
    Rank 1 has the lowest contrast. Rows and columns of a contrast sum to 1.
    """
    first = next(iter(differences.values()))
    parts = []
    for row in first[first["level"].isin(("over all", "list")) & (first["withheld"] == "")].index:
        mean, variance = np.zeros((2, len(names), len(names)))
        for (i, a), (j, b) in combinations(enumerate(names), 2):
            answer = differences[a, b].loc[row]
            mean[i, j], mean[j, i] = -answer["mean"], answer["mean"]
            variance[i, j] = variance[j, i] = answer["sd"] ** 2
        places = _places(mean, variance)
        shares = {f"rank_{k + 1}": (places == k).mean(axis=0) for k in range(len(names))}
        labels = {key: first.loc[row, key] for key in ("level", "list", "contrast")}
        shares["mean_rank"] = 1.0 + places.mean(axis=0)
        parts.append(pd.DataFrame({**labels, "condition": names, **shares}))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def _places(mean: Array, variance: Array) -> Array:
    """Draw the places, from 0, of numbers of which differences are known, (n_draws, n).

    `mean`, `variance` (n, n): of the row's number less the column's. Of means and covariances only
    what differences tell is drawn: row means, and the double centred −½ variance (Torgerson's
    classical scaling).
    """
    n = len(mean)
    centre = np.eye(n) - 1.0 / n
    values, vectors = np.linalg.eigh(-0.5 * centre @ variance @ centre)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    draws = np.random.default_rng(0).standard_normal((_DRAWS, n)) @ root.T
    return np.asarray((mean.mean(axis=1) + draws).argsort(axis=1).argsort(axis=1))
