"""RNSB, neighbours and the bootstrap on cases that can be worked by hand."""

import numpy as np
import pytest
from scipy import optimize

import bayesbias as bb
from bayesbias.errors import ArgumentError, MissingWordsWarning
from bayesbias.measures import neighbour_bias, rnsb
from bayesbias.measures.measure_result import bootstrap_interval
from bayesbias.measures.subspaces import logistic_regression

HE_SHE = ("he", "she")


def test_logistic_regression_is_at_the_minimum():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(40, 6))
    y = x[:, 0] + rng.normal(size=40) > 0
    rows, sign = np.column_stack([x, np.ones(40)]), np.where(y, 1, -1)

    def objective(w):
        return w @ w / 2 + 3 * np.logaddexp(0, -sign * (rows @ w)).sum()

    minimum = optimize.minimize(objective, np.zeros(7), tol=1e-12).x
    assert logistic_regression(x, y, strength=3) == pytest.approx(minimum, abs=1e-5)
    # Separated classes far apart: Newton's full step would go too far.
    assert np.isfinite(logistic_regression(1e3 * x, x[:, 0] > 0)).all()
    with pytest.raises(ArgumentError, match="both classes"):
        logistic_regression([[1.0], [2.0]], [True, True])
    with pytest.raises(ArgumentError, match="strength=0"):
        logistic_regression([[1.0], [2.0]], [True, False], strength=0)


def test_rnsb_by_hand():
    """Symmetric words: the weights are w on one axis, and probabilities are 1/(1 + exp(±2w))."""
    sides = {"good": [-2.0], "bad": [2.0]}
    kv = bb.load_embedding({**sides, "he": [1.0], "she": [-1.0], "it": [3.0], "we": [-1.0]})
    result = rnsb(kv, {"all": ["he", "she", "it"]}, ["good"], ["bad"], seed=1)
    w = optimize.brentq(lambda w: w - 4 / (1 + np.exp(2 * w)), 0, 4)
    p = 1 / (1 + np.exp(-w * np.array([1.0, -1.0, 3.0])))
    assert list(result.by_word.values()) == pytest.approx(p.tolist(), abs=1e-9)
    share = p / p.sum()
    assert result.value == pytest.approx(np.sum(share * np.log(3 * share)))
    assert result.interval is None
    assert result.interval_method == "none: positive, negative has one word only"
    assert result.details["accuracy"] == 1.0
    equal = rnsb(kv, {"a": ["she"], "b": ["we"]}, ["good"], ["bad"], seed=1)
    assert equal.value == pytest.approx(0.0, abs=1e-12)


@pytest.fixture(scope="module")
def two_sides():
    """200 words: half near (1, 0, 0), half near (−1, 0, 0); after, only the third axis sides."""
    rng = np.random.default_rng(1)
    side = np.repeat([1.0, -1.0], 100)
    matrix = rng.normal(size=(200, 3)) * 0.2
    matrix[:, 0] += side
    matrix[:, 2] += 0.5 * side
    words = ["he", "she", *(f"w{i}" for i in range(200))]
    ends = [[1, 0, 0], [-1, 0, 0]]
    return [bb.load_embedding((words, np.vstack([ends, m]))) for m in (matrix, matrix * [0, 1, 1])]


def test_neighbours_by_counting(two_sides):
    before, _ = two_sides
    words = ["w3", "w50", "w120", "w199"]
    result = neighbour_bias(before, words, [HE_SHE], k=7, seed=1)
    lean, own = {}, []
    for word in words:
        near = before.most_similar(word, topn=20)
        near = [name for name, _ in near if name not in ("he", "she")][:7]
        lean[word] = np.mean([before[name][0] > 0 for name in near])
        own.append(before[word][0] / np.linalg.norm(before[word]))
    assert dict(result.by_word) == pytest.approx(lean)
    assert result.value == pytest.approx(np.corrcoef(own, list(lean.values()))[0, 1], abs=1e-6)


def test_what_was_removed_along_the_direction_is_found_elsewhere(two_sides):
    before, after = two_sides
    words = [f"w{i}" for i in range(0, 200, 10)]
    result = neighbour_bias(after, words, [HE_SHE], before=before, k=20, seed=1)
    assert result.value > 0.8
    assert result.interval[0] > 0.5


def test_neighbours_leave_out_what_either_of_the_two_vectors_lack(two_sides):
    """After lacks w60, before lacks w70, and both lack `nowhere`."""
    before, after = (
        bb.load_embedding({w: kv[w] for w in kv.index_to_key if w != lacking})
        for kv, lacking in zip(two_sides, ("w70", "w60"), strict=True)
    )
    shared = ["w3", "w50", "w120", "w199"]
    pairs = [HE_SHE, ("w70", "she")]
    words = [*shared[:2], "w60", "w70", "nowhere", *shared[2:]]
    with pytest.warns(MissingWordsWarning, match="'w60'"):
        result = neighbour_bias(after, words, [HE_SHE], before=before, k=7, seed=1)
    assert list(result.words["words"]) == list(result.by_word) == shared
    assert {d.word: d.reason for d in result.dropped} == {
        "w70": "not in the vectors before",
        "nowhere": "not in the vectors before",
        "w60": "not in the vectors",
    }
    alone = neighbour_bias(after, shared, [HE_SHE], before=before, k=7, seed=1)
    assert (result.value, result.interval) == (alone.value, alone.interval)
    with pytest.warns(MissingWordsWarning):
        result = neighbour_bias(after, shared, pairs, before=before, k=7, seed=1)
    assert [d.reason for d in result.dropped] == ["'w70' not in the vectors before"]
    with pytest.raises(ArgumentError, match="at least three"):
        neighbour_bias(after, ["w3", "w50", "w60"], [HE_SHE], before=before, k=7)


@pytest.mark.parametrize(
    ("more", "pairs", "k", "match"),
    [
        ([], [HE_SHE], 5, "at least three"),
        (["w3"], [HE_SHE], 41, "at least 205 words"),
        (["w3"], [HE_SHE], 0, "k=0"),
        (["w3"], [], 5, "none given"),
        (["w3", "he"], [HE_SHE], 5, "'he' is in words and in pairs"),
    ],
)
def test_neighbours_refuse(two_sides, more, pairs, k, match):
    with pytest.raises(ArgumentError, match=match):
        neighbour_bias(two_sides[0], ["w1", "w2", *more], pairs, k=k)


def test_the_bootstrap_interval_holds_the_mean_as_often_as_it_says():
    rng = np.random.default_rng(1)
    hits = 0
    for seed in range(300):
        x = rng.normal(size=40)
        ends = bootstrap_interval(np.mean, {"words": x}, draws=200, prob=0.9, seed=seed)["interval"]
        hits += ends[0] < 0 < ends[1]
    assert 0.83 <= hits / 300 <= 0.94


def test_the_bootstrap_says_what_it_cannot_do():
    values, words = iter([np.nan, 1.0] * 50), {"x": np.arange(3)}
    fields = bootstrap_interval(lambda _: next(values), words, draws=100, prob=0.9, seed=1)
    assert "50 without a value" in fields["interval_method"]
    assert fields["interval_method"].startswith("90% percentile bootstrap")

    def refuse(_):
        raise ArgumentError("nothing to correlate")

    for without in (lambda _: np.nan, refuse):
        none = bootstrap_interval(without, words, draws=100, prob=0.9, seed=1)
        assert "interval" not in none
    for options, match in (({"draws": 9}, "draws=9"), ({"prob": 1.0}, "prob=1.0")):
        with pytest.raises(ArgumentError, match=match):
            bootstrap_interval(np.mean, words, **{"draws": 100, "prob": 0.9, "seed": 1, **options})
