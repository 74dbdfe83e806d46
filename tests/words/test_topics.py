"""Topics: as a list names them or the vectors tell, and what the model makes of them."""

import numpy as np
import pandas as pd
import pytest
from alike import list_frame

import bayesbias as bb
from bayesbias.models.similarity import similarity_of
from bayesbias.words.profiles import Profiles, joined_by, topics_of_lists

LIST = {
    "groups": {"men": ["he", "him"], "women": ["she", "her"]},
    "associated": {"men": ["strong"], "women": ["weak"]},
    "attributes": {"strong": ["boss", "chief", "gun"], "weak": ["nurse", "maid", "doll"]},
    "controls": {"neutral": ["tree", "river"]},
}
TOPICS = {"topics": {"work": ["boss", "chief", "nurse", "maid"], "toys": ["gun", "doll"]}}


def test_a_list_names_topics_and_the_frame_carries_them():
    rng = np.random.default_rng(0)
    words = bb.load_wordlist(LIST).words
    vectors = bb.load_embedding({word: rng.standard_normal(8) for word in words})
    frame = bb.distances(vectors, LIST | TOPICS)
    of_word = dict(zip(frame["attribute"], frame["topic"], strict=True))
    assert of_word["boss"] == of_word["nurse"] == "work"
    assert of_word["doll"] == "toys"
    assert of_word["tree"] == "tree"


def two_topics(seed=0):
    """Profiles of two lists of eight attributes, four of either of two topics; 300 groups."""
    rng = np.random.default_rng(seed)
    lists, topic = np.repeat([0, 1], 8), np.tile([0, 1], 8) + np.repeat([0, 2], 8)
    profiles = rng.standard_normal((300, 4))[:, topic] + 0.3 * rng.standard_normal((300, 16))
    return profiles - profiles.mean(axis=0), lists, topic


def around_lists(profiles, lists):
    means = np.stack([profiles[:, lists == i].mean(axis=1) for i in (0, 1)], axis=1)
    deviations = profiles - means[:, lists]
    return deviations.T @ deviations


def test_vectors_tell_topics():
    profiles, lists, topic = two_topics()
    numbers = topics_of_lists(around_lists(profiles, lists), lists, joined=0.4)
    assert len(set(numbers)) == 4
    assert len(set(zip(numbers, topic, strict=True))) == 4
    named = topics_of_lists(around_lists(profiles, lists), lists, np.tile(["x"], 16), joined=0.4)
    assert named.tolist() == [0] * 8 + [1] * 8  # of one name in two lists two


def test_topics_are_relative_to_random_words():
    """By 1.5 sd of random words' correlations, at most by .9; without a sd by .4."""
    assert [joined_by(sd) for sd in (0.2, 0.9, None)] == pytest.approx([0.3, 0.9, 0.4])
    profiles, lists, _ = two_topics()
    profiles = profiles + 0.5 * np.random.default_rng(2).standard_normal(profiles.shape)
    for sd, n in ((0.3, 4), (0.55, 16)):  # deviations of like words correlate by .7
        around = around_lists(profiles, lists)
        assert len(set(topics_of_lists(around, lists, joined=joined_by(sd)))) == n


def test_few_topics_leave_less_of_the_sampling_variance():
    """One topic a list says nothing of how topics vary: K of a list's mean is as it is apart."""
    profiles, lists, _ = two_topics()
    words = tuple(f"a{i}" for i in range(32))
    given = Profiles(words, np.hstack([profiles, profiles[::-1]]), np.zeros(32), None)
    kinds, names = np.repeat([0, 1], 16), ["x"] * 32
    of_lists = np.r_[lists, lists + 2]
    one_each = similarity_of(given, words, kinds, of_lists, names).covariance[:16, :16]
    # Half of all attributes: the mean that was taken off holds a half of theirs.
    profiles = profiles + profiles.mean(axis=1, keepdims=True) * (2**0.5 - 1)
    means = np.stack([profiles[:, lists == i].mean(axis=1) for i in (0, 1)], axis=1)
    among = means.T @ means
    expected = around_lists(profiles, lists) + among[np.ix_(lists, lists)]
    np.testing.assert_allclose(one_each, expected / np.diag(expected).mean(), rtol=1e-10)


def topical_frame(seed=3):
    """Groups that differ by whole topics."""
    rng = np.random.default_rng(seed)
    frame = list_frame(n_words=(8, 8), sizes=(8, 8), n_human=0, n_neutral=7)
    of = frame["attribute"].str[1:2].replace("", "n") + (
        pd.to_numeric(frame["attribute"].str[2:], errors="coerce").fillna(9) // 4
    ).astype(str)
    frame["topic"] = of.where(frame["connection"] != "neutral", frame["attribute"])
    both = frame.groupby(["group", "topic"]).ngroup().to_numpy()
    shared = 0.05 * rng.standard_normal(both.max() + 1)[both]
    frame["cosine_distance"] = 0.8 + shared + 0.04 * rng.standard_normal(len(frame))
    return frame


def test_named_topics_widen_the_interval_where_pairs_come_without_vectors(tmp_path):
    frame = topical_frame()
    bb.write_distances(frame, tmp_path / "d.csv")
    named = bb.fit(bb.read_distances(tmp_path / "d.csv"), seed=1)
    assert named.frame["topic"].tolist() == frame["topic"].tolist()
    unnamed = bb.fit(frame.drop(columns="topic"), seed=1)
    names = [term.name for term in named.spec.terms]
    assert {"attribute_topic", "group_attribute_topic"} <= set(names)
    assert any("share effects (column topic)" in note for note in named.notes)
    width = [f.contrasts()["sd"][0] for f in (named, unnamed)]
    assert width[0] > 1.3 * width[1]
    named.save(tmp_path / "fit.nc")
    loaded = bb.load_fit(tmp_path / "fit.nc")
    assert loaded.spec == named.spec
    pd.testing.assert_frame_equal(loaded.contrasts(), named.contrasts())
