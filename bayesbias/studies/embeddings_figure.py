"""Several embeddings as small multiples."""

from typing import Final, Unpack

import pandas as pd

from bayesbias.constants import CONNECTION, EMBEDDING
from bayesbias.fits.contrasts import STANDARDISED
from bayesbias.fits.forests import decision_mark, rows_forest
from bayesbias.support.figure_style import Place
from bayesbias.support.forests import Forest, Row, plot_forests, span_of
from bayesbias.support.text_tables import label_of
from bayesbias.support.types import Figure

_WIDTH: Final = 2.5


def plot_embeddings(means: pd.DataFrame, contrasts: pd.DataFrame, **place: Unpack[Place]) -> Figure:
    """Draw mean distances (above) and contrasts (below), a panel each, a line per embedding."""
    span = span_of([*means["low"], *means["high"]])
    upper = [
        rows_forest(part, [EMBEDDING], str(name), span=span)
        for name, part in means.groupby(CONNECTION, sort=False)
    ]
    in_sds = _in_sds(contrasts)
    reach = 1.2 * float(in_sds["rope"].max())
    span = span_of([*in_sds["low"], *in_sds["high"]], -reach, reach)
    lower = [
        _contrast(str(name), part, span) for name, part in in_sds.groupby("contrast", sort=False)
    ]
    columns, n = max(len(upper), len(lower)), means[EMBEDDING].nunique()
    size = (1.0 + _WIDTH * columns, 2.2 + 0.5 * n)
    return plot_forests([upper, lower], size=size, sharex="row", sharey="row", **place)


def _in_sds(contrasts: pd.DataFrame) -> pd.DataFrame:
    """Return contrasts in standard deviations of a neutral pair's distance, with their ROPE."""
    mean, low, high = (contrasts[name] for name in STANDARDISED)
    rope = contrasts["rope"] * (high - low) / (contrasts["high"] - contrasts["low"])
    return contrasts.assign(mean=mean, low=low, high=high, rope=rope)


def _contrast(name: str, part: pd.DataFrame, span: tuple[float, float]) -> Forest:
    """Return a contrast in every embedding, each with its ROPE."""
    rows = [Row(r.embedding, (decision_mark(r),), rope=r.rope) for r in part.itertuples()]
    axis = f"difference in sd of a neutral pair,\n{label_of(part)} (dashed: 0; grey: ROPE)"
    return Forest(name, "", axis, tuple(rows), span, (0.0,))
