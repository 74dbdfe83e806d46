"""The association of a single group, freed from the difference of the attribute lists.

A group's plain contrast, associated − different, is half the association of both groups plus the
difference of the two lists' means: where one list is nearer to everybody, it is nearer to this
group too. The protected words cannot separate the two; ungendered reference words can. Here the
response is a pair's distance less the mean distance of the reference words to the same attribute,
and every group is fitted by itself.
"""

from typing import Any

import numpy as np
import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CHANGE,
    CONNECTION,
    DISTANCE,
    GROUP,
    PROTECTED_WORD,
    STEREOTYPE_CONNECTIONS,
)
from bayesbias.fits.contrasts import contrast_name, contrasts_of
from bayesbias.fits.quantities import Fitted
from bayesbias.inference.collapsed import sample_collapsed
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.design import Design
from bayesbias.inference.identifiability import simplify
from bayesbias.inference.model_files import load_model

_DRAWS = 8000
_SIDES = ("associated", "different")
AGAINST_REFERENCE = f"{contrast_name(*_SIDES)}, against reference words"
"""What the contrast is called in a table."""


def against_reference(
    frame: pd.DataFrame, reference: pd.DataFrame, rule: DecisionRule, *, seed: int
) -> pd.DataFrame:
    """Return every group's contrast against reference words; columns of `Contrasts.table`.

    Parameters
    ----------
    frame : DataFrame
        The pairs.
    reference : DataFrame
        Distances of reference words, such as *person*, to the stereotype attributes; columns
        ``protected_word``, ``attribute``, ``attribute_set``, ``cosine_distance``.
    rule : DecisionRule
    seed : int

    Returns
    -------
    DataFrame
        One row per group that has associated and different attributes; ``listed`` is the plain
        difference, less that of the reference words. Groups with fewer than two words, or two
        associated and two different attributes that the reference words have too, have no row.
    """
    pairs = _relative(frame, reference)
    tables = []
    for group, part in pairs.groupby(GROUP, sort=False):
        enough = part.groupby(CONNECTION)[ATTRIBUTE].nunique().reindex(_SIDES, fill_value=0)
        if enough.min() < 2 or part[PROTECTED_WORD].nunique() < 2:
            continue
        table = _fitted(part.reset_index(drop=True), rule, seed)
        table.insert(0, GROUP, group)
        tables.append(table.assign(contrast=AGAINST_REFERENCE))
    if not tables:
        return pd.DataFrame()
    return pd.concat(tables, ignore_index=True)


def _relative(frame: pd.DataFrame, reference: pd.DataFrame) -> pd.DataFrame:
    """Return the stereotype pairs with their distance relative to the reference words."""
    keys: list[Any] = [ATTRIBUTE, ATTRIBUTE_SET]
    means = reference.groupby(keys)[DISTANCE].mean().rename("reference")
    stereotypes = frame[frame[CONNECTION].isin(STEREOTYPE_CONNECTIONS)]
    joined = stereotypes.join(means, on=keys)
    joined = joined[joined["reference"].notna()]
    return joined.assign(**{CHANGE: joined[DISTANCE] - joined["reference"]})


def _fitted(pairs: pd.DataFrame, rule: DecisionRule, seed: int) -> pd.DataFrame:
    """Fit one group; a distance relative to others is a change, centred at 0."""
    spec, _ = simplify(load_model("change-maximal"), pairs)
    design = Design.from_frame(pairs, spec)
    posterior, _, _ = sample_collapsed(design, spec, draws=_DRAWS, chains=1, seed=seed)
    table = contrasts_of(Fitted(posterior, design, spec), "connection", rule).table
    listed = pairs.groupby(CONNECTION)[CHANGE].mean()
    difference = np.subtract(*listed[list(_SIDES)])
    return table[table["contrast"] == contrast_name(*_SIDES)].assign(listed=difference)
