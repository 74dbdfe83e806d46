"""The figure and the page of a comparison: conditions from above to below, closer to the left.

Before and after are joined, as are times, since a line between conditions says that one becomes the
other; of several embeddings, lists or models the intervals alone are drawn.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bayesbias.comparison.changes import KEYS
from bayesbias.comparison.conditions import TWO_TRAININGS, times_of
from bayesbias.comparison.narrator import by_list, leading
from bayesbias.constants import ATTRIBUTE_SET, CONNECTION, STEREOTYPE_CONNECTIONS
from bayesbias.fits.checks import COLUMNS
from bayesbias.fits.page import citations, verdict_sentence
from bayesbias.show import page as show
from bayesbias.show import style as look
from bayesbias.show.narrator import joined, row_label
from bayesbias.words.provenance import names_of, source_of, title_of

if TYPE_CHECKING:
    from bayesbias.comparison.comparing import Comparison

_MOST_SERIES: Final = 6


def plot_comparison(
    comparison: "Comparison",
    *,
    size: look.Size = None,
    ax: Axes | None = None,
    titled: bool = True,
) -> Figure:
    """Draw the contrast that leads, and by list, under every condition."""
    shown = comparison.held_out or comparison
    names = list(shown.levels)
    in_sds = shown.pairs is None or bool((shown.pairs.units != 1.0).any())
    times = times_of(names) if shown.pairs is not None and len(names) > 2 else None
    joins = times is not None or (shown.is_one_training and len(names) == 2)
    at = np.arange(len(names), dtype=float) if times is None else times
    series = dict(_series(shown))
    units = {n: 1.0 / f.scale[0] if in_sds else 1.0 for n, f in shown.levels.items()}
    step = 0.5 * (np.ptp(at) / max(len(at) - 1, 1)) / max(len(series), 1)
    title, width = comparison.sentences[0] * titled, look.width_of(size, ax)
    with look.style(width):
        looks = look.category_looks(list(series))
        rows = len(names) * (1 if joins else len(series))
        height = look.title_height(title, width) + 0.9 + 0.17 * len(series) + 0.28 * rows
        figure, (axis,) = look.new_figure(1, 1, size, max(height, 2.4), ax=ax)
        room = look.panel_width(map(str, names), width)
        for number, (label, part) in enumerate(series.items()):
            off = (number - (len(series) - 1) / 2) * step
            y = part["condition"].map(dict(zip(names, at + off, strict=True))).to_numpy()
            unit = part["condition"].map(units).to_numpy()
            axis.hlines(y, part["low"] * unit, part["high"] * unit, color=looks[label].colour)
            line = "-" if joins else "none"
            axis.plot(part["mean"] * unit, y, linestyle=line, **looks[label].options)
        axis.axvline(0.0, color=look.EDGE, linewidth=0.8, zorder=0)
        axis.set_yticks(at, names, parse_math=False)
        axis.invert_yaxis()
        if len(series) > 1:
            look.legend_above(axis, looks, room)
        unit_name = "sd of a neutral pair" if in_sds else "mean cosine distance"
        what = f"difference in {unit_name}, {shown.rule.label}"
        look.sides(axis, "closer", "farther", what, inches=room)
        look.finish_rows(figure, axis, title, room, ax)
    return figure


def _series(comparison: "Comparison") -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the contrast that leads, then those by list: labels, and a row for each condition."""
    lead = leading(comparison)
    yield str(lead["contrast"].iloc[0]) if len(lead) else "", lead[~lead["is_difference"]]
    if comparison.pairs is not None and len(lead) and lead["level"].iloc[0] == "over all":
        table = comparison.contrasts
        for _, part in list(by_list(table[~table["is_difference"]]))[: _MOST_SERIES - 1]:
            yield row_label(next(part.itertuples())), part


def page_of(comparison: "Comparison", command: str | None) -> show.Page:
    """Return a comparison as a page."""
    shown = comparison.held_out or comparison
    first, lead = next(iter(shown.levels.values())), leading(shown)
    names, sentences = names_of(first.frame), comparison.sentences
    drawn = {
        name: show.inline_svg(plot_comparison(comparison, size=size, titled=False), sentences[0])
        for name, size in (("wide", 7.2), ("narrow", 3.5))
    }
    stereotypes = first.frame[first.frame[CONNECTION].isin(STEREOTYPE_CONNECTIONS)]
    rows = [f"{n}: seed {f.seed}, {f.pairs_sha256}" for n, f in comparison.levels.items()]
    versions = [f"{name}: {number}" for name, number in first.versions.items()]
    return show.Page(
        subject=f"{title_of(source_of(first.frame))}: {joined([*shown.levels])}",
        sentences=sentences,
        figure={**drawn, "text": sentences[0]},
        answers=show.answer_table(lead, [*lead["condition"]], shown.rule.label),
        charts=[*_charts(shown.contrasts)],
        choices={
            "list": [(name, names.list(name)) for name in stereotypes[ATTRIBUTE_SET].unique()],
            "group": [(name, names.group(name)) for name in names.groups],
        },
        checks=_checks(comparison),
        method=[
            first.methods_text(),
            verdict_sentence(first.rule(comparison.rule)),
            "Levels are each condition's own analysis. Differences are of the pairs that all "
            "conditions share; their weighted sum is modelled as distances are.",
        ],
        cite=citations(first),
        reproduce=[
            *([("Command", command)] if command else []),
            ("Conditions", "\n".join(rows)),
            ("Versions", "\n".join(versions)),
        ],
        details=[
            show.full_table("contrasts", "All answers", comparison.contrasts),
            *(
                [show.full_table("held_out", "Of words not used", comparison.held_out.contrasts)]
                if comparison.held_out is not None
                else []
            ),
            show.full_table("means", "Mean distances", comparison.means),
        ],
        foot=f"Made by bayesbias {first.versions.get('bayesbias', '')} on {first.created[:10]}.",
    )


def _checks(comparison: "Comparison") -> pd.DataFrame:
    """Return whether draws of conditions and differences can be trusted, and the vectors."""
    fits = {**comparison.levels, **comparison.differences}.items()
    rows = [
        (f"computation, {n}", f.diagnostics.sentence, "; ".join(f.diagnostics.problems))
        for n, f in fits
    ]
    if comparison.agreement is not None:
        what = f"coordinates of the vectors correlate by {comparison.agreement:.2f}"
        other = comparison.agreement < TWO_TRAININGS
        rows.append(("one training", what, "compare sizes in sd" if other else ""))
    if comparison.used:
        what = f"the method used {len(comparison.used)} words"
        advice = "" if comparison.held_out is not None else "give test=, a list of other words"
        rows.append(("words that debiasing used", what, advice))
    content = [(name, "warn" if advice else "pass", what, advice) for name, what, advice in rows]
    return pd.DataFrame(content, columns=list(COLUMNS))


def _charts(table: pd.DataFrame) -> Iterator[show.Chart]:
    """Yield contrasts by list and by word, with a mark for each condition.

    The text of a row is the last condition's verdict.
    """
    for level, title in (("list", "Attribute lists"), ("word", "Protected words")):
        of_level = (table["level"] == level) & (table["withheld"] == "")
        rows = table[of_level & ~table["is_difference"]]
        if rows.empty:
            continue
        conditions = list(rows["condition"].unique())
        axis = show.axis_of(rows[["low", "high"]].to_numpy().ravel(), zero=True)
        glyphs = show.CATEGORY_GLYPHS
        looks = {name: (f"c{i % 8}", glyphs[i % 8]) for i, name in enumerate(conditions)}
        content = []
        for _, part in rows.groupby(KEYS, sort=False):
            *_, last = every = list(part.itertuples())
            verdicts = [f"{r.condition} {show.contrast_text(r)}, {r.verdict}" for r in every]
            content.append(
                {
                    "word": row_label(last),
                    "list": last.list,
                    "group": last.group if level == "word" else "",
                    "marks": [show.mark(axis, row, *looks[row.condition]) for row in every],
                    "text": show.verdict_class(last.verdict),
                    "tip": f"{row_label(last)}: {'; '.join(verdicts)}",
                }
            )
        legend = [(*looks[name], name) for name in conditions]
        heads = (level, f"in {conditions[-1]}")
        yield show.Chart(f"by-{level}", title, axis, content, legend=legend, heads=heads)
