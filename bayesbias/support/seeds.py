"""Seeds that can be written down and used again."""

import numpy as np

from bayesbias.errors import ArgumentError


def seed_as_integer(seed: int | np.random.Generator | None) -> int:
    """Return a seed as a whole number; a Generator is drawn from, None is replaced by chance."""
    if isinstance(seed, int | np.integer) and not isinstance(seed, bool):
        if seed < 0:
            raise ArgumentError(f"seed={seed}: must not be negative")
        return int(seed)
    if seed is not None and not isinstance(seed, np.random.Generator):
        raise ArgumentError(f"seed={seed!r}: must be a whole number, a Generator or None")
    return int(np.random.default_rng(seed).integers(2**31))
