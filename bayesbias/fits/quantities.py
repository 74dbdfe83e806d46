"""The quantities that a fit is asked about, level by level, as draws with labels.

Levels are named as in ``by=``: connection (the model's means), group (the mean over a protected
group's listed words), word, attribute and term.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

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
from bayesbias.errors import ArgumentError, FitError, suggest
from bayesbias.inference.conditional import NormalMixture, conditional_moments
from bayesbias.inference.design import Design
from bayesbias.inference.levels import Term
from bayesbias.inference.parameters import samples
from bayesbias.inference.predictive import thinned
from bayesbias.inference.specification import ModelSpec
from bayesbias.inference.terms import ATTRIBUTE_KIND
from bayesbias.inference.word_means import sds_of

Array = NDArray[np.float64]

MEAN_LEVELS = ("connection", "group", "word")
"""Levels that have a mean distance per connection."""

LEVELS = (*MEAN_LEVELS, "attribute", "term", *REPEATING)
"""All levels of a summary."""

_ESTIMANDS: Mapping[str, str] = {
    "connection": "Means are over {words} and attributes like the listed ones; listed is the plain "
    "mean of the listed pairs, which is a fact and has no uncertainty.",
    "group": "Means are over the group's listed words and attributes like the listed ones.",
    "word": "Means are over attributes like the listed ones.",
    "attribute": "Negative: nearer to every protected word than the other words of its list are.",
    "term": "Standard deviations of the model's terms, in cosine distance.",
    CONTEXT: "Differences over {words} and attributes like the listed ones: in each context, over "
    "contexts like these, and the standard deviation from context to context.",
    RUN: "Differences over {words} and attributes like the listed ones: in each training run, over "
    "runs like these, and the standard deviation from run to run.",
}
"""What the numbers of each level are about; see `estimand`."""


def estimand(by: str, *, only_listed: bool = False) -> str:
    """Say what the numbers of a level are about.

    Parameters
    ----------
    by : str
        One of `LEVELS`.
    only_listed : bool
        Whether the model fixes the connection means, so that it knows nothing of words that are
        not listed.

    Examples
    --------
    >>> estimand("word")
    'Means are over attributes like the listed ones.'
    >>> estimand("connection", only_listed=True)[:65]
    'Means are over the listed words alone, and attributes like the li'
    """
    words = "the listed words alone," if only_listed else "words"
    return _ESTIMANDS[by].format(words=words)


@dataclass(frozen=True)
class RepeatRows:
    """What the rows of a level are called in which pairs are met again, such as the context.

    Parameters
    ----------
    by : {"context", "run"}
    """

    by: str

    @property
    def each(self) -> str:
        """Rows of the difference in one context or run."""
        return f"in the {self.by}"

    @property
    def over(self) -> str:
        """The row of the difference over contexts or runs like these."""
        return f"over {self.by}s"

    @property
    def spread(self) -> str:
        """The row of the standard deviation of the difference from one to another."""
        return f"sd between {self.by}s"


@dataclass(frozen=True)
class Quantities:
    """Draws of quantities and what each is.

    Parameters
    ----------
    labels : DataFrame
        One row per quantity.
    draws : ndarray, shape (n_draws, n_quantities)
    chains : int
        Chains that the draws come from, one after the other.
    exact : tuple of NormalMixture
        Where the collapsed engine gives it, the posterior of every quantity without the Monte
        Carlo error of the draws.
    exact_rows : mapping of int to NormalMixture
        The same of some quantities only, by their number.
    """

    labels: pd.DataFrame
    draws: Array
    chains: int
    exact: tuple[NormalMixture, ...] = ()
    exact_rows: Mapping[int, NormalMixture] = field(default_factory=dict)


@dataclass(frozen=True)
class Fitted:
    """What every answer needs to know of a fit.

    Parameters
    ----------
    posterior : Dataset
    design : Design
    spec : ModelSpec
    markov : bool
        Whether the draws come from Markov chains.
    """

    posterior: xr.Dataset
    design: Design
    spec: ModelSpec
    markov: bool = False

    @property
    def words_of(self) -> dict[str, NDArray[np.int64]]:
        """Indices of the words of every group, in the frame's order."""
        groups = self.design.groups
        return {name: np.flatnonzero(self.design.group == i) for i, name in enumerate(groups)}


def check_level(by: str, levels: tuple[str, ...]) -> None:
    """Refuse an unknown level."""
    if by not in levels:
        raise ArgumentError(f"by={by!r}{suggest(by, levels)}")


def quantities(fitted: Fitted, by: str) -> Quantities:
    """Return the draws of a level.

    Raises
    ------
    ArgumentError
        If the level is unknown.
    FitError
        If the model has nothing of that level.
    """
    check_level(by, LEVELS)
    posterior = fitted.posterior
    if by in MEAN_LEVELS:
        labels, means = mean_draws(fitted, by)
        connections = list(fitted.design.connections)
        labels = labels.loc[labels.index.repeat(len(connections))].reset_index(drop=True)
        labels[CONNECTION] = connections * (len(labels) // len(connections))
        draws = means.reshape(len(means), -1)
    elif by == "attribute":
        labels, draws = _attributes(fitted)
    elif by in REPEATING:
        return _repeats(fitted, by)
    else:
        labels, draws = _terms(fitted)
    return Quantities(labels, draws, posterior.sizes["chain"])


_POINTS: Mapping[str, int] = {"connection": 2000, "group": 1000, "word": 500}
"""Draws of the standard deviations that a mixture has; words are many."""


def exact_posteriors(
    fitted: Fitted, by: str, sides: Sequence[tuple[int, int | None]]
) -> tuple[NormalMixture, ...]:
    """Return the posteriors of means or differences of means without Monte Carlo error.

    Parameters
    ----------
    fitted : Fitted
    by : {"connection", "group", "word"}
    sides : sequence of (int, int or None)
        Indices of connections, the second subtracted from the first; None for nothing.

    Returns
    -------
    tuple of NormalMixture
        For every row of the level all sides in turn; empty for Markov chains and for likelihoods
        that are not normal.
    """
    if fitted.markov or not fitted.spec.is_gaussian:
        return ()
    sign = np.zeros((len(sides), len(fitted.design.connections)))
    for row, (first, second) in zip(sign, sides, strict=True):
        row[first] += 1.0
        if second is not None:
            row[second] -= 1.0
    few = thinned(fitted.posterior, _POINTS[by])
    if by == "connection":
        centre, spread = conditional_moments(fitted.design, fitted.spec, few, connection_mean=sign)
    else:
        members = [[i] for i in range(len(fitted.design.protected_words))]
        if by == "group":
            members = [list(rows) for rows in fitted.words_of.values()]
        of_word = np.zeros((len(members), len(fitted.design.protected_words)))
        for row, rows in zip(of_word, members, strict=True):
            row[rows] = 1.0 / len(rows)
        joint = of_word[:, None, :, None] * sign[None, :, None, :]
        weights = joint.reshape(-1, *joint.shape[2:])
        centre, spread = conditional_moments(fitted.design, fitted.spec, few, word_mean=weights)
    return tuple(NormalMixture(*pair) for pair in zip(centre, spread, strict=True))


def mean_draws(fitted: Fitted, by: str) -> tuple[pd.DataFrame, Array]:
    """Return labels (one row per mean) and draws, shape (n_draws, n_means, n_connections)."""
    connection = _flat(fitted.posterior["connection_mean"], CONNECTION)
    if by == "connection":
        return pd.DataFrame(index=[0]), connection[:, None, :]
    words = _flat(fitted.posterior["word_mean"], PROTECTED_WORD, CONNECTION)
    if by == "word":
        names = list(fitted.design.protected_words)
        groups = [fitted.design.groups[i] for i in fitted.design.group]
        return pd.DataFrame({PROTECTED_WORD: names, GROUP: groups}, dtype=object), words
    members = fitted.words_of
    means = np.stack([words[:, rows].mean(axis=1) for rows in members.values()], axis=1)
    return pd.DataFrame({GROUP: list(members)}, dtype=object), means


def listed_means(fitted: Fitted, by: str) -> Array:
    """Return the plain means of the listed pairs, NaN without pairs, (n_means, n_connections)."""
    design = fitted.design
    counts = pooled_words(fitted, design.cell_counts, by)
    sums = pooled_words(fitted, np.nan_to_num(design.cell_means) * design.cell_counts, by)
    means = np.full(counts.shape, np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means


def pooled_words(fitted: Fitted, cells: NDArray[Any], by: str) -> NDArray[Any]:
    """Sum a table over words (rows) to the rows of a level."""
    if by == "word":
        return cells
    if by == "connection":
        return np.asarray(cells.sum(axis=0, keepdims=True))
    return np.stack([cells[rows].sum(axis=0) for rows in fitted.words_of.values()])


def _flat(draws: xr.DataArray, *dims: str) -> Array:
    """Return draws of all chains, one after the other, then the named dimensions."""
    values = draws.transpose("chain", "draw", *dims).to_numpy()
    return np.asarray(values.reshape(-1, *values.shape[2:]), dtype=float)


def _attributes(fitted: Fitted) -> tuple[pd.DataFrame, Array]:
    """Return the effect of every attribute on all protected words, mean over groups."""
    posterior, design = fitted.posterior, fitted.design
    total = np.zeros((posterior.sizes["chain"] * posterior.sizes["draw"], len(design.attributes)))
    found = False
    for term in design.terms:
        if set(term.columns) not in ({ATTRIBUTE}, {ATTRIBUTE, GROUP}):
            continue
        found = True
        effect = _flat(posterior[f"{term.name}_effect"], f"{term.name}_level")
        on = term.level >= 0
        pairs = np.unique(np.stack([design.attribute[on], term.level[on]]), axis=1)
        share = 1.0 / np.bincount(pairs[0], minlength=len(design.attributes))[pairs[0]]
        for (attribute, level), part in zip(pairs.T, share, strict=True):
            total[:, attribute] += part * effect[:, level]
    if not found:
        raise FitError("the model has no attribute effects; fit 'maximal' or 'crossed'")
    kinds = [design.kinds[k] for k in design.kind]
    return pd.DataFrame({ATTRIBUTE: design.attributes, "kind": kinds}, dtype=object), total


_MAKING: Mapping[str, str] = {
    CONTEXT: "contextual_distances with several contexts",
    RUN: "distances_of_runs",
}
"""What makes a frame for a level in which pairs are met again."""


def repeat_terms(design: Design, by: str) -> tuple[Term, ...]:
    """Return the terms that shift whole connections in each context or run.

    Terms that also go by words or attributes are not among them: their effects are of single words
    and attributes, and means are over words and attributes like the listed ones.
    """
    columns = {by, CONNECTION, ATTRIBUTE_KIND}
    return tuple(t for t in design.terms if by in t.columns and set(t.columns) <= columns)


def _repeats(fitted: Fitted, by: str) -> Quantities:
    """Return the differences of connections per context or run, over all, and their sd."""
    design, rows = fitted.design, RepeatRows(by)
    terms = repeat_terms(design, by)
    cells = [_cells(design, term, by) for term in terms]
    of_means, spreads, labels = [], [], []
    of_effects: list[list[Array]] = [[] for _ in terms]
    for pair in CONTRASTS:
        if not set(pair) <= set(design.connections):
            continue
        named, weights = _shifts(terms, cells, pair)
        if not any(weight.any() for weight in weights):
            continue
        mean = np.zeros(len(design.connections))
        mean[[design.connections.index(name) for name in pair]] = 1.0, -1.0
        of_means.append(np.tile(mean, (len(named) + 1, 1)))
        for found, weight in zip(of_effects, weights, strict=True):
            found.append(np.vstack([weight, np.zeros(weight.shape[1])]))
        spreads.append(_spread(fitted, terms, [weight[0] for weight in weights]))
        quantity = [rows.each] * len(named) + [rows.over, rows.spread]
        part = pd.DataFrame({"quantity": quantity, by: [*named, "", ""]}, dtype=object)
        labels.append(part.assign(contrast=f"{pair[0]} − {pair[1]}"))
    if not labels:
        raise FitError(
            f"the model has no term by {by} and connection for two connections; fit "
            f"{REPEATING[by]!r} to a frame from {_MAKING[by]}"
        )
    table = pd.concat(labels, ignore_index=True)
    is_spread = (table["quantity"] == rows.spread).to_numpy()
    mean = np.concatenate(of_means)
    effects = {t.name: np.concatenate(w) for t, w in zip(terms, of_effects, strict=True)}
    drawn = _flat(fitted.posterior["connection_mean"], CONNECTION) @ mean.T
    for name, weight in effects.items():
        drawn += _flat(fitted.posterior[f"{name}_effect"], f"{name}_level") @ weight.T
    draws = np.empty((len(drawn), len(table)))
    draws[:, ~is_spread], draws[:, is_spread] = drawn, np.column_stack(spreads)
    exact: dict[int, NormalMixture] = {}
    if not fitted.markov and fitted.spec.is_gaussian:
        few = thinned(fitted.posterior, _POINTS["connection"])
        moments = conditional_moments(
            design, fitted.spec, few, connection_mean=mean, effects=effects
        )
        mixtures = (NormalMixture(*both) for both in zip(*moments, strict=True))
        exact = dict(zip(np.flatnonzero(~is_spread).tolist(), mixtures, strict=True))
    return Quantities(table, draws, fitted.posterior.sizes["chain"], exact_rows=exact)


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
    weights = [np.zeros((len(named), term.n_levels)) for term in terms]
    for weight, of_term in zip(weights, cells, strict=True):
        for row, each in zip(weight, named, strict=True):
            for name, sign in zip(pair, (1.0, -1.0), strict=True):
                if (each, name) in of_term:
                    row[of_term[each, name]] += sign
    return named, weights


def _spread(fitted: Fitted, terms: Sequence[Term], weights: Sequence[Array]) -> Array:
    """Return draws of the standard deviation of a sum of weighted levels, shape (n_draws,)."""
    posterior = fitted.posterior
    variance = np.zeros(posterior.sizes["chain"] * posterior.sizes["draw"])
    for term, weight in zip(terms, weights, strict=True):
        name = f"{term.name}_sd"
        drawn = {name: samples(posterior, name)} if name in posterior else {}
        variance = variance + sds_of(term, drawn)[:, term.sd] ** 2 @ weight**2
    return np.sqrt(variance)


def _terms(fitted: Fitted) -> tuple[pd.DataFrame, Array]:
    """Return the standard deviations of all terms and of the noise."""
    posterior = fitted.posterior
    rows, columns = [], []
    names = [f"{term.name}_sd" for term in fitted.design.terms]
    for name in (*names, "noise_sd", "degrees_of_freedom"):
        if name not in posterior:
            continue
        dims = [str(d) for d in posterior[name].dims if d not in ("chain", "draw")]
        draws = _flat(posterior[name], *dims)
        where = [str(v) for v in posterior[name][dims[0]].to_numpy()] if dims else ["all"]
        rows += [(name, label) for label in where]
        columns.append(draws.reshape(len(draws), -1))
    return pd.DataFrame(rows, columns=["parameter", "applies_to"]), np.hstack(columns)
