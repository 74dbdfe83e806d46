"""Several embeddings side by side."""

import json
from dataclasses import replace

import numpy as np
import pytest
from alike import list_frame
from samples import FEW, make_frame

import bayesbias as bb
from bayesbias.constants import CONNECTIONS
from bayesbias.errors import ArgumentError, DistancesError, ModelError
from bayesbias.inference.decision import DecisionRule
from bayesbias.report.several import report_of_comparison

SIMPLE = {"draws": 100}
"""Options for what does not hang on the model."""


@pytest.fixture(scope="module")
def frames():
    """Three embeddings: the second like the first, the third with associated pairs farther."""
    first, second, third = (make_frame(n_attributes=FEW, seed=3) for _ in range(3))
    rng = np.random.default_rng(1)
    for frame in (second, third):
        frame["cosine_distance"] += rng.normal(0, 0.01, len(frame))
    third.loc[third.connection == "associated", "cosine_distance"] += 0.2
    return {"one": first, "two": second, "three": third}


@pytest.fixture(scope="module")
def model():
    """Seven terms of thirteen; `test_the_published_embeddings` has all."""
    kept = {"word", "word_list", "group_list", "attribute", "group_attribute", "pair"}
    kept |= {"embedding_connection"}
    spec = bb.load_model("embeddings")
    return spec.without({term.name for term in spec.terms} - kept)


@pytest.fixture(scope="module")
def comparison(frames, model):
    lacking = dict(frames)
    lacking["two"] = frames["two"][frames["two"].attribute != "neutral3"]
    lacking["three"] = frames["three"][frames["three"].protected_word != "word5"]
    return bb.compare_embeddings(lacking, model=model, seed=1)


def test_every_embedding_has_one_answer_from_the_joint_fit(comparison):
    table = comparison.table
    assert table.groupby("embedding", sort=False).size().to_dict() == dict.fromkeys(
        ["one", "two", "three"], 4
    )
    assert table["n_pairs"].tolist() == [15, 15, 20, 35] * 3
    assert np.allclose(table["mean"], table["listed"], atol=0.01)
    assert len(comparison.words) == 3 * 5 * 4
    assert len(comparison.contrasts) == 12
    assert comparison.joint.spec.name == "embeddings"
    assert comparison.to_frame().equals(comparison.contrasts)
    assert repr(comparison).count("associated − different  one ") == 1


def test_the_answers_of_an_embedding_agree_with_each_other(comparison):
    """Means, contrasts and words are weights on one posterior."""
    means = comparison.table.set_index(["embedding", "connection"])["mean"]
    contrasts = comparison.contrasts.set_index(["embedding", "contrast"])["mean"]
    for name in ("one", "two", "three"):
        difference = means[name, "associated"] - means[name, "different"]
        assert contrasts[name, "associated − different"] == pytest.approx(difference)
    words = comparison.words.groupby(["embedding", "connection"])["mean"].mean()
    assert np.allclose(words[means.index], means, atol=0.01)
    # Partial pooling moves a word from the mean of its pairs, by less than two of its sds.
    assert (
        (comparison.words["mean"] - comparison.words["listed"]).abs() < 2 * comparison.words["sd"]
    ).all()


def test_differences_are_in_standard_deviations_of_each_embedding(model):
    """The same embedding with all distances from 1 halved differs from itself in nothing."""
    frame = make_frame(seed=3)
    half = frame.copy()
    half["cosine_distance"] = 1.0 + 0.5 * (half["cosine_distance"] - 1.0)
    half["cosine_distance"] += np.random.default_rng(1).normal(0, 0.002, len(half))
    raw = bb.compare_embeddings({"one": frame, "half": half}, model=model, rope=0.01, seed=1)
    found = replace(raw, rule=DecisionRule())
    row = found.differences.set_index("what").loc["associated − neutral"]
    assert row["unit"] == "sd"
    assert row["rope"] == 0.1
    assert row["verdict"] == "practically equal"
    assert row["mean"] == pytest.approx(0.1, abs=0.03)  # half of −.2: in cosine distance farther
    assert row["low"] > 0
    assert abs(row["standardised"]) < 0.05
    row = raw.differences.set_index("what").loc["associated − neutral"]
    assert (row["unit"], row["rope"], row["verdict"]) == ("distance", 0.01, "farther")
    assert raw.differences["standardised"].equals(found.differences["standardised"])


def test_ranks_have_probabilities(comparison):
    table = comparison.ranks
    assert len(table) == 4 * 3
    ranks = table.set_index(["contrast", "embedding"])
    places = ["rank_1", "rank_2", "rank_3"]
    assert np.allclose(ranks[places].sum(axis=1), 1.0)
    assert np.allclose(ranks[places].groupby("contrast").sum(), 1.0)
    of = ranks.loc["associated − different"]
    assert of.loc["three", "rank_3"] > 0.99
    assert 0.2 < of.loc["one", "rank_1"] < 0.8  # the first two are alike
    assert of.loc["three", "mean_rank"] == pytest.approx(3.0, abs=0.01)
    assert "Probability of each rank by associated − different" in repr(comparison)


def test_words_that_some_lack_are_listed_and_left_out(comparison):
    assert comparison.unshared.to_numpy().tolist() == [
        ["word5", "protected", "one, two", "three"],
        ["neutral3", "attribute", "one, three", "two"],
    ]
    assert len(comparison.joint.frame) == 3 * 5 * (3 + 3 + 4 + 7)
    assert "on the 85 pairs that all share (2 words not in all of them)" in repr(comparison)


def test_differences_between_embeddings_are_found(comparison):
    table = comparison.differences.set_index(["from", "to", "what"])
    assert table.loc[("one", "two", "associated"), "verdict"] == "practically equal"
    row = table.loc[("one", "three", "associated")]
    assert row["low"] < 0.2 < row["high"]
    assert row["verdict"] == "farther"
    row = table.loc[("two", "three", "associated − neutral")]
    assert row["verdict"] == "farther"
    assert table.loc[("one", "three", "human − neutral"), "verdict"] == "practically equal"
    assert len(table) == 3 * 8


def test_many_embeddings_are_ranked_and_their_pairs_left_to_the_table(model, monkeypatch):
    """The table of 190 pairs of 20 was 760 lines, and most of the time of printing."""
    from bayesbias.studies import across_embeddings

    names = [f"e{number}" for number in range(7)]
    sides = {name: make_frame(n_attributes=FEW, seed=i) for i, name in enumerate(names)}
    found = bb.compare_embeddings(sides, model=model, seed=1, **SIMPLE)
    text = repr(found)
    assert "differences" not in vars(found)  # nothing was computed that is not shown
    assert "Each of the 21 pairs of embeddings is a row per contrast in the table" in text
    assert "Between embeddings, second minus first" not in text
    assert all(f"associated − different  {name} " in text for name in names)
    monkeypatch.setattr(across_embeddings, "_MANY", 7)
    with pytest.warns(bb.BayesBiasWarning, match="7 embeddings make 21 pairs, and the time of"):
        table = found.differences
    assert len(table[["from", "to"]].drop_duplicates()) == 21


@pytest.mark.slow
def test_options_reach_all_tables(frames):
    few = {name: frames[name] for name in ("one", "two")}
    found = bb.compare_embeddings(few, rope=0.3, prob=0.5, interval="eti", seed=1, **SIMPLE)
    for table in (found.table, found.words, found.contrasts, found.differences):
        assert set(table["prob"]) == {0.5}
        assert set(table["interval"]) == {"eti"}
    assert set(found.contrasts["rope"]) == set(found.differences["rope"]) == {0.3}
    assert "50% equal-tailed interval" in repr(found)
    assert "(ROPE) is ±0.3. An interval within it means practically equal" in repr(found)
    assert len(json.loads(json.dumps(found.to_dict(), allow_nan=False))["table"]) == 8


@pytest.mark.slow
def test_every_embedding_has_its_own_rope(frames):
    """A default ROPE follows the scale of the distances, in the table, the text and the figure."""
    wide = frames["two"].copy()
    wide["cosine_distance"] = 1.0 + 0.5 * (wide["cosine_distance"] - 1.0)
    found = bb.compare_embeddings({"one": frames["one"], "half": wide}, seed=1, **SIMPLE)
    ropes = found.contrasts.groupby("embedding", sort=False)["rope"].first()
    assert ropes["half"] == pytest.approx(0.5 * ropes["one"], rel=0.1)
    assert f'The other: "half" ±{ropes["half"]:.2g}' in repr(found)
    for axis in found.plot().axes[4:]:
        widths = [bar.get_width() for bar in axis.patches[:2]]
        assert widths == pytest.approx([0.2, 0.2])  # in sds


def test_the_figure_has_a_line_per_embedding(comparison):
    axes = comparison.plot().axes
    assert [axis.get_title() for axis in axes] == [
        *CONNECTIONS,
        "associated − different",
        "associated − human",
        "associated − neutral",
        "human − neutral",
    ]
    labels = [t.get_text() for t in axes[0].get_yticklabels()]
    assert labels == ["one", "two", "three"]


def test_what_cannot_be_compared_is_refused(frames):
    one, two = frames["one"], frames["two"]
    for complaint, other in {
        "no pair in common": two.assign(attribute="x" + two["attribute"]),
        "the distances of 'two' do not vary": two.assign(cosine_distance=1.0),
        "the frame of 'two': lacks the column 'attribute'": two.drop(columns="attribute"),
        "share the connections human; a contrast needs two": two[two["connection"] == "human"],
    }.items():
        with pytest.raises(DistancesError, match=complaint):
            bb.compare_embeddings({"one": one, "two": other})
    with pytest.raises(ArgumentError, match="at least two embeddings"):
        bb.compare_embeddings({"one": one})
    with pytest.raises(ModelError, match="no term by embedding and connection"):
        bb.compare_embeddings(frames, model="change")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::bayesbias.errors.MissingWordsWarning")
def test_the_published_embeddings(data):
    """GloVe lacks one neutral word; its gender contrast is as large in distance, not in sd."""
    frames = {
        name: bb.read_distances(data / f"distances/gender_group_{name}_dataset.csv")
        for name in ("google", "glove")
    }
    found = bb.compare_embeddings(frames, seed=1, draws=500)
    assert found.unshared["word"].tolist() == ["literaly"]
    row = found.contrasts.set_index("contrast").loc["associated − different"]
    assert (row["verdict"].str.startswith("closer")).all()
    row = found.differences.set_index("what").loc["associated − different"]
    assert abs(row["mean"]) < 0.01 < row["high"] - row["low"] < 0.05
    assert row["verdict"] == "farther"
    assert row["standardised_low"] > 0.1
    ranks = found.ranks.set_index(["contrast", "embedding"])["rank_1"]
    assert ranks["associated − different", "google"] > 0.95


def test_who_is_closer_to_each_list_in_every_embedding(model):
    """The mean over lists is the embedding's contrast, and listed is in its own distances."""
    frame = list_frame(n_words=(3, 3), sizes=(4, 4), n_neutral=6)
    half = frame.copy()
    half["cosine_distance"] = 1.0 + 0.5 * (half["cosine_distance"] - 1.0)
    half["cosine_distance"] += np.random.default_rng(1).normal(0, 0.002, len(half))
    found = bb.compare_embeddings({"one": frame, "half": half}, model=model, seed=1)
    lists = found.lists
    assert lists["embedding"].tolist() == ["one", "one", "half", "half"]
    whole = found.contrasts.query("contrast == 'associated − different'").set_index("embedding")
    mean = lists.groupby("embedding")[["mean", "listed"]].mean()
    for column in ("mean", "listed"):
        known = whole.loc[mean.index, column]
        np.testing.assert_allclose(mean[column], known, atol=2e-3 if column == "mean" else 1e-9)
    sides = half[half["attribute_set"] == lists["attribute_set"].iloc[2]]
    by_group = sides.groupby("group")["cosine_distance"].mean()
    row = lists.iloc[2]
    expected = by_group[row["group"]] - by_group[row["other_groups"]]
    assert row["listed"] == pytest.approx(expected, abs=1e-9)
    assert "Who is closer to each attribute list, between groups, in each embedding:" in repr(found)
    assert found.to_dict()["lists"][0]["embedding"] == "one"


@pytest.mark.filterwarnings("ignore::bayesbias.errors.BayesBiasWarning")
def test_chance_is_said_and_explained_wherever_it_is_shown():
    """Between groups it is another one than of contrasts; a page told what neither is."""
    frame = bb.distances(bb.example_embedding(), "weat7")
    frame.loc[frame["connection"] == "associated", "cosine_distance"] -= 0.1
    near = frame.copy()
    near["cosine_distance"] += np.random.default_rng(1).normal(0, 0.01, len(frame))
    found = bb.compare_embeddings({"one": frame, "near": near}, seed=1)
    assert found.lists["verdict"].str.startswith("closer").all()
    chance = found.lists.groupby("attribute_set")["chance"].min()
    assert chance["male_terms"] > 0.4
    assert chance["female_terms"] < 0.05
    title = found.names.set_title["male_terms"]
    for said in found.answers[1:3]:
        assert f"But for {title} this is no more than unrelated groups of words often are: " in said
    (tables,) = [one for one in report_of_comparison(found).sections if one.name == "contrasts"]
    about = tables.parts[-1]
    assert about.endswith(
        "Between groups it is that of the difference compared with neutral words."
    )
    assert about in repr(found)
