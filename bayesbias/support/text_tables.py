"""Tables as text, and the words that tables and figures share."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

import pandas as pd

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Table(NamedTuple):
    """A frame of texts to be shown."""

    frame: pd.DataFrame
    """The texts."""

    left: int = 1
    """How many columns, from the first, are set to the left; the others are numbers."""


Blocks = Sequence[str | Table]
"""What a result says: lines of text, and tables."""


def as_text(blocks: Blocks) -> str:
    """Return blocks as plain text, one below the other.

    Examples
    --------
    >>> print(as_text(["Means:", Table(pd.DataFrame({"word": ["he"], "mean": ["0.1"]}))]))
    Means:
    word  mean
    he     0.1
    """
    return "\n".join(
        plain_table(block.frame, left=block.left) if isinstance(block, Table) else block
        for block in blocks
    )


def counted(n: int, noun: str) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> counted(1, "word"), counted(2000, "word")
    ('1 word', '2,000 words')
    """
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def interval_label(prob: float, interval: str) -> str:
    """Name an interval as tables and figures do.

    Examples
    --------
    >>> interval_label(0.89, "eti")
    '89% equal-tailed interval'
    """
    kind = {"hpdi": "HPDI", "eti": "equal-tailed interval"}[interval]
    return f"{100 * prob:g}% {kind}"


def printable(text: str) -> str:
    r"""Return a text whose control characters are written out: printed, they drive a terminal.

    Examples
    --------
    >>> print(printable("he\x1b[2J"))
    he\x1b[2J
    """
    return _CONTROL.sub(lambda found: repr(found[0])[1:-1], text)


def plain_table(table: pd.DataFrame, *, left: int = 1) -> str:
    """Return a frame as aligned text: the first `left` columns to the left, others to the right.

    Examples
    --------
    >>> print(plain_table(pd.DataFrame({"word": ["he", "mother"], "mean": ["0.1", "0.25"]})))
    word    mean
    he       0.1
    mother  0.25
    """
    rows = [list(table.columns), *table.to_numpy().tolist()]
    widths = [max(len(str(row[i])) for row in rows) for i in range(len(table.columns))]
    return "\n".join(
        "  ".join(
            str(cell).ljust(width) if i < left else str(cell).rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
