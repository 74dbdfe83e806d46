"""Several embeddings as small multiples."""

from typing import TYPE_CHECKING, Final, Unpack

import pandas as pd

from bayesbias.constants import CONNECTION, EMBEDDING
from bayesbias.fits.forests import decision_mark, rows_forest
from bayesbias.support.figure_style import Place
from bayesbias.support.forests import Forest, Row, plot_forests, span_of
from bayesbias.support.text_tables import label_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WIDTH: Final = 2.5


def plot_embeddings(
    means: pd.DataFrame, contrasts: pd.DataFrame, **place: Unpack[Place]
) -> "Figure":
    """Draw mean distances (above) and contrasts (below), a panel each, a line per embedding."""
    span = span_of([*means["low"], *means["high"]])
    upper = [
        rows_forest(part, [EMBEDDING], str(name), span=span)
        for name, part in means.groupby(CONNECTION, sort=False)
    ]
    reach = 1.2 * float(contrasts["rope"].max())
    span = span_of([*contrasts["low"], *contrasts["high"]], -reach, reach)
    lower = [
        _contrast(str(name), part, span) for name, part in contrasts.groupby("contrast", sort=False)
    ]
    columns, n = max(len(upper), len(lower)), means[EMBEDDING].nunique()
    size = (1.0 + _WIDTH * columns, 2.2 + 0.5 * n)
    return plot_forests([upper, lower], size=size, sharex="row", sharey="row", **place)


def _contrast(name: str, part: pd.DataFrame, span: tuple[float, float]) -> Forest:
    """Return a contrast in every embedding, each with its own ROPE, as each has its own scale."""
    rows = [Row(r.embedding, (decision_mark(r),), rope=r.rope) for r in part.itertuples()]
    axis = f"difference, {label_of(part)}\n(dashed: 0; grey: ROPE)"
    return Forest(name, "", axis, tuple(rows), span, (0.0,))
