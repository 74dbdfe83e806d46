"""The commands ``classifier bounds``, ``classifier gaps`` and ``classifier plan``."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import bayesbias as bb
from bayesbias.cli import options as shared
from bayesbias.cli.command import Command, Group
from bayesbias.cli.output import call_with_options, check_out, say, show, write_to_out
from bayesbias.constants import CONFIDENCE, GAP_ROPE
from bayesbias.errors import ArgumentError, PredictionsError, suggest
from bayesbias.support.text_tables import counted, percent

if TYPE_CHECKING:
    import pandas as pd

    from bayesbias.support.arrays import Array, Mask


_MODEL: Final = "gaps"
_ROPE: Final = f"""
--rope D = {GAP_ROPE}  differences up to this count as practically none (default {GAP_ROPE})
"""
_FILE: Final = "file FILE  a .csv or .csv.gz file, one row per person"
_GROUP: Final = "column of groups; of several, every combination is a group; repeatable"
_NAMED_GROUPS: Final = """
--cut A,B,...  where to cut numbers, such as ages, into groups: 30,50
--group-names A=NAME,...  what groups are called, such as 0=male,1=female
"""
_COSTS: Final = f"""
--true COLUMN  column of true classes
--pred COLUMN  column of predicted classes
--positive LABEL  the class that is the good outcome
--measure MEASURE = demographic-parity  demographic-parity (default), equal-opportunity,
    predictive-equality or equalised-odds
--cost COLUMN  column of your own costs instead
--group COLUMN*  {_GROUP}
{_NAMED_GROUPS}
--protected GROUP  the group whose mean cost comes first
--reference GROUP  the group that is subtracted (default: all others)
--confidence P = {CONFIDENCE}  confidence of the bounds (default {CONFIDENCE})
--gamma G  least share of either group, where known (default: as observed; 0.5 without a file)
--variance V  of amortised disparities: sample, maximal or a number (default: sample; maximal
    without a file)
--max-cost C = 1.0  the largest cost (default 1)
"""
"""What a wrong prediction costs, which groups are compared, and what is known of both."""


def run_bounds(arguments: argparse.Namespace) -> None:
    """Print the bounds of a disparity."""
    from bayesbias.classifiers.costs import FAIRNESS_MEASURES

    costs, groups, annotated = _costs_and_groups(arguments)
    found = _disparity_of(arguments, costs, groups, annotated)
    reading = f"Difference of mean {arguments.cost}:"
    if arguments.cost is None:
        reads = FAIRNESS_MEASURES[arguments.measure].reads
        reading = f"{arguments.measure} of class {arguments.positive}: {reads}"
    blocks: list[Any] = [reading, *repr(found).splitlines()]
    content: dict[str, Any] = {"disparity": found.to_dict()}
    if arguments.compare:
        more = {"annotated": annotated, "prob": arguments.confidence}
        compared = call_with_options(
            bb.classifiers.compare_intervals, arguments, costs, groups, **more
        )
        blocks += ["", *compared.blocks]
        content["compared"] = compared.to_dict()
    show(arguments, blocks, content)


def run_gaps(arguments: argparse.Namespace) -> None:
    """Print gaps, and write tables and a figure."""
    from bayesbias.classifiers.sentences import tell
    from bayesbias.support.bounded_files import file_checksum

    check_out(arguments)
    if arguments.model != _MODEL and arguments.method != "hierarchical":
        raise ArgumentError("--model goes with --method hierarchical")
    frame = _named_frame(arguments)
    found = call_with_options(bb.classifiers.gaps, arguments, frame, predicted=arguments.pred)
    content = found.to_dict()
    then = tell("next", typed=True, folder=arguments.out or "")
    show(arguments, found.screen(then), content)
    _say_opposites(arguments, found)
    if arguments.out is None:
        return
    tables = {"gaps": found.table, "rates": found.rates, "undefined": found.undefined}
    tables["disagreements"] = found.disagreements()
    more = {"ratios": found.ratios, "pairs": found.pairs, "largest": found.largest}
    tables |= {name: table for name, table in more.items() if table is not None}
    file = Path(arguments.file)
    source = {"file": file.name, "sha256": file_checksum(file)}
    manifest = {k: v for k, v in content.items() if k not in ("answers", "gaps", *tables)}
    write_to_out(arguments, tables, {"gaps": found.plot}, {"source": source, **manifest})


def _named_frame(arguments: argparse.Namespace) -> "pd.DataFrame":
    """Return the file's predictions, with the names of classes and groups."""
    frame = _read_predictions(arguments.file)
    for column in (arguments.true, arguments.pred, *arguments.group):
        _column_of(frame, column)
    if arguments.class_names is not None:
        names = _class_names(arguments.class_names)
        for column in (arguments.true, arguments.pred):
            frame[column] = _renamed(frame[column], names, column)
    for column in arguments.group:
        frame[column] = _named_groups(frame[column], arguments)
    return frame


def _class_names(path: str) -> dict[str, str]:
    table = _read_predictions(path)
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
    """Print which metrics' gaps have opposite signs, and whose verdicts are lower and higher."""
    every = found.disagreements().to_dict("records")
    rows = [row for row in every if row["opposite"] or row.get("opposite_surely")]
    if rows:
        say(arguments, "\nMetrics whose observed gaps have opposite signs:")
    for row in rows:
        sure = row.get("opposite_surely")
        surely = f" (verdicts lower and higher: {sure})" if sure else ""
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
        found = _disparity_of(arguments, *_costs_and_groups(arguments))
        line = (
            f"From {arguments.file} ({found.variance_from} variance): γ = {found.gamma:.4f}, "
            f"σ² = {found.variance:.4f}"
        )
        return found.gamma, found.variance, [line]
    of_file = ("true", "pred", "positive", "cost", "group", "cut", "group_names", "protected")
    for name in of_file:
        if getattr(arguments, name) is not None:
            raise ArgumentError(f"{name}= goes with a file of predictions; give FILE first")
    gamma = 0.5 if arguments.gamma is None else float(check_gamma(arguments.gamma))
    wanted = _variance_of(arguments.variance, "maximal")
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
    f"""
{_FILE}
{_COSTS}
--compare  also print bootstrap and Bayesian intervals (costs of 0 and 1)
{shared.SEED}
{shared.SPEECH}
""",
    run_bounds,
)
_GAPS: Final = Command(
    "gaps",
    "compare GP, TPR and PP of every class between groups, with intervals",
    "bayesbias classifier gaps predictions.csv --true y --pred p --group gender --out out/gaps",
    f"""
{_FILE}
--true COLUMN!  column of true classes
--pred COLUMN!  column of predicted classes
--group COLUMN*!  {_GROUP}
--reference GROUP  the group that is subtracted (default: the largest)
{_NAMED_GROUPS}
--class-names FILE  what classes are called: a .csv whose first two columns are label and name
--method METHOD = beta  beta (default), hierarchical, bootstrap or point
--model MODEL = {_MODEL}  of --method hierarchical: a .toml file
--draws N  draws (default 4000; hierarchical: 2000 a chain)
{shared.OUTPUT}
{shared.decision(rope=_ROPE)}
""",
    run_gaps,
)
_PLAN: Final = Command(
    "plan",
    "say how many persons to annotate, or what a number of them can tell",
    "bayesbias classifier plan --disparity 0.05",
    f"""
file FILE?  a .csv file to take variance and shares from; without it, --gamma and --variance
--disparity D  an estimated difference of mean costs, to be distinguished from 0
--n N  a number of annotated persons instead
{_COSTS}
{shared.SPEECH}
""",
    run_plan,
)
COMMAND = Group(
    "classifier",
    "compare groups in a file of predictions, and plan how many to annotate",
    _GAPS.example,
    (_BOUNDS, _GAPS, _PLAN),
)


def _read_predictions(path: str) -> "pd.DataFrame":
    """Read a file with all cells as text, so that labels stay as they are written."""
    from bayesbias.support.csv_files import read_csv_texts

    table = read_csv_texts(path, PredictionsError).reset_index(drop=True)
    return table.mask(table == "")  # an empty cell is a missing label


def _column_of(frame: "pd.DataFrame", name: str) -> "pd.Series":
    """Return a column, or an error that names the nearest one."""
    if name not in frame.columns:
        raise PredictionsError(f"no column {name!r}{suggest(name, map(str, frame.columns))}")
    return frame[name]


def _named_groups(groups: "pd.Series", arguments: argparse.Namespace) -> "pd.Series":
    """Return the groups, by their names if such were given."""
    if arguments.group_names is None:
        return groups
    if len(arguments.group) > 1:
        raise ArgumentError("--group-names goes with one --group")
    pairs = [part.split("=", 1) for part in arguments.group_names.split(",")]
    if not all(len(pair) == 2 and all(pair) for pair in pairs):
        raise ArgumentError(f"--group-names {arguments.group_names}: write such as 0=male,1=female")
    names = dict(pairs)
    if len(names) < len(pairs):
        raise ArgumentError(f"--group-names {arguments.group_names}: name every label once")
    return _renamed(groups, names, str(groups.name))


def _renamed(values: "pd.Series", names: dict[str, str], column: str) -> "pd.Series":
    """Replace labels by names; a label without one is an error, an empty cell stays empty."""
    unnamed = sorted(set(values.dropna()) - set(names))
    if unnamed:
        raise PredictionsError(f"column {column!r}: no name is given for {', '.join(unnamed)}")
    return values.map(names)


def _costs_and_groups(arguments: argparse.Namespace) -> "tuple[Array, pd.Series, Mask | None]":
    """Return costs, groups and which persons are counted, from the file and the options."""
    import pandas as pd

    from bayesbias.classifiers.predictions import grouped

    if arguments.group is None:
        raise ArgumentError("--group: name the column of groups")
    frame = _read_predictions(arguments.file)
    columns = [_named_groups(_column_of(frame, name), arguments) for name in arguments.group]
    groups, _ = grouped(pd.concat(columns, axis=1), arguments.group, arguments.cut)
    if arguments.cost is not None:
        costs = _column_of(frame, arguments.cost)
        _refuse_empty(arguments.file, costs)
        try:
            return pd.to_numeric(costs).to_numpy(float), groups, None
        except ValueError:
            raise PredictionsError(
                f"{arguments.file}: column {arguments.cost!r} has values that are not numbers"
            ) from None
    for name in ("true", "pred", "positive"):
        if getattr(arguments, name) is None:
            raise ArgumentError(f"--{name}: is needed, unless --cost names a column of costs")
    true, predicted = _column_of(frame, arguments.true), _column_of(frame, arguments.pred)
    for values in (true, predicted):
        _refuse_empty(arguments.file, values)
    costs, annotated = bb.classifiers.costs_of(
        arguments.measure, true, predicted, positive=arguments.positive
    )
    return costs, groups, annotated


def _refuse_empty(path: str, values: "pd.Series") -> None:
    if n := int(values.isna().sum()):
        raise PredictionsError(
            f"{path}: column {values.name!r} has {counted(n, 'empty cell')}; leave those rows out"
        )


def _disparity_of(
    arguments: argparse.Namespace, costs: "Array", groups: "pd.Series", annotated: "Mask | None"
) -> "bb.classifiers.Disparity":
    """Return the bounds on the difference of mean costs that the options ask for."""
    options = {"annotated": annotated, "variance": _variance_of(arguments.variance, "sample")}
    return call_with_options(bb.classifiers.bernstein_interval, arguments, costs, groups, **options)


def _variance_of(given: str | None, otherwise: str) -> float | str:
    """Return the variance asked for: a name or a number."""
    if given is None or given in ("sample", "maximal"):
        return given or otherwise
    try:
        return float(given)
    except ValueError:
        raise ArgumentError(f"--variance {given}: give sample, maximal or a number") from None
