"""Fits saved and loaded: the same answers, and files that were changed are refused."""

import warnings

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from samples import make_frame, posterior_of

import bayesbias as bb
from bayesbias.errors import FitError

FEW = "manager doctor lawyer nurse secretary dancer walk talk dinner eye north puzzle attic reach"


@pytest.fixture(scope="module")
def fits():
    """With K, random groups, matched sets and a covariate; and without any of these."""
    vectors = bb.example_embedding()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gender, few = bb.distances(vectors, "gender"), FEW.split()
    frame = gender[gender["attribute"].isin(few)].reset_index(drop=True)
    frame.attrs = gender.attrs
    rank = {word: float(i) for i, word in enumerate(frame["attribute"].unique())}
    frame["rank"] = frame["attribute"].map(rank)
    whole = bb.fit(frame, vectors=vectors, covariates=["rank"], seed=1, draws=300)
    return {"whole": whole, "paper": bb.fit(make_frame(), "paper", seed=3)}


@pytest.fixture(scope="module", params=["whole", "paper"])
def fit(fits, request):
    return fits[request.param]


@pytest.fixture
def path(fits, tmp_path):
    fits["paper"].save(tmp_path / "fit.nc")
    return tmp_path / "fit.nc"


def test_a_loaded_fit_is_the_one_that_was_saved(fit, tmp_path):
    fit.save(tmp_path / "fit.nc")
    assert [p.name for p in tmp_path.iterdir()] == ["fit.nc"]
    back = bb.load_fit(tmp_path / "fit.nc")
    for name in ("spec", "settings", "seed", "created", "versions", "notes"):
        assert getattr(back, name) == getattr(fit, name)
    assert back.frame.attrs == fit.frame.attrs
    pd.testing.assert_frame_equal(back.contrasts(), fit.contrasts())
    for by in ("connection", "list", "term"):
        pd.testing.assert_frame_equal(back.summary(by), fit.summary(by))
    assert back.log_marginal_likelihood == fit.log_marginal_likelihood
    # Effects are not in the file: the seed draws the same again.
    xr.testing.assert_equal(*map(posterior_of, (back, fit)))
    if fit.random is not None:
        pd.testing.assert_frame_equal(back.random_groups, fit.random_groups)
        pd.testing.assert_frame_equal(back.summary("covariate"), fit.summary("covariate"))
        assert back.contrasts()["random_groups"].notna().any()


def test_a_fit_of_a_folder_answers_by_the_rule_of_the_folder(fits, tmp_path):
    fit, rule = fits["paper"], bb.DecisionRule(rope=0.05, ci_prob=0.95, ci_kind="eti")
    fit.write(tmp_path / "out", rule=rule, report=False, checks=False)
    back = bb.load_fit(tmp_path / "out" / "fit.nc")
    pd.testing.assert_frame_equal(back.contrasts(), fit.contrasts(rule=rule))
    other = bb.DecisionRule(ci_prob=0.5)
    pd.testing.assert_frame_equal(back.contrasts(rule=other), fit.contrasts(rule=other))
    assert back.pairs_sha256 == fit.pairs_sha256


def test_predictions_and_arviz_groups_are_made_again_the_same(fits, path):
    back, fit = bb.load_fit(path), fits["paper"]
    pd.testing.assert_frame_equal(back.predictions(), fit.predictions())
    for group in ("prior", "posterior_predictive", "log_likelihood"):
        one, other = (dict(which.idata[group].data_vars) for which in (back, fit))
        assert list(one) == list(other)
        for name, draws in one.items():
            xr.testing.assert_equal(draws, other[name])


def test_a_byte_that_changed_is_seen(path):
    content = bytearray(path.read_bytes())
    for at in (len(content) // 2, len(content) - 20, 10):
        damaged = content.copy()
        damaged[at] ^= 1
        path.write_bytes(damaged)
        with pytest.raises(FitError, match="is damaged"):
            bb.load_fit(path)
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(FitError, match="is damaged, or is no netCDF file"):
        bb.load_fit(path)
    path.unlink()
    with pytest.raises(FitError, match="No such file"):
        bb.load_fit(path)


def test_a_file_of_another_format_says_so(fits, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("bayesbias.fits.saving.FORMAT", 99)
        fits["paper"].save(tmp_path / "fit.nc")
    with pytest.raises(FitError, match="has format 99, this version reads"):
        bb.load_fit(tmp_path / "fit.nc")


@pytest.mark.parametrize(
    "change",
    [
        lambda tree: None,
        lambda tree: tree["posterior"]["noise_sd"].values.__setitem__(0, 0.5),
        lambda tree: tree.attrs.update(spec="{}"),
    ],
)
def test_a_file_that_another_program_wrote_is_refused(path, change):
    """What is not byte for byte what was saved is no evidence of anything."""
    tree = xr.open_datatree(path, engine="h5netcdf").load()
    change(tree)
    path.unlink()
    tree.to_netcdf(path, engine="h5netcdf")
    with pytest.raises(FitError, match="lacks the checksum at its end"):
        bb.load_fit(path)


def test_a_file_that_another_program_changed_in_place_is_refused(path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "r+") as file:
        file.attrs["record"] = "[]"
    with pytest.raises(FitError, match="is damaged"):
        bb.load_fit(path)


def test_arrays_that_would_not_fit_the_file_are_refused(path, tmp_path):
    """As in a compressed file of zeros."""
    tree = xr.open_datatree(path, engine="h5netcdf").load()
    tree["pairs"] = xr.DataTree(tree["pairs"].to_dataset().assign(zeros=("many", np.zeros(10**7))))
    tree.to_netcdf(
        tmp_path / "bomb.nc", engine="h5netcdf", encoding={"/pairs": {"zeros": {"zlib": True}}}
    )
    with pytest.raises(FitError, match="lacks the checksum at its end"):
        bb.load_fit(tmp_path / "bomb.nc")
