"""A t-interval without a model, as a baseline: what plain means of words and of topics say.

A contrast is Σ w[g,s] x̄[g,s], weights on the plain means of cells of a group g and a list s. Words
i of a group and topics t of a list (`pairs.topics`, p_t of its attributes) are both samples:

    S_i = Σ_s w[g,s] x̄[i,s] / a_g,  a_g = Σ_s |w[g,s]|;  T_t = Σ_g w[g,s] x̄[g,t] / b_s, b_s alike;
    variance = v_S Σ_g a_g² / n_g + Σ_kinds v_T Σ_s b_s² Σ_t p_t²,

v_S pooled within groups, v_T within lists of a kind; degrees of freedom are Satterthwaite's.
"""

from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd
from scipy.stats import t

from bayesbias.constants import HDPI_PROB, TOPIC
from bayesbias.fits.contrasts import contrasts_asked
from bayesbias.models.parameters import Cells
from bayesbias.support.arguments import Array, Index

if TYPE_CHECKING:
    from bayesbias.fits.fit_result import Fit

ONE_TOPIC: Final = "no list has two topics, so that nothing tells how far topics differ"


def plain_t_interval(fit: "Fit", *, ci_prob: float = HDPI_PROB) -> pd.DataFrame:
    """Return the contrasts of `Fit.contrasts`, but for words, as t-intervals of plain means.

    Columns ``level, list, group, other, contrast, observed, withheld, sd, degrees, low, high``.
    """
    design, cells = fit.design, Cells.of(fit.design)
    labels, _, weights, _ = contrasts_asked(design)
    topic = pd.factorize(fit.frame[TOPIC])[0] if TOPIC in fit.frame else design.attribute
    topic = topic if design.topic is None else design.topic[design.attribute]
    kind = np.zeros(len(design.attribute_sets), np.int64)
    kind[design.attribute_set] = design.kind[design.attribute]
    of_groups = cells, cells.group, design.word, design.word, design.response
    of_lists = cells, cells.list, topic, design.attribute, design.response
    own = np.zeros(len(design.groups))
    samples = (cells.group, own, *_means(*of_groups)), (cells.list, kind, *_means(*of_lists))
    table = labels[: len(weights)].drop(columns=["word", "n_words", "n_attributes"])
    for i, row in enumerate(weights):
        parts = []
        for of_cell, pool, means, of, share in samples:
            size = np.bincount(of_cell, np.abs(row))
            for p in np.unique(pool[size > 0]):
                parts.append(_variance(means @ row, of, share, size * (pool == p)))
        variance, degrees = np.array(parts).T
        total = variance.sum()
        table.loc[i, ["sd", "degrees"]] = total**0.5, total**2 / (variance**2 / degrees).sum()
    is_open = table["withheld"] == ""
    table["withheld"] = table["withheld"].mask(is_open & table["sd"].isna(), ONE_TOPIC)
    reach = table["sd"].where(is_open) * t.ppf((1 + ci_prob) / 2, table["degrees"])
    return table.assign(low=table["observed"] - reach, high=table["observed"] + reach)


def _means(
    cells: Cells, of: Index, unit: Index, member: Index, response: Array
) -> tuple[Array, Index, Array]:
    """Return the means of words, or topics, in cells, (n_units, n_cells), 0 without pairs.

    `of` (n_cells,): the group, or list. Then that of every unit, and its share of the members.
    """
    pairs = np.concatenate(cells.pairs)
    cell = np.repeat(np.arange(len(of)), [len(p) for p in cells.pairs])
    keys, row = np.unique(np.c_[of[cell], unit[pairs]], axis=0, return_inverse=True)
    total, count = np.zeros((2, len(keys), len(of)))
    np.add.at(total, (row.ravel(), cell), response[pairs])
    np.add.at(count, (row.ravel(), cell), 1)
    n = np.bincount(np.unique(np.c_[row.ravel(), member[pairs]], axis=0)[:, 0])
    return total / np.maximum(count, 1), keys[:, 0], n / np.bincount(keys[:, 0], n)[keys[:, 0]]


def _variance(score: Array, of: Index, share: Array, size: Array) -> tuple[float, int]:
    """Return the variance of a sum of means of units' scores, and its degrees of freedom."""
    use = size[of] > 0
    score, of, share = score[use] / size[of[use]], of[use], share[use]
    degrees = len(score) - len(np.unique(of))
    around = score - (np.bincount(of, score) / np.maximum(np.bincount(of), 1))[of]
    return (around**2).sum() / (degrees or np.nan) * ((share * size[of]) ** 2).sum(), degrees
