"""Tables as text, and the words that tables and figures share."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

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


class Table(NamedTuple):
    """A frame of texts to be shown."""

    frame: "pd.DataFrame"
    """The texts."""

    left: int = 1
    """How many columns, from the first, are labels."""

    @property
    def is_left(self) -> list[bool]:
        """Whether each column is set to the left: labels are, and words such as verdicts."""
        columns = self.frame.to_numpy().T.tolist()
        words = [not any(map(str.isdigit, "".join(map(str, column)))) for column in columns]
        return [i < self.left or is_words for i, is_words in enumerate(words)]


Blocks = Sequence[str | Table]
"""What a result says: lines of text, and tables."""


def as_text(blocks: Blocks) -> str:
    """Return blocks as plain text, one below the other.

    Examples
    --------
    >>> import pandas as pd
    >>> print(as_text(["Means:", Table(pd.DataFrame({"word": ["he"], "mean": ["0.1"]}))]))
    Means:
    word  mean
    he     0.1
    """
    return "\n".join(
        plain_table(block.frame, left=block.left) if isinstance(block, Table) else block
        for block in blocks
    )


def interval_label(prob: float, interval: str) -> str:
    """Name an interval as tables and figures do.

    Examples
    --------
    >>> interval_label(0.89, "eti")
    '89% equal-tailed interval'
    """
    kinds = {"hpdi": "HPDI", "eti": "equal-tailed interval", "joint": "joint interval"}
    return f"{percent(prob)} {kinds[interval]}"


def percent(prob: float) -> str:
    """Write the probability of an interval with the decimals it has, without float noise.

    Examples
    --------
    >>> percent(0.95), percent(0.999), percent(1 - 0.89)
    ('95%', '99.9%', '11%')
    """
    return f"{100 * prob:g}%"


def label_of(table: "pd.DataFrame") -> str:
    """Name the intervals of a table, which has ``prob`` and ``interval`` as columns."""
    return interval_label(table["prob"].iloc[0], table["interval"].iloc[0])


def printable(text: str, *, lines: bool = True) -> str:
    r"""Return a text in which characters that cannot be seen are written out.

    Printed as they are, control characters drive a terminal, marks of direction reorder what
    follows, and characters without width make two different words look the same.

    Examples
    --------
    >>> print(printable("he\x1b[2J, \u202eshe"), printable("two\nlines", lines=False))
    he\x1b[2J, \u202eshe two\nlines
    """
    return _HIDDEN.sub(lambda found: _escaped(found[0], lines), text)


def _escaped(letter: str, lines: bool) -> str:
    return letter if lines and letter in "\n\t" else letter.encode("unicode_escape").decode()


def counted(n: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, in the plural unless it is one.

    Examples
    --------
    >>> counted(1, "word"), counted(12000, "word"), counted(2, "analysis", "analyses")
    ('1 word', '12,000 words', '2 analyses')
    """
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def plain_table(table: "pd.DataFrame", *, left: int = 1) -> str:
    """Return a frame as aligned text: `left` columns of labels and words left, numbers right.

    Examples
    --------
    >>> import pandas as pd
    >>> print(plain_table(pd.DataFrame({"word": ["he", "mother"], "mean": ["0.1", "0.25"]})))
    word    mean
    he       0.1
    mother  0.25
    """
    rows = [
        [printable(str(cell), lines=False) for cell in row]
        for row in (list(table.columns), *table.to_numpy().tolist())
    ]
    to_left = Table(table, left).is_left
    widths = [max(len(row[i]) for row in rows) for i in range(len(table.columns))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if is_left else cell.rjust(width)
            for cell, width, is_left in zip(row, widths, to_left, strict=True)
        ).rstrip()
        for row in rows
    )
