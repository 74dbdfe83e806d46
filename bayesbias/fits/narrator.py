"""A fit in sentences: the finding, its size, whether to rely on it, and what a paper says of it.

Terminal, `repr` and page quote them. They come from the contrasts, the diagnostics and the
predictive check, and claim no more than those do; `studies.change_narrator` tells of changes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    CONNECTION,
    PROTECTED_WORD,
    REPEATING,
    STEREOTYPE_CONNECTIONS,
)
from bayesbias.fits import sentences
from bayesbias.fits.between_groups import BETWEEN
from bayesbias.fits.contrasts import Contrasts, can_compare, contrast_name
from bayesbias.fits.criticism import left_out_coverage
from bayesbias.fits.sentences import CLOSER, FARTHER, Names
from bayesbias.fits.summaries import Summary
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.diagnostics import Diagnostics
from bayesbias.inference.model_files import load_model
from bayesbias.inference.specification import ModelSpec
from bayesbias.pairs.collapse import said_of_missing
from bayesbias.pairs.frequency import RARITY
from bayesbias.pairs.provenance import source_of, title_of
from bayesbias.pairs.reference import reference_rows, without_reference
from bayesbias.support.rendering import as_latex, as_markdown
from bayesbias.support.text_tables import (
    ON_EDGE,
    as_text,
    bounds,
    counted,
    label_of,
    listed,
    probability,
    shown,
    verdict_shown,
)

NEAR: Final = 0.05
"""A predictive interval that holds a share of pairs this near to its probability is on target."""

MOST_NAMED: Final = 8
DIRECTIONS: Final = (CLOSER, FARTHER)


def sizes(negative: bool, mean: float, low: float, high: float) -> list[str]:
    """Write a difference and its interval as how large it is in its direction."""
    values = (-mean, -high, -low) if negative else (mean, low, high)
    return [shown(value, "distance") for value in values]


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
        first = self.whole.table["contrast"].iloc[0]
        is_first = first == contrast_name(*STEREOTYPE_CONNECTIONS)
        if self.lists is not None and is_first:
            over_all = next(self.whole.table.itertuples())
            return sentences.headline_of_lists(self._of_lists, self.names, over_all)
        if is_first and len(self.names.own) == 1:
            (group,) = self.names.own
            return sentences.headline_of_groups(
                self.whole.table[:1].assign(group=group), self.names
            )
        if self.whole.groups.has_means and is_first:
            rows = self.groups.table[self.groups.table["contrast"] == first]
            return sentences.headline_of_groups(rows, self.names)
        return finding(self.whole)

    @property
    def findings(self) -> tuple[str, ...]:
        """The headline, a sentence for every list, and the answer over all groups."""
        whole, head = finding(self.whole), self.headline
        if whole == head:
            return (whole,)
        over_all = f"Over all groups, {whole[0].lower()}{whole[1:]}"
        return (head, *self.lines, over_all)

    @property
    def lines(self) -> tuple[str, ...]:
        """A sentence for every list on which groups are compared."""
        if self.lists is None:
            return ()
        return sentences.lines_of_lists(self._of_lists, self.names, self.lists.rule.label)

    @property
    def _of_lists(self) -> list[sentences.OfList]:
        assert self.lists is not None
        table = self.lists.table
        return sentences.lists_of_table(table[table["contrast"] == BETWEEN], self.names)

    def with_words(self, words: Contrasts) -> tuple[str, ...]:
        """Return the findings, then the other contrasts, and those of single words."""
        rows = list(self.whole.table.itertuples())
        first, _ = sides(rows[0].contrast)
        others = [row for row in rows[1:] if sides(row.contrast)[0] == first]
        part = words.table[words.table["contrast"] == rows[0].contrast]
        single = f"Word by word, {rows[0].contrast} is {counted_words(part)}."
        against = (f"Against the controls, {_briefly(others, first)}.",) if others else ()
        few = expected_false(words, rows[0].contrast)
        return (
            *self.findings,
            *against,
            f"{single} Expected to have the wrong direction: {few}." if few else single,
        )


def finding(contrasts: Contrasts) -> str:
    """Return what the first contrast says, how large it is, and how sure."""
    rule, row = contrasts.rule, next(contrasts.table.itertuples())
    first, _ = sides(row.contrast)
    sure = f"the probability that {first} words are {_likelier(row)} is"
    listed_pairs = f"{DIRECTIONS[int(row.listed > 0)]} by {shown(abs(row.listed), 'distance')}"
    return (
        f"{_finding(row, rule)}; {sure} {probability(row.p_direction)}. "
        f"In the listed pairs they are {listed_pairs}."
    )


def answer_of_means(summary: Summary) -> tuple[str, str]:
    """Return what can be said where no two connections can be compared."""
    table = summary.table
    label = label_of(table)
    means = "; ".join(
        f"{shown(row.mean, 'distance')} to {row.connection} words ({label} {bounds(row)})"
        for row in table.itertuples()
    )
    return (
        f"The mean cosine distance of the protected words is {means}.",
        "This fit has no two of the connections that are compared, so nothing can be said about an "
        "association.",
    )


def answer_of_checks(diagnostics: Diagnostics, coverage: pd.DataFrame, prob: float) -> str:
    """Return whether the draws and the model can be relied on, by `criticism.left_out_coverage`."""
    whole = coverage[coverage[CONNECTION] == "all"]
    probs = " and ".join(f"{100 * p:g}%" for p in whole["prob"])
    shares = " and ".join(shown(float(share), "share") for share in whole["inside"])
    off = off_target(coverage, prob)
    draws = diagnostics.sentence if diagnostics.problems else "The draws passed their checks."
    said = (
        f"{draws.rstrip('.')}, and the model's {probs} predictive intervals hold {shares} of the "
        f"pairs, each predicted from all others"
    )
    if not off:
        return f"{said}, as they should if it fits."
    return (
        f"{said}: more than {100 * NEAR:g} points off target {', '.join(off)}, so that single "
        f"distances scatter differently than the model says."
    )


def off_target(coverage: pd.DataFrame, prob: float) -> list[str]:
    """Name the shares of pairs that are off target, as `answer_of_checks` has it."""
    watched = coverage[(coverage["prob"] == prob) | (coverage[CONNECTION] == "all")]
    return [
        f"at {100 * r.prob:g}%"
        if r.connection == "all"
        else f"for {r.connection} pairs at {100 * r.prob:g}% ({shown(float(r.inside), 'share')})"
        for r in watched.itertuples()
        if abs(r.inside - r.prob) > NEAR
    ]


def expected_false(words: Contrasts, contrast: str) -> str:
    """Say how many words with a direction are expected to have the other one; "" without any."""
    found = words.expected_false
    found = found[(found["contrast"] == contrast) & (found["n"] > 0)]
    said = []
    for row in found.itertuples():
        n = row.expected_false
        few = "fewer than 0.1" if n < 0.1 else shown(n, "number")
        said.append(f"{few} of the {counted(row.n, 'word')} called {row.direction}")
    return listed(said) if said else ""


def sides(contrast: str) -> tuple[str, str]:
    """Return the connections that a contrast compares."""
    first, _, second = contrast.partition(" − ")
    return first, second


def _likelier(row: Any) -> str:
    """Return the likelier direction, which is the verdict's where that has one."""
    return DIRECTIONS[int(row.p_below_zero < 0.5)]


def in_sds(standardised: float, rule: DecisionRule) -> str:
    """Return a difference in standard deviations, to stand in a parenthesis."""
    if standardised != standardised:
        return ""
    return f"; {shown(standardised, 'sds')} {rule.unit}"


def within(rule: DecisionRule) -> str:
    """Return the region of practical equivalence."""
    return f"±{rule.width:.2g}"


def _finding(row: Any, rule: DecisionRule) -> str:
    """Say in words what a contrast's verdict is, with its size."""
    first, second = sides(row.contrast)
    direction, _, size = row.verdict.partition(", ")
    if direction in DIRECTIONS:
        where = "closer to" if direction == "closer" else "farther from"
        mean, low, high = sizes(row.mean < 0, row.mean, row.low, row.high)
        sds = in_sds(abs(row.standardised), rule).replace("+", "")
        said = (
            f"{first.capitalize()} words are {where} the protected words than {second} words, by "
            f"{mean} ({rule.label} {low} to {high}{sds})"
        )
        said += {
            "practically equal": f", but so little that it counts as practically equal (within "
            f"{within(rule)})",
            "size undecided": f", though perhaps by too little to matter (less than "
            f"{rule.width:.2g})",
        }.get(size, "")
        return said + edge(row, rule) + sentences.chance_clause(row)
    interval = f"{rule.label} {bounds(row, 'signed')}{in_sds(row.standardised, rule)}"
    differ = f"the mean cosine distances differ by {shown(row.mean, 'signed')} ({interval})"
    if direction == "practically equal":
        said = (
            f"{first.capitalize()} and {second} words are practically equally far from the "
            f"protected words (within {within(rule)})"
        )
    else:
        said = (
            f"It is undecided whether {first} or {second} words are closer to the protected words"
        )
    return f"{said}{edge(row, rule)}: {differ}{sentences.chance_clause(row)}"


def edge(row: Any, rule: DecisionRule) -> str:
    """Return the warning of a verdict that numerical error could change."""
    if not row.on_edge:
        return ""
    sized = row.verdict in DIRECTIONS and rule.width > 0
    what = "leave the size undecided" if sized else "change this verdict"
    return f" ({ON_EDGE}: numerical error could {what})"


SIZES: Final = {
    "practically equal": ", practically negligibly",
    "size undecided": ", size undecided",
}


def _briefly(rows: list[Any], first: str) -> str:
    """Say further contrasts in few words, with mean and probability of direction."""
    said, before = [], ""
    for row in rows:
        direction, _, size = row.verdict.partition(", ")
        what = {
            "closer": f"{first} words are closer than",
            "farther": f"{first} words are farther than",
            "practically equal": f"{first} words are practically as far as",
            "undecided": f"it is undecided whether {first} words are closer or farther than",
        }[direction]
        numbers = (
            f"{shown(row.mean, 'signed')}, P({_likelier(row)}) {probability(row.p_direction)}"
            f"{SIZES.get(size, '')}{f', {ON_EDGE}' if row.on_edge else ''}"
        )
        one = f"{sides(row.contrast)[1]} words ({numbers})"
        said.append(one if what == before else f"{what} {one}")
        before = what
    return listed(said)


def counted_words(words: pd.DataFrame) -> str:
    """Count words by direction, and name those that have one."""
    directions = words["verdict"].str.partition(", ")[0]
    parts = []
    for direction in (*DIRECTIONS, "practically equal", "undecided"):
        names = [str(w) for w in words.loc[directions == direction, PROTECTED_WORD]]
        if not names:
            continue
        named = ", ".join(names[:MOST_NAMED]) + (", …" if len(names) > MOST_NAMED else "")
        has_direction = direction in DIRECTIONS
        parts.append(f"{direction} for {len(names):,}{f' ({named})' if has_direction else ''}")
    return f"{listed(parts)} of {counted(len(words), 'protected word')}"


def at_equal(spec: ModelSpec) -> str:
    """Say at what equal numbers the contrasts of a model with slopes are."""
    of = "frequency" if set(spec.numbers) == set(RARITY.values()) else listed(spec.numbers)
    return f"at equal {of}"


def slopes_sentence(spec: ModelSpec) -> str:
    """Say at what equal numbers contrasts are; "" without slopes."""
    if not spec.numbers:
        return ""
    return f"Contrasts are {at_equal(spec)}, which the model has slopes on."


FORMS: Final = {"text": as_text, "markdown": as_markdown, "latex": as_latex}

_VERSIONS: Final = ("python", "numpy", "scipy")


def data_sentences(frame: pd.DataFrame, spec: ModelSpec) -> tuple[str, str]:
    """Return which model was fitted to what, and what is missing."""
    pairs, reference = without_reference(frame), reference_rows(frame)
    counts = [
        f"{counted(part[PROTECTED_WORD].nunique(), f'{kind} word')} and "
        f"{counted(part[ATTRIBUTE].nunique(), 'attribute word')} ({counted(len(part), 'pair')})"
        for kind, part in (("protected", pairs), ("reference", reference))
        if len(part)
    ]
    copies = "".join(f", in {counted(frame[c].nunique(), c)}" for c in REPEATING if c in frame)
    said = (
        f"{title_of(source_of(frame))}: model {spec.name!r} ({spec.title.rstrip('.')}) was fitted "
        f"to the cosine distances between {', and between '.join(counts)}{copies}."
    )
    return said, said_of_missing(frame)


def made_with(fit: str, record: Mapping[str, Any]) -> str:
    """Say how a posterior was drawn, with what, and from which seed; `record` is `Fit.record`."""
    versions = record["versions"]
    names = [n for n in (*_VERSIONS, str(record.get("sampler"))) if n in versions]
    found = ", ".join(f"{name} {versions[name]}" for name in names)
    return (
        f"Computed with bayesbias {versions.get('bayesbias', '(version unknown)')} ({found}): "
        f"engine {record['engine']}, {record['chains']} × {record['draws']:,} draws, seed "
        f"{record['seed']}, fit {fit}."
    )


def to_cite(spec: ModelSpec, record: Mapping[str, Any]) -> list[str]:
    """Return what to cite for software, method, model and word list; `record` is `Fit.record`."""
    paper = load_model("paper").source
    version = record["versions"].get("bayesbias", "")
    cited = {
        "software": f"The bayesbias developers ({record['created'][:4]}), bayesbias {version}",
        "method": paper,
        "model": "" if spec.source == paper else spec.source,
        "word list": record["source"].get("wordlist_source", ""),
    }
    return [f"The {what}: {source.rstrip('. ')}." for what, source in cited.items() if source]


def paragraph(fit: Any, rule: DecisionRule, placebo: Any = None) -> str:
    """Return what a paper says of a `Fit`; see `Fit.report`."""
    found = [*answer_of_means(fit.summary(rule=rule))]
    if can_compare(fit.design):
        whole = fit.contrasts(rule=rule)
        row = next(whole.table.itertuples())
        said = f"On {row.contrast} the verdict is: {verdict_shown(row)}."
        found = [*fit.answers(rule).findings, said, whole.caption]
    left_out = left_out_coverage(fit.loo, fit.design, rule.prob)
    parts = [
        *data_sentences(fit.frame, fit.spec),
        *found,
        *([placebo.sentence] if placebo is not None else []),
        answer_of_checks(fit.diagnostics, left_out, rule.prob),
        *fit.notes,
        made_with(fit.id, fit.record),
        *to_cite(fit.spec, fit.record),
    ]
    return " ".join(parts)
