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

from importlib.metadata import PackageNotFoundError, version

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

try:
    __version__ = version("bayesbias")
except PackageNotFoundError:  # run from a folder that was never installed
    __version__ = "0+unknown"
