"""What is seen first of a fit, in 20 lines of 80 columns: finding, answers, means, data, model.

Terminal, ``print(fit)`` and notebook show the same.
"""

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CONNECTION,
    CONTROL_CONNECTIONS,
    GROUP,
    MATCH,
    PROTECTED_WORD,
)
from bayesbias.fits.decision import DecisionRule
from bayesbias.show.narrator import (
    Names,
    by_list,
    closer_to_everything,
    headline,
    numbers_of,
    percent,
    yardstick,
)
from bayesbias.words.provenance import missing_of, names_of

if TYPE_CHECKING:
    from bayesbias.fits.fit_result import Fit

WIDTH: Final = 80

_FIRST_LISTS: Final = 3
"""Rows by list on the first screen, the largest in sd."""

_NAMED: Final = 6
"""Missing words of the user's that the first screen names; more are in `bb.missing_words`."""


def screen(fit: "Fit", rule: DecisionRule | None = None, *, full: bool = False) -> str:
    """Return the first screen of a fit as text; `full`: with every row and every word."""
    rule = fit.rule(rule)
    table, names = fit.contrasts(rule=rule), names_of(fit.frame)
    parts = [" ".join(findings(fit, table, names, rule)), ""]
    if not fit.design.has_groups:
        parts += _means_of(fit, "group", rule, GROUP, "")
    lines, more = _answers(table, rule, full=full)
    parts += [*lines, ""]
    if fit.design.has_groups:
        parts += _connection_means(fit, rule)
    if full:
        parts += ["", *_means_of(fit, "word", rule, PROTECTED_WORD, "word")]
    parts += [_data(fit), _model(fit), *fit.notes]
    if more:
        parts.append(f"{more} more rows: fit.contrasts(), or --full.")
    return "\n".join(line for part in parts for line in folded(part))


def findings(fit: "Fit", table: pd.DataFrame, names: Names, rule: DecisionRule) -> list[str]:
    """Return the headline, the yardstick, and what must be read with them."""
    if rule.scale == 0:
        return ["Every neutral pair has the same distance, so that nothing can be compared."]
    sentences = [headline(table, names, rule.label), yardstick(table)]
    sentences += [by_list(table, names), closer_to_everything(table, names)]
    return [sentence for sentence in sentences if sentence]


def folded(line: str) -> list[str]:
    """Return a line of prose in lines that fit; tables are left as they are."""
    if len(line) <= WIDTH or "  " in line.strip():
        return [line]
    return textwrap.wrap(line, WIDTH)


def _answers(table: pd.DataFrame, rule: DecisionRule, *, full: bool) -> tuple[list[str], int]:
    """Return the table of answers, and how many rows are left out of it."""
    rows = table if full else first_rows(table)
    content = [("", "observed", "mean", rule.label, "in sd", "verdict")]
    for row in rows.itertuples():
        observed, mean, ends, sds = numbers_of(row)
        verdict = row.verdict.replace(", size undecided", "*")
        content.append((_label(row), observed, mean, ends or "withheld", sds, verdict))
    lines = aligned(content)
    if any(cells[-1].endswith("*") for cells in content):
        where = f"the interval meets ±{rule.width:.2g}, where differences do not matter"
        lines.append(f"* size undecided: {where}")
    return lines, len(table) - len(rows)


def first_rows(table: pd.DataFrame) -> pd.DataFrame:
    """Return over all, two controls and three rows by list, the largest in sd first."""
    over_all = table[table["level"] == "over all"]
    controls = table[table["level"] == "controls"][:2]
    lists = table[table["level"] == "list"]
    largest = lists["standardised"].abs().sort_values(ascending=False, kind="stable").index
    # What leads is shown, also where all before it is withheld.
    leads = table[table["withheld"].eq("") & table["level"].isin(("over all", "list"))]
    groups = table[table["level"] == "group"] if leads.empty else table[:0]
    return pd.concat([over_all, groups, controls, lists.loc[largest[:_FIRST_LISTS]]])


def _label(row: Any) -> str:
    """Name a row in at most 30 letters."""
    text = row.contrast
    if row.level == "list":
        other = row.other if ", " not in row.other else "others"
        group = row.group if ", " not in row.group else "owners"
        text = f"{row.list}: {group} − {other}".replace("_", " ")
    elif row.level in ("group", "word"):
        text = f"{row.word or row.group}: {row.contrast}"
    return text if len(text) <= 30 else f"{text[:29]}…"


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows of texts as lines: first and last column to the left, numbers to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    last = len(widths) - 1
    gap = "  " if sum(widths) + 2 * last <= WIDTH else " "
    return [
        gap.join(
            cell.ljust(width) if i in (0, last) else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _connection_means(fit: "Fit", rule: DecisionRule) -> list[str]:
    """Return the mean of every connection, two a line where four do not fit."""
    means = fit.summary("connection", ci_prob=rule.ci_prob, ci_kind=rule.ci_kind)
    parts = [
        f"{row.connection} {row.mean:.3f} [{row.low:.2f}, {row.high:.2f}]"
        for row in means.itertuples()
    ]
    what = "Mean change of distance" if fit.spec.response == "change" else "Mean cosine distance"
    lines = [f"{what} and {rule.label}:"]
    return lines + ["   ".join(parts[i : i + 2]) for i in range(0, len(parts), 2)]


def _means_of(fit: "Fit", by: str, rule: DecisionRule, column: str, head: str) -> list[str]:
    """Return the mean of every group, or word, and connection."""
    means = fit.summary(by, ci_prob=rule.ci_prob, ci_kind=rule.ci_kind)
    rows: list[tuple[str, ...]] = [(head, *fit.design.connections)]
    for name, part in means.groupby(column, sort=False):
        cells = {
            r.connection: f"{r.mean:.2f} [{r.low:.2f}, {r.high:.2f}]" for r in part.itertuples()
        }
        label = str(name)[:16] if by == "group" else str(name)
        rows.append((label, *(cells.get(c, "–") for c in fit.design.connections)))
    return [f"Mean cosine distance and {rule.label} of each {by}:", *aligned(rows), ""]


def _data(fit: "Fit") -> str:
    """Say how many words of the user's there are, and control words apart."""
    frame = fit.frame
    control = frame[CONNECTION].isin(CONTROL_CONNECTIONS)
    n_controls = frame.loc[control, ATTRIBUTE].nunique()
    missing = pd.DataFrame(missing_of(frame) or (), columns=["word", "role", "list", "reason"])
    controls = set(frame.loc[control, ATTRIBUTE_SET]) | {"human", "neutral"}
    of_attributes = missing[missing["role"] == "attribute"]
    lost_controls = int(of_attributes["list"].isin(controls).sum())
    lost = int((missing["role"] == "protected").sum()), len(of_attributes) - lost_controls
    of_user = missing.loc[~missing["list"].isin(controls), "word"].unique()
    names = f" Missing: {', '.join(of_user)}." if 0 < len(of_user) <= _NAMED else ""
    matched = ""
    if MATCH in frame:
        sizes = frame.drop_duplicates(PROTECTED_WORD).groupby(MATCH).size()
        n = int((sizes > 1).sum())
        matched = f" ({n} matched {'pairs' if (sizes <= 2).all() else 'sets'})" if n else ""
    parts = [
        (frame[PROTECTED_WORD].nunique(), lost[0], f"protected words{matched}"),
        (frame.loc[~control, ATTRIBUTE].nunique(), lost[1], "attributes"),
        *([(n_controls, lost_controls, "controls")] if n_controls else []),
    ]
    texts = [
        f"{n} of {n + absent} {what}" if absent else f"{n} {what}" for n, absent, what in parts
    ]
    return f"{', '.join(texts)}.{names}"


def _model(fit: "Fit") -> str:
    """Say which model was fitted, how, and whether it can be relied on."""
    how = "hierarchical, PyMC"
    coverage = fit.coverage()
    inside = coverage.loc[coverage["prob"] == coverage["prob"].max(), "inside"].iloc[0]
    if fit.is_exact:
        k = float(fit.sample_stats["pareto_k"].max())
        draws = f"Pareto k {k:.2f}".replace("-", "−")
        how += "; here in closed form"
    else:
        draws = f"{fit.draws.sizes['chain']} chains of {fit.draws.sizes['draw']:,} draws"
    problems = f" {fit.diagnostics.sentence}" if fit.diagnostics.problems else ""
    left_out = "the 89% interval that the others predict"
    where = left_out if fit.spec.is_gaussian else "their 89% interval"
    return (
        f"Model {fit.spec.name} ({how}): {draws}, {percent(float(inside))} of pairs in {where}."
        f"{problems}"
    )
