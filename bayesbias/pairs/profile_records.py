"""Profiles of attributes as plain data, for the record of a frame."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbias.support.arrays import Array

if TYPE_CHECKING:
    import xarray as xr


_NUMBERS: Final = ("sample_sha256", "rows", "n_attributes")

RANDOM_SD: Final = "random_sd"
"""The key of the sd of correlations among random words' profiles; records of old have none."""

_BYTES: Final = ("float16", "mean")  # what of a record is numbers, as bytes


def packed(
    attributes: Sequence[str],
    sample: Sequence[str],
    profiles: Array,
    n_attributes: int | None = None,
    mean: Array | None = None,
    *,
    random_sd: float | None = None,
) -> dict[str, Any]:
    """Return profiles (n_sample, n_words) as plain data.

    The first `n_attributes` words are attributes. `mean` (n_words,): what was taken off the
    profiles. `random_sd`: the sd of correlations among random words' profiles.
    """
    known = {} if random_sd is None else {RANDOM_SD: float(random_sd)}
    return {
        "attributes": list(attributes),
        "sample_sha256": hashlib.sha256("\0".join(sample).encode()).hexdigest(),
        "rows": len(profiles),
        "n_attributes": len(attributes) if n_attributes is None else n_attributes,
        "float16": _text(profiles, "<f2"),
        "mean": _text(np.zeros(len(attributes)) if mean is None else mean, "<f2"),
        **known,
    }


def _text(values: NDArray[Any], dtype: str) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype=dtype).tobytes()).decode()


def unpacked(record: Mapping[str, Any]) -> tuple[tuple[str, ...], Array, Array]:
    """Return the words of a record, their profiles, and the mean (n_words,) taken off these."""
    words = tuple(record["attributes"])
    profiles, mean = (
        np.frombuffer(base64.b64decode(record[name]), dtype="<f2").astype(float) for name in _BYTES
    )
    return words, profiles.reshape(record["rows"], len(words)), mean


def as_dataset(record: Mapping[str, Any]) -> "xr.Dataset":
    """Return a record for a netCDF file, which has no place for long texts."""
    found = _plain_dataset(record)
    if "anchors" not in record:
        return found
    part = _plain_dataset(record["anchors"])
    part = part.rename({name: f"{_ANCHOR}{name}" for name in [*part.variables, *part.dims]})
    return found.assign(part.variables).assign_attrs(
        {f"{_ANCHOR}{key}": value for key, value in part.attrs.items()}
    )


_ANCHOR: Final = "anchor_"


def _plain_dataset(record: Mapping[str, Any]) -> "xr.Dataset":
    import xarray as xr

    variables: dict[str, Any] = {
        "attributes": ("attribute", np.array(record["attributes"], dtype=object))
    }
    for name in _BYTES:
        content = np.frombuffer(base64.b64decode(record[name]), dtype=np.uint8)
        variables[name] = (f"byte_of_{name}", content)
    attrs = {key: record[key] for key in (*_NUMBERS, RANDOM_SD) if key in record}
    return xr.Dataset(variables, attrs=attrs)


def of_dataset(data: "xr.Dataset") -> dict[str, Any]:
    """Return the record that `as_dataset` was given."""
    found = _record_of(data, "")
    return (
        {**found, "anchors": _record_of(data, _ANCHOR)} if f"{_ANCHOR}rows" in data.attrs else found
    )


def _record_of(data: "xr.Dataset", prefix: str) -> dict[str, Any]:
    sd = data.attrs.get(f"{prefix}{RANDOM_SD}")
    return {
        "attributes": [str(name) for name in data[f"{prefix}attributes"].to_numpy()],
        "sample_sha256": str(data.attrs[f"{prefix}sample_sha256"]),
        **{name: int(data.attrs[f"{prefix}{name}"]) for name in _NUMBERS[1:]},
        **{name: _text(data[f"{prefix}{name}"].to_numpy(), "u1") for name in _BYTES},
        **({} if sd is None else {RANDOM_SD: float(sd)}),
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
            # Distinct, and valid Unicode, or encoding raises a ValueError.
            and len({name.encode() for name in names}) == len(names)
            and isinstance(record["sample_sha256"], str)
            and isinstance(rows, int)
            and rows > 0
            and isinstance(record["n_attributes"], int)
            and 0 < record["n_attributes"] <= len(names)
            and isinstance(sd := record.get(RANDOM_SD, 0.5), float)
            and 0 < sd <= 1
            and are_profiles(record.get("anchors"))
        )
        if not sound:
            return False
        _, profiles, mean = unpacked(record)
        return len(mean) == len(names) and bool(
            np.isfinite(profiles).all() and np.isfinite(mean).all()
        )
    except (KeyError, TypeError, ValueError, OverflowError):
        return False
