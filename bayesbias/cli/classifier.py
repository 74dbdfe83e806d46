"""The commands ``classifier gaps``, ``bounds`` and ``plan``."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer
from typer import Argument, Option

import bayesbias as bb
from bayesbias.cli import options as shared
from bayesbias.cli import output
from bayesbias.cli.app import Command, app
from bayesbias.errors import ArgumentError, PredictionsError

if TYPE_CHECKING:
    import pandas as pd

classifier = typer.Typer(
    help="Compare groups in predictions, and plan how many to annotate.",
    no_args_is_help=True,
)
app.add_typer(classifier, name="classifier")

File = Annotated[Path, Argument(metavar="FILE", help="CSV file, a row per person.")]
Reference = Annotated[str | None, Option(metavar="GROUP", help="The group that is subtracted.")]
Confidence = Annotated[float, Option(metavar="P", help="Confidence of the bounds.")]
Gamma = Annotated[float | None, Option(metavar="G", help="Least share of either group.")]


@dataclass(frozen=True)
class Columns:
    """Which columns of the file have what."""

    panel: ClassVar = "Columns"
    label: Annotated[str, Option("--label-column", metavar="NAME", help="True classes.")] = "label"
    prediction: Annotated[
        str, Option("--prediction-column", metavar="NAME", help="Predicted classes.")
    ] = "prediction"
    group: Annotated[
        list[str] | None,
        Option("--group-column", metavar="NAME", help="Groups (group); several are crossed."),
    ] = None
    weights: Annotated[
        str | None, Option("--weight-column", metavar="NAME", help="How many persons a row is.")
    ] = None

    @property
    def groups(self) -> list[str]:
        """The columns of groups."""
        return self.group or ["group"]


@classifier.command("gaps", cls=Command)
@shared.with_groups
def print_gaps(
    *,
    file: File,
    columns: Columns,
    survey: Annotated[
        bool, Option("--survey", help="Weights are sampling weights, not numbers of persons.")
    ] = False,
    reference: Reference = None,
    method: Annotated[str, Option(help="beta or exact.")] = "beta",
    seed: shared.Seed = 1,
    folder: shared.Folder,
    as_json: shared.Json = False,
) -> None:
    """Compare GP, TPR and PP of every class between groups, with intervals."""
    from bayesbias.show.csv_files import write_csv
    from bayesbias.support.whole_files import new_folder

    result = bb.classifiers.gaps(
        _texts(file),
        true=columns.label,
        predicted=columns.prediction,
        group=columns.groups,
        weights=columns.weights,
        survey=survey,
        reference=reference,
        method=method,
        seed=seed,
    )
    if folder.out is not None:
        with new_folder(folder.out, overwrite=folder.overwrite) as place:
            write_csv(result.table, place / "gaps.csv")
            write_csv(result.rates, place / "rates.csv")
            result.plot().savefig(place / "gaps.png", dpi=200)
    content = {"gaps": result.table, "rates": result.rates, "reference": result.reference}
    output.show(repr(result), content, as_json=as_json)


@classifier.command("bounds", cls=Command)
@shared.with_groups
def print_bounds(
    *,
    file: File,
    columns: Columns,
    positive: Annotated[
        str | None, Option(metavar="LABEL", help="The class that is a good outcome.")
    ] = None,
    measure: Annotated[
        str,
        Option(
            help="demographic-parity, equal-opportunity, predictive-equality or equalised-odds."
        ),
    ] = "demographic-parity",
    cost: Annotated[
        str | None, Option("--cost-column", metavar="NAME", help="Costs of your own.")
    ] = None,
    protected: Annotated[
        str | None, Option(metavar="GROUP", help="Whose mean cost comes first.")
    ] = None,
    reference: Reference = None,
    confidence: Confidence = 0.95,
    gamma: Gamma = None,
    variance: Annotated[
        str, Option(metavar="V", help="Of amortised disparities: sample, maximal or a number.")
    ] = "sample",
    as_json: shared.Json = False,
) -> None:
    """Bound the difference of two groups' mean costs (Bernstein-bounded unfairness)."""
    from bayesbias.classifiers.counts import as_labels, grouped, refuse_absent, weights_of

    frame, counted = _texts(file), None
    if columns.weights is not None:
        times = weights_of(frame, columns.weights, survey=False).astype(int)
        frame = frame.loc[frame.index.repeat(times)].reset_index(drop=True)
    spread: float | str = variance
    with suppress(ValueError):
        spread = float(variance)
    if cost is None and positive is None:
        raise ArgumentError("--positive: is needed, unless --cost-column names costs")
    named = {"label": columns.label, "prediction": columns.prediction}
    named = named if cost is None else {"cost": cost}
    for what, name in named.items():
        refuse_absent(frame, what, name)
    labels = [as_labels(frame[name], name) for name in named.values()]
    costs: Any = labels[0]
    if cost is None:
        costs, counted = bb.classifiers.costs_of(measure, *labels, positive=positive)
    result = bb.classifiers.bernstein_interval(
        costs,
        grouped(frame, columns.groups)[0],
        annotated=counted,
        protected=protected,
        reference=reference,
        confidence=confidence,
        gamma=gamma,
        variance=spread,
    )
    output.show(repr(result), result.to_dict(), as_json=as_json)


@classifier.command("plan", cls=Command)
def print_plan(
    disparity: Annotated[
        float | None, Option(metavar="D", help="A difference of mean costs, to tell from 0.")
    ] = None,
    n: Annotated[int | None, Option("--n", metavar="N", help="Annotated persons instead.")] = None,
    confidence: Confidence = 0.95,
    gamma: Gamma = 0.5,
    variance: Annotated[
        float | None, Option(metavar="V", help="Of amortised disparities (the largest).")
    ] = None,
    as_json: shared.Json = False,
) -> None:
    """Say how many persons to annotate, or what a number of them can tell."""
    from bayesbias.classifiers.disparity import largest_variance

    rule: Any = {"confidence": confidence, "gamma": gamma}
    rule["variance"] = largest_variance(rule["gamma"], 1.0) if variance is None else variance
    if disparity is not None and n is None:
        n = bb.classifiers.required_n(disparity=disparity, **rule)
        what = f"an estimated disparity of {disparity:g}"
    elif n is not None and disparity is None:
        disparity = bb.classifiers.detectable_disparity(n=n, **rule)
        what = f"estimated disparities above {disparity:.4f}"
    else:
        raise ArgumentError("give either --disparity or --n")
    text = (
        f"{n:,} annotated persons can distinguish {what} from 0 ({confidence:.0%} confidence, "
        f"γ = {gamma:g}, σ² = {rule['variance']:g})."
    )
    output.show(text, {"n": n, "disparity": disparity, **rule}, as_json=as_json)


def _texts(path: Path) -> "pd.DataFrame":
    """Read a file with all cells as text, so that labels stay as they are written."""
    from bayesbias.show.csv_files import read_csv_texts

    table = read_csv_texts(path, PredictionsError).reset_index(drop=True)
    return table.mask(table == "")  # an empty cell is a missing label
