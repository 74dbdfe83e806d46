"""What every answer of the package can do: show itself, and hand out its numbers.

A result is a frozen dataclass. It says once, as `blocks`, which sentences and tables it consists
of, and names the frame that holds its numbers. Blocks are rendered as text, HTML and LaTeX. A table
is a frame and its columns, which say once how their values are written.
"""

import dataclasses
import html
import re
import sys
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Final

import numpy as np
import pandas as pd

WIDTH: Final = 100
"""Letters of a line of text, beyond which a table gives up columns."""

_HIDDEN: Final = re.compile(
    # Control characters and lone surrogates; soft hyphen; joiners, fillers and spaces without
    # width; marks of direction; separators of lines; tags and other invisible marks. The joiners
    # U+200C and U+200D are part of the spelling between letters of some scripts, and of emoji.
    "[\x00-\x1f\x7f-\x9f\xad\ud800-\udfff\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"
    "\U000e0000-\U000e0fff]"
    "|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
)

_FORMS: Final = {
    **{"count": ",.0f", "distance": "z.3f", "fine": "z.4f", "signed": "+z.3f"},
    **{"share": ".1%", "percent": "z.0%", "p": ".3g", "probability": ".3f"},
}
"""How numbers are written, by the name of their form; another form is a format of Python."""


def format_value(value: "str | float | None", form: str) -> str:
    """Write a value as tables do: nothing for what is not known, no sign for what rounds to 0."""
    if value is None or value != value:
        return ""
    if isinstance(value, str):
        return value
    if form == "probability" and not 0.001 <= value <= 0.9995:  # of draws, which are never sure
        return "<0.001" if value < 0.001 else ">0.999"
    text = percent(value) if form == "prob" else format(value, _FORMS.get(form, form))
    is_zero = {letter for letter in text if letter.isdigit()} == {"0"}
    return text.lstrip("+-") if is_zero else text


def percent(prob: float) -> str:
    """Write the probability of an interval with the decimals it has, without float noise."""
    return f"{100 * prob:g}%"


def printable(text: str, *, lines: bool = True) -> str:
    """Return a text in which characters that cannot be seen are written out.

    They drive a terminal, reorder what follows, or make different words look the same.
    """
    shown = "\n\t" if lines else ""
    return _HIDDEN.sub(
        lambda hidden: (
            hidden[0] if hidden[0] in shown else hidden[0].encode("unicode_escape").decode()
        ),
        text,
    )


@dataclass(frozen=True)
class Column:
    """A column of a table, and how it is written wherever the table is shown.

    `key` names the value of a row that it shows, or both ends of an interval; `label` is by default
    the first key in plain words. `form` is ``text``, a name of `format_value`, or a format such as
    ``.2%``. What is narrow leaves out the columns with the largest `drop_priority` first, those
    with 0 never; `missing` stands for a number that is not known.
    """

    key: str | tuple[str, ...]
    label: str = ""
    form: str = "text"
    drop_priority: int = 0
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
        return self.form == "text"

    def text_of(self, row: dict[Any, Any]) -> str:
        """Write a value as tables do."""
        values = [row[key] for key in self.keys]
        if self.is_words:
            return str(values[0])
        parts = [format_value(value, self.form) for value in values]
        return " to ".join(parts) if all(parts) else self.missing


def interval_column(label: str) -> Column:
    """Return the column of the intervals from ``low`` to ``high``."""
    return Column(("low", "high"), label, "signed")


Columns = Sequence[Column | str]
"""Columns of a table; a text is a key, shown as words or, of a column of numbers, as numbers."""


@dataclass(frozen=True, eq=False)
class Table:
    """A frame to be shown; without `columns` it has the frame's."""

    frame: pd.DataFrame
    columns: Columns = ()

    @property
    def all_columns(self) -> list[Column]:
        """Every column; those that were named alone with the form that their values ask for."""
        forms = {"f": "fine", "i": "count", "u": "count"}
        kinds = {name: kind.kind for name, kind in self.frame.dtypes.items()}
        return [
            c if isinstance(c, Column) else Column(c, form=forms.get(kinds[c], "text"))
            for c in (self.columns or self.frame.columns)
        ]

    def texts(
        self, columns: Sequence[Column], escape: Callable[[str], str], minus: str = "-"
    ) -> tuple[list[str], list[list[str]]]:
        """Return the heads and the rows of columns, escaped; `minus`: of numbers."""
        rows = [
            [c.text_of(row) if c.is_words else c.text_of(row).replace("-", minus) for c in columns]
            for row in self.frame.to_dict("records")
        ]
        heads = [escape(column.head) for column in columns]
        return heads, [[escape(text) for text in row] for row in rows]


Blocks = Sequence[str | Table]
"""What a result shows: lines of text, and tables."""


def _seen(text: str) -> str:
    return printable(text, lines=False)


def as_text(blocks: Blocks) -> str:
    """Return blocks as plain text, one below the other."""
    return "\n".join(_text_table(b) if isinstance(b, Table) else b for b in blocks)


def aligned(rows: Sequence[Sequence[str]], is_left: Sequence[bool], most: int) -> list[str]:
    """Return rows of texts as lines, some columns to the left, and closer where lines are long.

    `most`: places of a line with two blanks between columns.
    """
    from rich.cells import cell_len  # some letters take two places of a terminal, some none

    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    gap = "  " if sum(widths) + 2 * (len(widths) - 1) <= most else " "
    lines = []
    for row in rows:
        parts = []
        for text, width, left in zip(row, widths, is_left, strict=True):
            blanks = " " * (width - cell_len(text))
            parts.append(text + blanks if left else blanks + text)
        lines.append(gap.join(parts).rstrip())
    return lines


def _text_table(table: Table) -> str:
    """Return aligned text; wider than a line it gives up columns in their order, and says so."""
    from rich.cells import cell_len

    every = columns = table.all_columns
    while True:
        head, rows = table.texts(columns, _seen)
        widths = [max(map(cell_len, column)) for column in zip(head, *rows, strict=True)]
        droppable = [column for column in columns if column.drop_priority]
        if sum(widths) + 2 * (len(widths) - 1) <= WIDTH or not droppable:
            break
        last = max(droppable, key=lambda column: column.drop_priority)
        columns = [column for column in columns if column is not last]
    names = [column.head for column in every if column not in columns]
    note = [f"(too narrow for: {', '.join(names)})"] if names else []
    lines = aligned([head, *rows], [column.is_words for column in columns], sys.maxsize)
    return "\n".join([*lines, *note])


def _paragraphs(blocks: Blocks) -> Iterator[str | Table]:
    """Yield tables and texts, empty lines left out: each format has its own distances."""
    for block in blocks:
        if isinstance(block, Table):
            yield block
        else:
            yield from (line for line in block.split("\n") if line.strip())


def as_html(blocks: Blocks) -> str:
    """Return blocks as HTML; every text is escaped."""
    body = [
        _html_table(part) if isinstance(part, Table) else f"<p>{html.escape(_seen(part))}</p>"
        for part in _paragraphs(blocks)
    ]
    return f'<div class="bayesbias">{"".join(body)}</div>'


def _html_table(table: Table) -> str:
    columns = table.all_columns
    sides = ["left" if column.is_words else "right" for column in columns]

    def line(tag: str, row: list[str]) -> str:
        inner = (
            f'<{tag} style="text-align:{side}">{text}</{tag}>'
            for side, text in zip(sides, row, strict=True)
        )
        return f"<tr>{''.join(inner)}</tr>"

    head, rows = table.texts(columns, lambda text: html.escape(_seen(text)), "−")
    body = "".join(line("td", row) for row in rows)
    return f"<table><thead>{line('th', head)}</thead><tbody>{body}</tbody></table>"


_LATEX: Final = {
    **{mark: rf"\{mark}" for mark in "{}$&%#_"},
    **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"},
    **{"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"},
    **{"[": "{[}", "*": "{*}"},  # after the end of a row, LaTeX would read an option
    **{"−": r"$-$", "±": r"$\pm$", "×": r"$\times$", "→": r"$\to$", "α": r"$\alpha$"},
    **{"γ": r"$\gamma$", "λ": r"$\lambda$", "ρ": r"$\rho$", "σ": r"$\sigma$", "²": "$^2$"},
}
_OPENING: Final = re.compile(r"(?:^|(?<=[\s(]))([\"'])(?=\S)")


def _latex(text: str) -> str:
    """Return a text as LaTeX sets it, with typographic quotes."""
    text = unicodedata.normalize("NFC", _seen(text))  # pdfLaTeX composes nothing
    text = "".join(_LATEX.get(letter, letter) for letter in text)
    text = _OPENING.sub(lambda mark: "``" if mark[1] == '"' else "`", text)
    return text.replace('"', "''")


_END: Final = "\\end{table}\n"


def as_latex(blocks: Blocks, *, caption: str = "", label: str = "") -> str:
    """Return blocks as LaTeX, tables by pandas; options are those of `Result.to_latex`."""
    parts: list[str] = []
    options = {"caption": _latex(caption) or None, "label": label or None}
    for block in _paragraphs(blocks):
        if isinstance(block, str):
            note = _latex(block)
            if parts and parts[-1].endswith(_END):  # it belongs to that table
                parts[-1] = f"{parts[-1].removesuffix(_END)}\\par\\footnotesize {note}\n{_END}"
            else:
                parts.append(note)
            continue
        columns = block.all_columns
        heads, rows = block.texts(columns, _latex, "−")
        sides = "".join("l" if column.is_words else "r" for column in columns)
        table = pd.DataFrame(rows, columns=heads)
        parts.append(table.to_latex(index=False, column_format=sides, **options))
        options = {}
    return "\n\n".join(parts)


class Result(ABC):
    """Base of all results.

    A subclass is a frozen dataclass made with ``repr=False``; it defines `blocks`, and calls the
    frame with its numbers ``table``.
    """

    table: pd.DataFrame

    @property
    @abstractmethod
    def blocks(self) -> Blocks:
        """The sentences and tables that are shown."""

    def to_frame(self) -> pd.DataFrame:
        """Return the numbers as a frame, a copy."""
        return self.table.copy()

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data: frames as lists of rows, NaN as None."""
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        plain_fields: dict[str, Any] = plain({f.name: getattr(self, f.name) for f in fields})
        return plain_fields

    def to_latex(self, *, caption: str = "", label: str = "") -> str:
        r"""Return what is shown as LaTeX; tables need ``\usepackage{booktabs}``.

        For other columns or forms of numbers there is pandas: ``to_frame().to_latex(...)``.

        Parameters
        ----------
        caption, label : str
            Of the first table, which then stands in a ``table`` environment, with sentences that
            follow it. The caption is plain text; what LaTeX would run is escaped.
        """
        return as_latex(self.blocks, caption=caption, label=label)

    def _repr_html_(self) -> str:
        """Return what is shown as HTML, for notebooks."""
        return as_html(self.blocks)

    def __repr__(self) -> str:
        """Return what is shown as text."""
        return as_text(self.blocks)


def plain(value: Any) -> Any:
    """Return a value as data that JSON can hold: NaN and infinities become None."""
    if isinstance(value, pd.DataFrame):
        return [plain(row) for row in value.to_dict("records")]
    if isinstance(value, Result):
        return value.to_dict()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return plain({f.name: getattr(value, f.name) for f in dataclasses.fields(value)})
    if isinstance(value, Mapping | pd.Series):
        parts = ((key if isinstance(key, tuple) else (key,), item) for key, item in value.items())
        return {" − ".join(map(str, key)): plain(item) for key, item in parts}
    if isinstance(value, set | frozenset):
        return [plain(item) for item in sorted(value)]
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    if value is pd.NA or value is pd.NaT:
        return None
    return str(value) if isinstance(value, PurePath) else value
