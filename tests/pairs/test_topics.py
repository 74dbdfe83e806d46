"""Topics: as a list names them or the vectors tell, and what the model makes of them."""

import numpy as np
import pytest

import bayesbias as bb
from bayesbias.fits.fitting import fit
from bayesbias.pairs.profile_records import packed, unpacked
from bayesbias.pairs.provenance import provenance_of, with_provenance
from bayesbias.pairs.topics import joined_by, topics_of, topics_sentence
from bayesbias.simulate.assumptions import world_frame

LIST = {
    "protected": {"men": ["he", "him"], "women": ["she", "her"]},
    "associated": {"men": ["strong"], "women": ["weak"]},
    "attributes": {"strong": ["boss", "chief", "gun"], "weak": ["nurse", "maid", "doll"]},
    "controls": {"neutral": ["tree", "river"]},
}
TOPICS = {"topics": {"work": ["boss", "chief", "nurse", "maid"], "toys": ["gun", "doll"]}}


def vectors():
    rng = np.random.default_rng(0)
    return bb.load_embedding(
        {word: rng.standard_normal(8) for word in bb.load_wordlist(LIST).words}
    )


def test_a_list_names_topics_and_the_frame_carries_them():
    frame = bb.distances(vectors(), LIST | TOPICS)
    of_word = dict(zip(frame["attribute"], frame["topic"], strict=True))
    assert of_word["boss"] == of_word["nurse"] == "work"
    assert of_word["doll"] == "toys"
    assert of_word["tree"] == "tree"
    assert topics_sentence(frame) == (
        "Attributes and their topics (as the list names them): 6 stereotype in 2, 2 neutral in 2."
    )


def test_topics_are_part_of_what_a_list_is():
    plain, named = bb.load_wordlist(LIST), bb.load_wordlist(LIST | TOPICS)
    assert plain.checksum() != named.checksum()


def topical_world(seed, *, profiles):
    """Sixteen attributes in two topics a list; what a group has is with whole topics."""
    rng = np.random.default_rng(seed)
    frame = world_frame(16, 16, n_groups=2, n_human=0, n_neutral=12)
    place = frame.groupby("attribute", sort=False).ngroup().to_numpy()
    topic = np.where(place < 16, place % 2 * 2 + place // 8, place)
    group = frame.groupby("group", sort=False).ngroup().to_numpy()
    shared = 0.05 * rng.standard_normal((2, 99))[group, topic]
    noise = 0.04 * rng.standard_normal(len(frame))
    frame = frame.assign(cosine_distance=0.8 + shared + noise)
    if not profiles:
        return frame.assign(topic=[f"t{t}" for t in topic])
    words = frame["attribute"].unique().tolist()
    first = topic[[words.index(word) for word in words]]
    own = np.random.default_rng(1).standard_normal((300, 99))[:, first]
    return with_provenance(frame, profiles=packed(words, (), own + 0.3 * own.std()))


def test_vectors_tell_topics():
    frame = topical_world(0, profiles=True)
    found = topics_of(frame).query("kind == 'stereotype'")
    assert found.groupby("attribute_set")["topic"].nunique().tolist() == [2, 2]
    assert found["topic"].nunique() == 4
    assert "16 stereotype in 4, 12 neutral in 12" in topics_sentence(frame)


def test_topics_are_relative_to_random_words():
    """By 1.5 sd of random words' correlations, at most by .9; a record of old has none: by .4."""
    assert [joined_by(sd) for sd in (0.2, 0.9, None)] == pytest.approx([0.3, 0.9, 0.4])
    frame = topical_world(0, profiles=True)
    record = provenance_of(frame)["profiles"]
    words, profiles, _ = unpacked(record)
    profiles = profiles + 0.5 * np.random.default_rng(2).standard_normal(profiles.shape)
    for sd, n in ((0.3, 4), (0.5, 16)):  # deviations of like words correlate by .67
        own = packed(words, (), profiles, random_sd=sd)
        found = topics_of(with_provenance(frame.copy(), profiles=own)).query("kind == 'stereotype'")
        assert found["topic"].nunique() == n


def test_lists_of_one_topic_each_are_called_so():
    frame = topical_world(0, profiles=False)
    frame["topic"] = frame["attribute_set"]
    assert "Every stereotype list is one topic" in topics_sentence(frame)


def test_without_either_nothing_is_said():
    assert topics_sentence(world_frame(4, 4, n_groups=2, n_human=2, n_neutral=2)) == ""


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    """A fit of named topics, whose pairs come from a file."""
    path = tmp_path_factory.mktemp("topics") / "d.csv"
    frame = topical_world(3, profiles=False)
    bb.write_distances(frame, path)
    again = bb.read_distances(path)
    assert again["topic"].tolist() == frame["topic"].tolist()
    return fit(again, seed=1)


def test_a_saved_fit_keeps_topics(known, tmp_path):
    known.save(tmp_path / "fit.nc")
    loaded = bb.load_fit(tmp_path / "fit.nc")
    assert loaded.spec == known.spec
    assert loaded.contrasts().table.equals(known.contrasts().table)


def test_named_topics_widen_the_interval_where_pairs_come_without_vectors(known):
    unknown = fit(topical_world(3, profiles=False).drop(columns="topic"), seed=1)
    names = [term.name for term in known.spec.terms]
    assert {"attribute_topic", "group_attribute_topic"} <= set(names)
    assert any("share effects (column topic)" in said for said in known.left_out)
    width = [f.contrasts().table["sd"].iloc[0] for f in (known, unknown)]
    assert width[0] > 1.3 * width[1]
