"""The report of a change: before and after side by side."""

from collections.abc import Mapping
from typing import Any

from bayesbias.constants import AFTER, BEFORE, CONNECTION, GROUP, PROTECTED_WORD
from bayesbias.fits.contrasts import PAIRS, decisions_table
from bayesbias.fits.criticism import left_out_coverage
from bayesbias.fits.forests import decision_forest, decision_forests
from bayesbias.fits.narrator import answer_of_checks
from bayesbias.fits.summaries import means_table
from bayesbias.pairs.provenance import source_of
from bayesbias.report.analysis import subtitle_of
from bayesbias.report.checks import (
    coverage_of,
    criticism_section,
    diagnostics_section,
    predictive_section,
)
from bayesbias.report.data import data_section
from bayesbias.report.forests import before_and_after, mean_distances
from bayesbias.report.levels import words_of_change
from bayesbias.report.method import citation_section, method_section, reproduction_section
from bayesbias.report.numbers import measures_change_section
from bayesbias.report.other_models import other_models_section
from bayesbias.report.parts import Explorer, Figure, Part, Report, Section, Text
from bayesbias.report.tabling import WORD, WORD_FILTER
from bayesbias.studies.change import Change
from bayesbias.studies.left import LEFT_SAID, left_table
from bayesbias.studies.left_figure import left_forest
from bayesbias.support.text_tables import Column, Table, counted

_CHANGE = "change of mean cosine distance, after − before"


def report_of_change(
    change: Change, *, command: str = "", comparison: bool = True, title: str = ""
) -> Report:
    """Collect everything that the report of a change says; its rule is the change's own.

    `command`, `comparison`, `title`: as for `analysis.report_of_fit`.
    """
    fit, rule = change.fit, change.rule
    coverage = coverage_of(fit, rule)
    left_out = left_out_coverage(fit.loo, fit.design, rule.prob)
    checks = answer_of_checks(fit.diagnostics, left_out, rule.prob)
    return Report(
        title or _title(source_of(change.pairs)),
        subtitle_of(fit, f"{counted(len(change.pairs), 'pair')} on both sides"),
        (*change.answers, checks),
        _answer_figure(change),
        (
            data_section(change.pairs, *_unpaired(change)),
            _left_section(change),
            _contrasts_section(change),
            _sides_section(change),
            _words_section(change),
            other_models_section(fit, rule, asked=comparison),
            predictive_section(fit, coverage, rule),
            criticism_section(fit),
            _diagnostics(change),
            measures_change_section(change.pairs, fit.seed),
            method_section(fit, rule),
            citation_section(fit),
            reproduction_section(fit, command),
        ),
        fit.left_out,
        tuple(note for note in fit.notes if note not in fit.left_out),
    )


def _title(source: Mapping[str, Any]) -> str:
    """Name a report by its two embeddings or files."""
    sides = [source.get(side, {}) for side in ("before", "after")]
    names = [side.get("embedding") or side.get("file") for side in sides]
    return "Before and after" if None in names else f"From {names[0]} to {names[1]}"


def _answer_figure(change: Change) -> Figure:
    rule, forests = change.rule, []
    if len(change.left):
        forests.append(left_forest(change.left, rule))
    if len(change.contrasts):
        title, what = "Change of contrasts", "change of the difference"
        forests.append(
            decision_forest(change.contrasts, rule, key="contrast", title=title, what=what)
        )
    title = "Change per connection"
    forests.append(decision_forest(change.table, rule, key=CONNECTION, title=title, what=_CHANGE))
    caption = (
        f"{_LEFT_CAPTION if len(change.left) else ''}Modelled changes, after − before, with "
        f"{rule.label}; below 0, the first connection came closer. Grey: the region of practical "
        f"equivalence (ROPE), changes of up to {rule.width:.2g}."
    )
    return Figure(caption, tuple(forests))


_LEFT_CAPTION = "The difference before and after, and the share of it that is left. "


def _left_section(change: Change) -> Section:
    """Show before, after and what is left, and say what the interval of a share is."""
    parts: list[Part] = []
    if len(change.left):
        caption = f"Before, after, and what is left, {change.rule.label}"
        parts += [Text(LEFT_SAID), left_table(change.left, caption)]
    if change.origin:
        parts.append(Text(change.origin))
    return Section("left", "What is left", tuple(parts))


def _unpaired(change: Change) -> tuple[Part, ...]:
    """Show which pairs and connections are not modelled."""
    if change.unpaired.empty:
        parts: list[Part] = [Text("Every pair is there before and after.")]
    else:
        caption = f"Pairs on one side only ({len(change.unpaired):,})"
        parts = [Table(change.unpaired, caption=caption, sortable=True)]
    parts += [
        Text(
            f"{row.connection.capitalize()} words are not modelled, since none of their "
            f"{counted(row.n_pairs, 'pair')} changed by more than {row.largest_change:.1g}."
        )
        for row in change.unmoved.itertuples()
    ]
    return tuple(parts)


def _contrasts_section(change: Change) -> Section:
    """Show the contrasts before, after, and their modelled change, first of all words."""
    if change.contrasts.empty:
        said = "No two connections that moved are compared."
        return Section("contrasts", "Contrasts before and after", (Text(said),))
    rule, words = change.rule, words_of_change(change).of(change.word_contrasts)
    forests = decision_forests(
        words,
        rule,
        key="contrast",
        label=PROTECTED_WORD,
        what="change of the difference",
        whole=change.contrasts,
    )
    return Section(
        "contrasts",
        "Contrasts before and after",
        (
            Text(
                f"Before and after are differences of the plain means of the listed pairs; the "
                f"change, its interval and its verdict come from the model of every pair's change. "
                f"Below 0, the first connection came closer by more, or went away by less. "
                f"{rule.caption}"
            ),
            decisions_table(
                change.contrasts.drop(columns="listed"),
                ["contrast"],
                f"Contrasts before and after, and their change, {rule.label}",
            ),
            Figure("Change of contrasts, of all words and of every word; grey: ROPE.", forests),
            decisions_table(
                words,
                [WORD, "contrast"],
                f"Change of the contrasts of every protected word, {rule.label}",
                sortable=True,
            ),
        ),
    )


def _sides_section(change: Change) -> Section:
    """Show the distances of both sides beside each other, and the modelled change."""
    means = mean_distances(change.pairs, [CONNECTION])
    changes = change.table.drop(columns=["n_pairs", "listed"])
    joined = means.merge(changes, on=CONNECTION, how="left")
    joined["verdict"] = joined["verdict"].astype(object).where(joined["verdict"].notna(), "unmoved")
    joined["on_edge"] = joined["on_edge"].fillna(False).astype(bool)
    label = change.rule.label
    sides = Column(BEFORE, "before", "distance"), Column(AFTER, "after", "distance")
    shown = words_of_change(change).of(change.pairs)
    caption = f"Mean cosine distance before and after, and its change, {label}"
    parts: list[Part] = [
        decisions_table(joined, [CONNECTION, PAIRS, *sides], caption),
        Figure(
            "Plain mean cosine distances of the pairs before and after, per protected word.",
            before_and_after(shown),
        ),
    ]
    if len(change.shares):
        shares = Column("before", "before", "share"), Column("after", "after", "share")
        bound = change.shares["bound"].iloc[0]
        caption = (
            f"Share of pairs whose |cosine similarity| is at most {bound:.3f} (1 − MAC before)"
        )
        parts.append(Table(change.shares, [CONNECTION, PAIRS, *shares], caption))
    return Section("sides", "Distances before and after", tuple(parts))


def _words_section(change: Change) -> Section:
    """Show the change of every protected word; of very many words those farthest out."""
    shown = words_of_change(change)
    sides = mean_distances(change.pairs, [PROTECTED_WORD, CONNECTION])
    keys = [PROTECTED_WORD, CONNECTION]
    words = shown.of(change.words).drop(columns="listed")
    words = words.merge(sides[[*keys, BEFORE, AFTER]], on=keys, how="left")
    forests = decision_forests(
        words, change.rule, key=CONNECTION, label=PROTECTED_WORD, what="change", whole=change.table
    )
    first = (
        WORD,
        GROUP,
        CONNECTION,
        PAIRS,
        Column(BEFORE, "before", "distance"),
        Column(AFTER, "after", "distance"),
    )
    caption = f"Change per protected word and connection, {change.rule.label}"
    explorer = Explorer(
        Figure("Change of all words together and of every protected word; grey: ROPE.", forests),
        decisions_table(words, first, caption, **WORD_FILTER),
        tuple(shown.words),
        tuple(change.table[CONNECTION]),
    )
    return Section(
        "words", "Protected words", (*([Text(shown.note)] if shown.note else []), explorer)
    )


def _diagnostics(change: Change) -> Section:
    """Add means and terms of the model of changes to its diagnostics."""
    fit, rule = change.fit, change.rule
    means, terms = (
        fit.summary(by, prob=rule.prob, interval=rule.interval).table
        for by in ("connection", "term")
    )
    section = diagnostics_section(fit)
    more = (
        means_table(means, [CONNECTION], f"Mean change per connection, {rule.label}"),
        means_table(
            terms, ["parameter", "applies_to"], f"Standard deviations of the terms, {rule.label}"
        ),
    )
    return Section(section.name, section.title, (*section.parts, *more))
