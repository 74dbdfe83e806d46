"""The distances themselves, before any model."""

from collections.abc import Sequence
from typing import Any, Final, Unpack

import numpy as np
import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    CONNECTION,
    CONNECTIONS,
    CONTROL_CONNECTIONS,
    DISTANCE,
    PROTECTED_WORD,
    STEREOTYPE_CONNECTIONS,
)
from bayesbias.errors import ArgumentError, suggest
from bayesbias.pairs.averages import mean_average_distance, shares_within
from bayesbias.pairs.keys import drop_repeats
from bayesbias.pairs.reference import without_reference
from bayesbias.support.arguments import refuse_no_frame
from bayesbias.support.figure_style import (
    COLOURS,
    FAINT,
    INK,
    MARKERS,
    NOTE,
    TITLE,
    Place,
    add_legend,
    connection_handles,
    density,
    distance_axis,
    finished,
    inches_of,
    label_below,
    letter_size,
    new_figure,
    panels,
    set_title,
    width_for,
)
from bayesbias.support.types import Axes, Figure

_LINE: Final = [ATTRIBUTE, CONNECTION]
"""What has a line of its own among the distances of one protected word."""


def plot_distances(
    frame: pd.DataFrame,
    words: Sequence[str],
    **place: Unpack[Place],
) -> Figure:
    """Draw every distance of some protected words (Bayesian paper, Fig. 4).

    Stereotype attributes have a line each, nearest first; each control list is one cloud. Of
    several training runs or contexts a line has a mark for each.

    Parameters
    ----------
    frame : DataFrame
        From `distances` or `read_distances`.
    words : sequence of str
        Protected words, one panel each.

    Other Parameters
    ----------------
    ax, figsize, palette : Axes, float or pair, str or sequence, optional
        Your axes; width in inches, or width and height; colours: the docs' page on figures.

    Examples
    --------
    >>> import bayesbias as bb
    >>> frame = bb.distances(bb.example_embedding(), "gender")
    >>> figure = bb.pairs.plot_distances(frame, ["he", "she"])
    >>> [axes.get_title(loc="left") for axes in figure.axes]
    ['he', 'she']
    """
    refuse_no_frame(frame)
    frame = without_reference(frame)
    known = list(dict.fromkeys(frame[PROTECTED_WORD]))
    for word in words:
        if word not in known:
            raise ArgumentError(f"no protected word {word!r}{suggest(word, known)}")
    if not words:
        raise ArgumentError(f"name at least one protected word of: {', '.join(known)}")
    parts = [drop_repeats(frame[frame[PROTECTED_WORD] == word]) for word in words]
    lines = max(len(_lines(_stereotypes(part))) for part in parts)
    n, height = len(words), 1.2 + 0.17 * lines
    axes = panels(n, place, width=4.6 * n, height=height, least=2.6, sharex=True)
    for axis, word, part in zip(axes.flat, words, parts, strict=False):
        _one_word(axis, part, letter_size(NOTE, inches_of(axis)))
        set_title(axis, word, TITLE, fontweight="bold", loc="left")
    for axis in axes.flat[:n]:
        axis.tick_params(labelbottom=True)
        distance_axis(axis, "cosine distance (bar: median of the list)")
    if axes.size > 1:
        label_below(axes, max((axis.get_xlabel() for axis in axes.flat), key=len), place)
        for axis in axes.flat:
            axis.set_xlabel("")
    present = [c for c in CONNECTIONS if (frame[CONNECTION] == c).any()]
    add_legend(axes, connection_handles(present), place)
    return finished(axes, place)


def _stereotypes(part: pd.DataFrame) -> pd.DataFrame:
    return part[part[CONNECTION].isin(STEREOTYPE_CONNECTIONS)].sort_values(DISTANCE)


def _lines(stereotypes: pd.DataFrame) -> dict[Any, int]:
    """Return the line of every attribute and connection, the nearest on average first."""
    means = stereotypes.groupby(_LINE, sort=False)[DISTANCE].mean().sort_values(kind="stable")
    return {key: place for place, key in enumerate(means.index)}


def _one_word(axis: Axes, part: pd.DataFrame, letters: float) -> None:
    stereotypes = _stereotypes(part)
    lines = _lines(stereotypes)
    rank = pd.MultiIndex.from_frame(stereotypes[_LINE]).map(lines).to_numpy()
    at = stereotypes[CONNECTION].to_numpy()
    for connection in dict.fromkeys(at):
        here = at == connection
        values = stereotypes.loc[here, DISTANCE]
        colour, marker = COLOURS[connection], MARKERS[connection]
        axis.plot(values, rank[here], marker, color=colour, markersize=5)
    ticks, labels = [float(y) for y in lines.values()], [attribute for attribute, _ in lines]
    y = len(lines) + 1.0
    for connection in CONTROL_CONNECTIONS:
        listed = part[part[CONNECTION] == connection]
        if listed.empty:
            continue
        values = np.sort(listed[DISTANCE].to_numpy())
        jitter = np.modf(np.arange(len(values)) * 0.618034)[0] - 0.5  # even, without chance
        axis.plot(
            values,
            y + 1.6 * jitter,
            MARKERS[connection],
            color=COLOURS[connection],
            alpha=0.45,
            markersize=3,
            markeredgewidth=0,
        )
        axis.vlines(np.median(values), y - 1, y + 1, color=INK, linewidth=1.6)
        ticks.append(y)
        labels.append(f"{connection} ({listed[ATTRIBUTE].nunique()} words)")
        y += 3.0
    axis.set_yticks(ticks, labels, fontsize=letters)
    axis.set_ylim(y - 1.5, -1)
    axis.spines["left"].set_visible(False)


def plot_empirical(
    frame: pd.DataFrame,
    *,
    mac: float | None = None,
    **place: Unpack[Place],
) -> Figure:
    """Draw the distribution of similarities per connection with the bounds ±(1 − MAC).

    A reading of MAC below 1 as bias takes pairs outside the bounds as biased; the figure shows how
    many control pairs lie outside too (Bayesian paper, Fig. 3).

    Parameters
    ----------
    frame : DataFrame
        From `distances` or `read_distances`.
    mac : float, optional
        The MAC that sets the bounds; by default that of the frame.

    Other Parameters
    ----------------
    ax, figsize, palette : Axes, float or pair, str or sequence, optional
        As in `plot_distances`.

    Examples
    --------
    >>> import bayesbias as bb
    >>> figure = bb.pairs.plot_empirical(bb.distances(bb.example_embedding(), "gender"))
    >>> len(figure.axes)
    4
    """
    refuse_no_frame(frame)
    frame = without_reference(frame)
    mac = mean_average_distance(frame) if mac is None else mac
    shares = shares_within(frame, mac)
    width = width_for(6.4, place)
    size = (width, 1.5 + 1.05 * len(shares))
    figure, axes = new_figure(len(shares), 1, size=size, place=place, sharex=True)
    figure.suptitle(_why(shares), fontsize=letter_size(TITLE, width), x=0.01, ha="left", wrap=True)
    similarity = 1.0 - frame[DISTANCE]
    margin = 0.15 * (similarity.max() - similarity.min())
    grid = np.linspace(similarity.min() - margin, similarity.max() + margin, 400)
    for axis, row in zip(axes[:, 0], shares.itertuples(), strict=True):
        values = similarity[frame[CONNECTION] == row.connection].to_numpy()
        colour = COLOURS[row.connection]
        axis.axvspan(-row.bound, row.bound, color=FAINT, alpha=0.6, linewidth=0)
        axis.fill_between(grid, density(values, grid), color=colour, alpha=0.55, linewidth=0)
        axis.plot(
            values, np.zeros(len(values)), "|", color=colour, markersize=7, alpha=0.5, clip_on=False
        )
        set_title(
            axis,
            f"{row.connection}: {row.inside:.1%} of {row.n_pairs:,} pairs within the bounds",
            color=INK,
            loc="left",
        )
        axis.set_yticks([])
        axis.set_ylim(bottom=0)
        axis.spines["left"].set_visible(False)
        axis.tick_params(length=0)
    axes[-1, 0].tick_params(axis="x", pad=7)
    axes[-1, 0].set_xlabel(f"cosine similarity (grey: ±(1 − MAC) = ±{abs(1 - mac):.3f})")
    return finished(axes, place)


def _why(shares: pd.DataFrame) -> str:
    """Say what the figure is a warning of."""
    outside = [
        f"{1 - r.inside:.0%} of {r.connection} pairs"
        for r in shares.itertuples()
        if r.connection in CONTROL_CONNECTIONS
    ]
    said = f":\n{' and '.join(outside)} too" if outside else ""
    return f"If MAC bounded bias, every pair outside the grey were biased{said}"
