"""The command ``report``, and what ``--report`` adds to others."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayesbias.cli.command import Command, Option
from bayesbias.cli.options import QUIET, flag, option
from bayesbias.cli.output import asked_of, say
from bayesbias.errors import ArgumentError, FitError

if TYPE_CHECKING:
    from bayesbias.fits.fit_result import Fit
    from bayesbias.fits.placebo import Placebo
    from bayesbias.studies.change import Change

_NAME = "report.html"


def run(arguments: argparse.Namespace) -> None:
    """Read what was written, and write the report of it."""
    from bayesbias.report import load_results, write_report
    from bayesbias.support.whole_files import check_file

    source = Path(arguments.results)
    if not source.exists():
        raise FitError(f"{source}: no such file or folder")
    beside = (source if source.is_dir() else source.parent) / _NAME
    out = beside if arguments.out is None else Path(arguments.out)
    check_file(out, overwrite=arguments.overwrite)
    found, manifest = load_results(source)
    more = {"command": manifest["command"], **_intervals(found, manifest["intervals"])}
    write_report(found, out, **asked_of(write_report, arguments, **more))
    say(arguments, f"The report is in {out}")


COMMAND = Command(
    "report",
    "write one HTML page about a finished analysis or comparison",
    "bayesbias report out/religion",
    (
        option("results OUT_DIR_OR_FIT", "a folder that analyze or compare wrote, or a fit.nc"),
        option("--out FILE", "the file to write (default: report.html beside the fit)"),
        option("--title TEXT", "heading (default: the word list and the embedding)"),
        Option(
            "--no-comparison",
            {
                "dest": "comparison",
                "action": "store_false",
                "help": "leave out the comparison of models, for which other models are fitted",
            },
        ),
        flag("--overwrite", "replace the file if it exists"),
        QUIET,
    ),
    run,
)


def report_adder(
    found: "Fit | Change", arguments: argparse.Namespace, placebo: "Placebo | None" = None
) -> Callable[[Path], None] | None:
    """Return what adds the report to a folder, if it is wanted."""
    from bayesbias.report import write_report

    if not arguments.report:
        return None
    names = ("prob", "interval", "rope")
    chosen = _intervals(found, {name: getattr(arguments, name) for name in names})

    def add(place: Path) -> None:
        command = arguments.command_line
        write_report(found, place / _NAME, command=command, placebo=placebo, **chosen)

    return add


def check_report(arguments: argparse.Namespace) -> None:
    """Refuse a report that has no folder to go to."""
    if arguments.report and arguments.out is None:
        raise ArgumentError("--report writes into the folder of the results; give --out DIR")


def _intervals(found: "Fit | Change", chosen: dict[str, Any]) -> dict[str, Any]:
    """Return the intervals to ask for; a change has its own."""
    from bayesbias.studies.change import Change

    return {} if isinstance(found, Change) else chosen
