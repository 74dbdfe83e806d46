"""How much memory this machine has."""

import math
import os
from contextlib import suppress

PHYSICAL_MEMORY = math.inf  # the machine's memory in bytes; infinity where the system does not say

with suppress(AttributeError, ValueError, OSError):  # Windows has no sysconf
    PHYSICAL_MEMORY = float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))


def beyond_memory(needed: float) -> str:
    """Return what is needed and what there is, in words, where bytes are more than the memory."""
    if needed <= PHYSICAL_MEMORY:
        return ""
    return f"{needed / 1e9:,.1f} GB, and this machine has {PHYSICAL_MEMORY / 1e9:,.1f} GB"
