"""How the command about classifiers is typed. Imports nothing heavy."""

import argparse
from typing import Any

from bayesbias.cli.options import (
    add_decision_options,
    add_output_options,
    add_speech_options,
    command,
    later,
)
from bayesbias.constants import CONFIDENCE, GAP_ROPE


def add_classifier(commands: Any) -> None:
    """Add the command ``classifier``."""
    parser = command(
        commands,
        "classifier",
        "compare groups in a file of predictions, and plan how many to annotate",
        "bayesbias classifier gaps predictions.csv --true y --pred p --group gender",
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    bbu = command(
        actions,
        "bbu",
        "bound the difference of two groups' mean costs (Bernstein-bounded unfairness)",
        "bayesbias classifier bbu predictions.csv --true y --pred p --group gender "
        "--positive nurse --measure equal-opportunity",
    )
    bbu.add_argument("file", metavar="FILE", help="a .csv or .csv.gz file, one row per person")
    _add_cost_options(bbu)
    _add_bound_options(bbu)
    bbu.add_argument(
        "--compare",
        action="store_true",
        help="also print bootstrap and Bayesian intervals (costs of 0 and 1)",
    )
    bbu.add_argument("--seed", type=int, default=1, help="seed of --compare (default 1)")
    add_speech_options(bbu)
    bbu.set_defaults(run=later("bayesbias.cli.classifier", "run_bbu"))
    gaps = command(
        actions,
        "gaps",
        "compare GP, TPR and PP of every class between groups, with intervals",
        "bayesbias classifier gaps predictions.csv --true y --pred p --group gender --out out/gaps",
    )
    gaps.add_argument("file", metavar="FILE", help="a .csv or .csv.gz file, one row per person")
    for name, what in (("true", "true classes"), ("pred", "predicted classes"),
                       ("group", "groups")):  # fmt: skip
        gaps.add_argument(f"--{name}", required=True, metavar="COLUMN", help=f"column of {what}")
    gaps.add_argument(
        "--reference",
        metavar="GROUP",
        help="the group that is subtracted (default: the last in sorted order)",
    )
    gaps.add_argument("--group-names", metavar="A=NAME,...",
                      help="what groups are called, such as 0=male,1=female")  # fmt: skip
    gaps.add_argument("--class-names", metavar="FILE",
                      help="what classes are called: a .csv whose first two columns are label and "
                      "name")  # fmt: skip
    gaps.add_argument("--method", default="beta",
                      help="beta (default), hierarchical, bootstrap or point")  # fmt: skip
    gaps.add_argument("--model", default="gaps", help="of --method hierarchical: a .toml file")
    gaps.add_argument("--draws", type=int, help="draws (default 4000; hierarchical: 2000 a chain)")
    add_output_options(gaps, out_required=False)
    add_decision_options(gaps, rope=GAP_ROPE)
    gaps.set_defaults(run=later("bayesbias.cli.classifier", "run_gaps"))
    plan = command(
        actions,
        "plan",
        "say how many persons to annotate, or what a number of them can tell",
        "bayesbias classifier plan --disparity 0.05",
    )
    plan.add_argument("file", nargs="?", metavar="FILE",
                      help="a .csv file to take variance and shares from; without it, --gamma and "
                      "--variance")  # fmt: skip
    plan.add_argument("--disparity", type=float, metavar="D",
                      help="the difference of mean costs to be told from 0")  # fmt: skip
    plan.add_argument("--n", type=int, help="a number of annotated persons instead")
    _add_cost_options(plan)
    _add_bound_options(plan)
    add_speech_options(plan)
    plan.set_defaults(run=later("bayesbias.cli.classifier", "run_plan"))


def _add_cost_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--true", metavar="COLUMN", help="column of true classes")
    parser.add_argument("--pred", metavar="COLUMN", help="column of predicted classes")
    parser.add_argument("--positive", metavar="LABEL", help="the class that is the good outcome")
    parser.add_argument("--measure", default="demographic-parity",
                        help="demographic-parity (default), equal-opportunity, predictive-equality "
                        "or equalised-odds")  # fmt: skip
    parser.add_argument("--cost", metavar="COLUMN", help="column of your own costs instead")
    parser.add_argument("--group", metavar="COLUMN", help="column of groups")
    parser.add_argument("--protected", metavar="GROUP",
                        help="the group whose mean cost comes first")  # fmt: skip
    parser.add_argument("--reference", metavar="GROUP",
                        help="the group that is subtracted (default: all others)")  # fmt: skip


def _add_bound_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--confidence", type=float, default=CONFIDENCE, metavar="P",
                        help=f"confidence of the bounds (default {CONFIDENCE})")  # fmt: skip
    parser.add_argument("--gamma", type=float, metavar="G",
                        help="least share of either group, where known (default: as observed; 0.5 "
                        "without a file)")  # fmt: skip
    parser.add_argument("--variance", default=None, metavar="V",
                        help="of amortised disparities: sample, maximal or a number (default: "
                        "sample; maximal without a file)")  # fmt: skip
    parser.add_argument("--max-cost", type=float, default=1.0, metavar="C",
                        help="the largest cost (default 1)")  # fmt: skip
