"""What every answer of the package can do: show itself, and hand out its numbers.

A result is a frozen dataclass. It says once, as `blocks`, which sentences and tables it consists
of, and names the frame that holds its numbers; this base renders them as text, HTML, Markdown and
LaTeX, and gives the numbers as a frame and as plain data.
"""

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from bayesbias.support.rendering import as_html, as_latex, as_markdown
from bayesbias.support.text_tables import Blocks, as_text


class Result(ABC):
    """Base of all results.

    A subclass is a frozen dataclass made with ``repr=False``; it defines `blocks`, and sets
    `_main` where the frame with its numbers is not called ``table``.
    """

    _main: ClassVar[str] = "table"

    @property
    @abstractmethod
    def blocks(self) -> Blocks:
        """The sentences and tables that are shown."""

    @property
    def paper_blocks(self) -> Blocks:
        """What LaTeX shows, if not the same."""
        return self.blocks

    def to_frame(self) -> pd.DataFrame:
        """Return the numbers as a frame, a copy."""
        frame: pd.DataFrame = getattr(self, self._main)
        return frame.copy()

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data: frames as lists of rows, NaN as None."""
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        plain_fields: dict[str, Any] = plain({f.name: getattr(self, f.name) for f in fields})
        return plain_fields

    def to_markdown(self) -> str:
        """Return what is shown as Markdown."""
        return as_markdown(self.blocks)

    def to_latex(
        self, *, caption: str = "", label: str = "", columns: Sequence[str] | None = None
    ) -> str:
        r"""Return what is shown as LaTeX; tables need ``\usepackage{booktabs}``.

        Some letters need ``\usepackage[T1]{fontenc}``, as « does. Where words have letters that
        pdfLaTeX lacks, such as Hebrew ones, a comment in front says so.

        Parameters
        ----------
        caption, label : str
            With one of them the tables stand in a ``table`` environment, and sentences below it.
            The caption is plain text; what LaTeX would run is escaped.
        columns : sequence of str, optional
            Columns by what stands above them or by their name in `to_frame`, in this order; a table
            that has none of them is left out. By default five at most: name, number, interval and
            verdict stay, and a comment says what was left out.

        Raises
        ------
        ArgumentError
            If no table has such a column, the label has a character that LaTeX reads, or there is
            no table.
        """
        return as_latex(self.paper_blocks, caption=caption, label=label, columns=columns)

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
    if isinstance(value, pd.Series):
        return plain(value.to_dict())
    if isinstance(value, Result):
        return value.to_dict()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return plain({f.name: getattr(value, f.name) for f in dataclasses.fields(value)})
    if isinstance(value, Mapping):
        joined = (k if isinstance(k, tuple) else (k,) for k in value)
        keys = [" − ".join(map(str, parts)) for parts in joined]
        return {key: plain(v) for key, v in zip(keys, value.values(), strict=True)}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple | set | frozenset):
        items = sorted(value) if isinstance(value, set | frozenset) else value
        return [plain(item) for item in items]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    if value is pd.NA or value is pd.NaT:
        return None
    return str(value) if isinstance(value, PurePath) else value
