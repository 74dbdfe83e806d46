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

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from bayesbias.engine.henderson import factor_large, solve_many
from bayesbias.engine.two_sided import SAME, TwoSided, block_of, components, turned
from bayesbias.models.similarity import directions
from bayesbias.support.arguments import Array, Index

_CHUNK: Final = 1 << 20
"""Numbers in the largest array of a step."""

_ROUNDING: Final = 5e-15
"""Of the largest variance of lists, more than what rounding makes of a pivot that is 0."""


@dataclass(frozen=True)
class Part:
    """What a component has of B values: V, D and G, and L⁻¹Cᵀ; `log_scale` (B,).

    With T = C Cᵀ and L Lᵀ = I + CᵀG C; a Cholesky factor keeps the digits that (I + T G)⁻¹T loses
    where effects are thousands of times the noise.
    """

    turn: Array  # (B, d, d), the directions j last
    weight: Array  # 1 / D, (B, d, directions)
    gram: Array  # (B, d, q, q)
    half: Array  # L⁻¹Cᵀ, (B, d q, d q)
    log_scale: Array

    @property
    def inner(self) -> Array:
        """The covariance of the columns' coefficients given the data, P = (T⁻¹ + G)⁻¹."""
        return np.asarray(self.half.swapaxes(1, 2) @ self.half)


State = tuple[Array, list[Part]]
"""What follows from B values of the standard deviations: the variances of effects, (n_sds, B), and
the part of every component."""


class RotatedBlock:
    """A complete table of words × attributes; `step`, `n_kept`: as in `MixedModelEquations`."""

    def __init__(self, layout: TwoSided) -> None:
        self.layout = layout
        self.n_kept = layout.columns.shape[1]
        matrices = [term[0] for term in (*layout.bulk, *layout.low_rank)]
        self.components = components(matrices)
        self.bulk = [[block_of(c, s) for s, _, _ in layout.bulk] for c in self.components]
        self.low_rank = [[block_of(c, s) for s, _, _ in layout.low_rank] for c in self.components]
        self.eigenvalues, self.basis = np.zeros(layout.rows.shape[1]), None
        if layout.similarity is not None:
            self.eigenvalues, self.basis = directions(layout.similarity)
        self.columns = self.rotated(layout.columns.T).T  # (m, q)
        self.active = []  # the columns of X that have a variance in each component
        for matrices in self.low_rank:
            on = np.zeros(self.n_kept, dtype=bool)
            for (_, _, own), matrix in zip(layout.low_rank, matrices, strict=True):
                on |= (np.abs(matrix).max() > SAME) & (np.diag(own) > 0)
            self.active.append(np.flatnonzero(on))
        size = sum(c.shape[1] ** 2 for c in self.components)
        self.step = max(1, _CHUNK // (1 + size * (layout.rows.shape[1] + self.n_kept**2)))

    def rotated(self, table: Array) -> Array:
        """Return numbers of pairs (..., n, m) in the directions of K."""
        return table if self.basis is None else table @ self.basis

    def summed(self, values: Array) -> Array:
        """Sum numbers (m, ...) over attributes where all directions have the same weight."""
        return values.sum(axis=0, keepdims=True) if self.basis is None else values

    def _statistics(self, tables: Array) -> list[tuple[Index, Array, Array]]:
        """Return of every component products of responses (p, n, m), and their sums by column.

        Which of the responses have any, then (k, p, p, d, d) and (k, p, r, d, q) of these, with one
        k where no K rotates.
        """
        statistics = []
        for c, part in enumerate(self.components):
            along = turned(part, tables)  # (p, r, d, m)
            size = np.abs(along).max(axis=(1, 2, 3))
            where = np.flatnonzero(size > 1e-12 * size.max(initial=0.0))
            along = along[where]
            products = self.summed(np.einsum("prdk,srek->kpsde", along, along, optimize=True))
            sums = self.summed(np.einsum("prdk,kq->kprdq", along, self.columns[:, self.active[c]]))
            statistics.append((where, products, sums))
        return statistics

    def at(self, effects: Array, noise: Array) -> State:
        """Return what follows from B values of the standard deviations."""
        variances = effects**2
        return variances, [self._part(c, variances, noise**2) for c in range(len(self.components))]

    def _part(self, c: int, variances: Array, noise: Array) -> Part:
        """Return a component's part of the state."""
        d, size = self.components[c].shape[1], noise.shape[1]
        similar, own = np.zeros((2, size, d, d))
        for (_, number, alike), matrix in zip(self.layout.bulk, self.bulk[c], strict=True):
            value = noise[-1 - number] if number < 0 else variances[number]
            (similar if alike else own)[...] += value[:, None, None] * matrix
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
        eigenvalues = self.eigenvalues if self.basis is not None else self.eigenvalues[:1]
        weight = 1.0 / (np.maximum(beta, 0.0)[:, :, None] * eigenvalues + 1.0)
        x = self.columns[:, self.active[c]]
        q = x.shape[1]
        squares = self.summed((x[:, :, None] * x[:, None]).reshape(len(x), q * q))
        gram = (weight @ squares).reshape(size, d, q, q)
        prior = np.zeros((size, d, q, d, q))
        for (_, number, own), matrix in zip(self.layout.low_rank, self.low_rank[c], strict=True):
            among = turn.swapaxes(1, 2) @ matrix @ turn * variances[number][:, None, None]
            prior += (
                among[:, :, None, :, None] * own[np.ix_(self.active[c], self.active[c])][:, None, :]
            )
        prior_of_all = prior.reshape(size, d * q, d * q)
        diagonal = np.arange(d * q)
        root = _root(_regular(prior_of_all))
        # G is block-diagonal over the directions j.
        turned = gram @ root.reshape(size, d, q, d * q)
        system = root.swapaxes(1, 2) @ turned.reshape(size, d * q, d * q)
        system[:, diagonal, diagonal] += 1.0
        lower = factor_large(system)
        log_det = 2.0 * np.log(lower[:, diagonal, diagonal]).sum(axis=1)
        log_scale = log_det - np.log(weight).sum(axis=(1, 2)) + self.layout.rows.shape[1] * log_own
        log_scale = log_scale * len(self.components[c])
        solved = solve_many(_regular(lower), root.swapaxes(1, 2))
        return Part(turn, weight, gram, solved, log_scale)

    def _gram(self, parts: list[Part], stats: list[tuple[Index, Array, Array]], n: int) -> Array:
        """Return the products of n responses under Σ⁻¹, (B, n, n), from their `_statistics`."""
        gram = np.zeros((len(parts[0].turn), n, n))
        for part, (where, products, sums) in zip(parts, stats, strict=True):
            size, (k, p, _, d, _) = len(part.turn), products.shape
            # Σ_j V_dj V_ej / D_jk, of every direction k.
            turned = part.turn[:, :, None] * part.turn[:, None]  # (B, d, e, j)
            kernel = np.moveaxis(turned @ part.weight[:, None], -1, 1)
            flat = products.transpose(0, 3, 4, 1, 2).reshape(k * d * d, p * p)
            own = (kernel.reshape(size, -1) @ flat).reshape(size, p, p)
            r, of_half = sums.shape[2], part.half.shape[1]
            h = self.on_columns(part, sums).reshape(size, p, r, of_half)
            seen = (h @ part.half.swapaxes(1, 2)[:, None]).reshape(size, p, r * of_half)
            own -= seen @ seen.swapaxes(1, 2)
            gram[:, where[:, None], where] += own
        return gram

    def on_columns(self, part: Part, sums: Array) -> Array:
        """Return XᵀD⁻¹ of turned responses, (B, p, r, j, q), from their sums in a component."""
        size, d = part.turn.shape[:2]
        k, p, r, _, q = sums.shape
        weighted = (part.weight @ sums.reshape(k, -1)).reshape(size, d, p, r, d, q)
        if d == 1:
            return weighted.reshape(size, p, r, 1, q) * part.turn[:, None, None]
        return np.einsum("bjprdq,bdj->bprjq", weighted, part.turn)

    def sums(self, responses: Array) -> list[tuple[Index, Array, Array]]:
        """Return what `products` needs of responses, (m, n_pairs)."""
        return self._statistics(self.rotated(responses[:, self.layout.rows]))

    def products(
        self, sums: list[tuple[Index, Array, Array]], m: int, effects: Array, noise: Array
    ) -> tuple[Array, Array]:
        """Return the log density of responses of 0, (B,), and products under Σ⁻¹, (B, m, m).

        `sums`: what `sums` returns of m responses.
        """
        _, parts = self.at(effects, noise)
        log_scale = np.sum([part.log_scale for part in parts], axis=0)
        value = -0.5 * (log_scale + self.layout.rows.size * np.log(2 * np.pi))
        return value, self._gram(parts, sums, m)

    def solve(self, state: State, responses: Array) -> Array:
        """Return Σ⁻¹ times responses (B or 1, p, n_pairs).

        In a component it is V (D⁻¹ − D⁻¹X P XᵀD⁻¹) Vᵀ, turned back to words and by Q.
        """
        rows, data = self.layout.rows, self.rotated(responses[..., self.layout.rows])
        size, n = len(state[1][0].turn), data.shape[1]
        solved = np.zeros((size, *data.shape[1:]))
        for basis, active, part in zip(self.components, self.active, state[1], strict=True):
            x, (r, d, _) = self.columns[:, active], basis.shape
            weight = part.weight[:, None, None]
            turn = part.turn[:, None, None]
            # Most directions are alone (d = 1), where a product of matrices is slow.
            z = turned(basis, data)
            z = turn * z if d == 1 else turn.swapaxes(3, 4) @ z
            taken = ((z * weight) @ x).reshape(size, n, r, -1) @ part.inner[:, None]
            z -= taken.reshape(size, n, r, d, x.shape[1]) @ x.T
            z *= weight
            z = turn * z if d == 1 else turn @ z
            solved += basis.reshape(r * d, -1).T @ z.reshape(size, n, r * d, -1)
        of_pairs = np.empty((size, n, rows.size))
        of_pairs[..., rows] = solved if self.basis is None else solved @ self.basis.T
        return of_pairs

    def diagonal(self, state: State) -> Array:
        """Return the diagonal of the same, (B, n_pairs)."""
        size, (n_words, m) = len(state[1][0].turn), self.layout.rows.shape
        diagonal = np.zeros((size, n_words, m))
        for basis, active, part in zip(self.components, self.active, state[1], strict=True):
            x, (_, d, _) = self.columns[:, active], basis.shape
            seen = part.weight[:, :, None] * x.T  # D⁻¹X, (B, j, q, m)
            if self.basis is None:
                own = np.broadcast_to(part.weight, (size, d, m))
            else:
                own, seen = part.weight @ (self.basis**2).T, seen @ self.basis.T
            # Of every two directions j and l, Σ_qt u_jq P_jqlt u_lt of all attributes.
            q = x.shape[1]
            inner = part.inner.reshape(size, d, q, d * q).swapaxes(2, 3)
            across = (inner @ seen).reshape(size, d, d, q, m)
            across = -(across * seen[:, None]).sum(axis=3)
            at = np.arange(d)
            across[:, at, at] += own
            of_words = np.einsum("bdj,bel,bjlm->bdem", part.turn, part.turn, across, optimize=True)
            both = np.einsum("rdn,ren->nde", basis, basis)
            diagonal += both.reshape(-1, d * d) @ of_words.reshape(size, d * d, m)
        of_pairs = np.empty((size, self.layout.rows.size))
        of_pairs[:, self.layout.rows] = diagonal
        return of_pairs

    def functions(
        self, weights: Array, responses: Array
    ) -> Callable[[State], tuple[Array, Array, Array]]:
        """Return a function of a state: what linear functions and responses have in common.

        `weights` (F, n_effects): 0 for `other_effects`. `responses` (p, n_pairs): Y. With
        covariances C of functions and pairs, and the prior P of effects, it gives YᵀΣ⁻¹Y (B, p, p),
        CᵀΣ⁻¹Y (B, F, p) and wᵀPw − CᵀΣ⁻¹C (F, B). Functions of effects of lists alone are sums of
        columns of X, so that they need no pairs.
        """
        tables = self.rotated(responses[:, self.layout.rows])
        sums = self._statistics(tables)
        shares = [s for s in self.layout.shares if weights[:, s.effect].any()]
        of_pairs = any(share.columns is None for share in shares)
        prior: list[tuple[int, Array]] = []
        along: list[tuple[int, list[Array]]] = []
        for share in shares:
            own = weights[:, share.effect]  # (F, n_codes, k)
            among = own if share.among is None else own @ share.among
            prior.append((share.variance, (own * among).sum(axis=(1, 2))))
            if share.columns is None:
                on = self.rotated(share.words @ among)
            else:
                on = share.words @ own @ share.columns
                on = on @ self.columns.T if of_pairs else on
            along.append((share.variance, [turned(c, on) for c in self.components]))
        responses_along = [
            turned(c, tables[of_component[0]]) if of_pairs else tables[:0]
            for c, of_component in zip(self.components, sums, strict=True)
        ]

        def common(state: State) -> tuple[Array, Array, Array]:
            variances, parts = state
            total = np.zeros((len(weights), variances.shape[1]))
            met = np.zeros((total.shape[1], len(weights), len(tables)))
            for number, squares in prior:
                total += squares[:, None] * variances[number]
            for c, part in enumerate(parts):
                shared = np.zeros((1, 1, 1, 1, 1))
                for number, by_component in along:
                    own = by_component[c] if of_pairs else by_component[c][..., self.active[c]]
                    if np.abs(own).max(initial=0.0) > SAME * 1e-3:
                        scaled = part.turn * variances[number][:, None, None]
                        shared = shared + scaled.swapaxes(1, 2)[:, None, None] @ own
                if not shared.any():
                    continue
                of_columns = own = self.on_columns(part, sums[c][2])
                if of_pairs:
                    weighted = shared * part.weight[:, None, None]
                    seen = weighted @ self.columns[:, self.active[c]]
                    own = part.turn.swapaxes(1, 2)[:, None, None] @ responses_along[c]
                    own *= part.weight[:, None, None]
                else:
                    seen = np.einsum("bfrjq,bjqx->bfrjx", shared, part.gram, optimize=True)
                    weighted = seen
                turn = part.half.swapaxes(1, 2)[:, None]
                half = seen.reshape(*seen.shape[:3], -1) @ turn
                half_of_responses = of_columns.reshape(*of_columns.shape[:3], -1) @ turn
                total -= np.einsum("bfrjx,bfrjx->fb", weighted, shared, optimize=True)
                total += (half**2).sum(axis=(2, 3)).T
                met[:, :, sums[c][0]] += _inner(shared, own) - _inner(half, half_of_responses)
            return self._gram(parts, sums, len(tables)), met, total

        return common


def _regular(matrices: Array) -> Array:
    """Return matrices (B, n, n), the identity in place of those that are not finite."""
    finite = np.asarray(np.isfinite(matrices).all(axis=(1, 2)))
    if finite.all():
        return matrices
    return np.where(finite[:, None, None], matrices, np.eye(matrices.shape[1]))


def _inner(first: Array, second: Array) -> Array:
    """Return the products (B, F, p) of arrays (B, F, ...) and (B, p, ...)."""
    size, n, m = *first.shape[:2], second.shape[1]
    return np.asarray(first.reshape(size, n, -1) @ second.reshape(size, m, -1).swapaxes(1, 2))


def _root(matrices: Array) -> Array:
    """Return roots of covariances (B, n, n), which may be singular.

    By Cholesky where rounding allows it, with a little more than that on the diagonal; else by
    eigenvalues, which takes ten times as long.
    """
    at = np.arange(matrices.shape[1])
    own = matrices[:, at, at]
    raised = matrices.copy()
    raised[:, at, at] += _ROUNDING * own.max(axis=1, keepdims=True, initial=0.0)
    root = factor_large(raised)
    if (bad := ~np.isfinite(root).all(axis=(1, 2))).any():
        values, vectors = np.linalg.eigh(matrices[bad])
        root[bad] = vectors * np.sqrt(np.maximum(values, 0.0))[:, None]
    return root
