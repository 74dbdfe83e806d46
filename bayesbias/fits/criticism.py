"""Where a model's predictions of single pairs go wrong, each pair predicted from all others.

A pair that the model has seen pulls its own prediction to itself, so that in-sample checks flatter.
Here each is left out by importance weights (Pareto-smoothed: Vehtari, Gelman and Gabry 2017). If
the model is right, the probability below a pair is uniform; words with noise of their own, and
groups that differ by more than their effects allow, stand out.
"""

from dataclasses import dataclass
from typing import Final, Unpack

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import chdtr, chdtrc, ndtri

from bayesbias.constants import (
    CONNECTION,
    HDPI_PROB,
    INNER_PROB,
    PROTECTED_WORD,
    STEREOTYPE_CONNECTIONS,
)
from bayesbias.fits import captions
from bayesbias.fits.check_sentences import tell
from bayesbias.inference.design import Design
from bayesbias.inference.diagnostics import PARETO_K_LIMIT
from bayesbias.inference.parameters import samples, sds_of
from bayesbias.inference.pareto import Loo, clustered_error
from bayesbias.inference.predictive import draw_pairs, prior_effects, thinned
from bayesbias.support.arrays import Array, Mask
from bayesbias.support.figure_style import Place
from bayesbias.support.result import Result
from bayesbias.support.text_tables import Blocks, Column, Columns, Table, counted, with_blank_lines
from bayesbias.support.types import Figure, Generator

_RARE: Final = 0.05
"""Share of replications below which groups differ as a model does not expect."""
_SURE: Final = 1e-9
"""Beyond six standard deviations a probability from draws is as good as 0 or 1."""

OUT_OF_LINE: Final = 0.05
"""About how often a word is named by chance where all have the same noise."""

_SHARES: Final = (("inside_50", INNER_PROB), ("inside_89", HDPI_PROB))


@dataclass(frozen=True)
class GroupReplication:
    """How far groups' associated − different are from their mean, and what the model expects.

    `largest`: of the plain contrasts; `expected`: its median over replications. `share`: of the
    `draws` replications in which it is at least as large.
    """

    largest: float
    expected: float
    share: float
    draws: int


@dataclass(frozen=True, repr=False, eq=False)
class Criticism(Result):
    """Leave-one-out predictions of every pair; made by `Fit.criticism`.

    Parameters
    ----------
    table : DataFrame
        One row for all pairs and one per connection: ``connection``; ``n_pairs``; ``elpd``, the
        expected log-density of a pair left out, summed, and its standard error ``se``, clustered by
        attribute and by protected word; ``inside_50`` and ``inside_89``, the shares of pairs within
        the equal-tailed 50% and 89% intervals predicted from all other pairs; ``below`` and
        ``above``, the shares below and above the 89% interval; ``n_bad_k``, pairs whose Pareto k is
        above 0.7, for which this cannot be relied on.
    pit : ndarray, shape (n_pairs,)
        Probability that the prediction of a pair is below its value; uniform if the model is right.
    words : DataFrame
        One row per word, the noisiest first: ``protected_word``; ``n_pairs``; ``noise``, the root
        mean square of its pairs' errors, each in standard deviations of its prediction, over that
        of the median word; ``p``, two-sided, of that (χ², multiplied by the number of words);
        ``out_of_line``, whether it is below .05.
    groups : GroupReplication or None
        Whether groups differ in associated − different as the model expects; None where the list
        has one group or lacks one of the two.
    """

    table: pd.DataFrame
    pit: Array
    words: pd.DataFrame
    groups: GroupReplication | None = None

    @property
    def blocks(self) -> Blocks:
        """The table, and how it reads."""
        shares = {"inside_50": "in 50%", "inside_89": "in 89%", "below": "below", "above": "above"}
        columns: Columns = [
            CONNECTION,
            Column("n_pairs", "pairs", "count", drop_priority=1),
            Column("elpd", form="count", drop_priority=2),
            Column("se", "s.e.", "count", drop_priority=3),
            *(Column(key, label, "share") for key, label in shares.items()),
        ]
        bad = int(self.table["n_bad_k"].iloc[0])
        blocks = with_blank_lines(
            "Each pair predicted from all others:",
            Table(self.table, columns),
            captions.tell("predicted"),
        )
        notes = (
            tell("bad_pairs", counted(bad, "pair")) if bad else "",
            self.said_of_noise,
            f"{self.said_of_groups} {self.remedy_of_groups}".strip(),
        )
        return [*blocks, *filter(None, notes)]

    @property
    def said_of_noise(self) -> str:
        """The words whose noise is out of line; empty where there is none."""
        named = self.words[self.words["out_of_line"]]
        if named.empty:
            return ""
        return tell("noise", [(r.protected_word, f"{r.noise:.1f}") for r in named.itertuples()])

    @property
    def said_of_groups(self) -> str:
        """How much groups differ, and how much the model expects; empty without groups."""
        if (found := self.groups) is None:
            return ""
        sizes = f"{found.largest:.3f}", f"{found.expected:.3f}"
        return tell("groups", *sizes, f"{found.share:.0%}", f"{found.draws:,}")

    @property
    def remedy_of_groups(self) -> str:
        """What to do where groups differ as the model does not expect; empty where they do."""
        if self.groups is None or self.groups.share >= _RARE:
            return ""
        return captions.tell("own_contrasts")

    def plot(self, **place: Unpack[Place]) -> Figure:
        """Draw the distribution of the predictive probabilities against the uniform one."""
        from bayesbias.fits.predictive_figures import plot_pit

        return plot_pit(self.pit, **place)


def left_out_coverage(found: Loo, design: Design, prob: float) -> pd.DataFrame:
    """Return the shares of pairs ``inside`` intervals predicted from all others, as `Coverage`."""
    rows = [
        (name, p, float((np.abs(found.pit[chosen] - 0.5) <= p / 2).mean()))
        for p in dict.fromkeys((prob, INNER_PROB))
        for name, chosen in _parts(design)
    ]
    return pd.DataFrame(rows, columns=[CONNECTION, "prob", "inside"])


def _parts(design: Design) -> list[tuple[str, Mask]]:
    """Return which pairs are all, and which are of each connection."""
    whole = ("all", np.ones(len(design.connection), dtype=bool))
    return [whole, *((name, design.connection == i) for i, name in enumerate(design.connections))]


def criticism_of(found: Loo, design: Design, groups: GroupReplication | None = None) -> Criticism:
    """Summarise leave-one-out predictions; see `Fit.criticism`."""
    rows = []
    for name, chosen in _parts(design):
        pit, elpd = found.pit[chosen], found.elpd[chosen]
        clusters = [codes[chosen] for codes in (design.attribute, design.word)]
        shares = {key: float((np.abs(pit - 0.5) <= prob / 2).mean()) for key, prob in _SHARES}
        tail = (1 - HDPI_PROB) / 2
        rows.append(
            {
                CONNECTION: name,
                "n_pairs": int(chosen.sum()),
                "elpd": float(elpd.sum()),
                "se": clustered_error(elpd, *clusters),
                **shares,
                "below": float((pit < tail).mean()),
                "above": float((pit > 1 - tail).mean()),
                "n_bad_k": int((found.pareto_k[chosen] > PARETO_K_LIMIT).sum()),
            }
        )
    return Criticism(pd.DataFrame(rows), found.pit, _words(found, design), groups)


def _words(found: Loo, design: Design) -> pd.DataFrame:
    """Return the noise of every word's pairs, as the model takes it to be: see `Criticism`."""
    error = ndtri(np.clip(found.pit, _SURE, 1 - _SURE))
    n = np.bincount(design.word)
    # If the noise is as the model has it, squared normal scores of n pairs sum to a chi² of n
    # degrees of freedom; the product with the number of words below is Bonferroni's.
    squares = np.bincount(design.word, error**2).astype(float)
    squares = squares / np.median(squares / n)  # a loud word makes all others look quiet
    tail = 2 * np.minimum(chdtr(n, squares), chdtrc(n, squares))
    p = np.minimum(tail * len(n), 1.0)
    table = pd.DataFrame(
        {
            PROTECTED_WORD: list(design.protected_words),
            "n_pairs": n,
            "noise": np.sqrt(squares / n),
            "p": p,
            "out_of_line": p < OUT_OF_LINE,
        }
    )
    return table.sort_values("noise", ascending=False, kind="stable", ignore_index=True)


_NUMBERS: Final = 1 << 23
"""Replicated distances at a time."""


def replicated_groups(
    posterior: xr.Dataset, design: Design, rng: Generator
) -> GroupReplication | None:
    """Replicate the contrast of every group; None for one group, or without both lists.

    Effects of words and attributes are drawn anew, those of fixed levels kept (Gelman, Meng and
    Stern 1996): leave-one-out cannot see that a model gives all groups one answer.
    """
    weights = _contrast_of_groups(design)
    if weights is None:
        return None
    pairs = np.flatnonzero(weights.any(axis=0))
    few = thinned(posterior, int(np.clip(_NUMBERS // weights.shape[1], 50, 1000)))
    drawn = draw_pairs(_with_new_effects(few, design, rng), design, pairs, rng)
    replicated = drawn.astype(float) @ weights[:, pairs].T
    # A posterior predictive p-value of the groups' largest deviation from their mean.
    largest = float(_largest(weights @ design.response))
    found = _largest(replicated)
    return GroupReplication(
        largest, float(np.median(found)), float((found >= largest).mean()), len(found)
    )


def _contrast_of_groups(design: Design) -> Array | None:
    """Return the weights of pairs in every group's plain contrast, (n_groups, n_pairs)."""
    if not set(STEREOTYPE_CONNECTIONS) <= set(design.connections):
        return None
    group = design.group[design.word]
    rows = []
    for own in design.protected_groups:
        row = np.zeros(len(group))
        for name, sign in zip(STEREOTYPE_CONNECTIONS, (1.0, -1.0), strict=True):
            pairs = (group == own) & (design.connection == design.connections.index(name))
            if not pairs.any():
                return None
            row[pairs] = sign / pairs.sum()
        rows.append(row)
    return np.array(rows) if len(rows) > 1 else None


def _largest(contrasts: Array) -> Array:
    return np.asarray(np.abs(contrasts - contrasts.mean(axis=-1, keepdims=True)).max(axis=-1))


def _with_new_effects(posterior: xr.Dataset, design: Design, rng: Generator) -> xr.Dataset:
    """Draw the effects anew whose standard deviations the model finds."""
    new = {}
    for term in design.terms:
        if term.prior is None:
            continue
        name = f"{term.name}_effect"
        old = posterior[name]
        sd = sds_of(term, {f"{term.name}_sd": samples(posterior, f"{term.name}_sd")})
        drawn = prior_effects(design, term, sd, old.sizes["chain"] * old.sizes["draw"], rng)
        new[name] = (old.dims, drawn.reshape(old.shape))
    return posterior.assign(new)
