"""The commands ``classifier gaps``, ``bounds`` and ``plan``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

import bayesbias as bb
from bayesbias.cli import options as shared
from bayesbias.cli import output
from bayesbias.cli.app import app
from bayesbias.errors import ArgumentError, PredictionsError, suggest

if TYPE_CHECKING:
    import pandas as pd

classifier = typer.Typer(
    help="Compare groups in a file of predictions, and plan how many to annotate.",
    no_args_is_help=True,
)
app.add_typer(classifier, name="classifier")

File = Annotated[Path, Argument(metavar="FILE", help="CSV file, a row per person.")]
Label = Annotated[str, Option("--label-column", metavar="NAME", help="True classes.")]
Prediction = Annotated[
    str, Option("--prediction-column", metavar="NAME", help="Predicted classes.")
]
Group = Annotated[
    list[str] | None,
    Option("--group-column", metavar="NAME", help="Groups (group); several are crossed."),
]
Weights = Annotated[
    str | None, Option("--weight-column", metavar="NAME", help="How many persons a row is.")
]
Positive = Annotated[str | None, Option(metavar="LABEL", help="The class that is a good outcome.")]
Measure = Annotated[
    str,
    Option(help="demographic-parity, equal-opportunity, predictive-equality or equalised-odds."),
]
Cost = Annotated[str | None, Option("--cost-column", metavar="NAME", help="Costs of your own.")]
Protected = Annotated[str | None, Option(metavar="GROUP", help="Whose mean cost comes first.")]
Reference = Annotated[str | None, Option(metavar="GROUP", help="The group that is subtracted.")]
Confidence = Annotated[float, Option(metavar="P", help="Confidence of the bounds.")]
Gamma = Annotated[float | None, Option(metavar="G", help="Least share of either group.")]
Variance = Annotated[
    str | None, Option(metavar="V", help="Of amortised disparities: sample, maximal or a number.")
]
MaxCost = Annotated[float, Option(metavar="C", help="The largest cost.")]


@classifier.command("gaps")
def print_gaps(
    file: File,
    label: Label = "label",
    prediction: Prediction = "prediction",
    group: Group = None,
    weights: Weights = None,
    survey: Annotated[
        bool, Option("--survey", help="Weights are sampling weights, not numbers of persons.")
    ] = False,
    reference: Reference = None,
    method: Annotated[str, Option(help="beta or exact.")] = "beta",
    seed: shared.Seed = 1,
    out: shared.Out = None,
    overwrite: shared.Overwrite = False,
    as_json: shared.Json = False,
) -> None:
    """Compare GP, TPR and PP of every class between groups, with intervals."""
    from bayesbias.show.csv_files import write_csv
    from bayesbias.support.whole_files import check_folder, new_folder

    if out is not None:
        check_folder(out, overwrite=overwrite)
    columns = group or ["group"]
    result = bb.classifiers.gaps(
        _texts(file),
        true=label,
        predicted=prediction,
        group=columns,
        weights=weights,
        survey=survey,
        reference=reference,
        method=method,
        seed=seed,
    )
    if out is not None:
        with new_folder(out, overwrite=overwrite) as place:
            write_csv(result.table, place / "gaps.csv")
            write_csv(result.rates, place / "rates.csv")
            result.plot().savefig(place / "gaps.png", dpi=200)
    content = {"gaps": result.table, "rates": result.rates, "reference": result.reference}
    output.show(repr(result), content, as_json=as_json)


@classifier.command("bounds")
def print_bounds(
    file: File,
    label: Label = "label",
    prediction: Prediction = "prediction",
    group: Group = None,
    weights: Weights = None,
    positive: Positive = None,
    measure: Measure = "demographic-parity",
    cost: Cost = None,
    protected: Protected = None,
    reference: Reference = None,
    confidence: Confidence = 0.95,
    gamma: Gamma = None,
    variance: Variance = None,
    max_cost: MaxCost = 1.0,
    as_json: shared.Json = False,
) -> None:
    """Bound the difference of two groups' mean costs (Bernstein-bounded unfairness)."""
    from bayesbias.classifiers.counts import grouped, weights_of

    columns = group or ["group"]
    frame = _texts(file)
    if weights is not None:
        times = weights_of(frame, weights, survey=False).astype(int)
        frame = frame.loc[frame.index.repeat(times)].reset_index(drop=True)
    rule: dict[str, Any] = {"protected": protected, "reference": reference}
    rule |= {"confidence": confidence, "gamma": gamma, "max_cost": max_cost}
    rule["variance"] = _variance(variance or "sample")
    if cost is None and positive is None:
        raise ArgumentError("--positive: is needed, unless --cost-column names costs")
    labels = [_column(frame, name) for name in ((label, prediction) if cost is None else (cost,))]
    for values in labels:
        if n := int(values.isna().sum()):
            raise PredictionsError(
                f"{file}: column {values.name!r} has {n:,} empty cells; leave those rows out"
            )
    if cost is None:
        costs, rule["annotated"] = bb.classifiers.costs_of(measure, *labels, positive=positive)
    else:
        try:
            costs = labels[0].astype(float)
        except ValueError:
            raise PredictionsError(f"{file}: column {cost!r}: some values are no numbers") from None
    result = bb.classifiers.bernstein_interval(costs, grouped(frame, columns)[0], **rule)
    output.show(repr(result), result.to_dict(), as_json=as_json)


@classifier.command("plan")
def print_plan(
    disparity: Annotated[
        float | None, Option(metavar="D", help="A difference of mean costs, to tell from 0.")
    ] = None,
    n: Annotated[int | None, Option("--n", metavar="N", help="Annotated persons instead.")] = None,
    confidence: Confidence = 0.95,
    gamma: Gamma = 0.5,
    variance: Variance = "maximal",
    max_cost: MaxCost = 1.0,
    as_json: shared.Json = False,
) -> None:
    """Say how many persons to annotate, or what a number of them can tell."""
    from bayesbias.classifiers.bernstein import checked, largest_variance

    if (disparity is None) == (n is None):
        raise ArgumentError("give either --disparity or --n")
    share = float(checked("gamma", 0.5 if gamma is None else gamma))
    spread = _variance(variance or "maximal")
    if spread == "sample":
        raise ArgumentError("--variance sample: needs a file; see classifier bounds")
    size = largest_variance(share, max_cost) if spread == "maximal" else float(spread)
    rule = {"confidence": confidence, "max_cost": max_cost, "gamma": share, "variance": size}
    if disparity is not None:
        n = bb.classifiers.required_n(disparity=disparity, **rule)
        what = f"an estimated disparity of {disparity:g}"
    else:
        assert n is not None
        disparity = bb.classifiers.detectable_disparity(n=n, **rule)
        what = f"estimated disparities above {disparity:.4f}"
    text = (
        f"{n:,} annotated persons can distinguish {what} from 0 ({confidence:.0%} confidence, "
        f"γ = {share:g}, σ² = {size:g}, C = {max_cost:g})."
    )
    output.show(text, {"n": n, "disparity": disparity, **rule}, as_json=as_json)


def _texts(path: Path) -> "pd.DataFrame":
    """Read a file with all cells as text, so that labels stay as they are written."""
    from bayesbias.show.csv_files import read_csv_texts

    table = read_csv_texts(path, PredictionsError).reset_index(drop=True)
    return table.mask(table == "")  # an empty cell is a missing label


def _column(frame: "pd.DataFrame", name: str) -> "pd.Series":
    """Return a column, or an error that names the nearest one."""
    if name not in frame.columns:
        raise PredictionsError(
            f"no column {name!r}; name it with an option such as --label-column"
            f"{suggest(name, map(str, frame.columns))}"
        )
    return frame[name]


def _variance(text: str) -> float | str:
    """Return the variance asked for: a name or a number."""
    if text in ("sample", "maximal"):
        return text
    try:
        return float(text)
    except ValueError:
        raise ArgumentError(f"--variance {text}: give sample, maximal or a number") from None
