"""RNSB, SAME, SemBias, neighbours, clusters and CEAT on cases that can be worked by hand."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import optimize

import bayesbias as bb
from bayesbias.errors import ArgumentError, EmbeddingError, MissingWordsWarning, QuestionsError
from bayesbias.measures import (
    ceat,
    cluster_bias,
    effect_size_variance,
    neighbour_bias,
    read_sembias,
    rnsb,
    same,
    sembias,
)
from bayesbias.measures.declaration import bootstrap_interval
from bayesbias.vectors.two_classes import logistic_regression

HE_SHE = bb.pairs.WordPair("he", "she")


def test_logistic_regression_is_at_the_minimum():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(40, 6))
    y = x[:, 0] + rng.normal(size=40) > 0
    rows, sign = np.column_stack([x, np.ones(40)]), np.where(y, 1, -1)

    def objective(w):
        return w @ w / 2 + 3 * np.logaddexp(0, -sign * (rows @ w)).sum()

    known = optimize.minimize(objective, np.zeros(7), tol=1e-12).x
    assert logistic_regression(x, y, strength=3) == pytest.approx(known, abs=1e-5)
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


def test_same_of_two_groups_by_hand():
    """Means (.5, .5) and (0, −1) of unit vectors; their difference is (.5, 1.5)."""
    kv = bb.load_embedding(
        {"he": [3.0, 0.0], "man": [0.0, 2.0], "she": [0.0, -1.0], "a": [0.0, 5.0], "b": [3.0, -1.0]}
    )
    result = same(kv, ["a", "b"], {"man": ["he", "man"], "woman": ["she"]}, seed=1)
    cosines = [3 / 10**0.5, 0.0]
    assert list(result.by_word.values()) == pytest.approx(cosines)
    assert result.value == pytest.approx(cosines[0] / 2)
    assert result.details == pytest.approx({"skew": cosines[0] / 2, "stereotype": cosines[0] / 2})
    turned = same(kv, ["a", "b"], {"woman": ["she"], "man": ["he", "man"]}, seed=1)
    assert turned.value == pytest.approx(result.value)
    assert turned.details["skew"] == pytest.approx(-result.details["skew"])


def test_same_of_three_groups_does_not_depend_on_their_order():
    """The axes' differences span the plane orthogonal to (1, 1, 1)."""
    kv = bb.load_embedding({"x": [1, 0, 0], "y": [0, 1, 0], "z": [0, 0, 1], "w": [1, 1, 0]})
    for order in itertools.permutations("xyz"):
        result = same(kv, ["w"], {name: [name] for name in order}, seed=1)
        assert result.value == pytest.approx((1 - 2 / 3) ** 0.5)


@pytest.mark.parametrize(
    ("groups", "match"),
    [
        ({"a": ["x"], "b": ["y"]}, "same mean vector"),
        ({"a": ["x"]}, "needs two or more"),
        ({"a": ["x"], "words": ["y"]}, "'words' is the name of two sets"),
    ],
)
def test_same_refuses_groups_that_do_not_differ(groups, match):
    kv = bb.load_embedding({"x": [1, 0], "y": [2, 0], "w": [1, 1]})
    with pytest.raises(ArgumentError, match=match):
        same(kv, ["w"], groups)


SEMBIAS_VECTORS = {
    **{"he": [1.0, 0.0], "she": [0.0, 1.0], "host": [2.0, 0.0], "hostess": [0.0, 2.0]},
    **{"dog": [1.0, 0.0], "cat": [0.0, 0.0001], "cup": [0.0, 3.0], "lid": [3.0, 0.1]},
    **{"boss": [1.0, 1.0], "aide": [0.5, 1.6]},
}
START = "host:hostess dog:cat cup:lid"
LINES = [f"{START} boss:aide", "cup:lid dog:cat lid:cup hostess:host"]


def question(line):
    return tuple(bb.pairs.WordPair(*pair.split(":")) for pair in line.split())


def test_sembias_by_hand(tmp_path):
    """Cosines with (1, −1): 1, 1/√2, −1, 1.1/(.78·√2); then −1, 1/√2, 1, −1."""
    kv = bb.load_embedding(SEMBIAS_VECTORS)
    path = tmp_path / "questions.txt"
    path.write_text("\n".join([*LINES, "", "host:hostess dog:cat cup:lid king:queen"]))
    with pytest.warns(MissingWordsWarning, match=r"'king' \(1 questions\)"):
        result = sembias(kv, path, seed=1)
    assert result.value == 0.5
    assert result.details == {"definition": 0.5, "none": 0.5, "stereotype": 0.0, "n_questions": 2}
    assert dict(result.by_word) == {"cup–lid": 0.0, "host–hostess": 1.0}
    assert [d.word for d in result.dropped] == ["king", "queen"]


def test_sembias_counts_shared_pairs_as_shared():
    """Two definitional pairs, one always right: 400 questions say no more than two pairs do."""
    kv = bb.load_embedding(SEMBIAS_VECTORS)
    other = LINES[1].replace("hostess:host", "boss:aide")
    questions = [question(line) for line in (LINES[0], other)] * 200
    questions += [(*q[:3], bb.pairs.WordPair("aide", "boss")) for q in questions[:200]]
    result = sembias(kv, questions, seed=1)
    assert result.details["subset"]["n_questions"] == 40
    assert result.interval == (0.0, 1.0)


@pytest.mark.parametrize(
    ("text", "match"),
    [("", "no questions"), ("a:b c:d e:f", "line 1: must be four"), ("a:b c:d e:f gh", "line 1")],
)
def test_bad_questions(tmp_path, text, match):
    path = tmp_path / "questions.txt"
    path.write_text(text)
    with pytest.raises(QuestionsError, match=match):
        read_sembias(path)
    with pytest.raises(QuestionsError, match="cannot be read"):
        read_sembias(tmp_path / "nowhere.txt")


@pytest.mark.parametrize(
    ("line", "options", "error", "match"),
    [
        (LINES[0], {"pair": "king:queen"}, ArgumentError, "'king' is not in the vectors"),
        (f"{START} dog:twin", {}, EmbeddingError, "'dog' and 'twin' have the same vector"),
        (f"{START} dog:nowhere", {}, ArgumentError, "no question has all of its words"),
        (START, {}, QuestionsError, "3 pairs, not four"),
    ],
)
def test_sembias_refuses(line, options, error, match):
    kv = bb.load_embedding({**SEMBIAS_VECTORS, "twin": SEMBIAS_VECTORS["dog"]})
    options = {name: question(pair)[0] for name, pair in options.items()}
    with pytest.raises(error, match=match):
        sembias(kv, [question(line)], **options)


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
    clusters = cluster_bias(after, [HE_SHE], before=before, n=20, seed=1)
    assert clusters.value > 0.9


def test_neighbours_leave_out_what_either_of_the_two_vectors_lack(two_sides):
    """After lacks w60, before lacks w70, and both lack `nowhere`."""
    before, after = (
        bb.load_embedding({w: kv[w] for w in kv.index_to_key if w != lacking})
        for kv, lacking in zip(two_sides, ("w70", "w60"), strict=True)
    )
    shared = ["w3", "w50", "w120", "w199"]
    pairs = [HE_SHE, bb.pairs.WordPair("w70", "she")]
    asked = [*shared[:2], "w60", "w70", "nowhere", *shared[2:]]
    with pytest.warns(MissingWordsWarning, match="'w60'"):
        result = neighbour_bias(after, asked, [HE_SHE], before=before, k=7, seed=1)
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


def test_cluster_p_is_the_share_of_relabellings():
    """Clusters of 3 + 1 among 2 + 2: of 6 relabellings all agree with 3 words."""
    words = {"a": [3, 1], "b": [2, 1], "c": [-2, 1], "d": [-3, -5], "he": [1, 0], "she": [-1, 0]}
    filler = {f"f{i}": [0.01, 1 + i] for i in range(16)}
    kv = bb.load_embedding({**words, **filler})
    result = cluster_bias(kv, [HE_SHE], n=2, seed=1)
    assert set(result.words["first"]) == {"a", "b"}
    assert set(result.words["second"]) == {"c", "d"}
    assert result.value in (0.75, 1.0)
    assert result.p_value == {0.75: 1.0, 1.0: pytest.approx(1 / 3)}[result.value]


def test_clusters_of_words_without_sides_are_called_sides_seldom():
    rng = np.random.default_rng(1)
    p_values = []
    for seed in range(60):
        names = [f"w{i}" for i in range(202)]
        before, after = (bb.load_embedding((names, rng.normal(size=(202, 8)))) for _ in range(2))
        pair = bb.pairs.WordPair("w0", "w1")
        p_values.append(cluster_bias(after, [pair], before=before, n=20, seed=seed).p_value)
    assert np.mean(np.array(p_values) < 0.05) <= 0.12
    assert np.mean(p_values) > 0.4


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


def test_clusters_refuse(two_sides):
    for n, match in ((21, "n=21: needs a vocabulary of at least 210"), (1, "n=1")):
        with pytest.raises(ArgumentError, match=match):
            cluster_bias(two_sides[0], [HE_SHE], n=n)
    with pytest.raises(ArgumentError, match="needs the vectors themselves"):
        cluster_bias(pd.DataFrame(), [HE_SHE])


def effects(values, variances):
    return pd.DataFrame({"effect_size": values, "variance": variances})


def test_ceat_by_hand():
    """Weights 10, 5, 10: mean .6, Q = 4.2, c = 16, between .1375."""
    table = effects([0.2, 0.5, 1.05], [0.1, 0.2, 0.1])
    q = float(np.array([10.0, 5.0, 10.0]) @ (table["effect_size"] - 15 / 25) ** 2)
    between = (q - 2) / (25 - 225 / 25)
    new = 1 / (table["variance"] + between)
    result = ceat(table)
    assert result.details["q"] == pytest.approx(q)
    assert result.details["between_variance"] == pytest.approx(between)
    assert result.value == pytest.approx(float(new @ table["effect_size"] / new.sum()))
    low, high = result.interval
    assert high - low == pytest.approx(2 * 1.959964 / new.sum() ** 0.5, rel=1e-6)
    alike = ceat(effects([0.4, 0.4], [0.1, 0.3]), prob=0.999)
    assert alike.value == pytest.approx(0.4)
    assert alike.interval_method.startswith("99.9% normal interval")
    assert alike.details["between_variance"] == alike.details["heterogeneity"] == 0.0


def test_ceat_is_at_its_nominal_rate():
    """Samples that differ by more than their own noise: ignoring that would miss the mean."""
    rng = np.random.default_rng(1)
    hits = plain = 0
    for _ in range(400):
        drawn = 0.5 + rng.normal(0, 0.3, 40) + rng.normal(0, 0.2, 40)
        low, high = ceat(effects(drawn, 0.04)).interval
        hits += low < 0.5 < high
        plain += abs(drawn.mean() - 0.5) < 1.96 * 0.2 / 40**0.5
    assert 0.91 <= hits / 400 <= 0.98
    assert plain / 400 < 0.8


@pytest.mark.parametrize(
    ("table", "match"),
    [
        ([1, 2], "takes a frame"),
        (pd.DataFrame({"effect_size": [1.0, 2.0]}), "lacks the column 'variance'"),
        (effects([1.0], [1.0]), "at least two"),
        (effects([1.0, 2.0], [1.0, 0.0]), "above 0"),
        (effects([1.0, np.nan], [1.0, 1.0]), "must be finite"),
    ],
)
def test_ceat_refuses(table, match):
    with pytest.raises(ArgumentError, match=match):
        ceat(table)


def test_variance_of_an_effect_size():
    assert effect_size_variance([0.0, 1.0, 2.0], 8, 8).tolist() == [0.25, 0.28125, 0.375]
    with pytest.raises(ArgumentError, match="n_x=0"):
        effect_size_variance(1.0, 0, 3)


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
    found = bootstrap_interval(lambda _: next(values), words, draws=100, prob=0.9, seed=1)
    assert "50 without a value" in found["interval_method"]
    assert found["interval_method"].startswith("90% percentile bootstrap")
    sure = bootstrap_interval(lambda _: 1.0, words, draws=100, prob=0.999, seed=1)
    assert sure["interval_method"].startswith("99.9% percentile bootstrap")

    def refuse(_):
        raise ArgumentError("nothing to correlate")

    for without in (lambda _: np.nan, refuse):
        none = bootstrap_interval(without, words, draws=100, prob=0.9, seed=1)
        assert none["interval"] is None
    for options, match in (({"draws": 9}, "draws=9"), ({"prob": 1.0}, "prob=1.0")):
        with pytest.raises(ArgumentError, match=match):
            bootstrap_interval(np.mean, words, **{"draws": 100, "prob": 0.9, "seed": 1, **options})
