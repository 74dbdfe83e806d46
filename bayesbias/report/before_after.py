"""What goes into the report of a change: before and after side by side."""

from typing import Any

import pandas as pd

from bayesbias.constants import AFTER, BEFORE, CONNECTION, INNER_PROB, PROTECTED_WORD
from bayesbias.pairs.provenance import source_of
from bayesbias.report.analysis import groups_by_word
from bayesbias.report.answer import answer_of_change, answer_of_checks, caution_of_comparison
from bayesbias.report.forests import (
    before_and_after,
    decision_forests,
    group_decisions,
    mean_distances,
)
from bayesbias.report.numbers import measures_change_section
from bayesbias.report.parts import Column, Explorer, Figure, Part, Report, Section, Text
from bayesbias.report.sections import (
    citation_section,
    compared,
    comparison_section,
    data_section,
    diagnostics_section,
    method_section,
    predictive_section,
    reproduction_section,
)
from bayesbias.report.tabling import DECISIONS, WORD, means_table, table
from bayesbias.studies.change import Change
from bayesbias.support.text_tables import interval_label

_CHANGE = "change of mean cosine distance, after − before"
_SIDES = (Column(BEFORE, "before", "distance"), Column(AFTER, "after", "distance"))


def report_of_change(
    change: Change, *, command: str = "", comparison: bool = True, title: str = ""
) -> Report:
    """Collect everything that the report of a change says; its intervals are the change's own.

    Parameters
    ----------
    change : Change
    command, comparison, title
        As for `analysis.report_of_fit`.

    Returns
    -------
    Report
    """
    fit = change.fit
    chosen: dict[str, Any] = {"prob": change.prob, "interval": change.interval}
    label = interval_label(**chosen)
    probs = tuple({change.prob: 0, INNER_PROB: 0})
    coverage = fit.coverage(probs=probs, interval=change.interval)
    models = compared(fit) if comparison else None
    checks = answer_of_checks(fit.diagnostics, coverage, change.prob)
    forests = [group_decisions(change.groups, CONNECTION, "Change", _CHANGE)]
    if change.contrasts is not None:
        relative = change.contrasts.groups, "contrast", "Relative to each other"
        forests.append(group_decisions(*relative, "difference of changes"))
    return Report(
        title or _title(source_of(change.pairs)),
        f"{fit.spec.name} model, {len(change.pairs):,} pairs on both sides, fit {fit.id}, "
        f"{fit.created[:10]}",
        (*answer_of_change(change), checks),
        Figure(f"How mean cosine distances changed, after − before, with {label}; below 0 is "
               f"closer. Grey: changes of up to {change.rope:g}, which count as practically none.",
               tuple(forests)),
        (
            data_section(change.pairs, *_left_out(change)),
            _sides_section(change, label),
            _words_section(change, label),
            _contrasts_section(change, label),
            predictive_section(fit, coverage, **chosen),
            _diagnostics(change, label, chosen),
            measures_change_section(change.pairs, fit.seed),
            comparison_section(fit, models, asked=comparison),
            method_section(fit, change.caption, change.interval),
            citation_section(fit, measures=True),
            reproduction_section(fit, command),
        ),
        caution_of_comparison(models, fit.spec.name),
    )  # fmt: skip


def _title(source: dict[str, Any]) -> str:
    """Name a report by its two embeddings or files."""
    names = [source.get(side, {}).get("embedding") or source.get(side, {}).get("file")
             for side in ("before", "after")]  # fmt: skip
    if None in names:
        return "Before and after"
    return f"From {names[0]} to {names[1]}"


def _left_out(change: Change) -> tuple[Part, ...]:
    """Say which pairs and connections are not modelled."""
    if change.unpaired.empty:
        parts: list[Part] = [Text("Every pair is there before and after.")]
    else:
        columns = [Column(c, c.replace("_", " ")) for c in change.unpaired.columns]
        parts = [table(change.unpaired, f"Pairs on one side only ({len(change.unpaired):,})",
                       columns, sortable=True)]  # fmt: skip
    parts += [
        Text(f"{row.connection.capitalize()} words are not modelled, since none of their "
             f"{row.n_pairs:,} pairs changed by more than {row.largest_change:.1g}.")
        for row in change.unmoved.itertuples()
    ]  # fmt: skip
    return tuple(parts)


def _sides_section(change: Change, label: str) -> Section:
    """Show the distances of both sides beside each other, and the modelled change."""
    means = mean_distances(change.pairs, [CONNECTION])
    keys = [CONNECTION, "mean", "low", "high", "p_below_zero", "inside_rope", "verdict"]
    joined = means.merge(change.groups[keys], on=CONNECTION, how="left")
    joined["verdict"] = joined["verdict"].astype(object).where(joined["verdict"].notna(), "unmoved")
    columns = [Column(CONNECTION, "connection"), DECISIONS[0], *_SIDES, *DECISIONS[1:]]
    parts: list[Part] = [
        Text("Before and after are plain means of the pairs; the change, its interval and its "
             "verdict come from the model of every pair's change."),
        table(joined, f"Mean cosine distance before and after, and its change, {label}", columns),
        Figure("Plain mean cosine distances of the pairs before and after, per protected word.",
               before_and_after(change.pairs)),
    ]  # fmt: skip
    if len(change.shares):
        shares = (Column("before", "before", "share"), Column("after", "after", "share"))
        columns = [Column(CONNECTION, "connection"), DECISIONS[0], *shares]
        bound = change.shares["bound"].iloc[0]
        parts.append(
            table(change.shares, f"Share of pairs whose |cosine similarity| is at most {bound:.3f} "
                  f"(1 − MAC before)", columns)
        )  # fmt: skip
    return Section("sides", "Before and after", tuple(parts))


def _words_section(change: Change, label: str) -> Section:
    groups = groups_by_word(change.pairs)
    sides = mean_distances(change.pairs, [PROTECTED_WORD, CONNECTION])
    words = change.words.merge(
        sides[[PROTECTED_WORD, CONNECTION, BEFORE, AFTER]], on=[PROTECTED_WORD, CONNECTION],
        how="left",
    )  # fmt: skip
    words = words.assign(group=words[PROTECTED_WORD].map(groups))
    columns = [WORD, Column("group", "group"), Column(CONNECTION, "connection"), DECISIONS[0],
               *_SIDES, *DECISIONS[1:]]  # fmt: skip
    forests = decision_forests(change.groups, change.words, CONNECTION, "change")
    return Section(
        "words",
        "Protected words",
        (
            Explorer(
                Figure("Change of the group mean and of every protected word; grey: ROPE.",
                       forests),
                table(words, f"Change per protected word and connection, {label}", columns,
                      sortable=True, word=PROTECTED_WORD, connection=CONNECTION),
                tuple(groups),
                tuple(change.groups[CONNECTION]),
            ),
        ),
    )  # fmt: skip


def _contrasts_section(change: Change, label: str) -> Section:
    if change.contrasts is None:
        said = "No two connections that moved are compared."
        return Section("contrasts", "Contrasts of changes", (Text(said),))
    contrasts, name = change.contrasts, Column("contrast", "contrast")
    forests = decision_forests(contrasts.groups, contrasts.words, "contrast", "difference")
    return Section(
        "contrasts",
        "Contrasts of changes",
        (
            Text(f"How connections moved relative to each other: below 0, the first came closer by "
                 f"more, or went away by less. {contrasts.caption}"),
            table(contrasts.groups, f"Contrasts of the group means of change, {label}",
                  [name, *DECISIONS]),
            Figure("Contrasts of changes, of the group and of every protected word; grey: ROPE.",
                   forests),
            table(contrasts.words, f"Contrasts of changes of every protected word, {label}",
                  [WORD, name, *DECISIONS], sortable=True),
        ),
    )  # fmt: skip


def _diagnostics(change: Change, label: str, chosen: dict[str, Any]) -> Section:
    """Add effective draws and spread to the diagnostics."""
    first = Column(CONNECTION, "connection"), Column("n_pairs", "pairs", "count")
    spread = Column("parameter", "parameter"), Column("of", "of")
    section = diagnostics_section(change.fit)
    groups = pd.DataFrame(change.fit.group_summary(**chosen))
    more = (
        means_table(groups, f"Mean change per connection, {label}", *first),
        means_table(change.fit.spread_summary(**chosen), f"Standard deviations, {label}", *spread),
    )
    return Section(section.name, section.title, (*section.parts, *more))
