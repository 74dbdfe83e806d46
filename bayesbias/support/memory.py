"""How much memory this machine has."""

import math
import os


def physical_memory() -> float:
    """Return the machine's memory in bytes; infinity where the system does not say."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):  # Windows has no sysconf
        return math.inf


def beyond_memory(needed: float) -> str:
    """Return what is needed and what there is, in words, where bytes are more than the memory."""
    memory = physical_memory()
    if needed <= memory:
        return ""
    return f"{needed / 1e9:,.1f} GB, and this machine has {memory / 1e9:,.1f} GB"
