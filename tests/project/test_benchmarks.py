"""The arithmetic of the benchmarks by hand, and the numbers of `tests/pins.csv.gz` still hold."""

import warnings

import numpy as np
import pandas as pd
import pytest
from samples import load_benchmark, load_script

import bayesbias as bb

DRAWN = load_benchmark("drawn_lists")
SPLIT = load_benchmark("split_half")
CLASSICS = load_benchmark("classics")
PINS = load_benchmark("pins")


def test_topics_are_a_word_and_its_nearest():
    angles = np.r_[np.linspace(0, 0.03, 4), 1 + np.linspace(0, 0.03, 4)]
    units = np.c_[np.cos(angles), np.sin(angles)]
    chosen = DRAWN.drawn_topics(units, np.random.default_rng(1))
    assert sorted(map(sorted, chosen.reshape(2, 4).tolist())) == [[0, 1, 2, 3], [4, 5, 6, 7]]


@pytest.mark.parametrize("design", DRAWN.DESIGNS)
def test_random_lists_repeat_no_word_and_belong_to_as_many_groups_as_asked(design):
    rng = np.random.default_rng(0)
    words = tuple("".join(c) for c in rng.choice([*"abcdefgh"], (900, 12)))
    vectors = dict(zip(words, rng.standard_normal((900, 6)), strict=True))
    embedding = DRAWN.Embedding("made", bb.load_embedding(vectors), None)
    result = DRAWN.random_list(embedding, design, rng, (3, 2))
    assert len(set(result.words)) == len(result.words) == 5 * 8 + 16 + 60
    assert [g.associated for g in result.groups] == [("first",)] * 3 + [("second",)] * 2


def test_the_error_of_a_mean_counts_what_is_alike_once():
    values = pd.Series([0.0, 0.0, 1.0, 1.0])
    apart = pd.DataFrame({"cell": [0, 1, 2, 3]})
    # Four values: the sd of the mean, .577 / √4; two clusters that are alike: .707 / √2.
    assert DRAWN.standard_error(values, apart) == pytest.approx(0.57735 / 2, abs=1e-5)
    assert DRAWN.standard_error(values, apart // 2) == pytest.approx(0.70711 / 2**0.5, abs=1e-5)


def test_decisions_count_as_right_by_the_sign_of_the_truth():
    truth, mean = [-0.2, 0.1, -0.1, 0.0], [-0.1, -0.2, -0.1, 0.1]
    ends = {"low": [-0.15, -0.3, -0.3, -0.1], "high": [-0.05, -0.1, 0.1, 0.3]}
    rows = pd.DataFrame({"population": [*"aabb"], "truth": truth, "mean": mean, **ends})
    rows = rows.assign(vectors="v", sd=0.1, scale=0.1)
    result = load_benchmark("populations").of_question(rows)
    assert result[["holds %", "right %", "wrong %"]].tolist() == [50, 25, 25]
    assert result["rms z"] == pytest.approx(np.sqrt((1 + 9 + 0 + 1) / 4))
    assert result["RMSE"] == pytest.approx(0.1 * np.sqrt(11 / 4))
    assert result["slope"] == pytest.approx(np.polyfit(rows["truth"], rows["mean"], 1)[0])


def test_clusters_are_cut_until_they_can_be_dealt():
    assert SPLIT.can_be_dealt(np.array([3, 3, 2]))
    assert not SPLIT.can_be_dealt(np.array([9, 1]))
    angles = np.r_[np.linspace(0, 0.07, 8), 1.5, 3.0]  # one heap of eight, and two that are apart
    clusters, whole = SPLIT.clusters_of(np.c_[np.cos(angles), np.sin(angles)])
    assert SPLIT.can_be_dealt(np.bincount(clusters))
    assert not whole
    assert len(np.unique(clusters)) > 2
    assert 0.3 <= SPLIT.dealt(clusters, np.random.default_rng(3)).mean() <= 0.7


def test_halves_have_no_topic_in_common():
    attributes = [*"abcdefgh"]
    rows = [(w, a, "list") for w in ("she", "he") for a in attributes]
    frame = pd.DataFrame(rows, columns=["protected_word", "attribute", "attribute_set"])
    clusters = {"list": (dict(zip(attributes, np.arange(8) // 2, strict=True)), True)}
    first, second = SPLIT.halves_of(frame, clusters, np.random.default_rng(0))
    assert len(first) + len(second) == len(frame)
    assert set(first["protected_word"]) == set(second["protected_word"])
    for pair in ("ab", "cd", "ef", "gh"):
        assert len(set(pair) & set(first["attribute"])) in (0, 2)


@pytest.mark.filterwarnings("ignore::bayesbias.errors.BayesBiasWarning")
def test_a_subset_has_as_many_words_and_attributes_as_asked():
    frame = bb.distances(bb.example_embedding(), "gender")
    part = load_benchmark("subsets").subset(frame, 2, np.random.default_rng(1))
    stereotypes = part[part["connection"].isin(["associated", "different"])]
    assert stereotypes.groupby("group")["protected_word"].nunique().tolist() == [2, 2]
    assert stereotypes.groupby("attribute_set")["attribute"].nunique().tolist() == [2, 2]
    controls = frame.loc[frame["connection"] == "neutral", "attribute"].nunique()
    assert part.loc[part["connection"] == "neutral", "attribute"].nunique() == controls


@pytest.mark.filterwarnings("ignore::bayesbias.errors.BayesBiasWarning")
def test_the_classics_compute_what_an_analysis_does():
    vectors = bb.example_embedding()
    over_all, *parts = CLASSICS.rows_of(vectors, bb.load_wordlist("gender"))
    fit = bb.analyze(vectors, "gender", seed=1)
    table = fit.contrasts()
    first = table.iloc[0]
    assert (over_all["mean"], over_all["verdict"]) == (first["mean"], first["verdict"])
    assert over_all["standardised_low"] == pytest.approx(first["low"] / fit.scale[0])
    assert over_all["weat_d"] == pytest.approx(1.75, abs=0.01)
    assert (over_all["found"], over_all["words"]) == (32, 39)
    own = table[table["level"] == "list"]
    assert [part["mean"] for part in parts] == own["mean"].tolist()
    pairs = fit.frame.drop_duplicates(["attribute_set", "attribute"])
    sizes = pairs["attribute_set"].value_counts()
    assert [part["attributes"] for part in parts] == sizes[own["list"]].tolist()
    assert [part["topics"] < part["attributes"] for part in parts] == [True, True]
    (few,) = CLASSICS.rows_of(vectors, bb.load_wordlist("weat6"))
    assert few["reason"] == "0 of 8 words of female names"


def test_a_saved_result_says_what_made_it(tmp_path, monkeypatch):
    results = load_script("benchmarks", "saved_results")
    monkeypatch.setattr(results, "FOLDER", tmp_path / "results")
    table = pd.DataFrame({"method": ["MAC", "a, b"], "share": [0.125, np.nan]})
    path = results.save(table, "mine", {"seed": 3})
    assert path.read_text("utf-8").startswith("# made: ")
    again, head = results.read("mine")
    pd.testing.assert_frame_equal(again, table)
    assert head["seed"] == "3"
    assert f"bayesbias {bb.__version__}" in head["versions"]


KEYS = {
    "fits": ("fit/", "distance/"),
    "measures": ("measure/", "drawn/measure/"),
    "debiasing": ("debias/",),
    "analogies": ("analogy/",),
    "classifiers": ("bernstein/", "gap/", "drawn/gap/", "protocol/"),
}
NOW = [(part, "google") for part in ("measures", "analogies", "classifiers")]
FILES = ("google", "glove6b", "glove840b", "twitter")
LATER = [(part, file) for part in ("fits", "debiasing") for file in FILES]
LATER += [("analogies", "glove6b"), *(("measures", file) for file in FILES[1:])]


@pytest.mark.parametrize(
    ("part", "file"), [*NOW, *(pytest.param(*p, marks=pytest.mark.slow) for p in LATER)]
)
def test_pins_hold(data, monkeypatch, part, file):
    """What a part computes of a file (`benchmarks/pins.py`)."""
    monkeypatch.setattr(PINS, "DATA", data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        today = PINS.computed(part, files=[file])
    saved = PINS.read()
    saved = saved[saved.index.str.startswith(KEYS[part])]
    if part != "classifiers":
        saved = saved[saved.index.str.contains(f"/{file}/")]
    table = PINS.differences(today, saved)
    assert table[table["off"] > 1].empty, table[table["off"] > 1]
    assert len(table) > 20
