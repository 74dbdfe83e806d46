"""Bias of classifiers, with intervals: Bernstein bounds of disparities, and gaps of rates.

Functions raise a `PredictionsError` if a table of predictions is malformed (see
`count_predictions`), and an `ArgumentError` if another argument is outside its range.
"""

from bayesbias.classifiers.counts import Predictions, costs_of, count_predictions
from bayesbias.classifiers.disparity import (
    Disparity,
    bernstein_half_width,
    bernstein_interval,
    detectable_disparity,
    hoeffding_half_width,
    required_n,
)
from bayesbias.classifiers.estimates import Gaps, gaps
from bayesbias.classifiers.protocol import (
    ProtocolScores,
    example_biographies,
    resampling_protocol,
)

__all__ = [
    "Disparity", "Gaps", "Predictions", "ProtocolScores", "bernstein_half_width",
    "bernstein_interval", "costs_of", "count_predictions", "detectable_disparity",
    "example_biographies", "gaps", "hoeffding_half_width", "required_n", "resampling_protocol",
]  # fmt: skip


def __dir__() -> list[str]:
    return __all__
