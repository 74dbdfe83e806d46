"""Whether a fit treats recurring attribute words as independent, told by the evidence."""

from typing import Final

from bayesbias.constants import DISTANCE
from bayesbias.inference.collapsed import blocks_of, sample_collapsed
from bayesbias.inference.crossed import Block
from bayesbias.inference.design import Design
from bayesbias.inference.model_files import load_model
from bayesbias.inference.specification import ModelSpec

CLEAR_GAIN: Final = 5.0
"""Log Bayes factor from which data speak clearly (Kass and Raftery 1995: "very strong")."""

_MOST_EFFECTS: Final = 50
"""Effects that a fit of ``crossed`` may have to factorise for a caution: some three seconds."""


def caution_of(design: Design, spec: ModelSpec, evidence: float | None, seed: int) -> str:
    """Say whether the data prefer a model with attribute effects; see `Fit.caution`.

    Parameters
    ----------
    design : Design
    spec : ModelSpec
        The model that was fitted.
    evidence : float or None
        Its log marginal likelihood, where the engine gave one.
    seed : int
    """
    if spec.response != DISTANCE or spec.attribute_effects != "none" or not spec.is_gaussian:
        return ""
    crossed = load_model("crossed")
    blocks = blocks_of(design, crossed)
    if max(Block(design, crossed, block).n_kept for block in blocks) > _MOST_EFFECTS:
        return ""
    if evidence is None:
        evidence = _evidence(design, spec, seed)
    gain = _evidence(design, crossed, seed) - evidence
    if not gain > CLEAR_GAIN:
        return ""
    return (
        f"Caution: model {spec.name!r} treats pairs as independent, though the same attribute "
        f"words meet all protected words. The data prefer 'crossed', which gives attribute words "
        f"effects of their own, by {gain:,.0f} log units: intervals, above all against human and "
        f"neutral words, are likely too narrow. Fit model 'crossed'."
    )


def _evidence(design: Design, spec: ModelSpec, seed: int) -> float:
    """Return the log marginal likelihood of a design under a model."""
    _, _, record = sample_collapsed(design, spec, draws=2000, chains=4, seed=seed)
    return float(record["log_marginal_likelihood"])
