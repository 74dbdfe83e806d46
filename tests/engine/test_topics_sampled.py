"""Topics are what is sampled: intervals shrink with topics, and not with synonyms."""

import numpy as np
import pytest
from gensim.models import KeyedVectors
from samples import common_words
from scipy import stats

import bayesbias as bb
from bayesbias.words.word_lists import AttributeSet, ProtectedGroup, WordList

DIMENSION = 60
N_TOPICS = 8


def made_vectors(rng, n_topics):
    """Common words; two groups of like words; for each of two lists topics of two words each.

    Of every attribute there is a synonym, whose name ends in "s".
    """

    def near(centre, n, sd):
        return centre + sd * rng.standard_normal((n, DIMENSION))

    words = {name: rng.standard_normal(DIMENSION) for name in common_words()[:400]}
    for group in "gh":
        centre = rng.standard_normal(DIMENSION)
        words |= {f"{group}{i}": v for i, v in enumerate(near(centre, 8, 0.7))}
    for name in "ab":
        domain = 0.8 * rng.standard_normal(DIMENSION)
        for topic in range(n_topics):
            centre = domain + rng.standard_normal(DIMENSION)
            for i, vector in enumerate(near(centre, 2, 0.6)):
                words[f"{name}{topic}-{i}"] = vector
                words[f"{name}{topic}-{i}s"] = near(vector, 1, 0.1)[0]
    words |= {f"n{i}": rng.standard_normal(DIMENSION) for i in range(30)}
    found = KeyedVectors(DIMENSION)
    found.add_vectors(list(words), np.array(list(words.values())))
    return found


def made_list(n_topics, *, synonyms=False):
    ends = ("", "s") if synonyms else ("",)
    sets = [
        AttributeSet(
            name,
            "stereotype",
            tuple(f"{name}{t}-{i}{end}" for t in range(n_topics) for i in range(2) for end in ends),
        )
        for name in "ab"
    ]
    sets.append(AttributeSet("n", "neutral", tuple(f"n{i}" for i in range(30))))
    groups = (
        ProtectedGroup("g", tuple(f"g{i}" for i in range(8)), ("a",)),
        ProtectedGroup("h", tuple(f"h{i}" for i in range(8)), ("b",)),
    )
    return WordList("made", "Made", "made for a test", groups, tuple(sets))


def sd_of(vectors, wordlist):
    fit = bb.fit(bb.distances(vectors, wordlist), vectors=vectors, seed=1, draws=200, chains=2)
    table = fit.contrasts()
    return table.loc[table["level"] == "list", "sd"].mean()


@pytest.fixture(scope="module")
def ratios():
    """Of intervals by list, mean over made vectors: twice the topics, and every word twice."""
    found = []
    for seed in range(12):
        vectors = made_vectors(np.random.default_rng(seed), 2 * N_TOPICS)
        once = sd_of(vectors, made_list(N_TOPICS))
        more = sd_of(vectors, made_list(2 * N_TOPICS)) / once
        found.append((more, sd_of(vectors, made_list(N_TOPICS, synonyms=True)) / once))
    return np.log(found)


def test_twice_the_topics_have_intervals_that_are_narrower_by_the_root_of_two(ratios):
    mean, error = ratios[:, 0].mean(), stats.sem(ratios[:, 0])
    assert abs(np.exp(mean) - 0.5**0.5) < 0.1 + error


def test_synonyms_tell_nothing_new(ratios):
    mean, error = ratios[:, 1].mean(), stats.sem(ratios[:, 1])
    assert np.exp(mean) > 0.9 - 2 * error
