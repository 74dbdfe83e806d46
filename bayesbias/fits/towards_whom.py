"""The association of a single group, freed from the difference of the attribute lists.

A group's plain contrast, associated − different, is half the association of both groups plus the
difference of the two lists' means: where one list is nearer to everybody, it is nearer to this
group too. The protected words cannot separate the two; ungendered reference words can. Here the
response is a pair's distance less the mean distance of the reference words to the same attribute,
and every group is fitted by itself.
"""

from dataclasses import replace
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
from bayesbias.fits.contrasts import contrast_draws, contrast_name, decisions
from bayesbias.fits.quantities import Fitted, Quantities
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
    frame: pd.DataFrame,
    reference: pd.DataFrame,
    rule: DecisionRule,
    *,
    seed: int,
    simultaneous: bool = False,
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
    simultaneous : bool
        Whether the intervals hold jointly for all groups.

    Returns
    -------
    DataFrame
        One row per group that has associated and different attributes; ``listed`` is the plain
        difference, less that of the reference words. Groups with fewer than two words, or two
        associated and two different attributes that the reference words have too, have no row.
    """
    pairs = _relative(frame, reference)
    found: list[Quantities] = []
    for group, part in pairs.groupby(GROUP, sort=False):
        enough = part.groupby(CONNECTION)[ATTRIBUTE].nunique().reindex(_SIDES, fill_value=0)
        if enough.min() < 2 or part[PROTECTED_WORD].nunique() < 2:
            continue
        found.append(_of_group(str(group), part.reset_index(drop=True), seed))
    if not found:
        return pd.DataFrame()
    # Groups are fitted apart, so that one's draws belong to the other's in no order.
    rng = np.random.default_rng([seed, 1])
    together = Quantities(
        pd.concat([one.labels for one in found], ignore_index=True),
        np.hstack([rng.permutation(one.draws) for one in found]),
        chains=1,
        exact=tuple(mixture for one in found for mixture in one.exact),
    )
    sets = np.zeros(len(found), dtype=np.int64) if simultaneous else None
    return decisions(together, rule, markov=False, sets=sets)


def _relative(frame: pd.DataFrame, reference: pd.DataFrame) -> pd.DataFrame:
    """Return the stereotype pairs with their distance relative to the reference words."""
    keys: list[Any] = [ATTRIBUTE, ATTRIBUTE_SET]
    means = reference.groupby(keys)[DISTANCE].mean().rename("reference")
    stereotypes = frame[frame[CONNECTION].isin(STEREOTYPE_CONNECTIONS)]
    joined = stereotypes.join(means, on=keys)
    joined = joined[joined["reference"].notna()]
    return joined.assign(**{CHANGE: joined[DISTANCE] - joined["reference"]})


def _of_group(group: str, pairs: pd.DataFrame, seed: int) -> Quantities:
    """Fit one group; a distance relative to others is a change, centred at 0."""
    spec, _ = simplify(load_model("change-maximal"), pairs)
    design = Design.from_frame(pairs, spec)
    posterior, _, _ = sample_collapsed(design, spec, draws=_DRAWS, chains=1, seed=seed)
    found = contrast_draws(Fitted(posterior, design, spec), "connection")
    listed = pairs.groupby(CONNECTION)[CHANGE].mean()
    known = {"contrast": AGAINST_REFERENCE, "listed": np.subtract(*listed[list(_SIDES)])}
    labels = found.labels.assign(**known)
    labels.insert(0, GROUP, group)
    return replace(found, labels=labels)
