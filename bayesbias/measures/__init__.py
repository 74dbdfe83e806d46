"""One-number measures of embedding bias.

Every measure returns a `MeasureResult`: the value, the words used and dropped, the variant of the
formula, and an interval or a p-value with how it was computed. `MEASURES` lists them with their
sources; docs/measures.md says what each can and cannot show.

Every measure leaves out words that are missing, with a `MissingWordsWarning`, and lists them in
``dropped``; a pair with a missing word is left out as a pair. It raises an `ArgumentError` if a set
or `pairs` is empty or none of it is in the vectors, repeats a word or shares one with another set,
or an option is outside its range; and an `EmbeddingError` if a vector is zero or not finite.
`draws`, `prob` and `seed` are the number of draws, the probability and the seed of the interval, a
bootstrap over words.
"""

from typing import Any

from bayesbias.measures.association import PermutationTest, permutation_test
from bayesbias.measures.centroids import ect, rnd
from bayesbias.measures.combination import ceat, context_effects, effect_size_variance
from bayesbias.measures.declaration import Measure
from bayesbias.measures.differential import WeatResult, weat, wefat
from bayesbias.measures.distance import mac, mac_change
from bayesbias.measures.neighbourhoods import cluster_bias, neighbour_bias
from bayesbias.measures.projection import direct_bias, ripa
from bayesbias.measures.registry import MEASURES, Measures, all_measures
from bayesbias.measures.relative_sentiment import rnsb
from bayesbias.measures.results import DroppedWord, MeasureResult, results_frame
from bayesbias.measures.same_score import same
from bayesbias.measures.sembias_choices import read_sembias, sembias
from bayesbias.measures.ttests import TTest, paired_test, welch_test
from bayesbias.pairs.averages import mean_average_distance, shares_within

__all__ = [
    "MEASURES",
    "DroppedWord",
    "Measure",
    "MeasureResult",
    "Measures",
    "PermutationTest",
    "TTest",
    "WeatResult",
    "all_measures",
    "ceat",
    "cluster_bias",
    "context_effects",
    "direct_bias",
    "ect",
    "effect_size_variance",
    "mac",
    "mac_change",
    "mean_average_distance",
    "neighbour_bias",
    "paired_test",
    "permutation_test",
    "read_sembias",
    "results_frame",
    "ripa",
    "rnd",
    "rnsb",
    "same",
    "sembias",
    "shares_within",
    "weat",
    "wefat",
    "welch_test",
]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    """Return the function of any other measure that the registry lists."""
    for measure in MEASURES.values():
        if measure.function.__name__ == name:
            return measure.function
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
