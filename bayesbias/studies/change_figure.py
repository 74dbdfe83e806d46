"""Changes between two embeddings as a figure."""

from typing import TYPE_CHECKING

import pandas as pd

from bayesbias.constants import CONNECTION
from bayesbias.fits.contrast_figures import plot_contrasts
from bayesbias.inference.decision import DecisionRule

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_changes(table: pd.DataFrame, words: pd.DataFrame, rule: DecisionRule) -> "Figure":
    """Draw changes of distance, one panel per connection: all words on top, then every word.

    Parameters
    ----------
    table, words : DataFrame
        Of a `Change`.
    rule : DecisionRule

    Returns
    -------
    matplotlib.figure.Figure
    """
    what = "change of mean cosine distance, after − before"
    return plot_contrasts(words, rule, whole=table, key=CONNECTION, what=what)
