"""Fits a model to a frame of distances; a `Fit` answers questions about the posterior."""

import hashlib
import json
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
import xarray as xr

from bayesbias._compat import versions
from bayesbias.atomic import new_file
from bayesbias.constants import CONNECTION, DISTANCE, HDPI_PROB, INNER_PROB, PROTECTED_WORD
from bayesbias.diagnostics import Diagnostics, diagnose
from bayesbias.errors import ConvergenceWarning, FitError
from bayesbias.frames import missing_words, pairs_checksum, validate_distances
from bayesbias.inference.design import Design
from bayesbias.inference.nuts import NutsSettings, sample_nuts
from bayesbias.inference.predictive import draw_predictive, draw_prior, log_likelihood, thinned
from bayesbias.spec import ModelSpec, load_model
from bayesbias.summaries import count_pairs, coverage_table, predictions, summarise

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_FORMAT: Final = 1
_GROUPS: Final = ("posterior", "sample_stats", "prior", "posterior_predictive", "log_likelihood",
                  "observed_data", "constant_data")  # fmt: skip
_PAIR_TEXTS: Final = (PROTECTED_WORD, "group", "attribute", "attribute_set", CONNECTION)


def fit(
    frame: pd.DataFrame,
    *,
    model: str | Path | ModelSpec = "paper",
    seed: int | np.random.Generator | None = None,
    draws: int = 2000,
    tune: int = 1000,
    chains: int = 4,
    cores: int | None = None,
    sampler: str = "auto",
    parametrisation: str = "auto",
    target_accept: float = 0.97,
    progress: bool | None = None,
) -> "Fit":
    """Fit a model to a frame of distances.

    Parameters
    ----------
    frame : DataFrame
        From `distances` or `read_distances`.
    model : str, Path or ModelSpec
        A shipped model's name, the path of a specification, or one made in code.
    seed : int or Generator, optional
        The same seed gives the same draws with the same versions; it is recorded in the result.
        None draws one.
    draws, tune, chains : int
        Kept draws and warm-up per chain, and number of chains.
    cores : int, optional
        Chains sampled at a time; draws do not depend on it.
    sampler : {"auto", "pymc", "nutpie"}
        "auto" is nutpie where it is installed, else PyMC's own NUTS.
    parametrisation : {"auto", "centred", "non-centred"}
        How word means are written for the sampler; the posterior is the same.
    target_accept : float
        NUTS's target acceptance, between 0 and 1.
    progress : bool, optional
        Show a progress bar; by default in a terminal or a notebook.

    Returns
    -------
    Fit

    Raises
    ------
    DistancesError
        If the frame cannot be analysed.
    ModelError
        If there is no such model.
    ArgumentError
        If an argument is outside its range.

    Warns
    -----
    ConvergenceWarning
        If the draws should not be trusted; the message says why and what to do.

    Examples
    --------
    >>> import bayesbias as bb
    >>> frame = bb.read_distances("religion_group_reddit_dataset.csv")  # doctest: +SKIP
    >>> bb.fit(frame, model="paper", seed=1).group_summary()  # doctest: +SKIP
    """
    settings = NutsSettings(draws, tune, chains, cores, sampler, parametrisation, target_accept)
    spec = load_model(model)
    validate_distances(frame)
    frame = frame.reset_index(drop=True)
    seed = _as_integer(seed)
    design = Design.from_frame(frame)
    shown = _shows_progress() if progress is None else progress
    posterior, statistics, record = sample_nuts(design, spec, settings, seed=seed, progress=shown)
    record |= {"seed": seed, **_record_of(frame, spec)}
    result = Fit(_tree(posterior, statistics, design, frame, spec, record))
    if result.diagnostics.problems:
        warnings.warn(result.diagnostics.sentence, ConvergenceWarning, stacklevel=2)
    return result


def _as_integer(seed: int | np.random.Generator | None) -> int:
    """Return a seed that can be written down and used again."""
    if isinstance(seed, int | np.integer) and not isinstance(seed, bool):
        return int(seed)
    return int(np.random.default_rng(seed).integers(2**31))


def _shows_progress() -> bool:
    from rich.console import Console

    console = Console(stderr=True)
    return console.is_terminal or console.is_jupyter


def _record_of(frame: pd.DataFrame, spec: ModelSpec) -> dict[str, Any]:
    return {
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions(),
        "spec_id": spec.id,
        "pairs_sha256": pairs_checksum(frame),
        "source": frame.attrs.get("source", {}),
        "missing": frame.attrs.get("missing"),
    }


def _tree(
    posterior: xr.Dataset,
    statistics: xr.Dataset,
    design: Design,
    frame: pd.DataFrame,
    spec: ModelSpec,
    record: dict[str, Any],
) -> xr.DataTree:
    """Put everything about a fit into one DataTree in ArviZ's schema."""
    # One independent stream per use, so that adding one never changes another.
    prior_rng, predictive_rng = np.random.default_rng([record["seed"], 1]).spawn(2)
    pair = {"pair": np.arange(len(frame))}
    texts = {name: ("pair", frame[name].to_numpy(dtype=object)) for name in _PAIR_TEXTS}
    predicted = draw_predictive(thinned(posterior, 500), design, rng=predictive_rng)
    tree = xr.DataTree.from_dict(
        {
            "posterior": posterior,
            "sample_stats": statistics,
            "prior": draw_prior(spec, design, draws=1000, rng=prior_rng),
            "posterior_predictive": predicted.to_dataset(),
            "log_likelihood": log_likelihood(thinned(posterior, 1000), design).to_dataset(),
            "observed_data": xr.Dataset({DISTANCE: ("pair", design.distance)}, coords=pair),
            "constant_data": xr.Dataset(texts, coords=pair),
        }
    )
    tree.attrs = {
        "bayesbias_format": _FORMAT,
        "spec": spec.to_json(),
        "record": json.dumps(record),
    }
    return tree


@dataclass(frozen=True, repr=False, eq=False)
class Fit:
    """A posterior, with everything that led to it.

    Parameters
    ----------
    idata : xarray.DataTree
        Groups ``posterior``, ``sample_stats``, ``prior``, ``posterior_predictive``,
        ``log_likelihood`` (these two on 500 and 1,000 evenly spaced draws), ``observed_data`` and
        ``constant_data``, in ArviZ's schema.
    """

    idata: xr.DataTree

    @property
    def spec(self) -> ModelSpec:
        """The model that was fitted."""
        return ModelSpec.from_json(self.idata.attrs["spec"])

    @property
    def record(self) -> dict[str, Any]:
        """Seed, sampler, versions, checksums and source of the data."""
        return json.loads(self.idata.attrs["record"])

    @property
    def id(self) -> str:
        """Twelve hex digits that name the model, the data and the seed."""
        record = self.record
        parts = [record[k] for k in ("spec_id", "pairs_sha256", "seed", "draws", "tune", "chains")]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12]

    @property
    def pairs(self) -> pd.DataFrame:
        """The frame of distances that was fitted, with its record of missing words."""
        data, observed = self.idata["constant_data"], self.idata["observed_data"]
        frame = pd.DataFrame(
            {name: [str(value) for value in data[name].to_numpy()] for name in _PAIR_TEXTS}
        )
        frame[DISTANCE] = observed[DISTANCE].to_numpy()
        record = self.record
        frame.attrs = {k: record[k] for k in ("missing", "source") if record[k] is not None}
        return frame

    @property
    def missing_words(self) -> pd.DataFrame:
        """The words of the list that could not be used; see `bayesbias.missing_words`."""
        return missing_words(self.pairs)

    @property
    def diagnostics(self) -> Diagnostics:
        """Whether the draws can be trusted."""
        return diagnose(self._posterior, self.idata["sample_stats"].to_dataset())

    def group_summary(self, *, prob: float = HDPI_PROB, interval: str = "hpdi") -> pd.DataFrame:
        """Summarise the mean cosine distance per connection.

        Parameters
        ----------
        prob : float
            Probability of the interval.
        interval : {"hpdi", "eti"}
            Highest posterior density, or equal-tailed as in the paper's figures.

        Returns
        -------
        DataFrame
            Columns ``connection``, ``n_pairs``, ``mean``, ``sd``, ``low``, ``high``,
            ``interval``, ``prob``, ``ess_bulk``, ``ess_tail``, ``r_hat``.
        """
        table = summarise(self._posterior["group_mean"], prob=prob, interval=interval)
        return count_pairs(self._design, [CONNECTION]).merge(table, on=CONNECTION, how="right")

    def word_summary(self, *, prob: float = HDPI_PROB, interval: str = "hpdi") -> pd.DataFrame:
        """Summarise the mean cosine distance per protected word and connection.

        Parameters and further columns are those of `group_summary`. A row with ``n_pairs`` 0 is
        what the model expects of a word from the other words alone.
        """
        keys = [PROTECTED_WORD, CONNECTION]
        draws = self._posterior["word_mean"].transpose("chain", "draw", *keys)
        table = summarise(draws, prob=prob, interval=interval)
        return count_pairs(self._design, keys).merge(table, on=keys, how="right")

    def spread_summary(self, *, prob: float = HDPI_PROB, interval: str = "hpdi") -> pd.DataFrame:
        """Summarise the standard deviations per connection.

        ``word_sd`` is the spread of word means around the group mean, ``noise_sd`` that of
        distances around their word's mean; parameters and columns as in `group_summary`.
        """
        tables = []
        for name in ("word_sd", "noise_sd"):
            table = summarise(self._posterior[name], prob=prob, interval=interval)
            table.insert(0, "parameter", name)
            tables.append(table)
        return pd.concat(tables, ignore_index=True)

    def predictions(self, *, prob: float = HDPI_PROB, interval: str = "hpdi") -> pd.DataFrame:
        """Return what the model predicts for every observed pair.

        Returns
        -------
        DataFrame
            Columns ``protected_word``, ``connection``, ``cosine_distance``, ``mean``, ``low``,
            ``high``, ``interval``, ``prob``, ``inside``.
        """
        return predictions(
            thinned(self._posterior, 1000), self._design, prob=prob, interval=interval
        )

    def coverage(
        self, *, probs: Sequence[float] = (HDPI_PROB, INNER_PROB), interval: str = "hpdi"
    ) -> pd.DataFrame:
        """Return the share of pairs inside their predictive interval.

        A model that fits has shares near ``prob``.

        Returns
        -------
        DataFrame
            Columns ``connection`` (first ``all``), ``n_pairs``, ``prob``, ``interval``, ``inside``.
        """
        return coverage_table([self.predictions(prob=p, interval=interval) for p in probs])

    def plot_groups(self, *, prob: float = HDPI_PROB, interval: str = "hpdi") -> "Figure":
        """Draw the mean distance per connection with its interval."""
        from bayesbias.plots import plot_groups

        inner = self.group_summary(prob=INNER_PROB, interval=interval)
        return plot_groups(self.group_summary(prob=prob, interval=interval), inner)

    def plot_words(self, *, prob: float = HDPI_PROB, interval: str = "hpdi") -> "Figure":
        """Draw the mean distance per protected word and connection with its interval."""
        from bayesbias.plots import plot_words

        return plot_words(self.word_summary(prob=prob, interval=interval))

    def plot_predictive(self, *, prob: float = HDPI_PROB, interval: str = "hpdi") -> "Figure":
        """Draw the predictive check: predicted against observed, and both densities."""
        from bayesbias.plots import plot_predictive

        draws = self.idata["posterior_predictive"][DISTANCE].to_numpy()
        return plot_predictive(
            self.predictions(prob=prob, interval=interval),
            draws.reshape(-1, draws.shape[-1]),
            self.coverage(probs=(prob, INNER_PROB), interval=interval),
        )

    def save(self, path: str | Path) -> None:
        """Write the fit to a netCDF file, whole or not at all.

        Raises
        ------
        OutputError
            If the file cannot be written.
        """
        with new_file(path) as temporary:
            self.idata.to_netcdf(temporary, engine="h5netcdf")

    def to_inferencedata(self) -> Any:
        """Return an ArviZ ``InferenceData``, for code written for ArviZ before 1.0.

        Raises
        ------
        FitError
            If the installed ArviZ has none; `idata` is what its functions take.
        """
        import arviz as az

        if not hasattr(az, "from_datatree"):
            raise FitError("this ArviZ has no InferenceData; its functions take fit.idata as it is")
        return az.from_datatree(self.idata)

    @property
    def _posterior(self) -> xr.Dataset:
        return self.idata["posterior"].to_dataset()

    @property
    def _design(self) -> Design:
        return Design.from_frame(self.pairs)

    def __repr__(self) -> str:
        """Show the model, the data and the group means."""
        groups = self.group_summary()
        n_pairs, n_words = int(groups["n_pairs"].sum()), len(self._design.protected_words)
        head = (
            f"Fit {self.id} of model {self.spec.name!r} to {n_pairs:,} pairs, "
            f"{n_words} protected words"
        )
        lines = [
            f"  {row.connection:<10}  {row.mean:.3f}  [{row.low:.3f}, {row.high:.3f}]"
            for row in groups.itertuples()
        ]
        title = f"  mean cosine distance, {HDPI_PROB:.0%} HPDI"
        return "\n".join([head, title, *lines, f"  {self.diagnostics.sentence}"])


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
    if tree.attrs["bayesbias_format"] != _FORMAT:
        raise FitError(
            f"{path}: has format {tree.attrs['bayesbias_format']}, this version reads {_FORMAT}; "
            f"load it with the version that wrote it"
        )
    loaded = Fit(tree)
    record = loaded.record
    if loaded.spec.id != record["spec_id"]:
        raise FitError(f"{path}: its model is not the one that was fitted; the file was changed")
    if pairs_checksum(loaded.pairs) != record["pairs_sha256"]:
        raise FitError(f"{path}: its pairs are not the ones that were fitted; the file was changed")
    return loaded
