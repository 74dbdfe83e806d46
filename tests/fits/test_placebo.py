"""Placebo lists: drawn in topics, fitted as the real list is, a row for each group."""

import numpy as np
import pandas as pd
import pytest
from alike import list_frame
from samples import make_frame, with_pareto_k

import bayesbias as bb
from bayesbias.errors import ArgumentError, DistancesError, FitError
from bayesbias.fits.placebo import _neutral_dealer, _redealer
from bayesbias.inference.refits import Refits
from bayesbias.pairs.profile_records import packed
from bayesbias.pairs.provenance import with_provenance
from bayesbias.pairs.topics import correlations, joined_from, topics

SIZES = (4, 3)
FLOCKS = 12


WORDS = [f"s{i}{j}" for i, n in enumerate(SIZES) for j in range(n)]
OF_TOPICS = ("s00", "s01", "s02", "s10", "s11")


def topical_frame() -> pd.DataFrame:
    """Two lists, of topics of 3 + 1 and 2 + 1; 36 neutral words in flocks of three."""
    frame = list_frame(n_words=(4, 4), sizes=SIZES, n_human=4, n_neutral=7, n_reference=4, seed=2)
    part = frame[(frame["connection"] == "neutral") & (frame["attribute"] == "a")]
    rng = np.random.default_rng(5)
    flocks = {f"n{flock}{i}": f"n{flock}" for flock in range(FLOCKS) for i in range(3)}
    more = [
        part.assign(attribute=word, cosine_distance=1 + rng.normal(0, 0.05, len(part)))
        for word in flocks
    ]
    frame = pd.concat([frame[frame["connection"] != "neutral"], *more], ignore_index=True)
    topic = {word: f"t{word[:2]}" if word in OF_TOPICS else word for word in WORDS} | flocks
    words = frame["attribute"].unique().tolist()
    shared = {name: rng.standard_normal(300) for name in sorted({topic.get(w, w) for w in words})}
    profiles = np.stack(
        [shared[topic.get(w, w)] + 0.4 * rng.standard_normal(300) for w in words], axis=1
    )
    record = packed(words, [f"common{i}" for i in range(300)], profiles)
    return with_provenance(frame, source={"made": "by a test"}, profiles=record)


@pytest.fixture(scope="module")
def fit():
    return bb.fit(topical_frame(), seed=1, draws=100)


def without(frame):
    return frame[frame["connection"] != "reference"].reset_index(drop=True)


def test_topics_are_those_of_the_list():
    frame = topical_frame()
    found = topics(correlations(frame, WORDS[:4]), joined_from(frame))
    assert found.tolist() == [0, 0, 0, 1]
    assert topics(np.ones((1, 1)), 0.4).tolist() == [0]
    assert correlations(frame, ["s00", "unheard"]) is None
    assert correlations(make_frame(), ["associated0"]) is None


def test_words_of_a_placebo_list_are_in_topics_as_large_as_the_real_ones():
    frame = without(topical_frame())
    deal, (how,) = _neutral_dealer(frame, like=False)
    assert "whose 7 attributes are in 4 topics of up to 3" in how
    for seed in range(5):
        dealt = deal(np.random.default_rng(seed))
        stereotypes = dealt[dealt["connection"].isin(["associated", "different"])]
        words = stereotypes.drop_duplicates("attribute").set_index("attribute")["attribute_set"]
        assert words.value_counts().to_dict() == {"list0": 4, "list1": 3}
        flocks = words.groupby([words, words.index.str[:-1]]).size()
        assert flocks["list0"].max() >= 3
        assert flocks["list1"].max() >= 2
        assert not set(words.index) & set(dealt[dealt["connection"] == "neutral"]["attribute"])
        assert dealt.attrs == frame.attrs


def test_without_similarities_words_are_drawn_one_by_one_and_it_says_so():
    found = bb.fit(make_frame(), "crossed", seed=1).placebo(2, progress=False)
    assert "Words are drawn one by one: the frame does not know" in repr(found)
    assert "Reference words" not in repr(found)


def test_the_real_list_is_fitted_as_placebo_lists_are(fit):
    found = fit.placebo(1, progress=False)
    assert "are without reference words" in repr(found)
    alone = bb.fit(without(topical_frame()), seed=1)
    assert alone.design.similarity is not None
    groups = alone.contrasts("group").table.assign(by="group")
    expected = pd.concat([alone.contrasts().table.assign(group="all"), groups])
    expected = expected.set_index(["group", "contrast"])
    for row in found.table.itertuples():
        whole = expected.loc[(row.group, row.contrast)]
        assert abs(row.mean - whole["mean"]) < 0.06 * whole["sd"]


def test_every_group_has_its_place_among_random_lists(fit):
    found = fit.placebo(5, progress=False)
    rows = found.table[["group", "contrast"]].to_numpy().tolist()
    assert rows == [
        ["all", "associated − different"],
        ["all", "associated − neutral"],
        ["group0", "associated − different"],
        ["group1", "associated − different"],
    ]
    for row in found.table.itertuples():
        own = found.lists[
            (found.lists["group"] == row.group) & (found.lists["contrast"] == row.contrast)
        ]
        assert row.p == pytest.approx((1 + (own["mean"].abs() >= abs(row.mean)).sum()) / 6)
    assert "place among random lists" in repr(found)
    titles = [axis.get_title() for axis in found.plot().axes]
    assert titles[2].startswith("group0, associated − different\nreal ")
    assert titles[0].startswith("associated − different\nreal ")


def test_dealt_anew_the_model_keeps_reference_words_and_similarities(fit, monkeypatch):
    seen = []
    refit = Refits.answers

    def watched(self, design, *asked, **also):
        seen.append((design.connections, design.similarity is not None))
        return refit(self, design, *asked, **also)

    monkeypatch.setattr(Refits, "answers", watched)
    found = fit.placebo(1, kind="redeal", progress=False)
    assert len(seen) == 2
    assert all("reference" in names and similar for names, similar in seen)
    assert "left out" not in repr(found)
    whole = fit.contrasts("group").table.query("contrast == 'associated − different'")
    real = found.table.set_index("group")["mean"]
    for row in whole.itertuples():
        assert abs(real[row.group] - row.mean) < 0.06 * row.sd


def test_reference_words_meet_the_attributes_where_they_were_dealt():
    frame = topical_frame()
    deal, _ = _redealer(frame, [])
    dealt = deal(np.random.default_rng(1))
    assert len(dealt) == len(frame)
    rows = dealt[dealt["connection"].isin(["associated", "different", "reference"])]
    assert rows.groupby("attribute")["attribute_set"].nunique().max() == 1
    sets = frame.drop_duplicates("attribute").set_index("attribute")["attribute_set"]
    assert (rows["attribute_set"] != rows["attribute"].map(sets)).any()
    reference = dealt["connection"] == "reference"
    assert dealt[reference]["group"].unique().tolist() == ["reference"]


def test_lists_whose_fit_failed_are_named(small_fit, monkeypatch):
    with_pareto_k(monkeypatch, iter([0.1, 0.2, 0.95, 0.3]))
    found = small_fit.placebo(3, progress=False)
    assert (found.table["n_bad_k"] == 1).all()
    assert found.lists.query("pareto_k > 0.7")["number"].unique().tolist() == [1]
    assert "Of 3 placebo lists, 1 could not be fitted well (Pareto k above 0.7): 1." in repr(found)


def test_what_cannot_be_dealt_is_refused(small_fit):
    with pytest.raises(ArgumentError, match="n=0: give a whole number of placebo lists"):
        small_fit.placebo(0)
    with pytest.raises(DistancesError, match="how frequent the words are is not known"):
        small_fit.placebo(1, kind="frequency")
    frame = make_frame(n_attributes={"associated": 6, "human": 10, "neutral": 2})
    alone = bb.fit(frame, "crossed", seed=1, draws=100)
    with pytest.raises(FitError, match="cannot be redealt"):
        alone.placebo(1, kind="redeal")
    with pytest.raises(FitError, match="need at least 8 of them"):
        alone.placebo(1)


def test_the_stereotypes_places_are_taken_by_words_as_frequent():
    """Of 40 neutral words in order of rarity the rarest are as rare as the stereotypes."""
    frame = make_frame(n_attributes={"associated": 4, "different": 4, "human": 2, "neutral": 40})
    places = {f"{word}": i for i, word in enumerate(frame["attribute"].unique())}
    frame["word_rarity"] = 0.0
    is_neutral = frame["connection"] == "neutral"
    frame["attribute_rarity"] = frame["attribute"].map(places).where(is_neutral, 1000.0)
    rarest = frame.loc[is_neutral, "attribute_rarity"].drop_duplicates().nlargest(10 + 7).min()
    lowest = []
    for like in (False, True):
        deal, how = _neutral_dealer(frame, like=like)
        lists = [deal(np.random.default_rng(seed)) for seed in range(5)]
        lowest.append(
            min(d.query("connection == 'associated'")["attribute_rarity"].min() for d in lists)
        )
    assert lowest[0] < rarest <= lowest[1]
    assert "10 that are nearest in frequency" in how[0]
