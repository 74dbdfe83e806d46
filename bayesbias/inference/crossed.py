"""Inference with attribute effects: all but the standard deviations in closed form.

Connections that share attribute words (associated and different) form a block; human and neutral
are blocks of their own, unless noise is shared, which joins everything. In a block, for pair i with
protected word w, connection c and attribute j,

    y_i − μ = m_c + u_wc + b_j + e_i,   m_c ~ N(0, p²),  u_wc ~ N(0, t_c²),  b_j ~ N(0, a_k²),
    e_i ~ N(0, s_c²)

is a linear mixed model. Given θ = (t, s, a) the effects x = (m, u, b) have precision

    P = diag(prior precisions) + Σ_c Z_cᵀ Z_c / s_c²,    P x̂ = Σ_c Z_cᵀ (y_c − μ) / s_c²

where the entries of Z_cᵀ Z_c are counts of pairs. The larger of the two sets u and b is eliminated:
its own part of P is diagonal, e, so that with X the counts between the kept effects (K of them) and
the eliminated, each weighted by 1/s_c²,

    S = P_kept − X diag(1/e) Xᵀ      (K × K, the only matrix that is factorised)
    log p(y | θ) = −½ N log 2π − Σ_c n_c log s_c + ½ log|prior precisions| − ½ Σ log e
                   − ½ log|S| − ½ Σ_c yy_c / s_c² + ½ ( Σ q²/e + rᵀ S⁻¹ r )

with q the eliminated part of the right-hand side, and r the kept part less X(q/e).

Effects of one kind that have the same counts with everything are exchangeable, and one class stands
for them: eliminated ones share their e; of n kept ones only the normalised sum Σ x_i / √n is
coupled to the rest, while the deviations from their mean have precision D (prior plus count) each
and contribute (n − 1) log D and Σ (r_i − r̄)² / D. In complete data there are as many classes as
there are combinations of group and connection, and of attribute set; so K is below ten, and an
evaluation costs the same for ten words as for a thousand. In irregular data every effect is a class
of its own and K is the number of kept effects.

How θ itself is drawn stands in `importance`.
"""

from contextlib import suppress
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbias.inference.design import Design
from bayesbias.inference.specification import ModelSpec

Array = NDArray[np.float64]
Index = NDArray[np.int64]

_CHUNK_BYTES: Final = 1 << 24
_WIDEST: Final = 20.0  # no standard deviation of a cosine distance is near this


class Block:
    """The counts and sums of a block, and its density.

    Parameters
    ----------
    design : Design
    spec : ModelSpec
        Gaussian, with crossed attribute effects.
    connections : sequence of int
        The block's connections.
    """

    def __init__(self, design: Design, spec: ModelSpec, connections: list[int]) -> None:
        self.connections = connections
        self.spec = spec
        rows = np.isin(design.connection, connections)
        c = np.searchsorted(connections, design.connection[rows])
        self.attributes = np.unique(design.attribute[rows])
        self.kinds = np.unique(design.kind[self.attributes])
        self.n_words = len(design.protected_words)
        n_connections = len(connections)
        mean = spec.priors["group_mean"].parameters
        self.mean, self.mean_sd = mean["mean"], mean["sd"]
        y = design.response[rows] - self.mean
        # Effects are numbered m (one a connection), u (one a filled cell), b (one an attribute).
        cells, u = np.unique(design.word[rows] * n_connections + c, return_inverse=True)
        b = np.searchsorted(self.attributes, design.attribute[rows])
        self.cell_word, self.cell_connection = np.divmod(cells, n_connections)
        kind = np.searchsorted(self.kinds, design.kind[self.attributes])
        self.attribute_kind = kind
        # Standard deviations θ: word_sd (C), noise_sd (C or 1), attribute_sd (kinds).
        n_noise = 1 if spec.noise == "shared" else n_connections
        self.sizes = (n_connections, n_noise, len(self.kinds))
        self.keep_u = len(cells) <= len(self.attributes)
        kept, gone = (u, b) if self.keep_u else (b, u)
        # The prior of an effect is an index into the effect sds (word_sd, attribute_sd).
        class_u, class_b = self.cell_connection, n_connections + kind
        kept_class, gone_class = (class_u, class_b) if self.keep_u else (class_b, class_u)
        self._count(y, c, kept, gone, kept_class, gone_class)

    def _count(
        self, y: Array, c: Index, kept: Index, gone: Index, kept_class: Index, gone_class: Index
    ) -> None:
        """Count pairs and sum responses, per connection, class of effects and pair of classes."""
        n_c = self.sizes[0]
        self.pairs = np.bincount(c, minlength=n_c).astype(float)
        self.squares = np.bincount(c, weights=y**2, minlength=n_c)
        total = np.bincount(c, weights=y, minlength=n_c)
        joint = np.zeros((n_c, len(kept_class), len(gone_class)))
        np.add.at(joint, (c, kept, gone), 1.0)
        self.kept = _Classes(joint, kept_class, _sums(y, c, kept, n_c, len(kept_class)))
        self.gone = _Classes(
            joint.transpose(0, 2, 1), gone_class, _sums(y, c, gone, n_c, len(gone_class))
        )
        joint = joint[:, self.kept.first][:, :, self.gone.first]
        # The system of m and the normalised class sums: counts among them (g), with the eliminated
        # (x), and sums of responses (r).
        root, n_k = np.sqrt(self.kept.size), len(self.kept.size)
        self.n_kept = n_c + n_k
        g = np.zeros((n_c, self.n_kept, self.n_kept))
        x = np.zeros((n_c, self.n_kept, len(self.gone.size)))
        r = np.zeros((n_c, self.n_kept))
        for i in range(n_c):
            g[i, i, i] = self.pairs[i]
            g[i, i, n_c:] = g[i, n_c:, i] = root * self.kept.count[i]
            g[i, n_c:, n_c:] = np.diag(self.kept.count[i])
            x[i, i], x[i, n_c:] = self.gone.count[i], root[:, None] * joint[i]
            r[i, i], r[i, n_c:] = total[i], self.kept.sum[i] / root
        self.g, self.x, self.r = g.reshape(n_c, -1), x, r
        self.spread = np.sqrt(
            np.maximum(self.squares / self.pairs - (total / self.pairs) ** 2, 1e-16)
        )
        n_kinds = self.sizes[2]
        self.is_noise = np.repeat([False, True, False], self.sizes)
        # The error of one effect: noise over the root of its mean number of pairs.
        cells = np.bincount(self.cell_connection, minlength=n_c)
        of_kind = np.bincount(self.attribute_kind, minlength=n_kinds)
        n_pairs = np.concatenate([self.pairs / cells, self.pairs.sum() / n_kinds / of_kind])
        spread = np.concatenate([self.spread, np.full(n_kinds, self.spread.mean())])
        self.error = 0.7 * spread / np.sqrt(n_pairs)

    def sds(self, x: Array) -> tuple[Array, Array]:
        """Return effect sds (word_sd, attribute_sd) and noise sds per connection, (B, ·) each."""
        noise = np.exp(x[:, self.is_noise])
        effects = self.error * np.sinh(np.abs(x[:, ~self.is_noise]))
        effects = np.maximum(effects, 1e-6 * self.error)  # 0 has no precision
        return effects, np.broadcast_to(noise, (len(x), self.sizes[0]))

    def _system(self, x: Array) -> tuple[Array, ...]:
        """Return S, its right-hand side r, e and D per class, X (weighted), and 1/s²."""
        effects, noise = self.sds(x)
        weight = noise**-2.0
        e = effects[:, self.gone.prior] ** -2.0 + weight @ self.gone.count
        d = effects[:, self.kept.prior] ** -2.0 + weight @ self.kept.count
        n_c, n_k = self.sizes[0], self.n_kept
        shared = (weight @ self.x.reshape(n_c, -1)).reshape(len(weight), n_k, -1)
        s = (weight @ self.g).reshape(-1, n_k, n_k)
        diagonal = np.arange(n_k)
        s[:, diagonal[:n_c], diagonal[:n_c]] += self.mean_sd**-2.0
        s[:, diagonal[n_c:], diagonal[n_c:]] = d
        s -= (shared * (self.gone.size / e)[:, None, :]) @ shared.transpose(0, 2, 1)
        r = weight @ self.r - (shared @ ((weight @ self.gone.sum) / e)[:, :, None])[:, :, 0]
        return s, r, e, d, shared, weight

    def log_density(self, x: Array) -> Array:
        """Return log p(y, x) of coordinates x of θ, shape (B, d) to (B,)."""
        step = max(1, _CHUNK_BYTES // (8 * self.n_kept**2))
        parts = [x[i : i + step] for i in range(0, len(x), step)]
        return np.concatenate([self._log_density(part) for part in parts])

    def _log_density(self, x: Array) -> Array:
        s, r, e, d, _, weight = self._system(x)
        effects, _ = self.sds(x)
        log_prior = -2 * (
            len(self.connections) * np.log(self.mean_sd)
            + np.log(effects[:, self.kept.prior]) @ self.kept.size
            + np.log(effects[:, self.gone.prior]) @ self.gone.size
        )
        factor = _factor(s)
        log_det = 2 * np.log(np.diagonal(factor, axis1=1, axis2=2)).sum(1)
        log_det += np.log(d) @ (self.kept.size - 1) + np.log(e) @ self.gone.size
        half = np.linalg.solve(factor, r[:, :, None])[:, :, 0]
        explained = (
            (half**2).sum(1)
            + (_quadratic(weight, self.gone.squares) / e).sum(1)
            + (_quadratic(weight, self.kept.deviations) / d).sum(1)
        )
        value = 0.5 * (
            log_prior
            - log_det
            + np.log(weight) @ self.pairs
            - weight @ self.squares
            + explained
            - self.pairs.sum() * np.log(2 * np.pi)
        )
        value += self._log_priors(x)
        return np.where(np.isfinite(value), value, -np.inf)

    def _log_priors(self, x: Array) -> Array:
        """Return the log prior of the sds, with the Jacobian of the coordinates."""
        effects, noise = self.sds(x)
        n_words, n_noise, _ = self.sizes
        priors = self.spec.priors
        return np.asarray(
            priors["word_sd"].log_density(effects[:, :n_words]).sum(1)
            + priors["attribute_sd"].log_density(effects[:, n_words:]).sum(1)
            + priors["noise_sd"].log_density(noise[:, :n_noise]).sum(1)
            + np.log(self.error * np.cosh(x[:, ~self.is_noise])).sum(1)
            + x[:, self.is_noise].sum(1)
        )

    def draw_effects(self, x: Array, rng: np.random.Generator) -> tuple[Array, Array, Array]:
        """Draw m, the kept and the eliminated effects given θ, one draw a row."""
        step = max(
            1,
            _CHUNK_BYTES // (8 * (self.n_kept**2 + len(self.kept.member) + len(self.gone.member))),
        )
        m = np.empty((len(x), self.sizes[0]))
        kept = np.empty((len(x), len(self.kept.member)))
        gone = np.empty((len(x), len(self.gone.member)))
        for i in range(0, len(x), step):
            part = slice(i, i + step)
            m[part], kept[part], gone[part] = self._draw_effects(x[part], rng)
        return m, kept, gone

    def _draw_effects(self, x: Array, rng: np.random.Generator) -> tuple[Array, Array, Array]:
        s, r, e, d, shared, weight = self._system(x)
        factor = np.linalg.cholesky(s)
        half = np.linalg.solve(factor, r[:, :, None])
        half += rng.standard_normal(half.shape)
        system = np.linalg.solve(factor.transpose(0, 2, 1), half)[:, :, 0]
        n_c, member = self.sizes[0], self.kept.member
        # A kept effect is its class's mean plus a deviation; deviations sum to 0 in a class.
        free = rng.standard_normal((len(x), len(member))) / np.sqrt(d[:, member])
        free += (weight @ self.kept.sums) / d[:, member]
        class_mean = system[:, n_c:] / np.sqrt(self.kept.size)
        kept = class_mean[:, member] + free - self.kept.mean_of(free)[:, member]
        of_class = (shared.transpose(0, 2, 1) @ system[:, :, None])[:, :, 0]
        member, e = self.gone.member, e[:, self.gone.member]
        mean = (weight @ self.gone.sums - of_class[:, member]) / e
        gone = mean + rng.standard_normal(mean.shape) / np.sqrt(e)
        return system[:, :n_c], kept, gone

    def start(self) -> Array:
        """Return rough coordinates from the data's spread."""
        x = np.empty(len(self.is_noise))
        x[self.is_noise] = np.log(0.7 * self.spread[: self.sizes[1]])
        x[~self.is_noise] = np.arcsinh(0.4 * self.spread.mean() / self.error)
        return x

    @property
    def bounds(self) -> list[tuple[float, float]]:
        """Range of the coordinates: no noise so small, no standard deviation so large."""
        noise = float(np.log(1e-4 * self.spread.min())), float(np.log(_WIDEST))
        effects = [(0.0, float(np.arcsinh(_WIDEST / e))) for e in self.error]
        n_words, n_noise, _ = self.sizes
        return effects[:n_words] + [noise] * n_noise + effects[n_words:]


class _Classes:
    """Effects of one kind, sorted into classes that are exchangeable.

    Parameters
    ----------
    joint : ndarray, shape (C, n, other)
        Pairs per connection that each effect shares with each effect of the other kind.
    prior : ndarray, shape (n,)
        Which effect sd is the prior of each.
    sums : ndarray, shape (C, n)
        Sums of responses.
    """

    def __init__(self, joint: Array, prior: Index, sums: Array) -> None:
        n = joint.shape[1]
        rows = np.hstack([joint.transpose(1, 0, 2).reshape(n, -1), prior[:, None]])
        _, self.first, member = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        self.member = member.ravel()
        self.size = np.bincount(self.member).astype(float)
        self.prior = prior[self.first]
        self.count = joint.sum(axis=2)[:, self.first]
        self.sums = sums
        self.sum = self._total(sums)
        self.squares = np.array([[self._total(one * two) for two in sums] for one in sums])
        mean = self.sum / self.size
        self.deviations = self.squares - self.size * mean[:, None] * mean[None, :]

    def _total(self, values: Array) -> Array:
        """Sum over the members of every class, along the last axis."""
        rows = np.atleast_2d(values)
        totals = np.stack([np.bincount(self.member, weights=row) for row in rows])
        return np.asarray(totals.reshape(*values.shape[:-1], -1), dtype=float)

    def mean_of(self, values: Array) -> Array:
        """Return the mean over the members of every class, shape (B, n) to (B, classes)."""
        total = np.zeros((len(values), len(self.size)))
        np.add.at(total.T, self.member, values.T)
        return total / self.size


def _sums(y: Array, c: Index, effect: Index, n_c: int, n: int) -> Array:
    """Sum responses per connection and effect."""
    sums = np.bincount(c * n + effect, weights=y, minlength=n_c * n)
    return sums.reshape(n_c, n).astype(float)


def _factor(matrices: Array) -> Array:
    """Return Cholesky factors, NaN for a matrix that rounding has made indefinite.

    That happens only at standard deviations so extreme that the posterior has no mass there.
    """
    try:
        return np.asarray(np.linalg.cholesky(matrices))
    except np.linalg.LinAlgError:
        factors = np.full_like(matrices, np.nan)
        for i, matrix in enumerate(matrices):
            with suppress(np.linalg.LinAlgError):
                factors[i] = np.linalg.cholesky(matrix)
        return factors


def _quadratic(weight: Array, matrix: Array) -> Array:
    """Return wᵀ M w per class: (B, C) and (C, C, classes) to (B, classes)."""
    n_c = weight.shape[1]
    products = (weight[:, :, None] * weight[:, None, :]).reshape(len(weight), n_c * n_c)
    return np.asarray(products @ matrix.reshape(n_c * n_c, -1))
