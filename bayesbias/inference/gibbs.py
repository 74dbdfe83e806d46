"""Student-t noise: a Gibbs sampler around the closed form.

A t distribution is a normal one whose variance differs from pair to pair (Andrews and Mallows
1974, "Scale mixtures of normal distributions"; Geweke 1993 for regression):

    y_i = mean_i + e_i,   e_i ~ Normal(0, s² / w_i),   w_i ~ Gamma(n / 2, rate = n / 2)

with s the noise and n the degrees of freedom. Given the weights w, all means and effects of a block
are jointly normal and drawn at once (`weighted`). Given these, n and s are drawn with w integrated
out, and then w; and term by term, with the effects of all others given, the term's standard
deviation with its own effects integrated out, and then these effects. Every step leaves the
posterior as it is, so that chains are approximate in no other way than those of NUTS, and
`diagnostics` judges both alike. They start from draws of the same terms with normal noise.
"""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import xarray as xr
from scipy.special import gammaln

from bayesbias.errors import ModelError, SamplingInterrupted
from bayesbias.inference.block import WIDEST, Block, every_block
from bayesbias.inference.collapsed import integrate, put_into
from bayesbias.inference.design import Design
from bayesbias.inference.parameters import derived, drawn_shapes, labelled
from bayesbias.inference.priors import Prior
from bayesbias.inference.specification import ModelSpec
from bayesbias.inference.weighted import WeightedEffects
from bayesbias.support.arrays import Array, Index
from bayesbias.support.progress import tracked
from bayesbias.support.threads import on_one_thread
from bayesbias.support.types import Generator

_LOWEST: Final = np.log(1e-7)
"""A standard deviation of a cosine distance that is less is as good as 0."""

_HIGHEST: Final = np.log(WIDEST)
_FIRST_DEGREES: Final = 10.0
_MOST_STEPS: Final = 200


@on_one_thread
def sample_gibbs(
    design: Design,
    spec: ModelSpec,
    *,
    draws: int,
    tune: int,
    chains: int,
    seed: int,
    progress: bool | None = False,
) -> tuple[xr.Dataset, xr.Dataset, dict[str, Any]]:
    """Draw from the posterior of a specification with Student-t noise.

    `draws`, `tune`: kept sweeps and warm-up of each of `chains`, which run together. `progress`:
    whether to show a bar; None shows it where it can be seen. Returns the posterior, with variables
    as from `inference.nuts.sample_nuts`; an empty dataset, since the chains' own draws are all
    there is to judge them by; and a record.

    A `ModelError` where the noise is normal, which `sample_collapsed` integrates at once. On Ctrl-C
    `SamplingInterrupted`, whose ``partial`` is such a triple of the draws made so far, or None.
    """
    degrees_prior = spec.degrees_of_freedom
    if degrees_prior is None:
        raise ModelError(f"model {spec.name!r} has normal noise; use engine='collapsed'")
    rng = np.random.Generator(np.random.SFC64(seed))
    normal = spec.replace(likelihood="normal", degrees_of_freedom=None)
    blocks = [_BlockChains(block, chains, rng) for block in every_block(design, normal)]
    degrees = np.full((1, chains), _FIRST_DEGREES)
    shapes = drawn_shapes(design, spec)
    values = {name: np.empty((chains, draws, *shape)) for name, shape in shapes.items()}
    kept = 0
    try:
        for sweep in tracked(range(-tune, draws), "Sampling", progress):
            for block in blocks:
                block.draw_effects(rng)
            degrees = _draw_degrees(blocks, degrees, degrees_prior, rng)
            for block in blocks:
                block.draw_scales(degrees, rng)
            if sweep >= 0:
                values["degrees_of_freedom"][:, sweep] = degrees[0]
                of_sweep = {name: found[:, sweep] for name, found in values.items()}
                for one in blocks:
                    put_into(of_sweep, design, one.block, one.effects, one.sds, one.noise)
                kept = sweep + 1
    except KeyboardInterrupt:
        if not kept:
            raise SamplingInterrupted(None) from None
        stopped = f"after {kept:,} of {draws:,} draws in {chains} of {chains} chains"
        partial = _labelled(values, design, spec, rng, kept, tune)
        partial[2]["interrupted"] = stopped
        raise SamplingInterrupted(partial) from None
    return _labelled(values, design, spec, rng, draws, tune)


def _labelled(
    values: dict[str, Array], design: Design, spec: ModelSpec, rng: Generator, draws: int, tune: int
) -> tuple[xr.Dataset, xr.Dataset, dict[str, Any]]:
    """Return the first draws of every chain as `sample_gibbs` does."""
    chains = len(values["degrees_of_freedom"])
    values = {
        name: found[:, :draws].reshape(-1, *found.shape[2:]) for name, found in values.items()
    }
    values |= derived(values, design, rng)
    record = {"engine": "gibbs", "sampler": "gibbs", "draws": draws, "tune": tune, "chains": chains}
    posterior = labelled(values, design, spec, draws=draws, chains=chains)
    stats = xr.Dataset(coords={"chain": posterior.chain, "draw": posterior.draw})
    return posterior, stats, record


def _draw_degrees(
    blocks: "list[_BlockChains]", degrees: Array, prior: Prior, rng: Generator
) -> Array:
    """Draw the degrees of freedom given means and noise, without the weights of the pairs."""
    squares = np.concatenate([block.standardised_squares for block in blocks])

    def log_density(log_nu: Array) -> Array:
        nu = np.exp(log_nu)
        of_pair = gammaln((nu + 1) / 2) - gammaln(nu / 2) - 0.5 * log_nu
        tails = np.log1p(squares / nu).sum(axis=0)
        value = len(squares) * of_pair - 0.5 * (nu + 1) * tails
        return np.asarray(value + prior.log_density(nu) + log_nu)

    width = np.ones_like(degrees)
    return np.exp(slice_step(log_density, np.log(degrees), width, rng, low=-3.0, high=9.0))


class _BlockChains:
    """The state of all chains in one block of connections; B chains are columns."""

    def __init__(self, block: Block, chains: int, rng: Generator) -> None:
        self.structure = structure = block.whole().structure
        self.block, self.columns = block, structure.columns
        self.response = (block.response - block.mean)[:, None]
        self.elimination = WeightedEffects(structure)
        start = integrate(block, 100 * chains)
        chosen = rng.choice(100 * chains, chains, replace=False)
        self.sds, self.noise = start.effects[:, chosen].copy(), start.noise[:, chosen].copy()
        self.weight = np.ones((len(self.response), chains))
        self.of_noise = _Sums(structure.noise, len(self.noise), chains)
        self.effects = np.zeros((structure.n_effects, chains))
        self.residual = np.broadcast_to(self.response, self.weight.shape)
        of_free = dict(
            zip(np.flatnonzero(block.is_free).tolist(), block.effect_priors, strict=True)
        )
        self.terms = [
            _TermChains(column, structure.prior, of_free, chains)
            for column in structure.columns[len(structure.columns) - len(block.terms) :]
        ]

    @property
    def standardised_squares(self) -> Array:
        """Squared residuals in units of the noise, shape (n_pairs, B)."""
        return np.asarray((self.residual / self.noise[self.structure.noise]) ** 2)

    def draw_effects(self, rng: Generator) -> None:
        """Draw means and effects, given all weights and standard deviations."""
        structure, block = self.structure, self.block
        of_mean = np.full((1, self.weight.shape[1]), block.mean_sd or 1.0)
        precision = np.concatenate([of_mean, self.sds])[structure.prior] ** -2.0
        weight = self.weight / self.noise[structure.noise] ** 2
        self.effects = self.elimination.draw(precision, weight, self.response, rng)
        self.residual = self.response - sum(_at(self.effects, column) for column in self.columns)

    def draw_scales(self, degrees: Array, rng: Generator) -> None:
        """Draw the noise, the weights of the pairs, and the standard deviations of effects."""
        structure, prior = self.structure, self.block.noise_prior
        squares = self.residual**2

        def log_density(log_noise: Array) -> Array:
            noise = np.exp(log_noise)
            tails = np.log1p(squares / (degrees * noise[structure.noise] ** 2))
            value = -0.5 * (degrees + 1) * self.of_noise(tails)
            value += (1 - structure.pairs[:, None]) * log_noise
            return np.asarray(value + prior.log_density(noise))

        width = np.broadcast_to(2.0 / np.sqrt(structure.pairs)[:, None], self.noise.shape)
        self.noise = np.exp(
            slice_step(log_density, np.log(self.noise), width, rng, low=_LOWEST, high=_HIGHEST)
        )
        variance = self.noise[structure.noise] ** 2
        rate = 0.5 * (degrees + squares / variance)
        self.weight = rng.standard_gamma(0.5 * (degrees + 1), rate.shape) / rate
        precision = self.weight / variance
        for term in self.terms:
            self.residual = term.draw(self.effects, self.sds, self.residual, precision, rng)


class _TermChains:
    """The standard deviations of one term in one block, for all chains.

    Those of one term have disjoint levels and pairs, and are drawn together. `column` (n_pairs,):
    the effect of every pair, −1 for none. `prior` (n_effects,): 1 + the number of every effect's
    standard deviation. `priors`: of those standard deviations that are to be found.
    """

    def __init__(self, column: Index, prior: Index, priors: dict[int, Prior], chains: int) -> None:
        self.effects = np.unique(column[column >= 0])
        self.sds, own = np.unique(prior[self.effects] - 1, return_inverse=True)
        self.column, self.acts = column, np.flatnonzero(column >= 0)
        self.prior = priors.get(int(self.sds[0]))
        self.own = own
        self.level = np.searchsorted(self.effects, column[self.acts])
        self.over_levels = _Sums(self.level, len(self.effects), chains)
        self.over_sds = _Sums(own, len(self.sds), chains)

    def draw(
        self, effects: Array, sds: Array, residual: Array, precision: Array, rng: Generator
    ) -> Array:
        """Draw sds without the term's effects, and then these, in place; returns the residuals."""
        prior = self.prior
        if prior is None:
            return residual
        without = residual[self.acts] + effects[self.column[self.acts]]
        weight = self.over_levels(precision[self.acts])
        weighted = self.over_levels(precision[self.acts] * without)

        def log_density(log_tau: Array) -> Array:
            variance = np.exp(2 * log_tau)[self.own]
            kept = 1 + variance * weight
            value = self.over_sds(variance * weighted**2 / kept - np.log(kept))
            return np.asarray(0.5 * value + prior.log_density(np.exp(log_tau)) + log_tau)

        log_tau = np.log(sds[self.sds])
        width = np.ones_like(log_tau)
        tau = np.exp(slice_step(log_density, log_tau, width, rng, low=_LOWEST, high=_HIGHEST))
        of_level = weight + tau[self.own] ** -2.0
        new = weighted / of_level + rng.standard_normal(of_level.shape) / np.sqrt(of_level)
        effects[self.effects], sds[self.sds] = new, tau
        changed = residual.copy()
        changed[self.acts] = without - new[self.level]
        return changed


class _Sums:
    """Sums over rows of the same label, for B columns."""

    def __init__(self, label: Index, n_labels: int, columns: int) -> None:
        self._at = (label[:, None] * columns + np.arange(columns)).ravel()
        self._shape = n_labels, columns

    def __call__(self, values: Array) -> Array:
        """Return the sums of values (n, B), shape (n_labels, B)."""
        size = self._shape[0] * self._shape[1]
        return np.bincount(self._at, values.ravel(), size).astype(float).reshape(self._shape)


def _at(effects: Array, column: Index) -> Array:
    """Return the effect of every pair, 0 where it has none; shape (n_pairs, B)."""
    found = effects[column]
    found[column < 0] = 0.0
    return found


def slice_step(
    log_density: Callable[[Array], Array],
    x: Array,
    width: Array,
    rng: Generator,
    *,
    low: float,
    high: float,
) -> Array:
    """Replace every number by a draw that leaves its distribution as it is.

    Slice sampling by stepping out and shrinking, for all numbers side by side (Neal 2003, "Slice
    sampling").

    `log_density`: numbers to their log densities, same shape, each up to a constant of its own.
    `x`: where the chains are. `width`: of a step out; about the spread of the distribution is best,
    any is correct. `low`, `high`: the density is 0 outside.
    """
    level = log_density(x) - rng.exponential(size=x.shape)
    left = x - width * rng.random(x.shape)
    right = left + width
    for end, sign in ((left, -1.0), (right, 1.0)):
        for _ in range(_MOST_STEPS):
            out = (low < end) & (end < high) & (log_density(np.clip(end, low, high)) > level)
            if not out.any():
                break
            end[out] += sign * width[out]
    np.clip(left, low, high, out=left)
    np.clip(right, low, high, out=right)
    found, open_ = x.copy(), np.ones(x.shape, bool)
    for _ in range(_MOST_STEPS):
        tried = left + (right - left) * rng.random(x.shape)
        inside = open_ & (log_density(np.where(open_, tried, found)) >= level)
        found[inside] = tried[inside]
        open_ &= ~inside
        if not open_.any():
            break
        left = np.where(open_ & (tried < x), tried, left)
        right = np.where(open_ & (tried >= x), tried, right)
    return found
