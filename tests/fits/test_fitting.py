"""What is fitted of a frame: identical vectors, repeated pairs, vectors or none."""

import warnings

import numpy as np
import pandas as pd
import pytest
from alike import list_frame
from gensim.models import KeyedVectors
from samples import common_words, make_frame

import bayesbias as bb
from bayesbias.errors import DistancesError
from bayesbias.fits.fitting import prepared
from bayesbias.models.specification import load_model
from bayesbias.words.keys import whole_tables
from bayesbias.words.provenance import with_provenance


def with_twin(frame, of, twin, column):
    """The frame with another word of the same distances."""
    again = frame[frame[column] == of].assign(**{column: twin})
    return with_provenance(pd.concat([frame, again], ignore_index=True), missing=[])


@pytest.mark.parametrize(("of", "column"), [("word00", "protected_word"), ("s01", "attribute")])
def test_words_with_one_vector_count_once(of, column):
    """Two spellings of a word are no two words: intervals would be narrower for nothing."""
    frame = list_frame(n_words=(4, 4))
    one, two = (bb.fit(f, seed=1) for f in (frame, with_twin(frame, of, "twin", column)))
    assert two.notes[0] == f"Words with the same vector count once: twin (as {of}) left out."
    pd.testing.assert_frame_equal(one.contrasts(), two.contrasts())
    assert len(two.frame) == len(frame)


def notes_of(frame):
    return prepared(frame, load_model("maximal"))[1]


def test_words_are_the_same_within_a_group_and_to_rounding_alone():
    frame = list_frame(n_words=(4, 4))
    twice = with_twin(frame, "word00", "twin", "protected_word")
    is_twin = twice["protected_word"] == "twin"
    noise = np.random.default_rng(0).standard_normal(len(twice)) * is_twin
    for size, n_notes in ((1e-9, 1), (1e-5, 0)):
        moved = twice.assign(cosine_distance=twice["cosine_distance"] + size * noise)
        assert len(notes_of(moved)) == n_notes
    swapped = {"associated": "different", "different": "associated"}
    twice.loc[is_twin, "group"] = "group1"
    twice.loc[is_twin, "connection"] = twice.loc[is_twin, "connection"].replace(swapped)
    assert notes_of(twice) == ()


def test_contexts_are_averaged_and_said():
    frame = make_frame()
    layers = [
        frame.assign(context=str(i), cosine_distance=frame["cosine_distance"] + 0.1 * i)
        for i in range(3)
    ]
    averaged, notes = prepared(pd.concat(layers, ignore_index=True), load_model("paper"))
    assert notes == ("Distances are averaged over 3 contexts.",)
    np.testing.assert_allclose(averaged["cosine_distance"], frame["cosine_distance"] + 0.1)


@pytest.mark.filterwarnings("ignore::bayesbias.errors.BayesBiasWarning")
def test_less_pairs_do_not_switch_the_similarity_off():
    """One missing pair of a control once made an answer more than twice as sure."""
    vectors, frame = bb.example_embedding(), bb.distances(bb.example_embedding(), "gender")
    whole = bb.fit(frame, vectors=vectors, seed=1).contrasts().iloc[0]
    at = frame.index[frame["connection"] == "neutral"][0]
    fit = bb.fit(frame.drop(index=at), vectors=vectors, seed=1)
    assert fit.design.similarity is not None
    assert fit.notes == (f"Left out, since they lack pairs: {frame.loc[at, 'attribute']}.",)
    row = fit.contrasts().iloc[0]
    assert row["high"] - row["low"] == pytest.approx(whole["high"] - whole["low"], rel=0.02)
    twice = bb.fit(pd.concat([frame, frame[:50]]), vectors=vectors, seed=1)
    assert twice.notes == ("50 rows repeat a pair, and count once.",)
    assert twice.contrasts().iloc[0]["low"] == whole["low"]


def test_gaps_are_closed_by_the_fewest_pairs():
    """A word without half of a list is left out, not the attributes that it lacks."""
    frame = list_frame(n_words=(8, 8), sizes=(10, 10))
    own = frame["attribute_set"].str.startswith("list")
    lacks = (frame["protected_word"] == "word00") & own
    of_attribute = frame["attribute"] == "s19"
    gaps = frame.index[lacks][:10].append(frame.index[of_attribute][-5:])
    rest, lost = whole_tables(frame.drop(index=gaps))
    assert lost == ["word00", "s19"]
    gone = lacks | of_attribute
    pd.testing.assert_frame_equal(rest, frame[~gone].reset_index(drop=True))
    many = frame[~own | (np.arange(len(frame)) % 3 > 0)]
    assert whole_tables(many)[1] == []


def some_vectors(n_common=600, seed=0):
    """Common words and those of a frame, in 20 dimensions."""
    frame, rng = list_frame(n_words=(3, 3)), np.random.default_rng(seed)
    own = [*frame["protected_word"].unique(), *frame["attribute"].unique()]
    vectors = KeyedVectors(20)
    words = [*common_words()[:n_common], *own]
    vectors.add_vectors(words, rng.standard_normal((len(words), 20)))
    wordlist = {
        "groups": {g: list(p["protected_word"].unique()) for g, p in frame.groupby("group")},
        "attributes": {
            name: list(p["attribute"].unique())
            for name, p in frame[frame["attribute_set"].str.startswith("list")].groupby(
                "attribute_set"
            )
        },
        "associated": {"group0": ["list0"], "group1": ["list1"]},
        "controls": {"human": ["h0", "h1", "h2", "h3"], "neutral": ["a", "b", "c"]},
    }
    return vectors, wordlist


def test_vectors_tell_how_alike_attributes_are_and_a_frame_alone_does_not():
    vectors, wordlist = some_vectors()
    fit = bb.analyze(vectors, wordlist, seed=1)
    assert fit.notes == ()
    assert fit.design.similarity is not None
    assert fit.random is not None
    levels = fit.contrasts().groupby("level", sort=False)["random_groups"]
    assert levels.apply(lambda s: s.notna().all()).to_dict() == {
        **{"over all": True, "controls": False, "list": True},
        **{"group": False, "word": False},
    }
    alone = bb.fit(fit.frame, seed=1)
    assert len(alone.notes) == 1
    assert alone.notes[0].startswith("Attributes are taken as independent: the pairs come without")
    assert (alone.design.similarity, alone.random) == (None, None)
    again = bb.fit(fit.frame, vectors=vectors, seed=1)
    pd.testing.assert_frame_equal(again.contrasts(), fit.contrasts())
    assert again.pairs_sha256 == fit.pairs_sha256
    assert again.spec.id == fit.spec.id != alone.spec.id


def test_few_words_tell_nothing_and_a_note_says_so():
    vectors, wordlist = some_vectors(n_common=100)
    fit = bb.analyze(vectors, wordlist, seed=1)
    assert fit.design.similarity is None
    assert "fewer than 200 words" in fit.notes[0]


def test_topics_of_a_list_stand_in_for_vectors():
    frame = list_frame(n_words=(3, 3)).assign(topic=lambda f: f["attribute"].str[:1])
    fit = bb.fit(frame, seed=1)
    assert "Attributes of one topic share effects (column topic)" in fit.notes[0]
    assert {"attribute_topic", "group_attribute_topic"} <= {t.name for t in fit.spec.terms}


def test_vectors_that_lack_a_word_are_refused():
    vectors, wordlist = some_vectors()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame = bb.distances(vectors, wordlist)
    other = KeyedVectors(20)
    other.add_vectors(list(common_words()[:300]), np.ones((300, 20)))
    with pytest.raises(DistancesError, match="words of the frame are not among them"):
        bb.fit(frame, vectors=other, seed=1)
