"""Several embeddings, each trained several times: retraining is not taken for a difference."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import bayesbias as bb
from bayesbias.errors import DistancesError
from bayesbias.simulate.assumptions import world_frame
from bayesbias.studies.comparison import retraining_error

CONTRAST = "associated − different"
SHIFT = 0.02


def embeddings(seed, difference=0.0, n_runs=3):
    """Two embeddings of the same pairs; runs shift connections, and one associated pairs."""
    pairs = world_frame(8, 12, n_groups=2, n_human=0, n_neutral=0)
    rng = np.random.default_rng([5, seed])
    is_different = (pairs["connection"] == "different").to_numpy(dtype=int)
    base = 0.9 + 0.05 * rng.standard_normal(len(pairs))
    found = {}
    for name, moved in (("one", 0.0), ("two", difference)):
        runs = []
        for run in range(n_runs):
            shift = (SHIFT * rng.standard_normal(2) + [moved, 0.0])[is_different]
            distance = base + shift + 0.01 * rng.standard_normal(len(pairs))
            runs.append(pairs.assign(run=f"seed {run + 1}", cosine_distance=distance))
        found[name] = pd.concat(runs, ignore_index=True)
    return found


@pytest.fixture(scope="module")
def comparison():
    return bb.compare_embeddings(embeddings(0, difference=-0.2, n_runs=4), seed=1)


def is_alarm(found):
    row = found.differences.set_index("what").loc[CONTRAST]
    return bool(row["low"] > 0 or row["high"] < 0)


@pytest.mark.slow
@pytest.mark.sampling
def test_retraining_alone_raises_few_alarms_unless_its_error_is_left_out():
    """Of 4 intervals that miss with probability .11, more than 2 do in 1 of 200 such studies."""
    found = [bb.compare_embeddings(embeddings(s, n_runs=5), seed=1) for s in range(4)]
    alarms = sum(map(is_alarm, found))
    without = sum(is_alarm(replace(comparison, runs={})) for comparison in found)
    assert alarms <= 2 < without


def test_a_planted_difference_is_found(comparison):
    """Four runs of each shift a contrast by .02 √2 √(2/4) = .02 between the embeddings."""
    row = comparison.differences.set_index("what").loc[CONTRAST]
    assert row["verdict"] == "closer"
    assert abs(row["mean"] + 0.2) < 3 * SHIFT
    assert {fit.spec.name for fit in comparison.runs.values()} == {"runs"}
    assert len(comparison.joint.frame) == 2 * 8 * 12
    assert 'means over training runs (4 of "one", 4 of "two")' in repr(comparison)
    assert "on the 96 pairs" in repr(comparison)
    again = replace(comparison)  # has computed nothing yet
    assert again.contrasts.equals(comparison.contrasts)


def test_the_error_of_retraining_is_added_to_the_variance(comparison):
    """The joint fit's own error and that of retraining, in each row of `contrasts`."""
    signs = [{"associated": 1.0, "different": -1.0}]
    for name, fit in comparison.runs.items():
        sd = fit.posterior["run_connection_sd"].to_numpy().ravel()
        error = retraining_error(fit, signs)[:, 0]
        assert error == pytest.approx(sd * np.sqrt(2 / 4))
        rows = comparison.contrasts.set_index("embedding")
        assert rows.loc[name, "sd"] > np.sqrt((error**2).mean())


def test_what_a_run_shifts_in_all_distances_counts_in_means_and_cancels_in_contrasts(comparison):
    fit = comparison.runs["one"]
    both = {n: fit.posterior[f"{n}_sd"].to_numpy().ravel() for n in ("run", "run_connection")}
    mean = retraining_error(fit, [{"associated": 1.0}])[:, 0]
    assert mean == pytest.approx(np.sqrt((both["run"] ** 2 + both["run_connection"] ** 2) / 4))


def test_runs_of_some_embeddings_alone_are_refused():
    one, two = embeddings(1).values()
    once = two[two["run"] == "seed 1"]
    for complaint, other in {
        "'one' has several training runs and the frame of 'two' has not": once.drop(columns="run"),
        "the frame of 'two' has a single training run": once,
        "is in 2 of 3 training runs; keep the pairs": two.iloc[1:],
    }.items():
        with pytest.raises(DistancesError, match=complaint):
            bb.compare_embeddings({"one": one, "two": other})
