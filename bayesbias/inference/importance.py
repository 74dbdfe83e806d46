"""Importance sampling of the standard deviations of a `crossed.Block`.

The posterior of θ = (word_sd, noise_sd, attribute_sd) has 3 to 5 dimensions. Noise enters as log s,
an effect's standard deviation as τ = δ sinh|x|, with δ the error of one effect: logarithmic where
the data are sure that τ > 0, and linear through 0 where they are not, so that the density, even in
x, is nearly normal in both cases (in log τ it leans far to the left). A multivariate t at the mode
proposes, folded at x = 0; importance weights are Pareto-smoothed. Their mean is the marginal
likelihood; draws are resampled proposals, and for each one draw of the effects from their exact
normal conditional.
"""

from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import gammaln

from bayesbias.inference.crossed import Block
from bayesbias.inference.pareto import smoothed_weights

Array = NDArray[np.float64]
Index = NDArray[np.int64]

_DEGREES: Final = 5.0
_MOST_ROUNDS: Final = 3
_GOOD_TAIL: Final = 0.5
_WIDENED: Final = 1.3
_STRIDE: Final = 2.0
_MOST_STRIDES: Final = 20


@dataclass(frozen=True)
class BlockDraws:
    """Draws of one block's parameters.

    Parameters
    ----------
    group_mean, word_sd, noise_sd : ndarray, shape (D, C)
    attribute_sd : ndarray, shape (D, number of kinds in the block)
    word_mean : ndarray, shape (D, W, C)
    attribute_effect : ndarray, shape (D, A)
    pareto_k : float
        Shape of the tail of the importance weights.
    ess : float
        Effective number of proposals.
    log_marginal_likelihood : float
    """

    group_mean: Array
    word_sd: Array
    noise_sd: Array
    attribute_sd: Array
    word_mean: Array
    attribute_effect: Array
    pareto_k: float
    ess: float
    log_marginal_likelihood: float


def sample_block(
    block: Block, n_draws: int, n_proposals: int, rng: np.random.Generator
) -> BlockDraws:
    """Draw from the posterior of a block by importance sampling.

    Few words leave a posterior that its curvature at the mode understates; then a further round or
    two propose from the mean and covariance that the weighted proposals have found.
    """
    centre, axes = _mode(block)
    for _ in range(_MOST_ROUNDS):
        proposals, log_weights = _propose(block, centre, axes, n_proposals, rng)
        weights, pareto_k = smoothed_weights(log_weights)
        if pareto_k < _GOOD_TAIL:
            break
        centre = weights @ proposals
        spread = (proposals - centre).T @ ((proposals - centre) * weights[:, None])
        axes = _root(_WIDENED * spread)
    evidence = np.logaddexp.reduce(log_weights) - np.log(n_proposals)
    x = proposals[resample(weights, n_draws, rng)]
    m, kept, gone = block.draw_effects(x, rng)
    n_c = len(block.connections)
    u, b = (kept, gone) if block.keep_u else (gone, kept)
    group_mean = block.mean + m
    effects, noise = block.sds(x)
    word = np.empty((n_draws, block.n_words, n_c))
    word[:, block.cell_word, block.cell_connection] = group_mean[:, block.cell_connection] + u
    # Cells without pairs: what the other words say of a new one.
    filled = np.zeros((block.n_words, n_c), dtype=bool)
    filled[block.cell_word, block.cell_connection] = True
    w, c = np.nonzero(~filled)
    word[:, w, c] = group_mean[:, c] + effects[:, c] * rng.standard_normal((n_draws, len(w)))
    return BlockDraws(
        group_mean, effects[:, :n_c], noise, effects[:, n_c:], word, b,
        pareto_k, float(1 / (weights**2).sum()), float(evidence),
    )  # fmt: skip


def _mode(block: Block) -> tuple[Array, Array]:
    """Find the mode and the principal axes of the curvature there, a unit of sd each."""
    n = len(block.is_noise)
    step = 1e-4

    def value_and_gradient(x: Array) -> tuple[float, Array]:
        value = block.log_density(np.vstack([x, x + step * np.eye(n), x - step * np.eye(n)]))
        if not np.isfinite(value).all():
            return 1e300, np.zeros(n)  # tells the line search to step back
        return -value[0], -(value[1 : n + 1] - value[n + 1 :]) / (2 * step)

    # The first step of L-BFGS-B goes as far as its bounds allow, and from afar, where nothing has a
    # density, it would come back to the start and call that the mode: go in strides.
    low, high = np.array(block.bounds).T
    x = block.start()
    for _ in range(_MOST_STRIDES):
        near = list(zip(np.maximum(low, x - _STRIDE), np.minimum(high, x + _STRIDE), strict=True))
        found = minimize(
            value_and_gradient, x, jac=True, method="L-BFGS-B", bounds=near,
            options={"maxiter": 200},
        )  # fmt: skip
        moved, x = np.abs(found.x - x).max(), found.x
        if moved < 0.99 * _STRIDE:
            break
    return x, _axes(block, x)


def _root(covariance: Array) -> Array:
    """Return axes whose product with their transpose is the covariance, none without width."""
    variance, directions = np.linalg.eigh(covariance)
    return np.asarray(directions * np.sqrt(np.maximum(variance, 1e-6)))


def _axes(block: Block, mode: Array, step: float = 0.05) -> Array:
    """Return principal axes as columns; a direction that is flat or rising gets sd 2."""
    n = len(mode)
    shifts = step * np.eye(n)
    points = [mode + a * shifts[i] + b * shifts[j]
              for i in range(n) for j in range(n) for a in (1, -1) for b in (1, -1)]  # fmt: skip
    value = block.log_density(np.array(points)).reshape(n, n, 4)
    hessian = (value[..., 0] - value[..., 1] - value[..., 2] + value[..., 3]) / (4 * step**2)
    curvature, axes = np.linalg.eigh(-(hessian + hessian.T) / 2)
    return np.asarray(axes / np.sqrt(np.maximum(curvature, 0.25)))


def _propose(
    block: Block, centre: Array, axes: Array, n: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Draw from a t folded at 0 in the effects' coordinates; return draws and log weights."""
    d = len(centre)
    g = rng.chisquare(_DEGREES, n) / _DEGREES
    x = centre + (rng.standard_normal((n, d)) / np.sqrt(g)[:, None]) @ axes.T
    effects = np.flatnonzero(~block.is_noise)
    x[:, effects] = np.abs(x[:, effects])
    inverse = np.linalg.inv(axes)
    # Every combination of signs of the effects' coordinates folds onto the same point.
    log_proposal = np.full(n, -np.inf)
    for signs in product((1.0, -1.0), repeat=len(effects)):
        mirrored = x.copy()
        mirrored[:, effects] *= signs
        square = (((mirrored - centre) @ inverse.T) ** 2).sum(1)
        term = -0.5 * (_DEGREES + d) * np.log1p(square / _DEGREES)
        log_proposal = np.logaddexp(log_proposal, term)
    log_proposal += gammaln((_DEGREES + d) / 2) - gammaln(_DEGREES / 2)
    log_proposal -= 0.5 * d * np.log(_DEGREES * np.pi) + np.linalg.slogdet(axes)[1]
    low, high = np.array(block.bounds).T
    inside = ((x >= low) & (x <= high)).all(1)
    log_weights = np.full(n, -np.inf)
    log_weights[inside] = block.log_density(x[inside]) - log_proposal[inside]
    return x, log_weights


def resample(weights: Array, n_draws: int, rng: np.random.Generator) -> Index:
    """Return indices drawn by weight: systematically, which adds the least noise, then shuffled."""
    positions = (np.arange(n_draws) + rng.random()) / n_draws
    found = np.searchsorted(np.cumsum(weights), positions)
    return rng.permutation(np.minimum(found, len(weights) - 1))
