"""Co-occurrences, PMI and genderedness: by hand and by brute force."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.sparse import csr_array

import bayesbias as bb
from bayesbias import debias
from bayesbias.debias.corpus import Cooccurrences
from bayesbias.errors import ArgumentError, EmbeddingError

# Within two tokens: he–king 2, king–she 1, he–she 1, she–queen 1, odd–end 1 (times nine).
CORPUS = [["he", "king", "she"], ["king", "he"], ["she", "queen"], ["odd", "end"]] * 9
VECTORS = {"he": [2, 1], "she": [0, 1], "king": [0.5, 1], "queen": [-1, 0], "end": [1, 1]}


def test_counts_and_cspmi_by_hand():
    """p(he, she) = 1/12, p(he) = p(she) = 3/12: PMI = log(4/3), csPMI = log(4/3) − log 12."""
    counts = debias.count_cooccurrences(CORPUS, window=2)
    assert counts.count("he", "king") == counts.count("king", "he") == 18
    assert counts.count("he", "she") == 9
    assert counts.count("he", "queen") == 0
    assert counts.cspmi("he", "she") == pytest.approx(np.log(1 / 9))
    assert debias.count_cooccurrences(CORPUS, window=1).count("he", "she") == 0
    # Each token sees the other one, though it is the same word.
    assert debias.count_cooccurrences([["a", "a"]]).count("a", "a") == 2


def test_genderedness_by_hand():
    """p(king|he) = 2/3, p(king|she) = 1/3: ĝ = log 2/sqrt(λ(log 9 − 1))."""
    kv, words = bb.load_embedding(VECTORS), ["king", "queen", "end", "odd", "nonesuch"]
    options = {"window": 2, "lam": 4.0, "words": words}
    table = debias.corpus_genderedness(iter(CORPUS), kv, pair=("he", "she"), **options)
    king = table.iloc[0]
    g, expected = 0.5, np.log(2) / (4 * (np.log(9) - 1)) ** 0.5
    assert king["in_embedding"] == pytest.approx(g)
    assert king["in_corpus"] == pytest.approx(expected)
    assert king["change"] == pytest.approx(g - expected)
    assert (king["n_first"], king["n_second"], king["reason"]) == (18, 9, "")
    assert table["reason"].tolist()[1:] == [
        "never near 'he'",
        "never near 'he' or 'she'",
        "not in the vectors; never near 'he' or 'she'",
        "not in the vectors; not in the corpus",
    ]
    # A missing number always comes with its reason, and no other does.
    assert (table["in_corpus"].isna() == (table["reason"] != "")).all()
    # Turned round, both values change their sign; the change is of sizes.
    turned = debias.corpus_genderedness(CORPUS, kv, pair=("she", "he"), **options).iloc[0]
    assert (turned["in_embedding"], turned["in_corpus"]) == pytest.approx((-g, -expected))
    assert turned["change"] == pytest.approx(g - expected)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"pair": ("he", "queen")}, ArgumentError, "'he' and 'queen' never occur near"),
        ({"pair": ("he", "zoe")}, ArgumentError, "'zoe' is not in the corpus"),
        ({"pair": ("he", "nonesuch")}, EmbeddingError, "'nonesuch' is not in the vectors"),
        ({"pair": ("odd", "end")}, EmbeddingError, "'odd' is not in the vectors"),
        ({"pair": ("he", "he")}, ArgumentError, "two different words"),
        ({"lam": 0.0}, ArgumentError, "must be positive"),
        ({"window": 0}, ArgumentError, "window=0"),
        ({"corpus": ["he is"]}, ArgumentError, "the text 'he is' where a list of tokens"),
        ({"corpus": [["he"], []]}, ArgumentError, "sentences of one token"),
        ({"pair": ("king", "twin")}, EmbeddingError, "the same vector"),
    ],
)
def test_bad_input(options, error, message):
    kv = bb.load_embedding({**VECTORS, "twin": VECTORS["king"], "zoe": [1, 2]})
    corpus = [*CORPUS, ["king", "twin"]]
    options = {"corpus": corpus, "pair": ("he", "she"), "window": 2, **options}
    with pytest.raises(error, match=message):
        debias.corpus_genderedness(options.pop("corpus"), kv, **options)


def world(rng, change, noise, n=40):
    """Words of two classes near x and y in made counts, and vectors whose |g| is |ĝ| + change.

    Counts are so large that ĝ is exact: p(w|x)/p(w|y) is what it is made to be.
    """
    lean = np.concatenate([rng.uniform(0.8, 1.6, n), -rng.uniform(0.8, 1.6, n)])
    near = np.round(1e12 * np.exp(np.outer([0.5, -0.5], lean)))
    counts = np.zeros((2 * n + 2, 2 * n + 2))
    counts[:2, 2:], counts[2:, :2] = near, near.T
    counts[0, 1] = counts[1, 0] = 1e11
    words = ["x", "y", *(f"w{i}" for i in range(2 * n))]
    index = {word: i for i, word in enumerate(words)}
    made = Cooccurrences(index, csr_array(counts.astype(np.int64)))
    ratio = np.log(near[0] / near[1]) - np.log(counts[0].sum() / counts[1].sum())
    g = ratio / np.sqrt(-1 - made.cspmi("x", "y"))
    g = np.sign(g) * (np.abs(g) + np.repeat(change, n) + noise * rng.normal(size=2 * n))
    matrix = np.column_stack([np.r_[2, 0, g], rng.normal(size=2 * n + 2)])
    matrix[:2, 1] = 1
    kv = bb.load_embedding((words, matrix))
    classes = {"stereotyped": words[2 : n + 2], "neutral": words[n + 2 :]}
    return debias.corpus_genderedness(made, kv, pair=("x", "y"), words=classes)


def test_the_change_by_class_is_that_which_was_made():
    table = world(np.random.default_rng(2), (0.3, 0.0), 1e-4)
    assert table.groupby("class", sort=False)["change"].mean().to_numpy() == pytest.approx(
        [0.3, 0.0], abs=1e-4
    )
    rows = debias.change_by_class(world(np.random.default_rng(3), (0.1, 0.0), 0.05))
    assert rows["class"].tolist() == ["stereotyped", "neutral"]
    assert rows["n_words"].tolist() == [40, 40]
    assert (rows["in_embedding"] - rows["in_corpus"]).to_numpy() == pytest.approx(rows["change"])
    error = 0.05 / np.sqrt(40)
    assert rows["change"].to_numpy() == pytest.approx([0.1, 0.0], abs=3.5 * error)
    assert (rows["high"] - rows["low"]).to_numpy() == pytest.approx(2 * 1.64 * error, rel=0.4)
    assert rows["p_value"][0] < 1e-6


def test_without_a_change_p_is_uniform():
    tables = (world(np.random.default_rng(seed), (0, 0), 0.05, 10) for seed in range(100))
    p_values = np.concatenate([debias.change_by_class(table)["p_value"] for table in tables])
    assert stats.kstest(p_values, "uniform").pvalue > 0.001
    assert np.mean(p_values < 0.05) == pytest.approx(0.05, abs=0.06)


def test_a_class_of_one_word_has_no_test():
    table = pd.DataFrame({"class": ["a"], "in_corpus": 0.1, "in_embedding": 0.3, "change": 0.2})
    row = debias.change_by_class(table).iloc[0]
    assert (row["change"], row["reason"]) == (0.2, "a test needs two words with a value")
    assert np.isnan(row["p_value"])
    with pytest.raises(ArgumentError, match="has no classes"):
        debias.change_by_class(table.drop(columns="class"))


def brute(corpus, first, second, window):
    """Count pairs of places, one by one; of any word and another if they are None."""
    return sum(
        1
        for s in corpus
        for i, word in enumerate(s)
        if first in (word, None)
        for j in range(max(0, i - window), min(len(s), i + window + 1))
        if j != i and second in (s[j], None)
    )


def test_counts_are_those_of_brute_force(monkeypatch):
    rng = np.random.default_rng(6)
    words = np.array([*"abcdefghij"])
    texts = [list(words[rng.geometric(0.3, n) % 10]) for n in rng.integers(1, 40, 300)]
    counts = debias.count_cooccurrences(texts, window=4)
    for first, second in ("aa", "ab", "ba", "bg", "cj"):
        assert counts.count(first, second) == brute(texts, first, second, 4) > 0
    assert counts.counts.sum() == brute(texts, None, None, 4)
    monkeypatch.setattr("bayesbias.debias.corpus._CHUNK", 37)
    again = debias.count_cooccurrences(iter(texts), window=4)
    assert (again.counts != counts.counts).nnz == 0
    assert again.index == counts.index
