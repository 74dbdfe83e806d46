"""Measures that compare the mean vectors of two groups: RND and ECT.

Garg et al. (2018), Word embeddings quantify 100 years of gender and ethnic stereotypes, PNAS;
Dev and Phillips (2019), Attenuating Bias in Word Vectors, AISTATS.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbias.errors import ArgumentError, suggest
from bayesbias.measures.bootstrap import BootstrapInterval, bootstrap_interval
from bayesbias.measures.declaration import Measure
from bayesbias.measures.inputs import two_groups_each_set
from bayesbias.measures.results import MeasureResult
from bayesbias.measures.wordsets import find_sets, need_vectors, unit_vectors, warn_dropped
from bayesbias.pairs.distance_frame import cosine_distances
from bayesbias.vectors.lookup import vectors_of

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

Array = NDArray[np.float64]

RND_KINDS: Final = ("norm", "cos")


def rnd(
    vectors: "KeyedVectors",
    x: Sequence[str],
    y: Sequence[str],
    attributes: Sequence[str],
    *,
    kind: str = "norm",
    normalise: bool = False,
    draws: int = 1000,
    prob: float = 0.95,
    seed: int | np.random.Generator | None = None,
) -> MeasureResult:
    """Relative norm distance of attributes to two groups (Garg et al. 2018).

    Parameters
    ----------
    vectors : KeyedVectors
    x, y : sequence of str
        Protected words.
    attributes : sequence of str
    kind : {"norm", "cos"}
        ``norm``: ‖a − x̄‖ − ‖a − ȳ‖, negative where a is nearer to X. ``cos``: cos(a, x̄) −
        cos(a, ȳ), *positive* where a is nearer to X.
    normalise : bool
        Scale all vectors to unit length before the means are taken (Garg et al. do).
    draws : int
        Draws of the bootstrap.
    prob : float
        Probability of the interval.
    seed : int or Generator, optional

    Returns
    -------
    MeasureResult
        The mean over attributes; ``details["sum"]`` is the sum, which Garg et al. report;
        ``by_word`` has the differences. The interval is from a bootstrap over the words of X, of
        Y and the attributes.

    Raises
    ------
    ArgumentError
        If a set is empty or none of it is in the vectors, a word is in two sets, or the
        kind is unknown.
    EmbeddingError
        If a vector is zero or not finite.

    Warns
    -----
    MissingWordsWarning
        If words are missing; ``dropped`` lists them.

    Examples
    --------
    >>> import bayesbias as bb
    >>> kv = bb.load_embedding({"he": [0.0, 0.0, 1.0], "she": [4.0, 0.0, 1.0],
    ...                         "work": [0.0, 3.0, 1.0]})
    >>> rnd(kv, ["he"], ["she"], ["work"]).value
    -2.0
    """
    if kind not in RND_KINDS:
        raise ArgumentError(f"kind={kind!r}{suggest(kind, RND_KINDS)}")
    need_vectors(vectors, "RND")
    used, dropped = find_sets(vectors, {"X": x, "Y": y}, {"attributes": attributes})

    def differences(x: Array, y: Array, a: Array) -> Array:
        means = np.stack([x.mean(axis=0), y.mean(axis=0)])
        if kind == "norm":
            to_means = np.linalg.norm(a[:, None, :] - means[None, :, :], axis=2)
        else:
            to_means = 1.0 - cosine_distances(a, means)
        return np.asarray(to_means[:, 0] - to_means[:, 1])

    parts = _parts(vectors, used, normalise)
    difference = differences(*parts)
    interval = _interval(lambda *p: float(differences(*p).mean()), used, parts, draws, prob, seed)
    warn_dropped(dropped)
    what = "‖a − mean X‖ − ‖a − mean Y‖" if kind == "norm" else "cos(a, mean X) − cos(a, mean Y)"
    return MeasureResult(
        measure="RND",
        value=float(difference.mean()),
        formula=f"mean over attributes of {what}, {'unit' if normalise else 'unscaled'} vectors",
        words=used,
        dropped=dropped,
        details={"sum": float(difference.sum()), "kind": kind},
        by_word=dict(zip(used["attributes"], difference.tolist(), strict=True)),
        **interval._asdict(),
    )


def ect(
    vectors: "KeyedVectors",
    x: Sequence[str],
    y: Sequence[str],
    attributes: Sequence[str],
    *,
    normalise: bool = False,
    draws: int = 1000,
    prob: float = 0.95,
    seed: int | np.random.Generator | None = None,
) -> MeasureResult:
    """Embedding Coherence Test: do two groups rank attributes alike? (Dev and Phillips 2019).

    Parameters
    ----------
    vectors : KeyedVectors
    x, y : sequence of str
        Protected words.
    attributes : sequence of str
        At least two.
    normalise : bool
        Scale all vectors to unit length before the means are taken.
    draws : int
        Draws of the bootstrap.
    prob : float
        Probability of the interval.
    seed : int or Generator, optional

    Returns
    -------
    MeasureResult
        Spearman's rank correlation of the attributes' cosines to the two mean vectors, −1 to 1; 1
        where both groups rank them alike. ``by_word`` has each attribute's difference of ranks. The
        interval is from a bootstrap over the words of X, of Y and the attributes.

    Raises
    ------
    ArgumentError
        If a set is empty or none of it is in the vectors, a word is in two sets, fewer than
        two attributes are left, or all are equally near to a group.

    Warns
    -----
    MissingWordsWarning
        If words are missing; ``dropped`` lists them.

    Examples
    --------
    >>> import bayesbias as bb
    >>> kv = bb.load_embedding({"he": [1.0, 0.0], "she": [0.0, 1.0], "work": [1.0, 0.1],
    ...                         "home": [0.1, 1.0]})
    >>> round(ect(kv, ["he"], ["she"], ["work", "home"]).value, 6)
    -1.0
    """
    need_vectors(vectors, "ECT")
    used, dropped = find_sets(vectors, {"X": x, "Y": y}, {"attributes": attributes})
    if len(used["attributes"]) < 2:
        raise ArgumentError("attributes: a rank correlation needs at least two in the vectors")

    def correlation(ranks: Array) -> float:
        size = np.linalg.norm(ranks, axis=0)
        return float(ranks[:, 0] @ ranks[:, 1] / size.prod()) if size.all() else np.nan

    members_x, members_y, matrix = _parts(vectors, used, normalise)
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    # The length of a mean does not change the order of the cosines with it.
    parts = (members_x @ unit.T, members_y @ unit.T, np.arange(len(unit)))

    def ranks_of(x: Array, y: Array, chosen: NDArray[np.intp]) -> Array:
        """Return, column by column, ranks less their mean; equal scores share theirs."""
        scores = np.stack([x.mean(axis=0), y.mean(axis=0)], axis=1)[chosen]
        return np.asarray(np.sign(scores[:, None] - scores[None]).sum(axis=1) / 2)

    ranks = ranks_of(*parts)
    value = correlation(ranks)
    if np.isnan(value):
        raise ArgumentError("attributes: all are equally near to a group, so nothing is ranked")
    interval = _interval(lambda *p: correlation(ranks_of(*p)), used, parts, draws, prob, seed)
    warn_dropped(dropped)
    return MeasureResult(
        measure="ECT",
        value=value,
        formula=f"Spearman correlation of cos(a, mean X) and cos(a, mean Y) over attributes, "
        f"{'unit' if normalise else 'unscaled'} vectors",
        words=used,
        dropped=dropped,
        by_word=dict(zip(used["attributes"], (ranks[:, 0] - ranks[:, 1]).tolist(), strict=True)),
        **interval._asdict(),
    )


def _parts(
    vectors: "KeyedVectors", used: dict[str, tuple[str, ...]], normalise: bool
) -> tuple[Array, Array, Array]:
    """Return the vectors of X, of Y and of the attributes."""
    find = unit_vectors if normalise else vectors_of
    x, y, attributes = (find(vectors, used[role]) for role in ("X", "Y", "attributes"))
    for role, rows in (("X", x), ("Y", y)):
        if not rows.mean(axis=0).any():
            raise ArgumentError(f"{role}: its vectors cancel, so their mean has no direction")
    return x, y, attributes


def _interval(
    statistic: Callable[..., float],
    used: dict[str, tuple[str, ...]],
    parts: tuple[NDArray[Any], ...],
    draws: int,
    prob: float,
    seed: int | np.random.Generator | None,
) -> BootstrapInterval:
    """Draw the words of X, of Y and the attributes anew."""
    return bootstrap_interval(
        lambda drawn: statistic(*(part[i] for part, i in zip(parts, drawn, strict=True))),
        {role: len(used[role]) for role in ("X", "Y", "attributes")},
        draws=draws,
        prob=prob,
        seed=seed,
    )


RND = Measure(
    name="RND",
    function=rnd,
    source="Garg, Schiebinger, Jurafsky and Zou (2018), Word embeddings quantify 100 years of "
    "gender and ethnic stereotypes, PNAS 115",
    reading="says to which group's mean attributes are nearer; not whether that mean "
    "represents its words",
    calls=two_groups_each_set,
)
ECT = Measure(
    name="ECT",
    function=ect,
    source="Dev and Phillips (2019), Attenuating Bias in Word Vectors, AISTATS",
    reading="says whether two groups rank attributes alike; not by how much they differ",
    calls=two_groups_each_set,
)
