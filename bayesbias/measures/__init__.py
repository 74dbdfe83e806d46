"""One-number measures of embedding bias.

Every measure returns a `MeasureResult`: the value, the words used and dropped, the variant of the
formula, and an interval or a p-value with how it was computed. `MEASURES` lists them with their
sources; docs/measures.md says what each can and cannot show.

Every measure leaves out words that are missing, with a `MissingWordsWarning`, and lists them in
``dropped``; a pair with a missing word is left out as a pair. It raises an `ArgumentError` if a set
or `pairs` is empty or none of it is in the vectors, repeats a word or shares one with another set,
or an option is outside its range; and an `EmbeddingError` if a vector is zero or not finite.
`draws`, `prob` and `seed` are those of the interval, a bootstrap over words.
"""

from bayesbias.measures.association import mac, weat, wefat
from bayesbias.measures.directions import direct_bias, neighbour_bias, ripa
from bayesbias.measures.groups import ect, rnd, rnsb
from bayesbias.measures.measure_result import MeasureResult
from bayesbias.measures.registry import MEASURES, all_measures

__all__ = [
    "MEASURES", "MeasureResult", "all_measures", "direct_bias", "ect", "mac", "neighbour_bias",
    "ripa", "rnd", "rnsb", "weat", "wefat",
]  # fmt: skip


def __dir__() -> list[str]:
    return __all__
