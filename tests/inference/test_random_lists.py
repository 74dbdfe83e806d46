"""A part of ``benchmarks/random_lists.py``: what docs/error-rates.md says of 25 dimensions."""

import numpy as np
import pytest
from samples import load_benchmark


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::bayesbias.errors.MissingWordsWarning")
def test_controls_are_cautious_and_not_too_sure_in_few_dimensions(data):
    """Another seed than that of the page; its root mean square of 80 lists has an error of .07.

    It is .92 over 800 lists. With a threshold of .4 in all vectors it was .76: single words that
    are alike by chance, as in few dimensions, counted as topics.
    """
    lists = load_benchmark("random_lists")
    vectors, sample = lists.loaded(str(data / "embeddings" / "glove-twitter-12k-25d.txt.gz"))
    _, found = lists.answers(vectors, sample, range(80), 5, topics=False, models=["maximal"])
    controls = found[found["contrast"] == "associated − neutral"]
    assert len(controls) == 80
    z = controls["mean"] / controls["sd"]
    assert 0.92 - 0.15 < np.sqrt((z**2).mean()) < 0.92 + 0.15


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::bayesbias.errors.MissingWordsWarning")
def test_the_sample_sees_lists_as_far_apart_as_random_groups_do(data):
    """So the chance needs no factor. Over 100 lists the error of a mean is .01."""
    lists = load_benchmark("random_lists")
    for path in lists.embeddings():
        vectors, sample = lists.loaded(path)
        for topics in (False, True):
            found = lists.geometry(vectors, sample, 100, 11, topics=topics)
            assert 0.93 < found.mean() < 1.09


def test_variance_ratio_by_hand():
    """Groups at ±1 on either axis; attributes at (1, ±½) in one set, at the origin in the other."""
    lists = load_benchmark("random_lists")
    groups = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    attributes = np.array([[1.0, 0.5], [0.0, 0.0], [1.0, -0.5], [0.0, 0.0]])
    # The sets' means are −x and 0, deviations of the first −y/2 and y/2: variances ½, and ⅛ each.
    assert lists.variance_ratio(groups, attributes) == pytest.approx(0.5 / 0.25)
