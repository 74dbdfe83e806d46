"""Soft debiasing against closed forms, a general optimiser, and itself from other starts."""

import json
import warnings

import numpy as np
import pytest
from scipy.optimize import minimize

import bayesbias as bb
from bayesbias import debias
from bayesbias.debias.soft_optimisation import soft_transformation
from bayesbias.errors import ArgumentError, ConvergenceWarning, EmbeddingError


def made_up(n, dim, seed):
    """Return unit word vectors, the neutral ones among them, and a bias direction."""
    words = np.random.default_rng(seed).standard_normal((n, dim))
    words /= np.linalg.norm(words, axis=1)[:, None]
    direction = words[0] - words[1]
    return words, words[2:], (direction / np.linalg.norm(direction))[None]


def solve(words, neutral, basis, **options):
    return soft_transformation(words.T @ words, neutral.T @ neutral, basis, **options)


def objective(gram, words, neutral, basis, lam):
    """Return the objective as the paper writes it, over pairs of words."""
    distortion = words @ (gram - np.eye(len(gram))) @ words.T
    return np.sum(distortion**2) + lam * np.sum((neutral @ gram @ basis.T) ** 2)


def test_closed_form_for_one_neutral_word():
    """With WWᵀ = I, one neutral word n and one direction b, M − I is a multiple of nbᵀ + bnᵀ.

    Along it nᵀMb = c + t costs t²/s with c = n·b and s = (1 + c²)/2, so t = −cλ/(λ + 1/s).
    """
    n, b, lam = np.array([0.6, 0.8]), np.array([1.0, 0.0]), 0.2
    solution = soft_transformation(np.eye(2), np.outer(n, n), b[None], lam=lam)
    c, s = 0.6, 0.68
    t = -c * lam / (lam + 1 / s)
    expected = np.eye(2) + t / s * (np.outer(n, b) + np.outer(b, n)) / 2
    np.testing.assert_allclose(solution.gram, expected, atol=1e-12)
    np.testing.assert_allclose(solution.transformation @ solution.transformation, expected)
    assert solution.association == pytest.approx((c + t) ** 2)
    assert solution.distortion == pytest.approx(t**2 / s)
    assert not solution.constrained


@pytest.mark.parametrize(
    ("n", "dim", "lam", "seed", "constrained"),
    [(30, 5, 0.2, 1, False), (30, 5, 100.0, 2, False), (5, 3, 50.0, 29, True)],
)
def test_a_general_optimiser_over_t_finds_the_same(n, dim, lam, seed, constrained):
    """The objective is the paper's, at the identity and at the minimum."""
    words, neutral, basis = made_up(n, dim, seed)
    solution = solve(words, neutral, basis, lam=lam)
    assert solution.converged
    assert solution.constrained == constrained
    ends = (solution.gram, solution.objective[-1]), (np.eye(dim), solution.objective_at_identity)
    for gram, value in ends:
        assert objective(gram, words, neutral, basis, lam) == pytest.approx(value, rel=1e-10)

    def over_t(flat):
        t = flat.reshape(dim, dim)
        return objective(t.T @ t, words, neutral, basis, lam)

    start = np.eye(dim) + 0.1 * np.random.default_rng(0).standard_normal((dim, dim))
    other = minimize(over_t, start.ravel(), method="BFGS", options={"gtol": 1e-7}).x
    t = other.reshape(dim, dim)
    np.testing.assert_allclose(solution.gram, t.T @ t, atol=1e-5)
    assert solution.objective[-1] <= over_t(other) * (1 + 1e-12)


@pytest.mark.parametrize(
    ("n", "dim", "lam", "seed"), [(30, 5, 0.2, 1), (200, 40, 1e3, 2), (4, 3, 200.0, 2)]
)
def test_the_start_does_not_matter_and_the_objective_falls(n, dim, lam, seed):
    words, neutral, basis = made_up(n, dim, seed)
    solutions = [solve(words, neutral, basis, lam=lam, seed=s) for s in (None, 1, 2)]
    for solution in solutions:
        path = np.array(solution.objective)
        assert solution.converged
        # Equal values may differ in the last bits.
        assert (np.diff(path) <= 1e-14 * path[0]).all()
        assert path[-1] < path[0]
        np.testing.assert_allclose(solution.gram, solutions[0].gram, atol=1e-6)
        assert solution.smallest_eigenvalue > -1e-9
    assert solutions[0].objective[0] == pytest.approx(solutions[0].objective_at_identity)


def test_words_that_do_not_span_the_space():
    """Fewer words than dimensions: M is the identity on the rest, and unique on their span."""
    words, neutral, basis = made_up(6, 10, seed=4)
    solution = solve(words, neutral, basis, lam=2.0)
    other = solve(words, neutral, basis, lam=2.0, seed=5)
    left = np.linalg.svd(words)[2][6:]
    np.testing.assert_allclose(left @ solution.gram, left, atol=1e-10)
    np.testing.assert_allclose(solution.gram, other.gram, atol=1e-6)
    assert solution.association < 0.9 * np.sum((neutral @ basis.T) ** 2)


@pytest.fixture
def kv():
    rng = np.random.default_rng(8)
    matrix = rng.standard_normal((300, 12))
    matrix[2:, 0] += 0.5
    matrix[0, 0], matrix[1, 0] = 4, -4
    return bb.load_embedding(([f"w{i}" for i in range(300)], matrix))


def soft(kv, **options):
    return debias.soft(kv, defining_sets=[["w0", "w1"]], neutralise="all", **options)


def test_lambda_zero_is_the_identity(kv):
    assert (soft(kv, lam=0, normalise=False).vectors.vectors == kv.vectors).all()


def test_more_lambda_less_association(kv):
    unit = kv.vectors / np.linalg.norm(kv.vectors, axis=1)[:, None]
    found = []
    for lam in (0.2, 20.0, 2000.0):
        result = soft(kv, lam=lam)
        diagnostics = result.record.diagnostics
        new = result.vectors.vectors.astype(float)
        distortion = np.sum((new @ new.T - unit @ unit.T) ** 2)
        assert distortion == pytest.approx(diagnostics["distortion"], rel=1e-3, abs=1e-6)
        found.append(diagnostics["association"])
        assert diagnostics["gradient_norm"] <= diagnostics["gradient_limit"]
    assert diagnostics["association_at_identity"] > found[0] > found[1] > found[2]
    assert found[2] < 0.001 * found[0]


def test_only_the_neutral_words_count_as_association(kv):
    neutral = ["w5", "w6", "w7"]
    result = debias.soft(kv, defining_sets=[["w0", "w1"]], neutralise=neutral, lam=50.0)
    unit = kv[neutral] / np.linalg.norm(kv[neutral], axis=1)[:, None]
    expected = np.sum((unit @ result.record.basis.T) ** 2)
    diagnostics = result.record.diagnostics
    assert diagnostics["association_at_identity"] == pytest.approx(expected, rel=1e-5)
    assert diagnostics["association"] < expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lam": -1}, "lam=-1: must be"),
        ({"lam": np.nan}, "lam=nan: must be"),
        ({"k": 2}, "k=2: the 1 sets differ in 1 dimensions"),
    ],
)
def test_bad_arguments(kv, options, message):
    with pytest.raises(ArgumentError, match=message):
        soft(kv, **options)


def test_too_few_iterations_warn(kv, monkeypatch):
    def hurried(*arguments, **options):
        return soft_transformation(*arguments, **options, max_iterations=1)

    monkeypatch.setattr("bayesbias.debias.transformation.soft_transformation", hurried)
    with pytest.warns(ConvergenceWarning, match="stopped after 1 iterations"):
        result = soft(kv, lam=100.0)
    assert not result.record.diagnostics["converged"]


def test_a_word_that_would_vanish_is_an_error():
    """Of the word along the bias, which is neutral itself, an enormous λ leaves nothing."""
    kv = bb.load_embedding({"he": [1, 1], "she": [-1, 1], "b": [1, 0]})
    with pytest.raises(EmbeddingError, match="'b' would become the zero vector"):
        debias.soft(kv, defining_sets=[["he", "she"]], neutralise=["b"], lam=1e16)


def test_googlenews(data):
    """The published λ of 0.2 hardly matters on 13,013 words; λ = 2,000 removes most of the bias."""
    vectors = bb.load_embedding(data / "embeddings" / "googlenews-16k-300d.bin", limit=13013)
    lists = json.loads((data / "oracles" / "debiaswe_wordlists.json").read_text())
    options = {"defining_sets": lists["definitional_pairs"], "keep": lists["gender_specific"]}
    left = []
    for lam in (0.2, 2000.0):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = debias.soft(vectors, neutralise="all", lam=lam, **options).record.diagnostics
        assert np.diff(found["objective"]).max() <= 1e-14 * found["objective"][0]
        left.append(found["association"] / found["association_at_identity"])
    assert 0.99 < left[0] < 1
    assert left[1] < 0.01
