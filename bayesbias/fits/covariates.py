"""Covariates: numbers known of words or pairs, each with a slope that the model estimates.

A covariate z enters the mean of a pair as β (z − z̄) / sd(z), with β ~ Normal(0, ½ prior unit), a
slope for each kind of list: one slope for all would make their attributes one block, in which what
is alike cannot be rotated to independent directions.
Numbers of protected words are centred within groups first: what they differ by between groups is
the groups' difference, which the cell means have.
"""

import dataclasses
from collections.abc import Iterable

import pandas as pd

from bayesbias.constants import ATTRIBUTE, GROUP, PROTECTED_WORD
from bayesbias.errors import ArgumentError, suggest
from bayesbias.models.specification import ModelSpec
from bayesbias.models.terms import ATTRIBUTE_KIND, TermSpec

_SD = 0.5
"""Sd of a slope's prior, in standard deviations of a neutral pair's distance for one of the
covariate."""


def with_covariates(
    frame: pd.DataFrame, spec: ModelSpec, covariates: Iterable[str] | pd.DataFrame
) -> tuple[pd.DataFrame, ModelSpec]:
    """Return a frame with the columns of covariates, and a model with a slope for each.

    `covariates`: names of numeric columns; or a frame of columns by word.
    """
    if isinstance(covariates, pd.DataFrame):
        frame, covariates = _joined(frame, covariates), list(covariates.columns)
    names = [covariates] if isinstance(covariates, str) else [*map(str, covariates or ())]
    if not names:
        return frame, spec
    frame, terms = frame.copy(), list(spec.terms)
    for name in names:
        if name not in frame:
            raise ArgumentError(
                f"covariates: the frame has no column {name!r}"
                f"{suggest(name, [str(c) for c in frame.columns])}"
            )
        if not pd.api.types.is_numeric_dtype(frame[name]):
            raise ArgumentError(f"covariates: column {name!r} holds no numbers; convert it")
        if frame.groupby(PROTECTED_WORD)[name].nunique().max() == 1:
            frame[name] = frame[name] - frame.groupby(GROUP)[name].transform("mean")
        sd = _SD if spec.prior_unit and spec.scale is None else 0.05
        letters = "".join(c if c.isalnum() else "_" for c in name.lower()).strip("_")
        terms.append(TermSpec(f"slope_{letters}", (ATTRIBUTE_KIND,), sd=sd, of=(name,)))
    return frame, dataclasses.replace(spec, terms=tuple(terms))


def _joined(frame: pd.DataFrame, numbers: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with numbers by word beside the words that they are of."""
    if numbers.index.has_duplicates:
        word = numbers.index[numbers.index.duplicated()][0]
        raise ArgumentError(f"covariates: {word!r} has two rows of numbers; leave one out")
    for column in (ATTRIBUTE, PROTECTED_WORD):
        words = frame[column]
        if words.isin(numbers.index).any():
            missing = sorted(set(words[~words.isin(numbers.index)]))
            if missing:
                remaining = frame[words.isin(numbers.index)]
                raise ArgumentError(
                    f"covariates: no numbers for {len(missing)} of the {column.replace('_', ' ')}s "
                    f"({', '.join(missing[:5])}…); add them, or leave these words out of the frame "
                    f"({len(remaining):,} of {len(frame):,} pairs remain)"
                )
            columns = {name: words.map(numbers[name]).to_numpy() for name in numbers.columns}
            return frame.assign(**columns)
    raise ArgumentError(
        "covariates: the index of the frame names no word of the pairs; index it by protected "
        "words or attributes"
    )
