"""One-number measures of embedding bias.

Every measure returns a `MeasureResult`: the value, the words used and dropped, the variant of the
formula, and the p-value with how it was computed. docs/measures.md says what each can and cannot
tell.
"""

from bayesbias.measures.association import PermutationTest, permutation_test
from bayesbias.measures.centroids import ect, rnd
from bayesbias.measures.differential import WeatResult, weat, weat_manipulations, wefat
from bayesbias.measures.distance import mac, mac_change
from bayesbias.measures.projection import direct_bias, ripa
from bayesbias.measures.results import DroppedWord, MeasureResult, results_frame
from bayesbias.measures.survey import all_measures
from bayesbias.measures.ttests import TTest, paired_test, welch_test
from bayesbias.pairs.averages import mean_average_distance, shares_within

__all__ = [
    "DroppedWord",
    "MeasureResult",
    "PermutationTest",
    "TTest",
    "WeatResult",
    "all_measures",
    "direct_bias",
    "ect",
    "mac",
    "mac_change",
    "mean_average_distance",
    "paired_test",
    "permutation_test",
    "results_frame",
    "ripa",
    "rnd",
    "shares_within",
    "weat",
    "weat_manipulations",
    "wefat",
    "welch_test",
]
