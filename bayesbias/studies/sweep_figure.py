"""A sweep's contrasts as a heat map, of as many tasks as one figure can hold."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Unpack

import numpy as np
import pandas as pd

from bayesbias.constants import TASK_COLUMNS
from bayesbias.errors import ArgumentError, suggest
from bayesbias.support.figure_style import (
    CELL,
    FAINT,
    INK,
    LOOKS,
    NOTE,
    TICK,
    Place,
    columns_for,
    finished,
    inches_of,
    label_below,
    letter_size,
    new_figure,
    set_title,
    text_width,
    width_for,
)
from bayesbias.support.text_tables import typeset
from bayesbias.support.types import Axes, Figure, Palette

if TYPE_CHECKING:
    from matplotlib.colors import Colormap
    from matplotlib.image import AxesImage

_MOST: Final = {"row": 40, "column": 10, "model": 3}
_LISTS: Final = "by list, between groups"
_SIGNS: Final = {"closer": "◀", "farther": "▶", "practically equal": "=", "undecided": ""}
_OPEN_SIGNS: Final = {"closer": "◁", "farther": "▷"}
_LEGEND: Final = (
    "◀ closer   ▶ farther   hollow: size undecided   = practically equal   no sign: undecided"
)


def plot_sweep(
    table: pd.DataFrame, failures: pd.DataFrame, contrast: str | None = None, **place: Unpack[Place]
) -> Figure:
    """Draw sizes in sd as colours: sources and steps down, lists across, a panel per model.

    By default attribute lists, on which groups are compared, are across; with a `contrast`, or
    without such lists, word lists are.
    """
    contrast = _chosen(table, contrast)
    cells = _cells(table, failures, contrast)
    shown = {name: list(dict.fromkeys(cells[name]))[:most] for name, most in _MOST.items()}
    rows, columns, models = shown.values()
    limit = max(float(cells["size"].abs().max()), 1e-3)
    width = width_for(2.2 + len(models) * (0.9 + 0.75 * len(columns)), place)
    room = width - 1.0 - max(text_width(row, letter_size(TICK, width)) for row in rows)
    cell = 0.1 + max(text_width(text, letter_size(CELL, width)) for text in cells["text"])
    each = cell * len(columns)
    across = columns_for(room, len(models), max(0.8, each))
    lines = -(-len(models) // across)
    size = (width, 1.9 + lines * (0.4 + 0.28 * len(rows)))
    figure, axes = new_figure(lines, across, size=size, place=place, sharey=True)
    has_room = room / across >= each  # else a cell has its sign alone
    colours = _colours(place.get("palette"))
    for axis, model in zip(axes.flat, models, strict=False):
        mine = cells[cells["model"] == model]
        image = _draw_panel(axis, mine, rows, columns, limit, colours, has_room=has_room)
        set_title(axis, model)
    for axis in axes.flat[len(models) :]:
        axis.remove()
    bar = figure.colorbar(image, ax=list(axes.flat[: len(models)]), shrink=0.7)
    letters = letter_size(NOTE, width)
    bar.set_label(f"{contrast or _LISTS}, in sd", fontsize=letters)
    bar.ax.tick_params(labelsize=letters)
    label_below(axes, "\n".join(_notes(cells, failures, shown)), place)
    return finished(axes, {})


def _chosen(table: pd.DataFrame, contrast: str | None) -> str:
    """Return the contrast to draw, or nothing for lists."""
    valid = list(dict.fromkeys(table.loc[table["table"] == "contrast", "what"]))
    if contrast is None and ((table["table"] == "list").any() or not valid):
        return ""
    if contrast is None:
        return valid[0]
    if contrast not in valid:
        raise ArgumentError(f"contrast={contrast!r}{suggest(str(contrast), valid)}")
    return str(contrast)


def _cells(table: pd.DataFrame, failures: pd.DataFrame, contrast: str) -> pd.DataFrame:
    """Return a row per task, or task and list: its place, its size in sd and the text to show."""
    found = table[table["table"] == "contrast"]
    found = found[found["what"] == contrast] if contrast else table[table["table"] == "list"]
    found = found.assign(size=found["mean"] / found["scale"])
    columns = [*TASK_COLUMNS, "what", "size", "verdict", "trusted"]
    tasks = list(TASK_COLUMNS)
    done = table[tasks].drop_duplicates().merge(found[columns], how="left", on=tasks)
    done["text"] = [
        "none"
        if np.isnan(size)
        else typeset(size, "sds") + _sign(verdict) + ("" if trusted else " ?")
        for size, verdict, trusted in zip(
            done["size"], done["verdict"], done["trusted"], strict=True
        )
    ]
    cells = pd.concat([done, failures[tasks].assign(size=np.nan, text="failed")])
    cells["row"] = [
        source if step == "none" else f"{source}, {step}"
        for source, step in zip(cells["source"], cells["step"], strict=True)
    ]
    cells["column"] = cells["wordlist"].replace("", "distances")
    if contrast:
        return cells
    # In columns of attribute lists, a task without any in all of its word list.
    of_list = cells.dropna(subset=["what"]).drop_duplicates(["column", "what"])
    known = of_list.groupby("column", sort=False)["what"].agg(list).to_dict()
    what = [
        [what] if isinstance(what, str) else known.get(column, [column])
        for what, column in zip(cells["what"], cells["column"], strict=True)
    ]
    cells = cells.assign(what=what).explode("what", ignore_index=True)
    return cells.assign(column=cells["what"])


def _sign(verdict: str) -> str:
    direction, _, size = verdict.partition(", ")
    if size == "size undecided":
        return _OPEN_SIGNS[direction]
    return _SIGNS[direction] + ("=" if size == "practically equal" else "")


def _draw_panel(
    axis: Axes,
    cells: pd.DataFrame,
    rows: list[str],
    columns: list[str],
    limit: float,
    colours: "Colormap",
    *,
    has_room: bool,
) -> "AxesImage":
    """Draw one model's cells; those that are no task of the sweep stay grey."""
    cells = cells[cells["row"].isin(rows) & cells["column"].isin(columns)]
    sizes = np.full((len(rows), len(columns)), np.nan)
    axis.set_facecolor(FAINT)
    for cell in cells.itertuples():
        y, x = rows.index(cell.row), columns.index(cell.column)
        sizes[y, x] = cell.size
        red, green, blue, _ = colours(0.5 + 0.5 * np.nan_to_num(cell.size) / limit)
        # Luma (ITU-R BT.601): how light a colour looks.
        colour = INK if 0.3 * red + 0.59 * green + 0.11 * blue > 0.5 else "white"
        text = cell.text if has_room else cell.text.lstrip("+−.0123456789")
        letters = letter_size(CELL, inches_of(axis))
        axis.text(x, y, text, ha="center", va="center", fontsize=letters, color=colour)
    axis.set_xticks(range(len(columns)), columns, rotation=30, ha="right")
    axis.set_yticks(range(len(rows)), rows)
    axis.tick_params(length=0)
    return axis.imshow(sizes, cmap=colours, vmin=-limit, vmax=limit, aspect="auto")


def _colours(palette: Palette | None) -> "Colormap":
    """Return the colours from closer to farther."""
    from matplotlib.colors import LinearSegmentedColormap

    ends = [LOOKS["closer"].colour, "white", LOOKS["farther"].colour]
    if isinstance(palette, Mapping):
        raise ArgumentError("palette: a heat map takes a list of colours, or a colour map's name")
    if palette is not None:
        from bayesbias.support.shown_figure import colours_of

        ends = colours_of(palette, len(palette) if not isinstance(palette, str) else 9)
    return LinearSegmentedColormap.from_list("verdicts", ends)


def _notes(cells: pd.DataFrame, failures: pd.DataFrame, shown: dict[str, list[str]]) -> list[str]:
    """Return the lines below the panels: signs, what is missing, and what is not drawn."""
    notes = [_LEGEND]
    if cells["text"].str.endswith("?").any():
        notes.append("?: the fit's diagnostics doubt it")
    if len(failures):
        n_all = len(cells.drop_duplicates(list(TASK_COLUMNS)))
        notes.append(f"failed: {len(failures):,} of {n_all:,} tasks, with reasons in failures.csv")
    if (cells["text"] == "none").any():
        notes.append("none: the list or file has no such comparison")
    drawn = np.all([cells[name].isin(kept) for name, kept in shown.items()], axis=0)
    if left_out := int((~drawn).sum()):
        notes.append(f"not drawn: {left_out:,} of {len(cells):,} cells; summary.csv has all")
    return notes
