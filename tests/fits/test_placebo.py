"""Placebo lists: drawn in topics, fitted as the real list is, a row for each group."""

import numpy as np
import pandas as pd
import pytest
from alike import list_frame
from samples import make_frame, with_pareto_k

import bayesbias as bb
from bayesbias.errors import ArgumentError, DistancesError, FitError
from bayesbias.fits import placebo
from bayesbias.fits.placebo import _neutral_dealer, _redealer
from bayesbias.inference.refits import Refits
from bayesbias.pairs.profile_records import packed
from bayesbias.pairs.provenance import with_provenance
from bayesbias.pairs.topics import correlations, joined_from, topics, topics_of, topics_sentence

SIZES = (6, 5)
FLOCKS = 12
TOPICS = (3, 2, 1), (2, 2, 1)
LISTS = [f"list{i}" for i, sizes in enumerate(TOPICS) for _ in range(sum(sizes))]
OF_WORD = {
    f"s{i}{word}": f"t{i}{topic}"
    for i, sizes in enumerate(TOPICS)
    for word, topic in enumerate(np.repeat(range(len(sizes)), sizes))
}


def topical_frame() -> pd.DataFrame:
    """Two lists, of topics of 3 + 2 + 1 and 2 + 2 + 1; 36 neutral words in flocks of three.

    A list's attributes have more in common than those of a topic have beside it.
    """
    frame = list_frame(n_words=(4, 4), sizes=SIZES, n_human=4, n_neutral=7, n_reference=4, seed=2)
    part = frame[(frame["connection"] == "neutral") & (frame["attribute"] == "a")]
    rng = np.random.default_rng(5)
    flocks = {f"n{flock}{i}": f"n{flock}" for flock in range(FLOCKS) for i in range(3)}
    more = [
        part.assign(attribute=word, cosine_distance=1 + rng.normal(0, 0.05, len(part)))
        for word in flocks
    ]
    frame = pd.concat([frame[frame["connection"] != "neutral"], *more], ignore_index=True)
    words = frame["attribute"].unique().tolist()
    topic = {word: word for word in words} | OF_WORD | flocks
    lists = dict(zip(OF_WORD, LISTS, strict=True))
    names = sorted({*topic.values(), *LISTS})
    shared = {name: rng.standard_normal(300) for name in names} | {None: np.zeros(300)}
    own = 0.4 * rng.standard_normal((len(words), 300))
    common = [shared[topic[word]] + 2 * shared[lists.get(word)] for word in words]
    profiles = (np.stack(common) + own).T
    record = packed(words, [f"common{i}" for i in range(300)], profiles)
    return with_provenance(frame, source={"made": "by a test"}, profiles=record)


@pytest.fixture(scope="module")
def fit():
    return bb.fit(topical_frame(), seed=1, draws=100)


def without(frame):
    return frame[frame["connection"] != "reference"].reset_index(drop=True)


def named_frame() -> pd.DataFrame:
    """The same, with other topics that the list names: of 5 + 1 and 3 + 2."""
    frame = topical_frame()
    names = dict(zip(OF_WORD, ["a"] * 5 + ["b"] + ["c"] * 3 + ["d"] * 2, strict=True))
    return frame.assign(topic=[names.get(word, word) for word in frame["attribute"]])


def with_rarities(frame: pd.DataFrame) -> pd.DataFrame:
    """Give a frame frequencies, by which placebo words can be drawn."""
    code = pd.factorize(frame["attribute"])[0]
    return frame.assign(word_rarity=0.0, attribute_rarity=code / 10)


def dealt_topics(dealt: pd.DataFrame) -> pd.DataFrame:
    """Return set and topic, as the column names it, of every stereotype of a dealt list."""
    stereotypes = dealt[dealt["connection"].isin(["associated", "different"])]
    return stereotypes.drop_duplicates("attribute").set_index("attribute")


def test_words_are_alike_where_the_record_has_both():
    frame = topical_frame()
    assert topics(correlations(frame, list(OF_WORD)[:6]), joined_from(frame)).tolist() == [0] * 6
    assert topics(np.ones((1, 1)), 0.4).tolist() == [0]
    assert correlations(frame, ["s00", "unheard"]) is None
    assert correlations(make_frame(), ["associated0"]) is None


@pytest.mark.parametrize("like", [False, True])
def test_words_are_drawn_in_topics_as_large_as_those_that_the_fit_counts(like, monkeypatch):
    """Attributes of a list all correlate; topics are of what is left without the list's mean."""
    frame = with_rarities(without(topical_frame()))
    real = topics_of(frame).query("kind == 'stereotype'")
    sizes = real.groupby("topic").size().sort_values(ascending=False).tolist()
    assert sizes == sorted(sum(TOPICS, ()), reverse=True)
    drawn, draw = [], placebo._draw

    def watched(*given):
        drawn.append(draw(*given))
        return drawn[-1]

    monkeypatch.setattr(placebo, "_draw", watched)
    deal, (how,) = _neutral_dealer(frame, like=like)
    assert "of up to 3 attributes: a random word and the words most like it" in how
    for seed in range(5):
        drawn.clear()
        dealt = deal(np.random.default_rng(seed))
        assert [len(words) for words in drawn] == sizes
        words = dealt_topics(dealt)["attribute_set"]
        assert words.value_counts().to_dict() == {"list0": 6, "list1": 5}
        assert words.groupby([words, words.index.str[:-1]]).size()["list0"].max() == 3  # a flock
        assert not set(words.index) & set(dealt[dealt["connection"] == "neutral"]["attribute"])
        assert dealt.attrs == frame.attrs


@pytest.mark.parametrize("like", [False, True])
def test_topics_that_the_list_names_are_those_of_placebo_lists(like):
    """Words drawn as a topic have its name, by which the model knows what is one topic."""
    frame = with_rarities(without(named_frame()))
    deal, (how,) = _neutral_dealer(frame, like=like)
    assert "of up to 5 attributes" in how
    for seed in range(5):
        dealt = dealt_topics(deal(np.random.default_rng(seed)))
        found = dealt.groupby(["attribute_set", "topic"]).size().to_dict()
        named = {("list0", "a"): 5, ("list0", "b"): 1, ("list1", "c"): 3, ("list1", "d"): 2}
        assert found == named
        assert dealt.index.str.startswith("n").all()


def test_dealt_anew_attributes_keep_the_topics_that_the_list_names():
    frame = named_frame()
    deal, _ = _redealer(frame, [])
    dealt = dealt_topics(deal(np.random.default_rng(1)))
    names = frame.drop_duplicates("attribute").set_index("attribute")["topic"]
    assert dealt["topic"].to_dict() == names[dealt.index].to_dict()
    assert dealt["attribute_set"].value_counts().to_dict() == {"list0": 6, "list1": 5}


@pytest.mark.parametrize("kind", ["neutral", "frequency", "redeal"])
def test_the_result_says_how_many_topics_the_fit_counts(kind):
    fit = bb.fit(with_rarities(topical_frame()), seed=1, draws=100)
    assert "11 stereotype in 6" in topics_sentence(fit.frame)
    frame = fit.frame if kind == "redeal" else without(fit.frame)
    like = kind == "frequency"
    deal, _ = _redealer(frame, []) if kind == "redeal" else _neutral_dealer(frame, like=like)
    found = [topics_of(deal(np.random.default_rng([1, 2, k]))) for k in range(3)]
    mean = np.mean([one.query("kind == 'stereotype'")["topic"].nunique() for one in found])
    said = f"6 topics among the 11 attributes of the real list, and {mean:.1f} on average among"
    assert said in repr(fit.placebo(3, kind=kind, progress=False))


def test_named_topics_are_counted_where_words_are_drawn_one_by_one():
    """Without vectors: neutral words are each a topic."""
    frame = without(named_frame())
    frame.attrs = {}
    found = bb.fit(frame, seed=1, draws=100).placebo(2, progress=False)
    assert "Words are drawn one by one" in repr(found)
    assert "The fit counts 4 topics among the 11 attributes of the real list, and 11.0 on" in repr(
        found
    )


def test_without_similarities_words_are_drawn_one_by_one_and_it_says_so():
    found = bb.fit(make_frame(), "crossed", seed=1).placebo(2, progress=False)
    assert "Words are drawn one by one: the frame does not know" in repr(found)
    assert "Reference words" not in repr(found)
    assert "The fit counts" not in repr(found)


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
