"""Associations of single words with their errors, as the data have them before any pooling.

A model draws the associations of words together. To set them against other numbers of these words,
they are needed as estimates with errors: λ̂ ~ N(λ, C), the likelihood of the associations λ given
the standard deviations. It is found with the model's own algebra: the terms that say what a word
has with all others, or with one side, are replaced by a level of its own and a slope on the side of
the pair, −½ or ½, with priors so wide that they say nothing. What is left of the model, such as the
other words' effects on whole lists and the noise that similar attributes share, are the errors, and
their covariance.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd
from scipy.linalg import solve_triangular

from bayesbias.constants import (
    ATTRIBUTE,
    CONNECTION,
    DISTANCE,
    GROUP,
    KIND_OF_CONNECTION,
    PROTECTED_WORD,
    REFERENCE,
    STEREOTYPE_CONNECTIONS,
    TOPIC,
)
from bayesbias.errors import ArgumentError, FitError, one_of, suggest
from bayesbias.inference.block import NOISE, Block, every_block
from bayesbias.inference.design import Design
from bayesbias.inference.identifiability import drop_unidentified_terms
from bayesbias.inference.levels import FrameColumns
from bayesbias.inference.parameters import NOISE_SIMILAR, samples, sds_of
from bayesbias.inference.predictive import thinned
from bayesbias.inference.specification import ModelSpec
from bayesbias.inference.terms import CELL_COLUMNS, TermSpec
from bayesbias.support.arrays import Array, Index, Mask

if TYPE_CHECKING:
    from bayesbias.fits.fit_result import Fit


LEVELS: Final = {"attribute": ATTRIBUTE, "word": PROTECTED_WORD}
"""The columns of the words that have associations, by level."""

_SIDE: Final = "side_of_pair"
_WIDE: Final = 30.0  # sd of an association, in units of distance, whose range is 4
_POINTS: Final = 24  # draws of the standard deviations, over which estimates are averaged


@dataclass(frozen=True, eq=False)
class UnshrunkenAssociations:
    """How much nearer `words` are to the first of two `sides` than to the second, with errors.

    `mean` (n,): distances to the second side less those to the first, not pooled over words;
    `covariance` (n, n): of their errors. `listed` (n,): the same difference of plain means.
    `alike` (n, n): how alike the words are, where the model knows.
    """

    sides: tuple[str, str]
    words: tuple[str, ...]
    mean: Array
    covariance: Array
    listed: Array
    alike: Array | None

    def of(self, words: Sequence[str]) -> "UnshrunkenAssociations":
        """Return those of some of the words."""
        at = np.array([self.words.index(word) for word in words], dtype=np.int64)
        both = np.ix_(at, at)
        alike = None if self.alike is None else self.alike[both]
        if alike is not None:
            alike = alike / alike.trace() * len(at)
        return replace(
            self,
            words=tuple(words),
            mean=self.mean[at],
            covariance=self.covariance[both],
            listed=self.listed[at],
            alike=alike,
        )


def unshrunken_associations(
    fit: "Fit",
    by: str = "attribute",
    *,
    sides: Sequence[str] | None = None,
    among: Sequence[str] | None = None,
) -> UnshrunkenAssociations:
    """Return the associations of attributes with groups, or of protected words with lists.

    `sides`: the two groups; needed of more than two. `among`: words that matter; lists of kinds
    that have none of them are left out.
    """
    one_of(by, "by", LEVELS)
    if not fit.spec.is_gaussian or fit.spec.response != DISTANCE:
        raise FitError(
            f"associations of single words need distances and a normal likelihood; this is a fit "
            f"of {fit.spec.name!r}: fit 'maximal' or 'crossed'"
        )
    pair = _sides(fit, by, sides)
    frame = _two_sided(fit.frame, by, pair, among)
    design, spec = _design(fit, frame, by)
    number = len(design.terms) - 1
    term = design.terms[number]
    code, names = design.word, design.protected_words
    if by == "attribute":
        code, names = design.attribute, design.attributes
    n, few = len(names), thinned(fit.posterior, _POINTS)
    mean, covariance = np.full(n, np.nan), np.zeros((n, n))
    values = {str(name): samples(few, str(name)) for name in few.data_vars}
    for block in every_block(design, spec):
        # Which word each level of the slopes is of.
        unit = dict(zip(term.level.tolist(), code.tolist(), strict=True))
        at = np.array([unit[one] for one in block.levels[block.terms.index(number)].tolist()])
        found = _likelihood(block, *_sds(block, fit.design, design, values), len(at))
        # A slope is per sd of its column; from −½ to ½ is the difference of the sides.
        mean[at], covariance[np.ix_(at, at)] = found[0] / term.unit, found[1] / term.unit**2
    listed = _plain_difference(code, frame[_SIDE].to_numpy() > 0, design.response, n)
    kept = np.flatnonzero(np.isfinite(listed))
    alike = None
    if by == "attribute" and fit.design.similarity is not None:
        place = [fit.design.attributes.index(name) for name in names]
        alike = fit.design.similarity[np.ix_(place, place)]
    everyone = UnshrunkenAssociations(pair, tuple(names), mean, covariance, listed, alike)
    return everyone.of([names[i] for i in kept])


def _plain_difference(code: Index, is_second: Mask, response: Array, n: int) -> Array:
    """Return the mean of the second side's pairs less that of the first's, NaN without pairs."""
    means = []
    for side in (is_second, ~is_second):
        pairs = np.bincount(code[side], minlength=n)
        sums = np.bincount(code[side], response[side], n)
        means.append(np.divide(sums, pairs, out=np.full(n, np.nan), where=pairs > 0))
    return np.asarray(means[0] - means[1])


def _sides(fit: "Fit", by: str, given: Sequence[str] | None) -> tuple[str, str]:
    """Return the two sides of every pair."""
    if by == "word":
        if given is not None:
            raise ArgumentError(
                "words are compared on their own lists, not between groups; leave groups= out, or "
                "take by='attribute'"
            )
        if not set(STEREOTYPE_CONNECTIONS) <= set(fit.design.connections):
            raise FitError("associations of words need associated and different attributes")
        return STEREOTYPE_CONNECTIONS
    groups = [fit.design.groups[g] for g in fit.design.protected_groups]
    if len(groups) == 1:
        raise FitError(f"attributes lean to one of two groups, and this fit has one, {groups[0]!r}")
    if given is None and len(groups) > 2:
        raise ArgumentError(
            f"groups: name two of {', '.join(groups)}, such as groups=({groups[1]!r}, "
            f"{groups[0]!r})"
        )
    chosen = groups if given is None else list(given)
    if isinstance(given, str) or len(chosen) != 2 or chosen[0] == chosen[-1]:
        raise ArgumentError(f"groups={given!r}: give two groups of {', '.join(groups)}")
    for name in chosen:
        if name not in groups:
            raise ArgumentError(f"groups: no group {name!r}{suggest(str(name), groups)}")
    return chosen[0], chosen[1]


def _two_sided(
    frame: pd.DataFrame, by: str, sides: tuple[str, str], among: Sequence[str] | None
) -> pd.DataFrame:
    """Return the pairs of both sides, and on which side each is."""
    kind = frame[CONNECTION].map(KIND_OF_CONNECTION)
    if by == "attribute":
        side, kept = frame[GROUP], kind.notna() & (frame[CONNECTION] != REFERENCE)
        if among is not None:
            kept &= kind.isin(kind[frame[ATTRIBUTE].isin(among)].unique())
    else:
        side, kept = frame[CONNECTION], kind == "stereotype"
    kept &= side.isin(sides)
    pairs = frame[kept].reset_index(drop=True)
    pairs.attrs = dict(frame.attrs)
    first = (side[kept] == sides[0]).to_numpy()
    return pairs.assign(**{_SIDE: np.where(first, -0.5, 0.5)})


def _design(fit: "Fit", frame: pd.DataFrame, by: str) -> tuple[Design, ModelSpec]:
    """Return the pairs with a level and a lean for each word, in place of what says the same."""
    unit = LEVELS[by]
    own = {*CELL_COLUMNS, *fit.factors}
    if by == "attribute":
        own = own - {PROTECTED_WORD} | {ATTRIBUTE, TOPIC}
    same = [term.name for term in fit.spec.terms if not term.of and set(term.by) <= own]
    # Means of connections would compete with the level of the slopes.
    mean = float(frame[fit.spec.response].mean())
    spec, _ = drop_unidentified_terms(fit.spec.without(same).replace(connection_mean=mean), frame)
    design = Design.from_frame(frame, spec)
    columns = FrameColumns(frame, spec.name)
    new = (TermSpec("level", (unit,), sd=_WIDE), TermSpec("lean", (unit,), of=(_SIDE,), sd=_WIDE))
    return replace(design, terms=(*design.terms, *map(columns.term, new))), spec


def _sds(
    block: Block, fitted: Design, design: Design, values: dict[str, Array]
) -> tuple[Array, Array]:
    """Return the standard deviations of a block's effects and noise from those of the fit."""
    terms = {term.name: term for term in fitted.terms}
    noise = values["noise_sd"].reshape(len(values["noise_sd"]), -1)
    effects = []
    for number, index in block.sds:
        if number == NOISE:
            label = design.noise_similar_labels[index]
            at = fitted.noise_similar_labels.index(label)
            effects.append(values[NOISE_SIMILAR].reshape(len(noise), -1)[:, at])
            continue
        # The level and the slope that `_design` adds, which the fit has not.
        if number >= len(design.terms) - 2:
            effects.append(np.full(len(noise), _WIDE))
            continue
        new = design.terms[number]
        old = terms[new.name]
        of_old = sds_of(old, values)[:, old.sd_labels.index(new.sd_labels[index])]
        effects.append(np.broadcast_to(of_old, len(noise)))
    own = [fitted.noise_labels.index(design.noise_labels[i]) for i in block.noise]
    return np.array(effects), noise[:, own].T


def _likelihood(block: Block, effects: Array, noise: Array, n: int) -> tuple[Array, Array]:
    """Return estimate and covariance of the last `n` slopes of a block, over draws of its sds."""
    found = block.coefficients(effects, noise)
    identity = np.eye(found.lower.shape[1])
    # The law of total covariance: within draws of the standard deviations, and between them.
    total = np.zeros((n, n))
    for lower, sd in zip(found.lower, found.sd, strict=True):
        # Given the sds the slopes' covariance is T M⁻¹ T = (L⁻¹T)ᵀ L⁻¹T, with M = L Lᵀ (`slopes`).
        root = solve_triangular(lower, identity * sd, lower=True)[:, -n:]
        total += root.T @ root
    mean = found.mean[-n:]
    between = np.cov(mean) if mean.shape[1] > 1 else np.zeros((n, n))
    return mean.mean(axis=1), total / mean.shape[1] + between.reshape(n, n)
