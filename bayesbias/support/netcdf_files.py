"""Writes data sets as netCDF with h5py alone: h5netcdf takes four times as long."""

from collections.abc import Mapping
from itertools import count
from typing import Any, Final

import numpy as np
import xarray as xr
from xarray.conventions import encode_cf_variable, encode_dataset_coordinates

_NO_VARIABLE: Final = "This is a netCDF dimension but not a netCDF variable."


def netcdf_bytes(groups: Mapping[str, xr.Dataset], attributes: Mapping[str, Any]) -> bytes:
    """Return a netCDF-4 file of data sets, a group each, and of attributes of the whole.

    The layout is that of the netCDF library, for which dimensions are HDF5's dimension scales.
    """
    import h5py

    numbers = count()
    memory: dict[str, Any] = {"driver": "core", "backing_store": False, "block_size": 1 << 22}
    with h5py.File("netcdf", "w", track_order=True, **memory) as file:
        _describe(file, attributes)
        for of_group, data in groups.items():
            group = file.create_group(of_group, track_order=True)
            variables, of_data = encode_dataset_coordinates(data)
            _describe(group, of_data)
            for name, variable in variables.items():
                encoded = encode_cf_variable(variable, name=name)
                fill = encoded.attrs.get("_FillValue")
                how = {"fillvalue": fill, "track_order": True}
                place = group.create_dataset(name, data=_stored(encoded.to_numpy()), **how)
                _describe(place, encoded.attrs)
            for dim, size in data.sizes.items():
                if dim not in variables:
                    group.create_dataset(dim, (size,), ">f4", track_order=True)
                group[dim].make_scale(dim if dim in variables else f"{_NO_VARIABLE}{size:10}")
                group[dim].attrs["_Netcdf4Dimid"] = np.int32(next(numbers))
            scales = {dim: group[dim] for dim in data.sizes}
            for name, variable in variables.items():
                for axis, dim in enumerate(variable.dims if name not in scales else ()):
                    group[name].dims[axis].attach_scale(scales[dim])
        file.flush()
        content: bytes = file.id.get_file_image()
        return content


def _describe(place: Any, attributes: Mapping[str, Any]) -> None:
    """Give attributes to a file, group or variable; numbers are arrays there."""
    for name, value in attributes.items():
        place.attrs[name] = _stored(value if isinstance(value, str) else np.atleast_1d(value))


def _stored(values: Any) -> np.ndarray:
    """Return values as h5py takes them, which knows texts of any length by their type."""
    import h5py

    found = np.asarray(values)
    return found.astype(h5py.string_dtype()) if found.dtype.kind in "OU" else found
