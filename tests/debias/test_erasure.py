"""LEACE, double-hard debiasing and half-sibling regression: by hand, and what they guarantee."""

import numpy as np
import pytest

import bayesbias as bb
from bayesbias import debias
from bayesbias.debias.classes import erasure
from bayesbias.errors import ArgumentError, MissingWordsWarning, WordListError
from bayesbias.simulate import planted_embedding
from bayesbias.vectors.two_classes import logistic_regression


@pytest.fixture(scope="module")
def classes():
    """Three classes of words in ten dimensions, one twice as large, with correlated noise."""
    rng = np.random.default_rng(4)
    mix = rng.normal(size=(10, 10))
    centres = rng.normal(size=(3, 10))
    return [
        c + rng.normal(size=(n, 10)) @ mix for c, n in zip(centres, (200, 100, 100), strict=True)
    ]


def erased(rows, centre, along, basis):
    return rows - (rows - centre) @ along.T @ basis


def test_leace_by_hand():
    """Means ±(1, 1), within variances ½ and 2; Σ = [[3/2, 1], [1, 3]].

    The map is I − uvᵀ with u the difference and v = Σ⁻¹u/(uᵀΣ⁻¹u): v ∝ (2, ½), so that
    uvᵀ = [[.8, .2], [.8, .2]].
    """
    noise = np.array([[1.0, 0], [-1, 0], [0, 2], [0, -2]])
    centre, along, basis = erasure([noise + np.array(mean) for mean in ([3, 1], [1, -1])])
    np.testing.assert_allclose(centre, [2, 0], atol=1e-12)
    np.testing.assert_allclose(basis.T @ along, [[0.8, 0.2], [0.8, 0.2]], atol=1e-12)
    np.testing.assert_allclose(basis @ basis.T, [[1.0]], atol=1e-12)


def test_leace_makes_means_equal_and_is_idempotent(classes):
    found = erasure(classes)
    centre, along, basis = found
    assert basis.shape == (2, 10)
    after = [erased(rows, *found) for rows in classes]
    for rows in after:
        np.testing.assert_allclose(rows.mean(axis=0), centre, atol=1e-12)
    np.testing.assert_allclose(along @ basis.T, np.eye(2), atol=1e-12)  # a projection
    np.testing.assert_allclose(erased(after[0], *found), after[0], atol=1e-12)
    assert not len(erasure(after)[2])


def test_leace_moves_words_least(classes):
    """Beside every other affine map that makes means equal, with components weighted at will."""
    rows = np.concatenate(classes)
    centre, along, basis = erasure(classes)
    rng = np.random.default_rng(1)
    weights = [np.eye(10), *(m @ m.T for m in rng.normal(size=(4, 10, 3)))]

    def moved(change, weight):
        return np.einsum("ni,ij,nj->", change, weight, change)

    own = (rows - centre) @ along.T @ basis
    others = [basis, *(along + rng.normal(scale=0.05, size=along.shape) for _ in range(20))]
    for other in others:
        other = np.linalg.solve(other @ basis.T, other)  # takes the mean differences away too
        change = (rows - centre) @ other.T @ basis
        left = erased(classes[0], centre, other, basis).mean(axis=0)
        np.testing.assert_allclose(left, centre, atol=1e-10)
        for weight in weights:
            assert moved(own, weight) < moved(change, weight)


def test_no_linear_classifier_finds_the_classes_after_leace():
    kv = planted_embedding(bb.load_wordlist("gender"), similarity=0.4, seed=1).vectors
    words = kv.index_to_key
    first, second = words[:90], words[90:180]
    given = {"one": first, "two": second}
    result = debias.leace(kv, "gender", classes=given)
    label = np.repeat([True, False], 90)
    before, after = (
        logistic_regression(vectors[[*first, *second]], label) for vectors in (kv, result.vectors)
    )
    assert np.abs(before[:-1]).max() > 0.1
    assert np.abs(after).max() < 1e-5  # the best it can say is the same of all words
    assert result.record.diagnostics == {"n_learned": [90, 90]}
    with pytest.raises(ArgumentError, match="classes have the same mean"):
        debias.leace(result.vectors, "gender", classes=given, normalise=False)


def test_leace_finds_its_classes_and_leaves_zero_vectors():
    rng = np.random.default_rng(2)
    matrix = rng.normal(size=(400, 8))
    matrix[:, 0] = np.tile([2.0, -2.0], 200)
    matrix[399] = 0
    kv = bb.load_embedding(([f"w{i}" for i in range(400)], matrix))
    with pytest.warns(MissingWordsWarning, match="w399: its vector is zero"):
        result = debias.leace(kv, defining_sets=[["w0", "w1"]])
    assert result.record.diagnostics["n_learned"] == [50, 50]
    assert np.abs(result.record.basis[0]).argmax() == 0
    assert not result.vectors["w399"].any()
    unit = matrix[:399] / np.linalg.norm(matrix[:399], axis=1, keepdims=True)
    order = np.argsort(-(unit @ (unit[0] - unit[1])))
    before, after = (
        np.linalg.norm(rows[order[:50]].mean(axis=0) - rows[order[-50:]].mean(axis=0))
        for rows in (unit, result.vectors.vectors)
    )
    assert before > 1
    assert after < 1e-6


def test_half_sibling_by_hand():
    """D = (2, 0, 0), (1, 1, 0), whose squared lengths have the mean 3: with α = 1/3,
    DᵀD + I = [[5, 2], [2, 3]], with the inverse [[3, −2], [−2, 5]]/11.

    For w = (1, 1, 1), Dᵀw = (2, 2), the coefficients are (2, 6)/11, the prediction (10, 6, 0)/11.
    """
    vectors = {"he": [2, 0, 0], "she": [1, 1, 0], "nurse": [1, 1, 1], "door": [1, 2, 3]}
    kv = bb.load_embedding(vectors)
    options = {"defining_sets": [["he", "she"]], "neutralise": ["nurse"]}
    for alpha, nurse, within in (
        (1 / 3, [1 / 11, 5 / 11, 1], {"rtol": 1e-6}),
        (0, [0, 0, 1], {"atol": 1e-6}),
        (1e9, [1, 1, 1], {"atol": 1e-6}),
    ):
        result = debias.half_sibling(kv, alpha=alpha, **options)
        np.testing.assert_allclose(result.vectors["nurse"], nurse, **within)
        for word in ("he", "she", "door"):
            assert result.vectors[word].tolist() == kv[word].tolist()
        assert result.record.parameters["alpha"] == alpha
    for alpha in (-1.0, np.nan, np.inf):
        with pytest.raises(ArgumentError, match=f"alpha={alpha}: must be"):
            debias.half_sibling(kv, alpha=alpha, **options)
    plane = bb.load_embedding({word: vector[:2] for word, vector in vectors.items()})
    with pytest.raises(ArgumentError, match="span all 2 dimensions"):
        debias.half_sibling(plane, alpha=0, **options)


def test_half_sibling_is_the_ridge_regression_of_the_paper():
    """Columns of words, components as observations, as the authors write it."""
    rng = np.random.default_rng(3)
    matrix = rng.normal(size=(60, 12))
    kv = bb.load_embedding(([f"w{i}" for i in range(60)], matrix))
    sets = [["w0", "w1"], ["w2", "w3"], ["w0", "w4"]]
    gendered, neutral = kv.vectors[:5].T.astype(float), kv.vectors[5:].T.astype(float)
    alpha = 2.5 / (gendered**2).sum(axis=0).mean()
    result = debias.half_sibling(kv, alpha=alpha, defining_sets=sets, neutralise="all")
    weights = np.linalg.solve(gendered.T @ gendered + 2.5 * np.eye(5), gendered.T @ neutral)
    np.testing.assert_allclose(
        result.vectors.vectors[5:].T, neutral - gendered @ weights, atol=1e-6
    )


@pytest.mark.parametrize("factor", [4.0, 1 / 64])
def test_half_sibling_does_not_depend_on_the_scale_of_the_vectors(factor):
    """A ridge of a fixed size subtracted other shares of vectors that were multiplied."""
    words, rng = [f"w{i}" for i in range(40)], np.random.default_rng(3)
    matrix = rng.normal(size=(40, 12)).astype(np.float32)
    options = {"defining_sets": [["w0", "w1"], ["w2", "w3"]], "neutralise": "all"}
    one, other = (
        debias.half_sibling(bb.load_embedding((words, scale * matrix)), **options)
        for scale in (1.0, factor)
    )
    np.testing.assert_allclose(other.vectors.vectors, factor * one.vectors.vectors, rtol=1e-5)
    shares = [result.record.diagnostics["subtracted"] for result in (one, other)]
    assert shares[0] == pytest.approx(shares[1])
    assert 0.01 < min(shares[0]) < max(shares[0]) < 0.99


@pytest.fixture(scope="module")
def frequency():
    """300 words; axis 1, in which they vary most, tells the sides that axis 0 has by definition."""
    rng = np.random.default_rng(5)
    side = np.tile([1.0, -1.0], 150)
    matrix = rng.normal(size=(300, 12)) * 0.5
    matrix[:, 0] = side * rng.uniform(0.5, 2, 300)
    matrix[:, 1] += 3 * side
    matrix[:, 2] *= 4
    matrix[:2, 1:] = matrix[:1, 1:]  # the defining pair differs along the first axis alone
    return bb.load_embedding(([f"w{i}" for i in range(300)], matrix))


def test_double_hard_finds_the_component_that_keeps_sides_apart(frequency):
    options = {"defining_sets": [["w0", "w1"]], "neutralise": "all", "normalise": False}
    result = debias.double_hard(frequency, **options)
    record = result.record
    assert record.diagnostics["component"] == 1
    agreement = record.diagnostics["agreement"]
    assert len(agreement) == 12
    assert agreement[0] < 0.7 < 0.99 < min(agreement[1:])
    assert record.notes[-1].startswith("All words are centred and without principal component 1")
    # What hard debiasing gives of centred vectors without that component, in other words.
    matrix = frequency.vectors.astype(float)
    centred = matrix - matrix.mean(axis=0)
    axis = np.linalg.svd(centred)[2][0]
    plain = bb.load_embedding((frequency.index_to_key, centred - np.outer(centred @ axis, axis)))
    known = debias.hard(plain, **options)
    np.testing.assert_allclose(result.vectors.vectors, known.vectors.vectors, atol=1e-5)
    np.testing.assert_allclose(record.basis, known.record.basis, atol=1e-5)


def test_double_hard_repeats_with_its_seed_and_scales(frequency):
    options = {"defining_sets": [["w0", "w1"]], "neutralise": "all", "components": 3, "seed": 7}
    one, two = (debias.double_hard(frequency, **options) for _ in range(2))
    assert (one.vectors.vectors == two.vectors.vectors).all()
    assert one.record.seed == 7
    assert len(one.record.diagnostics["agreement"]) == 3
    np.testing.assert_allclose(np.linalg.norm(one.vectors.vectors, axis=1), 1, rtol=1e-6)


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"components": 0}, ArgumentError, "components=0"),
        ({"n": 3}, ArgumentError, "n=3"),
        ({"n": 4.5}, ArgumentError, r"n=4\.5"),
        ({"keep": [f"w{i}" for i in range(2, 290)]}, WordListError, "clusters need 16"),
        ({"equalise": [["w0", "w1", "w2"]]}, ArgumentError, "only two words can be equalised"),
    ],
)
def test_double_hard_refuses(frequency, options, error, match):
    with pytest.raises(error, match=match):
        debias.double_hard(
            frequency, **{"defining_sets": [["w0", "w1"]], "neutralise": "all", **options}
        )
