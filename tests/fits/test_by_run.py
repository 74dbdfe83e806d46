"""What a fit says of single training runs."""

import numpy as np
import pandas as pd
import pytest
from samples import FEW, make_frame

import bayesbias as bb
from bayesbias.constants import CONTRASTS, STEREOTYPE_CONNECTIONS
from bayesbias.errors import FitError
from bayesbias.fits.quantities import quantities
from bayesbias.report.shown_levels import summaries_of

RUNS = ["seed 1", "seed 2", "seed 3"]
SHIFT = np.array([-0.15, 0.0, 0.15])
"""What retraining adds to every associated distance."""


def in_runs(frame, shifted):
    """Three runs of the same pairs, of which some connections are shifted."""
    rng, is_shifted = np.random.default_rng(1), frame["connection"].isin(shifted)
    parts = [
        frame.assign(
            run=run,
            cosine_distance=frame["cosine_distance"]
            + shift * is_shifted
            + rng.normal(0, 0.01, len(frame)),
        )
        for run, shift in zip(RUNS, SHIFT, strict=True)
    ]
    return pd.concat(parts, ignore_index=True)


@pytest.fixture(scope="module")
def frame():
    return in_runs(make_frame(n_attributes=FEW, seed=3), ["associated"])


@pytest.fixture(scope="module")
def fit(frame):
    return bb.fit(frame, "runs", seed=1)


@pytest.fixture(scope="module")
def summary(fit):
    return fit.summary(by="run")


def test_every_contrast_has_a_row_per_run_one_over_runs_and_its_sd(summary):
    rows = summary.table.groupby("contrast", sort=False)
    assert list(rows.groups) == [f"{a} − {b}" for a, b in CONTRASTS]
    for _, part in rows:
        assert part["run"].tolist() == [*RUNS, "", ""]
        assert part["quantity"].tolist() == ["in the run"] * 3 + ["over runs", "sd between runs"]


def test_the_planted_shifts_are_found(summary):
    """Runs differ by what was planted; what words and attributes leave open is common to them."""
    part = summary.table[summary.table["contrast"] == "associated − different"]
    means = part["mean"].to_numpy()[:3]
    assert means - means[1] == pytest.approx(SHIFT, abs=0.02)
    still = summary.table[summary.table["contrast"] == "human − neutral"]
    assert np.ptp(still["mean"].to_numpy()[:3]) < 0.02


def test_over_runs_and_between_them_agree_with_contrasts_and_terms(fit, summary):
    for contrast in fit.contrasts().table.itertuples():
        part = summary.table[summary.table["contrast"] == contrast.contrast]
        over = part.iloc[3]
        for name in ("mean", "sd", "low", "high"):  # both without Monte Carlo error
            assert over[name] == pytest.approx(getattr(contrast, name), rel=1e-9)
    sd = fit.posterior["run_connection_sd"]
    at = dict(zip(sd["attribute_kind"].to_numpy(), range(3), strict=True))
    drawn = sd.to_numpy().reshape(-1, 3)
    expected = {
        "associated − different": drawn[:, at["stereotype"]] * 2**0.5,
        "human − neutral": np.hypot(drawn[:, at["human"]], drawn[:, at["neutral"]]),
    }
    spread = summary.table[summary.table["quantity"] == "sd between runs"].set_index("contrast")
    for contrast, draws in expected.items():
        assert spread.loc[contrast, "mean"] == pytest.approx(draws.mean())


def test_rows_of_runs_are_those_of_the_draws(fit, summary):
    """Moments given the standard deviations agree with draws of means and effects."""
    part = summary.table[summary.table["contrast"] == "associated − different"]
    effect = fit.posterior["run_connection_effect"]
    mean = quantities(fit.fitted, "connection").draws  # over groups
    for run in RUNS:
        row = part[part["run"] == run].iloc[0]
        sides = [
            mean[:, i] + effect.sel(run_connection_level=f"{run} × {c}").to_numpy().ravel()
            for i, c in enumerate(("associated", "different"))
        ]
        draws = sides[0] - sides[1]
        assert row["mean"] == pytest.approx(draws.mean(), abs=4 * draws.std() / 4000**0.5)
        assert row["sd"] == pytest.approx(draws.std(), rel=0.1)


@pytest.fixture(scope="module")
def shared():
    """A fit of three runs that shift associated and different pairs alike."""
    return bb.fit(
        in_runs(make_frame(n_attributes=FEW, seed=3), STEREOTYPE_CONNECTIONS), "runs", seed=1
    )


@pytest.mark.parametrize("control", ["human", "neutral"])
def test_a_shift_of_both_stereotype_connections_counts_against_controls(shared, control):
    """The term run is of associated and different: it cancels between them, and there alone."""
    table = shared.summary(by="run").table
    rows = table[table["contrast"] == f"associated − {control}"]
    means = rows["mean"].to_numpy()[:3]
    assert means - means[1] == pytest.approx(SHIFT, abs=0.02)
    sds = shared.posterior["run_sd"], shared.posterior["run_connection_sd"]
    of_kinds = sds[1].sel(attribute_kind=["stereotype", control])
    spread = np.sqrt(sds[0] ** 2 + (of_kinds**2).sum("attribute_kind"))
    assert rows["mean"].iloc[-1] == pytest.approx(float(spread.mean()))
    assert rows["mean"].iloc[-1] > 0.05
    between = table[table["contrast"] == "associated − different"]["mean"].to_numpy()
    assert np.ptp(between[:3]) < 0.02
    drawn = sds[1].sel(attribute_kind="stereotype").to_numpy() * 2**0.5
    assert between[-1] == pytest.approx(drawn.mean())


def test_a_term_that_no_contrast_but_those_with_controls_feels(shared):
    """Without run_connection nothing tells associated − different from run to run."""
    spec = bb.load_model("runs").without(["run_connection"])
    table = bb.fit(shared.frame, spec, seed=1).summary(by="run").table
    assert table["contrast"].unique().tolist() == ["associated − human", "associated − neutral"]
    means = table["mean"].to_numpy()[:3]
    assert means - means[1] == pytest.approx(SHIFT, abs=0.02)


def test_the_text_the_figure_and_the_folder_have_every_run(fit, summary):
    text = str(summary)
    assert text.count("seed 2") == len(CONTRASTS)
    assert "associated − different:" in text
    assert "from run to run" in text
    axis = summary.plot().axes[0]
    labels = [label.get_text() for label in axis.get_yticklabels()]
    assert labels == [*RUNS, "over runs"]
    assert "sd between runs" in axis.get_xlabel()
    assert {"run", "context"} & set(summaries_of(fit, fit.rule())) == {"run"}


def test_no_summary_by_run_without_runs(frame):
    once = frame[frame["run"] == "seed 1"].drop(columns="run")
    with pytest.raises(FitError, match="no term by run and connection for two connections"):
        bb.fit(once, "paper", seed=1).summary(by="run")
