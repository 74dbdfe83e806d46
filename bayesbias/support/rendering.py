r"""Sentences and tables as HTML, Markdown and LaTeX; `text_tables` has them as text."""

import html
import re
from collections.abc import Callable, Iterator
from typing import Final

from bayesbias.support.text_tables import Blocks, Table, printable, typeset

_LATEX: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "−": r"$-$",
    "±": r"$\pm$",
    "×": r"$\times$",
}
_MARKDOWN: Final = re.compile(r"([\\`*_{}\[\]<>|$#])")
_STYLE: Final = "border-collapse:collapse;margin:.5em 0;font-variant-numeric:tabular-nums"


def as_html(blocks: Blocks) -> str:
    """Return blocks as HTML; every text is escaped.

    Examples
    --------
    >>> as_html(["a < b"])
    '<div class="bayesbias"><p>a &lt; b</p></div>'
    """
    body = "".join(
        _html_table(block) if isinstance(block, Table) else f"<p>{_html(block)}</p>"
        for block in _paragraphs(blocks)
    )
    return f'<div class="bayesbias">{body}</div>'


def as_markdown(blocks: Blocks) -> str:
    """Return blocks as Markdown.

    Examples
    --------
    >>> import pandas as pd
    >>> print(as_markdown([Table(pd.DataFrame({"word": ["he"], "pairs": [12]}))]))
    | word | pairs |
    | :--- | ----: |
    | he   | 12    |
    """
    return "\n\n".join(
        _markdown_table(block) if isinstance(block, Table) else _markdown(block)
        for block in _paragraphs(blocks)
    )


def as_latex(blocks: Blocks) -> str:
    r"""Return blocks as LaTeX; tables use the rules of ``booktabs``.

    Examples
    --------
    >>> print(as_latex(["90% of he_she"]))
    90\% of he\_she
    """
    return "\n\n".join(
        _latex_table(block) if isinstance(block, Table) else _latex(block)
        for block in _paragraphs(blocks)
    )


def _paragraphs(blocks: Blocks) -> Iterator[str | Table]:
    """Yield tables and texts, empty lines left out: each format has its own distances."""
    for block in blocks:
        if isinstance(block, Table):
            yield block
        else:
            yield from (line for line in block.split("\n") if line.strip())


def _columns(table: Table, escape: Callable[[str], str]) -> tuple[list[bool], list[list[str]]]:
    """Return whether each column is of words, and the lines with the heads first, escaped."""
    found = table.texts(lambda text: text)
    columns = [
        [
            escape(text if column.is_words or not number else typeset(text))
            for number, text in enumerate(texts)
        ]
        for column, texts in found
    ]
    return [column.is_words for column, _ in found], [
        list(row) for row in zip(*columns, strict=True)
    ]


def _html(text: str) -> str:
    return html.escape(printable(text, lines=False))


def _html_table(table: Table) -> str:
    is_words, (head, *rows) = _columns(table, _html)
    sides = ["left" if of_words else "right" for of_words in is_words]

    def line(tag: str, cells: list[str]) -> str:
        inner = (
            f'<{tag} style="text-align:{side}">{cell}</{tag}>'
            for side, cell in zip(sides, cells, strict=True)
        )
        return f"<tr>{''.join(inner)}</tr>"

    body = "".join(line("td", row) for row in rows)
    return f'<table style="{_STYLE}"><thead>{line("th", head)}</thead><tbody>{body}</tbody></table>'


def _markdown(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", printable(text, lines=False))


def _markdown_table(table: Table) -> str:
    is_words, (head, *rows) = _columns(table, _markdown)
    widths = [max(4, *(len(row[i]) for row in [head, *rows])) for i in range(len(head))]
    rule = [
        ":" + "-" * (width - 1) if of_words else "-" * (width - 1) + ":"
        for width, of_words in zip(widths, is_words, strict=True)
    ]
    lines = [[c.ljust(w) for c, w in zip(row, widths, strict=True)] for row in [head, *rows]]
    return "\n".join(f"| {' | '.join(row)} |" for row in [lines[0], rule, *lines[1:]])


def _latex(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in printable(text, lines=False))


def _latex_table(table: Table) -> str:
    is_words, (head, *rows) = _columns(table, _latex)
    sides = "".join("l" if of_words else "r" for of_words in is_words)
    lines = [f"{' & '.join(row)} \\\\" for row in [head, *rows]]
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{sides}}}",
            r"\toprule",
            lines[0],
            r"\midrule",
            *lines[1:],
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )
