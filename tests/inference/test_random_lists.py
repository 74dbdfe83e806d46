"""A part of ``benchmarks/random_lists.py``: what docs/error-rates.md says of 25 dimensions."""

import numpy as np
import pytest
from samples import load_benchmark


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::bayesbias.errors.MissingWordsWarning")
def test_controls_are_cautious_and_not_too_sure_in_few_dimensions(data):
    """Another seed than that of the page; its root mean square of 80 lists has an error of .06.

    It is .76 over 200 lists: single words that are alike by chance, as in few dimensions, count as
    topics. It would be .65 if everybody's effects had a covariance around the mean word.
    """
    lists = load_benchmark("random_lists")
    vectors, sample = lists.loaded(str(data / "embeddings" / "glove-twitter-12k-25d.txt.gz"))
    _, found = lists.answers(vectors, sample, range(80), 5, topics=False, models=["maximal"])
    controls = found[found["contrast"] == "associated − neutral"]
    assert len(controls) == 80
    z = controls["mean"] / controls["sd"]
    assert 0.76 - 0.12 < np.sqrt((z**2).mean()) < 0.76 + 0.12


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::bayesbias.errors.MissingWordsWarning")
def test_common_words_see_lists_of_topics_too_near_to_each_other(data):
    """For the chance their variance counts 1.1 times; over 100 lists the error is .03."""
    lists = load_benchmark("random_lists")
    vectors, sample = lists.loaded(str(data / "embeddings" / "googlenews-16k-300d.bin"))
    topical, single = (
        lists.geometry(vectors, sample, 100, 11, topics=topics).mean() for topics in (True, False)
    )
    assert 1.03 < topical < 1.21
    assert 0.9 < single < 1.1
    assert single < topical


def test_variance_ratio_by_hand():
    """Groups at ±1 on either axis; attributes at (1, ±½) in one set, at the origin in the other."""
    lists = load_benchmark("random_lists")
    groups = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    attributes = np.array([[1.0, 0.5], [0.0, 0.0], [1.0, -0.5], [0.0, 0.0]])
    # The sets' means are −x and 0, deviations of the first −y/2 and y/2: variances ½, and ⅛ each.
    assert lists.variance_ratio(groups, attributes) == pytest.approx(0.5 / 0.25)
