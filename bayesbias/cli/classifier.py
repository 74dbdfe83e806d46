"""The command ``classifier``: ``bbu``, ``gaps`` and ``plan``."""

import argparse
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias.classifiers import (
    Disparity,
    bernstein_interval,
    compare_intervals,
    costs_of,
    detectable_disparity,
    gaps,
    largest_variance,
    required_n,
)
from bayesbias.classifiers.bernstein import check_gamma
from bayesbias.classifiers.costs import find_measure
from bayesbias.cli.inputs import progress_of, say, show
from bayesbias.errors import ArgumentError, PredictionsError, suggest
from bayesbias.report.folder_writing import write_manifest
from bayesbias.support.bounded_files import file_checksum
from bayesbias.support.compatibility import versions
from bayesbias.support.csv_files import write_csv
from bayesbias.support.text_files import read_text_table
from bayesbias.support.text_tables import Table
from bayesbias.support.whole_files import check_folder, new_folder


def run_bbu(arguments: argparse.Namespace, given: list[str]) -> None:
    """Print the bounds of a disparity."""
    costs, groups, annotated = _costs(arguments)
    found = _interval(arguments, costs, groups, annotated)
    blocks: list[str | Table] = [_reading(arguments), repr(found)]
    content: dict[str, Any] = {"disparity": found.to_dict()}
    if arguments.compare:
        compared = compare_intervals(
            costs, groups, annotated=annotated, protected=arguments.protected,
            reference=arguments.reference, prob=arguments.confidence, seed=arguments.seed,
        )  # fmt: skip
        blocks += ["", *compared.blocks]
        content["compared"] = compared.to_dict()
    show(arguments, blocks, content)


def run_gaps(arguments: argparse.Namespace, given: list[str]) -> None:
    """Print gaps, and write tables and a figure."""
    if arguments.out is not None:
        check_folder(arguments.out, overwrite=arguments.overwrite)
    frame = read_text_table(arguments.file, PredictionsError)
    for column in (arguments.true, arguments.pred, arguments.group):
        _column(frame, column)
    if arguments.class_names is not None:
        names = _class_names(arguments.class_names)
        for column in (arguments.true, arguments.pred):
            frame[column] = _renamed(frame[column], names, column)
    if arguments.group_names is not None:
        names = _group_names(arguments.group_names)
        frame[arguments.group] = _renamed(frame[arguments.group], names, arguments.group)
    found = gaps(
        frame, true=arguments.true, predicted=arguments.pred, group=arguments.group,
        reference=arguments.reference, method=arguments.method, model=arguments.model,
        rope=arguments.rope, prob=arguments.prob, interval=arguments.interval,
        draws=arguments.draws, seed=arguments.seed,
        progress=progress_of(arguments),
    )  # fmt: skip
    disagreements = found.disagreements()
    opposite = disagreements[disagreements["opposite"] != ""]
    show(arguments, found.blocks, found.to_dict())
    if len(opposite):
        say(arguments, "\nMetrics that point in opposite directions:")
    for row in opposite.to_dict("records"):
        sure = row.get("opposite_surely")
        surely = f" (both intervals exclude 0: {sure})" if sure else ""
        say(arguments, f"- {row['class']}, {row['contrast']}: {row['opposite']}{surely}")
    if arguments.out is None:
        return
    with new_folder(arguments.out, overwrite=arguments.overwrite) as place:
        tables = {"gaps": found.table, "rates": found.rates, "undefined": found.undefined,
                  "disagreements": disagreements}  # fmt: skip
        for name, table in tables.items():
            write_csv(table, place / f"{name}.csv")
        found.plot().savefig(place / "gaps.png", dpi=200)
        content = {k: v for k, v in found.to_dict().items() if k not in ("gaps", "rates")}
        write_manifest(place, {
            "command": shlex.join(["bayesbias", *given]),
            "source": {"file": Path(arguments.file).name,
                       "sha256": file_checksum(Path(arguments.file))},
            "versions": versions(),
            **content,
        })  # fmt: skip
    say(arguments, f"Tables and a figure are in {arguments.out}")


def run_plan(arguments: argparse.Namespace, given: list[str]) -> None:
    """Print how many to annotate, or what a number of annotated persons can tell."""
    if (arguments.disparity is None) == (arguments.n is None):
        raise ArgumentError("give either --disparity or --n")
    lines = []
    if arguments.file is not None:
        costs, groups, annotated = _costs(arguments)
        found = _interval(arguments, costs, groups, annotated)
        gamma, variance = found.gamma, found.variance
        lines.append(f"From {arguments.file} ({found.variance_from} variance): γ = {gamma:.4f}, "
                     f"σ² = {variance:.4f}")  # fmt: skip
    else:
        gamma = 0.5 if arguments.gamma is None else float(check_gamma(arguments.gamma))
        wanted = _variance(arguments.variance, "maximal")
        if wanted == "sample":
            raise ArgumentError("--variance sample: needs a file")
        variance = (
            largest_variance(gamma=gamma, max_cost=arguments.max_cost)
            if isinstance(wanted, str)
            else wanted
        )
    known = {"confidence": arguments.confidence, "gamma": gamma, "variance": variance,
             "max_cost": arguments.max_cost}  # fmt: skip
    text = (
        f"{arguments.confidence:.0%} confidence, γ = {gamma:g}, σ² = {variance:g}, "
        f"C = {arguments.max_cost:g}"
    )
    if arguments.n is None:
        n, disparity = required_n(disparity=arguments.disparity, **known), arguments.disparity
        lines.append(f"{n:,} annotated persons tell a disparity of {disparity:g} from 0 ({text})")
    else:
        n, disparity = arguments.n, detectable_disparity(n=arguments.n, **known)
        lines.append(
            f"{n:,} annotated persons tell disparities above {disparity:.4f} from 0 ({text})"
        )
    show(arguments, lines, {"n": n, "disparity": disparity, **known})


def _interval(
    arguments: argparse.Namespace,
    costs: NDArray[np.float64],
    groups: pd.Series,
    annotated: NDArray[np.bool_] | None,
) -> Disparity:
    return bernstein_interval(
        costs, groups, annotated=annotated, protected=arguments.protected,
        reference=arguments.reference, confidence=arguments.confidence, gamma=arguments.gamma,
        variance=_variance(arguments.variance, "sample"), max_cost=arguments.max_cost,
    )  # fmt: skip


def _costs(
    arguments: argparse.Namespace,
) -> tuple[NDArray[np.float64], pd.Series, NDArray[np.bool_] | None]:
    """Return costs, groups and which persons are counted, from the file and the options."""
    if arguments.group is None:
        raise ArgumentError("--group: name the column of groups")
    frame = read_text_table(arguments.file, PredictionsError)
    groups = _column(frame, arguments.group)
    if arguments.cost is not None:
        try:
            return pd.to_numeric(_column(frame, arguments.cost)).to_numpy(float), groups, None
        except ValueError:
            raise PredictionsError(
                f"{arguments.file}: column {arguments.cost!r} has values that are no numbers"
            ) from None
    for name in ("true", "pred", "positive"):
        if getattr(arguments, name) is None:
            raise ArgumentError(f"--{name}: is needed, unless --cost names a column of costs")
    true, predicted = _column(frame, arguments.true), _column(frame, arguments.pred)
    for column, values in ((arguments.true, true), (arguments.pred, predicted)):
        if values.isna().any():
            raise PredictionsError(
                f"{arguments.file}: column {column!r} has {int(values.isna().sum()):,} empty cells"
            )
    costs, annotated = costs_of(arguments.measure, true, predicted, positive=arguments.positive)
    return costs, groups, annotated


def _reading(arguments: argparse.Namespace) -> str:
    """Say what the difference means."""
    if arguments.cost is not None:
        return f"Difference of mean {arguments.cost}:"
    measure = find_measure(arguments.measure)
    return f"{measure.name} of class {arguments.positive}: {measure.reads}"


def _variance(given: str | None, otherwise: str) -> float | str:
    if given is None or given in ("sample", "maximal"):
        return given or otherwise
    try:
        return float(given)
    except ValueError:
        raise ArgumentError(f"--variance {given}: give sample, maximal or a number") from None


def _column(frame: pd.DataFrame, name: str) -> pd.Series:
    if name not in frame.columns:
        raise PredictionsError(f"no column {name!r}{suggest(name, map(str, frame.columns))}")
    return frame[name]


def _class_names(path: str) -> dict[str, str]:
    table = read_text_table(path, PredictionsError)
    if table.shape[1] < 2:
        raise PredictionsError(f"{path}: needs two columns, label and name")
    label = table.iloc[:, 0]
    if (repeated := label[label.duplicated()]).size:
        raise PredictionsError(
            f"{path}: line {repeated.index[0] + 2:,}: label {repeated.iloc[0]!r} comes twice; give "
            f"every label one name"
        )
    return dict(zip(table.iloc[:, 0], table.iloc[:, 1], strict=True))


def _group_names(text: str) -> dict[str, str]:
    pairs = [part.split("=", 1) for part in text.split(",")]
    if not all(len(pair) == 2 and all(pair) for pair in pairs):
        raise ArgumentError(f"--group-names {text}: write such as 0=male,1=female")
    return dict(pairs)


def _renamed(values: pd.Series, names: dict[str, str], column: str) -> pd.Series:
    """Replace labels by names; a label without one is an error, an empty cell stays empty."""
    unnamed = sorted(set(values.dropna()) - set(names))
    if unnamed:
        raise PredictionsError(f"column {column!r}: no name is given for {', '.join(unnamed)}")
    return values.map(names)
