"""What WEAT makes of worlds without association (Bayesian paper, Figs. 5 to 7)."""

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbias.simulate import NullSample, NullWeat
from bayesbias.support.figure_style import (
    DASHED,
    INK,
    Size,
    distance_axis,
    grid_lines,
    new_figure,
    whole,
)
from bayesbias.support.text_tables import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BARS: Final = "#B5BDC4"
_TAIL: Final = INK
_SIZE: Final = (7.6, 2.9)
_TITLE: Final[dict[str, Any]] = {"fontsize": 10, "x": 0.01, "ha": "left"}
_GROUPS: Final = {"X": (INK, "o"), "Y": ("#8C8C8C", "s")}


def plot_repartitions(
    sample: NullSample, *, ax: "Axes | None" = None, figsize: Size | None = None
) -> "Figure":
    """Draw statistic and effect size of every re-partition of one sample (Fig. 5).

    Parameters
    ----------
    sample : NullSample
    ax : Axes, optional
        The panels take its place.
    figsize : tuple of float, optional
        Width and height in inches, of a figure of its own.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> from bayesbias.simulate import null_sample
    >>> len(plot_repartitions(null_sample(n_words=8)).axes)
    2
    """
    figure, axes = new_figure(1, 2, size=_SIZE, ax=ax, figsize=figsize)
    statistic, effect = abs(sample.statistic), abs(sample.effect_size)
    _histogram(axes[0, 0], sample.partition_statistics, statistic, "test statistic")
    _histogram(axes[0, 1], sample.partition_effect_sizes, effect, "effect size")
    axes[0, 0].set_ylabel("re-partitions")
    test = sample.permutation
    title = (
        f"Re-partitions of one sample without association: {test.n_extreme:,} of "
        f"{test.n_partitions:,} as extreme, two-sided p = {test.p_value:.4f}"
    )
    figure.suptitle(title, **_TITLE)
    return whole(figure)


def plot_null_weat(
    worlds: NullWeat,
    *,
    effect_size: float,
    statistic: float,
    ax: "Axes | None" = None,
    figsize: Size | None = None,
) -> "Figure":
    """Draw the distributions of statistic and effect size without association (Fig. 7).

    Parameters
    ----------
    worlds : NullWeat
    effect_size, statistic : float
        Absolute values beyond which the tails are marked and counted.
    ax : Axes, optional
        The panels take its place.
    figsize : tuple of float, optional
        Width and height in inches, of a figure of its own.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> from bayesbias.simulate import null_weat
    >>> worlds = null_weat(n_samples=500)
    >>> len(plot_null_weat(worlds, effect_size=1.267, statistic=0.386).axes)
    2
    """
    shares = worlds.tail_shares(effect_sizes=[effect_size], statistics=[statistic])
    share = dict(zip(shares["quantity"], shares["share"], strict=True))
    figure, axes = new_figure(1, 2, size=_SIZE, ax=ax, figsize=figsize)
    _histogram(axes[0, 0], worlds.statistic, statistic, "test statistic")
    _histogram(axes[0, 1], worlds.effect_size, effect_size, "effect size")
    asked = (("statistic", statistic), ("effect_size", effect_size))
    for axis, (name, at) in zip(axes[0], asked, strict=True):
        axis.set_title(f"{share[name]:.2%} beyond ±{at:g}", fontsize=9, color=_TAIL, loc="left")
    axes[0, 0].set_ylabel("samples")
    half, attributes = worlds.n_words // 2, worlds.n_attributes
    title = (
        f"{len(worlds.statistic):,} samples without association: {half} + {half} words, "
        f"{attributes} + {attributes} attributes, similarities Normal(0, {worlds.sd:g})"
    )
    figure.suptitle(title, **_TITLE)
    return whole(figure)


def _histogram(axis: "Axes", values: NDArray[np.float64], at: float, label: str) -> None:
    """Draw a histogram with the bins beyond ±at in another colour."""
    reach = max(float(np.abs(values).max()), at) * 1.02
    # `at` is an edge of a bin, so that the colour shows exactly what lies beyond.
    steps = round(20 * at / reach)
    width = at / steps if steps else reach / 20
    n_bins = int(np.ceil(reach / width))
    edges = width * np.arange(-n_bins, n_bins + 1)
    counts, _ = np.histogram(values, edges)
    centres = (edges[:-1] + edges[1:]) / 2
    colours = [_TAIL if abs(c) > at else _BARS for c in centres]
    axis.bar(centres, counts, width=width, color=colours, edgecolor="white", linewidth=0.4)
    for end in (-at, at):
        axis.axvline(end, **DASHED)
    axis.set_xlabel(f"{label} (dashed: ±{at:.3f})")
    grid_lines(axis, "y")


def plot_null_distances(
    sample: NullSample, *, ax: "Axes | None" = None, figsize: Size | None = None
) -> "Figure":
    """Draw every raw distance of one sample, by word and attribute set (Fig. 6).

    Parameters
    ----------
    sample : NullSample
    ax : Axes, optional
        The panels take its place.
    figsize : tuple of float, optional
        Width and height in inches, of a figure of its own.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> from bayesbias.simulate import null_sample
    >>> len(plot_null_distances(null_sample(n_words=8)).axes)
    2
    """
    frame = sample.distances()
    words = list(dict.fromkeys(frame["word"]))
    size = (7.6, 1.5 + 0.16 * len(words))
    figure, axes = new_figure(1, 2, size=size, ax=ax, figsize=figsize, sharex=True, sharey=True)
    for axis, name in zip(axes[0], ("A", "B"), strict=True):
        part = frame[frame["attribute_set"] == name]
        test = sample.raw_tests[name]
        for row, word in enumerate(words):
            values = part.loc[part["word"] == word, "distance"].to_numpy()
            colour, marker = _GROUPS[word[0]]
            look = {"color": colour, "alpha": 0.6, "markersize": 4, "markeredgewidth": 0}
            axis.plot(values, np.full(len(values), row), marker, **look)
            axis.plot(values.mean(), row, "|", color=INK, markersize=9, markeredgewidth=1.4)
        # A distance is 1 − similarity, so the interval is reversed.
        title = (
            f"to {name}: X − Y = {-test.difference:+.3f}, {percent(test.prob)} confidence\n"
            f"[{-test.high:+.3f}, {-test.low:+.3f}], raw p = {test.p_value:.3f}"
        )
        axis.set_title(title.replace("-", "−"), fontsize=9, loc="left")
        axis.spines["left"].set_visible(False)
    axes[0, 0].set_yticks(range(len(words)), words)
    axes[0, 0].set_ylim(len(words) - 0.4, -0.6)
    for axis in axes[0]:
        distance_axis(axis, "cosine distance (bar: mean of the word)")
    return whole(figure)
