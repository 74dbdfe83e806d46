"""What of a model can be used for a frame, the similarity of attributes above all.

A shipped model is written once for all lists and all vectors. Before a fit it is adapted in four
steps, none of which asks which words are near which:

1. its priors get the frame's unit, the standard deviation of a neutral pair's distance;
2. what crossed groups share gets terms by their factors;
3. terms that the data cannot tell go (`identifiability`);
4. attributes count as unrelated, or as alike by topic, where nothing tells how alike they are, or
   where the rotation to independent directions (`complete_layout`) does not exist.

Everything left out is said in a sentence, which the fit and its report repeat.
"""

import dataclasses
from typing import Final

import numpy as np
import pandas as pd

from bayesbias.constants import ATTRIBUTE, BEFORE, CHANGE, CONNECTION, EMBEDDING, TOPIC
from bayesbias.errors import DistancesError
from bayesbias.inference.block import why_not_similar
from bayesbias.inference.design import Design
from bayesbias.inference.identifiability import drop_unidentified_terms
from bayesbias.inference.sentences import tell
from bayesbias.inference.similarity import rank_of
from bayesbias.inference.specification import ModelSpec
from bayesbias.inference.terms import ATTRIBUTE_KIND
from bayesbias.pairs.profiles import profiles_of
from bayesbias.pairs.provenance import source_of, source_part
from bayesbias.pairs.reference import without_reference
from bayesbias.support.memory import beyond_memory

_FEWEST: Final = 20
"""Neutral pairs, of which the unit of priors may be taken."""

_MATRICES: Final = 6
"""Of attributes by attributes that are held at a time."""


def adapt_model_to_data(spec: ModelSpec, frame: pd.DataFrame) -> tuple[ModelSpec, tuple[str, ...]]:
    """Return a model as it is fitted to a frame, with a sentence on everything left out.

    One that adapts gets what crossed groups share, and loses what the data cannot tell. Priors in
    units of the frame are turned into cosine distance; those of a model that has been fitted stay
    what they are, so that refits to other frames (placebo lists, words left out, worlds) have the
    priors of the fit.
    """
    reasons: tuple[str, ...] = ()
    if spec.is_relative:
        spec = spec.in_unit(*unit_of(frame, spec.response))
    if spec.adapts:
        factors = [factor for factor in source_part(frame, "factors") if factor in frame]
        spec, reasons = drop_unidentified_terms(spec.with_factors(factors), frame)
    spec, more = without_unknown_similarity(spec, frame)
    return spec, (*reasons, *more)


def unit_of(frame: pd.DataFrame, response: str) -> tuple[float, float]:
    """Return the unit of a frame's priors, and what means count from, in cosine distance.

    The unit is the standard deviation of a neutral pair's distance, that of the ROPE and of
    standardised differences; of few neutral pairs that of all pairs around their connections' means
    (`_FEWEST` tells an sd to a sixth). Distances of stacked embeddings count from their own means.
    Means count from that of all pairs. Rows of reference words do not count: without them the
    model has the same priors.

    A change is measured by the distances before it, and from 0: those of its own pairs may be 0
    where only stereotypes changed, and would then hide what changed there. A frame of changes
    alone has only these.
    """
    pairs = without_reference(frame)
    column = BEFORE if response == CHANGE and BEFORE in pairs else response
    values = pairs[column].to_numpy(dtype=float)
    by = [EMBEDDING] if EMBEDDING in pairs else []
    neutral = pairs[pairs[CONNECTION] == "neutral"]
    scale = _spread(neutral, column, by) if len(neutral) >= _FEWEST else 0.0
    scale = scale or _spread(pairs, column, [*by, CONNECTION])
    if not scale > 0:
        raise DistancesError(
            "the distances do not vary within connections, so that the priors have no scale; check "
            "whether they were computed"
        )
    return scale, 0.0 if response == CHANGE else float(values.mean())


def _spread(pairs: pd.DataFrame, column: str, by: list[str]) -> float:
    """Return the standard deviation of distances around the means of columns' values."""
    if not by:
        return float(pairs[column].std())
    means = pairs.groupby(by, sort=False)[column].agg(["size", "var"])
    degrees = means["size"] - 1
    return float(np.sqrt((means["var"].fillna(0.0) * degrees).sum() / max(degrees.sum(), 1)))


def without_unknown_similarity(
    spec: ModelSpec, frame: pd.DataFrame
) -> tuple[ModelSpec, tuple[str, ...]]:
    """Leave out of a model, with a sentence, the similarity of attributes if a frame forbids it."""
    if not spec.is_similar:
        return spec, ()
    if profiles_of(frame) is None:
        source = source_of(frame)
        sides = (source, source.get("before", {}), source.get("after", {}))
        known = (side["no_similarity"] for side in sides if "no_similarity" in side)
        because = next(known, tell("no_vectors"))
        if TOPIC in frame.columns:
            topical, reasons = drop_unidentified_terms(spec.with_topics(), frame)
            return topical, (tell("of_topics", because), *reasons)
        return spec.without_similarity(), (tell("unrelated", because, narrow=True),)
    n = frame[ATTRIBUTE].nunique()
    if too_much := beyond_memory(_MATRICES * 8 * n**2):
        why = tell("too_large", f"{n:,}", too_much)
        return spec.without_similarity(), (tell("unrelated", why),)
    design = Design.from_frame(frame, spec)
    reduced, said = _without_noise_of_many(spec, design)
    if not reduced.is_similar:
        return reduced, said
    if reduced is not spec:
        spec, design = reduced, Design.from_frame(frame, reduced)
    if reason := why_not_similar(design, spec):
        for term in reversed(spec.terms):
            others = spec.without([term.name])
            if not why_not_similar(Design.from_frame(frame, others), others):
                reason = tell("joined", term.name, reason, ATTRIBUTE_KIND)
                break
        return spec.without_similarity(), (tell("unrelated", reason),)
    return spec, said


def _without_noise_of_many(spec: ModelSpec, design: Design) -> tuple[ModelSpec, tuple[str, ...]]:
    """Leave out the noise's similar part where attributes are more than the vectors' directions.

    There the attributes' vectors explain every distance, and no noise would be left.
    """
    kept: list[str] = []
    many: list[str] = []
    if design.similarity is None:
        return spec.without_similarity(), (tell("unrelated", tell("lacking")),)
    if not spec.noise.similar:
        return spec, ()
    for code, name in enumerate(design.connections):
        rows = design.noise == design.noise[design.connection == code][0]
        at = np.unique(design.attribute[rows])
        # What all attributes share is no direction of their similarity.
        directions = min(len(at), len(design.attributes) - 1)
        enough = rank_of(design.similarity[np.ix_(at, at)]) >= directions
        (kept if enough else many).append(name)
    if not many:
        return spec, ()
    noise = dataclasses.replace(spec.noise, similar_connections=tuple(kept))
    return spec.replace(noise=noise if kept else spec.noise.alone()), (
        tell("noise_left_out", many),
    )
