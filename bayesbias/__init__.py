"""Hierarchical Bayesian models of word-embedding bias.

Word- and group-level means of cosine distances with 89% HPDIs (highest posterior density
intervals), posterior predictive checks and honest comparisons, in PyMC and ArviZ, with an exact
closed form that takes a second. Each public name is loaded when it is first used, so that importing
the package costs next to nothing.

>>> import bayesbias as bb
>>> fit = bb.analyze(bb.example_embedding(), "gender", seed=1)
>>> fit.contrasts().loc[0, "verdict"][:6]
'closer'
"""

from typing import TYPE_CHECKING, Any

from bayesbias.support import lazy_names

if TYPE_CHECKING:
    from bayesbias import analogies as analogies
    from bayesbias import classifiers as classifiers
    from bayesbias import debias as debias
    from bayesbias import measures as measures
    from bayesbias import vectors as vectors
    from bayesbias import words as words
    from bayesbias.comparison.comparing import Comparison as Comparison
    from bayesbias.comparison.comparing import compare as compare
    from bayesbias.comparison.rules import check_rules as check_rules
    from bayesbias.comparison.sweep import run_sweep as run_sweep
    from bayesbias.errors import BayesBiasError as BayesBiasError
    from bayesbias.errors import BayesBiasWarning as BayesBiasWarning
    from bayesbias.fits.decision import DecisionRule as DecisionRule
    from bayesbias.fits.fit_result import Fit as Fit
    from bayesbias.fits.fitting import analyze as analyze
    from bayesbias.fits.fitting import fit as fit
    from bayesbias.fits.saving import load_fit as load_fit
    from bayesbias.models.specification import ModelSpec as ModelSpec
    from bayesbias.models.specification import list_models as list_models
    from bayesbias.models.specification import load_model as load_model
    from bayesbias.models.terms import NoiseSpec as NoiseSpec
    from bayesbias.models.terms import Prior as Prior
    from bayesbias.models.terms import TermSpec as TermSpec
    from bayesbias.vectors.loading import example_embedding as example_embedding
    from bayesbias.vectors.loading import load_embedding as load_embedding
    from bayesbias.words.coverage import vocabulary_coverage as vocabulary_coverage
    from bayesbias.words.distance_frame import distances as distances
    from bayesbias.words.files import read_distances as read_distances
    from bayesbias.words.files import write_distances as write_distances
    from bayesbias.words.list_files import list_wordlists as list_wordlists
    from bayesbias.words.list_files import load_wordlist as load_wordlist
    from bayesbias.words.provenance import missing_words as missing_words
    from bayesbias.words.word_lists import WordList as WordList

    __version__: str

_MODULES = {
    "BayesBiasError": "errors",
    "BayesBiasWarning": "errors",
    "Comparison": "comparison.comparing",
    "DecisionRule": "fits.decision",
    "Fit": "fits.fit_result",
    "ModelSpec": "models.specification",
    "NoiseSpec": "models.terms",
    "Prior": "models.terms",
    "TermSpec": "models.terms",
    "WordList": "words.word_lists",
    "analogies": "",
    "analyze": "fits.fitting",
    "check_rules": "comparison.rules",
    "classifiers": "",
    "compare": "comparison.comparing",
    "debias": "",
    "distances": "words.distance_frame",
    "example_embedding": "vectors.loading",
    "fit": "fits.fitting",
    "list_models": "models.specification",
    "list_wordlists": "words.list_files",
    "load_embedding": "vectors.loading",
    "load_fit": "fits.saving",
    "load_model": "models.specification",
    "load_wordlist": "words.list_files",
    "measures": "",
    "missing_words": "words.provenance",
    "read_distances": "words.files",
    "run_sweep": "comparison.sweep",
    "vectors": "",
    "vocabulary_coverage": "words.coverage",
    "words": "",
    "write_distances": "words.files",
}
_load, __dir__, __all__ = lazy_names(__name__, _MODULES)


def __getattr__(name: str) -> Any:
    """Load a public name; the version too, which takes longer than all of the command line."""
    if name != "__version__":
        return _load(name)
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("bayesbias")
    except PackageNotFoundError:  # run from a folder that was never installed
        return "0+unknown"
