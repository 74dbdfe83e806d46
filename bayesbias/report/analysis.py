"""The report of a fit."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CONNECTION,
    CONTROL_CONNECTIONS,
    DISTANCE,
    GROUP,
    PROTECTED_WORD,
)
from bayesbias.errors import FitError
from bayesbias.fits.between_groups import BETWEEN, LIST
from bayesbias.fits.contrasts import LIST_COLUMNS, Contrasts, can_compare, decisions_table
from bayesbias.fits.criticism import left_out_coverage
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.interval_figures import (
    decision_forest,
    decision_forests,
    mean_forest,
    rows_forest,
)
from bayesbias.fits.narrator import (
    answer_of_checks,
    answer_of_means,
    at_equal,
    expected_false,
)
from bayesbias.fits.next_step import next_step
from bayesbias.fits.placebo import Placebo
from bayesbias.fits.placebo_figure import KEY, placebo_charts
from bayesbias.fits.sentences import Names
from bayesbias.fits.summaries import Summary, means_table
from bayesbias.inference.decision import DecisionRule
from bayesbias.pairs.coverage import missing_sentence
from bayesbias.pairs.provenance import source_of, title_of
from bayesbias.pairs.reference import without_reference
from bayesbias.report.captions import tell
from bayesbias.report.check_sections import (
    coverage_of,
    criticism_section,
    diagnostics_section,
    predictive_section,
)
from bayesbias.report.data import data_section
from bayesbias.report.method import citation_section, method_section, reproduction_section
from bayesbias.report.numbers import measures_section
from bayesbias.report.page_parts import (
    WORD,
    WORD_FILTER,
    Drawing,
    Explorer,
    ForestFigure,
    PagePart,
    Report,
    Section,
    parts_of,
)
from bayesbias.report.shown_levels import (
    MOST_ATTRIBUTES,
    ShownWords,
    extremes,
    groups_by_word,
    note_on_words,
    shown_contrasts,
    summaries_of,
    words_of_fit,
)
from bayesbias.support.text_tables import Column, Table, counted, label_of

_DIFFERENCE = "difference of mean cosine distance"


def report_of_fit(
    fit: Fit,
    rule: DecisionRule,
    *,
    command: str = "",
    title: str = "",
    placebo: Placebo | None = None,
) -> Report:
    """Collect all that the report of a fit of distances says."""
    if fit.spec.response != DISTANCE:
        raise FitError(
            "this fit is of changes of distances, and its report needs the distances before and "
            "after; give the Change, or the folder that 'bayesbias compare --out' wrote"
        )
    pairs = without_reference(fit.frame)
    summaries, contrasts = summaries_of(fit, rule), shown_contrasts(fit, rule)
    coverage = coverage_of(fit, rule)
    means = summaries["connection"]
    sections = (
        *_lists_sections(summaries, contrasts),
        data_section(pairs),
        _contrasts_section(contrasts),
        _groups_section(summaries["group"], contrasts),
        _words_section(summaries["word"], contrasts, groups_by_word(pairs)),
        *([_attributes_section(summaries["attribute"])] if "attribute" in summaries else []),
        _means_section(summaries),
        *([_slopes_section(fit, rule)] if fit.spec.slopes else []),
        *_placebo_sections(placebo, pairs),
        predictive_section(fit, coverage, rule),
        criticism_section(fit),
        diagnostics_section(fit),
        measures_section(pairs, fit.seed),
        method_section(fit, rule),
        citation_section(fit),
        reproduction_section(fit, command),
    )
    about, n_pairs = title_of(source_of(pairs)), counted(len(pairs), "pair")
    figure = _answer_figure(means, contrasts, rule, fit.answers(rule).names if contrasts else None)
    if not contrasts:
        found = (*answer_of_means(means), means.caption)
        return report_of(fit, rule, title or about, n_pairs, found, figure, sections)
    screen = fit.first_screen(rule)
    more = fit.answers(rule).beyond_lines(contrasts["word"])
    page = report_of(fit, rule, title or about, n_pairs, (), figure, sections)
    (checks,) = page.answer
    then = next_step(
        "page", screen.state, screen.few, asked=placebo is not None, typed=bool(command)
    )
    return replace(
        page,
        title=title or screen.headline.rstrip("."),
        subtitle=f"{about}; {page.subtitle}",
        answer=tuple(filter(None, (screen.headline if title else "", screen.caution, then))),
        lines=replace(screen.lines, caption=screen.heading),
        asides=(
            ("What this means", screen.meaning),
            ("How sure is it?", (checks, means.caption)),
            ("Further answers", more),
            ("What was left out", (missing_sentence(pairs),)),
        ),
    )


def report_of(
    fit: Fit,
    rule: DecisionRule,
    title: str,
    pairs: str,
    answer: Sequence[str],
    figure: ForestFigure,
    sections: tuple[Section, ...],
) -> Report:
    """Return a report, its answer followed by whether it can be relied on; `pairs` counts them."""
    left_out = left_out_coverage(fit.loo, fit.design, rule.prob)
    return Report(
        title,
        f"{fit.spec.name} model, {pairs}, fit {fit.id}, {fit.created[:10]}",
        (*answer, answer_of_checks(fit.diagnostics, left_out, rule.prob)),
        figure,
        sections,
        fit.left_out,
        tuple(note for note in fit.notes if note not in fit.left_out),
    )


def words_section(
    shown: ShownWords,
    figure: ForestFigure,
    table: Table,
    connections: Iterable[str],
    more: Iterable[PagePart] = (),
) -> Section:
    """Return the section of words, whose figure and table can be filtered; `more` follows."""
    explorer = Explorer(figure, table, tuple(shown.words), tuple(connections))
    return Section("words", "Protected words", (*filter(None, [shown.note]), explorer, *more))


def _answer_figure(
    means: Summary, contrasts: Mapping[str, Contrasts], rule: DecisionRule, names: Names | None
) -> ForestFigure:
    forests = [rows_forest(means.table, [CONNECTION], "Mean cosine distance")]
    if names is None:
        return ForestFigure(
            f"Mean cosine distance per connection, with its {rule.label}.", (*forests,)
        )
    if LIST in contrasts:  # what the first sentence is about
        lists = contrasts[LIST].table
        lists = lists[lists["contrast"] == BETWEEN]
        lists = lists.assign(row=[names.set_title[name] for name in lists[ATTRIBUTE_SET]])
        title = "Between groups"
        forests.insert(0, decision_forest(lists, rule, key="row", title=title, what=_DIFFERENCE))
    table = contrasts["connection"].table
    rows = [table.assign(row=table["contrast"])]
    if contrasts["group"].groups.has_means:
        groups = contrasts["group"].table
        first = groups[groups["contrast"] == table["contrast"].iloc[0]]
        rows.insert(
            0,
            first.assign(
                row=[f"{names.title[name]}: {first['contrast'].iloc[0]}" for name in first[GROUP]]
            ),
        )
    every = pd.concat(rows, ignore_index=True)
    forests.append(decision_forest(every, rule, key="row", title="Contrasts", what=_DIFFERENCE))
    by_list = "Who is closer to each list, between groups; m" if LIST in contrasts else "M"
    caption = (
        f"{by_list}ean cosine distance per connection, and what differs, of each group and over "
        f"all, with {rule.label}. Grey: the "
        f"region of practical equivalence (ROPE), differences of up to {rule.width:.2g}."
    )
    return ForestFigure(caption, tuple(forests))


def _lists_sections(
    summaries: Mapping[str, Summary], contrasts: Mapping[str, Contrasts]
) -> list[Section]:
    """Show who is closer to each list, between groups, where groups are compared."""
    if LIST not in contrasts:
        return []
    found, means = contrasts[LIST], summaries[LIST].table
    caption = f"Who is closer to each list, between groups, {found.rule.label}"
    parts = (
        " ".join(s for s in (tell("lists"), summaries[LIST].caption, found.about_chance) if s),
        decisions_table(found.table, [*LIST_COLUMNS, "contrast"], caption),
        means_table(
            means, [*LIST_COLUMNS[:2], CONNECTION], f"Means by list and group, {label_of(means)}"
        ),
    )
    return [Section("lists", "Between groups, list by list", parts)]


def _contrasts_section(contrasts: Mapping[str, Contrasts]) -> Section:
    if not contrasts:
        said = "There are no two connections that are compared."
        return Section("contrasts", "Contrasts", (said,))
    found = contrasts["connection"]
    said = tell("contrasts", found.caption)
    caption = f"Contrasts of connections, {found.rule.label}"
    parts = said, decisions_table(found.table, ["contrast"], caption)
    return Section("contrasts", "Contrasts", parts)


def _groups_section(summary: Summary, contrasts: Mapping[str, Contrasts]) -> Section:
    """Show means and contrasts per protected group."""
    table = summary.table
    parts: list[PagePart] = [summary.caption]
    if contrasts:
        found = contrasts["group"]
        caption = f"{found.groups.heading}, {found.rule.label}"
        parts += [decisions_table(found.table, [GROUP, "contrast"], caption)]
        parts += [*found.notes, *filter(None, [found.about_chance])]
    if "factor" in contrasts:
        parts += crossed_parts(contrasts["factor"])
    parts.append(means_table(table, [GROUP, CONNECTION], f"Means by group, {label_of(table)}"))
    return Section("groups", "Protected groups", tuple(parts))


def crossed_parts(found: Contrasts, what: str = _DIFFERENCE) -> list[PagePart]:
    """Show what crossed groups have by factor, and beyond."""
    named = found.table.assign(row=found.table["factor"] + ": " + found.table["comparison"])
    forests = tuple(
        decision_forest(part, found.rule, key="row", title=str(name), what=what)
        for name, part in named.groupby("contrast", sort=False)
    )
    figure = ForestFigure("Contrasts of crossed groups, by factor and beyond; grey: ROPE.", forests)
    return [figure, *parts_of(found.blocks, f"Contrasts by factor, {found.rule.label}")]


def _words_section(
    summary: Summary, contrasts: Mapping[str, Contrasts], groups: dict[str, str]
) -> Section:
    """Show means and contrasts per protected word; of very many words those farthest out."""
    shown = words_of_fit(summary, contrasts)
    words = shown.of(summary.table)
    label = label_of(words)
    figure = ForestFigure(
        f"Mean cosine distance of every protected word, {label}. A hollow marker is a word "
        f"without pairs of its own: what the other words suggest.",
        (mean_forest(words, PROTECTED_WORD, "Mean per protected word", groups),),
    )
    caption = f"Mean cosine distance per protected word, {label}"
    table = means_table(words, [WORD, GROUP, CONNECTION], caption, **WORD_FILTER)
    more = _word_contrasts(contrasts["word"], contrasts["connection"], shown) if contrasts else ()
    return words_section(shown, figure, table, dict.fromkeys(words[CONNECTION]), more)


def _word_contrasts(found: Contrasts, whole: Contrasts, shown: ShownWords) -> list[PagePart]:
    table, rule = shown.of(found.table), found.rule
    names = table["contrast"].unique()
    false = [f"{name} {few}" for name in names if (few := expected_false(found, str(name)))]
    forests = decision_forests(
        table, rule, key="contrast", label=PROTECTED_WORD, what="difference", whole=whole.table
    )
    caption = f"Contrasts of every protected word, {rule.label}"
    return [
        ForestFigure(
            "Contrasts of all words together and of every protected word; grey: ROPE.", forests
        ),
        *([f"Expected to have the wrong direction: {'; '.join(false)}."] if false else []),
        decisions_table(table, [WORD, "contrast"], caption, sortable=True),
    ]


def _attributes_section(summary: Summary) -> Section:
    """Show the effects of attribute words; of very many those farthest out."""
    kept = set(extremes(summary.table, ATTRIBUTE, MOST_ATTRIBUTES))
    table = summary.table[summary.table[ATTRIBUTE].isin(kept)]
    n_all = summary.table[ATTRIBUTE].nunique()
    note = note_on_words(len(kept), n_all, "mean effect", "summary_by_attribute.csv")
    keys = ATTRIBUTE, Column("kind", "kind of list")
    caption = f"Effects of attribute words, {label_of(table)}"
    shown = means_table(table, keys, caption, sortable=True)
    said = f"{summary.caption} {note}".strip()
    return Section("attributes", "Attribute words", (said, shown))


def _means_section(summaries: Mapping[str, Summary]) -> Section:
    means = summaries["connection"]
    caption = f"Mean cosine distance per connection, {label_of(means.table)}"
    parts = means_table(means.table, [CONNECTION], caption), terms_table(summaries["term"].table)
    return Section("means", "Means and terms", (means.caption, *parts))


def terms_table(terms: pd.DataFrame) -> Table:
    """Return the standard deviations of a model's terms as a table."""
    caption = f"Standard deviations of the terms, {label_of(terms)}"
    return means_table(terms, ["parameter", "applies_to"], caption)


def _slopes_section(fit: Fit, rule: DecisionRule) -> Section:
    slopes = fit.summary("slope", rule=rule)
    parts: tuple[PagePart, ...] = parts_of(slopes.blocks, "Slopes")
    if fit.spec.is_gaussian and can_compare(fit.design):
        effect = fit.slope_effect(rule=rule)
        caption = f"Contrasts without slopes (plain) and {at_equal(fit.spec)}"
        parts = (ForestFigure(f"{caption}; grey: ROPE.", effect.forests), *parts)
        parts = (*parts_of(effect.blocks, caption), *parts)
    return Section("slopes", f"Slopes: contrasts {at_equal(fit.spec)}", parts)


def _placebo_sections(placebo: Placebo | None, pairs: pd.DataFrame) -> list[Section]:
    """Show the placebo lists, or how to get some where there are neutral words to draw from."""
    if placebo is None:
        if not (pairs[CONNECTION] == CONTROL_CONNECTIONS[1]).any():
            return []
        return [Section("placebo", "Placebo lists", (tell("no_placebo"),))]
    drawing = Drawing(
        f"The real contrasts among those of placebo lists ({KEY}).",
        "Means of the contrasts of placebo lists, with the real one; the table has the numbers.",
        placebo_charts(placebo.table, placebo.lists, placebo.rule),
    )
    parts = parts_of(placebo.blocks, "Placebo lists")
    return [Section("placebo", "Placebo lists", (*parts, drawing))]
