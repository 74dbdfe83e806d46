"""What changed between two embeddings: the same pairs before and after.

Two separate fits whose intervals overlap waste the pairing. Here the response is the change of
every pair's distance, after minus before, so that what both embeddings share cancels.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from bayesbias.constants import (
    AFTER,
    BEFORE,
    CHANGE,
    CONNECTION,
    CONTROL_CONNECTIONS,
    DISTANCE,
    HDPI_PROB,
    PROTECTED_WORD,
    ROPE,
    STEREOTYPE_CONNECTIONS,
)
from bayesbias.errors import DistancesError, ModelError
from bayesbias.fits.contrasts import (
    Contrasts,
    can_compare,
    decision_table,
    decisions,
    verdict_caption,
)
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.fitting import fit
from bayesbias.fits.summaries import count_pairs
from bayesbias.inference.intervals import check_rope, interval_of
from bayesbias.inference.model_files import load_model
from bayesbias.inference.specification import ModelSpec
from bayesbias.pairs.averages import mean_average_distance, shares_within
from bayesbias.pairs.matching import paired
from bayesbias.support.text_tables import Blocks, Table, as_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NO_CHANGE: Final = 1e-4
"""A connection none of whose pairs changes by more than this (cosine distance) did not move.

Debiasing leaves most words alone, and their distances change by the rounding of the vectors at
most: there is nothing to model.
"""


@dataclass(frozen=True, repr=False)
class Change:
    """How distances changed from one embedding to another.

    Made by `compare_change`. Changes are after minus before, in cosine distance: negative where
    a pair is closer after.

    Parameters
    ----------
    fit : Fit
        Of the change of every pair of the connections that moved.
    pairs : DataFrame
        All pairs that both sides have, with ``distance_before``, ``distance_after``, ``change``.
    unpaired : DataFrame
        Pairs on one side only: ``protected_word``, ``attribute``, ``connection``, ``present_in``
        (before or after).
    unmoved : DataFrame
        Connections without a change of more than `NO_CHANGE`, which are not modelled:
        ``connection``, ``n_pairs``, ``largest_change``.
    rope : float
        Half-width of the region of practical equivalence.
    prob, interval
        Probability and kind of the intervals.
    """

    fit: Fit
    pairs: pd.DataFrame
    unpaired: pd.DataFrame
    unmoved: pd.DataFrame
    rope: float
    prob: float
    interval: str

    @property
    def _chosen(self) -> dict[str, Any]:
        return {"rope": self.rope, "prob": self.prob, "interval": self.interval}

    @cached_property
    def groups(self) -> pd.DataFrame:
        """The mean change per connection, with a verdict; columns of `Fit.contrasts`."""
        table = decisions(self.fit.posterior["group_mean"], **self._chosen)
        return count_pairs(self.fit.design, [CONNECTION]).merge(table, on=CONNECTION, how="right")

    @cached_property
    def words(self) -> pd.DataFrame:
        """The mean change per protected word and connection, with a verdict."""
        keys = [PROTECTED_WORD, CONNECTION]
        draws = self.fit.posterior["word_mean"].transpose("chain", "draw", *keys)
        table = decisions(draws, **self._chosen)
        return count_pairs(self.fit.design, keys).merge(table, on=keys, how="right")

    @cached_property
    def contrasts(self) -> Contrasts | None:
        """How connections moved relative to each other; None where none can be compared."""
        return self.fit.contrasts(**self._chosen) if can_compare(self.fit.design) else None

    @cached_property
    def shares(self) -> pd.DataFrame:
        """Pairs whose |similarity| is at most 1 − MAC, before and after, by the MAC of before.

        Columns ``connection``, ``n_pairs``, ``bound``, ``before``, ``after``: the shares of the
        Bayesian paper's Fig. 11. Empty without stereotype attributes, which MAC needs.
        """
        columns = [CONNECTION, "n_pairs", "bound", "before", "after"]
        pairs = self.pairs
        if not pairs[CONNECTION].isin(STEREOTYPE_CONNECTIONS).any():
            return pd.DataFrame(columns=columns)
        before = pairs.assign(**{DISTANCE: pairs[BEFORE]})
        after = pairs.assign(**{DISTANCE: pairs[AFTER]})
        mac = mean_average_distance(before)
        table = shares_within(before, mac).rename(columns={"inside": "before"})
        table["after"] = shares_within(after, mac)["inside"]
        return table[columns]

    @property
    def caption(self) -> str:
        """The rule behind the verdicts, in words."""
        return verdict_caption(self.rope, self.prob, self.interval)

    @property
    def answers(self) -> list[str]:
        """What moved, in sentences."""
        sentences = [
            f"{row.connection}: {_moved(row.verdict)} ({row.mean:+.3f} [{row.low:+.3f}, "
            f"{row.high:+.3f}], P(closer) {row.p_below_zero:.2f})"
            for row in self.groups.itertuples()
        ]
        sentences += [
            f"{row.connection}: not moved (no pair by more than {row.largest_change:.1g})"
            for row in self.unmoved.itertuples()
        ]
        decided = self.words[self.words["verdict"].isin(("closer", "farther"))]
        for connection, part in decided.groupby(CONNECTION, sort=False):
            for verdict, words in part.groupby("verdict", sort=False)[PROTECTED_WORD]:
                where = "closer to" if verdict == "closer" else "farther from"
                sentences.append(f"{where} {connection} attributes: {', '.join(words)}")
        moved = self.groups[self.groups[CONNECTION].isin(CONTROL_CONNECTIONS)]
        moved = moved[moved["verdict"].isin(("closer", "farther"))]
        if len(moved):
            names = " and ".join(moved[CONNECTION])
            sentences.append(f"the controls should stay where they are, and {names} moved")
        return sentences

    def to_frame(self) -> pd.DataFrame:
        """Return the changes of groups and words as one frame: ``level`` says group or word."""
        groups = self.groups.assign(level="group", protected_word="")
        both = pd.concat([groups, self.words.assign(level="word")], ignore_index=True)
        first = ["level", PROTECTED_WORD, CONNECTION]
        return both[first + [c for c in self.groups.columns if c != CONNECTION]]

    def to_dict(self) -> dict[str, Any]:
        """Return the tables and the rule as plain data."""
        contrasts = None if self.contrasts is None else self.contrasts.to_dict()["contrasts"]
        return {
            **self._chosen,
            "caption": self.caption,
            "answers": self.answers,
            "changes": self.to_frame().to_dict("records"),
            "contrasts": contrasts,
            "shares": self.shares.to_dict("records"),
            "unpaired": self.unpaired.to_dict("records"),
            "unmoved": self.unmoved.to_dict("records"),
        }

    def plot(self) -> "Figure":
        """Draw the change per connection, for the group and for each word."""
        from bayesbias.studies.change_figure import plot_changes

        return plot_changes(self.groups, self.words)

    @property
    def blocks(self) -> Blocks:
        """The changes per connection, relative to each other, and the rule, to be shown."""
        n_words, n_pairs = self.pairs[PROTECTED_WORD].nunique(), len(self.pairs)
        blocks: list[str | Table] = [
            f"Change of cosine distance, after minus before: {n_pairs:,} pairs, {n_words} "
            f"protected words ({len(self.unpaired):,} pairs on one side only)",
            "",
            decision_table(self.groups, [CONNECTION]),
            *(
                f"{row.connection} did not move: no pair by more than {row.largest_change:.1g}"
                for row in self.unmoved.itertuples()
            ),
        ]
        if self.contrasts is not None:
            relative = decision_table(self.contrasts.groups, ["contrast"])
            blocks += ["", "Relative to each other:", "", relative]
        return [*blocks, "", self.caption, self.fit.diagnostics.sentence]

    def __repr__(self) -> str:
        """Show the changes per connection, relative to each other, and the rule."""
        return as_text(self.blocks)


def compare_change(
    before: pd.DataFrame,
    after: pd.DataFrame,
    *,
    model: str | Path | ModelSpec = "change-crossed",
    rope: float = ROPE,
    prob: float = HDPI_PROB,
    interval: str = "hpdi",
    seed: int | np.random.Generator | None = None,
    **options: Any,
) -> Change:
    """Model how the distances of the same pairs changed between two embeddings.

    Parameters
    ----------
    before, after : DataFrame
        From `distances` or `read_distances`, with the same word list.
    model : str, Path or ModelSpec
        A model of the response ``change``. The default gives every attribute word an effect of
        its own; ``"change"`` does not.
    rope : float
        Changes up to this count as practically none (cosine distance).
    prob : float
        Probability of the intervals.
    interval : {"hpdi", "eti"}
    seed : int or Generator, optional
    **options
        Passed on to `fit`.

    Returns
    -------
    Change

    Raises
    ------
    DistancesError
        If a frame cannot be analysed, repeats a pair with another distance, the two have no pair
        in common, they disagree on a pair's connection, or no distance changed.
    ModelError
        If the model does not explain changes.

    Examples
    --------
    >>> import bayesbias as bb
    >>> bb.compare_change(before, after, seed=1).groups  # doctest: +SKIP
    """
    spec = load_model(model)
    if spec.response != CHANGE:
        raise ModelError(
            f"model {spec.name!r} explains a distance, not its change; take 'change-crossed', "
            f"'change' or one of your own with response = \"change\""
        )
    check_rope(rope)
    interval_of([0.0, 1.0], prob, interval)
    pairs, unpaired = paired(before, after)
    unmoved = _unmoved(pairs)
    moved = pairs[~pairs[CONNECTION].isin(unmoved[CONNECTION])]
    fitted = fit(moved, model=spec, seed=seed, **options)
    return Change(fitted, pairs, unpaired, unmoved, rope, prob, interval)


def _unmoved(pairs: pd.DataFrame) -> pd.DataFrame:
    """List the connections in which nothing changed."""
    groups = pairs[CHANGE].abs().groupby(pairs[CONNECTION], sort=False)
    table = groups.agg(n_pairs="size", largest_change="max").reset_index()
    still = table[table["largest_change"] <= NO_CHANGE].reset_index(drop=True)
    if len(still) == len(table):
        raise DistancesError(
            f"no pair changed by more than {still['largest_change'].max():.1g}: the two frames "
            f"hold the same distances, and there is no change to model"
        )
    return still


def _moved(verdict: str) -> str:
    return {
        "closer": "moved closer",
        "farther": "moved farther away",
        "practically equal": "practically unmoved",
        "undecided": "undecided",
    }[verdict]
