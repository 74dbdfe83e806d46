"""The quantities that a fit is asked about, level by level, as draws with labels.

Levels are named as in ``by=``: connection (the model's means), group (the mean over a protected
group's listed words), word, attribute and term.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import pandas as pd
import xarray as xr
from scipy.sparse import csr_array, eye_array, kron
from scipy.special import ndtr

from bayesbias.constants import (
    ATTRIBUTE,
    CONNECTION,
    CONTEXT,
    CONTRASTS,
    GROUP,
    PROTECTED_WORD,
    REPEATING,
    RUN,
)
from bayesbias.errors import FitError, one_of
from bayesbias.fits.between_groups import LIST, summary_of_lists
from bayesbias.fits.captions import tell
from bayesbias.inference.block import every_block
from bayesbias.inference.conditional import NormalMixture, conditional_moments
from bayesbias.inference.design import Design
from bayesbias.inference.intervals import intervals_of
from bayesbias.inference.levels import Term
from bayesbias.inference.parameters import NOISE_SIMILAR, draws_of, samples, sds_of
from bayesbias.inference.predictive import thinned
from bayesbias.inference.questions import (
    LinearCombinations,
    connection_weights,
    group_weights,
    stacked,
    word_weights,
)
from bayesbias.inference.specification import ModelSpec
from bayesbias.inference.terms import ATTRIBUTE_KIND
from bayesbias.support.arrays import Array, Index, Mask
from bayesbias.support.text_tables import counted

MEAN_LEVELS = ("connection", "group", "word")
"""Levels that have a mean distance per connection."""

LEVELS = (LIST, *MEAN_LEVELS, "attribute", "term", "slope", *REPEATING)
"""All levels of a summary."""


@dataclass(frozen=True)
class Groups:
    """Whether groups have means of their own, for every list, and how many reference words."""

    has_means: bool = False
    n_reference: int = 0

    @property
    def note(self) -> str:
        """What tells a group's association from the difference of the attribute lists."""
        n = self.n_reference
        return tell("relative_to", self.has_means, counted(n, "reference word") if n else "")

    @property
    def heading(self) -> str:
        """What the table of groups' own answers is called."""
        return tell("groups_heading", bool(self.n_reference))


def groups_of(design: Design) -> Groups:
    """Return what a fit's model knows of groups."""
    return Groups(design.has_groups, len(design.protected_words) - len(design.protected))


def estimand(by: str, groups: Groups, *, only_listed: bool) -> str:
    """Say what the numbers of a level are about; `only_listed`: connection means are fixed."""
    if by in REPEATING:
        return tell("repeated", by, only_listed)
    return tell(by, groups.has_means, only_listed)


def repeat_labels(by: str) -> tuple[str, str, str]:
    """Return what rows by context or run are called: of each, over all, of the sd between them."""
    return f"in the {by}", f"over {by}s", f"sd between {by}s"


@dataclass(frozen=True)
class Quantities:
    """Draws of quantities, (n_draws, n_quantities), and what each is, a row of `labels` each.

    `chains` are the Markov chains that the draws come from, one after the other; 0 if draws are
    independent. `exact` is, where the collapsed engine gives it, the posterior of every quantity
    without the Monte Carlo error of the draws, and counts but for those `drawn`, (n_quantities,),
    which are not linear. `unrelated` (n_quantities, n_points): the standard deviations that they
    would have if groups were unrelated to the lists, given those of the effects.
    """

    labels: pd.DataFrame
    draws: Array
    chains: int = 0
    exact: tuple[NormalMixture, ...] = ()
    unrelated: Array | None = None
    drawn: Mask | None = None

    def at(self, place: int) -> "Quantities":
        """Return one of the quantities."""
        one = slice(place, place + 1)
        return replace(
            self,
            labels=self.labels.iloc[one],
            draws=self.draws[:, one],
            exact=self.exact[one],
            unrelated=None if self.unrelated is None else self.unrelated[one],
        )

    def below(self, bound: float) -> Array:
        """Return the posterior probabilities of being below a bound, (n_quantities,)."""
        if self.exact:
            return np.array([mixture.below(bound) for mixture in self.exact])
        return np.asarray((self.draws < bound).mean(axis=0))

    def intervals(self, probs: Sequence[float], interval: str) -> list[Array]:
        """Return intervals of several probabilities, (n_quantities, 2) each."""
        if not self.exact:
            return intervals_of(self.draws, probs, interval)
        found = [np.array([one.interval(p, interval) for one in self.exact]) for p in probs]
        if self.drawn is not None:
            of_draws = intervals_of(self.draws[:, self.drawn], probs, interval)
            for ends, known in zip(found, of_draws, strict=True):
                ends[self.drawn] = known
        return found


@dataclass(frozen=True)
class FitContext:
    """What every answer needs to know of a fit.

    `chains`: Markov chains, whose draws need ESS and R-hat; 0 where draws are independent, and the
    effects given the standard deviations are known exactly.
    """

    posterior: xr.Dataset
    design: Design
    spec: ModelSpec
    chains: int = 0


_FEWEST_DRAWS: Final = 100
"""Of which the quartiles are known well enough to be compared."""

_POINTS_OF_CHANCE: Final = 200
"""Draws of the standard deviations that a chance is averaged over: it is told in whole percent."""


def posterior_of(
    fitted: FitContext,
    labels: pd.DataFrame,
    weights: LinearCombinations,
    *,
    points: int = 1000,
    chance: bool = False,
) -> Quantities:
    """Turn weights, a row of `labels` each, into draws and, where there are, exact posteriors.

    An exact posterior is a mixture over so many `points`, draws of the standard deviations. With
    `chance` also what the quantities would scatter by if groups were unrelated to the lists: the
    posterior given the standard deviations, with the covariance of lists' means that unrelated
    groups have in the place of the sampling variance of topics. Nothing tells it where attributes
    count as unrelated.
    """
    posterior, design, spec = fitted.posterior, fitted.design, fitted.spec
    values = {str(name): samples(posterior, str(name)) for name in posterior.data_vars}
    draws = draws_of(design, weights, values, np.random.default_rng(0))  # one answer for all
    sds = posterior[[name for name in values if name.endswith("_sd")]]
    exact: tuple[NormalMixture, ...] = ()
    if not fitted.chains:
        blocks, few = every_block(design, spec), thinned(sds, points)
        both = conditional_moments(design, blocks, few, weights)
        exact = tuple(NormalMixture(*row) for row in zip(*both, strict=True))
        if not _agree(exact, draws):
            exact = ()
    unrelated = None
    if chance and design.alike is not None and len(weights.mean):
        blocks, few = every_block(design, spec, unrelated=True), thinned(sds, _POINTS_OF_CHANCE)
        _, unrelated = conditional_moments(design, blocks, few, weights)
    return Quantities(labels, draws, fitted.chains, exact, unrelated)


def chance_of(mean: Array, unrelated: Array) -> Array:
    """Return the mean over draws of the standard deviations of 2 Φ(−|d| / sd), (n_quantities,).

    `mean` (n_quantities,): d, the posterior means. `unrelated` (n_quantities, n_draws): sd.
    """
    size = np.broadcast_to(np.abs(mean)[:, None], unrelated.shape)
    # Where next to all is explained, rounding leaves an sd of 0.
    beyond = np.where(size > 0, np.inf, 0.0)
    z = np.divide(size, unrelated, out=beyond, where=unrelated > 0)
    return np.asarray(2.0 * ndtr(-z).mean(axis=1))


def _agree(mixtures: Sequence[NormalMixture], draws: Array) -> bool:
    """Whether exact posteriors are more than rounding; `draws` (n_draws, n_mixtures).

    Their variance is what the data leave of the prior's: of distances that vary by a thousandth of
    what the prior allows, a small difference of large numbers. The draws do not suffer from that.
    """
    is_known = [not one.spread.all() for one in mixtures]
    if any(one.spread.any() for one, known in zip(mixtures, is_known, strict=True) if known):
        return False
    if len(draws) < _FEWEST_DRAWS:
        return True
    quartiles = np.quantile(draws, [0.25, 0.75], axis=0).T
    return all(
        # Between the draws' quartiles an exact posterior has about half of its mass.
        known or 0.3 < one.below(third) - one.below(first) < 0.7
        for one, known, (first, third) in zip(mixtures, is_known, quartiles, strict=True)
    )


def quantities(fitted: FitContext, by: str) -> Quantities:
    """Return the posterior of a level; refuse one that is unknown or that the model lacks."""
    one_of(by, "by", LEVELS)
    if by in MEAN_LEVELS:
        return posterior_of(fitted, *asked_means(fitted, by), points=POINTS[by])
    if by == LIST:
        return posterior_of(fitted, *summary_of_lists(fitted.design), points=POINTS[by])
    if by == "attribute":
        return posterior_of(fitted, *_attributes(fitted.design), points=POINTS[by])
    if by == "slope":
        return posterior_of(fitted, *slope_weights(fitted.design))
    if by in REPEATING:
        return _repeats(fitted, by)
    return Quantities(*_terms(fitted), fitted.chains)


POINTS: Mapping[str, int] = {
    "connection": 2000,
    LIST: 2000,
    "group": 1000,
    "word": 500,
    "attribute": 250,
}
"""Draws of the standard deviations that a mixture has; words are many, and attributes more.

With 250 the ends of an interval are within a hundredth of a standard deviation of those of 4,000.
"""


def asked_means(fitted: FitContext, by: str) -> tuple[pd.DataFrame, LinearCombinations]:
    """Return the labels of a level's means, with plain means, and the weights of each."""
    design = fitted.design
    labels = crossed_labels(design, by, CONNECTION, design.protected_connection_names)
    counts, means = listed_pairs(design, by)
    labels["n_pairs"], labels["listed"] = counts.ravel(), means.ravel()
    return labels, MEAN_WEIGHTS[by](design)


MEAN_WEIGHTS: Final = {
    "connection": connection_weights,
    "group": group_weights,
    "word": word_weights,
}
"""What makes the means of a level, a row for each of its rows and connections in turn."""


def crossed_labels(design: Design, by: str, column: str, names: Sequence[str]) -> pd.DataFrame:
    """Return the labels of a level's means, each with every one of `names` in turn."""
    labels = pd.DataFrame(index=[0])
    if by == "group":
        groups = [design.groups[g] for g in design.protected_groups]
        labels = pd.DataFrame({GROUP: groups}, dtype=object)
    elif by == "word":
        words = [design.protected_words[i] for i in design.protected]
        groups = [design.groups[design.group[i]] for i in design.protected]
        labels = pd.DataFrame({PROTECTED_WORD: words, GROUP: groups}, dtype=object)
    repeated = labels.loc[labels.index.repeat(len(names))].reset_index(drop=True)
    return repeated.assign(**{column: [*names] * len(labels)})


def listed_pairs(design: Design, by: str) -> tuple[Index, Array]:
    """Return numbers and plain means of the listed pairs, NaN of none, (n_rows, n_connections)."""
    at, of_word = np.ix_(design.protected, design.protected_connections), design.group
    size = np.prod(design.cell_shape)
    sums = np.bincount(design.cell, design.response, size).reshape(design.cell_shape)
    pooled = []
    for cells in (design.cell_counts[at], sums[at]):
        if by == "connection":
            pooled.append(cells.sum(axis=0, keepdims=True))
        elif by == "group":
            groups = [of_word[design.protected] == g for g in design.protected_groups]
            pooled.append(np.stack([cells[rows].sum(axis=0) for rows in groups]))
        else:
            pooled.append(cells)
    counts, sums = pooled
    means = np.full(counts.shape, np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return counts, means


def _attributes(design: Design) -> tuple[pd.DataFrame, LinearCombinations]:
    """Return the effect of every attribute on all protected words, mean over groups."""
    n, effects = len(design.attributes), {}
    is_protected = np.isin(design.word, design.protected)
    for term in design.terms:
        if term.x is not None or set(term.columns) not in ({ATTRIBUTE}, {ATTRIBUTE, GROUP}):
            continue
        on = is_protected & term.acts
        pairs = np.unique(np.stack([design.attribute[on], term.level[on]]), axis=1)
        # A term by group and attribute has several levels of an attribute: their mean.
        share = 1.0 / np.bincount(pairs[0], minlength=n)[pairs[0]]
        effects[term.name] = csr_array((share, pairs), shape=(n, len(term.labels)))
    if not effects:
        raise FitError("the model has no attribute effects; fit 'maximal' or 'crossed'")
    kinds = [design.kinds[k] for k in design.kind]
    labels = pd.DataFrame({ATTRIBUTE: design.attributes, "kind": kinds}, dtype=object)
    return labels, LinearCombinations(
        np.zeros((n, len(design.connections))), effects, _no_new(effects)
    )


def slope_weights(design: Design) -> tuple[pd.DataFrame, LinearCombinations]:
    """Return every slope per standard deviation of its numbers, with how much that is."""
    slopes = [term for term in design.terms if term.x is not None]
    if not slopes:
        raise FitError("the model has no slopes; a model's file can have them, as [[slopes]]")
    sizes = [len(term.labels) for term in slopes]
    start, n = np.cumsum([0, *sizes]), sum(sizes)
    effects = {
        term.name: csr_array((np.ones(size), (at + np.arange(size), np.arange(size))), (n, size))
        for term, at, size in zip(slopes, start[:-1], sizes, strict=True)
    }
    rows = [(term.name, label, term.unit) for term in slopes for label in term.labels]
    labels = pd.DataFrame(rows, columns=["slope", "applies_to", "unit"])
    return labels, LinearCombinations(
        np.zeros((n, len(design.connections))), effects, _no_new(effects)
    )


def _no_new(effects: Mapping[str, Any]) -> dict[str, Index]:
    return dict.fromkeys(effects, np.zeros(0, np.int64))


_HOW_TO_BUILD_FRAME: Mapping[str, str] = {
    CONTEXT: "from pairs.contextual_distances with several contexts",
    RUN: "from pairs.distances_of_runs",
}
"""What makes a frame for a level in which pairs are met again."""


def repeat_terms(design: Design, by: str) -> tuple[Term, ...]:
    """Return the terms that shift whole connections in each context or run.

    Not those that also go by words or attributes: means are over ones like these.
    """
    columns = {by, CONNECTION, ATTRIBUTE_KIND}
    shifts = (term for term in design.terms if term.x is None)
    return tuple(t for t in shifts if by in t.columns and set(t.columns) <= columns)


def _repeats(fitted: FitContext, by: str) -> Quantities:
    """Return the differences of connections per context or run, over all, and their sd."""
    design, (in_each, over_all, sd_between) = fitted.design, repeat_labels(by)
    terms = repeat_terms(design, by)
    cells = [_cells(design, term, by) for term in terms]
    parts, spreads, labels = [], [], []
    for pair in CONTRASTS:
        if not set(pair) <= set(design.connections):
            continue
        named, shifts = _shifts(terms, cells, pair)
        if not any(shift.any() for shift in shifts):
            continue
        mean = contrast_weights(design, "connection", [pair])
        effects = {t.name: csr_array(s) for t, s in zip(terms, shifts, strict=True)}
        nothing = np.zeros((len(named), len(design.connections)))
        shift = LinearCombinations(nothing, effects, _no_new(effects))
        each = stacked([mean.combined(np.ones((len(named), 1))), shift])
        summed = each.combined(np.hstack([np.eye(len(named))] * 2))
        parts += [summed, mean, mean]  # the last stands in for the spread
        spreads.append(_spread(fitted, terms, [weight[0] for weight in shifts]))
        quantity = [in_each] * len(named) + [over_all, sd_between]
        part = pd.DataFrame({"quantity": quantity, by: [*named, "", ""]}, dtype=object)
        labels.append(part.assign(contrast=f"{pair[0]} − {pair[1]}"))
    if not labels:
        frame = _HOW_TO_BUILD_FRAME.get(by, f"with several {by}s of every pair")
        raise FitError(
            f"the model has no term by {by} and connection for two connections; fit "
            f"{REPEATING[by]!r} to a frame {frame}"
        )
    table = pd.concat(labels, ignore_index=True)
    is_spread = (table["quantity"] == sd_between).to_numpy()
    found = posterior_of(fitted, table, stacked(parts), points=POINTS["connection"])
    draws = found.draws.copy()
    draws[:, is_spread] = np.column_stack(spreads)
    return replace(found, draws=draws, drawn=is_spread)


def contrast_matrix(design: Design, pairs: Sequence[tuple[str, str]]) -> Array:
    """Return the matrix that takes differences of connections, (n_pairs, n_connections)."""
    at = design.protected_connection_names.index
    matrix = np.zeros((len(pairs), len(design.protected_connections)))
    for row, (first, second) in zip(matrix, pairs, strict=True):
        row[at(first)], row[at(second)] = 1.0, -1.0
    return matrix


def contrast_weights(
    design: Design, by: str, pairs: Sequence[tuple[str, str]]
) -> LinearCombinations:
    """Return the differences of connections of a level, a row for each of its rows and pairs."""
    means = MEAN_WEIGHTS[by](design)
    n_rows = len(means.mean) // len(design.protected_connections)
    # Means are ordered by row, then connection: I ⊗ the differences takes them row by row.
    return means.combined(kron(eye_array(n_rows), contrast_matrix(design, pairs)))


def _cells(design: Design, term: Term, by: str) -> dict[tuple[str, str], int]:
    """Return the level that a term has in each context or run and connection where it acts."""
    found = np.unique(np.stack([term.level, design.connection])[:, term.acts], axis=1)
    return {
        (term.columns[by][level], design.connections[connection]): level
        for level, connection in found.T.tolist()
    }


def _shifts(
    terms: Sequence[Term], cells: Sequence[Mapping[tuple[str, str], int]], pair: tuple[str, str]
) -> tuple[list[str], list[Array]]:
    """Return the contexts or runs of a contrast, and the weights of every term's effects there.

    A level that both connections share cancels. A connection on which no term acts has the same
    mean in all of them; one on which a term acts has none where it has no pairs.
    """
    known = {cell for of_term in cells for cell in of_term}
    acted = {name for _, name in known}
    everywhere = dict.fromkeys(each for of_term in cells for each, _ in of_term)
    named = [e for e in everywhere if all((e, n) in known or n not in acted for n in pair)]
    weights = [np.zeros((len(named), len(term.labels))) for term in terms]
    for weight, of_term in zip(weights, cells, strict=True):
        for row, each in zip(weight, named, strict=True):
            for name, sign in zip(pair, (1.0, -1.0), strict=True):
                if (each, name) in of_term:
                    row[of_term[each, name]] += sign
    return named, weights


def _spread(fitted: FitContext, terms: Sequence[Term], weights: Sequence[Array]) -> Array:
    """Return draws of the standard deviation of a sum of weighted levels, shape (n_draws,)."""
    posterior = fitted.posterior
    variance = np.zeros(posterior.sizes["chain"] * posterior.sizes["draw"])
    for term, weight in zip(terms, weights, strict=True):
        name = f"{term.name}_sd"
        drawn = {name: samples(posterior, name)} if name in posterior else {}
        variance = variance + sds_of(term, drawn)[:, term.sd] ** 2 @ weight**2
    return np.sqrt(variance)


def _terms(fitted: FitContext) -> tuple[pd.DataFrame, Array]:
    """Return the standard deviations of all terms and of the noise."""
    posterior = fitted.posterior
    rows, columns = [], []
    names = [f"{term.name}_sd" for term in fitted.design.terms]
    for name in (*names, "noise_sd", NOISE_SIMILAR, "degrees_of_freedom"):
        if name not in posterior:
            continue
        dims = [str(d) for d in posterior[name].dims if d not in ("chain", "draw")]
        where = [str(v) for v in posterior[name][dims[0]].to_numpy()] if dims else ["all"]
        rows += [(name, label) for label in where]
        columns.append(samples(posterior, name).reshape(-1, len(where)))
    return pd.DataFrame(rows, columns=["parameter", "applies_to"]), np.hstack(columns)
