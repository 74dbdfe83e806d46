"""How much memory this machine has."""

import math
import os


def physical_memory() -> float:
    """Return the machine's memory in bytes; infinity where the system does not say."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):  # Windows has no sysconf
        return math.inf
