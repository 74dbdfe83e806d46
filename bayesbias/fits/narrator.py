"""A fit in sentences: the finding, its size, whether to rely on it, and what a paper says of it.

Terminal, `repr` and page quote them; ``sentences.jinja`` has the templates. They come from the
contrasts, the diagnostics and the predictive check, and claim no more than those do;
`studies.change_sentences` tells of changes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import pandas as pd

from bayesbias.constants import CONNECTION, PROTECTED_WORD, STEREOTYPE_CONNECTIONS
from bayesbias.fits import captions, sentences
from bayesbias.fits.between_groups import BETWEEN
from bayesbias.fits.contrasts import Contrasts, contrast_name
from bayesbias.fits.sentences import (
    DIRECTIONS,
    Names,
    chance_clause,
    edge_clause,
    interval,
    number,
    sentence,
    tell,
    towards,
)
from bayesbias.fits.summaries import Summary
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.diagnostics import Diagnostics
from bayesbias.inference.specification import ModelSpec
from bayesbias.pairs.frequency import RARITY
from bayesbias.support.text_tables import counted, join_words, label_of, probability, typeset

NEAR: Final = 0.05
"""A predictive interval that holds a share of pairs this near to its probability is on target."""

MOST_NAMED: Final = 8


def sizes(negative: bool, mean: float, low: float, high: float) -> list[str]:
    """Write a difference and its interval as how large it is in its direction."""
    values = (-mean, -high, -low) if negative else (mean, low, high)
    return [typeset(value, "distance") for value in values]


@dataclass(frozen=True)
class Answers:
    """The contrasts that sentences quote: over all, of groups, and by list where there are any."""

    whole: Contrasts
    groups: Contrasts
    lists: Contrasts | None
    names: Names

    @property
    def headline(self) -> str:
        """Who is closer to what, in a sentence.

        By list, between groups, which is about them alone. Of one group, or where groups have the
        same lists, each group's own answer, if the model has one; else what all pairs say.
        """
        over_all = next(self.whole.table.itertuples())
        if self.of_lists:
            return sentences.headline_of_lists(self.of_lists, self.names, over_all)
        if self.of_groups is not None:
            return sentences.headline_of_groups(self.of_groups, self.names)
        return _head(over_all)

    @property
    def is_of_stereotypes(self) -> bool:
        """Whether the first contrast is that of own and other lists."""
        return bool(self.whole.table["contrast"].iloc[0] == contrast_name(*STEREOTYPE_CONNECTIONS))

    @cached_property
    def of_lists(self) -> list[sentences.OfList]:
        """What is known of groups on every list; [] where the headline is not about lists."""
        return self._every_list if self.is_of_stereotypes else []

    @cached_property
    def of_groups(self) -> pd.DataFrame | None:
        """What each group has by itself, a row each; None where the model does not know that."""
        if not self.is_of_stereotypes:
            return None
        if len(self.names.own) == 1:
            (group,) = self.names.own
            return self.whole.table[:1].assign(group=group)
        first = self.whole.table["contrast"].iloc[0]
        rows = self.groups.table[self.groups.table["contrast"] == first]
        return rows if self.whole.groups.has_means else None

    @property
    def findings(self) -> tuple[str, ...]:
        """The headline, a sentence for every list, and the answer over all groups."""
        whole, head = finding(self.whole), self.headline
        if whole.startswith(head):
            return (whole,)
        return (head, *self.lines, f"Over all groups, {whole[0].lower()}{whole[1:]}")

    @property
    def lines(self) -> tuple[str, ...]:
        """A sentence for every list on which groups are compared."""
        if self.lists is None:
            return ()
        return sentences.lines_of_lists(self._every_list, self.names, self.lists.rule.label)

    @cached_property
    def _every_list(self) -> list[sentences.OfList]:
        if self.lists is None:
            return []
        table = self.lists.table
        return sentences.lists_of_table(table[table["contrast"] == BETWEEN], self.names)

    def beyond_lines(self, words: Contrasts) -> tuple[str, ...]:
        """Return the answer over all groups, the other contrasts, and those of single words."""
        rows = list(self.whole.table.itertuples())
        first, _ = sides(rows[0].contrast)
        over_all = self.findings[-1].removeprefix(self.headline).strip()
        against = against_controls([r for r in rows[1:] if sides(r.contrast)[0] == first], first)
        return (over_all, *filter(None, [against]), word_by_word(words, rows[0].contrast))


def word_by_word(words: Contrasts, contrast: str) -> str:
    """Say how many words have which direction, and how many of them are expected to be wrong."""
    part = words.table[words.table["contrast"] == contrast]
    return tell("words", contrast, counted_words(part), expected_false(words, contrast))


def finding(contrasts: Contrasts) -> str:
    """Return what the first contrast says, how large it is, and how sure."""
    rule, row = contrasts.rule, next(contrasts.table.itertuples())
    sure = tell(
        "sureness",
        mean=towards(row.mean),
        label=rule.label,
        interval=interval(row.low, row.high),
        sds="" if np.isnan(row.standardised) else f"{abs(row.standardised):.2f}",
        unit=rule.unit,
        direction=DIRECTIONS[int(row.p_below_zero < 0.5)],  # a verdict's, where it has one
        probability=probability(row.p_direction),
        chance=chance_clause(row),
        edge=edge_clause(row),
        listed_pairs=towards(row.listed),
    )
    return f"{_head(row)} {sure}"


def _head(row: Any) -> str:
    """Say in a sentence what a contrast's verdict is, with its size."""
    first, second = sides(row.contrast)
    state, _, but = row.verdict.partition(", ")
    return sentence(tell("connections", state, first, second, number(row.mean), but))


def answer_of_means(summary: Summary) -> tuple[str, str]:
    """Return what can be said where no two connections can be compared."""
    rows = [
        (f"{row.mean:.2f}", row.connection, f"{row.low:.2f} to {row.high:.2f}")
        for row in summary.table.itertuples()
    ]
    return tell("means", rows, label_of(summary.table)), tell("nothing_compared")


def answer_of_checks(diagnostics: Diagnostics, coverage: pd.DataFrame, prob: float) -> str:
    """Return whether the draws and the model can be relied on, by `criticism.left_out_coverage`."""
    whole = coverage[coverage[CONNECTION] == "all"]
    draws = diagnostics.sentence if diagnostics.problems else "The draws passed their checks"
    return tell(
        "checks",
        draws.rstrip("."),
        probs=" and ".join(f"{100 * p:g}%" for p in whole["prob"]),
        shares=" and ".join(typeset(float(share), "share") for share in whole["inside"]),
        near=f"{100 * NEAR:g}",
        off=", ".join(off_target(coverage, prob)),
    )


def off_target(coverage: pd.DataFrame, prob: float) -> list[str]:
    """Name the shares of pairs that are off target, as `answer_of_checks` has it."""
    watched = coverage[(coverage["prob"] == prob) | (coverage[CONNECTION] == "all")]
    return [
        tell(
            "off_target",
            f"{100 * r.prob:g}%",
            "" if r.connection == "all" else r.connection,
            typeset(float(r.inside), "share"),
        )
        for r in watched.itertuples()
        if abs(r.inside - r.prob) > NEAR
    ]


def expected_false(words: Contrasts, contrast: str) -> str:
    """Say how many words with a direction are expected to have the other one; "" without any."""
    found = words.expected_false
    found = found[(found["contrast"] == contrast) & (found["n"] > 0)]
    said = []
    for row in found.itertuples():
        n = "" if row.expected_false < 0.1 else typeset(row.expected_false, "number")
        said.append(tell("expected_false", n, counted(row.n, "word"), row.direction))
    return join_words(said) if said else ""


def sides(contrast: str) -> tuple[str, str]:
    """Return the connections that a contrast compares."""
    first, _, second = contrast.partition(" − ")
    return first, second


def in_sds(standardised: float, rule: DecisionRule) -> str:
    """Return a difference in standard deviations; "" where they are not known."""
    if standardised != standardised:
        return ""
    return f"{typeset(standardised, 'sds')} {rule.unit}"


def against_controls(rows: Sequence[Any], first: str) -> str:
    """Say further contrasts of a connection, those of one direction together."""
    by_state: dict[str, list[str]] = {}
    for row in rows:
        state, _, _ = row.verdict.partition(", ")
        other, found = sides(row.contrast)[1], probability(row.p_direction)
        said = tell("against", other, towards(row.mean), found)
        by_state.setdefault(state, []).append(said)
    return tell("controls", first, [*by_state.items()]) if by_state else ""


def counted_words(words: pd.DataFrame) -> str:
    """Count words by direction, and name those that have one."""
    return tell("words_by_direction", _counts(words), counted(len(words), "protected word"))


def _counts(words: pd.DataFrame) -> list[tuple[str, str, str]]:
    """Return every direction that occurs, how many words have it, and which these are."""
    directions = words["verdict"].str.partition(", ")[0]
    found = []
    for direction in (*DIRECTIONS, "practically equal", "undecided"):
        names = [str(w) for w in words.loc[directions == direction, PROTECTED_WORD]]
        more = ", …" if len(names) > MOST_NAMED else ""
        named = ", ".join(names[:MOST_NAMED]) + more if direction in DIRECTIONS else ""
        if names:
            found.append((direction, f"{len(names):,}", named))
    return found


def at_equal(spec: ModelSpec) -> str:
    """Say at what equal numbers the contrasts of a model with slopes are."""
    return captions.tell("at_equal", _numbers(spec))


def slopes_sentence(spec: ModelSpec) -> str:
    """Say at what equal numbers contrasts are; "" without slopes."""
    if not spec.numbers:
        return ""
    return captions.tell("slopes", _numbers(spec))


def _numbers(spec: ModelSpec) -> Sequence[str]:
    """Name the numbers that a model has slopes on."""
    return ["frequency"] if set(spec.numbers) == set(RARITY.values()) else spec.numbers
