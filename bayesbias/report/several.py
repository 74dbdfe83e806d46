"""The page of several: embeddings or times side by side, lists one after the other, or a sweep."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

import numpy as np
import pandas as pd

from bayesbias import __version__
from bayesbias.errors import ArgumentError, FitError
from bayesbias.fits import first_screen
from bayesbias.fits.contrasts import STANDARDISED, about_chance, can_compare, chance_columns
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.narrator import answer_of_means
from bayesbias.inference.decision import DecisionRule
from bayesbias.pairs.provenance import missing_of, source_of
from bayesbias.report.check_sections import diagnostics_section
from bayesbias.report.data import data_section
from bayesbias.report.method import citation_section, method_section
from bayesbias.report.page_parts import (
    Code,
    DefinitionList,
    Folded,
    ForestFigure,
    PagePart,
    Report,
    Section,
    parts_of,
)
from bayesbias.studies.comparison import VERDICT, Comparison
from bayesbias.studies.several_figure import forests_in_sds
from bayesbias.studies.several_narrator import (
    OF_FILES,
    standardised,
    task_name,
    tasks_sentences,
)
from bayesbias.studies.sweep_result import SweepResult
from bayesbias.support.forests import Forest
from bayesbias.support.text_tables import (
    Blocks,
    Column,
    Columns,
    Table,
    counted,
    join_words,
    label_of,
    quoted,
)

_IN_SDS: Final = (
    "In standard deviations of a neutral pair's distance, which compare across embeddings, with "
    "{label}. Grey: the region of practical equivalence (ROPE)."
)

_SWEEP_AGAIN: Final = "The same 'bayesbias sweep' with the same file and folder does nothing twice."
_MOST_DRAWN: Final = 200  # tasks in the figure, at most
_CAPTION: Final = {
    "list": "Who is closer to each list, between groups",
    "connection": "Contrasts over all groups",
    "group": "Each group's own contrasts",
}

_AXIS: Final = "difference in sd of a neutral pair"


def report_of_comparison(found: Comparison, *, command: str = "", title: str = "") -> Report:
    """Collect all that the page of several embeddings or times says."""
    fit, pairs = found.main_fit, found.shared_pairs
    figure = ForestFigure(
        _IN_SDS.format(label=found.rule.label), tuple(map(_on_page, found.forests))
    )
    sections = (
        Section("contrasts", "What each says, and what differs", _details(found)),
        data_section(pairs, *_left_out(found)),
        diagnostics_section(fit),
        method_section(fit, found.main_rule),
        citation_section(fit),
        _reproduction(fit, command),
    )
    n = counted(len(pairs), "pair"), counted(len(found.scales), found.noun)
    what = f"{fit.spec.name} model, {' in each of '.join(n)}"
    title = title or _title(found)
    head, *others = found.answers
    said = (head, *filter(None, [found.subject]), *others)
    cautions = tuple(note for note in fit.notes if note not in fit.left_out)
    return Report(title, what, said, figure, sections, fit.left_out, cautions)


def _on_page(forest: Forest) -> Forest:
    """Return a forest with the region of its rows, where they have one, behind all of them."""
    ropes = {round(row.rope, 6) for row in forest.rows}
    region = (-max(ropes), max(ropes)) if len(ropes) == 1 and max(ropes) > 0 else None
    return replace(forest, region=region, axis=_AXIS)


def _title(found: Comparison) -> str:
    """Name a page by the word list and the conditions."""
    source = source_of(found.main_fit.frame)
    about = source.get("wordlist_title") or source.get("wordlist") or f"Several {found.noun}s"
    names = [quoted(name) if found.noun == "embedding" else name for name in found.scales]
    return f"{about} in {join_words(names)}"


def report_of_sweep(found: SweepResult, *, command: str = "", title: str = "") -> Report:
    """Collect all that the page of a sweep says."""
    rows = standardised(found.table[found.table["table"].isin(["list", "contrast"])])
    if rows.empty:
        raise FitError("no task of the sweep has a contrast; failures.csv gives the reasons")
    first = rows[rows["table"] == "contrast"]
    first = first.assign(
        task=[task_name(row) for row in first.to_dict("records")],
        wordlist=first["wordlist"].replace("", OF_FILES),
    )
    first = first[first["what"] == first["what"].iloc[0]].head(_MOST_DRAWN)
    label = label_of(first)
    forests = forests_in_sds(first, "task", "wordlist")
    failed = Table(found.failures, caption="Tasks without a result")
    n_failed = counted(len(found.failures), "task")
    sections = (
        Section("lists", "Between groups, list by list", _rows_of(rows, "list", label)),
        Section("contrasts", "Contrasts", _rows_of(rows, "contrast", label)),
        Section(
            "failures",
            "What failed",
            (Folded(f"{n_failed} failed, and why", failed) if n_failed[0] != "0" else "Nothing.",),
        ),
        Section(
            "reproduce",
            "How to reproduce it",
            (Code("The command that made it", command) if command else _SWEEP_AGAIN,),
        ),
    )
    what = f"{counted(found.n_results, 'task')} with results, {len(found.failures):,} failed"
    answers = tasks_sentences(found.table, found.failures)
    figure = ForestFigure(_IN_SDS.format(label=label), tuple(map(_on_page, forests)))
    return Report(title or "Sweep", what, tuple(answers), figure, sections)


FitOrComparison: TypeAlias = Fit | Comparison  # what a page of several lists is about


def report_of_lists(
    found: Mapping[str, FitOrComparison], rule: DecisionRule, *, command: str = "", title: str = ""
) -> Report:
    """Collect what the page of several says, such as of word lists; `rule`: of fits among them."""
    if not found:
        raise ArgumentError("a page of several needs at least one: {'gender': fit}")
    answers = {name: sentences_of(one, rule) for name, one in found.items()}
    tables = [_contrasts(name, one, rule) for name, one in found.items()]
    rows = pd.concat([table for table in tables if len(table)] or tables, ignore_index=True)
    forests = forests_in_sds(rows, "row", "contrast") if len(rows) else []
    label = label_of(rows) if len(rows) else ""
    sections = [
        Section(f"part-{number}", name, (*answers[name], *_tables(one, rule), *_missing(one)))
        for number, (name, one) in enumerate(found.items())
    ]
    fits = {name: _fit_of(one) for name, one in found.items()}
    sections += [_reproduction(next(iter(fits.values())), command)]
    notes = [f"{name}: {note}" for name, fit in fits.items() for note in fit.notes]
    return Report(
        title or f"{join_words(list(found))}",
        f"{len(found)} results on one page",
        tuple(f"{name}: {said[0]}" for name, said in answers.items() if said),
        ForestFigure(_IN_SDS.format(label=label), tuple(map(_on_page, forests))),
        tuple(sections),
        cautions=tuple(notes),
    )


def sentences_of(found: FitOrComparison, rule: DecisionRule) -> list[str]:
    """Return what a result says, in sentences; `rule`: of a fit."""
    if not isinstance(found, Fit):
        return found.answers
    if not found.contrast_levels:
        return [*answer_of_means(found.summary(rule=rule))]
    of_fit = found.rule(rule=rule)
    first, *others = found.answers(of_fit).findings
    screen = found.first_screen(of_fit)
    few = (
        first_screen.tell("only", screen.few) if screen.state == "undecided" and screen.few else ""
    )
    return [" ".join(filter(None, (first, screen.caution, few))), *others]


def _fit_of(found: FitOrComparison) -> Fit:
    if isinstance(found, Fit):
        return found
    return found.main_fit


def _contrasts(name: str, found: FitOrComparison, rule: DecisionRule) -> pd.DataFrame:
    """Return the contrasts of a result, each with what its row is called."""
    if isinstance(found, Fit):
        table = found.contrasts(rule=rule).table if can_compare(found.design) else pd.DataFrame()
    else:
        table = found.of_each
    under = table.get("under", pd.Series("", index=table.index))
    return table.assign(row=[f"{name}: {one}" if one else name for one in under])


def _tables(found: FitOrComparison, rule: DecisionRule) -> tuple[PagePart, ...]:
    if isinstance(found, Fit):
        levels = [by for by in ("list", "connection", "group") if by in found.contrast_levels]
        return tuple(
            p
            for by in levels
            for p in parts_of(found.contrasts(by, rule=rule).blocks, _CAPTION[by])
        )
    return _details(found)


def _details(found: Comparison) -> tuple[PagePart, ...]:
    """Show the tables behind the answers of a comparison, and what their chances are."""
    return (*captioned(found.details), *found.about_chance)


def _missing(found: FitOrComparison) -> tuple[PagePart, ...]:
    """Show the missing words, folded."""
    rows = missing_of(_fit_of(found).frame)
    if not rows:
        return ("No word of the list is missing.",) if rows is not None else ()
    table = Table(pd.DataFrame(rows))
    return (Folded(f"Missing words ({len(rows):,}), and why", table),)


def _rows_of(rows: pd.DataFrame, kind: str, label: str) -> tuple[PagePart, ...]:
    """Show the tasks' answers of a kind, in standard deviations."""
    part = rows[rows["table"] == kind]
    doubtful = np.where(part["trusted"].astype(bool), "", " (not to be trusted)")
    part = part.assign(verdict_label=part["verdict"] + doubtful)
    if part.empty:
        return ("No task has any.",)
    keys = [Column(name) for name in ("source", "step", "model") if part[name].astype(bool).any()]
    columns: Columns = [
        Column("wordlist", "list"),
        *keys,
        Column("what", "between groups" if kind == "list" else "contrast"),
        Column(STANDARDISED, f"in sd ({label})", "sds"),
        Column(("mean", "low", "high"), f"cosine distance ({label})", "signed"),
        *chance_columns(part),
        VERDICT,
    ]
    table = Table(part, columns, f"Every task, in sd of a neutral pair, {label}", sortable=True)
    return (*about_chance(part, of_lists=kind == "list"), table)


def captioned(blocks: Blocks) -> tuple[PagePart, ...]:
    """Return what a result shows as parts; a line that ends with a colon is a table's caption."""
    parts: list[PagePart] = []
    for block in blocks:
        if isinstance(block, Table):
            heads = bool(parts) and isinstance(parts[-1], str) and parts[-1].endswith(":")
            caption = str(parts.pop()).rstrip(":") if heads else block.caption
            parts.append(replace(block, columns=_joined(block.all_columns), caption=caption))
        elif block.strip():
            parts.append(block)
    return tuple(parts)


def _joined(columns: Sequence[Column]) -> list[Column]:
    """Return columns with a size in standard deviations and its interval as one, as in sentences.

    A terminal has them apart, so that they can be aligned.
    """
    found = list(columns)
    for place in range(len(found) - 1):
        if [*found[place].keys, *found[place + 1].keys] == [*STANDARDISED]:
            label = f"{found[place].head} ({found[place + 1].head})"
            found[place : place + 2] = [Column(STANDARDISED, label, "sds")]
            break
    return found


def _left_out(found: Comparison) -> tuple[PagePart, ...]:
    """Show the words that some lack, folded."""
    if found.unshared.empty:
        return (f"Every word is in all of the {found.noun}s.",)
    n = counted(len(found.unshared), "word")
    return (Folded(f"{n} not in all of the {found.noun}s, and left out", Table(found.unshared)),)


def _reproduction(fit: Fit, command: str) -> Section:
    """Give the command, the seed and the versions."""
    again = Code("The command that made it", command) if command else "Made from Python."
    known: Mapping[str, object] = {**fit.versions, "bayesbias": __version__}
    facts = [("model", f"{fit.spec.name} ({fit.spec.id})"), ("seed", str(fit.seed))]
    versions = [(name, str(version)) for name, version in known.items()]
    return Section("reproduce", "How to reproduce it", (again, DefinitionList((*facts, *versions))))
