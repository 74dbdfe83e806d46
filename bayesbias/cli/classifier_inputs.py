"""What the commands about classifiers share: the file of predictions, costs, names, bounds."""

import argparse
from typing import TYPE_CHECKING, Final

import bayesbias as bb
from bayesbias.cli.options import number, option
from bayesbias.cli.output import called
from bayesbias.constants import CONFIDENCE
from bayesbias.errors import ArgumentError, PredictionsError, suggest

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from bayesbias.support.arrays import Array


GROUP_NAMES: Final = option(
    "--group-names A=NAME,...", "what groups are called, such as 0=male,1=female"
)
COSTS: Final = (
    option("--true COLUMN", "column of true classes"),
    option("--pred COLUMN", "column of predicted classes"),
    option("--positive LABEL", "the class that is the good outcome"),
    option(
        "--measure",
        "demographic-parity (default), equal-opportunity, predictive-equality or equalised-odds",
        default="demographic-parity",
    ),
    option("--cost COLUMN", "column of your own costs instead"),
    option("--group COLUMN", "column of groups"),
    GROUP_NAMES,
    option("--protected GROUP", "the group whose mean cost comes first"),
    option("--reference GROUP", "the group that is subtracted (default: all others)"),
)
"""What a wrong prediction costs, and which groups are compared."""

BOUNDS: Final = (
    option(
        "--confidence P", f"confidence of the bounds (default {CONFIDENCE})", number, CONFIDENCE
    ),
    option(
        "--gamma G",
        "least share of either group, where known (default: as observed; 0.5 without a file)",
        number,
    ),
    option(
        "--variance V",
        "of amortised disparities: sample, maximal or a number (default: sample; maximal without "
        "a file)",
    ),
    option("--max-cost C", "the largest cost (default 1)", number, 1.0),
)
"""Confidence, and what is known of groups and costs."""


def read_predictions(path: str) -> "pd.DataFrame":
    """Read a file with all cells as text, so that labels stay as they are written."""
    from bayesbias.support.csv_files import read_csv_texts

    table = read_csv_texts(path, PredictionsError).reset_index(drop=True)
    return table.mask(table == "")  # an empty cell is a missing label


def column_of(frame: "pd.DataFrame", name: str) -> "pd.Series":
    """Return a column, or an error that names the nearest one."""
    if name not in frame.columns:
        raise PredictionsError(f"no column {name!r}{suggest(name, map(str, frame.columns))}")
    return frame[name]


def group_column(frame: "pd.DataFrame", arguments: argparse.Namespace) -> "pd.Series":
    """Return the groups, by their names if such were given."""
    groups = column_of(frame, arguments.group)
    if arguments.group_names is None:
        return groups
    pairs = [part.split("=", 1) for part in arguments.group_names.split(",")]
    if not all(len(pair) == 2 and all(pair) for pair in pairs):
        raise ArgumentError(f"--group-names {arguments.group_names}: write such as 0=male,1=female")
    return renamed(groups, dict(pairs), arguments.group)


def renamed(values: "pd.Series", names: dict[str, str], column: str) -> "pd.Series":
    """Replace labels by names; a label without one is an error, an empty cell stays empty."""
    unnamed = sorted(set(values.dropna()) - set(names))
    if unnamed:
        raise PredictionsError(f"column {column!r}: no name is given for {', '.join(unnamed)}")
    return values.map(names)


def costs_and_groups(
    arguments: argparse.Namespace,
) -> "tuple[Array, pd.Series, NDArray[np.bool_] | None]":
    """Return costs, groups and which persons are counted, from the file and the options."""
    import pandas as pd

    if arguments.group is None:
        raise ArgumentError("--group: name the column of groups")
    frame = read_predictions(arguments.file)
    groups = group_column(frame, arguments)
    if arguments.cost is not None:
        try:
            return pd.to_numeric(column_of(frame, arguments.cost)).to_numpy(float), groups, None
        except ValueError:
            raise PredictionsError(
                f"{arguments.file}: column {arguments.cost!r} has values that are not numbers"
            ) from None
    for name in ("true", "pred", "positive"):
        if getattr(arguments, name) is None:
            raise ArgumentError(f"--{name}: is needed, unless --cost names a column of costs")
    true, predicted = column_of(frame, arguments.true), column_of(frame, arguments.pred)
    for column, values in ((arguments.true, true), (arguments.pred, predicted)):
        if values.isna().any():
            raise PredictionsError(
                f"{arguments.file}: column {column!r} has {int(values.isna().sum()):,} empty cells"
            )
    costs, annotated = bb.classifiers.costs_of(
        arguments.measure, true, predicted, positive=arguments.positive
    )
    return costs, groups, annotated


def disparity_of(
    arguments: argparse.Namespace,
    costs: "Array",
    groups: "pd.Series",
    annotated: "NDArray[np.bool_] | None",
) -> "bb.classifiers.Disparity":
    """Return the bounds on the difference of mean costs that the options ask for."""
    options = {"annotated": annotated, "variance": variance_of(arguments.variance, "sample")}
    return called(bb.classifiers.bernstein_interval, arguments, costs, groups, **options)


def variance_of(given: str | None, otherwise: str) -> float | str:
    """Return the variance asked for: a name or a number."""
    if given is None or given in ("sample", "maximal"):
        return given or otherwise
    try:
        return float(given)
    except ValueError:
        raise ArgumentError(f"--variance {given}: give sample, maximal or a number") from None
