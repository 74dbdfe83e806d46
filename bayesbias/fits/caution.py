"""Whether the data ask for terms that a fitted model lacks, told by the evidence.

A model without a term that the data need has intervals that are too narrow (Barr, Levy, Scheepers
and Tily 2013). So a simpler model is compared with the default one by marginal likelihoods, and a
sentence names the missing terms if the log Bayes factor is clear.
"""

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
from bayesbias.support.wording import Wording

tell: Final = Wording("bayesbias.fits", "caution.jinja")

CLEAR_GAIN: Final = 5.0
"""Log Bayes factor from which data speak clearly (Kass and Raftery 1995: "very strong")."""

MOST_SHOWN: Final = 10_000
"""Beyond this a log Bayes factor is no more than large; published files reach 6,000."""

_MEANINGS: Final[dict[str | tuple[str, ...], str]] = {
    "protected_attribute": "all protected words are close to an attribute, reference words not",
    ("group", "attribute_set"): "a group may be closer to one list than the other groups are",
    ("attribute",): "an attribute that is close to one protected word tends to be close to all",
    ("group", "attribute"): "the words of a group are close to the same single attributes",
    ("protected_word",): "a word close to its associated attributes tends to be close to others",
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
    similarity = full.is_similar and not spec.is_similar
    if similarity:
        spec = dataclasses.replace(spec, name=f"{spec.name}, attributes unrelated")
    elif not missing:
        return ""
    lacks = tell("lacks", [(term.name, _meaning(term)) for term in missing], similarity)
    names = full.name, spec.name
    if not spec.is_gaussian:
        return tell("unknown", *names, lacks, "")
    if isinstance(spec.connection_mean, Prior) and isinstance(full.connection_mean, Prior):
        # The question is terms, not how wide the prior of the means is.
        full = full.replace(connection_mean=spec.connection_mean)
    try:
        if evidence is None:
            evidence = log_marginal_likelihood(design, spec, seed=seed)
        of_full = log_marginal_likelihood(Design.from_frame(frame, full), full, seed=seed)
    except DistancesError as error:
        return tell("unknown", *names, lacks, str(error))
    gain = of_full - evidence
    if not gain > CLEAR_GAIN:
        return ""
    by = f"{gain:,.0f}" if gain < MOST_SHOWN else f"more than {MOST_SHOWN:,}"
    return tell("preferred", *names, by, lacks)


def _meaning(term: TermSpec) -> str:
    """Say what a term stands for; "" where that is not known."""
    meaning = _MEANINGS.get(term.name) or _MEANINGS.get(tuple(term.by), "")
    if not meaning and term.by[1:] == (ATTRIBUTE,):  # a factor of crossed groups
        return f"groups of one {term.by[0]} are close to the same single attributes"
    return meaning
