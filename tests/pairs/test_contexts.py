"""Distances in contexts: rows, sentences drawn from a text, and what the model makes of them.

A function stands for a language model, so that these tests run everywhere; tests with tiny real
models are among those of the encoders.
"""

import argparse
import tracemalloc
import zlib

import numpy as np
import pandas as pd
import pytest
from samples import load_benchmark

import bayesbias as bb
from bayesbias.errors import (
    ArgumentError,
    DistancesError,
    EmbeddingError,
    FitError,
    MissingWordsWarning,
    WordListError,
)

TEMPLATES = ["This is {}.", "{} is here.", "There is {}."]
LIST = {
    "protected": {
        "man": ["he", "man", "boy", "father"],
        "woman": ["she", "woman", "girl", "mother"],
    },
    "associated": {"man": ["his"], "woman": ["hers"]},
    "attributes": {
        "his": ["engineer", "boss", "pilot", "judge", "miner"],
        "hers": ["nurse", "maid", "dancer", "nanny", "tutor"],
    },
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
    return bb.pairs.contextual_distances(bag, wordlist, templates=TEMPLATES)


def test_each_distance_is_that_of_the_two_texts(frame):
    assert len(frame) == 8 * 10 * 3
    assert frame["context"].unique().tolist() == TEMPLATES
    assert set(frame["layer"]) == {"text"}
    for row in frame.sample(20, random_state=1).itertuples():
        words = (row.protected_word, row.attribute)
        one, other = bag([row.context.replace("{}", word) for word in words])
        cosine = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
        assert row.cosine_distance == pytest.approx(1 - cosine, abs=1e-6)


def test_the_record_says_what_was_done(frame, wordlist):
    from bayesbias.pairs.provenance import source_of

    source = source_of(frame)
    assert (source["wordlist"], source["contexts"], source["model"]) == ("own", 3, "function")
    other = bb.pairs.contextual_distances(bag, wordlist, templates=TEMPLATES[:2])
    assert source_of(other)["vectors_sha256"] != source["vectors_sha256"]
    assert bb.missing_words(frame).empty


def test_texts_come_in_batches(wordlist):
    sizes = []

    def counted(texts):
        sizes.append(len(texts))
        return bag(texts)

    bb.pairs.contextual_distances(counted, "weat7", templates=TEMPLATES[:2])
    assert max(sizes) <= 64
    n_words = len(set(bb.load_wordlist("weat7").words))
    assert sum(sizes) == 2 * n_words


@pytest.mark.parametrize(
    ("model", "options", "error", "complaint"),
    [
        (3, {}, ArgumentError, "model is a int; give a model of transformers"),
        (bag, {"templates": ["no place"]}, ArgumentError, "must have exactly one {}"),
        (bag, {"templates": {"he": ["{} left."] * 2}}, EmbeddingError, "."),
        (bag, {"templates": {"he": []}}, ArgumentError, "none of the list's words has a context"),
        (bag, {"layer": 1.5}, ArgumentError, "layer=1.5"),
        (lambda texts: np.ones(3), {}, EmbeddingError, r"shape \(3,\) of 18 texts"),
        (lambda texts: np.full((len(texts), 2), np.nan), {}, EmbeddingError, "'he' has NaN"),
    ],
)
def test_what_cannot_be_used_is_refused(wordlist, model, options, error, complaint):
    kind = (error, WordListError) if "he" in options.get("templates", ()) else error
    with pytest.raises(kind, match=complaint):
        bb.pairs.contextual_distances(model, wordlist, **options)


def test_words_of_their_own_contexts(wordlist):
    words = [word for word, _, _ in wordlist.roles()]
    own = {word: [f"{word[0]} {i} {{}}" for i in range(3)] for word in words}
    own["tutor"] = own["tutor"][:1]
    del own["girl"]
    with pytest.warns(MissingWordsWarning, match="2 of 18 words"):
        frame = bb.pairs.contextual_distances(bag, wordlist, templates=own)
    assert frame["context"].unique().tolist() == ["sample 1", "sample 2", "sample 3"]
    reasons = bb.missing_words(frame).set_index("word")["reason"].to_dict()
    assert reasons == {"girl": "no context", "tutor": "1 of 3 contexts"}
    row = frame[(frame.protected_word == "he") & (frame.attribute == "nurse")].iloc[1]
    one, other = bag(["h 1 he", "n 1 nurse"])
    cosine = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
    assert row.cosine_distance == pytest.approx(1 - cosine, abs=1e-6)


# Sentences from a text


def test_sentences_are_drawn_evenly(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("".join(f"The nurse {i} left. " for i in range(20)), encoding="utf-8")
    counts = np.zeros(20)
    for seed in range(400):
        for sentence in bb.vectors.contexts_from(path, ["nurse"], n=5, seed=seed)["nurse"]:
            counts[int(sentence.split()[2])] += 1
    assert counts.sum() == 400 * 5
    # Each is drawn with probability 1/4: 400 draws have a standard deviation of 8.7.
    assert np.abs(counts - 100).max() < 4 * 8.7


def test_a_draw_depends_on_seed_and_word_alone(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("".join(f"he saw her {i}.\n" for i in range(50)), encoding="utf-8")
    both = bb.vectors.contexts_from(path, ["he", "her"], n=4, seed=2)
    assert bb.vectors.contexts_from(path, ["he"], n=4, seed=2)["he"] == both["he"]
    assert bb.vectors.contexts_from(path, ["he"], n=4, seed=3)["he"] != both["he"]
    assert all(s.startswith("{} saw her") for s in both["he"])
    assert all(s.startswith("he saw {}") for s in both["her"])


def test_words_are_whole_and_sentences_end(tmp_path):
    path = tmp_path / "text.txt"
    long = "x " * 300
    text = f"Where are they? They left the Mädchen!\nhe, he said.\n{{}} he\n{long} he\nthe end"
    path.write_text(text, encoding="utf-8")
    found = bb.vectors.contexts_from(path, ["he", "Mädchen", "the end"])
    expected = {"he": "{}, he said.", "Mädchen": "They left the {}!", "the end": "{}"}
    assert found == {word: (sentence,) for word, sentence in expected.items()}


def test_memory_does_not_grow_with_the_text(tmp_path):
    peaks = []
    for n in (2, 4):  # megabytes, all on one line
        path = tmp_path / f"{n}.txt"
        path.write_text((f"A nurse left{' now' * 90}. ") * (n * 2700), encoding="utf-8")
        tracemalloc.start()
        bb.vectors.contexts_from(path, ["nurse"], n=3)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0]


def test_texts_that_cannot_be_read(tmp_path):
    path = tmp_path / "text.txt"
    path.write_bytes(b"caf\xe9 he")
    with pytest.raises(EmbeddingError, match="is not UTF-8"):
        bb.vectors.contexts_from(path, ["he"])
    with pytest.raises(ArgumentError, match="n=0"):
        bb.vectors.contexts_from(path, ["he"], n=0)
    with pytest.raises(EmbeddingError):
        bb.vectors.contexts_from(tmp_path / "none.txt", ["he"])


# The model


def test_a_model_without_contexts_is_refused(frame):
    with pytest.raises(DistancesError, match="take the model 'contextual'"):
        bb.fit(frame, "maximal")


@pytest.fixture(scope="module")
def fit(frame):
    return bb.fit(frame, "contextual", seed=1)


def test_a_summary_by_context(fit, frame):
    found = fit.summary(by="context")
    table = found.table
    assert table["context"].tolist() == [*TEMPLATES, "", ""]
    assert table["quantity"].tolist()[3:] == ["over contexts", "sd between contexts"]
    over = table.iloc[3]
    contrast = fit.contrasts().table.iloc[0]
    assert over["mean"] == pytest.approx(contrast["mean"], abs=4 * contrast["sd"] / 4000**0.5)
    draws = fit.posterior["context_connection_sd"].to_numpy().ravel() * 2**0.5
    assert table.iloc[4]["mean"] == pytest.approx(draws.mean())
    assert "associated − different" in str(found)
    axis = found.plot().axes[0]
    assert len(axis.get_yticks()) == 4


def test_no_summary_by_context_without_contexts(frame):
    once = frame[frame["context"] == TEMPLATES[0]].drop(columns="context")
    with pytest.raises(FitError, match="no term by context"):
        bb.fit(once, "maximal", seed=1).summary(by="context")


def test_one_context_leaves_out_what_it_cannot_tell(frame):
    once = frame[frame["context"] == TEMPLATES[0]]
    _, why = bb.models.drop_unidentified_terms(bb.load_model("contextual"), once)
    left_out = {sentence.split()[2] for sentence in why}
    assert {"pair", "context", "context_connection", "attribute_context"} <= left_out


@pytest.mark.sampling
def test_false_alarms_where_only_contexts_vary(monkeypatch):
    """A small version of ``benchmarks/contexts.py``: the same worlds, three ways."""
    study = load_benchmark("contexts")
    monkeypatch.setitem(study.CONTEXT_SDS, "context_connection", 0.06)
    monkeypatch.setattr(study, "KINDS", {"only contexts vary": 0.0})
    given = argparse.Namespace(worlds=6, seed=1, words=6, attributes=12, contexts=4)
    found = pd.DataFrame(study.records(given)).groupby("method")["misses"].sum()
    contextual, averaged, rows = found[list(study.METHODS)]
    # Of 6 intervals that miss with probability .11, more than 2 do in 1 of 50 runs.
    assert contextual <= 2
    assert contextual < averaged
    assert contextual < rows


def test_effects_by_context_are_those_of_weat(frame, wordlist):
    from bayesbias.measures import context_effects, weat

    table = context_effects(frame)
    assert table["context"].tolist() == TEMPLATES
    part = frame[frame["context"] == TEMPLATES[1]]
    groups, sets = (
        [one.words for one in part] for part in (wordlist.groups, wordlist.attribute_sets)
    )
    effect = weat(part, *groups, *sets, seed=1).effect_size
    assert table["effect_size"][1] == pytest.approx(effect)
    assert table["variance"][1] == pytest.approx(8 / 16 + effect**2 / 16)
    with pytest.raises(ArgumentError, match="no column 'context'"):
        context_effects(part.drop(columns="context"))
