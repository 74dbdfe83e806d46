"""Reads saved fits, and checks that they are what was saved."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pandas as pd
import xarray as xr

from bayesbias.errors import (
    FitError,
)
from bayesbias.frames import pairs_checksum
from bayesbias.inference.design import Design
from bayesbias.spec import ModelSpec

if TYPE_CHECKING:
    pass

from bayesbias.fits import FORMAT, PAIR_TEXTS, Fit, posterior_checksum

_GROUPS: Final = ("posterior", "sample_stats", "prior", "observed_data", "constant_data")
_RECORD_KEYS: Final = (
    "seed",
    "created",
    "versions",
    "spec_id",
    "pairs_sha256",
    "posterior_sha256",
    "source",
    "missing",
)


def load_fit(path: str | Path) -> Fit:
    """Load a fit that `Fit.save` wrote.

    Parameters
    ----------
    path : str or Path
        A netCDF file.

    Raises
    ------
    FitError
        If the file is not a saved fit, or its data or model no longer match their checksums.

    Examples
    --------
    >>> load_fit("out/fit.nc").group_summary()  # doctest: +SKIP
    """
    path = Path(path)
    if not path.is_file():
        raise FitError(f"{path}: no such file")
    try:
        tree = xr.load_datatree(path, engine="h5netcdf")
    except Exception as error:  # h5py and xarray raise many kinds on a damaged file
        raise FitError(f"{path}: cannot be read as netCDF ({error})") from error
    if tree.attrs.get("bayesbias_format") is None or set(_GROUPS) - set(tree.children):
        raise FitError(f"{path}: is not a fit saved by bayesbias")
    if tree.attrs["bayesbias_format"] != FORMAT:
        raise FitError(
            f"{path}: has format {tree.attrs['bayesbias_format']}, this version reads {FORMAT}; "
            f"load it with the version that wrote it"
        )
    return _fit_of_tree(tree, path)


def _fit_of_tree(tree: xr.DataTree, path: Path) -> Fit:
    record = json.loads(tree.attrs["record"])
    spec = ModelSpec.from_json(tree.attrs["spec"])
    data = tree["constant_data"]
    columns = [n for n in PAIR_TEXTS if n in data]
    frame = pd.DataFrame({n: [str(v) for v in data[n].to_numpy()] for n in columns})
    frame[spec.response] = tree["observed_data"][spec.response].to_numpy()
    frame.attrs = {k: record[k] for k in ("missing", "source") if record[k] is not None}
    if spec.id != record["spec_id"]:
        raise FitError(f"{path}: its model is not the one that was fitted; the file was changed")
    if pairs_checksum(frame, spec.response) != record["pairs_sha256"]:
        raise FitError(f"{path}: its pairs are not the ones that were fitted; the file was changed")
    loaded = Fit(
        spec=spec,
        frame=frame,
        design=Design.from_frame(frame, spec.response),
        posterior=tree["posterior"].to_dataset(),
        sample_stats=tree["sample_stats"].to_dataset(),
        settings={k: v for k, v in record.items() if k not in _RECORD_KEYS},
        seed=record["seed"],
        created=record["created"],
        versions=record["versions"],
    )
    if posterior_checksum(loaded.posterior) != record["posterior_sha256"]:
        raise FitError(f"{path}: its posterior is not the one that was saved; the file was changed")
    return loaded
