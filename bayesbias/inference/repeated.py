"""Blocks whose every pair occurs once in each context: means over contexts, and contrasts.

Let every pair have C responses, one for each level of a column (context), and let every term either
say nothing of it, with effects u, or have the same levels in each, with effects v_c. An orthogonal
turn of the C responses of every pair, whose first row is 1/√C, leaves independent strata:

    the mean          ȳ = m + Σ u + Σ v̄ + ē,       v̄ ~ N(0, τ² / C),  ē ~ N(0, s² / C)
    C − 1 contrasts   z_k = Σ v'_k + e'_k,          v'_k ~ N(0, τ²),   e'_k ~ N(0, s²)

and v_c = v̄ + Σ_k Q_kc v'_k. The contrasts are C − 1 sets of responses of one structure, which is
factorised once. A term whose levels are single pairs (the pair's own effect in all contexts) is
noise of the means. So a frame of C contexts costs about as much as two frames of one, where words,
attributes and contexts that are all crossed would leave a dense system of hundreds of effects.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbias.inference.block import Block, blocks_of
from bayesbias.inference.design import Design
from bayesbias.inference.elimination import Layout, Structure
from bayesbias.inference.levels import same_levels
from bayesbias.inference.specification import ModelSpec
from bayesbias.inference.stratum import Stratum
from bayesbias.inference.terms import ATTRIBUTE_KIND, FRAME_COLUMNS

Array = NDArray[np.float64]
Index = NDArray[np.int64]

_KNOWN: Final = {*FRAME_COLUMNS, ATTRIBUTE_KIND}


def blocks_in(design: Design, spec: ModelSpec) -> list[Block]:
    """Return the blocks of a design, those of repeated pairs by strata."""
    found = []
    for connections in blocks_of(design):
        rows = repeated_rows(design, connections)
        if rows is None:
            found.append(Block(design, spec, connections))
        else:
            found.append(RepeatedBlock(design, spec, connections, *rows))
    return found


def repeated_rows(design: Design, connections: list[int]) -> tuple[Index, list[bool]] | None:
    """Find a column in each of whose levels every pair of a block occurs once.

    Returns
    -------
    rows : ndarray of int, shape (n_levels, n_pairs)
        Rows of the block.
    varies : list of bool
        Which of the design's terms have levels of their own for each level of the column.
        None in place of both where there is no such column.
    """
    inside = np.isin(design.connection, connections)
    columns = dict.fromkeys(c for t in design.terms for c in t.columns if c not in _KNOWN)
    for column in columns:
        varies = [column in term.columns for term in design.terms]
        code = _codes(design, column, inside)
        if code is None:
            continue
        rows = _crossed(design, inside, code)
        if rows is not None and _is_balanced(design, inside, rows, varies):
            return rows, varies
    return None


def _codes(design: Design, column: str, inside: NDArray[np.bool_]) -> Index | None:
    """Return a column's level of every pair of a block, from a term that acts on them all."""
    for term in design.terms:
        if column in term.columns and term.acts[inside].all():
            _, code = np.unique(term.columns[column], return_inverse=True)
            return np.unique(code[term.level[inside]], return_inverse=True)[1]
    return None


def _crossed(design: Design, inside: NDArray[np.bool_], code: Index) -> Index | None:
    pair = (design.word[inside] * len(design.connections) + design.connection[inside]) * len(
        design.attributes
    ) + design.attribute[inside]
    pairs, number = np.unique(pair, return_inverse=True)
    n = int(code.max()) + 1
    place = code * len(pairs) + number
    if n < 2 or len(place) != n * len(pairs) or (np.bincount(place) != 1).any():
        return None
    return np.argsort(place).reshape(n, len(pairs))


def _is_balanced(
    design: Design, inside: NDArray[np.bool_], rows: Index, varies: list[bool]
) -> bool:
    """Tell whether every term, and the noise, is the same in all levels of a column."""
    noise = design.noise[inside][rows]
    if (noise != noise[0]).any():
        return False
    single = np.zeros(rows.shape[1], np.int64)
    for term, is_own in zip(design.terms, varies, strict=True):
        level = term.level[inside][rows]
        sd = np.where(level >= 0, term.sd[level], -1)
        if (sd != sd[0]).any():
            return False
        first = level[0]
        if is_own:
            if not all(same_levels(first, other) for other in level[1:]):
                return False
        elif (level != first).any():
            return False
        elif _is_single(first):
            single += first >= 0
    # Without a term of its own there is nothing to gain, and two noises could not be told apart.
    acting = [term.acts[inside].any() for term in design.terms]
    return bool((single <= 1).all() and np.any(np.array(varies) & acting))


def _is_single(level: Index) -> bool:
    """Tell whether every level is one pair."""
    acting = level[level >= 0]
    return len(acting) > 0 and len(np.unique(acting)) == len(acting)


class RepeatedBlock(Block):
    """A block of pairs that occur once in each of C contexts.

    Parameters
    ----------
    design : Design
    spec : ModelSpec
        With a normal likelihood.
    connections : sequence of int
    rows : ndarray of int, shape (C, n_pairs)
    varies : list of bool
        As from `repeated_rows`.
    """

    def __init__(
        self,
        design: Design,
        spec: ModelSpec,
        connections: list[int],
        rows: Index,
        varies: list[bool],
    ) -> None:
        self._rows, self._varies = rows, varies
        super().__init__(design, spec, connections)

    def _arrange(
        self, noise: Index, means: Index | None, levels: list[Index], sds: list[Index]
    ) -> None:
        self.layout = Layout(noise, len(self.noise), means, levels, sds)
        n_repeats, n_pairs = self._rows.shape
        # An orthogonal matrix whose first row is constant (Helmert's).
        step = np.tril(np.ones((n_repeats, n_repeats)), -1)
        step[np.diag_indices(n_repeats)] = -np.arange(n_repeats)
        step[0] = 1.0
        self._turn = step / np.linalg.norm(step, axis=1, keepdims=True)
        first = self._rows[0]
        self._with_noise = np.full(n_pairs, -1, np.int64)
        self._single: list[tuple[int, Index]] = []
        self._places: list[tuple[int, Index]] = []
        """Per term that stays in the mean: its number, and its effects, (n_levels, 1 or C)."""
        of_mean: list[tuple[Index, Index]] = []
        of_contrasts: list[tuple[Index, Index]] = []
        for t, (level, sd) in enumerate(zip(levels, sds, strict=True)):
            varies, one = self._varies[self.terms[t]], level[first]
            acts = one >= 0
            if not varies and _is_single(one):
                self._with_noise[acts] = sd[one[acts]]
                self._single.append((t, one))
                continue
            known, base = np.unique(one[acts], return_inverse=True)
            compact = np.full(n_pairs, -1, np.int64)
            compact[acts] = base
            of_mean.append((compact, sd[known]))
            effect = self.layout.offset[t] + (known[:, None] if not varies else 0)
            if varies:
                effect = np.empty((len(known), n_repeats), np.int64)
                for c, rows in enumerate(self._rows):
                    effect[base, c] = self.layout.offset[t] + level[rows][acts]
                of_contrasts.append((compact, sd[known]))
            self._places.append((t, np.asarray(effect, np.int64)))
        both = np.stack([noise[first], self._with_noise])
        (own, with_noise), of_pair = np.unique(both, axis=1, return_inverse=True)
        self._noise_levels = own, with_noise
        self._mean = _numbered(of_pair.ravel(), None if means is None else means[first], of_mean)
        self._contrasts = _numbered(noise[first], None, of_contrasts)
        self._n_means = self.layout.offset[0]

    def _stratified(self, y: Array) -> list[Stratum]:
        n_repeats = len(self._rows)
        turned = self._turn @ y[self._rows]
        (of_mean, sds), (of_contrasts, own_sds) = self._mean, self._contrasts
        own, with_noise = self._noise_levels
        shared = np.isin(sds, own_sds)
        mean = turned[0] / np.sqrt(n_repeats)
        return [
            Stratum(of_mean, [mean], sds, own, 1 / n_repeats, with_noise, shared),
            Stratum(of_contrasts, list(turned[1:]), own_sds, np.arange(len(self.noise))),
        ]

    def joined(
        self, sets: list[list[Array]], effects: Array, noise: Array, rng: np.random.Generator
    ) -> Array:
        """Return draws of all effects, (n_effects, B), from those of each stratum's sets."""
        [mean], contrasts = sets
        found = np.empty((self.layout.n_effects, mean.shape[1]))
        found[: self._n_means] = mean[: self._n_means]
        at, start = self._n_means, 0
        for _, effect in self._places:
            n_levels, n_own = effect.shape
            value = mean[at : at + n_levels]
            if n_own == 1:
                found[effect[:, 0]] = value
            else:
                own = np.stack([one[start : start + n_levels] for one in contrasts])
                turned = np.einsum("kc,klb->lcb", self._turn[1:], own)
                found[effect] = value[:, None] + turned
                start += n_levels
            at += n_levels
        if self._single:
            self._draw_single(found, mean, effects, noise, rng)
        return found

    def _draw_single(
        self, found: Array, mean: Array, effects: Array, noise: Array, rng: np.random.Generator
    ) -> None:
        """Draw the pairs' own effects, which are a part of the noise of the means."""
        stratum = self.strata[0]
        for t, level in self._single:
            acts = level >= 0
            left = np.repeat(stratum.responses[0][acts, None], mean.shape[1], axis=1)
            for column in stratum.structure.columns:
                of_pair = column[acts]
                left -= np.where((of_pair >= 0)[:, None], mean[of_pair], 0.0)
            total = stratum.noise_variance(effects, noise)[stratum.structure.noise[acts]]
            own = effects[self._with_noise[acts]] ** 2
            share = own / total
            sd = np.sqrt(share * np.maximum(total - own, 0.0))
            draws = share * left + sd * rng.standard_normal(left.shape)
            found[self.layout.offset[t] + level[acts]] = draws

    def weights_of_strata(self, weights: Array) -> list[list[Array]]:
        """Return weights of effects, (F, n_effects), as those of each stratum's set of effects.

        Those of the pairs' own effects, which no mean consists of, must be 0.
        """
        mean, contrasts = [weights[:, : self._n_means]], []
        for _, effect in self._places:
            of_term = weights[:, effect]
            mean.append(of_term.sum(axis=2))
            if effect.shape[1] > 1:
                contrasts.append(np.einsum("kc,flc->kfl", self._turn[1:], of_term))
        return [[np.hstack(mean)], list(np.concatenate(contrasts, axis=2))]


def _numbered(
    noise: Index, means: Index | None, terms: list[tuple[Index, Index]]
) -> tuple[Structure, Index]:
    """Return a structure whose standard deviations are counted anew, and which they are."""
    n_noise = int(noise.max()) + 1
    all_sds = np.concatenate([np.zeros(0, np.int64), *(sd for _, sd in terms)])
    which, code = np.unique(all_sds, return_inverse=True)
    ends = np.cumsum([len(sd) for _, sd in terms])[:-1]
    sds = [part.astype(np.int64) for part in np.split(code, ends)]
    structure = Structure(noise, n_noise, means, [level for level, _ in terms], sds)
    return structure, which
