"""Whether the data ask for terms that a fitted model lacks, told by the evidence."""

import dataclasses
from collections import Counter
from typing import Final

import pandas as pd

from bayesbias.constants import ATTRIBUTE, CHANGE
from bayesbias.errors import DistancesError
from bayesbias.inference.adapting import adapt_model_to_data
from bayesbias.inference.collapsed import log_marginal_likelihood
from bayesbias.inference.design import Design
from bayesbias.inference.model_files import load_model
from bayesbias.inference.priors import Prior
from bayesbias.inference.specification import ModelSpec
from bayesbias.inference.terms import TermSpec

CLEAR_GAIN: Final = 5.0
"""Log Bayes factor from which data speak clearly (Kass and Raftery 1995: "very strong")."""

MOST_SHOWN: Final = 10_000
"""Beyond this a log Bayes factor is no more than large; published files reach 6,000."""

_MEANINGS: Final[dict[str | tuple[str, ...], str]] = {
    "protected_attribute": "all protected words share a nearness that reference words lack",
    ("group", "attribute_set"): "a group may be nearer to one list than the other groups are",
    ("attribute",): "an attribute word that is near to one protected word tends to be near to all",
    ("group", "attribute"): "the words of a group share their nearness to single attributes",
    ("protected_word",): "a word near to its associated attributes tends to be near to the others",
    ("protected_word", "attribute_set"): "protected words differ in their distance to a list",
}


def missing_term_warning(
    frame: pd.DataFrame, design: Design, spec: ModelSpec, evidence: float | None, seed: int
) -> str:
    """Say which terms the data ask for and the model lacks; see `Fit.caution`."""
    model = load_model("change-maximal" if spec.response == CHANGE else "maximal")
    full, _ = adapt_model_to_data(model, frame)
    left = Counter(frozenset(term.by) for term in spec.terms)
    missing = []
    for term in full.terms:  # two terms of the same columns act on different connections
        left[frozenset(term.by)] -= 1
        if left[frozenset(term.by)] < 0:
            missing.append(term)
    lacks = _listed(missing)
    if full.is_similar and not spec.is_similar:
        spec = dataclasses.replace(spec, name=f"{spec.name}, attributes unrelated")
        lacks = " and ".join(
            [*([lacks] if missing else []), "the similarity of attributes (those of one topic)"]
        )
    elif not missing:
        return ""
    untold = (
        f"Caution: model {spec.name!r} lacks {lacks}. Whether the data ask for them cannot be told"
    )
    if not spec.is_gaussian:
        return (
            f"{untold}, since its likelihood is not normal; compare its contrasts with those of "
            f"{full.name!r}."
        )
    if isinstance(spec.connection_mean, Prior) and isinstance(full.connection_mean, Prior):
        # The question is terms, not how wide the prior of the means is.
        full = full.replace(connection_mean=spec.connection_mean)
    try:
        if evidence is None:
            evidence = log_marginal_likelihood(design, spec, seed=seed)
        of_full = log_marginal_likelihood(Design.from_frame(frame, full), full, seed=seed)
    except DistancesError as error:
        return f"{untold}, since {full.name!r} cannot be fitted: {error}."
    gain = of_full - evidence
    if not gain > CLEAR_GAIN:
        return ""
    by = f"{gain:,.0f}" if gain < MOST_SHOWN else f"more than {MOST_SHOWN:,}"
    return (
        f"Caution: the data prefer {full.name!r} to {spec.name!r} by {by} log units. "
        f"{spec.name!r} lacks {lacks}; without this its intervals can be too narrow or "
        f"too wide. Fit {full.name!r}."
    )


def _listed(terms: list[TermSpec]) -> str:
    """Name terms and what they stand for."""
    parts = []
    for term in terms:
        meaning = _MEANINGS.get(term.name) or _MEANINGS.get(tuple(term.by))
        if not meaning and term.by[1:] == (ATTRIBUTE,):  # a factor of crossed groups
            meaning = f"groups of one {term.by[0]} share their nearness to single attributes"
        parts.append(f"{term.name} ({meaning})" if meaning else term.name)
    return f"the term{'' if len(parts) == 1 else 's'} {'; '.join(parts)}"
