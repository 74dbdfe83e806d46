"""A model with other priors, or with clusters of protected words, for a refit of the same data."""

import dataclasses
from typing import Final

import pandas as pd

from bayesbias.constants import ATTRIBUTE, GROUP, PROTECTED_WORD, REFERENCE
from bayesbias.inference.identifiability import drop_unidentified_terms
from bayesbias.inference.specification import ModelSpec, with_term
from bayesbias.inference.terms import TermSpec
from bayesbias.pairs.topics import correlations, topics

CLUSTER: Final = "cluster"
"""The column that tells the clusters of protected words."""

_NOT_TRIED: Final = "Clusters of protected words are not tried"


def scale_names(spec: ModelSpec) -> list[str]:
    """Return the parameters whose prior has a scale: those with a prior, and fixed sds."""
    return [*spec.priors, *(term.sd_name for term in spec.terms if term.sd is not None)]


def with_scale(spec: ModelSpec, name: str, factor: float) -> ModelSpec:
    """Return the model with the scale of one prior multiplied."""
    if name in spec.priors:
        return spec.replace(priors={name: spec.priors[name].scaled(factor)})
    term = spec.term(name.removesuffix("_sd"))
    assert term.sd is not None
    return with_term(spec, term.name, sd=term.sd * factor)


def with_clusters(
    frame: pd.DataFrame, spec: ModelSpec
) -> tuple[pd.DataFrame, ModelSpec | None, str]:
    """Return pairs and model with clusters of protected words, and a sentence on them.

    What words have each by themselves, those of a cluster may share: every term by protected word
    gets another by cluster, and so does what a group has with single attributes. The model is None
    where clusters are not known, or are those of the groups.
    """
    words = frame[[PROTECTED_WORD, GROUP]].drop_duplicates(PROTECTED_WORD)
    names: dict[str, str] = {}
    for group, part in words.groupby(GROUP, sort=False)[PROTECTED_WORD]:
        similarity = correlations(frame, list(part))
        if similarity is None:
            return frame, None, f"{_NOT_TRIED}: the frame does not know how alike these are."
        names |= {w: f"{group} {k}" for w, k in zip(part, topics(similarity), strict=True)}
    clustered = frame.assign(**{CLUSTER: frame[PROTECTED_WORD].map(names)})
    twins = tuple(twin for term in spec.terms if (twin := _twin(term)) is not None)
    wider, _ = drop_unidentified_terms(spec.replace(terms=(*spec.terms, *twins)), clustered)
    if not {term.name for term in wider.terms} & {twin.name for twin in twins}:
        return frame, None, f"{_NOT_TRIED}: they are the groups, or single words."
    kinds = "protected and reference words" if REFERENCE in set(words[GROUP]) else "protected words"
    said = (
        f"{len(words):,} {kinds} in {len(set(names.values())):,} clusters of words that are alike"
    )
    return clustered, wider, said


def _twin(term: TermSpec) -> TermSpec | None:
    """Return the term that has for clusters what a term has for words or groups."""
    if PROTECTED_WORD in term.by:
        column = PROTECTED_WORD
    elif {GROUP, ATTRIBUTE} <= set(term.by):
        column = GROUP
    else:
        return None
    by = tuple(CLUSTER if name == column else name for name in term.by)
    return dataclasses.replace(term, name=f"{CLUSTER}_{term.name}", by=by)
