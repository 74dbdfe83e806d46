"""The page of a result: one HTML file of four screens, from plain data, without anything beside it.

Finding, figure and yardstick; groups and words; can you trust it; method, citation, reproduction.
A room that has a page gives a `Page`; the template shows it. What is drawn there is rows of marks
on a common axis, placed by CSS, so that table and figure are one, can be read without a script, and
print. Numbers that do not fit stand in closed details, and come out as CSV.
"""

import base64
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from math import ceil, floor, log10
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import numpy as np
import pandas as pd

from bayesbias.constants import ATTRIBUTE, ATTRIBUTE_SET, GROUP
from bayesbias.show.answer_table import GLYPHS, verdict_class
from bayesbias.show.narrator import Names, signed
from bayesbias.support.whole_files import new_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Dict = Mapping[str, Any]


@dataclass(frozen=True)
class Chart:
    """A table whose rows are drawn.

    `axis`: of `axis_of`. `rows`: ``word``, ``list``, ``group``, ``marks``, ``text`` and ``tip``.
    `legend`: look, mark and name of each. `heads`: of the first column and of the texts.
    """

    name: str
    title: str
    axis: Dict
    rows: Sequence[Dict]
    legend: Sequence[tuple[str, str, str]] = ()
    heads: tuple[str, str] = ("word", "verdict")
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Page:
    """What a page shows, as plain data.

    `sentences`: the finding, which is the page's title; the yardstick; what must be read with them.
    `figure`: ``wide`` and ``narrow``, SVG for screens and phones. `answers`: an `answer_table`.
    `heading`: of the charts. `choices`: of "list" and "group", pairs of name and title. `checks`:
    ``check``, ``verdict``, ``found`` and ``advice``, with a note. `method`, `cite`: paragraphs.
    `reproduce`: code by its heading. `details`: of `full_table`, closed at first.
    """

    subject: str
    sentences: Sequence[str]
    figure: Dict | None = None
    answers: Dict
    heading: str = "Groups and words"
    charts: Sequence[Chart]
    choices: Mapping[str, Sequence[tuple[str, str]]] = field(default_factory=dict)
    checks: pd.DataFrame
    checks_note: str = ""
    method: Sequence[str]
    cite: Sequence[str]
    reproduce: Mapping[str, str | None]
    details: Sequence[Dict]
    foot: str


OF_WORDS: Final = (
    "How close a list is to every group is part of these, so that words of one group can lie left "
    "of those of the other."
)
"""How a word's contrast is read."""

CATEGORY_GLYPHS: Final = ("●", "■", "▲", "◆", "▼", "✚", "✖", "★")


def row_id(word: str) -> str:
    """Return the anchor of a word's row."""
    return "row-" + quote(word, safe="").replace("%", "_")


def axis_of(values: Iterable[float], *, zero: bool = False) -> dict[str, Any]:
    """Return an axis with room for values: its ends, and ticks with their places in percent."""
    finite = [float(x) for x in values if np.isfinite(x)] + ([0.0] if zero else [])
    low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
    room = 0.06 * (high - low) or 0.5
    axis: dict[str, Any] = {"low": low - room, "high": high + room, "zero": None}
    raw = (axis["high"] - axis["low"]) / 4
    unit = 10.0 ** floor(log10(raw))
    step = next(m * unit for m in (1, 2, 5, 10) if m * unit >= raw)
    ticks = np.arange(ceil(axis["low"] / step), floor(axis["high"] / step) + 1) * step
    digits = max(0, -floor(log10(step)))
    texts = [f"{tick:.{digits}f}".replace("-", "−") for tick in ticks]
    axis["ticks"] = [(place(axis, tick), text) for tick, text in zip(ticks, texts, strict=True)]
    if zero:
        axis["zero"] = place(axis, 0.0)
    return axis


def place(axis: Dict, x: float) -> float:
    """Return where a value stands on an axis, in percent."""
    return round(100 * (float(x) - axis["low"]) / (axis["high"] - axis["low"]), 2)


def mark(axis: Dict, row: Any, look: str, glyph: str) -> dict[str, Any]:
    """Return the mark of a mean on an axis, with its interval if that is known."""
    at = {"at": place(axis, row.mean), "look": look, "glyph": glyph}
    if np.isfinite([row.low, row.high]).all():
        left, right = place(axis, row.low), place(axis, row.high)
        at |= {"low": left, "width": round(right - left, 2)}
    return at


def contrast_text(row: Any) -> str:
    """Write a mean with its interval."""
    return f"{signed(row.mean)} ({signed(row.low)} to {signed(row.high)})"


def condition_chart(name: str, title: str, table: pd.DataFrame, head: str, note: str = "") -> Chart:
    """Return contrasts under several conditions: a row for each label, a mark for each condition.

    `table`: of contrasts, with ``label`` and ``condition``, and ``list`` and ``group`` to choose
    by. `head`: what the labels are. The text of a row is the verdict after, where conditions are
    two, else how many are closer, farther or undecided.
    """
    axis = axis_of(table[["low", "high"]].to_numpy().ravel(), zero=True)
    conditions, rows = list(table["condition"].unique()), []
    looks = {of: (f"c{i % 8}", CATEGORY_GLYPHS[i % 8]) for i, of in enumerate(conditions)}
    for label, part in table.groupby("label", sort=False):
        *_, last = every = list(part.itertuples())
        texts = [f"{row.condition} {contrast_text(row)}, {row.verdict}" for row in every]
        half = (len(every) - 1) / 2  # conditions one below the other, in heights of a row
        marks = [
            {
                **mark(axis, row, *looks[row.condition]),
                "off": round(0.35 * (i - half) / max(half, 0.5), 2),
            }
            for i, row in enumerate(every)
        ]
        content = {"word": label, "list": last.list, "group": last.group, "marks": marks}
        counts = part["verdict"].map(verdict_class).value_counts().items()
        text = ", ".join(f"{n} {way}" for way, n in counts)
        if len(conditions) <= 2:
            text = verdict_class(last.verdict) if last.condition == conditions[-1] else "–"
        rows.append({**content, "text": text, "tip": f"{label}: {'; '.join(texts)}"})
    legend = [(*looks[of], str(of)) for of in conditions]
    last_head = "verdicts" if len(conditions) > 2 else f"in {conditions[-1]}"
    return Chart(name, title, axis, rows, legend, (head, last_head), note)


def attribute_chart(pairs: pd.DataFrame, names: Names, response: str) -> Chart:
    """Return the attributes of stereotype lists, with a mark for each group's mean distance."""
    means = pairs.pivot_table(response, [ATTRIBUTE_SET, ATTRIBUTE], GROUP, sort=False)
    groups = [name for name in names.groups if name in means]
    axis, glyphs = axis_of(means.to_numpy().ravel()), CATEGORY_GLYPHS
    looks = {g: {"look": f"c{i % 8}", "glyph": glyphs[i % 8]} for i, g in enumerate(groups)}
    rows = []
    for (of_list, word), values in means.sort_values(groups[0], kind="stable").iterrows():
        there = values[groups].dropna()
        texts = [f"{names.group(g)} {value:.2f}" for g, value in there.items()]
        marks = [{"at": place(axis, x), **looks[g], "group": g} for g, x in there.items()]
        text = str(there.idxmin()) if len(there) > 1 else f"{there.iloc[0]:.2f}"
        tip = f"{word} ({names.list(of_list)}): {', '.join(texts)}"
        row = {"word": word, "list": of_list, "group": "", "marks": marks}
        rows.append({**row, "text": text, "tip": tip})
    legend = [(of["look"], of["glyph"], names.group(name)) for name, of in looks.items()]
    title = "Attributes: mean distance to each group"
    heads = ("word", "closest to" if len(groups) > 1 else "distance")
    return Chart("attributes", title, axis, rows, legend, heads)


def word_chart(table: pd.DataFrame, names: Names, label: str) -> Chart:
    """Return the contrast of every protected word, with its interval."""
    axis = axis_of(table[["low", "high"]].to_numpy().ravel(), zero=True)
    rows = []
    for row in table.itertuples():
        look = verdict_class(row.verdict)
        marks = [mark(axis, row, look, GLYPHS[look])]
        tip = f"{row.word} ({names.group(row.group)}): {contrast_text(row)}, {row.verdict}"
        content = {"word": row.word, "list": "", "group": row.group, "marks": marks}
        rows.append({**content, "text": look, "tip": tip})
    title = f"Protected words: {', '.join(dict.fromkeys(table['contrast']))}"
    return Chart("protected", title, axis, rows, note=f"Lines: {label}. {OF_WORDS}")


def full_table(name: str, title: str, frame: pd.DataFrame) -> dict[str, Any]:
    """Return a whole frame as a table in closed details; the page writes it as ``name.csv``."""
    cells = [[_cell(x) for x in row] for row in frame.itertuples(index=False, name=None)]
    numeric = [pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]
    heads = [str(column).replace("_", " ") for column in frame.columns]
    columns = list(zip(frame.columns, heads, numeric, strict=True))
    return {"name": name, "title": title, "columns": columns, "rows": cells}


def _cell(value: Any) -> tuple[str, str]:
    """Return what a cell shows, and its whole number."""
    if isinstance(value, float | np.floating):
        whole = f"{value:.17g}" if np.isfinite(value) else ""
        return (f"{value:.3f}".replace("-", "−") if whole else "", whole)
    return str(value), ""


_ID: Final = re.compile(r' id="[A-Za-z][A-Za-z0-9.]*_\d+"')
_HASH: Final = re.compile(r'(id="|#)([mp][0-9a-f]{10}\b)')
_SIZE: Final = re.compile(r'<svg[^>]*?(viewBox="[^"]*")[^>]*>')
_META: Final = re.compile(r"^.*?(?=<svg)|<metadata>.*?</metadata>", re.DOTALL)
_TEXT: Final = re.compile(r"<text[^>]*>([^<]*)</text>")


def inline_svg(figure: "Figure", text: str, words: Iterable[str] = ()) -> str:
    """Return a figure as SVG for a page: its colours those of the page, its `words` links to rows.

    `text` is what is read in its place.
    """
    from bayesbias.show import style

    svg = _ID.sub("", _META.sub("", style.as_svg(figure)))
    svg = _HASH.sub(rf"\1w{figure.get_figwidth():g}-\2".replace(".", "_"), svg)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" role="group" aria-label="{escape(text)}" '
    svg = _SIZE.sub(lambda match: f"{head}{match[1]}>", svg, count=1)
    links = {escape(word, quote=False): row_id(word) for word in words}

    def linked(match: re.Match[str]) -> str:
        target = links.get(match[1])
        return match[0] if target is None else f'<a href="#{target}">{match[0]}</a>'

    svg = _TEXT.sub(linked, svg)
    for colour, name in page_colours().items():
        svg = svg.replace(colour.lower(), f"var(--{name})")
    return svg


def in_both_widths(
    draw: Callable[[float], "Figure"], text: str, words: Iterable[str] = ()
) -> dict[str, str]:
    """Return a figure for screens and for phones; `draw`: makes it at a width in inches."""
    widths = {"wide": 7.2, "narrow": 3.5}
    return {name: inline_svg(draw(width), text, words) for name, width in widths.items()}


def page_colours() -> dict[str, str]:
    """Return the page's names of the colours of figures."""
    from bayesbias.show import style

    colours = {colour: name for name, colour in style.PALETTE.items()}
    colours |= {colour: f"c{i}" for i, colour in enumerate(style.CATEGORIES)}
    colours |= {style.INK: "ink", style.EDGE: "edge", style.FAINT: "faint"}
    return colours | {style.QUIET: "quiet", "#ffffff": "paper"}


def render(page: Page) -> str:
    """Return a page as HTML; all texts are escaped but the figures."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    source, script = (
        files("bayesbias.show").joinpath(name).read_text(encoding="utf-8")
        for name in ("page.html.jinja", "page.js")
    )
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    content = {"page": page, "script": script, "digest": digest, "colours": page_colours()}
    return environment.from_string(source).render(row_id=row_id, **content)


def write_page(page: Page, path: str | Path) -> None:
    """Write a page, whole or not at all."""
    with new_file(path) as place:
        place.write_text(render(page), encoding="utf-8")
