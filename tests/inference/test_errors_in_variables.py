"""A line between two quantities, both with errors: density and coverage."""

import numpy as np
import pytest
from scipy import stats

from bayesbias.errors import ArgumentError
from bayesbias.inference.errors_in_variables import Estimates, compound_symmetric, draw_lines
from bayesbias.inference.intervals import interval_of


def _covariance(n, rng):
    root = rng.normal(size=(n, n + 3))
    return root @ root.T / (n + 3)


@pytest.mark.parametrize("case", ["variances", "x covary", "y covary", "alike"])
def test_the_density_is_that_of_the_model_with_true_values_integrated_out(case):
    """Against a normal of all data at once, the flat priors being very wide ones."""
    rng = np.random.default_rng(1)
    n = 5
    data, variances = rng.normal(size=(n, 2)), rng.uniform(0.1, 0.5, (2, n)) ** 2
    errors = [*variances]
    if case != "variances":
        errors[int(case != "x covary")] = 0.1 * _covariance(n, rng)
    alike = _covariance(n, rng) if case == "alike" else None
    points = rng.uniform(0.2, 1.5, (6, 3)) * [[-1, 1, 1]]
    seen = [compound_symmetric(e, data[:, 1 - side]) for side, e in enumerate(errors)]
    scatter = compound_symmetric(np.ones(n) if alike is None else alike, data[:, 0])
    expected = []
    for slope, spread, residual in points:
        true = np.array([[1, slope], [slope, slope**2]]) * spread**2
        covariance = np.kron(true, np.eye(n))
        covariance[n:, n:] += residual**2 * scatter.matrix
        for side, error in enumerate(seen):
            at = slice(side * n, (side + 1) * n)
            covariance[at, at] += error.matrix + 1e6
        value = stats.multivariate_normal(np.zeros(2 * n), covariance).logpdf(data.T.ravel())
        value += stats.norm.logpdf([slope, spread, residual]).sum()
        expected.append(value)
    found = Estimates(data, tuple(seen), scatter).log_density(*points.T)
    np.testing.assert_allclose(found - found[0], np.array(expected) - expected[0], atol=1e-3)


def test_without_errors_the_slope_is_that_of_regression_and_correlation_that_of_bayes():
    """Of exact numbers: Student's t around least squares, hardly moved by the weak priors."""
    rng = np.random.default_rng(4)
    n = 40
    x = rng.normal(5.0, 3.0, n)
    y = 0.2 * x + rng.normal(0.0, 0.5, n)
    lines = draw_lines(x, np.zeros(n), y, np.zeros(n), draws=20_000, rng=rng)
    fitted = stats.linregress(x, y)
    assert lines.slope.mean() == pytest.approx(fitted.slope, abs=0.1 * fitted.stderr)
    assert lines.slope.std() == pytest.approx(fitted.stderr, rel=0.1)
    assert lines.correlation.mean() == pytest.approx(fitted.rvalue, abs=0.02)
    assert lines.at(np.array([0.0])).mean() == pytest.approx(fitted.intercept, abs=0.02)
    # On Fisher's scale a correlation has the standard error 1 / sqrt(n - 3).
    assert np.arctanh(lines.correlation).std() == pytest.approx((n - 3) ** -0.5, rel=0.1)


def test_an_error_that_all_share_moves_the_line_and_leaves_its_slope():
    rng = np.random.default_rng(5)
    x, error = np.arange(8.0), np.diag(np.full(8, 0.3))
    y = x + rng.normal(0, 1, 8)
    alone, shared = (
        draw_lines(x, np.zeros(8), y, e, draws=8_000, rng=np.random.default_rng(1))
        for e in (error, error + 9.0)
    )
    np.testing.assert_allclose(alone.slope, shared.slope, atol=1e-6)
    np.testing.assert_allclose(alone.residual, shared.residual, atol=1e-6)
    assert shared.y_mean.std() > 2.5 > 2 * alone.y_mean.std()


def test_words_that_are_alike_are_less_than_as_many_words():
    """Six families of five that deviate together are six words, not thirty."""
    rng = np.random.default_rng(6)
    family = np.repeat(np.arange(6), 5)
    alike = np.where(family[:, None] == family, 0.99, 0.0)
    np.fill_diagonal(alike, 1.0)
    x = rng.normal(size=6)[family] + 0.05 * rng.normal(size=30)
    y = x + rng.normal(size=6)[family] + 0.1 * rng.normal(size=30)
    own, known = (
        draw_lines(x, np.full(30, 0.05), y, np.zeros(30), draws=4_000, rng=rng, alike=k)
        for k in (None, alike)
    )
    assert known.slope.std() > 1.5 * own.slope.std()


def test_along_a_line_a_covariance_keeps_what_least_squares_has_of_it():
    rng = np.random.default_rng(7)
    n = 6
    x, matrix = rng.normal(size=n), _covariance(n, rng)
    seen = compound_symmetric(matrix, x).matrix
    weights = (x - x.mean()) / ((x - x.mean()) ** 2).sum()
    assert weights @ seen @ weights == pytest.approx(weights @ matrix @ weights)
    assert seen.sum() == pytest.approx(matrix.sum())
    assert seen.trace() == pytest.approx(matrix.trace())
    design = np.stack([np.ones(n), x], axis=-1)
    solved = np.linalg.solve(seen, design)
    generalised = np.linalg.solve(design.T @ solved, solved.T)
    np.testing.assert_allclose(generalised[1], weights, atol=1e-10)
    simple = 0.3 * np.eye(n) + 0.1
    np.testing.assert_allclose(compound_symmetric(simple, x).matrix, simple, atol=1e-12)


@pytest.mark.parametrize("values", [np.full(5, 0.1), np.full(5, 3.0)])
def test_equal_numbers_have_no_line(values):
    with pytest.raises(ArgumentError, match="are equal"):
        draw_lines(
            values, np.zeros(5), np.arange(5.0), np.zeros(5), draws=10, rng=np.random.default_rng(1)
        )


def _worlds(slope, runs, rng, n=24):
    """Yield estimates and errors of worlds in which both sides have errors."""
    for _ in range(runs):
        x = rng.normal(0, 1, n)
        y = slope * x + rng.normal(0, np.sqrt(max(1 - slope**2, 0.1)), n)
        x_sd, y_sd = 0.8 * rng.uniform(0.5, 1.5, n), 0.4 * rng.uniform(0.3, 2, n)
        yield rng.normal(x, x_sd), x_sd, rng.normal(y, y_sd), y_sd


@pytest.mark.parametrize("slope", [0.0, 0.8])
def test_intervals_of_the_slope_have_their_coverage_where_least_squares_has_not(slope):
    rng = np.random.default_rng(2)
    held, held_naive, runs = 0, 0, 50
    for x, x_sd, y, y_sd in _worlds(slope, runs, rng):
        lines = draw_lines(x, x_sd, y, y_sd, draws=800, rng=rng)
        low, high = interval_of(lines.slope, 0.89, "hpdi")
        held += low <= slope <= high
        (line, _), covariance = np.polyfit(x, y, 1, cov=True)
        held_naive += abs(line - slope) < 1.67 * np.sqrt(covariance[0, 0])
    assert held / runs > 0.80  # .89 minus two standard errors
    if slope:
        assert held_naive / runs < 0.55
    else:
        assert held_naive / runs > 0.80
