"""The report of a change: before and after side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from bayesbias.constants import (
    AFTER,
    BEFORE,
    CONNECTION,
    CONNECTIONS,
    GROUP,
    PROTECTED_WORD,
)
from bayesbias.fits.contrasts import LIST_COLUMNS, PAIRS, decisions_table
from bayesbias.fits.interval_figures import ALL_WORDS, decision_forest, decision_forests
from bayesbias.fits.next_step import next_step
from bayesbias.fits.summaries import means_table
from bayesbias.pairs.provenance import source_of
from bayesbias.report.analysis import (
    crossed_parts,
    report_of,
    terms_table,
    words_section,
)
from bayesbias.report.captions import tell
from bayesbias.report.check_sections import (
    coverage_of,
    criticism_section,
    diagnostics_section,
    predictive_section,
)
from bayesbias.report.data import data_section
from bayesbias.report.method import citation_section, method_section, reproduction_section
from bayesbias.report.numbers import measures_change_section
from bayesbias.report.page_parts import WORD, WORD_FILTER, ForestFigure, PagePart, Report, Section
from bayesbias.report.shown_levels import words_of_change
from bayesbias.studies import change_screen, change_sentences
from bayesbias.studies.change import Change
from bayesbias.studies.held_out import HeldOut, nothing_known
from bayesbias.studies.left import LEFT_SAID, left_forest, left_table
from bayesbias.support.forests import Forest, Mark, Row, span_of
from bayesbias.support.text_tables import HOW_SURE, MEANING, Column, Table, counted, typeset

_CHANGE = "change of mean cosine distance, after − before"
_SIDES = Column(BEFORE, "before", "distance"), Column(AFTER, "after", "distance")


def report_of_change(
    change: Change, *, command: str = "", title: str = "", held_out: HeldOut | None = None
) -> Report:
    """Collect all that the report of a change says, by its own rule; see `report_of_fit`.

    What words show that a debiasing method was not given comes before it.
    """
    fit, rule = change.fit, change.rule
    asked = {"held_out": held_out is not None, "typed": bool(command)}
    answer = [change.headline] if change.headline else change.lines
    tested: tuple[Section, ...] = ()
    if held_out is not None:
        answer = held_out.before(answer)
        tested = (
            Section("held-out", "Words that the method did not use", tuple(held_out.screen())),
        )
    sections = (
        *tested,
        _left_section(change),
        data_section(change.pairs, *_unpaired(change)),
        _contrasts_section(change),
        _sides_section(change),
        _words_section(change),
        predictive_section(fit, coverage_of(fit, rule), rule),
        criticism_section(fit),
        _diagnostics(change),
        measures_change_section(change.pairs, fit.seed),
        method_section(fit, rule),
        citation_section(fit),
        reproduction_section(fit, command),
    )
    answer = [*answer, next_step("change", nothing_known(change, held_out), **asked)]
    title = title or _title(source_of(change.pairs))
    n_pairs = f"{counted(len(change.pairs), 'pair')} on both sides"
    page = report_of(fit, rule, title, n_pairs, answer, _answer_figure(change), sections)
    return _with_first_screen(page, change)


def _with_first_screen(page: Report, change: Change) -> Report:
    """Add before and after in lines, what they mean, how sure they are, and further answers."""
    *answer, checks = page.answer
    rate = change_sentences.known_rate(change.fit.spec.name, change.rule.prob)
    sure = tuple(filter(None, [rate, change.origin, checks]))
    said = {*answer, *change.lines, *change.meanings, *sure}
    more = tuple(one for one in change.answers if one not in said and one != change.headline)
    lines = change_screen.lines_table(change)
    asides = [
        (MEANING, (*(change.lines if lines is None else ()), *change_screen.meanings(change))),
        (HOW_SURE, sure),
        ("Further answers", more),
    ]
    return replace(page, answer=tuple(answer), lines=lines, asides=tuple(asides))


def _title(source: Mapping[str, Any]) -> str:
    """Name a report by its two embeddings or files."""
    names = change_screen.side_names(source)
    return f"From {names[0]} to {names[1]}" if names else "Before and after"


def _answer_figure(change: Change) -> ForestFigure:
    rule, forests = change.rule, []
    if len(change.left_by_list):
        forests.append(left_forest(change.left_by_list, rule, change.names))
    if len(change.left):
        forests.append(left_forest(change.left, rule, change.names))
    if len(change.contrasts):
        title, what = "Change of contrasts", "change of the difference"
        forests.append(
            decision_forest(change.contrasts, rule, key="contrast", title=title, what=what)
        )
    title = "Change per connection"
    forests.append(decision_forest(change.table, rule, key=CONNECTION, title=title, what=_CHANGE))
    caption = tell("change_figure", rule.label, f"{rule.width:.2g}", len(change.left) > 0)
    return ForestFigure(caption, tuple(forests))


def _left_section(change: Change) -> Section:
    """Show before, after and what is left, and say what the interval of a share is."""
    parts: list[PagePart] = []
    if len(change.left_by_list):
        caption = (
            f"Between groups on each list: before, after, and what is left, {change.rule.label}"
        )
        parts += [tell("lists"), left_table(change.left_by_list, change.names, caption)]
        parts += change.notes_on_lists
        changes = change.list_contrasts.drop(columns="listed")
        caption = f"Between groups before, after, and the modelled change, {change.rule.label}"
        parts.append(decisions_table(changes, [*LIST_COLUMNS, "contrast"], caption))
    if len(change.left):
        caption = f"{change.left_heading}, {change.rule.label}"
        parts += [LEFT_SAID, left_table(change.left, change.names, caption)]
    if change.origin:
        parts.append(change.origin)
    return Section("left", "What is left", tuple(parts))


def _unpaired(change: Change) -> tuple[PagePart, ...]:
    """Show which pairs and connections are not modelled."""
    if change.unpaired.empty:
        parts: list[PagePart] = ["Every pair is there before and after."]
    else:
        caption = f"Pairs on one side only ({len(change.unpaired):,})"
        parts = [Table(change.unpaired, caption=caption, sortable=True)]
    parts += [
        tell("unmoved", row.connection, counted(row.n_pairs, "pair"), f"{row.largest_change:.1g}")
        for row in change.unmoved.itertuples()
    ]
    return tuple(parts)


def _contrasts_section(change: Change) -> Section:
    """Show the contrasts before, after, and their modelled change, first of all words."""
    if change.contrasts.empty:
        said = "No two connections that moved are compared."
        return Section("contrasts", "Contrasts before and after", (said,))
    rule, words = change.rule, words_of_change(change).of(change.word_contrasts)
    what, whole = "change of the difference", change.contrasts
    forests = decision_forests(
        words, rule, key="contrast", label=PROTECTED_WORD, what=what, whole=whole
    )
    said = tell("changes", change.captions)
    caption = f"Contrasts before and after, and their change, {rule.label}"
    of_words = f"Change of the contrasts of every protected word, {rule.label}"
    parts = (
        said,
        decisions_table(change.contrasts.drop(columns="listed"), ["contrast"], caption),
        ForestFigure("Change of contrasts, of all words and of every word; grey: ROPE.", forests),
        *([] if change.by_factor is None else crossed_parts(change.by_factor, what)),
        decisions_table(words, [WORD, "contrast"], of_words, sortable=True),
    )
    return Section("contrasts", "Contrasts before and after", parts)


def _sides_section(change: Change) -> Section:
    """Show the distances of both sides beside each other, and the modelled change."""
    means = mean_distances(change.pairs, [CONNECTION])
    changes = change.table.drop(columns=["n_pairs", "listed"])
    joined = means.merge(changes, on=CONNECTION, how="left")
    joined["verdict"] = joined["verdict"].astype(object).where(joined["verdict"].notna(), "unmoved")
    joined["on_edge"] = joined["on_edge"].eq(True)
    # The first may be one that did not move, of which no interval is known.
    joined = joined.assign(prob=change.rule.prob, interval=change.rule.interval)
    label = change.rule.label
    shown = words_of_change(change).of(change.pairs)
    caption = f"Mean cosine distance before and after, and its change, {label}"
    parts: list[PagePart] = [
        decisions_table(joined, [CONNECTION, PAIRS, *_SIDES], caption),
        ForestFigure(
            "Plain mean cosine distances of the pairs before and after, per protected word.",
            _before_and_after(shown),
        ),
    ]
    if len(change.shares):
        shares = Column("before", "before", "share"), Column("after", "after", "share")
        bound = f"{change.shares['bound'].iloc[0]:.3f} (1 − MAC before)"
        caption = f"Share of pairs whose |cosine similarity| is at most {bound}"
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
    first = (WORD, GROUP, CONNECTION, PAIRS, *_SIDES)
    caption = f"Change per protected word and connection, {change.rule.label}"
    figure = ForestFigure(
        "Change of all words together and of every protected word; grey: ROPE.", forests
    )
    table = decisions_table(words, first, caption, **WORD_FILTER)
    return words_section(shown, figure, table, change.table[CONNECTION])


def _diagnostics(change: Change) -> Section:
    """Add means and terms of the model of changes to its diagnostics."""
    fit, rule = change.fit, change.rule
    means, terms = (
        fit.summary(by, prob=rule.prob, interval=rule.interval).table
        for by in ("connection", "term")
    )
    section, caption = diagnostics_section(fit), f"Mean change per connection, {rule.label}"
    more = means_table(means, [CONNECTION], caption), terms_table(terms)
    return Section(section.name, section.title, (*section.parts, *more))


def _before_and_after(pairs: pd.DataFrame) -> tuple[Forest, Forest]:
    """Draw plain mean distances per connection and word, before and after, on one axis."""
    means = mean_distances(pairs, [PROTECTED_WORD, CONNECTION])
    whole = mean_distances(pairs, [CONNECTION])
    span = span_of([*means[BEFORE], *means[AFTER]])
    forests = []
    for column, side in ((BEFORE, "before"), (AFTER, "after")):
        rows = [Row(ALL_WORDS, _plain_marks(whole, column, ALL_WORDS), strong=True)]
        rows += [
            Row(str(word), _plain_marks(part, column, str(word)))
            for word, part in means.groupby(PROTECTED_WORD, sort=False)
        ]
        ends = zip(whole[CONNECTION], whole[column], strict=True)
        told = "; ".join(f"{c} {typeset(v, 'distance')}" for c, v in ends)
        alt, axis = f"Mean cosine distance {side}: {told}", "mean cosine distance of the pairs"
        forests.append(Forest(side, alt, axis, tuple(rows), span, lines=(1.0,)))
    return forests[0], forests[1]


def mean_distances(pairs: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Return the plain mean distance before and after, connections in their order."""
    columns = {BEFORE: "mean", AFTER: "mean", "change": "size"}
    means = pairs.groupby(list(by), sort=False).agg(columns).rename(columns={"change": "n_pairs"})
    means = means.reset_index()
    order = means[CONNECTION].map({c: i for i, c in enumerate(CONNECTIONS)})
    if PROTECTED_WORD in by:
        place = {w: i for i, w in enumerate(dict.fromkeys(pairs[PROTECTED_WORD]))}
        order = order + len(CONNECTIONS) * means[PROTECTED_WORD].map(place)
    return means.loc[order.sort_values(kind="stable").index].reset_index(drop=True)


def _plain_marks(means: pd.DataFrame, column: str, who: str) -> tuple[Mark, ...]:
    values = zip(means[CONNECTION], means[column], strict=True)
    return tuple(
        Mark(c, float(v), float(v), float(v), f"{who}, {c}: {typeset(float(v), 'distance')}")
        for c, v in values
    )
