"""The tables of a report, which are those that results show elsewhere."""

from dataclasses import replace
from typing import Any, Final

from bayesbias.constants import CONNECTION, PROTECTED_WORD
from bayesbias.report.parts import Part, Text
from bayesbias.support.text_tables import Blocks, Column, Table

WORD: Final = Column(PROTECTED_WORD, "word")
WORD_FILTER: Final[dict[str, Any]] = {
    "sortable": True,
    "word": PROTECTED_WORD,
    "connection": CONNECTION,
}
"""Options of a table of words that filters govern."""


def parts_of(blocks: Blocks, caption: str) -> tuple[Part, ...]:
    """Return what another result shows as parts: its sentences and its tables."""
    return tuple(
        replace(block, caption=caption) if isinstance(block, Table) else Text(block)
        for block in blocks
        if isinstance(block, Table) or block.strip()
    )
