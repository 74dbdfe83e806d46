"""The parameters that follow from the others: the mean of every protected word and connection."""

from collections.abc import Mapping

import numpy as np

from bayesbias.inference.design import Design
from bayesbias.inference.levels import Term
from bayesbias.inference.questions import Weights, connection_weights, word_weights
from bayesbias.support.arrays import Array


def sds_of(term: Term, values: Mapping[str, Array]) -> Array:
    """Return a term's standard deviations, fixed or drawn: shape (draws or 1, n_sds)."""
    if term.fixed_sd is not None:
        return np.array([[term.fixed_sd]])
    drawn = values[f"{term.name}_sd"]
    return drawn.reshape(len(drawn), -1)


def new_effects(
    design: Design, weights: Weights, values: Mapping[str, Array], rng: np.random.Generator
) -> dict[str, Array]:
    """Draw the effects of levels that the data do not have, by term: (draws, n_new)."""
    n_draws = len(values["noise_sd"])
    terms = {term.name: term for term in design.terms}
    found = {}
    for name, new in weights.new_sd.items():
        drawn = rng.standard_normal((n_draws, len(new)))
        found[name] = drawn * sds_of(terms[name], values)[:, new]
    return found


def of_draws(
    design: Design, weights: Weights, values: Mapping[str, Array], new: Mapping[str, Array]
) -> Array:
    """Return draws of linear functions of the parameters, (draws, F).

    `values`: draws of the means (unless the model fixes them) and of the effects, draws first.
    `new`: from `new_effects`.
    """
    fixed = design.fixed_mean
    means = (
        values["connection_mean"] if fixed is None else np.full((1, weights.mean.shape[1]), fixed)
    )
    total = np.empty((len(values["noise_sd"]), len(weights)))
    total[:] = means @ weights.mean.T
    for name, of_term in weights.effects.items():
        effects = np.concatenate([values[f"{name}_effect"], new[name]], axis=1)
        total += (of_term @ effects.T).T
    return total


def derived(
    values: Mapping[str, Array], design: Design, rng: np.random.Generator
) -> dict[str, Array]:
    """Return the parameters that follow from the others: word means, and a fixed model's means.

    `values`: draws of ``connection_mean`` (unless the model fixes it), of the standard deviations
    and of the effects; the first axis is that of the draws. `rng`: for levels that the data do not
    have. Returns: ``word_mean``, shape (draws, n_words, n_connections), of the protected words.
    Where the model fixes the connection means also ``connection_mean``: the plain mean over the
    words that have pairs.
    """
    weights = word_weights(design)
    new = new_effects(design, weights, values, rng)
    means = of_draws(design, weights, values, new)
    found = {"word_mean": means.reshape(len(means), len(design.protected), len(design.listed))}
    if design.fixed_mean is not None:
        found["connection_mean"] = of_draws(design, connection_weights(design), values, new)
    return found
