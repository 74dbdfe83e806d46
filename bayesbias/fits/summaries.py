"""Tables of posterior draws, labelled: what `Fit` hands out."""

import numpy as np
import pandas as pd
import xarray as xr

from bayesbias.constants import ATTRIBUTE, CONNECTION, CONNECTIONS, PROTECTED_WORD
from bayesbias.inference.design import Design
from bayesbias.inference.intervals import interval_of
from bayesbias.inference.predictive import predictive_intervals
from bayesbias.support.compatibility import ess_and_rhat


def summarise(draws: xr.DataArray, *, prob: float, interval: str) -> pd.DataFrame:
    """Summarise an array of draws, one row per parameter.

    Parameters
    ----------
    draws : DataArray
        With dimensions ``chain`` and ``draw``, and any others.
    prob : float
        Probability of the interval.
    interval : {"hpdi", "eti"}
        Its kind.

    Returns
    -------
    DataFrame
        The other dimensions as columns, then ``mean``, ``sd``, ``low``, ``high``, ``interval``,
        ``prob``, ``ess_bulk``, ``ess_tail``, ``r_hat``.
    """
    others = [str(d) for d in draws.dims if d not in ("chain", "draw")]
    stacked = draws.stack(sample=("chain", "draw")).transpose("sample", *others)
    values = stacked.to_numpy().reshape(stacked.sizes["sample"], -1)
    bounds = interval_of(values, prob, interval)
    if others:
        labels = pd.MultiIndex.from_product([draws[d].to_numpy() for d in others], names=others)
        table = labels.to_frame(index=False).astype(object)
    else:
        table = pd.DataFrame(index=[0])
    table["mean"] = values.mean(axis=0)
    table["sd"] = values.std(axis=0, ddof=1)
    table["low"], table["high"] = bounds[:, 0], bounds[:, 1]
    table["interval"], table["prob"] = interval, prob
    for name, check in ess_and_rhat(draws).items():
        table[name] = np.ravel(check.transpose(*others).to_numpy())
    return table


def count_pairs(design: Design, by: list[str]) -> pd.DataFrame:
    """Count pairs per connection, or per protected word and connection, zeros included."""
    counts = design.cell_counts
    words = np.repeat(design.protected_words, counts.shape[1]).astype(object)
    frame = pd.DataFrame(
        {
            PROTECTED_WORD: words,
            CONNECTION: list(design.connections) * counts.shape[0],
            "n_pairs": counts.ravel(),
        }
    )
    return frame.groupby(by, sort=False, as_index=False)["n_pairs"].sum()


def predictions(
    posterior: xr.Dataset, design: Design, *, prob: float, interval: str
) -> pd.DataFrame:
    """Return, per observed pair, the predicted mean and interval, and whether it holds the pair.

    Returns
    -------
    DataFrame
        Columns ``protected_word``, ``attribute``, ``connection``, ``observed``, ``mean``, ``low``,
        ``high``, ``interval``, ``prob``, ``inside``.
    """
    values = predictive_intervals(posterior, design, prob=prob, interval=interval)
    inside = (design.response >= values[:, 1]) & (design.response <= values[:, 2])
    return pd.DataFrame(
        {
            PROTECTED_WORD: np.array(design.protected_words, dtype=object)[design.word],
            ATTRIBUTE: np.array(design.attributes, dtype=object)[design.attribute],
            CONNECTION: np.array(design.connections, dtype=object)[design.connection],
            "observed": design.response,
            "mean": values[:, 0],
            "low": values[:, 1],
            "high": values[:, 2],
            "interval": interval,
            "prob": prob,
            "inside": inside,
        }
    )


def coverage_table(tables: list[pd.DataFrame]) -> pd.DataFrame:
    """Return the share of pairs inside their predictive interval, in all and per connection."""
    rows = []
    for table in tables:
        present = [c for c in CONNECTIONS if (table[CONNECTION] == c).any()]
        parts = [("all", table), *((c, table[table[CONNECTION] == c]) for c in present)]
        rows += [
            (name, len(part), part["prob"].iloc[0], part["interval"].iloc[0], part["inside"].mean())
            for name, part in parts
        ]
    return pd.DataFrame(rows, columns=[CONNECTION, "n_pairs", "prob", "interval", "inside"])
