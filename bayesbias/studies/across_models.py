"""Which model explains the distances best: leave-one-out and marginal likelihoods.

Leave-one-out (Vehtari, Gelman and Gabry 2017) asks how well a model predicts a new pair of words
that it knows from other pairs. The marginal likelihood asks how likely all data were before any
were seen; the difference of two logarithms is a log Bayes factor. Effects of words and attributes
are asked for by the second: when a single pair is left out, its word and its attribute stay.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import pandas as pd

from bayesbias.errors import ArgumentError
from bayesbias.fits.contrasts import can_compare, decisions_table
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.fitting import fit
from bayesbias.inference.diagnostics import PARETO_K_LIMIT
from bayesbias.inference.model_files import load_model
from bayesbias.inference.pareto import clustered_error
from bayesbias.inference.specification import ModelSpec
from bayesbias.pairs.reference import without_reference
from bayesbias.studies.several_narrator import tell
from bayesbias.support.figure_style import Place
from bayesbias.support.forests import Forest, Mark, Row, plot_forests, span_of
from bayesbias.support.result import Result, plain
from bayesbias.support.text_tables import Blocks, Column, Columns, Table, with_blank_lines
from bayesbias.support.types import Figure


@dataclass(frozen=True, repr=False, eq=False)
class ModelComparison(Result):
    """How well several models explain the same pairs, best first.

    Parameters
    ----------
    table : DataFrame
        Columns ``model``; ``elpd_loo``, the expected log-density of a pair left out, summed over
        pairs, and its standard error ``se``, clustered by attribute and by protected word;
        ``p_loo``, the effective number of parameters;
        ``n_bad_k``, pairs whose Pareto k is above 0.7, for which LOO is not to be trusted;
        ``elpd_diff`` to the best model and ``diff_se``; ``log_marginal_likelihood`` (missing for
        NUTS fits) and ``log_bayes_factor`` against the largest of them.
    fits : mapping of str to Fit
    """

    table: pd.DataFrame
    fits: Mapping[str, Fit]

    def to_dict(self) -> dict[str, Any]:
        """Return the table, and the contrasts under every model, as plain data."""
        content: dict[str, Any] = plain({"models": self.table, "contrasts": self.contrasts})
        return content

    @property
    def idata(self) -> dict[str, Any]:
        """By model the draws in ArviZ's schema, all of the same pairs, for ``az.compare``."""
        return {name: fitted.idata for name, fitted in self.fits.items()}

    @property
    def contrasts(self) -> pd.DataFrame:
        """What every model says of the contrasts: ``model``, then columns of `Fit.contrasts`."""
        parts = [
            fitted.contrasts().table.assign(model=name)
            for name, fitted in self.fits.items()
            if can_compare(fitted.design)
        ]
        if not parts:
            return pd.DataFrame(columns=["model", "contrast"])
        return pd.concat(parts).set_index("model").reset_index()

    def plot(self, **place: Unpack[Place]) -> Figure:
        """Draw the differences to the best model."""
        return plot_comparison(self.table, **place)

    @property
    def blocks(self) -> Blocks:
        """The models, best first, and what each says of the contrasts."""
        columns: Columns = [
            "model",
            Column("elpd_loo", "elpd", "number"),
            Column("se", "s.e.", "number", drop_priority=2),
            Column("elpd_diff", "difference", "number"),
            Column("diff_se", "its s.e.", "number"),
            Column("p_loo", "parameters", "number", drop_priority=1),
            Column("log_bayes_factor", "log Bayes factor", "number", drop_priority=1),
        ]
        blocks = with_blank_lines(
            tell("models"),
            Table(self.table, columns),
        )
        contrasts = self.contrasts
        if len(contrasts):
            rule = next(iter(self.fits.values())).rule()
            ordered = contrasts.sort_values("contrast", kind="stable")
            blocks += ["", decisions_table(ordered, ["contrast", "model"]), rule.caption]
        return blocks


def compare_models(
    frame: pd.DataFrame,
    models: Sequence[str | Path | ModelSpec],
    *,
    seed: int | np.random.Generator | None = None,
    **options: Any,
) -> ModelComparison:
    """Fit several models to the same pairs and compare how well they explain them.

    Parameters
    ----------
    frame : DataFrame
        From `distances` or `read_distances`.
    models : sequence of str, Path or ModelSpec
        At least two, of one response.
    seed : int or Generator, optional
    **options
        Passed on to `fit`.

    Raises
    ------
    ArgumentError
        If there are fewer than two models, two of one name, or models of different responses.

    Notes
    -----
    LOO is Pareto-smoothed (Vehtari, Gelman and Gabry 2017), on 1,000 draws. It leaves out one pair
    at a time, whose word and attribute stay in other pairs: it asks how well a model predicts a
    new pair of known words, not a new word.

    Examples
    --------
    >>> import bayesbias as bb
    >>> frame = bb.distances(bb.example_embedding(), bb.load_wordlist("gender"))
    >>> found = bb.compare_models(frame, ["paper", "crossed"], seed=1)
    >>> found.table["model"].iloc[-1]
    'paper'
    """
    if isinstance(models, str) or not isinstance(models, Sequence):
        raise ArgumentError(
            f"models={models!r}: give a list of models, such as ['paper', 'crossed']"
        )
    specs = [load_model(model) for model in models]
    names = [spec.name for spec in specs]
    if len(specs) < 2 or len(set(names)) < len(names):
        raise ArgumentError("compare at least two models, of different names")
    if len({spec.response for spec in specs}) > 1:
        raise ArgumentError("models that explain different columns cannot be compared")
    if not all(spec.reference_words for spec in specs):
        frame = without_reference(frame)  # all explain the same pairs
    rng = np.random.default_rng(seed)
    fits = {spec.name: fit(frame, spec, seed=rng, **options) for spec in specs}
    found = {name: fitted.loo for name, fitted in fits.items()}
    total = pd.Series({name: one.elpd.sum() for name, one in found.items()})
    order = total.sort_values(ascending=False).index
    best, rows = found[order[0]].elpd, []
    for name in order:
        one, design = found[name], fits[name].design
        difference = one.elpd - best
        rows.append(
            {
                "model": name,
                "elpd_loo": one.elpd.sum(),
                "se": clustered_error(one.elpd, design.attribute, design.word),
                "p_loo": one.effective,
                "n_bad_k": int((one.pareto_k > PARETO_K_LIMIT).sum()),
                "elpd_diff": difference.sum(),
                "diff_se": clustered_error(difference, design.attribute, design.word),
                "log_marginal_likelihood": fits[name].settings.get(
                    "log_marginal_likelihood", np.nan
                ),
            }
        )
    table = pd.DataFrame(rows)
    evidence = table["log_marginal_likelihood"]
    return ModelComparison(table.assign(log_bayes_factor=evidence - evidence.max()), fits)


def plot_comparison(table: pd.DataFrame, **place: Unpack[Place]) -> Figure:
    """Draw differences to the best model, by leave-one-out and by marginal likelihood."""
    low, high = (table["elpd_diff"] + sign * 2 * table["diff_se"] for sign in (-1, 1))
    axis = "expected log-density of a pair left out, difference to the best (± 2 s.e.)"
    forests = [_forest(table, "estimate", axis, table["elpd_diff"], low, high)]
    if table["log_marginal_likelihood"].notna().any():
        axis = "log marginal likelihood, difference to the best"
        forests.append(_forest(table, "overall", axis, *[table["log_bayes_factor"]] * 3))
    return plot_forests([forests], width=8.6 if len(forests) > 1 else 5.0, legend=False, **place)


def _forest(
    table: pd.DataFrame, look: str, axis: str, mean: pd.Series, low: pd.Series, high: pd.Series
) -> Forest:
    rows = zip(table["model"], mean, low, high, strict=True)
    marks = [Row(str(name), (Mark(look, *numbers),)) for name, *numbers in rows]
    return Forest("", "", axis, tuple(marks), span_of([*low, *high], 0.0), (0.0,))
