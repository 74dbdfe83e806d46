"""The parts of a report as plain data: no markup, and nothing computed from draws."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10
from typing import Any, ClassVar

from bayesbias.support.text_tables import Table, shown


@dataclass(frozen=True)
class Mark:
    """A mean with its interval in a forest; `look` is a connection or a verdict."""

    look: str
    mean: float
    low: float
    high: float
    text: str
    filled: bool = True


@dataclass(frozen=True)
class Row:
    """A line of a forest: a label and its marks, one below the other."""

    label: str
    marks: tuple[Mark, ...]
    group: str = ""
    strong: bool = False


@dataclass(frozen=True)
class Forest:
    """Marks on a common axis.

    Parameters
    ----------
    title, alt, axis : str
        What stands above, what is read aloud (with the numbers), what stands below.
    rows : tuple of Row
    span : tuple of float
        Ends of the axis, from `span_of`.
    reference : float or None
        Where a dashed line stands, if that is on the axis.
    rope : float
        Half-width of the grey region around 0; 0 for none.
    """

    title: str
    alt: str
    axis: str
    rows: tuple[Row, ...]
    span: tuple[float, float]
    reference: float | None = None
    rope: float = 0.0

    def place(self, x: float) -> float:
        """Return where a value stands on the axis, in percent, cut off at its ends."""
        low, high = self.span
        return round(100 * min(max((x - low) / (high - low), 0.0), 1.0), 3)

    @property
    def ticks(self) -> list[float]:
        """Round values on the axis, three to eight of them."""
        return nice_ticks(*self.span)

    def tick_label(self, tick: float) -> str:
        """Write a tick with as many decimals as its neighbours."""
        longest = max(len(f"{t:g}".partition(".")[2]) for t in self.ticks)
        return f"{tick:.{longest}f}".replace("-", "−")


@dataclass(frozen=True)
class Figure:
    """Forests beside each other, with a legend of the looks that occur."""

    kind: ClassVar[str] = "figure"
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

    kind: ClassVar[str] = "explorer"
    figure: Figure
    table: Table
    words: tuple[str, ...]
    connections: tuple[str, ...]


@dataclass(frozen=True)
class Drawing:
    """A figure of matplotlib as SVG."""

    kind: ClassVar[str] = "drawing"
    caption: str
    alt: str
    svg: str


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    kind: ClassVar[str] = "text"
    text: str


@dataclass(frozen=True)
class Items:
    """A list of short texts."""

    kind: ClassVar[str] = "items"
    items: tuple[str, ...]


@dataclass(frozen=True)
class Facts:
    """Terms and what they are."""

    kind: ClassVar[str] = "facts"
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Lists:
    """Word lists: name, what it is, how many words, and these as a text."""

    kind: ClassVar[str] = "lists"
    rows: tuple[tuple[str, str, int, str], ...]


@dataclass(frozen=True)
class Equations:
    """Lines of mathematics: MathML, and what it says in words."""

    kind: ClassVar[str] = "equations"
    lines: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Code:
    """Something to type, with a line of explanation."""

    kind: ClassVar[str] = "code"
    caption: str
    text: str


Part = Table | Figure | Explorer | Drawing | Text | Items | Facts | Lists | Equations | Code


@dataclass(frozen=True)
class Section:
    """A heading with its parts; `name` is its anchor."""

    name: str
    title: str
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Report:
    """Everything that a report says.

    Parameters
    ----------
    title, subtitle : str
    answer : tuple of str
    figure : Figure
        Stands below the answer.
    sections : tuple of Section
    left_out : tuple of str
        Terms of the model that the data cannot estimate, and why.
    cautions : tuple of str
        What makes the answer doubtful.
    """

    title: str
    subtitle: str
    answer: tuple[str, ...]
    figure: Figure
    sections: tuple[Section, ...]
    left_out: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()


def span_of(values: list[float], *others: float) -> tuple[float, float]:
    """Return the ends of an axis that holds values with a little room.

    Examples
    --------
    >>> span_of([0.0, 1.0], 2.0)
    (-0.08, 2.08)
    """
    known = [v for v in (*values, *others) if isfinite(v)]
    low, high = min(known), max(known)
    room = 0.04 * (high - low) or 0.5
    return low - room, high + room


def nice_ticks(low: float, high: float) -> list[float]:
    """Return round numbers from `low` to `high`, three to eight of them.

    Examples
    --------
    >>> nice_ticks(0.79, 1.03)
    [0.8, 0.85, 0.9, 0.95, 1.0]
    """
    raw = (high - low) / 7
    magnitude = 10.0 ** floor(log10(raw))
    step = next(m * magnitude for m in (1, 2, 5, 10) if m * magnitude >= raw * (1 - 1e-9))
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [round(k * step, 10) for k in range(first, last + 1)]


def bounds(row: Any, form: str = "distance") -> str:
    """Write the interval of a table's row.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> bounds(SimpleNamespace(low=-0.1, high=0.02), "signed")
    '−0.100 to +0.020'
    """
    return f"{shown(float(row.low), form)} to {shown(float(row.high), form)}"


def probability(p: float) -> str:
    """Write a probability that draws estimate, without false certainty.

    Examples
    --------
    >>> probability(1.0), probability(0.42), probability(0.001)
    ('above 0.99', '0.42', 'below 0.01')
    """
    if p > 0.99:
        return "above 0.99"
    return "below 0.01" if p < 0.01 else f"{p:.2f}"


def listed(parts: Sequence[str]) -> str:
    """Join parts of a sentence.

    Examples
    --------
    >>> listed(["one"]), listed(["one", "two", "three"])
    ('one', 'one, two and three')
    """
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last
