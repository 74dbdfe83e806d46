"""The command ``report``, and what ``--report`` adds to others."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bayesbias.cli.inputs import say
from bayesbias.errors import ArgumentError, FitError
from bayesbias.fits.fit_result import Fit
from bayesbias.report import load_results, write_report
from bayesbias.studies.change import Change
from bayesbias.support.whole_files import check_file

_NAME = "report.html"


def run_report(arguments: argparse.Namespace, given: list[str]) -> None:
    """Read what was written, and write the report of it."""
    source = Path(arguments.results)
    if not source.exists():
        raise FitError(f"{source}: no such file or folder")
    beside = (source if source.is_dir() else source.parent) / _NAME
    out = beside if arguments.out is None else Path(arguments.out)
    check_file(out, overwrite=arguments.overwrite)
    found, manifest = load_results(source)
    write_report(
        found, out, command=manifest["command"], comparison=arguments.comparison,
        title=arguments.title, overwrite=arguments.overwrite,
        **_intervals(found, manifest["intervals"]),
    )  # fmt: skip
    say(arguments, f"The report is in {out}")


def report_adder(
    found: Fit | Change, arguments: argparse.Namespace, command: str
) -> Callable[[Path], None] | None:
    """Return what adds the report to a folder, if the arguments ask for it."""
    if not arguments.report:
        return None
    names = ("prob", "interval", "rope")
    chosen = _intervals(found, {name: getattr(arguments, name) for name in names})
    return lambda place: write_report(found, place / _NAME, command=command, **chosen)


def check_report(arguments: argparse.Namespace) -> None:
    """Refuse a report that has no folder to go to."""
    if arguments.report and arguments.out is None:
        raise ArgumentError("--report writes into the folder of the results; give --out DIR")


def _intervals(found: Fit | Change, chosen: dict[str, Any]) -> dict[str, Any]:
    """Return the intervals to ask for; a change has its own."""
    return {} if isinstance(found, Change) else chosen
