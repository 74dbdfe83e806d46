"""Bias of classifiers, with intervals: Bernstein bounds of disparities, and gaps of rates."""

from bayesbias.classifiers.bernstein import (
    bernstein_half_width,
    detectable_disparity,
    hoeffding_half_width,
    largest_variance,
    required_n,
)
from bayesbias.classifiers.comparison import IntervalComparison, compare_intervals
from bayesbias.classifiers.costs import FairnessMeasure, costs_of
from bayesbias.classifiers.disparity import Disparity, bernstein_interval
from bayesbias.classifiers.estimation import gaps
from bayesbias.classifiers.gapresults import Gaps
from bayesbias.classifiers.outcomes import Outcome, outcome
from bayesbias.classifiers.populations import example_biographies
from bayesbias.classifiers.predictions import Predictions, count_predictions
from bayesbias.classifiers.protocol import resampling_protocol
from bayesbias.classifiers.scores import ProtocolScores
from bayesbias.classifiers.scrub import scrub_gender
from bayesbias.classifiers.specification import GapSpec, load_gap_model

__all__ = [
    "Disparity",
    "FairnessMeasure",
    "GapSpec",
    "Gaps",
    "IntervalComparison",
    "Outcome",
    "Predictions",
    "ProtocolScores",
    "bernstein_half_width",
    "bernstein_interval",
    "compare_intervals",
    "costs_of",
    "count_predictions",
    "detectable_disparity",
    "example_biographies",
    "gaps",
    "hoeffding_half_width",
    "largest_variance",
    "load_gap_model",
    "outcome",
    "required_n",
    "resampling_protocol",
    "scrub_gender",
]


def __dir__() -> list[str]:
    return __all__
