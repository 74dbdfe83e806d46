"""Criticism sees groups that differ as a model without contrasts of groups does not expect."""

import numpy as np
import pytest

import bayesbias as bb
from bayesbias.simulate.assumptions import world_frame


def world(association, seed=0):
    """Two groups, eight words and attributes each; the first has the association."""
    rng = np.random.default_rng(seed)
    frame = world_frame(16, 16, n_groups=2, n_human=4, n_neutral=4)
    first = frame["group"] == frame["group"].iloc[0]
    asked = first & (frame["connection"] == "associated")
    attribute = frame["attribute"].astype("category").cat.codes
    noise = 0.05 * rng.standard_normal(len(frame)) + 0.01 * rng.standard_normal(99)[attribute]
    return frame.assign(cosine_distance=0.8 + association * asked + noise)


@pytest.mark.parametrize(
    ("model", "association", "rare"),
    [("crossed", -0.3, True), ("crossed", 0.0, False), ("maximal", -0.3, False)],
)
def test_only_the_model_without_groups_is_surprised(model, association, rare):
    frame = world(association)
    found = bb.fit(frame, model, seed=1).criticism()
    groups = found.groups
    assert (groups.share < 0.05) == rare
    assert ("does not expect" in str(found)) == rare
    plain = frame.groupby(["group", "connection"])["cosine_distance"].mean().unstack()
    contrasts = plain["associated"] - plain["different"]
    assert groups.largest == pytest.approx((contrasts - contrasts.mean()).abs().max(), abs=1e-6)


def test_one_group_has_nothing_to_differ_from():
    frame = world(-0.1)
    one = frame[frame["group"] == frame["group"].iloc[0]]
    assert bb.fit(one, "crossed", seed=1).criticism().groups is None
