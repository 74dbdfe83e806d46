"""The writer of netCDF against that of xarray."""

import numpy as np
import xarray as xr

from bayesbias.support.netcdf_files import netcdf_bytes


def test_a_file_is_read_as_xarrays_own_is(tmp_path):
    data = xr.Dataset(
        {
            "numbers": (("chain", "draw"), np.array([[0.5, np.nan, 2.0]]), {"unit": "sd"}),
            "flags": (("chain", "draw"), np.array([[True, False, True]])),
            "codes": ("draw", np.array([3, 1, 2], np.int32)),
            "texts": ("word", np.array(["er", "größer", ""], dtype=object)),
            "single": ((), 7.0),
            "none": ("nothing", np.zeros(0)),
        },
        coords={"word": ["a", "b", "c"], "kind": ("word", ["x", "x", "y"]), "chain": [4]},
        attrs={"note": "längs", "dims": ["chain", "draw"], "seconds": 1.5},
    )
    tree = xr.DataTree.from_dict({"one": data, "other": data[["codes", "texts"]]})
    tree.attrs = {"format": 3, "spec": "{}"}
    tree.to_netcdf(tmp_path / "xarray.nc", engine="h5netcdf")
    groups = {name: node.to_dataset() for name, node in tree.children.items()}
    (tmp_path / "own.nc").write_bytes(netcdf_bytes(groups, tree.attrs))
    expected, found = (
        xr.load_datatree(tmp_path / f"{name}.nc", engine="h5netcdf") for name in ("xarray", "own")
    )
    xr.testing.assert_identical(found, expected)
    for name, variable in expected["one"].variables.items():
        assert found["one"].variables[name].dtype == variable.dtype
    assert netcdf_bytes(groups, tree.attrs) == netcdf_bytes(groups, tree.attrs)
