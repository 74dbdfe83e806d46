import numpy as np
import pytest

import bayesbias as bb
from bayesbias.vectors.lookup import vectors_of
from bayesbias.words.distance_frame import cosine_distances

pytestmark = pytest.mark.filterwarnings("ignore::bayesbias.errors.BayesBiasWarning")


def test_the_counts_of_the_gender_list():
    table = bb.vocabulary_coverage(bb.example_embedding(), "gender").table
    found = table[table["found_as"] != ""].groupby("list").size().to_dict()
    protected = {"man": 7, "woman": 7, "man_stereotype": 9, "woman_stereotype": 9}
    assert found == {**protected, "human": 59, "neutral": 76}


def test_the_vectors_are_those_of_the_selection(data):
    kv = bb.example_embedding()
    source = bb.load_embedding(
        data / "embeddings" / "glove-840b-10k-300d-int8.bin.gz", words=kv.index_to_key
    )
    assert source.index_to_key == kv.index_to_key
    np.testing.assert_array_equal(source.vectors, kv.vectors)
    assert len(np.unique(kv.vectors)) <= 256


def test_distances_are_near_those_of_the_exact_vectors(data):
    """GloVe's own vectors are known of 204 words, 33 of which have another form's here."""
    exact = bb.load_embedding(data / "oracles" / "cbn" / "cbn_glove840B_items.txt")
    kv = bb.example_embedding()
    words = [word for word in kv.index_to_key if word in exact]
    own, glove = (vectors_of(v, words) for v in (kv, exact))
    change = np.diag(cosine_distances(own, glove))
    assert (len(words), (change > 0.1).sum()) == (204, 33)
    same = change < 0.0006
    assert same.sum() == 105
    error = cosine_distances(own[same], own[same]) - cosine_distances(glove[same], glove[same])
    assert np.abs(error).max() < 0.01
    assert error.std() < 0.003
