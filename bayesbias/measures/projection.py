"""Projections on a bias direction: direct bias and RIPA.

Both take one direction from pairs (x, y) such as (she, he), and ask how far words lie along it:

    direct bias = mean |cos(w, g)|^c,   g the first right singular vector of the pairs, each centred
    RIPA = ⟨w, b⟩,                      b the first right singular vector of the differences x − y

Direct bias (Bolukbasi et al. 2016) scales words to unit length, RIPA (Ethayarajh et al. 2019) keeps
their lengths. What words have off the one direction is in neither (`neighbourhoods`).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bayesbias.errors import ArgumentError
from bayesbias.measures.measure_result import MeasureResult, Value, measured
from bayesbias.measures.words import RoleWords, WordPairs, unit_vectors, wanted_words
from bayesbias.support.arguments import KeyedVectors
from bayesbias.vectors.lookup import vectors_of
from bayesbias.vectors.subspaces import Subspace, bias_subspace


def direct_bias(
    vectors: KeyedVectors,
    words: Sequence[str],
    pairs: WordPairs,
    *,
    strictness: float = 1.0,
    normalise: bool = True,
) -> MeasureResult:
    """Mean absolute cosine of words to the bias direction (Bolukbasi et al. 2016).

    Parameters
    ----------
    words : sequence of str
        Words that should be neutral.
    pairs : sequence of pairs of words
        Such as ``[("she", "he")]``: they define the direction, which points toward their first
        words. Each pair is centred on its own mean; centring the differences instead would remove
        what they share.
    strictness : float
        The exponent c ≥ 0 of |cos|^c; at 0 every word counts 1, unless its cosine is 0.
    normalise : bool
        Scale the vectors of the pairs to unit length first, as the original does.

    Returns
    -------
    MeasureResult
        ``by_word`` has the signed cosines, positive toward the first words of the pairs;
        ``details`` the ``direction``, the words that it points ``toward`` and
        ``explained_variance``, the shares of all components: where the first share is not much
        greater than the second, there is no one direction to speak of.

    Raises
    ------
    ArgumentError, EmbeddingError
        As every measure of the package, and if `strictness` is negative.

    Examples
    --------
    >>> import bayesbias as bb
    >>> kv = bb.load_embedding({"she": [1.0, 1.0], "he": [-1.0, 1.0], "nurse": [0.6, 0.8]})
    >>> result = direct_bias(kv, ["nurse"], [("she", "he")])
    >>> round(result.value, 6), result.details["toward"]
    (0.6, ('she',))
    """
    if not strictness >= 0:
        raise ArgumentError(f"strictness={strictness}: must be at least 0")
    sets = wanted_words("direct bias", vectors, {"words": words}, pairs=pairs)
    scaled = unit_vectors if normalise else vectors_of
    subspace = bias_subspace([scaled(vectors, [*pair]) for pair in sets.pairs], 1)
    cosines = unit_vectors(vectors, sets.used["words"]) @ subspace.basis[0]
    sizes = np.abs(cosines) ** strictness if strictness else (cosines != 0).astype(np.float64)
    details = {"mean_signed": float(cosines.mean()), "strictness": strictness}
    details |= _direction_details(subspace, sets)
    return measured(
        "direct bias",
        sets,
        lambda: Value(sizes.mean(), cosines, details),
        f"mean |cos(w, g)|^{strictness:g}, g the first right singular vector of the "
        f"{'unit' if normalise else 'unscaled'} vectors of the pairs, each pair centred",
        by=sets.used["words"],
    )


def ripa(vectors: KeyedVectors, words: Sequence[str], pairs: WordPairs) -> MeasureResult:
    """Relational inner product association (Ethayarajh et al. 2019).

    The direction b is the first right singular vector of the differences first − second, neither
    centred nor scaled; for one pair b = (x − y)/‖x − y‖. Words are not scaled to unit length.

    Parameters
    ----------
    words : sequence of str
        Words that should be neutral.
    pairs : sequence of pairs of words
        Ordered, such as ``[("she", "he")]``; positive values are toward the first words.

    Returns
    -------
    MeasureResult
        ``by_word`` has ⟨w, b⟩ of every word; the value is their mean, in units of vector length.
        ``details`` has ``direction``, ``toward``, ``explained_variance`` and ``mean_absolute``.

    Examples
    --------
    >>> import bayesbias as bb
    >>> kv = bb.load_embedding({"she": [1.0, 1.0], "he": [-1.0, 1.0], "nurse": [3.0, 4.0]})
    >>> ripa(kv, ["nurse"], [("she", "he")]).by_word
    {'nurse': 3.0}
    """
    sets = wanted_words("RIPA", vectors, {"words": words}, pairs=pairs)
    ends = [vectors_of(vectors, [*pair]) for pair in sets.pairs]
    subspace = bias_subspace([[first - second for first, second in ends]], 1, centre=False)
    products = vectors_of(vectors, sets.used["words"]) @ subspace.basis[0]
    mean_absolute = float(np.abs(products).mean())
    details = {"mean_absolute": mean_absolute, **_direction_details(subspace, sets)}
    return measured(
        "RIPA",
        sets,
        lambda: Value(products.mean(), products, details),
        "mean ⟨w, b⟩, w not normalised, b the first right singular vector of the pairs' "
        "differences, not centred",
        by=sets.used["words"],
    )


def _direction_details(subspace: Subspace, sets: RoleWords) -> Mapping[str, Any]:
    """Return the direction, where it points, and the share of variance of every component."""
    return {
        "direction": tuple(subspace.basis[0].tolist()),
        "toward": tuple(pair.first for pair in sets.pairs),
        "explained_variance": tuple(subspace.explained_variance.tolist()),
    }
