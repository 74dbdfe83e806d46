"""How biased a word embedding is, and how sure you can be.

bayesbias puts the cosine distances between protected words and four kinds of attribute words into
a long frame, fits a hierarchical Bayesian model, and reports means with highest posterior density
intervals (HPDI) for groups and words.

>>> import bayesbias as bb
>>> wl = bb.load_wordlist("religion")
>>> len(wl.protected_words)
15
"""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bayesbias import analogies as analogies
    from bayesbias import classifiers as classifiers
    from bayesbias import debias as debias
    from bayesbias import measures as measures
    from bayesbias import simulate as simulate
    from bayesbias.across import EmbeddingComparison as EmbeddingComparison
    from bayesbias.across import compare_embeddings as compare_embeddings
    from bayesbias.changes import Change as Change
    from bayesbias.changes import compare_change as compare_change
    from bayesbias.compare import (
        ModelComparison as ModelComparison,
    )
    from bayesbias.compare import (
        compare_models as compare_models,
    )
    from bayesbias.contrasts import Contrasts as Contrasts
    from bayesbias.convert import convert_embedding as convert_embedding
    from bayesbias.embeddings import load_embedding as load_embedding
    from bayesbias.encoders import vectors_from_frame as vectors_from_frame
    from bayesbias.encoders import vectors_from_sentences as vectors_from_sentences
    from bayesbias.encoders import vectors_from_spacy as vectors_from_spacy
    from bayesbias.encoders import vectors_from_transformer as vectors_from_transformer
    from bayesbias.errors import (
        BayesBiasError as BayesBiasError,
    )
    from bayesbias.errors import (
        BayesBiasWarning as BayesBiasWarning,
    )
    from bayesbias.fitfiles import load_fit as load_fit
    from bayesbias.fits import Fit as Fit
    from bayesbias.fitting import fit as fit
    from bayesbias.framefiles import (
        read_distances as read_distances,
    )
    from bayesbias.framefiles import (
        write_distances as write_distances,
    )
    from bayesbias.frames import (
        coverage as coverage,
    )
    from bayesbias.frames import (
        distances as distances,
    )
    from bayesbias.frames import (
        missing_words as missing_words,
    )
    from bayesbias.inference.pymc_model import build_model as build_model
    from bayesbias.planning import Plan as Plan
    from bayesbias.planning import plan as plan
    from bayesbias.plots import plot_distances as plot_distances
    from bayesbias.plots import plot_empirical as plot_empirical
    from bayesbias.published import list_published as list_published
    from bayesbias.published import published_distances as published_distances
    from bayesbias.report import write_report as write_report
    from bayesbias.sensitivity import Sensitivity as Sensitivity
    from bayesbias.spec import (
        ModelSpec as ModelSpec,
    )
    from bayesbias.spec import (
        Prior as Prior,
    )
    from bayesbias.spec import (
        list_models as list_models,
    )
    from bayesbias.spec import (
        load_model as load_model,
    )
    from bayesbias.sweeps import load_sweep as load_sweep
    from bayesbias.sweeps import run_sweep as run_sweep
    from bayesbias.wordlists import (
        WordList as WordList,
    )
    from bayesbias.wordlists import (
        WordPair as WordPair,
    )
    from bayesbias.wordlists import (
        list_wordlists as list_wordlists,
    )
    from bayesbias.wordlists import (
        load_wordlist as load_wordlist,
    )
    from bayesbias.worlds import Assumptions as Assumptions

_HOMES = {
    "Assumptions": "worlds",
    "BayesBiasError": "errors",
    "BayesBiasWarning": "errors",
    "Change": "changes",
    "Contrasts": "contrasts",
    "EmbeddingComparison": "across",
    "Fit": "fits",
    "ModelComparison": "compare",
    "ModelSpec": "spec",
    "Plan": "planning",
    "Prior": "spec",
    "Sensitivity": "sensitivity",
    "WordList": "wordlists",
    "WordPair": "wordlists",
    "build_model": "inference.pymc_model",
    "compare_change": "changes",
    "compare_embeddings": "across",
    "compare_models": "compare",
    "convert_embedding": "convert",
    "coverage": "frames",
    "distances": "frames",
    "fit": "fitting",
    "list_models": "spec",
    "list_published": "published",
    "list_wordlists": "wordlists",
    "load_embedding": "embeddings",
    "load_fit": "fitfiles",
    "load_model": "spec",
    "load_wordlist": "wordlists",
    "missing_words": "frames",
    "plan": "planning",
    "load_sweep": "sweeps",
    "run_sweep": "sweeps",
    "plot_distances": "plots",
    "plot_empirical": "plots",
    "published_distances": "published",
    "read_distances": "framefiles",
    "vectors_from_frame": "encoders",
    "vectors_from_sentences": "encoders",
    "vectors_from_spacy": "encoders",
    "vectors_from_transformer": "encoders",
    "write_distances": "framefiles",
    "write_report": "report",
}

_SUBPACKAGES = ("analogies", "classifiers", "debias", "measures", "simulate")

__all__ = sorted([*_HOMES, *_SUBPACKAGES])

try:
    __version__ = version("bayesbias")
except PackageNotFoundError:  # run from a folder that was never installed
    __version__ = "0+unknown"


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used: `import bayesbias` itself costs next to nothing."""
    if name in _SUBPACKAGES:
        return import_module(f"bayesbias.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'bayesbias' has no attribute {name!r}")
    value = getattr(import_module(f"bayesbias.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted({*globals(), *__all__})
