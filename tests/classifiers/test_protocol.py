"""The resampling protocol: stratified, resumable, the same in parallel; a real text classifier."""

import copy
import sys

import numpy as np
import pandas as pd
import pytest

from bayesbias import classifiers
from bayesbias.classifiers.protocol import stratified_split
from bayesbias.errors import ArgumentError, OutputError, PredictionsError

pytest.importorskip("sklearn", reason="scikit-learn is an optional extra")


@pytest.fixture(scope="module")
def people():
    return classifiers.example_biographies(400, seed=1)


def last_word(X_train, y_train, X_test):
    """Predict the commonest class of texts with the same last word."""
    table = pd.DataFrame({"w": [t.split()[-1] for t in X_train], "y": list(y_train)})
    best = table.groupby("w")["y"].agg(lambda y: y.mode().iloc[0]).to_dict()
    return [best.get(t.split()[-1], "nurse") for t in X_test]


A = lambda X, y, T: ["a"] * len(T)  # noqa: E731
LABELS = ["a", "b"] * 50, ["f"] * 50 + ["m"] * 50


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
    expected = classifiers.gaps(part, **columns, method="point").table
    runs, gaps, f1 = (
        table.query("size == 200 and sample == 2") for table in (whole.runs, whole.gaps, whole.f1)
    )
    mine = gaps.set_index(["metric", "class"])["gap"]
    for row in expected.itertuples():
        assert mine[row.metric, row[2]] == pytest.approx(row.gap, nan_ok=True)
    assert runs["accuracy"].item() == pytest.approx((predicted == jobs[test]).mean())
    hits = ((predicted == "nurse") & (jobs[test] == "nurse")).sum()
    total = (predicted == "nurse").sum() + (jobs[test] == "nurse").sum()
    assert f1.set_index("class")["f1"]["nurse"] == pytest.approx(2 * hits / total)


def test_summaries_are_students(people, whole):
    from scipy.stats import ttest_1samp, ttest_rel

    row = whole.summary().set_index(["size", "metric", "class"]).loc[(200, "GP", "nurse")]
    of_nurses = "size == 200 and metric == 'GP' and `class` == 'nurse'"
    part = whole.gaps.query(of_nurses)["gap"]
    test = ttest_1samp(part, 0)
    assert row["n"] == 4
    assert (row["mean"], row["sd"]) == pytest.approx((part.mean(), part.std()), rel=1e-12)
    assert (row["t"], row["p_value"]) == pytest.approx((test.statistic, test.pvalue))
    other = run(classifiers.example_biographies(400, scrubbed=True, seed=1))
    change = whole.changes(other).set_index(["size", "metric", "class"]).loc[(200, "GP", "nurse")]
    second = other.gaps.query(of_nurses)["gap"]
    assert change["t"] == pytest.approx(ttest_rel(second, part).statistic, nan_ok=True)
    with pytest.raises(ArgumentError, match="another seed"):
        whole.changes(run(people, seed=2))


def always_a(frame, *, size, n_samples):
    rows, options = list(range(len(frame))), {"n_samples": n_samples, "seed": 1}
    return classifiers.resampling_protocol(rows, frame.y, frame.g, A, sizes=[size], **options)


def test_undefined_gaps_are_counted_not_zero():
    frame = pd.DataFrame({"y": ["a"] * 60 + ["b"] * 40, "g": ["f", "m"] * 30 + ["f"] * 40})
    found = always_a(frame, size=50, n_samples=3)
    table = found.summary().set_index(["metric", "class"])
    never, always = table.loc[("TPR", "b")], table.loc[("TPR", "a")]
    undefined = "the gap is defined in 0 subsamples only"
    assert (never["n_undefined"], never["reason"]) == (3, undefined)
    assert np.isnan(never["mean"])
    assert (always["mean"], always["reason"]) == (0, "all gaps are equal, so there is no t")
    assert "undefined" in repr(found)
    assert found.to_dict()["gaps"][0]["n"] == 3


def test_a_stopped_run_is_taken_up_again(people, whole, tmp_path):
    calls = []

    def counted(*arguments):
        calls.append(1)
        if len(calls) == 6:
            raise KeyboardInterrupt
        return last_word(*arguments)

    place = tmp_path / "runs"
    with pytest.raises(KeyboardInterrupt):
        run(people, counted, folder=place)
    assert len(list(place.glob("*-*.json"))) == 5
    found = run(people, counted, folder=place)
    assert len(calls) == 6 + 3
    pd.testing.assert_frame_equal(found.gaps, whole.gaps)
    more = run(people, counted, folder=place, n_samples=5)
    assert len(calls) == 9 + 2
    assert len(more.runs) == 10
    (tmp_path / "other").mkdir()
    (tmp_path / "other/file").write_text("")
    louder = people.assign(text=people["text"] + "!")
    for frame, options, error, complaint in (
        (people, {"seed": 2}, OutputError, "of other data or settings.*choose another folder"),
        (people, {"test_share": 0.4}, OutputError, "of other data or settings"),
        (people, {"reference": "female"}, OutputError, "of other data or settings"),
        (louder, {}, OutputError, "of other data or settings"),
        (people, {"seed": None}, ArgumentError, "seed: is needed with a folder"),
        (people, {"folder": tmp_path / "other"}, OutputError, "other: holds file, which is of"),
    ):
        with pytest.raises(error, match=complaint):
            run(frame, **{"folder": place, **options})


@pytest.mark.parametrize("content", ["", "[[", "{}", "[[[1]]]", "null", None])
def test_a_file_that_is_no_result_of_the_protocol_is_refused(people, tmp_path, content):
    """So is one whose counts were changed; what a killed run was writing is not looked at."""
    run(people, folder=tmp_path)
    (tmp_path / ".100-1.json.x1y2.partial.json").write_text('[["')
    path = next(tmp_path.glob("*-100-2.json"))
    before = path.read_text()
    path.write_text(before.replace("1", "2") if content is None else content)
    with pytest.raises(OutputError, match=r"-100-2\.json: is (no table of counts|damaged)"):
        run(people, folder=tmp_path)
    path.unlink()
    run(people, folder=tmp_path)
    assert path.read_text() == before


@pytest.mark.parametrize(
    "X",
    [
        [np.arange(5000.0) for _ in range(100)],
        np.array([np.arange(5000.0) for _ in range(100)] + [None], dtype=object)[:100],
        [{"vector": np.arange(5000.0)} for _ in range(100)],
        pd.DataFrame({"text": ["a"] * 100, "length": np.arange(100.0)}),
        np.zeros((100, 4), dtype=np.float32),
        [["a", "b"]] * 100,
    ],
    ids=["list of arrays", "objects", "mappings", "table", "matrix", "lists"],
)
def test_a_folder_never_serves_other_data(X, tmp_path):
    """Arrays longer than 1,000 were told apart by their first and last three numbers."""
    options = {"sizes": [50], "n_samples": 2, "seed": 1, "folder": tmp_path / "runs"}
    for same in (X, copy.deepcopy(X)):
        classifiers.resampling_protocol(same, *LABELS, A, **options)
    for changed in _changed(X):
        with pytest.raises(OutputError, match="of other data"):
            classifiers.resampling_protocol(changed, *LABELS, A, **options)


def _changed(X):
    """Yield data that differ in one inner number, in a type, or in how rows are cut."""
    if isinstance(X, pd.DataFrame):
        yield X.assign(length=X["length"].astype(int))
        yield X.rename(columns={"text": "title"})
    elif isinstance(X, np.ndarray) and X.dtype != object:
        yield X.astype(np.float64)
        yield X.view(np.int32)
        yield X.reshape(100, 2, 2)
    elif isinstance(X[0], list):
        yield [["ab"]] * 100
        yield ["['a', 'b']"] * 100
    else:
        other = copy.deepcopy(X)
        row = other[7]["vector"] if isinstance(other[7], dict) else other[7]
        row[2500] += 1
        yield other


def test_rows_that_cannot_be_recognised_need_to_do_without_a_folder(tmp_path):
    options = {"sizes": [50], "n_samples": 2, "seed": 1}
    rows = [lambda: None for _ in range(100)]
    classifiers.resampling_protocol(rows, *LABELS, A, **options)
    with pytest.raises(ArgumentError, match="whether such rows are the same in a later run"):
        classifiers.resampling_protocol(rows, *LABELS, A, folder=tmp_path / "r", **options)


@pytest.mark.slow
def test_parallel_runs_give_the_same(people):
    pd.testing.assert_frame_equal(run(people, jobs=2).gaps, run(people).gaps)


def test_a_real_text_classifier_and_what_scrubbing_does():
    """Logistic regression on tf-idf; without indicators the TPR gaps that they made are gone."""
    from sklearn import linear_model as linear
    from sklearn.feature_extraction import text
    from sklearn.pipeline import make_pipeline

    more = classifiers.example_biographies(1500, seed=2)
    model = make_pipeline(text.TfidfVectorizer(), linear.LogisticRegression())
    options = {"sizes": [200, 800], "n_samples": 8}
    raw = run(more, model, **options)
    assert raw.runs.query("size == 800")["accuracy"].mean() > 0.7
    clean = run(classifiers.example_biographies(1500, scrubbed=True, seed=2), model, **options)
    before, after = (f.summary().set_index(["size", "metric", "class"]) for f in (raw, clean))
    assert before["mean"][800, "TPR", "nurse"] > 0.2
    assert abs(after["mean"][800, "TPR", "nurse"]) < 0.15
    assert before["sd"][200, "TPR", "surgeon"] > before["sd"][800, "TPR", "surgeon"]


def test_box_plots(whole):
    axes = whole.plot(classes=["nurse", "surgeon"]).axes
    assert [a.get_title() for a in axes][:3] == ["nurse: GP", "nurse: TPR", "nurse: PP"]
    assert [t.get_text() for t in axes[-1].get_xticklabels()] == ["100", "200"]
    assert len(whole.plot("f1").axes) == 4
    assert len(whole.plot("accuracy").axes) == 1
    with pytest.raises(ArgumentError, match="did you mean 'gaps'"):
        whole.plot("gap")
    with pytest.raises(ArgumentError, match="did you mean 'nurse'"):
        whole.plot(classes=["nurs"])


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
        ({"test_share": 0.01}, "1 of them to test on"),
    ],
)
def test_impossible_protocols(people, options, complaint):
    with pytest.raises(ArgumentError, match=complaint):
        run(people, **options)


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        (lambda X, y, T: ["nurse"], "one per row"),
        (lambda X, y, T: ["nrse"] * len(T), "'nrse' .*not one of the classes; did you mean 'nur"),
    ],
)
def test_bad_classifiers(people, bad, complaint):
    with pytest.raises(PredictionsError, match=complaint):
        run(people, bad)


def test_a_group_with_one_person_of_a_class_is_refused(people):
    people = people.assign(occupation=["pilot", *people["occupation"][1:]])
    with pytest.raises(PredictionsError, match=r"group '\w+' has one person of class 'pilot'"):
        run(people)


def test_scikit_learn_is_asked_for_where_it_is_absent(people, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.model_selection", None)
    with pytest.raises(ArgumentError, match=r"pip install 'bayesbias\[classifiers\]'"):
        run(people)


def test_rows_without_labels(people):
    columns = people["occupation"], people["gender"]
    with pytest.raises(ArgumentError, match="X has 3 rows"):
        classifiers.resampling_protocol(["a"] * 3, *columns, last_word, sizes=[100], seed=1)


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
