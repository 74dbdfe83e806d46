"""The parts of a report as plain data: no markup, and nothing computed from draws."""

from dataclasses import dataclass, replace
from typing import Any, Final

from bayesbias.constants import CONNECTION, PROTECTED_WORD
from bayesbias.support.charts import Chart
from bayesbias.support.forests import Forest
from bayesbias.support.text_tables import Blocks, Column, Table


@dataclass(frozen=True)
class ForestFigure:
    """Forests beside each other, with a legend of the looks that occur."""

    caption: str
    forests: tuple[Forest, ...]

    @property
    def looks(self) -> list[str]:
        """The looks that occur, in order, but for those that the rows' own labels name."""
        rows = [r for f in self.forests for r in f.rows]
        found = [m.look for r in rows for m in r.marks if m.look != r.label]
        return list(dict.fromkeys(found))


@dataclass(frozen=True)
class Explorer:
    """A forest and a table of words that one set of filters governs."""

    figure: ForestFigure
    table: Table
    words: tuple[str, ...]
    connections: tuple[str, ...]


@dataclass(frozen=True)
class Drawing:
    """Charts below each other."""

    caption: str
    alt: str
    charts: tuple[Chart, ...]


@dataclass(frozen=True)
class Items:
    """A list of short texts."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class DefinitionList:
    """Terms and what they are."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Lists:
    """Word lists: name, what it is, how many words, and these as a text."""

    rows: tuple[tuple[str, str, int, str], ...]


@dataclass(frozen=True)
class Equations:
    """Lines of mathematics: MathML, and what it says in words."""

    lines: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Code:
    """Something to type, with a line of explanation."""

    caption: str
    text: str


@dataclass(frozen=True)
class Folded:
    """A table that a click shows."""

    summary: str
    table: Table


PagePart = (
    str
    | Table
    | Folded
    | ForestFigure
    | Explorer
    | Drawing
    | Items
    | DefinitionList
    | Lists
    | Equations
    | Code
)
"""A text is a paragraph, as in what results say."""


@dataclass(frozen=True)
class Section:
    """A heading with its parts; `name` is its anchor."""

    name: str
    title: str
    parts: tuple[PagePart, ...]


@dataclass(frozen=True)
class Report:
    """Everything that a report says; `left_out` are terms that the data cannot estimate.

    `lines`: a row for every list or group that the title is about. `asides`: what that means and
    how sure it is, a heading with its sentences each.
    """

    title: str
    subtitle: str
    answer: tuple[str, ...]
    figure: ForestFigure
    sections: tuple[Section, ...]
    left_out: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()
    lines: Table | None = None
    asides: tuple[tuple[str, tuple[str, ...]], ...] = ()


WORD: Final = Column(PROTECTED_WORD, "word")
WORD_FILTER: Final[Any] = {"sortable": True, "word": PROTECTED_WORD, "connection": CONNECTION}
"""Options of a table of words that filters govern."""


def parts_of(blocks: Blocks, caption: str) -> tuple[PagePart, ...]:
    """Return what another result shows as parts: its sentences and its tables."""
    return tuple(
        replace(block, caption=caption) if isinstance(block, Table) else block
        for block in blocks
        if isinstance(block, Table) or block.strip()
    )
