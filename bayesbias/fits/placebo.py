"""How often a model finds an association where there is none, in the user's own vectors.

A placebo list takes the place of the stereotypes: neutral words drawn at random, or the real
attributes dealt anew among their sets. The share of placebo lists whose interval excludes 0 says
how often the model errs here, and the place of the real contrast among the placebo ones is a
p-value by design. No vectors are needed: the frame has the distances.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CONNECTION,
    GROUP,
    PROTECTED_WORD,
    STEREOTYPE_CONNECTIONS,
)
from bayesbias.errors import ArgumentError, FitError, suggest
from bayesbias.fits.contrasts import Contrasts, contrast_name
from bayesbias.fits.refitted import RefittedContrasts
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.intervals import binomial_interval
from bayesbias.inference.specification import ModelSpec
from bayesbias.pairs.reference import without_reference
from bayesbias.support.progress import tracked
from bayesbias.support.result import Result
from bayesbias.support.text_tables import Blocks, Column, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS: Final = ("neutral", "redeal")

NULL: Final = {
    "neutral": (("associated", "different"), ("associated", "neutral")),
    "redeal": (("associated", "different"),),
}
"""Contrasts that have no association by design: dealt anew, stereotypes stay stereotypes."""

_WHAT: Final = {
    "neutral": "neutral words drawn at random in place of the stereotypes",
    "redeal": "the real stereotype attributes dealt anew among their sets",
}


@dataclass(frozen=True, repr=False, eq=False)
class Placebo(Result):
    """The real contrasts among those of placebo lists; made by `Fit.placebo`.

    Parameters
    ----------
    table : DataFrame
        One row per contrast: ``contrast``; ``n``, placebo lists; ``share``, of those whose interval
        excludes 0, with its 89% interval ``share_low`` and ``share_high``; ``nominal``, the most
        that should; ``placebo_sd``, the standard deviation of the placebo means, and
        ``posterior_sd``, the mean standard deviation of their posteriors; ``mean``, the real
        contrast; and ``p``, the share of lists, the real one included, whose mean is as far from 0
        as the real one.
    lists : DataFrame
        One row per placebo list and contrast: ``number``, ``contrast``, ``mean``, ``sd``, ``low``,
        ``high``.
    kind : {"neutral", "redeal"}
    rule : DecisionRule
    seed : int
    """

    table: pd.DataFrame
    lists: pd.DataFrame
    kind: str
    rule: DecisionRule
    seed: int

    @property
    def blocks(self) -> Blocks:
        """The table, and what it means."""
        table = Table(
            self.table,
            [
                "contrast",
                Column("n", form="count", yields=3),
                Column(("share", "share_low", "share_high"), "excludes 0", "share"),
                Column("nominal", form="prob", yields=1),
                Column("placebo_sd", form="fine", yields=2),
                Column("posterior_sd", form="fine", yields=2),
                Column("mean", "real", "signed"),
                Column("p", form="distance"),
            ],
        )
        return [
            f"Placebo lists: {_WHAT[self.kind]}.",
            "",
            table,
            "",
            f"Excludes 0: share of placebo lists whose {self.rule.label} excludes 0, though there "
            f"is no association by design. p: share of lists, the real one included, whose "
            f"contrast is as far from 0 as the real one.",
        ]

    def plot(self) -> "Figure":
        """Draw the real contrasts among the placebo ones."""
        from bayesbias.fits.placebo_figure import plot_placebo

        return plot_placebo(self.table, self.lists, self.rule)


def placebo_of(
    frame: pd.DataFrame,
    spec: ModelSpec,
    real: Contrasts,
    *,
    n: int,
    kind: str,
    seed: int,
    progress: bool | None,
) -> Placebo:
    """Fit placebo lists; see `Fit.placebo`."""
    if kind not in KINDS:
        raise ArgumentError(f"kind={kind!r}{suggest(str(kind), KINDS)}")
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise ArgumentError(f"n={n!r}: must be a whole number, at least 1")
    deal = (_neutral_dealer if kind == "neutral" else _redealer)(without_reference(frame))
    refitted = RefittedContrasts(spec, real.rule)
    parts = []
    for number in tracked(range(n), "Fitting placebo lists", progress, n):
        found, _ = refitted.of_frame(deal(np.random.default_rng([seed, 2, number])))
        parts.append(found.assign(number=number))
    columns = ["number", "contrast", "mean", "sd", "low", "high"]
    lists = pd.concat(parts, ignore_index=True)[columns]
    names = [contrast_name(a, b) for a, b in NULL[kind]]
    lists = lists[lists["contrast"].isin(names)].reset_index(drop=True)
    return Placebo(_table(lists, real), lists, kind, real.rule, seed)


def _table(lists: pd.DataFrame, real: Contrasts) -> pd.DataFrame:
    rows = []
    for row in real.table.itertuples():
        part = lists[lists["contrast"] == row.contrast]
        if part.empty:
            continue
        n, false = len(part), int(((part["low"] > 0) | (part["high"] < 0)).sum())
        low, high = binomial_interval(false, n)
        farther = int((part["mean"].abs() >= abs(row.mean)).sum())
        rows.append(
            {
                "contrast": row.contrast,
                "n": n,
                "share": false / n,
                "share_low": float(low),
                "share_high": float(high),
                "nominal": 1.0 - real.rule.prob,
                "placebo_sd": float(part["mean"].std(ddof=1)) if n > 1 else np.nan,
                "posterior_sd": float(part["sd"].mean()),
                "mean": row.mean,
                "p": (1 + farther) / (n + 1),
            }
        )
    return pd.DataFrame(rows)


Dealer = Callable[[np.random.Generator], pd.DataFrame]


def _stereotypes(frame: pd.DataFrame) -> pd.DataFrame:
    part = frame[frame[CONNECTION].isin(STEREOTYPE_CONNECTIONS)]
    if part.empty:
        raise FitError("a placebo list replaces stereotype attributes, and this fit has none")
    return part


def _connections(stereotypes: pd.DataFrame) -> dict[tuple[str, str], str]:
    """Return the connection of every group with every attribute set."""
    keys = stereotypes[[GROUP, ATTRIBUTE_SET, CONNECTION]].drop_duplicates()
    return {(group, name): connection for group, name, connection in keys.itertuples(index=False)}


def _neutral_dealer(frame: pd.DataFrame) -> Dealer:
    """Deal neutral words to the stereotype sets, as many as these have; the others stay neutral."""
    stereotypes = _stereotypes(frame)
    neutral = frame[frame[CONNECTION] == "neutral"]
    sizes = stereotypes.groupby(ATTRIBUTE_SET, sort=False)[ATTRIBUTE].nunique()
    words = neutral[ATTRIBUTE].unique()
    if len(words) < sizes.sum() + 2:
        raise FitError(
            f"placebo lists of neutral words need at least {sizes.sum() + 2} of them, and this fit "
            f"has {len(words)}; ask for kind='redeal'"
        )
    rest = frame[~frame[CONNECTION].isin((*STEREOTYPE_CONNECTIONS, "neutral"))]
    connection = _connections(stereotypes)
    code = pd.Categorical(neutral[ATTRIBUTE], categories=words).codes
    names = np.repeat(sizes.index.to_numpy(dtype=object), sizes.to_numpy())

    def deal(rng: np.random.Generator) -> pd.DataFrame:
        sets = np.full(len(words), None, dtype=object)
        sets[rng.choice(len(words), len(names), replace=False)] = names
        of_pair = sets[code]
        dealt = pd.notna(of_pair)
        parts = [rest, neutral[~dealt], _as_set(neutral[dealt], of_pair[dealt], connection)]
        return _like(frame, pd.concat(parts, ignore_index=True))

    return deal


def _redealer(frame: pd.DataFrame) -> Dealer:
    """Deal the stereotype attributes anew among their sets, whose sizes stay."""
    stereotypes = _stereotypes(frame)
    rest = frame[~frame[CONNECTION].isin(STEREOTYPE_CONNECTIONS)]
    owned = stereotypes[[ATTRIBUTE, ATTRIBUTE_SET]].drop_duplicates(ATTRIBUTE)
    if owned[ATTRIBUTE_SET].nunique() < 2:
        raise FitError("attributes cannot be redealt: all are in one set; ask for kind='neutral'")
    # A pair may stand in the frame once per set of its attribute; once is enough here.
    once = stereotypes.drop_duplicates([PROTECTED_WORD, ATTRIBUTE])
    code = pd.Categorical(once[ATTRIBUTE], categories=owned[ATTRIBUTE]).codes
    names = owned[ATTRIBUTE_SET].to_numpy(dtype=object)
    connection = _connections(stereotypes)

    def deal(rng: np.random.Generator) -> pd.DataFrame:
        dealt = _as_set(once, rng.permutation(names)[code], connection)
        return _like(frame, pd.concat([rest, dealt], ignore_index=True))

    return deal


def _like(frame: pd.DataFrame, dealt: pd.DataFrame) -> pd.DataFrame:
    """Give dealt pairs the record of the frame, which knows how alike attributes are."""
    dealt.attrs = dict(frame.attrs)
    return dealt


def _as_set(pairs: pd.DataFrame, sets: Any, connection: dict[tuple[str, str], str]) -> pd.DataFrame:
    """Return pairs as stereotypes of given sets; those of no connection are left out."""
    found = [connection.get(key) for key in zip(pairs[GROUP], sets, strict=True)]
    dealt = pairs.assign(**{ATTRIBUTE_SET: sets, CONNECTION: found})
    return dealt[dealt[CONNECTION].notna()]
