"""Which effects are sampled centred, and which as their standard deviation times an offset.

Centred, effect ~ Normal(0, sd), suits levels with many informative pairs. Where pairs say little
about a level, sd may be near zero and the centred form is a funnel; then the non-centred form,
effect = sd · z with z ~ Normal(0, 1), samples without divergences. Terms, and the standard
deviations of one term, differ in this within one data set, so the choice is made for each.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np
from scipy.special import chdtri

from bayesbias.errors import ArgumentError, suggest
from bayesbias.inference.design import Design
from bayesbias.inference.levels import Term
from bayesbias.support.arrays import Array, Index, Mask

PARAMETRISATIONS: Final = ("auto", "centred", "non-centred")

# Cautious share of a level's own data in its posterior mean above which centred samples better.
# With .5 none of the 18 published files diverges under `paper`, and where data are plenty there
# are up to ten times the effective draws of non-centred throughout.
_CENTRED_ABOVE: Final = 0.5
# Fewer levels than this leave their sd so uncertain that a draw in thousands still diverges.
_FEWEST_LEVELS: Final = 10
_SWEEPS: Final = 5


def check_parametrisation(parametrisation: str) -> None:
    """Raise `ArgumentError` if a parametrisation is unknown."""
    if parametrisation not in PARAMETRISATIONS:
        raise ArgumentError(
            f"parametrisation={parametrisation!r}{suggest(parametrisation, PARAMETRISATIONS)}"
        )


def centred_terms(design: Design, parametrisation: str = "auto") -> dict[str, Mask]:
    """Choose, per term and standard deviation, whether the effects are written centred.

    With effect variance t², noise variance s² and n pairs per level (harmonic mean), the means of J
    levels vary with v = t² + s² / n, and the data's share in a level's posterior mean is 1 − s² /
    (n v). Centred sampling fails where t may be near zero, so the choice looks at the smallest v
    that is compatible with the data, the observed variance of level means times (J − 1) divided by
    the .9999 quantile of chi² with J − 1 degrees of freedom.
    """
    check_parametrisation(parametrisation)
    if parametrisation != "auto":
        value = parametrisation == "centred"
        return {term.name: np.full(len(term.sd_labels), value) for term in design.terms}
    chosen = {term.name: np.zeros(len(term.sd_labels), dtype=bool) for term in design.terms}
    for term, residual in _residuals(design):
        shares = _shares(design, term, residual)
        chosen[term.name] = np.array([share > _CENTRED_ABOVE for share in shares])
    return chosen


def _residuals(design: Design) -> Iterator[tuple[Term, Array]]:
    """Yield each term with what the connection means and the other terms leave of the responses.

    Slopes, which are few, are neither yielded nor taken off. The terms' level means are taken off
    in turn, a few times over (backfitting).
    """
    rest = design.response - _level_means(design.response, design.connection)[design.connection]
    terms = [term for term in design.terms if term.x is None]
    means = {term.name: np.zeros(term.n_levels) for term in terms}
    for _ in range(_SWEEPS):
        for term in terms:
            acts, level = term.acts, term.level[term.acts]
            rest[acts] += means[term.name][level]
            means[term.name] = _level_means(rest[acts], level)
            rest[acts] -= means[term.name][level]
    for term in terms:
        residual = rest.copy()
        residual[term.acts] += means[term.name][term.level[term.acts]]
        yield term, residual


def _level_means(values: Array, level: Index) -> Array:
    return np.asarray(np.bincount(level, weights=values) / np.bincount(level))


def _shares(design: Design, term: Term, residual: Array) -> Iterator[float]:
    """Yield the cautious share of the data for every standard deviation of a term."""
    for k in range(len(term.sd_labels)):
        pairs = np.flatnonzero(term.acts)
        pairs = pairs[term.sd[term.level[pairs]] == k]
        _, level = np.unique(term.level[pairs], return_inverse=True)
        counts, means = np.bincount(level), _level_means(residual[pairs], level)
        squares = float(((residual[pairs] - means[level]) ** 2).sum())
        taken = sum(len(np.unique(t.level[pairs][t.acts[pairs]])) for t in design.terms)
        yield _cautious_share(counts, means, squares, len(pairs) - taken)


def _cautious_share(counts: Index, means: Array, squares: float, freedom: int) -> float:
    if len(counts) < _FEWEST_LEVELS or freedom < 1:
        return 0.0
    n = len(counts) / (1.0 / counts).sum()
    freedom_between = len(counts) - 1
    between = float(means.var(ddof=1)) * freedom_between / chdtri(freedom_between, 1e-4)
    noise = squares / freedom / n
    return float(1.0 - noise / between) if between > noise else 0.0
