"""Writes a report to a file, whole or not at all."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from bayesbias.constants import HDPI_PROB
from bayesbias.errors import ArgumentError
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.placebo import Placebo
from bayesbias.inference.decision import DecisionRule
from bayesbias.report.analysis import report_of_fit
from bayesbias.report.before_after import report_of_change
from bayesbias.report.page_parts import Report
from bayesbias.report.render import render
from bayesbias.report.several import (
    FitOrComparison,
    report_of_comparison,
    report_of_lists,
    report_of_sweep,
)
from bayesbias.studies.change import Change
from bayesbias.studies.comparison import Comparison
from bayesbias.studies.held_out import HeldOut
from bayesbias.studies.sweep_result import SweepResult
from bayesbias.support.whole_files import check_file, new_file

_OTHERS: Final[dict[type, Callable[..., Report]]] = {
    Change: report_of_change,
    Comparison: report_of_comparison,
    SweepResult: report_of_sweep,
}
"""What has a page of its own, beside a fit."""


def write_report(
    source: FitOrComparison | SweepResult | Mapping[str, FitOrComparison],
    path: str | Path,
    *,
    prob: float | None = None,
    interval: str | None = None,
    rope: float | None = None,
    rule: DecisionRule | None = None,
    command: str = "",
    title: str = "",
    placebo: Placebo | None = None,
    held_out: HeldOut | None = None,
    overwrite: bool = False,
) -> None:
    """Write a report of a fit, a change or a comparison as one HTML file that needs only itself.

    Parameters
    ----------
    source : Fit, Change, comparison, SweepResult or mapping
        From `fit`, `load_fit`, `compare_change`, `compare_embeddings`, `over_time` or `run_sweep`;
        or from names, such as of word lists, to several of them, for one page of all.
    path : str or Path
        The file to write.
    prob, interval, rope, rule
        As for `Fit.contrasts`, with its defaults; changes and comparisons have their own.
    command : str
        The command line to show.
    title : str
        The heading; by default the finding of a fit, else the word list and the embedding.
    placebo : Placebo, optional
        From `Fit.placebo`, for a section of its own.
    held_out : HeldOut, optional
        From `compare_held_out`, of a change by debiasing: what it did to words that the method
        did not use, said first.
    overwrite : bool
        Replace the file if it exists.

    Raises
    ------
    ArgumentError
        If `source` is none of them, or options of a fit are given for another.
    FitError
        If the fit is of changes, whose report needs the `Change`.
    OutputError
        If the file exists or cannot be written; nothing half-written is left behind.

    Examples
    --------
    >>> import bayesbias as bb
    >>> frame = bb.distances(bb.example_embedding(), bb.load_wordlist("gender"))
    >>> bb.write_report(bb.fit(frame, seed=1), "report.html", rope=0.02)  # doctest: +SKIP
    """
    check_file(path, overwrite=overwrite)
    options: dict[str, Any] = {"command": command, "title": title}
    make = next((make for kind, make in _OTHERS.items() if isinstance(source, kind)), None)
    if make is not None:
        if (prob, interval, rope, rule, placebo) != (None,) * 5:
            raise ArgumentError(
                "a change or a comparison has its own rope, prob and interval (give them, or a "
                "rule, to compare_change, compare_embeddings or over_time) and no placebo lists"
            )
        if held_out is not None:
            if not isinstance(source, Change):
                raise ArgumentError("held_out= is for a change by debiasing; leave it out")
            options["held_out"] = held_out
        report = make(source, **options)
    elif isinstance(source, Mapping):
        asked = DecisionRule.of(rule, rope, HDPI_PROB if prob is None else prob, interval or "hpdi")
        report = report_of_lists(source, asked, **options)
    elif isinstance(source, Fit):
        chosen_prob = HDPI_PROB if prob is None else prob
        chosen = source.rule(rope=rope, prob=chosen_prob, interval=interval or "hpdi", rule=rule)
        report = report_of_fit(source, chosen, placebo=placebo, **options)
    else:
        raise ArgumentError(
            f"a report needs a Fit, a Change, a comparison or a mapping of names to them, not "
            f"{type(source).__name__}; "
            f"load_fit reads a saved fit"
        )
    with new_file(path) as temporary:
        temporary.write_text(render(report), encoding="utf-8", newline="\n")
