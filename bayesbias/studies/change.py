"""What changed between two embeddings: the same pairs before and after.

Two separate fits whose intervals overlap waste the pairing. Here the response is the change of
every pair's distance, after minus before, so that what both embeddings share cancels.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Final, Unpack

import numpy as np
import pandas as pd

from bayesbias.constants import (
    AFTER,
    ATTRIBUTE_SET,
    BEFORE,
    CHANGE,
    CONNECTION,
    CONTRASTS,
    DISTANCE,
    GROUP,
    HDPI_PROB,
    PROTECTED_WORD,
    RUN,
    STEREOTYPE_CONNECTIONS,
)
from bayesbias.errors import DistancesError
from bayesbias.fits.between_groups import LIST, ZERO, contrasts_of_lists
from bayesbias.fits.contrasts import (
    Contrasts,
    about_chance,
    about_edge,
    can_compare,
    contrast_name,
    contrasts_of,
    summarise_contrasts,
    with_chance_reason,
)
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.fitting import fit
from bayesbias.fits.narrator import sides
from bayesbias.fits.next_step import next_step
from bayesbias.fits.quantities import groups_of, quantities
from bayesbias.fits.sentences import Names, elided
from bayesbias.inference.decision import DecisionRule, distance_scale
from bayesbias.inference.specification import ModelSpec
from bayesbias.pairs.averages import mean_average_distance, shares_within
from bayesbias.pairs.conditions import COORDINATES, paired
from bayesbias.pairs.provenance import source_of
from bayesbias.pairs.reference import without_reference
from bayesbias.studies import change_screen
from bayesbias.studies.change_sentences import (
    UNSURE,
    ChangeOfList,
    answers_of,
    compared_with_people,
    controls_sentence,
    grown_associations,
    headline_of_change,
    headline_over_all,
    known_rate,
    lines_of_change,
    of_average,
    of_each_group,
    of_unknown,
    other_training,
    outcome_of,
    outcome_together,
    outcomes_of,
    same_training,
    sizes_over_all,
    tell,
)
from bayesbias.studies.comparison import Comparison, model_of_changes
from bayesbias.studies.left import COLUMNS, LIST_COLUMNS, plot_left, retained_share
from bayesbias.support.figure_style import Place
from bayesbias.support.text_tables import Blocks
from bayesbias.support.types import Figure

_ONE_UNMOVED: Final = "one of both connections did not move"

NO_CHANGE: Final = 1e-4
"""A connection none of whose pairs changes by more than this (cosine distance) did not move.

Debiasing leaves most words alone, and their distances change by the rounding of the vectors at
most: there is nothing to model.
"""


@dataclass(frozen=True, repr=False, eq=False)
class Change(Comparison):
    """How distances changed from one embedding to another; made by `compare_change`.

    Changes are after minus before, in cosine distance: negative where a pair is closer after.

    Parameters
    ----------
    fit : Fit
        Of the change of every pair of the connections that moved.
    pairs : DataFrame
        All pairs that both sides have, with ``distance_before``, ``distance_after``, ``change``;
        those of reference words are in ``fit.input_frame``.
    unpaired : DataFrame
        Pairs on one side only: ``protected_word``, ``attribute``, ``connection``, ``present_in``
        (before or after).
    unmoved : DataFrame
        Connections without a change of more than `NO_CHANGE`, which are not modelled:
        ``connection``, ``n_pairs``, ``largest_change``.
    rule : DecisionRule
        The region of practical equivalence, and probability and kind of the intervals.
    """

    tables: ClassVar[tuple[str, ...]] = (
        *("left_by_list", "left", "list_contrasts", "table", "words", "contrasts"),
        *("word_contrasts", "shares", "unpaired", "unmoved"),
    )
    noun: ClassVar[str] = "side"

    fit: Fit
    pairs: pd.DataFrame
    unpaired: pd.DataFrame
    unmoved: pd.DataFrame
    rule: DecisionRule

    @cached_property
    def table(self) -> pd.DataFrame:
        """The mean change per connection, with a verdict; columns of `Fit.contrasts`."""
        return summarise_contrasts(quantities(self.fit.fitted, "connection"), self.rule)

    @cached_property
    def words(self) -> pd.DataFrame:
        """The mean change per protected word and connection, with a verdict."""
        return summarise_contrasts(quantities(self.fit.fitted, "word"), self.rule)

    def _contrasts(self, by: str, changes: pd.DataFrame) -> pd.DataFrame:
        """Compare connections that moved with each other and with those that did not."""
        parts = []
        if can_compare(self.fit.design):
            parts.append(contrasts_of(self.fit.fitted, by, self.rule).table)
        parts += [
            _against_unmoved(changes, pair, self.rule)
            for pair in CONTRASTS
            if set(pair) & set(self.unmoved[CONNECTION]) and set(pair) & set(changes[CONNECTION])
        ]
        if not parts:
            return pd.DataFrame(columns=["contrast"])
        order = {
            "contrast": [contrast_name(*pair) for pair in CONTRASTS],
            PROTECTED_WORD: list(self.fit.design.protected_words),
        }
        table = with_chance_reason(pd.concat(parts, ignore_index=True), _ONE_UNMOVED)
        return table.sort_values(
            [PROTECTED_WORD, "contrast"] if by == "word" else ["contrast"],
            key=lambda column: column.map(order[column.name].index),
            ignore_index=True,
        )

    @cached_property
    def contrasts(self) -> pd.DataFrame:
        """How the contrasts of connections changed.

        Columns ``contrast``, ``before`` and ``after``, the differences of the plain means of the
        listed pairs, then those of `Fit.contrasts`, for the modelled change. A contrast with a
        connection that did not move takes that connection's change as 0, and ``n_pairs`` from the
        other. Empty where no two connections are compared, or neither of two moved.
        """
        table = self._contrasts("connection", self.table)
        means = self.pairs.groupby(CONNECTION)[[BEFORE, AFTER]].mean()
        pairs = [sides(name) for name in table["contrast"]]
        for place, (name, column) in enumerate((("before", BEFORE), ("after", AFTER)), start=1):
            table.insert(place, name, [means[column][a] - means[column][b] for a, b in pairs])
        return table

    @cached_property
    def word_contrasts(self) -> pd.DataFrame:
        """How every word's contrasts changed; columns of `Fit.contrasts`. Empty without any."""
        return self._contrasts("word", self.words)

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
        before, after = (pairs.assign(**{DISTANCE: pairs[side]}) for side in (BEFORE, AFTER))
        mac = mean_average_distance(before)
        table = shares_within(before, mac).rename(columns={"inside": "before"})
        table["after"] = shares_within(after, mac)["inside"]
        return table[columns]

    @cached_property
    def left(self) -> pd.DataFrame:
        """What the first contrast was before, is after, and how much of it is left.

        Of one joint model of both sides, in which every effect before and after may go together as
        it will. A row over all groups, and one per group where the model knows groups: ``group``
        (``all`` for the first), ``contrast``; ``before``, ``after``, ``change`` and ``left``, the
        share of 1 that is left, each with the ends ``…_low`` and ``…_high`` of its interval;
        ``reason``, why there is no share; ``interval``, ``prob``; and ``pareto_k``, the largest of
        the fits that it rests on. Empty where no two connections are compared, or the model's
        noise is not normal.
        """
        return self._left[0]

    @cached_property
    def left_by_list(self) -> pd.DataFrame:
        """The same of the difference between groups on each attribute list.

        Columns ``attribute_set``; ``group``, those that a stereotype links to it;
        ``other_groups``; ``contrast``; ``zero_by_construction``, whether after no listed attribute
        tells them apart, which is no evidence of anything else; then those of `left`. Empty where
        groups are not compared list by list.
        """
        return self._left[1]

    @cached_property
    def _left(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        first = next(iter(self.contrasts["contrast"]), None)
        if first is None or not self.fit.spec.is_gaussian:
            return pd.DataFrame(columns=list(COLUMNS)), pd.DataFrame(columns=list(LIST_COLUMNS))
        return retained_share(self.fit, self.pairs, sides(first), self.rule)

    @cached_property
    def list_contrasts(self) -> pd.DataFrame:
        """How the differences between groups on each list changed; see `Fit.contrasts` by list.

        With ``before`` and ``after``, the differences of the plain means of the listed pairs.
        Empty where groups are not compared list by list.
        """
        if LIST not in self.fit.contrast_levels:
            return pd.DataFrame(columns=[ATTRIBUTE_SET, "contrast"])
        table = self.fit.contrasts(LIST, rule=self.rule).table.copy()
        for place, (name, column) in enumerate((("before", BEFORE), ("after", AFTER)), start=4):
            side = replace(self.fit.design, response=self.fit.frame[column].to_numpy())
            table.insert(place, name, contrasts_of_lists(side)[0]["listed"])
        return table.drop(columns=ZERO)

    @property
    def answers(self) -> list[str]:
        """What became of the association, what else moved, and whether to believe it, in words."""
        others = answers_of(self.contrasts, self.table, self.words, self.unmoved, self.rule)
        sure = (known_rate(self.fit.spec.name, self.rule.prob), self.origin)
        found = (self.headline, *self.lines, *self.meanings, *others, *sure)
        return [said for said in found if said]

    @cached_property
    def of_lists(self) -> list[ChangeOfList]:
        """What became of the difference on each list; [] where groups are not compared so."""
        return outcomes_of(self.left_by_list, self.rule)

    @cached_property
    def names(self) -> Names:
        """What sentences and tables call groups and attribute lists."""
        return Names.of_frame(self.pairs)

    @property
    def is_undecided(self) -> bool:
        """Whether of no list, nor of all together, it is known what became of the difference."""
        known = [one.zero or one.outcome not in UNSURE for one in self.of_lists]
        return not any(known) and self._over_all.outcome in ("", *UNSURE)

    @property
    def headline(self) -> str:
        """What became of the difference between groups on each list, in a sentence.

        Where groups are not compared list by list, what became of the first contrast over all; ""
        where `left` is empty.
        """
        whole, of_lists = self._over_all, self.of_lists
        if not (of_lists or whole.outcome):
            return ""
        if of_lists:
            said = headline_of_change(of_lists, self.names, whole)
        else:
            pair = sides(whole.row.contrast)
            said = headline_over_all(whole.outcome, whole.row, self.names, pair)
        if not self.is_undecided:
            return said
        row = of_lists[0].row if len(of_lists) == 1 else whole.row
        return f"{said} {of_unknown(row, self.rule, self.names, n_lists=len(of_lists))}".strip()

    @property
    def outcome(self) -> str:
        """What became of the differences on all lists together: one of `CHANGES`, or mixed."""
        return outcome_together(self.of_lists, self._over_all.outcome)

    @property
    def average(self) -> str:
        """How large the average over several lists was and is, where what became of it is known."""
        return of_average(self.of_lists, self._over_all, self.names, self.rule.label)

    @property
    def _over_all(self) -> ChangeOfList:
        """What became of the first contrast over all groups; "" where `left` is empty."""
        row = next(self.left.itertuples(), None)
        return ChangeOfList("", "" if row is None else outcome_of(row, self.rule), False, row)

    @property
    def lines(self) -> list[str]:
        """Sentences: how large the difference was and is, and what is left of it; one a list."""
        if self.of_lists:
            return lines_of_change(self.of_lists, self.names, self.rule.label)
        if not self.headline:
            return []
        whole = sizes_over_all(next(self.left.itertuples()), self.rule.label)
        return [whole, *filter(None, [of_each_group(self.left, self.names)])]

    @property
    def meanings(self) -> list[str]:
        """Sentences: what the finding is no evidence of, and what else moved."""
        if self.of_lists:
            groups = self.left[self.left[GROUP].isin([*self.names.own])]
            people = compared_with_people(groups, self.of_lists, self.names, self.rule.label)
            said = [*self.notes_on_lists, people]
        elif self.left.empty:
            said = []
        else:
            # The plain difference before, by protected word.
            means = self.pairs.pivot_table(values=BEFORE, index=PROTECTED_WORD, columns=CONNECTION)
            first, second = sides(self.left["contrast"].iloc[0])
            before = means[first] - means[second]
            said = [grown_associations(self.left, self.word_contrasts, before, self.names)]
        return [one for one in (*said, controls_sentence(self.table, self.unmoved)) if one]

    @property
    def origin(self) -> str:
        """Whether both sides can be of one training, in a sentence; "" of training runs."""
        if RUN in self.pairs:
            return ""
        return same_training(agreement_of(self.pairs), self.unmoved)

    def to_dict(self) -> dict[str, Any]:
        """Return all tables, the fit's name, the rule and the sentences as plain data."""
        return {**super().to_dict(), "fit": self.fit.id}

    @property
    def main_fit(self) -> Fit:
        """The fit of the change."""
        return self.fit

    @property
    def main_rule(self) -> DecisionRule:
        """The rule, which is on the scale of before."""
        return self.rule

    @property
    def of_each(self) -> pd.DataFrame:
        """The changes of the contrasts."""
        return self.contrasts

    def plot(self, **place: Unpack[Place]) -> Figure:
        """Draw the change per connection, for all words and for each."""
        from bayesbias.fits.interval_figures import plot_changes

        return plot_changes(self.table, self.words, self.rule, **place)

    def plot_left(self, **place: Unpack[Place]) -> Figure:
        """Draw what the association was before and is after, and how much of it is left."""
        if self.left.empty:
            raise DistancesError(
                "no two connections are compared here, or the model's noise is not normal, so "
                "that there is no share left to draw; plot() has the changes"
            )
        return plot_left(self.left, self.rule, **place)

    @property
    def notes_on_lists(self) -> list[str]:
        """Which differences are 0 by construction after, in a sentence; [] if none are."""
        zero = self.left_by_list.loc[self.left_by_list[ZERO].astype(bool), ATTRIBUTE_SET]
        titles = [self.names.set_title[name] for name in zero]
        return [tell("zero_note", elided(titles))] if titles else []

    @property
    def left_heading(self) -> str:
        """What the table `left` is called."""
        groups = groups_of(self.fit.design)
        relative = groups.has_means and groups.n_reference and len(self.left) > 1
        return tell("of_what_is_left", self.left["contrast"].iloc[0], bool(relative))

    @cached_property
    def by_factor(self) -> Contrasts | None:
        """The changes of contrasts by factor, as `Fit.contrasts` has them; None without factors."""
        crossed = "factor" in self.fit.contrast_levels
        return self.fit.contrasts("factor", rule=self.rule) if crossed else None

    @property
    def blocks(self) -> Blocks:
        """The finding, what it means, the tables behind it, and how sure it is."""
        return self.screen(next_step("change", self.is_undecided, held_out=False, typed=False))

    def screen(self, then: str) -> Blocks:
        """Return all of it; `then`: what to do next."""
        return change_screen.screen(self, change_screen.finding(self, then))

    @property
    def details(self) -> Blocks:
        """What is left of each group, and the verdicts on the changes."""
        return change_screen.details(self)

    @property
    def captions(self) -> list[str]:
        """The rule of the verdicts, and what chance is where it is known."""
        about = *self.about_chance, *about_edge(self.contrasts, self.table)
        return [self.rule.caption, *about]

    @property
    def about_chance(self) -> list[str]:
        """What the columns of chance are."""
        return about_chance(self.contrasts, self.list_contrasts, changes=True)


def compare_change(
    before: pd.DataFrame,
    after: pd.DataFrame,
    *,
    model: str | Path | ModelSpec | None = None,
    rope: float | None = None,
    prob: float = HDPI_PROB,
    interval: str = "hpdi",
    rule: DecisionRule | None = None,
    insist: bool = False,
    seed: int | np.random.Generator | None = None,
    **options: Any,
) -> Change:
    """Model how the distances of the same pairs changed between two embeddings.

    Of a single training each, one has to be made from the other, as debiasing does. Embeddings of
    unequal dimensions, or whose coordinates do not correlate, have nothing before and after:
    compare them with `compare_embeddings`.

    Parameters
    ----------
    before, after : DataFrame
        From `distances` or `read_distances`, with the same word list; or both from
        `distances_of_runs`, so that what the change does is told from what retraining does.
    model : str, Path or ModelSpec, optional
        A model of the response ``change``; by default ``change-maximal``, of training runs
        ``change-runs``.
    rope : float, optional
        Changes up to this count as practically none (cosine distance); by default 0.1 standard
        deviations of a neutral pair's distance before.
    prob, interval, rule
        As for `Fit.contrasts`.
    insist : bool
        Whether embeddings that are not of one training may be before and after all the same.
    seed : int or Generator, optional
    **options
        Passed on to `fit`.

    Raises
    ------
    DistancesError
        If a frame cannot be analysed, repeats a pair with another distance, the two have no pair
        in common, they disagree on a pair's connection, no distance changed, or neither embedding
        can be made from the other.
    ModelError
        If the model does not explain changes.

    Examples
    --------
    >>> import bayesbias as bb
    >>> vectors, words = bb.example_embedding(), bb.load_wordlist("gender")
    >>> after = bb.debias.hard(vectors, words).vectors
    >>> frames = [bb.distances(v, words) for v in (vectors, after)]
    >>> bb.compare_change(*frames, seed=1).contrasts["contrast"].iloc[0]
    'associated − different'
    """
    runs = isinstance(before, pd.DataFrame) and RUN in before.columns
    spec = model_of_changes(model or ("change-runs" if runs else "change-maximal"))
    rule = DecisionRule.of(rule, rope, prob, interval)
    found, unpaired = paired(before, after)
    if (apart := other_training(agreement_of(found))) and not insist:
        raise DistancesError(
            f"the two frames are {apart}, so that there is no before and after; compare them with "
            f"compare_embeddings, or give insist=True"
        )
    pairs = without_reference(found)
    unmoved = _unmoved(pairs)
    moved = found[~found[CONNECTION].isin(unmoved[CONNECTION])]
    fitted = fit(moved, spec, seed=seed, **options)
    return Change(fitted, pairs, unpaired, unmoved, rule.on_scale(distance_scale(pairs, BEFORE)))


def agreement_of(pairs: pd.DataFrame) -> float | None:
    """Return how far coordinates of both sides agree; None if unknown, or of training runs."""
    return None if RUN in pairs else source_of(pairs).get(COORDINATES)


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


def _against_unmoved(
    changes: pd.DataFrame, pair: tuple[str, str], rule: DecisionRule
) -> pd.DataFrame:
    """Return the change of a contrast of which one side did not move: that of the other."""
    found = changes[changes[CONNECTION].isin(pair)]
    table = found.rename(columns={CONNECTION: "contrast"}).assign(contrast=contrast_name(*pair))
    if pair[1] in set(found[CONNECTION]):
        # The contrast is minus the change of its second connection: signs turn, and ends and tails
        # change places.
        for name in ("listed", "mean", "standardised"):
            table[name] = -found[name]
        for low, high in (("low", "high"), ("standardised_low", "standardised_high")):
            table[low], table[high] = -found[high], -found[low]
        table["p_below_zero"] = 1.0 - found["p_below_zero"]
        table["below_rope"], table["above_rope"] = found["above_rope"], found["below_rope"]
        table["verdict"] = rule.verdicts(table["low"], table["high"]).astype(object)
    return table
