"""Changes between two embeddings as a figure."""

from typing import TYPE_CHECKING

import pandas as pd

from bayesbias.constants import CONNECTION
from bayesbias.fits.contrast_figures import decision_panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_changes(groups: pd.DataFrame, words: pd.DataFrame) -> "Figure":
    """Draw changes of distance, one panel per connection: the group on top, then every word.

    Parameters
    ----------
    groups, words : DataFrame
        Of a `Change`.

    Returns
    -------
    matplotlib.figure.Figure
    """
    what = "change of mean cosine distance, after − before"
    return decision_panels(groups, words, CONNECTION, what)
