"""A sweep's contrasts as a heat map."""

from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from bayesbias.errors import ArgumentError, suggest
from bayesbias.support.figure_style import INK, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SIGNS: Final = {"closer": "◂", "farther": "▸", "practically equal": "=", "undecided": ""}


def plot_sweep(table: pd.DataFrame, contrast: str) -> "Figure":
    """Draw a contrast as colours: sources and steps down, word lists across, a panel per model.

    Parameters
    ----------
    table : DataFrame
        Of a `SweepResult`.
    contrast : str

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ArgumentError
        If no task has the contrast.
    """
    part = table[(table["table"] == "contrast") & (table["what"] == contrast)]
    if part.empty:
        valid = dict.fromkeys(table.loc[table["table"] == "contrast", "what"])
        raise ArgumentError(f"contrast={contrast!r}{suggest(contrast, valid)}")
    part = part.assign(
        row=[s if step == "none" else f"{s}, {step}" for s, step in
             zip(part["source"], part["step"], strict=True)],
        column=part["wordlist"].replace("", "distances"),
    )  # fmt: skip
    rows, columns = (list(dict.fromkeys(part[name])) for name in ("row", "column"))
    models = list(dict.fromkeys(part["model"]))
    limit = max(float(part["mean"].abs().max()), 1e-3)
    width = 1.6 + len(models) * (0.9 + 0.75 * len(columns))
    figure, axes = new_figure(1, len(models), size=(width, 1.6 + 0.28 * len(rows)), sharey=True)
    for axis, model in zip(axes[0], models, strict=True):
        cells = part[part["model"] == model]
        means = np.full((len(rows), len(columns)), np.nan)
        for cell in cells.itertuples():
            means[rows.index(cell.row), columns.index(cell.column)] = cell.mean
        image = axis.imshow(means, cmap="RdBu", vmin=-limit, vmax=limit, aspect="auto")
        for cell in cells.itertuples():
            colour = "white" if abs(cell.mean) > 0.6 * limit else INK
            axis.text(columns.index(cell.column), rows.index(cell.row),
                      f"{cell.mean:+.3f}{_SIGNS[cell.verdict]}", ha="center", va="center",
                      fontsize=7, color=colour)  # fmt: skip
        axis.set_xticks(range(len(columns)), columns, rotation=30, ha="right")
        axis.set_yticks(range(len(rows)), rows)
        axis.set_title(model)
        axis.tick_params(length=0)
    figure.colorbar(image, ax=list(axes[0]), label=f"{contrast}, mean", shrink=0.7)
    figure.supxlabel("◂ closer   ▸ farther   = practically equal   no sign: undecided", fontsize=8)
    return figure
