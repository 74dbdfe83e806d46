"""The same pairs under several conditions: which these are, and sums of their distances."""

import numpy as np
import pandas as pd
import pytest
from samples import FEW, in_copies, make_frame

from bayesbias.errors import DistancesError
from bayesbias.pairs.conditions import Conditions
from bayesbias.pairs.reference import reference_rows

KEY = ["protected_word", "attribute", "connection"]


@pytest.fixture
def frames():
    """Three conditions; the first has its rows in another order, the last lacks a single pair."""
    found = {name: make_frame(n_words=4, n_attributes=FEW, seed=i) for i, name in enumerate("abc")}
    found["a"] = found["a"].sample(frac=1, random_state=1)
    lacks = (found["c"]["protected_word"] == "word1") & (found["c"]["attribute"] == "human0")
    found["c"] = found["c"][~lacks]
    return found


def test_a_pair_that_one_lacks_is_left_out_everywhere(frames):
    found = Conditions.of(frames)
    assert found.unpaired.to_numpy().tolist() == [["word1", "human0", "human", "a, b"]]
    assert found.unshared.empty  # both words are there in other pairs
    assert len(found.pairs) == len(frames["c"])
    first = frames["a"].set_index(KEY).index.tolist()
    assert [key for key in first if key != ("word1", "human0", "human")] == (
        found.pairs.set_index(KEY).index.tolist()
    )
    for name, frame in frames.items():
        assert len(found.under(name)) == len(found.pairs)
        expected = frame.set_index(KEY)["cosine_distance"]
        column = found.distances[:, list(frames).index(name)]
        np.testing.assert_array_equal(expected.loc[found.pairs[KEY].agg(tuple, axis=1)], column)


def test_a_change_is_a_weighted_sum_of_distances_less_one(frames):
    found, weights = Conditions.of(frames), np.array([-0.5, 0.0, 2.0])
    change = found.change(weights)["change"]
    np.testing.assert_allclose(change, (found.distances - 1) @ weights, rtol=0, atol=1e-15)


def test_stacked_distances_are_shrunk_to_the_smallest_scale(frames):
    found = Conditions.of(frames)
    stacked = found.stacked("embedding", {"a": 2.0, "b": 1.0, "c": 4.0})
    for name, share in {"a": 0.5, "b": 1.0, "c": 0.25}.items():
        own = stacked.loc[stacked["embedding"] == name, "cosine_distance"].to_numpy()
        column = found.distances[:, "abc".index(name)]
        np.testing.assert_allclose(own - 1, share * (column - 1), rtol=1e-12)


def test_runs_are_paired_by_name_or_averaged(frames):
    runs = {name: in_copies(frame, ["run"]) for name, frame in frames.items()}
    once = Conditions.of(runs, over_runs=True)
    each = Conditions.of(runs)
    assert "run" not in once.pairs
    assert len(each.pairs) == 3 * len(once.pairs)
    means = pd.DataFrame(each.distances).groupby([each.pairs[column] for column in KEY]).mean()
    index = pd.MultiIndex.from_frame(once.pairs[KEY])
    np.testing.assert_allclose(means.loc[index], once.distances, rtol=1e-12)
    assert len(once.under("b")) == 3 * len(once.pairs)
    renamed = {**runs, "b": runs["b"].assign(run="x" + runs["b"]["run"])}
    assert np.array_equal(Conditions.of(renamed, over_runs=True).distances, once.distances)
    with pytest.raises(DistancesError, match="the frames have no training run in common"):
        Conditions.of(renamed)


def test_reference_words_are_last_and_not_reported(frames):
    stereotypes = frames["a"][frames["a"]["connection"] == "associated"]
    person = stereotypes.drop_duplicates("attribute").assign(protected_word="person")
    person = person.assign(group="reference", connection="reference")
    first = {**frames, "a": pd.concat([person, frames["a"]])}
    assert reference_rows(Conditions.of(first).pairs).empty
    assert "person" not in set(Conditions.of(first).unpaired["protected_word"])
    all_have = {name: pd.concat([person, frame]) for name, frame in frames.items()}
    assert Conditions.of(all_have).pairs["group"].tail(len(person)).eq("reference").all()


def test_what_cannot_be_paired(frames):
    turned = frames["b"].replace({"connection": {"human": "neutral", "neutral": "human"}})
    context = in_copies(frames["b"], ["context"])
    none = frames["b"].assign(attribute="x" + frames["b"]["attribute"])
    for complaint, other in {
        "has not the same connection in the frames of 'a', 'b' and 'c'": turned,
        "the frame of 'b' has several contexts and the frame of 'a' has not": context,
        "no pair in common .* is only in: ": none,
    }.items():
        with pytest.raises(DistancesError, match=complaint):
            Conditions.of({**frames, "b": other})
