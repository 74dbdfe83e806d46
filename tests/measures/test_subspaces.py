"""Bias directions on cases that can be worked by hand."""

import numpy as np
import pytest

from bayesbias.errors import ArgumentError
from bayesbias.measures.subspaces import bias_subspace

TWO_AND_THREE = [[[1, 0], [-1, 0]], [[-1, -1], [1, -1], [0, 2]]]


@pytest.mark.parametrize(
    ("sets", "centre", "basis", "shares"),
    [
        # Where first words cancel, the sign is still defined.
        ([[[0, -2], [0, 2]], [[0, 2], [0, -2]]], True, [[0, 1]], [1, 0]),
        # Each set is centred on its own mean.
        ([[[101, 0], [99, 0]], [[1, 50], [-1, 50]]], True, [[1, 0]], [1, 0]),
        # Centred, these two differences would leave only what tells them apart, (0, 1).
        ([[[3, 0.5]], [[3, -0.5]]], False, [[1, 0]], [36 / 37, 1 / 37]),
        ([[[-3, 0], [-1, 0]]], False, [[-1, 0]], [1, 0]),
        ([[[3, 0], [1, 0]]], False, [[1, 0]], [1, 0]),
        # Centred: ±(1, 0), ±(0, 2); squares 2 and 8.
        ([[[1, 5], [-1, 5]], [[7, -2], [7, 2]]], True, [[0, -1], [1, 0]], [0.8, 0.2]),
        # Sets of two and of three words: squares 2 + 2 along x, 6 along y.
        (TWO_AND_THREE, True, [[0, -1], [1, 0]], [0.6, 0.4]),
    ],
)
def test_directions_by_hand(sets, centre, basis, shares):
    found = bias_subspace(sets, len(basis), centre=centre)
    np.testing.assert_allclose(found.basis, basis, atol=1e-12)
    np.testing.assert_allclose(found.explained_variance, shares, atol=1e-12)


def test_the_direction_points_toward_the_first_words():
    rng = np.random.default_rng(0)
    sets = [rng.normal(size=(2, 6)) + np.outer([1.0, -1.0], np.ones(6)) for _ in range(4)]
    one = bias_subspace(sets, 1).basis[0]
    other = bias_subspace([rows[::-1] for rows in sets], 1).basis[0]
    assert np.mean([(rows[0] - rows[1]) @ one for rows in sets]) > 0
    assert other == pytest.approx(-one)
    assert np.linalg.norm(one) == pytest.approx(1.0)


def test_sets_of_three_span_two_directions():
    sets = [[[1.0, 0.0, 9.0], [0.0, 1.0, 9.0], [-1.0, -1.0, 9.0]]]
    subspace = bias_subspace(sets, 2)
    assert subspace.basis @ subspace.basis.T == pytest.approx(np.eye(2))
    assert subspace.basis[:, 2] == pytest.approx([0.0, 0.0])
    with pytest.raises(ArgumentError, match="k=3: the 1 sets differ in 2"):
        bias_subspace(sets, 3)


def test_all_that_the_sets_span():
    rng = np.random.default_rng(0)
    pairs = [rng.standard_normal((2, 7)) for _ in range(3)]
    basis = bias_subspace([*pairs, pairs[0] + 4], None).basis
    np.testing.assert_allclose(basis @ basis.T, np.eye(3), atol=1e-12)
    for x, y in pairs:
        np.testing.assert_allclose((x - y) @ basis.T @ basis, x - y, atol=1e-12)


@pytest.mark.parametrize(
    ("sets", "k", "match"),
    [
        ([[[1.0, 0.0], [0.0, 1.0]]], 0, "k=0"),
        ([[[1.0, 0.0], [1.0, 0.0]]], 1, "same vector"),
    ],
)
def test_what_has_no_direction_is_refused(sets, k, match):
    with pytest.raises(ArgumentError, match=match):
        bias_subspace(sets, k)
