"""The commands ``classifier bounds``, ``classifier gaps`` and ``classifier plan``."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import bayesbias as bb
from bayesbias.cli import options as shared
from bayesbias.cli.classifier_inputs import (
    BOUNDS,
    COSTS,
    GROUP_NAMES,
    column_of,
    costs_and_groups,
    disparity_of,
    group_column,
    read_predictions,
    renamed,
    variance_of,
)
from bayesbias.cli.command import Command, Group
from bayesbias.cli.options import flag, number, option, whole_number
from bayesbias.cli.output import called, check_out, say, show, write_tables
from bayesbias.constants import GAP_ROPE
from bayesbias.errors import ArgumentError, PredictionsError
from bayesbias.support.text_tables import counted, percent

if TYPE_CHECKING:
    import pandas as pd


_MODEL: Final = "gaps"
_FILE: Final = option("file FILE", "a .csv or .csv.gz file, one row per person")


def run_bounds(arguments: argparse.Namespace) -> None:
    """Print the bounds of a disparity."""
    from bayesbias.classifiers.costs import find_measure

    costs, groups, annotated = costs_and_groups(arguments)
    found = disparity_of(arguments, costs, groups, annotated)
    reading = f"Difference of mean {arguments.cost}:"
    if arguments.cost is None:
        measure = find_measure(arguments.measure)
        reading = f"{measure.name} of class {arguments.positive}: {measure.reads}"
    blocks: list[Any] = [reading, *repr(found).splitlines()]
    content: dict[str, Any] = {"disparity": found.to_dict()}
    if arguments.compare:
        more = {"annotated": annotated, "prob": arguments.confidence}
        compared = called(bb.classifiers.compare_intervals, arguments, costs, groups, **more)
        blocks += ["", *compared.blocks]
        content["compared"] = compared.to_dict()
    show(arguments, blocks, content)


def run_gaps(arguments: argparse.Namespace) -> None:
    """Print gaps, and write tables and a figure."""
    from bayesbias.support.bounded_files import file_checksum

    check_out(arguments)
    if arguments.model != _MODEL and arguments.method != "hierarchical":
        raise ArgumentError("--model goes with --method hierarchical")
    frame = _named_frame(arguments)
    found = called(bb.classifiers.gaps, arguments, frame, predicted=arguments.pred)
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


def _say_opposites(arguments: argparse.Namespace, found: "bb.classifiers.Gaps") -> None:
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


def run_plan(arguments: argparse.Namespace) -> None:
    """Print how many to annotate, or what a number of annotated persons can tell."""
    if (arguments.disparity is None) == (arguments.n is None):
        raise ArgumentError("give either --disparity or --n")
    gamma, variance, lines = _known(arguments)
    known = {"confidence": arguments.confidence, "gamma": gamma, "variance": variance}
    known["max_cost"] = arguments.max_cost
    if arguments.n is None:
        disparity = arguments.disparity
        n = bb.classifiers.required_n(disparity=disparity, **known)
        what = f"an estimated disparity of {disparity:g}"
    else:
        n, disparity = arguments.n, bb.classifiers.detectable_disparity(n=arguments.n, **known)
        what = f"estimated disparities above {disparity:.4f}"
    lines.append(
        f"{counted(n, 'annotated person')} can distinguish {what} from 0 "
        f"({percent(arguments.confidence)} confidence, γ = {gamma:g}, σ² = {variance:g}, "
        f"C = {arguments.max_cost:g})"
    )
    show(arguments, lines, {"n": n, "disparity": disparity, **known})


def _known(arguments: argparse.Namespace) -> tuple[float, float, list[str]]:
    """Return the least share and the variance, and where they come from."""
    from bayesbias.classifiers.bernstein import check_gamma

    if arguments.file is not None:
        found = disparity_of(arguments, *costs_and_groups(arguments))
        line = (
            f"From {arguments.file} ({found.variance_from} variance): γ = {found.gamma:.4f}, "
            f"σ² = {found.variance:.4f}"
        )
        return found.gamma, found.variance, [line]
    for name in ("true", "pred", "positive", "cost", "group", "group_names", "protected"):
        if getattr(arguments, name) is not None:
            raise ArgumentError(f"{name}= goes with a file of predictions; give FILE first")
    gamma = 0.5 if arguments.gamma is None else float(check_gamma(arguments.gamma))
    wanted = variance_of(arguments.variance, "maximal")
    if wanted == "sample":
        raise ArgumentError("--variance sample: needs a file")
    if isinstance(wanted, str):
        return gamma, bb.classifiers.largest_variance(gamma=gamma, max_cost=arguments.max_cost), []
    return gamma, wanted, []


_BOUNDS: Final = Command(
    "bounds",
    "bound the difference of two groups' mean costs (Bernstein-bounded unfairness)",
    "bayesbias classifier bounds predictions.csv --true y --pred p --group gender --positive nurse "
    "--measure equal-opportunity",
    (
        _FILE,
        *COSTS,
        *BOUNDS,
        flag("--compare", "also print bootstrap and Bayesian intervals (costs of 0 and 1)"),
        shared.SEED,
        *shared.SPEECH,
    ),
    run_bounds,
)
_GAPS: Final = Command(
    "gaps",
    "compare GP, TPR and PP of every class between groups, with intervals",
    "bayesbias classifier gaps predictions.csv --true y --pred p --group gender --out out/gaps",
    (
        _FILE,
        option("--true COLUMN", "column of true classes", required=True),
        option("--pred COLUMN", "column of predicted classes", required=True),
        option("--group COLUMN", "column of groups", required=True),
        option(
            "--reference GROUP", "the group that is subtracted (default: the last in sorted order)"
        ),
        GROUP_NAMES,
        option(
            "--class-names FILE",
            "what classes are called: a .csv whose first two columns are label and name",
        ),
        option("--method", "beta (default), hierarchical, bootstrap or point", default="beta"),
        option("--model", "of --method hierarchical: a .toml file", default=_MODEL),
        option("--draws N", "draws (default 4000; hierarchical: 2000 a chain)", whole_number),
        *shared.output(),
        *shared.decision(GAP_ROPE),
    ),
    run_gaps,
)
_PLAN: Final = Command(
    "plan",
    "say how many persons to annotate, or what a number of them can tell",
    "bayesbias classifier plan --disparity 0.05",
    (
        option(
            "file FILE",
            "a .csv file to take variance and shares from; without it, --gamma and --variance",
            nargs="?",
        ),
        option(
            "--disparity D",
            "an estimated difference of mean costs, to be distinguished from 0",
            number,
        ),
        option("--n N", "a number of annotated persons instead", whole_number),
        *COSTS,
        *BOUNDS,
        *shared.SPEECH,
    ),
    run_plan,
)
COMMAND = Group(
    "classifier",
    "compare groups in a file of predictions, and plan how many to annotate",
    _GAPS.example,
    (_BOUNDS, _GAPS, _PLAN),
)
