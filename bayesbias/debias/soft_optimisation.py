"""The optimisation behind soft debiasing (Manzini et al. 2019, eq. 4), numpy only.

    min over T:  ‖(TW)ᵀ(TW) − WᵀW‖²_F + λ‖(TN)ᵀ(TB)‖²_F

depends on T only through M = TᵀT, and is a convex quadratic in M over the positive semidefinite
cone. With A = WWᵀ, write Y = A^½ M A^½, which is semidefinite with M; then the objective is

    ‖Y − A‖²_F + λ‖N'ᵀ Y B'‖²_F,    N' = A^−½ N,    B' = A^−½ B,

strongly convex, so that the minimiser is unique. Without the cone it is a linear system, which
conjugate gradients solve; where the solution lies outside the cone, accelerated projected
gradients take over. The vocabulary enters through A and NNᵀ alone: an iteration costs dim²·k
operations, and dim³ where the cone binds.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from bayesbias.support.arrays import Array

TOLERANCE: Final = 1e-10
"""Gradient norm at which to stop, as a share of its norm at the identity or of A's, the smaller."""

_ROUNDING: Final = 1e-14
_START_SD: Final = 0.1


@dataclass(frozen=True, eq=False)
class SoftSolution:
    """The minimiser and how it was reached."""

    gram: Array  # M = TᵀT; the identity where no word has a component
    transformation: Array  # T, the symmetric square root of M
    objective: tuple[float, ...]  # at the start and after every iteration
    objective_at_identity: float  # λ‖NᵀB‖²_F
    distortion: float  # ‖Wᵀ(M − I)W‖²_F
    association: float  # ‖NᵀMB‖²_F
    gradient_norm: float  # with respect to Y at the end; projected where the cone binds
    gradient_limit: float
    smallest_eigenvalue: float  # of M
    constrained: bool  # whether the cone binds

    @property
    def converged(self) -> bool:
        """Whether the gradient is below its limit."""
        return self.gradient_norm <= self.gradient_limit

    @property
    def iterations(self) -> int:
        """How many iterations were made."""
        return len(self.objective) - 1


@dataclass(frozen=True, eq=False)
class _Problem:
    """The whitened problem: `a` are the eigenvalues of A, everything else in their basis."""

    a: Array
    neutral: Array  # C' = N'N'ᵀ, (r, r)
    bias: Array  # B', (r, k)
    lam: float

    def value(self, x: Array) -> float:
        """Return the objective at X = Y − A."""
        return float(np.sum(x * x)) + self.lam * self.association(x)

    def association(self, x: Array) -> float:
        """Return ‖N'ᵀ Y B'‖²_F."""
        z = self._applied(x)
        # ‖N'ᵀ Z‖²_F = tr Zᵀ N'N'ᵀ Z.
        return float(np.sum(z * (self.neutral @ z)))

    def gradient(self, x: Array) -> Array:
        """Return the gradient with respect to Y, a symmetric matrix."""
        # Of λ tr B'ᵀY C'Y B' with Y symmetric: λ (C'Y B'B'ᵀ + its transpose).
        half = self.lam * (self.neutral @ self._applied(x)) @ self.bias.T
        return 2.0 * x + half + half.T

    def curvature(self, d: Array) -> Array:
        """Return the Hessian times a symmetric direction."""
        half = self.lam * (self.neutral @ (d @ self.bias)) @ self.bias.T
        return 2.0 * d + half + half.T

    def _applied(self, x: Array) -> Array:
        """Return Y B'."""
        return x @ self.bias + self.a[:, None] * self.bias

    @property
    def steepest(self) -> float:
        """An upper bound of the Hessian's eigenvalues; 2 is a lower bound."""
        # By the triangle inequality: each of the two products stretches by ‖C'‖ ‖B'‖² at most.
        norms = np.linalg.norm(self.neutral, 2) * np.linalg.norm(self.bias, 2) ** 2
        return float(2.0 + 2.0 * self.lam * norms)


def soft_transformation(
    words: Array,
    neutral: Array,
    basis: Array,
    *,
    lam: float,
    seed: int | None = None,
    max_iterations: int = 10_000,
) -> SoftSolution:
    """Minimise the objective of soft debiasing with λ = `lam`.

    `words` is A = WWᵀ, `neutral` NNᵀ, (dim, dim) both; `basis`, (k, dim), is orthonormal. With
    `seed` it starts at a random transformation. On what the words do not span, M is the identity.
    """
    # A is singular where words span less than all dimensions: only its range is worked in.
    values, vectors = np.linalg.eigh(words)
    seen = values > values[-1] * len(values) * 10 * np.finfo(float).eps
    a, v = values[seen], vectors[:, seen]
    root = np.sqrt(a)
    problem = _Problem(
        a=a,
        neutral=(v.T @ neutral @ v) / np.outer(root, root),
        bias=(v.T @ basis.T) / root[:, None],
        lam=lam,
    )
    zero = np.zeros((len(a), len(a)))
    # The second term is what rounding leaves of the gradient.
    limit = TOLERANCE * min(_norm(problem.gradient(zero)), _norm(a))
    limit += _ROUNDING * problem.steepest * _norm(a)
    start = zero if seed is None else _random_start(root, seed)
    x, path, reached = _conjugate_gradients(problem, start, limit, max_iterations)
    gram = _gram(x, v, root)
    smallest, transformation = _square_root(gram)
    outside = smallest < 0
    if outside:
        x, path, reached = _projected_gradients(problem, start, limit, max_iterations)
        gram = _gram(x, v, root)
        smallest, transformation = _square_root(gram)
    return SoftSolution(
        gram=gram,
        transformation=transformation,
        objective=tuple(path),
        objective_at_identity=problem.value(zero),
        distortion=float(np.sum(x * x)),
        association=problem.association(x),
        gradient_norm=reached,
        gradient_limit=limit,
        smallest_eigenvalue=smallest,
        constrained=outside,
    )


def _norm(matrix: Array) -> float:
    return float(np.sqrt(np.sum(matrix * matrix)))


def _gram(x: Array, v: Array, root: Array) -> Array:
    """Return M = I + A^−½ X A^−½ in the vectors' own basis."""
    change = v @ (x / np.outer(root, root)) @ v.T
    gram: Array = np.eye(len(v)) + (change + change.T) / 2
    return gram


def _square_root(gram: Array) -> tuple[float, Array]:
    """Return the smallest eigenvalue and the symmetric root; rounding below zero is zero."""
    values, vectors = np.linalg.eigh(gram)
    return float(values[0]), (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T


def _random_start(root: Array, seed: int) -> Array:
    """Return X at M = TᵀT, with T the identity plus noise."""
    r = len(root)
    t = np.eye(r) + _START_SD * np.random.default_rng(seed).standard_normal((r, r))
    start: Array = np.outer(root, root) * (t.T @ t - np.eye(r))
    return start


def _conjugate_gradients(
    problem: _Problem, x: Array, limit: float, max_iterations: int
) -> tuple[Array, list[float], float]:
    """Minimise without the cone; every step goes down, to the lowest point of its line."""
    path = [problem.value(x)]
    residual = -problem.gradient(x)
    direction, size = residual, float(np.sum(residual * residual))
    while np.sqrt(size) > limit and len(path) <= max_iterations:
        bent = problem.curvature(direction)
        step = size / float(np.sum(direction * bent))
        x = x + step * direction
        path.append(problem.value(x))
        # Afresh: the usual recurrence drifts away from the true gradient.
        residual = -problem.gradient(x)
        new = float(np.sum(residual * residual))
        # Conjugate to the last direction whatever rounding did.
        direction = (
            residual - float(np.sum(residual * bent)) / float(np.sum(direction * bent)) * direction
        )
        size = new
    return x, path, float(np.sqrt(size))


def _projected_gradients(
    problem: _Problem, x: Array, limit: float, max_iterations: int
) -> tuple[Array, list[float], float]:
    """Minimise over the cone; a step that momentum would carry uphill is made without it."""
    steepest = problem.steepest
    # Nesterov's momentum (2004) for a function whose curvature is between 2 and `steepest`.
    narrow = np.sqrt(2.0 / steepest)
    momentum = (1.0 - narrow) / (1.0 + narrow)
    x = _in_cone(x, problem.a)
    path, previous = [problem.value(x)], x
    while True:
        plain = _in_cone(x - problem.gradient(x) / steepest, problem.a)
        reached = steepest * _norm(plain - x)
        if reached <= limit or len(path) > max_iterations:
            return x, path, reached
        ahead = x + momentum * (x - previous)
        new = _in_cone(ahead - problem.gradient(ahead) / steepest, problem.a)
        value = problem.value(new)
        if value > path[-1]:
            new, value = plain, problem.value(plain)
        previous, x = x, new
        path.append(value)


def _in_cone(x: Array, a: Array) -> Array:
    """Project Y = X + A onto the semidefinite matrices; return it as X."""
    # The nearest one in the Frobenius norm has the negative eigenvalues at 0 (Higham 1988).
    values, vectors = np.linalg.eigh(x + np.diag(a))
    if values[0] >= 0:
        return x
    below = values < 0
    nearest: Array = x - (vectors[:, below] * values[below]) @ vectors[:, below].T
    return nearest
