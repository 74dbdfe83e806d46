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

import lazy_loader

_listed, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    """Return a public name, or the function of any other measure that the registry lists."""
    if name in __all__:
        return _listed(name)
    from bayesbias.measures.registry import MEASURES

    for measure in MEASURES.values():
        if measure.function.__name__ == name:
            return measure.function
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
