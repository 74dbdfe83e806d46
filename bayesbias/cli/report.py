"""The command ``report``, and what ``--report`` adds to others."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bayesbias as bb
from bayesbias.cli.command import Command
from bayesbias.cli.options import QUIET, flag, option
from bayesbias.cli.output import called, say
from bayesbias.errors import ArgumentError, FitError

_NAME = "report.html"


def run(arguments: argparse.Namespace) -> None:
    """Read what was written, and write the report of it."""
    from bayesbias.report import load_results
    from bayesbias.support.whole_files import check_file

    source = Path(arguments.results)
    if not source.exists():
        raise FitError(f"{source}: no such file or folder")
    beside = (source if source.is_dir() else source.parent) / _NAME
    out = beside if arguments.out is None else Path(arguments.out)
    check_file(out, overwrite=arguments.overwrite)
    found, manifest = load_results(source)
    more = {"command": manifest["command"], **_intervals(found, manifest["intervals"])}
    called(bb.write_report, arguments, found, out, **more)
    say(arguments, f"The report is in {out}")


COMMAND = Command(
    "report",
    "write one HTML page about a finished analysis or comparison",
    "bayesbias report out/religion",
    (
        option("results OUT_DIR_OR_FIT", "a folder that analyze or compare wrote, or a fit.nc"),
        option("--out FILE", "the file to write (default: report.html beside the fit)"),
        option("--title TEXT", "heading (default: the word list and the embedding)"),
        flag(
            "--no-comparison",
            "leave out the comparison of models, for which other models are fitted",
            dest="comparison",
            action="store_false",
        ),
        flag("--overwrite", "replace the file if it exists"),
        QUIET,
    ),
    run,
)


def report_adder(
    found: "bb.results.Fit | bb.results.Change",
    arguments: argparse.Namespace,
    placebo: "bb.results.Placebo | None" = None,
) -> Callable[[Path], None] | None:
    """Return what adds the report to a folder, if it is wanted."""
    if not arguments.report:
        return None
    names = ("prob", "interval", "rope")
    chosen = _intervals(found, {name: getattr(arguments, name) for name in names})
    options = {"command": arguments.command_line, "placebo": placebo, **chosen}
    return lambda place: bb.write_report(found, place / _NAME, **options)


def check_report(arguments: argparse.Namespace) -> None:
    """Refuse a report that has no folder to go to."""
    if arguments.report and arguments.out is None:
        raise ArgumentError("--report writes into the folder of the results; give --out DIR")


def _intervals(
    found: "bb.results.Fit | bb.results.Change", chosen: dict[str, Any]
) -> dict[str, Any]:
    """Return the intervals to ask for; a change has its own."""
    from bayesbias.studies.change import Change  # `results` would load all of them

    return {} if isinstance(found, Change) else chosen
