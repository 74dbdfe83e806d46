"""What is seen first of a fit, in 20 lines of 80 columns: finding, answers, means, data, model.

Terminal, ``print(fit)`` and notebook show the same.
"""

from typing import TYPE_CHECKING, Final

import pandas as pd

from bayesbias.constants import GROUP, MATCH, PROTECTED_WORD, UNASSIGNED
from bayesbias.fits.decision import DecisionRule
from bayesbias.show.answer_table import answer_lines, first_rows, folded, screen_table, short_label
from bayesbias.show.narrator import (
    by_list,
    closer_to_everything,
    headline,
    percent,
    signed,
    yardstick,
)
from bayesbias.words.coverage import words_of
from bayesbias.words.provenance import names_of, source_of

if TYPE_CHECKING:
    from bayesbias.fits.fit_result import Fit

_OF_NOBODY: Final = " (lists of no group)"

_NAMED: Final = 6
"""Missing words of the user's that the first screen names; more are in `bb.missing_words`."""


def screen(fit: "Fit", rule: DecisionRule | None = None, *, full: bool = False) -> str:
    """Return the first screen of a fit as text; `full`: with every row and every word."""
    rule, has_groups = fit.rule(rule), fit.design.has_groups
    table = fit.contrasts(rule=rule)
    rows = table if full else first_rows(table)
    region = f"{rule.width:.2g}"
    parts = [" ".join(findings(fit, rule)), ""]
    parts += [] if has_groups else _means_of(fit, "group", rule)
    parts += [*answer_lines(rows, map(short_label, rows.itertuples()), rule.label, region), ""]
    parts += _connection_means(fit, rule) if has_groups else []
    parts += ["", *_means_of(fit, "word", rule)] if full else []
    parts += [_data(fit), _model(fit), *fit.notes]
    if len(table) > len(rows):
        parts.append(f"{len(table) - len(rows)} more rows: fit.contrasts(), or --full.")
    return "\n".join(line for part in parts for line in folded(part))


def findings(fit: "Fit", rule: DecisionRule) -> list[str]:
    """Return the headline, the yardstick, and what must be read with them."""
    if rule.scale == 0:
        return ["Every neutral pair has the same distance, so that nothing can be compared."]
    table, names = fit.contrasts(rule=rule), names_of(fit.frame)
    sentences = [headline(table, names, rule.label), yardstick_of(fit, table)]
    sentences += [by_list(table, names), closer_to_everything(table, names), *_slopes(fit, rule)]
    return [sentence for sentence in sentences if sentence]


def yardstick_of(fit: "Fit", table: pd.DataFrame) -> str:
    """Say how usual the leading contrast is."""
    return yardstick(table, has_covariates=bool(fit.spec.numbers))


def _slopes(fit: "Fit", rule: DecisionRule) -> list[str]:
    """Say how distances change with each covariate."""
    if not fit.spec.numbers:
        return []
    table = fit.summary("covariate", ci_prob=rule.ci_prob, ci_kind=rule.ci_kind)
    of = table["covariate"] + " (" + table["applies_to"] + ")"
    several = table["covariate"].duplicated(keep=False)
    names = of.where(several, table["covariate"])
    return [
        f"Per sd of {name} distances change by {signed(row.mean)} ({rule.label} {signed(row.low)} "
        f"to {signed(row.high)})."
        for name, row in zip(names, table.itertuples(), strict=True)
    ]


def _connection_means(fit: "Fit", rule: DecisionRule) -> list[str]:
    """Return the mean of every connection, two a line where four do not fit."""
    means = fit.summary("connection", ci_prob=rule.ci_prob, ci_kind=rule.ci_kind)
    parts = [
        f"{row.connection}{_OF_NOBODY * (row.connection == UNASSIGNED)} {row.mean:.3f} "
        f"[{row.low:.2f}, {row.high:.2f}]"
        for row in means.itertuples()
    ]
    what = "Mean change of distance" if fit.spec.response == "change" else "Mean cosine distance"
    lines = [f"{what} and {rule.label}:"]
    return lines + ["   ".join(parts[i : i + 2]) for i in range(0, len(parts), 2)]


def _means_of(fit: "Fit", by: str, rule: DecisionRule) -> list[str]:
    """Return the mean of every group, or word, and connection."""
    column, head, most = (GROUP, "", 16) if by == "group" else (PROTECTED_WORD, by, None)
    means = fit.summary(by, ci_prob=rule.ci_prob, ci_kind=rule.ci_kind)
    rows: list[tuple[str, ...]] = [(head, *fit.design.connections)]
    for name, part in means.groupby(column, sort=False):
        cells = {
            r.connection: f"{r.mean:.2f} [{r.low:.2f}, {r.high:.2f}]" for r in part.itertuples()
        }
        rows.append((str(name)[:most], *(cells.get(c, "–") for c in fit.design.connections)))
    return [f"Mean cosine distance and {rule.label} of each {by}:", *screen_table(rows), ""]


def _data(fit: "Fit") -> str:
    """Say how many words of the user's there are, and control words apart."""
    words, matched, texts = words_of(fit.frame), "", []
    is_lost = words["reason"] != ""
    if MATCH in fit.frame:
        sizes = fit.frame.drop_duplicates(PROTECTED_WORD).groupby(MATCH).size()
        n = int((sizes > 1).sum())
        matched = f" ({n} matched {'pairs' if (sizes <= 2).all() else 'sets'})" if n else ""
    for kind, more in (("protected words", matched), ("attributes", ""), ("controls", "")):
        of_kind = words["kind"] == kind
        n, absent = words["word"][of_kind & ~is_lost].nunique(), (of_kind & is_lost).sum()
        if n or kind != "controls":
            texts.append(f"{n} of {n + absent} {kind}{more}" if absent else f"{n} {kind}{more}")
    of_user = words["word"][is_lost & (words["kind"] != "controls")].unique()
    names = f" Missing: {', '.join(of_user)}." if 0 < len(of_user) <= _NAMED else ""
    source = source_of(fit.frame)
    wordlist = {"own": "your list"}.get(str(source.get("wordlist", "")), source.get("wordlist"))
    parts = wordlist, source.get("embedding") or source.get("file")
    where = " in ".join(filter(None, map(str, filter(None, parts))))
    return f"{where + ': ' if where else ''}{', '.join(texts)}.{names}"


def _model(fit: "Fit") -> str:
    """Say which model was fitted, how, and whether it can be relied on."""
    how, inside = "hierarchical, PyMC", percent(fit.predictions()["inside"].mean())
    draws = f"{fit.draws.sizes['chain']} chains of {fit.draws.sizes['draw']:,} draws"
    if fit.is_exact:
        draws = f"Pareto k {float(fit.sample_stats['pareto_k'].max()):.2f}".replace("-", "−")
        how += "; here in closed form"
    problems = f" {fit.diagnostics.sentence}" if fit.diagnostics.problems else ""
    return (
        f"Model {fit.spec.name} ({how}): {draws}, {inside} of pairs in the 89% interval that the "
        f"others predict.{problems}"
    )
