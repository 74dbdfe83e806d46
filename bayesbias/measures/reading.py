"""What each measure can and cannot say, in a sentence."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

READINGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "WEAT": "says whether this split of these words stands out among their re-partitions; "
        "not how large the association is, which words carry it, or what other words would give",
        "WEFAT": "ranks words between A and B; its mean lets near and far words cancel",
        "MAC": "says whether protected words and attributes are near at all; not whether a "
        "stereotype's own group is nearer than others, or neutral words any farther",
        "direct bias": "says how far words lie along one direction; nothing about what lies off it",
        "RIPA": "is direct bias with vector length kept; in units of length, so that embeddings "
        "cannot be compared",
        "RND": "says to which group's mean attributes are nearer; not whether that mean stands for "
        "its words",
        "ECT": "says whether two groups rank attributes alike; not by how much they differ",
    }
)
"""A sentence per measure, to stand behind its name."""
