"""Fits that start from those before find what they would find alone."""

import dataclasses

import numpy as np
from alike import designed

from bayesbias.inference import refits as module
from bayesbias.inference.questions import connection_weights
from bayesbias.inference.refits import Refits
from bayesbias.simulate.assumptions import Assumptions, draw_responses, world_frame

CONTRASTS = np.array([[1.0, -1.0, 0.0, 0.0], [1.0, 0.0, 0.0, -1.0]])


def test_what_those_before_found_changes_nothing(monkeypatch):
    """To a tenth of an sd: both rest on 1,000 points, of which at least 150 are effective.

    In 24 other worlds one answer of six is more than .02 sd away and none more than .07; sds differ
    by 4% at most.
    """
    frame = world_frame(8, 8, n_groups=2, n_human=6, n_neutral=8)
    design, spec = designed(frame, "maximal")
    contrasts = connection_weights(design).combined(CONTRASTS)
    few = Assumptions(n_human=6, n_neutral=8).parameters
    rng = np.random.default_rng(1)
    worlds = [
        dataclasses.replace(design, response=draw_responses(design, few, rng)) for _ in range(3)
    ]
    alone = [Refits(spec).answers(world, contrasts) for world in worlds]
    starts, integrate = [], module.integrate

    def watched(block, draws, *, start, proposals):
        starts.append(start)
        return integrate(block, draws, start=start, proposals=proposals)

    monkeypatch.setattr(module, "integrate", watched)
    refits = Refits(spec)
    for world, expected in zip(worlds, alone, strict=True):
        found = refits.answers(world, contrasts)
        assert found.pareto_k < 0.7
        apart = found.log_marginal_likelihood - expected.log_marginal_likelihood
        # A log mean of weights has the variance 1 / 150 at most: three blocks, twice.
        assert abs(apart) < 4 * np.sqrt(2 * 3 / 150)
        for ours, theirs in zip(found.answers, expected.answers, strict=True):
            ends = np.array([*ours.interval(0.89), ours.mean]) - [
                *theirs.interval(0.89),
                theirs.mean,
            ]
            assert np.abs(ends).max() < 0.1 * theirs.sd
            assert abs(ours.sd / theirs.sd - 1) < 0.1
    assert sum(start is None for start in starts) == 3  # one of each block


def test_a_start_from_another_scale_is_not_used():
    """No point of what adapting changes of a millionth is possible for those of a hundredth."""
    frame = world_frame(8, 8, n_groups=2, n_human=0, n_neutral=0).assign(change=0.0)
    design, spec = designed(frame, "change-maximal")
    contrast = connection_weights(design).combined(np.array([[1.0, -1.0]]))
    no_mean = {"connection_mean": {"associated": 0.0, "different": 0.0}}
    assumed = Assumptions().parameters | no_mean
    response = draw_responses(design, assumed, np.random.default_rng(1))
    tiny, usual = (dataclasses.replace(design, response=k * response) for k in (1e-6, 1.0))
    refits = Refits(spec)
    refits.answers(tiny, contrast)
    (found,), (alone,) = (one.answers(usual, contrast).answers for one in (refits, Refits(spec)))
    assert abs(found.mean - alone.mean) < 0.05 * alone.sd
