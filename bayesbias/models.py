"""Models of one's own: a specification is a list of terms, and each term has a prior.

`bayesbias.load_model` reads a specification from a TOML file or by name; most models are made from
another, as by ``load_model("crossed").replace(...)``. models/README.md has the grammar.
"""

from bayesbias.inference.identifiability import drop_unidentified_terms
from bayesbias.inference.priors import Prior
from bayesbias.inference.pymc_models import build_model
from bayesbias.inference.specification import ModelSpec
from bayesbias.inference.terms import NoiseSpec, TermSpec

__all__ = ["ModelSpec", "NoiseSpec", "Prior", "TermSpec", "build_model", "drop_unidentified_terms"]


def __dir__() -> list[str]:
    return __all__
