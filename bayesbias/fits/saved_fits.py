"""Reads saved fits, and checks that they are what was saved."""

import hashlib
import json
import os
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd
import xarray as xr

from bayesbias.errors import FitError
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.storage import (
    FORMAT,
    PROFILE_DATA,
    REFERENCE_DATA,
    SEAL,
    pairs_of,
    posterior_checksum,
)
from bayesbias.inference.design import Design
from bayesbias.inference.parameters import columns_of_levels, drawn_shapes
from bayesbias.inference.specification import ModelSpec
from bayesbias.pairs.distance_frame import pairs_checksum
from bayesbias.pairs.profile_records import of_dataset
from bayesbias.pairs.provenance import RECORDED, with_provenance
from bayesbias.support.arguments import as_path
from bayesbias.support.bounded_files import CHUNK, open_regular, require_regular_file

_MOST_EXPANSION: Final = 4
"""Times the file's size that its arrays may take in memory."""

_GROUPS: Final = ("posterior", "sample_stats", "observed_data", "constant_data")
_RECORD_KEYS: Final = (
    "seed",
    "created",
    "versions",
    "spec_id",
    "pairs_sha256",
    "posterior_sha256",
    *RECORDED,
    "left_out",
)

_KINDS: Final[dict[str, type | tuple[type, ...]]] = {
    **dict.fromkeys(("engine", "sampler", "created"), str),
    **dict.fromkeys(("draws", "chains", "tune"), int),
    "log_marginal_likelihood": (int, float),
    "seed": (int, type(None)),
    "versions": dict,
    "left_out": list,
}
"""Of the parts of a record that sentences are made of; those of pairs are checked with these."""

_NEEDED: Final = ("engine", "draws", "chains", "created", "versions", "left_out")


def load_fit(path: str | Path) -> Fit:
    """Load a fit that `Fit.save` wrote.

    Parameters
    ----------
    path : str or Path
        A netCDF file, or a folder of results with ``fit.nc`` in it.

    Raises
    ------
    FitError
        If the file is not a saved fit, or its data or model no longer match their checksums.

    Examples
    --------
    >>> import tempfile, bayesbias as bb
    >>> frame = bb.distances(bb.example_embedding(), bb.load_wordlist("gender"))
    >>> fit = bb.fit(frame, "paper", seed=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fit.save(f"{folder}/fit.nc")
    ...     load_fit(folder).id == fit.id
    True
    """
    path = as_path(path)
    if os.path.isdir(path):
        path = path / "fit.nc"
    if not os.path.isfile(path):
        raise FitError(f"{path}: no such file")
    import h5py

    _refuse_changed(path)
    try:
        # Both libraries open the path themselves: it is an ordinary file immediately before.
        with h5py.File(require_regular_file(path, FitError), "r"):
            pass  # h5netcdf would complain a second time, at exit, of a file that is no HDF5
        with xr.open_datatree(
            require_regular_file(path, FitError), engine="h5netcdf", phony_dims="access"
        ) as lazy:
            _refuse_bomb(lazy, path)
            tree = lazy.load()
    except FitError:
        raise
    except Exception as error:  # h5py and xarray raise many kinds on a damaged file
        raise FitError(f"{path}: is damaged, or is no netCDF file: cannot be read") from error
    found = tree.attrs.get("bayesbias_format")
    # A damaged attribute may be an array, even an empty one.
    if found is None or np.ndim(found) or set(_GROUPS) - set(tree.children):
        raise FitError(f"{path}: is not a fit saved by bayesbias")
    if found != FORMAT:
        raise FitError(
            f"{path}: has format {found}, this version reads {FORMAT}; "
            f"load it with the version that wrote it"
        )
    try:
        return _fit_of_tree(tree, path)
    except FitError:
        raise
    # What a fit needs is absent or of another kind, and each kind has its own exception.
    except Exception as error:
        raise FitError(f"{path}: its content is damaged; fit again") from error


def _refuse_changed(path: Path) -> None:
    """Refuse a file that was changed: on some damaged ones HDF5 would not return.

    A file without a seal was rewritten by another program, which takes the seal off.
    """
    length = len(SEAL) + 64
    with open_regular(path, FitError) as stream:
        size = stream.seek(0, os.SEEK_END)
        stream.seek(max(size - length, 0))
        seal = stream.read()
        if not seal.startswith(SEAL):
            return
        stream.seek(0)
        digest = hashlib.sha256()
        left = size - length
        while left > 0 and (chunk := stream.read(min(left, CHUNK))):
            digest.update(chunk)
            left -= len(chunk)
    if digest.hexdigest().encode() != seal[len(SEAL) :]:
        raise FitError(f"{path}: is damaged: its bytes are not those that were saved; fit again")


def _refuse_bomb(tree: xr.DataTree, path: Path) -> None:
    """Refuse arrays that are larger than the file: `Fit.save` does not compress."""
    needed = sum(
        int(np.prod(v.shape)) * v.dtype.itemsize
        for node in tree.subtree
        for v in node.variables.values()
    )
    size = path.stat().st_size
    if needed > _MOST_EXPANSION * size:
        raise FitError(
            f"{path}: its arrays would take {needed:,} bytes and the file has {size:,}; it is "
            f"damaged, or was compressed by another program"
        )


def _fit_of_tree(tree: xr.DataTree, path: Path) -> Fit:
    record = json.loads(tree.attrs["record"])
    for name in (*_NEEDED, *record):
        found = record.get(name)
        if not isinstance(found, _KINDS.get(name, object)):
            raise FitError(f"{path}: its record is damaged: {name!r} is {found!r}; fit again")
    for text in (*record["left_out"], *record["versions"].values()):
        if not isinstance(text, str):
            raise FitError(f"{path}: its record is damaged: {text!r} is no text; fit again")
    spec = ModelSpec.from_json(tree.attrs["spec"])
    response = tree["observed_data"].to_dataset()[spec.response]
    frame = pairs_of(tree["constant_data"].to_dataset(), response)
    excluded_rows = pd.DataFrame()
    if REFERENCE_DATA in tree.children:
        data = tree[REFERENCE_DATA].to_dataset()
        excluded_rows = pairs_of(data, data[spec.response])
    known = {k: record[k] for k in RECORDED}
    if PROFILE_DATA in tree.children:
        known["profiles"] = of_dataset(tree[PROFILE_DATA].to_dataset())
    with_provenance(frame, **known)
    if spec.id != record["spec_id"]:
        raise FitError(f"{path}: its model is not the one that was fitted; the file was changed")
    if pairs_checksum(frame, spec.response) != record["pairs_sha256"]:
        raise FitError(f"{path}: its pairs are not the ones that were fitted; the file was changed")
    design = Design.from_frame(frame, spec)
    drawn = tree["posterior"].to_dataset().astype(np.float64)
    loaded = Fit(
        spec=spec,
        frame=frame,
        design=design,
        posterior=drawn.assign_coords(columns_of_levels(design)),
        sample_stats=tree["sample_stats"].to_dataset(),
        settings={k: v for k, v in record.items() if k not in _RECORD_KEYS},
        seed=record["seed"],
        left_out=tuple(record["left_out"]),
        excluded_rows=excluded_rows,
        created=record["created"],
        versions=record["versions"],
    )
    if posterior_checksum(loaded.posterior) != record["posterior_sha256"]:
        raise FitError(f"{path}: its posterior is not the one that was saved; the file was changed")
    for name, shape in drawn_shapes(loaded.design, spec).items():
        if loaded.posterior[name].shape[2:] != shape:
            raise FitError(f"{path}: its posterior is not that of its model; the file was changed")
    return loaded
