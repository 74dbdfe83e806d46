"""Operating characteristics: the methods see the same worlds, and the rates are right."""

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest

import bayesbias as bb
from bayesbias.errors import ArgumentError
from bayesbias.inference.intervals import binomial_interval
from bayesbias.measures.association import effect_size, permutation_test
from bayesbias.simulate import METHODS, operating_characteristics
from bayesbias.simulate.assumptions import Assumptions, draw_world, world_design
from bayesbias.simulate.deciders import World


@pytest.fixture(scope="module")
def world():
    assumed = Assumptions(n_human=6, n_neutral=8)
    design = world_design(assumed, 8, 8)
    response = draw_world(design, assumed, np.random.default_rng(4))
    return World(dataclasses.replace(design, response=response), 0.05, 1)


def as_frame(design):
    """Return a design as a frame of distances."""
    words, attributes = np.array(design.protected_words), np.array(design.attributes)
    connection = np.array(design.connections)[design.connection]
    kind = np.array(design.kinds)[design.kind[design.attribute]]
    return pd.DataFrame(
        {
            "protected_word": words[design.word],
            "group": np.array(["X", "Y"])[design.word % 2],
            "attribute": attributes[design.attribute],
            "attribute_set": np.where(
                kind == "stereotype", np.array(["A", "B"])[design.attribute % 2], kind
            ),
            "connection": connection,
            "cosine_distance": design.response,
        }
    )


def test_weat_sees_the_worlds_distances(world):
    """X's and Y's associations, by hand from the long frame."""
    frame = as_frame(world.design)
    mean = 1 - frame[frame.attribute_set.isin(["A", "B"])].pivot_table(
        index=["group", "protected_word"], columns="attribute_set", values="cosine_distance"
    )
    expected = (mean["A"] - mean["B"]).sort_index()
    s, n_x = world.associations
    assert n_x == 4
    np.testing.assert_allclose(np.sort(s[:4]), np.sort(expected["X"]))
    np.testing.assert_allclose(np.sort(s[4:]), np.sort(expected["Y"]))
    said = METHODS["weat-p"].decide(world)
    assert (said == "bias") == (permutation_test(s, 4).p_value < 0.05)
    said = METHODS["weat-effect"].decide(world)
    assert (said == "bias") == (abs(effect_size(s, 4)) > 0.8)


@pytest.mark.parametrize("model", ["paper", "crossed"])
def test_verdicts_are_those_of_a_fit(world, model):
    fit = bb.fit(as_frame(world.design), model=model, seed=7)
    contrasts = fit.contrasts(rope=0.05).table.set_index("contrast")
    means = getattr(world, model)
    for second in ("different", "neutral"):
        row = contrasts.loc[f"associated − {second}"]
        ours = means["associated"] - means[second]
        assert ours.mean() == pytest.approx(row["mean"], abs=5 * row["sd"] / np.sqrt(1000))


@pytest.mark.sampling
def test_a_permutation_test_keeps_its_level():
    found = operating_characteristics(["weat-p"], worlds=600, effects=[0.0], seed=3).table
    # The level holds with and without attribute effects; 600 worlds know it to 2.7 points.
    for row in found.itertuples():
        low, high = binomial_interval(round(row.says_bias * 600), 600, 0.9973)
        assert low < 0.05 < high


def test_what_is_planted_is_found_by_all():
    few = Assumptions(n_human=10, n_neutral=20)
    found = operating_characteristics(worlds=5, effects=[0.4], assumptions=few, seed=1).table
    assert (found["says_bias"] == 1.0).all()
    assert found["nominal"].isna().all()


def test_the_result_does_not_depend_on_the_number_of_processes():
    options = {"worlds": 30, "effects": [0.0], "seed": 2}
    alone = operating_characteristics(["weat-p", "mac-t"], **options)
    together = operating_characteristics(["weat-p", "mac-t"], jobs=2, **options)
    pd.testing.assert_frame_equal(alone.table, together.table)


def test_tables_and_figure():
    few = Assumptions(n_human=5, n_neutral=5)
    found = operating_characteristics(worlds=3, effects=[0.0, 0.1], assumptions=few, seed=1)
    assert len(found.table) == 2 * 2 * len(METHODS)
    again = json.loads(json.dumps(found.to_dict(), allow_nan=True))
    assert again["assumptions"]["n_human"] == 5
    text = repr(found)
    assert "No association (false alarms), with attribute effects" in text
    assert "3 worlds of 16 protected words" in text
    assert [axis.get_title() for axis in found.plot().axes] == [
        "no association", "associated closer by 0.1",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"methods": ["weatp"]}, "did you mean 'weat-p'"),
        ({"worlds": 0}, "worlds=0"),
        ({"n_words": 7}, "n_words=7"),
        ({"jobs": 0}, "jobs=0"),
        ({"assumptions": Assumptions(n_groups=3)}, "two groups"),
    ],
)
def test_what_makes_no_sense_is_refused(options, complaint):
    with pytest.raises(ArgumentError, match=complaint):
        operating_characteristics(**{"methods": ["mac-t"], "worlds": 1, **options})
