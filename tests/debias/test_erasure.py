"""LEACE and double-hard debiasing: by hand, and what they guarantee."""

import numpy as np
import pytest
from planted import planted_embedding

import bayesbias as bb
from bayesbias import debias
from bayesbias.debias.classes import erasure
from bayesbias.errors import ArgumentError, MissingWordsWarning, WordListError
from bayesbias.measures.subspaces import logistic_regression


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
    centre, along, basis = eraser = erasure(classes)
    assert basis.shape == (2, 10)
    after = [erased(rows, *eraser) for rows in classes]
    for rows in after:
        np.testing.assert_allclose(rows.mean(axis=0), centre, atol=1e-12)
    np.testing.assert_allclose(along @ basis.T, np.eye(2), atol=1e-12)  # a projection
    np.testing.assert_allclose(erased(after[0], *eraser), after[0], atol=1e-12)
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
        mean = erased(classes[0], centre, other, basis).mean(axis=0)
        np.testing.assert_allclose(mean, centre, atol=1e-10)
        for weight in weights:
            assert moved(own, weight) < moved(change, weight)


def test_no_linear_classifier_finds_the_classes_after_leace():
    kv = planted_embedding(bb.load_wordlist("gender"), similarity=0.4, seed=1)
    words = kv.index_to_key
    first, second = words[:90], words[90:180]
    by_name = {"one": first, "two": second}
    result = debias.leace(kv, "gender", classes=by_name)
    label = np.repeat([True, False], 90)
    before, after = (
        logistic_regression(vectors[[*first, *second]], label) for vectors in (kv, result.vectors)
    )
    assert np.abs(before[:-1]).max() > 0.1
    assert np.abs(after).max() < 1e-5  # the best it can say is the same of all words
    assert result.record.diagnostics == {"n_learned": [90, 90]}
    with pytest.raises(ArgumentError, match="classes have the same mean"):
        debias.leace(result.vectors, "gender", classes=by_name, normalise=False)


def test_leace_finds_its_classes_and_leaves_zero_vectors():
    rng = np.random.default_rng(2)
    matrix = rng.normal(size=(400, 8))
    matrix[:, 0] = np.tile([2.0, -2.0], 200)
    matrix[399] = 0
    kv = bb.load_embedding(([f"w{i}" for i in range(400)], matrix))
    with pytest.warns(MissingWordsWarning, match="w399: its vector is zero"):
        result = debias.leace(kv, matched=[["w0", "w1"]])
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
    options = {"matched": [["w0", "w1"]], "neutralise": "all", "normalise": False}
    result = debias.double_hard(frequency, **options)
    record = result.record
    assert record.diagnostics["component"] == 1
    agreement = record.diagnostics["agreement"]
    assert len(agreement) == 12
    assert agreement[0] < 0.7 < 0.99 < min(agreement[1:])
    assert record.notes[-1].startswith("all words are centred and without principal component 1")
    # What hard debiasing gives of centred vectors without that component, in other words.
    matrix = frequency.vectors.astype(float)
    centred = matrix - matrix.mean(axis=0)
    axis = np.linalg.svd(centred)[2][0]
    plain = bb.load_embedding((frequency.index_to_key, centred - np.outer(centred @ axis, axis)))
    expected = debias.hard(plain, **options)
    np.testing.assert_allclose(result.vectors.vectors, expected.vectors.vectors, atol=1e-5)
    np.testing.assert_allclose(record.basis, expected.record.basis, atol=1e-5)


def test_double_hard_repeats_with_its_seed_and_scales(frequency):
    options = {"matched": [["w0", "w1"]], "neutralise": "all", "components": 3, "seed": 7}
    first, second = (debias.double_hard(frequency, **options) for _ in range(2))
    assert (first.vectors.vectors == second.vectors.vectors).all()
    assert first.record.seed == 7
    assert len(first.record.diagnostics["agreement"]) == 3
    np.testing.assert_allclose(np.linalg.norm(first.vectors.vectors, axis=1), 1, rtol=1e-6)


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
        debias.double_hard(frequency, **{"matched": [["w0", "w1"]], "neutralise": "all", **options})
