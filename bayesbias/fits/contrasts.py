"""Differences between connections, and what can be said of them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import xarray as xr

from bayesbias.constants import CONNECTION, CONTRASTS, PROTECTED_WORD
from bayesbias.errors import FitError
from bayesbias.fits.summaries import count_pairs, summarise
from bayesbias.inference.design import Design
from bayesbias.inference.intervals import check_rope, rope_shares, verdicts
from bayesbias.support.text_tables import Blocks, Table, as_text, interval_label

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, repr=False)
class Contrasts:
    """Differences between connections, from joint draws, each with a verdict.

    Parameters
    ----------
    groups : DataFrame
        One row per contrast of group means. Columns ``contrast`` (such as ``associated −
        different``; negative where the first is closer), ``n_pairs`` (of the connection that has
        fewer), those of `Fit.group_summary`, and those of `decisions`.
    words : DataFrame
        The same per protected word, with the column ``protected_word``. With ``n_pairs`` 0 the
        other words alone speak.
    rope : float
        Half-width of the region of practical equivalence, in cosine distance.
    prob, interval
        Probability and kind of the interval.
    """

    groups: pd.DataFrame
    words: pd.DataFrame
    rope: float
    prob: float
    interval: str

    @property
    def caption(self) -> str:
        """The rule behind the verdicts, in words."""
        return verdict_caption(self.rope, self.prob, self.interval)

    def to_frame(self) -> pd.DataFrame:
        """Return both tables as one: column ``level`` says group or word."""
        groups = self.groups.assign(level="group", protected_word="")
        both = pd.concat([groups, self.words.assign(level="word")], ignore_index=True)
        first = ["level", PROTECTED_WORD, "contrast"]
        return both[first + [c for c in self.groups.columns if c != "contrast"]]

    def to_dict(self) -> dict[str, Any]:
        """Return the tables and the rule as plain data."""
        return {
            "rope": self.rope,
            "prob": self.prob,
            "interval": self.interval,
            "caption": self.caption,
            "contrasts": self.to_frame().to_dict("records"),
        }

    def plot(self) -> "Figure":
        """Draw every contrast, for the group and for each word."""
        from bayesbias.fits.contrast_figures import plot_contrasts

        return plot_contrasts(self.groups, self.words)

    @property
    def blocks(self) -> Blocks:
        """The group-level table and the rule, to be shown."""
        return [decision_table(self.groups, ["contrast"]), self.caption]

    def __repr__(self) -> str:
        """Show the group-level table and the rule."""
        return as_text(self.blocks)


def contrasts_of(
    posterior: xr.Dataset, design: Design, *, rope: float, prob: float, interval: str
) -> Contrasts:
    """Compare connections by joint draws of their means; see `Fit.contrasts`."""
    options: dict[str, Any] = {"rope": rope, "prob": prob, "interval": interval}
    group = group_contrasts(posterior, design, **options)
    pairs = compared_pairs(design)
    names = [contrast_name(a, b) for a, b in pairs]
    word = decisions(_differences(posterior["word_mean"], pairs), **options)
    counts = pd.DataFrame(
        design.cell_counts, index=design.protected_words, columns=design.connections
    )
    smaller = {
        name: np.minimum(counts[a], counts[b]) for name, (a, b) in zip(names, pairs, strict=True)
    }
    n_word = [
        int(smaller[name][w])
        for w, name in zip(word[PROTECTED_WORD], word["contrast"], strict=True)
    ]
    word.insert(2, "n_pairs", n_word)
    return Contrasts(group, word, rope, prob, interval)


def group_contrasts(
    posterior: xr.Dataset, design: Design, *, rope: float, prob: float, interval: str
) -> pd.DataFrame:
    """Compare the connections' group means alone: `Contrasts.groups`.

    Words take most of the time, since each contrast has its own effective sample size.
    """
    check_rope(rope)
    pairs = compared_pairs(design)
    if not pairs:
        valid = "; ".join(f"{a} and {b}" for a, b in CONTRASTS)
        raise FitError(
            f"this fit has only the connections {', '.join(design.connections)}; a contrast needs "
            f"both of: {valid}"
        )
    table = decisions(
        _differences(posterior["group_mean"], pairs), rope=rope, prob=prob, interval=interval
    )
    counts = count_pairs(design, [CONNECTION]).set_index(CONNECTION)["n_pairs"]
    table.insert(1, "n_pairs", [int(min(counts[a], counts[b])) for a, b in pairs])
    return table


def can_compare(design: Design) -> bool:
    """Tell whether a design has two connections that are compared."""
    return bool(compared_pairs(design))


def compared_pairs(design: Design) -> list[tuple[str, str]]:
    """Return the pairs of connections that are compared and present."""
    present = set(design.connections)
    return [(a, b) for a, b in CONTRASTS if a in present and b in present]


def contrast_name(first: str, second: str) -> str:
    """Name a contrast.

    Examples
    --------
    >>> contrast_name("associated", "human")
    'associated − human'
    """
    return f"{first} − {second}"


def decisions(draws: xr.DataArray, *, rope: float, prob: float, interval: str) -> pd.DataFrame:
    """Summarise draws of differences and say what can be said of each.

    Parameters
    ----------
    draws : DataArray
        Differences of cosine distances, with dimensions ``chain``, ``draw`` and any others.
    rope : float
        Half-width of the region of practical equivalence.
    prob, interval
        Probability and kind of the interval.

    Returns
    -------
    DataFrame
        One row per difference: the columns of `summaries.summarise`, then ``p_below_zero``, the
        probability of a difference below 0; ``p_direction``, that of the likelier sign; ``rope``;
        ``below_rope``, ``inside_rope``, ``above_rope``, shares of the posterior that sum to 1; and
        ``verdict`` (`intervals.verdicts`).
    """
    table = summarise(draws, prob=prob, interval=interval)
    others = [d for d in draws.dims if d not in ("chain", "draw")]
    stacked = draws.stack(sample=("chain", "draw")).transpose("sample", *others).to_numpy()
    values = stacked.reshape(len(stacked), -1)
    below = (values < 0).mean(axis=0)
    table["p_below_zero"] = below
    table["p_direction"] = np.maximum(below, (values > 0).mean(axis=0))
    table["rope"] = rope
    shares = rope_shares(values, rope)
    for i, name in enumerate(("below_rope", "inside_rope", "above_rope")):
        table[name] = shares[:, i]
    table["verdict"] = verdicts(table["low"], table["high"], rope).astype(object)
    return table


def _differences(draws: xr.DataArray, pairs: list[tuple[str, str]]) -> xr.DataArray:
    """Subtract connections draw by draw; the new dimension ``contrast`` comes last."""
    parts = [draws.sel(connection=a, drop=True) - draws.sel(connection=b, drop=True)
             for a, b in pairs]  # fmt: skip
    names = pd.Index([contrast_name(a, b) for a, b in pairs], name="contrast")
    joined = xr.concat(parts, dim=names)
    return joined.transpose("chain", "draw", ..., "contrast")


def verdict_caption(rope: float, prob: float, interval: str) -> str:
    """State the rule behind the verdicts."""
    label = interval_label(prob, interval)
    if rope == 0:
        return (
            f"Verdict: closer or farther if the {label} excludes 0, else undecided (a region of "
            f"practical equivalence of no width was asked for)."
        )
    return (
        f"Verdict: closer if the whole {label} is below −{rope:g}, farther if above +{rope:g}, "
        f"practically equal if within ±{rope:g} (the region of practical equivalence, ROPE), "
        f"else undecided."
    )


def decision_table(table: pd.DataFrame, keys: list[str]) -> Table:
    """Return decisions as a table to be shown, `keys` first."""
    label = interval_label(table["prob"].iloc[0], table["interval"].iloc[0])
    shown = table[keys].astype(str)
    shown["mean"] = table["mean"].map("{:+.3f}".format)
    shown[label] = [f"{r.low:+.3f} to {r.high:+.3f}" for r in table.itertuples()]
    shown["P(< 0)"] = table["p_below_zero"].map("{:.3f}".format)
    shown["in ROPE"] = table["inside_rope"].map("{:.1%}".format)
    shown["verdict"] = table["verdict"]
    return Table(shown, left=len(keys))
