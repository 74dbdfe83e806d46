"""A `Fit`: a posterior that answers questions, and what led to it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Unpack

import numpy as np
import pandas as pd

from bayesbias.constants import BEFORE, DISTANCE, GROUP, HDPI_PROB, INNER_PROB
from bayesbias.errors import ArgumentError, FitError, one_of
from bayesbias.fits import captions, narrator
from bayesbias.fits.between_groups import LIST, has_lists
from bayesbias.fits.contrasts import (
    CHANCE_REASON,
    Contrasts,
    about_edge,
    can_compare,
    contrasts_of,
    decisions_table,
)
from bayesbias.fits.crossed_groups import are_crossed
from bayesbias.fits.first_screen import FirstScreen, data_and_checks, first_screen
from bayesbias.fits.next_step import next_step
from bayesbias.fits.quantities import MEAN_LEVELS, FitContext
from bayesbias.fits.sentences import Titles
from bayesbias.fits.shown_rows import Shown, chosen_rows
from bayesbias.fits.storage import FitData, write_fit
from bayesbias.fits.summaries import Coverage, Summary, coverage_table, predictions, summary_of
from bayesbias.inference.decision import DecisionRule, distance_scale
from bayesbias.inference.diagnostics import Diagnostics, diagnose
from bayesbias.inference.pareto import Loo, leave_one_out
from bayesbias.inference.predictive import likelihood_and_probability, thinned
from bayesbias.pairs import provenance
from bayesbias.pairs.case import case_sentence
from bayesbias.pairs.topics import topics_sentence
from bayesbias.support.figure_style import Place
from bayesbias.support.result import Result, plain
from bayesbias.support.seeds import seed_as_integer
from bayesbias.support.text_tables import Blocks, Table
from bayesbias.support.types import Figure

if TYPE_CHECKING:
    import pymc

    from bayesbias.fits.checklist import Checks
    from bayesbias.fits.criticism import Criticism
    from bayesbias.fits.placebo import Placebo
    from bayesbias.fits.resampling import ResampledWords
    from bayesbias.fits.sensitivity import Sensitivity
    from bayesbias.fits.slope_effect import SlopeEffect

_THEN: Final = "Then: fit.check() asks every check, fit.report() writes a paragraph for a paper."


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class Fit(FitData, Result):
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
        Draws of the parameters over ``chain`` and ``draw``. Those of effects and word means are
        rounded to 16 bits, a thousandth of their posterior sd or less, as they are saved; those of
        standard deviations and connection means, from which exact answers follow, are not.
    sample_stats : Dataset
        What the engine says about its draws.
    settings : dict
        Engine, sampler and how they were set.
    seed : int
    left_out : tuple of str
        Terms of the model that these data cannot estimate, a sentence each.
    excluded_rows : DataFrame
        Rows of reference words that the model does not explain; `input_frame` has them too.
    created : str
        When, in UTC.
    """

    # Answers given before: a fit is never changed, so that none is computed twice.
    _answers: dict[Any, Any] = field(default_factory=dict, init=False)

    def pymc_model(self) -> "pymc.Model":
        """Return the fitted model as a PyMC model of the fitted pairs.

        Its free variables are those of ``idata["posterior"]``, whichever engine drew them, so that
        ``pymc.sample_posterior_predictive(fit.idata, model=...)`` and
        ``pymc.stats.compute_log_likelihood`` work, and the model can be extended.

        Examples
        --------
        >>> import bayesbias as bb
        >>> frame = bb.distances(bb.example_embedding(), bb.load_wordlist("gender"))
        >>> sorted(v.name for v in bb.fit(frame, "paper", seed=1).pymc_model().free_RVs)
        ['connection_mean', 'noise_sd', 'word_effect', 'word_sd']
        """
        from bayesbias.inference.pymc_models import pymc_model

        return pymc_model(self.spec, self.design)

    @cached_property
    def idata(self) -> Any:
        """Everything in ArviZ's schema, as the installed ArviZ takes it; made when first asked for.

        An ``InferenceData`` for ArviZ before 1.0, a ``DataTree`` for later ones, with the same
        names; ``idata.posterior["word_mean"]`` and ``idata["posterior"]`` work on both.

        Groups ``posterior``, ``sample_stats``, ``prior``, ``posterior_predictive``,
        ``log_likelihood``, ``observed_data`` and ``constant_data``. Posterior, predictions and
        log-likelihoods hold the same draws: all of them where pairs × draws are at most 20
        million, else as many evenly spaced ones as that allows. `posterior` has every draw, and of
        the effects also level coordinates, which ArviZ 1 cannot concatenate.

        ``az.compare`` takes fits of the same observations. A model with reference words has rows
        of these words, which another lacks; the fits of `bayesbias.compare_models` have the same
        pairs: ``az.compare(bb.compare_models(frame, ["maximal", "paper"]).idata)``.
        """
        from bayesbias.fits.inference_data import inference_data

        return inference_data(self)

    @property
    def factors(self) -> dict[str, dict[str, tuple[str, ...]]]:
        """The factors of crossed groups, their levels, and the groups of each; {} without."""
        return {
            factor: {level: tuple(groups) for level, groups in levels.items()}
            for factor, levels in provenance.source_part(self.frame, "factors").items()
        }

    @cached_property
    def contrast_levels(self) -> tuple[str, ...]:
        """The levels that contrasts have, that which leads first.

        By list where groups are compared on one, by factor where they are crossed.
        """
        if not can_compare(self.design):
            return ()
        lists = (LIST,) if has_lists(self.design) else ()
        factors = ("factor",) if are_crossed(self.design, self.factors) else ()
        return (*lists, *MEAN_LEVELS, *factors)

    @cached_property
    def diagnostics(self) -> Diagnostics:
        """Whether the draws can be trusted."""
        return diagnose(self.posterior, self.sample_stats)

    @cached_property
    def caution(self) -> str:
        """Which terms the data clearly ask for and the model lacks, in words.

        Empty where there is none. "Clearly" is a log Bayes factor above 5 for ``maximal``. Costs
        the evidence of ``maximal`` when first asked for.
        """
        from bayesbias.fits.caution import missing_term_warning

        known = self.settings.get("log_marginal_likelihood")
        return missing_term_warning(self.frame, self.design, self.spec, known, self.seed)

    @property
    def log_marginal_likelihood(self) -> float:
        """The log-density of the data under the model, parameters integrated out; not of chains."""
        if "log_marginal_likelihood" not in self.settings:
            raise FitError(
                "chains give no marginal likelihood; fit a model with a normal likelihood with "
                "engine='collapsed'"
            )
        return float(self.settings["log_marginal_likelihood"])

    @cached_property
    def fitted(self) -> FitContext:
        """What every answer needs to know of the fit."""
        is_exact = self.settings.get("engine") == "collapsed"
        chains = 0 if is_exact else self.posterior.sizes["chain"]
        return FitContext(self.posterior, self.design, self.spec, chains)

    def _refuse_chains(self, what: str, remedy: str = "") -> None:
        """Refuse to refit, many times, a model that needs chains for every fit."""
        if not self.spec.is_gaussian:
            raise FitError(
                f"{what} refits the model every time, and {self.spec.name!r} needs chains for each "
                f"fit; {remedy}fit a model with a normal likelihood"
            )

    def rule(
        self,
        *,
        rope: float | None = None,
        prob: float = HDPI_PROB,
        interval: str = "hpdi",
        rule: DecisionRule | None = None,
    ) -> DecisionRule:
        """Return the decision rule of these options in the units of the fitted distances.

        See `contrasts` for the parameters.
        """
        column = BEFORE if BEFORE in self.frame else self.spec.response
        scale = distance_scale(self.frame, column)
        return DecisionRule.of(rule, rope, prob, interval, scale)

    def summary(
        self,
        by: str = "connection",
        *,
        prob: float = HDPI_PROB,
        interval: str = "hpdi",
        rule: DecisionRule | None = None,
    ) -> Summary:
        """Summarise the posterior at one level.

        Parameters
        ----------
        by : {"connection", "list", "group", "word", "attribute", "term", "slope", "run", "context"}
            The mean cosine distance per connection, of every group to every attribute list, per
            protected group or per protected word and connection; the effect of every attribute
            word, nearest first; the standard deviations of the model's terms; its slopes, for one
            standard deviation and one unit
            of their numbers; or, of a model with a term by run and connection, the contrasts in
            each training run, over runs, and their standard deviation between runs; by context
            likewise.
        prob, interval, rule
            As in `contrasts`.

        Returns
        -------
        Summary
            A word with ``n_pairs`` 0 is what the model expects of it from the other words alone.

        Raises
        ------
        FitError
            If the model has no effects of attributes, runs or contexts, or no slopes, and these are
            asked for.

        Examples
        --------
        >>> import bayesbias as bb
        >>> frame = bb.distances(bb.example_embedding(), bb.load_wordlist("gender"))
        >>> bb.fit(frame, "paper", seed=1).summary(by="connection").table["connection"].tolist()
        ['associated', 'different', 'human', 'neutral']
        """
        chosen = DecisionRule.of(rule, prob=prob, interval=interval)
        asked: dict[str, Any] = {"prob": chosen.prob, "interval": chosen.interval}
        key = ("summary", repr(by), *asked.values())
        if key not in self._answers:
            found = summary_of(self.fitted, by, **asked)
            self._answers[key] = replace(found, titles=Titles(self.frame))
        return self._answers[key]

    def predictions(
        self, *, prob: float = HDPI_PROB, interval: str = "hpdi", rule: DecisionRule | None = None
    ) -> pd.DataFrame:
        """Return what the model predicts for every observed pair.

        Columns ``protected_word``, ``attribute``, ``connection``, ``observed``, ``mean``, ``low``,
        ``high``, ``interval``, ``prob``, ``inside``.
        """
        chosen = DecisionRule.of(rule, prob=prob, interval=interval)
        return self._predictions((chosen.prob,), chosen.interval)[0].copy()

    def _predictions(self, probs: Sequence[float], interval: str) -> list[pd.DataFrame]:
        """Return the predictions with intervals of several probabilities, which share the work."""
        keys = [("predictions", DecisionRule(prob=prob, interval=interval)) for prob in probs]
        new = [(p, key) for p, key in zip(probs, keys, strict=True) if key not in self._answers]
        if new:
            asked, missing = zip(*new, strict=True)
            few = thinned(self.posterior, 400)
            tables = predictions(few, self.design, probs=asked, interval=interval)
            self._answers.update(zip(missing, tables, strict=True))
        return [self._answers[key] for key in keys]

    def coverage(
        self, *, probs: Sequence[float] = (HDPI_PROB, INNER_PROB), interval: str = "hpdi"
    ) -> Coverage:
        """Return the share of pairs inside their predictive interval, in-sample; near ``prob``."""
        return Coverage(coverage_table(self._predictions(probs, interval)))

    def contrasts(
        self,
        by: str = "connection",
        *,
        rope: float | None = None,
        prob: float = HDPI_PROB,
        interval: str = "hpdi",
        rule: DecisionRule | None = None,
        simultaneous: bool = False,
        sets: tuple[str, str] | None = None,
    ) -> Contrasts:
        """Compare connections: associated with different and with the controls, human with neutral.

        Parameters
        ----------
        by : {"list", "connection", "group", "word", "factor"}
            By list, compare groups: those that a stereotype links to a list with the others, on
            this list, so that neither the list's own distance nor reference words enter. Or compare
            the means over all words, over each protected group's, or each word's. By factor of
            crossed groups: two lists of attributes, for every group, between levels, and what a
            group has beyond its levels (interaction).
        rope : float, optional
            Half-width, in cosine distance, of the region of practical equivalence around 0; by
            default 0.1 standard deviations of a neutral pair's distance in these vectors.
        prob : float
            Probability of the interval.
        interval : {"hpdi", "eti"}
            Highest posterior density, or equal-tailed as in the paper's figures.
        rule : DecisionRule, optional
            All three at once, in their place.
        simultaneous : bool
            Give intervals that hold jointly for all groups or words of a contrast: the mean plus
            and minus a multiple of the sd, whatever `interval` is. Tables call them joint.
        sets : (str, str), optional
            By group, compare these two attribute sets instead, such as ``("family", "science")``:
            below 0, a group's words are closer to the first. What the sets have with everybody is
            in it.

        Raises
        ------
        FitError
            If the fit has no two connections that are compared, no list on which groups are (by
            list), or its groups are not crossed (by factor).

        Examples
        --------
        >>> import bayesbias as bb
        >>> frame = bb.distances(bb.example_embedding(), bb.load_wordlist("gender"))
        >>> found = bb.fit(frame, "paper", seed=1).contrasts()
        >>> found.table["contrast"].iloc[0]
        'associated − different'
        """
        rule = self.rule(rope=rope, prob=prob, interval=interval, rule=rule)
        key = ("contrasts", repr(by), rule, simultaneous, repr(sets))
        if key in self._answers:
            return self._answers[key]
        factors = self.factors if by == "factor" else {}
        found = contrasts_of(
            self.fitted, by, rule, simultaneous=simultaneous, sets=sets, factors=factors
        )
        self._answers[key] = replace(found, titles=Titles(self.frame))
        return self._answers[key]

    def resampled_words(
        self,
        n: int = 200,
        *,
        rope: float | None = None,
        prob: float = HDPI_PROB,
        interval: str = "hpdi",
        rule: DecisionRule | None = None,
        seed: int | np.random.Generator | None = None,
        progress: bool | None = None,
    ) -> "ResampledWords":
        """Ask what the fit would say had other words like these been listed.

        Protected and reference words are drawn with replacement within their group and attributes
        within their set (a bootstrap of both sides of the list), and the model is fitted again.

        Parameters
        ----------
        n : int
            Lists to draw.
        rope, prob, interval, rule
            As in `contrasts`; `prob` is also that of the interval of the means.
        seed, progress
            By default that of the fit, and a bar in a terminal or a notebook.

        Raises
        ------
        FitError
            If the model's likelihood is not normal.

        Notes
        -----
        The intervals are conservative: drawing both sides again counts the scatter of single pairs
        about three times (Owen 2007, "The pigeonhole bootstrap"). The model's own interval speaks
        of words like the listed ones already. Where the means over resampled lists scatter much
        more than the posterior's sd, and there are pairs enough that this is not the scatter of
        single ones, its terms do not tell the whole of how words differ.
        """
        from bayesbias.fits.resampling import resampled_words

        self._refuse_chains("resampling")
        rule = self.rule(rope=rope, prob=prob, interval=interval, rule=rule)
        number = self.seed if seed is None else seed_as_integer(seed)
        return resampled_words(self.frame, self.spec, rule, n=n, seed=number, progress=progress)

    def slope_effect(
        self,
        *,
        rope: float | None = None,
        prob: float = HDPI_PROB,
        interval: str = "hpdi",
        rule: DecisionRule | None = None,
    ) -> "SlopeEffect":
        """Compare the contrasts of a model with slopes with those of the same model without.

        Examples
        --------
        >>> import bayesbias as bb
        >>> frame = bb.distances(bb.example_embedding(), "gender")
        >>> print(bb.fit(frame, frequency=True, seed=1).slope_effect().sentence)
        At equal frequency every contrast has the verdict that it has plainly.
        """
        from bayesbias.fits.slope_effect import slope_effect_of

        self._refuse_chains("leaving slopes out")
        return slope_effect_of(self, self.rule(rope=rope, prob=prob, interval=interval, rule=rule))

    def sensitivity(
        self,
        *,
        rope: float | None = None,
        prob: float = HDPI_PROB,
        interval: str = "hpdi",
        rule: DecisionRule | None = None,
        leave_out: bool = True,
        seed: int | np.random.Generator | None = None,
        progress: bool | None = None,
    ) -> "Sensitivity":
        """Ask how much the answers hang on the priors and on single words.

        The priors are power-scaled by importance weights (Kallioinen et al. 2024). A model with a
        normal likelihood is also fitted again: with the scale of every prior at half and at twice,
        with that of groups' fixed effects at half and at ten times, of which groups and words tell,
        with protected words that are alike in clusters that share effects, and without every
        protected word, reference word and attribute in turn, about a tenth of a second each.

        Parameters
        ----------
        rope, prob, interval, rule
            As in `contrasts`.
        leave_out : bool
            Whether to leave words out; needs a model with a normal likelihood.
        seed, progress
            By default that of the fit, and a bar in a terminal or a notebook.

        Raises
        ------
        FitError
            If words are to be left out of a model that the collapsed engine cannot fit.
        """
        from bayesbias.fits.sensitivity import sensitivity_of

        if leave_out:
            self._refuse_chains("leaving out words", "ask for sensitivity(leave_out=False), or ")
        return sensitivity_of(
            self.fitted,
            self.frame,
            self.spec,
            self.rule(rope=rope, prob=prob, interval=interval, rule=rule),
            leave_out=leave_out,
            seed=self.seed if seed is None else seed_as_integer(seed),
            progress=progress,
        )

    @cached_property
    def loo(self) -> Loo:
        """Leave-one-out predictions of every pair, from 1,000 draws; made when asked for."""
        few = thinned(self.posterior, 1000)
        return leave_one_out(*likelihood_and_probability(few, self.design))

    def criticism(self) -> "Criticism":
        """Ask where the model's predictions of single pairs go wrong.

        Every pair is predicted from all others, by Pareto-smoothed importance sampling (Vehtari,
        Gelman and Gabry 2017). `sensitivity` leaves out whole words.

        Examples
        --------
        >>> import bayesbias as bb
        >>> frame = bb.distances(bb.example_embedding(), bb.load_wordlist("gender"))
        >>> found = bb.fit(frame, "paper", seed=1).criticism().table
        >>> found["connection"].iloc[0]
        'all'
        """
        from bayesbias.fits.criticism import criticism_of, replicated_groups

        if "criticism" not in self._answers:
            rng = np.random.default_rng([self.seed, 2])
            groups = replicated_groups(self.posterior, self.design, rng)
            self._answers["criticism"] = criticism_of(self.loo, self.design, groups)
        return self._answers["criticism"]

    def check(
        self,
        *,
        rope: float | None = None,
        prob: float = HDPI_PROB,
        interval: str = "hpdi",
        rule: DecisionRule | None = None,
    ) -> "Checks":
        """Ask every check of the fit at once: draws, predictions, model, words.

        Costs what `criticism` and `caution` cost, once, and two fits for what clusters of alike
        words share: answers given before are not computed again. Checks that do not apply, such as
        groups where there is one, are left out. `placebo`, `sensitivity` and `resampled_words` fit
        the model many times, and are not asked.

        Examples
        --------
        >>> import bayesbias as bb
        >>> frame = bb.distances(bb.example_embedding(), bb.load_wordlist("gender"))
        >>> found = bb.fit(frame, "paper", seed=1).check().table.set_index("check")
        >>> found.loc["model", "verdict"]
        'warn'
        """
        rule = self.rule(rope=rope, prob=prob, interval=interval, rule=rule)
        from bayesbias.fits.checklist import checks_of_fit

        return checks_of_fit(self, rule)

    def placebo(
        self,
        n: int = 200,
        *,
        kind: str = "neutral",
        prob: float = HDPI_PROB,
        interval: str = "hpdi",
        rule: DecisionRule | None = None,
        seed: int | np.random.Generator | None = None,
        progress: bool | None = None,
    ) -> "Placebo":
        """Ask how often the model finds an association where there is none, in these vectors.

        Parameters
        ----------
        n : int
            Placebo lists.
        kind : {"neutral", "frequency", "redeal"}
            Neutral words drawn at random in place of the stereotypes, in topics as large as those
            that the fit counts among these; the same, about as frequent as these; or the real
            stereotype attributes dealt anew among their sets, each by itself.
        prob, interval, rule, seed, progress
            As in `contrasts` and `resampled_words`.

        Raises
        ------
        FitError
            If there are too few neutral words, only one set of attributes, nothing to compare, or
            a model that the collapsed engine cannot fit.
        DistancesError
            With ``kind="frequency"``, if it is not known how frequent the words are.

        Examples
        --------
        >>> import bayesbias as bb
        >>> frame = bb.distances(bb.example_embedding(), bb.load_wordlist("gender"))
        >>> bb.fit(frame, "paper", seed=1).placebo(3, progress=False).table["n"].iloc[0]
        np.int64(3)
        """
        from bayesbias.fits.placebo import placebo_of, with_chance_beside

        self._refuse_chains("a placebo list")
        rule = self.rule(prob=prob, interval=interval, rule=rule)
        found = placebo_of(
            self.frame,
            self.spec,
            rule,
            n=n,
            kind=kind,
            seed=self.seed if seed is None else seed_as_integer(seed),
            progress=progress,
        )
        levels = "connection", "group"
        return with_chance_beside(found, [self.contrasts(by, rule=rule).table for by in levels])

    def plot_contrasts(
        self,
        *,
        rope: float | None = None,
        prob: float = HDPI_PROB,
        interval: str = "hpdi",
        rule: DecisionRule | None = None,
        **shown: Unpack[Shown],
    ) -> Figure:
        """Draw the contrasts of all words together and of every protected word, with the ROPE.

        Parameters
        ----------
        rope, prob, interval, rule
            As in `contrasts`.

        Other Parameters
        ----------------
        contrasts, groups, words : str or sequence of str, optional
            Only these, in this order; the row of all words stays that of all.
        ax, figsize, palette : Axes, float or pair, str or sequence, optional
            Your axes; width in inches, or width and height; colours: the docs' page on figures.
        """
        from bayesbias.fits.interval_figures import plot_contrasts

        chosen = self.rule(rope=rope, prob=prob, interval=interval, rule=rule)
        words, whole = (self.contrasts(by, rule=chosen).table for by in ("word", "connection"))
        words, place = chosen_rows(words, shown)
        return plot_contrasts(words, chosen, whole=whole, **place)

    def plot_predictive(
        self,
        *,
        prob: float = HDPI_PROB,
        interval: str = "hpdi",
        rule: DecisionRule | None = None,
        **place: Unpack[Place],
    ) -> Figure:
        """Draw the predictive check: predicted against observed, and both densities."""
        from bayesbias.fits.predictive_figures import (
            plot_predictive,
            predictive_draws,
            response_name,
        )

        chosen = DecisionRule.of(rule, prob=prob, interval=interval)
        return plot_predictive(
            self.predictions(rule=chosen),
            predictive_draws(self.posterior, self.design, seed=self.seed),
            self.coverage(probs=(chosen.prob, INNER_PROB), interval=chosen.interval).table,
            what=response_name(self.spec.response),
            **place,
        )

    def save(self, path: str | Path) -> None:
        """Write the fit to a netCDF file, whole or not at all.

        Predictions, log-likelihoods and draws from the prior are left out: `load_fit` makes the
        same again from the seed when they are asked for. To write them too, use
        ``fit.idata.to_netcdf``.
        """
        write_fit(self, path)

    @property
    def blocks(self) -> Blocks:
        """The answer and what it means, the tables, the data and what makes it doubtful."""
        is_distance, contrasts = self.spec.response == DISTANCE, can_compare(self.design)
        rule, screen = self.rule(), None
        if is_distance and contrasts:
            screen = self.first_screen(rule)
        return [
            *(screen.blocks(next_step("fit", screen.state, screen.few)) if screen else []),
            *(self.group_blocks(rule) if contrasts else []),
            f"Mean cosine {'distance' if is_distance else 'change of distance'}:",
            *self.summary().blocks[:1],
            *(["", *self.contrasts().blocks] if contrasts else []),
            *([topics] if (topics := topics_sentence(self.frame)) else []),
            *([at_equal] if (at_equal := narrator.slopes_sentence(self.spec)) else []),
            "",
            *self.data_and_checks(rule),
            *(["", _THEN] if screen else []),
        ]

    def first_screen(self, rule: DecisionRule) -> FirstScreen:
        """Return what is seen first: the finding, its lines, and what they mean."""
        return first_screen(self.answers(rule), self.frame, rule)

    def data_and_checks(self, rule: DecisionRule) -> Blocks:
        """Return how many pairs there are, what is missing, and whether to rely on the fit."""
        probs = tuple(dict.fromkeys((rule.prob, INNER_PROB)))
        coverage = self.coverage(probs=probs, interval=rule.interval).table
        said = data_and_checks(self.frame, coverage, self.diagnostics)
        fitted = f"Model {self.spec.name!r}, fit {self.id}."
        return [said[0], f"{said[1]} {fitted}", *self.notes]

    def group_blocks(self, rule: DecisionRule) -> Blocks:
        """Return who is closer to which list, then each group compared with words of no group.

        Nothing where the fit does not know groups, or the first two connections are not compared.
        """
        blocks: list[str | Table] = []
        if LIST in self.contrast_levels:
            found = self.contrasts(LIST, rule=rule)
            unknown = [found.about_chance] if CHANCE_REASON in found.table else []
            blocks += [
                captions.tell("lists_heading"),
                found.blocks[0],
                *unknown,
                *about_edge(found.table),
                "",
            ]
        groups = self.contrasts("group", rule=rule)
        if groups.groups.has_means and groups.notes:
            first = groups.table["contrast"] == groups.table["contrast"].iloc[0]
            table = decisions_table(groups.table[first], [GROUP, "contrast"])
            notes = *groups.notes, *about_edge(groups.table[first])
            blocks += [f"{groups.groups.heading}:", table, *notes, ""]
        return blocks

    def finding(
        self,
        *,
        rope: float | None = None,
        prob: float = HDPI_PROB,
        interval: str = "hpdi",
        rule: DecisionRule | None = None,
    ) -> str:
        """Say in a sentence who is closer to what, between groups where there are several."""
        return self.answers(self.rule(rope=rope, prob=prob, interval=interval, rule=rule)).headline

    def answers(self, rule: DecisionRule) -> narrator.Answers:
        """Return the contrasts that sentences quote; refuse where nothing is compared."""
        lists = self.contrasts(LIST, rule=rule) if LIST in self.contrast_levels else None
        whole, groups = (self.contrasts(by, rule=rule) for by in ("connection", "group"))
        return narrator.Answers(whole, groups, lists, narrator.Names.of_frame(self.frame))

    def report(
        self,
        form: str = "text",
        *,
        placebo: "Placebo | None" = None,
        rope: float | None = None,
        prob: float = HDPI_PROB,
        interval: str = "hpdi",
        rule: DecisionRule | None = None,
    ) -> str:
        """Write a paragraph to paste into a paper.

        Model and data, what is missing, the finding with its intervals, the ROPE, the checks, the
        cautions, seed and version. Its citations have the keys of `cite`: ``cite{...}`` commands in
        LaTeX, ``[@...]`` in Markdown.

        Parameters
        ----------
        form : {"text", "markdown", "latex"}
        placebo : Placebo, optional
            From `placebo`; the paragraph then says the place among its lists.
        rope, prob, interval, rule
            As for `contrasts`.

        Raises
        ------
        FitError
            If the fit is of changes of distances; the sentences of a `Change` are its ``answers``.

        Examples
        --------
        >>> import bayesbias as bb
        >>> frame = bb.distances(bb.example_embedding(), bb.load_wordlist("gender"))
        >>> print(bb.fit(frame, "paper", seed=1).report()[:68])
        Gender and occupation in glove-840b-list-words.bin.gz: model 'paper'
        """
        from bayesbias.fits.paragraph import FORMS, paragraph
        from bayesbias.fits.placebo import Placebo

        one_of(form, "form", FORMS)
        if not (placebo is None or isinstance(placebo, Placebo)):
            raise ArgumentError(f"placebo={placebo!r}: give what fit.placebo() returned")
        if self.spec.response != DISTANCE:
            raise FitError(
                "this fit is of changes of distances; take the sentences of its Change, .answers"
            )
        rule = self.rule(rope=rope, prob=prob, interval=interval, rule=rule)
        return paragraph(self, rule, form, placebo)

    @property
    def notes(self) -> list[str]:
        """What a reader must know beside the numbers: terms left out, caution, spelling."""
        said = (*self.left_out, self.caution, case_sentence(self.frame))
        return [sentence for sentence in said if sentence]

    def to_frame(self) -> pd.DataFrame:
        """Return the mean distance per connection: ``summary().table``."""
        return self.summary().to_frame()

    def to_dict(
        self,
        *,
        rope: float | None = None,
        prob: float = HDPI_PROB,
        interval: str = "hpdi",
        rule: DecisionRule | None = None,
    ) -> dict[str, Any]:
        """Return how it was fitted and what it says as plain data, as ``--json`` prints it."""
        rule = self.rule(rope=rope, prob=prob, interval=interval, rule=rule)
        said = narrator.answer_of_means(self.summary(rule=rule))
        probs = tuple(dict.fromkeys((rule.prob, INNER_PROB)))
        coverage = self.coverage(probs=probs, interval=rule.interval)
        content: dict[str, Any] = plain(
            {
                "answers": self.answers(rule).findings if self.contrast_levels else said,
                "fit": self.id,
                "model": self.spec.name,
                "seed": self.seed,
                "summary": {by: self.summary(by, rule=rule).table for by in MEAN_LEVELS},
                "contrasts": {by: self.contrasts(by, rule=rule) for by in self.contrast_levels},
                "coverage": coverage.table,
                "diagnostics": self.diagnostics.to_dict(),
                "notes": self.notes,
                "missing_words": provenance.missing_of(self.frame),
                "record": self.record,
            }
        )
        return content
