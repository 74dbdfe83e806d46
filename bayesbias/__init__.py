"""How biased a word embedding is, and how sure you can be.

bayesbias puts the cosine distances between protected words and four kinds of attribute words into
a long frame, fits a hierarchical Bayesian model, and reports means and contrasts with highest
posterior density intervals (HPDI). The public names are listed in ``__init__.pyi``; each is loaded
when it is first used, so that importing the package costs next to nothing.

>>> import bayesbias as bb
>>> wl = bb.load_wordlist("religion")
>>> len(wl.protected_words)
15
"""

from typing import Any

import lazy_loader

_loaded, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    """Load a public name; the version too, which takes longer than all of the command line."""
    if name != "__version__":
        return _loaded(name)
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("bayesbias")
    except PackageNotFoundError:  # run from a folder that was never installed
        return "0+unknown"
