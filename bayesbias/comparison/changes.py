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
"""

import dataclasses
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from scipy.special import ndtri, stdtrit

from bayesbias.comparison.conditions import TREND, SharedPairs, Vectors, line_weights, times_of
from bayesbias.constants import ATTRIBUTE, BEFORE, CHANGE, CONNECTION
from bayesbias.engine.adapting import unit_of
from bayesbias.engine.intervals import NormalMixture, interval_of
from bayesbias.errors import ArgumentError
from bayesbias.fits.contrasts import LABELS, CellTable, contrasts_asked
from bayesbias.fits.decision import DecisionRule, judged
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.fitting import fit_prepared, prepared
from bayesbias.models.design import Design
from bayesbias.models.parameters import Weights
from bayesbias.models.specification import load_model
from bayesbias.support.arguments import Array, Index, Mask
from bayesbias.vectors.samples import sample_of
from bayesbias.words.distance_frame import keys_of_words
from bayesbias.words.profiles import combined, profiles_of

if TYPE_CHECKING:
    from bayesbias.comparison.comparing import Comparison

KEYS: Final = list(LABELS)  # what names a contrast

BY_CONSTRUCTION: Final = "0 by construction"
ONE_SIDE: Final = "one side 0 by construction"
UNCHANGED: Final = "unchanged"

_NUMBERS: Final = ["mean", "sd", "low", "high"]

_UNMOVED: Final = 1e-4  # distances that differ by no more are the same but for rounding
_DRAWS: Final = 4000  # of a trend with the scatter of times, and of ranks


def fit_changes(
    pairs: SharedPairs, weights: Mapping[str, Array], vectors: Vectors, seed: int
) -> dict[str, Fit]:
    """Fit every weighted sum of the pairs whose connection moved; none where no pair did."""
    profiles = {
        i: profiles_of(kv, keys_of_words(pairs.frame, kv, ATTRIBUTE), sample_of(kv))
        for i, kv in enumerate(vectors)
        if kv is not None
    }
    fits = {}
    for name, row in weights.items():
        present = np.flatnonzero(row).tolist()
        columns = {BEFORE: 1.0 + pairs.cosines[:, present[0]], CHANGE: pairs.cosines @ row}
        change = pairs.frame.assign(**columns)
        moved = change[CHANGE].abs().groupby(change[CONNECTION]).transform("max") > _UNMOVED
        if moved.any():
            spec = load_model("change-maximal").in_unit(*unit_of(change, CHANGE))
            frame, notes = prepared(change[moved], spec)
            sizes = (row * pairs.units)[present].tolist()
            alike = combined([profiles.get(i) for i in present], sizes)
            fits[name] = fit_prepared(frame, spec, alike, notes=notes, seed=seed)
    return fits


def design_of(pairs: pd.DataFrame) -> Design:
    """Index pairs without a model, which is all that the weights of contrasts need."""
    spec = dataclasses.replace(load_model("paper"), terms=(), response=CHANGE)
    return Design(pairs.assign(**{CHANGE: 0.0}), spec)


def named(table: pd.DataFrame) -> pd.MultiIndex:
    """Return what names every row."""
    return pd.MultiIndex.from_frame(table[KEYS])


def with_differences(
    comparison: "Comparison", pairs: SharedPairs, levels: Mapping[str, pd.DataFrame]
) -> dict[str, pd.DataFrame]:
    """Return contrasts of conditions, marked where they are 0, and those of differences."""
    rule, times = dataclasses.replace(comparison.rule, scale=pairs.scale), times_of([*levels])
    design = design_of(pairs.frame)
    labels, _, on_cells = contrasts_asked(design)
    keys, (names, _, rows) = named(labels), _cells(design)
    observed = on_cells @ np.array([pairs.cosines[of].mean(axis=0) for of in rows])
    zero = _zero_by_construction(pairs.distances, design.attribute, on_cells, rows)
    of_levels = [table.set_index(KEYS)[_NUMBERS].reindex(keys) for table in levels.values()]
    by_level = np.stack(of_levels, axis=1)
    tables = {
        name: table.assign(mark=np.where(named(table).isin(keys[is_zero]), BY_CONSTRUCTION, ""))
        for (name, table), is_zero in zip(levels.items(), zero.T, strict=True)
    }
    for name, row in comparison.weights.items():
        table = labels.assign(observed=observed @ row, **dict.fromkeys(_NUMBERS, 0.0))
        mark, change = np.full(len(keys), UNCHANGED, dtype=object), np.abs(pairs.cosines @ row)
        moved = np.array([change[of].max() > _UNMOVED for of in rows])
        at = (on_cells[:, moved] != 0).any(axis=1)  # the contrasts with a cell that moved
        if at.any():
            fit, scatter = comparison.differences[name], np.full(len(keys), np.nan)
            if name == TREND and times is not None:
                scatter = off_the_line(observed, times) * np.linalg.norm(line_weights(times))
            of_moved, means, _ = _cells(fit.design)
            of_fit = on_cells[:, [names.index(cell) for cell in of_moved]]
            answers = zip(fit.posteriors(csr_array(of_fit[at]) @ means), scatter[at], strict=True)
            table.loc[at, _NUMBERS] = [_numbers(*of, rule, len(levels) - 2) for of in answers]
            mark[at] = ""
        # Where all conditions but one are 0, the difference is that one's own contrast.
        others, scaled = ~zero & (row != 0), by_level * (row * pairs.units)[:, None]
        own = np.where(others[:, :, None], scaled, 0.0).sum(axis=1)
        at &= (zero & (row != 0)).any(axis=1) & (others.sum(axis=1) < 2) & ~np.isnan(own[:, 0])
        mean, sd, *ends = own[at].T
        table.loc[at, _NUMBERS] = np.column_stack([mean, np.abs(sd), np.sort(ends, axis=0).T])
        mark[at] = ONE_SIDE
        tables[name] = judged(table.assign(mark=mark), rule)
    return tables


def _cells(design: Design) -> tuple[list[tuple[str, ...]], Weights, list[Index]]:
    """Return the names, means and pairs of all cells, and then of words' own."""
    table, words = CellTable(design, words=True), (*design.protected_words, "")  # -1 is the last
    names: list[tuple[str, ...]] = [
        (design.groups[g], design.attribute_sets[s], words[w])
        for g, s, w in zip(table.group, table.list, table.word, strict=True)
    ]
    return names, table.means, table.pairs


def _zero_by_construction(
    distances: Array, attribute: Index, on_cells: Array, rows: Sequence[Index]
) -> Mask:
    """Tell where what is compared has one mean on every attribute, (n_rows, n_conditions)."""
    cell, of_cells = np.repeat(np.arange(len(rows)), [*map(len, rows)]), np.concatenate(rows)
    frame = pd.DataFrame(distances[of_cells])
    means = frame.pivot_table(index=cell, columns=attribute[of_cells], fill_value=0.0)
    off = [np.abs(on_cells @ means[i].to_numpy()).max(axis=1) for i in frame]
    return np.column_stack(off) <= _UNMOVED


def off_the_line(values: Array, times: Array) -> Array:
    """Return how far values, (n, T), are off their lines: sds of T − 2 degrees of freedom, (n,)."""
    basis = np.column_stack([np.ones(len(times)), times - times.mean()])
    residuals = values - values @ basis @ np.linalg.pinv(basis)
    return np.asarray(np.sqrt((residuals**2).sum(axis=1) / (len(times) - 2)))


def _numbers(mixture: NormalMixture, scatter: float, rule: DecisionRule, df: int) -> list[float]:
    """Return mean, sd and interval of a difference; of a trend with Student-t errors of times."""
    if np.isnan(scatter):
        return [mixture.mean, mixture.sd, *mixture.interval(rule.ci_prob, rule.ci_kind)]
    rng, even = np.random.default_rng(0), (np.arange(_DRAWS) + 0.5) / _DRAWS
    error = scatter * rng.permutation(stdtrit(df, even))
    at = np.arange(_DRAWS) % len(mixture.centre)
    draws = mixture.centre[at] + mixture.spread[at] * rng.permutation(stdtrit(np.inf, even)) + error
    low, high = interval_of(draws, rule.ci_prob, rule.ci_kind)
    variance = float(np.var(error)) if df > 2 else np.inf
    return [mixture.mean, np.sqrt(mixture.sd**2 + variance), low, high]


def fieller(
    after: tuple[float, float], before: tuple[float, float], covariance: float, prob: float
) -> tuple[float, float] | None:
    """Return the ends of a ratio's confidence set; None where it is no interval.

    `after`, `before`: mean and standard deviation of each. A covariance beyond the product of the
    standard deviations is made possible. Fieller (1954, "Some problems in interval estimation").
    """
    (a, s_a), (b, s_b), z = after, before, ndtri((1.0 + prob) / 2.0)
    c = float(np.clip(covariance, -s_a * s_b, s_a * s_b))
    square = b**2 - (z * s_b) ** 2
    if not square > 0.0:
        return None
    half, rest = a * b - z**2 * c, a**2 - (z * s_a) ** 2
    root = np.sqrt(max(half**2 - square * rest, 0.0))
    return float((half - root) / square), float((half + root) / square)


def left_of(comparison: "Comparison") -> pd.DataFrame:
    """How much of every contrast is left after, where two conditions are compared.

    Columns ``level``, ``list``, ``group``, ``other``, ``word``, ``contrast``; ``before`` and
    ``after``, of two trainings in the mean of both units; ``left``, the ratio, with ``left_low``
    and ``left_high`` (Fieller 1954); ``reason``, why there is none, or that it is 0 by
    construction. Of other than two conditions it is an `ArgumentError`.
    """
    table, pairs = comparison.contrasts, comparison.pairs
    if pairs is None or not comparison.is_change:
        raise ArgumentError(
            "left: is what the second of two conditions has of the first; compare these two alone, "
            "the first before the second"
        )
    by_condition = table.groupby("condition", sort=False)
    before, after, change = (part.set_index(KEYS) for _, part in by_condition)
    (unit_b, unit_a), prob = pairs.units, comparison.rule.ci_prob
    rows, unknown = [], (np.nan, np.nan, np.nan)
    for key in change.index.intersection(before.index).intersection(after.index):
        b, a, c = before.loc[key], after.loc[key], change.loc[key]
        mean_b, s_b = b["mean"] * unit_b, b["sd"] * unit_b
        mean_a, s_a = a["mean"] * unit_a, a["sd"] * unit_a
        ends = fieller((mean_a, s_a), (mean_b, s_b), (s_a**2 + s_b**2 - c["sd"] ** 2) / 2.0, prob)
        share = (*unknown, "cannot tell: before may be 0")
        if b["withheld"] or a["withheld"]:
            share = (*unknown, b["withheld"] or a["withheld"])
        elif b["mark"] == BY_CONSTRUCTION:
            share = (*unknown, f"before is {BY_CONSTRUCTION}")
        elif a["mark"] == BY_CONSTRUCTION:
            share = (0.0, 0.0, 0.0, BY_CONSTRUCTION)
        elif c["mark"] == UNCHANGED:  # levels, which have other pairs too, may differ
            share = (1.0, 1.0, 1.0, "")
        elif ends is not None:
            share = (mean_a / mean_b, *ends, "")
        rows.append((*key, mean_b, mean_a, *share))
    columns = [*KEYS, "before", "after", "left", "left_low", "left_high", "reason"]
    return pd.DataFrame(rows, columns=columns)


def ranks_of(names: list[str], table: pd.DataFrame) -> pd.DataFrame:
    """Return how probable each rank of every condition is, by contrasts over all and by list.

    `table`: contrasts, with the difference of each two conditions: these share words, so that their
    own intervals overlap though one is surely before the other. What differences tell is drawn: row
    means, and the double centred −½ variance (Torgerson's classical scaling).
    """
    is_ranked = table["level"].isin(("over all", "list")) & (table["withheld"] == "")
    labels, parts, n = ["level", "list", "contrast"], [], len(names)
    centre = np.eye(n) - 1.0 / n
    for of, rows in table[is_ranked & table["is_difference"]].groupby(labels, sort=False):
        answers = rows.set_index("condition")
        mean, variance = np.zeros((2, n, n))  # of the row's number less the column's
        for (i, a), (j, b) in combinations(enumerate(names), 2):
            answer = answers.loc[f"{a} → {b}"]
            mean[i, j], mean[j, i] = -answer["mean"], answer["mean"]
            variance[i, j] = variance[j, i] = answer["sd"] ** 2
        values, vectors = np.linalg.eigh(-0.5 * centre @ variance @ centre)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        root = root if root.any() else 1e-12 * centre  # equal ones by chance
        noise = np.random.default_rng(0).standard_normal((_DRAWS, n)) @ root.T
        places = (mean.mean(axis=1) + noise).argsort(axis=1).argsort(axis=1)
        shares = {f"rank_{k + 1}": (places == k).mean(axis=0) for k in range(n)}
        own = dict(zip(labels, of, strict=True))
        parts.append(pd.DataFrame({**own, "condition": names, **shares}))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
