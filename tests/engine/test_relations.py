"""Answers that must not change with what they are not about: order, names, rotation, unit."""

import numpy as np
import pytest
from alike import list_frame, named_term, profiles_for

import bayesbias as bb
from bayesbias.engine.adapting import adapt_model_to_data, unit_of

EXACT = 1e-6  # in posterior standard deviations
KEYS = ["level", "list", "group", "word", "contrast"]
WORDS = {
    "groups": {"men": ["he", "him", "son"], "women": ["she", "her", "aunt"]},
    "attributes": {"work": ["boss", "chief", "law"], "home": ["maid", "cook", "nurse", "sofa"]},
    "associated": {"men": ["work"], "women": ["home"]},
    "controls": {"neutral": ["tree", "river", "seven", "blue"]},
}


@pytest.fixture(scope="module")
def vectors():
    """Vectors of the list and of 500 other words, of which similarity is estimated."""
    rng = np.random.default_rng(5)
    listed = bb.load_wordlist(WORDS).words
    others = ["".join(letters) for letters in rng.choice([*"abcdefgh"], (500, 9))]
    words = [*listed, *dict.fromkeys(others)]
    matrix = (
        rng.standard_normal((len(words), 20))
        + rng.standard_normal((6, 20))[rng.integers(6, size=len(words))]
    )
    return words, matrix.astype(np.float32).astype(float)


def answers(words, matrix, wordlist=WORDS):
    keyed = bb.load_embedding((words, matrix))
    return bb.analyze(keyed, wordlist, seed=1).contrasts().set_index(KEYS)


def largest_difference(first, second):
    """Return the largest difference of means and ends of intervals, in sds."""
    numbers = ["mean", "low", "high"]
    second = second.reindex(first.index)
    assert second["mean"].notna().equals(first["mean"].notna())
    return (second[numbers] - first[numbers]).div(first["sd"], axis=0).abs().max(axis=None)


def reversed_list():
    """The list with its groups, lists and words from the last to the first."""
    flipped = {
        key: {name: words[::-1] for name, words in reversed(WORDS[key].items())}
        for key in ("groups", "attributes", "controls")
    }
    return flipped | {"associated": WORDS["associated"]}


@pytest.mark.filterwarnings("ignore::bayesbias.errors.BayesBiasWarning")
@pytest.mark.parametrize(
    "relation", ["rotated", "scaled", "every word scaled", "empty dimensions", "list reversed"]
)
def test_answers_are_those_of_the_same_list_in_another_shape(vectors, relation):
    words, matrix = vectors
    rng = np.random.default_rng(1)
    rotation = np.linalg.qr(rng.standard_normal((20, 20)))[0]
    shapes = {
        "rotated": matrix @ rotation,
        "scaled": 7.0 * matrix,
        "every word scaled": matrix * rng.uniform(0.1, 10, (len(matrix), 1)),
        "empty dimensions": np.c_[matrix, np.zeros((len(matrix), 3))],
    }
    wordlist = reversed_list() if relation == "list reversed" else WORDS
    other = answers(words, shapes.get(relation, matrix), wordlist)
    assert largest_difference(answers(words, matrix), other) < 1e-3  # of vectors in 32 bits


@pytest.mark.filterwarnings("ignore::bayesbias.errors.BayesBiasWarning")
@pytest.mark.parametrize("model", ["maximal", "crossed", "paper"])
def test_the_order_of_rows_changes_nothing(model):
    frame = list_frame(n_words=(3, 3), sizes=(4, 4))
    shuffled = frame.sample(frac=1, random_state=2, ignore_index=True)
    first, second = (bb.fit(rows, model, seed=1).contrasts() for rows in (frame, shuffled))
    assert largest_difference(first.set_index(KEYS), second.set_index(KEYS)) < EXACT


@pytest.mark.filterwarnings("ignore::bayesbias.errors.BayesBiasWarning")
@pytest.mark.parametrize(("factor", "shift"), [(0.05, 0.9), (1.5, -0.7)])
def test_answers_in_sds_do_not_depend_on_unit_and_origin(factor, shift):
    """As of vectors in a cone: intervals of groups were up to 1.8 times as wide there."""
    frame = list_frame(n_words=(3, 3))
    moved = frame.assign(cosine_distance=shift + factor * frame["cosine_distance"])
    fits = [bb.fit(rows, seed=1) for rows in (frame, moved)]
    assert fits[1].spec.scale == pytest.approx(factor * fits[0].spec.scale)
    one, two = (fit.contrasts().set_index(KEYS) for fit in fits)
    two[["mean", "low", "high"]] /= factor
    assert largest_difference(one, two) < EXACT
    assert one["verdict"].tolist() == two["verdict"].tolist()


@pytest.mark.filterwarnings("ignore::bayesbias.errors.BayesBiasWarning")
def test_a_constant_added_to_a_list_changes_nothing_over_all():
    """Nor by list: the list's own distance cancels. λ's prior has little to say of the rest."""
    frame = list_frame(n_words=(3, 3), sizes=(4, 4), n_neutral=7)
    farther = (frame["attribute_set"] == "list1") * 3 * frame["cosine_distance"].std()
    moved = frame.assign(cosine_distance=frame["cosine_distance"] + farther)
    one, two = (bb.fit(rows, seed=1).contrasts() for rows in (frame, moved))
    for level, bound in (("over all", 0.05), ("list", 0.05)):
        first, second = (t[t["level"] == level].set_index(KEYS) for t in (one, two))
        np.testing.assert_allclose(second["observed"], first["observed"], atol=1e-12)
        assert largest_difference(first, second) < bound


def test_the_unit_is_the_sd_of_a_neutral_pair():
    """Of 24 pairs their plain sd; of a few that of all pairs around their connections' means."""
    frame = list_frame(n_words=(4, 4), n_human=2, n_neutral=3)
    neutral = frame.loc[frame["connection"] == "neutral", "cosine_distance"]
    expected = np.std(neutral, ddof=1), frame["cosine_distance"].mean()
    assert unit_of(frame, "cosine_distance") == pytest.approx(expected)
    spec, *_ = adapt_model_to_data(bb.load_model("maximal"), frame, profiles_for(frame))
    assert (spec.scale, spec.centre) == pytest.approx(expected)
    assert spec.priors["word_sd"].rate == pytest.approx(1.5 / expected[0])
    assert named_term(spec, "group_list").sd == pytest.approx(1.0 * expected[0])
    few = list_frame(n_words=(3, 3), n_human=2, n_neutral=1)
    by = few.groupby("connection")["cosine_distance"]
    pooled = np.sqrt((by.var() * (by.size() - 1)).sum() / (by.size() - 1).sum())
    assert unit_of(few, "cosine_distance")[0] == pytest.approx(pooled)


@pytest.mark.parametrize("model", ["paper", "crossed"])
def test_published_priors_stay_what_they_are(model):
    spec, frame = bb.load_model(model), list_frame()
    assert spec.prior_unit == ""
    assert adapt_model_to_data(spec, frame)[0].priors == spec.priors
