"""What goes into the report of a fit."""

from typing import Any

import pandas as pd

from bayesbias.constants import CONNECTION, DISTANCE, GROUP, INNER_PROB, PROTECTED_WORD
from bayesbias.errors import FitError
from bayesbias.fits.contrasts import Contrasts, can_compare
from bayesbias.fits.fit_result import Fit
from bayesbias.pairs.provenance import source_of
from bayesbias.report.answer import (
    answer_of_checks,
    answer_of_contrasts,
    answer_of_means,
    caution_of_comparison,
)
from bayesbias.report.forests import (
    decision_forests,
    group_decisions,
    group_forest,
    word_forest,
)
from bayesbias.report.numbers import measures_section
from bayesbias.report.parts import Column, Explorer, Figure, Report, Section, Text
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
from bayesbias.report.tabling import DECISIONS, WORD, means_table, table, words_table
from bayesbias.support.text_tables import interval_label

_DIFFERENCE = "difference of mean cosine distance"


def report_of_fit(
    fit: Fit,
    *,
    prob: float,
    interval: str,
    rope: float,
    command: str = "",
    comparison: bool = True,
    title: str = "",
) -> Report:
    """Collect everything that the report of a fit says.

    Parameters
    ----------
    fit : Fit
        Of a model of distances.
    prob, interval, rope
        As for `Fit.contrasts`.
    command : str
        The command line to show.
    comparison : bool
        Whether to compare models, which fits others to the same pairs.
    title : str
        By default the word list and the embedding.

    Returns
    -------
    Report

    Raises
    ------
    FitError
        If the fit is of changes of distances, whose report needs the pairs before and after.
    """
    if fit.spec.response != DISTANCE:
        raise FitError(
            "this fit is of changes of distances, and its report needs the distances before and "
            "after; give the Change, or the folder that 'bayesbias compare --out' wrote"
        )
    chosen: dict[str, Any] = {"prob": prob, "interval": interval}
    pairs = fit.pairs
    groups, words = fit.group_summary(**chosen), fit.word_summary(**chosen)
    coverage = fit.coverage(probs=tuple({prob: 0, INNER_PROB: 0}), interval=interval)
    contrasts = fit.contrasts(rope=rope, **chosen) if can_compare(fit.design) else None
    models = compared(fit) if comparison else None
    better = caution_of_comparison(models, fit.spec.name)
    checks = answer_of_checks(fit.diagnostics, coverage, prob)
    means = group_forest(groups, "Mean cosine distance")
    forests, found = [means], answer_of_means(groups)
    if contrasts is not None:
        forests.append(group_decisions(contrasts.groups, "contrast", "Contrasts", _DIFFERENCE))
        found = answer_of_contrasts(contrasts)
    return Report(
        title or _title(source_of(pairs)),
        f"{fit.spec.name} model, {len(pairs):,} pairs, fit {fit.id}, {fit.created[:10]}",
        (*found, checks),
        Figure(_caption(contrasts, prob, interval), tuple(forests)),
        (
            data_section(pairs),
            _groups_section(fit, groups, chosen),
            _words_section(words, pairs),
            _contrasts_section(contrasts),
            predictive_section(fit, coverage, **chosen),
            diagnostics_section(fit),
            measures_section(pairs, fit.seed),
            comparison_section(fit, models, asked=comparison),
            method_section(fit, contrasts.caption if contrasts else "", interval),
            citation_section(fit, measures=True),
            reproduction_section(fit, command),
        ),
        (comparison and fit.caution) or better,
    )


def _title(source: dict[str, Any]) -> str:
    """Name a report by its word list and embedding, or by its file of distances."""
    if "wordlist" in source:
        where = f" in {source['embedding']}" if "embedding" in source else ""
        return f"Word list {source['wordlist']}{where}"
    return str(source.get("file", "Associations in a word embedding"))


def _caption(contrasts: Contrasts | None, prob: float, interval: str) -> str:
    label = interval_label(prob, interval)
    if contrasts is None:
        return f"Mean cosine distance per connection, with its {label}."
    return (
        f"Mean cosine distance per connection, and what differs, with {label}. Grey: differences "
        f"of up to {contrasts.rope:g}, which count as practically none."
    )


def _groups_section(fit: Fit, groups: pd.DataFrame, chosen: dict[str, Any]) -> Section:
    label = interval_label(**chosen)
    first = Column(CONNECTION, "connection"), Column("n_pairs", "pairs", "count")
    spread = fit.spread_summary(**chosen)
    names = Column("parameter", "parameter"), Column("of", "of")
    return Section(
        "groups",
        "Groups",
        (
            Text(f"Low and high bound the {label}."),
            means_table(groups, f"Mean cosine distance per connection, {label}", *first),
            means_table(spread, f"Standard deviations, {label}", *names),
        ),
    )


def _words_section(words: pd.DataFrame, pairs: pd.DataFrame) -> Section:
    label = interval_label(words["prob"].iloc[0], words["interval"].iloc[0])
    groups = groups_by_word(pairs)
    words = words.assign(group=words[PROTECTED_WORD].map(groups))
    return Section(
        "words",
        "Protected words",
        (
            Explorer(
                Figure(
                    f"Mean cosine distance of every protected word, {label}. A hollow marker is a "
                    f"word without pairs of its own: what the other words suggest.",
                    (word_forest(words, "Mean cosine distance per protected word", groups),),
                ),
                words_table(words, f"Mean cosine distance per protected word, {label}"),
                tuple(groups),
                tuple(dict.fromkeys(words[CONNECTION])),
            ),
        ),
    )


def groups_by_word(pairs: pd.DataFrame) -> dict[str, str]:
    """Return the group of every protected word; one of several groups names them all."""
    return {
        str(word): ", ".join(dict.fromkeys(map(str, part)))
        for word, part in pairs.groupby(PROTECTED_WORD, sort=False)[GROUP]
    }


def _contrasts_section(contrasts: Contrasts | None) -> Section:
    if contrasts is None:
        said = "There are no two connections that are compared."
        return Section("contrasts", "Contrasts", (Text(said),))
    label = interval_label(contrasts.prob, contrasts.interval)
    name = Column("contrast", "contrast")
    return Section(
        "contrasts",
        "Contrasts",
        (
            Text(f"A difference below 0 says that the first connection is closer. "
                 f"{contrasts.caption}"),
            table(contrasts.groups, f"Contrasts of the group means, {label}", [name, *DECISIONS]),
            Figure("Contrasts of the group means and of every protected word; grey: ROPE.",
                   decision_forests(contrasts.groups, contrasts.words, "contrast", "difference")),
            table(contrasts.words, f"Contrasts of every protected word, {label}",
                  [WORD, name, *DECISIONS], sortable=True),
        ),
    )  # fmt: skip
