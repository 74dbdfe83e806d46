"""The pages of comparisons, of sweeps and of rules."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from bayesbias.comparison.output import leading, leads_of, notes_of
from bayesbias.fits import output
from bayesbias.fits.checks import COLUMNS, Check, checked
from bayesbias.fits.contrasts import OWN
from bayesbias.show import page as show
from bayesbias.show.answer_table import answer_table, in_sds, row_label
from bayesbias.show.narrator import joined, signed
from bayesbias.support.compatibility import versions
from bayesbias.words.keys import distance_key
from bayesbias.words.provenance import source_of, title_of

if TYPE_CHECKING:
    from bayesbias.comparison.comparing import Comparison
    from bayesbias.comparison.rules import RuleResults
    from bayesbias.comparison.sweep import SweepResult

TASK: Final = ["vectors", "wordlist", "model"]  # columns that name a task of a sweep
_MOST: Final = 12  # rows of the first screen's table

_LOOKS: Final = {
    **{"error": ("warn", "✖"), "fail": ("c0", "▲")},
    **{"undecided": ("undecided", "○"), "pass": ("c2", "●")},
}
"""Colour and mark of a rule's outcome, the worst first."""


def comparison_page(comparison: "Comparison", command: str | None) -> show.Page:
    """Return a comparison as a page."""
    first, lead = next(iter(comparison.levels.values())), leading(comparison)
    rule, in_sd = comparison.rule, comparison.compares_sds
    source = {key: name for key, name in source_of(first.frame).items() if key != "embedding"}
    first_rows = answer_table(lead, lead["condition"], rule.label, compares_sds=in_sd)
    notes = filter(None, [first_rows["note"], *notes_of(comparison, lead)])
    seeds = {n: f"seed {fit.seed}, {fit.pairs_sha256}" for n, fit in comparison.levels.items()}
    reproduce = {"Conditions": _lines(seeds), "Versions": _lines(first.versions)}
    tables = [("contrasts", "All answers", comparison.contrasts)]
    if comparison.in_sample is not None:
        tables.append(("in_sample", "Of your list", comparison.in_sample.contrasts))
    tables.append(("means", "Mean distances", output.means_of(comparison.levels, rule)))
    return show.Page(
        subject=f"{title_of(source)}: {joined([*comparison.levels])}",
        sentences=comparison.sentences,
        figure=show.in_both_widths(
            lambda width: comparison.plot(figsize=width, title=""), comparison.sentences[0]
        ),
        answers={**first_rows, "note": " ".join(notes)},
        charts=[*_charts(comparison)],
        checks=checks_of(comparison),
        method=[
            output.methods_of(comparison.levels, rule),
            output.verdict_sentence(rule),
            "Levels are each condition's own analysis. For differences the weighted sum of "
            "distances is modelled as distances are.",
        ],
        reproduce={"Command": command, **reproduce},
        details=[show.full_table(*table) for table in tables],
        **output.page_of_any(first),
    )


def _charts(comparison: "Comparison") -> Iterator[show.Chart]:
    """Yield contrasts by list and by word, with a mark for each condition."""
    table, in_sd = comparison.contrasts, comparison.compares_sds
    table = table[~table["is_difference"] & (table["withheld"] == "")]
    table, unit = (in_sds(table), ", in sd") if in_sd else (table, "")
    lists, words = (table[table["level"] == level] for level in ("list", "word"))
    note = f"Lines: {comparison.rule.label}. "
    if len(lists):
        rows = lists.assign(label=[*map(row_label, lists.itertuples())], group="")
        yield show.condition_chart("by-list", f"Attribute lists{unit}", rows, "list", note)
    if len(words):
        rows, title = words.assign(label=words["word"]), f"Protected words: {OWN}{unit}"
        yield show.condition_chart("by-word", title, rows, "word", note + show.OF_WORDS)


def checks_of(comparison: "Comparison") -> pd.DataFrame:
    """Return whether draws behind the finding can be trusted, and the vectors."""
    fits = {**comparison.levels, **comparison.differences}
    diagnostics = {f"computation, {name}": fit.diagnostics for name, fit in fits.items()}
    rows = [(name, of.sentence, "; ".join(of.problems)) for name, of in diagnostics.items()]
    if comparison.pairs is not None:
        every = pd.concat([fit.frame for fit in comparison.levels.values()])
        counts = [of[distance_key()].nunique() for of in (comparison.pairs.frame, every)]
        words, attributes = (f"{n} of {of}" for n, of in zip(*counts, strict=True))
        what = f"{words} protected words and {attributes} attributes are in all conditions"
        rows.append(("same words", what, ""))
    if comparison.agreement is not None:
        is_one = comparison.is_one_training
        what = "one training" if is_one else "different trainings"
        what += f": coordinates of the vectors correlate by {comparison.agreement:.2f}"
        advice = "" if is_one or not comparison.used else "is this the file that was debiased?"
        rows.append(("training", what, advice))
    if comparison.used:
        n = len(comparison.used)
        what = f"the method used {n} words: for its direction, as equal ones, or by name"
        advice = "" if comparison.in_sample is not None else "give test=, a list of other words"
        rows.append(("words that debiasing used", what, advice))
    return checked(rows)


def sweep_page(result: "SweepResult", command: str | None) -> show.Page:
    """Return a sweep as a page: the atlas, what leads in every task, and what became of tasks."""
    tasks, table, label = result.tasks, result.table, result.rule.label
    sides = {"files": tasks["vectors"].unique(), "lists": tasks["wordlist"].unique()}
    subjects = [joined(n) if len(n) <= 3 else f"{len(n)} {what}" for what, n in sides.items()]
    lead = leads_of(table, TASK)
    model = ", " + lead["model"] if len(set(tasks["model"])) > 1 else ""
    label = lead["wordlist"] + model + [f": {row_label(row)}" for row in lead.itertuples()]
    lead = lead.assign(label=label, condition=lead["vectors"], group="", list="")
    largest = lead.loc[lead["standardised"].abs().sort_values(ascending=False).index[:_MOST]]
    names = [f"{r.label}, {r.vectors}" for r in largest.itertuples()]
    more = f"The table has the {_MOST} of {len(lead)} that are largest in sd."
    title = "Word lists: what leads, in sd"
    charts = []
    if len(lead):
        charts.append(show.condition_chart("by-list", title, in_sds(lead), "word list"))
    return show.Page(
        subject=" × ".join(subjects),
        sentences=[*result.sentences, *([more] if len(lead) > _MOST else [])],
        figure=show.in_both_widths(
            lambda width: result.plot(figsize=width, title=""), result.sentences[0]
        ),
        answers=answer_table(largest, names, label),
        heading="Word lists and vectors",
        charts=charts,
        checks=checked(_checks_of_tasks(result)),
        method=[
            f"Every task is an analysis of its own, with the digits of bayesbias.analyze. Closer "
            f"or farther: the {label} excludes 0. Nothing is corrected for the number of tasks."
        ],
        details=[
            show.full_table("contrasts", "All answers", table),
            show.full_table("tasks", "Tasks", tasks),
        ],
        **_end(command),
    )


def _checks_of_tasks(result: "SweepResult") -> Iterator[Check]:
    """Yield whether tasks were done, and whether their draws can be trusted."""
    for status, advice in (("failed", "run the sweep again"), ("not applicable", "")):
        rows = result.tasks[result.tasks["status"] == status].itertuples()
        what = "; ".join(f"{r.vectors}, {r.wordlist}: {r.reason}" for r in rows)
        yield f"tasks {status}", what or "none", advice if what else ""
    doubtful = result.table[~result.table["trusted"].astype(bool)].drop_duplicates(TASK)
    texts = [f"{r.vectors}, {r.wordlist}: Pareto k {r.pareto_k:.2f}" for r in doubtful.itertuples()]
    advice = "run analyze for these with engine='nuts' (--engine)" if texts else ""
    yield "computation", "; ".join(texts) or "all draws can be trusted", advice


def rules_page(result: "RuleResults", command: str | None) -> show.Page:
    """Return outcomes of rules as a page: those that do not pass first, intervals in bounds."""
    of, contrast = result.table["of"], result.table["contrast"]
    named = contrast.where((contrast != OWN) | (of == ""), "")
    table = result.table.assign(label=(of + ", " + named).str.strip(", "))
    order = {name: i for i, name in enumerate(_LOOKS)}
    worst = table.sort_values("outcome", key=lambda names: names.map(order), kind="stable")
    shown = [_answer_of(row) for row in worst[:_MOST].itertuples()]
    rows = [(r.rule, "warn", r.reason, "") for r in worst[worst["reason"] != ""].itertuples()]
    rows = rows or [("rules", "pass", "every rule could be asked", "")]
    charts = table.dropna(subset="mean").groupby(["rule", "unit"], sort=False)
    more = f"The table has {_MOST} of {len(table)} outcomes, those that do not pass first."
    return show.Page(
        subject="Rules for contrasts",
        sentences=[result.sentences[0], *([more] if len(table) > _MOST else [])],
        answers={"heads": ["bounds", "mean", "interval"], "note": "", "rows": shown},
        heading="Contrasts and bounds",
        charts=[_chart_of(i, part) for i, (_, part) in enumerate(charts)],
        checks=pd.DataFrame(rows, columns=list(COLUMNS)),
        method=[
            "A rule passes if the interval lies within its bounds, fails if it lies outside, and "
            "is undecided otherwise, which does not pass. Nothing is corrected for their number."
        ],
        details=[show.full_table("rules", "All outcomes", result.table)],
        **_end(command),
    )


def bounds_text(row: Any) -> str:
    """Write the bounds of a rule."""
    bounds = {"at least": row.at_least, "at most": row.at_most}
    texts = (f"{name} {x:+g}".replace("-", "−") for name, x in bounds.items() if np.isfinite(x))
    return ", ".join(texts) + " sd" * (row.unit == "sd")


def _answer_of(row: Any) -> dict[str, Any]:
    """Return a rule's outcome as a row of the first screen's table."""
    (look, glyph), unit = _LOOKS[row.outcome], " sd" * (row.unit == "sd")
    cells = [bounds_text(row), "", ""]
    if np.isfinite(row.mean):
        cells[1:] = f"{signed(row.mean)}{unit}", f"{signed(row.low)} to {signed(row.high)}{unit}"
    verdict = f"{row.outcome}: {row.reason}".removesuffix(": ")
    name = f"{row.rule}: {row.label}".removesuffix(": ")
    return {"name": name, "look": look, "glyph": glyph, "verdict": verdict, "cells": cells}


def _chart_of(number: int, table: pd.DataFrame) -> show.Chart:
    """Return the intervals of a rule's contrasts beside its bounds."""
    rule, unit = table[["rule", "unit"]].iloc[0]
    bounds = [x for x in table[["at_least", "at_most"]].iloc[0] if np.isfinite(x)]
    axis = show.axis_of([*table[["low", "high"]].to_numpy().ravel(), *bounds], zero=True)
    lines = [{"at": show.place(axis, x), "look": "quiet", "glyph": "│"} for x in bounds]
    rows = [
        {
            **{"word": row.label, "id": f"{number} {row.label}", "list": "", "group": ""},
            "marks": [*lines, show.mark(axis, row, *_LOOKS[row.outcome])],
            "text": row.outcome,
            "tip": f"{row.label}: {show.contrast_text(row)}, {row.outcome}",
        }
        for row in table.itertuples()
    ]
    _, *looks = ((*look, name) for name, look in _LOOKS.items())
    legend = [("quiet", "│", "bound"), *looks]
    what = "" if unit == "sd" else " in cosine distance"
    title = f"{rule}: {bounds_text(table.iloc[0])}{what}"
    return show.Chart(f"rule-{number}", title, axis, rows, legend, ("contrast", "outcome"))


def _end(command: str | None) -> dict[str, Any]:
    """Return what the pages of sweeps and of rules end with."""
    numbers = versions()
    foot = f"Made by bayesbias {numbers['bayesbias']} on {date.today()}."
    reproduce = {"Command": command, "Versions": _lines(numbers)}
    return {"cite": output.citations(), "reproduce": reproduce, "foot": foot}


def _lines(texts: Mapping[str, str]) -> str:
    """Write texts by their names, one a line."""
    return "\n".join(f"{name}: {text}" for name, text in texts.items())
