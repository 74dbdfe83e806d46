"""A `Fit`: a posterior that answers questions, and what led to it."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
import xarray as xr

from bayesbias.constants import BEFORE, HDPI_PROB
from bayesbias.engine.diagnostics import Diagnostics, diagnose
from bayesbias.engine.predictive import predictive_intervals, thinned
from bayesbias.errors import ArgumentError, FitError, one_of
from bayesbias.fits import decision, figures, output
from bayesbias.fits.checks import check_table
from bayesbias.fits.contrasts import (
    COLUMNS,
    SUMMARIES,
    contrasts_asked,
    random_contrasts,
    standard_deviations,
)
from bayesbias.fits.decision import DecisionRule, Posteriors
from bayesbias.fits.saving import inference_data, write_fit
from bayesbias.fits.screen import screen
from bayesbias.models.design import Design
from bayesbias.models.parameters import Weights, draws_of, samples
from bayesbias.models.specification import ModelSpec
from bayesbias.support.arguments import refuse_other
from bayesbias.support.compatibility import ess_and_rhat, versions
from bayesbias.words.distance_frame import pairs_checksum
from bayesbias.words.keys import pair_key
from bayesbias.words.random_groups import RandomGroups

if TYPE_CHECKING:
    import pymc

_PREDICTED: Final = 200  # draws of the standard deviations that predictions are made from


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class Fit:
    """A posterior, with everything that led to it.

    Made by `bayesbias.fit`, `bayesbias.analyze` and `bayesbias.load_fit`.

    Attributes
    ----------
    spec, frame, design
        The model that was fitted, the pairs, and the same indexed.
    draws, sample_stats : Dataset
        Draws over ``chain`` and ``draw``: of the standard deviations, where the rest of the
        posterior follows from them in closed form, else of all parameters; and what the engine says
        about them.
    settings, seed, created, versions
        Engine, sampler and how they were set; when it was fitted, in UTC, and by which packages.
    notes : tuple of str
        What was left out of the model, and why; words that count once.
    random : RandomGroups or None
        Distances of random groups of words to the same lists; None without vectors.
    """

    spec: ModelSpec
    frame: pd.DataFrame
    design: Design
    draws: xr.Dataset
    sample_stats: xr.Dataset
    settings: dict[str, Any]
    seed: int
    notes: tuple[str, ...] = ()
    random: RandomGroups | None = None
    created: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    versions: dict[str, str] = field(default_factory=versions)
    # Of questions that were asked before: a fit is never changed, so that none is computed twice.
    _answers: dict[str, tuple[pd.DataFrame, Posteriors]] = field(default_factory=dict, init=False)

    @property
    def is_exact(self) -> bool:
        """Whether all but the standard deviations follows in closed form."""
        return bool(self.settings.get("engine") == "collapsed")

    def pymc_model(self) -> "pymc.Model":
        """Return the fitted model as a PyMC model of the fitted pairs.

        Its free variables are those of ``idata["posterior"]``, whichever engine drew them, so that
        ``pymc.sample_posterior_predictive(fit.idata, model=...)`` and
        ``pymc.stats.compute_log_likelihood`` work, and the model can be extended.

        Returns
        -------
        pymc.Model

        Examples
        --------
        >>> import bayesbias as bb
        >>> fit = bb.analyze(bb.example_embedding(), "gender", "paper", seed=1)
        >>> sorted(v.name for v in fit.pymc_model().free_RVs)
        ['connection_mean', 'noise_sd', 'word_effect', 'word_sd']
        """
        from bayesbias.models.pymc_models import pymc_model

        return pymc_model(self.spec, self.design)

    @cached_property
    def diagnostics(self) -> Diagnostics:
        """Whether the draws can be trusted."""
        return diagnose(self.draws, self.sample_stats)

    @property
    def log_marginal_likelihood(self) -> float:
        """The log-density of the data under the model, parameters integrated out; not of chains."""
        if "log_marginal_likelihood" not in self.settings:
            raise FitError("chains give no marginal likelihood; fit with engine='collapsed'")
        return float(self.settings["log_marginal_likelihood"])

    @cached_property
    def scale(self) -> tuple[float, str]:
        """The standard deviation of a neutral pair's distance, and whose pairs it is of."""
        return decision.distance_scale(
            self.frame, BEFORE if BEFORE in self.frame else self.spec.response
        )

    def rule(
        self, rule: DecisionRule | None = None, *, ci_prob: float = HDPI_PROB, ci_kind: str = "hdi"
    ) -> DecisionRule:
        """Return a decision rule in the units of the fitted distances; see `contrasts`."""
        options = DecisionRule(ci_prob=ci_prob, ci_kind=ci_kind)
        refuse_other(rule, DecisionRule | None, "rule", "a bayesbias.DecisionRule")
        if rule is not None and options != DecisionRule():
            raise ArgumentError("give rule=, or ci_prob= and ci_kind=, not both")
        if rule is None and options == DecisionRule():  # unless results were written with another
            options = DecisionRule(**self.settings.get("rule", {}))
        return replace(rule or options, scale=self.scale[0])

    def posteriors(self, weights: Weights) -> Posteriors:
        """Return the posteriors of linear functions of means and effects, one a row of weights."""
        if self.is_exact:
            return decision.exact_posteriors(self.draws, self.design, self.spec, weights)
        values = {str(name): samples(self.draws, str(name)) for name in self.draws.data_vars}
        return draws_of(self.design, weights, values)

    def answered(self, by: str) -> tuple[pd.DataFrame, Posteriors]:
        """Return the labels and posteriors of contrasts, of these with "pairs", or of a level."""
        if by == "term":
            return standard_deviations(self.draws)
        if by not in self._answers:
            labels, weights = (
                SUMMARIES[by](self.design)
                if by in SUMMARIES
                else contrasts_asked(self.design, pairs=by == "pairs", random=self.random)[:2]
            )
            self._answers[by] = labels, self.posteriors(weights)
        return self._answers[by]

    def contrasts(
        self,
        *,
        pairs: bool = False,
        ci_prob: float = HDPI_PROB,
        ci_kind: str = "hdi",
        rule: DecisionRule | None = None,
    ) -> pd.DataFrame:
        """Compare groups on lists, and connections with each other: every answer, a row each.

        Parameters
        ----------
        pairs : bool
            With every pair of groups on lists that belong to some of them.
        ci_prob : float
            Probability of the interval.
        ci_kind : {"hdi", "eti"}
            Highest posterior density, or equal-tailed as in the paper's figures.
        rule : DecisionRule, optional
            Sets the region of practical equivalence too, in place of both.

        Returns
        -------
        DataFrame
            Over all first, then controls, lists, groups and words.

            ================= ====================================================================
            level             over all, controls, list, group, word
            list              attribute list, of level list
            group, other      who is compared with whom on it; of other levels the group
            word              protected word, of level word
            contrast          what is subtracted from what
            observed          the contrast of the plain means of the listed pairs
            mean, low, high   posterior mean and ends of the interval, in cosine distance
            sd                posterior standard deviation
            standardised      mean in standard deviations of a neutral pair's distance
            direction         closer, farther, undecided
            size              clear, practically equal, undecided
            verdict           both in words
            withheld          why there is no answer; empty where there is one
            random_groups     share of random groups of words that differ at least as much
            n_words           protected words that enter
            n_attributes      attributes that enter
            ================= ====================================================================

        Examples
        --------
        >>> import bayesbias as bb
        >>> table = bb.analyze(bb.example_embedding(), "gender", seed=1).contrasts()
        >>> table.loc[0, ["level", "contrast", "direction"]].tolist()
        ['over all', 'associated − different', 'closer']
        """
        rule = self.rule(rule, ci_prob=ci_prob, ci_kind=ci_kind)
        labels, posteriors = self.answered("pairs" if pairs else "contrasts")
        return decision.judged(decision.described(labels, posteriors, rule), rule)[list(COLUMNS)]

    def summary(
        self, by: str = "connection", *, ci_prob: float = HDPI_PROB, ci_kind: str = "hdi"
    ) -> pd.DataFrame:
        """Summarise the posterior at one level.

        Parameters
        ----------
        by : {"connection", "list", "group", "word", "attribute", "term", "covariate"}
            The mean cosine distance per connection, of every group to every attribute list, per
            protected group or per protected word and connection; the effect of every attribute,
            closest first; the standard deviations of the model's terms; the slopes of covariates,
            for one standard deviation of their numbers.
        ci_prob, ci_kind
            As in `contrasts`.

        Returns
        -------
        DataFrame
            The level's own columns; of means ``n_pairs`` and ``observed``, the number and plain
            mean of the listed pairs; then ``mean``, ``sd``, ``low``, ``high`` and, of Markov
            chains, ``ess_bulk``, ``ess_tail``, ``r_hat``. A word or group without pairs of a
            connection has no row for it.

        Raises
        ------
        FitError
            If the model has no effects of attributes, or no covariates, and these are asked for.

        Examples
        --------
        >>> import bayesbias as bb
        >>> fit = bb.analyze(bb.example_embedding(), "gender", "paper", seed=1)
        >>> fit.summary().connection.tolist()
        ['associated', 'different', 'human', 'neutral']
        """
        one_of(by, "by", (*SUMMARIES, "term"))
        labels, posteriors = self.answered(by)
        table = decision.described(labels, posteriors, self.rule(ci_prob=ci_prob, ci_kind=ci_kind))
        if not self.is_exact:
            chains = np.asarray(posteriors).reshape(self.draws.sizes["chain"], -1, len(table))
            array = xr.DataArray(chains, dims=("chain", "draw", "quantity"))
            table = table.assign(**{n: c.to_numpy() for n, c in ess_and_rhat(array).items()})
        if by == "covariate":
            table["per_unit"] = table["mean"] / table["unit"]
        if by == "attribute":
            table = table.sort_values("mean", kind="stable", ignore_index=True)
        return table

    def predictions(self, *, ci_prob: float = HDPI_PROB, ci_kind: str = "hdi") -> pd.DataFrame:
        """Return what the model predicts for every observed pair from all other pairs.

        Given the standard deviations, all else is integrated out without the pair: leave-one-out in
        closed form.

        Returns
        -------
        DataFrame
            Columns ``protected_word``, ``attribute``, ``connection``, ``observed``, ``mean``,
            ``low``, ``high``, ``inside``.
        """
        few = thinned(self.draws, _PREDICTED)
        mean, ends = predictive_intervals(few, self.design, self.spec, ci_prob, ci_kind)
        table = self.frame[pair_key()].assign(
            observed=self.design.response, mean=mean, low=ends[:, 0], high=ends[:, 1]
        )
        return table.assign(inside=table["observed"].between(table["low"], table["high"]))

    @property
    def random_groups(self) -> pd.DataFrame:
        """Contrasts of random groups of words between the same lists, a column a contrast.

        A row for each draw: groups as many and as large as the list's, each a frequent word of the
        vectors with the words nearest to it. Names of columns are the level, the list and the
        contrast. It is a `FitError` where the fit was made of pairs without vectors.
        """
        return random_contrasts(self.design, self.random)

    @cached_property
    def pairs_sha256(self) -> str:
        """The SHA-256 of the fitted pairs."""
        return pairs_checksum(self.frame, self.spec.response)

    __repr__ = screen

    def _repr_html_(self) -> str:
        """Return the first screen for notebooks: the finding as a paragraph, the rest as it is."""
        first, _, rest = screen(self).partition("\n\n")
        finding = escape(first.replace("\n", " "))
        return f"<p><strong>{finding}</strong></p><pre>{escape(rest)}</pre>"

    idata = cached_property(inference_data)
    check = check_table
    methods_text = output.methods_text
    plot, plot_means, plot_predictive = figures.plot, figures.plot_means, figures.plot_predictive
    plot_contrasts, plot_heatmap = figures.plot_contrasts, figures.plot_heatmap
    plot_random_groups = figures.plot_random_groups
    to_dict, report, write, save = output.to_dict, output.report, output.write, write_fit
