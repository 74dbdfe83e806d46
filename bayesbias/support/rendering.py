r"""Sentences and tables as HTML, Markdown and LaTeX; `text_tables` has them as text."""

import html
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import compress, groupby, pairwise
from typing import Final

from bayesbias.errors import ArgumentError, suggest
from bayesbias.support.text_tables import BULLET, Blocks, Table, printable, with_true_minus

_LATEX = {mark: rf"\{mark}" for mark in "{}$&%#_"}
_LATEX |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_LATEX |= {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
_LATEX |= {"[": "{[}", "*": "{*}"}  # after the end of a row, LaTeX would read an option
_LATEX |= {"−": r"$-$", "±": r"$\pm$", "×": r"$\times$", "α": r"$\alpha$"}
_LATEX |= {"γ": r"$\gamma$", "λ": r"$\lambda$", "ρ": r"$\rho$", "σ": r"$\sigma$"}
_UNKNOWN_TO_PDFLATEX: Final = re.compile(r"[^\u0000-\u017f\u2010-\u2026\u20ac\u2122]")
_OTHER_ENGINE: Final = (
    "% holds letters that pdfLaTeX lacks: take XeLaTeX or LuaLaTeX, and a font with them"
)
_MARKDOWN: Final = re.compile(r"([\\`*_{}\[\]<>|$#])")
_LATEX_COLUMNS: Final = 5
_NO_LABEL: Final = re.compile(r"[\\{}%#$&~^\s]")
_STYLE: Final = "border-collapse:collapse;margin:.5em 0;font-variant-numeric:tabular-nums"


def as_html(blocks: Blocks) -> str:
    """Return blocks as HTML; every text is escaped."""
    body = []
    for are_items, parts in groupby(_paragraphs(blocks), lambda one: str(one).startswith(BULLET)):
        if are_items:
            items = "".join(f"<li>{_html(str(part)[len(BULLET) :])}</li>" for part in parts)
            body.append(f"<ul>{items}</ul>")
            continue
        body += [
            _html_table(part) if isinstance(part, Table) else f"<p>{_html(part)}</p>"
            for part in parts
        ]
    return f'<div class="bayesbias">{"".join(body)}</div>'


def as_markdown(blocks: Blocks) -> str:
    """Return blocks as Markdown."""
    return "\n\n".join(
        _markdown_table(block) if isinstance(block, Table) else _markdown(block)
        for block in _paragraphs(blocks)
    )


def as_latex(
    blocks: Blocks, *, caption: str = "", label: str = "", columns: Sequence[str] | None = None
) -> str:
    """Return blocks as LaTeX with rules of ``booktabs``; options are those of `Result.to_latex`."""
    parts = list(_paragraphs(blocks))
    if caption or label or columns is not None:
        _check_options([p for p in parts if isinstance(p, Table)], label, columns)
    texts = [_latex_table(p, columns) if isinstance(p, Table) else _latex(p) for p in parts]
    foreign = _UNKNOWN_TO_PDFLATEX.search(" ".join([_latex(caption), *texts]))
    head = [_OTHER_ENGINE] if foreign and any(isinstance(p, Table) for p in parts) else []
    if not (caption or label):
        return "\n\n".join(filter(None, [*head, *texts]))
    floats = [  # a line that ends in a colon is the heading of the table below it
        isinstance(part, Table) or (part.endswith(":") and isinstance(below, Table))
        for part, below in pairwise([*parts, ""])
    ]
    lines = [
        *head,
        r"\begin{table}",
        r"\centering",
        *([rf"\caption{{{_latex(caption)}}}"] if caption else []),
        *([rf"\label{{{label}}}"] if label else []),
        *filter(None, compress(texts, floats)),
        r"\end{table}",
    ]
    others = compress(texts, (not is_inside for is_inside in floats))
    return "\n\n".join(["\n".join(lines), *others])


def _check_options(tables: list[Table], label: str, columns: Sequence[str] | None) -> None:
    """Refuse what no table of a result has, and a label that LaTeX would not take."""
    if not tables:
        raise ArgumentError("caption, label and columns are those of a table; here is only text")
    if _NO_LABEL.search(label):
        raise ArgumentError(f"label={label!r}: take letters, digits and marks such as : _ -")
    if columns is None:
        return
    if isinstance(columns, str) or not columns:
        raise ArgumentError(f"columns={columns!r}: give a list of names of columns")
    known = dict.fromkeys(name for table in tables for name in table.names)
    for name in columns:
        if name not in known:
            raise ArgumentError(f"no column {name!r}{suggest(name, known)}")


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
            escape(text if column.is_words or not number else with_true_minus(text))
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
    text = unicodedata.normalize("NFC", printable(text, lines=False))  # pdfLaTeX composes nothing
    return "".join(_LATEX.get(letter, letter) for letter in text)


def _latex_table(table: Table, columns: Sequence[str] | None) -> str:
    """Return a table with the columns that were asked for; nothing where it has none of them."""
    chosen = table.at_most(_LATEX_COLUMNS) if columns is None else table.only(columns)
    if not chosen.columns:
        return ""
    shown = {column.head for column in chosen.all_columns}
    heads = [printable(c.head, lines=False) for c in table.all_columns if c.head not in shown]
    gone = ", ".join(heads) if columns is None else ""
    is_words, (head, *rows) = _columns(chosen, _latex)
    sides = "".join("l" if of_words else "r" for of_words in is_words)
    lines = [f"{' & '.join(row)} \\\\" for row in [head, *rows]]
    note = [f"% left out; columns= shows: {gone}"] if gone else []
    begin = [rf"\begin{{tabular}}{{{sides}}}", r"\toprule", lines[0], r"\midrule"]
    return "\n".join([*note, *begin, *lines[1:], r"\bottomrule", r"\end{tabular}"])
