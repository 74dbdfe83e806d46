"""What of a model is fitted to a frame, the similarity of attributes above all.

A shipped model is written once for all lists and all vectors. Before a fit it is adapted in three
steps, none of which asks which words are close to which:

1. its priors get the frame's unit, the standard deviation of a neutral pair's distance;
2. terms that act on no pair go; all others stay, also where the data alone cannot tell them from
   others: their priors can, so that less data is never surer;
3. attributes are independent, or share effects by topic, where nothing tells how alike they are, or
   where the rotation to independent directions (`rotation`) does not exist.

What step 3 leaves out is said in a sentence, which the fit keeps.
"""

import dataclasses
from typing import Final

import numpy as np
import pandas as pd

from bayesbias.constants import ATTRIBUTE, BEFORE, CHANGE, CONNECTION, MATCH, TOPIC
from bayesbias.engine.block import every_block
from bayesbias.errors import DistancesError
from bayesbias.models.design import Design
from bayesbias.models.similarity import Similarity, rank_of
from bayesbias.models.specification import ModelSpec
from bayesbias.support.machine import beyond_memory
from bayesbias.words.profiles import Profiles

_FEWEST: Final = 20  # neutral pairs, of which the unit of priors may be taken
_MATRICES: Final = 6  # of attributes by attributes that are held at a time
_TOO_NARROW: Final = "Where several are of one topic, intervals are too narrow."

Alike = Profiles | Similarity | None  # what tells how alike attributes are, if anything does


def adapt_model_to_data(
    spec: ModelSpec, frame: pd.DataFrame, alike: Alike = None, why_not: str = ""
) -> tuple[ModelSpec, Design, tuple[str, ...]]:
    """Return a model as it is fitted to a frame, its design, and a sentence on what is left out.

    Priors in units of the frame are turned into cosine distance; those of a model that has been
    fitted stay what they are. `why_not`: why `alike` is None, if there is a reason of its own.
    """
    if spec.is_relative:
        spec = spec.in_unit(*unit_of(frame, spec.response))
    spec = without_absent_terms(spec, frame)
    if not spec.is_similar:
        return spec, Design(frame, spec), ()
    n = frame[ATTRIBUTE].nunique()
    if alike is None:
        because = why_not or "the pairs come without vectors (give vectors=)"
        if TOPIC in frame.columns:
            spec = spec.without_similarity(topics=True)
            note = f"Attributes of one topic share effects (column topic): {because}."
            return spec, Design(frame, spec), (note,)
        because = f"{because}. {_TOO_NARROW}"
    elif too_much := beyond_memory(_MATRICES * 8 * n**2):
        because = f"the similarity of {n:,} takes {too_much}."
    elif (design := Design(frame, spec, alike)).similarity is None:
        because = "the vectors lack some of them."
    else:
        spec, notes = _without_noise_of_many(spec, design)
        design = Design(frame, spec, design.alike) if notes else design
        fault = next(filter(None, (block.fault for block in every_block(design, spec))), "")
        if not fault:
            return spec, design, notes
        because = f"{fault}. {_TOO_NARROW}"
    spec = spec.without_similarity()
    return spec, Design(frame, spec), (f"Attributes are taken as independent: {because}",)


def without_absent_terms(spec: ModelSpec, frame: pd.DataFrame) -> ModelSpec:
    """Leave out of a model the terms that act on no pair, and of matched sets where none are."""
    present, absent = {*frame[CONNECTION]}, {MATCH} - {*frame}
    terms = (t for t in spec.terms if present.intersection(t.connections or present))
    return dataclasses.replace(spec, terms=tuple(t for t in terms if not absent & {*t.by}))


def unit_of(frame: pd.DataFrame, response: str) -> tuple[float, float]:
    """Return the unit of a frame's priors, and what means count from, in cosine distance.

    The unit is the standard deviation of a neutral pair's distance, that of the ROPE and of
    standardised differences; of few neutral pairs that of all pairs around their connections' means
    (`_FEWEST` tells an sd to a sixth). Means count from that of all pairs.

    A change is measured by the distances before it, and from 0: those of its own pairs may be 0
    where only stereotypes changed, and would then hide what changed there. A frame of changes
    alone has only these.
    """
    column = BEFORE if response == CHANGE and BEFORE in frame else response
    values = frame[column].to_numpy(dtype=float)
    neutral = values[(frame[CONNECTION] == "neutral").to_numpy()]
    scale = float(neutral.std(ddof=1)) if len(neutral) >= _FEWEST else 0.0
    if not scale > 0:
        around = values - frame.groupby(CONNECTION)[column].transform("mean").to_numpy(dtype=float)
        degrees = max(len(values) - frame[CONNECTION].nunique(), 1)
        scale = float(np.sqrt((around**2).sum() / degrees))
    if not scale > 0:
        raise DistancesError(
            "the distances do not vary within connections, so that the priors have no scale; check "
            "whether they were computed"
        )
    return scale, 0.0 if response == CHANGE else float(values.mean())


def _without_noise_of_many(spec: ModelSpec, design: Design) -> tuple[ModelSpec, tuple[str, ...]]:
    """Leave out the noise's similar part where attributes are more than the vectors' directions.

    There the attributes' vectors explain every distance, and no noise would remain.
    """
    assert design.similarity is not None
    is_enough = {}
    for code, name in enumerate(design.connections if spec.noise.similar_share else ()):
        rows = design.noise == design.noise[design.connection == code][0]
        at = np.unique(design.attribute[rows])
        # What all attributes share is no direction of their similarity.
        directions = min(len(at), len(design.attributes) - 1)
        is_enough[name] = rank_of(design.similarity[np.ix_(at, at)]) >= directions
    if all(is_enough.values()):
        return spec, ()
    enough = tuple(filter(is_enough.get, is_enough))
    many = ", ".join(name for name in is_enough if name not in enough)
    noise = dataclasses.replace(spec.noise, similar_connections=enough)
    return dataclasses.replace(spec, noise=noise if enough else spec.noise.alone()), (
        f"The part of the noise that similar attributes share is left out for {many}: "
        f"the attributes are more than the directions of the vectors.",
    )
