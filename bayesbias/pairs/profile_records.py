"""Profiles of attributes as plain data, for the record of a frame."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[np.float64]


def packed(attributes: Sequence[str], sample: Sequence[str], profiles: Array) -> dict[str, Any]:
    """Return profiles (n_sample, n_attributes) as plain data."""
    content = np.ascontiguousarray(profiles, dtype="<f2").tobytes()
    return {
        "attributes": list(attributes),
        "sample_sha256": hashlib.sha256("\0".join(sample).encode()).hexdigest(),
        "rows": len(profiles),
        "float16": base64.b64encode(content).decode(),
    }


def unpacked(record: Mapping[str, Any]) -> tuple[tuple[str, ...], Array]:
    """Return the attributes and the profiles of a record."""
    content = np.frombuffer(base64.b64decode(record["float16"]), dtype="<f2")
    profiles = content.reshape(record["rows"], len(record["attributes"])).astype(float)
    return tuple(record["attributes"]), profiles


def as_dataset(record: Mapping[str, Any]) -> "xr.Dataset":
    """Return a record for a netCDF file, which has no place for long texts."""
    import xarray as xr

    content = np.frombuffer(base64.b64decode(record["float16"]), dtype=np.uint8)
    names = np.array(record["attributes"], dtype=object)
    variables = {"attributes": ("attribute", names), "float16": ("byte", content)}
    return xr.Dataset(variables, attrs={k: record[k] for k in ("sample_sha256", "rows")})


def of_dataset(data: "xr.Dataset") -> dict[str, Any]:
    """Return the record that `as_dataset` was given."""
    return {
        "attributes": [str(name) for name in data["attributes"].to_numpy()],
        "sample_sha256": str(data.attrs["sample_sha256"]),
        "rows": int(data.attrs["rows"]),
        "float16": base64.b64encode(data["float16"].to_numpy().tobytes()).decode(),
    }


def are_profiles(record: Any) -> bool:
    """Tell whether a record, perhaps one read from a file, has the form that is written here."""
    if record is None:
        return True
    try:
        names, rows = record["attributes"], record["rows"]
        sound = (
            isinstance(names, list | tuple)
            and all(isinstance(name, str) for name in names)
            and len({name.encode() for name in names}) == len(names)
            and isinstance(record["sample_sha256"], str)
            and isinstance(rows, int)
            and rows > 0
        )
        return sound and bool(np.isfinite(unpacked(record)[1]).all())
    except (KeyError, TypeError, ValueError):
        return False
