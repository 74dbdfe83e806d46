"""Writes a report to a file, whole or not at all."""

from pathlib import Path

from bayesbias.constants import HDPI_PROB, ROPE
from bayesbias.errors import ArgumentError
from bayesbias.fits.fit_result import Fit
from bayesbias.inference.intervals import check_rope, interval_of
from bayesbias.report.analysis import report_of_fit
from bayesbias.report.before_after import report_of_change
from bayesbias.report.render import render
from bayesbias.studies.change import Change
from bayesbias.support.whole_files import check_file, new_file


def write_report(
    fit_or_change: Fit | Change,
    path: str | Path,
    *,
    prob: float | None = None,
    interval: str | None = None,
    rope: float | None = None,
    command: str = "",
    comparison: bool = True,
    title: str = "",
    overwrite: bool = False,
) -> None:
    """Write a report of a fit or a change as one HTML file that needs nothing but itself.

    Parameters
    ----------
    fit_or_change : Fit or Change
        From `fit`, `load_fit` or `compare_change`.
    path : str or Path
        The file to write.
    prob, interval, rope
        As for `Fit.contrasts`, with its defaults; a change has its own already.
    command : str
        The command line to show.
    comparison : bool
        Compare the model with the standard ones, which takes a second or two; only for models
        with a normal likelihood.
    title : str
        By default the word list and the embedding.
    overwrite : bool
        Replace the file if it is there.

    Raises
    ------
    ArgumentError
        If `fit_or_change` is neither, or intervals are given for a change.
    FitError
        If the fit is of changes, whose report needs the `Change`.
    OutputError
        If the file is there already or cannot be written; nothing half-written is left behind.

    Examples
    --------
    >>> import bayesbias as bb
    >>> bb.write_report(fit, "report.html", rope=0.02)  # doctest: +SKIP
    """
    check_file(path, overwrite=overwrite)
    if isinstance(fit_or_change, Change):
        if (prob, interval, rope) != (None, None, None):
            raise ArgumentError(
                "a change has its own prob, interval and rope; give them to compare_change"
            )
        report = report_of_change(
            fit_or_change, command=command, comparison=comparison, title=title
        )
    elif isinstance(fit_or_change, Fit):
        chosen_prob = HDPI_PROB if prob is None else prob
        chosen_rope = ROPE if rope is None else rope
        interval_of([0.0, 1.0], chosen_prob, interval or "hpdi")
        check_rope(chosen_rope)
        report = report_of_fit(
            fit_or_change, prob=chosen_prob, interval=interval or "hpdi", rope=chosen_rope,
            command=command, comparison=comparison, title=title,
        )  # fmt: skip
    else:
        raise ArgumentError(
            f"a report needs a Fit or a Change, not {type(fit_or_change).__name__}; a saved one is "
            f"read by load_fit"
        )
    with new_file(path) as temporary:
        temporary.write_text(render(report), encoding="utf-8", newline="\n")
