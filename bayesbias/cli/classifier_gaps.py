"""The command ``classifier gaps``."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bayesbias.cli.classifier_inputs import (
    add_group_names,
    column_of,
    group_column,
    read_predictions,
    renamed,
)
from bayesbias.cli.command import Command
from bayesbias.cli.options import add_decision_options, add_output_options, add_value, whole_number
from bayesbias.cli.output import asked_of, check_out, say, show, write_tables
from bayesbias.constants import GAP_ROPE
from bayesbias.errors import ArgumentError, PredictionsError

if TYPE_CHECKING:
    import pandas as pd

    from bayesbias.classifiers import Gaps

_MODEL: Final = "gaps"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the file, its columns, and how gaps are estimated."""
    parser.add_argument("file", metavar="FILE", help="a .csv or .csv.gz file, one row per person")
    columns = {"true": "true classes", "pred": "predicted classes", "group": "groups"}
    for name, what in columns.items():
        parser.add_argument(f"--{name}", required=True, metavar="COLUMN", help=f"column of {what}")
    text = "the group that is subtracted (default: the last in sorted order)"
    add_value(parser, "reference", "GROUP", text)
    add_group_names(parser)
    text = "what classes are called: a .csv whose first two columns are label and name"
    add_value(parser, "class-names", "FILE", text)
    text = "beta (default), hierarchical, bootstrap or point"
    parser.add_argument("--method", default="beta", help=text)
    parser.add_argument("--model", default=_MODEL, help="of --method hierarchical: a .toml file")
    text = "draws (default 4000; hierarchical: 2000 a chain)"
    add_value(parser, "draws", "N", text, whole_number)
    add_output_options(parser)
    add_decision_options(parser, rope=GAP_ROPE)


def run(arguments: argparse.Namespace) -> None:
    """Print gaps, and write tables and a figure."""
    from bayesbias.classifiers import gaps
    from bayesbias.support.bounded_files import file_checksum

    check_out(arguments)
    if arguments.model != _MODEL and arguments.method != "hierarchical":
        raise ArgumentError("--model goes with --method hierarchical")
    options = asked_of(gaps, arguments, predicted=arguments.pred)
    found = gaps(_named_frame(arguments), **options)
    content = found.to_dict()
    show(arguments, found.blocks, content)
    _say_opposites(arguments, found)
    if arguments.out is None:
        return
    tables = {"gaps": found.table, "rates": found.rates, "undefined": found.undefined}
    tables["disagreements"] = found.disagreements()
    file = Path(arguments.file)
    source = {"file": file.name, "sha256": file_checksum(file)}
    manifest = {k: v for k, v in content.items() if k not in ("gaps", "rates")}
    write_tables(arguments, tables, {"gaps": found.plot}, {"source": source, **manifest})


COMMAND = Command(
    "gaps",
    "compare GP, TPR and PP of every class between groups, with intervals",
    "bayesbias classifier gaps predictions.csv --true y --pred p --group gender --out out/gaps",
    add_options,
    run,
)


def _named_frame(arguments: argparse.Namespace) -> "pd.DataFrame":
    """Return the file's predictions, with the names of classes and groups."""
    frame = read_predictions(arguments.file)
    for column in (arguments.true, arguments.pred, arguments.group):
        column_of(frame, column)
    if arguments.class_names is not None:
        names = _class_names(arguments.class_names)
        for column in (arguments.true, arguments.pred):
            frame[column] = renamed(frame[column], names, column)
    frame[arguments.group] = group_column(frame, arguments)
    return frame


def _class_names(path: str) -> dict[str, str]:
    table = read_predictions(path)
    if table.shape[1] < 2:
        raise PredictionsError(f"{path}: needs two columns, label and name")
    label = table.iloc[:, 0]
    if (repeated := label[label.duplicated()]).size:
        raise PredictionsError(
            f"{path}: line {repeated.index[0] + 2:,}: label {repeated.iloc[0]!r} occurs twice; "
            f"give every label one name"
        )
    return dict(zip(table.iloc[:, 0], table.iloc[:, 1], strict=True))


def _say_opposites(arguments: argparse.Namespace, found: "Gaps") -> None:
    """Print which metrics' gaps have opposite signs, and whose intervals lie on opposite sides."""
    every = found.disagreements().to_dict("records")
    rows = [row for row in every if row["opposite"] or row.get("opposite_surely")]
    if rows:
        say(arguments, "\nMetrics whose observed gaps have opposite signs:")
    for row in rows:
        sure = row.get("opposite_surely")
        surely = f" (intervals on opposite sides of 0: {sure})" if sure else ""
        observed = row["opposite"] or "none"
        say(arguments, f"- {row['class']}, {row['contrast']}: {observed}{surely}")
