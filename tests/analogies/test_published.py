"""Analogies on real vectors: gensim's counts, and the drop without constraints."""

import pytest

import bayesbias as bb
from bayesbias import analogies

pytestmark = [
    pytest.mark.filterwarnings("ignore:Call to deprecated:DeprecationWarning"),  # within gensim
    pytest.mark.filterwarnings("ignore:.*questions are skipped"),
]


@pytest.fixture(scope="module")
def google(data):
    return bb.load_embedding(data / "embeddings" / "googlenews-16k-300d.bin")


@pytest.fixture(scope="module")
def questions(data):
    return data / "analogies" / "questions-words.txt"


@pytest.mark.slow
def test_the_unconstrained_drop_of_nissim(google, questions):
    """Theirs, all 3 million words: 3cosadd .71 to .21, 3cosmul .73 to .45."""
    result = analogies.accuracy(google, questions, method="all", progress=False)
    macro = result.summary.set_index(["method", "setting"])["macro"]
    for method, published in (("3cosadd", (0.71, 0.21)), ("3cosmul", (0.73, 0.45))):
        bound, free = macro[(method, "constrained")], macro[(method, "unconstrained")]
        # A smaller vocabulary is easier; the drop is of the published size.
        assert bound - free == pytest.approx(published[0] - published[1], abs=0.05)
        assert published[0] < bound < published[0] + 0.06
    share = result.summary.set_index(["method", "setting"])
    assert macro[("bolukbasi", "constrained")] < 0.2
    assert share.loc[("3cosadd", "unconstrained"), "answered_c"] > 0.5
    assert (result.summary["n_questions"] == 7004).all()
    assert len(result.questions) == 6 * (7004 + 12_540)


def test_accuracy_is_gensims(data, questions):
    """Constrained 3cosadd, category by category, on lower-cased vectors."""
    kv = bb.load_embedding(data / "embeddings" / "glove-6b-13k-50d.txt.gz", limit=5000)
    _, sections = kv.evaluate_word_analogies(str(questions), case_insensitive=True)
    result = analogies.accuracy(kv, questions, progress=False)
    table = result.table[result.table.setting == "constrained"].set_index("category")
    for section in sections[:-1]:
        row = table.loc[section["section"]]
        n = len(section["correct"]) + len(section["incorrect"])
        assert (row["n_questions"], row["n_correct"]) == (n, len(section["correct"]))


def test_doctor_wins_where_it_may(google):
    result = analogies.analogy(google, "man", "doctor", "woman", reported="nurse")
    first = result.table[(result.table["rank"] == 1) & (result.table["direction"] == "asked")]
    words = first.set_index(["method", "setting"])["word"]
    for method in ("3cosadd", "3cosmul"):
        assert words[(method, "unconstrained")] == "doctor"
        assert words[(method, "constrained")] == "gynecologist"
    # Table 3, full vocabulary, where nurse_midwife is no word here; and extreme thresholds: doctor
    # up to .5, she from 1.5 on.
    deltas = [0.5, 0.8, 0.9, 1.0, 1.5]
    grid = analogies.vocabulary_grid(google, "man", "doctor", "woman", deltas=deltas).table
    free = grid.loc[grid["setting"] == "unconstrained", "word"].tolist()
    assert free == ["doctor", "gynecologist", "gynecologist", "gynecologist", "she"]
