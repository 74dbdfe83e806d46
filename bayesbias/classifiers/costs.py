"""Fairness measures as costs: what a prediction costs, and which examples are counted.

A measure of fairness is the difference of two groups' mean costs over the examples that it
annotates. Costs here are 0 or 1. A cost of one's own needs none of this: give `bernstein_interval`
the numbers.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bayesbias.classifiers.predictions import as_labels, refuse_disjoint, refuse_unlike
from bayesbias.errors import ArgumentError, suggest
from bayesbias.support.arrays import Array, Mask

MaskRule = Callable[[Mask, Mask], Mask]


class FairnessMeasure(NamedTuple):
    """By truth and prediction: what an example costs, whether it is counted; how to read it."""

    cost: MaskRule
    annotated: MaskRule
    reads: str


_ALL: Final[MaskRule] = lambda y, p: np.ones_like(y)  # noqa: E731

FAIRNESS_MEASURES: Final[Mapping[str, FairnessMeasure]] = {
    "demographic-parity": FairnessMeasure(
        lambda y, p: ~p, _ALL, "difference of the rates of not being predicted positive"
    ),
    "equal-opportunity": FairnessMeasure(
        lambda y, p: ~p, lambda y, p: y, "difference of false negative rates"
    ),
    "predictive-equality": FairnessMeasure(
        lambda y, p: p, lambda y, p: ~y, "difference of false positive rates"
    ),
    "equalised-odds": FairnessMeasure(
        lambda y, p: y != p,
        _ALL,
        "difference of error rates, a mixture of false negatives and false positives",
    ),
}
"""The measures by name. Equalised odds in the strict sense is equal opportunity and predictive
equality, both: error rates may be equal where neither is (see `docs/classifiers.md`)."""


def costs_of(
    measure: str, true: ArrayLike, predicted: ArrayLike, *, positive: Any
) -> tuple[Array, Mask]:
    """Return what each example costs, and whether it is counted, shape (n,) both.

    Parameters
    ----------
    measure : {"demographic-parity", "equal-opportunity", "predictive-equality", "equalised-odds"}
    true, predicted : array_like, shape (n,)
        Labels; all but `positive` count as negative.
    positive : label
        The class whose prediction is the good outcome.

    Raises
    ------
    ArgumentError
        If the measure is unknown, the lengths differ or no label is `positive`.
    PredictionsError
        If a label is missing, or labels do not match as in `count_predictions`.

    Examples
    --------
    >>> costs, annotated = costs_of("equal-opportunity", [1, 1, 0], [1, 0, 0], positive=1)
    >>> costs.tolist(), annotated.tolist()
    ([0.0, 1.0, 1.0], [True, True, False])
    """
    if measure not in FAIRNESS_MEASURES:
        raise ArgumentError(f"no fairness measure {measure!r}{suggest(measure, FAIRNESS_MEASURES)}")
    rule = FAIRNESS_MEASURES[measure]
    shapes = np.shape(true), np.shape(predicted)
    if len(shapes[0]) != 1 or shapes[0] != shapes[1]:
        raise ArgumentError(
            f"true and predicted have shapes {shapes[0]} and {shapes[1]}; give one label per "
            f"example in both"
        )
    truth, guess = as_labels(true, "true"), as_labels(predicted, "predicted")
    (wanted,) = as_labels([positive], "positive")
    labels = sorted({*truth, *guess})
    y, p = (truth == wanted).to_numpy(), (guess == wanted).to_numpy()
    if not (y.any() or p.any()):
        raise ArgumentError(f"positive={positive!r}: no example has it{suggest(wanted, labels)}")
    if not (y.all() or p.all()):
        refuse_disjoint(truth, guess)
    refuse_unlike([*labels, wanted], "true, predicted and positive")
    return rule.cost(y, p).astype(float), rule.annotated(y, p)
