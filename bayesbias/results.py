"""What functions of `bayesbias` return, for annotations and ``isinstance``.

All are frozen. ``print`` shows a result, a notebook its tables; ``to_frame`` and ``to_dict`` give
it as data. `analogies`, `classifiers`, `debias`, `measures`, `simulate` and `sweep` have their own.
"""

from bayesbias.fits.checklist import Checks
from bayesbias.fits.contrasts import Contrasts
from bayesbias.fits.criticism import Criticism
from bayesbias.fits.fact_lines import Facts
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.placebo import Placebo
from bayesbias.fits.resampling import ResampledWords
from bayesbias.fits.sensitivity import Sensitivity
from bayesbias.fits.slope_effect import SlopeEffect
from bayesbias.fits.storage import FitData
from bayesbias.fits.summaries import Coverage, Summary
from bayesbias.inference.diagnostics import Diagnostics
from bayesbias.pairs.coverage import VocabularyCoverage
from bayesbias.studies.across_embeddings import EmbeddingComparison
from bayesbias.studies.across_models import ModelComparison
from bayesbias.studies.across_wordlists import WordlistComparison
from bayesbias.studies.change import Change
from bayesbias.studies.held_out import HeldOut
from bayesbias.studies.over_time import OverTime
from bayesbias.studies.planning import Plan
from bayesbias.studies.rules import RuleResults

__all__ = [
    "Change",
    "Checks",
    "Contrasts",
    "Coverage",
    "Criticism",
    "Diagnostics",
    "EmbeddingComparison",
    "Facts",
    "Fit",
    "FitData",
    "HeldOut",
    "ModelComparison",
    "OverTime",
    "Placebo",
    "Plan",
    "ResampledWords",
    "RuleResults",
    "Sensitivity",
    "SlopeEffect",
    "Summary",
    "VocabularyCoverage",
    "WordlistComparison",
]


def __dir__() -> list[str]:
    return __all__
