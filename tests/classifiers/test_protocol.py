"""The resampling protocol: stratified, the same in parallel; a real text classifier."""

import sys

import joblib
import numpy as np
import pandas as pd
import pytest
from samples import shows_itself
from scipy.stats import ttest_1samp, ttest_ind, ttest_rel

from bayesbias import classifiers
from bayesbias.classifiers.protocol import stratified_split
from bayesbias.errors import ArgumentError, PredictionsError

pytest.importorskip("sklearn", reason="scikit-learn is an optional extra")


@pytest.fixture(scope="module")
def people():
    return classifiers.example_biographies(400, seed=1)


def last_word(X_train, y_train, X_test):
    """Predict the commonest class of texts with the same last word."""
    table = pd.DataFrame({"w": [t.split()[-1] for t in X_train], "y": list(y_train)})
    best = table.groupby("w")["y"].agg(lambda y: y.mode().iloc[0]).to_dict()
    return [best.get(t.split()[-1], "nurse") for t in X_test]


def run(people, fit_predict=last_word, **options):
    arguments = {"sizes": [100, 200], "n_samples": 4, "seed": 1, **options}
    return classifiers.resampling_protocol(
        people["text"], people["occupation"], people["gender"], fit_predict, **arguments
    )


@pytest.fixture(scope="module")
def whole(people):
    return run(people)


def test_subsamples_keep_shares_and_parts_do_not_overlap():
    strata = pd.Series(np.repeat([0, 1, 2], [600, 300, 100]))
    split = lambda seed: stratified_split(strata, 200, 0.3, seed)  # noqa: E731
    train, test = split(1)
    assert np.bincount(strata[np.concatenate([train, test])]).tolist() == [120, 60, 20]
    assert np.bincount(strata[test]).tolist() == [36, 18, 6]
    assert len(np.unique(np.concatenate([train, test]))) == 200
    drawn = np.concatenate([np.concatenate(split(seed)) for seed in range(300)])
    often = np.bincount(drawn, minlength=1000)  # each row is drawn with probability .2
    assert often.mean() == 60
    assert often.max() < 60 + 6 * np.sqrt(300 * 0.2 * 0.8)


def test_scores_are_those_of_the_predictions(people, whole):
    """One subsample by hand: the same split, the same classifier, gaps by `gaps`."""
    strata = people.groupby(["gender", "occupation"]).ngroup()
    state = np.random.SeedSequence([1, 200, 2]).generate_state(1)
    train, test = stratified_split(strata, 200, 0.3, int(state[0]))
    texts, jobs = people["text"].to_numpy(), people["occupation"].to_numpy()
    predicted = np.array(last_word(texts[train], jobs[train], texts[test]))
    part = people.iloc[test].assign(p=predicted)
    columns = {"true": "occupation", "predicted": "p", "group": "gender"}
    expected = classifiers.gaps(part, **columns, method="exact").table
    mine = whole.scores.query("size == 200 and sample == 2").set_index(["metric", "class"])["value"]
    for row in expected.itertuples():
        assert mine[row.metric, row[2]] == pytest.approx(row.gap, nan_ok=True)
    assert mine["accuracy", ""] == pytest.approx((predicted == jobs[test]).mean())
    hits = ((predicted == "nurse") & (jobs[test] == "nurse")).sum()
    total = (predicted == "nurse").sum() + (jobs[test] == "nurse").sum()
    assert mine["F1", "nurse"] == pytest.approx(2 * hits / total)


def test_spreads_are_students(people, whole):
    row = whole.table.set_index(["size", "metric", "class"]).loc[(200, "GP", "nurse")]
    of_nurses = "size == 200 and metric == 'GP' and `class` == 'nurse'"
    part = whole.scores.query(of_nurses)["value"]
    test = ttest_1samp(part, 0)
    assert row["n"] == 4
    assert (row["mean"], row["sd"]) == pytest.approx((part.mean(), part.std()), rel=1e-12)
    assert (row["t"], row["p_value"]) == pytest.approx((test.statistic, test.pvalue))
    assert row["share_above_zero"] == (part > 0).mean()
    other = run(classifiers.example_biographies(400, scrubbed=True, seed=1))
    change = whole.changes(other).set_index(["size", "metric", "class"]).loc[(200, "GP", "nurse")]
    second = other.scores.query(of_nurses)["value"]
    assert change["t"] == pytest.approx(ttest_rel(second, part).statistic, nan_ok=True)
    with pytest.raises(ArgumentError, match="another seed"):
        whole.changes(run(people, seed=2))


def test_sizes_are_compared_by_t_tests(whole):
    table = whole.between_sizes().set_index(["metric", "class"])
    assert set(table["size"]) == {100}
    for metric, label in (("accuracy", ""), ("F1", "nurse"), ("TPR", "teacher")):
        part = whole.scores.query("metric == @metric and `class` == @label").dropna()
        small, large = (part.loc[part["size"] == size, "value"] for size in (100, 200))
        welch = ttest_ind(large, small, equal_var=False)
        row = table.loc[(metric, label)]
        assert row["difference"] == pytest.approx(large.mean() - small.mean())
        numbers = (welch.statistic, welch.df, welch.pvalue)
        assert (row["t"], row["df"], row["p_value"]) == pytest.approx(numbers)
    alone = classifiers.ProtocolScores(whole.scores.query("size == 100"), 1, 0.3)
    assert alone.between_sizes().empty


def test_undefined_gaps_are_counted_not_zero():
    frame = pd.DataFrame({"y": ["a"] * 60 + ["b"] * 40, "g": ["f", "m"] * 30 + ["f"] * 40})
    always_a = lambda X, y, T: ["a"] * len(T)  # noqa: E731
    columns, options = (range(100), frame.y, frame.g), {"sizes": [50], "n_samples": 3, "seed": 1}
    result = classifiers.resampling_protocol(*columns, always_a, **options)
    table = result.table.set_index(["metric", "class"])
    never, always = table.loc[("TPR", "b")], table.loc[("TPR", "a")]
    assert (never["n"], never["n_undefined"]) == (0, 3)
    assert never[["mean", "sd", "t", "p_value", "share_above_zero"]].isna().all()
    assert always[["mean", "sd"]].tolist() == [0, 0]
    assert always[["t", "p_value"]].isna().all()
    assert result.between_sizes().empty


def test_a_stopped_run_is_taken_up_again_from_a_cache(people, whole, tmp_path):
    """Subsamples of a seed are the same, so that joblib knows them again."""
    memory = joblib.Memory(tmp_path, verbose=0)
    cached = memory.cache(last_word)
    run(people, cached, n_samples=2)
    assert run(people, cached).scores.equals(whole.scores)
    assert sum(1 for path in tmp_path.rglob("output.pkl")) == 8


@pytest.mark.slow
def test_parallel_runs_give_the_same(people):
    pd.testing.assert_frame_equal(run(people, jobs=2).scores, run(people).scores)


def test_a_real_text_classifier_and_what_scrubbing_does():
    """Logistic regression on tf-idf; without indicators the TPR gaps that they made are gone."""
    from sklearn import linear_model as linear
    from sklearn.feature_extraction import text
    from sklearn.pipeline import make_pipeline

    model = make_pipeline(text.TfidfVectorizer(), linear.LogisticRegression())
    people = [classifiers.example_biographies(1500, scrubbed=s, seed=2) for s in (False, True)]
    tables = [run(p, model, sizes=[200, 800], n_samples=8).table for p in people]
    before, after = (table.set_index(["size", "metric", "class"]) for table in tables)
    assert before["mean"][800, "accuracy", ""] > 0.7
    assert before["mean"][800, "TPR", "nurse"] > 0.2
    assert abs(after["mean"][800, "TPR", "nurse"]) < 0.15
    assert before["sd"][200, "TPR", "surgeon"] > before["sd"][800, "TPR", "surgeon"]


def test_box_plots(whole):
    axes = whole.plot(classes=["nurse", "surgeon"]).axes
    assert [a.get_title(loc="left") for a in axes][:3] == ["nurse: GP", "nurse: TPR", "nurse: PP"]
    assert len(shows_itself(whole)["table"]) == len(whole.table)
    assert len(whole.plot(["F1"]).axes) == 4
    with pytest.raises(ArgumentError, match="did you mean 'accuracy'"):
        whole.plot(["acuracy"])


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"sizes": []}, "name at least one size"),
        ({"sizes": [100, 100]}, "each once"),
        ({"sizes": [1000]}, "1,000 rows, .* cannot be drawn; there are 400 rows"),
        ({"sizes": [20]}, "6 of them to test on, .* one for each of the 8 combinations"),
        ({"n_samples": 1}, "n_samples=1"),
        ({"test_share": 1.0}, "test_share=1.0"),
        ({"jobs": 0}, "jobs=0"),
    ],
)
def test_impossible_protocols(people, options, complaint):
    with pytest.raises(ArgumentError, match=complaint):
        run(people, **options)


@pytest.mark.parametrize(
    ("predict", "complaint"),
    [
        (lambda X, y, T: ["nurse"], "one per row"),
        (lambda X, y, T: ["nrse"] * len(T), "'nrse' .*not one of the classes; did you mean 'nur"),
    ],
)
def test_bad_classifiers_and_labels(people, predict, complaint):
    with pytest.raises(PredictionsError, match=complaint):
        run(people, predict)
    lone = people.assign(occupation=["pilot", *people["occupation"][1:]])
    with pytest.raises(PredictionsError, match=r"group '\w+' has one person of class 'pilot'"):
        run(lone)
    columns = people["occupation"], people["gender"]
    with pytest.raises(ArgumentError, match="X has 3 rows"):
        classifiers.resampling_protocol(["a"] * 3, *columns, predict, sizes=[100], seed=1)


def test_scikit_learn_is_asked_for_where_it_is_absent(people, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.model_selection", None)
    with pytest.raises(ArgumentError, match=r"pip install 'bayesbias\[classifiers\]'"):
        run(people)


def test_example_biographies_are_reproducible_and_unequal():
    first, again = (classifiers.example_biographies(300, seed=3) for _ in range(2))
    pd.testing.assert_frame_equal(first, again)
    share = first.groupby("occupation")["gender"].agg(lambda g: (g == "female").mean())
    assert share["nurse"] > 0.6 > 0.4 > share["surgeon"]
    scrubbed = classifiers.example_biographies(300, scrubbed=True, seed=3)
    columns = ["occupation", "gender"]
    pd.testing.assert_frame_equal(scrubbed[columns], first[columns])
    assert scrubbed["text"].str.contains("Camille").mean() > 0.5
    assert not scrubbed["text"].str.contains(r"\b(?:[Hh]e|[Hh]is|Mr|James|Mary)\b").any()
    with pytest.raises(ArgumentError, match="n=0"):
        classifiers.example_biographies(0)
