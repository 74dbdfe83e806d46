"""Random groups: by hand with a dozen vectors, and uniform shares of groups that are random."""

import numpy as np
import pytest
from samples import common_words
from scipy import stats

from bayesbias.vectors.loading import load_embedding
from bayesbias.vectors.samples import Sample, sample_of
from bayesbias.words import random_groups as module
from bayesbias.words.random_groups import RandomGroups, random_groups


def a_dozen(monkeypatch):
    """Twelve words around a circle, no two of them as far from a third."""
    monkeypatch.setattr(module, "FEWEST_WORDS", 5)
    angle = 2 * np.pi * (np.arange(12) / 12) ** 1.2
    words, matrix = list(common_words()[:12]), np.c_[np.cos(angle), np.sin(angle)]
    sample = Sample(tuple(words), matrix, np.arange(12)[:, None])
    return words, matrix, load_embedding((words, matrix)), sample


def test_means_are_those_of_a_word_and_its_nearest_ones(monkeypatch):
    """Groups of one and of three, on two lists; every row of means is some pair of such groups."""
    words, matrix, vectors, sample = a_dozen(monkeypatch)
    lists = [words[0], words[1]], [words[6]]
    cells = [
        ("one", ["his"], lists[0]),
        ("three", ["she", "her", "hers"], lists[0]),
        ("one", ["his"], lists[1]),
        ("three", ["she", "her", "hers"], lists[1]),
    ]
    means = random_groups(vectors, cells, sample, seed=1, draws=400).means
    assert means.shape == (400, 4)
    pool = [i for i in range(12) if i not in (0, 1, 6)]
    near = {i: sorted(pool, key=lambda j: -matrix[i] @ matrix[j])[:3] for i in pool}
    to_lists = [1 - matrix @ matrix[[0, 1]].mean(axis=0), 1 - matrix @ matrix[6]]
    expected = {
        (i, j): [d[group].mean() for d in to_lists for group in ([i], near[j])]
        for i in pool
        for j in pool
        if i != j
    }
    drawn = set()
    for row in means:
        off = {pair: np.abs(np.array(values) - row).max() for pair, values in expected.items()}
        nearest = min(off, key=off.get)
        assert off[nearest] < 1e-6
        drawn.add(nearest)
    assert len(drawn) > 40  # of 72 pairs


def test_shares_count_contrasts_as_large_and_add_one():
    groups = RandomGroups(np.array([[0.0, 0.1], [0.0, 0.3], [0.2, 0.0], [0.5, 0.5]]))
    weights = np.array([[1.0, -1.0], [0.5, 0.5]])
    contrasts = groups.contrasts(weights)
    np.testing.assert_allclose(contrasts, [[-0.1, 0.05], [-0.3, 0.15], [0.2, 0.1], [0.0, 0.5]])
    # 3 of 4 are at least .1 from 0 in either direction, and 1 of 4 at least .2.
    np.testing.assert_allclose(groups.shares(weights, np.array([-0.1, 0.2])), [4 / 5, 2 / 5])
    np.testing.assert_allclose(groups.shares(weights, np.array([9.0, 0.0])), [1 / 5, 1.0])


@pytest.fixture(scope="module")
def space():
    """A thousand common words around four topics."""
    rng = np.random.default_rng(0)
    words = list(common_words()[:1000])
    centres = rng.standard_normal((4, 30))
    matrix = centres[rng.integers(4, size=1000)] + rng.standard_normal((1000, 30))
    vectors = load_embedding((words, matrix))
    return vectors, sample_of(vectors)


def test_the_share_of_random_groups_is_uniform(space):
    """By construction: the list's groups are drawn as random ones are."""
    vectors, sample = space
    unit = vectors.vectors / np.linalg.norm(vectors.vectors, axis=1, keepdims=True)
    rng, shares = np.random.default_rng(2), []
    attributes = list(rng.choice(1000, 24, replace=False))
    lists = [[vectors.index_to_key[i] for i in attributes[at : at + 12]] for at in (0, 12)]
    means = [1 - unit @ unit[attributes[at : at + 12]].mean(axis=0) for at in (0, 12)]
    weights = np.array([[0.5, -0.5, -0.5, 0.5]])
    pool = np.setdiff1d(np.arange(1000), attributes)
    for _ in range(150):
        first, second = rng.choice(pool, 2, replace=False)
        groups = [pool[np.argsort(-(unit[pool] @ unit[i]))[:4]] for i in (first, second)]
        names = [[vectors.index_to_key[i] for i in group] for group in groups]
        cells = [(g, names[i], own) for own in lists for i, g in enumerate(("a", "b"))]
        observed = weights[0] @ [m[group].mean() for m in means for group in groups]
        drawn = random_groups(vectors, cells, sample, seed=1, draws=200)
        shares.append(drawn.shares(weights, np.array([observed]))[0])
    assert stats.kstest(shares, "uniform").pvalue > 0.01


def test_lists_that_tell_topics_apart_have_wide_random_groups(space):
    """A contrast of one list with itself is 0 in every draw; its words are no random group."""
    vectors, sample = space
    own = vectors.index_to_key[:6]
    cells = [("a", own[:2], own[2:4]), ("b", own[4:6], own[2:4])]
    drawn = random_groups(vectors, cells, sample, seed=1, draws=50)
    assert drawn.means.min() > 0.05  # an attribute would be at 0 from its list
    same = random_groups(vectors, cells, sample, seed=1, draws=50)
    np.testing.assert_array_equal(drawn.means, same.means)
    other = random_groups(vectors, cells, sample, seed=2, draws=50)
    assert not np.array_equal(drawn.means, other.means)


def test_few_words_have_no_random_groups():
    words = list(common_words()[:503])
    vectors = load_embedding((words, np.random.default_rng(0).standard_normal((503, 10))))
    cells = [("a", words[:2], words[2:4])]
    assert random_groups(vectors, cells, sample_of(vectors), seed=1) is None  # 499 others
    assert random_groups(vectors, [("a", words[:1], words[2:4])], sample_of(vectors), seed=1)
