"""The command ``report``, and what ``--report`` adds to others."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bayesbias as bb
from bayesbias.cli.command import Command
from bayesbias.cli.options import QUIET
from bayesbias.cli.output import call_with_options, say, show
from bayesbias.errors import ArgumentError, FitError
from bayesbias.fits.next_step import next_step

if TYPE_CHECKING:
    from bayesbias.support.text_tables import Table

REPORT_NAME = "report.html"


def run(arguments: argparse.Namespace) -> None:
    """Read what was written, and write the report of it."""
    from bayesbias.report import load_results
    from bayesbias.report.folder_reading import HELD_OUT
    from bayesbias.support.whole_files import check_file

    source = Path(arguments.results)
    if not source.exists():
        raise FitError(f"{source}: no such file or folder")
    beside = (source if source.is_dir() else source.parent) / REPORT_NAME
    out = beside if arguments.out is None else Path(arguments.out)
    check_file(out, overwrite=arguments.overwrite)
    found, manifest = load_results(source)
    more = {"command": manifest["command"]}
    if isinstance(found, bb.results.Fit):  # all else has its own intervals
        more |= manifest["intervals"]
    more["held_out"] = manifest.get(HELD_OUT)
    call_with_options(bb.write_report, arguments, found, out, **more)
    said, lines = _finding(found, more["held_out"])
    then = next_step("report", out)
    blocks: list[str | Table] = [*filter(None, said), then]
    show(arguments, blocks if lines is None else [*blocks, "", lines], {})


def _finding(
    found: object, held_out: "bb.results.HeldOut | None"
) -> "tuple[list[str], Table | None]":
    """Return what a fit or a change says first, and its lines; nothing of all else."""
    from bayesbias.fits.contrasts import can_compare
    from bayesbias.studies.change_screen import lines_table, sides

    if isinstance(found, bb.results.Fit):
        if not can_compare(found.design):
            return [], None
        screen = found.first_screen(found.rule())
        return [screen.headline, screen.caution], screen.lines
    if not isinstance(found, bb.results.Change):
        return [getattr(found, "headline", "")], None  # a sweep has none
    if held_out is not None:
        return held_out.before([found.headline]), None
    return [found.headline, sides(found)], lines_table(found)


COMMAND = Command(
    "report",
    "write one HTML page about a finished analysis or comparison",
    "bayesbias report out/religion",
    f"""
results OUT_DIR_OR_FIT  a folder that analyze, compare or sweep wrote, or a fit.nc
--out FILE  the file to write (default: report.html beside the fit)
--title TEXT  heading (default: the finding of an analysis, else the word list and the embedding)
--overwrite  replace the file if it exists
{QUIET}
""",
    run,
)


def check_report(arguments: argparse.Namespace) -> None:
    """Refuse a report that has no folder to go to."""
    if arguments.report and arguments.out is None:
        raise ArgumentError("--report writes into the folder of the results; give --out DIR")


def write_everything(
    found: "bb.results.Fit | bb.results.Change",
    arguments: argparse.Namespace,
    placebo: "bb.results.Placebo | None" = None,
    held_out: "bb.results.HeldOut | None" = None,
) -> None:
    """Write a fit or a change, and the report if it is wanted, into the folder asked for."""
    from bayesbias.report import folder_writing

    if arguments.out is None:
        return
    options: dict[str, Any] = {"command": arguments.command_line}
    writer: Any = folder_writing.write_change
    chosen = {}
    if isinstance(found, bb.results.Fit):
        writer, options["placebo"] = folder_writing.write_results, placebo
        chosen = {name: getattr(arguments, name) for name in ("prob", "interval", "rope")}
    else:
        options["held_out"] = held_out

    def add_report(place: Path) -> None:
        bb.write_report(found, place / REPORT_NAME, **options, **chosen)

    also = add_report if arguments.report else None
    call_with_options(writer, arguments, found, arguments.out, also=also, **options)
    figures = ", figures" if arguments.figures else ""
    page = f"; the page is {Path(arguments.out) / REPORT_NAME}" if arguments.report else ""
    say(arguments, f"Tables{figures} and the posterior are in {arguments.out}{page}")
