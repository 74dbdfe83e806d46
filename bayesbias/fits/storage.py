"""What a fit consists of, and how a file keeps it: groups of xarray, columns there and back."""

import hashlib
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
import xarray as xr

from bayesbias.constants import AFTER, BEFORE
from bayesbias.inference.design import Design
from bayesbias.inference.specification import ModelSpec
from bayesbias.inference.terms import FRAME_COLUMNS
from bayesbias.pairs import provenance
from bayesbias.pairs.distance_frame import pairs_checksum
from bayesbias.pairs.profile_records import as_dataset
from bayesbias.support.compatibility import versions
from bayesbias.support.whole_files import new_file

FORMAT: Final = 4
"""Version of the layout of saved fits, and of what their answers are computed from.

Fits of format 3 had another covariance of similar attributes: their draws do not go with this one.
"""

SEAL: Final = b"\nbayesbias sha256 "
"""What stands in a saved fit before the checksum of all that comes before it."""

COLUMN: Final = "pair_"
"""What stands before the name of a column in the group ``constant_data``."""

LEVELS: Final = "levels_"
"""What stands before the name of a column whose words a saved fit has once, the pairs as codes."""

PROFILE_DATA: Final = "profile_data"
"""The group of a saved fit that tells how alike attributes are."""

REFERENCE_DATA: Final = "reference_data"
"""The group of a saved fit that holds the rows of reference words that were not fitted."""


_ASKED: Final = ("engine", "draws", "chains", "tune", "target_accept", "parametrisation")
"""Settings that the caller chose."""


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class FitData:
    """What a fit consists of, and a saved fit keeps; `Fit` says what each field is."""

    spec: ModelSpec
    frame: pd.DataFrame
    design: Design
    posterior: xr.Dataset
    sample_stats: xr.Dataset
    settings: dict[str, Any]
    seed: int
    left_out: tuple[str, ...] = ()
    excluded_rows: pd.DataFrame = field(default_factory=pd.DataFrame)
    created: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    versions: dict[str, str] = field(default_factory=versions)

    def __post_init__(self) -> None:
        """Round draws as they are saved, so that a fit that is read gives the same answers."""
        object.__setattr__(self, "posterior", rounded(self.posterior))

    @cached_property
    def record(self) -> dict[str, Any]:
        """Seed, engine, versions, checksums and source of the data."""
        return {
            **self.settings,
            "seed": self.seed,
            "created": self.created,
            "versions": self.versions,
            "spec_id": self.spec.id,
            "left_out": list(self.left_out),
            "pairs_sha256": self._pairs_sha256,
            "posterior_sha256": posterior_checksum(self.posterior),
            "source": provenance.source_of(self.frame),
            "missing": provenance.missing_of(self.frame),
        }

    @cached_property
    def id(self) -> str:
        """Twelve hex digits that name the model, the data, the seed and how to sample.

        Only what was asked for counts, nothing that was computed, so that two machines agree.
        """
        asked = {name: self.settings[name] for name in _ASKED if name in self.settings}
        parts = [self.spec.id, self._pairs_sha256, self.seed, asked]
        arrays = [self.design.similarity, self.design.common_loadings]
        arrays += [self.frame[name].to_numpy(dtype=np.float64) for name in self.spec.numbers]
        for array in arrays:
            if array is not None and array.size:
                parts.append(hashlib.sha256(array.tobytes()).hexdigest())
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:12]

    @cached_property
    def _pairs_sha256(self) -> str:
        return pairs_checksum(self.frame, self.spec.response)

    @property
    def input_frame(self) -> pd.DataFrame:
        """The frame that was given: the fitted pairs, then reference words not fitted."""
        if self.excluded_rows.empty:
            return self.frame.copy()
        given = pd.concat([self.frame, self.excluded_rows], ignore_index=True)
        given.attrs = dict(self.frame.attrs)
        return given


def write_fit(fit: FitData, path: str | Path) -> None:
    """Write a fit to a netCDF file, whole or not at all."""
    with new_file(path) as temporary:
        # The model says what levels are of. In memory first: HDF5 crashes where the disk is full.
        groups = {
            **plain_groups(fit),
            "posterior": fit.posterior.reset_coords(drop=True),
            "constant_data": _columns(fit.frame, fit.spec, coded=True),
        }
        if not fit.excluded_rows.empty:
            response = fit.spec.response
            values = ("pair", fit.excluded_rows[response].to_numpy(dtype=np.float64))
            columns = _columns(fit.excluded_rows, fit.spec, coded=True)
            groups[REFERENCE_DATA] = columns.assign({response: values})
        if record := provenance.provenance_of(fit.frame).get("profiles"):
            groups[PROFILE_DATA] = as_dataset(record)
        encoding = {"/posterior": packing(fit.posterior)}
        content = tree_of(fit, groups).to_netcdf(engine="h5netcdf", encoding=encoding)
        with temporary.open("wb") as stream:
            stream.write(content)
            # Behind the end, where HDF5 does not look: `load_fit` checks it before HDF5 reads.
            stream.write(SEAL + hashlib.sha256(content).hexdigest().encode())


def tree_of(fit: FitData, groups: dict[str, xr.Dataset]) -> xr.DataTree:
    """Return groups with the model and the record of a fit."""
    tree = xr.DataTree.from_dict(groups)
    record = json.dumps(fit.record)
    tree.attrs = {"bayesbias_format": FORMAT, "spec": fit.spec.to_json(), "record": record}
    return tree


def plain_groups(fit: FitData) -> dict[str, xr.Dataset]:
    """Return the groups that cannot be made again from others, or cost nothing."""
    pair = {"pair": np.arange(len(fit.frame))}
    observed = {fit.spec.response: ("pair", fit.design.response)}
    return {
        "posterior": fit.posterior,
        "sample_stats": fit.sample_stats,
        "observed_data": xr.Dataset(observed, coords=pair),
        "constant_data": _columns(fit.frame, fit.spec),
    }


def _columns(frame: pd.DataFrame, spec: ModelSpec, *, coded: bool = False) -> xr.Dataset:
    """Return the columns of pairs that a saved fit keeps, except the response.

    Of words that are `coded`, `LEVELS` has each once, and the columns say which.
    """
    texts = dict.fromkeys([*FRAME_COLUMNS, *spec.own_columns])
    columns = {n: frame[n].to_numpy(dtype=object) for n in texts if n in frame}
    levels = {}
    if coded:
        for name, words in columns.items():
            codes, known = pd.factorize(words, use_na_sentinel=False)
            columns[name] = codes.astype(np.int32)
            levels[f"{LEVELS}{name}"] = f"{LEVELS}{name}", np.asarray(known, dtype=object)
    columns |= {n: frame[n].to_numpy() for n in (BEFORE, AFTER, *spec.numbers) if n in frame}
    # PyMC would take a column called as a dimension for that dimension's length.
    return xr.Dataset(
        {f"{COLUMN}{n}": ("pair", v) for n, v in columns.items()} | levels,
        coords={"pair": np.arange(len(frame))},
    )


def pairs_of(data: xr.Dataset, response: xr.DataArray) -> pd.DataFrame:
    """Return the pairs that a group of a saved fit holds, the response last."""
    columns = {}
    for key in map(str, data.data_vars):
        if key.startswith(COLUMN):
            name, values = key.removeprefix(COLUMN), data[key].to_numpy()
            if f"{LEVELS}{name}" in data:
                values = data[f"{LEVELS}{name}"].to_numpy()[values]
            columns[name] = values if values.dtype.kind in "iuf" else [str(v) for v in values]
    return pd.DataFrame(columns).assign(**{str(response.name): response.to_numpy()})


def packing(posterior: xr.Dataset) -> dict[str, dict[str, Any]]:
    """Return how netCDF packs the many draws, those of effects and word means, into 16 bits.

    Steps are powers of two, so that what was rounded stays as it is when it is rounded again.
    """
    found = {}
    for name in map(str, posterior.data_vars):
        centre = 1.0 if name == "word_mean" else 0.0  # unrelated words have distance 1
        values = posterior[name].to_numpy()
        largest = float(max(values.max() - centre, centre - values.min())) if values.size else 0.0
        if (name == "word_mean" or name.endswith("_effect")) and 0 < largest < np.inf:
            # At most 2¹⁴ steps to either side: no draw comes near −2¹⁵, which stands for missing.
            step = 2.0 ** (np.ceil(np.log2(largest)) - 14)
            kind = {"dtype": "int16", "_FillValue": np.int16(-(2**15))}  # which no draw is
            found[name] = {**kind, "scale_factor": step, "add_offset": centre}
    return found


def rounded(posterior: xr.Dataset) -> xr.Dataset:
    """Return a posterior as it comes back from a file."""
    found = {}
    for name, how in packing(posterior).items():
        step, centre = how["scale_factor"], how["add_offset"]
        values = posterior[name].to_numpy() - centre
        values /= step  # in place from here: they are most of a fit
        np.rint(values, out=values)
        values *= step
        values += centre
        found[name] = posterior[name].dims, values, posterior[name].attrs
    return posterior.assign(found)


def posterior_checksum(posterior: xr.Dataset) -> str:
    """Return the SHA-256 of a posterior's draws."""
    digest = hashlib.sha256()
    for name in sorted(map(str, posterior.data_vars)):
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(posterior[name], dtype="<f8"))
    return digest.hexdigest()
