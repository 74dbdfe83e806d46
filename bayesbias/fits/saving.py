"""A fit for other programs: as ArviZ takes it, and as one netCDF file, sealed.

Stored are the draws that the rest follows from, the pairs (as Parquet), how alike their attributes
are, and the distances of random groups. Behind the end, where HDF5 does not look, stands a SHA-256
of all that comes before it. A file without it, or with another one, is not read: on some damaged
files HDF5 would not return, and what is read otherwise is what was saved.
"""

import hashlib
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
import xarray as xr

from bayesbias.constants import AFTER, BEFORE, EMBEDDING, MATCH, TEXT_COLUMNS, TOPIC
from bayesbias.engine.collapsed import with_effects
from bayesbias.engine.predictive import (
    draw_predictive,
    draw_prior,
    laws_given_others,
    log_likelihood,
    thinned,
)
from bayesbias.errors import FitError
from bayesbias.models.design import Design
from bayesbias.models.similarity import Similarity
from bayesbias.models.specification import ModelSpec
from bayesbias.support.arguments import as_path
from bayesbias.support.bounded_files import open_regular
from bayesbias.support.compatibility import has_inferencedata, quiet_imports
from bayesbias.support.whole_files import new_file
from bayesbias.words.provenance import missing_of, source_of, with_provenance
from bayesbias.words.random_groups import RandomGroups

if TYPE_CHECKING:
    from bayesbias.fits.fit_result import Fit

FORMAT: Final = 7
"""Version of the layout of saved fits, and of what their answers are computed from."""

_SEAL: Final = b"\nbayesbias sha256 "
_RECORD: Final = ("settings", "seed", "created", "versions", "notes")
_SIMILARITY: Final = {"covariance": ("a", "b"), "common_loadings": ("a", "column"), "topic": ("a",)}
"""Arrays that say how alike attributes are, and their dimensions."""

_MOST_NUMBERS: Final = 20_000_000
_FEWEST_DRAWS: Final = 100


def inference_data(fit: "Fit") -> Any:
    """Everything in ArviZ's schema, as the installed ArviZ takes it; made when first asked for.

    An ``InferenceData`` for ArviZ before 1.0, a ``DataTree`` for later ones, with the same names;
    ``idata.posterior["word_mean"]`` and ``idata["posterior"]`` work on both. Groups ``posterior``,
    ``sample_stats``, ``prior``, ``posterior_predictive``, ``log_likelihood``, ``observed_data`` and
    ``constant_data``, with the same draws, all of them where pairs × draws are at most 20 million.
    """
    few = thinned(fit.draws, max(_FEWEST_DRAWS, _MOST_NUMBERS // len(fit.frame)))
    few = with_effects(few, fit.design, fit.spec, seed=fit.seed) if fit.is_exact else few
    # One independent stream per use, so that adding one never changes another.
    of_prior, of_data = np.random.default_rng([fit.seed, 1]).spawn(2)
    response, pair = fit.spec.response, {"pair": np.arange(len(fit.frame))}
    laws = laws_given_others(few, fit.design, fit.spec)
    predicted = draw_predictive(few, laws, rng=of_data)
    statistics = fit.sample_stats
    if "draw" in statistics.dims:
        statistics = statistics.sel(draw=few["draw"], chain=few["chain"])
    prior = draw_prior(fit.spec, fit.design, draws=1000, rng=of_prior)
    texts = {
        f"pair_{name}": ("pair", fit.frame[name].to_numpy(dtype=object)) for name in TEXT_COLUMNS
    }
    groups = {
        "posterior": few,
        "sample_stats": statistics,
        "prior": prior,
        "posterior_predictive": predicted.to_dataset(name=response),
        "log_likelihood": log_likelihood(few, laws, fit.design.response).to_dataset(name=response),
        "observed_data": xr.Dataset({response: ("pair", fit.design.response)}, coords=pair),
        # PyMC would take a column called as a dimension for that dimension's length.
        "constant_data": xr.Dataset(texts, coords=pair),
    }
    tree = xr.DataTree.from_dict(groups)
    if not has_inferencedata():
        return tree
    with quiet_imports():
        import arviz as az
    return az.from_datatree(tree)


def write_fit(fit: "Fit", path: str | Path) -> None:
    """Write the fit to a netCDF file, whole or not at all.

    Effects, predictions and log-likelihoods follow from what is written and the seed;
    ``fit.idata.to_netcdf`` writes them too.
    """
    spec, alike = fit.spec, fit.design.alike
    wanted = *TEXT_COLUMNS, EMBEDDING, MATCH, TOPIC, *spec.own_columns
    wanted = *wanted, spec.response, BEFORE, AFTER, *spec.numbers
    pairs = pd.DataFrame({name: fit.frame[name] for name in wanted if name in fit.frame})
    packed = np.frombuffer(pairs.to_parquet(index=False), np.uint8)
    groups = {
        "posterior": fit.draws,
        "sample_stats": fit.sample_stats,
        "pairs": xr.Dataset({"parquet": ("byte", packed)}),
    }
    if alike is not None:
        arrays = vars(alike)
        groups["similarity"] = xr.Dataset({n: (of, arrays[n]) for n, of in _SIMILARITY.items()})
    if fit.random is not None:
        groups["random_groups"] = xr.Dataset({"means": (("draw", "cell"), fit.random.means)})
    tree = xr.DataTree.from_dict(groups)
    record = {name: getattr(fit, name) for name in _RECORD}
    record |= {"source": source_of(fit.frame), "missing": missing_of(fit.frame)}
    tree.attrs = {"bayesbias_format": FORMAT, "spec": spec.to_json(), "record": json.dumps(record)}
    with new_file(path) as temporary:
        content = tree.to_netcdf(engine="h5netcdf")  # in memory: HDF5 crashes where a disk is full
        with temporary.open("wb") as stream:
            stream.write(content)
            stream.write(_SEAL + hashlib.sha256(content).hexdigest().encode())


def load_fit(path: str | Path) -> "Fit":
    """Load a fit that `Fit.save` wrote.

    Parameters
    ----------
    path : str or Path
        A netCDF file.

    Returns
    -------
    Fit

    Raises
    ------
    FitError
        If the file is not a saved fit, byte for byte, or of another version's format.

    Examples
    --------
    >>> import tempfile, bayesbias as bb
    >>> fit = bb.analyze(bb.example_embedding(), "gender", "paper", seed=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fit.save(f"{folder}/fit.nc")
    ...     load_fit(f"{folder}/fit.nc").pairs_sha256 == fit.pairs_sha256
    True
    """
    path = as_path(path)
    with open_regular(path, FitError) as stream:
        content, seal, digest = stream.read().rpartition(_SEAL)
    if not seal:
        raise FitError(
            f"{path}: is damaged, or is no netCDF file that bayesbias saved: it lacks the checksum "
            f"at its end, which another program that rewrites it takes away; fit again"
        )
    if hashlib.sha256(content).hexdigest().encode() != digest:
        raise FitError(f"{path}: is damaged: its bytes are not those that were saved; fit again")
    with xr.open_datatree(io.BytesIO(content), engine="h5netcdf") as stored:
        tree = stored.load()
    if (version := tree.attrs["bayesbias_format"]) != FORMAT:
        raise FitError(
            f"{path}: has format {version}, this version reads {FORMAT}; "
            f"load it with the version that wrote it"
        )
    return _fit_of_tree(tree)


def _fit_of_tree(tree: xr.DataTree) -> "Fit":
    from bayesbias.fits.fit_result import Fit

    record, spec = json.loads(tree.attrs["record"]), ModelSpec.from_json(tree.attrs["spec"])
    frame = pd.read_parquet(io.BytesIO(tree["pairs"]["parquet"].to_numpy().tobytes()))
    with_provenance(frame, source=record["source"], missing=record["missing"])
    alike = random = None
    if "similarity" in tree.children:
        arrays: Any = {name: tree["similarity"][name].to_numpy() for name in _SIMILARITY}
        alike = Similarity(**arrays)
    if "random_groups" in tree.children:
        random = RandomGroups(tree["random_groups"]["means"].to_numpy())
    return Fit(
        spec=spec,
        frame=frame,
        design=Design(frame, spec, alike),
        draws=tree["posterior"].to_dataset(),
        sample_stats=tree["sample_stats"].to_dataset(),
        random=random,
        **{name: record[name] for name in _RECORD} | {"notes": tuple(record["notes"])},
    )
