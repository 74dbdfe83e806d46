"""Bias of classifiers, with intervals: Bernstein bounds of disparities, and gaps of rates."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
