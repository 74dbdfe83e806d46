"""Bias directions on cases that can be worked by hand."""

import numpy as np
import pytest

from bayesbias.errors import ArgumentError
from bayesbias.subspaces import bias_subspace


def test_two_pairs_by_hand():
    # Centred: ±(1, 0), ±(0, 2); squares 2 and 8.
    sets = [[[1.0, 5.0], [-1.0, 5.0]], [[7.0, -2.0], [7.0, 2.0]]]
    subspace = bias_subspace(sets, 2)
    assert subspace.basis == pytest.approx(np.array([[0.0, -1.0], [1.0, 0.0]]))
    assert subspace.explained_variance == pytest.approx([0.8, 0.2])


def test_the_direction_points_toward_the_first_words():
    rng = np.random.default_rng(0)
    sets = [rng.normal(size=(2, 6)) + np.outer([1.0, -1.0], np.ones(6)) for _ in range(4)]
    one = bias_subspace(sets, 1).basis[0]
    other = bias_subspace([rows[::-1] for rows in sets], 1).basis[0]
    assert np.mean([(rows[0] - rows[1]) @ one for rows in sets]) > 0
    assert other == pytest.approx(-one)
    assert np.linalg.norm(one) == pytest.approx(1.0)


def test_where_first_words_cancel_the_sign_is_still_defined():
    sets = [[[0.0, -2.0], [0.0, 2.0]], [[0.0, 2.0], [0.0, -2.0]]]
    assert bias_subspace(sets, 1).basis == pytest.approx(np.array([[0.0, 1.0]]))


def test_sets_of_three_span_two_directions():
    sets = [[[1.0, 0.0, 9.0], [0.0, 1.0, 9.0], [-1.0, -1.0, 9.0]]]
    subspace = bias_subspace(sets, 2)
    assert subspace.basis @ subspace.basis.T == pytest.approx(np.eye(2))
    assert subspace.basis[:, 2] == pytest.approx([0.0, 0.0])
    with pytest.raises(ArgumentError, match="k=3: the defining sets differ along 2"):
        bias_subspace(sets, 3)


def test_without_centring_differences_keep_what_they_share():
    """Centred, these two differences would leave only what tells them apart, (0, 1)."""
    differences = [np.array([[3.0, 0.5]]), np.array([[3.0, -0.5]])]
    assert bias_subspace(differences, 1, centre=False).basis == pytest.approx(np.array([[1.0, 0]]))


@pytest.mark.parametrize(
    ("sets", "k", "match"),
    [
        ([], 1, "at least one defining set"),
        ([[[1.0, 0.0], [0.0, 1.0]]], 0, "k=0"),
        ([[[1.0, 0.0]]], 1, "set 1 has the shape"),
        ([[[1.0, 0.0], [0.0, 1.0]], [[1.0], [0.0]]], 1, "set 2 has the shape"),
        ([[[1.0, 0.0], [1.0, 0.0]]], 1, "same vector"),
        ([[[1.0, np.nan], [1.0, 0.0]]], 1, "NaN"),
    ],
)
def test_what_has_no_direction_is_refused(sets, k, match):
    with pytest.raises(ArgumentError, match=match):
        bias_subspace(sets, k)
