"""Tables as text, and the words that tables and figures share."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:  # the command line shows texts and must start at once
    import pandas as pd

_HIDDEN: Final = re.compile(
    # Control characters and lone surrogates; soft hyphen; joiners, fillers and spaces without
    # width; marks of direction; separators of lines; tags and other invisible marks. The joiners
    # U+200C and U+200D are part of the spelling between letters of some scripts, and of emoji.
    "[\x00-\x1f\x7f-\x9f\xad\ud800-\udfff\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"
    "\U000e0000-\U000e0fff]"
    "|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
)


_FORMS = {"count": ",.0f", "distance": "z.3f", "fine": "z.4f", "signed": "+z.3f"}
_FORMS |= {"sds": "+z.2f", "share": ".1%", "percent": "z.0%", "number": ",.1f", "p": ".3g"}
_ESTIMATED: Final = {"probability": (".3f", 0.001), "likely": (".1%", 0.001)}
"""Forms of probabilities that draws estimate, which are never 0 or 1: format and smallest."""

_WORDS: Final = ("text", "long", "verdict")
_LONGEST: Final = 24  # letters of a word that a narrow column does not cut
_GAP: Final = "  "
BULLET: Final = "  - "  # how an item of a list begins
_LINE: Final = 96  # letters of a line of an item, at most
ON_EDGE: Final = "on the edge"  # how a verdict is marked that numerical error could change


@dataclass(frozen=True)
class Column:
    """A column of a table, and how it is written wherever the table is shown.

    `key` says which values of a row it shows: one, both ends of an interval, or a value and both
    ends; `label` is by default the first key in plain words. `form` is ``text``, ``long`` (wraps on
    a page) or ``verdict``; for numbers one of the names in `_FORMS`, ``prob`` (as `percent` writes
    it), or a format such as ``.2%``. A narrow terminal leaves out the columns with the largest
    `drop_priority` first, those with 0 never; a `detail` is shown by pages alone, which have room
    for everything; `missing` stands for a number that is not known.
    """

    key: str | tuple[str, ...]
    label: str = ""
    form: str = "text"
    drop_priority: int = 0
    detail: bool = False
    missing: str = "–"

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the values that it shows."""
        return (self.key,) if isinstance(self.key, str) else self.key

    @property
    def head(self) -> str:
        """What stands above it."""
        return self.label or self.keys[0].replace("_", " ")

    @property
    def is_words(self) -> bool:
        """Whether it is set to the left: words are, numbers are not."""
        return self.form in _WORDS

    def text_of(self, row: Mapping[str, Any]) -> str:
        """Write a value as tables do; nothing for what is not known."""
        values = [row[key] for key in self.keys]
        if self.is_words:
            return str(values[0])
        parts = [format_value(value, self.form) for value in values]
        if not all(parts):
            return parts[0] or self.missing
        return " to ".join(parts) if len(parts) < 3 else "{} ({} to {})".format(*parts)

    def split_interval(self) -> "tuple[Column, ...]":
        """Return the ends of an interval as two columns, which a page can sort by."""
        if len(self.keys) != 2:
            return (self,)
        return tuple(replace(self, key=key, label="") for key in self.keys)


def interval_column(label: str, form: str = "signed") -> Column:
    """Return the column of the intervals from ``low`` to ``high``."""
    return Column(("low", "high"), label, form)


Columns = Sequence[Column | str]
"""Columns of a table; a text is a key, shown as words or, of a column of numbers, as numbers."""


@dataclass(frozen=True, eq=False)
class Table:
    """A frame to be shown: the same table as text, in a terminal, a notebook, a paper, a page.

    Without `columns` it has the frame's. On a page `sortable` heads sort, and a filter uses the
    values of `word` and `connection`. `width`: letters in a line of plain text, 0 for any number.
    """

    frame: "pd.DataFrame"
    columns: Columns = ()
    caption: str = ""
    sortable: bool = False
    width: int = 0
    word: str = ""
    connection: str = ""

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows by key, as plain values."""
        return [
            {str(key): value for key, value in row.items()} for row in self.frame.to_dict("records")
        ]

    @property
    def all_columns(self) -> list[Column]:
        """Every column; those that were named alone with the form that their values ask for."""
        return [
            column if isinstance(column, Column) else self._by_name(str(column))
            for column in (self.columns or self.frame.columns)
        ]

    def _by_name(self, key: str) -> Column:
        kind = self.frame.dtypes[key].kind
        return Column(key, form={"f": "fine", "i": "count", "u": "count"}.get(kind, "text"))

    @property
    def page_columns(self) -> list[Column]:
        """The columns of a page."""
        return [part for column in self.all_columns for part in column.split_interval()]

    @property
    def names(self) -> "dict[str, Column]":
        """Its columns by every name that they have: those of the frame, and what stands above."""
        found = {str(key): self._by_name(str(key)) for key in self.frame.columns}
        for column in self.all_columns:
            found |= {part.keys[0]: part for part in column.split_interval()}
        return found | {column.head: column for column in self.all_columns}

    def only(self, names: Sequence[str]) -> "Table":
        """Return the table with those of these columns that it has."""
        known = self.names
        return replace(self, columns=[replace(known[n], detail=False) for n in names if n in known])

    def at_most(self, n: int) -> "Table":
        """Return the table with so many columns, given up as in a narrow terminal."""
        kept = [column for column in self.all_columns if not column.detail]
        while len(kept) > n and (found := _first_to_yield(kept)):
            kept.remove(found)
        return replace(self, columns=kept)

    def texts(self, escape: Callable[[str], str]) -> list[tuple[Column, list[str]]]:
        """Return the columns but for details, each with its head and cells, escaped."""
        rows = self.rows
        return [
            (column, [escape(column.head), *(escape(column.text_of(row)) for row in rows)])
            for column in self.all_columns
            if not column.detail
        ]


Blocks = Sequence[str | Table]  # what a result says: lines of text, and tables
# Headings of what a command or a result shows first, in this order.
MEANING: Final = "What this means"
HOW_SURE: Final = "How sure is it?"
THEN: Final = "Then"


def bullets(sentences: Sequence[str]) -> list[str]:
    """Return sentences as the items of a list."""
    return [f"{BULLET}{sentence}" for sentence in sentences]


def with_step(blocks: Blocks, step: str) -> list[str | Table]:
    """Return blocks with a sentence more after the finding, which an empty line ends."""
    place = next((n for n, one in enumerate(blocks) if isinstance(one, str) and not one), None)
    return [*blocks[:place], step, *blocks[len(blocks) if place is None else place :]]


def with_blank_lines(*blocks: str | Table) -> list[str | Table]:
    """Return blocks with an empty line between each two."""
    return [part for block in blocks for part in ("", block)][1:]


def as_text(blocks: Blocks) -> str:
    """Return blocks as plain text, one below the other."""
    return "\n".join(
        plain_table(block, width=block.width) if isinstance(block, Table) else in_lines(block)
        for block in blocks
    )


def in_lines(text: str, width: int = _LINE) -> str:
    """Return an item of a list in lines, those after the first indented; other texts as they are.

    A sentence that is no item stays one line, so that it can be searched for.
    """
    if not text.startswith(BULLET):
        return text
    indent = " " * len(BULLET)
    lines = wrap(text, min(width, _LINE), subsequent_indent=indent, break_on_hyphens=False)
    return "\n".join(lines)


def format_value(value: "str | float | None", form: str) -> str:
    """Write a value as tables do: nothing for what is not known, no sign for what rounds to 0."""
    if value is None or value != value:
        return ""
    if isinstance(value, str):
        return value
    if form in _ESTIMATED:
        spec, least = _ESTIMATED[form]
        if value < least:
            return f"<{format(least, spec)}"
        if value > 1.0 - least / 2:
            return f">{format(1.0 - least, spec)}"
        return format(value, spec)
    text = percent(value) if form == "prob" else format(value, _FORMS.get(form, form))
    is_zero = {one for one in text if one.isdigit()} == {"0"}
    return text.lstrip("+-") if is_zero else text


def typeset(value: "str | float | None", form: str) -> str:
    """Write a value as tables do, with a true minus sign."""
    return with_true_minus(format_value(value, form))


def with_true_minus(text: str) -> str:
    """Return numbers with true minus signs, as paper and pages have them."""
    return text.replace("-", "−")


def verdict_shown(row: Any) -> str:
    """Write the verdict of a table's row; where numerical error could change it, what is so near.

    Ends are in the row's unit: of differences between embeddings that is standard deviations.
    """
    if not row.on_edge:
        return str(row.verdict)
    end, near = nearest(row)
    said = typeset(near, "fine") if near else "0"
    return f"{row.verdict} ({ON_EDGE}: ends at {typeset(end, 'fine')}, near {said})"


def nearest(row: Any) -> tuple[float, float]:
    """Return the end of an interval that is nearest to 0 or an end of the ROPE, and to which."""
    name = "standardised_{}" if getattr(row, "unit", "") == "sd" else "{}"
    ends = (float(getattr(row, name.format(end))) for end in ("low", "high"))
    pairs = [(end, near) for end in ends for near in (-row.rope, 0.0, row.rope)]
    return min(pairs, key=lambda pair: abs(pair[0] - pair[1]))


def bounds(row: Any, form: str = "distance") -> str:
    """Write the interval of a table's row."""
    return f"{typeset(float(row.low), form)} to {typeset(float(row.high), form)}"


def probability(p: float) -> str:
    """Write a probability that draws estimate, without false certainty."""
    if p > 0.99:
        return "above 0.99"
    return "below 0.01" if p < 0.01 else f"{p:.2f}"


def join_words(parts: Sequence[str]) -> str:
    """Join parts of a sentence."""
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


def quoted(name: str) -> str:
    """Mark a name that somebody gave, such as of an embedding, so that a sentence reads as one."""
    return f'"{name}"'


def interval_label(prob: float, interval: str) -> str:
    """Name an interval as tables and figures do."""
    kinds = {"hpdi": "HPDI", "eti": "equal-tailed interval", "joint": "joint interval"}
    return f"{percent(prob)} {kinds[interval]}"


def percent(prob: float) -> str:
    """Write the probability of an interval with the decimals it has, without float noise."""
    return f"{100 * prob:g}%"


def label_of(table: "pd.DataFrame") -> str:
    """Name the intervals of a table, which has ``prob`` and ``interval`` as columns."""
    return interval_label(table["prob"].iloc[0], table["interval"].iloc[0])


def printable(text: str, *, lines: bool = True) -> str:
    """Return a text in which characters that cannot be seen are written out.

    They drive a terminal, reorder what follows, or make different words look the same.
    """
    kept = "\n\t" if lines else ""
    return _HIDDEN.sub(
        lambda found: found[0] if found[0] in kept else found[0].encode("unicode_escape").decode(),
        text,
    )


def counted(n: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, in the plural unless it is one."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def plain_table(table: Table, *, width: int = 0, rule: str = "") -> str:
    """Return a table as aligned text: words left, numbers right.

    Wider than `width`, it gives up columns in their declared order, and says so; then words wrap;
    at last each row becomes two lines. `rule`: what the line below the heads is made of.
    """
    found = table.texts(lambda text: printable(text, lines=False))
    kept = list(found)
    while width and _total(map(_widest, kept)) > width:
        if (first := _first_to_yield([column for column, _ in kept])) is None:
            break
        kept = [entry for entry in kept if entry[0] is not first]
    gone = ", ".join(entry[0].head for entry in found if entry not in kept)
    note = f"(too narrow for: {gone})" if gone else ""
    widths = _wrapped(kept, width)
    lines = _aligned(kept, widths, rule) if widths else _two_lines_a_row(kept, width)
    return "\n".join([*lines, *(wrap(note, width) if note else [])])


_Texts = list[tuple[Column, list[str]]]


def _first_to_yield(columns: Sequence[Column]) -> Column | None:
    """Return the column that is given up first; none where all stay."""
    return max((c for c in columns if c.drop_priority), key=lambda c: c.drop_priority, default=None)


def _wrapped(kept: _Texts, width: int) -> list[int]:
    """Return the widths of columns, those of words narrowed to fit; none if that is not enough."""
    widths = list(map(_widest, kept))
    least = [
        min(_LONGEST, max(cells(word) for text in texts for word in text.split() or [""])) + 1
        if column.is_words
        else _widest((column, texts))
        for column, texts in kept
    ]
    while width and _total(widths) > width:
        room = [have - need for have, need in zip(widths, least, strict=True)]
        if max(room) <= 0:
            return []
        widths[max(range(len(room)), key=lambda i: (room[i] > 0) * widths[i])] -= 1
    return widths


def _aligned(kept: _Texts, widths: list[int], rule: str) -> list[str]:
    lines = []
    for number, row in enumerate(zip(*(texts for _, texts in kept), strict=True)):
        parts = [
            [text]
            if cells(text) <= width
            else wrap(text, max(1, width * len(text) // cells(text)), subsequent_indent=" ")
            for text, width in zip(row, widths, strict=True)
        ]
        for line in zip_longest(*parts, fillvalue=""):
            padded = []
            for (column, _), part, width in zip(kept, line, widths, strict=True):
                blanks = " " * (width - cells(part))
                padded.append(part + blanks if column.is_words else blanks + part)
            lines.append(_GAP.join(padded).rstrip())
        if rule and not number:
            lines.append(_GAP.join(rule * width for width in widths))
    return lines


def _two_lines_a_row(kept: _Texts, width: int) -> list[str]:
    """Return every row as its name and, below, everything else with what it is."""
    heads = [column.head for column, _ in kept]
    lines: list[str] = []
    for name, *rest in zip(*(texts[1:] for _, texts in kept), strict=True):
        said = "; ".join(f"{head} {text}" for head, text in zip(heads[1:], rest, strict=True))
        lines += wrap(name, width)
        lines += wrap(said, width, initial_indent="  ", subsequent_indent="  ")
    return lines


def _widest(entry: tuple[Column, list[str]]) -> int:
    return max(map(cells, entry[1]))


def _total(widths: Iterable[int]) -> int:
    every = list(widths)
    return sum(every) + len(_GAP) * (len(every) - 1)


def cells(text: str) -> int:
    """Return how wide a text is in a terminal, where some letters take two places, some none."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)
