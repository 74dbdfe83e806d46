"""A line between associations and gaps, both with errors: density, coverage, real data."""

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest
from alike import list_frame

import bayesbias as bb
from bayesbias import classifiers
from bayesbias.errors import ArgumentError

FEMALE = ["female", "woman", "girl", "sister", "she", "her", "hers", "daughter", "mother"]
MALE = ["male", "man", "boy", "brother", "he", "him", "his", "son", "father"]


@pytest.fixture(scope="module")
def found():
    """Twelve classes whose TPR gap falls with the association; two groups of 60 persons each."""
    rng = np.random.default_rng(1)
    rows = []
    for k in range(12):
        for group, sign in (("f", 1), ("m", -1)):
            rate = 0.6 - sign * 0.02 * (k - 5.5)
            right = rng.random(60) < rate
            rows += [(f"job {k}", f"job {k}" if r else f"job {(k + 1) % 12}", group) for r in right]
    people = pd.DataFrame(rows, columns=["y", "p", "g"])
    return classifiers.gaps(people, true="y", predicted="p", group="g", seed=1)


def associations(**changes):
    frame = pd.DataFrame(
        {"class": [f"job_{k}" for k in range(12)], "mean": np.arange(12) / 100, "sd": 0.01}
    )
    return frame.assign(**changes)


def test_gaps_that_fall_with_associations(found):
    result = classifiers.outcome(found, associations(), seed=1, metrics=["TPR"])
    row = result.table.iloc[0]
    assert (row["verdict"], row["n_classes"]) == ("falls", 12)
    spread = np.std(np.arange(12), ddof=1)
    assert row["low"] < -0.04 * spread < row["high"]
    assert row["slope"] < row["least_squares"] < 0  # attenuated by the error of associations
    assert row["correlation"] < -0.7
    assert result.classes["word"].tolist()[:2] == ["job_0", "job_1"]
    assert "falls" in repr(result)
    json.dumps(result.to_dict(), allow_nan=False)
    again = classifiers.outcome(found, associations(), seed=1, metrics=["TPR"])
    pd.testing.assert_frame_equal(again.table, result.table)


def test_a_fit_may_be_given_itself_whatever_it_pools(found):
    """Its associations are not pooled; the sign is that of the contrast, closer is below 0."""
    rng = np.random.default_rng(3)
    frame = list_frame(n_words=(12,), sizes=(9, 9), n_human=0, n_neutral=0)
    number = frame["protected_word"].str[5:].astype(int)
    own = frame["connection"] == "associated"
    frame["cosine_distance"] = 0.9 + 0.02 * rng.standard_normal(len(frame))
    frame["cosine_distance"] += 0.02 * (number - 5.5) * own
    words = {f"job {k}": f"word0{k}" for k in range(12)}
    result = classifiers.outcome(
        found, bb.fit(frame, "crossed", seed=1), words=words, seed=1, metrics=["TPR"]
    )
    assert result.table["verdict"].item() == "falls"
    listed = frame[own].groupby("protected_word", sort=False)["cosine_distance"].mean()
    listed -= frame[~own].groupby("protected_word", sort=False)["cosine_distance"].mean()
    classes = result.classes.set_index("word")
    np.testing.assert_allclose(classes["association"], listed[classes.index], atol=1e-5)


def test_a_single_contrast_of_a_fit_is_used_and_words_may_be_named(found):
    words = associations().rename(columns={"class": "protected_word"})
    human = words.assign(contrast="human − neutral", mean=7.0)
    several = pd.concat([words.assign(contrast="associated − different"), human])
    renamed = words.assign(protected_word=[f"w{k}" for k in range(12)])
    names = {f"job {k}": f"w{k}" for k in range(12)}
    expected, *others = (
        classifiers.outcome(found, given, words=named, seed=1, metrics=["TPR"]).table
        for given, named in ((associations(), None), (several, None), (renamed, names))
    )
    for table in others:
        pd.testing.assert_frame_equal(table, expected)


def test_classes_without_an_association_are_left_out_and_told(found):
    result = classifiers.outcome(found, associations().iloc[2:], seed=1, metrics=["TPR", "PP"])
    assert set(result.left_out["class"]) == {"job 0", "job 1"}
    assert result.left_out["reason"].iloc[0] == "no association of 'job_0' is given"
    assert result.table["n_classes"].tolist() == [10, 10]
    assert "Left out of at least one metric: job 0, job 1" in repr(result)


def test_the_figure_of_an_outcome(found):
    result = classifiers.outcome(found, associations(), seed=1)
    assert [a.get_title()[:3] for a in result.plot().axes] == ["GP:", "TPR", "PP:"]
    assert [a.get_title()[:3] for a in result.plot(metric="PP").axes] == ["PP:"]
    with pytest.raises(ArgumentError, match="metric='FPR'"):
        result.plot(metric="FPR")


@pytest.mark.parametrize(
    ("change", "options", "complaint"),
    [
        ({}, {"metrics": ["FPR"]}, "no metric 'FPR'"),
        ({}, {"contrast": "m − f"}, "contrast='m − f'"),
        ({}, {"prob": 2}, "prob=2"),
        ({"mean": np.nan}, {}, "must be finite"),
        ({"mean": 1.0}, {}, "are equal"),
        ({"sd": -1.0}, {}, "not negative"),
        ({"class": "job_1"}, {}, "'job_1' has two rows"),
        ({"class": [f"x{k}" for k in range(12)]}, {}, "0 classes have both .*at least 5"),
    ],
)
def test_bad_outcomes(found, change, options, complaint):
    with pytest.raises(ArgumentError, match=complaint):
        classifiers.outcome(found, associations(**change), seed=1, **options)


def test_gaps_need_an_error_and_must_not_be_pooled(found):
    pooled = dataclasses.replace(found, method="hierarchical")
    point = dataclasses.replace(found, method="point", table=found.table.drop(columns="sd"))
    for gaps, given, complaint in (
        (pooled, associations(), "has pooled them over classes"),
        (point, associations(), "no standard deviations"),
        (found, associations().drop(columns="sd"), "needs the columns"),
        (found.table, associations(), "gaps is a DataFrame; give what classifiers.gaps returns"),
        (None, associations(), "gaps is a NoneType; give what"),
    ):
        with pytest.raises(ArgumentError, match=complaint):
            classifiers.outcome(gaps, given)


@pytest.mark.filterwarnings("ignore::bayesbias.errors.MissingWordsWarning")
def test_occupations_nearer_to_women_have_larger_gaps(data, tmp_path):
    """Bias in Bios and GoogleNews: nurse, dietitian, paralegal against architect, surgeon."""
    names = pd.read_csv(data / "fairness/biasbios_occupations.csv").set_index("label")["occupation"]
    people = pd.read_csv(data / "fairness/biasbios_test_predictions.csv.gz")
    for column in ("y_true", "y_pred_lr"):
        people[column] = people[column].map(names)
    people["gender"] = people["gender"].map({0: "male", 1: "female"})
    columns = {"true": "y_true", "predicted": "y_pred_lr", "group": "gender"}
    vectors = bb.load_embedding(data / "embeddings/googlenews-16k-300d.bin", progress=False)
    occupations = [name for name in names if name in vectors.key_to_index]
    path = tmp_path / "occupations.toml"
    path.write_text(
        f'title = "Occupations"\nsource = "test"\n[protected]\noccupation = {occupations}\n'
        f'[associated]\noccupation = ["female"]\n[attributes]\nfemale = {FEMALE}\nmale = {MALE}\n'
    )
    frame = bb.distances(vectors, bb.load_wordlist(path))
    fit = bb.fit(frame, model="no-pooling", seed=1)
    gaps = classifiers.gaps(people, **columns, seed=1)
    result = classifiers.outcome(gaps, fit.contrasts(by="word").to_frame(), seed=1)
    table = result.table.set_index("metric")
    pooled = classifiers.outcome(gaps, bb.fit(frame, seed=1), seed=1)
    # 'no-pooling' has a prior for words that moves them by up to a hundredth; a fit has none.
    assert np.abs(pooled.classes["association"] - result.classes["association"]).max() < 0.001
    # Similar attributes tell less than as many others, so that more error is taken off.
    assert (pooled.classes["association_sd"] > result.classes["association_sd"]).all()
    assert (pooled.table["slope"].to_numpy() < table["slope"]).all()
    assert (pooled.table["verdict"] == "falls").all()
    assert (table["n_classes"] == 23).all()
    assert (table["verdict"] == "falls").all()
    assert (table["p_above_zero"] < 0.02).all()
    assert set(result.left_out["class"]) == {
        *("dj", "personal_trainer", "rapper", "software_engineer", "yoga_teacher")
    }
