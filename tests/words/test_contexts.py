"""Distances in contexts: rows, and what a fit makes of them.

A function stands for a language model, so that these tests run everywhere.
"""

import zlib

import numpy as np
import pandas as pd
import pytest

import bayesbias as bb
from bayesbias.errors import DistancesError
from bayesbias.words.provenance import source_of

TEMPLATES = ["This is {}.", "{} is here.", "There is {}."]
GROUPS = {"man": ["he", "man", "boy", "father"], "woman": ["she", "woman", "girl", "mother"]}
HIS, HERS = (
    ["engineer", "boss", "pilot", "judge", "miner"],
    ["nurse", "maid", "dancer", "nanny", "tutor"],
)
LIST = {
    "groups": GROUPS,
    "associated": {"man": ["his"], "woman": ["hers"]},
    "attributes": {"his": HIS, "hers": HERS},
    "controls": {},
}


@pytest.fixture(scope="module")
def wordlist():
    return bb.load_wordlist(LIST)


def vector(token):
    return np.random.default_rng(zlib.crc32(token.encode())).standard_normal(30)


def bag(texts):
    """Stand for a model: a text is the sum of its tokens, and each template turns it a little."""
    rows = []
    for text in texts:
        tokens = text.rstrip(".").lower().split()
        rows.append(sum(vector(token) for token in tokens) + 0.3 * vector(" ".join(sorted(tokens))))
    return np.array(rows)


@pytest.fixture(scope="module")
def frame(wordlist):
    return bb.words.contextual_distances(bag, wordlist, templates=TEMPLATES)


def test_each_distance_is_that_of_the_two_texts(frame):
    assert len(frame) == 8 * 10 * 3
    assert frame["context"].unique().tolist() == TEMPLATES
    for row in frame.sample(20, random_state=1).itertuples():
        words = (row.protected_word, row.attribute)
        one, other = bag([row.context.replace("{}", word) for word in words])
        cosine = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
        assert row.cosine_distance == pytest.approx(1 - cosine, abs=1e-6)


def test_the_record_says_what_was_done(frame, wordlist):
    source = source_of(frame)
    assert (source["wordlist"], source["contexts"], source["model"]) == ("own", 3, "function")
    other = bb.words.contextual_distances(bag, wordlist, templates=TEMPLATES[:2])
    assert source_of(other)["vectors_sha256"] != source["vectors_sha256"]


def test_contexts_of_a_table_are_those_of_the_texts(frame, wordlist):
    """What a model was asked for elsewhere, with a column of contexts, gives the same pairs."""
    words = dict.fromkeys(wordlist.words)
    cells = [(word, template) for template in TEMPLATES for word in words]
    vectors = bag([template.replace("{}", word) for word, template in cells]).tolist()
    rows = [
        {"token": word, "sentence": template, "vector": row}
        for (word, template), row in zip(cells, vectors, strict=True)
    ]
    contexts = bb.vectors.load_contexts(rows, context_column="sentence")
    found = bb.words.contextual_distances(contexts, wordlist)
    pd.testing.assert_frame_equal(found, frame, rtol=1e-6)


def test_a_fit_is_that_of_the_means_over_contexts(frame):
    """In whatever order the rows stand, and with a pair that lacks a context."""
    rows = frame.drop(index=7).sample(frac=1.0, random_state=1)
    fit = bb.fit(rows, "crossed", seed=1)
    keys = ["protected_word", "group", "attribute", "attribute_set", "connection"]
    by_hand = frame.drop(index=7).groupby(keys, sort=False)["cosine_distance"].mean().reset_index()
    other = bb.fit(by_hand, "crossed", seed=2)
    one, two = (f.frame.set_index(keys)["cosine_distance"] for f in (fit, other))
    np.testing.assert_allclose(one.loc[two.index], two, rtol=1e-12)
    first, second = (f.summary().set_index("connection") for f in (fit, other))
    for column in ("mean", "low", "high"):
        np.testing.assert_allclose(first.loc[second.index, column], second[column], atol=0.002)
    assert fit.notes[0] == "Distances are averaged over 3 contexts."
    assert not any("contexts" in note for note in other.notes)
    assert bb.missing_words(fit.frame).empty


def test_the_model_in_pymc_is_of_the_means_too(frame, uncompiled):
    model = bb.fit(frame, "crossed", seed=1).pymc_model()
    assert len(model.observed_RVs[0].eval()) == len(frame) / 3


def test_a_pair_with_two_distances_in_a_context_is_refused(frame):
    twice = frame.copy()
    twice.loc[1, ["attribute", "context"]] = frame.loc[0, ["attribute", "context"]].tolist()
    with pytest.raises(DistancesError, match="has different distances in different rows"):
        bb.fit(twice, "crossed", seed=1)
    with pytest.raises(DistancesError, match="has different distances in different rows"):
        bb.fit(frame.drop(columns="context"), "crossed", seed=1)
