"""A block of words × attributes in closed form, by rotating both sides.

Every word meets every attribute of a block once. With Y (n words, m attributes) and vec stacking
the words' rows, whatever the terms of the model are,

    Σ = cov(vec Y) = A(θ) ⊗ K + E(θ) ⊗ I + Σ_t v_t S_t ⊗ X M_t Xᵀ

with A = Σ v S over the effects of attributes that are as similar as K says, E the same over those
that are unrelated, and the noise; X (m, q) the indicators of attribute lists and the columns of
nearness. All S (n, n) are known: who is of the same group, or the same word. K = Q Λ Qᵀ is rotated
away once. What has another form, such as slopes and means of connections, is a column of the block.

The matrices S generate an algebra that is small however many words there are (`two_sided`). In a
basis of it each S is block-diagonal with blocks of d rows, repeated r times; d is the number of
groups for their means, and 1 for what words have within them. In a block both sides are diagonal at
once, Vᵀ E V = I and VᵀA V = β, so that

    log|·|  = m log|E| + Σ log D,   D_jk = λ_k β_j + 1,
    and the lists: log|I + T G|,   G_j = Σ_k x_k x_kᵀ / D_jk,   T = Σ v VᵀS V ⊗ M

by the Woodbury identity. So a density costs as much as there are directions k, and no more with
more words; effects follow from Σ⁻¹ times responses (`effects`). (Matrix-variate mixed models:
Stegle et al. 2011; Rakitsch et al. 2013; GEMMA, Zhou and Stephens 2012.)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from bayesbias.engine.henderson import Given, factor_large, solve_many
from bayesbias.engine.two_sided import SAME, Share, TwoSided, block_of, components, turned
from bayesbias.models.similarity import directions
from bayesbias.support.arguments import Array

_CHUNK: Final = 1 << 20  # numbers in the largest array of a step
# Of the largest variance of lists, more than what rounding makes of a pivot that is 0.
_ROUNDING: Final = 5e-15

Terms = Sequence[tuple[int, Array]]  # the number of a variance, and what it is multiplied by


class Component:
    """Words in d directions, r times over: there a matrix S over words is S̃ ⊗ I.

    `basis` (r, d, n), from `two_sided.components`. `x` (m, q): the `active` columns of X, which
    have a variance here, in the directions of K. `eigenvalues` (m,): of K, or (1,) without it,
    where all directions have the same weight.
    """

    def __init__(
        self, basis: Array, shares: Sequence[Share], columns: Array, eigenvalues: Array
    ) -> None:
        self.basis, self.eigenvalues = basis, eigenvalues
        both = [(share, block_of(basis, share.words @ share.words.T)) for share in shares]
        on_columns = [(s.variance, S, s.columns) for s, S in both if s.columns is not None]
        size = sum(np.abs(c).sum(axis=0) * (np.abs(S).max() > SAME) for _, S, c in on_columns)
        self.active = np.flatnonzero(size)
        self.x = columns[:, self.active]
        squares = self.summed(self.x[:, :, None] * self.x[:, None])
        self.squares = squares.reshape(len(squares), self.x.shape[1] ** 2)
        of_bulk = [(s.variance, S, s.among) for s, S in both if s.columns is None]
        self.own: Terms = [(number, S) for number, S, among in of_bulk if among is None]
        self.similar: Terms = [(number, S) for number, S, among in of_bulk if among is not None]
        on_x = [(number, S, c[:, self.active]) for number, S, c in on_columns]
        self.lists: Terms = [(number, np.asarray(np.kron(S, x.T @ x))) for number, S, x in on_x]

    def summed(self, values: Array) -> Array:
        """Sum numbers (m, ...) over attributes where all directions have the same weight."""
        return values if len(self.eigenvalues) > 1 else values.sum(axis=0, keepdims=True)

    def at(self, variances: Array) -> "Part":
        """Return what follows from B values of the variances, (n_variances, B)."""
        d, q, size = self.basis.shape[1], self.x.shape[1], variances.shape[1]
        own, similar = _sum(self.own, variances, d), _sum(self.similar, variances, d)
        if d == 1:
            turn = own**-0.5
            beta, log_own = (similar * turn**2)[:, 0], np.log(own[:, 0, 0])
        else:
            lower = _regular(factor_large(own))
            half = np.linalg.solve(lower, similar)
            half = np.linalg.solve(lower, half.swapaxes(1, 2))
            beta, vectors = np.linalg.eigh(0.5 * (half + half.swapaxes(1, 2)))
            turn = np.linalg.solve(lower.swapaxes(1, 2), vectors)
            log_own = 2.0 * np.log(np.einsum("bdd->bd", lower)).sum(axis=1)
        weight = 1.0 / (np.maximum(beta, 0.0)[:, :, None] * self.eigenvalues + 1.0)
        gram = (weight @ self.squares).reshape(size, d, q, q)
        root = _root(_regular(_sum(self.lists, variances, d * q)))
        root = _times(turn.swapaxes(1, 2), root.reshape(size, 1, 1, d, q * d * q))
        # G is block-diagonal over the directions j.
        of_gram = (gram @ root.reshape(size, d, q, d * q)).reshape(size, d * q, d * q)
        root = root.reshape(size, d * q, d * q).swapaxes(1, 2)
        system = root @ of_gram + np.eye(d * q)
        lower = factor_large(system)
        log_det = 2.0 * np.log(np.einsum("bii->bi", lower)).sum(axis=1)
        log_scale = log_det - np.log(weight).sum(axis=(1, 2))
        log_scale += len(self.x) * (log_own + d * np.log(2 * np.pi))
        half = solve_many(_regular(lower), root)
        return Part(self, turn, weight, gram, half, len(self.basis) * log_scale)


@dataclass(frozen=True)
class Part:
    """What a component has of B values: V, D and G, and L⁻¹Cᵀ; with T = C Cᵀ, L Lᵀ = I + CᵀG C.

    A Cholesky factor keeps the digits that (I + T G)⁻¹T loses where effects are thousands of times
    the noise.
    """

    of: Component
    turn: Array  # (B, d, d), the directions j last
    weight: Array  # 1 / D, (B, d, directions)
    gram: Array  # (B, d, q, q)
    half: Array  # L⁻¹Cᵀ, (B, d q, d q)
    log_scale: Array  # log|2π ·|, (B,)

    def solve(self, data: Array) -> Array:
        """Return V (D⁻¹ − D⁻¹X P XᵀD⁻¹) Vᵀ times responses (B or 1, p, n, m), P = (T⁻¹ + G)⁻¹."""
        basis, x, weight = self.of.basis, self.of.x, self.weight[:, None, None]
        inner = (self.half.swapaxes(1, 2) @ self.half)[:, None]
        z = _times(self.turn.swapaxes(1, 2), turned(basis, data))  # (B, p, r, d, m)
        size, n, r, d, m = z.shape
        taken = ((z * weight) @ x).reshape(size, n, r, d * x.shape[1]) @ inner
        z -= taken.reshape(size, n, r, d, x.shape[1]) @ x.T
        z = _times(self.turn, z * weight)
        return np.asarray(basis.reshape(r * d, -1).T @ z.reshape(size, n, r * d, m))

    def diagonal(self, rotation: Array | None) -> Array:
        """Return the diagonal of the same for all words and attributes, (B, n, m)."""
        (_, d, _), (m, q), size = self.of.basis.shape, self.of.x.shape, len(self.turn)
        seen = self.weight[:, :, None] * self.of.x.T  # D⁻¹X, (B, j, q, m)
        if rotation is None:
            own = np.broadcast_to(self.weight, (size, d, m))
        else:
            own, seen = self.weight @ (rotation**2).T, seen @ rotation.T
        # Of every two directions j and l, Σ_qt u_jq P_jqlt u_lt of all attributes.
        inner = self.half.swapaxes(1, 2) @ self.half
        inner = inner.reshape(size, d, q, d * q).swapaxes(2, 3)
        across = -((inner @ seen).reshape(size, d, d, q, m) * seen[:, None]).sum(axis=3)
        at = np.arange(d)
        across[:, at, at] += own
        of_words = np.einsum("bdj,bel,bjlm->bdem", self.turn, self.turn, across, optimize=True)
        both = np.einsum("rdn,ren->nde", self.of.basis, self.of.basis)
        return np.asarray(both.reshape(-1, d * d) @ of_words.reshape(size, d * d, m))


class RotatedBlock:
    """A complete table of words × attributes; `step`, `n_kept`: as in `MixedModelEquations`."""

    def __init__(self, layout: TwoSided) -> None:
        self.layout, self.other_effects = layout, layout.other_effects
        self.n_kept, self.of_pairs = layout.columns.shape[1], np.argsort(layout.rows, axis=None)
        eigenvalues, self.basis = np.zeros(1), None
        if layout.similarity is not None:
            eigenvalues, self.basis = directions(layout.similarity)
        shares = [*layout.of_noise, *layout.shares]
        columns = self.rotated(layout.columns.T).T  # (m, q)
        self.components = [
            Component(basis, shares, columns, eigenvalues)
            for basis in components([share.words @ share.words.T for share in shares])
        ]
        size = sum(c.basis.shape[1] ** 2 for c in self.components)
        self.step = max(1, _CHUNK // (1 + size * (layout.rows.shape[1] + self.n_kept**2)))

    def rotated(self, table: Array) -> Array:
        """Return numbers of pairs (..., n, m) in the directions of K."""
        return table if self.basis is None else table @ self.basis

    def at(self, effects: Array, noise: Array) -> list[Part]:
        """Return what follows from standard deviations (n_sds, B) and (n_noise, B)."""
        variances = _variances(effects, noise)
        return [component.at(variances) for component in self.components]

    def solve(self, parts: list[Part], responses: Array) -> Array:
        """Return Σ⁻¹ times responses (B or 1, p, n_pairs)."""
        data = self.rotated(responses[..., self.layout.rows])
        solved = np.sum([part.solve(data) for part in parts], axis=0)
        solved = solved if self.basis is None else solved @ self.basis.T
        return np.asarray(solved.reshape(*solved.shape[:2], -1)[..., self.of_pairs])

    def diagonal(self, parts: list[Part]) -> Array:
        """Return the diagonal of the same, (B, n_pairs)."""
        diagonal = np.sum([part.diagonal(self.basis) for part in parts], axis=0)
        return np.asarray(diagonal.reshape(len(diagonal), -1)[:, self.of_pairs])

    def functions(self, weights: Array, responses: Array) -> Given:
        """Return what linear functions w (F, n_effects) and responses Y (p, n_pairs) share.

        Functions are 0 of `other_effects`. With their covariances C with pairs, and the prior P of
        effects, that is the log density of responses of 0, (B,), YᵀΣ⁻¹Y (B, p, p), CᵀΣ⁻¹Y (B, F, p)
        and wᵀPw − CᵀΣ⁻¹C (F, B). Of effects of lists alone they are sums of columns of X, which
        need no pairs.
        """
        shares = [s for s in self.layout.shares if weights[:, s.effect].any()]
        of_pairs = any(share.columns is None for share in shares)
        prior, on = np.zeros((len(shares), len(weights))), []
        for k, share in enumerate(shares):
            own = weights[:, share.effect]  # (F, n_codes, k)
            among = own if share.among is None else own @ share.among
            prior[k] = (own * among).sum(axis=(1, 2))
            of_words = share.words @ among
            if share.columns is not None:
                x = self.layout.columns.T
                of_words = of_words @ (share.columns @ x if of_pairs else share.columns)
            on.append((share.variance, self.rotated(of_words) if of_pairs else of_words))
        tables = self.rotated(responses[:, self.layout.rows])
        parts = [Common(component, tables, on, of_pairs) for component in self.components]

        def common(effects: Array, noise: Array) -> tuple[Array, Array, Array, Array]:
            variances, size = _variances(effects, noise), noise.shape[1]
            gram, met = (np.zeros((size, n, len(tables))) for n in (len(tables), len(weights)))
            spread = prior.T @ variances[[number for number, _ in on]]
            values = [component.add(variances, gram, met, spread) for component in parts]
            return np.sum(values, axis=0), gram, met, spread

        return common


class Common:
    """What linear functions and responses have in common in a component.

    `tables` (p, n, m): the responses. `on`: numbers of variances, and what functions are of pairs
    (F, n, m), or of columns, (F, n, q), unless `of_pairs`.
    """

    def __init__(self, component: Component, tables: Array, on: Terms, of_pairs: bool) -> None:
        self.component, basis = component, component.basis
        along = turned(basis, tables)  # (p, r, d, m)
        size = np.abs(along).max(axis=(1, 2, 3))
        self.where = np.flatnonzero(size > 1e-12 * size.max(initial=0.0))
        along = along[self.where]
        self.along = along if of_pairs else None
        self.products = component.summed(np.einsum("prdk,srek->kdeps", along, along, optimize=True))
        self.sums = component.summed(np.einsum("prdk,kq->kprdq", along, component.x))
        at = slice(None) if of_pairs else component.active
        turned_on = [(number, turned(basis, table[..., at])) for number, table in on]
        self.on: Terms = [of for of in turned_on if np.abs(of[1]).max(initial=0.0) > SAME * 1e-3]

    def add(self, variances: Array, gram: Array, met: Array, spread: Array) -> Array:
        """Add what the component has to products, and return its log density, (B,)."""
        part = self.component.at(variances)
        (k, p, r, d, q), size = self.sums.shape, len(part.turn)
        back = part.turn.swapaxes(1, 2)
        # Σ_j V_dj V_ej / D_jk, of every direction k.
        kernel = (part.turn[:, :, None] * part.turn[:, None]) @ part.weight[:, None]
        kernel = np.moveaxis(kernel, -1, 1).reshape(size, k * d * d)
        own = (kernel @ self.products.reshape(k * d * d, p * p)).reshape(size, p, p)
        # XᵀD⁻¹ of responses, and L⁻¹Cᵀ of these, (B, p, r, j, q).
        on_x = (part.weight @ self.sums.reshape(k, -1)).reshape(size, d, p, r, d, q)
        on_x = (on_x * back[:, :, None, None, :, None]).sum(axis=4).transpose(0, 2, 3, 1, 4)
        inner = part.half.swapaxes(1, 2)[:, None]
        seen = on_x.reshape(size, p, r, d * q) @ inner
        gram[:, self.where[:, None], self.where] += own - _inner(seen, seen)
        if not self.on:
            return -0.5 * part.log_scale
        shared = sum(variances[number][:, None, None, None, None] * of for number, of in self.on)
        shared = _times(back, shared)
        if self.along is None:
            weighted = of_columns = np.einsum("bfrjq,bjqx->bfrjx", shared, part.gram, optimize=True)
        else:
            on_x = _times(back, self.along) * part.weight[:, None, None]
            weighted = shared * part.weight[:, None, None]
            of_columns = weighted @ self.component.x
        half = of_columns.reshape(size, met.shape[1], r, d * q) @ inner
        spread -= np.einsum("bfrjx,bfrjx->fb", weighted, shared, optimize=True)
        spread += (half**2).sum(axis=(2, 3)).T
        met[:, :, self.where] += _inner(shared, on_x) - _inner(half, seen)
        return -0.5 * part.log_scale


def _variances(effects: Array, noise: Array) -> Array:
    """Return variances by the numbers of `Share.variance`: that of a noise counts from the end."""
    return np.concatenate([effects, noise[::-1]]) ** 2


def _sum(terms: Terms, variances: Array, n: int) -> Array:
    """Return the sum of matrices (n, n), each times its variance, (B, n, n)."""
    total = np.zeros((variances.shape[1], n, n))
    for number, matrix in terms:
        total += variances[number][:, None, None] * matrix
    return total


def _times(matrices: Array, x: Array) -> Array:
    """Return products of matrices (B, d, d) with x (B or 1, p, r, d, m)."""
    matrices = matrices[:, None, None]
    # Most directions are alone (d = 1), where a product of matrices is slow.
    return np.asarray(matrices * x if matrices.shape[-1] == 1 else matrices @ x)


def _regular(matrices: Array) -> Array:
    """Return matrices (B, n, n), the identity in place of those that are not finite."""
    finite = np.isfinite(matrices).all(axis=(1, 2), keepdims=True)
    return matrices if finite.all() else np.where(finite, matrices, np.eye(matrices.shape[1]))


def _inner(first: Array, second: Array) -> Array:
    """Return the products (B, F, p) of arrays (B, F, ...) and (B, p, ...)."""
    size, n, m = *first.shape[:2], second.shape[1]
    return np.asarray(first.reshape(size, n, -1) @ second.reshape(size, m, -1).swapaxes(1, 2))


def _root(matrices: Array) -> Array:
    """Return roots of covariances (B, n, n), which may be singular."""
    # By Cholesky where rounding allows it, with a little more than that on the diagonal; else by
    # eigenvalues, which takes ten times as long.
    largest = np.einsum("bii->bi", matrices).max(axis=1, initial=0.0)
    root = factor_large(matrices + _ROUNDING * largest[:, None, None] * np.eye(matrices.shape[1]))
    if (bad := ~np.isfinite(root).all(axis=(1, 2))).any():
        values, vectors = np.linalg.eigh(matrices[bad])
        root[bad] = vectors * np.sqrt(np.maximum(values, 0.0))[:, None]
    return root
