"""A `Fit`: a posterior that answers questions, and what led to it."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
import xarray as xr

from bayesbias.constants import (
    ATTRIBUTE,
    CONNECTION,
    DISTANCE,
    HDPI_PROB,
    INNER_PROB,
    PROTECTED_WORD,
    ROPE,
)
from bayesbias.errors import FitError
from bayesbias.fits.caution import caution_of
from bayesbias.fits.contrasts import Contrasts, contrasts_of
from bayesbias.fits.sensitivity import Fitted, Sensitivity, sensitivity_of
from bayesbias.fits.summaries import count_pairs, coverage_table, predictions, summarise
from bayesbias.inference.design import Design
from bayesbias.inference.diagnostics import Diagnostics, diagnose
from bayesbias.inference.intervals import check_rope
from bayesbias.inference.predictive import draw_predictive, draw_prior, log_likelihood, thinned
from bayesbias.inference.specification import ModelSpec
from bayesbias.pairs.distance_frame import pairs_checksum
from bayesbias.pairs.provenance import (
    missing_of,
    missing_words,
    provenance_of,
    source_of,
)
from bayesbias.support.compatibility import versions
from bayesbias.support.seeds import seed_as_integer
from bayesbias.support.whole_files import new_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMAT: Final = 1
"""Version of the layout of saved fits."""

SEAL: Final = b"\nbayesbias sha256 "
"""What stands in a saved fit before the checksum of all that comes before it."""

PAIR_TEXTS: Final = (
    PROTECTED_WORD,
    "group",
    ATTRIBUTE,
    "attribute_set",
    CONNECTION,
    "embedding",
)
"""Columns of the pairs that a saved fit keeps, where they are there."""

_MADE_AGAIN: Final = ("posterior_predictive", "log_likelihood")


@dataclass(frozen=True, repr=False, eq=False)
class Fit:
    """A posterior, with everything that led to it.

    Made by `bayesbias.fit` and `bayesbias.load_fit`.

    Parameters
    ----------
    spec : ModelSpec
        The model that was fitted.
    frame : DataFrame
        The pairs that were fitted; `pairs` hands out copies.
    design : Design
        The same, indexed.
    posterior : Dataset
        Draws of the parameters over ``chain`` and ``draw``.
    sample_stats : Dataset
        What the engine says about its draws.
    settings : dict
        Engine, sampler and how they were set.
    seed : int
    created : str
        When, in UTC.
    """

    spec: ModelSpec
    frame: pd.DataFrame
    design: Design
    posterior: xr.Dataset
    sample_stats: xr.Dataset
    settings: dict[str, Any]
    seed: int
    created: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    versions: dict[str, str] = field(default_factory=versions)

    @cached_property
    def idata(self) -> xr.DataTree:
        """Everything as one tree in ArviZ's schema.

        Groups ``posterior``, ``sample_stats``, ``prior``, ``posterior_predictive`` (500 evenly
        spaced draws), ``log_likelihood`` (1,000), ``observed_data`` and ``constant_data``; made
        when first asked for. ArviZ's ``loo`` takes the two numbers of draws for a sign of
        autocorrelation: give it ``reff=1``, or use `compare_models`.
        """
        # One independent stream per use, so that adding one never changes another.
        prior_rng, predictive_rng = np.random.default_rng([self.seed, 1]).spawn(2)
        pair = {"pair": np.arange(len(self.frame))}
        columns = [n for n in PAIR_TEXTS if n in self.frame]
        texts = {n: ("pair", self.frame[n].to_numpy(dtype=object)) for n in columns}
        predicted = draw_predictive(thinned(self.posterior, 500), self.design, rng=predictive_rng)
        response = self.spec.response
        tree = xr.DataTree.from_dict(
            {
                "posterior": self.posterior,
                "sample_stats": self.sample_stats,
                "prior": draw_prior(self.spec, self.design, draws=1000, rng=prior_rng),
                "posterior_predictive": predicted.to_dataset(name=response),
                "log_likelihood": self.log_likelihood,
                "observed_data": xr.Dataset(
                    {response: ("pair", self.design.response)}, coords=pair
                ),
                "constant_data": xr.Dataset(texts, coords=pair),
            }
        )
        tree.attrs = {
            "bayesbias_format": FORMAT,
            "spec": self.spec.to_json(),
            "record": json.dumps(self.record),
        }
        return tree

    @cached_property
    def log_likelihood(self) -> xr.Dataset:
        """The log-density of every pair under 1,000 evenly spaced draws; made when asked for."""
        values = log_likelihood(thinned(self.posterior, 1000), self.design)
        return values.to_dataset(name=self.spec.response)

    @cached_property
    def record(self) -> dict[str, Any]:
        """Seed, engine, versions, checksums and source of the data."""
        return {
            **self.settings,
            "seed": self.seed,
            "created": self.created,
            "versions": self.versions,
            "spec_id": self.spec.id,
            "pairs_sha256": pairs_checksum(self.frame, self.spec.response),
            "posterior_sha256": posterior_checksum(self.posterior),
            "source": source_of(self.frame),
            "missing": missing_of(self.frame),
            "reference": provenance_of(self.frame).get("reference"),
        }

    @cached_property
    def id(self) -> str:
        """Twelve hex digits that name the model, the data, the seed and the settings."""
        parts = [self.spec.id, self.record["pairs_sha256"], self.seed, self.settings]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:12]

    @property
    def pairs(self) -> pd.DataFrame:
        """The frame of distances that was fitted, with its record of missing words."""
        return self.frame.copy()

    @property
    def missing_words(self) -> pd.DataFrame:
        """The words of the list that could not be used; see `bayesbias.missing_words`."""
        return missing_words(self.frame)

    @cached_property
    def diagnostics(self) -> Diagnostics:
        """Whether the draws can be trusted."""
        return diagnose(self.posterior, self.sample_stats)

    @cached_property
    def caution(self) -> str:
        """Whether the data clearly ask for attribute effects that the model lacks, in words.

        Empty where they do not, where NUTS would be needed to tell, or where telling would take
        long (many pairs missing, so that each effect is a case of its own): `compare_models` tells
        there too. Costs a fit of ``crossed`` when first asked for. "Clearly" is a log Bayes factor
        above 5.
        """
        known = self.settings.get("log_marginal_likelihood")
        return caution_of(self.design, self.spec, known, self.seed)

    @property
    def log_marginal_likelihood(self) -> float:
        """The log-density of the data under the model, parameters integrated out.

        Raises
        ------
        FitError
            If the fit came from NUTS, which does not give it.
        """
        if "log_marginal_likelihood" not in self.settings:
            raise FitError(
                "NUTS gives no marginal likelihood; fit a model with a normal likelihood with "
                "engine='collapsed'"
            )
        return float(self.settings["log_marginal_likelihood"])

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
        table = summarise(self.posterior["group_mean"], prob=prob, interval=interval)
        return count_pairs(self.design, [CONNECTION]).merge(table, on=CONNECTION, how="right")

    def word_summary(self, *, prob: float = HDPI_PROB, interval: str = "hpdi") -> pd.DataFrame:
        """Summarise the mean cosine distance per protected word and connection.

        Parameters and further columns are those of `group_summary`. A row with ``n_pairs`` 0 is
        what the model expects of a word from the other words alone.
        """
        keys = [PROTECTED_WORD, CONNECTION]
        draws = self.posterior["word_mean"].transpose("chain", "draw", *keys)
        table = summarise(draws, prob=prob, interval=interval)
        return count_pairs(self.design, keys).merge(table, on=keys, how="right")

    def spread_summary(self, *, prob: float = HDPI_PROB, interval: str = "hpdi") -> pd.DataFrame:
        """Summarise the standard deviations and, for Student-t noise, the degrees of freedom.

        ``word_sd`` is the spread of word means around the group mean, ``noise_sd`` that of
        distances around their mean, ``attribute_sd`` that of attribute effects; column ``of``
        names the connection or the kind of attribute list, or says ``all``. Parameters and
        further columns as in `group_summary`.
        """
        tables = []
        for name in ("word_sd", "noise_sd", "attribute_sd", "degrees_of_freedom"):
            if name not in self.posterior:
                continue
            table = summarise(self.posterior[name], prob=prob, interval=interval)
            table = table.rename(columns={CONNECTION: "of", "attribute_kind": "of"})
            if "of" not in table:
                table.insert(0, "of", "all")
            table.insert(0, "parameter", name)
            tables.append(table)
        return pd.concat(tables, ignore_index=True)

    def attribute_summary(self, *, prob: float = HDPI_PROB, interval: str = "hpdi") -> pd.DataFrame:
        """Summarise the effect of every attribute word, nearest first.

        An effect of −0.1 says that the word is 0.1 nearer to every protected word than its list
        is. Parameters and further columns as in `group_summary`.

        Raises
        ------
        FitError
            If the model has no attribute effects.
        """
        if "attribute_effect" not in self.posterior:
            raise FitError(
                f"model {self.spec.name!r} has no attribute effects; fit model='crossed'"
            )
        table = summarise(self.posterior["attribute_effect"], prob=prob, interval=interval)
        kinds = [self.design.kinds[k] for k in self.design.kind]
        table.insert(1, "kind", kinds)
        return table.sort_values("mean", ignore_index=True)

    def predictions(self, *, prob: float = HDPI_PROB, interval: str = "hpdi") -> pd.DataFrame:
        """Return what the model predicts for every observed pair.

        Returns
        -------
        DataFrame
            Columns ``protected_word``, ``attribute``, ``connection``, ``observed``, ``mean``,
            ``low``, ``high``, ``interval``, ``prob``, ``inside``.
        """
        few = thinned(self.posterior, 1000)
        return predictions(few, self.design, prob=prob, interval=interval)

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

    def contrasts(
        self, *, rope: float = ROPE, prob: float = HDPI_PROB, interval: str = "hpdi"
    ) -> Contrasts:
        """Compare connections: associated with different and with the controls, human with neutral.

        Parameters
        ----------
        rope : float
            Half-width, in cosine distance, of the region of practical equivalence around 0.
        prob : float
            Probability of the interval.
        interval : {"hpdi", "eti"}

        Returns
        -------
        Contrasts
            Tables ``groups`` and ``words``: differences of joint draws with mean, interval,
            probability of direction, shares of the ROPE and a verdict.

        Raises
        ------
        FitError
            If the fit has no two connections that are compared.

        Examples
        --------
        >>> fit.contrasts(rope=0.02).groups  # doctest: +SKIP
        """
        return contrasts_of(self.posterior, self.design, rope=rope, prob=prob, interval=interval)

    def sensitivity(
        self,
        *,
        rope: float = ROPE,
        prob: float = HDPI_PROB,
        interval: str = "hpdi",
        leave_out: bool = True,
        seed: int | np.random.Generator | None = None,
        progress: bool | None = None,
    ) -> Sensitivity:
        """Ask how much the answers hang on the priors and on single words.

        The priors are power-scaled by importance weights (Kallioinen et al. 2024); every protected
        word and attribute is left out in turn and the model fitted again, which takes about 10 ms
        a word.

        Parameters
        ----------
        rope, prob, interval
            As in `contrasts`.
        leave_out : bool
            Whether to leave words out; needs a model with a normal likelihood.
        seed : int or Generator, optional
            By default that of the fit.
        progress : bool, optional
            Show a bar; by default in a terminal or a notebook.

        Returns
        -------
        Sensitivity

        Raises
        ------
        FitError
            If words are to be left out of a model that the collapsed engine cannot fit.

        Examples
        --------
        >>> fit.sensitivity().changed  # doctest: +SKIP
        """
        if leave_out and not self.spec.is_gaussian:
            raise FitError(
                f"leaving out words refits the model, and {self.spec.name!r} would need NUTS for "
                f"every word; ask for sensitivity(leave_out=False), or fit a model with a normal "
                f"likelihood"
            )
        check_rope(rope)
        return sensitivity_of(
            Fitted(self.posterior, self.design, self.frame, self.spec),
            rope=rope, prob=prob, interval=interval, leave_out=leave_out,
            seed=self.seed if seed is None else seed_as_integer(seed), progress=progress,
        )  # fmt: skip

    def plot_contrasts(
        self, *, rope: float = ROPE, prob: float = HDPI_PROB, interval: str = "hpdi"
    ) -> "Figure":
        """Draw the contrasts of the group and of every protected word, with the ROPE."""
        return self.contrasts(rope=rope, prob=prob, interval=interval).plot()

    def plot_groups(self, *, prob: float = HDPI_PROB, interval: str = "hpdi") -> "Figure":
        """Draw the mean distance per connection with its interval."""
        from bayesbias.fits.forest_figures import plot_groups

        inner = self.group_summary(prob=INNER_PROB, interval=interval)
        return plot_groups(self.group_summary(prob=prob, interval=interval), inner)

    def plot_words(self, *, prob: float = HDPI_PROB, interval: str = "hpdi") -> "Figure":
        """Draw the mean distance per protected word and connection with its interval."""
        from bayesbias.fits.forest_figures import plot_words

        return plot_words(self.word_summary(prob=prob, interval=interval))

    def plot_predictive(self, *, prob: float = HDPI_PROB, interval: str = "hpdi") -> "Figure":
        """Draw the predictive check: predicted against observed, and both densities."""
        from bayesbias.fits.predictive_figures import plot_predictive

        draws = self.idata["posterior_predictive"][self.spec.response].to_numpy()
        return plot_predictive(
            self.predictions(prob=prob, interval=interval),
            draws.reshape(-1, draws.shape[-1]),
            self.coverage(probs=(prob, INNER_PROB), interval=interval),
        )

    def save(self, path: str | Path) -> None:
        """Write the fit to a netCDF file, whole or not at all.

        Predictions and log-likelihoods, by far the largest groups, are left out: `load_fit` makes
        the same again from the seed when they are asked for. To write them too, use
        ``fit.idata.to_netcdf``.

        Raises
        ------
        OutputError
            If the file cannot be written.
        """
        with new_file(path) as temporary:
            few = self.idata.drop_nodes(list(_MADE_AGAIN))
            # In memory first: HDF5 crashes the process where the disk is full.
            content = bytes(few.to_netcdf(engine="h5netcdf"))
            # Behind the end, where HDF5 does not look: `load_fit` checks it before HDF5 reads.
            temporary.write_bytes(content + SEAL + hashlib.sha256(content).hexdigest().encode())

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

    def __repr__(self) -> str:
        """Show the model, the data and the group means."""
        groups = self.group_summary()
        n_pairs, n_words = int(groups["n_pairs"].sum()), len(self.design.protected_words)
        head = (
            f"Fit {self.id} of model {self.spec.name!r} to {n_pairs:,} pairs, "
            f"{n_words} protected words"
        )
        lines = [
            f"  {row.connection:<10}  {row.mean:.3f}  [{row.low:.3f}, {row.high:.3f}]"
            for row in groups.itertuples()
        ]
        what = "distance" if self.spec.response == DISTANCE else "change of distance"
        title = f"  mean cosine {what}, {HDPI_PROB:.0%} HPDI"
        return "\n".join([head, title, *lines, f"  {self.diagnostics.sentence}"])


def posterior_checksum(posterior: xr.Dataset) -> str:
    """Return the SHA-256 of a posterior's draws."""
    digest = hashlib.sha256()
    for name in sorted(map(str, posterior.data_vars)):
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(posterior[name], dtype="<f8").tobytes())
    return digest.hexdigest()
